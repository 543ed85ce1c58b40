/* How many threads a box is worth. It costs time until another thread begins, and until all have
 * ended. That is measured on the team itself; and the first runs, on one thread, tell what boxes of
 * a size take. One more thread is taken as long as it saves more than it costs: n threads take
 * time / n, so the next one saves time / (n (n + 1)). The runs that follow must show that they are
 * faster; otherwise, one thread goes on. A machine that is busy now may be idle later: all of this
 * is measured again and again, ever more seldom.
 *
 * All loops on boxes of a size run on equally many threads, for they work on the same fields: if
 * some ran on one thread and some on several, values would move from cache to cache. Runs are timed
 * in blocks, of which the fastest counts: before it, values have come into the right caches. For
 * the same reason such a box is cut into one block for each thread, which begins with its own; so
 * are larger ones of which threads find a good part in their own caches.
 *
 * Large boxes run on all threads from the beginning, unless meeting is known to be slow, because
 * threads have no cores of their own. */
#include "machine/machine.h"
#include "sweep/loop.h"

#include <math.h>
#include <stdlib.h>

/* Points. Where invariants are checked threads share small boxes, too, for tests have few others.
 */
#ifdef KATA_DEBUG
enum { LARGE_BOX = HOSTILE(4096, 4) };
#else
enum { LARGE_BOX = HOSTILE(65536, 4) };
#endif
enum {
    HUGE_BOX = 16 * LARGE_BOX,         /* is worth all threads, however slowly they meet */
    SMALL_WORK = HOSTILE(16 << 10, 8), /* is worth one; bytes of fields, or nodes computed */
    FILL_WORK = HOSTILE(1 << 20, 32),  /* of a box around which threads fill values together */
    BLOCK = HOSTILE(16, 2),            /* runs */
    BLOCKS = 3,                        /* of each way */
    SIZES = 24                         /* from 2 to the power of this on boxes are large */
};

static const double slow = 20e-6;        /* seconds of a meeting that even large boxes avoid */
static const double team_seconds = 1e-4; /* to make a team */

/* Seconds between decisions: the first time, and the most, each time twice as many. Where threads
 * were expected to be faster but were not, something held them up, and may soon be over, such as
 * threads of another runtime that spin for a while. */
typedef struct pauses {
    double first, most;
} pauses;
static const pauses after_success = {HOSTILE(20e-3, 0), 1};
static const pauses after_no_hope = {HOSTILE(20e-3, 0), 100e-3};
static const pauses after_failure = {HOSTILE(2e-3, 0), 50e-3};

/* Boxes of a size, and what is known of them. All zero at first. */
struct sweep_size {
    int chosen;  /* threads; 0: not known yet, one */
    int trying;  /* the same, of runs that are timed */
    int blocks;  /* that have been timed */
    int runs;    /* of the present one */
    double work; /* and seconds, of these */
    double seconds, meetings;
    double least, alone; /* seconds of a unit of work in the fastest block, and on one thread */
    int64_t left;        /* runs until the next timing */
    double pause;        /* seconds, of the last pause */
    const pauses *after; /* what that came after */
};

/* Seconds that each thread adds to a box. */
static double measure_meeting(sweep_workers *w)
{
    if (!w->team) w->team = sweep_team_new(w->count);
    return w->team ? sweep_team_meeting(w->team, w->count) / (w->count - 1) : INFINITY;
}

/* Whether a team is there, or would have earned its making. */
static bool has_team(sweep_workers *w, double saved)
{
    w->wished += saved;
    return w->team || w->wished > team_seconds;
}

/* The threads for boxes that take one thread so many seconds each. */
static int worthwhile(sweep_workers *w, double seconds)
{
    int threads = 1;
    if (!has_team(w, seconds / 2 * BLOCK * BLOCKS)) return 1;
    double seconds_to_meet = measure_meeting(w);
    w->meeting = w->meeting > 0 ? fmin(seconds_to_meet, 2 * w->meeting) : seconds_to_meet;
    while (threads < w->count && seconds / (threads * (threads + 1)) > w->meeting) threads++;
    return threads;
}

