/* kata trace: runs a program with the environment that makes the library report. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int verb_trace(int argc, char **argv)
{
    option_words words = {0};
    const char *to = NULL;
    const option table[] = {
        {"FIELD@X,Y -- PROGRAM ARGUMENT", "a field's point, and what to run", .list = &words,
         .positional = true},
        {"to", "write there", .text = &to, .placeholder = "FILE", .otherwise = "standard error"},
    };
    const options o = {
        "kata trace",
        "Runs a program and reports every write to one point of a field: the kernel, where it was\n"
        "applied, the old and the new value, and what was read to compute it. Several fields are\n"
        "separated by commas: u,v@12,7. Kernels are interpreted for it. The program is one that\n"
        "uses Katagami, also kata itself: kata trace u@1,2 -- kata apply FILE.kata KERNEL ...\n",
        table, COUNT_OF(table)};
    int exit_code;
    if (!options_read(&o, argc, argv, &exit_code)) return exit_code;
    if (words.count < 2 || !strchr(words.words[0], '@'))
        return options_wrong(&o, "say what to trace and what to run: u@12,7 -- PROGRAM");
    if (setenv("KATA_TRACE", words.words[0], 1) || (to && setenv("KATA_TRACE_FILE", to, 1))) {
        fprintf(stderr, "kata trace: %s\n", strerror(errno));
        return 1;
    }
    return become(o.program, words.words + 1, words.count - 1);
}
