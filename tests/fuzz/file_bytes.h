/* Bytes given to the readers of files as a file. */
#ifndef TESTS_FUZZ_FILE_BYTES_H
#define TESTS_FUZZ_FILE_BYTES_H

#include "base/base.h"

typedef enum file_kind { FILE_PNG, FILE_NPY, FILE_HDF5, FILE_KINDS } file_kind;

/* By the first bytes; HDF5 where they say nothing. */
file_kind file_kind_of(const uint8_t *data, size_t size);
/* Reads the bytes in every way that the library does, and checks what must hold of the outcome;
 * ends the process where it does not. Returns how many of the ways read values. */
int file_bytes_read(const uint8_t *data, size_t size);

#endif
