/* Solid cells, and what they take from the fluid. The kernel that turns populations round at
 * obstacles runs in a box around them: all cells from which a link leads to a solid one. */
#include "lattice.h"

#include <stdlib.h>

/* ---- the box around obstacles ------------------------------------------------------------------
 */

typedef struct box {
    int64_t lo[3], hi[3];
} box;

static void include(box *b, const int64_t at[3])
{
    for (int d = 0; d < 3; d++) {
        if (at[d] < b->lo[d]) b->lo[d] = at[d];
        if (at[d] >= b->hi[d]) b->hi[d] = at[d] + 1;
    }
}

/* Counts, and finds the box of solid cells. */
static box find(const uint8_t *solid, const int64_t size[3], lattice_solid *found)
{
    box b = {{size[0], size[1], size[2]}, {0, 0, 0}};
    int64_t at[3];
    *found = (lattice_solid){0};
    for (at[2] = 0; at[2] < size[2]; at[2]++)
        for (at[1] = 0; at[1] < size[1]; at[1]++) {
            int64_t before = found->cells;
            for (at[0] = 0; at[0] < size[0]; at[0]++)
                if (solid[(at[2] * size[1] + at[1]) * size[0] + at[0]]) {
                    include(&b, at);
                    found->cells++;
                }
            found->front += found->cells > before;
        }
    return b;
}

/* A cell more on either side; the whole dimension where that reaches beyond the grid, whose sides
 * are periodic. */
static void widen(box *b, const int64_t size[3])
{
    for (int d = 0; d < 3; d++) {
        bool inside = b->lo[d] > 0 && b->hi[d] < size[d];
        b->lo[d] = inside ? b->lo[d] - 1 : 0;
        b->hi[d] = inside ? b->hi[d] + 1 : size[d];
    }
}

bool lattice_set_obstacles(lattice *l, lattice_solid *found)
{
    const int64_t *n = l->setup.size;
    int64_t points = n[0] * n[1] * n[2];
    uint8_t *solid = malloc((size_t)points);
    bool done = solid && kata_get(l->solid, kata_all(l->grid), solid, points) == KATA_OK;
    if (done) {
        box b = find(solid, n, found);
        widen(&b, n);
        l->obstacles = found->cells > 0;
        l->around = kata_box_3d(l->grid, b.lo[0], b.hi[0], b.lo[1], b.hi[1], b.lo[2], b.hi[2]);
    }
    free(solid);
    return done;
}

void lattice_put_ball(lattice *l, const double middle[3], double radius)
{
    kata_apply(l->ball, kata_all(l->grid), l->solid, middle[0], middle[1], middle[2], radius);
}

/* ---- drag and flow -----------------------------------------------------------------------------
 */

void lattice_get_drag(const lattice *l, double drag[3]) { kata_scalar_get_all(l->drag, drag, 3); }

void lattice_get_total(const lattice *l, double total[3])
{
    kata_apply(l->flow_rate, kata_all(l->grid), l->velocity, l->total);
    kata_scalar_get_all(l->total, total, 3);
}
