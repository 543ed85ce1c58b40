/* Temporary fields: a chain through them computes what it does through fields that last, reads are
 * accepted exactly where something was written, and kata_needed is the largest box there is. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LARGEST = 70 * 11 };

static const char text[] =
    "kernel slopes(in double u, out double s[2])\n"
    "{\n"
    "    s[0] = u[1,0] - u[-1,0];\n"
    "    s[1] = u[0,1] - u[0,-1];\n"
    "}\n"
    "kernel square(in double s[2], out double q) { q = s[0]*s[0] + s[1][0,-1]; }\n"
    "kernel finish(in double q, out double v) { v = q + 2*q[-1,0] + ix; }\n"
    "kernel copy(in double u, out double v) { v = u; }\n"
    "kernel right(in double u, out double v) { v = ix < nx-1 ? u[1,0] : 0; }\n"
    "kernel shift(in double u, out double v) { v[1,0] = u; }\n"
    "kernel climb(in double u, out double c) forward(y)\n"
    "{\n"
    "    if (iy > 1) c = u + c[0,-1];\n"
    "    else c = u;\n"
    "}\n"
    "kernel stair(in double u, inout double c) forward(y) { c = u + c[0,-1]; }\n"
    "kernel twice(inout double u) { if (u > 0) u = 2*u; }\n";

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

typedef struct session {
    kata *k;
    kata_module *m;
} session;

static session open_session(const char *executor)
{
    session s = {
        .k = kata_open(&(kata_options){.executor = executor, .threads = 2, .handler = ignore})};
    s.m = kata_module_from_text(s.k, "k.kata", text);
    return s;
}

static kata_kernel *find(const session *s, const char *name)
{
    return kata_kernel_find(s->m, name);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void run_steps(const session *s, int64_t nx, int64_t ny, bool temporary, double *out)
{
    kata_grid *g = kata_grid_2d(s->k, nx, ny);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    kata_field *t = kata_field_new(g, "t", KATA_F64, .components = 2, .boundary = KATA_PERIODIC,
                                   .temporary = temporary);
    kata_field *q = kata_field_new(g, "q", KATA_F64, .ghosts = 1, .temporary = temporary);
    for (int64_t i = 0; i < nx * ny; i++) out[i] = (double)(i * i % 13);
    kata_put(u, kata_all(g), out, nx * ny);
    for (int step = 0; step < 3; step++) {
        kata_apply(find(s, "slopes"), temporary ? kata_needed(g) : kata_all(g), u, t);
        kata_range reach = kata_box_2d(g, -1, nx + 1, -1, ny + 1);
        kata_apply(find(s, "square"), temporary ? kata_needed(g) : reach, t, q);
        kata_apply(find(s, "finish"), kata_all(g), q, v);
        kata_swap(u, v);
        kata_step(s->k);
    }
    kata_get(u, kata_all(g), out, nx * ny);
    assert_int_equal(kata_error(s->k), KATA_OK);
}

static void temporaries_hold_what_lasting_fields_do(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {2, 1}, {1, 5}, {7, 3}, {70, 11}};
    session s[2] = {open_session("cpu"), open_session("reference")};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double lasting[LARGEST], got[LARGEST];
        int64_t nx = sizes[i][0], ny = sizes[i][1];
        run_steps(&s[1], nx, ny, false, lasting);
        for (int e = 0; e < 2; e++) {
            run_steps(&s[e], nx, ny, true, got);
            assert_memory_equal(got, lasting, (size_t)(nx * ny) * sizeof *got);
        }
    }
    for (int e = 0; e < 2; e++) assert_int_equal(kata_close(s[e].k), KATA_OK);
}

/* ---- where they may be read ------------------------------------------------------------------ */

typedef struct world {
    session s;
    kata_grid *g;
    kata_field *u, *v, *t;
} world;

static world begin(void)
{
    world w = {.s = open_session("cpu")};
    w.g = kata_grid_2d(w.s.k, 8, 6);
    w.u = kata_field_new(w.g, "u", KATA_F64);
    w.v = kata_field_new(w.g, "v", KATA_F64);
    w.t = kata_field_new(w.g, "t", KATA_F64, .temporary = true);
    assert_true(kata_ok(w.s.k));
    return w;
}

static bool apply(world *w, const char *name, kata_range range, kata_field *from, kata_field *to)
{
    kata_apply(find(&w->s, name), range, from, to);
    bool accepted = kata_ok(w->s.k);
    kata_error_clear(w->s.k);
    return accepted;
}

