/* Kernels that write at offsets, each value belonging to one point: in-place streaming gives what
 * plain loops give, on every executor, for grids down to one point. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char kernels[] =
    /* one component moves right, one down, and each takes the other's value with it */
    "kernel exchange(inout double f[3], sum double total)\n"
    "{\n"
    "    double a = f[1][-1,0], b = f[2][0,1];\n"
    "    f[1][-1,0] = b + 1;\n"
    "    f[2][0,1] = a*0.5;\n"
    "    f[0] += f[1][-1,0];\n"
    "    total += f[2][0,1];\n"
    "}\n"
    "kernel push(in double u, out double v)\n"
    "{\n"
    "    v[2,-1] = 3*u;\n"
    "}\n"
    "kernel guarded(in double u, out double v)\n"
    "{\n"
    "    if (ix > 0 && iy < ny-1) v[-1,1] = u;\n"
    "}\n"
    "kernel clash(inout double u)\n"
    "{\n"
    "    u[1,0] = u + 1;\n"
    "}\n";

enum { MOST = 20 };

typedef struct session {
    kata *k;
    kata_module *m;
} session;

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

static session open_session(const char *executor, int threads)
{
    session s;
    s.k = kata_open(&(kata_options){.executor = executor, .threads = threads, .handler = ignore});
    s.m = kata_module_from_text(s.k, "k.kata", kernels);
    assert_true(kata_ok(s.k));
    return s;
}

static int64_t wrap(int64_t i, int64_t n) { return (i % n + n) % n; }

static void fill(double *values, int count)
{
    for (int i = 0; i < count; i++) values[i] = i * 0.375 - 3;
}

/* The kernel `exchange` as a plain loop; returns the sum. */
static double exchange(double *f, int64_t nx, int64_t ny)
{
    int64_t points = nx * ny;
    double old[3 * MOST * MOST], total = 0;
    memcpy(old, f, (size_t)(3 * points) * sizeof *f);
    for (int64_t y = 0; y < ny; y++)
        for (int64_t x = 0; x < nx; x++) {
            int64_t left = points + y * nx + wrap(x - 1, nx);
            int64_t up = 2 * points + wrap(y + 1, ny) * nx + x;
            f[left] = old[up] + 1;
            f[up] = old[left] * 0.5;
            f[y * nx + x] += f[left];
            total += f[up];
        }
    return total;
}

static void check_exchange(session *s, int64_t nx, int64_t ny)
{
    double expected[3 * MOST * MOST], found[3 * MOST * MOST], total = 0, sum;
    int count = (int)(3 * nx * ny);
    fill(expected, count);
    kata_grid *g = kata_grid_2d(s->k, nx, ny);
    kata_field *f = kata_field_new(g, "f", KATA_F64, .components = 3, .boundary = KATA_PERIODIC);
    kata_scalar *t = kata_scalar_new(s->k, "t", KATA_F64);
    kata_put(f, kata_all(g), expected, count);
    for (int step = 0; step < 3; step++) {
        total = exchange(expected, nx, ny);
        kata_apply(kata_kernel_find(s->m, "exchange"), kata_all(g), f, t);
    }
    assert_int_equal(kata_get(f, kata_all(g), found, count), KATA_OK);
    assert_memory_equal(found, expected, (size_t)count * sizeof *found);
    kata_scalar_get(t, &sum);
    assert_float_equal(sum, total, 1e-9);
}

static void check_push(session *s, int64_t nx, int64_t ny)
{
    double u[MOST * MOST], expected[MOST * MOST], found[MOST * MOST];
    fill(u, (int)(nx * ny));
    for (int64_t y = 0; y < ny; y++)
        for (int64_t x = 0; x < nx; x++)
            expected[wrap(y - 1, ny) * nx + wrap(x + 2, nx)] = 3 * u[y * nx + x];
    kata_grid *g = kata_grid_2d(s->k, nx, ny);
    kata_field *from = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *to = kata_field_like(from, "v");
    kata_put(from, kata_all(g), u, nx * ny);
    kata_apply(kata_kernel_find(s->m, "push"), kata_all(g), from, to);
    assert_int_equal(kata_get(to, kata_all(g), found, nx * ny), KATA_OK);
    assert_memory_equal(found, expected, (size_t)(nx * ny) * sizeof *found);
}

