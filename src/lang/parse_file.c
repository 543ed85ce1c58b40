/* Definitions of a file to syntax: kernels, helpers, constants. */
#include "lang/parse.h"

#include <string.h>

/* ---- parameters ------------------------------------------------------------------------------ */

static const struct mode {
    const char *text;
    ir_param_kind kind;
} modes[] = {
    {"in", IR_PARAM_IN},   {"out", IR_PARAM_OUT}, {"inout", IR_PARAM_INOUT},
    {"sum", IR_PARAM_SUM}, {"min", IR_PARAM_MIN}, {"max", IR_PARAM_MAX},
};

static ir_param_kind parse_mode(lang_compiler *c)
{
    bool named = c->token.kind == LANG_TOKEN_NAME || c->token.kind == LANG_TOKEN_WORD;
    for (size_t i = 0; named && i < COUNT_OF(modes); i++) {
        if (strcmp(c->token.name->text, modes[i].text) != 0) continue;
        lang_advance(c);
        return modes[i].kind;
    }
    return IR_PARAM_NUMBER;
}

/* "at" "(" name ")" */
static bool parse_where(lang_compiler *c, lang_param *p)
{
    p->kind = IR_PARAM_WHERE;
    lang_advance(c);
    lang_advance(c);
    return lang_parse_name(c, "the name of a minimum or maximum", &p->of, &p->of_at) &&
           lang_expect(c, LANG_SIGN_PAREN_CLOSE, "after the name");
}

static bool is_where(const lang_compiler *c)
{
    return c->token.kind == LANG_TOKEN_NAME && strcmp(c->token.name->text, "at") == 0 &&
           lang_is_sign(&c->next, LANG_SIGN_PAREN_OPEN);
}

/* mode = ["in" | "out" | "inout" | ["inout"] ("sum" | "min" | "max") | "at" "(" name ")"] */
static void parse_modes(lang_compiler *c, lang_param *p)
{
    p->kind = parse_mode(c);
    if (p->kind != IR_PARAM_INOUT || c->token.kind != LANG_TOKEN_NAME) return;
    ir_param second = {.kind = parse_mode(c)};
    p->accumulates = ir_param_is_reduction(&second);
    if (p->accumulates) p->kind = second.kind;
}

static bool not_a_param(lang_compiler *c)
{
    static const char *const starts[] = {"in",     "out",   "inout",  "sum",   "min",
                                         "max",    "bool",  "int",    "long",  "float",
                                         "double", "uchar", "ushort", "short", "real"};
    const char *name = c->token.kind == LANG_TOKEN_NAME ? c->token.name->text : NULL;
    lang_unexpected(c, "a parameter such as 'in double u' or 'double c'");
    if (name) lang_suggest(c, name, starts, COUNT_OF(starts));
    return false;
}

/* Reports a ratio that stands behind 'along'. */
static bool stands_behind(lang_compiler *c, const lang_param *p)
{
    bool finer = lang_is_word(&c->token, LANG_WORD_FINER);
    if (p->along && lang_stands_behind(c, "'along'", "on cell along xy")) return true;
    if (!p->along || (!finer && !lang_is_word(&c->token, LANG_WORD_COARSER))) return false;
    const char *word = finer ? "finer" : "coarser";
    lang_error(c, c->token.at, "'%s' stands behind 'along'", word);
    lang_hint(c, "write it before: '%s %s(2) along z'", p->name->text, word);
    return true;
}

