/* Scripts with which shells complete the words of the kata command. They hold the verbs, options
 * and choices of the command's tables; where none of these fits, they complete names of files. */
#include "cli.h"

#include "apps.h"

#include <string.h>

/* ---- the tables, as shells need them --------------------------------------------------------- */

/* "apply", "run heat": the words after kata. */
static const char *command_of(const options *o) { return o->program + strlen("kata "); }

static bool starts(const char *words, const char *with)
{
    return words && !strncmp(words, with, strlen(with));
}

static bool takes_file(const option *e)
{
    return starts(e->placeholder, "FILE") || starts(e->placeholder, "FOLDER");
}

static void print_choices(FILE *to, const option *e)
{
    for (int i = 0; e->choices[i]; i++) fprintf(to, "%s%s", i ? " " : "", e->choices[i]);
}

static void print_verbs(FILE *to)
{
    for (const verb *v = verbs; v->name; v++) fprintf(to, "%s ", v->name);
}

static void print_applications(FILE *to)
{
    for (const application *a = applications; a->name; a++) fprintf(to, "%s ", a->name);
}

/* Prints a text between single quotes, with a backslash before the characters of `special`. */
static void print_quoted(FILE *to, const char *words, const char *special)
{
    for (; *words; words++)
        if (*words == '\'')
            fputs("'\\''", to);
        else
            fprintf(to, "%s%c", strchr(special, *words) ? "\\" : "", *words);
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void print_bash_options(void *data, const options *o, const char *summary)
{
    FILE *to = data;
    (void)summary;
    fprintf(to, "    '%s') echo '", command_of(o));
    for (const option *e = o->table; e < o->table + o->count; e++)
        if (!e->positional) fprintf(to, "--%s ", e->name);
    fprintf(to, "--help' ;;\n");
}

/* Options that take a value: the words for it, or nothing. */
static void print_bash_values(void *data, const options *o, const char *summary)
{
    FILE *to = data;
    (void)summary;
    for (const option *e = o->table; e < o->table + o->count; e++) {
        if (e->positional || e->kind == OPTION_FLAG) continue;
        fprintf(to, "    '%s --%s') echo '", command_of(o), e->name);
        if (e->choices) print_choices(to, e);
        fprintf(to, "' ;;\n");
    }
}

static const char bash_function[] =
    "_kata_reply() # words\n"
    "{\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\")\n"
    "}\n"
    "\n"
    "# An empty reply stands for names of files.\n"
    "_kata()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local command=${COMP_WORDS[1]} i values\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then _kata_reply \"$_kata_verbs --help --version\"; return; "
    "fi\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        if [ \"${COMP_WORDS[i]}\" = -- ]; then return; fi\n"
    "    done\n"
    "    if [ \"$command\" = run ]; then\n"
    "        if [ \"$COMP_CWORD\" -eq 2 ]; then _kata_reply \"$_kata_applications --help\"; "
    "return; fi\n"
    "        command=\"run ${COMP_WORDS[2]}\"\n"
    "    fi\n"
    "    # \"--type=f32\" comes as three words\n"
    "    if [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "    if [ \"$word\" = = ]; then word=; fi\n"
    "    if [[ $before == --* ]] && values=$(_kata_values \"$command $before\"); then\n"
    "        _kata_reply \"$values\"\n"
    "    elif [[ $word == -* ]]; then\n"
    "        _kata_reply \"$(_kata_options \"$command\")\"\n"
    "    elif [ \"$command\" = help ]; then\n"
    "        _kata_reply \"$_kata_verbs\"\n"
    "    elif [[ \" check compile explain \" == *\" $command \"* || \"$command $COMP_CWORD\" == "
    "'apply 2' ]]\n"
    "    then\n"
    "        compopt -o filenames 2>/dev/null || true\n"
    "        mapfile -t COMPREPLY < <(compgen -f -X '!*.kata' -- \"$word\"; compgen -d -- "
    "\"$word\")\n"
    "    fi\n"
    "}\n"
    "complete -o default -o bashdefault -F _kata kata\n";

static void print_bash(FILE *to)
{
    fprintf(to, "# Completes the words of the kata command in bash. Made from its tables of "
                "options.\n_kata_verbs='");
    print_verbs(to);
    fprintf(to, "'\n_kata_applications='");
    print_applications(to);
    fprintf(to, "'\n\n_kata_options() # command\n{\n    case $1 in\n");
    each_command(print_bash_options, to);
    fprintf(to, "    esac\n}\n\n# The words that an option takes; 1 when it takes no value.\n"
                "_kata_values() # \"command option\"\n{\n    case $1 in\n");
    each_command(print_bash_values, to);
    fprintf(to, "    *) return 1 ;;\n    esac\n}\n\n%s", bash_function);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

static void print_zsh_option(FILE *to, const option *e)
{
    fprintf(to, " \\\n            '--%s%s[", e->name, e->kind == OPTION_FLAG ? "" : "=");
    print_quoted(to, e->help, "[]:\\");
    fprintf(to, "]");
    if (e->kind != OPTION_FLAG) {
        fprintf(to, ":value:");
        if (e->choices) {
            fprintf(to, "(");
            print_choices(to, e);
            fprintf(to, ")");
        } else if (takes_file(e)) {
            fprintf(to, "_files");
        }
    }
    fprintf(to, "'");
}

static void print_zsh_command(void *data, const options *o, const char *summary)
{
    FILE *to = data;
    (void)summary;
    fprintf(to, "    '%s')\n        _arguments", command_of(o));
    for (const option *e = o->table; e < o->table + o->count; e++)
        if (!e->positional) print_zsh_option(to, e);
    bool explains = !strcmp(command_of(o), "help");
    fprintf(to, " \\\n            '--help[shows what it takes]' '*:argument:%s' ;;\n",
            explains ? "($verbs)" : "_files");
}

static void print_zsh_names(FILE *to)
{
    fprintf(to, "    local -a verbs=(");
    print_verbs(to);
    fprintf(to, ") applications=(");
    print_applications(to);
    fprintf(to, ") described=(\n");
    for (const verb *v = verbs; v->name; v++) {
        fprintf(to, "        '%s:", v->name);
        print_quoted(to, v->summary, "");
        fprintf(to, "'\n");
    }
    fprintf(to, "    )\n");
}

static void print_zsh(FILE *to)
{
    fprintf(to, "#compdef kata\n# Completes the words of the kata command in zsh. Made from its "
                "tables of options.\n_kata()\n{\n");
    print_zsh_names(to);
    fprintf(to, "    if ((CURRENT == 2)); then _describe verb described; return; fi\n"
                "    local command=$words[2]\n"
                "    if [[ $command == run ]]; then\n"
                "        if ((CURRENT == 3)); then compadd -a applications; return; fi\n"
                "        command=\"run $words[3]\"\n"
                "        shift words; ((CURRENT--))\n"
                "    fi\n"
                "    shift words; ((CURRENT--))\n"
                "    case $command in\n");
    each_command(print_zsh_command, to);
    fprintf(to,
            "    esac\n}\nif [ \"$funcstack[1]\" = _kata ]; then _kata \"$@\"; else compdef _kata "
            "kata; fi\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

/* "complete -c kata -n 'the words of the command were typed'" */
static void print_fish_begin(FILE *to, const char *command)
{
    const char *blank = strchr(command, ' ');
    int verb = blank ? (int)(blank - command) : (int)strlen(command);
    fprintf(to, "complete -c kata -n '__fish_seen_subcommand_from %.*s", verb, command);
    if (blank) fprintf(to, "; and __fish_seen_subcommand_from %s", blank + 1);
    fprintf(to, "'");
}

static void print_fish_command(void *data, const options *o, const char *summary)
{
    FILE *to = data;
    (void)summary;
    for (const option *e = o->table; e < o->table + o->count; e++) {
        if (e->positional) continue;
        print_fish_begin(to, command_of(o));
        fprintf(to, " -l %s", e->name);
        if (e->kind != OPTION_FLAG) fprintf(to, takes_file(e) ? " -r" : " -x");
        if (e->choices) {
            fprintf(to, " -a '");
            print_choices(to, e);
            fprintf(to, "'");
        }
        fprintf(to, " -d '");
        for (const char *c = e->help; *c; c++)
            fprintf(to, "%s%c", strchr("'\\", *c) ? "\\" : "", *c);
        fprintf(to, "'\n");
    }
}

static void print_fish(FILE *to)
{
    fprintf(to, "# Completes the words of the kata command in fish. Made from its tables of "
                "options.\n");
    for (const verb *v = verbs; v->name; v++)
        fprintf(to, "complete -c kata -n __fish_use_subcommand -f -a %s -d '%s'\n", v->name,
                v->summary);
    fprintf(to, "complete -c kata -n '__fish_seen_subcommand_from run' -f -a '");
    print_applications(to);
    fprintf(to, "'\ncomplete -c kata -n '__fish_seen_subcommand_from help' -f -a '");
    print_verbs(to);
    fprintf(to, "'\n");
    each_command(print_fish_command, to);
}

void completion_print(FILE *to, int shell)
{
    static void (*const print[])(FILE *) = {print_bash, print_zsh, print_fish};
    print[shell](to);
}
