/* Chains whose fields do not fit the memory of a device: they are streamed (streams.h). Fields are
 * in arrays of this machine; planes of them move to rings on the device and back, in queues of
 * their own beside the kernels. Fields that loops find on another grid, or that lack the dimension
 * along which tiles follow one another, stay there whole. */
#include "exec/device_points.h"
#include "exec/device_rings.h"
#include "exec/device_tile_sums.h"
#include "exec/device_tune.h"

#include <stdlib.h>

#define DEVICE_NO_ROOM                                                                             \
    "the planes that one loop needs at once are more than the device's memory holds"

typedef struct device_planes {
    stream_ring as;
    store_device_ring ring;
} device_planes;

static store_device_ring *ring_of(stream_ring *ring) { return &((device_planes *)ring)->ring; }
static struct exec_device *device_of(const stream_run *run) { return run->context->device; }

/* ---- what fits ------------------------------------------------------------------------------- */

static int64_t left(const exec_streams *s, const chain_slot *far)
{
    const struct exec_device *d = s->context->device;
    (void)far;
    return d->limit - device_table_room(d) - device_tile_sums_room(d) - d->taken;
}

/* What is below a node of a plan. */
typedef struct below {
    const plan *p;
    const analysis_chain *a;
    bool *ring;        /* by slot */
    grid_box *touched; /* by slot; of those without a ring */
    int64_t planes, partials;
    device_tile_need sums; /* more than `partials` where loops have several */
    device_points_list points;
    bool failed;
} below;

static void find_rings(below *b, int node)
{
    const plan_node *n = &b->p->nodes[node];
    if (n->kind == PLAN_BUFFER) b->ring[n->slot] = true;
    if (n->kind == PLAN_TILE) b->planes = larger(b->planes, n->size);
    if (n->kind == PLAN_LOOP) {
        b->partials += device_plane_partials(&b->a->loops[n->loop]);
        device_tile_sums_add(&b->sums, &b->a->loops[n->loop]);
        b->failed = !device_points_add(&b->points, b->a->loops[n->loop].loop) || b->failed;
    }
    for (int child = n->child; child; child = b->p->nodes[child].next) find_rings(b, child);
}

/* Kernels are given all of their fields, needed or not. */
static void find_whole_of(below *b, const chain_loop *loop)
{
    for (int p = 0; p < loop->kernel->param_count; p++) {
        if (!ir_param_is_field(&loop->kernel->params[p])) continue;
        int slot = 0;
        while (b->a->slots[slot] != loop->bindings[p].slot) slot++;
        const grid_box box = device_touched(loop, p);
        grid_box *all = &b->touched[slot];
        if (b->ring[slot]) continue;
        *all = grid_box_is_empty(all) ? box : grid_box_hull(all, &box);
    }
}

static void find_whole(below *b, int node)
{
    const plan_node *n = &b->p->nodes[node];
    if (n->kind == PLAN_LOOP && !b->a->loops[n->loop].loop->once)
        find_whole_of(b, b->a->loops[n->loop].loop);
    for (int child = n->child; child; child = b->p->nodes[child].next) find_whole(b, child);
}

