/* The indices at which fields are touched, as C expressions of ix, iy and iz: the text of what
 * ir_param_index computes. */
#include "codegen/emit.h"

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

/* A reduction has an element, or lanes, for each row. */
void codegen_index(text *out, const ir_param *param, int dimension, int32_t offset)
{
    if (param->absent_axis[dimension] && ir_param_is_field(param)) {
        text_add(out, "%d", (int)offset);
        return;
    }
    add_base(out, param, dimension);
    if (offset)
        text_add(out, " %c %d", offset < 0 ? '-' : '+', (int)(offset < 0 ? -offset : offset));
}

/* "iz - 1 < levels[1].lowest ? levels[1].lowest : ": one end of the levels that may be read. */
static void add_end(text *out, const ir_kernel *kernel, int param, int dimension, int32_t offset,
                    bool high)
{
    const char *end = high ? "highest" : "lowest";
    codegen_index(out, &kernel->params[param], dimension, offset);
    text_add(out, " %c levels[%d].%s ? levels[%d].%s : ", high ? '>' : '<', param, end, param, end);
}

/* Any level may lie beyond a field, at either end: a range may reach beyond the grid, where no
 * interval does. */
void codegen_read_index(text *out, const ir_kernel *kernel, int param, int dimension,
                        int32_t offset)
{
    const ir_param *p = &kernel->params[param];
    bool level =
        kernel->order[dimension] && !ir_orders_several(kernel) && !p->absent_axis[dimension];
    for (int high = 0; high < 2 && level; high++)
        add_end(out, kernel, param, dimension, offset, high);
    codegen_index(out, p, dimension, offset);
}

/* Whether the element at an offset along x lies in the block of the point. */
static bool is_in_block(const codegen_writer *w, const ir_param *p, int32_t offset)
{
    bool moves = p->finer[0] > 1 || p->coarser[0] > 1 || p->absent_axis[0] || offset;
    return !moves && w->blocks;
}

static void add_blocked(text *out, const codegen_writer *w, int param, int32_t offset,
                        const char *i)
{
    const ir_param *p = &w->loop->kernel->params[param];
    if (is_in_block(w, p, offset)) {
        text_add(out, "[ix + %s_block]", codegen_param_name(w->loop->kernel, param).is);
        return;
    }
    text_add(out, "[((%s) >> %d) * %d + ((%s) & %d)]", i, ABI_BLOCK_SHIFT, p->count * ABI_BLOCK, i,
             ABI_BLOCK - 1);
}

void codegen_element(text *out, const codegen_writer *w, int param, int32_t offset, bool reads,
                     const char *row)
{
    const ir_kernel *kernel = w->loop->kernel;
    const ir_param *p = &kernel->params[param];
    text index = {0};
    if (reads)
        codegen_read_index(&index, kernel, param, 0, offset);
    else
        codegen_index(&index, p, 0, offset);
    const char *i = text_get(&index);
    if (index.failed) out->failed = true;
    switch (codegen_rows_of(w->loop, param)) {
    case CODEGEN_CONTIGUOUS: text_add(out, "[%s]", i); break;
    case CODEGEN_TOGETHER: text_add(out, "[(%s) * %d]", i, p->count); break;
    case CODEGEN_BLOCKED: add_blocked(out, w, param, offset, i); break;
    case CODEGEN_STRIDED: text_add(out, "[(%s) * %s_x]", i, row); break;
    }
    text_free(&index);
}

void codegen_in_row(text *out, const codegen_writer *w, int param, const char *i)
{
    int count = w->loop->kernel->params[param].count;
    switch (codegen_rows_of(w->loop, param)) {
    case CODEGEN_CONTIGUOUS:
    case CODEGEN_STRIDED: text_add(out, "%s", i); break;
    case CODEGEN_TOGETHER: text_add(out, "(%s) * %d", i, count); break;
    case CODEGEN_BLOCKED:
        text_add(out, "((%s) >> %d) * %d + ((%s) & %d)", i, ABI_BLOCK_SHIFT, count * ABI_BLOCK, i,
                 ABI_BLOCK - 1);
        break;
    }
}
