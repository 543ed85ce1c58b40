/* What ends all ranks when one of them has no room for values. */
#include "exec/ranks.h"

#include <stdio.h>

enum { LONGEST_MESSAGE = 4000 };

void ranks_no_room(const struct exec_ranks *r, chain_slot *const *slots, size_t count)
{
    const char *folder = NULL, *why = NULL;
    for (size_t i = 0; i < count && !why; i++) why = store_no_disk(slots[i], &folder);
    char message[LONGEST_MESSAGE] = "out of memory";
    if (why)
        snprintf(message, sizeof message,
                 "a part of a field needs room on the disk of the folder '%s': %s", folder, why);
    comm_give_up(r->comm, message);
}
