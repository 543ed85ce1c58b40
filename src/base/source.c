#include "base/base.h"

#include <string.h>

const source *source_holding(const source *first, uint32_t at)
{
    const source *s = first;
    while (s->next && at >= s->next->start) s = s->next;
    return s;
}

bool source_same_line(const source *first, uint32_t a, uint32_t b)
{
    const source *s = source_holding(first, a);
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (source_holding(first, b) != s) return false;
    size_t from = low - s->start, to = high - s->start;
    if (to > s->length) to = s->length;
    return from >= to || !memchr(s->text + from, '\n', to - from);
}
