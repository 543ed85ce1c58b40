/* Two passes: rows that run together (unroll and jam).
 *
 * Two points that are neighbours along y, or along z, read many rows of which both need a value.
 * Where there are many such rows, vectors of neighbours are computed in one loop: what several
 * read is loaded once, and what compilers find that several compute of it is computed once. Pairs
 * along z are for stars that are high: they read as many planes at one y as they are high, and each
 * row of these was last read a whole plane ago and has left the first-level cache. Whether planes
 * are paired is decided when a loop runs (ABI_PLANES): in a cache it is slower on some machines,
 * for then compilers move values to and from the stack, from memory it is faster.
 *
 * Along y two rows run together, or four where a point computes little. Of boxes they always do;
 * of stars only where nothing is prefetched: from memory so many rows at once are slower.
 *
 * What a point computes, and in which order, stays the same. */
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

/* The rows that so many points read together, each the neighbour along y of the one before. */
static int rows_of(const ir_kernel *kernel, int together)
{
    int rows = 0;
    for (int point = 0; point < together; point++)
        for (int i = 0; i < kernel->access_count; i++) {
            bool known = i > 0 && codegen_same_row(&kernel->accesses[i], &kernel->accesses[i - 1]);
            for (int k = 0; k < kernel->access_count && !known; k++)
                for (int back = 1; back <= point && !known; back++) {
                    ir_access south = kernel->accesses[k];
                    south.offset[1] -= back;
                    known = codegen_same_row(&kernel->accesses[i], &south);
                }
            rows += !known;
        }
    return rows;
}

/* Whether points read boxes of rows: four together read few rows more than twice as many. */
static bool is_box(const ir_kernel *kernel) { return rows_of(kernel, 4) <= 2 * rows_of(kernel, 1); }

/* Compilers take far more than twice as long for a loop of twice as many operations, beside which
 * the loads that pairs save no longer count. */
static bool may_pair(const codegen_writer *w)
{
    enum { MOST_OPERATIONS = 600 };
    const ir_kernel *kernel = w->loop->kernel;
    bool may = w->line && !w->pair && !codegen_reduces(w->loop) && !w->loop->colored &&
               !codegen_has_rows(kernel) && !kernel->direction && !kernel->valid &&
               !kernel->loop_count && !kernel->level_read_count && !codegen_chooses_rows(w) &&
               !codegen_computes_at(w, CODEGEN_ROW) &&
               codegen_operations(kernel) <= MOST_OPERATIONS;
    for (int p = 0; p < kernel->param_count; p++)
        may =
            may &&
            (!ir_param_is_field(&kernel->params[p]) ||
             (codegen_is_regular(kernel, p) && codegen_rows_of(w->loop, p) == CODEGEN_CONTIGUOUS));
    return may;
}

/* When rows do not run together: "" for always. */
static const char *apart_when(const codegen_writer *w)
{
    if (w->pair == 2) return "!(flags & ABI_PLANES) ? lo[2] : ";
    return w->together == 4 && !is_box(w->loop->kernel) ? "flags & ABI_PREFETCH ? lo[1] : " : "";
}

/* The loop over rows that run together; for pairs of planes, the loop over y in it. Rows or planes
 * that are left are at `unpaired` and behind it, if they lie in the box. */
static void add_pairs(const codegen_writer *w, nest *in)
{
    codegen_writer pairs = *w;
    const int d = w->pair;
    const char i = "xyz"[d];
    pairs.paired = d;
    nest_statement(in, "const int64_t unpaired = %shi[%d] - (hi[%d] - lo[%d]) %% %d", apart_when(w),
                   d, d, d, w->together);
    nest *loop = nest_loop(in, NEST_PLAIN, "int64_t i%c = lo[%d]; i%c < unpaired; i%c += %d", i, d,
                           i, i, w->together);
    if (d == 2) loop = codegen_begin_loop(w, loop, 1);
    codegen_each_row(&pairs, loop, codegen_row_pointers);
    codegen_vectors(&pairs, loop);
}

static void pair(codegen_writer *w, int dimension, int together)
{
    w->pair = dimension;
    w->together = together;
    w->add_pairs = add_pairs;
}

bool codegen_pair_planes(codegen_writer *w)
{
    bool reuses = w->reuse && w->reuse->count;
    if (may_pair(w) && codegen_height(w->loop->kernel) >= CODEGEN_HIGH && !reuses &&
        !codegen_computes_at(w, CODEGEN_PLANE))
        pair(w, 2, 2);
    return true;
}

bool codegen_pair_rows(codegen_writer *w)
{
    enum { FEWEST_ROWS = HOSTILE(6, 2), LITTLE = 48 /* operations */ };
    const double good = HOSTILE(1.4, 1.7), better = HOSTILE(2.7, 3.4); /* times the rows of one */
    const ir_kernel *kernel = w->loop->kernel;
    const int rows = rows_of(kernel, 1);
    if (!may_pair(w) || rows < FEWEST_ROWS) return true;
    if (codegen_operations(kernel) <= LITTLE && rows_of(kernel, 4) <= better * rows)
        pair(w, 1, 4);
    else if (rows_of(kernel, 2) <= good * rows)
        pair(w, 1, 2);
    return true;
}
