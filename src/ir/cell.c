/* The values of variables, outputs and reductions while a tree is lowered; and how those of two
 * branches are joined. */
#include "ir/lowering.h"

/* ---- cells ----------------------------------------------------------------------------------- */

static bool record_change(lowering *l, uint32_t where)
{
    void *changes = l->changes;
    if (!vector_reserve(&changes, &l->change_capacity, l->change_count + 1, sizeof *l->changes)) {
        l->g->failed = true;
        return false;
    }
    l->changes = changes;
    l->changes[l->change_count++] = (lower_change){where, l->cells[where]};
    return true;
}

void lower_set(lowering *l, uint32_t where, ir_id value, ir_id defined)
{
    if (record_change(l, where)) l->cells[where] = (lower_cell){value, defined};
}

ir_id lower_bool(lowering *l, bool x)
{
    return ir_graph_const(l->g, IR_BOOL, ir_value_of_int(IR_BOOL, x));
}

ir_id lower_bool_op(lowering *l, ir_op op, ir_id a, ir_id b)
{
    return ir_graph_op(l->g, op, IR_BOOL, a, b, 0, 0);
}

bool lower_is_bool(const lowering *l, ir_id id, bool x)
{
    const ir_node *n = &l->g->nodes[id];
    return n->op == IR_CONST && (n->value.i32 != 0) == x;
}

void lower_give(lowering *l, uint32_t where, ir_id value)
{
    lower_set(l, where, value, lower_bool(l, true));
}

/* ---- branches -------------------------------------------------------------------------------- */

ir_id lower_select(lowering *l, ir_id condition, ir_id yes, ir_id no)
{
    return ir_graph_op(l->g, IR_SELECT, (ir_type)l->g->nodes[yes].type, condition, yes, no, 0);
}

static void join_cell(lowering *l, ir_id condition, uint32_t where, lower_cell yes, lower_cell no)
{
    if (yes.value == no.value && yes.defined == no.defined) return;
    ir_id value = !yes.value  ? no.value
                  : !no.value ? yes.value
                              : lower_select(l, condition, yes.value, no.value);
    lower_set(l, where, value, lower_select(l, condition, yes.defined, no.defined));
}

void lower_undo(lowering *l, size_t mark)
{
    for (size_t i = l->change_count; i-- > mark;)
        l->cells[l->changes[i].where] = l->changes[i].cell;
    l->change_count = mark;
}

void lower_keep_first_changes(lowering *l, size_t mark)
{
    size_t end = mark;
    l->stamp++;
    for (size_t i = mark; i < l->change_count; i++) {
        uint32_t where = l->changes[i].where;
        if (l->stamps[where] == l->stamp) continue;
        l->stamps[where] = l->stamp;
        l->changes[end++] = l->changes[i];
    }
    l->change_count = end;
}

void lower_join(lowering *l, ir_id condition, const lower_change *yes, size_t count, size_t mark)
{
    lower_keep_first_changes(l, mark);
    size_t end = l->change_count;
    for (size_t i = 0; i < count; i++) {
        join_cell(l, condition, yes[i].where, yes[i].cell, l->cells[yes[i].where]);
        l->stamps[yes[i].where] = 0;
    }
    for (size_t i = mark; i < end; i++) {
        lower_change change = l->changes[i];
        if (l->stamps[change.where] != l->stamp) continue;
        join_cell(l, condition, change.where, change.cell, l->cells[change.where]);
    }
}
