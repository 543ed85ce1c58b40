/* What must be computed, and what that costs, if some values are reused. */
#include "codegen/reuse.h"

#include <string.h>

/* A reused value is written once, and read by each point that uses it. */
static bool pays(const reuse_finder *f, const reuse_class *c)
{
    const ir_node *node = &f->graph->nodes[c->first];
    return node->op != IR_LOAD && ir_type_is_floating((ir_type)node->type) &&
           c->high - c->low <= CODEGEN_REUSE_SPAN && (c->count - 1) * c->cost > c->count + 2;
}

void reuse_add_value(reuse_finder *f, reuse_class *c, int group)
{
    codegen_reuse *out = f->out;
    c->value = out->count;
    out->value[out->count++] = (codegen_reused){
        .node = c->first, .offset = c->low, .low = c->low, .high = c->high, .group = group};
}

double reuse_walk(reuse_finder *f, size_t count, const codegen_reused *within, reuse_mode mode)
{
    double cost = 0;
    memset(f->met, 0, f->graph->count * sizeof *f->met);
    while (count > 0) {
        ir_id id = f->todo[--count];
        if (f->met[id] || f->members[id].fixed) continue;
        f->met[id] = true;
        cost += 1; /* of a load, where it is reused */
        reuse_class *c = &f->classes[f->members[id].class];
        bool wider = !within || c->high - c->low > within->high - within->low;
        if (f->members[id].class != REUSE_NO_CLASS && wider && mode != REUSE_IGNORED) {
            bool room = f->out->count < CODEGEN_MOST_REUSED;
            if (c->value == REUSE_NOT && mode == REUSE_CHOOSING && room && pays(f, c))
                reuse_add_value(f, c, 0);
            if (c->value != REUSE_NOT) continue;
        }
        const ir_node *node = &f->graph->nodes[id];
        cost += reuse_weight((ir_op)node->op) - 1;
        for (int k = 0; k < ir_ops[node->op].operands; k++) f->todo[count++] = node->arg[k];
    }
    return cost;
}

double reuse_walk_from_stores(reuse_finder *f, reuse_mode mode)
{
    const ir_kernel *kernel = f->loop->kernel;
    size_t count = 0;
    for (int i = 0; i < kernel->store_count; i++) {
        f->todo[count++] = kernel->stores[i].value;
        if (kernel->stores[i].condition) f->todo[count++] = kernel->stores[i].condition;
    }
    return reuse_walk(f, count, NULL, mode);
}

size_t reuse_add_operands(reuse_finder *f, ir_id id, size_t count)
{
    const ir_node *node = &f->graph->nodes[id];
    for (int k = 0; k < ir_ops[node->op].operands; k++) f->todo[count++] = node->arg[k];
    return count;
}
