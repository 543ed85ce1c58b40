/* kata explain: runs a program with the environment that makes the library show its plans. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int verb_explain(int argc, char **argv)
{
    option_words words = {0};
    const char *to = NULL, *plan = NULL, *picture = NULL;
    bool json = false;
    const option table[] = {
        {"PROGRAM ARGUMENT", "what to run", .list = &words, .positional = true},
        {"plan", "a method and its sizes, as in 'skewed y=16 z=8'", .text = &plan,
         .placeholder = "WORDS", .otherwise = "loops"},
        {"json", "as JSON", .flag = &json},
        {"svg", "as a picture of points along x, y or z and of loops", .text = &picture,
         .placeholder = "DIMENSION", .otherwise = "none"},
        {"to", "add it there", .text = &to, .placeholder = "FILE", .otherwise = "standard error"},
    };
    const options o = {
        "kata explain",
        "Runs a program and shows how its chains of loops are planned: which tiles, buffers and\n"
        "moves, in which order. docs/planning.md explains the methods (loops, skewed, diamond,\n"
        "overlapped, streamed, fused, single, blocked) and the form. The program is one that uses\n"
        "Katagami, also kata itself: kata explain --plan 'skewed y=8' -- kata apply heat.kata "
        "...\n",
        table, COUNT_OF(table)};
    int exit_code;
    if (!options_read(&o, argc, argv, &exit_code)) return exit_code;
    if (words.count < 1) return options_wrong(&o, "say what to run: kata explain -- PROGRAM");
    if (json && picture) return options_wrong(&o, "--json and --svg are two forms: choose one");
    if (picture && (strlen(picture) != 1 || !strchr("xyz", *picture)))
        return options_wrong(&o, "--svg takes x, y or z, not '%s'", picture);
    const char *form = json ? "json" : picture ? picture : "text";
    if (setenv("KATA_EXPLAIN", form, 1) || (plan && setenv("KATA_PLAN", plan, 1)) ||
        (to && setenv("KATA_EXPLAIN_FILE", to, 1))) {
        fprintf(stderr, "kata explain: %s\n", strerror(errno));
        return 1;
    }
    return become(o.program, words.words, words.count);
}
