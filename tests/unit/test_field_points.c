/* Where fields have values: staggered fields and ghosts, against a model that extends an array
 * point by point, for every rule at sides, edges and corners, on grids thinner than the reach; and
 * the executors against one another. */
/* Labels: hostile threads slow */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REACH = 7, OFFSETS = 4, LARGEST = 7, MOST_GHOSTS = 3, ROOM = LARGEST + 1 + 2 * MOST_GHOSTS };
static const int offsets[OFFSETS] = {-REACH, -1, 0, 2};

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

typedef struct session {
    kata *k;
    kata_kernel *read, *sum, *paint, *pick;
} session;

/* A kernel that reads u at all pairs of offsets. */
static session open_session(const char *executor)
{
    session s = {
        .k = kata_open(&(kata_options){.executor = executor, .threads = 2, .handler = ignore})};
    char text[4096] = "kernel read(in double u, out double v[16])\n{\n";
    for (int i = 0; i < OFFSETS * OFFSETS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "    v[%d] = u[%d,%d];\n", i,
                 offsets[i % OFFSETS], offsets[i / OFFSETS]);
    strcat(text, "}\n"
                 "kernel sum(in double u, sum double s, max double m, min double l)\n"
                 "{\n    s += u; m = max(m, u); l = min(l, ix);\n}\n"
                 "kernel paint(out double u, double c) { u = c + ix + 100*iy + 10000*nx; }\n"
                 "kernel pick(inout double u) { u = u + u[1,0] + random(3) + ix; }\n");
    kata_module *m = kata_module_from_text(s.k, "k.kata", text);
    s.read = kata_kernel_find(m, "read");
    s.sum = kata_kernel_find(m, "sum");
    s.paint = kata_kernel_find(m, "paint");
    s.pick = kata_kernel_find(m, "pick");
    assert_true(kata_ok(s.k));
    return s;
}

/* ---- the model ------------------------------------------------------------------------------- */

typedef struct model {
    int64_t cells[2];
    bool staggered[2];
    int ghosts[2];
    kata_rule rule[4];
    double value[4];
    double at[ROOM][ROOM]; /* [y + MOST_GHOSTS][x + MOST_GHOSTS] */
} model;

static int64_t points(const model *m, int d) { return m->cells[d] + m->staggered[d]; }

static bool is_periodic(const model *m, int d)
{
    return m->rule[2 * d] == KATA_PERIODIC && m->rule[2 * d + 1] == KATA_PERIODIC;
}

/* The value found at an index; false when there is none. */
static bool find(const model *m, int64_t x, int64_t y, double *out)
{
    int64_t at[2] = {x, y};
    for (int d = 0; d < 2; d++) {
        int64_t n = points(m, d), i = at[d];
        if (is_periodic(m, d)) {
            while (at[d] < 0) at[d] += m->cells[d];
            while (at[d] >= m->cells[d]) at[d] -= m->cells[d];
            continue;
        }
        if (i >= 0 && i < n) continue;
        bool high = i >= n;
        double v = m->value[2 * d + high];
        int64_t face = high ? 2 * n - 1 - i : -1 - i, node = high ? 2 * (n - 1) - i : -i;
        double x_inside;
        switch (m->rule[2 * d + high]) {
        case KATA_NONE:
            if (high ? i >= n + m->ghosts[d] : i < -m->ghosts[d]) return false;
            continue;
        case KATA_CONSTANT: *out = v; return true;
        case KATA_CLAMP: at[d] = high ? n - 1 : 0; continue;
        case KATA_REFLECT_FACE: at[d] = face; return find(m, at[0], at[1], out);
        case KATA_REFLECT_NODE: at[d] = node; return n > 1 && find(m, at[0], at[1], out);
        case KATA_ANTISYMMETRIC_FACE: at[d] = face; break;
        case KATA_ANTISYMMETRIC_NODE:
            if (n == 1) return false;
            at[d] = node;
            break;
        case KATA_LINEAR: /* test_boundary_linear.c */
        case KATA_PERIODIC: return false;
        }
        if (!find(m, at[0], at[1], &x_inside)) return false;
        *out = 2 * v - x_inside;
        return true;
    }
    *out = m->at[at[1] + MOST_GHOSTS][at[0] + MOST_GHOSTS];
    return true;
}

