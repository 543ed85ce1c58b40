/* Sums along columns, and histograms of pictures, of bytes and of floats. */
#include "bench.h"
#include "kernels_kata.h"
#include "plain/plain_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { COLUMNS, BINS_U8, BINS_F32 } kind;

typedef struct program {
    kind kind;
    int64_t n[3], points;
    kata *k;
    kata_kernel *kernel;
    kata_range all, plane;
    kata_field *u, *t;
    kata_scalar *bins;
    void *values; /* of the plain loop: u, without ghosts */
    double *columns;
    int32_t counts[PLAIN_BINS_COUNT];
} program;

/* ---- a step ---------------------------------------------------------------------------------- */

static void run_plain(program *p)
{
    if (p->kind == COLUMNS)
        plain_columns(p->values, p->columns, p->n);
    else if (p->kind == BINS_U8)
        plain_bins_u8(p->values, p->counts, p->points);
    else
        plain_bins_f32(p->values, p->counts, p->points);
}

static void apply(program *p)
{
    if (p->kind == COLUMNS)
        kata_apply(p->kernel, p->all, p->u, p->t);
    else
        kata_apply(p->kernel, p->all, p->u, p->bins);
}

static void run(void *program_, int who, int64_t steps, bool each)
{
    program *p = program_;
    for (int64_t i = 0; i < steps; i++) {
        if (who == BENCH_PLAIN)
            run_plain(p);
        else
            apply(p);
        if (who == BENCH_KATA && each) kata_flush(p->k);
    }
    if (who == BENCH_KATA) kata_flush(p->k);
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* Greys of a picture: waves, and a little noise. */
static double grey(int64_t x, int64_t y, uint64_t *noise)
{
    *noise = *noise * 6364136223846793005u + 1442695040888963407u;
    return floor(128 + 100 * sin(0.003 * (double)x) * cos(0.002 * (double)y)) +
           (double)(*noise >> 60);
}

static bool fill(program *p)
{
    const kata_type type = p->kind == COLUMNS ? KATA_F64 : p->kind == BINS_U8 ? KATA_U8 : KATA_F32;
    const size_t count = (size_t)p->points;
    uint64_t noise = 1;
    for (int64_t i = 0; i < p->points; i++)
        bench_set(p->values, type, i, grey(i % p->n[0], i / p->n[0], &noise));
    kata_status status = type == KATA_F64  ? kata_put(p->u, p->all, (double *)p->values, count)
                         : type == KATA_U8 ? kata_put(p->u, p->all, (uint8_t *)p->values, count)
                                           : kata_put(p->u, p->all, (float *)p->values, count);
    return status == KATA_OK;
}

static void end(void *program_)
{
    program *p = program_;
    if (!p) return;
    kata_close(p->k);
    free(p->values);
    free(p->columns);
    free(p);
}

static bool make_fields(program *p)
{
    static const kata_type types[] = {KATA_F64, KATA_U8, KATA_F32};
    static const char *const names[] = {"columns", "bins_u8", "bins_f32"};
    kata_module *module = kata_module_from_text(p->k, "kernels.kata", kernels_kata);
    kata_grid *g = p->n[2] > 1 ? kata_grid_3d(p->k, p->n[0], p->n[1], p->n[2])
                               : kata_grid_2d(p->k, p->n[0], p->n[1]);
    p->kernel = kata_kernel_find(module, names[p->kind]);
    p->all = kata_all(g);
    if (p->kind == COLUMNS) p->plane = kata_box_3d(g, 0, p->n[0], 0, p->n[1], 0, 1);
    p->u = kata_field_new(g, "u", types[p->kind]);
    if (p->kind == COLUMNS) p->t = kata_field_new(g, "t", KATA_F64, .along = KATA_X | KATA_Y);
    p->bins = kata_scalar_array_new(p->k, "bins", KATA_I32, PLAIN_BINS_COUNT);
    return kata_ok(p->k) && p->values && p->columns && fill(p);
}

static void *make(kind kind, const int64_t size[3], int threads)
{
    program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->kind = kind;
    memcpy(p->n, size, sizeof p->n);
    p->points = size[0] * size[1] * size[2];
    p->k = kata_open(&(kata_options){.threads = threads, .wait = true});
    p->values = calloc((size_t)p->points, sizeof(double));
    p->columns = calloc((size_t)(size[0] * size[1]), sizeof(double));
    if (make_fields(p)) return p;
    end(p);
    return NULL;
}

static void *make_columns(const int64_t size[3], int threads)
{
    return make(COLUMNS, size, threads);
}

static void *make_u8(const int64_t size[3], int threads) { return make(BINS_U8, size, threads); }

static void *make_f32(const int64_t size[3], int threads) { return make(BINS_F32, size, threads); }

/* ---- results --------------------------------------------------------------------------------- */

static double differ_columns(program *p)
{
    const size_t count = (size_t)(p->n[0] * p->n[1]);
    double most = 0, largest = 0, *found = calloc(count, sizeof *found);
    if (!found || kata_get(p->t, p->plane, found, count)) {
        free(found);
        return INFINITY;
    }
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(found[i] - p->columns[i]));
        largest = fmax(largest, fabs(found[i]));
    }
    free(found);
    return most / largest;
}

static double differ(void *program_)
{
    program *p = program_;
    int32_t found[PLAIN_BINS_COUNT];
    run(p, BENCH_PLAIN, 1, false);
    run(p, BENCH_KATA, 1, false);
    if (p->kind == COLUMNS) return differ_columns(p);
    if (kata_scalar_get_all(p->bins, found, PLAIN_BINS_COUNT)) return INFINITY;
    return memcmp(found, p->counts, sizeof found) != 0 ? INFINITY : 0;
}

const bench_own bench_columns = {.make = make_columns, .free = end, .run = run, .differ = differ};
const bench_own bench_bins_u8 = {.make = make_u8, .free = end, .run = run, .differ = differ};
const bench_own bench_bins_f32 = {.make = make_f32, .free = end, .run = run, .differ = differ};
