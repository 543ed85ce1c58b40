/* Constants around a field are filled once and stay, until another loop fills there or the constant
 * changes. Loops with other constants, rules, reaches and ranges run in between, and fields with
 * different constants swap their memory. Results are the bits of the reference executor. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 37, NY = 29, POINTS = NX * NY, STEPS = 40 };

static const char kernels[] = "kernel star(in double u, out double v)\n"
                              "{ v = 0.2*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1]) + 0.1*u; }\n"
                              "kernel wide(in double u, out double v)\n"
                              "{ v = 0.2*(u[3,0] + u[-3,0] + u[0,2] + u[0,-2]) + 0.1*u; }\n"
                              "kernel corners(in double u, out double v)\n"
                              "{ v = 0.2*(u[1,1] + u[-1,-1] + u[1,-1] + u[-1,1]) + 0.1*u; }\n"
                              "kernel pair(in double a, in double b, out double v)\n"
                              "{ v = 0.5*a[1,0] + 0.25*b[0,2]; }\n"
                              "kernel red(inout double a, in double b)\n"
                              "{ a = 0.5*a + 0.25*a[0,1] + 0.2*b[2,0]; }\n";

typedef struct world {
    kata *k;
    kata_field *u, *v;
    kata_kernel *star, *wide, *corners;
    kata_range all, low;
} world;

static void open_world(world *w, const char *executor, int threads, const char *plan)
{
    w->k = kata_open(
        &(kata_options){.executor = executor, .threads = threads, .plan = plan, .wait = true});
    kata_grid *g = kata_grid_2d(w->k, NX, NY);
    kata_module *m = kata_module_from_text(w->k, "k.kata", kernels);
    w->star = kata_kernel_find(m, "star");
    w->wide = kata_kernel_find(m, "wide");
    w->corners = kata_kernel_find(m, "corners");
    w->u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CONSTANT, .boundary_value = 1.5);
    w->v = kata_field_new(g, "v", KATA_F64, .boundary = KATA_CONSTANT, .boundary_value = -2);
    w->all = kata_all(g);
    w->low = kata_face(g, KATA_X_LOW, 9);
}

/* One of the things that must not find what another one has filled. */
static void change(world *w, int step)
{
    switch (step % 10) {
    case 1: kata_apply(w->star, w->all, w->v, w->u); break; /* constants of the other field */
    case 4:
        kata_apply(w->wide, w->all, w->u, w->v);
        kata_swap(w->u, w->v);
        break;
    case 5: kata_boundary_set(w->u, KATA_X_LOW, KATA_CONSTANT, 0.25 * step); break;
    case 6:
        kata_apply(w->corners, w->all, w->u, w->v);
        kata_swap(w->u, w->v);
        break;
    case 7: /* around a part of another kernel's points */
        kata_apply(w->corners, w->low, w->v, w->u);
        kata_apply(w->star, w->low, w->u, w->v);
        kata_swap(w->u, w->v);
        break;
    case 8:
        kata_boundary_set(w->u, KATA_Y_HIGH, step > 20 ? KATA_CLAMP : KATA_CONSTANT, 0.5);
        break;
    case 9: kata_boundary_set(w->v, KATA_Y_HIGH, KATA_REFLECT_FACE, 0); break;
    default: break;
    }
}

static void run(const char *executor, int threads, const char *plan, bool each, double *out)
{
    world w;
    open_world(&w, executor, threads, plan);
    for (int i = 0; i < POINTS; i++) out[i] = 0.001 * ((i * 37) % 101);
    kata_put(w.u, w.all, out, POINTS);
    for (int step = 0; step < STEPS; step++) {
        kata_apply(w.star, w.all, w.u, w.v);
        kata_swap(w.u, w.v);
        if (step % 2) kata_apply(w.star, w.all, w.u, w.v);
        change(&w, step);
        kata_step(w.k);
        if (each) kata_flush(w.k);
    }
    kata_get(w.u, w.all, out, POINTS);
    assert_true(kata_ok(w.k));
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_constants_that_stay_are_right(void **state)
{
    (void)state;
    static double expected[POINTS], found[POINTS];
    static const char *const plans[] = {"loops", NULL, "skewed y=5", "skewed y=5 x=9",
                                        "diamond y=12 depth=2"};
    run("reference", 1, NULL, false, expected);
    for (int threads = 1; threads <= 3; threads += 2)
        for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
            for (int each = 0; each < 2; each++) {
                run("cpu", threads, plans[i], each, found);
                assert_memory_equal(found, expected, sizeof expected);
            }
}

/* A loop reads two fields at different sides; then it reads each as the other. */
static void run_exchanged(const char *executor, int threads, bool colored, double *out)
{
    world w;
    open_world(&w, executor, threads, strcmp(executor, "cpu") == 0 ? "loops" : NULL);
    const kata_grid *g = w.all.grid;
    kata_module *m = kata_module_from_text(w.k, "k.kata", kernels);
    kata_kernel *pair = kata_kernel_find(m, "pair"), *red = kata_kernel_find(m, "red");
    kata_field *a = kata_field_like(w.u, "a"), *b = kata_field_like(w.u, "b");
    for (int i = 0; i < POINTS; i++) out[i] = 0.001 * ((i * 37) % 101);
    kata_put(a, w.all, out, POINTS);
    kata_put(b, w.all, out, POINTS);
    for (int step = 0; step < 4; step++) {
        if (colored)
            kata_apply(red, kata_color(kata_all(g), 3, 0), a, b);
        else
            kata_apply(pair, w.all, a, b, w.u);
        kata_flush(w.k);
        kata_swap(a, b);
    }
    kata_get(colored ? a : w.u, w.all, out, POINTS);
    assert_true(kata_ok(w.k));
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_fields_that_change_places_have_their_own_constants(void **state)
{
    (void)state;
    static double expected[POINTS], found[POINTS];
    for (int colored = 0; colored < 2; colored++) {
        run_exchanged("reference", 1, colored, expected);
        for (int threads = 1; threads <= 3; threads += 2) {
            run_exchanged("cpu", threads, colored, found);
            assert_memory_equal(found, expected, sizeof expected);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants_that_stay_are_right),
        cmocka_unit_test(test_fields_that_change_places_have_their_own_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
