/* The kernels of hand_lattice.c in lines of type LINE, of numbers of type REAL. */

typedef struct NAMED(lattice) {
    const REAL *f;
    REAL *g, omega;
    int64_t row, plane, component;
    int64_t shift[19]; /* from a point to what is pulled to it */
    bool far;
} NAMED(lattice);

enum {
    NAMED(LANES_OF) = LINE_BYTES / sizeof(REAL),
    NAMED(PIECE) = 16 * NAMED(LANES_OF),
    NAMED(AHEAD) = 8 * NAMED(LANES_OF)
};

/* Two opposite velocities, with their weight times rho; returns where the next pair goes. */
static inline REAL *NAMED(collide)(REAL *out, int64_t step, LINE pa, LINE pb, LINE weight,
                                   LINE rest, LINE speed, REAL omega)
{
    const LINE even = weight * (rest + (REAL)4.5 * speed * speed), odd = 3 * weight * speed;
    *(LINE *)out = pa + omega * (even + odd - pa);
    *(LINE *)(out + step) = pb + omega * (even - odd - pb);
    return out + 2 * step;
}

/* p, of so many velocities; fetches what lies so many elements ahead. */
static inline void NAMED(pull)(const NAMED(lattice) * l, const REAL *f, LINE p[], int velocities,
                               int64_t ahead)
{
#pragma GCC unroll 19
    for (int q = 0; q < velocities; q++) p[q] = LOAD(f + l->shift[q]);
    if (!l->far) return;
    f += ahead;
#pragma GCC unroll 19
    for (int q = 0; q < velocities; q++) __builtin_prefetch(f + l->shift[q]);
}

/* Streams so many lines of each component. */
static inline void NAMED(put_piece)(const NAMED(lattice) * l, int64_t at, const REAL *piece,
                                    int components, int64_t n)
{
    for (int q = 0; q < components; q++)
        for (int64_t x = 0; x < n; x += NAMED(LANES_OF))
            stream_line(l->g + at + q * l->component + x, load_line(piece + q * NAMED(PIECE) + x));
}

/* ---- D3Q19 ----------------------------------------------------------------------------------- */

static inline void NAMED(d3q19_line)(const NAMED(lattice) * l, int64_t at, REAL *out, int64_t step)
{
    const REAL *f = l->f + at, omega = l->omega;
    LINE p[19];
    NAMED(pull)(l, f, p, 19, l->row);

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

    *(LINE *)out = p[0] + omega * (rho * ((REAL)1 / 3) * rest - p[0]);
    out += step;
    out = NAMED(collide)(out, step, p[1], p[2], near, rest, u, omega);
    out = NAMED(collide)(out, step, p[3], p[4], near, rest, v, omega);
    out = NAMED(collide)(out, step, p[5], p[6], near, rest, w, omega);
    out = NAMED(collide)(out, step, p[7], p[8], far, rest, u + v, omega);
    out = NAMED(collide)(out, step, p[9], p[10], far, rest, u - v, omega);
    out = NAMED(collide)(out, step, p[11], p[12], far, rest, u + w, omega);
    out = NAMED(collide)(out, step, p[13], p[14], far, rest, u - w, omega);
    out = NAMED(collide)(out, step, p[15], p[16], far, rest, v + w, omega);
    out = NAMED(collide)(out, step, p[17], p[18], far, rest, v - w, omega);
}

static NAMED(lattice)
    NAMED(lattice_of)(const bench_data *d, const int velocity[][3], int velocities)
{
    NAMED(lattice)
    l = {.f = d->field[0],
         .g = d->field[1],
         .omega = (REAL)d->number[0],
         .row = d->row,
         .plane = d->plane,
         .component = d->component,
         .far = is_far(d, velocities * (int)sizeof(REAL))};
    for (int q = 0; q < velocities; q++)
        l.shift[q] =
            q * d->component - velocity[q][0] - velocity[q][1] * d->row - velocity[q][2] * d->plane;
    return l;
}

void NAMED(hand_d3q19)(bench_data *d)
{
#pragma omp parallel
    {
        const NAMED(lattice) l = NAMED(lattice_of)(d, d3q19_velocity, 19);
        REAL piece[19 * NAMED(PIECE)] __attribute__((aligned(64)));
        int64_t z0, z1;
        share(d->n[2], &z0, &z1);
        for (int64_t z = z0; z < z1; z++)
            for (int64_t y = 0; y < d->n[1]; y++)
                for (int64_t x = 0; x < d->n[0]; x += NAMED(PIECE)) {
                    const int64_t at = x + y * l.row + z * l.plane;
                    const int64_t n = smaller(NAMED(PIECE), d->n[0] - x);
                    for (int64_t i = 0; i < n; i += NAMED(LANES_OF)) NAMED(d3q19_line)
                    (&l, at + i, (l.far ? piece : l.g + at) + i,
                     l.far ? NAMED(PIECE) : l.component);
                    if (l.far) NAMED(put_piece)(&l, at, piece, 19, n);
                }
        stream_end();
    }
}

/* ---- D2Q9 ------------------------------------------------------------------------------------ */

#ifndef ONLY_D3Q19

static inline void NAMED(d2q9_line)(const NAMED(lattice) * l, int64_t at, REAL *out, int64_t step)
{
    const REAL *f = l->f + at, omega = l->omega;
    LINE p[9];
    NAMED(pull)(l, f, p, 9, NAMED(AHEAD));
    if (l->far)
        for (int q = 0; q < 9; q++) __builtin_prefetch(out + q * step + NAMED(AHEAD), 1);

    const LINE x_y = p[5] - p[6], x_minus_y = p[7] - p[8];
    const LINE rho = p[0] + (p[1] + p[2]) + (p[3] + p[4]) + (p[5] + p[6]) + (p[7] + p[8]);
    const LINE over = 1 / rho, near = rho * ((REAL)1 / 9), far = rho * ((REAL)1 / 36);
    const LINE u = (p[1] - p[2] + (x_y + x_minus_y)) * over;
    const LINE v = (p[3] - p[4] + (x_y - x_minus_y)) * over;
    const LINE rest = 1 - (REAL)1.5 * (u * u + v * v);

    *(LINE *)out = p[0] + omega * (rho * ((REAL)4 / 9) * rest - p[0]);
    out += step;
    out = NAMED(collide)(out, step, p[1], p[2], near, rest, u, omega);
    out = NAMED(collide)(out, step, p[3], p[4], near, rest, v, omega);
    out = NAMED(collide)(out, step, p[5], p[6], far, rest, u + v, omega);
    out = NAMED(collide)(out, step, p[7], p[8], far, rest, u - v, omega);
}

void NAMED(hand_d2q9)(bench_data *d)
{
#pragma omp parallel
    {
        const NAMED(lattice) l = NAMED(lattice_of)(d, d2q9_velocity, 9);
        int64_t y0, y1;
        share(d->n[1], &y0, &y1);
        for (int64_t y = y0; y < y1; y++)
            for (int64_t x = 0; x < d->n[0]; x += NAMED(LANES_OF))
                NAMED(d2q9_line)(&l, x + y * l.row, l.g + x + y * l.row, l.component);
    }
}

#endif
