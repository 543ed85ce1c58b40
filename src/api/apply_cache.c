/* A time loop applies the same kernels to the same fields again and again. The first application of
 * each is checked; later ones with the same kernel, range, fields and boundary rules are not. So it
 * is with copies, which are known by both ranges.
 *
 * Only loops whose check depends on nothing else are remembered: loops without temporary or
 * discarded fields, and without numbers that may decide which points read or write what. */
#include "api/apply.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = HOSTILE(256, 2), PARAMS = 12 };

/* The argument of a parameter: a field has a slot and rules, a scalar a slot, a number neither. */
typedef struct given {
    const chain_slot *slot;
    uint64_t rules; /* grid_boundary_rules */
} given;

typedef struct known {
    const ir_kernel *kernel; /* NULL: none */
    kata_range range;
    uint64_t hash; /* chain_loop_hash */
    given params[PARAMS];
    kata_range from; /* of a copy, as all below */
    int axes[3];
    chain_copy map;
} known;

struct api_apply_cache {
    known known[ENTRIES];
};

static bool same_range(const kata_range *a, const kata_range *b)
{
    return a->grid == b->grid && a->rank == b->rank && a->colors == b->colors &&
           a->color == b->color && a->needed == b->needed && a->local == b->local &&
           grid_same_triple(a->lo, b->lo) && grid_same_triple(a->hi, b->hi);
}

/* Adds the slot of an argument to the sum that chooses an entry. Colors are in it, too: sweeps that
 * alternate differ in nothing else. */
static inline uintptr_t add_slot(uintptr_t sum, const chain_slot *slot)
{
    return sum * 31 + ((uintptr_t)slot >> 4);
}

static inline known *entry_of(struct api_apply_cache *r, const ir_kernel *kernel,
                              const kata_range *range, uintptr_t slots)
{
    uint64_t at = slots ^ (uintptr_t)kernel >> 4 ^ (uintptr_t)range->lo[0];
    at = (at * 31 + (uint64_t)range->color) * UINT64_C(0x9e3779b97f4a7c15);
    return &r->known[(at >> 32) % ENTRIES];
}

/* Whether the check does not depend on the values that a slot holds now. */
static inline bool is_plain(const chain_slot *slot)
{
    return !(slot->temporary || slot->tracked || slot->discarded);
}

static inline bool is_given(const given *known, const kata_arg *arg, const chain_slot *slot)
{
    if (known->slot != slot) return false;
    return !slot || slot->is_scalar || (arg->as.field->rules == known->rules && is_plain(slot));
}

static inline const known *find(const kata *k, const ir_kernel *kernel, const kata_range *range,
                                const kata_arg *args)
{
    const int count = kernel->param_count - kernel->hidden_count;
    const chain_slot *slot[PARAMS];
    uintptr_t slots = 0;
    if (!k->apply_cache || !range || count > PARAMS) return NULL;
    for (int p = 0; p < count; p++) slots = add_slot(slots, slot[p] = api_arg_slot(&args[p]));
    const known *e = entry_of(k->apply_cache, kernel, range, slots);
    if (e->kernel != kernel || !same_range(&e->range, range)) return NULL;
    const given *known = e->params;
    for (const chain_slot **s = slot; s < slot + count; s++, known++, args++)
        if (!is_given(known, args, *s)) return NULL;
    return e;
}

uint64_t api_apply_cache_find(const kata *k, const ir_kernel *kernel, const kata_range *range,
                              const kata_arg *args)
{
    const known *e = find(k, kernel, range, args);
    return e ? e->hash : 0;
}

uint64_t api_copy_cache_find(const kata *k, const ir_kernel *kernel, const kata_range *to,
                             const kata_arg *args, const kata_copy_options *options,
                             chain_copy *map)
{
    const known *e = find(k, kernel, to, args);
    if (!e || !same_range(&e->from, &options->from_range)) return 0;
    if (memcmp(e->axes, options->axes, sizeof e->axes) != 0) return 0;
    *map = e->map;
    return e->hash;
}

static bool is_number_bound(const ir_bound *bound) { return bound->base == IR_BOUND_PARAM; }

/* Whether numbers may decide at which points a kernel reads or writes, or what it reads. */
static bool depends_on_numbers(const ir_kernel *kernel)
{
    bool depends = kernel->switched;
    depends = depends || (kernel->guarded && (kernel->deciding || kernel->level_read_count));
    for (int i = 0; i < kernel->interval_count && !depends; i++)
        depends =
            is_number_bound(&kernel->intervals[i].lo) || is_number_bound(&kernel->intervals[i].hi);
    return depends;
}

/* The entry that a loop takes; NULL: it is not remembered. */
static known *add(kata *k, const chain_loop *loop, const kata_range *range)
{
    const ir_kernel *kernel = loop->kernel;
    uintptr_t slots = 0;
    const int count = kernel->param_count - kernel->hidden_count;
    if (count > PARAMS || range->needed || depends_on_numbers(kernel)) return NULL;
    for (int p = 0; p < count; p++) {
        const chain_slot *slot = loop->bindings[p].slot;
        if (slot && !is_plain(slot)) return NULL;
        slots = add_slot(slots, slot);
    }
    if (!k->apply_cache) k->apply_cache = calloc(1, sizeof *k->apply_cache);
    if (!k->apply_cache) return NULL; /* it is checked again */
    known *e = entry_of(k->apply_cache, kernel, range, slots);
    *e = (known){.kernel = kernel, .range = *range, .hash = chain_loop_hash(loop)};
    for (int p = 0; p < count; p++) {
        const chain_binding *b = &loop->bindings[p];
        if (b->slot) e->params[p] = (given){b->slot, grid_boundary_rules(b->boundary)};
    }
    return e;
}

void api_apply_cache_add(kata *k, const chain_loop *loop, const kata_range *range)
{
    add(k, loop, range);
}

void api_copy_cache_add(kata *k, const chain_loop *loop, const kata_range *to,
                        const kata_copy_options *options)
{
    known *e = loop->mesh ? NULL : add(k, loop, to);
    if (!e) return;
    e->from = options->from_range;
    memcpy(e->axes, options->axes, sizeof e->axes);
    e->map = *loop->copy;
}
