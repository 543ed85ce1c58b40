/* Which loops may run as one, and its parameters: one for each field that some of them write, or
 * read in the same way; numbers and tables keep their own. */
#include "exec/fuse.h"

#include <string.h>

bool fuse_can_have(const chain_loop *l)
{
    return !l->once && !l->copy && !l->sparse && !l->at_once && !l->mesh && !l->icosahedral &&
           l->colors <= 1 && ir_can_fuse(l->kernel);
}

static bool touches(const chain_loop *l, const chain_slot *slot)
{
    for (int p = 0; p < l->kernel->param_count; p++)
        if (l->bindings[p].slot == slot) return true;
    return false;
}

/* Whether a loop needs, or makes, a scalar that another one makes. */
static bool meet_in_scalar(const chain_loop *a, const chain_loop *b)
{
    for (int p = 0; p < a->kernel->param_count; p++)
        for (int q = 0; q < b->kernel->param_count && a->bindings[p].slot; q++)
            if (a->bindings[p].slot == b->bindings[q].slot &&
                (ir_param_is_reduction(&a->kernel->params[p]) ||
                 ir_param_is_reduction(&b->kernel->params[q])))
                return true;
    return false;
}

bool fuse_can_follow(const chain_loop *loops, int count)
{
    const chain_loop *l = &loops[count], *first = &loops[0];
    bool same = l->steps == first->steps && grid_shape_equal(&l->shape, &first->shape) &&
                !memcmp(&l->box, &first->box, sizeof l->box) && l->parted == first->parted;
    if (!same || !fuse_can_have(l)) return false;
    for (int i = 0; i < count; i++)
        if (meet_in_scalar(&loops[i], l)) return false;
    for (int p = 0; p < l->kernel->param_count; p++) {
        if (!ir_param_is_field(&l->kernel->params[p])) continue;
        for (int i = 0; i < count; i++)
            if (touches(&loops[i], l->bindings[p].slot)) return true;
    }
    return false;
}

/* Whether some loop writes a field. */
static bool is_written(const fuse_group *g, const chain_slot *slot)
{
    for (int i = 0; i < g->count; i++)
        for (int p = 0; p < g->loops[i].kernel->param_count; p++)
            if (g->loops[i].bindings[p].slot == slot &&
                ir_param_is_written_field(&g->loops[i].kernel->params[p]))
                return true;
    return false;
}

/* Whether a parameter serves for another one of the same field. */
static bool serves(const ir_param *own, const ir_param *param)
{
    return own->type == param->type && ir_param_same_mapping(own, param);
}

/* The new parameter of one of a loop's: that of its field, if there is one. A field has one rule at
 * each side, and one parameter if it is written. -1: there is none. */
static int add_param(fuse_group *g, const ir_param *param, const chain_binding *b)
{
    const bool field = ir_param_is_field(param), written = field && is_written(g, b->slot);
    for (int i = 0; i < g->param_count && field; i++) {
        if (g->bindings[i]->slot != b->slot) continue;
        if (!grid_boundary_equal(g->bindings[i]->boundary, b->boundary)) return -1;
        if (serves(&g->params[i], param)) return i;
        if (written) return -1;
    }
    ir_param *own = &g->params[g->param_count];
    *own = *param;
    if (field) own->kind = written ? IR_PARAM_OUT : IR_PARAM_IN;
    g->bindings[g->param_count] = b;
    return g->param_count++;
}

bool fuse_params(fuse_group *g)
{
    int met = 0;
    g->param_count = 0;
    for (int i = 0; i < g->count; i++) {
        const chain_loop *l = &g->loops[i];
        if (met + l->kernel->param_count > FUSE_MOST_PARAMS) return false;
        for (int p = 0; p < l->kernel->param_count; p++, met++) {
            g->of[met] = add_param(g, &l->kernel->params[p], &l->bindings[p]);
            if (g->of[met] < 0) return false;
        }
    }
    return true;
}

chain_binding *fuse_bindings(const chain_loop *loops, const fuse_memo *memo, arena *memory)
{
    const int params = memo->fused->kernel->param_count;
    chain_binding *own = arena_array(memory, (size_t)params + 1, sizeof *own);
    int met = 0, made = 0;
    for (int i = 0; i < memo->count && own; i++)
        for (int p = 0; p < loops[i].kernel->param_count; p++) {
            const chain_binding *b = &loops[i].bindings[p];
            const int of = memo->of[met++];
            for (int i = 0; i < made && b->slot; i++)
                if (own[i].slot == b->slot && !grid_boundary_equal(own[i].boundary, b->boundary))
                    return NULL;
            if (of == made) own[made++] = *b;
        }
    return own;
}
