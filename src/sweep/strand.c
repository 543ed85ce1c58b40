/* Strands: loops of a relay whose blocks hand nothing to one another.
 *
 * A solver goes down the columns of a grid in one loop, and up in the next. A thread needs only the
 * columns of its own block for both. So it runs both loops on its block before it meets others; and
 * it runs the block slice by slice, so that a slice is still in its cache when the next loop reads
 * it.
 *
 * Blocks hand nothing to one another along a dimension if no field that some loop of the strand
 * writes is touched by one of them at another index along it than that of the point. Nor may one
 * fill around a field what another reads, or fills by another rule, beside another block. */
#include "sweep/strand.h"
#include "machine/machine.h"

/* ---- what a loop touches --------------------------------------------------------------------- */

enum { MOST_PARAMS = 64 };

static uint64_t bit_of(int param) { return (uint64_t)1 << param; }

/* Whether points have other indices in a field than their own along a dimension: a field on another
 * grid, and beyond a side whose rule leads elsewhere. */
static bool has_other_indices(const sweep_loop *l, int p, int d)
{
    const ir_param *param = &l->loop->kernel->params[p];
    const grid_box *inside = &l->fields[p].inside, *box = &l->like.box;
    bool leaves = box->lo[d] < inside->lo[d] || box->hi[d] > inside->hi[d];
    return param->absent_axis[d] || param->finer[d] > 1 || param->coarser[d] > 1 ||
           (ir_param_is_field(param) && leaves);
}

/* Parameters that are touched at other indices than that of the point along a dimension. */
static uint64_t moved_along(const sweep_loop *l, int d)
{
    const ir_kernel *kernel = l->loop->kernel;
    uint64_t moved = 0;
    for (int p = 0; p < kernel->param_count; p++)
        if (has_other_indices(l, p, d)) moved |= bit_of(p);
    for (int i = 0; i < kernel->access_count; i++)
        if (kernel->accesses[i].offset[d]) moved |= bit_of(kernel->accesses[i].param);
    for (int i = 0; i < kernel->store_count; i++)
        if (kernel->stores[i].offset[d]) moved |= bit_of(kernel->stores[i].param);
    for (int i = 0; i < kernel->level_read_count; i++)
        moved |= bit_of(kernel->level_reads[i].param);
    return moved;
}

void sweep_strand_prepare(sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    l->strands = kernel->param_count <= MOST_PARAMS && !l->levels;
    for (int d = 0; d < 3 && l->strands; d++) l->moved[d] = moved_along(l, d);
}

static bool writes(const sweep_loop *l, int param)
{
    return ir_param_is_written_field(&l->loop->kernel->params[param]);
}

/* Whether a loop writes what lies around a parameter's field: beside its points. */
static bool fills(const sweep_loop *l, int param)
{
    const int first = l->fields[param].first;
    bool fills = false;
    for (int i = 0; i < l->fill_count && l->unfilled; i++)
        fills = fills || l->fills[i].field->first == first;
    for (int i = 0; i < l->wrap_count; i++) fills = fills || l->wraps[i].field->first == first;
    return fills;
}

/* Whether blocks hand nothing to one another along a dimension, of two loops or of one with
 * itself. */
static bool stays(const sweep_loop *a, const sweep_loop *b, int d)
{
    const ir_kernel *of_a = a->loop->kernel, *of_b = b->loop->kernel;
    for (int p = 0; p < of_a->param_count; p++) {
        if (!ir_param_is_field(&of_a->params[p])) continue;
        for (int q = 0; q < of_b->param_count; q++) {
            bool moves = a->moved[d] & bit_of(p) || b->moved[d] & bit_of(q);
            if (!moves || !ir_param_is_field(&of_b->params[q]) ||
                sweep_slot(a, p) != sweep_slot(b, q))
                continue;
            if (writes(a, p) || writes(b, q) || (a != b && (fills(a, p) || fills(b, q))))
                return false;
        }
    }
    return true;
}

/* ---- strands --------------------------------------------------------------------------------- */

static bool is_cut(const sweep_blocks *blocks, int d) { return blocks->count[d] > 1; }

