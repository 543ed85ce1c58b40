/* Variables, arrays, constants and constant tables. A constant whose value is known at compile time
 * is that value; any other is a variable that is not assigned again. */
#include "lang/syntax.h"

/* The known value of an initialiser of a constant; reports one that a file needs and is not known.
 */
static bool known_value(lang_compiler *c, const ir_expr *e, bool file, ir_value *value)
{
    const ir_expr *culprit;
    if (lang_tree_evaluate(c, e, value, &culprit)) return true;
    if (!file) return false;
    lang_error(c, culprit->at, "the value of a constant must be known at compile time");
    return lang_hint(c, "it is made of numbers, operators and functions of the language, and "
                        "constants declared before");
}

static lang_symbol *declare(lang_compiler *c, const lang_declared *d, lang_symbol_kind kind,
                            int length)
{
    lang_symbol *symbol = lang_declare(c, kind, d->name, d->at);
    if (!symbol) return NULL;
    symbol->type = d->type;
    symbol->length = length;
    symbol->constant = d->constant;
    if (kind == LANG_LOCAL)
        symbol->index = lang_tree_local(c, d->name->text, d->type, length, d->at);
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

static bool declare_unset(lang_compiler *c, const lang_declared *d, int length, ir_stmt **out)
{
    lang_symbol *symbol = declare(c, d, LANG_LOCAL, length);
    *out = symbol ? lang_tree_stmt(c, IR_STMT_UNSET, symbol->index, d->at) : NULL;
    return *out;
}

static bool declare_number(lang_compiler *c, const lang_declared *d, bool file, ir_stmt **out)
{
    if (!d->value) return declare_unset(c, d, 0, out);
    ir_expr *value = lang_convert_assigned(c, lang_check(c, d->value), d->type);
    if (!value) return false;
    ir_value known;
    if (d->constant && known_value(c, value, file, &known)) {
        lang_symbol *symbol = declare(c, d, LANG_CONSTANT, 0);
        if (symbol) symbol->value = known;
        return symbol;
    }
    lang_symbol *symbol = file ? NULL : declare(c, d, LANG_LOCAL, 0);
    *out = symbol ? lang_tree_assign(c, symbol->index, NULL, value, d->at) : NULL;
    return *out;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static bool array_length(lang_compiler *c, const lang_declared *d, int *length)
{
    int count = 0;
    for (const lang_expr *e = d->value; e; e = e->next) count++;
    if (d->length && !lang_check_constant(c, d->length, "the length", 1, IR_MAX_LENGTH, length))
        return false;
    if (!d->length && !d->value)
        return lang_error(c, d->at, "the length of array '%s' is missing", d->name->text);
    if (!d->length && count > IR_MAX_LENGTH)
        return lang_error(c, d->at, "'%s' has %d elements, more than the %d allowed", d->name->text,
                          count, IR_MAX_LENGTH);
    if (!d->length) *length = count;
    if (count <= *length) return true;
    const lang_expr *excess = d->value;
    for (int i = 0; i < *length; i++) excess = excess->next;
    return lang_error(c, excess->at, "'%s' has %d elements, but %d values are given", d->name->text,
                      *length, count);
}

/* All elements converted; those without a value are 0. NULL when that failed. */
static ir_expr **check_elements(lang_compiler *c, const lang_declared *d, int length)
{
    ir_expr **elements = arena_array(&c->syntax, (size_t)length, sizeof(ir_expr *));
    if (!elements) {
        lang_no_memory(c);
        return NULL;
    }
    const lang_expr *e = d->value;
    for (int i = 0; i < length; i++, e = e ? e->next : NULL) {
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
                            int length, ir_stmt **out)
{
    lang_symbol *symbol = declare(c, d, LANG_LOCAL, length);
    for (int i = 0; symbol && i < length; i++) {
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
    int length;
    if (!array_length(c, d, &length)) return false;
    if (!d->value) return declare_unset(c, d, length, out);
    ir_expr **elements = check_elements(c, d, length);
    if (!elements) return false;
    ir_value *values = d->constant ? known_elements(c, elements, length, file) : NULL;
    if (c->failed) return false;
    if (!values) return assign_elements(c, d, elements, length, out);
    lang_symbol *symbol = declare(c, d, LANG_TABLE, length);
    if (symbol) symbol->values = values;
    return symbol;
}

bool lang_check_declared(lang_compiler *c, const lang_declared *d, bool file, ir_stmt **out)
{
    *out = NULL;
    if (!check_initialiser(c, d)) return false;
    return d->array ? declare_array(c, d, file, out) : declare_number(c, d, file, out);
}
