/* Memory that runs out. The n-th allocation of a whole program fails, for n = 1, 2, 3, ... until a
 * run has less than n. Each run ends in a clean error or, where something can be done without, in
 * the right values; a context whose error is cleared then computes the right values. The linker
 * leads the library's allocations here (--wrap in tests/CMakeLists.txt). */
/* Labels: slow */
#include "allocation_fail.h"
#include "kata/kata.h"
#include "sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 37, NY = 11, LONG = 140000, RESULTS = 12, MOST = 4000 };

static const char kernels[] =
    "const int R = 2;\n"
    "const double w[2*R + 1] = {1, 2, 4, 2, 1};\n"
    "static double lap(in double u) { return u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u; }\n"
    "kernel start(out double u, out float f[2])\n"
    "{ u = ix + 0.25*iy; f[0] = ix*iy; f[1] = random(7) < 2 ? 1 : 0; }\n"
    "kernel step(in double u, out double v, double c)\n"
    "{\n"
    "    double s = 0;\n"
    "    for (int q = 0; q <= 2*R; q++) if (q != R) s += w[q]*u[q - R,0];\n"
    "    v = u + c*lap(u[1,0]) + (ix % 2 == 0 ? sin(s) : s);\n"
    "}\n"
    "kernel pick(in real a, inout real b, int t[3]) {\n"
    "    assert(t[ix % 3] < 100, \"too large\");\n"
    "    if (a > 0) b = a + t[ix % 3];\n"
    "}\n"
    "kernel total(in double u, sum double s[2], inout max double m)\n"
    "{ s[0] += u; s[1] += u*u; m = max(m, u); }\n"
    "kernel twice(in double m, out double t) { t = 2*m; }\n"
    "kernel line(out double u) { u = ix; }\n"
    "kernel even(inout double u) { u = 0.5*(u[1,0] + u[-1,0]); }\n"
    "kernel mean(in double u, out double v) { v = 0.25*(u[1,1] + u[-1,1] + u[1,-1] + u[-1,-1]); }\n"
    "kernel far(in double u, inout double v) { v += 0.5*u[2,1]; }\n";

static const char wrong_kernels[] =
    "kernel one(in double u, out double v) { v = uu[1,0] + u[q,0]; }\n"
    "kernel two(in double u out double v) { v = u }\n"
    "static double three(in double u) { doble x = u; return sinn(x); }\n"
    "kernel four(in double u, out double u) { u = 1; 3 = u; }\n";

typedef struct message {
    int count;
    kata_status status;
    char text[400];
} message;

static void keep(void *data, kata_status status, const char *text)
{
    message *m = data;
    m->count++;
    m->status = status;
    snprintf(m->text, sizeof m->text, "%s", text);
}

/* Which allocation of a program fails; 0: none, or it is being counted already. */
static int64_t next;

/* Programs that begin as others do call this where they go on by themselves: an earlier allocation
 * need not fail again. */
static void count_from_here(void)
{
    if (next) allocation_fail_at(next);
    next = 0;
}

/* ---- programs: each ends with its results, or in an error of the context --------------------- */

typedef void program(kata *k, double results[RESULTS]);

static void reads_wrong_text(kata *k, double results[RESULTS])
{
    kata_module_from_text(k, "wrong.kata", wrong_kernels);
    results[0] = kata_error(k) == KATA_ERROR_KERNEL;
    if (results[0] == 1) kata_error_clear(k);
}

static void describes(kata *k, double results[RESULTS])
{
    kata_module *m = kata_module_from_text(k, "right.kata", kernels, .constants = "R = 2");
    const char *ir = kata_kernel_describe(kata_kernel_find(m, "pick"), KATA_IR);
    const char *accesses = kata_kernel_describe(kata_kernel_find(m, "step"), KATA_ACCESSES);
    results[0] = ir ? (double)strlen(ir) : 0;
    results[1] = accesses ? (double)strlen(accesses) : 0;
    const char *costs = kata_kernel_explain(kata_kernel_find(m, "step"), NULL, true);
    const char *code = kata_kernel_describe(kata_kernel_find(m, "step"), KATA_CODE);
    results[3] = costs ? (double)strlen(costs) : 0;
    results[4] = code ? (double)strlen(code) : 0;
}

