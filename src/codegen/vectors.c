/* The vectors of a row.
 *
 * A row is cut into vectors: a loop over the lanes of each, whose results are kept aside and then
 * written as a whole, past the caches if ABI_STREAM says so, while, for ABI_PREFETCH, what the
 * next row will need is fetched. Where a point may be computed twice, the first and the last vector
 * overlap others; otherwise what remains at both ends is computed point by point.
 *
 * A writer of pairs (row_pairs.c) has two rows: a vector of each is computed in one loop. */
#include "codegen/codegen.h"

#include <stdlib.h>

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

void codegen_each_row(const codegen_writer *w, int lanes, codegen_add_row *add)
{
    codegen_writer row = *w;
    for (row.second = 0; row.second < (w->paired ? 2 : 1); row.second++) add(&row, lanes);
}

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
             "            if (last < lo[0] || !(flags & ABI_OVERLAP)) {\n"
             "                from += from < lo[0] ? %d : 0;\n"
             "                from = from < hi[0] ? from : hi[0];\n"
             "                to = from + ((hi[0] - from) & -%d);\n"
             "            }\n",
             lanes, lanes);
    codegen_each_row(w, lanes, codegen_fetched_rows);
    text_free(&first);
}

/* Whether a result is written past the caches where the loop is told to. */
static bool may_pass(const codegen_loop *loop, int i)
{
    int param = loop->kernel->stores[i].param;
    return !codegen_has_lanes(loop, param) && !codegen_is_read(loop->kernel, param);
}

static void add_read_fetches(const codegen_writer *w, int lanes)
{
    (void)lanes;
    codegen_read_fetches(w);
}

static void add_written_fetches(const codegen_writer *w, int lanes)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        if (!may_pass(w->loop, i)) continue;
        text name = codegen_written_name(w, &w->loop->kernel->stores[i]);
        text_add(w->out, "                            __builtin_prefetch(%s + at + %d, 1);\n",
                 text_get(&name), CODEGEN_AHEAD * lanes);
        text_free(&name);
    }
}

void codegen_fetches(const codegen_writer *w, int lanes)
{
    text_add(w->out, "                    if (flags & ABI_PREFETCH) {\n");
    codegen_each_row(w, lanes, add_read_fetches);
    text_add(w->out, "                        if (!(flags & ABI_STREAM)) {\n");
    codegen_each_row(w, lanes, add_written_fetches);
    text_add(w->out, "                        }\n                    }\n");
}

/* Vectors whose results are kept before they are written, one component after the other: where
 * there are many, lines of all of them at a time are more than a core can write past its caches. */
static int piece_of(const codegen_loop *loop)
{
    enum { MANY = 4, PIECE = 8 };
    return loop->kernel->store_count > MANY ? PIECE : 1;
}

bool codegen_writes_vectors(const codegen_loop *loop) { return piece_of(loop) == 1; }

/* Whether the results of a store are kept, in "new_3". */
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
        text_add(w->out, ", &new_%d%s[lane]", i, codegen_second(w));
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
            text_add(w->out, "                %s new_%d%s[%d] KATA_ALIGNED;\n",
                     codegen_element_type(loop, loop->kernel->stores[i].param), i,
                     codegen_second(w),
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
            text_add(w->out, "flags & ABI_STREAM ? new_%d + %d : ", i, front_of(w->loop, i, lanes));
        add_target_row(w, i, "start");
        text_add(w->out, ";\n");
    }
}

static void add_call(const codegen_writer *w, int lanes)
{
    (void)lanes;
    text_add(w->out, "                        ");
    codegen_call_begin(w, "at + lane");
    for (int i = 0; i < w->loop->kernel->store_count; i++) add_lane(w, i);
    text_add(w->out, ");\n");
}

static void add_vector(const codegen_writer *w, int lanes)
{
    text_add(w->out,
             "#pragma omp simd\n"
             "                    for (int64_t lane = 0; lane < %d; lane++) {\n",
             lanes);
    codegen_each_row(w, lanes, add_call);
    text_add(w->out, "                    }\n");
    if (w->group == 0) codegen_fetches(w, lanes);
}

static const char *start_of(const codegen_writer *w) { return w->group ? "part" : "from"; }

static const char *end_of(const codegen_writer *w) { return w->group ? "part_end" : "to"; }

/* The loop over vectors at `at`: their places begin at `name`, but the first may begin behind its
 * place, and the last before it. */
static void add_clamped_loop(const codegen_writer *w, const char *name, const char *from,
                             const char *to, int lanes)
{
    text_add(w->out,
             "            for (int64_t %s = %s, at = kata_between(lo[0], %s, last); %s < %s;\n"
             "                 %s += %d, at = %s < last ? %s : last) {\n",
             name, from, name, name, to, name, lanes, name, name);
}

/* The lane that takes the first point of the vector at `at`. */
static void add_place(const codegen_writer *w)
{
    if (codegen_reduces(w->loop))
        text_add(w->out, "                    const int64_t place = at & %d;\n", ABI_LANES - 1);
}

static void add_puts(const codegen_writer *w, int lanes)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        if (!is_kept(w->loop, i)) continue;
        text_add(w->out, "                kata_put(");
        add_target_row(w, i, "at");
        text_add(w->out, ", new_%d%s, %d * sizeof *new_%d, %s);\n", i, codegen_second(w), lanes, i,
                 may_pass(w->loop, i) ? "flags" : "0");
    }
}

/* A vector that is written when it is computed. */
static void add_single_vector(const codegen_writer *w, int lanes)
{
    codegen_each_row(w, lanes, add_kept);
    add_vector(w, lanes);
    codegen_each_row(w, lanes, add_puts);
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
             ABI_LANES, ABI_LANES, end_of(w), ABI_LANES);
    for (int place = 0; place < ABI_LANES; place += lanes) {
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
    if (codegen_reduces(w->loop)) {
        text_add(w->out, "            for (int64_t start = %s; start < %s; start += %d) {\n",
                 start_of(w), end_of(w), lanes);
        add_rounds(w, lanes);
        text_add(w->out, "                const int64_t at = start;\n");
        add_place(w);
    } else {
        add_clamped_loop(w, "start", start_of(w), end_of(w), lanes);
    }
    add_single_vector(w, lanes);
    text_add(w->out, "            }\n");
}

/* Vectors are computed piece by piece, and then written component by component. */
static void add_pieces(const codegen_writer *w, int lanes)
{
    int piece = lanes * piece_of(w->loop);
    text_add(w->out, "            for (int64_t start = %s; start < %s; start += %d) {\n",
             start_of(w), end_of(w), piece);
    add_kept(w, lanes);
    add_outs(w, lanes);
    text_add(w->out,
             "                const int64_t low = start < lo[0] ? lo[0] : start;\n"
             "                const int64_t high = start + %d < %s ? start + %d : %s;\n",
             piece, end_of(w), piece, end_of(w));
    text_add(w->out, "    ");
    add_clamped_loop(w, "next", "start", "high", lanes);
    add_place(w);
    add_vector(w, lanes);
    text_add(w->out, "                }\n"
                     "                if (flags & ABI_STREAM) {\n");
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

static void add_direct_call(const codegen_writer *w, int lanes)
{
    (void)lanes;
    codegen_direct_call(w);
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
    codegen_each_row(w, 0, add_direct_call);
    text_add(w->out, "            }\n");
}

/* Lanes of reductions take points in order; elsewhere one loop serves both ends. */
void codegen_vectors(const codegen_writer *w)
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
