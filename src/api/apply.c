/* kata_apply: arguments against parameters, one binding each; then the loop is checked as a whole
 * and queued. */
#include "api/api.h"
#include "legality/legality.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct application {
    kata *k;
    const ir_kernel *kernel;
    const char *file; /* where it is written; NULL when not known */
    int line;
    const kata_arg *args;
    chain_binding *bindings; /* reserved in the chain */
} application;

kata_kernel *kata_here(kata_kernel *kernel, const char *file, int line)
{
    if (!kernel) return NULL;
    kata *k = kernel->module->k;
    if (!file) file = "";
    if (strcmp(k->here_file, file) != 0) {
        snprintf(k->here_file, sizeof k->here_file, "%s", file);
        k->here_kept = NULL;
    }
    k->here_line = line;
    return kernel;
}

/* "main.c:17: ", or "" where it is not known. */
static const char *location_of(const application *a)
{
    char *location = a->k->location;
    location[0] = '\0';
    if (a->file) snprintf(location, sizeof a->k->location, "%s:%d: ", a->file, a->line);
    return location;
}

/* "'u' (argument 1)" and where the parameter is declared, after a message was begun. */
static kata_status refuse(const application *a, int p)
{
    message_note_at(&a->k->messages, a->kernel->text, a->kernel->params[p].at,
                    "parameter '%s' is declared here", a->kernel->params[p].name);
    message_send(&a->k->messages);
    api_note_error(a->k);
    return a->k->messages.status;
}

#define BEGIN(a, format, ...)                                                                      \
    message_begin(&(a)->k->messages, KATA_ERROR_ARGUMENT, "%s" format, location_of(a), __VA_ARGS__)

static const char *kind_name(kata_arg_kind kind)
{
    switch (kind) {
    case KATA_ARG_FIELD: return "a field";
    case KATA_ARG_SCALAR: return "a scalar";
    case KATA_ARG_INTEGER:
    case KATA_ARG_UNSIGNED: return "a number";
    case KATA_ARG_FLOATING: return "a floating-point number";
    case KATA_ARG_TABLE: return "an array";
    default: return "nothing that kata_apply takes";
    }
}

static kata_status wrong_kind(const application *a, int p, const char *expected)
{
    BEGIN(a, "argument %d of kernel '%s' is %s where %s is expected", p + 1, a->kernel->name,
          kind_name(a->args[p].kind), expected);
    return refuse(a, p);
}

/* ---- fields and scalars ---------------------------------------------------------------------- */

static kata_status null_handle(const application *a, int p)
{
    BEGIN(a, "argument %d of kernel '%s' is NULL", p + 1, a->kernel->name);
    return refuse(a, p);
}

static kata_status other_context(const application *a, int p)
{
    BEGIN(a, "argument %d of kernel '%s' is of another context", p + 1, a->kernel->name);
    return refuse(a, p);
}

static kata_status mapped_field(const application *a, int p)
{
    BEGIN(a, "argument %d of kernel '%s' is field '%s', which is mapped", p + 1, a->kernel->name,
          a->args[p].as.field->name);
    message_line(&a->k->messages, "call kata_unmap before kernels use it again");
    return refuse(a, p);
}

