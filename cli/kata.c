#include "cli.h"

#include <stdio.h>
#include <string.h>

const verb verbs[] = {
    {"run", "APPLICATION [options]", "runs a simulation; without a name, lists them", verb_run},
    {"check", "FILE.kata... [options]", "compiles kernels, says what they read and write",
     verb_check},
    {"apply", "FILE.kata KERNEL [NAME=VALUE...]", "runs a kernel on files of data", verb_apply},
    {"explain", "FILE.kata [KERNEL] or -- PROGRAM...",
     "shows what kernels cost, how chains are planned", verb_explain},
    {"trace", "FIELD@X,Y -- PROGRAM...", "reports every write to one point", verb_trace},
    {"diff", "RECORD RECORD", "finds where two recorded runs first differ", verb_diff},
    {"info", "[options]", "says what was found on this machine, and measures it", verb_info},
    {"help", "[VERB]", "shows this, or the help of a verb", verb_help},
    {NULL, NULL, NULL, NULL},
};

void no_such(const char *program, const char *what, const spelling *s)
{
    fprintf(stderr, "%s: there is no %s '%s'", program, what, s->word);
    if (s->nearest) fprintf(stderr, "; did you mean '%s'?", s->nearest);
    fputc('\n', stderr);
}

const verb *verb_find(const char *name)
{
    spelling s = spelling_of(name);
    for (const verb *v = verbs; v->name; v++) {
        if (!strcmp(v->name, name)) return v;
        spelling_try(&s, v->name);
    }
    no_such("kata", "verb", &s);
    fprintf(stderr, "its verbs are");
    for (const verb *v = verbs; v->name; v++)
        fprintf(stderr, "%s %s", v == verbs ? "" : ",", v->name);
    fputc('\n', stderr);
    return NULL;
}

void verb_list(FILE *to)
{
    for (const verb *v = verbs; v->name; v++)
        fprintf(to, "kata %-7s %-35s  %s\n", v->name, v->arguments, v->summary);
    fprintf(to, "kata %-43s  %s\n", "--version", "says which version of the library this uses");
}

static int run_verb(int argc, char **argv)
{
    if (argc < 2) {
        verb_list(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("kata %s\n", kata_version());
        return 0;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) argv[1] = "help";
    const verb *v = verb_find(argv[1]);
    return v ? v->main(argc - 1, argv + 1) : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* in a file, lines and messages stand in their order */
    int exit_code = run_verb(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return exit_code;
    fprintf(stderr, "kata: cannot write to standard output\n");
    return exit_code ? exit_code : 1;
}
