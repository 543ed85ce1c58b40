/* Reductions of a section whose tiles follow one another on a device. The kernels of a tile leave
 * their partials side by side; behind its last loop trees combine those of all loops together, to
 * one value of each plane (of each row, where rows are tiled), which stays on the device. Behind
 * the last section, or before somebody needs a result, these values are fetched and combined in the
 * one order of reductions. So nothing waits while sections run. */
#include "exec/device_tile_sums.h"

#include "exec/device_trees.h"
#include "exec/device_tune.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is needed -------------------------------------------------------------------------- */

/* Reductions of a loop to scalars. */
static int reductions_of(const chain_loop *loop)
{
    int count = 0;
    for (int i = 0; i < loop->kernel->store_count; i++)
        count += ir_param_is_reduction(&loop->kernel->params[loop->kernel->stores[i].param]);
    return count;
}

/* Whether a kernel of bricks leaves the partials of a loop. */
static bool suits(const chain_loop *loop)
{
    return !loop->sparse && !codegen_device_collects(loop->kernel) &&
           reductions_of(loop) <= DEVICE_TILE_SUMS;
}

void device_tile_sums_add(device_tile_need *need, const analysis_loop *l)
{
    if (!device_tile_reduces(l) || grid_box_is_empty(&l->loop->box)) return;
    const int count = reductions_of(l->loop), d = l->loop->shape.rank < 3 ? 1 : 2;
    const grid_box bricks = device_bricks_of(&l->loop->box);
    const int64_t planes = bricks.hi[d] - bricks.lo[d];
    need->each += grid_box_points(&bricks) / planes;
    need->most = (int)larger(need->most, count);
    need->planes += planes;
}

int64_t device_tile_sums_bytes(const device_tile_need *need, int64_t planes)
{
    return (need->each * planes + need->planes) * need->most * (int64_t)sizeof(ir_value);
}

/* ---- a section ------------------------------------------------------------------------------- */

void device_tile_sums_end(struct exec_device *d)
{
    struct device_tile_sums *s = d->tile_sums;
    if (!s) return;
    device_tile_sums_release(s);
    for (size_t i = 0; i < s->ended_count; i++) s->ended[i].results->used = false;
    s->ended_count = s->count = 0;
    s->kept = 0;
}

void device_tile_sums_free(struct exec_device *d)
{
    if (d->tile_sums) free(d->tile_sums->all);
    if (d->tile_sums) free(d->tile_sums->ended);
    free(d->tile_sums);
}

/* Takes memory for so many values; NULL, reported, when it is out. */
static device_partials *take(const device_loop *l, int64_t values)
{
    device_partials *p = device_take_partials(l, (size_t)values * sizeof(ir_value));
    if (p) p->used = true;
    return p;
}

static int64_t planes_of(const plan *p)
{
    int64_t most = 1;
    for (int i = 1; i < p->count; i++)
        if (p->nodes[i].kind == PLAN_TILE) most = larger(most, p->nodes[i].size);
    return most;
}

/* Whether loops of the section reduce, all in a way that suits; and what they need. */
static bool find_need(const stream_run *run, device_tile_need *need)
{
    bool suited = true;
    for (int l = run->begin; l < run->end; l++) {
        if (!device_tile_reduces(&run->a->loops[l])) continue;
        suited = suited && suits(run->a->loops[l].loop);
        device_tile_sums_add(need, &run->a->loops[l]);
    }
    return suited && need->planes;
}

/* Whether sections that have ended reduce into a scalar. */
static bool is_awaited(const stream_run *run, int slot)
{
    const struct device_tile_sums *s = run->context->device->tile_sums;
    bool some = false;
    for (size_t i = 0; i < s->ended_count; i++)
        for (int n = s->ended[i].begin; n < s->ended[i].end; n++) {
            const analysis_loop *l = &run->a->loops[n];
            for (int t = 0; t < l->touch_count && l->reduces; t++)
                some = some || (l->touches[t].writes && l->touches[t].slot == slot);
        }
    return some;
}

