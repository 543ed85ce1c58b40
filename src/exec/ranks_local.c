/* The loops that run next on this rank: a chain of its own, for this rank's points alone, which the
 * executor "cpu" runs, or "files" where there is a limit of memory, or "device". */
#include "exec/alike.h"
#include "exec/home.h"
#include "exec/on_files.h"
#include "exec/ranks.h"

#include <stdlib.h>
#include <string.h>

bool ranks_no_memory(ranks_run *run)
{
    run->status = message_no_memory(run->m);
    return false;
}

/* Says which loop of the whole chain has failed. */
static void note_failure(ranks_run *run)
{
    exec_failure *failure = &run->context->failure;
    int number = exec_local_number(&run->local, failure->loop);
    if (number < 0) return;
    run->r->failing = number;
    failure->loop = &run->c->loops[number];
}

static kata_status run_own(exec_context *context, chain *local, messages *m)
{
    return context->device ? exec_on_device.run(context, local, m)
                           : exec_files_run_own(context, local, m);
}

/* Where a check of a loop has failed that runs on several boxes, another one may have a point that
 * fails and comes before. */
static void find_first_failure(ranks_run *run)
{
    exec_failure *failure = &run->context->failure, first = *failure;
    chain *local = &run->local.chain;
    const int number = exec_local_number(&run->local, first.loop);
    run->r->reducing.looks = true;
    for (size_t i = 0; i < local->count && number >= 0; i++) {
        chain one = cpu_part(local, i, 1);
        if (run->local.numbers[i] != number || &local->loops[i] <= first.loop) continue;
        if (run_own(run->context, &one, run->m) == KATA_ERROR_ASSERT &&
            observe_point_before(first.loop, failure->fault.point, first.fault.point))
            first = *failure;
    }
    run->r->reducing.looks = false;
    *failure = first;
}

/* A rank that has failed runs no more loops. But it makes the exchanges that others wait for, and
 * lets them know when they next reduce. */
static void run_local(ranks_run *run)
{
    chain *local = &run->local.chain;
    ranks_begin_reducing(run->r, &run->local);
    if (local->count && !run->status) {
        run->status = run_own(run->context, local, run->m);
        if (run->status == KATA_ERROR_ASSERT) find_first_failure(run);
    }
    if (run->r->gathers_left && run->status) ranks_give_nothing(run->context);
    note_failure(run);
    ranks_free_spares(run);
    exec_local_clear(&run->local);
}

/* Exchanges come before the loops that are met later, and behind those that wait. */
void ranks_make_copies(ranks_run *run)
{
    if (!run->batch.count) return;
    run_local(run);
    kata_status status = ranks_exchange(run->context, &run->batch, run->m);
    if (!run->status) run->status = status;
}

void ranks_bring_home(ranks_run *run, chain_slot *slot)
{
    kata_status status = exec_bring_home(run->context, slot, run->m);
    if (status) exec_lose(slot);
    if (!run->status) run->status = status;
}

/* The rules of a field's part: none at periodic sides that are cut. */
static const grid_boundary *rules_of_part(ranks_run *run, const grid_boundary *rules)
{
    grid_boundary *own = arena_alloc(&run->local.memory, sizeof *own);
    if (!own) return NULL;
    *own = *rules;
    for (int d = 0; d < 3; d++) {
        if (run->r->box.raster.cells[d] == 1 || !grid_boundary_is_periodic(rules, d)) continue;
        own->side[2 * d] = own->side[2 * d + 1] = grid_boundary_none.side[0];
    }
    return own;
}

static bool bind(ranks_run *run, chain_binding *b)
{
    if (!b->slot || !b->slot->part) return true;
    b->boundary = rules_of_part(run, b->boundary);
    b->slot = &b->slot->part->slot;
    return b->boundary;
}

bool ranks_add_loop(ranks_run *run, int number, const grid_box *box, int parted, bool goes_on)
{
    const chain_loop *loop = &run->c->loops[number];
    chain_binding *bindings = exec_local_add(&run->local, loop, number, box, parted);
    bool done = bindings;
    if (done && goes_on) done = ranks_spare_scalars(run, loop->kernel, bindings);
    for (int p = 0; p < loop->kernel->param_count && done; p++) done = bind(run, &bindings[p]);
    return (done && exec_local_bound(&run->local)) || ranks_no_memory(run);
}

/* Before fields change their memory all that uses them has run. */
void ranks_settle(ranks_run *run)
{
    ranks_make_copies(run);
    run_local(run);
    kata_status status = exec_wait_for_device(run->context, run->status ? NULL : run->m);
    if (!run->status) run->status = status;
}
