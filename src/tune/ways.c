/* Ways to run a chain. The table of proposals says which are tried: each makes a request from what
 * is known so far, such as tiles for a cache four times as large as the one of the fastest tiles.
 * So the search goes uphill, from the size that the machine reports for its second-level cache,
 * which may be wrong: first in steps of four, then of two, to larger and smaller tiles, and to
 * deeper and shallower ones, as long as that is faster. Where these first tiles are far slower than
 * loops, nothing is uphill: then a survey tries sizes far apart, each for itself.
 *
 * A cost model orders them: the bytes that a plan moves (plan/traffic.c), of which those in a cache
 * count less. What should move fewer bytes than the fastest way is tried as soon as it is met, the
 * rest after that, and what should move many more not at all. */
#include "tune/ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes are tried between these parts and multiples of the reported one, which may be wrong. */
enum { SMALLEST_SHIFT = 4, LARGEST_SHIFT = 5, PLAIN_SHIFT = 2, DEEPEST = 128, LEAP = 4, STEP = 2 };
/* A cache that all cores share is tried as so many times the size of the one of each. */
enum { SHARED_SHIFT = 4 };

static const double CACHED = 0.25; /* the cost of a byte in a cache, of one in memory */
static const double SHARED = 0.4;  /* and in a cache that all cores share */
static const double MUCH = 1.5;    /* what should cost so much more is not tried */
static const double FAR = 1.75;  /* tiles that take so much longer are not improved step by step */
static const double MET = 1.1;   /* other tiles of a method may take so much longer */
static const double UNMET = 1.5; /* and tiles of another method */
static const double FIRST = 1.1; /* the first tiles, where a cache holds all fields */
static const double WORST = 2;   /* tiles that have not run hardly take so much longer than all */
static const double NEAR = 1.3;  /* nor tiles of a method, where those of another are faster */

static bool is_shared(const plan_request *r) { return !strcmp(r->method, "shared"); }

