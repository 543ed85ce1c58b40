/* The kernels of hand_lattice.c in lines of type LINE, of numbers of type REAL. */

typedef struct NAMED(lattice) {
    const REAL *f;
    REAL *g, omega;
    int64_t row, plane, component;
    bool far;
} NAMED(lattice);

enum { NAMED(LANES_OF) = 64 / sizeof(REAL), NAMED(PIECE) = 16 * NAMED(LANES_OF) };

/* Velocities q and q + 1, opposite ones, of weight rho times that of a velocity at rest. */
static inline void NAMED(collide)(REAL *out, LINE pa, LINE pb, LINE weight, LINE rest, LINE speed,
                                  REAL omega)
{
    const LINE even = weight * (rest + (REAL)4.5 * speed * speed), odd = 3 * weight * speed;
    *(LINE *)out = pa + omega * (even + odd - pa);
    *(LINE *)(out + NAMED(PIECE)) = pb + omega * (even - odd - pb);
}

static inline LINE NAMED(pull)(const NAMED(lattice) * l, const REAL *f, int q, int dx, int dy,
                               int dz)
{
    const REAL *at = f + q * l->component - dy * l->row - dz * l->plane;
    if (l->far) __builtin_prefetch(at + l->row);
    return LOAD(at - dx);
}

/* Writes so many lines of each component. */
static inline void NAMED(put_piece)(const NAMED(lattice) * l, int64_t at, const REAL *piece,
                                    int components, int64_t n)
{
    for (int q = 0; q < components; q++) {
        REAL *to = l->g + at + q * l->component;
        const REAL *from = piece + q * NAMED(PIECE);
        if (l->far)
            for (int64_t x = 0; x < n; x += NAMED(LANES_OF))
                stream_line(to + x, load_line(from + x));
        else
            for (int64_t x = 0; x < n; x += NAMED(LANES_OF))
                *(LINE *)(to + x) = *(LINE *)(from + x);
    }
}

/* ---- D3Q19 ----------------------------------------------------------------------------------- */

static inline void NAMED(d3q19_line)(const NAMED(lattice) * l, int64_t at, REAL *out)
{
    const REAL *f = l->f + at, omega = l->omega;
    LINE p[19];
    p[0] = NAMED(pull)(l, f, 0, 0, 0, 0);
    p[1] = NAMED(pull)(l, f, 1, 1, 0, 0);
    p[2] = NAMED(pull)(l, f, 2, -1, 0, 0);
    p[3] = NAMED(pull)(l, f, 3, 0, 1, 0);
    p[4] = NAMED(pull)(l, f, 4, 0, -1, 0);
    p[5] = NAMED(pull)(l, f, 5, 0, 0, 1);
    p[6] = NAMED(pull)(l, f, 6, 0, 0, -1);
    p[7] = NAMED(pull)(l, f, 7, 1, 1, 0);
    p[8] = NAMED(pull)(l, f, 8, -1, -1, 0);
    p[9] = NAMED(pull)(l, f, 9, 1, -1, 0);
    p[10] = NAMED(pull)(l, f, 10, -1, 1, 0);
    p[11] = NAMED(pull)(l, f, 11, 1, 0, 1);
    p[12] = NAMED(pull)(l, f, 12, -1, 0, -1);
    p[13] = NAMED(pull)(l, f, 13, 1, 0, -1);
    p[14] = NAMED(pull)(l, f, 14, -1, 0, 1);
    p[15] = NAMED(pull)(l, f, 15, 0, 1, 1);
    p[16] = NAMED(pull)(l, f, 16, 0, -1, -1);
    p[17] = NAMED(pull)(l, f, 17, 0, 1, -1);
    p[18] = NAMED(pull)(l, f, 18, 0, -1, 1);

    const LINE x_y = p[7] - p[8], x_minus_y = p[9] - p[10], x_z = p[11] - p[12];
    const LINE x_minus_z = p[13] - p[14], y_z = p[15] - p[16], y_minus_z = p[17] - p[18];
    const LINE x_pairs = (p[1] + p[2]) + (p[3] + p[4]) + (p[5] + p[6]);
    const LINE xy_pairs = (p[7] + p[8]) + (p[9] + p[10]) + (p[11] + p[12]);
    const LINE rho =
        p[0] + x_pairs + xy_pairs + (p[13] + p[14]) + (p[15] + p[16]) + (p[17] + p[18]);
    const LINE over = 1 / rho, near = rho * ((REAL)1 / 18), far = rho * ((REAL)1 / 36);
    const LINE u = (p[1] - p[2] + (x_y + x_minus_y) + (x_z + x_minus_z)) * over;
    const LINE v = (p[3] - p[4] + (x_y - x_minus_y) + (y_z + y_minus_z)) * over;
    const LINE w = (p[5] - p[6] + (x_z - x_minus_z) + (y_z - y_minus_z)) * over;
    const LINE rest = 1 - (REAL)1.5 * (u * u + v * v + w * w);

    const int64_t pair = 2 * NAMED(PIECE);
    *(LINE *)out = p[0] + omega * (rho * ((REAL)1 / 3) * rest - p[0]);
    out += NAMED(PIECE);
    NAMED(collide)(out, p[1], p[2], near, rest, u, omega);
    NAMED(collide)(out + pair, p[3], p[4], near, rest, v, omega);
    NAMED(collide)(out + 2 * pair, p[5], p[6], near, rest, w, omega);
    NAMED(collide)(out + 3 * pair, p[7], p[8], far, rest, u + v, omega);
    NAMED(collide)(out + 4 * pair, p[9], p[10], far, rest, u - v, omega);
    NAMED(collide)(out + 5 * pair, p[11], p[12], far, rest, u + w, omega);
    NAMED(collide)(out + 6 * pair, p[13], p[14], far, rest, u - w, omega);
    NAMED(collide)(out + 7 * pair, p[15], p[16], far, rest, v + w, omega);
    NAMED(collide)(out + 8 * pair, p[17], p[18], far, rest, v - w, omega);
}

