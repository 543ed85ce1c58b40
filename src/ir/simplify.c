/* Rewriting rules, one function per operation. Each keeps every bit for every operand. Rules of
 * real numbers that do not (x - x = 0, x + 0 = x, regrouping) are not used in floating point. The
 * rules rely on rounding to nearest. A rule returns 0 when it does not apply. */
#include "ir/build.h"

#include <float.h>
#include <math.h>

typedef struct rewriting {
    ir_graph *g;
    ir_node *n;
    ir_type operand;
} rewriting;

static const ir_node *node_of(const rewriting *r, ir_id id) { return &r->g->nodes[id]; }
static const ir_node *operand(const rewriting *r, int i) { return node_of(r, r->n->arg[i]); }
static bool is(const rewriting *r, int i, ir_op op) { return operand(r, i)->op == op; }

static ir_id make(rewriting *r, ir_op op, ir_id a, ir_id b, ir_id c)
{
    return ir_graph_op(r->g, op, (ir_type)r->n->type, a, b, c, r->n->at);
}

static ir_id constant(rewriting *r, int64_t x)
{
    return ir_graph_const(r->g, (ir_type)r->n->type, ir_value_of_int((ir_type)r->n->type, x));
}

/* Whether operand i is the constant x, with the sign of a zero. */
static bool is_value(const rewriting *r, int i, double x)
{
    const ir_node *n = operand(r, i);
    if (n->op != IR_CONST) return false;
    if (!ir_type_is_floating((ir_type)n->type)) x += 0.0;
    return n->value.bits == ir_value_of_double((ir_type)n->type, x).bits;
}

static bool same(const rewriting *r) { return r->n->arg[0] == r->n->arg[1]; }
static bool floating(const rewriting *r) { return ir_type_is_floating(r->operand); }

static ir_id fold(rewriting *r)
{
    ir_value args[3] = {0};
    int operands = ir_ops[r->n->op].operands;
    for (int i = 0; i < operands; i++) {
        if (!is(r, i, IR_CONST)) return 0;
        args[i] = operand(r, i)->value;
    }
    ir_type type = (ir_type)r->n->type;
    return ir_graph_const(r->g, type, ir_evaluate((ir_op)r->n->op, type, r->operand, args));
}

/* Puts a constant second and orders other operands, so that a+b and b+a are one node. */
static void order_operands(rewriting *r)
{
    if (!ir_ops[r->n->op].commutes) return;
    bool first = is(r, 0, IR_CONST), second = is(r, 1, IR_CONST);
    if (first == second ? r->n->arg[0] <= r->n->arg[1] : second) return;
    ir_id a = r->n->arg[0];
    r->n->arg[0] = r->n->arg[1];
    r->n->arg[1] = a;
}

static ir_id simplify_add(rewriting *r)
{
    if (is_value(r, 1, -0.0)) return r->n->arg[0];
    if (is(r, 1, IR_NEG)) return make(r, IR_SUB, r->n->arg[0], operand(r, 1)->arg[0], 0);
    if (is(r, 0, IR_NEG)) return make(r, IR_SUB, r->n->arg[1], operand(r, 0)->arg[0], 0);
    return 0;
}

static ir_id simplify_sub(rewriting *r)
{
    if (is_value(r, 1, 0.0)) return r->n->arg[0];
    if (is(r, 1, IR_NEG)) return make(r, IR_ADD, r->n->arg[0], operand(r, 1)->arg[0], 0);
    if (!floating(r) && same(r)) return constant(r, 0);
    return 0;
}

static ir_id simplify_mul(rewriting *r)
{
    if (is_value(r, 1, 1)) return r->n->arg[0];
    if (is_value(r, 1, -1)) return make(r, IR_NEG, r->n->arg[0], 0, 0);
    if (is(r, 0, IR_NEG) && is(r, 1, IR_NEG))
        return make(r, IR_MUL, operand(r, 0)->arg[0], operand(r, 1)->arg[0], 0);
    if (!floating(r) && is_value(r, 1, 0)) return r->n->arg[1];
    return 0;
}

/* Division by a power of two is multiplication by its inverse, if both are normal numbers. */
static ir_id divide_by_power(rewriting *r)
{
    double c = r->operand == IR_F64 ? operand(r, 1)->value.f64 : (double)operand(r, 1)->value.f32;
    double smallest = r->operand == IR_F64 ? DBL_MIN : (double)FLT_MIN;
    int exponent;
    if (fabs(frexp(c, &exponent)) != 0.5 || fabs(c) < smallest || fabs(1 / c) < smallest) return 0;
    ir_value inverse = ir_value_of_double(r->operand, 1 / c);
    return make(r, IR_MUL, r->n->arg[0], ir_graph_const(r->g, r->operand, inverse), 0);
}

