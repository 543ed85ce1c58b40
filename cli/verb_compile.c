/* kata compile: kernels for machines without a compiler. */
#include "cli.h"

#include <stdio.h>

typedef struct compile_request {
    option_words files;
    const char *kernel, *types, *constants, *cache;
    int layout;
    bool colors, portable;
} compile_request;

/* Returns whether it went well. Each file has a context of its own. */
static bool compile(const char *path, const compile_request *r)
{
    const kata_compile_options asked = {.size = sizeof asked,
                                        .kernel = r->kernel,
                                        .types = r->types,
                                        .layout = (kata_layout)r->layout,
                                        .colors = r->colors,
                                        .portable = r->portable};
    kata_machine machine;
    kata *k = kata_open(&(kata_options){.cache = r->cache});
    kata_module *m = k ? kata_module_load(k, path, .constants = r->constants) : NULL;
    bool empty = m && kata_module_kernels(m) == 0;
    if (empty)
        options_failed(&compile_options, "%s has no kernels", path);
    else if (m && kata_module_compile_with(m, &asked) == KATA_OK &&
             kata_machine_get(k, &machine) == KATA_OK)
        printf("%s: %s%s compiled in %s\n", path, r->kernel ? r->kernel : "all kernels",
               r->kernel ? " is" : " are", machine.cache);
    return kata_close(k) == KATA_OK && !empty;
}

static const char *const layouts[] = {"arrays", "structures", "blocks", NULL};
static const compile_request defaults = {.layout = KATA_ARRAYS};

static const option table[] = {
    {"FILE.kata", "files of kernels", OPTION_VALUE(compile_request, files), .positional = true},
    {"kernel", "compile this kernel only", OPTION_VALUE(compile_request, kernel),
     .placeholder = "NAME", .otherwise = "all"},
    {"type", "how fields are stored, as in f32 or u=f32,v=f16",
     OPTION_VALUE(compile_request, types), .placeholder = "TYPE",
     .otherwise = "the type of the kernel's parameter", .choices = apply_type_names},
    {"layout", "of fields with several components", OPTION_VALUE(compile_request, layout),
     .choices = layouts},
    {"colors", "for coloured ranges", OPTION_VALUE(compile_request, colors)},
    {"portable", "for any CPU of this kind, not this one alone",
     OPTION_VALUE(compile_request, portable)},
    {"constants", "values of constants of the files, as in \"R=8, C=0.5\"",
     OPTION_VALUE(compile_request, constants), .otherwise = "those in the files"},
    {"cache", "the folder to compile into", OPTION_VALUE(compile_request, cache),
     .placeholder = "FOLDER", .otherwise = "the kernel cache that kata info shows"},
};

const options compile_options = {
    "kata compile",
    "Compiles kernels ahead of time. The folder can be copied to machines without a C compiler:\n"
    "programs use it there with KATA_CACHE_DIR=FOLDER.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

int verb_compile(int argc, char **argv)
{
    compile_request r;
    int exit_code;
    if (!options_read(&compile_options, &r, argc, argv, &exit_code)) return exit_code;
    if (r.files.count == 0)
        return options_wrong(&compile_options, "no file is given: kata compile FILE.kata");

    bool good = true;
    for (int i = 0; i < r.files.count; i++) good &= compile(r.files.words[i], &r);
    return good ? 0 : 1;
}
