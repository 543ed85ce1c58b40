/* Blocks of a walk, and their margins. */
#include "plan/walk.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

int walk_block_count(const plan_node *n) { return n->parts[0] * n->parts[1] * n->parts[2]; }

static grid_box walk_block_box(const plan_node *n, int block)
{
    grid_box box;
    for (int d = 0; d < 3; d++) {
        const int64_t *cuts = &n->cuts[d][block % n->parts[d]];
        block /= n->parts[d];
        box.lo[d] = cuts[0];
        box.hi[d] = cuts[1];
    }
    return box;
}

void walk_enter_block(plan_walk *w, int block)
{
    w->block = block;
    w->inner = w->block_inner + (size_t)block * (size_t)w->a->slot_count;
    w->frames[w->frame_count++] = (walk_frame){w->blocks, walk_block_box(w->blocks, block)};
}

void walk_leave_block(plan_walk *w) { w->frame_count--; }

/* ---- margins --------------------------------------------------------------------------------- */

static plan_place *place_of_block(const plan_walk *w, int block, int slot)
{
    return w->block_inner[(size_t)block * (size_t)w->a->slot_count + (size_t)slot];
}

/* Copies the part of a box that a block owns, and, from dimension `d` on, its images a period
 * apart. */
static bool copy_owned(plan_walk *w, const plan_copy *box, const grid_box *owned, int d,
                       int64_t shift[3])
{
    int64_t period = d < 3 ? w->blocks->period[d] : 0, first = 0, last = 0;
    if (d == 3) {
        plan_copy copy = *box;
        grid_box image = grid_box_moved(owned, shift, 1);
        copy.box = grid_box_intersect(&box->box, &image);
        for (int k = 0; k < 3; k++) copy.shift[k] = -shift[k];
        return grid_box_is_empty(&copy.box) || !w->visitor->copy ||
               w->visitor->copy(w->visitor->data, w, &copy);
    }
    if (period) {
        first = floor_divide(box->box.lo[d], period);
        last = floor_divide(box->box.hi[d] - 1, period);
    }
    for (int64_t image = first; image <= last; image++) {
        shift[d] = image * period;
        if (!copy_owned(w, box, owned, d + 1, shift)) return false;
    }
    return true;
}

/* The blocks along a dimension that own indices of a box, first and last: all of them where the box
 * reaches beyond a period. */
static plan_span find_owners(const plan_node *n, int d, const grid_box *box)
{
    const int64_t *cuts = n->cuts[d];
    int last = n->parts[d] - 1;
    bool wraps = n->period[d] && (box->lo[d] < cuts[0] || box->hi[d] > cuts[n->parts[d]]);
    if (wraps) return (plan_span){0, last};
    plan_span owners = {0, last};
    while (owners.lo < owners.hi) { /* the first that ends behind the box's beginning */
        int64_t middle = floor_divide(owners.lo + owners.hi, 2);
        if (cuts[middle + 1] > box->lo[d])
            owners.hi = middle;
        else
            owners.lo = middle + 1;
    }
    for (owners.hi = owners.lo; owners.hi < last && cuts[owners.hi + 1] < box->hi[d];) owners.hi++;
    return owners;
}

/* Fills a box of one block's place from the blocks that own its points. */
static bool fill_margin(plan_walk *w, int slot, int block, const grid_box *box)
{
    const plan_node *n = w->blocks;
    plan_span x = find_owners(n, 0, box), y = find_owners(n, 1, box), z = find_owners(n, 2, box);
    int64_t at[3], shift[3];
    for (at[2] = z.lo; at[2] <= z.hi; at[2]++)
        for (at[1] = y.lo; at[1] <= y.hi; at[1]++)
            for (at[0] = x.lo; at[0] <= x.hi; at[0]++) {
                int owner = (int)((at[2] * n->parts[1] + at[1]) * n->parts[0] + at[0]);
                plan_copy copy = {.slot = slot,
                                  .from = place_of_block(w, owner, slot),
                                  .to = place_of_block(w, block, slot),
                                  .box = *box};
                grid_box owned = walk_block_box(n, owner);
                if (!copy_owned(w, &copy, &owned, 0, shift)) return false;
            }
    return true;
}

bool walk_exchange(plan_walk *w, const plan_node *n)
{
    grid_box field = chain_slot_memory(w->a->slots[n->slot]), pieces[6];
    for (int block = 0; block < walk_block_count(w->blocks); block++) {
        grid_box own = walk_block_box(w->blocks, block), grown = own;
        for (int d = 0; d < 3; d++) {
            grown.lo[d] += n->margin[d].lo;
            grown.hi[d] += n->margin[d].hi;
            if (w->blocks->period[d]) continue;
            grown.lo[d] = larger(grown.lo[d], field.lo[d]);
            grown.hi[d] = smaller(grown.hi[d], field.hi[d]);
        }
        int count = grid_box_subtract(&grown, &own, pieces);
        for (int i = 0; i < count; i++)
            if (!fill_margin(w, n->slot, block, &pieces[i])) return false;
    }
    return true;
}
