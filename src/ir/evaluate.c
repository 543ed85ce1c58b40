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

static bool evaluate_node(const ir_graph *g, const ir_node *n, ir_find_value *find,
                          const void *data, const ir_value *values, ir_value *out)
{
    static const ir_value none;
    ir_value args[3] = {none, none, none};
    int operands = ir_ops[n->op].operands;
    if (n->op == IR_CONST) return *out = n->value, true;
    if (!operands) return find(data, n, none, out);
    if (n->op == IR_STORED) return find(data, n, values[n->arg[0]], out);
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

void ir_evaluate_graph(const ir_graph *g, ir_find_value *find, const void *data, ir_value *values,
                       bool *known)
{
    for (ir_id id = 1; id < g->count; id++) {
        const ir_node *n = &g->nodes[id];
        bool ready = !known || has_known_operands(n, known);
        bool found = ready && evaluate_node(g, n, find, data, values, &values[id]);
        if (known) known[id] = found;
    }
}
