/* Chains of one section, which begin with an exchange, by turns with messages in plain MPI of the
 * same bytes: one to the other rank and one back. When a chain begins, ranks have just agreed on
 * what it is: so an exchange waits little for the other rank. */
#include "bench_ranks.h"

#include "api/handles.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 3 }; /* chains that find out about plans */

static const double most_seconds = 1.5; /* of a line */

typedef struct program {
    const char *name;
    int64_t side;
    int depth; /* loops of a section */
} program;

static const program programs[] = {{"square", 512, 1},   {"square", 2048, 1}, {"square", 2048, 4},
                                   {"square", 2048, 16}, {"cube", 64, 1},     {"cube", 64, 4},
                                   {"cube", 128, 1},     {"cube", 128, 4},    {"cube", 128, 8},
                                   {"cube", 256, 1},     {"cube", 256, 4},    {"cube", 256, 16},
                                   {"cube", 512, 1},     {"cube", 512, 8}};

enum { QUICK = 5 }; /* the first ones */

/* ---- plain messages -------------------------------------------------------------------------- */

typedef struct plain {
    char *mine, *other;
    int bytes, rank;
} plain;

static double ping_pong(const plain *p)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = clock_seconds();
    if (p->rank == 0) MPI_Send(p->mine, p->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(p->other, p->bytes, MPI_BYTE, 1 - p->rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (p->rank == 1) MPI_Send(p->mine, p->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    return clock_seconds() - start;
}

/* ---- a line ---------------------------------------------------------------------------------- */

/* Seconds. */
typedef struct line {
    double packing[MOST_SAMPLES], sending[MOST_SAMPLES], unpacking[MOST_SAMPLES];
    double all[MOST_SAMPLES], agreeing[MOST_SAMPLES], plain[MOST_SAMPLES];
    exec_messages sent; /* in a chain */
    int samples;
} line;

static plan_messages difference(plan_messages a, plan_messages b)
{
    return (plan_messages){a.exchanges - b.exchanges, a.messages - b.messages, a.bytes - b.bytes};
}

static bool is_equal(plan_messages a, plan_messages b)
{
    return a.exchanges == b.exchanges && a.messages == b.messages && a.bytes == b.bytes;
}

static exec_messages run_chain(steps *s, int count)
{
    const exec_context *context = &steps_context(s)->exec;
    exec_messages before = exec_find_messages(context);
    MPI_Barrier(MPI_COMM_WORLD);
    steps_run(s, count);
    exec_messages after = exec_find_messages(context);
    return (exec_messages){.counted = difference(after.counted, before.counted),
                           .planned = difference(after.planned, before.planned),
                           .packing = after.packing - before.packing,
                           .sending = after.sending - before.sending,
                           .unpacking = after.unpacking - before.unpacking,
                           .agreeing = after.agreeing - before.agreeing};
}

static void add_sample(line *l, const exec_messages *sent, double plain)
{
    int i = l->samples++;
    l->packing[i] = sent->packing;
    l->sending[i] = sent->sending;
    l->unpacking[i] = sent->unpacking;
    l->all[i] = sent->packing + sent->sending + sent->unpacking;
    l->agreeing[i] = sent->agreeing;
    l->plain[i] = plain;
}

/* How many samples there is time for, on both ranks. */
static int samples_in(double seconds, bool quick)
{
    double samples = most_seconds / seconds;
    int count = quick ? 5 : samples > MOST_SAMPLES ? MOST_SAMPLES : samples < 7 ? 7 : (int)samples;
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return count;
}

/* It is an error where a chain does not send what its plan predicts, or not one message. */
static bool measure(const program *p, bool quick, int rank, line *l)
{
    char words[40];
    plain plain = {.rank = rank};
    double start = 0;
    snprintf(words, sizeof words, "every=%d small", p->depth);
    setenv("KATA_RANKS", words, 1);
    steps *s = steps_open(p->name, p->side, 1);
    for (int i = 0; i < FIRST && s; i++) {
        start = clock_seconds();
        l->sent = run_chain(s, p->depth);
    }
    bool good = s && kata_ok(steps_context(s)) && l->sent.counted.messages == 1;
    if (good) plain.bytes = (int)l->sent.counted.bytes;
    plain.mine = malloc((size_t)plain.bytes + 1);
    plain.other = malloc((size_t)plain.bytes + 1);
    if (plain.mine) memset(plain.mine, 1, (size_t)plain.bytes); /* pages of its own */
    good = good && plain.mine && plain.other;
    for (int left = samples_in(clock_seconds() - start, quick); left > 0 && good; left--) {
        exec_messages sent = run_chain(s, p->depth);
        good = is_equal(sent.counted, l->sent.counted) && is_equal(sent.counted, sent.planned);
        add_sample(l, &sent, ping_pong(&plain));
    }
    free(plain.mine);
    free(plain.other);
    return s && steps_close(s) && good;
}

static double micro(double *seconds, int count) { return 1e6 * median(seconds, count); }

static void print_line(const program *p, line *l)
{
    int n = l->samples;
    double plain = micro(l->plain, n), all = micro(l->all, n);
    printf("%-6s %4lld^%c %5d %8.3f %11.0f %-3s %8.1f %8.1f %8.1f %9.1f %9.1f %6.2f %9.1f\n",
           p->name, (long long)p->side, p->name[0] == 'c' ? '3' : '2', p->depth,
           (double)l->sent.counted.messages / p->depth, (double)l->sent.counted.bytes / p->depth,
           is_equal(l->sent.counted, l->sent.planned) ? "yes" : "NO", micro(l->packing, n),
           micro(l->sending, n), micro(l->unpacking, n), all, plain, all / plain,
           micro(l->agreeing, n));
    fflush(stdout);
}

bool exchanges_measure(bool quick)
{
    int rank, count = quick ? QUICK : (int)COUNT_OF(programs);
    bool good = true;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("An exchange, and a message of its bytes there and back in plain MPI: microseconds\n"
               "              depth messages       bytes as   packing  sending unpacking exchange"
               " ping-pong ratio  agreeing\n"
               "                    per step    per step planned                                "
               "               per chain\n");
    for (int i = 0; i < count; i++) {
        static line l;
        l = (line){.samples = 0};
        good = measure(&programs[i], quick, rank, &l) && good;
        if (rank == 0) print_line(&programs[i], &l);
    }
    return good;
}
