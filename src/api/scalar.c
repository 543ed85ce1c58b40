/* Scalars: grids of one point for values that live in the chain. */
#include "api/api.h"

#include <math.h>
#include <string.h>

static const grid_shape point = {1, {1, 1, 1}};

static chain_slot *new_slot(kata *k, kata_type type, int count)
{
    return api_slot_new(
        k, &(chain_slot){.shape = point, .type = type, .components = count, .is_scalar = true});
}

kata_range kata_once(kata *k)
{
    if (!k) return (kata_range){0};
    return (kata_range){.grid = &k->once, .hi = {1, 1, 1}, .rank = 1};
}

static bool check_new(kata *k, const char *call, kata_type type, int count)
{
    if (k->messages.status) return false;
    if (!api_type_is_valid(type))
        api_fail(k, KATA_ERROR_ARGUMENT, "%s: there is no type %d", call, (int)type);
    else if (ir_storages[type].coded)
        api_fail(k, KATA_ERROR_ARGUMENT, "%s: a scalar is f64, f32, i64 or i32, it cannot be %s",
                 call, store_type_name(type));
    else if (count < 1 || count > API_MOST_ELEMENTS)
        api_fail(k, KATA_ERROR_ARGUMENT, "%s: count is %d, not 1 to %d", call, count,
                 API_MOST_ELEMENTS);
    return k->messages.status == KATA_OK;
}

static kata_scalar *scalar_new(kata *k, const char *call, const char *name, kata_type type,
                               int count)
{
    if (!k) api_null(call, "the context");
    if (!k || !check_new(k, call, type, count)) return NULL;
    name = api_name(k, call, name);
    if (!name) return NULL;
    kata_scalar *s = arena_alloc(&k->memory, sizeof *s);
    chain_slot *slot = s ? new_slot(k, type, count) : NULL;
    if (!slot) {
        api_no_memory(k);
        return NULL;
    }
    *s = (kata_scalar){k, name, slot, 0, k->scalars};
    return k->scalars = s;
}

kata_scalar *kata_scalar_new(kata *k, const char *name, kata_type type)
{
    return scalar_new(k, "kata_scalar_new", name, type, 1);
}

kata_scalar *kata_scalar_array_new(kata *k, const char *name, kata_type type, int count)
{
    return scalar_new(k, "kata_scalar_array_new", name, type, count);
}

/* Whether a type of whole numbers has the value. Others round it, f32 not to infinity. */
static bool is_value_of(kata_type type, double value)
{
    if (type == KATA_F32) return isinf(value) || !isinf((float)value);
    double end = type == KATA_I32 ? 0x1p31 : 0x1p63;
    bool whole = type == KATA_I32 || type == KATA_I64;
    return !whole || (value == trunc(value) && value >= -end && value < end);
}

static kata_status set(kata_scalar *scalar, double value)
{
    if (!scalar) return api_null("kata_scalar_set", "the scalar");
    kata *k = scalar->k;
    if (k->messages.status) return k->messages.status;
    kata_type type = scalar->slot->type;
    if (!is_value_of(type, value))
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "kata_scalar_set: %g is no value of '%s', which is %s", value, scalar->name,
                        store_type_name(type));
    bool queued = api_slot_is_queued(k, scalar->slot);
    chain_slot *slot = queued ? api_slot_renew(k, scalar->slot) : scalar->slot;
    if (!slot) return k->messages.status;
    scalar->slot = slot;
    scalar->writes++;
    exec_note_put(&k->exec, &value, sizeof value);
    ir_value x = ir_value_of_double(ir_type_of_storage(type), value);
    for (int i = 0; i < slot->components; i++)
        if (!store_scalar_set(slot, i, x)) return api_no_memory(k);
    if (!queued) slot->version++;
    return KATA_OK;
}

kata_status kata_scalar_set(kata_scalar *scalar, double value)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = set(scalar, value);
    rounding_leave(&own);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Beyond what arrays are converted to: integers as floating-point numbers, i32 as i64. */
static bool converts(kata_type own, kata_type type)
{
    bool integer = own == KATA_I32 || own == KATA_I64;
    return store_converts(own, type) || (integer && (type == KATA_F64 || type == KATA_F32)) ||
           (own == KATA_I32 && type == KATA_I64);
}

kata_status api_check_scalar(kata_scalar *scalar, const char *call, kata_type type,
                             const void *values)
{
    kata *k = scalar->k;
    if (k->messages.status) return k->messages.status;
    if (!values) return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the result is NULL", call);
    kata_type own = scalar->slot->type;
    if (api_type_is_valid(type) && converts(own, type)) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT, "%s: scalar '%s' holds %s; it cannot be had as %s",
                    call, scalar->name, store_type_name(own),
                    api_type_is_valid(type) ? store_type_name(type) : "another type");
}

static kata_status check_read(kata_scalar *scalar, const char *call, kata_type type,
                              const void *values, int64_t count)
{
    kata_status status = api_check_scalar(scalar, call, type, values);
    if (status || count == scalar->slot->components) return status;
    message_begin(&scalar->k->messages, KATA_ERROR_ARGUMENT,
                  "%s: scalar '%s' has %d elements; there is room for %lld", call, scalar->name,
                  scalar->slot->components, (long long)count);
    if (count == 1) message_line(&scalar->k->messages, "kata_scalar_get_all gets all of them");
    return message_send(&scalar->k->messages);
}

/* Integers, as values of another type. */
static void read_integers(const chain_slot *slot, kata_type type, void *values)
{
    size_t size = (size_t)store_type_bytes(type);
    ir_type to = ir_type_of_storage(type), from = ir_type_of_storage(slot->type);
    for (int i = 0; i < slot->components; i++) {
        ir_value x = ir_convert(to, from, store_scalar(slot, i));
        memcpy((char *)values + (size_t)i * size, &x, size);
    }
}

static kata_status read_values(kata_scalar *scalar, const char *call, kata_type type, void *values,
                               int64_t count)
{
    kata_status status =
        scalar ? check_read(scalar, call, type, values, count) : api_null(call, "the scalar");
    if (!status && api_slot_is_awaited(scalar->k, scalar->slot))
        status = api_flush(scalar->k, call);
    if (status) {
        api_set_poison(type, values, count);
        return status;
    }
    grid_box here = grid_shape_box(&point);
    if (scalar->slot->poisoned || store_converts(scalar->slot->type, type))
        api_read(scalar->slot, &here, type, values);
    else
        read_integers(scalar->slot, type, values);
    return KATA_OK;
}

static kata_status get_values(kata_scalar *scalar, const char *call, kata_type type, void *values,
                              int64_t count)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = read_values(scalar, call, type, values, count);
    rounding_leave(&own);
    return status;
}

kata_status api_scalar_read(kata_scalar *scalar, const char *call, double *value)
{
    return get_values(scalar, call, KATA_F64, value, 1);
}

kata_status kata_scalar_get_value(kata_scalar *scalar, kata_type type, void *value)
{
    return get_values(scalar, "kata_scalar_get", type, value, 1);
}

kata_status kata_scalar_get_values(kata_scalar *scalar, kata_type type, void *values, int64_t count)
{
    return get_values(scalar, "kata_scalar_get_all", type, values, count);
}
