/* A pass: where bytes decide between many values, as a mask of solid points does, they are mostly
 * zero, and then nothing is left to decide. So each part of a row whose bytes are all zero runs in
 * loops of its own, in which compilers know that they are. The same values are chosen. */
#include "codegen/vectors.h"

#include <stdlib.h>

enum { FEWEST_CHOICES = HOSTILE(4, 1) }; /* that must be decided then */

static bool find_value(const void *data, const ir_node *n, ir_value operand, ir_value *value)
{
    (void)operand;
    *value = (ir_value){0};
    return codegen_is_byte(data, n);
}

/* How many choices are decided if all bytes are zero. */
static int decided(const codegen_writer *w, ir_value *values, bool *known)
{
    const ir_graph *g = &w->loop->kernel->graph;
    int count = 0;
    ir_evaluate_graph(g, find_value, w, values, known);
    for (ir_id id = 1; id < g->count; id++)
        count += g->nodes[id].op == IR_SELECT && known[g->nodes[id].arg[0]];
    return count;
}

/* Whether all bytes that are read are zero for the points of a part, which follow one another from
 * reuse_begin to reuse_end. */
static nest *if_clear(const codegen_writer *w, nest *in)
{
    const ir_graph *g = &w->loop->kernel->graph;
    nest_statement(in, "unsigned char bytes = 0");
    nest *points = nest_loop(in, NEST_PLAIN, "int64_t ix = reuse_begin; ix < reuse_end; ix++");
    text *line = &nest_format(points, NEST_STATEMENT, "bytes |= (unsigned char)(0")->head;
    for (ir_id id = 1; id < g->count; id++) {
        if (!codegen_is_byte(w, &g->nodes[id])) continue;
        text_add(line, " | ");
        codegen_expression(line, w, id);
    }
    text_add(line, ")");
    return nest_format(in, NEST_IF, "!bytes");
}

static void add_clear(const codegen_writer *w, nest *in)
{
    codegen_writer clear = *w;
    nest *loops = if_clear(w, in);
    clear.clear = true;
    codegen_vector_loop(&clear, loops);
    nest_statement(loops, "continue");
}

bool codegen_clear_bytes(codegen_writer *w)
{
    const ir_graph *g = &w->loop->kernel->graph;
    bool widens = w->reuse && w->reuse->widened_groups > 0;
    if (!widens || w->reuse->widened_groups < w->reuse->group_count || w->loop->colored)
        return true;
    ir_value *values = calloc(g->count, sizeof *values);
    bool *known = calloc(g->count, sizeof *known);
    if (values && known && decided(w, values, known) >= FEWEST_CHOICES) w->add_clear = add_clear;
    bool done = values && known;
    free(values);
    free(known);
    return done;
}
