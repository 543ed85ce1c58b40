/* Ceilings: the rates that no program exceeds on this machine, measured.
 *
 * A crew of threads does the same kind of work at once, many times, in short repetitions. A ceiling
 * is the best repetition, and the median, because the bandwidth of shared machines changes within
 * seconds. Kinds of work take turns, so that a slow second hits all of them. Memory is measured
 * with arrays of twice the largest cache, in huge pages if there are any; each thread has a part of
 * its own, which it touched first. A cache is measured with half of its size: a copy from one
 * quarter to another. */
#include "machine/ceiling.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MOST_REPETITIONS = 7,
    FEWEST_REPETITIONS = 2,
    ARRAYS = 3,
    STAGGER = 1344 /* bytes: each array begins that much later in its page than the one before */
};
static const int64_t MIB = 1 << 20;
static const double ENOUGH = 0.8;       /* seconds; after them the fewest repetitions suffice */
static const double REPETITION = 0.002; /* seconds, where the work can be made longer */

/* ---- a crew of threads ----------------------------------------------------------------------- */

typedef struct crew crew;
typedef void job(crew *c, int thread);

typedef struct member {
    crew *crew;
    pthread_t thread;
    int number;
} member;

struct crew {
    const ceiling_kernels *kernels;
    member *members; /* of threads 1 and up */
    int threads, active, running;
    job *job;
    int64_t turn; /* counts jobs; -1: all go home */
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    double *array[ARRAYS];
    size_t count;  /* elements of each that a thread has */
    size_t part;   /* elements of a copy within a cache */
    int64_t turns; /* of that copy, or rounds of arithmetic */
    void (*copy)(double *, const double *, size_t);
    void (*triad)(double *, const double *, const double *, size_t);
    double (*arithmetic)(int64_t rounds);
    _Atomic int64_t cycles;
};

static void *live(void *data)
{
    const member *me = data;
    crew *c = me->crew;
    int64_t seen = 0;
    for (;;) {
        pthread_mutex_lock(&c->lock);
        while (c->turn == seen) pthread_cond_wait(&c->begin, &c->lock);
        seen = c->turn;
        pthread_mutex_unlock(&c->lock);
        if (seen < 0) return NULL;
        if (me->number < c->active) c->job(c, me->number);
        pthread_mutex_lock(&c->lock);
        if (--c->running == 0) pthread_cond_signal(&c->end);
        pthread_mutex_unlock(&c->lock);
    }
}

/* Has the first `active` threads do a job; returns how long it took. */
static double work(crew *c, int active, job *todo)
{
    double start = clock_seconds();
    pthread_mutex_lock(&c->lock);
    c->job = todo;
    c->active = active;
    c->running = c->threads - 1;
    c->turn++;
    pthread_cond_broadcast(&c->begin);
    pthread_mutex_unlock(&c->lock);
    todo(c, 0);
    pthread_mutex_lock(&c->lock);
    while (c->running > 0) pthread_cond_wait(&c->end, &c->lock);
    pthread_mutex_unlock(&c->lock);
    return clock_seconds() - start;
}

/* Starts with fewer threads if the system gives no more. False when memory is out. */
static bool gather(crew *c, int threads)
{
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begin, NULL);
    pthread_cond_init(&c->end, NULL);
    c->members = calloc((size_t)threads, sizeof *c->members);
    c->threads = 1;
    for (int t = 1; c->members && t < threads; t++) {
        member *m = &c->members[t];
        *m = (member){.crew = c, .number = t};
        if (pthread_create(&m->thread, NULL, live, m)) break;
        c->threads++;
    }
    return c->members != NULL;
}

