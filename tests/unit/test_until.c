/* Steps until a scalar is below a limit make exactly the steps up to a look, end the chain at looks
 * only, and give the bits of a loop that the program counts itself. */
/* Labels: threads slow */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "kernel start(out double u) { u = ix == 10 && iy == 7 ? 100 : 0; }\n"
                           "kernel step(in double u, out double v, max double change)\n"
                           "{\n"
                           "    v = u + 0.2*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u);\n"
                           "    change = max(change, fabs(v - u));\n"
                           "}\n"
                           "kernel plain(in double u, out double v)\n"
                           "{ v = u + 0.2*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u); }\n"
                           "kernel largest(in double u, max double m) { m = max(m, u); }\n"
                           "kernel tick(inout double t, inout int n) { t += 0.25; n += 1; }\n"
                           "kernel spoil(inout double t, int n) { if (n == 6) t = sqrt(-t); }\n"
                           "kernel check(in double u, sum double s) { assert(u < 0); s += u; }\n";

enum { NX = 24, NY = 16, POINTS = NX * NY };

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v;
    kata_scalar *change, *t, *n;
} world;

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)status;
    (void)message;
}

static kata_kernel *find(world *w, const char *name) { return kata_kernel_find(w->m, name); }

static void open_world(world *w, const char *executor)
{
    kata_options options = {.executor = executor, .threads = 2, .handler = ignore};
    *w = (world){.k = kata_open(&options)};
    w->m = kata_module_from_text(w->k, "until", text);
    w->g = kata_grid_2d(w->k, NX, NY);
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w->v = kata_field_like(w->u, "v");
    w->change = kata_scalar_new(w->k, "change", KATA_F64);
    w->t = kata_scalar_new(w->k, "t", KATA_F64);
    w->n = kata_scalar_new(w->k, "n", KATA_I32);
    kata_apply(find(w, "start"), kata_all(w->g), w->u);
    assert_true(kata_ok(w->k));
}

static void step(world *w)
{
    kata_apply(find(w, "step"), kata_all(w->g), w->u, w->v, w->change);
    kata_swap(w->u, w->v);
}

static const char *const executors[] = {"cpu", "reference"};

/* The step, counted from 1, after which a change is below a limit for the first time. */
static int first_below(const double *changes, int count, double limit)
{
    int i = 0;
    while (i < count && !(changes[i] < limit)) i++;
    return i + 1;
}

/* The field after each number of steps, and the change of each step. */
enum { MOST = 40 };
typedef struct history {
    double values[MOST + 1][POINTS], changes[MOST];
} history;

