/* The oracle law on random programs: every executor, number of threads and way of flushing gives
 * the values that the reference executor gives, bit for bit.
 *
 *     test_random [--seed N] [--count M] [--batch B] [--jobs J] [--planned] [--passing]
 *                 [--ranks] [--resumed] [--watched] [--device NAME] [--brief] [--print]
 *
 * runs the programs of seeds N .. N+M-1, B at a time in one context, J batches at once. Without
 * options it runs a fixed fiftieth of the full count, which KATA_TEST_FULL=1 asks for.
 *
 * --passing runs other programs, in which temporaries pass values from loop to loop, without any
 * plan. It fails if no loop of 40 or more programs computes a temporary where it reads it.
 *
 * --device runs programs on a device, named as in kata_options.
 *
 * --ranks runs programs on the ranks that mpirun has started: each compares what it gets; with
 * --device, on devices of these ranks.
 *
 * --resumed runs programs that end after some time step and go on in another context, from a
 * checkpoint in the present folder; with --ranks, on ranks.
 *
 * --watched runs programs in contexts that look for NaN (kata_options.check): all of them report
 * the same. It fails if none of 20 or more programs reports anything.
 *
 * --planned interprets plans of the programs, of a kind for each batch: it needs no compiler and is
 * fast. The first programs that fail are made smaller and printed, and after many failures the test
 * gives up; with --brief it only counts all failures. --print prints programs and runs nothing. */
/* Labels: hostile threads compiler */
#include "random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const setting settings[] = {
    {"reference, each loop at once", "reference", 1, true, false, false, false, NULL, false, false,
     false, 0},
    {"cpu, 1 thread", "cpu", 1, false, false, false, true, NULL, false, false, false, 0},
    {"cpu, 2 threads, each loop at once", "cpu", 2, true, false, false, true, NULL, false, false,
     false, 0},
    {"cpu, 3 threads, ranges cut in two", "cpu", 3, false, true, false, true, NULL, false, false,
     false, 0},
    {"cpu, 7 threads, shifted", "cpu", 7, false, false, true, true, NULL, false, false, false, 0},
    {"cpu, 7 threads, small tiles", "cpu", 7, false, false, false, true, "skewed x=3 y=2 z=1",
     false, false, false, 0},
    {"cpu, 3 threads, tiles, ranges cut in two", "cpu", 3, false, true, false, true,
     "skewed y=5 z=4 depth=6", false, false, false, 0},
    {"cpu, 2 threads, tiles for a cache", "cpu", 2, false, false, false, true,
     "tiled cache=4096 threads=2", false, false, false, 0},
    {"cpu, 3 threads, shared tiles", "cpu", 3, false, false, true, true, "shared cache=8192", false,
     false, false, 0},
    {"cpu, 7 threads, diamonds, shifted", "cpu", 7, false, false, true, true,
     "diamond y=40 depth=4", false, false, false, 0},
    {"cpu, 7 threads, windows in small tiles", "cpu", 7, false, false, false, true,
     "overlapped x=5 y=3 z=1 depth=3", false, false, false, 0},
    {"cpu, 3 threads, windows for a cache", "cpu", 3, false, false, true, true,
     "windowed cache=2048 threads=3", false, false, false, 0},
    {"cpu, 2 threads, sliding windows", "cpu", 2, false, false, true, true,
     "sliding z=1 y=2 x=3 depth=4", false, false, false, 0},
};
enum { TILED = 7, OTHERS = COUNT_OF(settings) - TILED }; /* the last ones have tiles */

static const setting planned[] = {
    {"reference, each loop at once", "reference", 1, true, false, false, false, NULL, false, false,
     false, 0},
    {"loops", "plan", 1, false, false, false, true, "loops", false, false, false, 0},
    {"skewed tiles, ranges cut in two", "plan", 1, false, true, false, true, "skewed x=3 y=2 z=2",
     false, false, false, 0},
    {"windows", "plan", 1, false, false, false, true, "streamed y=2", false, false, false, 0},
    {"overlapped tiles, shifted", "plan", 1, false, false, true, true, "overlapped x=4 y=3", false,
     false, false, 0},
    {"sections in windows", "plan", 1, false, false, false, true, "windowed cache=1024", false,
     false, false, 0},
    {"sliding windows", "plan", 1, false, false, true, true, "sliding z=2 y=1 x=3", false, false,
     false, 0},
};

