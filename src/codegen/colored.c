/* A pass: rows of coloured loops in vectors.
 *
 * Vectors take all points of a row, and only the lanes that have the colour are written or counted.
 * That is faster than gathering the points of a colour: loads are as many as for every other point,
 * and nothing is shuffled. What other lanes read may be what other threads write meanwhile; nobody
 * sees their results. No lane without the colour is written, not even with its old value, unless
 * points of the colour on both sides read it: then nobody else writes it meanwhile. Under the
 * thread sanitizer, which would report those reads, points run one by one.
 *
 * Each vector takes the points from its `start` on. At the ends of a row it stands elsewhere, at
 * `at`, and overlaps another: the lanes of the other are not written twice. So rows are whole
 * vectors also where points read what they write.
 *
 * A vector is written only when the next one has been read. The next one mostly reads elements of
 * this one, beside others, and no processor passes on a part of what waits to be written: it would
 * wait until the vector is in the cache. */
#include "codegen/colored.h"
#include "codegen/vectors.h"

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
            nest_statement(in, "kata_put(held_%d, new_%d, sizeof new_%d, 0)", i, i, i);
    nest_statement(in, "held_at = at");
    nest_statement(in, "held = colored");
}

/* Whether each point of the colour reads what a store writes at its two neighbours in the row, at
 * all points: no condition on where it lies, or on numbers, may keep it from that. */
static bool reads_between(const codegen_loop *loop, const ir_store *s)
{
    const ir_kernel *kernel = loop->kernel;
    bool west = false, east = false;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (a->param != s->param || a->component != s->component || a->offset[1] || a->offset[2])
            continue;
        west = west || a->offset[0] == -1;
        east = east || a->offset[0] == 1;
    }
    bool moved = s->offset[0] || s->offset[1] || s->offset[2];
    bool wide = ir_storages[loop->storage[s->param]].bytes >= 4;
    return west && east && wide && !moved && !kernel->guarded && !kernel->switched;
}

static bool may_write_whole(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    bool may = !codegen_combines_points(w);
    for (int i = 0; i < kernel->store_count; i++)
        may = may && reads_between(w->loop, &kernel->stores[i]);
    return may;
}

static void add_whole(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        nest_statement(in, "%s%s whole_%d[lanes] %s", w->dialect->local,
                       codegen_element_type(w->loop, w->loop->kernel->stores[i].param), i,
                       w->dialect->aligned);
        nest_statement(in,
                       "const kata_register between_%d = "
                       "kata_every_other(sizeof *whole_%d, turn & 1)",
                       i, i);
    }
}

static void put_between(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++)
        nest_statement(in, "kata_put_between(%s, whole_%d, sizeof whole_%d, between_%d)",
                       codegen_target_row(w, i, "start - lanes").is, i, i, i);
}

void codegen_color_whole(const codegen_writer *w, nest *in)
{
    if (!may_write_whole(w)) return;
    nest *whole = nest_format(in, NEST_IF,
                              "KATA_WHOLE_COLORS && colors == 2 && at == start && start <= last");
    codegen_color_puts(w, whole);
    nest_statement(whole, "held = 0");
    add_whole(w, whole);
    nest_statement(whole, "const int64_t first = start");
    nest *vectors = nest_loop(whole, NEST_PLAIN, "; start <= last && start < %s; start += lanes",
                              codegen_end_of(w));
    nest_statement(vectors, "const int64_t at = start");
    codegen_held(w, vectors);
    codegen_vector(w, vectors);
    put_between(w, nest_format(vectors, NEST_IF, "start > first"));
    for (int i = 0; i < w->loop->kernel->store_count; i++)
        nest_statement(vectors, "kata_put(whole_%d, new_%d, sizeof new_%d, 0)", i, i, i);
    put_between(w, whole);
    nest_statement(nest_format(whole, NEST_IF, "start >= %s", codegen_end_of(w)), "break");
    nest_statement(whole, "at = last");
}

nest *codegen_color_points(nest *in, const char *from, const char *to)
{
    return nest_loop(in, NEST_PLAIN,
                     "int64_t ix = %s + kata_color_ahead(%s + iy + iz, colors, color); ix < %s; "
                     "ix += colors",
                     from, from, to);
}
