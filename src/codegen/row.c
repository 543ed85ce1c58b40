/* The loops over the points of a row: in vectors (vectors.c) where points may be computed side by
 * side and what they write lies side by side, otherwise point by point. */
#include "codegen/codegen.h"

/* Whether the points of a row may be computed side by side. */
static bool is_free(const codegen_loop *loop)
{
    return !loop->colored && (!loop->kernel->direction || loop->kernel->ordered > 0);
}

static bool is_side_by_side(const codegen_loop *loop, const ir_store *s)
{
    const ir_param *p = &loop->kernel->params[s->param];
    return codegen_rows_of(loop, s->param) == CODEGEN_CONTIGUOUS && p->finer[0] <= 1 &&
           p->coarser[0] <= 1 && !p->absent_axis[0];
}

bool codegen_runs_vectors(const codegen_loop *loop)
{
    bool whole = is_free(loop) && !codegen_runs_blocks(loop) && loop->kernel->store_count > 0;
    for (int i = 0; i < loop->kernel->store_count; i++)
        whole = whole && is_side_by_side(loop, &loop->kernel->stores[i]);
    return whole;
}

/* ---- point by point -------------------------------------------------------------------------- */

void codegen_direct_call(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    codegen_indent(w, CODEGEN_POINT);
    codegen_call_begin(w, "ix");
    for (int i = 0; i < kernel->store_count; i++) {
        text_add(w->out, ", &");
        codegen_target(w, &kernel->stores[i]);
    }
    text_add(w->out, ");\n");
}

/* The first point of the colour in a row. */
static void add_colored_start(const codegen_writer *w)
{
    text_add(
        w->out,
        "            const int64_t before = (color - lo[0] - iy - iz) %% colors;\n"
        "            const int64_t first = lo[0] + (before < 0 ? before + colors : before);\n");
}

/* Around the loop over points where they run block by block. */
static void add_block_loop(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    text_add(w->out,
             "            for (int64_t start = lo[0], end; start < hi[0]; start = end) {\n"
             "            end = (start | %d) + 1 < hi[0] ? (start | %d) + 1 : hi[0];\n",
             ABI_BLOCK - 1, ABI_BLOCK - 1);
    for (int p = 0; p < kernel->param_count; p++) {
        if (codegen_rows_of(w->loop, p) != CODEGEN_BLOCKED) continue;
        text_add(w->out, "            const int64_t ");
        codegen_param_name(w->out, kernel, p);
        text_add(w->out, "_block = (start >> %d) * %d;\n", ABI_BLOCK_SHIFT,
                 (kernel->params[p].count - 1) * ABI_BLOCK);
    }
}

/* The loop over the points of a row, for which the compiler may be told something. */
static void begin_points(const codegen_writer *w, const char *pragma)
{
    bool blocks = codegen_runs_blocks(w->loop);
    if (blocks) add_block_loop(w);
    if (is_free(w->loop)) text_add(w->out, "%s", pragma);
    if (w->loop->colored)
        text_add(w->out, "            for (int64_t ix = first; ix < hi[0]; ix += colors) {\n");
    else if (blocks)
        text_add(w->out, "            for (int64_t ix = start; ix < end; ix++) {\n");
    else
        codegen_begin_loop(w, 0);
}

static void end_points(const codegen_writer *w)
{
    text_add(w->out, "            }\n");
    if (codegen_runs_blocks(w->loop)) text_add(w->out, "            }\n");
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* A pass over the row before anything of it is written: the first point at which a check fails ends
 * the function. */
static void add_checks(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    text_add(w->out, "            int64_t failing = hi[0];\n");
    begin_points(w, "#pragma omp simd reduction(min : failing)\n");
    codegen_steps(w, CODEGEN_POINT, CODEGEN_POINT);
    text_add(w->out, "                failing = ");
    codegen_operand(w, kernel->valid);
    text_add(w->out, " || failing < ix ? failing : ix;\n");
    end_points(w);
    text_add(w->out, "            if (failing < hi[0]) {\n"
                     "                *arguments->failure = (abi_failure){1, {failing, iy, iz}};\n"
                     "                return;\n"
                     "            }\n");
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Conditions on the level that choose between bodies of intervals, the one that chooses last
 * first: known before a row is computed, they save computing what is not chosen. */
static int find_cases(const codegen_writer *w, ir_id cases[CODEGEN_CASES])
{
    const ir_kernel *kernel = w->loop->kernel;
    int count = 0;
    for (ir_id id = (ir_id)kernel->graph.count; kernel->interval_count > 0 && id-- > 1;) {
        const ir_node *node = &kernel->graph.nodes[id];
        if (node->op != IR_SELECT || w->steps[id].level < CODEGEN_POINT) continue;
        ir_id condition = node->arg[0];
        bool outer = w->steps[condition].named && w->steps[condition].level < CODEGEN_POINT;
        for (int i = 0; i < count; i++) outer = outer && cases[i] != condition;
        if (outer && count < CODEGEN_CASES) cases[count++] = condition;
    }
    return count;
}

static void add_loop(const codegen_writer *w)
{
    if (codegen_runs_vectors(w->loop)) {
        codegen_vectors(w);
        return;
    }
    bool lanes = codegen_reduces(w->loop);
    if (w->loop->colored && lanes) add_colored_start(w);
    begin_points(w, lanes ? "#pragma omp simd safelen(16)\n" : "#pragma omp simd\n");
    codegen_direct_call(w);
    end_points(w);
}

static void add_loops(const codegen_writer *w)
{
    if (codegen_reduces(w->loop)) codegen_begin_bricks(w);
    add_loop(w);
    if (codegen_reduces(w->loop)) codegen_end_bricks(w);
}

/* if the first condition holds, these loops, else if the second does, ... */
static void add_cases(codegen_writer *w)
{
    ir_id cases[CODEGEN_CASES];
    int count = find_cases(w, cases);
    for (int i = 0; i < count; i++) {
        text_add(w->out, "            %sif (v%u) {\n", i ? "} else " : "", (unsigned)cases[i]);
        w->known[i] = cases[i];
        w->holds[i] = true;
        add_loops(w);
        w->holds[i] = false;
    }
    if (count > 0) text_add(w->out, "            } else {\n");
    add_loops(w);
    if (count > 0) text_add(w->out, "            }\n");
    for (int i = 0; i < count; i++) w->known[i] = 0;
}

void codegen_row_text(codegen_writer *w, const bool *wanted)
{
    if (w->loop->colored) add_colored_start(w);
    if (w->loop->kernel->valid) {
        w->wanted = wanted;
        add_checks(w);
        w->wanted = wanted + w->loop->kernel->graph.count;
    }
    add_cases(w);
}
