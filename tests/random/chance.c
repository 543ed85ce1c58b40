#include "random.h"

#include <stdarg.h>
#include <stdlib.h>

/* splitmix64, by Steele, Lea and Flood (2014) */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t chance_hash(uint64_t a, uint64_t b) { return mix(mix(a + 0x9e3779b97f4a7c15u) ^ b); }

uint64_t chance_bits(chance *c) { return mix(c->state += 0x9e3779b97f4a7c15u); }

int chance_from(chance *c, int low, int high)
{
    return low + (int)(chance_bits(c) % (uint64_t)(high - low + 1));
}

bool chance_of(chance *c, int percent) { return chance_from(c, 0, 99) < percent; }

double chance_fraction(chance *c) { return (double)(chance_bits(c) >> 11) * 0x1p-53; }

/* ---- memory ---------------------------------------------------------------------------------- */

struct pool_block {
    struct pool_block *next;
    _Alignas(16) char data[];
};

void *pool_new(pool *p, size_t size)
{
    struct pool_block *block = calloc(1, sizeof *block + size);
    if (!block) exit(99);
    block->next = p->blocks;
    p->blocks = block;
    return block->data;
}

char *pool_text(pool *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = pool_new(p, (size_t)length + 1);
    va_start(list, format);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    return text;
}

void pool_free(pool *p)
{
    while (p->blocks) {
        struct pool_block *next = p->blocks->next;
        free(p->blocks);
        p->blocks = next;
    }
}
