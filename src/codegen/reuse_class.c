/* Classes of nodes: see row_reuse.c. */
#include "codegen/reuse.h"

#include <string.h>

static uint32_t find_class(reuse_finder *f, const reuse_trait *t)
{
    uint32_t slot = (uint32_t)(hash_bytes(t, sizeof *t, 0) & (f->slot_count - 1));
    for (; f->slots[slot]; slot = (slot + 1) & (f->slot_count - 1))
        if (memcmp(&f->classes[f->slots[slot]].trait, t, sizeof *t) == 0) return f->slots[slot];
    f->slots[slot] = ++f->class_count;
    f->classes[f->class_count] = (reuse_class){.trait = *t, .value = REUSE_NOT};
    return f->class_count;
}

/* Values of a field may be read earlier where nothing is written to it meanwhile, and where
 * elements follow one another. */
static bool can_move(const codegen_loop *loop, int param)
{
    const ir_param *p = &loop->kernel->params[param];
    return !ir_param_is_written_field(p) && p->finer[0] <= 1 && p->coarser[0] <= 1 &&
           !p->absent_axis[0] && codegen_rows_of(loop, param) == CODEGEN_CONTIGUOUS;
}

/* Sets the offset and the operands' part of the trait; false for a node that has no class. */
static bool place_operands(const reuse_finder *f, const ir_node *node, reuse_trait *t,
                           reuse_member *m)
{
    bool moves = false;
    int operands = ir_ops[node->op].operands;
    for (int k = 0; k < operands; k++) {
        const reuse_member *operand = &f->members[node->arg[k]];
        if (operand->fixed) continue;
        if (operand->class == REUSE_NO_CLASS) return false;
        if (!moves || operand->offset < m->offset) m->offset = operand->offset;
        moves = true;
    }
    for (int k = 0; k < operands; k++) {
        const reuse_member *operand = &f->members[node->arg[k]];
        t->fixed[k] = operand->fixed;
        t->operand[k] = operand->fixed ? node->arg[k] : operand->class;
        t->distance[k] = operand->fixed ? 0 : operand->offset - m->offset;
    }
    return moves;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t c = *a;
    *a = *b;
    *b = c;
}

/* a + b is b + a. */
static void order_operands(reuse_trait *t)
{
    bool ordered = t->operand[0] < t->operand[1] ||
                   (t->operand[0] == t->operand[1] && t->distance[0] <= t->distance[1]);
    if (!ir_ops[t->op].commutes || ordered) return;
    uint8_t fixed = t->fixed[0];
    int32_t offset = t->distance[0];
    swap(&t->operand[0], &t->operand[1]);
    t->fixed[0] = t->fixed[1];
    t->distance[0] = t->distance[1];
    t->fixed[1] = fixed;
    t->distance[1] = offset;
}

static void classify(reuse_finder *f, ir_id id)
{
    const ir_node *node = &f->graph->nodes[id];
    reuse_member *m = &f->members[id];
    reuse_trait t = {.op = node->op, .type = node->type};
    if (f->steps[id].level < CODEGEN_POINT || node->op == IR_CONST) {
        m->fixed = true;
        return;
    }
    if (node->op == IR_LEVEL || node->op == IR_ELEMENT) return;
    if (node->op == IR_LOAD) {
        if (!can_move(f->loop, node->param)) return;
        t.param = node->param;
        t.element = node->element;
        memcpy(t.row, node->offset + 1, sizeof t.row);
        m->offset = node->offset[0];
    } else {
        if (node->op == IR_STORED) t.param = node->param;
        if (!place_operands(f, node, &t, m)) return;
        order_operands(&t);
    }
    m->class = find_class(f, &t);
}

/* ---- what it costs --------------------------------------------------------------------------- */

double reuse_weight(ir_op op)
{
    enum { FUNCTION = 20, DIVISION = 8 };
    if (ir_ops[op].function >= IR_FUNCTION_ROUNDING) return FUNCTION;
    return op == IR_DIV || op == IR_SQRT ? DIVISION : 1;
}

static double cost_of(const reuse_finder *f, ir_id id)
{
    const ir_node *node = &f->graph->nodes[id];
    double cost = reuse_weight((ir_op)node->op);
    for (int k = 0; k < ir_ops[node->op].operands; k++) {
        const reuse_member *operand = &f->members[node->arg[k]];
        if (!operand->fixed) cost += f->classes[operand->class].cost;
    }
    return cost;
}

static void add_member(reuse_finder *f, ir_id id)
{
    const reuse_member *m = &f->members[id];
    reuse_class *c = &f->classes[m->class];
    if (c->count == 0) c->cost = cost_of(f, id);
    if (c->count == 0 || m->offset < c->low) {
        c->low = m->offset;
        c->first = id;
    }
    if (c->count == 0 || m->offset > c->high) c->high = m->offset;
    c->count++;
}

void reuse_classify(reuse_finder *f)
{
    size_t nodes = f->graph->count;
    for (ir_id id = 1; id < nodes; id++) classify(f, id);
    for (ir_id id = 1; id < nodes; id++)
        if (f->members[id].class != REUSE_NO_CLASS) add_member(f, id);
}
