/* What tests of the CUDA shim share: its functions, loaded as src/device would; a context; kernels
 * from texts. */
#ifndef TESTS_CUDA_SHIM_WORLD_H
#define TESTS_CUDA_SHIM_WORLD_H

#include "../cuda_shim/cuda_shim.h"
#include "base/base.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct nvrtc_program *nvrtc_program;

#define CUDA_CALLS(X)                                                                              \
    X(CUresult, cuInit, (unsigned))                                                                \
    X(CUresult, cuDriverGetVersion, (int *))                                                       \
    X(CUresult, cuDeviceGetCount, (int *))                                                         \
    X(CUresult, cuDeviceGet, (CUdevice *, int))                                                    \
    X(CUresult, cuDeviceGetName, (char *, int, CUdevice))                                          \
    X(CUresult, cuDeviceGetAttribute, (int *, int, CUdevice))                                      \
    X(CUresult, cuDeviceTotalMem_v2, (size_t *, CUdevice))                                         \
    X(CUresult, cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                 \
    X(CUresult, cuDevicePrimaryCtxRelease_v2, (CUdevice))                                          \
    X(CUresult, cuCtxSetCurrent, (CUcontext))                                                      \
    X(CUresult, cuMemAlloc_v2, (CUdeviceptr *, size_t))                                            \
    X(CUresult, cuMemFree_v2, (CUdeviceptr))                                                       \
    X(CUresult, cuMemHostAlloc, (void **, size_t, unsigned))                                       \
    X(CUresult, cuMemFreeHost, (void *))                                                           \
    X(CUresult, cuMemHostRegister_v2, (void *, size_t, unsigned))                                  \
    X(CUresult, cuMemHostUnregister, (void *))                                                     \
    X(CUresult, cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void *, size_t, CUstream))               \
    X(CUresult, cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))                     \
    X(CUresult, cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream))                \
    X(CUresult, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *, CUstream))                             \
    X(CUresult, cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))                   \
    X(CUresult, cuModuleLoadDataEx, (CUmodule *, const void *, unsigned, void *, void **))         \
    X(CUresult, cuModuleUnload, (CUmodule))                                                        \
    X(CUresult, cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                       \
    X(CUresult, cuFuncSetAttribute, (CUfunction, int, int))                                        \
    X(CUresult, cuLaunchKernel,                                                                    \
      (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, \
       void **, void **))                                                                          \
    X(CUresult, cuStreamCreate, (CUstream *, unsigned))                                            \
    X(CUresult, cuStreamDestroy_v2, (CUstream))                                                    \
    X(CUresult, cuStreamSynchronize, (CUstream))                                                   \
    X(CUresult, cuStreamWaitEvent, (CUstream, CUevent, unsigned))                                  \
    X(CUresult, cuEventCreate, (CUevent *, unsigned))                                              \
    X(CUresult, cuEventRecord, (CUevent, CUstream))                                                \
    X(CUresult, cuEventDestroy_v2, (CUevent))                                                      \
    X(CUresult, cuGetErrorName, (CUresult, const char **))                                         \
    X(CUresult, cuGetErrorString, (CUresult, const char **))

#define NVRTC_CALLS(X)                                                                             \
    X(int, nvrtcVersion, (int *, int *))                                                           \
    X(int, nvrtcCreateProgram,                                                                     \
      (nvrtc_program *, const char *, const char *, int, const char *const *,                      \
       const char *const *))                                                                       \
    X(int, nvrtcCompileProgram, (nvrtc_program, int, const char *const *))                         \
    X(int, nvrtcGetCUBINSize, (nvrtc_program, size_t *))                                           \
    X(int, nvrtcGetCUBIN, (nvrtc_program, char *))                                                 \
    X(int, nvrtcGetPTXSize, (nvrtc_program, size_t *))                                             \
    X(int, nvrtcGetPTX, (nvrtc_program, char *))                                                   \
    X(int, nvrtcGetProgramLogSize, (nvrtc_program, size_t *))                                      \
    X(int, nvrtcGetProgramLog, (nvrtc_program, char *))                                            \
    X(int, nvrtcDestroyProgram, (nvrtc_program *))                                                 \
    X(const char *, nvrtcGetErrorString, (int))

#define X(R, name, PARAMETERS) static R(*name) PARAMETERS;
CUDA_CALLS(X)
NVRTC_CALLS(X)
#undef X

static inline void *load_library(const char *variable)
{
    const char *path = getenv(variable);
    assert_non_null(path);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail_msg("%s", dlerror());
    return library;
}

static inline void *find_symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) fail_msg("no %s", name);
    return found;
}

