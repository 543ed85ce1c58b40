/* Variables, numbers, and elements of arrays and tables; components of fields. An index that is
 * known only at run time is checked, and selects its element by bisection. */
#include "ir/lowering.h"

/* A node for element `i` of the array or table that an expression names; 0 once an error was
 * reported. */
typedef ir_id element_of(lowering *l, const ir_expr *e, int i);

/* An element to choose: number row * columns + column of the array or table that `e` names. */
typedef struct choice {
    const ir_expr *e;
    element_of *element;
    ir_id row, column; /* row: 0 when there is one index, the column */
    int columns;
} choice;

static ir_id choose_row(lowering *l, const choice *c, int lo, int hi);
static ir_id choose_column(lowering *l, const choice *c, int first, int lo, int hi);

/* One of lo .. hi-1 by bisection, along rows or, from element `first`, along columns. */
static ir_id choose_half(lowering *l, const choice *c, ir_id index, int first, int lo, int hi)
{
    int middle = lo + (hi - lo) / 2;
    bool rows = first < 0;
    ir_type type = (ir_type)l->g->nodes[index].type;
    ir_id below =
        ir_graph_op(l->g, IR_LT, IR_BOOL, index,
                    ir_graph_const(l->g, type, ir_value_of_int(type, middle)), 0, c->e->at);
    ir_id low = rows ? choose_row(l, c, lo, middle) : choose_column(l, c, first, lo, middle);
    if (!low) return 0;
    ir_id high = rows ? choose_row(l, c, middle, hi) : choose_column(l, c, first, middle, hi);
    return ir_graph_op(l->g, IR_SELECT, c->e->type, below, low, high, c->e->at);
}

/* Narrows *lo .. *hi-1 to an index that is known. */
static void narrow_known(const lowering *l, ir_id index, int *lo, int *hi)
{
    const ir_node *n = &l->g->nodes[index];
    if (n->op != IR_CONST) return;
    *lo = (int)ir_convert(IR_I64, (ir_type)n->type, n->value).i64;
    *hi = *lo + 1;
}

static ir_id choose_column(lowering *l, const choice *c, int first, int lo, int hi)
{
    narrow_known(l, c->column, &lo, &hi);
    if (hi - lo == 1) return c->element(l, c->e, first + lo);
    return choose_half(l, c, c->column, first, lo, hi);
}

static ir_id choose_row(lowering *l, const choice *c, int lo, int hi)
{
    if (c->row) narrow_known(l, c->row, &lo, &hi);
    if (hi - lo == 1) return choose_column(l, c, lo * c->columns, 0, c->columns);
    return choose_half(l, c, c->row, -1, lo, hi);
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

/* The element at the index of an expression, which is known now or at run time. */
static ir_id indexed(lowering *l, const ir_expr *e, int length, const char *name,
                     element_of *element)
{
    const ir_expr *index = e->arg[0];
    bool pair = index->kind == IR_EXPR_PAIR;
    choice c = {.e = e, .element = element, .columns = pair ? index->index : length};
    if (pair && !(c.row = index_node(l, index->arg[0], index->offsets, name))) return 0;
    c.column = index_node(l, pair ? index->arg[1] : index, c.columns, name);
    if (!c.column) return 0;
    return choose_row(l, &c, 0, length / c.columns);
}

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
    if (e->arg[0]) return indexed(l, e, param->count, param->name, number_element);
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
    return indexed(l, e, table->length, table->name, table_element);
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
