/* Programs with fields in files. Random ones that are periodic along the slowest dimension give the
 * bits that they give without a limit of memory, and most of their loops run rolled out. */
/* Labels: hostile slow */
#include "api/api.h"
#include "exec/on_files.h"
#include "sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIELDS = 4, MOST_STEPS = 40, PROGRAMS = 40 };

/* Those with two fields come first, then those with one; see make_step. The letters are a plane's
 * offsets: 0,0,N in three dimensions, 0,N in two. */
static const char kernels_3d[] =
    "kernel spread(in double u, out double v)\n"
    "{ v = 0.4*u + 0.1*(u[0,0,-1] + u[0,0,1] + u[0,1,0] + u[1,0,0] + u[-1,0,0] + u[0,-1,0]); }\n"
    "kernel ahead(in double u, out double v) { v = u[0,0,2] - 0.5*u[0,0,1]; }\n"
    "kernel behind(in double u, inout double v) { v = 0.5*v + 0.4*u[0,0,-2]; }\n"
    "kernel push(in double u, inout double v) { v[0,0,1] = 0.5*u + 0.1*ix; }\n"
    "kernel rows(in double u, inout double v) { v = iy > 2 ? u[0,0,-1] : v; }\n"
    "kernel level(in double u, out double v) { v = u + 0.01*iz; }\n"
    "kernel point(inout double u, double c) { u = 0.9*u + c; }\n"
    "kernel total(in double r, sum double s) { s += r*r; }\n"
    "kernel begin(out double u, long c) { u = random(c); }\n";
static const char kernels_2d[] =
    "kernel spread(in double u, out double v) { v = 0.4*u + 0.1*(u[0,-1] + u[0,1] + u[1,0]); }\n"
    "kernel ahead(in double u, out double v) { v = u[0,2] - 0.5*u[0,1]; }\n"
    "kernel behind(in double u, inout double v) { v = 0.5*v + 0.4*u[0,-2]; }\n"
    "kernel push(in double u, inout double v) { v[0,1] = 0.5*u + 0.1*ix; }\n"
    "kernel rows(in double u, inout double v) { v = ix > 2 ? u[0,-1] : v; }\n"
    "kernel level(in double u, out double v) { v = u + 0.01*iy; }\n"
    "kernel point(inout double u, double c) { u = 0.9*u + c; }\n"
    "kernel total(in double r, sum double s) { s += r*r; }\n"
    "kernel begin(out double u, long c) { u = random(c); }\n";
static const char *const names[] = {"spread", "ahead", "behind", "push", "rows",
                                    "level",  "point", "total",  "begin"};
enum { TWO_FIELDS = 6, POINT = 6, TOTAL, BEGIN, KERNELS };

typedef struct step {
    int kernel, from, to;
    int64_t lo, hi; /* planes */
} step;

typedef struct program {
    bool flat; /* two dimensions */
    int64_t planes, memory;
    step steps[MOST_STEPS];
    int count;
    char plan[64]; /* with a limit; "": none is asked for */
} program;

/* What a program gives. */
typedef struct result {
    double *values[FIELDS], sum;
    int64_t rolled;
    bool asked; /* a section had the sizes that the plan asks for */
} result;

typedef struct tally {
    uint64_t rolled, asked;
} tally;

static uint64_t state_of_random;

static int64_t from(int64_t lo, int64_t hi)
{
    const uint64_t *seed = &state_of_random;
    state_of_random = hash_bytes(seed, sizeof *seed, 1);
    return lo + (int64_t)(state_of_random % (uint64_t)(hi - lo + 1));
}

static step make_step(int64_t planes)
{
    step s = {.kernel = (int)from(0, TOTAL), .from = (int)from(0, FIELDS - 1), .hi = planes};
    if (s.kernel >= TWO_FIELDS - 1 && from(0, 3)) s.kernel = (int)from(0, 1); /* fewer of those */
    s.to = (s.from + (int)from(1, FIELDS - 1)) % FIELDS;
    if (from(0, 9) == 0) s.lo = from(0, planes - 1);
    if (from(0, 9) == 0) s.hi = from(s.lo + 1, planes);
    return s;
}

static program make_program(uint64_t seed)
{
    state_of_random = seed;
    program p = {.flat = from(0, 3) == 0, .count = (int)from(3, MOST_STEPS)};
    p.planes = p.flat ? from(120, 200) : from(20, 70);
    p.memory = from(1, 3) * p.planes * 4096;
    for (int i = 0; i < p.count; i++) p.steps[i] = make_step(p.planes);
    if (from(0, 2)) return p;
    static const char *const below[] = {"", " / loops", " / skewed x=9 y=5 z=3",
                                        " / tiled cache=4k"};
    snprintf(p.plan, sizeof p.plan, "streamed y=%d z=%d depth=%d%s", (int)from(1, 9),
             (int)from(1, 9), (int)from(1, 9), below[from(0, 3)]);
    return p;
}

static kata_grid *grid_of(kata *k, const program *p)
{
    return p->flat ? kata_grid_2d(k, 600, p->planes) : kata_grid_3d(k, 32, 16, p->planes);
}

static kata_range planes_of(kata_grid *g, const program *p, int64_t lo, int64_t hi)
{
    return p->flat ? kata_box_2d(g, 0, 600, lo, hi) : kata_box_3d(g, 0, 32, 0, 16, lo, hi);
}

