/* The C compiler: which one, and how it is called.
 *
 * Flags. Results must not depend on how a loop is compiled: no contraction into fma and nothing of
 * -ffast-math, also because linking with it would turn on flush-to-zero in the whole process.
 * errno and traps are given up, without which square roots and selects do not vectorise. Statements
 * are not vectorised outside of loops: gcc 12 then drops (double)(float)x from neighbouring stores,
 * taking two vectors of as many lanes to be of one precision. Of AVX-512 compilers prefer half the
 * width unless told otherwise; measured on Xeons of the fourth and fifth generation, full width is
 * 1.1 to 1.6 times as fast in cache. */
#include "jit/jit.h"

#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"cc", "gcc", "clang"}; /* the first that is found */

enum { MOST_SECONDS = 300 }; /* of processor time for a call */

static const char *const flags[] = {"-std=gnu17",
                                    "-O3",
                                    "-w",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-fopenmp-simd",
                                    "-fno-tree-slp-vectorize",
                                    "-fno-semantic-interposition",
                                    "-fno-stack-protector",
                                    "-fno-asynchronous-unwind-tables",
                                    "-fPIC",
                                    "-shared"};
static const char *const native_flags[] = {"-march=native",
#if defined(__x86_64__)
                                           "-mprefer-vector-width=512"
#endif
};

/* ---- finding --------------------------------------------------------------------------------- */

static bool can_run(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Looks for a program in the folders of PATH; one with a slash in its name is a path. */
static bool find_program(const char *name, text *path)
{
    const char *folders = environment_get("PATH");
    if (strchr(name, '/')) {
        text_add(path, "%s", name);
        if (!path->failed && can_run(text_get(path))) return true;
        folders = NULL;
    }
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        text_clear(path);
        text_add(path, "%.*s/%s", (int)length, folders, name);
        if (*folders == '/' && !path->failed && can_run(text_get(path))) return true;
        folders += length + (folders[length] == ':');
    }
    text_clear(path);
    return false;
}

bool jit_compiler_find(const char *given, text *path)
{
    if (!given) given = environment_get("KATA_CC");
    if (given) return find_program(given, path);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (find_program(names[i], path)) return true;
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

/* ---- calling --------------------------------------------------------------------------------- */

void jit_compiler_key(text *out, const char *compiler, bool native, bool debug)
{
    struct stat status = {0};
    char *resolved = realpath(compiler, NULL);
    if (stat(compiler, &status)) status = (struct stat){0};
    text_add(out, "%s %s %lld %lld %ld\n", compiler, resolved ? resolved : "",
             (long long)status.st_size, (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    free(resolved);
    for (size_t i = 0; i < COUNT_OF(flags); i++) text_add(out, "%s ", flags[i]);
    for (size_t i = 0; native && i < COUNT_OF(native_flags); i++)
        text_add(out, "%s ", native_flags[i]);
    if (debug) text_add(out, "-g ");
    if (native) machine_cpu_key(out);
    text_add(out, "\n");
}

bool jit_compiler_run(const char *compiler, bool native, bool debug, const char *folder,
                      const char *source, const char *object, text *report)
{
    const char *argv[COUNT_OF(flags) + COUNT_OF(native_flags) + 7];
    size_t n = 0;
    argv[n++] = compiler;
    for (size_t i = 0; i < COUNT_OF(flags); i++) argv[n++] = flags[i];
    for (size_t i = 0; native && i < COUNT_OF(native_flags); i++) argv[n++] = native_flags[i];
    if (debug) argv[n++] = "-g";
    argv[n++] = "-o";
    argv[n++] = object;
    argv[n++] = source;
    argv[n++] = "-lm";
    argv[n] = NULL;
    int exit_code = 0, error = jit_process_run(argv, folder, MOST_SECONDS, report, &exit_code);
    if (error)
        text_add(report, "it could not be started: %s\n", strerror(error));
    else if (exit_code > 128)
        text_add(report, "it was ended by signal %d\n", exit_code - 128);
    else if (exit_code > 0)
        text_add(report, "it ended with exit code %d\n", exit_code);
    return !error && exit_code <= 0;
}

void jit_compiler_version(const char *compiler, text *line)
{
    const char *argv[] = {compiler, "--version", NULL};
    text output = {0};
    int exit_code = 0;
    if (jit_process_run(argv, NULL, MOST_SECONDS, &output, &exit_code) == 0 && exit_code <= 0)
        text_add(line, "%.*s", (int)strcspn(text_get(&output), "\n"), text_get(&output));
    text_free(&output);
}
