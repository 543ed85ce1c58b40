/* Statements to syntax. */
#include "lang/parse.h"

#include <string.h>

static bool parse_statement(lang_compiler *c, lang_stmt ***tail);

/* ---- assignments ----------------------------------------------------------------------------- */

static bool is_step(const lang_token *token)
{
    return lang_is_sign(token, LANG_SIGN_INCREMENT) || lang_is_sign(token, LANG_SIGN_DECREMENT);
}

static bool is_assignment(const lang_token *token)
{
    return token->kind == LANG_TOKEN_SIGN &&
           (token->sign <= LANG_SIGN_XOR_ASSIGN || token->sign == LANG_SIGN_ASSIGN);
}

/* Whether a declaration with a wrong type is meant, as in "duoble x = 1" or "size_t n;". */
static bool looks_like_type(const lang_compiler *c, const lang_expr *e)
{
    if (e->kind != LANG_EXPR_NAME || c->token.kind != LANG_TOKEN_NAME) return false;
    return strstr(e->name->text, "_t") || lang_is_near_type(e->name->text) ||
           lang_is_sign(&c->next, LANG_SIGN_ASSIGN) || lang_is_sign(&c->next, LANG_SIGN_INDEX_OPEN);
}

static lang_stmt *unknown_type(lang_compiler *c, const lang_expr *e)
{
    static const char *const words[] = {"else", "const", "return"};
    lang_error(c, e->at, "unknown type '%s'", e->name->text);
    if (!lang_suggest_type(c, e->name->text) &&
        lang_suggest(c, e->name->text, words, COUNT_OF(words)))
        return NULL;
    lang_hint(c, "the types are " LANG_TYPE_NAMES);
    return NULL;
}

static lang_stmt *not_used(lang_compiler *c, const lang_expr *e)
{
    if (looks_like_type(c, e)) return unknown_type(c, e);
    bool complete = lang_is_sign(&c->token, LANG_SIGN_SEMICOLON);
    if (!complete) {
        static const char *const words[] = {"return", "else"};
        lang_expect(c, LANG_SIGN_ASSIGN, "or another assignment");
        if (e->kind == LANG_EXPR_NAME) lang_suggest(c, e->name->text, words, COUNT_OF(words));
        return NULL;
    }
    lang_error(c, e->at, "this statement does nothing: its value is not used");
    if (e->kind == LANG_EXPR_BINARY && e->sign == LANG_SIGN_EQ)
        lang_hint(c, "an assignment is written '='");
    return NULL;
}

static lang_expr *one(lang_compiler *c, uint32_t at)
{
    lang_expr *e = lang_make(c, sizeof *e, at);
    if (!e) return NULL;
    *e = (lang_expr){.kind = LANG_EXPR_LITERAL, .type = IR_I32, .flexible = true, .at = at};
    e->value = ir_value_of_int(IR_I32, 1);
    return e;
}

/* step = ("++" | "--") */
static bool parse_step(lang_compiler *c, lang_stmt *s)
{
    s->sign = c->token.sign;
    s->value = one(c, c->token.at);
    lang_advance(c);
    return s->value;
}

