/* The words NAME=VALUE of `kata apply`: numbers, tables, and names of files. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool apply_is_field(const apply_param *p) { return p->param.kind <= KATA_PARAM_INOUT; }

bool apply_is_written(const apply_param *p)
{
    return p->param.kind == KATA_PARAM_OUT || p->param.kind == KATA_PARAM_INOUT;
}

bool apply_is_reduction(const apply_param *p) { return p->param.kind >= KATA_PARAM_SUM; }

static bool is_floating(const apply_param *p)
{
    return p->param.type == KATA_F64 || p->param.type == KATA_F32;
}

static const char *type_name(kata_type type)
{
    static const char *const names[] = {"double", "float", "long", "int", "uchar"};
    return (unsigned)type < COUNT_OF(names) ? names[type] : "number";
}

void apply_describe(const apply_param *p, char *words, size_t size)
{
    static const char *const kinds[] = {"in ", "out ", "inout ", "", "", "sum ", "min ", "max "};
    char length[24] = "";
    if (p->param.count > 1) snprintf(length, sizeof length, "[%d]", p->param.count);
    snprintf(words, size, "%s%s %s%s", kinds[p->param.kind], type_name(p->param.type),
             p->param.name, length);
}

apply_param *apply_find(const apply *a, const char *name, size_t length)
{
    char word[65];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    spelling s = spelling_of(word);
    for (int i = 0; i < a->count; i++) {
        spelling_try(&s, a->params[i].param.name);
        if (!strcmp(a->params[i].param.name, word)) return &a->params[i];
    }
    if (s.nearest)
        options_wrong(a->o, "kernel '%s' has no parameter '%s'; did you mean '%s'?",
                      kata_kernel_name(a->kernel), word, s.nearest);
    else
        options_wrong(a->o, "kernel '%s' has no parameter '%s'; kata check shows what it has",
                      kata_kernel_name(a->kernel), word);
    return NULL;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool wrong_number(const apply *a, const apply_param *p, const char *word)
{
    char words[128];
    apply_describe(p, words, sizeof words);
    options_wrong(a->o, "parameter '%s' (%s) takes %s, not '%s'", p->param.name, words,
                  is_floating(p)              ? "a number"
                  : p->param.type == KATA_I32 ? "a whole number of 32 bits"
                                              : "a whole number",
                  word);
    return false;
}

/* Whole numbers that fit; for floating types also inf and nan. */
static bool read_number(const apply_param *p, const char *word, kata_arg *out)
{
    char *end;
    errno = 0;
    if (is_floating(p)) {
        double x = strtod(word, &end);
        *out = kata_arg_floating(x, 0);
        return end != word && !*end && !(errno == ERANGE && isinf(x));
    }
    long long n = strtoll(word, &end, 10);
    *out = kata_arg_integer(n, 0);
    bool fits = p->param.type == KATA_I64 || (n >= INT32_MIN && n <= INT32_MAX);
    return end != word && !*end && !errno && fits;
}