/* Whether loops of the section that begins are given a scalar that sections before reduce into. */
static bool awaits(const stream_run *run)
{
    const struct device_tile_sums *s = run->context->device->tile_sums;
    bool some = false;
    for (int n = run->begin; n < run->end && s && s->ended_count; n++) {
        const analysis_loop *l = &run->a->loops[n];
        for (int t = 0; t < l->touch_count && !some; t++)
            some = l->touches[t].scalar && !l->touches[t].writes &&
                   is_awaited(run, l->touches[t].slot);
    }
    return some;
}

static bool reduces_somewhere(const stream_run *run)
{
    bool some = false;
    for (int n = run->begin; n < run->end; n++)
        some = some || device_tile_reduces(&run->a->loops[n]);
    return some;
}

/* Takes memory for the reductions of the section that begins. */
static bool prepare(stream_run *run, struct device_tile_sums *s, const device_tile_need *need)
{
    const chain_loop *loop = run->a->loops[run->begin].loop;
    const device_loop first = {run->context, run->context->device, loop, run->m, NULL};
    s->room = need->each * planes_of(run->p);
    s->places = need->planes;
    s->used = 0;
    memset(s->ends, 0, sizeof s->ends);
    s->first = s->combined = s->count;
    bool done = true; /* the larger ones first, which those of a section before may be */
    for (int i = 0; i < need->most && done; i++) done = (s->partials[i] = take(&first, s->room));
    done = done && (s->results = take(&first, need->planes * need->most));
    run->later = done;
    if (done) s->run = run;
    if (!done) device_tile_sums_release(s);
    if (!done) run->status = run->m->status;
    return done;
}

bool device_tile_sums_begin(stream_run *run)
{
    struct exec_device *d = run->context->device;
    device_tile_need need = {0};
    const bool together = find_need(run, &need);
    const bool now = awaits(run) || (!together && reduces_somewhere(run));
    if (now && (run->status = device_tile_sums_settle(run))) return false;
    if (!together) return true;
    if (!d->tile_sums) d->tile_sums = calloc(1, sizeof *d->tile_sums);
    if (!d->tile_sums) run->status = message_no_memory(run->m);
    return d->tile_sums && prepare(run, d->tile_sums, &need);
}

/* ---- a tile ---------------------------------------------------------------------------------- */

/* The section's number of a loop that runs; -1: it is none whose results are set later. */
static int number_of(const struct device_tile_sums *s, const chain_loop *loop)
{
    const int number = s && s->run ? exec_local_number(&s->run->local, loop) : -1;
    return number >= 0 && number >= s->run->begin && number < s->run->end ? number : -1;
}

static int turn_of(const chain_loop *loop, int store)
{
    int turn = 0;
    for (int i = 0; i < store; i++)
        turn += ir_param_is_reduction(&loop->kernel->params[loop->kernel->stores[i].param]);
    return turn;
}

static device_tile_left describe(const device_loop *l, int number, int store,
                                 const grid_box *bricks)
{
    device_tile_left t = {.loop = number,
                          .turn = turn_of(l->loop, store),
                          .store = store,
                          .param = &l->loop->kernel->params[l->loop->kernel->stores[store].param],
                          .bricks = *bricks,
                          .cut = device_cut(l->loop),
                          .each = 1};
    for (int d = 0; d < t.cut; d++) t.each *= bricks->hi[d] - bricks->lo[d];
    t.left = grid_box_points(bricks) / t.each;
    return t;
}

bool device_tile_sums_has(const device_loop *l) { return number_of(l->d->tile_sums, l->loop) >= 0; }

/* Adds what a loop leaves, behind what others have. */
static kata_status add(const device_loop *l, device_tile_left *t)
{
    struct device_tile_sums *s = l->d->tile_sums;
    kata_status status = KATA_OK;
    void *all = s->all;
    if (!vector_reserve(&all, &s->capacity, s->count + 1, sizeof *s->all))
        return message_no_memory(l->m);
    s->all = all;
    if (!t->turn && s->used + t->each * t->left > s->room) status = device_tile_sums_combine(l->d);
    t->from = t->turn ? s->all[s->count - 1].from : s->used;
    t->to = t->turn * s->places + s->ends[t->turn];
    s->used = t->from + t->each * t->left;
    s->ends[t->turn] += t->left;
    s->all[s->count++] = *t;
    return status;
}

