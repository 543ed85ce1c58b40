/* Sets of indices: a union of random boxes holds what the boxes hold, index by index. */
#include "grid/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SIDE = 5 };

static grid_box random_box(void)
{
    grid_box b;
    for (int d = 0; d < 3; d++) {
        b.lo[d] = rand() % SIDE - 1;
        b.hi[d] = b.lo[d] + rand() % 4;
    }
    return b;
}

static bool holds(const grid_box *boxes, int count, const int64_t at[3])
{
    for (int i = 0; i < count; i++) {
        grid_box one = {{at[0], at[1], at[2]}, {at[0] + 1, at[1] + 1, at[2] + 1}};
        if (grid_box_contains(&boxes[i], &one)) return true;
    }
    return false;
}

/* Whether the boxes hold all, or at least one, of the indices of another. */
static bool hold(const grid_box *boxes, int count, const grid_box *box, bool all)
{
    int64_t at[3];
    for (at[2] = box->lo[2]; at[2] < box->hi[2]; at[2]++)
        for (at[1] = box->lo[1]; at[1] < box->hi[1]; at[1]++)
            for (at[0] = box->lo[0]; at[0] < box->hi[0]; at[0]++)
                if (holds(boxes, count, at) != all) return !all;
    return all;
}

static void a_region_holds_what_its_boxes_hold(void **state)
{
    (void)state;
    grid_region region = {0};
    for (int round = 0; round < 3000; round++) {
        grid_box boxes[12], missing;
        int count = rand() % 12;
        grid_region_clear(&region);
        for (int i = 0; i < count; i++) {
            boxes[i] = random_box();
            assert_true(grid_region_add(&region, &boxes[i]));
        }
        assert_true(region.count <= (size_t)count);
        grid_box box = random_box();
        bool all = hold(boxes, count, &box, true);
        assert_int_equal(grid_region_holds(&region, &box, &missing), all);
        if (all) continue;
        assert_false(grid_box_is_empty(&missing));
        assert_true(grid_box_contains(&box, &missing));
        assert_false(hold(boxes, count, &missing, false));
    }
    grid_region_free(&region);
}

/* Whether each index is in one box of a region if some boxes hold it, and otherwise in none. */
static void expect_apart(const grid_region *region, const grid_box *boxes, int count)
{
    int64_t at[3];
    for (at[2] = -1; at[2] < SIDE + 3; at[2]++)
        for (at[1] = -1; at[1] < SIDE + 3; at[1]++)
            for (at[0] = -1; at[0] < SIDE + 3; at[0]++) {
                int found = 0;
                for (size_t i = 0; i < region->count; i++) found += holds(&region->boxes[i], 1, at);
                assert_int_equal(found, holds(boxes, count, at));
            }
}

static void boxes_that_are_added_apart_are_disjoint(void **state)
{
    (void)state;
    grid_region region = {0};
    size_t before = 0, tidy = 0;
    for (int round = 0; round < 1000; round++) {
        grid_box boxes[12];
        int count = rand() % 12;
        grid_region_clear(&region);
        for (int i = 0; i < count; i++) {
            boxes[i] = random_box();
            assert_true(grid_region_add_apart(&region, &boxes[i]));
        }
        expect_apart(&region, boxes, count);
        before += region.count;
        assert_true(grid_region_tidy(&region));
        expect_apart(&region, boxes, count);
        tidy += region.count;
    }
    assert_true(tidy < before);
    grid_region_free(&region);
}

/* A staircase of columns along z is a slab for each step, whatever the order. */
static void a_tidy_region_has_few_boxes(void **state)
{
    (void)state;
    grid_region region = {0};
    for (int64_t i = 0; i < 24; i++) {
        const int64_t x = i * 7 % 24 / 4, y = i * 7 % 4;
        const grid_box column = {{x, y, 0}, {x + 1, y + 1, 1 + y}};
        assert_true(grid_region_add_apart(&region, &column));
    }
    assert_true(grid_region_tidy(&region));
    assert_int_equal(region.count, 4);
    for (int64_t z = 0; z < 4; z++) {
        const grid_box slab = {{0, z, z}, {6, 4, z + 1}};
        assert_memory_equal(&region.boxes[z], &slab, sizeof slab);
    }
    grid_region_free(&region);
}

static void parts_of_a_box_become_one(void **state)
{
    (void)state;
    grid_region region = {0};
    for (int64_t y = 0; y < 6; y++) {
        grid_box left = {{0, y, 0}, {3, y + 1, 1}}, right = {{2, y, 0}, {9, y + 1, 1}};
        assert_true(grid_region_add(&region, y % 2 ? &left : &right));
        assert_true(grid_region_add(&region, y % 2 ? &right : &left));
    }
    assert_int_equal(region.count, 1);
    assert_int_equal(region.boxes[0].hi[0], 9);
    assert_int_equal(region.boxes[0].hi[1], 6);
    grid_region_free(&region);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_region_holds_what_its_boxes_hold),
                                       cmocka_unit_test(boxes_that_are_added_apart_are_disjoint),
                                       cmocka_unit_test(a_tidy_region_has_few_boxes),
                                       cmocka_unit_test(parts_of_a_box_become_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
