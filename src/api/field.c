/* Makes fields. boundary_rules.c sets their rules. */
#include "api/api.h"

#include <string.h>

static bool poison(kata *k, chain_slot *slot)
{
    store_array *array = store_slot_array(slot);
    if (!array) return !api_no_memory(k);
    store_fill_unset(array->type, array->memory, array->bytes);
    return true;
}

kata_field *api_field_new(kata_grid *grid, const char *name, chain_slot *slot,
                          const grid_boundary *boundary)
{
    kata_field *f = slot ? arena_alloc(&grid->k->memory, sizeof *f) : NULL;
    store_pool_meet_rules(grid->k->pool, boundary);
    if (f)
        *f = (kata_field){.k = grid->k,
                          .grid = grid,
                          .name = name,
                          .slot = slot,
                          .boundary = *boundary,
                          .rules = grid_boundary_rules(boundary),
                          .next = grid->k->fields};
    else
        api_no_memory(grid->k);
    if (f) grid->k->fields = f;
    return f;
}

static kata_field *field_new(kata_grid *grid, const char *call, const char *name,
                             const chain_slot *like, const grid_boundary *boundary)
{
    kata *k = grid->k;
    name = api_name(k, call, name);
    if (!name) return NULL;
    chain_slot *slot = api_slot_new(k, like);
    kata_field *f = api_field_new(grid, name, slot, boundary);
    return f && k->exec.poison && !poison(k, slot) ? NULL : f;
}

static kata_status check_options(kata *k, const kata_field_options *options)
{
    kata_status status =
        api_check_field(k, "kata_field_new", options->type, options->components, options->boundary);
    if (!status && (unsigned)options->layout > KATA_BLOCKS)
        status = api_fail(k, KATA_ERROR_ARGUMENT, "kata_field_new: there is no layout %d",
                          (int)options->layout);
    return status;
}

kata_field *kata_field_new_with(kata_grid *grid, const char *name, const kata_field_options *given)
{
    static const api_options kind =
        API_OPTIONS("kata_field_new", kata_field_options,
                    "kata_field_new(grid, \"u\", KATA_F64, .boundary = KATA_CLAMP)", units);
    kata_field_options copy;
    const kata_field_options *options = &copy;
    if (!grid) {
        api_null("kata_field_new", "the grid");
        return NULL;
    }
    if (!given) {
        api_fail(grid->k, KATA_ERROR_ARGUMENT, "kata_field_new: the options are NULL");
        return NULL;
    }
    kata *k = grid->k;
    if (api_options_read(k, &kind, given, &copy) || check_options(k, options)) return NULL;
    grid_boundary boundary = grid_boundary_none;
    for (int side = 0; side < 6; side++)
        boundary.side[side] = (grid_side_rule){options->boundary, options->boundary_value};
    chain_slot slot = {.type = options->type,
                       .components = options->components ? options->components : 1,
                       .layout = options->layout};
    if (api_field_points(grid, "kata_field_new", options, &slot) ||
        api_check_mirror(grid, "kata_field_new", &slot, -1, options->boundary) ||
        api_check_rule_value(k, "kata_field_new", name ? name : "", slot.type, options->boundary,
                             options->boundary_value))
        return NULL;
    if (grid->mesh) api_mesh_turn_rules(grid, &boundary);
    kata_field *f = field_new(grid, "kata_field_new", name, &slot, &boundary);
    return f && api_set_units(f, "kata_field_new", options->units) ? NULL : f;
}

kata_field *kata_field_like(kata_field *field, const char *name)
{
    if (!field) {
        api_null("kata_field_like", "the field");
        return NULL;
    }
    if (field->k->messages.status) return NULL;
    grid_boundary boundary;
    if (!grid_boundary_copy(&boundary, &field->boundary, &field->k->memory)) {
        api_no_memory(field->k);
        return NULL;
    }
    const chain_slot *other = field->slot;
    chain_slot slot = {.shape = other->shape,
                       .temporary = other->temporary,
                       .tracked = other->temporary,
                       .type = other->type,
                       .components = other->components,
                       .on = other->on,
                       .each = other->each,
                       .mesh = other->mesh,
                       .layout = other->layout};
    for (int d = 0; d < 3; d++) {
        slot.ghosts[d] = other->ghosts[d];
        slot.staggered[d] = other->staggered[d];
        slot.absent_axis[d] = other->absent_axis[d];
    }
    kata_field *f = field_new(field->grid, "kata_field_like", name, &slot, &boundary);
    if (f) f->units = field->units;
    return f;
}
