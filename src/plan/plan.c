/* Making plan trees. Nodes are an array, so that a plan is copied and compared as plain data. */
#include "plan/plan.h"

#include <stdlib.h>

bool plan_is_leaf(const plan_node *n) { return n->kind == PLAN_LOOP || n->kind == PLAN_MOVE; }

static void append_child(plan *p, int parent, int node)
{
    int *link = &p->nodes[parent].child;
    while (*link) link = &p->nodes[*link].next;
    *link = node;
}

int plan_add(plan *p, int parent, plan_kind kind)
{
    void *nodes = p->nodes;
    if (p->failed ||
        !vector_reserve(&nodes, &p->capacity, (size_t)p->count + 2, sizeof *p->nodes)) {
        p->failed = true;
        return 0;
    }
    p->nodes = nodes;
    if (!p->count) p->nodes[p->count++] = (plan_node){0};
    int node = p->count++;
    plan_node *n = &p->nodes[node];
    *n = (plan_node){.kind = kind, .leaf = p->leaf_count, .twin = -1};
    if (plan_is_leaf(n)) p->leaf_count++;
    if (parent)
        append_child(p, parent, node);
    else
        p->root = node;
    return node;
}

static size_t spans_per_leaf(const plan_node *n) { return n->kind == PLAN_BLOCKS ? 3 : 1; }

bool plan_end_tile(plan *p, int node)
{
    plan_node *n = &p->nodes[node];
    n->leaf_count = p->leaf_count - n->leaf;
    n->spans = p->failed ? NULL
                         : arena_array(&p->memory, (size_t)n->leaf_count * spans_per_leaf(n) + 1,
                                       sizeof *n->spans);
    if (!n->spans) p->failed = true;
    return n->spans;
}

plan_span *plan_span_of(plan *p, int tile, int leaf, int dimension)
{
    plan_node *n = &p->nodes[tile];
    int i = leaf - n->leaf;
    return &n->spans[n->kind == PLAN_BLOCKS ? 3 * i + dimension : i];
}

void plan_free(plan *p)
{
    free(p->nodes);
    arena_free(&p->memory);
    *p = (plan){0};
}
