/* Reductions of chains that are streamed through the memory of a device: results have the bits of
 * the CPU, also where later loops of the chain are given them, and tiles start few kernels for
 * them. And how large tiles are. */
/* Labels: slow */
#include "api/api.h"
#include "device_kinds.h"
#include "exec/on_device.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text_of_kernels[] =
    "kernel smooth(in double u, out double v, sum double s, max double m)\n"
    "{\n"
    "    v = u + 0.1*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1] - 6*u);\n"
    "    s += u*u;\n"
    "    m = max(m, u);\n"
    "}\n"
    "kernel count(in double u, sum int large) { large += u > 0.5 ? 1 : 0; }\n"
    "kernel scale(in double u, out double v, double s) { v = u + s*1e-6; }\n"
    "kernel far(in double u, out double v) { v = 0.5*u + 0.25*(u[0,0,1] + u[0,0,-1]); }\n"
    "kernel far2(in double u, out double v) { v = 0.5*u + 0.25*(u[0,1] + u[1,-1]); }\n"
    "kernel flat(in double u, out double v, sum double s)\n"
    "{\n"
    "    v = 0.5*u + 0.25*(u[0,1] + u[0,-1]);\n"
    "    s += v;\n"
    "}\n";

enum { NX = 8, NY = 16, NZ = 120, POINTS = NX * NY * NZ, STEPS = 24 };

typedef struct outcome {
    double u[POINTS], sums[STEPS], most;
    int32_t large;
    int64_t loops, streamed, peak;
} outcome;

/* What runs: each step has a sum; or, `scaled`, each so many steps one, which a loop is given. */
typedef struct trial {
    const char *device;
    int64_t memory;
    int scaled;
    bool flat, all_points;
} trial;

static void set(kata_field *u, kata_grid *g, double *values)
{
    for (int i = 0; i < POINTS; i++) values[i] = (double)(i * 7919 % 1000) / 997;
    kata_put(u, kata_all(g), values, POINTS);
}

