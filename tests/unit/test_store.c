/* Arrays of field values: layout, copies, conversions. */
/* Labels: hostile */
#include "store/store.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const grid_shape shapes[] = {
    {1, {1, 1, 1}},    {1, {13, 1, 1}},    {2, {512, 7, 1}},   {2, {511, 1, 1}},
    {3, {3, 5, 7}},    {3, {128, 4, 16}},  {3, {16, 16, 16}},  {2, {1024, 1024, 1}},
    {1, {4096, 1, 1}}, {3, {64, 128, 33}}, {2, {256, 256, 1}},
};

static store_array *array_new(const grid_shape *shape, kata_type type, int components)
{
    grid_box box = grid_shape_box(shape);
    return store_array_new(&box, type, components, KATA_ARRAYS);
}

static void rows_are_aligned_and_pitches_do_not_alias(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int type = KATA_F64; type < IR_STORAGE_COUNT; type++) {
            store_array *a = array_new(&shapes[i], (kata_type)type, 9);
            assert_non_null(a);
            int64_t element = store_type_bytes((kata_type)type);
            int64_t pitches[] = {a->pitch_y, a->pitch_z, a->pitch_component};
            assert_int_equal((uintptr_t)a->data % 64, 0);
            for (int p = 0; p < 3; p++) {
                assert_int_equal(pitches[p] * element % 64, 0);
                assert_int_not_equal(pitches[p] * element % 4096, 0);
            }
            assert_true(a->pitch_y >= shapes[i].size[0]);
            assert_true(a->pitch_z >= shapes[i].size[1] * a->pitch_y);
            assert_true(a->pitch_component >= shapes[i].size[2] * a->pitch_z);
            assert_true((int64_t)a->bytes >= 9 * a->pitch_component * element + 256);
            store_array_free(a);
        }
}

static void new_arrays_are_zero_and_slack_is_readable(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        store_array *a = array_new(&shapes[i], KATA_F64, 2);
        grid_box all = grid_shape_box(&shapes[i]);
        int64_t count = 2 * grid_box_points(&all);
        double *values = malloc((size_t)count * sizeof *values);
        const volatile unsigned char *bytes = a->memory;
        for (size_t b = 0; b < a->bytes; b++) (void)bytes[b];
        assert_non_null(values);
        store_read(a, &all, 2, KATA_F64, values);
        for (int64_t v = 0; v < count; v++) assert_true(values[v] == 0 && !signbit(values[v]));
        free(values);
        store_array_free(a);
    }
}

/* Which of the 64 lines of a page an element begins in. */
static unsigned set_of(const store_array *a, int component)
{
    static const int64_t origin[3] = {0};
    uintptr_t address = (uintptr_t)store_address(a, component, origin);
    assert_int_equal(address % 64, 0);
    return (unsigned)(address / 64 % 64);
}

/* Loads and stores of equal low bits get in each other's way: what a lattice reads and writes at a
 * point, 19 components of two arrays, has them all to itself. */
static void large_arrays_share_no_low_bits(void **state)
{
    (void)state;
    enum { VELOCITIES = 19 };
    grid_shape shape = {3, {64, 64, 64}};
    store_array *a = array_new(&shape, KATA_F64, VELOCITIES);
    store_array *b = array_new(&shape, KATA_F64, VELOCITIES);
    bool taken[64] = {false};
    /* where mapped memory begins is the same for both, in pages */
    for (int c = 0; c < VELOCITIES; c++) {
        assert_false(taken[set_of(a, c)]);
        taken[set_of(a, c)] = true;
    }
    for (int c = 0; c < VELOCITIES; c++) {
        assert_false(taken[set_of(b, c)]);
        taken[set_of(b, c)] = true;
    }
    store_array_free(a);
    store_array_free(b);
}

