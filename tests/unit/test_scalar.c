/* Scalars live in the chain: kernels applied once compute with them, a time step found by reduction
 * forces nothing, and both executors give the same bits. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char kernels[] =
    "kernel wave(out double u) { u = sin(0.1*ix) + 0.01*iy; }\n"
    "kernel fastest(in double u, max double m) { m = max(m, fabs(u)); }\n"
    "kernel choose(in double m, out double dt, double cfl) { dt = cfl/max(m, 0.5); }\n"
    "kernel advance(in double u, out double v, double dt)\n"
    "{ v = u + dt*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u); }\n"
    "kernel count(in double u, sum long n[3], max double edge[2])\n"
    "{\n"
    "    for (int q = 0; q < 3; q++) if (u < 0.1*q - 0.05) n[q] += 1;\n"
    "    edge[1] = max(edge[1], u);\n"
    "}\n"
    "kernel weigh(in double u, out double v, long n[3], double w[2]) { v = u*n[0] + n[2] + w[1]; "
    "}\n"
    "kernel gather(in double u, inout sum double s, inout min float least, inout max long n[2])\n"
    "{ s += u; least = min(least, (float)u); n[1] = max(n[1], ix); }\n"
    "kernel total(in double u, sum double s) { s += u; }\n"
    "kernel stop(in double u, out double v, sum double s, sum long n)\n"
    "{ assert(ix < 3); v = u; s += u; n += 1; }\n"
    "kernel use(out double v, double s, long n) { v = s + n; }\n"
    "kernel take(in double s, out double t) { t = 2*s; }\n"
    "kernel where(out long a, inout long n) { a = 100*ix + 10*iy + iz; n += nx + ny + nz; }\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v;
} world;

enum { NX = 40, NY = 30, POINTS = NX * NY };

static void open_world(world *w, const char *executor)
{
    *w = (world){.k = kata_open(&(kata_options){.executor = executor, .threads = 2})};
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->g = kata_grid_2d(w->k, NX, NY);
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    w->v = kata_field_like(w->u, "v");
    assert_true(kata_ok(w->k));
}

static void close_world(world *w) { assert_int_equal(kata_close(w->k), KATA_OK); }

static kata_kernel *find(world *w, const char *name) { return kata_kernel_find(w->m, name); }

static const char *const executors[] = {"cpu", "reference"};

/* ---- once ------------------------------------------------------------------------------------ */

static void test_a_kernel_applied_once_runs_at_one_point(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        world w;
        int64_t a, n;
        open_world(&w, executors[e]);
        kata_scalar *sa = kata_scalar_new(w.k, "a", KATA_I64);
        kata_scalar *sn = kata_scalar_new(w.k, "n", KATA_I64);
        kata_scalar_set(sa, 7);
        for (int i = 0; i < 5; i++) kata_apply(find(&w, "where"), kata_once(w.k), sa, sn);
        kata_scalar_get(sa, &a);
        kata_scalar_get(sn, &n);
        assert_int_equal(a, 0);
        assert_int_equal(n, 15);
        close_world(&w);
    }
}

/* Steps whose length is found by reduction, each as long as the fastest point allows. */
static void run_steps(world *w, int steps, double *values)
{
    kata_scalar *m = kata_scalar_new(w->k, "m", KATA_F64);
    kata_scalar *dt = kata_scalar_new(w->k, "dt", KATA_F64);
    kata_apply(find(w, "wave"), kata_all(w->g), w->u);
    for (int t = 0; t < steps; t++) {
        kata_apply(find(w, "fastest"), kata_all(w->g), w->u, m);
        kata_apply(find(w, "choose"), kata_once(w->k), m, dt, 0.1);
        kata_apply(find(w, "advance"), kata_all(w->g), w->u, w->v, dt);
        kata_swap(w->u, w->v);
    }
    kata_get(w->u, kata_all(w->g), values, POINTS);
}

/* The same in C, with the step read back each time. */
static void run_forced(world *w, int steps, double *values)
{
    kata_scalar *m = kata_scalar_new(w->k, "m", KATA_F64);
    kata_apply(find(w, "wave"), kata_all(w->g), w->u);
    for (int t = 0; t < steps; t++) {
        double most;
        kata_apply(find(w, "fastest"), kata_all(w->g), w->u, m);
        kata_scalar_get(m, &most);
        kata_apply(find(w, "advance"), kata_all(w->g), w->u, w->v, 0.1 / fmax(most, 0.5));
        kata_swap(w->u, w->v);
    }
    kata_get(w->u, kata_all(w->g), values, POINTS);
}

