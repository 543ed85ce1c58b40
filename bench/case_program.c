/* Katagami programs with the numbers of a case. */
#include "bench.h"
#include "kernels_kata.h"

#include <math.h>
#include <string.h>

static bool map(kata_field *field, kata_type type, void **values, kata_mapping *at)
{
    kata_status status = type == KATA_F64   ? kata_map(field, (double **)values, at)
                         : type == KATA_F32 ? kata_map(field, (float **)values, at)
                         : type == KATA_U8  ? kata_map(field, (uint8_t **)values, at)
                                            : kata_map(field, (int **)values, at);
    return status == KATA_OK;
}

/* The number that an element of a field begins with. */
static double start_of(const bench_case *c, int f, int component, const int64_t at[3],
                       const int64_t size[3])
{
    int64_t index[3] = {at[0], at[1], at[2]};
    bench_home(c, f, size, &component, index);
    return bench_start(c, f, component, index, size);
}

/* Whether a field could be filled with its numbers, ghosts included. */
static bool fill(bench_program *p, int f, const int64_t size[3])
{
    const bench_case *c = p->c;
    const kata_type type = bench_field_type(c, f);
    int64_t lo[3], hi[3];
    kata_mapping at;
    void *values;
    if (!map(p->field[f], type, &values, &at)) return false;
    bench_field_extent(c, f, size, lo, hi);
    for (int d = 0; c->rule != KATA_NONE && d < 3; d++) {
        hi[d] += lo[d];
        lo[d] = 0;
    }
    for (int k = 0; k < c->fields[f].components; k++)
#pragma omp parallel for schedule(static)
        for (int64_t z = lo[2]; z < hi[2]; z++)
            for (int64_t y = lo[1]; y < hi[1]; y++)
                for (int64_t x = lo[0]; x < hi[0]; x++)
                    bench_set(values, type,
                              x * at.stride[0] + y * at.stride[1] + z * at.stride[2] +
                                  k * at.component_stride,
                              start_of(c, f, k, (int64_t[]){x, y, z}, at.size));
    return kata_unmap(p->field[f]) == KATA_OK;
}

static bool make_field(bench_program *p, int f, const int64_t size[3])
{
    const bench_case *c = p->c;
    const bench_field *field = &c->fields[f];
    kata_grid *grid = field->kind == BENCH_COARSE ? p->coarse : p->grid;
    bool profile = field->kind == BENCH_PROFILE;
    p->field[f] =
        kata_field_new(grid, field->name, bench_field_type(c, f), .components = field->components,
                       .boundary = profile ? KATA_NONE : c->rule, .boundary_value = 1,
                       .ghosts = profile || c->rule != KATA_NONE ? 0 : c->ghosts,
                       .along = profile ? KATA_Z : 0, .temporary = field->kind == BENCH_TEMPORARY);
    return p->field[f] && (field->kind == BENCH_TEMPORARY || fill(p, f, size));
}

static kata_grid *make_grid(kata *k, int dimensions, const int64_t size[3], int ratio)
{
    return dimensions == 2 ? kata_grid_2d(k, size[0] / ratio, size[1] / ratio)
                           : kata_grid_3d(k, size[0] / ratio, size[1] / ratio, size[2] / ratio);
}

static bool has(const bench_case *c, bench_kind kind)
{
    for (int f = 0; c->fields[f].components; f++)
        if (c->fields[f].kind == kind) return true;
    return false;
}

bool bench_program_make(bench_program *p, const bench_case *c, const int64_t size[3], int threads)
{
    static const char *names[BENCH_TOTALS] = {"total", "total_2", "total_3"};
    *p = (bench_program){.c = c, .k = kata_open(&(kata_options){.threads = threads, .wait = true})};
    kata_module *module = kata_module_from_text(p->k, "kernels.kata", kernels_kata);
    for (int s = 0; s < BENCH_STAGES && c->stages[s].kernel; s++)
        p->kernel[s] = kata_kernel_find(module, c->stages[s].kernel);
    p->grid = make_grid(p->k, c->dimensions, size, 1);
    if (has(c, BENCH_COARSE)) p->coarse = make_grid(p->k, c->dimensions, size, 2);
    for (int i = 0; i < BENCH_TOTALS; i++) p->total[i] = kata_scalar_new(p->k, names[i], KATA_F64);
    for (int i = 0; i < c->table; i++) p->table[i] = 0.05 + 0.1 * i / c->table;
    for (int f = 0; c->fields[f].components && kata_ok(p->k); f++) make_field(p, f, size);
    return kata_ok(p->k);
}