static int below(int n) { return rand() % n; }

static void choose(model *m)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 7};
    *m = (model){.ghosts = {0}};
    for (int d = 0; d < 2; d++) {
        m->ghosts[d] = below(MOST_GHOSTS + 1);
        m->cells[d] = sizes[below(5)];
        m->staggered[d] = below(2);
        bool periodic = below(4) == 0;
        for (int i = 2 * d; i < 2 * d + 2; i++) {
            m->rule[i] = periodic ? KATA_PERIODIC : (kata_rule)below(KATA_PERIODIC);
            m->value[i] = below(9) - 4;
        }
    }
    for (int y = 0; y < ROOM; y++)
        for (int x = 0; x < ROOM; x++) m->at[y][x] = below(1000) * 0.25;
}

static int bits(const bool set[2]) { return (set[0] ? KATA_X : 0) | (set[1] ? KATA_Y : 0); }

/* A field with the values of a model, put while no side has a rule. */
static kata_field *field_of(kata_grid *g, const model *m)
{
    bool alike = m->ghosts[0] == m->ghosts[1]; /* said once, or for each dimension */
    kata_field *u = kata_field_new(
        g, "u", KATA_F64, .staggered = bits(m->staggered), .ghosts = alike ? m->ghosts[0] : 0,
        .ghosts_x = alike ? 0 : m->ghosts[0], .ghosts_y = alike ? 0 : m->ghosts[1]);
    int64_t lo[2], hi[2], count = 0;
    double values[ROOM * ROOM];
    for (int d = 0; d < 2; d++) {
        lo[d] = -m->ghosts[d];
        hi[d] = points(m, d) + m->ghosts[d];
    }
    for (int64_t y = lo[1]; y < hi[1]; y++)
        for (int64_t x = lo[0]; x < hi[0]; x++)
            values[count++] = m->at[y + MOST_GHOSTS][x + MOST_GHOSTS];
    kata_put(u, kata_box_2d(g, lo[0], hi[0], lo[1], hi[1]), values, count);
    for (int i = 0; i < 4; i++) kata_boundary_set(u, (kata_side)i, m->rule[i], m->value[i]);
    return u;
}

/* ---- reads ----------------------------------------------------------------------------------- */

static bool covers(const model *m, const kata_range *r, double *expected)
{
    bool all = true;
    int64_t count = 0;
    for (int c = 0; c < OFFSETS * OFFSETS; c++)
        for (int64_t y = r->lo[1]; y < r->hi[1]; y++)
            for (int64_t x = r->lo[0]; x < r->hi[0]; x++) {
                double *out = &expected[count++];
                all &= find(m, x + offsets[c % OFFSETS], y + offsets[c / OFFSETS], out);
            }
    return all;
}

static void reads_are_those_of_the_model(void **state)
{
    (void)state;
    session s[2] = {open_session("cpu"), open_session("reference")};
    static double expected[16 * ROOM * ROOM], got[16 * ROOM * ROOM];
    int accepted = 0;
    for (int round = 0; round < 700; round++) {
        model m;
        choose(&m);
        bool over[2] = {below(2), below(2)};
        for (int i = 0; i < 2; i++) {
            kata_grid *g = kata_grid_2d(s[i].k, m.cells[0], m.cells[1]);
            kata_field *u = field_of(g, &m);
            kata_field *v =
                kata_field_new(g, "v", KATA_F64, .components = 16, .staggered = bits(over));
            kata_range all = kata_on(v);
            int64_t count = 16 * (all.hi[0] - all.lo[0]) * (all.hi[1] - all.lo[1]);
            bool covered = covers(&m, &all, expected);
            assert_true(kata_ok(s[i].k));
            kata_apply(s[i].read, all, u, v);
            assert_int_equal(kata_ok(s[i].k), covered);
            if (covered) kata_get(v, all, got, count);
            if (covered) assert_memory_equal(got, expected, (size_t)count * sizeof *got);
            accepted += covered;
            kata_error_clear(s[i].k);
        }
    }
    assert_true(accepted > 150);
    for (int i = 0; i < 2; i++) assert_int_equal(kata_close(s[i].k), KATA_OK);
}

