/* kata_copy: every value lands where a plain loop puts it, whatever runs it; wrong copies are
 * refused. */
/* Labels: hostile */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- copies beside plain loops --------------------------------------------------------------- */

enum { LARGEST = 40000, ROUNDS = 300 };

static uint64_t state;

static int from(int low, int high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (int)((state >> 33) % (uint64_t)(high - low + 1));
}

/* A field with ghosts, and its values in plain order. */
typedef struct side {
    kata_grid *g;
    kata_field *f;
    int rank, components;
    int64_t lo[3], size[3]; /* with ghosts */
    double *values;
} side;

static kata_grid *make_grid(kata *k, int rank, const int64_t n[3])
{
    if (rank == 1) return kata_grid_1d(k, n[0]);
    if (rank == 2) return kata_grid_2d(k, n[0], n[1]);
    return kata_grid_3d(k, n[0], n[1], n[2]);
}

static kata_range range_of(const side *s, const int64_t lo[3], const int64_t hi[3])
{
    if (s->rank == 1) return kata_box_1d(s->g, lo[0], hi[0]);
    if (s->rank == 2) return kata_box_2d(s->g, lo[0], hi[0], lo[1], hi[1]);
    return kata_box_3d(s->g, lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
}

static kata_range all_of(const side *s)
{
    int64_t hi[3];
    for (int d = 0; d < 3; d++) hi[d] = s->lo[d] + s->size[d];
    return range_of(s, s->lo, hi);
}

static int64_t values_of(const side *s)
{
    return s->size[0] * s->size[1] * s->size[2] * s->components;
}

static double *value_at(const side *s, int c, const int64_t at[3])
{
    int64_t i = c;
    for (int d = 2; d >= 0; d--) i = i * s->size[d] + at[d] - s->lo[d];
    return &s->values[i];
}

static void make_side(kata *k, side *s, const char *name, kata_type type, int components)
{
    int64_t n[3] = {1, 1, 1};
    int ghosts = from(0, 2), most = from(0, 9) ? 12 : 33;
    *s = (side){.rank = from(1, 3), .components = components, .lo = {0, 0, 0}, .size = {1, 1, 1}};
    for (int d = 0; d < s->rank; d++) {
        n[d] = from(1, s->rank == 1 ? 300 : most);
        s->lo[d] = -ghosts;
        s->size[d] = n[d] + 2 * ghosts;
    }
    s->g = make_grid(k, s->rank, n);
    s->f = kata_field_new(s->g, name, type, .components = components, .ghosts = ghosts,
                          .layout = (kata_layout)from(0, 2));
    int64_t count = values_of(s);
    s->values = malloc((size_t)count * sizeof(double));
    assert_non_null(s->values);
    bool bytes = type == KATA_U8 || type == KATA_I32 || type == KATA_I64;
    for (int64_t i = 0; i < count; i++) s->values[i] = bytes ? from(0, 200) : from(0, 255) / 255.0;
}

/* Values as the field holds them. */
static void put(const side *s, kata_type type)
{
    static int64_t longs[LARGEST];
    static int ints[LARGEST];
    static uint8_t bytes[LARGEST];
    kata_range all = all_of(s);
    int64_t count = values_of(s);
    assert_true(count <= LARGEST);
    for (int64_t i = 0; i < count; i++) {
        longs[i] = (int64_t)s->values[i];
        ints[i] = (int)longs[i];
        bytes[i] = (uint8_t)longs[i];
    }
    if (type == KATA_I64) kata_put(s->f, all, longs, count);
    if (type == KATA_I32) kata_put(s->f, all, ints, count);
    if (type == KATA_U8) kata_put(s->f, all, bytes, count);
    if (type != KATA_I64 && type != KATA_I32 && type != KATA_U8)
        kata_put(s->f, all, s->values, count);
}

static double *got(const side *s, kata_type type)
{
    static double values[LARGEST];
    static int64_t longs[LARGEST];
    static int ints[LARGEST];
    static uint8_t bytes[LARGEST];
    kata_range all = all_of(s);
    int64_t count = values_of(s);
    if (type == KATA_I64) kata_get(s->f, all, longs, count);
    if (type == KATA_I32) kata_get(s->f, all, ints, count);
    if (type == KATA_U8) kata_get(s->f, all, bytes, count);
    for (int64_t i = 0; i < count; i++)
        values[i] = type == KATA_I64 ? (double)longs[i] : type == KATA_I32 ? ints[i] : bytes[i];
    if (type != KATA_I64 && type != KATA_I32 && type != KATA_U8) kata_get(s->f, all, values, count);
    return values;
}

/* A random permutation of 1, 2, 3 with signs. */
static void draw_axes(int axes[3])
{
    for (int d = 0; d < 3; d++) axes[d] = d + 1;
    for (int d = 2; d > 0; d--) {
        int other = from(0, d), axis = axes[d];
        axes[d] = axes[other];
        axes[other] = axis;
    }
    for (int d = 0; d < 3; d++)
        if (from(0, 1)) axes[d] = -axes[d];
}

/* Copies a random box, and does the same with plain loops. */
static void copy_once(side *to, const side *source)
{
    int axes[3];
    int64_t to_lo[3], to_hi[3], from_lo[3], from_hi[3], i[3];
    draw_axes(axes);
    for (int d = 0; d < 3; d++) {
        int e = abs(axes[d]) - 1;
        int64_t least = to->size[d] < source->size[e] ? to->size[d] : source->size[e];
        int64_t extent = from(0, 3) ? from(1, (int)least) : least;
        to_lo[d] = to->lo[d] + from(0, (int)(to->size[d] - extent));
        from_lo[e] = source->lo[e] + from(0, (int)(source->size[e] - extent));
        to_hi[d] = to_lo[d] + extent;
        from_hi[e] = from_lo[e] + extent;
    }
    kata_copy(to->f, range_of(to, to_lo, to_hi), source->f, range_of(source, from_lo, from_hi),
              .axes = {axes[0], axes[1], axes[2]});
    for (int c = 0; c < to->components; c++)
        for (i[2] = 0; i[2] < to_hi[2] - to_lo[2]; i[2]++)
            for (i[1] = 0; i[1] < to_hi[1] - to_lo[1]; i[1]++)
                for (i[0] = 0; i[0] < to_hi[0] - to_lo[0]; i[0]++) {
                    int64_t at[3], of[3];
                    for (int d = 0; d < 3; d++) {
                        int e = abs(axes[d]) - 1;
                        at[d] = to_lo[d] + i[d];
                        of[e] = axes[d] > 0 ? from_lo[e] + i[d] : from_hi[e] - 1 - i[d];
                    }
                    *value_at(to, c, at) = *value_at(source, c, of);
                }
}

static void check(const side *s, kata_type type)
{
    const double *values = got(s, type);
    for (int64_t i = 0; i < values_of(s); i++) {
        bool rounds = type == KATA_F16 || type == KATA_BF16 || type == KATA_F32;
        double off = fabs(values[i] - s->values[i]);
        assert_true(rounds || type == KATA_UNORM8 ? off <= 0.004 : off == 0);
    }
}

static void check_executor(const char *executor, int threads, int rounds)
{
    state = 1;
    kata *k = kata_open(&(kata_options){.executor = executor, .threads = threads});
    for (int r = 0; r < rounds; r++) {
        kata_type type = (kata_type)from(0, KATA_UNORM8);
        int components = from(1, 3);
        side a, b;
        make_side(k, &a, "a", type, components);
        make_side(k, &b, "b", type, components);
        if (values_of(&a) <= LARGEST && values_of(&b) <= LARGEST) {
            put(&a, type);
            put(&b, type);
            for (int i = 0; i < 3; i++) copy_once(&a, &b);
            copy_once(&b, &a);
            check(&b, type);
            check(&a, type);
        }
        free(a.values);
        free(b.values);
        assert_true(kata_ok(k));
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

static void copies_equal_plain_loops(void **data)
{
    (void)data;
    check_executor("reference", 1, ROUNDS / 3);
    check_executor("plan", 1, ROUNDS / 3);
    check_executor("cpu", 1, ROUNDS);
    check_executor("cpu", 3, ROUNDS);
}

/* Large enough for threads, blocks and caches. */
static void large_fields_are_turned(void **data)
{
    (void)data;
    enum { N = 700, M = 450 };
    static double a[M][N], b[N][M];
    kata *k = kata_open(&(kata_options){.threads = 2});
    kata_grid *wide = kata_grid_2d(k, N, M), *high = kata_grid_2d(k, M, N);
    kata_field *u = kata_field_new(wide, "u", KATA_F64), *v = kata_field_new(high, "v", KATA_F64);
    for (int y = 0; y < M; y++)
        for (int x = 0; x < N; x++) a[y][x] = x + 1e-3 * y;
    kata_put(u, kata_all(wide), &a[0][0], N * M);
    kata_copy(v, kata_all(high), u, kata_all(wide), .axes = {-2, 1});
    kata_get(v, kata_all(high), &b[0][0], N * M);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < M; x++) assert_true(b[y][x] == a[M - 1 - x][y]);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* ---- what else is said of kernels ------------------------------------------------------------ */

typedef struct world {
    kata *k;
    kata_grid *g, *line;
    kata_field *u, *v, *w;
    char message[1000];
} world;

static void keep(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(((world *)data)->message, 1000, "%s", message);
}

static void open_world(world *w)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = keep, .handler_data = w});
    w->g = kata_grid_2d(w->k, 8, 6);
    w->line = kata_grid_1d(w->k, 6);
    w->u = kata_field_new(w->g, "u", KATA_F64);
    w->v = kata_field_like(w->u, "v");
    w->w = kata_field_new(w->line, "w", KATA_F64);
}

