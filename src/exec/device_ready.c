/* Which loops a device can run, and what is known of each, remembered for loops that are alike. */
#include "exec/on_device.h"

#include "analysis/analysis.h"

#include <string.h>

/* ---- which loops ----------------------------------------------------------------------------- */

/* Children of a point are written by several stores, of which not all need be there. */
static bool scatters_children(const chain_loop *loop)
{
    static const uint64_t no_wraps[3] = {0};
    bool some = false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        some = some || (ir_param_is_written_field(&loop->kernel->params[p]) &&
                        ir_param_has_ratio(&loop->kernel->params[p]) &&
                        device_writes_outside(loop, p, no_wraps));
    return some;
}

/* Whether a loop reduces into a field that it reads. */
static bool reduces_into_read(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    bool some = false;
    for (int p = 0; p < kernel->param_count; p++)
        for (int q = 0; q < kernel->param_count && ir_param_is_column_reduction(&kernel->params[p]);
             q++)
            some = some || (p != q && loop->bindings[p].slot == loop->bindings[q].slot);
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

/* Whether what a loop touches around a field takes much of the memory that is used, and is far
 * larger than the field. */
static bool reaches_far(const struct exec_device *d, const chain_loop *loop)
{
    enum { TIMES = 8, PART = 16 };
    bool some = false;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        grid_box touched;
        if (!device_touched_first(loop, p, &touched)) continue;
        const chain_slot *slot = loop->bindings[p].slot;
        const grid_box own = store_device_memory(slot);
        const int64_t bytes = store_device_bytes(slot, &touched);
        some = some || (bytes > d->limit / PART && bytes / TIMES > store_device_bytes(slot, &own));
    }
    return some;
}

/* Tables of the kernel's text are constant memory in OpenCL. */
static const char *has_large_tables(const struct exec_device *d, const ir_kernel *kernel)
{
    enum { MOST = 64 << 10 /* that every device has */ };
    int64_t bytes = 0;
    for (int t = 0; t < kernel->table_count; t++)
        bytes += (int64_t)kernel->tables[t].length * ir_types[kernel->tables[t].type].bytes;
    return d->language == CODEGEN_OPENCL && bytes > MOST
               ? "its constant tables take more than 64 KB"
               : NULL;
}

enum { MOST_PARAMS = 60 };

/* Why a loop cannot run on the device; NULL: it can. */
static const char *refuses(const struct exec_device *d, const chain_loop *loop)
{
    const codegen_loop as = {.kernel = loop->kernel, .apart = device_is_apart(loop)};
    if (loop->once) return "it runs on scalars";
    if (loop->kernel->param_count > MOST_PARAMS) return "it has more than 60 parameters";
    if (loop->copy || loop->sparse) return NULL;
    const char *why = codegen_device_refuses(&as);
    if (!why) why = has_large_tables(d, loop->kernel);
    if (why) return why;
    if (loop->kernel->check_count && reduces_into_read(loop))
        return "it reduces into a field that it reads and checks";
    if (scatters_children(loop)) return "it writes beyond the points of a finer field";
    if (has_two_rules(loop)) return "it is given one field with two boundary rules";
    if (grid_box_is_empty(&loop->box)) return NULL;
    if (reaches_far(d, loop)) return "what it reads around a field is far larger than the field";
    return cannot_fill(loop);
}

/* ---- what is remembered ---------------------------------------------------------------------- */

static bool reduces(const ir_kernel *kernel)
{
    bool some = false;
    for (int p = 0; p < kernel->param_count; p++)
        some = some || ir_param_is_reduction(&kernel->params[p]);
    return some;
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

/* Whether some store writes parts of rows that wrap: then it is not said which, beyond other sides.
 */
static bool writes_parts(const chain_loop *loop, int p)
{
    const ir_kernel *kernel = loop->kernel;
    int64_t n = loop->shape.size[0];
    bool parts = false;
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        int64_t lo = loop->box.lo[0] + s->offset[0], hi = loop->box.hi[0] + s->offset[0];
        parts = parts || (s->param == p && (lo < 0 || hi > n) && hi - lo < n);
    }
    return parts;
}

