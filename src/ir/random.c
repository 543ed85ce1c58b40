/* Positions of calls of random. */
#include "ir/tree.h"

#include "ir/arithmetic.h"

int64_t ir_repetition(int64_t outer, int64_t iteration)
{
    return kata_add_i64(kata_mul_i64(outer, 1048583), iteration + 1);
}

int64_t ir_random_position(int64_t repetition, int call)
{
    return kata_add_i64(kata_shl_i64(repetition, 20), call);
}
