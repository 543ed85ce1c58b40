/* port: moves bytes between this machine's memory and one farther away, beside the work. Today that
 * is a file on a disk.
 *
 * A file has no name, and is gone when it is closed or the process ends, however that happens. It
 * can be mapped, so that all code finds its bytes in memory; and moved from and to other memory by
 * a port, past the cache of the system. Nobody does both at the same time. */
#ifndef PORT_PORT_H
#define PORT_PORT_H

#include "base/base.h"

enum {
    PORT_ALIGN = 4096,    /* of files, and of rings */
    PORT_LEAST_UNIT = 512 /* of port_unit */
};
/* What addresses, places in files and sizes that are moved are multiples of, on the disk of a
 * folder: PORT_LEAST_UNIT where it takes that, otherwise PORT_ALIGN. */
int64_t port_unit(const char *folder);

typedef struct port_file port_file;
/* A file of so many bytes, all zero, on the disk of a folder, which has room for all of them. Moves
 * are of planes of `plane` bytes. NULL, and *why says what is wrong, when it cannot be had. */
port_file *port_file_new(const char *folder, size_t bytes, size_t plane, text *why);
void port_file_free(port_file *file);
/* The memory that the file is mapped to. */
void *port_file_memory(const port_file *file);
/* Gives back the process's memory for a part of the mapped memory; what has changed in it stays. */
void port_file_leave(port_file *file, const void *from, const void *to);
/* Before moves: writes what has changed in the mapped memory to the disk, and forgets it. False
 * when that fails. */
bool port_file_settle(port_file *file);
/* After moves, which have ended: until somebody writes to the mapped memory, what they have written
 * and read is known, and what other moves read is compared with it. */
void port_file_moved(port_file *file);

/* Threads that move. */
typedef struct port port;
/* `rate`: bytes per second that all moves together do not exceed; 0: as fast as they go. NULL when
 * memory or threads are out. */
port *port_open(double rate);
void port_close(port *p);
/* Starts a move between memory and a place in a file. Moves of one direction are waited for
 * together. False when memory is out. */
bool port_start(port *p, bool out, port_file *file, size_t place, void *memory, size_t bytes);
/* Waits for all moves of a direction. False when one has failed since the last call of
 * port_failed. */
bool port_wait(port *p, bool out);

/* A piece of a move that has failed. */
typedef struct port_failure {
    bool out;
    const port_file *file;
    size_t place, bytes;
    int error; /* a number of the system; PORT_DAMAGED: what was read is not what was written */
} port_failure;
enum { PORT_DAMAGED = -1 };
/* The first one since the last call; false: there was none. */
bool port_failed(port *p, port_failure *failure);
/* Bytes that were moved so far. */
size_t port_moved(const port *p, bool out);
/* Seconds so far in which something was to be moved. */
double port_busy(port *p);

/* Memory for rings. It keeps its size when rings are freed, so that later ones have it at once. */
typedef struct port_rings port_rings;
/* NULL when memory is out. */
port_rings *port_rings_open(void);
/* After all rings were freed. */
void port_rings_close(port_rings *rings);
/* Gives back what is more than so many bytes, unless there are rings. */
void port_rings_keep(port_rings *rings, size_t bytes);
/* Bytes of all rings at most: the system limits this memory as it limits files (ulimit -f). */
int64_t port_rings_most(void);

/* The bytes of a ring for at least so many: a multiple of PORT_ALIGN, and of a huge page where that
 * adds little. */
size_t port_ring_bytes(size_t least);
/* Memory of `bytes`, of port_ring_bytes, that lies twice, one after the other, at `times` places
 * each 2 * bytes apart: what is written to one is read from the other. It is not set. Some bytes
 * behind may be read, too. NULL when memory is out. */
void *port_ring_new(port_rings *rings, size_t bytes, int times);
void port_ring_free(port_rings *rings, void *ring, size_t bytes, int times);

#endif
