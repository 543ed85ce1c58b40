/* The verifier: a visitor that keeps, for each place, which loop wrote what last. */
#include "plan/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A move under way. */
typedef struct pending {
    plan_copy copy;
    plan_place from, to; /* as they were */
} pending;

/* What a parallel tile touched outside. */
typedef struct lane_touch {
    int lane, place, component;
    int loop; /* coloured; -1: any other */
    bool writes;
    grid_box box;
} lane_touch;

typedef struct lanes {
    const plan_node *node;
    int lane;
    int own_places; /* those from this number on belong to the present lane */
    lane_touch *touches;
    size_t count, room;
} lanes;

enum { MOST_LANES = 8 };

typedef struct verifier {
    const plan *p;
    const analysis_chain *a;
    text *why;
    bool wrong, no_memory;
    int *scalar_writer; /* per slot: the loop that made its present value */
    box_list *counted;  /* per loop: the points that count so far */
    bool *finished;     /* per loop: its reductions, or that it has run without a grid */
    pending *moves;
    size_t move_count, move_room;
    lanes lanes[MOST_LANES];
    int lane_depth, places; /* places: opened so far */
    int colored;            /* the loop being run when it has colours, otherwise -1 */
} verifier;

/* ---- messages -------------------------------------------------------------------------------- */

static const char *loop_name(const verifier *v, int loop)
{
    return v->a->loops[loop].loop->kernel->name;
}

static const char *slot_name(const verifier *v, int slot)
{
    for (int l = 0; l < v->a->loop_count; l++) {
        const chain_loop *loop = v->a->loops[l].loop;
        for (int p = 0; p < loop->kernel->param_count; p++)
            if (loop->bindings[p].slot == v->a->slots[slot] && loop->bindings[p].name)
                return loop->bindings[p].name;
    }
    return "a field";
}

static void say_writer(const verifier *v, int writer)
{
    if (writer < 0)
        text_add(v->why, "its value before the chain");
    else
        text_add(v->why, "the value of loop %d '%s'", writer, loop_name(v, writer));
}

static void say_place(const verifier *v, const plan_place *place)
{
    if (!place->buffer)
        text_add(v->why, " at home");
    else
        text_add(v->why, " in the buffer of node %d", (int)(place->buffer - v->p->nodes));
    if (place->block) text_add(v->why, " of block %d", place->block);
}

/* "field 'u' [1, 3) x [0, 4) x [0, 1) in the buffer of node 3" */
static void say_where(const verifier *v, const plan_place *place, int slot, const grid_box *box)
{
    text_add(v->why, "field '%s' ", slot_name(v, slot));
    grid_box_print(v->why, box, v->a->slots[slot]->shape.rank);
    say_place(v, place);
}

static bool refuse(verifier *v)
{
    v->wrong = true;
    return false;
}

/* ---- what should be there -------------------------------------------------------------------- */

/* Cuts boxes of a slot by the loops before `loop` that wrote them last, and calls `use` for each
 * part; false when that does. */
typedef bool use_part(void *data, const grid_box *part, int writer);

static bool each_writer(verifier *v, int loop, int slot, int component, const grid_box *box,
                        use_part *use, void *data)
{
    static const bool no_wrap[3];
    static const int64_t no_shift[3];
    box_list rest = {0};
    bool done = true;
    box_list_add(&rest, box);
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
                box_list_cut(&rest, &ends[e]);
            }
        }
    }
    for (size_t i = 0; i < rest.count && done; i++) done = use(data, &rest.boxes[i], -1);
    if (rest.failed) v->no_memory = true;
    box_list_free(&rest);
    return done && !v->no_memory;
}

/* ---- contents of places ---------------------------------------------------------------------- */

typedef struct reading {
    verifier *v;
    const plan_place *place;
    int slot, component, loop;
    int also; /* a loop whose value will do as well; -1: none */
    int64_t shift[3];
} reading;

static const content_entry *entry_in(const content *c, const reading *r, const grid_box *box)
{
    for (size_t i = 0; i < c->count; i++) {
        const content_entry *e = &c->entries[i];
        grid_box both = grid_box_intersect(&e->box, box);
        if (e->slot == r->slot && e->component == r->component && !grid_box_is_empty(&both))
            return e;
    }
    return NULL;
}

