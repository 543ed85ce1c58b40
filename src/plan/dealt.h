/* Dealing chains out to ranks: what its files share. */
#ifndef PLAN_DEALT_H
#define PLAN_DEALT_H

#include "plan/plan.h"

static inline bool dealt_is_cut(const plan_dealt *p, int dimension)
{
    return p->raster.cells[dimension] > 1;
}

/* Where cell i begins, of C cells along a dimension of n points: at ceil(i n / C). So a grid that
 * is k times as coarse as another is cut where that is, if there is no unit: ceil(ceil(i n / C) /
 * k) is ceil(i (n / k) / C). */
static inline int64_t dealt_cut(const plan_raster *raster, int d, int64_t points, int64_t i)
{
    const int64_t cells = raster->cells[d], unit = raster->unit[d];
    const int64_t at = points / cells * i + (points % cells * i + cells - 1) / cells;
    return unit && i < cells ? at - at % unit : at;
}

/* The points of the thinnest part of n: from end to end a rank has at least so many along a
 * dimension. Copies reach no farther. */
static inline int64_t dealt_thinnest(const plan_dealt *p, int d, int64_t points)
{
    const int64_t cells = p->raster.cells[d], thinnest = p->raster.thinnest[d];
    const int64_t all = points / cells * thinnest + points % cells * thinnest / cells;
    return larger(all - p->raster.unit[d], 0);
}

/* ---- dealt_cut.c: which grids and fields are cut -----------------------------------------------
 */

/* Whether each rank has points enough along dimensions that are cut. */
bool dealt_may_cut(const plan_dealt *p, const grid_shape *shape);
/* Whether a copy takes each value from the same rank, or a neighbour: along dimensions that are cut
 * it moves values by so few points, between two fields that are cut alike. */
bool dealt_copies_near(const plan_dealt *p, const chain_loop *loop);
/* Whether a field is cut where the grid of a loop is that touches it: its own grid, a finer or
 * coarser one, or elements of the same mesh. A loop reads other fields only where they are whole.
 */
bool dealt_follows(const plan_dealt *p, const analysis_loop *l, const analysis_touch *t);

/* ---- dealt_suits.c: which loops may run in parts ----------------------------------------------
 */

bool dealt_suits(const plan_dealt *p, const plan_home *homes, const analysis_loop *l);
/* Whether it may compute so far around a rank's own points. */
bool dealt_may_extend(const plan_dealt *p, const analysis_loop *l, const plan_span extent[3]);

/* ---- dealt_spans.c: how far around a rank's own ------------------------------------------------
 *
 * Spans are added to the ends of what is a rank's own, lo <= 0 <= hi: of a loop, to its points; of
 * a field, to its indices. */

/* The indices that a touch reaches, where its loop runs on an extent. */
plan_span dealt_touched(const plan_dealt *p, const analysis_loop *l, const analysis_touch *t, int d,
                        plan_span extent);
/* The indices that a write has completed then: all that write them have run. */
plan_span dealt_completed(const plan_dealt *p, const analysis_loop *l, const analysis_touch *t,
                          int d, plan_span extent);
/* The points of a rank's part of a loop's grid, with an extent around them. */
double dealt_points(const plan_dealt *p, const analysis_loop *l, const plan_span extent[3]);
/* Sets the extents of a section's loops, which give each rank its own values in the end. False as
 * soon as these are more points than `most` beyond a rank's own, summed over loops. `needs`, per
 * slot, is for its own use. */
bool dealt_find_extents(const plan_dealt *p, const analysis_section *s, double most,
                        plan_span (*needs)[3], plan_span (*extents)[3]);
/* Sets what a section needs, per slot, of the values before it. `replaced`: for its own use. */
void dealt_find_needs(const plan_dealt *p, const analysis_section *s, plan_span (*extents)[3],
                      bool *replaced, plan_span (*needs)[3]);

/* Whether a loop writes all that a field stores, also ghosts and faces that its rules hide. */
bool dealt_replaces(const chain_loop *loop, int param);

#endif
