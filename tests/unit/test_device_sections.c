/* Loops of a chain that follow one another run at once on a device, in overlapped tiles, with the
 * bits of the executor "reference"; and only those that may. On each kind of device that this
 * machine has. */
/* Labels: slow */
#include "api/api.h"
#include "device_kinds.h"
#include "exec/device_tune.h"
#include "jit_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 40 * 24 * 16, STEPS = 8 };

static const char *kind; /* "cuda", "opencl" */

static const char kernels[] =
    "kernel star(in double u, out double v, double a, double b)\n"
    "{ v = a*u + b*(u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1]); }\n"
    "kernel box(in double u, out double v, double a, double b)\n"
    "{ v = a*u[1,1,1] + b*u[-1,-1,-1] + u[1,-1,0]*0.25 - u[0,1,-1]*0.125 + u[-1,0,1]; }\n"
    "kernel far(in float u, out float v, double a, double b)\n"
    "{ v = (float)a*u[-2,0,0] + (float)b*u[0,2,0] + u[0,0,-2]*0.5f - u[1,0,0]*0.25f; }\n"
    "kernel above(in double u, out double v, double a, double b)\n"
    "{ v = a*u[0,0,2] + b*u[0,0,1]; }\n"
    "kernel flux(in double u, in double c, out double v, double a, double b)\n"
    "{ v = a*u + b*c[1,0,-1]*(u[1,0,0] - u) - c[0,2,0]*u[0,0,-1] + 0.001*ix - 0.002*iy*iz; }\n"
    "kernel sum(in double u, out double v, double a, double b, sum double s)\n"
    "{ v = a*u + b*u[1,0,0]; s += u; }\n"
    "kernel some(in double u, out double v, double a, double b)\n"
    "{ if (u > 0.5) v = a*u + b*u[1,0,0]; }\n";

/* A program of STEPS steps of a kernel between two fields that take turns. */
typedef struct program {
    const char *kernel;
    int64_t size[3], low[3], high[3]; /* of the grid; the points of a range are as far inside */
    kata_rule rule;
    kata_type type;
    bool coefficients, sums;
    bool drifts;  /* numbers differ from step to step */
    bool looks;   /* at the field that is read, after each third step */
    bool narrows; /* the range of the last loop but one is smaller */
} program;

typedef struct outcome {
    double values[2 * MOST];
    int64_t loops, at_once;
} outcome;

static outcome expected, found;

static void fill(kata_field *f, kata_range all, int64_t count, int seed)
{
    static double values[MOST];
    for (int64_t i = 0; i < count; i++) values[i] = (double)((i + seed) * 7919 % 1009) / 1009;
    kata_put(f, all, values, count);
}

static void step(const program *p, kata_scalar *s, kata_kernel *kernel, kata_range range,
                 kata_field *f[3], int i)
{
    const double a = p->drifts ? 0.4 + 0.01 * i : 0.4, b = 0.1;
    if (p->coefficients)
        kata_apply(kernel, range, f[0], f[2], f[1], a, b);
    else if (p->sums)
        kata_apply(kernel, range, f[0], f[1], a, b, s);
    else
        kata_apply(kernel, range, f[0], f[1], a, b);
    kata_swap(f[0], f[1]);
}

static void run(const program *p, const char *device, outcome *o)
{
    const int64_t count = p->size[0] * p->size[1] * p->size[2];
    kata *k = kata_open(&(kata_options){.executor = device ? "cpu" : "reference",
                                        .device = device ? device : "none",
                                        .wait = true});
    assert_non_null(k);
    kata_grid *g = kata_grid_3d(k, p->size[0], p->size[1], p->size[2]);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64);
    kata_kernel *kernel =
        kata_kernel_find(kata_module_from_text(k, "sections.kata", kernels), p->kernel);
    kata_field *f[3] = {kata_field_new(g, "u", p->type, .boundary = p->rule)};
    f[1] = kata_field_like(f[0], "v");
    f[2] = kata_field_new(g, "c", KATA_F64, .boundary = KATA_CLAMP);
    for (int i = 0; i < 3; i++) fill(f[i], kata_all(g), count, 31 * i);
    for (int i = 0; i < STEPS; i++) {
        static double seen[MOST];
        const int64_t less = p->narrows && i == 6;
        step(p, s, kernel,
             kata_box_3d(g, p->low[0] + less, p->size[0] - p->high[0], p->low[1],
                         p->size[1] - p->high[1], p->low[2], p->size[2] - p->high[2]),
             f, i);
        if (p->looks && i % 3 == 2) kata_get(f[i % 2], kata_all(g), seen, count);
    }
    for (int i = 0; i < 2; i++) kata_get(f[i], kata_all(g), o->values + i * MOST, count);
    if (!kata_ok(k)) fail_msg("%s: %s", p->kernel, kata_error_message(k));
    if (device) {
        o->loops = k->exec.device->loops;
        o->at_once = k->exec.device->at_once;
    }
    kata_close(k);
}