/* Fields that stay whole, and partials. */
static int64_t beside(const analysis_chain *a, const plan *p, int node)
{
    const size_t slots = (size_t)a->slot_count;
    below b = {.p = p, .a = a};
    b.ring = calloc(slots + 1, sizeof *b.ring);
    b.touched = calloc(slots + 1, sizeof *b.touched);
    int64_t all = INT64_MAX / 2; /* memory of this machine is out */
    if (b.ring && b.touched) {
        find_rings(&b, node);
        find_whole(&b, node);
        all = b.failed ? INT64_MAX / 2
                       : b.points.bytes + larger(b.partials * b.planes,
                                                 device_tile_sums_bytes(&b.sums, b.planes));
        for (size_t slot = 0; slot < slots; slot++)
            if (!grid_box_is_empty(&b.touched[slot]))
                all += store_device_bytes(a->slots[slot], &b.touched[slot]);
    }
    free(b.ring);
    free(b.touched);
    free(b.points.of);
    return all;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static bool failed(stream_run *run, const char *doing)
{
    const device_loop l = {run->context, device_of(run), run->a->loops[run->begin].loop, run->m,
                           NULL};
    if (!run->status) run->status = device_failed(&l, doing);
    return false;
}

/* Sends a field home that is there whole. */
static bool leave(chain_slot *slot)
{
    bool done = store_device_bring_home(slot);
    if (done) store_device_free(slot);
    return done;
}

static kata_status send_away(const chain_binding *b, messages *m)
{
    if (!leave(b->slot)) return store_no_memory(b->slot, b->name, m);
    b->slot->far = device_suits(b->slot);
    return KATA_OK;
}

static bool begin(stream_run *run)
{
    (void)run;
    return true;
}

static bool wait_for_all(const stream_run *run)
{
    bool done = true;
    for (int queue = 0; queue < DEVICE_QUEUES; queue++)
        done = device_wait(device_of(run)->device, queue) && done;
    return done;
}

static void end(stream_run *run)
{
    wait_for_all(run);
    device_tile_sums_end(device_of(run));
    device_spare_settle(device_of(run), false);
}

static bool has_window(const stream_run *run)
{
    bool some = false;
    for (int s = 0; s < run->a->slot_count; s++)
        some = some || (run->rings[s] && !ring_of(run->rings[s])->turns);
    return some;
}

/* Moves into windows take the place of what has moved out; others wait for what they have to. */
static bool await(stream_run *run, bool out)
{
    device *d = device_of(run)->device;
    bool done = !out ? device_order(d, DEVICE_WORK, DEVICE_IN)
                     : !has_window(run) || device_order(d, DEVICE_IN, DEVICE_OUT);
    return done || failed(run, "failed in");
}

static bool move(stream_run *run, stream_ring *ring, bool out, const stream_planes *planes,
                 int64_t passed)
{
    struct exec_device *d = device_of(run);
    bool done = !out || device_order(d->device, DEVICE_OUT, DEVICE_WORK);
    done = done && store_device_ring_move(ring_of(ring), out, planes->first, planes->end, passed,
                                          &d->moved[out]);
    return done || failed(run, "did not move planes of a field of");
}

/* ---- rings ----------------------------------------------------------------------------------- */

static bool leaves(const plan *p, int node, int slot)
{
    const plan_node *n = &p->nodes[node];
    bool some = n->kind == PLAN_MOVE && n->out && n->slot == slot;
    for (int child = n->child; child; child = p->nodes[child].next)
        some = some || leaves(p, child, slot);
    return some;
}

/* Beside what a section needs, so that moves may run ahead of the work; the rest is for what is not
 * foreseen. */
static void find_slack(struct exec_device *d, const stream_run *run, const plan_node *buffer)
{
    enum { OF = 8 };
    if (run->open) return;
    const int node = (int)(buffer - run->p->nodes);
    d->needed = larger(stream_bytes(run->streams, run->p, run->a, node), 1);
    d->slack = larger(left(run->streams, NULL) - d->needed, 0);
    d->slack -= d->slack / OF;
}

/* In memory of rings before, if there is some. What is kept, and what was there for loops before,
 * makes room. */
static bool make_ring(struct exec_device *d, device_planes *ring, const chain_slot *field,
                      const store_device_span *span)
{
    int64_t bytes;
    store_device_ring_bytes(d->device, field, span, &bytes);
    const double part = (double)bytes / (double)d->needed;
    const int64_t share = bytes + smaller(bytes, (int64_t)(part * (double)d->slack));
    store_turns *turns = bytes ? device_spare_take(d, field, bytes, bytes + d->slack) : NULL;
    bool made = store_device_ring_make(&ring->ring, d->device, field, span, share, &turns);
    d->clock++;
    if (!made && device_is_full(d->device)) {
        device_make_room(d);
        made = store_device_ring_make(&ring->ring, d->device, field, span, share, &turns);
    }
    while (!made && device_is_full(d->device) && device_send_home_oldest(d))
        made = store_device_ring_make(&ring->ring, d->device, field, span, 0, &turns);
    if (made && turns) d->slack -= store_turns_bytes(turns) - bytes;
    d->needed = larger(d->needed - bytes, 1);
    ring->as = (stream_ring){&ring->ring.slot, ring->ring.dimension};
    return made;
}

static stream_ring *open_ring(stream_run *run, const plan_node *buffer)
{
    const int slot = buffer->slot;
    chain_slot *field = run->a->slots[slot];
    device_planes *ring = calloc(1, sizeof *ring);
    if (!ring) return NULL;
    store_device_span span = device_span_of(run, buffer);
    span.period = run->seam ? run->seam->period : 0;
    span.leaves = leaves(run->p, buffer->child, slot);
    find_slack(device_of(run), run, buffer);
    if (leave(field) && make_ring(device_of(run), ring, field, &span)) return &ring->as;
    free(ring);
    failed(run, "has no memory for planes of a field of");
    return NULL;
}

static void close_ring(stream_run *run, stream_ring *ring)
{
    struct exec_device *d = device_of(run);
    store_turns *turns = ring_of(ring)->turns;
    bool done = turns || wait_for_all(run);
    done = store_device_ring_end(ring_of(ring)) && done;
    if (turns && !device_spare_keep(d, turns)) {
        wait_for_all(run);
        store_turns_free(turns);
    }
    if (!done) failed(run, "failed in");
    free(ring);
}

static bool show(stream_run *run, stream_ring *ring, const stream_planes *planes, int64_t low)
{
    return store_device_ring_show(ring_of(ring), planes->first, planes->end, low) ||
           failed(run, "has not got the planes of a field of");
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Whether loops of a tile are none of the section: they may need what others reduce into. */
static bool has_others(const stream_run *run, const chain *tile)
{
    bool some = false;
    for (size_t i = 0; i < tile->count; i++) {
        const int number = run->local.numbers[i];
        some = some || tile->loops[i].once || number < run->begin || number >= run->end;
    }
    return some;
}

static kata_status run_in_rings(const stream_run *run, const chain *tile)
{
    kata_status status = has_others(run, tile) ? device_tile_sums_settle(run) : KATA_OK;
    if (!status) status = device_run_here(run->context, tile, run->m);
    return status || !run->later ? status : device_tile_sums_combine(device_of(run));
}

/* Fields that have no rings now may have had some in the section before. */
static kata_status run_tile(const stream_run *run, chain *tile)
{
    struct exec_device *d = device_of(run);
    const device_loop first = {run->context, d, &tile->loops[0], run->m, NULL};
    if (d->spare_count && !device_spare_settle(d, false)) return device_failed(&first, "failed in");
    if (run->open) return run_in_rings(run, tile);
    kata_status status = device_tile_sums_settle(run);
    if (status) return status;
    return device_is_glued(tile) ? device_run_unglued(run->context, tile, false, run->m)
                                 : device_run_whole(run->context, tile, run->m);
}

/* Of a loop that does not fit: an error where it is for its planes; otherwise it runs on the CPU.
 */
static kata_status run_wide(exec_streams *s, chain *c, messages *m)
{
    const struct exec_device *d = s->context->device;
    analysis_chain a;
    const int64_t needed = analysis_chain_make(c, &a) ? stream_least(s, &a) : 0;
    analysis_chain_free(&a);
    if (needed <= left(s, NULL)) return device_run_whole(s->context, c, m);
    message_begin(m, KATA_ERROR_MEMORY,
                  "the device '%s' has too little memory for kernel '%s': even one plane at a time "
                  "needs more than the %.1f kB that are left of the limit",
                  device_facts_of(d->device)->name, c->loops[0].kernel->name,
                  (double)larger(left(s, NULL), 0) / 1e3);
    message_line(m, "raise KATA_DEVICE_MEMORY, use narrower planes or types, or run on the CPU: "
                    "unset KATA_DEVICE");
    return message_send(m);
}

/* Runs both halves of a chain of which some loop needs too much. */
static kata_status run_halves(exec_streams *s, const chain *c, messages *m)
{
    exec_local half;
    kata_status status = KATA_OK;
    const size_t middle = c->count / 2;
    for (size_t from = 0; from < c->count && !status; from = from ? c->count : middle) {
        exec_local_begin(&half, c);
        for (size_t i = from; i < (from ? c->count : middle) && !status; i++)
            if (!exec_local_add(&half, &c->loops[i], (int)i, &c->loops[i].box, 0) ||
                !exec_local_bound(&half))
                status = message_no_memory(m);
        if (!status) status = device_run_part(s->context, &half.chain, true, m);
        exec_local_free(&half);
    }
    device_stream_again(c);
    return status;
}

/* A chain that is not streamed. */
static kata_status run_otherwise(exec_streams *s, chain *c, bool full, messages *m)
{
    kata_status status = device_is_glued(c) ? device_run_unglued(s->context, c, true, m)
                         : !full            ? device_run_whole(s->context, c, m)
                         : c->count == 1    ? run_wide(s, c, m)
                                            : run_halves(s, c, m);
    for (size_t i = 0; i < c->slot_count && !status; i++)
        if (c->slots[i]->far && !leave(c->slots[i])) status = message_no_memory(m);
    return status;
}

const stream_memory device_stream = {
    .left = left,
    .suits = device_suits,
    .study = device_study,
    .bytes = device_ring_bytes,
    .beside = beside,
    .send_away = send_away,
    .begin = begin,
    .end = end,
    .open = open_ring,
    .close = close_ring,
    .show = show,
    .move = move,
    .wait = await,
    .begin_section = device_tile_sums_begin,
    .leave_section = device_tile_sums_leave,
    .settle = device_tile_sums_settle,
    .run = run_tile,
    .run_whole = run_otherwise,
    .fair = 8,
    .depth = 2 * STREAM_DEPTH, /* a bus is some eighty times as slow as the device's memory */
    .ahead = true,
    .not_so = "on whole fields, or on the CPU",
    .no_periods = "the planes that it needs at once, around a periodic side, are more than the "
                  "field or the device's memory has",
    .no_room = DEVICE_NO_ROOM};
