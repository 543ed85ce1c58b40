/* Interned names and their meanings. Each name has a list of its meanings, innermost first. All
 * symbols are also on one list in the order of their declaration, by which scopes are left. An
 * inlined helper opens a *frame*: it sees symbols of its own frame and of the file (frame 0), but
 * not symbols of the kernel that calls it. */
#include "lang/check.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = HOSTILE(1 << 14, 16) };

static const char no_loop[] = "a loop is 'for (int q = 0; q < 9; q++)', or, with a constant that "
                              "limits it, 'for (int q = 0; q < 1000 && x > y; q++)'";
static const char no_switch[] = "use 'if' and 'else'";
static const char no_type[] = "the types are " LANG_TYPE_NAMES;
static const char no_storage[] =
    "a helper is 'static TYPE name(...)', a constant 'const TYPE name'";

static const struct refused {
    const char *word, *hint;
} refused[] = {
    {"while", no_loop},
    {"do", no_loop},
    {"switch", no_switch},
    {"case", no_switch},
    {"default", no_switch},
    {"goto", "use 'if' and 'for'"},
    {"struct", no_type},
    {"union", no_type},
    {"enum", no_type},
    {"typedef", no_type},
    {"void", "a kernel is 'kernel name(...)', without 'void'; a helper returns a value"},
    {"char", no_type},
    {"signed", no_type},
    {"unsigned", no_type},
    {"sizeof", "lengths are constants: name them, as in 'const int n = 9;'"},
    {"volatile", no_storage},
    {"restrict", no_storage},
    {"extern", no_storage},
    {"register", no_storage},
    {"auto", no_storage},
    {"inline", "helpers are always inlined: 'static TYPE name(...)' is enough"},
};

/* ---- interning ------------------------------------------------------------------------------- */

lang_name *lang_intern(lang_compiler *c, const char *text, size_t length)
{
    /* seeded: nobody can make a text whose names all share a bucket */
    uint64_t hash = hash_bytes(text, length, (uint64_t)(uintptr_t)c);
    lang_name **bucket = &c->names[hash % BUCKETS];
    for (lang_name *name = *bucket; name; name = name->next)
        if (name->hash == hash && strlen(name->text) == length &&
            memcmp(name->text, text, length) == 0)
            return name;
    lang_name *name = arena_alloc(&c->syntax, sizeof *name);
    char *copy = arena_copy_text(&c->module->memory, text, length);
    if (!name || !copy) {
        lang_no_memory(c);
        return NULL;
    }
    *name = (lang_name){.text = copy, .hash = hash, .word = LANG_WORD_NONE, .next = *bucket};
    return *bucket = name;
}

static bool add_word(lang_compiler *c, const char *text, lang_word word)
{
    lang_name *name = lang_intern(c, text, strlen(text));
    if (name) name->word = word;
    return name;
}

