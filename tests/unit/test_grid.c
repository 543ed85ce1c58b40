/* Boxes and boundary rules. */
/* Labels: hostile */
#include "grid/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- boxes ----------------------------------------------------------------------------------- */

static int64_t random_below(int64_t n) { return rand() % n; }

static grid_box random_box(void)
{
    grid_box box;
    for (int d = 0; d < 3; d++) {
        box.lo[d] = random_below(6);
        box.hi[d] = box.lo[d] + random_below(5);
    }
    return box;
}

static bool holds(const grid_box *box, const int64_t p[3])
{
    for (int d = 0; d < 3; d++)
        if (p[d] < box->lo[d] || p[d] >= box->hi[d]) return false;
    return true;
}

static void check_cover(const grid_box *box, const grid_box *hole)
{
    grid_box pieces[6];
    int count = grid_box_subtract(box, hole, pieces);
    assert_in_range(count, 0, 6);
    int64_t p[3];
    for (p[2] = 0; p[2] < 12; p[2]++)
        for (p[1] = 0; p[1] < 12; p[1]++)
            for (p[0] = 0; p[0] < 12; p[0]++) {
                int found = 0;
                for (int i = 0; i < count; i++) found += holds(&pieces[i], p);
                assert_int_equal(found, holds(box, p) && !holds(hole, p));
            }
    for (int i = 0; i < count; i++) assert_false(grid_box_is_empty(&pieces[i]));
}

static void subtract_covers_exactly(void **state)
{
    (void)state;
    srand(1);
    for (int i = 0; i < 300; i++) {
        grid_box box = random_box(), hole = random_box();
        check_cover(&box, &hole);
    }
}

static void subtract_cuts_z_first(void **state)
{
    (void)state;
    grid_box box = {{0, 0, 0}, {4, 4, 4}}, hole = {{1, 1, 1}, {3, 3, 3}}, pieces[6];
    assert_int_equal(grid_box_subtract(&box, &hole, pieces), 6);
    assert_memory_equal(&pieces[0], (&(grid_box){{0, 0, 0}, {4, 4, 1}}), sizeof(grid_box));
    assert_memory_equal(&pieces[1], (&(grid_box){{0, 0, 3}, {4, 4, 4}}), sizeof(grid_box));
    assert_memory_equal(&pieces[2], (&(grid_box){{0, 0, 1}, {4, 1, 3}}), sizeof(grid_box));
    assert_memory_equal(&pieces[5], (&(grid_box){{3, 1, 1}, {4, 3, 3}}), sizeof(grid_box));
}

static void points_and_containment_agree_with_counting(void **state)
{
    (void)state;
    srand(2);
    for (int i = 0; i < 300; i++) {
        grid_box a = random_box(), b = random_box(), both = grid_box_intersect(&a, &b);
        int64_t in_a = 0, in_b = 0, in_both = 0, p[3];
        for (p[2] = 0; p[2] < 12; p[2]++)
            for (p[1] = 0; p[1] < 12; p[1]++)
                for (p[0] = 0; p[0] < 12; p[0]++) {
                    in_a += holds(&a, p);
                    in_b += holds(&b, p);
                    in_both += holds(&a, p) && holds(&b, p);
                }
        assert_int_equal(grid_box_points(&a), in_a);
        assert_int_equal(grid_box_points(&both), in_both);
        assert_int_equal(grid_box_is_empty(&b), in_b == 0);
        assert_int_equal(grid_box_contains(&a, &b), in_both == in_b);
    }
}

static void boxes_and_shapes_print(void **state)
{
    (void)state;
    grid_shape shape = {2, {4096, 2048, 1}}, other = {3, {4096, 2048, 1}};
    grid_box box = {{0, 2, 0}, {16, 4, 1}};
    text out = {0};
    grid_shape_print(&out, &shape);
    assert_string_equal(text_get(&out), "4096 x 2048");
    text_clear(&out);
    grid_box_print(&out, &box, 2);
    assert_string_equal(text_get(&out), "[0, 16) x [2, 4)");
    text_free(&out);
    assert_true(grid_shape_equal(&shape, &shape));
    assert_false(grid_shape_equal(&shape, &other));
}

