/* Arguments of kata_apply for table parameters: arrays of numbers, and scalar arrays. */
#include "api/apply.h"

#include <string.h>

static kata_status unknown_length(const api_application *a, int p)
{
    const ir_param *param = &a->kernel->params[p];
    API_BEGIN(a, "argument %d of kernel '%s' may be a pointer, whose length is not known", p + 1,
              a->kernel->name);
    message_line(&a->k->messages, "pass kata_table_of(%s, pointer, %d)",
                 ir_storages[ir_storage_of_type(param->type)].constant, param->count);
    return api_refuse_argument(a, p);
}

static kata_status wrong_length(const api_application *a, int p)
{
    API_BEGIN(a, "argument %d of kernel '%s' has %lld elements where %d are expected", p + 1,
              a->kernel->name, (long long)a->args[p].count, a->kernel->params[p].count);
    return api_refuse_argument(a, p);
}

static kata_status check(const api_application *a, int p)
{
    const kata_arg *arg = &a->args[p];
    const ir_param *param = &a->kernel->params[p];
    if (arg->kind != KATA_ARG_TABLE) return api_wrong_kind(a, p, "an array");
    if (!arg->as.table) return api_null_argument(a, p);
    if (!api_type_is_valid(arg->type)) return api_wrong_kind(a, p, "an array of a known type");
    if (arg->count < 0) return unknown_length(a, p);
    if (arg->count != param->count) return wrong_length(a, p);
    bool floating = ir_type_is_floating(ir_type_of_storage(arg->type));
    if (!floating || ir_type_is_floating(param->type)) return KATA_OK;
    API_BEGIN(a,
              "argument %d of kernel '%s' is an array of floating-point numbers where %s are "
              "expected",
              p + 1, a->kernel->name, ir_types[param->type].name);
    return api_refuse_argument(a, p);
}

static bool element(const kata_arg *arg, ir_type type, int64_t i, ir_value *out)
{
    const char *at = (const char *)arg->as.table + i * store_type_bytes(arg->type);
    if (ir_type_is_integer(ir_type_of_storage(arg->type)))
        return api_convert_integer(type, ir_storage_read(arg->type, IR_I64, at).i64, out);
    return api_convert_floating(type, ir_storage_read(arg->type, IR_F64, at).f64, out);
}

/* Elements of the table's own type, of which none needs to be converted. */
static void copy(const void *from, size_t bytes, int count, ir_value *to)
{
    const char *at = from;
    memset(to, 0, (size_t)count * sizeof *to);
    if (bytes == sizeof *to)
        memcpy(to, from, (size_t)count * bytes);
    else
        for (int i = 0; i < count; i++) memcpy(&to[i], at + (size_t)i * bytes, bytes);
}

static bool is_copied(const kata_arg *arg, ir_type type)
{
    return ir_type_of_storage(arg->type) == type && !ir_type_is_narrow(type) &&
           ir_storages[arg->type].bytes == ir_types[type].bytes;
}

kata_status api_bind_table(api_application *a, int p)
{
    const ir_param *param = &a->kernel->params[p];
    if (api_arg_is_scalar(&a->args[p])) return api_bind_scalar(a, p);
    kata_status status = check(a, p);
    if (!status && is_copied(&a->args[p], param->type)) {
        copy(a->args[p].as.table, (size_t)ir_types[param->type].bytes, param->count,
             a->bindings[p].table);
        return KATA_OK;
    }
    for (int i = 0; i < param->count && !status; i++) {
        if (element(&a->args[p], param->type, i, &a->bindings[p].table[i])) continue;
        API_BEGIN(a, "element %d of argument %d of kernel '%s' does not fit in %s", i, p + 1,
                  a->kernel->name, ir_types[param->type].name);
        status = api_refuse_argument(a, p);
    }
    return status;
}
