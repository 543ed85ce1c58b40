/* Rings: some planes of a field in memory, whose other values are in its file, or nowhere. */
#include "store/pool.h"

static const int64_t FAR = INT64_C(1) << 48;

int store_ring_dimension(const chain_slot *slot)
{
    const grid_box all = chain_slot_memory(slot);
    return all.hi[2] - all.lo[2] > 1 ? 2 : 1;
}

bool store_ring_suits(const chain_slot *slot)
{
    const store_array *a = slot->array;
    bool rows = store_ring_dimension(slot) == 1;
    return a && (a->file || a->nowhere) && !(rows && a->room.hi[2] - a->room.lo[2] > 1);
}

static int64_t pitch_of(const store_array *a, int dimension)
{
    return dimension == 2 ? a->pitch_z : a->pitch_y;
}

/* Arrays of components of their own lie one after the other; otherwise a plane holds all. */
static int parts_of(const store_array *a) { return a->pitch_x == 1 ? a->components : 1; }

static size_t plane_bytes(const chain_slot *field)
{
    const store_array *a = field->array;
    return (size_t)(pitch_of(a, store_ring_dimension(field)) * store_type_bytes(a->type));
}

/* Whether a ring has the planes of all parts beside one another: then it is large, and gets huge
 * pages. Parts are moved by themselves, which is slow if they are small. */
static bool lies_together(const chain_slot *field)
{
    enum { LARGE = HOSTILE(64 << 10, PORT_ALIGN) };
    return parts_of(field->array) > 1 && plane_bytes(field) >= LARGE;
}

/* Rings that the parts of a field have. */
static int times_of(const chain_slot *field)
{
    return lies_together(field) ? 1 : parts_of(field->array);
}

/* The bytes from one plane of a ring to the next. */
static size_t stride_of(const chain_slot *field)
{
    const size_t parts = (size_t)parts_of(field->array);
    return plane_bytes(field) * (lies_together(field) ? parts : 1);
}

size_t store_ring_bytes(const chain_slot *field, int64_t planes)
{
    return port_ring_bytes(stride_of(field) * (size_t)planes) * (size_t)times_of(field);
}

/* Where a ring has its planes and components. */
static void set_pitches(store_ring *ring, const chain_slot *field)
{
    store_array *a = &ring->array;
    const int64_t element = store_type_bytes(a->type);
    if (a->pitch_x != 1) return;
    a->pitch_component =
        (int64_t)(lies_together(field) ? plane_bytes(field) : 2 * ring->bytes) / element;
    if (lies_together(field)) a->pitch_z = (int64_t)ring->stride / element;
    if (lies_together(field) && ring->dimension == 1) a->pitch_y = a->pitch_z;
}

bool store_ring_make(store_ring *ring, const chain_slot *field, int64_t planes, int64_t period)
{
    const store_array *home = field->array;
    const int d = store_ring_dimension(field);
    *ring = (store_ring){.slot = *field, .home = home, .dimension = d};
    ring->array = *home;
    ring->array.stays = 0;
    ring->period = period;
    ring->plane_bytes = plane_bytes(field);
    ring->stride = stride_of(field);
    ring->times = times_of(field);
    ring->bytes = port_ring_bytes(ring->stride * (size_t)planes);
    port_rings *rings = store_pool_rings(field->pool);
    ring->memory = rings ? port_ring_new(rings, ring->bytes, ring->times) : NULL;
    if (!ring->memory) return false;
    ring->array.file = NULL;
    ring->array.nowhere = false;
    ring->array.ring = true;
    ring->array.memory = ring->memory;
    ring->array.bytes = 2 * ring->bytes * (size_t)ring->times;
    set_pitches(ring, field);
    ring->array.room.lo[d] = -FAR;
    ring->array.room.hi[d] = FAR;
    ring->slot.array = &ring->array;
    ring->slot.far = false;
    ring->array.data = NULL;
    store_ring_show(ring, 0);
    return true;
}

void store_ring_free(store_ring *ring)
{
    if (ring->memory && ring->home->file) port_file_moved(ring->home->file);
    if (ring->memory)
        port_ring_free(store_pool_rings(ring->slot.pool), ring->memory, ring->bytes, ring->times);
    ring->memory = NULL;
}

/* Where plane `first` lies in the ring. */
static char *place_of(const store_ring *ring, int64_t first)
{
    const int64_t at = first * (int64_t)ring->stride, bytes = (int64_t)ring->bytes;
    return (char *)ring->memory + (at - floor_divide(at, bytes) * bytes);
}

void store_ring_show(store_ring *ring, int64_t first)
{
    const store_array *home = ring->home;
    int64_t plane = (int64_t)ring->plane_bytes, below = -home->room.lo[ring->dimension];
    int64_t into = (char *)home->data - (char *)home->memory - below * plane;
    into -= first * (int64_t)ring->stride;
    uintptr_t data = (uintptr_t)place_of(ring, first) + (uintptr_t)into;
    ring->array.data = (void *)data;
    ring->array.around = 0; /* planes that came in have nothing around them */
}

/* Moves planes of a part that follow one another in the file, and in the ring. */
static bool move_part(const store_ring *ring, port *p, bool out, int part, const int64_t plane[2],
                      int64_t count)
{
    const store_array *a = ring->home;
    const int64_t below = -a->room.lo[ring->dimension], bytes = store_type_bytes(a->type);
    const size_t each = ring->plane_bytes;
    const size_t apart = ring->stride > each ? each : 2 * ring->bytes;
    const size_t place =
        (size_t)(part * a->pitch_component * bytes) + (size_t)(plane[1] + below) * each;
    char *memory = place_of(ring, plane[0]) + apart * (size_t)part;
    return port_start(p, out, a->file, place, memory, (size_t)count * each);
}

/* Moves planes that follow one another in the file, too: those from `first` on lie there from
 * `home` on. */
static bool move(const store_ring *ring, port *p, bool out, int64_t first, int64_t home,
                 int64_t count)
{
    const int64_t at_once = ring->stride > ring->plane_bytes ? 1 : count;
    bool done = true;
    for (int64_t i = 0; i < count && done; i += at_once)
        for (int c = 0; c < parts_of(ring->home) && done; c++)
            done = move_part(ring, p, out, c, (int64_t[]){first + i, home + i}, at_once);
    return done;
}

bool store_ring_move(store_ring *ring, port *p, bool out, int64_t first, int64_t end)
{
    const grid_box *room = &ring->home->room;
    int64_t middle = ring->period ? larger(first, smaller(end, ring->period)) : end;
    if (!ring->period) { /* of a part of a field, other ranks have the other planes */
        first = larger(first, room->lo[ring->dimension]);
        middle = end = smaller(end, room->hi[ring->dimension]);
    }
    bool done = first >= middle || move(ring, p, out, first, first, middle - first);
    return done &&
           (middle >= end || move(ring, p, out, middle, middle - ring->period, end - middle));
}
