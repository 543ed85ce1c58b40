/* Which loops a device can run, and what is known of each, remembered for loops that are alike. */
#include "exec/on_device.h"

#include "analysis/analysis.h"

#include <string.h>

/* ---- which loops ----------------------------------------------------------------------------- */

/* Children of a point are written by several stores, of which not all need be there. */
static bool scatters_children(const chain_loop *loop)
{
    bool some = false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        some = some ||
               (ir_param_is_written_field(&loop->kernel->params[p]) &&
                ir_param_has_ratio(&loop->kernel->params[p]) && device_writes_outside(loop, p));
    return some;
}

/* Whether two parameters are given one field by different rules. */
static bool has_two_rules(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    for (int p = 0; p < kernel->param_count; p++)
        for (int q = 0; q < p; q++) {
            const chain_binding *a = &loop->bindings[p], *b = &loop->bindings[q];
            if (ir_param_is_field(&kernel->params[p]) && ir_param_is_field(&kernel->params[q]) &&
                a->slot == b->slot && !grid_boundary_equal(a->boundary, b->boundary))
                return true;
        }
    return false;
}

static const char *cannot_fill(const chain_loop *loop)
{
    for (int p = 0; p < loop->kernel->param_count; p++) {
        if (!ir_param_is_field(&loop->kernel->params[p])) continue;
        grid_box touched = device_touched(loop, p);
        const char *why = device_cannot_fill(&loop->bindings[p], &touched);
        if (why) return why;
    }
    return NULL;
}

enum { MOST_PARAMS = 60 };

/* Why a loop cannot run on the device; NULL: it can. */
static const char *refuses(const chain_loop *loop)
{
    const codegen_loop as = {.kernel = loop->kernel};
    if (loop->once) return "it runs on scalars";
    if (loop->kernel->param_count > MOST_PARAMS) return "it has more than 60 parameters";
    if (loop->copy) return "it copies between fields";
    const char *why = codegen_device_refuses(&as);
    if (why) return why;
    if (loop->kernel->direction && !analysis_has_columns(loop))
        return "its levels run in order, and need other columns";
    if (scatters_children(loop)) return "it writes beyond the points of a finer field";
    if (has_two_rules(loop)) return "it is given one field with two boundary rules";
    return grid_box_is_empty(&loop->box) ? NULL : cannot_fill(loop);
}

/* ---- what is remembered ---------------------------------------------------------------------- */

static bool reduces(const ir_kernel *kernel)
{
    bool some = false;
    for (int p = 0; p < kernel->param_count; p++)
        some = some || ir_param_is_reduction(&kernel->params[p]);
    return some;
}

static device_ready *make(struct exec_device *d, const chain_loop *loop, uint64_t key)
{
    size_t params = (size_t)loop->kernel->param_count;
    device_ready *r = arena_alloc(&d->memory, sizeof *r);
    grid_box *touched = arena_array(&d->memory, params + 1, sizeof *touched);
    if (!r || !touched) return NULL;
    *r = (device_ready){.key = key, .touched = touched, .next = d->ready[key % DEVICE_BUCKETS]};
    memcpy(r->kernel_hash, loop->kernel->hash, sizeof r->kernel_hash);
    r->why = refuses(loop);
    r->reduces = reduces(loop->kernel);
    for (size_t p = 0; p < params && !r->why; p++) {
        if (device_touched_first(loop, (int)p, &touched[p])) r->firsts |= (uint64_t)1 << p;
        if (ir_param_is_written_field(&loop->kernel->params[p]) &&
            device_writes_outside(loop, (int)p))
            r->outside |= (uint64_t)1 << p;
    }
    d->ready[key % DEVICE_BUCKETS] = r;
    return r;
}

/* Bit p: parameter p has a ring, of which less is filled than of a whole field. */
static uint64_t rings_of(const chain_loop *loop)
{
    uint64_t rings = 0;
    for (int p = 0; p < loop->kernel->param_count && p < MOST_PARAMS; p++) {
        const chain_slot *slot = loop->bindings[p].slot;
        if (slot && slot->on_device && slot->on_device->ring) rings |= (uint64_t)1 << p;
    }
    return rings;
}

device_ready *device_ready_of(struct exec_device *d, const chain_loop *loop)
{
    const uint64_t rings = rings_of(loop);
    uint64_t key = loop->hash ^ hash_bytes(&rings, sizeof rings, 0);
    for (device_ready *r = d->ready[key % DEVICE_BUCKETS]; r; r = r->next)
        if (r->key == key && !memcmp(r->kernel_hash, loop->kernel->hash, sizeof r->kernel_hash))
            return r;
    return make(d, loop, key);
}
