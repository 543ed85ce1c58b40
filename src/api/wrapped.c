/* kata_field_wrap: checks the memory and strides of the program, then makes a field of them. */
#include "api/api.h"

#include <string.h>

static const char call[] = "kata_field_wrap";

/* The array that options describe, in the dimensions of the program, pitches as given. */
static store_array described(const kata_grid *grid, const chain_slot *slot, const grid_box *box,
                             const kata_wrap_options *o)
{
    return (store_array){.type = o->type,
                         .components = slot->components,
                         .box = grid->mesh ? api_mesh_shown(grid, box) : *box,
                         .block = 1,
                         .pitch_x = o->stride[0],
                         .pitch_y = o->stride[1],
                         .pitch_z = o->stride[2],
                         .pitch_component = o->component_stride,
                         .data = o->memory};
}

/* The indices that the memory has: all, or as many as are this rank's own, from 0 on. */
static kata_status find_box(const kata_grid *grid, const char *name, const chain_slot *slot,
                            const kata_wrap_options *o, grid_box *box, bool *part)
{
    *box = chain_slot_memory(slot);
    *part = false;
    if (!o->local) return KATA_OK;
    for (int d = 0; d < 3; d++)
        if (slot->ghosts[d] || slot->absent_axis[d])
            return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                            "%s: field '%s' is .local, and has %s; a rank has no points of its own "
                            "there",
                            call, name, slot->ghosts[d] ? "ghosts" : "not all dimensions");
    kata_status status = api_find_own(grid, slot->staggered, box, part);
    for (int d = 0; d < 3 && !status; d++) {
        box->hi[d] -= box->lo[d];
        box->lo[d] = 0;
    }
    return status;
}

static kata_status check_memory(kata *k, const char *name, const kata_wrap_options *o)
{
    if (!o->memory)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the memory of field '%s' is NULL", call, name);
    if ((uintptr_t)o->memory % (uintptr_t)store_type_bytes(o->type))
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: the memory of field '%s' is not at a multiple of %d bytes, the size "
                        "of %s",
                        call, name, store_type_bytes(o->type), store_type_name(o->type));
    return KATA_OK;
}

static kata_status check_strides(kata *k, const char *name, const store_array *a)
{
    static const char *const of[] = {"along x", "along y", "along z", "of components"};
    const int64_t stride[] = {a->pitch_x, a->pitch_y, a->pitch_z, a->pitch_component};
    int64_t within;
    uintptr_t low, high;
    if (!store_wrap_span(a, &low, &high))
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the strides of field '%s' lead out of memory",
                        call, name);
    int d = store_wrap_overlap(a, &within);
    if (d < 0) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "%s: the stride of field '%s' %s is %lld, but shorter strides span %lld "
                    "elements: values would share memory or lie among one another",
                    call, name, of[d], (long long)stride[d], (long long)within);
}

static bool overlaps(const store_array *a, const store_array *other)
{
    uintptr_t low, high, start = (uintptr_t)other->memory;
    if (!other->bytes) return store_wrap_shared(a, other);
    return !store_wrap_span(a, &low, &high) || (low < start + other->bytes && start < high);
}

static kata_status check_others(kata *k, const char *name, const store_array *a)
{
    for (const struct api_slot *s = k->slots; s; s = s->next)
        if ((s->slot.array && overlaps(a, s->slot.array)) || (s->shown && overlaps(a, s->shown)))
            return api_fail(k, KATA_ERROR_ARGUMENT,
                            "%s: some of the memory of field '%s' is that of another field", call,
                            name);
    return KATA_OK;
}

/* Completes the array, and gives it the dimensions of loops. */
static kata_status check(const kata_grid *grid, const char *name, int element,
                         const kata_wrap_options *o, store_array *a)
{
    kata *k = grid->k;
    kata_status status = check_memory(k, name, o);
    if (!status)
        status = api_check_rule_value(k, call, name, o->type, o->boundary, o->boundary_value);
    if (!status) status = api_check_element(k, call, name, o->type, element);
    if (!status && !store_wrap_complete(a))
        status = api_fail(k, KATA_ERROR_ARGUMENT,
                          "%s: the strides of field '%s' lead out of memory", call, name);
    if (!status) status = check_strides(k, name, a);
    if (!status && grid->mesh) api_mesh_turn_array(grid, a);
    if (!status) status = check_others(k, name, a);
    return status;
}

/* The layout that kata_field_like gives to a field like this one. */
static kata_layout layout_like(const store_array *a)
{
    bool together = a->components > 1 && a->pitch_x == a->components && a->pitch_component == 1;
    return together ? KATA_STRUCTURES : KATA_ARRAYS;
}

static kata_field *wrap(kata_grid *grid, const char *name, const chain_slot *as_slot,
                        const store_array *as, bool part, const kata_wrap_options *o)
{
    kata *k = grid->k;
    grid_boundary boundary = grid_boundary_none;
    for (int side = 0; side < 6; side++)
        boundary.side[side] = (grid_side_rule){o->boundary, o->boundary_value};
    if (grid->mesh) api_mesh_turn_rules(grid, &boundary);
    chain_slot *slot = api_slot_new(k, as_slot);
    kata_field *f = api_field_new(grid, name, slot, &boundary);
    if (!f) return NULL;
    slot->layout = layout_like(as);
    if (part) return api_show_in(k, slot, as) ? NULL : f;
    slot->array = store_array_wrap(as);
    if (!slot->array) api_no_memory(k);
    return slot->array ? f : NULL;
}

kata_field *kata_field_wrap_with(kata_grid *grid, const char *name, int element,
                                 const kata_wrap_options *given)
{
    static const api_options kind =
        API_OPTIONS("kata_field_wrap", kata_wrap_options,
                    "kata_field_wrap(grid, \"u\", KATA_F64, array, .stride = {1, 130})", units);
    kata_wrap_options copy;
    const kata_wrap_options *options = &copy;
    if (!grid) {
        api_null(call, "the grid");
        return NULL;
    }
    kata *k = grid->k;
    if (!given) api_fail(k, KATA_ERROR_ARGUMENT, "%s: the options are NULL", call);
    if (k->messages.status || api_options_read(k, &kind, given, &copy)) return NULL;
    if (api_check_field(k, call, options->type, options->components, options->boundary) ||
        api_mesh_as_given(grid, call))
        return NULL;
    kata_field_options where = {.on = options->on,
                                .each = options->each,
                                .staggered = options->staggered,
                                .along = options->along,
                                .ghosts = options->ghosts,
                                .ghosts_x = options->ghosts_x,
                                .ghosts_y = options->ghosts_y,
                                .ghosts_z = options->ghosts_z};
    chain_slot slot = {.type = options->type,
                       .components = options->components ? options->components : 1};
    name = api_name(k, call, name);
    if (!name || api_field_points(grid, call, &where, &slot) ||
        api_check_mirror(grid, call, &slot, -1, options->boundary))
        return NULL;
    grid_box box;
    bool part;
    if (find_box(grid, name, &slot, options, &box, &part)) return NULL;
    store_array as = described(grid, &slot, &box, options);
    if (check(grid, name, element, options, &as)) return NULL;
    kata_field *f = wrap(grid, name, &slot, &as, part, options);
    return f && api_set_units(f, call, options->units) ? NULL : f;
}
