/* store: where field values live. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "grid/grid.h"
#include "ir/ir.h"

/* Values of a field in memory: structure of arrays, rows padded and aligned to 64 bytes at x = 0.
 * Element (x,y,z) of component c is at data + (x + y*pitch_y + z*pitch_z + c*pitch_component)
 * elements. */
typedef struct store_array {
    kata_type type;
    int components;
    grid_box box;                              /* the indices that it has */
    int64_t pitch_y, pitch_z, pitch_component; /* in elements */
    void *data;                                /* element (0,0,0) of component 0 */
    void *memory;                              /* all of it: `bytes` bytes */
    size_t bytes;
} store_array;

int store_type_bytes(kata_type type);
const char *store_type_name(kata_type type); /* "f64" */

/* All zero, for a box that holds (0,0,0). NULL when memory is out or the size overflows. */
store_array *store_array_new(const grid_box *box, kata_type type, int components);
void store_array_free(store_array *a);
/* Copies a box (of indices that the array has) to or from plain order (x fastest, then y, z,
 * component), converted between floating types, f64 and others as a kernel in double would and
 * others as one in float; u8 and unorm8 are each other's bytes; other types must be equal. `a` NULL
 * in store_read means all zero. */
void store_read(const store_array *a, const grid_box *box, int components, kata_type type,
                void *values);
void store_write(store_array *a, const grid_box *box, kata_type type, const void *values);
/* What poisoned memory starts with: NaN, of integers 0x5a in every byte. */
void store_fill_unset(kata_type type, void *data, size_t bytes);
/* NaN, or 0 for types that have none, everywhere. */
void store_poison(store_array *a);
/* The same for count values. */
void store_poison_values(kata_type type, void *values, int64_t count);
/* Whether store_read and store_write convert between two types. */
bool store_converts(kata_type a, kata_type b);

#endif
