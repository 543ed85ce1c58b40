#include "cli.h"

int verb_help(int argc, char **argv)
{
    const char *name = NULL;
    const option table[] = {{"VERB", "the verb to explain", .text = &name, .positional = true}};
    const options o = {"kata help", "Explains the kata command.\n", table, COUNT_OF(table)};
    int exit_code;
    if (!options_read(&o, argc, argv, &exit_code)) return exit_code;
    if (!name) {
        verb_list(stdout);
        return 0;
    }
    const verb *v = verb_find(name);
    if (!v) return EXIT_USAGE;
    char *words[] = {argv[1], "--help", NULL};
    return v->main(2, words);
}
