/* Ranks that do not go on with the others: what these then see, test_rank_leave.sh says. The last
 * rank is the one that does something else, before a chain that all are to run. */
#include "rank_data.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static void flush_one(kata *k)
{
    kata_field *u = kata_field_new(kata_grid_3d(k, 12, 15, 14), "u", KATA_F64);
    kata_apply(find(k, "set"), kata_on(u), u);
    get_box(u, kata_on(u), 1);
}

static bool is_last(const kata *k) { return kata_rank(k) == kata_ranks(k) - 1; }

/* Until the script has seen what it waits for, and makes the file that a variable names; or until
 * nobody can be there any more who would. */
static void rest(void)
{
    enum { MOMENTS = 30000 };
    const struct timespec moment = {0, 10 * 1000 * 1000};
    const char *file = getenv("RANK_DATA_UNTIL");
    REQUIRE(file);
    for (int i = 0; i < MOMENTS && access(file, F_OK); i++) nanosleep(&moment, NULL);
}

void run_leave(kata *k)
{
    flush_one(k);
    if (is_last(k)) {
        rest();
        exit(0);
    }
    flush_one(k);
}

/* Without a word to MPI. */
void run_vanish(kata *k)
{
    flush_one(k);
    if (is_last(k)) {
        rest();
        _exit(0);
    }
    flush_one(k);
}

void run_die(kata *k)
{
    flush_one(k);
    if (is_last(k)) {
        rest();
        raise(SIGKILL);
    }
    flush_one(k);
}

void run_abort(kata *k)
{
    flush_one(k);
    if (is_last(k)) {
        rest();
        abort();
    }
    flush_one(k);
}

void run_busy(kata *k)
{
    flush_one(k);
    if (is_last(k)) rest();
    flush_one(k);
}

/* A process that is stopped is not dead. A child of it wakes it up. */
void run_stop(kata *k)
{
    flush_one(k);
    if (is_last(k)) {
        pid_t sleeper = getpid();
        if (fork() == 0) {
            rest();
            kill(sleeper, SIGCONT);
            _exit(0);
        }
        raise(SIGSTOP);
    }
    flush_one(k);
}
