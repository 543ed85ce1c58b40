/* kata_inject and kata_record: check what they are given, and queue a loop over the targets of the
 * points. What is injected is copied into the chain's memory. */
#include "api/sparse.h"
#include "legality/legality.h"

#include <stdio.h>

enum { LONGEST_CALL = 300 };

typedef struct sparse_call {
    kata *k;
    char name[LONGEST_CALL]; /* "main.c:17: kata_inject" */
    kata_points *points;
    kata_target_options options;
    kata_arg values; /* a scalar of kata_record, too */
    bool records;
} sparse_call;

/* ---- fields ---------------------------------------------------------------------------------- */

static kata_status check_floating(const sparse_call *c, const kata_field *field)
{
    if (ir_type_is_floating(ir_type_of_storage(field->slot->type))) return KATA_OK;
    return api_fail(c->k, KATA_ERROR_ARGUMENT,
                    "%s: field '%s' holds %s; weights are for floating types", c->name, field->name,
                    store_type_name(field->slot->type));
}

/* Whether all targets are indices of a field, as its rules are now. */
static kata_status check_inside(const sparse_call *c, const kata_field *field)
{
    const chain_slot *slot = field->slot;
    const grid_box *box = &c->points->sparse.box;
    grid_box inside = chain_slot_inside(slot, &field->boundary);
    for (int d = 0; d < slot->shape.rank; d++) {
        if (slot->absent_axis[d] || (box->lo[d] >= inside.lo[d] && box->hi[d] <= inside.hi[d]))
            continue;
        return api_fail(c->k, KATA_ERROR_ARGUMENT,
                        "%s: points of '%s' have weights at %lld to %lld along %c, and field '%s' "
                        "has %lld to %lld",
                        c->name, c->points->name, (long long)box->lo[d], (long long)box->hi[d] - 1,
                        "xyz"[d], field -> name, (long long)inside.lo[d],
                        (long long)inside.hi[d] - 1);
    }
    return KATA_OK;
}

static kata_status check_any(const sparse_call *c, const kata_field *field)
{
    const grid_shape grid = chain_slot_grid(field->slot);
    if (field->k != c->k)
        return api_fail(c->k, KATA_ERROR_ARGUMENT, "%s: field '%s' is of another context", c->name,
                        field->name);
    if (!grid_shape_equal(&grid, &c->points->grid->shape))
        return api_fail(c->k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' is of a grid of another size than points '%s'", c->name,
                        field->name, c->points->name);
    kata_status status = api_check_unmapped(field, c->name);
    if (!status) status = check_floating(c, field);
    return status ? status : check_inside(c, field);
}

static kata_status check_staggered(const sparse_call *c, const kata_field *field)
{
    const chain_slot *slot = field->slot;
    for (int d = 0; d < slot->shape.rank; d++) {
        if (slot->absent_axis[d])
            return api_fail(c->k, KATA_ERROR_ARGUMENT,
                            "%s: field '%s' does not extend along %c; it can be .scale alone",
                            c->name, field->name, "xyz"[d]);
        if (slot->staggered[d] != c->points->staggered[d])
            return api_fail(c->k, KATA_ERROR_ARGUMENT,
                            "%s: field '%s' is %sstaggered along %c, and points '%s' are %smade "
                            "for such fields; give kata_points_new .staggered as the field has it",
                            c->name, field->name, slot->staggered[d] ? "" : "not ", "xyz"[d],
                            c -> points -> name, slot -> staggered[d] ? "not " : "");
    }
    return KATA_OK;
}

static kata_status check_field(const sparse_call *c)
{
    const kata_field *field = c->options.field;
    if (!field) return api_fail(c->k, KATA_ERROR_ARGUMENT, "%s: the field is NULL", c->name);
    const int components = field->slot->components, component = c->options.component;
    kata_status status = check_any(c, field);
    if (!status) status = check_staggered(c, field);
    if (status || (component >= 0 && component < components)) return status;
    return api_fail(c->k, KATA_ERROR_ARGUMENT, "%s: component is %d, and field '%s' has %d",
                    c->name, component, field->name, components);
}