static void dismiss(crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->turn = -1;
    pthread_cond_broadcast(&c->begin);
    pthread_mutex_unlock(&c->lock);
    for (int t = 1; t < c->threads; t++) pthread_join(c->members[t].thread, NULL);
    free(c->members);
    pthread_cond_destroy(&c->end);
    pthread_cond_destroy(&c->begin);
    pthread_mutex_destroy(&c->lock);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static double *share(const crew *c, int array, int thread)
{
    return c->array[array] + (size_t)thread * c->count;
}

static void touch(crew *c, int thread)
{
    for (int a = 0; a < ARRAYS; a++) memset(share(c, a, thread), 0, c->count * sizeof(double));
}

static void copy_memory(crew *c, int thread)
{
    c->copy(share(c, 0, thread), share(c, 1, thread), c->count);
}

static void triad_memory(crew *c, int thread)
{
    c->triad(share(c, 0, thread), share(c, 1, thread), share(c, 2, thread), c->count);
}

static void copy_cached(crew *c, int thread)
{
    for (int64_t i = 0; i < c->turns; i++)
        c->kernels->copy(share(c, 0, thread), share(c, 1, thread), c->part);
}

static void compute(crew *c, int thread) { share(c, 0, thread)[0] = c->arithmetic(c->turns); }

static void count_cycles(crew *c, int thread)
{
    (void)thread;
    c->cycles = ceiling_count_cycles(c->turns);
}

/* ---- repetitions ----------------------------------------------------------------------------- */

/* A ceiling that is being measured. */
typedef struct trial {
    kata_rate *out;
    job *job;
    int threads;
    double amount; /* bytes or operations of all turns of all threads */
    int64_t turns;
    size_t part;
    void (*copy)(double *, const double *, size_t);
    void (*triad)(double *, const double *, const double *, size_t);
    double (*arithmetic)(int64_t rounds);
    double rates[MOST_REPETITIONS];
    int count;
} trial;

enum { MOST_TRIALS = 20 }; /* 4 of memory, 4 of caches, 4 of arithmetic twice, the clock */
typedef struct trials {
    trial list[MOST_TRIALS];
    int count;
} trials;

static double run(crew *c, const trial *t)
{
    c->turns = t->turns;
    c->part = t->part;
    c->copy = t->copy;
    c->triad = t->triad;
    c->arithmetic = t->arithmetic;
    return work(c, t->threads, t->job);
}

/* Takes the shortest of a few runs: the others may have been interrupted. */
static double shortest(crew *c, const trial *t, double enough)
{
    double least = run(c, t);
    for (int i = 0; i < 3 && least > enough; i++) {
        double seconds = run(c, t);
        if (seconds < least) least = seconds;
    }
    return least;
}

/* Adds a trial with the amount of one turn; it makes as many turns as take REPETITION. */
static void add_turns(crew *c, trials *all, trial t)
{
    double seconds = 0;
    for (t.turns = 1; t.turns < INT64_C(1) << 40; t.turns *= 4)
        if ((seconds = shortest(c, &t, REPETITION / 4)) > REPETITION / 4) break;
    t.turns = (int64_t)((double)t.turns * REPETITION / seconds) + 1;
    t.amount *= (double)t.turns;
    all->list[all->count++] = t;
}

static void add_memory(trials *all, const crew *c, kata_rate *out, int arrays, trial t)
{
    t.out = out;
    t.threads = c->threads;
    t.amount = (double)c->count * sizeof(double) * arrays * c->threads;
    all->list[all->count++] = t;
}

/* A copy of `bytes` per thread, source and target together. */
static void add_cache(crew *c, trials *all, kata_rate *out, int threads, int64_t bytes)
{
    size_t part = (size_t)bytes / 2 / sizeof(double) / CEILING_STEP * CEILING_STEP;
    size_t room = threads == 1 ? c->count * (size_t)c->threads : c->count;
    if (!part || part > room) return;
    trial t = {.out = out, .job = copy_cached, .threads = threads, .part = part};
    t.amount = 2.0 * (double)part * sizeof(double) * threads;
    add_turns(c, all, t);
}

static void add_operation(crew *c, trials *all, kata_rate *out, double (*loop)(int64_t), int lanes)
{
    trial t = {.out = out, .job = compute, .threads = c->threads, .arithmetic = loop};
    t.amount = (double)CEILING_CHAINS * lanes;
    add_turns(c, all, t);
}

/* Per core, while all threads work. */
static void add_arithmetic(crew *c, trials *all, kata_ceilings *out, const ceiling_kernels *k)
{
    add_operation(c, all, &out->fma_f64, k->fma_f64, k->lanes);
    add_operation(c, all, &out->fma_f32, k->fma_f32, 2 * k->lanes);
    add_operation(c, all, &out->divide_f64, k->divide_f64, k->lanes);
    add_operation(c, all, &out->divide_f32, k->divide_f32, 2 * k->lanes);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void repeat(crew *c, trials *all, double start)
{
    for (int r = 0; r < MOST_REPETITIONS; r++) {
        if (r >= FEWEST_REPETITIONS && clock_seconds() - start > ENOUGH) break;
        for (int i = 0; i < all->count; i++) {
            trial *t = &all->list[i];
            t->rates[t->count++] = t->amount / run(c, t);
        }
    }
    for (int i = 0; i < all->count; i++) {
        trial *t = &all->list[i];
        qsort(t->rates, (size_t)t->count, sizeof *t->rates, ascending);
        if (t->out->best < t->rates[t->count - 1])
            *t->out =
                (kata_rate){.best = t->rates[t->count - 1], .median = t->rates[(t->count - 1) / 2]};
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Bytes of an array: twice the largest known cache, but a small part of the memory. */
static int64_t array_bytes(const machine *m, int threads)
{
    int64_t bytes = 2 * larger(m->l3, m->l2 * threads);
    if (bytes < 32 * MIB) bytes = 32 * MIB;
    if (bytes > 256 * MIB) bytes = 256 * MIB;
    int64_t most = m->memory / 32;
    return most && bytes > most ? most : bytes;
}

/* Makes a cache's share of `bytes` that `cores` have in common. */
static int64_t cache_share(int64_t bytes, int cores) { return bytes / 2 / (cores > 0 ? cores : 1); }

/* In the third-level cache a copy must not fit the second-level ones. */
static void add_caches(crew *c, trials *all, const machine *m, kata_ceilings *out)
{
    int64_t l2 = cache_share(m->l2, m->l2_cores), l3 = cache_share(m->l3, m->l3_cores);
    add_cache(c, all, &out->l2_copy_one, 1, l2);
    add_cache(c, all, &out->l2_copy_all, c->threads, l2);
    if (m->l3 / 4 >= 2 * m->l2) add_cache(c, all, &out->l3_copy_one, 1, m->l3 / 4);
    if (l3 >= 2 * m->l2) add_cache(c, all, &out->l3_copy_all, c->threads, l3);
}

/* `other`: the next narrower vectors; some processors compute two of them in the time of one of the
 * widest. NULL: none. */
static void add_all(crew *c, trials *all, const machine *m, const ceiling_kernels *other,
                    kata_ceilings *out)
{
    const ceiling_kernels *k = c->kernels;
    add_memory(all, c, &out->copy, 2, (trial){.job = copy_memory, .copy = k->copy});
    add_memory(all, c, &out->triad, 3, (trial){.job = triad_memory, .triad = k->triad});
    if (k->copy_streaming) {
        add_memory(all, c, &out->copy_streaming, 2,
                   (trial){.job = copy_memory, .copy = k->copy_streaming});
        add_memory(all, c, &out->triad_streaming, 3,
                   (trial){.job = triad_memory, .triad = k->triad_streaming});
    }
    add_caches(c, all, m, out);
    add_arithmetic(c, all, out, k);
    if (other) add_arithmetic(c, all, out, other);
    trial clock = {.out = &out->clock, .job = count_cycles, .threads = 1, .turns = 1};
    run(c, &clock);
    clock.amount = (double)c->cycles;
    if (c->cycles) add_turns(c, all, clock);
}

bool machine_measure(const machine *m, int threads, kata_ceilings *out)
{
    double start = clock_seconds();
    trials all = {.count = 0};
    const ceiling_kernels *sets[CEILING_SETS];
    int set_count = ceiling_kernels_find(sets);
    crew c = {.kernels = sets[0]};
    kata_ceilings found = {.clock = {0}};
    bool gathered = gather(&c, threads < 1 ? 1 : threads);
    size_t step = CEILING_STEP * sizeof(double);
    c.count = (size_t)array_bytes(m, c.threads) / (size_t)c.threads / step * CEILING_STEP;
    size_t bytes = (c.count * (size_t)c.threads * sizeof(double) + STAGGER) * ARRAYS;
    char *memory = MAP_FAILED;
    if (gathered && c.count)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        madvise(memory, bytes, MADV_HUGEPAGE);
        for (int a = 0; a < ARRAYS; a++)
            c.array[a] = (double *)(void *)(memory + (size_t)a * (bytes / ARRAYS));
        work(&c, c.threads, touch);
        add_all(&c, &all, m, set_count > 2 ? sets[1] : NULL, &found);
        repeat(&c, &all, start);
        munmap(memory, bytes);
    }
    dismiss(&c);
    if (memory == MAP_FAILED) return false;
    found.seconds = clock_seconds() - start;
    *out = found;
    return true;
}
