/* Whether a copy may be queued. Its ranges lie in the fields, and are of one shape. */
#include "legality/checks.h"

#include <stdio.h>

enum { LONGEST = 300 };

/* "main.c:17: kata_copy" */
static const char *call_of(const chain_loop *loop, char out[LONGEST])
{
    if (loop->file)
        snprintf(out, LONGEST, "%s:%d: kata_copy", loop->file, loop->line);
    else
        snprintf(out, LONGEST, "kata_copy");
    return out;
}

static kata_status check_values_alike(const chain_loop *loop, messages *m)
{
    const chain_binding *from = &loop->bindings[CHAIN_COPY_FROM];
    const chain_binding *to = &loop->bindings[CHAIN_COPY_TO];
    char call[LONGEST];
    if (from->slot->type != to->slot->type)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "%s: field '%s' holds %s, field '%s' %s; copies do not convert values, "
                            "kernels do: first into a field of the same type and grid",
                            call_of(loop, call), from->name, ir_storages[from->slot->type].name,
                            to->name, ir_storages[to->slot->type].name);
    if (from->slot->on != to->slot->on || from->slot->each != to->slot->each)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "%s: field '%s' lies elsewhere than field '%s', on cells, edges or "
                            "vertices; a kernel brings values from one to the other",
                            call_of(loop, call), from->name, to->name);
    if (from->slot->components != to->slot->components)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "%s: field '%s' has %d component%s, field '%s' has %d; all components "
                            "are copied",
                            call_of(loop, call), from->name, from->slot->components,
                            from->slot->components > 1 ? "s" : "", to->name, to->slot->components);
    return KATA_OK;
}

/* Points are copied in any order, so none may be read after it was written. */
static kata_status check_apart(const chain_loop *loop, messages *m)
{
    const chain_binding *to = &loop->bindings[CHAIN_COPY_TO];
    grid_box source = chain_copy_source(loop->copy, &loop->box);
    char call[LONGEST];
    if (loop->bindings[CHAIN_COPY_FROM].slot != to->slot || !grid_box_meet(&source, &loop->box))
        return KATA_OK;
    grid_box both = grid_box_intersect(&source, &loop->box);
    both = legality_shown(loop, &both);
    text box = {0};
    grid_box_print(&box, &both, loop->shape.rank);
    message_fail(m, KATA_ERROR_ARGUMENT,
                 "%s: field '%s' is copied to itself, and the two ranges overlap at %s; copy by "
                 "way of another field",
                 call_of(loop, call), to->name, text_get(&box));
    text_free(&box);
    return m->status;
}

static kata_status refuse_unset(const chain_loop *loop, const grid_box *missing, messages *m)
{
    const chain_binding *from = &loop->bindings[CHAIN_COPY_FROM];
    char call[LONGEST];
    text box = {0};
    const grid_box shown = legality_shown(loop, missing);
    grid_box_print(&box, &shown, from->slot->shape.rank);
    message_fail(m, KATA_ERROR_APPLICATION,
                 from->slot->temporary
                     ? "%s: field '%s', which is temporary, has no values at %s in this time step"
                     : "%s: field '%s' was not written at %s since it was discarded",
                 call_of(loop, call), from->name, text_get(&box));
    text_free(&box);
    return m->status;
}

/* Values that are read were written. */
static kata_status check_set(const chain_loop *loop, messages *m)
{
    const chain_binding *from = &loop->bindings[CHAIN_COPY_FROM];
    grid_box source = chain_copy_source(loop->copy, &loop->box), missing;
    char call[LONGEST];
    if (from->slot->discarded)
        return message_fail(m, KATA_ERROR_APPLICATION,
                            "%s: the value of field '%s' was discarded; it cannot be read before "
                            "all of it is written again",
                            call_of(loop, call), from->name);
    bool set = !from->slot->tracked || grid_region_holds(&from->slot->set, &source, &missing);
    return set ? KATA_OK : refuse_unset(loop, &missing, m);
}

kata_status legality_check_copy(const chain_loop *loop, messages *m)
{
    kata_status status = check_values_alike(loop, m);
    if (!status) status = check_apart(loop, m);
    return status ? status : check_set(loop, m);
}
