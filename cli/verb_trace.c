/* kata trace: runs a program with the environment that makes the library report. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trace_request {
    option_words words;
    const char *to;
} trace_request;

static const trace_request defaults;

static const option table[] = {
    {"FIELD@X,Y -- PROGRAM ARGUMENT", "a field's point, and the program to run",
     OPTION_VALUE(trace_request, words), .positional = true},
    {"to", "write there", OPTION_VALUE(trace_request, to), .placeholder = "FILE",
     .otherwise = "standard error"},
};

const options trace_options = {
    "kata trace",
    "Runs a program and reports every write to one point of a field: the kernel, where it was\n"
    "applied, the old and the new value, and what was read to compute it. Several fields are\n"
    "separated by commas: u,v@12,7. Kernels are interpreted for it. The program is one that\n"
    "uses Katagami, also kata itself: kata trace u@1,2 -- kata apply FILE.kata KERNEL ...\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

int verb_trace(int argc, char **argv)
{
    trace_request r;
    int exit_code;
    if (!options_read(&trace_options, &r, argc, argv, &exit_code)) return exit_code;
    char **words = r.words.words;
    if (r.words.count > 0 && !strchr(words[0], '@'))
        return options_wrong(&trace_options, "'%s' is not a field's point, as in u@12,7", words[0]);
    if (r.words.count < 2)
        return options_wrong(&trace_options,
                             "name a point and the program to run: kata trace u@12,7 -- PROGRAM");
    if (setenv("KATA_TRACE", words[0], 1) || (r.to && setenv("KATA_TRACE_FILE", r.to, 1)))
        return options_failed(&trace_options, "%s", strerror(errno));
    return become(trace_options.program, words + 1, r.words.count - 1);
}
