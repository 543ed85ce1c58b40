/* Loops at once on tiles that are streamed through the memory of a device: the bits of one loop
 * after the other, for fields with all kinds of sides, within the limit. */
/* Labels: slow */
#include "api/api.h"
#include "exec/device_tune.h"
#include "sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 40, NY = 24, NZ = 150, POINTS = NX * NY * NZ, STEPS = 20 };

static const char kernels[] =
    "kernel star(in double u, out double v, double a, double b)\n"
    "{ v = a*u + b*(u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1]); }\n"
    "kernel far(in double u, out double v, double a, double b)\n"
    "{ v = a*u[-2,0,0] + b*u[0,2,0] + u[0,0,-2]*0.5 - u[1,0,0]*0.25; }\n"
    "kernel above(in double u, out double v, double a, double b)\n"
    "{ v = a*u[0,0,2] + b*u[1,-1,1]; }\n"
    "kernel beside(in double u, out double v, double a, double b)\n"
    "{ v = a*u[0,1,0] + b*u[-1,0,0]; }\n";

typedef struct program {
    const char *kernel, *plan;
    kata_rule rule;
    int inside; /* points of a range are so far inside */
    bool stops; /* after some steps it runs on fewer points, and then goes on */
} program;

typedef struct outcome {
    double u[POINTS], v[POINTS];
    int64_t at_once, streamed, peak, limit;
} outcome;

static outcome expected, found;

static void steps(const program *p, kata *k, kata_field *u, kata_field *v, kata_grid *g)
{
    kata_kernel *kernel =
        kata_kernel_find(kata_module_from_text(k, "glue.kata", kernels), p->kernel);
    for (int i = 0; i < STEPS; i++) {
        const int h = p->inside + (p->stops && i % 11 == 10);
        kata_field *from = i % 2 ? v : u, *to = i % 2 ? u : v;
        kata_apply(kernel, kata_box_3d(g, h, NX - h, h, NY - h, h, NZ - h), from, to,
                   0.4 + 0.01 * i, 0.1);
    }
    kata_flush(k);
}

/* On a device, or by an executor of this processor. */
static void run(const program *p, const char *device, const char *executor, outcome *o)
{
    static double values[POINTS];
    kata *k = kata_open(&(kata_options){.executor = executor,
                                        .device = device ? device : "none",
                                        .device_memory = device ? 1600000 : 0,
                                        .plan = device ? p->plan : "loops",
                                        .wait = true});
    assert_non_null(k);
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = p->rule, .boundary_value = 0.75);
    kata_field *v = kata_field_like(u, "v");
    for (int f = 0; f < 2; f++) {
        for (int i = 0; i < POINTS; i++) values[i] = (double)((i + 31 * f) * 7919 % 1009) / 1009;
        kata_put(f ? v : u, kata_all(g), values, POINTS);
    }
    steps(p, k, u, v, g);
    kata_get(u, kata_all(g), o->u, POINTS);
    kata_get(v, kata_all(g), o->v, POINTS);
    if (!kata_ok(k)) fail_msg("%s: %s", p->kernel, kata_error_message(k));
    if (device) {
        o->at_once = k->exec.device->at_once;
        o->streamed = k->exec.device->streams.streamed;
        o->limit = k->exec.device->limit;
        o->peak = device_peak(k->exec.device->device);
    }
    kata_close(k);
}

/* Finds what one loop after the other gives on this processor, once for all plans; of the first
 * program what the reference executor does, which takes three seconds for each. */
static void expect_of(const program *p)
{
    static program of;
    if (of.kernel == p->kernel && of.rule == p->rule && of.inside == p->inside &&
        of.stops == p->stops)
        return;
    run(p, NULL, of.kernel ? "cpu" : "reference", &expected);
    of = *p;
}

static void compare(const program *p, bool some)
{
    memset(&found, 0, sizeof found);
    expect_of(p);
    run(p, "cuda", "cpu", &found);
    if (memcmp(found.u, expected.u, sizeof found.u) != 0 ||
        memcmp(found.v, expected.v, sizeof found.v) != 0)
        fail_msg("%s, %s: other values", p->kernel, p->plan ? p->plan : "any plan");
    if (!found.streamed || (found.at_once > 0) != some)
        fail_msg("%s, %s, %s: %d streamed, %d at once", p->kernel, p->plan ? p->plan : "any plan",
                 getenv("KATA_DEVICE_SHAPE"), (int)found.streamed, (int)found.at_once);
    assert_true(found.peak <= found.limit);
}

static const char *const shapes[] = {"steps=3 x=8 y=8 vector=2 rows=2 chunk=3",
                                     "steps=3 x=16 y=8 vector=1 rows=3 chunk=100 fetch=1",
                                     "steps=5 x=16 y=16 vector=1 rows=2 chunk=9"};

/* In so many kinds of tiles; the last one has five loops at once. */
static void compare_shapes(program p, size_t count)
{
    static const char *const plans[] = {NULL, "streamed z=7 depth=9", "streamed z=9 depth=15"};
    if (is_sanitized()) count = 1;
    for (size_t i = 0; i < count; i++) {
        setenv("KATA_DEVICE_SHAPE", shapes[i], 1);
        p.plan = plans[i];
        compare(&p, true);
        unsetenv("KATA_DEVICE_SHAPE");
    }
}

static void ranges_inside_keep_what_lies_around(void **state)
{
    (void)state;
    compare_shapes((program){.kernel = "star", .inside = 1}, 3);
    compare_shapes((program){.kernel = "far", .inside = 2}, 1);
    compare_shapes((program){.kernel = "star", .inside = 1, .stops = true}, 1);
    compare_shapes((program){.kernel = "beside", .inside = 1}, 1);
}

static void constants_lie_around_fields(void **state)
{
    (void)state;
    compare_shapes((program){.kernel = "star", .rule = KATA_CONSTANT}, 1);
    compare_shapes((program){.kernel = "above", .rule = KATA_CONSTANT}, 1);
}

static void periodic_fields_are_rolled_out(void **state)
{
    (void)state;
    compare_shapes((program){.kernel = "star", .rule = KATA_PERIODIC}, 2);
    compare_shapes((program){.kernel = "above", .rule = KATA_PERIODIC}, 1);
}

static void others_run_one_by_one(void **state)
{
    (void)state;
    setenv("KATA_DEVICE_SHAPE", shapes[0], 1);
    compare(&(program){.kernel = "star", .rule = KATA_CLAMP}, false);
    unsetenv("KATA_DEVICE_SHAPE");
    compare(&(program){.kernel = "star", .inside = 1, .plan = "streamed z=8 depth=8"}, false);
}

static int set_up(void **state)
{
    (void)state;
    setenv("KATA_CUDA", getenv("KATA_SHIM_CUDA"), 1);
    setenv("KATA_NVRTC", getenv("KATA_SHIM_NVRTC"), 1);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_inside_keep_what_lies_around),
                                       cmocka_unit_test(constants_lie_around_fields),
                                       cmocka_unit_test(periodic_fields_are_rolled_out),
                                       cmocka_unit_test(others_run_one_by_one)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
