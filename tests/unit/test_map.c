/* Memory lent both ways: fields on the program's memory, and a field's memory in the program's
 * hands. */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char kernels[] = "kernel where(out double u) { u = ix + 10*iy; }\n"
                              "kernel twice(in double u, out double v) { v = 2*u; }\n"
                              "kernel right(in double u, out double v) { v = u[1,0]; }\n"
                              "kernel broken(in double u, out double v) { assert(u < 3); v = u; }\n"
                              "kernel half(inout float h) { h = h*0.5; }\n";

enum { NX = 5, NY = 3, POINTS = NX * NY };

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    char message[2000];
} world;

static void receive(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(((world *)data)->message, sizeof((world *)data)->message, "%s", message);
}

static void open_world(world *w, const char *executor)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.executor = executor, .handler = receive, .handler_data = w});
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->g = kata_grid_2d(w->k, NX, NY);
    assert_true(kata_ok(w->k));
}

static kata_kernel *find(world *w, const char *name) { return kata_kernel_find(w->m, name); }

static const char *const executors[] = {"cpu", "reference"};

/* ---- wrapped memory -------------------------------------------------------------------------- */

static void test_a_field_is_on_the_programs_memory(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        world w;
        double a[NY + 2][NX + 2], b[NX][NY];
        open_world(&w, executors[e]);
        for (int i = 0; i < (NY + 2) * (NX + 2); i++) a[i / (NX + 2)][i % (NX + 2)] = i;
        kata_field *u = kata_field_wrap(w.g, "u", KATA_F64, &a[1][1], .stride = {1, NX + 2},
                                        .boundary = KATA_CLAMP);
        kata_field *v = kata_field_wrap(w.g, "v", KATA_F64, &b[0][0], .stride = {NY, 1});
        assert_true(kata_ok(w.k));
        kata_apply(find(&w, "right"), kata_all(w.g), u, v);
        kata_apply(find(&w, "where"), kata_all(w.g), u);
        assert_int_equal(kata_flush(w.k), KATA_OK);
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) {
                int from = x < NX - 1 ? x + 1 : x;
                assert_true(b[x][y] == (y + 1) * (NX + 2) + from + 1);
                assert_true(a[y + 1][x + 1] == x + 10 * y);
            }
        for (int i = 0; i < NX + 2; i++) assert_true(a[0][i] == i);
        for (int y = 0; y < NY + 2; y++) assert_true(a[y][0] == y * (NX + 2));
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

