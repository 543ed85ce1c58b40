/* The loops that run next on this rank: a chain of its own, for this rank's points alone, which the
 * executor "cpu" runs. */
#include "exec/ranks.h"

#include <stdlib.h>
#include <string.h>

bool ranks_no_memory(ranks_run *run)
{
    run->status = message_no_memory(run->m);
    return false;
}

bool ranks_reduces(const chain_loop *loop)
{
    bool some = false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        some = some || ir_param_is_reduction(&loop->kernel->params[p]);
    return some;
}

static int count_gathers(const chain *local)
{
    int count = 0;
    for (size_t i = 0; i < local->count; i++)
        count += ranks_reduces(&local->loops[i]) && local->loops[i].parted;
    return count;
}

/* Says which loop of the whole chain has failed. */
static void note_failure(ranks_run *run)
{
    exec_failure *failure = &run->context->failure;
    const chain *local = &run->local;
    if (!failure->loop || failure->loop < local->loops ||
        failure->loop >= local->loops + local->count)
        return;
    run->r->failing = run->numbers[failure->loop - local->loops];
    failure->loop = &run->c->loops[run->r->failing];
}

/* A rank that has failed runs no more loops. But it makes the exchanges that others wait for, and
 * lets them know when they next reduce. */
static void run_local(ranks_run *run)
{
    struct exec_ranks *r = run->r;
    chain *local = &run->local;
    const char *all;
    const size_t *starts;
    r->gathers_left = count_gathers(local);
    if (local->count && !run->status) run->status = exec_cpu.run(run->context, local, run->m);
    if (r->gathers_left && run->status) ranks_gather(run->context, NULL, 0, &all, &starts);
    note_failure(run);
    local->count = local->slot_count = 0;
    arena_clear(&r->local);
}

/* Exchanges come before the loops that are met later, and behind those that wait. */
void ranks_make_copies(ranks_run *run)
{
    if (!run->batch.count) return;
    run_local(run);
    kata_status status = ranks_exchange(run->r, &run->batch, run->m);
    if (!run->status) run->status = status;
}

static bool number_slot(chain *local, chain_slot *slot)
{
    size_t at = (size_t)slot->number;
    if (at < local->slot_count && local->slots[at] == slot) return true;
    void *slots = local->slots;
    if (!vector_reserve(&slots, &local->slot_room, local->slot_count + 1, sizeof *local->slots))
        return false;
    local->slots = slots;
    slot->number = (int)local->slot_count;
    local->slots[local->slot_count++] = slot;
    return true;
}

/* The rules of a field's part: none at periodic sides that are cut. */
static const grid_boundary *rules_of_part(const ranks_run *run, const grid_boundary *rules)
{
    grid_boundary *own = arena_alloc(&run->r->local, sizeof *own);
    if (!own) return NULL;
    *own = *rules;
    for (int d = 0; d < 3; d++) {
        if (run->r->box.count[d] == 1 || !grid_boundary_is_periodic(rules, d)) continue;
        own->side[2 * d] = own->side[2 * d + 1] = grid_boundary_none.side[0];
    }
    return own;
}

static bool bind(const ranks_run *run, chain_binding *b)
{
    if (!b->slot || !b->slot->part) return true;
    b->boundary = rules_of_part(run, b->boundary);
    b->slot = &b->slot->part->slot;
    return b->boundary;
}

/* Adds a loop's points in a box to those that run next. */
bool ranks_add_loop(ranks_run *run, int number, const grid_box *box, int parted)
{
    const chain_loop *loop = &run->c->loops[number];
    chain *local = &run->local;
    void *loops = local->loops;
    size_t params = (size_t)loop->kernel->param_count;
    chain_binding *bindings = arena_array(&run->r->local, params + 1, sizeof *bindings);
    void *numbers = run->numbers;
    if (!bindings ||
        !vector_reserve(&loops, &local->capacity, local->count + 1, sizeof *local->loops))
        return ranks_no_memory(run);
    local->loops = loops;
    if (!vector_reserve(&numbers, &run->numbers_room, local->count + 1, sizeof *run->numbers))
        return ranks_no_memory(run);
    run->numbers = numbers;
    run->numbers[local->count] = number;
    chain_loop *own = &local->loops[local->count];
    *own = *loop;
    own->box = *box;
    own->parted = parted;
    own->bindings = bindings;
    memcpy(bindings, loop->bindings, params * sizeof *bindings);
    for (size_t p = 0; p < params; p++) {
        bool done = bind(run, &bindings[p]);
        if (!done || (bindings[p].slot && !number_slot(local, bindings[p].slot)))
            return ranks_no_memory(run);
    }
    own->hash = chain_loop_hash_slots(own, chain_loop_hash(own));
    local->count++;
    return true;
}

/* Before fields change their memory all that uses them has run. */
void ranks_settle(ranks_run *run)
{
    ranks_make_copies(run);
    run_local(run);
}
