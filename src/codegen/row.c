/* The loops over the points of a row.
 *
 * Where points may be computed side by side and what they write lies side by side, a row is cut
 * into vectors: a loop over the lanes of each, whose results are kept aside and then written as a
 * whole, past the caches if KATA_PAST says so, while, for KATA_FAR, what the next row will need is
 * fetched. Where a
 * point may be computed twice, the first and the last vector overlap others; otherwise what remains
 * at both ends is computed point by point. */
#include "codegen/codegen.h"

#include <stdlib.h>

/* Whether the points of a row may be computed side by side. */
static bool is_free(const codegen_loop *loop)
{
    return !loop->colored && (!loop->kernel->direction || loop->kernel->ordered > 0);
}

static bool is_side_by_side(const codegen_loop *loop, const ir_store *s)
{
    const ir_param *p = &loop->kernel->params[s->param];
    return codegen_rows_of(loop, s->param) == CODEGEN_CONTIGUOUS && p->finer[0] <= 1 &&
           p->coarser[0] <= 1 && !p->missing[0];
}

bool codegen_runs_vectors(const codegen_loop *loop)
{
    bool whole = is_free(loop) && !codegen_runs_blocks(loop) && loop->kernel->store_count > 0;
    for (int i = 0; i < loop->kernel->store_count; i++)
        whole = whole && is_side_by_side(loop, &loop->kernel->stores[i]);
    return whole;
}

/* Points of a vector: those of a cache line of the narrowest numbers, but at most 16. */
static int lanes_of(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    int lanes = 8;
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        bool narrow = ir_param_is_field(param)
                          ? ir_storages[loop->storage[p]].bytes < 8
                          : ir_param_is_reduction(param) && ir_types[param->type].bytes < 8;
        if (narrow) lanes = 16;
    }
    return lanes;
}

/* ---- point by point -------------------------------------------------------------------------- */

/* The call of a point whose results go to their rows. */
static void add_direct_call(const codegen_writer *w)
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
        "            const int64_t before = (size[4] - lo[0] - iy - iz) %% size[3];\n"
        "            const int64_t first = lo[0] + (before < 0 ? before + size[3] : before);\n");
}

/* Around the loop over points where they run block by block. */
static void add_block_loop(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    text_add(w->out,
             "            for (int64_t start = lo[0], end; start < hi[0]; start = end) {\n"
             "            end = (start | %d) + 1 < hi[0] ? (start | %d) + 1 : hi[0];\n",
             CODEGEN_BLOCK - 1, CODEGEN_BLOCK - 1);
    for (int p = 0; p < kernel->param_count; p++) {
        if (codegen_rows_of(w->loop, p) != CODEGEN_BLOCKED) continue;
        text_add(w->out, "            const int64_t ");
        codegen_param_name(w->out, kernel, p);
        text_add(w->out, "_block = (start >> %d) * %d;\n", CODEGEN_BLOCK_SHIFT,
                 (kernel->params[p].count - 1) * CODEGEN_BLOCK);
    }
}

/* The loop over the points of a row, for which the compiler may be told something. */
static void begin_points(const codegen_writer *w, const char *pragma)
{
    bool blocks = codegen_runs_blocks(w->loop);
    if (blocks) add_block_loop(w);
    if (is_free(w->loop)) text_add(w->out, "%s", pragma);
    if (w->loop->colored)
        text_add(w->out, "            for (int64_t ix = first; ix < hi[0]; ix += size[3]) {\n");
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

/* ---- vectors --------------------------------------------------------------------------------- */

/* Where the vectors of the row begin and end: as memory is aligned, or as lanes are. */
static void add_bounds(const codegen_writer *w, int lanes)
{
    text first = codegen_written_name(w, &w->loop->kernel->stores[0]);
    text_add(w->out, "            const int64_t last = hi[0] - %d;\n", lanes);
    if (codegen_reduces(w->loop))
        text_add(w->out, "            int64_t from = lo[0] & -%d, to = hi[0];\n", lanes);
    else
        text_add(w->out,
                 "            int64_t from = kata_aligned(%s, sizeof *%s, %d, lo[0]);\n"
                 "            int64_t to = hi[0];\n",
                 text_get(&first), text_get(&first), lanes);
    text_add(w->out,
             "            if (last < lo[0] || !(how & KATA_TWICE)) {\n"
             "                from += from < lo[0] ? %d : 0;\n"
             "                from = from < hi[0] ? from : hi[0];\n"
             "                to = from + ((hi[0] - from) & -%d);\n"
             "            }\n",
             lanes, lanes);
    codegen_fetched_rows(w, lanes);
    text_free(&first);
}

/* Whether a result is written past the caches where the loop is told to. */
static bool may_pass(const codegen_loop *loop, int i)
{
    int param = loop->kernel->stores[i].param;
    return !codegen_has_lanes(loop, param) && !codegen_is_read(loop->kernel, param);
}

/* And of what is written otherwise than past the caches, what lies a few lines ahead. */
static void add_fetches(const codegen_writer *w, int lanes)
{
    text_add(w->out, "                    if (how & KATA_FAR) {\n");
    codegen_read_fetches(w);
    text_add(w->out, "                        if (!(how & KATA_PAST)) {\n");
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        if (!may_pass(w->loop, i)) continue;
        text name = codegen_written_name(w, &w->loop->kernel->stores[i]);
        text_add(w->out, "                            __builtin_prefetch(%s + at + %d, 1);\n",
                 text_get(&name), CODEGEN_AHEAD * lanes);
        text_free(&name);
    }
    text_add(w->out, "                        }\n                    }\n");
}

