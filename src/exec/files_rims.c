/* Rims of fields in files: a section that overwrites all but a rim of a field needs only that from
 * before, and rims are small. So they are kept in memory: of each plane from when it is first moved
 * whole until the chain ends, or loops write to the field at home. */
#include "exec/on_files.h"

#include <stdlib.h>

/* What a move leaves of a box: the largest part. */
static grid_box without(const grid_box *box, const plan_node *move)
{
    grid_box moved, pieces[6], most = {{0, 0, 0}, {0, 0, 0}};
    for (int d = 0; d < 3; d++) {
        moved.lo[d] = move->only[d].lo;
        moved.hi[d] = move->only[d].hi;
    }
    const int count = grid_box_subtract(box, &moved, pieces);
    for (int i = 0; i < count; i++)
        if (grid_box_points(&pieces[i]) > grid_box_points(&most)) most = pieces[i];
    return most;
}

/* Whether a move is of parts of planes. */
static bool is_rim(const plan_node *n, const chain_slot *slot, int dimension)
{
    const grid_box all = chain_slot_memory(slot);
    bool part = false;
    for (int d = 0; d < 3 && n->kind == PLAN_MOVE; d++)
        part = part || (d != dimension && n->only[d].lo < n->only[d].hi &&
                        (n->only[d].lo > all.lo[d] || n->only[d].hi < all.hi[d]));
    return part;
}

/* What no section needs of the planes of a slot; false: all need whole planes. */
static bool find_inside(const analysis_chain *a, const plan *p, int slot, grid_box *inside)
{
    const int d = store_ring_dimension(a->slots[slot]);
    bool some = false;
    *inside = chain_slot_memory(a->slots[slot]);
    inside->lo[d] = 0;
    inside->hi[d] = 1;
    for (int i = 1; i < p->count; i++) {
        plan_node move = p->nodes[i];
        if (move.slot != slot || !is_rim(&move, a->slots[slot], d)) continue;
        move.only[d] = (plan_span){0, 1};
        *inside = without(inside, &move);
        some = true;
    }
    return some;
}

int64_t files_rims_bytes(const analysis_chain *a, const plan *p)
{
    int64_t bytes = 0;
    grid_box inside;
    for (int s = 0; s < a->slot_count; s++)
        if (a->slots[s]->far && find_inside(a, p, s, &inside))
            bytes += (int64_t)store_rim_bytes(a->slots[s], &inside);
    return bytes;
}

bool files_rims_make(stream_run *run)
{
    store_rim *rims = calloc((size_t)run->a->slot_count + 1, sizeof *rims);
    grid_box inside;
    bool done = rims;
    run->own = rims;
    for (int s = 0; s < run->a->slot_count && done; s++)
        if (run->a->slots[s]->far && find_inside(run->a, run->p, s, &inside))
            done = store_rim_make(&rims[s], run->a->slots[s], &inside);
    if (!done) files_rims_free(run);
    return done;
}

void files_rims_free(stream_run *run)
{
    store_rim *rims = run->own;
    for (int s = 0; rims && s < run->a->slot_count; s++) store_rim_free(&rims[s]);
    free(rims);
    run->own = NULL;
}

store_rim *files_rim(const stream_run *run, int slot)
{
    store_rim *rims = run->own;
    return rims && rims[slot].values ? &rims[slot] : NULL;
}

void files_rims_forget(const stream_run *run, const chain *tile)
{
    for (size_t l = 0; l < tile->count; l++) {
        const ir_kernel *kernel = tile->loops[l].kernel;
        const int *slots = run->slots[run->local.numbers[l]];
        for (int p = 0; p < kernel->param_count; p++) {
            const bool home = slots[p] >= 0 && !run->rings[slots[p]];
            if (home && ir_param_is_written_field(&kernel->params[p]) && files_rim(run, slots[p]))
                store_rim_forget(files_rim(run, slots[p]));
        }
    }
}
