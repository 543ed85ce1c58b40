/* Two passes: pairs of rows (unroll and jam).
 *
 * Two points that are neighbours along y, or along z, read many rows of which both need a value.
 * Where there are many such rows, vectors of two neighbours are computed in one loop: what both
 * read is loaded once, and what compilers find that both compute of it is computed once. Pairs
 * along z are for stars that are high: they read as many planes at one y as they are high, and each
 * row of these was last read a whole plane ago and has left the first-level cache. Pairs along y
 * are for boxes. Whether planes are paired is decided when a loop runs (ABI_PLANES): in a cache it
 * is slower on some machines, for then compilers move values to and from the stack, from memory it
 * is faster. What a point computes, and in which order, stays the same. */
#include "codegen/vectors.h"

int codegen_height(const ir_kernel *kernel)
{
    int most = 0;
    for (int i = 0; i < kernel->access_count; i++) {
        int planes = 0;
        for (int k = 0; k < kernel->access_count; k++) {
            const ir_access *a = &kernel->accesses[i], *b = &kernel->accesses[k];
            planes += a->param == b->param && a->component == b->component &&
                      a->offset[1] == b->offset[1] && !(k > 0 && codegen_same_row(b, b - 1));
        }
        if (planes > most) most = planes;
    }
    return most;
}

/* The number of rows that a point reads; *shared: how many of them its neighbour along y reads,
 * too.
 */
static int rows_of(const ir_kernel *kernel, int *shared)
{
    int rows = 0;
    *shared = 0;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (i > 0 && codegen_same_row(a, a - 1)) continue;
        rows++;
        for (int k = 0; k < kernel->access_count; k++) {
            const ir_access *b = &kernel->accesses[k];
            ir_access north = *b;
            north.offset[1]++;
            *shared += !(k > 0 && codegen_same_row(b, b - 1)) && codegen_same_row(a, &north);
        }
    }
    return rows;
}

/* Compilers take far more than twice as long for a loop of twice as many operations, beside which
 * the loads that pairs save no longer count. */
static bool is_long(const ir_graph *g)
{
    enum { MOST = 600 };
    int operations = 0;
    for (ir_id id = 1; id < g->count; id++) operations += g->nodes[id].arg[0] != 0;
    return operations > MOST;
}

static bool may_pair(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    bool may = w->line && !w->pair && !codegen_reduces(w->loop) && !w->loop->colored &&
               !codegen_has_rows(kernel) && !kernel->direction && !kernel->valid &&
               !kernel->loop_count && !kernel->level_read_count && !codegen_chooses_rows(w) &&
               !codegen_computes_at(w, CODEGEN_ROW) && !is_long(&kernel->graph);
    for (int p = 0; p < kernel->param_count; p++)
        may =
            may &&
            (!ir_param_is_field(&kernel->params[p]) ||
             (codegen_is_regular(kernel, p) && codegen_rows_of(w->loop, p) == CODEGEN_CONTIGUOUS));
    return may;
}

/* The loop over pairs; for pairs of planes, the loop over y in it. The row or plane that is left
 * without another is at `unpaired`, if it lies in the box. */
static void add_pairs(const codegen_writer *w, nest *in)
{
    codegen_writer pairs = *w;
    const int d = w->pair;
    const char i = "xyz"[d];
    pairs.paired = d;
    nest_statement(in, "const int64_t unpaired = %shi[%d] - (hi[%d] - lo[%d]) %% 2",
                   d == 2 ? "!(flags & ABI_PLANES) ? lo[2] : " : "", d, d, d);
    nest *loop =
        nest_loop(in, NEST_PLAIN, "int64_t i%c = lo[%d]; i%c < unpaired; i%c += 2", i, d, i, i);
    if (d == 2) loop = codegen_begin_loop(w, loop, 1);
    codegen_each_row(&pairs, loop, codegen_row_pointers);
    codegen_vectors(&pairs, loop);
}

static void pair(codegen_writer *w, int dimension)
{
    w->pair = dimension;
    w->add_pairs = add_pairs;
}

bool codegen_pair_planes(codegen_writer *w)
{
    bool reuses = w->reuse && w->reuse->count;
    if (may_pair(w) && codegen_height(w->loop->kernel) >= CODEGEN_HIGH && !reuses &&
        !codegen_computes_at(w, CODEGEN_PLANE))
        pair(w, 2);
    return true;
}

bool codegen_pair_rows(codegen_writer *w)
{
    enum { FEWEST_ROWS = HOSTILE(6, 2) };
    const double good_part = HOSTILE(0.6, 0.3); /* of the rows, that both read */
    int shared, rows = rows_of(w->loop->kernel, &shared);
    if (may_pair(w) && rows >= FEWEST_ROWS && shared >= good_part * rows) pair(w, 1);
    return true;
}
