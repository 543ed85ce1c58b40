/* The functions of CUDA's driver and of NVRTC that are used, by their documentation:
 * docs.nvidia.com/cuda/cuda-driver-api and docs.nvidia.com/cuda/nvrtc. Handles are pointers,
 * devices numbers, and addresses of a device 64 bits. */
#ifndef DEVICE_CUDA_API_H
#define DEVICE_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

/* Results that are told apart. */
enum {
    CUDA_OK = 0,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NO_DEVICE = 100,
    CUDA_NOT_FOUND = 500,
    CUDA_LAUNCH_OUT_OF_RESOURCES = 701,
    NVRTC_OK = 0,
    NVRTC_OUT_OF_MEMORY = 1,
    NVRTC_INVALID_OPTION = 5,
    NVRTC_WRONG_TEXT = 6
};

/* What a device is asked for. */
enum {
    CUDA_MOST_THREADS = 1,
    CUDA_SHARED_BYTES = 8,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_INTEGRATED = 18,
    CUDA_CACHE_BYTES = 38,
    CUDA_MAJOR = 75,
    CUDA_MINOR = 76,
    CUDA_SHARED_BYTES_AT_MOST = 97, /* of kernels that ask for more than usual */
    CUDA_MAPS_MEMORY = 102
};

enum {
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_EVENT_WITHOUT_TIME = 2,
    CUDA_HOST_PORTABLE = 1,
    CUDA_HOST_MAPPED = 2,
    CUDA_FUNCTION_SHARED_BYTES = 8, /* an attribute of functions */
    CUDA_ON_HOST = 1,
    CUDA_ON_DEVICE = 2,
    CUDA_PINNED_MEMORY = 1, /* as all memory of devices is */
    CUDA_PLACE_DEVICE = 1,
    CUDA_READ_AND_WRITE = 3
};

/* Memory that is mapped where the program says: where it is, and who may touch it. */
typedef struct cuda_place {
    int kind, device;
} cuda_place;
typedef struct cuda_pieces {
    int kind, handles;
    cuda_place place;
    void *windows;
    unsigned char compression, network;
    unsigned short usage;
    unsigned char reserved[4];
} cuda_pieces;
typedef struct cuda_access {
    cuda_place place;
    int flags;
} cuda_access;

/* One side of a copy of planes of rows. */
typedef struct cuda_copy_side {
    size_t x, y, z, level;
    int where; /* CUDA_ON_HOST, CUDA_ON_DEVICE */
    const void *host;
    uint64_t address;
    void *array, *reserved;
    size_t pitch, height; /* bytes from row to row; rows from plane to plane */
} cuda_copy_side;
typedef struct cuda_copy {
    cuda_copy_side from, to;
    size_t width, height, depth;
} cuda_copy;

/* A kernel of a graph. */
typedef struct cuda_kernel_node {
    void *function;
    unsigned groups[3], threads[3], shared;
    void **arguments, **extra;
    void *kernel, *context; /* another way to name the function */
} cuda_kernel_node;

