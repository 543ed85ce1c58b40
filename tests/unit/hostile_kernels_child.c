/* The process that tries a text. Its kernels are applied to small fields of every kind that their
 * parameters ask for, between fields that must not change. */
#include "hostile_kernels.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_MEMORY = 1 << 30, /* bytes of addresses beyond what the program starts with */
    MOST_SECONDS = 20,     /* of processor time */
    MOST_WAITING = 60,     /* seconds, compilers included */
#ifdef __clang__
    MOST_STACK = 4 << 20, /* clang keeps many values of the largest kernels on the stack */
#else
    MOST_STACK = 512 << 10,
#endif
    MOST_KERNELS = 20, /* that are run of a text */
    SIZE = 5,
    MOST_PARAMS = 64,
    HARM_EXIT = 3
};

char hostile_message[4096];

static void keep(void *data, kata_status status, const char *message)
{
    int *pipe_end = data;
    if (!status) return;
    size_t length = strlen(message);
    if (length >= sizeof hostile_message) length = sizeof hostile_message - 1;
    if (write(*pipe_end, message, length) < 0) _exit(HARM_EXIT);
    bool harm = status == KATA_ERROR_INTERNAL || status == KATA_ERROR_COMPILER ||
                status == KATA_ERROR_MEMORY;
    if (harm) _exit(HARM_EXIT);
}

static void set_limit(int what, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(what, &limit)) _exit(HARM_EXIT);
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most) most = limit.rlim_max;
    limit.rlim_cur = most;
    if (setrlimit(what, &limit)) _exit(HARM_EXIT);
}

