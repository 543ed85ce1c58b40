/* What ranks cost: bench_ranks [--quick] starts itself with mpirun, on two ranks.
 *
 * First a table of exchanges beside plain messages (exchanges.c), then of two ranks of one thread
 * beside one rank of two (scaling.c). */
#include "bench_ranks.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double median(double *x, int count)
{
    if (count == 0) return 0;
    qsort(x, (size_t)count, sizeof *x, compare);
    return x[count / 2];
}

static bool run_exchanges(bool quick)
{
    int level, ranks;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bool good = ranks == 2 && exchanges_measure(quick);
    MPI_Finalize();
    return good;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    bool quick = !strcmp(argv[argc - 1], "--quick");
    if (!strcmp(word, "--exchanges")) return !run_exchanges(quick);
    if (!strcmp(word, "--obey") && argc == 5)
        return !scaling_obey(argv[2], atoll(argv[3]), atoi(argv[4]));
    if (!strcmp(word, "--scaling"))
        return !scaling_measure(argv[0], argc - quick > 2 ? argv[2] : NULL,
                                argc - quick > 3 ? atoll(argv[3]) : 0, quick);
    return 2;
}