/* ---- points ---------------------------------------------------------------------------------- */

static void periodic_staggered_fields_have_as_many_points_as_cells(void **state)
{
    (void)state;
    session s = open_session("cpu");
    kata_grid *g = kata_grid_2d(s.k, 5, 3);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .staggered = KATA_X | KATA_Y);
    double x[24];
    assert_int_equal(kata_on(u).hi[0], 6);
    assert_int_equal(kata_on(u).hi[1], 4);
    kata_apply(s.paint, kata_on(u), u, 0.0);
    kata_boundary_set(u, KATA_X_LOW, KATA_PERIODIC, 0);
    assert_int_equal(kata_on(u).hi[0], 6);
    kata_boundary_set(u, KATA_X_HIGH, KATA_PERIODIC, 0);
    assert_int_equal(kata_on(u).hi[0], 5);
    assert_int_equal(kata_on(u).hi[1], 4);
    kata_apply(s.paint, kata_on(u), u, 0.5);
    kata_boundary_set(u, KATA_X_LOW, KATA_CLAMP, 0);
    kata_get(u, kata_on(u), x, 24); /* the last face is seen again */
    for (int i = 0; i < 24; i++) {
        double expected = i % 6 + 100.0 * (i / 6) + 50000 + (i % 6 < 5 ? 0.5 : 0);
        assert_true(x[i] == expected);
    }
    assert_int_equal(kata_close(s.k), KATA_OK);
}

static void writes_past_the_last_cell_come_to_face_0(void **state)
{
    (void)state;
    static const char *const executors[] = {"cpu", "reference"};
    for (int e = 0; e < 2; e++)
        for (int64_t n = 1; n < 9; n += 2) {
            kata *k = kata_open(&(kata_options){.executor = executors[e]});
            kata_module *m = kata_module_from_text(
                k, "s", "kernel shift(out double u, in double c) { u[2] = ix + c[-1]; }");
            kata_grid *g = kata_grid_1d(k, n);
            kata_field *u =
                kata_field_new(g, "u", KATA_F64, .staggered = KATA_X, .boundary = KATA_PERIODIC);
            kata_field *c =
                kata_field_new(g, "c", KATA_F64, .boundary = KATA_CONSTANT, .boundary_value = 0.5);
            double got[9];
            kata_apply(kata_kernel_find(m, "shift"), kata_all(g), u, c);
            kata_get(u, kata_on(u), got, n);
            for (int64_t i = 0; i < n; i++) {
                int64_t from = (i + 2 * n - 2) % n;
                assert_true(got[i] == (double)from + (from == 0 ? 0.5 : 0));
            }
            assert_int_equal(kata_close(k), KATA_OK);
        }
}

static void cells_leave_the_last_face(void **state)
{
    (void)state;
    session s = open_session("cpu");
    kata_grid *g = kata_grid_1d(s.k, 4);
    kata_module *m = kata_module_from_text(s.k, "one", "kernel one(out float u) { u = ix + 1; }");
    kata_field *u = kata_field_new(g, "u", KATA_F32, .staggered = KATA_X);
    kata_apply(kata_kernel_find(m, "one"), kata_all(g), u);
    double x[5];
    kata_get(u, kata_on(u), x, 5);
    for (int i = 0; i < 5; i++) assert_true(x[i] == (i < 4 ? i + 1 : 0));
    assert_int_equal(kata_close(s.k), KATA_OK);
}

/* ---- ranges beyond the grid ------------------------------------------------------------------ */

