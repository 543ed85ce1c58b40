/* Calls. A function of the language is an operation; a helper is inlined: its parameters become
 * variables, or names of the kernel's fields, and its body is translated anew. */
#include "lang/check.h"

#include <string.h>

static const lang_value failed;

enum { MAX_ARGS = 3 };

static int list_length(const lang_expr *list)
{
    int length = 0;
    for (; list; list = list->next) length++;
    return length;
}

/* `helper`: the helper called; NULL: a function of the language. */
static bool check_count(lang_compiler *c, const lang_expr *e, int expected,
                        const lang_function *helper)
{
    int given = list_length(e->arg[1]);
    if (given == expected) return true;
    lang_error(c, e->at, "'%s' takes %d argument%s, not %d", e->name->text, expected,
               expected == 1 ? "" : "s", given);
    if (helper) lang_note(c, helper->at, "the helper is defined here");
    return false;
}

/* ---- functions of the language --------------------------------------------------------------- */

static bool is_floating_only(ir_op op) { return !strchr(ir_ops[op].types, 'i'); }

/* The type that a function computes in. */
static ir_type function_type(const lang_symbol *function, const lang_value *args, int count)
{
    if (function->f32_version) return IR_F32;
    ir_type type = IR_I32;
    bool adapts = false;
    for (int i = 0; i < count; i++) {
        adapts = adapts || args[i].f32_version;
        if (!args[i].f32_version && args[i].expr->type > type) type = args[i].expr->type;
    }
    if (adapts && type != IR_F32) type = IR_F64;
    return is_floating_only(function->op) && !ir_type_is_floating(type) ? IR_F64 : type;
}

static lang_value call_random(lang_compiler *c, const lang_expr *e)
{
    if (!check_count(c, e, 1, NULL)) return failed;
    ir_expr *seed = lang_check_integer(c, e->arg[1], "a seed");
    if (seed) seed = lang_convert(c, lang_value_of(seed), IR_I64);
    ir_expr *made = seed ? lang_tree_expr(c, IR_EXPR_RANDOM, IR_F64, e->at) : NULL;
    if (!made) return failed;
    made->arg[0] = seed;
    made->index = c->random_count++;
    if (!c->mesh || !c->kernel || !c->kernel->on) return lang_value_of(made);
    made->arg[1] = lang_mesh_number(c, e->at);
    return made->arg[1] ? lang_value_of(made) : failed;
}

static lang_value call_function(lang_compiler *c, const lang_symbol *function, const lang_expr *e)
{
    if (function->op == IR_MIX) return call_random(c, e);
    int count = ir_ops[function->op].operands;
    if (!check_count(c, e, count, NULL)) return failed;
    lang_value args[MAX_ARGS];
    bool flexible = !function->f32_version;
    const lang_expr *given = e->arg[1];
    for (int i = 0; i < count; i++, given = given->next) {
        args[i] = lang_check(c, given);
        if (!args[i].expr) return failed;
        flexible = flexible && args[i].flexible;
    }
    ir_type type = function_type(function, args, count);
    ir_expr *operand[MAX_ARGS] = {0};
    for (int i = 0; i < count; i++)
        if (!(operand[i] = lang_convert(c, args[i], type))) return failed;
    ir_expr *call = lang_tree_op(c, function->op, type, operand[0], operand[1], operand[2], e->at);
    return lang_result(c, call, flexible);
}

/* ---- binding a helper's parameters ----------------------------------------------------------- */

/* The argument bound to a parameter, found before names of the helper are visible. */
typedef struct binding {
    ir_expr *value; /* of a number */
    lang_symbol field;
} binding;

static bool fits(lang_compiler *c, const lang_param *p, const lang_lvalue *lvalue, int length)
{
    const lang_symbol *field = lvalue->symbol;
    if (field->type != p->type) {
        lang_error(c, lvalue->at, "field '%s' is %s, but '%s' takes a field of %s",
                   field->name->text, ir_types[field->type].name, p->name->text,
                   ir_types[p->type].name);
        lang_note(c, p->at, "the parameter is declared here");
        return false;
    }
    int given = lvalue->element ? 0 : field->length;
    if (!lang_lies_alike(c, p, lvalue)) return false;
    if (given == length) return true;
    if (!length)
        lang_error(c, lvalue->at, "'%s' takes one component: pass '%s[q]'", p->name->text,
                   field->name->text);
    else
        lang_error(c, lvalue->at, "'%s' takes a field of %d components, '%s' has %d", p->name->text,
                   length, field->name->text, given ? given : 1);
    if (length && lvalue->element)
        lang_hint(c, "'%s' is the whole field, '%s[1,0]' the whole field at an offset",
                  field->name->text, field->name->text);
    lang_note(c, p->at, "the parameter is declared here");
    return false;
}

