/* Runs any plan, point by point, with real places: a buffer is memory of its capacity, in which
 * nothing is set at first, and what is read without being set is poison. Kernels run as graphs.
 * It shows what a plan does, whatever it should have done. */
#include "oracle/cells.h"
#include "oracle/contributions.h"
#include "oracle/planned.h"
#include "store/store.h"

#include <fenv.h>
#include <stdlib.h>

/* ---- loops ----------------------------------------------------------------------------------- */

/* Room for the graph's values, and for contributions, which are neutral at first. */
static bool prepare(oracle_planned *e, int loop)
{
    const chain_loop *l = e->a->loops[loop].loop;
    const ir_kernel *kernel = l->kernel;
    void *nodes = e->nodes;
    if (!vector_reserve(&nodes, &e->node_room, kernel->graph.count, sizeof *e->nodes))
        return oracle_plan_no_memory(e);
    e->nodes = nodes;
    const analysis_loop *part = &e->a->loops[loop];
    if (!(part->reduces || part->gathers) || e->contributions[loop]) return true;
    size_t points = (size_t)grid_box_points(&l->box);
    size_t elements = (size_t)oracle_first_element(kernel, kernel->param_count);
    e->contributions[loop] = calloc(elements * points + 1, sizeof(ir_value));
    if (!e->contributions[loop]) return oracle_plan_no_memory(e);
    for (int p = 0; p < kernel->param_count; p++) {
        if (!ir_param_is_reduction(&kernel->params[p])) continue;
        ir_value *first = e->contributions[loop] + (size_t)oracle_first_element(kernel, p) * points;
        for (size_t i = 0; i < (size_t)kernel->params[p].count * points; i++)
            first[i] = ir_reduction_start(&kernel->params[p]);
    }
    return true;
}

/* Sums into fields end with the loop's points, which run at once. */
static void reduce_columns(const oracle_part *p)
{
    const ir_kernel *kernel = p->loop->kernel;
    size_t points = (size_t)grid_box_points(&p->loop->box);
    for (int i = 0; i < kernel->param_count; i++) {
        const ir_param *param = &kernel->params[i];
        int first = ir_param_is_column_reduction(param) ? oracle_first_element(kernel, i) : 0;
        for (int k = 0; ir_param_is_column_reduction(param) && k < param->count; k++)
            oracle_reduce_columns(p->loop, i, k,
                                  p->e->contributions[p->run->loop] + (size_t)(first + k) * points);
    }
}

static bool run_part(void *data, const plan_walk *walk, const plan_run *run)
{
    oracle_part p = {.e = data, .walk = walk, .run = run};
    p.loop = p.e->a->loops[run->loop].loop;
    if (!prepare(p.e, run->loop)) return false;
    const ir_direction *along = p.loop->kernel->order;
    int order[3], ordered = 0; /* dimensions, outermost first: those of levels that run in order */
    for (int d = 2; d >= 0; d--)
        if (along[d]) order[ordered++] = d;
    for (int d = 2, count = ordered; d >= 0; d--)
        if (!along[d]) order[count++] = d;
    int64_t at[3], count[3];
    for (int k = 0; k < 3; k++) count[k] = run->box.hi[order[k]] - run->box.lo[order[k]];
    for (at[0] = 0; at[0] < count[0]; at[0]++)
        for (at[1] = 0; at[1] < count[1]; at[1]++)
            for (at[2] = 0; at[2] < count[2]; at[2]++) {
                for (int k = 0; k < 3; k++) {
                    bool down = along[order[k]] == IR_BACKWARD;
                    p.point[order[k]] =
                        run->box.lo[order[k]] + (down ? count[k] - 1 - at[k] : at[k]);
                }
                if (!(p.loop->sparse ? oracle_plan_sparse(&p) : oracle_run_point(&p))) return false;
            }
    reduce_columns(&p);
    return true;
}

/* ---- places ---------------------------------------------------------------------------------- */

static bool open_place(void *data, plan_place *place)
{
    oracle_planned *e = data;
    return oracle_cells_open(place, e->a->slots[place->slot]) || oracle_plan_no_memory(e);
}

static bool close_place(void *data, plan_place *place)
{
    (void)data;
    oracle_cells_close(place);
    return true;
}

/* ---- scalars --------------------------------------------------------------------------------- */

