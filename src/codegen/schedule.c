/* Where each node of a graph is computed, and whether it gets a name.
 *
 * A node is computed at the outermost level at which all its operands are known. It is written into
 * the expression of its only user, without a name, except where the user
 *   - is in an inner loop;
 *   - would evaluate it twice, or only sometimes: it is an operand of a choice, and loads and
 *     arithmetic are unconditional so that loops run in vectors;
 *   - would become too long to read.
 * Stores come last and store names only: a store must not change what a load of the same point
 * finds. */
#include "codegen/emit.h"

#include "ir/ir.h"

#include <stdlib.h>

enum { LONGEST_EXPRESSION = HOSTILE(8, 1) }; /* operations */

static bool is_leaf(ir_op op)
{
    return op == IR_CONST || op == IR_NUMBER || op == IR_INDEX || op == IR_SIZE ||
           op == IR_CARRIED || op == IR_CARRY || op == IR_AFTER;
}

/* Whether all points of a row load the same value, which none of them changes. In the loop over
 * points gcc 12 loads it only where it is chosen, and then makes no vectors. */
static bool is_of_row(const ir_kernel *kernel, const ir_node *node)
{
    const ir_param *param = &kernel->params[node->param];
    return ir_param_is_field(param) && param->absent_axis[0] && !ir_param_is_written_field(param) &&
           !codegen_is_skewed(kernel, false);
}

/* Rows of skewed boxes run side by side: what depends on iy is computed at the point. */
static codegen_level own_level(const ir_kernel *kernel, const ir_node *node)
{
    static const codegen_level index_level[3] = {CODEGEN_POINT, CODEGEN_ROW, CODEGEN_PLANE};
    if (node->op == IR_INDEX && node->param == 1 && codegen_is_skewed(kernel, false))
        return CODEGEN_POINT;
    if (node->op == IR_INDEX) return index_level[node->param];
    if (node->op == IR_LOAD && is_of_row(kernel, node)) return CODEGEN_ROW;
    bool loads = node->op == IR_LOAD || node->op == IR_LEVEL;
    return loads || node->op == IR_CARRIED ? CODEGEN_POINT : CODEGEN_ONCE;
}

/* Whether the C text of an operation evaluates operand k twice, or only sometimes. */
static bool wants_name(ir_op op, int k)
{
    return op == IR_MIN || op == IR_MAX || (op == IR_SELECT && k > 0);
}

static void add_node(const ir_kernel *kernel, codegen_step *steps, ir_id id)
{
    const ir_node *node = &kernel->graph.nodes[id];
    codegen_step *step = &steps[id];
    step->level = (uint8_t)own_level(kernel, node);
    step->leaf = is_leaf(node->op);
    for (int k = 0; k < ir_ops[node->op].operands; k++) {
        codegen_step *operand = &steps[node->arg[k]];
        if (operand->level > step->level) step->level = operand->level;
        operand->uses++;
        if (wants_name(node->op, k)) operand->named = true;
    }
}

static void name_outer_operands(const ir_graph *g, codegen_step *steps, ir_id id)
{
    const ir_node *node = &g->nodes[id];
    for (int k = 0; k < ir_ops[node->op].operands; k++)
        if (steps[node->arg[k]].level < steps[id].level) steps[node->arg[k]].named = true;
}

/* What rounds of a loop use that is computed outside has a name; so has what a variable becomes,
 * which is not to be computed again where it is used in the same round. */
static bool name_by_loop(const ir_graph *g, codegen_step *steps)
{
    uint64_t *within = calloc(g->count, sizeof *within);
    if (!within) return false;
    ir_find_loops(g, within);
    for (ir_id id = 1; id < g->count; id++) {
        const ir_node *node = &g->nodes[id];
        steps[id].loop = (int8_t)ir_innermost_loop(within[id]);
        for (int k = 0; k < ir_ops[node->op].operands; k++)
            if (steps[node->arg[k]].loop != steps[id].loop || node->op == IR_CARRY)
                steps[node->arg[k]].named = true;
    }
    free(within);
    return true;
}

static void measure(const ir_graph *g, codegen_step *steps, ir_id id)
{
    const ir_node *node = &g->nodes[id];
    codegen_step *step = &steps[id];
    step->size = 1;
    for (int k = 0; k < ir_ops[node->op].operands; k++) {
        const codegen_step *operand = &steps[node->arg[k]];
        if (!operand->leaf && !operand->named) step->size += operand->size;
    }
    if (step->uses > 1 || step->size > LONGEST_EXPRESSION) step->named = true;
    if (step->leaf) step->named = false;
}

codegen_step *codegen_schedule(const ir_kernel *kernel)
{
    const ir_graph *g = &kernel->graph;
    codegen_step *steps = calloc(g->count + 1, sizeof *steps);
    if (!steps) return NULL;
    for (ir_id id = 1; id < g->count; id++) add_node(kernel, steps, id);
    for (int i = 0; i < kernel->store_count; i++) {
        codegen_step *value = &steps[kernel->stores[i].value];
        value->uses++;
        if (kernel->store_count > 1 || value->level < CODEGEN_POINT) value->named = true;
        codegen_step *condition = &steps[kernel->stores[i].condition];
        condition->uses++;
        condition->named = true;
    }
    for (int i = 0; i < kernel->addition_count; i++) {
        const ir_addition *a = &kernel->additions[i];
        const ir_id used[] = {a->index, a->value, a->condition};
        for (int k = 0; k < 3; k++) {
            steps[used[k]].uses++;
            steps[used[k]].named = true;
        }
    }
    if (kernel->valid) {
        steps[kernel->valid].uses++;
        steps[kernel->valid].named = true;
    }
    for (ir_id id = 1; id < g->count; id++) name_outer_operands(g, steps, id);
    if (!name_by_loop(g, steps)) {
        free(steps);
        return NULL;
    }
    for (ir_id id = 1; id < g->count; id++) measure(g, steps, id);
    return steps;
}
