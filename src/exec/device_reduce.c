/* Reductions on a device. A loop leaves a partial for each brick; trees over them run behind it;
 * and what is left, one value, is fetched when somebody needs it: when the chain ends, or before a
 * loop that is given the scalar. */
#include "exec/device_points.h"
#include "exec/device_trees.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW_PARTIALS = HOSTILE(256, 2), /* that are combined here */
    FEW_WAITING = 4
};

/* ---- memory for partials --------------------------------------------------------------------- */

/* Puts some behind all others: those in front were taken longest ago, and are likely to be free. */
static device_partials *put_last(struct exec_device *d, device_partials *p)
{
    device_partials **end = d->partials ? &d->last_partials->next : &d->partials;
    p->next = NULL;
    d->last_partials = p;
    return *end = p;
}

/* Takes the smallest that are free and large enough out of the list, in this machine's memory or
 * not; NULL: there are none. */
static device_partials *find_free(struct exec_device *d, size_t bytes, bool here)
{
    device_partials **found = NULL, *before = NULL, *last = NULL;
    for (device_partials **p = &d->partials; *p; last = *p, p = &(*p)->next) {
        if ((*p)->used || !(*p)->here != !here || (*p)->bytes < bytes ||
            (found && (*p)->bytes >= (*found)->bytes))
            continue;
        found = p;
        before = last;
        if ((*p)->bytes == bytes) break;
    }
    if (!found) return NULL;
    device_partials *free_one = *found;
    *found = free_one->next;
    if (!free_one->next) d->last_partials = before;
    return free_one;
}

device_partials *device_take_partials(const device_loop *l, size_t bytes)
{
    struct exec_device *d = l->d;
    device_partials *free_one = find_free(d, bytes, false);
    if (free_one) return put_last(d, free_one);
    device_partials *made = calloc(1, sizeof *made);
    if (made) made->memory = device_take(d, bytes);
    if (made && made->memory) {
        made->bytes = bytes;
        return put_last(d, made);
    }
    if (made)
        device_failed(l, "has no memory for a reduction of");
    else
        message_no_memory(l->m);
    free(made);
    return NULL;
}

/* Some for so few values that kernels may write them to this machine's memory, where nobody has to
 * copy them from; otherwise, or where there is none, `others`. */
static device_partials *take_here(struct exec_device *d, size_t count, device_partials *others)
{
    const size_t bytes = FEW_PARTIALS * sizeof(ir_value);
    device_partials *p = count <= FEW_PARTIALS ? find_free(d, bytes, true) : NULL;
    if (!p && count <= FEW_PARTIALS && (p = calloc(1, sizeof *p))) {
        void *here = NULL;
        *p = (device_partials){.memory = device_allocate_here(d->device, bytes, &here),
                               .bytes = bytes};
        p->here = here;
        if (!p->memory) {
            free(p);
            p = NULL;
        }
    }
    if (!p) return others;
    p->used = true;
    return put_last(d, p);
}

static void give_back(const device_waiting *w)
{
    if (w->partials) w->partials->used = false;
    if (w->left) w->left->used = false;
}

void device_partials_free(struct exec_device *d)
{
    while (d->partials) {
        device_partials *next = d->partials->next;
        device_release(d->device, d->partials->memory);
        free(d->partials);
        d->partials = next;
    }
    free(d->waiting);
    free(d->collected);
    if (d->fetched) device_release_pinned(d->device, d->fetched);
}

/* ---- trees ----------------------------------------------------------------------------------- */

kata_status device_run_tree(const device_loop *l, const ir_param *param, const device_partials *p,
                            const abi_tree *tree, const device_partials *to)
{
    if (!tree->lists || (p == to && tree->count[0] * tree->count[1] * tree->count[2] <= 1))
        return KATA_OK;
    device_kernel *kernel = device_tree_kernel(l, param);
    if (!kernel) return l->m->status;
    const bool few = tree->count[0] <= CODEGEN_TREE_SHORT && !tree->step[1]; /* along x alone */
    const device_argument arguments[] = {
        {NULL, tree, sizeof *tree}, {p->memory, NULL, 0}, {to->memory, NULL, 0}};
    device_launch launch = {
        .groups = {few ? -floor_divide(-tree->lists, CODEGEN_TREE_THREADS) : tree->lists, 1, 1},
        .threads = {CODEGEN_TREE_THREADS, 1, 1},
        .arguments = arguments,
        .argument_count = 3};
    return device_run(l->d->device, kernel, &launch) ? KATA_OK : device_failed(l, "failed behind");
}

