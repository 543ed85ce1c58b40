/* Arguments of kata_apply against the parameters of the kernel, one binding each. */
#include "api/apply.h"

/* ---- fields and scalars ---------------------------------------------------------------------- */

/* Makes the field's rules known to the chain; false when memory is out. */
static bool copy_boundary(kata_field *f)
{
    chain *c = &f->k->chain;
    if (f->boundary_copy && f->copied_when == c->emptied) return true;
    f->boundary_copy = chain_keep_boundary(c, &f->boundary);
    f->copied_when = c->emptied;
    return f->boundary_copy;
}

/* Of a field or, when the kernel is applied once, of a scalar. */
static kata_status bind_field(api_application *a, int p)
{
    if (!api_arg_is_field(&a->args[p]))
        return api_arg_is_scalar(&a->args[p]) ? api_bind_scalar(a, p)
                                              : api_wrong_kind(a, p, "a field");
    kata_field *f = api_arg_field(&a->args[p]);
    if (!f) return api_null_argument(a, p);
    if (f->k != a->k) return api_other_context(a, p);
    if (f->mapped) return api_mapped_field(a, p);
    if (!api_may_write(a, p)) return api_const_argument(a, p, f->name);
    if (!copy_boundary(f)) return api_no_memory(a->k);
    chain_binding *b = &a->bindings[p];
    b->slot = f->slot;
    b->name = f->name;
    b->boundary = f->boundary_copy;
    return KATA_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static kata_status bind_integer(api_application *a, int p, ir_type type)
{
    if (api_convert_integer(type, a->args[p].as.integer, &a->bindings[p].number)) return KATA_OK;
    API_BEGIN(a, "%s is %lld, which does not fit in %s", api_argument_name(a, p),
              (long long)a->args[p].as.integer, ir_types[type].name);
    return api_refuse_argument(a, p);
}

static kata_status bind_unsigned(api_application *a, int p, ir_type type)
{
    uint64_t x = a->args[p].as.unsigned_integer;
    a->bindings[p].number = ir_value_of_double(type, (double)x);
    if (ir_type_is_floating(type)) return KATA_OK;
    API_BEGIN(a, "%s is %llu, which does not fit in %s", api_argument_name(a, p),
              (unsigned long long)x, ir_types[type].name);
    return api_refuse_argument(a, p);
}

static kata_status bind_floating(api_application *a, int p, ir_type type)
{
    double x = a->args[p].as.floating;
    const bool floating = ir_type_is_floating(type);
    if (floating && api_convert_floating(type, x, &a->bindings[p].number)) return KATA_OK;
    if (floating)
        API_BEGIN(a, "%s is %.9g, which does not fit in %s", api_argument_name(a, p), x,
                  ir_types[type].name);
    else
        API_BEGIN(a, "%s is the floating-point number %g where %s is expected",
                  api_argument_name(a, p), x, ir_types[type].name);
    return api_refuse_argument(a, p);
}

static kata_status convert_number(api_application *a, int p, ir_type type)
{
    switch (a->args[p].kind) {
    case KATA_ARG_INTEGER: return bind_integer(a, p, type);
    case KATA_ARG_UNSIGNED: return bind_unsigned(a, p, type);
    case KATA_ARG_FLOATING: return bind_floating(a, p, type);
    default: return api_wrong_kind(a, p, "a number");
    }
}

static kata_status bind_number(api_application *a, int p)
{
    const kata_arg *arg = &a->args[p];
    ir_type type = a->kernel->params[p].type;
    rounding_environment own;
    if (arg->kind == KATA_ARG_FLOATING && type == IR_F64) {
        a->bindings[p].number.f64 = arg->as.floating;
        return KATA_OK;
    }
    if (api_arg_is_scalar(arg)) return api_bind_scalar(a, p);
    rounding_enter(&own);
    kata_status status = convert_number(a, p, type);
    rounding_leave(&own);
    return status;
}

static kata_status bind_table(api_application *a, int p)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = api_bind_table(a, p);
    rounding_leave(&own);
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* A parameter that the text does not have. */
static kata_status bind_hidden(api_application *a, int p)
{
    const ir_param *param = &a->kernel->params[p];
    a->bindings[p].slot = api_mesh_hidden(a->grid, param);
    a->bindings[p].name = param->name;
    a->bindings[p].boundary = chain_keep_boundary(&a->k->chain, &grid_boundary_none);
    if (!a->bindings[p].slot) return a->k->messages.status;
    return a->bindings[p].boundary ? KATA_OK : api_no_memory(a->k);
}

static kata_status bind(api_application *a, int p)
{
    const ir_param *param = &a->kernel->params[p];
    if (ir_param_takes_field(param)) return bind_field(a, p);
    if (param->kind == IR_PARAM_NUMBER) return bind_number(a, p);
    if (param->kind == IR_PARAM_TABLE) return bind_table(a, p);
    if (api_arg_is_scalar(&a->args[p])) return api_bind_scalar(a, p);
    return api_wrong_kind(a, p, "a scalar");
}

kata_status api_bind(api_application *a)
{
    const int count = a->kernel->param_count, given = count - a->kernel->hidden_count;
    kata_status status = KATA_OK;
    a->bindings = chain_reserve(&a->k->chain, a->kernel);
    if (!a->bindings || !api_location_keep(a)) return api_no_memory(a->k);
    for (int p = 0; p < given && !status; p++) status = bind(a, p);
    for (int p = given; p < count && !status; p++) status = bind_hidden(a, p);
    return status;
}
