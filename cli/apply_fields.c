/* Options of `kata apply` that say something of each field: boundary rules, types, dimensions along
 * which it is staggered. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- boundary rules -------------------------------------------------------------------------- */

const char *const apply_rule_names[] = {
#define WORD(rule, word, meaning) [rule] = word,
    KATA_RULES(WORD)
#undef WORD
        [KATA_PERIODIC + 1] = NULL,
};

/* Cuts ":VALUE" off a rule. */
static bool read_rule_value(const apply *a, char *word, double *value)
{
    char *colon = strchr(word, ':'), *end;
    *value = 0;
    if (!colon) return true;
    *colon = 0;
    *value = strtod(colon + 1, &end);
    if (end != colon + 1 && !*end && isfinite(*value)) return true;
    options_wrong(a->o, "--boundary takes a number after the colon, not '%s'%s", colon + 1,
                  apply_is_too_large(colon + 1) ? ", which is too large" : "");
    return false;
}

#define AFTER_BLANK(rule, word, meaning) " " word

/* Whether a rule says what it makes of VALUE. */
static bool takes_value(kata_rule rule)
{
#define MEANING(rule, word, meaning) [rule] = meaning,
    static const char *const meanings[] = {KATA_RULES(MEANING)};
#undef MEANING
    return strstr(meanings[rule], "VALUE");
}

/* A value that a rule does not look at would be lost. */
static bool check_value(const apply *a, const char *word, kata_rule rule, bool given)
{
    if (!given || takes_value(rule)) return true;
    options_wrong(a->o, "--boundary %s takes no value behind a colon", word);
    return false;
}

/* "RULE" or "RULE:VALUE" */
static bool read_rule(const apply *a, char *word, kata_rule *rule, double *value)
{
    const bool given = strchr(word, ':');
    if (!read_rule_value(a, word, value)) return false;
    spelling s = spelling_of(word);
    for (int i = 0; apply_rule_names[i]; i++) {
        *rule = (kata_rule)i;
        if (!strcmp(apply_rule_names[i], word)) return check_value(a, word, *rule, given);
        spelling_try(&s, apply_rule_names[i]);
    }
    if (s.nearest)
        options_wrong(a->o, "--boundary has no rule '%s'; did you mean %s?", word, s.nearest);
    else
        options_wrong(a->o,
                      "--boundary has no rule '%s'; the rules are:" KATA_RULES(
                          AFTER_BLANK) " linear:VALUE:W/W/...",
                      word);
    return false;
}

