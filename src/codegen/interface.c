/* What the library must know of a function: its name, and at which positions of the arguments it
 * finds the fields and numbers of a kernel. */
#include "codegen/emit.h"

#include <inttypes.h>
#include <stdio.h>

_Static_assert(sizeof(abi_value) == sizeof(ir_value), "numbers are given as ir_values");

void codegen_name(const codegen_loop *loop, char name[64])
{
    const ir_kernel *kernel = loop->kernel;
    uint64_t types = 0;
    for (int p = 0; p < kernel->param_count; p++) {
        int type = ir_param_is_field(&kernel->params[p]) ? (int)loop->storage[p] : -1;
        if (codegen_rows_of(loop, p)) type |= (int)codegen_rows_of(loop, p) << 8;
        types = hash_bytes(&type, sizeof type, types);
    }
    if (loop->without) types = hash_bytes(&loop->without, sizeof loop->without, types);
    if (loop->wraps[1] | loop->wraps[2]) types = hash_bytes(loop->wraps, sizeof loop->wraps, types);
    snprintf(name, 64, "kata_%s_%016" PRIx64 "%s", kernel->hash, types, loop->colored ? "_c" : "");
}

static int views_of(const ir_kernel *kernel, int p)
{
    const ir_param *param = &kernel->params[p];
    if (ir_param_is_written_field(param) && codegen_is_read(kernel, p)) return 2 * param->count;
    if (codegen_reads_levels(kernel, p)) return 2 * param->count;
    if (ir_has_bins(kernel, p)) return 1;
    return ir_param_is_field(param) || ir_param_is_reduction(param) ? param->count : 0;
}

static int numbers_of(const ir_param *param)
{
    return param->kind == IR_PARAM_NUMBER ? 1 : param->kind == IR_PARAM_TABLE ? param->count : 0;
}

int codegen_view_index(const ir_kernel *kernel, int param)
{
    int index = 0;
    for (int p = 0; p < param; p++) index += views_of(kernel, p);
    return index;
}

int codegen_store_index(const ir_kernel *kernel, int param)
{
    const ir_param *p = &kernel->params[param];
    bool twice = ir_param_is_written_field(p) && codegen_is_read(kernel, param);
    return codegen_view_index(kernel, param) + (twice ? p->count : 0);
}

int codegen_level_index(const ir_kernel *kernel, int param)
{
    return codegen_view_index(kernel, param) +
           (codegen_reads_levels(kernel, param) ? kernel->params[param].count : 0);
}

int codegen_number_index(const ir_kernel *kernel, int param)
{
    int index = 0;
    for (int p = 0; p < param; p++) index += numbers_of(&kernel->params[p]);
    return index;
}
