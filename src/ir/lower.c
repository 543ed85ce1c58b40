/* Tree to graph by symbolic execution. Every variable, output and reduction is a *cell*: it holds
 * the node of its present value, and a condition (a bool node) under which it has a value. Loops
 * run; their conditions must be constants. A branch on a constant runs one side. On any other
 * condition both sides run, each from the same cells, and selects join the cells that differ
 * afterwards. `changes` records the cells overwritten since a branch began, so that a branch costs
 * as much as its assignments. A RETURN sets the cell `returned`. In a helper, statements after one
 * that may have happened change nothing that counts. In a kernel they run as a branch, under its
 * negation. */
#include "ir/lowering.h"

#include <stdlib.h>
#include <string.h>

static kata_status lower_stmts(lowering *l, const ir_stmt *s);

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

static void set_cell(lowering *l, uint32_t where, ir_id value, ir_id defined)
{
    if (record_change(l, where)) l->cells[where] = (lower_cell){value, defined};
}

static ir_id lower_bool(lowering *l, bool x)
{
    return ir_graph_const(l->g, IR_BOOL, ir_value_of_int(IR_BOOL, x));
}

static void assign(lowering *l, uint32_t where, ir_id value)
{
    set_cell(l, where, value, lower_bool(l, true));
}

/* ---- branches -------------------------------------------------------------------------------- */

static ir_id select_node(lowering *l, ir_id condition, ir_id yes, ir_id no)
{
    return ir_graph_op(l->g, IR_SELECT, (ir_type)l->g->nodes[yes].type, condition, yes, no, 0);
}

static void join_cell(lowering *l, ir_id condition, uint32_t where, lower_cell yes, lower_cell no)
{
    if (yes.value == no.value && yes.defined == no.defined) return;
    ir_id value = !yes.value  ? no.value
                  : !no.value ? yes.value
                              : select_node(l, condition, yes.value, no.value);
    set_cell(l, where, value, select_node(l, condition, yes.defined, no.defined));
}

/* Puts the cells back to what they were when the branch began. */
static void undo(lowering *l, size_t mark)
{
    for (size_t i = l->change_count; i-- > mark;)
        l->cells[l->changes[i].where] = l->changes[i].cell;
    l->change_count = mark;
}

/* Replaces the entries since `mark` by one per changed cell, with the cell as it was before the
 * branch. */
static void keep_first_changes(lowering *l, size_t mark)
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

/* Joins two branches. `yes` holds `count` changed cells with their values after the first branch.
 * The cells now are as the second branch left them; l->changes from `mark` on has their old values.
 */
static void join(lowering *l, ir_id condition, const lower_change *yes, size_t count, size_t mark)
{
    keep_first_changes(l, mark);
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

/* Runs both sides of a branch whose condition is not constant. */
static kata_status lower_branch(lowering *l, ir_id condition, const ir_stmt *body,
                                const ir_stmt *other)
{
    size_t mark = l->change_count;
    lower_path_enter(l, condition, true);
    kata_status status = lower_stmts(l, body);
    lower_path_leave(l);
    if (status) return status;
    keep_first_changes(l, mark);
    size_t count = l->change_count - mark;
    lower_change *yes = malloc((count + 1) * sizeof *yes);
    if (!yes) return message_no_memory(l->m);
    for (size_t i = 0; i < count; i++) {
        uint32_t where = l->changes[mark + i].where;
        yes[i] = (lower_change){where, l->cells[where]};
    }
    undo(l, mark);
    if (condition == l->cells[l->returned].value) assign(l, l->returned, lower_bool(l, false));
    lower_path_enter(l, condition, false);
    status = lower_stmts(l, other);
    lower_path_leave(l);
    if (!status) join(l, condition, yes, count, mark);
    free(yes);
    return status;
}

static kata_status lower_if(lowering *l, const ir_stmt *s)
{
    ir_id condition = lower_expr(l, s->value);
    kata_status status = lower_check(l, s->at);
    if (status) return status;
    const ir_node *n = &l->g->nodes[condition];
    if (n->op == IR_CONST) return lower_stmts(l, n->value.i32 ? s->body : s->other);
    return lower_branch(l, condition, s->body, s->other);
}

/* ---- statements ------------------------------------------------------------------------------ */

static kata_status lower_assign(lowering *l, const ir_stmt *s)
{
    uint32_t where;
    ir_id value = lower_expr(l, s->value);
    kata_status status = lower_local_cell(l, s->index, s->element, s->at, &where);
    if (!status) assign(l, where, value);
    return status;
}

static void unset(lowering *l, int local)
{
    int length = l->kernel->locals[local].length;
    for (int i = 0; i < (length ? length : 1); i++)
        set_cell(l, l->local_cells[local] + (uint32_t)i, 0, lower_bool(l, false));
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
    assign(l, l->first_output + output, value);
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
    assign(l, where, value);
    return KATA_OK;
}

static bool has_returned(const lowering *l)
{
    const ir_node *returned = &l->g->nodes[l->cells[l->returned].value];
    return returned->op == IR_CONST && returned->value.i32;
}

/* Whether a kernel may have ended at this point, on some path. */
static bool may_have_ended(const lowering *l)
{
    return !l->helpers && l->g->nodes[l->cells[l->returned].value].op != IR_CONST;
}

/* The first number parameter of one element that a value is made of, found by its position in the
 * graph; NULL when there is none. */
static const ir_param *number_below(const lowering *l, ir_id value)
{
    const ir_param *found = NULL;
    bool *below = calloc((size_t)value + 1, sizeof *below);
    if (below) below[value] = true;
    for (ir_id id = value; below && id > 0; id--) {
        const ir_node *n = &l->g->nodes[id];
        if (!below[id]) continue;
        for (int a = 0; a < ir_ops[n->op].operands; a++) below[n->arg[a]] = true;
        if (n->op == IR_NUMBER && l->kernel->params[n->param].kind == IR_PARAM_NUMBER)
            found = &l->kernel->params[n->param];
    }
    free(below);
    return found;
}

static kata_status refuse_condition(lowering *l, const ir_stmt *s, ir_id condition)
{
    const ir_param *number = number_below(l, condition);
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, s->value->at,
                     "the condition of this loop is not known at compile time");
    if (!number) {
        message_line(l->m, "loops are unrolled: their bounds must be constants, not depend on "
                           "fields, parameters or indices");
        return message_send(l->m);
    }
    message_line(
        l->m, "'%s' is a number, given when the kernel is applied, and loops are unrolled before",
        number->name);
    message_line(
        l->m,
        "make it a constant of the file, 'const %s %s = 9;', which the program may set when "
        "it loads the file: .constants = \"%s=5\"",
        ir_types[number->type].name, number->name, number->name);
    return message_send(l->m);
}

