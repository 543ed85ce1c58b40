/* Levels that run in order: on all small grids, in every direction, with every offset and rule,
 * what is accepted gives what a plain loop over the levels gives, and reads of other points of the
 * same level are refused. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LARGEST = 4, REACH = 2, SIDE = 2 * REACH + 1 };

static const char *const orders[4] = {"forward(x)", "backward(x)", "forward(y)", "backward(y)"};

typedef struct sweep {
    int order, dx, dy;
    int64_t n[2], lo[2], hi[2];
    kata_rule rule;
} sweep;

static int dimension_of(const sweep *s) { return s->order / 2; }

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* Where a read of index i ends; -1 where it ends at no point. */
static int64_t map(kata_rule rule, int64_t i, int64_t n)
{
    while (i < 0 || i >= n) {
        if (rule == KATA_CLAMP)
            i = i < 0 ? 0 : n - 1;
        else if (rule == KATA_REFLECT_FACE)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        else if (rule == KATA_PERIODIC)
            i += i < 0 ? n : -n;
        else
            return -1;
    }
    return i;
}

/* u = 2*u[dx,dy] + ix at one point, of values from before its level. False when it reads another
 * point of its level, or one that no rule gives. */
static bool compute(const sweep *s, const double *before, const int64_t at[2], double *out)
{
    int64_t from[2] = {map(s->rule, at[0] + s->dx, s->n[0]), map(s->rule, at[1] + s->dy, s->n[1])};
    int d = dimension_of(s);
    bool inside = from[0] >= 0 && from[1] >= 0;
    if (!inside && s->rule != KATA_CONSTANT) return false;
    bool runs = inside && from[1 - d] >= s->lo[1 - d] && from[1 - d] < s->hi[1 - d];
    if (runs && from[d] == at[d] && from[1 - d] != at[1 - d]) return false;
    double value = inside ? before[from[1] * s->n[0] + from[0]] : 7;
    out[at[1] * s->n[0] + at[0]] = 2 * value + (double)at[0];
    return true;
}

static bool compute_all(const sweep *s, double *u)
{
    int d = dimension_of(s);
    for (int64_t i = 0; i < s->hi[d] - s->lo[d]; i++) {
        double before[LARGEST * LARGEST];
        int64_t at[2];
        memcpy(before, u, sizeof before);
        at[d] = s->order % 2 ? s->hi[d] - 1 - i : s->lo[d] + i;
        for (at[1 - d] = s->lo[1 - d]; at[1 - d] < s->hi[1 - d]; at[1 - d]++)
            if (!compute(s, before, at, u)) return false;
    }
    return true;
}

/* ---- by the library -------------------------------------------------------------------------- */

typedef struct session {
    kata *k;
    kata_kernel *kernels[4][SIDE][SIDE];
} session;

static session open_session(const char *executor)
{
    session s = {
        .k = kata_open(&(kata_options){.executor = executor, .threads = 2, .handler = ignore})};
    char text[128 * 4 * SIDE * SIDE] = "", name[32];
    for (int i = 0; i < 4 * SIDE * SIDE; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "kernel k%d(inout double u) %s { u = 2*u[%d,%d] + ix; }\n", i,
                 orders[i / SIDE / SIDE], i % SIDE - REACH, i / SIDE % SIDE - REACH);
    kata_module *m = kata_module_from_text(s.k, "k.kata", text);
    for (int i = 0; i < 4 * SIDE * SIDE; i++) {
        snprintf(name, sizeof name, "k%d", i);
        s.kernels[i / SIDE / SIDE][i / SIDE % SIDE][i % SIDE] = kata_kernel_find(m, name);
    }
    kata_grid *g = kata_grid_2d(s.k, 1, 1);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    for (int i = 0; i < 4 * SIDE * SIDE; i++) /* of no points: so that all are compiled at once */
        kata_apply(s.kernels[i / SIDE / SIDE][i / SIDE % SIDE][i % SIDE],
                   kata_box_2d(g, 0, 0, 0, 0), u);
    assert_int_equal(kata_flush(s.k), KATA_OK);
    return s;
}

static bool apply(session *session, const sweep *s, double *values)
{
    kata_grid *g = kata_grid_2d(session->k, s->n[0], s->n[1]);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = s->rule, .boundary_value = 7);
    kata_put(u, kata_all(g), values, s->n[0] * s->n[1]);
    kata_apply(session->kernels[s->order][s->dy + REACH][s->dx + REACH],
               kata_box_2d(g, s->lo[0], s->hi[0], s->lo[1], s->hi[1]), u);
    bool accepted = kata_ok(session->k);
    if (accepted) kata_get(u, kata_all(g), values, s->n[0] * s->n[1]);
    kata_error_clear(session->k);
    return accepted;
}

/* What is known to be legal only point by point: reads beside the column, of its own level by a
 * boundary rule. */
