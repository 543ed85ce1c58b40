/* Values of a file that are all in memory, as if they were read one after another. */
#include "io/reading.h"

#include <stdlib.h>
#include <string.h>

typedef struct in_memory {
    char *values;
    const char *at;
    size_t size;
} in_memory;

static kata_status next(void *data, int64_t count, void *values, messages *m)
{
    in_memory *v = data;
    const size_t bytes = (size_t)count * v->size;
    (void)m;
    memcpy(values, v->at, bytes);
    v->at += bytes;
    return KATA_OK;
}

static void end(void *data)
{
    in_memory *v = data;
    free(v->values);
    free(v);
}

kata_status io_reading_of(io_reading *r, void *values, size_t size, messages *m)
{
    in_memory *v = malloc(sizeof *v);
    if (!v) {
        free(values);
        return message_no_memory(m);
    }
    *v = (in_memory){values, values, size};
    r->data = v;
    r->next = next;
    r->end = end;
    return KATA_OK;
}
