/* A time loop applies the same kernels to the same fields again and again. Whether it may was found
 * out the first time: a loop that is equal in all that this depends on is not checked again.
 *
 * Only such loops are remembered of which kernel, range, fields and boundary rules are all of it:
 * no temporaries, nothing that was discarded, no points that depend on numbers. */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = HOSTILE(64, 2), PARAMS = 12 };

typedef struct known {
    const ir_kernel *kernel; /* NULL: none */
    kata_range range;
    uint64_t hash; /* chain_loop_hash */
    const chain_slot *slots[PARAMS];
    grid_boundary boundaries[PARAMS];
} known;

struct api_repeated {
    known known[ENTRIES];
    kata_range range; /* the latest that was right */
};

static bool same_range(const kata_range *a, const kata_range *b)
{
    return a->grid == b->grid && a->rank == b->rank && a->colors == b->colors &&
           a->color == b->color && a->needed == b->needed && !memcmp(a->lo, b->lo, sizeof a->lo) &&
           !memcmp(a->hi, b->hi, sizeof a->hi);
}

/* Whether what a slot holds at present matters. */
static bool is_plain(const chain_slot *slot)
{
    return !slot->temporary && !slot->tracked && !slot->discarded;
}

static known *place_of(struct api_repeated *r, const chain_loop *loop)
{
    uintptr_t at = (uintptr_t)loop->kernel >> 4;
    for (int p = 0; p < loop->kernel->param_count; p++)
        at = at * 31 + ((uintptr_t)loop->bindings[p].slot >> 4);
    return &r->known[(at ^ at >> 7 ^ (uintptr_t)loop->box.lo[0]) % ENTRIES];
}

bool api_is_repeated_range(const kata *k, const kata_range *range)
{
    return k->repeated && same_range(&k->repeated->range, range);
}

bool api_is_repeated(const kata *k, chain_loop *loop, const kata_range *range)
{
    if (!k->repeated || loop->kernel->param_count > PARAMS) return false;
    const known *e = place_of(k->repeated, loop);
    if (e->kernel != loop->kernel || !same_range(&e->range, range)) return false;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const chain_binding *b = &loop->bindings[p];
        if (e->slots[p] != b->slot) return false;
        if (b->slot && !(is_plain(b->slot) && grid_boundary_equal(&e->boundaries[p], &b->boundary)))
            return false;
    }
    loop->hash = e->hash;
    return true;
}

void api_repeat(kata *k, const chain_loop *loop, const kata_range *range)
{
    const ir_kernel *kernel = loop->kernel;
    if (kernel->param_count > PARAMS || range->needed || kernel->guarded || kernel->interval_count)
        return;
    for (int p = 0; p < kernel->param_count; p++)
        if (loop->bindings[p].slot && !is_plain(loop->bindings[p].slot)) return;
    if (!k->repeated) k->repeated = calloc(1, sizeof *k->repeated);
    if (!k->repeated) return; /* it is checked again */
    known *e = place_of(k->repeated, loop);
    *e = (known){.kernel = kernel, .range = *range, .hash = chain_loop_hash(loop)};
    for (int p = 0; p < kernel->param_count; p++) {
        e->slots[p] = loop->bindings[p].slot;
        e->boundaries[p] = loop->bindings[p].boundary;
    }
    k->repeated->range = *range;
}
