/* Arrays with the numbers of a case. */
#include "bench.h"
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

/* ---- numbers --------------------------------------------------------------------------------- */

static int64_t bytes_of(kata_type type) { return type == KATA_F64 ? 8 : type == KATA_U8 ? 1 : 4; }

kata_type bench_field_type(const bench_case *c, int field)
{
    bench_kind kind = c->fields[field].kind;
    return kind == BENCH_INDEX ? KATA_I32 : kind == BENCH_MASK ? KATA_U8 : c->type;
}

/* Whether a point lies in a ball in the middle. */
static bool is_solid(const int64_t index[3], const int64_t size[3])
{
    double distance = 0, radius = 0.2 * (double)size[0] + 1;
    for (int d = 0; d < 3; d++) {
        double from = (double)index[d] - 0.5 * (double)(size[d] - 1);
        distance += from * from;
    }
    return distance < radius * radius;
}

double bench_start(const bench_case *c, int field, int component, const int64_t index[3],
                   const int64_t size[3])
{
    const bench_field *f = &c->fields[field];
    int64_t i = index[0] * 7 + index[1] * 13 + index[2] * 29 + component * 5 + field * 3;
    if (f->kind == BENCH_MASK) return is_solid(index, size);
    if (f->kind == BENCH_INDEX) return (double)((i * i + 131 * i) % 1021 * 7 % c->table);
    bool inside = true;
    for (int d = 0; d < c->dimensions; d++) inside &= index[d] >= 0 && index[d] < size[d];
    if (c->rule != KATA_NONE && !inside) return 1;
    double value = 1 + (double)(i % 31 - 15) / 256 + (double)(index[0] % 3) / 1024;
    return f->scale != 0 ? f->scale * value : value;
}

void bench_home(const bench_case *c, int field, const int64_t size[3], int *component,
                int64_t index[3])
{
    static const int velocity[9][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0}, {1, -1, 0},
                                       {1, 0, 1}, {1, 0, -1}, {0, 1, 1}, {0, 1, -1}};
    int k = *component;
    if (c->fields[field].kind != BENCH_ESOTERIC || k == 0) return;
    *component = k % 2 ? k + 1 : k - 1;
    for (int d = 0; d < 3 && k % 2 == 0; d++)
        index[d] = (index[d] - velocity[k / 2 - 1][d] + size[d]) % size[d];
}

void bench_set(void *array, kata_type type, int64_t at, double value)
{
    if (type == KATA_F64)
        ((double *)array)[at] = value;
    else if (type == KATA_F32)
        ((float *)array)[at] = (float)value;
    else if (type == KATA_U8)
        ((uint8_t *)array)[at] = (uint8_t)value;
    else
        ((int *)array)[at] = (int)value;
}

double bench_get(const void *array, kata_type type, int64_t at)
{
    if (type == KATA_F64) return ((const double *)array)[at];
    if (type == KATA_F32) return (double)((const float *)array)[at];
    if (type == KATA_U8) return ((const uint8_t *)array)[at];
    return ((const int *)array)[at];
}

/* ---- layout ---------------------------------------------------------------------------------- */

static void field_size(const bench_case *c, int field, const int64_t size[3], int64_t n[3])
{
    bench_kind kind = c->fields[field].kind;
    for (int d = 0; d < 3; d++)
        n[d] = kind == BENCH_COARSE && size[d] > 1 ? size[d] / 2
               : kind == BENCH_PROFILE && d < 2    ? 1
                                                   : size[d];
}

