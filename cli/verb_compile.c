/* kata compile: kernels for machines without a compiler. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* Whether it went well; a context for each file. */
static bool compile(const char *path, const char *constants, const char *cache,
                    const kata_compile_options *how)
{
    kata_machine machine;
    kata *k = kata_open(&(kata_options){.cache = cache});
    kata_module *m = k ? kata_module_load(k, path, .constants = constants) : NULL;
    if (m && kata_module_compile_with(m, how) == KATA_OK &&
        kata_machine_get(k, &machine) == KATA_OK)
        printf("%s: %s%s compiled in %s\n", path, how->kernel ? how->kernel : "all kernels",
               how->kernel ? " is" : " are", machine.cache);
    return kata_close(k) == KATA_OK;
}

int verb_compile(int argc, char **argv)
{
    static const char *const layouts[] = {"arrays", "structures", "blocks", NULL};
    option_words files = {0};
    const char *constants = NULL, *cache = NULL;
    kata_compile_options how = {0};
    int layout = KATA_ARRAYS;
    const option table[] = {
        {"FILE.kata", "files of kernels", .list = &files, .positional = true},
        {"kernel", "compile this kernel only", .text = &how.kernel, .placeholder = "NAME",
         .otherwise = "all"},
        {"type", "how fields are stored, as in f32 or u=f32,v=f16", .text = &how.types,
         .placeholder = "TYPE", .otherwise = "what is computed in"},
        {"layout", "of fields with several components", .choice = &layout, .choices = layouts},
        {"colors", "for coloured ranges", .flag = &how.colors},
        {"portable", "for any CPU of this kind, not this one alone", .flag = &how.portable},
        {"constants", "values of constants of the files, as in \"R=8, C=0.5\"", .text = &constants,
         .otherwise = "those in the files"},
        {"cache", "the folder to compile into", .text = &cache, .placeholder = "FOLDER",
         .otherwise = "the kernel cache of kata info"},
    };
    const options o = {
        "kata compile",
        "Compiles kernels ahead of time. The folder can be copied to machines without a C compiler:"
        "\nprograms use it there with KATA_CACHE_DIR=FOLDER.\n",
        table, COUNT_OF(table)};
    int exit_code;
    if (!options_read(&o, argc, argv, &exit_code)) return exit_code;
    if (files.count == 0) return options_wrong(&o, "no file is given");

    bool good = true;
    how.layout = (kata_layout)layout;
    for (int i = 0; i < files.count; i++) good &= compile(files.words[i], constants, cache, &how);
    return good ? 0 : 1;
}
