/* Points between those of a grid. Their weights are sorted by target, so that a loop over a box
 * finds the targets inside it: rows by bisection, and in each row its first target. */
#include "grid/grid.h"

#include <math.h>
#include <stdlib.h>

/* ---- along a dimension ----------------------------------------------------------------------- */

/* The modified Bessel function of the first kind and order 0, by its series. */
static double bessel(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; term > sum * 1e-17; k++) {
        term *= x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

/* A sinc in a window of so many indices on both sides. */
static double windowed_sinc(double x, int reach)
{
    static const double pi = 3.14159265358979323846;
    /* the widths of the window that err least below half of the largest wavenumber: table 1 */
    static const double width[GRID_MOST_REACH + 1] = {0,    1.24, 2.94,  4.53, 6.31,
                                                      7.91, 9.42, 10.95, 12.53};
    double inside = 1 - x / reach * (x / reach);
    return sin(pi * x) / (pi * x) * bessel(width[reach] * sqrt(inside)) / bessel(width[reach]);
}

grid_between grid_between_find(double at, int reach)
{
    const double below = floor(at), rest = at - below;
    grid_between b = {.first = (int64_t)below, .count = 1, .weight = {1}};
    if (rest == 0) return b;
    b.count = reach ? 2 * reach : 2;
    if (!reach) {
        b.weight[0] = 1 - rest;
        b.weight[1] = rest;
    }
    b.first -= reach ? reach - 1 : 0;
    for (int i = 0; i < 2 * reach; i++) b.weight[i] = windowed_sinc(rest + (reach - 1 - i), reach);
    return b;
}

/* ---- all weights ----------------------------------------------------------------------------- */

/* A weight before it is sorted. */
typedef struct placed {
    int64_t z, y, x;
    grid_sparse_weight of;
} placed;

static int64_t weights_of(const grid_sparse *s, int64_t point)
{
    int64_t weights = 1;
    for (int d = 0; d < 3; d++) weights *= grid_between_find(s->at[point][d], s->reach).count;
    return weights;
}

static int by_target(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return p->of.slot < q->of.slot ? -1 : 1;
}

static void place_point(const grid_sparse *s, int64_t point, placed *out)
{
    grid_between along[3];
    uint32_t slot = (uint32_t)s->slots[point];
    for (int d = 0; d < 3; d++) along[d] = grid_between_find(s->at[point][d], s->reach);
    for (int k = 0; k < along[2].count; k++)
        for (int j = 0; j < along[1].count; j++)
            for (int i = 0; i < along[0].count; i++) {
                double weight = along[0].weight[i] * along[1].weight[j] * along[2].weight[k];
                *out++ = (placed){along[2].first + k,
                                  along[1].first + j,
                                  along[0].first + i,
                                  {weight, (uint32_t)point, slot++}};
            }
}

/* Whether a weight is the first of its row; and of its target. */
static bool begins_row(const placed *all, int64_t i)
{
    return !i || all[i].z != all[i - 1].z || all[i].y != all[i - 1].y;
}

static bool begins_target(const placed *all, int64_t i)
{
    return begins_row(all, i) || all[i].x != all[i - 1].x;
}

static bool make_lists(grid_sparse *s, const placed *all, int64_t count, arena *memory)
{
    size_t rows = 0, targets = 0;
    for (int64_t i = 0; i < count; i++) {
        rows += begins_row(all, i);
        targets += begins_target(all, i);
    }
    s->rows = arena_array(memory, rows + 1, sizeof *s->rows);
    s->targets = arena_array(memory, targets + 1, sizeof *s->targets);
    s->weights = arena_array(memory, (size_t)count + 1, sizeof *s->weights);
    return s->rows && s->targets && s->weights;
}

static void fill_lists(grid_sparse *s, const placed *all, int64_t count)
{
    grid_sparse_row *row = s->rows;
    grid_sparse_target *target = s->targets;
    for (int64_t i = 0; i < count; i++) {
        const placed *p = &all[i];
        const grid_box here = {{p->x, p->y, p->z}, {p->x + 1, p->y + 1, p->z + 1}};
        if (begins_row(all, i)) *row++ = (grid_sparse_row){p->y, p->z, target - s->targets};
        if (begins_target(all, i)) *target++ = (grid_sparse_target){p->x, i};
        s->weights[i] = p->of;
        s->box = i ? grid_box_hull(&s->box, &here) : here;
    }
    s->row_count = row - s->rows;
    row->first = target - s->targets;
    target->first = count;
}

static bool find_planes(grid_sparse *s, arena *memory)
{
    const int64_t first = s->box.lo[2], count = s->box.hi[2] - first;
    int64_t row = 0;
    s->planes = arena_array(memory, (size_t)count + 1, sizeof *s->planes);
    for (int64_t z = 0; s->planes && z <= count; z++) {
        while (row < s->row_count && s->rows[row].z < first + z) row++;
        s->planes[z] = row;
    }
    return s->planes;
}

bool grid_sparse_make(grid_sparse *s, arena *memory)
{
    s->slots = arena_array(memory, (size_t)s->count + 1, sizeof *s->slots);
    for (int64_t p = 0; s->slots && p < s->count; p++)
        s->slots[p + 1] = s->slots[p] + weights_of(s, p);
    const int64_t count = s->slots ? s->slots[s->count] : INT64_MAX;
    placed *all = count <= UINT32_MAX ? malloc(((size_t)count + 1) * sizeof *all) : NULL;
    for (int64_t p = 0; p < s->count && all; p++) place_point(s, p, all + s->slots[p]);
    if (all) qsort(all, (size_t)count, sizeof *all, by_target);
    const bool done = all && make_lists(s, all, count, memory);
    if (done) fill_lists(s, all, count);
    free(all);
    return done && find_planes(s, memory);
}

int64_t grid_sparse_row_from(const grid_sparse *s, int64_t z, int64_t y)
{
    if (z < s->box.lo[2]) return 0;
    if (z >= s->box.hi[2]) return s->row_count;
    int64_t lo = s->planes[z - s->box.lo[2]], hi = s->planes[z - s->box.lo[2] + 1];
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (s->rows[middle].y < y)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}