static bool read_table(apply *a, apply_param *p)
{
    char *copy = strdup(p->word), *rest = copy, *word;
    int count = 0;
    bool good = copy != NULL;
    p->table = calloc((size_t)p->param.count, sizeof(double));
    good = good && p->table;
    for (; good && (word = strsep(&rest, ",")); count++) {
        kata_arg number;
        if (!read_number(p, word, &number)) {
            good = wrong_number(a, p, word);
            break;
        }
        if (count >= p->param.count) continue;
        if (is_floating(p))
            ((double *)p->table)[count] = number.as.floating;
        else
            ((int64_t *)p->table)[count] = number.as.integer;
    }
    free(copy);
    if (good && count != p->param.count)
        options_wrong(a->o, "parameter '%s' takes %d numbers, as in %s=1,2,...; there are %d",
                      p->param.name, p->param.count, p->param.name, count);
    p->arg = kata_table_of(is_floating(p) ? KATA_F64 : KATA_I64, p->table, p->param.count);
    return good && count == p->param.count;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* "IN.npy", "OUT.npy" or, of inout fields, "IN.npy,OUT.npy" with either missing. */
static void read_files(apply_param *p, char *word)
{
    char *comma = p->param.kind == KATA_PARAM_INOUT ? strrchr(word, ',') : NULL;
    if (comma) *comma = 0;
    const char *second = comma ? comma + 1 : p->param.kind == KATA_PARAM_OUT ? word : "";
    const char *first = p->param.kind == KATA_PARAM_OUT ? "" : word;
    p->input = *first ? first : NULL;
    p->output = *second ? second : NULL;
}

static bool read_word(apply *a, char *word)
{
    const char *equals = strchr(word, '=');
    if (!equals) {
        options_wrong(a->o, "'%s' is not of the form NAME=VALUE", word);
        return false;
    }
    apply_param *p = apply_find(a, word, (size_t)(equals - word));
    if (!p) return false;
    if (p->word || apply_is_reduction(p)) {
        options_wrong(a->o,
                      p->word ? "parameter '%s' is given twice"
                              : "parameter '%s' is a result, which is printed",
                      p->param.name);
        return false;
    }
    p->word = equals + 1;
    if (apply_is_field(p))
        read_files(p, word + (equals + 1 - word));
    else if (p->param.kind == KATA_PARAM_TABLE)
        return read_table(a, p);
    else if (!read_number(p, p->word, &p->arg))
        return wrong_number(a, p, p->word);
    return true;
}

static bool check_given(const apply *a)
{
    for (int i = 0; i < a->count; i++) {
        const apply_param *p = &a->params[i];
        bool optional = apply_is_reduction(p) || p->param.kind == KATA_PARAM_OUT;
        if (optional || p->word) continue;
        char words[128];
        apply_describe(p, words, sizeof words);
        options_wrong(a->o, "parameter '%s' (%s) is not given: %s=%s", p->param.name, words,
                      p->param.name,
                      !apply_is_field(p)                  ? "VALUE"
                      : p->param.kind == KATA_PARAM_INOUT ? "INPUT,OUTPUT"
                                                          : "FILE");
        return false;
    }
    return true;
}

bool apply_read_words(apply *a, char **words, int count)
{
    for (int i = 0; i < count; i++)
        if (!read_word(a, words[i])) return false;
    return check_given(a);
}

/* ---- boundary rules -------------------------------------------------------------------------- */

static const char *const rule_names[] = {"none",
                                         "constant",
                                         "clamp",
                                         "reflect-face",
                                         "reflect-node",
                                         "antisymmetric-face",
                                         "antisymmetric-node",
                                         "periodic"};

/* "RULE" or "RULE:VALUE" */
static bool read_rule(const apply *a, char *word, kata_rule *rule, double *value)
{
    char *colon = strchr(word, ':'), *end = "";
    *value = 0;
    if (colon) {
        *colon = 0;
        *value = strtod(colon + 1, &end);
    }
    if (colon && (end == colon + 1 || *end || !isfinite(*value))) {
        options_wrong(a->o, "--boundary takes a number after the colon, not '%s'", colon + 1);
        return false;
    }
    spelling s = spelling_of(word);
    for (size_t i = 0; i < COUNT_OF(rule_names); i++) {
        *rule = (kata_rule)i;
        if (!strcmp(rule_names[i], word)) return true;
        spelling_try(&s, rule_names[i]);
    }
    if (s.nearest)
        options_wrong(a->o, "--boundary has no rule '%s'; did you mean %s?", word, s.nearest);
    else
        options_wrong(a->o,
                      "--boundary has no rule '%s'; the rules are none, constant, clamp, "
                      "reflect-face, reflect-node, antisymmetric-face, antisymmetric-node and "
                      "periodic",
                      word);
    return false;
}

static bool set_rule(const apply *a, apply_param *p, char *word)
{
    kata_rule rule;
    double value;
    if (!read_rule(a, word, &rule, &value)) return false;
    p->rule = rule;
    p->rule_value = value;
    return true;
}

/* ---- types ----------------------------------------------------------------------------------- */

static bool set_type(const apply *a, apply_param *p, char *word)
{
    static const char *const names[] = {"f64", "f32", "i64", "i32", "u8", "f16", "bf16", "unorm8"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(names[i], word) != 0) continue;
        p->stored = (kata_type)i;
        return true;
    }
    options_wrong(a->o,
                  "--type has no type '%s'; the types are f64, f32, f16, bf16, i64, i32, u8 and "
                  "unorm8",
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

/* ---- what is said of fields, by commas ------------------------------------------------------- */

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
    for (int i = 0; i < a->count; i++) {
        char copy[64];
        snprintf(copy, sizeof copy, "%s", word);
        if (only ? &a->params[i] == only : apply_is_field(&a->params[i]))
            if (!set(a, &a->params[i], copy)) return false;
    }
    return true;
}

static bool read_items(const apply *a, const char *items, const char *option, set_word *set)
{
    char *copy = strdup(items), *rest = copy, *item;
    bool good = copy != NULL;
    while (good && (item = strsep(&rest, ","))) good = read_item(a, item, option, set);
    free(copy);
    return good;
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

/* ---- results --------------------------------------------------------------------------------- */

/* Elements by commas, as tables are given. */
static void print_elements(const apply_param *p, const double *numbers, const int64_t *integers)
{
    printf("%s = ", p->param.name);
    for (int i = 0; i < p->param.count; i++) {
        char words[40];
        if (is_floating(p))
            number_words(words, sizeof words, numbers[i], p->param.type == KATA_F32);
        else
            snprintf(words, sizeof words, "%lld", (long long)integers[i]);
        printf("%s%s", i ? "," : "", words);
    }
    printf("\n");
}

static kata_status get_integers(const apply_param *p, int64_t *out)
{
    int32_t *small = calloc((size_t)p->param.count, sizeof *small);
    kata_status status = KATA_ERROR_MEMORY;
    if (p->param.type == KATA_I64)
        status = kata_scalar_get_all(p->scalar, out, p->param.count);
    else if (small)
        status = kata_scalar_get_all(p->scalar, small, p->param.count);
    for (int i = 0; p->param.type != KATA_I64 && !status && i < p->param.count; i++)
        out[i] = small[i];
    free(small);
    return status;
}

kata_status apply_print(const apply_param *p)
{
    size_t count = (size_t)p->param.count;
    double *numbers = calloc(count, sizeof *numbers);
    int64_t *integers = calloc(count, sizeof *integers);
    kata_status status = KATA_ERROR_MEMORY;
    if (numbers && integers)
        status = is_floating(p) ? kata_scalar_get_all(p->scalar, numbers, p->param.count)
                                : get_integers(p, integers);
    if (!status) print_elements(p, numbers, integers);
    free(numbers);
    free(integers);
    return status;
}