static inline int load_shim(void **state)
{
    (void)state;
    void *cuda = load_library("KATA_SHIM_CUDA"), *nvrtc = load_library("KATA_SHIM_NVRTC");
#define X(R, name, PARAMETERS) *(void **)&name = find_symbol(cuda, #name);
    CUDA_CALLS(X)
#undef X
#define X(R, name, PARAMETERS) *(void **)&name = find_symbol(nvrtc, #name);
    NVRTC_CALLS(X)
#undef X
    return 0;
}

static inline int open_context(void **state)
{
    CUcontext context;
    return load_shim(state) || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
                   cuCtxSetCurrent(context)
               ? -1
               : 0;
}

static inline int close_context(void **state)
{
    (void)state;
    return cuDevicePrimaryCtxRelease_v2(0) ? -1 : 0;
}

/* Runs a body in a process of its own, and adds what that says on stderr. Returns how it ended, as
 * waitpid. */
static inline int in_child(void (*body)(void), text *said)
{
    int ends[2], status = -1;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        body();
        _exit(0);
    }
    close(ends[1]);
    char piece[1000];
    ssize_t count;
    while ((count = read(ends[0], piece, sizeof piece)) > 0)
        text_add(said, "%.*s", (int)count, piece);
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* In a child, where cmocka's checks would go on with other tests: says what is not so, and ends. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static const char *const usual_options[] = {"--gpu-architecture=sm_90", "--fmad=false",
                                            "--device-as-default-execution-space"};

/* Compiles a text; the result of nvrtcCompileProgram, and the compiler's words in *log. */
static inline int compile(const char *source, char **image, char **log)
{
    nvrtc_program p;
    size_t size = 0;
    if (nvrtcCreateProgram(&p, source, "kernels.cu", 0, NULL, NULL)) return -1;
    const int result = nvrtcCompileProgram(p, COUNT_OF(usual_options), usual_options);
    nvrtcGetProgramLogSize(p, &size);
    *log = malloc(size);
    nvrtcGetProgramLog(p, *log);
    if (result == 0) {
        nvrtcGetCUBINSize(p, &size);
        *image = malloc(size);
        nvrtcGetCUBIN(p, *image);
    }
    nvrtcDestroyProgram(&p);
    return result;
}

/* Loads the module of a text, of which the test is sure. */
static inline CUmodule module_of(const char *source)
{
    char *image = NULL, *log = NULL;
    CUmodule module = NULL;
    if (compile(source, &image, &log)) fprintf(stderr, "%s", log);
    MUST(image);
    MUST(cuModuleLoadDataEx(&module, image, 0, NULL, NULL) == CUDA_SUCCESS);
    free(image);
    free(log);
    return module;
}

static inline CUfunction kernel_of(CUmodule module, const char *name)
{
    CUfunction function = NULL;
    MUST(cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS);
    return function;
}

/* Launches along x in the usual stream. */
static inline CUresult launch(CUfunction kernel, unsigned blocks, unsigned threads,
                              void **arguments)
{
    return cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL);
}

static inline CUdeviceptr device_bytes(size_t bytes)
{
    CUdeviceptr at = 0;
    MUST(cuMemAlloc_v2(&at, bytes) == CUDA_SUCCESS);
    return at;
}

static inline CUresult fetch(void *to, CUdeviceptr from, size_t bytes)
{
    const CUresult result = cuMemcpyDtoHAsync_v2(to, from, bytes, NULL);
    return result ? result : cuStreamSynchronize(NULL);
}

#endif
