/* Standard input and output of `kata apply`, which a parameter calls -.
 *
 * The library reads and writes files by their names. So a field that comes from standard input, or
 * goes to standard output, passes through a file in a temporary folder, which is removed at the end
 * and when a signal ends the command. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { FRAME = 12, LONGEST_HEADER = 1 << 16 };

bool apply_is_pipe(const char *name) { return name && !strcmp(name, "-"); }

/* ---- the temporary folder -------------------------------------------------------------------- */

enum { NAME = 32 };
static char folder[PATH_MAX], from_input[PATH_MAX + NAME], to_output[PATH_MAX + NAME];

void apply_close_pipes(void)
{
    if (!*folder) return;
    unlink(from_input);
    unlink(to_output);
    rmdir(folder);
    *folder = 0;
}

static void end_by_signal(int number)
{
    apply_close_pipes();
    signal(number, SIG_DFL);
    raise(number);
}

static void remove_at_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (signal(numbers[i], end_by_signal) == SIG_IGN) signal(numbers[i], SIG_IGN);
}

static bool make_folder(const apply *a)
{
    const char *where = getenv("TMPDIR");
    remove_at_signals();
    int length =
        snprintf(folder, sizeof folder, "%s/kata-XXXXXX", where && *where ? where : "/tmp");
    if (length < (int)sizeof folder && mkdtemp(folder)) {
        snprintf(from_input, sizeof from_input, "%s/standard-input.npy", folder);
        snprintf(to_output, sizeof to_output, "%s/standard-output.npy", folder);
        return true;
    }
    options_failed(a->o, "cannot make a temporary folder in %s: %s",
                   where && *where ? where : "/tmp", strerror(errno));
    *folder = 0;
    return false;
}

/* ---- pipes ----------------------------------------------------------------------------------- */

/* Copies all that is left of a file; false when either cannot be read or written. */
static bool copy(FILE *from, FILE *to)
{
    char bytes[1 << 16];
    size_t count;
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, count, to) != count) return false;
    return !ferror(from) && fflush(to) == 0;
}

/* ---- standard input -------------------------------------------------------------------------- */

/* The begin of an NPY file: its frame (io/npy_header.c of the library) and header. */
typedef struct npy_start {
    char bytes[LONGEST_HEADER + FRAME + 1]; /* ended by 0 */
    size_t size;
    int64_t values; /* bytes of all values; 0 where the header does not tell: then it is damaged */
} npy_start;

/* The header is read loosely, for the library reads it again. "'descr': '<f8', 'shape': (3, 4)" */
static int64_t bytes_of_values(const char *header)
{
    const char *type = strstr(header, "descr"), *at = strstr(header, "shape");
    if (type) type = strchr(type, ':');
    if (at) at = strchr(at, '(');
    if (!type || !at) return 0;
    int64_t bytes = strtoll(type + strcspn(type, "0123456789"), NULL, 10);
    for (at++; *at && *at != ')'; at += strcspn(at, "0123456789)")) {
        char *end;
        int64_t size = strtoll(at, &end, 10);
        if (end == at) continue;
        if (__builtin_mul_overflow(bytes, size, &bytes)) return 0;
        at = end;
    }
    return bytes > 0 ? bytes : 0;
}

static void read_start(npy_start *s)
{
    const unsigned char *b = (const unsigned char *)s->bytes;
    memset(s, 0, sizeof *s);
    s->size = fread(s->bytes, 1, FRAME, stdin);
    if (s->size < FRAME || memcmp(b, "\x93NUMPY", 6) != 0) return;
    size_t length = (size_t)b[8] | (size_t)b[9]
                                       << 8; /* of version 1, FRAME bytes behind its begin */
    if (b[6] > 1) length += 2 + ((size_t)b[10] << 16) + ((size_t)b[11] << 24);
    length -= length < 2 ? length : 2;
    if (length > LONGEST_HEADER) return;
    s->size += fread(s->bytes + FRAME, 1, length, stdin);
    s->values = bytes_of_values(s->bytes + FRAME);
}