static kata_status check_scale(const sparse_call *c)
{
    const kata_field *scale = c->options.scale;
    if (!scale) return KATA_OK;
    kata_status status = check_any(c, scale);
    if (!status && scale->slot->components > 1)
        status = api_fail(c->k, KATA_ERROR_ARGUMENT,
                          "%s: the scale is field '%s' of %d components, not of one", c->name,
                          scale->name, scale->slot->components);
    if (!status && scale->slot == c->options.field->slot)
        status = api_fail(c->k, KATA_ERROR_ARGUMENT,
                          "%s: field '%s' is its own scale; copy it to another field", c->name,
                          scale->name);
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_number(const kata_arg *arg)
{
    return arg->kind == KATA_ARG_INTEGER || arg->kind == KATA_ARG_UNSIGNED ||
           arg->kind == KATA_ARG_FLOATING;
}

static kata_status refuse_count(const sparse_call *c, const char *what, const char *name,
                                int64_t count)
{
    return api_fail(c->k, KATA_ERROR_ARGUMENT,
                    "%s: points '%s' are %lld, and the %s%s has %lld element%s", c->name,
                    c->points->name, (long long)c->points->sparse.count, what, name,
                    (long long)count, count == 1 ? "" : "s");
}

static kata_status check_scalar(const sparse_call *c)
{
    const kata_scalar *s = api_arg_scalar(&c->values);
    if (!s) return api_fail(c->k, KATA_ERROR_ARGUMENT, "%s: the scalar is NULL", c->name);
    if (s->k != c->k)
        return api_fail(c->k, KATA_ERROR_ARGUMENT, "%s: scalar '%s' is of another context", c->name,
                        s->name);
    if (!ir_type_is_floating(ir_type_of_storage(s->slot->type)))
        return api_fail(c->k, KATA_ERROR_ARGUMENT, "%s: scalar '%s' is %s, not f64 or f32", c->name,
                        s->name, store_type_name(s->slot->type));
    if (s->slot->components == c->points->sparse.count) return KATA_OK;
    return refuse_count(c, "scalar ", s->name, s->slot->components);
}

static kata_status check_table(const sparse_call *c)
{
    const kata_arg *arg = &c->values;
    if (arg->kind != KATA_ARG_TABLE || !api_type_is_valid(arg->type))
        return api_fail(c->k, KATA_ERROR_ARGUMENT,
                        "%s: the values are an array of one number for each point, a number for "
                        "all of them, or a scalar",
                        c->name);
    if (!arg->as.table)
        return api_fail(c->k, KATA_ERROR_ARGUMENT, "%s: the values are NULL", c->name);
    if (arg->count < 0)
        return api_fail(c->k, KATA_ERROR_ARGUMENT,
                        "%s: the values may be a pointer, whose length is not known; pass "
                        "kata_table_of(%s, pointer, %lld)",
                        c->name, ir_storages[arg->type].constant,
                        (long long)c->points->sparse.count);
    return arg->count == c->points->sparse.count ? KATA_OK
                                                 : refuse_count(c, "array", "", arg->count);
}

static kata_status check_values(const sparse_call *c)
{
    if (api_arg_is_scalar(&c->values)) return check_scalar(c);
    if (c->records)
        return api_fail(c->k, KATA_ERROR_ARGUMENT, "%s: the values go to a scalar", c->name);
    return is_number(&c->values) ? KATA_OK : check_table(c);
}

static double value_of(const kata_arg *arg, int64_t i)
{
    switch (arg->kind) {
    case KATA_ARG_INTEGER: return (double)arg->as.integer;
    case KATA_ARG_UNSIGNED: return (double)arg->as.unsigned_integer;
    case KATA_ARG_FLOATING: return arg->as.floating;
    default: break;
    }
    const char *at = (const char *)arg->as.table + i * store_type_bytes(arg->type);
    const ir_type type = ir_type_of_storage(arg->type);
    ir_value x = ir_storage_read(arg->type, ir_type_is_floating(type) ? IR_F64 : IR_I64, at);
    return ir_type_is_floating(type) ? x.f64 : (double)x.i64;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* What the loop needs in the chain's memory; NULL when memory is out. */
static const chain_sparse *keep(const sparse_call *c)
{
    kata *k = c->k;
    arena *memory = &k->chain.memory;
    const grid_sparse *points = &c->points->sparse;
    const bool given = !c->records && !api_arg_is_scalar(&c->values);
    const int64_t count = given ? points->count : c->records ? points->slots[points->count] : 0;
    chain_sparse *s = arena_alloc(memory, sizeof *s);
    double *numbers = arena_array(memory, (size_t)count + 1, sizeof *numbers);
    if (!s || !numbers) return NULL;
    *s = (chain_sparse){.points = points,
                        .component = c->options.component,
                        .scaled = c->options.scale,
                        .values = given ? numbers : NULL,
                        .products = c->records ? numbers : NULL};
    for (int64_t i = 0; i < count; i++)
        numbers[i] = given ? value_of(&c->values, i) : (ir_value){.bits = CHAIN_NO_PRODUCT}.f64;
    if (given) exec_note_put(&k->exec, numbers, (size_t)count * sizeof *numbers);
    k->sparse_bytes += count * (int64_t)sizeof *numbers;
    return s;
}

static kata_status queue_loop(const api_application *a, const sparse_call *c)
{
    kata *k = a->k;
    chain_loop loop = {.kernel = a->kernel,
                       .shape = c->points->grid->shape,
                       .box = c->points->sparse.box,
                       .sparse = keep(c),
                       .bindings = a->bindings,
                       .file = a->file ? k->here_copy : NULL,
                       .line = a->line};
    kata_status status =
        loop.sparse ? legality_check_sparse(&loop, &k->messages) : api_no_memory(k);
    if (!status) status = chain_append(&k->chain, &loop, &k->messages);
    if (!status) status = api_note_written(k, &loop);
    if (status) api_note_error(k);
    return status;
}

static kata_status queue(const sparse_call *c)
{
    kata *k = c->k;
    const kata_field *field = c->options.field, *scale = c->options.scale;
    const bool given = !c->records && !api_arg_is_scalar(&c->values);
    const chain_slot *scalar = given ? NULL : api_arg_scalar(&c->values)->slot;
    const kata_kernel *kernel =
        api_built_in_sparse(k, &(api_sparse_kernel){field->slot, scale ? scale->slot : NULL, scalar,
                                                    c->options.component, c->records});
    if (!kernel) return k->messages.status;
    kata_arg args[3] = {kata_arg_field(c->options.field, 0), kata_arg_const_field(scale, 0)};
    args[scale ? 2 : 1] = given ? kata_arg_floating(0, 0) : c->values;
    if (c->records) args[0] = kata_arg_const_field(field, 0);
    api_application a = {.k = k, .kernel = kernel->kernel, .args = args};
    if (c->options.file) kata_here(kernel, c->options.file, c->options.line);
    api_location_take(&a);
    kata_status status = api_bind(&a);
    if (!status) status = queue_loop(&a, c);
    return status ? status : api_queued(k);
}

static kata_status call(const char *name, bool records, kata_points *points, const kata_arg *values,
                        const kata_target_options *given)
{
    const api_options kind = API_OPTIONS(
        "", kata_target_options, "kata_inject(points, values, field, .scale = m)", component);
    api_options own = kind;
    sparse_call c = {.points = points, .records = records};
    if (!points) return api_null(name, "the set of points");
    kata *k = c.k = points->k;
    own.call = name;
    if (k->messages.status) return k->messages.status;
    if (!given || !values)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the %s are NULL", name,
                        given ? "values" : "options");
    c.values = *values;
    kata_status status = api_options_read(k, &own, given, &c.options);
    if (status) return status;
    const char *file = c.options.file;
    if (file && *file)
        snprintf(c.name, sizeof c.name, "%.255s:%d: %s", file, c.options.line, name);
    else
        snprintf(c.name, sizeof c.name, "%s", name);
    status = check_field(&c);
    if (!status) status = check_scale(&c);
    if (!status) status = check_values(&c);
    return status ? status : queue(&c);
}

kata_status kata_inject_with(kata_points *points, const kata_arg *values,
                             const kata_target_options *options)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = call("kata_inject", false, points, values, options);
    rounding_leave(&own);
    return status;
}

kata_status kata_record_with(kata_points *points, kata_scalar *values,
                             const kata_target_options *options)
{
    rounding_environment own;
    rounding_enter(&own);
    const kata_arg arg = kata_arg_scalar(values, 0);
    kata_status status = call("kata_record", true, points, &arg, options);
    rounding_leave(&own);
    return status;
}
