#include "common/common.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int options_wrong(const options *o, const char *format, ...)
{
    va_list list;
    fprintf(stderr, "%s: ", o->program);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

/* The option of a name that ends at `length`. */
static const option *find(const options *o, const char *name, size_t length)
{
    for (const option *e = o->table; e < o->table + o->count; e++)
        if (!e->positional && strlen(e->name) == length && !strncmp(e->name, name, length))
            return e;
    return NULL;
}

static bool unknown_option(const options *o, const char *word, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    spelling s = spelling_of(name);
    for (const option *e = o->table; e < o->table + o->count; e++)
        if (!e->positional) spelling_try(&s, e->name);
    spelling_try(&s, "help");
    if (s.nearest)
        options_wrong(o, "there is no option --%s; did you mean --%s?", name, s.nearest);
    else
        options_wrong(o, "there is no option --%s; %s --help lists them", name, o->program);
    return false;
}

/* Reads the option at argv[*at], and its value, which may be the next word. */
static bool read_option(const options *o, int argc, char **argv, int *at)
{
    const char *word = argv[*at] + 2, *value = strchr(word, '=');
    size_t length = value ? (size_t)(value - word) : strlen(word);
    const option *e = find(o, word, length);
    if (!e) return unknown_option(o, word, length);
    if (value) return option_store(o, e, value + 1);
    if (e->flag) return *e->flag = true;
    if (*at + 1 == argc) return option_missing(o, e);
    return option_store(o, e, argv[++*at]);
}

static const option *positional(const options *o, int number)
{
    for (const option *e = o->table; e < o->table + o->count; e++)
        if (e->positional && (e->list || number-- == 0)) return e;
    return NULL;
}

/* Words of a list are moved to the front of argv, behind those read before. */
static bool read_argument(const options *o, char **argv, int at, int *number)
{
    const option *e = positional(o, *number);
    if (!e) {
        options_wrong(o, "unexpected argument '%s'; %s --help shows what it takes", argv[at],
                      o->program);
        return false;
    }
    if (!e->list) {
        ++*number;
        return option_store(o, e, argv[at]);
    }
    if (e->list->count == 0) e->list->words = argv + 1;
    e->list->words[e->list->count++] = argv[at];
    return true;
}

bool options_read(const options *o, int argc, char **argv, int *exit_code)
{
    bool only_arguments = false, good = true;
    int number = 0;
    for (int i = 1; i < argc && good; i++) {
        const char *word = argv[i];
        if (only_arguments || word[0] != '-' || !word[1]) {
            good = read_argument(o, argv, i, &number);
        } else if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
            option_print_help(o);
            *exit_code = 0;
            return false;
        } else if (!strcmp(word, "--")) {
            only_arguments = true;
        } else if (word[1] != '-') {
            options_wrong(o, "there is no option %s; %s --help lists them", word, o->program);
            good = false;
        } else {
            good = read_option(o, argc, argv, &i);
        }
    }
    if (!good) *exit_code = EXIT_USAGE;
    return good;
}
