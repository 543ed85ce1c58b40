/* Partitions along the Morton curve. A box of powers of two around the grid is halved again and
 * again, along its longest side each time (z first where they are equal), until there are enough
 * small boxes. The halves in order are the curve. A small box goes to the owner in whose share of
 * the points its middle lies. Halves that go to one owner are put together again on the way back.
 */
#include "grid/partition.h"

#include <stdlib.h>

enum { BOXES_PER_PART = 16, MOST_BOXES = 1 << 20, NOBODY = -1, SEVERAL = -2 };

typedef struct dealer {
    grid_box all;
    int64_t small[3]; /* sides of a small box */
    int parts;
    double total;
    int64_t before; /* points of the curve so far */
    grid_box *boxes;
    int *owner;
    size_t count, boxes_room, owner_room;
    bool no_memory;
} dealer;

static int64_t power_above(int64_t size)
{
    int64_t power = 1;
    while (power < size) power *= 2;
    return power;
}

static int longest(const int64_t side[3])
{
    int along = 2;
    for (int d = 1; d >= 0; d--)
        if (side[d] > side[along]) along = d;
    return along;
}

static void choose_small(dealer *d)
{
    double wanted = (double)smaller((int64_t)d->parts * BOXES_PER_PART, MOST_BOXES);
    double points = (double)grid_box_points(&d->all);
    for (int i = 0; i < 3; i++) d->small[i] = power_above(d->all.hi[i]);
    for (;;) {
        int along = longest(d->small);
        double now = (double)d->small[0] * (double)d->small[1] * (double)d->small[2];
        if (d->small[along] == 1 || now * wanted <= points) return;
        d->small[along] /= 2;
    }
}

static void emit(dealer *d, const grid_box *box, int owner)
{
    void *boxes = d->boxes, *owners = d->owner;
    if (owner < 0 || d->no_memory) return;
    bool good = vector_reserve(&boxes, &d->boxes_room, d->count + 1, sizeof *d->boxes);
    d->boxes = boxes;
    good = good && vector_reserve(&owners, &d->owner_room, d->count + 1, sizeof *d->owner);
    d->owner = owners;
    d->no_memory = !good;
    if (!good) return;
    d->boxes[d->count] = grid_box_intersect(box, &d->all);
    d->owner[d->count++] = owner;
}

/* The owner of a small box. */
static int take(dealer *d, const grid_box *inside)
{
    int64_t points = grid_box_points(inside);
    double middle = (double)d->before + (double)points / 2;
    d->before += points;
    return (int)smaller((int64_t)(middle / d->total * d->parts), d->parts - 1);
}

/* Deals a box out. Returns its owner, who has not been given it yet; NOBODY: it lies outside;
 * SEVERAL: they have been given it. */
static int deal(dealer *d, const grid_box *box)
{
    grid_box inside = grid_box_intersect(box, &d->all), low = *box, high = *box;
    int64_t side[3];
    if (grid_box_is_empty(&inside) || d->no_memory) return NOBODY;
    for (int i = 0; i < 3; i++) side[i] = box->hi[i] - box->lo[i];
    int along = longest(side);
    if (side[0] <= d->small[0] && side[1] <= d->small[1] && side[2] <= d->small[2])
        return take(d, &inside);
    low.hi[along] = high.lo[along] = box->lo[along] + side[along] / 2;
    int first = deal(d, &low), second = deal(d, &high);
    if (first == second || second == NOBODY) return first;
    emit(d, &low, first);
    emit(d, &high, second);
    return SEVERAL;
}

bool grid_partition_morton(grid_partition *p, const grid_shape *shape, int owners, int parts)
{
    dealer d = {.all = grid_shape_box(shape), .parts = parts};
    grid_box whole = d.all;
    for (int i = 0; i < 3; i++) whole.hi[i] = power_above(shape->size[i]);
    d.total = (double)grid_box_points(&d.all);
    choose_small(&d);
    emit(&d, &whole, deal(&d, &whole));
    bool good =
        !d.no_memory && grid_partition_given(p, shape, owners, d.boxes, d.owner, (int)d.count);
    if (!good) grid_partition_free(p);
    free(d.boxes);
    free(d.owner);
    return good;
}