/* Runs it in some tiles, which take turns from program to program; `some` loops run at once. Where
 * KATA_TEST_FULL is 1, in two kinds of tiles, and on PoCL a third of the programs. */
static void compare(const program *p, int64_t some)
{
    static const char *const shapes[] = {"steps=3 x=8 y=8 vector=2 rows=2 chunk=3",
                                         "steps=3 x=16 y=16 vector=1 rows=1 chunk=100 fetch=1",
                                         "steps=3 x=8 y=4 vector=4 rows=4 chunk=5",
                                         "steps=3 x=32 y=5 vector=1 rows=3 chunk=7 fetch=1"};
    static size_t turn, seldom;
    const char *full = environment_get("KATA_TEST_FULL");
    const bool all = full && *full == '1';
    const bool slow = strcmp(kind, "cuda") != 0; /* PoCL compiles a section for ten seconds */
    if (slow && some && seldom++ % (all ? 3 : 14)) return;
    memset(&expected, 0, sizeof expected);
    run(p, NULL, &expected);
    const int count = slow || !all ? 1 : 2;
    for (int i = 0; i < count; i++) {
        const char *shape = shapes[turn++ % COUNT_OF(shapes)];
        memset(&found, 0, sizeof found);
        setenv("KATA_DEVICE_SHAPE", shape, 1);
        run(p, kind, &found);
        unsetenv("KATA_DEVICE_SHAPE");
        if (memcmp(found.values, expected.values, sizeof found.values) != 0)
            fail_msg("%s in '%s': other values", p->kernel, shape);
        assert_int_equal(found.loops, STEPS);
        assert_int_equal(found.at_once, some);
    }
}

/* ---- loops that run at once ------------------------------------------------------------------ */

static void ranges_inside_keep_what_lies_around(void **state)
{
    (void)state;
    compare(&(program){.kernel = "star",
                       .size = {21, 13, 11},
                       .low = {1, 1, 1},
                       .high = {1, 1, 1},
                       .type = KATA_F64},
            6);
    compare(&(program){.kernel = "star",
                       .size = {40, 24, 16},
                       .low = {3, 5, 2},
                       .high = {7, 1, 4},
                       .type = KATA_F64,
                       .drifts = true},
            6);
    compare(&(program){.kernel = "star",
                       .size = {3, 3, 3},
                       .low = {1, 1, 1},
                       .high = {1, 1, 1},
                       .type = KATA_F64},
            6);
    compare(&(program){.kernel = "star",
                       .size = {37, 4, 3},
                       .low = {1, 1, 1},
                       .high = {1, 1, 1},
                       .type = KATA_F32},
            6);
}

static void sides_wrap(void **state)
{
    (void)state;
    compare(
        &(program){.kernel = "star", .size = {20, 12, 8}, .rule = KATA_PERIODIC, .type = KATA_F64},
        6);
    compare(&(program){.kernel = "star",
                       .size = {37, 13, 7},
                       .rule = KATA_PERIODIC,
                       .type = KATA_F64,
                       .drifts = true},
            6);
    compare(
        &(program){.kernel = "box", .size = {19, 23, 5}, .rule = KATA_PERIODIC, .type = KATA_F64},
        6);
    compare(
        &(program){.kernel = "far", .size = {24, 11, 10}, .rule = KATA_PERIODIC, .type = KATA_F32},
        6);
}

