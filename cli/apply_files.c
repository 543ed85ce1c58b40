/* The files of `kata apply`: which are written, and whether one would be lost. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

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
    bool same = same_file(input, output);
    for (const char *d = strstr(input, ":/"); d && !same; d = strstr(d + 1, ":/")) {
        snprintf(file, PATH_MAX, "%.*s", (int)(d - input), input);
        same = same_file(file, output);
    }
    return same;
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

static bool check_unique(const apply *a, const apply_param *p)
{
    for (const apply_param *q = a->params; q < p; q++) {
        if (!q->output || apply_is_pipe(q->output) || !same_output(q->output, p->output)) continue;
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
    bool integers = p->stored == KATA_I64 || p->stored == KATA_I32 || p->stored == KATA_I16 ||
                    p->stored == KATA_U16;
    if (rank_of(p, rank) == 2 && p->param.count <= 4 && !integers) return true;
    options_wrong(a->o,
                  "%s cannot be a picture, which has 2 dimensions, and 1 to 4 components of f64, "
                  "f32, f16, bf16, unorm8 or u8: name another file than %s",
                  p->param.name, p->output);
    return false;
}

/* In netCDF some names are those of axes. */
static bool check_name(const apply *a, const apply_param *p)
{
    static const char *const axes[] = {"x", "y", "z", "x_face", "y_face", "z_face"};
    static const char components[] = "components_";
    const char *name = p->param.name, *number = name + strlen(components);
    bool taken = !strncmp(name, components, strlen(components)) && *number &&
                 !number[strspn(number, "0123456789")];
    for (size_t i = 0; i < COUNT_OF(axes); i++) taken |= !strcmp(name, axes[i]);
    if (!taken) return true;
    options_wrong(a->o, "%s is the name of an axis in a .nc file: write %s to another than %s",
                  name, name, p->output);
    return false;
}

/* Whether the library can write a field to a file of this name. */
static bool check_format(const apply *a, const apply_param *p, int rank)
{
    static const char *const endings[] = {".npy", ".png", ".vtkhdf", ".nc", ".h5", ".hdf5"};
    bool known = false;
    for (size_t i = 0; i < COUNT_OF(endings); i++) known |= ends_with(p->output, endings[i]);
    if (ends_with(p->output, ".nc")) return check_name(a, p);
    if (known) return !ends_with(p->output, ".png") || check_picture(a, p, rank);
    options_wrong(a->o,
                  "%s is written to a file that ends in .npy, .png, .vtkhdf, .nc or .h5, not to %s",
                  p->param.name, p->output);
    return false;
}

/* Why a file cannot be written; NULL if it can. */
static const char *complaint_of(const char *output)
{
    char parent[PATH_MAX];
    struct stat status;
    folder_of(output, parent);
    if (access(parent, W_OK | X_OK)) return strerror(errno);
    if (lstat(output, &status)) return errno == ENOENT ? NULL : strerror(errno);
    if (stat(output, &status)) return output_reason(output, errno);
    return S_ISREG(status.st_mode)   ? NULL
           : S_ISDIR(status.st_mode) ? strerror(EISDIR)
                                     : "it is not an ordinary file";
}

static bool check_folder(const apply *a, const char *output)
{
    const char *complaint = complaint_of(output);
    if (complaint) options_failed(a->o, "%s cannot be written: %s", output, complaint);
    return !complaint;
}

/* Before hours of work, not after. */
bool apply_check_files(const apply *a, const char *kernel_file, int rank, bool overwrite)
{
    if (!check_results(a)) return false;
    for (int i = 0; i < a->count; i++) {
        const apply_param *p = &a->params[i];
        if (!p->output || apply_is_pipe(p->output)) continue;
        if (!overwrite && !check_output(a, p->output, kernel_file)) return false;
        if (!check_unique(a, p) || !check_format(a, p, rank) || !check_folder(a, p->output))
            return false;
    }
    return true;
}
