/* kata apply: a kernel on files of data, without a program. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the options say. */
typedef struct request {
    option_words words;
    int64_t steps, inner;
    const char *swap, *boundary, *size, *types, *staggered;
} request;

/* ---- grid ------------------------------------------------------------------------------------ */

/* "64x32": up to three sizes. */
static bool read_size(const apply *a, const char *word, kata_shape *shape)
{
    char *end = (char *)word;
    *shape = (kata_shape){.size = {1, 1, 1}};
    while (shape->rank < 3) {
        const char *start = end;
        long long n = strtoll(start, &end, 10);
        if (end == start || n < 1) break;
        shape->size[shape->rank++] = n;
        if (!*end) return true;
        if (*end++ != 'x') break;
    }
    options_wrong(a->o, "--size takes NX, NXxNY or NXxNYxNZ, not '%s'", word);
    return false;
}

/* From the shape of the grid to that of a parameter's fields, or back. A coarser field that none
 * can be is refused when the kernel is applied. */
static void scale(kata_shape *shape, const int times[3], const int by[3])
{
    for (int d = 0; d < shape->rank; d++) shape->size[d] = shape->size[d] * times[d] / by[d];
    for (int d = 0; d < shape->rank; d++)
        if (shape->size[d] < 1) shape->size[d] = 1;
}

/* From the points of a field to the cells along its dimensions. Sides that are periodic share a
 * face. */
static bool take_cells(const apply *a, const apply_param *p, kata_shape *shape)
{
    for (int d = 0; d < shape->rank; d++) {
        if (!(p->staggered >> d & 1) || p->rule == KATA_PERIODIC) continue;
        if (--shape->size[d] >= 1) continue;
        options_wrong(a->o, "%s has one point along %c, and a staggered field two at least",
                      p->input, "xyz"[d]);
        return false;
    }
    return true;
}

static bool divides(const apply *a, const apply_param *p, const kata_shape *shape)
{
    for (int d = 0; d < shape->rank; d++) {
        if (shape->size[d] % p->param.finer[d] == 0) continue;
        options_wrong(
            a->o, "%s has %lld points along %c, which the ratio %d of '%s' does not divide",
            p->input, (long long)shape->size[d], "xyz"[d], p -> param.finer[d], p->param.name);
        return false;
    }
    return true;
}

/* The shape of the grid: what the first input that extends along all dimensions lies on, or the
 * size given. */
static bool find_shape(const apply *a, const char *size, kata_shape *shape)
{
    const apply_param *first = NULL;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->params[i].input && !a->params[i].param.along) first = &a->params[i];
    if (!first && !size) {
        options_wrong(a->o, "no field is read from a file; say how many points: --size NXxNY");
        return false;
    }
    if (first && size) {
        options_wrong(a->o, "--size is for kernels without input; %s has a size", first->input);
        return false;
    }
    if (!first) return read_size(a, size, shape);
    if (kata_file_shape(a->k, first->input, first->param.count, shape) != KATA_OK) return false;
    if (!take_cells(a, first, shape) || !divides(a, first, shape)) return false;
    scale(shape, first->param.coarser, first->param.finer);
    return true;
}

static kata_grid *make_grid(const apply *a, const kata_shape *shape)
{
    const int64_t *n = shape->size;
    return shape->rank == 1   ? kata_grid_1d(a->k, n[0])
           : shape->rank == 2 ? kata_grid_2d(a->k, n[0], n[1])
                              : kata_grid_3d(a->k, n[0], n[1], n[2]);
}

/* ---- fields and arguments -------------------------------------------------------------------- */

/* The grid of a parameter's fields. */
static kata_grid *grid_of(const apply *a, const apply_param *p, kata_grid *grid,
                          const kata_shape *shape)
{
    kata_shape own = *shape;
    scale(&own, p->param.finer, p->param.coarser);
    return memcmp(own.size, shape->size, sizeof own.size) ? make_grid(a, &own) : grid;
}

static void make_argument(const apply *a, apply_param *p, kata_grid *grid)
{
    if (apply_is_field(p)) {
        p->field = kata_field_new(grid, p->param.name, p->stored, .components = p->param.count,
                                  .boundary = p->rule, .boundary_value = p->rule_value,
                                  .staggered = p->staggered, .along = p->param.along);
        if (p->input) kata_load(p->field, p->input);
        p->arg = kata_arg_field(p->field, 0);
    } else if (apply_is_reduction(p)) {
        p->scalar = kata_scalar_array_new(a->k, p->param.name, p->param.type, p->param.count);
        p->arg = kata_arg_scalar(p->scalar, 0);
    }
}

