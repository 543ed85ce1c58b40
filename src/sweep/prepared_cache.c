/* Loops that were prepared before, for loops that are alike: the same kernel on the same points of
 * fields that lie and end alike. Which fields they are, where they lie now, and most numbers do not
 * matter. A loop is somebody's until it is released; then it waits for the next that it fits. Of
 * those that wait the ones used longest ago are given up. */
#include "sweep/loop.h"

#include <stdlib.h>

enum { BUCKETS = 128, MOST_WAITING = HOSTILE(512, 3) };
static const int64_t MOST_BYTES = HOSTILE(64 << 20, 4096); /* of those that wait */

struct sweep_cache {
    sweep_loop *buckets[BUCKETS];
    int waiting;
    int64_t bytes; /* of them */
    int64_t turn;
};

static uint64_t key_of(const chain_loop *loop, abi_function *run)
{
    uint64_t key = (uint64_t)(uintptr_t)run ^ (uint64_t)(uintptr_t)loop->kernel;
    for (int d = 0; d < 3; d++) {
        key = (key ^ (uint64_t)loop->box.lo[d]) * 0x9e3779b97f4a7c15u;
        key = (key ^ (uint64_t)loop->box.hi[d]) * 0x9e3779b97f4a7c15u;
    }
    return key ^ key >> 32;
}

/* ---- whether a prepared loop fits ------------------------------------------------------------ */

/* Whether a field is like the one that was prepared for, and has the memory that is needed around
 * it. */
static bool fits_field(const sweep_loop *l, const chain_loop *loop, int p)
{
    const chain_binding *b = &loop->bindings[p];
    const chain_slot *slot = b->slot;
    const sweep_field *known = &l->fields[p];
    if (!ir_param_is_field(&loop->kernel->params[p])) return true;
    store_array *array = slot->array;
    return sweep_field_first(loop, p) == known->first && store_slot_rows(slot) == known->rows &&
           (array->bytes > 0) == known->own && slot->type == known->slot.type &&
           chain_slot_same_points(slot, &known->slot) &&
           slot->components == known->slot.components &&
           grid_boundary_equal(b->boundary, &known->boundary) &&
           !memcmp(&array->box, &known->memory, sizeof known->memory) &&
           (grid_box_contains(&array->room, &known->room) ||
            store_array_extend(array, &known->room));
}

/* The arrays of fields that were found to fit have not changed, nor have loops with their hash;
 * what that leaves open are values of boundary rules. */
static bool fits_again(const sweep_loop *l, const chain_loop *loop, const sweep_fitted *before)
{
    if (!before->hash || before->hash != loop->hash) return false;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const chain_binding *b = &loop->bindings[p];
        if (!ir_param_is_field(&loop->kernel->params[p])) continue;
        if (b->slot->array->stays != before->stays[p] ||
            !grid_boundary_equal(b->boundary, &l->fields[p].boundary))
            return false;
    }
    return true;
}

/* Notes the fields that a loop was found to fit, if their arrays show when they change. */
static void note_fitted(sweep_loop *l, const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    sweep_fitted *f = &l->fitted[l->fitted_next];
    const size_t params = (size_t)kernel->param_count;
    if (!f->stays) f->stays = arena_array(&l->memory, params + 1, sizeof *f->stays);
    f->hash = f->stays ? loop->hash : 0;
    for (int p = 0; p < kernel->param_count && f->hash; p++) {
        if (!ir_param_is_field(&kernel->params[p])) continue;
        f->stays[p] = loop->bindings[p].slot->array->stays;
        if (!f->stays[p]) f->hash = 0;
    }
    if (f->hash) l->fitted_next = (l->fitted_next + 1) % SWEEP_FITTED;
}

static bool fits_fields(sweep_loop *l, const chain_loop *loop)
{
    for (int k = 0; k < SWEEP_FITTED; k++)
        if (fits_again(l, loop, &l->fitted[k])) return true;
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (!fits_field(l, loop, p)) return false;
    note_fitted(l, loop);
    return true;
}