static bool reduce(oracle_planned *e, int loop, int p)
{
    const chain_loop *l = e->a->loops[loop].loop;
    const ir_param *param = &l->kernel->params[p];
    chain_slot *slot = l->bindings[p].slot;
    size_t points = (size_t)grid_box_points(&l->box);
    for (int i = 0; i < param->count; i++) {
        size_t element = (size_t)oracle_first_element(l->kernel, p) + (size_t)i;
        const ir_value *values = e->contributions[loop] + element * points;
        oracle_contributions all = {param, l->box, l->box, values, false};
        ir_value result = oracle_reduce(&all);
        if (param->accumulates) result = ir_reduce(param, store_scalar(slot, i), result);
        if (!store_scalar_set(slot, i, result)) return oracle_plan_no_memory(e);
    }
    return true;
}

/* Before the reduction that it belongs to changes. */
static bool find_where(oracle_planned *e, int loop, int p)
{
    const chain_loop *l = e->a->loops[loop].loop;
    const ir_param *param = &l->kernel->params[p], *of = &l->kernel->params[param->of];
    size_t points = (size_t)grid_box_points(&l->box), element = 0;
    element = (size_t)oracle_first_element(l->kernel, param->of);
    const ir_value *x = e->contributions[loop] + element * points;
    const grid_box *box = &l->box;
    oracle_where w = {0};
    int64_t at[3];
    for (at[2] = box->lo[2]; at[2] < box->hi[2] && points; at[2]++)
        for (at[1] = box->lo[1]; at[1] < box->hi[1]; at[1]++)
            for (at[0] = box->lo[0]; at[0] < box->hi[0]; at[0]++, x++)
                if (oracle_has_color(l, at)) oracle_where_meet(of, &w, *x, at);
    for (int d = 0; d < 3; d++) {
        ir_value old = store_scalar(l->bindings[param->of].slot, 0);
        ir_value index = store_scalar(l->bindings[p].slot, d);
        if (!store_scalar_set(l->bindings[p].slot, d,
                              oracle_where_index(param, of, &w, d, old, index)))
            return oracle_plan_no_memory(e);
    }
    return true;
}

static bool finish(void *data, int loop)
{
    oracle_planned *e = data;
    const chain_loop *l = e->a->loops[loop].loop;
    if (!prepare(e, loop)) return false;
    if (l->once) {
        plan_run run = {.loop = loop, .box = l->box, .core = l->box};
        if (!run_part(e, NULL, &run)) return false;
    }
    if (l->sparse && !oracle_plan_finish_sparse(l)) return oracle_plan_no_memory(e);
    for (int p = 0; p < l->kernel->param_count && !l->sparse; p++)
        if (l->kernel->params[p].kind == IR_PARAM_WHERE && !find_where(e, loop, p)) return false;
    for (int p = 0; p < l->kernel->param_count && !l->sparse; p++)
        if (ir_param_is_reduction(&l->kernel->params[p]) &&
            l->kernel->params[p].kind != IR_PARAM_WHERE &&
            !ir_param_is_column_reduction(&l->kernel->params[p]) && !reduce(e, loop, p))
            return false;
    store_log(l);
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static kata_status run(oracle_planned *e, const oracle_plan_order *order)
{
    plan_visitor visitor = {.data = e,
                            .backwards = order->backwards,
                            .run = run_part,
                            .copy = oracle_plan_copy,
                            .wait = oracle_plan_wait,
                            .scalar = finish,
                            .open = open_place,
                            .close = close_place};
    plan_place *homes = calloc((size_t)e->a->slot_count + 1, sizeof *homes);
    e->contributions = calloc((size_t)e->a->loop_count + 1, sizeof *e->contributions);
    if (!homes || !e->contributions) oracle_plan_no_memory(e);
    for (int l = 0; l < e->a->loop_count && e->status == KATA_OK; l++)
        e->status = store_make_arrays(e->a->loops[l].loop, e->m);
    if (e->status == KATA_OK && !plan_walk_all(e->p, e->a, homes, &visitor))
        oracle_plan_no_memory(e);
    for (int l = 0; e->contributions && l < e->a->loop_count; l++) free(e->contributions[l]);
    free(e->contributions);
    free(e->pending);
    free(e->pending_places);
    free(e->nodes);
    free(homes);
    return e->status;
}

kata_status oracle_run_plan(const plan *p, const analysis_chain *a, const oracle_plan_order *order,
                            messages *m)
{
    oracle_planned e = {.a = a, .p = p, .late = order->late, .m = m};
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    run(&e, order);
    fesetenv(&environment);
    return e.status;
}
