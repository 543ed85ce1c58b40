/* Values that the program said it will not read again. */
#include "analysis/analysis.h"

/* Whether a read finds what the loop itself has written, at levels that ran before. */
static bool finds_written(const chain_loop *loop, const ir_access *access)
{
    return loop->kernel->params[access->param].kind == IR_PARAM_OUT &&
           analysis_writes_all(loop, access->param) && analysis_stays_on_levels(loop);
}

/* The first read of a discarded value; NULL when there is none. */
static const ir_access *find_read(const chain_loop *loop)
{
    for (int i = 0; i < loop->kernel->access_count; i++) {
        const ir_access *access = &loop->kernel->accesses[i];
        if (loop->bindings[access->param].slot->discarded && !finds_written(loop, access))
            return access;
    }
    return NULL;
}

kata_status analysis_check_values(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_access *access = grid_box_is_empty(&loop->box) ? NULL : find_read(loop);
    if (!access) return KATA_OK;
    const char *field = loop->bindings[access->param].name;
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, access->at,
                     "'%s' reads a value that was discarded", kernel->params[access->param].name);
    analysis_say_where(loop, m);
    message_line(m, "kata_discard said that what field '%s' holds will not be read again", field);
    message_line(m,
                 "write all of '%s' first, by a kernel applied to kata_all(g) or by kata_put, or "
                 "leave out the kata_discard",
                 field);
    return message_send(m);
}

bool analysis_writes_whole(const chain_loop *loop, int param)
{
    const ir_kernel *kernel = loop->kernel;
    if (!ir_param_is_written_field(&kernel->params[param]) || loop->colors > 1) return false;
    int written = 0, values = loop->bindings[param].slot->components;
    for (int i = 0; i < kernel->store_count; i++)
        written += kernel->stores[i].param == param && !kernel->stores[i].condition;
    for (int d = 0; d < loop->shape.rank; d++) /* all children */
        if (kernel->params[param].finer[d]) values *= kernel->params[param].finer[d];
    return written == values;
}

bool analysis_writes_all(const chain_loop *loop, int param)
{
    static const int32_t here[3];
    int32_t last[3] = {0, 0, 0}; /* child */
    const ir_param *p = &loop->kernel->params[param];
    for (int d = 0; d < 3; d++)
        if (p->finer[d]) last[d] = p->finer[d] - 1;
    const chain_binding *binding = &loop->bindings[param];
    if (!analysis_writes_whole(loop, param)) return false;
    grid_box all = chain_slot_points(binding->slot, &binding->boundary);
    grid_box touched = analysis_touched(p, here, last, &loop->box);
    return grid_box_contains(&touched, &all);
}
