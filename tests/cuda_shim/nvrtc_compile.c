/* Runs the system's C++ compiler in a folder of its own, which is gone afterwards: as preprocessor,
 * so that what macros hide is seen, and as compiler. */
#include "nvrtc_text.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 64 };

static const char *const options[] = {"-O0",
                                      "-fno-math-errno",
                                      "-fno-trapping-math",
                                      "-fno-strict-aliasing",
                                      "-fwrapv",
                                      "-fstack-clash-protection",
                                      "-fvisibility=hidden",
                                      "-shared",
                                      "-fPIC",
                                      "-w",
                                      "-fno-exceptions",
                                      "-fno-rtti",
                                      "-nostdlib",
                                      "-o",
                                      "object.so",
                                      "text.cpp",
                                      "-lm",
                                      "-lgcc",
                                      "-lc"};

/* ---- files ----------------------------------------------------------------------------------- */

static void path_in(char path[4096], const char *folder, const char *name)
{
    snprintf(path, 4096, "%s/%s", folder, name);
}

static bool write_file(const char *folder, const char *name, const nvrtc_bytes *bytes)
{
    char path[4096];
    path_in(path, folder, name);
    FILE *file = fopen(path, "w");
    if (!file) return false;
    const bool written = fwrite(bytes->data, 1, bytes->count, file) == bytes->count;
    return fclose(file) == 0 && written;
}

/* Adds a file's bytes; false when there is none. */
static bool read_file(const char *folder, const char *name, nvrtc_bytes *bytes)
{
    char path[4096], piece[65536];
    path_in(path, folder, name);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    size_t count;
    while ((count = fread(piece, 1, sizeof piece, file)) > 0) nvrtc_add(bytes, piece, count);
    return fclose(file) == 0;
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"source.cpp", "source.ii", "text.cpp", "object.so", "log"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        path_in(path, folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* ---- the compiler ---------------------------------------------------------------------------- */

/* Runs a command in a folder; what it says is added to the file "log" there. Returns how it ended,
 * as waitpid, or -1. */
static int run_in(const char *folder, const char *const *words)
{
    char log[4096];
    path_in(log, folder, "log");
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    pid_t pid = -1;
    int end = -1;
    if (posix_spawn_file_actions_addopen(&actions, 1, log, 02101, 0600) == 0 && /* made, to add */
        posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0 &&
        posix_spawn_file_actions_addchdir_np(&actions, folder) == 0 &&
        posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)words, environ) == 0)
        if (waitpid(pid, &end, 0) != pid) end = -1;
    posix_spawn_file_actions_destroy(&actions);
    return end;
}

static bool preprocess(const char *folder, const nvrtc_choices *c)
{
    /* not __CUDA_ARCH__: this processor has no instructions of a device. What texts write in
     * assembler there has these names */
    const char *words[MOST_WORDS] = {
        "g++",
        "-std=c++17",
        "-E",
        "-w",
        "-o",
        "source.ii",
        "source.cpp",
        "-D__CUDACC__",
        "-D__CUDACC_RTC__",
        "-DKATA_FETCH(h,type,to,from)=shim_fetch(to,from,sizeof(type))",
        "-DKATA_FETCH_END=shim_fetch_end()",
        "-DKATA_FETCHED(still)=shim_fetched(still)"};
    int count = 12;
    for (int i = 0; i < c->define_count; i++) words[count++] = c->defines[i];
    return run_in(folder, words) == 0;
}

static bool compile_text(const char *folder, const nvrtc_choices *c)
{
    const char *words[MOST_WORDS] = {"g++", "-std=c++17", "-ffp-contract=off"};
    int count = 3;
    if (c->fuses) {
        words[2] = "-ffp-contract=fast";
        words[count++] = "-march=native"; /* which may have an instruction for it */
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) words[count++] = options[i];
    if (c->fuses) words[count++] = "-O2"; /* gcc fuses from there on */
    return run_in(folder, words) == 0;
}

static bool compile_in(const char *folder, const char *source, const char *name,
                       const nvrtc_choices *choices)
{
    nvrtc_bytes plain = {0}, preprocessed = {0}, text = {0};
    nvrtc_print(&plain, "# 1 \"%s\"\n%s", name, source);
    bool compiled = write_file(folder, "source.cpp", &plain) && preprocess(folder, choices) &&
                    read_file(folder, "source.ii", &preprocessed);
    if (compiled) {
        nvrtc_translate(&text, preprocessed.data ? preprocessed.data : "");
        compiled = write_file(folder, "text.cpp", &text) && compile_text(folder, choices);
    }
    free(plain.data);
    free(preprocessed.data);
    free(text.data);
    return compiled;
}

bool nvrtc_compile(const char *source, const char *name, const nvrtc_choices *choices,
                   nvrtc_bytes *object, nvrtc_bytes *log)
{
    const char *temporary = getenv("TMPDIR");
    char folder[4000];
    snprintf(folder, sizeof folder, "%s/cuda_shim_XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        nvrtc_print(log, "no folder %s can be made\n", folder);
        return false;
    }
    const bool compiled = compile_in(folder, source, name, choices);
    if (!read_file(folder, "log", log)) nvrtc_print(log, "no C++ compiler g++ can be run\n");
    const bool read = compiled && read_file(folder, "object.so", object);
    remove_folder(folder);
    return read;
}
