/* Expressions to syntax, by precedence climbing. */
#include "lang/parse.h"

static lang_expr *make(lang_compiler *c, lang_expr_kind kind, uint32_t at)
{
    lang_expr *e = lang_make(c, sizeof *e, at);
    if (!e) return NULL;
    e->kind = kind;
    e->at = at;
    return e;
}

/* list = expression {"," expression} [","], the last comma in braces only */
lang_expr *lang_parse_list(lang_compiler *c, lang_sign close, const char *where)
{
    lang_expr *first = NULL, **tail = &first;
    do {
        bool end = first && close == LANG_SIGN_BLOCK_CLOSE && lang_is_sign(&c->token, close);
        if (end) break;
        *tail = lang_parse_expression(c);
        if (!*tail) return NULL;
        tail = &(*tail)->next;
    } while (lang_accept(c, LANG_SIGN_COMMA));
    return lang_expect(c, close, where) ? first : NULL;
}

/* call = name "(" [list] ")" */
static lang_expr *parse_call(lang_compiler *c, lang_expr *e)
{
    lang_advance(c);
    e->kind = LANG_EXPR_CALL;
    if (lang_accept(c, LANG_SIGN_PAREN_CLOSE)) return e;
    e->arg[1] = lang_parse_list(c, LANG_SIGN_PAREN_CLOSE, "after the arguments");
    return e->arg[1] ? e : NULL;
}

static lang_expr *parse_name(lang_compiler *c)
{
    lang_expr *e = make(c, LANG_EXPR_NAME, c->token.at);
    if (!e) return NULL;
    e->name = c->token.name;
    lang_advance(c);
    return lang_is_sign(&c->token, LANG_SIGN_PAREN_OPEN) ? parse_call(c, e) : e;
}

static lang_expr *parse_bool(lang_compiler *c)
{
    lang_expr *e = make(c, LANG_EXPR_LITERAL, c->token.at);
    if (!e) return NULL;
    e->type = IR_BOOL;
    e->value = ir_value_of_int(IR_BOOL, lang_is_word(&c->token, LANG_WORD_TRUE));
    lang_advance(c);
    return e;
}

static lang_expr *parse_parenthesis(lang_compiler *c)
{
    lang_advance(c);
    lang_expr *e = lang_parse_expression(c);
    return e && lang_expect(c, LANG_SIGN_PAREN_CLOSE, "after the expression") ? e : NULL;
}

static lang_expr *not_an_expression(lang_compiler *c)
{
    bool is_type = lang_is_type(&c->token);
    const char *type = is_type ? c->token.name->text : "";
    if (c->token.kind == LANG_TOKEN_WORD && lang_forgiven_word(c, c->token.name)) return NULL;
    lang_unexpected(c, "an expression");
    if (is_type) lang_hint(c, "a conversion is written '(%s)x'", type);
    if (lang_is_word(&c->token, LANG_WORD_ELSE))
        lang_hint(c, "an 'else' follows the one statement or block of its 'if'");
    return NULL;
}

/* primary = number | "true" | "false" | name | call | "(" expression ")" */
static lang_expr *parse_primary(lang_compiler *c)
{
    if (c->token.kind == LANG_TOKEN_NUMBER) return lang_parse_number(c);
    if (c->token.kind == LANG_TOKEN_NAME) return parse_name(c);
    if (lang_is_sign(&c->token, LANG_SIGN_PAREN_OPEN)) return parse_parenthesis(c);
    bool is_bool =
        lang_is_word(&c->token, LANG_WORD_TRUE) || lang_is_word(&c->token, LANG_WORD_FALSE);
    return is_bool ? parse_bool(c) : not_an_expression(c);
}

/* postfix = primary {"[" list "]"} */
static lang_expr *parse_postfix(lang_compiler *c)
{
    lang_expr *e = parse_primary(c);
    while (e && lang_is_sign(&c->token, LANG_SIGN_INDEX_OPEN)) {
        lang_expr *indexed = make(c, LANG_EXPR_INDEX, c->token.at);
        if (!indexed) return NULL;
        lang_advance(c);
        indexed->arg[0] = e;
        indexed->arg[1] = lang_parse_list(c, LANG_SIGN_INDEX_CLOSE, "after the index");
        e = indexed->arg[1] ? indexed : NULL;
    }
    return e;
}

