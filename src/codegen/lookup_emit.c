/* Where the tables of lookups are: constants stand in front of the loop's functions, other elements
 * among the numbers that the loop is given. */
#include "codegen/emit.h"

/* Whether a node is an element of a table parameter in memory. */
static bool is_element(const ir_node *node) { return node->op == IR_ELEMENT && !node->element; }

bool codegen_reads_tables(const codegen_writer *w)
{
    const ir_graph *graph = &w->loop->kernel->graph;
    for (ir_id id = 1; id < graph->count; id++)
        if (is_element(&graph->nodes[id])) return true;
    for (int i = 0; w->lookups && i < w->lookups->count; i++)
        if (w->lookups->lookup[i].of == CODEGEN_IN_TABLE) return true;
    return false;
}

static const ir_node *value_of(const codegen_writer *w, const codegen_lookup *l, int i)
{
    return &w->loop->kernel->graph.nodes[l->values[i]];
}

static void add_table(const codegen_writer *w, nest *file, const codegen_lookup *l)
{
    ir_type type = (ir_type)value_of(w, l, 0)->type;
    text *line = &nest_format(file, NEST_STATEMENT, "%s %s %s[%d] = {", w->dialect->constants,
                              codegen_type(w, type), codegen_table_name(w, l).is, l->count)
                      ->head;
    for (int i = 0; i < l->count; i++) {
        text_add(line, i ? ", " : "");
        codegen_constant(line, w->dialect, type, value_of(w, l, i)->value);
    }
    text_add(line, "}");
}

/* ---- tables too large for a choice for each element ------------------------------------------ */

static void add_constants(const codegen_writer *w, nest *file, int number)
{
    const ir_table *table = &w->loop->kernel->tables[number];
    text *line = &nest_format(file, NEST_STATEMENT, "%s %s %s[%d] = {", w->dialect->constants,
                              codegen_type(w, table->type), codegen_constants_name(w, number).is,
                              table->length)
                      ->head;
    for (int i = 0; i < table->length; i++) {
        text_add(line, i ? ", " : "");
        codegen_constant(line, w->dialect, table->type, table->values[i]);
    }
    text_add(line, "}");
}

/* Whether a constant table is read in memory. */
static bool is_read(const ir_graph *graph, int number)
{
    for (ir_id id = 1; id < graph->count; id++)
        if (graph->nodes[id].op == IR_ELEMENT && graph->nodes[id].element == number + 1)
            return true;
    return false;
}

/* ---- in front of functions ------------------------------------------------------------------- */

void codegen_lookup_tables(const codegen_writer *w, nest *file)
{
    for (int i = 0; w->lookups && i < w->lookups->count; i++)
        if (w->lookups->lookup[i].of == CODEGEN_CONSTANTS)
            add_table(w, file, &w->lookups->lookup[i]);
    for (int t = 0; t < w->loop->kernel->table_count; t++)
        if (is_read(&w->loop->kernel->graph, t)) add_constants(w, file, t);
}