static bool missing(const reading *r, const grid_box *box, int writer)
{
    verifier *v = r->v;
    const content_entry *there = entry_in(r->place->data, r, box);
    if (r->loop < v->a->loop_count)
        text_add(v->why, "loop %d '%s' needs ", r->loop, loop_name(v, r->loop));
    else
        text_add(v->why, "the chain ends and needs ");
    say_where(v, r->place, r->slot, box);
    text_add(v->why, " to be ");
    say_writer(v, writer);
    text_add(v->why, ", but finds ");
    if (there)
        say_writer(v, there->writer);
    else
        text_add(v->why, "nothing");
    return refuse(v);
}

static bool check_part(void *data, const grid_box *part, int writer)
{
    const reading *r = data;
    const content *c = r->place->data;
    box_list rest = {0};
    grid_box there = *part;
    for (int d = 0; d < 3; d++) {
        there.lo[d] += r->shift[d];
        there.hi[d] += r->shift[d];
    }
    box_list_add(&rest, &there);
    for (size_t i = 0; i < c->count && rest.count; i++) {
        const content_entry *e = &c->entries[i];
        if (e->slot == r->slot && e->component == r->component &&
            (e->writer == writer || (r->also >= 0 && e->writer == r->also)))
            box_list_cut(&rest, &e->box);
    }
    bool found = rest.count == 0 || missing(r, &rest.boxes[0], writer);
    if (rest.failed) r->v->no_memory = true;
    box_list_free(&rest);
    return found;
}

static int64_t floor_divide(int64_t x, int64_t by) { return x / by - (x % by < 0); }

/* A box as a place counts it, image by image. */
static bool check_images(reading *r, const grid_box *box, int d, grid_box *inside)
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
static bool check_box(reading *r, const grid_box *box)
{
    grid_box inside;
    return check_images(r, box, 0, &inside);
}

/* ---- parallel tiles and moves under way ------------------------------------------------------ */

static bool note_lanes(verifier *v, const plan_place *place, int component, const grid_box *box,
                       bool writes)
{
    for (int i = 0; i < v->lane_depth; i++) {
        lanes *l = &v->lanes[i];
        void *touches = l->touches;
        if (place->number >= l->own_places) continue;
        if (!vector_reserve(&touches, &l->room, l->count + 1, sizeof *l->touches)) {
            v->no_memory = true;
            return false;
        }
        l->touches = touches;
        l->touches[l->count++] =
            (lane_touch){l->lane, place->number, component, v->colored, writes, *box};
    }
    return true;
}

/* Whether two boxes of a place use the same memory: indices a capacity apart do. */
static bool meets(const plan_place *place, const grid_box *box, int number, const grid_box *other)
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
static bool touch_box(verifier *v, const plan_place *place, int slot, int component,
                      const grid_box *box, bool writes)
{
    for (size_t i = 0; i < v->move_count; i++) {
        const pending *m = &v->moves[i];
        grid_box from = m->copy.box;
        for (int d = 0; d < 3; d++) {
            from.lo[d] += m->copy.shift[d];
            from.hi[d] += m->copy.shift[d];
        }
        if (meets(place, box, m->to.number, &m->copy.box) ||
            (writes && meets(place, box, m->from.number, &from))) {
            say_where(v, place, slot, box);
            text_add(v->why, " is %s while move %d is under way", writes ? "written" : "read",
                     m->copy.tag);
            return refuse(v);
        }
    }
    return note_lanes(v, place, component, box, writes);
}

