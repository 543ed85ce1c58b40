/* Which plan runs a chain fastest: loop by loop, or in tiles for caches of several sizes. Results
 * are the same, so ways are tried on the chain itself while it runs: a part of it, or one of many
 * chains that are alike, is run in each way. The size that a machine reports for its second-level
 * cache is where the search begins. From there it goes to caches twice or half as large as long as
 * that is faster.
 *
 * The first part finds new memory and counts for nothing. Short parts find what the part before
 * left in the caches; of them three are run in each way, the first of which does not count. */
#include "exec/cpu.h"
#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    WAY_LOOPS,
    WAY_SMALLEST,
    WAY_FIRST = WAY_SMALLEST + 2, /* the reported size */
    PART = HOSTILE(32, 2),        /* loops of a part, about */
    SHORT = HOSTILE(16, 2),       /* loops; fewer find their values in the caches */
    SHORT_RUNS = 3,
    SHORTEST_PAUSE = 64 * PART,
    LONGEST_PAUSE = 16 * SHORTEST_PAUSE
};

static const double near = 1.3; /* ways that take so much longer than the fastest are tried again */

/* ---- chains that are alike ------------------------------------------------------------------- */

/* The longest part that a chain begins and ends with says where it repeats. It is found loop by
 * loop from those of the chain's beginnings (Knuth, Morris, Pratt, 1977). */
bool cpu_find_period(const chain *c, size_t *period)
{
    const chain_loop *loops = c->loops;
    size_t *ends = calloc(c->count + 1, sizeof *ends), length = 0;
    if (!ends) return false;
    for (size_t i = 1; i < c->count; i++) {
        while (length && loops[i].hash != loops[length].hash) length = ends[length - 1];
        if (loops[i].hash == loops[length].hash) length++;
        ends[i] = length;
    }
    free(ends);
    *period = c->count - length <= c->count / 2 ? c->count - length : 0;
    return true;
}

/* The second half of a chain says how it repeats; from there back to where that begins. */
bool cpu_find_repeat(const chain *c, size_t *start)
{
    size_t first = c->count / 2, period;
    chain half = {.loops = c->loops + first, .count = c->count - first};
    if (!cpu_find_period(&half, &period)) return false;
    while (period && first > 0 && c->loops[first - 1].hash == c->loops[first - 1 + period].hash)
        first--;
    *start = period ? first : 0;
    return true;
}

/* Chains of the same loops that repeat are alike, however long they are. */
static uint64_t key_of(const chain *c, size_t period)
{
    uint64_t key = period ? 1 : c->count;
    for (size_t i = 0; i < (period ? period : c->count); i++)
        key += (c->loops[i].hash ^ c->loops[i].hash >> 31) * 0x9e3779b97f4a7c15u;
    return key ? key : 1;
}

static cpu_ways *find(struct exec_cpu *cpu, uint64_t key)
{
    cpu_ways *oldest = cpu->ways;
    for (cpu_ways *w = cpu->ways; w < cpu->ways + CPU_KNOWN_CHAINS; w++) {
        if (w->key == key) return w;
        if (w->used < oldest->used) oldest = w;
    }
    *oldest = (cpu_ways){.key = 0};
    return oldest;
}

void cpu_way_request(const cpu_ways *w, int way, plan_request *out)
{
    *out = (plan_request){.method = "loops"};
    if (way == WAY_LOOPS) return;
    out->method = "tiled";
    out->cache = way >= WAY_FIRST ? w->cache << (way - WAY_FIRST) : w->cache >> (WAY_FIRST - way);
    out->threads = w->threads;
}

cpu_ways cpu_ways_new(uint64_t key, size_t period, int64_t cache, int threads)
{
    return (cpu_ways){.key = key,
                      .period = period,
                      .cache = cache,
                      .threads = threads,
                      .best = WAY_FIRST,
                      .pause = SHORTEST_PAUSE};
}

/* Whether a chain has loops to be tiled, and functions for all of them. */
static bool find_tiles(exec_context *context, const chain *c, const size_t *functions, cpu_ways *w,
                       messages *m)
{
    kata_status status = KATA_OK;
    cpu_work work;
    plan_request request;
    cpu_way_request(w, WAY_FIRST, &request);
    if (!cpu_plan_by(context, &request, c, &work, m)) return false;
    const char *why = exec_cpu_refuses(work.plan);
    w->plain = work.whole || why;
    if (!why)
        why = work.plan->refusal_count ? work.plan->refusals[0].why : "one loop needs no tiles";
    snprintf(w->why, sizeof w->why, "%s", w->plain ? why : "");
    snprintf(w->kernel, sizeof w->kernel, "%s", c->loops[0].kernel->name);
    if (!w->plain && !cpu_has_all_code(context, c, functions, m, &status)) {
        w->plain = true; /* this time */
        w->key = 0;
    }
    return status == KATA_OK;
}