/* Indices below 0: x = 0 is aligned all the same, and all of the box lies in the memory. */
static void arrays_of_boxes_begin_below_zero(void **state)
{
    (void)state;
    grid_box box = {{-3, -2, -1}, {7, 5, 4}};
    for (int type = KATA_F64; type < IR_STORAGE_COUNT; type++) {
        store_array *a = store_array_new(&box, (kata_type)type, 2, KATA_ARRAYS);
        int64_t bytes = store_type_bytes((kata_type)type), count = 2 * grid_box_points(&box);
        assert_int_equal((uintptr_t)a->data % 64, 0);
        int64_t first = box.lo[0] + box.lo[1] * a->pitch_y + box.lo[2] * a->pitch_z;
        int64_t last = 6 + 4 * a->pitch_y + 3 * a->pitch_z + a->pitch_component;
        assert_true((char *)a->data + first * bytes >= (char *)a->memory);
        assert_true((char *)a->data + (last + 1) * bytes <= (char *)a->memory + a->bytes);
        unsigned char *values = malloc((size_t)(count * bytes)), *got;
        for (int64_t i = 0; i < count * bytes; i++) values[i] = (unsigned char)(i % 101);
        store_write(a, &box, (kata_type)type, values);
        got = calloc((size_t)count, (size_t)bytes);
        store_read(a, &box, 2, (kata_type)type, got);
        assert_memory_equal(got, values, (size_t)(count * bytes));
        free(values);
        free(got);
        store_array_free(a);
    }
}

/* As ranks put together what a program gets. */
static void arrays_of_boxes_far_from_zero_hold_all_their_values(void **state)
{
    (void)state;
    static const grid_box boxes[] = {{{123, 5, 1}, {127, 42, 16}},
                                     {{47, 0, 0}, {48, 1, 1}},
                                     {{4095, 3, 0}, {4097, 4, 2}},
                                     {{64, 0, 0}, {129, 7, 1}}};
    for (size_t i = 0; i < COUNT_OF(boxes); i++)
        for (int layout = KATA_ARRAYS; layout <= KATA_BLOCKS; layout++) {
            const grid_box *box = &boxes[i];
            const int64_t last[3] = {box->hi[0] - 1, box->hi[1] - 1, box->hi[2] - 1};
            store_array *a = store_array_new(box, KATA_F32, 2, (kata_layout)layout);
            assert_non_null(a);
            const char *memory = a->memory, *first_value = store_address(a, 0, box->lo);
            const char *last_value = store_address(a, 1, last);
            assert_true(first_value >= memory);
            assert_true(last_value + sizeof(float) + 256 <= memory + a->bytes);
            store_array_free(a);
        }
}

static void sizes_that_overflow_give_null(void **state)
{
    (void)state;
    grid_shape shape = {3, {INT64_MAX / 4, 4, 4}};
    assert_null(array_new(&shape, KATA_F64, 1));
    shape = (grid_shape){2, {(int64_t)1 << 40, (int64_t)1 << 20, 1}};
    assert_null(array_new(&shape, KATA_F64, 1024));
    store_array_free(NULL);
}

/* Writes a box of numbered values and finds them, and nothing else, in the whole. */
static void check_box(const grid_shape *shape, const grid_box *box, int components)
{
    grid_box all = grid_shape_box(shape);
    int64_t count = grid_box_points(box) * components, total = grid_box_points(&all) * components;
    double *values = calloc((size_t)count + 1, sizeof *values);
    double *whole = calloc((size_t)total, sizeof *whole);
    for (int64_t i = 0; i < count; i++) values[i] = (double)(i + 1);
    store_array *a = array_new(shape, KATA_F64, components);
    store_write(a, box, KATA_F64, values);
    store_read(a, &all, components, KATA_F64, whole);
    int64_t next = 0, at = 0;
    for (int c = 0; c < components; c++)
        for (int64_t z = 0; z < shape->size[2]; z++)
            for (int64_t y = 0; y < shape->size[1]; y++)
                for (int64_t x = 0; x < shape->size[0]; x++, at++) {
                    grid_box point = {{x, y, z}, {x + 1, y + 1, z + 1}};
                    bool inside = grid_box_contains(box, &point);
                    assert_true(whole[at] == (inside ? values[next] : 0));
                    next += inside;
                }
    assert_int_equal(next, count);
    memset(values, 0, (size_t)count * sizeof *values);
    store_read(a, box, components, KATA_F64, values);
    for (int64_t i = 0; i < count; i++) assert_true(values[i] == (double)(i + 1));
    store_array_free(a);
    free(values);
    free(whole);
}

static void boxes_go_in_and_out_in_plain_order(void **state)
{
    (void)state;
    check_box(&shapes[4], &(grid_box){{0, 0, 0}, {3, 5, 7}}, 1);
    check_box(&shapes[4], &(grid_box){{1, 2, 3}, {3, 4, 7}}, 3);
    check_box(&shapes[2], &(grid_box){{17, 1, 0}, {300, 6, 1}}, 2);
    check_box(&shapes[1], &(grid_box){{12, 0, 0}, {13, 1, 1}}, 1);
    check_box(&shapes[4], &(grid_box){{2, 2, 2}, {2, 5, 5}}, 2);
}

