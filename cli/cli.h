/* The `kata` command: a table of verbs, each in a file of its own. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "common/common.h"

#include <stdio.h>

typedef struct verb {
    const char *name, *arguments, *summary;
    int (*main)(int argc, char **argv); /* argv[0] is the verb; returns the exit code */
} verb;

/* All of them, ended by one without a name. */
extern const verb verbs[];
/* NULL, after a message with the nearest name, when there is none of this name. */
const verb *verb_find(const char *name);
/* The verbs, and what they do. */
void verb_list(FILE *to);

int verb_check(int argc, char **argv);
int verb_help(int argc, char **argv);
int verb_info(int argc, char **argv);
int verb_run(int argc, char **argv);

/* Complains that `program` has no `what` of this name, and suggests the nearest one tried. */
void no_such(const char *program, const char *what, const spelling *s);

#endif
