/* kata check: compiles kernels, and shows what they read and write. */
#include "cli.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All of standard input, terminated; NULL after a message. The caller frees it. */
static char *read_standard_input(void)
{
    size_t length = 0, capacity = 0;
    char *text = NULL;
    do {
        capacity = 2 * capacity + 4096;
        char *larger = realloc(text, capacity);
        if (!larger) break;
        text = larger;
        length += fread(text + length, 1, capacity - length - 1, stdin);
        text[length] = 0;
    } while (length == capacity - 1);
    if (text && feof(stdin) && !memchr(text, 0, length)) return text;
    fprintf(stderr, "kata check: standard input: %s\n",
            ferror(stdin) ? "cannot be read" : "is no text, or too long");
    free(text);
    return NULL;
}

static kata_module *compile(kata *k, const char *path, const char *constants)
{
    if (strcmp(path, "-") != 0) return kata_module_load(k, path, .constants = constants);
    char *text = read_standard_input();
    kata_module *m = text ? kata_module_from_text(k, "standard input", text, .constants = constants,
                                                  .folder = ".")
                          : NULL;
    free(text);
    return m;
}

static void describe(kata_module *m, kata_aspect aspect)
{
    for (int i = 0; i < kata_module_kernels(m); i++) {
        const char *text = kata_kernel_describe(kata_module_kernel(m, i), aspect);
        if (text) printf("%s%s", i ? "\n" : "", text);
    }
    fflush(stdout);
}

/* Whether a file is the one that was checked, or one that it imports: a line `#file "NAME"` of the
 * whole text names each of these, from the folder of the first. */
static bool is_read(const char *path, const char *file, const char *text)
{
    static const char mark[] = "\n#file \"";
    char name[PATH_MAX];
    const char *slash = strrchr(file, '/');
    int folder = slash ? (int)(slash + 1 - file) : 0;
    bool found = same_file(path, file);
    for (const char *at = strstr(text, mark); at && !found; at = strstr(at, mark)) {
        at += sizeof mark - 1;
        snprintf(name, sizeof name, "%.*s%.*s", folder, file, (int)strcspn(at, "\""), at);
        found = same_file(path, name);
    }
    return found;
}

/* Writes a module as one text; false after a message. */
static bool write_whole(kata_module *m, const char *file, const char *path)
{
    const char *text = kata_module_text(m);
    if (!text) return false;
    if (!is_read(path, file, text)) return write_text(&check_options, path, text);
    options_failed(&check_options,
                   "--whole would replace %s, which is read: name another file, or - for standard "
                   "output",
                   path);
    return false;
}

/* Prints messages. A warning sets the bool at `data` to true. */
static void print(void *data, kata_status status, const char *message)
{
    bool *warned = data;
    *warned |= status == KATA_OK;
    fprintf(stderr, "%s\n", message);
}

typedef struct check_request {
    option_words files;
    const char *constants, *whole;
    bool ir, quiet, warnings_are_errors;
} check_request;

/* A file of helpers and constants, for others to import, has no kernels. */
static void show(kata_module *m, const char *path, const check_request *r)
{
    if (r->files.count > 1) printf("%s:\n", path);
    if (kata_module_kernels(m))
        describe(m, r->ir ? KATA_IR : KATA_ACCESSES);
    else
        printf("no kernels\n");
}

/* A context for each file: none of its errors and no memory outlives it. */
static bool check(const char *path, const check_request *r)
{
    bool warned = false;
    kata *k = kata_open(&(kata_options){.handler = print, .handler_data = &warned});
    kata_module *m = compile(k, path, r->constants);
    if (m && !r->quiet) show(m, path, r);
    bool written = m && (!r->whole || write_whole(m, path, r->whole));
    bool good = kata_close(k) == KATA_OK && written;
    return good && !(r->warnings_are_errors && warned);
}

static const check_request defaults;

static const option table[] = {
    {"FILE.kata", "files of kernels; - is standard input", OPTION_VALUE(check_request, files),
     .positional = true},
    {"constants", "values of constants of the files, as in \"R=8, C=0.5\"",
     OPTION_VALUE(check_request, constants), .otherwise = "those in the files"},
    {"whole",
     "write the file and all that it imports, as one text, to this file; - is standard output",
     OPTION_VALUE(check_request, whole), .placeholder = "FILE"},
    {"ir", "show the intermediate form", OPTION_VALUE(check_request, ir)},
    {"quiet", "show nothing but errors and warnings", OPTION_VALUE(check_request, quiet)},
    {"werror", "warnings make the exit code 1, too",
     OPTION_VALUE(check_request, warnings_are_errors)},
};

const options check_options = {
    "kata check",
    "Compiles kernels and shows, for each, its parameters and which offsets of which fields it\n"
    "reads and writes. The exit code is 1 if any file is wrong. KATA_WARNINGS=0 silences\n"
    "warnings.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

int verb_check(int argc, char **argv)
{
    check_request r;
    int exit_code;
    if (!options_read(&check_options, &r, argc, argv, &exit_code)) return exit_code;
    if (r.files.count == 0)
        return options_wrong(&check_options,
                             "no file is given; name one, or - to read standard input");
    if (r.whole && r.files.count > 1)
        return options_wrong(&check_options, "--whole writes one text; name one file");

    bool good = true;
    for (int i = 0; i < r.files.count; i++) good &= check(r.files.words[i], &r);
    return good ? 0 : 1;
}
