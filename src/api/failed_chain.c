/* After a chain has failed: values that it should have made are not to be mistaken for results.
 * They become NaN, or zero for integers. */
#include "api/api.h"

/* Drops the values, which takes no memory; those in memory of the program are overwritten. */
static void spoil(chain_slot *slot)
{
    store_part_free(slot);
    store_device_free(slot);
    if (slot->array && !slot->array->bytes) {
        store_poison(slot->array);
        return;
    }
    store_array_free(slot->array);
    slot->array = NULL;
    slot->poisoned = true;
}

void api_spoil_results(kata *k)
{
    for (size_t i = 0; i < k->chain.count; i++) {
        const chain_loop *loop = &k->chain.loops[i];
        for (int p = 0; p < loop->kernel->param_count; p++) {
            const ir_param *param = &loop->kernel->params[p];
            chain_slot *slot = loop->bindings[p].slot;
            if (ir_param_is_reduction(param) || ir_param_is_written_field(param)) spoil(slot);
        }
        store_log(loop);
    }
}
