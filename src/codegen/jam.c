/* Two points of a pair of rows, computed side by side: each step of the first is followed by the
 * same step of the second. Compilers keep that order. So a value that both use, of a row that both
 * read, is used twice in a short time, and need not wait in memory from one point's end to the
 * other's. Names of the second point's values end like those of its row. */
#include "codegen/emit.h"

#include <stdlib.h>

/* Marks what the stores of a point need; NULL when memory is out. */
static bool *mark_wanted(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    bool *wanted = calloc(kernel->graph.count, sizeof *wanted);
    if (!wanted) return NULL;
    for (int i = 0; i < kernel->store_count; i++)
        wanted[kernel->stores[i].value] = wanted[kernel->stores[i].condition] = true;
    codegen_mark_operands(w, wanted);
    return wanted;
}

void codegen_jam(const codegen_writer *pair, nest *in)
{
    codegen_writer w = *pair;
    bool *wanted = mark_wanted(&w);
    w.jammed = true;
    nest_statement(in, "const int64_t ix = at + lane");
    for (ir_id id = 1; wanted && id < w.loop->kernel->graph.count; id++)
        for (w.second = 0; w.second < w.together; w.second++)
            if (wanted[id] && w.steps[id].named && w.steps[id].level == CODEGEN_POINT)
                codegen_step_of(&w, in, id);
    for (int i = 0; i < w.loop->kernel->store_count; i++)
        for (w.second = 0; w.second < w.together; w.second++) {
            codegen_label to = codegen_format("new_%d%s[lane]", i, codegen_second(&w));
            codegen_store(&w, in, i, to.is);
        }
    if (!wanted) in->head.failed = true;
    free(wanted);
}
