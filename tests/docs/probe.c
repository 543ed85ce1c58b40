#include <kata/kata.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double late = argc > 1 ? atof(argv[1]) : 0.25; /* the constant of step 7 */
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_1d(k, 8);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    kata_scalar *total = kata_scalar_new(k, "total", KATA_F64);
    kata_module *m = kata_module_load(k, "probe.kata");
    kata_kernel *start = kata_kernel_find(m, "start"), *heat = kata_kernel_find(m, "heat");
    kata_kernel *squares = kata_kernel_find(m, "squares");

    kata_apply(start, kata_all(g), u);
    for (int t = 1; t <= 9; t++) {
        kata_apply(heat, kata_all(g), u, v, t == 7 ? late : 0.25);
        kata_swap(u, v);
    }
    kata_apply(squares, kata_inner(g, 1), u, total);
    double x;
    kata_scalar_get(total, &x);
    printf("%.6f\n", x);
    return kata_close(k);
}
