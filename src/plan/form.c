/* Whether a plan can be walked: everything that the walk takes for granted. */
#include "plan/plan.h"

#include <string.h>

/* What is around a node. */
typedef struct around {
    bool tile, blocks;
    int depth;
} around;

enum { DEEPEST = 64, DEEPEST_TILES = 12 };

static const char *check_spans(const plan *p, const plan_node *n)
{
    if (n->leaf < 0 || n->leaf_count < 0 || n->leaf > p->leaf_count - n->leaf_count)
        return "its leaves do not exist";
    if (n->leaf_count && !n->spans) return "it has no spans";
    int64_t spans = (int64_t)n->leaf_count * plan_spans_per_leaf(n);
    for (int64_t i = 0; i < spans; i++)
        if (n->spans[i].lo < -PLAN_FAR || n->spans[i].lo > PLAN_FAR || n->spans[i].hi < -PLAN_FAR ||
            n->spans[i].hi > PLAN_FAR)
            return "a span is out of range";
    for (int d = 0; d < 3; d++)
        if (n->period[d] < 0 || n->period[d] > PLAN_FAR) return "a period is out of range";
    return NULL;
}

static const char *check_tile(const plan *p, const plan_node *n)
{
    if (n->dimension < 0 || n->dimension > 2) return "a dimension is not x, y or z";
    if (n->size < 1 || n->size > PLAN_FAR) return "a tile's size is out of range";
    return check_spans(p, n);
}

static const char *check_blocks(const plan *p, const plan_node *n, const around *a)
{
    if (a->tile || a->blocks) return "blocks lie in a tile or in blocks";
    int64_t total = 1;
    for (int d = 0; d < 3; d++) {
        if (n->parts[d] < 1 || !n->cuts[d]) return "there are no blocks";
        if ((total *= n->parts[d]) > 1 << 20) return "there are too many blocks";
        for (int i = 0; i < n->parts[d]; i++)
            if (n->cuts[d][i] > n->cuts[d][i + 1]) return "cuts are out of order";
    }
    return check_spans(p, n);
}

static const char *check_slot(const analysis_chain *a, int slot)
{
    if (slot < 0 || slot >= a->slot_count) return "a field does not exist";
    return a->slots[slot]->is_scalar ? "a scalar has no places" : NULL;
}

static const char *check_buffer(const plan *p, const analysis_chain *a, const plan_node *n)
{
    const char *wrong = check_slot(a, n->slot);
    if (!wrong && n->twin >= 0) wrong = check_slot(a, n->twin);
    if (wrong) return wrong;
    if (n->twin == n->slot || n->twin < -1) return "a buffer holds a field twice";
    if (n->twin >= 0 && !plan_are_alike(a->slots[n->slot], a->slots[n->twin]))
        return "a buffer holds two fields that are not alike";
    for (int d = 0; d < 3; d++)
        if (n->capacity[d] < 0 || n->capacity[d] > PLAN_FAR) return "a capacity is out of range";
    if (n->window < 0 || n->window >= p->count ||
        (n->window && p->nodes[n->window].kind != PLAN_TILE))
        return "a window belongs to no tile";
    return NULL;
}

static const char *check_loop(const analysis_chain *a, const plan_node *n)
{
    if (n->loop < 0 || n->loop >= a->loop_count) return "a loop does not exist";
    const analysis_loop *l = &a->loops[n->loop];
    if (n->kind == PLAN_LOOP) return l->loop->once ? "a loop without a grid is no leaf" : NULL;
    return l->loop->once || l->reduces ? NULL : "a loop has no scalars to finish";
}

/* Whether the slot is in a buffer around: a move needs an inside and an outside. */
typedef struct path {
    const plan *p;
    const analysis_chain *a;
    int slots[DEEPEST]; /* of the buffers around */
    int slot_count, tiles;
    int64_t period[3];
    int nodes, leaves; /* met so far */
    int *wrong;
} path;

static bool has_buffer(const path *path, int slot)
{
    for (int i = 0; i < path->slot_count; i++)
        if (path->slots[i] == slot) return true;
    return false;
}

/* Copies a period apart are of one point. */
static const char *check_periods(const path *path, const plan_node *leaf)
{
    grid_shape grid = leaf->kind == PLAN_LOOP ? path->a->loops[leaf->loop].loop->shape
                                              : chain_slot_grid(path->a->slots[leaf->slot]);
    for (int d = 0; d < 3; d++)
        if (path->period[d] && path->period[d] != grid.size[d])
            return "a period is not that of its grid";
    return NULL;
}

