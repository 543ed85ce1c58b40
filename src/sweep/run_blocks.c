/* Running a box on threads: it is cut into blocks, which threads take, their own first. */
#include "sweep/reductions.h"

#include <stdatomic.h>

bool sweep_run_block(const sweep_loop *l, const grid_box *box, sweep_share *share)
{
    if (l->column_count) return sweep_run_columns(l, box, share);
    if (l->reduction_count) return sweep_run_reducing(l, box, share);
    share->arguments.flags = share->flags;
    return sweep_run_part(l, box, share);
}

int64_t sweep_next_part(sweep_loop *l)
{
    return atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
}

/* Takes blocks until there are none, first from its own share, then from those of others. */
static void work(void *data, int me)
{
    sweep_loop *l = data;
    sweep_share *share = sweep_share_of(l, me, &l->core, l->flags);
    sweep_thread *threads = l->workers->threads;
    for (int i = 0; i < l->thread_count; i++) {
        sweep_thread *of = &threads[(me + i) % l->thread_count];
        int64_t next;
        while ((next = atomic_fetch_add_explicit(&of->next, 1, memory_order_relaxed)) < of->end) {
            if (atomic_load_explicit(&l->failed, memory_order_relaxed)) return;
            grid_box block = sweep_block_box(&l->blocks, next);
            if (l->fills_blocks) sweep_fill_block(l, &block);
            if (!sweep_run_block(l, &block, share)) atomic_store(&l->failed, true);
        }
    }
}

static void share_blocks(sweep_loop *l)
{
    int64_t total = l->blocks.total, count = l->thread_count;
    for (int t = 0; t < count; t++) {
        sweep_thread *thread = &l->workers->threads[t];
        atomic_init(&thread->next, total / count * t + smaller(t, total % count));
        thread->end = total / count * (t + 1) + smaller(t + 1, total % count);
    }
}

/* Boxes of one size are cut alike. Sums along columns have one block a thread: planes are read part
 * by part, and long parts are faster. */
void sweep_cut(sweep_loop *l, const grid_box *box)
{
    bool single = l->few || l->column_count > 0;
    bool alike =
        l->blocks.total && l->blocks_threads == l->thread_count && l->blocks.single == single;
    for (int d = 0; d < 3; d++)
        alike = alike && box->hi[d] - box->lo[d] == l->blocks.box.hi[d] - l->blocks.box.lo[d];
    if (alike)
        sweep_blocks_move(&l->blocks, box);
    else
        l->blocks = sweep_blocks_make(box, &l->reuse, l->thread_count, single,
                                      l->uncut | (l->columns ? 1 << l->loop->kernel->ordered : 0));
    l->blocks_threads = l->thread_count;
}

bool sweep_run_blocks(sweep_loop *l, const grid_box *box)
{
    int threads = l->thread_count;
    sweep_cut(l, box);
    l->fills_blocks = l->unfilled && !l->levels && sweep_fills_by_block(l);
    if (l->unfilled && !l->levels && !l->fills_blocks) sweep_fill(l);
    l->thread_count = (int)smaller(threads, l->blocks.total);
    share_blocks(l);
    sweep_workers_run(l->workers, l->thread_count, work, l);
    l->thread_count = threads;
    return !atomic_load(&l->failed);
}
