/* A text becomes a file, which appears whole or not at all: it is written under another name beside
 * it, and renamed. Standard output (-), pipes and devices are written as they are. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fill(FILE *to, const char *text)
{
    bool good = to && fputs(text, to) >= 0;
    if (to && fclose(to)) good = false;
    return good;
}

/* The permissions of a file that is new. */
static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Writes a draft beside `target`, which it then becomes. */
static bool replace(const char *target, mode_t mode, const char *text)
{
    char draft[PATH_MAX + 16];
    const char *slash = strrchr(target, '/');
    snprintf(draft, sizeof draft, "%.*s.kata-XXXXXX", slash ? (int)(slash + 1 - target) : 0,
             target);
    int file = mkstemp(draft);
    if (file < 0) return false;
    bool good = !fchmod(file, mode) && fill(fdopen(file, "w"), text) && !rename(draft, target);
    int error = errno;
    if (!good) unlink(draft);
    errno = error;
    return good;
}

/* Whether a file is standard output, as /dev/stdout is. */
static bool is_output(const struct stat *status)
{
    struct stat output;
    return !fstat(STDOUT_FILENO, &output) && output.st_dev == status->st_dev &&
           output.st_ino == status->st_ino;
}

static bool write_to(const char *path, const char *text)
{
    struct stat status;
    char target[PATH_MAX];
    if (!strcmp(path, "-")) return fputs(text, stdout) >= 0;
    if (lstat(path, &status)) return errno == ENOENT && replace(path, usual_mode(), text);
    if (stat(path, &status)) return false; /* write_text says why */
    if (is_output(&status)) return fputs(text, stdout) >= 0;
    if (!S_ISREG(status.st_mode)) return fill(fopen(path, "w"), text);
    return realpath(path, target) && replace(target, status.st_mode & 0777, text);
}

bool write_text(const options *o, const char *path, const char *text)
{
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error like others */
    bool good = write_to(path, text);
    if (!good) options_failed(o, "cannot write %s: %s", path, output_reason(path, errno));
    return good;
}
