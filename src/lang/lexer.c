/* Text to tokens, one ahead of the parser. Signs are the longest that match. Comments and
 * white space end tokens and are dropped. A byte order mark at the beginning is skipped. */
#include "lang/compiler.h"

#include <stdio.h>
#include <string.h>

const lang_sign_info lang_signs[LANG_SIGN_COUNT] = {
#define X(name, text, precedence, op) {text, precedence, IR_##op},
    LANG_SIGNS(X)
#undef X
};

static bool is_letter(unsigned char b)
{
    return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b == '_';
}

static bool is_digit(unsigned char b) { return b >= '0' && b <= '9'; }

/* The byte at a position, 0 behind the end. */
static unsigned char byte_at(const lang_compiler *c, size_t position)
{
    size_t p = position - c->source->start;
    return p < c->source->length ? (unsigned char)c->source->text[p] : 0;
}

static bool is_at(const lang_compiler *c, size_t position, const char *text)
{
    for (size_t i = 0; text[i]; i++)
        if (byte_at(c, position + i) != (unsigned char)text[i]) return false;
    return true;
}

static bool is_end(const lang_compiler *c, uint32_t position)
{
    return position - c->source->start >= c->source->length;
}

/* ---- scanning -------------------------------------------------------------------------------- */

static uint32_t line_comment_end(const lang_compiler *c, uint32_t p)
{
    while (!is_end(c, p) && byte_at(c, p) != '\n') p++;
    return p;
}

/* 0 when the comment does not end. */
static uint32_t block_comment_end(const lang_compiler *c, uint32_t p)
{
    for (p += 2; !is_end(c, p); p++)
        if (is_at(c, p, "*/")) return p + 2;
    return 0;
}

/* The first position that is neither white space nor comment. */
static uint32_t skip(const lang_compiler *c, uint32_t p)
{
    for (;;) {
        unsigned char b = byte_at(c, p);
        uint32_t end;
        if (b == ' ' || (b >= '\t' && b <= '\r'))
            p++;
        else if (p == c->source->start && is_at(c, p, "\xEF\xBB\xBF"))
            p += 3;
        else if (is_at(c, p, "//"))
            p = line_comment_end(c, p);
        else if (is_at(c, p, "/*") && (end = block_comment_end(c, p)) != 0)
            p = end;
        else
            return p;
    }
}

static void scan_name(lang_compiler *c, lang_token *token)
{
    while (is_letter(byte_at(c, token->at + token->length)) ||
           is_digit(byte_at(c, token->at + token->length)))
        token->length++;
    token->kind = LANG_TOKEN_BAD;
    if (token->length > LANG_MAX_NAME) return;
    token->name = lang_intern(c, lang_token_text(c, token), token->length);
    lang_word word = token->name ? token->name->word : LANG_WORD_REFUSED;
    token->kind = word == LANG_WORD_NONE      ? LANG_TOKEN_NAME
                  : word == LANG_WORD_REFUSED ? LANG_TOKEN_BAD
                                              : LANG_TOKEN_WORD;
}

/* As in C, wider than any number: letters, digits, points, and signs after an exponent's letter. */
static void scan_number(const lang_compiler *c, lang_token *token)
{
    token->kind = LANG_TOKEN_NUMBER;
    bool hexadecimal = is_at(c, token->at, "0x") || is_at(c, token->at, "0X");
    for (;; token->length++) {
        unsigned char b = byte_at(c, token->at + token->length);
        unsigned char before = token->length ? byte_at(c, token->at + token->length - 1) : 0;
        bool exponent =
            hexadecimal ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
        if (!is_letter(b) && !is_digit(b) && b != '.' && !(exponent && (b == '+' || b == '-')))
            return;
    }
}

static void scan_sign(const lang_compiler *c, lang_token *token)
{
    char first = (char)byte_at(c, token->at);
    for (int sign = 0; sign < LANG_SIGN_COUNT; sign++) {
        if (lang_signs[sign].text[0] != first || !is_at(c, token->at, lang_signs[sign].text))
            continue;
        token->kind = LANG_TOKEN_SIGN;
        token->sign = (lang_sign)sign;
        token->length = (uint32_t)strlen(lang_signs[sign].text);
        return;
    }
}

static lang_token scan(lang_compiler *c)
{
    lang_token token = {.kind = LANG_TOKEN_BAD, .at = skip(c, c->position)};
    unsigned char b = byte_at(c, token.at);
    if (is_end(c, token.at))
        token.kind = LANG_TOKEN_END;
    else if (is_letter(b))
        scan_name(c, &token);
    else if (is_digit(b) || (b == '.' && is_digit(byte_at(c, token.at + 1))))
        scan_number(c, &token);
    else if (!is_at(c, token.at, "/*"))
        scan_sign(c, &token);
    c->position = token.at + token.length;
    return token;
}

