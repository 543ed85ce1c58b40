/* Partitions by halving: each box of several owners is cut once, across its longest side, between
 * the first half of its owners and the others, where their shares of the points meet. A side along
 * x counts half. */
#include "grid/partition.h"

typedef struct halver {
    grid_partition *p;
    const int64_t *unit;
} halver;

static bool may_cut(const halver *h, const grid_box *box, int d)
{
    return box->hi[d] - box->lo[d] > h->unit[d];
}

/* Along x half of it: values next to a cut of x do not lie together in memory. */
static double length(const grid_box *box, int d)
{
    return (double)(box->hi[d] - box->lo[d]) / (d ? 1 : 2);
}

/* -1: there is nothing to cut. */
static int longest(const halver *h, const grid_box *box)
{
    int along = -1;
    for (int d = 2; d >= 0; d--)
        if (may_cut(h, box, d) && (along < 0 || length(box, d) > length(box, along))) along = d;
    return along;
}

/* The multiple of the unit that is nearest to where the first owners have their share, with a unit
 * on both sides. Boxes begin at multiples. */
static int64_t middle(const halver *h, const grid_box *box, int d, int first, int owners)
{
    const int64_t unit = h->unit[d], size = box->hi[d] - box->lo[d], units = (size - 1) / unit + 1;
    double share = (double)size * first / owners / (double)unit;
    int64_t at = (int64_t)(share + 0.5);
    return box->lo[d] + unit * larger(1, smaller(at, units - 1));
}

static bool halve(const halver *h, const grid_box *box, int owner, int owners)
{
    const int along = longest(h, box), first = owners / 2;
    grid_box low = *box, high = *box;
    if (owners == 1 || along < 0) return grid_partition_add(h->p, box, owner);
    low.hi[along] = high.lo[along] = middle(h, box, along, first, owners);
    return halve(h, &low, owner, first) && halve(h, &high, owner + first, owners - first);
}

bool grid_partition_halves(grid_partition *p, const grid_shape *shape, int owners,
                           const int64_t unit[3])
{
    const grid_box all = grid_shape_box(shape);
    const halver h = {p, unit};
    bool good = grid_partition_begin(p, shape, owners) && halve(&h, &all, 0, owners) &&
                grid_partition_end(p);
    if (!good) grid_partition_free(p);
    return good;
}
