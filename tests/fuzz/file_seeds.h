/* Small good files of every kind that the readers know, to be mutated. */
#ifndef TESTS_FUZZ_FILE_SEEDS_H
#define TESTS_FUZZ_FILE_SEEDS_H

#include "file_bytes.h"

enum { MOST_SEEDS = 64 };

typedef struct file_seed {
    uint8_t *data; /* malloc'd */
    size_t size;
} file_seed;

/* Writes the files to the present folder, reads them, removes them unless they are to stay. Returns
 * their number. */
int file_seeds_make(file_seed seeds[MOST_SEEDS], bool stay);

#endif
