/* Kernels that are compiled while the program runs: results are the same whenever code arrives, a
 * tiny run starts no compiler, failures are reported, and closing ends what still runs. */
/* Labels: threads slow */
#include "jit_world.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 90, STEPS = 40 };

static const char kernels[] =
    "kernel start(out double u) { u = 0.1*ix + 0.3*iy*iy; }\n"
    "kernel mark(out double u) { u = 1; }\n"
    "kernel step(in double u, out double v, double c)\n"
    "{ v = u + c*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u); }\n"
    "kernel total(in double u, sum double s, max double m) { s += u; m = max(m, u); }\n";

typedef struct fixture {
    char *folder, *compiler, *calls;
    text message;
} fixture;

static void keep(void *data, kata_status status, const char *message)
{
    if (status) text_add(&((fixture *)data)->message, "%s", message);
}

/* A folder of its own for each test, in the build: a test that is killed leaves nothing elsewhere.
 */
static int set_up(void **state)
{
    const char *caches = environment_get("KATA_CACHE_DIR");
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (!f || asprintf(&f->folder, "%s/beside-XXXXXX", caches ? caches : "/tmp") < 0 ||
        !mkdtemp(f->folder) || asprintf(&f->compiler, "%s/cc.sh", f->folder) < 0 ||
        asprintf(&f->calls, "%s/calls", f->folder) < 0)
        return -1;
    unsetenv("KATA_WAIT");
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    text_free(&f->message);
    setenv("KATA_WAIT", "1", 1);
    remove_folder(f->folder);
    free(f->folder);
    free(f->compiler);
    free(f->calls);
    free(f);
    return 0;
}

/* A compiler that is a shell script, and notes its calls. */
static const char *script(const fixture *f, const char *body)
{
    char lines[1024];
    int length = snprintf(lines, sizeof lines, "#!/bin/sh\necho call >>'%s'\n%s\n", f->calls, body);
    assert_int_equal(file_write(f->compiler, lines, (size_t)length), 0);
    assert_int_equal(chmod(f->compiler, 0700), 0);
    return f->compiler;
}

static bool was_called(const fixture *f) { return access(f->calls, F_OK) == 0; }

static kata *open_with(fixture *f, const char *compiler, const char *executor, bool wait)
{
    const char *given = environment_get("KATA_CC");
    return kata_open(&(kata_options){.threads = 2,
                                     .executor = executor,
                                     .compiler = compiler ? compiler : given,
                                     .cache = f->folder,
                                     .handler = keep,
                                     .handler_data = f,
                                     .wait = wait});
}

typedef struct result {
    double sum, max, u[N * N];
} result;

/* Asks for a value after every few steps, so that there are many chains. */
static kata_status run(kata *k, int64_t n, int steps, result *r)
{
    kata_grid *g = kata_grid_2d(k, n, n);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC),
               *v = kata_field_like(u, "v");
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64), *m = kata_scalar_new(k, "m", KATA_F64);
    kata_module *module = kata_module_from_text(k, "beside", kernels);
    kata_kernel *step = kata_kernel_find(module, "step");
    kata_apply(kata_kernel_find(module, "start"), kata_all(g), u);
    for (int i = 0; i < steps; i++) {
        kata_apply(step, kata_all(g), u, v, 0.2);
        kata_swap(u, v);
        if (i % 3) continue;
        kata_apply(kata_kernel_find(module, "total"), kata_all(g), u, s, m);
        kata_scalar_get(s, &r->sum);
        kata_scalar_get(m, &r->max);
    }
    return kata_get(u, kata_all(g), r->u, n * n);
}

static void expect_same(const result *a, const result *b, int64_t n)
{
    assert_memory_equal(&a->sum, &b->sum, sizeof a->sum);
    assert_memory_equal(&a->max, &b->max, sizeof a->max);
    assert_memory_equal(a->u, b->u, (size_t)(n * n) * sizeof *a->u);
}

static result *expected(fixture *f, int64_t n, int steps)
{
    result *r = calloc(1, sizeof *r);
    kata *k = open_with(f, NULL, "reference", false);
    assert_non_null(r);
    assert_int_equal(run(k, n, steps, r), KATA_OK);
    assert_int_equal(kata_close(k), KATA_OK);
    return r;
}

