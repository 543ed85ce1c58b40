/* Independent tiles with buffers: each thread takes tiles, and walks the plan for them. What the
 * plan has in a buffer lies in a window of the thread (store/window.c), which serves all tiles that
 * the thread runs. A thread has its own loops, prepared once: they find windows where others find
 * the arrays of fields, and only the first element of a window moves.
 *
 * Around fields at home nothing is filled, for other tiles read there, too: tiles at a side read
 * copies. Windows are filled around. */
#include "exec/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS_PER_THREAD = 16 };

/* A leaf that touches a window, and the offsets at which it does. */
typedef struct window_use {
    int window;
    int64_t lo[3], hi[3];
} window_use;

/* What all threads know of a loop in the tiles. */
typedef struct tile_leaf {
    int loop, *windows; /* by parameter: number of the window, or -1 */
    window_use *uses;
    int use_count;
    bool cached, streams; /* see sweep_tile */
} tile_leaf;

/* A loop of a thread. */
typedef struct own_loop {
    chain_loop loop;
    sweep_loop *sweep;
    int64_t moves; /* of its windows, when it was begun */
} own_loop;

typedef struct tiles_run tiles_run;

/* A thread's part. */
typedef struct lane {
    tiles_run *run;
    int thread;
    store_window *windows;
    own_loop *loops;
    plan_place *homes;
    int64_t met, first, end; /* tiles that it has met, and the latest of them that it has taken */
} lane;

struct tiles_run {
    cpu_chain *c;
    const plan *plan;
    int node, first_leaf, leaf_count, buffer_count, lane_count;
    int *buffers;      /* nodes, by the number of the window */
    grid_box *touched; /* by the number of the window */
    tile_leaf *leaves;
    lane *lanes;
    int64_t chunk; /* tiles that are taken at a time */
    _Atomic int64_t next;
    _Atomic bool failed;
    arena memory;
};

/* ---- which loops touch which windows --------------------------------------------------------- */

/* The offsets at which a loop touches what lies in a window. */
static void find_use(tiles_run *r, const analysis_loop *l, const int *inner, int window,
                     tile_leaf *leaf)
{
    window_use *use = &leaf->uses[leaf->use_count];
    bool any = false;
    *use = (window_use){.window = window};
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->scalar || inner[t->slot] != window) continue;
        for (int d = 0; d < 3; d++) {
            use->lo[d] = any ? smaller(use->lo[d], t->lo[d]) : t->lo[d];
            use->hi[d] = any ? larger(use->hi[d], t->hi[d]) : t->hi[d];
        }
        any = true;
    }
    if (!any) return;
    grid_box *touched = &r->touched[window], at = l->loop->box;
    for (int d = 0; d < 3; d++) {
        at.lo[d] += use->lo[d];
        at.hi[d] += use->hi[d];
    }
    if (!grid_box_is_empty(&at))
        *touched = grid_box_is_empty(touched) ? at : grid_box_hull(touched, &at);
    leaf->use_count++;
}

static bool add_leaf(tiles_run *r, const plan_node *n, const int *inner)
{
    const analysis_loop *l = &r->c->a->loops[n->loop];
    tile_leaf *leaf = &r->leaves[n->leaf - r->first_leaf];
    size_t params = (size_t)l->loop->kernel->param_count + 1;
    leaf->loop = n->loop;
    leaf->windows = arena_array(&r->memory, params, sizeof *leaf->windows);
    leaf->uses = arena_array(&r->memory, (size_t)r->buffer_count + 1, sizeof *leaf->uses);
    if (!leaf->windows || !leaf->uses) return false;
    for (int p = 0; p < l->loop->kernel->param_count; p++) {
        bool field = ir_param_is_field(&l->loop->kernel->params[p]);
        leaf->windows[p] = field ? inner[l->loop->bindings[p].slot->number] : -1;
    }
    for (int w = 0; w < r->buffer_count; w++) find_use(r, l, inner, w, leaf);
    return true;
}