/* Whether what a loop reads and writes beyond the ends of rows is their other end. */
static bool row_wraps(const chain_loop *loop, int p)
{
    enum { VECTOR = 4 };
    const chain_slot *slot = loop->bindings[p].slot;
    int64_t n = loop->shape.size[0];
    grid_box touched = device_touched(loop, p);
    return grid_boundary_is_periodic(loop->bindings[p].boundary, 0) && !slot->staggered[0] &&
           !slot->absent_axis[0] && !slot->ghosts[0] && slot->shape.size[0] == n &&
           n % VECTOR == 0 && loop->box.lo[0] >= 0 && loop->box.hi[0] <= n && touched.lo[0] >= -n &&
           touched.hi[0] <= 2 * n && !writes_parts(loop, p);
}

static bool is_written_beside(const chain_loop *loop, int p, int d)
{
    const ir_kernel *kernel = loop->kernel;
    bool beside = false;
    for (int i = 0; i < kernel->store_count; i++)
        beside = beside || (kernel->stores[i].param == p && kernel->stores[i].offset[d]);
    return beside;
}

/* The same of dimension d; of rows, and planes, where only reads find it. */
static bool side_wraps(const chain_loop *loop, int p, int d)
{
    if (d == 0) return row_wraps(loop, p);
    const chain_slot *slot = loop->bindings[p].slot;
    const ir_param *param = &loop->kernel->params[p];
    const int64_t n = loop->shape.size[d];
    const grid_box touched = device_touched(loop, p);
    return grid_boundary_is_periodic(loop->bindings[p].boundary, d) && !slot->staggered[d] &&
           !slot->absent_axis[d] && !slot->ghosts[d] && !ir_param_has_ratio(param) &&
           slot->shape.size[d] == n && loop->box.lo[d] >= 0 && loop->box.hi[d] <= n &&
           touched.lo[d] >= -n && touched.hi[d] <= 2 * n && !is_written_beside(loop, p, d);
}

/* Finds the fields that wrap along a dimension, in all parameters that are given them. */
static uint64_t find_wraps(const chain_loop *loop, int d)
{
    const ir_kernel *kernel = loop->kernel;
    uint64_t found = 0;
    for (int p = 0; p < kernel->param_count; p++) {
        bool all = ir_param_is_field(&kernel->params[p]);
        for (int q = 0; q < kernel->param_count && all; q++)
            if (loop->bindings[q].slot == loop->bindings[p].slot) all = side_wraps(loop, q, d);
        if (all) found |= (uint64_t)1 << p;
    }
    return found;
}

/* Filling rows and planes takes a kernel, which takes as long to start as a small loop takes to
 * run. Fields in rings, and of several ranks, have only some of their planes. */
static bool wraps_sides(const struct exec_device *d, const chain_loop *loop, const codegen_loop *as)
{
    enum { MOST = HOSTILE(1 << 24, 200) };
    bool may = !loop->at_once && !rings_of(loop) && !d->streams.context->ranks &&
               !as->kernel->direction && !as->kernel->level_read_count && !codegen_may_tile(as);
    return may && grid_box_points(&loop->box) <= MOST;
}

static void find_all_wraps(struct exec_device *d, const chain_loop *loop, uint64_t wraps[3])
{
    const codegen_loop as = {
        .kernel = loop->kernel, .colored = loop->colors > 1, .apart = device_is_apart(loop)};
    if (loop->copy || loop->sparse || !codegen_reads_rows(&as)) return; /* they know of no wraps */
    const int dimensions = wraps_sides(d, loop, &as) ? 3 : 1;
    for (int k = 0; k < dimensions; k++) wraps[k] = find_wraps(loop, k);
}

