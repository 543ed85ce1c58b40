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
    if (slot->array) return slot->array;
    slot->array = store_array_new(&slot->shape, slot->type, slot->components);
    if (slot->array && slot->poisoned) store_poison(slot->array);
    if (slot->array) slot->poisoned = false;
    return slot->array;
}
