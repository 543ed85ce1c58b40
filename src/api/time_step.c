/* Where a time step ends. */
#include "api/api.h"

kata_status kata_step(kata *k)
{
    if (!k) return api_null("kata_step", "the context");
    if (k->messages.status) return k->messages.status;
    k->work.steps++;
    for (struct api_slot *s = k->slots; s; s = s->next)
        if (s->slot.temporary) grid_region_clear(&s->slot.set);
    kata_status status = api_end_step(k);
    if (!status) status = api_output_look(k);
    return status || !k->checkpoint ? status : api_checkpoint_step(k);
}
