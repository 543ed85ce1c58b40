/* Plain loops: lattice Boltzmann, BGK, pulled from one lattice to the other. */
#include "bench.h"

#define PULL(q, dx, dy, dz) f[(q)*component + i - (dx) - (dy)*row - (dz)*plane]

/* Velocity q and the opposite one, q + 1. */
#define COLLIDE(real, q, pa, pb, weight, speed)                                                    \
    {                                                                                              \
        const real even = (weight)*rho * (rest + (real)4.5 * (speed) * (speed));                   \
        const real odd = 3 * (weight)*rho * (speed);                                               \
        g[(q)*component + i] = (pa) + omega * (even + odd - (pa));                                 \
        g[((q) + 1) * component + i] = (pb) + omega * (even - odd - (pb));                         \
    }

void plain_d2q9(bench_data *d)
{
    const double *restrict f = d->field[0], omega = d->number[0];
    double *restrict g = d->field[1];
    const int64_t row = d->row, plane = 0, component = d->component;
    const double near = 1.0 / 9, far = 1.0 / 36;
#pragma omp parallel for schedule(static)
    for (int64_t y = 0; y < d->n[1]; y++)
#pragma omp simd
        for (int64_t x = 0; x < d->n[0]; x++) {
            const int64_t i = x + y * row;
            const double p0 = f[i], p1 = PULL(1, 1, 0, 0), p2 = PULL(2, -1, 0, 0);
            const double p3 = PULL(3, 0, 1, 0), p4 = PULL(4, 0, -1, 0), p5 = PULL(5, 1, 1, 0);
            const double p6 = PULL(6, -1, -1, 0), p7 = PULL(7, 1, -1, 0), p8 = PULL(8, -1, 1, 0);
            const double rho = p0 + (p1 + p2) + (p3 + p4) + (p5 + p6) + (p7 + p8), over = 1 / rho;
            const double x_y = p5 - p6, x_minus_y = p7 - p8;
            const double u = (p1 - p2 + (x_y + x_minus_y)) * over;
            const double v = (p3 - p4 + (x_y - x_minus_y)) * over;
            const double rest = 1 - 1.5 * (u * u + v * v);
            g[i] = p0 + omega * (4.0 / 9 * rho * rest - p0);
            COLLIDE(double, 1, p1, p2, near, u);
            COLLIDE(double, 3, p3, p4, near, v);
            COLLIDE(double, 5, p5, p6, far, u + v);
            COLLIDE(double, 7, p7, p8, far, u - v);
        }
}

#define REAL double
#define NAME plain_d3q19
#include "plain_d3q19.h"
#undef REAL
#undef NAME

#define REAL float
#define NAME plain_d3q19_f32
#include "plain_d3q19.h"
