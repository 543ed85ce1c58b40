/* The arguments of kata_apply as KATA_ARG makes them of expressions. */
#include "api/api.h"

/* The functions that are inline in kata.h, for those who call them all the same. */
extern kata_arg kata_arg_field(kata_field *field, size_t size);
extern kata_arg kata_arg_floating(double value, size_t size);
extern kata_arg kata_arg_integer(int64_t value, size_t size);

kata_arg kata_arg_scalar(kata_scalar *scalar, size_t size)
{
    (void)size;
    return (kata_arg){.kind = KATA_ARG_SCALAR, .as.scalar = scalar};
}

kata_arg kata_arg_const_field(const kata_field *field, size_t size)
{
    (void)size;
    return (kata_arg){.kind = KATA_ARG_CONST_FIELD, .as.const_field = field};
}

kata_arg kata_arg_const_scalar(const kata_scalar *scalar, size_t size)
{
    (void)size;
    return (kata_arg){.kind = KATA_ARG_CONST_SCALAR, .as.const_scalar = scalar};
}

kata_arg kata_arg_unsigned(uint64_t value, size_t size)
{
    if (value <= INT64_MAX) return kata_arg_integer((int64_t)value, size);
    return (kata_arg){.kind = KATA_ARG_UNSIGNED, .as.unsigned_integer = value};
}

kata_arg kata_table_of(kata_type type, const void *values, int64_t count)
{
    return (kata_arg){.kind = KATA_ARG_TABLE, .type = type, .as.table = values, .count = count};
}

/* An array of one 8-byte element cannot be told from a pointer by its size. */
static kata_arg table(kata_type type, const void *values, size_t size, size_t element)
{
    return kata_table_of(type, values, size == sizeof(void *) ? -1 : (int64_t)(size / element));
}

kata_arg kata_arg_f64_table(const double *values, size_t size)
{
    return table(KATA_F64, values, size, sizeof *values);
}

kata_arg kata_arg_f32_table(const float *values, size_t size)
{
    return table(KATA_F32, values, size, sizeof *values);
}

kata_arg kata_arg_i32_table(const int *values, size_t size)
{
    return table(KATA_I32, values, size, sizeof *values);
}

kata_arg kata_arg_i64_table(const int64_t *values, size_t size)
{
    return table(KATA_I64, values, size, sizeof *values);
}

kata_arg kata_arg_u8_table(const uint8_t *values, size_t size)
{
    return table(KATA_U8, values, size, sizeof *values);
}

kata_arg kata_arg_u16_table(const uint16_t *values, size_t size)
{
    return table(KATA_U16, values, size, sizeof *values);
}

kata_arg kata_arg_i16_table(const int16_t *values, size_t size)
{
    return table(KATA_I16, values, size, sizeof *values);
}

kata_arg kata_arg_as_is(kata_arg arg, size_t size)
{
    (void)size;
    return arg;
}
