/* Indices of fields as C expressions of the loop's: what ir_param_index says. */
#include "codegen/codegen.h"

static void add_base(text *out, const ir_param *param, int dimension)
{
    char i = "xyz"[dimension];
    int finer = param->finer[dimension], coarser = param->coarser[dimension];
    if (finer > 1)
        text_add(out, "%d * i%c", finer, i);
    else if (coarser > 1 && !(coarser & (coarser - 1)))
        text_add(out, "(i%c >> %d)", i, __builtin_ctz((unsigned)coarser));
    else if (coarser > 1) /* rounded down, also of an index below 0 */
        text_add(out, "(i%c - (i%c %% %d + %d) %% %d) / %d", i, i, coarser, coarser, coarser,
                 coarser);
    else
        text_add(out, "i%c", i);
}

void codegen_index(text *out, const ir_param *param, int dimension, int32_t offset)
{
    if (param->missing[dimension]) {
        text_add(out, "%d", (int)offset);
        return;
    }
    add_base(out, param, dimension);
    if (offset)
        text_add(out, " %c %d", offset < 0 ? '-' : '+', (int)(offset < 0 ? -offset : offset));
}
