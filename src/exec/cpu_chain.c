/* Running a chain by a plan: the steps of its schedule, one after another.
 *
 * Where a check fails, loops behind the one that fails are left out. The ones before it run to
 * their end: one of them may fail, too, and would have come first. */
#include "exec/cpu.h"

#include "oracle/oracle.h"

/* ---- loops ------------------------------------------------------------------------------------
 */

static bool run_prepared(cpu_chain *c, int loop, const grid_box *box, const grid_box *core)
{
    cpu_step *s = &c->steps[loop];
    if (!cpu_begin(c, loop)) return false;
    if (!sweep_run(s->sweep, box, core)) return cpu_no_memory(c);
    if (sweep_fault(s->sweep)) c->failing = loop;
    return true;
}

static bool not_reduced(cpu_chain *c)
{
    if (!c->context->failure.elsewhere) return cpu_no_memory(c);
    c->status = KATA_ERROR_INTERNAL; /* ranks agree on another one */
    return false;
}

static bool finish(cpu_chain *c, int loop)
{
    cpu_step *s = &c->steps[loop];
    if (!cpu_begin(c, loop)) return false;
    if (loop < c->failing && !sweep_finish(s->sweep)) return not_reduced(c);
    if (c->whole && loop < c->failing) cpu_release(s);
    return true;
}

/* A loop without a function is interpreted as a whole, its reductions too. */
static bool interpret(cpu_chain *c, int loop)
{
    c->status = store_make_arrays(cpu_loop_of(c, loop), c->m);
    if (!c->status) c->status = oracle_interpret_loop(cpu_loop_of(c, loop), NULL, c->m);
    return c->status == KATA_OK;
}

/* Whether the function of a loop is there; *ready is false where it is to be interpreted. */
static bool has_code(cpu_chain *c, int loop, bool *ready)
{
    abi_function *run = NULL;
    if (c->whole && !c->steps[loop].sweep)
        c->status =
            cpu_compiled(c->context, c->steps[loop].function, cpu_loop_of(c, loop), c->m, &run);
    *ready = run || c->steps[loop].sweep;
    return c->status == KATA_OK;
}

/* A copy has no function. */
static bool copy(cpu_chain *c, const plan_run *run)
{
    const chain_loop *loop = cpu_loop_of(c, run->loop);
    c->status = store_make_arrays(loop, c->m);
    if (!c->status) sweep_copy(c->context->cpu->workers, loop, &run->box);
    return c->status == KATA_OK;
}

/* ---- the visitor ----------------------------------------------------------------------------- */

static bool run_loop(cpu_chain *c, const plan_run *run)
{
    bool ready;
    if (cpu_loop_of(c, run->loop)->copy) return copy(c, run);
    if (!has_code(c, run->loop, &ready)) return false;
    bool done = ready ? run_prepared(c, run->loop, &run->box, &run->core) : interpret(c, run->loop);
    if (done && ready && c->whole && !c->a->loops[run->loop].reduces && run->loop < c->failing)
        cpu_release(&c->steps[run->loop]);
    return done;
}

