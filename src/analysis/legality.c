/* Whether a loop may be queued: the list of checks, and what all their messages share. Each check
 * assumes that those before it passed. */
#include "analysis/analysis.h"

#include <inttypes.h>
#include <stdio.h>

static void print_points(text *out, const chain_loop *loop)
{
    int rank = loop->shape.rank;
    grid_box_print(out, &loop->box, rank);
    text_add(out, rank == 1 ? " of a grid of " : " of a ");
    grid_shape_print(out, &loop->shape);
    text_add(out, rank == 1 ? " points" : " grid");
}

void analysis_say_where(const chain_loop *loop, messages *m)
{
    text line = {0};
    text_add(&line, "kernel '%s' applied", loop->kernel->name);
    if (loop->file) text_add(&line, " at %s:%d", loop->file, loop->line);
    text_add(&line, " to ");
    if (loop->once)
        text_add(&line, "kata_once(k)");
    else
        print_points(&line, loop);
    if (line.failed) m->body.failed = true;
    message_line(m, "%s", text_get(&line));
    text_free(&line);
}

void analysis_print_offset(char out[ANALYSIS_NAME], const ir_access *access, int rank)
{
    const int32_t *o = access->offset;
    if (rank == 1)
        snprintf(out, ANALYSIS_NAME, "[%d]", (int)o[0]);
    else if (rank == 2)
        snprintf(out, ANALYSIS_NAME, "[%d,%d]", (int)o[0], (int)o[1]);
    else
        snprintf(out, ANALYSIS_NAME, "[%d,%d,%d]", (int)o[0], (int)o[1], (int)o[2]);
}

kata_status analysis_check_rank(const chain_loop *loop, messages *m)
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
    analysis_say_where(loop, m);
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

kata_status analysis_check_box(const chain_loop *loop, messages *m)
{
    grid_box all = grid_shape_box(&loop->shape);
    if (grid_box_contains(&all, &loop->box)) return KATA_OK;
    int d = 0;
    while (loop->box.lo[d] >= 0 && loop->box.hi[d] <= all.hi[d]) d++;
    message_begin_at(m, KATA_ERROR_APPLICATION, loop->kernel->text, loop->kernel->at,
                     "kernel '%s' is applied to points outside the grid", loop->kernel->name);
    analysis_say_where(loop, m);
    message_line(m, "along %c the range is [%" PRId64 ", %" PRId64 "), the grid [0, %" PRId64 ")",
                 "xyz"[d], loop -> box.lo[d], loop->box.hi[d], all.hi[d]);
    message_line(m, "use kata_all(g), kata_inner(g, n), or a box within the grid");
    return message_send(m);
}

kata_status analysis_check(const chain_loop *loop, messages *m)
{
    static kata_status (*const checks[])(const chain_loop *, messages *) = {
        analysis_check_once,      analysis_check_rank,     analysis_check_order,
        analysis_check_box,       analysis_check_bindings, analysis_check_targets,
        analysis_check_conflicts, analysis_check_values,   analysis_check_reads,
    };
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        kata_status status = checks[i](loop, m);
        if (status != KATA_OK) return status;
    }
    return KATA_OK;
}