void bench_program_free(bench_program *p)
{
    if (p->k) kata_close(p->k);
}

/* ---- running --------------------------------------------------------------------------------- */

static kata_range range_of(const bench_program *p, bench_points on)
{
    if (on == BENCH_PARENTS) return kata_all(p->coarse);
    if (on == BENCH_NEEDED) return kata_needed(p->grid);
    kata_range all = kata_all(p->grid);
    return on == BENCH_ALL ? all : kata_color(all, 2, on == BENCH_BLACK);
}

/* `total` counts the totals of the step. */
static void apply(bench_program *p, int stage, int *total)
{
    const bench_stage *s = &p->c->stages[stage];
    kata_arg arguments[BENCH_FIELDS + BENCH_NUMBERS];
    int count = 0, number = 0;
    for (const char *a = s->arguments; *a; a++)
        arguments[count++] = *a == 'n'   ? KATA_ARG(p->c->numbers[number++])
                             : *a == 't' ? KATA_ARG(p->total[(*total)++])
                             : *a == 'w' ? kata_table_of(KATA_F64, p->table, p->c->table)
                                         : KATA_ARG(p->field[*a - '0']);
    kata_range range = range_of(p, s->on);
    kata_apply_args(p->kernel[stage], &range, count, arguments);
}

static void step(bench_program *p, bool swapped)
{
    int total = 0;
    for (int s = 0; s < BENCH_STAGES && p->kernel[s]; s++) apply(p, s, &total);
    if (has(p->c, BENCH_TEMPORARY)) kata_step(p->k);
    for (const char *s = p->c->swaps; swapped && s && *s; s += 2)
        kata_swap(p->field[s[0] - '0'], p->field[s[1] - '0']);
}

bool bench_program_run(bench_program *p, int64_t steps, bool swapped)
{
    for (int64_t i = 0; i < steps && kata_ok(p->k); i++) step(p, swapped);
    return kata_flush(p->k) == KATA_OK;
}

/* ---- results --------------------------------------------------------------------------------- */

static void get_field(const bench_case *c, int f, const void *values, const kata_mapping *at,
                      bench_data *d)
{
    const kata_type type = bench_field_type(c, f);
    const bool coarse = c->fields[f].kind == BENCH_COARSE;
    const int64_t row = coarse ? d->coarse.row : d->row;
    const int64_t plane = coarse ? d->coarse.plane : d->plane;
    const int64_t component = coarse ? d->coarse.component : d->component;
    for (int k = 0; k < c->fields[f].components; k++)
        for (int64_t z = 0; z < at->size[2]; z++)
            for (int64_t y = 0; y < at->size[1]; y++)
                for (int64_t x = 0; x < at->size[0]; x++) {
                    int64_t home[3] = {x, y, z};
                    int of = k;
                    bench_home(c, f, at->size, &of, home);
                    bench_set(d->field[f], type,
                              home[0] + home[1] * row + home[2] * plane + of * component,
                              bench_get(values, type,
                                        x * at->stride[0] + y * at->stride[1] + z * at->stride[2] +
                                            k * at->component_stride));
                }
}

bool bench_program_get(bench_program *p, bench_data *d)
{
    for (int f = 0; p->c->fields[f].components; f++) {
        kata_mapping at;
        void *values;
        bench_kind kind = p->c->fields[f].kind;
        if (kind == BENCH_PROFILE || kind == BENCH_TEMPORARY) continue;
        if (!map(p->field[f], bench_field_type(p->c, f), &values, &at)) return false;
        get_field(p->c, f, values, &at, d);
        kata_unmap(p->field[f]);
    }
    for (int i = 0; i < BENCH_TOTALS; i++) kata_scalar_get(p->total[i], &d->total[i]);
    return kata_ok(p->k);
}
