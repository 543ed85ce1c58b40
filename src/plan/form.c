/* Whether a plan can be walked: checks everything that the walk relies on. */
#include "plan/node.h"

#include <string.h>

enum { DEEPEST = 64, DEEPEST_TILES = 18, MOST_SIBLINGS = 1 << 20, MOST_DEPTH = 1 << 10 };

/* The nodes around a node. */
typedef struct around {
    const plan *p;
    const analysis_chain *a;
    int slots[DEEPEST]; /* of the buffers */
    int depth, slot_count, tiles, blocks;
    const plan_node *siblings; /* that take the tiles around; NULL: none */
    bool grouped;              /* one of these has groups of cores */
    bool taking, turns;        /* the node is directly inside their tiles; in the SEQ there */
    int taken;                 /* buffers around that turns have */
    unsigned wave; /* bits of the dimensions of the wave around, whose next node this is */
    bool in_wave;
    int64_t period[3];
} around;

typedef struct met {
    int nodes, leaves; /* so far */
    int *wrong;        /* the last node */
} met;

static bool is_far(int64_t x) { return x < -PLAN_FAR || x > PLAN_FAR; }

static const char *check_spans(const plan *p, const plan_node *n)
{
    if (n->leaf < 0 || n->leaf_count < 0 || n->leaf > p->leaf_count - n->leaf_count)
        return "its leaves do not exist";
    if (n->leaf_count && !n->spans) return "it has no spans";
    int64_t spans = (int64_t)n->leaf_count * plan_spans_per_leaf(n);
    for (int64_t i = 0; i < spans; i++)
        if (is_far(n->spans[i].lo) || is_far(n->spans[i].hi)) return "a span is out of range";
    for (int d = 0; d < 3; d++)
        if (n->period[d] < 0 || n->period[d] > PLAN_FAR) return "a period is out of range";
    return NULL;
}

static const char *check_tile(const plan *p, const plan_node *n)
{
    if (n->dimension < 0 || n->dimension > 2) return "a dimension is not x, y or z";
    if (n->size < 1 || n->size > PLAN_FAR) return "a tile's size is out of range";
    if (n->wave && (n->parallel || n->overlap)) return "a wave has parallel or overlapped tiles";
    if (n->siblings && (n->parallel || n->wave || n->seam))
        return "siblings take tiles that are parallel, a wave or have a seam";
    if (n->seam && (!n->period[n->dimension] || n->overlap || n->parallel))
        return "a seam is not that of tiles around a period";
    return check_spans(p, n);
}

static const char *check_blocks(const around *a, const plan_node *n)
{
    if (a->tiles || a->blocks) return "blocks lie in a tile or in blocks";
    int64_t total = 1;
    for (int d = 0; d < 3; d++) {
        if (n->parts[d] < 1 || !n->cuts[d]) return "there are no blocks";
        if ((total *= n->parts[d]) > PLAN_MOST_BLOCKS) return "there are too many blocks";
        for (int i = 0; i < n->parts[d]; i++)
            if (n->cuts[d][i] > n->cuts[d][i + 1]) return "cuts are out of order";
    }
    return check_spans(a->p, n);
}

static const char *check_slot(const analysis_chain *a, int slot)
{
    if (slot < 0 || slot >= a->slot_count) return "a field does not exist";
    return a->slots[slot]->is_scalar ? "a scalar has no places" : NULL;
}

static const char *check_buffer(const plan *p, const analysis_chain *a, const plan_node *n)
{
    const char *wrong = check_slot(a, n->slot);
    if (!wrong && n->alias >= 0) wrong = check_slot(a, n->alias);
    if (wrong) return wrong;
    if (n->alias == n->slot || n->alias < -1) return "a buffer holds a field twice";
    if (n->alias >= 0 && !chain_slot_alike(a->slots[n->slot], a->slots[n->alias]))
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
    for (int d = 0; d < 3 && n->kind == PLAN_LOOP; d++)
        if (n->scale[d] < 1 || n->scale[d] > PLAN_MOST_SCALE) return "a scale is out of range";
    if (n->kind == PLAN_LOOP) return l->loop->once ? "a loop without a grid is no leaf" : NULL;
    return l->loop->once || l->reduces ? NULL : "a loop has no scalars to finish";
}

