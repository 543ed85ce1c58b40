/* No two points of a loop may touch one value when one of them writes it: a slot has one writer,
 * and no component that is written is read at an offset. */
#include "analysis/analysis.h"

static bool is_written(const ir_param *param)
{
    return ir_param_is_written_field(param) || ir_param_is_reduction(param);
}

/* Refuses a slot bound to two written parameters. */
static kata_status check_one_writer(const chain_loop *loop, int first, int second, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const chain_binding *binding = &loop->bindings[first];
    const char *kind = binding->slot->is_scalar ? "scalar" : "field";
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, kernel->params[second].at,
                     "parameters '%s' and '%s' both write %s '%s'", kernel->params[first].name,
                     kernel->params[second].name, kind, binding->name);
    analysis_say_where(loop, m);
    message_line(m, "give each of them a %s of its own", kind);
    return message_send(m);
}

static kata_status check_writers(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    for (int second = 0; second < kernel->param_count; second++) {
        if (!is_written(&kernel->params[second])) continue;
        for (int first = 0; first < second; first++)
            if (is_written(&kernel->params[first]) &&
                loop->bindings[first].slot == loop->bindings[second].slot)
                return check_one_writer(loop, first, second, m);
    }
    return KATA_OK;
}

/* The store through which the kernel writes what an access reads, NULL when it does not. */
static const ir_store *writer_of(const chain_loop *loop, const ir_access *access)
{
    const ir_kernel *kernel = loop->kernel;
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *store = &kernel->stores[i];
        if (loop->bindings[store->param].slot == loop->bindings[access->param].slot &&
            store->component == access->component)
            return store;
    }
    return NULL;
}

static kata_status refuse_read(const chain_loop *loop, const ir_access *access,
                               const ir_store *store, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *read = &kernel->params[access->param], *write = &kernel->params[store->param];
    const char *field = loop->bindings[access->param].name;
    char offset[ANALYSIS_NAME];
    analysis_print_offset(offset, access, loop->shape.rank);
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, access->at,
                     "'%s' is read at %s while other points write it", read->name, offset);
    analysis_say_where(loop, m);
    if (read == write)
        message_line(m, "field '%s' is given for '%s', which the kernel also writes%s", field,
                     read->name, read->count > 1 ? " in this component" : "");
    else
        message_line(m, "field '%s' is given both for '%s' (%s) and for '%s' (%s)", field,
                     read->name, ir_param_kind_name(read->kind), write->name,
                     ir_param_kind_name(write->kind));
    message_line(m, "write to a second field and exchange the two with kata_swap");
    message_note_at(m, kernel->text, store->at, "it is written here");
    return message_send(m);
}

kata_status analysis_check_conflicts(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    kata_status status = check_writers(loop, m);
    if (status != KATA_OK) return status;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *access = &kernel->accesses[i];
        const int32_t *o = access->offset;
        if (o[0] == 0 && o[1] == 0 && o[2] == 0) continue;
        const ir_store *store = writer_of(loop, access);
        if (store) return refuse_read(loop, access, store, m);
    }
    return KATA_OK;
}
