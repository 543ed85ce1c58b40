/* Fields larger than the memory of a device: chains give the values that they give on the CPU, the
 * device's memory stays within the limit, and what cannot be done is said. The devices are
 * PoCL's and the shim of CUDA. */
/* Labels: slow */
#include "api/api.h"
#include "device_kinds.h"
#include "exec/on_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What a context says. */
typedef struct world {
    kata *k;
    char text[2048];
} world;

static void listen(void *data, kata_status status, const char *message)
{
    world *w = data;
    (void)status;
    snprintf(w->text, sizeof w->text, "%s", message);
}

static const char text_of_kernels[] =
    "kernel smooth(in double u, out double v, double c)\n"
    "{\n"
    "    v = u + c*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1] - 6*u);\n"
    "}\n"
    "kernel compare(in double u, in double v, sum double s, max double m)\n"
    "{\n"
    "    s += (u - v)*(u - v);\n"
    "    m = max(m, u);\n"
    "}\n";

enum { NX = 24, NY = 20, NZ = 60, POINTS = NX * NY * NZ };

/* How fields get their memory. */
typedef enum owner { KATA_OWNS, PROGRAM_OWNS } owner;

typedef struct trial {
    const char *device;
    int64_t memory;
    kata_rule rule;
    int sums;
    owner owner;
} trial;

typedef struct outcome {
    double u[POINTS], v[POINTS], sum, most;
    int64_t streamed, peak, limit;
    int pinned; /* arrays */
} outcome;

static double memory_of_u[POINTS], memory_of_v[POINTS];

static int pinned_arrays(const kata *k)
{
    int count = 0;
    for (struct api_slot *s = k->slots; s; s = s->next)
        count += s->slot.array && s->slot.array->pinned;
    return count;
}

static void run(const trial *t, outcome *out)
{
    kata *k =
        kata_open(&(kata_options){.device = t->device, .device_memory = t->memory, .wait = true});
    assert_non_null(k);
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    const bool own = t->owner == KATA_OWNS;
    kata_field *u = own ? kata_field_new(g, "u", KATA_F64, .boundary = t->rule)
                        : kata_field_wrap(g, "u", KATA_F64, memory_of_u, .boundary = t->rule);
    kata_field *v = own ? kata_field_like(u, "v")
                        : kata_field_wrap(g, "v", KATA_F64, memory_of_v, .boundary = t->rule);
    kata_module *m = kata_module_from_text(k, "planes.kata", text_of_kernels);
    kata_kernel *smooth = kata_kernel_find(m, "smooth"), *compare = kata_kernel_find(m, "compare");
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64),
                *most = kata_scalar_new(k, "most", KATA_F64);
    for (int i = 0; i < POINTS; i++) out->u[i] = (double)(i * 7919 % 1000) / 997;
    kata_put(u, kata_all(g), out->u, POINTS);
    for (int step = 0; step < 24; step++) {
        kata_apply(smooth, kata_all(g), u, v, 0.1);
        if (t->sums && step % 5 == 0) kata_apply(compare, kata_all(g), u, v, s, most);
        kata_swap(u, v);
    }
    kata_scalar_get(s, &out->sum);
    kata_scalar_get(most, &out->most);
    kata_get(u, kata_all(g), out->u, POINTS);
    kata_get(v, kata_all(g), out->v, POINTS);
    const struct exec_device *d = k->exec.device;
    out->streamed = d ? d->streams.streamed : 0;
    out->peak = d ? device_peak(d->device) : 0;
    out->pinned = pinned_arrays(k);
    assert_int_equal(kata_close(k), KATA_OK);
}

static outcome compare_with_cpu(const trial *t)
{
    static outcome cpu, device;
    trial on_cpu = *t;
    on_cpu.device = "none";
    on_cpu.memory = 0;
    run(&on_cpu, &cpu);
    run(t, &device);
    assert_memory_equal(cpu.u, device.u, sizeof cpu.u);
    assert_memory_equal(cpu.v, device.v, sizeof cpu.v);
    assert_memory_equal(&cpu.sum, &device.sum, sizeof cpu.sum);
    assert_memory_equal(&cpu.most, &device.most, sizeof cpu.most);
    assert_true(device.streamed > 0);
    assert_true(device.peak > 0 && device.peak <= t->memory);
    return device;
}

static void compare_on(const char *name)
{
    static const kata_rule rules[] = {KATA_CONSTANT, KATA_REFLECT_NODE, KATA_PERIODIC};
    if (!device_is_there(name)) skip();
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        for (int sums = 0; sums < 2; sums++) {
            compare_with_cpu(&(trial){name, 400000, rules[i], sums, KATA_OWNS});
            compare_with_cpu(&(trial){name, 120000, rules[i], sums, KATA_OWNS});
        }
}

static void fields_larger_than_an_opencl_device_give_the_same(void **state)
{
    (void)state;
    compare_on("opencl");
}

/* Moves wait for what they have to: when they are as late as they may, when they are as early, and
 * where planes lie in windows. */
