/* Where values of a field are in the memory of a device: what copies of whole fields and of some
 * planes share. */
#ifndef STORE_DEVICE_COPY_H
#define STORE_DEVICE_COPY_H

#include "store/store.h"

enum {
    STORE_BEYOND = 1024
}; /* bytes before the first row, and behind the last, that threads may
      read */

/* Lays out rows for the indices of `on->room` so that index 0 of each is aligned. Threads read some
 * elements before the first row, and behind the last, too. Returns the bytes of all. */
size_t store_device_lay_out(store_device *on, const chain_slot *slot);
/* The rows of some planes of a component, on the device; in memory of this machine they follow one
 * another without gaps. */
device_box store_device_box(const chain_slot *slot, const grid_box *box, int component);
/* Whether the rows of an array's components are contiguous, so that they are copied as they lie. */
bool store_device_is_plain(const store_array *a);

#endif
