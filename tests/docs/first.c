#include <kata/kata.h>
#include <stdio.h>

int main(void)
{
    enum { N = 64, STEPS = 256 };
    const double dt = 1.0 / STEPS;
    double found = 0;
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_load(k, "transport.kata");
    kata_grid *g = kata_grid_2d(k, N, N);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *middle = kata_field_like(u, "middle");
    kata_scalar *error = kata_scalar_new(k, "error", KATA_F64);

    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u);
    for (int step = 0; step < STEPS; step++) {
        kata_apply(kata_kernel_find(m, "half_step"), kata_all(g), u, middle, dt);
        kata_apply(kata_kernel_find(m, "full_step"), kata_all(g), u, middle, dt);
    }
    kata_apply(kata_kernel_find(m, "compare"), kata_all(g), u, error, STEPS * dt);
    kata_scalar_get(error, &found);
    printf("error %.2e\n", found);
    return kata_close(k);
}