/* `inner`: the number of the innermost window of each slot, or -1. */
static bool find_leaves(tiles_run *r, int node, int *inner)
{
    const plan_node *n = &r->plan->nodes[node];
    int before = n->kind == PLAN_BUFFER ? inner[n->slot] : -1;
    bool done = true;
    if (n->kind == PLAN_BUFFER)
        for (int w = 0; w < r->buffer_count; w++)
            if (r->buffers[w] == node) inner[n->slot] = w;
    if (n->kind == PLAN_LOOP) done = add_leaf(r, n, inner);
    for (int child = n->child; child && done; child = r->plan->nodes[child].next)
        done = find_leaves(r, child, inner);
    if (n->kind == PLAN_BUFFER) inner[n->slot] = before;
    return done;
}

static void find_buffers(tiles_run *r, int node)
{
    const plan_node *n = &r->plan->nodes[node];
    if (n->kind == PLAN_BUFFER) r->buffers[r->buffer_count++] = node;
    for (int child = n->child; child; child = r->plan->nodes[child].next) find_buffers(r, child);
}

/* ---- how loops read and write ---------------------------------------------------------------- */

/* Whether a loop of the section before leaf number `end`, or after `first`, touches a slot. */
static bool touches(const tiles_run *r, int first, int end, int slot)
{
    for (int k = first; k < end; k++) {
        const tile_leaf *leaf = &r->leaves[k];
        if (!leaf->windows) continue; /* a move */
        const analysis_loop *l = &r->c->a->loops[leaf->loop];
        for (int i = 0; i < l->touch_count; i++)
            if (!l->touches[i].scalar && l->touches[i].slot == slot) return true;
    }
    return false;
}

/* A loop finds in caches what loops before it have touched, and windows. What it writes at home may
 * go past the caches if no other loop of the tiles touches it. */
static void find_manner(const tiles_run *r, int k)
{
    tile_leaf *leaf = &r->leaves[k];
    const analysis_loop *l = &r->c->a->loops[leaf->loop];
    leaf->cached = leaf->streams = true;
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->scalar) continue;
        bool home = leaf->windows[t->param] < 0;
        bool before = touches(r, 0, k, t->slot), after = touches(r, k + 1, r->leaf_count, t->slot);
        if (home && !t->writes && !before) leaf->cached = false;
        if (t->writes && (!home || before || after)) leaf->streams = false;
    }
}

/* ---- threads' own loops ---------------------------------------------------------------------- */

static bool prepare_loop(lane *own, int k)
{
    const tiles_run *r = own->run;
    const tile_leaf *leaf = &r->leaves[k];
    const chain_loop *like = cpu_loop_of(r->c, leaf->loop);
    struct exec_cpu *cpu = r->c->context->cpu;
    size_t params = (size_t)like->kernel->param_count;
    chain_binding *bindings = arena_array(&own->run->memory, params + 1, sizeof *bindings);
    bool reduces = r->c->a->loops[leaf->loop].reduces;
    sweep_manner manner = {.cut = r->c->schedule->cut[leaf->loop], .copies = true, .lent = reduces};
    if (!bindings) return false;
    memcpy(bindings, like->bindings, params * sizeof *bindings);
    for (size_t p = 0; p < params; p++) {
        if (leaf->windows[p] < 0) continue;
        bindings[p].slot = &own->windows[leaf->windows[p]].slot;
        if (p < 64) manner.own |= UINT64_C(1) << p;
    }
    own->loops[k] = (own_loop){.loop = *like, .moves = -1};
    own->loops[k].loop.bindings = bindings;
    abi_function *run = cpu->functions[r->c->steps[leaf->loop].function].run;
    sweep_loop *sweep = sweep_prepare(cpu->workers, &own->loops[k].loop, run, manner);
    own->loops[k].sweep = sweep;
    if (sweep && reduces) sweep_lend(sweep, r->c->steps[leaf->loop].sweep);
    return sweep;
}

/* Along which dimensions there are tiles in some nodes, one after another. */
static void find_moves(const plan *p, int node, bool moves[3])
{
    for (; node; node = p->nodes[node].next) {
        const plan_node *n = &p->nodes[node];
        if (n->kind == PLAN_TILE) moves[n->dimension] = true;
        find_moves(p, n->child, moves);
    }
}

