/* Sizes of fields on finer and coarser grids: exactly the size of the grid that a kernel is applied
 * to, multiplied or divided by the ratio. */
#include "legality/checks.h"

#include <inttypes.h>

/* The size that a parameter's field must have. False if the ratio does not divide the size along
 * dimension *odd. */
static bool expected_shape(const chain_loop *loop, const ir_param *param, grid_shape *out, int *odd)
{
    *out = loop->shape;
    for (int d = 0; d < loop->shape.rank; d++) {
        int finer = param->finer[d], coarser = param->coarser[d];
        *odd = d;
        if (coarser && out->size[d] % coarser) return false;
        if (finer) out->size[d] *= finer;
        if (coarser) out->size[d] /= coarser;
    }
    return true;
}

static void begin(const chain_loop *loop, int p, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *param = &kernel->params[p];
    text line = {0};
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, param->at,
                     "parameter '%s' is given a field of another grid size", param->name);
    legality_say_where(loop, m);
    text_add(&line, "field '%s' has ", loop->bindings[p].name);
    grid_shape made_for = chain_slot_grid(loop->bindings[p].slot);
    grid_shape_print(&line, &made_for);
    text_add(&line, " points, '%s' is", param->name);
    ir_print_ratio(&line, kernel, param);
    message_line(m, "%s", text_get(&line));
    text_free(&line);
}

static kata_status refuse_odd(const chain_loop *loop, int p, int d, messages *m)
{
    begin(loop, p, m);
    message_line(m,
                 "along %c no grid is coarser than one of %" PRId64
                 " points by a ratio of %d: make "
                 "the size of the finer grid a multiple of the ratio",
                 "xyz"[d], loop -> shape.size[d], loop->kernel->params[p].coarser[d]);
    return message_send(m);
}

kata_status legality_check_ratio(const chain_loop *loop, int p, messages *m)
{
    const chain_binding *binding = &loop->bindings[p];
    grid_shape expected, made_for = chain_slot_grid(binding->slot);
    int odd;
    if (!expected_shape(loop, &loop->kernel->params[p], &expected, &odd))
        return refuse_odd(loop, p, odd, m);
    if (grid_shape_equal(&made_for, &expected)) return KATA_OK;
    text needed = {0};
    grid_shape_print(&needed, &expected);
    begin(loop, p, m);
    message_line(m,
                 "give it a field of a grid of %s points: the sizes of the two grids differ by "
                 "exactly the ratio",
                 text_get(&needed));
    text_free(&needed);
    return message_send(m);
}