/* A field with components as a whole at an offset: `c[1,0]`, where `c[1]` is a component. */
static bool find_shifted(lang_compiler *c, const lang_expr *e, lang_lvalue *lvalue)
{
    bool brackets = e->kind == LANG_EXPR_INDEX && e->arg[0]->kind == LANG_EXPR_NAME;
    lang_symbol *named = brackets ? lang_find(c, e->arg[0]->name) : NULL;
    int offsets = brackets ? list_length(e->arg[1]) : 0;
    if (!named || named->kind != LANG_FIELD || !named->length || offsets < 2 || offsets > 3)
        return false;
    *lvalue = (lang_lvalue){.symbol = named, .at = e->arg[0]->at};
    return lang_lvalue_offsets(c, e, lvalue);
}

/* A field with components as a whole: only its name is written, or an offset. */
static bool find_field(lang_compiler *c, const lang_param *p, const lang_expr *e,
                       lang_lvalue *lvalue)
{
    lang_symbol *named = e->kind == LANG_EXPR_NAME ? lang_find(c, e->name) : NULL;
    *lvalue = (lang_lvalue){.symbol = named, .at = e->at};
    if (named) named->used = true;
    if (named && named->kind == LANG_FIELD) return true;
    if (p->array && find_shifted(c, e, lvalue)) return lvalue->symbol->used = true;
    bool is_lvalue = e->kind == LANG_EXPR_NAME || e->kind == LANG_EXPR_INDEX;
    if (is_lvalue && !lang_lvalue_find(c, e, lvalue)) return false;
    if (is_lvalue) lvalue->symbol->used = true;
    if (is_lvalue && lvalue->symbol->kind == LANG_FIELD) return true;
    lang_error(c, e->at, "'%s' takes a field", p->name->text);
    lang_hint(c, "pass the name of a field, or a shifted one as 'u[1,0]'; a value goes to a "
                 "parameter without 'in'");
    lang_note(c, p->at, "the parameter is declared here");
    return false;
}

static bool bind_field(lang_compiler *c, const lang_param *p, const lang_expr *e, binding *b)
{
    lang_lvalue lvalue;
    int length;
    if (!find_field(c, p, e, &lvalue)) return false;
    lvalue.given = true;
    if (!lang_check_param_length(c, p, &length) || !fits(c, p, &lvalue, length)) return false;
    b->field = (lang_symbol){.type = p->type,
                             .index = lvalue.symbol->index,
                             .length = length,
                             .on = p->on,
                             .each = p->each,
                             .param = lvalue.symbol->param,
                             .children = lvalue.symbol->children};
    return lang_lvalue_shift(c, &lvalue, &b->field.component, b->field.offset, &b->field.offsets);
}

static bool bind(lang_compiler *c, const lang_param *p, const lang_expr *e, binding *b)
{
    if (p->kind == IR_PARAM_IN) return bind_field(c, p, e, b);
    b->value = lang_convert_assigned(c, lang_check(c, e), p->type);
    return b->value;
}

/* ---- inlining -------------------------------------------------------------------------------- */

/* Declares a parameter in the helper's frame; appends the statement that sets it. */
static bool declare_param(lang_compiler *c, const lang_param *p, const binding *b, ir_stmt ***tail)
{
    bool field = p->kind == IR_PARAM_IN;
    lang_symbol *s = lang_declare(c, field ? LANG_FIELD : LANG_LOCAL, p->name, p->at);
    if (!s) return false;
    s->type = p->type;
    s->constant = p->constant;
    if (field) {
        s->index = b->field.index;
        s->length = b->field.length;
        s->param = b->field.param;
        s->children = b->field.children;
        s->on = b->field.on;
        s->each = b->field.each;
        s->component = b->field.component;
        memcpy(s->offset, b->field.offset, sizeof s->offset);
        s->offsets = b->field.offsets;
        return true;
    }
    s->given = true;
    s->index = lang_tree_local(c, p->name->text, p->type, 0, p->at);
    if (s->index < 0) return false;
    **tail = lang_tree_assign(c, s->index, NULL, b->value, b->value->at);
    if (!**tail) return false;
    *tail = &(**tail)->next;
    return true;
}

