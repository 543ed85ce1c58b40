/* What a field's options say of where it has values. */
#include "api/api.h"

static const char *const dimensions[] = {"KATA_X", "KATA_Y", "KATA_Z"};

/* Reports a set of dimensions that the grid does not have. */
static kata_status check_set(const kata_grid *grid, const char *call, const char *option, int set)
{
    int rank = grid->shape.rank;
    if (set < 0 || set >= 8)
        return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                        "%s: %s is %d, not made of KATA_X, KATA_Y and KATA_Z", call, option, set);
    for (int d = rank; d < 3; d++)
        if (set >> d & 1)
            return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                            "%s: %s has %s, and the grid has %d dimension%s", call, option,
                            dimensions[d], rank, rank > 1 ? "s" : "");
    return KATA_OK;
}

kata_status api_field_points(const kata_grid *grid, const char *call,
                             const kata_field_options *options, chain_slot *slot)
{
    kata *k = grid->k;
    int along = options->along ? options->along : 7;
    kata_status status = check_set(grid, call, "staggered", options->staggered);
    if (!status) status = check_set(grid, call, "along", options->along);
    if (status) return status;
    if (options->ghosts < 0 || options->ghosts > API_MOST_GHOSTS)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: ghosts is %d, not 0 to %d", call,
                        options->ghosts, API_MOST_GHOSTS);
    slot->shape = grid->shape;
    slot->ghosts = options->ghosts;
    slot->temporary = slot->tracked = options->temporary;
    for (int d = 0; d < grid->shape.rank; d++) {
        slot->staggered[d] = options->staggered >> d & 1;
        slot->absent_axis[d] = along >> d & 1 ? 0 : grid->shape.size[d];
        if (slot->staggered[d] && slot->absent_axis[d])
            return api_fail(k, KATA_ERROR_ARGUMENT, "%s: staggered has %s, and along has not", call,
                            dimensions[d]);
        slot->shape.size[d] = slot->absent_axis[d] ? 1 : grid->shape.size[d] + slot->staggered[d];
    }
    return KATA_OK;
}
