#include "exec/local.h"

#include <stdlib.h>
#include <string.h>

void exec_local_begin(exec_local *local, const chain *like)
{
    *local = (exec_local){.chain = {.goes_on = true, .emptied = like->emptied}};
}

chain_binding *exec_local_add(exec_local *local, const chain_loop *loop, int number,
                              const grid_box *box, int parted)
{
    chain *c = &local->chain;
    void *loops = c->loops, *numbers = local->numbers;
    size_t params = (size_t)loop->kernel->param_count;
    chain_binding *bindings = arena_array(&local->memory, params + 1, sizeof *bindings);
    if (!bindings || !vector_reserve(&loops, &c->capacity, c->count + 1, sizeof *c->loops))
        return NULL;
    c->loops = loops;
    if (!vector_reserve(&numbers, &local->numbers_room, c->count + 1, sizeof *local->numbers))
        return NULL;
    local->numbers = numbers;
    local->numbers[c->count] = number;
    chain_loop *own = &c->loops[c->count];
    *own = *loop;
    own->box = *box;
    own->parted = parted;
    own->bindings = bindings;
    memcpy(bindings, loop->bindings, params * sizeof *bindings);
    return bindings;
}

static bool number_slot(chain *c, chain_slot *slot)
{
    size_t at = (size_t)slot->number;
    if (at < c->slot_count && c->slots[at] == slot) return true;
    void *slots = c->slots;
    if (!vector_reserve(&slots, &c->slot_room, c->slot_count + 1, sizeof *c->slots)) return false;
    c->slots = slots;
    slot->number = (int)c->slot_count;
    c->slots[c->slot_count++] = slot;
    return true;
}

/* Adds a loop to what chains have in common that are alike. */
static uint64_t alike(const chain_loop *loop, uint64_t before)
{
    chain_loop moved = *loop;
    for (int d = 0; d < 3; d++) {
        moved.box.lo[d] = 0;
        moved.box.hi[d] = loop->box.hi[d] - loop->box.lo[d];
    }
    const uint64_t both[] = {before, chain_loop_hash_slots(loop, chain_loop_hash(&moved))};
    return hash_bytes(both, sizeof both, 0);
}

bool exec_local_bound(exec_local *local)
{
    chain *c = &local->chain;
    chain_loop *own = &c->loops[c->count];
    for (int p = 0; p < own->kernel->param_count; p++)
        if (own->bindings[p].slot && !number_slot(c, own->bindings[p].slot)) return false;
    own->hash = chain_loop_hash_slots(own, chain_loop_hash(own));
    c->alike = alike(own, c->count ? c->alike : 0);
    c->count++;
    return true;
}

void exec_local_clear(exec_local *local)
{
    local->chain.count = local->chain.slot_count = 0;
    arena_clear(&local->memory);
}

int exec_local_number(const exec_local *local, const chain_loop *loop)
{
    const chain *c = &local->chain;
    bool own = loop && loop >= c->loops && loop < c->loops + c->count;
    return own ? local->numbers[loop - c->loops] : -1;
}

void exec_local_free(exec_local *local)
{
    free(local->chain.loops);
    free(local->chain.slots);
    free(local->numbers);
    arena_free(&local->memory);
}
