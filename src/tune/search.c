/* The search for the fastest way to run chains that are alike. A part of a chain, or one of many
 * chains, is run in each way that is proposed, in whole sections of its tiles.
 *
 * The first part, loop by loop where it need not be a whole chain, finds new memory and counts for
 * nothing. A part of few loops that ends soon finds what the part before left in the caches; so of
 * such parts three are run in each way, and the first of them does not count, unless it took so
 * long that the way is hopeless. Where parts are very brief, that may be due to the loops' being
 * prepared, and all three run. A part takes a while, where the chain is long enough: then waking
 * threads, and finding out how many of them small loops are worth, is little of it.
 *
 * What tries lose against the fastest way known, and planning them, may cost a small share of the
 * time that these chains have run; until then the fastest way known runs.
 *
 * A machine changes its speed while the search goes on. So after a try that does not win, the
 * fastest way runs once more: if that has become slow, too, or slower than the try, the try says
 * nothing and is done again, twice at most. Where a way wins by little, the one that was fastest
 * before is run once more, next to it. Before the search ends every way that is not far behind has
 * had two looks, of which the better one counts, so that one slow run does not decide. And loops
 * that run one after another find out by themselves, for some dozens of runs, on how many threads
 * and with which stores they run best: if they come near, they are tried again, too.
 *
 * When no way is left to try there is a pause, longer each time, after which those that were nearly
 * as fast are tried again. A way that turns slow ends the pause at once, and all are tried again.
 * So does one that turns much faster than it was when it was compared, a few times: another program
 * may have misled the search, or an earlier start from which the choice was kept. A way that is
 * somewhat slow for long shortens the pause. */
#include "tune/ways.h"

#include <math.h>

enum {
    SHORT = TUNE_SHORT,
    FEW = TUNE_FEW,
    FIRST = HOSTILE(2, 1), /* loops, that find new memory */
    SHORT_RUNS = 3,
    SLOW_RUNS = 3,
    LATE_RUNS = 12,
    MOST_CHECKS = 1,
    MOST_VOID = HOSTILE(2, 0), /* tries of a way that say nothing */
    LOOKS = HOSTILE(2, 1),     /* at each way */
    MOST_SHIFTS = 3,
    MOST_TURNS = 2, /* of a search at once */
    LATER = 100,    /* loops, after which a search that is remembered goes on */
    SETTLED = 48,   /* runs of each loop, after which they have found out how they run best */
    SHORTEST_PAUSE = HOSTILE(2048, 128),
    LONGEST_PAUSE = 32768
};

static const double LONG = 4e-3;              /* seconds, in which all caches are filled anew */
static const double WHILE = HOSTILE(1e-3, 0); /* seconds, at least, of a part that is a try */
static const double PROVISIONAL = HOSTILE(0.2, 0); /* seconds, at most, of a part that is none */
static const double BRIEF = 0.5e-3;                /* seconds, which preparing loops may prolong */
static const double SHARE = HOSTILE(0.03, 1e9);    /* of the time, which tries may cost */
static const double SHORTEST = 1e-12;              /* seconds of a loop, which clocks may not see */
static const double NEAR = 1.3;       /* ways that are tried again take less than this */
static const double HOPELESS = 2;     /* ways that take more than this are given up */
static const double SLOW = 1.5;       /* a way that turned slow takes more than this */
static const double LATE = 1.2;       /* and one that is somewhat slow, than this */
static const double FASTER = 1.25;    /* a way that turned faster: less, by this */
static const double NARROW = 1.15;    /* who wins by less is compared once more */
static const double NARROWLY = 0.995; /* the time of a way that wins side by side only */
static const double NOISY = 1.25; /* where the fastest way takes so much more, tries say nothing */

static tune_way *running(tune_ways *w) { return &w->ways[w->way]; }

/* ---- which way runs next --------------------------------------------------------------------- */

static void look_again(tune_way *way) { way->known = false, way->again = true; }

/* What it took before counts no more. */
static void doubt(tune_way *way)
{
    look_again(way);
    way->looks = way->voids = 0;
}

static void try_again(tune_ways *w, double least)
{
    for (int i = 0; i < w->count; i++)
        if (w->ways[i].least > 0 && w->ways[i].least <= NEAR * least) doubt(&w->ways[i]);
    w->runs = 0;
    w->rests = w->closing = false;
}