static bool is_doubtful(const sweep *s)
{
    int d = dimension_of(s), by[2] = {s->dx, s->dy};
    bool leaves = by[d] && (s->lo[d] + by[d] < 0 || s->hi[d] + by[d] > s->n[d]);
    bool beside =
        by[1 - d] && (s->lo[1 - d] + by[1 - d] < 0 || s->hi[1 - d] + by[1 - d] > s->n[1 - d]);
    return by[1 - d] && (leaves || (beside && !by[d]));
}

static void check(session sessions[2], const sweep *s)
{
    double start[LARGEST * LARGEST], expected[LARGEST * LARGEST];
    for (int i = 0; i < LARGEST * LARGEST; i++) start[i] = expected[i] = i + 1;
    bool legal = compute_all(s, expected);
    size_t bytes = (size_t)(s->n[0] * s->n[1]) * sizeof *start;
    for (int e = 0; e < 2; e++) {
        double values[LARGEST * LARGEST];
        memcpy(values, start, sizeof values);
        bool accepted = apply(&sessions[e], s, values);
        if (legal && !accepted && is_doubtful(s)) continue;
        if (accepted != legal)
            fail_msg("%s [%d,%d] %s, rule %d, %dx%d", accepted ? "accepted" : "refused", s->dx,
                     s->dy, orders[s->order], (int)s->rule, (int)s->n[0], (int)s->n[1]);
        if (accepted && memcmp(values, expected, bytes))
            fail_msg("executor %d, [%d,%d] %s, rule %d, %dx%d", e, s->dx, s->dy, orders[s->order],
                     (int)s->rule, (int)s->n[0], (int)s->n[1]);
    }
}

static void levels_run_in_order(void **state)
{
    (void)state;
    static const kata_rule rules[] = {KATA_NONE, KATA_CONSTANT, KATA_CLAMP, KATA_REFLECT_FACE,
                                      KATA_PERIODIC};
    session sessions[2] = {open_session("reference"), open_session("cpu")};
    for (int i = 0; i < 4 * SIDE * SIDE; i++)
        for (int r = 0; r < 5; r++)
            for (int size = 0; size < 9; size++) {
                sweep s = {.order = i / SIDE / SIDE,
                           .dx = i % SIDE - REACH,
                           .dy = i / SIDE % SIDE - REACH,
                           .n = {1 + size % 3, 1 + size / 3},
                           .hi = {1 + size % 3, 1 + size / 3},
                           .rule = rules[r]};
                check(sessions, &s);
                for (int d = 0; d < 2; d++) s.n[d] += s.n[d] < LARGEST;
                for (int d = 0; d < 2 && size % 3 && size / 3; d++) s.lo[d] = 1;
                check(sessions, &s);
            }
    for (int e = 0; e < 2; e++) kata_close(sessions[e].k);
}

/* ---- whole kernels --------------------------------------------------------------------------- */

static const char program[] =
    "kernel set(out double u) { u = ((7*ix + 13*iy + 5*iz) % 31)*0.125; }\n"
    "kernel apart(in double u, out double v) backward(y)\n"
    "{\n"
    "    interval [ny-1, ny) { v = 1; }\n"
    "    interval [0, ny-1) { v = 0.5*u[0,1,0] + iz; }\n"
    "}\n"
    "kernel anew(out double v) backward(y)\n"
    "{\n"
    "    interval [ny-1, ny) { v = 1; }\n"
    "    interval [0, ny-1) { v = 0.5*v[0,1,0] + iz; }\n"
    "}\n"
    "kernel sums(inout double u, sum double s, max double m, double limit) backward(z)\n"
    "{\n"
    "    if (iz < nz-1) u += 0.25*u[0,0,1];\n"
    "    assert(u < limit, \"too much\");\n"
    "    s += u;\n"
    "    m = max(m, u);\n"
    "}\n"
    "kernel along_x(inout double u, sum double s) forward(x)\n"
    "{\n"
    "    if (ix > 1) u += 0.25*u[-2,0,0];\n"
    "    s += u;\n"
    "}\n"
    "kernel slanted(inout double u, sum double s) forward(x)\n"
    "{\n"
    "    u += 0.25*u[-1,1,0] - u[1,0,1];\n"
    "    s += u;\n"
    "}\n"
    "kernel rows(in double u, inout double v, sum double s) forward(y)\n"
    "{\n"
    "    interval [0, 2) { v = u; }\n"
    "    interval [2, ny) { v = 0.5*v[0,-2,0] + u[1,0,0]*v; }\n"
    "    s += v;\n"
    "}\n";

enum { NX = 70, NY = 41, NZ = 23, POINTS = NX * NY * NZ };

typedef struct results {
    double u[POINTS], v[POINTS], w[POINTS], scalars[5];
    char fault[1000];
} results;

static void keep(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(((results *)data)->fault, sizeof((results *)data)->fault, "%s", message);
}

