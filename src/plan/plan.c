/* Making plan trees. Nodes are an array, so that a plan is copied and compared as plain data. */
#include "plan/node.h"

#include <stdlib.h>
#include <string.h>

bool plan_is_leaf(const plan_node *n) { return n->kind == PLAN_LOOP || n->kind == PLAN_MOVE; }

int64_t plan_scale_of(const plan_node *leaf, int d)
{
    return leaf->kind == PLAN_LOOP ? leaf->scale[d] : 1;
}

static void append_child(plan *p, int parent, int node)
{
    int *link = &p->nodes[parent].child;
    while (*link) link = &p->nodes[*link].next;
    *link = node;
}

int plan_add(plan *p, int parent, plan_node node)
{
    void *nodes = p->nodes;
    if (p->failed ||
        !vector_reserve(&nodes, &p->capacity, (size_t)p->count + 2, sizeof *p->nodes)) {
        p->failed = true;
        return 0;
    }
    p->nodes = nodes;
    if (!p->count) p->nodes[p->count++] = (plan_node){0};
    int number = p->count++;
    node.leaf = p->leaf_count;
    for (int d = 0; d < 3 && node.kind == PLAN_LOOP; d++) node.scale[d] = larger(node.scale[d], 1);
    p->nodes[number] = node;
    if (plan_is_leaf(&node)) p->leaf_count++;
    if (parent)
        append_child(p, parent, number);
    else
        p->root = number;
    return number;
}

bool plan_is_tile(const plan_node *n) { return n->kind == PLAN_TILE || n->kind == PLAN_BLOCKS; }

int plan_spans_per_leaf(const plan_node *n) { return n->kind == PLAN_BLOCKS ? 3 : n->seam ? 2 : 1; }

plan_span *plan_span_number(const plan_node *tile, int leaf, int number)
{
    return &tile->spans[(leaf - tile->leaf) * plan_spans_per_leaf(tile) + number];
}

plan_span *plan_span_of(const plan_node *tile, int leaf, int d)
{
    return plan_span_number(tile, leaf, tile->kind == PLAN_BLOCKS ? d : 0);
}

plan_span *plan_seam_of(const plan_node *tile, int leaf) { return plan_span_number(tile, leaf, 1); }

void plan_end_tile(plan *p, int number, plan_find_span *find, const void *data)
{
    if (p->failed) return;
    plan_node *n = &p->nodes[number];
    int each = plan_spans_per_leaf(n), found = n->kind == PLAN_BLOCKS ? 3 : 1;
    n->leaf_count = p->leaf_count - n->leaf;
    n->spans = arena_array(&p->memory, (size_t)(n->leaf_count * each) + 1, sizeof *n->spans);
    if (!n->spans) p->failed = true;
    for (int i = number; find && n->spans && i < p->count; i++)
        for (int k = 0; k < found && plan_is_leaf(&p->nodes[i]); k++) {
            int d = n->kind == PLAN_BLOCKS ? k : n->dimension;
            *plan_span_of(n, p->nodes[i].leaf, d) = find(data, &p->nodes[i], d);
        }
}

int64_t plan_buffer_bytes(const plan_node *n, const chain_slot *slot)
{
    int64_t bytes = slot->components * (int64_t)ir_storages[slot->type].bytes;
    grid_box all = chain_slot_memory(slot);
    bytes *= larger(n->depth, 1);
    for (int d = 0; d < 3; d++)
        if (__builtin_mul_overflow(bytes, n->capacity[d] ? n->capacity[d] : all.hi[d] - all.lo[d],
                                   &bytes))
            return PLAN_FAR;
    return smaller(bytes, PLAN_FAR);
}

int64_t plan_core_points(int64_t points, const plan_node *group)
{
    int64_t own = smaller(points, group->size);
    return points - own + (own + group->group - 1) / group->group;
}

int64_t plan_core_bytes(const plan_node *buffer, const chain_slot *slot, const plan_node *group)
{
    plan_node core = *buffer;
    int64_t *capacity = group ? &core.capacity[group->dimension] : NULL;
    if (group && *capacity >= group->size) *capacity = plan_core_points(*capacity, group);
    return plan_buffer_bytes(&core, slot);
}

const char *plan_slot_name(const analysis_chain *a, int slot)
{
    for (int l = 0; l < a->loop_count; l++) {
        const chain_loop *loop = a->loops[l].loop;
        for (int p = 0; p < loop->kernel->param_count; p++)
            if (loop->bindings[p].slot == a->slots[slot] && loop->bindings[p].name)
                return loop->bindings[p].name;
    }
    return NULL;
}

/* The entry of a reason; NULL when memory is out. */
static plan_refusal *refusal_of(plan *p, int level, const char *why)
{
    int i = 0;
    while (i < p->refusal_count &&
           (p->refusals[i].level != level || strcmp(p->refusals[i].why, why) != 0))
        i++;
    if (i < p->refusal_count) return &p->refusals[i];
    void *refusals = p->refusals;
    char *words = arena_copy_text(&p->memory, why, strlen(why));
    if (!words ||
        !vector_reserve(&refusals, &p->refusal_capacity, (size_t)i + 1, sizeof *p->refusals))
        return NULL;
    p->refusals = refusals;
    p->refusals[p->refusal_count++] = (plan_refusal){.why = words, .level = level, .last = -1};
    return &p->refusals[i];
}

void plan_refuse(plan *p, const analysis_section *loops, int level, const char *why)
{
    for (int l = loops->first; l < loops->end; l++) {
        if (loops->a->loops[l].loop->once) continue;
        plan_refusal *r = refusal_of(p, level, why);
        if (!r) p->failed = true;
        if (!r || l <= r->last) continue; /* it lies in two nodes */
        if (!r->loops++) r->first = l;
        r->last = l;
    }
}

void plan_free(plan *p)
{
    free(p->nodes);
    free(p->refusals);
    arena_free(&p->memory);
    *p = (plan){0};
}
