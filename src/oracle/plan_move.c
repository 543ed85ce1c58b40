/* Moves of a plan between its places, and errors of running it. */
#include "oracle/cells.h"
#include "oracle/planned.h"

#include <string.h>

bool oracle_plan_fail(oracle_planned *e, const char *what, int loop)
{
    if (e->status == KATA_OK)
        e->status = message_fail(e->m, KATA_ERROR_INTERNAL, "plan: %s, in loop %d '%s'", what, loop,
                                 loop < 0 ? "-" : e->a->loops[loop].loop->kernel->name);
    return false;
}

bool oracle_plan_no_memory(oracle_planned *e)
{
    if (e->status == KATA_OK) e->status = message_no_memory(e->m);
    return false;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static bool copy_now(oracle_planned *e, const plan_copy *copy)
{
    int64_t to[3], from[3];
    ir_value element;
    const grid_box *b = &copy->box;
    const chain_slot *slot = e->a->slots[copy->slot];
    for (int c = 0; c < slot->components; c++)
        for (to[2] = b->lo[2]; to[2] < b->hi[2]; to[2]++)
            for (to[1] = b->lo[1]; to[1] < b->hi[1]; to[1]++)
                for (to[0] = b->lo[0]; to[0] < b->hi[0]; to[0]++) {
                    for (int d = 0; d < 3; d++) from[d] = to[d] + copy->shift[d];
                    if (!oracle_cells_get(copy->from, slot, c, from, &element) ||
                        !oracle_cells_put(copy->to, slot, c, to, element))
                        return oracle_plan_fail(e, "a move of what is not there", -1);
                }
    return true;
}

bool oracle_plan_copy(void *data, const plan_walk *walk, const plan_copy *copy)
{
    (void)walk;
    oracle_planned *e = data;
    if (!copy->tag || !e->late) return copy_now(e, copy);
    void *pending = e->pending, *places = e->pending_places;
    size_t room = e->pending_room;
    if (!vector_reserve(&pending, &e->pending_room, e->pending_count + 1, sizeof *e->pending))
        return oracle_plan_no_memory(e);
    e->pending = pending;
    if (!vector_reserve(&places, &room, e->pending_count + 1, sizeof *e->pending_places)) {
        e->pending_room = room;
        return oracle_plan_no_memory(e);
    }
    e->pending_places = places;
    e->pending[e->pending_count] = *copy;
    e->pending_places[e->pending_count][0] = *copy->from;
    e->pending_places[e->pending_count++][1] = *copy->to;
    return true;
}

bool oracle_plan_wait(void *data, int tag, int64_t turn)
{
    oracle_planned *e = data;
    size_t left = 0;
    bool done = true;
    for (size_t i = 0; i < e->pending_count; i++) {
        plan_copy c = e->pending[i];
        if (c.tag != tag || c.turn != turn) {
            e->pending[left] = c;
            memmove(e->pending_places[left++], e->pending_places[i], sizeof *e->pending_places);
            continue;
        }
        c.from = &e->pending_places[i][0];
        c.to = &e->pending_places[i][1];
        done = done && copy_now(e, &c);
    }
    e->pending_count = left;
    return done;
}
