/* A field may be read and written by one kernel where no point reads what another writes: on all
 * small grids and boxes, what is accepted is so, what stays inside the grid and is so is accepted,
 * and the executors agree on it. */
/* Labels: hostile compiler slow */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LARGEST = 4, REACH = 2, GHOSTS = 1, ROOM = LARGEST + 2 * GHOSTS, SUMMED = 2, NOWHERE = -99 };

/* Points of one colour of a box; of all when there is one colour. */
typedef struct box {
    int64_t lo[2], hi[2];
    int colors, color;
} box;

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

/* Ghosts are found where there is no rule. */
static int64_t ghosts_of(kata_rule rule) { return rule == KATA_NONE ? GHOSTS : 0; }

/* Where a read of index i ends; NOWHERE where it ends at no point. */
static int64_t map(kata_rule rule, int64_t i, int64_t n)
{
    if (rule == KATA_NONE) return i < -GHOSTS || i >= n + GHOSTS ? NOWHERE : i;
    while (i < 0 || i >= n) {
        if (rule == KATA_CLAMP)
            i = i < 0 ? 0 : n - 1;
        else if (rule == KATA_REFLECT_FACE)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        else if (rule == KATA_PERIODIC)
            i += i < 0 ? n : -n;
        else
            return NOWHERE;
    }
    return i;
}

static bool holds(const box *b, int64_t x, int64_t y)
{
    return x >= b->lo[0] && x < b->hi[0] && y >= b->lo[1] && y < b->hi[1] &&
           ((x + y) % b->colors + b->colors) % b->colors == b->color;
}

/* Where a read of index i ends, of a sum all points of it; returns their number. */
static int ends(kata_rule rule, int64_t i, int64_t n, int64_t out[SUMMED])
{
    bool inside = i >= 0 && i < n;
    out[0] = rule == KATA_LINEAR && inside ? i : map(rule, i, n);
    if (rule != KATA_LINEAR || inside) return out[0] != NOWHERE;
    for (int k = 0; k < SUMMED; k++) out[k] = i < 0 ? k : n - 1 - k;
    return n >= SUMMED ? SUMMED : 0;
}

/* Whether the point x, y of the box reads what another point of it writes. */
static bool meets(const box *b, const int64_t n[2], int64_t x, int64_t y, int dx, int dy,
                  kata_rule rule)
{
    int64_t at_x[SUMMED], at_y[SUMMED];
    int count_x = ends(rule, x + dx, n[0], at_x), count_y = ends(rule, y + dy, n[1], at_y);
    bool found = false;
    for (int i = 0; i < count_x; i++)
        for (int j = 0; j < count_y; j++)
            found = found || ((at_x[i] != x || at_y[j] != y) && holds(b, at_x[i], at_y[j]));
    return found;
}

/* Whether a point of the box reads what another point of it writes; sets *leaves when a read
 * leaves the grid. */
static bool conflicts(const box *b, const int64_t n[2], int dx, int dy, kata_rule rule,
                      bool *leaves)
{
    bool found = false;
    *leaves = false;
    for (int64_t y = b->lo[1]; y < b->hi[1]; y++)
        for (int64_t x = b->lo[0]; x < b->hi[0]; x++) {
            int64_t at_x = map(rule, x + dx, n[0]), at_y = map(rule, y + dy, n[1]);
            if (!holds(b, x, y)) continue;
            if (at_x != x + dx || at_y != y + dy) *leaves = true;
            if (meets(b, n, x, y, dx, dy, rule)) found = true;
        }
    return found;
}

typedef struct session {
    kata *k;
    kata_kernel *kernels[2 * REACH + 1][2 * REACH + 1];
} session;

static session open_session(const char *executor)
{
    session s = {
        .k = kata_open(&(kata_options){.executor = executor, .threads = 2, .handler = ignore})};
    char text[128 * 25] = "", name[32];
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "kernel k%d%d(inout double u) { u = 2*u[%d,%d] + ix; }\n", dx + REACH,
                     dy + REACH, dx, dy);
    kata_module *m = kata_module_from_text(s.k, "k.kata", text);
    for (int dy = 0; dy <= 2 * REACH; dy++)
        for (int dx = 0; dx <= 2 * REACH; dx++) {
            snprintf(name, sizeof name, "k%d%d", dx, dy);
            s.kernels[dy][dx] = kata_kernel_find(m, name);
        }
    assert_true(kata_ok(s.k));
    return s;
}

