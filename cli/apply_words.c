/* The words NAME=VALUE of `kata apply`: numbers, tables, and names of files. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool apply_is_too_large(const char *word)
{
    char *end;
    errno = 0;
    double x = strtod(word, &end);
    return end != word && !*end && errno == ERANGE && isinf(x);
}

static bool wrong_number(const apply *a, const apply_param *p, const char *word)
{
    char words[128];
    apply_describe(p, words, sizeof words);
    if (apply_is_floating(p) && apply_is_too_large(word)) {
        options_wrong(a->o, "parameter '%s' (%s): '%s' is too large for a number", p->param.name,
                      words, word);
        return false;
    }
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
        return end != word && !*end && !apply_is_too_large(word);
    }
    long long n = strtoll(word, &end, 10);
    *out = kata_arg_integer(n, 0);
    bool fits = p->param.type == KATA_I64 || (n >= INT32_MIN && n <= INT32_MAX);
    return end != word && !*end && !errno && fits;
}

static void set_element(apply_param *p, int element, const kata_arg *number)
{
    if (element >= p->param.count) return;
    if (apply_is_floating(p))
        ((double *)p->table)[element] = number->as.floating;
    else
        ((int64_t *)p->table)[element] = number->as.integer;
}

/* The number of elements; -1 after a message. */
static int read_elements(const apply *a, apply_param *p, char *words)
{
    int count = 0;
    for (char *word; (word = strsep(&words, ",")); count++) {
        kata_arg number;
        if (!read_number(p, word, &number)) {
            wrong_number(a, p, word);
            return -1;
        }
        set_element(p, count, &number);
    }
    return count;
}

static bool read_table(apply *a, apply_param *p)
{
    char *copy = strdup(p->word);
    p->table = calloc((size_t)p->param.count, sizeof(double));
    int count = copy && p->table ? read_elements(a, p, copy) : -1;
    if (!copy || !p->table) options_failed(a->o, "out of memory");
    free(copy);
    if (count >= 0 && count != p->param.count)
        options_wrong(a->o, "parameter '%s' takes %d numbers, as in %s=1,2,...; there are %d",
                      p->param.name, p->param.count, p->param.name, count);
    p->arg = kata_table_of(apply_is_floating(p) ? KATA_F64 : KATA_I64, p->table, p->param.count);
    return count == p->param.count;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* "IN.npy", "OUT.npy" or, of inout fields, "IN.npy,OUT.npy" with either missing. */
static void read_files(apply_param *p, char *word)
{
    char *comma = p->param.kind == KATA_PARAM_INOUT ? strrchr(word, ',') : NULL;
    if (comma) *comma = 0;
    const char *second = comma ? comma + 1 : apply_is_output(p) ? word : "";
    const char *first = apply_is_output(p) ? "" : word;
    p->input = *first ? first : NULL;
    p->output = *second ? second : NULL;
    p->discarded = !p->output && (comma || apply_is_output(p));
}

/* Whether a parameter may be given a value, and has none yet. */
static bool takes_word(const apply *a, const apply_param *p)
{
    if (!p->word && !apply_is_reduction(p)) return true;
    options_wrong(a->o,
                  p->word ? "parameter '%s' is given twice"
                          : "parameter '%s' is a result, which is printed",
                  p->param.name);
    return false;
}

static bool read_word(apply *a, char *word)
{
    char *equals = strchr(word, '=');
    if (!equals) {
        options_wrong(a->o, "'%s' is not of the form NAME=VALUE", word);
        return false;
    }
    apply_param *p = apply_find(a, word, (size_t)(equals - word));
    if (!p || !takes_word(a, p)) return false;
    p->word = equals + 1;
    if (p->param.kind == KATA_PARAM_TABLE) return read_table(a, p);
    if (!apply_is_field(p)) return read_number(p, p->word, &p->arg) || wrong_number(a, p, p->word);
    read_files(p, equals + 1);
    return true;
}

static bool check_given(const apply *a)
{
    for (int i = 0; i < a->count; i++) {
        const apply_param *p = &a->params[i];
        bool optional = apply_is_reduction(p) || apply_is_output(p);
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