/* The size of a box; NULL: memory is out. Most sizes that programs use are powers of two, a little
 * more or less. So sizes part in the middle between these. */
static struct sweep_size *size_of(sweep_workers *w, int64_t points)
{
    int i = 0;
    if (!w->sizes) w->sizes = calloc(SIZES, sizeof *w->sizes);
    while (i < SIZES - 1 && (INT64_C(3) << i) < 2 * points) i++;
    return w->sizes ? &w->sizes[i] : NULL;
}

/* The threads that are known without timing a run; 0: they are not. */
static int known_threads(const sweep_loop *l, int64_t points)
{
    const sweep_workers *w = l->workers;
    if (l->alone || w->count == 1 || points * l->work < SMALL_WORK) return 1;
    return points >= HUGE_BOX || (points >= LARGE_BOX && w->meeting < slow) ? w->count : 0;
}

static int64_t levels_of(const sweep_loop *l)
{
    return l->levels && !l->pipelined ? sweep_level_count(l, &l->box) : 1;
}

/* Whether threads find much of a box in their own caches, each where it was the last time. */
static bool stays_near(const sweep_loop *l, int64_t points)
{
    const int64_t most = HOSTILE(4 * machine_second_cache(), 1024);
    return points * l->work <= l->thread_count * most;
}

double sweep_threads_begin(sweep_loop *l, int64_t points)
{
    int64_t together = points / levels_of(l);
    int threads = known_threads(l, together);
    struct sweep_size *size = threads ? NULL : size_of(l->workers, together);
    bool timed = size && size->left-- <= 0;
    if (size) threads = (int)larger(timed ? size->trying : size->chosen, 1);
    l->thread_count = (int)larger(threads, 1);
    l->few = (size || stays_near(l, together)) && !l->workers->crowded;
    l->fill_threads = together * l->work < FILL_WORK ? 1 : l->thread_count;
    l->timed_size = timed ? size : NULL;
    return timed ? clock_seconds() : 0;
}

/* Does not time the next runs for a while. `each`: seconds of a run. */
static void rest(struct sweep_size *s, const pauses *after, double each)
{
    s->pause = s->after == after ? fmin(2 * s->pause, after->most) : after->first;
    s->after = after;
    s->left = each > 0 ? (int64_t)(s->pause / each) : 0;
    s->trying = 1;
}

/* After blocks of runs of a loop. `box`: seconds of a box, `run`: of a run, on all its levels. */
static void decide(struct sweep_size *s, sweep_workers *w, double box, double run)
{
    bool tried = s->trying > 1;
    if (!tried) {
        s->alone = s->least;
        s->trying = worthwhile(w, box);
        if (s->trying > 1) return; /* which are timed next */
    }
    s->chosen = tried && s->least < s->alone ? s->trying : 1;
    rest(s, s->chosen > 1 ? &after_success : tried ? &after_failure : &after_no_hope, run);
}

static void end_block(struct sweep_size *s, sweep_workers *w)
{
    double least = s->seconds / s->work, box = s->work / s->meetings, run = s->work / BLOCK;
    if (!s->blocks++ || least < s->least) s->least = least;
    s->runs = 0;
    s->seconds = s->work = s->meetings = 0;
    if (s->blocks < BLOCKS) return;
    s->blocks = 0;
    decide(s, w, s->least * box, s->least * run);
}

void sweep_threads_end(sweep_loop *l, int64_t points, double start)
{
    struct sweep_size *s = l->timed_size;
    if (!s) return;
    s->seconds += clock_seconds() - start;
    s->work += (double)(points * l->work);
    s->meetings += (double)levels_of(l);
    if (++s->runs == BLOCK) end_block(s, l->workers);
}
