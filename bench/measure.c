/* Taking times. In a repetition Katagami, the plain loop and the hand-written kernel follow one
 * another. Each runs between two copies, which show the bandwidth at that time. */
#include "bench.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

typedef struct run {
    bench_data data;
    bench_program program;
    const bench_case *c;
    int64_t points, times; /* sweeps in a timing */
} run;

enum { KATA, PLAIN, HAND, COMPETITORS };

/* Sweeps after which Katagami has tried its ways to run a loop. */
enum { SETTLED = 8 };

/* ---- one timing ------------------------------------------------------------------------------ */

static void sweep(run *r, int who, int64_t times)
{
    if (who == KATA)
        bench_program_run(&r->program, times);
    else
        for (int64_t i = 0; i < times; i++) (who == PLAIN ? r->c->plain : r->c->hand)(&r->data);
}

/* 1e9 points/s */
static double rate(run *r, int who)
{
    double start = omp_get_wtime();
    sweep(r, who, r->times);
    return 1e-9 * (double)(r->points * r->times) / (omp_get_wtime() - start);
}

/* The number of sweeps that takes about the time asked for. */
static void choose_times(run *r, double seconds)
{
    r->times = 1;
    sweep(r, HAND, 1);
    double each = 1e-9 * (double)r->points / rate(r, HAND);
    if (each < seconds) r->times = (int64_t)(seconds / each) + 1;
}

static bool start(run *r, const bench_case *c, const int64_t size[3], int threads)
{
    *r = (run){.c = c, .points = size[0] * size[1] * size[2]};
    return bench_data_make(&r->data, c, size) &&
           bench_program_make(&r->program, c, size, threads) && bench_program_run(&r->program, 1);
}

static void end(run *r)
{
    bench_program_free(&r->program);
    bench_data_free(&r->data, r->c);
}

/* ---- statistics ------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, compare);
    if (count == 0) return NAN;
    return (x[(count - 1) / 2] + x[count / 2]) / 2;
}

typedef struct repetition {
    double rate[COMPETITORS], bandwidth;
    bool steady;
} repetition;

static double median_of(const repetition *all, int count, double (*of)(const repetition *))
{
    double kept[BENCH_REPETITIONS];
    int n = 0;
    for (int i = 0; i < count; i++)
        if (all[i].steady) kept[n++] = of(&all[i]);
    return median(kept, n);
}

static double of_kata(const repetition *r) { return r->rate[KATA]; }
static double of_plain(const repetition *r) { return r->rate[PLAIN]; }
static double of_hand(const repetition *r) { return r->rate[HAND]; }
static double of_bandwidth(const repetition *r) { return r->bandwidth; }
static double to_plain(const repetition *r) { return r->rate[KATA] / r->rate[PLAIN]; }
static double to_hand(const repetition *r) { return r->rate[KATA] / r->rate[HAND]; }

/* ---- a case ---------------------------------------------------------------------------------- */

/* Each repetition begins with another competitor. */
static repetition repeat(run *r, int turn)
{
    repetition one = {0};
    double copies[COMPETITORS + 1], low = INFINITY, high = 0;
    copies[0] = bench_copy_rate();
    for (int i = 0; i < COMPETITORS; i++) {
        int who = (i + turn) % COMPETITORS;
        one.rate[who] = rate(r, who);
        copies[i + 1] = bench_copy_rate();
    }
    for (int i = 0; i <= COMPETITORS; i++) {
        low = copies[i] < low ? copies[i] : low;
        high = copies[i] > high ? copies[i] : high;
    }
    one.steady = low > 0.9 * high;
    one.bandwidth = median(copies, COMPETITORS + 1);
    return one;
}

/* Compares the results of Katagami and of the plain loop with the hand-written kernel: after two
 * sweeps, since the program did one when it started. */
static double differences(run *r, const int64_t size[3])
{
    bench_data other;
    double worst = INFINITY;
    if (bench_data_make(&other, r->c, size)) {
        sweep(r, HAND, 2);
        for (int i = 0; i < 2; i++) r->c->plain(&other);
        worst = bench_data_differ(r->c, &r->data, &other);
        bool got = bench_program_run(&r->program, 1) && bench_program_get(&r->program, &other);
        double katas = got ? bench_data_differ(r->c, &r->data, &other) : INFINITY;
        if (!(katas <= worst)) worst = katas;
    }
    bench_data_free(&other, r->c);
    return worst;
}

/* The rate in the cache of one core, times the number of threads: starting and joining threads
 * would take as long as the sweep. Also the differences between results, where everything is small.
 */
static bool measure_core(const bench_case *c, int threads, bench_result *out)
{
    run r;
    double rates[5];
    bool good = start(&r, c, c->cached, threads);
    if (good) {
        out->difference = differences(&r, c->cached);
        omp_set_num_threads(1);
        choose_times(&r, 0.01);
        for (int i = 0; i < 5; i++) rates[i] = rate(&r, HAND);
        out->core = median(rates, 5) * threads;
        omp_set_num_threads(threads);
    }
    end(&r);
    return good;
}

static void summarize(bench_result *out, repetition *all, int count)
{
    for (int i = 0; i < count; i++) out->kept += all[i].steady;
    for (int i = 0; i < count && out->kept == 0; i++) all[i].steady = true;
    out->repetitions = count;
    out->kata = median_of(all, count, of_kata);
    out->plain = median_of(all, count, of_plain);
    out->hand = median_of(all, count, of_hand);
    out->bandwidth = median_of(all, count, of_bandwidth);
    out->to_plain = median_of(all, count, to_plain);
    out->to_hand = median_of(all, count, to_hand);
    double bound = 1 / (out->c->bytes / out->bandwidth + 1 / out->core);
    out->to_bound = out->kata / bound;
    out->hand_to_bound = out->hand / bound;
}

bool bench_measure(const bench_case *c, const int64_t size[3], int threads, double seconds,
                   bench_result *out)
{
    static repetition all[BENCH_REPETITIONS];
    int count = 0;
    run r;
    *out = (bench_result){.c = c, .size = {size[0], size[1], size[2]}};
    if (!measure_core(c, threads, out)) return false;
    bool good = start(&r, c, size, threads);
    double begun = omp_get_wtime();
    if (good) {
        choose_times(&r, 0.05);
        sweep(&r, KATA, SETTLED);
        sweep(&r, PLAIN, 1);
        while (count < 5 || (count < BENCH_REPETITIONS && omp_get_wtime() - begun < seconds)) {
            all[count] = repeat(&r, count);
            count++;
        }
        summarize(out, all, count);
    }
    end(&r);
    return good;
}
