/* The loops over the points of a row: in vectors (vectors.c) where points may be computed side by
 * side and their results lie side by side, otherwise point by point. */
#include "codegen/bin_checks.h"
#include "codegen/vectors.h"

/* ---- cases ----------------------------------------------------------------------------------- */

static void add_points(const codegen_writer *w, nest *in)
{
    if (w->line) {
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
        codegen_whole_bricks(w, codegen_if_rounds(w, in));
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
    if (w->loop->kernel->valid && !codegen_checks_additions(w)) codegen_checks(&before, in);
    before.wanted = wanted + 3 * w->loop->kernel->graph.count;
    if (w->loop->kernel->addition_count) codegen_additions(&before, in);
    add_cases(w, in);
}
