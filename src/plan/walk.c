/* Walking a plan: frames and places as they are around each leaf. */
#include "plan/plan.h"

#include <stdlib.h>

enum { MOST_FRAMES = 16 };

/* One turn of a tile, or one block. */
typedef struct frame {
    const plan_node *node;
    grid_box box; /* of TILE, only its dimension counts */
} frame;

struct plan_walk {
    const plan *p;
    const analysis_chain *a;
    const plan_visitor *visitor;
    frame frames[MOST_FRAMES];
    int frame_count;
    plan_place **inner; /* per slot: its innermost place */
    int block;
    const plan_node *blocks;  /* the BLOCKS node around; NULL: none */
    plan_place **block_inner; /* of its blocks: one after another */
    int place_count;
};

static bool walk_node(plan_walk *w, int node);
static bool walk_together(plan_walk *w, int node);

/* ---- boxes of leaves ------------------------------------------------------------------------- */

static int64_t period_of(const plan_walk *w, int d)
{
    for (int i = 0; i < w->frame_count; i++)
        if (w->frames[i].node->period[d]) return w->frames[i].node->period[d];
    return 0;
}

/* What a leaf runs on without frames. */
static grid_box whole_box(const plan_walk *w, const plan_node *leaf)
{
    if (leaf->kind == PLAN_LOOP) return w->a->loops[leaf->loop].loop->box;
    grid_box box = chain_slot_memory(w->a->slots[leaf->slot]);
    for (int d = 0; d < 3; d++) {
        if (!period_of(w, d)) continue;
        box.lo[d] = 0; /* a last face is the first one */
        box.hi[d] = period_of(w, d);
    }
    return box;
}

/* The indices that frames leave a leaf along a dimension. */
static plan_span clip_of(const plan_walk *w, int leaf, int d, bool core)
{
    plan_span clip = {-PLAN_FAR, PLAN_FAR};
    for (int i = 0; i < w->frame_count; i++) {
        const frame *f = &w->frames[i];
        if (f->node->kind == PLAN_TILE && f->node->dimension != d) continue;
        plan_span span = *plan_span_of(f->node, leaf, d);
        if (span.hi >= PLAN_FAR) continue;
        if (core && (f->node->overlap || f->node->kind == PLAN_BLOCKS)) span = (plan_span){0, 0};
        clip.lo = larger(clip.lo, f->box.lo[d] + span.lo);
        clip.hi = smaller(clip.hi, f->box.hi[d] + span.hi);
    }
    return clip;
}

/* ---- places ---------------------------------------------------------------------------------- */

const plan_place *plan_innermost(const plan_walk *walk, int slot) { return walk->inner[slot]; }

static const frame *frame_of(const plan_walk *w, int node)
{
    for (int i = 0; i < w->frame_count; i++)
        if (w->frames[i].node == &w->p->nodes[node]) return &w->frames[i];
    return NULL;
}

/* The part of a box that a place is looked into for. */
static grid_box window_of(const plan_walk *w, const plan_place *place, const grid_box *box)
{
    grid_box part = *box;
    const frame *f =
        place->buffer && place->buffer->window ? frame_of(w, place->buffer->window) : NULL;
    if (!f) return part;
    int d = f->node->dimension;
    part.lo[d] = larger(part.lo[d], f->box.lo[d] + place->buffer->reach.lo);
    part.hi[d] = smaller(part.hi[d], f->box.hi[d] + place->buffer->reach.hi);
    return part;
}

static plan_place *outer_of(const plan_place *place, int slot)
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
    for (int i = 0; i < others && outer_of(place, slot); i++)
        count += add_pieces(w, outer_of(place, slot), slot, &rest[i], out + count, room - count);
    return count;
}

int plan_pieces(const plan_walk *walk, int slot, const grid_box *box, plan_piece out[PLAN_PIECES])
{
    return add_pieces(walk, walk->inner[slot], slot, box, out, PLAN_PIECES);
}

static plan_place make_place(plan_walk *w, const plan_node *n)
{
    plan_place place = {.number = w->place_count++,
                        .slot = n->slot,
                        .alias = n->alias,
                        .buffer = n,
                        .block = w->block,
                        .outer = w->inner[n->slot]};
    if (n->alias >= 0) place.alias_outer = w->inner[n->alias];
    for (int d = 0; d < 3; d++) place.wraps[d] = period_of(w, d) > 0;
    return place;
}

