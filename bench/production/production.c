/* ./dev bench --production: what the parts of a production run cost beside its loops.
 *
 *     bench_production [--rounds N] [sources [SIDE] | output [SIDE [FOLDER]]]
 *
 * Without a name, both. What is compared takes turns in one process. */
#include "production.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rounds = 5;

enum { SOURCES_SIDE = 256, OUTPUT_SIDE = 512 };

static int usage(void)
{
    fprintf(stderr,
            "usage: bench_production [--rounds N] [sources [SIDE] | output [SIDE [FOLDER]]]\n"
            "  N rounds, from 1 to %d, of what is compared (5)\n"
            "  SIDE of the grid, from 32 to 1024 points (sources: %d, output: %d)\n"
            "  FOLDER for four files of 8 SIDE^3 bytes each, which are removed (the current one)\n",
            MOST_ROUNDS, SOURCES_SIDE, OUTPUT_SIDE);
    return 2;
}

/* The number of an argument; `usual` where there is none, 0 for a wrong one. */
static int number(const char *text, int usual, int least, int most)
{
    char *end;
    if (!text) return usual;
    long n = strtol(text, &end, 10);
    return *text && !*end && n >= least && n <= most ? (int)n : 0;
}

int main(int argc, char **argv)
{
    char **next = argv + 1; /* ends with NULL */
    if (*next && !strcmp(*next, "--rounds")) {
        rounds = argc > 2 ? number(next[1], 0, 1, MOST_ROUNDS) : 0;
        if (!rounds) return usage();
        next += 2;
    }
    const char *what = *next ? *next++ : NULL;
    const char *side = what && *next ? *next++ : NULL;
    bool sources = !what || !strcmp(what, "sources"), output = !what || !strcmp(what, "output");
    const char *folder = what && output && *next ? *next++ : ".";
    int n = number(side, sources ? SOURCES_SIDE : OUTPUT_SIDE, 32, 1024);
    if (!n || *next || (!sources && !output)) return usage();
    bool good = !sources || measure_sources(n);
    if (output) good = measure_output(what ? n : OUTPUT_SIDE, folder) && good;
    return good ? 0 : EXIT_FAILURE;
}
