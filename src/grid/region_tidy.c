/* Few boxes in the place of many that are disjoint. A set is cut at all ends of boxes along z; of
 * each slab the boxes in it are cut along y, and so on. A slab that is equal to the one below it,
 * and touches it, becomes one with it. Where that does not make fewer boxes, all stay. */
#include "grid/grid.h"

#include <stdlib.h>

typedef struct tidying {
    grid_region *to;
    grid_box frame; /* the ends that are known of the next box */
} tidying;

static bool cut_along(tidying *t, const grid_box *boxes, size_t count, int d);

static int compare(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void find_ends(const grid_box *boxes, size_t count, int d, int64_t *ends)
{
    for (size_t i = 0; i < count; i++) {
        ends[2 * i] = boxes[i].lo[d];
        ends[2 * i + 1] = boxes[i].hi[d];
    }
    qsort(ends, 2 * count, sizeof *ends, compare);
}

/* Whether two boxes are the same along the dimensions below d. */
static bool are_alike(const grid_box *a, const grid_box *b, int d)
{
    bool same = true;
    for (int k = 0; k < d; k++) same = same && a->lo[k] == b->lo[k] && a->hi[k] == b->hi[k];
    return same;
}

/* Makes the boxes from `second` on one with those before, from `first` on, if they are alike. */
static bool join(grid_region *to, size_t first, size_t second, int d)
{
    const size_t count = second - first;
    bool same = count && to->count - second == count;
    for (size_t i = first; i < second && same; i++) {
        const grid_box *a = &to->boxes[i], *b = &to->boxes[i + count];
        same = a->hi[d] == b->lo[d] && are_alike(a, b, d);
    }
    for (size_t i = first; i < second && same; i++) to->boxes[i].hi[d] = to->boxes[i + count].hi[d];
    if (same) to->count = second;
    return same;
}

/* Adds the boxes of one slab; `inside` has room for all. */
static bool add_slab(tidying *t, const grid_box *boxes, size_t count, int d, grid_box *inside)
{
    size_t met = 0;
    for (size_t i = 0; i < count; i++)
        if (boxes[i].lo[d] <= t->frame.lo[d] && boxes[i].hi[d] >= t->frame.hi[d])
            inside[met++] = boxes[i];
    return !met || cut_along(t, inside, met, d - 1);
}

static bool add_slabs(tidying *t, const grid_box *boxes, size_t count, int d, const int64_t *ends,
                      grid_box *inside)
{
    size_t before = t->to->count; /* the first box of the slab below */
    bool done = true;
    for (size_t i = 0; i + 1 < 2 * count && done; i++) {
        const size_t here = t->to->count;
        if (ends[i] == ends[i + 1]) continue;
        t->frame.lo[d] = ends[i];
        t->frame.hi[d] = ends[i + 1];
        done = add_slab(t, boxes, count, d, inside);
        if (done && !join(t->to, before, here, d)) before = here;
    }
    return done;
}

static bool add_frame(tidying *t)
{
    void *all = t->to->boxes;
    bool done = vector_reserve(&all, &t->to->capacity, t->to->count + 1, sizeof t->frame);
    t->to->boxes = all;
    if (done) t->to->boxes[t->to->count++] = t->frame;
    return done;
}

static bool cut_along(tidying *t, const grid_box *boxes, size_t count, int d)
{
    if (d < 0) return add_frame(t);
    int64_t *ends = malloc(2 * count * sizeof *ends);
    grid_box *inside = malloc(count * sizeof *inside);
    bool done = ends && inside;
    if (done) find_ends(boxes, count, d, ends);
    done = done && add_slabs(t, boxes, count, d, ends, inside);
    free(ends);
    free(inside);
    return done;
}

bool grid_region_tidy(grid_region *region)
{
    grid_region tidy = {0};
    tidying t = {.to = &tidy};
    if (region->count < 2) return true;
    bool done = cut_along(&t, region->boxes, region->count, 2);
    if (tidy.count < region->count && done) {
        grid_region swap = *region;
        *region = tidy;
        tidy = swap;
    }
    grid_region_free(&tidy);
    return done;
}
