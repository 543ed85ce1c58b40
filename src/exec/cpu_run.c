/* Running a prepared loop: points whose reads stay inside the grid in place, the others on copies
 * of what they read (cpu_edge.c). Threads take blocks, their own first. Contributions to reductions
 * go to room that a thread keeps, and from there into the partials of their rows and bricks. */
#include "exec/exec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 64,
    CHUNK_POINTS = HOSTILE(8192, 16) /* whose contributions are kept until they are reduced */
};

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Runs a box on the thread's views. All boxes run, also when a point has failed: another may hold
 * one that comes before it. */
static bool run_box(const cpu_loop *l, const grid_box *box, cpu_thread *thread)
{
    thread->failing[0] = -1;
    l->run(box->lo, box->hi, l->sizes, thread->views, l->numbers, l->how);
    return thread->failing[0] < 0 || cpu_fault_note(l, thread);
}

/* Runs a box, its edges on copies. thread->views are those of the loop before and after. */
static bool run_part(const cpu_loop *l, const grid_box *box, cpu_thread *thread)
{
    grid_box inner = grid_box_intersect(box, &l->interior), pieces[6];
    if (!grid_box_is_empty(&inner) && !run_box(l, &inner, thread)) return false;
    int count = grid_box_subtract(box, &l->interior, pieces);
    for (int i = 0; i < count; i++) {
        if (!cpu_edge_gather(l->edges, l->edge_count, &pieces[i], thread, thread->views))
            return false;
        if (!run_box(l, &pieces[i], thread)) return false;
        cpu_edge_scatter(l->edges, l->edge_count, &pieces[i], thread->views);
        for (int e = 0; e < l->edge_count; e++)
            thread->views[l->edges[e].view] = l->views[l->edges[e].view];
    }
    return true;
}

/* Points of other colours contribute nothing. */
static void set_neutral(const ir_param *param, void *contributions, int64_t count)
{
    ir_value start = ir_reduction_start(param);
    size_t size = (size_t)ir_types[param->type].bytes;
    for (int64_t i = 0; i < count; i++)
        memcpy((char *)contributions + (size_t)i * size, &start, size);
}

