/* Which shape runs a loop fastest on a device is found while the program runs: results stay the
 * same whatever is tried, is kept in the cache folder, does not compile or lacks resources. On the
 * shim of CUDA. */
/* Labels: slow */
#include "api/api.h"
#include "exec/device_tune.h"
#include "jit_world.h"
#include "sanitized.h"

#include <sys/wait.h>

static char folder[] = "/tmp/kata-tune-XXXXXX";

enum { SIDE = 24, POINTS = SIDE * SIDE * SIDE, MOST_STEPS = 200 };

static const char kernels[] =
    "kernel heat(in double u, out double v)\n"
    "{ v = 0.25*u + 0.125*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1]); }\n"
    "kernel mean(in double u, sum double s) { s += u/13824; }\n"
    "kernel first(in double one, out double v) { v = one + 77; }\n"
    "kernel second(in double two_of_them, out double v) { v = two_of_them + 55; }\n"
    "kernel third(in double three, out double v) { v = three + 33; }\n";

static char told[2000]; /* the last message */

static void keep(void *data, kata_status status, const char *message)
{
    (void)data, (void)status;
    snprintf(told, sizeof told, "%s", message);
}

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v;
    kata_range range; /* of "heat" */
} world;

static world open_world(const char *device)
{
    world w = {.k = kata_open(&(kata_options){.device = device, .cache = folder, .handler = keep})};
    static double values[POINTS];
    assert_true(kata_ok(w.k));
    if (w.k->exec.device) w.k->exec.tune = true;
    w.g = kata_grid_3d(w.k, SIDE, SIDE, SIDE);
    w.m = kata_module_from_text(w.k, "k.kata", kernels);
    w.u = kata_field_new(w.g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w.v = kata_field_like(w.u, "v");
    w.range = kata_all(w.g);
    for (int i = 0; i < POINTS; i++) values[i] = i * 7919 % 1009;
    kata_put(w.u, kata_all(w.g), values, POINTS);
    return w;
}

static void run(world *w, int steps)
{
    for (int i = 0; i < steps; i++) {
        kata_apply(kata_kernel_find(w->m, "heat"), w->range, w->u, w->v);
        kata_swap(w->u, w->v);
        kata_flush(w->k);
    }
    if (!kata_ok(w->k)) fail_msg("%s", kata_error_message(w->k));
}

static uint64_t end(world *w)
{
    static double values[POINTS];
    kata_get(w->u, kata_all(w->g), values, POINTS);
    assert_int_equal(kata_close(w->k), KATA_OK);
    return hash_bytes(values, sizeof values, 0);
}

/* What the CPU makes of so many steps. */
static uint64_t expected(int steps)
{
    world w = open_world("none");
    run(&w, steps);
    return end(&w);
}

/* What is known of the loop of "heat". */
static struct device_tune *tune_of(const world *w)
{
    struct device_tune *t = w->k->exec.device->tunes;
    while (t && strcmp(t->kernel, "heat") != 0) t = t->next;
    assert_non_null(t);
    return t;
}

/* Runs until the search has ended; returns the number of steps. */
static int run_out(world *w)
{
    int steps = 1;
    run(w, 1);
    while (tune_of(w)->phase != DEVICE_SETTLED && steps++ < MOST_STEPS) run(w, 1);
    assert_int_equal(tune_of(w)->phase, DEVICE_SETTLED);
    return steps;
}

static int set_up(void **state)
{
    (void)state;
    memcpy(folder, "/tmp/kata-tune-XXXXXX", sizeof folder);
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unsetenv("KATA_SHIM_REFUSED");
    unsetenv("KATA_SHIM_THREADS");
    unsetenv("KATA_DEVICE_SHAPE");
    unsetenv("KATA_WISDOM");
    remove_folder(folder);
    return 0;
}

static const char *note_path(void)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/device-shapes", folder);
    return path;
}

/* The note, with its title. */
static text read_note(void)
{
    char part[4096];
    text note = {0};
    FILE *file = fopen(note_path(), "r");
    assert_non_null(file);
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;)
        text_add(&note, "%.*s", (int)n, part);
    fclose(file);
    return note;
}

static void write_note(const char *words)
{
    assert_int_equal(file_write(note_path(), words, strlen(words)), 0);
}

/* ---- tries, and what is kept ----------------------------------------------------------------- */

