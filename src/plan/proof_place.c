/* What places hold: which loop wrote which box last, and which should have. */
#include "plan/proof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages -------------------------------------------------------------------------------- */

const char *proof_loop_name(const proof *v, int loop)
{
    return v->a->loops[loop].loop->kernel->name;
}

const char *proof_slot_name(const proof *v, int slot)
{
    for (int l = 0; l < v->a->loop_count; l++) {
        const chain_loop *loop = v->a->loops[l].loop;
        for (int p = 0; p < loop->kernel->param_count; p++)
            if (loop->bindings[p].slot == v->a->slots[slot] && loop->bindings[p].name)
                return loop->bindings[p].name;
    }
    return "a field";
}

void proof_say_writer(const proof *v, int writer)
{
    if (writer < 0)
        text_add(v->why, "its value before the chain");
    else
        text_add(v->why, "the value of loop %d '%s'", writer, proof_loop_name(v, writer));
}

static void say_place(const proof *v, const plan_place *place)
{
    if (!place->buffer)
        text_add(v->why, " at home");
    else
        text_add(v->why, " in the buffer of node %d", (int)(place->buffer - v->p->nodes));
    if (place->block) text_add(v->why, " of block %d", place->block);
}

/* "field 'u' [1, 3) x [0, 4) x [0, 1) in the buffer of node 3" */
void proof_say_where(const proof *v, const plan_place *place, int slot, const grid_box *box)
{
    text_add(v->why, "field '%s' ", proof_slot_name(v, slot));
    grid_box_print(v->why, box, v->a->slots[slot]->shape.rank);
    say_place(v, place);
}

bool proof_refuse(proof *v)
{
    v->wrong = true;
    return false;
}

/* ---- what should be there -------------------------------------------------------------------- */

/* Cuts boxes of a slot by the loops before `loop` that wrote them last, and calls `use` for each
 * part; false when that does. */
typedef bool use_part(void *data, const grid_box *part, int writer);

static bool each_writer(proof *v, int loop, int slot, int component, const grid_box *box,
                        use_part *use, void *data)
{
    static const bool no_wrap[3];
    static const int64_t no_shift[3];
    grid_region rest = {0};
    bool done = grid_region_add(&rest, box), whole = done; /* whole: memory was not out */
    for (int l = loop - 1; l >= 0 && rest.count && done; l--) {
        const analysis_loop *before = &v->a->loops[l];
        for (int t = 0; t < before->touch_count && done; t++) {
            const analysis_touch *touch = &before->touches[t];
            grid_box ends[ANALYSIS_LANDINGS];
            if (!touch->writes || touch->slot != slot || touch->component != component) continue;
            int count = analysis_landings(before, touch, &touch->at, no_wrap, no_shift, ends);
            for (int e = 0; e < count && done; e++) {
                for (size_t i = 0; i < rest.count && done; i++) {
                    grid_box part = grid_box_intersect(&rest.boxes[i], &ends[e]);
                    if (!grid_box_is_empty(&part)) done = use(data, &part, l);
                }
                whole = whole && grid_region_cut(&rest, &ends[e]);
                done = done && whole;
            }
        }
    }
    for (size_t i = 0; i < rest.count && done; i++) done = use(data, &rest.boxes[i], -1);
    if (!whole) v->no_memory = true;
    grid_region_free(&rest);
    return done;
}

/* ---- contents of places ---------------------------------------------------------------------- */

static const content_entry *entry_in(const content *c, const proof_reading *r, const grid_box *box)
{
    for (size_t i = 0; i < c->count; i++) {
        const content_entry *e = &c->entries[i];
        grid_box both = grid_box_intersect(&e->box, box);
        if (e->slot == r->slot && e->component == r->component && !grid_box_is_empty(&both))
            return e;
    }
    return NULL;
}

static bool missing(const proof_reading *r, const grid_box *box, int writer)
{
    proof *v = r->v;
    const content_entry *there = entry_in(r->place->data, r, box);
    if (r->loop < v->a->loop_count)
        text_add(v->why, "loop %d '%s' needs ", r->loop, proof_loop_name(v, r->loop));
    else
        text_add(v->why, "the chain ends and needs ");
    proof_say_where(v, r->place, r->slot, box);
    text_add(v->why, " to be ");
    proof_say_writer(v, writer);
    text_add(v->why, ", but finds ");
    if (there)
        proof_say_writer(v, there->writer);
    else
        text_add(v->why, "nothing");
    return proof_refuse(v);
}

static bool check_part(void *data, const grid_box *part, int writer)
{
    const proof_reading *r = data;
    const content *c = r->place->data;
    grid_region rest = {0};
    grid_box there = *part;
    for (int d = 0; d < 3; d++) {
        there.lo[d] += r->shift[d];
        there.hi[d] += r->shift[d];
    }
    bool whole = grid_region_add(&rest, &there);
    for (size_t i = 0; whole && i < c->count && rest.count; i++) {
        const content_entry *e = &c->entries[i];
        if (e->slot == r->slot && e->component == r->component &&
            (e->writer == writer || (r->also >= 0 && e->writer == r->also)))
            whole = grid_region_cut(&rest, &e->box);
    }
    bool found = whole && (rest.count == 0 || missing(r, &rest.boxes[0], writer));
    if (!whole) r->v->no_memory = true;
    grid_region_free(&rest);
    return found;
}

