/* A relay: loops that run one after another on the same threads, which meet once for each strand of
 * loops (strand.c) instead of twice for each loop. They enter together, and each goes on to the
 * next strand when all blocks of the one before have been run, whoever ran them. A thread that
 * sleeps, or has no core just now, holds nobody up: the others take its blocks, of each strand.
 *
 * Where a loop is run to find out how long it takes, its strand runs by itself, and is timed. Loops
 * that are timed to find out how many threads they are worth run by themselves, and so do all
 * others that cannot be part of it, in their turn. */
#include "sweep/strand.h"

#include <stdatomic.h>

typedef struct strand {
    int first, count; /* of its loops */
    bool timed;
    sweep_slices slices;
    int flags[SWEEP_RELAY];             /* of its loops */
    _Alignas(128) _Atomic int64_t done; /* blocks that have been run */
} strand;

typedef struct relay {
    sweep_loop *loops[SWEEP_RELAY];
    strand strands[SWEEP_RELAY];
    int count, strand_count, threads;
    _Atomic bool failed; /* memory was out */
} relay;

/* ---- on threads ------------------------------------------------------------------------------ */

static const sweep_blocks *blocks_of(const relay *r, const strand *s)
{
    return &r->loops[s->first]->blocks;
}

/* The first of the blocks that are a thread's own; those of the next one follow. */
static int64_t first_of(const relay *r, const strand *s, int thread)
{
    return blocks_of(r, s)->total * thread / r->threads;
}

/* Runs blocks that are a thread's own until there are none; returns how many. */
static int64_t run_blocks_of(relay *r, const strand *s, int thread, sweep_share *const *shares)
{
    sweep_loop *const *loops = r->loops + s->first;
    _Atomic int64_t *next = &loops[0]->workers->threads[thread].relayed[s - r->strands];
    const int64_t end = first_of(r, s, thread + 1);
    int64_t ran = 0, block;
    while (atomic_load_explicit(next, memory_order_relaxed) < end && /* mostly, others just look */
           (block = atomic_fetch_add_explicit(next, 1, memory_order_relaxed)) < end) {
        if (!sweep_strand_run(loops, s->count, &s->slices, block, shares))
            atomic_store(&r->failed, true);
        ran++;
    }
    return ran;
}

static void run_strand(relay *r, strand *s, int me)
{
    sweep_share *shares[SWEEP_RELAY];
    int64_t ran = 0;
    for (int i = 0; i < s->count; i++) {
        const sweep_loop *l = r->loops[s->first + i];
        shares[i] = sweep_share_of(l, me, &l->core, s->flags[i]);
    }
    for (int t = 0; t < r->threads; t++) ran += run_blocks_of(r, s, (me + t) % r->threads, shares);
    if (ran) atomic_fetch_add_explicit(&s->done, ran, memory_order_acq_rel);
}

static void work(void *data, int me)
{
    relay *r = data;
    for (int i = 0; i < r->strand_count; i++) {
        strand *s = &r->strands[i];
        run_strand(r, s, me);
        if (i + 1 < r->strand_count) sweep_await(&s->done, blocks_of(r, s)->total, &r->failed);
    }
}

/* ---- which ----------------------------------------------------------------------------------- */

bool sweep_may_relay(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    bool plain = !loop->copy && !loop->sparse && !loop->once && !loop->parted &&
                 !kernel->check_count && !grid_box_is_empty(&loop->box);
    for (int p = 0; p < kernel->param_count && plain; p++)
        plain = !ir_param_is_reduction(&kernel->params[p]);
    return plain;
}

/* Whether a loop that has begun its run is part of a relay, and not by itself. Constants around
 * fields are noted when their loop has ended: that is by itself. So are levels on which threads
 * meet. */
static bool is_part(sweep_loop *l)
{
    if (l->timed_size || l->levels || l->thread_count < 2) return false;
    sweep_cut(l, &l->box);
    l->fills_blocks = l->unfilled && !l->mark && sweep_fills_by_block(l);
    return l->fills_blocks == l->unfilled;
}

/* ---- running --------------------------------------------------------------------------------- */

static void prepare(relay *r, int i)
{
    strand *s = &r->strands[i];
    const sweep_workers *workers = r->loops[0]->workers;
    sweep_loop *const *loops = r->loops + s->first;
    s->slices = sweep_strand_slices(loops, s->count);
    for (int k = 0; k < s->count; k++) s->flags[k] = sweep_strand_flags(loops, s->count, k);
    atomic_init(&s->done, 0);
    for (int t = 0; t < r->threads; t++)
        atomic_init(&workers->threads[t].relayed[i], first_of(r, s, t));
}

/* The strand's time is that of each of its tries. None but its last loop writes past the caches, so
 * tries of that tell the others nothing, and the machine's crossover must not learn from them. */
static void end_timed(relay *r, double start)
{
    for (int i = 0; i < r->count; i++) {
        sweep_loop *l = r->loops[i];
        if (!l->timed) continue;
        l->start = start;
        if (l->timed == &l->stores && i + 1 < r->count)
            sweep_choice_end(l->timed, clock_seconds() - start);
        else
            sweep_flags_end(l);
    }
}

/* Runs the loops that are part of it so far. */
static bool run(relay *r)
{
    if (!r->count) return true;
    for (int i = 0; i < r->strand_count; i++) prepare(r, i);
    atomic_init(&r->failed, false);
    const double start = r->strands[0].timed ? clock_seconds() : 0;
    sweep_workers_run(r->loops[0]->workers, r->threads, work, r);
    if (r->strands[0].timed) end_timed(r, start);
    r->count = r->strand_count = r->threads = 0;
    return !atomic_load(&r->failed);
}

/* Begins a strand. */
static void begin_strand(relay *r, sweep_loop *l)
{
    strand *s = &r->strands[r->strand_count++];
    *s = (strand){.first = r->count, .count = 1, .timed = l->timed != NULL};
    r->loops[r->count++] = l;
    r->threads = (int)larger(r->threads, l->thread_count);
}

/* Adds a loop to the last strand, or begins another with it. A strand that is timed is the only
 * one. */
static bool add(relay *r, sweep_loop *l)
{
    strand *last = r->strand_count ? &r->strands[r->strand_count - 1] : NULL;
    if (last && (!l->timed || r->strand_count == 1) &&
        sweep_strand_take(r->loops + last->first, last->count, l)) {
        last->count++;
        last->timed = last->timed || l->timed;
        r->loops[r->count++] = l;
        return true;
    }
    if (last && (last->timed || l->timed) && !run(r)) return false;
    begin_strand(r, l);
    return true;
}

bool sweep_run_relay(sweep_loop *const *loops, int count)
{
    relay r = {.count = 0};
    bool done = true;
    for (int i = 0; i < count && done; i++) {
        sweep_loop *l = loops[i];
        const grid_box *box = &l->loop->box;
        double start = sweep_run_begin(l, box, box);
        if (is_part(l)) {
            done = add(&r, l);
            continue;
        }
        done = run(&r);
        if (l->timed || l->timed_size) start = l->start = clock_seconds(); /* not before */
        done = done && sweep_run_end(l, grid_box_points(box), start);
    }
    return run(&r) && done;
}
