/* Tree to graph by symbolic execution. Every variable, output and reduction is a *cell*: it holds
 * the node of its present value, and a condition (a bool node) under which it has a value. A branch
 * on a constant runs one side. On any other condition both sides run, each from the same cells, and
 * selects join the cells that differ afterwards. `changes` records the cells overwritten since a
 * branch began, so that a branch costs as much as its assignments. A RETURN sets the cell
 * `returned`. In a helper, statements after one that may have happened change nothing that counts.
 * In a kernel they run as a branch, under its negation. BREAK and CONTINUE set `skipped`, which is
 * obeyed in the same way everywhere, until the next round of the loop clears it. */
#include "ir/lowering.h"

#include <stdlib.h>
#include <string.h>

/* Runs both sides of a branch whose condition is not constant. */
static kata_status lower_branch(lowering *l, ir_id condition, const ir_stmt *body,
                                const ir_stmt *other)
{
    size_t mark = l->change_count;
    lower_path_enter(l, condition, true);
    kata_status status = lower_statements(l, body);
    lower_path_leave(l);
    if (status) return status;
    lower_keep_first_changes(l, mark);
    size_t count = l->change_count - mark;
    lower_change *yes = malloc((count + 1) * sizeof *yes);
    if (!yes) return message_no_memory(l->m);
    for (size_t i = 0; i < count; i++) {
        uint32_t where = l->changes[mark + i].where;
        yes[i] = (lower_change){where, l->cells[where]};
    }
    lower_undo(l, mark);
    if (condition == l->cells[l->returned].value) lower_give(l, l->returned, lower_bool(l, false));
    if (condition == l->cells[l->skipped].value) lower_give(l, l->skipped, lower_bool(l, false));
    lower_path_enter(l, condition, false);
    status = lower_statements(l, other);
    lower_path_leave(l);
    if (!status) lower_join(l, condition, yes, count, mark);
    free(yes);
    return status;
}

static kata_status lower_if(lowering *l, const ir_stmt *s)
{
    ir_id condition = lower_expr(l, s->value);
    kata_status status = lower_check(l, s->at);
    if (status) return status;
    const ir_node *n = &l->g->nodes[condition];
    if (n->op == IR_CONST) return lower_statements(l, n->value.i32 ? s->body : s->other);
    return lower_branch(l, condition, s->body, s->other);
}

/* ---- statements ------------------------------------------------------------------------------ */

kata_status lower_assignment(lowering *l, const ir_stmt *s)
{
    uint32_t where;
    ir_id value = lower_expr(l, s->value);
    kata_status status = lower_local_cell(l, s->index, s->element, s->at, &where);
    if (!status) lower_give(l, where, value);
    return status;
}

static void unset(lowering *l, int local)
{
    int length = l->kernel->locals[local].length;
    for (int i = 0; i < (length ? length : 1); i++)
        lower_set(l, l->local_cells[local] + (uint32_t)i, 0, lower_bool(l, false));
}

static kata_status no_child(lowering *l, const ir_stmt *s)
{
    const ir_param *param = &l->kernel->params[s->index];
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, s->at,
                     "'%s' is written at a point that is no child of this one", param->name);
    message_line(l->m, "a finer field is written at 0 up to its ratio less 1 in each dimension: "
                       "otherwise two points would write the same value");
    message_note_at(l->m, l->kernel->text, param->ratio_at, "its ratio is declared here");
    return message_send(l->m);
}

/* A kernel writes each component, or each child of it, at one offset only. */
static kata_status lower_target(lowering *l, const ir_stmt *s, int component, uint32_t *out)
{
    int32_t offset[3];
    kata_status status = lower_check_rank(l, s->index, s->offsets, s->at);
    if (!status) status = lower_offsets(l, s->offset, offset);
    if (!status) status = lower_check_missing(l, s->index, offset, s->at);
    if (status) return status;
    if (l->kernel->direction && (offset[0] || offset[1] || offset[2])) {
        message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, s->at,
                         "'%s' is written at an offset in a kernel whose levels run in order",
                         l->kernel->params[s->index].name);
        message_line(l->m, ir_param_has_ratio(&l->kernel->params[s->index])
                               ? "of a finer field it can write the first child alone: write the "
                                 "others in a kernel without an order"
                               : "write it at the point itself, and read others at an offset");
        return message_send(l->m);
    }
    if (!lower_output(l, s->index, component, offset, out)) return no_child(l, s);
    uint32_t output = *out;
    int32_t *known = l->output_offset[output];
    bool first = !l->output_at[output];
    if (first) memcpy(known, offset, sizeof offset);
    if (!memcmp(known, offset, sizeof offset)) return KATA_OK;
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, s->at,
                     "'%s' is written at two different offsets", l->kernel->params[s->index].name);
    message_line(l->m, "each component is written at one point: otherwise two points would write "
                       "the same value");
    message_note_at(l->m, l->kernel->text, l->output_at[output], "the other write is here");
    return message_send(l->m);
}

static kata_status lower_store(lowering *l, const ir_stmt *s)
{
    ir_id value = lower_expr(l, s->value);
    int component;
    kata_status status =
        lower_component(l, &l->kernel->params[s->index], s->element, s->at, &component);
    if (status) return status;
    uint32_t output = 0;
    status = lower_target(l, s, component, &output);
    if (status) return status;
    lower_give(l, l->first_output + output, value);
    l->output_at[output] = s->at;
    return KATA_OK;
}

