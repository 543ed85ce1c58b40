/* Plain loops: a V-cycle of geometric multigrid, for the negative Laplacian in a cube whose walls
 * hold 0. Cells have their value in the centre; the ghost beyond a wall mirrors the cell before it
 * with the other sign. Two red-black sweeps before and two after each correction; residuals are
 * restricted as the mean of eight cells, corrections prolonged linearly. */
#include "plain/vcycle.h"

#include <stdlib.h>
#include <string.h>

static int64_t points(const vcycle_level *l) { return (l->n + 2) * (l->n + 2) * (l->n + 2); }

/* Cell (x,y,z) of a level. */
#define AT(l, x, y, z) ((x) + 1 + ((y) + 1) * (l)->row + ((z) + 1) * (l)->plane)

/* The ghosts beside the walls: in x, then in y with those, then in z with both. */
static void fill_ghosts(const vcycle_level *l, double *restrict u)
{
    const int64_t n = l->n;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < n; z++) {
        for (int64_t y = 0; y < n; y++) {
            u[AT(l, -1, y, z)] = -u[AT(l, 0, y, z)];
            u[AT(l, n, y, z)] = -u[AT(l, n - 1, y, z)];
        }
        for (int64_t x = -1; x <= n; x++) {
            u[AT(l, x, -1, z)] = -u[AT(l, x, 0, z)];
            u[AT(l, x, n, z)] = -u[AT(l, x, n - 1, z)];
        }
    }
#pragma omp parallel for schedule(static)
    for (int64_t y = -1; y <= n; y++)
        for (int64_t x = -1; x <= n; x++) {
            u[AT(l, x, y, -1)] = -u[AT(l, x, y, 0)];
            u[AT(l, x, y, n)] = -u[AT(l, x, y, n - 1)];
        }
}

#define BESIDE(u, i)                                                                               \
    ((u)[(i)-1] + (u)[(i) + 1] + (u)[(i)-row] + (u)[(i) + row] + (u)[(i)-plane] + (u)[(i) + plane])

static void relax(const vcycle_level *l, int colour)
{
    double *u = l->u;
    const double *restrict f = l->f, h2 = l->h2;
    const int64_t row = l->row, plane = l->plane;
    fill_ghosts(l, u);
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < l->n; z++)
        for (int64_t y = 0; y < l->n; y++)
            for (int64_t x = (y + z + colour) % 2; x < l->n; x += 2) {
                const int64_t i = AT(l, x, y, z);
                u[i] = (h2 * f[i] + BESIDE(u, i)) * (1.0 / 6);
            }
}

static void residual(const vcycle_level *l)
{
    const double *restrict u = l->u, *restrict f = l->f, over = 1 / l->h2;
    double *restrict r = l->r;
    const int64_t row = l->row, plane = l->plane;
    fill_ghosts(l, l->u);
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < l->n; z++)
        for (int64_t y = 0; y < l->n; y++)
            for (int64_t x = 0; x < l->n; x++) {
                const int64_t i = AT(l, x, y, z);
                r[i] = f[i] - (6 * u[i] - BESIDE(u, i)) * over;
            }
}

/* The right-hand side of the coarse level, and 0 to start from. */
static void restrict_residual(const vcycle_level *fine, const vcycle_level *coarse)
{
    const double *restrict r = fine->r;
    double *restrict f = coarse->f, *restrict u = coarse->u;
    const int64_t row = fine->row, plane = fine->plane;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < coarse->n; z++)
        for (int64_t y = 0; y < coarse->n; y++)
            for (int64_t x = 0; x < coarse->n; x++) {
                const int64_t i = AT(fine, 2 * x, 2 * y, 2 * z), c = AT(coarse, x, y, z);
                const double near = r[i] + r[i + 1] + r[i + row] + r[i + row + 1];
                const double far =
                    r[i + plane] + r[i + plane + 1] + r[i + plane + row] + r[i + plane + row + 1];
                f[c] = (near + far) * 0.125;
                u[c] = 0;
            }
}

/* A fine cell lies a quarter off the centre of its coarse cell, on the side of each near one. */
static void add_correction(const vcycle_level *coarse, const vcycle_level *fine)
{
    const double *restrict c = coarse->u;
    double *restrict u = fine->u;
    fill_ghosts(coarse, coarse->u);
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < fine->n; z++)
        for (int64_t y = 0; y < fine->n; y++)
            for (int64_t x = 0; x < fine->n; x++) {
                const int64_t i = AT(coarse, x / 2, y / 2, z / 2), dx = x % 2 ? 1 : -1;
                const int64_t dy = y % 2 ? coarse->row : -coarse->row;
                const int64_t dz = z % 2 ? coarse->plane : -coarse->plane;
                const double here = 3 * (3 * c[i] + c[i + dx]) + 3 * c[i + dy] + c[i + dx + dy];
                const double there =
                    3 * (3 * c[i + dz] + c[i + dx + dz]) + 3 * c[i + dy + dz] + c[i + dx + dy + dz];
                u[AT(fine, x, y, z)] += (3 * here + there) * (1.0 / 64);
            }
}

static void smooth(const vcycle_level *l)
{
    for (int half = 0; half < 4; half++) relax(l, half % 2);
}

void plain_vcycle(const vcycle_level *l)
{
    smooth(l);
    if (l->n > VCYCLE_COARSEST) {
        residual(l);
        restrict_residual(l, l + 1);
        plain_vcycle(l + 1);
        add_correction(l + 1, l);
    }
    smooth(l);
}

bool vcycle_make(vcycle_level *l, int64_t n)
{
    memset(l, 0, VCYCLE_LEVELS * sizeof *l);
    for (double h2 = 1; n >= VCYCLE_COARSEST; n /= 2, h2 *= 4, l++) {
        *l = (vcycle_level){.n = n, .row = n + 2, .plane = (n + 2) * (n + 2), .h2 = h2};
        l->u = calloc((size_t)points(l), sizeof *l->u);
        l->f = calloc((size_t)points(l), sizeof *l->f);
        l->r = calloc((size_t)points(l), sizeof *l->r);
        if (!l->u || !l->f || !l->r) return false;
    }
    return true;
}

void vcycle_free(vcycle_level *l)
{
    for (int i = 0; i < VCYCLE_LEVELS; i++) {
        free(l[i].u);
        free(l[i].f);
        free(l[i].r);
    }
}
