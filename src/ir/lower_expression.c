/* Expressions of a tree as nodes of a graph. */
#include "ir/lowering.h"

#include <string.h>

kata_status lower_constant(lowering *l, const ir_expr *e, ir_id id, const char *what, int64_t low,
                           int64_t high, int64_t *out)
{
    const ir_node *n = &l->g->nodes[id];
    if (n->op != IR_CONST) {
        message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, e->at,
                         "this %s is not known at compile time", what);
        message_line(l->m, "it must be made of constants, constant tables and loop variables");
        if (!strcmp(what, "offset"))
            message_line(l->m, "it counts from this point: 'u[1,0]' is the next along x");
        if (l->rounds_at)
            message_note_at(l->m, l->kernel->text, l->rounds_at,
                            "this loop is not unrolled: what it changes is known at run time only");
        return message_send(l->m);
    }
    int64_t value = ir_convert(IR_I64, (ir_type)n->type, n->value).i64;
    if (value < low || value > high)
        return message_fail_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, e->at,
                               "this %s is %lld, outside %lld to %lld", what, (long long)value,
                               (long long)low, (long long)high);
    *out = value;
    return KATA_OK;
}

/* Evaluates an expression that must be a constant integer in [low, high]. */
static kata_status constant_integer(lowering *l, const ir_expr *e, const char *what, int64_t low,
                                    int64_t high, int64_t *out)
{
    ir_id id = lower_expr(l, e);
    kata_status status = lower_check(l, e->at);
    return status ? status : lower_constant(l, e, id, what, low, high, out);
}

kata_status lower_component(lowering *l, const ir_param *param, const ir_expr *component,
                            uint32_t at, int *out)
{
    int64_t value = 0;
    if (component) {
        kata_status status =
            constant_integer(l, component, ir_param_is_field(param) ? "component" : "index", 0,
                             param->count - 1, &value);
        if (status) return status;
    }
    (void)at;
    *out = (int)value;
    return KATA_OK;
}

/* The index of an element, which must be a constant. */
static kata_status constant_index(lowering *l, const ir_expr *e, int length, int64_t *out)
{
    int64_t row = 0, column = 0;
    if (e->kind != IR_EXPR_PAIR) return constant_integer(l, e, "index", 0, length - 1, out);
    kata_status status = constant_index(l, e->arg[0], e->offsets, &row);
    if (!status) status = constant_integer(l, e->arg[1], "index", 0, e->index - 1, &column);
    if (!status) *out = row * e->index + column;
    return status;
}

kata_status lower_local_cell(lowering *l, int local, const ir_expr *element, uint32_t at,
                             uint32_t *where)
{
    int64_t i = 0;
    if (element) {
        int length = l->kernel->locals[local].length;
        kata_status status = constant_index(l, element, length, &i);
        if (status) return status;
    }
    *where = l->local_cells[local] + (uint32_t)i;
    return lower_check(l, at);
}

/* ---- indices and fields ---------------------------------------------------------------------- */

static ir_id dimension(lowering *l, const ir_expr *e, ir_op op)
{
    ir_id value = ir_graph_add(
        l->g, &(ir_node){.op = (uint8_t)op, .type = IR_I64, .param = e->index, .at = e->at});
    if (op == IR_INDEX) lower_note(l, e, (const int64_t[4]){0}, value);
    return value;
}

/* A written field, read at its own point: the value written so far, rounded to storage, or the old
 * value where none was written. */
static ir_id own_value(lowering *l, const ir_expr *e, const ir_node *old, uint32_t output)
{
    const ir_param *param = &l->kernel->params[e->index];
    lower_cell cell = l->cells[l->first_output + output];
    if (cell.value) {
        ir_id stored = ir_graph_add(l->g, &(ir_node){.op = IR_STORED,
                                                     .type = (uint8_t)param->type,
                                                     .arg = {cell.value},
                                                     .param = e->index,
                                                     .at = e->at});
        const ir_node *defined = &l->g->nodes[cell.defined];
        if (defined->op == IR_CONST && defined->value.i32) return stored;
        return ir_graph_op(l->g, IR_SELECT, param->type, cell.defined, stored,
                           ir_graph_add(l->g, old), e->at);
    }
    if (param->kind == IR_PARAM_INOUT) return ir_graph_add(l->g, old);
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, e->at,
                     "'%s' is read before it is written", param->name);
    message_line(l->m, "it is an 'out' parameter: declare it 'inout' to read its old value");
    message_send(l->m);
    return 0;
}

