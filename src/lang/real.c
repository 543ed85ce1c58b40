/* `real`: the type of the first field given for a parameter of that type. A kernel that uses it is
 * translated twice: with all types written `real` in the syntax of the file set to double, then to
 * float. kata_apply chooses. */
#include "lang/check.h"
#include "lang/parse.h"

_Static_assert((int)LANG_WORD_REAL == (int)IR_TYPE_COUNT, "real follows the types of the IR");

bool lang_note_real(lang_compiler *c, ir_type *type)
{
    if (*type != IR_TYPE_COUNT) return true;
    void *reals = c->reals;
    if (!vector_reserve(&reals, &c->real_capacity, c->real_count + 1, sizeof *c->reals))
        return lang_no_memory(c);
    c->reals = reals;
    c->reals[c->real_count++] = type;
    c->uses_real = true;
    *type = IR_F64;
    return true;
}

void lang_set_real(lang_compiler *c, ir_type type)
{
    for (size_t i = 0; i < c->real_count; i++) *c->reals[i] = type;
}

bool lang_check_real(lang_compiler *c, const lang_function *f, ir_kernel *kernel)
{
    if (!c->uses_real) return true;
    for (const lang_param *p = f->params; p; p = p->next) {
        kernel->real_param = p->number;
        if (p->real && ir_param_is_field(&kernel->params[p->number])) return true;
    }
    lang_error(c, f->at, "kernel '%s' uses 'real', but has no field of that type", f->name->text);
    return lang_hint(c, "real is double or float as the field given for the first 'in real', 'out "
                        "real' or 'inout real' parameter is stored");
}
