/* Runs a kernel's tree at one point, as it is written: loops loop, branches branch, and what need
 * not be evaluated is not. ir_lower has checked the tree; what it should not have let pass ends the
 * run with an internal error. */
#include "exec/exec.h"

static ir_value evaluate(interpreter *in, const ir_expr *expr);
static bool run(interpreter *in, const ir_stmt *stmt);

static ir_value fail(interpreter *in, const char *what)
{
    in->failure = what;
    return (ir_value){0};
}

/* The value of an optional integer expression, 0 where there is none. */
static int64_t integer(interpreter *in, const ir_expr *expr)
{
    return expr ? ir_convert(IR_I64, expr->type, evaluate(in, expr)).i64 : 0;
}

/* The same for an index below `length`. */
static int index_below(interpreter *in, const ir_expr *expr, int length)
{
    int64_t index = integer(in, expr);
    if (index >= 0 && index < length) return (int)index;
    fail(in, "an index out of range");
    return 0;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static ir_value *local_at(interpreter *in, int local, const ir_expr *element)
{
    int length = in->loop->kernel->locals[local].length;
    return &in->locals[in->local_start[local] + index_below(in, element, length > 0 ? length : 1)];
}

static ir_value evaluate_number(interpreter *in, const ir_expr *expr)
{
    const ir_param *param = &in->loop->kernel->params[expr->index];
    const chain_binding *binding = &in->loop->bindings[expr->index];
    int element = 0;
    if (param->kind == IR_PARAM_TABLE) element = index_below(in, expr->arg[0], param->count);
    ir_value value = param->kind == IR_PARAM_TABLE ? binding->table[element]
                     : binding->slot               ? binding->slot->scalar
                                                   : binding->number;
    if (in->trace) exec_trace_read(in->trace, param, element, NULL, value);
    return value;
}

/* The index that offsets from the point make. */
static void index_at(interpreter *in, ir_expr *const offset[3], int64_t index[3])
{
    for (int d = 0; d < 3; d++) index[d] = in->point[d] + integer(in, offset[d]);
}

/* The value that this point has written at an index, NULL when it has not. */
static const int64_t *written_at(const reference_field *field, int component,
                                 const int64_t index[3])
{
    if (!field->next || !field->stored[component]) return NULL;
    const int64_t *at = field->stored_at[component];
    return at[0] == index[0] && at[1] == index[1] && at[2] == index[2] ? at : NULL;
}

static ir_value evaluate_load(interpreter *in, const ir_expr *expr)
{
    const ir_param *param = &in->loop->kernel->params[expr->index];
    const reference_field *field = &in->fields[expr->index];
    int component = index_below(in, expr->arg[0], param->count);
    int64_t index[3], target[3];
    index_at(in, &expr->arg[1], index);
    bool own = written_at(field, component, index) && reference_target(field, index, target);
    ir_value element = own ? reference_element(field->next, component, target)
                           : reference_read(field, component, index);
    ir_value value = ir_storage_read(field->slot->type, param->type, &element);
    for (int d = 0; d < 3; d++) index[d] -= in->point[d];
    if (in->trace) exec_trace_read(in->trace, param, component, index, value);
    return value;
}

static ir_value evaluate_op(interpreter *in, const ir_expr *expr)
{
    ir_value args[3] = {{0}, {0}, {0}};
    args[0] = evaluate(in, expr->arg[0]);
    if (expr->op == IR_SELECT) return evaluate(in, expr->arg[args[0].i32 ? 1 : 2]);
    if (expr->type == IR_BOOL && expr->op == IR_AND && !args[0].i32) return args[0];
    if (expr->type == IR_BOOL && expr->op == IR_OR && args[0].i32) return args[0];
    for (int i = 1; i < ir_ops[expr->op].operands; i++) args[i] = evaluate(in, expr->arg[i]);
    return ir_evaluate(expr->op, expr->type, expr->arg[0]->type, args);
}

static ir_value evaluate(interpreter *in, const ir_expr *expr)
{
    const ir_kernel *kernel = in->loop->kernel;
    switch (expr->kind) {
    case IR_EXPR_CONST: return expr->value;
    case IR_EXPR_LOCAL: return *local_at(in, expr->index, expr->arg[0]);
    case IR_EXPR_NUMBER: return evaluate_number(in, expr);
    case IR_EXPR_TABLE:
        return kernel->tables[expr->index]
            .values[index_below(in, expr->arg[0], kernel->tables[expr->index].length)];
    case IR_EXPR_INDEX: return (ir_value){.i64 = in->point[expr->index]};
    case IR_EXPR_SIZE: return (ir_value){.i64 = in->loop->shape.size[expr->index]};
    case IR_EXPR_LOAD: return evaluate_load(in, expr);
    case IR_EXPR_OP: return evaluate_op(in, expr);
    case IR_EXPR_CALL: run(in, expr->body); return *local_at(in, expr->index, NULL);
    }
    return fail(in, "an unknown kind of expression");
}

/* ---- statements: true when a return was met -------------------------------------------------- */

static void unset(interpreter *in, int local)
{
    int length = in->loop->kernel->locals[local].length;
    for (int i = 0; i < (length > 0 ? length : 1); i++)
        in->locals[in->local_start[local] + i] = (ir_value){0};
}

static void store(interpreter *in, const ir_stmt *stmt)
{
    const ir_param *param = &in->loop->kernel->params[stmt->index];
    reference_field *field = &in->fields[stmt->index];
    int component = index_below(in, stmt->element, param->count);
    ir_value value = evaluate(in, stmt->value), element = {0};
    int64_t index[3], target[3];
    index_at(in, stmt->offset, index);
    if (!reference_target(field, index, target)) {
        fail(in, "a write outside the grid");
        return;
    }
    ir_storage_write(field->slot->type, stmt->value->type, value, &element);
    if (in->trace)
        exec_trace_store(in->trace, in->loop, stmt, component, target,
                         reference_element(field->next, component, target), element);
    reference_set_element(field->next, component, target, element);
    field->stored[component] = true;
    for (int d = 0; d < 3; d++) field->stored_at[component][d] = index[d];
}

static bool run_for(interpreter *in, const ir_stmt *stmt)
{
    for (run(in, stmt->init); evaluate(in, stmt->value).i32 && !in->failure; run(in, stmt->step))
        if (run(in, stmt->body)) return true;
    return false;
}

static bool run_one(interpreter *in, const ir_stmt *stmt)
{
    switch (stmt->kind) {
    case IR_STMT_ASSIGN: {
        ir_value value = evaluate(in, stmt->value);
        *local_at(in, stmt->index, stmt->element) = value;
        return false;
    }
    case IR_STMT_UNSET: unset(in, stmt->index); return false;
    case IR_STMT_STORE: store(in, stmt); return false;
    case IR_STMT_REDUCE:
        in->reduced[stmt->index] = ir_reduce(&in->loop->kernel->params[stmt->index],
                                             in->reduced[stmt->index], evaluate(in, stmt->value));
        return false;
    case IR_STMT_IF: return run(in, evaluate(in, stmt->value).i32 ? stmt->body : stmt->other);
    case IR_STMT_FOR: return run_for(in, stmt);
    case IR_STMT_BLOCK: return run(in, stmt->body);
    case IR_STMT_RETURN: {
        ir_value value = evaluate(in, stmt->value);
        *local_at(in, stmt->index, NULL) = value;
        return true;
    }
    }
    fail(in, "an unknown kind of statement");
    return true;
}

static bool run(interpreter *in, const ir_stmt *stmt)
{
    for (; stmt && !in->failure; stmt = stmt->next)
        if (run_one(in, stmt)) return true;
    return false;
}

bool interpret_point(interpreter *in)
{
    run(in, in->loop->kernel->body);
    return !in->failure;
}
