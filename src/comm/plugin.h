/* What the library and the plugin for MPI share. Functions return NULL, or what went wrong. */
#ifndef COMM_PLUGIN_H
#define COMM_PLUGIN_H

#include "comm/comm.h"

enum { COMM_PLUGIN_VERSION = 4 };

/* Called while this rank waits, some times a second. `left`: a rank of another machine that has
 * left MPI after so many meetings; -1: none that is known. */
typedef void comm_look(int left, uint64_t meetings);
/* Called when it waits no longer. */
typedef void comm_go_on(void);
/* Called before MPI ends. Returns the meetings that this rank has come to. */
typedef uint64_t comm_leave(void);

typedef struct comm_plugin {
    int version;
    int rank, ranks;                       /* after start, as what follows */
    int node_rank, node_ranks, node_first; /* on this machine; `node_first`: rank of its first */
    bool takes_cuda; /* messages may lie in memory of a CUDA device: the MPI library says so */
    /* `communicator`: an MPI_Comm's address; NULL: all ranks, and MPI is started if need be */
    const char *(*start)(const void *communicator, comm_look *look, comm_go_on *go_on,
                         comm_leave *leave);
    /* Whether a communicator has the ranks of the one that was given to `start`. */
    const char *(*compare)(const void *communicator, bool *same);
    const char *(*exchange)(comm_message *list, int count);
    const char *(*gather)(const void *mine, const size_t *starts, void *all);
    const char *(*largest)(uint64_t *values, int count);
    void (*give_up)(void);
} comm_plugin;

#define COMM_PLUGIN_FILE "katagami-mpi.so"
#define COMM_PLUGIN_SYMBOL "katagami_mpi"

#endif
