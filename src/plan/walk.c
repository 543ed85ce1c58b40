/* Walking a plan: leaves, tiles, buffers and blocks, in the order in which they run. */
#include "plan/walk.h"

#include <stdlib.h>

static bool walk_node(plan_walk *w, int node);
static bool walk_together(plan_walk *w, int node);

static bool walk_buffer(plan_walk *w, const plan_node *n)
{
    plan_place place = walk_make_place(w, n);
    bool done = walk_open_place(w, &place);
    if (done) done = walk_node(w, n->child);
    return walk_close_place(w, &place) && done;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* Calls `visit` for each copy of the leaf's box along the dimensions that wrap. */
static bool each_image(plan_walk *w, const plan_node *leaf, int d, plan_run *run,
                       bool (*visit)(plan_walk *, const plan_node *, const plan_run *))
{
    if (d == 3) return grid_box_is_empty(&run->box) || visit(w, leaf, run);
    grid_box whole = walk_whole_box(w, leaf);
    plan_span clip = walk_clip(w, leaf, d, false);
    plan_span core = walk_clip(w, leaf, d, true);
    int64_t period = walk_period(w, d) / plan_scale_of(leaf, d), first = 0, last = 0;
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

/* Indices of homes are those of the field; of places that wrap, they are moved by the image. */
static bool visit_move(plan_walk *w, const plan_node *leaf, const plan_run *run)
{
    const plan_place *inner = w->inner[leaf->slot], *outer = walk_outer_place(inner, leaf->slot);
    plan_copy copy = {.slot = leaf->slot,
                      .tag = leaf->tag,
                      .turn = w->turn,
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

static bool begin_tile(plan_walk *w, const plan_node *n, const int64_t at[3])
{
    return !w->visitor->tile || w->visitor->tile(w->visitor->data, n, at);
}

static bool walk_tiles_of_wave(plan_walk *w, const plan_node *n)
{
    walk_wave v = walk_wave_from(w, n);
    int64_t at[3] = {0};
    bool done = true, any = true;
    if (w->frame_count + v.count > WALK_FRAMES) return false;
    for (int i = 0; i < v.count; i++) {
        at[i] = v.tiles[i].lo;
        any = any && v.tiles[i].lo <= v.tiles[i].hi;
    }
    for (bool more = any; more && done; more = walk_next_tile(&v, w->visitor->backwards, at)) {
        done = begin_tile(w, n, at);
        for (int i = 0; i < v.count; i++) walk_set_frame(w, v.nodes[i], at[i]);
        done = done && walk_node(w, v.nodes[v.count - 1]->child);
        w->frame_count -= v.count;
    }
    return done && (!any || begin_tile(w, NULL, NULL));
}

static bool leaves_out(const plan_walk *w, const plan_node *n)
{
    const plan_node *inside = &w->p->nodes[n->child];
    bool innermost = n->parallel && !(inside->kind == PLAN_TILE && inside->parallel);
    return innermost && w->visitor->leaves_out && w->visitor->leaves_out(w->visitor->data, n);
}

static bool walk_tile(plan_walk *w, const plan_node *n)
{
    if (n->wave) return walk_tiles_of_wave(w, n);
    plan_span tiles = walk_tiles(w, n);
    if (w->frame_count == WALK_FRAMES) return false;
    bool done = true, backwards = n->parallel && w->visitor->backwards;
    for (int64_t i = tiles.lo; i <= tiles.hi && done; i++) {
        if (leaves_out(w, n)) continue;
        done = !n->parallel || begin_tile(w, n, NULL);
        walk_set_frame(w, n, backwards ? tiles.lo + tiles.hi - i : i);
        done = done && walk_node(w, n->child);
        w->frame_count--;
    }
    return done && (!n->parallel || tiles.lo > tiles.hi || begin_tile(w, NULL, NULL));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Whether blocks have to meet in a part of the tree. */
static bool has_meeting(const plan *p, int node)
{
    const plan_node *n = &p->nodes[node];
    if (n->kind == PLAN_EXCHANGE || n->kind == PLAN_SCALAR) return true;
    for (int child = n->child; child; child = p->nodes[child].next)
        if (has_meeting(p, child)) return true;
    return false;
}

static bool walk_one_by_one(plan_walk *w, int node)
{
    int blocks = walk_block_count(w->blocks);
    bool done = true;
    for (int b = 0; b < blocks && done; b++) {
        done = begin_tile(w, w->blocks, NULL);
        walk_enter_block(w, w->visitor->backwards ? blocks - 1 - b : b);
        done = done && walk_node(w, node);
        walk_leave_block(w);
    }
    return done && begin_tile(w, NULL, NULL);
}

/* A buffer around a part of the tree in which blocks have to meet: one per block. */
static bool walk_buffers(plan_walk *w, const plan_node *n)
{
    int blocks = walk_block_count(w->blocks), opened = 0;
    plan_place *places = calloc((size_t)blocks, sizeof *places);
    bool done = places;
    for (; opened < blocks && done; opened++) {
        walk_enter_block(w, opened);
        places[opened] = walk_make_place(w, n);
        done = walk_open_place(w, &places[opened]);
        walk_leave_block(w);
    }
    done = done && walk_together(w, n->child);
    for (int b = 0; b < opened; b++) {
        walk_enter_block(w, b);
        done = walk_close_place(w, &places[b]) && done;
        walk_leave_block(w);
    }
    free(places);
    return done;
}

/* Walks a part of the tree on all blocks: on one block after another, or step by step together. */
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
    size_t slots = (size_t)w->a->slot_count, blocks = (size_t)walk_block_count(n);
    plan_place **outside = w->inner;
    if (w->blocks || w->frame_count == WALK_FRAMES) return false;
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
    case PLAN_TILE: return n->siblings ? walk_turns(w, n, walk_node) : walk_tile(w, n);
    case PLAN_BLOCKS: return walk_blocks(w, n);
    case PLAN_BUFFER: return walk_buffer(w, n);
    case PLAN_WAIT: return !v->wait || v->wait(v->data, n->tag, w->turn);
    case PLAN_EXCHANGE: return false;
    case PLAN_SCALAR: return !v->scalar || v->scalar(v->data, n->loop);
    case PLAN_MOVE:
    case PLAN_LOOP: return walk_leaf(w, n);
    }
    return false;
}

bool plan_walk_part(const plan *p, const analysis_chain *a, int node, plan_place *homes,
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
    bool done = walk_node(&w, node);
    free(inner);
    return done;
}

bool plan_walk_all(const plan *p, const analysis_chain *a, plan_place *homes,
                   const plan_visitor *visitor)
{
    return plan_walk_part(p, a, p->root, homes, visitor);
}
