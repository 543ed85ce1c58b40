/* Syntax of statements to IR. */
#include "lang/check.h"

/* Statements in a scope of their own. */
static bool check_body(lang_compiler *c, const lang_stmt *s, ir_stmt **out)
{
    lang_scope scope = lang_scope_enter(c);
    bool ok = lang_check_statements(c, s, out);
    lang_scope_leave(c, scope);
    return ok;
}

static ir_stmt *check_block(lang_compiler *c, const lang_stmt *s)
{
    ir_stmt *made = lang_tree_stmt(c, IR_STMT_BLOCK, 0, s->at);
    return made && check_body(c, s->body, &made->body) ? made : NULL;
}

static ir_stmt *check_if(lang_compiler *c, const lang_stmt *s)
{
    ir_stmt *made = lang_tree_stmt(c, IR_STMT_IF, 0, s->at);
    if (!made) return NULL;
    made->value = lang_truth(c, lang_check(c, s->value));
    bool ok = made->value;
    if (!lang_recover(c)) return NULL;
    ok = check_body(c, s->body, &made->body) && ok;
    ok = check_body(c, s->other, &made->other) && ok;
    return ok ? made : NULL;
}

/* The start or step of a loop: one assignment to a variable. */
static ir_stmt *check_loop_part(lang_compiler *c, const lang_stmt *s)
{
    ir_stmt *made = NULL;
    if (s->kind == LANG_STMT_DECLARE) {
        if (lang_check_declared(c, &s->declared, false, &made)) return made;
        lang_forgive(c, s->declared.name);
        return NULL;
    }
    made = lang_check_assign(c, s);
    if (!made || made->kind == IR_STMT_ASSIGN) return made;
    lang_error(c, s->at, "a loop counts with a variable");
    lang_hint(c, "as in 'for (int q = 0; q < 9; q++)'");
    return NULL;
}

static bool check_loop(lang_compiler *c, const lang_stmt *s, ir_stmt *made)
{
    bool ok = (made->init = check_loop_part(c, s->init)) &&
              (made->value = lang_truth(c, lang_check(c, s->value))) &&
              (made->step = check_loop_part(c, s->step));
    if (!lang_recover(c)) return false;
    c->loops++;
    bool body = check_body(c, s->body, &made->body);
    c->loops--;
    return body && ok;
}

static ir_stmt *check_for(lang_compiler *c, const lang_stmt *s)
{
    ir_stmt *made = lang_tree_stmt(c, IR_STMT_FOR, 0, s->at);
    lang_scope scope = lang_scope_enter(c);
    bool ok = made && check_loop(c, s, made);
    lang_scope_leave(c, scope);
    return ok ? made : NULL;
}

static ir_stmt *check_leave(lang_compiler *c, const lang_stmt *s)
{
    bool breaks = s->kind == LANG_STMT_BREAK;
    if (c->loops) return lang_tree_stmt(c, breaks ? IR_STMT_BREAK : IR_STMT_CONTINUE, 0, s->at);
    if (c->neighbours) {
        lang_error(c, s->at, "a loop over neighbours has no '%s'", breaks ? "break" : "continue");
        lang_hint(c, "it runs over all of them: put what some leave out under an 'if'");
        return NULL;
    }
    lang_error(c, s->at, "'%s' stands in no loop", breaks ? "break" : "continue");
    lang_hint(c, "'return;' ends a kernel at this point");
    return NULL;
}

static ir_stmt *check_return(lang_compiler *c, const lang_stmt *s)
{
    if (!c->helper && !s->value) return lang_tree_stmt(c, IR_STMT_RETURN, -1, s->at);
    if (!c->helper) {
        lang_error(c, s->at, "a kernel does not return a value");
        lang_hint(c, "write 'return;' to end it at this point; values go to 'out' parameters");
        return NULL;
    }
    if (!s->value) {
        lang_error(c, s->at, "'return' needs a value: helper '%s' is %s", c->helper->name->text,
                   ir_types[c->helper->type].name);
        return NULL;
    }
    ir_expr *value = lang_convert_assigned(c, lang_check(c, s->value), c->helper->type);
    ir_stmt *made = value ? lang_tree_stmt(c, IR_STMT_RETURN, c->result, s->at) : NULL;
    if (made) made->value = value;
    return made;
}

static ir_stmt *check_assert(lang_compiler *c, const lang_stmt *s)
{
    ir_expr *value = lang_truth(c, lang_check(c, s->value));
    ir_stmt *made = value ? lang_tree_stmt(c, IR_STMT_ASSERT, 0, s->at) : NULL;
    if (!made) return NULL;
    made->value = value;
    made->text = s->text;
    return made;
}

static bool check_statement(lang_compiler *c, const lang_stmt *s, ir_stmt **out)
{
    switch (s->kind) {
    case LANG_STMT_DECLARE: return lang_check_declared(c, &s->declared, false, out);
    case LANG_STMT_ASSIGN: return (*out = lang_check_assign(c, s)) != NULL;
    case LANG_STMT_IF: return (*out = check_if(c, s)) != NULL;
    case LANG_STMT_FOR: return (*out = check_for(c, s)) != NULL;
    case LANG_STMT_NEIGHBOURS: return (*out = lang_check_neighbours(c, s)) != NULL;
    case LANG_STMT_BREAK:
    case LANG_STMT_CONTINUE: return (*out = check_leave(c, s)) != NULL;
    case LANG_STMT_BLOCK: return (*out = check_block(c, s)) != NULL;
    case LANG_STMT_RETURN: return (*out = check_return(c, s)) != NULL;
    case LANG_STMT_ASSERT: return (*out = check_assert(c, s)) != NULL;
    case LANG_STMT_INTERVAL: break;
    }
    return false;
}

/* After a statement with an error: names that it declares are not reported as unknown. */
static bool recover(lang_compiler *c, const lang_stmt *s, ir_stmt **out)
{
    *out = NULL;
    if (s->kind == LANG_STMT_DECLARE) lang_forgive(c, s->declared.name);
    return lang_recover(c);
}

bool lang_check_statements(lang_compiler *c, const lang_stmt *s, ir_stmt **out)
{
    bool all = true;
    for (; s; s = s->next) {
        if (!lang_enter(c, s->at)) return false;
        bool ok = s->kind == LANG_STMT_INTERVAL ? lang_check_intervals(c, &s, out)
                                                : check_statement(c, s, out);
        lang_leave(c);
        if (!ok && !recover(c, s, out)) return false;
        all = all && ok;
        while (*out) out = &(*out)->next;
    }
    return all;
}

bool lang_always_returns(const lang_stmt *s)
{
    for (; s; s = s->next) {
        if (s->kind == LANG_STMT_RETURN) return true;
        if (s->kind == LANG_STMT_BLOCK && lang_always_returns(s->body)) return true;
        if (s->kind == LANG_STMT_IF && lang_always_returns(s->body) &&
            lang_always_returns(s->other))
            return true;
    }
    return false;
}
