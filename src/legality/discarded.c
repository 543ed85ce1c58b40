/* Values that the program declared not to read again. */
#include "legality/checks.h"

/* Whether a read finds values that the loop itself wrote at earlier levels. */
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

/* A reduction that is combined with what its field holds must find values. */
static kata_status check_reduced(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        const chain_binding *b = &loop->bindings[p];
        bool reads = ir_param_is_column_reduction(param) && param->accumulates;
        if (!reads || !(b->slot->temporary || b->slot->tracked || b->slot->discarded)) continue;
        message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, param->at,
                         "'%s' adds to values that may not be there", param->name);
        legality_say_where(loop, m);
        message_line(m, "field '%s' %s", b->name,
                     b->slot->temporary ? "is temporary" : "was discarded");
        message_line(m, "declare it '%s', which starts afresh, or give it a field that lasts",
                     ir_param_kind_name(param->kind));
        return message_send(m);
    }
    return KATA_OK;
}

kata_status legality_check_values(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_access *access = grid_box_is_empty(&loop->box) ? NULL : find_read(loop);
    if (!access) return check_reduced(loop, m);
    const char *field = loop->bindings[access->param].name;
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, access->at,
                     "'%s' reads a value that was discarded", kernel->params[access->param].name);
    legality_say_where(loop, m);
    message_line(m, "field '%s' has no values since kata_discard, or a kata_load that failed",
                 field);
    message_line(m,
                 "write all of '%s' first, by a kernel applied to kata_all(g) or by kata_put, or "
                 "leave out the kata_discard",
                 field);
    return message_send(m);
}
