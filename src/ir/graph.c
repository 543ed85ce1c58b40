/* Nodes in an array, shared through an open-addressing table of their numbers. Nodes are equal when
 * all bytes before `at` are. */
#include "ir/build.h"

#include <stdlib.h>
#include <string.h>

static bool reserve_buckets(ir_graph *g)
{
    if (2 * g->count < g->bucket_count) return true;
    size_t count = g->bucket_count ? 2 * g->bucket_count : HOSTILE(256, 4);
    uint32_t *buckets = calloc(count, sizeof *buckets);
    if (!buckets) return false;
    for (uint32_t id = 1; id < g->count; id++) {
        size_t b = hash_bytes(&g->nodes[id], offsetof(ir_node, at), 0) & (count - 1);
        while (buckets[b]) b = (b + 1) & (count - 1);
        buckets[b] = id;
    }
    free(g->buckets);
    g->buckets = buckets;
    g->bucket_count = count;
    return true;
}

static bool reserve_node(ir_graph *g)
{
    void *nodes = g->nodes;
    if (!vector_reserve(&nodes, &g->capacity, g->count + 2, sizeof *g->nodes)) return false;
    g->nodes = nodes;
    if (!g->count) g->nodes[g->count++] = (ir_node){0};
    return reserve_buckets(g);
}

ir_id ir_graph_add(ir_graph *g, const ir_node *node)
{
    if (g->failed || !reserve_node(g)) {
        g->failed = true;
        return 0;
    }
    size_t b = hash_bytes(node, offsetof(ir_node, at), 0) & (g->bucket_count - 1);
    for (; g->buckets[b]; b = (b + 1) & (g->bucket_count - 1))
        if (!memcmp(&g->nodes[g->buckets[b]], node, offsetof(ir_node, at))) return g->buckets[b];
    if (g->count > IR_MAX_NODES) {
        g->failed = g->too_large = true;
        return 0;
    }
    g->nodes[g->count] = *node;
    g->buckets[b] = (uint32_t)g->count;
    return (ir_id)g->count++;
}

ir_id ir_graph_const(ir_graph *g, ir_type type, ir_value value)
{
    ir_node node = {.op = IR_CONST, .type = (uint8_t)type, .value = value};
    return ir_graph_add(g, &node);
}

void ir_graph_free(ir_graph *g)
{
    if (!g) return;
    free(g->nodes);
    free(g->buckets);
    *g = (ir_graph){0};
}
