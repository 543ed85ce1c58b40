/* The search for the fastest way to run chains that are alike. A part of a chain, or one of many
 * chains, is run in each way that is proposed, in whole sections of its tiles.
 *
 * The first part finds new memory and counts for nothing. A part of few loops that ends soon finds
 * what the part before left in the caches; so of such parts three are run in each way, and the
 * first of them does not count, unless it took so long that the way is hopeless. Where parts are
 * very brief, that may be due to the loops' being prepared, and all three run. A part takes a
 * while, where the chain is long enough: then waking threads, and finding out how many of them
 * small loops are worth, is little of it.
 *
 * What tries lose against the fastest way known, and planning them, may cost a small share of the
 * time that these chains have run; until then the fastest way known runs. When no way is left to
 * try there is a pause, longer each time, after which those that were nearly as fast are tried
 * again. A way that turns slow ends the pause at once, and all are tried again. */
#include "tune/ways.h"

#include <math.h>

enum {
    SHORT = HOSTILE(16, 2),
    FEW = HOSTILE(4, 1),
    SHORT_RUNS = 3,
    SLOW_RUNS = 3,
    LONGEST_PAUSE = 32768
};

static const double LONG = 4e-3;                /* seconds, in which all caches are filled anew */
static const double WHILE = HOSTILE(1e-3, 0);   /* seconds, at least, of a part that is a try */
static const double BRIEF = 0.5e-3;             /* seconds, which preparing loops may prolong */
static const double SHARE = HOSTILE(0.03, 1e9); /* of the time, which tries may cost */
static const double NEAR = 1.3;                 /* ways that are tried again take less than this */
static const double HOPELESS = 2;               /* ways that take more than this are given up */
static const double SLOW = 1.5;                 /* a way that turned slow takes more than this */

static tune_way *running(tune_ways *w) { return &w->ways[w->way]; }

/* ---- which way runs next --------------------------------------------------------------------- */

static void try_again(tune_ways *w, double least)
{
    for (int i = 0; i < w->count; i++)
        if (w->ways[i].least <= NEAR * least) w->ways[i].known = false;
    w->runs = 0;
    w->rests = false;
}

/* The search has ended. */
static void rest(tune_ways *w)
{
    w->rests = w->learned = true;
    w->left = w->pause;
    w->pause = smaller(2 * w->pause, LONGEST_PAUSE);
}

/* A try that has begun goes on. */
static bool may_try(const tune_ways *w)
{
    return w->left <= 0 && (w->at_once || w->runs > 0 || w->spent <= SHARE * w->total);
}

plan_request tune_search_begin(tune_ways *w)
{
    int next = -1;
    if (w->plain) return (plan_request){.method = "loops"};
    if (w->rests && may_try(w)) try_again(w, w->ways[w->best].least);
    if (w->best < 0 || may_try(w)) next = tune_ways_next(w);
    w->trying = next >= 0;
    if (next < 0 && may_try(w)) rest(w);
    w->way = next < 0 ? w->best : next;
    return running(w)->request;
}

void tune_search_remember(tune_ways *w, const plan_request *request, double seconds, bool settled)
{
    if (!tune_ways_may_run(w, request)) return;
    w->ways[0] = (tune_way){.request = *request, .known = true, .least = seconds};
    w->count = 1;
    w->best = 0;
    if (!settled || w->at_once) return;
    w->pause = LONGEST_PAUSE;
    rest(w);
    w->learned = false;
}

bool tune_search_looks(const tune_ways *w) { return !w->plain && !w->ways[w->way].tiles.plan; }

void tune_search_found(tune_ways *w, const tune_tiles *tiles)
{
    running(w)->tiles = *tiles;
    for (int i = 0; i < w->count; i++) {
        const tune_way *other = &w->ways[i];
        if (i == w->way || !other->known || other->tiles.plan != tiles->plan) continue;
        running(w)->known = true;
        running(w)->least = other->least;
    }
}

/* So many loops as whole sections of the way's tiles and periods of the chain have at least. */
static size_t whole(const tune_ways *w, double loops)
{
    size_t section = (size_t)larger(w->ways[w->way].tiles.loops, 1), count = (size_t)ceil(loops);
    count = (count + section - 1) / section * section;
    return (count + w->period - 1) / w->period * w->period;
}

/* Loops until tries may go on. */
static double until_tries(const tune_ways *w)
{
    return w->each > 0 ? fmin((w->spent / SHARE - w->total) / w->each, LONGEST_PAUSE) : 0;
}

size_t tune_search_part(const tune_ways *w, size_t left)
{
    double loops = w->trying && !w->ways[w->way].tiles.loops ? FEW : SHORT;
    if (w->plain || w->rests || !w->period) return left;
    if (!w->trying) loops = fmax(loops, until_tries(w));
    if (w->trying && w->each > 0) loops = fmax(loops, WHILE / w->each);
    if (w->trying && w->each * loops > LONG) loops = LONG / w->each;
    size_t part = whole(w, loops);
    return left < 2 * part ? left : part;
}

/* ---- how long it took ------------------------------------------------------------------------ */

/* Watches a way that was found to be fastest. It may turn faster, as small loops do when they find
 * out how many threads they are worth. */
static void watch(tune_ways *w)
{
    tune_way *best = &w->ways[w->best];
    if (best->known && w->each > 0) best->least = fmin(best->least, w->each);
    w->slow = best->known && w->each > SLOW * best->least ? w->slow + 1 : 0;
    if (w->slow < SLOW_RUNS) return;
    try_again(w, INFINITY);
    w->slow = 0;
    w->left = 0;
}

/* A run of a try. */
static void count_run(tune_ways *w, const tune_way *best, size_t loops, double seconds)
{
    tune_way *way = running(w);
    bool is_brief = seconds < BRIEF, is_short = is_brief || (loops < SHORT && seconds < LONG);
    bool hopeless = best && !is_brief && w->each > HOPELESS * best->least;
    w->runs++;
    if (is_short && w->runs == 1 && !hopeless) return;
    if (w->runs <= 2 || w->each < way->least) way->least = w->each;
    if (is_short && w->runs < SHORT_RUNS && !hopeless) return;
    way->known = w->learned = true;
    w->runs = 0;
    w->best = tune_ways_fastest(w, false);
}

void tune_search_end(tune_ways *w, size_t loops, double seconds, double planning)
{
    const tune_way *best = w->best < 0 || !w->ways[w->best].known ? NULL : &w->ways[w->best];
    bool met = w->met;
    w->met = true;
    w->each = seconds / (double)loops;
    w->loops += (int64_t)loops;
    w->left -= (int64_t)loops;
    w->total += seconds + planning;
    if (w->plain) return;
    if (w->best < 0) w->best = w->way;
    if (w->trying) w->spent += planning;
    if (w->trying && best) w->spent += fmax(0, seconds - (double)loops * best->least);
    if (met && w->trying) count_run(w, best, loops, seconds);
    if (met && !w->trying) watch(w);
}