static void sides_are_constant(void **state)
{
    (void)state;
    compare(
        &(program){.kernel = "star", .size = {20, 12, 8}, .rule = KATA_CONSTANT, .type = KATA_F64},
        6);
    compare(
        &(program){.kernel = "box", .size = {17, 12, 8}, .rule = KATA_CONSTANT, .type = KATA_F64},
        6);
    compare(
        &(program){.kernel = "above", .size = {17, 12, 8}, .rule = KATA_CONSTANT, .type = KATA_F64},
        6);
}

static void sides_mirror(void **state)
{
    (void)state;
    static const kata_rule rules[] = {KATA_CLAMP, KATA_REFLECT_FACE, KATA_REFLECT_NODE};
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        const kata_rule rule = rules[i];
        compare(&(program){.kernel = "star", .size = {37, 2, 3}, .rule = rule, .type = KATA_F32},
                6);
        compare(&(program){.kernel = "star", .size = {35, 22, 19}, .rule = rule, .type = KATA_F64},
                6);
        compare(&(program){.kernel = "box",
                           .size = {17, 13, 7},
                           .rule = rule,
                           .type = KATA_F64,
                           .drifts = true},
                6);
        compare(&(program){.kernel = "far", .size = {23, 11, 5}, .rule = rule, .type = KATA_F32},
                6);
        compare(&(program){.kernel = "above", .size = {9, 5, 7}, .rule = rule, .type = KATA_F64},
                6);
    }
    compare(&(program){.kernel = "star", .size = {1, 1, 1}, .rule = KATA_CLAMP, .type = KATA_F64},
            6);
    compare(
        &(program){
            .kernel = "star", .size = {1, 19, 1}, .rule = KATA_REFLECT_FACE, .type = KATA_F64},
        6);
    compare(
        &(program){
            .kernel = "star", .size = {2, 2, 2}, .rule = KATA_REFLECT_NODE, .type = KATA_F64},
        6);
}

static void fields_that_nobody_writes_are_read(void **state)
{
    (void)state;
    compare(&(program){.kernel = "flux",
                       .size = {20, 12, 8},
                       .rule = KATA_PERIODIC,
                       .type = KATA_F64,
                       .coefficients = true},
            6);
    compare(&(program){.kernel = "flux",
                       .size = {21, 11, 9},
                       .low = {2, 1, 3},
                       .high = {1, 2, 1},
                       .type = KATA_F64,
                       .coefficients = true,
                       .drifts = true},
            6);
}

/* ---- loops that do not ----------------------------------------------------------------------- */

static void other_loops_run_one_by_one(void **state)
{
    (void)state;
    compare(&(program){.kernel = "star",
                       .size = {20, 12, 8},
                       .rule = KATA_ANTISYMMETRIC_FACE,
                       .type = KATA_F64},
            0);
    compare(&(program){.kernel = "far", .size = {20, 1, 8}, .rule = KATA_CLAMP, .type = KATA_F32},
            6);
    compare(
        &(program){
            .kernel = "far", .size = {20, 1, 8}, .rule = KATA_REFLECT_FACE, .type = KATA_F32},
        0);
    compare(
        &(program){.kernel = "star", .size = {3, 12, 8}, .rule = KATA_PERIODIC, .type = KATA_F64},
        0);
    compare(&(program){.kernel = "sum",
                       .size = {20, 12, 8},
                       .rule = KATA_PERIODIC,
                       .type = KATA_F64,
                       .sums = true},
            0);
    compare(
        &(program){.kernel = "some", .size = {20, 12, 8}, .rule = KATA_PERIODIC, .type = KATA_F64},
        0);
}

/* What the last loop but one of a section would have written is never asked for. */
static void values_that_are_needed_are_written(void **state)
{
    (void)state;
    compare(&(program){.kernel = "star",
                       .size = {20, 12, 8},
                       .rule = KATA_PERIODIC,
                       .type = KATA_F64,
                       .looks = true},
            0);
    compare(&(program){.kernel = "star",
                       .size = {20, 12, 8},
                       .low = {1, 1, 1},
                       .high = {1, 1, 1},
                       .type = KATA_F64,
                       .narrows = true},
            3);
}

