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
    return a->x || a->y || a->z || a->vector || a->chunk || a->along || a->steps;
}

static void list_ways(const device_loop *l, const codegen_loop *as, struct device_tune *t)
{
    codegen_shape shapes[CODEGEN_MOST_SHAPES];
    t->count = codegen_list_shapes(as, t->wide, t->points, shapes);
    if (device_is_asked(&l->d->asked)) {
        t->count = 1;
        shapes[0] = device_shape_of(l, as, t->wide);
    }
    for (int i = 0; i < t->count; i++) {
        shapes[i].far = is_far(l);
        t->ways[i] = (device_way){.shape = shapes[i]};
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
