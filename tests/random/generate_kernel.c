/* Constants, helpers and kernels. A kernel is made for fields and scalars of the program (its
 * samples), so that there is something to apply it to. */
#include "generate.h"

#define TEXT(...) pool_text(&b->program->memory, __VA_ARGS__)

/* ---- constants ------------------------------------------------------------------------------- */

static void generate_table(builder *b, line_list *list, value_type type, bool offsets)
{
    const char *name = TEXT("c%d", b->names++), *text = "";
    int length = chance_from(b->chance, 2, 5), lo = 99, hi = -99;
    for (int i = 0; i < length; i++) {
        int x = offsets ? chance_from(b->chance, -2, 2) : chance_from(b->chance, -20, 20);
        lo = x < lo ? x : lo;
        hi = x > hi ? x : hi;
        text = is_floating(type) ? TEXT("%s%s%d.%d", text, i ? ", " : "", x, length + i)
                                 : TEXT("%s%s%d", text, i ? ", " : "", x);
    }
    line_append(
        list, builder_line(b, TEXT("const %s %s[%d] = {%s};", type_name(type), name, length, text),
                           NULL, NULL));
    symbol *s = builder_symbol(b, ARRAY, type, name);
    s->length = length;
    s->known = true;
    s->lo = lo;
    s->hi = hi;
}

static void generate_constant(builder *b, line_list *list, value_type type)
{
    const char *name = TEXT("c%d", b->names++);
    term *value = generate_literal(b, type);
    line_append(list,
                builder_line(b, TEXT("const %s %s = $;", type_name(type), name), value, NULL));
    builder_symbol(b, VALUE, type, name);
}

/* ---- helpers --------------------------------------------------------------------------------- */

static const char *declare_helper_param(builder *b, helper_param *p)
{
    static const value_type types[] = {DOUBLE, DOUBLE, FLOAT, FLOAT, INT, LONG};
    const char *name = builder_name(b), *type;
    p->is_field = b->program->field_count && chance_of(b->chance, 60);
    if (p->is_field) {
        const field *f =
            &b->program->fields[chance_from(b->chance, 0, b->program->field_count - 1)];
        p->type = type_of_storage(f->type);
        p->count = f->components > 1 && chance_of(b->chance, 40) ? f->components : 0;
    } else {
        p->type = CHANCE_PICK(b->chance, types);
    }
    symbol *s = builder_symbol(b, p->is_field ? FIELD : VALUE, p->type, name);
    s->use = &p->use;
    s->length = p->count;
    type = type_name(p->type);
    if (p->count) return TEXT("in %s %s[%d]", type, name, p->count);
    return TEXT("%s%s %s", p->is_field ? "in " : "", type, name);
}

/* Returns from inside, then at the end. */
static line *helper_body(builder *b, value_type type)
{
    line_list list = {0};
    generate_statements(b, &list, chance_from(b->chance, 0, 2), 2);
    for (int i = chance_from(b->chance, 0, 2); i > 0; i--) {
        line *l = builder_line(b, "if ($)", generate_term(b, BOOL, 2), NULL);
        l->has_body = true;
        l->body = builder_line(b, "return $;", generate_term(b, type, 2), NULL);
        line_append(&list, l);
        if (chance_of(b->chance, 40)) generate_statements(b, &list, 1, 2);
    }
    line_append(&list, builder_line(b, "return $;", generate_term(b, type, 2), NULL));
    return list.first;
}

static void generate_helper(builder *b, line_list *list)
{
    static const value_type types[] = {DOUBLE, FLOAT, DOUBLE, INT};
    helper *h = &b->helpers[b->helper_count];
    int mark = b->symbol_count, randoms = b->randoms;
    const char *params = "";
    h->name = TEXT("h%d", b->helper_count);
    h->type = CHANCE_PICK(b->chance, types);
    h->param_count = chance_from(b->chance, 1, 3);
    for (int i = 0; i < h->param_count; i++)
        params = TEXT("%s%s%s", params, i ? ", " : "", declare_helper_param(b, &h->params[i]));
    line *l =
        builder_line(b, TEXT("static %s %s(%s)", type_name(h->type), h->name, params), NULL, NULL);
    l->has_body = true;
    l->body = helper_body(b, h->type);
    line_append(list, l);
    b->symbol_count = mark;
    h->random = b->randoms > randoms;
    b->helper_count++;
}