static void test_a_step_in_the_chain_is_the_step_read_back(void **state)
{
    (void)state;
    static double values[3][POINTS];
    for (int i = 0; i < 3; i++) {
        world w;
        open_world(&w, executors[i % 2]);
        if (i < 2)
            run_steps(&w, 20, values[i]);
        else
            run_forced(&w, 20, values[i]);
        close_world(&w);
    }
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    assert_memory_equal(values[0], values[2], sizeof values[0]);
    assert_true(values[0][POINTS - 1] != 0);
}

static void test_a_thousand_steps_force_nothing(void **state)
{
    (void)state;
    world w;
    kata_work work;
    open_world(&w, "cpu");
    kata_scalar *m = kata_scalar_new(w.k, "m", KATA_F64);
    kata_scalar *dt = kata_scalar_new(w.k, "dt", KATA_F64);
    kata_kernel *fastest = find(&w, "fastest"), *choose = find(&w, "choose");
    kata_kernel *advance = find(&w, "advance");
    kata_apply(find(&w, "wave"), kata_all(w.g), w.u);
    for (int t = 0; t < 1000; t++) {
        kata_apply(fastest, kata_all(w.g), w.u, m);
        kata_apply(choose, kata_once(w.k), m, dt, 0.1);
        kata_apply(advance, kata_all(w.g), w.u, w.v, dt);
        kata_swap(w.u, w.v);
        kata_step(w.k);
    }
    kata_work_done(w.k, &work);
    assert_int_equal(work.steps, 1000);
    assert_int_equal(work.chains_forced, 0);
    assert_int_equal(work.chains_long, 0);
    assert_true(work.chains_step >= 11 && work.chains == work.chains_step);
    assert_true(work.loops > 2700 && work.loops <= 3001);
    close_world(&w);
}

/* ---- onto what was there --------------------------------------------------------------------- */

static void test_inout_adds_the_sum_to_the_old_value_at_last(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        world w;
        double s, sum, expected = 1e6;
        open_world(&w, executors[e]);
        kata_scalar *ss = kata_scalar_new(w.k, "s", KATA_F64);
        kata_scalar *sum_alone = kata_scalar_new(w.k, "sum", KATA_F64);
        kata_scalar *least = kata_scalar_new(w.k, "least", KATA_F32);
        kata_scalar *n = kata_scalar_array_new(w.k, "n", KATA_I64, 2);
        kata_scalar_set(ss, 1e6);
        kata_scalar_set(n, 17);
        kata_apply(find(&w, "wave"), kata_all(w.g), w.u);
        for (int i = 0; i < 3; i++) {
            kata_range part = kata_box_2d(w.g, 3 * i, NX - i, 0, NY - 7 * i);
            kata_apply(find(&w, "gather"), part, w.u, ss, least, n);
            kata_apply(find(&w, "total"), part, w.u, sum_alone);
            kata_scalar_get(sum_alone, &sum);
            expected += sum;
        }
        kata_scalar_get(ss, &s);
        assert_true(s == expected);
        float lowest;
        int64_t most[2];
        kata_scalar_get(least, &lowest);
        kata_scalar_get_all(n, most, 2);
        assert_true(lowest < -0.5f);
        assert_int_equal(most[0], 17);
        assert_int_equal(most[1], NX - 1);
        close_world(&w);
    }
}

static void test_inout_over_no_points_changes_nothing(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        world w;
        double s;
        int64_t n[2];
        float least;
        open_world(&w, executors[e]);
        kata_scalar *ss = kata_scalar_new(w.k, "s", KATA_F64);
        kata_scalar *sl = kata_scalar_new(w.k, "least", KATA_F32);
        kata_scalar *sn = kata_scalar_array_new(w.k, "n", KATA_I64, 2);
        kata_scalar_set(ss, 0.1);
        kata_scalar_set(sl, -0.0);
        kata_scalar_set(sn, -4);
        kata_apply(find(&w, "gather"), kata_inner(w.g, 20), w.u, ss, sl, sn);
        kata_scalar_get(ss, &s);
        kata_scalar_get(sl, &least);
        kata_scalar_get_all(sn, n, 2);
        assert_true(s == 0.1 && n[0] == -4 && n[1] == -4 && least == 0 && signbit(least));
        close_world(&w);
    }
}

/* ---- logs ------------------------------------------------------------------------------------ */

static void test_a_log_has_an_entry_per_write_and_forces_nothing(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        world w;
        kata_work work;
        int64_t values[600];
        open_world(&w, executors[e]);
        kata_kernel *where = find(&w, "where");
        kata_scalar *a = kata_scalar_new(w.k, "a", KATA_I64),
                    *n = kata_scalar_new(w.k, "n", KATA_I64);
        assert_int_equal(kata_scalar_log_count(n), 0);
        kata_apply(where, kata_once(w.k), a, n);
        kata_scalar_log(n, 600);
        for (int i = 0; i < 500; i++) kata_apply(where, kata_once(w.k), a, n);
        assert_int_equal(kata_scalar_log_count(n), 500);
        assert_int_equal(kata_scalar_log_count(a), 0);
        kata_work_done(w.k, &work);
        assert_int_equal(work.chains_forced, 0);
        kata_scalar_set(n, 1);
        assert_int_equal(kata_scalar_log_get(n, values, 500), KATA_OK);
        for (int i = 0; i < 500; i++) assert_int_equal(values[i], 3 * (i + 2));
        close_world(&w);
    }
}