static double value_of(world *w, kata_field *f, int64_t x, int64_t y)
{
    double value = 0;
    kata_get(f, kata_box_2d(w->g, x, x + 1, y, y + 1), &value, 1);
    return value;
}

/* A queued copy reads the values that were there when it was made. */
static void a_put_after_a_copy_is_not_copied(void **data)
{
    world w;
    double old[48], new[48];
    (void)data;
    open_world(&w);
    for (int i = 0; i < 48; i++) old[i] = i, new[i] = -i;
    kata_put(w.u, kata_all(w.g), old, 48);
    kata_copy(w.v, kata_all(w.g), w.u, kata_all(w.g));
    kata_put(w.u, kata_all(w.g), new, 48);
    assert_true(value_of(&w, w.v, 3, 2) == 19);
    assert_true(value_of(&w, w.u, 3, 2) == -19);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void columns_become_lines(void **data)
{
    world w;
    double values[48], line[6];
    (void)data;
    open_world(&w);
    for (int i = 0; i < 48; i++) values[i] = i;
    kata_put(w.u, kata_all(w.g), values, 48);
    kata_copy(w.w, kata_all(w.line), w.u, kata_box_2d(w.g, 3, 4, 0, 6), .axes = {-2});
    kata_get(w.w, kata_all(w.line), line, 6);
    for (int i = 0; i < 6; i++) assert_true(line[i] == 8 * (5 - i) + 3);
    kata_copy(w.u, kata_box_2d(w.g, 0, 4, 0, 6), w.u, kata_box_2d(w.g, 4, 8, 0, 6));
    assert_true(value_of(&w, w.u, 1, 1) == 13);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* A temporary is written by a copy and read by one; a discarded field is whole again. */
static void copies_make_values(void **data)
{
    world w;
    (void)data;
    open_world(&w);
    kata_field *t = kata_field_new(w.g, "t", KATA_F64, .temporary = true);
    kata_fill(w.u, kata_all(w.g), 2.5);
    kata_copy(t, kata_all(w.g), w.u, kata_all(w.g));
    kata_discard(w.v);
    kata_copy(w.v, kata_all(w.g), t, kata_all(w.g));
    kata_step(w.k);
    assert_true(value_of(&w, w.v, 7, 5) == 2.5);
    kata_copy(w.v, kata_all(w.g), t, kata_all(w.g));
    assert_int_equal(kata_error(w.k), KATA_ERROR_APPLICATION);
    assert_non_null(strstr(w.message, "field 't', which is temporary, has no values at"));
    kata_error_clear(w.k);
    kata_discard(w.u);
    kata_copy(w.v, kata_all(w.g), w.u, kata_all(w.g));
    assert_non_null(strstr(w.message, "the value of field 'u' was discarded"));
    kata_close(w.k);
}

static void a_copy_is_eager_where_all_is(void **data)
{
    world w;
    kata_work work;
    (void)data;
    setenv("KATA_EAGER", "1", 1);
    open_world(&w);
    unsetenv("KATA_EAGER");
    kata_copy(w.v, kata_all(w.g), w.u, kata_all(w.g));
    kata_work_done(w.k, &work);
    assert_int_equal(work.loops, 1);
    assert_int_equal(work.points, 48);
    kata_close(w.k);
}

/* What was checked is remembered: another source, and other axes, are another copy. */
static void copies_that_differ_are_told_apart(void **data)
{
    world w;
    double values[48];
    (void)data;
    open_world(&w);
    for (int i = 0; i < 48; i++) values[i] = i;
    kata_put(w.u, kata_all(w.g), values, 48);
    kata_range half = kata_box_2d(w.g, 0, 4, 0, 6), square = kata_box_2d(w.g, 0, 6, 0, 6);
    for (int round = 0; round < 3; round++) {
        for (int x = 0; x < 5; x++) {
            kata_copy(w.v, half, w.u, kata_box_2d(w.g, x, x + 4, 0, 6));
            assert_true(value_of(&w, w.v, 1, 3) == 25 + x);
        }
        kata_copy(w.v, square, w.u, square);
        assert_true(value_of(&w, w.v, 1, 3) == 25);
        kata_copy(w.v, square, w.u, square, .axes = {2, 1});
        assert_true(value_of(&w, w.v, 1, 3) == 11);
        kata_copy(w.v, square, w.u, square, .axes = {-1, 2});
        assert_true(value_of(&w, w.v, 1, 3) == 28);
    }
    double *lent;
    kata_mapping at;
    kata_map(w.v, &lent, &at);
    kata_copy(w.v, square, w.u, square);
    assert_non_null(strstr(w.message, "kata_copy: field 'v' is mapped"));
    kata_close(w.k);
}

/* ---- wrong copies ---------------------------------------------------------------------------- */

static void refused(world *w, kata_status status, const char *expected)
{
    if (kata_error(w->k) != status || !strstr(w->message, expected))
        fail_msg("'%s' is expected, not '%s'", expected, w->message);
    kata_error_clear(w->k);
    assert_int_equal(kata_flush(w->k), KATA_OK);
}

static void wrong_copies_are_refused(void **data)
{
    world w;
    (void)data;
    open_world(&w);
    kata_range all = kata_all(w.g), half = kata_box_2d(w.g, 0, 4, 0, 6);
    kata_field *f = kata_field_new(w.g, "f", KATA_F32);
    kata_field *two = kata_field_new(w.g, "two", KATA_F64, .components = 2);
    kata_copy(w.u, all, f, all);
    refused(&w, KATA_ERROR_ARGUMENT, "field 'f' holds f32, field 'u' f64; copies do not convert");
    kata_copy(w.u, all, two, all);
    refused(&w, KATA_ERROR_ARGUMENT, "field 'two' has 2 components, field 'u' has 1");
    kata_copy(w.u, all, w.v, half);
    refused(&w, KATA_ERROR_ARGUMENT,
            "x of 'u' runs along x of 'v', but the ranges have 8 and 4 points there");
    kata_copy(w.u, all, w.v, all, .axes = {2, 1});
    refused(&w, KATA_ERROR_ARGUMENT,
            "x of 'u' runs along y of 'v', but the ranges have 8 and 6 points there");
    kata_copy(w.u, all, w.v, all, .axes = {1, -1});
    refused(&w, KATA_ERROR_ARGUMENT, "the axes are {1, -1, 0}; each of 1 (x), 2 (y) and 3 (z)");
    kata_copy(w.u, all, w.v, all, .axes = {1, 2, 4});
    refused(&w, KATA_ERROR_ARGUMENT, "the axes are {1, 2, 4}");
    kata_copy(w.u, half, w.u, kata_box_2d(w.g, 3, 7, 0, 6));
    refused(&w, KATA_ERROR_ARGUMENT,
            "field 'u' is copied to itself, and the two ranges overlap at [3, 4) x [0, 6)");
    kata_copy(w.u, kata_ghost(w.u, KATA_X_LOW, 1), w.v, kata_face(w.g, KATA_X_LOW, 1));
    refused(&w, KATA_ERROR_ARGUMENT,
            "the range [-1, 0) x [0, 6) reaches outside field 'u', which has [0, 8) x [0, 6)");
    kata_copy(w.u, all, w.w, all);
    refused(&w, KATA_ERROR_ARGUMENT, "the range is of another grid than field 'w'");
    kata_copy(w.u, kata_color(all, 2, 0), w.v, all);
    refused(&w, KATA_ERROR_ARGUMENT, "a coloured range is for kernels");
    kata_copy(w.u, kata_needed(w.g), w.v, all);
    refused(&w, KATA_ERROR_ARGUMENT, "kata_needed is for kernels");
    kata_copy(w.u, all, NULL, all);
    assert_int_equal(kata_error(w.k), KATA_OK);
    assert_non_null(strstr(__FILE__, "test_copy_field.c"));
    kata_copy(w.u, all, f, all);
    refused(&w, KATA_ERROR_ARGUMENT, "test_copy_field.c:");
    kata_close(w.k);
}

/* ---- fills and coarse grids ------------------------------------------------------------------ */

static void fills_set_every_component(void **data)
{
    world w;
    double values[96];
    int64_t longs[48];
    (void)data;
    open_world(&w);
    kata_field *two = kata_field_new(w.g, "two", KATA_F64, .components = 2);
    kata_field *count = kata_field_new(w.g, "count", KATA_I64);
    kata_field *profile = kata_field_new(w.g, "profile", KATA_F32, .along = KATA_Y);
    kata_scalar *s = kata_scalar_new(w.k, "s", KATA_F64);
    kata_scalar_set(s, 0.75);
    kata_fill(two, kata_all(w.g), s);
    kata_fill(two, kata_box_2d(w.g, 0, 1, 0, 1), -1.5);
    kata_fill(count, kata_all(w.g), INT64_C(1) << 60);
    kata_fill(profile, kata_on(profile), 3);
    kata_get(two, kata_all(w.g), values, 96);
    for (int i = 0; i < 96; i++) assert_true(values[i] == (i % 48 ? 0.75 : -1.5));
    kata_get(count, kata_all(w.g), longs, 48);
    for (int i = 0; i < 48; i++) assert_true(longs[i] == INT64_C(1) << 60);
    kata_get(profile, kata_on(profile), values, 6);
    for (int i = 0; i < 6; i++) assert_true(values[i] == 3);
    kata_fill(count, kata_all(w.g), 0.5);
    refused(&w, KATA_ERROR_ARGUMENT, "is the floating-point number 0.5 where long is expected");
    kata_close(w.k);
}

static void coarse_grids_have_fewer_points(void **data)
{
    world w;
    (void)data;
    open_world(&w);
    kata_grid *coarse = kata_grid_coarsen(w.g, 4, 2, 1);
    kata_range all = kata_all(coarse);
    assert_int_equal(all.rank, 2);
    assert_int_equal(all.hi[0], 2);
    assert_int_equal(all.hi[1], 3);
    assert_int_equal(all.hi[2], 1);
    assert_null(kata_grid_coarsen(w.g, 2, 4, 1));
    refused(&w, KATA_ERROR_ARGUMENT, "the grid has 6 points along y, which 4 does not divide");
    assert_null(kata_grid_coarsen(w.g, 0, 1, 1));
    refused(&w, KATA_ERROR_ARGUMENT, "the ratio along x is 0; it is at least 1");
    kata_close(w.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_equal_plain_loops),
        cmocka_unit_test(large_fields_are_turned),
        cmocka_unit_test(a_put_after_a_copy_is_not_copied),
        cmocka_unit_test(columns_become_lines),
        cmocka_unit_test(copies_make_values),
        cmocka_unit_test(a_copy_is_eager_where_all_is),
        cmocka_unit_test(copies_that_differ_are_told_apart),
        cmocka_unit_test(wrong_copies_are_refused),
        cmocka_unit_test(fills_set_every_component),
        cmocka_unit_test(coarse_grids_have_fewer_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
