/* Operations on values, as the columns of IR_OPS say, and graphs of them. */
#include "ir/build.h"

#include "ir/arithmetic.h"
#include "ir/elementary.h"
#include "ir/elementary_trig.h"
#include "ir/value.h"

#include <math.h>

/* ---- operations ------------------------------------------------------------------------------ */

/* Each form as a value, of operands in a[] of type TYPE; SUFFIX ends C's functions for it. */
#define JOIN_TOKENS(a, b) a##b
#define JOIN(a, b) JOIN_TOKENS(a, b)
#define x a[0].TYPE
#define y a[1].TYPE
#define z a[2].TYPE
#define RESULT JOIN(value_of_, TYPE)
#define EVALUATE_NONE RESULT(0)
#define EVALUATE_UNARY(operator) RESULT(operator x)
#define EVALUATE_BINARY(operator) RESULT(x operator y)
#define EVALUATE_COMPARISON(operator) value_of_i32(x operator y)
#define EVALUATE_BUILTIN(function, ...) RESULT(JOIN(__builtin_##function, SUFFIX)(__VA_ARGS__))
#define EVALUATE_KATA(function, ...) RESULT(JOIN(kata_##function##_, TYPE)(__VA_ARGS__))
#define EVALUATE_KATA_I64(function, ...) value_of_i64(kata_##function##_i64(a[0].i64, a[1].i64))
#define EVALUATE_CHOICE(i, k) RESULT(a[i].TYPE < a[k].TYPE ? x : y)

#define CASE_BOOL(name, text, operands, types, function, cost, commutes, on_bool, ...)             \
    case IR_##name:                                                                                \
        return EVALUATE_##on_bool;
#define CASE_INTEGER(name, text, operands, types, function, cost, commutes, on_bool, on_integer,   \
                     ...)                                                                          \
    case IR_##name:                                                                                \
        return EVALUATE_##on_integer;
#define CASE_FLOATING(name, text, operands, types, function, cost, commutes, on_bool, on_integer,  \
                      on_floating)                                                                 \
    case IR_##name:                                                                                \
        return EVALUATE_##on_floating;

#define EVALUATE_ALL(cases)                                                                        \
    switch (op) {                                                                                  \
        IR_OPS(cases)                                                                              \
    case IR_OP_COUNT: break;                                                                       \
    }                                                                                              \
    return RESULT(0)

/* NOLINTBEGIN(bugprone-branch-clone): operations of a table that are computed alike. */
#define TYPE i32
static ir_value evaluate_bool(ir_op op, const ir_value *a) { EVALUATE_ALL(CASE_BOOL); }
static ir_value evaluate_i32(ir_op op, const ir_value *a) { EVALUATE_ALL(CASE_INTEGER); }
#undef TYPE

#define TYPE i64
static ir_value evaluate_i64(ir_op op, const ir_value *a) { EVALUATE_ALL(CASE_INTEGER); }
#undef TYPE

#define TYPE f32
#define SUFFIX f
static ir_value evaluate_f32(ir_op op, const ir_value *a) { EVALUATE_ALL(CASE_FLOATING); }
#undef TYPE
#undef SUFFIX

#define TYPE f64
#define SUFFIX
static ir_value evaluate_f64(ir_op op, const ir_value *a) { EVALUATE_ALL(CASE_FLOATING); }
/* NOLINTEND(bugprone-branch-clone) */
#undef x
#undef y
#undef z

