/* Which OpenCL devices compute the bits that all others compute. */
#include "device/opencl_private.h"

static const struct ability {
    uint64_t bit;
    const char *name;
} needed[] = {{CL_DENORMALS, "denormals"},
              {CL_INFINITIES, "infinities and NaN"},
              {CL_ROUND_TO_NEAREST, "rounding to nearest"},
              {CL_FMA, "fused multiply-add"}};

static void add(text *what, const char *name, const char *of)
{
    text_add(what, "%s%s%s%s", what->length ? ", " : "", name, *of ? " of " : "", of);
}

/* What is missing for numbers of one type. */
static void add_missing(uint64_t has, const char *type, text *what)
{
    for (size_t i = 0; i < COUNT_OF(needed); i++)
        if (!(has & needed[i].bit)) add(what, needed[i].name, type);
}

bool opencl_lacks(const opencl_abilities *a, text *what)
{
    size_t before = what->length;
    if (!a->of_double) add(what, "double precision (cl_khr_fp64)", "");
    add_missing(a->single, "float", what);
    if (!(a->single & CL_CORRECT_DIVISION)) add(what, "correctly rounded division", "float");
    if (a->of_double) add_missing(a->of_double, "double", what);
    if (!a->little_endian) add(what, "little-endian numbers", "");
    if (a->address_bits != 64) add(what, "addresses of 64 bits", "");
    if (!a->has_compiler) add(what, "a compiler", "");
    return what->length > before;
}
