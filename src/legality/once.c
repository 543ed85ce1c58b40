/* A kernel that runs once computes with scalars and numbers. A kernel that runs on a grid writes
 * scalars only by reducing into them. */
#include "legality/checks.h"

static kata_status refuse_offsets(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, kernel->rank_at,
                     "a kernel with offsets is applied to kata_once(k)");
    legality_say_where(loop, m);
    message_line(m, "a scalar has no neighbours: leave the offset out, or apply the kernel to the "
                    "points of a grid");
    return message_send(m);
}

static kata_status refuse_field(const chain_loop *loop, int p, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *param = &kernel->params[p];
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, param->at,
                     "parameter '%s' is given a field in a kernel applied to kata_once(k)",
                     param->name);
    legality_say_where(loop, m);
    message_line(m, "give it a scalar, or apply the kernel to the points of a grid: kata_all(g)");
    return message_send(m);
}

static kata_status refuse_scalar(const chain_loop *loop, int p, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *param = &kernel->params[p];
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, param->at,
                     "parameter '%s' is given a scalar where a field is expected", param->name);
    legality_say_where(loop, m);
    const char *type = ir_types[param->type].name;
    text set = {0};
    legality_print_set(&set, loop, param, 3);
    if (ir_param_is_reduction(param))
        message_line(m,
                     "make a field with .along = %s, or leave out 'along' to reduce into a scalar",
                     text_get(&set));
    else if (ir_param_is_written_field(param))
        message_line(m,
                     "apply the kernel to kata_once(k), or reduce into it: 'sum %s %s', min or max",
                     type, param->name);
    else
        message_line(m,
                     "declare it '%s %s' to read the number at every point, or apply the kernel "
                     "to kata_once(k)",
                     type, param->name);
    text_free(&set);
    return message_send(m);
}

static kata_status refuse_ratio(const chain_loop *loop, int p, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *param = &kernel->params[p];
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, param->ratio_at,
                     "parameter '%s' has a ratio in a kernel applied to kata_once(k)", param->name);
    legality_say_where(loop, m);
    message_line(m, "a scalar has no grid: leave the ratio out, or apply the kernel to the points "
                    "of a grid");
    return message_send(m);
}

kata_status legality_check_once(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    if (loop->once && kernel->rank && !ir_rank_is_of_ratio(kernel)) return refuse_offsets(loop, m);
    for (int p = 0; p < kernel->param_count; p++) {
        if (!ir_param_takes_field(&kernel->params[p])) continue;
        bool scalar = loop->bindings[p].slot->is_scalar;
        if (loop->once && !scalar) return refuse_field(loop, p, m);
        if (loop->once && ir_param_has_ratio(&kernel->params[p])) return refuse_ratio(loop, p, m);
        if (!loop->once && scalar) return refuse_scalar(loop, p, m);
    }
    return KATA_OK;
}
