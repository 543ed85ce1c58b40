/* Private to port. */
#ifndef PORT_SPILL_FILE_H
#define PORT_SPILL_FILE_H

#include "port/port.h"

enum { SPILL_PIECE = HOSTILE(2 << 20, PORT_ALIGN) }; /* bytes that are moved at once, at most */

struct port_file {
    int fd, direct; /* the same file; `direct`: past the cache of the system, where that can be */
    void *memory;
    size_t bytes;
    /* spill_sums.c: */
    size_t plane, unit; /* units lie from the beginning of each plane on; its last may be shorter */
    uint64_t *sums;     /* of the units; 0: not known */
    size_t sum_count;
    bool tells; /* the file's time says whether mapped memory was written to */
};

/* ---- spill_sums.c ---------------------------------------------------------------------------- */

/* False when memory is out. The file is mapped, and all zero. */
bool spill_sums_make(port_file *file, size_t plane);
/* Of a move of so many bytes: how many are moved at once. So each unit is in one piece. */
size_t spill_piece(const port_file *file, size_t place, size_t bytes);
/* Before a piece is written; after one was read. False: it is not what was written there. Several
 * threads may do this, with different pieces. */
void spill_sums_note(port_file *file, size_t place, const void *memory, size_t bytes);
bool spill_sums_agree(port_file *file, size_t place, const void *memory, size_t bytes);
/* Before moves: forgets the sums unless the file is as the moves before have left it. */
void spill_sums_settle(port_file *file);

#endif
