/* Plain loops: a D3Q19 lattice around an obstacle, at which what would come from it bounces back.
 */
#include "bench.h"

enum { VELOCITIES = 19 };

static const int x19[] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
static const int y19[] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
static const int z19[] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
static const int opposite[] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17};
#define NEAR 1.0 / 18
#define FAR 1.0 / 36
static const double weight[] = {1.0 / 3, NEAR, NEAR, NEAR, NEAR, NEAR, NEAR, FAR, FAR, FAR,
                                FAR,     FAR,  FAR,  FAR,  FAR,  FAR,  FAR,  FAR, FAR};

/* What arrives at a point of the fluid; adds what the obstacle gets. */
static inline void arrive(const bench_data *d, int64_t i, double p[], double drag[3])
{
    const double *f = (const double *)d->field[0] + i;
    const uint8_t *solid = (const uint8_t *)d->field[2] + i;
    for (int q = 0; q < VELOCITIES; q++) {
        const int64_t from = -x19[q] - y19[q] * d->row - z19[q] * d->plane;
        if (!solid[from]) {
            p[q] = f[q * d->component + from];
            continue;
        }
        p[q] = f[opposite[q] * d->component];
        drag[0] -= 2 * x19[q] * p[q];
        drag[1] -= 2 * y19[q] * p[q];
        drag[2] -= 2 * z19[q] * p[q];
    }
}

static inline void collide(const bench_data *d, int64_t i, const double p[])
{
    double *g = (double *)d->field[1] + i, rho = 0, u = 0, v = 0, w = 0;
    for (int q = 0; q < VELOCITIES; q++) {
        rho += p[q];
        u += x19[q] * p[q];
        v += y19[q] * p[q];
        w += z19[q] * p[q];
    }
    const double over = 1 / rho;
    u *= over;
    v *= over;
    w *= over;
    const double rest = 1 - 1.5 * (u * u + v * v + w * w);
    for (int q = 0; q < VELOCITIES; q++) {
        const double speed = x19[q] * u + y19[q] * v + z19[q] * w;
        const double balance = weight[q] * rho * (rest + 3 * speed + 4.5 * speed * speed);
        g[q * d->component] = p[q] + d->number[0] * (balance - p[q]);
    }
}

static inline void update(const bench_data *d, int64_t i, double drag[3])
{
    const double *f = (const double *)d->field[0] + i;
    double *g = (double *)d->field[1] + i, p[VELOCITIES];
    if (((const uint8_t *)d->field[2])[i]) {
        for (int q = 0; q < VELOCITIES; q++) g[q * d->component] = f[q * d->component];
        return;
    }
    arrive(d, i, p, drag);
    collide(d, i, p);
}

void plain_d3q19_obstacle(bench_data *d)
{
    double drag[3] = {0};
#pragma omp parallel for schedule(static) reduction(+ : drag)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t x = 0; x < d->n[0]; x++) update(d, x + y * d->row + z * d->plane, drag);
    for (int i = 0; i < 3; i++) d->total[i] = drag[i];
}