/* False when memory is out. */
static bool find_parts(struct exec_device *d, device_ready *r, const chain_loop *loop, int p)
{
    size_t components = (size_t)loop->bindings[p].slot->components;
    r->parts[p] = arena_array(&d->memory, components, sizeof **r->parts);
    if (!r->parts[p]) return false;
    device_touched_parts(loop, p, r->parts[p]);
    for (size_t c = 0; c < components; c++)
        r->parts[p][c] = device_wrapped(loop, p, &r->parts[p][c], r->wraps);
    r->parts_key[p] = device_parts_key(r->parts[p], (int)components);
    return true;
}

/* Whether a loop reads fields that it writes: then it cannot run again once it has written them. */
static bool reads_written(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    bool reads = !device_is_apart(loop);
    for (int p = 0; p < kernel->param_count; p++)
        reads = reads || kernel->params[p].kind == IR_PARAM_INOUT;
    for (int i = 0; i < kernel->access_count; i++)
        reads = reads || ir_param_is_written_field(&kernel->params[kernel->accesses[i].param]);
    return reads;
}

static device_ready *make(struct exec_device *d, const chain_loop *loop, uint64_t key)
{
    size_t params = (size_t)loop->kernel->param_count;
    device_ready *r = arena_alloc(&d->memory, sizeof *r);
    grid_box *touched = arena_array(&d->memory, params + 1, sizeof *touched);
    grid_box **parts = arena_array(&d->memory, params + 1, sizeof *parts);
    uint64_t *keys = arena_array(&d->memory, params + 1, sizeof *keys);
    if (!r || !touched || !parts || !keys) return NULL;
    *r = (device_ready){.key = key, .touched = touched, .parts = parts, .parts_key = keys};
    memcpy(r->kernel_hash, loop->kernel->hash, sizeof r->kernel_hash);
    r->why = refuses(d, loop);
    if (!r->why && !grid_box_is_empty(&loop->box)) find_all_wraps(d, loop, r->wraps);
    r->by_level = loop->kernel->direction && !analysis_has_columns(loop);
    r->bricks = codegen_device_reduces(&(codegen_loop){.kernel = loop->kernel});
    r->collects = codegen_device_collects(loop->kernel);
    r->reduces = reduces(loop->kernel);
    r->twice = loop->kernel->check_count && reads_written(loop);
    for (size_t p = 0; p < params && !r->why; p++) {
        if (device_touched_first(loop, (int)p, &touched[p])) {
            r->firsts |= (uint64_t)1 << p;
            touched[p] = device_wrapped(loop, (int)p, &touched[p], r->wraps);
            if (!find_parts(d, r, loop, (int)p)) return NULL;
        }
        if (!loop->copy && ir_param_is_written_field(&loop->kernel->params[p]) &&
            device_writes_outside(loop, (int)p, r->wraps))
            r->outside |= (uint64_t)1 << p;
    }
    r->next = d->ready[key % DEVICE_BUCKETS];
    d->ready[key % DEVICE_BUCKETS] = r;
    return r;
}

/* On several ranks also which indices this one has of fields: their parts may grow. */
static uint64_t hash_memory(const chain_loop *loop, uint64_t hash)
{
    for (int p = 0; p < loop->kernel->param_count; p++) {
        if (!ir_param_is_field(&loop->kernel->params[p])) continue;
        const grid_box memory = store_device_memory(loop->bindings[p].slot);
        hash = hash_bytes(&memory, sizeof memory, hash);
    }
    return hash;
}

device_ready *device_ready_of(struct exec_device *d, const chain_loop *loop)
{
    const uint64_t rings = rings_of(loop);
    uint64_t key = loop->hash ^ hash_bytes(&rings, sizeof rings, 0);
    if (d->streams.context->ranks) key = hash_memory(loop, key);
    for (device_ready *r = d->ready[key % DEVICE_BUCKETS]; r; r = r->next)
        if (r->key == key && !memcmp(r->kernel_hash, loop->kernel->hash, sizeof r->kernel_hash))
            return r;
    return make(d, loop, key);
}
