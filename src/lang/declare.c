/* Variables, arrays, constants and constant tables. A constant with a value known at compile time
 * stands for that value; any other constant is a variable that is not assigned again. */
#include "lang/check.h"

/* Finds the value of a constant's initialiser; a constant of the file must have a known value. */
static bool known_value(lang_compiler *c, const ir_expr *e, bool file, ir_value *value)
{
    const ir_expr *culprit;
    if (lang_tree_evaluate(c, e, value, &culprit)) return true;
    if (!file) return false;
    lang_error(c, culprit->at, "the value of a constant must be known at compile time");
    return lang_hint(c, "it is made of numbers, operators and functions of the language, and "
                        "constants declared before");
}

/* The number of elements of an array, and of values of each of its indices; 0: no such index. */
typedef struct extent {
    int length, of[3];
} extent;

static lang_symbol *declare(lang_compiler *c, const lang_declared *d, lang_symbol_kind kind,
                            extent extent)
{
    lang_symbol *symbol = lang_declare(c, kind, d->name, d->at);
    if (!symbol) return NULL;
    symbol->type = d->type;
    symbol->length = extent.length;
    lang_set_extents(symbol, extent.of);
    symbol->constant = d->constant;
    if (kind == LANG_LOCAL)
        symbol->index = lang_tree_local(c, d->name->text, d->type, extent.length, d->at);
    return symbol->index < 0 ? NULL : symbol;
}

static bool check_initialiser(lang_compiler *c, const lang_declared *d)
{
    const char *name = d->name->text;
    if (!d->value && d->constant) {
        lang_error(c, d->at, "constant '%s' has no value", name);
        if (c->helper || c->frame) return lang_hint(c, "give it one where it is declared");
        lang_hint(c, "give it one where it is declared, or when the file is loaded:");
        return lang_hint(c,
                         "kata_module_load(k, \"...\", .constants = \"%s=...\") or kata check "
                         "--constants %s=...",
                         name, name);
    }
    if (!d->value) return true;
    if (d->braced && !d->array)
        return lang_error(c, d->value->at,
                          "'%s' is one number: its value "
                          "has no braces",
                          name);
    if (d->braced || !d->array) return true;
    lang_error(c, d->value->at, "'%s' is an array: its values stand in braces", name);
    return lang_hint(c, "as in '%s[2] = {1, 2}'", name);
}

/* ---- one number ------------------------------------------------------------------------------ */

static bool declare_unset(lang_compiler *c, const lang_declared *d, extent extent, ir_stmt **out)
{
    lang_symbol *symbol = declare(c, d, LANG_LOCAL, extent);
    *out = symbol ? lang_tree_stmt(c, IR_STMT_UNSET, symbol->index, d->at) : NULL;
    return *out;
}

