/* The steady temperature of a heated plate, by successive over-relaxation. The residual is a sum
 * over all points; the program asks for it every 20 sweeps, and stops when it is small. */
#include <kata/kata.h>

#include <math.h>
#include <stdio.h>

enum { N = 256 };

/* Sweeps until the root of the sum of squares is below `wanted`. Returns their number. */
static int64_t solve(kata_grid *g, kata_module *m, kata_scalar *squares, kata_field *t,
                     kata_field *q, double wanted)
{
    kata_kernel *relax = kata_kernel_find(m, "relax"), *residual = kata_kernel_find(m, "residual");
    const double omega =
        2 / (1 + sin(3.14159265358979323846 / (N + 1))); /* the best for a square */
    kata_until u = kata_until_below(squares, wanted * wanted, .most = 10000, .every = 20);
    while (kata_until_next(&u)) { /* runs what is queued after every 20 sweeps */
        if (u.steps && u.steps % 200 == 0)
            printf("%4lld sweeps  residual %.1e\n", (long long)u.steps, sqrt(u.value));
        kata_apply(relax, kata_color(kata_all(g), 2, 0), t, q, omega);
        kata_apply(relax, kata_color(kata_all(g), 2, 1), t, q, omega);
        if (u.look) kata_apply(residual, kata_all(g), t, q, squares);
    }
    return u.steps;
}

int main(void)
{
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_load(k, "plate.kata");
    kata_grid *g = kata_grid_2d(k, N, N);
    kata_field *t = kata_field_new(g, "t", KATA_F64, .boundary = KATA_CONSTANT);
    kata_field *q = kata_field_new(g, "q", KATA_F64);
    kata_scalar *squares = kata_scalar_new(k, "squares", KATA_F64);
    kata_scalar *in = kata_scalar_new(k, "in", KATA_F64);
    kata_scalar *out = kata_scalar_new(k, "out", KATA_F64);

    kata_apply(kata_kernel_find(m, "heat"), kata_all(g), q);
    int64_t sweeps = solve(g, m, squares, t, q, 1e-8);

    double in_flow = 0, out_flow = 0;
    kata_apply(kata_kernel_find(m, "balance"), kata_all(g), t, q, in, out);
    kata_scalar_get(in, &in_flow);
    kata_scalar_get(out, &out_flow);
    printf("%lld sweeps; heat in %.4f, out %.4f\n", (long long)sweeps, in_flow, out_flow);
    kata_save(t, "plate.png");
    return kata_close(k);
}
