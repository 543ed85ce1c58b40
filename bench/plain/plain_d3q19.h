/* The loop of plain_lattice.c over a D3Q19 lattice of type REAL, called NAME. */

void NAME(bench_data *d)
{
    const REAL *restrict f = d->field[0], omega = (REAL)d->number[0];
    REAL *restrict g = d->field[1];
    const int64_t row = d->row, plane = d->plane, component = d->component;
    const REAL near = (REAL)1 / 18, far = (REAL)1 / 36;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
#pragma omp simd
            for (int64_t x = 0; x < d->n[0]; x++) {
                const int64_t i = x + y * row + z * plane;
                const REAL p0 = f[i], p1 = PULL(1, 1, 0, 0), p2 = PULL(2, -1, 0, 0);
                const REAL p3 = PULL(3, 0, 1, 0), p4 = PULL(4, 0, -1, 0), p5 = PULL(5, 0, 0, 1);
                const REAL p6 = PULL(6, 0, 0, -1), p7 = PULL(7, 1, 1, 0), p8 = PULL(8, -1, -1, 0);
                const REAL p9 = PULL(9, 1, -1, 0), p10 = PULL(10, -1, 1, 0);
                const REAL p11 = PULL(11, 1, 0, 1), p12 = PULL(12, -1, 0, -1);
                const REAL p13 = PULL(13, 1, 0, -1), p14 = PULL(14, -1, 0, 1);
                const REAL p15 = PULL(15, 0, 1, 1), p16 = PULL(16, 0, -1, -1);
                const REAL p17 = PULL(17, 0, 1, -1), p18 = PULL(18, 0, -1, 1);
                const REAL x_y = p7 - p8, x_minus_y = p9 - p10, x_z = p11 - p12;
                const REAL x_minus_z = p13 - p14, y_z = p15 - p16, y_minus_z = p17 - p18;
                const REAL faces = (p1 + p2) + (p3 + p4) + (p5 + p6);
                const REAL edges = (p7 + p8) + (p9 + p10) + (p11 + p12);
                const REAL rho = p0 + faces + edges + (p13 + p14) + (p15 + p16) + (p17 + p18),
                           over = 1 / rho;
                const REAL u = (p1 - p2 + (x_y + x_minus_y) + (x_z + x_minus_z)) * over;
                const REAL v = (p3 - p4 + (x_y - x_minus_y) + (y_z + y_minus_z)) * over;
                const REAL w = (p5 - p6 + (x_z - x_minus_z) + (y_z - y_minus_z)) * over;
                const REAL rest = 1 - (REAL)1.5 * (u * u + v * v + w * w);
                g[i] = p0 + omega * ((REAL)1 / 3 * rho * rest - p0);
                COLLIDE(REAL, 1, p1, p2, near, u);
                COLLIDE(REAL, 3, p3, p4, near, v);
                COLLIDE(REAL, 5, p5, p6, near, w);
                COLLIDE(REAL, 7, p7, p8, far, u + v);
                COLLIDE(REAL, 9, p9, p10, far, u - v);
                COLLIDE(REAL, 11, p11, p12, far, u + w);
                COLLIDE(REAL, 13, p13, p14, far, u - w);
                COLLIDE(REAL, 15, p15, p16, far, v + w);
                COLLIDE(REAL, 17, p17, p18, far, v - w);
            }
}