/* ---- boundary rules -------------------------------------------------------------------------- */

enum { REACH = 40, LONGEST = 5, EXTENDED = 2 * REACH + LONGEST };

/* The domain written out around its points, as a textbook pads an array: `value` where known. */
typedef struct extension {
    int64_t size;
    double value[EXTENDED];
    bool known[EXTENDED];
} extension;

/* The value that a rule puts at distance `far` (1, 2, ..) beyond a side, from the array extended so
 * far: where it looks, counted inwards from the side's edge point (0, 1, ..; may lie past the other
 * side). */
static int64_t inwards(kata_rule rule, int64_t far, int64_t size)
{
    switch (rule) {
    case KATA_REFLECT_FACE:
    case KATA_ANTISYMMETRIC_FACE: return far - 1;
    case KATA_REFLECT_NODE:
    case KATA_ANTISYMMETRIC_NODE: return far;
    case KATA_PERIODIC: return size - far;
    case KATA_NONE:
    case KATA_LINEAR: /* test_boundary_linear.c */
    case KATA_CONSTANT:
    case KATA_CLAMP: break;
    }
    return 0;
}

static void extend_one(extension *e, const grid_side_rule *side, bool high, int64_t far)
{
    int64_t edge = high ? e->size - 1 : 0, way = high ? 1 : -1;
    int64_t target = REACH + edge + way * far;
    int64_t from = REACH + edge - way * inwards(side->rule, far, e->size);
    bool about_node = side->rule == KATA_REFLECT_NODE || side->rule == KATA_ANTISYMMETRIC_NODE;
    e->known[target] = false;
    if (side->rule == KATA_NONE || (about_node && e->size == 1)) return;
    if (side->rule == KATA_CONSTANT) {
        e->known[target] = true;
        e->value[target] = side->value;
        return;
    }
    if (from < 0 || from >= EXTENDED) return;
    e->known[target] = e->known[from];
    e->value[target] = e->value[from];
    if (side->rule == KATA_ANTISYMMETRIC_FACE || side->rule == KATA_ANTISYMMETRIC_NODE)
        e->value[target] = 2 * side->value - e->value[from];
}

/* Ring by ring outwards, until nothing changes: a ring may look at the same distance opposite. */
static void extend(extension *e, const grid_side_rule side[2], int64_t reach)
{
    for (int pass = 0; pass < 3; pass++)
        for (int64_t far = 1; far <= reach; far++) {
            extend_one(e, &side[0], false, far);
            extend_one(e, &side[1], true, far);
        }
}

/* The value that a mapping describes. */
static double value_of(const extension *e, const grid_source *source)
{
    double x = source->index < 0 ? source->constant : e->value[REACH + source->index];
    for (int64_t k = source->steps - 1; k >= 0; k--) x = 2 * source->step_value[k % 2] - x;
    return x;
}

static void check_rules(kata_rule low, kata_rule high, int64_t size)
{
    grid_boundary boundary = {.side = {[2] = {low, 3}, [3] = {high, -7}}};
    extension e = {.size = size};
    for (int64_t i = 0; i < size; i++) {
        e.known[REACH + i] = true;
        e.value[REACH + i] = 100 + (double)(i * i);
    }
    int64_t reach = 3 * size;
    extend(&e, &boundary.side[2], 2 * reach + 2);
    for (int64_t i = -reach; i < size + reach; i++) {
        grid_source source = {.index = -77};
        bool covered = grid_boundary_map(&boundary, 1, &(grid_axis){size, size, 0}, i, &source);
        if (covered != e.known[REACH + i])
            fail_msg("%s low, %s high, %d points: index %d is %s", grid_rule_name(low),
                     grid_rule_name(high), (int)size, (int)i, covered ? "mapped" : "not mapped");
        if (!covered) {
            assert_int_equal(source.index, -77);
            continue;
        }
        assert_in_range(source.index + 1, 0, size);
        if (value_of(&e, &source) != e.value[REACH + i])
            fail_msg("%s low, %s high, %d points: index %d maps to %d", grid_rule_name(low),
                     grid_rule_name(high), (int)size, (int)i, (int)source.index);
    }
}

