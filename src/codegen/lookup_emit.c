/* Where the tables of lookups are: constants stand in front of the loop's functions, other elements
 * among the numbers that the loop is given; components are read where their fields lie. */
#include "codegen/halves.h"
#include "codegen/thread.h"

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

/* ---- what is looked up ----------------------------------------------------------------------- */

static void add_looked_up(text *out, const codegen_writer *w, const codegen_lookup *l,
                          const char *index)
{
    const ir_type type = (ir_type)w->loop->kernel->graph.nodes[l->index].type;
    text_add(out, "kata_element_%s(%s, %d, %d)", codegen_short_type(type), index, (int)l->low,
             l->count);
}

/* Where a component is read along a dimension: on devices, sides may wrap. */
static void add_chosen_index(text *out, const codegen_writer *w, const ir_node *first, int d)
{
    const int offset = first->offset[d] + (d == 0 ? w->moved : 0);
    if (d == 0 && offset && codegen_has_vectors(w, first->param))
        text_add(out, "%s", codegen_wrapped(w, first->param, "ix", offset).is);
    else if (d > 0 && codegen_wraps(w, first->param, d, offset))
        text_add(out, "%s", codegen_row_place(w, first->param, d, d == 1 ? "iy" : "iz", offset).is);
    else
        codegen_read_index(out, w->loop->kernel, first->param, d, offset);
}

/* A component of a field, found by its view. */
static void add_chosen(text *out, const codegen_writer *w, const codegen_lookup *l,
                       const char *number)
{
    const ir_kernel *kernel = w->loop->kernel;
    const ir_node *first = &kernel->graph.nodes[l->values[0]];
    kata_type storage = w->loop->storage[first->param];
    text index = {0};
    add_chosen_index(&index, w, first, 0);
    text_add(out, "%s*(const %s *)kata_at(view + %d + %d * ",
             codegen_load_open(first->type, storage).is, codegen_field_type(w, first->param).is,
             codegen_view_index(kernel, first->param) + first->element, (int)l->stride);
    add_looked_up(out, w, l, number);
    text_add(out, ", ");
    codegen_in_row(out, w, first->param, text_get(&index));
    for (int d = 1; d < 3; d++) {
        text_add(out, ", ");
        add_chosen_index(out, w, first, d);
    }
    text_add(out, ", %d, %d)%s", ir_storages[storage].bytes,
             codegen_rows_of(w->loop, first->param) == CODEGEN_STRIDED,
             codegen_load_close(first->type, storage));
    if (index.failed) out->failed = true;
    text_free(&index);
}

void codegen_lookup_value(text *out, const codegen_writer *w, const codegen_lookup *l,
                          const char *index)
{
    const ir_kernel *kernel = w->loop->kernel;
    const ir_node *first = &kernel->graph.nodes[l->values[0]];
    switch (l->of) {
    case CODEGEN_CONSTANTS:
        text_add(out, "%s[", codegen_table_name(w, l).is);
        add_looked_up(out, w, l, index);
        text_add(out, "]");
        break;
    case CODEGEN_IN_TABLE:
        text_add(out, "numbers[%d + %d * ",
                 codegen_number_index(kernel, first->param) + first->element, (int)l->stride);
        add_looked_up(out, w, l, index);
        text_add(out, "].%s", codegen_member((ir_type)first->type));
        break;
    case CODEGEN_IN_FIELD: add_chosen(out, w, l, index); break;
    }
}