static bool prepare_lane(tiles_run *r, int thread)
{
    lane *own = &r->lanes[thread];
    *own = (lane){.run = r, .thread = thread};
    own->windows = arena_array(&r->memory, (size_t)r->buffer_count + 1, sizeof *own->windows);
    own->loops = arena_array(&r->memory, (size_t)r->leaf_count + 1, sizeof *own->loops);
    own->homes = arena_array(&r->memory, (size_t)r->c->a->slot_count + 1, sizeof *own->homes);
    if (!own->windows || !own->loops || !own->homes) return false;
    for (int w = 0; w < r->buffer_count; w++) {
        const plan_node *buffer = &r->plan->nodes[r->buffers[w]];
        bool moves[3] = {false, false, false};
        find_moves(r->plan, buffer->child, moves);
        if (!store_window_make(&own->windows[w], r->c->a->slots[buffer->slot], buffer->capacity,
                               moves, &r->touched[w]))
            return false;
    }
    for (int k = 0; k < r->leaf_count; k++)
        if (r->leaves[k].windows && !prepare_loop(own, k)) return false;
    return true;
}

static void end_lane(const tiles_run *r, lane *own)
{
    for (int k = 0; own->loops && k < r->leaf_count; k++) sweep_release(own->loops[k].sweep);
    for (int w = 0; own->windows && w < r->buffer_count; w++) store_window_free(&own->windows[w]);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static bool leaves_out(void *data, const plan_node *node)
{
    lane *own = data;
    int64_t number = own->met++;
    (void)node;
    if (number >= own->end) {
        own->first = atomic_fetch_add(&own->run->next, 1) * own->run->chunk;
        own->end = own->first + own->run->chunk;
    }
    return number < own->first;
}

static bool open_window(void *data, plan_place *place)
{
    lane *own = data;
    int w = 0;
    while (own->run->buffers[w] != (int)(place->buffer - own->run->plan->nodes)) w++;
    place->data = &own->windows[w];
    store_window_clear(&own->windows[w], own->run->c->context->poison || HOSTILE(false, true));
    return true;
}

static bool run_loop(void *data, const plan_walk *walk, const plan_run *part)
{
    lane *own = data;
    const tiles_run *r = own->run;
    const tile_leaf *leaf = &r->leaves[part->leaf - r->first_leaf];
    own_loop *loop = &own->loops[part->leaf - r->first_leaf];
    int64_t moves = 0;
    (void)walk;
    for (int i = 0; i < leaf->use_count; i++) {
        const window_use *use = &leaf->uses[i];
        grid_box box = part->box;
        for (int d = 0; d < 3; d++) {
            box.lo[d] += use->lo[d];
            box.hi[d] += use->hi[d];
        }
        store_window_show(&own->windows[use->window], &box);
        moves += own->windows[use->window].moves;
    }
    if (loop->moves != moves) sweep_begin(loop->sweep, &loop->loop);
    loop->moves = moves;
    sweep_tile tile = {.core = &part->core, .cached = leaf->cached, .streams = leaf->streams};
    for (int d = 0; d < 3; d++) tile.before[d] = SWEEP_BEFORE_NONE;
    return sweep_run_alone(loop->sweep, &part->box, own->thread, &tile);
}

static store_array *array_of(const lane *own, const plan_place *place, int slot)
{
    store_window *window = place->data;
    return window ? &window->array : own->run->c->a->slots[slot]->array;
}

static bool copy_values(void *data, const plan_walk *walk, const plan_copy *copy)
{
    const lane *own = data;
    store_array *from = array_of(own, copy->from, copy->slot);
    store_array *to = array_of(own, copy->to, copy->slot);
    const grid_box *box = &copy->box;
    (void)walk;
    if (grid_box_is_empty(box)) return true;
    if (copy->from->data) store_window_show(copy->from->data, box);
    if (copy->to->data) store_window_show(copy->to->data, box);
    size_t bytes = (size_t)((box->hi[0] - box->lo[0]) * store_type_bytes(to->type));
    int64_t at[3] = {box->lo[0], 0, 0};
    for (int c = 0; c < to->components; c++)
        for (at[2] = box->lo[2]; at[2] < box->hi[2]; at[2]++)
            for (at[1] = box->lo[1]; at[1] < box->hi[1]; at[1]++)
                memcpy(store_address(to, c, at), store_address(from, c, at), bytes);
    return true;
}

static void run_lane(void *data, int thread)
{
    tiles_run *r = data;
    lane *own = &r->lanes[thread];
    plan_visitor visitor = {.data = own,
                            .run = run_loop,
                            .copy = copy_values,
                            .open = open_window,
                            .leaves_out = leaves_out};
    if (!plan_walk_part(r->plan, r->c->a, r->node, own->homes, &visitor))
        atomic_store(&r->failed, true);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool count_tile(void *data, const plan_node *node)
{
    (void)node;
    ++*(int64_t *)data;
    return true;
}

/* The tiles of all parallel nodes; -1 when memory is out. */
static int64_t count_tiles(const tiles_run *r)
{
    int64_t count = 0;
    plan_visitor visitor = {.data = &count, .leaves_out = count_tile};
    plan_place *homes = calloc((size_t)r->c->a->slot_count + 1, sizeof *homes);
    bool done = homes && plan_walk_part(r->plan, r->c->a, r->node, homes, &visitor);
    free(homes);
    return done ? count : -1;
}

static bool prepare(tiles_run *r)
{
    const plan_node *top = &r->plan->nodes[r->node];
    size_t slots = (size_t)r->c->a->slot_count + 1, nodes = (size_t)r->plan->count;
    int *inner = arena_array(&r->memory, slots, sizeof *inner);
    r->first_leaf = top->leaf;
    r->leaf_count = top->leaf_count;
    r->buffers = arena_array(&r->memory, nodes, sizeof *r->buffers);
    r->leaves = arena_array(&r->memory, (size_t)r->leaf_count + 1, sizeof *r->leaves);
    r->lanes = arena_array(&r->memory, (size_t)r->lane_count, sizeof *r->lanes);
    if (!inner || !r->buffers || !r->leaves || !r->lanes) return false;
    for (size_t s = 0; s < slots; s++) inner[s] = -1;
    find_buffers(r, r->node);
    r->touched = arena_array(&r->memory, (size_t)r->buffer_count + 1, sizeof *r->touched);
    if (!r->touched || !find_leaves(r, r->node, inner)) return false;
    for (int k = 0; k < r->leaf_count; k++)
        if (r->leaves[k].windows) find_manner(r, k);
    for (int k = 0; k < r->leaf_count; k++) {
        const tile_leaf *leaf = &r->leaves[k];
        if (leaf->windows && r->c->a->loops[leaf->loop].reduces && !cpu_begin(r->c, leaf->loop))
            return false;
    }
    for (int t = 0; t < r->lane_count; t++)
        if (!prepare_lane(r, t)) return false;
    return true;
}

/* Notes what each loop took: its share, by points. */
static void note_seconds(const tiles_run *r, double seconds)
{
    int64_t points = 0;
    for (int k = 0; k < r->leaf_count; k++)
        if (r->leaves[k].windows)
            points += grid_box_points(&cpu_loop_of(r->c, r->leaves[k].loop)->box);
    for (int k = 0; k < r->leaf_count && points; k++) {
        int loop = r->leaves[k].loop;
        double own = (double)grid_box_points(&cpu_loop_of(r->c, loop)->box);
        if (r->leaves[k].windows) r->c->steps[loop].seconds += seconds * own / (double)points;
    }
}

bool cpu_run_tiles(cpu_chain *c, const plan *p, int node)
{
    sweep_workers *workers = c->context->cpu->workers;
    double start = observe_meter_now(c->context->meter);
    tiles_run r = {.c = c, .plan = p, .node = node};
    int64_t tiles = count_tiles(&r);
    r.lane_count = (int)larger(smaller(sweep_workers_count(workers), tiles), 1);
    r.chunk = larger(tiles / (CHUNKS_PER_THREAD * r.lane_count), 1);
    bool done = tiles >= 0 && prepare(&r);
    if (done) sweep_workers_run(workers, r.lane_count, run_lane, &r);
    if (done) note_seconds(&r, observe_meter_now(c->context->meter) - start);
    for (int t = 0; r.lanes && t < r.lane_count; t++) end_lane(&r, &r.lanes[t]);
    done = done && !atomic_load(&r.failed);
    arena_free(&r.memory);
    return done || cpu_no_memory(c);
}
