/* The invariants of a lowered kernel, each checked apart from the code that keeps it. */
#include "ir/build.h"
#include "ir/ir.h"

#include <stdlib.h>

static const char *verify_leaf(const ir_kernel *k, const ir_node *n)
{
    bool loads = n->op == IR_LOAD || n->op == IR_LEVEL;
    bool has_param = n->op == IR_NUMBER || loads || n->op == IR_STORED;
    if (!has_param) {
        bool dimension = n->op == IR_INDEX || n->op == IR_SIZE;
        return dimension && (n->param < 0 || n->param > 2) ? "a dimension is not 0, 1 or 2" : NULL;
    }
    if (n->param < 0 || n->param >= k->param_count) return "a parameter does not exist";
    const ir_param *param = &k->params[n->param];
    bool field = ir_param_is_field(param), number = !field && !ir_param_is_reduction(param);
    if (n->op == IR_NUMBER ? !number : !field) return "a parameter is of the wrong kind";
    if (n->type != param->type) return "a node's type is not its parameter's";
    if (n->element < 0 || n->element >= param->count) return "an element is out of range";
    for (int d = 0; d < 3; d++)
        if (n->offset[d] > IR_MAX_OFFSET || n->offset[d] < -IR_MAX_OFFSET)
            return "an offset is out of range";
        else if (loads && param->absent_axis[d] && n->offset[d])
            return "an offset along a dimension that the field lacks";
    return NULL;
}

static const char *verify_level(const ir_kernel *k, const ir_node *n)
{
    const ir_param *param = &k->params[n->param];
    int d = n->value.i32;
    if (d < 0 || d > 2 || n->offset[d]) return "a level of no dimension";
    if (param->kind != IR_PARAM_IN || ir_param_has_ratio(param) || param->absent_axis[d])
        return "a level of a field that has none";
    return k->graph.nodes[n->arg[0]].type == IR_I64 ? NULL : "a level that is no long";
}

static const char *verify_element(const ir_kernel *k, const ir_node *n)
{
    bool constant = n->element > 0;
    if (constant ? n->element > k->table_count : n->param < 0 || n->param >= k->param_count)
        return "an element of no table";
    const ir_table *table = constant ? &k->tables[n->element - 1] : NULL;
    const ir_param *param = &k->params[n->param];
    if (!constant && param->kind != IR_PARAM_TABLE) return "an element of no table parameter";
    if (n->value.i32 != (constant ? table->length : param->count)) return "a table's other length";
    if (n->type != (constant ? table->type : param->type)) return "an element of another type";
    return k->graph.nodes[n->arg[0]].type == IR_I64 ? NULL
                                                    : "an element by a number that is no long";
}

/* Nodes of loops that are not unrolled. */
static const char *verify_loop_node(const ir_kernel *k, const ir_node *n)
{
    const ir_node *first = &k->graph.nodes[n->arg[0]], *second = &k->graph.nodes[n->arg[1]];
    if (n->param < 0 || n->param >= k->loop_count) return "a node of a loop that does not exist";
    if (n->op == IR_CARRIED)
        return first->type == n->type ? NULL : "a variable starts with a value of another type";
    bool chained = first->op == IR_CARRY && first->param == n->param;
    if (second->op != IR_CARRIED || second->param != n->param) return "no variable of the loop";
    if (n->op == IR_AFTER) return chained && second->type == n->type ? NULL : "a result of no loop";
    if (!chained && first->type != IR_BOOL) return "a loop without a condition";
    return k->graph.nodes[n->arg[2]].type == second->type ? NULL : "a variable gets another type";
}

static const char *verify_types(const ir_kernel *k, const ir_node *n)
{
    ir_op op = (ir_op)n->op;
    int operands = ir_ops[op].operands, first = op == IR_SELECT ? 1 : 0;
    if (!operands) return NULL;
    if (op == IR_CARRIED || op == IR_CARRY || op == IR_AFTER) return verify_loop_node(k, n);
    if (op == IR_LEVEL) return verify_level(k, n);
    if (op == IR_ELEMENT) return verify_element(k, n);
    uint8_t type = k->graph.nodes[n->arg[first]].type;
    for (int i = first; i < operands; i++)
        if (k->graph.nodes[n->arg[i]].type != type) return "operands differ in type";
    if (op == IR_SELECT && k->graph.nodes[n->arg[0]].type != IR_BOOL) return "a select by no bool";
    if (!ir_op_takes(op, (ir_type)type)) return "an operation does not take its operands' type";
    bool comparison = op == IR_EQ || op == IR_NE || op == IR_LT || op == IR_LE;
    if (op == IR_CONVERT) return NULL;
    return n->type == (comparison ? IR_BOOL : type) ? NULL : "a result has the wrong type";
}

