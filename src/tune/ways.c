/* Ways to run a chain. The table of proposals says which are tried: each makes a request from what
 * is known so far, such as tiles for a cache twice as large as the one of the fastest tiles. A
 * proposal that was made before, or cannot be made, leaves the turn to the next one. So the search
 * goes uphill: from the size that the machine reports for its second-level cache to larger and
 * smaller ones, then to deeper and shallower tiles, as long as that is faster. */
#include "tune/ways.h"

#include <stdlib.h>
#include <string.h>

/* Sizes are tried between these parts and multiples of the reported one, which may be wrong. */
enum { SMALLEST_SHIFT = 4, LARGEST_SHIFT = 5, PLAIN_SHIFT = 2, DEEPEST = 128 };

static plan_request sized(const tune_ways *w, const char *method, int64_t cache)
{
    return (plan_request){.method = method, .cache = larger(cache, 1), .threads = w->threads};
}

/* ---- proposals ------------------------------------------------------------------------------- */

/* Makes a request; false: there is nothing to propose. `best`: the fastest way in tiles; NULL: none
 * is known yet. */
typedef bool proposal(const tune_ways *w, const tune_way *best, plan_request *out);

static bool propose_tiles(const tune_ways *w, const tune_way *best, plan_request *out)
{
    (void)best;
    *out = sized(w, "tiled", w->cache);
    return true;
}

/* Windows share the cache with what is read beside them. */
static bool propose_windows(const tune_ways *w, const tune_way *best, plan_request *out)
{
    (void)best;
    *out = sized(w, "windowed", w->cache / 2);
    return w->windowed;
}

static bool propose_loops(const tune_ways *w, const tune_way *best, plan_request *out)
{
    (void)w, (void)best;
    *out = (plan_request){.method = "loops"};
    return true;
}

static bool propose_larger(const tune_ways *w, const tune_way *best, plan_request *out)
{
    if (!best || best->request.cache >= w->cache << LARGEST_SHIFT) return false;
    *out = sized(w, best->request.method, 2 * best->request.cache);
    return true;
}

static bool propose_smaller(const tune_ways *w, const tune_way *best, plan_request *out)
{
    if (!best || best->request.cache / 2 < larger(w->cache >> SMALLEST_SHIFT, 1)) return false;
    *out = sized(w, best->request.method, best->request.cache / 2);
    return true;
}

static bool is_tiled(const plan_request *r) { return !strcmp(r->method, "tiled"); }

static bool propose_depth(const tune_way *best, int depth, plan_request *out)
{
    if (depth < 2 || depth > DEEPEST || !is_tiled(&best->request)) return false;
    *out = best->request;
    out->depth = depth;
    return true;
}

static bool propose_deeper(const tune_ways *w, const tune_way *best, plan_request *out)
{
    (void)w;
    return best && propose_depth(best, 2 * best->tiles.loops, out);
}

static bool propose_shallower(const tune_ways *w, const tune_way *best, plan_request *out)
{
    (void)w;
    return best && propose_depth(best, best->tiles.loops / 2, out);
}

/* In the order in which they are asked. The first one runs until planning others has paid off, and
 * planning loops costs nothing. */
static proposal *const proposals[] = {propose_loops,    propose_tiles,   propose_windows,
                                      propose_larger,   propose_smaller, propose_deeper,
                                      propose_shallower};

/* ---- ways ------------------------------------------------------------------------------------ */

tune_ways tune_ways_new(uint64_t key, size_t period, int64_t cache, int threads)
{
    enum { SHORTEST_PAUSE = HOSTILE(2048, 128) };
    return (tune_ways){.key = key,
                       .period = period,
                       .cache = larger(cache, 1),
                       .threads = threads,
                       .best = -1,
                       .pause = SHORTEST_PAUSE};
}

plan_request tune_ways_smallest(const tune_ways *w, bool windowed)
{
    return sized(w, windowed ? "windowed" : "tiled", w->cache >> PLAIN_SHIFT);
}

bool tune_ways_may_run(const tune_ways *w, const plan_request *r)
{
    if (!strcmp(r->method, "loops")) return true;
    bool windowed = w->windowed && !strcmp(r->method, "windowed") && !r->depth;
    return (is_tiled(r) || windowed) && r->threads == w->threads && r->depth <= DEEPEST &&
           r->cache >= w->cache >> SMALLEST_SHIFT && r->cache <= w->cache << LARGEST_SHIFT;
}

int tune_ways_fastest(const tune_ways *w, bool in_tiles)
{
    int best = -1;
    for (int i = 0; i < w->count; i++) {
        const tune_way *way = &w->ways[i];
        if (!way->known || (in_tiles && !way->request.cache)) continue;
        if (best < 0 || way->least < w->ways[best].least) best = i;
    }
    return best;
}

/* Adds a way unless it was proposed before; -1: it was, or there is no room. */
static int add(tune_ways *w, const plan_request *request)
{
    for (int i = 0; i < w->count; i++)
        if (plan_request_equal(&w->ways[i].request, request)) return -1;
    if (w->count == TUNE_WAYS) return -1;
    w->ways[w->count] = (tune_way){.request = *request};
    return w->count++;
}

int tune_ways_next(tune_ways *w)
{
    int best = tune_ways_fastest(w, true), found = -1;
    plan_request request;
    for (int i = 0; i < w->count; i++)
        if (!w->ways[i].known) return i;
    for (size_t i = 0; i < COUNT_OF(proposals) && found < 0; i++)
        if (proposals[i](w, best < 0 ? NULL : &w->ways[best], &request)) found = add(w, &request);
    return found;
}