/* A move needs an inside and an outside. */
static bool has_buffer(const around *a, int slot)
{
    for (int i = 0; i < a->slot_count; i++)
        if (a->slots[i] == slot) return true;
    return false;
}

/* Points a period apart are copies of one point. */
static const char *check_periods(const around *a, const plan_node *leaf)
{
    grid_shape grid = leaf->kind == PLAN_LOOP ? a->a->loops[leaf->loop].loop->shape
                                              : chain_slot_grid(a->a->slots[leaf->slot]);
    for (int d = 0; d < 3; d++)
        if (a->period[d] && a->period[d] != grid.size[d] * plan_scale_of(leaf, d))
            return "a period is not that of its grid";
    return NULL;
}

static const char *check_node(const around *a, const plan_node *n)
{
    const char *wrong = NULL;
    switch (n->kind) {
    case PLAN_NONE: return "it is of no kind";
    case PLAN_SEQ: return NULL;
    case PLAN_TILE: return check_tile(a->p, n);
    case PLAN_BLOCKS: return check_blocks(a, n);
    case PLAN_BUFFER: return check_buffer(a->p, a->a, n);
    case PLAN_WAIT: return n->tag > 0 ? NULL : "it waits for no move";
    case PLAN_EXCHANGE:
        wrong = check_slot(a->a, n->slot);
        if (!wrong && !a->blocks) wrong = "an exchange lies outside of blocks";
        if (!wrong && a->tiles) wrong = "an exchange lies in a tile";
        if (!wrong && !has_buffer(a, n->slot)) wrong = "an exchange lies outside of its buffers";
        for (int d = 0; d < 3 && !wrong; d++)
            if (n->margin[d].lo > 0 || is_far(n->margin[d].lo) || n->margin[d].hi < 0 ||
                is_far(n->margin[d].hi))
                wrong = "a margin is out of range";
        return wrong ? wrong : check_periods(a, n);
    case PLAN_SCALAR:
        if (a->in_wave) return "a scalar is finished in a wave";
        return a->blocks && a->tiles ? "a scalar is finished in a tile of blocks"
                                     : check_loop(a->a, n);
    case PLAN_LOOP: return check_loop(a->a, n);
    case PLAN_MOVE:
        wrong = check_slot(a->a, n->slot);
        if (!wrong && !has_buffer(a, n->slot)) wrong = "a move lies outside of its buffers";
        for (int d = 0; d < 3 && !wrong; d++)
            if (is_far(n->only[d].lo) || is_far(n->only[d].hi)) wrong = "a move is out of range";
        return wrong ? wrong : n->tag < 0 ? "a tag is negative" : NULL;
    }
    return "it is of an unknown kind";
}

/* Cores of a group have equal parts of a tile. */
static const char *check_group(const around *a, const plan_node *n)
{
    if (n->group < 0 || (n->group && !n->siblings)) return "a group takes no turns";
    if (n->group > 1 && a->grouped) return "groups of cores are inside of groups";
    if (n->group > 1 && n->size % n->group) return "the cores of a group have unequal parts";
    bool many = n->group > 1 && (int64_t)n->siblings * n->group > MOST_SIBLINGS;
    return many ? "there are too many siblings" : NULL;
}

/* What siblings take by turns: tiles directly in one another, then buffers, then a SEQ. */
static const char *check_turns(const around *a, const plan_node *n)
{
    if (n->siblings < 0 || n->siblings > MOST_SIBLINGS) return "there are too many siblings";
    const char *wrong = check_group(a, n);
    if (wrong) return wrong;
    bool owned = n->siblings || n->kind == PLAN_BLOCKS;
    if (n->bytes < 0 || (n->bytes && !owned)) return "a memory is nobody's";
    if (n->depth < 0 || n->depth > MOST_DEPTH || (n->depth > 1 && !a->taking))
        return "a buffer has slots that no turns take";
    if (n->ahead < 0 || n->ahead > MOST_DEPTH || n->behind < 0 || n->behind > MOST_DEPTH)
        return "a turn is too far away";
    if ((n->ahead || n->behind) && !a->turns) return "there are no turns around";

    if (!a->siblings) return NULL;
    if (n->siblings && (!a->taking || n->siblings != a->siblings->siblings))
        return "siblings are inside of siblings";
    bool fits = n->siblings || n->kind == PLAN_BUFFER || n->kind == PLAN_SEQ;
    return a->taking && !fits ? "a turn is no sequence" : NULL;
}