static void test_a_full_log_keeps_the_newest_entries(void **state)
{
    (void)state;
    world w;
    int64_t values[4];
    open_world(&w, "cpu");
    kata_scalar *a = kata_scalar_new(w.k, "a", KATA_I64), *n = kata_scalar_new(w.k, "n", KATA_I64);
    kata_scalar_log(n, 4);
    for (int i = 0; i < 10; i++) kata_apply(find(&w, "where"), kata_once(w.k), a, n);
    assert_int_equal(kata_scalar_log_get(n, values, 4), KATA_OK);
    for (int i = 0; i < 4; i++) assert_int_equal(values[i], 3 * (i + 7));
    kata_apply(find(&w, "where"), kata_once(w.k), a, n);
    kata_scalar_log(n, 4);
    assert_int_equal(kata_scalar_log_count(n), 0);
    kata_apply(find(&w, "where"), kata_once(w.k), a, n);
    assert_int_equal(kata_scalar_log_get(n, values, 1), KATA_OK);
    assert_int_equal(values[0], 36);
    kata_scalar_log(n, 0);
    kata_apply(find(&w, "where"), kata_once(w.k), a, n);
    assert_int_equal(kata_scalar_log_get(n, values, 0), KATA_OK);
    close_world(&w);
}

static void test_entries_of_an_array_and_of_reductions(void **state)
{
    (void)state;
    world w;
    int64_t n[3];
    double edges[4];
    open_world(&w, "cpu");
    kata_scalar *sn = kata_scalar_array_new(w.k, "n", KATA_I64, 3);
    kata_scalar *se = kata_scalar_array_new(w.k, "edge", KATA_F64, 2);
    kata_apply(find(&w, "wave"), kata_all(w.g), w.u);
    kata_scalar_log(se, 5);
    for (int i = 0; i < 2; i++)
        kata_apply(find(&w, "count"), kata_box_2d(w.g, 20 * i, 20 + 20 * i, 0, NY), w.u, sn, se);
    assert_int_equal(kata_scalar_log_get(se, edges, 4), KATA_OK);
    assert_true(isinf(edges[0]) && isinf(edges[2]) && edges[1] > edges[3] && edges[3] > 0);
    assert_int_equal(kata_scalar_get_all(sn, n, 3), KATA_OK);
    close_world(&w);
}

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)status;
    (void)message;
}

