/* Chains on several ranks. All ranks have the same chain and make the same plan (plan/dealt.c).
 *
 * Loops that follow one another without an exchange between them become a chain of their own, for
 * this rank's points alone. The executor "cpu" runs it as it runs any chain: it may tile it, and
 * knows nothing of ranks, but that reductions of parted loops meet other ranks (sweep_gather). */
#include "exec/ranks.h"

#include <stdlib.h>
#include <string.h>

/* ---- fields before a loop runs --------------------------------------------------------------- */

/* Fields that parted loops write are dealt out before. */
static bool deal_out(ranks_run *run, chain_slot *slot)
{
    struct exec_ranks *r = run->r;
    if (store_part_fits(slot, &r->box, run->plan->margin, run->plan->wraps)) return true;
    ranks_settle(run);
    ranks_bring_home(run, slot);
    if (!store_part_fit(slot, &r->box, run->plan->margin, run->plan->wraps))
        ranks_no_room(r, &slot, 1);
    return true;
}

static bool deal_out_fields(ranks_run *run, const chain_loop *loop)
{
    bool done = true;
    for (int p = 0; p < loop->kernel->param_count && done; p++) {
        chain_slot *slot = loop->bindings[p].slot;
        bool writes = ir_param_is_written_field(&loop->kernel->params[p]);
        if (writes || (ir_param_is_field(&loop->kernel->params[p]) && slot->part))
            done = deal_out(run, slot);
        if (writes && done) store_drop_whole(slot); /* worth nothing after a part is written */
    }
    return done;
}

/* A loop that runs whole finds the fields whole that it reads; it writes all of the others. */
static void take_back_fields(ranks_run *run, const chain_loop *loop)
{
    bool any = false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        any = any || (loop->bindings[p].slot && loop->bindings[p].slot->part);
    if (any) ranks_settle(run);
    for (int p = 0; p < loop->kernel->param_count && any; p++)
        if (loop->bindings[p].slot) store_part_free(loop->bindings[p].slot);
}

/* ---- what the plan asks for ------------------------------------------------------------------ */

static bool run_whole(ranks_run *run, int number)
{
    const chain_loop *loop = &run->c->loops[number];
    take_back_fields(run, loop);
    ranks_make_copies(run);
    return ranks_add_loop(run, number, &loop->box, 0, false);
}

/* A rank that has failed takes part as well: others wait for its values. */
static void gather(ranks_run *run, chain_slot *slot)
{
    if (!slot->part) return;
    ranks_settle(run);
    ranks_bring_home(run, slot);
    kata_status status = ranks_make_whole(run->r, slot, run->m);
    if (!run->status) run->status = status;
}

/* The fields of exchanges that follow one another get memory first: nothing then runs between them,
 * and they are made together. */
static bool deal_out_exchanged(ranks_run *run, const plan_dealt_step *step)
{
    const plan_dealt_step *end = run->plan->steps + run->plan->count;
    bool done = true;
    for (; step < end && step->kind == PLAN_DEALT_EXCHANGE && done; step++)
        done = deal_out(run, run->c->slots[step->slot]);
    return done;
}

static bool exchange(ranks_run *run, const plan_dealt_step *step)
{
    return deal_out_exchanged(run, step) &&
           ranks_add_copies(run, run->c->slots[step->slot], step->span);
}

/* A loop that reduces runs, also without points. */
static bool run_part(ranks_run *run, const plan_dealt_step *step)
{
    static const grid_box nowhere = {{0, 0, 0}, {0, 0, 0}};
    const chain_loop *loop = &run->c->loops[step->loop];
    grid_region *points = &run->boxes;
    if (!deal_out_fields(run, loop)) return false;
    ranks_make_copies(run);
    if (!plan_all_points(loop, &run->r->box, step->span, run->plan->wraps, points))
        return ranks_no_memory(run);
    bool done = points->count || !ranks_reduces(loop) ||
                ranks_add_loop(run, step->loop, &nowhere, run->parted, false);
    for (size_t i = 0; i < points->count && done; i++)
        done =
            ranks_add_loop(run, step->loop, &points->boxes[i], run->parted, i + 1 < points->count);
    return done;
}

static bool run_step(ranks_run *run, const plan_dealt_step *step)
{
    switch (step->kind) {
    case PLAN_DEALT_EXCHANGE: return exchange(run, step);
    case PLAN_DEALT_GATHER: gather(run, run->c->slots[step->slot]); return true;
    case PLAN_DEALT_PART: return run_part(run, step);
    case PLAN_DEALT_WHOLE: return run_whole(run, step->loop);
    }
    return false;
}

/* ---- the executor ---------------------------------------------------------------------------- */

static plan_home home_of(const chain_slot *slot)
{
    if (slot->part) return slot->part->home;
    return (plan_home){.whole = true, .fixed = slot->array && !slot->array->bytes};
}

