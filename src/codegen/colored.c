/* A pass: rows of coloured loops in vectors.
 *
 * Vectors take all points of a row, and only the lanes that have the colour are written or counted.
 * That is faster than gathering the points of a colour: loads are as many as for every other point,
 * and nothing is shuffled. What other lanes read may be what other threads write meanwhile; nobody
 * sees their results. No lane without the colour is written, not even with its old value. Under
 * the thread sanitizer, which would report those reads, points run one by one.
 *
 * Each vector takes the points from its `start` on. At the ends of a row it stands elsewhere, at
 * `at`, and overlaps another: the lanes of the other are not written twice. So rows are whole
 * vectors also where points read what they write.
 *
 * A vector is written only when the next one has been read. The next one mostly reads elements of
 * this one, beside others, and no processor passes on a part of what waits to be written: it would
 * wait until the vector is in the cache. */
#include "codegen/emit.h"

void codegen_color_numbers(const codegen_writer *w, nest *in)
{
    nest_statement(in, "const int64_t colors = arguments->colors, color = arguments->color");
    if (!w->line) return;
    nest_statement(in, "const int64_t color_step = lanes %% colors");
    nest_statement(in, "const uint64_t every = kata_color_lanes(lanes, colors)");
}

void codegen_color_row(const codegen_writer *w, nest *in)
{
    nest_statement(nest_format(in, NEST_IF, "KATA_WATCHED"), "from = to = hi[0]");
    nest_statement(in, "int64_t ahead = kata_color_ahead(from + iy + iz, colors, color), "
                       "held_at = from");
    nest_statement(in, "uint64_t turn = every << ahead, held = 0");
    for (int i = 0; i < w->loop->kernel->store_count; i++)
        if (codegen_is_held(w, i))
            nest_statement(in, "%s%s held_%d[lanes] %s", w->dialect->local,
                           codegen_element_type(w->loop, w->loop->kernel->stores[i].param), i,
                           w->dialect->aligned);
}

void codegen_color_vector(const codegen_writer *w, nest *in)
{
    nest_statement(in, "uint64_t colored = turn & ((1U << lanes) - 1)");
    nest *turns = nest_format(in, NEST_IF, "color_step");
    nest_statement(turns, "ahead = kata_color_after(ahead, color_step, colors)");
    nest_statement(turns, "turn = every << ahead");
    if (!codegen_combines_points(w))
        nest_statement(nest_format(in, NEST_IF, "at != start"),
                       "colored = kata_color_moved(colored, start, at)");
}

void codegen_color_puts(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++)
        if (codegen_is_held(w, i))
            nest_statement(in, "kata_put_colored(%s, held_%d, lanes, sizeof *held_%d, held)",
                           codegen_target_row(w, i, "held_at").is, i, i);
}

void codegen_color_hold(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++)
        if (codegen_is_held(w, i))
            nest_statement(in, "kata_hold(held_%d, new_%d, sizeof new_%d)", i, i, i);
    nest_statement(in, "held_at = at");
    nest_statement(in, "held = colored");
}

nest *codegen_color_points(nest *in, const char *from, const char *to)
{
    return nest_loop(in, NEST_PLAIN,
                     "int64_t ix = %s + kata_color_ahead(%s + iy + iz, colors, color); ix < %s; "
                     "ix += colors",
                     from, from, to);
}
