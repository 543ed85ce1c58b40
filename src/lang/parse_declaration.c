/* Names, lengths and declarations to syntax. */
#include "lang/parse.h"

lang_stmt *lang_make_stmt(lang_compiler *c, lang_stmt_kind kind, uint32_t at)
{
    lang_stmt *s = lang_make(c, sizeof *s, at);
    if (!s) return NULL;
    s->kind = kind;
    s->at = at;
    return s;
}

/* Appends statements to the list that ends at **tail. */
bool lang_append_stmt(lang_stmt ***tail, lang_stmt *s)
{
    if (!s) return false;
    **tail = s;
    while (**tail) *tail = &(**tail)->next;
    return true;
}

bool lang_parse_name(lang_compiler *c, const char *what, lang_name **name, uint32_t *at)
{
    bool word = c->token.kind == LANG_TOKEN_WORD;
    if (c->token.kind != LANG_TOKEN_NAME) {
        if (word) lang_forgive(c, c->token.name);
        lang_unexpected(c, what);
        return word && lang_hint(c, "'%s' is a word of the language", c->token.name->text);
    }
    *name = c->token.name;
    *at = c->token.at;
    lang_advance(c);
    return true;
}

/* lengths = "[" [expression] "]" ["[" expression "]" ["[" expression "]"]] */
bool lang_parse_lengths(lang_compiler *c, lang_expr *lengths[3])
{
    lang_advance(c);
    if (!lang_is_sign(&c->token, LANG_SIGN_INDEX_CLOSE)) {
        lengths[0] = lang_parse_expression(c);
        if (!lengths[0]) return false;
    }
    if (!lang_expect(c, LANG_SIGN_INDEX_CLOSE, "after the length")) return false;
    for (int i = 1; i < 3; i++) {
        if (!lang_accept(c, LANG_SIGN_INDEX_OPEN)) return true;
        lengths[i] = lang_parse_expression(c);
        if (!lengths[i] || !lang_expect(c, LANG_SIGN_INDEX_CLOSE, "after the length")) return false;
    }
    if (!lang_is_sign(&c->token, LANG_SIGN_INDEX_OPEN)) return true;
    lang_error(c, c->token.at, "tables and arrays have at most three indices");
    return lang_hint(c, "put two into one, as in 'm[i][j][4*k + l]' of 'm[2][3][16]'");
}

static lang_expr *parse_braced(lang_compiler *c, const char *end);

/* rows = "{" braced {"," "{" braced} [","] "}" */
static lang_expr *parse_rows(lang_compiler *c)
{
    lang_expr *first = NULL, **tail = &first;
    do {
        if (first && lang_is_sign(&c->token, LANG_SIGN_BLOCK_CLOSE)) break;
        lang_expr *row = lang_make(c, sizeof *row, c->token.at);
        if (!row) return NULL;
        *row = (lang_expr){.kind = LANG_EXPR_ROW, .at = c->token.at};
        if (!lang_expect(c, LANG_SIGN_BLOCK_OPEN, "before a row")) return NULL;
        row->arg[1] = parse_braced(c, "after the row");
        if (!row->arg[1]) return NULL;
        *tail = row;
        tail = &row->next;
    } while (lang_accept(c, LANG_SIGN_COMMA));
    return lang_expect(c, LANG_SIGN_BLOCK_CLOSE, "after the rows") ? first : NULL;
}

/* braced = (list | rows) "}" */
static lang_expr *parse_braced(lang_compiler *c, const char *end)
{
    if (!lang_is_sign(&c->token, LANG_SIGN_BLOCK_OPEN))
        return lang_parse_list(c, LANG_SIGN_BLOCK_CLOSE, end);
    if (!lang_enter(c, c->token.at)) return NULL;
    lang_expr *rows = parse_rows(c);
    lang_leave(c);
    return rows;
}

/* initialiser = "=" (expression | "{" list "}" | "{" rows) */
static bool parse_initialiser(lang_compiler *c, lang_declared *d)
{
    if (!lang_accept(c, LANG_SIGN_ASSIGN)) return true;
    d->braced = lang_accept(c, LANG_SIGN_BLOCK_OPEN);
    d->value = d->braced ? parse_braced(c, "after the initialisers") : lang_parse_expression(c);
    return d->value;
}

/* declarator = name [length] [initialiser] */
static lang_stmt *parse_declarator(lang_compiler *c, ir_type type, bool constant)
{
    lang_stmt *s = lang_make_stmt(c, LANG_STMT_DECLARE, c->token.at);
    if (!s) return NULL;
    lang_declared *d = &s->declared;
    d->type = type;
    if (!lang_note_real(c, &d->type)) return NULL;
    d->constant = constant;
    if (lang_is_sign(&c->token, LANG_SIGN_MUL)) {
        lang_error(c, c->token.at, "there are no pointers");
        lang_hint(c, LANG_VALUES_HINT);
        return NULL;
    }
    if (!lang_parse_name(c, constant ? "the name of a constant" : "the name of a variable",
                         &d->name, &d->at))
        return NULL;
    d->array = lang_is_sign(&c->token, LANG_SIGN_INDEX_OPEN);
    if (d->array && !lang_parse_lengths(c, d->lengths)) return NULL;
    return parse_initialiser(c, d) ? s : NULL;
}

/* declarators = declarator {"," declarator} ";" */
lang_stmt *lang_parse_declarators(lang_compiler *c, ir_type type, bool constant)
{
    lang_stmt *first = NULL, **tail = &first;
    do
        if (!lang_append_stmt(&tail, parse_declarator(c, type, constant))) return NULL;
    while (lang_accept(c, LANG_SIGN_COMMA));
    return lang_expect(c, LANG_SIGN_SEMICOLON, "after the declaration") ? first : NULL;
}

/* declaration = ["const"] type declarators */
lang_stmt *lang_parse_declaration(lang_compiler *c)
{
    bool constant = lang_accept_word(c, LANG_WORD_CONST);
    ir_type type;
    return lang_parse_type(c, &type) ? lang_parse_declarators(c, type, constant) : NULL;
}

bool lang_at_declaration(const lang_compiler *c)
{
    return lang_is_type(&c->token) || lang_is_word(&c->token, LANG_WORD_CONST);
}
