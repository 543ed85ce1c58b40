/* Copies between arrays and plain order, a row at a time. */
#include "store/store.h"

#include <math.h>
#include <string.h>

#include "ir/arithmetic.h"

/* ---- conversions ----------------------------------------------------------------------------- */

static bool is_byte(kata_type type) { return type == KATA_U8 || type == KATA_UNORM8; }

bool store_converts(kata_type a, kata_type b)
{
    bool floating =
        ir_type_is_floating(ir_type_of_storage(a)) && ir_type_is_floating(ir_type_of_storage(b));
    return a == b || floating || (is_byte(a) && is_byte(b));
}

#define CONVERT(T, S, conversion)                                                                  \
    for (int64_t i = 0; i < count; i++) ((T *)target)[i] = conversion(((const S *)values)[i])

/* From a type to float or double. */
static void widen_row(bool to_double, void *target, kata_type from, const void *values,
                      int64_t count)
{
    switch (from) {
    case KATA_F16:
        if (to_double)
            CONVERT(double, uint16_t, kata_f64_of_f16);
        else
            CONVERT(float, uint16_t, kata_f32_of_f16);
        break;
    case KATA_BF16:
        if (to_double)
            CONVERT(double, uint16_t, kata_f64_of_bf16);
        else
            CONVERT(float, uint16_t, kata_f32_of_bf16);
        break;
    case KATA_UNORM8:
        if (to_double)
            CONVERT(double, uint8_t, kata_f64_of_unorm8);
        else
            CONVERT(float, uint8_t, kata_f32_of_unorm8);
        break;
    case KATA_F32:
        if (to_double)
            CONVERT(double, float, (double));
        else
            memcpy(target, values, (size_t)count * sizeof(float));
        break;
    default: memcpy(target, values, (size_t)count * sizeof(double));
    }
}

/* From float or double to a type. */
static void narrow_row(kata_type to, void *target, bool from_double, const void *values,
                       int64_t count)
{
    switch (to) {
    case KATA_F16:
        if (from_double)
            CONVERT(uint16_t, double, kata_f16_of_f64);
        else
            CONVERT(uint16_t, float, kata_f16_of_f32);
        break;
    case KATA_BF16:
        if (from_double)
            CONVERT(uint16_t, double, kata_bf16_of_f64);
        else
            CONVERT(uint16_t, float, kata_bf16_of_f32);
        break;
    case KATA_UNORM8:
        if (from_double)
            CONVERT(uint8_t, double, kata_unorm8_of_f64);
        else
            CONVERT(uint8_t, float, kata_unorm8_of_f32);
        break;
    case KATA_F32:
        if (from_double)
            CONVERT(float, double, (float));
        else
            memcpy(target, values, (size_t)count * sizeof(float));
        break;
    default: memcpy(target, values, (size_t)count * sizeof(double));
    }
}

static void convert_row(kata_type to, void *target, kata_type from, const void *values,
                        int64_t count)
{
    enum { PIECE = 256 };
    double piece[PIECE];
    bool wide = to == KATA_F64 || from == KATA_F64;
    if (to == from || (is_byte(to) && is_byte(from))) {
        memcpy(target, values, (size_t)count * (size_t)store_type_bytes(to));
        return;
    }
    for (int64_t done = 0; done < count; done += PIECE) {
        int64_t part = count - done < PIECE ? count - done : PIECE;
        widen_row(wide, piece, from, (const char *)values + done * store_type_bytes(from), part);
        narrow_row(to, (char *)target + done * store_type_bytes(to), wide, piece, part);
    }
}

/* ---- boxes ----------------------------------------------------------------------------------- */

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
    store_poison_values(a->type, a->memory, (int64_t)a->bytes / store_type_bytes(a->type));
}

void store_poison_values(kata_type type, void *values, int64_t count)
{
    int bytes = store_type_bytes(type);
    ir_value poison = {0};
    if (ir_type_is_floating(ir_type_of_storage(type)))
        ir_storage_write(type, IR_F64, ir_value_of_double(IR_F64, (double)NAN), &poison);
    for (int64_t i = 0; values && i < count; i++)
        memcpy((char *)values + i * bytes, &poison, (size_t)bytes);
}
