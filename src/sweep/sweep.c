/* Running a prepared loop: what a box needs before it runs, how many threads it is worth, and what
 * is left to do after the last. */
#include "sweep/reductions.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    ONE_BLOCK = HOSTILE(8192, 10),   /* points that one thread need not cut into blocks */
    MANY_PARTIALS = HOSTILE(2048, 2) /* from here on threads are worth waking */
};

/* ---- before ---------------------------------------------------------------------------------- */

void sweep_begin(sweep_loop *l, const chain_loop *loop)
{
    l->loop = loop;
    sweep_bind(l);
    sweep_begin_bins(l);
    atomic_store_explicit(&l->failed, false, memory_order_relaxed);
    for (int t = 0; t < l->workers->count && loop->kernel->check_count; t++)
        l->shares[t].fault->found = false;
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static bool run_box(sweep_loop *l, int64_t points)
{
    bool blocks = l->thread_count > 1 || points >= ONE_BLOCK;
    if (l->unfilled && (l->levels || !blocks)) sweep_fill(l);
    if (l->bands) return sweep_run_bands(l, &l->box);
    if (l->levels) return sweep_run_levels(l, &l->box);
    if (blocks) return sweep_run_blocks(l, &l->box);
    return sweep_run_block(l, &l->box, sweep_share_of(l, 0, &l->core, l->flags));
}

double sweep_run_begin(sweep_loop *l, const grid_box *box, const grid_box *core)
{
    const int64_t points = grid_box_points(box);
    l->box = *box;
    l->core = *core;
    double start = sweep_threads_begin(l, points);
    sweep_flags_begin(l, points);
    if (l->levels) sweep_start_columns(l);
    l->unfilled = l->fill_count && !grid_box_contains(&l->inside, &l->box) && !sweep_is_filled(l);
    if (l->unfilled || l->wrap_count) sweep_fill_forget(l);
    return start;
}

bool sweep_run_end(sweep_loop *l, int64_t points, double start)
{
    bool done = run_box(l, points);
    if (done && l->unfilled) sweep_fill_note(l);
    if (done && l->gathers && !sweep_first_fault(l)) done = sweep_commit_columns(l);
    sweep_flags_end(l);
    sweep_threads_end(l, points, start);
    return done;
}

bool sweep_run(sweep_loop *l, const grid_box *box, const grid_box *core)
{
    const int64_t points = grid_box_points(box);
    return points == 0 || sweep_run_end(l, points, sweep_run_begin(l, box, core));
}

bool sweep_run_alone(const sweep_loop *l, const grid_box *box, int thread, const sweep_tile *tile)
{
    int flags = l->usual_flags | (tile->cached ? 0 : ABI_PREFETCH);
    if (tile->streams && l->streams) flags |= ABI_STREAM;
    sweep_fill_forget(l);
    if (l->fill_count && !grid_box_contains(&l->inside, box)) sweep_fill_around(l, box, tile);
    sweep_share *share = sweep_share_of(l, thread, tile->core ? tile->core : box, flags);
    if (l->bands) return sweep_run_bands_alone(l, box, share);
    if (!l->levels) return sweep_run_block(l, box, share);
    int64_t count = sweep_level_count(l, box);
    bool done = true;
    for (int64_t i = 0; i < count && done; i++) {
        grid_box level = sweep_level(l, box, i);
        done = sweep_run_block(l, &level, share);
    }
    return done;
}

void sweep_lend(sweep_loop *l, const sweep_loop *from)
{
    for (int r = 0; r < l->reduction_count; r++) {
        l->reductions[r].partials = from->reductions[r].partials;
        l->reductions[r].contributions = from->reductions[r].contributions;
    }
}

const observe_fault *sweep_fault(const sweep_loop *l) { return sweep_first_fault(l); }

/* ---- after ----------------------------------------------------------------------------------- */

/* The first dimension along which a loop's points are on several ranks, or z: partials stay apart
 * from there on. */
static int kept_from(const sweep_loop *l)
{
    int d = 0;
    while (d < 2 && !(l->like.parted >> d & 1)) d++;
    return d;
}

/* How many pieces there are that each leave one partial: planes along z, or rows. */
static int64_t pieces_of(const sweep_loop *l)
{
    int64_t pieces = 1;
    for (int d = kept_from(l); d < 3; d++) pieces *= l->bricks.hi[d] - l->bricks.lo[d];
    return pieces;
}

/* Takes pieces of partials until there are none. */
static void reduce_pieces(void *data, int me)
{
    sweep_loop *l = data;
    (void)me;
    const bool rows = kept_from(l) == 1;
    const int64_t pieces = pieces_of(l), each = grid_box_points(&l->bricks) / pieces;
    const int64_t ny = l->bricks.hi[1] - l->bricks.lo[1];
    for (int64_t i; (i = sweep_next_part(l)) < pieces;) {
        grid_box piece = l->bricks;
        if (rows) piece.lo[1] += i % ny;
        if (rows) piece.hi[1] = piece.lo[1] + 1;
        for (int r = 0; r < l->reduction_count; r++) {
            const sweep_reduction *red = &l->reductions[r];
            sweep_reduce_plane(&l->loop->kernel->params[red->param], &piece,
                               red->partials + i * each);
        }
    }
}

/* Of many partials, and of those that meet others, one of each piece is left: threads do that
 * together. Returns the box of those that are left. */
static grid_box reduce_many(sweep_loop *l)
{
    grid_box left = l->bricks;
    const int cut = kept_from(l);
    if (grid_box_is_empty(&left) || !cut) return left;
    const int64_t pieces = pieces_of(l), each = grid_box_points(&left) / pieces;
    bool many = pieces > 1 && each * pieces * l->reduction_count >= MANY_PARTIALS;
    if (!many && !l->like.parted) return left;
    atomic_store_explicit(&l->next, 0, memory_order_relaxed);
    sweep_workers_run(l->workers, l->workers->count, reduce_pieces, l);
    for (int r = 0; r < l->reduction_count; r++)
        for (int64_t i = 0; i < pieces; i++)
            l->reductions[r].partials[i] = l->reductions[r].partials[i * each];
    for (int d = 0; d < cut; d++) {
        left.lo[d] = 0;
        left.hi[d] = 1;
    }
    return left;
}

static bool set_result(const sweep_loop *l, const sweep_reduction *red, const grid_box *left,
                       ir_value *partials)
{
    const ir_param *param = &l->loop->kernel->params[red->param];
    chain_slot *slot = sweep_slot(l, red->param);
    if (ir_param_is_column_reduction(param)) return true;
    ir_value result = sweep_reduce_box(param, left, partials);
    if (param->accumulates) result = ir_reduce(param, store_scalar(slot, red->element), result);
    return store_scalar_set(slot, red->element, result);
}

/* Sets the scalars to the results of reductions over all points, those of other ranks, too. */
static bool set_results(sweep_loop *l)
{
    grid_box left = reduce_many(l), whole = left;
    ir_value *all = l->like.parted ? sweep_meet_ranks(l, &left, &whole) : NULL;
    bool done = all || !l->like.parted;
    done = done && sweep_finish_extremes(l); /* before what they are of is set */
    for (int r = 0; r < l->reduction_count && done; r++)
        done = set_result(l, &l->reductions[r], &whole,
                          all ? all + r * grid_box_points(&whole) : l->reductions[r].partials);
    free(all);
    return done;
}

bool sweep_finish(sweep_loop *l)
{
    if (l->collects) sweep_reduce_collected(l);
    if (l->loop->sparse ? !sweep_finish_sparse(l) : !set_results(l)) return false;
    if (!sweep_finish_bins(l)) return false;
    store_log(l->loop);
    return true;
}
