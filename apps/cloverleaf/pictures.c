/* Pictures of the gas in a plane, with several pixels per cell where there are few. */
#include "cloverleaf.h"
#include "common/common.h"

#include <stdio.h>

static void save(const clover_mesh *m, kata_field *field, kata_range plane, const char *path)
{
    const int64_t *n = m->deck->cells;
    if (enlarged_plane_save(m->k, field, &plane, (const int64_t[]){n[0], n[1]}, (const int[]){1, 2},
                            NULL, path) == KATA_OK)
        printf("wrote %s\n", path);
}

void clover_draw_density(const clover_mesh *m, int64_t level, const char *path)
{
    const int64_t *n = m->deck->cells;
    save(m, m->density[0],
         m->dimensions == 3 ? kata_box_3d(m->grid, 0, n[0], 0, n[1], level, level + 1)
                            : kata_all(m->grid),
         path);
}

/* A component of the velocity at the nodes of a level, on a grid of two dimensions. */
static kata_field *flat_velocity(const clover_mesh *m, kata_grid *flat, int d, int64_t level)
{
    const int64_t *n = m->deck->cells;
    kata_field *field = kata_field_new(flat, "velocity", KATA_F64, .staggered = KATA_X | KATA_Y);
    kata_range from = m->dimensions == 3
                          ? kata_box_3d(m->grid, 0, n[0] + 1, 0, n[1] + 1, level, level + 1)
                          : kata_on(m->velocity[0][d]);
    kata_copy(field, kata_on(field), m->velocity[0][d], from);
    return field;
}

void clover_draw_vorticity(const clover_mesh *m, int64_t level, const char *path)
{
    const clover_deck *deck = m->deck;
    kata_grid *flat = kata_grid_2d(m->k, deck->cells[0], deck->cells[1]);
    kata_field *x = flat_velocity(m, flat, CLOVER_X, level);
    kata_field *y = flat_velocity(m, flat, CLOVER_Y, level);
    kata_field *vorticity = kata_field_new(flat, "vorticity", KATA_F64);
    double width[2];
    for (int d = 0; d < 2; d++) width[d] = (deck->high[d] - deck->low[d]) / (double)deck->cells[d];
    kata_apply(kata_kernel_find(m->common, "find_vorticity"), kata_all(flat), x, y, vorticity,
               width);
    save(m, vorticity, kata_all(flat), path);
}
