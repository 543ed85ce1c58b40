/* The cpu executor: a visitor of plans, which runs each loop as a compiled function, on threads. It
 * runs plans in which fields stay at home; of others the chain runs loop by loop. So it does while
 * functions are being compiled: the loops that lack theirs are interpreted. Results are the same.
 *
 * The floating-point environment is the default one, so that no program, nor a library compiled
 * with -ffast-math, can change results: set here for the calling thread and in team.c for the
 * others. */
#include "base/rounding.h"
#include "exec/alike.h"
#include "exec/fuse.h"
#include "exec/inline.h"

#include <stdlib.h>

static struct exec_cpu *new_state(const exec_context *context)
{
    struct exec_cpu *cpu = calloc(1, sizeof *cpu);
    if (!cpu) return NULL;
    cpu->workers = sweep_workers_new(context->threads, context->poison);
    if (cpu->workers) sweep_workers_watch(cpu->workers, context->timeline);
    if (cpu->workers) sweep_workers_set_ranks(cpu->workers, &context->across);
    if (cpu->workers) return cpu;
    exec_cpu_free(cpu);
    return NULL;
}

void exec_cpu_free(struct exec_cpu *cpu)
{
    if (!cpu) return;
    cpu_groups_drop(cpu);
    cpu_larger_drop(cpu);
    if (cpu->workers) cpu_crossover_save(cpu);
    if (cpu->workers) cpu_wisdom_save(cpu);
    wisdom_free(&cpu->wisdom);
    sweep_workers_free(cpu->workers);
    cpu_functions_free(cpu);
    joined_kernels_free(&cpu->joined);
    cpu_fuser_free(cpu);
    arena_free(&cpu->search_memory);
    arena_free(&cpu->chain_memory);
    arena_free(&cpu->run_memory);
    free(cpu->ways);
    free(cpu);
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Plans a part of a chain by a way; loop by loop where this executor cannot run that plan: one size
 * of tiles may ask for windows that another does not. False, reported, when memory is out. */
static bool plan_way(exec_context *context, const plan_request *request, const chain *part,
                     cpu_work *work, messages *m)
{
    static const plan_request loops = {.method = "loops"};
    if (!cpu_plan_by(context, request, part, work, m)) return false;
    if (work->whole || !exec_cpu_refuses(work->plan, work->a)) return true;
    return cpu_plan_by(context, &loops, part, work, m);
}

/* Plans how the first of the loops that are left run next; their number is `part->count`. False,
 * reported, when memory is out. */
static bool plan_next(exec_context *context, tune_ways *ways, chain *part, cpu_work *work,
                      messages *m)
{
    const chain rest = *part;
    const size_t left = rest.count;
    tune_tiles tiles;
    plan_request request = tune_search_begin(ways);
    while (tune_search_looks(ways)) {
        *part = cpu_part(&rest, 0, cpu_look(ways, &request, left));
        if (!plan_way(context, &request, part, work, m)) return false;
        cpu_tiles_of(work, &request, &tiles);
        tune_search_found(ways, &tiles);
        request = tune_search_begin(ways);
    }
    *part = cpu_part(&rest, 0, tune_search_part(ways, left));
    return plan_way(context, &request, part, work, m);
}

/* The clock costs a few per cent of a small loop; nobody asks how long chains take that run in one
 * way only, by functions that stay. */
static double now(const tune_ways *w) { return w->plain && !w->provisional ? 0 : clock_seconds(); }

/* Where other functions run a chain than before, which way is fastest is asked anew. */
static void note_functions(const exec_context *context, tune_ways *ways)
{
    if (ways->provisional && !context->cpu->provisional) tune_search_again(ways);
    ways->provisional = context->cpu->provisional;
}

/* After a part of a chain that took so long: takes functions that replace others. */
static kata_status replace_functions(exec_context *context, const chain *c, const chain *part,
                                     size_t *functions, tune_ways *ways, double seconds,
                                     messages *m)
{
    const size_t first = (size_t)(part->loops - c->loops);
    cpu_larger_end(context, part, functions + first, seconds);
    if (first + part->count == c->count || !cpu_larger_take(context)) return KATA_OK;
    kata_status status = cpu_compile(context, c, functions, m);
    if (status) return status;
    cpu_larger_begin(context, c, functions);
    note_functions(context, ways);
    return KATA_OK;
}

/* Runs some of the loops of a chain part by part, as the fastest known way says. */
static kata_status run_loops(exec_context *context, const chain *c, size_t *functions, messages *m)
{
    tune_ways *ways = cpu_ways_of(context, c, functions, m);
    kata_status status = ways ? KATA_OK : m->status;
    if (ways) note_functions(context, ways);
    for (size_t first = 0, count; first < c->count && !status; first += count) {
        chain part = cpu_part(c, first, c->count - first);
        cpu_work work = {.functions = functions + first};
        double begin = now(ways);
        if (!plan_next(context, ways, &part, &work, m)) return m->status;
        double planned = now(ways);
        count = part.count;
        status = cpu_run_planned(context, &work, m);
        double ended = now(ways);
        if (ways->trying) context->trying += ended - begin;
        tune_search_end(ways, count, ended - planned, planned - begin);
        if (ways->provisional && !status)
            status = replace_functions(context, c, &part, functions, ways, ended - planned, m);
    }
    if (ways && ways->rests && context->remember) cpu_wisdom_save(context->cpu);
    if (!status) cpu_latest_note(context, c, ways);
    return status;
}

/* The loops before a chain repeats run by themselves: then the others are like those of later
 * chains. */
static kata_status run_fastest(exec_context *context, const chain *c, size_t *functions,
                               messages *m)
{
    size_t start;
    kata_status status = cpu_find_repeat(c, &start) ? KATA_OK : message_no_memory(m);
    chain once = cpu_part(c, 0, start), rest = cpu_part(c, start, c->count - start);
    if (!status && start) status = run_loops(context, &once, functions, m);
    return status ? status : run_loops(context, &rest, functions + start, m);
}

static kata_status run_asked(exec_context *context, const chain *c, const size_t *functions,
                             messages *m)
{
    cpu_work work = {.functions = functions};
    if (!cpu_plan_as_asked(context, c, &work, m)) return m->status;
    context->cpu->asked[!work.whole]++;
    return cpu_run_planned(context, &work, m);
}

/* Whether a chain may run as one of fewer loops. */
static bool may_change(const exec_context *context, const chain *c)
{
    return context->fastest && !context->lines && !c->after && !c->goes_on;
}

static bool may_inline(const exec_context *context, const chain *c)
{
    bool some = false;
    for (size_t i = 0; i < c->slot_count; i++) some = some || c->slots[i]->temporary;
    return some && may_change(context, c) && !codegen_leaves_out(context->without, "inline");
}

/* Sets `own` to a chain that does the same in fewer loops, and their functions, if all of them have
 * code; otherwise its count is 0. */
static kata_status inline_temporaries(exec_context *context, const chain *c, chain *own,
                                      size_t *functions, messages *m)
{
    const plan_request loops = {.method = "loops"};
    const analysis_chain *a;
    own->count = 0;
    if (!may_inline(context, c)) return KATA_OK;
    if (!exec_plan_quietly(context, &loops, c, &a, m)) return m->status;
    if (!cpu_inline(context->cpu, c, a, own)) return message_no_memory(m);
    bool fewer = own->count < c->count;
    kata_status status = fewer ? cpu_compile(context, own, functions, m) : KATA_OK;
    if (status || !fewer || !cpu_has_all_code(context, own, functions, m, &status)) own->count = 0;
    if (own->count) observe_meter_meet(context->meter, own);
    return status;
}

static bool may_fuse(const exec_context *context, const chain *c)
{
    return c->count > 1 && may_change(context, c) && !codegen_leaves_out(context->without, "fuse");
}

/* Runs a chain, whose functions are known, by a plan; NULL: by the one that is chosen for it. */
static kata_status run_by(exec_context *context, const chain *c, size_t *functions, const plan *p,
                          const analysis_chain *a, messages *m)
{
    cpu_work again = {.functions = functions, .whole = true};
    bool is_again = !p && context->fastest && cpu_latest_again(context, c, &again);
    int64_t bytes = is_again ? context->cpu->latest.bytes : sweep_chain_bytes(c);
    if (sweep_workers_chain(context->cpu->workers, bytes)) cpu_crossover_load(context->cpu);
    if (!p && !is_again && context->fastest) return run_fastest(context, c, functions, m);
    double start = context->cpu->counts ? clock_seconds() : 0;
    kata_status status = p ? cpu_run_planned(context, &(cpu_work){p, a, functions, false}, m)
                         : is_again ? cpu_latest_run(context, c, &again, m)
                                    : run_asked(context, c, functions, m);
    if (context->cpu->counts && !status)
        cpu_larger_end(context, c, functions, clock_seconds() - start);
    return status;
}

/* Finds the functions of a chain and runs it. */
static kata_status run_chain(exec_context *context, const chain *c, const plan *p,
                             const analysis_chain *a, messages *m)
{
    arena *memory = &context->cpu->chain_memory;
    size_t *functions = arena_array(memory, c->count + 1, sizeof *functions);
    kata_status status = functions ? KATA_OK : message_no_memory(m);
    chain own = {.count = 0}, fused = {.count = 0};
    cpu_larger_take(context);
    if (!status && !p) status = inline_temporaries(context, c, &own, functions, m);
    if (own.count) c = &own;
    if (!status && !p && may_fuse(context, c)) status = cpu_fuse(context, c, &fused, &functions, m);
    if (fused.count)
        c = &fused;
    else if (!status && !own.count)
        status = cpu_compile(context, c, functions, m);
    if (!status) status = sweep_make_arrays(c, m);
    if (!status) cpu_larger_begin(context, c, functions);
    if (!status) status = run_by(context, c, functions, p, a, m);
    if (status) cpu_groups_drop(context->cpu); /* what has failed is not waited for again */
    arena_clear(memory);
    return status;
}

static kata_status run_in_default_environment(exec_context *context, const chain *c, const plan *p,
                                              const analysis_chain *a, messages *m)
{
    if (!context->cpu) context->cpu = new_state(context);
    if (!context->cpu) return message_no_memory(m);
    context->cpu->jit = context->jit;
    rounding_environment environment;
    rounding_enter(&environment);
    kata_status status = run_chain(context, c, p, a, m);
    rounding_leave(&environment);
    return status;
}

kata_status exec_cpu_run_plan(exec_context *context, const chain *c, const plan *p,
                              const analysis_chain *a, messages *m)
{
    const char *why = exec_cpu_refuses(p, a);
    if (why) return message_fail(m, KATA_ERROR_ARGUMENT, "the executor 'cpu': %s", why);
    plan own = *p; /* which shares the nodes */
    own.memory = (arena){0};
    kata_status status = plan_schedule_make(&own, a) ? KATA_OK : message_no_memory(m);
    if (!status) status = run_in_default_environment(context, c, &own, a, m);
    arena_free(&own.memory);
    return status;
}

static kata_status cpu_run(exec_context *context, chain *c, messages *m)
{
    return run_in_default_environment(context, c, NULL, NULL, m);
}

const exec_executor exec_cpu = {"cpu", cpu_run};