/* param = mode ["const"] type name [length] [ratio] [along] */
static bool parse_param(lang_compiler *c, lang_param *p)
{
    p->type_at = c->token.at;
    if (!is_where(c))
        parse_modes(c, p);
    else if (!parse_where(c, p))
        return false;
    p->constant = lang_accept_word(c, LANG_WORD_CONST);
    if (p->kind == IR_PARAM_NUMBER && !lang_is_type(&c->token)) return not_a_param(c);
    if (lang_is_sign(&c->next, LANG_SIGN_MUL)) {
        lang_error(c, c->next.at, "there are no pointers");
        return lang_hint(c, "a field is 'in double u' or 'out double v', a table 'double w[9]'");
    }
    p->real = lang_is_word(&c->token, LANG_WORD_REAL);
    if (!lang_parse_type(c, &p->type) || !lang_note_real(c, &p->type)) return false;
    if (!lang_parse_name(c, "the name of a parameter", &p->name, &p->at)) return false;
    p->array = lang_is_sign(&c->token, LANG_SIGN_INDEX_OPEN);
    uint32_t at = c->token.at;
    if (p->array && !lang_parse_lengths(c, p->lengths)) return false;
    if (p->array && !p->lengths[0])
        return lang_error(c, at, "the length of parameter '%s' is missing", p->name->text);
    return lang_parse_ratio(c, p) && lang_parse_on(c, &p->on, &p->each, &p->on_at) &&
           lang_parse_along(c, p) && !stands_behind(c, p);
}

/* params = "(" [param {"," param}] ")" */
static bool parse_params(lang_compiler *c, lang_function *f)
{
    lang_param **tail = &f->params;
    if (!lang_expect(c, LANG_SIGN_PAREN_OPEN, "before the parameters")) return false;
    if (lang_accept(c, LANG_SIGN_PAREN_CLOSE)) return true;
    do {
        lang_param *p = lang_make(c, sizeof *p, c->token.at);
        if (!p || !parse_param(c, p)) return false;
        *tail = p;
        tail = &p->next;
        p->number = f->param_count++;
    } while (lang_accept(c, LANG_SIGN_COMMA));
    return lang_expect(c, LANG_SIGN_PAREN_CLOSE, "after the parameters");
}

static bool check_helper_params(lang_compiler *c, const lang_function *f)
{
    for (const lang_param *p = f->params; p; p = p->next) {
        if (p->kind == IR_PARAM_NUMBER && p->array) {
            lang_error(c, p->at,
                       "tables as parameters of helpers are not part of the kernel "
                       "language yet");
            return lang_hint(c, "pass the elements it needs, or make it a constant of the file");
        }
        if (p->ratio) {
            lang_error(c, p->ratio_at, "a helper's field has no ratio of its own");
            return lang_hint(c, "it has that of the field it is given: leave it out");
        }
        if (p->along) {
            lang_error(c, p->along_at, "a helper's field has no 'along' of its own");
            return lang_hint(c, "it extends along what the field that it is given does: leave it "
                                "out");
        }
        if (p->kind == IR_PARAM_NUMBER || p->kind == IR_PARAM_IN) continue;
        lang_error(c, p->type_at, "a helper cannot have '%s' parameters",
                   ir_param_kind_name(p->kind));
        return lang_hint(c, "it takes fields as 'in' and numbers, and returns a value");
    }
    return true;
}

/* ---- order ----------------------------------------------------------------------------------- */

static bool parse_dimension(lang_compiler *c, int *dimension)
{
    static const char *const names[] = {"x", "y", "z"};
    for (int d = 0; c->token.kind == LANG_TOKEN_NAME && d < 3; d++) {
        if (strcmp(c->token.name->text, names[d]) != 0) continue;
        *dimension = d;
        lang_advance(c);
        return true;
    }
    return lang_unexpected(c, "x, y or z");
}

/* A dimension that levels run along. */
static bool parse_ordered(lang_compiler *c, lang_function *f, ir_direction direction)
{
    int dimension = 0;
    uint32_t at = c->token.at;
    if (!parse_dimension(c, &dimension)) return false;
    if (f->order[dimension]) {
        lang_error(c, at, "%c has an order already", "xyz"[dimension]);
        return lang_hint(c, "name each dimension once, as in 'forward(x, y)' or "
                            "'forward(x) backward(y)'");
    }
    f->order[dimension] = direction;
    return true;
}

