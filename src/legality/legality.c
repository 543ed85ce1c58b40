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

kata_status legality_check(const chain_loop *loop, messages *m)
{
    static kata_status (*const checks[])(const chain_loop *, messages *) = {
        legality_check_once,      legality_check_rank,        legality_check_order,
        legality_check_bindings,  legality_check_box,         legality_check_targets,
        legality_check_conflicts, legality_check_values,      legality_check_temporaries,
        legality_check_reads,     legality_check_level_reads,
    };
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        kata_status status = checks[i](loop, m);
        if (status != KATA_OK) return status;
    }
    return KATA_OK;
}
