/* The plugin for MPI. It has a communicator of its own, so that its messages are not mixed up with
 * those of the program. It starts MPI, and ends it when the process exits, unless the program does
 * so itself. */
#include "comm/plugin.h"

#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static comm_plugin plugin;
static MPI_Comm own, ending; /* `ending`: of the one meeting at the end */
static comm_look *look;
static comm_go_on *go_on;
static comm_leave *leave;
static pid_t starter; /* not a process that the program has forked */

enum { PIECE = 1 << 30 }; /* the longest message that is sent as one: counts are int */
enum { DATA, LEAVING };   /* what messages are, as their tags */

static const char *failure(int code)
{
    static char why[MPI_MAX_ERROR_STRING + 1];
    int length;
    if (code == MPI_SUCCESS) return NULL;
    MPI_Error_string(code, why, &length);
    return why;
}

/* ---- other machines -------------------------------------------------------------------------- */

/* Machines are a ring. A rank that leaves MPI tells the first rank of the next machine, with one
 * message: how many meetings it has come to. */
static struct {
    int next;    /* the first rank of the next machine */
    int tellers; /* how many ranks tell this one */
    int told;    /* how many have, with those that left after the fewest meetings: */
    int rank;
    uint64_t meetings;
} ring = {.rank = -1, .meetings = UINT64_MAX};

/* Of the ring's firsts, the one before or after mine. */
static int neighbour(const int *firsts, bool after)
{
    int closest = -1, end = -1;
    for (int i = 0; i < plugin.ranks; i++) {
        int first = firsts[i], mine = plugin.node_first;
        if (end < 0 || (first < end) == after) end = first;
        if ((first > mine) != after || first == mine) continue;
        if (closest < 0 || (first < closest) == after) closest = first;
    }
    return closest < 0 ? end : closest;
}

static int find_machines(void)
{
    int *firsts = calloc((size_t)plugin.ranks, sizeof *firsts);
    if (!firsts) return MPI_ERR_NO_MEM;
    int code = MPI_Allgather(&plugin.node_first, 1, MPI_INT, firsts, 1, MPI_INT, own);
    int previous = neighbour(firsts, false);
    ring.next = neighbour(firsts, true);
    bool told = plugin.node_rank == 0 && previous != plugin.node_first;
    for (int i = 0; i < plugin.ranks && told; i++) ring.tellers += firsts[i] == previous;
    free(firsts);
    return code;
}

static int hear(void)
{
    MPI_Status status;
    uint64_t meetings;
    int found = 0, code = MPI_SUCCESS;
    if (ring.told < ring.tellers) code = MPI_Iprobe(MPI_ANY_SOURCE, LEAVING, own, &found, &status);
    if (code || !found) return code;
    int rank = status.MPI_SOURCE;
    code = MPI_Recv(&meetings, 1, MPI_UINT64_T, rank, LEAVING, own, MPI_STATUS_IGNORE);
    ring.told++;
    if (code || meetings >= ring.meetings) return code;
    ring.meetings = meetings;
    ring.rank = rank;
    return code;
}

/* ---- waiting --------------------------------------------------------------------------------- */

enum { BUSY = 2000 }; /* looks */
/* Seconds. Both phases go by the clock: on a busy machine a yield, or a nap, may take a thousand
 * times as long as it should. */
static const double longest_yielding = 1e-3, between_rounds = 0.03;
/* Of a nap; between these it is a part of the time waited so far, and so is what it adds to that.
 */
static const double shortest_nap = 20e-6, longest_nap = 1e-3, nap_part = 0.05;

typedef struct waiting {
    int64_t looks;
    bool naps;
    double naps_from, round_due; /* when */
} waiting;

static void nap(const waiting *w, double now)
{
    const double seconds = fmin(fmax(shortest_nap, nap_part * (now - w->naps_from)), longest_nap);
    const struct timespec time = {0, (long)(seconds * 1e9)};
    nanosleep(&time, NULL);
}

/* Where ranks have no cores of their own, one that waits lets others run: it looks often at first,
 * and soon sleeps between looks, the longer the longer it has waited. */
static void pause_before_look(waiting *w)
{
    if (w->looks++ < BUSY) return;
    const double now = MPI_Wtime();
    if (w->looks == BUSY + 1) w->naps_from = now + longest_yielding;
    w->naps = w->naps || now >= w->naps_from;
    if (w->naps)
        nap(w, now);
    else
        sched_yield();
}

/* Whether a rank that naps looks after the other ranks, too: some times a second. */
static bool looks_around(waiting *w)
{
    const double now = w->naps ? MPI_Wtime() : 0;
    if (!w->naps || now < w->round_due) return false;
    w->round_due = now + between_rounds;
    return true;
}

