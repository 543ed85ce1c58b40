/* Taking times. In a repetition Katagami, the plain loop and what is written by hand follow one
 * another. Each runs between two copies, which show the bandwidth at that time. */
#include "bench.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

typedef struct run {
    bench_task task;
    bench_data data;
    bench_program program;
    void *own;
    bench_tile tile;
    int64_t points;
    int64_t times; /* that many steps in a timing, or chains */
} run;

/* Steps after which Katagami has tried its ways to run a loop, and after which results are
 * compared; repetitions that should count, and the number below which all of them do. */
enum { SETTLED = 8, COMPARED = 7, ENOUGH = 5, FEWEST = 3 };

/* ---- one timing ------------------------------------------------------------------------------ */

static bool has(const bench_task *t, int who)
{
    return who == BENCH_HAND     ? t->c->hand != NULL
           : who == BENCH_SKEWED ? t->c->skewed && t->way == BENCH_CHAIN
                                 : true;
}

/* Steps from one wait for results to the next. */
static int64_t chain_steps(const run *r, int64_t steps)
{
    return r->task.way == BENCH_SINGLE ? 1 : r->task.way == BENCH_CHAIN ? r->task.steps : steps;
}

static void run_katagami(run *r, int64_t steps)
{
    for (int64_t each = chain_steps(r, steps); steps > 0; steps -= each)
        bench_program_run(&r->program, each < steps ? each : steps, r->task.way != BENCH_SAME);
}

static void run_loop(run *r, bench_loop *loop, int64_t steps)
{
    for (int64_t i = 0; i < steps; i++) {
        loop(&r->data);
        if (r->task.way != BENCH_SAME) bench_data_swap(&r->data, r->task.c);
    }
}

static void run_steps(run *r, int who, int64_t steps)
{
    const bench_case *c = r->task.c;
    if (c->own)
        c->own->run(r->own, who, steps, r->task.way == BENCH_SINGLE);
    else if (who == BENCH_KATA)
        run_katagami(r, steps);
    else if (who == BENCH_SKEWED)
        c->skewed(&r->data, steps, r->tile);
    else
        run_loop(r, who == BENCH_PLAIN ? c->plain : c->hand, steps);
}

static double seconds_of(run *r, int who, int64_t steps)
{
    double start = omp_get_wtime();
    run_steps(r, who, steps);
    return omp_get_wtime() - start;
}

static int64_t steps_of(const run *r)
{
    return r->times * (r->task.way == BENCH_CHAIN ? r->task.steps : 1);
}

/* 1e9 points/s */
static double rate(run *r, int who)
{
    double points = (double)r->points * (double)steps_of(r);
    return 1e-9 * points / seconds_of(r, who, steps_of(r));
}

