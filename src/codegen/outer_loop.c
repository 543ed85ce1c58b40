/* The loop over a dimension of the box. */
#include "codegen/emit.h"

nest *codegen_begin_loop(const codegen_writer *w, nest *in, int dimension)
{
    const char i = "xyz"[dimension];
    if (w->loop->kernel->order[dimension] == IR_BACKWARD)
        return nest_loop(in, NEST_PLAIN, "int64_t i%c = hi[%d]; i%c-- > lo[%d];", i, dimension, i,
                         dimension);
    return nest_loop(in, NEST_PLAIN, "int64_t i%c = lo[%d]; i%c < hi[%d]; i%c++", i, dimension, i,
                     dimension, i);
}
