/* Moves, and moves under way: nobody else may touch the values that these touch. */
#include "plan/proof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static grid_box source_box(const plan_copy *copy)
{
    return grid_box_moved(&copy->box, copy->shift, 1);
}

/* ---- moves under way ------------------------------------------------------------------------- */

/* Whether two boxes of a place use the same memory: indices a capacity apart do. */
bool proof_meets(const plan_place *place, const grid_box *box, int number, const grid_box *other)
{
    bool meet = place->number == number && !grid_box_is_empty(box) && !grid_box_is_empty(other);
    for (int d = 0; d < 3 && meet; d++) {
        int64_t capacity = place->buffer ? place->buffer->capacity[d] : 0;
        int64_t apart = other->lo[d] - box->lo[d];
        if (capacity) apart = (apart % capacity + capacity) % capacity;
        meet = (apart < box->hi[d] - box->lo[d] && apart > other->lo[d] - other->hi[d]) ||
               (capacity && apart + other->hi[d] - other->lo[d] > capacity);
    }
    return meet;
}

/* Notes that a box of a place is touched, and that no move is in the way. */
bool proof_touch_box(proof *v, const plan_place *place, int slot, int component,
                     const grid_box *box, bool writes)
{
    for (size_t i = 0; i < v->move_count; i++) {
        const plan_copy *m = &v->moves[i];
        grid_box from = source_box(m);
        if (proof_meets(place, box, m->to->number, &m->box) ||
            (writes && proof_meets(place, box, m->from->number, &from)))
            return proof_refuse_box(v, place, slot, box, " is %s while move %d is under way",
                                    writes ? "written" : "read", m->tag);
    }
    return proof_note_lanes(v, place, component, box, writes);
}

/* ---- copies along dimensions that wrap ------------------------------------------------------- */

/* Whether a box copied over a seam holds points only: the last face of a periodic field, and
 * ghosts, lie at home but have no copies elsewhere. */
static bool is_shared(proof *v, const plan_copy *copy, const grid_box *source)
{
    for (int d = 0; d < 3; d++) {
        int64_t cells = chain_slot_axis(v->a->slots[copy->slot], d).cells;
        bool from = copy->from->wraps[d] || (source->lo[d] >= 0 && source->hi[d] <= cells);
        bool to = copy->to->wraps[d] || (copy->box.lo[d] >= 0 && copy->box.hi[d] <= cells);
        if (copy->shift[d] && !(from && to))
            return proof_refuse_box(v, copy->from, copy->slot, source,
                                    " is copied over a seam, but holds more than its points");
    }
    return true;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static bool take(proof *v, const plan_copy *copy, int component, content *taken)
{
    const content *from = copy->from->data;
    content_query any = {copy->slot, component, CONTENT_ANY, CONTENT_NONE};
    grid_box source = source_box(copy), missing;
    if (!content_holds(from, &any, &source, &missing)) {
        text_add(v->why, "a move takes what is not there: ");
        return proof_refuse_box(v, copy->from, copy->slot, &missing, "%s", "");
    }
    for (size_t i = 0; i < from->count; i++) {
        content_entry e = from->entries[i];
        if (e.slot != copy->slot || e.component != component) continue;
        e.box = grid_box_intersect(&e.box, &source);
        e.box = grid_box_moved(&e.box, copy->shift, -1);
        if (!grid_box_is_empty(&e.box)) content_set(taken, e);
    }
    return !taken->failed || proof_no_memory(v);
}

/* Copies entries first: a place may be its own source. */
static bool copy_component(proof *v, const plan_copy *copy, int component)
{
    content taken = {0};
    bool done = take(v, copy, component, &taken);
    for (size_t i = 0; i < taken.count && done; i++)
        done = proof_set_box(v, copy->to, copy->slot, component, &taken.entries[i].box,
                             taken.entries[i].writer);
    content_free(&taken);
    return done;
}

static bool copy_now(proof *v, const plan_copy *copy)
{
    grid_box source = source_box(copy);
    if (!is_shared(v, copy, &source) || !proof_fits(v, copy->to, copy->slot, &copy->box))
        return false;
    for (int c = 0; c < v->a->slots[copy->slot]->components; c++)
        if (!proof_touch_box(v, copy->from, copy->slot, c, &source, false) ||
            !proof_touch_box(v, copy->to, copy->slot, c, &copy->box, true) ||
            !copy_component(v, copy, c))
            return false;
    return true;
}

bool proof_copy(void *data, const plan_walk *walk, const plan_copy *copy)
{
    (void)walk;
    proof *v = data;
    if (!copy->tag) return copy_now(v, copy);
    grid_box source = source_box(copy);
    for (int c = 0; c < v->a->slots[copy->slot]->components; c++)
        if (!proof_touch_box(v, copy->from, copy->slot, c, &source, false) ||
            !proof_touch_box(v, copy->to, copy->slot, c, &copy->box, true))
            return false;
    void *moves = v->moves;
    if (!vector_reserve(&moves, &v->move_room, v->move_count + 1, sizeof *v->moves))
        return proof_no_memory(v);
    v->moves = moves;
    v->moves[v->move_count++] = *copy;
    return true;
}

bool proof_wait(void *data, int tag, int64_t turn)
{
    proof *v = data;
    for (size_t i = 0; i < v->move_count;) {
        plan_copy m = v->moves[i];
        if (m.tag != tag || m.turn != turn) {
            i++;
            continue;
        }
        memmove(&v->moves[i], &v->moves[i + 1], (v->move_count - i - 1) * sizeof m);
        v->move_count--;
        if (!copy_now(v, &m)) return false;
    }
    return true;
}