static ir_id simplify_div(rewriting *r)
{
    if (is_value(r, 1, 1)) return r->n->arg[0];
    if (floating(r) && is(r, 1, IR_CONST)) return divide_by_power(r);
    return 0;
}

static ir_id simplify_neg(rewriting *r) { return is(r, 0, IR_NEG) ? operand(r, 0)->arg[0] : 0; }

static ir_id simplify_fma(rewriting *r)
{
    if (is_value(r, 1, 1)) return make(r, IR_ADD, r->n->arg[0], r->n->arg[2], 0);
    if (is_value(r, 2, -0.0)) return make(r, IR_MUL, r->n->arg[0], r->n->arg[1], 0);
    if (is(r, 0, IR_NEG) && is(r, 1, IR_NEG))
        return make(r, IR_FMA, operand(r, 0)->arg[0], operand(r, 1)->arg[0], r->n->arg[2]);
    return 0;
}

static ir_id simplify_not(rewriting *r)
{
    if (is(r, 0, IR_NOT)) return operand(r, 0)->arg[0];
    if (r->n->type != IR_BOOL) return 0;
    const ir_node *n = operand(r, 0);
    if (n->op == IR_EQ) return make(r, IR_NE, n->arg[0], n->arg[1], 0);
    if (n->op == IR_NE) return make(r, IR_EQ, n->arg[0], n->arg[1], 0);
    if (n->op != IR_LT && n->op != IR_LE) return 0;
    if (ir_type_is_floating((ir_type)node_of(r, n->arg[0])->type)) return 0;
    return make(r, n->op == IR_LT ? IR_LE : IR_LT, n->arg[1], n->arg[0], 0);
}

static bool is_not_of(const rewriting *r, ir_id a, ir_id b)
{
    return node_of(r, a)->op == IR_NOT && node_of(r, a)->arg[0] == b;
}

/* AND with `neutral` = all ones, OR with `neutral` = 0; the other of the two absorbs. */
static ir_id simplify_and_or(rewriting *r, int64_t neutral, int64_t absorbing)
{
    if (same(r) || is_value(r, 1, (double)neutral)) return r->n->arg[0];
    if (is_value(r, 1, (double)absorbing)) return r->n->arg[1];
    if (is_not_of(r, r->n->arg[0], r->n->arg[1]) || is_not_of(r, r->n->arg[1], r->n->arg[0]))
        return constant(r, absorbing);
    for (int i = 0; i < 2; i++)
        if (is(r, i, (ir_op)r->n->op) && (operand(r, i)->arg[0] == r->n->arg[1 - i] ||
                                          operand(r, i)->arg[1] == r->n->arg[1 - i]))
            return r->n->arg[i];
    return 0;
}

static ir_id simplify_xor(rewriting *r)
{
    if (same(r)) return constant(r, 0);
    if (is_value(r, 1, 0)) return r->n->arg[0];
    return 0;
}

static ir_id simplify_shift(rewriting *r) { return is_value(r, 1, 0) ? r->n->arg[0] : 0; }

static ir_id simplify_comparison(rewriting *r)
{
    if (!same(r)) return 0;
    if (r->n->op == IR_LT) return constant(r, 0);
    if (floating(r)) return 0;
    return constant(r, r->n->op != IR_NE);
}

static ir_id simplify_bool_select(rewriting *r)
{
    ir_id c = r->n->arg[0], yes = r->n->arg[1], no = r->n->arg[2];
    if (yes == c || is_value(r, 1, 1)) return make(r, IR_OR, c, no, 0);
    if (no == c || is_value(r, 2, 0)) return make(r, IR_AND, c, yes, 0);
    ir_id not_c = 0;
    if (is_value(r, 1, 0) || is_value(r, 2, 1)) not_c = make(r, IR_NOT, c, 0, 0);
    if (is_value(r, 1, 0)) return make(r, IR_AND, not_c, no, 0);
    if (is_value(r, 2, 1)) return make(r, IR_OR, not_c, yes, 0);
    return 0;
}

