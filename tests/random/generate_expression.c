/* Typed expressions. Wherever a floating type is wanted any arithmetic type will do, as in C; where
 * an integer is wanted (for %, shifts, bits, indices) only integers are made. */
#include "generate.h"

#include <string.h>

term *builder_term(builder *b, value_type type, const char *pattern)
{
    term *t = pool_new(&b->program->memory, sizeof *t);
    t->type = type;
    t->pattern = pattern;
    return t;
}

symbol *builder_symbol(builder *b, symbol_kind kind, value_type type, const char *name)
{
    if (b->symbol_count == MAX_SYMBOLS) b->symbol_count--;
    symbol *s = &b->symbols[b->symbol_count++];
    *s = (symbol){.kind = kind, .type = type, .name = name};
    return s;
}

const char *builder_name(builder *b) { return pool_text(&b->program->memory, "v%d", b->names++); }

/* A type that goes well with another in one operation. */
static value_type partner(builder *b, value_type type)
{
    static const value_type floating[] = {DOUBLE, DOUBLE, DOUBLE, FLOAT, FLOAT, LONG, INT, BOOL};
    static const value_type whole[] = {LONG, INT, INT, INT, BOOL};
    if (chance_of(b->chance, 60)) return type;
    return is_floating(type) ? CHANCE_PICK(b->chance, floating) : CHANCE_PICK(b->chance, whole);
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static const char *const literals[][12] = {
    [BOOL] = {"true", "false"},
    [INT] = {"0", "1", "2", "(-1)", "3", "7", "(-5)", "0x1F", "017", "31", "2147483647",
             "(-2147483647 - 1)"},
    [LONG] = {"0L", "1L", "(-1L)", "3L", "5", "(-7L)", "0xffL", "63L", "4294967296",
              "0x7fffffffffffffffL", "(-0x7fffffffffffffffL - 1)", "12L"},
    [FLOAT] = {"0.5f", "(-1.25f)", "0.1f", "2.0f", "3", "0x1.8p-1f", "0.75", "1e-3f", "1.5", "0.0f",
               "3e38f", "1e-40f"},
    [DOUBLE] = {"0.5", "(-1.25)", "0.1", "2.0", "3", "0x1.8p-1", "0.7", "1e-3", "1.5", "(-0.0)",
                "(double)1e300", "1e-310"},
};

term *generate_literal(builder *b, value_type want)
{
    int count = 0;
    while (count < 12 && literals[want][count]) count++;
    if (count == 12 && chance_of(b->chance, 70)) count = 9;
    return builder_term(b, want, literals[want][chance_from(b->chance, 0, count - 1)]);
}

static bool suits(const symbol *s, value_type want)
{
    if (s->kind != VALUE && s->kind != LOOP && s->kind != ARRAY) return false;
    return is_floating(want) || !is_floating(s->type);
}

/* An element by an index known when compiling, or at run time. */
static term *generate_element(builder *b, const char *name, value_type type, int length)
{
    unsigned mask;
    pool *memory = &b->program->memory;
    if (b->plain || chance_of(b->chance, 75))
        return builder_term(b, type,
                            pool_text(memory, "%s[%s]", name, generate_index(b, length, &mask)));
    b->checked = true;
    term *t = builder_term(b, type, pool_text(memory, "%s[($ & 255) %% %d]", name, length));
    t->part[0] = generate_leaf(b, INT);
    return t;
}

/* The value of a symbol, preferably of the very type; NULL when none suits. */
static term *generate_symbol(builder *b, value_type want)
{
    const symbol *found = NULL;
    for (int i = 0, tries = chance_from(b->chance, 2, 8); i < tries && b->symbol_count; i++) {
        const symbol *s = &b->symbols[chance_from(b->chance, 0, b->symbol_count - 1)];
        if (suits(s, want) && (!found || s->type == want)) found = s;
    }
    if (!found) return NULL;
    if (found->kind != ARRAY) return builder_term(b, found->type, found->name);
    return generate_element(b, found->name, found->type, found->length);
}

/* A random number, or an element of the table of two indices that all programs have. */
static term *generate_other(builder *b)
{
    if (chance_of(b->chance, 50))
        return generate_element(b, chance_of(b->chance, 50) ? "square[1]" : "square[0]", DOUBLE, 3);
    if (!b->plain && (chance_of(b->chance, 50) || b->program->shiftable || b->rounds)) {
        b->checked = true;
        static const char *const elements[] = {"square[$ & 1][($ & 255) % 3]",
                                               "cube[$ & 1][($ & 255) % 3][($ & 4095) % 5]",
                                               "line[($ & 4095) % 1100]"};
        int kind = chance_from(b->chance, 0, 2);
        term *t = builder_term(b, DOUBLE, elements[kind]);
        for (int i = 0; i < (kind == 2 ? 1 : 2 + kind); i++) t->part[i] = generate_leaf(b, INT);
        return t;
    }
    b->randoms++;
    term *t = builder_term(b, DOUBLE, "random($)");
    t->part[0] = generate_leaf(b, INT);
    return t;
}

static term *generate_position(builder *b)
{
    static const char *const index[] = {"ix", "iy", "iz"}, *const size[] = {"nx", "ny", "nz"};
    bool fixed = b->program->shiftable || b->plain || chance_of(b->chance, 30);
    int d = chance_from(b->chance, 0, b->program->rank - 1);
    if (chance_of(b->chance, 3)) d = 2;
    return builder_term(b, LONG, fixed ? size[d] : index[d]);
}

term *generate_leaf(builder *b, value_type want)
{
    int kind = chance_from(b->chance, 0, 99);
    term *t = NULL;
    if (kind < 45) t = generate_read(b, !is_floating(want));
    if (!t && kind < 75) t = generate_symbol(b, want);
    if (!t && kind < 78 && is_floating(want)) t = generate_other(b);
    if (!t && kind < 85 && want != BOOL) t = generate_position(b);
    return t ? t : generate_literal(b, want);
}

term *generate_unknown(builder *b, value_type want)
{
    term *t = generate_read(b, !is_floating(want));
    if (t) return t;
    if (!b->program->shiftable) return generate_position(b);
    return builder_term(b, LONG, "nx");
}

/* ---- indices known when compiling ------------------------------------------------------------ */

static const symbol *pick_loop(builder *b, int length)
{
    const symbol *found = NULL;
    for (int i = 0; i < b->symbol_count; i++) {
        const symbol *s = &b->symbols[i];
        if (s->kind == LOOP && s->lo >= 0 && s->hi < length && chance_of(b->chance, 70)) found = s;
    }
    return found;
}

const char *generate_index(builder *b, int length, unsigned *mask)
{
    pool *memory = &b->program->memory;
    const symbol *loop = pick_loop(b, length);
    int start = chance_from(b->chance, 0, length - 1);
    *mask = 1u << start;
    if (!loop || chance_of(b->chance, 15)) return pool_text(memory, "%d", start);
    *mask = 0;
    int kind = chance_from(b->chance, 0, 5);
    for (int q = loop->lo; q <= loop->hi; q++)
        *mask |= 1u << (kind == 0 ? (q + start) % length : kind == 1 ? length - 1 - q : q);
    if (kind == 0) return pool_text(memory, "(%s + %d) %% %d", loop->name, start, length);
    if (kind == 1) return pool_text(memory, "%d - %s", length - 1, loop->name);
    return loop->name;
}

/* ---- operations ------------------------------------------------------------------------------ */

typedef struct operation {
    const char *pattern;
    int operands;
} operation;

static const operation floating_operations[] = {
    {"($ + $)", 2},     {"($ - $)", 2},    {"($*$)", 2},          {"($/$)", 2},
    {"($ + $)", 2},     {"($ - $)", 2},    {"($*$)", 2},          {"($*$ + $)", 3},
    {"($ - $*$)", 3},   {"($ + $*$)", 3},  {"($*$ - $*$)", 4},    {"($*$ - $)", 3},
    {"(-$)", 1},        {"(+$)", 1},       {"min($, $)", 2},      {"max($, $)", 2},
    {"abs($)", 1},      {"fabs($)", 1},    {"sqrt(fabs($))", 1},  {"floor($)", 1},
    {"ceil($)", 1},     {"trunc($)", 1},   {"rint($)", 1},        {"round($)", 1},
    {"fmin($, $)", 2},  {"fmax($, $)", 2}, {"copysign($, $)", 2}, {"fma($, $, $)", 3},
    {"sqrt($)", 1},     {"sqrtf($)", 1},   {"fmaf($, $, $)", 3},  {"floorf($)", 1},
    {"fminf($, $)", 2}, {"($ - $)", 2},    {"($ + $*$ - $)", 4},  {"(-$*$ + $)", 3},
};
static const operation costly_operations[] = {
    {"fmod($, $)", 2}, {"hypot($, $)", 2}, {"exp($)", 1},   {"exp2($)", 1},      {"expm1($)", 1},
    {"log($)", 1},     {"log2($)", 1},     {"log10($)", 1}, {"log1p($)", 1},     {"pow($, $)", 2},
    {"sin($)", 1},     {"cos($)", 1},      {"tan($)", 1},   {"asin($)", 1},      {"acos($)", 1},
    {"atan($)", 1},    {"atan2($, $)", 2}, {"sinh($)", 1},  {"cosh($)", 1},      {"tanh($)", 1},
    {"cbrt($)", 1},    {"erf($)", 1},      {"sinf($)", 1},  {"expf($)", 1},      {"powf($, $)", 2},
    {"logf($)", 1},    {"tanhf($)", 1},    {"cosf($)", 1},  {"hypotf($, $)", 2}, {"fmodf($, $)", 2},
};
static const operation whole_operations[] = {
    {"($ + $)", 2}, {"($ - $)", 2},  {"($*$)", 2},     {"($/$)", 2},     {"($ % $)", 2},
    {"($ & $)", 2}, {"($ | $)", 2},  {"($ ^ $)", 2},   {"($ << $)", 2},  {"($ >> $)", 2},
    {"(~$)", 1},    {"(-$)", 1},     {"min($, $)", 2}, {"max($, $)", 2}, {"abs($)", 1},
    {"($ % 7)", 1}, {"($ & 15)", 1}, {"($/8)", 1},     {"($*$ + $)", 3}, {"($*4)", 1},
};
static const operation truths[] = {
    {"($ && $)", 2}, {"($ || $)", 2}, {"(!$)", 1},
    {"($ == $)", 2}, {"($ != $)", 2}, {"((bool)$)", 1},
};

static term *operate(builder *b, const operation *o, value_type type, bool whole, int depth)
{
    term *t = builder_term(b, type, o->pattern);
    int exact = chance_from(b->chance, 0, o->operands - 1);
    for (int i = 0; i < o->operands; i++) {
        value_type operand = i == exact ? type : partner(b, type);
        t->part[i] = generate_term(b, whole && is_floating(operand) ? type : operand, depth - 1);
    }
    return t;
}

static term *generate_floating(builder *b, value_type want, int depth)
{
    if (b->costly > 0 && chance_of(b->chance, 12)) {
        b->costly--;
        return operate(b, &CHANCE_PICK(b->chance, costly_operations), want, false, depth);
    }
    return operate(b, &CHANCE_PICK(b->chance, floating_operations), want, false, depth);
}

static term *generate_comparison(builder *b, int depth)
{
    static const char *const patterns[] = {"($ < $)",  "($ <= $)", "($ > $)",
                                           "($ >= $)", "($ == $)", "($ != $)"};
    static const value_type types[] = {DOUBLE, DOUBLE, FLOAT, INT, LONG};
    value_type type = CHANCE_PICK(b->chance, types);
    operation o = {CHANCE_PICK(b->chance, patterns), 2};
    term *t = operate(b, &o, type, false, depth);
    t->type = BOOL;
    return t;
}

static term *generate_truth(builder *b, int depth)
{
    if (chance_of(b->chance, 65)) return generate_comparison(b, depth);
    return operate(b, &CHANCE_PICK(b->chance, truths), BOOL, false, depth);
}

static term *generate_choice(builder *b, value_type want, int depth)
{
    term *t = builder_term(b, want, "($ ? $ : $)");
    t->part[0] = generate_term(b, BOOL, depth - 1);
    t->part[1] = generate_term(b, want, depth - 1);
    t->part[2] = generate_term(b, is_floating(want) ? partner(b, want) : want, depth - 1);
    return t;
}

static term *generate_cast(builder *b, value_type want, int depth)
{
    static const value_type from[] = {DOUBLE, FLOAT, LONG, INT, BOOL};
    term *t = builder_term(
        b, want, pool_text(&b->program->memory, "((%s)$)", builder_variable_type(b, want)));
    t->part[0] = generate_term(b, CHANCE_PICK(b->chance, from), depth - 1);
    return t;
}

static term *generate_helped(builder *b, value_type want, int depth)
{
    if (!b->helper_count) return NULL;
    const helper *h = &b->helpers[chance_from(b->chance, 0, b->helper_count - 1)];
    if (!is_floating(want) && is_floating(h->type)) return NULL;
    if (b->rounds && h->random) return NULL;
    return generate_call(b, h, depth - 1);
}

term *generate_term(builder *b, value_type want, int depth)
{
    int kind = chance_from(b->chance, 0, 99);
    term *t = NULL;
    if (depth <= 0 || kind < 12) return generate_leaf(b, want);
    if (kind < 20) t = generate_choice(b, want, depth);
    if (kind >= 20 && kind < 27) t = generate_cast(b, want, depth);
    if (kind >= 27 && kind < 32) t = generate_helped(b, want, depth);
    if (t) return t;
    if (want == BOOL) return generate_truth(b, depth);
    if (is_floating(want)) return generate_floating(b, want, depth);
    if (kind > 94) return generate_comparison(b, depth);
    return operate(b, &CHANCE_PICK(b->chance, whole_operations), want, true, depth);
}