static const char *check_node(path *path, const plan_node *n, const around *a)
{
    const char *wrong = NULL;
    switch (n->kind) {
    case PLAN_NONE: return "it is of no kind";
    case PLAN_SEQ: return NULL;
    case PLAN_TILE: return check_tile(path->p, n);
    case PLAN_BLOCKS: return check_blocks(path->p, n, a);
    case PLAN_BUFFER: return check_buffer(path->p, path->a, n);
    case PLAN_WAIT: return n->tag > 0 ? NULL : "it waits for no move";
    case PLAN_EXCHANGE:
        wrong = check_slot(path->a, n->slot);
        if (!wrong && !a->blocks) wrong = "an exchange lies outside of blocks";
        if (!wrong && a->tile) wrong = "an exchange lies in a tile";
        for (int d = 0; d < 3 && !wrong; d++)
            if (n->margin[d].lo > 0 || n->margin[d].hi < 0 || n->margin[d].lo < -PLAN_FAR ||
                n->margin[d].hi > PLAN_FAR)
                wrong = "a margin is out of range";
        return wrong;
    case PLAN_SCALAR:
        return a->blocks && a->tile ? "a scalar is finished in a tile of blocks"
                                    : check_loop(path->a, n);
    case PLAN_LOOP: return check_loop(path->a, n);
    case PLAN_MOVE:
        wrong = check_slot(path->a, n->slot);
        if (!wrong && !has_buffer(path, n->slot)) wrong = "a move lies outside of its buffers";
        return wrong ? wrong : n->tag < 0 ? "a tag is negative" : NULL;
    }
    return "it is of an unknown kind";
}

static const char *check_tree(path *path, int node, around a)
{
    const plan_node *n = &path->p->nodes[node];
    *path->wrong = node;
    if (++a.depth > DEEPEST - 2) return "nodes are nested too deep";
    const char *wrong = check_node(path, n, &a);
    if (wrong) return wrong;
    if (plan_is_leaf(n) && n->leaf != path->leaves++) return "leaves are out of order";
    if (plan_is_leaf(n) && check_periods(path, n)) return check_periods(path, n);
    int64_t outer[3];
    memcpy(outer, path->period, sizeof outer);
    for (int d = 0; d < 3 && plan_is_tile(n); d++)
        if (n->period[d]) path->period[d] = n->period[d];
    if (n->kind == PLAN_TILE && ++path->tiles > DEEPEST_TILES) return "too many tiles are nested";
    a.tile = a.tile || n->kind == PLAN_TILE;
    a.blocks = a.blocks || n->kind == PLAN_BLOCKS;
    int kept = path->slot_count, first = path->leaves, children = 0;
    if (n->kind == PLAN_BUFFER) {
        if (path->slot_count + 2 > DEEPEST) return "too many buffers are nested";
        path->slots[path->slot_count++] = n->slot;
        if (n->twin >= 0) path->slots[path->slot_count++] = n->twin;
    }
    for (int child = n->child; child && !wrong; child = path->p->nodes[child].next, children++) {
        if (child != ++path->nodes) return "nodes are out of order";
        wrong = check_tree(path, child, a);
    }
    if (wrong) return wrong;
    *path->wrong = node;
    memcpy(path->period, outer, sizeof outer);
    path->slot_count = kept;
    if (n->kind == PLAN_TILE) path->tiles--;
    bool parent = n->kind == PLAN_SEQ || plan_is_tile(n) || n->kind == PLAN_BUFFER;
    if (children > 1 && n->kind != PLAN_SEQ) return "it has more than one child";
    if (children && !parent) return "it has a child";
    if (plan_is_tile(n) && (n->leaf != first || n->leaf_count != path->leaves - first))
        return "its leaves are not those of its children";
    return NULL;
}

const char *plan_check_form(const plan *p, const analysis_chain *a, int *node)
{
    path path = {.p = p, .a = a, .wrong = node};
    *node = 0;
    if (p->failed) return "it is not complete";
    if (p->root != 1 || p->count < 2) return "it has no root";
    path.nodes = 1;
    const char *wrong = check_tree(&path, p->root, (around){0});
    if (!wrong && path.nodes != p->count - 1) wrong = "nodes are left over";
    return wrong;
}
