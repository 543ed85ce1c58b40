/* Indices of fields as C expressions of the loop's: what ir_param_index says. */
#include "codegen/codegen.h"

static void add_base(text *out, const ir_param *param, int dimension)
{
    char i = "xyz"[dimension];
    int finer = param->finer[dimension], coarser = param->coarser[dimension];
    if (finer > 1)
        text_add(out, "%d * i%c", finer, i);
    else if (coarser > 1) /* rounded down, also of an index below 0 */
        text_add(out, "(i%c - (i%c %% %d + %d) %% %d) / %d", i, i, coarser, coarser, coarser,
                 coarser);
    else
        text_add(out, "i%c", i);
}

void codegen_index(text *out, const ir_param *param, int dimension, int32_t offset)
{
    if (param->missing[dimension]) {
        text_add(out, "%d", (int)offset);
        return;
    }
    add_base(out, param, dimension);
    if (offset)
        text_add(out, " %c %d", offset < 0 ? '-' : '+', (int)(offset < 0 ? -offset : offset));
}

/* Of an index that may lie outside at both ends. */
static void add_between(const codegen_writer *w, int param, int dimension, int32_t offset)
{
    const ir_param *p = &w->loop->kernel->params[param];
    codegen_index(w->out, p, dimension, offset);
    text_add(w->out, " < lowest ? lowest : ");
    codegen_index(w->out, p, dimension, offset);
    text_add(w->out, " > size[%d] ? size[%d] : ", 6 + param, 6 + param);
    codegen_index(w->out, p, dimension, offset);
}

void codegen_read_index(const codegen_writer *w, int param, int dimension, int32_t offset)
{
    const ir_kernel *kernel = w->loop->kernel;
    const ir_param *p = &kernel->params[param];
    bool level = kernel->direction && kernel->ordered == dimension && !p->missing[dimension];
    bool scaled = p->finer[dimension] || p->coarser[dimension];
    if (level && scaled) {
        add_between(w, param, dimension, offset);
        return;
    }
    if (level && offset) {
        codegen_index(w->out, p, dimension, offset);
        if (offset < 0)
            text_add(w->out, " < lowest ? lowest : ");
        else
            text_add(w->out, " > size[%d] ? size[%d] : ", 6 + param, 6 + param);
    }
    codegen_index(w->out, p, dimension, offset);
}
