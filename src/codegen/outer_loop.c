/* The loop over a dimension of the box. */
#include "codegen/emit.h"

nest *codegen_begin_loop(const codegen_writer *w, nest *in, int dimension)
{
    const char i = "xyz"[dimension];
    const ir_kernel *kernel = w->loop->kernel;
    if (kernel->direction == IR_BACKWARD && kernel->ordered == dimension)
        return nest_loop(in, NEST_PLAIN, "int64_t i%c = hi[%d]; i%c-- > lo[%d];", i, dimension, i,
                         dimension);
    return nest_loop(in, NEST_PLAIN, "int64_t i%c = lo[%d]; i%c < hi[%d]; i%c++", i, dimension, i,
                     dimension, i);
}
