/* ./dev bench --streams: programs with a third of the memory that their fields need, behind a port.
 *
 *     bench_streams [--folder FOLDER] [--copy RATE] [--slower N] [--chains N]
 *                   [CASE...]
 *
 * The port moves between rings and files in a folder in memory, N times slower than a copy in
 * memory is. Two rates bound a program: that in memory, while the port moves beside it what it
 * must; and that at which the port moves it. */
#include "bench_streams.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES_LIMIT = 3, CHAINS = 2, CHUNKS = 15 /* copies, or chains, at most */ };

typedef struct options {
    const char *folder;
    double copy;   /* bytes per second; 0: as measured */
    double slower; /* 0: both */
    int chains;
    char **names;
} options;

static int usage(void)
{
    fprintf(stderr,
            "usage: bench_streams [--folder FOLDER] [--copy RATE] [--slower N] [--chains N] "
            "[CASE...]\n"
            "  FOLDER for files, in memory (/dev/shm)\n"
            "  RATE of a copy in memory, in GB/s (as measured)\n"
            "  N times less bandwidth than a copy in memory (10, then 40)\n"
            "  N chains that are timed, after two others, from 1 to 15 (2)\n"
            "cases:");
    for (int i = 0; i < streams_case_count; i++)
        fprintf(stderr, "%s '%s'", i ? "," : "", streams_cases[i].name);
    fprintf(stderr, "\n");
    return 2;
}

/* The middle one of some copies, in bytes per second. */
static bool copy_rate(const void *task, void *result)
{
    double rates[CHUNKS];
    (void)task;
    for (int i = 0; i < CHUNKS; i++) rates[i] = 1e9 * bench_copy_rate();
    *(double *)result = bench_median(rates, CHUNKS);
    return true;
}

static void print_head(double copy)
{
    printf("copy in memory: %.1f GB/s; %d threads\n\n", copy / 1e9, omp_get_max_threads());
    printf(
        "| program | port | limit | deepest | least | moved | of least | in memory | by the port "
        "| first chain | chain | processors | of the bound |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

static bool measure(const streams_case *c, double rate, const options *o)
{
    const double limit = streams_bytes(c) / TIMES_LIMIT;
    const streams_bound b = streams_find_bound(c, limit);
    streams_task task = {
        .c = c, .folder = o->folder, .threads = omp_get_max_threads(), .chains = o->chains};
    const streams_times alone = streams_run(&task);
    task.port = b.least / alone.chain < rate ? b.least / alone.chain : rate;
    const streams_times beside = streams_run(&task);
    task.limit = limit;
    task.port = rate;
    const streams_times streamed = streams_run(&task);
    const double port = b.least / rate;
    const double bound = beside.chain > port ? beside.chain : port;
    if (!alone.good || !beside.good || !streamed.good) return false;
    printf("| %s | %.2f GB/s | %.0f MB | %lld | %.2f GB | %.2f GB | %.2f | %.2f s (alone %.2f) | "
           "%.2f s | %.2f s | %.2f s | %.2f for %.2f s | %.2f |\n",
           c->name, rate / 1e9, limit / 1e6, (long long)b.deepest, b.least / 1e9,
           streamed.moved / 1e9, streamed.moved / b.least, beside.chain, alone.chain, port,
           streamed.first, streamed.chain, streamed.worked, alone.worked, bound / streamed.chain);
    fflush(stdout);
    return true;
}

static bool is_asked(const options *o, const char *name)
{
    if (!*o->names) return true;
    for (char **n = o->names; *n; n++)
        if (!strcmp(*n, name)) return true;
    return false;
}

/* A number above 0, alone. */
static bool read_number(const char *word, double *number)
{
    char *rest;
    *number = strtod(word, &rest);
    return rest != word && !*rest && *number > 0;
}

/* False for wrong words. */
static bool read_options(options *o, char **words)
{
    *o = (options){.folder = "/dev/shm", .chains = CHAINS};
    for (; words[0] && words[0][0] == '-'; words += 2) {
        double number = 0;
        const bool folder = !strcmp(words[0], "--folder");
        if (!words[1] || (!folder && !read_number(words[1], &number))) return false;
        if (folder)
            o->folder = words[1];
        else if (!strcmp(words[0], "--copy"))
            o->copy = 1e9 * number;
        else if (!strcmp(words[0], "--slower"))
            o->slower = number;
        else if (!strcmp(words[0], "--chains") && number <= CHUNKS)
            o->chains = (int)number;
        else
            return false;
    }
    o->names = words;
    for (char **n = words; *n; n++)
        if (!streams_find_case(*n)) return false;
    return o->chains >= 1;
}

int main(int argc, char **argv)
{
    (void)argc;
    options o;
    bool good = true;
    if (!read_options(&o, argv + 1)) return usage();
    double copy = o.copy;
    if (copy <= 0 && !streams_apart(copy_rate, NULL, &copy, sizeof copy)) return EXIT_FAILURE;
    const double slower[] = {o.slower > 0 ? o.slower : 10, 40};
    print_head(copy);
    for (int s = 0; s < (o.slower > 0 ? 1 : 2); s++)
        for (int i = 0; i < streams_case_count; i++)
            if (is_asked(&o, streams_cases[i].name))
                good = measure(&streams_cases[i], copy / slower[s], &o) && good;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