/* Tiles that all threads share do not depend on how many threads there are. */
static plan_request sized(const tune_ways *w, const char *method, int64_t cache)
{
    plan_request request = {.method = method, .cache = larger(cache, 1)};
    if (!is_shared(&request)) request.threads = w->threads;
    return request;
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

static bool propose_windows(const tune_ways *w, const tune_way *best, plan_request *out)
{
    (void)best;
    *out = sized(w, "windowed", w->cache);
    return w->windowed;
}

/* Tiles that all threads run together. */
static bool propose_shared(const tune_ways *w, const tune_way *best, plan_request *out)
{
    (void)best;
    *out = sized(w, "shared", w->cache << SHARED_SHIFT);
    return w->threads > 1;
}

/* In small steps the depth stays, in large ones the planner chooses another. */
static bool propose_size(const tune_ways *w, const tune_way *best, int64_t cache, int64_t depth,
                         plan_request *out)
{
    if (cache > w->cache << LARGEST_SHIFT || cache < larger(w->cache >> SMALLEST_SHIFT, 1))
        return false;
    *out = sized(w, best->request.method, cache);
    out->depth = depth;
    return true;
}

static bool propose_much_larger(const tune_ways *w, const tune_way *best, plan_request *out)
{
    return best && propose_size(w, best, best->request.cache * LEAP, 0, out);
}

static bool propose_much_smaller(const tune_ways *w, const tune_way *best, plan_request *out)
{
    return best && propose_size(w, best, best->request.cache / LEAP, 0, out);
}

static bool propose_larger(const tune_ways *w, const tune_way *best, plan_request *out)
{
    return best && propose_size(w, best, best->request.cache * STEP, best->request.depth, out);
}

static bool propose_smaller(const tune_ways *w, const tune_way *best, plan_request *out)
{
    return best && propose_size(w, best, best->request.cache / STEP, best->request.depth, out);
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

/* Whatever others took. */
static bool propose_four(const tune_ways *w, const tune_way *best, plan_request *out)
{
    (void)best;
    *out = sized(w, "tiled", w->cache * LEAP);
    return true;
}

static bool propose_quarter(const tune_ways *w, const tune_way *best, plan_request *out)
{
    (void)best;
    *out = sized(w, "tiled", w->cache / LEAP);
    return true;
}

/* Sizes far apart. */
static proposal *const survey[] = {propose_tiles, propose_four, propose_shared, propose_windows,
                                   propose_quarter};

/* In the order in which they are asked. */
static proposal *const proposals[] = {propose_tiles,  propose_windows,     propose_deeper,
                                      propose_shared, propose_much_larger, propose_much_smaller,
                                      propose_larger, propose_smaller,     propose_shallower};

/* ---- ways ------------------------------------------------------------------------------------ */

tune_ways tune_ways_new(uint64_t key, size_t period, int64_t cache, int threads)
{
    enum { FIRST_PAUSE = HOSTILE(2048, 128) };
    return (tune_ways){.key = key,
                       .period = period,
                       .cache = larger(cache, 1),
                       .threads = threads,
                       .best = -1,
                       .pause = FIRST_PAUSE};
}

plan_request tune_ways_smallest(const tune_ways *w, bool windowed)
{
    return sized(w, windowed ? "windowed" : "tiled", w->cache >> PLAIN_SHIFT);
}

bool tune_ways_may_run(const tune_ways *w, const plan_request *r)
{
    if (!strcmp(r->method, "loops")) return true;
    bool windowed = w->windowed && !strcmp(r->method, "windowed") && !r->depth;
    bool shared = w->threads > 1 && is_shared(r) && !r->depth;
    return (is_tiled(r) || windowed || shared) && r->threads == (shared ? 0 : w->threads) &&
           r->depth <= DEEPEST && r->cache >= w->cache >> SMALLEST_SHIFT &&
           r->cache <= w->cache << LARGEST_SHIFT;
}

/* ---- which one is tried -----------------------------------------------------------------------
 */

/* The known way that is fastest of those with a method; NULL: of all. */
static int fastest_by(const tune_ways *w, const char *method)
{
    int best = -1;
    for (int i = 0; i < w->count; i++) {
        const tune_way *way = &w->ways[i];
        if (!way->known || way->least <= 0 || (method && strcmp(way->request.method, method) != 0))
            continue;
        if (best < 0 || way->least < w->ways[best].least) best = i;
    }
    return best;
}

/* Methods of tiles. */
static const char *const methods[] = {"tiled", "windowed", "shared"};

int tune_ways_fastest(const tune_ways *w, bool in_tiles)
{
    int best = -1;
    if (!in_tiles) return fastest_by(w, NULL);
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        int way = fastest_by(w, methods[i]);
        if (way >= 0 && (best < 0 || w->ways[way].least < w->ways[best].least)) best = way;
    }
    return best;
}

/* What a way should cost; 0: that is not known. */
static double cost_of(const tune_way *way)
{
    const plan_traffic *t = &way->tiles.traffic;
    return t->memory + (is_shared(&way->request) ? SHARED : CACHED) * t->cache;
}

/* The number of a way that is proposed; -1: there is no room. */
static int number_of(tune_ways *w, const plan_request *request)
{
    for (int i = 0; i < w->count; i++)
        if (plan_request_equal(&w->ways[i].request, request)) return i;
    if (w->count == TUNE_WAYS) return -1;
    w->ways[w->count] = (tune_way){.request = *request};
    return w->count++;
}

/* Whether a way is to be tried at once: it is to be looked at, or promises something. The first
 * tiles are chosen from all that are proposed. */
static bool is_next(const tune_ways *w, const tune_way *way, int best)
{
    double most = best < 0 ? 0 : cost_of(&w->ways[best]);
    return !way->tiles.plan || (best >= 0 && (most <= 0 || cost_of(way) <= most));
}

/* Whether some cache holds all fields. */
static bool fits_caches(const tune_ways *w)
{
    return w->bytes <= fmax((double)w->cache * w->threads, w->outer);
}

/* Seconds of tiles between the fastest ones and others, of one method, in size: those beyond hardly
 * take less. 0: none have run. */
static double seconds_between(const tune_ways *w, const tune_way *fastest, const tune_way *way)
{
    const int64_t low = smaller(fastest->request.cache, way->request.cache);
    const int64_t high = larger(fastest->request.cache, way->request.cache);
    double seconds = 0;
    for (int i = 0; i < w->count; i++) {
        const tune_way *other = &w->ways[i];
        const int64_t cache = other->request.cache;
        if (other->known && cache > low && cache < high &&
            !strcmp(other->request.method, way->request.method))
            seconds = fmax(seconds, other->least);
    }
    return seconds;
}

/* By how many seconds per loop a way may be slower than the fastest one, as the model says of
 * loops, and the fastest tiles of others. */
static double excess_of(const tune_ways *w, const tune_way *way)
{
    int best = fastest_by(w, NULL), tiled = tune_ways_fastest(w, true);
    if (best < 0) return 0;
    double least = w->ways[best].least, cost = cost_of(&w->ways[best]);
    bool met = fastest_by(w, way->request.method) >= 0;
    if (!way->request.cache)
        return cost > 0 && cost_of(way) > cost ? least * (cost_of(way) / cost - 1) / 2 : 0;
    if (way->least > 0) return way->least - least;
    if (tiled < 0) return fits_caches(w) ? (FIRST - 1) * least : 0;
    double usual = (met ? MET : UNMET) * w->ways[tiled].least;
    return fmin(fmax(usual, seconds_between(w, &w->ways[tiled], way)), WORST * least) - least;
}

/* What a try of a way may lose, in seconds. */
static double loss_of(const tune_ways *w, const tune_way *way)
{
    int64_t loops = way->request.cache ? larger(way->tiles.loops, TUNE_SHORT) : TUNE_FEW;
    return fmax(0, excess_of(w, way)) * (double)loops;
}

/* Whether a way should cost clearly less than the best one: it is worth waiting for. */
static bool saves_much(const tune_ways *w, const tune_way *way, int best)
{
    const double much = 0.9;
    return best >= 0 && cost_of(way) > 0 && cost_of(way) < much * cost_of(&w->ways[best]);
}

/* Some of the proposals, and what they are made for. */
typedef struct choice {
    proposal *const *list;
    size_t count;
    int base, best; /* made beside `base`, and to be better than `best`; -1: there is none */
    double budget;  /* seconds that a try may lose */
} choice;

/* The next way of a choice. */
static int next_of(tune_ways *w, const choice *c)
{
    int found = TUNE_NONE;
    bool waits = false;
    plan_request request;
    for (size_t i = 0; i < c->count; i++) {
        if (!c->list[i](w, c->base < 0 ? NULL : &w->ways[c->base], &request)) continue;
        int way = number_of(w, &request);
        if (way < 0 || w->ways[way].known) continue;
        if (w->ways[way].tiles.plan && loss_of(w, &w->ways[way]) > c->budget) {
            waits = waits || saves_much(w, &w->ways[way], c->best);
            if (found < 0) found = TUNE_LATER;
            continue;
        }
        if (is_next(w, &w->ways[way], c->best)) return way;
        if (found < 0 || cost_of(&w->ways[way]) < cost_of(&w->ways[found])) found = way;
    }
    return waits ? TUNE_LATER : found;
}

static int next_beside(tune_ways *w, int base, int best, double budget)
{
    return next_of(w, &(choice){proposals, COUNT_OF(proposals), base, best, budget});
}

/* Whether a way takes at most so many times as long as the best one. */
static bool is_near(const tune_ways *w, int way, int best, double times)
{
    return way >= 0 && (best < 0 || w->ways[way].least <= times * w->ways[best].least);
}

/* The way of which every search has one. */
static int number_of_loops(tune_ways *w)
{
    return number_of(w, &(plan_request){.method = "loops"});
}

/* Ways to be tried once more. */
static int next_again(const tune_ways *w, double budget)
{
    int found = TUNE_NONE;
    for (int i = 0; i < w->count && found < 0; i++) {
        if (w->ways[i].known || !w->ways[i].again) continue;
        found = loss_of(w, &w->ways[i]) <= budget ? i : TUNE_LATER;
    }
    return found;
}

/* Beside the fastest tiles, and beside the fastest ones of other methods that come near. */
static int next_tiles(tune_ways *w, int base, int best, double budget)
{
    const bool are_far = base >= 0 && !is_near(w, base, best, FAR);
    if (are_far) return next_of(w, &(choice){survey, COUNT_OF(survey), base, base, budget});
    int found = next_beside(w, base, best, budget);
    for (size_t i = 0; i < COUNT_OF(methods) && found < 0 && base >= 0; i++) {
        int other = fastest_by(w, methods[i]), next = TUNE_NONE;
        if (other != base && is_near(w, other, best, NEAR))
            next = next_beside(w, other, best, budget);
        if (next != TUNE_NONE) found = next;
    }
    return found;
}

/* Loops run until planning others has paid off, and planning them costs nothing. Where fields leave
 * the caches planning is soon paid off: there, tiles run first. */
int tune_ways_next(tune_ways *w, double budget)
{
    int best = fastest_by(w, NULL), base = tune_ways_fastest(w, true), loops = number_of_loops(w);
    bool knows_loops = loops < 0 || w->ways[loops].known;
    bool looked_at = knows_loops || w->ways[loops].tiles.plan;
    bool tries_loops = !knows_loops && (!looked_at || loss_of(w, &w->ways[loops]) <= budget);
    if (!w->met && w->period && loops >= 0) return loops; /* the fewest loops for nothing */
    if (tries_loops && (base >= 0 || fits_caches(w))) return loops;
    int again = next_again(w, budget);
    if (again >= 0) return again;
    int found = next_tiles(w, base, best, budget);
    if (found >= 0) return found;
    if (tries_loops) return loops;
    bool later = again == TUNE_LATER || found == TUNE_LATER || !knows_loops;
    return later ? TUNE_LATER : TUNE_NONE;
}

bool tune_ways_promises(const tune_ways *w, const tune_way *way)
{
    double most = 0;
    for (int i = 0; i < w->count; i++) {
        const tune_way *other = &w->ways[i];
        if (!other->known || other->least <= 0 || !other->request.cache) continue;
        if (!most || cost_of(other) < most) most = cost_of(other);
    }
    return most <= 0 || !way->request.cache || cost_of(way) <= MUCH * most;
}