static int wait_for(MPI_Request *requests, int count)
{
    int done = 0, code = MPI_SUCCESS;
    waiting w = {0};
    while (!code && !done) {
        pause_before_look(&w);
        if (looks_around(&w)) {
            code = hear();
            look(ring.rank, ring.meetings);
        }
        if (!code) code = MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    }
    if (w.naps) go_on();
    return code;
}

/* ---- leaving --------------------------------------------------------------------------------- */

/* MPI_Finalize calls this, before anything else, whoever calls MPI_Finalize. Ranks wait here until
 * all leave: the launcher of Open MPI may hang if some are ended while others are in MPI_Finalize.
 * Then all messages of the ring come: such that nobody receives are an error. */
static int leave_mpi(MPI_Comm self, int key, void *value, void *state)
{
    MPI_Request all;
    (void)self, (void)key, (void)value, (void)state;
    uint64_t meetings = leave();
    int code = MPI_SUCCESS;
    if (ring.next != plugin.node_first)
        code = MPI_Send(&meetings, 1, MPI_UINT64_T, ring.next, LEAVING, own);
    if (!code) code = MPI_Ibarrier(ending, &all);
    if (!code) code = wait_for(&all, 1);
    while (!code && ring.told < ring.tellers) code = hear();
    return code;
}

static int expect_end(void)
{
    int key;
    int code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave_mpi, &key, NULL);
    return code ? code : MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* ---- starting and ending --------------------------------------------------------------------- */

static void finalize(void)
{
    int done = 0;
    if (getpid() == starter && !MPI_Finalized(&done) && !done) MPI_Finalize();
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

/* What there is to know of the ranks of this machine. */
static int find_node(void)
{
    MPI_Comm node;
    int code = MPI_Comm_split_type(own, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (code) return code;
    plugin.node_first = plugin.rank;
    code = MPI_Comm_size(node, &plugin.node_ranks);
    if (!code) code = MPI_Comm_rank(node, &plugin.node_rank);
    if (!code) code = MPI_Bcast(&plugin.node_first, 1, MPI_INT, 0, node);
    return code ? code : MPI_Comm_free(&node);
}

/* Of Open MPI, and of MPICH from 4.0 on, where they are built so that they may know CUDA. */
extern int MPIX_Query_cuda_support(void) __attribute__((weak));

static const char *start(const void *communicator, comm_look *looks, comm_go_on *goes_on,
                         comm_leave *leaves)
{
    int begun = 0;
    const MPI_Comm *all = communicator;
    if (MPI_Initialized(&begun) || (communicator && !begun))
        return "the program gives a communicator, and has not started MPI, or another one than "
               "the plugin is built with";
    const char *why = start_mpi();
    if (why) return why;
    look = looks;
    go_on = goes_on;
    leave = leaves;
    starter = getpid();
    plugin.takes_cuda = MPIX_Query_cuda_support && MPIX_Query_cuda_support();
    int code = MPI_Comm_dup(all ? *all : MPI_COMM_WORLD, &own);
    if (!code) code = MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    if (!code) code = MPI_Comm_dup(own, &ending);
    if (!code) code = MPI_Comm_rank(own, &plugin.rank);
    if (!code) code = MPI_Comm_size(own, &plugin.ranks);
    if (!code) code = find_node();
    if (!code) code = find_machines();
    if (!code) code = expect_end();
    return failure(code);
}

static const char *compare(const void *communicator, bool *same)
{
    const MPI_Comm *other = communicator;
    int result = MPI_UNEQUAL;
    int code = MPI_Comm_compare(*other, own, &result);
    *same = result == MPI_CONGRUENT;
    return failure(code);
}

static void give_up(void) { MPI_Abort(own, EXIT_FAILURE); }

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
                   ? MPI_Isend(data, bytes, MPI_BYTE, message->peer, DATA, own, &requests[i])
                   : MPI_Irecv(data, bytes, MPI_BYTE, message->peer, DATA, own, &requests[i]);
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
    if (!code) code = wait_for(requests, pieces);
    free(requests);
    return failure(code);
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
    if (!code) code = wait_for(&request, 1);
    free(counts);
    return failure(code);
}

/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): it does not see that wait_for waits. */
static const char *largest(uint64_t *values, int count)
{
    MPI_Request request;
    int code = MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_MAX, own, &request);
    if (!code) code = wait_for(&request, 1);
    return failure(code);
}
/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */

/* ---- the table ------------------------------------------------------------------------------- */

static comm_plugin plugin = {.version = COMM_PLUGIN_VERSION,
                             .start = start,
                             .compare = compare,
                             .exchange = exchange,
                             .gather = gather,
                             .largest = largest,
                             .give_up = give_up};

/* What the library finds by COMM_PLUGIN_SYMBOL. */
__attribute__((visibility("default"))) extern comm_plugin katagami_mpi
    __attribute__((alias("plugin")));