static void test_a_failed_chain_leaves_nan_in_scalars_and_logs(void **state)
{
    (void)state;
    double value = 0, values[2] = {0, 0};
    kata *k = kata_open(&(kata_options){
        .executor = "cpu", .compiler = "/nowhere/cc", .cache = "empty-cache", .handler = ignore});
    kata_module *m = kata_module_from_text(k, "k.kata", kernels);
    kata_scalar *speed = kata_scalar_new(k, "m", KATA_F64),
                *dt = kata_scalar_new(k, "dt", KATA_F64);
    kata_scalar_set(dt, 4);
    kata_scalar_log(dt, 2);
    kata_kernel *choose = kata_kernel_find(m, "choose");
    for (int i = 0; i < 2; i++) kata_apply(choose, kata_once(k), speed, dt, 0.1);
    assert_int_equal(kata_flush(k), KATA_ERROR_COMPILER);
    kata_error_clear(k);
    assert_int_equal(kata_scalar_get(dt, &value), KATA_OK);
    assert_int_equal(kata_scalar_log_get(dt, values, 2), KATA_OK);
    assert_true(isnan(value) && isnan(values[0]) && isnan(values[1]));
    kata_close(k);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void test_arrays_are_reduced_and_passed_as_tables(void **state)
{
    (void)state;
    static double u[POINTS], v[2][POINTS];
    for (int e = 0; e < 2; e++) {
        world w;
        int64_t n[3];
        double edge[2], most = -INFINITY;
        open_world(&w, executors[e]);
        kata_scalar *sn = kata_scalar_array_new(w.k, "n", KATA_I64, 3);
        kata_scalar *se = kata_scalar_array_new(w.k, "edge", KATA_F64, 2);
        kata_apply(find(&w, "wave"), kata_all(w.g), w.u);
        kata_apply(find(&w, "count"), kata_all(w.g), w.u, sn, se);
        kata_apply(find(&w, "weigh"), kata_all(w.g), w.u, w.v, sn, se);
        kata_scalar_get_all(sn, n, 3);
        assert_int_equal(kata_scalar_get_all(se, edge, 2), KATA_OK);
        kata_get(w.u, kata_all(w.g), u, POINTS);
        kata_get(w.v, kata_all(w.g), v[e], POINTS);
        for (int q = 0; q < 3; q++) {
            int64_t count = 0;
            for (int i = 0; i < POINTS; i++) count += u[i] < 0.1 * q - 0.05;
            assert_int_equal(n[q], count);
        }
        for (int i = 0; i < POINTS; i++) most = fmax(most, u[i]);
        assert_float_equal(edge[1], most, 0);
        assert_true(isinf(edge[0]) && edge[0] < 0);
        assert_float_equal(v[e][7], u[7] * (double)n[0] + (double)n[2] + edge[1], 1e-9);
        close_world(&w);
    }
    assert_memory_equal(v[0], v[1], sizeof v[0]);
}

static void test_an_array_is_set_and_read_whole(void **state)
{
    (void)state;
    world w;
    double one = 0, all[3];
    float narrow[3];
    open_world(&w, "cpu");
    kata_scalar *s = kata_scalar_array_new(w.k, "s", KATA_F64, 3);
    kata_scalar_set(s, 2.5);
    assert_int_equal(kata_scalar_get_all(s, all, 3), KATA_OK);
    assert_int_equal(kata_scalar_get_all(s, narrow, 3), KATA_OK);
    for (int i = 0; i < 3; i++) assert_true(all[i] == 2.5 && narrow[i] == 2.5f);
    kata_scalar *single = kata_scalar_array_new(w.k, "single", KATA_F64, 1);
    assert_int_equal(kata_scalar_get(single, &one), KATA_OK);
    close_world(&w);
}

/* ---- chains that fail ------------------------------------------------------------------------ */

/* What the scalars of a failed chain are to later loops, as numbers, as fields of loops that run
 * once, and to the program. */
static void check_failed_chain(const char *executor)
{
    double v[POINTS], s, t;
    int64_t n = 1;
    world w = {.k = kata_open(&(kata_options){.executor = executor, .handler = ignore})};
    w.m = kata_module_from_text(w.k, "k.kata", kernels);
    w.g = kata_grid_2d(w.k, NX, NY);
    w.u = kata_field_new(w.g, "u", KATA_F64);
    w.v = kata_field_like(w.u, "v");
    kata_scalar *ss = kata_scalar_new(w.k, "s", KATA_F64),
                *st = kata_scalar_new(w.k, "t", KATA_F64);
    kata_scalar *sn = kata_scalar_new(w.k, "n", KATA_I64);
    kata_apply(find(&w, "stop"), kata_all(w.g), w.u, w.v, ss, sn);
    assert_int_equal(kata_flush(w.k), KATA_ERROR_ASSERT);
    kata_error_clear(w.k);
    kata_apply(find(&w, "use"), kata_all(w.g), w.v, ss, sn);
    kata_apply(find(&w, "take"), kata_once(w.k), ss, st);
    kata_get(w.v, kata_all(w.g), v, POINTS);
    kata_scalar_get(ss, &s);
    kata_scalar_get(st, &t);
    kata_scalar_get(sn, &n);
    for (int i = 0; i < POINTS; i++) assert_true(isnan(v[i]));
    assert_true(isnan(s) && isnan(t));
    assert_int_equal(n, 0);
    close_world(&w);
}

static void test_scalars_of_a_failed_chain_are_nan_to_later_loops(void **state)
{
    (void)state;
    static const char *const all[] = {"cpu", "reference", "plan"};
    for (size_t e = 0; e < sizeof all / sizeof *all; e++) check_failed_chain(all[e]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars_of_a_failed_chain_are_nan_to_later_loops),
        cmocka_unit_test(test_a_kernel_applied_once_runs_at_one_point),
        cmocka_unit_test(test_a_step_in_the_chain_is_the_step_read_back),
        cmocka_unit_test(test_inout_adds_the_sum_to_the_old_value_at_last),
        cmocka_unit_test(test_inout_over_no_points_changes_nothing),
        cmocka_unit_test(test_a_log_has_an_entry_per_write_and_forces_nothing),
        cmocka_unit_test(test_a_full_log_keeps_the_newest_entries),
        cmocka_unit_test(test_entries_of_an_array_and_of_reductions),
        cmocka_unit_test(test_a_failed_chain_leaves_nan_in_scalars_and_logs),
        cmocka_unit_test(test_arrays_are_reduced_and_passed_as_tables),
        cmocka_unit_test(test_an_array_is_set_and_read_whole),
        cmocka_unit_test(test_a_thousand_steps_force_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