/* The trees over bricks of rows, then along y, then along z: one value is left. Of loops of which
 * others run some points, one value of each plane, or of each row: see device_cut. A group goes on
 * with the next dimensions where it has room for all of them; there are more groups otherwise. */
static kata_status combine(const device_loop *l, const ir_param *param, const device_waiting *w,
                           int cut)
{
    device_partials *p = w->partials;
    int64_t n[3] = {0}, step[4] = {1};
    for (int d = 0; d < 3; d++) {
        n[d] = w->bricks.hi[d] - w->bricks.lo[d];
        step[d + 1] = step[d] * n[d];
    }
    kata_status status = KATA_OK;
    while (cut && n[cut - 1] == 1) cut--; /* nothing is combined along it */
    for (int d = 0, end; d < cut && !status; d = end) {
        end = step[cut] / step[d] <= DEVICE_TREE_AT_ONCE ? cut : d + 1;
        abi_tree tree = {.lists = step[3] / step[end],
                         .apart = step[end],
                         .to_apart = step[end],
                         .count = {1, 1, 1}};
        for (int of = d; of < end; of++) {
            tree.first[of - d] = w->bricks.lo[of] + DEVICE_CENTRE;
            tree.count[of - d] = n[of];
            tree.step[of - d] = step[of];
        }
        status = device_run_tree(l, param, p, &tree, end < cut ? p : w->left);
    }
    return status;
}

/* ---- waiting for results --------------------------------------------------------------------- */

kata_status device_begin_reduction(const device_loop *l, int store, const grid_box *bricks,
                                   device_memory **memory)
{
    struct exec_device *d = l->d;
    void *waiting = d->waiting;
    size_t count = grid_box_is_empty(bricks) ? 0 : (size_t)grid_box_points(bricks);
    if (!vector_reserve(&waiting, &d->waiting_room, d->waiting_count + 1, sizeof *d->waiting))
        return message_no_memory(l->m);
    d->waiting = waiting;
    device_partials *p = count && d->looks ? take_here(d, count, NULL) : NULL;
    if (!p && count) p = device_take_partials(l, count * sizeof(ir_value));
    if (count && !p) return l->m->status;
    if (p) p->used = true;
    if (p) d->waiting_bytes += (int64_t)p->bytes;
    d->waiting[d->waiting_count++] = (device_waiting){
        .loop = l->loop, .store = store, .bricks = *bricks, .partials = p, .left = p};
    *memory = p ? p->memory : NULL;
    return KATA_OK;
}

kata_status device_end_reductions(const device_loop *l)
{
    kata_status status = KATA_OK;
    for (size_t i = 0; i < l->d->waiting_count && !status; i++) {
        device_waiting *w = &l->d->waiting[i];
        if (w->loop != l->loop || !w->partials) continue;
        w->count = (size_t)grid_box_points(&w->bricks);
        w->step = 1;
        if (w->count <= FEW_PARTIALS) continue;
        const ir_kernel *kernel = l->loop->kernel;
        const int cut = device_cut(l->loop);
        if (cut == 3 && l->d->looks) w->left = take_here(l->d, 1, w->partials);
        status = combine(l, &kernel->params[kernel->stores[w->store].param], w, cut);
        for (int d = 0; d < cut; d++) w->step *= (size_t)(w->bricks.hi[d] - w->bricks.lo[d]);
        w->count /= w->step;
    }
    return status;
}

kata_status device_set_result(const device_waiting *w, const grid_box *bricks, ir_value *values,
                              messages *m)
{
    const ir_store *s = &w->loop->kernel->stores[w->store];
    const ir_param *param = &w->loop->kernel->params[s->param];
    chain_slot *slot = w->loop->bindings[s->param].slot;
    ir_value result = sweep_reduce_box(param, bricks, values);
    if (param->accumulates) result = ir_reduce(param, store_scalar(slot, s->component), result);
    return store_scalar_set(slot, s->component, result) ? KATA_OK : message_no_memory(m);
}