/* "(" dimension {"," dimension} ")" */
static bool parse_dimensions(lang_compiler *c, lang_function *f, ir_direction direction)
{
    if (!lang_expect(c, LANG_SIGN_PAREN_OPEN, "before the dimension of the levels")) return false;
    do
        if (!parse_ordered(c, f, direction)) return false;
    while (lang_accept(c, LANG_SIGN_COMMA));
    return lang_expect(c, LANG_SIGN_PAREN_CLOSE, "after the dimension of the levels");
}

static bool refuse_order(lang_compiler *c)
{
    static const char *const words[] = {"forward", "backward"};
    lang_error(c, c->token.at, "unknown order '%s'", c->token.name->text);
    if (!lang_suggest(c, c->token.name->text, words, COUNT_OF(words)))
        lang_hint(c, "levels run 'forward(z)' or 'backward(z)', along x, y or z");
    return false;
}

/* order = {("forward" | "backward") "(" dimension {"," dimension} ")"} */
static bool parse_order(lang_compiler *c, lang_function *f)
{
    f->direction_at = c->token.at;
    for (;;) {
        ir_direction direction = IR_UNORDERED;
        if (lang_accept_word(c, LANG_WORD_FORWARD))
            direction = IR_FORWARD;
        else if (lang_accept_word(c, LANG_WORD_BACKWARD))
            direction = IR_BACKWARD;
        else if (c->token.kind == LANG_TOKEN_NAME && lang_is_sign(&c->next, LANG_SIGN_PAREN_OPEN))
            return refuse_order(c);
        else
            return true;
        if (!parse_dimensions(c, f, direction)) return false;
    }
}

/* ---- definitions ----------------------------------------------------------------------------- */

static bool parse_function(lang_compiler *c, lang_function *f)
{
    bool ok;
    const char *what = f->kernel ? "the name of a kernel" : "the name of a helper";
    if (!lang_parse_name(c, what, &f->name, &f->at) || !parse_params(c, f)) return false;
    if (!f->kernel && !check_helper_params(c, f)) return false;
    if (!lang_parse_on(c, &f->on, NULL, &f->on_at)) return false;
    if (f->kernel && !parse_order(c, f)) return false;
    if (lang_stands_behind(c, "the order of levels", "on cell forward(z)")) return false;
    f->body = lang_parse_block(c, &ok);
    return ok;
}

/* kernel = "kernel" name params order block */
static bool parse_kernel(lang_compiler *c, lang_function *f)
{
    lang_advance(c);
    f->kernel = true;
    return parse_function(c, f);
}

/* constant = "const" type declarators */
static bool parse_constant(lang_compiler *c, lang_function *f)
{
    f->constant = true;
    uint32_t at = c->token.at;
    if (!lang_parse_type(c, &f->type)) return false;
    if (f->type == IR_TYPE_COUNT) {
        lang_error(c, at, "a constant of the file cannot be real: it is the same for all kernels");
        return lang_hint(c, "declare it double, and in a kernel 'const real x = NAME;'");
    }
    f->body = lang_parse_declarators(c, f->type, true);
    return f->body;
}

/* In "kernal f(...)" and "static duoble f(...)" the name is known all the same. */
static void forgive_name(lang_compiler *c, lang_function *f)
{
    f->guessed = c->next.kind == LANG_TOKEN_NAME;
    if (f->guessed) lang_forgive(c, c->next.name);
}

/* helper = "static" type name params block */
static bool parse_helper(lang_compiler *c, lang_function *f)
{
    if (!lang_is_type(&c->token)) forgive_name(c, f);
    if (!lang_parse_type(c, &f->type) || !lang_note_real(c, &f->type)) return false;
    if (c->token.kind == LANG_TOKEN_NAME && !lang_is_sign(&c->next, LANG_SIGN_PAREN_OPEN)) {
        lang_error(c, c->token.at, "a kernel file has no variables");
        return lang_hint(c, "a constant is 'const %s %s = ...;'", ir_types[f->type].name,
                         c->token.name->text);
    }
    return parse_function(c, f);
}