void generate_definitions(builder *b, line_list *list)
{
    static const value_type types[] = {DOUBLE, FLOAT, INT, LONG};
    if (chance_of(b->chance, 20)) line_append(list, builder_line(b, "contract off;", NULL, NULL));
    line_append(list, builder_line(b, "const double cube[2][3][5] = {{{1, 2, 3}, {4}, {0.5, -1}}};",
                                   NULL, NULL));
    line_append(list, builder_line(b, "const double line[1100] = {2, 3, -0.5, 0, 7};", NULL, NULL));
    line_append(list, builder_line(b, "const double square[2][3] = {{0.5, -1, 3}, {2, -0.25}};",
                                   NULL, NULL));
    if (chance_of(b->chance, 60)) generate_table(b, list, INT, true);
    if (chance_of(b->chance, 40)) generate_table(b, list, CHANCE_PICK(b->chance, types), false);
    if (chance_of(b->chance, 40)) generate_constant(b, list, CHANCE_PICK(b->chance, types));
    for (int i = chance_from(b->chance, 0, MAX_HELPERS); i > 0; i--) generate_helper(b, list);
}

/* ---- parameters ------------------------------------------------------------------------------ */

static param *add_param(kernel *k, param_kind kind)
{
    param *p = &k->params[k->param_count++];
    *p = (param){.kind = kind, .count = 1};
    return p;
}

/* Whether a field (a scalar, of kernels that run once) is given for a parameter already. */
static bool is_taken(const kernel *k, int f)
{
    for (int p = 0; p < k->param_count; p++) {
        bool given = takes_field(&k->params[p]) || (k->once && k->params[p].kind >= SUM);
        if (given && k->params[p].sample == f) return true;
    }
    return false;
}

/* The type to compute a field in: its own, or the other floating or integer one. */
static value_type type_for(builder *b, const field *f)
{
    value_type type = type_of_storage(f->type);
    static const value_type others[] = {
        [INT] = LONG, [LONG] = INT, [FLOAT] = DOUBLE, [DOUBLE] = FLOAT};
    return chance_of(b->chance, 25) ? others[type] : type;
}

static void add_this_field(builder *b, kernel *k, param_kind kind, int f)
{
    const field *field = &b->program->fields[f];
    int up = field->level - k->level;
    if (is_taken(k, f) || (up < 0 && kind != IN)) return;
    param *p = add_param(k, kind);
    p->sample = f;
    p->up = up;
    p->type =
        k->stage && chance_of(b->chance, 90) ? type_of_storage(field->type) : type_for(b, field);
    if (p->type == INT && chance_of(b->chance, 50)) p->narrow = narrow_name(field->type);
    p->count = field->components;
    p->along = field->along;
    unsigned all = (1u << p->count) - 1;
    if (kind != IN) p->written = all;
    if (kind == INOUT && p->count > 1 && chance_of(b->chance, 40))
        p->written = (unsigned)chance_from(b->chance, 1, (int)all);
}

static void add_field(builder *b, kernel *k, param_kind kind)
{
    add_this_field(b, k, kind, chance_from(b->chance, 0, b->program->field_count - 1));
}

static void add_number(builder *b, kernel *k)
{
    static const value_type types[] = {DOUBLE, DOUBLE, FLOAT, INT, LONG, BOOL};
    bool table = chance_of(b->chance, 25);
    param *p = add_param(k, table ? TABLE : NUMBER);
    p->type = types[chance_from(b->chance, 0, table ? 4 : 5)];
    if (table) p->count = chance_from(b->chance, 1, chance_of(b->chance, 30) ? MAX_TABLE : 6);
}

static param *add_scalar(builder *b, kernel *k, param_kind kind)
{
    int s = chance_from(b->chance, 0, b->program->scalar_count - 1);
    if (k->once && is_taken(k, s)) return NULL;
    param *p = add_param(k, kind);
    p->sample = s;
    p->type = type_of_storage(b->program->scalars[s].type);
    p->count = b->program->scalars[s].count;
    if (kind == OUT || kind == INOUT) p->written = (1u << p->count) - 1;
    return p;
}

static void add_reduction(builder *b, kernel *k)
{
    param *p = add_scalar(b, k, (param_kind)chance_from(b->chance, SUM, MAX));
    if (!p) return;
    p->onto = chance_of(b->chance, 30);
    if (p->kind == SUM && is_floating(p->type) && b->program->shiftable) p->kind = MAX;
    if (p->kind == SUM && is_floating(p->type)) k->sums_floating = true;
}

/* Into a field of lower rank, if there is one. */
static void add_column_reduction(builder *b, kernel *k)
{
    int f = chance_from(b->chance, 0, b->program->field_count - 1);
    const field *field = &b->program->fields[f];
    if (!field->along || field->along == 7 || field->temporary || is_taken(k, f) ||
        k->param_count == MAX_PARAMS)
        return;
    param *p = add_param(k, (param_kind)chance_from(b->chance, SUM, MAX));
    p->columns = true;
    p->sample = f;
    p->type = type_for(b, field);
    p->count = field->components;
    p->along = field->along;
    p->onto = chance_of(b->chance, 40);
}

