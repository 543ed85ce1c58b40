/* Tiles that run at once read values outside the grid, which other tiles have filled: boxes that
 * reach around corners, arms, several loops that read one version of a field, walls that change
 * while its values stay. Tiles go down to one point, on seven threads. Results are the bits of the
 * reference executor; the thread sanitizer finds that nothing is filled that another tile touches.
 */
/* Labels: hostile threads slow */
#include "kata/kata.h"
#include "sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 12, NY = 9, NZ = 10, POINTS = NX * NY * NZ };

static const char kernels[] =
    "kernel box(in double u, out double v)\n"
    "{ v = 0; for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)\n"
    "  for (int l = -1; l <= 1; l++) v += (0.03 + 0.01*i - 0.02*j + 0.005*l)*u[i,j,l]; }\n"
    "kernel far(in double u, out double v)\n"
    "{ v = 0.2*(u[2,2,2] + u[-2,-2,-2] + u[1,-2,2] + u[-2,1,-1] + u); }\n"
    "kernel arms(in double u, out double v)\n"
    "{ v = 0.2*(u[2,0,0] + u[0,-2,0] + u[0,0,2] + u[0,0,-2] + u[0,2,0]); }\n"
    "kernel both(in double u, in double w, out double v)\n"
    "{ v = 0.3*(u[1,1,0] - w[0,-1,1]) + 0.1*(u[0,-1,-1] + w[0,1,-1]); }\n"
    "kernel more(in double u, inout double v) { v += 0.1*u[-1,1,1] - 0.2*u[0,-1,-1]; }\n"
    "kernel unneeded(in double u, out double v) { v = 0.5*u + 0.25*(u[0,0,1] + u[0,1,-1])\n"
    "  + (ix < nx ? 0.01 : u[0,4,5] - u[-3,-4,-5]); }\n"
    "kernel relax(inout double u, in double f) { u = 0.2*(u[-1,0,0] + u[1,0,0] + u[0,-1,0]\n"
    "  + u[0,1,0] + u[0,0,-1] + u[0,0,1]) - 0.3*u + 0.1*f; }\n"
    "kernel leap(inout double u, in double f) { u = 0.2*(u[-3,0,0] + u[1,0,0] + u[0,-1,0]\n"
    "  + u[0,3,0] + u[0,0,-3] + u[0,0,3]) - 0.1*f; }\n"
    "kernel corner(inout double u, in double f) { u = 0.3*(u[1,1,0] - u[-1,-1,0] + u[0,1,1]\n"
    "  + u[0,-1,-1]) + 0.1*u[0,0,-1] - 0.2*f; }\n"
    "kernel shift(in double u, inout double v) { v += 0.1*u[1,0,0]; }\n"
    "kernel total(in double u, sum double s) { s += u; }\n";

typedef struct world {
    kata *k;
    kata_grid *g;
    kata_module *m;
    kata_field *u, *v, *w;
    kata_scalar *s;
    char said[1024];
} world;

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(data, 1024, "%s", message);
}

/* Of how many points KATA_LINEAR makes a value. Two: diamonds do not shrink more than without, and
 * of two colors each point of a side finds itself and the other color. */
static int summed = 2;

static void sum_points_at_sides(kata_field *u)
{
    static const double weights[] = {-0.5, 0.25,  0.25, -0.125, 0.25, 0.5,  0.25,  0.5, -0.25,
                                     0.25, 0.125, 0.25, 0.5,    -0.5, 0.25, 0.125, 1,   -0.25};
    for (int side = KATA_X_LOW; side <= KATA_Z_HIGH; side++)
        kata_boundary_linear(u, (kata_side)side, 3, summed, weights, .value = 0.1 * side);
}

static void open_world(world *w, const char *executor, const char *plan, kata_rule rule)
{
    static double values[POINTS];
    w->said[0] = '\0';
    w->k = kata_open(&(kata_options){.executor = executor,
                                     .plan = plan,
                                     .threads = 7,
                                     .handler = keep_message,
                                     .handler_data = w->said});
    w->g = kata_grid_3d(w->k, NX, NY, NZ);
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = rule == KATA_LINEAR ? KATA_NONE : rule,
                          .boundary_value = 0.5);
    if (rule == KATA_LINEAR) sum_points_at_sides(w->u);
    w->v = kata_field_like(w->u, "v");
    w->w = kata_field_like(w->u, "w");
    w->s = kata_scalar_new(w->k, "s", KATA_F64);
    for (int i = 0; i < POINTS; i++) values[i] = 0.01 * (i * 37 % 101);
    kata_put(w->u, kata_all(w->g), values, POINTS);
    kata_put(w->w, kata_all(w->g), values, POINTS);
}

static kata_kernel *find(const world *w, const char *name) { return kata_kernel_find(w->m, name); }

