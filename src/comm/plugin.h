/* What the library and the plugin for MPI share. Functions return NULL, or what went wrong. */
#ifndef COMM_PLUGIN_H
#define COMM_PLUGIN_H

#include "comm/comm.h"

enum { COMM_PLUGIN_VERSION = 1 };

typedef struct comm_plugin {
    int version;
    int rank, ranks, node_ranks; /* after start; node: of this machine */
    const char *(*start)(void);
    const char *(*exchange)(comm_message *list, int count);
    const char *(*gather)(const void *mine, const size_t *starts, void *all);
    void (*give_up)(void);
} comm_plugin;

#define COMM_PLUGIN_FILE "katagami-mpi.so"
#define COMM_PLUGIN_SYMBOL "katagami_mpi"

#endif