static ir_id simplify_select(rewriting *r)
{
    ir_id c = r->n->arg[0], yes = r->n->arg[1], no = r->n->arg[2];
    if (is(r, 0, IR_CONST)) return operand(r, 0)->value.i32 ? yes : no;
    if (yes == no) return yes;
    if (is(r, 0, IR_NOT)) return make(r, IR_SELECT, operand(r, 0)->arg[0], no, yes);
    if (is(r, 1, IR_SELECT) && operand(r, 1)->arg[0] == c)
        return make(r, IR_SELECT, c, operand(r, 1)->arg[1], no);
    if (is(r, 2, IR_SELECT) && operand(r, 2)->arg[0] == c)
        return make(r, IR_SELECT, c, yes, operand(r, 2)->arg[2]);
    return r->n->type == IR_BOOL ? simplify_bool_select(r) : 0;
}

/* Whether every value of type `from` is one of type `to`. */
static bool is_exact(ir_type from, ir_type to)
{
    switch (from) {
    case IR_BOOL: return true;
    case IR_U8: return to != IR_BOOL;
    case IR_U16:
    case IR_I16: return to != IR_BOOL && !ir_type_is_narrow(to);
    case IR_I32: return to == IR_I64 || to == IR_F64;
    case IR_F32: return to == IR_F64;
    default: return false;
    }
}

static ir_id simplify_convert(rewriting *r)
{
    ir_type type = (ir_type)r->n->type;
    if (type == r->operand) return r->n->arg[0];
    if (!is(r, 0, IR_CONVERT)) return 0;
    ir_id inner = operand(r, 0)->arg[0];
    ir_type from = (ir_type)node_of(r, inner)->type;
    if (!is_exact(from, r->operand)) return 0;
    if (type == from) return inner;
    return is_exact(from, type) ? make(r, IR_CONVERT, inner, 0, 0) : 0;
}

static ir_id simplify_abs(rewriting *r)
{
    if (is(r, 0, IR_ABS) || is(r, 0, IR_FABS)) return r->n->arg[0];
    if (is(r, 0, IR_NEG)) return make(r, (ir_op)r->n->op, operand(r, 0)->arg[0], 0, 0);
    return r->n->op == IR_ABS && floating(r) ? make(r, IR_FABS, r->n->arg[0], 0, 0) : 0;
}

static ir_id apply_rule(rewriting *r)
{
    switch ((ir_op)r->n->op) {
    case IR_ADD: return simplify_add(r);
    case IR_SUB: return simplify_sub(r);
    case IR_MUL: return simplify_mul(r);
    case IR_DIV: return simplify_div(r);
    case IR_NEG: return simplify_neg(r);
    case IR_FMA: return simplify_fma(r);
    case IR_NOT: return simplify_not(r);
    case IR_AND: return simplify_and_or(r, r->n->type == IR_BOOL ? 1 : -1, 0);
    case IR_OR: return simplify_and_or(r, 0, r->n->type == IR_BOOL ? 1 : -1);
    case IR_XOR: return simplify_xor(r);
    case IR_SHL:
    case IR_SHR: return simplify_shift(r);
    case IR_EQ:
    case IR_NE:
    case IR_LT:
    case IR_LE: return simplify_comparison(r);
    case IR_SELECT: return simplify_select(r);
    case IR_CONVERT: return simplify_convert(r);
    case IR_ABS:
    case IR_FABS: return simplify_abs(r);
    case IR_MIN:
    case IR_MAX:
    case IR_LEAST:
    case IR_GREATEST: return same(r) ? r->n->arg[0] : 0;
    default: return 0;
    }
}

/* A node of g that equals `node` in every bit (all NaNs counting as equal), or 0 when no rule
 * applies; then the operands of `node` may have been exchanged. */
static ir_id simplify(ir_graph *g, ir_node *node)
{
    bool of_data = node->op == IR_STORED || node->op == IR_LEVEL || node->op == IR_ELEMENT;
    if (!ir_ops[node->op].operands || of_data) return 0;
    rewriting r = {g, node, ir_operand_type(g, node)};
    ir_id folded = fold(&r);
    if (folded) return folded;
    order_operands(&r);
    return apply_rule(&r);
}

ir_id ir_graph_op(ir_graph *g, ir_op op, ir_type type, ir_id a, ir_id b, ir_id c, uint32_t at)
{
    int operands = ir_ops[op].operands;
    if (g->failed || (operands > 0 && !a) || (operands > 1 && !b) || (operands > 2 && !c)) return 0;
    ir_node node = {.op = (uint8_t)op, .type = (uint8_t)type, .arg = {a, b, c}, .at = at};
    ir_id simpler = simplify(g, &node);
    return simpler ? simpler : ir_graph_add(g, &node);
}
