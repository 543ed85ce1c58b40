/* Scalars as arguments of kata_apply. */
#include "api/apply.h"

kata_status api_bind_scalar(api_application *a, int p)
{
    const ir_param *param = &a->kernel->params[p];
    kata_scalar *s = api_arg_scalar(&a->args[p]);
    if (!s) return api_null_argument(a, p);
    if (s->k != a->k) return api_other_context(a, p);
    if (!api_may_write(a, p)) return api_const_argument(a, p, s->name);
    if (ir_param_is_written_field(param) || ir_param_is_reduction(param)) s->writes++;
    a->bindings[p].slot = s->slot;
    a->bindings[p].name = s->name;
    a->bindings[p].boundary = &grid_boundary_none;
    a->bindings[p].table = NULL;
    return KATA_OK;
}
