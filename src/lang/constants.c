/* Load-time constants: "R = 8, C = 0.5". Their text is one more source of the module, so that
 * messages can point into it. A value replaces the initialiser of the file's constant of that name;
 * it must fit the type that the file declares. */
#include "lang/check.h"
#include "lang/parse.h"

#include <math.h>
#include <string.h>

typedef struct lang_given {
    lang_name *name;
    uint32_t at;
    lang_expr *value;
    bool taken;
    struct lang_given *next;
} lang_given;

/* ---- reading --------------------------------------------------------------------------------- */

/* "heat.kata(constants)": where messages say that a value was given for a file; NULL without
 * memory. */
static const char *source_name(lang_compiler *c)
{
    text name = {0};
    text_add(&name, "%s(constants)", c->module->text.name);
    const char *copy =
        name.failed ? NULL : arena_copy_text(&c->module->memory, text_get(&name), name.length);
    text_free(&name);
    return copy;
}

/* The text as one more source of the module; NULL (reported) when that failed. */
static const source *hang_text(lang_compiler *c, const char *text)
{
    size_t length = strlen(text);
    if (length > LANG_MAX_TEXT) {
        lang_limit(c, 0, "the load-time constants have %zu bytes, more than the %d allowed", length,
                   LANG_MAX_TEXT);
        return NULL;
    }
    const char *name = source_name(c);
    char *copy = arena_copy_text(&c->module->memory, text, length);
    if (name && copy) return lang_source_add(c, name, copy, length);
    lang_no_memory(c);
    return NULL;
}

static lang_given *find_given(const lang_compiler *c, const lang_name *name)
{
    lang_given *g = c->given;
    while (g && g->name != name) g = g->next;
    return g;
}

/* given = name "=" expression */
static lang_given *parse_given(lang_compiler *c)
{
    lang_given *g = lang_make(c, sizeof *g, c->token.at);
    if (!g || !lang_parse_name(c, "the name of a constant, as in 'R=8'", &g->name, &g->at))
        return NULL;
    const lang_given *before = find_given(c, g->name);
    if (before) {
        lang_error(c, g->at, "constant '%s' is given twice", g->name->text);
        lang_note(c, before->at, "given here before");
        return NULL;
    }
    if (!lang_expect(c, LANG_SIGN_ASSIGN, "after the name of the constant")) return NULL;
    g->value = lang_parse_expression(c);
    return g->value ? g : NULL;
}

bool lang_constants_parse(lang_compiler *c, const char *text)
{
    if (!text) return true;
    c->constants_text = hang_text(c, text);
    if (!c->constants_text) return false;
    lang_lexer_start(c, c->constants_text);
    while (c->token.kind != LANG_TOKEN_END) {
        lang_given *g = parse_given(c);
        if (!g) return false;
        g->next = c->given;
        c->given = g;
        if (c->token.kind == LANG_TOKEN_END) break;
        if (!lang_expect(c, LANG_SIGN_COMMA, "between two constants")) return false;
    }
    return !c->failed;
}

/* ---- applying -------------------------------------------------------------------------------- */

/* Whether the declared type has the value exactly, or is a floating-point type that rounds it. */
static bool fits(ir_type to, ir_type from, ir_value value)
{
    ir_value there = ir_convert(to, from, value);
    if (ir_type_is_floating(to)) {
        double x = ir_convert(IR_F64, from, value).f64;
        return isinf(ir_convert(IR_F64, to, there).f64) == isinf(x);
    }
    ir_value back = ir_convert(from, to, there);
    return ir_evaluate(IR_EQ, IR_BOOL, from, (ir_value[]){back, value}).i32;
}

static bool check_fit(lang_compiler *c, const lang_declared *own, const lang_given *g)
{
    lang_value value = lang_check(c, g->value);
    ir_value known;
    const ir_expr *culprit;
    if (!value.expr) return false;
    if (!lang_tree_evaluate(c, value.expr, &known, &culprit)) return true; /* reported later */
    if (value.expr->type == own->type || fits(own->type, value.expr->type, known)) return true;
    const char *type = ir_types[own->type].name;
    lang_error(c, g->value->at, "this value does not fit '%s', which is %s", own->name->text, type);
    lang_note(c, own->at, "declared here as %s", type);
    return false;
}

bool lang_constant_apply(lang_compiler *c, const lang_declared *own, lang_declared *applied)
{
    lang_given *g = find_given(c, own->name);
    *applied = *own;
    if (!g) return true;
    g->taken = true;
    if (own->array) {
        lang_error(c, g->at, "'%s' is an array: only single numbers can be given", own->name->text);
        lang_note(c, own->at, "declared here");
        return false;
    }
    applied->value = g->value;
    applied->braced = false;
    return check_fit(c, own, g);
}

/* ---- names that the file does not have ------------------------------------------------------- */

static size_t list_constants(const lang_function *f, const char **names)
{
    size_t count = 0;
    for (; f; f = f->next)
        for (const lang_stmt *s = f->constant ? f->body : NULL; s; s = s->next, count++)
            if (names) names[count] = s->declared.name->text;
    return count;
}

static bool report_unknown(lang_compiler *c, const lang_given *g, const lang_function *definitions)
{
    size_t count = list_constants(definitions, NULL);
    const char **names = arena_array(&c->syntax, count + 1, sizeof *names);
    if (!names) return lang_no_memory(c);
    list_constants(definitions, names);
    lang_error(c, g->at, "the file has no constant '%s'", g->name->text);
    if (lang_suggest(c, g->name->text, names, count)) return false;
    return lang_hint(c, "it is declared outside of functions, as in 'const int %s = 8;'",
                     g->name->text);
}

bool lang_constants_all_taken(lang_compiler *c, const lang_function *definitions)
{
    const lang_given *unknown = NULL;
    if (c->m->status || c->lost) return true; /* its definition may have been lost */
    for (const lang_given *g = c->given; g; g = g->next)
        if (!g->taken) unknown = g; /* the first in the text is the last here */
    return !unknown || report_unknown(c, unknown, definitions);
}
