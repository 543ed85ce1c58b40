/* Partitions: every point of a grid has one owner, which is found, and so are those around a box.
 */
/* Labels: slow */
#include "partition_world.h"
#include "sanitized.h"

#include <string.h>

static const int64_t any_unit[3] = {1, 1, 1}, brick[3] = {GRID_BRICK, 1, 1};

static grid_partition cut(grid_shape shape, int owners, const int64_t unit[3])
{
    grid_partition p = {0};
    int parts[3];
    grid_partition_choose(&shape, owners, unit, parts);
    assert_true((int64_t)parts[0] * parts[1] * parts[2] <= owners);
    assert_true(grid_partition_cut(&p, &shape, owners, parts, unit));
    return p;
}

static void any_tensor_of_cuts_is_a_partition(void **state)
{
    (void)state;
    srand(1);
    for (int i = 0; i < 300; i++) {
        int64_t unit[3];
        for (int d = 0; d < 3; d++) unit[d] = partition_random(1, 4);
        grid_partition p = cut(partition_random_shape(12), partition_random(1, 40), unit);
        partition_assert_valid(&p);
        partition_assert_random_neighbours(&p);
        for (int d = 0; d < 3; d++)
            for (int c = 0; c < p.parts[d]; c++) assert_int_equal(p.cuts[d][c] % unit[d], 0);
        grid_partition_free(&p);
    }
}

static void parts_of_a_dimension_differ_by_a_unit(void **state)
{
    (void)state;
    const int parts[3] = {1, 7, 3};
    grid_shape shape = {3, {5, 100, 10}};
    grid_partition p = {0};
    assert_true(grid_partition_cut(&p, &shape, 40, parts, any_unit));
    assert_int_equal(p.count, 21);
    for (int c = 0; c < 7; c++)
        assert_int_equal(p.cuts[1][c + 1] - p.cuts[1][c], c < 100 % 7 ? 15 : 14);
    assert_int_equal(p.first[21], 21);
    assert_int_equal(p.first[40], 21);
    assert_int_equal(grid_partition_points(&p, 39), 0);
    grid_partition_free(&p);
}

static void assert_chosen(grid_shape shape, int owners, const int64_t unit[3], int x, int y, int z)
{
    int parts[3];
    grid_partition_choose(&shape, owners, unit, parts);
    assert_int_equal(parts[0], x);
    assert_int_equal(parts[1], y);
    assert_int_equal(parts[2], z);
}

static void cuts_go_along_z_and_y_and_leave_bricks_whole(void **state)
{
    (void)state;
    assert_chosen((grid_shape){3, {512, 512, 512}}, 1, brick, 1, 1, 1);
    assert_chosen((grid_shape){3, {512, 512, 512}}, 2, brick, 1, 1, 2);
    assert_chosen((grid_shape){3, {512, 512, 512}}, 7, brick, 1, 1, 7);
    assert_chosen((grid_shape){3, {512, 512, 512}}, 64, brick, 1, 8, 8);
    assert_chosen((grid_shape){2, {3840, 3840, 1}}, 4, brick, 1, 4, 1);
    assert_chosen((grid_shape){2, {3840, 2, 1}}, 4, brick, 4, 1, 1);
    assert_chosen((grid_shape){1, {2000, 1, 1}}, 16, brick, 4, 1, 1);
    assert_chosen((grid_shape){1, {512, 1, 1}}, 16, brick, 1, 1, 1);
    assert_chosen((grid_shape){1, {2000, 1, 1}}, 16, any_unit, 16, 1, 1);
    assert_chosen((grid_shape){3, {1, 1, 1}}, 100, any_unit, 1, 1, 1);
}

/* Points that boxes have of the copies of values around one, below and above along one dimension.
 */
static int64_t surface(const grid_partition *p, const grid_box *box, int dimension)
{
    const bool walls[3] = {false, false, false};
    int64_t margin[3] = {0}, points = 0;
    grid_neighbours found = {0};
    margin[dimension] = 1;
    assert_true(grid_partition_neighbours(p, box, margin, margin, walls, &found));
    for (size_t i = 0; i < found.count; i++) points += grid_box_points(&found.list[i].meets);
    grid_neighbours_free(&found);
    return points;
}

/* The slowest owner's, if a value received costs as much as 4 points, along x as 8. */
static int64_t cost(const grid_shape *shape, int owners, const int parts[3])
{
    int64_t most = 0;
    grid_partition p = {0};
    assert_true(grid_partition_cut(&p, shape, owners, parts, any_unit));
    for (int i = 0; i < p.count; i++) {
        const grid_box *b = &p.boxes[i];
        int64_t received = 8 * surface(&p, b, 0) + 4 * surface(&p, b, 1) + 4 * surface(&p, b, 2);
        most = larger(most, grid_box_points(b) + received);
    }
    grid_partition_free(&p);
    return most;
}

/* Of all numbers of parts: nothing costs the slowest owner a tenth less. */
static void the_choice_costs_least(void **state)
{
    (void)state;
    const grid_shape shape = {3, {30, 41, 23}};
    for (int owners = 1; owners < 30; owners += is_sanitized() ? 5 : 1) {
        int chosen[3], p[3];
        grid_partition_choose(&shape, owners, any_unit, chosen);
        int64_t limit = cost(&shape, owners, chosen) * 9 / 10;
        for (p[0] = 1; p[0] <= owners; p[0]++)
            for (p[1] = 1; p[0] * p[1] <= owners; p[1]++)
                for (p[2] = 1; p[0] * p[1] * p[2] <= owners; p[2]++)
                    assert_true(cost(&shape, owners, p) >= limit);
    }
}