static void all_shapes_are_tried_and_give_the_same(void **state)
{
    (void)state;
    world w = open_world("cuda");
    int steps = run_out(&w);
    const struct device_tune *t = tune_of(&w);
    assert_true(t->count > 4 && !t->remembered);
    assert_true(steps > t->count);
    for (int i = 0; i < t->count; i++) {
        assert_true(t->ways[i].each > 0);
        assert_null(t->ways[i].dropped);
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(&t->ways[i].shape, &t->ways[j].shape, sizeof t->ways[i].shape);
        assert_true(t->ways[t->best].each <= t->ways[i].each || i == 0 || t->best == 0);
    }
    text said = {0};
    exec_device_explain(&w.k->exec, false, &said);
    assert_non_null(strstr(text_get(&said), "kernel 'heat' on 24 x 24 x 24 points: groups of "));
    assert_non_null(strstr(text_get(&said), "the fastest of 8 shapes"));
    text_free(&said);
    assert_int_equal(end(&w), expected(steps));
}

/* The line of a note about "heat", with another shape. */
static text with_shape(const text *note, const codegen_shape *s)
{
    text other = {0};
    const char *at = strstr(text_get(note), " threads ");
    assert_non_null(at);
    text_add(&other, "%.*s threads %d %d %d vector %d chunk %d along %d rows %d microseconds 1.5\n",
             (int)(at - text_get(note)), text_get(note), s->threads[0], s->threads[1],
             s->threads[2], s->vector, s->chunk, s->along, s->tall);
    return other;
}

static void the_next_start_begins_with_what_was_found(void **state)
{
    (void)state;
    world w = open_world("cuda");
    run_out(&w);
    codegen_shape shapes[CODEGEN_MOST_SHAPES];
    int count = tune_of(&w)->count;
    for (int i = 0; i < count; i++) shapes[i] = tune_of(&w)->ways[i].shape;
    kata_close(w.k);
    text note = read_note();
    for (int i = 0; i < count; i++) {
        text other = with_shape(&note, &shapes[i]);
        write_note(text_get(&other));
        text_free(&other);
        w = open_world("cuda");
        run(&w, 3);
        assert_true(tune_of(&w)->remembered && tune_of(&w)->phase == DEVICE_SETTLED);
        assert_int_equal(tune_of(&w)->best, i);
        assert_int_equal(end(&w), expected(3));
    }
    text_free(&note);
}

static void a_damaged_note_costs_a_new_search(void **state)
{
    (void)state;
    world w = open_world("cuda");
    run_out(&w);
    codegen_shape shape = tune_of(&w)->ways[0].shape;
    kata_close(w.k);
    text note = read_note();
    const codegen_shape wrong[] = {{.threads = {0, 4, 1}, .vector = 2, .chunk = 4, .along = 2},
                                   {.threads = {-32, 4, 1}, .vector = 2, .chunk = 4, .along = 2},
                                   {.threads = {32, 1024, 64}, .vector = 2, .chunk = 4, .along = 2},
                                   {.threads = {32, 4, 1}, .vector = 3, .chunk = 4, .along = 2},
                                   {.threads = {32, 4, 1}, .vector = 2, .chunk = 64, .along = 2},
                                   {.threads = {32, 4, 1}, .vector = 2, .chunk = 4, .along = 7}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        text other = with_shape(&note, &wrong[i]);
        write_note(text_get(&other));
        text_free(&other);
        w = open_world("cuda");
        run(&w, 1);
        assert_false(tune_of(&w)->remembered);
        assert_int_equal(end(&w), expected(1));
    }
    text good = with_shape(&note, &shape);
    uint64_t right = expected(1);
    const size_t stride = is_sanitized() ? 37 : 11;
    for (size_t i = 0; i < good.length; i += stride) { /* it is cut off, or a byte of it is wrong */
        char *bytes = strndup(text_get(&good), i % 3 ? good.length : i);
        if (i % 3) bytes[i] = (char)(i % 3 == 1 ? '#' : '\n');
        write_note(bytes);
        free(bytes);
        w = open_world("cuda");
        run(&w, 1);
        assert_int_equal(end(&w), right);
    }
    text_free(&good);
    text_free(&note);
}

static void a_switch_turns_keeping_off(void **state)
{
    (void)state;
    setenv("KATA_WISDOM", "0", 1);
    world w = open_world("cuda");
    int steps = run_out(&w);
    assert_int_equal(end(&w), expected(steps));
    assert_int_equal(access(note_path(), F_OK), -1);

    unsetenv("KATA_WISDOM");
    w = open_world("cuda");
    run_out(&w);
    kata_close(w.k);
    assert_int_equal(access(note_path(), F_OK), 0);
    setenv("KATA_WISDOM", "0", 1);
    w = open_world("cuda");
    run(&w, 1);
    assert_false(tune_of(&w)->remembered);
    kata_close(w.k);
}

