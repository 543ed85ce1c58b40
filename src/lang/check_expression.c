/* Syntax of expressions to typed IR. */
#include "lang/check.h"

#include <math.h>
#include <string.h>

static const lang_value failed;

static lang_value check_literal(lang_compiler *c, const lang_expr *e)
{
    lang_value value = {.flexible = e->flexible};
    value.expr = lang_tree_const(c, e->type, e->value, e->at);
    if (!value.expr || !e->flexible || e->type != IR_F64) return value;
    value.f32_version = lang_tree_const(c, IR_F32, e->f32_value, e->at);
    return value.f32_version ? value : failed;
}

static lang_value check_lvalue(lang_compiler *c, const lang_expr *e)
{
    lang_lvalue lvalue;
    if (!lang_lvalue_find(c, e, &lvalue)) return failed;
    lvalue.symbol->used = true;
    return lang_lvalue_read(c, &lvalue);
}

/* M_PI stands for its digits, unless the file gives the name a meaning of its own. */
static bool is_pi(lang_compiler *c, const lang_expr *e)
{
    return strcmp(e->name->text, "M_PI") == 0 && !lang_find(c, e->name);
}

static lang_value check_pi(lang_compiler *c, const lang_expr *e)
{
    const lang_expr digits = {.type = IR_F64,
                              .flexible = true,
                              .at = e->at,
                              .value = ir_value_of_double(IR_F64, M_PI),
                              .f32_value = ir_value_of_double(IR_F32, M_PI)};
    return check_literal(c, &digits);
}

/* The colour of what is computed, unless the file gives the name 'ic' a meaning of its own. */
static lang_value check_color(lang_compiler *c, const lang_expr *e)
{
    if (c->mesh) {
        lang_error(c, e->at, "'ic' is a colour of an icosahedral grid, and a mesh has none");
        lang_hint(c, "'ix' is the number of what is computed");
        return failed;
    }
    return lang_value_of(c->element->color ? c->element->color : lang_tree_int(c, 0, e->at));
}

static lang_value check_name(lang_compiler *c, const lang_expr *e)
{
    if (lang_is_color(c, e)) return check_color(c, e);
    return is_pi(c, e) ? check_pi(c, e) : check_lvalue(c, e);
}

static lang_value check_binary(lang_compiler *c, const lang_expr *e)
{
    lang_value a = lang_check(c, e->arg[0]);
    if (!a.expr) return failed;
    return lang_binary(c, e->sign, a, lang_check(c, e->arg[1]), e->at);
}

static lang_value check_select(lang_compiler *c, const lang_expr *e)
{
    lang_value condition = lang_check(c, e->arg[0]);
    if (!condition.expr) return failed;
    lang_value a = lang_check(c, e->arg[1]);
    if (!a.expr) return failed;
    return lang_choose(c, condition, a, lang_check(c, e->arg[2]), e->at);
}

static lang_value check_cast(lang_compiler *c, const lang_expr *e)
{
    lang_value value = lang_check(c, e->arg[0]);
    value.cut = NULL; /* a cast shows that it is meant */
    return lang_promoted(c, lang_value_of(lang_convert(c, value, e->type)));
}

static lang_value check_kind(lang_compiler *c, const lang_expr *e)
{
    switch (e->kind) {
    case LANG_EXPR_LITERAL: return check_literal(c, e);
    case LANG_EXPR_NAME: return check_name(c, e);
    case LANG_EXPR_INDEX: return check_lvalue(c, e);
    case LANG_EXPR_CALL: return lang_check_call(c, e);
    case LANG_EXPR_UNARY: return lang_unary(c, e->sign, lang_check(c, e->arg[0]), e->at);
    case LANG_EXPR_BINARY: return check_binary(c, e);
    case LANG_EXPR_SELECT: return check_select(c, e);
    case LANG_EXPR_CAST: return check_cast(c, e);
    case LANG_EXPR_ROW: return failed; /* refused before, see check_rows in declare.c */
    }
    return failed;
}

lang_value lang_check(lang_compiler *c, const lang_expr *e)
{
    if (!lang_enter(c, e->at)) return failed;
    lang_value value = check_kind(c, e);
    lang_leave(c);
    return value;
}

bool lang_check_constant(lang_compiler *c, const lang_expr *e, const char *what, int64_t low,
                         int64_t high, int *value)
{
    ir_expr *checked = lang_check_integer(c, e, what);
    if (!checked) return false;
    ir_value found;
    const ir_expr *culprit;
    if (!lang_tree_evaluate(c, checked, &found, &culprit))
        return lang_error(c, culprit->at, "%s must be known at compile time", what);
    int64_t number = ir_convert(IR_I64, checked->type, found).i64;
    if (number < low || number > high)
        return lang_error(c, e->at, "%s must be from %lld to %lld, this is %lld", what,
                          (long long)low, (long long)high, (long long)number);
    *value = (int)number;
    return true;
}