static void large_partitions_are_fast(void **state)
{
    (void)state;
    const int owners = GRID_MOST_OWNERS / (is_sanitized() ? 64 : 1);
    grid_partition p = cut((grid_shape){3, {1 << 16, 1 << 16, 1 << 15}}, owners, brick);
    text why = {0};
    assert_true(grid_partition_check(&p, &why));
    assert_true(p.count > owners / 2);
    for (int i = 0; i < p.count; i += 7)
        assert_int_equal(grid_partition_find(&p, p.boxes[i].lo), i);
    grid_partition_free(&p);
}

static void an_index_outside_of_the_grid_is_in_no_box(void **state)
{
    (void)state;
    grid_partition p = cut((grid_shape){2, {10, 10, 1}}, 4, any_unit), none = {0};
    assert_int_equal(grid_partition_find(&p, (int64_t[3]){-1, 0, 0}), -1);
    assert_int_equal(grid_partition_find(&p, (int64_t[3]){0, 10, 0}), -1);
    assert_int_equal(grid_partition_find(&p, (int64_t[3]){0, 0, 1}), -1);
    assert_int_equal(grid_partition_find(&none, (int64_t[3]){0, 0, 0}), -1);
    grid_partition_free(&p);
    grid_partition_free(NULL);
}

static void a_period_of_one_point_is_its_own_neighbour(void **state)
{
    (void)state;
    const int64_t two[3] = {2, 0, 0}, three[3] = {3, 0, 0};
    const bool wraps[3] = {true, true, true};
    grid_partition p = cut((grid_shape){1, {1, 1, 1}}, 3, any_unit);
    grid_neighbours found = {0};
    assert_true(grid_partition_neighbours(&p, &p.boxes[0], two, three, wraps, &found));
    assert_int_equal(found.count, 5);
    for (int i = 0; i < 5; i++) assert_int_equal(found.list[i].shift[0], i < 2 ? i - 2 : i - 1);
    grid_neighbours_free(&found);
    grid_partition_free(&p);
}

static void boxes_given_in_any_order_are_found_by_owner(void **state)
{
    (void)state;
    const grid_shape shape = {2, {4, 2, 1}};
    const grid_box boxes[] = {{{2, 0, 0}, {4, 1, 1}},
                              {{0, 0, 0}, {2, 2, 1}},
                              {{2, 1, 0}, {4, 2, 1}},
                              {{1, 1, 0}, {1, 1, 1}}};
    const int owner[] = {2, 1, 0, 1};
    grid_partition p = {0};
    assert_true(grid_partition_given(&p, &shape, 4, boxes, owner, 4));
    partition_assert_valid(&p);
    partition_assert_random_neighbours(&p);
    assert_int_equal(p.count, 3);
    assert_int_equal(p.owner[grid_partition_find(&p, (int64_t[3]){3, 1, 0})], 0);
    assert_int_equal(grid_partition_points(&p, 1), 4);
    assert_int_equal(grid_partition_points(&p, 3), 0);
    grid_partition_free(&p);
}

/* ---- what is no partition -------------------------------------------------------------------- */

static void assert_refused(grid_partition *p, const char *reason)
{
    text why = {0};
    assert_false(grid_partition_check(p, &why));
    assert_string_equal(text_get(&why), reason);
    text_free(&why);
    grid_partition_free(p);
}

static grid_partition four_rows(void)
{
    grid_partition p = {0};
    assert_true(grid_partition_cut(&p, &(grid_shape){2, {8, 8, 1}}, 4, (int[]){1, 4, 1}, any_unit));
    return p;
}

static void defects_are_found(void **state)
{
    (void)state;
    grid_partition p = four_rows();
    p.boxes[2].hi[1]++;
    assert_refused(&p,
                   "box 2 of owner 2, [0, 8) x [4, 7), meets box 3 of owner 3, [0, 8) x [6, 8)");
    p = four_rows();
    p.boxes[2].hi[1]--;
    assert_refused(&p, "the boxes have 56 points, the grid has 64");
    p = four_rows();
    p.boxes[1].hi[0] = 0;
    assert_refused(&p, "box 1 of owner 1, [0, 0) x [2, 4), is empty");
    p = four_rows();
    p.boxes[0].lo[0]--;
    assert_refused(&p, "box 0 of owner 0, [-1, 8) x [0, 2), leaves the grid of 8 x 8");
    p = four_rows();
    p.owner[3] = 0;
    assert_refused(&p, "the boxes are not in the order of their owners");
    p = four_rows();
    p.first[4]--;
    assert_refused(&p, "the boxes are not in the order of their owners");
    p = four_rows();
    p.boxes[3] = p.boxes[2];
    assert_refused(&p,
                   "box 2 of owner 2, [0, 8) x [4, 6), meets box 3 of owner 3, [0, 8) x [4, 6)");
    p = four_rows();
    p.count--;
    p.first[4]--;
    assert_refused(&p, "the boxes have 48 points, the grid has 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_tensor_of_cuts_is_a_partition),
        cmocka_unit_test(parts_of_a_dimension_differ_by_a_unit),
        cmocka_unit_test(cuts_go_along_z_and_y_and_leave_bricks_whole),
        cmocka_unit_test(the_choice_costs_least),
        cmocka_unit_test(large_partitions_are_fast),
        cmocka_unit_test(an_index_outside_of_the_grid_is_in_no_box),
        cmocka_unit_test(a_period_of_one_point_is_its_own_neighbour),
        cmocka_unit_test(boxes_given_in_any_order_are_found_by_owner),
        cmocka_unit_test(defects_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + partition_kinds();
}
