/* The content of places: which loop wrote which box last, and which should have. */
#include "plan/proof.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- messages -------------------------------------------------------------------------------- */

static const char *loop_name(const proof *v, int loop)
{
    return v->a->loops[loop].loop->kernel->name;
}

const char *proof_slot_name(const proof *v, int slot)
{
    const char *name = plan_slot_name(v->a, slot);
    return name ? name : "a field";
}

static bool refuse(proof *v, const char *format, va_list list)
{
    text_add_list(v->why, format, list);
    v->wrong = true;
    return false;
}

bool proof_refuse(proof *v, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    refuse(v, format, list);
    va_end(list);
    return false;
}

bool proof_refuse_loop(proof *v, int loop, const char *format, ...)
{
    va_list list;
    text_add(v->why, "loop %d '%s' ", loop, loop_name(v, loop));
    va_start(list, format);
    refuse(v, format, list);
    va_end(list);
    return false;
}

static void say_where(const proof *v, const plan_place *place, int slot, const grid_box *box)
{
    text_add(v->why, "field '%s' ", proof_slot_name(v, slot));
    grid_box_print(v->why, box, v->a->slots[slot]->shape.rank);
    if (!place->buffer)
        text_add(v->why, " at home");
    else
        text_add(v->why, " in the buffer of node %d", (int)(place->buffer - v->p->nodes));
    if (place->block) text_add(v->why, " of block %d", place->block);
}

bool proof_refuse_box(proof *v, const plan_place *place, int slot, const grid_box *box,
                      const char *format, ...)
{
    va_list list;
    say_where(v, place, slot, box);
    va_start(list, format);
    refuse(v, format, list);
    va_end(list);
    return false;
}

bool proof_no_memory(proof *v)
{
    v->no_memory = true;
    return false;
}

void proof_say_needs(const proof *v, int loop)
{
    if (loop < v->a->loop_count)
        text_add(v->why, "loop %d '%s' needs ", loop, loop_name(v, loop));
    else
        text_add(v->why, "the chain ends and needs ");
}

static void say_writer(const proof *v, int writer)
{
    if (writer == CONTENT_NONE)
        text_add(v->why, "nothing");
    else if (writer == CONTENT_FIRST)
        text_add(v->why, "its value before the chain");
    else
        text_add(v->why, "the value of loop %d '%s'", writer, loop_name(v, writer));
}

bool proof_refuse_writer(proof *v, int wanted, int found)
{
    text_add(v->why, " to be ");
    say_writer(v, wanted);
    text_add(v->why, ", but finds ");
    say_writer(v, found);
    v->wrong = true;
    return false;
}

const analysis_touch *proof_earlier_write(const analysis_loop *l, const analysis_touch *t)
{
    const ir_kernel *kernel = l->loop->kernel;
    if (!kernel->direction || t->writes || ir_level_after(kernel, t->lo) >= 0) return NULL;
    for (int i = 0; i < l->touch_count; i++)
        if (l->touches[i].writes && l->touches[i].slot == t->slot &&
            l->touches[i].component == t->component)
            return &l->touches[i];
    return NULL;
}

/* ---- what should be there -------------------------------------------------------------------- */

/* Checks that the place holds values of loop `writer` in a whole box of the field. */
static bool check_part(const proof_reading *r, const grid_box *box, int writer)
{
    const content *c = r->place->data;
    content_query wanted = {r->slot, r->component, writer, r->also};
    content_query any = {r->slot, r->component, CONTENT_ANY, CONTENT_NONE};
    grid_box there = grid_box_moved(box, r->shift, 1), missing;
    if (content_holds(c, &wanted, &there, &missing)) return true;
    const content_entry *found = content_find(c, &any, &missing);
    proof_say_needs(r->v, r->loop);
    say_where(r->v, r->place, r->slot, &missing);
    return proof_refuse_writer(r->v, writer, found ? found->writer : CONTENT_NONE);
}

/* Checks that each part of a box holds values of the last loop before `end` that wrote there. */
static bool check_written(const proof_reading *r, int end, const grid_box *box);

/* The same for a box of which loop `l` wrote the part `wrote`, and no later loop anything. */
static bool check_around(const proof_reading *r, int l, const grid_box *box, const grid_box *wrote)
{
    grid_box pieces[6], part = grid_box_intersect(box, wrote);
    bool right = check_part(r, &part, l);
    int count = grid_box_subtract(box, wrote, pieces);
    for (int k = 0; k < count && right; k++) right = check_written(r, l + 1, &pieces[k]);
    return right;
}

