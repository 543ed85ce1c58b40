/* CUDA C++ to code of a device, by NVRTC. No option lets it contract, flush or approximate. */
#include "device/cuda_private.h"

#include <stdlib.h>
#include <string.h>

static const char *const options[] = {"--std=c++17",     "--device-as-default-execution-space",
                                      "--fmad=false",    "--ftz=false",
                                      "--prec-div=true", "--prec-sqrt=true"};

/* Compute capabilities that a version of NVRTC may compile text for, from the newest. */
static const int known[] = {121, 120, 103, 100, 90, 89, 87, 86, 80, 75, 72, 70, 61, 60};

static void add_log(const nvrtc_api *nvrtc, void *program, text *log)
{
    size_t size = 0;
    if (nvrtc->log_size(program, &size) != NVRTC_OK || size < 2) return;
    char *words = malloc(size);
    if (words && nvrtc->log(program, words) == NVRTC_OK) text_add(log, "%.*s", (int)size, words);
    free(words);
}

static bool take_binary(const nvrtc_api *nvrtc, void *program, bool is_ptx, device_binary *binary,
                        text *log)
{
    size_t size = 0;
    int result = (is_ptx ? nvrtc->ptx_size : nvrtc->binary_size)(program, &size);
    char *bytes = result == NVRTC_OK && size ? malloc(size) : NULL;
    if (bytes) result = (is_ptx ? nvrtc->ptx : nvrtc->binary)(program, bytes);
    if (bytes && result == NVRTC_OK) {
        *binary = (device_binary){bytes, size};
        return true;
    }
    text_add(log, "NVRTC gives no code: %s\n",
             result == NVRTC_OK ? "out of memory" : nvrtc->words(result));
    free(bytes);
    return false;
}

/* Compiles a program for "--gpu-architecture=sm_90", or to PTX for "...compute_90". */
static int compile(const nvrtc_api *nvrtc, void *program, bool to_ptx, int capability)
{
    char architecture[48];
    const char *all[COUNT_OF(options) + 1] = {architecture};
    snprintf(architecture, sizeof architecture, "--gpu-architecture=%s_%d",
             to_ptx ? "compute" : "sm", capability);
    memcpy(all + 1, options, sizeof options);
    return nvrtc->compile(program, COUNT_OF(all), all);
}

/* Returns the result for the device itself, or for the newest that NVRTC knows. */
static int compile_nearest(const nvrtc_api *nvrtc, void *program, int capability, bool *to_ptx)
{
    int result = compile(nvrtc, program, *to_ptx = false, capability);
    for (size_t i = 0; i < COUNT_OF(known) && result == NVRTC_INVALID_OPTION; i++)
        if (known[i] < capability) result = compile(nvrtc, program, *to_ptx = true, known[i]);
    return result;
}

bool cuda_compile_text(const nvrtc_api *nvrtc, int major, int minor, const char *source,
                       device_binary *binary, text *log)
{
    void *program = NULL;
    bool to_ptx, done = false;
    int result = nvrtc->create(&program, source, "kernels.cu", 0, NULL, NULL);
    if (result == NVRTC_OK) {
        result = compile_nearest(nvrtc, program, 10 * major + minor, &to_ptx);
        add_log(nvrtc, program, log);
        if (result == NVRTC_OK) done = take_binary(nvrtc, program, to_ptx, binary, log);
        nvrtc->destroy(&program);
    }
    if (result == NVRTC_INVALID_OPTION)
        text_add(log,
                 "NVRTC does not compile for sm_%d%d: set KATA_NVRTC to the path of another "
                 "version\n",
                 major, minor);
    else if (result != NVRTC_OK && result != NVRTC_WRONG_TEXT)
        text_add(log, "NVRTC: %s\n", nvrtc->words(result));
    return done;
}

bool device_compile_for(const char *target, const char *source, device_binary *binary, text *log)
{
    int64_t number;
    if (strncmp(target, "sm_", 3) != 0 || !parse_integer(target + 3, 10, 999, &number)) {
        text_add(log, "there is no target \"%s\": one is \"sm_90\"\n", target);
        return false;
    }
    device_binary plain = {0};
    const nvrtc_api *nvrtc = cuda_nvrtc(0, log);
    if (!nvrtc ||
        !cuda_compile_text(nvrtc, (int)number / 10, (int)number % 10, source, &plain, log))
        return false;
    bool sealed = device_seal(plain.bytes, plain.count, binary);
    free(plain.bytes);
    if (!sealed) text_add(log, "out of memory\n");
    return sealed;
}
