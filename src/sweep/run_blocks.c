/* Running a prepared loop: points whose reads stay inside the grid in place, the others on copies
 * of what they read (sweep_edge.c). Threads take blocks, their own first. Functions reduce bricks
 * to partials. Where a brick has points in place and others on copies, they reduce into lanes in
 * room that a thread keeps, from which partials are made. */
#include "sweep/loop.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 64,
    CHUNK_ROWS = HOSTILE(64, 3),     /* of which the lanes of a reduction are kept at a time */
    MANY_PARTIALS = HOSTILE(2048, 2) /* from here on threads are worth waking */
};

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Runs a box on the thread's views. All boxes run, also when a point has failed: another may hold
 * one that comes before it. */
static bool run_box(const sweep_loop *l, const grid_box *box, sweep_thread *thread)
{
    abi_box points;
    memcpy(points.lo, box->lo, sizeof points.lo);
    memcpy(points.hi, box->hi, sizeof points.hi);
    thread->failure.found = 0;
    l->run(&points, &thread->arguments);
    return !thread->failure.found || sweep_fault_note(l, thread);
}

/* Runs a piece on copies of what it reads outside. */
static bool run_edge(const sweep_loop *l, const grid_box *piece, sweep_thread *thread)
{
    if (!sweep_edge_gather(l->edges, l->edge_count, piece, thread, thread->views)) return false;
    if (!run_box(l, piece, thread)) return false;
    sweep_edge_scatter(l->edges, l->edge_count, piece, thread->views);
    for (int e = 0; e < l->edge_count; e++)
        thread->views[l->edges[e].view] = l->views[l->edges[e].view];
    return true;
}

/* Runs a box, its edges on copies, from low x to high: reductions take points in this order.
 * thread->views are those of the loop before and after. */
static bool run_part(const sweep_loop *l, const grid_box *box, sweep_thread *thread)
{
    grid_box inner = grid_box_intersect(box, &l->interior), pieces[6];
    bool some = !grid_box_is_empty(&inner);
    int count = grid_box_subtract(box, &l->interior, pieces);
    for (int i = 0; i < count; i++)
        if (some && pieces[i].hi[0] <= inner.lo[0] && !run_edge(l, &pieces[i], thread))
            return false;
    if (some && !run_box(l, &inner, thread)) return false;
    for (int i = 0; i < count; i++)
        if (!(some && pieces[i].hi[0] <= inner.lo[0]) && !run_edge(l, &pieces[i], thread))
            return false;
    return true;
}

