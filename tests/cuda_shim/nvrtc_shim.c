/* The functions of NVRTC that src/device calls. What it gives as a cubin is a shared object for
 * this machine, which the shim of the driver loads. */
#include "nvrtc_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef enum nvrtcResult {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6
} nvrtcResult;

typedef struct program {
    char *source, *name;
    nvrtc_bytes object, log;
    bool real; /* compiled for sm_..: there is a cubin */
} program, *nvrtcProgram;

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor);
EXPORT const char *nvrtcGetErrorString(nvrtcResult result);
EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *made, const char *source, const char *name,
                                      int header_count, const char *const *headers,
                                      const char *const *names);
EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *made);
EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *options);
EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *size);
EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *to);
EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size);
EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *to);
EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size);
EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *to);

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
    *major = 12;
    *minor = 4;
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
    switch (result) {
    case NVRTC_SUCCESS: return "NVRTC_SUCCESS";
    case NVRTC_ERROR_OUT_OF_MEMORY: return "NVRTC_ERROR_OUT_OF_MEMORY";
    case NVRTC_ERROR_INVALID_INPUT: return "NVRTC_ERROR_INVALID_INPUT";
    case NVRTC_ERROR_INVALID_PROGRAM: return "NVRTC_ERROR_INVALID_PROGRAM";
    case NVRTC_ERROR_INVALID_OPTION: return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION: return "NVRTC_ERROR_COMPILATION";
    }
    return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *made, const char *source, const char *name,
                               int header_count, const char *const *headers,
                               const char *const *names)
{
    (void)headers, (void)names;
    if (!made || !source || header_count != 0) return NVRTC_ERROR_INVALID_INPUT;
    program *p = calloc(1, sizeof *p);
    if (!p) return NVRTC_ERROR_OUT_OF_MEMORY;
    p->source = strdup(source);
    p->name = strdup(name ? name : "default_program");
    *made = p;
    if (p->source && p->name) return NVRTC_SUCCESS;
    nvrtcDestroyProgram(made);
    return NVRTC_ERROR_OUT_OF_MEMORY;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *made)
{
    if (!made || !*made) return NVRTC_ERROR_INVALID_PROGRAM;
    free((*made)->source);
    free((*made)->name);
    free((*made)->object.data);
    free((*made)->log.data);
    free(*made);
    *made = NULL;
    return NVRTC_SUCCESS;
}

/* ---- options --------------------------------------------------------------------------------- */

/* The value of an option that is given as --name=value or -name=value; NULL: it is another one. */
static const char *value_of(const char *option, const char *name)
{
    const size_t length = strlen(name);
    while (*option == '-') option++;
    return strncmp(option, name, length) == 0 && option[length] == '=' ? option + length + 1 : NULL;
}

static bool read_target(const char *value, nvrtc_choices *c)
{
    c->real = strncmp(value, "sm_", 3) == 0;
    if (!c->real && strncmp(value, "compute_", 8) != 0) return false;
    char *end;
    c->target = (int)strtol(strchr(value, '_') + 1, &end, 10);
    return c->target >= 50 && (*end == '\0' || strcmp(end, "a") == 0);
}

/* Options that change nothing here, each of which NVRTC knows. */
static bool changes_nothing(const char *option)
{
    static const char *const known[] = {"device-as-default-execution-space",
                                        "default-device",
                                        "std=c++17",
                                        "prec-div=true",
                                        "prec-sqrt=true",
                                        "ftz=false",
                                        "restrict",
                                        "generate-line-info",
                                        "lineinfo",
                                        "disable-warnings",
                                        "w",
                                        "extra-device-vectorization",
                                        "dopt=on"};
    while (*option == '-') option++;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(option, known[i]) == 0) return true;
    }
    return false;
}

static bool read_option(const char *option, nvrtc_choices *c)
{
    const char *value;
    if ((value = value_of(option, "gpu-architecture")) || (value = value_of(option, "arch")))
        return read_target(value, c);
    if ((value = value_of(option, "fmad"))) {
        c->fuses = strcmp(value, "false") != 0;
        return !c->fuses || strcmp(value, "true") == 0;
    }
    if (strncmp(option, "-D", 2) == 0 && option[2] && c->define_count < 32) {
        c->defines[c->define_count++] = option;
        return true;
    }
    return option[0] == '-' && changes_nothing(option);
}

/* ---- compiling ------------------------------------------------------------------------------- */

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *options)
{
    if (!p || count < 0 || (count > 0 && !options)) return NVRTC_ERROR_INVALID_INPUT;
    nvrtc_choices c = {.target = 52, .fuses = true};
    nvrtc_bytes log = {0}, object = {0};
    nvrtcResult result = NVRTC_SUCCESS;
    for (int i = 0; i < count && result == NVRTC_SUCCESS; i++) {
        if (read_option(options[i], &c)) continue;
        nvrtc_print(&log, "error: unrecognized option %s\n", options[i]);
        result = NVRTC_ERROR_INVALID_OPTION;
    }
    const char *refused = getenv("KATA_SHIM_REFUSED");
    if (result == NVRTC_SUCCESS && refused && strstr(p->source, refused)) {
        nvrtc_print(&log, "error: the text has the words '%s'\n", refused);
        result = NVRTC_ERROR_COMPILATION;
    }
    if (result == NVRTC_SUCCESS && !nvrtc_compile(p->source, p->name, &c, &object, &log))
        result = NVRTC_ERROR_COMPILATION;
    free(p->object.data);
    free(p->log.data);
    p->object = object;
    p->log = log;
    p->real = c.real;
    return result;
}

static nvrtcResult size_of(const nvrtc_bytes *bytes, bool there, size_t more, size_t *size)
{
    if (!size) return NVRTC_ERROR_INVALID_INPUT;
    *size = there ? bytes->count + more : 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *size)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    return size_of(&p->object, p->real, 0, size);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *to)
{
    if (!p || !p->real || !p->object.data) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!to) return NVRTC_ERROR_INVALID_INPUT;
    memcpy(to, p->object.data, p->object.count);
    return NVRTC_SUCCESS;
}

/* There is no assembler text; the shared object stands for it. */
nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size)
{
    if (!p || !p->object.data) return NVRTC_ERROR_INVALID_PROGRAM;
    return size_of(&p->object, true, 1, size);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *to)
{
    if (!p || !p->object.data) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!to) return NVRTC_ERROR_INVALID_INPUT;
    memcpy(to, p->object.data, p->object.count + 1);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    return size_of(&p->log, true, 1, size);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *to)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!to) return NVRTC_ERROR_INVALID_INPUT;
    memcpy(to, p->log.data ? p->log.data : "", p->log.count + 1);
    return NVRTC_SUCCESS;
}
