/* Loops over neighbours: "for (e : edges)", "for (int k, c : cells[e])".
 *
 * Such a loop counts the neighbours. Their colours and offsets are elements of constant tables, by
 * the colour of what they are neighbours of and their number: so lowering, which unrolls the loop,
 * knows them. */
#include "lang/check.h"
#include "lang/parse.h"

#include <string.h>

/* ---- parsing --------------------------------------------------------------------------------- */

bool lang_at_neighbours(const lang_compiler *c, bool typed)
{
    return c->token.kind == LANG_TOKEN_NAME && (lang_is_sign(&c->next, LANG_SIGN_COLON) ||
                                                (typed && lang_is_sign(&c->next, LANG_SIGN_COMMA)));
}

static bool parse_position(lang_compiler *c, lang_stmt *s, uint32_t at, ir_type type)
{
    if (lang_is_sign(&c->next, LANG_SIGN_COLON)) {
        lang_error(c, at, "a neighbour is no number and has no type");
        return lang_hint(c,
                         "write 'for (%s : edges)'; with the neighbour's number, 'for (int k, "
                         "%s : edges)'",
                         c->token.name->text, c->token.name->text);
    }
    if (type != IR_I32 && type != IR_I64) {
        lang_error(c, at, "the number of a neighbour is int or long");
        return lang_hint(c, "as in 'for (int k, e : edges)'");
    }
    s->declared.type = type;
    if (!lang_parse_name(c, "the name of a variable", &s->declared.name, &s->declared.at))
        return false;
    lang_advance(c);
    if (lang_at_neighbours(c, false)) return true;
    lang_error(c, c->token.at, "a loop declares one variable, with its first value");
    return lang_hint(c, "as in 'for (int q = 0; q < 9; q++)', or 'for (int k, e : edges)'");
}

/* of = ["[" name "]"] */
static bool parse_of(lang_compiler *c, lang_neighbours *n)
{
    return !lang_accept(c, LANG_SIGN_INDEX_OPEN) ||
           (lang_parse_name(c, "the name of a neighbour", &n->of, &n->of_at) &&
            lang_expect(c, LANG_SIGN_INDEX_CLOSE, "after the neighbour"));
}

/* neighbours = [type name ","] name ":" ("cells" | "edges" | "vertices") of ")" */
bool lang_parse_neighbours(lang_compiler *c, lang_stmt *s, bool typed, uint32_t at, ir_type type)
{
    lang_neighbours *n = &s->neighbours;
    s->kind = LANG_STMT_NEIGHBOURS;
    if (typed && !parse_position(c, s, at, type)) return false;
    if (!lang_parse_name(c, "the name of a neighbour", &n->name, &n->at)) return false;
    lang_advance(c);
    return lang_parse_location(c, true, &n->kind) && parse_of(c, n) &&
           lang_expect(c, LANG_SIGN_PAREN_CLOSE, "after the neighbours");
}

/* ---- tables ---------------------------------------------------------------------------------- */

typedef enum aspect { COLOR, X, Y, ORIENTATION, ASPECTS } aspect;

static int value_of(kata_location from, kata_location to, aspect aspect, int color, int slot)
{
    const ir_neighbour *n = &ir_relation_of(from, to)->of[color][slot];
    switch (aspect) {
    case X: return n->x;
    case Y: return n->y;
    case ORIENTATION: return ir_orientation(from, to, color, slot);
    default: return n->color;
    }
}

/* The table of an aspect of a relation, by colour and number. */
static lang_symbol *make_table(lang_compiler *c, kata_location from, kata_location to,
                               aspect aspect)
{
    int count = ir_relation_of(from, to)->count, length = ir_colors(from) * count;
    lang_symbol *table = arena_alloc(&c->syntax, sizeof *table);
    ir_value *values = arena_array(&c->module->memory, (size_t)length, sizeof *values);
    const char *name = ir_location_name(to, true);
    if (!table || !values) {
        lang_no_memory(c);
        return NULL;
    }
    for (int i = 0; i < length; i++)
        values[i] = ir_value_of_int(IR_I32, value_of(from, to, aspect, i / count, i % count));
    *table = (lang_symbol){.kind = LANG_TABLE,
                           .name = lang_intern(c, name, strlen(name)),
                           .type = IR_I32,
                           .length = length,
                           .values = values,
                           .table_owner = -1};
    return table->name ? table : NULL;
}