static const setting passing[] = {
    {"reference, each loop at once", "reference", 1, true, false, false, false, NULL, false, false,
     false, 0},
    {"cpu, 1 thread", "cpu", 1, false, false, false, true, NULL, true, false, false, 0},
    {"cpu, 2 threads", "cpu", 2, false, false, false, true, NULL, false, false, false, 0},
    {"cpu, 3 threads, ranges cut in two", "cpu", 3, false, true, false, true, NULL, false, false,
     false, 0},
    {"cpu, 7 threads", "cpu", 7, false, false, false, false, NULL, false, false, false, 0},
};

/* On the ranks that a launcher has started. */
static const setting on_ranks[] = {
    {"reference, each loop at once", "reference", 1, true, false, false, false, NULL, false, false,
     false, 0},
    {"cpu, 1 thread", "cpu", 1, false, false, false, false, NULL, false, false, false, 0},
    {"cpu, 1 thread, tiles, shifted", "cpu", 1, false, false, true, false, "skewed y=3 z=2 depth=4",
     false, false, false, 0},
    {"cpu, 1 thread, wrapped fields", "cpu", 1, false, false, false, true, NULL, false, false,
     false, 0},
};

/* On a device. */
static const setting on_device[] = {
    {"reference, each loop at once", "reference", 1, true, false, false, false, NULL, false, false,
     false, 0},
    {"device", "cpu", 1, false, false, false, false, NULL, false, true, false, 0},
    {"device, each loop at once, ranges cut in two", "cpu", 1, true, true, false, true, NULL, false,
     true, false, 0},
    {"device, shifted", "cpu", 1, false, false, true, true, NULL, false, true, false, 0},
    {"device of 400 kB", "cpu", 1, false, false, false, false, NULL, false, 400000, false, 0},
    {"device of 300 kB, ranges cut in two", "cpu", 1, false, true, false, true, NULL, false, 300000,
     false, 0},
    {"device of 400 kB, fields in files", "cpu", 1, false, false, false, false, NULL, false, 400000,
     false, 20000},
};

/* In two contexts, the second of which goes on from a checkpoint of the first. */
static const setting resumed[] = {
    {"reference, each loop at once", "reference", 1, true, false, false, false, NULL, false, false,
     false, 0},
    {"cpu, resumed", "cpu", 2, false, false, false, false, NULL, false, 0, true, 0},
    {"reference, shifted, wrapped fields, resumed", "reference", 1, false, false, true, true, NULL,
     false, 0, true, 0},
};
static const setting resumed_on_ranks[] = {
    {"reference, each loop at once", "reference", 1, true, false, false, false, NULL, false, false,
     false, 0},
    {"cpu, resumed", "cpu", 1, false, false, false, false, NULL, false, 0, true, 0},
};

/* That look for NaN. */
static const setting watched[] = {
    {"reference", "reference", 1, false, false, false, false, NULL, false, false, false, 0},
    {"plan", "plan", 1, false, false, false, true, "skewed x=3 y=2 z=2", false, false, false, 0},
    {"cpu, 1 thread", "cpu", 1, false, false, false, false, NULL, false, false, false, 0},
    {"cpu, 3 threads, each loop at once", "cpu", 3, true, false, false, true, NULL, false, false,
     false, 0},
    {"cpu, 2 threads, tiles", "cpu", 2, false, false, false, true, "skewed y=5 z=4 depth=6", false,
     false, false, 0},
};
static const setting watched_on_device[] = {
    {"reference", "reference", 1, false, false, false, false, NULL, false, false, false, 0},
    {"device", "cpu", 1, false, false, false, false, NULL, false, true, false, 0},
};
static const setting watched_on_ranks[] = {
    {"reference", "reference", 1, false, false, false, false, NULL, false, false, false, 0},
    {"cpu, 1 thread", "cpu", 1, false, false, false, false, NULL, false, false, false, 0},
};

/* On ranks whose loops run on devices. */
static const setting on_rank_devices[] = {
    {"reference, each loop at once", "reference", 1, true, false, false, false, NULL, false, false,
     false, 0},
    {"device", "cpu", 1, false, false, false, false, NULL, false, true, false, 0},
    {"device, shifted, wrapped fields", "cpu", 1, false, false, true, true, NULL, false, true,
     false, 0},
    {"device of 400 kB", "cpu", 1, false, false, false, false, NULL, false, 400000, false, 0},
};