static void floating_types_convert_as_in_c(void **state)
{
    (void)state;
    static const double values[] = {0.1, -0.0, 1e300, 1e-300, NAN};
    enum { COUNT = COUNT_OF(values) };
    grid_shape shape = {1, {COUNT, 1, 1}};
    grid_box all = grid_shape_box(&shape);
    store_array *narrow = array_new(&shape, KATA_F32, 1);
    double wide[COUNT];
    float raw[COUNT];
    store_write(narrow, &all, KATA_F64, values);
    store_read(narrow, &all, 1, KATA_F64, wide);
    store_read(narrow, &all, 1, KATA_F32, raw);
    for (int i = 0; i < COUNT; i++) {
        volatile float expected = (float)values[i];
        assert_true(raw[i] == expected || (isnan(raw[i]) && isnan(expected)));
        assert_int_equal(signbit(raw[i]) != 0, signbit(values[i]) != 0);
        assert_true(wide[i] == (double)expected || isnan(wide[i]));
    }
    store_array_free(narrow);
}

/* A value of one type becomes one of another as a kernel would make it. */
static void floating_types_convert_one_into_another(void **state)
{
    (void)state;
    static const kata_type types[] = {KATA_F64, KATA_F32, KATA_F16, KATA_BF16, KATA_UNORM8};
    enum { COUNT = 300 }; /* more than a piece */
    grid_shape shape = {1, {COUNT, 1, 1}};
    grid_box all = grid_shape_box(&shape);
    for (size_t f = 0; f < COUNT_OF(types); f++)
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            ir_value from[COUNT] = {{0}}, to[COUNT] = {{0}}, expected[COUNT] = {{0}};
            size_t own = (size_t)store_type_bytes(types[f]),
                   other = (size_t)store_type_bytes(types[t]);
            bool wide = types[f] == KATA_F64 || types[t] == KATA_F64;
            ir_type between = wide ? IR_F64 : IR_F32;
            for (int i = 0; i < COUNT; i++) {
                char *element = (char *)from + (size_t)i * own;
                ir_storage_write(types[f], IR_F64, ir_value_of_double(IR_F64, i / 270.0), element);
                ir_storage_write(types[t], between, ir_storage_read(types[f], between, element),
                                 (char *)expected + (size_t)i * other);
            }
            store_array *a = array_new(&shape, types[t], 1);
            store_write(a, &all, types[f], from);
            store_read(a, &all, 1, types[t], to);
            assert_memory_equal(to, expected, COUNT * other);
            store_array_free(a);
            a = array_new(&shape, types[f], 1);
            store_write(a, &all, types[f], from);
            store_read(a, &all, 1, types[t], to);
            assert_memory_equal(to, expected, COUNT * other);
            store_array_free(a);
        }
}

static void only_like_types_convert(void **state)
{
    (void)state;
    assert_true(store_converts(KATA_F16, KATA_UNORM8) && store_converts(KATA_U8, KATA_UNORM8));
    assert_false(store_converts(KATA_U8, KATA_F32) || store_converts(KATA_I32, KATA_U8));
    assert_false(store_converts(KATA_I64, KATA_I32) || store_converts(KATA_F32, KATA_I32));
}

static void integers_keep_all_bits(void **state)
{
    (void)state;
    int64_t values[2] = {INT64_MIN, INT64_MAX - 1}, back[2];
    grid_shape shape = {1, {2, 1, 1}};
    grid_box all = grid_shape_box(&shape);
    store_array *a = array_new(&shape, KATA_I64, 1);
    store_write(a, &all, KATA_I64, values);
    store_read(a, &all, 1, KATA_I64, back);
    assert_memory_equal(values, back, sizeof back);
    store_array_free(a);
}

static void an_array_not_yet_made_reads_as_zero(void **state)
{
    (void)state;
    float values[6] = {1, 2, 3, 4, 5, 6};
    store_read(NULL, &(grid_box){{0, 0, 0}, {3, 1, 1}}, 2, KATA_F32, values);
    for (int i = 0; i < 6; i++) assert_true(values[i] == 0);
}

