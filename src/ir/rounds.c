/* Loops that are not unrolled.
 *
 * The cells that a loop may change are its variables. At the start of a round each is a CARRIED
 * node; the condition and the body are lowered once, from these. A CARRY for each variable says
 * what it is in the next round, and an AFTER what it is once the condition has failed. So all that
 * is the same in every round is computed outside, as every operation is defined for all operands.
 *
 * `break` and `return` set `broken` and `returned`, which are variables too, and end the loop
 * before its next round. A check that fails ends it in the same way: the checks of the last round
 * are those of the point. The loop's variable is counted towards a constant in its condition, and
 * changed by its step alone: so the loop ends. */
#include "ir/rounds.h"

#include <stdlib.h>

/* ---- variables ------------------------------------------------------------------------------- */

static ir_id zero_of(lowering *l, ir_type type)
{
    return ir_graph_const(l->g, type, ir_value_of_int(type, 0));
}

static ir_type type_of_output(const lowering *l, uint32_t where)
{
    for (int p = 0; p < l->kernel->param_count; p++) {
        const ir_param *param = &l->kernel->params[p];
        bool reduction = ir_param_is_reduction(param);
        if (!reduction && !ir_param_is_written_field(param)) continue;
        uint32_t first = l->param_outputs[p] + (reduction ? l->first_reduction : l->first_output);
        uint32_t count = (uint32_t)(param->count * (reduction ? 1 : ir_param_children(param)));
        if (where >= first && where < first + count) return param->type;
    }
    return IR_BOOL; /* returned, broken */
}

static ir_type type_of_cell(const lowering *l, uint32_t where)
{
    int low = 0, high = l->kernel->local_count;
    if (where >= l->returned) return type_of_output(l, where);
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (l->local_cells[middle] <= where)
            low = middle;
        else
            high = middle;
    }
    return l->kernel->locals[low].type;
}

/* Carries along whether a value that is not finite went into a variable. */
static void begin_taint(rounds *r, variable *v)
{
    lowering *l = r->l;
    if (!l->kernel->watched || !ir_type_is_floating((ir_type)l->g->nodes[v->value].type)) return;
    v->tainted = rounds_carried(r, lower_tainted(l, l->g->nodes[v->value].arg[0]));
    lower_set_tainted(l, v->value, v->tainted);
}

static variable *add_variable(rounds *r, uint32_t where)
{
    void *variables = r->variables;
    if (!vector_reserve(&variables, &r->capacity, r->count + 1, sizeof *r->variables)) {
        r->l->g->failed = true;
        return NULL;
    }
    r->variables = variables;
    r->variables[r->count] = (variable){.where = where};
    return &r->variables[r->count++];
}

/* A cell without a value before the loop may get one in it: it starts as a zero that is not
 * defined. */
static void begin_cell(rounds *r, uint32_t where)
{
    lowering *l = r->l;
    lower_cell before = l->cells[where];
    variable *v = add_variable(r, where);
    if (!v) return;
    v->before = before;
    v->value = rounds_carried(r, before.value ? before.value : zero_of(l, type_of_cell(l, where)));
    begin_taint(r, v);
    bool flag = where == l->returned || where == l->broken;
    if (!flag && !lower_is_bool(l, before.defined, true))
        v->defined = rounds_carried(r, before.defined);
    lower_set(l, where, v->value, v->defined ? v->defined : lower_bool(l, true));
}

