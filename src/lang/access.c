/* Lvalues: names with brackets after them, and reading them.
 *
 * A helper's field parameter is a symbol bound to a field of the kernel, with a component and
 * offsets. They are added to the component and offsets of each access in the helper. */
#include "lang/check.h"

#include <string.h>

static const lang_value failed;

static int list_length(const lang_expr *list)
{
    int length = 0;
    for (; list; list = list->next) length++;
    return length;
}

/* ---- resolving ------------------------------------------------------------------------------- */

/* The advice for u[i+1][j]. */
static bool hint_offsets(lang_compiler *c, const char *name)
{
    return lang_hint(
        c, "offsets count from this point, in one bracket: '%s[1,0]' is the next along x", name);
}

static bool too_many_brackets(lang_compiler *c, uint32_t at)
{
    lang_error(c, at, "too many brackets");
    hint_offsets(c, "u");
    return lang_hint(c, "a component is read as 'f[q]' or 'f[q][1,0]'");
}

/* The name before brackets, and up to three brackets in the order of the text. */
static const lang_expr *find_name(lang_compiler *c, const lang_expr *e,
                                  const lang_expr *brackets[3])
{
    int count = 0;
    for (const lang_expr *i = e; i->kind == LANG_EXPR_INDEX; i = i->arg[0]) count++;
    if (count > 3) {
        too_many_brackets(c, e->at);
        return NULL;
    }
    for (; e->kind == LANG_EXPR_INDEX; e = e->arg[0]) brackets[--count] = e;
    if (e->kind == LANG_EXPR_NAME) return e;
    lang_error(c, e->at, "only fields, tables and arrays have an index");
    return NULL;
}

static bool expect_brackets(lang_compiler *c, const lang_symbol *symbol, const lang_expr *first,
                            const lang_expr *second, uint32_t at)
{
    const char *name = symbol->name->text, *kind = lang_symbol_kind_name(symbol);
    if (!symbol->length && first) {
        lang_error(c, first->at, "'%s' is %s and has no index", name, kind);
        return symbol->kind == LANG_NUMBER &&
               lang_hint(c, "a field that the kernel reads is 'in %s %s', a table '%s %s[9]'",
                         ir_types[symbol->type].name, name, ir_types[symbol->type].name, name);
    }
    if (!symbol->length) return true;
    if (!first) {
        lang_error(c, at, "'%s' is %s: an element is '%s[i]'", name, kind, name);
        return lang_hint(c, "it has %d elements", symbol->length);
    }
    if (second) return lang_error(c, second->at, "'%s' is %s and has one index", name, kind);
    if (list_length(first->arg[1]) != 1)
        return lang_error(c, first->arg[1]->next->at, "'%s' is %s and has one index", name, kind);
    return true;
}

static int indices_of(const lang_symbol *symbol)
{
    return 1 + !!symbol->columns + !!symbol->middle;
}

/* Of a table or array with two or three indices. */
static bool expect_several(lang_compiler *c, const lang_symbol *symbol,
                           const lang_expr *brackets[3], uint32_t at)
{
    const char *name = symbol->name->text, *kind = lang_symbol_kind_name(symbol);
    int expected = indices_of(symbol), given = 0;
    bool single = true;
    for (int i = 0; i < 3 && brackets[i]; i++, given++)
        single = single && list_length(brackets[i]->arg[1]) == 1;
    if (single && given == expected) return true;
    lang_error(c, at, "'%s' is %s with %s indices: an element is '%s[i][j]%s'", name, kind,
               expected == 2 ? "two" : "three", name, expected == 2 ? "" : "[k]");
    int rows = symbol->length / symbol->columns;
    if (expected == 2) return lang_hint(c, "it has %d times %d elements", rows, symbol->columns);
    return lang_hint(c, "it has %d times %d times %d elements", rows / symbol->middle,
                     symbol->middle, symbol->columns);
}

bool lang_lvalue_offsets(lang_compiler *c, const lang_expr *bracket, lang_lvalue *lvalue)
{
    if (!bracket) return true;
    lvalue->offsets = bracket->arg[1];
    lvalue->offsets_at = bracket->at;
    lvalue->offset_count = list_length(lvalue->offsets);
    if (lvalue->offset_count <= 3) return true;
    lang_error(c, bracket->at, "an offset has at most three numbers, this one has %d",
               lvalue->offset_count);
    return lang_hint(c, "they go along x, y and z");
}

