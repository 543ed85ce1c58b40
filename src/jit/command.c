/* Which C compiler is called: a path or a name, and arguments if there are some, as in "gcc -O1".
 *
 * A text that is as a whole the path of a program is that program, blanks and all. Otherwise blanks
 * part words, except within '...' and "..." and behind a backslash, as in a shell, which has no
 * part in it: nothing is expanded, and nothing but the compiler is run. */
#include "jit/jit_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"cc", "gcc", "clang"}; /* the first that is found */

enum { MOST_WORDS = 32 };

/* Arguments that may not be given, and why. */
static const char changes_results[] =
    "-Ofast, -ffast-math and what they are made of change results";
static const char makes_other[] =
    "it is called to make a shared library, and arguments such as -c, -S, -E and -o have it make "
    "something else";
static const struct {
    const char *argument, *why;
} forbidden[] = {{"-Ofast", changes_results},
                 {"-ffast-math", changes_results},
                 {"-funsafe-math-optimizations", changes_results},
                 {"-fassociative-math", changes_results},
                 {"-freciprocal-math", changes_results},
                 {"-ffinite-math-only", changes_results},
                 {"-fno-signed-zeros", changes_results},
                 {"-fsingle-precision-constant", changes_results},
                 {"-fcx-limited-range", changes_results},
                 {"-c", makes_other},
                 {"-S", makes_other},
                 {"-E", makes_other},
                 {"-o", makes_other},
                 {"-r", makes_other},
                 {"-M", makes_other},
                 {"-MM", makes_other},
                 {"-###", makes_other},
                 {"-fsyntax-only", makes_other},
                 {"-static", makes_other},
                 {"--help", makes_other},
                 {"--version", makes_other}};

/* ---- programs -------------------------------------------------------------------------------- */

static bool can_run(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* The path of a program from the root: a compiler starts in another folder than the process. */
static bool take_path(const char *path, text *out)
{
    char *here = *path == '/' ? NULL : getcwd(NULL, 0);
    if (*path != '/' && !here) return false;
    text_clear(out);
    text_add(out, "%s%s%s", here ? here : "", here ? "/" : "", path);
    free(here);
    return !out->failed && can_run(text_get(out));
}

/* Looks for a program in the folders of PATH; one with a slash in its name is a path. */
static bool find_program(const char *name, text *path)
{
    const char *folders = environment_get("PATH");
    if (strchr(name, '/')) return take_path(name, path);
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        text_clear(path);
        text_add(path, "%.*s/%s", (int)length, folders, name);
        if (*folders == '/' && !path->failed && can_run(text_get(path))) return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

void jit_compiler_list(text *out)
{
    text path = {0};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (find_program(names[i], &path))
            text_add(out, out->length ? ", %s" : "%s", text_get(&path));
    text_free(&path);
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

/* Takes the next word out of a text, which it advances behind it, with its quotes removed; writes
 * it over the text at *to. False where a quote is not closed. */
static bool take_word(const char **from, char **to)
{
    char quote = 0;
    for (; **from && (quote || !is_blank(**from)); (*from)++) {
        char c = **from;
        bool literal = c == '\\' && quote != '\'' && (*from)[1];
        if (literal)
            *(*to)++ = *++(*from);
        else if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? 0 : c;
        else
            *(*to)++ = c;
    }
    if (**from) (*from)++;
    *(*to)++ = '\0';
    return !quote;
}

/* Splits a copy of a text into words, at most MOST_WORDS. Returns NULL, or why it cannot. */
static const char *split(char *copy, const char *words[MOST_WORDS + 1])
{
    const char *from = copy;
    char *to = copy;
    int count = 0;
    while (is_blank(*from)) from++;
    while (*from) {
        if (count == MOST_WORDS) return "it has too many arguments";
        words[count++] = to;
        if (!take_word(&from, &to)) return "a quote is not closed";
        while (is_blank(*from)) from++;
    }
    words[count] = NULL;
    return count ? NULL : "it is blank";
}

static const char *complaint(const char *const *arguments)
{
    for (; *arguments; arguments++)
        for (size_t i = 0; i < COUNT_OF(forbidden); i++)
            if (strcmp(*arguments, forbidden[i].argument) == 0) return forbidden[i].why;
    return NULL;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool set_path(const text *path, arena *memory, const char **out)
{
    *out = path->failed ? NULL : arena_copy_text(memory, text_get(path), path->length);
    return *out != NULL;
}

/* A compiler that was named with arguments. */
static bool find_words(const char *given, arena *memory, text *path, jit_command *out)
{
    const char **words = arena_array(memory, MOST_WORDS + 1, sizeof *words);
    char *copy = arena_copy_text(memory, given, strlen(given));
    if (!words || !copy) return false;
    out->wrong = split(copy, words);
    if (!out->wrong) out->wrong = complaint(words + 1);
    if (out->wrong || !find_program(words[0], path)) return true;
    out->arguments = words + 1;
    if (!set_path(path, memory, &out->path)) return false;
    bool wraps = words[1] && words[1][0] != '-' && find_program(words[1], path);
    return !wraps || set_path(path, memory, &out->wrapped);
}

bool jit_command_find(const char *given, arena *memory, jit_command *out)
{
    static const char *const none[] = {NULL};
    text path = {0};
    bool good = true, found = false;
    *out = (jit_command){.arguments = none};
    for (size_t i = 0; i < COUNT_OF(names) && !given && !found; i++)
        found = find_program(names[i], &path);
    if (given) found = find_program(given, &path);
    if (found)
        good = set_path(&path, memory, &out->path);
    else if (given)
        good = find_words(given, memory, &path, out);
    good = good && !path.failed;
    text_free(&path);
    return good;
}
