/* What the files of the NPY format share. */
#ifndef IO_NPY_H
#define IO_NPY_H

#include "io/reading.h"

#include <stdio.h>

/* A type of values in a file, and the smallest of ours that holds each. */
typedef struct io_npy_type {
    char name[3]; /* NumPy's: a kind and a number of bytes */
    kata_type type;
    int bytes;      /* of a value in the file */
    bool is_signed; /* of integers */
} io_npy_type;

enum { IO_LONGEST_HEADER = 1 << 16 };

/* A file being read. */
typedef struct io_npy_reader {
    FILE *file;
    io_array array;
    const io_npy_type *type;
    bool swapped; /* its bytes are in the other order than this machine's */
    bool fortran; /* its first axis is the fastest */
    char header[IO_LONGEST_HEADER + 1];
    const char *at;   /* in the header */
    char reason[160]; /* of a failure */
} io_npy_reader;

/* Notes the reason of a failure, unless there is one. Returns false. */
bool io_npy_fail(io_npy_reader *r, const char *reason);
bool io_npy_read_bytes(io_npy_reader *r, void *to, size_t size);
/* Reads the header of an open file, up to its values, whose number of bytes is what it says. */
bool io_npy_read_header(io_npy_reader *r);

#endif
