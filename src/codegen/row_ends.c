/* A pass: rows that are written in place have few single points at their ends, or none.
 *
 * Where nothing that is written is read, the first and the last vector of a row overlap others, and
 * points of two vectors are computed twice (vectors.c). In place the second time would begin with
 * what the first has written. So the vectors at both ends are computed before all others, and their
 * results wait in `late` until these are written. Points that both compute get the same value from
 * either: of a row whose points may be computed side by side, none reads what another writes.
 *
 * Where levels run in order the next row reads what this one has written, in the same vectors. A
 * processor gives a read what a store before it has written at once if one store has written all of
 * it, and otherwise waits until all is in the cache. So there no vectors overlap: at the end of a
 * row a vector half as long follows the others, and then single points. */
#include "codegen/vectors.h"

/* Whether what is written is read, so that vectors may not overlap. */
static bool is_in_place(const ir_kernel *kernel)
{
    for (int i = 0; i < kernel->store_count; i++)
        if (codegen_is_read(kernel, kernel->stores[i].param)) return true;
    return false;
}

bool codegen_begin_with_ends(codegen_writer *w)
{
    enum { MANY = 64 /* results; to keep those of 430 makes compilers half as slow again */ };
    bool parts = w->begin_part || w->whole_lines;
    bool once = codegen_reduces(w->loop) || codegen_has_rows(w->loop->kernel) || w->loop->colored;
    bool may = w->line && w->aligned && w->overlaps && !parts && !once && !w->interleaved;
    may = may && w->loop->kernel->store_count <= MANY && is_in_place(w->loop->kernel);
    w->tails = may && w->loop->kernel->direction;
    w->ends = may && !w->tails;
    return true;
}

/* The array that holds the results of a store at both ends. */
static codegen_label late_name(const codegen_writer *w, int store)
{
    return codegen_format("late_%d%s", store, codegen_second(w));
}

static void add_arrays(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++)
        if (codegen_is_held(w, i))
            nest_statement(in, "%s%s %s[2][lanes] %s", w->dialect->local,
                           codegen_element_type(w->loop, w->loop->kernel->stores[i].param),
                           late_name(w, i).is, w->dialect->aligned);
}

/* Vectors of long rows begin where memory is aligned; to short ones that would cost another. */
static nest *if_long(nest *in)
{
    enum { LONG = 16 /* vectors */ };
    return nest_format(in, NEST_IF, "hi[0] - lo[0] >= %d * lanes", LONG);
}

void codegen_ends_bounds(const codegen_writer *w, nest *in, const char *row)
{
    nest_statement(in, "const int64_t last = hi[0] - lanes");
    nest_statement(in, "int64_t from = lo[0]");
    nest *far = if_long(in);
    nest_statement(far, "from = kata_aligned(%s, sizeof *%s, lanes, lo[0])", row, row);
    nest_statement(far, "from += from < lo[0] ? lanes : 0");
    nest_statement(nest_format(in, NEST_IF, "last < lo[0]"), "from = hi[0]");
    nest_statement(in, "const int64_t to = from + ((hi[0] - from) & -lanes)");
    nest_statement(in, "const int64_t ends = last < lo[0] ? 0 : (from > lo[0] ? lanes : 0) + "
                       "(to < hi[0] ? lanes : 0)");
    codegen_each_row(w, in, add_arrays);
}

void codegen_tails_from(nest *in, const char *row)
{
    nest_statement(in, "int64_t from = lo[0], to = hi[0]");
    nest_statement(if_long(in), "from = kata_aligned(%s, sizeof *%s, lanes, lo[0])", row, row);
}

/* The fewest points that a vector may have, which are written 4 bytes at least at once. Those of
 * f16 are converted 8 at once. */
static int fewest_points(const codegen_writer *w)
{
    enum { FEWEST = 2, WRITTEN = 4 /* bytes */, CONVERTED = 8 };
    const ir_kernel *kernel = w->loop->kernel;
    int fewest = w->halves ? CONVERTED : FEWEST;
    for (int i = 0; i < kernel->store_count; i++) {
        int bytes = ir_storages[w->loop->storage[kernel->stores[i].param]].bytes;
        if (codegen_is_held(w, i) && fewest * bytes < WRITTEN) fewest = WRITTEN / bytes;
    }
    return fewest;
}

nest *codegen_tail(const codegen_writer *w, nest *in)
{
    nest *tail =
        nest_format(in, NEST_IF, "lanes / 2 >= %d && hi[0] - to >= lanes / 2", fewest_points(w));
    nest_statement(tail, "enum { half = lanes / 2 }");
    nest *vector = nest_add(tail, NEST_BLOCK);
    nest_statement(vector, "enum { lanes = half }");
    nest_statement(vector, "const int64_t at = to");
    nest_statement(tail, "to += half");
    return vector;
}

nest *codegen_ends_loop(nest *in)
{
    nest *loop =
        nest_loop(in, NEST_PLAIN, "int64_t start = from - ends; start < to; start += lanes");
    nest_statement(loop, "const int64_t at = start >= from ? start : start + lanes == from && "
                         "to < hi[0] ? last : lo[0]");
    return loop;
}

codegen_label codegen_ends_target(const codegen_writer *w, int store)
{
    return codegen_format("start < from ? %s[at == last] : %s", late_name(w, store).is,
                          codegen_target_row(w, store, "at").is);
}

static void write_ends(const codegen_writer *w, nest *in)
{
    nest *first = nest_format(in, NEST_IF, "from > lo[0]");
    nest *other = nest_format(in, NEST_IF, "to < hi[0]");
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        if (!codegen_is_held(w, i)) continue;
        const codegen_label late = late_name(w, i);
        nest_statement(first, "kata_put(%s, %s[0], sizeof %s[0], 0)",
                       codegen_target_row(w, i, "lo[0]").is, late.is, late.is);
        nest_statement(other, "kata_put(%s, %s[1], sizeof %s[1], 0)",
                       codegen_target_row(w, i, "last").is, late.is, late.is);
    }
}

void codegen_ends_puts(const codegen_writer *w, nest *in)
{
    codegen_each_row(w, nest_format(in, NEST_IF, "ends"), write_ends);
}
