/* Planes of a field on a device, whose other values are in its array. */
#include "store/device_copy.h"
#include "store/device_turns.h"
#include "store/pin.h"

#include <stdlib.h>

enum {
    PARTS = 4
}; /* planes needed at once are so many times as many as a window has beside them */

/* ---- where planes lie ------------------------------------------------------------------------ */

/* The bytes from a plane to the next, and from an array of them to the next. */
typedef struct pitches {
    size_t plane, array;
    int arrays;
} pitches;

static pitches pitches_of(const store_device_ring *ring)
{
    const abi_place *place = &ring->on.place;
    const size_t bytes = (size_t)store_type_bytes(ring->slot.type);
    return (pitches){.plane = (size_t)(ring->dimension == 2 ? place->z : place->y) * bytes,
                     .array = (size_t)place->component * bytes,
                     .arrays = ring->slot.components};
}

/* Of all that take turns with it, the byte at which a plane begins. */
static int64_t byte_of(const store_device_ring *ring, int64_t plane)
{
    return ring->zero + plane * (int64_t)pitches_of(ring).plane;
}

/* Where a ring begins so that no thread reads before it. */
static void turn_to(store_device_ring *ring, int64_t first)
{
    const int64_t turn = ring->turns->turn, bytes = store_type_bytes(ring->slot.type);
    int64_t at = byte_of(ring, first) % turn;
    if (at < STORE_BEYOND) at += turn;
    ring->on.place.at += (at - STORE_BEYOND) / bytes;
    ring->on.place.component = 2 * turn / bytes;
}