/* X(member, function, arguments) */
#define CUDA_FUNCTIONS(X)                                                                          \
    X(init, "cuInit", (unsigned flags))                                                            \
    X(driver_version, "cuDriverGetVersion", (int *version))                                        \
    X(device_count, "cuDeviceGetCount", (int *count))                                              \
    X(device_get, "cuDeviceGet", (int *device, int number))                                        \
    X(device_name, "cuDeviceGetName", (char *name, int room, int device))                          \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))           \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, int device))                          \
    X(context_retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                    \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))                               \
    X(context_set, "cuCtxSetCurrent", (void *context))                                             \
    X(allocate, "cuMemAlloc_v2", (uint64_t * address, size_t bytes))                               \
    X(release, "cuMemFree_v2", (uint64_t address))                                                 \
    X(piece_unit, "cuMemGetAllocationGranularity",                                                 \
      (size_t * bytes, const cuda_pieces *pieces, int option))                                     \
    X(piece_create, "cuMemCreate",                                                                 \
      (uint64_t * piece, size_t bytes, const cuda_pieces *pieces, unsigned long long flags))       \
    X(piece_release, "cuMemRelease", (uint64_t piece))                                             \
    X(address_reserve, "cuMemAddressReserve",                                                      \
      (uint64_t * address, size_t bytes, size_t align, uint64_t at, unsigned long long flags))     \
    X(address_free, "cuMemAddressFree", (uint64_t address, size_t bytes))                          \
    X(map, "cuMemMap",                                                                             \
      (uint64_t address, size_t bytes, size_t at, uint64_t piece, unsigned long long flags))       \
    X(unmap, "cuMemUnmap", (uint64_t address, size_t bytes))                                       \
    X(allow, "cuMemSetAccess",                                                                     \
      (uint64_t address, size_t bytes, const cuda_access *access, size_t count))                   \
    X(host_allocate, "cuMemHostAlloc", (void **memory, size_t bytes, unsigned flags))              \
    X(host_release, "cuMemFreeHost", (void *memory))                                               \
    X(host_register, "cuMemHostRegister_v2", (void *memory, size_t bytes, unsigned flags))         \
    X(host_unregister, "cuMemHostUnregister", (void *memory))                                      \
    X(put, "cuMemcpyHtoDAsync_v2", (uint64_t to, const void *from, size_t bytes, void *stream))    \
    X(get, "cuMemcpyDtoHAsync_v2", (void *to, uint64_t from, size_t bytes, void *stream))          \
    X(copy, "cuMemcpyDtoDAsync_v2", (uint64_t to, uint64_t from, size_t bytes, void *stream))      \
    X(copy_box, "cuMemcpy3DAsync_v2", (const cuda_copy *copy, void *stream))                       \
    X(set, "cuMemsetD8Async", (uint64_t to, unsigned char value, size_t bytes, void *stream))      \
    X(module_load, "cuModuleLoadDataEx",                                                           \
      (void **module, const void *image, unsigned count, int *options, void **values))             \
    X(module_unload, "cuModuleUnload", (void *module))                                             \
    X(module_function, "cuModuleGetFunction", (void **function, void *module, const char *name))   \
    X(function_set, "cuFuncSetAttribute", (void *function, int attribute, int value))              \
    X(launch, "cuLaunchKernel",                                                                    \
      (void *function, unsigned groups_x, unsigned groups_y, unsigned groups_z,                    \
       unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared, void *stream,  \
       void **arguments, void **extra))                                                            \
    X(stream_create, "cuStreamCreate", (void **stream, unsigned flags))                            \
    X(stream_destroy, "cuStreamDestroy_v2", (void *stream))                                        \
    X(stream_wait, "cuStreamSynchronize", (void *stream))                                          \
    X(stream_wait_event, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags))         \
    X(event_create, "cuEventCreate", (void **event, unsigned flags))                               \
    X(event_record, "cuEventRecord", (void *event, void *stream))                                  \
    X(event_destroy, "cuEventDestroy_v2", (void *event))                                           \
    X(error_name, "cuGetErrorName", (int result, const char **name))                               \
    X(error_words, "cuGetErrorString", (int result, const char **words))

/* Those that not all drivers have: NULL where they are missing. */
#define CUDA_GRAPH_FUNCTIONS(X)                                                                    \
    X(graph_create, "cuGraphCreate", (void **graph, unsigned flags))                               \
    X(graph_add_kernel, "cuGraphAddKernelNode_v2",                                                 \
      (void **node, void *graph, void *const *behind, size_t count, const cuda_kernel_node *what)) \
    X(graph_make_runs, "cuGraphInstantiateWithFlags",                                              \
      (void **runs, void *graph, unsigned long long flags))                                        \
    X(graph_set_kernel, "cuGraphExecKernelNodeSetParams_v2",                                       \
      (void *runs, void *node, const cuda_kernel_node *what))                                      \
    X(graph_release_runs, "cuGraphExecDestroy", (void *runs))                                      \
    X(graph_release, "cuGraphDestroy", (void *graph))                                              \
    X(graph_launch, "cuGraphLaunch", (void *runs, void *stream))

#define NVRTC_FUNCTIONS(X)                                                                         \
    X(version, "nvrtcVersion", (int *major, int *minor))                                           \
    X(create, "nvrtcCreateProgram",                                                                \
      (void **program, const char *source, const char *name, int count,                            \
       const char *const *headers, const char *const *header_names))                               \
    X(compile, "nvrtcCompileProgram", (void *program, int count, const char *const *options))      \
    X(binary_size, "nvrtcGetCUBINSize", (void *program, size_t *size))                             \
    X(binary, "nvrtcGetCUBIN", (void *program, char *binary))                                      \
    X(ptx_size, "nvrtcGetPTXSize", (void *program, size_t *size))                                  \
    X(ptx, "nvrtcGetPTX", (void *program, char *ptx))                                              \
    X(log_size, "nvrtcGetProgramLogSize", (void *program, size_t *size))                           \
    X(log, "nvrtcGetProgramLog", (void *program, char *log))                                       \
    X(destroy, "nvrtcDestroyProgram", (void **program))

#define API_MEMBER(member, function, arguments) int(*member) arguments;
typedef struct cuda_api {
    CUDA_FUNCTIONS(API_MEMBER)
    CUDA_GRAPH_FUNCTIONS(API_MEMBER)
} cuda_api;
typedef struct nvrtc_api {
    NVRTC_FUNCTIONS(API_MEMBER)
    const char *(*words)(int result); /* nvrtcGetErrorString */
} nvrtc_api;
#undef API_MEMBER

#endif
