/* Components that a loop touches at one offset only, as lattices do: each value belongs to one
 * point, also where it lies beyond a side. So nothing is filled before the loop, nor copied.
 *
 * Beyond periodic sides in y and z points run with the component's view moved by a period. Beyond
 * those in x each row has cells in memory. A few rows at a time get theirs before they run, and
 * what is written there goes back behind them. Beyond sides without a rule, where a kernel's guards
 * let it read and write nothing of effect, there are cells that nobody looks at. No two points
 * touch the same cell, so threads need no order. */
#include "analysis/analysis.h"
#include "sweep/edge.h"

enum { ROWS = HOSTILE(8, 2) /* that get their cells together */ };

/* ---- which ----------------------------------------------------------------------------------- */

/* Whether a read or write of a loop is one of the component at another offset. */
static bool strays(const sweep_reach *r, int param, int component, const int32_t offset[3])
{
    return r->loop->bindings[param].slot == r->loop->bindings[r->param].slot &&
           component == r->component && memcmp(offset, r->offset, sizeof r->offset) != 0;
}

static bool is_touched_once(const sweep_reach *r)
{
    static const ir_param plain;
    const ir_kernel *kernel = r->loop->kernel;
    bool once = true;
    for (int i = 0; i < kernel->access_count && once; i++) {
        const ir_access *a = &kernel->accesses[i];
        once = !strays(r, a->param, a->component, a->offset);
    }
    for (int i = 0; i < kernel->store_count && once; i++) {
        const ir_store *s = &kernel->stores[i];
        once = !strays(r, s->param, s->component, s->offset);
    }
    for (int p = 0; p < kernel->param_count && once; p++)
        once = r->loop->bindings[p].slot != r->loop->bindings[r->param].slot ||
               ir_param_same_mapping(&kernel->params[p], &plain);
    return once;
}

/* Whether what lies beyond a side is found without a copy, and has no memory (`around`), or cells.
 */
static bool passes_side(const grid_boundary *boundary, int side, bool *around)
{
    *around = grid_boundary_is_periodic(boundary, side / 2);
    return *around || boundary->side[side].rule == KATA_NONE;
}

bool sweep_can_wrap(const sweep_reach *r, grid_box *room)
{
    const chain_binding *b = &r->loop->bindings[r->param];
    const grid_box inside = chain_binding_inside(b), *box = &r->loop->box;
    if (r->loop->kernel->direction || r->loop->colors > 1 || !is_touched_once(r) ||
        store_slot_rows(b->slot) != CODEGEN_CONTIGUOUS)
        return false;
    *room = inside;
    for (int d = 0; d < 3; d++) {
        int64_t lo = box->lo[d] + r->offset[d], hi = box->hi[d] + r->offset[d];
        int64_t period = inside.hi[d] - inside.lo[d];
        bool low = lo<inside.lo[d], high = hi> inside.hi[d], around = false;
        if (low && !passes_side(b->boundary, 2 * d, &around)) return false;
        if (high && !passes_side(b->boundary, 2 * d + 1, &around)) return false;
        if (around &&
            (hi - lo > period || lo < inside.lo[d] - period || hi > inside.hi[d] + period))
            return false;
        if (around && d > 0) continue;
        room->lo[d] = smaller(room->lo[d], lo);
        room->hi[d] = larger(room->hi[d], hi);
    }
    return true;
}

/* ---- a part whose rows lie on one side ------------------------------------------------------- */

/* Where the next part begins, in which some component lies beyond another side than at `lo`. */
static int64_t next_part(const sweep_loop *l, int d, int64_t lo, int64_t hi)
{
    for (int i = 0; i < l->wrap_count; i++) {
        const sweep_wrap *w = &l->wraps[i];
        const int64_t at[2] = {w->inside.lo[d] - w->offset[d], w->inside.hi[d] - w->offset[d]};
        for (int end = 0; end < 2; end++)
            if (at[end] > lo && at[end] < hi) hi = at[end];
    }
    return hi;
}

/* By how much the view of a component moves for a part. */
static int64_t moved_by(const sweep_wrap *w, int d, int64_t at)
{
    int64_t period = w->inside.hi[d] - w->inside.lo[d], index = at + w->offset[d];
    if (!w->around[d]) return 0;
    return index < w->inside.lo[d] ? period : index >= w->inside.hi[d] ? -period : 0;
}

static void move_views(const sweep_loop *l, const grid_box *part, sweep_share *share)
{
    for (int i = 0; i < l->wrap_count; i++) {
        const sweep_wrap *w = &l->wraps[i];
        abi_view *view = &share->views[w->view];
        *view = l->views[w->view];
        int64_t by = moved_by(w, 1, part->lo[1]) * view->y + moved_by(w, 2, part->lo[2]) * view->z;
        view->origin = (void *)((uintptr_t)view->origin + (uintptr_t)(by * w->bytes));
    }
}

