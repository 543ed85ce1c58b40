/* The hydrodynamics of plain/hydrodynamics.c in Katagami: a dense, hot corner in a thin gas. */
#include "bench.h"
#include "kernels_kata.h"
#include "lines.h"
#include "plain/hydrodynamics.h"

#include <math.h>
#include <stdlib.h>

enum {
#define NUMBER(name) name##_,
    HYDRO_FIELDS(NUMBER) FIELDS
#undef NUMBER
};

typedef struct program {
    kata *k;
    kata_grid *grid;
    kata_kernel *gas, *viscosity, *time_step, *compress_half, *accelerate, *compress;
    kata_kernel *volume_flux_x, *volume_flux_y, *donor_x, *donor_y, *remap_x, *remap_y, *carry;
    kata_field *fields[FIELDS];
    kata_scalar *dt;
    hydro plain;
    double *memory;
} program;

/* ---- a step ---------------------------------------------------------------------------------- */

static kata_range range(const program *p, int64_t x, int64_t y)
{
    return kata_box_2d(p->grid, x, p->plain.nx - 2, y, p->plain.ny - 2);
}

static void lagrangian(const program *p, kata_field *const *f)
{
    const kata_range cells = range(p, 2, 2);
    kata_apply(p->gas, cells, f[rho0_], f[e0_], f[p_], f[c_]);
    kata_apply(p->viscosity, cells, f[rho0_], f[u0_], f[v0_], f[q_]);
    kata_apply(p->time_step, cells, f[rho0_], f[c_], f[q_], f[u0_], f[v0_], p->dt);
    kata_apply(p->compress_half, cells, f[rho0_], f[e0_], f[p_], f[q_], f[u0_], f[v0_], f[rho1_],
               f[e1_], p->dt);
    kata_apply(p->gas, cells, f[rho1_], f[e1_], f[p_], f[c_]);
    kata_apply(p->accelerate, range(p, 3, 3), f[rho0_], f[p_], f[q_], f[u0_], f[v0_], f[u1_],
               f[v1_], p->dt);
    kata_apply(p->compress, cells, f[rho0_], f[e0_], f[p_], f[q_], f[u0_], f[v0_], f[u1_], f[v1_],
               f[rho1_], f[e1_], p->dt);
}

static void remap(const program *p, kata_field *const *f)
{
    const kata_range cells = range(p, 2, 2), across_x = range(p, 3, 2), across_y = range(p, 2, 3);
    kata_apply(p->volume_flux_x, across_x, f[u0_], f[u1_], f[fx_], p->dt);
    kata_apply(p->volume_flux_y, across_y, f[v0_], f[v1_], f[fy_], p->dt);
    kata_apply(p->donor_x, across_x, f[fx_], f[rho1_], f[e1_], f[mass_x_], f[heat_x_]);
    kata_apply(p->remap_x, cells, f[fx_], f[fy_], f[mass_x_], f[heat_x_], f[rho1_], f[e1_]);
    kata_apply(p->donor_y, across_y, f[fy_], f[rho1_], f[e1_], f[mass_y_], f[heat_y_]);
    kata_apply(p->remap_y, cells, f[fy_], f[mass_y_], f[heat_y_], f[rho1_], f[e1_]);
    kata_apply(p->carry, range(p, 3, 3), f[mass_x_], f[mass_y_], f[rho1_], f[u1_], f[v1_], f[u0_],
               f[v0_]);
}

