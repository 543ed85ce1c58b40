/* What the process around the library may be and do: fork, threads, other rounding, limits. */
#include "kata/kata.h"

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cmocka.h>

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)status;
    (void)message;
}

/* Runs a check in a process made by fork, which is ended when it hangs; its exit code, or 128 and
 * the signal. */
static int in_child(int check(void *), void *data)
{
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        _exit(check(data));
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- fork ------------------------------------------------------------------------------------ */

enum { MANY = 100000 };

typedef struct forked {
    kata *k;
    kata_grid *g;
    kata_field *u;
    kata_module *m;
} forked;

static double value(const forked *f)
{
    double x;
    kata_get(f->u, kata_box_1d(f->g, 5, 6), &x, 1);
    return x;
}

/* A context whose threads have worked. They also get time to start, all of them: locks of the
 * address sanitizer do not survive a fork while another thread starts. */
static forked open_forked(const char *cache)
{
    forked f = {.k = kata_open(&(kata_options){.threads = 4, .cache = cache, .handler = ignore})};
    f.g = kata_grid_1d(f.k, MANY);
    f.u = kata_field_new(f.g, "u", KATA_F64);
    f.m = kata_module_from_text(f.k, "t",
                                "kernel f(inout double u) { u += ix; }"
                                "kernel g(inout double u) { u -= ix; }");
    kata_apply(kata_kernel_find(f.m, "f"), kata_all(f.g), f.u);
    assert_true(value(&f) == 5);
    usleep(50000);
    return f;
}

static int work_on(void *data)
{
    forked *f = data;
    kata_apply(kata_kernel_find(f->m, "f"), kata_all(f->g), f->u);
    if (value(f) != 10) return 1;
    kata_apply(kata_kernel_find(f->m, "g"), kata_all(f->g), f->u);
    if (value(f) != 5) return 2;
    return kata_close(f->k);
}

static int only_close(void *data) { return kata_close(((forked *)data)->k); }

static void test_a_forked_process_computes_alone(void **state)
{
    (void)state;
    forked f = open_forked(NULL);
    assert_int_equal(in_child(work_on, &f), 0);
    assert_true(value(&f) == 5);
    assert_int_equal(kata_close(f.k), KATA_OK);
}

static void test_a_forked_process_may_close(void **state)
{
    (void)state;
    forked f = open_forked(NULL);
    assert_int_equal(in_child(only_close, &f), 0);
    assert_int_equal(kata_close(f.k), KATA_OK);
}

/* Without a cache compiled kernels are in a temporary folder, which is the parent's to remove. */
static void test_a_forked_process_leaves_the_temporary_folder(void **state)
{
    (void)state;
    forked f = open_forked("/proc/nothing");
    assert_int_equal(in_child(work_on, &f), 0);
    kata_apply(kata_kernel_find(f.m, "g"), kata_all(f.g), f.u);
    assert_true(value(&f) == 0);
    assert_int_equal(kata_close(f.k), KATA_OK);
}

/* ---- rounding -------------------------------------------------------------------------------- */

typedef struct numbers {
    float put[4], number[4], table[4], scalar, got[4];
} numbers;

static const char conversions[] =
    "kernel f(in float u, out float v, float c) { v = c; }"
    "kernel h(in float u, out float v, double c, float t[3]) { v = u[1] + c*0.1 + t[1] + 0.1f/3; }";

/* All that is converted on the way in and out. */
static numbers convert(void)
{
    static const double x[4] = {0.1, 1e-40, 0.3, 0.7}, table[3] = {0.1, 0.1, 0.1};
    numbers n;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_1d(k, 4);
    kata_range all = kata_all(g);
    kata_field *u =
        kata_field_new(g, "u", KATA_F32, .boundary = KATA_CONSTANT, .boundary_value = 0.1);
    kata_field *v = kata_field_like(u, "v"), *d = kata_field_new(g, "d", KATA_F64);
    kata_module *m = kata_module_from_text(k, "t", conversions);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F32);
    kata_put(u, all, x, 4);
    kata_get(u, all, n.put, 4);
    kata_apply(kata_kernel_find(m, "f"), all, u, v, 0.1);
    kata_get(v, all, n.number, 4);
    kata_apply(kata_kernel_find(m, "h"), all, u, v, 0.1, table);
    kata_get(v, all, n.table, 4);
    kata_scalar_set(s, 0.1);
    kata_scalar_get(s, &n.scalar);
    kata_put(d, all, x, 4);
    kata_get(d, all, n.got, 4);
    assert_int_equal(kata_close(k), KATA_OK);
    return n;
}

