/* Fields of lower rank: "in double p along z". */
#include "lang/check.h"
#include "lang/parse.h"

#include <string.h>

static bool not_dimensions(lang_compiler *c)
{
    lang_unexpected(c, "the dimensions that the field extends along");
    return lang_hint(c, "they are written as one word in the order x, y, z: 'along z', 'along xy'");
}

bool lang_parse_along(lang_compiler *c, lang_param *p)
{
    static const char letters[] = "xyz";
    if (!lang_is_word(&c->token, LANG_WORD_ALONG)) return true;
    p->along_at = c->token.at;
    lang_advance(c);
    if (c->token.kind != LANG_TOKEN_NAME) return not_dimensions(c);
    const char *from = letters;
    for (const char *at = c->token.name->text; *at; at++) {
        const char *letter = strchr(from, *at);
        if (!letter) return not_dimensions(c);
        p->along |= 1 << (letter - letters);
        from = letter + 1;
    }
    lang_advance(c);
    return true;
}

bool lang_check_along(lang_compiler *c, const lang_param *p, ir_param *param)
{
    static const int all = 7;
    if (!p->along) return true;
    bool where = param->kind == IR_PARAM_WHERE;
    if (ir_param_is_reduction(param) && !where && p->along == all) {
        lang_error(c, p->along_at, "'%s' lacks no dimension: nothing is left to reduce along",
                   p->name->text);
        return lang_hint(c, "a field with all dimensions is 'out %s %s'", ir_types[p->type].name,
                         p->name->text);
    }
    if (where || (!ir_param_is_field(param) && !ir_param_is_reduction(param))) {
        lang_error(c, p->along_at, "'%s' is no field and extends along nothing", p->name->text);
        return lang_hint(c, "a field is 'in %s %s along z'", ir_types[p->type].name, p->name->text);
    }
    for (int d = 0; d < 3; d++) param->absent_axis[d] = !(p->along >> d & 1);
    return true;
}

bool lang_check_columns_order(lang_compiler *c, const lang_function *f, const ir_param *params)
{
    for (const lang_param *p = f->params; p; p = p->next) {
        if (!ir_param_is_column_reduction(&params[p->number])) continue;
        lang_error(c, p->along_at,
                   "'%s' is a field, and a kernel with an order along several dimensions reduces "
                   "into scalars only",
                   p->name->text);
        return lang_hint(c, "write the values to a field, and reduce that in a kernel of its own");
    }
    return true;
}