static bool set_rule(const apply *a, apply_param *p, char *word)
{
    static const char linear[] = "linear:";
    kata_rule rule;
    double value;
    p->linear.depth = 0;
    if (!strncmp(word, linear, sizeof linear - 1))
        return apply_read_linear(a, p, word + sizeof linear - 1);
    if (!read_rule(a, word, &rule, &value)) return false;
    p->rule = rule;
    p->rule_value = value;
    return true;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* In the order of kata_type. */
const char *const apply_type_names[] = {"f64",  "f32",    "i64", "i32", "u8", "f16",
                                        "bf16", "unorm8", "u16", "i16", NULL};

static bool is_floating(kata_type type)
{
    return type != KATA_I64 && type != KATA_I32 && type != KATA_U8 && type != KATA_U16 &&
           type != KATA_I16;
}

/* Whether a kernel's parameter takes fields of a type. */
static bool suits(kata_type param, kata_type stored)
{
    if (is_floating(param)) return is_floating(stored);
    return param == stored || ((param == KATA_I64 || param == KATA_I32) && !is_floating(stored));
}

static bool store_as(const apply *a, apply_param *p, kata_type type)
{
    char words[128], others[100] = "";
    p->stored = type;
    if (suits(p->param.type, type)) return true;
    for (int i = 0; apply_type_names[i]; i++)
        if (suits(p->param.type, (kata_type)i))
            snprintf(others + strlen(others), sizeof others - strlen(others), "%s%s",
                     *others ? " or " : "", apply_type_names[i]);
    apply_describe(p, words, sizeof words);
    options_wrong(a->o, "parameter '%s' (%s) cannot be stored as %s; --type %s=%s is possible",
                  p->param.name, words, apply_type_names[type], p->param.name, others);
    return false;
}

static bool set_type(const apply *a, apply_param *p, char *word)
{
    for (int i = 0; apply_type_names[i]; i++)
        if (!strcmp(apply_type_names[i], word)) return store_as(a, p, (kata_type)i);
    options_wrong(a->o,
                  "--type has no type '%s'; the types are f64, f32, f16, bf16, i64, i32, i16, u16, "
                  "u8 and unorm8",
                  word);
    return false;
}

/* ---- staggered fields ------------------------------------------------------------------------ */

static bool set_staggered(const apply *a, apply_param *p, char *word)
{
    p->staggered = 0;
    for (const char *letter = word; *letter; letter++) {
        int dimension = *letter >= 'x' && *letter <= 'z' ? KATA_X << (*letter - 'x') : 0;
        if (dimension && !(p->staggered & dimension)) {
            p->staggered |= dimension;
            continue;
        }
        options_wrong(a->o, "--staggered takes dimensions, as x or xy, not '%s'", word);
        return false;
    }
    return true;
}

/* ---- items, separated by commas ------------------------------------------------------- */

typedef bool set_word(const apply *a, apply_param *p, char *word);

/* "WORD" or "FIELD=WORD" */
static bool read_item(const apply *a, char *item, const char *option, set_word *set)
{
    char *equals = strchr(item, '='), *word = equals ? equals + 1 : item;
    apply_param *only = equals ? apply_find(a, item, (size_t)(equals - item)) : NULL;
    if (equals && !only) return false;
    if (only && !apply_is_field(only)) {
        options_wrong(a->o, "--%s is for fields, and '%s' is none", option, only->param.name);
        return false;
    }
    bool good = true;
    for (int i = 0; i < a->count && good; i++) {
        bool meant = only ? &a->params[i] == only : apply_is_field(&a->params[i]);
        char *copy = meant ? strdup(word) : NULL;
        good = !meant || (copy && set(a, &a->params[i], copy));
        free(copy);
    }
    return good;
}

/* The letters of an item before its type: a name, or none for all fields. */
static size_t name_length(const char *item)
{
    const size_t length = strcspn(item, ",=");
    return item[length] == '=' ? length : 0;
}

/* Whether no two items are for the same fields; says so if not. */
static bool are_apart(const apply *a, const char *items, const char *option)
{
    for (const char *item = items; item; item = strchr(item, ',')) {
        item += *item == ',';
        const size_t length = name_length(item);
        for (const char *before = items; before < item; before += strcspn(before, ",") + 1) {
            if (name_length(before) != length || strncmp(before, item, length) != 0) continue;
            options_wrong(a->o, "--%s names the same fields twice, the second time by '%.*s'",
                          option, (int)strcspn(item, ","), item);
            return false;
        }
    }
    return true;
}

/* Reads the items that name a field, or those that name none. */
static bool read_some(const apply *a, const char *items, bool named, const char *option,
                      set_word *set)
{
    char *copy = strdup(items), *rest = copy, *item;
    bool good = copy != NULL;
    while (good && (item = strsep(&rest, ",")))
        if (!strchr(item, '=') == !named) good = read_item(a, item, option, set);
    free(copy);
    return good;
}

/* What is said of a field counts for it, whether it comes before or behind what is said of all. */
static bool read_items(const apply *a, const char *items, const char *option, set_word *set)
{
    return are_apart(a, items, option) && read_some(a, items, false, option, set) &&
           read_some(a, items, true, option, set);
}

bool apply_read_rules(apply *a, const char *rules)
{
    return read_items(a, rules, "boundary", set_rule);
}

bool apply_read_types(apply *a, const char *types)
{
    return read_items(a, types, "type", set_type);
}

bool apply_read_staggered(apply *a, const char *dimensions)
{
    return read_items(a, dimensions, "staggered", set_staggered);
}
