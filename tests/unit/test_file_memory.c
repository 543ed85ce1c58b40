/* Values of fields in files are put, computed and got without their memory becoming the process's:
 * it stays near the limit. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROW = 512, ROWS = 64, PLANES = 256, SLAB = 16, LIMIT = 16 << 20, PROGRAM = 32 << 20 };
static const int64_t plane = (int64_t)ROW * ROWS; /* of 8 bytes each: a field is 64 MB */

static const char kernels[] =
    "kernel heat(in double u, out double v) { v = 0.5*u + 0.25*(u[0,0,1] + u[0,0,-1]); }\n";

/* The most memory that the process had so far, in bytes. */
static int64_t peak(void)
{
    char line[256];
    long long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    assert_non_null(status);
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %lld kB", &kilobytes) == 1) break;
    fclose(status);
    assert_true(kilobytes > 0);
    return kilobytes << 10;
}

static void forget_peak(void)
{
    FILE *refs = fopen("/proc/self/clear_refs", "w");
    assert_non_null(refs);
    assert_true(fputs("5", refs) >= 0);
    assert_int_equal(fclose(refs), 0);
}

static double value_of(int64_t point) { return (double)(point % 1009); }

static kata_range slab(kata_grid *g, int64_t z)
{
    return kata_box_3d(g, 0, ROW, 0, ROWS, z, z + SLAB);
}

static void puts_and_gets_leave_little_memory(void **state)
{
    (void)state;
    const int64_t count = plane * SLAB;
    double *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    kata *k = kata_open(&(kata_options){.memory = LIMIT, .threads = 2});
    kata_kernel *heat = kata_kernel_find(kata_module_from_text(k, "k.kata", kernels), "heat");
    kata_grid *g = kata_grid_3d(k, ROW, ROWS, PLANES);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    forget_peak();
    const int64_t before = peak();
    for (int64_t z = 0; z < PLANES; z += SLAB) {
        for (int64_t i = 0; i < count; i++) values[i] = value_of(z * plane + i);
        assert_int_equal(kata_put(u, slab(g, z), values, count), KATA_OK);
    }
    for (int step = 0; step < 4; step++) {
        kata_apply(heat, kata_all(g), u, v);
        kata_swap(u, v);
    }
    double sum = 0;
    for (int64_t z = 0; z < PLANES; z += SLAB) {
        assert_int_equal(kata_get(u, slab(g, z), values, count), KATA_OK);
        for (int64_t i = 0; i < count; i++) sum += values[i];
    }
    const int64_t grown = peak() - before;
    assert_true(sum > 0);
    const char *sanitized = getenv("KATA_SANITIZED");
    if (!sanitized || *sanitized != '1') {
        if (grown > LIMIT + PROGRAM) fail_msg("%lld bytes more", (long long)grown);
    }
    assert_int_equal(kata_close(k), KATA_OK);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_and_gets_leave_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
