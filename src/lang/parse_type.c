/* Names of types to types. */
#include "lang/parse.h"

/* The words that name types stand first. */
static const char *const words[] = {
#define X(name, text) text,
    LANG_WORDS(X)
#undef X
};
enum { TYPES = LANG_WORD_REAL + 1 };

bool lang_is_near_type(const char *name) { return nearest_name(name, words, TYPES); }

bool lang_suggest_type(lang_compiler *c, const char *name)
{
    return lang_suggest(c, name, words, TYPES);
}

bool lang_parse_type(lang_compiler *c, ir_type *type)
{
    if (!lang_is_type(&c->token)) {
        lang_unexpected(c, "a type (bool, uchar, ushort, short, int, long, float, double or real)");
        if (c->token.kind == LANG_TOKEN_NAME) lang_suggest_type(c, c->token.name->text);
        return false;
    }
    *type = (ir_type)c->token.name->word;
    lang_advance(c);
    if (!lang_is_type(&c->token)) return true;
    lang_error(c, c->token.at, "a type is one word");
    return lang_hint(c, "int has 32 bits, long has 64");
}
