/* Whether a partition is one. Boxes that do not meet, all inside of the grid, cover it if they have
 * as many points. The tree that the partition searches by is not trusted: it is made again. */
#include "grid/partition.h"

#include <inttypes.h>
#include <stdlib.h>

static void add_box(text *why, const grid_partition *p, int box)
{
    text_add(why, "box %d of owner %d, ", box, p->owner[box]);
    grid_box_print(why, &p->boxes[box], p->shape.rank);
}

static bool owners_agree(const grid_partition *p, text *why)
{
    bool agree = p->first[0] == 0 && p->first[p->owners] == p->count;
    for (int o = 0; agree && o < p->owners; o++) {
        agree = p->first[o] <= p->first[o + 1] && p->first[o + 1] <= p->count;
        for (int i = p->first[o]; agree && i < p->first[o + 1]; i++) agree = p->owner[i] == o;
    }
    if (!agree) text_add(why, "the boxes are not in the order of their owners");
    return agree;
}

/* The sum of points, as far as it does not overflow: boxes lie in the grid. */
static bool boxes_lie_inside(const grid_partition *p, text *why)
{
    const grid_box all = grid_shape_box(&p->shape);
    for (int i = 0; i < p->count; i++) {
        bool empty = grid_box_is_empty(&p->boxes[i]);
        if (!empty && grid_box_contains(&all, &p->boxes[i])) continue;
        add_box(why, p, i);
        text_add(why, empty ? ", is empty" : ", leaves the grid of ");
        if (!empty) grid_shape_print(why, &p->shape);
        return false;
    }
    return true;
}

typedef struct meeting {
    int box, other;
} meeting;

static bool is_same(void *data, int box)
{
    meeting *m = data;
    if (box != m->box) m->other = box;
    return box == m->box;
}

static bool are_disjoint(const grid_partition *p, const grid_box *hulls, text *why)
{
    for (int i = 0; i < p->count; i++) {
        meeting m = {i, -1};
        if (grid_search(hulls, p->count, &p->boxes[i], is_same, &m)) continue;
        add_box(why, p, i);
        text_add(why, ", meets ");
        add_box(why, p, m.other);
        return false;
    }
    return true;
}

/* Of disjoint boxes in the grid. */
static bool cover(const grid_partition *p, text *why)
{
    int64_t held = 0, points = p->shape.size[0] * p->shape.size[1] * p->shape.size[2];
    for (int i = 0; i < p->count; i++) held += grid_box_points(&p->boxes[i]);
    if (held != points)
        text_add(why, "the boxes have %" PRId64 " points, the grid has %" PRId64, held, points);
    return held == points;
}

bool grid_partition_check(const grid_partition *p, text *why)
{
    if (!owners_agree(p, why) || !boxes_lie_inside(p, why)) return false;
    grid_box *hulls = grid_search_hulls(p->boxes, p->count);
    if (!hulls && p->count) why->failed = true;
    bool good = (hulls || p->count == 0) && are_disjoint(p, hulls, why) && cover(p, why);
    free(hulls);
    return good;
}
