/* How even a partition is, and how large its surface. */
#include "grid/partition.h"

static int64_t group_points(const grid_partition *p, int first, int group)
{
    int64_t points = 0;
    for (int o = first; o < p->owners && o - first < group; o++)
        points += grid_partition_points(p, o);
    return points;
}

grid_balance grid_partition_balance(const grid_partition *p, int group)
{
    grid_balance b = {.smallest = INT64_MAX};
    double total = 0;
    for (int64_t o = 0; o < p->owners; o += group) {
        int64_t points = group_points(p, (int)o, group);
        if (points == 0) continue;
        b.active++;
        b.smallest = smaller(b.smallest, points);
        b.largest = larger(b.largest, points);
        total += (double)points;
    }
    b.balance = total / (double)b.active / (double)b.largest;
    return b;
}

/* The points next to a box along one dimension that are another owner's. */
static bool add_sides(const grid_partition *p, int box, int dimension, const bool periodic[3],
                      grid_neighbours *found, int64_t *points)
{
    int64_t margin[3] = {0};
    margin[dimension] = 1;
    if (!grid_partition_neighbours(p, &p->boxes[box], margin, margin, periodic, found))
        return false;
    for (size_t i = 0; i < found->count; i++)
        if (found->list[i].owner != p->owner[box])
            *points += grid_box_points(&found->list[i].meets);
    return true;
}

static bool add_owner(const grid_partition *p, int owner, const bool periodic[3],
                      grid_neighbours *found, int64_t *points)
{
    for (int i = p->first[owner]; i < p->first[owner + 1]; i++)
        for (int d = 0; d < p->shape.rank; d++)
            if (!add_sides(p, i, d, periodic, found, points)) return false;
    return true;
}

bool grid_partition_surface(const grid_partition *p, const bool periodic[3], grid_surface *surface)
{
    grid_neighbours found = {0};
    grid_surface sum = {0};
    bool good = true;
    for (int o = 0; good && o < p->owners; o++) {
        int64_t points = 0;
        good = add_owner(p, o, periodic, &found, &points);
        sum.total += points;
        sum.largest = larger(sum.largest, points);
    }
    grid_neighbours_free(&found);
    if (good) *surface = sum;
    return good;
}
