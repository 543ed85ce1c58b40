/* Running a block of a loop with reductions.
 *
 * Functions reduce bricks to partials where all points of a brick are computed by one call. Where a
 * brick has points in place and others on copies, they reduce into lanes in the thread's memory,
 * from which partials are made. Where boxes cut bricks, or points run twice, or levels along x run
 * in order, the contribution of each point is collected until the loop has ended: calls run so few
 * points of a row that each has a lane of its own. */
#include "sweep/loop.h"

enum { CHUNK_ROWS = HOSTILE(64, 3) /* whose lanes stay in the cache */ };

static const ir_param *param_of(const sweep_loop *l, const sweep_reduction *red)
{
    return &l->loop->kernel->params[red->param];
}

static int64_t bytes_of(const ir_param *param) { return ir_types[param->type].bytes; }

static bool reserve(const sweep_loop *l, sweep_share *share, int64_t elements)
{
    size_t needed = (size_t)(elements * l->reduction_count) * sizeof(ir_value);
    return sweep_grow(&share->thread->reduced, &share->thread->reduced_size, needed);
}

/* ---- lanes, and contributions ---------------------------------------------------------------- */

/* Elements in the thread's memory, in rows for the y and z of a box. */
typedef struct room {
    int64_t row, plane, all; /* elements of a row, a plane, and all */
} room;

static room room_for(const grid_box *box, int64_t row)
{
    int64_t plane = row * (box->hi[1] - box->lo[1]);
    return (room){row, plane, plane * (box->hi[2] - box->lo[2])};
}

/* Points the view of a reduction to its part of the memory, in which element `first` of the row at
 * the low corner of the box is the first; returns that. */
static char *point_view(const sweep_loop *l, const grid_box *box, const room *r, int reduction,
                        int64_t first, sweep_share *share)
{
    const sweep_reduction *red = &l->reductions[reduction];
    int64_t before = first + box->lo[1] * r->row + box->lo[2] * r->plane;
    ir_value *start = (ir_value *)share->thread->reduced + reduction * r->all;
    uintptr_t origin = (uintptr_t)start - (uintptr_t)(before * bytes_of(param_of(l, red)));
    share->views[red->view] = (abi_view){(void *)origin, r->row, r->plane, 1};
    return (char *)start;
}

static int64_t bricks_in(const grid_box *box)
{
    return sweep_brick(box->hi[0] - 1) - sweep_brick(box->lo[0]) + 1;
}

/* Lanes for the bricks of a box's rows, neutral at first. */
static bool prepare_lanes(const sweep_loop *l, const grid_box *box, sweep_share *share)
{
    room r = room_for(box, bricks_in(box) * ABI_LANES);
    if (!reserve(l, share, r.all)) return false;
    for (int i = 0; i < l->reduction_count; i++) {
        char *start = point_view(l, box, &r, i, sweep_brick(box->lo[0]) * ABI_LANES, share);
        sweep_reduce_start(param_of(l, &l->reductions[i]), start, r.all);
    }
    return true;
}

/* Room for the contribution of each point, neutral at first. */
static bool prepare_contributions(const sweep_loop *l, const grid_box *box, sweep_share *share)
{
    room r = room_for(box, box->hi[0] - box->lo[0]);
    if (!reserve(l, share, r.all)) return false;
    for (int i = 0; i < l->reduction_count; i++) {
        char *start = point_view(l, box, &r, i, box->lo[0], share);
        sweep_reduce_start(param_of(l, &l->reductions[i]), start, r.all);
    }
    return true;
}

/* Where the partials of a row begin, in the brick that holds an x index. */
static ir_value *partials_of(const sweep_loop *l, const sweep_reduction *red, const int64_t at[3])
{
    const grid_box *all = &l->bricks;
    int64_t row = (at[2] - all->lo[2]) * (all->hi[1] - all->lo[1]) + at[1] - all->lo[1];
    return red->partials + row * (all->hi[0] - all->lo[0]) + sweep_brick(at[0]) - all->lo[0];
}

static void reduce_lanes(const sweep_loop *l, const grid_box *box, const sweep_share *share)
{
    int64_t bricks = bricks_in(box), at[3] = {box->lo[0], 0, 0};
    room r = room_for(box, bricks * ABI_LANES);
    for (int i = 0; i < l->reduction_count; i++) {
        const sweep_reduction *red = &l->reductions[i];
        const char *lanes = (const char *)((ir_value *)share->thread->reduced + i * r.all);
        for (at[2] = box->lo[2]; at[2] < box->hi[2]; at[2]++)
            for (at[1] = box->lo[1]; at[1] < box->hi[1]; at[1]++) {
                sweep_reduce_lanes(param_of(l, red), lanes, bricks, partials_of(l, red, at));
                lanes += r.row * bytes_of(param_of(l, red));
            }
    }
}

