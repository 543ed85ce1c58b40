/* Where the tables of lookups are: constants stand in front of the loop's functions, other elements
 * among the numbers that the loop is given. */
#include "codegen/emit.h"

bool codegen_reads_tables(const codegen_writer *w)
{
    for (int i = 0; w->lookups && i < w->lookups->count; i++)
        if (w->lookups->lookup[i].in_table) return true;
    return false;
}

static const ir_node *value_of(const codegen_writer *w, const codegen_lookup *l, int i)
{
    return &w->loop->kernel->graph.nodes[l->values[i]];
}

static void add_table(const codegen_writer *w, nest *file, const codegen_lookup *l)
{
    ir_type type = (ir_type)value_of(w, l, 0)->type;
    text *line = &nest_format(file, NEST_STATEMENT, "static const %s %s[%d] = {",
                              codegen_type(w, type), codegen_table_name(w, l).is, l->count)
                      ->head;
    for (int i = 0; i < l->count; i++) {
        text_add(line, i ? ", " : "");
        codegen_constant(line, w->dialect, type, value_of(w, l, i)->value);
    }
    text_add(line, "}");
}

void codegen_lookup_tables(const codegen_writer *w, nest *file)
{
    for (int i = 0; w->lookups && i < w->lookups->count; i++)
        if (!w->lookups->lookup[i].in_table) add_table(w, file, &w->lookups->lookup[i]);
}
