/* Cells, edges and vertices: where the fields of a kernel lie, and which of them it computes.
 *
 * A kernel on cells has one body for each colour of a cell. Its tree has a loop over the colours,
 * which lowering unrolls; all that depends on the colour is made of its variable. */
#include "lang/check.h"
#include "lang/parse.h"

#include <string.h>

enum { LOCATIONS = 3 };

/* ---- parsing --------------------------------------------------------------------------------- */

bool lang_parse_location(lang_compiler *c, bool several, kata_location *location)
{
    const char *names[LOCATIONS];
    const char *given = c->token.kind == LANG_TOKEN_NAME ? c->token.name->text : NULL;
    for (int i = 0; i < LOCATIONS; i++) {
        names[i] = ir_location_name(KATA_CELLS + i, several);
        if (!given || strcmp(given, names[i]) != 0) continue;
        *location = KATA_CELLS + i;
        lang_advance(c);
        return true;
    }
    lang_unexpected(c, several ? "cells, edges or vertices" : "cell, edge or vertex");
    if (given) lang_suggest(c, given, names, LOCATIONS);
    return false;
}

bool lang_parse_on(lang_compiler *c, kata_location *on, kata_location *each, uint32_t *at)
{
    if (!lang_is_word(&c->token, LANG_WORD_ON)) return true;
    *at = c->token.at;
    lang_advance(c);
    if (!lang_parse_location(c, false, on)) return false;
    return !each || !lang_accept(c, LANG_SIGN_COLON) || lang_parse_location(c, true, each);
}