static void set_limits(void)
{
    const char *sanitized = environment_get("KATA_SANITIZED");
    bool shadow = sanitized && *sanitized == '1'; /* sanitizers reserve memory and grow frames */
    if (!shadow) set_limit(RLIMIT_AS, MOST_MEMORY);
    if (!shadow) set_limit(RLIMIT_STACK, MOST_STACK);
    set_limit(RLIMIT_CPU, shadow ? 4 * MOST_SECONDS : MOST_SECONDS);
    set_limit(RLIMIT_CORE, 0);
    alarm(shadow ? 4 * MOST_WAITING : MOST_WAITING);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Values of all fields and scalars that a kernel was given. */
typedef struct outcome {
    double values[MOST_PARAMS][SIZE * SIZE * SIZE * 2];
} outcome;

static kata_grid *grid_of(kata *k, int rank)
{
    return rank == 1   ? kata_grid_1d(k, SIZE)
           : rank == 3 ? kata_grid_3d(k, SIZE, SIZE, SIZE)
                       : kata_grid_2d(k, SIZE, SIZE);
}

static int64_t points_of(int rank) { return rank == 1 ? SIZE : rank == 3 ? 125 : 25; }

static bool is_integer(kata_type type)
{
    return type == KATA_I64 || type == KATA_I32 || type == KATA_U8;
}

/* A guard: a field around the kernel's that has to keep its values. */
static kata_field *guard_new(kata_grid *g, int64_t points)
{
    double values[SIZE * SIZE * SIZE];
    kata_field *guard = kata_field_new(g, "guard", KATA_F64);
    for (int64_t i = 0; i < points; i++) values[i] = 12345.5;
    kata_put(guard, kata_all(g), values, points);
    return guard;
}

static void guard_check(kata_field *guard, kata_grid *g, int64_t points)
{
    double values[SIZE * SIZE * SIZE];
    if (kata_get(guard, kata_all(g), values, points)) return;
    for (int64_t i = 0; i < points; i++)
        if (values[i] != 12345.5) _exit(HARM_EXIT);
}

static kata_arg argument(kata *k, kata_grid *g, const kata_param *p)
{
    static const double numbers[65536] = {3, 1, 4, 1, 5};
    static const int64_t integers[65536] = {3, 1, 4, 1, 5};
    if (p->kind <= KATA_PARAM_INOUT)
        return kata_arg_field(
            kata_field_new(g, "f", p->type, .components = p->count, .boundary = KATA_CLAMP), 0);
    if (p->kind >= KATA_PARAM_SUM)
        return kata_arg_scalar(kata_scalar_array_new(k, "s", p->type, p->count), 0);
    if (p->kind == KATA_PARAM_TABLE)
        return is_integer(p->type) ? kata_table_of(KATA_I64, integers, p->count)
                                   : kata_table_of(KATA_F64, numbers, p->count);
    return is_integer(p->type) ? kata_arg_integer(1, 0) : kata_arg_floating(1.5, 0);
}

/* Keeps the bits of a field's first components. */
static void keep_values(kata_field *f, kata_grid *g, const kata_param *p, int64_t points,
                        double *values)
{
    int64_t count = points * p->count;
    void *all = calloc((size_t)count, sizeof(double));
    kata_range range = kata_all(g);
    if (all && kata_get_values(f, &range, p->type, all, count) == KATA_OK)
        memcpy(values, all, (size_t)(p->count > 1 ? 2 : 1) * (size_t)points);
    free(all);
}

static void run_kernel(kata *k, kata_kernel *kernel, outcome *out)
{
    int rank = kata_kernel_rank(kernel), count = kata_kernel_params(kernel);
    kata_grid *g = grid_of(k, rank);
    int64_t points = points_of(rank);
    kata_arg args[MOST_PARAMS];
    kata_param params[MOST_PARAMS];
    if (count > MOST_PARAMS) return;
    kata_field *before = guard_new(g, points);
    for (int i = 0; i < count; i++) {
        kata_kernel_param(kernel, i, &params[i]);
        args[i] = argument(k, g, &params[i]);
    }
    kata_field *after = guard_new(g, points);
    kata_range range = kata_all(g);
    kata_apply_args(kernel, &range, count, args);
    kata_flush(k);
    guard_check(before, g, points);
    guard_check(after, g, points);
    for (int i = 0; i < count && kata_ok(k); i++)
        if (params[i].kind <= KATA_PARAM_INOUT)
            keep_values(args[i].as.field, g, &params[i], points, out->values[i]);
}

static bool run_all(const hostile_attempt *a, const char *executor, int pipe_end, outcome *out)
{
    kata *k = kata_open(&(kata_options){.executor = executor,
                                        .threads = 2,
                                        .handler = keep,
                                        .handler_data = &pipe_end,
                                        .no_warnings = true});
    kata_module *m =
        a->file ? kata_module_load(k, a->name) : kata_module_from_text(k, a->name, a->text);
    for (int i = 0; i < kata_module_kernels(m) && i < MOST_KERNELS && kata_ok(k); i++) {
        const char *shown = kata_kernel_describe(kata_module_kernel(m, i), KATA_ACCESSES);
        if (!shown) break;
        run_kernel(k, kata_module_kernel(m, i), &out[i]);
    }
    if (m && kata_ok(k)) kata_kernel_find(m, "no_kernel_is_called_so"), kata_error_clear(k);
    return kata_close(k) == KATA_OK;
}

static int attempt(const hostile_attempt *a, int pipe_end)
{
    static outcome by_reference[MOST_KERNELS], by_compiler[MOST_KERNELS];
    set_limits();
    if (!run_all(a, "reference", pipe_end, by_reference)) return HOSTILE_REFUSED;
    if (!a->compiled) return HOSTILE_RAN;
    if (!run_all(a, "cpu", pipe_end, by_compiler)) return HARM_EXIT;
    bool same = memcmp(by_reference, by_compiler, sizeof by_reference) == 0;
    return same ? HOSTILE_RAN : HARM_EXIT;
}

/* ---- watching -------------------------------------------------------------------------------- */

static void read_message(int pipe_end)
{
    size_t used = 0;
    ssize_t got;
    char rest[256];
    hostile_message[0] = 0;
    while ((got = used < sizeof hostile_message - 1
                      ? read(pipe_end, hostile_message + used, sizeof hostile_message - 1 - used)
                      : read(pipe_end, rest, sizeof rest)) > 0)
        if (used < sizeof hostile_message - 1) used += (size_t)got;
    hostile_message[used] = 0;
}

static void print_harm(const hostile_attempt *a, int status)
{
    fprintf(stderr, "%s %d, message '%.300s', of the text that begins with\n%.*s\n",
            WIFSIGNALED(status) ? "signal" : "exit code",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), hostile_message,
            a->length < 300 ? (int)a->length : 300, a->text);
}

hostile_end hostile_try(const hostile_attempt *a)
{
    int ends[2], status = 0;
    if (a->file && file_write(a->name, a->text, a->length)) return HOSTILE_HARM;
    if (pipe(ends)) return HOSTILE_HARM;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        _exit(attempt(a, ends[1]));
    }
    close(ends[1]);
    read_message(ends[0]);
    close(ends[0]);
    if (a->file) unlink(a->name);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return HOSTILE_HARM;
    bool ended = WIFEXITED(status) && WEXITSTATUS(status) <= HOSTILE_REFUSED;
    bool silent = ended && WEXITSTATUS(status) == HOSTILE_REFUSED && !hostile_message[0];
    if (ended && !silent) return (hostile_end)WEXITSTATUS(status);
    print_harm(a, status);
    return HOSTILE_HARM;
}

hostile_end hostile_try_text(text *program, bool compiled)
{
    hostile_end end = program->failed ? HOSTILE_HARM
                                      : hostile_try(&(hostile_attempt){.name = "k.kata",
                                                                       .text = text_get(program),
                                                                       .length = program->length,
                                                                       .compiled = compiled});
    text_free(program);
    return end;
}
