/* Numbers for programs: mostly of common size, some at the corners of arithmetic. */
#include "generate.h"

#include <math.h>

static const double corners[] = {
    0.0,
    -0.0,
    (double)INFINITY,
    (double)-INFINITY,
    (double)NAN,
    0x1p-1074,
    -0x1.8p-1040,
    0x1p-149,
    0x1p-126,
    1e300,
    -1.7976931348623157e308,
    3.4028234663852886e38,
    -1e39,
    2147483648.0,
    -9223372036854775808.0,
    9007199254740993.0,
};

double generate_double(chance *c)
{
    int kind = chance_from(c, 0, 19);
    if (kind == 0) return CHANCE_PICK(c, corners);
    if (kind < 5) return chance_from(c, -8, 8);
    if (kind < 8) return (chance_fraction(c) - 0.5) * 200;
    return (chance_fraction(c) - 0.5) * 4;
}

static const int64_t whole_corners[] = {
    0, -1, 1, INT32_MAX, INT32_MIN, 31, 32, 33, 63, 64, 65536, 46341,
};
static const int64_t wide_corners[] = {
    INT64_MAX, INT64_MIN, (int64_t)1 << 32, -((int64_t)1 << 53) - 1, 3037000500,
};

int64_t generate_integer(chance *c, bool wide)
{
    int kind = chance_from(c, 0, 19);
    if (kind < 2 && wide) return CHANCE_PICK(c, wide_corners);
    if (kind < 4) return CHANCE_PICK(c, whole_corners);
    uint64_t bits = chance_bits(c);
    if (kind < 7) return wide ? (int64_t)bits : (int64_t)(int32_t)(bits >> 32);
    return chance_from(c, -9, 12);
}

/* ---- values of fields ------------------------------------------------------------------------ */

/* Only a third of the fields hold corners; otherwise all would drown in infinities. */
static bool has_corners(uint64_t seed) { return seed % 3 == 0; }

static chance chance_at(uint64_t seed, const int64_t point[3], int component)
{
    uint64_t bits = seed;
    for (int d = 0; d < 3; d++) bits = chance_hash(bits, (uint64_t)point[d]);
    return (chance){chance_hash(bits, (uint64_t)component)};
}

double value_floating(uint64_t seed, kata_type type, const int64_t point[3], int component)
{
    chance c = chance_at(seed, point, component);
    double x = has_corners(seed) ? generate_double(&c) : (chance_fraction(&c) - 0.5) * 4;
    if (type == KATA_UNORM8 && !has_corners(seed)) x = 0.5 + x / 3;
    return type == KATA_F64 ? x : (double)(float)x;
}

int64_t value_integer(uint64_t seed, kata_type type, const int64_t point[3], int component)
{
    chance c = chance_at(seed, point, component);
    if (has_corners(seed)) return generate_integer(&c, type == KATA_I64);
    return chance_from(&c, -9, 12);
}
