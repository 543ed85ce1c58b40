/* Types of values, values, and how fields store them. */
#ifndef IR_TYPE_H
#define IR_TYPE_H

#include "base/base.h"

/* ---- type.c ---------------------------------------------------------------------------------- */

/* `text`: the name in kernels. `suffix`: the type in names of functions of generated code, as in
 * kata_add_i32.
 *      name    text     C type     suffix bytes */
#define IR_TYPES(X)                                                                                \
    X(BOOL, "bool", "int", "i32", 4)                                                               \
    X(I32, "int", "int32_t", "i32", 4)                                                             \
    X(I64, "long", "int64_t", "i64", 8)                                                            \
    X(F32, "float", "float", "f32", 4)                                                             \
    X(F64, "double", "double", "f64", 8)                                                           \
    X(U8, "uchar", "uint8_t", "u8", 1)                                                             \
    X(U16, "ushort", "uint16_t", "u16", 2)                                                         \
    X(I16, "short", "int16_t", "i16", 2)

typedef enum ir_type {
#define X(name, ...) IR_##name,
    IR_TYPES(X)
#undef X
        IR_TYPE_COUNT
} ir_type;

typedef struct ir_type_info {
    const char *name, *c_name, *suffix;
    int bytes;
} ir_type_info;
extern const ir_type_info ir_types[IR_TYPE_COUNT];

static inline bool ir_type_is_floating(ir_type type) { return type == IR_F32 || type == IR_F64; }
/* False for bool and narrow integers: nothing is computed in them. */
static inline bool ir_type_is_integer(ir_type type) { return type == IR_I32 || type == IR_I64; }
/* uchar, ushort and short. */
static inline bool ir_type_is_narrow(ir_type type) { return type >= IR_U8 && type < IR_TYPE_COUNT; }

/* ---- value.c --------------------------------------------------------------------------------- */

/* A value of a type: 8 bytes, unused high bytes zero, so that equal bits are equal values. A bool
 * is 0 or 1, in i32; so are narrow integers, in their range. */
typedef union ir_value {
    uint64_t bits;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
} ir_value;

ir_value ir_value_of_double(ir_type type, double x); /* saturates, as CONVERT does */
ir_value ir_value_of_int(ir_type type, int64_t x);   /* wraps, as CONVERT does */
ir_value ir_convert(ir_type to, ir_type from, ir_value x);

/* ---- storage.c ------------------------------------------------------------------------------- */

enum { IR_STORAGE_COUNT = KATA_I16 + 1 };

/* In the order of kata_type. `name`: in messages and in names of functions. `word`: the type that
 * messages propose for a parameter. `type`: boundary rules compute in it. `coded`: the element is
 * not a C number of that type; functions kata_TYPE_of_NAME and kata_NAME_of_TYPE of arithmetic.h
 * convert it. */
typedef struct ir_storage_info {
    const char *name, *constant, *word, *c_name;
    int bytes;
    ir_type type;
    bool coded;
} ir_storage_info;
extern const ir_storage_info ir_storages[IR_STORAGE_COUNT];

ir_type ir_type_of_storage(kata_type storage);
/* The storage type that is the type itself; KATA_I32 for bool. */
kata_type ir_storage_of_type(ir_type type);
/* Whether values of a type can be read from, and written to, a field of this storage type: floating
 * as floating, integer as integer, narrow integers as themselves. */
bool ir_storage_suits(kata_type storage, ir_type type);
/* Reads the element at an address as a value of a type, as a kernel loads it. Integers of a
 * floating type, and the reverse, are converted as by CONVERT. */
ir_value ir_storage_read(kata_type storage, ir_type type, const void *element);
/* Writes a value to the element at an address, as a kernel stores it. */
void ir_storage_write(kata_type storage, ir_type type, ir_value value, void *element);
/* The value of an element that was written with `value` and is read back. */
ir_value ir_storage_round(kata_type storage, ir_type type, ir_value value);

#endif
