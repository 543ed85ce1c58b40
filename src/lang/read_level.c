/* Reads of a field at an index that is known only at run time: u[0,0,at(k)]. */
#include "lang/check.h"

#include <string.h>

bool lang_is_level(lang_compiler *c, const lang_expr *own)
{
    if (!own || own->kind != LANG_EXPR_CALL || strcmp(own->name->text, "at") != 0) return false;
    const lang_symbol *named = lang_find(c, own->name);
    return !named || named->kind != LANG_HELPER;
}

int lang_find_level(lang_compiler *c, const lang_lvalue *lvalue)
{
    int level = 1;
    for (const lang_expr *own = lvalue->offsets; own; own = own->next, level++)
        if (lang_is_level(c, own)) return level;
    return 0;
}

/* Whether there is one index, given by one number. */
static bool is_one(lang_compiler *c, const lang_lvalue *lvalue, const lang_expr *own, int level)
{
    const char *name = lvalue->symbol->name->text;
    int given = 0;
    for (const lang_expr *e = own->arg[1]; e; e = e->next) given++;
    if (given != 1) return lang_error(c, own->at, "'at' takes 1 argument, not %d", given);
    if (level == lang_find_level(c, lvalue)) return true;
    lang_error(c, own->at, "'%s' is read by 'at(...)' along two dimensions", name);
    return lang_hint(c, "along the others it has offsets: '%s[1,0,at(k)]'", name);
}

static bool may_read(lang_compiler *c, const lang_lvalue *lvalue, const lang_expr *own)
{
    const char *name = lvalue->symbol->name->text;
    if (lvalue->given) {
        lang_error(c, own->at, "'%s' is given to a helper by 'at(...)'", name);
        return lang_hint(c, "give the helper '%s' and the index, and write 'at(...)' there", name);
    }
    if (lvalue->written) {
        lang_error(c, own->at, "'%s' cannot be written by 'at(...)'", name);
        return lang_hint(c, "a kernel writes its own point: '%s = ...;'", name);
    }
    if (lvalue->symbol->param == IR_PARAM_IN) return true;
    lang_error(c, own->at, "'%s' is written by the kernel, and cannot be read by 'at(...)'", name);
    return lang_hint(c, "other points write there at any time: read an 'in' field");
}

bool lang_add_level(lang_compiler *c, const lang_lvalue *lvalue, const lang_expr *own, int level,
                    ir_expr **index)
{
    if (!is_one(c, lvalue, own, level) || !may_read(c, lvalue, own)) return false;
    *index = lang_check_integer(c, own->arg[1], "an index");
    return *index;
}