static void check_guarded(session *s, int64_t nx, int64_t ny)
{
    double u[MOST * MOST], expected[MOST * MOST] = {0}, found[MOST * MOST];
    fill(u, (int)(nx * ny));
    for (int64_t y = 0; y < ny - 1; y++)
        for (int64_t x = 1; x < nx; x++) expected[(y + 1) * nx + x - 1] = u[y * nx + x];
    kata_grid *g = kata_grid_2d(s->k, nx, ny);
    kata_field *from = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *to = kata_field_like(from, "v");
    kata_put(from, kata_all(g), u, nx * ny);
    kata_apply(kata_kernel_find(s->m, "guarded"), kata_all(g), from, to);
    assert_int_equal(kata_get(to, kata_all(g), found, nx * ny), KATA_OK);
    assert_memory_equal(found, expected, (size_t)(nx * ny) * sizeof *found);
}

static void check_executor(const char *executor, int threads)
{
    session s = open_session(executor, threads);
    for (int64_t ny = 1; ny <= MOST; ny += ny < 4 ? 1 : 7)
        for (int64_t nx = 1; nx <= MOST; nx += nx < 4 ? 1 : 5) {
            check_exchange(&s, nx, ny);
            check_push(&s, nx, ny);
            check_guarded(&s, nx, ny);
        }
    assert_int_equal(kata_close(s.k), KATA_OK);
}

static void test_writes_at_offsets_equal_plain_loops(void **state)
{
    (void)state;
    check_executor("reference", 1);
    check_executor("cpu", 1);
    check_executor("cpu", 3);
}

/* The same on a grid that is worth several threads. */
static void test_threads_do_not_matter(void **state)
{
    (void)state;
    enum { NX = 173, NY = 67, VALUES = 3 * NX * NY };
    static double values[2][VALUES];
    for (int i = 0; i < 2; i++) {
        session s = open_session(i ? "cpu" : "reference", 3);
        kata_grid *g = kata_grid_2d(s.k, NX, NY);
        kata_field *f =
            kata_field_new(g, "f", KATA_F64, .components = 3, .boundary = KATA_PERIODIC);
        kata_scalar *t = kata_scalar_new(s.k, "t", KATA_F64);
        fill(values[i], VALUES);
        kata_put(f, kata_all(g), values[i], VALUES);
        for (int step = 0; step < 4; step++)
            kata_apply(kata_kernel_find(s.m, "exchange"), kata_all(g), f, t);
        kata_get(f, kata_all(g), values[i], VALUES);
        assert_int_equal(kata_close(s.k), KATA_OK);
    }
    assert_memory_equal(values[0], values[1], sizeof values[0]);
}

static void test_what_two_points_would_write_or_read_is_refused(void **state)
{
    (void)state;
    session s = open_session("reference", 1);
    kata_grid *g = kata_grid_2d(s.k, 8, 8);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_new(g, "v", KATA_F64, .boundary = KATA_CLAMP);
    assert_int_equal(kata_apply(kata_kernel_find(s.m, "clash"), kata_all(g), u),
                     KATA_ERROR_APPLICATION);
    kata_error_clear(s.k);
    assert_int_equal(kata_apply(kata_kernel_find(s.m, "clash"), kata_face(g, KATA_X_LOW, 1), u),
                     KATA_OK);
    assert_int_equal(kata_apply(kata_kernel_find(s.m, "push"), kata_all(g), u, v),
                     KATA_ERROR_APPLICATION);
    kata_error_clear(s.k);
    assert_int_equal(kata_apply(kata_kernel_find(s.m, "push"), kata_box_2d(g, 0, 6, 1, 8), u, v),
                     KATA_OK);
    assert_int_equal(kata_close(s.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writes_at_offsets_equal_plain_loops),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_what_two_points_would_write_or_read_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
