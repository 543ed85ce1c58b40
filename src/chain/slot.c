/* The indices at which a field has values: its points and ghosts, as its rules leave them. */
#include "chain/chain.h"

#include <string.h>

grid_shape chain_slot_grid(const chain_slot *slot)
{
    grid_shape grid = slot->shape;
    for (int d = 0; d < 3; d++)
        grid.size[d] =
            slot->absent_axis[d] ? slot->absent_axis[d] : grid.size[d] - slot->staggered[d];
    return grid;
}

grid_axis chain_slot_axis(const chain_slot *slot, int d)
{
    int64_t size = slot->shape.size[d];
    return (grid_axis){size, size - slot->staggered[d], slot->ghosts[d]};
}

grid_box chain_slot_memory(const chain_slot *slot)
{
    grid_box box = grid_shape_box(&slot->shape);
    for (int d = 0; d < 3; d++) {
        box.lo[d] -= slot->ghosts[d];
        box.hi[d] += slot->ghosts[d];
    }
    return box;
}

/* Rules do not apply along an absent axis: no read leaves its only index. */
static grid_box box_by(const chain_slot *slot, const grid_boundary *boundary,
                       void (*find)(const grid_boundary *, int, const grid_axis *, int64_t *,
                                    int64_t *))
{
    grid_box box = grid_shape_box(&slot->shape);
    for (int d = 0; d < slot->shape.rank; d++) {
        grid_axis axis = chain_slot_axis(slot, d);
        if (!slot->absent_axis[d]) find(boundary, d, &axis, &box.lo[d], &box.hi[d]);
    }
    return box;
}

grid_box chain_slot_points(const chain_slot *slot, const grid_boundary *boundary)
{
    return box_by(slot, boundary, grid_boundary_points);
}

grid_box chain_slot_inside(const chain_slot *slot, const grid_boundary *boundary)
{
    return box_by(slot, boundary, grid_boundary_inside);
}

grid_box chain_binding_inside(const chain_binding *binding)
{
    return chain_slot_inside(binding->slot, binding->boundary);
}

bool chain_slot_note(chain_slot *slot, const grid_box *written)
{
    grid_box all = chain_slot_memory(slot), missing;
    if (!slot->tracked) return true;
    if (!grid_region_add(&slot->set, written)) return false;
    if (slot->temporary || !grid_region_holds(&slot->set, &all, &missing)) return true;
    slot->tracked = false;
    grid_region_clear(&slot->set);
    return true;
}
