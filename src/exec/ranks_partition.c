/* Ranks that own the parts of a partition of a grid. Its points are the cells by which all grids
 * are cut. */
#include "exec/ranks.h"

#include <limits.h>
#include <stdlib.h>

/* Units of a dimension, at whose multiples it may be cut: bricks along x, over which sums go; all
 * of it, where it is not to be cut. */
static void find_units(const grid_shape *shape, const bool ordered[3], int64_t unit[3])
{
    const bool all = (shape->rank < 3 || ordered[2]) && ordered[1];
    for (int d = 0; d < 3; d++) unit[d] = ordered[d] && (!all || !d) ? shape->size[d] : 1;
    if (unit[0] == 1) unit[0] = GRID_BRICK;
}

/* A partition of the units: rectangles, or along the Morton curve. */
static bool make_of_units(const struct exec_ranks *r, const grid_shape *shape,
                          const int64_t unit[3], grid_partition *p)
{
    const int ranks = comm_ranks(r->comm);
    grid_levels levels = r->wish.levels;
    grid_shape units = *shape;
    for (int d = 0; d < 3; d++) units.size[d] = (shape->size[d] - 1) / unit[d] + 1;
    if (!levels.count) levels = (grid_levels){.count = 1, .parts = {ranks}, .smallest = 1};
    bool done = r->wish.kind == RANKS_MORTON ? grid_partition_morton(p, &units, ranks, ranks)
                                             : grid_partition_rectangles(p, &units, ranks, &levels);
    for (int i = 0; i < p->count && done; i++)
        for (int d = 0; d < 3; d++) {
            p->boxes[i].lo[d] *= unit[d];
            p->boxes[i].hi[d] = smaller(p->boxes[i].hi[d] * unit[d], shape->size[d]);
        }
    return done;
}

static bool make(const struct exec_ranks *r, const grid_shape *shape, const int64_t unit[3],
                 grid_partition *p)
{
    const int ranks = comm_ranks(r->comm);
    int parts[3];
    if (r->wish.kind == RANKS_HALVES) return grid_partition_halves(p, shape, ranks, unit);
    if (r->wish.kind != RANKS_TENSOR) return make_of_units(r, shape, unit, p);
    grid_partition_choose(shape, ranks, unit, parts);
    return grid_partition_cut(p, shape, ranks, parts, unit);
}

/* Puts the boxes of a rank together to few: small ones follow one another along the curve. */
static bool add_boxes(const grid_partition *p, int rank, grid_region *all, grid_region *own)
{
    bool done = true;
    grid_region_clear(own);
    for (int i = p->first[rank]; i < p->first[rank + 1] && done; i++)
        done = grid_region_add_apart(own, &p->boxes[i]);
    done = done && grid_region_tidy(own);
    for (size_t i = 0; i < own->count && done; i++)
        done = grid_region_add_apart(all, &own->boxes[i]);
    return done;
}

/* Lays the ranks out by a partition; false when memory is out. */
static bool lay_out(struct exec_ranks *r, const grid_partition *p, const int cells[3])
{
    const int ranks = comm_ranks(r->comm);
    grid_region all = {0}, own = {0};
    int *first = arena_array(&r->layout, (size_t)ranks + 1, sizeof *first);
    bool done = first;
    for (int i = 0; i < ranks && done; i++) {
        first[i] = (int)all.count;
        done = add_boxes(p, i, &all, &own);
        first[i + 1] = (int)all.count;
    }
    done = done && plan_ranks_lay_out(&r->box, &r->layout, cells, all.boxes, first, ranks,
                                      comm_rank(r->comm));
    grid_region_free(&all);
    grid_region_free(&own);
    return done;
}

bool ranks_lay_out_partition(struct exec_ranks *r, const grid_shape *shape, const bool ordered[3])
{
    const int ranks = comm_ranks(r->comm);
    grid_partition p = {0};
    int64_t unit[3];
    int cells[3];
    if (r->wish.kind == RANKS_BOX || ranks > GRID_MOST_OWNERS) return false;
    for (int d = 0; d < 3; d++) cells[d] = (int)smaller(shape->size[d], INT_MAX);
    find_units(shape, ordered, unit);
    if (!make(r, shape, unit, &p)) comm_give_up(r->comm, "out of memory");
    bool done = true;
    for (int d = 0; d < 3; d++) done = done && cells[d] == shape->size[d];
    for (int i = 0; i < ranks; i++) done = done && p.first[i] < p.first[i + 1];
    if (done && !lay_out(r, &p, cells)) comm_give_up(r->comm, "out of memory");
    if (done) r->kind = r->wish.kind;
    if (done) r->box.raster.bricks = shape->size[0];
    grid_partition_free(&p);
    return done;
}
