/* NVRTC: text of CUDA C++ becomes code of the devices named, and neither contracts nor
 * approximates. Skipped where there is no NVRTC. */
#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char kernels[] =
    "double product(double a, double b) { return a * b; }\n" /* for the device, without words */
    "extern \"C\" __global__ void f(double *a, float *b)\n"
    "{\n"
    "    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    a[i] = product(a[i], a[i + 1]) + 1;\n"
    "    b[i] = sqrtf(b[i]) / b[i + 1] + b[i] * b[i + 2];\n"
    "}\n";

static bool compile(const char *target, const char *source, device_binary *binary, text *log)
{
    *binary = (device_binary){0};
    text_clear(log);
    return device_compile_for(target, source, binary, log);
}

static void text_becomes_code_of_devices(void **state)
{
    (void)state;
    static const char *const targets[] = {"sm_80", "sm_90"};
    text log = {0};
    device_binary binary;
    for (size_t i = 0; i < COUNT_OF(targets); i++) {
        if (!compile(targets[i], kernels, &binary, &log)) fail_msg("%s", text_get(&log));
        assert_non_null(memmem(binary.bytes, binary.count, "\177ELF", 4));
        free(binary.bytes);
    }
    text_free(&log);
}

/* PTX, which is text, shows what options do: later devices than NVRTC knows are given some. */
static void code_is_neither_contracted_nor_approximate(void **state)
{
    (void)state;
    static const char *const expected[] = {"mul.rn.f64", "add.rn.f64",  "mul.rn.f32",
                                           "add.rn.f32", "sqrt.rn.f32", "div.rn.f32"};
    static const char *const wrong[] = {"fma.", ".ftz", ".approx"};
    text log = {0};
    device_binary binary;
    if (!compile("sm_999", kernels, &binary, &log)) fail_msg("%s", text_get(&log));
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        assert_non_null(memmem(binary.bytes, binary.count, expected[i], strlen(expected[i])));
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_null(memmem(binary.bytes, binary.count, wrong[i], strlen(wrong[i])));
    assert_true(binary.bytes[binary.count - 1] == 0); /* a driver reads it as a text */
    free(binary.bytes);
    text_free(&log);
}

static void wrong_text_gives_the_words_of_nvrtc(void **state)
{
    (void)state;
    text log = {0};
    device_binary binary;
    assert_false(compile("sm_80", "int i = no_such_name;\n", &binary, &log));
    assert_non_null(strstr(text_get(&log), "identifier \"no_such_name\" is undefined"));
    assert_null(binary.bytes);
    text_free(&log);
}

static void wrong_targets_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "sm_", "compute_80", "sm_80 -use_fast_math", "sm_1"};
    text log = {0};
    device_binary binary;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_false(compile(wrong[i], kernels, &binary, &log));
        assert_non_null(strstr(text_get(&log), "there is no target \""));
    }
    assert_false(compile("sm_10", kernels, &binary, &log));
    assert_non_null(strstr(text_get(&log), "NVRTC does not compile for sm_10: set KATA_NVRTC"));
    text_free(&log);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_becomes_code_of_devices),
        cmocka_unit_test(code_is_neither_contracted_nor_approximate),
        cmocka_unit_test(wrong_text_gives_the_words_of_nvrtc),
        cmocka_unit_test(wrong_targets_are_refused)};
    text log = {0};
    device_binary binary;
    compile("sm_80", "", &binary, &log);
    bool is_there = !strstr(text_get(&log), "there is no NVRTC");
    if (!is_there) print_message("skipped: %s\n", text_get(&log));
    free(binary.bytes);
    text_free(&log);
    return is_there ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