/* Room for so many elements of 8 bytes. */
static bool reserve_reduced(sweep_thread *thread, int64_t elements)
{
    size_t needed = (size_t)elements * sizeof(ir_value);
    needed = (needed + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    if (needed > thread->reduced_size || HOSTILE(false, needed > 0)) {
        free(thread->reduced);
        thread->reduced_size = 0;
        thread->reduced = aligned_alloc(LINE_BYTES, needed);
        if (!thread->reduced) return false;
        thread->reduced_size = needed;
        if (HOSTILE(false, true)) memset(thread->reduced, HOSTILE_JUNK, needed);
    }
    return true;
}

static int64_t bricks_in(const grid_box *box)
{
    return sweep_brick(box->hi[0] - 1) - sweep_brick(box->lo[0]) + 1;
}

/* Points the views of reductions to lanes for the bricks of a box's rows, neutral at first. */
static bool prepare_lanes(const sweep_loop *l, const grid_box *box, sweep_thread *thread)
{
    int64_t ny = box->hi[1] - box->lo[1], pitch = bricks_in(box) * SWEEP_LANES;
    int64_t count = pitch * ny * (box->hi[2] - box->lo[2]);
    if (!reserve_reduced(thread, count * l->reduction_count)) return false;
    for (int r = 0; r < l->reduction_count; r++) {
        const sweep_reduction *red = &l->reductions[r];
        const ir_param *param = &l->loop->kernel->params[red->param];
        int64_t before =
            sweep_brick(box->lo[0]) * SWEEP_LANES + box->lo[1] * pitch + box->lo[2] * pitch * ny;
        ir_value *start = (ir_value *)thread->reduced + r * count;
        uintptr_t origin = (uintptr_t)start - (uintptr_t)(before * ir_types[param->type].bytes);
        thread->views[red->view] = (abi_view){(void *)origin, pitch, pitch * ny, 1};
        sweep_reduce_start(param, start, count);
    }
    return true;
}

/* Points them to room for the contribution of each point. */
static bool prepare_contributions(const sweep_loop *l, const grid_box *box, sweep_thread *thread)
{
    int64_t nx = box->hi[0] - box->lo[0], ny = box->hi[1] - box->lo[1];
    int64_t points = grid_box_points(box);
    if (!reserve_reduced(thread, points * l->reduction_count)) return false;
    for (int r = 0; r < l->reduction_count; r++) {
        const sweep_reduction *red = &l->reductions[r];
        const ir_param *param = &l->loop->kernel->params[red->param];
        int64_t before = box->lo[0] + box->lo[1] * nx + box->lo[2] * nx * ny;
        ir_value *start = (ir_value *)thread->reduced + r * points;
        uintptr_t origin = (uintptr_t)start - (uintptr_t)(before * ir_types[param->type].bytes);
        thread->views[red->view] = (abi_view){(void *)origin, nx, nx * ny, 1};
        if (l->loop->colors > 1) sweep_reduce_start(param, start, points);
    }
    return true;
}

/* Where the partials of a row begin, in the brick that holds an x index. */
static ir_value *partials_of(const sweep_loop *l, const sweep_reduction *red, const int64_t at[3])
{
    const grid_box *all = &l->loop->box;
    int64_t bricks = l->bricks.hi[0] - l->bricks.lo[0];
    int64_t row = (at[2] - all->lo[2]) * (all->hi[1] - all->lo[1]) + at[1] - all->lo[1];
    return red->partials + row * bricks + sweep_brick(at[0]) - l->bricks.lo[0];
}

static void reduce_lanes(const sweep_loop *l, const grid_box *box, const sweep_thread *thread)
{
    int64_t bricks = bricks_in(box), at[3] = {box->lo[0], 0, 0};
    int64_t count = grid_box_points(box) / (box->hi[0] - box->lo[0]) * bricks * SWEEP_LANES;
    for (int r = 0; r < l->reduction_count; r++) {
        const sweep_reduction *red = &l->reductions[r];
        const ir_param *param = &l->loop->kernel->params[red->param];
        const char *lanes = (const char *)((ir_value *)thread->reduced + r * count);
        for (at[2] = box->lo[2]; at[2] < box->hi[2]; at[2]++)
            for (at[1] = box->lo[1]; at[1] < box->hi[1]; at[1]++) {
                sweep_reduce_lanes(param, lanes, bricks, partials_of(l, red, at));
                lanes += bricks * SWEEP_LANES * ir_types[param->type].bytes;
            }
    }
}

static void reduce_contributions(const sweep_loop *l, const grid_box *box,
                                 const sweep_thread *thread)
{
    int64_t nx = box->hi[0] - box->lo[0], points = grid_box_points(box), at[3] = {box->lo[0], 0, 0};
    for (int r = 0; r < l->reduction_count; r++) {
        const sweep_reduction *red = &l->reductions[r];
        const ir_param *param = &l->loop->kernel->params[red->param];
        const char *x = (const char *)((ir_value *)thread->reduced + r * points);
        for (at[2] = box->lo[2]; at[2] < box->hi[2]; at[2]++)
            for (at[1] = box->lo[1]; at[1] < box->hi[1]; at[1]++) {
                sweep_reduce_row(param, x, box->lo[0], box->hi[0], partials_of(l, red, at));
                x += nx * ir_types[param->type].bytes;
            }
    }
}

bool sweep_keep_contributions(sweep_loop *l)
{
    if (!prepare_contributions(l, &l->loop->box, &l->threads[0])) return false;
    for (int t = 1; t < l->thread_count; t++)
        for (int r = 0; r < l->reduction_count; r++) {
            int view = l->reductions[r].view;
            l->threads[t].views[view] = l->threads[0].views[view];
        }
    return l->kept = true;
}

void sweep_reduce_kept(const sweep_loop *l)
{
    reduce_contributions(l, &l->loop->box, &l->threads[0]);
}

/* Whether each brick of a block is computed by one call. */
static bool has_whole_bricks(const sweep_loop *l, const grid_box *block)
{
    grid_box inner = grid_box_intersect(block, &l->interior);
    return grid_box_is_empty(&inner) ||
           (inner.lo[0] == block->lo[0] && inner.hi[0] == block->hi[0]);
}

/* Points the views of reductions to the partials. */
static void prepare_partials(const sweep_loop *l, sweep_thread *thread)
{
    const grid_box *all = &l->loop->box;
    int64_t y = l->bricks.hi[0] - l->bricks.lo[0], z = y * (all->hi[1] - all->lo[1]);
    int64_t before = l->bricks.lo[0] + all->lo[1] * y + all->lo[2] * z;
    for (int r = 0; r < l->reduction_count; r++) {
        const sweep_reduction *red = &l->reductions[r];
        int64_t size = ir_types[l->loop->kernel->params[red->param].type].bytes;
        int64_t each = (int64_t)sizeof(ir_value) / size;
        uintptr_t origin = (uintptr_t)red->partials - (uintptr_t)before * sizeof(ir_value);
        thread->views[red->view] = (abi_view){(void *)origin, y * each, z * each, 1};
    }
}

/* A block of a loop with reductions, some rows at a time so that lanes stay in cache, but whole
 * columns where levels run in order. */
static bool run_chunks(const sweep_loop *l, const grid_box *block, sweep_thread *thread)
{
    int ordered = l->columns ? l->loop->kernel->ordered : 0;
    int64_t planes = ordered == 2 ? block->hi[2] - block->lo[2] : 1;
    int64_t rows = CHUNK_ROWS / l->reduction_count / bricks_in(block) / planes;
    if (rows < 1) rows = 1;
    if (ordered == 1) rows = block->hi[1] - block->lo[1];
    grid_box chunk = *block;
    for (chunk.lo[2] = block->lo[2]; chunk.lo[2] < block->hi[2]; chunk.lo[2] += planes) {
        chunk.hi[2] = chunk.lo[2] + planes;
        for (chunk.lo[1] = block->lo[1]; chunk.lo[1] < block->hi[1]; chunk.lo[1] += rows) {
            chunk.hi[1] = chunk.lo[1] + rows < block->hi[1] ? chunk.lo[1] + rows : block->hi[1];
            if (!prepare_lanes(l, &chunk, thread) || !run_part(l, &chunk, thread)) return false;
            reduce_lanes(l, &chunk, thread);
        }
    }
    return true;
}

static bool run_reducing(const sweep_loop *l, const grid_box *block, sweep_thread *thread)
{
    thread->arguments.flags = l->arguments.flags;
    if (!has_whole_bricks(l, block)) return run_chunks(l, block, thread);
    thread->arguments.flags |= ABI_WHOLE_BRICKS;
    prepare_partials(l, thread);
    return run_part(l, block, thread);
}

static bool run_block(const sweep_loop *l, const grid_box *block, sweep_thread *thread)
{
    if (l->reduction_count && !l->kept) return run_reducing(l, block, thread);
    thread->arguments.flags = l->arguments.flags;
    return run_part(l, block, thread);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Takes blocks until there are none, first from its own share, then from those of others. */
static void work(void *data, int me)
{
    sweep_loop *l = data;
    sweep_thread *thread = &l->threads[me];
    for (int i = 0; i < l->thread_count; i++) {
        sweep_thread *share = &l->threads[(me + i) % l->thread_count];
        int64_t next;
        while ((next = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed)) <
               share->end) {
            if (atomic_load_explicit(&l->failed, memory_order_relaxed)) return;
            grid_box block = sweep_block_box(&l->blocks, next);
            if (!run_block(l, &block, thread)) atomic_store(&l->failed, true);
        }
    }
}

static void share_blocks(sweep_loop *l)
{
    int64_t total = l->blocks.total, count = l->thread_count;
    for (int t = 0; t < l->thread_count; t++) {
        atomic_init(&l->threads[t].next,
                    total / count * t + (t < total % count ? t : total % count));
        int64_t more = t + 1;
        l->threads[t].end = total / count * more + (more < total % count ? more : total % count);
    }
}

void sweep_loop_run_all(sweep_loop *l, sweep_workers *workers, sweep_work *run)
{
    if (l->thread_count > 1 && !workers->team) workers->team = sweep_team_new(workers->count);
    if (l->thread_count > 1 && workers->team)
        sweep_team_run(workers->team, l->thread_count, run, l);
    else
        run(l, 0);
}

/* Takes planes of partials until there are none. */
static void reduce_planes(void *data, int me)
{
    sweep_loop *l = data;
    (void)me;
    int64_t planes = l->bricks.hi[2] - l->bricks.lo[2], z;
    int64_t each = grid_box_points(&l->bricks) / planes;
    while ((z = atomic_fetch_add_explicit(&l->planes_reduced, 1, memory_order_relaxed)) < planes)
        for (int r = 0; r < l->reduction_count; r++) {
            const sweep_reduction *red = &l->reductions[r];
            sweep_reduce_plane(&l->loop->kernel->params[red->param], &l->bricks,
                               red->partials + z * each);
        }
}

/* Of many partials in several planes one per plane is left: threads do that together. */
static void reduce_many(sweep_loop *l, sweep_workers *workers)
{
    int64_t planes = l->bricks.hi[2] - l->bricks.lo[2], count = grid_box_points(&l->bricks);
    if (planes == 1 || count * l->reduction_count < MANY_PARTIALS) return;
    sweep_loop_run_all(l, workers, reduce_planes);
    for (int r = 0; r < l->reduction_count; r++)
        for (int64_t z = 0; z < planes; z++)
            l->reductions[r].partials[z] = l->reductions[r].partials[z * (count / planes)];
    for (int d = 0; d < 2; d++) {
        l->bricks.lo[d] = 0;
        l->bricks.hi[d] = 1;
    }
}

bool sweep_loop_run_blocks(sweep_loop *l, sweep_workers *workers)
{
    share_blocks(l);
    sweep_loop_run_all(l, workers, work);
    if (atomic_load(&l->failed)) return false;
    bool all = !l->loop->kernel->direction || l->columns;
    if (all && l->reduction_count > 0 && !l->kept) reduce_many(l, workers);
    return true;
}
