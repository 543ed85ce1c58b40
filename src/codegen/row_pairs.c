/* Pairs of rows.
 *
 * Two points one beside the other, or one above it, read many rows of which both need a value.
 * Where there are many such rows, vectors of two neighbours are computed in one loop, so that what
 * both read, and what compilers find that both compute of it, is there once. Along z for stars that
 * are high: they read as many rows of other planes as they are high, each of which was read last a
 * whole plane ago and has left the first-level cache. Along y for boxes. What a point computes, and
 * in which order, stays the same. */
#include "codegen/codegen.h"

const char *codegen_second(const codegen_writer *w)
{
    return !w->second ? "" : w->paired == 1 ? "_north" : "_above";
}

int32_t codegen_second_y(const codegen_writer *w) { return w->paired == 1 ? w->second : 0; }

int32_t codegen_second_z(const codegen_writer *w) { return w->paired == 2 ? w->second : 0; }

/* The most planes in which a component is read at one y. */
static int height(const ir_kernel *kernel)
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

/* Rows that a point reads; and of these those that its neighbour along y reads, too. */
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

/* Whether something is computed for whole rows (or planes), of which there would be two. */
static bool computes_for(const codegen_writer *w, codegen_level level)
{
    for (ir_id id = 1; id < w->loop->kernel->graph.count; id++)
        if (w->steps[id].named && w->steps[id].level == level) return true;
    return false;
}

static bool may_pair(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    bool may = codegen_runs_vectors(w->loop) && codegen_writes_vectors(w->loop) &&
               !codegen_reduces(w->loop) && !kernel->direction && !kernel->valid &&
               !computes_for(w, CODEGEN_ROW);
    for (int p = 0; p < kernel->param_count; p++)
        may =
            may &&
            (!ir_param_is_field(&kernel->params[p]) ||
             (codegen_is_regular(kernel, p) && codegen_rows_of(w->loop, p) == CODEGEN_CONTIGUOUS));
    return may;
}

int codegen_paired(const codegen_writer *w)
{
    enum { HIGH = HOSTILE(7, 3), FEWEST_ROWS = HOSTILE(6, 2) };
    const double good_part = HOSTILE(0.6, 0.3); /* of the rows, that both read */
    int shared, rows = rows_of(w->loop->kernel, &shared);
    if (!may_pair(w)) return 0;
    if (height(w->loop->kernel) >= HIGH && !w->sharing->count && !computes_for(w, CODEGEN_PLANE))
        return 2;
    return rows >= FEWEST_ROWS && shared >= good_part * rows ? 1 : 0;
}

static void add_row_pointers(const codegen_writer *w, int lanes)
{
    (void)lanes;
    codegen_row_pointers(w);
}

void codegen_pairs(const codegen_writer *w, int dimension)
{
    codegen_writer pairs = *w;
    const char d = "xyz"[dimension];
    pairs.paired = dimension;
    text_add(w->out,
             "    const int64_t unpaired = hi[%d] - (hi[%d] - lo[%d]) %% 2;\n"
             "    for (int64_t i%c = lo[%d]; i%c < unpaired; i%c += 2) {\n",
             dimension, dimension, dimension, d, dimension, d, d);
    if (dimension == 2) codegen_begin_loop(w, 1);
    codegen_each_row(&pairs, 0, add_row_pointers);
    codegen_vectors(&pairs);
    text_add(w->out, dimension == 2 ? "        }\n    }\n" : "    }\n");
}