static void fields_larger_than_a_cuda_device_give_the_same(void **state)
{
    (void)state;
    compare_on("cuda");
    setenv("KATA_SHIM_AHEAD", "1", 1);
    compare_on("cuda");
    setenv("KATA_SHIM_PIECE", "0", 1);
    compare_on("cuda");
    unsetenv("KATA_SHIM_AHEAD");
    unsetenv("KATA_SHIM_PIECE");
}

/* Arrays that are streamed are pinned as long as they are there: the device of the tests ends a
 * program that forgets one. Two arrays may share a page, which is pinned once. */
static void streamed_arrays_are_pinned(void **state)
{
    (void)state;
    if (!getenv("KATA_SHIM_CUDA")) skip();
    const trial own = {"cuda", 400000, KATA_CONSTANT, 0, KATA_OWNS};
    trial wrapped = own;
    wrapped.owner = PROGRAM_OWNS;
    assert_true(compare_with_cpu(&own).pinned >= 1);
    assert_true(compare_with_cpu(&wrapped).pinned >= 1);
    setenv("KATA_SHIM_PAGEABLE", "1", 1);
    assert_int_equal(compare_with_cpu(&own).pinned, 0);
    unsetenv("KATA_SHIM_PAGEABLE");
}

enum { WIDE = 40, HIGH = 64 };

static int64_t run_unread(const char *device, double values[WIDE * HIGH])
{
    kata *k = kata_open(&(kata_options){.device = device, .device_memory = 50000, .wait = true});
    kata_grid *g = kata_grid_2d(k, WIDE, HIGH);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_field *w = kata_field_new(g, "w", KATA_F64, .boundary = KATA_CLAMP);
    kata_module *m =
        kata_module_from_text(k, "unread.kata",
                              "kernel unread(in double u, in double v, out double w)\n"
                              "{ w = v[0,-2] + ix; }\n"
                              "kernel read(in double u, out double v) { v = u[-1,1] + iy; }\n");
    kata_boundary_set(v, KATA_Y_LOW, KATA_REFLECT_FACE, 0);
    kata_apply(kata_kernel_find(m, "unread"), kata_all(g), u, v, w);
    kata_apply(kata_kernel_find(m, "read"), kata_inner(g, 1), u, v);
    kata_apply(kata_kernel_find(m, "unread"), kata_all(g), u, v, w);
    kata_get(w, kata_all(g), values, WIDE * HIGH);
    const int64_t streamed = k->exec.device ? k->exec.device->streams.streamed : 0;
    assert_int_equal(kata_close(k), KATA_OK);
    return streamed;
}

/* A kernel that does not read a field that it is given needs none of its planes, which the section
 * has in a ring for another one. */
static void planes_that_a_kernel_does_not_read_need_not_be_there(void **state)
{
    (void)state;
    static double cpu[WIDE * HIGH], device[WIDE * HIGH];
    if (!device_is_there("opencl")) skip();
    run_unread("none", cpu);
    assert_true(run_unread("opencl", device) > 0);
    assert_memory_equal(cpu, device, sizeof cpu);
}

enum { DEEP = 40 };

/* Reads beyond a corner: at the other end along y, and beyond the last plane a sum of four. */
static int64_t run_corner(const char *device, double values[12 * 10])
{
    static const double weights[] = {4, -6, 4, -1, 0};
    kata *k = kata_open(&(kata_options){.device = device, .device_memory = 60000, .wait = true});
    kata_grid *g = kata_grid_3d(k, 12, 10, DEEP);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_module *m = kata_module_from_text(
        k, "corner.kata",
        "kernel start(out double u) { u = sin(1.0*ix + 0.3*iy*iz); }\n"
        "kernel read(in double u, out double v) { v = u[0,-1,0] + 3*u[0,-1,1]; }\n");
    kata_boundary_set(u, KATA_Y_LOW, KATA_PERIODIC, 0);
    kata_boundary_set(u, KATA_Y_HIGH, KATA_PERIODIC, 0);
    kata_boundary_linear(u, KATA_Z_HIGH, 1, 4, weights, .value = 0);
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u);
    kata_apply(kata_kernel_find(m, "read"), kata_box_3d(g, 0, 12, 0, 10, DEEP - 1, DEEP), u, v);
    kata_get(v, kata_box_3d(g, 0, 12, 0, 10, DEEP - 1, DEEP), values, 12 * 10);
    const int64_t streamed = k->exec.device ? k->exec.device->streams.streamed : 0;
    assert_int_equal(kata_close(k), KATA_OK);
    return streamed;
}

static void sums_over_planes_find_what_lies_around_them(void **state)
{
    (void)state;
    static double cpu[12 * 10], device[12 * 10];
    if (!device_is_there("opencl")) skip();
    run_corner("none", cpu);
    assert_true(run_corner("opencl", device) > 0);
    assert_memory_equal(cpu, device, sizeof cpu);
}

