/* kata_discard: the values of a field are not needed any more. */
#include "api/api.h"

/* Whether boundary rules may hide some of the values. */
static bool has_hidden(const chain_slot *slot)
{
    for (int d = 0; d < 3; d++)
        if (slot->ghosts[d] || slot->staggered[d]) return true;
    return false;
}

void api_lose_values(kata_field *field)
{
    kata *k = field->k;
    chain_slot *slot = field->slot;
    grid_region_clear(&slot->set);
    slot->tracked = slot->tracked || has_hidden(slot);
    if (!slot->tracked) slot->discarded = k->discarded = true;
}

kata_status kata_discard(kata_field *field)
{
    if (!field) return api_null("kata_discard", "the field");
    kata *k = field->k;
    kata_status status = k->messages.status;
    if (!status) status = api_check_unmapped(field, "kata_discard");
    if (status) return status;
    api_lose_values(field);
    if (!field->slot->discarded || k->chain.count) return KATA_OK;
    api_release_discarded(k);
    store_pool_empty(k->pool); /* the program may want it */
    return KATA_OK;
}
