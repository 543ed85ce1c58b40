/* Files that grow: space for what comes, and writes at a place. */
#ifndef IO_GROWING_H
#define IO_GROWING_H

#include "io/io.h"

#include <sys/types.h>

/* Reserves space behind an open file, which still has its name. Returns 0 or an errno value; file
 * systems that cannot reserve are believed to have it. */
int io_reserve(int file, size_t bytes);
/* Writes all. Returns 0 or an errno value. */
int io_write_at(int file, off_t position, const void *data, size_t size);
/* Begins a file that is open as *file from now on, and appears at its path when its first part is
 * whole. Returns 0, then io_grow_end must be called; or the error. */
int io_grow_begin(file_draft *draft, const char *path, int *file);
/* Shows the file; or, if writing has failed, removes and closes it (*file becomes -1). Returns the
 * first error. */
int io_grow_end(file_draft *draft, int *file, int error);

#endif