static bool writes(const kernel *k)
{
    for (int p = 0; p < k->param_count; p++)
        if (k->params[p].kind != IN && k->params[p].kind != NUMBER && k->params[p].kind != TABLE)
            return true;
    return false;
}

/* The cost of code for each of them grows with their number. */
static bool writes_children(const kernel *k)
{
    for (int p = 0; p < k->param_count; p++)
        if (k->params[p].kind <= INOUT && k->params[p].written && k->params[p].up > 0) return true;
    return false;
}

static void add_params_once(builder *b, kernel *k)
{
    for (int i = chance_from(b->chance, 0, 3); i >= 0; i--)
        add_scalar(b, k, (param_kind)chance_from(b->chance, IN, INOUT));
    for (int i = chance_from(b->chance, 0, 2); i > 0; i--) add_number(b, k);
    if (chance_of(b->chance, 20)) add_reduction(b, k);
    if (writes(k)) return;
    k->param_count = 0;
    add_scalar(b, k, OUT);
}

static void add_params(builder *b, kernel *k)
{
    for (int i = chance_from(b->chance, 0, 5); i <= 5; i += 2)
        add_field(b, k, chance_of(b->chance, 70) ? OUT : INOUT);
    for (int i = chance_from(b->chance, 0, 3) + 1; i > 0; i--) add_field(b, k, IN);
    for (int i = chance_from(b->chance, 0, 2); i > 0; i--) add_number(b, k);
    if (chance_of(b->chance, 25)) add_reduction(b, k);
    for (int i = chance_from(b->chance, 0, 3); i > 1; i--) add_column_reduction(b, k);
    if (!writes(k)) add_reduction(b, k);
}

/* The first half of the fields lasts, the others are temporaries. */
static void add_field_of_stage(builder *b, kernel *k, param_kind kind, bool temporary)
{
    int half = b->program->field_count / 2;
    if (!temporary && chance_of(b->chance, 75)) { /* most take from one and give to another */
        add_this_field(b, k, kind, kind == IN ? 0 : 1);
        return;
    }
    add_this_field(b, k, kind, (temporary ? half : 0) + chance_from(b->chance, 0, half - 1));
}

static void add_params_of_stage(builder *b, kernel *k)
{
    bool makes = k->stage != STAGE_TAKES, takes = k->stage != STAGE_MAKES;
    for (int i = 1 + chance_of(b->chance, 30); i > 0; i--)
        add_field_of_stage(b, k, makes || chance_of(b->chance, 70) ? OUT : INOUT, makes);
    for (int i = takes ? chance_from(b->chance, 1, 3) : 0; i > 0; i--)
        add_field_of_stage(b, k, IN, true);
    for (int i = chance_from(b->chance, takes ? 0 : 1, 2); i > 0; i--)
        add_field_of_stage(b, k, IN, false);
    for (int i = chance_from(b->chance, 0, 2); i > 0; i--) add_number(b, k);
    if (!makes && chance_of(b->chance, 20)) add_reduction(b, k);
}

/* A minimum or maximum that is a single scalar, another than number s; -1: there is none. */
static int add_extreme(builder *b, kernel *k, int s)
{
    const scalar *first = &b->program->scalars[0];
    for (int p = 0; p < k->param_count; p++)
        if ((k->params[p].kind == MIN || k->params[p].kind == MAX) && !k->params[p].columns &&
            k->params[p].count == 1 && k->params[p].sample != s)
            return p;
    bool taken = s == 0 || first->count != 1 || k->param_count + 1 >= MAX_PARAMS;
    for (int p = 0; p < k->param_count; p++)
        taken = taken || (k->params[p].kind >= SUM && !k->params[p].columns);
    if (taken) return -1;
    param *p = add_param(k, chance_of(b->chance, 50) ? MIN : MAX);
    p->sample = 0;
    p->type = type_of_storage(first->type);
    p->count = 1;
    p->onto = chance_of(b->chance, 30);
    return k->param_count - 1;
}

/* Perhaps the point of a minimum or maximum. */
static void add_where(builder *b, kernel *k)
{
    int s = b->program->scalar_count - 1;
    const scalar *last = &b->program->scalars[s];
    bool room = last->count == 3 && !is_floating(type_of_storage(last->type)) &&
                k->param_count < MAX_PARAMS && !b->program->shiftable;
    for (int p = 0; p < k->param_count; p++)
        room = room &&
               !(k->params[p].kind >= SUM && !k->params[p].columns && k->params[p].sample == s);
    int of = room && chance_of(b->chance, 50) ? add_extreme(b, k, s) : -1;
    if (of < 0 || k->param_count == MAX_PARAMS) return;
    k->params[of].single = true;
    param *p = add_param(k, WHERE);
    p->of = of;
    p->sample = s;
    p->type = type_of_storage(last->type);
    p->count = 3;
}

