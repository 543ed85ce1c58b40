/* Runs the system's C++ compiler in a folder of its own, which is gone afterwards. */
#include "nvrtc_text.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 64 };

static const char *const options[] = {"g++",
                                      "-std=c++17",
                                      "-O1",
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
                                      "text.cpp"};

/* ---- files ------------------------------------------------------------------------------------
 */

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
    static const char *const names[] = {"text.cpp", "object.so", "log"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        path_in(path, folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* ---- the compiler -----------------------------------------------------------------------------
 */

/* Runs a command in a folder; what it says goes to the file "log" there. Returns how it ended, as
 * waitpid, or -1. */
static int run_in(const char *folder, const char *const *words)
{
    char log[4096];
    path_in(log, folder, "log");
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    pid_t pid = -1;
    int end = -1;
    if (posix_spawn_file_actions_addopen(&actions, 1, log, 01101, 0600) == 0 && /* new, to write */
        posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0 &&
        posix_spawn_file_actions_addchdir_np(&actions, folder) == 0 &&
        posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)words, environ) == 0)
        if (waitpid(pid, &end, 0) != pid) end = -1;
    posix_spawn_file_actions_destroy(&actions);
    return end;
}

static bool compile_in(const char *folder, const char *const *defines, int define_count, bool fuses)
{
    const char *words[MOST_WORDS];
    int count = 0;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) words[count++] = options[i];
    if (fuses) {
        words[count++] = "-ffp-contract=fast";
        words[count++] = "-march=native"; /* which may have an instruction for it */
    } else
        words[count++] = "-ffp-contract=off";
    for (int i = 0; i < define_count && count + 4 < MOST_WORDS; i++) words[count++] = defines[i];
    words[count++] = "-lm";
    words[count++] = "-lgcc";
    words[count++] = "-lc";
    words[count] = NULL;
    return run_in(folder, words) == 0;
}

bool nvrtc_compile(const nvrtc_bytes *text, const char *const *defines, int define_count,
                   bool fuses, nvrtc_bytes *object, nvrtc_bytes *log)
{
    const char *temporary = getenv("TMPDIR");
    char folder[4000];
    snprintf(folder, sizeof folder, "%s/cuda_shim_XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        nvrtc_print(log, "no folder %s can be made\n", folder);
        return false;
    }
    const bool compiled =
        write_file(folder, "text.cpp", text) && compile_in(folder, defines, define_count, fuses);
    const bool told = read_file(folder, "log", log);
    if (!told) nvrtc_print(log, "no C++ compiler %s can be run\n", options[0]);
    const bool read = compiled && read_file(folder, "object.so", object);
    remove_folder(folder);
    return read;
}
