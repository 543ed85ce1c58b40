/* The file to which a program reports what kata tune has made it try. It goes when kata tune ends,
 * by a signal too. Whoever uses one holds a lock on it (flock), which the kernel drops: a file
 * whose lock another can take was left by a process that was killed, and the next one removes it.
 */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "kata-tune-"
enum { LETTERS = 6 };

static char path[PATH_MAX];
static volatile sig_atomic_t
    owner; /* of the file; the program has another number until it starts */

/* ---- signals --------------------------------------------------------------------------------- */

static void remove_and_end(int number)
{
    if (owner == getpid()) unlink(path);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction before, own = {.sa_handler = remove_and_end};
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (!sigaction(numbers[i], NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(numbers[i], &own, NULL);
}

/* ---- files that were left -------------------------------------------------------------------- */

static bool is_report(const char *name)
{
    return !strncmp(name, PREFIX, strlen(PREFIX)) && strlen(name) == strlen(PREFIX) + LETTERS;
}

static void remove_if_left(int folder, const char *name)
{
    struct stat status;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    if (!fstat(file, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        !flock(file, LOCK_EX | LOCK_NB))
        unlinkat(folder, name, 0);
    close(file);
}

static void remove_left(const char *folder)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    while (listing && (entry = readdir(listing)))
        if (is_report(entry->d_name)) remove_if_left(dirfd(listing), entry->d_name);
    if (listing) closedir(listing);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Whether it is locked before another process has taken it to be left. */
static bool is_own(int file)
{
    struct stat status;
    return !flock(file, LOCK_EX | LOCK_NB) && !fstat(file, &status) && status.st_nlink > 0;
}

const char *tune_file_make(void)
{
    enum { TRIES = 100 };
    const char *given = getenv("TMPDIR"), *folder = given && *given ? given : "/tmp";
    bool made = false;
    remove_left(folder);
    for (int i = 0; i < TRIES && !made; i++) {
        if (snprintf(path, sizeof path, "%s/" PREFIX "XXXXXX", folder) >= (int)sizeof path) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        int file = mkostemp(path, O_CLOEXEC);
        if (file < 0) return NULL;
        made = is_own(file);
        if (!made) close(file);
    }
    owner = getpid();
    catch_signals();
    return made ? path : NULL;
}

void tune_file_remove(void)
{
    if (owner == getpid()) unlink(path);
    owner = 0;
}