static lang_symbol *find_table(lang_compiler *c, kata_location from, kata_location to,
                               aspect aspect)
{
    lang_symbol **table = &c->relations[from - KATA_CELLS][to - KATA_CELLS][aspect];
    if (!*table) *table = make_table(c, from, to, aspect);
    return *table;
}

/* An aspect of a neighbour. */
static ir_expr *look_up(lang_compiler *c, const lang_element *n, aspect aspect, uint32_t at)
{
    lang_symbol *table = find_table(c, n->from->on, n->on, aspect);
    int index = table ? lang_tree_table(c, table) : -1;
    ir_expr *e = index < 0 ? NULL : lang_tree_expr(c, IR_EXPR_TABLE, IR_I32, at);
    if (!e) return NULL;
    e->index = index;
    e->arg[0] = n->number;
    return e;
}

/* ---- the neighbour --------------------------------------------------------------------------- */

/* first*times + second; a NULL stands for 0. */
ir_expr *lang_combine(lang_compiler *c, ir_expr *first, int times, ir_expr *second, uint32_t at)
{
    if (!first) return second;
    ir_type type = first->type;
    ir_expr *product = first;
    if (times > 1)
        product =
            lang_tree_op(c, IR_MUL, type, first,
                         lang_tree_const(c, type, ir_value_of_int(type, times), at), NULL, at);
    if (!second || !product) return product;
    return lang_tree_op(c, IR_ADD, type, product, lang_convert(c, lang_value_of(second), type),
                        NULL, at);
}

/* The offset of a neighbour along x or y: that of what it is a neighbour of, and its own. */
static ir_expr *offset_of(lang_compiler *c, const lang_element *n, aspect aspect, uint32_t at)
{
    ir_expr *own = look_up(c, n, aspect, at);
    return own ? lang_combine(c, n->from->at[aspect - X], 1, own, at) : NULL;
}

static lang_element *make_neighbour(lang_compiler *c, const lang_element *from, kata_location on,
                                    ir_expr *slot, uint32_t at)
{
    lang_element *n = slot ? lang_element_new(c, on) : NULL;
    if (!n) return NULL;
    n->from = from;
    n->slot = slot;
    if (c->mesh) return lang_mesh_neighbour(c, n, at) ? n : NULL;
    n->number = lang_combine(c, from->color, ir_relation_of(from->on, on)->count, slot, at);
    if (!n->number) return NULL;
    if (ir_colors(on) > 1 && !(n->color = look_up(c, n, COLOR, at))) return NULL;
    n->at[0] = offset_of(c, n, X, at);
    n->at[1] = offset_of(c, n, Y, at);
    return n->at[0] && n->at[1] ? n : NULL;
}

lang_symbol *lang_neighbour_find(lang_compiler *c, lang_name *name, uint32_t at)
{
    lang_symbol *symbol = lang_lookup(c, name, at, "name");
    if (!symbol) return NULL;
    symbol->used = true;
    if (symbol->kind == LANG_NEIGHBOUR) return symbol;
    lang_error(c, at, "'%s' is %s, not a neighbour", name->text, lang_symbol_kind_name(symbol));
    lang_hint(c, "a neighbour has its name from a loop, as e in 'for (e : edges)'");
    return NULL;
}

