/* The vectors of a row.
 *
 * A row is cut into vectors: a loop over the lanes of each, whose results are held back and then
 * written as a whole, past the caches if ABI_STREAM says so. Where a point may be computed twice,
 * the first and the last vector overlap others; otherwise row_ends.c begins with them, or the
 * points that remain at both ends are computed one by one.
 *
 * A writer of pairs (row_pairs.c) has two rows: a vector of each is computed in one loop. */
#include "codegen/vectors.h"
#include "codegen/colored.h"
#include "codegen/halves.h"
#include "codegen/shifts.h"
#include "codegen/strides.h"

/* The first store that is not to lanes; NULL when all are. */
static const ir_store *first_in_memory(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->store_count; i++)
        if (!codegen_has_lanes(w->loop, kernel->stores[i].param)) return &kernel->stores[i];
    return NULL;
}

/* Points of a colour run one by one where the thread sanitizer watches; and in rows of less than
 * two vectors, that is as fast. */
nest *codegen_if_rounds(const codegen_writer *w, nest *in)
{
    if (w->loop->colored)
        return nest_format(
            in, NEST_IF, "flags & ABI_WHOLE_BRICKS && !KATA_WATCHED && hi[0] - lo[0] >= 2 * lanes");
    codegen_label row = codegen_written_name(w, first_in_memory(w));
    return nest_format(in, NEST_IF,
                       "flags & ABI_WHOLE_BRICKS && (!(flags & ABI_STREAM) || (hi[0] %% lanes == 0 "
                       "&& kata_aligned(%s, sizeof *%s, lanes, 0) == 0))",
                       row.is, row.is);
}

/* Where the vectors of the row begin and end: as memory is aligned, or as lanes are. Points that
 * are combined in lanes one after the other are not computed twice; of a colour, none is. */
static void add_bounds(const codegen_writer *w, nest *in)
{
    const ir_store *aligned = codegen_combines_points(w) ? NULL : first_in_memory(w);
    if (w->ends) {
        codegen_ends_bounds(w, in, codegen_written_name(w, aligned).is);
        if (w->add_row) codegen_each_row(w, in, w->add_row);
        return;
    }
    bool overlaps = w->overlaps && !codegen_combines_points(w);
    const char *apart_when = w->loop->colored ? "" : " || !(flags & ABI_OVERLAP)";
    nest_statement(in, "const int64_t last = hi[0] - lanes");
    if (!aligned)
        nest_statement(in, "int64_t from = lo[0] & -lanes, to = hi[0]");
    else if (w->tails)
        codegen_tails_from(in, codegen_written_name(w, aligned).is);
    else if (w->aligned)
        nest_statement(in, "int64_t from = kata_aligned(%s, sizeof *%s, lanes, lo[0]), to = hi[0]",
                       codegen_written_name(w, aligned).is, codegen_written_name(w, aligned).is);
    else
        nest_statement(in, "int64_t from = lo[0], to = hi[0]");
    nest *apart = overlaps ? nest_format(in, NEST_IF, "last < lo[0]%s", apart_when)
                           : nest_add(in, NEST_BLOCK);
    nest_statement(apart, "from += from < lo[0] ? lanes : 0");
    nest_statement(apart, "from = from < hi[0] ? from : hi[0]");
    nest_statement(apart, "to = from + ((hi[0] - from) & -lanes)");
    if (w->add_row) codegen_each_row(w, in, w->add_row);
    if (w->loop->colored) codegen_color_row(w, in);
}

/* The array that holds the results of a store as they are stored. */
static codegen_label stored_name(const codegen_writer *w, int store)
{
    const char *name = codegen_holds_float(w, store) ? "narrow" : "new";
    return codegen_format("%s_%d%s", name, store, codegen_second(w));
}

/* Writes an array of results, which the store sends past the caches or not. */
static void add_put(const codegen_writer *w, nest *in, int store, const char *at, const char *of)
{
    bool streams = w->streams && codegen_may_stream(w->loop, store);
    codegen_label to = w->ends ? codegen_ends_target(w, store) : codegen_target_row(w, store, at);
    nest_statement(in, "kata_put(%s, %s, sizeof %s, %s)", to.is, of, of, streams ? "flags" : "0");
}

