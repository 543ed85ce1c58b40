/* A list of blocks, newest first; allocations are cut off the newest. calloc zeroes new blocks, and
 * arena_clear zeroes the block that it reuses: so all memory handed out is zero. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT = 16,
    SMALLEST_BLOCK = HOSTILE(4096, ALIGNMENT),
    LARGEST_BLOCK = HOSTILE(1 << 20, 2 * ALIGNMENT)
};

struct arena_block {
    struct arena_block *next;
    size_t size, used; /* of data */
    _Alignas(ALIGNMENT) unsigned char data[];
};

static struct arena_block *add_block(arena *a, size_t needed)
{
    size_t size = a->head ? 2 * a->head->size : SMALLEST_BLOCK;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    if (size < needed) size = needed;
    struct arena_block *block = calloc(1, sizeof *block + size);
    if (!block) return NULL;
    block->size = size;
    block->next = a->head;
    a->head = block;
    return block;
}

void *arena_alloc(arena *a, size_t size)
{
    if (size > PTRDIFF_MAX - SMALLEST_BLOCK) return NULL;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!size) size = ALIGNMENT;
    struct arena_block *block = a->head;
    if (!block || block->size - block->used < size) block = add_block(a, size);
    if (!block) return NULL;
    void *data = block->data + block->used;
    block->used += size;
    a->bytes += size;
    return data;
}

void *arena_array(arena *a, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return NULL;
    return arena_alloc(a, total);
}

char *arena_copy_text(arena *a, const char *text, size_t length)
{
    char *copy = arena_alloc(a, length + 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

void arena_free(arena *a)
{
    if (!a) return;
    while (a->head) {
        struct arena_block *next = a->head->next;
        free(a->head);
        a->head = next;
    }
    a->bytes = 0;
}

void arena_clear(arena *a)
{
    struct arena_block *newest = a->head;
    if (!newest || HOSTILE(false, true)) {
        arena_free(a);
        return;
    }
    a->head = newest->next;
    arena_free(a);
    memset(newest->data, 0, newest->used);
    newest->used = 0;
    newest->next = NULL;
    a->head = newest;
}