/* ---- exchanging ------------------------------------------------------------------------------ */

/* The only field of a kind; NULL when there are none or several. */
static apply_param *only(const apply *a, kata_param_kind kind)
{
    apply_param *found = NULL;
    for (int i = 0; i < a->count; i++) {
        if (a->params[i].param.kind != kind) continue;
        if (found) return NULL;
        found = &a->params[i];
    }
    return found;
}

/* "u,v" */
static bool read_swap(const apply *a, const char *words, apply_param *pair[2])
{
    const char *comma = strchr(words, ',');
    if (!comma) {
        options_wrong(a->o, "--swap takes two fields, as in u,v, not '%s'", words);
        return false;
    }
    pair[0] = apply_find(a, words, (size_t)(comma - words));
    pair[1] = pair[0] ? apply_find(a, comma + 1, strlen(comma + 1)) : NULL;
    if (!pair[1]) return false;
    if (apply_is_field(pair[0]) && apply_is_field(pair[1])) return true;
    options_wrong(a->o, "--swap takes two fields, and one of '%s' is none", words);
    return false;
}

/* The fields to exchange after each step; none (NULL) where a kernel changes its fields in place.
 */
static bool find_swap(const apply *a, const request *r, apply_param *pair[2])
{
    pair[0] = pair[1] = NULL;
    if (r->swap) return read_swap(a, r->swap, pair);
    apply_param *in = only(a, KATA_PARAM_IN), *out = only(a, KATA_PARAM_OUT);
    bool any_out = false;
    for (int i = 0; i < a->count; i++) any_out |= a->params[i].param.kind == KATA_PARAM_OUT;
    if (r->steps == 1 || !any_out) return true;
    if (in && out && in->param.type == out->param.type && in->param.count == out->param.count) {
        pair[0] = in;
        pair[1] = out;
        return true;
    }
    options_wrong(a->o, "which fields are exchanged after each step? say so: --swap IN,OUT");
    return false;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* Whether the last face along a dimension is computed: all fields that are written have it or,
 * where none is, all. */
static bool ends_with_faces(const apply *a, int d)
{
    bool any = false, written = false;
    for (int i = 0; i < a->count; i++) written |= apply_is_written(&a->params[i]);
    for (int i = 0; i < a->count; i++) {
        const apply_param *p = &a->params[i];
        if (!apply_is_field(p) || (written && !apply_is_written(p))) continue;
        bool same_grid = p->param.finer[d] == 1 && p->param.coarser[d] == 1;
        if (!same_grid || !(p->staggered >> d & 1) || p->rule == KATA_PERIODIC) return false;
        any = true;
    }
    return any;
}

/* The points that the kernel is applied to: of dimensions that a field lacks which it writes, the
 * first index. */
static kata_range range_of(const apply *a, const request *r, kata_grid *grid)
{
    kata_range range = kata_inner(grid, r->inner);
    for (int d = 0; d < range.rank; d++) range.hi[d] += ends_with_faces(a, d);
    for (int i = 0; i < a->count; i++) {
        const kata_param *p = &a->params[i].param;
        if (!apply_is_written(&a->params[i]) || !p->along) continue;
        for (int d = 0; d < range.rank; d++) {
            if (p->along >> d & 1) continue;
            range.lo[d] = 0;
            range.hi[d] = 1;
        }
    }
    return range;
}

static void run_steps(const apply *a, const request *r, kata_grid *grid, apply_param *pair[2])
{
    kata_arg *args = calloc((size_t)a->count + 1, sizeof *args);
    kata_range range = range_of(a, r, grid);
    for (int i = 0; args && i < a->count; i++) args[i] = a->params[i].arg;
    for (int64_t step = 0; args && step < r->steps && kata_ok(a->k); step++) {
        if (step > 0 && pair[0]) kata_swap(pair[0]->field, pair[1]->field);
        kata_apply_args(a->kernel, &range, a->count, args);
        kata_step(a->k);
    }
    kata_flush(a->k); /* also where nothing is asked for */
    free(args);
}

static void show_results(const apply *a)
{
    for (int i = 0; i < a->count; i++)
        if (apply_is_reduction(&a->params[i])) apply_print(&a->params[i]);
    for (int i = 0; i < a->count; i++)
        if (a->params[i].output) kata_save(a->params[i].field, a->params[i].output);
}

/* Returns the exit code. */
static int run(apply *a, const request *r)
{
    kata_shape shape;
    apply_param *pair[2];
    if (!apply_read_words(a, r->words.words + 2, r->words.count - 2) || !find_swap(a, r, pair) ||
        (r->boundary && !apply_read_rules(a, r->boundary)) ||
        (r->types && !apply_read_types(a, r->types)) ||
        (r->staggered && !apply_read_staggered(a, r->staggered)) || !find_shape(a, r->size, &shape))
        return kata_ok(a->k) ? EXIT_USAGE : 1;
    kata_grid *grid = make_grid(a, &shape);
    for (int i = 0; i < a->count && kata_ok(a->k); i++)
        make_argument(a, &a->params[i], grid_of(a, &a->params[i], grid, &shape));
    run_steps(a, r, grid, pair);
    if (kata_error(a->k) == KATA_ERROR_APPLICATION)
        fprintf(stderr,
                "kata apply: boundary rules are given with --boundary, ranges with --inner\n");
    show_results(a);
    return kata_ok(a->k) ? 0 : 1;
}

static bool find_params(apply *a)
{
    a->count = kata_kernel_params(a->kernel);
    a->params = calloc((size_t)a->count + 1, sizeof *a->params);
    for (int i = 0; a->params && i < a->count; i++) {
        kata_kernel_param(a->kernel, i, &a->params[i].param);
        a->params[i].stored = a->params[i].param.type;
    }
    return a->params != NULL;
}

static int open_and_run(const options *o, const request *r)
{
    apply a = {.o = o, .k = kata_open(NULL)};
    kata_module *m = a.k ? kata_module_load(a.k, r->words.words[0]) : NULL;
    a.kernel = m ? kata_kernel_find(m, r->words.words[1]) : NULL;
    int exit_code = a.kernel && find_params(&a) ? run(&a, r) : 1;
    for (int i = 0; a.params && i < a.count; i++) free(a.params[i].table);
    free(a.params);
    if (a.k && kata_close(a.k) && !exit_code) exit_code = 1;
    return exit_code;
}

int verb_apply(int argc, char **argv)
{
    request r = {.steps = 1};
    const option table[] = {
        {"FILE.kata KERNEL NAME=VALUE", "what to run, and a value for each parameter",
         .list = &r.words, .positional = true},
        {"steps", "how often the kernel is applied", .integer = &r.steps, .low = 1, .high = 1e15},
        {"swap", "fields exchanged after each step", .text = &r.swap, .placeholder = "U,V",
         .otherwise = "the in and the out field where there is one of each"},
        {"boundary", "RULE or RULE:VALUE for all fields, or FIELD=RULE, by commas",
         .text = &r.boundary, .placeholder = "RULES", .otherwise = "none"},
        {"inner", "leave out this many points at each side", .integer = &r.inner, .low = 0,
         .high = 1e15},
        {"size", "points, where no field is read from a file", .text = &r.size,
         .placeholder = "NXxNYxNZ"},
        {"staggered", "dimensions along which fields have faces, as xy, or FIELD=xy, by commas",
         .text = &r.staggered, .placeholder = "DIMENSIONS", .otherwise = "none"},
        {"type", "TYPE in which fields are stored, or FIELD=TYPE, by commas", .text = &r.types,
         .placeholder = "TYPES", .otherwise = "that of the kernel's parameter"},
    };
    const options o = {
        "kata apply",
        "Runs a kernel on files of data. Fields are files: u=in.npy is read, of an out field\n"
        "v=out.png is written, of an inout field w=in.npy,out.npy is both (either may be missing:\n"
        "w=,out.npy starts at zero). Read are .npy, .png, .vtkhdf and FILE.h5:/DATASET; written\n"
        ".npy, .png and .vtkhdf. Numbers are c=0.1, tables w=1,2,1. Reductions are printed.\n"
        "Where a kernel writes a field of lower rank, it runs on the first index (0) of each\n"
        "dimension which that lacks; where all that it writes is staggered, at all faces.\n"
        "Types are f64, f32, f16, bf16, i64, i32, u8 and unorm8 (a byte for 0 to 1).\n",
        table, COUNT_OF(table)};
    int exit_code;
    if (!options_read(&o, argc, argv, &exit_code)) return exit_code;
    if (r.words.count < 2)
        return options_wrong(&o, "name a kernel file and a kernel; kata check shows what is there");
    return open_and_run(&o, &r);
}
