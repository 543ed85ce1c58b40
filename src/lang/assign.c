/* Assignments: to variables, to fields, and the forms of reductions. */
#include "lang/check.h"

#include <string.h>

/* The operator in a compound assignment: '+' of '+=' and '++'. */
static lang_sign binary_sign(lang_sign assignment)
{
    const char *text = lang_signs[assignment].text;
    size_t length = strlen(text) - 1;
    int sign = 0;
    while (strlen(lang_signs[sign].text) != length ||
           strncmp(lang_signs[sign].text, text, length) != 0)
        sign++;
    return (lang_sign)sign;
}

/* The assigned value, converted to the type of the target. */
static ir_expr *assigned_value(lang_compiler *c, const lang_stmt *s, const lang_lvalue *lvalue)
{
    lang_value value;
    if (s->sign == LANG_SIGN_ASSIGN)
        value = lang_check(c, s->value);
    else {
        lang_value old = lang_lvalue_read(c, lvalue);
        if (!old.expr) return NULL;
        value = lang_binary(c, binary_sign(s->sign), old, lang_check(c, s->value), s->at);
    }
    return lang_convert_assigned(c, value, lvalue->symbol->type);
}

/* ---- variables and fields -------------------------------------------------------------------- */

static ir_stmt *assign_local(lang_compiler *c, const lang_stmt *s, const lang_lvalue *lvalue)
{
    lang_symbol *local = lvalue->symbol;
    if (local->constant) {
        lang_error(c, lvalue->at, "'%s' is const and cannot be written", local->name->text);
        lang_note(c, local->at, "declared here");
        return NULL;
    }
    ir_expr *element;
    local->assigned = true;
    if (!lang_lvalue_element(c, lvalue, &element)) return NULL;
    return lang_tree_assign(c, local->index, element, assigned_value(c, s, lvalue), lvalue->at);
}

static bool may_write(lang_compiler *c, const lang_lvalue *lvalue)
{
    const lang_symbol *field = lvalue->symbol;
    const char *name = field->name->text;
    if (c->helper) {
        lang_error(c, lvalue->at, "a helper cannot write a field");
        return lang_hint(c, "return the value, and write '%s' in the kernel", name);
    }
    if (field->param == IR_PARAM_IN) {
        lang_error(c, lvalue->at, "'%s' is an 'in' field and cannot be written", name);
        lang_hint(c, "declare it 'inout' to read and write it, or 'out' to write it only");
        lang_note(c, field->at, "declared here");
        return false;
    }
    return true;
}

static ir_stmt *assign_field(lang_compiler *c, const lang_stmt *s, const lang_lvalue *lvalue)
{
    if (!may_write(c, lvalue)) return NULL;
    ir_expr *value = assigned_value(c, s, lvalue);
    ir_stmt *store =
        value ? lang_tree_stmt(c, IR_STMT_STORE, lvalue->symbol->index, lvalue->at) : NULL;
    if (!store) return NULL;
    store->value = value;
    lang_lvalue written = *lvalue;
    written.written = true;
    bool ok = lang_lvalue_shift(c, &written, &store->element, store->offset, &store->offsets) &&
              lang_locate(c, &written, &store->element, store->offset, &store->offsets, NULL);
    return ok ? store : NULL;
}

/* ---- reductions ------------------------------------------------------------------------------ */

static ir_stmt *refuse_form(lang_compiler *c, const lang_lvalue *lvalue)
{
    const lang_symbol *r = lvalue->symbol;
    lang_error(c, lvalue->at, "'%s' is a '%s' reduction", r->name->text,
               ir_param_kind_name(r->param));
    lang_hint_reduction(c, r, "it is written only as");
    lang_note(c, r->at, "declared here");
    return NULL;
}

/* Whether two expressions, or lists of them, are written alike. */
static bool same_list(const lang_expr *a, const lang_expr *b);

static bool same_text(const lang_expr *a, const lang_expr *b)
{
    bool same = a->kind == b->kind && a->sign == b->sign && a->type == b->type &&
                a->name == b->name && a->value.bits == b->value.bits;
    for (int i = 0; i < 3 && same; i++) same = same_list(a->arg[i], b->arg[i]);
    return same;
}

static bool same_list(const lang_expr *a, const lang_expr *b)
{
    while (a && b && same_text(a, b)) {
        a = a->next;
        b = b->next;
    }
    return !a && !b;
}

