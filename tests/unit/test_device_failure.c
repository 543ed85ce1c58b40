/* What devices do when something fails: an old driver, no device, memory that is out, a kernel
 * after which the device is lost, a compiler that does not suit. Each in a process of its own, by
 * the shim of CUDA, which fails when it is asked to. */
#include "device/device.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* ---- opening --------------------------------------------------------------------------------- */

static device *open_cuda(void)
{
    messages m = {.silent = true};
    device *d = device_open("cuda", 0, &m);
    if (!d) fprintf(stderr, "%s\n", text_get(&m.body));
    CHECK(d);
    message_free(&m);
    return d;
}

/* Checks the message without the path of the driver. */
static void expect_message(const char *name, const char *expected)
{
    messages m = {.silent = true};
    text whole = {0};
    const char *path = getenv("KATA_CUDA"), *at;
    CHECK(!device_open(name, 0, &m));
    CHECK(m.status == KATA_ERROR_DEVICE);
    at = text_get(&m.body);
    for (const char *found; (found = strstr(at, path)); at = found + strlen(path))
        text_add(&whole, "%.*sPATH", (int)(found - at), at);
    text_add(&whole, "%s", at);
    if (strcmp(text_get(&whole), expected) != 0) fprintf(stderr, "%s\n", text_get(&whole));
    CHECK(strcmp(text_get(&whole), expected) == 0);
    text_free(&whole);
    message_free(&m);
}

static void an_old_driver_is_refused_body(void)
{
    setenv("KATA_SHIM_DRIVER", "11010", 1);
    expect_message("cuda", "error: device \"cuda\" cannot be used: KATA_CUDA names no CUDA "
                           "driver that can be used: PATH: it is for CUDA 11.1, and 11.2 or later "
                           "is needed: update the driver");
    setenv("KATA_SHIM_DRIVER", "11020", 1); /* it was updated */
    device_close(open_cuda());
}
IN_PROCESS(an_old_driver_is_refused)

static void a_driver_without_device_is_refused_body(void)
{
    setenv("KATA_SHIM_DEVICES", "0", 1);
    expect_message("cuda:0", "error: device \"cuda:0\" cannot be used: KATA_CUDA names no CUDA "
                             "driver that can be used: PATH: it finds no device");
}
IN_PROCESS(a_driver_without_device_is_refused)

/* OpenCL's loader finds drivers in this folder. */
static void all_reasons_are_told_body(void)
{
    setenv("KATA_SHIM_DEVICES", "0", 1);
    setenv("OCL_ICD_VENDORS", "/nowhere/", 1);
    expect_message("any", "error: there is no device\n"
                          "  cuda: KATA_CUDA names no CUDA driver that can be used: PATH: it "
                          "finds no device\n"
                          "  opencl: OpenCL finds no device; install the device's OpenCL driver "
                          "(Debian: pocl-opencl-icd computes on the CPU)");
}
IN_PROCESS(all_reasons_are_told)

/* Drivers that find no memory are no devices for OpenCL's loader. */
static void a_limit_of_memory_is_told_body(void)
{
    const struct rlimit most = {(rlim_t)1 << 46, (rlim_t)1 << 46};
    setenv("OCL_ICD_VENDORS", "/nowhere/", 1);
    assert_int_equal(setrlimit(RLIMIT_AS, &most), 0);
    expect_message("opencl", "error: device \"opencl\" cannot be used: OpenCL finds no device; its "
                             "driver may need more memory than ulimit -v lets it have; or install "
                             "the device's OpenCL driver (Debian: pocl-opencl-icd computes on the "
                             "CPU)");
}
IN_PROCESS(a_limit_of_memory_is_told)

static void numbers_beyond_the_last_are_refused_body(void)
{
    messages m = {.silent = true};
    setenv("KATA_SHIM_DEVICES", "2", 1);
    expect_message("cuda:2", "error: device \"cuda:2\" cannot be used: this machine has 2: "
                             "\"cuda:0\", \"cuda:1\"");
    device *second = device_open("cuda:1", 0, &m);
    CHECK(second);
    device_close(second);
    CHECK(m.status == KATA_OK);
}
IN_PROCESS(numbers_beyond_the_last_are_refused)

/* ---- running --------------------------------------------------------------------------------- */

static const char kernel_text[] = "extern \"C\" __global__ void f(double *to, double by)\n"
                                  "{\n"
                                  "    to[threadIdx.x] = by + threadIdx.x;\n"
                                  "}\n";

static device_module *load(device *d)
{
    text log = {0};
    device_binary binary = {0};
    CHECK(device_compile(d, kernel_text, &binary, &log));
    device_module *module = device_load(d, &binary);
    CHECK(module);
    free(binary.bytes);
    text_free(&log);
    return module;
}

static bool run(device *d, device_kernel *kernel, device_memory *to, double by)
{
    const device_argument list[] = {{.memory = to}, {NULL, &by, sizeof by}};
    return device_run(d, kernel, &(device_launch){{1, 1, 1}, {8, 1, 1}, list, 2, 0});
}

static bool get(device *d, const device_memory *from, double *to)
{
    return device_get(d, from, to, &(device_box){.row = 8 * sizeof *to, .rows = 1, .planes = 1});
}

