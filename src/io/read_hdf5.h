/* What only the files that read HDF5 share. */
#ifndef IO_READ_HDF5_H
#define IO_READ_HDF5_H

#include "io/reading.h"
#include "reader/reader.h"

#include <sys/types.h>

/* ---- reader_process.c ------------------------------------------------------------------------ */

/* A process that answers. */
typedef struct io_reader {
    pid_t pid;
    int in;      /* -1: it was ended */
    double left; /* seconds for which it may still be waited */
} io_reader;

/* Lets the program at a path answer a request about an open file. *reply is checked, its texts are
 * terminated. False, with *reason (a text that is never freed, or within *reply; NULL: memory is
 * out), on failure. */
bool io_reader_start(io_reader *p, const char *program, int file, const reader_request *request,
                     reader_reply *reply, const char **reason);
/* Takes the next bytes of values. False, with a reason, on failure. */
bool io_reader_take(io_reader *p, void *values, size_t bytes, const char **reason);
void io_reader_end(io_reader *p);

/* ---- hdf5_read.c ----------------------------------------------------------------------------- */

/* Asks about the file at a path, with the program where it is installed; `values` receives
 * request->bytes bytes. */
kata_status io_reader_ask(const char *path, const reader_request *request, reader_reply *reply,
                          void *values, messages *m);

#endif
