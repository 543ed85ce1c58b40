/* `contract off;` at the beginning of a file: sums of products are not made into fma. It holds for
 * all that is written in the file, and for helpers of other files while its kernels call them. The
 * word `contract` is a name everywhere else. */
#include "lang/parse.h"

#include <string.h>

static bool is_name(const lang_token *token, const char *name)
{
    return token->kind == LANG_TOKEN_NAME && strcmp(token->name->text, name) == 0;
}

bool lang_at_contract(const lang_compiler *c) { return is_name(&c->token, "contract"); }

static bool parse(lang_compiler *c, bool first)
{
    if (!first) {
        lang_error(c, c->token.at, "'contract off' stands before all definitions");
        return lang_hint(c, "move it to the beginning of the file: it holds for all of it");
    }
    lang_advance(c);
    if (!is_name(&c->token, "off")) {
        lang_unexpected(c, "'off' after 'contract'");
        return lang_hint(c, "'contract off;' forbids fma where a*b + c is written; without it "
                            "they are formed");
    }
    lang_advance(c);
    return lang_expect(c, LANG_SIGN_SEMICOLON, "after 'contract off'");
}

bool lang_parse_contract(lang_compiler *c, bool first, bool *off)
{
    if (parse(c, first))
        *off = true;
    else {
        if (lang_at_contract(c)) lang_advance(c);
        lang_skip_definition(c);
    }
    return lang_resume(c);
}
