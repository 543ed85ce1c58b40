/* Hand-written kernels: acoustic waves. A thread takes tiles of rows and columns, so small that as
 * many planes of one as the star is high stay in the second-level cache, and goes through its
 * planes with each. Two rows are computed at once: a row of the star's plane is loaded once for
 * both. */
#include "hand/hand_common.h"

#include "acoustic_weights.h"

enum { ROWS = 2, WIDTH_8 = 512, HEIGHT_8 = 32, WIDTH_16 = 256, HEIGHT_16 = 32 };

/* An address that the compiler makes of the one before, not one of dozens that it has to keep. */
#define KEEP_CHAIN(p) __asm__("" : "+r"(p))

typedef struct fields {
    const float *u, *previous, *c;
    float *next;
    int64_t row, plane, columns; /* columns of the tile */
    bool far;
} fields;

static inline fields moved(fields f, int64_t by)
{
    f.u += by;
    f.previous += by;
    f.c += by;
    f.next += by;
    return f;
}

/* What the next rows need. */
static inline void fetch(const fields *f, int64_t at, int radius)
{
    __builtin_prefetch(f->u + at + ROWS * f->row + radius * f->plane);
    __builtin_prefetch(f->previous + at + ROWS * f->row);
    __builtin_prefetch(f->c + at + ROWS * f->row);
}

/* The weighted sums along y of the rows of a line. */
static inline void along_y(line_f32 sum[], const float *u, int64_t row, const float *w, int rows,
                           int radius)
{
#pragma GCC unroll 2
    for (int r = 0; r < rows; r++) sum[r] = 3 * w[0] * *(const line_f32 *)(u + r * row);
    u -= radius * row;
#pragma GCC unroll 18
    for (int j = -radius; j < radius + rows; j++, u += row) {
        KEEP_CHAIN(u);
        const line_f32 here = *(const line_f32 *)u;
#pragma GCC unroll 2
        for (int r = 0; r < rows; r++) {
            int k = j > r ? j - r : r - j;
            if (k > 0 && k <= radius) sum[r] += w[k] * here;
        }
    }
}

static inline void wave_rows(const fields *f, const float *w, int rows, int radius)
{
    for (int64_t x = 0; x < f->columns; x += LANES_F32) {
        line_f32 sum[ROWS];
        along_y(sum, f->u + x, f->row, w, rows, radius);
#pragma GCC unroll 2
        for (int r = 0; r < rows; r++) {
            const int64_t at = x + r * f->row;
            const float *u = f->u + at, *below = u, *above = u;
            line_f32 rest = {0};
#pragma GCC unroll 8
            for (int k = 1; k <= radius; k++) {
                below -= f->plane;
                above += f->plane;
                KEEP_CHAIN(below);
                KEEP_CHAIN(above);
                rest += w[k] * (load_f32(u - k) + load_f32(u + k));
                sum[r] += w[k] * (*(const line_f32 *)below + *(const line_f32 *)above);
            }
            if (f->far) fetch(f, at, radius);
            put_f32(f->next + at,
                    2 * load_f32(u) - load_f32(f->previous + at) +
                        load_f32(f->c + at) * (sum[r] + rest),
                    f->far);
        }
    }
}

static inline void wave_tile(fields f, int64_t rows, int64_t planes, const float *w, int radius)
{
    for (int64_t z = 0; z < planes; z++) {
        fields at = moved(f, z * f.plane);
        int64_t y = 0;
        for (; y + ROWS <= rows; y += ROWS, at = moved(at, ROWS * f.row)) {
            wave_rows(&at, w, ROWS, radius);
        }
        for (; y < rows; y++, at = moved(at, f.row)) wave_rows(&at, w, 1, radius);
    }
}

/* What is known of a star while compiling. */
static void acoustic8_tile(const fields *f, int64_t rows, int64_t planes)
{
    wave_tile(*f, rows, planes, acoustic8_weights, 4);
}

static void acoustic16_tile(const fields *f, int64_t rows, int64_t planes)
{
    wave_tile(*f, rows, planes, acoustic16_weights, 8);
}

typedef void tile_loop(const fields *f, int64_t rows, int64_t planes);

static void in_tiles(const bench_data *d, tile_loop *loop, int64_t width, int64_t height)
{
#pragma omp parallel
    {
        int64_t z0, z1;
        share(d->n[2], &z0, &z1);
        for (int64_t y = 0; y < d->n[1]; y += height)
            for (int64_t x = 0; x < d->n[0]; x += width) {
                fields f = {.u = d->field[0],
                            .previous = d->field[1],
                            .c = d->field[2],
                            .next = d->field[3],
                            .row = d->row,
                            .plane = d->plane,
                            .columns = smaller(width, d->n[0] - x),
                            .far = is_far(d, 4)};
                f = moved(f, x + y * d->row + z0 * d->plane);
                loop(&f, smaller(height, d->n[1] - y), z1 - z0);
            }
        stream_end();
    }
}

void hand_acoustic8(bench_data *d) { in_tiles(d, acoustic8_tile, WIDTH_8, HEIGHT_8); }
void hand_acoustic16(bench_data *d) { in_tiles(d, acoustic16_tile, WIDTH_16, HEIGHT_16); }
