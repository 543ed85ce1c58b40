/* Scalars: grids of one point for values that live in the chain. */
#include "api/api.h"

static const grid_shape point = {1, {1, 1, 1}};

kata_range kata_once(kata *k)
{
    if (!k) return (kata_range){0};
    return (kata_range){.grid = &k->once, .hi = {1, 1, 1}, .rank = 1};
}

kata_scalar *kata_scalar_new(kata *k, const char *name, kata_type type)
{
    if (!k) {
        api_null("kata_scalar_new", "the context");
        return NULL;
    }
    if (k->messages.status) return NULL;
    if (!api_type_is_valid(type)) {
        api_fail(k, KATA_ERROR_ARGUMENT, "kata_scalar_new: there is no type %d", (int)type);
        return NULL;
    }
    name = api_name(k, "kata_scalar_new", name);
    if (!name) return NULL;
    kata_scalar *s = arena_alloc(&k->memory, sizeof *s);
    chain_slot *slot = s ? api_slot_new(k, &point, type, 1, true) : NULL;
    if (!slot) {
        api_no_memory(k);
        return NULL;
    }
    *s = (kata_scalar){k, name, slot};
    return s;
}

kata_status kata_scalar_set(kata_scalar *scalar, double value)
{
    if (!scalar) return api_null("kata_scalar_set", "the scalar");
    kata_status status = api_flush(scalar->k);
    if (status) return status;
    ir_value x = ir_value_of_double(ir_type_of_storage(scalar->slot->type), value);
    if (!exec_scalar_set(scalar->slot, 0, x)) return api_no_memory(scalar->k);
    scalar->slot->version++;
    return KATA_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static kata_status check_read(kata_scalar *scalar, const char *call, kata_type type,
                              const void *values)
{
    kata *k = scalar->k;
    if (k->messages.status) return k->messages.status;
    if (!values) return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the result is NULL", call);
    kata_type own = scalar->slot->type;
    if (api_type_is_valid(type) && api_types_convert(own, type)) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT, "%s: scalar '%s' holds %s; it cannot be had as %s",
                    call, scalar->name, store_type_name(own),
                    api_type_is_valid(type) ? store_type_name(type) : "another type");
}

kata_status kata_scalar_get_value(kata_scalar *scalar, kata_type type, void *value)
{
    kata_status status = scalar ? check_read(scalar, "kata_scalar_get", type, value)
                                : api_null("kata_scalar_get", "the scalar");
    if (!status) status = api_flush(scalar->k);
    if (status) {
        api_set_poison(type, value, 1);
        return status;
    }
    grid_box here = grid_shape_box(&point);
    store_read(scalar->slot->array, &here, 1, type, value);
    return KATA_OK;
}