void tune_search_again(tune_ways *w)
{
    if (w->plain || w->best < 0) return;
    for (int i = 0; i < w->count; i++) w->ways[i].ran = 0;
    try_again(w, INFINITY);
    w->slow = w->late = w->shifts = w->turns = 0;
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

/* So are ways at which too few looks were taken, the nearest first. No machine is as slow at a
 * moment as ways are that are far behind. */
static bool doubt_first_looks(tune_ways *w)
{
    const double behind = 8;
    tune_way *next = NULL;
    for (int i = 0; i < w->count; i++) {
        tune_way *way = &w->ways[i];
        if (i == w->best || !way->known || way->least <= 0 || !way->looks) continue;
        if (way->least > behind * w->ways[w->best].least) continue;
        if (way->looks < LOOKS && (!next || way->least < next->least)) next = way;
    }
    if (next) look_again(next);
    return next;
}

/* The search has ended. */
static void rest(tune_ways *w)
{
    w->rests = w->learned = true;
    w->left = w->at_once ? INT64_MAX / 2 : w->pause;
    w->pause = smaller(2 * w->pause, LONGEST_PAUSE);
    w->shifts = 0;
    for (int i = 0; i < w->count; i++) w->ways[i].checks = 0;
}

/* A try that has begun goes on. */
static bool may_try(const tune_ways *w)
{
    return w->left <= 0 && (w->at_once || w->runs > 0 || w->spent <= SHARE * w->total);
}

/* Seconds that a try may lose, if it is as slow as it may be. */
static double budget_of(const tune_ways *w)
{
    const double most = HOSTILE(0.04, 1e9); /* of the time */
    return w->at_once || w->runs > 0 || w->best < 0 ? INFINITY : most * w->total - w->spent;
}

static bool may_end(const tune_ways *w) { return !w->closing && may_try(w); }

plan_request tune_search_begin(tune_ways *w)
{
    int next = TUNE_LATER;
    if (w->plain) return (plan_request){.method = "loops"};
    if (w->rests && may_try(w)) try_again(w, w->ways[w->best].least);
    if (!w->closing && (w->best < 0 || may_try(w))) next = tune_ways_next(w, budget_of(w));
    if (next == TUNE_NONE && may_end(w) && (doubt_loops(w) || doubt_first_looks(w)))
        next = tune_ways_next(w, budget_of(w));
    if (next == TUNE_NONE && may_end(w)) rest(w);
    w->trying = next >= 0;
    w->waits_for_time = next == TUNE_LATER;
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
        way->looks = LOOKS;
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
    bool compares = w->trying || w->closing;
    double loops = (compares && !way->tiles.loops && !way->again) || settled ? FEW : SHORT;
    if (!w->period || (settled && !w->provisional)) return left;
    if (settled && w->each > 0) loops = fmax(loops, PROVISIONAL / w->each);
    if (!compares && !settled) loops = fmax(loops, until_tries(w));
    if (!compares && w->waits_for_time) loops = fmax(loops, (double)w->loops / 8);
    if (!w->met && left > SHORT) loops = FIRST;
    if (compares && w->each > 0) loops = fmax(loops, WHILE / w->each);
    if (compares && w->each * loops > LONG) loops = LONG / w->each;
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
    if (!best->known || w->each <= 0 || (w->at_once && w->rests)) return;
    w->slow = w->each > SLOW * best->least ? w->slow + 1 : 0;
    w->late = w->each > LATE * best->least ? w->late + 1 : 0;
    if (w->late == LATE_RUNS) w->left = smaller(w->left, SHORTEST_PAUSE);
    if (w->each * FASTER < best->least) note_shift(w);
    best->least = fmin(best->least, w->each);
    if (w->slow < SLOW_RUNS || (w->at_once && w->turns++ >= MOST_TURNS)) return;
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

/* What a way takes is known. */
static void settle(tune_ways *w, tune_way *way, double each)
{
    way->least = way->looks ? fmin(way->least, each) : each;
    way->looks++;
    way->known = w->learned = true;
    way->again = false;
    choose(w);
}

/* Whether a run is too short to fill all caches anew. */
static bool is_short(size_t loops, double seconds)
{
    return seconds < BRIEF || (loops < SHORT && seconds < LONG);
}

/* A run of a try. */
static void count_run(tune_ways *w, const tune_way *best, size_t loops, double seconds)
{
    bool is_brief = seconds < BRIEF, more = is_short(loops, seconds);
    bool hopeless = best && !is_brief && w->each > HOPELESS * best->least;
    w->runs++;
    bool same = !is_brief && w->last == w->way; /* the caches hold what this way has left there */
    if (more && w->runs == 1 && !hopeless && !same) return;
    if (w->runs <= 2 || w->each < w->tried) w->tried = w->each;
    if (more && w->runs < SHORT_RUNS && !hopeless) return;
    w->runs = 0;
    w->judged = w->way;
    w->closing = best && best != running(w) && w->tried > best->least;
    if (!w->closing) settle(w, running(w), w->tried);
}

/* The fastest way has run once more after a try that has not won. */
static void close_try(tune_ways *w, size_t loops, double seconds)
{
    tune_way *way = &w->ways[w->judged];
    if (is_short(loops, seconds) && ++w->runs == 1) return;
    const tune_way *best = &w->ways[w->best];
    double slower = fmax(w->each / best->least, 1);
    w->closing = false;
    w->runs = 0;
    w->spent -= fmin(w->lost, w->usual * (slower - 1)); /* that much the machine has taken */
    bool wins = w->tried < w->each;
    if ((slower > NOISY || wins) && way->voids++ < MOST_VOID) return;
    settle(w, way, wins ? fmin(w->tried, NARROWLY * best->least) : w->tried);
}

/* What a try takes beyond the fastest way. More than that takes itself is hardly the try's own. */
static void count_loss(tune_ways *w, const tune_way *best, size_t loops, double seconds)
{
    double usual = (double)loops * best->least;
    double lost = fmin(fmax(0, seconds - usual), usual);
    w->lost = w->runs ? w->lost + lost : lost;
    w->usual = w->runs ? w->usual + usual : usual;
    w->spent += lost;
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
    if (w->trying && best) count_loss(w, best, loops, seconds);
    if (met && w->trying) count_run(w, best, loops, seconds);
    if (met && !w->trying) watch(w);
    if (met && !w->trying && w->closing) close_try(w, loops, seconds);
    w->last = w->way;
}