/* One field for what is read and for what is written; values of which only the new are read. */
static void run_program(const char *executor, int threads, results *out)
{
    kata *k = kata_open(&(kata_options){
        .executor = executor, .threads = threads, .handler = keep, .handler_data = out});
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_like(u, "v"), *w = kata_field_like(u, "w");
    kata_scalar *s[5];
    for (int i = 0; i < 5; i++) s[i] = kata_scalar_new(k, "s", KATA_F64);
    kata_module *m = kata_module_from_text(k, "program", program);
    kata_apply(kata_kernel_find(m, "set"), kata_all(g), u);
    kata_apply(kata_kernel_find(m, "sums"), kata_all(g), u, s[0], s[1], 1000.0);
    kata_apply(kata_kernel_find(m, "along_x"), kata_all(g), u, s[2]);
    kata_apply(kata_kernel_find(m, "slanted"), kata_inner(g, 1), u, s[3]);
    kata_apply(kata_kernel_find(m, "rows"), kata_box_3d(g, 3, NX, 0, NY, 1, NZ), u, v, s[4]);
    kata_apply(kata_kernel_find(m, "apart"), kata_all(g), v, v);
    kata_discard(w);
    kata_apply(kata_kernel_find(m, "anew"), kata_all(g), w);
    kata_get(u, kata_all(g), out->u, POINTS);
    kata_get(v, kata_all(g), out->v, POINTS);
    kata_get(w, kata_all(g), out->w, POINTS);
    for (int i = 0; i < 5; i++) kata_scalar_get(s[i], &out->scalars[i]);
    kata_apply(kata_kernel_find(m, "sums"), kata_all(g), u, s[0], s[1], 6.0);
    assert_int_equal(kata_flush(k), KATA_ERROR_ASSERT);
    kata_close(k);
}

static void executors_and_threads_agree(void **state)
{
    (void)state;
    static results expected, found;
    static const int threads[] = {1, 2, 3, 7};
    run_program("reference", 1, &expected);
    for (int t = 0; t < 4; t++) {
        run_program("cpu", threads[t], &found);
        assert_memory_equal(&found, &expected, sizeof found);
        assert_memory_equal(found.v, found.w, sizeof found.v);
    }
}

/* ---- ghosts ---------------------------------------------------------------------------------- */

enum { WIDE = 37, LEVELS = 11 };

static const char ghostly[] = "kernel up(inout double u, in double a, in double b) forward(y)\n"
                              "{ u = u[0,-1] + 3*a[0,-2] + 5*b[0,1]; }\n"
                              "kernel down(inout double u, in double a, in double b) backward(y)\n"
                              "{ u = u[0,1] + 3*a[0,-2] + 5*b[0,1]; }\n";

static double ghost_value(int field, int64_t x, int64_t y)
{
    return (double)((field + 1) * (100 * y + x) % 17);
}

static kata_field *field_with_ghosts(kata_grid *g, int field, int ghosts)
{
    kata_field *f = kata_field_new(g, "f", KATA_F64, .ghosts = ghosts);
    double *values;
    kata_mapping at;
    kata_map(f, &values, &at);
    for (int64_t y = -ghosts; y < LEVELS + ghosts; y++)
        for (int64_t x = -ghosts; x < WIDE + ghosts; x++)
            values[x * at.stride[0] + y * at.stride[1]] = ghost_value(field, x, y);
    kata_unmap(f);
    return f;
}

/* Fields with ghosts of different depths: the first level reads those of each. */
static void columns_read_ghosts(void **state)
{
    (void)state;
    kata *k = kata_open(&(kata_options){.threads = 2, .wait = true});
    kata_module *m = kata_module_from_text(k, "ghostly", ghostly);
    for (int up = 0; up < 2; up++) {
        kata_grid *g = kata_grid_2d(k, WIDE, LEVELS);
        kata_field *u = field_with_ghosts(g, 0, 1), *a = field_with_ghosts(g, 1, 2);
        kata_field *b = field_with_ghosts(g, 2, 1);
        double got[LEVELS][WIDE], last;
        kata_apply(kata_kernel_find(m, up ? "up" : "down"), kata_all(g), u, a, b);
        assert_int_equal(kata_get(u, kata_all(g), &got[0][0], LEVELS * WIDE), KATA_OK);
        for (int64_t x = 0; x < WIDE; x++) {
            last = ghost_value(0, x, up ? -1 : LEVELS);
            for (int64_t i = 0; i < LEVELS; i++) {
                int64_t y = up ? i : LEVELS - 1 - i;
                last += 3 * ghost_value(1, x, y - 2) + 5 * ghost_value(2, x, y + 1);
                assert_true(got[y][x] == last);
            }
        }
    }
    kata_close(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_run_in_order),
        cmocka_unit_test(executors_and_threads_agree),
        cmocka_unit_test(columns_read_ghosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
