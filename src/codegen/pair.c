/* Pairs of planes.
 *
 * A star that is high along z reads as many rows of other planes as it is high, each of which was
 * read last a whole plane ago and has left the first-level cache. Two points one above the other
 * read all of these rows but two together: where there are many, vectors of two planes are computed
 * in one loop. What each computes, and in which order, stays the same. */
#include "codegen/codegen.h"

const char *codegen_above(const codegen_writer *w) { return w->above ? "_above" : ""; }

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

/* Whether nothing is computed for whole planes or rows, of which there would be two. */
static bool is_all_of_points(const codegen_writer *w)
{
    for (ir_id id = 1; id < w->loop->kernel->graph.count; id++)
        if (w->steps[id].named &&
            (w->steps[id].level == CODEGEN_PLANE || w->steps[id].level == CODEGEN_ROW))
            return false;
    return true;
}

static bool runs_pairs(const codegen_writer *w)
{
    enum { HIGH = HOSTILE(7, 2) };
    const ir_kernel *kernel = w->loop->kernel;
    bool plain = codegen_runs_vectors(w->loop) && codegen_writes_vectors(w->loop) &&
                 !codegen_reduces(w->loop) && !w->sharing->count && !kernel->direction &&
                 !kernel->valid && is_all_of_points(w);
    for (int p = 0; p < kernel->param_count; p++)
        plain =
            plain &&
            (!ir_param_is_field(&kernel->params[p]) ||
             (codegen_is_regular(kernel, p) && codegen_rows_of(w->loop, p) == CODEGEN_CONTIGUOUS));
    return plain && height(kernel) >= HIGH;
}

bool codegen_pairs(const codegen_writer *w)
{
    codegen_writer pairs = *w;
    pairs.pairs = true;
    if (!runs_pairs(w)) return false;
    text_add(w->out, "    const int64_t unpaired = hi[2] - (hi[2] - lo[2]) %% 2;\n"
                     "    for (int64_t iz = lo[2]; iz < unpaired; iz += 2) {\n");
    codegen_begin_loop(w, 1);
    for (pairs.above = 0; pairs.above < 2; pairs.above++) codegen_row_pointers(&pairs);
    pairs.above = 0;
    codegen_vectors(&pairs);
    text_add(w->out, "        }\n    }\n");
    return true;
}
