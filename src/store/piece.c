/* Pieces of a box of values: what lies together in plain order, and is not much. */
#include "store/store.h"

grid_box store_piece(const grid_box *all, int64_t first, int64_t most)
{
    grid_box piece = *all;
    int64_t under = 1; /* points of a row, or of a plane, below the dimension that is cut */
    bool cut = false;
    for (int d = 0; d < 3; d++) {
        int64_t size = all->hi[d] - all->lo[d], at = first % size;
        first /= size;
        piece.lo[d] += at;
        if (cut) {
            piece.hi[d] = piece.lo[d] + 1;
            continue;
        }
        cut = at || under * size > most;
        if (cut) piece.hi[d] = smaller(piece.hi[d], piece.lo[d] + larger(most / under, 1));
        under *= size;
    }
    return piece;
}

store_array store_components(const store_array *a, int first, int count)
{
    store_array some = *a;
    some.stays = 0;
    const int64_t origin[3] = {0, 0, 0};
    some.data = store_address(a, first, origin);
    some.components = count;
    return some;
}

void store_read_slot(const chain_slot *slot, const store_values *of, kata_type type, void *values)
{
    int64_t count = grid_box_points(&of->box) * of->components;
    if (slot->poisoned) {
        store_poison_values(type, values, count);
    } else if (!slot->array) {
        store_read(NULL, &of->box, of->components, type, values);
    } else {
        const store_array some = store_components(slot->array, of->first, of->components);
        store_read(&some, &of->box, of->components, type, values);
    }
}