static bool tile(void *data, const plan_node *node)
{
    verifier *v = data;
    lanes *top = v->lane_depth ? &v->lanes[v->lane_depth - 1] : NULL;
    if (node && top && top->node == node) {
        top->lane++;
        top->own_places = v->places;
        return true;
    }
    if (node) {
        if (v->lane_depth == MOST_LANES) {
            text_add(v->why, "parallel tiles are nested more than %d deep", MOST_LANES);
            return refuse(v);
        }
        v->lanes[v->lane_depth++] = (lanes){.node = node, .own_places = v->places};
        return true;
    }
    bool met = false;
    for (size_t i = 0; top && i < top->count && !met; i++)
        for (size_t j = 0; j < i && !met; j++) {
            const lane_touch *x = &top->touches[i], *y = &top->touches[j];
            grid_box both = grid_box_intersect(&x->box, &y->box);
            bool own = x->loop >= 0 && x->loop == y->loop; /* its colours do not meet */
            met = !own && x->lane != y->lane && (x->writes || y->writes) && x->place == y->place &&
                  x->component == y->component && !grid_box_is_empty(&both);
            if (met) {
                text_add(v->why, "parallel tiles of node %d both touch ",
                         (int)(top->node - v->p->nodes));
                grid_box_print(v->why, &both, 3);
                text_add(v->why, " of one field, and one writes it");
            }
        }
    if (top) free(top->touches);
    if (top) v->lane_depth--;
    return !met || refuse(v);
}

/* ---- copies along dimensions that wrap --------------------------------------------------------
 */

/* Whether what is copied over a seam are points: the last face of a periodic field, and ghosts, are
 * kept at home but have no copies elsewhere. */
