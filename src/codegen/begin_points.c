/* The loop over the points of a row, point by point. */
#include "codegen/colored.h"

/* The loop over blocks of a row. */
static nest *begin_blocks(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    nest *loop =
        nest_loop(in, NEST_PLAIN, "int64_t start = lo[0], end; start < hi[0]; start = end");
    nest_statement(loop, "end = (start | %d) + 1 < hi[0] ? (start | %d) + 1 : hi[0]", ABI_BLOCK - 1,
                   ABI_BLOCK - 1);
    for (int p = 0; p < kernel->param_count; p++)
        if (codegen_rows_of(w->loop, p) == CODEGEN_BLOCKED)
            nest_statement(loop, "const int64_t %s_block = (start >> %d) * %d",
                           codegen_param_name(kernel, p).is, ABI_BLOCK_SHIFT,
                           (kernel->params[p].count - 1) * ABI_BLOCK);
    return loop;
}

nest *codegen_begin_points(const codegen_writer *w, nest *in, nest_hint hint)
{
    if (w->blocks) in = begin_blocks(w, in);
    nest *loop;
    if (w->loop->colored)
        loop = codegen_color_points(in, "lo[0]", "hi[0]");
    else if (w->blocks)
        loop = nest_loop(in, NEST_PLAIN, "int64_t ix = start; ix < end; ix++");
    else
        loop = codegen_begin_loop(w, in, 0);
    if (codegen_is_free(w->loop) && !w->loop->colored) loop->hint = hint;
    return loop;
}
