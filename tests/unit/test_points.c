/* Points between grid points: the same bits whatever runs the loops, recording is the transpose of
 * injecting, linear weights are exact for linear fields, and sums have the order of kata.h. */
/* Labels: hostile slow */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t state;

static double draw(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

static int from(int low, int high) { return (int)floor(draw(low, high + 1)); }

static void report(void *data, kata_status status, const char *message)
{
    (void)data;
    if (status) fprintf(stderr, "%s\n", message);
}

/* ---- the same bits by every plan ------------------------------------------------------------- */

static const char wave_text[] =
    "kernel wave2(in double u, inout double v, in double m) {\n"
    "    v = 2*u - v + m * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u);\n"
    "}\n"
    "kernel wave3(in double u, inout double v, in double m) {\n"
    "    v = 2*u - v + m * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1]"
    " - 6*u);\n"
    "}\n"
    "kernel wave1(in double u, inout double v, in double m) {\n"
    "    v = 2*u - v + m * (u[-1] + u[1] - 2*u);\n"
    "}\n";

enum { MOST_POINTS = 40, STEPS = 12, MOST_VALUES = 40000 };

/* A program, drawn from its seed: the same by every setting. */
typedef struct setting {
    const char *executor, *plan;
    int threads;
    int64_t memory;
} setting;

typedef struct outcome {
    int64_t count, traced;
    double u[MOST_VALUES], traces[STEPS * MOST_POINTS];
} outcome;

static kata_grid *make_grid(kata *k, int rank, const int64_t n[3])
{
    if (rank == 1) return kata_grid_1d(k, n[0]);
    if (rank == 2) return kata_grid_2d(k, n[0], n[1]);
    return kata_grid_3d(k, n[0], n[1], n[2]);
}

static kata_points *make_points(kata_grid *g, const char *name, int rank, const int64_t n[3],
                                int count)
{
    double at[MOST_POINTS * 3];
    int reach = from(0, 3) ? 0 : from(1, 2);
    for (int i = 0; i < count; i++)
        for (int d = 0; d < rank; d++) {
            double x = draw(reach, (double)n[d] - 1 - reach);
            at[i * rank + d] = from(0, 3) ? x : floor(x);
            if (i && !from(0, 3)) at[i * rank + d] = at[(i - 1) * rank + d];
        }
    return kata_points_new(g, name, at, count, .reach = reach);
}

static void run(uint64_t seed, const setting *s, outcome *out)
{
    state = seed * 2654435761u + 12345;
    kata *k = kata_open(&(kata_options){.executor = s->executor,
                                        .plan = s->plan,
                                        .threads = s->threads,
                                        .memory = s->memory,
                                        .wait = true,
                                        .handler = report});
    kata_module *m = kata_module_from_text(k, "wave", wave_text);
    int rank = from(1, 3), sources = from(1, MOST_POINTS), receivers = from(1, MOST_POINTS);
    int64_t n[3] = {1, 1, 1};
    for (int d = 0; d < rank; d++) n[d] = from(8, rank == 1 ? 300 : rank == 2 ? 70 : 24);
    kata_grid *g = make_grid(k, rank, n);
    kata_type type = from(0, 2) ? KATA_F32 : KATA_F64;
    kata_rule rule = from(0, 1) ? KATA_PERIODIC : KATA_CLAMP;
    kata_field *u = kata_field_new(g, "u", type, .boundary = rule), *v = kata_field_like(u, "v");
    kata_field *scale = kata_field_new(g, "m", KATA_F64, .along = from(0, 1) ? KATA_X : 0);
    kata_field *full = kata_field_new(g, "full", KATA_F64);
    bool scaled = from(0, 1), chained = from(0, 1);
    kata_points *from_here = make_points(g, "sources", rank, n, sources);
    kata_points *to_here = make_points(g, "receivers", rank, n, chained ? sources : receivers);
    if (chained) receivers = sources;
    kata_scalar *traces =
        kata_scalar_array_new(k, "traces", from(0, 1) ? KATA_F64 : KATA_F32, receivers);
    kata_scalar_log(traces, STEPS);
    kata_fill(scale, kata_on(scale), 0.25);
    kata_fill(full, kata_on(full), 0.2);
    char name[] = {'w', 'a', 'v', 'e', (char)('0' + rank), '\0'};
    kata_kernel *wave = kata_kernel_find(m, name);
    for (int step = 0; step < STEPS; step++) {
        double values[MOST_POINTS];
        for (int i = 0; i < sources; i++) values[i] = draw(-1, 1);
        kata_apply(wave, kata_all(g), u, v, full);
        if (scaled)
            kata_inject(from_here, kata_table_of(KATA_F64, values, sources), v, .scale = scale);
        else
            kata_inject(from_here, kata_table_of(KATA_F64, values, sources), v);
        if (chained && step) kata_inject(from_here, traces, v);
        kata_record(to_here, traces, v);
        kata_swap(u, v);
        kata_step(k);
    }
    out->count = n[0] * n[1] * n[2];
    out->traced = (int64_t)STEPS * receivers;
    kata_get(u, kata_all(g), out->u, out->count);
    kata_scalar_log_get(traces, out->traces, out->traced);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void expect_same(const outcome *a, const outcome *b, uint64_t seed, const char *plan)
{
    assert_int_equal(a->count, b->count);
    if (memcmp(a->u, b->u, (size_t)a->count * sizeof *a->u) != 0 ||
        memcmp(a->traces, b->traces, (size_t)a->traced * sizeof *a->traces) != 0)
        fail_msg("seed %llu differs by '%s'", (unsigned long long)seed, plan);
}

static void every_plan_gives_the_bits_of_the_reference(void **unused)
{
    static const setting settings[] = {
        {"cpu", NULL, 1, 0},
        {"cpu", NULL, 3, 0},
        {"cpu", "loops", 2, 0},
        {"cpu", "skewed z=5 y=7", 2, 0},
        {"cpu", "tiled cache=16384", 3, 0},
        {"cpu", "shared cache=16384", 2, 0},
        {"cpu", "overlapped z=6 y=6", 2, 0},
        {"cpu", "windowed cache=4096 threads=2", 2, 0},
        {"cpu", "sliding", 2, 0},
        {"cpu", "diamond y=9", 2, 0},
        {"cpu", NULL, 2, 8192},
        {"plan", "skewed z=5 y=7", 1, 0},
        {"plan", "overlapped z=6 y=6 x=9", 1, 0},
        {"plan", "windowed cache=4096", 1, 0},
        {"plan", "blocked parts.y=2 every=3", 1, 0},
        {"plan", "streamed z=4", 1, 0},
    };
    enum { SEEDS = 24 };
    static outcome expected, found;
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run(seed, &(setting){"reference", NULL, 1, 0}, &expected);
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
            if (i % 4 != seed % 4) continue;
            run(seed, &settings[i], &found);
            expect_same(&expected, &found, seed, settings[i].plan ? settings[i].plan : "none");
        }
    }
}

