#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#ifdef KATA_HOSTILE
#include <malloc.h>
/* As realloc, but always to another address: stale pointers into the old array then show. */
static void *move(void *data, size_t bytes)
{
    size_t old = data ? malloc_usable_size(data) : 0;
    void *moved = malloc(bytes);
    if (!moved) return NULL;
    if (data) memcpy(moved, data, old < bytes ? old : bytes);
    free(data);
    return moved;
}
#endif

bool vector_reserve(void **data, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) return true;
    size_t grown = *capacity < 8 ? 8 : *capacity + *capacity / 2;
    if (grown < needed || (HOSTILE(false, true) && needed < 2000)) grown = needed;
    size_t bytes;
    if (__builtin_mul_overflow(grown, size, &bytes)) return false;
    void *moved = HOSTILE(realloc, move)(*data, bytes);
    if (!moved) return false;
    if (HOSTILE(false, true))
        memset((char *)moved + *capacity * size, HOSTILE_JUNK, bytes - *capacity * size);
    *data = moved;
    *capacity = grown;
    return true;
}
