/* A window: memory for some of the indices of a field, which moves along with the work. It is an
 * array whose first element is moved, so that whoever is given it finds index i where the window
 * holds it, and computes no remainders. Where a window moves on, it has room for a few times the
 * indices that are needed at once. At its end those that were shown, and are still needed, are
 * moved to the front.
 *
 * Along a dimension that is not cut it holds all indices. */
#include "store/store.h"

#include <string.h>

static const int64_t FAR = INT64_C(1) << 48;

/* As many indices as are needed at once have room, where a window moves on from tile to tile, and
 * where it holds those of one tile, whichever of them is shown first. */
enum { TIMES = 4, TIMES_IN_PLACE = 2 };
/* The most bytes of a window: so many, and so many more for each byte of its field. */
static const double ALWAYS = 64e6, PER_BYTE = 64;

/* The first index of a dimension in the window: at a whole block, so that rows stay aligned. */
static int64_t start_at(int d, int64_t first)
{
    return d ? first : floor_divide(first, ABI_BLOCK) * ABI_BLOCK;
}

/* The indices that the memory has room for. Sets how many are needed at once. */
static grid_box room_of(const grid_box *all, const int64_t capacity[3], const bool moves[3],
                        const grid_box *touched, int64_t behind[3])
{
    grid_box room = grid_box_hull(all, touched);
    for (int d = 0; d < 3; d++) {
        int64_t outside = larger(all->lo[d] - touched->lo[d], touched->hi[d] - all->hi[d]);
        if (!capacity[d]) continue;
        behind[d] = capacity[d] + 2 * larger(outside, 0);
        room.lo[d] = 0;
        room.hi[d] = (moves[d] ? TIMES : TIMES_IN_PLACE) * behind[d];
        room.hi[d] += d ? 0 : 2 * ABI_BLOCK;
    }
    return room;
}

bool store_window_fits(const chain_slot *field, const int64_t capacity[3], const grid_box *touched)
{
    const bool moves[3] = {true, true, true};
    int64_t behind[3];
    grid_box all = chain_slot_memory(field), room = room_of(&all, capacity, moves, touched, behind);
    double window = store_type_bytes(field->type) * field->components, whole = window;
    for (int d = 0; d < 3; d++) {
        window *= (double)(room.hi[d] - room.lo[d]);
        whole *= (double)(all.hi[d] - all.lo[d]);
    }
    return window <= ALWAYS + PER_BYTE * whole;
}

bool store_window_make(store_window *w, const chain_slot *field, const int64_t capacity[3],
                       const bool moves[3], const grid_box *touched)
{
    grid_box all = chain_slot_memory(field);
    store_array like = {.type = field->type, .components = field->components, .pool = field->pool};
    *w = (store_window){.slot = *field};
    like.box = all;
    like.room = room_of(&all, capacity, moves, touched, w->behind);
    w->memory = store_array_make(&like, KATA_ARRAYS, false);
    if (!w->memory) return false;
    w->array = *w->memory;
    w->array.stays = 0;
    w->held = like.room;
    for (int d = 0; d < 3; d++) {
        if (!capacity[d]) continue;
        w->array.room.lo[d] = -FAR;
        w->array.room.hi[d] = FAR;
    }
    w->slot.array = &w->array;
    return w->empty = true;
}

void store_window_free(store_window *w)
{
    store_array_free(w->memory);
    w->memory = NULL;
}

void store_window_clear(store_window *w, bool poison)
{
    w->empty = true;
    w->shown = (grid_box){.lo = {0}};
    w->array.around = 0;
    if (poison) store_fill_unset(w->array.type, w->memory->memory, w->memory->bytes);
}

/* Moves the values of a box by a number of elements; rows are moved in an order in which none is
 * written over before it has moved. */
static void move_values(store_window *w, const grid_box *box, int64_t by)
{
    int64_t ny = box->hi[1] - box->lo[1], nz = box->hi[2] - box->lo[2], bytes;
    bytes = store_type_bytes(w->array.type);
    for (int64_t i = 0; i < w->array.components * nz * ny; i++) {
        int64_t row = by < 0 ? i : w->array.components * nz * ny - 1 - i;
        const int64_t at[3] = {box->lo[0], box->lo[1] + row % ny, box->lo[2] + row / ny % nz};
        char *from = store_address(&w->array, (int)(row / ny / nz), at);
        memmove(from + by * bytes, from, (size_t)((box->hi[0] - box->lo[0]) * bytes));
    }
}

/* Makes a box of indices the one that is held. */
static void hold(store_window *w, const grid_box *held)
{
    int64_t by = 0, first[3] = {0, 0, 0};
    const int64_t pitch[3] = {1, w->array.pitch_y, w->array.pitch_z};
    grid_box both = grid_box_intersect(&w->shown, held);
    for (int d = 0; d < 3; d++) by += (w->held.lo[d] - held->lo[d]) * pitch[d];
    if (!w->empty && !grid_box_is_empty(&both)) move_values(w, &both, by);
    for (int d = 0; d < 3; d++)
        if (w->behind[d]) first[d] = held->lo[d];
    int64_t offset = store_element(w->memory, 0, first) * store_type_bytes(w->array.type);
    w->array.data = (void *)((uintptr_t)w->memory->data - (uintptr_t)offset);
    w->array.around = 0;
    w->held = *held;
    w->moves++;
}

/* Notes that indices may have values. What the window has let go of has none. */
static void note_shown(store_window *w, const grid_box *box)
{
    grid_box before = grid_box_intersect(&w->shown, &w->held);
    w->shown = grid_box_is_empty(&before) ? *box : grid_box_hull(&before, box);
}

void store_window_show(store_window *w, const grid_box *box)
{
    if (!w->empty && grid_box_contains(&w->shown, box)) return;
    if (!w->empty && grid_box_contains(&w->held, box)) {
        note_shown(w, box);
        return;
    }
    grid_box held = w->held;
    for (int d = 0; d < 3; d++) {
        bool there = !w->empty && box->lo[d] >= held.lo[d] && box->hi[d] <= held.hi[d];
        int64_t room = held.hi[d] - held.lo[d];
        if (!w->behind[d] || there) continue;
        held.lo[d] = start_at(d, smaller(box->lo[d], box->hi[d] - w->behind[d]));
        held.hi[d] = held.lo[d] + room;
    }
    hold(w, &held);
    w->empty = false;
    note_shown(w, box);
}
