/* Memory of a device: how much is taken, and copies between it and this machine's. */
#include "device/device_private.h"

#include <stdlib.h>

/* ---- allocation ------------------------------------------------------------------------------ */

/* Whether the limits leave room, of the program and of the device. */
static bool has_room(device *d, size_t bytes)
{
    int64_t most = d->limit > 0 ? smaller(d->limit, d->facts.memory) : d->facts.memory;
    if (bytes > (size_t)d->facts.largest)
        return device_fail(d, DEVICE_FULL,
                           "out of memory: %zu bytes in one piece; the device gives at most %lld",
                           bytes, (long long)d->facts.largest);
    if ((int64_t)bytes > most - d->used)
        return device_fail(d, DEVICE_FULL, "out of memory: %zu bytes beside %lld; the %s is %lld",
                           bytes, (long long)d->used,
                           most == d->limit ? "limit" : "device's memory", (long long)most);
    return true;
}

/* Memory of `all` bytes in rings, or in none. */
static device_memory *allocate(device *d, size_t all, size_t turn, int rings)
{
    if (d->lost || !has_room(d, all)) return NULL;
    device_memory *memory = calloc(1, sizeof *memory);
    if (!memory) {
        device_fail(d, DEVICE_FULL, "out of memory");
        return NULL;
    }
    *memory = (device_memory){.bytes = rings ? 2 * all : all, .turn = turn, .taken = all};
    if (!(rings ? d->calls->allocate_rings(d, memory, rings)
                : d->calls->allocate(d, memory, all ? all : 1))) {
        free(memory);
        return NULL;
    }
    const size_t piece = HOSTILE(0, turn ? turn : memory->bytes);
    for (size_t at = 0; piece && at < memory->bytes; at += piece)
        device_set(d, memory, at, HOSTILE_JUNK, piece);
    if (piece) device_wait(d, DEVICE_WORK); /* as what comes next may be of another queue */
    d->used += (int64_t)all;
    d->peak = larger(d->peak, d->used);
    return memory;
}

device_memory *device_allocate_here(device *d, size_t bytes, void **host)
{
    if (d->lost || !d->calls->allocate_here) return NULL;
    device_memory *memory = calloc(1, sizeof *memory);
    if (memory) memory->bytes = bytes;
    if (!memory || !d->calls->allocate_here(d, memory)) {
        free(memory);
        return NULL;
    }
    *host = memory->host;
    return memory;
}

device_memory *device_allocate(device *d, size_t bytes) { return allocate(d, bytes, 0, 0); }

device_memory *device_allocate_rings(device *d, size_t turn, int rings)
{
    return allocate(d, turn * (size_t)rings, turn, rings);
}

void device_release(device *d, device_memory *memory)
{
    if (!memory) return;
    d->calls->release(d, memory);
    d->used -= (int64_t)memory->taken;
    free(memory);
}

int64_t device_used(const device *d) { return d->used; }
int64_t device_peak(const device *d) { return d->peak; }
void device_limit(device *d, int64_t bytes) { d->limit = bytes; }

void *device_pinned(device *d, size_t bytes)
{
    return d->lost ? NULL : d->calls->pinned(d, bytes ? bytes : 1);
}

void device_release_pinned(device *d, void *memory)
{
    if (memory) d->calls->release_pinned(d, memory);
}

bool device_pin(device *d, void *memory, size_t bytes)
{
    return !d->lost && bytes && d->calls->pin && d->calls->pin(d, memory, bytes);
}

void device_unpin(device *d, void *memory) { d->calls->unpin(d, memory); }

/* ---- queues ---------------------------------------------------------------------------------- */

bool device_order(device *d, int queue, int before)
{
    return !d->lost && (queue == before || d->calls->order(d, queue, before));
}

device_event *device_event_new(device *d) { return d->lost ? NULL : d->calls->event_new(d); }

void device_event_free(device *d, device_event *event)
{
    if (event) d->calls->event_free(d, event);
}

bool device_note(device *d, device_event *event, int queue)
{
    return !d->lost && d->calls->note(d, event, queue);
}

bool device_order_behind(device *d, int queue, const device_event *event)
{
    return !d->lost && d->calls->order_behind(d, queue, (void *)event);
}