/* Whether numbers that may decide where a kernel reads are as they were. */
static bool fits_numbers(const sweep_loop *l, const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    bool same = true;
    for (int p = 0; p < kernel->param_count && (kernel->guarded || kernel->direction); p++) {
        const ir_param *param = &kernel->params[p];
        const chain_binding *b = &loop->bindings[p];
        if (b->slot || ir_param_is_field(param)) continue;
        const ir_value *known = &l->numbers[l->places[p].number];
        const ir_value *given = b->table ? b->table : &b->number;
        size_t count = b->table ? (size_t)param->count : 1;
        same = same && !memcmp(known, given, count * sizeof *given);
    }
    return same;
}

static bool fits(sweep_loop *l, const chain_loop *loop, abi_function *run, sweep_manner manner)
{
    const chain_loop *like = &l->like;
    if (l->in_use || l->run != run || l->manner.cut != manner.cut ||
        l->manner.copies != manner.copies || l->manner.own != manner.own ||
        l->manner.covers != manner.covers || l->manner.lent != manner.lent ||
        like->kernel != loop->kernel || like->parted != loop->parted ||
        memcmp(l->kernel_hash, loop->kernel->hash, sizeof l->kernel_hash) != 0 ||
        !grid_shape_equal(&like->shape, &loop->shape) ||
        memcmp(&like->box, &loop->box, sizeof loop->box) != 0 || like->colors != loop->colors ||
        like->color != loop->color || like->once != loop->once || !fits_numbers(l, loop))
        return false;
    return fits_fields(l, loop);
}

/* ---- taking and releasing -------------------------------------------------------------------- */

static void wait_or_not(struct sweep_cache *cache, sweep_loop *l, bool waits)
{
    l->in_use = !waits;
    cache->waiting += waits ? 1 : -1;
    cache->bytes += waits ? (int64_t)l->memory.bytes : -(int64_t)l->memory.bytes;
}

static sweep_loop *add(sweep_workers *workers, const chain_loop *loop, abi_function *run,
                       sweep_manner manner, uint64_t key)
{
    sweep_loop *l = sweep_loop_new(workers, loop, run, manner);
    if (!l) return NULL;
    sweep_loop **bucket = &workers->cache->buckets[key % BUCKETS];
    l->key = key;
    l->in_use = true;
    l->next_alike = *bucket;
    return *bucket = l;
}

sweep_loop *sweep_prepare(sweep_workers *workers, const chain_loop *loop, abi_function *run,
                          sweep_manner manner)
{
    uint64_t key = key_of(loop, run);
    if (!workers->cache) workers->cache = calloc(1, sizeof *workers->cache);
    if (!workers->cache) return NULL;
    for (sweep_loop *l = workers->cache->buckets[key % BUCKETS]; l; l = l->next_alike) {
        if (l->key != key || !fits(l, loop, run, manner)) continue;
        wait_or_not(workers->cache, l, false);
        return l;
    }
    return add(workers, loop, run, manner, key);
}

/* Gives up the loop that waits longest. */
static void give_up_oldest(struct sweep_cache *cache)
{
    sweep_loop **oldest = NULL;
    for (int b = 0; b < BUCKETS; b++)
        for (sweep_loop **at = &cache->buckets[b]; *at; at = &(*at)->next_alike)
            if (!(*at)->in_use && (!oldest || (*at)->used < (*oldest)->used)) oldest = at;
    sweep_loop *l = *oldest;
    wait_or_not(cache, l, false);
    *oldest = l->next_alike;
    sweep_loop_free(l);
}

void sweep_release(sweep_loop *l)
{
    if (!l) return;
    struct sweep_cache *cache = l->workers->cache;
    l->used = ++cache->turn;
    wait_or_not(cache, l, true);
    while (cache->waiting > MOST_WAITING || (cache->waiting && cache->bytes > MOST_BYTES))
        give_up_oldest(cache);
}

void sweep_cache_free(struct sweep_cache *cache)
{
    for (int b = 0; cache && b < BUCKETS; b++)
        while (cache->buckets[b]) {
            sweep_loop *l = cache->buckets[b];
            cache->buckets[b] = l->next_alike;
            sweep_loop_free(l);
        }
    free(cache);
}
