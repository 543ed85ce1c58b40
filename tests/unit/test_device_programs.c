/* Programs on a device give the values of the CPU, and say so when the device fails in the middle
 * or is too small. On the shim of CUDA, each in a process of its own: a device once lost is lost.
 */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* In the process of a test; cmocka's own would go on in it. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void in_process(void (*body)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define IN_PROCESS(name)                                                                           \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        in_process(name##_body);                                                                   \
    }

static char told[2000]; /* the last message */

static void keep(void *data, kata_status status, const char *message)
{
    (void)data, (void)status;
    snprintf(told, sizeof told, "%s", message);
}

static kata *open_on(const char *device)
{
    return kata_open(&(kata_options){.device = device, .handler = keep});
}

static const char kernels[] =
    "kernel smooth(in double u, out double v)\n"
    "{ v = 0.5*u + 0.125*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1]) / (1 + exp(u)); }\n"
    "kernel energy(in double u, sum double s, max double m) { s += u*u; m = max(m, u); }\n";

/* ---- values ---------------------------------------------------------------------------------- */

enum { NX = 700, NY = 5, STEPS = 6 };

typedef struct outcome {
    double u[NX * NY], sum[STEPS], most[STEPS];
} outcome;

static void compute(const char *device, outcome *o)
{
    kata *k = open_on(device);
    kata_module *m = kata_module_from_text(k, "k.kata", kernels);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_like(u, "v");
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64), *most = kata_scalar_new(k, "m", KATA_F64);
    for (int i = 0; i < NX * NY; i++) o->u[i] = (i * 37 % 101) / 50.0 - 1;
    kata_put(u, kata_all(g), o->u, NX * NY);
    for (int i = 0; i < STEPS; i++) {
        kata_apply(kata_kernel_find(m, "smooth"), kata_all(g), u, v);
        kata_swap(u, v);
        kata_apply(kata_kernel_find(m, "energy"), kata_all(g), u, s, most);
        kata_scalar_get(s, &o->sum[i]);
        kata_scalar_get(most, &o->most[i]);
    }
    kata_get(u, kata_all(g), o->u, NX * NY);
    if (!kata_ok(k)) fprintf(stderr, "%s\n", kata_error_message(k));
    CHECK(kata_ok(k));
    kata_close(k);
}

static void the_device_gives_the_bits_of_the_cpu_body(void)
{
    static outcome on_cpu, on_device;
    compute("none", &on_cpu);
    compute("cuda", &on_device);
    CHECK(on_cpu.sum[0] > 1 && on_cpu.most[STEPS - 1] < on_cpu.most[0]);
    CHECK(memcmp(&on_cpu, &on_device, sizeof on_cpu) == 0);
}
IN_PROCESS(the_device_gives_the_bits_of_the_cpu)

/* A field along y is written by the points at one x, which need not be the first. */
static void fields_without_x_are_written_from_any_x_body(void)
{
    float values[3] = {0};
    kata *k = open_on("cuda");
    kata_grid *g = kata_grid_2d(k, 16, 3);
    kata_field *f = kata_field_new(g, "f", KATA_F32, .along = KATA_Y);
    kata_fill(f, kata_box_2d(g, 10, 11, 2, 3), 1.5);
    kata_get(f, kata_box_2d(g, 0, 1, 0, 3), values, 3);
    CHECK(kata_ok(k));
    CHECK(values[0] == 0 && values[1] == 0 && values[2] == 1.5f);
    kata_close(k);
}
IN_PROCESS(fields_without_x_are_written_from_any_x)

enum { SMALL = 8 };