/* Vectors whose results are kept before they are written, one component after the other: where
 * there are many, lines of all of them at a time are more than a core can write past its caches. */
static int piece_of(const codegen_loop *loop)
{
    enum { MANY = 4, PIECE = 8 };
    return loop->kernel->store_count > MANY ? PIECE : 1;
}

/* "new_3": where the results of a store are kept. */
static bool is_kept(const codegen_loop *loop, int i)
{
    return piece_of(loop) > 1 ? may_pass(loop, i)
                              : !codegen_has_lanes(loop, loop->kernel->stores[i].param);
}

/* The place of a result of a lane of the vector at `at`. */
static void add_lane(const codegen_writer *w, int i)
{
    const ir_store *s = &w->loop->kernel->stores[i];
    if (codegen_has_lanes(w->loop, s->param)) {
        text name = codegen_lanes_name(w, s);
        text_add(w->out, ", &%s[place + lane]", text_get(&name));
        text_free(&name);
    } else if (piece_of(w->loop) > 1) {
        text_add(w->out, ", &out_%d[at - start + lane]", i);
    } else {
        text_add(w->out, ", &new_%d[lane]", i);
    }
}

/* Elements in front of the first that is kept of a piece: a vector, in whole lines of memory, so
 * that lines begin where they can be written past the caches. */
static int front_of(const codegen_loop *loop, int i, int lanes)
{
    enum { LINE = 64 };
    int bytes = ir_storages[loop->storage[loop->kernel->stores[i].param]].bytes;
    return lanes * bytes < LINE ? LINE / bytes : lanes;
}

static void add_kept(const codegen_writer *w, int lanes)
{
    const codegen_loop *loop = w->loop;
    int piece = piece_of(loop);
    for (int i = 0; i < loop->kernel->store_count; i++)
        if (is_kept(loop, i))
            text_add(w->out, "                %s new_%d[%d] KATA_ALIGNED;\n",
                     codegen_element_type(loop, loop->kernel->stores[i].param), i,
                     piece > 1 ? piece * lanes + front_of(loop, i, lanes) : lanes);
}

/* Where in a row the results of a store go that belong to the point `at`. */
static void add_target_row(const codegen_writer *w, int i, const char *at)
{
    const ir_store *s = &w->loop->kernel->stores[i];
    text name = codegen_written_name(w, s);
    text_add(w->out, "&%s[%s", text_get(&name), at);
    if (s->offset[0])
        text_add(w->out, " %c %d", s->offset[0] < 0 ? '-' : '+', abs((int)s->offset[0]));
    text_add(w->out, "]");
    text_free(&name);
}

/* Where the results of a piece are written first: in front of what is kept there is room for a
 * vector, for the last one of a row may begin before the piece. */
static void add_outs(const codegen_writer *w, int lanes)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        int param = w->loop->kernel->stores[i].param;
        if (codegen_has_lanes(w->loop, param)) continue;
        text_add(w->out,
                 "                %s *const out_%d = ", codegen_element_type(w->loop, param), i);
        if (is_kept(w->loop, i))
            text_add(w->out, "how & KATA_PAST ? new_%d + %d : ", i, front_of(w->loop, i, lanes));
        add_target_row(w, i, "start");
        text_add(w->out, ";\n");
    }
}

static void add_vector(const codegen_writer *w, int lanes)
{
    text_add(w->out,
             "#pragma omp simd\n"
             "                    for (int64_t lane = 0; lane < %d; lane++)\n"
             "                        ",
             lanes);
    codegen_call_begin(w, "at + lane");
    for (int i = 0; i < w->loop->kernel->store_count; i++) add_lane(w, i);
    text_add(w->out, ");\n");
    add_fetches(w, lanes);
}

static const char *bounds(const codegen_writer *w)
{
    return w->group ? "part; start < part_end" : "from; start < to";
}

static const char *end_of(const codegen_writer *w) { return w->group ? "part_end" : "to"; }

/* The lane that takes the first point of the vector at `at`. */
static void add_place(const codegen_writer *w)
{
    if (codegen_reduces(w->loop))
        text_add(w->out, "                    const int64_t place = at & %d;\n", CODEGEN_LANES - 1);
}

/* A vector that is written when it is computed. */
static void add_single_vector(const codegen_writer *w, int lanes)
{
    add_kept(w, lanes);
    add_vector(w, lanes);
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        if (!is_kept(w->loop, i)) continue;
        text_add(w->out, "                kata_put(");
        add_target_row(w, i, "at");
        text_add(w->out, ", new_%d, %d * sizeof *new_%d, %s);\n", i, lanes, i,
                 may_pass(w->loop, i) ? "how" : "0");
    }
}

