/* Blocks whose ghosts are copied from one another compute what one grid computes, bit for bit: also
 * where one of them lies turned, and whatever runs the chain. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Fourth order, with the sums in the order of the one grid: block b lies turned by a quarter. */
static const char diffusion[] =
    "kernel step(in double u, out double v)\n"
    "{\n"
    "    v = u + 0.01*(16*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1])\n"
    "                  - (u[2,0] + u[-2,0] + u[0,2] + u[0,-2]) - 60*u);\n"
    "}\n"
    "kernel turned(in double u, out double v)\n"
    "{\n"
    "    v = u + 0.01*(16*(u[0,-1] + u[0,1] + u[1,0] + u[-1,0])\n"
    "                  - (u[0,-2] + u[0,2] + u[2,0] + u[-2,0]) - 60*u);\n"
    "}\n";

enum { N = 24, STEPS = 40 };

static double start(int64_t x, int64_t y) { return (double)((x * 31 + y * 17) % 23) - 11; }

static void run_whole(const kata_options *options, double out[N][2 * N])
{
    kata *k = kata_open(options);
    kata_module *m = kata_module_from_text(k, "diffusion", diffusion);
    kata_grid *g = kata_grid_2d(k, 2 * N, N);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP),
               *v = kata_field_like(u, "v");
    for (int y = 0; y < N; y++)
        for (int x = 0; x < 2 * N; x++) out[y][x] = start(x, y);
    kata_put(u, kata_all(g), &out[0][0], 2 * N * N);
    for (int t = 0; t < STEPS; t++) {
        kata_apply(kata_kernel_find(m, "step"), kata_all(g), u, v);
        kata_swap(u, v);
    }
    kata_get(u, kata_all(g), &out[0][0], 2 * N * N);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* The right half is a block of its own: its x is y of the whole, its y is x of the whole from the
 * right. */
static void run_blocks(const kata_options *options, double out[N][2 * N])
{
    static double left[N][N], right[N][N];
    kata *k = kata_open(options);
    kata_module *m = kata_module_from_text(k, "diffusion", diffusion);
    kata_grid *ga = kata_grid_2d(k, N, N), *gb = kata_grid_2d(k, N, N);
    kata_field *a = kata_field_new(ga, "a", KATA_F64, .boundary = KATA_CLAMP, .ghosts = 2);
    kata_field *b = kata_field_new(gb, "b", KATA_F64, .boundary = KATA_CLAMP, .ghosts = 2);
    kata_boundary_set(a, KATA_X_HIGH, KATA_NONE, 0);
    kata_boundary_set(b, KATA_Y_HIGH, KATA_NONE, 0);
    kata_field *a2 = kata_field_like(a, "a2"), *b2 = kata_field_like(b, "b2");
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            left[y][x] = start(x, y);
            right[y][x] = start(2 * N - 1 - y, x);
        }
    kata_put(a, kata_all(ga), &left[0][0], N * N);
    kata_put(b, kata_all(gb), &right[0][0], N * N);
    for (int t = 0; t < STEPS; t++) {
        kata_copy(a, kata_ghost(a, KATA_X_HIGH, 2), b, kata_box_2d(gb, 0, N, N - 2, N),
                  .axes = {-2, 1});
        kata_copy(b, kata_ghost(b, KATA_Y_HIGH, 2), a, kata_box_2d(ga, N - 2, N, 0, N),
                  .axes = {2, -1});
        kata_apply(kata_kernel_find(m, "step"), kata_all(ga), a, a2);
        kata_apply(kata_kernel_find(m, "turned"), kata_all(gb), b, b2);
        kata_swap(a, a2);
        kata_swap(b, b2);
    }
    kata_work work;
    kata_work_done(k, &work);
    assert_int_equal(work.chains_forced, 0); /* copies wait */
    kata_get(a, kata_all(ga), &left[0][0], N * N);
    kata_get(b, kata_all(gb), &right[0][0], N * N);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < 2 * N; x++) out[y][x] = x < N ? left[y][x] : right[2 * N - 1 - x][y];
    assert_int_equal(kata_close(k), KATA_OK);
}

