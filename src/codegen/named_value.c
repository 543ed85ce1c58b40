/* A node of the graph that is a variable of the generated code. */
#include "codegen/emit.h"

void codegen_step_of(const codegen_writer *w, nest *in, ir_id id)
{
    const ir_node *node = &w->loop->kernel->graph.nodes[id];
    codegen_position(w, in, node->at);
    text *line = &nest_add(in, NEST_STATEMENT)->head;
    text_add(line, "const %s ", codegen_type(w, node->type));
    codegen_value_name(line, w, id);
    text_add(line, " = ");
    codegen_expression(line, w, id);
}