/* What the neighbours of a loop are neighbours of. */
static const lang_element *find_from(lang_compiler *c, const lang_stmt *s)
{
    const lang_neighbours *n = &s->neighbours;
    if (!c->element) {
        const char *many = ir_location_name(n->kind, true);
        lang_error(c, s->at, "a loop over %s stands where nothing has %s", many, many);
        lang_hint(c, c->helper ? "a helper has neighbours in kernels on cells, edges or vertices: "
                                 "'static double f(...) on cell'"
                               : "a kernel has neighbours if it says what it computes: 'kernel "
                                 "f(...) on cell', 'on edge' or 'on vertex'");
        return NULL;
    }
    if (!n->of) return c->element;
    const lang_symbol *symbol = lang_neighbour_find(c, n->of, n->of_at);
    return symbol ? symbol->element : NULL;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static bool declare_position(lang_compiler *c, const lang_declared *d, int index, ir_stmt ***tail)
{
    lang_symbol *symbol = lang_declare(c, LANG_LOCAL, d->name, d->at);
    ir_expr *count = symbol ? lang_tree_expr(c, IR_EXPR_LOCAL, IR_I32, d->at) : NULL;
    if (!count) return false;
    count->index = index;
    symbol->type = d->type;
    symbol->constant = true;
    symbol->index = lang_tree_local(c, d->name->text, d->type, 0, d->at);
    if (symbol->index < 0) return false;
    **tail = lang_tree_assign(c, symbol->index, NULL,
                              lang_convert(c, lang_value_of(count), d->type), d->at);
    if (!**tail) return false;
    *tail = &(**tail)->next;
    return true;
}

static bool check_body(lang_compiler *c, const lang_stmt *s, lang_element *n, int index,
                       ir_stmt **out)
{
    const lang_neighbours *of = &s->neighbours;
    if (!lang_mesh_exists(c, n, of->at, &out)) return false;
    if (s->declared.name && !declare_position(c, &s->declared, index, &out)) return false;
    lang_symbol *symbol = lang_declare(c, LANG_NEIGHBOUR, of->name, of->at);
    if (!symbol) return false;
    symbol->element = n;
    int loops = c->loops;
    c->loops = 0;
    c->neighbours++;
    bool ok = lang_check_statements(c, s->body, out);
    c->neighbours--;
    c->loops = loops;
    return ok;
}

ir_stmt *lang_check_neighbours(lang_compiler *c, const lang_stmt *s)
{
    const lang_neighbours *of = &s->neighbours;
    const lang_element *from = find_from(c, s);
    if (from && !lang_mesh_knows(c, from->on, of->kind, s->at)) from = NULL;
    int index = from ? lang_tree_local(c, of->name->text, IR_I32, 0, of->at) : -1;
    ir_stmt *loop = from ? lang_count(c, index, lang_slots(c, from->on, of->kind), s->at) : NULL;
    ir_expr *slot = loop ? lang_tree_expr(c, IR_EXPR_LOCAL, IR_I32, of->at) : NULL;
    if (slot) slot->index = index;
    lang_element *n = make_neighbour(c, from, of->kind, slot, of->at);
    if (!n) {
        lang_forgive(c, of->name);
        return NULL;
    }
    lang_scope scope = lang_scope_enter(c);
    bool ok = check_body(c, s, n, index, &loop->body);
    lang_scope_leave(c, scope);
    return ok ? loop : NULL;
}

/* ---- names of a kernel on cells, edges or vertices ------------------------------------------- */

bool lang_is_orientation(const lang_compiler *c, const lang_expr *e)
{
    return c->element && strcmp(e->name->text, "orientation") == 0 && !lang_find(c, e->name);
}

ir_expr *lang_orientation(lang_compiler *c, const lang_expr *e)
{
    const lang_expr *given = e->arg[1];
    if (!given || given->next || given->kind != LANG_EXPR_NAME) {
        lang_error(c, e->at, "'orientation' takes a neighbour");
        lang_hint(c, "as in 'for (e : edges) ... orientation(e)'");
        return NULL;
    }
    const lang_symbol *symbol = lang_neighbour_find(c, given->name, given->at);
    if (!symbol) return NULL;
    const lang_element *n = symbol->element;
    if ((n->on == KATA_EDGES) != (n->from->on == KATA_EDGES))
        return c->mesh ? lang_mesh_orientation(c, n, e->at) : look_up(c, n, ORIENTATION, e->at);
    lang_error(c, e->at,
               "'%s' is among the %s of %s: an orientation is between an edge and a cell "
               "or vertex of it",
               given->name->text, ir_location_name(n->on, true),
               ir_location_name(n->from->on, true));
    return NULL;
}

bool lang_is_color(const lang_compiler *c, const lang_expr *e)
{
    return c->element && strcmp(e->name->text, "ic") == 0 && !lang_find(c, e->name);
}
