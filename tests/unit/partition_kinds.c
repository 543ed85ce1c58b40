/* Partitions by levels and along the Morton curve, and how even they are. The balances of 10,000
 * random shapes are known from a reference; a hundredth of them is drawn, all with
 * KATA_TEST_FULL=1. Medians of 10,000 shapes differ by some tenths from those of another 10,000
 * where there are many chips. */
#include "partition_world.h"
#include "sanitized.h"

#include <math.h>
#include <stdio.h>

static grid_levels levels_of(int count, const int *parts, int64_t smallest)
{
    grid_levels l = {.count = count, .smallest = smallest};
    for (int i = 0; i < count; i++) l.parts[i] = parts[i];
    return l;
}

static void random_levels_are_partitions(void **state)
{
    (void)state;
    srand(2);
    for (int i = 0; i < 300; i++) {
        grid_partition p = {0};
        grid_shape shape = partition_random_shape(14);
        grid_levels l = {.count = partition_random(1, GRID_MOST_LEVELS), .smallest = 1};
        int owners = 1;
        for (int k = 0; k < l.count; k++) owners *= l.parts[k] = partition_random(1, 5);
        l.smallest = partition_random(1, 3);
        l.by_ratio = partition_random(0, 1);
        assert_true(grid_partition_rectangles(&p, &shape, owners + partition_random(0, 3), &l));
        partition_assert_valid(&p);
        partition_assert_random_neighbours(&p);
        assert_true(p.count <= owners);
        grid_partition_free(&p);
    }
}

/* Each has a point where there are enough, and a share of them to half a unit at each cut. */
static void random_halves_are_partitions(void **state)
{
    (void)state;
    srand(4);
    for (int i = 0; i < 300; i++) {
        grid_partition p = {0};
        grid_shape shape = partition_random_shape(14);
        const int64_t unit[3] = {partition_random(1, 5), partition_random(1, 3), 1};
        int owners = partition_random(1, 30);
        assert_true(grid_partition_halves(&p, &shape, owners, unit));
        partition_assert_valid(&p);
        partition_assert_random_neighbours(&p);
        for (int b = 0; b < p.count; b++)
            for (int d = 0; d < 3; d++) assert_int_equal(p.boxes[b].lo[d] % unit[d], 0);
        grid_partition_free(&p);
    }
}

static void halves_are_in_proportion_to_owners(void **state)
{
    (void)state;
    const int64_t unit[3] = {512, 1, 1};
    for (int owners = 1; owners < 300; owners++) {
        grid_partition p = {0};
        assert_true(grid_partition_halves(&p, &(grid_shape){3, {300, 400, 500}}, owners, unit));
        grid_balance b = grid_partition_balance(&p, 1);
        assert_int_equal(b.active, owners);
        assert_true(b.balance > 0.94);
        grid_partition_free(&p);
    }
}

static int64_t power_below(int64_t x) { return x & -x; }

/* Sides are powers of two and begin at multiples of them, but for the last of the grid. */
static void assert_power_of_two(const grid_partition *p, const grid_box *b)
{
    for (int d = 0; d < 3; d++) {
        int64_t side = b->hi[d] - b->lo[d];
        if (b->hi[d] == p->shape.size[d]) continue;
        assert_int_equal(power_below(side), side);
        assert_int_equal(b->lo[d] % side, 0);
    }
}

static void random_morton_boxes_are_partitions(void **state)
{
    (void)state;
    srand(3);
    for (int i = 0; i < 300; i++) {
        grid_partition p = {0};
        grid_shape shape = partition_random_shape(14);
        int parts = partition_random(1, 30);
        assert_true(grid_partition_morton(&p, &shape, parts + partition_random(0, 9), parts));
        partition_assert_valid(&p);
        partition_assert_random_neighbours(&p);
        for (int b = 0; b < p.count; b++) assert_power_of_two(&p, &p.boxes[b]);
        assert_int_equal(p.first[parts], p.count);
        grid_partition_free(&p);
    }
}

static void morton_boxes_are_dealt_evenly(void **state)
{
    (void)state;
    const grid_shape shapes[] = {{3, {100, 90, 70}}, {2, {2048, 1900, 1}}, {1, {100000, 1, 1}}};
    for (int i = 0; i < 3; i++)
        for (int parts = 1; parts < 300; parts += 37) {
            grid_partition p = {0};
            assert_true(grid_partition_morton(&p, &shapes[i], parts, parts));
            grid_balance b = grid_partition_balance(&p, 1);
            assert_int_equal(b.active, parts);
            assert_true(b.balance > 0.88);
            grid_partition_free(&p);
        }
}

static void boxes_of_one_owner_are_put_together(void **state)
{
    (void)state;
    grid_partition p = {0};
    assert_true(grid_partition_morton(&p, &(grid_shape){3, {64, 64, 64}}, 1, 1));
    assert_int_equal(p.count, 1);
    assert_true(grid_partition_morton(&p, &(grid_shape){3, {64, 64, 64}}, 8, 8));
    assert_int_equal(p.count, 8);
    grid_partition_free(&p);
}

/* ---- balance --------------------------------------------------------------------------------- */

static double percent(const grid_shape *shape, const grid_levels *l)
{
    grid_partition p = {0};
    int owners = 1;
    for (int i = 0; i < l->count; i++) owners *= l->parts[i];
    assert_true(grid_partition_rectangles(&p, shape, owners, l));
    double balance = grid_partition_balance(&p, 1).balance;
    grid_partition_free(&p);
    return 100 * balance;
}

