/* What is said of an argument of kata_apply that does not suit its parameter. */
#include "api/apply.h"

#include <stdio.h>

const char *api_argument_name(const api_application *a, int p)
{
    const char *name = a->kernel->name;
    if (!api_is_built_in(a->k, a->kernel))
        snprintf(a->k->argument, sizeof a->k->argument, "argument %d of kernel '%s'", p + 1, name);
    else
        snprintf(a->k->argument, sizeof a->k->argument, "the %s of %s",
                 a->kernel->params[p].kind == IR_PARAM_NUMBER ? "value" : "field", name);
    return a->k->argument;
}

kata_status api_refuse_argument(const api_application *a, int p)
{
    if (!api_is_built_in(a->k, a->kernel))
        message_note_at(&a->k->messages, a->kernel->text, a->kernel->params[p].at,
                        "parameter '%s' is declared here", a->kernel->params[p].name);
    message_send(&a->k->messages);
    api_note_error(a->k);
    return a->k->messages.status;
}

static const char *kind_name(kata_arg_kind kind)
{
    switch (kind) {
    case KATA_ARG_FIELD:
    case KATA_ARG_CONST_FIELD: return "a field";
    case KATA_ARG_SCALAR:
    case KATA_ARG_CONST_SCALAR: return "a scalar";
    case KATA_ARG_INTEGER:
    case KATA_ARG_UNSIGNED: return "a number";
    case KATA_ARG_FLOATING: return "a floating-point number";
    case KATA_ARG_TABLE: return "an array";
    default: return "nothing that kata_apply takes";
    }
}

/* What is often meant by a pointer to a number. */
static kata_status refuse_pointer(const api_application *a, int p)
{
    API_BEGIN(a, "%s is an array or a pointer to %s where a scalar is expected",
              api_argument_name(a, p),
              api_type_is_valid(a->args[p].type) ? store_type_name(a->args[p].type) : "numbers");
    message_line(&a->k->messages,
                 "a reduction takes a kata_scalar, which kata_scalar_new makes and kata_scalar_get "
                 "reads");
    return api_refuse_argument(a, p);
}

kata_status api_wrong_kind(const api_application *a, int p, const char *expected)
{
    if (a->args[p].kind == KATA_ARG_TABLE && ir_param_is_reduction(&a->kernel->params[p]))
        return refuse_pointer(a, p);
    API_BEGIN(a, "%s is %s where %s is expected", api_argument_name(a, p),
              kind_name(a->args[p].kind), expected);
    return api_refuse_argument(a, p);
}

kata_status api_null_argument(const api_application *a, int p)
{
    API_BEGIN(a, "%s is NULL", api_argument_name(a, p));
    return api_refuse_argument(a, p);
}

kata_status api_other_context(const api_application *a, int p)
{
    API_BEGIN(a, "%s is of another context", api_argument_name(a, p));
    return api_refuse_argument(a, p);
}

kata_status api_mapped_field(const api_application *a, int p)
{
    API_BEGIN(a, "%s is field '%s', which is mapped", api_argument_name(a, p),
              a->args[p].as.field->name);
    message_line(&a->k->messages, "call kata_unmap before kernels use it again");
    return api_refuse_argument(a, p);
}

kata_status api_const_argument(const api_application *a, int p, const char *name)
{
    API_BEGIN(a, "kernel '%s' writes argument %d, and %s '%s' is given by a pointer to const",
              a->kernel->name, p + 1, a->args[p].kind == KATA_ARG_CONST_FIELD ? "field" : "scalar",
              name);
    return api_refuse_argument(a, p);
}
