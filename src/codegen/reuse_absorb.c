/* What points make of reused values.
 *
 * A node may be made of reused values and of elements that are read, all at the offset of the node,
 * so that it can be computed together with a group of values: it fits the group. If then values of
 * the group are needed for nothing else, the node is reused instead of them. */
#include "codegen/reuse.h"

#include <string.h>

/* Whether a node fits a group, where that is known of its operands. */
static bool fits(const reuse_finder *f, ir_id id, const codegen_reused *group)
{
    const ir_node *node = &f->graph->nodes[id];
    const reuse_member *m = &f->members[id];
    const reuse_class *c = &f->classes[m->class];
    if (m->fixed) return true;
    if (m->class == REUSE_NO_CLASS) return false;
    if (c->value != REUSE_NOT) return f->out->value[c->value].group == group->group;
    if (node->op == IR_LOAD) return c->low <= group->low && c->high >= group->high;
    for (int k = 0; k < ir_ops[node->op].operands; k++) {
        const reuse_member *operand = &f->members[node->arg[k]];
        if (!f->fitting[node->arg[k]] || (!operand->fixed && operand->offset != m->offset))
            return false;
    }
    return true;
}

/* Marks the nodes that fit a group; and their operands, as f->within. */
static void mark_fitting(reuse_finder *f, const codegen_reused *group)
{
    memset(f->within, 0, f->graph->count * sizeof *f->within);
    for (ir_id id = 1; id < f->graph->count; id++) {
        const ir_node *node = &f->graph->nodes[id];
        f->fitting[id] = fits(f, id, group);
        for (int k = 0; f->fitting[id] && k < ir_ops[node->op].operands; k++)
            f->within[node->arg[k]] = true;
    }
}

/* Marks the values that points read, or groups behind the value's own. */
static void mark_needed(reuse_finder *f, bool needed[CODEGEN_MOST_REUSED])
{
    memset(needed, 0, CODEGEN_MOST_REUSED * sizeof *needed);
    for (int i = -1; i < f->out->count; i++) {
        const codegen_reused *of = i < 0 ? NULL : &f->out->value[i];
        if (of)
            reuse_walk(f, reuse_add_operands(f, of->node, 0), of, REUSE_CHOSEN);
        else
            reuse_walk_from_stores(f, REUSE_CHOSEN);
        for (ir_id id = 1; id < f->graph->count; id++) {
            int value = f->classes[f->members[id].class].value;
            if (f->met[id] && f->members[id].class != REUSE_NO_CLASS && value != REUSE_NOT &&
                (!of || f->out->value[value].group < of->group))
                needed[value] = true;
        }
    }
}

static void remove_value(reuse_finder *f, int index)
{
    codegen_reuse *out = f->out;
    f->classes[f->members[out->value[index].node].class].value = REUSE_NOT;
    memmove(&out->value[index], &out->value[index + 1],
            (size_t)(--out->count - index) * sizeof *out->value);
    for (int i = index; i < out->count; i++)
        f->classes[f->members[out->value[i].node].class].value = i;
}

/* Reuses a node that fits a group, if then some other value is not needed. */
static void absorb(reuse_finder *f, ir_id id, const codegen_reused *group)
{
    reuse_class *c = &f->classes[f->members[id].class];
    bool needed[CODEGEN_MOST_REUSED], spared = false;
    int before = f->out->count;
    if (before == CODEGEN_MOST_REUSED) return;
    codegen_reused one = *group;
    one.node = id;
    one.offset = f->members[id].offset;
    c->value = f->out->count;
    f->out->value[f->out->count++] = one;
    mark_needed(f, needed);
    for (int i = 0; i < before; i++) spared = spared || !needed[i];
    if (!spared) {
        remove_value(f, before);
        return;
    }
    for (int i = before; i-- > 0;)
        if (!needed[i]) remove_value(f, i);
}

/* Whether a node that fits a group is part of no other that does, and alone in its class. */
static bool may_absorb(const reuse_finder *f, ir_id id, const codegen_reused *group)
{
    const ir_node *node = &f->graph->nodes[id];
    const reuse_member *m = &f->members[id];
    const reuse_class *c = &f->classes[m->class];
    return f->fitting[id] && !f->within[id] && !m->fixed && node->op != IR_LOAD &&
           node->op != IR_LEVEL && node->op != IR_ELEMENT &&
           ir_type_is_floating((ir_type)node->type) && c->count == 1 && c->value == REUSE_NOT &&
           m->offset >= group->low && m->offset <= group->high;
}

/* The largest nodes that fit are tried: smaller ones spare no more. */
void reuse_absorb(reuse_finder *f)
{
    int tries = 4 * CODEGEN_MOST_REUSED; /* each goes through the graph */
    for (int g = 1; g <= f->out->group_count; g++) {
        const codegen_reused *first = f->out->value, *end = first + f->out->count;
        while (first < end && first->group != g) first++;
        if (first == end) continue;
        const codegen_reused group = *first;
        mark_fitting(f, &group);
        for (ir_id id = (ir_id)f->graph->count; id-- > 1 && tries > 0;)
            if (may_absorb(f, id, &group)) {
                absorb(f, id, &group);
                tries--;
            }
    }
}
