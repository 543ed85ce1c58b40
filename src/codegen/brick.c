/* Bricks of reductions. The lanes of a brick are variables of the function, which compilers keep in
 * registers from vector to vector. Before the first vector they are read from their view, and after
 * the last they go back to it. Of whole bricks they begin neutral, and end as one number. */
#include "codegen/emit.h"

static void begin_lanes(const codegen_writer *w, nest *in, const ir_store *s)
{
    const ir_param *param = &w->loop->kernel->params[s->param];
    codegen_label lanes = codegen_lanes_name(w, s), row = codegen_written_name(w, s);
    nest_statement(in, "%s%s %s[%d] %s", w->dialect->local, ir_types[param->type].c_name, lanes.is,
                   ABI_LANES, w->dialect->aligned);
    nest *whole = nest_format(in, NEST_IF, "flags & ABI_WHOLE_BRICKS");
    whole = nest_loop(whole, NEST_PLAIN, "int l = 0; l < %d; l++", ABI_LANES);
    text *line = &nest_format(whole, NEST_STATEMENT, "%s[l] = ", lanes.is)->head;
    codegen_constant(line, w->dialect, param->type, ir_reduction_start(param));
    nest *part =
        nest_loop(nest_add(in, NEST_ELSE), NEST_PLAIN, "int l = 0; l < %d; l++", ABI_LANES);
    nest_statement(part, "%s[l] = %s[brick * %d + l]", lanes.is, row.is, ABI_LANES);
}

static void end_lanes(const codegen_writer *w, nest *in, const ir_store *s)
{
    const ir_param *param = &w->loop->kernel->params[s->param];
    codegen_label lanes = codegen_lanes_name(w, s), row = codegen_written_name(w, s);
    const char *type = codegen_short_type(param->type);
    nest *whole = nest_format(in, NEST_IF, "flags & ABI_WHOLE_BRICKS");
    nest_statement(whole, "abi_value all = {.i64 = 0}");
    nest_statement(whole, "all.%s = kata_%s_lanes_%s(%s)", type,
                   ir_ops[ir_reduction_op(param)].name, type, lanes.is);
    nest_statement(whole, "((%sabi_value *)%s)[brick] = all", w->dialect->global, row.is);
    nest *part =
        nest_loop(nest_add(in, NEST_ELSE), NEST_PLAIN, "int l = 0; l < %d; l++", ABI_LANES);
    nest_statement(part, "%s[brick * %d + l] = %s[l]", row.is, ABI_LANES, lanes.is);
}

nest *codegen_begin_bricks(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    nest_statement(in, "const int64_t row_points = hi[0] - lo[0]");
    nest *bricks =
        nest_loop(in, NEST_PLAIN, "int64_t begin = lo[0], end; begin < hi[0]; begin = end");
    nest_statement(bricks, "end = kata_brick_end(begin, hi[0])");
    nest_statement(bricks,
                   "const int64_t brick = begin >> ABI_BRICK_SHIFT, lo[] = {begin}, hi[] = {end}");
    for (int i = 0; i < kernel->store_count; i++)
        if (codegen_has_lanes(w->loop, kernel->stores[i].param))
            begin_lanes(w, bricks, &kernel->stores[i]);
    return bricks;
}

void codegen_end_bricks(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->store_count; i++)
        if (codegen_has_lanes(w->loop, kernel->stores[i].param))
            end_lanes(w, in, &kernel->stores[i]);
}
