/* Which plan the cpu executor runs a chain by: the one that is asked for, or loop by loop. */
#include "exec/cpu.h"

/* Whether windows can be made for a field. */
static bool can_have_window(const chain_slot *slot)
{
    bool wrapped = slot->array && !slot->array->bytes;
    return !wrapped && store_slot_rows(slot) == CODEGEN_CONTIGUOUS;
}

/* Adds to a box the indices of a slot that the loops below a node touch. */
static void add_touched(const plan *p, const analysis_chain *a, int node, int slot, grid_box *box)
{
    const plan_node *n = &p->nodes[node];
    const analysis_loop *l = n->kind == PLAN_LOOP ? &a->loops[n->loop] : NULL;
    for (int i = 0; l && i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        grid_box at = l->loop->box;
        if (t->scalar || t->slot != slot || grid_box_is_empty(&at)) continue;
        for (int d = 0; d < 3; d++) {
            at.lo[d] += t->lo[d];
            at.hi[d] += t->hi[d];
        }
        *box = grid_box_is_empty(box) ? at : grid_box_hull(box, &at);
    }
    for (int child = n->child; child; child = p->nodes[child].next)
        add_touched(p, a, child, slot, box);
}

static bool window_fits(const plan *p, const analysis_chain *a, int node)
{
    const plan_node *n = &p->nodes[node];
    const chain_slot *field = a->slots[n->slot];
    grid_box touched = {.lo = {0}};
    add_touched(p, a, node, n->slot, &touched);
    if (grid_box_is_empty(&touched)) touched = chain_slot_memory(field);
    return store_window_fits(field, n->capacity, &touched);
}

/* `tile`: the outermost tile around; 0: none. */
static const char *refuses(const plan *p, const analysis_chain *a, int node, int tile)
{
    const plan_node *n = &p->nodes[node];
    const char *why = NULL;
    bool places = n->kind == PLAN_BUFFER || n->kind == PLAN_MOVE;
    if (n->kind == PLAN_TILE && !tile) tile = node;
    if (n->kind == PLAN_WAIT || n->kind == PLAN_EXCHANGE) return "fields have buffers in this plan";
    if (places && !(tile && plan_is_independent(p, a, tile)))
        return "fields have buffers in this plan, and its tiles cannot run at once";
    if (n->kind == PLAN_BUFFER && !can_have_window(a->slots[n->slot]))
        return "rows of a field in a buffer are not contiguous, or it is wrapped";
    if (n->kind == PLAN_BUFFER && !window_fits(p, a, node))
        return "a field is read so far outside that its buffer would be many times as large";
    if (n->kind == PLAN_MOVE && a->slots[n->slot]->array && a->slots[n->slot]->array->ring)
        return "a field is moved, of which only some planes are in memory";
    for (int child = n->child; child && !why; child = p->nodes[child].next)
        why = refuses(p, a, child, tile);
    return why;
}

const char *exec_cpu_refuses(const plan *p, const analysis_chain *a)
{
    return refuses(p, a, p->root, 0);
}

bool cpu_has_all_code(exec_context *context, const chain *c, const size_t *functions, messages *m,
                      kata_status *status)
{
    abi_function *run = NULL;
    *status = KATA_OK;
    for (size_t i = 0; i < c->count; i++) {
        if (functions[i] == CPU_NO_FUNCTION) continue;
        *status = cpu_compiled(context, functions[i], &c->loops[i], m, &run);
        if (*status || !run) return false;
    }
    return true;
}

static void say_refusal(exec_context *context, const char *method, const char *why, messages *m)
{
    if (context->cpu->told || context->quiet) return;
    context->cpu->told = true;
    message_warn(m, why, "the executor 'cpu' runs loops one after another, not as '%s' plans them",
                 method);
}

static bool plan_loops(exec_context *context, const chain *c, cpu_work *work, messages *m)
{
    const plan_request loops = {.method = "loops"};
    work->whole = true;
    work->plan = exec_plan_of(context, &loops, c, &work->a, m);
    return work->plan;
}

bool cpu_plan_by(exec_context *context, const plan_request *request, const chain *c, cpu_work *work,
                 messages *m)
{
    work->plan = exec_plan_quietly(context, request, c, &work->a, m);
    if (work->plan) work->whole = work->plan->schedule.whole;
    return work->plan;
}

bool cpu_plan_as_asked(exec_context *context, const chain *c, cpu_work *work, messages *m)
{
    const plan_request *asked = context->request;
    kata_status status = KATA_OK;
    if (!asked->method) return plan_loops(context, c, work, m);
    const plan *p = work->plan = exec_plan_of(context, asked, c, &work->a, m);
    work->whole = true;
    if (!p || p->schedule.whole) return p;
    const char *why = exec_cpu_refuses(p, work->a);
    if (why) say_refusal(context, asked->method, why, m);
    work->whole = why || !cpu_has_all_code(context, c, work->functions, m, &status);
    return !status && (!work->whole || plan_loops(context, c, work, m));
}