/* The number of steps that takes about the time asked for. */
static void choose_times(run *r, double seconds)
{
    int who = has(&r->task, BENCH_HAND) ? BENCH_HAND : BENCH_PLAIN;
    seconds_of(r, who, 1);
    double each = seconds_of(r, who, 1) * (r->task.way == BENCH_CHAIN ? (double)r->task.steps : 1);
    r->times = each < seconds ? (int64_t)(seconds / each) + 1 : 1;
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* Arrays and a Katagami program on a grid. */
static bool start(run *r, const bench_task *task, const int64_t size[3])
{
    const bench_case *c = task->c;
    *r = (run){.task = *task,
               .points = size[0] * size[1] * size[2] * (c->updates ? c->updates : 1),
               .times = 1,
               .tile = {.z = 4, .y = 4, .depth = 4}};
    if (c->own) return (r->own = c->own->make(size, task->threads)) != NULL;
    return bench_data_make(&r->data, c, size) &&
           bench_program_make(&r->program, c, size, task->threads);
}

static void end(run *r)
{
    if (r->task.c->own) {
        r->task.c->own->free(r->own);
        return;
    }
    bench_program_free(&r->program);
    bench_data_free(&r->data);
}

double bench_memory(const bench_case *c, const int64_t size[3])
{
    double elements = 0, points = (double)size[0] * (double)size[1] * (double)size[2];
    for (int f = 0; c->fields[f].components; f++) elements += c->fields[f].components;
    return 2 * points * elements * (c->type == KATA_F64 ? 8 : 4);
}

/* ---- before the repetitions ------------------------------------------------------------------ */

/* How far a competitor is from the plain loop after a few steps. */
static double difference(const bench_task *task, const int64_t size[3], int who)
{
    run plain = {.task = *task}, other; /* no program for the plain loop */
    double apart = INFINITY;
    bool made = start(&other, task, size);
    if (bench_data_make(&plain.data, task->c, size) && made) {
        run_steps(&plain, BENCH_PLAIN, COMPARED);
        run_steps(&other, who, COMPARED);
        if (who != BENCH_KATA || bench_program_get(&other.program, &other.data))
            apart = bench_data_differ(task->c, &plain.data, &other.data);
    }
    bench_data_free(&plain.data);
    end(&other);
    return apart;
}

static double differences(const bench_task *task)
{
    double worst = 0;
    for (int who = 0; who < BENCH_COMPETITORS; who++) {
        if (who == BENCH_PLAIN || !has(task, who)) continue;
        double apart = difference(task, task->c->sizes->cached, who);
        if (!(apart <= worst)) worst = apart;
    }
    return worst;
}

/* The rate in the cache of one core, times the number of threads: starting and joining threads
 * would take as long as the sweep. NaN without a kernel written by hand. */
static double measure_core(const bench_task *task)
{
    run r;
    double rates[5], core = NAN;
    bench_task same = *task;
    same.way = BENCH_SAME;
    if (!has(task, BENCH_HAND)) return core;
    if (start(&r, &same, task->c->sizes->cached)) {
        omp_set_num_threads(1);
        choose_times(&r, 0.01);
        for (int i = 0; i < 5; i++) rates[i] = rate(&r, BENCH_HAND);
        core = bench_median(rates, 5) * task->threads;
        omp_set_num_threads(task->threads);
    }
    end(&r);
    return core;
}

/* Tries tiles of several sizes, twice each, and stays with the fastest. */
static void choose_tile(run *r)
{
    static const bench_tile tried[] = {{8, 8, 4, true},     {8, 8, 8, true},    {8, 8, 16, true},
                                       {12, 12, 16, true},  {16, 16, 8, true},  {16, 16, 16, true},
                                       {24, 24, 16, true},  {32, 32, 16, true}, {8, 8, 8, false},
                                       {8, 8, 16, false},   {16, 16, 8, false}, {16, 16, 16, false},
                                       {32, 32, 16, false}, {32, 32, 32, true}};
    const int count = sizeof tried / sizeof *tried;
    bench_tile best = tried[0];
    double least = INFINITY;
    for (int i = 0; i < 2 * count; i++) {
        r->tile = tried[i % count];
        double each = seconds_of(r, BENCH_SKEWED, 2 * r->tile.depth) / (double)r->tile.depth;
        if (each >= least) continue;
        least = each;
        best = r->tile;
    }
    r->tile = best;
}

static void settle(run *r)
{
    choose_times(r, 0.05);
    seconds_of(r, BENCH_KATA, SETTLED);
    seconds_of(r, BENCH_PLAIN, 1);
    if (has(&r->task, BENCH_SKEWED)) choose_tile(r);
    if (r->task.way == BENCH_CHAIN) seconds_of(r, BENCH_KATA, r->task.steps);
}

/* ---- repetitions ----------------------------------------------------------------------------- */

typedef struct repetition {
    double rate[BENCH_COMPETITORS], bandwidth; /* NaN: no such competitor */
    bool steady;
} repetition;

/* Each repetition begins with another competitor. */
static repetition repeat(run *r, int turn)
{
    repetition one = {0};
    double copies[BENCH_COMPETITORS + 1], low = INFINITY, high = 0;
    int count = 0;
    copies[count++] = bench_copy_rate();
    for (int i = 0; i < BENCH_COMPETITORS; i++) {
        int who = (i + turn) % BENCH_COMPETITORS;
        one.rate[who] = NAN;
        if (!has(&r->task, who)) continue;
        one.rate[who] = rate(r, who);
        copies[count++] = bench_copy_rate();
    }
    for (int i = 0; i < count; i++) {
        low = copies[i] < low ? copies[i] : low;
        high = copies[i] > high ? copies[i] : high;
    }
    one.steady = low > 0.9 * high;
    one.bandwidth = bench_median(copies, count);
    return one;
}

/* Five or more; up to four times the time where copies do not agree. Returns how many. */
static int repeat_for(run *r, repetition *all, double seconds)
{
    int count = 0, steady = 0;
    double begun = omp_get_wtime(), passed = 0;
    while (count < ENOUGH || (count < BENCH_REPETITIONS && passed < seconds) ||
           (count < BENCH_REPETITIONS && steady < ENOUGH && passed < 4 * seconds)) {
        all[count] = repeat(r, count);
        steady += all[count++].steady;
        passed = omp_get_wtime() - begun;
    }
    return count;
}

/* Of the steady repetitions: rates of a competitor, or of Katagami over it. */
static int numbers_of(const repetition *all, int count, int who, bool ratios, double *out)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        if (all[i].steady)
            out[n++] = ratios ? all[i].rate[BENCH_KATA] / all[i].rate[who] : all[i].rate[who];
    return n;
}

static void summarize(bench_result *out, repetition *all, int count)
{
    double numbers[BENCH_REPETITIONS];
    int n = 0;
    for (int i = 0; i < count; i++) out->counted += all[i].steady;
    for (int i = 0; i < count && out->counted < FEWEST; i++) all[i].steady = true;
    out->repetitions = count;
    for (int i = 0; i < count; i++)
        if (all[i].steady) numbers[n++] = all[i].bandwidth;
    out->bandwidth = bench_median(numbers, n);
    for (int who = 0; who < BENCH_COMPETITORS; who++) {
        n = numbers_of(all, count, who, false, numbers);
        out->rate[who] = bench_median(numbers, n);
        n = numbers_of(all, count, who, true, numbers);
        out->to[who].upper = bench_upper_end(numbers, n);
        out->to[who].median = bench_median(numbers, n);
    }
    int bytes = out->task.c->bytes;
    double bound = bytes ? 1 / (bytes / out->bandwidth + 1 / out->core) : NAN;
    out->to_bound = out->rate[BENCH_KATA] / bound;
    out->hand_to_bound = out->rate[BENCH_HAND] / bound;
}

bool bench_measure(const bench_task *task, bench_result *out)
{
    static repetition all[BENCH_REPETITIONS];
    const bench_case *c = task->c;
    run r;
    *out = (bench_result){.task = *task, .core = measure_core(task)};
    if (!c->own) out->difference = differences(task);
    bool good = start(&r, task, task->size);
    if (good && c->own) out->difference = c->own->differ(r.own);
    if (good) {
        settle(&r);
        out->tile = r.tile;
        summarize(out, all, repeat_for(&r, all, task->seconds));
    }
    end(&r);
    return good;
}
