#include "cli.h"

typedef struct help_request {
    option_words names;
    bool manual;
    int shell;
} help_request;

static const char *const shells[] = {"bash", "zsh", "fish", NULL};
static const help_request defaults = {.shell = SHELL_NONE};

static const option table[] = {
    {"VERB", "the verb to explain, and of run the application", OPTION_VALUE(help_request, names),
     .positional = true},
    {"manual", "print the manual page, for man -l -", OPTION_VALUE(help_request, manual)},
    {"completion", "print the script that completes words: source <(kata help --completion bash)",
     OPTION_VALUE(help_request, shell), .choices = shells, .otherwise = "none"},
};

const options help_options = {
    "kata help",
    "Lists the verbs of the kata command, or explains one. Also prints the manual page and the\n"
    "scripts for shells that are installed with the command.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

static int help_of(const help_request *r)
{
    const verb *v = verb_find(r->names.words[0]);
    if (!v) return EXIT_USAGE;
    if (r->names.count > (v->options ? 1 : 2))
        return options_wrong(&help_options, "one verb is enough; there is '%s', too",
                             r->names.words[r->names.count - 1]);
    char *words[] = {(char *)v->name, r->names.count > 1 ? r->names.words[1] : "--help", "--help",
                     NULL};
    return v->main(r->names.count + 1, words);
}

int verb_help(int argc, char **argv)
{
    help_request r;
    int exit_code;
    if (!options_read(&help_options, &r, argc, argv, &exit_code)) return exit_code;
    if (r.manual + (r.shell != SHELL_NONE) + (r.names.count > 0) > 1)
        return options_wrong(&help_options, "choose one: a verb, --manual or --completion");
    if (r.names.count) return help_of(&r);
    if (r.manual)
        manual_print(stdout);
    else if (r.shell != SHELL_NONE)
        completion_print(stdout, r.shell);
    else
        verb_list(stdout);
    return 0;
}