/* Sets the first plane that there is memory for. */
static size_t seat(store_device_ring *ring, int64_t first)
{
    const int d = ring->dimension;
    ring->on.room.lo[d] = first;
    ring->on.room.hi[d] = first + ring->planes;
    const size_t bytes = store_device_lay_out(&ring->on, &ring->slot);
    if (ring->turns) turn_to(ring, first);
    return bytes;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int64_t unit_of(const device *d) { return larger(device_facts_of(d)->turn, 1); }

/* The bytes of each array if its planes take turns; 0: the device has no such memory, or a window
 * is smaller. */
static int64_t turn_of(const device *d, const store_device_ring *ring, int64_t planes)
{
    const int64_t unit = unit_of(d);
    const pitches p = pitches_of(ring);
    if (!device_facts_of(d)->turn) return 0;
    const int64_t least = planes * (int64_t)p.plane + 2 * STORE_BEYOND;
    const int64_t turn = -floor_divide(-least, unit) * unit;
    return turn * p.arrays <= (int64_t)ring->on.bytes ? turn : 0;
}

/* All but the memory, as of a window. Returns the bytes of a turn. */
static int64_t set(store_device_ring *ring, const device *dev, const chain_slot *field,
                   const store_device_span *span)
{
    const int d = store_ring_dimension(field);
    *ring = (store_device_ring){.slot = *field,
                                .dimension = d,
                                .planes = span->planes + span->planes / PARTS,
                                .before = span->before,
                                .behind = span->behind,
                                .period = span->period,
                                .leaves = span->leaves};
    grid_box all = chain_slot_memory(field);
    ring->on.room = grid_box_hull(&all, &span->touched);
    ring->moved = span->inside;
    ring->moved.lo[d] = larger(span->inside.lo[d], span->touched.lo[d]);
    ring->moved.hi[d] = smaller(span->inside.hi[d], span->touched.hi[d]);
    ring->on.ring = true;
    ring->on.filled = -1;
    ring->on.valid = true;
    ring->low = ring->out = ring->high = span->touched.lo[d];
    ring->on.own = ring->on.room;
    ring->on.bytes = seat(ring, ring->low - ring->before);
    return turn_of(dev, ring, span->planes);
}

int64_t store_device_ring_bytes(const device *d, const chain_slot *field,
                                const store_device_span *span, int64_t *turns)
{
    store_device_ring ring;
    *turns = set(&ring, d, field, span) * field->components;
    return *turns ? *turns : (int64_t)ring.on.bytes;
}

/* Goes on behind the planes that were there. What comes from home waits until it has gone there. */
static bool take_turns(store_device_ring *ring, const chain_slot *field, store_turns *t)
{
    const int64_t plane = (int64_t)pitches_of(ring).plane, first = ring->low - ring->before;
    ring->turns = t;
    ring->home = t->field == field && t->plane == plane ? t->zero : STORE_NOWHERE;
    ring->zero = larger(t->given - first * plane, ring->home); /* planes lie behind themselves */
    ring->begun = byte_of(ring, first);
    t->field = field;
    t->zero = ring->zero;
    t->plane = plane;
    ring->planes = (t->turn - 2 * STORE_BEYOND) / plane;
    ring->on.memory = t->memory;
    ring->on.bytes = (size_t)(2 * store_turns_bytes(t));
    seat(ring, first);
    return store_turns_leave(t, false, ring->begun) && store_turns_leave(t, true, ring->begun) &&
           (ring->home != STORE_NOWHERE || device_order(t->device, DEVICE_IN, DEVICE_OUT));
}

bool store_device_ring_make(store_device_ring *ring, device *d, const chain_slot *field,
                            const store_device_span *span, int64_t most, store_turns **turns)
{
    const int64_t turn = set(ring, d, field, span);
    ring->on.device = d;
    ring->slot.on_device = &ring->on;
    const int64_t all = larger(turn, most / field->components / unit_of(d) * unit_of(d));
    if (turn && !*turns) *turns = store_turns_new(d, (size_t)all, field->components);
    if (turn) return *turns && take_turns(ring, field, *turns);
    ring->on.memory = device_allocate(d, ring->on.bytes);
    return ring->on.memory && device_order(d, DEVICE_IN, DEVICE_OUT);
}

bool store_device_ring_end(store_device_ring *ring)
{
    store_turns *t = ring->turns;
    if (!t) device_release(ring->on.device, ring->on.memory);
    ring->on.memory = NULL;
    return !t || (store_turns_leave(t, false, t->given) && store_turns_leave(t, true, t->given));
}

/* ---- planes that are needed --------------------------------------------------------------------
 */

/* Copies planes of an array to `by` planes before, as many at once as do not overlap. */
static bool copy_back(const store_device_ring *ring, size_t begin, const pitches *p, int64_t first,
                      int64_t end, int64_t by)
{
    const store_device *on = &ring->on;
    bool done = true;
    for (int64_t at = first; at < end && done; at += by) {
        const size_t from = begin + (size_t)at * p->plane, to = from - (size_t)by * p->plane;
        done = device_copy(on->device, on->memory, to, on->memory, from,
                           (size_t)smaller(by, end - at) * p->plane);
    }
    return done;
}

/* Moves the planes that are needed to the beginning: behind all moves, and before later ones. */
static bool go_back(store_device_ring *ring, int64_t low)
{
    device *d = ring->on.device;
    const pitches p = pitches_of(ring);
    const int64_t by = low - ring->on.room.lo[ring->dimension];
    const int64_t end = smaller(ring->high, ring->on.room.hi[ring->dimension]) - low + by;
    const size_t head = ring->on.bytes - p.array * (size_t)p.arrays; /* before and behind all */
    bool done = device_order(d, DEVICE_WORK, DEVICE_IN) && device_order(d, DEVICE_WORK, DEVICE_OUT);
    for (int i = 0; i < p.arrays && done; i++)
        done = copy_back(ring, head / 2 + p.array * (size_t)i, &p, by, end, by);
    seat(ring, low);
    return done && device_order(d, DEVICE_IN, DEVICE_WORK) &&
           device_order(d, DEVICE_OUT, DEVICE_WORK);
}

/* The first plane that is needed. */
static int64_t lowest(const store_device_ring *ring)
{
    return ring->leaves ? smaller(ring->low, ring->out) : ring->low;
}

/* Planes that come in, or are worked on, take the place of others that have left. */
static bool take_place(store_device_ring *ring, int queue, int64_t end)
{
    store_turns *t = ring->turns;
    const int64_t last = byte_of(ring, end) + STORE_BEYOND, left = last - t->turn;
    t->given = larger(t->given, byte_of(ring, end));
    return store_turns_await(t, queue, false, left) && store_turns_await(t, queue, true, left);
}

/* Sees to it that there is memory for planes, for what is queued next in a queue. */
static bool make_room(store_device_ring *ring, int queue, int64_t first, int64_t end)
{
    const grid_box *room = &ring->on.room;
    const int d = ring->dimension;
    const int64_t low = lowest(ring) - ring->before;
    bool done = true;
    if (ring->turns)
        seat(ring, larger(low, room->lo[d]));
    else if (end + ring->behind > room->hi[d] && low > room->lo[d])
        done = go_back(ring, low);
    ring->high = larger(ring->high, end);
    done = done && first - ring->before >= room->lo[d] && end + ring->behind <= room->hi[d];
    return done && (!ring->turns || take_place(ring, queue, end + ring->behind));
}

bool store_device_ring_show(store_device_ring *ring, int64_t first, int64_t end, int64_t low)
{
    if (!make_room(ring, DEVICE_WORK, first, end)) return false;
    ring->on.own.lo[ring->dimension] = first;
    ring->on.own.hi[ring->dimension] = end;
    ring->low = larger(ring->low, low);
    if (!ring->turns) return true;
    const int64_t left = byte_of(ring, ring->low - ring->before);
    return store_turns_leave(ring->turns, false, left) &&
           (ring->leaves || store_turns_leave(ring->turns, true, left));
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* What moves: planes of the ring, and where they lie in the array. */
typedef struct way {
    store_device_ring *ring;
    bool out;
    grid_box box;
    int64_t home; /* the plane there of the box's first one */
} way;

static grid_box home_box(const way *w)
{
    const int d = w->ring->dimension;
    grid_box box = w->box;
    box.hi[d] += w->home - box.lo[d];
    box.lo[d] = w->home;
    return box;
}

static bool move_plain(const way *w, int component)
{
    const store_array *a = w->ring->slot.array;
    const store_device *on = &w->ring->on;
    const grid_box home = home_box(w);
    const int64_t bytes = store_type_bytes(a->type);
    device_box rows = store_device_box(&w->ring->slot, &w->box, component);
    rows.host_row_pitch = (size_t)(a->pitch_y * bytes);
    rows.host_plane_pitch = (size_t)(a->pitch_z * bytes);
    void *first = store_address(a, component, home.lo);
    return w->out ? device_get_later(on->device, DEVICE_OUT, on->memory, first, &rows)
                  : device_put_later(on->device, DEVICE_IN, on->memory, first, &rows);
}

/* By way of memory in which they lie without gaps; loops wait for it. */
static bool move_packed(const way *w, int component)
{
    const store_device *on = &w->ring->on;
    const grid_box home = home_box(w);
    store_array one = store_components(w->ring->slot.array, component, 1);
    device_box rows = store_device_box(&w->ring->slot, &w->box, component);
    void *packed = malloc(store_box_bytes(&one, &home) + 1);
    bool done = packed && device_order(on->device, DEVICE_WORK, w->out ? DEVICE_OUT : DEVICE_IN);
    if (done && w->out) {
        done = device_get(on->device, on->memory, packed, &rows);
        if (done) store_unpack(&one, &home, packed);
    } else if (done) {
        store_pack(&one, &home, packed);
        done = device_put(on->device, on->memory, packed, &rows);
    }
    free(packed);
    return done;
}

/* Planes that follow one another in the array, too. */
static bool move(const way *w, int64_t *bytes)
{
    const chain_slot *slot = &w->ring->slot;
    bool plain = store_device_is_plain(slot->array), done = true;
    if (grid_box_is_empty(&w->box)) return true;
    if (plain) store_array_pin(slot->array, w->ring->on.device);
    for (int c = 0; c < slot->components && done; c++)
        done = plain ? move_plain(w, c) : move_packed(w, c);
    *bytes += grid_box_points(&w->box) * slot->components * store_type_bytes(slot->type);
    return done;
}

static bool move_planes(store_device_ring *ring, bool out, int64_t first, int64_t end,
                        int64_t *bytes)
{
    const int d = ring->dimension;
    const int64_t period = ring->period;
    const int64_t middle = period ? larger(first, smaller(end, period)) : end;
    way low = {ring, out, ring->moved, first}, high = {ring, out, ring->moved, middle - period};
    low.box.lo[d] = first;
    low.box.hi[d] = high.box.lo[d] = middle;
    high.box.hi[d] = end;
    return move(&low, bytes) && move(&high, bytes);
}

/* Before planes come in: into a window, behind all work; where they take turns, behind what moves
 * those of their home out. */
static bool await_home(const store_device_ring *ring, int queue, int64_t end)
{
    device *d = ring->on.device;
    if (!ring->turns) return device_order(d, queue, DEVICE_WORK);
    if (ring->period && end > ring->period) return device_order(d, queue, DEVICE_OUT);
    if (ring->home == STORE_NOWHERE) return true;
    const int64_t home = ring->home + end * (int64_t)pitches_of(ring).plane;
    return store_turns_await(ring->turns, queue, true, smaller(home, ring->begun));
}

bool store_device_ring_move(store_device_ring *ring, bool out, int64_t first, int64_t end,
                            int64_t passed, int64_t *bytes)
{
    const int d = ring->dimension;
    const grid_box *room = &ring->on.room;
    const int queue = store_device_is_plain(ring->slot.array) ? DEVICE_IN : DEVICE_WORK;
    bool done = true;
    first = larger(first, ring->moved.lo[d]);
    end = smaller(end, ring->moved.hi[d]);
    if (first < end && !out)
        done = make_room(ring, queue, first, end) && await_home(ring, queue, end);
    if (first < end && out) done = first >= room->lo[d] && end <= room->hi[d];
    if (first < end && done) done = move_planes(ring, out, first, end, bytes);
    if (out) ring->out = larger(ring->out, passed);
    if (!out) ring->on.changes++;
    if (!done || !out || !ring->turns) return done;
    return store_turns_leave(ring->turns, true, byte_of(ring, ring->out));
}
