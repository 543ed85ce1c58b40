/* What ranks cost. It starts itself with mpirun:
 *
 *     bench_ranks [--quick]                           both of
 *     bench_ranks [--quick] exchanges                 exchanges beside plain messages
 *     bench_ranks [--quick] scaling [PROGRAM [SIDE]]  two ranks beside one rank of two threads
 */
#include "bench_ranks.h"

#include "base/base.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* ---- under a launcher ------------------------------------------------------------------------ */

static bool run_on_ranks(bool quick)
{
    int level, ranks;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bool good = ranks == 2 && exchanges_measure(quick);
    MPI_Finalize();
    return good;
}

/* ---- without one ----------------------------------------------------------------------------- */

static bool start_on_ranks(char *self, bool quick)
{
    char *const words[] = {"mpirun", "-n", "2", self, "--on-ranks", quick ? "--quick" : NULL, NULL};
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        execvp(words[0], words);
        perror(words[0]);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool read_side(const char *word, int64_t *side)
{
    *side = 0;
    return !word || parse_integer(word, 1, 1 << 16, side);
}

static int usage(void)
{
    fprintf(stderr, "usage: bench_ranks [--quick] [exchanges | scaling [PROGRAM [SIDE]]]\n");
    return 2;
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && !strcmp(argv[argc - 1], "--quick");
    char **word = argv + 1;
    int64_t side;
    setenv("KATA_MPI", BENCH_PLUGIN, 0);
    if (argc > 1 && !strcmp(*word, "--on-ranks")) return !run_on_ranks(quick);
    if (argc == 5 && !strcmp(*word, "--obey") && read_side(argv[3], &side))
        return !scaling_obey(argv[2], side, atoi(argv[4]));
    quick = argc > 1 && !strcmp(*word, "--quick");
    word += quick;
    int left = argc - 1 - quick;
    if (left == 0) return !(start_on_ranks(*argv, quick) && scaling_measure(*argv, NULL, 0, quick));
    if (left == 1 && !strcmp(*word, "exchanges")) return !start_on_ranks(*argv, quick);
    const char *asked = left > 1 ? word[1] : NULL;
    if (left > 3 || strcmp(*word, "scaling") != 0 || !read_side(left > 2 ? word[2] : NULL, &side))
        return usage();
    return !scaling_measure(*argv, asked, side, quick);
}
