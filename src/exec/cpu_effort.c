/* With which passes a function is compiled: how long compilers take for it. Beside what its kernel
 * costs (ir/compile_cost.c) this depends on how its fields are stored. */
#include "exec/cpu.h"

/* Functions of a higher compile cost, or with more values at once, are compiled with fewer passes,
 * which keeps the time within ten seconds; what is lost of their speed is not worth minutes. The
 * time to choose registers grows with the square of the values. */
enum {
    MOST_OPTIMISED = HOSTILE(8000, 100),
    MOST_WITH_HALVES = HOSTILE(2000, 100), /* all operations are there for 16 points */
    MOST_AT_ONCE = HOSTILE(600, 20)
};

/* Whether a kernel has a field of f16, whose values compilers convert for many points at once. */
static bool has_halves(const codegen_loop *loop)
{
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (ir_param_is_field(&loop->kernel->params[p]) && loop->storage[p] == KATA_F16)
            return true;
    return false;
}

/* What it costs to round a value to how the field of a parameter is stored. */
static int64_t cost_of_rounding(const codegen_loop *loop, int param)
{
    enum { HALF = 40, UPPER_HALF = 10, BYTE = 100 };
    switch (ir_param_is_field(&loop->kernel->params[param]) ? loop->storage[param] : KATA_F64) {
    case KATA_F16: return HALF;
    case KATA_BF16: return UPPER_HALF;
    case KATA_UNORM8: return BYTE;
    default: return 0;
    }
}

/* What it costs to write results that do not lie beside each other: element by element of a vector,
 * of which there are more of few bytes. The points of a colour do not where elements are short. */
static int64_t spreading_cost(const codegen_loop *loop)
{
    enum { EACH = 80, OF_BYTES = 150, COLORED = 200 };
    int64_t cost = 0;
    for (int i = 0; i < loop->kernel->store_count; i++) {
        const int param = loop->kernel->stores[i].param;
        if (!ir_param_is_field(&loop->kernel->params[param])) continue;
        const codegen_rows rows = loop->rows[param];
        const int bytes = ir_storages[loop->storage[param]].bytes;
        if (rows == CODEGEN_TOGETHER || rows == CODEGEN_STRIDED)
            cost += EACH + OF_BYTES / bytes;
        else if (loop->colored && bytes < 4)
            cost += COLORED;
    }
    return cost;
}

/* What it costs to round all results, and those that are read back. The halves of float results
 * are rounded by few instructions (codegen/halves.h). */
static int64_t rounding_cost(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    int64_t cost = 0;
    for (int i = 0; i < kernel->store_count; i++) {
        const int param = kernel->stores[i].param;
        const int64_t each = cost_of_rounding(loop, param);
        bool together = loop->storage[param] == KATA_F16 && kernel->params[param].type == IR_F32 &&
                        loop->rows[param] == CODEGEN_CONTIGUOUS;
        cost += together ? each / 4 : each;
    }
    for (ir_id id = 1; id < kernel->graph.count; id++)
        if (kernel->graph.nodes[id].op == IR_STORED)
            cost += cost_of_rounding(loop, kernel->graph.nodes[id].param);
    return cost;
}

jit_effort cpu_effort(const codegen_loop *loop)
{
    const int64_t most = has_halves(loop) ? MOST_WITH_HALVES : MOST_OPTIMISED;
    /* all passes take twice as long for the text of a function as for other operations */
    const int64_t cost = ir_compile_cost(loop->kernel) + ir_function_cost(loop->kernel) +
                         rounding_cost(loop) + spreading_cost(loop);
    bool large = cost > most || ir_values_at_once(loop->kernel) > MOST_AT_ONCE;
    if (large) return JIT_BRIEF;
    return codegen_is_plain(loop) ? JIT_LIGHT : JIT_FULL;
}