static bool open_place(plan_walk *w, plan_place *place)
{
    w->inner[place->slot] = place;
    if (place->alias >= 0) w->inner[place->alias] = place;
    return !w->visitor->open || w->visitor->open(w->visitor->data, place);
}

static bool close_place(plan_walk *w, plan_place *place)
{
    w->inner[place->slot] = place->outer;
    if (place->alias >= 0) w->inner[place->alias] = place->alias_outer;
    return !w->visitor->close || w->visitor->close(w->visitor->data, place);
}

static bool walk_buffer(plan_walk *w, const plan_node *n)
{
    plan_place place = make_place(w, n);
    bool done = open_place(w, &place);
    if (done) done = walk_node(w, n->child);
    return close_place(w, &place) && done;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* Calls `visit` for each copy of the leaf's box along the dimensions that wrap. */
static bool each_image(plan_walk *w, const plan_node *leaf, int d, plan_run *run,
                       bool (*visit)(plan_walk *, const plan_node *, const plan_run *))
{
    if (d == 3) return grid_box_is_empty(&run->box) || visit(w, leaf, run);
    grid_box whole = whole_box(w, leaf);
    plan_span clip = clip_of(w, leaf->leaf, d, false);
    plan_span core = clip_of(w, leaf->leaf, d, true);
    int64_t period = period_of(w, d), first = 0, last = 0;
    if (period && clip.lo > -PLAN_FAR) first = floor_divide(clip.lo - whole.hi[d] + 1, period);
    if (period && clip.hi < PLAN_FAR) last = floor_divide(clip.hi - 1 - whole.lo[d], period);
    for (int64_t image = first; image <= last; image++) {
        int64_t shift = image * period;
        run->shift[d] = shift;
        run->box.lo[d] = larger(whole.lo[d], clip.lo - shift);
        run->box.hi[d] = smaller(whole.hi[d], clip.hi - shift);
        run->core.lo[d] = larger(run->box.lo[d], core.lo - shift);
        run->core.hi[d] = smaller(run->box.hi[d], core.hi - shift);
        if (run->box.lo[d] < run->box.hi[d] && !each_image(w, leaf, d + 1, run, visit))
            return false;
    }
    return true;
}

static bool visit_loop(plan_walk *w, const plan_node *leaf, const plan_run *run)
{
    (void)leaf;
    return !w->visitor->run || w->visitor->run(w->visitor->data, w, run);
}

/* Homes are counted within the field; places that wrap, moved by the image. */
static bool visit_move(plan_walk *w, const plan_node *leaf, const plan_run *run)
{
    const plan_place *inner = w->inner[leaf->slot], *outer = outer_of(inner, leaf->slot);
    plan_copy copy = {.slot = leaf->slot,
                      .tag = leaf->tag,
                      .from = leaf->out ? inner : outer,
                      .to = leaf->out ? outer : inner};
    int64_t to[3];
    for (int d = 0; d < 3; d++) {
        to[d] = copy.to->wraps[d] ? run->shift[d] : 0;
        copy.shift[d] = (copy.from->wraps[d] ? run->shift[d] : 0) - to[d];
    }
    copy.box = grid_box_moved(&run->box, to, 1);
    return !w->visitor->copy || w->visitor->copy(w->visitor->data, w, &copy);
}

static bool walk_leaf(plan_walk *w, const plan_node *leaf)
{
    plan_run run = {.loop = leaf->loop, .leaf = leaf->leaf};
    return each_image(w, leaf, 0, &run, leaf->kind == PLAN_LOOP ? visit_loop : visit_move);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Widens [*first, *last] to hold the tiles in which a leaf has points of its own. */
static void find_tiles(const plan_walk *w, const plan_node *tile, const plan_node *leaf,
                       int64_t *first, int64_t *last)
{
    int d = tile->dimension;
    plan_span span = *plan_span_of(tile, leaf->leaf, d);
    grid_box whole = whole_box(w, leaf);
    plan_span clip = clip_of(w, leaf->leaf, d, false);
    bool outer_wraps = period_of(w, d) > 0;
    if (tile->period[d]) { /* copies belong to the tiles of what they are copies of */
        whole.lo[d] = larger(whole.lo[d], 0);
        whole.hi[d] = smaller(whole.hi[d], tile->period[d]);
    }
    int64_t lo = outer_wraps ? clip.lo : larger(clip.lo, whole.lo[d]);
    int64_t hi = outer_wraps ? clip.hi : smaller(clip.hi, whole.hi[d]);
    if (span.hi >= PLAN_FAR || lo >= hi || grid_box_is_empty(&whole)) return;
    if (tile->overlap) span = (plan_span){0, 0};
    *first = smaller(*first, floor_divide(lo - span.hi, tile->size));
    *last = larger(*last, floor_divide(hi - 1 - span.lo, tile->size));
}

static void find_tiles_below(const plan_walk *w, const plan_node *tile, int node, int64_t *first,
                             int64_t *last)
{
    for (; node; node = w->p->nodes[node].next) {
        const plan_node *n = &w->p->nodes[node];
        if (plan_is_leaf(n)) find_tiles(w, tile, n, first, last);
        find_tiles_below(w, tile, n->child, first, last);
    }
}

static bool begin_tile(plan_walk *w, const plan_node *n)
{
    return !w->visitor->tile || w->visitor->tile(w->visitor->data, n);
}

static bool walk_tile(plan_walk *w, const plan_node *n)
{
    int64_t first = PLAN_FAR, last = -PLAN_FAR;
    int d = n->dimension;
    find_tiles_below(w, n, n->child, &first, &last);
    if (w->frame_count == MOST_FRAMES) return false;
    frame *f = &w->frames[w->frame_count];
    bool done = true, backwards = n->parallel && w->visitor->backwards;
    for (int64_t i = first; i <= last && done; i++) {
        int64_t t = backwards ? first + last - i : i;
        f->node = n;
        f->box.lo[d] = t * n->size;
        f->box.hi[d] = (t + 1) * n->size;
        if (n->period[d]) f->box.hi[d] = smaller(f->box.hi[d], n->period[d]);
        done = !n->parallel || begin_tile(w, n);
        w->frame_count++;
        done = done && walk_node(w, n->child);
        w->frame_count--;
    }
    return done && (!n->parallel || begin_tile(w, NULL));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static int block_count(const plan_node *n) { return n->parts[0] * n->parts[1] * n->parts[2]; }

static grid_box block_box(const plan_node *n, int block)
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

static void enter_block(plan_walk *w, int block)
{
    w->block = block;
    w->inner = w->block_inner + (size_t)block * (size_t)w->a->slot_count;
    w->frames[w->frame_count++] = (frame){w->blocks, block_box(w->blocks, block)};
}

static void leave_block(plan_walk *w) { w->frame_count--; }

/* Whether blocks have to meet in a part of the tree. */
static bool has_meeting(const plan *p, int node)
{
    const plan_node *n = &p->nodes[node];
    if (n->kind == PLAN_EXCHANGE || n->kind == PLAN_SCALAR) return true;
    for (int child = n->child; child; child = p->nodes[child].next)
        if (has_meeting(p, child)) return true;
    return false;
}

static plan_place *place_of_block(const plan_walk *w, int block, int slot)
{
    return w->block_inner[(size_t)block * (size_t)w->a->slot_count + (size_t)slot];
}

/* Copies of a box what a block owns, and, from dimension `d` on, its images a period apart. */
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

/* Fills a box of one block's place from the blocks that own its points. */
static bool fill_margin(plan_walk *w, int slot, int block, const grid_box *box)
{
    bool done = true;
    for (int owner = 0; owner < block_count(w->blocks) && done; owner++) {
        plan_copy copy = {.slot = slot,
                          .from = place_of_block(w, owner, slot),
                          .to = place_of_block(w, block, slot),
                          .box = *box};
        grid_box owned = block_box(w->blocks, owner);
        int64_t shift[3];
        done = copy_owned(w, &copy, &owned, 0, shift);
    }
    return done;
}

static bool walk_exchange(plan_walk *w, const plan_node *n)
{
    grid_box field = chain_slot_memory(w->a->slots[n->slot]), pieces[6];
    for (int block = 0; block < block_count(w->blocks); block++) {
        grid_box own = block_box(w->blocks, block), grown = own;
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

static bool walk_one_by_one(plan_walk *w, int node)
{
    int blocks = block_count(w->blocks);
    bool done = true;
    for (int b = 0; b < blocks && done; b++) {
        done = begin_tile(w, w->blocks);
        enter_block(w, w->visitor->backwards ? blocks - 1 - b : b);
        done = done && walk_node(w, node);
        leave_block(w);
    }
    return done && begin_tile(w, NULL);
}

/* A buffer of each block, in which blocks have to meet. */
static bool walk_buffers(plan_walk *w, const plan_node *n)
{
    int blocks = block_count(w->blocks), opened = 0;
    plan_place *places = calloc((size_t)blocks, sizeof *places);
    bool done = places;
    for (; opened < blocks && done; opened++) {
        enter_block(w, opened);
        places[opened] = make_place(w, n);
        done = open_place(w, &places[opened]);
        leave_block(w);
    }
    done = done && walk_together(w, n->child);
    for (int b = 0; b < opened; b++) {
        enter_block(w, b);
        done = close_place(w, &places[b]) && done;
        leave_block(w);
    }
    free(places);
    return done;
}

/* A part of the tree on all blocks: all of it on one after another, or step by step together. */
static bool walk_together(plan_walk *w, int node)
{
    const plan_node *n = &w->p->nodes[node];
    bool done = true;
    if (!has_meeting(w->p, node)) return walk_one_by_one(w, node);
    if (n->kind == PLAN_EXCHANGE) return walk_exchange(w, n);
    if (n->kind == PLAN_SCALAR) return walk_node(w, node);
    if (n->kind == PLAN_BUFFER) return walk_buffers(w, n);
    for (int child = n->child; child && done; child = w->p->nodes[child].next)
        done = n->kind == PLAN_SEQ && walk_together(w, child);
    return done;
}

static bool walk_blocks(plan_walk *w, const plan_node *n)
{
    size_t slots = (size_t)w->a->slot_count, blocks = (size_t)block_count(n);
    plan_place **outside = w->inner;
    if (w->blocks || w->frame_count == MOST_FRAMES) return false;
    w->block_inner = calloc(slots * blocks + 1, sizeof *w->block_inner);
    if (!w->block_inner) return false;
    for (size_t i = 0; i < slots * blocks; i++) w->block_inner[i] = outside[i % slots];
    w->blocks = n;
    bool done = walk_together(w, n->child);
    free(w->block_inner);
    w->blocks = NULL;
    w->inner = outside;
    w->block = 0;
    return done;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool walk_seq(plan_walk *w, const plan_node *n)
{
    bool done = true;
    for (int child = n->child; child && done; child = w->p->nodes[child].next)
        done = walk_node(w, child);
    return done;
}

static bool walk_node(plan_walk *w, int node)
{
    const plan_node *n = &w->p->nodes[node];
    const plan_visitor *v = w->visitor;
    switch (n->kind) {
    case PLAN_NONE: return true;
    case PLAN_SEQ: return walk_seq(w, n);
    case PLAN_TILE: return walk_tile(w, n);
    case PLAN_BLOCKS: return walk_blocks(w, n);
    case PLAN_BUFFER: return walk_buffer(w, n);
    case PLAN_WAIT: return !v->wait || v->wait(v->data, n->tag);
    case PLAN_EXCHANGE: return false;
    case PLAN_SCALAR: return !v->scalar || v->scalar(v->data, n->loop);
    case PLAN_MOVE:
    case PLAN_LOOP: return walk_leaf(w, n);
    }
    return false;
}

bool plan_walk_all(const plan *p, const analysis_chain *a, plan_place *homes,
                   const plan_visitor *visitor)
{
    plan_walk w = {.p = p, .a = a, .visitor = visitor, .place_count = a->slot_count};
    w.inner = calloc((size_t)a->slot_count + 1, sizeof *w.inner);
    if (!w.inner) return false;
    for (int s = 0; s < a->slot_count; s++) {
        homes[s].number = homes[s].slot = s;
        homes[s].alias = -1;
        w.inner[s] = &homes[s];
    }
    plan_place **inner = w.inner;
    bool done = walk_node(&w, p->root);
    free(inner);
    return done;
}
