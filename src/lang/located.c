/* Accesses to fields on cells, edges and vertices: "d" here, "u[e]" at a neighbour, "w[e]" of a
 * field with a value for each neighbour, and levels above and below, "u[e][0,0,1]". */
#include "lang/check.h"

static const char *a(kata_location on)
{
    static const char *const names[] = {"a point", "a cell", "an edge", "a vertex"};
    return names[on];
}

static const char *many(kata_location on) { return ir_location_name(on, true); }

/* ---- brackets -------------------------------------------------------------------------------- */

static bool hint_form(lang_compiler *c, const lang_symbol *field)
{
    const char *name = field->name->text, *q = field->length ? "[q]" : "";
    kata_location at = field->each ? field->each : field->on;
    if (!field->each && field->on == c->element->on)
        return lang_hint(c, "it is read as '%s%s' here, and one level higher as '%s%s[0,0,1]'",
                         name, q, name, q);
    return lang_hint(c,
                     "it is read at a neighbour n, as in 'for (n : %s) ... %s%s[n]', and one "
                     "level higher as '%s%s[n][0,0,1]'",
                     many(at), name, q, name, q);
}

/* A bracket with one name. */
static const lang_expr *single_name(const lang_expr *bracket)
{
    const lang_expr *e = bracket ? bracket->arg[1] : NULL;
    return e && !e->next && e->kind == LANG_EXPR_NAME ? e : NULL;
}

static bool is_zero(lang_compiler *c, const lang_expr *e)
{
    ir_value value;
    const ir_expr *culprit,
        *made = lang_is_level(c, e) ? NULL : lang_check_integer(c, e, "an offset");
    return made && lang_tree_evaluate(c, made, &value, &culprit) &&
           ir_convert(IR_I64, made->type, value).i64 == 0;
}

/* An offset leads to another level. */
static bool take_offsets(lang_compiler *c, const lang_symbol *field, const lang_expr *bracket,
                         lang_lvalue *lvalue)
{
    if (!bracket) return true;
    if (!lang_lvalue_offsets(c, bracket, lvalue)) return false;
    bool whole = lvalue->offset_count == 3;
    if (whole && is_zero(c, lvalue->offsets) && is_zero(c, lvalue->offsets->next)) return true;
    lang_error(c, bracket->at, "'%s' lies on %s: an offset is [0,0,dz], with 0 along x and y",
               field->name->text, many(field->on));
    return hint_form(c, field);
}

static bool too_many(lang_compiler *c, const lang_symbol *field, uint32_t at)
{
    lang_error(c, at, "too many brackets");
    return hint_form(c, field);
}

bool lang_located_brackets(lang_compiler *c, const lang_symbol *field,
                           const lang_expr *const brackets[3], lang_lvalue *lvalue)
{
    int next = 0;
    const char *name = field->name->text;
    if (field->length) {
        const lang_expr *first = brackets[next++];
        if (!first || first->arg[1]->next) {
            lang_error(c, first ? first->at : lvalue->at,
                       "field '%s' has %d components: say which in the first bracket", name,
                       field->length);
            return hint_form(c, field);
        }
        lvalue->element = first->arg[1];
    }
    const lang_expr *neighbour = next < 3 ? single_name(brackets[next]) : NULL;
    if (neighbour) {
        lang_symbol *symbol = lang_neighbour_find(c, neighbour->name, neighbour->at);
        if (!symbol) return false;
        lvalue->neighbour = symbol->element;
        lvalue->neighbour_at = neighbour->at;
        next++;
    }
    if (next < 3 && !take_offsets(c, field, brackets[next], lvalue)) return false;
    return next > 1 || !brackets[next] || !brackets[next + 1] ||
           too_many(c, field, brackets[next + 1]->at);
}

/* ---- the element ----------------------------------------------------------------------------- */