/* What a session makes of ghosts: reductions, colours and random numbers at indices below 0. */
static void run_beyond(const session *s, int64_t nx, int64_t ny, int ghosts, double out[3],
                       double *values, int64_t count)
{
    kata_grid *g = kata_grid_2d(s->k, nx, ny);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .ghosts = ghosts);
    kata_scalar *r[3];
    for (int i = 0; i < 3; i++) r[i] = kata_scalar_new(s->k, "r", KATA_F64);
    kata_range all = kata_box_2d(g, -ghosts, nx + ghosts, -ghosts, ny + ghosts);
    kata_apply(s->paint, all, u, 0.1);
    for (int color = 0; color < 3; color++)
        kata_apply(s->pick,
                   kata_color(kata_box_2d(g, -ghosts, nx + ghosts - 1, -ghosts, ny), 3, color), u);
    kata_apply(s->sum, kata_color(all, 2, 1), u, r[0], r[1], r[2]);
    kata_apply(s->sum, all, u, r[0], r[1], r[2]);
    for (int i = 0; i < 3; i++) kata_scalar_get(r[i], &out[i]);
    kata_get(u, all, values, count);
}

static void ghosts_reduce_and_color_alike(void **state)
{
    (void)state;
    session s[2] = {open_session("cpu"), open_session("reference")};
    static const int64_t sizes[][3] = {{1, 1, 1},  {1, 1, 5},     {7, 5, 3},    {513, 2, 70},
                                       {70, 3, 6}, {509, 1, 520}, {1030, 7, 9}, {3, 40, 33}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t nx = sizes[i][0], ny = sizes[i][1], ghosts = sizes[i][2];
        int64_t count = (nx + 2 * ghosts) * (ny + 2 * ghosts);
        double sums[2][3], *values[2];
        for (int e = 0; e < 2; e++) {
            values[e] = calloc((size_t)count, sizeof(double));
            run_beyond(&s[e], nx, ny, (int)ghosts, sums[e], values[e], count);
            assert_true(kata_ok(s[e].k));
        }
        assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
        assert_memory_equal(values[0], values[1], (size_t)count * sizeof(double));
        assert_true(sums[0][2] == (double)-ghosts);
        for (int e = 0; e < 2; e++) free(values[e]);
    }
    for (int e = 0; e < 2; e++) assert_int_equal(kata_close(s[e].k), KATA_OK);
}

/* ---- records and traces ---------------------------------------------------------------------- */

/* The lines of a file that begin with a word. */
static void read_lines(const char *path, const char *word, char out[1000])
{
    FILE *file = fopen(path, "r");
    char line[300];
    assert_non_null(file);
    *out = '\0';
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, word, strlen(word))) strcat(out, line);
    fclose(file);
}

static void ghosts_are_recorded_and_traced(void **state)
{
    (void)state;
    char found[1000];
    setenv("KATA_RECORD", "points.record", 1);
    setenv("KATA_RECORD_FULL", "1", 1);
    setenv("KATA_TRACE", "u@-1", 1);
    setenv("KATA_TRACE_FILE", "points.trace", 1);
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_from_text(k, "k", "kernel mirror(inout double u) { u = u[1]; }");
    kata_grid *g = kata_grid_1d(k, 2);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .ghosts = 1);
    kata_put(u, kata_all(g), ((double[]){1, 2}), 2);
    kata_apply(kata_kernel_find(m, "mirror"), kata_ghost(u, KATA_X_LOW, 1), u);
    kata_flush(k);
    assert_int_equal(kata_close(k), KATA_OK);
    read_lines("points.record", "values", found);
    assert_string_equal(found, "values 0000000000000000 3ff0000000000000 4000000000000000 "
                               "0000000000000000\n"
                               "values 3ff0000000000000 3ff0000000000000 4000000000000000 "
                               "0000000000000000\n");
    read_lines("points.trace", "loop", found);
    assert_string_equal(found, "loop 1: u at [-1]: 0 -> 1\n");
    unsetenv("KATA_RECORD");
    unsetenv("KATA_RECORD_FULL");
    unsetenv("KATA_TRACE");
    unsetenv("KATA_TRACE_FILE");
    remove("points.record");
    remove("points.trace");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_are_those_of_the_model),
        cmocka_unit_test(periodic_staggered_fields_have_as_many_points_as_cells),
        cmocka_unit_test(writes_past_the_last_cell_come_to_face_0),
        cmocka_unit_test(cells_leave_the_last_face),
        cmocka_unit_test(ghosts_reduce_and_color_alike),
        cmocka_unit_test(ghosts_are_recorded_and_traced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