/* assignment = expression ("=" | "+=" | ...) expression | expression step | step expression */
static lang_stmt *parse_assignment(lang_compiler *c)
{
    lang_stmt *s = lang_make_stmt(c, LANG_STMT_ASSIGN, c->token.at);
    if (!s) return NULL;
    bool prefix = is_step(&c->token);
    if (prefix && !parse_step(c, s)) return NULL;
    s->target = lang_parse_expression(c);
    if (!s->target || prefix) return s->target ? s : NULL;
    if (is_step(&c->token)) return parse_step(c, s) ? s : NULL;
    if (!is_assignment(&c->token)) return not_used(c, s->target);
    s->sign = c->token.sign;
    lang_advance(c);
    s->value = lang_parse_expression(c);
    return s->value ? s : NULL;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* The statement of an if, else or for. */
static bool parse_body(lang_compiler *c, lang_stmt **body)
{
    lang_stmt **tail = body;
    if (!lang_at_declaration(c)) return parse_statement(c, &tail);
    lang_error(c, c->token.at, "a declaration cannot stand alone here");
    return lang_hint(c, "nothing could use it: put a block '{ ... }' around it and what uses it");
}

/* condition = "(" expression ")" */
static lang_expr *parse_condition(lang_compiler *c)
{
    lang_advance(c);
    if (!lang_expect(c, LANG_SIGN_PAREN_OPEN, "after 'if'")) return NULL;
    lang_expr *e = lang_parse_expression(c);
    return e && lang_expect(c, LANG_SIGN_PAREN_CLOSE, "after the condition") ? e : NULL;
}

/* if = "if" condition statement ["else" statement] */
static lang_stmt *parse_if(lang_compiler *c)
{
    lang_stmt *s = lang_make_stmt(c, LANG_STMT_IF, c->token.at);
    if (!s) return NULL;
    s->value = parse_condition(c);
    if (!s->value || !parse_body(c, &s->body)) return NULL;
    if (!lang_accept_word(c, LANG_WORD_ELSE)) return s;
    return parse_body(c, &s->other) ? s : NULL;
}

static bool needs_loop_part(lang_compiler *c, lang_sign empty)
{
    if (!lang_is_sign(&c->token, empty)) return true;
    lang_error(c, c->token.at, "a loop needs a start, a condition and a step");
    return lang_hint(c, "as in 'for (int q = 0; q < 9; q++)'");
}

/* start = type name "=" expression ";" | assignment ";"; the type may have been parsed. */
static lang_stmt *parse_start(lang_compiler *c, bool typed, ir_type type)
{
    if (!needs_loop_part(c, LANG_SIGN_SEMICOLON)) return NULL;
    if (!typed && !lang_at_declaration(c)) {
        lang_stmt *s = parse_assignment(c);
        return s && lang_expect(c, LANG_SIGN_SEMICOLON, "after the start of the loop") ? s : NULL;
    }
    lang_stmt *s = typed ? lang_parse_declarators(c, type, false) : lang_parse_declaration(c);
    if (!s) return NULL;
    const lang_declared *d = &s->declared;
    if (!s->next && !d->constant && !d->array && !d->braced && d->value) return s;
    lang_error(c, s->next ? s->next->at : s->at,
               "a loop declares one variable, with its first value");
    lang_hint(c, "as in 'for (int q = 0; q < 9; q++)'");
    return NULL;
}

/* counting = start expression ";" assignment ")" */
static bool parse_counting(lang_compiler *c, lang_stmt *s, bool typed, ir_type type)
{
    s->init = parse_start(c, typed, type);
    if (!s->init || !needs_loop_part(c, LANG_SIGN_SEMICOLON)) return false;
    s->value = lang_parse_expression(c);
    if (!s->value || !lang_expect(c, LANG_SIGN_SEMICOLON, "after the condition of the loop"))
        return false;
    if (!needs_loop_part(c, LANG_SIGN_PAREN_CLOSE)) return false;
    s->step = parse_assignment(c);
    return s->step && lang_expect(c, LANG_SIGN_PAREN_CLOSE, "after the step of the loop");
}

/* for = "for" "(" (counting | neighbours) statement */
static lang_stmt *parse_for(lang_compiler *c)
{
    lang_stmt *s = lang_make_stmt(c, LANG_STMT_FOR, c->token.at);
    lang_advance(c);
    if (!s || !lang_expect(c, LANG_SIGN_PAREN_OPEN, "after 'for'")) return NULL;
    bool typed = lang_is_type(&c->token);
    uint32_t at = c->token.at;
    ir_type type = IR_BOOL;
    if (typed && !lang_parse_type(c, &type)) return NULL;
    bool ok = lang_at_neighbours(c, typed) ? lang_parse_neighbours(c, s, typed, at, type)
                                           : parse_counting(c, s, typed, type);
    return ok && parse_body(c, &s->body) ? s : NULL;
}

/* return = "return" [expression] ";" */
static lang_stmt *parse_return(lang_compiler *c)
{
    lang_stmt *s = lang_make_stmt(c, LANG_STMT_RETURN, c->token.at);
    lang_advance(c);
    if (!s || lang_accept(c, LANG_SIGN_SEMICOLON)) return s;
    s->value = lang_parse_expression(c);
    return s->value && lang_expect(c, LANG_SIGN_SEMICOLON, "after the value") ? s : NULL;
}

/* leave = ("break" | "continue") ";" */
static lang_stmt *parse_leave(lang_compiler *c, lang_stmt_kind kind, const char *word)
{
    lang_stmt *s = lang_make_stmt(c, kind, c->token.at);
    lang_advance(c);
    return s && lang_expect(c, LANG_SIGN_SEMICOLON, word) ? s : NULL;
}

/* assert = "assert" "(" expression ["," text] ")" ";" */
static lang_stmt *parse_assert(lang_compiler *c)
{
    lang_stmt *s = lang_make_stmt(c, LANG_STMT_ASSERT, c->token.at);
    lang_advance(c);
    if (!s || !lang_expect(c, LANG_SIGN_PAREN_OPEN, "after 'assert'")) return NULL;
    s->value = lang_parse_expression(c);
    if (!s->value) return NULL;
    if (lang_is_sign(&c->token, LANG_SIGN_COMMA)) {
        if (!lang_string_follows(c)) {
            lang_advance(c);
            lang_unexpected(c, "a text in double quotes");
            return NULL;
        }
        s->text = lang_take_string(c);
        if (!s->text) return NULL;
    }
    return lang_expect(c, LANG_SIGN_PAREN_CLOSE, "after the condition") &&
                   lang_expect(c, LANG_SIGN_SEMICOLON, "after the assert")
               ? s
               : NULL;
}

/* interval = "interval" "[" expression "," expression ")" block */
static lang_stmt *parse_interval(lang_compiler *c)
{
    bool ok = false;
    lang_stmt *s = lang_make_stmt(c, LANG_STMT_INTERVAL, c->token.at);
    lang_advance(c);
    if (!s || !lang_expect(c, LANG_SIGN_INDEX_OPEN, "before the interval")) return NULL;
    s->target = lang_parse_expression(c);
    if (!s->target || !lang_expect(c, LANG_SIGN_COMMA, "after the first bound")) return NULL;
    s->value = lang_parse_expression(c);
    if (!s->value) return NULL;
    if (!lang_expect(c, LANG_SIGN_PAREN_CLOSE, "after the interval")) {
        lang_hint(c, "the second bound is not part of it: 'interval [0, 1) { ... }'");
        return NULL;
    }
    s->body = lang_parse_block(c, &ok);
    return ok ? s : NULL;
}

static lang_stmt *parse_inner_block(lang_compiler *c)
{
    lang_stmt *s = lang_make_stmt(c, LANG_STMT_BLOCK, c->token.at);
    bool ok = false;
    if (s) s->body = lang_parse_block(c, &ok);
    return ok ? s : NULL;
}

/* Whether "fro (...)" or "fi (...)" stands here; a call alone is no statement. */
static bool is_misspelt_word(lang_compiler *c)
{
    static const char *const words[] = {"for", "if"};
    if (c->token.kind != LANG_TOKEN_NAME || !lang_is_sign(&c->next, LANG_SIGN_PAREN_OPEN))
        return false;
    const char *name = c->token.name->text;
    if (!nearest_name(name, words, COUNT_OF(words))) return false;
    lang_error(c, c->token.at, "unknown statement '%s'", name);
    lang_suggest(c, name, words, COUNT_OF(words));
    return true;
}

static lang_stmt *parse_simple(lang_compiler *c)
{
    if (is_misspelt_word(c)) return NULL;
    lang_stmt *s = parse_assignment(c);
    return s && lang_expect(c, LANG_SIGN_SEMICOLON, "after the assignment") ? s : NULL;
}

static lang_stmt *parse_kind_of_statement(lang_compiler *c)
{
    if (lang_is_sign(&c->token, LANG_SIGN_BLOCK_OPEN)) return parse_inner_block(c);
    if (lang_is_word(&c->token, LANG_WORD_IF)) return parse_if(c);
    if (lang_is_word(&c->token, LANG_WORD_FOR)) return parse_for(c);
    if (lang_is_word(&c->token, LANG_WORD_RETURN)) return parse_return(c);
    if (lang_is_word(&c->token, LANG_WORD_BREAK))
        return parse_leave(c, LANG_STMT_BREAK, "after 'break'");
    if (lang_is_word(&c->token, LANG_WORD_CONTINUE))
        return parse_leave(c, LANG_STMT_CONTINUE, "after 'continue'");
    if (lang_is_word(&c->token, LANG_WORD_ASSERT)) return parse_assert(c);
    if (lang_is_word(&c->token, LANG_WORD_INTERVAL)) return parse_interval(c);
    return lang_at_declaration(c) ? lang_parse_declaration(c) : parse_simple(c);
}

/* statement = ";" | block | if | for | leave | return | assert | interval | declaration |
 * assignment ";" */
static bool parse_statement(lang_compiler *c, lang_stmt ***tail)
{
    if (lang_accept(c, LANG_SIGN_SEMICOLON)) return true;
    if (!lang_enter(c, c->token.at)) return false;
    bool ok = lang_append_stmt(tail, parse_kind_of_statement(c));
    lang_leave(c);
    return ok;
}

static void not_closed(lang_compiler *c, uint32_t open)
{
    lang_unexpected(c, "'}' after the statements");
    lang_note(c, open, "the '{' is here");
}

/* block = "{" {statement} "}" */
lang_stmt *lang_parse_block(lang_compiler *c, bool *ok)
{
    lang_stmt *first = NULL, **tail = &first;
    uint32_t open = c->token.at;
    bool damaged = *ok = false;
    if (!lang_expect(c, LANG_SIGN_BLOCK_OPEN, "before the statements")) return NULL;
    while (!lang_accept(c, LANG_SIGN_BLOCK_CLOSE)) {
        if (lang_at_function_end(c)) {
            if (!damaged) not_closed(c, open);
            return NULL;
        }
        if (parse_statement(c, &tail)) continue;
        lang_skip_statement(c);
        if (lang_at_function_end(c) || !lang_resume(c)) return NULL;
        damaged = c->damaged = true;
    }
    *ok = true;
    return first;
}