/* ---- laws ------------------------------------------------------------------------------------ */

enum { NX = 19, NY = 17, NZ = 13, ALL = NX * NY * NZ, COUNT = 30 };

typedef struct space {
    kata *k;
    kata_grid *g;
    char message[1000];
} space;

static void keep(void *data, kata_status status, const char *message)
{
    space *s = data;
    (void)status;
    snprintf(s->message, sizeof s->message, "%s", message);
}

static void open_space(space *s)
{
    *s = (space){.message = ""};
    s->k = kata_open(&(kata_options){.threads = 2, .handler = keep, .handler_data = s});
    s->g = kata_grid_3d(s->k, NX, NY, NZ);
}

/* Points well inside, at indices. */
static void draw_points(double at[COUNT][3], double margin)
{
    const int n[3] = {NX, NY, NZ};
    for (int i = 0; i < COUNT; i++)
        for (int d = 0; d < 3; d++) at[i][d] = draw(margin, n[d] - 1 - margin);
}

/* <inject a, u> = <a, record u>, with and without a scale. */
static void recording_is_the_transpose_of_injecting(void **unused)
{
    static double u[ALL], added[ALL];
    space s;
    (void)unused;
    state = 5;
    open_space(&s);
    for (int round = 0; round < 12; round++) {
        double at[COUNT][3], a[COUNT], recorded[COUNT], left = 0, right = 0, size = 0;
        const int reach = round % 4;
        draw_points(at, reach);
        kata_points *p = kata_points_new(s.g, "p", at[0], COUNT, .reach = reach);
        kata_field *f =
            kata_field_new(s.g, "f", KATA_F64, .components = 2, .layout = (kata_layout)(round % 3));
        kata_field *scale =
            round % 2 ? kata_field_new(s.g, "scale", KATA_F64, .along = KATA_Z) : NULL;
        kata_scalar *r = kata_scalar_array_new(s.k, "r", KATA_F64, COUNT);
        static double both[2 * ALL];
        for (int i = 0; i < ALL; i++) both[ALL + i] = u[i] = draw(-1, 1);
        for (int i = 0; i < COUNT; i++) a[i] = draw(-1, 1);
        if (scale) {
            double m[NZ];
            for (int z = 0; z < NZ; z++) m[z] = draw(0.5, 2);
            kata_put(scale, kata_on(scale), m, NZ);
        }
        kata_inject(p, a, f, .scale = scale, .component = 1);
        kata_get(f, kata_all(s.g), both, 2 * ALL);
        memcpy(added, both + ALL, sizeof added);
        for (int i = 0; i < ALL; i++) assert_true(both[i] == 0);
        memcpy(both + ALL, u, sizeof u);
        kata_put(f, kata_all(s.g), both, 2 * ALL);
        kata_record(p, r, f, .scale = scale, .component = 1);
        kata_scalar_get_all(r, recorded, COUNT);
        for (int i = 0; i < ALL; i++) left += added[i] * u[i];
        for (int i = 0; i < COUNT; i++) right += a[i] * recorded[i];
        for (int i = 0; i < ALL; i++) size += fabs(added[i] * u[i]);
        assert_true(size > 1);
        assert_true(fabs(left - right) <= 1e-13 * size);
    }
    assert_int_equal(kata_close(s.k), KATA_OK);
}