static bool field_brackets(lang_compiler *c, const lang_symbol *field,
                           const lang_expr *const brackets[3], lang_lvalue *lvalue)
{
    const char *name = field->name->text;
    const lang_expr *first = brackets[0], *second = brackets[1];
    if (field->on) return lang_located_brackets(c, field, brackets, lvalue);
    if (brackets[2]) return too_many_brackets(c, brackets[2]->at);
    if (!field->length && second) {
        lang_error(c, second->at, "'%s' is a field without components", name);
        return hint_offsets(c, name);
    }
    if (!field->length) return lang_lvalue_offsets(c, first, lvalue);
    if (!first) {
        lang_error(c, lvalue->at, "field '%s' has %d components: one is '%s[q]'", name,
                   field->length, name);
        return lang_hint(c, "at an offset it is '%s[q][1,0]'", name);
    }
    if (list_length(first->arg[1]) != 1) {
        lang_error(c, first->at, "field '%s' has %d components: say which before the offset", name,
                   field->length);
        return lang_hint(c, "as in '%s[q][1,0]'", name);
    }
    lvalue->element = first->arg[1];
    return lang_lvalue_offsets(c, second, lvalue);
}

bool lang_lvalue_find(lang_compiler *c, const lang_expr *e, lang_lvalue *lvalue)
{
    const lang_expr *brackets[3] = {NULL, NULL, NULL};
    const lang_expr *name = find_name(c, e, brackets);
    lang_symbol *symbol = name ? lang_lookup(c, name->name, name->at, "name") : NULL;
    if (!symbol) return false;
    *lvalue = (lang_lvalue){.symbol = symbol, .at = name->at};
    switch (symbol->kind) {
    case LANG_FUNCTION:
    case LANG_HELPER:
        lang_error(c, name->at, "'%s' is a function", name->name->text);
        return lang_hint(c, "it is called as '%s(...)'", name->name->text);
    case LANG_KERNEL:
        lang_error(c, name->at, "'%s' is a kernel", name->name->text);
        return lang_hint(c, "kernels are applied by the program, with kata_apply");
    case LANG_FIELD: return field_brackets(c, symbol, brackets, lvalue);
    default:
        if (symbol->columns ? !expect_several(c, symbol, brackets, name->at)
                            : !expect_brackets(c, symbol, brackets[0], brackets[1], name->at))
            return false;
        lvalue->element = brackets[0] ? brackets[0]->arg[1] : NULL;
        for (int i = 0; i < 2 && brackets[i + 1]; i++) lvalue->others[i] = brackets[i + 1]->arg[1];
        return true;
    }
}

/* ---- indices --------------------------------------------------------------------------------- */

ir_expr *lang_check_integer(lang_compiler *c, const lang_expr *e, const char *what)
{
    lang_value value = lang_check(c, e);
    if (!value.expr) return NULL;
    if (ir_type_is_integer(value.expr->type)) return value.expr;
    if (value.expr->type == IR_BOOL) return lang_convert(c, value, IR_I32);
    lang_error(c, e->at, "%s must be an integer, this is %s", what,
               ir_types[value.expr->type].name);
    return NULL;
}

/* Reports an index that is known and outside. Lowering checks the others, when loops have run. */
static bool index_in_range(lang_compiler *c, const lang_lvalue *lvalue, const ir_expr *index)
{
    ir_value value;
    const ir_expr *culprit;
    const lang_symbol *symbol = lvalue->symbol;
    if (!lang_tree_evaluate(c, index, &value, &culprit)) return true;
    int64_t i = ir_convert(IR_I64, index->type, value).i64;
    if (i >= 0 && i < symbol->length) return true;
    lang_error(c, lvalue->element->at, "%s %lld is outside '%s'",
               symbol->kind == LANG_FIELD ? "component" : "index", (long long)i,
               symbol->name->text);
    lang_hint(c, "'%s' has %d %s, counted from 0", symbol->name->text, symbol->length,
              symbol->kind == LANG_FIELD ? "components" : "elements");
    lang_note(c, symbol->at, "declared here");
    return false;
}

/* One of several indices, below `length`. */
static ir_expr *check_one_of_several(lang_compiler *c, const lang_lvalue *lvalue,
                                     const lang_expr *e, int length)
{
    ir_expr *index = lang_check_integer(c, e, "an index");
    ir_value value;
    const ir_expr *culprit;
    if (!index || !lang_tree_evaluate(c, index, &value, &culprit)) return index;
    int64_t i = ir_convert(IR_I64, index->type, value).i64;
    if (i >= 0 && i < length) return index;
    lang_error(c, e->at, "index %lld is outside '%s'", (long long)i, lvalue->symbol->name->text);
    lang_hint(c, "it must be 0 to %d", length - 1);
    lang_note(c, lvalue->symbol->at, "declared here");
    return NULL;
}

