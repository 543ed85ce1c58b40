/* Variables, numbers, and elements of arrays and tables; components of fields. An index that is
 * known only at run time is checked, and selects its element by bisection, or, of large tables,
 * from memory. */
#include "ir/lowering.h"

/* A node for element `i` of the array or table that an expression names; 0 once an error was
 * reported. */
typedef ir_id element_of(lowering *l, const ir_expr *e, int i);

/* An element to choose from the array or table that `e` names: each index, and how many values it
 * has. The element at (i, j, k) is number (i*length[1] + j)*length[2] + k. */
typedef struct choice {
    const ir_expr *e;
    element_of *element;
    ir_id index[3];
    int length[3], count;
} choice;

/* Narrows *lo .. *hi-1 to an index that is known. */
static void narrow_known(const lowering *l, ir_id index, int *lo, int *hi)
{
    const ir_node *n = &l->g->nodes[index];
    if (n->op != IR_CONST) return;
    *lo = (int)ir_convert(IR_I64, (ir_type)n->type, n->value).i64;
    *hi = *lo + 1;
}

/* By bisection: index number i is one of lo .. hi-1, and those before it lead to element `before`
 * of as many as they have values. */
static ir_id choose(lowering *l, const choice *c, int i, int before, int lo, int hi)
{
    narrow_known(l, c->index[i], &lo, &hi);
    if (hi - lo == 1) {
        int here = before * c->length[i] + lo;
        return i + 1 == c->count ? c->element(l, c->e, here)
                                 : choose(l, c, i + 1, here, 0, c->length[i + 1]);
    }
    int middle = lo + (hi - lo) / 2;
    ir_type type = (ir_type)l->g->nodes[c->index[i]].type;
    ir_id below =
        ir_graph_op(l->g, IR_LT, IR_BOOL, c->index[i],
                    ir_graph_const(l->g, type, ir_value_of_int(type, middle)), 0, c->e->at);
    ir_id low = choose(l, c, i, before, lo, middle);
    if (!low) return 0;
    ir_id high = choose(l, c, i, before, middle, hi);
    return ir_graph_op(l->g, IR_SELECT, c->e->type, below, low, high, c->e->at);
}

/* The node of an index below `length`: a constant in range, or an index that is checked at run
 * time. 0 once an error was reported. */
static ir_id index_node(lowering *l, const ir_expr *e, int length, const char *name)
{
    int64_t i;
    ir_id index = lower_expr(l, e);
    if (lower_check(l, e->at)) return 0;
    if (l->g->nodes[index].op == IR_CONST)
        return lower_constant(l, e, index, "index", 0, length - 1, &i) ? 0 : index;
    return lower_index_check(l, index, length, name, e->at) ? 0 : index;
}

/* Adds the indices of an expression, checked, from the first to the last. False once an error was
 * reported. */
static bool add_indices(lowering *l, choice *c, const ir_expr *index, int length, const char *name)
{
    if (index->kind == IR_EXPR_PAIR)
        return add_indices(l, c, index->arg[0], index->offsets, name) &&
               add_indices(l, c, index->arg[1], index->index, name);
    c->length[c->count] = length;
    c->index[c->count] = index_node(l, index, length, name);
    return c->index[c->count++];
}

/* The element at the index of an expression, which is known now or at run time. */
static ir_id indexed(lowering *l, const ir_expr *e, int length, const char *name,
                     element_of *element)
{
    choice c = {.e = e, .element = element};
    return add_indices(l, &c, e->arg[0], length, name) ? choose(l, &c, 0, 0, 0, c.length[0]) : 0;
}

/* ---- tables in memory ------------------------------------------------------------------------ */

/* Long tables, and those with three indices, are not worth a choice for each element. */
static bool is_in_memory(const lowering *l, const choice *c, int length)
{
    bool known = true;
    for (int i = 0; i < c->count; i++) known = known && l->g->nodes[c->index[i]].op == IR_CONST;
    return !known && (length > IR_MAX_LENGTH || c->count == 3);
}