static bool run_timed(cpu_chain *c, const plan_run *run)
{
    const char *name = cpu_loop_of(c, run->loop)->kernel->name;
    double begin = observe_timeline_begin(c->context->timeline, name);
    double start = observe_meter_now(c->context->meter);
    bool done = run_loop(c, run);
    observe_timeline_end(c->context->timeline, "loop", name, begin, NULL);
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
    const chain_loop *l = cpu_loop_of(c, loop);
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

static bool prepare(cpu_chain *c, int loop)
{
    if (!cpu_loop_of(c, loop)->copy) return cpu_prepare(c, loop);
    c->status = store_make_arrays(cpu_loop_of(c, loop), c->m);
    return c->status == KATA_OK;
}

/* Prepares all loops of a plan in which they run side by side. */
static bool prepare_all(cpu_chain *c)
{
    for (int i = 0; i < c->a->loop_count; i++)
        if (c->steps[i].same == i && !c->steps[i].apart && !prepare(c, i)) return false;
    return true;
}

/* What the loops that have run took; and those that are still prepared are released. */
static void end_loops(cpu_chain *c)
{
    for (int i = 0; i < c->a->loop_count; i++) {
        if (i < c->failing && !c->status)
            observe_meter_note(c->context->meter, cpu_loop_of(c, i), c->steps[i].seconds);
        cpu_release(&c->steps[i]);
    }
}

/* That of the first leaf in a node: nodes are in the order of the walk. */
static int first_loop(const plan *p, int node)
{
    while (p->nodes[node].kind != PLAN_LOOP) node++;
    return p->nodes[node].loop;
}

/* Several loops in tiles, under the name of the first. */
static bool run_together(cpu_chain *c, const plan *p, const plan_step *step)
{
    const bool wave = step->kind == PLAN_STEP_WAVE;
    const int loop = wave ? c->schedule->loops[step->wave.first].loop : first_loop(p, step->node);
    const int count = wave ? step->wave.loops : p->nodes[step->node].leaf_count;
    char more[64], name[128];
    snprintf(name, sizeof name, count > 1 ? "%.80s and others" : "%.80s",
             cpu_loop_of(c, loop)->kernel->name);
    snprintf(more, sizeof more, "{\"loops\": %d}", count);
    double begin = observe_timeline_begin(c->context->timeline, name);
    bool done = wave ? cpu_run_wave(c, &step->wave) : cpu_run_tiles(c, p, step->node);
    observe_timeline_end(c->context->timeline, "tiles", name, begin, more);
    return done;
}

static bool run_step(cpu_chain *c, const plan *p, const plan_step *step, plan_place *homes)
{
    plan_visitor visitor = {.data = c, .run = visit_run, .scalar = visit_scalar};
    const grid_box *box = &cpu_loop_of(c, step->loop)->box;
    plan_run run = {.loop = step->loop, .box = *box, .core = *box};
    switch (step->kind) {
    case PLAN_STEP_LOOP: return visit_run(c, NULL, &run);
    case PLAN_STEP_SCALAR: return visit_scalar(c, step->loop);
    case PLAN_STEP_WAVE:
    case PLAN_STEP_TILES: return c->failing < c->a->loop_count || run_together(c, p, step);
    case PLAN_STEP_NODE: break;
    }
    return plan_walk_part(p, c->a, step->node, homes, &visitor) || cpu_no_memory(c);
}

/* Loops in tiles with windows are prepared by the threads that run them; those with reductions also
 * here, for what threads have in common. */
static void find_apart(cpu_chain *c, const plan *p)
{
    for (int i = 0; i < c->schedule->count; i++) {
        const plan_step *step = &c->schedule->steps[i];
        const plan_node *tile = &p->nodes[step->node];
        for (int n = step->node; step->kind == PLAN_STEP_TILES && n < p->count; n++) {
            const plan_node *leaf = &p->nodes[n];
            if (leaf->kind == PLAN_LOOP && leaf->leaf < tile->leaf + tile->leaf_count)
                c->steps[leaf->loop].apart = !c->a->loops[leaf->loop].reduces;
        }
    }
}

/* Of a parted loop, the fault may be behind that of another rank. */
static kata_status report_fault(cpu_chain *c)
{
    const chain_loop *loop = cpu_loop_of(c, c->failing);
    const observe_fault *fault = sweep_fault(c->steps[c->failing].sweep);
    if (!loop->parted) return observe_fault_report(loop, fault, c->m);
    c->context->failure = (exec_failure){.loop = loop, .fault = *fault};
    return KATA_ERROR_ASSERT;
}

static kata_status run_steps(cpu_chain *c, const plan *p, plan_place *homes)
{
    bool done = cpu_cover(c) || cpu_no_memory(c);
    c->schedule = &p->schedule;
    c->failing = c->a->loop_count;
    for (int i = 0; i < c->a->loop_count; i++) c->steps[i].same = i;
    if (!c->whole) find_apart(c, p);
    if (!c->whole && done) done = cpu_find_same(c) && prepare_all(c) && cpu_settle_fills(c);
    for (int i = 0, count; i < c->schedule->count && done; i += count) {
        count = cpu_relay_length(c, i);
        done =
            count > 1 ? cpu_run_relay(c, i, count) : run_step(c, p, &c->schedule->steps[i], homes);
    }
    if (!c->status && c->failing < c->a->loop_count) c->status = report_fault(c);
    end_loops(c);
    cpu_uncover(c);
    return c->status;
}

kata_status cpu_run_planned(exec_context *context, const cpu_work *work, messages *m)
{
    arena *memory = &context->cpu->run_memory;
    cpu_chain c = {.context = context, .a = work->a, .whole = work->whole, .m = m};
    plan_place *homes = arena_array(memory, (size_t)work->a->slot_count + 1, sizeof *homes);
    c.steps = arena_array(memory, (size_t)work->a->loop_count + 1, sizeof *c.steps);
    c.filled = arena_array(memory, (size_t)work->plan->leaf_count + 1, sizeof *c.filled);
    c.constants = arena_array(memory, (size_t)work->plan->leaf_count + 1, sizeof *c.constants);
    bool done = homes && c.steps && c.filled && c.constants;
    kata_status status = done ? KATA_OK : message_no_memory(m);
    for (int i = 0; i < work->a->loop_count && !status; i++)
        c.steps[i].function = work->functions[i];
    if (!status) status = run_steps(&c, work->plan, homes);
    arena_clear(memory);
    return status;
}