ir_value ir_evaluate(ir_op op, ir_type type, ir_type operand, const ir_value *args)
{
    if (op == IR_SELECT) return args[0].i32 ? args[1] : args[2];
    if (op == IR_CONVERT) return ir_convert(type, operand, args[0]);
    switch (operand) {
    case IR_BOOL: return evaluate_bool(op, args);
    case IR_I32: return evaluate_i32(op, args);
    case IR_I64: return evaluate_i64(op, args);
    case IR_F32: return evaluate_f32(op, args);
    default: return evaluate_f64(op, args);
    }
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* A loop may only be evaluated where all values are known: see run_rounds. */
static bool is_of_loop(const ir_node *n)
{
    return n->op == IR_CARRIED || n->op == IR_CARRY || n->op == IR_AFTER;
}

static bool evaluate_node(const ir_graph *g, const ir_node *n, ir_find_value *find,
                          const void *data, const ir_value *values, ir_value *out)
{
    static const ir_value none;
    ir_value args[3] = {none, none, none};
    int operands = ir_ops[n->op].operands;
    if (n->op == IR_CONST) return *out = n->value, true;
    if (!operands) return find(data, n, none, out);
    bool of_data = n->op == IR_STORED || n->op == IR_LEVEL || n->op == IR_ELEMENT;
    if (of_data) return find(data, n, values[n->arg[0]], out);
    for (int i = 0; i < operands; i++) args[i] = values[n->arg[i]];
    *out = ir_evaluate((ir_op)n->op, (ir_type)n->type, ir_operand_type(g, n), args);
    return true;
}

static bool has_known_operands(const ir_node *n, const bool *known)
{
    for (int i = 0; i < ir_ops[n->op].operands; i++)
        if (!known[n->arg[i]]) return false;
    return true;
}

/* What evaluates a graph in which all values are known. */
typedef struct evaluator {
    const ir_graph *g;
    ir_find_value *find;
    const void *data;
    ir_value *values;
} evaluator;

static void evaluate_all(const evaluator *e, ir_id first, ir_id end, int loop);

/* Sets the variables of a loop, of which `last` is the last CARRY, for the next round. */
static void next_round(const evaluator *e, ir_id last)
{
    const ir_node *nodes = e->g->nodes;
    for (ir_id id = last; nodes[id].op == IR_CARRY; id = nodes[id].arg[0])
        e->values[id] = e->values[nodes[id].arg[2]];
    for (ir_id id = last; nodes[id].op == IR_CARRY; id = nodes[id].arg[0])
        e->values[nodes[id].arg[1]] = e->values[id];
}

/* Runs the rounds of a loop whose nodes have their values in the first one. After the last round
 * nothing is left to do, so that it may be called again. All nodes from the loop's first variable
 * on are evaluated, in loops inside from the start. */
static void run_rounds(const evaluator *e, ir_id last)
{
    const ir_node *nodes = e->g->nodes;
    ir_id first = last, condition = last;
    for (; nodes[condition].op == IR_CARRY; condition = nodes[condition].arg[0])
        if (nodes[condition].arg[1] < first) first = nodes[condition].arg[1];
    while (e->values[condition].i32) {
        next_round(e, last);
        evaluate_all(e, first, last, nodes[last].param);
    }
}

static void evaluate_all(const evaluator *e, ir_id first, ir_id end, int loop)
{
    for (ir_id id = first; id < end; id++) {
        const ir_node *n = &e->g->nodes[id];
        if (n->op == IR_CARRIED && n->param != loop) e->values[id] = e->values[n->arg[0]];
        if (n->op == IR_AFTER) run_rounds(e, n->arg[0]);
        if (n->op == IR_AFTER) e->values[id] = e->values[n->arg[1]];
        if (!is_of_loop(n)) evaluate_node(e->g, n, e->find, e->data, e->values, &e->values[id]);
    }
}

/* Values that change from round to round, and what a loop makes, are not known. */
static void evaluate_known(const evaluator *e, bool *known)
{
    for (ir_id id = 1; id < e->g->count; id++) {
        const ir_node *n = &e->g->nodes[id];
        known[id] = has_known_operands(n, known) && !is_of_loop(n) &&
                    evaluate_node(e->g, n, e->find, e->data, e->values, &e->values[id]);
    }
}

void ir_evaluate_graph(const ir_graph *g, ir_find_value *find, const void *data, ir_value *values,
                       bool *known)
{
    evaluator e = {g, find, data, values};
    if (known)
        evaluate_known(&e, known);
    else
        evaluate_all(&e, 1, (ir_id)g->count, -1);
}