static void compute_far(const char *device, double *values)
{
    static const char text[] = "kernel far(in double u, out double v)\n"
                               "{ v = u[1024,1024,1024] - 0.5*u[-1023,0,-1024]; }\n";
    kata *k = open_on(device);
    kata_grid *g = kata_grid_3d(k, SMALL, SMALL, SMALL);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_REFLECT_FACE);
    kata_field *v = kata_field_like(u, "v");
    kata_kernel *far = kata_kernel_find(kata_module_from_text(k, "k.kata", text), "far");
    for (int i = 0; i < SMALL * SMALL * SMALL; i++) values[i] = i * 37 % 101;
    kata_put(u, kata_all(g), values, SMALL * SMALL * SMALL);
    kata_apply(far, kata_all(g), u, v);
    kata_get(v, kata_all(g), values, SMALL * SMALL * SMALL);
    if (!kata_ok(k)) fprintf(stderr, "%s\n", kata_error_message(k));
    CHECK(kata_ok(k));
    kata_close(k);
}

/* What lies around the field would take 70 GB. */
static void reads_far_around_a_small_field_have_values_body(void)
{
    double on_cpu[SMALL * SMALL * SMALL], on_device[SMALL * SMALL * SMALL];
    compute_far("none", on_cpu);
    compute_far("cuda", on_device);
    CHECK(memcmp(on_cpu, on_device, sizeof on_cpu) == 0);
}
IN_PROCESS(reads_far_around_a_small_field_have_values)

/* Whether some of the process's memory is a file that has no name. */
static bool has_spilled(void)
{
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps);
    while (fgets(line, sizeof line, maps)) found = found || strstr(line, " (deleted)");
    fclose(maps);
    return found;
}

enum { SIDE = 40 };

/* Planes of fields move between a file, memory and the device; a loop on scalars and one that the
 * device does not run are between those that it runs. */
static void compute_cube(const kata_options *o, double *values, double *sum)
{
    static const char text[] =
        "kernel smooth(in double u, out double v)\n"
        "{ v = 0.5*u + 0.1*(u[-1,0,0] + u[0,-1,0] + u[0,0,-1] + u[0,0,1]); }\n"
        "kernel fall(inout double v) forward(x, y) { v = v + 0.25*v[-1,-1,0]; }\n"
        "kernel add(in double u, sum double s) { s += u; }\n";
    kata *k = kata_open(o);
    kata_module *m = kata_module_from_text(k, "cube.kata", text);
    kata_grid *g = kata_grid_3d(k, SIDE, SIDE, SIDE);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) values[i] = i * 37 % 101;
    kata_put(u, kata_all(g), values, SIDE * SIDE * SIDE);
    for (int i = 0; i < 30; i++) {
        kata_apply(kata_kernel_find(m, "smooth"), kata_all(g), u, v);
        if (i % 10 == 5) kata_apply(kata_kernel_find(m, "fall"), kata_all(g), v);
        if (i % 7 == 3) kata_apply(kata_kernel_find(m, "add"), kata_all(g), v, s);
        kata_swap(u, v);
    }
    kata_get(u, kata_all(g), values, SIDE * SIDE * SIDE);
    kata_scalar_get(s, sum);
    CHECK(has_spilled() == (o->memory > 0));
    CHECK(kata_close(k) == KATA_OK);
}

static void three_memories_serve_at_once_body(void)
{
    static double plain[SIDE * SIDE * SIDE], streamed[SIDE * SIDE * SIDE];
    double sum, other;
    compute_cube(&(kata_options){.device = "none"}, plain, &sum);
    compute_cube(&(kata_options){.device = "cuda", .device_memory = 400000, .memory = 300000},
                 streamed, &other);
    CHECK(memcmp(plain, streamed, sizeof plain) == 0 && sum == other);
}
IN_PROCESS(three_memories_serve_at_once)

/* ---- what fails ------------------------------------------------------------------------------ */

/* Fails with a status; its message begins and goes on with these words. */
static void expect_error(kata *k, kata_status status, const char *begin, const char *words)
{
    const char *message = kata_error_message(k);
    const bool as_expected = kata_error(k) == status && message &&
                             strncmp(message, begin, strlen(begin)) == 0 && strstr(message, words);
    if (!as_expected) fprintf(stderr, "status %d: %s\n", (int)kata_error(k), message);
    CHECK(as_expected);
}

