/* Ratios: fields on finer or coarser grids than the grid that a kernel is applied to. */
#include "lang/check.h"
#include "lang/parse.h"

#include <string.h>

/* Whether a misspelt finer or coarser stands where only these can; reports it. */
static bool is_misspelt(lang_compiler *c)
{
    static const char *const words[] = {"finer", "coarser"};
    if (c->token.kind != LANG_TOKEN_NAME) return false;
    const char *name = c->token.name->text;
    bool near = nearest_name(name, words, COUNT_OF(words)), at = !strcmp(name, "at");
    if (!near && !at) return false;
    lang_expect(c, LANG_SIGN_PAREN_CLOSE, "after the parameters");
    if (near) return lang_suggest(c, name, words, COUNT_OF(words));
    lang_hint(c, "did you mean 'finer'? a field of a grid twice as fine is 'in double u finer(2)', "
                 "of one half as fine 'in double u coarser(2)'");
    return true;
}

bool lang_parse_ratio(lang_compiler *c, lang_param *p)
{
    bool finer = lang_is_word(&c->token, LANG_WORD_FINER);
    p->coarser = lang_is_word(&c->token, LANG_WORD_COARSER);
    if (!finer && !p->coarser) return !is_misspelt(c);
    p->ratio_at = c->token.at;
    lang_advance(c);
    if (!lang_expect(c, LANG_SIGN_PAREN_OPEN, "before the ratio")) return false;
    p->ratio = lang_parse_list(c, LANG_SIGN_PAREN_CLOSE, "after the ratio");
    if (!p->ratio) return false;
    if (!lang_is_word(&c->token, LANG_WORD_FINER) && !lang_is_word(&c->token, LANG_WORD_COARSER))
        return true;
    lang_error(c, c->token.at, "'%s' has two ratios", p->name->text);
    return lang_hint(c, "write one, with a number for each dimension: 1 where the grids are alike");
}

/* ---- of a kernel's parameter ----------------------------------------------------------------- */

static bool refuse_number(lang_compiler *c, const lang_param *p)
{
    lang_error(c, p->ratio_at, "'%s' is no field and has no ratio", p->name->text);
    return lang_hint(c, "a field is 'in %s %s', 'out %s %s' or 'inout %s %s'",
                     ir_types[p->type].name, p->name->text, ir_types[p->type].name, p->name->text,
                     ir_types[p->type].name, p->name->text);
}

static bool refuse_written(lang_compiler *c, const lang_param *p)
{
    lang_error(c, p->ratio_at,
               "'%s' is coarser and cannot be written: several points would write "
               "the same value",
               p->name->text);
    return lang_hint(c, "apply the kernel to the coarser grid, and declare the other field finer");
}

static bool check_outputs(lang_compiler *c, const lang_param *p, const ir_param *param)
{
    int outputs = param->count * ir_param_children(param);
    if (outputs <= IR_MAX_OUTPUTS) return true;
    lang_error(c, p->ratio_at,
               "'%s' has %d values to write at each point, more than the %d allowed", p->name->text,
               outputs, (int)IR_MAX_OUTPUTS);
    return lang_hint(c, "these are its components at all children, in three dimensions unless a "
                        "number is given for each");
}

/* One number counts for all dimensions; several numbers are all dimensions of the grids. */
static bool read_numbers(lang_compiler *c, const lang_param *p, int ratio[3], int *count)
{
    *count = 0;
    for (const lang_expr *e = p->ratio; e; e = e->next) {
        if (*count == 3) {
            lang_error(c, e->at, "a ratio has at most three numbers");
            return lang_hint(c, "they go along x, y and z; one number is for all dimensions");
        }
        if (!lang_check_constant(c, e, "the ratio", 1, IR_MAX_RATIO, &ratio[*count])) return false;
        (*count)++;
    }
    for (int d = *count; d < 3; d++) ratio[d] = *count == 1 ? ratio[0] : 1;
    return true;
}

bool lang_check_ratio(lang_compiler *c, const lang_param *p, ir_param *param)
{
    int ratio[3];
    if (!p->ratio) return true;
    if (!ir_param_is_field(param)) return refuse_number(c, p);
    if (!read_numbers(c, p, ratio, &param->ratios)) return false;
    param->ratio_at = p->ratio_at;
    for (int d = 0; d < 3; d++)
        (p->coarser ? param->coarser : param->finer)[d] = ratio[d] > 1 ? ratio[d] : 0;
    if (!ir_param_is_written_field(param) || !ir_param_has_ratio(param)) return true;
    return p->coarser ? refuse_written(c, p) : check_outputs(c, p, param);
}
