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
 * time that these chains have run; until then the fastest way known runs.
 *
 * A machine changes its speed while the search goes on. So where a way wins by little, the one that
 * was fastest before is run once more, next to it. And loops that run one after another find out by
 * themselves, for some dozens of runs, on how many threads and with which stores they run best: if
 * they come near, they are tried again before the search ends.
 *
 * When no way is left to try there is a pause, longer each time, after which those that were nearly
 * as fast are tried again. A way that turns slow ends the pause at once, and all are tried again.
 * So does one that turns much faster than it was when it was compared, a few times: another program
 * may have misled the search, or an earlier start from which the choice was kept. A way that is
 * somewhat slow for long shortens the pause. */
#include "tune/ways.h"

#include <math.h>

enum {
    SHORT = HOSTILE(16, 2),
    FEW = HOSTILE(4, 1),
    FIRST = HOSTILE(2, 1), /* loops, that find new memory */
    SHORT_RUNS = 3,
    SLOW_RUNS = 3,
    LATE_RUNS = 12,
    MOST_CHECKS = 1,
    MOST_SHIFTS = 3,
    LATER = 100,  /* loops, after which a search that is remembered goes on */
    SETTLED = 48, /* runs of each loop, after which they have found out how they run best */
    SHORTEST_PAUSE = HOSTILE(2048, 128),
    LONGEST_PAUSE = 32768
};

static const double LONG = 4e-3;              /* seconds, in which all caches are filled anew */
static const double WHILE = HOSTILE(1e-3, 0); /* seconds, at least, of a part that is a try */
static const double PROVISIONAL = HOSTILE(0.2, 0); /* seconds, at most, of a part that is none */
static const double BRIEF = 0.5e-3;                /* seconds, which preparing loops may prolong */
static const double SHARE = HOSTILE(0.03, 1e9);    /* of the time, which tries may cost */
static const double SHORTEST = 1e-12;              /* seconds of a loop, which clocks may not see */
static const double NEAR = 1.3;    /* ways that are tried again take less than this */
static const double HOPELESS = 2;  /* ways that take more than this are given up */
static const double SLOW = 1.5;    /* a way that turned slow takes more than this */
static const double LATE = 1.2;    /* and one that is somewhat slow, than this */
static const double FASTER = 1.25; /* a way that turned faster: less, by this */
static const double NARROW = 1.15; /* who wins by less is compared once more */

static tune_way *running(tune_ways *w) { return &w->ways[w->way]; }

/* ---- which way runs next --------------------------------------------------------------------- */

static void doubt(tune_way *way) { way->known = false, way->again = true; }

static void try_again(tune_ways *w, double least)
{
    for (int i = 0; i < w->count; i++)
        if (w->ways[i].least > 0 && w->ways[i].least <= NEAR * least) doubt(&w->ways[i]);
    w->runs = 0;
    w->rests = false;
}

void tune_search_again(tune_ways *w)
{
    if (w->plain || w->best < 0) return;
    for (int i = 0; i < w->count; i++) w->ways[i].ran = 0;
    try_again(w, INFINITY);
    w->slow = w->late = w->shifts = 0;
    w->left = 0;
    w->pause = SHORTEST_PAUSE;
}

/* Loops that may have been tried too early are tried again. False: there are none. */
static bool doubt_loops(tune_ways *w)
{
    const double near = 1.5;
    const int64_t settled = SETTLED * larger(w->period, 1);
    for (int i = 0; i < w->count; i++) {
        tune_way *way = &w->ways[i];
        bool loops = !way->request.cache && way->known && i != w->best;
        if (!loops || way->ran >= settled || way->least > near * w->ways[w->best].least) continue;
        doubt(way);
        return true;
    }
    return false;
}

/* The search has ended. */
static void rest(tune_ways *w)
{
    w->rests = w->learned = true;
    w->left = w->pause;
    w->pause = smaller(2 * w->pause, LONGEST_PAUSE);
    w->shifts = 0;
    for (int i = 0; i < w->count; i++) w->ways[i].checks = 0;
}

/* A try that has begun goes on. */
static bool may_try(const tune_ways *w)
{
    return w->left <= 0 && (w->at_once || w->runs > 0 || w->spent <= SHARE * w->total);
}

/* Whether a try may begin, if it is as slow as it may be. */
static bool affords(const tune_ways *w, const tune_way *way)
{
    const double most = HOSTILE(0.045, 1e9); /* of the time */
    if (w->at_once || w->runs > 0 || w->best < 0) return true;
    double loops = way->request.cache ? (double)larger(way->tiles.loops, SHORT) : FEW;
    return w->spent + fmax(0, tune_ways_excess(w, way)) * loops <= most * w->total;
}

/* Whether loops may be tried next: their plan was looked at, or is looked at now. */
static bool tries_loops(const tune_ways *w)
{
    for (int i = 0; i < w->count; i++)
        if (!w->ways[i].request.cache) return affords(w, &w->ways[i]);
    return true;
}

plan_request tune_search_begin(tune_ways *w)
{
    int next = -1;
    if (w->plain) return (plan_request){.method = "loops"};
    if (w->rests && may_try(w)) try_again(w, w->ways[w->best].least);
    if (w->best < 0 || may_try(w)) next = tune_ways_next(w, tries_loops(w));
    if (next < 0 && may_try(w) && doubt_loops(w)) next = tune_ways_next(w, tries_loops(w));
    if (next < 0 && may_try(w)) rest(w);
    if (next >= 0 && !affords(w, &w->ways[next])) next = -1;
    w->trying = next >= 0;
    w->way = next < 0 ? w->best : next;
    return running(w)->request;
}

