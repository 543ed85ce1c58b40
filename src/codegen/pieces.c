/* A pass: kernels with many results for each point hold back the results of several vectors and
 * then write them one component after the other: lines of all components at a time are more than a
 * core can write past its caches. */
#include "codegen/emit.h"

enum { MANY = 4, PIECE = 8 };

/* Elements in front of the first of a piece that are held back: a vector, in whole lines of memory,
 * so that lines begin where they can be written past the caches. */
static int front_of(const codegen_writer *w, int i)
{
    enum { LINE = 64 };
    int bytes = ir_storages[w->loop->storage[w->loop->kernel->stores[i].param]].bytes;
    return w->lanes * bytes < LINE ? LINE / bytes : w->lanes;
}

static void add_held(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++)
        if (codegen_is_held(w, i))
            nest_statement(in, "%s%s new_%d[%d] %s", w->dialect->local,
                           codegen_element_type(w->loop, w->loop->kernel->stores[i].param), i,
                           w->piece * w->lanes + front_of(w, i), w->dialect->aligned);
}

/* Where the results of a piece are written first. In front of what is held back there is room for a
 * vector: the last vector of a row may begin before the piece. */
static void add_outs(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        int param = w->loop->kernel->stores[i].param;
        if (codegen_has_lanes(w->loop, param)) continue;
        text *line = &nest_format(in, NEST_STATEMENT,
                                  "%s *const out_%d = ", codegen_element_type(w->loop, param), i)
                          ->head;
        if (codegen_is_held(w, i))
            text_add(line, "flags & ABI_STREAM ? new_%d + %d : ", i, front_of(w, i));
        text_add(line, "%s", codegen_target_row(w, i, "start").is);
    }
}

/* Writes the results of a piece that were held back. */
static void add_puts(const codegen_writer *w, nest *in)
{
    nest *streamed = NULL;
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        if (!codegen_is_held(w, i)) continue;
        if (!streamed) streamed = nest_format(in, NEST_IF, "flags & ABI_STREAM");
        nest_statement(
            streamed,
            "kata_put_piece(%s, new_%d + %d, (low - start) * sizeof *new_%d, (high - start) * "
            "sizeof *new_%d)",
            codegen_target_row(w, i, "start").is, i, front_of(w, i), i, i);
    }
}

static void add_pieces(const codegen_writer *w, nest *in)
{
    const char *end = codegen_end_of(w);
    int piece = w->lanes * w->piece;
    nest *loop = nest_loop(in, NEST_PLAIN, "int64_t start = %s; start < %s; start += %d",
                           codegen_start_of(w), end, piece);
    add_held(w, loop);
    add_outs(w, loop);
    nest_statement(loop, "const int64_t low = start < lo[0] ? lo[0] : start");
    nest_statement(loop, "const int64_t high = start + %d < %s ? start + %d : %s", piece, end,
                   piece, end);
    nest *vectors = codegen_clamped_loop(loop, "next", "start", "high", w->lanes);
    codegen_first_lane(w, vectors);
    codegen_vector(w, vectors);
    add_puts(w, loop);
}

bool codegen_write_pieces(codegen_writer *w)
{
    if (!w->lanes || w->loop->colored || w->loop->kernel->store_count <= MANY) return true;
    w->piece = PIECE;
    w->add_pieces = add_pieces;
    return true;
}
