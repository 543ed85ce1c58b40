/* Arrays and fields with the same numbers in them. */
#include "bench.h"
#include "kernels_kata.h"
#include "lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 2 << 20 };

static size_t whole_pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

void *bench_pages(size_t bytes)
{
    bytes = whole_pages(bytes);
    char *memory =
        mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    size_t before = (PAGE - (uintptr_t)memory % PAGE) % PAGE;
    if (before) munmap(memory, before);
    munmap(memory + before + bytes, PAGE - before);
    madvise(memory + before, bytes, MADV_HUGEPAGE);
    return memory + before;
}

void bench_pages_free(void *memory, size_t bytes)
{
    if (memory) munmap(memory, whole_pages(bytes));
}

static int64_t bytes_of(kata_type type) { return type == KATA_F64 ? 8 : 4; }

double bench_start(int field, int component, const int64_t index[3])
{
    int64_t i = index[0] * 7 + index[1] * 13 + index[2] * 29 + component * 5 + field * 3;
    return 1 + (double)(i % 31 - 15) / 256 + (double)(index[0] % 3) / 1024;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

typedef struct extent {
    int64_t lo[3], hi[3];
} extent;

static extent with_ghosts(const bench_case *c, const int64_t size[3])
{
    extent e = {{0}, {1, 1, 1}};
    for (int d = 0; d < c->dimensions; d++) {
        e.lo[d] = -c->ghosts;
        e.hi[d] = size[d] + c->ghosts;
    }
    return e;
}

static void set(void *field, kata_type type, int64_t at, double value)
{
    if (type == KATA_F64)
        ((double *)field)[at] = value;
    else
        ((float *)field)[at] = (float)value;
}

static double get(const void *field, kata_type type, int64_t at)
{
    return type == KATA_F64 ? ((const double *)field)[at] : (double)((const float *)field)[at];
}

/* An odd number of lines between rows and between planes, so that they use different cache sets. */
static int64_t padded(int64_t elements, int64_t line)
{
    int64_t lines = (elements + line - 1) / line;
    return (lines | 1) * line;
}

static int64_t before_row(const bench_case *c)
{
    int64_t line = 64 / bytes_of(c->type);
    return (c->ghosts + line - 1) / line * line;
}

/* Bytes of a field, and a few lines that shift fields against one another. */
static size_t field_bytes(const bench_data *d, const bench_case *c, int f)
{
    return (size_t)(c->fields[f].components * d->component * bytes_of(c->type) + 8 * 64);
}

static bool make_field(bench_data *d, const bench_case *c, int f, const extent *e)
{
    int64_t line = 64 / bytes_of(c->type);
    d->memory[f] = bench_pages(field_bytes(d, c, f));
    if (!d->memory[f]) return false;
    int64_t first = before_row(c) - e->lo[1] * d->row - e->lo[2] * d->plane + f % 4 * line;
    d->field[f] = (char *)d->memory[f] + first * bytes_of(c->type);
    for (int k = 0; k < c->fields[f].components; k++)
#pragma omp parallel for schedule(static)
        for (int64_t z = e->lo[2]; z < e->hi[2]; z++)
            for (int64_t y = e->lo[1]; y < e->hi[1]; y++)
                for (int64_t x = e->lo[0]; x < e->hi[0]; x++)
                    set(d->field[f], c->type, x + y * d->row + z * d->plane + k * d->component,
                        bench_start(f, k, (int64_t[]){x, y, z}));
    return true;
}

bool bench_data_make(bench_data *d, const bench_case *c, const int64_t size[3])
{
    extent e = with_ghosts(c, size);
    int64_t line = 64 / bytes_of(c->type);
    *d = (bench_data){.n = {size[0], size[1], size[2]}};
    memcpy(d->number, c->numbers, sizeof d->number);
    d->row = padded(before_row(c) + e.hi[0], line);
    d->plane = padded((e.hi[1] - e.lo[1]) * d->row, line);
    d->component = padded((e.hi[2] - e.lo[2]) * d->plane, line);
    for (int f = 0; c->fields[f].components; f++)
        if (!make_field(d, c, f, &e)) return false;
    return true;
}

void bench_data_free(bench_data *d, const bench_case *c)
{
    for (int f = 0; c->fields[f].components; f++)
        bench_pages_free(d->memory[f], field_bytes(d, c, f));
}

double bench_data_differ(const bench_case *c, const bench_data *a, const bench_data *b)
{
    double difference = fabs(a->total - b->total), largest = fabs(a->total) + 1;
    for (int f = 0; c->fields[f].components; f++)
        for (int k = 0; c->fields[f].written && k < c->fields[f].components; k++)
            for (int64_t z = 0; z < a->n[2]; z++)
                for (int64_t y = 0; y < a->n[1]; y++)
                    for (int64_t x = 0; x < a->n[0]; x++) {
                        int64_t i = x + y * a->row + z * a->plane + k * a->component;
                        double one = get(a->field[f], c->type, i);
                        double other = get(b->field[f], c->type, i);
                        if (!(fabs(one - other) <= difference)) difference = fabs(one - other);
                        if (fabs(one) > largest) largest = fabs(one);
                    }
    return difference / largest;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Whether a field could be filled with its numbers, ghosts included. */
static bool fill(kata_field *field, const bench_case *c, int f, const int64_t size[3])
{
    extent e = with_ghosts(c, size);
    kata_mapping at;
    void *values;
    if (c->type == KATA_F64 ? kata_map(field, (double **)&values, &at)
                            : kata_map(field, (float **)&values, &at))
        return false;
    for (int k = 0; k < c->fields[f].components; k++)
#pragma omp parallel for schedule(static)
        for (int64_t z = e.lo[2]; z < e.hi[2]; z++)
            for (int64_t y = e.lo[1]; y < e.hi[1]; y++)
                for (int64_t x = e.lo[0]; x < e.hi[0]; x++)
                    set(values, c->type,
                        x * at.stride[0] + y * at.stride[1] + z * at.stride[2] +
                            k * at.component_stride,
                        bench_start(f, k, (int64_t[]){x, y, z}));
    return kata_unmap(field) == KATA_OK;
}

bool bench_program_make(bench_program *p, const bench_case *c, const int64_t size[3], int threads)
{
    *p = (bench_program){.c = c, .k = kata_open(&(kata_options){.threads = threads, .wait = true})};
    kata_module *module = kata_module_from_text(p->k, "kernels.kata", kernels_kata);
    kata_grid *grid = c->dimensions == 2 ? kata_grid_2d(p->k, size[0], size[1])
                                         : kata_grid_3d(p->k, size[0], size[1], size[2]);
    p->range = kata_all(grid);
    for (int s = 0; s < BENCH_STAGES && c->kernel[s]; s++)
        p->kernel[s] = kata_kernel_find(module, c->kernel[s]);
    for (int f = 0; c->fields[f].components && kata_ok(p->k); f++) {
        p->field[f] = kata_field_new(grid, c->fields[f].name, c->type,
                                     .components = c->fields[f].components, .ghosts = c->ghosts);
        if (kata_ok(p->k)) fill(p->field[f], c, f, size);
    }
    p->total = kata_scalar_new(p->k, "total", KATA_F64);
    return kata_ok(p->k);
}

void bench_program_free(bench_program *p) { kata_close(p->k); }

static void apply(bench_program *p, int stage)
{
    kata_arg arguments[BENCH_FIELDS + BENCH_NUMBERS];
    int count = 0, number = 0;
    for (const char *a = p->c->arguments[stage]; *a; a++)
        arguments[count++] = *a == 'n'   ? KATA_ARG(p->c->numbers[number++])
                             : *a == 't' ? KATA_ARG(p->total)
                                         : KATA_ARG(p->field[*a - '0']);
    kata_apply_args(p->kernel[stage], &p->range, count, arguments);
}

bool bench_program_run(bench_program *p, int64_t times)
{
    for (int64_t i = 0; i < times && kata_ok(p->k); i++)
        for (int s = 0; s < BENCH_STAGES && p->kernel[s]; s++) apply(p, s);
    return kata_flush(p->k) == KATA_OK;
}

bool bench_program_get(bench_program *p, bench_data *d)
{
    kata_mapping at;
    const void *values;
    for (int f = 0; p->c->fields[f].components; f++) {
        if (p->c->type == KATA_F64 ? kata_map(p->field[f], (const double **)&values, &at)
                                   : kata_map(p->field[f], (const float **)&values, &at))
            return false;
        for (int k = 0; k < p->c->fields[f].components; k++)
            for (int64_t z = 0; z < d->n[2]; z++)
                for (int64_t y = 0; y < d->n[1]; y++)
                    for (int64_t x = 0; x < d->n[0]; x++)
                        set(d->field[f], p->c->type,
                            x + y * d->row + z * d->plane + k * d->component,
                            get(values, p->c->type,
                                x * at.stride[0] + y * at.stride[1] + z * at.stride[2] +
                                    k * at.component_stride));
        kata_unmap(p->field[f]);
    }
    return kata_scalar_get(p->total, &d->total) == KATA_OK;
}