/* The step of a loop also counts where the kernel may have ended: so the count stays known. */
static kata_status lower_step(lowering *l, const ir_stmt *step)
{
    return step && may_have_ended(l) ? lower_assign(l, step) : lower_stmts(l, step);
}

static kata_status lower_for(lowering *l, const ir_stmt *s)
{
    kata_status status = lower_stmts(l, s->init);
    int64_t outer = l->repetition;
    for (int64_t n = 0; !status && !has_returned(l); n++) {
        l->repetition = ir_repetition(outer, n);
        ir_id condition = lower_expr(l, s->value);
        if (l->g->failed) break;
        const ir_node *n = &l->g->nodes[condition];
        if (n->op != IR_CONST) return refuse_condition(l, s, condition);
        if (!n->value.i32) break;
        status = lower_stmts(l, s->body);
        if (!status) status = lower_step(l, s->step);
    }
    l->repetition = outer;
    return status ? status : lower_check(l, s->at);
}

/* The first return decides the value of a helper. Statements after a return that may have happened
 * change only the helper's own variables, and nobody reads these any more. */
static void lower_return(lowering *l, const ir_stmt *s)
{
    if (s->index < 0) {
        assign(l, l->returned, lower_bool(l, true));
        return;
    }
    uint32_t where = l->local_cells[s->index];
    ir_id value = lower_expr(l, s->value), before = l->cells[where].value;
    ir_id returned = l->cells[l->returned].value;
    if (!value || l->g->failed) return;
    if (before && l->g->nodes[returned].op != IR_CONST)
        value = select_node(l, returned, before, value);
    assign(l, where, value);
    assign(l, l->returned, lower_bool(l, true));
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
    case IR_STMT_ASSIGN: return lower_assign(l, s);
    case IR_STMT_UNSET: unset(l, s->index); return KATA_OK;
    case IR_STMT_STORE: return lower_store(l, s);
    case IR_STMT_REDUCE: return lower_reduce(l, s);
    case IR_STMT_FOR: return lower_for(l, s);
    case IR_STMT_BLOCK: return lower_stmts(l, s->body);
    case IR_STMT_IF: return lower_if(l, s);
    case IR_STMT_RETURN: lower_return(l, s); return KATA_OK;
    case IR_STMT_ASSERT: return lower_assert(l, s);
    }
    return KATA_OK;
}

/* Runs a list of statements up to a return that has happened on every path. */
static kata_status lower_stmts(lowering *l, const ir_stmt *s)
{
    kata_status status = KATA_OK;
    for (; s && !status && !has_returned(l); s = s->next) {
        if (may_have_ended(l)) return lower_branch(l, l->cells[l->returned].value, NULL, s);
        status = lower_check(l, s->at);
        if (!status) status = lower_stmt(l, s);
        if (!status) status = lower_check(l, s->at);
    }
    return status;
}

kata_status lower_body(lowering *l, const ir_stmt *body)
{
    ir_id outer = l->cells[l->returned].value;
    assign(l, l->returned, lower_bool(l, false));
    lower_path_enter(l, outer, false);
    kata_status status = lower_stmts(l, body);
    lower_path_leave(l);
    if (!status) assign(l, l->returned, outer);
    return status;
}