static bool refuse_neighbour(lang_compiler *c, const lang_lvalue *lvalue)
{
    const lang_symbol *field = lvalue->symbol;
    const lang_element *n = lvalue->neighbour;
    const char *name = field->name->text;
    if (!n && field->each)
        lang_error(c, lvalue->at, "'%s' has a value for each of the %s of %s", name,
                   many(field->each), a(field->on));
    else if (!n)
        lang_error(c, lvalue->at, "'%s' lies on %s, but this is computed on %s", name,
                   many(field->on), many(c->element->on));
    else if (field->each && n->from->on != field->on)
        lang_error(c, lvalue->neighbour_at,
                   "'%s' has a value for each of the %s of %s, but this is a neighbour of %s", name,
                   many(field->each), a(field->on), many(n->from->on));
    else
        lang_error(c, lvalue->neighbour_at, "'%s' lies on %s, but this neighbour is on %s", name,
                   many(field->each ? field->each : field->on), many(n->on));
    hint_form(c, field);
    lang_note(c, field->at, "'%s' is declared here", name);
    return false;
}

/* The element of which a field's value is meant: of a field with a value for each neighbour, what
 * this is a neighbour of. NULL, reported, when the field has none there. */
static const lang_element *find_element(lang_compiler *c, const lang_lvalue *lvalue)
{
    const lang_symbol *field = lvalue->symbol;
    const lang_element *n = lvalue->neighbour, *at = n ? n : c->element;
    bool suits =
        field->each ? n && n->on == field->each && n->from->on == field->on : at->on == field->on;
    if (!suits) return refuse_neighbour(c, lvalue) ? at : NULL;
    return field->each ? n->from : at;
}

/* Whether an offset leads to a level that runs before or after this one. */
static bool is_other_level(lang_compiler *c, const ir_expr *offset)
{
    ir_value value;
    const ir_expr *culprit;
    return c->kernel && c->kernel->direction && offset &&
           lang_tree_evaluate(c, offset, &value, &culprit) &&
           ir_convert(IR_I64, offset->type, value).i64 != 0;
}

/* A cell may be computed before its neighbours or after them. */
static bool may_touch(lang_compiler *c, const lang_lvalue *lvalue, const lang_element *at,
                      const ir_expr *level)
{
    const lang_symbol *field = lvalue->symbol;
    const char *name = field->name->text;
    if (at == c->element || (field->param == IR_PARAM_IN && !lvalue->written)) return true;
    if (!lvalue->written && is_other_level(c, level)) return true;
    lang_error(c, lvalue->neighbour_at,
               "'%s' is written by this kernel: %s reads and writes its own value only", name,
               a(c->element->on));
    lang_hint(c, lvalue->written ? "a neighbour writes its own value"
                                 : "the neighbour may be computed earlier or later: read an 'in' "
                                   "field");
    return false;
}

ir_expr *lang_component_of(lang_compiler *c, const lang_symbol *symbol, const lang_element *at,
                           const lang_element *neighbour, ir_expr *own, uint32_t where)
{
    int slots = symbol->each ? lang_slots(c, symbol->on, symbol->each) : 1;
    ir_expr *inner = lang_combine(c, at->color, slots, slots > 1 ? neighbour->slot : NULL, where);
    if (!own) return inner;
    ir_expr *wide = lang_convert(c, lang_value_of(own), IR_I64);
    return wide ? lang_combine(c, wide, lang_colors(c, symbol->on) * slots, inner, where) : NULL;
}

bool lang_locate(lang_compiler *c, const lang_lvalue *lvalue, ir_expr **component,
                 ir_expr *offset[3], int *offsets, int *level)
{
    const lang_symbol *field = lvalue->symbol;
    if (c->mesh) lang_mesh_turn_offsets(c, offset, level);
    if (!field->on) return true;
    const lang_element *at = find_element(c, lvalue);
    if (!at || !may_touch(c, lvalue, at, offset[lang_axis(c, 2)])) return false;
    *component = lang_component_of(c, field, at, lvalue->neighbour, *component, lvalue->at);
    *offsets = 3;
    if (c->mesh) return !c->failed && lang_mesh_locate(c, lvalue, at, offset, level);
    for (int d = 0; d < 2; d++) offset[d] = at->at[d];
    return !c->failed;
}
