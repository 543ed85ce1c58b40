/* ./dev bench --device NAME: what kernels reach on a device, beside its copy of the same type.
 *
 *     bench_device NAME [--size N] [--steps N] [--repeat N] [--limit BYTES] [--only KERNEL]
 *
 * A kernel reads one field and writes another, and the two are swapped after each step; a wave also
 * reads the one it writes, and a medium. Bytes are the fewest: each value is read once and written
 * once. Times are from kata_flush to kata_flush,
 * the median of some repetitions, each beside a copy. With a limit of the device's memory, each is
 * beside the same kernel without one; KATA_EXPLAIN=text then shows how fields were moved. A kernel
 * is named as it is called, or as its line says. Loops run one by one, but in a second line of some
 * kernels, "over time", in which some loops run at once where that has been found to be faster.
 *
 * On grids of 64 points or less a step takes as long as it takes to start its kernels: then kernels
 * that need several of them are measured, too. */
#include "device_kata.h"

#include <kata/kata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SUM = 1,   /* it has a sum, */
    LOOKS = 2, /* which the program looks at after each step */
    FLAT = 4,  /* the grid has 80 levels */
    SMALL = 8, /* on small grids only */
    WAVE = 16  /* of three time levels, with a medium */
};
enum { SMALL_SIZE = 64 };

typedef struct bench_case {
    const char *kernel;
    kata_type type;
    int reach[3];   /* of reads: points that far from the sides run */
    kata_rule rule; /* KATA_NONE: the points inside; otherwise all of them */
    int traits;
    const char *words;
} bench_case;

static const bench_case cases[] = {
    {"copy_f64", KATA_F64, {0, 0, 0}, KATA_NONE, 0, "copy, f64"},
    {"copy_f32", KATA_F32, {0, 0, 0}, KATA_NONE, 0, "copy, f32"},
    {"star7_f64", KATA_F64, {1, 1, 1}, KATA_NONE, 0, "7-point, f64"},
    {"star7_f64", KATA_F64, {1, 1, 1}, KATA_PERIODIC, 0, "7-point, f64, periodic"},
    {"star7_f64", KATA_F64, {1, 1, 1}, KATA_CLAMP, 0, "7-point, f64, clamped"},
    {"star7_f32", KATA_F32, {1, 1, 1}, KATA_NONE, 0, "7-point, f32"},
    {"star7_f32", KATA_F32, {1, 1, 1}, KATA_CLAMP, 0, "7-point, f32, clamped"},
    {"star7_sum", KATA_F64, {1, 1, 1}, KATA_NONE, SUM, "7-point and a sum, f64"},
    {"star7_sum", KATA_F64, {1, 1, 1}, KATA_PERIODIC, SUM | SMALL, "and a sum, periodic"},
    {"star7_sum", KATA_F64, {1, 1, 1}, KATA_PERIODIC, SUM | SMALL | LOOKS, "and looked at"},
    {"box27_f64", KATA_F64, {1, 1, 1}, KATA_NONE, 0, "27-point, f64"},
    {"box27_f64", KATA_F64, {1, 1, 1}, KATA_PERIODIC, SMALL, "27-point, f64, periodic"},
    {"star49_f32", KATA_F32, {8, 8, 8}, KATA_NONE, 0, "order 16, f32"},
    {"star49_f64", KATA_F64, {8, 8, 8}, KATA_NONE, 0, "order 16, f64"},
    {"wave_f32", KATA_F32, {4, 4, 4}, KATA_NONE, WAVE, "wave of order 8, f32"},
    {"diffuse", KATA_F64, {2, 2, 0}, KATA_NONE, FLAT, "horizontal diffusion, f64"},
};
/* Those that are measured over time, too, in chains of so many steps, after so many. */
static const char *const over_time[] = {"7-point, f64",          "7-point, f64, periodic",
                                        "7-point, f32",          "7-point, f64, clamped",
                                        "7-point, f32, clamped", "27-point, f64"};
enum { OVER_TIME = sizeof over_time / sizeof *over_time, LONG_CHAIN = 64, UNTIL_FOUND = 6 };
enum { CASES = sizeof cases / sizeof *cases, MOST_REPEATS = 31 };