bool lang_stands_behind(lang_compiler *c, const char *what, const char *right)
{
    if (!lang_is_word(&c->token, LANG_WORD_ON)) return false;
    lang_error(c, c->token.at, "'on' stands behind %s", what);
    lang_hint(c, "write it before, as in '%s'", right);
    return true;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static const char *many(kata_location on) { return ir_location_name(on, true); }

static bool no_place(lang_compiler *c, const lang_param *p)
{
    lang_error(c, p->on_at, "'%s' is no field and lies on nothing", p->name->text);
    return lang_hint(c, "a field is 'in %s %s on %s'", ir_types[p->type].name, p->name->text,
                     ir_location_name(p->on, false));
}

static bool in_another_kernel(lang_compiler *c, const lang_param *p)
{
    lang_error(c, p->on_at, "'%s' lies on %s, but kernel '%s' computes points", p->name->text,
               many(p->on), c->kernel->name);
    return lang_hint(c, "say what it computes behind its parameters: 'on cell', 'on edge' or "
                        "'on vertex'");
}

static bool is_nowhere(lang_compiler *c, const lang_param *p)
{
    const char *mode = p->accumulates ? "inout" : ir_param_kind_name(p->kind);
    const char *type = ir_types[p->type].name, *name = p->name->text;
    lang_error(c, p->at, "'%s' lies on nothing, but kernel '%s' computes %s", name, c->kernel->name,
               many(c->kernel->on));
    return lang_hint(c,
                     "say where it lies, as in '%s %s %s on %s'; only a profile '%s %s %s along "
                     "z' lies nowhere",
                     mode, type, name, ir_location_name(c->kernel->on, false), mode, type, name);
}

static bool is_elsewhere(lang_compiler *c, const lang_param *p)
{
    lang_error(c, p->on_at, "'%s' is written and lies on %s, but kernel '%s' computes %s",
               p->name->text, many(p->on), c->kernel->name, many(c->kernel->on));
    return lang_hint(c, "a kernel on %s writes %s: several of these have one %s in common",
                     ir_location_name(c->kernel->on, false), many(c->kernel->on),
                     ir_location_name(p->on, false));
}

/* What cannot be said of a field beside its location. */
static bool may_lie(lang_compiler *c, const lang_param *p, const ir_param *param)
{
    const char *name = p->name->text;
    if (p->ratio) {
        lang_error(c, p->ratio_at, "'%s' lies on %s and has no ratio", name, many(p->on));
        return lang_hint(c, "finer and coarser fields are for grids of points");
    }
    if (param->absent_axis[0] || param->absent_axis[1]) {
        lang_error(c, p->along_at, "'%s' lies on %s, which extend along x and y", name,
                   many(p->on));
        return lang_hint(c, "'along xy' has one value for all levels; a profile 'along z' lies "
                            "nowhere");
    }
    if (p->each && ir_param_is_reduction(param))
        return lang_error(c, p->on_at, "'%s' is a reduction: it has one value for each %s", name,
                          ir_location_name(p->on, false));
    bool written = ir_param_is_written_field(param) || ir_param_is_reduction(param);
    return !written || p->on == c->kernel->on || is_elsewhere(c, p);
}

static bool set_count(lang_compiler *c, const lang_param *p, ir_param *param)
{
    if (p->each && !lang_mesh_knows(c, p->on, p->each, p->on_at)) return false;
    int values = lang_colors(c, p->on) * (p->each ? lang_slots(c, p->on, p->each) : 1);
    if (param->count > IR_MAX_LENGTH / values)
        return lang_error(c, p->at, "'%s' has %d components of %d values, more than the %d allowed",
                          p->name->text, param->count, values, IR_MAX_LENGTH);
    param->count *= values;
    param->on = p->on;
    param->each = p->each;
    return true;
}

bool lang_check_on(lang_compiler *c, const lang_param *p, ir_param *param)
{
    kata_location on = c->kernel->on;
    bool column = ir_param_is_column_reduction(param) && param->kind != IR_PARAM_WHERE;
    bool field = ir_param_is_field(param) || column;
    bool profile = param->absent_axis[0] && param->absent_axis[1];
    if (p->on && !field) return no_place(c, p);
    if (p->on && !on) return in_another_kernel(c, p);
    if (!p->on) return !on || !field || profile || is_nowhere(c, p);
    return may_lie(c, p, param) && set_count(c, p, param);
}

/* ---- helpers --------------------------------------------------------------------------------- */

bool lang_check_helper_on(lang_compiler *c, const lang_function *f)
{
    for (const lang_param *p = f->params; p; p = p->next) {
        if (p->on && p->kind != IR_PARAM_IN) return no_place(c, p);
        if (!p->on || f->on) continue;
        lang_error(c, p->on_at, "'%s' lies on %s, but helper '%s' is for points", p->name->text,
                   many(p->on), f->name->text);
        return lang_hint(c,
                         "say where it is called, behind its parameters: 'on cell', 'on edge' or "
                         "'on vertex'");
    }
    c->element = f->on ? lang_element_new(c, f->on) : NULL;
    return !f->on || c->element;
}

bool lang_may_call(lang_compiler *c, const lang_function *f, const lang_expr *call)
{
    if (!f->on || (c->element && c->element->on == f->on)) return true;
    lang_error(c, call->at, "helper '%s' is for kernels on %s, but this is computed on %s",
               f->name->text, many(f->on), many(c->element ? c->element->on : KATA_NOWHERE));
    lang_note(c, f->at, "the helper is defined here");
    return false;
}

bool lang_lies_alike(lang_compiler *c, const lang_param *p, const lang_lvalue *lvalue)
{
    const lang_symbol *field = lvalue->symbol;
    const char *name = field->name->text;
    if (lvalue->neighbour) {
        lang_error(c, lvalue->neighbour_at,
                   "a helper is given a field as a whole, not at a "
                   "neighbour");
        return lang_hint(c,
                         "give it the value '%s[...]' for a parameter 'double %s', or the field "
                         "and let the helper loop",
                         name, p->name->text);
    }
    if (field->on == p->on && field->each == p->each) return true;
    text given = {0}, taken = {0};
    ir_location_print(&given, field->on, field->each);
    ir_location_print(&taken, p->on, p->each);
    lang_error(c, lvalue->at, "field '%s' lies '%s', but '%s' takes one '%s'", name,
               text_get(&given), p->name->text, text_get(&taken));
    text_free(&given);
    text_free(&taken);
    lang_note(c, p->at, "the parameter is declared here");
    return false;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static ir_expr *local(lang_compiler *c, int index, uint32_t at)
{
    ir_expr *e = index < 0 ? NULL : lang_tree_expr(c, IR_EXPR_LOCAL, IR_I32, at);
    if (e) e->index = index;
    return e;
}

ir_stmt *lang_count(lang_compiler *c, int index, int count, uint32_t at)
{
    ir_stmt *loop = index < 0 ? NULL : lang_tree_stmt(c, IR_STMT_FOR, 0, at);
    if (!loop) return NULL;
    ir_expr *next =
        lang_tree_op(c, IR_ADD, IR_I32, local(c, index, at), lang_tree_int(c, 1, at), NULL, at);
    loop->init = lang_tree_assign(c, index, NULL, lang_tree_int(c, 0, at), at);
    loop->value =
        lang_tree_op(c, IR_LT, IR_BOOL, local(c, index, at), lang_tree_int(c, count, at), NULL, at);
    loop->step = lang_tree_assign(c, index, NULL, next, at);
    return loop->init && loop->value && loop->step ? loop : NULL;
}

/* The body within the loop over colours. */
static bool check_part(lang_compiler *c, const lang_function *f, ir_stmt **out)
{
    ir_stmt *part = lang_tree_stmt(c, IR_STMT_PART, 0, f->on_at);
    *out = part;
    return part && lang_check_statements(c, f->body, &part->body);
}

static bool check_order(lang_compiler *c, const lang_function *f)
{
    if (!f->order[0] && !f->order[1]) return true;
    lang_error(c, f->direction_at, "a kernel on %s has an order along z alone", many(f->on));
    return lang_hint(c,
                     "its %s have many directions along x and y: write 'forward(z)' or "
                     "'backward(z)'",
                     many(f->on));
}

lang_element *lang_element_new(lang_compiler *c, kata_location on)
{
    lang_element *element = arena_alloc(&c->syntax, sizeof *element);
    if (element)
        *element = (lang_element){.on = on};
    else
        lang_no_memory(c);
    return element;
}

bool lang_check_parts(lang_compiler *c, const lang_function *f, ir_kernel *kernel)
{
    int colors = lang_colors(c, f->on);
    lang_element *own = lang_element_new(c, f->on);
    if (!own || !check_order(c, f)) return false;
    c->element = own;
    bool ok;
    if (colors == 1)
        ok = lang_check_statements(c, f->body, &kernel->body);
    else {
        int index = lang_tree_local(c, "colour", IR_I32, 0, f->on_at);
        own->color = local(c, index, f->on_at);
        kernel->body = lang_count(c, index, colors, f->on_at);
        ok = own->color && kernel->body && check_part(c, f, &kernel->body->body);
    }
    c->element = NULL;
    return ok;
}