/* Linear weights find any linear function of the coordinates, also on faces; a sinc finds waves of
 * four points and more to a few hundredths. */
static void weights_find_what_they_should(void **unused)
{
    static double u[(NX + 1) * NY * NZ];
    double at[COUNT][3], r[COUNT];
    space s;
    (void)unused;
    state = 6;
    open_space(&s);
    for (int reach = 0; reach <= 4; reach += 4) {
        const double h[3] = {0.5, 2, 4}, origin[3] = {-3, 10, 1};
        draw_points(at, reach + 1);
        for (int i = 0; i < COUNT; i++)
            for (int d = 0; d < 3; d++) at[i][d] = origin[d] + h[d] * at[i][d];
        kata_points *p = kata_points_new(
            s.g, "p", at[0], COUNT, .spacing = h[0], .spacing_y = h[1], .spacing_z = h[2],
            .origin = {origin[0], origin[1], origin[2]}, .staggered = KATA_X, .reach = reach);
        kata_field *f = kata_field_new(s.g, "f", KATA_F64, .staggered = KATA_X);
        kata_scalar *found = kata_scalar_array_new(s.k, "found", KATA_F64, COUNT);
        for (int z = 0, i = 0; z < NZ; z++)
            for (int y = 0; y < NY; y++)
                for (int x = 0; x <= NX; x++, i++) {
                    double cx = origin[0] + h[0] * (x - 0.5), cy = origin[1] + h[1] * y;
                    double cz = origin[2] + h[2] * z;
                    u[i] = reach ? cos(1.5 * cx / h[0] + 0.4 * cy + 0.2 * cz)
                                 : 1 + 2 * cx - 3 * cy + cz;
                }
        kata_put(f, kata_on(f), u, (int64_t)(NX + 1) * NY * NZ);
        kata_record(p, found, f);
        kata_scalar_get_all(found, r, COUNT);
        for (int i = 0; i < COUNT; i++) {
            const double *c = at[i];
            double exact = reach ? cos(1.5 * c[0] / h[0] + 0.4 * c[1] + 0.2 * c[2])
                                 : 1 + 2 * c[0] - 3 * c[1] + c[2];
            assert_true(fabs(r[i] - exact) < (reach ? 0.02 : 1e-11));
        }
    }
    assert_int_equal(kata_close(s.k), KATA_OK);
}

/* One point after the other adds to a target: in floats, where the order shows. */
static void points_at_one_place_add_in_their_order(void **unused)
{
    const double at[4][3] = {{3, 4, 5}, {3.5, 4, 5}, {3, 4, 5}, {3, 4, 5}};
    const float a[4] = {1e8f, -2e8f, 3, -5};
    float expected = 0, found;
    space s;
    (void)unused;
    open_space(&s);
    kata_field *f = kata_field_new(s.g, "f", KATA_F32);
    kata_points *p = kata_points_new(s.g, "p", at[0], 4);
    for (int i = 0; i < 4; i++) expected = (float)(expected + (i == 1 ? 0.5 : 1) * (double)a[i]);
    kata_inject(p, a, f);
    kata_get(f, kata_box_3d(s.g, 3, 4, 4, 5, 5, 6), &found, 1);
    assert_true(found == expected);
    assert_true(found != 0);
    kata_inject(p, 2, f);
    kata_get(f, kata_box_3d(s.g, 4, 5, 4, 5, 5, 6), &found, 1);
    assert_true(found == -1e8f + 1);
    assert_int_equal(kata_close(s.k), KATA_OK);
}