static kata_status lower_reduce(lowering *l, const ir_stmt *s)
{
    const ir_param *param = &l->kernel->params[s->index];
    int element;
    ir_id index = s->element ? lower_expr(l, s->element) : 0;
    kata_status status = lower_check(l, s->at);
    if (status) return status;
    if (index && l->g->nodes[index].op != IR_CONST) return lower_addition(l, s, index);
    status = lower_component(l, param, s->element, s->at, &element);
    if (status) return status;
    uint32_t reduction = l->param_outputs[s->index] + (uint32_t)element;
    uint32_t where = l->first_reduction + reduction;
    ir_id value = lower_expr(l, s->value);
    /* combining a value with the neutral start would not change it */
    bool first = l->cells[where].value == l->reduction_starts[reduction];
    if (!first)
        value = ir_graph_op(l->g, ir_reduction_op(param), param->type, l->cells[where].value, value,
                            0, s->at);
    lower_give(l, where, value);
    return KATA_OK;
}

bool lower_has_left(const lowering *l)
{
    return lower_is_bool(l, l->cells[l->returned].value, true) ||
           lower_is_bool(l, l->cells[l->skipped].value, true);
}

bool lower_may_have_ended(const lowering *l)
{
    return !l->helpers && l->g->nodes[l->cells[l->returned].value].op != IR_CONST;
}

/* The condition under which the next statement does not run; 0 where it runs always. */
static ir_id may_have_left(const lowering *l)
{
    ir_id skipped = l->cells[l->skipped].value;
    if (lower_may_have_ended(l)) return l->cells[l->returned].value;
    return l->g->nodes[skipped].op == IR_CONST ? 0 : skipped;
}

/* The first return decides the value of a helper. Statements after a return that may have happened
 * change only the helper's own variables, and nobody reads these any more. */
static void lower_return(lowering *l, const ir_stmt *s)
{
    if (s->index < 0) {
        lower_give(l, l->returned, lower_bool(l, true));
        return;
    }
    uint32_t where = l->local_cells[s->index];
    ir_id value = lower_expr(l, s->value), before = l->cells[where].value;
    ir_id returned = l->cells[l->returned].value;
    if (!value || l->g->failed) return;
    if (before && l->g->nodes[returned].op != IR_CONST)
        value = lower_select(l, returned, before, value);
    lower_give(l, where, value);
    lower_give(l, l->returned, lower_bool(l, true));
}

/* The condition of an assert; notes what it reads. */
static ir_id lower_condition_of(lowering *l, const ir_stmt *s, lower_record *record)
{
    lower_record *outer = l->record;
    l->record = record;
    ir_id condition = lower_expr(l, s->value);
    l->record = outer;
    return condition;
}

static kata_status lower_assert(lowering *l, const ir_stmt *s)
{
    lower_record record = {0};
    ir_check check = {.kind = IR_CHECK_ASSERT, .at = s->at, .name = s->text};
    check.passes = lower_condition_of(l, s, &record);
    check.shown_count = (int)record.count;
    check.shown = arena_array(l->memory, record.count + 1, sizeof *check.shown);
    if (check.shown && record.count)
        memcpy(check.shown, record.shown, record.count * sizeof *check.shown);
    free(record.shown);
    if (!check.shown) l->g->failed = true;
    kata_status status = lower_check(l, s->at);
    return status ? status : lower_add_check(l, check);
}

static kata_status lower_stmt(lowering *l, const ir_stmt *s)
{
    switch (s->kind) {
    case IR_STMT_ASSIGN: return lower_assignment(l, s);
    case IR_STMT_UNSET: unset(l, s->index); return KATA_OK;
    case IR_STMT_STORE: return lower_store(l, s);
    case IR_STMT_REDUCE: return lower_reduce(l, s);
    case IR_STMT_FOR: return lower_for(l, s);
    case IR_STMT_BLOCK: return lower_statements(l, s->body);
    case IR_STMT_PART: return lower_body(l, s->body);
    case IR_STMT_IF: return lower_if(l, s);
    case IR_STMT_RETURN: lower_return(l, s); return KATA_OK;
    case IR_STMT_BREAK: lower_give(l, l->broken, lower_bool(l, true)); /* fall through */
    case IR_STMT_CONTINUE: lower_give(l, l->skipped, lower_bool(l, true)); return KATA_OK;
    case IR_STMT_ASSERT: return lower_assert(l, s);
    }
    return KATA_OK;
}

kata_status lower_statements(lowering *l, const ir_stmt *s)
{
    kata_status status = KATA_OK;
    for (; s && !status && !lower_has_left(l); s = s->next) {
        ir_id left = may_have_left(l);
        if (left) return lower_branch(l, left, NULL, s);
        status = lower_check(l, s->at);
        if (!status) status = lower_stmt(l, s);
        if (!status) status = lower_check(l, s->at);
    }
    return status;
}

kata_status lower_body(lowering *l, const ir_stmt *body)
{
    ir_id outer = l->cells[l->returned].value;
    lower_give(l, l->returned, lower_bool(l, false));
    lower_path_enter(l, outer, false);
    kata_status status = lower_statements(l, body);
    lower_path_leave(l);
    if (!status) lower_give(l, l->returned, outer);
    return status;
}
