/* What tests of files share: a context whose messages are kept, and files byte by byte. */
#ifndef TESTS_FILES_WORLD_H
#define TESTS_FILES_WORLD_H

#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef struct world {
    kata *k;
    char message[512];
} world;

static inline void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(((world *)data)->message, sizeof((world *)0)->message, "%s", message);
}

static inline void open_world(world *w)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = keep_message, .handler_data = w});
    assert_non_null(w->k);
}

/* With a limit of memory for fields; 0: none. */
static inline void open_limited(world *w, int64_t memory, int threads)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.memory = memory,
                                     .spill = memory ? "/var/tmp" : NULL,
                                     .threads = threads,
                                     .handler = keep_message,
                                     .handler_data = w});
    if (!w->k) fail_msg("%s", w->message);
}

static inline void close_world(world *w) { assert_int_equal(kata_close(w->k), KATA_OK); }

static inline void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* An NPY file of version 1 with this header and `size` bytes of values. */
static inline void write_npy(const char *path, const char *header, const void *values, size_t size)
{
    char bytes[1024] = "\x93NUMPY\x01";
    size_t length = strlen(header);
    bytes[8] = (char)length;
    memcpy(bytes + 10, header, length);
    memcpy(bytes + 10 + length, values, size);
    write_file(path, bytes, 10 + length + size);
}

#endif
