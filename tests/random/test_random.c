/* The oracle law on random programs: every executor, number of threads and way of flushing gives
 * the values that the reference executor gives, bit for bit.
 *
 *     test_random [--seed N] [--count M] [--batch B] [--jobs J] [--brief] [--print]
 *
 * runs the programs of seeds N .. N+M-1, B at a time in one context, J batches at once. The first
 * programs that fail are made smaller and printed, and after many it gives up; --brief only counts
 * them, all. --print prints programs and runs nothing. */
#include "random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const setting settings[] = {
    {"reference", "reference", 1, false, false, false, false},
    {"cpu, 1 thread", "cpu", 1, false, false, false, true},
    {"cpu, 2 threads, each loop at once", "cpu", 2, true, false, false, true},
    {"cpu, 3 threads, ranges cut in two", "cpu", 3, false, true, false, true},
    {"cpu, 7 threads, shifted", "cpu", 7, false, false, true, true},
};

typedef struct options {
    uint64_t seed;
    int count, batch, jobs;
    bool brief, print;
} options;

enum { MAX_BATCH = 64, MAX_JOBS = 16, MAX_SHOWN = 5, MAX_FAILED = 30 };

typedef struct batch {
    court court;
    program *programs[MAX_BATCH];
    int count;
} batch;

typedef struct tally {
    int passed, failed;
    bool brief;
} tally;

/* ---- failures -------------------------------------------------------------------------------- */

static void show(program *p, judgement j)
{
    static const char *const words[] = {"passed", "differs", "was refused", "crashed"};
    trial loud = {settings, COUNT_OF(settings), stdout};
    printf("\nprogram %" PRIu64 " %s; made smaller:\n\n", p->seed, words[j.verdict]);
    if (j.verdict != REFUSED || j.status == KATA_ERROR_COMPILER || j.status == KATA_ERROR_INTERNAL)
        shrink(p, &j, &loud);
    program_print(stdout, p);
    judge_alone(p, &loud);
    fflush(stdout);
}

static void fail(program *p, tally *t)
{
    if (t->brief) {
        t->failed++;
        printf("program %" PRIu64 " fails\n", p->seed);
        return;
    }
    trial quiet = {settings, COUNT_OF(settings), NULL};
    judgement j = judge_alone(p, &quiet);
    if (t->failed++ >= MAX_SHOWN)
        printf("program %" PRIu64 " fails too\n", p->seed);
    else if (j.verdict == PASSED)
        printf("program %" PRIu64 " fails among others, not alone\n", p->seed);
    else
        show(p, j);
}

/* Whether a program passes where its batch could not be judged. */
static bool passes_alone(program *p)
{
    trial quiet = {settings, COUNT_OF(settings), NULL};
    return judge_alone(p, &quiet).verdict == PASSED;
}

/* ---- batches --------------------------------------------------------------------------------- */

static void start(batch *b, uint64_t seed, int count)
{
    static const trial quiet = {settings, COUNT_OF(settings), NULL};
    b->count = count;
    for (int i = 0; i < count; i++) b->programs[i] = program_generate(seed + (uint64_t)i);
    if (!judge_start(&b->court, b->programs, count, &quiet)) exit(99);
}

static void finish(batch *b, tally *t)
{
    judgement j[MAX_BATCH];
    judge_finish(&b->court, j);
    for (int i = 0; i < b->count; i++) {
        bool whole = j[i].verdict == REFUSED || j[i].verdict == CRASHED;
        bool failed =
            whole ? b->count == 1 || !passes_alone(b->programs[i]) : j[i].verdict == DIFFERS;
        if (failed)
            fail(b->programs[i], t);
        else
            t->passed++;
        program_free(b->programs[i]);
    }
}

static tally run(const options *o)
{
    static batch batches[MAX_JOBS];
    tally t = {.brief = o->brief};
    int total = (o->count + o->batch - 1) / o->batch;
    for (int i = 0; i < total + o->jobs; i++) {
        batch *b = &batches[i % o->jobs];
        int first = i * o->batch, left = o->count - first;
        if (i >= o->jobs && i - o->jobs < total) finish(b, &t);
        if (t.failed >= MAX_FAILED && !t.brief && i < total) total = i; /* enough is known */
        if (i < total) start(b, o->seed + (uint64_t)first, left < o->batch ? left : o->batch);
    }
    return t;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool is_sanitized(void)
{
    const char *sanitized = getenv("KATA_SANITIZED");
    return sanitized && sanitized[0] == '1';
}

static bool parse(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--print") || !strcmp(argv[i], "--brief")) {
            *(argv[i][2] == 'p' ? &o->print : &o->brief) = true;
            continue;
        }
        if (!strcmp(argv[i], "--seed"))
            o->seed = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i], "--count"))
            o->count = atoi(value);
        else if (!strcmp(argv[i], "--batch"))
            o->batch = atoi(value);
        else if (!strcmp(argv[i], "--jobs"))
            o->jobs = atoi(value);
        else
            return false;
        i++;
    }
    return o->count > 0 && o->batch > 0 && o->batch <= MAX_BATCH && o->jobs > 0 &&
           o->jobs <= MAX_JOBS;
}

static void print_programs(const options *o)
{
    for (int i = 0; i < o->count; i++) {
        uint64_t seed = o->seed + (uint64_t)i;
        program *p = program_generate(seed);
        program_print(stdout, p);
        program_free(p);
    }
}

int main(int argc, char **argv)
{
    options o = {.seed = 1, .count = is_sanitized() ? 40 : 160, .batch = 20, .jobs = 2};
    if (!parse(&o, argc, argv)) {
        fprintf(stderr,
                "usage: %s [--seed N] [--count M] [--batch B] [--jobs J] [--brief] [--print]\n",
                argv[0]);
        return 2;
    }
    if (o.print) {
        print_programs(&o);
        return 0;
    }
    tally t = run(&o);
    printf("%d passed, %d failed\n", t.passed, t.failed);
    return t.failed > 0;
}
