/* Flow between two walls, pushed by a force until it is steady. Its profile is a parabola: the
 * program prints it beside the exact one. */
#include <kata/kata.h>

#include <math.h>
#include <stdio.h>

enum { NX = 16, NY = 24 };

static const double force = 1e-6;

int main(void)
{
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_load(k, "channel.kata");
    kata_kernel *step = kata_kernel_find(m, "step"), *measure = kata_kernel_find(m, "measure");
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *f = kata_field_new(g, "f", KATA_F64, .components = 9);
    kata_boundary_set(f, KATA_X_LOW, KATA_PERIODIC, 0);
    kata_boundary_set(f, KATA_X_HIGH, KATA_PERIODIC, 0);
    kata_field *next = kata_field_like(f, "next"), *u = kata_field_new(g, "u", KATA_F64);
    kata_scalar *change = kata_scalar_new(k, "change", KATA_F64);

    /* With this rate the walls stand exactly half a cell beyond the outermost points. */
    const double tau = 0.5 + sqrt(3.0 / 16), viscosity = (tau - 0.5) / 3;
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), f);
    kata_until until = kata_until_below(change, 1e-13, .most = 100000, .every = 500);
    while (kata_until_next(&until)) {
        kata_apply(step, kata_all(g), f, next, 1 / tau, force);
        kata_swap(f, next);
        if (until.look) kata_apply(measure, kata_all(g), f, u, force, change);
    }

    double profile[NY] = {0}, worst = 0;
    kata_get(u, kata_box_2d(g, 0, 1, 0, NY), profile, NY);
    for (int j = 0; j < NY; j++) {
        double exact = force / (2 * viscosity) * (j + 0.5) * (NY - j - 0.5);
        worst = fmax(worst, fabs(profile[j] / exact - 1));
        if (j % 4 == 0) printf("y %4.1f  u %.6e  exact %.6e\n", j + 0.5, profile[j], exact);
    }
    printf("steady after %lld steps; %s\n", (long long)until.steps,
           worst < 1e-6 ? "the profile is exact to a millionth" : "the profile is wrong");
    return kata_close(k);
}