/* Other loops' lines stay when one is kept. */
static void lines_about_others_are_kept(void **state)
{
    (void)state;
    write_note("katagami device shapes 2\ndevice 0123 loop 1 kernel other\nnonsense\n");
    world w = open_world("cuda");
    run_out(&w);
    kata_close(w.k);
    text note = read_note();
    assert_non_null(strstr(text_get(&note), "device 0123 loop 1 kernel other\n"));
    assert_null(strstr(text_get(&note), "nonsense"));
    assert_non_null(strstr(text_get(&note), " kernel heat threads "));
    text_free(&note);
}

/* ---- what cannot be run ---------------------------------------------------------------------- */

static void a_shape_that_does_not_compile_is_dropped(void **state)
{
    (void)state;
    setenv("KATA_SHIM_REFUSED", "first_y + 8 <= given.launch.hi[1]", 1);
    world w = open_world("cuda");
    int steps = run_out(&w), dropped = 0;
    const struct device_tune *t = tune_of(&w);
    for (int i = 0; i < t->count; i++) {
        bool refused = t->ways[i].shape.chunk == 8 && t->ways[i].shape.along == 1;
        assert_int_equal(t->ways[i].dropped != NULL, refused);
        assert_int_equal(t->ways[i].each > 0, !refused);
        dropped += refused;
    }
    assert_int_equal(dropped, 1);
    assert_true(kata_ok(w.k));
    assert_int_equal(end(&w), expected(steps));
}

/* A loop that reads nothing outside of fields: no other kernel runs. */
static world open_inside(const char *device)
{
    world w = open_world(device);
    w.range = kata_box_3d(w.g, 1, SIDE - 1, 1, SIDE - 1, 1, SIDE - 1);
    return w;
}

/* A launch for which the device has too little is run with fewer threads, also the usual one. */
static void launches_that_lack_resources_have_fewer_threads(void **state)
{
    (void)state;
    setenv("KATA_SHIM_THREADS", "64", 1);
    world w = open_inside("cuda");
    int steps = run_out(&w);
    const struct device_tune *t = tune_of(&w);
    assert_int_equal(t->ways[0].most_threads, 64);
    for (int i = 0; i < t->count; i++) assert_null(t->ways[i].dropped);
    world on_cpu = open_inside("none");
    run(&on_cpu, steps);
    assert_int_equal(end(&w), end(&on_cpu));

    setenv("KATA_SHIM_THREADS", "1", 1);
    w = open_inside("cuda");
    on_cpu = open_inside("none");
    run(&w, 2);
    run(&on_cpu, 2);
    assert_int_equal(end(&w), end(&on_cpu));
}

/* A sum of few bricks. */
static kata_status add_up(const char *device, double *sum)
{
    world w = open_world(device);
    kata_scalar *s = kata_scalar_new(w.k, "s", KATA_F64);
    kata_apply(kata_kernel_find(w.m, "mean"), kata_box_3d(w.g, 0, SIDE, 0, 9, 0, 9), w.u, s);
    kata_status status = kata_scalar_get(s, sum);
    kata_close(w.k);
    return status;
}

static void a_device_that_takes_no_row_of_a_sum_is_named(void **state)
{
    (void)state;
    double sum = 0, on_cpu = 0;
    assert_int_equal(add_up("none", &on_cpu), KATA_OK);
    setenv("KATA_SHIM_THREADS", "32", 1);
    assert_int_equal(add_up("cuda", &sum), KATA_OK);
    assert_memory_equal(&sum, &on_cpu, sizeof sum);
    setenv("KATA_SHIM_THREADS", "2", 1); /* a row has more */
    assert_int_equal(add_up("cuda", &sum), KATA_ERROR_DEVICE);
    assert_non_null(strstr(told, "the device 'CUDA shim' failed in kernel 'mean': "
                                 "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)"));
}

/* ---- beside the program ---------------------------------------------------------------------- */

/* Begins to compile other shapes beside the program, as after many runs. */
static world open_compiling(void)
{
    world w = open_world("cuda");
    w.k->exec.tune = w.k->exec.wait = false;
    run(&w, 1);
    struct device_tune *t = tune_of(&w);
    t->phase = DEVICE_COUNTS;
    t->ran = 1e10;
    run(&w, 1);
    assert_int_equal(tune_of(&w)->phase, DEVICE_COMPILES);
    return w;
}

static void the_program_runs_while_shapes_are_compiled(void **state)
{
    (void)state;
    world w = open_compiling();
    int steps = 2;
    for (; tune_of(&w)->phase != DEVICE_SETTLED && steps < 100000; steps++) {
        run(&w, 1);
        usleep(1000);
    }
    assert_true(steps > 2 + tune_of(&w)->count);
    assert_int_equal(tune_of(&w)->phase, DEVICE_SETTLED);
    assert_int_equal(end(&w), expected(steps));
}