static void add_puts(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        if (!codegen_is_held(w, i)) continue;
        if (codegen_holds_float(w, i)) codegen_narrow_result(w, in, i);
        add_put(w, in, i, "at", stored_name(w, i).is);
    }
}

static void add_lines(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++)
        if (codegen_is_held(w, i))
            nest_statement(in, "%s%s line_%d[line] %s", w->dialect->local,
                           codegen_element_type(w->loop, w->loop->kernel->stores[i].param), i,
                           w->dialect->aligned);
}

/* Results of a part of a line: they wait until the line is whole if it is streamed. */
static void add_part_puts(const codegen_writer *w, nest *part, nest *streamed)
{
    nest *waits = nest_format(part, NEST_IF, "streams");
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        if (!codegen_is_held(w, i)) continue;
        if (codegen_holds_float(w, i)) codegen_narrow_result(w, waits, i);
        nest_statement(waits, "kata_put(line_%d + begin, %s, sizeof %s, 0)", i,
                       stored_name(w, i).is, stored_name(w, i).is);
        add_put(w, streamed, i, "line_at", codegen_format("line_%d", i).is);
    }
    add_puts(w, nest_add(part, NEST_ELSE));
}

static void compute_vector(const codegen_writer *w, nest *in)
{
    codegen_each_row(w, in, codegen_held);
    if (w->widened) codegen_each_row(w, in, codegen_widen_row);
    codegen_strided_rows(w, in);
    if (w->shifted) codegen_each_row(w, in, codegen_shift_row);
    codegen_vector(w, in);
}

/* A line in parts, of which each is a vector. Where registers are lines, this is a vector. */
static void add_line(const codegen_writer *w, nest *in)
{
    nest_statement(in, "enum { line = lanes, parts = line / KATA_VECTOR(%d) }", w->line);
    nest_statement(in, "const int streams = parts > 1 && flags & ABI_STREAM");
    nest_statement(in, "const int64_t line_at = at");
    add_lines(w, in);
    nest *part =
        nest_loop(in, NEST_PLAIN, "int64_t begin = 0; begin < line; begin += line / parts");
    nest_statement(part, "enum { lanes = line / parts }");
    nest_statement(part, "const int64_t at = line_at + begin");
    compute_vector(w, part);
    add_part_puts(w, part, nest_format(in, NEST_IF, "streams"));
}

static void add_vector(const codegen_writer *writer, nest *in)
{
    codegen_writer w = *writer;
    w.widened = w.halves && !w.clear;
    w.shifted = w.shifts;
    if (w.whole_lines) {
        add_line(&w, in);
        return;
    }
    if (w.loop->colored) codegen_color_whole(&w, in);
    if (w.loop->colored) codegen_color_vector(&w, in);
    compute_vector(&w, in);
    if (w.loop->colored) {
        codegen_color_puts(&w, in);
        codegen_color_hold(&w, in);
    } else {
        codegen_each_row(&w, in, add_puts);
    }
}

void codegen_round(const codegen_writer *w, nest *in)
{
    nest *vector =
        nest_loop(in, NEST_UNROLLED, "int64_t first_lane = 0; first_lane < %d; first_lane += lanes",
                  ABI_LANES);
    nest_statement(vector, "const int64_t at = start + first_lane");
    add_vector(w, vector);
}

/* Rounds over all lanes of a brick, in an order that compilers know, so that they keep lanes in
 * registers. */
static void add_rounds(const codegen_writer *w, nest *in)
{
    const char *end = codegen_end_of(w);
    nest *rounds = nest_format(in, NEST_IF, "start %% %d == 0", ABI_LANES);
    nest *round =
        nest_loop(rounds, NEST_PLAIN, "; start + %d <= %s; start += %d", ABI_LANES, end, ABI_LANES);
    codegen_round(w, round);
    nest_statement(nest_format(rounds, NEST_IF, "start >= %s", end), "break");
}

