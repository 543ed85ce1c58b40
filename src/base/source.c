#include "base/base.h"

const source *source_holding(const source *first, uint32_t at)
{
    const source *s = first;
    while (s->next && at >= s->next->start) s = s->next;
    return s;
}
