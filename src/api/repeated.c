/* A time loop applies the same kernels to the same fields again and again. Whether it may was found
 * out the first time: a loop that is equal in all that this depends on is not checked again.
 *
 * Only such loops are remembered of which kernel, range, fields and boundary rules are all of it:
 * no temporaries, nothing that was discarded, no points that depend on numbers. */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = HOSTILE(64, 2), PARAMS = 12 };

/* What is given for a parameter: a slot, and of a field its rules; of a number neither. */
typedef struct given {
    const chain_slot *slot;
    uint32_t rules; /* grid_boundary_rules */
} given;

typedef struct known {
    const ir_kernel *kernel; /* NULL: none */
    kata_range range;
    uint64_t hash; /* chain_loop_hash */
    given params[PARAMS];
} known;

struct api_repeated {
    known known[ENTRIES];
};

static bool same_range(const kata_range *a, const kata_range *b)
{
    return a->grid == b->grid && a->rank == b->rank && a->colors == b->colors &&
           a->color == b->color && a->needed == b->needed && !memcmp(a->lo, b->lo, sizeof a->lo) &&
           !memcmp(a->hi, b->hi, sizeof a->hi);
}

static known *place_of(struct api_repeated *r, const ir_kernel *kernel, const kata_range *range,
                       const given *params)
{
    uintptr_t at = (uintptr_t)kernel >> 4 ^ (uintptr_t)range->lo[0];
    for (int p = 0; p < kernel->param_count; p++) at = at * 31 + ((uintptr_t)params[p].slot >> 4);
    return &r->known[(at ^ at >> 7) % ENTRIES];
}

static given given_by(const kata_arg *arg)
{
    const kata_field *f = arg->kind == KATA_ARG_FIELD ? arg->as.field : NULL;
    const kata_scalar *s = arg->kind == KATA_ARG_SCALAR ? arg->as.scalar : NULL;
    if (f) return (given){f->slot, f->rules};
    return (given){s ? s->slot : NULL, 0};
}

/* Whether what a slot holds at present does not matter. */
static bool is_plain(const chain_slot *slot)
{
    return !slot || !(slot->temporary || slot->tracked || slot->discarded);
}

uint64_t api_repeated_hash(const kata *k, const ir_kernel *kernel, const kata_range *range,
                           const kata_arg *args)
{
    given params[PARAMS];
    if (!k->repeated || !range || kernel->param_count > PARAMS) return 0;
    for (int p = 0; p < kernel->param_count; p++) params[p] = given_by(&args[p]);
    const known *e = place_of(k->repeated, kernel, range, params);
    if (e->kernel != kernel || !same_range(&e->range, range)) return 0;
    for (int p = 0; p < kernel->param_count; p++)
        if (e->params[p].slot != params[p].slot || e->params[p].rules != params[p].rules ||
            !is_plain(params[p].slot))
            return 0;
    return e->hash;
}

void api_repeat(kata *k, const chain_loop *loop, const kata_range *range)
{
    const ir_kernel *kernel = loop->kernel;
    given params[PARAMS];
    if (kernel->param_count > PARAMS || range->needed || kernel->guarded || kernel->interval_count)
        return;
    for (int p = 0; p < kernel->param_count; p++) {
        const chain_binding *b = &loop->bindings[p];
        params[p] = (given){b->slot, b->slot ? grid_boundary_rules(b->boundary) : 0};
        if (!is_plain(b->slot)) return;
    }
    if (!k->repeated) k->repeated = calloc(1, sizeof *k->repeated);
    if (!k->repeated) return; /* it is checked again */
    known *e = place_of(k->repeated, kernel, range, params);
    *e = (known){.kernel = kernel, .range = *range, .hash = chain_loop_hash(loop)};
    memcpy(e->params, params, sizeof params);
}
