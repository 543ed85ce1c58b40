/* Running a part of a box on one thread: points whose reads stay inside the grid in place, others
 * on copies of what they touch (edge_copy.c), or one by one where copies would be much larger than
 * the part. */
#include "sweep/loop.h"

/* Copies what a piece reads. If the loop visits points of one colour and writes what it reads, the
 * copies also hold points of that colour, which other threads write meanwhile. The same is true of
 * points in bands. Nobody reads these copies, and the thread sanitizer is told so. */
static bool gather(const sweep_loop *l, const grid_box *piece, sweep_share *share)
{
    bool beside = l->like.colors > 1 || l->pipelined;
    if (beside) AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    bool done = sweep_edge_gather(l->edges, l->edge_count, piece, share);
    if (beside) AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    return done;
}

static bool run_edge(const sweep_loop *l, const grid_box *piece, sweep_share *share)
{
    if (l->far && sweep_edge_is_far(l->edges, l->edge_count, piece))
        return sweep_run_points(l, piece, share);
    bool done = gather(l, piece, share) && sweep_run_plain(l, piece, share);
    if (done) sweep_edge_scatter(l->edges, l->edge_count, piece, share);
    for (int e = 0; e < l->edge_count; e++)
        share->views[l->edges[e].view] = l->views[l->edges[e].view];
    return done;
}

bool sweep_run_part(const sweep_loop *l, const grid_box *box, sweep_share *share)
{
    if (l->wrap_count && !grid_box_contains(&l->inside, box))
        return sweep_run_wrapped(l, box, share);
    if (grid_box_contains(&l->interior, box)) return sweep_run_plain(l, box, share);
    grid_box inner = grid_box_intersect(box, &l->interior), pieces[6];
    bool some = !grid_box_is_empty(&inner);
    int count = grid_box_subtract(box, &l->interior, pieces);
    for (int i = 0; i < count; i++)
        if (some && pieces[i].hi[0] <= inner.lo[0] && !run_edge(l, &pieces[i], share)) return false;
    if (some && !sweep_run_plain(l, &inner, share)) return false;
    for (int i = 0; i < count; i++)
        if (!(some && pieces[i].hi[0] <= inner.lo[0]) && !run_edge(l, &pieces[i], share))
            return false;
    return true;
}
