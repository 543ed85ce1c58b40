/* A pass: prefetching. While a row is computed, the next row of each component is prefetched behind
 * the foremost row that is read. Rows too long to stay in a cache until they are used are
 * prefetched a few vectors ahead instead: in the first-level cache where there are many, in the
 * second-level one where there are few. Lines that are written are prefetched a few vectors ahead,
 * too, if the flags say so: not those that pass the caches, nor in tiles, where they are in a
 * cache. Rows whose points are added to bins are prefetched far ahead. */
#include "codegen/emit.h"

/* Whether no row of the same component lies farther on than the row of an access. */
static bool is_foremost(const ir_kernel *kernel, const ir_access *a, int sign)
{
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *b = &kernel->accesses[i];
        if (b->param != a->param || b->component != a->component) continue;
        int32_t z = sign * (b->offset[2] - a->offset[2]);
        if (z > 0 || (z == 0 && b->offset[1] > a->offset[1])) return false;
    }
    return true;
}

/* Whether an access is the one of its component by which rows are prefetched. */
static bool is_fetched(const codegen_writer *w, int i)
{
    const codegen_loop *loop = w->loop;
    const ir_kernel *kernel = loop->kernel;
    const ir_access *a = &kernel->accesses[i];
    const ir_param *p = &kernel->params[a->param];
    bool scaled = p->finer[0] > 1 || p->coarser[0] > 1 || p->absent_axis[0] || p->absent_axis[1];
    return !(i > 0 && codegen_same_row(a, a - 1)) && !scaled && codegen_needs_row(w, i) &&
           codegen_rows_of(loop, a->param) == CODEGEN_CONTIGUOUS &&
           is_foremost(kernel, a, kernel->direction == IR_BACKWARD ? -1 : 1);
}

/* Points of rows that fit a cache together with as many of all other components. */
static int short_row(const codegen_writer *w)
{
    const codegen_loop *loop = w->loop;
    enum { FIRST_CACHE = 24 << 10, SECOND_CACHE = 256 << 10, FEW = 4 };
    int bytes = 1, rows = 0;
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (ir_param_is_field(&loop->kernel->params[p]))
            bytes += loop->kernel->params[p].count * ir_storages[loop->storage[p]].bytes;
    for (int i = 0; i < loop->kernel->access_count; i++) rows += is_fetched(w, i);
    return (rows <= FEW ? SECOND_CACHE : FIRST_CACHE) / bytes;
}

/* Whether rows above one another are levels that run in order, or are added up. */
static bool has_levels(const codegen_writer *w)
{
    return codegen_has_rows(w->loop->kernel) ||
           (w->loop->kernel->direction && w->loop->kernel->ordered == 2);
}

/* Says how rows are prefetched. Behind the last row of a level comes the first one of the next
 * level: boxes of such loops may be one row wide. */
static void begin_rows(const codegen_writer *w, nest *in)
{
    nest_statement(in, "const %s far_row = %s > %d", w->dialect->boolean,
                   codegen_reduces(w->loop) ? "row_points" : "hi[0] - lo[0]", short_row(w));
    if (!has_levels(w)) return;
    nest_statement(in, "const %s last_row = iy + 1 == hi[1]", w->dialect->boolean);
    nest_statement(in,
                   "const int64_t next_y = last_row ? lo[1] - iy : 1, next_z = last_row ? %d : 0",
                   w->loop->kernel->direction == IR_BACKWARD ? -1 : 1);
}

static codegen_label next_row(const codegen_writer *w, int view)
{
    if (has_levels(w))
        return codegen_format("next_y * view[%d].y + next_z * view[%d].z", view, view);
    return codegen_format("%d * view[%d].y", w->paired == 1 ? w->together : 1, view);
}

/* Names what is prefetched of the writer's row. */
static void add_row(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    if (!w->second) begin_rows(w, in);
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (!is_fetched(w, i)) continue;
        codegen_label row = codegen_read_row_name(w, a);
        int view = codegen_view_index(kernel, a->param) + a->component;
        nest_statement(in, "const %s *const %s_ahead = %s + (far_row ? %d : %s)",
                       codegen_field_type(w, a->param).is, row.is, row.is, CODEGEN_AHEAD * w->line,
                       next_row(w, view).is);
    }
}

static void add_read(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++)
        if (is_fetched(w, i))
            nest_format(in, NEST_PREFETCH, "%s_ahead + at",
                        codegen_read_row_name(w, &kernel->accesses[i]).is);
}

static void add_written(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++)
        if (codegen_may_stream(w->loop, i))
            nest_format(in, NEST_PREFETCH_WRITTEN, "%s + at + %d",
                        codegen_written_name(w, &w->loop->kernel->stores[i]).is,
                        CODEGEN_AHEAD * w->line);
}

/* What is prefetched while the vector at `at` is computed. */
static void add_fetches(const codegen_writer *w, nest *in)
{
    nest *fetches = nest_format(in, NEST_IF, "flags & ABI_PREFETCH");
    codegen_each_row(w, fetches, add_read);
    fetches = nest_format(fetches, NEST_IF, "flags & ABI_PREFETCH_WRITTEN");
    codegen_each_row(w, fetches, add_written);
}

/* Lines far ahead, where additions to bins keep the processor from coming to them by itself. */
static void add_far(const codegen_writer *w, nest *in, int points)
{
    enum { LINE = 64, FAR = 4096, NARROWEST = 2 }; /* bytes; narrower values are read soon enough */
    const ir_kernel *kernel = w->loop->kernel;
    nest *fetches = NULL;
    for (int i = 0; i < kernel->access_count; i++) {
        const int bytes = ir_storages[w->loop->storage[kernel->accesses[i].param]].bytes;
        if (!is_fetched(w, i) || bytes < NARROWEST) continue;
        if (!fetches) fetches = nest_format(in, NEST_IF, "flags & ABI_PREFETCH");
        for (int at = 0; at < points * bytes; at += LINE)
            nest_format(fetches, NEST_PREFETCH, "%s + at + %d",
                        codegen_read_row_name(w, &kernel->accesses[i]).is, (FAR + at) / bytes);
    }
}

/* Rows of some planes in turn are as many streams, which processors fetch by themselves: faster. */
bool codegen_prefetch(codegen_writer *w)
{
    if (*w->dialect->prefetch) w->add_far = add_far;
    if (!w->line || w->planes) return true;
    w->add_row = add_row;
    w->add_fetches = add_fetches;
    return true;
}