/* Collects the contributions of the points of a box that count. */
static void collect(const sweep_loop *l, const grid_box *box, const sweep_share *share)
{
    const grid_box *all = &l->like.box;
    grid_box own = grid_box_intersect(box, &share->core);
    int64_t nx = all->hi[0] - all->lo[0], ny = all->hi[1] - all->lo[1], first = own.lo[0];
    for (int i = 0; i < l->reduction_count; i++) {
        const sweep_reduction *red = &l->reductions[i];
        int64_t bytes = bytes_of(param_of(l, red));
        const abi_view *view = &share->views[red->view];
        int64_t from =
            l->along_x ? first : sweep_brick(first) * ABI_LANES + (first & (ABI_LANES - 1));
        for (int64_t z = own.lo[2]; z < own.hi[2]; z++)
            for (int64_t y = own.lo[1]; y < own.hi[1] && first < own.hi[0]; y++) {
                int64_t to = ((z - all->lo[2]) * ny + y - all->lo[1]) * nx + first - all->lo[0];
                uintptr_t source = (uintptr_t)view->origin +
                                   (uintptr_t)((from + y * view->y + z * view->z) * bytes);
                memcpy(red->contributions + to * bytes, (const void *)source,
                       (size_t)((own.hi[0] - first) * bytes));
            }
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Whether each brick of a block is computed by one call. */
static bool has_whole_bricks(const sweep_loop *l, const grid_box *block)
{
    grid_box inner = grid_box_intersect(block, &l->interior), pieces[6];
    int count = l->far ? grid_box_subtract(block, &l->interior, pieces) : 0;
    bool whole =
        grid_box_is_empty(&inner) || (inner.lo[0] == block->lo[0] && inner.hi[0] == block->hi[0]);
    for (int i = 0; i < count && whole; i++)
        whole = !sweep_edge_is_far(l->edges, l->edge_count, &pieces[i]);
    return whole;
}

/* Points the views of reductions to the partials. */
static void prepare_partials(const sweep_loop *l, sweep_share *share)
{
    const grid_box *all = &l->bricks;
    int64_t y = all->hi[0] - all->lo[0], z = y * (all->hi[1] - all->lo[1]);
    int64_t before = all->lo[0] + all->lo[1] * y + all->lo[2] * z;
    for (int r = 0; r < l->reduction_count; r++) {
        const sweep_reduction *red = &l->reductions[r];
        int64_t each = (int64_t)sizeof(ir_value) / bytes_of(param_of(l, red));
        uintptr_t origin = (uintptr_t)red->partials - (uintptr_t)before * sizeof(ir_value);
        share->views[red->view] = (abi_view){(void *)origin, y * each, z * each, 1};
    }
}

static bool run_chunk(const sweep_loop *l, const grid_box *chunk, sweep_share *share)
{
    if (!prepare_lanes(l, chunk, share) || !sweep_run_part(l, chunk, share)) return false;
    if (l->collects)
        collect(l, chunk, share);
    else
        reduce_lanes(l, chunk, share);
    return true;
}

/* Some rows at a time so that lanes stay in cache, but whole columns where levels run in order. */
static bool run_chunks(const sweep_loop *l, const grid_box *block, sweep_share *share)
{
    int ordered = l->columns ? l->loop->kernel->ordered : 0;
    int64_t planes = ordered == 2 ? block->hi[2] - block->lo[2] : 1;
    int64_t rows = larger(CHUNK_ROWS / l->reduction_count / bricks_in(block) / planes, 1);
    if (ordered == 1) rows = block->hi[1] - block->lo[1];
    grid_box chunk = *block;
    for (chunk.lo[2] = block->lo[2]; chunk.lo[2] < block->hi[2]; chunk.lo[2] += planes) {
        chunk.hi[2] = chunk.lo[2] + planes;
        for (chunk.lo[1] = block->lo[1]; chunk.lo[1] < block->hi[1]; chunk.lo[1] += rows) {
            chunk.hi[1] = smaller(chunk.lo[1] + rows, block->hi[1]);
            if (!run_chunk(l, &chunk, share)) return false;
        }
    }
    return true;
}

/* A block whose contributions are collected: no more points of a row at a time than there are
 * lanes. */
static bool run_collecting(const sweep_loop *l, const grid_box *block, sweep_share *share)
{
    grid_box strip = *block;
    if (l->along_x) {
        if (!prepare_contributions(l, block, share) || !sweep_run_part(l, block, share))
            return false;
        collect(l, block, share);
        return true;
    }
    for (; strip.lo[0] < block->hi[0]; strip.lo[0] = strip.hi[0]) {
        int64_t end = floor_divide(strip.lo[0], ABI_LANES) * ABI_LANES + ABI_LANES;
        strip.hi[0] = smaller(end, block->hi[0]);
        if (!run_chunks(l, &strip, share)) return false;
    }
    return true;
}

bool sweep_run_reducing(const sweep_loop *l, const grid_box *block, sweep_share *share)
{
    share->arguments.flags = share->flags;
    if (l->collects) return run_collecting(l, block, share);
    if (!has_whole_bricks(l, block)) return run_chunks(l, block, share);
    share->arguments.flags |= ABI_WHOLE_BRICKS;
    prepare_partials(l, share);
    return sweep_run_part(l, block, share);
}