static void test_swapped_fields_stand_on_each_others_memory(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        world w;
        double a[POINTS] = {0}, b[POINTS] = {0};
        const double *where;
        kata_mapping at;
        open_world(&w, executors[e]);
        kata_field *u = kata_field_wrap(w.g, "u", KATA_F64, a);
        kata_field *v = kata_field_wrap(w.g, "v", KATA_F64, b);
        kata_field *own = kata_field_new(w.g, "own", KATA_F64);
        kata_apply(find(&w, "where"), kata_all(w.g), u);
        kata_swap(u, v);
        kata_apply(find(&w, "twice"), kata_all(w.g), v, u);
        assert_int_equal(kata_map(u, &where, &at), KATA_OK);
        assert_ptr_equal(where, b);
        assert_true(a[7] == 12 && b[7] == 24);
        kata_unmap(u);
        kata_rotate(u, v, own);
        kata_map(own, &where, &at);
        assert_ptr_equal(where, b);
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

static void test_neighbouring_fields_may_share_an_array(void **state)
{
    (void)state;
    world w;
    struct point {
        double u, v;
        float h[2];
    } points[POINTS] = {{0}};
    open_world(&w, "cpu");
    kata_field *u = kata_field_wrap(w.g, "u", KATA_F64, &points->u, .stride = {3});
    kata_field *v = kata_field_wrap(w.g, "v", KATA_F64, &points->v, .stride = {3});
    kata_field *h = kata_field_wrap(w.g, "h", KATA_F32, points->h, .stride = {6}, .components = 2,
                                    .component_stride = 1);
    assert_non_null(h);
    kata_apply(find(&w, "where"), kata_all(w.g), u);
    kata_apply(find(&w, "twice"), kata_all(w.g), u, v);
    kata_flush(w.k);
    for (int i = 0; i < POINTS; i++) {
        double x = i % NX + 10 * (i / NX); /* NOLINT */
        assert_true(points[i].u == x && points[i].v == 2 * x && points[i].h[1] == 0);
    }
    assert_null(kata_field_wrap(w.g, "x", KATA_F32, &points[1].h[1], .stride = {6}));
    assert_string_equal(w.message,
                        "error: kata_field_wrap: some of the memory of field 'x' is that "
                        "of another field");
    kata_error_clear(w.k);
    double *memory;
    kata_mapping at;
    kata_field *own = kata_field_new(w.g, "own", KATA_F64);
    kata_map(own, &memory, &at);
    assert_null(kata_field_wrap(w.g, "x", KATA_F64, memory + 3));
    kata_error_clear(w.k);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_a_failed_chain_leaves_no_result_in_wrapped_memory(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        world w;
        double a[POINTS], b[2 * POINTS];
        open_world(&w, executors[e]);
        for (int i = 0; i < 2 * POINTS; i++) b[i] = a[i / 2] = 5;
        kata_field *u = kata_field_wrap(w.g, "u", KATA_F64, a);
        kata_field *v = kata_field_wrap(w.g, "v", KATA_F64, b, .stride = {2});
        kata_apply(find(&w, "broken"), kata_all(w.g), u, v);
        assert_int_equal(kata_flush(w.k), KATA_ERROR_ASSERT);
        for (int i = 0; i < POINTS; i++)
            assert_true(a[i] == 5 && isnan(b[2 * i]) && b[2 * i + 1] == 5);
        kata_error_clear(w.k);
        kata_close(w.k);
    }
}

static void test_poison_spares_wrapped_memory(void **state)
{
    (void)state;
    world w;
    double a[POINTS] = {1, 2, 3}, got[POINTS];
    setenv("KATA_POISON", "1", 1);
    open_world(&w, "cpu");
    unsetenv("KATA_POISON");
    kata_field *u = kata_field_wrap(w.g, "u", KATA_F64, a);
    kata_get(u, kata_all(w.g), got, POINTS);
    assert_memory_equal(a, got, sizeof a);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_every_element_type_can_be_wrapped(void **state)
{
    (void)state;
    world w;
    int64_t longs[POINTS] = {0};
    int ints[POINTS] = {0};
    uint8_t bytes[2][POINTS] = {{0}};
    uint16_t halves[3][POINTS] = {{0}};
    int16_t shorts[POINTS] = {0};
    void *any = calloc(POINTS, sizeof(float));
    open_world(&w, "cpu");
    kata_field *h = kata_field_wrap(w.g, "h", KATA_F16, halves[0]);
    halves[0][0] = 0x3c00; /* 1 */
    assert_non_null(kata_field_wrap(w.g, "a", KATA_I64, longs));
    assert_non_null(kata_field_wrap(w.g, "b", KATA_I32, ints));
    assert_non_null(kata_field_wrap(w.g, "c", KATA_U8, bytes[0]));
    assert_non_null(kata_field_wrap(w.g, "d", KATA_UNORM8, bytes[1]));
    assert_non_null(kata_field_wrap(w.g, "e", KATA_BF16, halves[1]));
    assert_non_null(kata_field_wrap(w.g, "i", KATA_U16, halves[2]));
    assert_non_null(kata_field_wrap(w.g, "j", KATA_I16, shorts));
    assert_non_null(kata_field_wrap(w.g, "f", KATA_F32, any));
    kata_apply(find(&w, "half"), kata_all(w.g), h);
    assert_int_equal(kata_flush(w.k), KATA_OK);
    assert_int_equal(halves[0][0], 0x3800);
    assert_int_equal(kata_close(w.k), KATA_OK);
    free(any);
}

/* ---- mapping --------------------------------------------------------------------------------- */

static void test_a_map_has_what_kernels_computed_and_they_what_it_was_given(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++)
        for (int layout = KATA_ARRAYS; layout < KATA_BLOCKS; layout++) {
            world w;
            double *u;
            kata_mapping at;
            open_world(&w, executors[e]);
            kata_field *f = kata_field_new(w.g, "f", KATA_F64, .layout = (kata_layout)layout);
            kata_field *v = kata_field_like(f, "v");
            kata_apply(find(&w, "where"), kata_all(w.g), f);
            assert_int_equal(kata_map(f, &u, &at), KATA_OK);
            assert_ptr_equal(u, at.values);
            assert_int_equal(at.type, KATA_F64);
            assert_int_equal(at.components, 1);
            assert_int_equal(at.size[0] * at.size[1] * at.size[2], POINTS);
            assert_true(u[4 * at.stride[0] + 2 * at.stride[1]] == 24);
            u[4 * at.stride[0] + 2 * at.stride[1]] = 100;
            assert_int_equal(kata_unmap(f), KATA_OK);
            kata_apply(find(&w, "twice"), kata_all(w.g), f, v);
            double got[POINTS];
            kata_get(v, kata_all(w.g), got, POINTS);
            assert_true(got[14] == 200 && got[13] == 46);
            assert_int_equal(kata_close(w.k), KATA_OK);
        }
}

static void test_components_are_where_the_map_says(void **state)
{
    (void)state;
    world w;
    const float *p;
    kata_mapping at;
    float values[3 * POINTS];
    open_world(&w, "cpu");
    for (int i = 0; i < 3 * POINTS; i++) values[i] = (float)i;
    for (int layout = KATA_ARRAYS; layout < KATA_BLOCKS; layout++) {
        kata_field *f =
            kata_field_new(w.g, "f", KATA_F32, .components = 3, .layout = (kata_layout)layout);
        kata_put(f, kata_all(w.g), values, 3 * POINTS);
        kata_map(f, &p, &at);
        assert_int_equal(at.stride[0], layout == KATA_ARRAYS ? 1 : 3);
        for (int i = 0; i < 3 * POINTS; i++)
            assert_true(p[i % NX * at.stride[0] + i / NX % NY * at.stride[1] +
                          i / POINTS * at.component_stride] == (float)i);
        kata_unmap(f);
    }
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* What a call on a mapped field does: an error that names field and call. */
static void expect_refused(world *w, kata_status status, const char *message)
{
    assert_int_equal(status, KATA_ERROR_ARGUMENT);
    assert_string_equal(w->message, message);
    kata_error_clear(w->k);
}

static void test_a_mapped_field_is_the_programs(void **state)
{
    (void)state;
    world w;
    double *p, values[POINTS] = {0};
    kata_mapping at;
    open_world(&w, "cpu");
    kata_field *f = kata_field_new(w.g, "f", KATA_F64), *v = kata_field_like(f, "v");
    kata_field *other = kata_field_like(f, "other");
    kata_map(f, &p, &at);
    expect_refused(&w, kata_get(f, kata_all(w.g), values, POINTS),
                   "error: kata_get: field 'f' is mapped; call kata_unmap(f) first");
    expect_refused(&w, kata_put(f, kata_all(w.g), values, POINTS),
                   "error: kata_put: field 'f' is mapped; call kata_unmap(f) first");
    expect_refused(&w, kata_save(f, "f.npy"),
                   "error: kata_save: field 'f' is mapped; call kata_unmap(f) first");
    expect_refused(&w, kata_load(f, "f.npy"),
                   "error: kata_load: field 'f' is mapped; call kata_unmap(f) first");
    expect_refused(&w, kata_swap(v, f),
                   "error: kata_swap: field 'f' is mapped; call kata_unmap(f) first");
    expect_refused(&w, kata_rotate(v, other, f),
                   "error: kata_rotate: field 'f' is mapped; call kata_unmap(f) first");
    expect_refused(&w, kata_discard(f),
                   "error: kata_discard: field 'f' is mapped; call kata_unmap(f) first");
    expect_refused(&w, kata_map(f, &p, &at),
                   "error: kata_map: field 'f' is mapped; call kata_unmap(f) first");
    assert_null(p);
    assert_null(at.values);
    expect_refused(&w, kata_unmap(v), "error: kata_unmap: field 'v' is not mapped");
    kata_apply(find(&w, "twice"), kata_all(w.g), other, v); /* of other fields all is as ever */
    assert_int_equal(kata_boundary_set(f, KATA_X_LOW, KATA_CLAMP, 0), KATA_OK);
    assert_int_equal(kata_unmap(f), KATA_OK);
    assert_int_equal(kata_get(f, kata_all(w.g), values, POINTS), KATA_OK);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_unmap_works_after_an_error(void **state)
{
    (void)state;
    world w;
    double *p, value;
    kata_mapping at;
    open_world(&w, "cpu");
    kata_field *f = kata_field_new(w.g, "f", KATA_F64);
    kata_map(f, &p, &at);
    kata_grid_1d(w.k, -1);
    assert_int_equal(kata_unmap(f), KATA_ERROR_ARGUMENT);
    kata_error_clear(w.k);
    assert_int_equal(kata_get(f, kata_box_2d(w.g, 0, 1, 0, 1), &value, 1), KATA_OK);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* What the program writes to a traced point is reported as what kernels write. */
static void test_writes_to_a_map_are_traced(void **state)
{
    (void)state;
    world w;
    double *p;
    kata_mapping at;
    char line[100] = "", file[] = "/tmp/kata_map_XXXXXX";
    int made = mkstemp(file);
    assert_true(made >= 0);
    setenv("KATA_TRACE", "f@2,1", 1);
    setenv("KATA_TRACE_FILE", file, 1);
    open_world(&w, "cpu");
    unsetenv("KATA_TRACE");
    unsetenv("KATA_TRACE_FILE");
    kata_field *f = kata_field_new(w.g, "f", KATA_F64);
    kata_map(f, &p, &at);
    p[2 * at.stride[0] + at.stride[1]] = 7;
    kata_unmap(f);
    assert_int_equal(kata_close(w.k), KATA_OK);
    FILE *in = fdopen(made, "r");
    assert_non_null(fgets(line, sizeof line, in));
    assert_string_equal(line, "kata_unmap: f at [2, 1]: 0 -> 7\n");
    fclose(in);
    remove(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_field_is_on_the_programs_memory),
        cmocka_unit_test(test_swapped_fields_stand_on_each_others_memory),
        cmocka_unit_test(test_neighbouring_fields_may_share_an_array),
        cmocka_unit_test(test_a_failed_chain_leaves_no_result_in_wrapped_memory),
        cmocka_unit_test(test_poison_spares_wrapped_memory),
        cmocka_unit_test(test_every_element_type_can_be_wrapped),
        cmocka_unit_test(test_a_map_has_what_kernels_computed_and_they_what_it_was_given),
        cmocka_unit_test(test_components_are_where_the_map_says),
        cmocka_unit_test(test_a_mapped_field_is_the_programs),
        cmocka_unit_test(test_unmap_works_after_an_error),
        cmocka_unit_test(test_writes_to_a_map_are_traced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
