/* A pass: numbers stored as f16 become float, and results f16, a vector at a time: by instructions
 * of the processor where it has them (F16C), whose bits are those of the integer code. Compilers do
 * not find them: in a loop over lanes they would do the integer code, which is longer than most
 * kernels.
 *
 * What points read of a row at one offset is converted into an array of float, in front of the loop
 * over the lanes. The loop leaves results in such arrays, too, which are converted behind it. So
 * points of a vector and single points have functions of their own.
 */
#include "codegen/halves.h"

#include <string.h>

bool codegen_is_half(const codegen_loop *loop, int param)
{
    const ir_param *p = &loop->kernel->params[param];
    return ir_param_is_field(p) && loop->storage[param] == KATA_F16 && p->type == IR_F32 &&
           codegen_rows_of(loop, param) == CODEGEN_CONTIGUOUS && p->finer[0] <= 1 &&
           p->coarser[0] <= 1 && !p->absent_axis[0];
}

int codegen_half_of(const codegen_writer *w, const ir_node *node)
{
    const ir_kernel *kernel = w->loop->kernel;
    if (!w->widened || !codegen_is_half(w->loop, node->param)) return -1;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (a->param == node->param && a->component == node->element &&
            memcmp(a->offset, node->offset, sizeof a->offset) == 0)
            return i;
    }
    return -1;
}

bool codegen_holds_float(const codegen_writer *w, int store)
{
    const ir_store *s = &w->loop->kernel->stores[store];
    return w->widened && codegen_is_half(w->loop, s->param) && !s->condition &&
           !codegen_adds_rows(w->loop->kernel, s->param);
}

const char *codegen_held_type(const codegen_writer *w, int store)
{
    return codegen_holds_float(w, store)
               ? ir_types[IR_F32].c_name
               : codegen_element_type(w->loop, w->loop->kernel->stores[store].param);
}

void codegen_widen_row(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    const char *second = codegen_second(w);
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (!codegen_is_half(w->loop, a->param)) continue;
        nest_statement(in, "%sfloat halves_%d%s[lanes] %s", w->dialect->local, i, second,
                       w->dialect->aligned);
        nest_statement(in, "kata_f32s_of_f16s(halves_%d%s, &%s[at + (%d)], lanes)", i, second,
                       codegen_read_row_name(w, a).is, (int)a->offset[0]);
        nest_statement(in, "const float *const half_%d%s = halves_%d%s - at", i, second, i, second);
    }
}

void codegen_narrow_result(const codegen_writer *w, nest *in, int store)
{
    const char *second = codegen_second(w);
    nest_statement(in, "%s%s narrow_%d%s[lanes] %s", w->dialect->local,
                   ir_storages[KATA_F16].c_name, store, second, w->dialect->aligned);
    nest_statement(in, "kata_f16s_of_f32s(narrow_%d%s, new_%d%s, lanes)", store, second, store,
                   second);
}

bool codegen_find_halves(codegen_writer *w)
{
    for (int p = 0; p < w->loop->kernel->param_count; p++)
        w->halves = w->halves || codegen_is_half(w->loop, p);
    w->halves = w->halves && w->line && !w->loop->colored && !w->whole && !codegen_chooses_rows(w);
    return true;
}
