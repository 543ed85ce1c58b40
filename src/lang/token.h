/* Private to lang: tokens. */
#ifndef LANG_TOKEN_H
#define LANG_TOKEN_H

#include "lang/signs.h"
#include "lang/symbol.h"

typedef enum lang_token_kind {
    LANG_TOKEN_END,
    LANG_TOKEN_NAME, /* name; its word is NONE */
    LANG_TOKEN_WORD, /* name; its word is another */
    LANG_TOKEN_NUMBER,
    LANG_TOKEN_SIGN,
    LANG_TOKEN_BAD /* reported when it becomes the current one */
} lang_token_kind;

typedef struct lang_token {
    lang_token_kind kind;
    lang_sign sign;
    lang_name *name;
    uint32_t at, length;
} lang_token;

/* ---- lexer.c --------------------------------------------------------------------------------- */

/* Reads the first tokens of a text, one of the module's sources. */
void lang_lexer_start(lang_compiler *c, const source *s);
/* The letters of a token of the present text. */
const char *lang_token_text(const lang_compiler *c, const lang_token *token);
/* The next token becomes the current one. */
void lang_advance(lang_compiler *c);
bool lang_is_sign(const lang_token *token, lang_sign sign);
bool lang_is_word(const lang_token *token, lang_word word);
bool lang_is_type(const lang_token *token);
/* Whether a definition begins here for sure: 'kernel' or 'static' at the beginning of a line. */
bool lang_at_definition(const lang_compiler *c);
/* The end of the file, or the beginning of a definition. */
bool lang_at_function_end(const lang_compiler *c);
/* After an error: goes to the end of the statement, or to where its block ends. */
void lang_skip_statement(lang_compiler *c);
/* After an error: goes to the next beginning of a definition, or to the end. */
void lang_skip_definition(lang_compiler *c);
/* lang_recover while parsing: reports the current token if it is bad. */
bool lang_resume(lang_compiler *c);
/* Goes on and returns true when the current token is the sign. */
bool lang_accept(lang_compiler *c, lang_sign sign);
bool lang_accept_word(lang_compiler *c, lang_word word);
/* As lang_accept, but reports another token: "expected ';' <where>, found 'v'". */
bool lang_expect(lang_compiler *c, lang_sign sign, const char *where);
/* Whether a text in quotes follows the current token. */
bool lang_string_follows(const lang_compiler *c);
/* Takes both: the token behind the text becomes the current one. Returns a copy of the text in the
 * module's memory; NULL when it is wrong. */
const char *lang_take_string(lang_compiler *c);
/* Reports the current token: "expected <what>, found 'v'". Returns false. */
bool lang_unexpected(lang_compiler *c, const char *what);

#endif