/* Bytes of the buffers in a node that are there at once, of one core in a group. */
static int64_t bytes_in(const around *a, int node, const plan_node *group)
{
    const plan_node *n = &a->p->nodes[node];
    int64_t most = 0, own = 0;
    if (n->group > 1) group = n;
    for (int child = n->child; child; child = a->p->nodes[child].next)
        most = larger(most, bytes_in(a, child, group));
    if (n->kind == PLAN_BUFFER) own = plan_core_bytes(n, a->a->slots[n->slot], group);
    return smaller(most, PLAN_FAR) + own;
}

/* Directly inside a tile of a wave, another dimension of the same wave may follow. */
static bool enter_wave(around *a, const plan_node *n)
{
    bool wave = n->kind == PLAN_TILE && n->wave;
    unsigned bit = wave ? 1u << n->dimension : 0;
    bool twice = a->wave & bit;
    a->wave = wave ? a->wave | bit : 0;
    a->in_wave = a->in_wave || wave;
    return !twice;
}

/* The nodes around the children of a node. */
static const char *enter(around *a, const plan_node *n)
{
    if (++a->depth > DEEPEST - 2) return "nodes are nested too deep";
    a->blocks += n->kind == PLAN_BLOCKS;
    if (n->kind == PLAN_TILE && ++a->tiles > DEEPEST_TILES) return "too many tiles are nested";
    bool seq = n->kind == PLAN_SEQ && a->taking;
    a->taking = n->siblings || (a->taking && n->kind == PLAN_BUFFER);
    a->turns = seq;
    a->taken += a->taking && n->kind == PLAN_BUFFER;
    if (a->taken > PLAN_MOST_TURN_BUFFERS) return "a turn has too many buffers";
    if (n->siblings && !a->siblings) a->siblings = n;
    a->grouped = a->grouped || n->group > 1;
    if (!enter_wave(a, n)) return "a wave goes twice along a dimension";
    for (int d = 0; d < 3 && plan_is_tile(n); d++)
        if (n->period[d]) a->period[d] = n->period[d];
    if (n->kind != PLAN_BUFFER) return NULL;
    if (a->slot_count + 2 > DEEPEST) return "too many buffers are nested";
    a->slots[a->slot_count++] = n->slot;
    if (n->alias >= 0) a->slots[a->slot_count++] = n->alias;
    return NULL;
}

static const char *check_tree(met *met, int node, around a)
{
    const plan_node *n = &a.p->nodes[node];
    int first = met->leaves, children = 0;
    *met->wrong = node;
    const char *wrong = check_node(&a, n);
    if (!wrong) wrong = check_turns(&a, n);
    if (!wrong && plan_is_leaf(n) && n->leaf != met->leaves++) wrong = "leaves are out of order";
    if (!wrong && plan_is_leaf(n)) wrong = check_periods(&a, n);
    if (!wrong) wrong = enter(&a, n);
    for (int child = n->child; child && !wrong; child = a.p->nodes[child].next, children++)
        wrong = child == ++met->nodes ? check_tree(met, child, a) : "nodes are out of order";
    if (wrong) return wrong;
    *met->wrong = node;
    bool parent = n->kind == PLAN_SEQ || plan_is_tile(n) || n->kind == PLAN_BUFFER;
    if (children > 1 && n->kind != PLAN_SEQ) return "it has more than one child";
    if (children && !parent) return "it has a child";
    if (n->siblings && !children) return "siblings take nothing";
    if (n->bytes && bytes_in(&a, node, NULL) > n->bytes)
        return "its buffers need more than a memory has";
    if (plan_is_tile(n) && (n->leaf != first || n->leaf_count != met->leaves - first))
        return "its leaves are not those of its children";
    return NULL;
}

const char *plan_check_form(const plan *p, const analysis_chain *a, int *node)
{
    met met = {1, 0, node};
    *node = 0;
    if (p->failed) return "it is not complete";
    if (p->root != 1 || p->count < 2) return "it has no root";
    const char *wrong = check_tree(&met, p->root, (around){.p = p, .a = a});
    if (!wrong && met.nodes != p->count - 1) wrong = "nodes are left over";
    return wrong;
}