kata_status lower_check_rank(lowering *l, int param, int offsets, uint32_t at)
{
    ir_kernel *k = l->kernel;
    if (!offsets || k->rank == offsets) return KATA_OK;
    if (offsets <= k->ordered) {
        text ordered = {0};
        ir_print_ordered(&ordered, k);
        message_begin_at(l->m, KATA_ERROR_KERNEL, k->text, at,
                         "'%s' is read with %d offset%s, but the levels of the kernel lie along %s",
                         k->params[param].name, offsets, offsets == 1 ? "" : "s",
                         text_get(&ordered));
        text_free(&ordered);
        message_note_at(l->m, k->text, k->direction_at, "their order is given here");
        message_line(l->m, "write one offset per dimension of the grid, or order its last one");
        return message_send(l->m);
    }
    if (!k->rank) {
        k->rank = offsets;
        k->rank_at = at;
        return KATA_OK;
    }
    bool ratio = at == k->params[param].ratio_at;
    message_begin_at(l->m, KATA_ERROR_KERNEL, k->text, at,
                     "'%s' %s with %d %s%s here, but the kernel uses %d elsewhere",
                     k->params[param].name, ratio ? "is declared" : "is read", offsets,
                     ratio ? "ratio" : "offset", offsets == 1 ? "" : "s", k->rank);
    message_note_at(l->m, k->text, k->rank_at, "the first %s are here",
                    ir_rank_is_of_ratio(k) ? "ratios" : "offsets");
    message_line(l->m, "%s",
                 ratio ? "write one ratio for all dimensions, or one for each"
                       : "write one offset per dimension of the grid: u[dx,dy] in two dimensions");
    return message_send(l->m);
}

kata_status lower_offsets(lowering *l, ir_expr *const offset[3], int32_t out[3])
{
    for (int d = 0; d < 3; d++) {
        int64_t value = 0;
        kata_status status = offset[d] ? constant_integer(l, offset[d], "offset", -IR_MAX_OFFSET,
                                                          IR_MAX_OFFSET, &value)
                                       : KATA_OK;
        if (status) return status;
        out[d] = (int32_t)value;
    }
    return KATA_OK;
}

bool lower_output(const lowering *l, int p, int component, const int32_t offset[3],
                  uint32_t *output)
{
    const ir_param *param = &l->kernel->params[p];
    int children = ir_param_children(param), child = ir_param_child(param, offset);
    if (child < 0) return false;
    *output = l->param_outputs[p] + (uint32_t)component * (uint32_t)children + (uint32_t)child;
    return true;
}

kata_status lower_check_missing(lowering *l, int p, const int32_t offset[3], uint32_t at)
{
    const ir_param *param = &l->kernel->params[p];
    for (int d = 0; d < 3; d++) {
        if (!param->absent_axis[d] || !offset[d]) continue;
        char along[4];
        ir_param_along(param, along);
        message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, at,
                         "'%s' extends along %s: its offset along %c is 0, not %d", param->name,
                         along, "xyz"[d], (int)offset[d]);
        message_note_at(l->m, l->kernel->text, param->at, "declared here");
        return message_send(l->m);
    }
    return KATA_OK;
}

static bool same_offset(const int32_t a[3], const int32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* A field that has no levels to read along a dimension. */
static void refuse_level(lowering *l, const ir_expr *e, int dimension)
{
    const ir_param *param = &l->kernel->params[e->index];
    bool ratio = ir_param_has_ratio(param);
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, e->at,
                     ratio ? "'%s' lies on a finer or coarser grid and is not read by 'at(...)'"
                           : "'%s' does not extend along %c and is not read by 'at(...)' there",
                     param->name, "xyz"[dimension]);
    message_note_at(l->m, l->kernel->text, param->at, "declared here");
    message_send(l->m);
}

/* Where there is no neighbour, the number is -1 - i: element i is read, and what is made of it is
 * not used. */
static ir_id neighbour_index(lowering *l, const ir_expr *e, ir_id index)
{
    const ir_node *number = &l->g->nodes[l->g->nodes[index].arg[0]]; /* what is converted */
    const ir_param *param = &l->kernel->params[number->param];
    if (!(param->misses >> number->element & 1)) return index;
    ir_id zero = ir_graph_const(l->g, IR_I64, ir_value_of_int(IR_I64, 0));
    ir_id minus_one = ir_graph_const(l->g, IR_I64, ir_value_of_int(IR_I64, -1));
    ir_id none = ir_graph_op(l->g, IR_LT, IR_BOOL, index, zero, 0, e->at);
    ir_id other = ir_graph_op(l->g, IR_SUB, IR_I64, minus_one, index, 0, e->at);
    return ir_graph_op(l->g, IR_SELECT, IR_I64, none, other, index, e->at);
}