/* However long the compiler takes. */
static void results_do_not_depend_on_when_code_arrives(void **state)
{
    static const char *const bodies[] = {"exec cc \"$@\"", "sleep 0.3; exec cc \"$@\"",
                                         "sleep 60; exec cc \"$@\""};
    fixture *f = *state;
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        int steps = i == 2 ? 9 : STEPS; /* in 60 seconds these are interpreted */
        int64_t n = i == 2 ? N / 3 : N;
        result *r = calloc(1, sizeof *r), *right = expected(f, n, steps);
        kata *k = open_with(f, script(f, bodies[i]), "cpu", false);
        assert_non_null(r);
        assert_int_equal(run(k, n, steps, r), KATA_OK);
        expect_same(r, right, n);
        assert_int_equal(kata_close(k), KATA_OK);
        assert_true(was_called(f));
        free(r);
        free(right);
    }
}

static void a_tiny_run_starts_no_compiler(void **state)
{
    fixture *f = *state;
    result *r = calloc(1, sizeof *r), *right = expected(f, 7, 6);
    kata *k = open_with(f, script(f, "exec cc \"$@\""), "cpu", false);
    assert_non_null(r);
    assert_int_equal(run(k, 7, 6, r), KATA_OK);
    expect_same(r, right, 7);
    assert_int_equal(kata_close(k), KATA_OK);
    assert_false(was_called(f));
    free(r);
    free(right);
}

/* Where it is asked for, in the options or by KATA_WAIT, nothing is interpreted. */
static void waits_where_that_is_asked_for(void **state)
{
    fixture *f = *state;
    result *r = calloc(1, sizeof *r);
    assert_non_null(r);
    for (int i = 0; i < 2; i++) {
        if (i) setenv("KATA_WAIT", "1", 1);
        kata *k = open_with(f, script(f, "exit 1"), "cpu", !i);
        assert_int_equal(run(k, 7, 1, r), KATA_ERROR_COMPILER);
        assert_int_equal(kata_close(k), KATA_ERROR_COMPILER);
    }
    setenv("KATA_WAIT", "maybe", 1);
    text_clear(&f->message);
    assert_null(open_with(f, NULL, "cpu", false));
    assert_string_equal(text_get(&f->message),
                        "error: the environment variable KATA_WAIT is 'maybe', not 0 or 1");
    free(r);
}

/* The compiler fails beside: the message is that of one that is waited for, and values that were
 * to be computed are poisoned. */
static void reports_a_compiler_that_fails(void **state)
{
    fixture *f = *state;
    result *r = calloc(1, sizeof *r);
    assert_non_null(r);
    kata *k = open_with(f, script(f, "echo no licence; exit 3"), "cpu", false);
    kata_status status = KATA_OK;
    for (int i = 0; i < 1000 && !status; i++) status = run(k, N, STEPS, r);
    assert_int_equal(status, KATA_ERROR_COMPILER);
    assert_non_null(strstr(text_get(&f->message), "error: the C compiler failed: "));
    assert_non_null(strstr(text_get(&f->message), "no licence\n  it ended with exit code 3"));
    assert_true(r->u[0] != r->u[0]);
    assert_int_equal(kata_close(k), KATA_ERROR_COMPILER);
    free(r);
}