/* Applies u = 2*u[dx,dy] + ix to the box; the field's values go to `out`. */
static bool apply(session *s, const box *b, const int64_t n[2], int dx, int dy, kata_rule rule,
                  double *out)
{
    kata_grid *g = kata_grid_2d(s->k, n[0], n[1]);
    static const double weights[REACH][SUMMED + 1] = {{-1, 0.5, 2}, {0.25, -3, 1}};
    kata_rule given = rule == KATA_LINEAR ? KATA_NONE : rule;
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = given, .ghosts = GHOSTS);
    for (int side = KATA_X_LOW; side <= KATA_Y_HIGH && rule == KATA_LINEAR; side++)
        kata_boundary_linear(u, (kata_side)side, REACH, SUMMED, weights[0], .value = side);
    int64_t deep = ghosts_of(rule), count = (n[0] + 2 * deep) * (n[1] + 2 * deep);
    kata_range all = kata_box_2d(g, -deep, n[0] + deep, -deep, n[1] + deep);
    for (int64_t i = 0; i < count; i++) out[i] = (double)(i + 1);
    kata_put(u, all, out, count);
    kata_apply(
        s->kernels[dy + REACH][dx + REACH],
        kata_color(kata_box_2d(g, b->lo[0], b->hi[0], b->lo[1], b->hi[1]), b->colors, b->color), u);
    bool accepted = kata_ok(s->k);
    if (accepted) kata_get(u, all, out, count);
    kata_error_clear(s->k);
    return accepted;
}

static void check(session s[2], const box *b, const int64_t n[2], int dx, int dy, kata_rule rule)
{
    double fast[ROOM * ROOM] = {0}, slow[ROOM * ROOM] = {0};
    bool leaves, conflict = conflicts(b, n, dx, dy, rule, &leaves);
    bool accepted = apply(&s[0], b, n, dx, dy, rule, fast);
    if (accepted && conflict) fail_msg("accepted [%d,%d] with rule %d", dx, dy, (int)rule);
    if (!leaves && !conflict && !accepted && b->colors == 1) fail_msg("refused [%d,%d]", dx, dy);
    if (!accepted) return;
    assert_true(apply(&s[1], b, n, dx, dy, rule, slow));
    assert_memory_equal(fast, slow, sizeof fast);
}

static void check_boxes(session s[2], const int64_t n[2], int dx, int dy, kata_rule rule,
                        int colors)
{
    box b = {.colors = colors, .color = colors / 2};
    int64_t deep = ghosts_of(rule), nx = n[0] + deep, ny = n[1] + deep;
    for (b.lo[1] = -deep; b.lo[1] < ny; b.lo[1]++)
        for (b.hi[1] = b.lo[1] + 1; b.hi[1] <= ny; b.hi[1] += 2)
            for (b.lo[0] = -deep; b.lo[0] < nx; b.lo[0]++)
                for (b.hi[0] = b.lo[0] + 1; b.hi[0] <= nx; b.hi[0]++) check(s, &b, n, dx, dy, rule);
}

static void test_what_is_accepted_is_free_of_conflicts(void **state)
{
    (void)state;
    static const kata_rule rules[] = {KATA_NONE,     KATA_CLAMP,    KATA_REFLECT_FACE,
                                      KATA_PERIODIC, KATA_CONSTANT, KATA_LINEAR};
    session s[2] = {open_session("cpu"), open_session("reference")};
    for (int colors = 1; colors <= 3; colors++)
        for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++)
            for (int dy = -REACH; dy <= REACH; dy++)
                for (int dx = -REACH; dx <= REACH; dx++)
                    for (int64_t ny = 1; ny <= LARGEST; ny += 3)
                        for (int64_t nx = 1; nx <= LARGEST; nx++)
                            check_boxes(s, (int64_t[2]){nx, ny}, dx, dy, rules[rule], colors);
    assert_int_equal(kata_close(s[0].k), KATA_OK);
    assert_int_equal(kata_close(s[1].k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_accepted_is_free_of_conflicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