static void balance_and_surface_are_those_of_the_boxes(void **state)
{
    (void)state;
    const bool walls[3] = {false, false, false}, wraps[3] = {true, true, false};
    const int parts[3] = {1, 3, 1};
    const int64_t unit[3] = {1, 1, 1};
    grid_partition p = {0};
    grid_surface s;
    assert_true(grid_partition_cut(&p, &(grid_shape){2, {8, 10, 1}}, 5, parts, unit));
    grid_balance b = grid_partition_balance(&p, 1), pairs = grid_partition_balance(&p, 2);
    assert_true(b.active == 3 && b.smallest == 24 && b.largest == 32);
    assert_true(fabs(b.balance - 80. / 3 / 32) < 1e-12);
    assert_true(pairs.active == 2 && pairs.smallest == 24 && pairs.largest == 56);
    assert_true(grid_partition_surface(&p, walls, &s));
    assert_true(s.total == 32 && s.largest == 16);
    assert_true(grid_partition_surface(&p, wraps, &s));
    assert_true(s.total == 48 && s.largest == 16);
    grid_partition_free(&p);
}

/* A grid of 2048 x 1900 on one chip: 32 x 38 tiles of 64 x 50 points, whose workers split the 50,
 * and 38 x 32 tiles of up to 54 x 60. */
static void blocks_have_the_balance_of_the_reference(void **state)
{
    (void)state;
    const int64_t unit[3] = {1, 1, 1};
    const struct {
        int parts[3];
        double expected;
    } cases[] = {{{32, 38 * 6, 1}, 92.6}, {{38, 32 * 6, 1}, 98.8}};
    for (int i = 0; i < 2; i++) {
        grid_partition p = {0};
        assert_true(
            grid_partition_cut(&p, &(grid_shape){2, {2048, 1900, 1}}, 7296, cases[i].parts, unit));
        double balance = 100 * grid_partition_balance(&p, 1).balance;
        if (fabs(balance - cases[i].expected) > 0.1) fail_msg("%g %%", balance);
        grid_partition_free(&p);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

enum { MOST_SHAPES = 10000, CHIPS = 5 };

/* The medians over random shapes of sides from 128 to 4000, for 1, 2, 4, 8 and 16 chips, and of
 * all. */
static void find_medians(int shapes, bool by_ratio, double medians[CHIPS + 1])
{
    static double found[CHIPS * MOST_SHAPES];
    for (int c = 0; c < CHIPS; c++) {
        srand(1 + (unsigned)c);
        grid_levels l = levels_of(3, (int[]){1 << c, 1216, 6}, 6);
        l.by_ratio = by_ratio;
        for (int i = 0; i < shapes; i++) {
            grid_shape s = {2, {partition_random(128, 4000), partition_random(128, 4000), 1}};
            found[c * shapes + i] = percent(&s, &l);
        }
        medians[c] = median(found + (size_t)c * (size_t)shapes, shapes);
    }
    medians[CHIPS] = median(found, CHIPS * shapes);
}

static int shapes_to_draw(void)
{
    const char *full = getenv("KATA_TEST_FULL");
    return full && *full == '1' ? MOST_SHAPES : MOST_SHAPES / 100;
}

static void print_medians(const char *name, const double medians[CHIPS + 1])
{
    printf("%s:", name);
    for (int c = 0; c <= CHIPS; c++) printf(" %.2f", medians[c]);
    printf("\n");
}

static void random_shapes_have_the_balance_of_the_reference(void **state)
{
    (void)state;
    static const double reference[2][CHIPS + 1] = {{95.7, 94.1, 91.6, 88.4, 83.6, 91.8},
                                                   {99.2, 98.8, 98.5, 97.7, 96.3, 98.4}};
    if (is_sanitized()) skip(); /* a thousand partitions, of code that others run */
    int shapes = shapes_to_draw();
    bool all = shapes == MOST_SHAPES;
    for (int row = 0; row < 2; row++) {
        double medians[CHIPS + 1];
        find_medians(shapes, row == 0, medians);
        print_medians(row ? "by balance" : "by ratio", medians);
        for (int c = all ? 0 : CHIPS; c <= CHIPS; c++)
            assert_true(fabs(medians[c] - reference[row][c]) < (!all        ? 2
                                                                : c < CHIPS ? 0.35
                                                                            : 0.15));
        if (row) assert_true(medians[CHIPS] >= (all ? 98.3 : 98));
    }
}

static void three_dimensions_are_balanced_too(void **state)
{
    (void)state;
    const grid_levels l = levels_of(3, (int[]){4, 1216, 6}, 1);
    srand(5);
    for (int i = 0; i < 5; i++) {
        grid_shape s = {3, {1, 1, 1}};
        for (int d = 0; d < 3; d++) s.size[d] = partition_random(200, 500);
        assert_true(percent(&s, &l) > 90);
    }
}

int partition_kinds(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_levels_are_partitions),
        cmocka_unit_test(random_halves_are_partitions),
        cmocka_unit_test(halves_are_in_proportion_to_owners),
        cmocka_unit_test(random_morton_boxes_are_partitions),
        cmocka_unit_test(morton_boxes_are_dealt_evenly),
        cmocka_unit_test(boxes_of_one_owner_are_put_together),
        cmocka_unit_test(balance_and_surface_are_those_of_the_boxes),
        cmocka_unit_test(blocks_have_the_balance_of_the_reference),
        cmocka_unit_test(random_shapes_have_the_balance_of_the_reference),
        cmocka_unit_test(three_dimensions_are_balanced_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
