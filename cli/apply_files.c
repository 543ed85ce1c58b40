/* The files of `kata apply`: which are written, and whether one would be lost.
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
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_pipe(const char *name) { return name && !strcmp(name, "-"); }

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

static bool read_standard_input(const apply *a)
{
    FILE *to = fopen(from_input, "wxe");
    bool copied = to && copy(stdin, to);
    if (!copied)
        options_failed(a->o, "cannot copy standard input to %s: %s", from_input, strerror(errno));
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
        if (!is_pipe(output ? p->output : p->input)) continue;
        if (*found) {
            options_wrong(a->o, "'%s' and '%s' are both -: standard %s holds one field",
                          (*found)->param.name, p->param.name, output ? "output" : "input");
            return false;
        }
        *found = p;
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
        if (is_pipe(a->params[i].output)) return stderr;
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
        if (is_pipe(p->output))
            write_standard_output(p->field);
        else if (p->output)
            kata_save(p->field, p->output);
    }
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* The words that would write a field: "v=FILE.npy", "w=in.npy,FILE.npy". */
static void suggest(const apply_param *p, char *words, size_t size)
{
    if (p->param.kind == KATA_PARAM_INOUT)
        snprintf(words, size, "%s=%s,FILE.npy", p->param.name, p->word);
    else
        snprintf(words, size, "%s=FILE.npy", p->param.name);
}

/* What is computed is written, printed, or discarded on purpose. */
static bool check_results(const apply *a)
{
    char names[512] = "", one[256];
    for (int i = 0; i < a->count; i++) {
        const apply_param *p = &a->params[i];
        if (apply_is_reduction(p) || p->output || p->discarded) return true;
        if (!apply_is_written(p)) continue;
        suggest(p, one, sizeof one);
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? " or " : "", one);
    }
    if (!*names) return true; /* a kernel of checks alone */
    options_wrong(a->o, "no output is named, and the result would be lost; write %s", names);
    return false;
}

/* Whether a file that is read as "FILE.h5:/DATASET", or by its name alone, is the output. */
static bool is_file_of(const char *input, const char *output)
{
    char file[PATH_MAX];
    const char *dataset = strstr(input, ":/");
    snprintf(file, PATH_MAX, "%.*s", dataset ? (int)(dataset - input) : PATH_MAX - 1, input);
    return same_file(file, output);
}

/* An output must not be a file that is read, unless that is asked for. */
static bool check_output(const apply *a, const char *output, const char *kernel_file)
{
    bool read = same_file(kernel_file, output);
    for (int i = 0; i < a->count; i++)
        read |= a->params[i].input && is_file_of(a->params[i].input, output);
    if (!read) return true;
    options_wrong(
        a->o, "%s is read as well, and would be replaced: name another file, or add --overwrite",
        output);
    return false;
}

/* The folder of a file; returns the name of the file in it. */
static const char *folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int length = !slash ? 1 : slash == path ? 1 : (int)(slash - path);
    snprintf(folder, PATH_MAX, "%.*s", length, slash ? path : ".");
    return slash ? slash + 1 : path;
}

/* Whether two files are one, also where there is none yet. */
static bool same_output(const char *one, const char *other)
{
    char folder[PATH_MAX], other_folder[PATH_MAX];
    const char *name = folder_of(one, folder), *other_name = folder_of(other, other_folder);
    return same_file(one, other) || (!strcmp(name, other_name) && same_file(folder, other_folder));
}

static bool check_unique(const apply *a, const apply_param *p)
{
    for (const apply_param *q = a->params; q < p; q++) {
        if (!q->output || is_pipe(q->output) || !same_output(q->output, p->output)) continue;
        options_wrong(a->o, "'%s' and '%s' are both written to %s", q->param.name, p->param.name,
                      p->output);
        return false;
    }
    return true;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && !strcasecmp(path + length - tail, ending);
}

/* Dimensions of a parameter's field. */
static int rank_of(const apply_param *p, int rank)
{
    return p->param.along ? __builtin_popcount((unsigned)p->param.along) : rank;
}

static bool check_picture(const apply *a, const apply_param *p, int rank)
{
    if (rank_of(p, rank) == 2 && p->param.count <= 4 && p->stored != KATA_I32 &&
        p->stored != KATA_I64)
        return true;
    options_wrong(
        a->o,
        "%s cannot be a picture, which has 2 dimensions, and 1 to 4 components of another "
        "type than i32 and i64: name another file than %s",
        p->param.name, p->output);
    return false;
}

/* Whether the library can write a field to a file of this name. */
static bool check_format(const apply *a, const apply_param *p, int rank)
{
    static const char *const endings[] = {".npy", ".png", ".vtkhdf", ".h5", ".hdf5"};
    bool known = false;
    for (size_t i = 0; i < COUNT_OF(endings); i++) known |= ends_with(p->output, endings[i]);
    if (known) return !ends_with(p->output, ".png") || check_picture(a, p, rank);
    options_wrong(a->o,
                  "%s is written to a file that ends in .npy, .png, .vtkhdf or .h5, not to %s",
                  p->param.name, p->output);
    return false;
}

/* 0, or an errno value why a file cannot be written. */
static int complaint_of(const char *output)
{
    char folder[PATH_MAX];
    struct stat status;
    folder_of(output, folder);
    if (access(folder, W_OK | X_OK)) return errno;
    if (lstat(output, &status)) return errno == ENOENT ? 0 : errno;
    if (stat(output, &status)) return errno; /* a link that leads nowhere */
    return S_ISDIR(status.st_mode) ? EISDIR : 0;
}

static bool check_folder(const apply *a, const char *output)
{
    int error = complaint_of(output);
    if (error) options_failed(a->o, "%s cannot be written: %s", output, strerror(error));
    return !error;
}

/* Before hours of work, not after. */
bool apply_check_files(const apply *a, const char *kernel_file, int rank, bool overwrite)
{
    if (!check_results(a)) return false;
    for (int i = 0; i < a->count; i++) {
        const apply_param *p = &a->params[i];
        if (!p->output || is_pipe(p->output)) continue;
        if (!overwrite && !check_output(a, p->output, kernel_file)) return false;
        if (!check_unique(a, p) || !check_format(a, p, rank) || !check_folder(a, p->output))
            return false;
    }
    return true;
}
