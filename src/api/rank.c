/* What programs ask about ranks. */
#include "api/api.h"
#include "comm/comm.h"

int kata_rank(const kata *k)
{
    int rank, ranks;
    if (k) return exec_rank(&k->exec);
    comm_launched(&rank, &ranks);
    return rank;
}

int kata_ranks(const kata *k)
{
    int rank, ranks;
    if (k) return exec_ranks_count(&k->exec);
    comm_launched(&rank, &ranks);
    return ranks;
}
