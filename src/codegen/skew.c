/* How far rows of a skewed box are apart.
 *
 * A row of a box begins `skew` points before the row that runs before it. Then boxes run one after
 * another in the order along x, and so do points of rows side by side: a point at (dx, dy) from
 * another, seen along the orders, with dy rows before it, has run if dx <= skew * -dy; with dy rows
 * behind it, it has not if -dx <= skew * dy. With one more than that, no point waits for another of
 * its own step. */
#include "codegen/codegen.h"

#include <stdlib.h>

bool codegen_is_skewed(const ir_kernel *kernel, bool colored)
{
    return kernel->order[0] && ir_orders_several(kernel) && !kernel->valid &&
           !kernel->addition_count && !colored;
}

static int along(const ir_kernel *kernel, const int32_t offset[3], int d)
{
    return kernel->order[d] == IR_BACKWARD ? -offset[d] : offset[d];
}

/* A field may be given to several parameters: all reads count that may be of the points. */
static bool counts(const ir_kernel *kernel, const ir_access *access)
{
    static const ir_param plain;
    return ir_param_same_mapping(&kernel->params[access->param], &plain);
}

int codegen_skew(const ir_kernel *kernel)
{
    int most = 0;
    for (int i = 0; i < kernel->access_count && kernel->order[1]; i++) {
        const ir_access *a = &kernel->accesses[i];
        int dx = along(kernel, a->offset, 0), dy = along(kernel, a->offset, 1);
        if (!dy || !counts(kernel, a)) continue;
        int rows = abs(dy), needed = ((dy < 0 ? dx : -dx) + rows - 1) / rows;
        if (needed > most) most = needed;
    }
    return most + 1;
}