static void programs_end_while_shapes_are_compiled(void **state)
{
    (void)state;
    world w = open_compiling();
    assert_int_equal(end(&w), expected(2));
    w = open_compiling();
    usleep(20000); /* a compiler runs, and its thread will write to the cache */
    assert_int_equal(end(&w), expected(2));
    fflush(NULL);
    for (int closes = 0; closes < 2; closes++) {
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            w = open_compiling();
            if (closes) kata_close(w.k);
            exit(7); /* with a thread that compiles */
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
}

static void a_process_made_by_fork_goes_on(void **state)
{
    (void)state;
    int status;
    world w = open_compiling();
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        run(&w, 4);
        _exit(tune_of(&w)->best == 0 && end(&w) == expected(6) ? 7 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    run(&w, 4);
    assert_int_equal(end(&w), expected(6));
}

/* ---- before a chain -------------------------------------------------------------------------- */

static kata_status run_three(const char *refused)
{
    world w = open_world("cuda");
    w.k->exec.tune = false;
    setenv("KATA_SHIM_REFUSED", refused, 1);
    kata_apply(kata_kernel_find(w.m, "first"), kata_all(w.g), w.u, w.v);
    kata_apply(kata_kernel_find(w.m, "second"), kata_all(w.g), w.v, w.u);
    kata_apply(kata_kernel_find(w.m, "third"), kata_all(w.g), w.u, w.v);
    kata_status status = kata_flush(w.k);
    unsetenv("KATA_SHIM_REFUSED");
    kata_close(w.k);
    return status;
}

static void the_first_loop_that_does_not_compile_is_named(void **state)
{
    (void)state;
    assert_int_equal(run_three("no such words"), KATA_OK); /* words of none */
    remove_folder(folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(run_three("two_of_them"), KATA_ERROR_COMPILER);
    assert_non_null(strstr(told, "failed for kernel 'second'"));
    assert_int_equal(count_in(folder, ""), 2); /* the others are kept */
    remove_folder(folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(run_three("__global__"), KATA_ERROR_COMPILER);
    assert_non_null(strstr(told, "failed for kernel 'first'"));
}

/* ---- asked for ------------------------------------------------------------------------------- */

static void a_shape_that_is_asked_for_runs_alone(void **state)
{
    (void)state;
    setenv("KATA_DEVICE_SHAPE", "x=16 y=2 vector=2 chunk=8 along=1", 1);
    world w = open_world("cuda");
    run(&w, 3);
    const struct device_tune *t = tune_of(&w);
    assert_int_equal(t->count, 1);
    assert_int_equal(t->phase, DEVICE_SETTLED);
    assert_true(t->ways[0].shape.threads[0] == 16 && t->ways[0].shape.threads[1] == 2 &&
                t->ways[0].shape.chunk == 8 && t->ways[0].shape.along == 1);
    assert_int_equal(end(&w), expected(3));
    assert_int_equal(access(note_path(), F_OK), -1);
}

static void wrong_words_for_a_shape_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"x=33",    "x=2048", "y=64 x=32", "vector=3", "chunk=17",
                                        "along=3", "x",      "w=1",       "x=",       "x=1,y=2"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        char message[400];
        setenv("KATA_DEVICE_SHAPE", wrong[i], 1);
        kata *k = kata_open(&(kata_options){.device = "cuda", .cache = folder, .handler = keep});
        snprintf(message, sizeof message,
                 "the environment variable KATA_DEVICE_SHAPE is '%s', not some of x=32", wrong[i]);
        assert_int_equal(kata_error(k), KATA_ERROR_ARGUMENT);
        if (!strstr(told, message)) fail_msg("%s", told);
        kata_close(k);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_shapes_are_tried_and_give_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_next_start_begins_with_what_was_found, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_note_costs_a_new_search, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_switch_turns_keeping_off, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_about_others_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_shape_that_does_not_compile_is_dropped, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(launches_that_lack_resources_have_fewer_threads, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_device_that_takes_no_row_of_a_sum_is_named, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_program_runs_while_shapes_are_compiled, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(programs_end_while_shapes_are_compiled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_process_made_by_fork_goes_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_loop_that_does_not_compile_is_named, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_shape_that_is_asked_for_runs_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_words_for_a_shape_are_refused, set_up, tear_down)};
    setenv("KATA_CUDA", getenv("KATA_SHIM_CUDA"), 1);
    setenv("KATA_NVRTC", getenv("KATA_SHIM_NVRTC"), 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
