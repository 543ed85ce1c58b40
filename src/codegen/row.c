/* The loops over the points of a row: in vectors (vectors.c) where points may be computed side by
 * side and their results lie side by side, otherwise point by point. */
#include "codegen/emit.h"

/* ---- point by point -------------------------------------------------------------------------- */

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

/* ---- checks ---------------------------------------------------------------------------------- */

/* The first point at which a check fails ends the function. */
static void add_failure(const codegen_writer *w, nest *in)
{
    nest *points = codegen_begin_points(w, in, NEST_PLAIN);
    nest_statement(points, "KATA_NOT_IN_VECTORS");
    codegen_steps(w, points, CODEGEN_POINT);
    nest *fails = nest_format(points, NEST_IF, "!");
    codegen_operand(&fails->head, w, w->loop->kernel->valid);
    nest_statement(fails, "*arguments->failure = (abi_failure){1, {ix, iy, iz}}");
    nest_statement(fails, "return");
}

/* A pass over the row before anything of it is written. */
static void add_checks(const codegen_writer *w, nest *in)
{
    nest_statement(in, "int32_t failing = 0");
    nest *points = codegen_begin_points(w, in, NEST_VECTOR_ANY);
    codegen_steps(w, points, CODEGEN_POINT);
    codegen_operand(&nest_format(points, NEST_STATEMENT, "failing |= !")->head, w,
                    w->loop->kernel->valid);
    add_failure(w, nest_format(in, NEST_IF, "failing"));
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void add_points(const codegen_writer *w, nest *in)
{
    if (w->lanes) {
        codegen_vectors(w, in);
        return;
    }
    bool lanes = codegen_reduces(w->loop);
    nest *points = codegen_begin_points(w, in, lanes ? NEST_VECTOR_LANES : NEST_VECTOR);
    codegen_direct_call(w, points);
}

static void add_bricks(const codegen_writer *w, nest *in)
{
    nest *bricks = codegen_begin_bricks(w, in);
    add_points(w, bricks);
    codegen_end_bricks(w, bricks);
}

/* Bricks that wait still can: what they contribute is not touched by points that do not wait. */
static void add_loops(const codegen_writer *w, nest *in)
{
    if (!codegen_reduces(w->loop)) {
        add_points(w, in);
        return;
    }
    if (w->whole) {
        codegen_writer at_once = codegen_at_once(w);
        add_bricks(&at_once, codegen_if_whole(w, in));
        in = nest_add(in, NEST_ELSE);
    }
    add_bricks(w, in);
}

/* If the first condition holds, these loops, else if the second does, ... */
static void add_cases(const codegen_writer *w, nest *in)
{
    codegen_writer known = *w;
    for (int i = 0; i < w->case_count; i++) {
        nest *when = nest_format(in, i ? NEST_ELSE : NEST_IF, "v%u", (unsigned)w->cases[i]);
        known.known[i] = w->cases[i];
        known.holds[i] = true;
        add_loops(&known, when);
        known.holds[i] = false;
    }
    add_loops(&known, w->case_count ? nest_add(in, NEST_ELSE) : in);
}

void codegen_row(const codegen_writer *w, nest *in, const bool *wanted)
{
    codegen_writer before = *w;
    before.wanted = wanted;
    if (w->loop->kernel->valid) add_checks(&before, in);
    before.wanted = wanted + 3 * w->loop->kernel->graph.count;
    if (w->loop->kernel->addition_count) codegen_additions(&before, in);
    add_cases(w, in);
}
