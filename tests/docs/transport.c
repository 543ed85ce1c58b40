/* transport [N [TIME [COURANT]]]: N x N cells, until TIME, in steps of COURANT cells. */
#include <kata/kata.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 64;
    const double time = argc > 2 ? atof(argv[2]) : 1, courant = argc > 3 ? atof(argv[3]) : 0.25;
    const double dt = courant / n;
    const int64_t steps = (int64_t)(time / dt + 0.5);
    double found = 0;
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_load(k, "transport.kata");
    kata_kernel *half = kata_kernel_find(m, "half_step"), *full = kata_kernel_find(m, "full_step");
    kata_grid *g = kata_grid_2d(k, n, n);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *middle = kata_field_like(u, "middle");
    kata_scalar *error = kata_scalar_new(k, "error", KATA_F64);

    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u);
    if (getenv("CHECKPOINT")) kata_checkpoint(k, getenv("CHECKPOINT"), .steps = 200);
    kata_require(k, "courant", argc > 3 ? argv[3] : "0.25");
    int64_t step = getenv("CHECKPOINT") ? kata_resume(k) : 0;
    for (; step < steps && kata_ok(k); step++) {
        kata_apply(half, kata_all(g), u, middle, dt);
        kata_apply(full, kata_all(g), u, middle, dt);
        kata_step(k);
    }
    kata_apply(kata_kernel_find(m, "compare"), kata_all(g), u, error, (double)step * dt);
    kata_scalar_get(error, &found);
    if (kata_ok(k)) printf("%4d x %4d  %5lld steps  error %.9e\n", n, n, (long long)step, found);
    kata_save(u, "transport.png", .low = -1, .high = 1);
    return kata_close(k);
}