static bool calls_function(lang_compiler *c, const lang_expr *e, ir_op op)
{
    const lang_symbol *symbol = e->kind == LANG_EXPR_CALL ? lang_find(c, e->name) : NULL;
    return symbol && symbol->kind == LANG_FUNCTION && symbol->op == op && !symbol->f32_version;
}

static bool adds(const lang_stmt *s)
{
    return s->sign == LANG_SIGN_ADD_ASSIGN || s->sign == LANG_SIGN_INCREMENT;
}

static bool subtracts(const lang_stmt *s)
{
    return s->sign == LANG_SIGN_SUB_ASSIGN || s->sign == LANG_SIGN_DECREMENT;
}

/* The e of "r += e", "r -= e" or "r = min(r, e)", where r is written like the target. NULL if the
 * assignment has another form. */
static const lang_expr *reduced(lang_compiler *c, const lang_stmt *s, const lang_symbol *r)
{
    if (r->param == IR_PARAM_WHERE) return NULL;
    if (r->param == IR_PARAM_SUM) return adds(s) || subtracts(s) ? s->value : NULL;
    ir_op op = r->param == IR_PARAM_MIN ? IR_MIN : IR_MAX;
    if (s->sign != LANG_SIGN_ASSIGN || !calls_function(c, s->value, op)) return NULL;
    const lang_expr *first = s->value->arg[1], *second = first ? first->next : NULL;
    return second && !second->next && same_text(first, s->target) ? second : NULL;
}

static ir_stmt *reduce(lang_compiler *c, const lang_stmt *s, const lang_lvalue *lvalue)
{
    const lang_symbol *r = lvalue->symbol;
    const lang_expr *e = reduced(c, s, r);
    if (!e) return refuse_form(c, lvalue);
    ir_expr *element;
    if (!lang_lvalue_element(c, lvalue, &element)) return NULL;
    if (r->on) element = lang_component_of(c, r, c->element, NULL, element, lvalue->at);
    ir_expr *value = lang_convert_assigned(c, lang_check(c, e), r->type);
    if (value && subtracts(s))
        value = lang_unary(c, LANG_SIGN_SUB, lang_value_of(value), s->at).expr;
    ir_stmt *made = value ? lang_tree_stmt(c, IR_STMT_REDUCE, r->index, lvalue->at) : NULL;
    if (!made) return NULL;
    made->element = element;
    made->value = value;
    return made;
}

/* ---- all ------------------------------------------------------------------------------------- */

static ir_stmt *refuse_target(lang_compiler *c, const lang_lvalue *lvalue)
{
    const lang_symbol *symbol = lvalue->symbol;
    lang_error(c, lvalue->at, "'%s' is %s and cannot be written", symbol->name->text,
               lang_symbol_kind_name(symbol));
    if (symbol->kind == LANG_NUMBER && !symbol->length)
        lang_hint(c,
                  "a field that the kernel writes is 'out %s %s'; to change the number, copy it "
                  "to a variable",
                  ir_types[symbol->type].name, symbol->name->text);
    if (symbol->at) lang_note(c, symbol->at, "declared here");
    return NULL;
}

/* A name that nothing declares is mostly meant as a result. */
static bool find_target(lang_compiler *c, const lang_stmt *s, lang_lvalue *lvalue)
{
    const lang_name *name = s->target->name;
    bool unknown = name && !c->helper && lang_is_unknown(c, name);
    if (lang_lvalue_find(c, s->target, lvalue)) return true;
    return unknown && lang_hint(c, "a result is a parameter: 'out double %s'", name->text);
}

ir_stmt *lang_check_assign(lang_compiler *c, const lang_stmt *s)
{
    lang_lvalue lvalue;
    if (s->target->kind != LANG_EXPR_NAME && s->target->kind != LANG_EXPR_INDEX) {
        lang_error(c, s->target->at, "this cannot be assigned to");
        lang_hint(c, "the left side of an assignment is a variable, an element or a field");
        return NULL;
    }
    if (!find_target(c, s, &lvalue)) return NULL;
    switch (lvalue.symbol->kind) {
    case LANG_LOCAL: return assign_local(c, s, &lvalue);
    case LANG_FIELD: return assign_field(c, s, &lvalue);
    case LANG_REDUCTION: return reduce(c, s, &lvalue);
    default: return refuse_target(c, &lvalue);
    }
}