/* Of a million points no weight is lost; and the call does not end the chain. */
static void a_million_points(void **unused)
{
    enum { MANY = 1000000, N = 100 };
    static double at[MANY], u[N];
    space s;
    double sum = 0;
    kata_work work;
    (void)unused;
    open_space(&s);
    state = 7;
    for (int i = 0; i < MANY; i++) at[i] = draw(0, N - 1);
    kata_grid *line = kata_grid_1d(s.k, N);
    kata_field *f = kata_field_new(line, "f", KATA_F64);
    kata_points *p = kata_points_new(line, "p", at, MANY);
    kata_inject(p, 1, f);
    kata_work_done(s.k, &work);
    const char *hostile = getenv("KATA_HOSTILE"); /* there the queue holds few numbers */
    if (!hostile || strcmp(hostile, "1") != 0) assert_int_equal(work.chains, 0);
    kata_get(f, kata_all(line), u, N);
    for (int i = 0; i < N; i++) sum += u[i];
    assert_true(fabs(sum - MANY) < 1e-5);
    assert_int_equal(kata_close(s.k), KATA_OK);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused(space *s, const char *text)
{
    if (!strstr(s->message, text)) fail_msg("'%s' is not in '%s'", text, s->message);
    assert_false(kata_ok(s->k));
    kata_error_clear(s->k);
    s->message[0] = '\0';
}

static void wrong_points_are_refused(void **unused)
{
    double at[2][3] = {{1, 2, 3}, {4, 5, 6}}, bad[2][3] = {{1, 2, 3}, {4, NAN, 6}};
    space s;
    (void)unused;
    open_space(&s);
    assert_null(kata_points_new(kata_grid_icosahedral(s.k, 4, 4, 1), "p", at[0], 2));
    refused(&s, "an icosahedral grid is none");
    assert_null(kata_points_new(s.g, "p", NULL, 2));
    refused(&s, "the coordinates are NULL");
    assert_null(kata_points_new(s.g, "p", at[0], 0));
    refused(&s, "count is 0, not 1 to 1048576");
    assert_null(kata_points_new(s.g, "p", bad[0], 2));
    refused(&s, "the coordinate y of point 1 of 'p' is nan");
    at[1][0] = NX - 0.9;
    assert_null(kata_points_new(s.g, "p", at[0], 2));
    refused(&s, "point 1 of 'p' lies at index 18.1 along x, and its weights at 18 to 19\n"
                "  the points along x are 0 to 18");
    assert_non_null(kata_points_new(s.g, "p", at[0], 2, .staggered = KATA_X));
    at[1][0] = 2.5;
    assert_null(kata_points_new(s.g, "p", at[0], 2, .reach = 4));
    refused(&s, "point 1 of 'p' lies at index 2.5 along x, and its weights at -1 to 6");
    assert_null(kata_points_new(s.g, "p", at[0], 2, .reach = 9));
    refused(&s, "reach is 9, not 0 to 8");
    kata_grid *box = kata_grid_3d(s.k, 20, 20, 20);
    assert_null(kata_points_new(box, "p", at[0], 1 << 20, .reach = 8));
    refused(&s, "1048576 points of 4096 weights each; a set has 4294967295 weights at most");
    assert_null(kata_points_new(s.g, "p", at[0], 2, .spacing_y = -1));
    refused(&s, "spacing_y is -1; it is above 0, and 0 means as along x");
    at[1][0] = 1e300;
    assert_null(kata_points_new(s.g, "p", at[0], 2));
    refused(&s, "point 1 of 'p' lies at index 1e+300 along x");
    assert_int_equal(kata_close(s.k), KATA_OK);
}

static void wrong_calls_are_refused(void **unused)
{
    double at[2][3] = {{1.5, 2, 3}, {4, 5, 6}}, a[3] = {1, 2, 3};
    const double *pointer = a;
    space s;
    (void)unused;
    open_space(&s);
    kata_points *p = kata_points_new(s.g, "p", at[0], 2);
    kata_field *f = kata_field_new(s.g, "f", KATA_F64), *n = kata_field_new(s.g, "n", KATA_I32);
    kata_field *faces = kata_field_new(s.g, "faces", KATA_F64, .staggered = KATA_Z);
    kata_field *line = kata_field_new(s.g, "line", KATA_F64, .along = KATA_X);
    kata_field *other = kata_field_new(kata_grid_3d(s.k, NX, NY, 2), "other", KATA_F64);
    kata_field *gone = kata_field_new(s.g, "gone", KATA_F64);
    kata_scalar *three = kata_scalar_array_new(s.k, "three", KATA_F64, 3);
    kata_scalar *whole = kata_scalar_array_new(s.k, "whole", KATA_I64, 2);
    kata_inject(p, a, f);
    refused(&s, "test_points.c:");
    kata_inject(p, a, f);
    refused(&s, "kata_inject: points 'p' are 2, and the array has 3 elements");
    kata_inject(p, pointer, f);
    refused(&s, "may be a pointer, whose length is not known; pass kata_table_of(KATA_F64, "
                "pointer, 2)");
    kata_inject(p, f, f);
    refused(&s, "the values are an array of one number for each point");
    kata_inject(p, 1, NULL);
    refused(&s, "kata_inject: the field is NULL");
    kata_inject(p, 1, n);
    refused(&s, "field 'n' holds i32; weights are for floating types");
    kata_inject(p, 1, faces);
    refused(&s, "field 'faces' is staggered along z, and points 'p' are not made for such fields");
    kata_inject(p, 1, line);
    refused(&s, "field 'line' does not extend along y; it can be .scale alone");
    kata_inject(p, 1, other);
    refused(&s, "field 'other' is of a grid of another size than points 'p'");
    kata_inject(p, 1, f, .component = 1);
    refused(&s, "component is 1, and field 'f' has 1");
    kata_inject(p, 1, f, .scale = f);
    refused(&s, "field 'f' is its own scale; copy it to another field");
    kata_record(p, three, f);
    refused(&s, "kata_record: points 'p' are 2, and the scalar three has 3 elements");
    kata_record(p, whole, f);
    refused(&s, "scalar 'whole' is i64, not f64 or f32");
    kata_discard(gone);
    kata_inject(p, 1, gone);
    refused(&s, "discarded");
    assert_int_equal(kata_inject(NULL, 1, f), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_close(s.k), KATA_OK);
}

/* A point that is too far outside for whole numbers is told from one whose weights are outside. */
static void points_outside_are_refused(void **unused)
{
    static const struct {
        double at, spacing;
        const char *message;
    } cases[] = {
        {9.5, 1, "point 0 of 'p' lies at index 9.5 along x, and its weights at 9 to 10\n"},
        {1e300, 1, "point 0 of 'p' lies at index 1e+300 along x\n"},
        {1, 1e-320, "point 0 of 'p' lies at index inf along x\n"},
        {INFINITY, 1, "the coordinate x of point 0 of 'p' is inf"},
    };
    space s = {.message = ""};
    kata *k = kata_open(&(kata_options){.handler = keep, .handler_data = &s});
    kata_grid *g = kata_grid_1d(k, 10);
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double at[1] = {cases[i].at};
        assert_null(kata_points_new(g, "p", at, 1, .spacing = cases[i].spacing));
        assert_non_null(strstr(s.message, cases[i].message));
        kata_error_clear(k);
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

/* A coordinate made as origin + i * spacing is point i, however this was rounded; one that lies off
 * a point by more than that is not. */
static void coordinates_of_grid_points_are_whole(void **unused)
{
    static const double spacings[] = {0.1, 0.3, 0.7, 1. / 3, 1e-3, 12.5},
                        origins[] = {0, 0.1, 0.3, -5, 1e5};
    enum { N = 200, SPACINGS = sizeof spacings / sizeof *spacings };
    double values[N];
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_1d(k, N);
    (void)unused;
    for (size_t i = 0; i < SPACINGS * (sizeof origins / sizeof *origins); i++) {
        const double h = spacings[i % SPACINGS], origin = origins[i / SPACINGS];
        kata_field *f = kata_field_new(g, "f", KATA_F64);
        double at[N], off[1] = {origin + h * (1 + 1e-5)};
        for (int p = 0; p < N; p++) at[p] = origin + p * h;
        kata_points *all = kata_points_new(g, "all", at, N, .spacing = h, .origin = {origin});
        kata_points *one = kata_points_new(g, "one", off, 1, .spacing = h, .origin = {origin});
        assert_true(all && one);
        kata_inject(all, 1, f);
        kata_get(f, kata_all(g), values, N);
        for (int p = 0; p < N; p++) assert_true(values[p] == 1);
        kata_inject(one, 1, f);
        kata_get(f, kata_all(g), values, N);
        assert_true(values[1] < 2 && values[2] > 1);
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plan_gives_the_bits_of_the_reference),
        cmocka_unit_test(recording_is_the_transpose_of_injecting),
        cmocka_unit_test(weights_find_what_they_should),
        cmocka_unit_test(points_at_one_place_add_in_their_order),
        cmocka_unit_test(a_million_points),
        cmocka_unit_test(wrong_points_are_refused),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(points_outside_are_refused),
        cmocka_unit_test(coordinates_of_grid_points_are_whole),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
