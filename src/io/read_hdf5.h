/* What only the files that read HDF5 share. */
#ifndef IO_READ_HDF5_H
#define IO_READ_HDF5_H

#include "io/io.h"
#include "reader/reader.h"

/* ---- reader_process.c ------------------------------------------------------------------------ */

/* Lets the program at a path answer a request about an open file. *reply is checked, its texts are
 * terminated; `values` receives request->bytes bytes. False, with *reason (a text that is never
 * freed, or within *reply; NULL: memory is out), on failure. */
bool io_reader_run(const char *program, int file, const reader_request *request,
                   reader_reply *reply, void *values, const char **reason);

/* ---- hdf5_read.c ----------------------------------------------------------------------------- */

/* The same of the file at a path, with the program where it is installed. */
kata_status io_reader_ask(const char *path, const reader_request *request, reader_reply *reply,
                          void *values, messages *m);

#endif
