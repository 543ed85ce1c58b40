/* Whether a loop may be queued: the list of checks. Each check assumes that those before it passed.
 */
#include "legality/checks.h"

kata_status legality_check_rank(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    static const char *const offsets[] = {"", "[dx]", "[dx,dy]", "[dx,dy,dz]"};
    int rank = loop->shape.rank;
    if (kernel->rank == 0 || kernel->rank == rank) return KATA_OK;
    bool ratio = ir_rank_is_of_ratio(kernel);
    if (ratio)
        message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, kernel->rank_at,
                         "kernel '%s' has a ratio for each dimension of a %d-dimensional grid",
                         kernel->name, kernel->rank);
    else
        message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, kernel->rank_at,
                         "kernel '%s' reads at offsets %s of a %d-dimensional grid", kernel->name,
                         offsets[kernel->rank], kernel->rank);
    legality_say_where(loop, m);
    if (ratio)
        message_line(m,
                     "apply it to a grid made by kata_grid_%dd, or write one ratio for all "
                     "dimensions",
                     kernel->rank);
    else
        message_line(m, "apply it to a grid made by kata_grid_%dd, or write its offsets as %s",
                     kernel->rank, offsets[rank]);
    return message_send(m);
}

static kata_status check_grid(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    if (!kernel->on || loop->icosahedral || loop->mesh) return KATA_OK;
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, kernel->on_at,
                     "kernel '%s' computes %s, and is applied to a grid of points", kernel->name,
                     ir_location_name(kernel->on, true));
    legality_say_where(loop, m);
    message_line(m, "apply it to a grid made by kata_grid_icosahedral or kata_grid_mesh");
    return message_send(m);
}

typedef kata_status check(const chain_loop *, messages *);

static kata_status check_all(check *const checks[], size_t count, const chain_loop *loop,
                             messages *m)
{
    kata_status status = KATA_OK;
    for (size_t i = 0; i < count && status == KATA_OK; i++) status = checks[i](loop, m);
    return status;
}

kata_status legality_check(const chain_loop *loop, messages *m)
{
    static check *const checks[] = {
        legality_check_once,     check_grid,
        legality_check_rank,     legality_check_order,
        legality_check_bindings, legality_check_box,
        legality_check_targets,  legality_check_conflicts,
        legality_check_values,   legality_check_temporaries,
        legality_check_reads,    legality_check_level_reads,
    };
    return check_all(checks, COUNT_OF(checks), loop, m);
}

kata_status legality_check_sparse(const chain_loop *loop, messages *m)
{
    static check *const checks[] = {legality_check_values, legality_check_temporaries};
    return check_all(checks, COUNT_OF(checks), loop, m);
}
