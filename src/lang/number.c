/* Literals. Integers are int, or long when too large for it or with an L. Floating literals are
 * rounded once, to double and to float, whatever the locale. */
#include "lang/parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The text behind the first 40 bytes of a text of which only these are shown: "...", or nothing. */
static const char *cut(const char *text) { return strlen(text) > 40 ? "..." : ""; }

static bool is_hexadecimal(const char *text)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

static bool is_floating(const char *text)
{
    return strpbrk(text, is_hexadecimal(text) ? ".pP" : ".eE") != NULL;
}

static int digit_value(char digit)
{
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return 99;
}

static bool bad_suffix(lang_compiler *c, const char *text, const char *suffix)
{
    lang_error(c, c->token.at, "'%.40s%s' is not a number", text, cut(text));
    if (strpbrk(suffix, "uU")) return lang_hint(c, "there are no unsigned numbers");
    if (!strcmp(suffix, "f") || !strcmp(suffix, "F"))
        return lang_hint(c, "a float literal has a point: '%.*s.0f'", (int)(suffix - text), text);
    if (!strcmp(suffix, "LL") || !strcmp(suffix, "ll"))
        return lang_hint(c, "'long' has 64 bits: write '%.*sL'", (int)(suffix - text), text);
    if (!strcmp(suffix, "L") || !strcmp(suffix, "l"))
        return lang_hint(c, "there is no long double");
    return false;
}

/* integer = ("0x" hexadecimal digits | "0" octal digits | decimal digits) ["L" | "l"] */
static bool parse_integer_literal(lang_compiler *c, const char *text, lang_expr *e)
{
    int base = is_hexadecimal(text) ? 16 : text[0] == '0' ? 8 : 10;
    const char *p = text + (base == 16 ? 2 : 0);
    const char *first = p;
    int64_t value = 0;
    bool large = false;
    for (; digit_value(*p) < base; p++) {
        int digit = digit_value(*p);
        large = large || value > (INT64_MAX - digit) / base;
        if (!large) value = value * base + digit;
    }
    if (base == 8 && (*p == '8' || *p == '9')) {
        lang_error(c, c->token.at, "'%.40s%s' is not a number", text, cut(text));
        return lang_hint(c, "a number that begins with 0 is octal, as in C");
    }
    bool suffix = !strcmp(p, "L") || !strcmp(p, "l");
    if (p == first || (*p && !suffix)) return bad_suffix(c, text, p);
    if (large)
        return lang_error(c, c->token.at, "'%.40s%s' is too large for long", text, cut(text));
    e->type = suffix || value > INT32_MAX ? IR_I64 : IR_I32;
    e->flexible = !suffix;
    e->value = ir_value_of_int(e->type, value);
    return true;
}

/* floating = C's, decimal or hexadecimal, ["f" | "F"] */
static bool parse_floating_literal(lang_compiler *c, const char *text, lang_expr *e)
{
    if (is_hexadecimal(text) && !strpbrk(text, "pP")) {
        lang_error(c, c->token.at, "'%.40s%s' is not a number", text, cut(text));
        return lang_hint(c, "a hexadecimal floating literal has an exponent, as in '0x1.8p0'");
    }
    char *end;
    locale_t around;
    if (!plain_locale_enter(&around)) return lang_no_memory(c);
    double wide = strtod(text, &end);
    float single = strtof(text, NULL);
    plain_locale_leave(around);
    bool suffix = !strcmp(end, "f") || !strcmp(end, "F");
    if (end == text || (*end && !suffix)) return bad_suffix(c, text, end);
    if (isinf(suffix ? (double)single : wide))
        return lang_error(c, c->token.at, "'%.40s%s' is too large for %s", text, cut(text),
                          suffix ? "float" : "double");
    e->type = suffix ? IR_F32 : IR_F64;
    e->flexible = !suffix;
    e->f32_value = ir_value_of_double(IR_F32, (double)single);
    e->value = suffix ? e->f32_value : ir_value_of_double(IR_F64, wide);
    return true;
}

lang_expr *lang_parse_number(lang_compiler *c)
{
    const lang_token *token = &c->token;
    char *text = arena_copy_text(&c->syntax, lang_token_text(c, token), token->length);
    if (!text) {
        lang_no_memory(c);
        return NULL;
    }
    lang_expr *e = lang_make(c, sizeof *e, token->at);
    if (!e) return NULL;
    e->kind = LANG_EXPR_LITERAL;
    e->at = token->at;
    bool parsed =
        is_floating(text) ? parse_floating_literal(c, text, e) : parse_integer_literal(c, text, e);
    if (!parsed) return NULL;
    lang_advance(c);
    return e;
}
