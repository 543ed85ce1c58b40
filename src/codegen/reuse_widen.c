/* Bytes as wider numbers: what a kernel reads of a field of bytes, or of integers of 16 bits, is
 * reused, too, as the number that it is first converted to. */
#include "codegen/reuse.h"

static bool is_narrow(const codegen_loop *loop, int param)
{
    kata_type storage = loop->storage[param];
    return ir_storages[storage].bytes == 1 || storage == KATA_U16 || storage == KATA_I16;
}

bool reuse_reads_bytes(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    bool reads = false, writes = false;
    for (int i = 0; i < kernel->access_count; i++)
        reads = reads || is_narrow(loop, kernel->accesses[i].param);
    for (int i = 0; i < kernel->store_count; i++) {
        int p = kernel->stores[i].param;
        writes = writes || (ir_param_is_field(&kernel->params[p]) && is_narrow(loop, p));
    }
    return reads && !writes;
}

/* Whether the nodes of a class are wide numbers that are made of a narrow one alone. */
static bool is_widened(const reuse_finder *f, const reuse_class *c)
{
    const ir_node *node = &f->graph->nodes[c->first];
    if (c->count == 0 || c->value != REUSE_NOT || node->type == IR_BOOL ||
        ir_type_is_narrow((ir_type)node->type) || c->high - c->low > CODEGEN_REUSE_SPAN)
        return false;
    if (node->op == IR_CONVERT) {
        node = &f->graph->nodes[node->arg[0]];
        if (!ir_type_is_narrow((ir_type)node->type)) return false;
    }
    return node->op == IR_LOAD && is_narrow(f->loop, node->param);
}

/* The group of values at the same offsets; a new one if there is none. */
static int group_of(codegen_reuse *out, int from, const reuse_class *c)
{
    for (int i = from; i < out->count; i++)
        if (out->value[i].low == c->low && out->value[i].high == c->high)
            return out->value[i].group;
    return ++out->widened_groups;
}

void reuse_widen(reuse_finder *f)
{
    codegen_reuse *out = f->out;
    int shared = out->count, widened = 0;
    for (uint32_t c = 1; c <= f->class_count; c++) widened += is_widened(f, &f->classes[c]);
    if (widened > CODEGEN_MOST_WIDENED) return;
    for (uint32_t c = 1; c <= f->class_count; c++)
        if (is_widened(f, &f->classes[c]))
            reuse_add_value(f, &f->classes[c], group_of(out, shared, &f->classes[c]));
    for (int i = 0; i < shared; i++) out->value[i].group += out->widened_groups;
    out->group_count += out->widened_groups;
}