/* Points the views of reductions to room for the contributions of a box, all of 8 bytes a point. */
static bool prepare_contributions(const cpu_loop *l, const grid_box *box, cpu_thread *thread)
{
    int64_t nx = box->hi[0] - box->lo[0], ny = box->hi[1] - box->lo[1];
    int64_t points = grid_box_points(box);
    size_t needed = (size_t)(points * l->reduction_count) * sizeof(ir_value);
    needed = (needed + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    if (needed > thread->contributions_size || HOSTILE(false, needed > 0)) {
        free(thread->contributions);
        thread->contributions_size = 0;
        thread->contributions = aligned_alloc(LINE_BYTES, needed);
        if (!thread->contributions) return false;
        thread->contributions_size = needed;
        if (HOSTILE(false, true)) memset(thread->contributions, HOSTILE_JUNK, needed);
    }
    for (int r = 0; r < l->reduction_count; r++) {
        const cpu_reduction *red = &l->reductions[r];
        int64_t size = ir_types[l->loop->kernel->params[red->param].type].bytes;
        int64_t shift = (box->lo[0] + box->lo[1] * nx + box->lo[2] * nx * ny) * size;
        ir_value *start = (ir_value *)thread->contributions + r * points;
        thread->views[red->view] =
            (codegen_view){(void *)((uintptr_t)start - (uintptr_t)shift), nx, nx * ny, 1};
        if (l->loop->colors > 1) set_neutral(&l->loop->kernel->params[red->param], start, points);
    }
    return true;
}

static void reduce_contributions(const cpu_loop *l, const grid_box *box, const cpu_thread *thread)
{
    const grid_box *all = &l->loop->box;
    int64_t nx = box->hi[0] - box->lo[0], points = grid_box_points(box);
    int64_t bricks = l->bricks.hi[0] - l->bricks.lo[0];
    for (int r = 0; r < l->reduction_count; r++) {
        const ir_param *param = &l->loop->kernel->params[l->reductions[r].param];
        const char *x = (const char *)((ir_value *)thread->contributions + r * points);
        for (int64_t z = box->lo[2]; z < box->hi[2]; z++)
            for (int64_t y = box->lo[1]; y < box->hi[1]; y++) {
                int64_t row = (z - all->lo[2]) * (all->hi[1] - all->lo[1]) + y - all->lo[1];
                int64_t first = exec_brick(box->lo[0]) - l->bricks.lo[0];
                exec_reduce_row(param, x, box->lo[0], box->hi[0],
                                l->reductions[r].partials + row * bricks + first);
                x += nx * ir_types[param->type].bytes;
            }
    }
}

bool cpu_keep_contributions(cpu_loop *l)
{
    if (!prepare_contributions(l, &l->loop->box, &l->threads[0])) return false;
    for (int t = 1; t < l->thread_count; t++)
        for (int r = 0; r < l->reduction_count; r++) {
            int view = l->reductions[r].view;
            l->threads[t].views[view] = l->threads[0].views[view];
        }
    return l->kept = true;
}

void cpu_reduce_kept(const cpu_loop *l) { reduce_contributions(l, &l->loop->box, &l->threads[0]); }

/* A block of a loop with reductions, some rows at a time so that contributions stay in cache, but
 * whole columns where levels run in order. */
static bool run_chunks(const cpu_loop *l, const grid_box *block, cpu_thread *thread)
{
    int ordered = l->columns ? l->loop->kernel->ordered : 0;
    int64_t planes = ordered == 2 ? block->hi[2] - block->lo[2] : 1;
    int64_t rows = CHUNK_POINTS / l->reduction_count / (block->hi[0] - block->lo[0]) / planes;
    if (rows < 1) rows = 1;
    if (ordered == 1) rows = block->hi[1] - block->lo[1];
    grid_box chunk = *block;
    for (chunk.lo[2] = block->lo[2]; chunk.lo[2] < block->hi[2]; chunk.lo[2] += planes) {
        chunk.hi[2] = chunk.lo[2] + planes;
        for (chunk.lo[1] = block->lo[1]; chunk.lo[1] < block->hi[1]; chunk.lo[1] += rows) {
            chunk.hi[1] = chunk.lo[1] + rows < block->hi[1] ? chunk.lo[1] + rows : block->hi[1];
            if (!prepare_contributions(l, &chunk, thread) || !run_part(l, &chunk, thread))
                return false;
            reduce_contributions(l, &chunk, thread);
        }
    }
    return true;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Takes blocks until there are none, first from its own share, then from those of others. */
static void work(void *data, int me)
{
    cpu_loop *l = data;
    cpu_thread *thread = &l->threads[me];
    for (int i = 0; i < l->thread_count; i++) {
        cpu_thread *share = &l->threads[(me + i) % l->thread_count];
        int64_t next;
        while ((next = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed)) <
               share->end) {
            if (atomic_load_explicit(&l->failed, memory_order_relaxed)) return;
            grid_box block = cpu_block_box(&l->blocks, next);
            bool done = l->reduction_count && !l->kept ? run_chunks(l, &block, thread)
                                                       : run_part(l, &block, thread);
            if (!done) atomic_store(&l->failed, true);
        }
    }
}

static void share_blocks(cpu_loop *l)
{
    int64_t total = l->blocks.total, count = l->thread_count;
    for (int t = 0; t < l->thread_count; t++) {
        atomic_init(&l->threads[t].next,
                    total / count * t + (t < total % count ? t : total % count));
        int64_t more = t + 1;
        l->threads[t].end = total / count * more + (more < total % count ? more : total % count);
    }
}

bool cpu_loop_run_blocks(cpu_loop *l, struct exec_cpu *cpu)
{
    share_blocks(l);
    if (l->thread_count > 1 && !cpu->team) cpu->team = exec_team_new(cpu->thread_count);
    if (l->thread_count > 1 && cpu->team)
        exec_team_run(cpu->team, l->thread_count, work, l);
    else
        work(l, 0);
    return !atomic_load(&l->failed);
}
