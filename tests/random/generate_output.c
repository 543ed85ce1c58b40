/* Outputs of kernels. Values are often brought back to a common size: a field full of NaN tells
 * nothing about later kernels. */
#include "generate.h"

#define TEXT(...) pool_text(&b->program->memory, __VA_ARGS__)

static bool is_written_field(const param *p) { return p->kind == OUT || p->kind == INOUT; }

static bool is_reduction(const param *p)
{
    return p->kind == SUM || p->kind == MIN || p->kind == MAX;
}

static const symbol *symbol_of(const builder *b, int p)
{
    for (int i = 0; i < b->symbol_count; i++)
        if (b->symbols[i].own == &b->kernel->params[p]) return &b->symbols[i];
    return NULL;
}

static term *generate_value(builder *b, value_type type, int depth)
{
    static const char *const floating[] = {"fmin(fmax($, -3.0), 3.0)", "min(max($, -2.5), 2.5)",
                                           "fmax(fmin($, 2.0), -2.0) + 0.125"};
    static const char *const whole[] = {"($) % 1000", "($) & 255", "($) >> 3"};
    term *value = generate_term(b, type, depth);
    if (chance_of(b->chance, is_floating(type) ? 45 : 60)) return value;
    term *t = builder_term(b, type,
                           is_floating(type) ? CHANCE_PICK(b->chance, floating)
                                             : CHANCE_PICK(b->chance, whole));
    t->part[0] = value;
    return t;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* An index of components that may all be written; NULL when none was found. */
static const char *written_index(builder *b, const param *p, unsigned *mask)
{
    for (int tries = 0; tries < 20; tries++) {
        const char *index = generate_index(b, p->count, mask);
        if (!(*mask & ~p->written)) return index;
    }
    return NULL;
}

static line *store_at(builder *b, const symbol *s, const char *index, const char *child,
                      const char *sign, int depth)
{
    const char *target =
        s->length ? TEXT("%s[%s]%s", s->name, index, child) : TEXT("%s%s", s->name, child);
    term *value = generate_value(b, s->type, depth);
    return builder_line(b, TEXT("%s %s $;", target, sign), value, NULL);
}

/* All children of a finer field, in loops: the first of them is written last. */
static line *store(builder *b, const symbol *s, const char *index, const char *sign, int depth)
{
    const program *p = b->program;
    if (s->own->up <= 0) return store_at(b, s, index, "", sign, depth);
    int mark = b->symbol_count;
    line *outer = NULL, **inner = &outer;
    const char *child = "";
    for (int d = 0; d < p->rank; d++) {
        const char *q = builder_name(b);
        *inner = builder_line(b, TEXT("for (int %s = 0; %s < %d; %s++)", q, q, p->ratio[d], q),
                              NULL, NULL);
        (*inner)->has_body = true;
        inner = &(*inner)->body;
        builder_symbol(b, LOOP, INT, q)->hi = p->ratio[d] - 1;
        child = TEXT("%s%s%s", child, d ? "," : "", q);
    }
    *inner = store_at(b, s, index, TEXT("[%s]", child), sign, depth);
    b->symbol_count = mark;
    return outer;
}

static void store_somewhere(builder *b, line_list *list, int p, int depth)
{
    static const char *const compound[] = {"+=", "-=", "*="};
    const param *param = &b->kernel->params[p];
    unsigned mask;
    const char *index = written_index(b, param, &mask);
    if (!index) return;
    bool one = param->up <= 0; /* of more children, perhaps the first alone is set */
    bool readable = param->kind == INOUT || (one && !(mask & ~b->set[p]));
    const char *sign =
        readable && chance_of(b->chance, 30) ? CHANCE_PICK(b->chance, compound) : "=";
    if (param->up > 0 && (sign[0] == '=' || param->kind == INOUT) && chance_of(b->chance, 60)) {
        bool first;
        const char *child = generate_child(b, param, &first);
        line_append(list, store_at(b, symbol_of(b, p), index, child, sign, depth));
        if (!(mask & (mask - 1)) && first) b->set[p] |= mask;
        return;
    }
    line_append(list, store(b, symbol_of(b, p), index, sign, depth));
    if (!(mask & (mask - 1))) b->set[p] |= mask;
}

/* Reads a stored value back: it was rounded to its storage type. */
static void store_again(builder *b, line_list *list, const symbol *s, int component)
{
    const char *target = s->length ? TEXT("%s[%d]", s->name, component) : s->name;
    const char *pattern =
        TEXT(is_floating(s->type) ? "%s = %s*0.7 + $;" : "%s = %s ^ $;", target, target);
    line_append(list, builder_line(b, pattern, generate_term(b, s->type, 1), NULL));
}

static void store_component(builder *b, line_list *list, int p, int component)
{
    const symbol *s = symbol_of(b, p);
    line_append(list, store(b, s, TEXT("%d", component), "=", 3));
    b->set[p] |= 1u << component;
    if (chance_of(b->chance, 30)) store_again(b, list, s, component);
}

static void store_in_loop(builder *b, line_list *list, int p)
{
    const param *param = &b->kernel->params[p];
    const char *q = builder_name(b);
    const char *head = TEXT("for (int %s = 0; %s < %d; %s++)", q, q, param->count, q);
    line *l = builder_line(b, head, NULL, NULL);
    int mark = b->symbol_count;
    builder_symbol(b, LOOP, INT, q)->hi = param->count - 1;
    l->has_body = true;
    l->body = store(b, symbol_of(b, p), q, "=", 3);
    b->symbol_count = mark;
    b->set[p] |= param->written;
    line_append(list, l);
}

static void store_sometimes(builder *b, line_list *list, int p, int component)
{
    line *l = builder_line(b, "if ($)", generate_condition(b), NULL);
    l->has_body = true;
    l->body = store(b, symbol_of(b, p), TEXT("%d", component), "=", 3);
    line_append(list, l);
}

static void store_all(builder *b, line_list *list, int p)
{
    const param *param = &b->kernel->params[p];
    bool whole = param->written == (1u << param->count) - 1;
    if (whole && param->count > 1 && chance_of(b->chance, 50)) {
        store_in_loop(b, list, p);
        return;
    }
    bool some = chance_of(b->chance, 20), stored = false;
    for (int c = 0; c < param->count; c++) {
        if (!(param->written >> c & 1) || (some && stored && chance_of(b->chance, 50))) continue;
        stored = true;
        if (chance_of(b->chance, 20))
            store_sometimes(b, list, p, c);
        else
            store_component(b, list, p, c);
    }
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Adds to an element that is known at run time only. */
static void add_to_bin(builder *b, line_list *list, int p, term *value)
{
    const param *param = &b->kernel->params[p];
    const char *sign = chance_of(b->chance, 50) ? "+=" : "-=";
    b->checked = true;
    line_append(list, builder_line(b, TEXT("p%d[($ & 255) %% %d] %s $;", p, param->count, sign),
                                   generate_unknown(b, INT), value));
}

static void reduce(builder *b, line_list *list, int p, term *value)
{
    const param *param = &b->kernel->params[p];
    unsigned mask;
    const char *r = TEXT("p%d", p);
    bool bins = param->kind == SUM && param->brackets && !is_floating(param->type) &&
                !param->columns && !b->rounds && !b->plain;
    if (bins && chance_of(b->chance, 50)) {
        add_to_bin(b, list, p, value);
        return;
    }
    if (param->brackets) r = TEXT("%s[%s]", r, generate_index(b, param->count, &mask));
    const char *pattern = param->kind == SUM
                              ? TEXT("%s %s $;", r, chance_of(b->chance, 75) ? "+=" : "-=")
                          : param->kind == MIN ? TEXT("%s = min(%s, $);", r, r)
                                               : TEXT("%s = max(%s, $);", r, r);
    line_append(list, builder_line(b, pattern, value, NULL));
}

static void reduce_surely(builder *b, line_list *list, int p)
{
    const param *param = &b->kernel->params[p];
    value_type type = param->type;
    if (chance_of(b->chance, 50)) {
        reduce(b, list, p, generate_unknown(b, type));
        return;
    }
    term *t = builder_term(b, type, is_floating(type) ? "$*0.75 + $" : "$ + $");
    t->part[0] = generate_unknown(b, type);
    t->part[1] = generate_value(b, type, 2);
    reduce(b, list, p, t);
}

/* ---- all ------------------------------------------------------------------------------------- */

void generate_store(builder *b, line_list *list, int p, int depth)
{
    const param *param = &b->kernel->params[p];
    if (is_written_field(param)) store_somewhere(b, list, p, depth);
    if (is_reduction(param)) reduce(b, list, p, generate_value(b, param->type, depth));
}

void generate_outputs(builder *b, line_list *list)
{
    for (int p = 0; p < b->kernel->param_count; p++) {
        const param *param = &b->kernel->params[p];
        if (is_written_field(param)) store_all(b, list, p);
        if (is_reduction(param)) reduce_surely(b, list, p);
        if (chance_of(b->chance, 25)) generate_statements(b, list, 1, 2);
    }
}

/* ---- few operations -------------------------------------------------------------------------- */

static term *read_or_any(builder *b, value_type type)
{
    term *read = chance_of(b->chance, 75) ? generate_read(b, !is_floating(type)) : NULL;
    return read ? read : generate_term(b, type, 1);
}

static term *few_operations(builder *b, value_type type)
{
    static const char *const floating[] = {"$ - 0.5*$", "fmin(fmax($*0.75 + $, -3.0), 3.0)",
                                           "0.25*$ + $*0.125", "($ > 0.5 ? $ : -1)"};
    static const char *const whole[] = {"($ ^ $) & 1023", "$ - $ * 3", "($ > 2 ? $ : 7)"};
    term *t = builder_term(b, type,
                           is_floating(type) ? CHANCE_PICK(b->chance, floating)
                                             : CHANCE_PICK(b->chance, whole));
    for (int i = 0; i < 2; i++) t->part[i] = read_or_any(b, type);
    return t;
}

void generate_few_outputs(builder *b, line_list *list)
{
    for (int p = 0; p < b->kernel->param_count; p++) {
        const param *param = &b->kernel->params[p];
        if (is_reduction(param)) reduce_surely(b, list, p);
        for (int c = 0; c < param->count && is_written_field(param); c++) {
            const symbol *s = symbol_of(b, p);
            if (!(param->written >> c & 1)) continue;
            const char *target =
                s->length ? TEXT("%s[%d] = $;", s->name, c) : TEXT("%s = $;", s->name);
            line_append(list, builder_line(b, target, few_operations(b, s->type), NULL));
            b->set[p] |= 1u << c;
        }
    }
}