/* ---- the search ------------------------------------------------------------------------------ */

enum { SIDE = 12, POINTS = SIDE * SIDE * SIDE, MOST_CHAINS = 100 };

static char folder[] = "/tmp/kata-sections-XXXXXX";

/* A program that runs chains of STEPS steps; what is known of its sections in `known`. */
static uint64_t run_chains(const char *device, const char *plan, int chains,
                           struct device_tune *known)
{
    static double values[POINTS];
    kata *k =
        kata_open(&(kata_options){.device = device, .cache = folder, .wait = true, .plan = plan});
    assert_non_null(k);
    kata_grid *g = kata_grid_3d(k, SIDE, SIDE, SIDE);
    kata_kernel *kernel = kata_kernel_find(kata_module_from_text(k, "k.kata", kernels), "star");
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_like(u, "v");
    fill(u, kata_all(g), POINTS, 0);
    if (k->exec.device) k->exec.tune = true;
    for (int i = 0; i < chains; i++) {
        for (int s = 0; s < STEPS; s++) {
            kata_apply(kernel, kata_all(g), u, v, 0.4, 0.1);
            kata_swap(u, v);
        }
        kata_flush(k);
    }
    kata_get(u, kata_all(g), values, POINTS);
    assert_true(kata_ok(k));
    const struct device_tune *t = k->exec.device ? k->exec.device->sections : NULL;
    *known = t ? *t : (struct device_tune){.count = 0};
    known->next = NULL;
    kata_close(k);
    return hash_bytes(values, sizeof values, 0);
}

static void the_fastest_is_found_and_kept(void **state)
{
    (void)state;
    struct device_tune t;
    if (strcmp(kind, "cuda") != 0) return; /* PoCL takes long for groups of many threads */
    memcpy(folder, "/tmp/kata-sections-XXXXXX", sizeof folder);
    assert_non_null(mkdtemp(folder));
    const uint64_t right = run_chains("none", NULL, MOST_CHAINS, &t);
    assert_true(run_chains(kind, NULL, MOST_CHAINS, &t) == right);
    assert_int_equal(t.phase, DEVICE_SETTLED);
    assert_true(t.count > 3 && !t.remembered);
    int measured = 0;
    for (int i = 0; i < t.count; i++) measured += t.ways[i].each > 0;
    assert_true(measured > 3);
    const int best = t.best;
    assert_true(run_chains(kind, NULL, MOST_CHAINS, &t) == right);
    assert_true(t.remembered && t.phase == DEVICE_SETTLED);
    assert_int_equal(t.best, best);
    assert_true(run_chains(kind, "loops", MOST_CHAINS, &t) == right);
    assert_int_equal(t.count, 0);
    setenv("KATA_WISDOM", "0", 1);
    setenv("KATA_SHIM_THREADS", "400", 1); /* some groups are too large */
    assert_true(run_chains(kind, NULL, MOST_CHAINS, &t) == right);
    unsetenv("KATA_SHIM_THREADS");
    unsetenv("KATA_WISDOM");
    int dropped = 0;
    for (int i = 0; i < t.count; i++) dropped += t.ways[i].dropped != NULL;
    const bool shim = strstr(environment_get("KATA_CUDA"), "shim");
    assert_true(t.phase == DEVICE_SETTLED && (dropped > 0 || !shim));
    remove_folder(folder);
}

static int test_kind(const char *name)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_inside_keep_what_lies_around),
                                              cmocka_unit_test(sides_wrap),
                                              cmocka_unit_test(sides_are_constant),
                                              cmocka_unit_test(sides_mirror),
                                              cmocka_unit_test(fields_that_nobody_writes_are_read),
                                              cmocka_unit_test(other_loops_run_one_by_one),
                                              cmocka_unit_test(values_that_are_needed_are_written),
                                              cmocka_unit_test(the_fastest_is_found_and_kept)};
    return DEVICE_RUN_TESTS(name, kind, tests);
}

int main(void)
{
    device_use_shim();
    int failed = test_kind("cuda");
    return failed + test_kind("opencl");
}
