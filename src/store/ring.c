/* Rings: some planes of a field in memory, whose other values are in its file. */
#include "store/store.h"

static const int64_t FAR = INT64_C(1) << 48;

int store_ring_dimension(const chain_slot *slot)
{
    const grid_box all = chain_slot_memory(slot);
    return all.hi[2] - all.lo[2] > 1 ? 2 : 1;
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

size_t store_ring_bytes(const chain_slot *field, int64_t planes)
{
    return port_ring_bytes(plane_bytes(field) * (size_t)planes) * (size_t)parts_of(field->array);
}

bool store_ring_make(store_ring *ring, const chain_slot *field, int64_t planes)
{
    const store_array *home = field->array;
    const int d = store_ring_dimension(field);
    *ring = (store_ring){.slot = *field, .home = home, .dimension = d};
    ring->array = *home;
    ring->plane_bytes = plane_bytes(field);
    ring->bytes = port_ring_bytes(ring->plane_bytes * (size_t)planes);
    ring->memory = port_ring_new(ring->bytes, parts_of(home));
    if (!ring->memory) return false;
    ring->array.file = NULL;
    ring->array.memory = ring->memory;
    ring->array.bytes = 2 * ring->bytes * (size_t)parts_of(home);
    if (home->pitch_x == 1)
        ring->array.pitch_component = 2 * (int64_t)ring->bytes / store_type_bytes(home->type);
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
    port_ring_free(ring->memory, ring->bytes, parts_of(&ring->array));
    ring->memory = NULL;
}

/* Where plane `first` lies in the ring. */
static char *place_of(const store_ring *ring, int64_t first)
{
    const int64_t at = first * (int64_t)ring->plane_bytes, bytes = (int64_t)ring->bytes;
    return (char *)ring->memory + (at - floor_divide(at, bytes) * bytes);
}

void store_ring_show(store_ring *ring, int64_t first)
{
    const store_array *home = ring->home;
    int64_t plane = (int64_t)ring->plane_bytes, below = -home->room.lo[ring->dimension];
    int64_t into = (char *)home->data - (char *)home->memory - below * plane;
    uintptr_t data = (uintptr_t)place_of(ring, first) + (uintptr_t)(into - first * plane);
    ring->array.data = (void *)data;
    ring->array.around = 0; /* planes that came in have nothing around them */
}

bool store_ring_move(store_ring *ring, port *p, bool out, int64_t first, int64_t end)
{
    const store_array *home = ring->home;
    int64_t below = -home->room.lo[ring->dimension], bytes = store_type_bytes(home->type);
    size_t plane = ring->plane_bytes, count = (size_t)(end - first);
    bool done = true;
    for (int c = 0; c < parts_of(home) && done; c++) {
        size_t place =
            (size_t)(c * home->pitch_component * bytes) + (size_t)(first + below) * plane;
        char *memory = place_of(ring, first) + 2 * ring->bytes * (size_t)c;
        done = port_start(p, out, home->file, place, memory, count * plane);
    }
    return done;
}