/* The second launch fails; only what comes after it may say so. */
static void a_lost_device_stays_lost_body(void)
{
    double values[8];
    setenv("KATA_SHIM_LOSE", "2", 1);
    device *d = open_cuda();
    device_module *module = load(d);
    device_kernel *kernel = device_find_kernel(d, module, "f");
    device_memory *memory = device_allocate(d, sizeof values);
    CHECK(kernel && memory);
    CHECK(run(d, kernel, memory, 3) && get(d, memory, values) && values[7] == 10);
    CHECK(!run(d, kernel, memory, 4) || !get(d, memory, values));
    CHECK(device_is_lost(d) && !device_is_full(d));
    char *why = strdup(device_error(d));
    CHECK(why && strstr(why, "CUDA_ERROR_LAUNCH_FAILED (719) of cu") == why);
    CHECK(strstr(why, ": unspecified launch failure"));
    CHECK(!device_allocate(d, 8) && !device_wait(d, DEVICE_WORK) && !get(d, memory, values));
    CHECK(!run(d, kernel, memory, 5) && !device_order(d, DEVICE_IN, DEVICE_OUT));
    CHECK(strcmp(device_error(d), why) == 0);
    free(why);
    device_release(d, memory);
    device_unload(d, module);
    device_close(d);
}
IN_PROCESS(a_lost_device_stays_lost)

static void memory_that_others_have_is_out_body(void)
{
    setenv("KATA_SHIM_MEMORY", "1048576", 1);
    device *first = open_cuda(), *second = open_cuda();
    device_memory *taken = device_allocate(first, 600000);
    CHECK(taken);
    CHECK(!device_allocate(second, 600000));
    CHECK(device_is_full(second) && !device_is_lost(second));
    CHECK(strcmp(device_error(second), "out of memory") == 0);
    CHECK(device_used(second) == 0);
    device_release(first, taken);
    device_memory *memory = device_allocate(second, 600000);
    CHECK(memory);
    device_release(second, memory);
    device_close(first);
    device_close(second);
}
IN_PROCESS(memory_that_others_have_is_out)

static void *run_beside(void *data)
{
    double values[8];
    device *d = data;
    device_module *module = load(d);
    device_memory *memory = device_allocate(d, sizeof values);
    CHECK(run(d, device_find_kernel(d, module, "f"), memory, 1));
    CHECK(get(d, memory, values) && values[3] == 4);
    device_release(d, memory);
    device_unload(d, module);
    return NULL;
}

static void any_thread_may_use_a_device_body(void)
{
    pthread_t thread;
    device *d = open_cuda();
    run_beside(d);
    CHECK(pthread_create(&thread, NULL, run_beside, d) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    device_close(d);
}
IN_PROCESS(any_thread_may_use_a_device)

/* ---- compilers ------------------------------------------------------------------------------- */

/* The shim's NVRTC is of CUDA 12. */
static void a_compiler_later_than_the_driver_is_refused_body(void)
{
    text log = {0};
    device_binary binary = {0};
    CHECK(device_compile_for("sm_90", kernel_text, &binary, &log));
    setenv("KATA_SHIM_DRIVER", "11080", 1);
    device *d = open_cuda();
    device_binary again = {0};
    CHECK(!device_compile(d, kernel_text, &again, &log));
    CHECK(strstr(text_get(&log), " and the driver is for CUDA 11.8: update the driver, or install "
                                 "an older NVRTC"));
    CHECK(!device_is_lost(d));
    device_module *module = device_load(d, &binary); /* compiled elsewhere */
    CHECK(module && device_find_kernel(d, module, "f"));
    device_unload(d, module);
    device_close(d);
    free(binary.bytes);
    text_free(&log);
}
IN_PROCESS(a_compiler_later_than_the_driver_is_refused)

static void a_compiler_that_is_not_there_is_named_body(void)
{
    text log = {0};
    device_binary binary = {0};
    setenv("KATA_NVRTC", "/nowhere/libnvrtc.so", 1);
    device *d = open_cuda();
    CHECK(!device_compile(d, kernel_text, &binary, &log));
    CHECK(strstr(text_get(&log), "KATA_NVRTC names no NVRTC that can be used: "
                                 "/nowhere/libnvrtc.so: cannot open"));
    text_free(&log);
    device_close(d);
}
IN_PROCESS(a_compiler_that_is_not_there_is_named)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_old_driver_is_refused),
        cmocka_unit_test(a_driver_without_device_is_refused),
        cmocka_unit_test(all_reasons_are_told),
        cmocka_unit_test(a_limit_of_memory_is_told),
        cmocka_unit_test(numbers_beyond_the_last_are_refused),
        cmocka_unit_test(a_lost_device_stays_lost),
        cmocka_unit_test(memory_that_others_have_is_out),
        cmocka_unit_test(any_thread_may_use_a_device),
        cmocka_unit_test(a_compiler_later_than_the_driver_is_refused),
        cmocka_unit_test(a_compiler_that_is_not_there_is_named)};
    setenv("KATA_CUDA", getenv("KATA_SHIM_CUDA"), 1);
    setenv("KATA_NVRTC", getenv("KATA_SHIM_NVRTC"), 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
