/* Kernels that do the work of several: a list, and what all of them have. */
#include "exec/joined_kernel.h"

#include <stdlib.h>
#include <string.h>

joined_kernel *joined_kernel_find(joined_kernel *list, uint64_t key)
{
    while (list && list->key != key) list = list->next;
    return list;
}

joined_kernel *joined_kernel_get(joined_kernel **list, uint64_t key, bool *is_new)
{
    joined_kernel *known = joined_kernel_find(*list, key);
    *is_new = !known;
    if (known) return known;
    known = calloc(1, sizeof *known);
    if (!known) return NULL;
    *known = (joined_kernel){.key = key, .next = *list};
    *list = known;
    return known;
}

static const char *join_names(const ir_kernel *const *kernels, int count, const char *between,
                              arena *memory)
{
    text name = {0};
    for (int i = 0; i < count; i++) text_add(&name, "%s%s", i ? between : "", kernels[i]->name);
    char *own = name.failed ? NULL : arena_copy_text(memory, text_get(&name), name.length);
    text_free(&name);
    return own;
}

ir_kernel *joined_kernel_begin(joined_kernel *joined, const ir_kernel *const *kernels, int count,
                               const ir_param *params, int param_count)
{
    arena *memory = &joined->memory;
    ir_kernel *k = arena_alloc(memory, sizeof *k);
    ir_param *own = arena_array(memory, (size_t)param_count + 1, sizeof *own);
    const char *name = join_names(kernels, count, "_", memory);
    joined->names = join_names(kernels, count - 1, "\", \"", memory);
    joined->last = join_names(kernels + count - 1, 1, "", memory);
    if (!k || !own || !name || !joined->names || !joined->last) return NULL;
    memcpy(own, params, (size_t)param_count * sizeof *own);
    *k = (ir_kernel){.name = name, .params = own, .param_count = param_count, .real_param = -1};
    for (int p = 0; p < param_count; p++)
        if (own[p].kind == IR_PARAM_TABLE) k->table_elements += own[p].count;
    return k;
}

void joined_kernel_end(joined_kernel *joined, ir_kernel *kernel, bool keeps)
{
    if (keeps)
        joined->kernel = kernel;
    else
        ir_kernel_free(kernel);
}

void joined_kernels_free(joined_kernel **list)
{
    while (*list) {
        joined_kernel *first = *list;
        *list = first->next;
        ir_kernel_free(first->kernel);
        arena_free(&first->memory);
        free(first);
    }
}