static bool has_room(const apply *a, int64_t bytes)
{
    struct statvfs disk;
    if (statvfs(folder, &disk)) return true; /* a copy that fails says so */
    double room = (double)disk.f_bavail * (double)disk.f_frsize;
    if ((double)bytes <= room) return true;
    options_failed(a->o, "the values on standard input take %lld bytes, more than %s has room for",
                   (long long)bytes, folder);
    return false;
}

/* Copies the array and nothing else: standard input may have no end. What is too short or damaged
 * is found when the copy is read. */
static bool copy_array(const apply *a, FILE *to)
{
    npy_start start;
    char bytes[1 << 16];
    read_start(&start);
    if (!has_room(a, start.values)) return false;
    bool copied = fwrite(start.bytes, 1, start.size, to) == start.size;
    size_t count = 1;
    for (int64_t left = start.values; copied && left > 0 && count > 0; left -= (int64_t)count) {
        count = fread(bytes, 1, left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes, stdin);
        copied = fwrite(bytes, 1, count, to) == count;
    }
    if (!copied || ferror(stdin) || fflush(to))
        options_failed(a->o, "cannot copy standard input to %s: %s", from_input, strerror(errno));
    else if (start.values && getc(stdin) != EOF)
        options_failed(a->o, "standard input has more than the array that its header describes");
    else
        return true;
    return false;
}

static bool read_standard_input(const apply *a)
{
    FILE *to = fopen(from_input, "wxe");
    bool copied = to && copy_array(a, to);
    if (!to) options_failed(a->o, "cannot write %s: %s", from_input, strerror(errno));
    if (to && fclose(to) && copied)
        copied = options_failed(a->o, "cannot write %s", from_input) == 0;
    return copied;
}

/* The parameter whose input or output is -; NULL when there is none. More than one is an error. */
static bool find_pipe(const apply *a, bool output, apply_param **found)
{
    *found = NULL;
    for (int i = 0; i < a->count; i++) {
        apply_param *p = &a->params[i];
        if (!apply_is_pipe(output ? p->output : p->input)) continue;
        if (*found) {
            options_wrong(a->o, "'%s' and '%s' are both -: standard %s holds one field",
                          (*found)->param.name, p->param.name, output ? "output" : "input");
            return false;
        }
        *found = p;
    }
    if (*found && kata_ranks(a->k) > 1) {
        options_wrong(a->o,
                      "%s=- is standard %s, which the first of several ranks has: name a file",
                      (*found)->param.name, output ? "output" : "input");
        return false;
    }
    if (!*found || !isatty(output ? STDOUT_FILENO : STDIN_FILENO)) return true;
    options_wrong(a->o, "%s=- is NPY %s standard %s, which is a terminal", (*found)->param.name,
                  output ? "to" : "from", output ? "output" : "input");
    return false;
}

bool apply_open_pipes(apply *a)
{
    apply_param *input, *output;
    if (!find_pipe(a, false, &input) || !find_pipe(a, true, &output)) return false;
    if (!input && !output) return true;
    if (!make_folder(a)) return false;
    if (!input) return true;
    input->input = from_input;
    return read_standard_input(a);
}

FILE *apply_results_to(const apply *a)
{
    for (int i = 0; i < a->count; i++)
        if (apply_is_pipe(a->params[i].output)) return stderr;
    return stdout;
}

static void write_standard_output(kata_field *field)
{
    if (kata_save(field, to_output) != KATA_OK) return;
    FILE *from = fopen(to_output, "re");
    if (!from || !copy(from, stdout)) /* main says that standard output cannot be written */
        if (!ferror(stdout)) options_failed(&apply_options, "cannot read %s", to_output);
    if (from) fclose(from);
}

void apply_save(const apply *a)
{
    for (int i = 0; i < a->count; i++) {
        const apply_param *p = &a->params[i];
        if (apply_is_pipe(p->output))
            write_standard_output(p->field);
        else if (p->output)
            kata_save(p->field, p->output);
    }
}