static const char *verify_node(const ir_kernel *k, ir_id id)
{
    const ir_node *n = &k->graph.nodes[id];
    if (n->op >= IR_OP_COUNT || n->type >= IR_TYPE_COUNT) return "a node has no such operation";
    for (int i = 0; i < 3; i++) {
        bool used = i < ir_ops[n->op].operands;
        if (used ? !n->arg[i] || n->arg[i] >= id : n->arg[i] != 0)
            return "an operand does not come before its user";
    }
    const char *wrong = verify_leaf(k, n);
    return wrong ? wrong : verify_types(k, n);
}

static bool in_order(const ir_kernel *k, const ir_store *a, const ir_store *b)
{
    const ir_param *param = &k->params[b->param];
    if (a->param != b->param) return a->param < b->param;
    if (a->component != b->component) return a->component < b->component;
    return ir_param_child(param, a->offset) < ir_param_child(param, b->offset);
}

static const char *verify_params(const ir_kernel *k)
{
    for (int p = 0; p < k->param_count; p++) {
        const ir_param *param = &k->params[p];
        if (ir_param_has_ratio(param) && !ir_param_is_field(param)) return "a ratio of no field";
        for (int d = 0; d < 3; d++) {
            int finer = param->finer[d], coarser = param->coarser[d];
            if (finer && coarser) return "a field is both finer and coarser";
            if (finer < 0 || finer == 1 || finer > IR_MAX_RATIO || coarser < 0 || coarser == 1 ||
                coarser > IR_MAX_RATIO)
                return "a ratio is out of range";
            if (coarser && ir_param_is_written_field(param)) return "a coarser field is written";
        }
    }
    return NULL;
}

static const char *verify_stores(const ir_kernel *k)
{
    for (int i = 0; i < k->store_count; i++) {
        const ir_store *s = &k->stores[i], *before = i ? s - 1 : NULL;
        if (s->param < 0 || s->param >= k->param_count) return "a store to no parameter";
        const ir_param *param = &k->params[s->param];
        if (!ir_param_is_written_field(param) && !ir_param_is_reduction(param))
            return "a store to a parameter that is not written";
        if (s->component < 0 || s->component >= param->count) return "a store to no component";
        for (int d = 0; d < 3; d++)
            if (s->offset[d] > IR_MAX_OFFSET || s->offset[d] < -IR_MAX_OFFSET)
                return "a store at an offset out of range";
            else if (param->absent_axis[d] && s->offset[d])
                return "a store at an offset along a dimension that the field lacks";
        if (!s->value || s->value >= k->graph.count) return "a store of no node";
        if (k->graph.nodes[s->value].type != param->type) return "a store of the wrong type";
        if (s->condition >= k->graph.count) return "a store on no condition";
        if (s->condition && k->graph.nodes[s->condition].type != IR_BOOL)
            return "a store on a condition that is no bool";
        if (ir_param_child(param, s->offset) < 0) return "a store to no child";
        if (before && !in_order(k, before, s)) return "stores are out of order";
    }
    return NULL;
}

static const char *verify_accesses(const ir_kernel *k)
{
    int loads = 0;
    for (ir_id id = 1; id < k->graph.count; id++) loads += k->graph.nodes[id].op == IR_LOAD;
    if (loads != k->access_count) return "accesses are not the loads";
    for (int i = 1; i < k->access_count; i++)
        if (k->accesses[i - 1].param > k->accesses[i].param) return "accesses are out of order";
    return NULL;
}

static bool is_bool(const ir_kernel *k, ir_id id)
{
    return id && id < k->graph.count && k->graph.nodes[id].type == IR_BOOL;
}

static const char *verify_additions(const ir_kernel *k)
{
    for (int i = 0; i < k->addition_count; i++) {
        const ir_addition *a = &k->additions[i];
        if (a->param < 0 || a->param >= k->param_count) return "an addition to no parameter";
        const ir_param *param = &k->params[a->param];
        bool where = param->kind == IR_PARAM_WHERE;
        ir_type type = where ? k->params[param->of].type : param->type;
        if (!where && (param->kind != IR_PARAM_SUM || !ir_type_is_integer(param->type)))
            return "an addition to no sum of integers";
        if (!a->index || a->index >= k->graph.count) return "an addition at no index";
        if (!ir_type_is_integer((ir_type)k->graph.nodes[a->index].type))
            return "an addition at an index that is no integer";
        if (!a->value || a->value >= k->graph.count) return "an addition of no node";
        if (k->graph.nodes[a->value].type != type) return "an addition of the wrong type";
        if (a->condition && !is_bool(k, a->condition))
            return "an addition on a condition that is no bool";
    }
    for (int i = 0; i < k->store_count; i++)
        if (ir_has_bins(k, k->stores[i].param)) return "a store to a sum with bins";
    return NULL;
}

