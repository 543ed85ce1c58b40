/* What a function is given: views of arrays, and numbers. */
#include "sweep/reductions.h"

abi_view sweep_view(const store_array *a, int component)
{
    const int64_t here[3] = {0, 0, 0};
    return (abi_view){store_address(a, component, here), a->pitch_y, a->pitch_z, a->pitch_x};
}

store_array sweep_view_array(const abi_view *view, const store_array *of)
{
    return (store_array){.type = of->type,
                         .components = 1,
                         .block = of->block,
                         .pitch_x = view->x,
                         .pitch_y = view->y,
                         .pitch_z = view->z,
                         .data = view->origin};
}

/* Sets the views of a field, unless they are those of its array; then it returns false. */
static bool bind_field(sweep_loop *l, int p)
{
    const ir_param *param = &l->loop->kernel->params[p];
    sweep_field *field = &l->fields[p];
    const store_array *a = field->array = sweep_slot(l, p)->array;
    field->param = param;
    if (a->stays && a->stays == field->bound) return false;
    field->bound = a->stays;
    const size_t bytes = (size_t)param->count * sizeof *l->views;
    abi_view *read = l->views + l->places[p].read, *levels = l->views + l->places[p].level;
    for (int c = 0; c < param->count; c++) read[c] = sweep_view(a, c);
    if (levels != read) memcpy(levels, read, bytes);
    abi_view *written = l->views + l->places[p].written;
    if (ir_param_is_written_field(param) && written != read) memcpy(written, read, bytes);
    return true;
}

static void bind_number(sweep_loop *l, int p)
{
    const ir_param *param = &l->loop->kernel->params[p];
    const chain_binding *b = &l->loop->bindings[p];
    ir_value *out = &l->numbers[l->places[p].number];
    if (b->slot)
        for (int i = 0; i < param->count; i++) out[i] = store_scalar(b->slot, i);
    else if (param->kind == IR_PARAM_TABLE)
        memcpy(out, b->table, (size_t)param->count * sizeof *out);
    else
        *out = b->number;
}

void sweep_bind(sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    bool changed = false;
    for (int p = 0; p < kernel->param_count; p++) {
        if (ir_param_is_field(&kernel->params[p]))
            changed = bind_field(l, p) || changed;
        else if (!ir_param_is_reduction(&kernel->params[p]))
            bind_number(l, p);
    }
    l->begun += changed;
}

sweep_share *sweep_share_of(const sweep_loop *l, int thread, const grid_box *core, int flags)
{
    sweep_share *share = &l->shares[thread];
    share->core = *core;
    share->flags = flags;
    if (share->begun != l->begun)
        memcpy(share->views, l->views, (size_t)l->view_count * sizeof *share->views);
    share->begun = l->begun;
    if (l->bins_count) sweep_bind_bins(l, share);
    return share;
}
