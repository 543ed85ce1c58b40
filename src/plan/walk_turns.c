/* Tiles that siblings take by turns. The tiles of nodes that are directly inside one another are
 * numbered in order, and each sibling has equal many of them one after another. In a step of its
 * work each child of the SEQ inside works for one turn: the present one, or one that is so many
 * ahead or behind. Steps begin before the first turn, and end after the last one, so that what runs
 * ahead or behind meets all turns. */
#include "plan/walk.h"

#include <stdlib.h>

/* A place of a buffer, and the turn that has it. */
typedef struct turn_slot {
    plan_place place;
    int64_t turn;
    bool open;
} turn_slot;

typedef struct turn_buffer {
    const plan_node *node;
    turn_slot *slots;
    int64_t depth;
} turn_buffer;

typedef struct turns {
    walk_wave tiles;
    int64_t total;                               /* tiles of all siblings */
    int64_t first, end;                          /* turns of the present sibling */
    int64_t ahead, behind;                       /* of children, at most */
    turn_buffer buffers[PLAN_MOST_TURN_BUFFERS]; /* the outermost first */
    int buffer_count, child;                     /* child: the first of the SEQ */
} turns;

/* ---- what there is ----------------------------------------------------------------------------
 */

static bool find_buffers(const plan_walk *w, turns *t, int node)
{
    for (; w->p->nodes[node].kind == PLAN_BUFFER; node = w->p->nodes[node].child) {
        const plan_node *n = &w->p->nodes[node];
        const int64_t depth = larger(n->depth, 1);
        if (t->buffer_count == PLAN_MOST_TURN_BUFFERS) return false;
        turn_slot *slots = calloc((size_t)depth, sizeof *slots);
        if (!slots) return false;
        t->buffers[t->buffer_count++] = (turn_buffer){.node = n, .depth = depth, .slots = slots};
    }
    t->child = w->p->nodes[node].child;
    return true;
}

static bool find_turns(plan_walk *w, const plan_node *n, turns *t)
{
    *t = (turns){.total = 1};
    for (; n->kind == PLAN_TILE && n->siblings && t->tiles.count < 3; n = &w->p->nodes[n->child]) {
        plan_span tiles = walk_tiles(w, n);
        t->tiles.nodes[t->tiles.count] = n;
        t->tiles.tiles[t->tiles.count++] = tiles;
        if (tiles.lo > tiles.hi) t->total = 0;
        if (__builtin_mul_overflow(t->total, tiles.hi - tiles.lo + 1, &t->total)) return false;
    }
    if (!find_buffers(w, t, (int)(n - w->p->nodes))) return false;
    for (int child = t->child; child; child = w->p->nodes[child].next) {
        t->ahead = larger(t->ahead, w->p->nodes[child].ahead);
        t->behind = larger(t->behind, w->p->nodes[child].behind);
    }
    return w->frame_count + t->tiles.count <= WALK_FRAMES;
}

/* ---- places -----------------------------------------------------------------------------------
 */

static bool close_slot(plan_walk *w, turn_slot *s)
{
    bool closed = !s->open || walk_close_place(w, &s->place);
    s->open = false;
    return closed;
}

/* Gives a turn its place in a buffer. */
static bool take_slot(plan_walk *w, turn_buffer *b, int64_t turn)
{
    turn_slot *s = &b->slots[turn % b->depth];
    bool done = true;
    if (!s->open || s->turn != turn) {
        done = close_slot(w, s);
        *s = (turn_slot){.turn = turn, .open = true};
        s->place = walk_make_place(w, b->node);
        done = walk_open_place(w, &s->place) && done;
    }
    w->inner[s->place.slot] = &s->place;
    if (s->place.alias >= 0) w->inner[s->place.alias] = &s->place;
    return done;
}

static void leave_slot(plan_walk *w, turn_buffer *b, int64_t turn)
{
    const plan_place *place = &b->slots[turn % b->depth].place;
    w->inner[place->slot] = place->outer;
    if (place->alias >= 0) w->inner[place->alias] = place->alias_outer;
}

/* Whether a child works in a buffer: a move does in those of its field. */
static bool works_in(const plan_node *child, const turn_buffer *b)
{
    bool own = child->slot == b->node->slot || child->slot == b->node->alias;
    return child->kind != PLAN_WAIT && (child->kind != PLAN_MOVE || own);
}

static bool close_all(plan_walk *w, turns *t)
{
    bool done = true;
    for (int b = t->buffer_count - 1; b >= 0; b--)
        for (int64_t i = 0; i < t->buffers[b].depth; i++)
            done = close_slot(w, &t->buffers[b].slots[i]) && done;
    return done;
}

/* ---- turns ------------------------------------------------------------------------------------
 */

/* Adds the frames of a turn's tile. */
static void enter_tile(plan_walk *w, const turns *t, int64_t turn)
{
    int64_t at[3];
    for (int i = t->tiles.count - 1; i >= 0; i--) {
        int64_t count = t->tiles.tiles[i].hi - t->tiles.tiles[i].lo + 1;
        at[i] = t->tiles.tiles[i].lo + turn % count;
        turn /= count;
    }
    for (int i = 0; i < t->tiles.count; i++) walk_set_frame(w, t->tiles.nodes[i], at[i]);
}

static bool walk_child(plan_walk *w, turns *t, int child, int64_t turn, walk_visit *visit)
{
    const plan_node *n = &w->p->nodes[child];
    bool done = true;
    w->turn = turn;
    enter_tile(w, t, turn);
    for (int b = 0; b < t->buffer_count && done; b++)
        if (works_in(n, &t->buffers[b])) done = take_slot(w, &t->buffers[b], turn);
    done = done && visit(w, child);
    for (int b = t->buffer_count - 1; b >= 0; b--)
        if (works_in(n, &t->buffers[b])) leave_slot(w, &t->buffers[b], turn);
    w->frame_count -= t->tiles.count;
    w->turn = 0;
    return done;
}

static bool walk_sibling(plan_walk *w, turns *t, walk_visit *visit)
{
    bool done = true;
    for (int64_t step = t->first - t->ahead; step < t->end + t->behind && done; step++)
        for (int child = t->child; child && done; child = w->p->nodes[child].next) {
            const plan_node *n = &w->p->nodes[child];
            int64_t turn = step + n->ahead - n->behind;
            if (turn >= t->first && turn < t->end) done = walk_child(w, t, child, turn, visit);
        }
    return close_all(w, t) && done;
}

static bool begin(plan_walk *w, const plan_node *n)
{
    return !w->visitor->tile || w->visitor->tile(w->visitor->data, n, NULL);
}

bool walk_turns(plan_walk *w, const plan_node *n, walk_visit *visit)
{
    turns t;
    bool done = find_turns(w, n, &t);
    for (int i = 0; i < n->siblings && done; i++) {
        int64_t sibling = w->visitor->backwards ? n->siblings - 1 - i : i;
        t.first = t.total * sibling / n->siblings;
        t.end = t.total * (sibling + 1) / n->siblings;
        if (t.first < t.end) done = begin(w, n) && walk_sibling(w, &t, visit);
    }
    for (int b = 0; b < t.buffer_count; b++) free(t.buffers[b].slots);
    return done && (!t.total || begin(w, NULL));
}