/* A field of sums stays while its own loop runs, though others have to leave. */
static void sums_into_a_field_have_room(void **state)
{
    (void)state;
    if (!device_is_there("opencl")) skip();
    static double sums[2][64];
    for (int device = 0; device < 2; device++) {
        kata *k = kata_open(
            &(kata_options){.device = device ? "opencl" : "none", .device_memory = 124 << 10});
        kata_grid *g = kata_grid_2d(k, 64, 64);
        kata_field *t = kata_field_new(g, "t", KATA_F64, .along = KATA_X), *u[3];
        kata_module *m =
            kata_module_from_text(k, "k.kata",
                                  "kernel start(out double u) { u = ix + 2*iy; }\n"
                                  "kernel sums(in double u, sum double t along x) { t += u; }\n");
        for (int i = 0; i < 3; i++) {
            u[i] = kata_field_new(g, "u", KATA_F64);
            kata_apply(kata_kernel_find(m, "start"), kata_all(g), u[i]);
            assert_int_equal(kata_flush(k), KATA_OK);
        }
        kata_apply(kata_kernel_find(m, "sums"), kata_all(g), u[0], t);
        kata_get(t, kata_on(t), sums[device], 64);
        assert_int_equal(kata_close(k), KATA_OK);
    }
    assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
}

/* What is kept for reductions goes before fields that a loop needs. */
static void partials_make_room(void **state)
{
    (void)state;
    if (!device_is_there("opencl")) skip();
    for (int64_t bytes = 110000; bytes <= 140000; bytes += 5000) {
        double value[2];
        for (int device = 0; device < 2; device++) {
            kata *k = kata_open(
                &(kata_options){.device = device ? "opencl" : "none", .device_memory = bytes});
            kata_grid *g = kata_grid_3d(k, 16, 16, 16);
            kata_field *u[3], *t = kata_field_new(g, "t", KATA_F64, .along = KATA_X | KATA_Y);
            kata_module *m = kata_module_from_text(
                k, "k.kata",
                "kernel start(out double u) { u = ix + 2*iy - iz; }\n"
                "kernel sums(in double u, sum double t along xy) { t += u; }\n"
                "kernel add(in double a, in double b, inout double c) { c += a + b; }\n");
            for (int i = 0; i < 3; i++) {
                u[i] = kata_field_new(g, "u", KATA_F64);
                kata_apply(kata_kernel_find(m, "start"), kata_all(g), u[i]);
                assert_int_equal(kata_flush(k), KATA_OK);
            }
            kata_apply(kata_kernel_find(m, "sums"), kata_all(g), u[0], t);
            assert_int_equal(kata_flush(k), KATA_OK);
            kata_apply(kata_kernel_find(m, "add"), kata_all(g), u[0], u[1], u[2]);
            kata_get(u[2], kata_box_3d(g, 3, 4, 4, 5, 5, 6), &value[device], 1);
            assert_int_equal(kata_close(k), KATA_OK);
        }
        assert_true(value[0] == value[1]);
    }
}

/* Not even a plane of each field. */
static void too_little_memory_is_an_error(void **state)
{
    (void)state;
    if (!device_is_there("opencl")) skip();
    world w = {0};
    w.k = kata_open(&(kata_options){
        .device = "opencl", .device_memory = 16384, .handler = listen, .handler_data = &w});
    assert_non_null(w.k);
    kata_grid *g = kata_grid_3d(w.k, 64, 64, 64);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_fill(u, kata_all(g), 1.0);
    assert_int_equal(kata_flush(w.k), KATA_ERROR_MEMORY);
    assert_non_null(strstr(w.text,
                           "has too little memory for kernel 'kata_fill': even one plane at a "
                           "time needs"));
    assert_non_null(strstr(w.text, "raise KATA_DEVICE_MEMORY"));
    kata_close(w.k);
}

static void expect_refused(const char *value, int64_t option, const char *message)
{
    world w = {0};
    if (value) assert_int_equal(setenv("KATA_DEVICE_MEMORY", value, 1), 0);
    assert_null(
        kata_open(&(kata_options){.device_memory = option, .handler = listen, .handler_data = &w}));
    assert_int_equal(unsetenv("KATA_DEVICE_MEMORY"), 0);
    assert_non_null(strstr(w.text, message));
}

static void wrong_values_are_errors(void **state)
{
    (void)state;
    expect_refused("much", 0,
                   "the environment variable KATA_DEVICE_MEMORY is 'much', not bytes from 4k on, "
                   "such as 8G");
    expect_refused("100", 0, "KATA_DEVICE_MEMORY is '100', not bytes from 4k on");
    expect_refused(NULL, -1, "kata_open: device_memory is -1 bytes, not 4096 to");
    expect_refused(NULL, 100, "kata_open: device_memory is 100 bytes, not 4096 to");
}

int main(void)
{
    if (!device_is_there("cuda")) device_use_shim();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_larger_than_an_opencl_device_give_the_same),
        cmocka_unit_test(fields_larger_than_a_cuda_device_give_the_same),
        cmocka_unit_test(streamed_arrays_are_pinned),
        cmocka_unit_test(planes_that_a_kernel_does_not_read_need_not_be_there),
        cmocka_unit_test(sums_over_planes_find_what_lies_around_them),
        cmocka_unit_test(sums_into_a_field_have_room),
        cmocka_unit_test(partials_make_room),
        cmocka_unit_test(too_little_memory_is_an_error),
        cmocka_unit_test(wrong_values_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
