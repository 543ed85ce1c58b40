/* The larger functions of small kernels: chains beyond the caches begin with the smaller ones, and
 * take the larger ones once these have been earned. Results are the same, short programs compile
 * nothing more, and a compiler that fails or takes long harms nobody. */
/* Labels: compiler threads slow */
#include "jit_world.h"

#include "api/api.h"
#include "exec/cpu.h"

#include <signal.h>
#include <sys/resource.h>

enum { SIDE = 800, POINTS = SIDE * SIDE };

/* Less than a function has to run. */
static const double WORTH_REPLACING = 0.2;

static const char kernels[] = "kernel start(out double u) { u = 0.37*ix - 0.11*iy*iy; }\n"
                              "kernel star(in double u, out double v)\n"
                              "{ v = u + 0.1*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u); }\n";

typedef struct world {
    char folder[64];
    kata *k;
    kata_kernel *start, *star;
    kata_grid *grid;
    kata_field *u, *v;
    int steps;
} world;

/* A folder with a compiler that notes its calls and runs `body` before it compiles. */
static int set_up(void **state)
{
    world *w = calloc(1, sizeof *w);
    *state = w;
    if (!w) return -1;
    strcpy(w->folder, "/tmp/kata-larger-XXXXXX");
    unsetenv("KATA_LARGER");
    return mkdtemp(w->folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    world *w = *state;
    remove_folder(w->folder);
    setenv("KATA_LARGER", "1", 1);
    free(w);
    return 0;
}

/* Once for each folder: a compiler that changes is another compiler. */
static void write_compiler(const world *w, const char *body)
{
    const char *given = environment_get("KATA_CC");
    char script[512];
    snprintf(script, sizeof script,
             "cd '%s'\necho call >>calls\n%s\ncd - >/dev/null\nexec %s \"$@\"", w->folder, body,
             given ? given : "cc");
    write_script(w->folder, script);
}

static void open_world(world *w, int threads, const char *executor)
{
    char compiler[100];
    snprintf(compiler, sizeof compiler, "'%s/cc.sh'", w->folder);
    w->k = kata_open(&(kata_options){.compiler = compiler,
                                     .cache = w->folder,
                                     .wait = true,
                                     .executor = executor,
                                     .threads = threads});
    kata_module *m = kata_module_from_text(w->k, "larger", kernels);
    w->start = kata_kernel_find(m, "start");
    w->star = kata_kernel_find(m, "star");
    w->grid = kata_grid_2d(w->k, SIDE, SIDE);
    w->u = kata_field_new(w->grid, "u", KATA_F64, .boundary = KATA_PERIODIC);
    w->v = kata_field_like(w->u, "v");
    w->steps = 0;
    kata_apply(w->start, kata_all(w->grid), w->u);
}

/* Some steps, as chains of 1 to 7. */
static void run_steps(world *w, int steps)
{
    for (int i = 0; i < steps; i++, w->steps++) {
        kata_apply(w->star, kata_all(w->grid), w->u, w->v);
        kata_swap(w->u, w->v);
        if (w->steps * w->steps % 7 == 1) kata_flush(w->k);
    }
    assert_int_equal(kata_flush(w->k), KATA_OK);
}

static double *values(const world *w)
{
    double *u = malloc(POINTS * sizeof *u);
    assert_non_null(u);
    assert_int_equal(kata_get(w->u, kata_all(w->grid), u, POINTS), KATA_OK);
    return u;
}

/* How many smaller, or larger, functions have code. */
static int count(const world *w, bool smaller)
{
    const struct exec_cpu *cpu = w->k->exec.cpu;
    int found = 0;
    for (size_t i = 0; i < cpu->function_count; i++)
        found += cpu->functions[i].run && cpu->functions[i].smaller == smaller;
    return found;
}

/* Seconds that the function has run that did so for longest. */
static double seconds(const world *w)
{
    const struct exec_cpu *cpu = w->k->exec.cpu;
    double most = 0;
    for (size_t i = 0; i < cpu->function_count; i++)
        if (cpu->functions[i].seconds > most) most = cpu->functions[i].seconds;
    return most;
}

static int failures(const world *w)
{
    const struct exec_cpu *cpu = w->k->exec.cpu;
    int found = 0;
    for (size_t i = 0; i < cpu->function_count; i++) found += cpu->functions[i].failed;
    return found;
}

static int calls(const world *w)
{
    char path[100], *data = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/calls", w->folder);
    file_read(path, 1 << 20, &data, &size);
    free(data);
    return (int)(size / strlen("call\n"));
}

/* Until the star has its larger function; false after two minutes. */
static bool run_until_replaced(world *w)
{
    double start = clock_seconds();
    while (count(w, false) == 0 && clock_seconds() - start < 120) run_steps(w, 20);
    return count(w, false) > 0;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void what_was_earned_is_taken_and_found_again(void **state)
{
    world *w = *state;
    write_compiler(w, "");
    open_world(w, 2, "cpu");
    run_steps(w, 1);
    assert_int_equal(count(w, true), 2);
    assert_int_equal(count(w, false), 0);
    assert_true(run_until_replaced(w));
    run_steps(w, 10);
    double *replaced = values(w);
    int steps = w->steps, all = calls(w);
    assert_int_equal(kata_close(w->k), KATA_OK);

    open_world(w, 1, "reference");
    run_steps(w, steps < 3 ? steps : 3);
    double *reference = values(w);
    assert_int_equal(kata_close(w->k), KATA_OK);

    open_world(w, 2, "cpu"); /* again: the star has its larger function from the first step on */
    run_steps(w, 1);
    assert_true(count(w, false) >= 1); /* on a busy machine `start` may have earned one, too */
    run_steps(w, (steps < 3 ? steps : 3) - 1);
    double *found = values(w);
    assert_memory_equal(found, reference, POINTS * sizeof *found);
    free(found);
    run_steps(w, steps - w->steps);
    found = values(w);
    assert_memory_equal(found, replaced, POINTS * sizeof *found);
    assert_int_equal(calls(w), all);
    assert_int_equal(kata_close(w->k), KATA_OK);
    free(found);
    free(reference);
    free(replaced);
}

static void a_short_program_compiles_nothing_more(void **state)
{
    world *w = *state;
    write_compiler(w, "");
    open_world(w, 2, "cpu");
    run_steps(w, 1);
    int first = calls(w);
    run_steps(w, 5);
    if (seconds(w) < WORTH_REPLACING) { /* a very slow machine may have needed longer */
        assert_null(w->k->exec.cpu->beside);
        assert_int_equal(calls(w), first);
    }
    assert_int_equal(kata_close(w->k), KATA_OK);
}

static void what_is_asked_for_is_there_at_once(void **state)
{
    world *w = *state;
    write_compiler(w, "");
    setenv("KATA_LARGER", "1", 1);
    open_world(w, 2, "cpu");
    run_steps(w, 1);
    assert_int_equal(count(w, true), 0);
    assert_int_equal(count(w, false), 2);
    assert_int_equal(kata_close(w->k), KATA_OK);
}

/* Only larger functions have their loops twice. */
#define IF_LARGER "for a; do case $a in *.c) if grep -q '_loops(const abi_box' \"$a\"; then "
#define END_IF " fi;; esac; done"

static void a_compiler_that_fails_is_not_asked_again(void **state)
{
    world *w = *state;
    write_compiler(w, IF_LARGER "exit 1;" END_IF);
    open_world(w, 2, "cpu");
    run_steps(w, 1);
    double start = clock_seconds();
    while (failures(w) == 0 && clock_seconds() - start < 120) run_steps(w, 20);
    assert_true(failures(w) > 0);
    int failed = calls(w);
    for (start = clock_seconds(); clock_seconds() - start < 1;) run_steps(w, 20);
    assert_int_equal(calls(w), failed);
    assert_int_equal(count(w, false), 0);
    assert_int_equal(kata_close(w->k), KATA_OK);
}

static int read_number(const world *w, const char *name)
{
    char path[100], *data = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    if (file_read(path, 100, &data, &size)) return -1;
    int number = atoi(data);
    free(data);
    return number;
}

static void a_slow_compiler_is_of_low_priority_and_ends_with_the_context(void **state)
{
    world *w = *state;
    write_compiler(w, IF_LARGER "nice >nice; echo $$ >process; exec sleep 600;" END_IF);
    open_world(w, 2, "cpu");
    double start = clock_seconds();
    while (read_number(w, "process") <= 0 && clock_seconds() - start < 120) run_steps(w, 20);
    int process = read_number(w, "process");
    assert_true(process > 0);
    int lower = getpriority(PRIO_PROCESS, 0) + 10;
    assert_int_equal(read_number(w, "nice"), lower < 19 ? lower : 19);
    start = clock_seconds();
    assert_int_equal(kata_close(w->k), KATA_OK);
    assert_true(clock_seconds() - start < 100);
    assert_int_equal(kill(process, 0), -1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_earned_is_taken_and_found_again),
        TEST(a_short_program_compiles_nothing_more),
        TEST(what_is_asked_for_is_there_at_once),
        TEST(a_compiler_that_fails_is_not_asked_again),
        TEST(a_slow_compiler_is_of_low_priority_and_ends_with_the_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
