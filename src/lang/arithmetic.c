/* Types of operations: the usual conversions of C, with two differences. An expression made of
 * unsuffixed literals is *flexible*: it becomes float where it meets a float; its arithmetic is
 * done in double and rounded once. And a sum becomes an fma if exactly one of its operands is
 * written as a product and that product has the type of the sum, unless the file says
 * `contract off`. */
#include "lang/check.h"

#include <math.h>

static const lang_value failed;

lang_value lang_value_of(ir_expr *expr) { return (lang_value){.expr = expr}; }

lang_value lang_result(lang_compiler *c, ir_expr *expr, bool flexible)
{
    lang_value value = {.expr = expr, .flexible = flexible};
    if (!expr || !flexible || expr->type != IR_F64) return value;
    value.f32_version = lang_tree_op(c, IR_CONVERT, IR_F32, expr, NULL, NULL, expr->at);
    return value.f32_version ? value : failed;
}

/* ---- conversions ----------------------------------------------------------------------------- */

ir_expr *lang_truth(lang_compiler *c, lang_value value)
{
    ir_expr *e = value.expr;
    if (!e || e->type == IR_BOOL) return e;
    ir_expr *zero = lang_tree_const(c, e->type, ir_value_of_int(e->type, 0), e->at);
    return lang_tree_op(c, IR_NE, IR_BOOL, e, zero, NULL, e->at);
}

/* A literal in the float form of a flexible value that overflowed, NULL when there is none. */
static const ir_expr *overflow(const ir_expr *e)
{
    if (e->kind == IR_EXPR_CONST) return isinf(e->value.f32) ? e : NULL;
    if (e->kind != IR_EXPR_OP || (e->op != IR_NEG && e->op != IR_SELECT)) return NULL;
    if (e->op == IR_NEG) return overflow(e->arg[0]);
    const ir_expr *first = overflow(e->arg[1]);
    return first ? first : overflow(e->arg[2]);
}

static ir_expr *narrowed(lang_compiler *c, ir_expr *e)
{
    const ir_expr *literal = overflow(e);
    if (!literal) return e;
    lang_error(c, literal->at, "this literal is too large for float");
    lang_hint(c, "it becomes float because it meets a float");
    return NULL;
}

ir_expr *lang_convert(lang_compiler *c, lang_value value, ir_type type)
{
    ir_expr *e = value.expr;
    if (!e || e->type == type) return e;
    if (type == IR_BOOL) return lang_truth(c, value);
    if (value.cut && ir_type_is_floating(type)) lang_warn_cut(c, value.cut);
    if (type == IR_F32 && value.f32_version) return narrowed(c, value.f32_version);
    if (e->kind == IR_EXPR_CONST)
        return lang_tree_const(c, type, ir_convert(type, e->type, e->value), e->at);
    return lang_tree_op(c, IR_CONVERT, type, e, NULL, NULL, e->at);
}

ir_expr *lang_convert_assigned(lang_compiler *c, lang_value value, ir_type type)
{
    lang_warn_narrowing(c, value, type);
    return lang_convert(c, value, type);
}

lang_value lang_promoted(lang_compiler *c, lang_value value)
{
    bool promotes = value.expr && ir_type_is_narrow(value.expr->type);
    return promotes ? lang_value_of(lang_convert(c, value, IR_I32)) : value;
}

static ir_type common_type(lang_value a, lang_value b)
{
    ir_type x = a.expr->type, y = b.expr->type;
    if (a.f32_version && !b.f32_version && y == IR_F32) return IR_F32;
    if (b.f32_version && !a.f32_version && x == IR_F32) return IR_F32;
    ir_type larger = x > y ? x : y;
    return larger > IR_I32 ? larger : IR_I32;
}

/* ---- unary operators ------------------------------------------------------------------------- */

static bool refuse_operand(lang_compiler *c, lang_sign sign, ir_type type, uint32_t at)
{
    lang_error(c, at, "'%s' takes integers, not %s", lang_signs[sign].text, ir_types[type].name);
    if (lang_signs[sign].op == IR_REM)
        lang_hint(c, "the remainder of floating numbers is fmod(a, b)");
    if (lang_signs[sign].op == IR_XOR) lang_hint(c, LANG_POWER_HINT);
    return false;
}

static lang_value negate(lang_compiler *c, lang_value a, uint32_t at)
{
    ir_type type = a.expr->type;
    lang_value value = {.flexible = a.flexible, .cut = a.cut};
    value.expr = lang_tree_op(c, IR_NEG, type, a.expr, NULL, NULL, at);
    if (a.f32_version)
        value.f32_version = lang_tree_op(c, IR_NEG, IR_F32, a.f32_version, NULL, NULL, at);
    return value;
}

lang_value lang_unary(lang_compiler *c, lang_sign sign, lang_value a, uint32_t at)
{
    if (!a.expr) return failed;
    if (sign == LANG_SIGN_NOT)
        return lang_value_of(lang_tree_op(c, IR_NOT, IR_BOOL, lang_truth(c, a), NULL, NULL, at));
    if (a.expr->type == IR_BOOL) a = lang_value_of(lang_convert(c, a, IR_I32));
    if (!a.expr) return failed;
    a.product = false;
    if (sign == LANG_SIGN_ADD) return a;
    if (sign == LANG_SIGN_SUB) return negate(c, a, at);
    if (ir_type_is_floating(a.expr->type)) {
        refuse_operand(c, sign, a.expr->type, at);
        return failed;
    }
    ir_expr *e = lang_tree_op(c, IR_NOT, a.expr->type, a.expr, NULL, NULL, at);
    return (lang_value){.expr = e, .flexible = a.flexible};
}

/* ---- binary operators ------------------------------------------------------------------------ */

