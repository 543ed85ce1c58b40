/* Memory of the program that shows this rank's own values of a field: they are computed elsewhere,
 * where there is room for copies of others' values around them, and copied to it when the program
 * may look. */
#include "api/api.h"

static struct api_slot *owner(chain_slot *slot) { return (struct api_slot *)slot; }

const store_array *api_shown(const chain_slot *slot)
{
    return ((const struct api_slot *)slot)->shown;
}

kata_status api_show_in(kata *k, chain_slot *slot, const store_array *as)
{
    struct api_slot *s = owner(slot);
    s->shown = store_array_wrap(as);
    return s->shown ? api_take_shown(k, slot) : api_no_memory(k);
}

void api_forget_shown(chain_slot *slot) { owner(slot)->shown_version = -1; }

kata_status api_take_shown(kata *k, chain_slot *slot)
{
    struct api_slot *s = owner(slot);
    s->shown_version = slot->version;
    return exec_take_own(&k->exec, slot, s->shown, &k->messages);
}

kata_status api_show_all(kata *k)
{
    kata_status status = k->messages.status;
    bool meets = false, failed = status;
    for (struct api_slot *s = k->slots; s; s = s->next) {
        meets = meets || (s->shown && !failed);
        if (!s->shown || s->shown_version == s->slot.version || s->slot.discarded) continue;
        kata_status shown = exec_show_own(&k->exec, &s->slot, s->shown, &k->messages);
        if (!status) status = shown;
        s->shown_version = s->slot.version;
    }
    return meets
               ? exec_agree(&k->exec, "copy values to memory of the program", status, &k->messages)
               : status;
}
