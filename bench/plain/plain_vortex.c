/* Plain loops: compressible flow in a periodic box, three stages in a time step, three loops in a
 * stage. Ghosts are copied before loops that read them. */
#include "plain/vortex_loops.h"

#define EACH_ROW(first, end)                                                                       \
    _Pragma("omp parallel for collapse(2) schedule(static)") for (int64_t z = first; z < end;      \
                                                                  z++) for (int64_t y = first;     \
                                                                            y < end; y++)

/* ---- ghosts ---------------------------------------------------------------------------------- */

static void copy_ghosts(const vortex_loops *v, double *f)
{
    const int64_t n = v->n, row = v->row, plane = v->plane;
    EACH_ROW(0, n)
    {
        double *at = f + y * row + z * plane;
        for (int64_t g = 1; g <= VORTEX_GHOSTS; g++) {
            at[-g] = at[n - g];
            at[n - 1 + g] = at[g - 1];
        }
    }
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < n; z++)
        for (int64_t g = 1; g <= VORTEX_GHOSTS; g++)
            for (int64_t x = 0; x < n; x++) {
                double *at = f + x + z * plane;
                at[-g * row] = at[(n - g) * row];
                at[(n - 1 + g) * row] = at[(g - 1) * row];
            }
    for (int64_t g = 1; g <= VORTEX_GHOSTS; g++)
#pragma omp parallel for schedule(static)
        for (int64_t y = 0; y < n; y++)
            for (int64_t x = 0; x < n; x++) {
                double *at = f + x + y * row;
                at[-g * plane] = at[(n - g) * plane];
                at[(n - 1 + g) * plane] = at[(g - 1) * plane];
            }
}

/* ---- differences, of a value and its neighbours d elements away ------------------------------ */

static inline double slope(const double *f, int64_t d)
{
    return 8 * (f[d] - f[-d]) - (f[2 * d] - f[-2 * d]);
}

static inline double bend(const double *f, int64_t d)
{
    return 16 * (f[d] + f[-d]) - (30 * f[0] + f[2 * d] + f[-2 * d]);
}

static inline double slope_of_product(const double *f, const double *u, int64_t d)
{
    return 8 * (f[d] * u[d] - f[-d] * u[-d]) - (f[2 * d] * u[2 * d] - f[-2 * d] * u[-2 * d]);
}

static inline double carried(const double *f, const double *u, int64_t d)
{
    const double near = (f[d] + f[0]) * (u[d] + u[0]) - (f[-d] + f[0]) * (u[-d] + u[0]);
    const double far =
        (f[2 * d] + f[0]) * (u[2 * d] + u[0]) - (f[-2 * d] + f[0]) * (u[-2 * d] + u[0]);
    return 4 * near - 0.5 * far;
}

static inline double laplacian(const double *f, int64_t row, int64_t plane)
{
    return bend(f, 1) + bend(f, row) + bend(f, plane);
}

/* ---- the loops of a stage -------------------------------------------------------------------- */

static void find_flow(const vortex_loops *v)
{
    const int64_t n = v->n, row = v->row, plane = v->plane;
    const double *restrict rho = v->now[0], *restrict mx = v->now[1], *restrict my = v->now[2];
    const double *restrict mz = v->now[3], *restrict energy = v->now[4];
    double *restrict u = v->flow[0], *restrict vy = v->flow[1], *restrict w = v->flow[2];
    double *restrict p = v->flow[3], *restrict t = v->flow[4];
    const double heat = v->heat;
    EACH_ROW(-VORTEX_GHOSTS, n + VORTEX_GHOSTS)
#pragma omp simd
    for (int64_t i = y * row + z * plane - VORTEX_GHOSTS;
         i < y * row + z * plane + n + VORTEX_GHOSTS; i++) {
        const double volume = 1 / rho[i];
        const double squares = mx[i] * mx[i] + my[i] * my[i] + mz[i] * mz[i];
        const double pressure = 0.4 * (energy[i] - 0.5 * volume * squares);
        u[i] = volume * mx[i];
        vy[i] = volume * my[i];
        w[i] = volume * mz[i];
        p[i] = pressure;
        t[i] = heat * volume * pressure;
    }
}

static void find_stretching(const vortex_loops *v)
{
    const int64_t n = v->n, row = v->row, plane = v->plane;
    const double *restrict u = v->flow[0], *restrict vy = v->flow[1], *restrict w = v->flow[2];
    double *restrict s0 = v->stretching[0], *restrict s1 = v->stretching[1];
    double *restrict s2 = v->stretching[2];
    EACH_ROW(0, n)
#pragma omp simd
    for (int64_t i = y * row + z * plane; i < y * row + z * plane + n; i++) {
        const double xx = slope(u + i, 1), yy = slope(vy + i, row), zz = slope(w + i, plane);
        s0[i] = yy + zz;
        s1[i] = xx + zz;
        s2[i] = xx + yy;
    }
}

/* How far the state and the base move; the base of the first stage is the state. */
typedef struct move {
    double far, near;
    int first, last;
} move;

