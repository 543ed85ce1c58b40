/* Kernels in two and in three dimensions have the same parameters, but for those that there are for
 * each dimension. This file makes one list of arguments for both. */
#include "cloverleaf.h"

enum { MOST_ARGUMENTS = 32 };

void clover_apply(const clover_mesh *m, const kata_kernel *kernel, kata_range range, int count,
                  const clover_argument *arguments)
{
    kata_arg list[MOST_ARGUMENTS];
    int n = 0;
    for (int i = 0; i < count; i++) {
        const clover_argument *a = &arguments[i];
        if (!a->each) list[n++] = a->one;
        for (int d = 0; a->each && d < m->dimensions; d++)
            if (d != a->without) list[n++] = KATA_ARG(a->each[d]);
    }
    kata_apply_args(kernel, &range, n, list);
}