static void run(const trial *t, outcome *out)
{
    kata *k =
        kata_open(&(kata_options){.device = t->device, .device_memory = t->memory, .wait = true});
    assert_non_null(k);
    kata_grid *g = t->flat ? kata_grid_2d(k, NX * NY / 2, 2 * NZ) : kata_grid_3d(k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    kata_module *m = kata_module_from_text(k, "sums.kata", text_of_kernels);
    kata_kernel *smooth = kata_kernel_find(m, t->flat ? "flat" : "smooth");
    kata_kernel *count = kata_kernel_find(m, "count"), *scale = kata_kernel_find(m, "scale");
    kata_kernel *far = kata_kernel_find(m, t->flat ? "far2" : "far");
    kata_scalar *s[STEPS], *most = kata_scalar_new(k, "most", KATA_F64);
    kata_scalar *large = kata_scalar_new(k, "large", KATA_I32);
    kata_range range = t->all_points ? kata_all(g) : kata_inner(g, 1);
    set(u, g, out->u);
    for (int i = 0; i < STEPS; i++) {
        s[i] = kata_scalar_new(k, "s", KATA_F64);
        if (t->scaled && i % t->scaled != t->scaled - 1)
            kata_apply(far, kata_inner(g, 1), u, v);
        else if (t->flat)
            kata_apply(smooth, range, u, v, s[i]);
        else
            kata_apply(smooth, range, u, v, s[i], most);
        kata_swap(u, v);
        if (t->scaled && i % 7 == 3) kata_apply(count, range, u, large);
        if (t->scaled && i % t->scaled == t->scaled - 1) {
            kata_apply(scale, range, u, v, s[i]);
            kata_swap(u, v);
        }
    }
    for (int i = 0; i < STEPS; i++) kata_scalar_get(s[i], &out->sums[i]);
    kata_scalar_get(most, &out->most);
    kata_scalar_get(large, &out->large);
    kata_get(u, kata_all(g), out->u, POINTS);
    const struct exec_device *d = k->exec.device;
    out->loops = d ? d->loops : 0;
    out->streamed = d ? d->streams.streamed : 0;
    out->peak = d ? device_peak(d->device) : 0;
    assert_int_equal(kata_close(k), KATA_OK);
}

/* Returns how many loops of tiles ran. */
static int64_t compare(const trial *t)
{
    static outcome cpu, there;
    trial on_cpu = *t;
    on_cpu.device = "none";
    on_cpu.memory = 0;
    run(&on_cpu, &cpu);
    run(t, &there);
    assert_memory_equal(cpu.u, there.u, sizeof cpu.u);
    assert_memory_equal(cpu.sums, there.sums, sizeof cpu.sums);
    if (!t->flat) assert_memory_equal(&cpu.most, &there.most, sizeof cpu.most);
    assert_int_equal(cpu.large, there.large);
    assert_true(there.streamed > 0);
    assert_in_range(there.peak, 1, t->memory);
    return there.loops;
}

static void compare_on(const char *device)
{
    if (!device_is_there(device)) skip();
    compare(&(trial){device, 80000, 0, false, true});
    compare(&(trial){device, 150000, 5, false, false});
    compare(&(trial){device, 100000, 5, true, false});
}

static void sums_of_tiles_have_the_bits_of_the_cpu_on_opencl(void **state)
{
    (void)state;
    compare_on("opencl");
}

static void sums_of_tiles_have_the_bits_of_the_cpu_on_cuda(void **state)
{
    (void)state;
    compare_on("cuda");
    setenv("KATA_SHIM_AHEAD", "1", 1);
    compare_on("cuda");
    unsetenv("KATA_SHIM_AHEAD");
}

/* The trees of all loops of a tile start together: one kernel for each kind of reduction. */
static void tiles_start_few_kernels_for_sums(void **state)
{
    (void)state;
    if (!getenv("KATA_CUDA")) skip(); /* a driver is there */
    void *shim = dlopen(getenv("KATA_CUDA"), RTLD_NOLOAD | RTLD_NOW);
    assert_non_null(shim);
    int64_t (*launches)(const char *) = NULL;
    *(void **)&launches = dlsym(shim, "shim_launches");
    assert_non_null(launches);
    const int64_t before = launches(CODEGEN_TREE_NAME);
    const int64_t loops = compare(&(trial){"cuda", 200000, 0, false, false});
    const int64_t trees = launches(CODEGEN_TREE_NAME) - before;
    dlclose(shim);
    assert_true(trees > 0);
#ifndef KATA_HOSTILE
    assert_in_range(trees, 1, loops / 3);
#else
    (void)loops;
#endif
}

/* Sections that hide their moves are not deeper than that takes: then tiles are larger. */
static void sections_that_hide_their_moves_have_large_tiles(void **state)
{
    (void)state;
    enum { SIZE = 16, PLANES = 256, LOOPS = 256, BYTES = 760000 };
    if (!device_is_there("cuda")) skip();
    kata *k = kata_open(&(kata_options){.device = "cuda", .device_memory = BYTES, .wait = true});
    kata_grid *g = kata_grid_3d(k, SIZE, SIZE, PLANES);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_module *m = kata_module_from_text(k, "sums.kata", text_of_kernels);
    for (int i = 0; i < LOOPS; i++) {
        kata_apply(kata_kernel_find(m, "far"), kata_inner(g, 1), u, v);
        kata_swap(u, v);
    }
    kata_flush(k);
    const plan_request *found = &k->exec.device->streams.request;
    print_message("tiles of %d planes, %d loops\n", (int)found->tile[2], (int)found->depth);
    assert_in_range(found->depth, 56, 72);
    assert_in_range(found->tile[2], 25, 64);
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    if (!device_is_there("cuda")) device_use_shim();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_tiles_have_the_bits_of_the_cpu_on_opencl),
        cmocka_unit_test(sums_of_tiles_have_the_bits_of_the_cpu_on_cuda),
        cmocka_unit_test(tiles_start_few_kernels_for_sums),
        cmocka_unit_test(sections_that_hide_their_moves_have_large_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