static bool check_written(const proof_reading *r, int end, const grid_box *box)
{
    static const bool no_wrap[3];
    static const int64_t no_shift[3];
    grid_box wrote[ANALYSIS_RESOLVED_BOXES];
    for (int l = end - 1; l >= 0; l--)
        for (int i = 0; i < r->v->a->loops[l].touch_count; i++) {
            const analysis_touch *t = &r->v->a->loops[l].touches[i];
            if (!t->writes || t->slot != r->slot || t->component != r->component) continue;
            int count =
                analysis_resolved_boxes(&r->v->a->loops[l], t, &t->at, no_wrap, no_shift, wrote);
            for (int k = 0; k < count; k++)
                if (grid_box_meet(box, &wrote[k])) return check_around(r, l, box, &wrote[k]);
        }
    return check_part(r, box, CONTENT_FIRST);
}

/* Checks a box by the indices of a place: along a dimension that wraps, the box may reach into
 * images of the grid, which are checked one by one. */
static bool check_images(proof_reading *r, const grid_box *box, int d, grid_box *inside)
{
    if (d == 3) return grid_box_is_empty(inside) || check_written(r, r->loop, inside);
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
            inside->lo[d] = larger(inside->lo[d], 0);
            inside->hi[d] = smaller(inside->hi[d], n);
        }
        if (!check_images(r, box, d + 1, inside)) return false;
    }
    return true;
}

bool proof_check_box(proof_reading *r, const grid_box *box)
{
    grid_box inside = {.lo = {0}};
    return check_images(r, box, 0, &inside);
}

/* ---- writing --------------------------------------------------------------------------------- */

bool proof_fits(proof *v, const plan_place *place, int slot, const grid_box *box)
{
    for (int d = 0; d < 3 && place->buffer; d++) {
        int64_t capacity = place->buffer->capacity[d];
        if (capacity && box->hi[d] - box->lo[d] > capacity)
            return proof_refuse_box(v, place, slot, box,
                                    " does not fit: there is room for %" PRId64 " along %c",
                                    capacity, "xyz"[d]);
    }
    return true;
}

/* Clears the values that a write to a buffer overwrites: points at equal indices modulo its
 * capacity. */
static bool push_out(proof *v, const plan_place *place, int slot, int component,
                     const grid_box *box)
{
    bool pushed = false;
    grid_box all = *box;
    for (int d = 0; d < 3; d++) {
        int64_t capacity = place->buffer->capacity[d];
        if (!capacity) continue;
        grid_box below = all, above = all;
        below.lo[d] = all.lo[d] = -PLAN_FAR; /* further dimensions may come round as well */
        below.hi[d] = box->hi[d] - capacity;
        above.lo[d] = box->lo[d] + capacity;
        above.hi[d] = all.hi[d] = PLAN_FAR;
        if (content_clear(place->data, component, &below)) pushed = true;
        if (content_clear(place->data, component, &above)) pushed = true;
    }
    bool shared = false; /* with other tiles; blocks have places of their own */
    for (int i = 0; i < v->lane_depth; i++)
        shared = shared ||
                 (v->lanes[i].node->kind == PLAN_TILE && place->number < v->lanes[i].own_places);
    return !pushed || !shared ||
           proof_refuse_box(v, place, slot, box,
                            " pushes out values of a buffer that parallel tiles share");
}

bool proof_set_box(proof *v, const plan_place *place, int slot, int component, const grid_box *box,
                   int writer)
{
    content *c = place->data;
    grid_box field = chain_slot_memory(v->a->slots[slot]);
    if (!proof_fits(v, place, slot, box) ||
        (place->buffer && !push_out(v, place, slot, component, box)))
        return false;
    for (int d = 0; d < 3; d++)
        if (!(place->buffer && place->buffer->capacity[d]) &&
            (box->lo[d] < field.lo[d] || box->hi[d] > field.hi[d]))
            return proof_refuse_box(v, place, slot, box, " lies outside the field");
    content_set(c, (content_entry){slot, component, writer, *box});
    return !c->failed || proof_no_memory(v);
}

/* ---- places ---------------------------------------------------------------------------------- */

bool proof_open(void *data, plan_place *place)
{
    proof *v = data;
    place->data = calloc(1, sizeof(content));
    v->places = place->number + 1;
    return place->data || proof_no_memory(v);
}

bool proof_close(void *data, plan_place *place)
{
    proof *v = data;
    bool busy = false;
    for (size_t i = 0; i < v->move_count && !v->wrong; i++)
        busy = busy || v->moves[i].from->number == place->number ||
               v->moves[i].to->number == place->number;
    if (place->data) content_free(place->data);
    free(place->data);
    return !busy || proof_refuse(v, "the buffer of node %d ends with a move under way",
                                 (int)(place->buffer - v->p->nodes));
}
