/* Constants as C literals with exactly their bits, in any locale. Small whole numbers are decimal;
 * other floating-point numbers are a hexadecimal integer and a power of two. */
#include "codegen/emit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_finite(text *out, double x, const char *suffix)
{
    if (x == trunc(x) && fabs(x) < 1e6 && !(x == 0 && signbit(x))) {
        text_add(out, x < 0 ? "(%d.0%s)" : "%d.0%s", (int)x, suffix);
        return;
    }
    int exponent;
    uint64_t digits = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
    exponent -= 53;
    while (digits && digits % 2 == 0) {
        digits /= 2;
        exponent++;
    }
    if (!digits) exponent = 0;
    text_add(out, signbit(x) ? "(-0x%" PRIx64 "p%d%s)" : "0x%" PRIx64 "p%d%s", digits, exponent,
             suffix);
}

static void add_floating(text *out, const codegen_dialect *dialect, double x, const char *suffix)
{
    if (isnan(x))
        text_add(out, "%snan%s(\"\")", dialect->builtin, suffix);
    else if (isinf(x))
        text_add(out, x < 0 ? "(-%sinf%s())" : "%sinf%s()", dialect->builtin, suffix);
    else
        add_finite(out, x, suffix);
}

void codegen_constant(text *out, const codegen_dialect *dialect, ir_type type, ir_value value)
{
    switch (type) {
    case IR_I64:
        if (value.i64 == INT64_MIN)
            text_add(out, "(-9223372036854775807%s - 1)", dialect->i64);
        else
            text_add(out, value.i64 < 0 ? "(-%" PRIu64 "%s)" : "%" PRIu64 "%s",
                     value.i64 < 0 ? -(uint64_t)value.i64 : (uint64_t)value.i64, dialect->i64);
        break;
    case IR_F32: add_floating(out, dialect, (double)value.f32, "f"); break;
    case IR_F64: add_floating(out, dialect, value.f64, ""); break;
    default:
        if (value.i32 == INT32_MIN)
            text_add(out, "(-2147483647 - 1)");
        else
            text_add(out, value.i32 < 0 ? "(%" PRId32 ")" : "%" PRId32, value.i32);
    }
}
