#include "base/base.h"

#include <stdlib.h>

bool vector_reserve(void **data, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) return true;
    size_t grown = *capacity < 8 ? 8 : *capacity + *capacity / 2;
    if (grown < needed) grown = needed;
    size_t bytes;
    if (__builtin_mul_overflow(grown, size, &bytes)) return false;
    void *moved = realloc(*data, bytes);
    if (!moved) return false;
    *data = moved;
    *capacity = grown;
    return true;
}