/* This asks the compiler for its version. */
static void describes_the_machine(kata *k, double results[RESULTS])
{
    kata_machine machine;
    count_from_here();
    kata_machine_get(k, &machine);
    results[0] = kata_ok(k) ? machine.threads : 0;
}

static void computes(kata *k, double results[RESULTS])
{
    static const int t[3] = {1, 2, 3};
    double log[6];
    kata_module *m = kata_module_from_text(k, "right.kata", kernels);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v =
        kata_field_new(g, "v", KATA_F64, .boundary = KATA_ANTISYMMETRIC_FACE, .boundary_value = 1);
    kata_field *f = kata_field_new(g, "f", KATA_F16, .components = 2);
    kata_field *a = kata_field_new(g, "a", KATA_F32), *b = kata_field_like(a, "b");
    kata_scalar *s = kata_scalar_array_new(k, "s", KATA_F64, 2);
    kata_scalar *most = kata_scalar_new(k, "most", KATA_F64),
                *c = kata_scalar_new(k, "c", KATA_F64);
    kata_scalar_log(s, 3);
    kata_scalar_set(c, 0.125);
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u, f);
    for (int i = 0; i < 3; i++) {
        kata_apply(kata_kernel_find(m, "step"), kata_all(g), u, v, c);
        kata_apply(kata_kernel_find(m, "total"), kata_inner(g, 1), v, s, most);
        kata_swap(u, v);
        kata_step(k);
    }
    kata_apply(kata_kernel_find(m, "twice"), kata_once(k), most, c);
    kata_apply(kata_kernel_find(m, "pick"), kata_all(g), a, b, t);
    kata_apply(kata_kernel_find(m, "even"), kata_color(kata_box_2d(g, 1, NX - 1, 0, NY), 2, 1), u);
    kata_get(u, kata_box_2d(g, NX - 1, NX, 0, 1), &results[0], 1);
    kata_get(f, kata_box_2d(g, 3, 4, 3, 4), &(float[2]){0}[0], 2);
    kata_scalar_get(c, &results[1]);
    kata_scalar_get_all(s, &results[2], 2);
    kata_scalar_log_get(s, log, 6);
    results[4] = log[0], results[5] = log[5];
}

/* Long enough for threads, and for memory that is mapped. */
static void computes_on_threads(kata *k, double results[RESULTS])
{
    kata_module *m = kata_module_from_text(k, "right.kata", kernels);
    kata_grid *g = kata_grid_1d(k, LONG);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_scalar *s = kata_scalar_array_new(k, "s", KATA_F64, 2);
    kata_scalar *most = kata_scalar_new(k, "most", KATA_F64);
    count_from_here();
    kata_apply(kata_kernel_find(m, "line"), kata_all(g), u);
    kata_apply(kata_kernel_find(m, "total"), kata_all(g), u, s, most);
    kata_scalar_get_all(s, &results[0], 2);
    kata_scalar_get(most, &results[2]);
}

/* Two loops read one version of u outside the grid, the second one copies of it. */
static void step_in_tiles(kata_module *m, kata_field *u, kata_field *v, kata_scalar *s,
                          kata_scalar *most)
{
    kata_apply(kata_kernel_find(m, "mean"), kata_on(u), u, v);
    kata_apply(kata_kernel_find(m, "far"), kata_on(u), u, v);
    if (s) kata_apply(kata_kernel_find(m, "total"), kata_on(u), v, s, most);
}

/* In waves of tiles on threads. Where allocations count later, the kernels are loaded before. */
static void run_in_tiles(kata *k, kata_rule rule, kata_scalar *s, kata_scalar *most,
                         double results[RESULTS])
{
    kata_module *m = kata_module_from_text(k, "right.kata", kernels);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = rule),
               *v = kata_field_like(u, "v");
    kata_field *f = kata_field_new(g, "f", KATA_F32, .components = 2);
    if (next) {
        kata_apply(kata_kernel_find(m, "start"), kata_all(g), u, f);
        step_in_tiles(m, u, v, s, most);
        kata_flush(k);
    }
    count_from_here();
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u, f);
    for (int i = 0; i < 4; i++) {
        step_in_tiles(m, u, v, s, most);
        kata_swap(u, v);
    }
    kata_get(u, kata_box_2d(g, NX - 1, NX, 0, 1), &results[0], 1);
    kata_get(u, kata_box_2d(g, 5, 6, 6, 7), &results[1], 1);
}

