/* Files that grow while a program runs, beyond the limit of the size of files: that is an error
 * when the context is closed, and does not end the process. */
#include "files_world.h"

#include <sys/resource.h>

static char folder[] = "/tmp/kata_limit_XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") || system(command);
}

/* Returns the status of the context that is closed. */
static kata_status run(world *w)
{
    enum { POINTS = 16, STEPS = 300 };
    open_world(w);
    kata_grid *g = kata_grid_2d(w->k, POINTS, POINTS);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_module *m = kata_module_from_text(w->k, "add", "kernel add(inout double u) { u += ix; }");
    for (int i = 0; i < STEPS; i++) {
        kata_apply(kata_kernel_find(m, "add"), kata_all(g), u);
        kata_step(w->k);
    }
    kata_flush(w->k);
    return (kata_status)kata_close(w->k);
}

static void check(const char *name, const char *file, const char *other, const char *value)
{
    world w;
    struct rlimit before, few;
    assert_int_equal(run(&w), KATA_OK); /* its kernel is compiled */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    few = before;
    few.rlim_cur = 200;
    setenv(name, file, 1);
    if (other) setenv(other, value, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    kata_status status = run(&w);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    unsetenv(name);
    if (other) unsetenv(other);
    assert_int_equal(status, KATA_ERROR_FILE);
    assert_non_null(strstr(w.message, "File too large"));
}

static void records_end_at_the_limit(void **state)
{
    (void)state;
    check("KATA_RECORD", "run.rec", "KATA_RECORD_FULL", "1");
}

static void timelines_end_at_the_limit(void **state)
{
    (void)state;
    check("KATA_TIMELINE", "run.json", NULL, NULL);
}

static void traces_end_at_the_limit(void **state)
{
    (void)state;
    check("KATA_TRACE_FILE", "trace.txt", "KATA_TRACE", "u@3,4");
}

static void explanations_end_at_the_limit(void **state)
{
    (void)state;
    static const char *const forms[] = {"text", "json", "x"};
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        check("KATA_EXPLAIN_FILE", "explained", "KATA_EXPLAIN", forms[i]);
}

/* ---- rings ----------------------------------------------------------------------------------- */

enum { NX = 350, NY = 350 };

/* Each field takes a file, and their planes come and go through rings. */
static void stream(world *w, double *values)
{
    enum { MEMORY = 1500000, STEPS = 70 };
    *w = (world){
        .k = kata_open(&(kata_options){
            .memory = MEMORY, .spill = "/var/tmp", .handler = keep_message, .handler_data = w})};
    assert_non_null(w->k);
    kata_grid *g = kata_grid_2d(w->k, NX, NY);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    kata_module *m =
        kata_module_from_text(w->k, "heat",
                              "kernel begin(out double u) { u = random(7); }"
                              "kernel heat(in double u, out double v)"
                              "{ v = u + 0.1*(u[0,-1] + u[0,1] + u[-1,0] + u[1,0] - 4*u); }");
    kata_apply(kata_kernel_find(m, "begin"), kata_all(g), u);
    for (int i = 0; i < STEPS; i++) {
        kata_apply(kata_kernel_find(m, "heat"), kata_all(g), u, v);
        kata_swap(u, v);
    }
    kata_get(u, kata_all(g), values, NX * NY);
    close_world(w);
}

/* The limit lets files be, but no memory for rings: loops run on the mapped files. */
static void rings_keep_below_the_limit(void **state)
{
    (void)state;
    static double right[NX * NY], values[NX * NY];
    world w;
    struct rlimit before, few;
    stream(&w, right);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    few = before;
    few.rlim_cur = 1800000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    stream(&w, values);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_memory_equal(values, right, sizeof right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_end_at_the_limit),
        cmocka_unit_test(timelines_end_at_the_limit),
        cmocka_unit_test(traces_end_at_the_limit),
        cmocka_unit_test(explanations_end_at_the_limit),
        cmocka_unit_test(rings_keep_below_the_limit),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
