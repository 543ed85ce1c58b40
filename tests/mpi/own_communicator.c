/* A program that uses MPI itself, and gives Katagami a communicator:
 *
 *     own_communicator halves      even and odd ranks, in reverse, run different programs
 *     own_communicator alone       each rank by itself
 *     own_communicator early       before MPI is started
 */
#include "kata/kata.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (condition) break;                                                                      \
        fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                  \
        exit(1);                                                                                   \
    } while (0)

static const char kernels[] = "kernel set(out double u, double c) { u = c + ix + 100*iy; }\n"
                              "kernel move(in double u, out double v) { v = u[0,1] + u[0,-1]; }\n";

enum { NX = 8, NY = 20 };

static void compute(kata *k, double c, int steps)
{
    static double values[NX * NY];
    kata_module *module = kata_module_from_text(k, "own_communicator", kernels);
    kata_field *u = kata_field_new(kata_grid_2d(k, NX, NY), "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    for (int i = 0; i < steps; i++) {
        kata_apply(kata_kernel_find(module, "set"), kata_on(u), u, c);
        kata_apply(kata_kernel_find(module, "move"), kata_on(u), u, v);
        REQUIRE(!kata_get(v, kata_on(v), values, NX * NY));
        for (int y = 1; y < NY - 1; y++)
            for (int x = 0; x < NX; x++) REQUIRE(values[y * NX + x] == 2 * (c + x + 100 * y));
    }
}

static char said[1000];

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)data, (void)status;
    snprintf(said, sizeof said, "%s", message);
}

static void expect_refused(MPI_Comm communicator, const char *message)
{
    REQUIRE(!kata_open(&(kata_options){.communicator = &communicator, .handler = keep_message}));
    if (!strstr(said, message)) fprintf(stderr, "said: %s\n", said);
    REQUIRE(strstr(said, message));
}

/* Contexts of one half, while the other half has others. */
static void run_halves(int rank, int ranks)
{
    MPI_Comm half;
    int me, all;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &me);
    MPI_Comm_size(half, &all);
    kata *k = kata_open(&(kata_options){.communicator = &half});
    REQUIRE(k && kata_rank(k) == me && kata_ranks(k) == all);
    compute(k, rank % 2, 1 + 2 * (rank % 2));
    kata *again = kata_open(&(kata_options){.communicator = &half});
    kata *same = kata_open(NULL);
    REQUIRE(again && same && kata_ranks(same) == all);
    compute(same, 10, 1);
    REQUIRE(ranks > all);
    expect_refused(MPI_COMM_WORLD, "other ranks than the first context of this process");
    REQUIRE(!kata_close(again) && !kata_close(same) && !kata_close(k));
    MPI_Comm_free(&half);
}

static void run_alone(int rank)
{
    MPI_Comm self = MPI_COMM_SELF;
    kata *k = kata_open(&(kata_options){.communicator = &self, .threads = 1});
    REQUIRE(k && kata_rank(k) == 0 && kata_ranks(k) == 1);
    compute(k, rank, 1 + rank);
    REQUIRE(!kata_close(k));
}

int main(int argc, char **argv)
{
    int rank, ranks, sum, level;
    REQUIRE(argc == 2);
    if (!strcmp(argv[1], "early")) expect_refused(MPI_COMM_WORLD, "has not started MPI");
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!strcmp(argv[1], "halves")) run_halves(rank, ranks);
    if (!strcmp(argv[1], "alone")) run_alone(rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    REQUIRE(sum == ranks * (ranks - 1) / 2);
    return MPI_Finalize();
}
