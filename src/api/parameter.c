/* The parameters of a kernel. */
#include "api/api.h"

int kata_kernel_params(const kata_kernel *kernel)
{
    if (kernel) return kernel->kernel->param_count;
    api_null("kata_kernel_params", "the kernel");
    return 0;
}

int kata_kernel_rank(const kata_kernel *kernel)
{
    if (kernel) return kernel->kernel->rank;
    api_null("kata_kernel_rank", "the kernel");
    return 0;
}

kata_location kata_kernel_on(const kata_kernel *kernel)
{
    if (kernel) return kernel->kernel->on;
    api_null("kata_kernel_on", "the kernel");
    return KATA_NOWHERE;
}

static kata_param_kind kind_of(ir_param_kind kind)
{
    switch (kind) {
    case IR_PARAM_IN: return KATA_PARAM_IN;
    case IR_PARAM_OUT: return KATA_PARAM_OUT;
    case IR_PARAM_INOUT: return KATA_PARAM_INOUT;
    case IR_PARAM_NUMBER: return KATA_PARAM_NUMBER;
    case IR_PARAM_TABLE: return KATA_PARAM_TABLE;
    case IR_PARAM_SUM: return KATA_PARAM_SUM;
    case IR_PARAM_MIN: return KATA_PARAM_MIN;
    case IR_PARAM_MAX: return KATA_PARAM_MAX;
    case IR_PARAM_WHERE: break;
    }
    return KATA_PARAM_WHERE;
}

kata_status kata_kernel_param(kata_kernel *kernel, int i, kata_param *param)
{
    if (!kernel) return api_null("kata_kernel_param", "the kernel");
    kata *k = kernel->module->k;
    if (!param) return api_fail(k, KATA_ERROR_ARGUMENT, "kata_kernel_param: the result is NULL");
    if (k->messages.status) return k->messages.status;
    if (i < 0 || i >= kernel->kernel->param_count)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "kata_kernel_param: kernel '%s' has no parameter %d", kernel->kernel->name,
                        i);
    const ir_param *p = &kernel->kernel->params[i];
    *param = (kata_param){.name = p->name,
                          .kind = kind_of(p->kind),
                          .type = ir_storage_of_type(p->type),
                          .count = p->count};
    for (int d = 0; d < 3; d++) {
        param->finer[d] = p->finer[d] ? p->finer[d] : 1;
        param->coarser[d] = p->coarser[d] ? p->coarser[d] : 1;
        if (ir_param_lacks_dimensions(p)) param->along |= !p->absent_axis[d] << d;
    }
    return KATA_OK;
}
