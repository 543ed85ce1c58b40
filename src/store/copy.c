/* Copies between arrays and plain order, a row at a time. */
#include "store/store.h"

#include "ir/ir.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void convert_row(kata_type to, void *target, kata_type from, const void *values,
                        int64_t count)
{
    if (to == from) {
        memcpy(target, values, (size_t)count * (size_t)store_type_bytes(to));
    } else if (to == KATA_F64) {
        assert(from == KATA_F32);
        for (int64_t i = 0; i < count; i++) ((double *)target)[i] = ((const float *)values)[i];
    } else {
        assert(to == KATA_F32 && from == KATA_F64);
        for (int64_t i = 0; i < count; i++)
            ((float *)target)[i] = (float)((const double *)values)[i];
    }
}

/* Goes through the rows of a box in plain order. */
typedef struct row_walk {
    grid_box box;
    int components;
    int64_t y, z;
    int component;
} row_walk;

static row_walk walk_rows(const grid_box *box, int components)
{
    return (row_walk){*box, components, box->lo[1], box->lo[2], 0};
}

static bool has_row(const row_walk *walk)
{
    return !grid_box_is_empty(&walk->box) && walk->component < walk->components;
}

static void next_row(row_walk *walk)
{
    if (++walk->y < walk->box.hi[1]) return;
    walk->y = walk->box.lo[1];
    if (++walk->z < walk->box.hi[2]) return;
    walk->z = walk->box.lo[2];
    walk->component++;
}

static char *row_start(const store_array *a, const row_walk *walk)
{
    int64_t element = walk->box.lo[0] + walk->y * a->pitch_y + walk->z * a->pitch_z +
                      walk->component * a->pitch_component;
    return (char *)a->data + element * store_type_bytes(a->type);
}

void store_read(const store_array *a, const grid_box *box, int components, kata_type type,
                void *values)
{
    int64_t count = box->hi[0] - box->lo[0];
    char *plain = values;
    for (row_walk walk = walk_rows(box, components); has_row(&walk); next_row(&walk)) {
        if (a)
            convert_row(type, plain, a->type, row_start(a, &walk), count);
        else
            memset(plain, 0, (size_t)count * (size_t)store_type_bytes(type));
        plain += count * store_type_bytes(type);
    }
}

void store_write(store_array *a, const grid_box *box, kata_type type, const void *values)
{
    int64_t count = box->hi[0] - box->lo[0];
    const char *plain = values;
    for (row_walk walk = walk_rows(box, a->components); has_row(&walk); next_row(&walk)) {
        convert_row(a->type, row_start(a, &walk), type, plain, count);
        plain += count * store_type_bytes(type);
    }
}

void store_fill_unset(kata_type type, void *data, size_t bytes)
{
    bool floating =
        ir_type_is_floating(ir_type_of_storage(type)); /* of any size: all ones is NaN */
    memset(data, floating ? 0xff : 0x5a, bytes);
}

void store_poison(store_array *a)
{
    size_t count = a->bytes / (size_t)store_type_bytes(a->type);
    if (a->type == KATA_F64)
        for (size_t i = 0; i < count; i++) ((double *)a->data)[i] = NAN;
    else if (a->type == KATA_F32)
        for (size_t i = 0; i < count; i++) ((float *)a->data)[i] = NAN;
    else
        memset(a->data, 0, a->bytes);
}
