#include "partition_world.h"

grid_shape partition_random_shape(int most)
{
    grid_shape s = {partition_random(1, 3), {1, 1, 1}};
    for (int d = 0; d < s.rank; d++) s.size[d] = partition_random(1, most);
    return s;
}

static bool next_point(const grid_box *box, int64_t at[3])
{
    for (int d = 0; d < 3; d++) {
        if (++at[d] < box->hi[d]) return true;
        at[d] = box->lo[d];
    }
    return false;
}

static bool holds(const grid_box *box, const int64_t at[3])
{
    grid_box point = {{at[0], at[1], at[2]}, {at[0] + 1, at[1] + 1, at[2] + 1}};
    return grid_box_contains(box, &point);
}

void partition_assert_valid(const grid_partition *p)
{
    text why = {0};
    grid_box all = grid_shape_box(&p->shape);
    int64_t at[3] = {0}, points = 0;
    if (!grid_partition_check(p, &why)) fail_msg("%s", text_get(&why));
    text_free(&why);
    do {
        int box = grid_partition_find(p, at);
        assert_in_range(box, 0, p->count - 1);
        assert_true(holds(&p->boxes[box], at));
    } while (next_point(&all, at));
    for (int o = 0; o < p->owners; o++) points += grid_partition_points(p, o);
    assert_int_equal(points, grid_box_points(&all));
}

/* How often a point around is found; each time it has to be the right one. */
static int times_found(const grid_partition *p, const grid_neighbours *found, const int64_t at[3])
{
    int times = 0;
    for (size_t i = 0; i < found->count; i++) {
        const grid_neighbour *n = &found->list[i];
        const int64_t home[3] = {at[0] - n->shift[0], at[1] - n->shift[1], at[2] - n->shift[2]};
        if (!holds(&n->meets, at)) continue;
        assert_int_equal(grid_partition_find(p, home), n->box);
        assert_int_equal(p->owner[n->box], n->owner);
        times++;
    }
    return times;
}

void partition_assert_neighbours(const grid_partition *p, const grid_box *box, const int64_t low[3],
                                 const int64_t high[3], const bool periodic[3])
{
    grid_neighbours found = {0};
    grid_box around = *box, all = grid_shape_box(&p->shape);
    int64_t at[3];
    assert_true(grid_partition_neighbours(p, box, low, high, periodic, &found));
    for (int d = 0; d < 3; d++) {
        at[d] = around.lo[d] -= low[d];
        around.hi[d] += high[d];
    }
    do {
        bool reached = !holds(box, at);
        for (int d = 0; d < 3; d++)
            reached &= periodic[d] || (at[d] >= all.lo[d] && at[d] < all.hi[d]);
        int times = times_found(p, &found, at);
        if (reached || times) assert_int_equal(times, reached || !holds(box, at));
    } while (next_point(&around, at));
    for (size_t i = 0; i < found.count; i++) {
        assert_false(grid_box_is_empty(&found.list[i].meets));
        assert_true(grid_box_contains(&around, &found.list[i].meets));
    }
    grid_neighbours_free(&found);
}

void partition_assert_random_neighbours(const grid_partition *p)
{
    int64_t low[3] = {0}, high[3] = {0};
    bool periodic[3] = {0};
    for (int i = 0; i < p->count; i++) {
        for (int d = 0; d < p->shape.rank; d++) {
            low[d] = partition_random(0, 3);
            high[d] = partition_random(0, 3);
            periodic[d] = partition_random(0, 1);
        }
        partition_assert_neighbours(p, &p->boxes[i], low, high, periodic);
    }
}
