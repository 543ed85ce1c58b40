/* kata apply: a kernel on files of data, without a program. */
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- fields and arguments -------------------------------------------------------------------- */

/* The grid of a parameter's fields. */
static kata_grid *grid_of(const apply *a, const apply_param *p, kata_grid *grid,
                          const kata_shape *shape)
{
    kata_shape own = *shape;
    apply_scale(&own, p->param.finer, p->param.coarser);
    return memcmp(own.size, shape->size, sizeof own.size) ? apply_make_grid(a, &own) : grid;
}

static void make_argument(const apply *a, apply_param *p, kata_grid *grid)
{
    if (apply_is_field(p)) {
        p->field = kata_field_new(grid, p->param.name, p->stored, .components = p->param.count,
                                  .boundary = p->rule, .boundary_value = p->rule_value,
                                  .staggered = p->staggered, .along = p->param.along);
        apply_set_linear(p, kata_all(grid).rank);
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

/* "u,v" or "u,v,w" */
static bool read_swap(const apply *a, const char *words, apply_param *fields[3])
{
    const char *word = words;
    int count = 0;
    for (; word && count < 3; count++) {
        size_t length = strcspn(word, ",");
        fields[count] = apply_find(a, word, length);
        if (!fields[count]) return false;
        if (!apply_is_field(fields[count])) {
            options_wrong(a->o, "--swap takes fields, and one of '%s' is none", words);
            return false;
        }
        word = word[length] ? word + length + 1 : NULL;
    }
    bool differ =
        fields[0] != fields[1] && (!fields[2] || fields[2] != fields[0]) && fields[2] != fields[1];
    if (count >= 2 && !word && differ) return true;
    options_wrong(a->o, "--swap takes two or three different fields, as in u,v, not '%s'", words);
    return false;
}

/* The fields to exchange after each step; none (NULL) where a kernel changes its fields in place.
 */
static bool find_swap(const apply *a, const apply_request *r, apply_param *swapped[3])
{
    memset(swapped, 0, 3 * sizeof(apply_param *));
    if (r->swap) return read_swap(a, r->swap, swapped);
    apply_param *in = only(a, KATA_PARAM_IN), *out = only(a, KATA_PARAM_OUT);
    bool any_out = false;
    for (int i = 0; i < a->count; i++) any_out |= a->params[i].param.kind == KATA_PARAM_OUT;
    if (r->steps == 1 || !any_out) return true;
    if (in && out && in->param.type == out->param.type && in->param.count == out->param.count) {
        swapped[0] = in;
        swapped[1] = out;
        return true;
    }
    options_wrong(a->o, "which fields are exchanged after each step? say so: --swap IN,OUT");
    return false;
}

/* Of three fields the first gets the values of the second, that the third's, and that the first's.
 */
static void exchange(apply_param *const swapped[3])
{
    if (swapped[2])
        kata_rotate(swapped[0]->field, swapped[1]->field, swapped[2]->field);
    else if (swapped[0])
        kata_swap(swapped[0]->field, swapped[1]->field);
}

/* ---- the work -------------------------------------------------------------------------------- */

/* The steps, and how many of them are queued before they are run. The library runs a queue when it
 * is long, which can take minutes: to show progress, a queue is run when it is worth a second. */
typedef struct stepping {
    progress shown;
    int64_t queued, most;
} stepping;

/* Not in files and pipes, where nobody looks, nor between lines that the library writes. */
static bool shows_progress(const apply_request *r)
{
    return !r->quiet && r->steps > 1 && isatty(STDERR_FILENO) && !getenv("KATA_EXPLAIN") &&
           !getenv("KATA_TRACE");
}

static void start_steps(stepping *s, const apply *a, const apply_request *r,
                        const kata_range *range)
{
    double points = (double)r->steps;
    for (int d = 0; d < range->rank; d++) points *= (double)(range->hi[d] - range->lo[d]);
    *s = (stepping){.most = 1};
    progress_start(&s->shown, a->k, kata_kernel_name(a->kernel), points, !shows_progress(r));
}

static void after_step(stepping *s, const apply *a)
{
    kata_step(a->k);
    if (s->shown.quiet || ++s->queued < s->most) return;
    double start = progress_clock();
    kata_flush(a->k);
    if (progress_clock() - start < 1) s->most *= 2;
    s->queued = 0;
    progress_show(&s->shown);
}

static void run_steps(const apply *a, const apply_request *r, kata_grid *grid,
                      apply_param *swapped[3])
{
    stepping s;
    kata_arg *args = calloc((size_t)a->count + 1, sizeof *args);
    kata_range range = apply_range(a, r->inner, grid);
    for (int i = 0; args && i < a->count; i++) args[i] = a->params[i].arg;
    start_steps(&s, a, r, &range);
    for (int64_t step = 0; args && step < r->steps && kata_ok(a->k); step++) {
        if (step > 0) exchange(swapped);
        kata_apply_args(a->kernel, &range, a->count, args);
        after_step(&s, a);
    }
    for (int i = 0; i < 3 && args; i++) /* nobody reads what the last step has read */
        if (swapped[i] && !swapped[i]->output && !apply_is_output(swapped[i]))
            kata_discard(swapped[i]->field);
    kata_flush(a->k); /* also where no result is asked for */
    progress_erase(&s.shown);
    free(args);
}

static void show_results(const apply *a)
{
    FILE *to = apply_results_to(a);
    for (int i = 0; i < a->count; i++)
        if (apply_is_reduction(&a->params[i])) apply_print(&a->params[i], to);
    apply_save(a);
}

/* Reads what the command line says of the parameters; false after a message. */
static bool read_request(apply *a, const apply_request *r, apply_param *swapped[3],
                         kata_shape *shape)
{
    return apply_read_words(a, r->words.words + 2, r->words.count - 2) &&
           find_swap(a, r, swapped) && (!r->boundary || apply_read_rules(a, r->boundary)) &&
           (!r->types || apply_read_types(a, r->types)) &&
           (!r->staggered || apply_read_staggered(a, r->staggered)) && apply_open_pipes(a) &&
           apply_find_shape(a, r->size, shape) &&
           apply_check_files(a, r->words.words[0], shape->rank, r->overwrite);
}

/* Returns the exit code. */
static int run(apply *a, const apply_request *r)
{
    kata_shape shape;
    apply_param *swapped[3];
    if (!read_request(a, r, swapped, &shape)) return kata_ok(a->k) ? EXIT_USAGE : EXIT_FAILURE;
    kata_grid *grid = apply_make_grid(a, &shape);
    for (int i = 0; i < a->count && kata_ok(a->k); i++)
        make_argument(a, &a->params[i], grid_of(a, &a->params[i], grid, &shape));
    run_steps(a, r, grid, swapped);
    if (kata_error(a->k) == KATA_ERROR_APPLICATION)
        fprintf(stderr,
                "kata apply: boundary rules are given with --boundary, ranges with --inner\n");
    show_results(a);
    return kata_ok(a->k) ? 0 : EXIT_FAILURE;
}

/* Whether the kernel is for grids that files can describe. */
static bool is_for_files(const apply *a)
{
    if (kata_kernel_on(a->kernel) == KATA_NOWHERE) return true;
    fprintf(stderr,
            "kata apply: kernel '%s' computes cells, edges or vertices, which arrays in files do "
            "not have\n  apply it in a program, to a grid made by kata_grid_icosahedral\n",
            kata_kernel_name(a->kernel));
    return false;
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

static int open_and_run(const apply_request *r)
{
    int exit_code;
    apply a = {.o = &apply_options, .k = options_open(&apply_options, &r->limit, &exit_code)};
    if (!a.k) return exit_code;
    kata_module *m = kata_module_load(a.k, r->words.words[0]);
    a.kernel = m ? kata_kernel_find(m, r->words.words[1]) : NULL;
    bool suits = a.kernel && is_for_files(&a);
    exit_code = suits && find_params(&a) ? run(&a, r) : EXIT_FAILURE;
    apply_close_pipes();
    for (int i = 0; a.params && i < a.count; i++) free(a.params[i].table);
    free(a.params);
    if (kata_close(a.k) && !exit_code) exit_code = EXIT_FAILURE;
    return exit_code;
}

/* ---- the command line ------------------------------------------------------------------------ */

static const apply_request defaults = {.steps = 1};

static const option table[] = {
    {"FILE.kata KERNEL NAME=VALUE", "the kernel to run, and a value for each parameter",
     OPTION_VALUE(apply_request, words), .positional = true},
    {"steps", "how often the kernel is applied", OPTION_VALUE(apply_request, steps), .low = 1,
     .high = 1e15},
    {"swap", "fields exchanged after each step; of U,V,W, U gets V, V gets W, W gets U",
     OPTION_VALUE(apply_request, swap), .placeholder = "FIELDS",
     .otherwise = "the in and the out field where there is one of each"},
    {"boundary", "RULE or RULE:VALUE for all fields, or FIELD=RULE, by commas",
     OPTION_VALUE(apply_request, boundary), .placeholder = "RULES", .otherwise = "none",
     .choices = apply_rule_names},
    {"inner", "leave out this many points at each side", OPTION_VALUE(apply_request, inner),
     .low = 0, .high = 1e15},
    {"size", "points, where no field is read from a file", OPTION_VALUE(apply_request, size),
     .placeholder = "NXxNYxNZ"},
    {"staggered", "dimensions along which fields have faces, as xy, or FIELD=xy, by commas",
     OPTION_VALUE(apply_request, staggered), .placeholder = "DIMENSIONS", .otherwise = "none"},
    {"type", "TYPE in which fields are stored, or FIELD=TYPE, by commas",
     OPTION_VALUE(apply_request, types), .placeholder = "TYPES",
     .otherwise = "the type of the kernel's parameter", .choices = apply_type_names},
    {"overwrite", "let an output replace a file that is also read",
     OPTION_VALUE(apply_request, overwrite)},
    OPTIONS_OF_RESOURCES(apply_request),
    {"quiet", "do not show the progress", OPTION_VALUE(apply_request, quiet)},
};

#define RULE_LINE(rule, word, meaning) "  " word ": " meaning "\n"

const options apply_options = {
    "kata apply",
    "Runs a kernel on files of data. A field is a file: u=in.npy is read into an in field, an out\n"
    "field is written to v=out.png, an inout field is both: w=in.npy,out.npy. An output that\n"
    "exists is replaced, unless the command reads it as well.\n"
    "  w=,out.npy   starts at zero\n"
    "  v=  w=in.npy,  compute the field and do not write it\n"
    "  u=-  v=-     NPY from standard input, to standard output (reductions go to standard error)\n"
    "Formats: .npy, .png, .vtkhdf, .nc, .h5; FILE.h5:/DATASET is read from any file of HDF5.\n"
    "Numbers are c=0.1, tables w=1,2,1. Reductions are printed; a reduction along some dimensions\n"
    "is a field, and written to its file: t=out.npy.\n"
    "A kernel that writes a field of lower rank runs on the first index (0) of the dimensions\n"
    "which that field lacks. A kernel that writes staggered fields only runs at all their faces.\n"
    "Rules give the value that a read outside finds:\n" KATA_RULES(
        RULE_LINE) "  linear:VALUE:W/W/..: a sum of points at the side, of as many weights, plus "
                   "the last\n"
                   "    weight times VALUE; a further row :W/W/.. for each point farther out\n"
                   "Types are f64, f32, f16, bf16, i64, i32, i16, u16, u8 and unorm8 (a byte for 0 "
                   "to 1).\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

int verb_apply(int argc, char **argv)
{
    apply_request r;
    int exit_code;
    signal(SIGXFSZ, SIG_IGN); /* a file that grows beyond the limit is an error, reported */
    if (!options_read(&apply_options, &r, argc, argv, &exit_code)) return exit_code;
    if (r.words.count == 0)
        return options_wrong(&apply_options,
                             "name a kernel file, a kernel, and a value for each of "
                             "its parameters: kata apply FILE.kata KERNEL "
                             "NAME=VALUE...");
    if (r.words.count == 1 || strchr(r.words.words[1], '='))
        return options_wrong(&apply_options, "name a kernel of %s; kata check %s lists them",
                             r.words.words[0], r.words.words[0]);
    return open_and_run(&r);
}
