/* The shapes in which a loop may run on a device. Loops of few points are left alone: what starts
 * them takes longer than what they compute. So are large kernels, which take long to compile. */
#include "exec/device_tune.h"

#include <string.h>

enum { LEAST_POINTS = HOSTILE(1 << 17, 1), MOST_NODES = 4000 }; /* of loops that are tuned */

void device_tune_points(const chain_loop *loop, int64_t points[3])
{
    for (int d = 0; d < 3; d++) points[d] = loop->box.hi[d] - loop->box.lo[d];
}

static bool is_far(const device_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    size_t bytes = sizeof(abi_launch) + sizeof(void *);
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        if (kernel->direction) bytes += sizeof(abi_levels);
        if (ir_param_is_field(param))
            bytes += sizeof(abi_place) + sizeof(void *);
        else if (ir_param_is_reduction(param))
            bytes += (size_t)param->count * sizeof(void *);
        else
            bytes += (size_t)param->count * sizeof(ir_value);
    }
    return (int64_t)bytes > device_facts_of(l->d->device)->arguments;
}

/* Equal of boxes of similar size. */
static uint64_t key_of(const char *name, const codegen_loop *as, bool wide, const int64_t points[3])
{
    int64_t size[5] = {0, 0, 0, as->apart, wide};
    for (int d = 0; d < 3; d++)
        while (((int64_t)1 << size[d]) < points[d]) size[d]++;
    return hash_bytes(size, sizeof size, hash_bytes(name, strlen(name), 0));
}

bool device_is_asked(const device_asked *a)
{
    return a->x || a->y || a->z || a->vector || a->chunk || a->along || a->steps || a->rows;
}

int device_choose_depth(int64_t planes, int64_t columns, int64_t at_once, int before)
{
    enum { MOST_CHUNKS = 32, FEWEST = HOSTILE(16, 3) };
    int64_t least = INT64_MAX, best = 1;
    for (int chunks = 1; chunks <= MOST_CHUNKS; chunks++) {
        const int64_t depth = -floor_divide(-planes, chunks);
        const int64_t turns = -floor_divide(-columns * chunks, at_once);
        if (turns * (depth + before) >= least || (depth < FEWEST && chunks > 1)) continue;
        least = turns * (depth + before);
        best = depth;
    }
    return (int)best;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static void choose_depth(const device_loop *l, const codegen_loop *as, const int64_t points[3],
                         codegen_shape *s)
{
    const device_facts *facts = device_facts_of(l->d->device);
    const int64_t at_once = (int64_t)facts->units * codegen_tile_groups(as, s, facts->local);
    int64_t columns = 1;
    for (int d = 0; d < 2; d++) columns *= -floor_divide(-points[d], codegen_group_points(s, d));
    s->depth = device_choose_depth(points[2], columns, at_once, codegen_tile_before(as, s));
}

/* Adds shapes with tiles, of which a box fills one at least. */
static void add_tiles(const device_loop *l, const codegen_loop *as, struct device_tune *t,
                      codegen_shape *shapes)
{
    const int64_t local = device_facts_of(l->d->device)->local;
    const int count = codegen_list_tiles(as, t->wide, local, shapes + t->count);
    const int first = t->count;
    for (int i = first; i < first + count; i++) {
        const codegen_shape *s = &shapes[i];
        if (!HOSTILE(false, true) && (codegen_group_points(s, 0) > t->points[0] ||
                                      codegen_group_points(s, 1) > t->points[1]))
            continue;
        shapes[t->count++] = *s;
    }
}

/* The shape that KATA_DEVICE_SHAPE asks for, if that has tiles and the loop may have some. */
static void ask_tile(const device_loop *l, const codegen_loop *as, codegen_shape *shape)
{
    const device_asked *a = &l->d->asked;
    const int threads[2] = {a->x ? (int)a->x : 16, a->y ? (int)a->y : 8};
    codegen_shape tile = *shape;
    if (!a->rows || a->steps ||
        !codegen_change_tile(as, &tile, threads, a->vector ? (int)a->vector : 4, (int)a->rows))
        return;
    if ((int64_t)codegen_tile_local(as, &tile) > device_facts_of(l->d->device)->local) return;
    tile.depth = (int)a->chunk;
    *shape = tile;
}

static void list_ways(const device_loop *l, const codegen_loop *as, struct device_tune *t)
{
    codegen_shape shapes[DEVICE_MOST_WAYS];
    t->count = codegen_list_shapes(as, t->wide, t->points, shapes);
    add_tiles(l, as, t, shapes);
    if (device_is_asked(&l->d->asked)) {
        t->count = 1;
        shapes[0] = device_shape_of(l, as, t->wide);
        ask_tile(l, as, &shapes[0]);
    }
    for (int i = 0; i < t->count; i++) {
        shapes[i].far = is_far(l);
        if (shapes[i].tall && !shapes[i].depth) choose_depth(l, as, t->points, &shapes[i]);
        t->ways[i] = (device_way){.shape = shapes[i], .local = codegen_tile_local(as, &shapes[i])};
    }
    bool few = grid_box_points(&l->loop->box) < LEAST_POINTS && !l->context->tune;
    if (few || t->count == 1 || as->kernel->graph.count > MOST_NODES) t->phase = DEVICE_SETTLED;
}

struct device_tune *device_tune_of(const device_loop *l, const codegen_loop *as, bool wide)
{
    char name[64];
    int64_t points[3];
    codegen_name(as, name);
    device_tune_points(l->loop, points);
    uint64_t key = key_of(name, as, wide, points);
    struct device_tune *t = l->d->tunes;
    while (t && t->key != key) t = t->next;
    l->ready->tune = t;
    if (t || !(t = arena_alloc(&l->d->memory, sizeof *t))) return t;
    *t = (struct device_tune){.key = key, .wide = wide, .apart = as->apart, .next = l->d->tunes};
    memcpy(t->name, name, sizeof t->name);
    memcpy(t->points, points, sizeof t->points);
    snprintf(t->kernel, sizeof t->kernel, "%s", as->kernel->name);
    list_ways(l, as, t);
    if (t->phase != DEVICE_SETTLED && l->context->remember) device_shapes_recall(l, t);
    return l->d->tunes = l->ready->tune = t;
}