static void parts_written_apart_are_read_together(void **state)
{
    (void)state;
    world w = begin();
    assert_false(apply(&w, "copy", kata_all(w.g), w.t, w.v));
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 0, 8, 0, 3), w.u, w.t));
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 0, 4, 2, 6), w.u, w.t));
    assert_false(apply(&w, "copy", kata_all(w.g), w.t, w.v));
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 1, 4, 0, 6), w.t, w.v));
    assert_false(apply(&w, "right", kata_box_2d(w.g, 1, 4, 0, 6), w.t, w.v));
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 4, 8, 3, 6), w.u, w.t));
    assert_true(apply(&w, "right", kata_all(w.g), w.t, w.v));
    kata_step(w.s.k);
    assert_false(apply(&w, "copy", kata_box_2d(w.g, 0, 1, 0, 1), w.t, w.v));
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 3, 3, 0, 6), w.t, w.v)); /* no points */
    assert_int_equal(kata_close(w.s.k), KATA_OK);
}

static void what_was_written_moves_with_the_values(void **state)
{
    (void)state;
    world w = begin();
    kata_field *other = kata_field_like(w.t, "other");
    assert_true(apply(&w, "copy", kata_all(w.g), w.u, w.t));
    kata_swap(w.t, other);
    assert_false(apply(&w, "copy", kata_all(w.g), w.t, w.v));
    assert_true(apply(&w, "copy", kata_all(w.g), other, w.v));
    kata_discard(other);
    assert_false(apply(&w, "copy", kata_all(w.g), other, w.v));
    assert_int_equal(kata_close(w.s.k), KATA_OK);
}

static void writes_at_offsets_count_where_they_land(void **state)
{
    (void)state;
    world w = begin();
    assert_true(apply(&w, "shift", kata_box_2d(w.g, 0, 7, 0, 6), w.u, w.t));
    assert_false(apply(&w, "copy", kata_box_2d(w.g, 0, 8, 0, 6), w.t, w.v));
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 1, 8, 0, 6), w.t, w.v));
    kata_step(w.s.k);
    kata_boundary_set(w.t, KATA_X_LOW, KATA_PERIODIC, 0);
    kata_boundary_set(w.t, KATA_X_HIGH, KATA_PERIODIC, 0);
    assert_true(apply(&w, "shift", kata_box_2d(w.g, 4, 8, 0, 6), w.u, w.t));
    assert_false(apply(&w, "copy", kata_box_2d(w.g, 4, 8, 0, 6), w.t, w.v));
    kata_step(w.s.k);
    assert_true(apply(&w, "shift", kata_all(w.g), w.u, w.t));
    assert_true(apply(&w, "copy", kata_all(w.g), w.t, w.v));
    kata_apply(find(&w.s, "twice"), kata_all(w.g), w.t); /* what it does not write is there */
    assert_true(apply(&w, "copy", kata_all(w.g), w.t, w.v));
    kata_step(w.s.k);
    kata_apply(find(&w.s, "twice"), kata_all(w.g), w.t);
    assert_false(kata_ok(w.s.k));
    assert_int_equal(kata_close(w.s.k), KATA_ERROR_APPLICATION);
}

static void levels_read_what_earlier_ones_wrote(void **state)
{
    (void)state;
    world w = begin();
    assert_true(apply(&w, "climb", kata_box_2d(w.g, 0, 8, 1, 6), w.u, w.t));
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 0, 8, 1, 6), w.t, w.v));
    kata_step(w.s.k);
    assert_false(apply(&w, "climb", kata_box_2d(w.g, 0, 8, 2, 6), w.u, w.t));
    assert_false(apply(&w, "stair", kata_box_2d(w.g, 0, 8, 1, 6), w.u, w.t));
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 0, 8, 0, 1), w.u, w.t));
    assert_true(apply(&w, "stair", kata_box_2d(w.g, 0, 8, 1, 6), w.u, w.t));
    kata_step(w.s.k);
    kata_boundary_set(w.t, KATA_Y_LOW, KATA_CLAMP, 0); /* at level 0 it leads to itself */
    assert_false(apply(&w, "stair", kata_all(w.g), w.u, w.t));
    assert_int_equal(kata_close(w.s.k), KATA_OK);
}