typedef struct options {
    const char *device, *only; /* NULL: all kernels */
    int64_t size;
    int64_t limit; /* bytes; 0: none */
    int steps, repeat;
    bool over_time;
} options;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct run {
    kata *k;
    kata_grid *grid;
    kata_field *u, *v, *medium;
    kata_kernel *kernel;
    kata_scalar *sum;
    kata_range range;
    double bytes; /* of a step */
    double found; /* the sum */
} run;

static void open_case(run *r, kata *k, kata_module *m, const bench_case *c, const options *o)
{
    int64_t n = o->size, nz = c->traits & FLAT ? 80 : n;
    *r = (run){.k = k};
    r->grid = kata_grid_3d(k, n, n, nz);
    r->u = kata_field_new(r->grid, "u", c->type, .boundary = c->rule);
    r->v = kata_field_like(r->u, "v");
    r->kernel = kata_kernel_find(m, c->kernel);
    r->sum = c->traits & SUM ? kata_scalar_new(k, "sum", KATA_F64) : NULL;
    bool all = c->rule != KATA_NONE;
    const int *h = c->reach;
    r->range = all ? kata_all(r->grid)
                   : kata_box_3d(r->grid, h[0], n - h[0], h[1], n - h[1], h[2], nz - h[2]);
    double points = (double)n * (double)n * (double)nz;
    if (!all) points = (double)(n - 2 * h[0]) * (double)(n - 2 * h[1]) * (double)(nz - 2 * h[2]);
    r->bytes = (c->traits & WAVE ? 4 : 2) * points * (c->type == KATA_F64 ? 8 : 4);
    if (c->traits & WAVE) {
        r->medium = kata_field_like(r->u, "medium");
        kata_fill(r->medium, kata_all(r->grid), 0.05);
    }
    kata_fill(r->u, kata_all(r->grid), 1.0);
    kata_fill(r->v, kata_all(r->grid), 1.0);
}

static void steps(run *r, const bench_case *c, int count)
{
    for (int i = 0; i < count; i++) {
        if (!strncmp(c->kernel, "copy", 4))
            kata_apply(r->kernel, r->range, r->u, r->v);
        else if (c->traits & WAVE)
            kata_apply(r->kernel, r->range, r->u, r->v, r->medium);
        else if (c->traits & SUM)
            kata_apply(r->kernel, r->range, r->u, r->v, 0.4, 0.1, r->sum);
        else
            kata_apply(r->kernel, r->range, r->u, r->v, 0.4, 0.1);
        kata_swap(r->u, r->v);
        if (c->traits & LOOKS) kata_scalar_get(r->sum, &r->found);
    }
    kata_flush(r->k);
}

/* Bytes per second. */
static double rate(run *r, const bench_case *c, int count)
{
    double begin = seconds();
    steps(r, c, count);
    return r->bytes * count / (seconds() - begin);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, ascending);
    return x[count / 2];
}

/* `other`: the context of what runs beside. */
static bool measure(kata *k, kata *other, const bench_case *c, const options *o)
{
    const bench_case *copy = o->limit ? c : c->type == KATA_F64 ? &cases[0] : &cases[1];
    double rates[MOST_REPEATS], copies[MOST_REPEATS], ratios[MOST_REPEATS];
    run r, beside;
    open_case(&r, k, kata_module_from_text(k, "device.kata", device_kata), c, o);
    open_case(&beside, other, kata_module_from_text(other, "device.kata", device_kata), copy, o);
    steps(&r, c, o->limit ? o->steps : 2);
    for (int i = 0; i < UNTIL_FOUND && o->over_time; i++) steps(&r, c, o->steps);
    steps(&beside, copy, 2);
    for (int i = 0; i < o->repeat && kata_ok(k) && kata_ok(other); i++) {
        copies[i] = rate(&beside, copy, o->steps);
        rates[i] = rate(&r, c, o->steps);
        ratios[i] = rates[i] / copies[i];
    }
    if (!kata_ok(k) || !kata_ok(other)) return false;
    const double own = median(rates, o->repeat), others = median(copies, o->repeat);
    printf("%-26s %5lld  %9.4f ms  %8.1f GB/s  %8.1f GB/s", o->over_time ? "  over time" : c->words,
           (long long)o->size, r.bytes / own * 1e3, own / 1e9, others / 1e9);
    if (o->limit) printf("  %9.3f ms", r.bytes / others * 1e3);
    printf("  %5.3f\n", median(ratios, o->repeat));
    fflush(stdout);
    kata_discard(r.u);
    kata_discard(r.v);
    kata_discard(beside.u);
    kata_discard(beside.v);
    kata_flush(k);
    kata_flush(other);
    return kata_ok(k) && kata_ok(other);
}