static void apply(world *w, const char *name, kata_field *from, kata_field *to)
{
    kata_apply(find(w, name), kata_all(w->g), from, to);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void steps_of(world *w, const char *name)
{
    for (int i = 0; i < 6; i++) {
        apply(w, name, w->u, w->v);
        kata_swap(w->u, w->v);
    }
}

static void boxes(world *w) { steps_of(w, "box"); }
static void far_boxes(world *w) { steps_of(w, "far"); }
static void stars(world *w) { steps_of(w, "arms"); }
/* Memory is filled for reads that no point needs, too. */
static void unneeded_reads(world *w) { steps_of(w, "unneeded"); }

/* w is read three times and u twice between writes, at different offsets and times. */
static void several_readers(world *w)
{
    for (int i = 0; i < 4; i++) {
        kata_apply(find(w, "both"), kata_all(w->g), w->u, w->w, w->v);
        apply(w, "more", w->w, w->v);
        apply(w, "more", w->u, w->v);
        apply(w, i % 2 ? "arms" : "box", w->v, w->u);
        kata_apply(find(w, "both"), kata_all(w->g), w->u, w->w, w->v);
        if (i == 2) apply(w, "far", w->u, w->w);
    }
}

/* Of two loops that read w, the first one waits for a third, and so begins further inside. */
static void readers_apart(world *w)
{
    kata_field *x = kata_field_like(w->u, "x");
    apply(w, "arms", w->v, w->u);
    apply(w, "arms", w->w, w->v);
    apply(w, "arms", w->w, x);
    apply(w, "more", x, w->u);
}

/* The values of w stay, the walls around them change from loop to loop. */
static void changing_walls(world *w)
{
    for (int i = 0; i < 5; i++) {
        for (int side = KATA_Y_LOW; side <= KATA_Z_HIGH; side++)
            kata_boundary_set(w->w, (kata_side)side, i % 3 == 1 ? KATA_REFLECT_FACE : KATA_CONSTANT,
                              0.25 * i);
        kata_apply(find(w, "both"), kata_all(w->g), w->u, w->w, w->v);
        apply(w, "far", w->v, w->u);
        apply(w, "more", w->w, w->u);
    }
}

static void set_all_walls(kata_field *field, kata_rule rule, double value)
{
    for (int side = KATA_X_LOW; side <= KATA_Z_HIGH; side++)
        kata_boundary_set(field, (kata_side)side, rule, value);
}

/* The constants around w are the same for three loops, then others, then the first again: in waves
 * of any depth, with and without a change inside. Those of u and v go with the names: each memory
 * has one, then the other. */
static void changing_constants(world *w)
{
    for (int i = 0; i < 12; i++) {
        set_all_walls(w->w, KATA_CONSTANT, i / 3 % 2 ? 0.25 : 0.75);
        kata_apply(find(w, "both"), kata_all(w->g), w->u, w->w, w->v);
        kata_swap(w->u, w->v);
    }
    set_all_walls(w->v, KATA_CONSTANT, 0.125);
    for (int i = 0; i < 4; i++) {
        apply(w, "box", w->u, w->v);
        apply(w, "more", w->v, w->u);
        kata_swap(w->u, w->v);
        if (i % 2) apply(w, "arms", w->u, w->v);
    }
}

/* In between, a loop that touches w at one offset has cells of its own beyond the sides. */
static void constants_and_periods(world *w)
{
    for (int i = 0; i < 6; i++) {
        set_all_walls(w->w, i % 2 ? KATA_PERIODIC : KATA_CONSTANT, 0.25);
        if (i % 2)
            apply(w, "shift", w->w, w->v);
        else
            apply(w, "box", w->w, w->v);
        apply(w, "arms", w->v, w->u);
    }
}

static void with_sums(world *w)
{
    for (int i = 0; i < 3; i++) {
        apply(w, "box", w->u, w->v);
        kata_apply(find(w, "total"), kata_all(w->g), w->v, w->s);
        apply(w, "arms", w->v, w->u);
    }
}

static void color(world *w, const char *name, int colors, int i, kata_field *u, kata_field *f)
{
    kata_apply(find(w, name), kata_color(kata_all(w->g), colors, i % colors), u, f);
}

/* Fields that are changed in place, color by color, and read before and after. An odd number of
 * points along y has no two colors around a period. */
static void in_place(world *w)
{
    for (int side = KATA_Y_LOW; side <= KATA_Y_HIGH; side++)
        kata_boundary_set(w->u, (kata_side)side, KATA_REFLECT_FACE, 0);
    for (int i = 0; i < 6; i++) {
        color(w, "relax", 2, i, w->u, w->w);
        if (i == 2) apply(w, "arms", w->u, w->v);
        if (i == 3) apply(w, "arms", w->u, w->w);
        if (i == 4) color(w, "relax", 2, i, w->u, w->u);
    }
}

static void set_walls(kata_field *field)
{
    for (int side = KATA_X_LOW; side <= KATA_Z_HIGH; side++)
        kata_boundary_set(field, (kata_side)side, side % 2 ? KATA_CONSTANT : KATA_REFLECT_NODE,
                          0.25);
}

/* The same, reading far and around corners. */
static void far_in_place(world *w)
{
    set_walls(w->u);
    for (int i = 0; i < 5; i++) {
        color(w, "leap", 2, i, w->u, w->w);
        if (i == 1) apply(w, "box", w->u, w->w);
        if (i == 3) color(w, "relax", 2, i, w->u, w->w);
    }
}

/* Walls change, too: loops must not fill around a field what others still read. */
static void corners_in_place(world *w)
{
    for (int i = 0; i < 6; i++) {
        for (int side = KATA_X_LOW; side <= KATA_Z_HIGH; side++)
            kata_boundary_set(w->u, (kata_side)side, i % 2 ? KATA_CONSTANT : KATA_CLAMP, 0.25);
        color(w, "corner", 3 + 2 * (i % 2), i, w->u, w->w);
        if (i == 2) apply(w, "box", w->u, w->w);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef void program(world *w);

typedef struct result {
    double u[POINTS], v[POINTS], s;
} result;

static void run(const char *executor, const char *plan, kata_rule rule, program *p, result *out)
{
    world w;
    open_world(&w, executor, plan, rule);
    p(&w);
    kata_get(w.u, kata_all(w.g), out->u, POINTS);
    kata_get(w.v, kata_all(w.g), out->v, POINTS);
    out->s = 0;
    kata_scalar_get(w.s, &out->s);
    assert_string_equal(w.said, "");
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void check(program *p, const char *const *plans, bool around)
{
    static const kata_rule rules[] = {KATA_PERIODIC,     KATA_CONSTANT,           KATA_CLAMP,
                                      KATA_REFLECT_FACE, KATA_ANTISYMMETRIC_NODE, KATA_LINEAR};
    static result expected, found;
    for (size_t r = !around; r < sizeof rules / sizeof *rules; r++) {
        run("reference", NULL, rules[r], p, &expected);
        for (int i = 0; plans[i]; i++) {
            if (is_sanitized() && ((size_t)i + r) % 2)
                continue; /* each plan, with half of the rules */
            run("cpu", plans[i], rules[r], p, &found);
            if (memcmp(&expected, &found, sizeof found) != 0)
                fail_msg("rule %d, %s: other values", (int)rules[r], plans[i]);
        }
    }
}

static const char *const waves[] = {"skewed z=1 y=1",
                                    "skewed z=1 y=2 depth=3",
                                    "skewed z=2 y=1",
                                    "skewed z=3 y=4 depth=2",
                                    "skewed z=1 y=1 x=1",
                                    "skewed z=2 y=3 x=4 depth=4",
                                    "skewed y=1 x=2 depth=3",
                                    "skewed z=5 y=4 depth=2",
                                    "skewed z=3 y=4 x=5 depth=1",
                                    NULL};
static const char *const rows[] = {"skewed z=1 y=1", "skewed z=2 y=1 depth=3",
                                   "skewed z=1 y=3 depth=2", NULL};
static const char *const diamonds[] = {"diamond z=4 depth=2", "diamond z=5 y=1 depth=2", NULL};
static const char *const deep[] = {"diamond z=12 depth=2", "diamond z=13 y=2 depth=3", NULL};

static const char *const wide[] = {"diamond z=24", "diamond z=14 y=3", NULL};

static void test_boxes_in_waves(void **state)
{
    (void)state;
    check(boxes, waves, true);
    check(far_boxes, waves, true);
}

static void test_stars_in_waves(void **state)
{
    (void)state;
    check(stars, waves, true);
}

/* Values outside are made of more points than any kernel reaches. */
static void test_sums_of_many_points_in_waves(void **state)
{
    (void)state;
    summed = 5;
    check(boxes, waves, false);
    check(several_readers, waves, false);
    summed = 2;
}

static void test_several_loops_read_one_version_in_waves(void **state)
{
    (void)state;
    check(several_readers, waves, true);
}

static void test_walls_change_while_values_stay_in_waves(void **state)
{
    (void)state;
    check(changing_walls, waves, false);
    check(changing_constants, waves, false);
    check(changing_constants, deep, false);
    check(constants_and_periods, waves, false);
}

static void test_diamonds(void **state)
{
    (void)state;
    check(boxes, diamonds, false);
    check(stars, deep, false);
    check(far_boxes, deep, false);
    check(several_readers, deep, false);
    check(changing_walls, deep, false);
    check(readers_apart, wide, false);
}

static void test_reads_that_are_needed_nowhere(void **state)
{
    (void)state;
    check(unneeded_reads, waves, true);
}

static void test_sums_in_waves(void **state)
{
    (void)state;
    check(with_sums, rows, true);
}

static void test_colors_in_waves(void **state)
{
    (void)state;
    check(in_place, waves, true);
    check(far_in_place, waves, true);
    check(corners_in_place, waves, true);
    check(in_place, deep, false);
    check(corners_in_place, deep, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_in_waves),
        cmocka_unit_test(test_stars_in_waves),
        cmocka_unit_test(test_sums_of_many_points_in_waves),
        cmocka_unit_test(test_several_loops_read_one_version_in_waves),
        cmocka_unit_test(test_walls_change_while_values_stay_in_waves),
        cmocka_unit_test(test_diamonds),
        cmocka_unit_test(test_reads_that_are_needed_nowhere),
        cmocka_unit_test(test_sums_in_waves),
        cmocka_unit_test(test_colors_in_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