/* Of what ranks have of a field. A rank that alone has swapped fields would plan other messages. */
static uint64_t hash_home(const chain_slot *slot, uint64_t hash)
{
    const plan_home home = home_of(slot);
    int64_t all[11] = {home.whole, home.fixed};
    for (int d = 0; d < 3; d++) {
        all[2 + d] = home.valid[d].lo;
        all[5 + d] = home.valid[d].hi;
        all[8 + d] = home.images[d];
    }
    return hash_bytes(all, sizeof all, hash);
}

/* Of all that decides what a chain computes, but the values of fields. What ranks have of fields
 * may differ before they tell one another which of their own points have changed. */
static uint64_t hash_chain(const struct exec_ranks *r, const chain *c)
{
    uint64_t hash = c->count;
    for (size_t i = 0; i < c->slot_count && !r->has_own; i++) hash = hash_home(c->slots[i], hash);
    for (size_t i = 0; i < c->count; i++) {
        const chain_loop *loop = &c->loops[i];
        hash = hash_bytes(&loop->hash, sizeof loop->hash, hash);
        for (int p = 0; p < loop->kernel->param_count; p++) {
            const chain_binding *b = &loop->bindings[p];
            size_t table = (size_t)loop->kernel->params[p].count * sizeof *b->table;
            if (b->slot) hash = hash_bytes(&b->slot->number, sizeof b->slot->number, hash);
            if (b->slot) continue;
            hash = b->table ? hash_bytes(b->table, table, hash)
                            : hash_bytes(&b->number, sizeof b->number, hash);
        }
    }
    return hash;
}

/* The largest grid of the first chain that has one worth it decides how ranks are laid out. */
static void find_layout(struct exec_ranks *r, const chain *c)
{
    const chain_loop *largest = NULL;
    bool ordered[3] = {false, false, false};
    double most = 0;
    for (size_t i = 0; i < c->count && !r->laid_out; i++) {
        const grid_shape *shape = &c->loops[i].shape;
        grid_box all = grid_shape_box(shape);
        double points = (double)grid_box_points(&all);
        if (shape->rank < 2 || !plan_is_dealt(shape, r->small)) continue;
        for (int d = 0; d < 3; d++)
            ordered[d] = ordered[d] || c->loops[i].kernel->order[d] != IR_UNORDERED;
        if (points <= most) continue;
        largest = &c->loops[i];
        most = points;
    }
    if (largest && largest->mesh)
        ranks_lay_out_mesh(r, largest->mesh->along);
    else if (largest)
        ranks_lay_out(r, &largest->shape, ordered);
}

static void note_planned(struct exec_ranks *r, const plan_dealt *p, const analysis_chain *a)
{
    plan_messages chain = plan_find_messages(p, a, &r->box), *all = &r->sent.planned;
    all->exchanges += chain.exchanges;
    all->messages += chain.messages;
    all->bytes += chain.bytes;
}

/* Ends the program where what this rank does by a plan is wrong. */
static void prove(const ranks_run *run, const plan_dealt_claim *claim)
{
    text why = {0};
    if (!plan_dealt_verify(claim, &why)) {
        text_add(&why, "\nthis defect of Katagami is in the plan\n");
        plan_dealt_print(&why, claim->p, claim->a);
        comm_give_up(run->r->comm, text_get(&why));
    }
    text_free(&why);
}

/* The plan of a chain, and the homes after it; false when memory is out. */
static bool plan_chain(ranks_run *run, const analysis_chain *a, plan_dealt *p, plan_home *homes)
{
    const plan_ranks *ranks = &run->r->box;
    plan_home *before = arena_array(&run->r->memory, (size_t)a->slot_count + 1, sizeof *before);
    if (!before) return false;
    find_layout(run->r, run->c);
    *p = (plan_dealt){.raster = ranks->raster, .every = run->r->every, .small = run->r->small};
    for (int i = 0; i < a->slot_count; i++) before[i] = homes[i] = home_of(a->slots[i]);
    if (!plan_deal(p, a, homes)) return false;
    for (int d = 0; d < 3; d++)
        if (ranks->raster.cells[d] > 1) run->parted |= 1 << d;
    run->plan = p;
    if (run->context->prove) prove(run, &(plan_dealt_claim){p, a, ranks, before, homes});
    note_planned(run->r, p, a);
    text_clear(&run->r->explained);
    if (run->r->explains) plan_dealt_print(&run->r->explained, p, a);
    return true;
}

/* The chain's own slots got other numbers, in the chains of this rank. */
static void end_chain(ranks_run *run, const plan_home *homes)
{
    const chain *c = run->c;
    for (size_t i = 0; i < c->slot_count; i++) {
        c->slots[i]->number = (int)i;
        if (c->slots[i]->part) c->slots[i]->part->home = homes[i];
    }
    arena_clear(&run->r->memory);
    exec_local_free(&run->local);
    free(run->batch.copies);
    grid_region_free(&run->boxes);
}