/* Nobody who needs no code learns that there is no compiler, but whoever runs a kernel does. */
static void misses_a_compiler_at_once(void **state)
{
    fixture *f = *state;
    result *r = calloc(1, sizeof *r);
    assert_non_null(r);
    kata *k = open_with(f, "/no/such/cc", "cpu", false);
    assert_int_equal(run(k, 3, 1, r), KATA_ERROR_COMPILER);
    assert_non_null(strstr(text_get(&f->message), "'/no/such/cc' cannot be run"));
    kata_close(k);
    free(r);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Compilers that still run are ended, their folders removed, and none is left to be waited for. */
static void closing_ends_compilers(void **state)
{
    fixture *f = *state;
    result *r = calloc(1, sizeof *r);
    assert_non_null(r);
    kata *k = open_with(f, script(f, "sleep 300 & sleep 300"), "cpu", false);
    assert_int_equal(run(k, N / 3, 9, r), KATA_OK);
    for (int i = 0; i < 30000 && !was_called(f); i++) usleep(1000);
    double before = now();
    assert_int_equal(kata_close(k), KATA_OK);
    assert_true(now() - before < 100);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    DIR *d = opendir(f->folder);
    const struct dirent *entry;
    while ((entry = readdir(d)))
        assert_true(strncmp(entry->d_name, FILE_DRAFT_PREFIX, strlen(FILE_DRAFT_PREFIX)) != 0);
    closedir(d);
    free(r);
}

/* A process made by fork while a compiler runs has no thread of it. */
static void a_child_goes_on(void **state)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* which does not let a child have threads */
#endif
    fixture *f = *state;
    result *r = calloc(1, sizeof *r), *right = expected(f, N, STEPS);
    assert_non_null(r);
    kata *k = open_with(f, script(f, "sleep 0.2; exec cc \"$@\""), "cpu", false);
    assert_int_equal(run(k, N / 3, 9, r), KATA_OK);
    pid_t child = fork();
    if (child == 0) {
        bool good = run(k, N, STEPS, r) == KATA_OK && !memcmp(r->u, right->u, sizeof r->u);
        _exit(good && kata_close(k) == KATA_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(run(k, N, STEPS, r), KATA_OK);
    expect_same(r, right, N);
    assert_int_equal(kata_close(k), KATA_OK);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    free(r);
    free(right);
}

/* A chain too large for caches is not tiled while its first loop, of few points, is interpreted. */
static void explains_what_it_did_meanwhile(void **state)
{
    enum { SIDE = 2000, STEPS_OF_CHAIN = 3 };
    fixture *f = *state;
    double *values = malloc(sizeof *values * SIDE * SIDE);
    char *path = NULL, text[4096] = "";
    assert_non_null(values);
    assert_true(asprintf(&path, "%s/explained", f->folder) > 0);
    setenv("KATA_EXPLAIN", "text", 1);
    setenv("KATA_EXPLAIN_FILE", path, 1);
    setenv("KATA_EXPLAIN_QUICK", "1", 1);
    kata *k = open_with(f, script(f, "sleep 0.5; exec cc \"$@\""), "cpu", false);
    kata_grid *g = kata_grid_2d(k, SIDE, SIDE);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP),
               *v = kata_field_like(u, "v");
    kata_module *module = kata_module_from_text(k, "beside", kernels);
    kata_kernel *step = kata_kernel_find(module, "step");
    kata_apply(kata_kernel_find(module, "start"), kata_all(g), u);
    assert_int_equal(kata_get(u, kata_all(g), values, (int64_t)SIDE * SIDE), KATA_OK);
    kata_apply(kata_kernel_find(module, "mark"), kata_face(g, KATA_X_LOW, 1), u); /* interpreted */
    for (int i = 0; i < STEPS_OF_CHAIN; i++) {
        kata_apply(step, kata_all(g), u, v, 0.2);
        kata_swap(u, v);
    }
    assert_int_equal(kata_get(u, kata_all(g), values, (int64_t)SIDE * SIDE), KATA_OK);
    assert_int_equal(kata_close(k), KATA_OK);
    free(values);
    unsetenv("KATA_EXPLAIN");
    unsetenv("KATA_EXPLAIN_FILE");
    unsetenv("KATA_EXPLAIN_QUICK");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (!strstr(text, " 4 loops: ") && fgets(text, sizeof text, file)) {
    }
    fclose(file);
    free(path);
    assert_string_equal(text, "  mark, 4 loops: loop by loop on 2 threads: "
                              "a kernel was not compiled yet\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(results_do_not_depend_on_when_code_arrives),
        TEST(a_tiny_run_starts_no_compiler),
        TEST(waits_where_that_is_asked_for),
        TEST(reports_a_compiler_that_fails),
        TEST(misses_a_compiler_at_once),
        TEST(closing_ends_compilers),
        TEST(a_child_goes_on),
        TEST(explains_what_it_did_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
