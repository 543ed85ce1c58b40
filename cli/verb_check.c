#include "cli.h"

#include <errno.h>
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

/* Writes a module as one text; whether it did. */
static bool write_whole(kata_module *m, const char *path)
{
    const char *text = kata_module_text(m);
    if (!text) return false;
    FILE *file = fopen(path, "w");
    bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file)) written = false;
    if (!written) fprintf(stderr, "kata check: cannot write %s: %s\n", path, strerror(errno));
    return written;
}

/* Prints messages; data is set to true by warnings. */
static void print(void *data, kata_status status, const char *message)
{
    bool *warned = data;
    *warned |= status == KATA_OK;
    fprintf(stderr, "%s\n", message);
}

/* What is asked for. */
typedef struct check_options {
    const char *constants, *whole;
    bool ir, quiet, warnings_are_errors;
} check_options;

/* A context for each file: none of its errors and no memory outlives it. */
static bool check(const char *path, const check_options *asked, bool show_name)
{
    bool warned = false;
    kata *k = kata_open(&(kata_options){.handler = print, .handler_data = &warned});
    kata_module *m = compile(k, path, asked->constants);
    if (m && show_name && !asked->quiet) printf("%s:\n", path);
    if (m && !asked->quiet) describe(m, asked->ir ? KATA_IR : KATA_ACCESSES);
    bool written = m && (!asked->whole || write_whole(m, asked->whole));
    bool good = kata_close(k) == KATA_OK && written;
    return good && !(asked->warnings_are_errors && warned);
}

int verb_check(int argc, char **argv)
{
    option_words files = {0};
    check_options asked = {0};
    const option table[] = {
        {"FILE.kata", "files of kernels; - is standard input", .list = &files, .positional = true},
        {"constants", "values of constants of the files, as in \"R=8, C=0.5\"",
         .text = &asked.constants, .otherwise = "those in the files"},
        {"whole", "write the file and what it imports, as one text, to this one",
         .text = &asked.whole, .placeholder = "FILE"},
        {"ir", "show the intermediate form", .flag = &asked.ir},
        {"quiet", "show nothing but errors and warnings", .flag = &asked.quiet},
        {"werror", "a warning makes the exit code 1, too", .flag = &asked.warnings_are_errors},
    };
    const options o = {
        "kata check",
        "Compiles kernels and shows, for each, its parameters and which offsets of "
        "which fields\nit reads and writes. The exit code is 1 if any file is wrong. "
        "KATA_WARNINGS=0 silences\nwarnings.\n",
        table, COUNT_OF(table)};
    int exit_code;
    if (!options_read(&o, argc, argv, &exit_code)) return exit_code;
    if (files.count == 0)
        return options_wrong(&o, "no file is given; name one, or - to read standard input");

    if (asked.whole && files.count > 1)
        return options_wrong(&o, "--whole writes one text; name one file");

    bool good = true;
    for (int i = 0; i < files.count; i++) good &= check(files.words[i], &asked, files.count > 1);
    return good ? 0 : 1;
}