/* `status`: where this rank has failed, it takes part, but runs nothing. */
static kata_status run_chain(exec_context *context, chain *c, kata_status status, messages *m)
{
    ranks_run run = {.context = context, .r = context->ranks, .c = c, .status = status, .m = m};
    exec_local_begin(&run.local, c);
    analysis_chain a;
    plan_dealt p = {0};
    plan_home *homes = arena_array(&run.r->memory, c->slot_count + 1, sizeof *homes);
    bool done = homes && analysis_chain_make(c, &a) && plan_chain(&run, &a, &p, homes);
    if (!done) ranks_no_room(run.r, c->slots, c->slot_count);
    for (int i = 0; i < p.count && done; i++) done = run_step(&run, &p.steps[i]);
    if (!done) ranks_no_room(run.r, c->slots, c->slot_count);
    ranks_settle(&run);
    end_chain(&run, homes);
    analysis_chain_free(&a);
    plan_dealt_free(&p);
    return run.status;
}

static kata_status run_on_ranks(exec_context *context, chain *c, messages *m)
{
    struct exec_ranks *r = context->ranks;
    kata_status status =
        ranks_meet(r, hash_chain(r, c), m, "run a chain of %zu loops, the last '%s'", c->count,
                   c->loops[c->count - 1].kernel->name);
    context->failure = (exec_failure){.loop = NULL};
    if (status) return status;
    status = ranks_tell_changes(context, c->slots, c->slot_count, m);
    if (status && !r->has_devices) return status; /* of all ranks */
    kata_status ran = run_chain(context, c, status, m);
    return ranks_agree(r, NULL, ran, &context->failure, c, m);
}

const exec_executor exec_on_ranks = {"ranks", run_on_ranks};

kata_status exec_make_whole(exec_context *context, chain_slot *slot, messages *m)
{
    struct exec_ranks *r = context->ranks;
    kata_status status = exec_tell_changes(context, slot, m);
    if (!status) store_device_forget(slot);
    if (status || !r || !slot->part) return status;
    status = ranks_meet(r, 0, m, "need all values of a field");
    return status ? status : ranks_make_whole(r, slot, m);
}

kata_status exec_agree(exec_context *context, const char *what, kata_status status, messages *m)
{
    return context->ranks ? ranks_agree(context->ranks, what, status, NULL, NULL, m) : status;
}

kata_status exec_meet_devices(exec_context *context, kata_status status, messages *m)
{
    struct exec_ranks *r = context->ranks;
    if (!r) return status;
    uint64_t some = context->device != NULL;
    status = exec_agree(context, "open a context", status, m);
    if (!status) status = comm_largest(r->comm, &some, 1, m);
    r->has_devices = some;
    return status;
}

void exec_note_put(exec_context *context, const void *values, size_t bytes)
{
    struct exec_ranks *r = context->ranks;
    if (r) r->put = hash_bytes(values, bytes, r->put + 1);
}

int exec_node_ranks(const exec_context *context)
{
    return context->ranks ? comm_node_ranks(context->ranks->comm) : 1;
}

int ranks_node_rank(const exec_context *context)
{
    return context->ranks ? comm_node_rank(context->ranks->comm) : 0;
}

void exec_explain_dealt(const exec_context *context, text *out)
{
    const struct exec_ranks *r = context->ranks;
    if (!r || !r->explained.length) return;
    text_add(out, "# on %d ranks, ", comm_ranks(r->comm));
    ranks_print_layout(r, out);
    text_add(out, "\n%s", text_get(&r->explained));
}

exec_messages exec_find_messages(const exec_context *context)
{
    return context->ranks ? context->ranks->sent : (exec_messages){.agreeing = 0};
}

int exec_rank(const exec_context *context) { return context->ranks ? context->ranks->box.rank : 0; }

int exec_ranks_count(const exec_context *context)
{
    return context->ranks ? comm_ranks(context->ranks->comm) : 1;
}

kata_status exec_ranks_open(exec_context *context, const void *communicator, messages *m)
{
    comm *c = comm_open(communicator, m);
    if (!c) return m->status ? m->status : ranks_check_words(m);
    struct exec_ranks *r = calloc(1, sizeof *r);
    if (!r) return message_no_memory(m);
    r->comm = c;
    r->messages = m;
    r->explains = environment_get("KATA_EXPLAIN");
    r->starts = calloc((size_t)comm_ranks(c) + 1, sizeof *r->starts);
    context->ranks = r;
    context->across = (sweep_ranks){.gather = ranks_gather, .data = context};
    return r->starts ? ranks_read_layout(r, m) : message_no_memory(m);
}

void exec_ranks_close(exec_context *context)
{
    struct exec_ranks *r = context->ranks;
    if (!r) return;
    free(r->gathered.data);
    free(r->packed.data);
    free(r->starts);
    ranks_free_reducing(r);
    text_free(&r->explained);
    arena_free(&r->memory);
    arena_free(&r->layout);
    free(r);
    context->ranks = NULL;
}
