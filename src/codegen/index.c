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
    if (param->absent_axis[dimension]) {
        text_add(out, "%d", (int)offset);
        return;
    }
    add_base(out, param, dimension);
    if (offset)
        text_add(out, " %c %d", offset < 0 ? '-' : '+', (int)(offset < 0 ? -offset : offset));
}

/* "iz - 1 < levels[1].lowest ? levels[1].lowest : ": one end of the levels that may be read. */
static void add_end(const codegen_writer *w, int param, int dimension, int32_t offset, bool high)
{
    const char *end = high ? "highest" : "lowest";
    codegen_index(w->out, &w->loop->kernel->params[param], dimension, offset);
    text_add(w->out, " %c levels[%d].%s ? levels[%d].%s : ", high ? '>' : '<', param, end, param,
             end);
}

/* Any level may lie beyond a field, at either end: a range may reach beyond the grid, where no
 * interval does. */
void codegen_read_index(const codegen_writer *w, int param, int dimension, int32_t offset)
{
    const ir_kernel *kernel = w->loop->kernel;
    const ir_param *p = &kernel->params[param];
    bool level = kernel->direction && kernel->ordered == dimension && !p->absent_axis[dimension];
    for (int high = 0; high < 2 && level; high++) add_end(w, param, dimension, offset, high);
    codegen_index(w->out, p, dimension, offset);
}

codegen_rows codegen_rows_of(const codegen_loop *loop, int param)
{
    bool field = ir_param_is_field(&loop->kernel->params[param]);
    return field && loop->rows ? loop->rows[param] : CODEGEN_CONTIGUOUS;
}

bool codegen_runs_blocks(const codegen_loop *loop)
{
    bool blocked = false, along_x = loop->kernel->direction && loop->kernel->ordered == 0;
    for (int p = 0; p < loop->kernel->param_count; p++)
        blocked = blocked || codegen_rows_of(loop, p) == CODEGEN_BLOCKED;
    return blocked && !along_x && !loop->colored;
}

/* Whether the element at an offset along x lies in the block of the point. */
static bool is_in_block(const codegen_loop *loop, const ir_param *p, int32_t offset)
{
    bool moves = p->finer[0] > 1 || p->coarser[0] > 1 || p->absent_axis[0] || offset;
    return !moves && codegen_runs_blocks(loop);
}

static void add_blocked(text *out, const codegen_loop *loop, int param, int32_t offset,
                        const char *i)
{
    const ir_param *p = &loop->kernel->params[param];
    if (is_in_block(loop, p, offset)) {
        text_add(out, "[ix + ");
        codegen_param_name(out, loop->kernel, param);
        text_add(out, "_block]");
        return;
    }
    text_add(out, "[((%s) >> %d) * %d + ((%s) & %d)]", i, ABI_BLOCK_SHIFT, p->count * ABI_BLOCK, i,
             ABI_BLOCK - 1);
}

bool codegen_has_lanes(const codegen_loop *loop, int param)
{
    bool along_x = loop->kernel->direction && loop->kernel->ordered == 0;
    return ir_param_is_reduction(&loop->kernel->params[param]) && !along_x;
}

void codegen_element(const codegen_writer *w, int param, int32_t offset, bool reads,
                     const char *row)
{
    const ir_param *p = &w->loop->kernel->params[param];
    text index = {0};
    codegen_writer in = *w;
    in.out = &index;
    if (reads)
        codegen_read_index(&in, param, 0, offset);
    else
        codegen_index(&index, p, 0, offset);
    const char *i = text_get(&index);
    if (index.failed) w->out->failed = true;
    switch (codegen_rows_of(w->loop, param)) {
    case CODEGEN_CONTIGUOUS: text_add(w->out, "[%s]", i); break;
    case CODEGEN_TOGETHER: text_add(w->out, "[(%s) * %d]", i, p->count); break;
    case CODEGEN_BLOCKED: add_blocked(w->out, w->loop, param, offset, i); break;
    case CODEGEN_STRIDED: text_add(w->out, "[(%s) * %s_x]", i, row); break;
    }
    text_free(&index);
}
