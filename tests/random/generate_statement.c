/* Statements: variables, arrays, assignments, branches and loops. A variable becomes known to later
 * statements once it surely has a value. */
#include "generate.h"

line *builder_line(builder *b, const char *pattern, term *a, term *c)
{
    line *l = pool_new(&b->program->memory, sizeof *l);
    l->pattern = pattern;
    l->part[0] = a;
    l->part[1] = c;
    return l;
}

void line_append(line_list *list, line *l)
{
    if (!list->tail) list->tail = &list->first;
    *list->tail = l;
    list->tail = &l->next;
}

static value_type any_type(builder *b)
{
    static const value_type types[] = {DOUBLE, DOUBLE, DOUBLE, FLOAT, FLOAT, LONG, INT, INT, BOOL};
    return CHANCE_PICK(b->chance, types);
}

#define TEXT(...) pool_text(&b->program->memory, __VA_ARGS__)

const char *builder_variable_type(builder *b, value_type type)
{
    static const char *const narrow[] = {"uchar", "uchar", "ushort", "short"};
    bool is_narrow = type == INT && chance_of(b->chance, 20);
    return is_narrow ? CHANCE_PICK(b->chance, narrow) : type_name(type);
}

/* ---- variables ------------------------------------------------------------------------------- */

static void declare(builder *b, line_list *list, int depth)
{
    value_type type = any_type(b);
    const char *name = builder_name(b);
    bool constant = chance_of(b->chance, 20);
    const char *pattern =
        TEXT("%s%s %s = $;", constant ? "const " : "", builder_variable_type(b, type), name);
    line_append(list, builder_line(b, pattern, generate_term(b, type, depth), NULL));
    builder_symbol(b, VALUE, type, name)->assignable = !constant;
}

/* One of two values, assigned in the branches of an if. */
static void declare_in_branches(builder *b, line_list *list, int depth)
{
    value_type type = any_type(b);
    const char *name = builder_name(b), *assignment = TEXT("%s = $;", name);
    line_append(list,
                builder_line(b, TEXT("%s %s;", builder_variable_type(b, type), name), NULL, NULL));
    line *l = builder_line(b, "if ($)", generate_term(b, BOOL, depth), NULL);
    l->has_body = l->has_other = true;
    l->body = builder_line(b, assignment, generate_term(b, type, depth), NULL);
    l->other = builder_line(b, assignment, generate_term(b, type, depth), NULL);
    line_append(list, l);
    builder_symbol(b, VALUE, type, name)->assignable = true;
}

static void fill_array(builder *b, line_list *list, const char *name, value_type type, int length)
{
    const char *q = builder_name(b);
    line *loop =
        builder_line(b, TEXT("for (int %s = 0; %s < %d; %s++)", q, q, length, q), NULL, NULL);
    int mark = b->symbol_count;
    symbol *s = builder_symbol(b, LOOP, INT, q);
    s->hi = length - 1;
    loop->has_body = true;
    loop->body = builder_line(b, TEXT("%s[%s] = $;", name, q), generate_term(b, type, 2), NULL);
    b->symbol_count = mark;
    line_append(list, loop);
}

static void declare_array(builder *b, line_list *list)
{
    static const char *const lists[] = {"$", "$, $", "$, $, $", "$, $, $, $"};
    value_type type = any_type(b);
    const char *name = builder_name(b);
    int length = chance_from(b->chance, 1, 4);
    if (chance_of(b->chance, 50)) {
        line *l = builder_line(b,
                               TEXT("%s %s[%d] = {%s};", type_name(type), name, length,
                                    lists[chance_from(b->chance, 0, length - 1)]),
                               NULL, NULL);
        for (int i = 0; i < length; i++) l->part[i] = generate_term(b, type, 2);
        line_append(list, l);
    } else {
        line_append(list,
                    builder_line(b, TEXT("%s %s[%d];", type_name(type), name, length), NULL, NULL));
        fill_array(b, list, name, type, length);
    }
    symbol *s = builder_symbol(b, ARRAY, type, name);
    s->length = length;
    s->assignable = true;
}

/* ---- assignments ----------------------------------------------------------------------------- */

