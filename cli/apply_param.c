/* A kernel's parameters, as `kata apply` finds, describes and prints them. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool apply_is_column(const apply_param *p)
{
    return p->param.kind >= KATA_PARAM_SUM && p->param.along;
}

bool apply_is_field(const apply_param *p)
{
    return p->param.kind <= KATA_PARAM_INOUT || apply_is_column(p);
}

bool apply_is_output(const apply_param *p)
{
    return p->param.kind == KATA_PARAM_OUT || apply_is_column(p);
}

bool apply_is_written(const apply_param *p)
{
    return apply_is_output(p) || p->param.kind == KATA_PARAM_INOUT;
}

bool apply_is_reduction(const apply_param *p)
{
    return p->param.kind >= KATA_PARAM_SUM && !apply_is_column(p);
}

bool apply_is_floating(const apply_param *p)
{
    return p->param.type == KATA_F64 || p->param.type == KATA_F32;
}

static const char *type_name(kata_type type)
{
    static const char *const names[] = {
        [KATA_F64] = "double", [KATA_F32] = "float",  [KATA_I64] = "long", [KATA_I32] = "int",
        [KATA_U8] = "uchar",   [KATA_U16] = "ushort", [KATA_I16] = "short"};
    bool named = (unsigned)type < COUNT_OF(names) && names[type];
    return named ? names[type] : "number";
}

void apply_describe(const apply_param *p, char *words, size_t size)
{
    static const char *const kinds[] = {"in ", "out ", "inout ", "", "", "sum ", "min ", "max "};
    char length[24] = "";
    if (p->param.count > 1) snprintf(length, sizeof length, "[%d]", p->param.count);
    snprintf(words, size, "%s%s %s%s", kinds[p->param.kind], type_name(p->param.type),
             p->param.name, length);
}

/* The parameters with a value, or those without, as what a word may mean. */
static void try_params(spelling *s, const apply *a, bool given)
{
    for (int i = 0; i < a->count; i++)
        if (!a->params[i].word == !given) spelling_try(s, a->params[i].param.name);
}

static void refuse_name(const apply *a, const char *word)
{
    spelling s = spelling_of(word);
    try_params(&s, a, false);
    if (!s.nearest) try_params(&s, a, true);
    if (s.nearest)
        options_wrong(a->o, "kernel '%s' has no parameter '%s'; did you mean '%s'?",
                      kata_kernel_name(a->kernel), word, s.nearest);
    else
        options_wrong(a->o, "kernel '%s' has no parameter '%s'; kata check lists its parameters",
                      kata_kernel_name(a->kernel), word);
}

apply_param *apply_find(const apply *a, const char *name, size_t length)
{
    char word[256];
    for (int i = 0; i < a->count; i++) {
        const char *own = a->params[i].param.name;
        if (strlen(own) == length && !strncmp(own, name, length)) return &a->params[i];
    }
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    refuse_name(a, word);
    return NULL;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Elements by commas, as tables are given. */
static void print_elements(const apply_param *p, const double *numbers, const int64_t *integers,
                           FILE *to)
{
    fprintf(to, "%s = ", p->param.name);
    for (int i = 0; i < p->param.count; i++) {
        char words[40];
        if (apply_is_floating(p))
            number_words(words, sizeof words, numbers[i], p->param.type == KATA_F32);
        else
            snprintf(words, sizeof words, "%lld", (long long)integers[i]);
        fprintf(to, "%s%s", i ? "," : "", words);
    }
    fprintf(to, "\n");
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

kata_status apply_print(const apply_param *p, FILE *to)
{
    size_t count = (size_t)p->param.count;
    double *numbers = calloc(count, sizeof *numbers);
    int64_t *integers = calloc(count, sizeof *integers);
    kata_status status = KATA_ERROR_MEMORY;
    if (numbers && integers)
        status = apply_is_floating(p) ? kata_scalar_get_all(p->scalar, numbers, p->param.count)
                                      : get_integers(p, integers);
    if (!status) print_elements(p, numbers, integers, to);
    free(numbers);
    free(integers);
    return status;
}
