/* comm: messages between the ranks that run one program together. It knows bytes, not stencils.
 *
 * MPI is loaded when a launcher's variables say that there are several ranks, as a plugin
 * (mpi.c): programs that run alone need none. All ranks make the same calls in the same order,
 * except comm_launched, comm_rank, comm_ranks, comm_name_next and comm_give_up. */
#ifndef COMM_COMM_H
#define COMM_COMM_H

#include "base/base.h"

/* The ranks of this process; one of a process, however often it is opened. */
typedef struct comm comm;

/* What a launcher's variables say of this process: 0 and 1 where there is none. */
void comm_launched(int *rank, int *ranks);
/* The ranks of a communicator, an MPI_Comm's address; NULL: those that were launched together, or
 * of the communicator that has been opened before. Returns NULL for a process alone; and, reported,
 * where there are several and MPI is not there, or the communicator is another than before. */
comm *comm_open(const void *communicator, messages *m);
int comm_rank(const comm *c);  /* from 0 */
int comm_ranks(const comm *c); /* how many there are */
/* How many of them are on this machine, and which of these this one is, from 0. */
int comm_node_ranks(const comm *c);
int comm_node_rank(const comm *c);

/* Whether messages may lie in memory of a CUDA device: the MPI library says so. */
bool comm_takes_cuda(const comm *c);

/* Says what this rank does next with others: "run a chain of 12 loops". While it waits for a rank
 * that has left or died, all ranks end with a message that has these words; where one does not
 * come, a note has them. No rank waits for this call. */
void comm_name_next(comm *c, const char *words);

/* A message to a peer, or from it. Between two ranks there is one at a time in each direction. */
typedef struct comm_message {
    int peer;
    bool sends;
    void *data;
    size_t bytes; /* as the peer says as well */
} comm_message;

/* Sends and receives all messages of a list. */
kata_status comm_exchange(comm *c, comm_message *list, int count, messages *m);
/* Gives all ranks the bytes of each, one after another: those of rank i at starts[i] to before
 * starts[i + 1]. */
kata_status comm_gather(comm *c, const void *mine, const size_t *starts, void *all, messages *m);
/* Finds these starts where each rank knows how many bytes it has itself. */
kata_status comm_gather_starts(comm *c, size_t bytes, size_t *starts, messages *m);
/* Makes each of the values the largest that any rank has. It takes time as the logarithm of the
 * ranks, where gathering takes it as their number. */
kata_status comm_largest(comm *c, uint64_t *values, int count, messages *m);
/* Ends all ranks with a message, where one cannot go on and the others would wait for it. */
_Noreturn void comm_give_up(const comm *c, const char *message);

#endif