/* A field at an index along one dimension; offsets along the others. */
static ir_id load_level(lowering *l, const ir_expr *e, int component)
{
    const ir_param *param = &l->kernel->params[e->index];
    int d = e->level - 1;
    ir_node node = {.op = IR_LEVEL,
                    .type = (uint8_t)e->type,
                    .param = e->index,
                    .element = component,
                    .value = ir_value_of_int(IR_I32, d),
                    .at = e->at};
    ir_expr *offset[3] = {e->arg[1], e->arg[2], e->arg[3]};
    offset[d] = NULL;
    if (ir_param_has_ratio(param) || param->absent_axis[d]) {
        refuse_level(l, e, d);
        return 0;
    }
    ir_id index = lower_expr(l, e->arg[e->level]);
    if (lower_check(l, e->at) || lower_check_rank(l, e->index, e->offsets, e->at) ||
        lower_offsets(l, offset, node.offset) ||
        lower_check_missing(l, e->index, node.offset, e->at))
        return 0;
    if (l->g->nodes[index].type != IR_I64)
        index = ir_graph_op(l->g, IR_CONVERT, IR_I64, index, 0, 0, e->at);
    node.inside = e->inside;
    node.arg[0] = e->inside ? neighbour_index(l, e, index) : index;
    if (e->inside) return ir_graph_add(l->g, &node);
    return lower_level_check(l, index, d, param->name, e->at) ? 0 : ir_graph_add(l->g, &node);
}

ir_id lower_load(lowering *l, const ir_expr *e, int component, int64_t at[4])
{
    static const int32_t here[3];
    const ir_param *param = &l->kernel->params[e->index];
    ir_node node = {.op = IR_LOAD, .type = (uint8_t)e->type, .param = e->index, .at = e->at};
    if (e->level) return load_level(l, e, component);
    if (lower_check_rank(l, e->index, e->offsets, e->at) ||
        lower_offsets(l, &e->arg[1], node.offset) ||
        lower_check_missing(l, e->index, node.offset, e->at))
        return 0;
    node.element = component;
    at[0] = component;
    for (int d = 0; d < 3; d++) at[d + 1] = node.offset[d];
    if (!ir_param_is_written_field(param)) return ir_graph_add(l->g, &node);
    uint32_t output;
    bool own = lower_output(l, e->index, component, node.offset, &output);
    bool written = own && l->cells[l->first_output + output].value != 0;
    const int32_t *target = written ? l->output_offset[output] : here;
    if (own && (same_offset(node.offset, target) || ir_param_children(param) > 1))
        return own_value(l, e, &node, output);
    if (param->kind != IR_PARAM_OUT || ir_level_after(l->kernel, node.offset) < 0)
        return ir_graph_add(l->g, &node);
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, e->at,
                     "'%s' is an 'out' parameter and is read at another point", param->name);
    message_line(l->m,
                 l->kernel->direction
                     ? "what can be read back is the point itself, after it is written, and "
                       "levels that ran before"
                     : "only the point that is written can be read back, after it is written");
    message_send(l->m);
    return 0;
}

static ir_id noted_load(lowering *l, const ir_expr *e)
{
    int64_t at[4] = {0};
    int component;
    if (e->arg[0]) {
        ir_id id = lower_expr(l, e->arg[0]);
        if (lower_check(l, e->at)) return 0;
        if (l->g->nodes[id].op != IR_CONST) return lower_chosen_component(l, e);
    }
    if (lower_component(l, &l->kernel->params[e->index], e->arg[0], e->at, &component)) return 0;
    ir_id value = lower_load(l, e, component, at);
    if (!e->level) lower_note(l, e, at, value);
    return value;
}

static ir_id long_constant(lowering *l, int64_t x)
{
    return ir_graph_const(l->g, IR_I64, ir_value_of_int(IR_I64, x));
}

/* Along a dimension of the text. */
static ir_id position_along(lowering *l, const ir_expr *e, int d)
{
    if (d == 0 && e->arg[1]) return lower_expr(l, e->arg[1]);
    int along = l->kernel->of_mesh ? l->kernel->axis[d] : d;
    ir_node index = {.op = IR_INDEX, .type = IR_I64, .param = along, .at = e->at};
    return ir_graph_add(l->g, &index);
}