static void run(void *program_, int who, int64_t steps, bool each)
{
    program *p = program_;
    for (int64_t i = 0; i < steps; i++) {
        if (who == BENCH_PLAIN) {
            plain_hydro_step(&p->plain);
            continue;
        }
        lagrangian(p, p->fields);
        remap(p, p->fields);
        kata_swap(p->fields[rho0_], p->fields[rho1_]);
        kata_swap(p->fields[e0_], p->fields[e1_]);
        if (each) kata_flush(p->k);
    }
    if (who == BENCH_KATA) kata_flush(p->k);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static double start_of(int field, const hydro *h, int64_t x, int64_t y)
{
    const bool corner = x < h->nx / 2 && y < h->ny / 5;
    if (field == rho0_ || field == rho1_) return corner ? 1 : 0.2;
    if (field == e0_ || field == e1_) return corner ? 2.5 : 1;
    return 0;
}

static bool make_field(program *p, int field, const char *name, int staggered, double *plain)
{
    kata_field *f = kata_field_new(p->grid, name, KATA_F64, .staggered = staggered);
    double *values;
    kata_mapping at;
    p->fields[field] = f;
    if (kata_map(f, &values, &at)) return false;
    for (int64_t y = 0; y < at.size[1]; y++)
        for (int64_t x = 0; x < at.size[0]; x++)
            values[x * at.stride[0] + y * at.stride[1]] = plain[x + y * p->plain.row] =
                start_of(field, &p->plain, x, y);
    return kata_unmap(f) == KATA_OK;
}

static int staggered_of(int field)
{
    return field >= fy_ ? KATA_Y : field >= fx_ ? KATA_X : field >= u0_ ? KATA_X | KATA_Y : 0;
}

static bool make_fields(program *p)
{
    static const char *const names[] = {
#define NAME(name) #name,
        HYDRO_FIELDS(NAME)
#undef NAME
    };
    hydro *h = &p->plain;
    double **const plain[] = {
#define MEMBER(name) &h->name,
        HYDRO_FIELDS(MEMBER)
#undef MEMBER
    };
    h->row = (h->nx + 1 + 7) / 8 * 8;
    const int64_t each = (h->ny + 1) * h->row + 72;
    p->memory = bench_pages((size_t)(FIELDS * each) * sizeof *p->memory);
    bool good = p->memory;
    for (int f = 0; f < FIELDS && good; f++) {
        *plain[f] = p->memory + f * each;
        good = make_field(p, f, names[f], staggered_of(f), *plain[f]);
    }
    return good;
}

static void end(void *program_)
{
    program *p = program_;
    if (!p) return;
    kata_close(p->k);
    const int64_t each = (p->plain.ny + 1) * p->plain.row + 72;
    bench_pages_free(p->memory, (size_t)(FIELDS * each) * sizeof *p->memory);
    free(p);
}

static void find_kernels(program *p)
{
    kata_module *m = kata_module_from_text(p->k, "kernels.kata", kernels_kata);
#define FIND(name) p->name = kata_kernel_find(m, #name)
    FIND(gas), FIND(viscosity), FIND(time_step), FIND(compress_half), FIND(accelerate);
    FIND(compress), FIND(volume_flux_x), FIND(volume_flux_y), FIND(donor_x), FIND(donor_y);
    FIND(remap_x), FIND(remap_y), FIND(carry);
#undef FIND
}

static void *make(const int64_t size[3], int threads)
{
    program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->plain.nx = size[0];
    p->plain.ny = size[1];
    p->k = kata_open(&(kata_options){.threads = threads, .wait = true});
    p->grid = kata_grid_2d(p->k, size[0], size[1]);
    p->dt = kata_scalar_new(p->k, "dt", KATA_F64);
    find_kernels(p);
    if (kata_ok(p->k) && make_fields(p)) return p;
    end(p);
    return NULL;
}

/* After some steps of both. */
static double differ(void *program_)
{
    enum { STEPS = 10 };
    program *p = program_;
    double most = 0, largest = 0;
    const double *values;
    kata_mapping at;
    run(p, BENCH_PLAIN, STEPS, false);
    run(p, BENCH_KATA, STEPS, false);
    const int compared[] = {rho0_, e0_, u0_, v0_};
    double *const plain[] = {p->plain.rho0, p->plain.e0, p->plain.u0, p->plain.v0};
    for (int f = 0; f < 4; f++) {
        if (kata_map(p->fields[compared[f]], &values, &at)) return INFINITY;
        for (int64_t y = 0; y < at.size[1]; y++)
            for (int64_t x = 0; x < at.size[0]; x++) {
                const double one = values[x * at.stride[0] + y * at.stride[1]];
                const double other = plain[f][x + y * p->plain.row];
                if (!(fabs(one - other) <= most)) most = fabs(one - other);
                if (fabs(one) > largest) largest = fabs(one);
            }
        kata_unmap(p->fields[compared[f]]);
    }
    return most / largest;
}

const bench_own bench_hydro = {.make = make, .free = end, .run = run, .differ = differ};
