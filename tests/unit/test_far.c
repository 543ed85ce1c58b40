/* Kernels that read and write far beyond the sides of a small grid: the reference executor's bits,
 * and memory that is bounded by the grid, not by how far the kernel reaches. */
/* Labels: hostile slow */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { MOST_POINTS = 24 * 10 * 4, MOST_KILOBYTES = 20 << 10, TEXT = 2048 };

/* R is replaced by a distance. */
static const char kernels[] =
    "kernel start(out double u, out double f[2])\n"
    "{ u = sin(ix + 7*iy + 3*iz); f[0] = u*0.5; f[1] = u + 1; }\n"
    "kernel corners(in double u, out double v, sum double s)\n"
    "{ v = u[R,R,R] - u[-R,-R,-R]; s += v*u; }\n"
    "kernel cross(in double f[2], out double v)\n"
    "{ v = f[0][R,-R,R] - f[1][-R,R,0] + f[0]; }\n"
    "kernel gentle(inout double u) { u = 0.5*u + 0.25*(u[R,R,1] + u[-R,-R,-1]); }\n"
    "kernel push(inout double f[2])\n"
    "{ double a = f[0][R,-R,R], b = f[1][-R,R,-R]; f[0][R,-R,R] = b; f[1][-R,R,-R] = a + 1; }\n"
    "kernel checked(in double u, out double v)\n"
    "{ assert(u[R,R,-R] - u[-R,-R,R] < 1.7); v = u[R,R,R] + u[-R,-R,-R]; }\n"
    "kernel climb(in double u, out double v) forward(z)\n"
    "{ interval [0, 1) { v = u; } interval [1, nz) { v = 0.5*v[0,0,-1] + u[R,-R,0] - u[-R,R,0]; } "
    "}\n";

typedef struct settings {
    const char *executor;
    int threads, reach;
    int64_t size[3];
    const kata_rule *rules; /* per side, of u */
    kata_layout layout;     /* of f */
} settings;

typedef struct results {
    double u[MOST_POINTS], v[3][MOST_POINTS], f[2 * MOST_POINTS], s;
    char said[512];
    kata_status status;
} results;

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(data, 512, "%s", message);
}

static void write_kernels(char out[TEXT], int reach)
{
    size_t length = 0;
    for (const char *c = kernels; *c; c++)
        if (*c == 'R')
            length += (size_t)snprintf(out + length, TEXT - length, "%d", reach);
        else
            out[length++] = *c;
    out[length] = '\0';
}

static void run(const settings *s, results *r)
{
    static const kata_rule periodic[6] = {KATA_PERIODIC, KATA_PERIODIC, KATA_PERIODIC,
                                          KATA_PERIODIC, KATA_PERIODIC, KATA_PERIODIC};
    char text[TEXT];
    write_kernels(text, s->reach);
    memset(r, 0, sizeof *r);
    kata *k = kata_open(&(kata_options){.executor = s->executor,
                                        .threads = s->threads,
                                        .handler = keep_message,
                                        .handler_data = r->said});
    kata_module *m = kata_module_from_text(k, "far.kata", text);
    kata_grid *g = kata_grid_3d(k, s->size[0], s->size[1], s->size[2]);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_new(g, "v", KATA_F64);
    kata_field *f = kata_field_new(g, "f", KATA_F64, .components = 2, .boundary = KATA_PERIODIC,
                                   .layout = s->layout);
    kata_scalar *sum = kata_scalar_new(k, "s", KATA_F64);
    int64_t points = s->size[0] * s->size[1] * s->size[2];
    bool all_periodic = !memcmp(s->rules, periodic, sizeof periodic);
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u, f);
    for (int side = 0; side < 6; side++)
        kata_boundary_set(u, (kata_side)side, s->rules[side], 0.25);
    kata_apply(kata_kernel_find(m, "corners"), kata_all(g), u, v, sum);
    kata_get(v, kata_all(g), r->v[0], points);
    kata_apply(kata_kernel_find(m, "cross"), kata_all(g), f, v);
    kata_get(v, kata_all(g), r->v[1], points);
    kata_apply(kata_kernel_find(m, "climb"), kata_all(g), u, v);
    kata_get(v, kata_all(g), r->v[2], points);
    for (int color = 0; color < 2 && all_periodic; color++)
        kata_apply(kata_kernel_find(m, "gentle"), kata_color(kata_all(g), 2, color), u);
    kata_apply(kata_kernel_find(m, "push"), kata_all(g), f);
    kata_get(u, kata_all(g), r->u, points);
    kata_get(f, kata_all(g), r->f, 2 * points);
    kata_scalar_get(sum, &r->s);
    if (!kata_ok(k)) fail_msg("%s", r->said);
    kata_apply(kata_kernel_find(m, "checked"), kata_all(g), u, v);
    kata_flush(k);
    r->status = kata_close(k);
}

static long peak_kilobytes(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

static void check(const settings *s)
{
    static results expected, found;
    settings reference = *s;
    reference.executor = "reference";
    run(&reference, &expected);
    long before = peak_kilobytes();
    run(s, &found);
    long grown = peak_kilobytes() - before;
    if (memcmp(&expected, &found, sizeof found) != 0)
        fail_msg("reach %d, %d x %d x %d, %d threads, layout %d, rules %d %d %d: other results\n%s",
                 s->reach, (int)s->size[0], (int)s->size[1], (int)s->size[2], s->threads,
                 (int)s->layout, (int)s->rules[0], (int)s->rules[1], (int)s->rules[2], found.said);
    const char *sanitized = getenv("KATA_SANITIZED");
    if (!sanitized || *sanitized != '1') assert_true(grown < MOST_KILOBYTES);
}

static void far_reads_and_writes_give_the_reference_executors_bits(void **state)
{
    (void)state;
    static const kata_rule rules[][6] = {
        {KATA_PERIODIC, KATA_PERIODIC, KATA_PERIODIC, KATA_PERIODIC, KATA_PERIODIC, KATA_PERIODIC},
        {KATA_REFLECT_FACE, KATA_ANTISYMMETRIC_NODE, KATA_PERIODIC, KATA_PERIODIC, KATA_CLAMP,
         KATA_CONSTANT},
        {KATA_ANTISYMMETRIC_FACE, KATA_ANTISYMMETRIC_FACE, KATA_CLAMP, KATA_REFLECT_NODE,
         KATA_PERIODIC, KATA_PERIODIC},
    };
    static const int64_t sizes[][3] = {{8, 8, 8}, {24, 10, 4}};
    static const int reaches[] = {1, 8, 128, 1024};
    for (size_t i = 0; i < sizeof reaches / sizeof *reaches; i++)
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
            for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
                check(&(settings){"cpu",
                                  r == 1 ? 3 : 1,
                                  reaches[i],
                                  {sizes[n][0], sizes[n][1], sizes[n][2]},
                                  rules[r],
                                  n + r == 1   ? KATA_BLOCKS
                                  : n + r == 2 ? KATA_STRUCTURES
                                               : KATA_ARRAYS});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_reads_and_writes_give_the_reference_executors_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
