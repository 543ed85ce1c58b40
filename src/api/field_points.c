/* Where a field has values, from its options. */
#include "api/api.h"

static kata_status check_ghosts(const kata_grid *grid, const char *call, const char *option,
                                int ghosts)
{
    if (ghosts >= 0 && ghosts <= API_MOST_GHOSTS) return KATA_OK;
    return api_fail(grid->k, KATA_ERROR_ARGUMENT, "%s: %s is %d, not 0 to %d", call, option, ghosts,
                    API_MOST_GHOSTS);
}

/* Sets how many ghosts lie beyond the sides of each dimension; a mesh has sides of z alone. */
static kata_status find_ghosts(const kata_grid *grid, const char *call,
                               const kata_field_options *options, chain_slot *slot)
{
    const int own[3] = {options->ghosts_x, options->ghosts_y, options->ghosts_z};
    kata_status status = check_ghosts(grid, call, "ghosts", options->ghosts);
    for (int d = 0; d < 3 && !status; d++) {
        char name[] = {'g', 'h', 'o', 's', 't', 's', '_', "xyz"[d], '\0'};
        bool there = d < grid->shape.rank && !slot->absent_axis[d] && !(grid->mesh && d < 2);
        if (there) slot->ghosts[d] = own[d] ? own[d] : options->ghosts;
        status = check_ghosts(grid, call, name, own[d]);
        if (!status && own[d] && !there)
            status = api_fail(grid->k, KATA_ERROR_ARGUMENT,
                              grid->mesh ? "%s: %s is %d, and a mesh has no sides along %c"
                                         : "%s: %s is %d, and the field does not extend along %c",
                              call, name, own[d], "xyz"[d]);
    }
    return status;
}

/* Sets the dimensions that the field extends along, and its number of points there. */
static kata_status find_axes(const kata_grid *grid, const char *call,
                             const kata_field_options *options, chain_slot *slot)
{
    int along = options->along ? options->along : 7;
    for (int d = 0; d < grid->shape.rank; d++) {
        slot->staggered[d] = options->staggered >> d & 1;
        slot->absent_axis[d] = along >> d & 1 ? 0 : grid->shape.size[d];
        if (slot->staggered[d] && slot->absent_axis[d])
            return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                            "%s: staggered has KATA_%c, and along has not", call, "XYZ"[d]);
        slot->shape.size[d] = slot->absent_axis[d] ? 1 : grid->shape.size[d] + slot->staggered[d];
    }
    return KATA_OK;
}

kata_status api_field_points(const kata_grid *grid, const char *call,
                             const kata_field_options *options, chain_slot *slot)
{
    kata_status status = api_check_dimensions(grid, call, "staggered", options->staggered);
    if (!status) status = api_check_dimensions(grid, call, "along", options->along);
    slot->shape = grid->shape;
    slot->temporary = slot->tracked = options->temporary;
    if (!status) status = find_axes(grid, call, options, slot);
    if (!status) status = find_ghosts(grid, call, options, slot);
    if (!status) status = api_field_location(grid, call, options, slot);
    return status;
}