static bool open_and_measure(const bench_case *c, const options *o)
{
    const char *plan = o->over_time || o->limit ? NULL : "loops";
    const kata_options own = {
        .device = o->device, .wait = true, .plan = plan, .device_memory = o->limit};
    const kata_options usual = {
        .device = o->device, .wait = true, .plan = o->limit ? NULL : "loops"};
    const bool apart = o->limit || o->over_time;
    kata *k = kata_open(&own), *other = apart ? kata_open(&usual) : k;
    const bool good = k && other && measure(k, other, c, o);
    if (apart && other) kata_close(other);
    if (k) kata_close(k);
    return good;
}

static bool is_over_time(const bench_case *c)
{
    bool is = false;
    for (int i = 0; i < OVER_TIME; i++) is = is || !strcmp(c->words, over_time[i]);
    return is;
}

/* A number of bytes, such as 8G or 500M; 0: it is none. */
static int64_t read_bytes(const char *words)
{
    char *end;
    double bytes = strtod(words, &end);
    bytes *= *end == 'G' ? 1e9 : *end == 'M' ? 1e6 : *end == 'k' ? 1e3 : 1;
    return *end && end[1] ? 0 : (int64_t)bytes;
}

static bool parse(options *o, int argc, char **argv)
{
    if (argc < 2) return false;
    o->device = argv[1];
    for (int i = 2; i + 1 < argc; i += 2) {
        int value = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--size"))
            o->size = value;
        else if (!strcmp(argv[i], "--steps"))
            o->steps = value;
        else if (!strcmp(argv[i], "--repeat"))
            o->repeat = value;
        else if (!strcmp(argv[i], "--limit") && read_bytes(argv[i + 1]) > 0)
            o->limit = read_bytes(argv[i + 1]);
        else if (!strcmp(argv[i], "--only"))
            o->only = argv[i + 1];
        else
            return false;
    }
    return argc % 2 == 0 && o->size >= 32 && o->steps > 0 && o->repeat > 0 &&
           o->repeat <= MOST_REPEATS;
}

static bool is_chosen(const bench_case *c, const options *o)
{
    if (o->only) return !strcmp(o->only, c->kernel) || !strcmp(o->only, c->words);
    return o->size <= SMALL_SIZE || !(c->traits & SMALL);
}

/* Returns how many kernels were asked for. */
static int count_chosen(const options *o)
{
    int count = 0;
    for (int i = 0; i < CASES; i++) count += is_chosen(&cases[i], o);
    return count;
}

int main(int argc, char **argv)
{
    options o = {.size = 512, .steps = 20, .repeat = 7};
    if (!parse(&o, argc, argv) || !count_chosen(&o)) {
        fprintf(stderr, "usage: bench_device NAME [--size N] [--steps N] [--repeat N] "
                        "[--limit BYTES] [--only KERNEL]\n");
        return 2;
    }
    bool good = true;
    printf("%-26s %5s  %12s  %13s  %13s", "kernel", "size", "a step", "reads, writes",
           o.limit ? "without limit" : "copy beside");
    if (o.limit) printf("  %12s", "a step");
    printf("  %5s\n", "ratio");
    for (int i = 0; i < CASES && good; i++) {
        if (!is_chosen(&cases[i], &o)) continue;
        good = open_and_measure(&cases[i], &o);
        if (good && !o.limit && is_over_time(&cases[i])) {
            options longer = o;
            longer.over_time = true;
            if (longer.steps < LONG_CHAIN) longer.steps = LONG_CHAIN;
            good = open_and_measure(&cases[i], &longer);
        }
    }
    return !good;
}
