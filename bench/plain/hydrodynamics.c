/* Plain loops: hydrodynamics with staggered fields. Loops cover what lies two cells or more from
 * the sides. */
#include "plain/hydrodynamics.h"

#include <math.h>

#define ROWS(first)                                                                                \
    _Pragma("omp parallel for schedule(static)") for (int64_t y = first; y < h->ny - 2; y++)
#define POINTS(first)                                                                              \
    _Pragma("omp simd") for (int64_t i = y * row + first; i < y * row + h->nx - 2; i++)

static void gas(const hydro *h, const double *restrict rho, const double *restrict e)
{
    double *restrict p = h->p, *restrict c = h->c;
    const int64_t row = h->row;
    ROWS(2)
    POINTS(2)
    {
        p[i] = 0.4 * rho[i] * e[i];
        c[i] = sqrt(1.4 * p[i] / rho[i]);
    }
}

static inline double growth(const double *u, const double *v, int64_t row)
{
    return 0.5 * (u[1] + u[row + 1] - u[0] - u[row] + v[row] + v[row + 1] - v[0] - v[1]);
}

static void viscosity(const hydro *h)
{
    const double *restrict rho = h->rho0, *restrict u = h->u0, *restrict v = h->v0;
    double *restrict q = h->q;
    const int64_t row = h->row;
    ROWS(2)
    POINTS(2)
    {
        const double div = growth(u + i, v + i, row);
        q[i] = div < 0 ? 2 * rho[i] * div * div : 0;
    }
}

static double time_step(const hydro *h)
{
    const double *restrict rho = h->rho0, *restrict c = h->c, *restrict q = h->q;
    const double *restrict u = h->u0, *restrict v = h->v0;
    const int64_t row = h->row;
    double dt = 1e300;
#pragma omp parallel for schedule(static) reduction(min : dt)
    for (int64_t y = 2; y < h->ny - 2; y++)
#pragma omp simd reduction(min : dt)
        for (int64_t i = y * row + 2; i < y * row + h->nx - 2; i++) {
            const double one =
                0.25 / (sqrt(c[i] * c[i] + 2 * q[i] / rho[i]) + fabs(u[i]) + fabs(v[i]));
            dt = one < dt ? one : dt;
        }
    return dt;
}

static void compress_half(const hydro *h)
{
    const double *restrict rho0 = h->rho0, *restrict e0 = h->e0, *restrict p = h->p;
    const double *restrict q = h->q, *restrict u0 = h->u0, *restrict v0 = h->v0;
    double *restrict rho1 = h->rho1, *restrict e1 = h->e1;
    const double half = 0.5 * h->dt;
    const int64_t row = h->row;
    ROWS(2)
    POINTS(2)
    {
        const double more = half * growth(u0 + i, v0 + i, row);
        e1[i] = e0[i] - more * (p[i] + q[i]) / rho0[i];
        rho1[i] = rho0[i] / (1 + more);
    }
}

static void accelerate(const hydro *h)
{
    const double *restrict rho = h->rho0, *restrict p = h->p, *restrict q = h->q;
    const double *restrict u0 = h->u0, *restrict v0 = h->v0;
    double *restrict u1 = h->u1, *restrict v1 = h->v1;
    const double dt = h->dt;
    const int64_t row = h->row;
    ROWS(3)
    POINTS(3)
    {
        const int64_t left = i - 1, below = i - row, corner = below - 1;
        const double share = dt / (rho[i] + rho[left] + rho[below] + rho[corner]);
        u1[i] = u0[i] -
                2 * share *
                    (p[i] + p[below] - p[left] - p[corner] + q[i] + q[below] - q[left] - q[corner]);
        v1[i] = v0[i] -
                2 * share *
                    (p[i] + p[left] - p[below] - p[corner] + q[i] + q[left] - q[below] - q[corner]);
    }
}

static void compress(const hydro *h)
{
    const double *restrict rho0 = h->rho0, *restrict e0 = h->e0, *restrict p = h->p;
    const double *restrict q = h->q, *restrict u0 = h->u0, *restrict v0 = h->v0;
    const double *restrict u1 = h->u1, *restrict v1 = h->v1;
    double *restrict rho1 = h->rho1, *restrict e1 = h->e1;
    const double half = 0.5 * h->dt;
    const int64_t row = h->row;
    ROWS(2)
    POINTS(2)
    {
        const double more = half * (growth(u0 + i, v0 + i, row) + growth(u1 + i, v1 + i, row));
        e1[i] = e0[i] - more * (p[i] + q[i]) / rho0[i];
        rho1[i] = rho0[i] / (1 + more);
    }
}