static void test_the_rounding_of_the_program_changes_nothing(void **state)
{
    (void)state;
    numbers usual = convert();
    const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        fesetround(modes[i]);
        numbers n = convert();
        int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(after, modes[i]);
        assert_memory_equal(&n, &usual, sizeof n);
    }
#if defined(__SSE2__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); /* subnormals are zero, as -ffast-math has it */
    numbers n = convert();
    _mm_setcsr(before);
    assert_memory_equal(&n, &usual, sizeof n);
#endif
}

/* ---- fields in files ------------------------------------------------------------------------- */

enum { ROWS = 200, WIDE = 64 };

static void add_two(const forked *f, kata_field *v)
{
    kata_apply(kata_kernel_find(f->m, "f"), kata_all(f->g), f->u, v);
    kata_apply(kata_kernel_find(f->m, "f"), kata_all(f->g), v, f->u);
}

static double value_of_row(const forked *f)
{
    double x = -1;
    kata_get(f->u, kata_box_2d(f->g, 3, 4, 100, 101), &x, 1);
    return x;
}

/* Each of the ways to the values of a field is refused; closing ends. */
static int use_files(void *data)
{
    const forked *f = data;
    double x = 7;
    kata_apply(kata_kernel_find(f->m, "f"), kata_all(f->g), f->u, f->u);
    if (kata_flush(f->k) != KATA_ERROR_FILE) return 1;
    if (!strstr(kata_error_message(f->k), "was forked from the one that made them")) return 2;
    kata_error_clear(f->k);
    if (kata_put(f->u, kata_box_2d(f->g, 3, 4, 100, 101), &x, 1) != KATA_ERROR_FILE) return 3;
    kata_error_clear(f->k);
    if (kata_get(f->u, kata_box_2d(f->g, 3, 4, 100, 101), &x, 1) != KATA_ERROR_FILE) return 4;
    kata_error_clear(f->k);
    kata_close(f->k);
    return 0;
}

/* The files are the parent's, and so are the threads that move them: a child that used them would
 * change the parent's values, or wait for ever. */
static void test_a_forked_process_leaves_fields_in_files(void **state)
{
    (void)state;
    forked f = {.k = kata_open(
                    &(kata_options){.threads = 2, .memory = WIDE * ROWS * 4, .handler = ignore})};
    f.g = kata_grid_2d(f.k, WIDE, ROWS);
    f.u = kata_field_new(f.g, "u", KATA_F64);
    kata_field *v = kata_field_new(f.g, "v", KATA_F64);
    f.m = kata_module_from_text(f.k, "t", "kernel f(in double u, out double v) { v = u + ix; }");
    add_two(&f, v);
    assert_true(value_of_row(&f) == 6);
    assert_int_equal(in_child(use_files, &f), 0);
    add_two(&f, v);
    assert_true(value_of_row(&f) == 12);
    assert_int_equal(kata_close(f.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_forked_process_computes_alone),
        cmocka_unit_test(test_a_forked_process_may_close),
        cmocka_unit_test(test_a_forked_process_leaves_the_temporary_folder),
        cmocka_unit_test(test_a_forked_process_leaves_fields_in_files),
        cmocka_unit_test(test_the_rounding_of_the_program_changes_nothing),
    };
    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
