/* A device combines the bricks of a sum in the order of the reference, however many there are along
 * each dimension, and wherever they begin. On each kind of device that this machine has. */
/* Labels: hostile */
#include "device_kinds.h"
#include "kata/kata.h"

#include <cmocka.h>

static const char *kind; /* "cuda", "opencl" */

/* Rows of as many bricks, so many rows, so many planes; and where points begin. */
typedef struct bricked {
    int64_t size[3], from[3];
} bricked;

static const bricked grids[] = {
    {{3, 10, 10}, {0, 2, 1}},                              /* few, that this machine combines */
    {{9, 5, 3}, {0, 0, 0}},      {{3, 20, 20}, {0, 0, 0}}, /* fewer than the nodes that a group
                                                              shares */
    {{3, 64, 64}, {0, 0, 0}},                              /* nodes are whole */
    {{3, 61, 67}, {1, 5, 7}},                              /* and are not, at both ends */
    {{2600, 9, 17}, {3, 1, 6}},                            /* along all dimensions */
    {{1100, 300, 1}, {0, 3, 0}}, {{2, 1, 700}, {0, 0, 7}}, {{1, 2, 300}, {0, 0, 0}},
    {{1, 3000, 9}, {0, 2, 1}},  /* in groups of their own, then all together */
    {{1, 20000, 1}, {0, 9, 0}}, /* more nodes than a group shares */
};

/* Adds up values whose sums are rounded. */
static kata_scalar *add_up(kata *k, kata_module *m, const bricked *b)
{
    kata_grid *g = kata_grid_3d(k, b->size[0], b->size[1], b->size[2]);
    kata_field *u = kata_field_new(g, "u", KATA_F32);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F32);
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u);
    kata_apply(
        kata_kernel_find(m, "add"),
        kata_box_3d(g, b->from[0], b->size[0], b->from[1], b->size[1], b->from[2], b->size[2]), u,
        s);
    kata_discard(u);
    return s;
}

/* Of all grids; the program looks at each of them at once, or at all in the end. */
static void sums(const char *device, bool looks, double found[COUNT_OF(grids)])
{
    kata_scalar *all[COUNT_OF(grids)];
    kata *k = kata_open(&(kata_options){.device = device, .wait = true});
    assert_non_null(k);
    kata_module *m = kata_module_from_text(
        k, "sums.kata",
        "kernel start(out float u) { u = (float)(((ix * 7 + iy * 13 + iz * 31) % 1009) * 0.37); }\n"
        "kernel add(in float u, sum float s) { s += u * u; }\n");
    assert_non_null(m);
    for (size_t i = 0; i < COUNT_OF(grids); i++) {
        all[i] = add_up(k, m, &grids[i]);
        if (looks) kata_scalar_get(all[i], &found[i]);
    }
    for (size_t i = 0; i < COUNT_OF(grids) && !looks; i++) kata_scalar_get(all[i], &found[i]);
    assert_true(kata_ok(k));
    kata_close(k);
}

static void compare(bool looks)
{
    double expected[COUNT_OF(grids)], found[COUNT_OF(grids)];
    sums("none", looks, expected);
    sums(kind, looks, found);
    for (size_t i = 0; i < COUNT_OF(grids); i++) {
        if (found[i] != expected[i]) print_message("grid %zu\n", i);
        assert_true(expected[i] > 0);
        assert_memory_equal(&found[i], &expected[i], sizeof found[i]);
    }
}

static void bricks_are_combined_in_order(void **state)
{
    (void)state;
    compare(false);
}

static void results_are_written_where_they_are_looked_at(void **state)
{
    (void)state;
    compare(true);
}

static int test_kind(const char *name)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricks_are_combined_in_order),
        cmocka_unit_test(results_are_written_where_they_are_looked_at)};
    return DEVICE_RUN_TESTS(name, kind, tests);
}

int main(void)
{
    if (!device_is_there("cuda")) device_use_shim();
    int failed = test_kind("cuda");
    return failed + test_kind("opencl");
}
