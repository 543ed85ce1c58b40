/* Two ranks of one thread beside one rank of two threads: both are processes that run steps when
 * they are told to, by turns, so that what else the machine does meets both. */
#include "bench_ranks.h"

#include "base/base.h"

#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 25, FEW_TURNS = 5, WARM_TURNS = 12, LONGEST_LINE = 80, LONGEST_TURN = 1 << 14 };

/* Seconds. In short turns processes that have just woken up still share cores. */
static const double warm = 2, turn = 0.2, most_seconds = 20;

/* ---- the processes --------------------------------------------------------------------------- */

/* How many steps to run next; 0: no more. The first rank reads it. Others look a thousand times a
 * second whether it has come: the cores are the other process's meanwhile. */
static int read_count(bool is_ranks, int rank)
{
    const struct timespec nap = {0, 1000000};
    char line[LONGEST_LINE];
    int count = 0, done = !is_ranks;
    MPI_Request request;
    if (rank == 0 && fgets(line, sizeof line, stdin)) count = atoi(line);
    if (is_ranks) MPI_Ibcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done) nanosleep(&nap, NULL);
    }
    return count;
}

bool scaling_obey(const char *name, int64_t side, int threads)
{
    bool is_ranks = threads == 1;
    int level, rank = 0, count;
    if (is_ranks) {
        MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    steps *s = steps_open(name, side, threads);
    while (s && kata_ok(steps_context(s)) && (count = read_count(is_ranks, rank)) > 0) {
        if (is_ranks) MPI_Barrier(MPI_COMM_WORLD);
        double start = clock_seconds();
        steps_run(s, count);
        if (rank == 0) printf("%.9f\n", clock_seconds() - start);
        fflush(stdout);
    }
    bool good = s && steps_close(s);
    if (is_ranks) MPI_Finalize();
    return good;
}

/* ---- who tells them -------------------------------------------------------------------------- */

typedef struct worker {
    pid_t process;
    FILE *to, *from;
    int steps;             /* of a turn */
    double seconds[TURNS]; /* of a step in a turn */
} worker;

static bool start_worker(worker *w, char *const words[])
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) return false;
    w->process = fork();
    if (w->process == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execvp(words[0], words);
        perror(words[0]);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    w->to = fdopen(to[1], "w");
    w->from = fdopen(from[0], "r");
    return w->process > 0 && w->to && w->from;
}

/* Seconds of a step in a turn; negative where the worker has ended. */
static double take_turn(worker *w, int steps)
{
    char line[LONGEST_LINE];
    fprintf(w->to, "%d\n", steps);
    fflush(w->to);
    return fgets(line, sizeof line, w->from) ? atof(line) / steps : -1;
}

/* Runs steps until the plans are known, and finds how many make a turn. */
static bool warm_up(worker *w)
{
    double each = 0, end = clock_seconds() + warm;
    w->steps = 2;
    for (int i = 0; each >= 0 && (i < WARM_TURNS || clock_seconds() < end); i++) {
        each = take_turn(w, w->steps);
        if (each * w->steps < turn && w->steps < LONGEST_TURN) w->steps *= 2;
    }
    return each >= 0;
}

static bool end_worker(worker *w)
{
    int status = 1;
    if (w->to) fclose(w->to);
    if (w->process > 0) waitpid(w->process, &status, 0);
    if (w->from) fclose(w->from);
    return status == 0;
}

/* Returns how many turns each has taken; 0 where one has ended. */
static int take_turns(worker *ranks, worker *threads, int most)
{
    if (!warm_up(ranks) || !warm_up(threads)) return 0;
    int steps = ranks->steps = (int)smaller(ranks->steps, threads->steps), turns = 0;
    double end = clock_seconds() + most_seconds;
    for (; turns < most && (turns < FEW_TURNS || clock_seconds() < end); turns++) {
        ranks->seconds[turns] = take_turn(ranks, steps);
        threads->seconds[turns] = take_turn(threads, steps);
        if (ranks->seconds[turns] < 0 || threads->seconds[turns] < 0) return 0;
    }
    return turns;
}

/* ---- lines ----------------------------------------------------------------------------------- */

typedef struct program {
    const char *name;
    int64_t side;
    int dimensions;
} program;

static const program programs[] = {
    {"cube", 64, 3},         {"cube", 128, 3},       {"cube", 256, 3},       {"cube", 384, 3},
    {"cube", 512, 3},        {"cloverleaf", 240, 2}, {"cloverleaf", 480, 2}, {"cloverleaf", 960, 2},
    {"cloverleaf", 1920, 2}, {"cloverleaf", 3840, 2}};

static void print_line(const program *p, worker *ranks, worker *threads, int turns)
{
    double speed[TURNS];
    for (int i = 0; i < turns; i++) speed[i] = threads->seconds[i] / ranks->seconds[i];
    double of_ranks = median(ranks->seconds, turns), of_threads = median(threads->seconds, turns);
    printf("%-10s %5lld^%d %10.3f %10.3f %8.3f\n", p->name, (long long)p->side, p->dimensions,
           1e3 * of_ranks, 1e3 * of_threads, median(speed, turns));
    fflush(stdout);
}

static bool measure(const program *p, char *self, int most)
{
    char side[LONGEST_LINE], *name = (char *)(uintptr_t)p->name;
    worker ranks = {.process = -1}, threads = {.process = -1};
    snprintf(side, sizeof side, "%lld", (long long)p->side);
    char *const on_ranks[] = {"mpirun", "-n", "2", self, "--obey", name, side, "1", NULL};
    char *const on_threads[] = {self, "--obey", name, side, "2", NULL};
    bool good = start_worker(&ranks, on_ranks) && start_worker(&threads, on_threads);
    int turns = good ? take_turns(&ranks, &threads, most) : 0;
    bool ended = end_worker(&ranks);
    ended = end_worker(&threads) && ended;
    if (turns > 0) print_line(p, &ranks, &threads, turns);
    return turns > 0 && ended;
}

bool scaling_measure(char *self, const char *name, int64_t side, bool quick)
{
    bool good = true;
    int lines = 0;
    signal(SIGPIPE, SIG_IGN);
    printf("Steps on two ranks of one thread, and on one rank of two: milliseconds\n"
           "                      ranks    threads    speed\n");
    fflush(stdout);
    for (size_t i = 0; i < COUNT_OF(programs) && good; i++) {
        const program *p = &programs[i];
        bool asked =
            name ? !strcmp(p->name, name) && (!side || p->side == side) : !quick || p->side <= 256;
        lines += asked;
        if (asked) good = measure(p, self, quick ? FEW_TURNS : TURNS);
    }
    if (!lines) fprintf(stderr, "bench_ranks: no such program: cube or cloverleaf, and its side\n");
    return good && lines;
}