/* An index, below `rows` or itself a pair, and one behind it, as one. */
static ir_expr *make_pair(lang_compiler *c, const lang_lvalue *lvalue, ir_expr *row, int rows,
                          const lang_expr *behind, int columns)
{
    ir_expr *pair = row ? lang_tree_expr(c, IR_EXPR_PAIR, IR_I32, lvalue->element->at) : NULL;
    if (!pair) return NULL;
    pair->offsets = rows;
    pair->index = columns;
    pair->arg[0] = row;
    pair->arg[1] = check_one_of_several(c, lvalue, behind, columns);
    return pair->arg[1] ? pair : NULL;
}

static bool check_several(lang_compiler *c, const lang_lvalue *lvalue, ir_expr **element)
{
    const lang_symbol *symbol = lvalue->symbol;
    int rows = symbol->length / symbol->columns, first = rows;
    if (symbol->middle) first = rows / symbol->middle;
    ir_expr *index = check_one_of_several(c, lvalue, lvalue->element, first);
    if (symbol->middle)
        index = make_pair(c, lvalue, index, first, lvalue->others[0], symbol->middle);
    *element =
        make_pair(c, lvalue, index, rows, lvalue->others[symbol->middle ? 1 : 0], symbol->columns);
    return *element;
}

bool lang_lvalue_element(lang_compiler *c, const lang_lvalue *lvalue, ir_expr **element)
{
    *element = NULL;
    if (!lvalue->element) return true;
    if (lvalue->others[0]) return check_several(c, lvalue, element);
    bool field = lvalue->symbol->kind == LANG_FIELD;
    ir_expr *index = lang_check_integer(c, lvalue->element, field ? "a component" : "an index");
    if (!index || !index_in_range(c, lvalue, index)) return false;
    *element = index;
    return true;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool same_offset_count(lang_compiler *c, const lang_lvalue *lvalue)
{
    const lang_symbol *field = lvalue->symbol;
    if (!field->offsets || !lvalue->offset_count || field->offsets == lvalue->offset_count)
        return true;
    lang_error(c, lvalue->offsets_at,
               "'%s' is read here at an offset of %d numbers, but given shifted by one of %d",
               field->name->text, lvalue->offset_count, field->offsets);
    return lang_hint(c,
                     "both go along x, y and z: write as many numbers as the grid has dimensions");
}

/* An `out` field has only values that the kernel wrote: at this point, and at earlier levels.
 * Lowering checks the latter, when offsets are known. */
static bool may_shift(lang_compiler *c, const lang_lvalue *lvalue, const ir_expr *offset)
{
    ir_value value;
    const ir_expr *culprit;
    if (c->kernel && c->kernel->direction) return true;
    if (lvalue->symbol->param != IR_PARAM_OUT || lvalue->written || lvalue->symbol->children)
        return true; /* lowering knows which children are written */
    if (!lang_tree_evaluate(c, offset, &value, &culprit)) return true;
    if (ir_convert(IR_I64, offset->type, value).i64 == 0) return true;
    lang_error(c, lvalue->offsets_at, "'%s' is an 'out' field and cannot be read at an offset",
               lvalue->symbol->name->text);
    return lang_hint(c, "its other points are not written yet; read an 'in' field");
}

/* An offset such as C's 'i+1', without a declaration of i. */
static bool names_nothing(lang_compiler *c, const lang_expr *own)
{
    while (own->kind == LANG_EXPR_BINARY) own = own->arg[0];
    return own->kind == LANG_EXPR_NAME && !lang_find(c, own->name);
}

static bool add_offset(lang_compiler *c, const lang_lvalue *lvalue, const lang_expr *own,
                       ir_expr **offset)
{
    if (!own) return true;
    bool unknown = names_nothing(c, own);
    ir_expr *e = lang_check_integer(c, own, "an offset");
    if (unknown) hint_offsets(c, lvalue->symbol->name->text);
    if (e && *offset)
        e = lang_binary(c, LANG_SIGN_ADD, lang_value_of(*offset), lang_value_of(e), own->at).expr;
    *offset = e;
    return e && may_shift(c, lvalue, e);
}

bool lang_lvalue_shift(lang_compiler *c, const lang_lvalue *lvalue, ir_expr **component,
                       ir_expr *offset[3], int *offsets)
{
    const lang_symbol *field = lvalue->symbol;
    if (!same_offset_count(c, lvalue)) return false;
    if (!lang_lvalue_element(c, lvalue, component)) return false;
    if (!*component) *component = field->component;
    *offsets = field->offsets ? field->offsets : lvalue->offset_count;
    const lang_expr *own = lvalue->offsets;
    for (int d = 0; d < 3; d++, own = own ? own->next : NULL) {
        offset[d] = field->offset[d];
        if (lang_is_level(c, own) ? !lang_add_level(c, lvalue, own, d + 1, &offset[d])
                                  : !add_offset(c, lvalue, own, &offset[d]))
            return false;
    }
    return true;
}

static ir_expr *load(lang_compiler *c, const lang_lvalue *lvalue)
{
    const lang_symbol *field = lvalue->symbol;
    ir_expr *e = lang_tree_expr(c, IR_EXPR_LOAD, field->type, lvalue->at);
    if (!e) return NULL;
    e->index = field->index;
    e->level = lang_find_level(c, lvalue);
    bool ok = lang_lvalue_shift(c, lvalue, &e->arg[0], &e->arg[1], &e->offsets) &&
              lang_locate(c, lvalue, &e->arg[0], &e->arg[1], &e->offsets, &e->level);
    e->inside = c->mesh && lvalue->neighbour && e->level;
    return ok ? e : NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

void lang_hint_reduction(lang_compiler *c, const lang_symbol *r, const char *before)
{
    const char *name = r->name->text, *kind = ir_param_kind_name(r->param);
    const char *element = r->length ? "[i]" : "";
    if (r->param == IR_PARAM_WHERE)
        lang_hint(c,
                  "it is set when the minimum or maximum is, and read in a kernel applied later");
    else if (r->param == IR_PARAM_SUM)
        lang_hint(c, "%s '%s%s += ...;'", before, name, element);
    else
        lang_hint(c, "%s '%s%s = %s(%s%s, ...);'", before, name, element, kind, name, element);
}

static lang_value refuse_reduction(lang_compiler *c, const lang_lvalue *lvalue)
{
    const lang_symbol *r = lvalue->symbol;
    lang_error(c, lvalue->at, "'%s' is a reduction and cannot be read", r->name->text);
    lang_hint_reduction(c, r, "it occurs only in");
    lang_note(c, r->at, "declared here");
    return failed;
}

static lang_value refuse_neighbour(lang_compiler *c, const lang_lvalue *lvalue)
{
    const char *name = lvalue->symbol->name->text;
    lang_error(c, lvalue->at, "'%s' is a neighbour, not a number", name);
    lang_hint(c, "it stands alone in the bracket of a field on %s, as in 'u[%s]'",
              ir_location_name(lvalue->symbol->element->on, true), name);
    return failed;
}

static ir_expr *element_of(lang_compiler *c, const lang_lvalue *lvalue, ir_expr_kind kind,
                           int index)
{
    ir_expr *e = index < 0 ? NULL : lang_tree_expr(c, kind, lvalue->symbol->type, lvalue->at);
    if (!e) return NULL;
    e->index = index;
    return lang_lvalue_element(c, lvalue, &e->arg[0]) ? e : NULL;
}

static lang_value read_as_declared(lang_compiler *c, const lang_lvalue *lvalue)
{
    lang_symbol *s = lvalue->symbol;
    switch (s->kind) {
    case LANG_INDEX:
        if (c->mesh && !s->index) return lang_value_of(lang_mesh_number(c, lvalue->at));
        return lang_value_of(element_of(c, lvalue, IR_EXPR_INDEX, lang_axis(c, s->index)));
    case LANG_SIZE:
        return lang_value_of(element_of(c, lvalue, IR_EXPR_SIZE, lang_axis(c, s->index)));
    case LANG_CONSTANT: return lang_value_of(lang_tree_const(c, s->type, s->value, lvalue->at));
    case LANG_TABLE:
        return lang_value_of(element_of(c, lvalue, IR_EXPR_TABLE, lang_tree_table(c, s)));
    case LANG_NUMBER: return lang_value_of(element_of(c, lvalue, IR_EXPR_NUMBER, s->index));
    case LANG_LOCAL: return lang_value_of(element_of(c, lvalue, IR_EXPR_LOCAL, s->index));
    case LANG_FIELD: return lang_value_of(load(c, lvalue));
    case LANG_REDUCTION: return refuse_reduction(c, lvalue);
    case LANG_NEIGHBOUR: return refuse_neighbour(c, lvalue);
    default: return failed;
    }
}

lang_value lang_lvalue_read(lang_compiler *c, const lang_lvalue *lvalue)
{
    return lang_promoted(c, read_as_declared(c, lvalue));
}
