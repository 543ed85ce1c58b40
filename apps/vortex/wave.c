/* A weak plane wave in the gas at rest, beside the solution of the linear equations.
 *
 * The wave runs along k = (1,2,1), so that all directions and all mixed derivatives differ.
 * Disturbances of density, velocity and pressure have the form Re(a exp(i k x)); friction and
 * conduction couple and damp them. Their five complex sizes follow five ordinary differential
 * equations, which are integrated with steps so short that their error does not matter. */
#include "vortex.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

enum { N = VORTEX_QUANTITIES, PRESSURE = 4, STEPS = 4000 };

static const double k[3] = {1, 2, 1}, k_squared = 6;
static const double gamma_ratio = 1.4; /* as in vortex.kata */
static const double strength = 1e-6;   /* of the velocity; squares of it do not matter */

/* The change per time of the sizes. */
static void change(const vortex_box *b, const double complex a[N], double complex out[N])
{
    const double complex spread = I * (k[0] * a[1] + k[1] * a[2] + k[2] * a[3]);
    const double complex temperature = b->heat * a[PRESSURE] - a[0];
    out[0] = -spread;
    for (int i = 0; i < 3; i++)
        out[1 + i] =
            -I * k[i] * a[PRESSURE] - b->viscosity * (k_squared * a[1 + i] - I * k[i] * spread / 3);
    out[PRESSURE] = -gamma_ratio / b->heat * spread -
                    (gamma_ratio - 1) * b->conductivity * k_squared * temperature;
}

/* A step of the classical Runge-Kutta method. */
static void advance(const vortex_box *b, double complex a[N], double dt)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weights[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double complex rate[N] = {0}, here[N], sum[N];
    for (int i = 0; i < N; i++) sum[i] = a[i];
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < N; i++) here[i] = a[i] + at[stage] * dt * rate[i];
        change(b, here, rate);
        for (int i = 0; i < N; i++) sum[i] += weights[stage] * dt * rate[i];
    }
    for (int i = 0; i < N; i++) a[i] = sum[i];
}

/* Re(a exp(i phase)) = Re(a) cos(phase) - Im(a) sin(phase). */
static double compare(const vortex_box *b, const double complex a[N], const double sizes[N])
{
    double cosine[N], sine[N], scale[N], worst = NAN;
    kata_scalar *most = kata_scalar_new(b->k, "worst", KATA_F64);
    for (int i = 0; i < N; i++) {
        cosine[i] = creal(a[i]);
        sine[i] = -cimag(a[i]);
        scale[i] = 1 / fabs(sizes[i]);
    }
    kata_apply(b->find_flow, kata_all(b->grid), b->now, b->flow, b->heat);
    kata_apply(kata_kernel_find(b->module, "compare_wave"), kata_all(b->grid), b->now, b->flow,
               b->spacing, b->heat, kata_table_of(KATA_F64, cosine, N),
               kata_table_of(KATA_F64, sine, N), kata_table_of(KATA_F64, scale, N), most);
    kata_step(b->k);
    kata_scalar_get(most, &worst);
    return worst;
}

bool vortex_wave_run(kata *context, const vortex_case *c, double until)
{
    const double sizes[N] = {strength * c->mach, strength, 0.5 * strength, -0.7 * strength,
                             strength / c->mach};
    const int64_t steps = vortex_steps(c, until);
    double complex a[N];
    vortex_box b;
    vortex_box_make(&b, context, c);
    for (int i = 0; i < N; i++) a[i] = sizes[i];
    for (int i = 0; i < STEPS; i++) advance(&b, a, until / STEPS);
    kata_apply(kata_kernel_find(b.module, "start_wave"), kata_all(b.grid), b.now, b.spacing, b.heat,
               kata_table_of(KATA_F64, sizes, N));
    for (int64_t i = 0; i < steps && kata_ok(context); i++)
        vortex_box_step(&b, until / (double)steps);
    const double worst = compare(&b, a, sizes);
    if (!kata_ok(context)) return false;
    printf(
        "plane wave along (1,2,1), time %g, %lld steps: differs from the exact solution by %.3e of "
        "its size\n",
        until, (long long)steps, worst);
    return true;
}
