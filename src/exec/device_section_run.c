/* Running some loops at once. The last of them writes what the first does; what the others write
 * stays in registers. The fields of all of them are there, with what is around them. */
#include "exec/device_tune.h"

#include <stdlib.h>

/* The dimensions along which the loops find what lies beyond a side at the other end: all points
 * run there. */
static void give_section(device_given *g, const device_loop *l, const codegen_section *s)
{
    const chain_loop *loop = l->loop;
    const chain_slot *from = loop->bindings[s->from].slot, *to = loop->bindings[s->to].slot;
    const grid_box room = grid_box_intersect(&from->on_device->room, &to->on_device->room);
    abi_section *given = device_give(g, sizeof *given);
    if (!given) return;
    for (int d = 0; d < 3; d++) {
        const bool wraps = device_section_wraps(loop, s->from, d);
        given->low[d] = wraps ? loop->box.lo[d] : room.lo[d];
        given->high[d] = wraps ? loop->box.hi[d] : room.hi[d];
        given->period[d] = wraps ? loop->box.hi[d] - loop->box.lo[d] : 0;
    }
    given->to_low = given->low[2];
    given->to_high = given->high[2];
    if (!given->period[2]) {
        given->low[2] = from->on_device->room.lo[2];
        given->high[2] = from->on_device->room.hi[2];
        given->to_low = to->on_device->room.lo[2];
        given->to_high = to->on_device->room.hi[2];
    }
    given->chunk = s->chunk;
    given->end = loop->box.hi[2];
}

static void give_mirrors(device_given *g, const chain_loop *loop, int from)
{
    for (int d = 0; d < 2; d++) {
        abi_mirror *given = device_give(g, sizeof *given);
        if (given) *given = device_section_mirror(loop, from, d);
    }
    abi_mirrored *planes = device_give(g, sizeof *planes);
    if (planes) *planes = device_section_mirrored(loop, from);
}

/* `all`: of loops that run on a tile, all points along z; NULL: they run on all. */
static device_given make_given(const device_loop *loops, const codegen_section *s,
                               const grid_box *all)
{
    device_given g = {.d = loops->d};
    device_give_launch(&g, loops->loop);
    device_give_places(&g, loops);
    give_section(&g, loops, s);
    if (s->mirrors) give_mirrors(&g, loops->loop, s->from);
    for (int i = 0; i < s->steps; i++) device_give_numbers(&g, loops[i].loop);
    if (!all || g.failed) return g;
    abi_launch *launch = (abi_launch *)(void *)g.d->given;
    launch->lo[2] = all->lo[2];
    launch->hi[2] = all->hi[2];
    return g;
}

static void count_groups(const device_loop *l, const device_way *way, const codegen_section *s,
                         device_launch *launch)
{
    const chain_loop *loop = l->loop;
    const abi_launch *to = (const abi_launch *)(const void *)l->d->given;
    const int64_t points[3] = {way->gives[0], way->gives[1], s->chunk};
    for (int d = 0; d < 3; d++)
        launch->groups[d] = -floor_divide(-(loop->box.hi[d] - to->first[d]), points[d]);
    launch->threads[0] = s->threads[0];
    launch->threads[1] = s->threads[1];
    launch->threads[2] = 1;
    launch->local = way->local;
}

static kata_status launch_section(const device_loop *loops, const device_way *way,
                                  const codegen_section *s, const grid_box *all, bool *ran)
{
    enum { MOST = 66 };
    const ir_kernel *kernel = loops->loop->kernel;
    device_argument arguments[MOST];
    device_launch launch = {.arguments = arguments};
    const device_given g = make_given(loops, s, all);
    if (g.failed) return message_no_memory(loops->m);
    arguments[launch.argument_count++] = (device_argument){NULL, g.d->given, g.count};
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p]))
            arguments[launch.argument_count++] =
                (device_argument){loops->loop->bindings[p].slot->on_device->memory, NULL, 0};
    count_groups(loops, way, s, &launch);
    *ran = device_run(loops->d->device, way->kernel, &launch);
    if (!*ran)
        return device_is_crowded(loops->d->device) ? KATA_OK : device_failed(loops, "failed in");
    store_device_changed(loops->loop->bindings[s->to].slot);
    return KATA_OK;
}

kata_status device_run_at_once(const device_loop *loops, device_way *way, bool *ran)
{
    return launch_section(loops, way, &way->section, NULL, ran);
}

/* ---- on tiles that are streamed ---------------------------------------------------------------
 */

enum { MOST_STEPS = DEVICE_MOST_STEPS };

/* The loops that a loop stands for, on fields as it has them now. */
typedef struct tile {
    const device_loop *l;
    const device_glued *g;
    chain_loop loops[MOST_STEPS];
    device_loop runs[MOST_STEPS];
    chain_binding *bindings;
} tile;

