/* Reductions of loops of which each rank runs some points. Where ranks own several boxes, a loop
 * runs once for each of them, and what all but the last leave to reduce waits: then ranks meet, and
 * each gets what there is of every box. Up to then the scalars are as they were before the loop, as
 * others take their place. */
#include "exec/ranks.h"

#include <stdlib.h>
#include <string.h>

bool ranks_reduces(const chain_loop *loop)
{
    bool some = false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        some = some || ir_param_is_reduction(&loop->kernel->params[p]);
    return some;
}

/* ---- loops of this rank ---------------------------------------------------------------------- */

static bool meets(const chain_loop *loop) { return loop->parted && ranks_reduces(loop); }

/* Whether a loop runs again behind this one, on another box. */
static bool goes_on(const exec_local *local, size_t i)
{
    return i + 1 < local->chain.count && local->numbers[i + 1] == local->numbers[i];
}

static bool is_first(const exec_local *local, size_t i)
{
    return !i || local->numbers[i - 1] != local->numbers[i];
}

void ranks_begin_reducing(struct exec_ranks *r, const exec_local *local)
{
    r->reducing.local = local;
    r->reducing.next = 0;
    r->gathers_left = 0;
    for (size_t i = 0; i < local->chain.count; i++)
        r->gathers_left += meets(&local->chain.loops[i]) && !goes_on(local, i);
}

/* ---- scalars --------------------------------------------------------------------------------- */

static chain_slot *add_spare(ranks_run *run, const chain_slot *like)
{
    ranks_spare *spare = arena_array(&run->local.memory, 1, sizeof *spare);
    if (!spare) return NULL;
    *spare = (ranks_spare){.slot = *like, .next = run->spares};
    spare->slot.array = NULL;
    spare->slot.log = NULL;
    spare->slot.on_device = NULL;
    run->spares = spare;
    return &spare->slot;
}

bool ranks_spare_scalars(ranks_run *run, const ir_kernel *kernel, chain_binding *bindings)
{
    bool done = true;
    for (int p = 0; p < kernel->param_count && done; p++) {
        chain_binding *b = &bindings[p];
        if (!ir_param_is_reduction(&kernel->params[p]) || !b->slot->is_scalar) continue;
        b->slot = add_spare(run, b->slot);
        b->log = NULL;
        done = b->slot;
    }
    return done;
}

void ranks_free_spares(ranks_run *run)
{
    for (ranks_spare *spare = run->spares; spare; spare = spare->next)
        store_array_free(spare->slot.array);
    run->spares = NULL;
}

/* ---- what ranks send: how many boxes they have, the bytes of each, and these ------------------
 */

static void *reserve(const struct exec_ranks *r, void *data, size_t *room, size_t count,
                     size_t size)
{
    if (!vector_reserve(&data, room, count, size)) comm_give_up(r->comm, "out of memory");
    return data;
}

static void add_message(struct exec_ranks *r, const void *mine, size_t bytes)
{
    ranks_reducing *all = &r->reducing;
    const size_t at = all->count ? all->ends[all->count - 1] : 0;
    all->ends = reserve(r, all->ends, &all->ends_room, all->count + 1, sizeof *all->ends);
    all->bytes = reserve(r, all->bytes, &all->bytes_room, at + bytes, 1);
    memcpy(all->bytes + at, mine, bytes);
    all->ends[all->count++] = at + bytes;
}

/* In `all`, the bytes of every rank behind one another. */
static bool meet(exec_context *context, const void *mine, size_t bytes)
{
    struct exec_ranks *r = context->ranks;
    bool done = !comm_gather_starts(r->comm, bytes, r->starts, r->messages) &&
                !ranks_gather_known(r, mine, r->messages);
    for (int i = 0; i < comm_ranks(r->comm) && done; i++) done = r->starts[i] < r->starts[i + 1];
    r->gathers_left--;
    if (!done) r->gathers_left = 0;
    if (!done) context->failure.elsewhere = true;
    return done;
}

/* Takes the lists off what ranks have sent, whose boxes then follow one another. Returns how many
 * there are. */
static size_t unlist(struct exec_ranks *r)
{
    ranks_reducing *all = &r->reducing;
    char *to = r->gathered.data;
    size_t total = 0;
    for (int i = 0; i < comm_ranks(r->comm); i++) {
        const char *from = r->gathered.data + r->starts[i];
        const size_t first = (size_t)(to - r->gathered.data);
        size_t count, end = 0;
        memcpy(&count, from, sizeof count);
        from += sizeof count;
        all->starts =
            reserve(r, all->starts, &all->starts_room, total + count + 1, sizeof *all->starts);
        for (size_t k = 0; k < count; k++, from += sizeof end) {
            all->starts[total++] = first + end;
            memcpy(&end, from, sizeof end);
        }
        memmove(to, from, end);
        to += end;
        all->starts[total] = first + end;
    }
    return total;
}

static size_t meet_lists(exec_context *context)
{
    struct exec_ranks *r = context->ranks;
    ranks_reducing *all = &r->reducing;
    const size_t count = all->count, list = (count + 1) * sizeof count;
    const size_t bytes = all->ends[count - 1];
    ranks_make_room(r, &all->message, list + bytes);
    memcpy(all->message.data, &count, sizeof count);
    memcpy(all->message.data + sizeof count, all->ends, count * sizeof count);
    memcpy(all->message.data + list, all->bytes, bytes);
    const bool met = meet(context, all->message.data, list + bytes);
    return met ? unlist(r) : 0;
}

void ranks_give_nothing(exec_context *context) { meet(context, NULL, 0); }

/* ---- the gather ------------------------------------------------------------------------------ */

/* What a box leaves to reduce is all that is known of it so far. */
static int keep_alone(struct exec_ranks *r, const void *mine, size_t bytes, const char **all,
                      const size_t **starts)
{
    r->reducing.alone[0] = 0;
    r->reducing.alone[1] = bytes;
    *starts = r->reducing.alone;
    *all = mine;
    return 1;
}

static int gather_lists(exec_context *context, const void *mine, size_t bytes, const char **all,
                        const size_t **starts)
{
    struct exec_ranks *r = context->ranks;
    ranks_reducing *x = &r->reducing;
    while (!meets(&x->local->chain.loops[x->next])) x->next++;
    const size_t at = x->next++;
    if (is_first(x->local, at)) x->count = 0;
    add_message(r, mine, bytes);
    if (goes_on(x->local, at)) return keep_alone(r, mine, bytes, all, starts);
    const size_t count = meet_lists(context);
    *starts = x->starts;
    *all = r->gathered.data;
    return (int)count;
}

/* A rank that has failed, and so has nothing to give, gives no bytes: then all fail. */
int ranks_gather(void *data, const void *mine, size_t bytes, const char **all,
                 const size_t **starts)
{
    exec_context *context = data;
    struct exec_ranks *r = context->ranks;
    if (r->reducing.looks) return keep_alone(r, mine, bytes, all, starts);
    if (plan_ranks_have_lists(&r->box)) return gather_lists(context, mine, bytes, all, starts);
    bool met = meet(context, mine, bytes);
    *starts = r->starts;
    *all = r->gathered.data;
    return met ? comm_ranks(r->comm) : 0;
}

void ranks_free_reducing(struct exec_ranks *r)
{
    free(r->reducing.ends);
    free(r->reducing.bytes);
    free(r->reducing.message.data);
    free(r->reducing.starts);
}