/* ---- bad tokens ------------------------------------------------------------------------------ */

static bool report_byte(lang_compiler *c, uint32_t at)
{
    unsigned char b = byte_at(c, at);
    if (b < ' ' || b > '~') {
        lang_error(c, at, "unexpected byte 0x%02x", b);
        return lang_hint(c, "outside comments a kernel file is plain ASCII text");
    }
    lang_error(c, at, "unexpected character '%c'", b);
    if (b == '#')
        return lang_hint(c, "there is no preprocessor: use 'const int n = 9;' for numbers");
    if (b == '"' || b == '\'') return lang_hint(c, "there are no strings and characters");
    return false;
}

static bool report_bad(lang_compiler *c, const lang_token *token)
{
    if (is_at(c, token->at, "/*")) return lang_error(c, token->at, "this comment does not end");
    if (token->length == 0) return report_byte(c, token->at);
    if (token->length > LANG_MAX_NAME)
        return lang_limit(c, token->at, "a name of %u letters; %d are allowed", token->length,
                          (int)LANG_MAX_NAME);
    if (!token->name || lang_forgiven_word(c, token->name)) return false;
    lang_error(c, token->at, "'%s' is not part of the kernel language", token->name->text);
    return lang_hint(c, "%s", token->name->hint);
}

const char *lang_token_text(const lang_compiler *c, const lang_token *token)
{
    return c->source->text + (token->at - c->source->start);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

void lang_advance(lang_compiler *c)
{
    c->previous_end = c->token.at + c->token.length;
    c->token = c->next;
    if (c->token.kind == LANG_TOKEN_BAD)
        report_bad(c, &c->token);
    else if (c->token.kind != LANG_TOKEN_END)
        c->next = scan(c);
}

void lang_lexer_start(lang_compiler *c, const source *s)
{
    c->source = s;
    c->position = s->start;
    c->next = scan(c);
    lang_advance(c);
    c->previous_end = c->token.at;
}

bool lang_is_sign(const lang_token *token, lang_sign sign)
{
    return token->kind == LANG_TOKEN_SIGN && token->sign == sign;
}

bool lang_is_word(const lang_token *token, lang_word word)
{
    return token->kind == LANG_TOKEN_WORD && token->name->word == word;
}

bool lang_is_type(const lang_token *token)
{
    return token->kind == LANG_TOKEN_WORD && token->name->word <= LANG_WORD_REAL;
}

/* ---- after an error -------------------------------------------------------------------------- */

static bool begins_line(const lang_compiler *c, uint32_t at)
{
    return at == c->source->start || byte_at(c, at - 1) == '\n';
}

bool lang_at_definition(const lang_compiler *c)
{
    const lang_token *t = &c->token;
    return (lang_is_word(t, LANG_WORD_KERNEL) || lang_is_word(t, LANG_WORD_STATIC)) &&
           begins_line(c, t->at);
}

bool lang_at_function_end(const lang_compiler *c)
{
    return c->token.kind == LANG_TOKEN_END || lang_at_definition(c);
}

/* Goes to the next token, also behind a bad one. */
static void skip_token(lang_compiler *c)
{
    bool comment = is_at(c, c->token.at, "/*");
    if (c->token.kind == LANG_TOKEN_BAD && comment)
        c->position = c->source->start + (uint32_t)c->source->length;
    if (c->token.kind == LANG_TOKEN_BAD && !c->token.length && !comment) c->position++;
    if (c->token.kind == LANG_TOKEN_BAD) c->next = scan(c);
    lang_advance(c);
}

/* Whether the current token is the last on its line. */
static bool ends_line(const lang_compiler *c)
{
    for (uint32_t p = c->token.at; p < c->next.at; p++)
        if (byte_at(c, p) == '\n') return true;
    return c->next.kind == LANG_TOKEN_END || lang_is_sign(&c->next, LANG_SIGN_BLOCK_CLOSE);
}

/* Goes behind the next ';' at the end of a line, or behind one block, or before the '}' of the
 * block around. */
static void skip_to_end(lang_compiler *c)
{
    for (int depth = 0; !lang_at_function_end(c); skip_token(c)) {
        bool close = lang_is_sign(&c->token, LANG_SIGN_BLOCK_CLOSE);
        bool list = close && lang_is_sign(&c->next, LANG_SIGN_SEMICOLON);
        if (close && !list && depth == 0) return;
        depth += lang_is_sign(&c->token, LANG_SIGN_BLOCK_OPEN) - (close && depth > 0);
        bool end = close || (lang_is_sign(&c->token, LANG_SIGN_SEMICOLON) && ends_line(c));
        if (!end || list || depth > 0) continue;
        skip_token(c);
        return;
    }
}

void lang_skip_statement(lang_compiler *c)
{
    c->failed = true; /* skipped tokens are not reported */
    do skip_to_end(c);
    while (lang_accept_word(c, LANG_WORD_ELSE));
}

void lang_skip_definition(lang_compiler *c)
{
    c->failed = true;
    while (!lang_at_function_end(c) && !((lang_is_word(&c->token, LANG_WORD_CONST) ||
                                          lang_is_word(&c->token, LANG_WORD_IMPORT)) &&
                                         begins_line(c, c->token.at)))
        skip_token(c);
}

bool lang_resume(lang_compiler *c)
{
    if (!lang_recover(c)) return false;
    if (c->token.kind == LANG_TOKEN_BAD) report_bad(c, &c->token);
    return true;
}

/* ---- for the parser -------------------------------------------------------------------------- */

bool lang_accept(lang_compiler *c, lang_sign sign)
{
    if (!lang_is_sign(&c->token, sign)) return false;
    lang_advance(c);
    return true;
}

bool lang_accept_word(lang_compiler *c, lang_word word)
{
    if (!lang_is_word(&c->token, word)) return false;
    lang_advance(c);
    return true;
}

bool lang_string_follows(const lang_compiler *c)
{
    return c->next.kind == LANG_TOKEN_BAD && c->next.length == 0 && byte_at(c, c->next.at) == '"';
}

const char *lang_take_string(lang_compiler *c)
{
    uint32_t first = c->next.at + 1, end = first;
    while (byte_at(c, end) >= ' ' && byte_at(c, end) <= '~' && byte_at(c, end) != '"' &&
           byte_at(c, end) != '\\')
        end++;
    if (byte_at(c, end) != '"') {
        lang_error(c, end, "this text does not end");
        lang_hint(c,
                  "a text stands on one line, in double quotes, and is plain ASCII without '\\'");
        return NULL;
    }
    char *copy = arena_copy_text(&c->module->memory, c->source->text + (first - c->source->start),
                                 end - first);
    if (!copy) lang_no_memory(c);
    c->token = (lang_token){.kind = LANG_TOKEN_BAD, .at = end, .length = 1};
    c->position = end + 1;
    c->next = scan(c);
    lang_advance(c);
    return copy;
}

/* The location of something missing: the current token, or the end of the token before it if that
 * is on an earlier line. */
static uint32_t missing_at(const lang_compiler *c)
{
    for (uint32_t p = c->previous_end; p < c->token.at; p++)
        if (byte_at(c, p) == '\n') return c->previous_end;
    return c->token.at;
}

static void hint_for_sign(lang_compiler *c)
{
    if (lang_is_sign(&c->token, LANG_SIGN_DOT) || lang_is_sign(&c->token, LANG_SIGN_ARROW))
        lang_hint(c, "there are no structures");
    else if (lang_is_sign(&c->token, LANG_SIGN_INCREMENT) ||
             lang_is_sign(&c->token, LANG_SIGN_DECREMENT))
        lang_hint(c, "'%s' is a statement of its own, as in 'n%s;'", lang_signs[c->token.sign].text,
                  lang_signs[c->token.sign].text);
}

static void unexpected_at(lang_compiler *c, uint32_t at, const char *what, const char *where)
{
    const char *space = *where ? " " : "";
    if (c->token.kind == LANG_TOKEN_END)
        lang_error(c, at, "expected %s%s%s, found the end of the %s", what, space, where,
                   c->source == c->constants_text ? "constants" : "file");
    else
        lang_error(c, at, "expected %s%s%s, found '%.*s'", what, space, where,
                   c->token.length < 40 ? (int)c->token.length : 40, lang_token_text(c, &c->token));
    hint_for_sign(c);
}

bool lang_expect(lang_compiler *c, lang_sign sign, const char *where)
{
    if (lang_accept(c, sign)) return true;
    char what[8];
    snprintf(what, sizeof what, "'%s'", lang_signs[sign].text);
    unexpected_at(c, missing_at(c), what, where);
    if (lang_is_sign(&c->token, LANG_SIGN_ASSIGN))
        lang_hint(c, "an assignment is a statement of its own; equality is '=='");
    if (lang_is_sign(&c->token, LANG_SIGN_COMMA)) lang_hint(c, "there is no comma operator");
    return false;
}

bool lang_unexpected(lang_compiler *c, const char *what)
{
    unexpected_at(c, c->token.at, what, "");
    return false;
}
