/* The list of executors, and what they share. */
#include "exec/exec.h"

#include <string.h>

static const exec_executor *const executors[] = {&exec_cpu, &exec_reference, &exec_plan};

const exec_executor *exec_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(executors); i++)
        if (strcmp(executors[i]->name, name) == 0) return executors[i];
    return NULL;
}

const char *exec_name(int i) { return i < (int)COUNT_OF(executors) ? executors[i]->name : NULL; }

store_array *exec_array_new(const chain_slot *slot)
{
    grid_box box = chain_slot_memory(slot);
    return store_array_new(&box, slot->type, slot->components, slot->layout);
}

/* What was asked for and cannot be had is said, a line for each reason. */
static void warn_of_refusals(const plan *p, const char *method, const chain *c, messages *m)
{
    text lines = {0};
    int loops = 0;
    for (int i = 0; i < p->refusal_count; i++) {
        const plan_refusal *r = &p->refusals[i];
        text_add(&lines, "%s'%s'", i ? "\n  " : "", c->loops[r->first].kernel->name);
        if (r->loops > 1) text_add(&lines, " and %d more", r->loops - 1);
        text_add(&lines, ": %s", r->why);
        loops += r->loops;
    }
    if (loops)
        message_warn(m, text_get(&lines),
                     "the method '%s' cannot be used for %d of the %zu loops of a chain: they run "
                     "one after another",
                     method, loops, c->count);
    text_free(&lines);
}

const plan *exec_plan_of(exec_context *context, const plan_request *request, const chain *c,
                         const analysis_chain **analysis, messages *m)
{
    bool is_new;
    if (!context->plans) context->plans = plan_cache_new();
    const plan *p =
        context->plans ? plan_cache_get(context->plans, c, request, analysis, &is_new) : NULL;
    if (!p) message_no_memory(m);
    if (p && is_new) warn_of_refusals(p, request->method, c, m);
    return p;
}

store_array *exec_slot_array(chain_slot *slot)
{
    if (slot->array) return slot->array;
    slot->array = exec_array_new(slot);
    if (slot->array && slot->poisoned) store_poison(slot->array);
    if (slot->array) slot->poisoned = false;
    return slot->array;
}

codegen_rows exec_slot_rows(const chain_slot *slot)
{
    const store_array *a = slot->array;
    if (slot->components > 1 && (a ? a->block > 1 : slot->layout == KATA_BLOCKS))
        return CODEGEN_BLOCKED;
    if (a ? a->pitch_x == 1 : slot->components == 1 || slot->layout == KATA_ARRAYS)
        return CODEGEN_CONTIGUOUS;
    return !a || a->pitch_x == slot->components ? CODEGEN_TOGETHER : CODEGEN_STRIDED;
}

ir_value exec_scalar(const chain_slot *slot, int element)
{
    ir_value value = {0};
    const store_array *a = slot->array;
    size_t size = (size_t)store_type_bytes(slot->type);
    if (a) memcpy(&value, (const char *)a->data + element * a->pitch_component * (int)size, size);
    if (!a && slot->poisoned) store_poison_values(slot->type, &value, 1);
    return value;
}

bool exec_scalar_set(chain_slot *slot, int element, ir_value value)
{
    const store_array *a = exec_slot_array(slot);
    size_t size = (size_t)store_type_bytes(slot->type);
    if (a) memcpy((char *)a->data + element * a->pitch_component * (int)size, &value, size);
    return a != NULL;
}

void exec_log(const chain_loop *loop)
{
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const chain_binding *b = &loop->bindings[p];
        if (!b->log) continue;
        ir_value *entry = b->log->values + b->entry % b->log->room * b->slot->components;
        for (int i = 0; i < b->slot->components; i++) entry[i] = exec_scalar(b->slot, i);
    }
}

kata_status exec_make_array(chain_slot *slot, const char *name, messages *m)
{
    if (exec_slot_array(slot)) return KATA_OK;
    grid_box all = chain_slot_memory(slot);
    double bytes = (double)grid_box_points(&all) * slot->components * store_type_bytes(slot->type);
    return message_fail(m, KATA_ERROR_MEMORY, "out of memory: field '%s' needs %.1f GB", name,
                        bytes / 1e9);
}

kata_status exec_make_arrays(const chain_loop *loop, messages *m)
{
    kata_status status = KATA_OK;
    for (int p = 0; p < loop->kernel->param_count && status == KATA_OK; p++) {
        const chain_binding *b = &loop->bindings[p];
        if (ir_param_is_field(&loop->kernel->params[p]))
            status = exec_make_array(b->slot, b->name, m);
    }
    return status;
}
