/* Ranges and fields of meshes: their dimensions in programs and in arrays.
 *
 * A program counts elements along x and levels along z; x, y and z of the program are dimensions
 * axis[0..2] of loops and arrays. */
#include "api/api.h"

#include <string.h>

static grid_box turned(const kata_grid *grid, const grid_box *box)
{
    grid_box out;
    for (int d = 0; d < 3; d++) {
        out.lo[grid->mesh->as.axis[d]] = box->lo[d];
        out.hi[grid->mesh->as.axis[d]] = box->hi[d];
    }
    return out;
}

grid_box api_mesh_shown(const kata_grid *grid, const grid_box *box)
{
    grid_box out;
    for (int d = 0; d < 3; d++) {
        out.lo[d] = box->lo[grid->mesh->as.axis[d]];
        out.hi[d] = box->hi[grid->mesh->as.axis[d]];
    }
    return out;
}

static int64_t count_on(const kata_grid *grid, kata_location on)
{
    return on ? grid->mesh->tables.count[on - KATA_CELLS] : grid->shape.size[0];
}

grid_box api_mesh_box(const kata_grid *grid, const kata_range *range, kata_location on)
{
    grid_box box = api_range_box(range);
    bool all = box.lo[0] == 0 && box.hi[0] == grid->shape.size[0];
    if (all) box.hi[0] = count_on(grid, on);
    return turned(grid, &box);
}

grid_box api_field_box(const kata_field *field, const kata_range *range)
{
    const kata_grid *grid = range->grid;
    return grid && grid->mesh ? api_mesh_box(grid, range, field->slot->on) : api_range_box(range);
}

grid_shape api_mesh_shape(const kata_grid *grid, kata_location on)
{
    grid_shape shape = {.rank = 3};
    const int64_t size[3] = {count_on(grid, on), 1, grid->shape.size[2]};
    for (int d = 0; d < 3; d++) shape.size[grid->mesh->as.axis[d]] = size[d];
    return shape;
}

void api_mesh_turn(const kata_grid *grid, chain_slot *slot)
{
    const chain_slot given = *slot;
    for (int d = 0; d < 3; d++) {
        int at = grid->mesh->as.axis[d];
        slot->shape.size[at] = given.shape.size[d];
        slot->absent_axis[at] = given.absent_axis[d];
        slot->staggered[at] = given.staggered[d];
        slot->ghosts[at] = given.ghosts[d];
    }
    if (slot->on) slot->shape.size[grid->mesh->as.axis[0]] = count_on(grid, slot->on);
    slot->mesh = &grid->mesh->tables;
    /* rows of one value each take a line of the cache: one row for all components takes one */
    bool one = !api_mesh_is_plain(grid) && slot->absent_axis[grid->mesh->as.axis[2]];
    if (one && slot->components > 1) slot->layout = KATA_STRUCTURES;
}

void api_mesh_turn_rules(const kata_grid *grid, grid_boundary *boundary)
{
    const grid_boundary given = *boundary;
    *boundary = grid_boundary_none;
    for (int high = 0; high < 2; high++)
        boundary->side[2 * grid->mesh->as.axis[2] + high] = given.side[KATA_Z_LOW + high];
}

void api_mesh_turn_array(const kata_grid *grid, store_array *a)
{
    const int64_t given[3] = {a->pitch_x, a->pitch_y, a->pitch_z};
    int64_t *const pitch[3] = {&a->pitch_x, &a->pitch_y, &a->pitch_z};
    for (int d = 0; d < 3; d++) *pitch[grid->mesh->as.axis[d]] = given[d];
    a->box = turned(grid, &a->box);
    if (a->box.hi[0] - a->box.lo[0] == 1) a->pitch_x = 1; /* rows of one point are contiguous */
}

bool api_mesh_is_plain(const kata_grid *grid) { return grid->mesh->as.axis[0] == 0; }

void api_mesh_reorder(const kata_grid *grid, const grid_box *box, int components, size_t bytes,
                      const void *from, void *to, bool to_program)
{
    const int *axis = grid->mesh->as.axis;
    const size_t elements = (size_t)(box->hi[axis[0]] - box->lo[axis[0]]);
    const size_t levels = (size_t)(box->hi[axis[2]] - box->lo[axis[2]]);
    const char *in = from;
    char *out = to;
    for (size_t c = 0; c < (size_t)components; c++)
        for (size_t e = 0; e < elements; e++)
            for (size_t l = 0; l < levels; l++) {
                size_t rows = ((c * elements + e) * levels + l) * bytes;
                size_t program = ((c * levels + l) * elements + e) * bytes;
                memcpy(out + (to_program ? program : rows), in + (to_program ? rows : program),
                       bytes);
            }
}