/* A box as a place counts it, image by image. */
static bool check_images(proof_reading *r, const grid_box *box, int d, grid_box *inside)
{
    if (d == 3) return each_writer(r->v, r->loop, r->slot, r->component, inside, check_part, r);
    int64_t n = chain_slot_axis(r->v->a->slots[r->slot], d).cells, first = 0, last = 0;
    if (r->place->wraps[d]) {
        first = floor_divide(box->lo[d], n);
        last = floor_divide(box->hi[d] - 1, n);
    }
    for (int64_t image = first; image <= last; image++) {
        r->shift[d] = image * n;
        inside->lo[d] = box->lo[d] - image * n;
        inside->hi[d] = box->hi[d] - image * n;
        if (first < last || image) {
            if (inside->lo[d] < 0) inside->lo[d] = 0;
            if (inside->hi[d] > n) inside->hi[d] = n;
        }
        if (!check_images(r, box, d + 1, inside)) return false;
    }
    return true;
}

/* Whether a box of a place holds what loop r->loop should find there. */
bool proof_check_box(proof_reading *r, const grid_box *box)
{
    grid_box inside;
    return check_images(r, box, 0, &inside);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Whether a box has room in a buffer. */
bool proof_fits(proof *v, const plan_place *place, int slot, const grid_box *box)
{
    for (int d = 0; d < 3 && place->buffer; d++) {
        int64_t capacity = place->buffer->capacity[d];
        if (!capacity || box->hi[d] - box->lo[d] <= capacity) continue;
        proof_say_where(v, place, slot, box);
        text_add(v->why, " does not fit: there is room for %" PRId64 " along %c", capacity,
                 "xyz"[d]);
        return proof_refuse(v);
    }
    return true;
}

/* What a write to a buffer pushes out: the points at the same place modulo its capacity. */
static bool push_out(proof *v, const plan_place *place, int slot, int component,
                     const grid_box *box)
{
    bool pushed = false;
    for (int d = 0; d < 3; d++) {
        int64_t capacity = place->buffer->capacity[d];
        if (!capacity) continue;
        grid_box below = *box, above = *box;
        for (int e = 0; e < d; e++) { /* others may come round as well */
            if (!place->buffer->capacity[e]) continue;
            below.lo[e] = above.lo[e] = -PLAN_FAR;
            below.hi[e] = above.hi[e] = PLAN_FAR;
        }
        below.hi[d] = box->hi[d] - capacity;
        below.lo[d] = -PLAN_FAR;
        above.lo[d] = box->lo[d] + capacity;
        above.hi[d] = PLAN_FAR;
        if (content_clear(place->data, component, &below)) pushed = true;
        if (content_clear(place->data, component, &above)) pushed = true;
    }
    bool shared = false; /* with other tiles; blocks have places of their own */
    for (int i = 0; i < v->lane_depth; i++)
        shared = shared ||
                 (v->lanes[i].node->kind == PLAN_TILE && place->number < v->lanes[i].own_places);
    if (!pushed || !shared) return true;
    proof_say_where(v, place, slot, box);
    text_add(v->why, " pushes out values of a buffer that parallel tiles share");
    return proof_refuse(v);
}

bool proof_set_box(proof *v, const plan_place *place, int slot, int component, const grid_box *box,
                   int writer)
{
    if (!proof_fits(v, place, slot, box) ||
        (place->buffer && !push_out(v, place, slot, component, box)))
        return false;
    grid_box field = chain_slot_memory(v->a->slots[slot]);
    for (int d = 0; d < 3; d++) {
        if (place->buffer && place->buffer->capacity[d]) continue;
        if (box->lo[d] >= field.lo[d] && box->hi[d] <= field.hi[d]) continue;
        proof_say_where(v, place, slot, box);
        text_add(v->why, " lies outside the field");
        return proof_refuse(v);
    }
    content_set(place->data, (content_entry){slot, component, writer, *box});
    if (((content *)place->data)->failed) v->no_memory = true;
    return !v->no_memory;
}

/* Checks what of a box is not written by the run itself on an earlier level. */
bool proof_check_beside(proof_reading *r, const grid_box *box, const proof_target *own)
{
    grid_region rest = {0};
    bool done = grid_region_add(&rest, box);
    for (int i = 0; i < own->count && done; i++)
        if (own->pieces[i].place == r->place) done = grid_region_cut(&rest, &own->pieces[i].box);
    if (!done) r->v->no_memory = true;
    for (size_t i = 0; i < rest.count && done; i++) done = proof_check_box(r, &rest.boxes[i]);
    grid_region_free(&rest);
    return done;
}

/* ---- places ---------------------------------------------------------------------------------- */

bool proof_open(void *data, plan_place *place)
{
    proof *v = data;
    place->data = calloc(1, sizeof(content));
    v->places = place->number + 1;
    if (!place->data) v->no_memory = true;
    return place->data;
}

bool proof_close(void *data, plan_place *place)
{
    proof *v = data;
    bool busy = false;
    for (size_t i = 0; i < v->move_count && !v->wrong; i++)
        busy = busy || v->moves[i].from.number == place->number ||
               v->moves[i].to.number == place->number;
    if (place->data) content_free(place->data);
    free(place->data);
    if (!busy) return true;
    text_add(v->why, "the buffer of node %d ends with a move under way",
             (int)(place->buffer - v->p->nodes));
    return proof_refuse(v);
}