static bool not_a_definition(lang_compiler *c, lang_function *f)
{
    static const char *const starts[] = {"kernel", "static", "const", "import", "contract"};
    bool type = lang_is_type(&c->token);
    const char *name = c->token.kind == LANG_TOKEN_NAME ? c->token.name->text : NULL;
    forgive_name(c, f);
    lang_unexpected(c, "'kernel', 'static' or 'const'");
    if (type)
        return lang_hint(c, "a helper is 'static %s name(...)', a constant 'const %s name = ...;'",
                         c->token.name->text, c->token.name->text);
    if (name) lang_suggest(c, name, starts, COUNT_OF(starts));
    return false;
}

/* definition = kernel | helper | ["static"] constant */
static bool parse_definition(lang_compiler *c, lang_function *f)
{
    f->at = c->token.at;
    if (lang_is_word(&c->token, LANG_WORD_KERNEL)) return parse_kernel(c, f);
    bool is_static = lang_accept_word(c, LANG_WORD_STATIC);
    if (lang_accept_word(c, LANG_WORD_CONST)) return parse_constant(c, f);
    return is_static ? parse_helper(c, f) : not_a_definition(c, f);
}

/* import = "import" text ";" */
static bool parse_import(lang_compiler *c, lang_import *i, bool first)
{
    if (!first) {
        lang_error(c, c->token.at, "an import stands before all definitions");
        return lang_hint(c, "move it to the beginning of the file");
    }
    if (!lang_string_follows(c)) {
        lang_advance(c);
        lang_unexpected(c, "the name of a file in double quotes");
        return lang_hint(c, "an import is 'import \"other.kata\";'");
    }
    i->at = c->next.at;
    i->path = lang_take_string(c);
    return i->path && lang_expect(c, LANG_SIGN_SEMICOLON, "after the import");
}

/* {import | contract}, or one of them elsewhere. After a wrong import any name may be one of its.
 */
static bool parse_imports(lang_compiler *c, lang_import ***tail, bool first, bool *contract_off)
{
    while (lang_is_word(&c->token, LANG_WORD_IMPORT) || lang_at_contract(c)) {
        if (lang_at_contract(c)) {
            if (!lang_parse_contract(c, first, contract_off)) return false;
            continue;
        }
        lang_import *i = lang_make(c, sizeof *i, c->token.at);
        if (!i) return false;
        bool good = parse_import(c, i, first);
        if (!good) c->lost = true;
        if (!good && lang_is_word(&c->token, LANG_WORD_IMPORT)) lang_advance(c);
        if (c->failed) lang_skip_definition(c);
        if (!lang_resume(c)) return false;
        if (!good) continue;
        **tail = i;
        *tail = &i->next;
    }
    return true;
}

/* Whether a definition, right or wrong, has a name to declare. */
static bool keep(lang_compiler *c, lang_function *f)
{
    if (!f->wrong || (f->name && !f->constant)) return true;
    for (lang_stmt *s = f->body; s; s = s->next) lang_forgive(c, s->declared.name);
    c->lost = c->lost || (!f->body && !f->guessed);
    return false;
}

/* file = {import | contract} {definition} */
lang_function *lang_parse_file(lang_compiler *c, lang_import **imports, bool *ok)
{
    lang_function *first = NULL, **tail = &first;
    bool contract_off = false;
    *ok = false;
    *imports = NULL;
    for (bool begins = true; c->token.kind != LANG_TOKEN_END; begins = false) {
        if (!parse_imports(c, &imports, begins, &contract_off)) return NULL;
        if (lang_accept(c, LANG_SIGN_SEMICOLON) || c->token.kind == LANG_TOKEN_END) continue;
        lang_function *f = lang_make(c, sizeof *f, c->token.at);
        if (!f) return NULL;
        c->damaged = c->uses_real = false;
        f->wrong = !parse_definition(c, f) || c->damaged;
        f->real = c->uses_real;
        f->contract_off = contract_off;
        if (c->failed) lang_skip_definition(c);
        if (!lang_resume(c)) return NULL;
        if (keep(c, f)) {
            *tail = f;
            tail = &f->next;
        }
    }
    *ok = true;
    return first;
}
