/* Fields on the cells, edges and vertices of icosahedral grids. */
#include "api/api.h"

static kata_status check_names(const kata_grid *grid, const char *call, const kata_field_options *o)
{
    bool known = (unsigned)o->on <= KATA_VERTICES && (unsigned)o->each <= KATA_VERTICES;
    if (!known)
        return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                        "%s: .on and .each are KATA_CELLS, KATA_EDGES or KATA_VERTICES", call);
    if (o->each && !o->on)
        return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                        "%s: .each is %s, and .on does not say of what these are neighbours", call,
                        ir_location_constant(o->each));
    if (o->on && !grid->icosahedral && !grid->mesh)
        return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                        "%s: .on is %s, and the grid has points only; kata_grid_icosahedral makes "
                        "one that has %s",
                        call, ir_location_constant(o->on), ir_location_name(o->on, true));
    return KATA_OK;
}

/* Along x and y a grid has no points that are not cells, edges or vertices, and a parallelogram has
 * no faces between two. */
static kata_status check_axes(const kata_grid *grid, const char *call, const kata_field_options *o,
                              const chain_slot *slot)
{
    bool x = !slot->absent_axis[0], y = !slot->absent_axis[1];
    const char *kind = grid->mesh ? "a mesh" : "an icosahedral grid";
    if (slot->staggered[0] || slot->staggered[1])
        return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                        "%s: a field of %s is staggered along z only; values "
                        "between two cells lie on edges: .on = KATA_EDGES",
                        call, kind);
    if (!o->on && (x || y))
        return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                        "%s: a field of %s lies on cells, edges or vertices: .on "
                        "= KATA_CELLS; without, it is a profile: .along = KATA_Z",
                        call, kind);
    if (o->on && (!x || !y))
        return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                        "%s: %s extend along x and y: .along is KATA_X | KATA_Y, or not given",
                        call, ir_location_name(o->on, true));
    return KATA_OK;
}

/* Whether a mesh has such elements, and neighbours of them. */
static kata_status check_known(const kata_grid *grid, const char *call, const kata_field_options *o)
{
    const grid_mesh *mesh = &grid->mesh->tables;
    if (o->on && !mesh->count[o->on - KATA_CELLS])
        return api_fail(grid->k, KATA_ERROR_ARGUMENT, "%s: the mesh has no %s", call,
                        ir_location_name(o->on, true));
    if (!o->each || mesh->relation[o->on - KATA_CELLS][o->each - KATA_CELLS].of) return KATA_OK;
    return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                    "%s: the mesh does not know the %s of %s: give kata_grid_mesh the table .%s",
                    call, ir_location_name(o->each, true), ir_location_name(o->on, true),
                    ir_relation_name(o->on, o->each));
}

static int values_of(const kata_grid *grid, const kata_field_options *o)
{
    if (!grid->mesh) return ir_values_on(o->on, o->each);
    return o->each ? grid->mesh->as.width[o->on - KATA_CELLS][o->each - KATA_CELLS] : 1;
}

kata_status api_field_location(const kata_grid *grid, const char *call,
                               const kata_field_options *options, chain_slot *slot)
{
    kata_status status = check_names(grid, call, options);
    if (status || (!grid->icosahedral && !grid->mesh)) return status;
    status = check_axes(grid, call, options, slot);
    if (!status && grid->mesh) status = check_known(grid, call, options);
    if (status) return status;
    int values = values_of(grid, options);
    if (slot->components > IR_MAX_LENGTH / values)
        return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                        "%s: %d components of %d values are more than the %d allowed", call,
                        slot->components, values, IR_MAX_LENGTH);
    slot->on = options->on;
    slot->each = options->each;
    slot->components *= values;
    if (grid->mesh) api_mesh_turn(grid, slot);
    return KATA_OK;
}

kata_status api_check_mirror(const kata_grid *grid, const char *call, const chain_slot *slot,
                             int side, kata_rule rule)
{
    if (!grid_rule_mirrors(rule) || !slot->on || side >= KATA_Z_LOW || grid->mesh) return KATA_OK;
    return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                    "%s: %s of a field on %s is for the sides of z alone: along x and y a "
                    "parallelogram is not its mirror image",
                    call, grid_rule_name(rule), ir_location_name(slot->on, true));
}
