/* Indices of fields as C expressions of the loop's: what ir_param_index says. */
#include "codegen/codegen.h"

static void add_base(text *out, const ir_param *param, int dimension)
{
    char i = "xyz"[dimension];
    int finer = param->finer[dimension], coarser = param->coarser[dimension];
    if (finer > 1)
        text_add(out, "%d * i%c", finer, i);
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

codegen_rows codegen_rows_of(const codegen_loop *loop, int param)
{
    bool field = ir_param_is_field(&loop->kernel->params[param]);
    return field && loop->rows ? loop->rows[param] : CODEGEN_CONTIGUOUS;
}

void codegen_element(text *out, const codegen_loop *loop, int param, int32_t offset,
                     const char *row)
{
    const ir_param *p = &loop->kernel->params[param];
    text index = {0};
    codegen_index(&index, p, 0, offset);
    const char *i = text_get(&index);
    switch (codegen_rows_of(loop, param)) {
    case CODEGEN_CONTIGUOUS: text_add(out, "[%s]", i); break;
    case CODEGEN_TOGETHER: text_add(out, "[(%s) * %d]", i, p->count); break;
    case CODEGEN_BLOCKED:
        text_add(out, "[((%s) >> %d) * %d + ((%s) & %d)]", i, CODEGEN_BLOCK_SHIFT,
                 p->count * CODEGEN_BLOCK, i, CODEGEN_BLOCK - 1);
        break;
    case CODEGEN_STRIDED: text_add(out, "[(%s) * %s_x]", i, row); break;
    }
    if (index.failed) out->failed = true;
    text_free(&index);
}
