/* Partitions: lists of boxes with owners, in the order of owners. `first` finds an owner's boxes,
 * `hulls` the boxes at a point. */
#include "grid/partition.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* NOLINTBEGIN(clang-analyzer-unix.Malloc): it loses sight of the zeros that are set at the end. */
void grid_partition_free(grid_partition *p)
{
    if (!p) return;
    free(p->boxes);
    free(p->owner);
    free(p->first);
    free(p->hulls);
    for (int d = 0; d < 3; d++) free(p->cuts[d]);
    *p = (grid_partition){0};
}

bool grid_partition_begin(grid_partition *p, const grid_shape *shape, int owners)
{
    grid_partition_free(p);
    p->shape = *shape;
    p->owners = owners;
    p->first = calloc((size_t)owners + 1, sizeof *p->first);
    return p->first != NULL;
}

static bool grow(grid_partition *p)
{
    int capacity = p->capacity < 8 ? 8 : p->capacity + p->capacity / 2;
    grid_box *boxes = realloc(p->boxes, (size_t)capacity * sizeof *boxes);
    if (boxes) p->boxes = boxes;
    int *owner = realloc(p->owner, (size_t)capacity * sizeof *owner);
    if (owner) p->owner = owner;
    if (boxes && owner) p->capacity = capacity;
    return boxes && owner;
}

bool grid_partition_add(grid_partition *p, const grid_box *box, int owner)
{
    if (grid_box_is_empty(box)) return true;
    if (p->count == p->capacity && !grow(p)) return false;
    p->boxes[p->count] = *box;
    p->owner[p->count++] = owner;
    p->first[owner + 1]++;
    return true;
}

bool grid_partition_end(grid_partition *p)
{
    for (int o = 0; o < p->owners; o++) p->first[o + 1] += p->first[o];
    p->hulls = grid_search_hulls(p->boxes, p->count);
    return p->hulls || p->count == 0;
}
/* NOLINTEND(clang-analyzer-unix.Malloc) */

/* The index of each box in the order of owners: counted, then put in place. */
static bool add_in_order(grid_partition *p, const grid_box *boxes, const int *owner, int count)
{
    int *next = calloc((size_t)p->owners + 1, sizeof *next);
    int *order = malloc(((size_t)count + 1) * sizeof *order);
    bool good = next && order;
    for (int i = 0; good && i < count; i++) next[owner[i] + 1]++;
    for (int o = 0; good && o < p->owners; o++) next[o + 1] += next[o];
    for (int i = 0; good && i < count; i++) order[next[owner[i]]++] = i;
    for (int i = 0; good && i < count; i++)
        good = grid_partition_add(p, &boxes[order[i]], owner[order[i]]);
    free(next);
    free(order);
    return good;
}

bool grid_partition_given(grid_partition *p, const grid_shape *shape, int owners,
                          const grid_box *boxes, const int *owner, int count)
{
    bool good = grid_partition_begin(p, shape, owners) && add_in_order(p, boxes, owner, count) &&
                grid_partition_end(p);
    if (!good) grid_partition_free(p);
    return good;
}

static bool take_first(void *data, int box)
{
    *(int *)data = box;
    return false;
}

int grid_partition_find(const grid_partition *p, const int64_t index[3])
{
    int found = -1;
    grid_box point = {.lo = {index[0], index[1], index[2]},
                      .hi = {index[0] + 1, index[1] + 1, index[2] + 1}};
    grid_search(p->hulls, p->count, &point, take_first, &found);
    return found;
}

int64_t grid_partition_points(const grid_partition *p, int owner)
{
    int64_t points = 0;
    for (int i = p->first[owner]; i < p->first[owner + 1]; i++)
        points += grid_box_points(&p->boxes[i]);
    return points;
}