static bool is_shared(verifier *v, const plan_copy *copy, const grid_box *source)
{
    for (int d = 0; d < 3; d++) {
        int64_t cells = chain_slot_axis(v->a->slots[copy->slot], d).cells;
        bool from = copy->from->wraps[d] || (source->lo[d] >= 0 && source->hi[d] <= cells);
        bool to = copy->to->wraps[d] || (copy->box.lo[d] >= 0 && copy->box.hi[d] <= cells);
        if (!copy->shift[d] || (from && to)) continue;
        say_where(v, copy->from, copy->slot, source);
        text_add(v->why, " is copied over a seam, but holds more than its points");
        return refuse(v);
    }
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Whether a box has room in a buffer. */
static bool fits(verifier *v, const plan_place *place, int slot, const grid_box *box)
{
    for (int d = 0; d < 3 && place->buffer; d++) {
        int64_t capacity = place->buffer->capacity[d];
        if (!capacity || box->hi[d] - box->lo[d] <= capacity) continue;
        say_where(v, place, slot, box);
        text_add(v->why, " does not fit: there is room for %" PRId64 " along %c", capacity,
                 "xyz"[d]);
        return refuse(v);
    }
    return true;
}

/* What a write to a buffer pushes out: the points at the same place modulo its capacity. */
static bool push_out(verifier *v, const plan_place *place, int slot, int component,
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
    say_where(v, place, slot, box);
    text_add(v->why, " pushes out values of a buffer that parallel tiles share");
    return refuse(v);
}

static bool set_box(verifier *v, const plan_place *place, int slot, int component,
                    const grid_box *box, int writer)
{
    if (!fits(v, place, slot, box) || (place->buffer && !push_out(v, place, slot, component, box)))
        return false;
    grid_box field = chain_slot_memory(v->a->slots[slot]);
    for (int d = 0; d < 3; d++) {
        if (place->buffer && place->buffer->capacity[d]) continue;
        if (box->lo[d] >= field.lo[d] && box->hi[d] <= field.hi[d]) continue;
        say_where(v, place, slot, box);
        text_add(v->why, " lies outside the field");
        return refuse(v);
    }
    content_set(place->data, (content_entry){slot, component, writer, *box});
    if (((content *)place->data)->failed) v->no_memory = true;
    return !v->no_memory;
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* The boxes that a touch of a run ends in, place by place. */
typedef struct target {
    plan_piece pieces[ANALYSIS_LANDINGS * 2];
    int count;
} target;

static bool find_target(verifier *v, const plan_walk *walk, const plan_run *run,
                        const analysis_touch *t, target *out)
{
    const plan_place *innermost = plan_innermost(walk, t->slot);
    grid_box boxes[ANALYSIS_LANDINGS];
    int64_t shift[3];
    for (int d = 0; d < 3; d++) shift[d] = innermost->wraps[d] ? run->shift[d] : 0;
    int count =
        analysis_landings(&v->a->loops[run->loop], t, &run->box, innermost->wraps, shift, boxes);
    out->count = 0;
    for (int i = 0; i < count; i++) {
        plan_piece pieces[PLAN_PIECES];
        int n = plan_pieces(walk, t->slot, &boxes[i], pieces);
        for (int k = 0; k < n; k++) {
            if (out->count == COUNT_OF(out->pieces)) {
                text_add(v->why, "loop %d '%s' finds a field in too many places", run->loop,
                         loop_name(v, run->loop));
                return refuse(v);
            }
            out->pieces[out->count++] = pieces[k];
        }
    }
    return true;
}

static bool check_scalar(verifier *v, int loop, const analysis_touch *t)
{
    int writer = -1;
    for (int l = loop - 1; l >= 0 && writer < 0; l--)
        for (int i = 0; i < v->a->loops[l].touch_count; i++)
            if (v->a->loops[l].touches[i].slot == t->slot && v->a->loops[l].touches[i].writes)
                writer = l;
    if (v->scalar_writer[t->slot] == writer) return true;
    if (loop < v->a->loop_count)
        text_add(v->why, "loop %d '%s' needs ", loop, loop_name(v, loop));
    else
        text_add(v->why, "the chain ends and needs ");
    text_add(v->why, "scalar '%s' to be ", slot_name(v, t->slot));
    say_writer(v, writer);
    text_add(v->why, ", but finds ");
    say_writer(v, v->scalar_writer[t->slot]);
    return refuse(v);
}

/* Whether points of a coloured loop read themselves over the seam: in places that wrap, their
 * copies lie at other indices, and may have run already. */
static bool reads_own_copy(const verifier *v, const plan_walk *walk, const plan_run *run,
                           const analysis_touch *t)
{
    const plan_place *innermost = plan_innermost(walk, t->slot);
    bool copy = false;
    if (t->writes || v->a->loops[run->loop].loop->colors <= 1) return false;
    for (int d = 0; d < 3; d++) {
        int64_t n = innermost->wraps[d] ? chain_slot_axis(v->a->slots[t->slot], d).cells : PLAN_FAR;
        if (t->lo[d] % n || t->hi[d] % n) return false;
        copy = copy || t->lo[d] || t->hi[d];
    }
    return copy;
}

/* Whether levels run in order and a touch reads what earlier ones have written. */
static bool reads_earlier(const analysis_loop *l, const analysis_touch *t)
{
    const ir_kernel *kernel = l->loop->kernel;
    if (!kernel->direction || t->writes || ir_level_after(kernel, t->lo) >= 0) return false;
    for (int i = 0; i < l->touch_count; i++)
        if (l->touches[i].writes && l->touches[i].slot == t->slot &&
            l->touches[i].component == t->component)
            return true;
    return false;
}

/* What the run itself writes of what a touch reads. */
static bool find_own(verifier *v, const plan_walk *walk, const plan_run *run,
                     const analysis_touch *t, target *own)
{
    const analysis_loop *l = &v->a->loops[run->loop];
    for (int i = 0; i < l->touch_count; i++)
        if (l->touches[i].writes && l->touches[i].slot == t->slot &&
            l->touches[i].component == t->component)
            return find_target(v, walk, run, &l->touches[i], own);
    return true;
}

/* Checks what of a box is not written by the run itself on an earlier level. */
static bool check_beside(reading *r, const grid_box *box, const target *own)
{
    box_list rest = {0};
    bool done = true;
    box_list_add(&rest, box);
    for (int i = 0; i < own->count; i++)
        if (own->pieces[i].place == r->place) box_list_cut(&rest, &own->pieces[i].box);
    for (size_t i = 0; i < rest.count && done; i++) done = check_box(r, &rest.boxes[i]);
    if (rest.failed) r->v->no_memory = true;
    box_list_free(&rest);
    return done && !r->v->no_memory;
}

/* Reads, and of writes what has to be there before. `after` its writes a run is to find what it
 * read, too, but for what it has written itself: its points run one after another. */
static bool check_touch(verifier *v, const plan_walk *walk, const plan_run *run,
                        const analysis_touch *t, bool after)
{
    const analysis_loop *l = &v->a->loops[run->loop];
    if (v->a->slots[t->slot]->is_scalar) return t->writes || check_scalar(v, run->loop, t);
    if (t->writes && (after || !t->keeps)) return true;
    target ends;
    if (reads_own_copy(v, walk, run, t)) {
        text_add(v->why, "points of loop %d '%s' read themselves over the seam", run->loop,
                 loop_name(v, run->loop));
        return refuse(v);
    }
    if (!find_target(v, walk, run, t, &ends)) return false;
    bool earlier = reads_earlier(l, t);
    target own = {.count = 0};
    if (earlier && !find_own(v, walk, run, t, &own)) return false;
    for (int i = 0; i < ends.count; i++) {
        const plan_piece *piece = &ends.pieces[i];
        reading r = {.v = v,
                     .place = piece->place,
                     .slot = t->slot,
                     .component = t->component,
                     .loop = run->loop + earlier,
                     .also = !t->writes && (after || l->loop->colors > 1) ? run->loop : -1};
        if (!touch_box(v, piece->place, t->slot, t->component, &piece->box, false) ||
            !check_beside(&r, &piece->box, &own))
            return false;
    }
    return true;
}

static bool apply_write(verifier *v, const plan_walk *walk, const plan_run *run,
                        const analysis_touch *t)
{
    target ends;
    if (!t->writes || v->a->slots[t->slot]->is_scalar) return true;
    if (!find_target(v, walk, run, t, &ends)) return false;
    for (int i = 0; i < ends.count; i++) {
        const plan_piece *piece = &ends.pieces[i];
        for (int k = 0; k < i; k++) {
            const plan_piece *other = &ends.pieces[k];
            if (!meets(piece->place, &piece->box, other->place->number, &other->box)) continue;
            say_where(v, piece->place, t->slot, &piece->box);
            text_add(v->why, " is written over another part of one loop");
            return refuse(v);
        }
        if (!touch_box(v, piece->place, t->slot, t->component, &piece->box, true) ||
            !set_box(v, piece->place, t->slot, t->component, &piece->box, run->loop))
            return false;
    }
    return true;
}

/* Points that contribute to reductions, or may stop the chain, do so once. */
static bool count_points(verifier *v, const plan_run *run)
{
    const analysis_loop *l = &v->a->loops[run->loop];
    box_list *counted = &v->counted[run->loop];
    if ((!l->reduces && !l->checks) || grid_box_is_empty(&run->core)) return true;
    for (size_t i = 0; i < counted->count; i++) {
        grid_box both = grid_box_intersect(&counted->boxes[i], &run->core);
        if (grid_box_is_empty(&both) || !l->reduces) continue;
        text_add(v->why, "loop %d '%s' counts points ", run->loop, loop_name(v, run->loop));
        grid_box_print(v->why, &both, l->loop->shape.rank);
        text_add(v->why, " twice");
        return refuse(v);
    }
    box_list_cut(counted, &run->core);
    box_list_add(counted, &run->core);
    if (counted->failed) v->no_memory = true;
    return !v->no_memory;
}

static bool run_part(void *data, const plan_walk *walk, const plan_run *run)
{
    verifier *v = data;
    const analysis_loop *l = &v->a->loops[run->loop];
    if (v->finished[run->loop]) {
        text_add(v->why, "loop %d '%s' runs after its reductions were finished", run->loop,
                 loop_name(v, run->loop));
        return refuse(v);
    }
    v->colored = l->loop->colors > 1 ? run->loop : -1;
    for (int t = 0; t < l->touch_count; t++)
        if (!check_touch(v, walk, run, &l->touches[t], false)) return false;
    for (int t = 0; t < l->touch_count; t++)
        if (!apply_write(v, walk, run, &l->touches[t])) return false;
    for (int t = 0; t < l->touch_count; t++)
        if (!check_touch(v, walk, run, &l->touches[t], true)) return false;
    v->colored = -1;
    return count_points(v, run);
}

static bool check_counted(verifier *v, int loop)
{
    const analysis_loop *l = &v->a->loops[loop];
    int64_t points = 0;
    for (size_t i = 0; i < v->counted[loop].count; i++)
        points += grid_box_points(&v->counted[loop].boxes[i]);
    if (points == grid_box_points(&l->loop->box)) return true;
    text_add(v->why, "loop %d '%s' is finished with %" PRId64 " of its %" PRId64 " points", loop,
             loop_name(v, loop), points, grid_box_points(&l->loop->box));
    return refuse(v);
}

static bool scalar(void *data, int loop)
{
    verifier *v = data;
    const analysis_loop *l = &v->a->loops[loop];
    if (v->finished[loop]) {
        text_add(v->why, "loop %d '%s' is finished twice", loop, loop_name(v, loop));
        return refuse(v);
    }
    if (!l->loop->once && !check_counted(v, loop)) return false;
    for (int t = 0; t < l->touch_count; t++) {
        const analysis_touch *touch = &l->touches[t];
        if (!v->a->slots[touch->slot]->is_scalar) continue;
        if ((!touch->writes || touch->keeps) && !check_scalar(v, loop, touch)) return false;
    }
    for (int t = 0; t < l->touch_count; t++)
        if (l->touches[t].writes && v->a->slots[l->touches[t].slot]->is_scalar)
            v->scalar_writer[l->touches[t].slot] = loop;
    v->finished[loop] = true;
    return true;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static grid_box source_box(const plan_copy *copy)
{
    grid_box box = copy->box;
    for (int d = 0; d < 3; d++) {
        box.lo[d] += copy->shift[d];
        box.hi[d] += copy->shift[d];
    }
    return box;
}

static bool copy_component(verifier *v, const plan_copy *copy, int component)
{
    const content *from = copy->from->data;
    grid_box source = source_box(copy);
    box_list rest = {0};
    content_entry *found = calloc(from->count + 1, sizeof *found);
    size_t count = 0;
    bool done = found != NULL;
    if (!done) v->no_memory = true;
    box_list_add(&rest, &source);
    for (size_t i = 0; done && i < from->count; i++) {
        content_entry e = from->entries[i];
        e.box = grid_box_intersect(&e.box, &source);
        if (e.slot != copy->slot || e.component != component || grid_box_is_empty(&e.box)) continue;
        found[count++] = e;
        box_list_cut(&rest, &e.box);
    }
    if (done && rest.count) {
        text_add(v->why, "a move takes what is not there: ");
        say_where(v, copy->from, copy->slot, &rest.boxes[0]);
        done = refuse(v);
    }
    for (size_t i = 0; i < count && done; i++) {
        for (int d = 0; d < 3; d++) {
            found[i].box.lo[d] -= copy->shift[d];
            found[i].box.hi[d] -= copy->shift[d];
        }
        done = set_box(v, copy->to, copy->slot, component, &found[i].box, found[i].writer);
    }
    box_list_free(&rest);
    free(found);
    return done;
}

static bool copy_now(verifier *v, const plan_copy *copy)
{
    grid_box source = source_box(copy);
    if (!is_shared(v, copy, &source) || !fits(v, copy->to, copy->slot, &copy->box)) return false;
    for (int c = 0; c < v->a->slots[copy->slot]->components; c++)
        if (!touch_box(v, copy->from, copy->slot, c, &source, false) ||
            !touch_box(v, copy->to, copy->slot, c, &copy->box, true) || !copy_component(v, copy, c))
            return false;
    return true;
}

static bool copy(void *data, const plan_walk *walk, const plan_copy *copy)
{
    (void)walk;
    verifier *v = data;
    if (!copy->tag) return copy_now(v, copy);
    grid_box source = source_box(copy);
    for (int c = 0; c < v->a->slots[copy->slot]->components; c++)
        if (!touch_box(v, copy->from, copy->slot, c, &source, false) ||
            !touch_box(v, copy->to, copy->slot, c, &copy->box, true))
            return false;
    void *moves = v->moves;
    if (!vector_reserve(&moves, &v->move_room, v->move_count + 1, sizeof *v->moves)) {
        v->no_memory = true;
        return false;
    }
    v->moves = moves;
    v->moves[v->move_count++] = (pending){*copy, *copy->from, *copy->to};
    return true;
}

static bool wait_for(void *data, int tag)
{
    verifier *v = data;
    for (size_t i = 0; i < v->move_count;) {
        pending m = v->moves[i];
        if (m.copy.tag != tag) {
            i++;
            continue;
        }
        memmove(&v->moves[i], &v->moves[i + 1], (v->move_count - i - 1) * sizeof m);
        v->move_count--;
        m.copy.from = &m.from;
        m.copy.to = &m.to;
        if (!copy_now(v, &m.copy)) return false;
    }
    return true;
}

/* ---- places ---------------------------------------------------------------------------------- */

static bool open_place(void *data, plan_place *place)
{
    verifier *v = data;
    place->data = calloc(1, sizeof(content));
    v->places = place->number + 1;
    if (!place->data) v->no_memory = true;
    return place->data;
}

static bool close_place(void *data, plan_place *place)
{
    verifier *v = data;
    bool busy = false;
    for (size_t i = 0; i < v->move_count && !v->wrong; i++)
        busy = busy || v->moves[i].from.number == place->number ||
               v->moves[i].to.number == place->number;
    if (place->data) content_free(place->data);
    free(place->data);
    if (!busy) return true;
    text_add(v->why, "the buffer of node %d ends with a move under way",
             (int)(place->buffer - v->p->nodes));
    return refuse(v);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool check_end(verifier *v, plan_place *homes)
{
    int end = v->a->loop_count;
    for (int l = 0; l < end; l++) {
        const analysis_loop *loop = &v->a->loops[l];
        if (loop->checks && !loop->loop->once && !check_counted(v, l)) return false;
        if (v->finished[l] || (!loop->reduces && !loop->loop->once)) continue;
        text_add(v->why, "loop %d '%s' is never finished", l, loop_name(v, l));
        return refuse(v);
    }
    for (int s = 0; s < v->a->slot_count; s++) {
        const chain_slot *slot = v->a->slots[s];
        grid_box all = chain_slot_memory(slot);
        if (slot->is_scalar && !check_scalar(v, end, &(analysis_touch){.slot = s})) return false;
        if (slot->is_scalar || v->a->dead[s]) continue;
        for (int c = 0; c < slot->components; c++) {
            reading r = {
                .v = v, .place = &homes[s], .slot = s, .component = c, .loop = end, .also = -1};
            if (!check_box(&r, &all)) return false;
        }
    }
    return true;
}

static bool make_homes(verifier *v, plan_place *homes)
{
    for (int s = 0; s < v->a->slot_count; s++) {
        homes[s].data = calloc(1, sizeof(content));
        if (!homes[s].data) return false;
        for (int c = 0; c < v->a->slots[s]->components; c++)
            content_set(homes[s].data,
                        (content_entry){s, c, -1, chain_slot_memory(v->a->slots[s])});
        v->scalar_writer[s] = -1;
    }
    return true;
}

static void release(verifier *v, plan_place *homes)
{
    for (int s = 0; homes && s < v->a->slot_count; s++) {
        if (homes[s].data) content_free(homes[s].data);
        free(homes[s].data);
    }
    for (int l = 0; v->counted && l < v->a->loop_count; l++) box_list_free(&v->counted[l]);
    while (v->lane_depth) free(v->lanes[--v->lane_depth].touches);
    free(v->counted);
    free(v->finished);
    free(v->scalar_writer);
    free(v->moves);
    free(homes);
}

bool plan_verify(const plan *p, const analysis_chain *a, text *why)
{
    int node;
    const char *malformed = plan_check_form(p, a, &node);
    if (malformed) {
        text_add(why, "node %d: %s", node, malformed);
        return false;
    }
    verifier v = {.p = p, .a = a, .why = why, .places = a->slot_count, .colored = -1};
    plan_visitor visitor = {&v,     false,      run_part,    copy, wait_for,
                            scalar, open_place, close_place, tile};
    size_t slots = (size_t)a->slot_count + 1, loops = (size_t)a->loop_count + 1;
    plan_place *homes = calloc(slots, sizeof *homes);
    v.scalar_writer = calloc(slots, sizeof *v.scalar_writer);
    v.counted = calloc(loops, sizeof *v.counted);
    v.finished = calloc(loops, sizeof *v.finished);
    bool right = homes && v.scalar_writer && v.counted && v.finished && make_homes(&v, homes);
    if (right) right = plan_walk_all(p, a, homes, &visitor);
    if (right && v.move_count) {
        text_add(why, "move %d is never waited for", v.moves[0].copy.tag);
        right = refuse(&v);
    }
    if (right) right = check_end(&v, homes);
    if (!right && !v.wrong) text_add(why, "out of memory");
    release(&v, homes);
    return right && !v.no_memory;
}