static void rules_map_like_an_array_written_out(void **state)
{
    (void)state;
    for (int64_t size = 1; size <= LONGEST; size++)
        for (int low = KATA_NONE; low <= KATA_PERIODIC; low++)
            for (int high = KATA_NONE; high <= KATA_PERIODIC; high++)
                if ((low == KATA_PERIODIC) == (high == KATA_PERIODIC))
                    check_rules((kata_rule)low, (kata_rule)high, size);
}

/* Two reflections far out end where stepping one period at a time does. */
static void far_indices_map_by_whole_periods(void **state)
{
    (void)state;
    grid_boundary b = {.side = {{KATA_ANTISYMMETRIC_FACE, 1}, {KATA_ANTISYMMETRIC_NODE, 2}}};
    int64_t far = (int64_t)1 << 40, size = 1000, period = 2 * size - 1;
    grid_source near_source, far_source;
    assert_true(grid_boundary_map(&b, 0, &(grid_axis){size, size, 0}, -far, &far_source));
    int64_t near_index = -far % period;
    assert_true(grid_boundary_map(&b, 0, &(grid_axis){size, size, 0}, near_index, &near_source));
    assert_int_equal(far_source.index, near_source.index);
    assert_int_equal(far_source.steps - near_source.steps, 2 * (far / period));
    b = (grid_boundary){.side = {{KATA_PERIODIC, 0}, {KATA_PERIODIC, 0}}};
    int64_t large = ((int64_t)1 << 48) - 1;
    assert_true(grid_boundary_map(&b, 0, &(grid_axis){large, large, 0}, large + far, &far_source));
    assert_int_equal(far_source.index, far);
    assert_true(grid_boundary_map(&b, 0, &(grid_axis){3, 3, 0}, -far, &far_source));
    assert_int_equal(far_source.index, (3 - far % 3) % 3);
}

static void names_are_spelled_as_in_the_header(void **state)
{
    (void)state;
    assert_string_equal(grid_rule_name(KATA_ANTISYMMETRIC_NODE), "KATA_ANTISYMMETRIC_NODE");
    assert_string_equal(grid_rule_name((kata_rule)99), "unknown rule");
    assert_string_equal(grid_side_name(KATA_Z_HIGH), "KATA_Z_HIGH");
    assert_string_equal(grid_side_name(-1), "unknown side");
}

/* KATA_RULES is in the order of kata_rule, so that tables made of it are indexed by rules. */
static void the_table_of_rules_is_in_order(void **state)
{
    (void)state;
#define RULE(rule, word, meaning) rule,
    static const kata_rule rules[] = {KATA_RULES(RULE)};
#undef RULE
    assert_int_equal(COUNT_OF(rules), KATA_PERIODIC + 1);
    for (size_t i = 0; i < COUNT_OF(rules); i++) assert_int_equal(rules[i], i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subtract_covers_exactly),
        cmocka_unit_test(subtract_cuts_z_first),
        cmocka_unit_test(points_and_containment_agree_with_counting),
        cmocka_unit_test(boxes_and_shapes_print),
        cmocka_unit_test(rules_map_like_an_array_written_out),
        cmocka_unit_test(far_indices_map_by_whole_periods),
        cmocka_unit_test(names_are_spelled_as_in_the_header),
        cmocka_unit_test(the_table_of_rules_is_in_order),
    };
    return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