static void counted_by_hand(history *h)
{
    world w;
    open_world(&w, "reference");
    kata_get(w.u, kata_all(w.g), h->values[0], POINTS);
    for (int i = 0; i < MOST; i++) {
        step(&w);
        kata_get(w.u, kata_all(w.g), h->values[i + 1], POINTS);
        kata_scalar_get(w.change, &h->changes[i]);
    }
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void check_every(const history *h, const char *executor, int every, double limit)
{
    world w;
    kata_work before, after;
    double values[POINTS];
    open_world(&w, executor);
    kata_flush(w.k);
    kata_work_done(w.k, &before);
    kata_until u = kata_until_below(w.change, limit, .most = MOST, .every = every);
    int64_t looks = 0;
    while (kata_until_next(&u)) {
        looks += u.look;
        step(&w);
    }
    kata_work_done(w.k, &after);
    kata_get(w.u, kata_all(w.g), values, POINTS);

    int first = first_below(h->changes, MOST, limit), due = (first + every - 1) / every * every;
    int64_t expected = due < MOST ? due : MOST;
    assert_int_equal(u.steps, expected);
    assert_true(u.value == h->changes[expected - 1]);
    assert_int_equal(u.reached, u.value < limit);
    assert_memory_equal(values, h->values[expected], sizeof values);
    assert_int_equal(looks, (expected + every - 1) / every);
    assert_int_equal(after.chains_forced - before.chains_forced, looks);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_every_multiple(void **state)
{
    (void)state;
    static history h;
    counted_by_hand(&h);
    for (size_t e = 0; e < sizeof executors / sizeof *executors; e++)
        for (int every = 1; every <= MOST + 2; every++) {
            check_every(&h, executors[e], every, h.changes[16]);
            check_every(&h, executors[e], every, 0);
            check_every(&h, executors[e], every, INFINITY);
        }
}

/* Kernels that only the looks need are applied before looks only. */
static void test_reduction_at_looks(void **state)
{
    (void)state;
    for (size_t e = 0; e < sizeof executors / sizeof *executors; e++) {
        world w;
        kata_work before, after;
        open_world(&w, executors[e]);
        kata_flush(w.k);
        kata_work_done(w.k, &before);
        int applied = 0;
        kata_until u = kata_until_below(w.change, 10, .most = 100, .every = 4);
        while (kata_until_next(&u)) {
            kata_apply(find(&w, "plain"), kata_all(w.g), w.u, w.v);
            kata_swap(w.u, w.v);
            if (u.look) kata_apply(find(&w, "largest"), kata_all(w.g), w.u, w.change);
            applied += u.look;
        }
        kata_work_done(w.k, &after);
        assert_true(u.reached);
        assert_int_equal(u.steps, 4 * applied);
        assert_int_equal(after.loops - before.loops, u.steps + applied);
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

/* Above is greater than the limit; integers are compared, too. */
static void test_above(void **state)
{
    (void)state;
    world w;
    open_world(&w, "cpu");
    kata_until u = kata_until_above(w.t, 2, .most = 1000, .every = 1);
    while (kata_until_next(&u)) kata_apply(find(&w, "tick"), kata_once(w.k), w.t, w.n);
    assert_true(u.reached && u.value == 2.25 && u.steps == 9);
    u = kata_until_above(w.n, 20, .most = 1000, .every = 5);
    while (kata_until_next(&u)) kata_apply(find(&w, "tick"), kata_once(w.k), w.t, w.n);
    assert_true(u.reached && u.value == 24 && u.steps == 15);
    u = kata_until_below(w.t, 0, .most = 7, .every = 3);
    while (kata_until_next(&u)) kata_apply(find(&w, "tick"), kata_once(w.k), w.t, w.n);
    assert_true(!u.reached && u.steps == 7 && !kata_until_next(&u) && u.steps == 7);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* A scalar that the program sets in its steps is compared, too, also by the value that it had. */
static void test_set_by_the_program(void **state)
{
    (void)state;
    world w;
    open_world(&w, "cpu");
    int set = 0;
    kata_until u = kata_until_below(w.t, 3, .most = 100, .every = 2);
    for (; kata_until_next(&u); set++) kata_scalar_set(w.t, 8 - set);
    assert_true(u.reached && u.value == 1 && u.steps == 8);
    kata_apply(find(&w, "tick"), kata_once(w.k), w.t, w.n); /* before the steps: not counted */
    u = kata_until_below(w.t, 3, .most = 100, .every = 4);
    while (kata_until_next(&u)) {
    }
    assert_true(!u.reached && u.steps == 4);
    assert_int_equal(kata_error(w.k), KATA_ERROR_ARGUMENT);
    kata_close(w.k);
}

static void test_nan_stops(void **state)
{
    (void)state;
    world w;
    open_world(&w, "cpu");
    kata_until_options options = {
        .size = sizeof options, .file = "main.c", .line = 9, .limit = -1, .most = 100, .every = 5};
    kata_until u = kata_until_with(w.t, &options);
    while (kata_until_next(&u)) {
        kata_apply(find(&w, "tick"), kata_once(w.k), w.t, w.n);
        kata_apply(find(&w, "spoil"), kata_once(w.k), w.t, w.n);
    }
    assert_int_equal(u.steps, 10);
    assert_false(u.reached);
    assert_int_equal(kata_error(w.k), KATA_ERROR_ASSERT);
    assert_string_equal(kata_error_message(w.k),
                        "error: main.c:9: kata_until_below: 't' is NaN after 10 steps");
    kata_close(w.k);
}

/* Errors of kernels end the loop, at the call or at the look. */
static void test_errors_end_the_loop(void **state)
{
    (void)state;
    world w;
    open_world(&w, "cpu");
    kata_until u = kata_until_below(w.change, 0, .most = 100, .every = 5);
    while (kata_until_next(&u)) kata_apply(find(&w, "check"), kata_all(w.g), w.u, w.change);
    assert_int_equal(u.steps, 5);
    assert_false(u.reached);
    assert_int_equal(kata_error(w.k), KATA_ERROR_ASSERT);
    u = kata_until_below(w.change, 0, .most = 100, .every = 5);
    assert_false(kata_until_next(&u));
    kata_error_clear(w.k);
    u = kata_until_below(w.change, 0, .most = 100, .every = 5);
    while (kata_until_next(&u)) kata_apply(find(&w, "step"), kata_all(w.g), w.u);
    assert_int_equal(u.steps, 0);
    assert_int_equal(kata_error(w.k), KATA_ERROR_ARGUMENT);
    kata_close(w.k);
}

/* A scalar of integers is had as a floating-point number, and a short one as a long one. */
static void test_integers_as_numbers(void **state)
{
    (void)state;
    world w;
    double d;
    float f;
    int64_t l;
    open_world(&w, "cpu");
    kata_scalar *vast = kata_scalar_array_new(w.k, "vast", KATA_I64, 3);
    double all[3];
    kata_scalar_set(w.n, -7);
    kata_scalar_set(vast, 1e15 + 1);
    kata_scalar_get(w.n, &d);
    kata_scalar_get(w.n, &f);
    kata_scalar_get(w.n, &l);
    kata_scalar_get_all(vast, all, 3);
    assert_true(d == -7 && f == -7 && l == -7);
    for (int i = 0; i < 3; i++) assert_true(all[i] == 1e15 + 1);
    assert_true(kata_ok(w.k));
    int narrow;
    kata_scalar *one = kata_scalar_new(w.k, "one", KATA_I64);
    assert_int_equal(kata_scalar_get(one, &narrow), KATA_ERROR_ARGUMENT);
    kata_error_clear(w.k);
    assert_int_equal(kata_scalar_get(w.t, &narrow), KATA_ERROR_ARGUMENT);
    kata_close(w.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_multiple),
        cmocka_unit_test(test_reduction_at_looks),
        cmocka_unit_test(test_above),
        cmocka_unit_test(test_set_by_the_program),
        cmocka_unit_test(test_nan_stops),
        cmocka_unit_test(test_errors_end_the_loop),
        cmocka_unit_test(test_integers_as_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