/* product + other, product - other, other - product. */
static lang_value fused(lang_compiler *c, ir_expr *product, ir_expr *other, bool minus_product,
                        bool minus_other, uint32_t at)
{
    ir_type type = product->type;
    ir_expr *a = product->arg[0];
    if (minus_product) a = lang_tree_op(c, IR_NEG, type, a, NULL, NULL, at);
    if (minus_other) other = lang_tree_op(c, IR_NEG, type, other, NULL, NULL, at);
    return lang_value_of(lang_tree_op(c, IR_FMA, type, a, product->arg[1], other, at));
}

static lang_value sum(lang_compiler *c, ir_op op, ir_type type, lang_value a, lang_value b,
                      uint32_t at)
{
    bool fuses = !c->contract_off, minus = op == IR_SUB;
    bool left = fuses && a.product && a.expr->type == type;
    bool right = fuses && b.product && b.expr->type == type;
    ir_expr *x = lang_convert(c, a, type), *y = lang_convert(c, b, type);
    if (!x || !y) return failed;
    if (left && !right) return fused(c, x, y, false, minus, at);
    if (right && !left) return fused(c, y, x, minus, false, at);
    return lang_result(c, lang_tree_op(c, op, type, x, y, NULL, at), a.flexible && b.flexible);
}

static lang_value compare(lang_compiler *c, lang_sign sign, lang_value a, lang_value b, uint32_t at)
{
    ir_type type = common_type(a, b);
    ir_expr *x = lang_convert(c, a, type), *y = lang_convert(c, b, type);
    bool swap = sign == LANG_SIGN_GT || sign == LANG_SIGN_GE;
    return lang_value_of(
        lang_tree_op(c, lang_signs[sign].op, IR_BOOL, swap ? y : x, swap ? x : y, NULL, at));
}

/* The result has the type of the first operand. */
static lang_value shift(lang_compiler *c, ir_op op, lang_value a, lang_value b, uint32_t at)
{
    ir_type type = a.expr->type == IR_I64 ? IR_I64 : IR_I32;
    ir_expr *x = lang_convert(c, a, type), *y = lang_convert(c, b, type);
    return lang_result(c, lang_tree_op(c, op, type, x, y, NULL, at), a.flexible && b.flexible);
}

static bool takes_floating(lang_sign sign)
{
    ir_op op = lang_signs[sign].op;
    return op == IR_ADD || op == IR_SUB || op == IR_MUL || op == IR_DIV;
}

static lang_value arithmetic(lang_compiler *c, lang_sign sign, lang_value a, lang_value b,
                             uint32_t at)
{
    ir_op op = lang_signs[sign].op;
    ir_type type = common_type(a, b);
    if (ir_type_is_floating(type) && !takes_floating(sign)) {
        refuse_operand(c, sign, type, at);
        return failed;
    }
    if (op == IR_SHL || op == IR_SHR) return shift(c, op, a, b, at);
    if (op == IR_ADD || op == IR_SUB) return sum(c, op, type, a, b, at);
    ir_expr *x = lang_convert(c, a, type), *y = lang_convert(c, b, type);
    bool flexible = a.flexible && b.flexible;
    lang_value value = lang_result(c, lang_tree_op(c, op, type, x, y, NULL, at), flexible);
    value.product = op == IR_MUL && ir_type_is_floating(type) && !flexible;
    return value;
}

static bool is_comparison(lang_sign sign)
{
    ir_op op = lang_signs[sign].op;
    return op == IR_EQ || op == IR_NE || op == IR_LT || op == IR_LE;
}

lang_value lang_binary(lang_compiler *c, lang_sign sign, lang_value a, lang_value b, uint32_t at)
{
    if (!a.expr || !b.expr) return failed;
    if (sign == LANG_SIGN_BOTH || sign == LANG_SIGN_EITHER)
        return lang_value_of(lang_tree_op(c, lang_signs[sign].op, IR_BOOL, lang_truth(c, a),
                                          lang_truth(c, b), NULL, at));
    if (is_comparison(sign)) {
        lang_value value = compare(c, sign, a, b, at);
        lang_warn_operation(c, value.expr);
        return value;
    }
    lang_value value = arithmetic(c, sign, a, b, at);
    lang_warn_operation(c, value.expr);
    if (!value.expr || ir_type_is_floating(value.expr->type)) return value;
    value.cut = a.cut ? a.cut : b.cut;
    if (!value.cut && a.flexible && sign == LANG_SIGN_DIV) value.cut = lang_find_cut(c, value.expr);
    return value;
}

/* ---- condition ? a : b ----------------------------------------------------------------------- */

lang_value lang_choose(lang_compiler *c, lang_value condition, lang_value a, lang_value b,
                       uint32_t at)
{
    ir_expr *test = lang_truth(c, condition);
    if (!test || !a.expr || !b.expr) return failed;
    bool both = a.expr->type == IR_BOOL && b.expr->type == IR_BOOL;
    ir_type type = both ? IR_BOOL : common_type(a, b);
    lang_value value = {.flexible = a.flexible && b.flexible};
    if (!ir_type_is_floating(type)) value.cut = a.cut ? a.cut : b.cut;
    value.expr = lang_tree_op(c, IR_SELECT, type, test, lang_convert(c, a, type),
                              lang_convert(c, b, type), at);
    if (!value.expr || !value.flexible || type != IR_F64) return value;
    ir_expr *x = a.f32_version ? a.f32_version : lang_convert(c, a, IR_F32);
    ir_expr *y = b.f32_version ? b.f32_version : lang_convert(c, b, IR_F32);
    value.f32_version = lang_tree_op(c, IR_SELECT, IR_F32, test, x, y, at);
    return value.f32_version ? value : failed;
}
