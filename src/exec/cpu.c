/* The cpu executor: a visitor of plans, which runs each loop as a compiled function, on threads. It
 * runs plans in which fields stay at home; of others the chain runs loop by loop. So it does while
 * functions are being compiled: the loops that lack theirs are interpreted. Results are the same.
 *
 * Where a check fails, loops behind the one that fails are left out. The ones before it run to
 * their end: one of them may fail, too, and would have come first.
 *
 * The floating-point environment is the default one, so that no program, nor a library compiled
 * with -ffast-math, can change results: set here for the calling thread and in team.c for the
 * others. */
#include "exec/cpu.h"

#include "oracle/oracle.h"

#include <fenv.h>
#include <stdlib.h>

static struct exec_cpu *new_state(const exec_context *context)
{
    struct exec_cpu *cpu = calloc(1, sizeof *cpu);
    if (!cpu) return NULL;
    cpu->workers = sweep_workers_new(context->threads, context->poison);
    if (cpu->workers) return cpu;
    exec_cpu_free(cpu);
    return NULL;
}

void exec_cpu_free(struct exec_cpu *cpu)
{
    if (!cpu) return;
    cpu_groups_drop(cpu);
    sweep_workers_free(cpu->workers);
    free(cpu->functions);
    free(cpu);
}

/* ---- a chain --------------------------------------------------------------------------------- */

/* A loop of a chain. */
typedef struct cpu_step {
    size_t function;   /* its number */
    bool cut;          /* see sweep_prepare */
    bool begun;        /* on its first box */
    sweep_loop *sweep; /* NULL: not prepared, or done */
    double seconds;
} cpu_step;

typedef struct cpu_chain {
    exec_context *context;
    const analysis_chain *a;
    cpu_step *steps; /* per loop */
    bool whole;      /* each loop runs on one box, one after another */
    int failing;     /* the first loop of which a point has failed; loop_count: none */
    messages *m;
    kata_status status;
} cpu_chain;

static const chain_loop *loop_of(const cpu_chain *c, int loop) { return c->a->loops[loop].loop; }

static bool no_memory(cpu_chain *c)
{
    if (!c->status) c->status = message_no_memory(c->m);
    return false;
}

/* A loop is prepared when it is met; where loops run side by side, all of them before. */
static bool prepare(cpu_chain *c, int loop)
{
    cpu_step *s = &c->steps[loop];
    struct exec_cpu *cpu = c->context->cpu;
    if (s->sweep) return true;
    c->status = store_make_arrays(loop_of(c, loop), c->m);
    if (c->status) return false;
    s->sweep =
        sweep_prepare(cpu->workers, loop_of(c, loop), cpu->functions[s->function].run, s->cut);
    return s->sweep || no_memory(c);
}

static bool begin(cpu_chain *c, int loop)
{
    cpu_step *s = &c->steps[loop];
    if (!prepare(c, loop)) return false;
    if (!s->begun) sweep_begin(s->sweep, loop_of(c, loop));
    return s->begun = true;
}

static void release(cpu_step *s)
{
    sweep_release(s->sweep);
    s->sweep = NULL;
    s->begun = false;
}

static bool run_prepared(cpu_chain *c, int loop, const grid_box *box, const grid_box *core)
{
    cpu_step *s = &c->steps[loop];
    if (!begin(c, loop)) return false;
    if (!sweep_run(s->sweep, box, core)) return no_memory(c);
    if (sweep_fault(s->sweep)) c->failing = loop;
    return true;
}

static bool finish(cpu_chain *c, int loop)
{
    cpu_step *s = &c->steps[loop];
    if (!begin(c, loop)) return false;
    if (loop < c->failing && !sweep_finish(s->sweep)) return no_memory(c);
    if (c->whole && loop < c->failing) release(s);
    return true;
}

/* A loop without a function is interpreted as a whole, its reductions too. */
static bool interpret(cpu_chain *c, int loop)
{
    c->status = store_make_arrays(loop_of(c, loop), c->m);
    if (!c->status) c->status = oracle_interpret_loop(loop_of(c, loop), NULL, c->m);
    return c->status == KATA_OK;
}

/* Whether the function of a loop is there; *ready is false where it is to be interpreted. */
static bool has_code(cpu_chain *c, int loop, bool *ready)
{
    abi_function *run = NULL;
    if (c->whole && !c->steps[loop].sweep)
        c->status = cpu_compiled(c->context, c->steps[loop].function, loop_of(c, loop), c->m, &run);
    *ready = run || c->steps[loop].sweep;
    return c->status == KATA_OK;
}

/* ---- the visitor ----------------------------------------------------------------------------- */

static bool run_timed(cpu_chain *c, const plan_run *run)
{
    bool ready;
    double start = observe_meter_now(c->context->meter);
    if (!has_code(c, run->loop, &ready)) return false;
    bool done = ready ? run_prepared(c, run->loop, &run->box, &run->core) : interpret(c, run->loop);
    if (done && ready && c->whole && !c->a->loops[run->loop].reduces && run->loop < c->failing)
        release(&c->steps[run->loop]);
    c->steps[run->loop].seconds += observe_meter_now(c->context->meter) - start;
    return done;
}