/* What rules hide of a discarded field is not taken for written. */
static void discarded_faces_and_ghosts_are_read_once_written(void **state)
{
    (void)state;
    world w = begin();
    kata_field *f = kata_field_new(w.g, "f", KATA_F64, .staggered = KATA_X, .ghosts = 1,
                                   .boundary = KATA_PERIODIC);
    double x[54] = {0};
    kata_discard(f);
    assert_false(apply(&w, "copy", kata_all(w.g), f, w.v));
    assert_true(apply(&w, "copy", kata_all(w.g), w.u, f));
    kata_step(w.s.k);
    assert_true(apply(&w, "copy", kata_all(w.g), f, w.v));
    assert_int_equal(kata_get(f, kata_on(f), x, 48), KATA_OK);
    kata_boundary_set(f, KATA_X_LOW, KATA_NONE, 0);
    kata_boundary_set(f, KATA_X_HIGH, KATA_NONE, 0);
    assert_int_equal(kata_get(f, kata_on(f), x, 54), KATA_ERROR_ARGUMENT);
    kata_error_clear(w.s.k);
    assert_false(apply(&w, "finish", kata_all(w.g), f, w.v));
    assert_true(apply(&w, "finish", kata_box_2d(w.g, 1, 8, 0, 6), f, w.v));
    kata_put(f, kata_ghost(f, KATA_X_LOW, 1), x, 6);
    assert_true(apply(&w, "finish", kata_all(w.g), f, w.v));
    assert_int_equal(kata_close(w.s.k), KATA_OK);
}

/* The points at which a kernel applied to kata_needed has written t are [x_lo, x_hi) x [y_lo,
 * y_hi) and no more. */
static void expect_needed(world *w, const int64_t lo[2], const int64_t hi[2])
{
    assert_true(apply(w, "copy", kata_box_2d(w->g, lo[0], hi[0], lo[1], hi[1]), w->t, w->v));
    for (int d = 0; d < 2; d++)
        for (int side = 0; side < 2; side++) {
            int64_t l[2] = {lo[0], lo[1]}, h[2] = {hi[0], hi[1]}, n = d ? 6 : 8;
            if (side ? ++h[d] > n : --l[d] < 0) continue;
            assert_false(apply(w, "copy", kata_box_2d(w->g, l[0], h[0], l[1], h[1]), w->t, w->v));
        }
}

static void needed_is_the_largest_box(void **state)
{
    (void)state;
    world w = begin();
    assert_true(apply(&w, "right", kata_needed(w.g), w.u, w.t)); /* guarded */
    expect_needed(&w, (int64_t[]){0, 0}, (int64_t[]){8, 6});
    kata_step(w.s.k);
    assert_true(apply(&w, "shift", kata_needed(w.g), w.u, w.t)); /* does not fit at the right */
    expect_needed(&w, (int64_t[]){1, 0}, (int64_t[]){8, 6});
    kata_step(w.s.k);
    assert_true(apply(&w, "finish", kata_needed(w.g), w.u, w.t)); /* u[-1,0] has no rule */
    expect_needed(&w, (int64_t[]){1, 0}, (int64_t[]){8, 6});
    kata_step(w.s.k);
    kata_field *first = kata_field_like(w.t, "first");
    kata_boundary_set(first, KATA_X_LOW, KATA_REFLECT_FACE, 0);
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 0, 6, 1, 5), w.u, first));
    assert_true(apply(&w, "finish", kata_needed(w.g), first, w.t));
    expect_needed(&w, (int64_t[]){0, 1}, (int64_t[]){6, 5});
    kata_step(w.s.k);
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 2, 6, 1, 5), w.u, first));
    assert_true(apply(&w, "finish", kata_needed(w.g), first, w.t));
    expect_needed(&w, (int64_t[]){3, 1}, (int64_t[]){6, 5});
    kata_step(w.s.k);
    assert_false(apply(&w, "finish", kata_needed(w.g), first, w.t)); /* nowhere */
    assert_int_equal(kata_close(w.s.k), KATA_OK);
}

static void needed_leaves_most_beside_a_hole(void **state)
{
    (void)state;
    world w = begin();
    kata_field *first = kata_field_like(w.t, "first");
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 0, 8, 0, 2), w.u, first));
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 0, 8, 3, 6), w.u, first));
    assert_true(apply(&w, "copy", kata_box_2d(w.g, 0, 6, 2, 3), w.u, first));
    assert_true(apply(&w, "copy", kata_needed(w.g), first, w.t));
    expect_needed(&w, (int64_t[]){0, 0}, (int64_t[]){6, 6});
    assert_int_equal(kata_close(w.s.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temporaries_hold_what_lasting_fields_do),
        cmocka_unit_test(parts_written_apart_are_read_together),
        cmocka_unit_test(what_was_written_moves_with_the_values),
        cmocka_unit_test(writes_at_offsets_count_where_they_land),
        cmocka_unit_test(levels_read_what_earlier_ones_wrote),
        cmocka_unit_test(discarded_faces_and_ghosts_are_read_once_written),
        cmocka_unit_test(needed_is_the_largest_box),
        cmocka_unit_test(needed_leaves_most_beside_a_hole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