/* 53 random bits as a fraction. They mix in x last: all steps before are the same for a row. */
static ir_id random_number(lowering *l, const ir_expr *e)
{
    ir_id bits = lower_expr(l, e->arg[0]);
    if (!bits) return 0;
    if (l->rounds_at) {
        message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, e->at,
                         "random is called in a loop that is not unrolled");
        message_note_at(l->m, l->kernel->text, l->rounds_at, "the loop is here");
        message_send(l->m);
        return 0;
    }
    ir_id position = long_constant(l, ir_random_position(l->repetition, e->index));
    bits = ir_graph_op(l->g, IR_MIX, IR_I64, bits, position, 0, e->at);
    for (int d = 2; d >= 0; d--)
        bits = ir_graph_op(l->g, IR_MIX, IR_I64, bits, position_along(l, e, d), 0, e->at);
    bits = ir_graph_op(l->g, IR_SHR, IR_I64, bits, long_constant(l, 11), 0, e->at);
    bits = ir_graph_op(l->g, IR_AND, IR_I64, bits, long_constant(l, 0x1fffffffffffff), 0, e->at);
    ir_id whole = ir_graph_op(l->g, IR_CONVERT, IR_F64, bits, 0, 0, e->at);
    ir_id unit = ir_graph_const(l->g, IR_F64, ir_value_of_double(IR_F64, 0x1p-53));
    return ir_graph_op(l->g, IR_MUL, IR_F64, whole, unit, 0, e->at);
}

static ir_id call(lowering *l, const ir_expr *e)
{
    if (l->record) l->record->calls++;
    l->helpers++;
    kata_status status = lower_body(l, e->body);
    l->helpers--;
    if (l->record) l->record->calls--;
    if (status) return 0;
    return l->cells[l->local_cells[e->index]].value;
}

/* The operand that is the value of an operation whose first operand decides alone; NULL when all
 * operands count. An operand that is not evaluated may be wrong: `q > 0 ? u[q-1] : 0`. */
static const ir_expr *decided(const lowering *l, const ir_expr *e, ir_id first)
{
    const ir_node *n = &l->g->nodes[first];
    if (n->op != IR_CONST) return NULL;
    if (e->op == IR_SELECT) return e->arg[n->value.i32 ? 1 : 2];
    if (e->type != IR_BOOL || (e->op != IR_AND && e->op != IR_OR)) return NULL;
    return e->arg[(e->op == IR_AND) == (n->value.i32 != 0) ? 1 : 0];
}

/* Operand i after the first; the value of the first says where it is evaluated. */
static ir_id operand(lowering *l, const ir_expr *e, ir_id first, int i)
{
    bool choice = e->op == IR_SELECT;
    bool chosen = choice || (e->type == IR_BOOL && (e->op == IR_AND || e->op == IR_OR));
    if (!chosen) return lower_expr(l, e->arg[i]);
    lower_path_enter(l, first, choice ? i == 1 : e->op == IR_AND);
    ir_id value = lower_expr(l, e->arg[i]);
    lower_path_leave(l);
    return value;
}

static ir_id operation(lowering *l, const ir_expr *e)
{
    ir_id args[3] = {lower_expr(l, e->arg[0])};
    const ir_expr *value = args[0] ? decided(l, e, args[0]) : NULL;
    if (value) return value == e->arg[0] ? args[0] : lower_expr(l, value);
    for (int i = 1; i < ir_ops[e->op].operands; i++)
        if (!(args[i] = operand(l, e, args[0], i))) return 0;
    return ir_graph_op(l->g, e->op, e->type, args[0], args[1], args[2], e->at);
}

ir_id lower_expr(lowering *l, const ir_expr *e)
{
    if (lower_check(l, e->at)) return 0;
    switch (e->kind) {
    case IR_EXPR_CONST: return ir_graph_const(l->g, e->type, e->value);
    case IR_EXPR_LOCAL: return lower_variable(l, e);
    case IR_EXPR_NUMBER: return lower_number(l, e);
    case IR_EXPR_TABLE: return lower_table(l, e);
    case IR_EXPR_INDEX: return dimension(l, e, IR_INDEX);
    case IR_EXPR_SIZE: return dimension(l, e, IR_SIZE);
    case IR_EXPR_LOAD: return noted_load(l, e);
    case IR_EXPR_RANDOM: return random_number(l, e);
    case IR_EXPR_PAIR: return 0; /* only as an index, see element.c */
    case IR_EXPR_OP: return operation(l, e);
    case IR_EXPR_CALL: return call(l, e);
    }
    return 0;
}