static bool visit_run(void *data, const plan_walk *walk, const plan_run *run)
{
    cpu_chain *c = data;
    (void)walk;
    return run->loop > c->failing || run_timed(c, run);
}

/* Reductions are finished, and loops without a grid run. */
static bool visit_scalar(void *data, int loop)
{
    cpu_chain *c = data;
    const chain_loop *l = loop_of(c, loop);
    bool runs = l->once || grid_box_is_empty(&l->box), ready = false;
    if (loop > c->failing) return true;
    if (!c->steps[loop].sweep) {
        if (!runs) return true; /* interpreted */
        if (!has_code(c, loop, &ready)) return false;
        if (!ready) return interpret(c, loop);
    }
    if (l->once && !run_prepared(c, loop, &l->box, &l->box)) return false;
    return finish(c, loop);
}

/* ---- before and after ------------------------------------------------------------------------ */

typedef struct cut_finder {
    const analysis_chain *a;
    cpu_step *steps;
} cut_finder;

/* Whether a part of a loop begins or ends within a brick, or has points that do not count. */
static bool find_cut(void *data, const plan_walk *walk, const plan_run *run)
{
    cut_finder *f = data;
    const grid_box *all = &f->a->loops[run->loop].loop->box, *box = &run->box;
    bool low = box->lo[0] != all->lo[0] && box->lo[0] % ABI_BRICK != 0;
    bool high = box->hi[0] != all->hi[0] && box->hi[0] % ABI_BRICK != 0;
    (void)walk;
    if (low || high || memcmp(box, &run->core, sizeof *box) != 0) f->steps[run->loop].cut = true;
    return true;
}

/* Prepares all loops of a plan in which they run side by side. */
static bool prepare_all(cpu_chain *c, const plan *p, plan_place *homes)
{
    cut_finder finder = {c->a, c->steps};
    plan_visitor visitor = {.data = &finder, .run = find_cut};
    bool reduces = false;
    for (int i = 0; i < c->a->loop_count; i++) reduces = reduces || c->a->loops[i].reduces;
    if (reduces && !plan_walk_all(p, c->a, homes, &visitor)) return no_memory(c);
    for (int i = 0; i < c->a->loop_count; i++)
        if (!prepare(c, i)) return false;
    return true;
}

/* What the loops that have run took; and those that are still prepared are released. */
static void end_loops(cpu_chain *c)
{
    for (int i = 0; i < c->a->loop_count; i++) {
        if (i < c->failing && !c->status)
            observe_meter_note(c->context->meter, loop_of(c, i), c->steps[i].seconds);
        release(&c->steps[i]);
    }
}

static kata_status run_planned(cpu_chain *c, const plan *p, plan_place *homes)
{
    plan_visitor visitor = {.data = c, .run = visit_run, .scalar = visit_scalar};
    c->failing = c->a->loop_count;
    bool done = c->whole || prepare_all(c, p, homes);
    if (done && !plan_walk_all(p, c->a, homes, &visitor)) no_memory(c);
    if (!c->status && c->failing < c->a->loop_count)
        c->status = observe_fault_report(loop_of(c, c->failing),
                                         sweep_fault(c->steps[c->failing].sweep), c->m);
    end_loops(c);
    return c->status;
}

/* Runs a chain by a plan; NULL: by the one that is chosen for it. */
static kata_status run_chain(exec_context *context, const chain *c, const plan *p,
                             const analysis_chain *a, messages *m)
{
    arena memory = {0};
    cpu_chain chain = {.context = context, .a = a, .m = m};
    size_t *functions = arena_array(&memory, c->count + 1, sizeof *functions);
    plan_place *homes = arena_array(&memory, c->slot_count + 1, sizeof *homes);
    chain.steps = arena_array(&memory, c->count + 1, sizeof *chain.steps);
    bool good = functions && homes && chain.steps;
    kata_status status = good ? cpu_compile(context, c, functions, m) : message_no_memory(m);
    for (size_t i = 0; i < c->count && !status; i++) chain.steps[i].function = functions[i];
    if (!p && !status) {
        p = cpu_choose_plan(context, c, functions, &chain.a, &chain.whole, m);
        if (!p) status = KATA_ERROR_MEMORY;
    }
    if (!status) status = run_planned(&chain, p, homes);
    arena_free(&memory);
    return status;
}

static kata_status run_in_default_environment(exec_context *context, const chain *c, const plan *p,
                                              const analysis_chain *a, messages *m)
{
    if (!context->cpu) context->cpu = new_state(context);
    if (!context->cpu) return message_no_memory(m);
    context->cpu->jit = context->jit;
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    kata_status status = run_chain(context, c, p, a, m);
    fesetenv(&environment);
    return status;
}

kata_status exec_cpu_run_plan(exec_context *context, const chain *c, const plan *p,
                              const analysis_chain *a, messages *m)
{
    const char *why = exec_cpu_refuses(p);
    if (why) return message_fail(m, KATA_ERROR_ARGUMENT, "the executor 'cpu': %s", why);
    return run_in_default_environment(context, c, p, a, m);
}

static kata_status cpu_run(exec_context *context, chain *c, messages *m)
{
    return run_in_default_environment(context, c, NULL, NULL, m);
}

const exec_executor exec_cpu = {"cpu", cpu_run};
