/* Fields in the memory of a device: a part of store.h, which includes it. */
#ifndef STORE_DEVICE_VALUES_H
#define STORE_DEVICE_VALUES_H

#include "abi/abi.h"
#include "chain/chain.h"
#include "device/device.h"

/* ---- device_copy.c: fields in the memory of a device -------------------------------------------
 *
 * There rows are contiguous and aligned, whatever the field's layout. */

/* The copies that there are, of whole fields. */
typedef struct store_copies {
    device *device;
    struct store_device *first;
} store_copies;

typedef struct store_device {
    device *device;
    chain_slot *slot;
    store_copies *all;
    struct store_device *next, **link; /* among `all` */
    int64_t used;                      /* when: the caller's count */
    bool ring;                         /* it has some planes alone: see device_ring.c */
    device_memory *memory;
    size_t bytes;
    grid_box room;   /* the indices that there is memory for */
    abi_place place; /* in elements */
    bool valid;      /* it has the field's values */
    bool newer;      /* the slot's array does not */
    grid_box own;    /* indices that it has the values of: others are hidden by rules, and filled;
                        of a ring, those that loops touch now */
    int64_t changes; /* of its values, so far */
    /* What is filled around it: for which value of `changes`, by which rules, where. */
    int64_t filled;
    uint64_t rules, around;
} store_device;

/* The indices of a slot that its array has, or will have: of a part, those that are held. */
grid_box store_device_memory(const chain_slot *slot);
/* Whether a slot has a copy on a device with memory for indices. */
bool store_device_holds(const chain_slot *slot, const grid_box *room);
/* Gives it one, in place of a smaller one, not yet with the values. False when memory, of the
 * device or of this machine, is out. */
bool store_device_make(store_copies *copies, chain_slot *slot, const grid_box *room);
/* The bytes that it takes. */
int64_t store_device_bytes(const chain_slot *slot, const grid_box *room);
void store_device_free(chain_slot *slot);
/* Copies the slot's values to the device, if it has not got them: those of `inside` at least. */
bool store_device_take(chain_slot *slot, const grid_box *inside);
/* Before memory is filled in which values of the slot are stored that its rules hide: all but
 * `inside` stays in the array. */
bool store_device_hide(chain_slot *slot, const grid_box *inside);
/* Says that the device has changed them. */
void store_device_changed(chain_slot *slot);
/* Copies them to the slot's array, if that has not got them. */
bool store_device_bring_home(chain_slot *slot);
/* The same for the values of a box alone. */
bool store_device_get_box(chain_slot *slot, const grid_box *box);
/* Copies a box of the array that has changed to the device, if that has values of the slot. */
bool store_device_put_box(chain_slot *slot, const grid_box *box);
/* Whether the device has all values of a box; and whether it alone has. */
bool store_device_has(const chain_slot *slot, const grid_box *box, bool alone);
/* Where values lie that are packed as by store_pack: in memory of this machine, or of a device. */
typedef struct store_packed {
    char *here;
    device_memory *there; /* NULL: they are here */
    size_t at;            /* the byte there */
} store_packed;
/* Packs the values of a box that the device has, and unpacks those that it gets, in the queue
 * DEVICE_WORK: what is packed stays until that has been waited for. The array is left alone. */
bool store_device_pack(const chain_slot *slot, const grid_box *box, const store_packed *to);
bool store_device_unpack(chain_slot *slot, const grid_box *box, const store_packed *from);
/* Says that the array is about to change, or that of the slot's part. */
void store_device_forget(chain_slot *slot);

#endif