static void run_step(const step *s, kata_kernel *const *kernels, kata_range range,
                     kata_field *const *fields, kata_scalar *sum)
{
    kata_kernel *kernel = kernels[s->kernel];
    if (s->kernel < TWO_FIELDS)
        kata_apply(kernel, range, fields[s->from], fields[s->to]);
    else if (s->kernel == POINT)
        kata_apply(kernel, range, fields[s->from], 0.25 * s->to);
    else
        kata_apply(kernel, range, fields[s->from], sum);
}

/* Warnings of sizes that do not fit. */
static void ignore(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)message;
    assert_int_equal(status, KATA_OK);
}

static result run(const program *p, bool limited)
{
    result r = {0};
    kata *k = kata_open(&(kata_options){.memory = limited ? p->memory : 0,
                                        .threads = 2,
                                        .plan = limited && *p->plan ? p->plan : NULL,
                                        .handler = ignore});
    kata_module *m = kata_module_from_text(k, "k.kata", p->flat ? kernels_2d : kernels_3d);
    kata_grid *g = grid_of(k, p);
    kata_kernel *kernels[KERNELS];
    kata_field *fields[FIELDS];
    kata_scalar *sum = kata_scalar_new(k, "s", KATA_F64);
    for (int i = 0; i < KERNELS; i++) kernels[i] = kata_kernel_find(m, names[i]);
    for (int i = 0; i < FIELDS; i++)
        fields[i] = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    for (int i = 0; i < FIELDS; i++) kata_apply(kernels[BEGIN], kata_all(g), fields[i], i);
    kata_flush(k);
    for (int i = 0; i < p->count; i++) {
        const step *s = &p->steps[i];
        run_step(s, kernels, planes_of(g, p, s->lo, s->hi), fields, sum);
    }
    kata_scalar_get(sum, &r.sum);
    const size_t points = (size_t)p->planes * (p->flat ? 600 : 512);
    for (int i = 0; i < FIELDS; i++) {
        r.values[i] = calloc(points, sizeof(double));
        assert_non_null(r.values[i]);
        kata_get(fields[i], kata_all(g), r.values[i], points);
    }
    if (limited) {
        const exec_streams *files = &k->exec.files->streams;
        r.rolled = files->rolled;
        r.asked = files->asked.method && files->request.tile[2] == files->asked.tile[2];
    }
    assert_int_equal(kata_close(k), KATA_OK);
    return r;
}

static void show(const program *p)
{
    printf("%d dimensions, %lld planes, %lld bytes, plan '%s'\n", p->flat ? 2 : 3,
           (long long)p->planes, (long long)p->memory, p->plan);
    for (int i = 0; i < p->count; i++)
        printf("  %s %d %d, planes %lld to %lld\n", names[p->steps[i].kernel], p->steps[i].from,
               p->steps[i].to, (long long)p->steps[i].lo, (long long)p->steps[i].hi);
}

static void check(uint64_t seed, tally *t)
{
    program p = make_program(seed);
    const size_t bytes = (size_t)p.planes * (p.flat ? 600 : 512) * sizeof(double);
    result free_run = run(&p, false), limited = run(&p, true);
    bool same = !memcmp(&free_run.sum, &limited.sum, sizeof free_run.sum);
    for (int i = 0; i < FIELDS; i++) {
        bool equal = !memcmp(free_run.values[i], limited.values[i], bytes);
        if (!equal) printf("field %d differs\n", i);
        same = same && equal;
        free(free_run.values[i]);
        free(limited.values[i]);
    }
    t->rolled += limited.rolled > 0;
    t->asked += limited.asked;
    if (same) return;
    show(&p);
    fail_msg("seed %llu differs with a limit of memory", (unsigned long long)seed);
}

/* KATA_TEST_PROGRAMS for another number, KATA_TEST_SEED for another start. */
static void random_periodic_programs_stream(void **state)
{
    (void)state;
    const char *programs = getenv("KATA_TEST_PROGRAMS"), *first = getenv("KATA_TEST_SEED");
    const uint64_t count = programs         ? strtoull(programs, NULL, 10)
                           : is_sanitized() ? PROGRAMS / 3
                                            : PROGRAMS;
    const uint64_t start = first ? strtoull(first, NULL, 10) : 1;
    tally t = {0};
    for (uint64_t seed = start; seed < start + count; seed++) check(seed, &t);
    assert_true(count < PROGRAMS || (t.rolled > count / 2 && t.asked > count / 10));
}

/* A loop that runs once may come before the loops with points, but not what reduces over none. */
static void reductions_over_no_points_come_last(void **state)
{
    (void)state;
    double least = 0;
    kata *k = kata_open(&(kata_options){.memory = 24000}); /* for one loop a section */
    kata_module *m = kata_module_from_text(k, "k.kata",
                                           "kernel low(in double u, min double s)\n"
                                           "{ s = min(s, u[0,0,1]); }\n"
                                           "kernel next(inout double n) { n += 1; }\n");
    kata_grid *g = kata_grid_3d(k, 32, 16, 64);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field_new(g, "v", KATA_F64);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64), *n = kata_scalar_new(k, "n", KATA_F64);
    kata_kernel *low = kata_kernel_find(m, "low");
    kata_apply(low, kata_box_3d(g, 0, 10, 0, 16, 5, 60), u, s);
    kata_apply(low, kata_box_3d(g, 9, 9, 0, 16, 5, 60), u, s);
    kata_apply(kata_kernel_find(m, "next"), kata_once(k), n);
    assert_int_equal(kata_scalar_get(s, &least), KATA_OK);
    assert_true(k->exec.files->streams.streamed > 0 && isinf(least));
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_periodic_programs_stream),
        cmocka_unit_test(reductions_over_no_points_come_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