static bool declare_number(lang_compiler *c, const lang_declared *d, bool file, ir_stmt **out)
{
    if (!d->value) return declare_unset(c, d, (extent){0}, out);
    ir_expr *value = lang_convert_assigned(c, lang_check(c, d->value), d->type);
    if (!value) return false;
    ir_value known;
    if (d->constant && known_value(c, value, file, &known)) {
        lang_symbol *symbol = declare(c, d, LANG_CONSTANT, (extent){0});
        if (symbol) symbol->value = known;
        return symbol;
    }
    lang_symbol *symbol = file ? NULL : declare(c, d, LANG_LOCAL, (extent){0});
    *out = symbol ? lang_tree_assign(c, symbol->index, NULL, value, d->at) : NULL;
    return *out;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static int count_indices(const lang_declared *d) { return 1 + !!d->lengths[1] + !!d->lengths[2]; }

static bool wrong_form(lang_compiler *c, const lang_declared *d, const lang_expr *row)
{
    static const char *const forms[] = {"one index: its values are no rows",
                                        "two indices: its values stand in rows",
                                        "three indices: its values stand in rows of rows"};
    static const char *const examples[] = {"{1, 2, 3, 4}", "{{1, 2}, {3, 4}}",
                                           "{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}"};
    int indices = count_indices(d);
    lang_error(c, row->at, "'%s' has %s", d->name->text, forms[indices - 1]);
    return lang_hint(c, "as in '%s'", examples[indices - 1]);
}

/* Whether values stand in as many rows of rows as there are indices from `index` on. */
static bool check_form(lang_compiler *c, const lang_declared *d, const lang_expr *list, int index)
{
    bool last = index + 1 == count_indices(d);
    for (const lang_expr *row = list; row; row = row->next) {
        if ((row->kind == LANG_EXPR_ROW) == last) return wrong_form(c, d, row);
        if (!last && !check_form(c, d, row->arg[1], index + 1)) return false;
    }
    return true;
}

/* Whether the rows of a list, seen by index number `index`, are not too long. */
static bool check_rows(lang_compiler *c, const lang_declared *d, const lang_expr *list,
                       const extent *extent, int index)
{
    for (const lang_expr *row = extent->of[index] ? list : NULL; row; row = row->next) {
        int count = 0;
        for (const lang_expr *e = row->arg[1]; e; e = e->next)
            if (++count > extent->of[index])
                return lang_error(c, e->at,
                                  "a row of '%s' has %d elements, but more values are given",
                                  d->name->text, extent->of[index]);
        if (index == 1 && !check_rows(c, d, row->arg[1], extent, 2)) return false;
    }
    return true;
}

static int most_elements(const lang_declared *d)
{
    return d->constant ? IR_MAX_TABLE : IR_MAX_LENGTH;
}

/* The first length. */
static bool array_length(lang_compiler *c, const lang_declared *d, int *length)
{
    int count = 0;
    for (const lang_expr *e = d->value; e; e = e->next) count++;
    int most = most_elements(d);
    if (d->lengths[0] && !lang_check_constant(c, d->lengths[0], "the length", 1, most, length))
        return false;
    if (!d->lengths[0] && !d->value)
        return lang_error(c, d->at, "the length of array '%s' is missing", d->name->text);
    if (!d->lengths[0] && count > most)
        return lang_error(c, d->at, "'%s' has %d elements, more than the %d allowed", d->name->text,
                          count, most);
    if (!d->lengths[0]) *length = count;
    if (count <= *length) return true;
    const lang_expr *excess = d->value;
    for (int i = 0; i < *length; i++) excess = excess->next;
    return lang_error(c, excess->at, "'%s' has %d %s, but %d %s are given", d->name->text, *length,
                      d->lengths[1] ? "rows" : "elements", count,
                      d->lengths[1] ? "rows" : "values");
}

static bool array_extent(lang_compiler *c, const lang_declared *d, extent *extent)
{
    return check_form(c, d, d->value, 0) && array_length(c, d, &extent->length) &&
           lang_check_extents(c, d->lengths, most_elements(d), &extent->length, extent->of) &&
           check_rows(c, d, d->value, extent, 1);
}

/* Puts values in the order of the elements, from those of index number `index` on. */
static void put_values(const lang_expr *list, const extent *extent, int index,
                       const lang_expr **values)
{
    int step = 1;
    for (int i = index + 1; i < 3; i++) step *= extent->of[i] ? extent->of[i] : 1;
    for (const lang_expr *e = list; e; e = e->next, values += step) {
        if (e->kind == LANG_EXPR_ROW)
            put_values(e->arg[1], extent, index + 1, values);
        else
            *values = e;
    }
}

/* The values in the order of the elements; NULL for an element without value. Returns NULL,
 * reported, when memory is out. */
static const lang_expr **list_values(lang_compiler *c, const lang_declared *d, extent extent)
{
    const lang_expr **values = arena_array(&c->syntax, (size_t)extent.length, sizeof *values);
    if (!values) lang_no_memory(c);
    if (values) put_values(d->value, &extent, 0, values);
    return values;
}

/* All elements converted; elements without a value are 0. NULL when that failed. */
static ir_expr **check_elements(lang_compiler *c, const lang_declared *d, extent extent)
{
    const lang_expr **values = list_values(c, d, extent);
    ir_expr **elements = arena_array(&c->syntax, (size_t)extent.length, sizeof(ir_expr *));
    if (!elements) lang_no_memory(c);
    if (!elements || !values) return NULL;
    for (int i = 0; i < extent.length; i++) {
        const lang_expr *e = values[i];
        elements[i] = e ? lang_convert_assigned(c, lang_check(c, e), d->type)
                        : lang_tree_const(c, d->type, ir_value_of_int(d->type, 0), d->at);
        if (!elements[i]) return NULL;
    }
    return elements;
}

/* Values of all elements when they are known, NULL otherwise. */
static ir_value *known_elements(lang_compiler *c, ir_expr *const *elements, int length, bool file)
{
    ir_value *values = arena_array(&c->module->memory, (size_t)length, sizeof *values);
    if (!values) lang_no_memory(c);
    for (int i = 0; values && i < length; i++)
        if (!known_value(c, elements[i], file, &values[i])) return NULL;
    return values;
}

static bool assign_elements(lang_compiler *c, const lang_declared *d, ir_expr *const *elements,
                            extent extent, ir_stmt **out)
{
    lang_symbol *symbol = declare(c, d, LANG_LOCAL, extent);
    for (int i = 0; symbol && i < extent.length; i++) {
        ir_expr *index = lang_tree_int(c, i, d->at);
        *out =
            index ? lang_tree_assign(c, symbol->index, index, elements[i], elements[i]->at) : NULL;
        if (!*out) return false;
        out = &(*out)->next;
    }
    return symbol;
}

static bool declare_array(lang_compiler *c, const lang_declared *d, bool file, ir_stmt **out)
{
    extent extent;
    if (!array_extent(c, d, &extent)) return false;
    if (!d->value) return declare_unset(c, d, extent, out);
    ir_expr **elements = check_elements(c, d, extent);
    if (!elements) return false;
    ir_value *values = d->constant ? known_elements(c, elements, extent.length, file) : NULL;
    if (c->failed) return false;
    if (!values && extent.length > IR_MAX_LENGTH)
        return lang_error(c, d->at,
                          "'%s' has %d elements that are computed, more than the %d allowed",
                          d->name->text, extent.length, IR_MAX_LENGTH);
    if (!values) return assign_elements(c, d, elements, extent, out);
    lang_symbol *symbol = declare(c, d, LANG_TABLE, extent);
    if (symbol) symbol->values = values;
    return symbol;
}

bool lang_check_declared(lang_compiler *c, const lang_declared *d, bool file, ir_stmt **out)
{
    *out = NULL;
    if (!check_initialiser(c, d)) return false;
    return d->array ? declare_array(c, d, file, out) : declare_number(c, d, file, out);
}