/* The settings that programs run in; of plans one for each batch, in turn. */
static trial all_settings = {settings, COUNT_OF(settings), NULL};

/* Those of a batch, in which one with tiles, in turn, takes the place of another. */
static trial compiled_of_batch(uint64_t seed)
{
    static setting chosen[TILED][OTHERS];
    size_t i = (size_t)(seed % TILED);
    memcpy(chosen[i], settings, sizeof chosen[i]);
    chosen[i][1 + i % (OTHERS - 1)] = settings[OTHERS + i];
    return (trial){chosen[i], OTHERS, NULL};
}

static trial settings_of_batch(uint64_t seed)
{
    static setting pairs[COUNT_OF(planned)][2];
    size_t i = 1 + (size_t)(seed % (COUNT_OF(planned) - 1));
    if (all_settings.settings == passing || all_settings.settings == on_device ||
        all_settings.settings == resumed)
        return all_settings;
    if (all_settings.settings != planned) return compiled_of_batch(seed);
    pairs[i][0] = planned[0];
    pairs[i][1] = planned[i];
    return (trial){pairs[i], 2, NULL};
}

typedef struct options {
    uint64_t seed;
    int count, batch, jobs;
    bool brief, print, planned, passing, ranks, resumed, watched;
    const char *device;
} options;

enum { MAX_BATCH = 64, MAX_JOBS = 16, MAX_SHOWN = 5, MAX_FAILED = 30 };
#ifdef KATA_HOSTILE
enum { SURELY_JOINED = 1000 }; /* programs; chains of five loops end before temporaries are read */
#else
enum { SURELY_JOINED = 40 }; /* programs; in one of four, some kernel computes what it reads */
#endif

typedef struct batch {
    court court;
    program *programs[MAX_BATCH];
    int count;
} batch;

typedef struct tally {
    int passed, failed, joined;
    bool brief;
} tally;

/* ---- failures -------------------------------------------------------------------------------- */

static void show(program *p, judgement j)
{
    static const char *const words[] = {"passed", "differs", "was refused", "crashed"};
    trial loud = all_settings;
    loud.out = stdout;
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
    judgement j = judge_alone(p, &all_settings);
    if (t->failed++ >= MAX_SHOWN)
        printf("program %" PRIu64 " fails too\n", p->seed);
    else if (j.verdict == PASSED)
        printf("program %" PRIu64 " fails among others, not alone\n", p->seed);
    else
        show(p, j);
}

/* Whether a program passes by itself, after its batch could not be judged. */
static bool passes_alone(program *p) { return judge_alone(p, &all_settings).verdict == PASSED; }

/* ---- batches --------------------------------------------------------------------------------- */

static program *generate(uint64_t seed)
{
    if (all_settings.settings == on_ranks || all_settings.settings == on_rank_devices)
        return seed % 4 ? program_generate_dealt_passing(seed) : program_generate_dealt(seed);
    return all_settings.settings == passing ? program_generate_passing(seed)
                                            : program_generate(seed);
}

static void start(batch *b, uint64_t seed, int count)
{
    b->count = count;
    for (int i = 0; i < count; i++) b->programs[i] = generate(seed + (uint64_t)i);
    const trial t = settings_of_batch(seed / (uint64_t)count);
    if (!judge_start(&b->court, b->programs, count, &t)) exit(99);
}