static ir_id long_op(lowering *l, const choice *c, ir_op op, ir_id a, ir_id b)
{
    return ir_graph_op(l->g, op, IR_I64, a, b, 0, c->e->at);
}

/* The number of the element. */
static ir_id number_of(lowering *l, const choice *c)
{
    ir_id number = 0;
    for (int i = 0; i < c->count; i++) {
        ir_id index = c->index[i];
        if (l->g->nodes[index].type != IR_I64) index = long_op(l, c, IR_CONVERT, index, 0);
        ir_id length = ir_graph_const(l->g, IR_I64, ir_value_of_int(IR_I64, c->length[i]));
        if (i) number = long_op(l, c, IR_MUL, number, length);
        number = i ? long_op(l, c, IR_ADD, number, index) : index;
    }
    return number;
}

/* An element of a table: of table parameter `param`, or of constant table number `table` - 1. */
static ir_id table_indexed(lowering *l, const ir_expr *e, const ir_table *as, int table,
                           element_of *element)
{
    choice c = {.e = e, .element = element};
    if (!add_indices(l, &c, e->arg[0], as->length, as->name)) return 0;
    if (!is_in_memory(l, &c, as->length)) return choose(l, &c, 0, 0, 0, c.length[0]);
    ir_id number = number_of(l, &c);
    return ir_graph_add(l->g, &(ir_node){.op = IR_ELEMENT,
                                         .type = (uint8_t)as->type,
                                         .arg = {number},
                                         .value = ir_value_of_int(IR_I32, as->length),
                                         .param = table ? 0 : e->index,
                                         .element = table,
                                         .at = e->at});
}

/* ---- what is indexed ------------------------------------------------------------------------- */

static ir_id local_element(lowering *l, const ir_expr *e, int i)
{
    lower_cell cell = l->cells[l->local_cells[e->index] + (uint32_t)i];
    const ir_node *defined = &l->g->nodes[cell.defined];
    if (cell.value && defined->op == IR_CONST && defined->value.i32) return cell.value;
    const ir_local *local = &l->kernel->locals[e->index];
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, e->at,
                     cell.value ? "'%s' may be read here before it is set"
                                : "'%s' is read before it is set",
                     local->name);
    message_note_at(l->m, l->kernel->text, local->at, "declared here without a value");
    message_send(l->m);
    return 0;
}

static const int64_t nowhere[4];

ir_id lower_variable(lowering *l, const ir_expr *e)
{
    const ir_local *local = &l->kernel->locals[e->index];
    if (e->arg[0]) return indexed(l, e, local->length, local->name, local_element);
    ir_id value = local_element(l, e, 0);
    lower_note(l, e, nowhere, value);
    return value;
}

static ir_id number_element(lowering *l, const ir_expr *e, int i)
{
    return ir_graph_add(l->g, &(ir_node){.op = IR_NUMBER,
                                         .type = (uint8_t)e->type,
                                         .param = e->index,
                                         .element = i,
                                         .at = e->at});
}

ir_id lower_number(lowering *l, const ir_expr *e)
{
    const ir_param *param = &l->kernel->params[e->index];
    const ir_table as = {.name = param->name, .type = e->type, .length = param->count};
    if (e->arg[0]) return table_indexed(l, e, &as, 0, number_element);
    ir_id value = number_element(l, e, 0);
    lower_note(l, e, nowhere, value);
    return value;
}

static ir_id table_element(lowering *l, const ir_expr *e, int i)
{
    const ir_table *table = &l->kernel->tables[e->index];
    return ir_graph_const(l->g, table->type, table->values[i]);
}

ir_id lower_table(lowering *l, const ir_expr *e)
{
    const ir_table *table = &l->kernel->tables[e->index];
    return table_indexed(l, e, table, e->index + 1, table_element);
}

static ir_id component_element(lowering *l, const ir_expr *e, int i)
{
    int64_t at[4];
    return lower_load(l, e, i, at);
}

ir_id lower_chosen_component(lowering *l, const ir_expr *e)
{
    const ir_param *param = &l->kernel->params[e->index];
    ((ir_expr *)e)->at_run_time = true;
    return indexed(l, e, param->count, param->name, component_element);
}
