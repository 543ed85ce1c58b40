/* The languages of generated code. */
#include "codegen/dialect.h"

const codegen_dialect codegen_c = {
    .function = "",
    .inlined = "KATA_INLINED ",
    .restricted = "restrict",
    .global = "",
    .local = "",
    .aligned = "KATA_ALIGNED",
    .boolean = "_Bool",
    .hints = {"", "KATA_SIDE_BY_SIDE", "#pragma omp simd safelen(16)",
              "#pragma omp simd reduction(| : failing)", "KATA_UNROLLED"},
    .prefetch = "__builtin_prefetch(",
    .prefetch_end = ");",
    .prefetch_written_end = ", 1);",
    .barrier = "kata_streamed()",
    .builtin = "__builtin_",
    .f32 = "f",
};
