/* The list of executors, and what they share. */
#include "exec/exec.h"

#include <string.h>

static const exec_executor *const executors[] = {&exec_cpu, &exec_reference};

const exec_executor *exec_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(executors); i++)
        if (strcmp(executors[i]->name, name) == 0) return executors[i];
    return NULL;
}

store_array *exec_slot_array(chain_slot *slot)
{
    if (!slot->array) slot->array = store_array_new(&slot->shape, slot->type, slot->components);
    return slot->array;
}

ir_value exec_scalar(const chain_slot *slot, int element)
{
    ir_value value = {0};
    const store_array *a = slot->array;
    size_t size = (size_t)store_type_bytes(slot->type);
    if (a) memcpy(&value, (const char *)a->data + element * a->pitch_component * (int)size, size);
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