static kata_status begin_variables(rounds *r)
{
    lowering *l = r->l;
    uint32_t counter = l->local_cells[r->loop->step->index];
    begin_cell(r, counter);
    for (uint32_t where = 0; where < l->cell_count && !l->g->failed; where++)
        if (r->found[where] && where != counter && where != l->skipped) begin_cell(r, where);
    lower_give(l, l->skipped, lower_bool(l, false));
    if (r->has_checks) r->fine = rounds_carried(r, lower_bool(l, true));
    return lower_check(l, r->loop->at);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* The condition of a round. A check in the condition of the loop fails in a round of its own. */
static kata_status lower_goes_on(rounds *r, int *direction)
{
    lowering *l = r->l;
    r->first_check = l->check_count;
    ir_id goes_on = lower_expr(l, r->loop->value);
    kata_status status = lower_check(l, r->loop->at);
    if (status) return status;
    rounds_by(l, goes_on, r->variables[0].value, direction);
    for (size_t i = r->first_check; i < l->check_count; i++)
        goes_on =
            lower_bool_op(l, IR_OR, goes_on, lower_bool_op(l, IR_NOT, l->checks[i].passes, 0));
    if (r->fine) goes_on = lower_bool_op(l, IR_AND, goes_on, r->fine);
    const uint32_t ends[] = {l->broken, l->returned};
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        goes_on =
            lower_bool_op(l, IR_AND, goes_on, lower_bool_op(l, IR_NOT, l->cells[ends[i]].value, 0));
    r->goes_on = r->last = goes_on;
    for (size_t i = 0; i < COUNT_OF(ends); i++) lower_give(l, ends[i], lower_bool(l, false));
    return lower_check(l, r->loop->at);
}

static kata_status lower_round(rounds *r)
{
    lowering *l = r->l;
    lower_counter counter = {.carried = r->variables[0].value, .outer = l->counters};
    kata_status status = lower_goes_on(r, &counter.direction);
    if (status) return status;
    l->counters = &counter;
    lower_path_enter(l, r->goes_on, true);
    status = lower_statements(l, r->loop->body);
    if (!status) {
        lower_give(l, l->skipped, lower_bool(l, false));
        status = rounds_count(r, counter.direction);
    }
    lower_path_leave(l);
    l->counters = counter.outer;
    return status ? status : lower_check(l, r->loop->at);
}

/* ---- behind the loop ------------------------------------------------------------------------- */

static void carry(rounds *r, ir_id variable, ir_id next)
{
    if (!variable) return;
    r->last = ir_graph_add(r->l->g, &(ir_node){.op = IR_CARRY,
                                               .type = IR_BOOL,
                                               .arg = {r->last, variable, next},
                                               .param = r->number,
                                               .at = r->loop->at});
}

static ir_id after(rounds *r, ir_id variable)
{
    const ir_node *n = &r->l->g->nodes[variable];
    return ir_graph_add(r->l->g, &(ir_node){.op = IR_AFTER,
                                            .type = n->type,
                                            .arg = {r->last, variable},
                                            .param = r->number,
                                            .element = n->element,
                                            .at = r->loop->at});
}

static void carry_cells(rounds *r)
{
    lowering *l = r->l;
    for (size_t i = 0; i < r->count; i++) {
        const variable *v = &r->variables[i];
        lower_cell now = l->cells[v->where];
        ir_type type = (ir_type)l->g->nodes[v->value].type;
        ir_id next = now.value ? now.value : zero_of(l, type);
        ir_id tainted = v->tainted ? lower_tainted(l, next) : 0;
        carry(r, v->value, next);
        carry(r, v->tainted, tainted);
        carry(r, v->defined, now.defined);
    }
}

/* Whether a cell is the same in all rounds, though a statement names it or its neighbours. */
static bool is_unchanged(const rounds *r, const variable *v)
{
    lower_cell now = r->l->cells[v->where];
    bool defined = v->defined ? now.defined == v->defined : lower_is_bool(r->l, now.defined, true);
    return now.value == v->value && defined;
}

/* Where a declaration in the body leaves a variable without a value, it has none behind the loop.
 */
static void end_cells(rounds *r)
{
    lowering *l = r->l;
    for (size_t i = 0; i < r->count; i++) {
        const variable *v = &r->variables[i];
        if (is_unchanged(r, v)) {
            lower_set(l, v->where, v->before.value, v->before.defined);
            continue;
        }
        bool flag = v->where == l->returned || v->where == l->broken;
        bool always = flag || lower_is_bool(l, l->cells[v->where].defined, true);
        ir_id defined = v->defined ? after(r, v->defined) : lower_bool(l, always);
        ir_id value = after(r, v->value);
        if (v->tainted) lower_set_tainted(l, value, after(r, v->tainted));
        lower_set(l, v->where, value, defined);
    }
}

/* Carries the node from round to round, and makes it the one of the last round. */
static void carry_last(rounds *r, ir_id *node, ir_id start)
{
    if (!*node) return;
    ir_id variable = rounds_carried(r, start);
    carry(r, variable, *node);
    *node = variable;
}

static void each_of_check(rounds *r, ir_check *check, void (*visit)(rounds *, ir_id *, ir_id))
{
    lowering *l = r->l;
    ir_type type = check->index ? (ir_type)l->g->nodes[check->index].type : IR_I32;
    visit(r, &check->passes, lower_bool(l, true));
    visit(r, &check->index, zero_of(l, type));
    for (int i = 0; i < check->shown_count && !l->g->failed; i++) {
        ir_shown *shown = &check->shown[i];
        visit(r, &shown->value, zero_of(l, (ir_type)l->g->nodes[shown->value].type));
        visit(r, &shown->condition, lower_bool(l, false));
    }
}

static void end_node(rounds *r, ir_id *node, ir_id start)
{
    (void)start;
    if (*node) *node = after(r, *node);
}

static void carry_checks(rounds *r)
{
    lowering *l = r->l;
    ir_id passes = lower_bool(l, true);
    for (size_t i = r->first_check; i < l->check_count; i++)
        passes = lower_bool_op(l, IR_AND, passes, l->checks[i].passes);
    carry(r, r->fine, passes);
    for (size_t i = r->first_check; i < l->check_count && !l->g->failed; i++)
        each_of_check(r, &l->checks[i], carry_last);
}

static kata_status end_rounds(rounds *r)
{
    lowering *l = r->l;
    carry_cells(r);
    carry_checks(r);
    if (!l->g->failed) end_cells(r);
    for (size_t i = r->first_check; i < l->check_count && !l->g->failed; i++)
        each_of_check(r, &l->checks[i], end_node);
    return lower_check(l, r->loop->at);
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* A field that is written beside the point would be read as it was before the loop. */
static kata_status refuse_target(lowering *l, uint32_t at)
{
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, at,
                     "a loop that is not unrolled writes a field at an offset");
    message_line(l->m, "compute the value in a variable, and write it behind the loop");
    return message_send(l->m);
}

static kata_status check_targets(rounds *r)
{
    lowering *l = r->l;
    for (int p = 0; p < l->kernel->param_count; p++) {
        const ir_param *param = &l->kernel->params[p];
        bool one = ir_param_is_written_field(param) && ir_param_children(param) == 1;
        for (int c = 0; one && c < param->count; c++) {
            uint32_t o = l->param_outputs[p] + (uint32_t)c;
            const int32_t *to = l->output_offset[o];
            bool beside = l->output_at[o] && (to[0] || to[1] || to[2]);
            if (r->found[l->first_output + o] && beside) return refuse_target(l, l->output_at[o]);
        }
    }
    return KATA_OK;
}

static kata_status lower_all(rounds *r)
{
    lowering *l = r->l;
    lower_cell skipped = l->cells[l->skipped], broken = l->cells[l->broken];
    lower_cell returned = l->cells[l->returned];
    lower_give(l, l->broken, lower_bool(l, false));
    kata_status status = rounds_find(r);
    if (!status) status = begin_variables(r);
    if (!status) status = lower_round(r);
    if (!status) status = check_targets(r);
    if (!status) status = end_rounds(r);
    if (status) return status;
    if (!r->found[l->returned]) lower_set(l, l->returned, returned.value, returned.defined);
    lower_set(l, l->skipped, skipped.value, skipped.defined);
    lower_set(l, l->broken, broken.value, broken.defined);
    return KATA_OK;
}

kata_status lower_rounds(lowering *l, const ir_stmt *s)
{
    rounds r = {.l = l, .loop = s};
    int64_t most = lower_most_rounds(l, s), outer = l->rounds;
    uint32_t outer_at = l->rounds_at;
    lower_record *record = l->record;
    kata_status status = rounds_check_limits(l, s, most);
    if (status) return status;
    r.number = l->kernel->loop_count++;
    l->record = NULL;
    l->rounds *= most ? most : 1;
    l->rounds_at = s->at;
    int64_t work = l->work, before = l->steps;
    l->work = 0;
    status = lower_all(&r);
    int64_t all = (l->steps - before + l->work) * most;
    if (!status) status = rounds_check_work(l, s, all);
    l->work = work + all;
    l->rounds = outer;
    l->rounds_at = outer_at;
    l->record = record;
    if (!status) ((ir_stmt *)s)->rounds = true;
    free(r.found);
    free(r.variables);
    return status;
}