void tune_search_remember(tune_ways *w, const plan_request *request, double seconds, bool settled)
{
    if (!tune_ways_may_run(w, request)) return;
    w->ways[0] = (tune_way){.request = *request, .known = true, .least = seconds};
    w->count = 1;
    w->best = 0;
    w->spent = SHARE * LATER * seconds; /* others are tried later */
    if (w->at_once) w->spent = 0;
    if (!settled || w->at_once) return;
    w->pause = LONGEST_PAUSE;
    rest(w);
    w->learned = false;
}

bool tune_search_looks(const tune_ways *w) { return !w->plain && !w->ways[w->way].tiles.plan; }

void tune_search_found(tune_ways *w, const tune_tiles *tiles)
{
    tune_way *way = running(w);
    way->tiles = *tiles;
    if (!way->again && !way->least && !tune_ways_promises(w, way)) way->known = true;
    for (int i = 0; i < w->count; i++) {
        const tune_way *other = &w->ways[i];
        if (i == w->way || !other->known || other->tiles.plan != tiles->plan) continue;
        way->known = true;
        way->least = other->least;
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
    const tune_way *way = &w->ways[w->way];
    bool settled = w->plain || w->rests;
    double loops = (w->trying && !way->tiles.loops && !way->again) || settled ? FEW : SHORT;
    if (!w->period || (settled && !w->provisional)) return left;
    if (settled && w->each > 0) loops = fmax(loops, PROVISIONAL / w->each);
    if (!w->trying && !settled) loops = fmax(loops, until_tries(w));
    if (!w->met && left > SHORT) loops = FIRST;
    if (w->trying && w->each > 0) loops = fmax(loops, WHILE / w->each);
    if (w->trying && w->each * loops > LONG) loops = LONG / w->each;
    size_t part = whole(w, loops);
    return left < 2 * part ? left : part;
}

/* ---- how long it took ------------------------------------------------------------------------ */

/* The fastest way has turned much faster since it was compared with others. */
static void note_shift(tune_ways *w)
{
    if (w->shifts == MOST_SHIFTS || w->at_once) return;
    w->shifts++;
    try_again(w, w->ways[w->best].least);
    w->left = 0;
}

/* Watches a way that was found to be fastest. It may turn faster, as small loops do when they find
 * out how many threads they are worth. */
static void watch(tune_ways *w)
{
    tune_way *best = &w->ways[w->best];
    if (!best->known || w->each <= 0) return;
    w->slow = w->each > SLOW * best->least ? w->slow + 1 : 0;
    w->late = w->each > LATE * best->least ? w->late + 1 : 0;
    if (w->late == LATE_RUNS) w->left = smaller(w->left, SHORTEST_PAUSE);
    if (w->each * FASTER < best->least) note_shift(w);
    best->least = fmin(best->least, w->each);
    if (w->slow < SLOW_RUNS) return;
    try_again(w, INFINITY);
    w->slow = w->late = 0;
    w->left = 0;
}

/* Chooses the fastest way; the one before runs once more if it lost by little. */
static void choose(tune_ways *w)
{
    tune_way *former = w->best < 0 ? NULL : &w->ways[w->best];
    w->best = tune_ways_fastest(w, false);
    const tune_way *best = &w->ways[w->best];
    if (!former || former == best || !former->known || former->checks == MOST_CHECKS) return;
    if (former->least > NARROW * best->least) return;
    former->checks++;
    doubt(former);
}

/* A run of a try. */
static void count_run(tune_ways *w, const tune_way *best, size_t loops, double seconds)
{
    tune_way *way = running(w);
    bool is_brief = seconds < BRIEF, is_short = is_brief || (loops < SHORT && seconds < LONG);
    bool hopeless = best && !is_brief && w->each > HOPELESS * best->least;
    w->runs++;
    bool same = !is_brief && w->last == w->way; /* the caches hold what this way has left there */
    if (is_short && w->runs == 1 && !hopeless && !same) return;
    if (w->runs <= 2 || w->each < way->least) way->least = w->each;
    if (is_short && w->runs < SHORT_RUNS && !hopeless) return;
    way->known = w->learned = true;
    way->again = false;
    w->runs = 0;
    choose(w);
}

void tune_search_end(tune_ways *w, size_t loops, double seconds, double planning)
{
    const tune_way *best = w->best < 0 || !w->ways[w->best].known ? NULL : &w->ways[w->best];
    bool met = w->met;
    w->met = true;
    w->each = fmax(seconds / (double)loops, SHORTEST);
    running(w)->ran += (int64_t)loops;
    w->loops += (int64_t)loops;
    w->left -= (int64_t)loops;
    w->total += seconds + planning;
    if (w->plain) return;
    if (w->best < 0) w->best = w->way;
    if (w->trying) w->spent += planning;
    if (w->trying && best) w->spent += fmax(0, seconds - (double)loops * best->least);
    if (met && w->trying) count_run(w, best, loops, seconds);
    if (met && !w->trying) watch(w);
    w->last = w->way;
}