static bool add_words(lang_compiler *c)
{
#define X(word, text)                                                                              \
    if (!add_word(c, text, LANG_WORD_##word)) return false;
    LANG_WORDS(X)
#undef X
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        lang_name *name = lang_intern(c, refused[i].word, strlen(refused[i].word));
        if (!name) return false;
        name->word = LANG_WORD_REFUSED;
        name->hint = refused[i].hint;
    }
    return true;
}

/* ---- what the language declares -------------------------------------------------------------- */

static bool add_function(lang_compiler *c, ir_op op, bool f32_version)
{
    char text[32];
    size_t length = strlen(ir_ops[op].name);
    memcpy(text, ir_ops[op].name, length);
    if (f32_version) text[length++] = 'f';
    lang_name *name = lang_intern(c, text, length);
    lang_symbol *symbol = name ? lang_declare(c, LANG_FUNCTION, name, 0) : NULL;
    if (!symbol) return false;
    symbol->op = op;
    symbol->f32_version = f32_version;
    return true;
}

static bool add_random(lang_compiler *c)
{
    lang_name *name = lang_intern(c, "random", 6);
    lang_symbol *symbol = name ? lang_declare(c, LANG_FUNCTION, name, 0) : NULL;
    if (symbol) symbol->op = IR_MIX;
    return symbol;
}

static bool add_index(lang_compiler *c, lang_symbol_kind kind, char letter, int dimension)
{
    char text[2] = {letter, (char)('x' + dimension)};
    lang_name *name = lang_intern(c, text, 2);
    lang_symbol *symbol = name ? lang_declare(c, kind, name, 0) : NULL;
    if (!symbol) return false;
    symbol->index = dimension;
    symbol->type = IR_I64;
    return true;
}

bool lang_names_start(lang_compiler *c)
{
    c->names = arena_array(&c->syntax, BUCKETS, sizeof *c->names);
    if (!c->names) return lang_no_memory(c);
    if (!add_words(c)) return false;
    c->level = -1;
    for (int op = 0; op < IR_OP_COUNT; op++)
        if (ir_ops[op].function && !(add_function(c, op, false) && add_function(c, op, true)))
            return false;
    if (!add_random(c)) return false;
    for (int d = 0; d < 3; d++)
        if (!add_index(c, LANG_INDEX, 'i', d) || !add_index(c, LANG_SIZE, 'n', d)) return false;
    c->level = 0;
    return true;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static bool may_declare(lang_compiler *c, const lang_name *name, uint32_t at)
{
    const lang_symbol *old = lang_find(c, name);
    if (!old) return true;
    if (old->kind == LANG_INDEX || old->kind == LANG_SIZE) {
        lang_error(c, at, "'%s' is %s and cannot be declared", name->text,
                   lang_symbol_kind_name(old));
        return lang_hint(c, "choose another name");
    }
    if (old->kind == LANG_FUNCTION && c->level == 0) {
        lang_error(c, at, "'%s' is a function of the language", name->text);
        return lang_hint(c, "choose another name");
    }
    if (old->level != c->level || old->frame != c->frame) return true;
    lang_error(c, at, "'%s' is declared twice", name->text);
    lang_note(c, old->at, "first here");
    return false;
}

lang_symbol *lang_declare(lang_compiler *c, lang_symbol_kind kind, lang_name *name, uint32_t at)
{
    if (!may_declare(c, name, at)) return NULL;
    lang_symbol *symbol = arena_alloc(&c->syntax, sizeof *symbol);
    if (!symbol) {
        lang_no_memory(c);
        return NULL;
    }
    *symbol = (lang_symbol){.kind = kind,
                            .name = name,
                            .at = at,
                            .frame = c->frame,
                            .level = c->level,
                            .outer = name->meaning,
                            .previous = c->last,
                            .table_owner = -1};
    name->meaning = symbol;
    c->last = symbol;
    return symbol;
}

lang_scope lang_scope_enter(lang_compiler *c)
{
    lang_scope scope = {c->last, c->frame, c->level};
    c->level++;
    return scope;
}

lang_scope lang_frame_enter(lang_compiler *c)
{
    lang_scope scope = lang_scope_enter(c);
    c->frame = ++c->frames;
    return scope;
}

void lang_scope_leave(lang_compiler *c, lang_scope scope)
{
    for (; c->last != scope.last; c->last = c->last->previous) {
        lang_warn_unused(c, c->last);
        c->last->name->meaning = c->last->outer;
    }
    c->frame = scope.frame;
    c->level = scope.level;
}

static bool is_visible(const lang_compiler *c, const lang_symbol *symbol)
{
    return symbol->frame == 0 || symbol->frame == c->frame;
}

lang_symbol *lang_find(const lang_compiler *c, const lang_name *name)
{
    lang_symbol *symbol = name->meaning;
    while (symbol && !is_visible(c, symbol)) symbol = symbol->outer;
    return symbol;
}

/* ---- unknown names --------------------------------------------------------------------------- */

/* Of two letters, one that differs is half of the name. */
static bool has_same_letters(const char *two, const char *other)
{
    return other[0] && other[1] && !other[2] && strchr(two, other[0]) && strchr(two, other[1]);
}

/* Names of other languages for things that are written otherwise. */
static bool hint_meaning(lang_compiler *c, const char *name)
{
    static const char *const meanings[][2] = {
        {"sqr", "a square is written 'u*u', or 'pow(u, 2)'"},
        {"square", "a square is written 'u*u', or 'pow(u, 2)'"},
        {"pi", "the number pi is 'M_PI'"},
        {"Pi", "the number pi is 'M_PI'"},
        {"PI", "the number pi is 'M_PI'"},
        {"NAN", "a NaN is '0.0/0.0'"},
        {"INFINITY", "infinity is '1.0/0.0'"},
        {"isnan", "a number is a NaN where 'x != x'"},
        {"isinf", "a number is infinite where 'fabs(x) == 1.0/0.0'"},
        {"isfinite", "a number is finite where 'fabs(x) < 1.0/0.0'"},
    };
    for (size_t i = 0; i < COUNT_OF(meanings); i++)
        if (!strcmp(name, meanings[i][0])) {
            lang_hint(c, "%s", meanings[i][1]);
            return true;
        }
    return false;
}

bool lang_suggest(lang_compiler *c, const char *name, const char *const *texts, size_t count)
{
    const char *near = name[0] && name[1] ? nearest_name(name, texts, count) : NULL;
    if (near && !name[2] && !has_same_letters(name, near)) near = NULL;
    if (near) lang_hint(c, "did you mean '%s'?", near);
    return near;
}

static bool is_callable(const lang_symbol *symbol)
{
    return symbol->kind == LANG_FUNCTION || symbol->kind == LANG_HELPER;
}

/* Suggests a visible name; `callable`: of a function, otherwise of anything else. */
static bool suggest_symbol(lang_compiler *c, const char *name, bool callable)
{
    size_t count = 0;
    for (const lang_symbol *s = c->last; s; s = s->previous) count++;
    const char **texts = calloc(count + 1, sizeof *texts);
    if (!texts) return false;
    size_t i = 0;
    for (const lang_symbol *s = c->last; s; s = s->previous)
        if (is_visible(c, s) && is_callable(s) == callable && s->kind != LANG_KERNEL)
            texts[i++] = s->name->text;
    bool suggested = lang_suggest(c, name, texts, i);
    free(texts);
    return suggested;
}

void lang_forgive(lang_compiler *c, lang_name *name) { name->missing = c->frame ? c->frame : -1; }

bool lang_forgiven_word(lang_compiler *c, const lang_name *name)
{
    if (name->missing != -1) return false;
    c->failed = c->muted = true;
    return true;
}

static bool is_forgiven(const lang_compiler *c, const lang_name *name)
{
    return c->lost || name->missing == -1 || (c->frame && name->missing == c->frame);
}

bool lang_is_unknown(const lang_compiler *c, const lang_name *name)
{
    return !lang_find(c, name) && !is_forgiven(c, name);
}

lang_symbol *lang_lookup(lang_compiler *c, lang_name *name, uint32_t at, const char *what)
{
    lang_symbol *symbol = lang_find(c, name);
    if (symbol) return symbol;
    if (is_forgiven(c, name)) return NULL;
    lang_forgive(c, name);
    bool callable = strcmp(what, "function") == 0;
    lang_error(c, at, "unknown %s '%s'", what, name->text);
    if (hint_meaning(c, name->text) || suggest_symbol(c, name->text, callable)) return NULL;
    if (callable)
        lang_hint(c, "a function is one of the language, or a helper 'static double %s(...)'",
                  name->text);
    else if (c->helper)
        lang_hint(c, "a helper sees its parameters and the constants of the file");
    else if (c->frame == 0)
        lang_hint(c, "a constant is made of constants declared before it");
    return NULL;
}

const char *lang_symbol_kind_name(const lang_symbol *symbol)
{
    static const char *const indices[] = {"the index of the point along x",
                                          "the index of the point along y",
                                          "the index of the point along z"};
    static const char *const sizes[] = {"the size of the grid along x",
                                        "the size of the grid along y",
                                        "the size of the grid along z"};
    switch (symbol->kind) {
    case LANG_FUNCTION: return "a function of the language";
    case LANG_INDEX: return indices[symbol->index];
    case LANG_SIZE: return sizes[symbol->index];
    case LANG_HELPER: return "a helper";
    case LANG_KERNEL: return "a kernel";
    case LANG_CONSTANT: return "a constant";
    case LANG_TABLE: return "a constant table";
    case LANG_NUMBER: return symbol->length ? "a table parameter" : "a number parameter";
    case LANG_REDUCTION: return "a reduction";
    case LANG_FIELD: return "a field";
    case LANG_LOCAL: return symbol->length ? "an array" : "a variable";
    case LANG_NEIGHBOUR: return "a neighbour";
    }
    return "a name";
}