/* The helper's body in a frame of its own, as a list of statements. */
static bool inline_body(lang_compiler *c, lang_function *f, const binding *bindings, ir_stmt **body)
{
    const lang_function *outer = c->helper;
    int loops = c->loops, neighbours = c->neighbours;
    int outer_result = c->result;
    bool outer_off = c->contract_off;
    c->helper = f;
    c->loops = c->neighbours = 0;
    c->contract_off = outer_off || f->contract_off;
    c->result = lang_tree_local(c, f->name->text, f->type, 0, f->at);
    f->active = true;
    lang_scope scope = lang_frame_enter(c);
    bool ok = c->result >= 0;
    for (const lang_param *p = f->params; ok && p; p = p->next)
        ok = declare_param(c, p, bindings++, &body);
    ok = ok && lang_check_statements(c, f->body, body);
    lang_scope_leave(c, scope);
    f->active = false;
    c->helper = outer;
    c->loops = loops;
    c->neighbours = neighbours;
    c->contract_off = outer_off;
    c->result = outer_result;
    return ok;
}

static binding *bind_all(lang_compiler *c, const lang_function *f, const lang_expr *args)
{
    binding *bindings = arena_array(&c->syntax, (size_t)f->param_count + 1, sizeof *bindings);
    if (!bindings) lang_no_memory(c);
    for (const lang_param *p = f->params; bindings && p; p = p->next, args = args->next)
        if (!bind(c, p, args, &bindings[p->number])) return NULL;
    return bindings;
}

static lang_value call_helper(lang_compiler *c, lang_function *f, const lang_expr *e)
{
    if (f->wrong) return failed;
    if (f->active) {
        lang_error(c, e->at, "helper '%s' calls itself%s", f->name->text,
                   c->helper == f ? "" : " through others");
        lang_hint(c, "helpers are inlined: there is no recursion");
        return failed;
    }
    if (!check_count(c, e, f->param_count, f) || !lang_may_call(c, f, e)) return failed;
    ir_expr *call = lang_tree_expr(c, IR_EXPR_CALL, f->type, e->at);
    binding *bindings = call ? bind_all(c, f, e->arg[1]) : NULL;
    if (!bindings) return failed;
    call->index = (int)c->local_count;
    c->uses_real = c->uses_real || f->real;
    if (!inline_body(c, f, bindings, &call->body)) return failed;
    return lang_promoted(c, lang_value_of(call));
}

lang_value lang_check_call(lang_compiler *c, const lang_expr *e)
{
    if (lang_is_orientation(c, e)) return lang_value_of(lang_orientation(c, e));
    lang_symbol *symbol = lang_lookup(c, e->name, e->at, "function");
    if (!symbol) return failed;
    if (symbol->kind == LANG_FUNCTION) return call_function(c, symbol, e);
    if (symbol->kind == LANG_HELPER) return call_helper(c, symbol->function, e);
    lang_error(c, e->at, "'%s' is %s and cannot be called", e->name->text,
               lang_symbol_kind_name(symbol));
    if (symbol->kind == LANG_FIELD)
        lang_hint(c, "an offset stands in brackets: '%s[1,0]'", e->name->text);
    if (symbol->at) lang_note(c, symbol->at, "declared here");
    return failed;
}

/* ---- helpers on their own -------------------------------------------------------------------- */

static ir_expr *any_value(lang_compiler *c, const lang_param *p)
{
    return lang_tree_const(c, p->type, ir_value_of_int(p->type, 0), p->at);
}

static bool bind_anything(lang_compiler *c, const lang_param *p, binding *b)
{
    if (p->kind != IR_PARAM_IN) return (b->value = any_value(c, p)) != NULL;
    b->field = (lang_symbol){.type = p->type, .param = IR_PARAM_IN, .on = p->on, .each = p->each};
    return lang_check_param_length(c, p, &b->field.length);
}

bool lang_check_helper(lang_compiler *c, lang_function *f)
{
    arena memory = {0};
    ir_stmt *body = NULL;
    lang_tree_start(c, &memory, f->name->text);
    if (!lang_check_helper_on(c, f)) return false;
    binding *bindings = arena_array(&c->syntax, (size_t)f->param_count + 1, sizeof *bindings);
    bool ok = bindings || lang_no_memory(c);
    for (const lang_param *p = f->params; ok && p; p = p->next)
        ok = bind_anything(c, p, &bindings[p->number]);
    ok = ok && inline_body(c, f, bindings, &body);
    c->element = NULL;
    arena_free(&memory);
    bool returns = lang_always_returns(f->body);
    f->wrong = !ok || !returns;
    if (!ok || returns) return ok;
    lang_error(c, f->at, "helper '%s' may end without returning a value", f->name->text);
    return lang_hint(c, "every path through it must reach a 'return'");
}
