/* Arguments of kata_apply against the parameters of the kernel, one binding each. */
#include "api/apply.h"

/* ---- messages -------------------------------------------------------------------------------- */

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

static kata_status other_context(const api_application *a, int p)
{
    API_BEGIN(a, "argument %d of kernel '%s' is of another context", p + 1, a->kernel->name);
    return api_refuse_argument(a, p);
}

static kata_status mapped_field(const api_application *a, int p)
{
    API_BEGIN(a, "argument %d of kernel '%s' is field '%s', which is mapped", p + 1,
              a->kernel->name, a->args[p].as.field->name);
    message_line(&a->k->messages, "call kata_unmap before kernels use it again");
    return api_refuse_argument(a, p);
}

static kata_status const_argument(const api_application *a, int p, const char *name)
{
    API_BEGIN(a, "kernel '%s' writes argument %d, and %s '%s' is given by a pointer to const",
              a->kernel->name, p + 1, a->args[p].kind == KATA_ARG_CONST_FIELD ? "field" : "scalar",
              name);
    return api_refuse_argument(a, p);
}

/* ---- fields and scalars ---------------------------------------------------------------------- */

/* Whether the kernel may do with a field or scalar what it does. */
static bool may_write(const api_application *a, int p)
{
    const ir_param *param = &a->kernel->params[p];
    kata_arg_kind kind = a->args[p].kind;
    bool is_const = kind == KATA_ARG_CONST_FIELD || kind == KATA_ARG_CONST_SCALAR;
    return !is_const || !(ir_param_is_written_field(param) || ir_param_is_reduction(param));
}

kata_status api_bind_scalar(api_application *a, int p)
{
    const kata_scalar *s = api_arg_scalar(&a->args[p]);
    if (!s) return api_null_argument(a, p);
    if (s->k != a->k) return other_context(a, p);
    if (!may_write(a, p)) return const_argument(a, p, s->name);
    a->bindings[p].slot = s->slot;
    a->bindings[p].name = s->name;
    a->bindings[p].boundary = &grid_boundary_none;
    a->bindings[p].table = NULL;
    return KATA_OK;
}

/* Makes the field's rules known to the chain; false when memory is out. */
static bool keep_boundary(kata_field *f)
{
    chain *c = &f->k->chain;
    if (f->kept && f->kept_in == c->emptied) return true;
    f->kept = chain_keep_boundary(c, &f->boundary);
    f->kept_in = c->emptied;
    return f->kept;
}

/* Of a field or, when the kernel is applied once, of a scalar. */
static kata_status bind_field(api_application *a, int p)
{
    if (api_arg_is_scalar(&a->args[p])) return api_bind_scalar(a, p);
    if (!api_arg_is_field(&a->args[p])) return api_wrong_kind(a, p, "a field");
    kata_field *f = api_arg_field(&a->args[p]);
    if (!f) return api_null_argument(a, p);
    if (f->k != a->k) return other_context(a, p);
    if (f->mapped) return mapped_field(a, p);
    if (!may_write(a, p)) return const_argument(a, p, f->name);
    if (!keep_boundary(f)) return api_no_memory(a->k);
    a->bindings[p].slot = f->slot;
    a->bindings[p].name = f->name;
    a->bindings[p].boundary = f->kept;
    return KATA_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static kata_status bind_integer(api_application *a, int p, ir_type type)
{
    if (api_convert_integer(type, a->args[p].as.integer, &a->bindings[p].number)) return KATA_OK;
    API_BEGIN(a, "argument %d of kernel '%s' is %lld, which does not fit in %s", p + 1,
              a->kernel->name, (long long)a->args[p].as.integer, ir_types[type].name);
    return api_refuse_argument(a, p);
}

static kata_status bind_unsigned(api_application *a, int p, ir_type type)
{
    uint64_t x = a->args[p].as.unsigned_integer;
    a->bindings[p].number = ir_value_of_double(type, (double)x);
    if (ir_type_is_floating(type)) return KATA_OK;
    API_BEGIN(a, "argument %d of kernel '%s' is %llu, which does not fit in %s", p + 1,
              a->kernel->name, (unsigned long long)x, ir_types[type].name);
    return api_refuse_argument(a, p);
}

static kata_status bind_floating(api_application *a, int p, ir_type type)
{
    double x = a->args[p].as.floating;
    if (type == IR_F64) {
        a->bindings[p].number.f64 = x;
        return KATA_OK;
    }
    a->bindings[p].number = ir_value_of_double(type, x);
    if (ir_type_is_floating(type)) return KATA_OK;
    API_BEGIN(a, "argument %d of kernel '%s' is the floating-point number %g where %s is expected",
              p + 1, a->kernel->name, x, ir_types[type].name);
    return api_refuse_argument(a, p);
}

static kata_status bind_number(api_application *a, int p)
{
    ir_type type = a->kernel->params[p].type;
    switch (a->args[p].kind) {
    case KATA_ARG_SCALAR:
    case KATA_ARG_CONST_SCALAR: return api_bind_scalar(a, p);
    case KATA_ARG_INTEGER: return bind_integer(a, p, type);
    case KATA_ARG_UNSIGNED: return bind_unsigned(a, p, type);
    case KATA_ARG_FLOATING: return bind_floating(a, p, type);
    default: return api_wrong_kind(a, p, "a number");
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static kata_status bind(api_application *a, int p)
{
    const ir_param *param = &a->kernel->params[p];
    if (ir_param_is_field(param)) return bind_field(a, p);
    if (param->kind == IR_PARAM_NUMBER) return bind_number(a, p);
    if (param->kind == IR_PARAM_TABLE) return api_bind_table(a, p);
    if (api_arg_is_scalar(&a->args[p])) return api_bind_scalar(a, p);
    return api_wrong_kind(a, p, "a scalar");
}

kata_status api_bind(api_application *a)
{
    kata_status status = KATA_OK;
    a->bindings = chain_reserve(&a->k->chain, a->kernel);
    if (!a->bindings || !api_location_keep(a)) return api_no_memory(a->k);
    for (int p = 0; p < a->kernel->param_count && !status; p++) status = bind(a, p);
    return status;
}
