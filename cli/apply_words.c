/* The words NAME=VALUE of `kata apply`: numbers, tables, and names of files. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wrong_number(const apply *a, const apply_param *p, const char *word)
{
    char words[128];
    apply_describe(p, words, sizeof words);
    options_wrong(a->o, "parameter '%s' (%s) takes %s, not '%s'", p->param.name, words,
                  apply_is_floating(p)        ? "a number"
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
    if (apply_is_floating(p)) {
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
        if (apply_is_floating(p))
            ((double *)p->table)[count] = number.as.floating;
        else
            ((int64_t *)p->table)[count] = number.as.integer;
    }
    free(copy);
    if (good && count != p->param.count)
        options_wrong(a->o, "parameter '%s' takes %d numbers, as in %s=1,2,...; there are %d",
                      p->param.name, p->param.count, p->param.name, count);
    p->arg = kata_table_of(apply_is_floating(p) ? KATA_F64 : KATA_I64, p->table, p->param.count);
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
    p->discarded = !p->output && (comma || p->param.kind == KATA_PARAM_OUT);
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
