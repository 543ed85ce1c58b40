/* Where the elements of an array are, and single ones of them. */
#include "store/store.h"

#include <string.h>

int store_type_bytes(kata_type type) { return ir_storages[type].bytes; }

const char *store_type_name(kata_type type)
{
    return (unsigned)type < IR_STORAGE_COUNT ? ir_storages[type].name : "unknown type";
}

int64_t store_along_x(const store_array *a, int64_t x)
{
    if (a->block == 1) return x * a->pitch_x; /* the usual case, without a division */
    int64_t lane = x & (a->block - 1);        /* a power of two */
    return (x - lane) / a->block * a->pitch_x + lane;
}

int64_t store_element(const store_array *a, int component, const int64_t index[3])
{
    return store_along_x(a, index[0]) + index[1] * a->pitch_y + index[2] * a->pitch_z +
           component * a->pitch_component;
}

void *store_address(const store_array *a, int component, const int64_t index[3])
{
    int64_t bytes = store_element(a, component, index) * store_type_bytes(a->type);
    return (void *)((uintptr_t)a->data + (uintptr_t)bytes);
}

/* Sizes that the compiler knows take a single instruction. */
static void copy_element(void *to, const void *from, int bytes)
{
    switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    default: memcpy(to, from, 8); break;
    }
}

ir_value store_get_element(const store_array *a, int component, const int64_t index[3])
{
    ir_value element = {0};
    if (a) copy_element(&element, store_address(a, component, index), store_type_bytes(a->type));
    return element;
}

void store_set_element(store_array *a, int component, const int64_t index[3], ir_value element)
{
    copy_element(store_address(a, component, index), &element, store_type_bytes(a->type));
}