static void volume_fluxes(const hydro *h)
{
    const double *restrict u0 = h->u0, *restrict v0 = h->v0;
    const double *restrict u1 = h->u1, *restrict v1 = h->v1;
    double *restrict fx = h->fx, *restrict fy = h->fy;
    const double quarter = 0.25 * h->dt;
    const int64_t row = h->row;
    ROWS(2)
    POINTS(3) fx[i] = quarter * (u0[i] + u0[i + row] + u1[i] + u1[i + row]);
    ROWS(3)
    POINTS(2) fy[i] = quarter * (v0[i] + v0[i + 1] + v1[i] + v1[i + 1]);
}

static inline double limited(double back, double ahead)
{
    const double a = fabs(back), b = fabs(ahead), least = a < b ? a : b;
    return back * ahead > 0 ? (ahead > 0 ? least : -least) : 0;
}

/* Across faces to the cell `step` before. */
static inline double donated(double f, const double *rho, int64_t step)
{
    const double from = f > 0 ? rho[-step] : rho[0], to = f > 0 ? rho[0] : rho[-step];
    const double before = f > 0 ? rho[-2 * step] : rho[step];
    return f * (from + 0.5 * (1 - fabs(f)) * limited(from - before, to - from));
}

static void advect_x(const hydro *h)
{
    const double *restrict fx = h->fx, *restrict fy = h->fy;
    double *restrict rho = h->rho1, *restrict e = h->e1;
    double *restrict mass = h->mass_x, *restrict heat = h->heat_x;
    const int64_t row = h->row;
    ROWS(2)
    POINTS(3)
    {
        mass[i] = donated(fx[i], rho + i, 1);
        heat[i] = mass[i] * (fx[i] > 0 ? e[i - 1] : e[i]);
    }
    ROWS(2)
    POINTS(2)
    {
        const double after = 1 + fy[i + row] - fy[i], old = rho[i] * (after + fx[i + 1] - fx[i]);
        const double now = old + mass[i] - mass[i + 1];
        e[i] = (e[i] * old + heat[i] - heat[i + 1]) / now;
        rho[i] = now / after;
    }
}

static void advect_y(const hydro *h)
{
    const double *restrict fy = h->fy;
    double *restrict rho = h->rho1, *restrict e = h->e1;
    double *restrict mass = h->mass_y, *restrict heat = h->heat_y;
    const int64_t row = h->row;
    ROWS(3)
    POINTS(2)
    {
        mass[i] = donated(fy[i], rho + i, row);
        heat[i] = mass[i] * (fy[i] > 0 ? e[i - row] : e[i]);
    }
    ROWS(2)
    POINTS(2)
    {
        const double old = rho[i] * (1 + fy[i + row] - fy[i]);
        const double now = old + mass[i] - mass[i + row];
        e[i] = (e[i] * old + heat[i] - heat[i + row]) / now;
        rho[i] = now;
    }
}

/* By what enters from before and from behind, `step` away. */
static inline double carried(double before, double behind, const double *u, int64_t step)
{
    const double in = before > 0 ? before : 0, back = behind < 0 ? behind : 0;
    return in * (u[-step] - u[0]) - back * (u[step] - u[0]);
}

static void carry(const hydro *h)
{
    const double *restrict mx = h->mass_x, *restrict my = h->mass_y, *restrict rho = h->rho1;
    const double *restrict u1 = h->u1, *restrict v1 = h->v1;
    double *restrict u0 = h->u0, *restrict v0 = h->v0;
    const int64_t row = h->row;
    ROWS(3)
    POINTS(3)
    {
        const int64_t low = i - row;
        const double left = 0.25 * (mx[i] + mx[i - 1] + mx[low] + mx[low - 1]);
        const double right = 0.25 * (mx[i] + mx[i + 1] + mx[low] + mx[low + 1]);
        const double below = 0.25 * (my[i] + my[low] + my[i - 1] + my[low - 1]);
        const double above = 0.25 * (my[i] + my[i + row] + my[i - 1] + my[i + row - 1]);
        const double over = 4 / (rho[i] + rho[i - 1] + rho[low] + rho[low - 1]);
        u0[i] =
            u1[i] + over * (carried(left, right, u1 + i, 1) + carried(below, above, u1 + i, row));
        v0[i] =
            v1[i] + over * (carried(left, right, v1 + i, 1) + carried(below, above, v1 + i, row));
    }
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

void plain_hydro_step(hydro *h)
{
    gas(h, h->rho0, h->e0);
    viscosity(h);
    h->dt = time_step(h);
    compress_half(h);
    gas(h, h->rho1, h->e1);
    accelerate(h);
    compress(h);
    volume_fluxes(h);
    advect_x(h);
    advect_y(h);
    carry(h);
    swap(&h->rho0, &h->rho1);
    swap(&h->e0, &h->e1);
}
