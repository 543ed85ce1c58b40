#include "cli.h"

#include "apps.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

const verb verbs[] = {
    {"run", "APPLICATION [options]", "runs a simulation; without a name, lists them", verb_run,
     NULL},
    {"check", "FILE.kata... [options]", "compiles kernels, shows what they read and write",
     verb_check, &check_options},
    {"apply", "FILE.kata KERNEL [NAME=VALUE...]", "runs a kernel on files of data", verb_apply,
     &apply_options},
    {"compile", "FILE.kata... [options]", "compiles kernels for machines without a compiler",
     verb_compile, &compile_options},
    {"explain", "FILE.kata [KERNEL] or -- PROGRAM...",
     "shows what kernels cost, how chains are planned", verb_explain, &explain_options},
    {"trace", "FIELD@X,Y -- PROGRAM...", "reports every write to one point", verb_trace,
     &trace_options},
    {"diff", "RECORD RECORD", "finds where two recorded runs first differ", verb_diff,
     &diff_options},
    {"tune", "-- PROGRAM...", "finds the fastest plans for the chains of a program", verb_tune,
     &tune_options},
    {"wisdom", "[ACTION] [FILE]", "the fastest plans found so far: shows, carries, forgets them",
     verb_wisdom, &wisdom_options},
    {"partition", "SIZE --levels N,N...", "cuts a grid into parts, shows their balance",
     verb_partition, &partition_options},
    {"info", "[options]", "describes this machine, and measures it", verb_info, &info_options},
    {"help", "[VERB]", "shows this, or the help of a verb", verb_help, &help_options},
    {NULL, NULL, NULL, NULL, NULL},
};

void each_command(visit_command *visit, void *data)
{
    for (const verb *v = verbs; v->name; v++) {
        if (v->options) visit(data, v->options, v->summary);
        for (const application *a = applications; !v->options && a->name; a++)
            visit(data, a->options, a->summary);
    }
}

void no_such(const char *program, const char *kind, const spelling *s)
{
    fprintf(stderr, "%s: there is no %s '%s'", program, kind, s->word);
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
    if (name[0] == '-') spelling_try(&s, "--version");
    if (name[0] == '-') spelling_try(&s, "--help");
    no_such("kata", name[0] == '-' ? "option" : "verb", &s);
    fprintf(stderr, "its verbs are");
    for (const verb *v = verbs; v->name; v++)
        fprintf(stderr, "%s %s", v == verbs ? "" : ",", v->name);
    fputc('\n', stderr);
    return NULL;
}

void verb_list(FILE *to)
{
    for (const verb *v = verbs; v->name; v++)
        fprintf(to, "kata %-9s %-35s  %s\n", v->name, v->arguments, v->summary);
    fprintf(to, "kata %-45s  %s\n", "--version", "shows the version of the library");
    fprintf(to, "\nkata help VERB explains a verb and its options.\n");
}

/* What stands alone: the version, or, without, the list of verbs. */
static int show(bool version, const char *option, const char *more)
{
    if (more) {
        fprintf(stderr, "kata: unexpected argument '%s' behind %s\n", more, option);
        return EXIT_USAGE;
    }
    if (version)
        printf("kata %s\n", kata_version());
    else
        verb_list(stdout);
    return 0;
}

static int run_verb(int argc, char **argv)
{
    if (argc < 2) {
        verb_list(stderr);
        return EXIT_USAGE;
    }
    bool version = !strcmp(argv[1], "--version");
    if (version || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return show(version, argv[1], argv[2]);
    if (option_alone_has_value("kata", argv[1])) return EXIT_USAGE;
    const verb *v = verb_find(argv[1]);
    return v ? v->main(argc - 1, argv + 1) : EXIT_USAGE;
}

/* Where input, output or errors are closed, no file gets their number: it would get what is
 * printed. What has it instead is neither read nor written. */
static void hold_standard(void)
{
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0) open("/dev/null", i ? O_RDONLY : O_WRONLY);
}

int main(int argc, char **argv)
{
    hold_standard();
    setvbuf(stdout, NULL, _IOLBF, 0); /* in a file, lines and messages stand in their order */
    if (kata_rank(NULL) > 0 &&
        (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        return 1; /* the first rank speaks for all */
    int exit_code = run_verb(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return exit_code;
    fprintf(stderr, "kata: cannot write to standard output\n");
    return exit_code ? exit_code : 1;
}