static kata_status bind_scalar(application *a, int p)
{
    const kata_scalar *s = a->args[p].as.scalar;
    if (!s) return null_handle(a, p);
    if (s->k != a->k) return other_context(a, p);
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
static kata_status bind_field(application *a, int p)
{
    if (a->args[p].kind == KATA_ARG_SCALAR) return bind_scalar(a, p);
    if (a->args[p].kind != KATA_ARG_FIELD) return wrong_kind(a, p, "a field");
    kata_field *f = a->args[p].as.field;
    if (!f) return null_handle(a, p);
    if (f->k != a->k) return other_context(a, p);
    if (f->mapped) return mapped_field(a, p);
    if (!keep_boundary(f)) return api_no_memory(a->k);
    a->bindings[p].slot = f->slot;
    a->bindings[p].name = f->name;
    a->bindings[p].boundary = f->kept;
    return KATA_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Converts an integer to a parameter's type; false when it does not fit. */
static bool convert_integer(ir_type type, int64_t x, ir_value *out)
{
    if (type == IR_I32 && (x < INT32_MIN || x > INT32_MAX)) return false;
    if (type == IR_U8 && (x < 0 || x > 255)) return false;
    *out = ir_value_of_int(type, x);
    return true;
}

static kata_status bind_number(application *a, int p)
{
    const kata_arg *arg = &a->args[p];
    ir_type type = a->kernel->params[p].type;
    ir_value *number = &a->bindings[p].number;
    const char *name = ir_types[type].name;
    switch (arg->kind) {
    case KATA_ARG_SCALAR: return bind_scalar(a, p);
    case KATA_ARG_INTEGER:
        if (convert_integer(type, arg->as.integer, number)) return KATA_OK;
        BEGIN(a, "argument %d of kernel '%s' is %lld, which does not fit in %s", p + 1,
              a->kernel->name, (long long)arg->as.integer, name);
        return refuse(a, p);
    case KATA_ARG_UNSIGNED:
        if (ir_type_is_floating(type)) {
            *number = ir_value_of_double(type, (double)arg->as.unsigned_integer);
            return KATA_OK;
        }
        BEGIN(a, "argument %d of kernel '%s' is %llu, which does not fit in %s", p + 1,
              a->kernel->name, (unsigned long long)arg->as.unsigned_integer, name);
        return refuse(a, p);
    case KATA_ARG_FLOATING:
        if (!ir_type_is_floating(type)) {
            BEGIN(a,
                  "argument %d of kernel '%s' is the floating-point number %g where %s is "
                  "expected",
                  p + 1, a->kernel->name, arg->as.floating, name);
            return refuse(a, p);
        }
        if (type == IR_F64)
            number->f64 = arg->as.floating;
        else
            *number = ir_value_of_double(type, arg->as.floating);
        return KATA_OK;
    default: return wrong_kind(a, p, "a number");
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

static kata_status check_table(const application *a, int p)
{
    const kata_arg *arg = &a->args[p];
    const ir_param *param = &a->kernel->params[p];
    if (arg->kind != KATA_ARG_TABLE) return wrong_kind(a, p, "an array");
    if (!arg->as.table) return null_handle(a, p);
    if (!api_type_is_valid(arg->type)) return wrong_kind(a, p, "an array of a known type");
    if (arg->count < 0) {
        BEGIN(a, "argument %d of kernel '%s' may be a pointer, whose length is not known", p + 1,
              a->kernel->name);
        message_line(&a->k->messages, "pass kata_table_of(%s, pointer, %d)",
                     param->type == IR_F32   ? "KATA_F32"
                     : param->type == IR_I32 ? "KATA_I32"
                     : param->type == IR_I64 ? "KATA_I64"
                     : param->type == IR_U8  ? "KATA_U8"
                                             : "KATA_F64",
                     param->count);
        return refuse(a, p);
    }
    if (arg->count != param->count) {
        BEGIN(a, "argument %d of kernel '%s' has %lld elements where %d are expected", p + 1,
              a->kernel->name, (long long)arg->count, param->count);
        return refuse(a, p);
    }
    bool floating = ir_type_is_floating(ir_type_of_storage(arg->type));
    if (floating && !ir_type_is_floating(param->type)) {
        BEGIN(a,
              "argument %d of kernel '%s' is an array of floating-point numbers where %s are "
              "expected",
              p + 1, a->kernel->name, ir_types[param->type].name);
        return refuse(a, p);
    }
    return KATA_OK;
}

static bool table_value(const kata_arg *arg, ir_type type, int64_t i, ir_value *out)
{
    const char *element = (const char *)arg->as.table + i * store_type_bytes(arg->type);
    if (ir_type_is_integer(ir_type_of_storage(arg->type)))
        return convert_integer(type, ir_storage_read(arg->type, IR_I64, element).i64, out);
    *out = ir_value_of_double(type, ir_storage_read(arg->type, IR_F64, element).f64);
    return true;
}

static kata_status bind_table(application *a, int p)
{
    const ir_param *param = &a->kernel->params[p];
    if (a->args[p].kind == KATA_ARG_SCALAR) return bind_scalar(a, p);
    kata_status status = check_table(a, p);
    if (status) return status;
    for (int i = 0; i < param->count; i++) {
        if (table_value(&a->args[p], param->type, i, &a->bindings[p].table[i])) continue;
        BEGIN(a, "element %d of argument %d of kernel '%s' does not fit in %s", i, p + 1,
              a->kernel->name, ir_types[param->type].name);
        return refuse(a, p);
    }
    return KATA_OK;
}

/* ---- the application ------------------------------------------------------------------------- */

static kata_status bind(application *a, int p)
{
    const ir_param *param = &a->kernel->params[p];
    if (ir_param_is_field(param)) return bind_field(a, p);
    if (param->kind == IR_PARAM_NUMBER) return bind_number(a, p);
    if (param->kind == IR_PARAM_TABLE) return bind_table(a, p);
    return a->args[p].kind == KATA_ARG_SCALAR ? bind_scalar(a, p) : wrong_kind(a, p, "a scalar");
}

static kata_status check_count(const application *a, int count)
{
    const ir_kernel *kernel = a->kernel;
    if (count == kernel->param_count && (a->args || !count)) return KATA_OK;
    if (count == kernel->param_count)
        return api_fail(a->k, KATA_ERROR_ARGUMENT, "%skata_apply: the arguments are NULL",
                        location_of(a));
    text names = {0};
    for (int p = 0; p < kernel->param_count; p++)
        text_add(&names, "%s%s", p ? ", " : "", kernel->params[p].name);
    BEGIN(a, "kernel '%s' takes %d argument%s (%s), not %d", kernel->name, kernel->param_count,
          kernel->param_count == 1 ? "" : "s", text_get(&names), count);
    message_note_at(&a->k->messages, kernel->text, kernel->at, "it is declared here");
    message_send(&a->k->messages);
    text_free(&names);
    api_note_error(a->k);
    return a->k->messages.status;
}

/* Whether a loop may be queued; remembers it if so. */
static kata_status check(const application *a, chain_loop *loop, const kata_range *range)
{
    messages *m = &a->k->messages;
    kata_status status = range->needed ? legality_find_needed(loop, m) : KATA_OK;
    if (!status) status = legality_check(loop, m);
    if (!status) api_repeat(a->k, loop, range);
    return status;
}

/* What a queued loop changes of what is known of its fields. */
static kata_status note_written(const application *a, const chain_loop *loop)
{
    if (!legality_note_written(loop)) return message_no_memory(&a->k->messages);
    for (int p = 0; p < a->kernel->param_count; p++)
        if (analysis_writes_all(loop, p)) a->bindings[p].slot->discarded = false;
    return KATA_OK;
}

/* The loop that an application makes, in its place at the end of the queue. */
static chain_loop *make_loop(const application *a, const kata_range *range, uint64_t hash)
{
    const kata *k = a->k;
    chain_loop *loop = chain_next(&k->chain);
    loop->kernel = a->kernel;
    loop->shape = range->grid->shape;
    loop->box = api_range_box(range);
    loop->colors = range->colors;
    loop->color = range->color;
    loop->once = range->grid == &k->once;
    loop->bindings = a->bindings;
    loop->file = a->file ? k->here_kept : NULL;
    loop->line = a->line;
    loop->hash = hash;
    return loop;
}

/* `hash`: of a loop known to be right; 0 of one to be checked. */
static kata_status queue(application *a, const kata_range *range, uint64_t hash)
{
    kata *k = a->k;
    chain_loop *loop = make_loop(a, range, hash);
    kata_status status = hash ? KATA_OK : check(a, loop, range);
    if (!status) status = chain_append(&k->chain, loop, &k->messages);
    if (!status && !hash) status = note_written(a, loop);
    if (status) api_note_error(k);
    return status;
}

/* The place that kata_here named is that of one application, whatever becomes of it: the name stays
 * until the next one is named. */
static void take_location(application *a)
{
    kata *k = a->k;
    if (k->here_line < 0 || !k->here_file[0]) return;
    a->file = k->here_file;
    a->line = k->here_line;
    k->here_line = -1;
}

/* Makes the name of the file known to the chain; false when memory is out. */
static bool keep_location(const application *a)
{
    kata *k = a->k;
    chain *c = &k->chain;
    if (!a->file || (k->here_kept && k->here_kept_in == c->emptied)) return true;
    k->here_kept = chain_keep_text(c, a->file);
    k->here_kept_in = c->emptied;
    return k->here_kept;
}

static kata_status bind_all(application *a)
{
    kata_status status = KATA_OK;
    a->bindings = chain_reserve(&a->k->chain, a->kernel);
    if (!a->bindings || !keep_location(a)) return api_no_memory(a->k);
    for (int p = 0; p < a->kernel->param_count && !status; p++) status = bind(a, p);
    return status;
}

/* The version of a kernel for the field given for its first real parameter. */
static const ir_kernel *version_for(const kata_kernel *kernel, int count, const kata_arg *args)
{
    const ir_kernel *wide = kernel->kernel;
    int p = wide->real_param;
    if (!kernel->f32_version || !args || p >= count || args[p].kind != KATA_ARG_FIELD) return wide;
    const kata_field *f = args[p].as.field;
    return f && ir_type_of_storage(f->slot->type) == IR_F32 ? kernel->f32_version : wide;
}

static kata_status check_range(const application *a, const kata_range *range)
{
    char call[sizeof a->k->location + 20];
    snprintf(call, sizeof call, "%skata_apply", location_of(a));
    return api_check_range(a->k, call, range);
}

static kata_status apply(kata_kernel *kernel, const kata_range *range, int count,
                         const kata_arg *args)
{
    if (!kernel) return api_null("kata_apply", "the kernel");
    kata *k = kernel->module->k;
    application a = {.k = k, .kernel = version_for(kernel, count, args), .args = args};
    take_location(&a);
    if (k->messages.status) return k->messages.status;
    kata_status status = check_count(&a, count);
    uint64_t hash = status ? 0 : api_repeated_hash(k, a.kernel, range, args);
    if (!status && !hash) status = check_range(&a, range);
    if (!status) status = bind_all(&a);
    if (!status) status = queue(&a, range, hash);
    if (!status && k->chain.count >= API_CHAIN_LENGTH)
        status = api_end_chain(k, API_END_LONG, NULL);
    if (!status && k->eager) status = api_flush(k, "kata_apply");
    return status;
}

kata_status kata_apply_args(kata_kernel *kernel, const kata_range *range, int count,
                            const kata_arg *args)
{
    api_environment own;
    api_enter(&own);
    kata_status status = apply(kernel, range, count, args);
    api_leave(&own);
    return status;
}
