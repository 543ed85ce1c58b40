/* Elements of fields as values, one at a time. */
#include "ir/type.h"

#include "ir/arithmetic.h"

#include <string.h>

/* name     constant       word      C type     bytes type  coded */
#define IR_STORAGES(X)                                                                             \
    X(f64, "KATA_F64", "double", "double", 8, IR_F64, false)                                       \
    X(f32, "KATA_F32", "float", "float", 4, IR_F32, false)                                         \
    X(i64, "KATA_I64", "long", "int64_t", 8, IR_I64, false)                                        \
    X(i32, "KATA_I32", "int", "int32_t", 4, IR_I32, false)                                         \
    X(u8, "KATA_U8", "u8", "uint8_t", 1, IR_I32, true)                                             \
    X(f16, "KATA_F16", "f16", "uint16_t", 2, IR_F32, true)                                         \
    X(bf16, "KATA_BF16", "bf16", "uint16_t", 2, IR_F32, true)                                      \
    X(unorm8, "KATA_UNORM8", "unorm8", "uint8_t", 1, IR_F32, true)                                 \
    X(u16, "KATA_U16", "u16", "uint16_t", 2, IR_I32, true)                                         \
    X(i16, "KATA_I16", "i16", "int16_t", 2, IR_I32, true)

const ir_storage_info ir_storages[IR_STORAGE_COUNT] = {
#define X(name, constant, word, c_name, bytes, type, coded)                                        \
    {#name, constant, word, c_name, bytes, type, coded},
    IR_STORAGES(X)
#undef X
};

ir_type ir_type_of_storage(kata_type storage) { return ir_storages[storage].type; }

kata_type ir_storage_of_type(ir_type type)
{
    static const kata_type storage[IR_TYPE_COUNT] = {
        [IR_BOOL] = KATA_I32, [IR_I32] = KATA_I32, [IR_I64] = KATA_I64, [IR_F32] = KATA_F32,
        [IR_F64] = KATA_F64,  [IR_U8] = KATA_U8,   [IR_U16] = KATA_U16, [IR_I16] = KATA_I16};
    return storage[type];
}

bool ir_storage_suits(kata_type storage, ir_type type)
{
    ir_type own = ir_storages[storage].type;
    if (ir_type_is_narrow(type)) return storage == ir_storage_of_type(type);
    return (ir_type_is_floating(own) && ir_type_is_floating(type)) ||
           (ir_type_is_integer(own) && ir_type_is_integer(type));
}

static ir_value read_byte(kata_type storage, ir_type type, uint8_t byte)
{
    if (storage == KATA_U8) return ir_value_of_int(type, byte);
    return type == IR_F64 ? ir_value_of_double(type, kata_f64_of_unorm8(byte))
                          : ir_value_of_double(type, (double)kata_f32_of_unorm8(byte));
}

static ir_value read_half(kata_type storage, ir_type type, uint16_t half)
{
    if (storage == KATA_U16) return ir_value_of_int(type, half);
    if (storage == KATA_I16) return ir_value_of_int(type, (int16_t)half);
    float x = storage == KATA_F16 ? kata_f32_of_f16(half) : kata_f32_of_bf16(half);
    return ir_value_of_double(type, (double)x);
}

ir_value ir_storage_read(kata_type storage, ir_type type, const void *element)
{
    const ir_storage_info *info = &ir_storages[storage];
    ir_value value = {0};
    uint16_t half = 0;
    if (info->bytes == 1) return read_byte(storage, type, *(const uint8_t *)element);
    if (info->bytes == 2) {
        memcpy(&half, element, sizeof half);
        return read_half(storage, type, half);
    }
    if (info->bytes == 8)
        memcpy(&value, element, 8);
    else
        memcpy(&value, element, 4);
    return ir_convert(type, info->type, value);
}

static uint8_t byte_of(kata_type storage, ir_type type, ir_value value)
{
    if (storage == KATA_U8) return (uint8_t)ir_convert(IR_U8, type, value).i32;
    double x = ir_convert(IR_F64, type, value).f64;
    return type == IR_F32 ? kata_unorm8_of_f32(value.f32) : kata_unorm8_of_f64(x);
}

static uint16_t half_of(kata_type storage, ir_type type, ir_value value)
{
    if (storage == KATA_U16) return (uint16_t)ir_convert(IR_U16, type, value).i32;
    if (storage == KATA_I16) return (uint16_t)ir_convert(IR_I16, type, value).i32;
    float x = ir_convert(IR_F32, type, value).f32;
    return storage == KATA_F16 ? kata_f16_of_f32(x) : kata_bf16_of_f32(x);
}

void ir_storage_write(kata_type storage, ir_type type, ir_value value, void *element)
{
    const ir_storage_info *info = &ir_storages[storage];
    if (info->bytes == 1) {
        *(uint8_t *)element = byte_of(storage, type, value);
    } else if (info->bytes == 2) {
        uint16_t half = half_of(storage, type, value);
        memcpy(element, &half, sizeof half);
    } else {
        ir_value converted = ir_convert(info->type, type, value);
        memcpy(element, &converted, (size_t)info->bytes);
    }
}

ir_value ir_storage_round(kata_type storage, ir_type type, ir_value value)
{
    ir_value element = {0};
    ir_storage_write(storage, type, value, &element);
    return ir_storage_read(storage, type, &element);
}
