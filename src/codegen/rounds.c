/* Loops of a point that are not unrolled: variables, and rounds that give them their next values.
 */
#include "codegen/emit.h"

bool codegen_ends_rounds(const codegen_writer *w, ir_id id)
{
    const ir_node *nodes = w->loop->kernel->graph.nodes;
    if (nodes[id].op != IR_AFTER) return false;
    for (ir_id before = id; before-- > nodes[id].arg[0];)
        if (nodes[before].op == IR_AFTER && nodes[before].arg[0] == nodes[id].arg[0] &&
            (!w->wanted || w->wanted[before]))
            return false;
    return true;
}

static bool is_wanted(const codegen_writer *w, ir_id id) { return !w->wanted || w->wanted[id]; }

static void add_variable(const codegen_writer *w, nest *in, ir_id carried)
{
    const ir_node *node = &w->loop->kernel->graph.nodes[carried];
    text *line = &nest_format(in, NEST_STATEMENT, "%s ", codegen_type(w, node->type))->head;
    codegen_expression(line, w, carried);
    text_add(line, " = ");
    codegen_operand(line, w, node->arg[0]);
}

/* The condition of a loop, which the first of its CARRY nodes has. */
static ir_id condition_of(const ir_node *nodes, ir_id last)
{
    while (nodes[last].op == IR_CARRY) last = nodes[last].arg[0];
    return last;
}

static void add_variables(const codegen_writer *w, nest *in, ir_id last)
{
    const ir_node *nodes = w->loop->kernel->graph.nodes;
    for (ir_id id = last; nodes[id].op == IR_CARRY; id = nodes[id].arg[0])
        if (is_wanted(w, nodes[id].arg[1])) add_variable(w, in, nodes[id].arg[1]);
}

/* All variables change at once: none is changed before all next values are known. */
static void add_next(const codegen_writer *w, nest *in, ir_id last)
{
    const ir_node *nodes = w->loop->kernel->graph.nodes;
    for (ir_id id = last; nodes[id].op == IR_CARRY; id = nodes[id].arg[0]) {
        const ir_node *variable = &nodes[nodes[id].arg[1]];
        if (nodes[nodes[id].arg[2]].op != IR_CARRIED) continue;
        text *line =
            &nest_format(in, NEST_STATEMENT, "const %s next_%d = ", codegen_type(w, variable->type),
                         variable->element)
                 ->head;
        codegen_operand(line, w, nodes[id].arg[2]);
    }
    for (ir_id id = last; nodes[id].op == IR_CARRY; id = nodes[id].arg[0]) {
        ir_id carried = nodes[id].arg[1];
        text *line = &nest_add(in, NEST_STATEMENT)->head;
        codegen_expression(line, w, carried);
        text_add(line, " = ");
        if (nodes[nodes[id].arg[2]].op == IR_CARRIED)
            text_add(line, "next_%d", nodes[carried].element);
        else
            codegen_operand(line, w, nodes[id].arg[2]);
    }
}

/* The named nodes of a loop, and the loops in it. */
static void add_steps(const codegen_writer *w, nest *in, ir_id first, ir_id end, int loop)
{
    for (ir_id id = first; id < end; id++) {
        if (w->steps[id].loop != loop || !is_wanted(w, id)) continue;
        if (w->steps[id].named) codegen_step_of(w, in, id);
        if (codegen_ends_rounds(w, id)) codegen_rounds(w, in, id);
    }
}

void codegen_rounds(const codegen_writer *w, nest *in, ir_id after)
{
    const ir_node *nodes = w->loop->kernel->graph.nodes;
    ir_id last = nodes[after].arg[0], condition = condition_of(nodes, last);
    int loop = nodes[after].param;
    add_variables(w, in, last);
    nest *rounds = nest_loop(in, NEST_PLAIN, ";;");
    add_steps(w, rounds, 1, condition + 1, loop);
    text *line = &nest_add(rounds, NEST_IF)->head;
    text_add(line, "!");
    codegen_operand(line, w, condition);
    nest *ends = rounds->last;
    nest_statement(ends, "break");
    add_steps(w, rounds, condition + 1, last, loop);
    add_next(w, rounds, last);
}
