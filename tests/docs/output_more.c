/* Files for output_readers.py, of the wave that the program of docs/output.md computes. */
#include <kata/kata.h>

enum { NX = 96, NY = 64, STEPS = 200 };

static const char kernels[] =
    "kernel begin(out double u) { double x = ix - 30.0; double y = iy - 32.0;\n"
    "  u = exp(-(x*x + y*y)/40); }\n"
    "kernel step(in double u, inout double before) {\n"
    "  before = 2*u - before + 0.2*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u); }\n"
    "kernel mark(out double corner) { corner = ix + 100*iy; }\n"
    "kernel count(out float box) { box = ix + 10*iy + 100*iz; }\n"
    "kernel spoil(inout double u) { if (ix == 3 && iy == 0) u = 0.0/0.0; }\n";

static kata_module *module;
static kata_grid *grid;

static void run_steps(kata_field *u, kata_field *before, int steps)
{
    for (int i = 0; i < steps; i++) {
        kata_apply(kata_kernel_find(module, "step"), kata_all(grid), u, before);
        kata_swap(u, before);
    }
}

static void add_probe(kata_rows *rows, kata_field *u, double time)
{
    double all[NX * NY];
    kata_get(u, kata_all(grid), all, NX * NY);
    const double p[] = {all[32 * NX + 20], all[32 * NX + 30], all[32 * NX + 40], all[32 * NX + 50]};
    kata_rows_add(rows, 1, &time, p, 4);
}

int main(void)
{
    kata *k = kata_open(NULL);
    grid = kata_grid_2d(k, NX, NY);
    module = kata_module_from_text(k, "more", kernels);
    kata_field *u = kata_field_new(grid, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *before = kata_field_like(u, "before");
    kata_field *corner = kata_field_new(grid, "corner", KATA_F64, .staggered = KATA_X | KATA_Y);
    kata_rows *probe = kata_rows_new(k, "probe.h5", "p[4] (Pa)");
    kata_series *arrays = kata_series_new(u, "wave-#.npy");
    kata_series *steps = kata_series_new(u, "steps.vtkhdf", .spacing = 0.5, .with = {corner});
    kata_apply(kata_kernel_find(module, "begin"), kata_all(grid), u);
    kata_apply(kata_kernel_find(module, "begin"), kata_all(grid), before);
    for (int i = 0; i <= STEPS; i += 100) {
        kata_series_add(arrays, 0.01 * i);
        kata_series_add(steps, 0.01 * i);
        add_probe(probe, u, 0.01 * i);
        if (i == 100) kata_save(u, "same.png", .low = -0.5, .high = 0.5, .colours = KATA_DIVERGING);
        if (i < STEPS) run_steps(u, before, 100);
    }
    kata_apply(kata_kernel_find(module, "mark"), kata_on(corner), corner);
    kata_save(u, "cells.vtkhdf", .spacing = 0.5, .with = {corner}, .time = 2);
    kata_field *box =
        kata_field_new(kata_grid_3d(k, 5, 4, 3), "box", KATA_F32, .staggered = KATA_Y);
    kata_apply(kata_kernel_find(module, "count"), kata_on(box), box);
    kata_save(box, "box.vtkhdf", .spacing = 0.5, .origin = {1, 2, 3});
    kata_apply(kata_kernel_find(module, "spoil"), kata_all(grid), u);
    kata_save(u, "nan.png", .colours = KATA_DIVERGING);
    return kata_close(k);
}