static const char *verify_checks(const ir_kernel *k)
{
    if ((k->check_count > 0) != (k->valid != 0)) return "checks without the node of all";
    if (k->valid && !is_bool(k, k->valid)) return "the node of all checks is no bool";
    for (int i = 0; i < k->check_count; i++) {
        const ir_check *check = &k->checks[i];
        if (!is_bool(k, check->passes)) return "a check is no bool";
        if ((check->kind == IR_CHECK_INDEX) != (check->index != 0)) return "a check of no index";
        if (check->index >= k->graph.count) return "a check of an index that does not exist";
        if ((check->kind == IR_CHECK_FINITE) != (check->value != 0)) return "a check of no value";
        if (check->value >= k->graph.count) return "a check of a value that does not exist";
        if (check->store < 0 || (check->store && check->store >= k->store_count))
            return "a check of no result";
        for (int s = 0; s < check->shown_count; s++)
            if (!check->shown[s].value || check->shown[s].value >= k->graph.count ||
                !is_bool(k, check->shown[s].condition))
                return "a check shows no node";
    }
    return NULL;
}

static const char *verify_bound(const ir_kernel *k, const ir_bound *bound)
{
    if (bound->base != IR_BOUND_PARAM) return bound->param ? "a bound of no parameter" : NULL;
    if (bound->param < 0 || bound->param >= k->param_count) return "a bound of no parameter";
    const ir_param *param = &k->params[bound->param];
    bool integer = param->kind == IR_PARAM_NUMBER && param->type == IR_I32;
    return integer ? NULL : "a bound of a parameter that is no int";
}

static const char *verify_order(const ir_kernel *k)
{
    if (k->direction == IR_UNORDERED && k->interval_count) return "intervals without an order";
    if (k->ordered < 0 || k->ordered > 2) return "an order along no dimension";
    if (k->direction == IR_UNORDERED && k->ordered) return "an order without a direction";
    if (k->direction != k->order[k->ordered]) return "two directions along a dimension";
    for (int d = k->ordered + 1; d < 3; d++)
        if (k->order[d]) return "an order along a dimension further out";
    if (ir_orders_several(k) && k->interval_count) return "intervals along several dimensions";
    for (int i = 0; i < k->interval_count; i++) {
        const char *wrong = verify_bound(k, &k->intervals[i].lo);
        if (!wrong) wrong = verify_bound(k, &k->intervals[i].hi);
        if (wrong) return wrong;
    }
    for (int i = 0; i < k->store_count && k->direction; i++)
        for (int d = 0; d < 3; d++)
            if (k->stores[i].offset[d]) return "a store at an offset in a kernel with an order";
    return NULL;
}

/* Values of a round are not seen outside: all nodes of a loop stand before its last CARRY, and what
 * results name belongs to no loop. */
static const char *verify_loops(const ir_kernel *k)
{
    const ir_graph *g = &k->graph;
    if (k->loop_count < 0 || k->loop_count > IR_MAX_LOOPS) return "too many loops";
    uint64_t *within = k->loop_count ? calloc(g->count + 1, sizeof *within) : NULL, ended = 0;
    const char *wrong = NULL;
    if (!within) return NULL;
    ir_find_loops(g, within);
    for (ir_id id = 1; id < g->count && !wrong; id++) {
        if (within[id] & ended) wrong = "a value of a round is used behind its loop";
        if (g->nodes[id].op == IR_AFTER) ended |= UINT64_C(1) << g->nodes[id].param;
    }
    for (int i = 0; i < k->store_count && !wrong; i++)
        if (within[k->stores[i].value] || within[k->stores[i].condition])
            wrong = "a store of a value of a round";
    for (int i = 0; i < k->check_count && !wrong; i++)
        if (within[k->checks[i].passes] || within[k->checks[i].index] || within[k->checks[i].value])
            wrong = "a check of a value of a round";
    free(within);
    return wrong;
}

const char *ir_verify(const ir_kernel *k)
{
    for (ir_id id = 1; id < k->graph.count; id++) {
        const char *wrong = verify_node(k, id);
        if (wrong) return wrong;
    }
    const char *wrong = verify_params(k);
    if (!wrong) wrong = verify_stores(k);
    if (!wrong) wrong = verify_order(k);
    if (!wrong) wrong = verify_additions(k);
    if (!wrong) wrong = verify_checks(k);
    if (!wrong) wrong = verify_loops(k);
    return wrong ? wrong : verify_accesses(k);
}
