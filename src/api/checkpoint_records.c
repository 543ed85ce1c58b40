/* Bytes that grow, and records in them: of a kind, a name and bytes. */
#include "api/checkpoint.h"

#include <stdlib.h>
#include <string.h>

/* ---- bytes ----------------------------------------------------------------------------------- */

void checkpoint_put(checkpoint_bytes *b, const void *data, size_t size)
{
    b->failed = b->failed || !vector_reserve((void **)&b->data, &b->capacity, b->count + size, 1);
    if (b->failed || !size) return;
    memcpy(b->data + b->count, data, size);
    b->count += size;
}

void checkpoint_get(checkpoint_bytes *b, void *data, size_t size)
{
    b->failed = b->failed || size > b->count - b->at;
    memset(data, 0, size);
    if (b->failed || !size) return;
    memcpy(data, b->data + b->at, size);
    b->at += size;
}

void checkpoint_free(checkpoint_bytes *b)
{
    free(b->data);
    *b = (checkpoint_bytes){.data = NULL};
}

/* ---- records --------------------------------------------------------------------------------- */

size_t checkpoint_begin(checkpoint_bytes *b, int32_t kind, const char *name)
{
    const size_t at = b->count;
    const checkpoint_header h = {kind, (int32_t)strlen(name), 0};
    checkpoint_put(b, &h, sizeof h);
    checkpoint_put(b, name, strlen(name));
    return at;
}

void checkpoint_end(checkpoint_bytes *b, size_t at)
{
    checkpoint_header h;
    if (b->failed) return;
    memcpy(&h, b->data + at, sizeof h);
    h.bytes = (int64_t)(b->count - at - sizeof h) - h.length;
    memcpy(b->data + at, &h, sizeof h);
}

bool checkpoint_next(checkpoint_bytes *b, checkpoint_header *h, char name[CHECKPOINT_LONGEST + 1],
                     checkpoint_bytes *record)
{
    if (b->at == b->count) return false;
    checkpoint_get(b, h, sizeof *h);
    b->failed = b->failed || h->length < 0 || h->length > CHECKPOINT_LONGEST || h->bytes < 0;
    if (b->failed) return false;
    checkpoint_get(b, name, (size_t)h->length);
    name[h->length] = '\0';
    b->failed = b->failed || (uint64_t)h->bytes > b->count - b->at;
    if (b->failed) return false;
    *record = (checkpoint_bytes){.data = b->data + b->at, .count = (size_t)h->bytes};
    b->at += (size_t)h->bytes;
    return true;
}

bool checkpoint_find(const checkpoint_bytes *state, int32_t kind, const char *wanted,
                     checkpoint_bytes *record)
{
    checkpoint_bytes all = {.data = state->data, .count = state->count};
    checkpoint_header h;
    char name[CHECKPOINT_LONGEST + 1];
    while (checkpoint_next(&all, &h, name, record))
        if (h.kind == kind && !strcmp(name, wanted)) return true;
    return false;
}