cpu_ways *cpu_ways_of(exec_context *context, const chain *c, const size_t *functions, messages *m)
{
    struct exec_cpu *cpu = context->cpu;
    size_t period;
    if (!cpu->ways) cpu->ways = calloc(CPU_KNOWN_CHAINS, sizeof *cpu->ways);
    if (!cpu->ways || !cpu_find_period(c, &period)) {
        message_no_memory(m);
        return NULL;
    }
    uint64_t key = key_of(c, period);
    cpu_ways *w = find(cpu, key);
    w->used = ++cpu->turn;
    if (w->key == key) return w;
    *w = cpu_ways_new(key, period, HOSTILE(machine_second_cache(), 1024), context->threads);
    w->used = cpu->turn;
    return find_tiles(context, c, functions, w, m) ? w : NULL;
}

/* ---- the search ------------------------------------------------------------------------------ */

static int fastest(const cpu_ways *w, int first)
{
    int best = -1;
    for (int i = first; i < CPU_WAYS; i++)
        if (w->tries[i] && (best < 0 || w->least[i] < w->least[best])) best = i;
    return best;
}

/* The next way to try; -1: the fastest is known. */
static int next_try(const cpu_ways *w)
{
    if (!w->tries[WAY_FIRST]) return WAY_FIRST;
    if (!w->tries[WAY_LOOPS]) return WAY_LOOPS;
    int best = fastest(w, WAY_SMALLEST);
    if (best + 1 < CPU_WAYS && !w->tries[best + 1]) return best + 1;
    if (best > WAY_SMALLEST && !w->tries[best - 1]) return best - 1;
    return -1;
}

/* After a pause, ways that were nearly as fast as the fastest are tried again. */
static void try_again(cpu_ways *w)
{
    double least = w->least[w->best];
    for (int i = 0; i < CPU_WAYS; i++)
        if (w->least[i] <= near * least) w->tries[i] = 0;
}

size_t cpu_way_begin(cpu_ways *w, size_t left, plan_request *request)
{
    w->trying = false;
    w->way = w->plain ? WAY_LOOPS : w->best;
    if (!w->plain && w->left <= 0) {
        if (next_try(w) < 0) try_again(w);
        w->trying = true;
        w->way = next_try(w) < 0 ? w->best : next_try(w);
    }
    cpu_way_request(w, w->way, request);
    if (!w->trying || !w->period) return left;
    size_t part = (PART + w->period - 1) / w->period * w->period;
    return left < 2 * part ? left : part;
}

/* The search has ended. */
static void decide(cpu_ways *w)
{
    w->best = fastest(w, WAY_LOOPS);
    w->left = w->pause;
    w->pause = smaller(2 * w->pause, LONGEST_PAUSE);
}

void cpu_way_note(cpu_ways *w, const cpu_work *work)
{
    const plan_schedule *s = &work->plan->schedule;
    cpu_tiles *tiles = &w->tiles[w->way];
    *tiles = (cpu_tiles){.loops = 0};
    for (int i = 0; i < s->count && !tiles->loops; i++) {
        const plan_wave *wave = &s->steps[i].wave;
        if (s->steps[i].kind != PLAN_STEP_WAVE) continue;
        tiles->loops = wave->loops;
        for (int k = 0; k < wave->count; k++) tiles->size[wave->dimension[k]] = wave->size[k];
    }
}

void cpu_way_end(cpu_ways *w, size_t loops, double seconds)
{
    int runs = loops < SHORT ? SHORT_RUNS : 1;
    double each = seconds / (double)loops;
    bool met = w->met;
    w->met = true;
    w->loops += (int64_t)loops;
    w->left -= (int64_t)loops;
    if (!w->trying || !met) return;
    if (++w->runs == 1 && runs > 1) return;
    if (w->runs <= 2 || each < w->least[w->way]) w->least[w->way] = each;
    if (w->runs < runs) return;
    w->tries[w->way]++;
    w->runs = 0;
    if (next_try(w) < 0) decide(w);
}