/* Rounds over all lanes of a brick, in an order that compilers know, so that they keep lanes in
 * registers. They make a function longer: of small kernels only. */
static void add_rounds(const codegen_writer *w, int lanes)
{
    enum { SMALL = 64 };
    if (!codegen_reduces(w->loop) || w->loop->kernel->graph.count > SMALL) return;
    text_add(w->out,
             "                if (start %% %d == 0) {\n"
             "                for (; start + %d <= %s; start += %d) {\n",
             CODEGEN_LANES, CODEGEN_LANES, end_of(w), CODEGEN_LANES);
    for (int place = 0; place < CODEGEN_LANES; place += lanes) {
        text_add(w->out,
                 "                {\n"
                 "                const int64_t at = start + %d, place = %d;\n",
                 place, place);
        add_single_vector(w, lanes);
        text_add(w->out, "                }\n");
    }
    text_add(w->out,
             "                }\n"
             "                if (start >= %s) break;\n"
             "                }\n",
             end_of(w));
}

static void add_single_vectors(const codegen_writer *w, int lanes)
{
    text_add(w->out, "            for (int64_t start = %s; start += %d) {\n", bounds(w), lanes);
    add_rounds(w, lanes);
    text_add(w->out, "                const int64_t at = %s;\n",
             codegen_reduces(w->loop) ? "start" : "kata_between(lo[0], start, last)");
    add_place(w);
    add_single_vector(w, lanes);
    text_add(w->out, "            }\n");
}

/* Vectors are computed piece by piece, and then written component by component. */
static void add_pieces(const codegen_writer *w, int lanes)
{
    int piece = lanes * piece_of(w->loop);
    text_add(w->out, "            for (int64_t start = %s; start += %d) {\n", bounds(w), piece);
    add_kept(w, lanes);
    add_outs(w, lanes);
    text_add(w->out,
             "                const int64_t low = start < lo[0] ? lo[0] : start;\n"
             "                const int64_t high = start + %d < %s ? start + %d : %s;\n"
             "                for (int64_t next = start; next < high; next += %d) {\n"
             "                    const int64_t at = kata_between(lo[0], next, last);\n",
             piece, end_of(w), piece, end_of(w), lanes);
    add_place(w);
    add_vector(w, lanes);
    text_add(w->out, "                }\n"
                     "                if (how & KATA_PAST) {\n");
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        if (!is_kept(w->loop, i)) continue;
        text_add(w->out, "                    kata_put_piece(");
        add_target_row(w, i, "start");
        text_add(
            w->out,
            ", new_%d + %d, (low - start) * sizeof *new_%d, (high - start) * sizeof *new_%d);\n", i,
            front_of(w->loop, i, lanes), i, i);
    }
    text_add(w->out, "                }\n            }\n");
}

static void add_all_vectors(const codegen_writer *w, int lanes)
{
    if (piece_of(w->loop) > 1)
        add_pieces(w, lanes);
    else
        add_single_vectors(w, lanes);
}

static void add_vectors(const codegen_writer *w, int lanes)
{
    codegen_writer sharing = *w;
    if (w->sharing->count) {
        codegen_begin_part(w, lanes);
        sharing.group = w->sharing->group_count + 1;
    }
    add_all_vectors(&sharing, lanes);
    if (w->sharing->count) text_add(w->out, "            }\n");
}

/* Points that belong to no vector. They are few: made vectors of, they would only take time to
 * compile. */
static void add_rest(const codegen_writer *w, const char *from, const char *to, const char *skip)
{
    text_add(w->out,
             "            for (int64_t ix = %s; ix < %s; ix++) {\n"
             "%s"
             "                __asm__ volatile(\"\"); /* not in vectors */\n",
             from, to, skip);
    add_direct_call(w);
    text_add(w->out, "            }\n");
}

/* Lanes take points in order; elsewhere one loop serves both ends. */
static void add_vectors_and_rest(const codegen_writer *w)
{
    int lanes = lanes_of(w->loop);
    add_bounds(w, lanes);
    if (codegen_reduces(w->loop)) {
        add_rest(w, "lo[0]", "from", "");
        add_vectors(w, lanes);
        add_rest(w, "to", "hi[0]", "");
        return;
    }
    add_vectors(w, lanes);
    add_rest(w, "lo[0]", "hi[0]",
             "                if (ix >= from && ix < to) {\n"
             "                    ix = to - 1;\n"
             "                    continue;\n"
             "                }\n");
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
    text_add(w->out,
             "            if (failing < hi[0]) {\n"
             "                int64_t *const point = (int64_t *)view[%d].origin;\n"
             "                point[0] = failing;\n"
             "                point[1] = iy;\n"
             "                point[2] = iz;\n"
             "                return;\n"
             "            }\n",
             codegen_view_index(kernel, kernel->param_count));
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
        add_vectors_and_rest(w);
        return;
    }
    bool lanes = codegen_reduces(w->loop);
    if (w->loop->colored && lanes) add_colored_start(w);
    begin_points(w, lanes ? "#pragma omp simd safelen(16)\n" : "#pragma omp simd\n");
    add_direct_call(w);
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
