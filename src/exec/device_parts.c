/* Chains whose fields do not fit the memory of a device, in parts that run alike: by planes of
 * their fields (device_stream.c), on whole fields where those of the part fit, or on the CPU. */
#include "exec/device_rings.h"
#include "exec/device_tune.h"

#include <stdlib.h>
#include <string.h>

kata_status device_run_here(exec_context *context, const chain *c, messages *m)
{
    const device_loop first = {context, context->device, &c->loops[0], m, NULL};
    kata_status status = device_run_loops(context, c, m);
    return status ? status : device_settle(&first);
}

kata_status device_run_whole(exec_context *context, chain *c, messages *m)
{
    struct exec_device *d = context->device;
    if (device_bytes_of(d, c) <= d->limit) return device_run_here(context, c, m);
    for (size_t i = 0; i < c->count; i++)
        device_note_reason(d, &c->loops[i],
                           "its fields do not fit the device, and are not streamed");
    return device_run_on_host(context, c, m);
}

/* Before a chain is streamed: memory of the device is for it alone. */
static kata_status clear_device(exec_context *context, const chain *c, messages *m)
{
    struct exec_device *d = context->device;
    const device_loop first = {context, d, &c->loops[0], m, NULL};
    if (!device_send_home_all(d)) return device_failed(&first, "gave no values of a field of");
    d->taken = device_used(d->device) - device_spare_bytes(d);
    return KATA_OK;
}

kata_status device_run_part(exec_context *context, chain *c, bool streams, messages *m)
{
    struct exec_device *d = context->device;
    bool some = false;
    if (device_bytes_of(d, c) <= d->limit) return device_run_here(context, c, m);
    if (!streams) return device_run_whole(context, c, m);
    kata_status status = clear_device(context, c, m);
    for (size_t i = 0; i < c->slot_count; i++) {
        c->slots[i]->far = d->streams.memory->suits(c->slots[i]);
        some = some || c->slots[i]->far;
    }
    if (!status) status = some ? stream_chain(&d->streams, c, m) : device_run_whole(context, c, m);
    for (size_t i = 0; i < c->slot_count; i++) store_slot_place(c->slots[i]);
    return status;
}

/* The same of a part of the program's chain: loops that take turns run at once on tiles. */
static kata_status run_by_planes(exec_context *context, chain *c, messages *m)
{
    exec_local glued;
    if (device_bytes_of(context->device, c) <= context->device->limit)
        return device_run_here(context, c, m);
    exec_local_begin(&glued, c);
    kata_status status = device_glue(context, c, &glued, m);
    const bool fewer = glued.chain.count < c->count;
    if (!status) status = device_run_part(context, fewer ? &glued.chain : c, true, m);
    exec_local_free(&glued);
    for (size_t i = 0; i < c->slot_count; i++) c->slots[i]->number = (int)i;
    return status;
}

/* ---- parts of a chain ------------------------------------------------------------------------ */

/* Where loops run: on the device, by planes if they must; there, but not by planes; on the CPU. */
typedef enum place { BY_PLANES, AS_A_WHOLE, ON_CPU } place;

/* Loops that are to run together. */
typedef struct part {
    exec_context *context;
    exec_local local;
    place place;
    grid_box *inside; /* by slot of the whole chain: what is a field's own by its rules */
    messages *m;
} part;

static bool sums_into_field(const chain_loop *loop)
{
    bool some = false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        some = some || ir_param_is_column_reduction(&loop->kernel->params[p]);
    return some;
}

/* A check finds its first failure where all points run in one order; sums into fields are over all
 * points; a copy moves what rules hide; ranks have parts of fields. */
static place place_of(const exec_context *context, const device_ready *ready,
                      const chain_loop *loop)
{
    const bool whole =
        context->ranks || loop->copy || loop->kernel->check_count || sums_into_field(loop);
    return ready->why ? ON_CPU : whole ? AS_A_WHOLE : BY_PLANES;
}

static bool has_field(const chain_loop *loop, int p)
{
    return ir_param_is_field(&loop->kernel->params[p]) && !loop->bindings[p].slot->is_scalar;
}

/* Whether a field of the part has other indices of its own by this loop. */
static bool has_other_rules(const part *p, const chain_loop *loop)
{
    const chain *c = &p->local.chain;
    for (int i = 0; i < loop->kernel->param_count; i++) {
        if (!has_field(loop, i)) continue;
        const chain_slot *slot = loop->bindings[i].slot;
        const size_t at = (size_t)slot->number;
        const grid_box own = chain_binding_inside(&loop->bindings[i]);
        const bool there = at < c->slot_count && c->slots[at] == slot;
        if (there && memcmp(&p->inside[at], &own, sizeof own) != 0) return true;
    }
    return false;
}

static kata_status add(part *p, const chain_loop *loop, int number)
{
    if (!exec_local_add(&p->local, loop, number, &loop->box, loop->parted) ||
        !exec_local_bound(&p->local))
        return message_no_memory(p->m);
    for (int i = 0; i < loop->kernel->param_count; i++)
        if (has_field(loop, i))
            p->inside[loop->bindings[i].slot->number] = chain_binding_inside(&loop->bindings[i]);
    return KATA_OK;
}

static kata_status end_part(part *p, const chain *whole)
{
    chain *c = &p->local.chain;
    if (!c->count) return KATA_OK;
    kata_status status = p->place == ON_CPU      ? device_run_on_host(p->context, c, p->m)
                         : p->place == BY_PLANES ? run_by_planes(p->context, c, p->m)
                                                 : device_run_part(p->context, c, false, p->m);
    device_note_failure(p->context, &p->local, whole);
    exec_local_clear(&p->local);
    return status;
}

/* Loops on scalars run with those before them. */
static kata_status run_parts(part *p, const chain *c)
{
    struct exec_device *d = p->context->device;
    kata_status status = KATA_OK;
    for (size_t i = 0; i < c->count && !status; i++) {
        const chain_loop *loop = &c->loops[i];
        const device_ready *ready = device_ready_of(d, loop);
        if (!ready) return message_no_memory(p->m);
        const place place = loop->once ? p->place : place_of(p->context, ready, loop);
        if (place != p->place || has_other_rules(p, loop)) status = end_part(p, c);
        p->place = place;
        if (place == ON_CPU && !loop->once) device_note_reason(d, loop, ready->why);
        if (!status) status = add(p, loop, (int)i);
    }
    return status ? status : end_part(p, c);
}

kata_status device_run_larger(exec_context *context, chain *c, messages *m)
{
    part p = {.context = context, .m = m};
    kata_status status = sweep_make_arrays(c, m);
    if (status) return status;
    exec_local_begin(&p.local, c);
    p.inside = calloc(c->slot_count + 1, sizeof *p.inside);
    status = p.inside ? run_parts(&p, c) : message_no_memory(m);
    free(p.inside);
    exec_local_free(&p.local);
    for (size_t i = 0; i < c->slot_count; i++) c->slots[i]->number = (int)i;
    return status;
}
