/* Private to port. */
#ifndef PORT_SPILL_FILE_H
#define PORT_SPILL_FILE_H

#include "port/port.h"

struct port_file {
    int fd, direct; /* the same file; `direct`: past the cache of the system, where that can be */
    void *memory;
    size_t bytes;
};

#endif
