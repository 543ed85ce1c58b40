/* Runs a kernel's tree at one point, as it is written: loops loop, branches branch, and operands
 * that C would not evaluate are not evaluated. A failed assert and an index outside its table end
 * the run. ir_lower has checked the tree; an error that it should have found is an internal one. */
#include "oracle/interpret.h"

static ir_value evaluate_other(oracle_interpreter *in, const ir_expr *expr);
static bool run(oracle_interpreter *in, const ir_stmt *stmt);

/* Most expressions are offsets, most of these constants. */
static inline ir_value evaluate(oracle_interpreter *in, const ir_expr *expr)
{
    in->flow = 0;
    return expr->kind == IR_EXPR_CONST ? expr->value : evaluate_other(in, expr);
}

static ir_value fail(oracle_interpreter *in, const char *what)
{
    in->failure = what;
    return (ir_value){0};
}

/* The value of an optional integer expression, 0 where there is none. */
static int64_t integer(oracle_interpreter *in, const ir_expr *expr)
{
    if (!expr) return 0;
    ir_value value = evaluate(in, expr);
    return expr->type == IR_I32 ? value.i32 : ir_convert(IR_I64, expr->type, value).i64;
}

/* The same for an index below `length`. */
static int index_below(oracle_interpreter *in, const ir_expr *expr, int length)
{
    int64_t index = integer(in, expr);
    if (index >= 0 && index < length) return (int)index;
    fail(in, "an index out of range");
    return 0;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void begin_fault(oracle_interpreter *in, ir_check_kind kind, uint32_t at, const char *name)
{
    in->failure = "a check that fails";
    in->fault = (observe_fault){.found = true, .kind = kind, .at = at, .name = name};
    for (int d = 0; d < 3; d++) in->fault.point[d] = in->point[d];
}

/* The element of a table or array that an expression names, of `length`. */
static int checked_index(oracle_interpreter *in, const ir_expr *expr, int length, const char *name)
{
    if (expr->kind == IR_EXPR_PAIR) {
        int row = checked_index(in, expr->arg[0], expr->offsets, name);
        return row * expr->index + checked_index(in, expr->arg[1], expr->index, name);
    }
    int64_t index = integer(in, expr);
    if (index >= 0 && index < length) return (int)index;
    if (in->failure) return 0;
    begin_fault(in, IR_CHECK_INDEX, expr->at, name);
    in->fault.index = index;
    in->fault.length = length;
    return 0;
}

/* Notes a value read by the condition of an assert; component and offsets in at[0..3]. */
static ir_value note(oracle_interpreter *in, const ir_expr *expr, const int64_t at[4],
                     ir_value value)
{
    char label[IR_LABEL];
    if (!in->condition || (in->calls && expr->kind != IR_EXPR_LOAD)) return value;
    ir_print_label(label, in->loop->kernel, expr, at);
    observe_fault_show(in->condition, label, expr->type, value);
    return value;
}

static bool assert_holds(oracle_interpreter *in, const ir_stmt *stmt)
{
    observe_fault read = {0}, *outer = in->condition;
    int outer_calls = in->calls;
    in->condition = &read;
    in->calls = 0;
    bool holds = evaluate(in, stmt->value).i32;
    in->condition = outer;
    in->calls = outer_calls;
    if (holds || in->failure) return holds;
    begin_fault(in, IR_CHECK_ASSERT, stmt->at, stmt->text);
    for (int i = 0; i < read.shown_count; i++)
        observe_fault_show(&in->fault, read.shown[i].label, read.shown[i].type,
                           read.shown[i].value);
    return false;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static ir_value *local_at(oracle_interpreter *in, int local, const ir_expr *element)
{
    int length = in->loop->kernel->locals[local].length;
    return &in->locals[in->local_start[local] + index_below(in, element, length > 0 ? length : 1)];
}

static const int64_t nowhere[4];

static ir_value evaluate_local(oracle_interpreter *in, const ir_expr *expr)
{
    const ir_local *local = &in->loop->kernel->locals[expr->index];
    bool plain = !expr->arg[0];
    int element = plain ? 0 : checked_index(in, expr->arg[0], local->length, local->name);
    size_t at = in->local_start[expr->index] + (size_t)element;
    in->flow = in->local_flows[at];
    return plain ? note(in, expr, nowhere, in->locals[at]) : in->locals[at];
}

static ir_value evaluate_number(oracle_interpreter *in, const ir_expr *expr)
{
    const ir_param *param = &in->loop->kernel->params[expr->index];
    const chain_binding *binding = &in->loop->bindings[expr->index];
    bool table = param->kind == IR_PARAM_TABLE;
    int element = table ? checked_index(in, expr->arg[0], param->count, param->name) : 0;
    ir_value value = binding->slot ? store_scalar(binding->slot, element)
                     : table       ? binding->table[element]
                                   : binding->number;
    if (in->trace) observe_trace_read(in->trace, in->loop, param, element, NULL, value);
    oracle_flow_read(in, expr, table ? NULL : nowhere, value);
    return table ? value : note(in, expr, nowhere, value);
}

static ir_value evaluate_table(oracle_interpreter *in, const ir_expr *expr)
{
    const ir_table *table = &in->loop->kernel->tables[expr->index];
    int element = checked_index(in, expr->arg[0], table->length, table->name);
    in->flow = 0;
    return table->values[element];
}

/* Sets the offset of an access to a field parameter, and the index that it touches. */
static void index_at(oracle_interpreter *in, const ir_param *param, ir_expr *const expr[3],
                     int64_t index[3], int64_t offset[3])
{
    for (int d = 0; d < 3; d++) {
        offset[d] = integer(in, expr[d]);
        index[d] = ir_param_index(param, d, in->point[d]) + offset[d];
    }
}

/* The indices that a copy reads: its box is laid over another one, axis by axis, forwards or
 * backwards. */
static void copied_index(const chain_copy *copy, const int64_t point[3], int64_t index[3])
{
    for (int d = 0; d < 3; d++) {
        int64_t along = point[copy->axis[d]];
        index[d] = copy->shift[d] + (copy->sign[d] > 0 ? along : -along);
    }
}

/* Whether this point has written the value of an output at an index. */
static bool is_written_at(const oracle_field *field, int output, const int64_t index[3])
{
    if (!field->next || output < 0 || !field->stored[output]) return false;
    const int64_t *at = field->stored_at[output];
    return at[0] == index[0] && at[1] == index[1] && at[2] == index[2];
}

/* An index inside the grid along a dimension. */
static int64_t checked_level(oracle_interpreter *in, const ir_expr *expr, const ir_param *param)
{
    int64_t size = in->loop->shape.size[expr->level - 1];
    int64_t index = integer(in, expr->arg[expr->level]);
    if (expr->inside || (index >= 0 && index < size) || in->failure) return index;
    begin_fault(in, IR_CHECK_INDEX, expr->at, param->name);
    in->fault.index = index;
    in->fault.length = size;
    return 0;
}

/* A field at an index along one dimension, and at offsets along the others. */
static ir_value evaluate_level(oracle_interpreter *in, const ir_expr *expr, int component)
{
    const ir_param *param = &in->loop->kernel->params[expr->index];
    const oracle_field *field = &in->fields[expr->index];
    ir_expr *expr_of[3] = {expr->arg[1], expr->arg[2], expr->arg[3]};
    int64_t index[3], offset[3], level = checked_level(in, expr, param);
    if (in->failure) return (ir_value){0};
    expr_of[expr->level - 1] = NULL;
    index_at(in, param, expr_of, index, offset);
    index[expr->level - 1] = level;
    ir_value element = oracle_read(field, component, index);
    ir_value value = ir_storage_read(field->slot->type, param->type, &element);
    for (int d = 0; d < 3; d++) offset[d] = index[d] - ir_param_index(param, d, in->point[d]);
    if (in->trace) observe_trace_read(in->trace, in->loop, param, component, offset, value);
    oracle_flow_read(in, expr, NULL, value);
    return value;
}

static ir_value evaluate_load(oracle_interpreter *in, const ir_expr *expr)
{
    const ir_param *param = &in->loop->kernel->params[expr->index];
    const oracle_field *field = &in->fields[expr->index];
    const ir_expr *chosen = expr->arg[0];
    int component = chosen ? checked_index(in, chosen, param->count, param->name) : 0;
    int64_t index[3], target[3], at[4] = {component};
    if (expr->level) return evaluate_level(in, expr, component);
    index_at(in, param, &expr->arg[1], index, &at[1]);
    if (in->loop->copy && expr->index == CHAIN_COPY_FROM)
        copied_index(in->loop->copy, in->point, index);
    int output = oracle_output_of(param, component, &at[1]);
    bool own = is_written_at(field, output, index) && oracle_target(field, index, target);
    ir_value element = own ? store_get_element(field->next, component, target)
                           : oracle_read(field, component, index);
    ir_value value = ir_storage_read(field->slot->type, param->type, &element);
    if (in->trace) observe_trace_read(in->trace, in->loop, param, component, &at[1], value);
    if (own)
        in->flow = field->flows[output];
    else
        oracle_flow_read(in, expr, at, value);
    return expr->at_run_time ? value : note(in, expr, at, value);
}

static ir_value evaluate_op(oracle_interpreter *in, const ir_expr *expr)
{
    ir_value args[3] = {{0}, {0}, {0}};
    args[0] = evaluate(in, expr->arg[0]);
    uint64_t flow = in->flow;
    if (expr->op == IR_SELECT) return evaluate(in, expr->arg[args[0].i32 ? 1 : 2]);
    oracle_flow_result(in, expr->type, flow);
    if (expr->type == IR_BOOL && expr->op == IR_AND && !args[0].i32) return args[0];
    if (expr->type == IR_BOOL && expr->op == IR_OR && args[0].i32) return args[0];
    for (int i = 1; i < ir_ops[expr->op].operands; i++) {
        args[i] = evaluate(in, expr->arg[i]);
        flow |= in->flow;
    }
    oracle_flow_result(in, expr->type, flow);
    return ir_evaluate(expr->op, expr->type, expr->arg[0]->type, args);
}

/* The seed, mixed with the position of the call and the index of the point, dimension by dimension
 * of the program; the upper 53 of the 64 bits are the number. */
static ir_value evaluate_random(oracle_interpreter *in, const ir_expr *expr)
{
    ir_value bits = evaluate(in, expr->arg[0]);
    const ir_kernel *kernel = in->loop->kernel;
    int64_t with[4] = {ir_random_position(in->repetition, expr->index)};
    for (int d = 0; d < 3; d++) with[3 - d] = in->point[kernel->of_mesh ? kernel->axis[d] : d];
    if (expr->arg[1]) with[3] = evaluate(in, expr->arg[1]).i64;
    for (int i = 0; i < 4; i++)
        bits = ir_evaluate(IR_MIX, IR_I64, IR_I64, (ir_value[]){bits, {.i64 = with[i]}});
    return ir_value_of_double(IR_F64, (double)(bits.bits >> 11) / 9007199254740992.0);
}

static ir_value evaluate_call(oracle_interpreter *in, const ir_expr *expr)
{
    in->calls++;
    run(in, expr->body);
    in->calls--;
    in->flow = in->local_flows[in->local_start[expr->index]];
    return *local_at(in, expr->index, NULL);
}

static ir_value evaluate_other(oracle_interpreter *in, const ir_expr *expr)
{
    switch (expr->kind) {
    case IR_EXPR_CONST: return expr->value;
    case IR_EXPR_LOCAL: return evaluate_local(in, expr);
    case IR_EXPR_NUMBER: return evaluate_number(in, expr);
    case IR_EXPR_TABLE: return evaluate_table(in, expr);
    case IR_EXPR_INDEX: return note(in, expr, nowhere, (ir_value){.i64 = in->point[expr->index]});
    case IR_EXPR_SIZE: return (ir_value){.i64 = in->loop->shape.size[expr->index]};
    case IR_EXPR_LOAD: return evaluate_load(in, expr);
    case IR_EXPR_RANDOM: return evaluate_random(in, expr);
    case IR_EXPR_PAIR:
        return ir_value_of_int(IR_I32,
                               (int64_t)index_below(in, expr->arg[0], expr->offsets) * expr->index +
                                   index_below(in, expr->arg[1], expr->index));
    case IR_EXPR_OP: return evaluate_op(in, expr);
    case IR_EXPR_CALL: return evaluate_call(in, expr);
    }
    return fail(in, "an unknown kind of expression");
}

/* ---- statements: true when what runs is left --------------------------------------------------
 */

static void unset(oracle_interpreter *in, int local)
{
    int length = in->loop->kernel->locals[local].length;
    for (int i = 0; i < (length > 0 ? length : 1); i++) {
        in->locals[in->local_start[local] + i] = (ir_value){0};
        in->local_flows[in->local_start[local] + i] = 0;
    }
}

static void assign(oracle_interpreter *in, int local, const ir_stmt *stmt)
{
    ir_value value = evaluate(in, stmt->value);
    uint64_t flow = in->flow;
    ir_value *at = local_at(in, local, stmt->element);
    *at = value;
    in->local_flows[at - in->locals] = flow;
}

static void store(oracle_interpreter *in, const ir_stmt *stmt)
{
    const ir_param *param = &in->loop->kernel->params[stmt->index];
    oracle_field *field = &in->fields[stmt->index];
    int component = index_below(in, stmt->element, param->count);
    ir_value value = evaluate(in, stmt->value), element = {0};
    uint64_t flow = in->flow;
    int64_t index[3], offset[3], target[3];
    index_at(in, param, stmt->offset, index, offset);
    int output = oracle_output_of(param, component, offset);
    if (output < 0 || !oracle_target(field, index, target)) {
        fail(in, "a write outside the grid");
        return;
    }
    ir_storage_write(field->slot->type, stmt->value->type, value, &element);
    if (in->trace)
        observe_trace_store(in->trace, in->loop, stmt, component, target,
                            store_get_element(field->next, component, target), element);
    store_set_element(field->next, component, target, element);
    field->stored[output] = true;
    field->flows[output] = flow;
    for (int d = 0; d < 3; d++) field->stored_at[output][d] = index[d];
}

static void reduce(oracle_interpreter *in, const ir_stmt *stmt)
{
    const ir_param *param = &in->loop->kernel->params[stmt->index];
    int element = stmt->element ? checked_index(in, stmt->element, param->count, param->name) : 0;
    if (in->failure) return;
    ir_value *reduced = &in->reduced[in->reduced_start[stmt->index] + (size_t)element];
    *reduced = ir_reduce(param, *reduced, evaluate(in, stmt->value));
    in->reduced_flows[reduced - in->reduced] |= in->flow;
}

/* True when a return was met, or the loop is to be left for another reason. */
static bool run_round(oracle_interpreter *in, const ir_stmt *stmt, bool *returned)
{
    if (!evaluate(in, stmt->value).i32 || in->failure) return true;
    bool left = run(in, stmt->body), skipped = left && in->leaves != ORACLE_RETURNS;
    *returned = left && !skipped;
    if (*returned || in->leaves == ORACLE_BREAKS) return true;
    in->leaves = ORACLE_RETURNS;
    run(in, stmt->step);
    return false;
}

/* What a condition reads in a loop that is not unrolled is not noted: it changes. */
static bool run_for(oracle_interpreter *in, const ir_stmt *stmt)
{
    int64_t outer = in->repetition;
    observe_fault *condition = in->condition;
    bool returned = false;
    run(in, stmt->init);
    if (stmt->rounds) in->condition = NULL;
    for (int64_t n = 0;; n++) {
        in->repetition = ir_repetition(outer, n);
        if (run_round(in, stmt, &returned)) break;
    }
    in->leaves = ORACLE_RETURNS;
    in->condition = condition;
    in->repetition = outer;
    return returned;
}

static bool run_one(oracle_interpreter *in, const ir_stmt *stmt)
{
    switch (stmt->kind) {
    case IR_STMT_ASSIGN: assign(in, stmt->index, stmt); return false;
    case IR_STMT_UNSET: unset(in, stmt->index); return false;
    case IR_STMT_STORE: store(in, stmt); return false;
    case IR_STMT_REDUCE: reduce(in, stmt); return false;
    case IR_STMT_IF: return run(in, evaluate(in, stmt->value).i32 ? stmt->body : stmt->other);
    case IR_STMT_FOR: return run_for(in, stmt);
    case IR_STMT_BREAK: in->leaves = ORACLE_BREAKS; return true;
    case IR_STMT_CONTINUE: in->leaves = ORACLE_CONTINUES; return true;
    case IR_STMT_BLOCK: return run(in, stmt->body);
    case IR_STMT_PART: run(in, stmt->body); return in->failure != NULL;
    case IR_STMT_RETURN:
        if (stmt->value) assign(in, stmt->index, stmt);
        return true;
    case IR_STMT_ASSERT: return !assert_holds(in, stmt);
    }
    fail(in, "an unknown kind of statement");
    return true;
}

static bool run(oracle_interpreter *in, const ir_stmt *stmt)
{
    for (; stmt && !in->failure; stmt = stmt->next)
        if (run_one(in, stmt)) return true;
    return false;
}

bool oracle_interpret_point(oracle_interpreter *in)
{
    run(in, in->loop->kernel->body);
    if (in->loop->kernel->watched && !in->failure) oracle_flow_check(in);
    return !in->failure;
}