static void computes_in_tiles(kata *k, double results[RESULTS])
{
    kata_scalar *s = kata_scalar_array_new(k, "s", KATA_F64, 2);
    kata_scalar *most = kata_scalar_new(k, "most", KATA_F64);
    run_in_tiles(k, KATA_CLAMP, s, most, results);
    kata_scalar_get_all(s, &results[2], 2);
    kata_scalar_get(most, &results[4]);
}

/* Without reductions, for which rows would have to be whole. */
static void computes_in_tiles_alone(kata *k, double results[RESULTS])
{
    run_in_tiles(k, KATA_PERIODIC, NULL, NULL, results);
}

static kata_field *new_shades(kata_grid *g)
{
    float values[NX * NY];
    for (int i = 0; i < NX * NY; i++) values[i] = (float)(i % 256) / 255;
    kata_field *u = kata_field_new(g, "u", KATA_F32);
    kata_put(u, kata_all(g), values, NX * NY);
    return u;
}

static double one_of(kata_field *u, kata_grid *g)
{
    float got = 0;
    kata_get(u, kata_box_2d(g, 5, 6, 2, 3), &got, 1);
    return got;
}

/* Pictures and arrays. */
static void uses_files(kata *k, double results[RESULTS])
{
    static const char *const paths[] = {"allocation.png", "allocation.npy"};
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *u = new_shades(g), *v = kata_field_like(u, "v");
    for (int i = 0; i < 2; i++) {
        kata_shape shape = {0};
        kata_save(u, paths[i], .low = 0, .high = 1);
        kata_file_shape(k, paths[i], 1, &shape);
        kata_load(v, paths[i]);
        results[2 * i] = one_of(v, g);
        results[2 * i + 1] = (double)shape.size[0];
    }
}

static void writes_hdf5(kata *k, double results[RESULTS])
{
    count_from_here();
    kata_field *u = new_shades(kata_grid_2d(k, NX, NY)), *v = kata_field_like(u, "v");
    kata_save(u, "allocation.vtkhdf");
    kata_series *series = kata_series_new(u, "series.vtkhdf", .with = {v});
    for (int step = 0; step < 2; step++) kata_series_add(series, step);
    kata_save(v, "allocation.h5", .with = {u});
    kata_rows *rows = kata_rows_new(k, "allocation_rows.h5", "a, b[3] (m)");
    kata_rows_add(rows, 1, (double[]){1}, (double[]){1, 2, 3, 4}, 4);
    kata_output_wait(k);
    results[0] = kata_ok(k);
}

/* Files that writes_hdf5 has left, each read by a process of its own. */
static void reads_hdf5(kata *k, double results[RESULTS])
{
    static const char inside[] = "allocation.vtkhdf:/VTKHDF/PointData/u";
    kata_shape shape = {0};
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *u = kata_field_new(g, "u", KATA_F32);
    count_from_here();
    kata_file_shape(k, "allocation.vtkhdf", 1, &shape);
    results[0] = (double)shape.size[0];
    kata_load(u, "allocation.vtkhdf");
    results[1] = one_of(u, g);
    kata_file_shape(k, inside, 1, &shape);
    results[2] = (double)shape.size[1];
    kata_load(u, inside);
    results[3] = one_of(u, g);
    kata_load(u, "allocation.h5");
    results[4] = one_of(u, g);
}

/* ---- the sweep ------------------------------------------------------------------------------- */

static bool is_right(const double *expected, const double *found)
{
    for (int i = 0; i < RESULTS; i++)
        if (!(expected[i] == found[i]) && !(isnan(expected[i]) && isnan(found[i]))) return false;
    return true;
}

/* What may be reported: that memory is out, in these words or, of files, in the system's. */
static bool is_clean(const message *m)
{
    return m->count == 1 && (m->status == KATA_ERROR_MEMORY || strstr(m->text, "memory"));
}

