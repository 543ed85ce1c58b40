#include <kata/kata.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    enum { nx = 256 };
    double step, values[nx];
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_1d(k, nx);
    kata_field *h = kata_field_new(g, "h", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *next = kata_field_like(h, "next");
    kata_scalar *speed = kata_scalar_new(k, "speed", KATA_F64);
    kata_scalar *dt = kata_scalar_new(k, "dt", KATA_F64);
    kata_module *m = kata_module_load(k, "march.kata");
    kata_kernel *start = kata_kernel_find(m, "start"), *move = kata_kernel_find(m, "move");
    kata_kernel *fastest = kata_kernel_find(m, "fastest"), *choose = kata_kernel_find(m, "choose");

    kata_apply(start, kata_all(g), h);
    for (int t = 0; t < 1000 && kata_ok(k); t++) {
        kata_apply(fastest, kata_all(g), h, speed);
        kata_apply(choose, kata_once(k), speed, dt);
        kata_apply(move, kata_all(g), h, next, dt);
        kata_swap(h, next);
        kata_step(k);
        if (argc > 1) kata_scalar_get(dt, &step); /* needed now, not only later */
    }
    kata_get(h, kata_all(g), values, nx);
    return kata_close(k);
}