/* After it the context says the same of all calls, and can be closed. */
static void a_device_lost_in_the_middle_is_told_body(void)
{
    static double values[NX * NY];
    setenv("KATA_SHIM_LOSE", "3", 1);
    kata *k = open_on("cuda");
    kata_module *m = kata_module_from_text(k, "k.kata", kernels);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CONSTANT);
    kata_field *v = kata_field_like(u, "v");
    for (int i = 0; i < STEPS; i++) {
        kata_apply(kata_kernel_find(m, "smooth"), kata_all(g), u, v);
        kata_swap(u, v);
    }
    CHECK(kata_get(u, kata_all(g), values, NX * NY) == KATA_ERROR_DEVICE);
    expect_error(k, KATA_ERROR_DEVICE, "error: the device 'CUDA shim' failed",
                 "CUDA_ERROR_LAUNCH_FAILED (719)");
    CHECK(kata_fill(u, kata_all(g), 1) == KATA_ERROR_DEVICE);
    kata_error_clear(k); /* the device stays lost */
    kata_fill(u, kata_all(g), 1);
    CHECK(kata_get(u, kata_all(g), values, NX * NY) == KATA_ERROR_DEVICE);
    kata_close(k);
}
IN_PROCESS(a_device_lost_in_the_middle_is_told)

static void a_device_that_is_too_small_is_told_body(void)
{
    setenv("KATA_SHIM_MEMORY", "10000", 1);
    kata *k = open_on("cuda");
    kata_grid *g = kata_grid_2d(k, 1000, 200);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_fill(u, kata_all(g), 1);
    CHECK(kata_flush(k) == KATA_ERROR_MEMORY);
    expect_error(k, KATA_ERROR_MEMORY,
                 "error: the device 'CUDA shim' has too little memory for kernel 'kata_fill'",
                 "raise KATA_DEVICE_MEMORY");
    kata_close(k);
    setenv("KATA_SHIM_MEMORY", "1000000", 1); /* less than the field, which is streamed */
    k = open_on("cuda");
    g = kata_grid_2d(k, 1000, 200);
    u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_fill(u, kata_all(g), 1);
    CHECK(kata_flush(k) == KATA_OK);
    kata_close(k);
}
IN_PROCESS(a_device_that_is_too_small_is_told)

/* Only who asks for any device is content with none. */
static void any_device_may_be_none_body(void)
{
    double value = 0;
    setenv("KATA_SHIM_DEVICES", "0", 1);
    setenv("OCL_ICD_VENDORS", "/nowhere/", 1); /* where OpenCL's loader finds drivers */
    kata *k = open_on("cuda");
    CHECK(!k && strstr(told, "device \"cuda\" cannot be used") &&
          strstr(told, "it finds no device"));
    k = open_on("any");
    kata_grid *g = kata_grid_1d(k, 10);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_fill(u, kata_all(g), 7);
    kata_get(u, kata_box_1d(g, 4, 5), &value, 1);
    CHECK(kata_ok(k) && value == 7);
    kata_close(k);
    setenv("KATA_SHIM_DEVICES", "1", 1);
    setenv("KATA_SHIM_MEMORY", "10000", 1); /* where there is one, it is used: this is too small */
    k = open_on("any");
    g = kata_grid_2d(k, 1000, 200);
    kata_fill(kata_field_new(g, "u", KATA_F64), kata_all(g), 7);
    CHECK(kata_flush(k) == KATA_ERROR_MEMORY);
    kata_close(k);
}
IN_PROCESS(any_device_may_be_none)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_gives_the_bits_of_the_cpu),
        cmocka_unit_test(fields_without_x_are_written_from_any_x),
        cmocka_unit_test(reads_far_around_a_small_field_have_values),
        cmocka_unit_test(three_memories_serve_at_once),
        cmocka_unit_test(a_device_lost_in_the_middle_is_told),
        cmocka_unit_test(a_device_that_is_too_small_is_told),
        cmocka_unit_test(any_device_may_be_none)};
    setenv("KATA_CUDA", getenv("KATA_SHIM_CUDA"), 1);
    setenv("KATA_NVRTC", getenv("KATA_SHIM_NVRTC"), 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