static const char *operator_for(builder *b, value_type type)
{
    static const char *const floating[] = {"=", "=", "+=", "-=", "*=", "/="};
    static const char *const whole[] = {
        "=", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    if (type == BOOL) return "=";
    return is_floating(type) ? CHANCE_PICK(b->chance, floating) : CHANCE_PICK(b->chance, whole);
}

static void assign(builder *b, line_list *list, int depth)
{
    const symbol *s = NULL;
    for (int i = 0; i < b->symbol_count; i++)
        if (b->symbols[i].assignable && (!s || chance_of(b->chance, 40))) s = &b->symbols[i];
    if (!s) {
        declare(b, list, depth);
        return;
    }
    unsigned mask;
    const char *target = s->name,
               *index = s->kind == ARRAY ? generate_index(b, s->length, &mask) : "";
    if (s->kind == ARRAY) target = TEXT("%s[%s]", target, index);
    bool step = (s->type == INT || s->type == LONG) && chance_of(b->chance, 10);
    if (step) {
        const char *sign = chance_of(b->chance, 50) ? "++" : "--";
        line_append(list, builder_line(b, TEXT("%s%s;", target, sign), NULL, NULL));
        return;
    }
    const char *pattern = TEXT("%s %s $;", target, operator_for(b, s->type));
    line_append(list, builder_line(b, pattern, generate_term(b, s->type, depth), NULL));
}

/* ---- branches and loops ---------------------------------------------------------------------- */

term *generate_condition(builder *b)
{
    static const char *const patterns[] = {"$ < $", "$ > $", "$ <= $", "$ >= $"};
    term *t = builder_term(b, BOOL, CHANCE_PICK(b->chance, patterns));
    value_type type = chance_of(b->chance, 50) ? DOUBLE : INT;
    t->part[0] = generate_unknown(b, type);
    t->part[1] = generate_literal(b, t->part[0]->type == LONG ? INT : type);
    return t;
}

/* Statements in a scope of their own. Afterwards only effects that surely happened count. */
static line *generate_block(builder *b, int depth)
{
    line_list list = {0};
    int mark = b->symbol_count;
    generate_statements(b, &list, chance_from(b->chance, 1, 3), depth);
    b->symbol_count = mark;
    return list.first;
}

static void branch(builder *b, line_list *list, int depth)
{
    unsigned before[MAX_PARAMS];
    line *l = builder_line(b, "if ($)", generate_term(b, BOOL, depth), NULL);
    for (int p = 0; p < MAX_PARAMS; p++) before[p] = b->set[p];
    l->has_body = true;
    l->body = generate_block(b, depth - 1);
    for (int p = 0; p < MAX_PARAMS; p++) b->set[p] = before[p];
    l->has_other = chance_of(b->chance, 50);
    if (l->has_other) l->other = generate_block(b, depth - 1);
    for (int p = 0; p < MAX_PARAMS; p++) b->set[p] = before[p];
    line_append(list, l);
}

static void loop(builder *b, line_list *list, int depth)
{
    const char *q = builder_name(b);
    int first = chance_from(b->chance, -1, 1), last = first + chance_from(b->chance, 0, 2);
    const char *head = TEXT("for (int %s = %d; %s <= %d; %s++)", q, first, q, last, q);
    if (chance_of(b->chance, 25))
        head = TEXT("for (int %s = %d; %s >= %d; --%s)", q, last, q, first, q);
    line *l = builder_line(b, head, NULL, NULL);
    int mark = b->symbol_count;
    symbol *s = builder_symbol(b, LOOP, INT, q);
    s->lo = first;
    s->hi = last;
    l->has_body = true;
    l->body = generate_block(b, depth - 1);
    b->symbol_count = mark;
    line_append(list, l);
}

/* A line that leaves the loop around, or its round, at some points. */
static line *leave(builder *b)
{
    static const char *const patterns[] = {"if ($) break;", "if ($) continue;"};
    return builder_line(b, CHANCE_PICK(b->chance, patterns), generate_condition(b), NULL);
}

/* A loop that is not unrolled: what runs in it may not run at all. */
static void rounds(builder *b, line_list *list, int depth)
{
    static const char *const heads[] = {
        "for (int %s = 0; %s < $ && %s < %d; %s++)", "for (long %s = -1; %s <= %d && $; %s += 2)",
        "for (int %s = %d; $ && %s > -2; %s--)", "for (int %s = 0; %s < %d; %s++)"};
    unsigned before[MAX_PARAMS];
    const char *q = builder_name(b), *head;
    int kind = chance_from(b->chance, 0, 3), most = chance_from(b->chance, 0, 6);
    term *bound = kind == 0 ? generate_unknown(b, INT) : kind < 3 ? generate_condition(b) : NULL;
    int mark = b->symbol_count, outer = b->rounds;
    if (kind == 0)
        head = TEXT(heads[0], q, q, q, most, q);
    else
        head = kind == 2 ? TEXT(heads[2], q, most, q, q) : TEXT(heads[kind], q, q, most, q);
    line *l = builder_line(b, head, bound, NULL);
    for (int p = 0; p < MAX_PARAMS; p++) before[p] = b->set[p];
    builder_symbol(b, VALUE, kind == 1 ? LONG : INT, q);
    b->rounds++;
    line_list body = {0};
    generate_statements(b, &body, chance_from(b->chance, 1, 2), depth - 1);
    if (kind == 3 || chance_of(b->chance, 50)) line_append(&body, leave(b));
    generate_statements(b, &body, chance_from(b->chance, 1, 2), depth - 1);
    b->rounds = outer;
    b->symbol_count = mark;
    for (int p = 0; p < MAX_PARAMS; p++) b->set[p] = before[p];
    l->has_body = true;
    l->body = body.first;
    line_append(list, l);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void generate_statement(builder *b, line_list *list, int depth)
{
    int kind = chance_from(b->chance, 0, 99);
    if (kind < 14 && depth > 1) {
        branch(b, list, depth);
    } else if (kind < 22 && depth > 1) {
        loop(b, list, depth);
    } else if (kind < 27 && depth > 1 && b->rounds < 2 && !b->plain) {
        rounds(b, list, depth);
    } else if (kind < 40 && b->kernel) {
        generate_store(b, list, chance_from(b->chance, 0, b->kernel->param_count - 1), depth);
    } else if (kind < 50) {
        declare_in_branches(b, list, depth);
    } else if (kind < 57) {
        declare_array(b, list);
    } else if (kind < 75) {
        assign(b, list, depth);
    } else {
        declare(b, list, depth);
    }
}

void generate_statements(builder *b, line_list *list, int count, int depth)
{
    for (int i = 0; i < count; i++) generate_statement(b, list, depth);
}
