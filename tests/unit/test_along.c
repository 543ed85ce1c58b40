/* Fields of lower rank: read and written as plain loops do, by both executors. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LARGEST = 40 * 9 * 13 };

static const char text[] =
    "kernel spread(in double p along z, in double h along xy, in double w along x,\n"
    "              in double f along y, out double u)\n"
    "{\n"
    "    u = p[0,0,1] - p + 4*h[1,-1,0] + 16*w[-2,0,0] + 64*f + 256*w;\n"
    "}\n"
    "kernel gather(in double u, inout double p along z) { p = p + u[-1,0,0] + 2*u + iz; }\n"
    "kernel ground(in double u, out float h along xy) { h = (float)u; }\n"
    "kernel row(in double u, inout double w along x) { w = w + u; }\n"
    "kernel total(in double p along z, in double w along x, sum double s, max double m)\n"
    "{\n"
    "    s += p*w; m = max(m, p + w);\n"
    "}\n";

typedef struct run {
    double u[LARGEST], p[64], h[64 * 64], w[64], s, m;
} run;

static double value(int64_t i) { return (double)((i * 37 + 11) % 64) * 0.25; }

static kata_field *make(kata_grid *g, const char *name, int along, kata_rule rule)
{
    kata_field *f = kata_field_new(g, name, KATA_F64, .along = along, .boundary = rule);
    double values[64 * 64];
    kata_range all = kata_on(f);
    int64_t count = all.hi[0] * all.hi[1] * all.hi[2];
    for (int64_t i = 0; i < count; i++) values[i] = value(i + along);
    kata_put(f, all, values, count);
    return f;
}

static void run_kernels(const char *executor, const int64_t n[3], run *out)
{
    kata *k = kata_open(&(kata_options){.executor = executor, .threads = 2});
    kata_grid *g = kata_grid_3d(k, n[0], n[1], n[2]);
    kata_module *m = kata_module_from_text(k, "k.kata", text);
    kata_field *p = make(g, "p", KATA_Z, KATA_CLAMP),
               *h = make(g, "h", KATA_X | KATA_Y, KATA_PERIODIC);
    kata_field *w = make(g, "w", KATA_X, KATA_REFLECT_FACE), *f = make(g, "f", KATA_Y, KATA_NONE);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *t = kata_field_new(g, "t", KATA_F32, .along = KATA_X | KATA_Y);
    kata_apply(kata_kernel_find(m, "spread"), kata_all(g), p, h, w, f, u);
    int64_t x = n[0] / 2, y = n[1] / 2, z = n[2] - 1;
    kata_apply(kata_kernel_find(m, "gather"), kata_box_3d(g, x, x + 1, y, y + 1, 0, n[2]), u, p);
    kata_apply(kata_kernel_find(m, "ground"), kata_box_3d(g, 0, n[0], 0, n[1], z, z + 1), u, t);
    kata_apply(kata_kernel_find(m, "row"), kata_box_3d(g, 0, n[0], y, y + 1, z, z + 1), u, w);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64), *most = kata_scalar_new(k, "m", KATA_F64);
    kata_apply(kata_kernel_find(m, "total"), kata_all(g), p, w, s, most);
    kata_get(u, kata_all(g), out->u, n[0] * n[1] * n[2]);
    kata_get(p, kata_on(p), out->p, n[2]);
    kata_get(t, kata_on(t), out->h, n[0] * n[1]);
    kata_get(w, kata_on(w), out->w, n[0]);
    kata_scalar_get(s, &out->s);
    kata_scalar_get(most, &out->m);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* u, as loops compute it from the first values. */
static double spread(const int64_t n[3], int64_t x, int64_t y, int64_t z)
{
    double p = value(z + KATA_Z), above = value((z + 1 < n[2] ? z + 1 : z) + KATA_Z);
    int64_t east = (x + 1) % n[0], south = (y + n[1] - 1) % n[1], west = x - 2;
    while (west < 0 || west >= n[0]) west = west < 0 ? -1 - west : 2 * n[0] - 1 - west;
    double h = value(south * n[0] + east + (KATA_X | KATA_Y));
    return above - p + 4 * h + 16 * value(west + KATA_X) + 64 * value(y + KATA_Y) +
           256 * value(x + KATA_X);
}

static void check(const int64_t n[3], const run *r)
{
    int64_t mx = n[0] / 2, my = n[1] / 2, top = n[2] - 1;
    for (int64_t z = 0, i = 0; z < n[2]; z++)
        for (int64_t y = 0; y < n[1]; y++)
            for (int64_t x = 0; x < n[0]; x++, i++) assert_true(r->u[i] == spread(n, x, y, z));
    for (int64_t z = 0; z < n[2]; z++)
        assert_true(r->p[z] == value(z + KATA_Z) + spread(n, mx > 0 ? mx - 1 : 0, my, z) +
                                   2 * spread(n, mx, my, z) + (double)z);
    for (int64_t i = 0; i < n[0] * n[1]; i++)
        assert_true(r->h[i] == spread(n, i % n[0], i / n[0], top));
    for (int64_t x = 0; x < n[0]; x++)
        assert_true(r->w[x] == value(x + KATA_X) + spread(n, x, my, top));
}

static void lower_ranks_read_and_write_as_loops_do(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 1}, {1, 5, 2}, {7, 1, 3}, {2, 3, 1}, {40, 9, 13}};
    static run fast, slow;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(&fast, 0, sizeof fast);
        memset(&slow, 0, sizeof slow);
        run_kernels("cpu", sizes[i], &fast);
        run_kernels("reference", sizes[i], &slow);
        assert_memory_equal(&fast, &slow, sizeof fast);
        check(sizes[i], &fast);
    }
}

/* Files: NPY without the axes that a field lacks, VTKHDF with one point there; staggered fields as
 * many as they have. */
static void files_hold_the_points_of_a_field(void **state)
{
    (void)state;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_3d(k, 4, 3, 5);
    kata_field *p = make(g, "p", KATA_X | KATA_Z, KATA_CLAMP), *q = kata_field_like(p, "q");
    kata_field *s = kata_field_new(g, "s", KATA_F64, .staggered = KATA_Y, .along = KATA_Y);
    kata_put(s, kata_on(s), ((double[]){3, 1, 4, 1}), 4);
    kata_shape shape;
    char npy[] = "XXXXXX.npy", vtk[] = "XXXXXX.vtkhdf";
    close(mkstemps(npy, 4));
    close(mkstemps(vtk, 7));
    kata_save(p, npy);
    kata_file_shape(k, npy, 0, &shape);
    assert_int_equal(shape.rank, 2);
    assert_int_equal(shape.size[0], 4);
    assert_int_equal(shape.size[1], 5);
    for (int way = 0; way < 2; way++) {
        const char *path = way ? vtk : npy;
        double wrote[20], got[20];
        kata_save(p, path);
        kata_put(q, kata_on(q), (double[20]){0}, 20);
        kata_load(q, path);
        kata_get(p, kata_on(p), wrote, 20);
        kata_get(q, kata_on(q), got, 20);
        assert_memory_equal(wrote, got, sizeof got);
        kata_save(s, path);
        kata_put(s, kata_on(s), (double[4]){0}, 4);
        kata_load(s, path);
        kata_get(s, kata_on(s), got, 4);
        assert_true(got[0] == 3 && got[1] == 1 && got[2] == 4 && got[3] == 1);
    }
    unlink(npy);
    unlink(vtk);
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lower_ranks_read_and_write_as_loops_do),
                                       cmocka_unit_test(files_hold_the_points_of_a_field)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