/* Sets the results of a loop. */
static kata_status set_results(const device_loop *l, const device_waiting *w, size_t count)
{
    static const grid_box one = {{0, 0, 0}, {1, 1, 1}};
    kata_status status = KATA_OK;
    grid_box whole;
    ir_value *all = NULL;
    if (w->loop->sparse) return device_set_sums(l, w);
    if (w->loop->parted && !(all = device_meet(l, w, count, &whole)))
        return l->context->failure.elsewhere ? KATA_ERROR_INTERNAL /* ranks agree on another one */
                                             : message_no_memory(l->m);
    for (size_t i = 0; i < count && !status; i++)
        status =
            all ? device_set_result(&w[i], &whole, all + (size_t)grid_box_points(&whole) * i, l->m)
                : device_set_result(&w[i], w[i].count == 1 ? &one : &w[i].bricks, w[i].values,
                                    l->m);
    free(all);
    return status;
}

static bool is_here(const device_waiting *w) { return w->left && w->left->here; }

/* Copies what is left of all reductions that wait, and waits for it. */
static bool fetch(const device_loop *l)
{
    struct exec_device *d = l->d;
    size_t bytes = 0, at = 0;
    for (size_t i = 0; i < d->waiting_count; i++)
        if (!is_here(&d->waiting[i])) bytes += d->waiting[i].count * sizeof(ir_value);
    if (d->fetched_bytes < bytes || !d->fetched) {
        if (d->fetched) device_release_pinned(d->device, d->fetched);
        d->fetched = device_pinned(d->device, bytes);
        d->fetched_bytes = d->fetched ? bytes : 0;
        if (!d->fetched) return false;
    }
    for (size_t i = 0; i < d->waiting_count; i++) {
        device_waiting *w = &d->waiting[i];
        const bool apart = w->step > 1;
        const size_t one = sizeof(ir_value), all = w->count * one;
        const device_box box = {.row = apart ? one : all,
                                .rows = apart ? w->count : 1,
                                .planes = 1,
                                .row_pitch = w->step * one,
                                .host_row_pitch = one};
        w->values = is_here(w) ? w->left->here : d->fetched + at;
        if (!w->count || is_here(w)) continue;
        at += w->count;
        if (!device_get_later(d->device, DEVICE_WORK, w->left->memory, w->values, &box))
            return false;
    }
    return device_wait(d->device, DEVICE_WORK);
}

kata_status device_fetch_reductions(const device_loop *l)
{
    struct exec_device *d = l->d;
    kata_status status = KATA_OK;
    if (!d->waiting_count) return KATA_OK;
    if (!fetch(l)) status = device_failed(l, "failed before");
    d->looks = d->waiting_count <= FEW_WAITING;
    for (size_t i = 0, count; i < d->waiting_count; i += count) {
        device_waiting *w = &d->waiting[i];
        for (count = 1; i + count < d->waiting_count && w[count].loop == w->loop;) count++;
        if (!status) status = set_results(l, w, count);
        if (!status) store_log(w->loop);
        for (size_t k = 0; k < count; k++) give_back(&w[k]);
    }
    d->waiting_count = 0;
    d->waiting_bytes = 0;
    return status;
}

void device_forget_reductions(struct exec_device *d)
{
    for (size_t i = 0; i < d->waiting_count; i++) give_back(&d->waiting[i]);
    d->waiting_count = 0;
    d->waiting_bytes = 0;
}

/* Whether a loop needs the value that a scalar has before it; NULL: any scalar. */
static bool reads(const chain_loop *loop, const chain_slot *slot)
{
    bool some = false;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const ir_param *param = &loop->kernel->params[p];
        const chain_slot *own = loop->bindings[p].slot;
        const bool only_set = ir_param_is_reduction(param) && !param->accumulates;
        some = some || (!only_set && (slot ? own == slot : own && !ir_param_is_field(param)));
    }
    return some;
}

bool device_awaits(const struct exec_device *d, const chain_loop *loop)
{
    enum { MOST = 256 };
    bool needs = d->waiting_count >= MOST || d->waiting_bytes > DEVICE_WAITING;
    const bool may = d->waiting_count && !needs && reads(loop, NULL);
    for (size_t i = 0; i < d->waiting_count && may; i++) {
        const chain_loop *made = d->waiting[i].loop;
        const int param = made->kernel->stores[d->waiting[i].store].param;
        needs = needs || reads(loop, made->bindings[param].slot);
    }
    return needs;
}