static void finish(batch *b, tally *t)
{
    judgement j[MAX_BATCH];
    t->joined += judge_finish(&b->court, j);
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

/* ---- ranks ----------------------------------------------------------------------------------- */

/* The words of KATA_RANKS for a batch: how many loops are between two exchanges, and how ranks are
 * laid out; every other one by a partition. */
static void set_layout(int batch)
{
    static const char *const four[] = {"", "y=2 z=2", "z=4"}, *const six[] = {"", "y=3 z=2", "z=6"},
                             *const parts[] = {"halves", "rectangles", "morton", "tensor"};
    char words[40];
    int ranks = kata_ranks(NULL), number = batch / 2;
    const char *layout = batch % 2    ? parts[number % 4]
                         : ranks == 4 ? four[number % 3]
                         : ranks == 6 ? six[number % 3]
                                      : "";
    snprintf(words, sizeof words, "%s every=%d small", layout, 1 + batch % 5);
    setenv("KATA_RANKS", words, 1);
}

/* Programs run in this process: those that MPI knows cannot make others. Each has a context of its
 * own: some are refused, for programs are generated to be right on small grids. */
static tally run_on_ranks(const options *o)
{
    tally t = {.brief = true};
    trial loud = all_settings;
    if (!o->brief && kata_rank(NULL) == 0) loud.out = stdout;
    for (int i = 0; i < o->count; i++) {
        program *p = generate(o->seed + (uint64_t)i);
        judgement j;
        set_layout((int)(o->seed + (uint64_t)i) - 1);
        judge_here(&p, 1, &loud, &j);
        if (j.verdict == PASSED)
            t.passed++;
        else if (j.verdict != REFUSED || j.setting > 0)
            fail(p, &t);
        program_free(p);
    }
    return t;
}

/* ---- programs that look for NaN -------------------------------------------------------------- */

static int run_watched(const options *o)
{
    trial t = o->device  ? (trial){watched_on_device, COUNT_OF(watched_on_device), stdout}
              : o->ranks ? (trial){watched_on_ranks, COUNT_OF(watched_on_ranks), stdout}
                         : (trial){watched, COUNT_OF(watched), stdout};
    int failed = 0, reports = 0;
    if (o->ranks) all_settings = (trial){on_ranks, COUNT_OF(on_ranks), NULL}; /* of larger grids */
    setenv("KATA_CHECK", "nan", 1);
    if (o->brief) t.out = NULL;
    for (int i = 0; i < o->count; i++) {
        program *p = generate(o->seed + (uint64_t)i);
        if (o->ranks) set_layout(i);
        failed += !watched_agrees(p, &t, &reports);
        program_free(p);
    }
    if (kata_rank(NULL) == 0)
        printf("%d passed, %d failed; %d have reported\n", o->count - failed, failed, reports);
    return failed || (o->count >= 20 && !reports);
}

/* ---- options --------------------------------------------------------------------------------- */

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && value[0] == '1';
}

static bool parse(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        bool *flag = !strcmp(argv[i], "--print")     ? &o->print
                     : !strcmp(argv[i], "--brief")   ? &o->brief
                     : !strcmp(argv[i], "--planned") ? &o->planned
                     : !strcmp(argv[i], "--passing") ? &o->passing
                     : !strcmp(argv[i], "--ranks")   ? &o->ranks
                     : !strcmp(argv[i], "--resumed") ? &o->resumed
                     : !strcmp(argv[i], "--watched") ? &o->watched
                                                     : NULL;
        if (flag) {
            *flag = true;
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
        else if (!strcmp(argv[i], "--device"))
            o->device = *value ? value : NULL;
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
        program *p = generate(seed);
        program_print(stdout, p);
        program_free(p);
    }
}

int main(int argc, char **argv)
{
    options o = {.seed = is_set("KATA_SANITIZED") ? 1001 : 1,
                 .count = is_set("KATA_TEST_FULL") ? 2000 : 40,
                 .batch = 20,
                 .jobs = 2};
    if (!parse(&o, argc, argv)) {
        fprintf(stderr,
                "usage: %s [--seed N] [--count M] [--batch B] [--jobs J] [--planned] [--passing] "
                "[--ranks] [--resumed] [--watched] [--device NAME] [--brief] [--print]\n",
                argv[0]);
        return 2;
    }
    if (o.planned) all_settings = (trial){planned, COUNT_OF(planned), NULL};
    if (o.passing) all_settings = (trial){passing, COUNT_OF(passing), NULL};
    if (o.ranks) all_settings = (trial){on_ranks, COUNT_OF(on_ranks), NULL};
    if (o.resumed)
        all_settings = o.ranks ? (trial){resumed_on_ranks, COUNT_OF(resumed_on_ranks), NULL}
                               : (trial){resumed, COUNT_OF(resumed), NULL};
    if (o.device) {
        all_settings = o.ranks ? (trial){on_rank_devices, COUNT_OF(on_rank_devices), NULL}
                               : (trial){on_device, COUNT_OF(on_device), NULL};
        setenv("KATA_TEST_DEVICE", o.device, 1);
    }
    if (o.print) {
        print_programs(&o);
        return 0;
    }
    if (o.watched) return run_watched(&o);
    tally t = o.ranks ? run_on_ranks(&o) : run(&o);
    printf("%d passed, %d failed\n", t.passed, t.failed);
    if (o.passing) printf("%d kernels made of several\n", t.joined);
    bool few = o.passing && o.count >= SURELY_JOINED && !t.joined;
    return t.failed > 0 || few;
}