kata_status device_tile_sum(const device_loop *l, int store, const grid_box *bricks,
                            device_memory **memory, int64_t *at)
{
    struct device_tile_sums *s = l->d->tile_sums;
    *memory = NULL;
    if (grid_box_is_empty(bricks)) return KATA_OK;
    device_tile_left t = describe(l, number_of(s, l->loop), store, bricks);
    kata_status status = add(l, &t);
    *memory = s->partials[t.turn]->memory;
    *at = t.from;
    return status;
}

/* ---- combining ------------------------------------------------------------------------------- */

/* Whether trees over both are alike, and follow one another. */
static bool are_alike(const device_tile_left *a, const device_tile_left *b)
{
    bool alike = a->turn == b->turn && a->cut == b->cut && a->each == b->each &&
                 a->param->type == b->param->type &&
                 ir_reduction_op(a->param) == ir_reduction_op(b->param) &&
                 b->from == a->from + a->each * a->left && b->to == a->to + a->left;
    for (int d = 0; d < a->cut; d++)
        alike = alike && a->bricks.lo[d] == b->bricks.lo[d] && a->bricks.hi[d] == b->bricks.hi[d];
    return alike;
}

/* Combines what lies along dimensions d to `end` - 1 of each of `lists`, `apart` from one to the
 * next. */
static kata_status run_tree(const device_loop *l, const device_tile_left *t, int d, int end,
                            const int64_t step[4], int64_t lists)
{
    const struct device_tile_sums *s = l->d->tile_sums;
    const bool last = end == t->cut;
    const device_partials *from = s->partials[t->turn];
    abi_tree tree = {.lists = lists,
                     .apart = step[end],
                     .count = {1, 1, 1},
                     .from = t->from,
                     .to = last ? t->to : t->from,
                     .to_apart = last ? 1 : step[end]};
    for (int of = d; of < end; of++) {
        tree.first[of - d] = t->bricks.lo[of] + DEVICE_CENTRE;
        tree.count[of - d] = t->bricks.hi[of] - t->bricks.lo[of];
        tree.step[of - d] = t->each > 1 ? step[of] : 0;
    }
    return device_run_tree(l, t->param, from, &tree, last ? s->results : from);
}

/* Combines partials that are alike, to one value of each of `left` planes. */
static kata_status combine(struct exec_device *d, const device_tile_left *t, int64_t left)
{
    const stream_run *run = d->tile_sums->run;
    const device_loop l = {run->context, d, run->a->loops[t->loop].loop, run->m, NULL};
    kata_status status = KATA_OK;
    int64_t step[4] = {1, 1, 1, 1};
    for (int of = 0; of < t->cut; of++)
        step[of + 1] = step[of] * (t->bricks.hi[of] - t->bricks.lo[of]);
    for (int of = 0, end; of < t->cut && !status; of = end) {
        end = t->each / step[of] <= DEVICE_TREE_AT_ONCE ? t->cut : of + 1;
        status = run_tree(&l, t, of, end, step, left * (t->each / step[end]));
    }
    return status;
}

/* By the reductions of loops: the first of each, then the second. */
kata_status device_tile_sums_combine(struct exec_device *d)
{
    struct device_tile_sums *s = d->tile_sums;
    kata_status status = KATA_OK;
    for (int turn = 0; s && s->run && turn < DEVICE_TILE_SUMS; turn++) {
        const device_tile_left *first = NULL, *last = NULL;
        int64_t left = 0;
        for (size_t i = s->combined; i < s->count && !status; i++) {
            const device_tile_left *t = &s->all[i];
            if (t->turn != turn) continue;
            if (last && !are_alike(last, t)) {
                status = combine(d, first, left);
                first = NULL;
            }
            left = first ? left + t->left : t->left;
            first = first ? first : t;
            last = t;
        }
        if (first && !status) status = combine(d, first, left);
    }
    if (s) s->combined = s->count;
    if (s) s->used = 0;
    return status;
}
