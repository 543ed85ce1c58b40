/* The plugin for MPI. It has a communicator of its own, so that its messages are not mixed up with
 * those of the program. It starts MPI, and ends it when the process exits, unless the program does
 * so itself. */
#include "comm/plugin.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

static comm_plugin plugin;
static MPI_Comm own;

enum { PIECE = 1 << 30 }; /* the longest message that is sent as one: counts are int */

static const char *failure(int code)
{
    static char why[MPI_MAX_ERROR_STRING + 1];
    int length;
    if (code == MPI_SUCCESS) return NULL;
    MPI_Error_string(code, why, &length);
    return why;
}

/* ---- starting and ending --------------------------------------------------------------------- */

static void finalize(void)
{
    int done = 0;
    if (!MPI_Finalized(&done) && !done) MPI_Finalize();
}

static const char *start_mpi(void)
{
    int begun = 0, level;
    int code = MPI_Initialized(&begun);
    if (code || begun) return failure(code);
    code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    if (!code && level < MPI_THREAD_SERIALIZED)
        return "it does not let another thread than the first one call it";
    if (!code && atexit(finalize)) return "it could not be told to end with the process";
    return failure(code);
}

static const char *start(void)
{
    MPI_Comm node;
    const char *why = start_mpi();
    if (why) return why;
    int code = MPI_Comm_dup(MPI_COMM_WORLD, &own);
    if (!code) code = MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    if (!code) code = MPI_Comm_rank(own, &plugin.rank);
    if (!code) code = MPI_Comm_size(own, &plugin.ranks);
    if (!code) code = MPI_Comm_split_type(own, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (code) return failure(code);
    code = MPI_Comm_size(node, &plugin.node_ranks);
    if (!code) code = MPI_Comm_free(&node);
    return failure(code);
}

static void give_up(void) { MPI_Abort(own, EXIT_FAILURE); }

/* ---- waiting --------------------------------------------------------------------------------- */

/* Where ranks have no cores of their own, one that waits lets others run: it looks often at first,
 * and soon sleeps between looks. */
static void pause_after(int looks)
{
    enum { BUSY = 2000, YIELDS = 4000, NAP = 20000 };
    const struct timespec nap = {0, NAP};
    if (looks < BUSY) return;
    if (looks < YIELDS)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

static const char *wait_for(MPI_Request *requests, int count)
{
    int done = 0, code = MPI_SUCCESS;
    for (int looks = 0; !code && !done; looks++) {
        pause_after(looks);
        code = MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    }
    return failure(code);
}

/* ---- messages -------------------------------------------------------------------------------- */

static int pieces_of(size_t bytes) { return (int)((bytes + PIECE - 1) / PIECE); }

/* Starts the pieces of a message, which arrive in their order. */
static int start_message(const comm_message *message, MPI_Request *requests)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < pieces_of(message->bytes) && !code; i++) {
        size_t at = (size_t)i * PIECE, left = message->bytes - at;
        int bytes = left < PIECE ? (int)left : PIECE;
        char *data = (char *)message->data + at;
        code = message->sends
                   ? MPI_Isend(data, bytes, MPI_BYTE, message->peer, 0, own, &requests[i])
                   : MPI_Irecv(data, bytes, MPI_BYTE, message->peer, 0, own, &requests[i]);
    }
    return code;
}

static const char *exchange(comm_message *list, int count)
{
    int pieces = 0, started = 0, code = MPI_SUCCESS;
    for (int i = 0; i < count; i++) pieces += pieces_of(list[i].bytes);
    MPI_Request *requests = malloc(((size_t)pieces + 1) * sizeof(MPI_Request));
    if (!requests) return "out of memory";
    for (int sends = 0; sends < 2; sends++) /* receivers are ready before data come */
        for (int i = 0; i < count && !code; i++) {
            if (list[i].sends != (bool)sends) continue;
            code = start_message(&list[i], requests + started);
            started += pieces_of(list[i].bytes);
        }
    const char *why = code ? failure(code) : wait_for(requests, pieces);
    free(requests);
    return why;
}

/* Each rank sends its bytes to all. */
static const char *gather_large(const void *mine, const size_t *starts, void *all)
{
    size_t count = 0, ranks = (size_t)plugin.ranks;
    comm_message *list = calloc(2 * ranks, sizeof *list);
    if (!list) return "out of memory";
    for (int i = 0; i < plugin.ranks; i++) {
        char *to = (char *)all + starts[i];
        size_t bytes = starts[i + 1] - starts[i];
        list[count++] = (comm_message){.peer = i, .data = to, .bytes = bytes};
        list[count++] = (comm_message){.peer = i,
                                       .sends = true,
                                       .data = (void *)(uintptr_t)mine,
                                       .bytes = starts[plugin.rank + 1] - starts[plugin.rank]};
    }
    const char *why = exchange(list, (int)count);
    free(list);
    return why;
}

static const char *gather(const void *mine, const size_t *starts, void *all)
{
    if (starts[plugin.ranks] >= INT32_MAX) return gather_large(mine, starts, all);
    int *counts = calloc(2 * (size_t)plugin.ranks, sizeof *counts);
    if (!counts) return "out of memory";
    int *at = counts + plugin.ranks;
    for (int i = 0; i < plugin.ranks; i++) {
        counts[i] = (int)(starts[i + 1] - starts[i]);
        at[i] = (int)starts[i];
    }
    MPI_Request request;
    int code = MPI_Iallgatherv(mine, counts[plugin.rank], MPI_BYTE, all, counts, at, MPI_BYTE, own,
                               &request);
    const char *why = code ? failure(code) : wait_for(&request, 1);
    free(counts);
    return why;
}

/* ---- the table ------------------------------------------------------------------------------- */

static comm_plugin plugin = {.version = COMM_PLUGIN_VERSION,
                             .start = start,
                             .exchange = exchange,
                             .gather = gather,
                             .give_up = give_up};

/* What the library finds by COMM_PLUGIN_SYMBOL. */
__attribute__((visibility("default"))) extern comm_plugin katagami_mpi
    __attribute__((alias("plugin")));