bool device_wait(device *d, int queue) { return !d->lost && d->calls->wait(d, queue); }

/* ---- copies ---------------------------------------------------------------------------------- */

/* A copy that would leave the memory is a defect of the caller. */
static bool outside(device *d, const char *what)
{
    return device_fail(d, DEVICE_FAILED, "%s leaves the memory of the device", what);
}

/* A copy stays within one of the pieces that the memory of a ring is mapped to: a driver need not
 * know those that follow one another as one. */
static bool move_part(device *d, const device_move *move)
{
    const size_t turn = move->memory->turn;
    const device_box *b = &move->box;
    const size_t edge = turn ? (b->at / turn + 1) * turn : 0;
    const size_t last = (b->planes - 1) * b->plane_pitch + (b->rows - 1) * b->row_pitch + b->row;
    device_box parts[3];
    size_t host[3];
    if (!turn || b->at + last <= edge) return d->calls->move(d, move);
    bool done = true;
    const int count = device_box_cut(b, edge, parts, host);
    for (int i = 0; i < count && done; i++) {
        device_move part = *move;
        part.box = parts[i];
        part.host += host[i];
        done = move_part(d, &part);
    }
    return done;
}

static bool move_box(device *d, device_move move, const device_box *box)
{
    if (d->lost) return false;
    if (!device_box_fits(box, move.memory->bytes)) return outside(d, "a copy");
    size_t step, host_step, parts = device_box_parts(box, &move.box, &step, &host_step);
    for (size_t i = 0; i < parts; i++) {
        if (!move_part(d, &move)) return false;
        move.box.at += step;
        move.host += host_step;
    }
    return true;
}

bool device_put_later(device *d, int queue, device_memory *to, const void *from,
                      const device_box *box)
{
    return move_box(d, (device_move){.queue = queue, .memory = to, .host = (char *)from}, box);
}

bool device_get_later(device *d, int queue, const device_memory *from, void *to,
                      const device_box *box)
{
    return move_box(d, (device_move){.queue = queue, .out = true, .memory = from, .host = to}, box);
}

/* Copies, and waits. */
static bool move_now(device *d, device_move move, const device_box *box)
{
    move.queue = DEVICE_WORK;
    move.waits = true;
    return move_box(d, move, box) && device_wait(d, DEVICE_WORK);
}

bool device_put(device *d, device_memory *to, const void *from, const device_box *box)
{
    return move_now(d, (device_move){.memory = to, .host = (char *)from}, box);
}

bool device_get(device *d, const device_memory *from, void *to, const device_box *box)
{
    return move_now(d, (device_move){.out = true, .memory = from, .host = to}, box);
}

void *device_address(const device_memory *memory) { return (void *)(uintptr_t)memory->address; }

/* Between two memories of the device. */
static bool move_within(device *d, device_move move, const device_memory *packed, size_t at,
                        const device_box *box)
{
    char *first = device_address(packed);
    if (!first) return false;
    move.queue = DEVICE_WORK;
    move.within = true;
    move.host = first + at;
    return move_box(d, move, box);
}

bool device_unpack(device *d, device_memory *to, const device_memory *packed, size_t at,
                   const device_box *box)
{
    return move_within(d, (device_move){.memory = to}, packed, at, box);
}

bool device_pack(device *d, const device_memory *from, device_memory *packed, size_t at,
                 const device_box *box)
{
    return move_within(d, (device_move){.out = true, .memory = from}, packed, at, box);
}

static bool holds(const device_memory *memory, size_t at, size_t bytes)
{
    return at <= memory->bytes && bytes <= memory->bytes - at;
}

bool device_set(device *d, device_memory *to, size_t at, int value, size_t bytes)
{
    if (d->lost) return false;
    if (!holds(to, at, bytes)) return outside(d, "what is set");
    return !bytes || d->calls->set(d, to, at, value, bytes);
}

bool device_copy(device *d, device_memory *to, size_t to_at, const device_memory *from,
                 size_t from_at, size_t bytes)
{
    if (d->lost) return false;
    if (!holds(to, to_at, bytes) || !holds(from, from_at, bytes)) return outside(d, "a copy");
    return !bytes || d->calls->copy(d, to, to_at, from, from_at, bytes);
}