/* ---- cells beyond the sides in x ------------------------------------------------------------- */

typedef enum transfer { FETCH, TAKE, GIVE_BACK } transfer;

/* Goes through the rows of cells x_lo to x_hi-1, which are those of x + by. */
static void transfer_cells(const sweep_wrap *w, const abi_view *view, const grid_box *rows,
                           int64_t x, int64_t by, transfer how)
{
    const int64_t pitch = view->y * w->bytes, distance = by * w->bytes;
    for (int64_t z = rows->lo[2]; z < rows->hi[2]; z++) {
        int64_t first = x + (rows->lo[1] + w->offset[1]) * view->y + (z + w->offset[2]) * view->z;
        char *cell = (char *)((uintptr_t)view->origin + (uintptr_t)(first * w->bytes));
        for (int64_t y = rows->lo[1]; y < rows->hi[1]; y++, cell += pitch) {
            if (how == FETCH) {
                __builtin_prefetch(cell, 1);
                __builtin_prefetch(cell + distance, 1);
            } else if (how == TAKE) {
                sweep_edge_copy_element(cell, cell + distance, w->bytes);
            } else {
                sweep_edge_copy_element(cell + distance, cell, w->bytes);
            }
        }
    }
}

static void transfer_rows(const sweep_loop *l, const grid_box *rows, const sweep_share *share,
                          transfer how)
{
    for (int i = 0; i < l->wrap_count; i++) {
        const sweep_wrap *w = &l->wraps[i];
        const abi_view *view = &share->views[w->view];
        int64_t lo = rows->lo[0] + w->offset[0], hi = rows->hi[0] + w->offset[0];
        int64_t first = w->inside.lo[0], end = w->inside.hi[0];
        if (!w->first || !w->around[0] || (how == GIVE_BACK && !w->written)) continue;
        for (int64_t x = lo; x < first && x < hi; x++)
            transfer_cells(w, view, rows, x, end - first, how);
        for (int64_t x = larger(lo, end); x < hi; x++)
            transfer_cells(w, view, rows, x, first - end, how);
    }
}

static bool has_cells(const sweep_loop *l, const grid_box *part)
{
    for (int i = 0; i < l->wrap_count; i++) {
        const sweep_wrap *w = &l->wraps[i];
        if (w->around[0] && (part->lo[0] + w->offset[0] < w->inside.lo[0] ||
                             part->hi[0] + w->offset[0] > w->inside.hi[0]))
            return true;
    }
    return false;
}

/* The cells of the rows behind those that run are fetched meanwhile. */
static bool run_rows(const sweep_loop *l, const grid_box *part, sweep_share *share)
{
    if (!has_cells(l, part)) return sweep_run_plain(l, part, share);
    grid_box rows = *part;
    for (rows.lo[2] = part->lo[2]; rows.lo[2] < part->hi[2]; rows.lo[2]++) {
        rows.hi[2] = rows.lo[2] + 1;
        for (rows.lo[1] = part->lo[1]; rows.lo[1] < part->hi[1]; rows.lo[1] = rows.hi[1]) {
            rows.hi[1] = smaller(rows.lo[1] + ROWS, part->hi[1]);
            grid_box next = rows;
            next.lo[1] = rows.hi[1];
            next.hi[1] = smaller(next.lo[1] + ROWS, part->hi[1]);
            transfer_rows(l, &rows, share, TAKE);
            transfer_rows(l, &next, share, FETCH);
            if (!sweep_run_plain(l, &rows, share)) return false;
            transfer_rows(l, &rows, share, GIVE_BACK);
        }
    }
    return true;
}

bool sweep_run_wrapped(const sweep_loop *l, const grid_box *box, sweep_share *share)
{
    grid_box part = *box;
    bool done = true;
    for (part.lo[2] = box->lo[2]; part.lo[2] < box->hi[2] && done; part.lo[2] = part.hi[2]) {
        part.hi[2] = next_part(l, 2, part.lo[2], box->hi[2]);
        for (part.lo[1] = box->lo[1]; part.lo[1] < box->hi[1] && done; part.lo[1] = part.hi[1]) {
            part.hi[1] = next_part(l, 1, part.lo[1], box->hi[1]);
            move_views(l, &part, share);
            done = run_rows(l, &part, share);
        }
    }
    for (int i = 0; i < l->wrap_count; i++)
        share->views[l->wraps[i].view] = l->views[l->wraps[i].view];
    return done;
}