static void two_blocks_equal_one_grid(void **data)
{
    static double whole[N][2 * N], blocks[N][2 * N];
    static const kata_options options[] = {
        {.executor = "reference"},
        {.executor = "cpu", .threads = 1},
        {.executor = "cpu", .threads = 3},
        {.executor = "cpu", .threads = 2, .plan = "tiled cache=2048 threads=2"},
        {.executor = "plan", .plan = "streamed y=4"}};
    (void)data;
    run_whole(&options[0], whole);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        kata_options o = options[i];
        o.no_warnings = true;
        run_blocks(&o, blocks);
        assert_memory_equal(whole, blocks, sizeof whole);
    }
}

/* Sod's shock tube by the method of Lax and Friedrichs, as three components. */
static const char tube[] =
    "static double pressure(double r, double m, double e) { return 0.4*(e - 0.5*m*m/r); }\n"
    "kernel flow(in double u[3], out double v[3])\n"
    "{\n"
    "    double pl = pressure(u[0][-1], u[1][-1], u[2][-1]);\n"
    "    double pr = pressure(u[0][1], u[1][1], u[2][1]);\n"
    "    double wl = u[1][-1]/u[0][-1], wr = u[1][1]/u[0][1];\n"
    "    v[0] = 0.5*(u[0][-1] + u[0][1]) - 0.1*(u[1][1] - u[1][-1]);\n"
    "    v[1] = 0.5*(u[1][-1] + u[1][1]) - 0.1*(u[1][1]*wr + pr - u[1][-1]*wl - pl);\n"
    "    v[2] = 0.5*(u[2][-1] + u[2][1]) - 0.1*((u[2][1] + pr)*wr - (u[2][-1] + pl)*wl);\n"
    "}\n";

enum { TUBE = 200, TUBE_STEPS = 150 };

/* Components are slowest. */
static void fill_tube(double *values, int first, int count)
{
    for (int x = 0; x < count; x++) {
        bool high = first + x < TUBE / 2;
        values[x] = high ? 1 : 0.125;
        values[count + x] = 0;
        values[2 * count + x] = (high ? 1 : 0.1) / 0.4;
    }
}

/* Of so many blocks, of equal size. */
static void run_tube(int blocks, double *out)
{
    static double values[3 * TUBE];
    int n = TUBE / blocks;
    kata *k = kata_open(&(kata_options){.threads = 2, .plan = "tiled cache=4096"});
    kata_kernel *flow = kata_kernel_find(kata_module_from_text(k, "tube", tube), "flow");
    kata_grid *g = kata_grid_1d(k, n);
    kata_field *u[4], *v[4];
    for (int b = 0; b < blocks; b++) {
        u[b] =
            kata_field_new(g, "u", KATA_F64, .components = 3, .boundary = KATA_CLAMP, .ghosts = 1);
        if (b) kata_boundary_set(u[b], KATA_X_LOW, KATA_NONE, 0);
        if (b < blocks - 1) kata_boundary_set(u[b], KATA_X_HIGH, KATA_NONE, 0);
        v[b] = kata_field_like(u[b], "v");
        fill_tube(values, b * n, n);
        kata_put(u[b], kata_all(g), values, 3 * n);
    }
    for (int t = 0; t < TUBE_STEPS; t++) {
        for (int b = 1; b < blocks; b++) {
            kata_copy(u[b], kata_ghost(u[b], KATA_X_LOW, 1), u[b - 1], kata_box_1d(g, n - 1, n));
            kata_copy(u[b - 1], kata_ghost(u[b - 1], KATA_X_HIGH, 1), u[b], kata_box_1d(g, 0, 1));
        }
        for (int b = 0; b < blocks; b++) {
            kata_apply(flow, kata_all(g), u[b], v[b]);
            kata_swap(u[b], v[b]);
        }
    }
    for (int b = 0; b < blocks; b++) {
        kata_get(u[b], kata_all(g), values, 3 * n);
        for (int c = 0; c < 3; c++) memcpy(out + c * TUBE + b * n, values + c * n, 8 * (size_t)n);
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

static void a_shock_crosses_blocks(void **data)
{
    static double one[3 * TUBE], several[3 * TUBE];
    (void)data;
    run_tube(1, one);
    assert_true(one[TUBE / 2 + 10] > 0.126 && one[TUBE / 2 + 10] < 0.99); /* it has begun to move */
    run_tube(2, several);
    assert_memory_equal(one, several, sizeof one);
    run_tube(4, several);
    assert_memory_equal(one, several, sizeof one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_blocks_equal_one_grid),
        cmocka_unit_test(a_shock_crosses_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