static void complain(int64_t n, const char *what, const message *m)
{
    fail_msg("allocation %lld (%s): %s; %d messages, the last %s: %s", (long long)n,
             allocation_failed(), what, m->count, kata_status_name(m->status), m->text);
}

/* How a program is run. */
typedef struct manner {
    const char *executor, *plan;
    bool late; /* allocations before count_from_here do not fail */
} manner;

static kata *open_context(const manner *how, message *m)
{
    return kata_open(&(kata_options){.executor = how->executor,
                                     .plan = how->plan,
                                     .threads = 2,
                                     .handler = keep,
                                     .handler_data = m});
}

/* The context goes on after its error. */
static void try_again(kata *k, program *run, int64_t n, const double *expected)
{
    double found[RESULTS] = {0};
    message *m = &(message){0};
    kata_error_clear(k);
    run(k, found);
    if (!kata_ok(k) || !is_right(expected, found)) {
        snprintf(m->text, sizeof m->text, "%s", kata_error_message(k));
        complain(n, "the context is not what it was", m);
    }
}

/* False when the program has less than n allocations. */
static bool fails_well(const manner *how, program *run, int64_t n, const double *expected)
{
    double found[RESULTS] = {0};
    message m = {0};
    allocation_fail_at(how->late ? 0 : n);
    kata *k = open_context(how, &m);
    next = how->late ? n : 0;
    if (k) run(k, found);
    bool reached = allocation_fail_at(0);
    if (!k) return true; /* told on standard error or to the handler */
    if (!kata_ok(k) && !is_clean(&m)) complain(n, "no clean error", &m);
    if (kata_ok(k) && !is_right(expected, found)) complain(n, "wrong values", &m);
    if (reached) try_again(k, run, n, expected);
    kata_close(k);
    return reached;
}

static void sweep_manner(const manner *how, program *run)
{
    double expected[RESULTS] = {0};
    message m = {0};
    kata *k = open_context(how, &m);
    run(k, expected);
    if (!kata_ok(k)) complain(0, "the program is wrong", &m);
    assert_int_equal(kata_close(k), KATA_OK);
    static int turn;
    const int64_t stride = is_sanitized() ? 3 : 1, first = 1 + turn++ % stride;
    int64_t n = first;
    while (fails_well(how, run, n, expected)) assert_true((n += stride) < MOST);
    assert_true(n > first);
    print_message("             %lld allocations\n", (long long)n - 1);
}

static void sweep(const char *executor, const char *plan, program *run)
{
    sweep_manner(&(manner){executor, plan, false}, run);
}

static void sweep_late(const char *executor, const char *plan, program *run)
{
    sweep_manner(&(manner){executor, plan, true}, run);
}

static void texts_with_errors(void **state)
{
    (void)state;
    sweep("reference", NULL, reads_wrong_text);
}

static void descriptions(void **state)
{
    (void)state;
    sweep("reference", NULL, describes);
    sweep_late("reference", NULL, describes_the_machine);
}

static void chains_by_reference(void **state)
{
    (void)state;
    sweep("reference", NULL, computes);
}

static void compiled_chains(void **state)
{
    (void)state;
    sweep("cpu", NULL, computes);
}

static void compiled_chains_on_threads(void **state)
{
    (void)state;
    sweep_late("cpu", NULL, computes_on_threads);
}

static void compiled_chains_in_tiles(void **state)
{
    (void)state;
    sweep("cpu", "skewed y=3", computes_in_tiles);
    sweep_late("cpu", "skewed x=9 y=3 depth=2", computes_in_tiles_alone);
    sweep_late("cpu", "diamond y=12 depth=2", computes_in_tiles);
    sweep_late("cpu", "overlapped x=9 y=3 depth=2", computes_in_tiles);
    sweep_late("cpu", "windowed cache=2048 threads=2", computes_in_tiles);
}

static void files(void **state)
{
    (void)state;
    sweep("reference", NULL, uses_files);
    sweep_late("reference", NULL, writes_hdf5);
    sweep_late("reference", NULL, reads_hdf5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_with_errors),
        cmocka_unit_test(descriptions),
        cmocka_unit_test(chains_by_reference),
        cmocka_unit_test(compiled_chains),
        cmocka_unit_test(compiled_chains_on_threads),
        cmocka_unit_test(compiled_chains_in_tiles),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