static void shuffle_params(builder *b, kernel *k)
{
    for (int i = k->param_count - 1; i > 0; i--) {
        int j = chance_from(b->chance, 0, i);
        param p = k->params[i];
        k->params[i] = k->params[j];
        k->params[j] = p;
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

static line *generate_few(builder *b)
{
    line_list body = {0};
    b->plain = true;
    if (chance_of(b->chance, 20)) generate_statements(b, &body, 1, 1);
    generate_few_outputs(b, &body);
    for (int i = 0; i < b->kernel->param_count; i++) b->kernel->params[i].sure = b->set[i];
    b->plain = false;
    return body.first;
}

static line *generate_body(builder *b)
{
    line_list body = {0};
    generate_statements(b, &body, chance_from(b->chance, 0, 4), 3);
    generate_intervals(b, &body);
    generate_outputs(b, &body);
    for (int i = 0; i < b->kernel->param_count; i++) b->kernel->params[i].sure = b->set[i];
    if (chance_of(b->chance, 15))
        line_append(&body, builder_line(b, "if ($) return;", generate_term(b, BOOL, 2), NULL));
    generate_statements(b, &body, chance_from(b->chance, 0, 1), 3);
    return body.first;
}

static const char *declare_param(builder *b, kernel *k, int i)
{
    static const char *const kinds[] = {"in ",  "out ", "inout ", "", "",
                                        "sum ", "min ", "max ",   ""};
    param *p = &k->params[i];
    const char *name = TEXT("p%d", i), *type = p->narrow ? p->narrow : type_name(p->type);
    bool field = p->kind <= INOUT;
    if (p->kind == WHERE) return TEXT("at(p%d) %s %s[%d]", p->of, type, name, p->count);
    bool single = p->kind == NUMBER || p->single || (p->count == 1 && !chance_of(b->chance, 8));
    p->brackets = p->kind == TABLE || !single;
    if (p->kind < SUM) {
        symbol *s = builder_symbol(b,
                                   field              ? FIELD
                                   : p->kind == TABLE ? ARRAY
                                                      : VALUE,
                                   p->type, name);
        s->length = p->brackets ? p->count : 0;
        s->use = &p->use;
        s->own = p;
        s->set = &b->set[i];
    }
    const char *onto = p->onto ? "inout " : "", *kind = kinds[p->kind], *along = "";
    const char *ratio = generate_ratio(b, p);
    for (int d = 0; d < 3; d++)
        if (p->along >> d & 1) along = TEXT("%s%s%c", along, *along ? "" : " along ", "xyz"[d]);
    if (p->brackets)
        return TEXT("%s%s%s %s[%d]%s%s", onto, kind, type, name, p->count, ratio, along);
    return TEXT("%s%s%s %s%s%s", onto, kind, type, name, ratio, along);
}

void generate_kernel(builder *b, line_list *list, kernel *k)
{
    int mark = b->symbol_count;
    bool helpers_checked = b->checked;
    const char *params = "";
    if (k->once)
        add_params_once(b, k);
    else if (k->stage)
        add_params_of_stage(b, k);
    else
        add_params(b, k);
    if (!k->stage && !writes_children(k)) generate_order(b, k);
    for (int i = 0; k->order && !k->orders[k->ordered] && i < k->param_count; i++)
        if (k->params[i].kind <= INOUT && k->params[i].along)
            k->params[i].handed_on = ~k->params[i].along & 1 << k->ordered;
    shuffle_params(b, k);
    if (!k->once && !k->stage) add_where(b, k);
    b->kernel = k;
    b->costly = chance_of(b->chance, 30) && !writes_children(k) ? 2 : 0;
    for (int i = 0; i < k->param_count; i++) {
        b->set[i] = 0;
        params = TEXT("%s%s%s", params, i ? ", " : "", declare_param(b, k, i));
    }
    line *l =
        builder_line(b, TEXT("kernel %s(%s)%s", k->name, params, order_text(b, k)), NULL, NULL);
    bool few = k->stage && chance_of(b->chance, 80);
    l->body = few ? generate_few(b) : generate_body(b);
    k->checked = b->checked;
    b->checked = helpers_checked;
    l->has_body = true;
    line_append(list, l);
    b->symbol_count = mark;
    b->kernel = NULL;
}
