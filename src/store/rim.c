/* Rims: what lies around a box in the planes of a field, kept in memory. */
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, COMING, KNOWN }; /* of planes */

static grid_box along(const grid_box *box, int dimension, int64_t first, int64_t end)
{
    grid_box planes = *box;
    planes.lo[dimension] = first;
    planes.hi[dimension] = end;
    return planes;
}

/* The parts of a plane that lie in the rim. */
static int pieces_of(const grid_box *all, const grid_box *inside, int dimension, int64_t plane,
                     grid_box pieces[6])
{
    const grid_box whole = along(all, dimension, plane, plane + 1);
    const grid_box hole = along(inside, dimension, plane, plane + 1);
    return grid_box_subtract(&whole, &hole, pieces);
}

static size_t bytes_of(const store_array *a, const grid_box *inside, int dimension)
{
    grid_box pieces[6];
    size_t bytes = 0;
    const int count = pieces_of(&a->box, inside, dimension, a->box.lo[dimension], pieces);
    for (int i = 0; i < count; i++) bytes += store_box_bytes(a, &pieces[i]);
    return bytes;
}

static int64_t planes_of(const store_array *a, int dimension)
{
    return a->box.hi[dimension] - a->box.lo[dimension];
}

size_t store_rim_bytes(const chain_slot *field, const grid_box *inside)
{
    const int d = store_ring_dimension(field);
    return (size_t)planes_of(field->array, d) * (bytes_of(field->array, inside, d) + 1);
}

bool store_rim_make(store_rim *rim, const chain_slot *field, const grid_box *inside)
{
    const store_array *a = field->array;
    *rim = (store_rim){.all = a->box, .inside = *inside, .dimension = store_ring_dimension(field)};
    rim->bytes = bytes_of(a, inside, rim->dimension);
    const size_t planes = (size_t)planes_of(a, rim->dimension);
    rim->values = malloc(rim->bytes * planes + 1);
    rim->planes = calloc(planes + 1, 1);
    if (rim->values && rim->planes) return true;
    store_rim_free(rim);
    return false;
}

void store_rim_free(store_rim *rim)
{
    free(rim->values);
    free(rim->planes);
    *rim = (store_rim){.values = NULL};
}

void store_rim_forget(store_rim *rim)
{
    const int d = rim->dimension;
    memset(rim->planes, UNKNOWN, (size_t)(rim->all.hi[d] - rim->all.lo[d]));
    rim->first = rim->end = 0;
}

/* ---- planes in a ring ------------------------------------------------------------------------ */

static void copy(store_rim *rim, store_ring *ring, int64_t plane, bool back)
{
    grid_box pieces[6];
    const int count = pieces_of(&rim->all, &rim->inside, rim->dimension, plane, pieces);
    char *at = rim->values + rim->bytes * (size_t)(plane - rim->all.lo[rim->dimension]);
    store_ring_show(ring, plane);
    for (int i = 0; i < count; i++) {
        if (back)
            store_unpack(&ring->array, &pieces[i], at);
        else
            store_pack(&ring->array, &pieces[i], at);
        at += store_box_bytes(&ring->array, &pieces[i]);
    }
}

static char *state_of(const store_rim *rim, int64_t plane)
{
    return &rim->planes[plane - rim->all.lo[rim->dimension]];
}

static void clip(const store_rim *rim, int64_t *first, int64_t *end)
{
    *first = larger(*first, rim->all.lo[rim->dimension]);
    *end = smaller(*end, rim->all.hi[rim->dimension]);
}

void store_rim_take(store_rim *rim, store_ring *ring, int64_t first, int64_t end)
{
    clip(rim, &first, &end);
    for (int64_t plane = first; plane < end; plane++) {
        copy(rim, ring, plane, false);
        *state_of(rim, plane) = KNOWN;
    }
}

void store_rim_expect(store_rim *rim, int64_t first, int64_t end)
{
    clip(rim, &first, &end);
    for (int64_t plane = first; plane < end; plane++) *state_of(rim, plane) = COMING;
    if (first >= end) return;
    rim->first = rim->first < rim->end ? smaller(rim->first, first) : first;
    rim->end = larger(rim->end, end);
}

void store_rim_come(store_rim *rim, store_ring *ring)
{
    for (int64_t plane = rim->first; plane < rim->end; plane++)
        if (*state_of(rim, plane) == COMING) store_rim_take(rim, ring, plane, plane + 1);
    rim->first = rim->end = 0;
}

bool store_rim_give(store_rim *rim, store_ring *ring, int64_t *first, int64_t end)
{
    int64_t plane = *first;
    clip(rim, &plane, &end);
    for (; plane < end && *state_of(rim, plane) != UNKNOWN; plane++)
        if (*state_of(rim, plane) == KNOWN) copy(rim, ring, plane, true);
    *first = plane;
    return plane >= end;
}