void codegen_vector_loop(const codegen_writer *w, nest *in)
{
    const char *from = codegen_start_of(w), *to = codegen_end_of(w);
    nest *loop;
    if (codegen_combines_points(w)) {
        loop =
            nest_loop(in, NEST_PLAIN, "int64_t start = %s; start < %s; start += lanes", from, to);
        if (w->rounds) add_rounds(w, loop);
        nest_statement(loop, "const int64_t at = start");
        codegen_first_lane(w, loop);
    } else if (w->ends) {
        loop = codegen_ends_loop(in);
    } else {
        loop = codegen_clamped_loop(in, "start", from, to);
    }
    add_vector(w, loop);
    if (w->ends) codegen_ends_puts(w, in);
}

static void add_vectors(const codegen_writer *w, nest *in)
{
    codegen_writer part = *w;
    nest *vectors = in;
    if (w->begin_part) {
        in = w->begin_part(w, in);
        part.group = w->reuse->group_count + 1;
    }
    if (w->registers)
        add_vector(&part, in);
    else
        codegen_vector_loop(&part, in);
    if (w->loop->colored) codegen_color_puts(w, vectors);
}

/* A vector half as long as a register, of which nothing is shuffled. */
static void add_half(const codegen_writer *w, nest *in)
{
    codegen_writer half = *w;
    half.shifts = 0;
    add_vector(&half, codegen_tail(w, in));
}

/* Points that belong to no vector. They are few: made vectors of, they would only take time to
 * compile. `skip`: all other points are passed over. */
static void add_rest(const codegen_writer *w, nest *in, const char *from, const char *to, bool skip)
{
    bool colored = w->loop->colored;
    nest *rest = colored ? codegen_color_points(in, from, to)
                         : nest_loop(in, NEST_PLAIN, "int64_t ix = %s; ix < %s; ix++", from, to);
    if (skip) {
        nest *vectors = nest_format(rest, NEST_IF, "ix >= from && ix < to");
        nest_statement(vectors, colored ? "ix = to + kata_color_ahead(to + iy + iz, colors, color) "
                                          "- colors"
                                        : "ix = to - 1");
        nest_statement(vectors, "continue");
    }
    nest_statement(rest, "KATA_NOT_IN_VECTORS");
    if (w->strides) nest_statement(rest, "const int64_t at = ix");
    codegen_strided_rows(w, rest);
    codegen_each_row(w, rest, codegen_direct_call);
}

/* Vectors end with the points in front of the first round: what they contribute then lies as lanes
 * do, which are read soon. A read of parts of two vectors waits until both are in the cache. Where
 * points may run twice the first vector begins with the row, and overlaps the next one; otherwise
 * points that make no vector come first. */
void codegen_heads(const codegen_writer *w, nest *in)
{
    const char *twice = w->loop->colored ? "last >= lo[0]" : "flags & ABI_OVERLAP && last >= lo[0]";
    nest_statement(in, "const int64_t last = end - lanes");
    nest_statement(in, "int64_t from = first_round - (heads & -lanes), to = hi[0]");
    if (w->overlaps)
        nest_statement(nest_format(in, NEST_IF, "%s", twice),
                       "from = first_round - ((heads + lanes - 1) & -lanes)");
    if (w->add_row) codegen_each_row(w, in, w->add_row);
    if (w->loop->colored) codegen_color_row(w, in);
    add_rest(w, in, "begin", "from", false);
    add_vector(w, codegen_clamped_loop(in, "start", "from", "first_round"));
}

/* Lanes of reductions take points in order; elsewhere one loop serves both ends. */
void codegen_vectors(const codegen_writer *w, nest *in)
{
    add_bounds(w, in);
    if (codegen_combines_points(w)) {
        add_rest(w, in, "lo[0]", "from", false);
        add_vectors(w, in);
        add_rest(w, in, "to", "hi[0]", false);
        return;
    }
    add_vectors(w, in);
    if (w->tails) add_half(w, in);
    if (w->loop->colored) in = nest_format(in, NEST_IF, "from > lo[0] || to < hi[0]");
    if (w->ends) in = nest_format(in, NEST_IF, "last < lo[0]");
    add_rest(w, in, "lo[0]", "hi[0]", !w->ends);
}
