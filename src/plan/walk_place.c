/* Boxes and places as they are around a leaf. */
#include "plan/walk.h"

/* ---- boxes of leaves ------------------------------------------------------------------------- */

int64_t walk_period(const plan_walk *w, int d)
{
    for (int i = 0; i < w->frame_count; i++)
        if (w->frames[i].node->period[d]) return w->frames[i].node->period[d];
    return 0;
}

grid_box walk_whole_box(const plan_walk *w, const plan_node *leaf)
{
    if (leaf->kind == PLAN_LOOP) return w->a->loops[leaf->loop].loop->box;
    grid_box box = chain_slot_memory(w->a->slots[leaf->slot]);
    for (int d = 0; d < 3; d++) {
        if (!walk_period(w, d)) continue;
        box.lo[d] = 0; /* a last face is the first one */
        box.hi[d] = walk_period(w, d);
    }
    for (int d = 0; d < 3; d++) {
        const plan_span *only = &leaf->only[d];
        if (only->lo >= only->hi) continue;
        box.lo[d] = larger(box.lo[d], only->lo);
        box.hi[d] = smaller(box.hi[d], only->hi);
    }
    return box;
}

/* The end of a clip, in points of a leaf. Parts that meet at an end share no point. */
static int64_t in_points(int64_t end, int64_t scale)
{
    return end <= -PLAN_FAR || end >= PLAN_FAR ? end : analysis_coarse(end, scale);
}

plan_span walk_clip(const plan_walk *w, const plan_node *node, int d, bool core)
{
    plan_span clip = {-PLAN_FAR, PLAN_FAR};
    int leaf = node->leaf;
    for (int i = 0; i < w->frame_count; i++) {
        const walk_frame *f = &w->frames[i];
        if (f->node->kind == PLAN_TILE && f->node->dimension != d) continue;
        plan_span span = *plan_span_of(f->node, leaf, d);
        if (span.hi >= PLAN_FAR) continue;
        if (f->node->seam && f->box.lo[d] == 0) span.lo = plan_seam_of(f->node, leaf)->lo;
        if (f->node->seam && f->box.hi[d] == f->node->period[d])
            span.hi = plan_seam_of(f->node, leaf)->hi;
        if (core && (f->node->overlap || f->node->kind == PLAN_BLOCKS)) span = (plan_span){0, 0};
        clip.lo = larger(clip.lo, f->box.lo[d] + span.lo);
        clip.hi = smaller(clip.hi, f->box.hi[d] + span.hi);
    }
    clip.lo = in_points(clip.lo, plan_scale_of(node, d));
    clip.hi = in_points(clip.hi, plan_scale_of(node, d));
    return clip;
}

/* ---- places ---------------------------------------------------------------------------------- */

const plan_place *plan_innermost(const plan_walk *walk, int slot) { return walk->inner[slot]; }

static const walk_frame *frame_of(const plan_walk *w, int node)
{
    for (int i = 0; i < w->frame_count; i++)
        if (w->frames[i].node == &w->p->nodes[node]) return &w->frames[i];
    return NULL;
}

/* The part of a box that is looked for in a place. */
static grid_box window_of(const plan_walk *w, const plan_place *place, const grid_box *box)
{
    grid_box part = *box;
    const walk_frame *f =
        place->buffer && place->buffer->window ? frame_of(w, place->buffer->window) : NULL;
    if (!f) return part;
    int d = f->node->dimension;
    part.lo[d] = larger(part.lo[d], f->box.lo[d] + place->buffer->reach.lo);
    part.hi[d] = smaller(part.hi[d], f->box.hi[d] + place->buffer->reach.hi);
    return part;
}

plan_place *walk_outer_place(const plan_place *place, int slot)
{
    return place->slot == slot ? place->outer : place->alias_outer;
}

static int add_pieces(const plan_walk *w, plan_place *place, int slot, const grid_box *box,
                      plan_piece *out, int room)
{
    grid_box part = window_of(w, place, box), rest[6];
    int count = 0;
    if (!grid_box_is_empty(&part) && room > 0) out[count++] = (plan_piece){place, part};
    int others = grid_box_subtract(box, &part, rest);
    for (int i = 0; i < others && walk_outer_place(place, slot); i++)
        count +=
            add_pieces(w, walk_outer_place(place, slot), slot, &rest[i], out + count, room - count);
    return count;
}

int plan_pieces(const plan_walk *walk, int slot, const grid_box *box, plan_piece out[PLAN_PIECES])
{
    return add_pieces(walk, walk->inner[slot], slot, box, out, PLAN_PIECES);
}

plan_place walk_make_place(plan_walk *w, const plan_node *n)
{
    plan_place place = {.number = w->place_count++,
                        .slot = n->slot,
                        .alias = n->alias,
                        .buffer = n,
                        .block = w->block,
                        .outer = w->inner[n->slot]};
    if (n->alias >= 0) place.alias_outer = w->inner[n->alias];
    for (int d = 0; d < 3; d++) place.wraps[d] = walk_period(w, d) > 0;
    return place;
}

bool walk_open_place(plan_walk *w, plan_place *place)
{
    w->inner[place->slot] = place;
    if (place->alias >= 0) w->inner[place->alias] = place;
    return !w->visitor->open || w->visitor->open(w->visitor->data, place);
}

bool walk_close_place(plan_walk *w, plan_place *place)
{
    w->inner[place->slot] = place->outer;
    if (place->alias >= 0) w->inner[place->alias] = place->alias_outer;
    return !w->visitor->close || w->visitor->close(w->visitor->data, place);
}