/* Whether a loop may run on the blocks of another. */
static bool may_take(const sweep_loop *l, const sweep_loop *other)
{
    bool may = grid_same_triple(l->box.lo, other->box.lo) &&
               grid_same_triple(l->box.hi, other->box.hi) && l->thread_count == other->thread_count;
    for (int d = 0; d < 3; d++) may = may && !(is_cut(&other->blocks, d) && l->uncut >> d & 1);
    return may;
}

/* Gives a loop blocks, unless two of them would fill the same around a field. */
static bool take_blocks(sweep_loop *l, const sweep_blocks *blocks)
{
    const sweep_blocks own = l->blocks;
    l->blocks = *blocks;
    if (!l->unfilled || sweep_fills_by_block(l)) return true;
    l->blocks = own;
    return false;
}

bool sweep_strand_take(sweep_loop *const *strand, int count, sweep_loop *l)
{
    const sweep_blocks *blocks = &strand[0]->blocks;
    if (!l->strands || !strand[0]->strands || !may_take(l, strand[0])) return false;
    for (int d = 0; d < 3; d++) {
        if (!is_cut(blocks, d)) continue;
        if (!stays(l, l, d) || (count == 1 && !stays(strand[0], strand[0], d))) return false;
        for (int i = 0; i < count; i++)
            if (!stays(strand[i], l, d)) return false;
    }
    return take_blocks(l, blocks);
}

/* A part of the second-level cache holds the fields of a slice. */
sweep_slices sweep_strand_slices(sweep_loop *const *strand, int count)
{
    const int64_t room = HOSTILE(machine_second_cache() / 4, 256);
    const sweep_blocks *blocks = &strand[0]->blocks;
    sweep_slices s = {.along = 2, .height = INT64_MAX};
    int64_t bytes = 0, layer = 1;
    while (s.along > 0 && !is_cut(blocks, s.along)) s.along--;
    if (count == 1 || s.along == 0) return s;
    for (int i = 0; i < count; i++) bytes = larger(bytes, strand[i]->bytes);
    for (int d = 0; d < 3; d++) layer *= d == s.along ? 1 : blocks->size[d];
    s.height = larger(room / larger(bytes * layer, 1), 1);
    return s;
}

static bool is_touched(sweep_loop *const *strand, int count, const chain_slot *slot)
{
    for (int i = 0; i < count; i++)
        for (int p = 0; p < strand[i]->loop->kernel->param_count; p++)
            if (sweep_slot(strand[i], p) == slot) return true;
    return false;
}

/* What a loop writes is read soon, by the next ones. What it reads is in the cache if the loops
 * before it have touched it. */
int sweep_strand_flags(sweep_loop *const *strand, int count, int i)
{
    const sweep_loop *l = strand[i];
    bool near = l->flags & ABI_PREFETCH && i > 0;
    for (int p = 0; p < l->loop->kernel->param_count && near; p++)
        near = !ir_param_is_field(&l->loop->kernel->params[p]) ||
               is_touched(strand, i, sweep_slot(l, p));
    return l->flags & ~(i + 1 < count ? ABI_STREAM : 0) & ~(near ? ABI_PREFETCH : 0);
}

static bool run_slice(sweep_loop *const *strand, int count, const grid_box *slice,
                      sweep_share *const *shares)
{
    bool done = true;
    for (int i = 0; i < count && done; i++) {
        if (strand[i]->fills_blocks) sweep_fill_block(strand[i], slice);
        done = sweep_run_block(strand[i], slice, shares[i]);
    }
    return done;
}

bool sweep_strand_run(sweep_loop *const *strand, int count, const sweep_slices *slices,
                      int64_t block, sweep_share *const *shares)
{
    const grid_box box = sweep_block_box(&strand[0]->blocks, block);
    const int d = slices->along;
    const int64_t height = smaller(slices->height, box.hi[d] - box.lo[d]);
    bool done = true;
    for (int64_t at = box.lo[d]; at < box.hi[d] && done; at += height) {
        grid_box slice = box;
        slice.lo[d] = at;
        slice.hi[d] = smaller(at + height, box.hi[d]);
        done = run_slice(strand, count, &slice, shares);
    }
    return done;
}