static NAMED(lattice) NAMED(lattice_of)(const bench_data *d, int components)
{
    return (NAMED(lattice)){.f = d->field[0],
                            .g = d->field[1],
                            .omega = (REAL)d->number[0],
                            .row = d->row,
                            .plane = d->plane,
                            .component = d->component,
                            .far = is_far(d, components * (int)sizeof(REAL))};
}

void NAMED(hand_d3q19)(bench_data *d)
{
#pragma omp parallel
    {
        const NAMED(lattice) l = NAMED(lattice_of)(d, 19);
        REAL piece[19 * NAMED(PIECE)] __attribute__((aligned(64)));
        int64_t z0, z1;
        share(d->n[2], &z0, &z1);
        for (int64_t z = z0; z < z1; z++)
            for (int64_t y = 0; y < d->n[1]; y++)
                for (int64_t x = 0; x < d->n[0]; x += NAMED(PIECE)) {
                    const int64_t at = x + y * l.row + z * l.plane;
                    const int64_t n = smaller(NAMED(PIECE), d->n[0] - x);
                    for (int64_t i = 0; i < n; i += NAMED(LANES_OF))
                        NAMED(d3q19_line)(&l, at + i, piece + i);
                    NAMED(put_piece)(&l, at, piece, 19, n);
                }
        stream_end();
    }
}

/* ---- D2Q9 ------------------------------------------------------------------------------------ */

#ifndef ONLY_D3Q19

static inline void NAMED(d2q9_line)(const NAMED(lattice) * l, int64_t at, REAL *out)
{
    const REAL *f = l->f + at, omega = l->omega;
    LINE p[9];
    p[0] = NAMED(pull)(l, f, 0, 0, 0, 0);
    p[1] = NAMED(pull)(l, f, 1, 1, 0, 0);
    p[2] = NAMED(pull)(l, f, 2, -1, 0, 0);
    p[3] = NAMED(pull)(l, f, 3, 0, 1, 0);
    p[4] = NAMED(pull)(l, f, 4, 0, -1, 0);
    p[5] = NAMED(pull)(l, f, 5, 1, 1, 0);
    p[6] = NAMED(pull)(l, f, 6, -1, -1, 0);
    p[7] = NAMED(pull)(l, f, 7, 1, -1, 0);
    p[8] = NAMED(pull)(l, f, 8, -1, 1, 0);

    const LINE x_y = p[5] - p[6], x_minus_y = p[7] - p[8];
    const LINE rho = p[0] + (p[1] + p[2]) + (p[3] + p[4]) + (p[5] + p[6]) + (p[7] + p[8]);
    const LINE over = 1 / rho, near = rho * ((REAL)1 / 9), far = rho * ((REAL)1 / 36);
    const LINE u = (p[1] - p[2] + (x_y + x_minus_y)) * over;
    const LINE v = (p[3] - p[4] + (x_y - x_minus_y)) * over;
    const LINE rest = 1 - (REAL)1.5 * (u * u + v * v);

    const int64_t pair = 2 * NAMED(PIECE);
    *(LINE *)out = p[0] + omega * (rho * ((REAL)4 / 9) * rest - p[0]);
    out += NAMED(PIECE);
    NAMED(collide)(out, p[1], p[2], near, rest, u, omega);
    NAMED(collide)(out + pair, p[3], p[4], near, rest, v, omega);
    NAMED(collide)(out + 2 * pair, p[5], p[6], far, rest, u + v, omega);
    NAMED(collide)(out + 3 * pair, p[7], p[8], far, rest, u - v, omega);
}

void NAMED(hand_d2q9)(bench_data *d)
{
#pragma omp parallel
    {
        const NAMED(lattice) l = NAMED(lattice_of)(d, 9);
        REAL piece[9 * NAMED(PIECE)] __attribute__((aligned(64)));
        int64_t y0, y1;
        share(d->n[1], &y0, &y1);
        for (int64_t y = y0; y < y1; y++)
            for (int64_t x = 0; x < d->n[0]; x += NAMED(PIECE)) {
                const int64_t at = x + y * l.row, n = smaller(NAMED(PIECE), d->n[0] - x);
                for (int64_t i = 0; i < n; i += NAMED(LANES_OF))
                    NAMED(d2q9_line)(&l, at + i, piece + i);
                NAMED(put_piece)(&l, at, piece, 9, n);
            }
        stream_end();
    }
}

#endif