static chain_binding *bind(const tile *t, int step)
{
    const chain_at_once *all = &t->g->as;
    const chain_binding *now = t->l->loop->bindings;
    const size_t params = (size_t)t->l->loop->kernel->param_count;
    chain_binding *own = t->bindings + (size_t)step * params;
    for (size_t p = 0; p < params; p++) own[p] = all->loops[step].bindings[p];
    own[all->from].slot = now[step % 2 ? all->to : all->from].slot;
    own[all->to].slot = now[step % 2 ? all->from : all->to].slot;
    own[all->from].boundary = now[all->from].boundary;
    own[all->to].boundary = now[all->to].boundary;
    return own;
}

/* A loop on the planes that those behind it need, for what is filled around them. */
static bool add_step(tile *t, int step)
{
    const chain_at_once *all = &t->g->as;
    const chain_loop *like = t->l->loop;
    const int behind = all->count - 1 - step;
    chain_loop *loop = &t->loops[step];
    grid_box read = {{0, 0, 0}, {0, 0, 0}};
    *loop = *like;
    loop->at_once = NULL;
    loop->bindings = bind(t, step);
    device_accessed(like, all->from, &read);
    const int64_t lo = like->box.lo[2] + behind * smaller(read.lo[2] - like->box.lo[2], 0);
    const int64_t hi = like->box.hi[2] + behind * larger(read.hi[2] - like->box.hi[2], 0);
    loop->box.lo[2] = larger(lo, all->all.lo[2]);
    loop->box.hi[2] = smaller(hi, all->all.hi[2]);
    loop->hash = chain_loop_hash_slots(loop, chain_loop_hash(loop));
    t->runs[step] = *t->l;
    t->runs[step].loop = loop;
    t->runs[step].ready = device_ready_of(t->l->d, loop);
    return t->runs[step].ready;
}

/* Brings what all of them need: fills what lies around both fields, if it is looked at. */
static kata_status bring_tile(const tile *t)
{
    const device_loop *l = t->l;
    kata_status status = KATA_OK;
    if (device_has_checked(l->d, l->loop)) status = device_settle(l);
    if (!status && device_awaits(l->d, l->loop)) status = device_fetch_reductions(l);
    for (int i = 0; i < 2 && !status && !t->g->as.inside; i++)
        status = device_bring_fields(&t->runs[i]);
    return status;
}

/* Chunks of about the planes that are best, which all groups have as many of. */
static int chunk_of(const codegen_section *s, int64_t planes)
{
    const int64_t chunks = larger((planes + s->chunk / 2) / s->chunk, 1);
    return (int)larger(-floor_divide(-planes, chunks), 1);
}

static kata_status run_tile(const tile *t, int i, bool timed, bool *ran)
{
    const device_loop *l = t->l;
    struct device_tune *tune = t->g->tune;
    const int64_t planes = l->loop->box.hi[2] - l->loop->box.lo[2];
    codegen_section s = tune->ways[i].section;
    s.chunk = chunk_of(&s, planes);
    if (timed && !device_wait(l->d->device, DEVICE_WORK)) return device_failed(l, "failed before");
    const double start = clock_seconds();
    kata_status status = launch_section(t->runs, &tune->ways[i], &s, &t->g->as.all, ran);
    if (!status && !*ran) device_tune_drop(tune, i, "the device has too little for it");
    if (status || !timed) return status;
    if (!device_wait(l->d->device, DEVICE_WORK)) return device_failed(l, "failed in");
    const double part = (double)tune->points[2] / (double)planes / s.steps;
    device_tune_note(l, tune, (clock_seconds() - start) * part);
    return KATA_OK;
}

/* Tries ways until the device has enough for one. */
static kata_status run_some_way(const tile *t)
{
    const device_loop *l = t->l;
    const chain_loop *loop = l->loop;
    kata_status status = KATA_OK;
    for (bool ran = false, timed; !ran && !status;) {
        const int way = device_tune_tile_way(t->g->tune, loop->box.hi[2] - loop->box.lo[2], &timed);
        if (!way) return device_failed(l, "has too little for");
        if (device_tune_kernel(l, t->g->tune, way)) status = run_tile(t, way, timed, &ran);
    }
    return status;
}

kata_status device_run_glued(const device_loop *l)
{
    tile t = {.l = l, .g = (const device_glued *)l->loop->at_once};
    const int count = t.g->as.count;
    if (grid_box_is_empty(&l->loop->box)) return KATA_OK;
    t.bindings = calloc((size_t)l->loop->kernel->param_count * (size_t)count, sizeof *t.bindings);
    bool made = t.bindings;
    for (int i = 0; i < count && made; i++) made = add_step(&t, i);
    kata_status status = made ? bring_tile(&t) : message_no_memory(l->m);
    t.loops[0].box = l->loop->box;
    const double start = observe_meter_now(l->context->meter);
    if (!status) status = run_some_way(&t);
    const bool waits = l->context->meter && l->context->meter->waits;
    if (!status && waits && !device_wait(l->d->device, DEVICE_WORK))
        status = device_failed(l, "failed in");
    const double each = waits ? (observe_meter_now(l->context->meter) - start) / count : 0;
    for (int i = 0; i < count && !status; i++)
        observe_meter_note(l->context->meter, &t.loops[i], each);
    l->d->loops += count;
    l->d->at_once += count;
    free(t.bindings);
    return status;
}
