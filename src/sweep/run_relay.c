/* A relay: loops that run one after another on the same threads, which meet once for each loop
 * instead of twice. They enter together, and each goes on to the next loop when all blocks of the
 * one before have been run, whoever ran them. A thread that sleeps, or has no core just now, holds
 * nobody up: the others take its blocks, of each loop.
 *
 * Only loops that are small are worth that: those which have one block for each thread, and whose
 * time nobody asks for. All others run by themselves, in their turn. */
#include "sweep/loop.h"

#include <stdatomic.h>

typedef struct progress {
    _Alignas(128) _Atomic int64_t done; /* blocks of a loop that have been run */
} progress;

typedef struct relay {
    sweep_loop *loops[SWEEP_RELAY];
    int count, threads;
    progress run[SWEEP_RELAY];
    _Atomic bool failed; /* memory was out */
} relay;

/* ---- on threads ------------------------------------------------------------------------------ */

/* The first of the blocks that are a thread's own; those of the next one follow. */
static int64_t first_of(const relay *r, const sweep_loop *l, int thread)
{
    return l->blocks.total * thread / r->threads;
}

/* Runs blocks that are a thread's own until there are none; returns how many. */
static int64_t run_blocks_of(relay *r, int i, int thread, sweep_share *share)
{
    const sweep_loop *l = r->loops[i];
    _Atomic int64_t *next = &l->workers->threads[thread].relayed[i];
    const int64_t end = first_of(r, l, thread + 1);
    int64_t ran = 0, block;
    while (atomic_load_explicit(next, memory_order_relaxed) < end && /* mostly, others just look */
           (block = atomic_fetch_add_explicit(next, 1, memory_order_relaxed)) < end) {
        grid_box box = sweep_block_box(&l->blocks, block);
        if (l->fills_blocks) sweep_fill_block(l, &box);
        if (!sweep_run_block(l, &box, share)) atomic_store(&r->failed, true);
        ran++;
    }
    return ran;
}

static void work(void *data, int me)
{
    relay *r = data;
    for (int i = 0; i < r->count; i++) {
        const sweep_loop *l = r->loops[i];
        sweep_share *share = sweep_share_of(l, me, &l->core, l->flags);
        int64_t ran = 0;
        for (int t = 0; t < r->threads; t++)
            ran += run_blocks_of(r, i, (me + t) % r->threads, share);
        if (ran) atomic_fetch_add_explicit(&r->run[i].done, ran, memory_order_acq_rel);
        if (i + 1 < r->count) sweep_await(&r->run[i].done, l->blocks.total, &r->failed);
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
    if (l->timed || l->timed_size || !l->few || l->levels || l->thread_count < 2) return false;
    sweep_cut(l, &l->box);
    l->fills_blocks = l->unfilled && !l->mark && sweep_fills_by_block(l);
    return l->fills_blocks == l->unfilled;
}

/* Runs the loops that are part of it so far. */
static bool run(relay *r)
{
    if (!r->count) return true;
    sweep_workers *workers = r->loops[0]->workers;
    for (int i = 0; i < r->count; i++) {
        atomic_init(&r->run[i].done, 0);
        for (int t = 0; t < r->threads; t++)
            atomic_init(&workers->threads[t].relayed[i], first_of(r, r->loops[i], t));
    }
    atomic_init(&r->failed, false);
    sweep_workers_run(workers, r->threads, work, r);
    r->count = r->threads = 0;
    return !atomic_load(&r->failed);
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
            r.threads = (int)larger(r.threads, l->thread_count);
            r.loops[r.count++] = l;
            continue;
        }
        done = run(&r);
        if (l->timed || l->timed_size) start = l->start = clock_seconds(); /* not before */
        done = done && sweep_run_end(l, grid_box_points(box), start);
    }
    return run(&r) && done;
}
