/* The time that the C compiler takes for a kernel. Measured with gcc 12 at -O3: 20000 operations in
 * a row, 100 sines, or reads at 441 offsets take 7 seconds each; beyond, time grows faster than
 * size.
 */
#include "ir/ir.h"

enum { FUNCTION_WEIGHT = 150, READ_WEIGHT = 40, WRITE_WEIGHT = 20 };

static int operation_weight(ir_op op)
{
    if (op == IR_CONST || op == IR_LOAD) return 0;
    return ir_ops[op].function >= IR_FUNCTION_ELEMENTARY ? FUNCTION_WEIGHT : 1;
}

kata_status ir_weigh(const ir_kernel *kernel, messages *m)
{
    int64_t weight = (int64_t)READ_WEIGHT * kernel->access_count;
    for (int i = 0; i < kernel->store_count; i++)
        if (ir_param_children(&kernel->params[kernel->stores[i].param]) > 1) weight += WRITE_WEIGHT;
    for (ir_id id = 1; id < kernel->graph.count; id++)
        weight += operation_weight((ir_op)kernel->graph.nodes[id].op);
    if (weight <= IR_MAX_WEIGHT) return KATA_OK;
    message_begin_at(m, KATA_ERROR_LIMIT, kernel->text, kernel->at,
                     "kernel '%s' takes too much work to compile: %lld where %d is allowed",
                     kernel->name, (long long)weight, (int)IR_MAX_WEIGHT);
    message_line(m,
                 "unrolled, an operation counts 1, a function such as sin %d, each offset at which "
                 "a field is read %d, each child that is written %d",
                 (int)FUNCTION_WEIGHT, (int)READ_WEIGHT, (int)WRITE_WEIGHT);
    message_line(m, "make several kernels of it");
    return message_send(m);
}