static inline __attribute__((always_inline)) void change_row(const vortex_loops *v, int64_t start,
                                                             move m)
{
    const int64_t row = v->row, plane = v->plane;
    const double *restrict q0 = v->now[0], *restrict q1 = v->now[1], *restrict q2 = v->now[2];
    const double *restrict q3 = v->now[3], *restrict q4 = v->now[4];
    const double *restrict u = v->flow[0], *restrict vy = v->flow[1], *restrict w = v->flow[2];
    const double *restrict p = v->flow[3], *restrict t = v->flow[4];
    const double *restrict s0 = v->stretching[0], *restrict s1 = v->stretching[1];
    const double *restrict s2 = v->stretching[2];
    double *restrict n0 = v->next[0], *restrict n1 = v->next[1], *restrict n2 = v->next[2];
    double *restrict n3 = v->next[3], *restrict n4 = v->next[4];
    double *restrict b0 = v->base[0], *restrict b1 = v->base[1], *restrict b2 = v->base[2];
    double *restrict b3 = v->base[3], *restrict b4 = v->base[4];
    const double r = 1 / (12 * v->spacing), rr = r / v->spacing, rr3 = r * r / 3;
    const double viscosity = v->viscosity, conductivity = v->conductivity;
#define TRANSPORT(f)                                                                               \
    (carried(f + i, u + i, 1) + carried(f + i, vy + i, row) + carried(f + i, w + i, plane))
#define MOVE(k, rate)                                                                              \
    do {                                                                                           \
        const double change = rate, from = m.first ? q##k[i] : b##k[i];                            \
        n##k[i] = from + m.far * change;                                                           \
        if (!m.last) b##k[i] = from + m.near * change;                                             \
    } while (0)
#pragma omp simd
    for (int64_t i = start; i < start + v->n; i++) {
        const double fx =
            rr * (laplacian(u + i, row, plane) + 1.0 / 3 * bend(u + i, 1)) + rr3 * slope(s0 + i, 1);
        const double fy = rr * (laplacian(vy + i, row, plane) + 1.0 / 3 * bend(vy + i, row)) +
                          rr3 * slope(s1 + i, row);
        const double fz = rr * (laplacian(w + i, row, plane) + 1.0 / 3 * bend(w + i, plane)) +
                          rr3 * slope(s2 + i, plane);
        const double xx = slope(u + i, 1), yy = slope(vy + i, row), zz = slope(w + i, plane);
        const double xy = slope(u + i, row) + slope(vy + i, 1);
        const double xz = slope(u + i, plane) + slope(w + i, 1);
        const double yz = slope(vy + i, plane) + slope(w + i, row);
        const double spread = xx + yy + zz;
        const double heat = r * r *
                            (2 * (xx * xx + yy * yy + zz * zz) + (xy * xy + xz * xz + yz * yz) -
                             2.0 / 3 * spread * spread);
        const double work = slope_of_product(p + i, u + i, 1) +
                            slope_of_product(p + i, vy + i, row) +
                            slope_of_product(p + i, w + i, plane);
        MOVE(0, -r * TRANSPORT(q0));
        MOVE(1, viscosity * fx - r * (TRANSPORT(q1) + slope(p + i, 1)));
        MOVE(2, viscosity * fy - r * (TRANSPORT(q2) + slope(p + i, row)));
        MOVE(3, viscosity * fz - r * (TRANSPORT(q3) + slope(p + i, plane)));
        MOVE(4, conductivity * rr * laplacian(t + i, row, plane) +
                    viscosity * (heat + u[i] * fx + vy[i] * fy + w[i] * fz) -
                    r * (TRANSPORT(q4) + work));
    }
}

static void first_stage(const vortex_loops *v)
{
    const move m = {2.0 / 3 * v->dt, 1.0 / 4 * v->dt, 1, 0};
    EACH_ROW(0, v->n) change_row(v, y * v->row + z * v->plane, m);
}

static void middle_stage(const vortex_loops *v)
{
    const move m = {5.0 / 12 * v->dt, 3.0 / 20 * v->dt, 0, 0};
    EACH_ROW(0, v->n) change_row(v, y * v->row + z * v->plane, m);
}

static void last_stage(const vortex_loops *v)
{
    const move m = {3.0 / 5 * v->dt, 0, 0, 1};
    EACH_ROW(0, v->n) change_row(v, y * v->row + z * v->plane, m);
}

void plain_vortex_step(vortex_loops *v)
{
    for (int stage = 0; stage < 3; stage++) {
        for (int c = 0; c < VORTEX_STATE; c++) copy_ghosts(v, v->now[c]);
        find_flow(v);
        find_stretching(v);
        for (int c = 0; c < 3; c++) copy_ghosts(v, v->stretching[c]);
        (stage == 0 ? first_stage : stage == 1 ? middle_stage : last_stage)(v);
        for (int c = 0; c < VORTEX_STATE; c++) {
            double *swapped = v->now[c];
            v->now[c] = v->next[c];
            v->next[c] = swapped;
        }
    }
}
