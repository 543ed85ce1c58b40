/* What only the files of columns share. */
#ifndef IO_NUMBER_ROWS_H
#define IO_NUMBER_ROWS_H

#include "io/growing.h"

#include <pthread.h>

struct io_columns {
    arena memory; /* of names */
    const char *path;
    bool hdf5;
    int count, width; /* columns; numbers of a row, its time first */
    const io_column *columns;
    int file; /* -1 before the first rows */
    int64_t rows;
    double last;          /* time, of the last of them */
    off_t end;            /* of a file of text */
    pthread_mutex_t lock; /* of the rows that wait */
    double *waiting;
    size_t wait_count, wait_room; /* numbers */
    bool asked;                   /* for them to be written */
};

/* rows_text.c: CSV. Adds rows to the file, which begins with them if there is none. Returns 0 or
 * an errno value; then the file is as it was. */
int io_columns_text(io_columns *c, const double *rows, int64_t count);
/* rows_hdf5.c: the same in HDF5, which may give a reason. */
int io_columns_hdf5(io_columns *c, const double *rows, int64_t count, text *reason);

#endif
