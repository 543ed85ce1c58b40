/* Plans of chains seen before. A time loop queues the same loops again and again. Their hashes show
 * it; a plan and its analysis fit any chain of equal loops. */
#include "plan/plan.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 24 };

typedef struct known {
    uint64_t key;
    uint64_t chain;
    int64_t used; /* time of last use; 0: never */
    plan plan;
    analysis_chain analysis;
} known;

struct plan_cache {
    known known[KEPT];
    known *latest; /* NULL: none */
    int64_t turn;
};

plan_cache *plan_cache_new(void) { return calloc(1, sizeof(plan_cache)); }

static void forget(known *k)
{
    plan_free(&k->plan);
    analysis_chain_free(&k->analysis);
    *k = (known){0};
}

void plan_cache_free(plan_cache *cache)
{
    for (int i = 0; cache && i < KEPT; i++) forget(&cache->known[i]);
    free(cache);
}

static uint64_t key_of_chain(const chain *c)
{
    uint64_t key = c->count;
    for (size_t i = 0; i < c->count + c->after; i++)
        key = (key ^ c->loops[i].hash) * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < c->slot_count; i++)
        key = (key ^ c->slots[i]->discarded) * 0x9e3779b97f4a7c15u;
    key = (key ^ c->goes_on) * 0x9e3779b97f4a7c15u;
    return key ^ (c->step == c->count + c->after);
}

static uint64_t key_of(uint64_t chain, const plan_request *r)
{
    uint64_t key = hash_bytes(r->method, strlen(r->method), chain);
    key = hash_bytes(r->tile, sizeof *r - offsetof(plan_request, tile), key);
    return r->below ? key_of(key, r->below) : key;
}

static known *find(plan_cache *cache, uint64_t key, bool *is_new)
{
    known *oldest = &cache->known[0];
    for (int i = 0; i < KEPT; i++) {
        known *k = &cache->known[i];
        *is_new = !k->used || k->key != key;
        if (!*is_new) return k;
        if (k->used < oldest->used) oldest = k;
    }
    forget(oldest);
    return oldest;
}

bool plan_cache_knows(const plan_cache *cache, const chain *c, const plan_request *request)
{
    uint64_t key = key_of(key_of_chain(c), request);
    for (int i = 0; i < KEPT; i++)
        if (cache->known[i].used && cache->known[i].key == key) return true;
    return false;
}

const plan *plan_cache_get(plan_cache *cache, const chain *c, const plan_request *request,
                           const analysis_chain **analysis, bool *is_new)
{
    uint64_t chain = key_of_chain(c), key = key_of(chain, request);
    known *k = find(cache, key, is_new);
    cache->latest = NULL;
    if (!*is_new) analysis_chain_adopt(c, &k->analysis);
    if (*is_new &&
        (!analysis_chain_make(c, &k->analysis) || !plan_make(&k->plan, &k->analysis, request))) {
        forget(k);
        return NULL;
    }
    k->key = key;
    k->chain = chain;
    k->used = ++cache->turn;
    *analysis = &k->analysis;
    cache->latest = k;
    return &k->plan;
}

const plan *plan_cache_again(plan_cache *cache, const chain *c, const analysis_chain **analysis)
{
    known *k = cache->latest;
    if (!k || k->chain != key_of_chain(c)) return NULL;
    analysis_chain_adopt(c, &k->analysis);
    *analysis = &k->analysis;
    return &k->plan;
}
