/* kata wisdom: the fastest plans that programs have found on this machine, kept with the kernels.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct wisdom_request {
    const char *name; /* of the action */
    int action;
    option_words words;
    const char *cache;
} wisdom_request;

enum { NO_ACTION = -1, LIST, EXPORT, IMPORT, MERGE, FORGET, MOST_BYTES = 1 << 21 };
static const char *const actions[] = {"list", "export", "import", "merge", "forget", NULL};

/* ---- files ----------------------------------------------------------------------------------- */

/* Opens a file without waiting for who may write to it. */
static FILE *open_plain(const char *path, bool *plain)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *plain = file < 0 || fstat(file, &status) || S_ISREG(status.st_mode);
    FILE *from = file >= 0 && *plain ? fdopen(file, "r") : NULL;
    if (file >= 0 && !from) close(file);
    return from;
}

/* The text of a file, to be freed; NULL after a message. */
static char *read_text(const char *path)
{
    bool plain = true;
    FILE *from = strcmp(path, "-") != 0 ? open_plain(path, &plain) : stdin;
    char *lines = from ? malloc(MOST_BYTES + 1) : NULL;
    size_t size = lines ? fread(lines, 1, MOST_BYTES + 1, from) : 0;
    const char *wrong = !plain ? "it is not an ordinary file; - reads standard input"
                        : !from || !lines || ferror(from)   ? strerror(errno)
                        : size > MOST_BYTES                 ? "it is too large"
                        : size && memchr(lines, '\0', size) ? "it is not text"
                                                            : NULL;
    if (from && from != stdin) fclose(from);
    if (!wrong) lines[size] = '\0';
    if (!wrong) return lines;
    options_failed(&wisdom_options, "cannot read %s: %s", path, wrong);
    free(lines);
    return NULL;
}

/* ---- actions --------------------------------------------------------------------------------- */

static bool list(kata *k)
{
    const char *shown = kata_wisdom_list(k);
    return shown && fputs(shown, stdout) >= 0;
}

static bool export(kata *k, const wisdom_request *r)
{
    const char *lines = kata_wisdom_export(k);
    return lines && write_text(&wisdom_options, r->words.words[0], lines);
}

static bool import(kata *k, const wisdom_request *r)
{
    for (int i = 0; i < r->words.count; i++) {
        char *lines = read_text(r->words.words[i]);
        bool good = lines && kata_wisdom_import(k, lines, r->action == IMPORT) == KATA_OK;
        free(lines);
        if (!good) return false;
    }
    return true;
}

static bool forget(kata *k, const wisdom_request *r)
{
    const char *kernel = r->words.count ? r->words.words[0] : NULL;
    int count = kata_wisdom_forget(k, kernel);
    if (!kata_ok(k)) return false;
    if (!count && kernel)
        printf("nothing is forgotten: no chain that is kept begins with the kernel '%s'\n", kernel);
    else if (!count)
        printf("nothing is forgotten: no chains are kept\n");
    else
        printf("%d %s forgotten\n", count, count == 1 ? "chain is" : "chains are");
    return true;
}

/* A folder that cannot be used has nothing to show, and keeps nothing. */
static bool has_cache(kata *k, const wisdom_request *r)
{
    kata_machine machine;
    if (kata_machine_get(k, &machine)) return false;
    if (*machine.cache) return true;
    options_failed(&wisdom_options, "%s%s cannot be the cache folder; docs/compiling.md says why",
                   r->cache ? "--cache " : "", r->cache ? r->cache : "what is set");
    return false;
}

static bool act(kata *k, const wisdom_request *r)
{
    if (!has_cache(k, r)) return false;
    switch (r->action) {
    case EXPORT: return export(k, r);
    case IMPORT:
    case MERGE: return import(k, r);
    case FORGET: return forget(k, r);
    default: return list(k);
    }
}

/* ---- the command line ------------------------------------------------------------------------ */

static const wisdom_request defaults;

static const option table[] = {
    {"ACTION", "list, export FILE, import FILE, merge FILE... or forget [KERNEL]",
     OPTION_VALUE(wisdom_request, name), .positional = true, .choices = actions,
     .otherwise = "list"},
    {"FILE|KERNEL", "a file, - for a pipe; or the first kernel of the chains to be forgotten",
     OPTION_VALUE(wisdom_request, words), .positional = true},
    {"cache", "the folder that holds it", OPTION_VALUE(wisdom_request, cache),
     .placeholder = "FOLDER", .otherwise = "the kernel cache that kata info shows"},
};

const options wisdom_options = {
    "kata wisdom",
    "Shows and carries wisdom: which plans were fastest for the chains of loops that programs "
    "have\n"
    "run here. A program that is started again uses it from its first step on; results never\n"
    "depend on it. import replaces all by a file of export, merge adds those of files that are "
    "new\n"
    "or faster, forget makes programs search again. Wisdom is for one processor, number of "
    "threads\n"
    "and version; what is not for this machine does no harm.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

static int action_of(const char *name)
{
    spelling s = spelling_of(name);
    for (int i = 0; actions[i]; i++) {
        if (!strcmp(actions[i], name)) return i;
        spelling_try(&s, actions[i]);
    }
    no_such(wisdom_options.program, "action", &s);
    return NO_ACTION;
}

static int check(const wisdom_request *r)
{
    const options *o = &wisdom_options;
    if (r->action == NO_ACTION) return EXIT_USAGE;
    bool file = r->action == EXPORT || r->action == IMPORT, some = r->action == MERGE;
    if ((file || some) && r->words.count < 1)
        return options_wrong(o, "name a file: kata wisdom %s FILE", actions[r->action]);
    int most = r->action == LIST ? 0 : 1;
    if (!some && r->words.count > most)
        return options_wrong(o, "%s takes %s; there is '%s', too", actions[r->action],
                             file   ? "one file"
                             : most ? "one kernel"
                                    : "no words",
                             r->words.words[most]);
    return 0;
}

int verb_wisdom(int argc, char **argv)
{
    wisdom_request r;
    int exit_code;
    if (!options_read(&wisdom_options, &r, argc, argv, &exit_code)) return exit_code;
    r.action = action_of(r.name ? r.name : "list");
    int wrong = check(&r);
    if (wrong) return wrong;
    kata *k = kata_open(&(kata_options){.cache = r.cache});
    bool good = k && act(k, &r);
    return kata_close(k) || !good;
}
