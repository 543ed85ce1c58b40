/* kata tune: runs a program with the environment that makes the library search for the fastest
 * plans at once, again and again until the search has ended. Results of a run do not depend on it.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct tune_request {
    option_words words;
    int64_t runs;
    const char *to;
} tune_request;

/* ---- a run ----------------------------------------------------------------------------------- */

/* Only the first run prints its results. The program ends when kata tune is killed. */
static void start(const tune_request *r, bool first, pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent) _exit(EXIT_FAILURE);
    int null = first ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) dup2(null, STDOUT_FILENO);
    fflush(stderr);
    _exit(become(tune_options.program, r->words.words, r->words.count));
}

/* Returns the exit code. */
static int run(const tune_request *r, bool first)
{
    int status = 0;
    fflush(stdout);
    pid_t parent = getpid(), child = fork();
    if (child == 0) start(r, first, parent);
    if (child < 0)
        return options_failed(&tune_options, "cannot start a process: %s", strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- the report ------------------------------------------------------------------------------ */

enum { MOST_REPORT = 1 << 20 };

/* What the library has written about its search; false where there is none. */
static bool read_report(const char *path, char *report)
{
    FILE *from = fopen(path, "r");
    size_t size = from ? fread(report, 1, MOST_REPORT, from) : 0;
    if (from) fclose(from);
    report[size] = '\0';
    return size > 0;
}

/* Whether two ways to run a chain were measured. */
static bool has_compared(const char *report)
{
    const char *list = report;
    while ((list = strstr(list, "seconds per loop: "))) {
        list += strlen("seconds per loop: ");
        if (memchr(list, ',', strcspn(list, "\n"))) return true;
    }
    return false;
}

static int write_report(const tune_request *r, const char *report, int64_t runs)
{
    FILE *to = r->to ? fopen(r->to, "w") : stderr;
    bool good = to && fprintf(to, "%s", report) >= 0;
    if (good && strstr(report, "still searching") && !has_compared(report))
        good = fprintf(to, "nothing was compared: no chain of loops ran often enough in a run: "
                           "take more time steps\n") >= 0;
    else if (good && strstr(report, "still searching"))
        good = fprintf(to,
                       "the search has not ended after %lld run%s: more time steps in a run, or "
                       "--runs, would end it\n",
                       (long long)runs, runs == 1 ? "" : "s") >= 0;
    if (to && to != stderr) good = fclose(to) == 0 && good;
    if (good) return 0;
    return options_failed(&tune_options, "cannot write %s: %s", r->to ? r->to : "standard error",
                          strerror(errno));
}

/* Runs the program until the search has ended. */
static int tune(const tune_request *r, const char *path, char *report)
{
    int64_t runs = 0;
    int failed = 0;
    bool more = true;
    while (more && !failed && runs < r->runs) {
        if (truncate(path, 0)) return options_failed(&tune_options, "%s", strerror(errno));
        failed = run(r, runs++ == 0);
        if (!read_report(path, report) && !failed)
            return options_failed(&tune_options, "the program has run no chain of kernels");
        more = strstr(report, "still searching");
    }
    if (!failed) return write_report(r, report, runs);
    options_failed(&tune_options, "'%s' has ended with exit code %d: the search ends",
                   r->words.words[0], failed);
    return failed;
}

/* ---- the command line ------------------------------------------------------------------------ */

static const tune_request defaults = {.runs = 3};

static const option table[] = {
    {"PROGRAM ARGUMENT", "the program to run", OPTION_VALUE(tune_request, words),
     .positional = true},
    {"runs", "runs, at most, until the search has ended", OPTION_VALUE(tune_request, runs),
     .low = 1, .high = 1000},
    {"to", "write there what was tried", OPTION_VALUE(tune_request, to), .placeholder = "FILE",
     .otherwise = "standard error"},
};

const options tune_options = {
    "kata tune",
    "Runs a program that uses Katagami, and searches for the fastest plans of its chains at once\n"
    "instead of little by little. Shows which were tried and how fast they were, and keeps the\n"
    "fastest for the next start: kata wisdom lists them. The program may be kata itself:\n"
    "kata tune -- kata apply heat.kata heat ... --steps 500\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

int verb_tune(int argc, char **argv)
{
    tune_request r;
    int exit_code;
    if (!options_read(&tune_options, &r, argc, argv, &exit_code)) return exit_code;
    if (r.words.count < 1)
        return options_wrong(&tune_options, "name the program to run: kata tune -- PROGRAM");
    if (kata_ranks(NULL) > 1)
        return options_wrong(&tune_options, "runs on one rank: kata tune -- mpirun -n %d PROGRAM",
                             kata_ranks(NULL));
    const char *path = tune_file_make();
    char *report = malloc(MOST_REPORT + 1);
    bool ready = path && report && !setenv("KATA_TUNE", path, 1);
    exit_code =
        ready ? tune(&r, path, report)
              : options_failed(&tune_options, "cannot make a temporary file: %s", strerror(errno));
    if (path) tune_file_remove();
    free(report);
    return exit_code;
}