static void poison_is_nan_or_zero(void **state)
{
    (void)state;
    grid_shape shape = {2, {5, 3, 1}};
    grid_box all = grid_shape_box(&shape);
    static const kata_type with_nan[] = {KATA_F64, KATA_F32, KATA_F16, KATA_BF16};
    for (size_t t = 0; t < COUNT_OF(with_nan); t++) {
        double values[30];
        store_array *a = array_new(&shape, with_nan[t], 2);
        store_poison(a);
        store_read(a, &all, 2, KATA_F64, values);
        for (int i = 0; i < 30; i++) assert_true(isnan(values[i]));
        store_array_free(a);
    }
    int32_t values[15];
    store_array *a = array_new(&shape, KATA_I32, 1);
    for (int i = 0; i < 15; i++) values[i] = i + 1;
    store_write(a, &all, KATA_I32, values);
    store_poison(a);
    store_read(a, &all, 1, KATA_I32, values);
    for (int i = 0; i < 15; i++) assert_int_equal(values[i], 0);
    store_array_free(a);
}

/* The message about a field of f64 without memory. */
static void check_need(int64_t points, const char *needs)
{
    messages m = {0};
    chain_slot slot = {.shape = {1, {points, 1, 1}}, .components = 1};
    assert_int_equal(store_no_memory(&slot, "u", &m), KATA_ERROR_MEMORY);
    assert_non_null(strstr(text_get(&m.body), needs));
    text_free(&m.body);
}

static void a_field_without_memory_is_reported_with_its_size(void **state)
{
    (void)state;
    check_need(3, "field 'u' needs 24 bytes");
    check_need(4096, "field 'u' needs 32.8 kB");
    check_need(2250000, "field 'u' needs 18.0 MB");
    check_need(INT64_C(250000000), "field 'u' needs 2.0 GB");
}

/* A row of the window, written or read: all its values are the row's number. */
static void touch_row(store_window *w, int64_t y, bool write)
{
    for (int64_t i = 0; i < 2 * 9; i++) {
        const int64_t at[3] = {i % 9, y, 0};
        double *value = store_address(&w->array, (int)(i / 9), at);
        if (write) *value = (double)y;
        assert_true(*value == (double)y);
    }
}

/* Steps of a few rows: a first loop writes them, another one reads rows that lie behind. */
static void rows_stay_in_a_window_as_long_as_they_are_needed(void **state)
{
    (void)state;
    enum { ROWS = 200, BEHIND = 3 };
    for (int64_t step = 1; step <= 7; step++) {
        store_window w;
        chain_slot field = {.shape = {2, {9, ROWS, 1}}, .type = KATA_F64, .components = 2};
        const int64_t capacity[3] = {0, step + BEHIND, 0};
        const grid_box all = {{0, 0, 0}, {9, ROWS, 1}};
        const bool moves[3] = {false, true, false};
        assert_true(store_window_make(&w, &field, capacity, moves, &all));
        store_window_clear(&w, true);
        for (int64_t y = 0; y + step <= ROWS; y += step) {
            grid_box ahead = {{0, y, 0}, {9, y + step, 1}};
            grid_box behind = {{0, larger(y - BEHIND, 0), 0}, {9, y + step, 1}};
            store_window_show(&w, &ahead);
            for (int64_t k = ahead.lo[1]; k < ahead.hi[1]; k++) touch_row(&w, k, true);
            store_window_show(&w, &behind);
            for (int64_t k = behind.lo[1]; k < behind.hi[1]; k++) touch_row(&w, k, false);
        }
        assert_true(w.moves > ROWS / (4 * (step + BEHIND)));
        store_window_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_aligned_and_pitches_do_not_alias),
        cmocka_unit_test(new_arrays_are_zero_and_slack_is_readable),
        cmocka_unit_test(large_arrays_share_no_low_bits),
        cmocka_unit_test(arrays_of_boxes_begin_below_zero),
        cmocka_unit_test(arrays_of_boxes_far_from_zero_hold_all_their_values),
        cmocka_unit_test(sizes_that_overflow_give_null),
        cmocka_unit_test(boxes_go_in_and_out_in_plain_order),
        cmocka_unit_test(floating_types_convert_as_in_c),
        cmocka_unit_test(floating_types_convert_one_into_another),
        cmocka_unit_test(only_like_types_convert),
        cmocka_unit_test(integers_keep_all_bits),
        cmocka_unit_test(an_array_not_yet_made_reads_as_zero),
        cmocka_unit_test(poison_is_nan_or_zero),
        cmocka_unit_test(rows_stay_in_a_window_as_long_as_they_are_needed),
        cmocka_unit_test(a_field_without_memory_is_reported_with_its_size),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
