/* Chains that are alike: those of the same loops that repeat, however long they are. What is known
 * of the latest kinds is in a table. */
#include "exec/alike.h"
#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest part that a chain begins and ends with says where it repeats. It is found loop by
 * loop from those of the chain's beginnings (Knuth, Morris, Pratt, 1977). */
bool cpu_find_period(const chain *c, size_t *period)
{
    const chain_loop *loops = c->loops;
    *period = 0;
    if (c->count < 2) return true;
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

/* Chains of the same loops that repeat are alike, however long they are, and so are the tiles of
 * another chain, wherever they lie. */
static uint64_t key_of(const chain *c, size_t period)
{
    if (c->alike && !period) return c->alike;
    uint64_t key = period ? 1 : c->count;
    for (size_t i = 0; i < (period ? period : c->count); i++)
        key += (c->loops[i].hash ^ c->loops[i].hash >> 31) * 0x9e3779b97f4a7c15u;
    return key ? key : 1;
}

static tune_ways *find(struct exec_cpu *cpu, uint64_t key)
{
    tune_ways *oldest = cpu->ways;
    for (tune_ways *w = cpu->ways; w < cpu->ways + CPU_KNOWN_CHAINS; w++) {
        if (w->key == key) return w;
        if (w->used < oldest->used) oldest = w;
    }
    *oldest = (tune_ways){.key = 0};
    return oldest;
}

chain cpu_part(const chain *c, size_t first, size_t count)
{
    enum { LOOK_BEHIND = 16 }; /* loops that show which values are overwritten */
    chain part = *c;
    size_t rest = c->count + c->after - first - count;
    part.loops += first;
    part.count = count;
    part.after = rest < LOOK_BEHIND ? rest : LOOK_BEHIND;
    part.goes_on = c->goes_on || rest > part.after;
    part.step = c->step >= first ? c->step - first : (size_t)-1;
    return part;
}

size_t cpu_look(const tune_ways *w, const plan_request *request, size_t left)
{
    size_t loops = strcmp(request->method, "windowed") != 0 ? CPU_LOOK : CPU_LOOK_WINDOWS;
    if (w->period) loops = (loops + w->period - 1) / w->period * w->period;
    return w->period && loops < left ? loops : left;
}

/* Sets how many loops run in tiles that are no wave, and their sizes. */
static void find_tiles_of(const plan *p, int node, int64_t facts[8])
{
    if (p->nodes[node].kind == PLAN_TILE) facts[1] = p->nodes[node].leaf_count;
    for (; p->nodes[node].kind == PLAN_TILE; node = p->nodes[node].child)
        facts[2 + p->nodes[node].dimension] = p->nodes[node].size;
}

static int count_coarser(const plan_schedule *s, const plan_wave *wave)
{
    int coarser = 0;
    for (int i = 0; i < wave->loops; i++) {
        bool scaled = false;
        for (int k = 0; k < wave->count; k++)
            scaled = scaled || s->loops[wave->first + i].scale[k] > 1;
        coarser += scaled;
    }
    return coarser;
}

void cpu_tiles_of(const cpu_work *work, const plan_request *request, tune_tiles *out)
{
    const plan_schedule *s = &work->plan->schedule;
    uint64_t plan = hash_bytes(request->method, strlen(request->method), (uint64_t)s->count);
    bool any = false; /* step in tiles */
    *out = (tune_tiles){.traffic = plan_find_traffic(work->plan, work->a)};
    for (int i = 0; i < s->count; i++) {
        const plan_wave *wave = &s->steps[i].wave;
        bool tiled = s->steps[i].kind == PLAN_STEP_WAVE;
        int64_t facts[8] = {s->steps[i].kind, tiled ? wave->loops : 0};
        for (int k = 0; tiled && k < wave->count; k++)
            facts[2 + wave->dimension[k]] = wave->size[k];
        if (tiled) facts[5] = wave->independent;
        bool walks = s->steps[i].kind == PLAN_STEP_TILES || s->steps[i].kind == PLAN_STEP_NODE;
        if (walks) find_tiles_of(work->plan, s->steps[i].node, facts);
        plan = hash_bytes(facts, sizeof facts, plan);
        any = any || facts[1];
        if (!facts[1] || out->loops) continue;
        out->loops = (int)facts[1];
        out->coarser = tiled ? count_coarser(s, wave) : 0;
        for (int d = 0; d < 3; d++) out->size[d] = facts[2 + d];
    }
    out->plan = any && plan > 1 ? plan : 1; /* loop by loop, whatever was asked for */
}

/* Bytes of all fields that a chain touches. */
static int64_t bytes_of(const analysis_chain *a)
{
    int64_t bytes = 0, points = 1;
    for (int l = 0; l < a->loop_count; l++)
        points = larger(points, grid_box_points(&a->loops[l].loop->box));
    for (int s = 0; s < a->slot_count; s++)
        if (!a->slots[s]->is_scalar)
            bytes += (int64_t)a->slots[s]->components * ir_storages[a->slots[s]->type].bytes;
    return points <= (INT64_C(1) << 50) / larger(bytes, 1) ? points * bytes : INT64_C(1) << 50;
}

static void describe(const chain *c, tune_ways *w)
{
    const grid_shape *shape = &c->loops[0].shape;
    snprintf(w->kernel, sizeof w->kernel, "%s", c->loops[0].kernel->name);
    for (int d = 0; d < 3; d++) w->grid[d] = d < shape->rank ? shape->size[d] : 1;
}

/* The loop before another one that sums up a scalar; -1: there is none. */
static int find_sum(const analysis_chain *a, int loop, int slot)
{
    int found = -1;
    for (int l = 0; l < loop; l++)
        for (int i = 0; i < a->loops[l].touch_count && a->loops[l].reduces; i++)
            if (a->loops[l].touches[i].slot == slot && a->loops[l].touches[i].writes) found = l;
    return found;
}

/* Says which loop needs what another one of the chain has summed up. */
static void find_wait(const analysis_chain *a, tune_ways *w)
{
    for (int l = 0; l < a->loop_count && !w->waits[0]; l++)
        for (int i = 0; i < a->loops[l].touch_count && !w->waits[0]; i++) {
            const analysis_touch *t = &a->loops[l].touches[i];
            int sum = t->scalar && !t->writes ? find_sum(a, l, t->slot) : -1;
            if (sum >= 0)
                snprintf(w->waits, sizeof w->waits, "'%.36s' needs the result of '%.36s'",
                         a->loops[l].loop->kernel->name, a->loops[sum].loop->kernel->name);
        }
}

/* Sets whether a chain has values for windows, which caches do not hold. False, reported, when
 * memory is out. */
static bool find_windows(exec_context *context, const chain *c, tune_ways *w, messages *m)
{
    cpu_work work;
    const plan_request loops = {.method = "loops"}, request = tune_ways_smallest(w, true);
    chain part = cpu_part(c, 0, cpu_look(w, &request, c->count));
    w->windowed = false;
    if (!cpu_plan_by(context, &loops, &part, &work, m)) return false;
    w->bytes = (double)bytes_of(work.a);
    if (w->bytes <= (double)w->cache * w->threads) return true; /* caches hold all */
    if (!cpu_plan_by(context, &request, &part, &work, m)) return false;
    w->windowed = !work.whole && !exec_cpu_refuses(work.plan, work.a);
    return true;
}

/* Whether a chain has loops to be tiled, or windows for values that caches do not hold, and
 * functions for all loops. */
static bool find_tiles(exec_context *context, const chain *c, const size_t *functions, tune_ways *w,
                       messages *m)
{
    kata_status status = KATA_OK;
    cpu_work work;
    if (!find_windows(context, c, w, m)) return false;
    plan_request request = tune_ways_smallest(w, false);
    chain part = cpu_part(c, 0, cpu_look(w, &request, c->count));
    if (!cpu_plan_by(context, &request, &part, &work, m)) return false;
    const char *why = exec_cpu_refuses(work.plan, work.a);
    w->plain = (work.whole || why) && !w->windowed;
    if (!why)
        why = work.plan->refusal_count ? work.plan->refusals[0].why : "one loop needs no tiles";
    snprintf(w->why, sizeof w->why, "%s", w->plain ? why : "");
    describe(c, w);
    find_wait(work.a, w);
    if (!w->plain && !cpu_has_all_code(context, c, functions, m, &status)) {
        w->plain = true; /* this time */
        w->key = 0;
        snprintf(w->why, sizeof w->why, "a kernel was not compiled yet");
    }
    return status == KATA_OK;
}

/* Where streaming stores begin to pay the caches end. Until that was measured, a report counts. */
static double outer_of(struct exec_cpu *cpu)
{
    int64_t crossover = machine_crossover_bytes(sweep_workers_crossover(cpu->workers));
    return (double)(crossover ? crossover : HOSTILE(machine_third_cache(), 0));
}

tune_ways *cpu_ways_of(exec_context *context, const chain *c, const size_t *functions, messages *m)
{
    struct exec_cpu *cpu = context->cpu;
    size_t period;
    if (!cpu->ways) cpu->ways = calloc(CPU_KNOWN_CHAINS, sizeof *cpu->ways);
    if (!cpu->ways || !cpu_find_period(c, &period)) {
        message_no_memory(m);
        return NULL;
    }
    uint64_t key = key_of(c, period);
    tune_ways *w = find(cpu, key);
    w->used = ++cpu->turn;
    if (w->key == key) return w;
    int64_t cache = HOSTILE(machine_second_cache(), 1024);
    *w = tune_ways_new(key, period, context->second_cache ? context->second_cache : cache,
                       context->threads);
    w->used = cpu->turn;
    w->at_once = context->tune;
    w->outer = outer_of(cpu);
    if (!find_tiles(context, c, functions, w, m)) return NULL;
    cpu_wisdom_use(context, w);
    return w;
}

plan_request exec_cpu_fastest(const exec_context *context, const chain *c)
{
    plan_request loops = {.method = "loops"};
    const tune_ways *ways = context->cpu ? context->cpu->ways : NULL;
    size_t start, period;
    chain rest = *c;
    if (!ways || !cpu_find_repeat(c, &start)) return loops;
    rest.loops += start;
    rest.count -= start;
    if (!cpu_find_period(&rest, &period)) return loops;
    uint64_t key = key_of(&rest, period);
    for (int i = 0; i < CPU_KNOWN_CHAINS; i++)
        if (ways[i].key == key && !ways[i].plain && ways[i].best >= 0)
            return ways[i].ways[ways[i].best].request;
    return loops;
}