static lang_expr *parse_unary(lang_compiler *c);

static lang_expr *parse_operand(lang_compiler *c, lang_expr *e)
{
    if (!e || !lang_enter(c, e->at)) return NULL;
    e->arg[0] = parse_unary(c);
    lang_leave(c);
    return e->arg[0] ? e : NULL;
}

static lang_expr *parse_cast(lang_compiler *c)
{
    lang_expr *e = make(c, LANG_EXPR_CAST, c->token.at);
    lang_advance(c);
    if (!e || !lang_parse_type(c, &e->type) || !lang_note_real(c, &e->type)) return NULL;
    if (!lang_expect(c, LANG_SIGN_PAREN_CLOSE, "after the type")) return NULL;
    return parse_operand(c, e);
}

/* Whether the second star of 'x**2' stands here. */
static bool is_power(const lang_compiler *c)
{
    return lang_is_sign(&c->token, LANG_SIGN_MUL) && c->previous_end == c->token.at &&
           c->token.at > c->source->start && lang_token_text(c, &c->token)[-1] == '*';
}

static lang_expr *no_pointers(lang_compiler *c)
{
    bool power = is_power(c);
    lang_unexpected(c, "an expression");
    lang_hint(c, "%s", power ? LANG_POWER_HINT : "there are no pointers: " LANG_VALUES_HINT);
    return NULL;
}

/* unary = ("-" | "+" | "!" | "~" | "(" type ")") unary | postfix */
static lang_expr *parse_unary(lang_compiler *c)
{
    if (lang_is_sign(&c->token, LANG_SIGN_PAREN_OPEN) && lang_is_type(&c->next))
        return parse_cast(c);
    if (c->token.kind != LANG_TOKEN_SIGN) return parse_postfix(c);
    lang_sign sign = c->token.sign;
    if (sign == LANG_SIGN_MUL || sign == LANG_SIGN_AND) return no_pointers(c);
    if (sign != LANG_SIGN_SUB && sign != LANG_SIGN_ADD && sign != LANG_SIGN_NOT &&
        sign != LANG_SIGN_INVERT)
        return parse_postfix(c);
    lang_expr *e = make(c, LANG_EXPR_UNARY, c->token.at);
    if (e) e->sign = sign;
    lang_advance(c);
    return parse_operand(c, e);
}

/* binary(n) = unary {operator of precedence m >= n, binary(m + 1)} */
static lang_expr *parse_binary(lang_compiler *c, int least)
{
    lang_expr *left = parse_unary(c);
    while (left && c->token.kind == LANG_TOKEN_SIGN) {
        int precedence = lang_signs[c->token.sign].precedence;
        if (precedence == 0 || precedence < least) return left;
        lang_expr *e = make(c, LANG_EXPR_BINARY, c->token.at);
        if (!e) return NULL;
        e->sign = c->token.sign;
        lang_advance(c);
        e->arg[0] = left;
        e->arg[1] = parse_binary(c, precedence + 1);
        left = e->arg[1] ? e : NULL;
    }
    return left;
}

static lang_expr *parse_choices(lang_compiler *c, lang_expr *condition)
{
    lang_expr *e = make(c, LANG_EXPR_SELECT, c->token.at);
    if (!e) return NULL;
    lang_advance(c);
    e->arg[0] = condition;
    e->arg[1] = lang_parse_expression(c);
    if (!e->arg[1] || !lang_expect(c, LANG_SIGN_COLON, "after the first choice of '?'"))
        return NULL;
    e->arg[2] = lang_parse_expression(c);
    return e->arg[2] ? e : NULL;
}

/* expression = binary(1) ["?" expression ":" expression] */
lang_expr *lang_parse_expression(lang_compiler *c)
{
    if (!lang_enter(c, c->token.at)) return NULL;
    lang_expr *e = parse_binary(c, 1);
    if (e && lang_is_sign(&c->token, LANG_SIGN_QUESTION)) e = parse_choices(c, e);
    lang_leave(c);
    return e;
}