void bench_field_extent(const bench_case *c, int field, const int64_t size[3], int64_t lo[3],
                        int64_t hi[3])
{
    field_size(c, field, size, hi);
    for (int d = 0; d < 3; d++) {
        int64_t ghosts =
            d < c->dimensions && c->fields[field].kind != BENCH_PROFILE ? c->ghosts : 0;
        lo[d] = -ghosts;
        hi[d] += ghosts;
    }
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

static bench_layout layout_of(const bench_case *c, const int64_t n[3])
{
    int64_t line = 64 / bytes_of(c->type), ghosts[3] = {0};
    for (int d = 0; d < c->dimensions; d++) ghosts[d] = c->ghosts;
    bench_layout l = {.n = {n[0], n[1], n[2]}};
    l.row = padded(before_row(c) + n[0] + ghosts[0], line);
    l.plane = padded((n[1] + 2 * ghosts[1]) * l.row, line);
    l.component = padded((n[2] + 2 * ghosts[2]) * l.plane, line);
    return l;
}

static bench_layout field_layout(const bench_data *d, const bench_case *c, int f)
{
    if (c->fields[f].kind == BENCH_COARSE) return d->coarse;
    if (c->fields[f].kind == BENCH_PROFILE)
        return (bench_layout){{1, 1, d->n[2]}, 0, 1, d->n[2] + 64};
    return (bench_layout){{d->n[0], d->n[1], d->n[2]}, d->row, d->plane, d->component};
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static bool make_field(bench_data *d, const bench_case *c, int f)
{
    const kata_type type = bench_field_type(c, f);
    const int64_t line = 64 / bytes_of(c->type);
    const bench_layout l = field_layout(d, c, f);
    int64_t lo[3], hi[3];
    bench_field_extent(c, f, d->n, lo, hi);
    /* A few lines more shift fields against one another. */
    d->bytes[f] = (size_t)((c->fields[f].components * l.component + 8 * line) * bytes_of(type));
    d->memory[f] = bench_pages(d->bytes[f]);
    if (!d->memory[f]) return false;
    int64_t first = before_row(c) - lo[1] * l.row - lo[2] * l.plane + f % 4 * line;
    d->field[f] = (char *)d->memory[f] + first * bytes_of(type);
    for (int k = 0; k < c->fields[f].components; k++)
#pragma omp parallel for schedule(static)
        for (int64_t z = lo[2]; z < hi[2]; z++)
            for (int64_t y = lo[1]; y < hi[1]; y++)
                for (int64_t x = lo[0]; x < hi[0]; x++)
                    bench_set(d->field[f], type, x + y * l.row + z * l.plane + k * l.component,
                              bench_start(c, f, k, (int64_t[]){x, y, z}, l.n));
    return true;
}

bool bench_data_make(bench_data *d, const bench_case *c, const int64_t size[3])
{
    bench_layout l = layout_of(c, size);
    int64_t half[3];
    for (int i = 0; i < 3; i++) half[i] = size[i] > 1 ? size[i] / 2 : 1;
    *d = (bench_data){.n = {size[0], size[1], size[2]},
                      .row = l.row,
                      .plane = l.plane,
                      .component = l.component,
                      .coarse = layout_of(c, half)};
    memcpy(d->number, c->numbers, sizeof d->number);
    for (int i = 0; i < c->table; i++) d->table[i] = 0.05 + 0.1 * i / c->table;
    for (int f = 0; c->fields[f].components; f++)
        if (!make_field(d, c, f)) return false;
    return true;
}

void bench_data_free(bench_data *d)
{
    for (int f = 0; f < BENCH_FIELDS; f++) bench_pages_free(d->memory[f], d->bytes[f]);
}

void bench_data_swap(bench_data *d, const bench_case *c)
{
    for (const char *s = c->swaps; s && *s; s += 2) bench_swap(d, s[0] - '0', s[1] - '0');
}

/* ---- comparison ------------------------------------------------------------------------------ */

typedef struct difference {
    double most, largest;
} difference;

static void differ(difference *d, double one, double other)
{
    double apart = fabs(one - other);
    if (!(apart <= d->most)) d->most = isnan(apart) ? INFINITY : apart;
    if (fabs(one) > d->largest) d->largest = fabs(one);
}

static void differ_row(difference *d, const void *a, const void *b, kata_type type, int64_t at,
                       int64_t n)
{
    for (int64_t x = 0; x < n; x++)
        differ(d, bench_get(a, type, at + x), bench_get(b, type, at + x));
}

double bench_data_differ(const bench_case *c, const bench_data *a, const bench_data *b)
{
    difference fields = {0}, totals = {0, 1};
    for (int i = 0; i < BENCH_TOTALS; i++) differ(&totals, a->total[i], b->total[i]);
    for (int f = 0; c->fields[f].components; f++) {
        if (c->fields[f].kind == BENCH_TEMPORARY) continue;
        const bench_layout l = field_layout(a, c, f);
        for (int k = 0; k < c->fields[f].components; k++)
            for (int64_t z = 0; z < l.n[2]; z++)
                for (int64_t y = 0; y < l.n[1]; y++)
                    differ_row(&fields, a->field[f], b->field[f], bench_field_type(c, f),
                               y * l.row + z * l.plane + k * l.component, l.n[0]);
    }
    double of_fields = fields.most / (fields.largest > 0 ? fields.largest : 1);
    double of_totals = totals.most / totals.largest;
    return of_fields > of_totals ? of_fields : of_totals;
}
