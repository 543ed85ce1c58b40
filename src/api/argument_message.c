/* What is said of an argument of kata_apply that does not suit its parameter. */
#include "api/apply.h"

kata_status api_refuse_argument(const api_application *a, int p)
{
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

kata_status api_wrong_kind(const api_application *a, int p, const char *expected)
{
    API_BEGIN(a, "argument %d of kernel '%s' is %s where %s is expected", p + 1, a->kernel->name,
              kind_name(a->args[p].kind), expected);
    return api_refuse_argument(a, p);
}

kata_status api_null_argument(const api_application *a, int p)
{
    API_BEGIN(a, "argument %d of kernel '%s' is NULL", p + 1, a->kernel->name);
    return api_refuse_argument(a, p);
}

kata_status api_other_context(const api_application *a, int p)
{
    API_BEGIN(a, "argument %d of kernel '%s' is of another context", p + 1, a->kernel->name);
    return api_refuse_argument(a, p);
}

kata_status api_mapped_field(const api_application *a, int p)
{
    API_BEGIN(a, "argument %d of kernel '%s' is field '%s', which is mapped", p + 1,
              a->kernel->name, a->args[p].as.field->name);
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
