/* The functions of OpenCL 1.2 that are used, by its specification: registry.khronos.org/OpenCL.
 * Handles are pointers; numbers have 32 bits, sizes those of size_t, bit fields 64. */
#ifndef DEVICE_OPENCL_API_H
#define DEVICE_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

/* Results that are told apart. */
enum {
    CL_OK = 0,
    CL_NOT_AVAILABLE = -2,
    CL_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_BUILD_FAILURE = -11,
    CL_INVALID_KERNEL_NAME = -46,
    CL_INVALID_WORK_GROUP_SIZE = -54,
    CL_INVALID_BUFFER_SIZE = -61
};

/* What platforms, devices and programs are asked for. */
enum {
    CL_PLATFORM_VERSION = 0x901,
    CL_PLATFORM_NAME = 0x902,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_UNITS = 0x1002,
    CL_DEVICE_MOST_THREADS = 0x1004,
    CL_DEVICE_ADDRESS_BITS = 0x100d,
    CL_DEVICE_LARGEST_ALLOCATION = 0x1010,
    CL_DEVICE_ARGUMENT_BYTES = 0x1017,
    CL_DEVICE_SINGLE = 0x101b,
    CL_DEVICE_CACHE_BYTES = 0x101e,
    CL_DEVICE_MEMORY = 0x101f,
    CL_DEVICE_LOCAL_BYTES = 0x1023,
    CL_DEVICE_LITTLE_ENDIAN = 0x1026,
    CL_DEVICE_HAS_COMPILER = 0x1028,
    CL_DEVICE_NAME = 0x102b,
    CL_DRIVER_VERSION = 0x102d,
    CL_DEVICE_VERSION = 0x102f,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_DEVICE_DOUBLE = 0x1032,
    CL_DEVICE_SHARES_MEMORY = 0x1035,
    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_LOG = 0x1183
};

/* What a device can do with numbers of a type. */
enum {
    CL_DENORMALS = 1,
    CL_INFINITIES = 2,
    CL_ROUND_TO_NEAREST = 4,
    CL_FMA = 32,
    CL_IN_SOFTWARE = 64,
    CL_CORRECT_DIVISION = 128
};

#define CL_TYPE_GPU UINT64_C(4)
#define CL_TYPE_ANY UINT64_C(0xffffffff)
#define CL_MEMORY_READ_WRITE UINT64_C(1)
#define CL_MEMORY_OF_HOST UINT64_C(16)
#define CL_MAP_TO_READ_AND_WRITE UINT64_C(3)
#define CL_MIGRATE_WITHOUT_CONTENT UINT64_C(2)

/* Functions end with events to wait for, and the address of their own. */
#define CL_EVENTS uint32_t count, void *const *events, void **event

/* X(member, function, result, arguments) */
#define OPENCL_FUNCTIONS(X)                                                                        \
    X(platforms, "clGetPlatformIDs", int32_t, (uint32_t room, void **list, uint32_t *count))       \
    X(platform_info, "clGetPlatformInfo", int32_t,                                                 \
      (void *platform, uint32_t which, size_t room, void *value, size_t *size))                    \
    X(devices, "clGetDeviceIDs", int32_t,                                                          \
      (void *platform, uint64_t type, uint32_t room, void **list, uint32_t *count))                \
    X(device_info, "clGetDeviceInfo", int32_t,                                                     \
      (void *device, uint32_t which, size_t room, void *value, size_t *size))                      \
    X(context_create, "clCreateContext", void *,                                                   \
      (const intptr_t *properties, uint32_t count, void *const *devices,                           \
       void (*notify)(const char *, const void *, size_t, void *), void *data, int32_t *result))   \
    X(context_release, "clReleaseContext", int32_t, (void *context))                               \
    X(queue_create, "clCreateCommandQueue", void *,                                                \
      (void *context, void *device, uint64_t properties, int32_t *result))                         \
    X(queue_release, "clReleaseCommandQueue", int32_t, (void *queue))                              \
    X(buffer_create, "clCreateBuffer", void *,                                                     \
      (void *context, uint64_t flags, size_t bytes, void *host, int32_t *result))                  \
    X(buffer_release, "clReleaseMemObject", int32_t, (void *buffer))                               \
    X(migrate, "clEnqueueMigrateMemObjects", int32_t,                                              \
      (void *queue, uint32_t buffer_count, void *const *buffers, uint64_t flags, CL_EVENTS))       \
    X(map, "clEnqueueMapBuffer", void *,                                                           \
      (void *queue, void *buffer, uint32_t blocking, uint64_t flags, size_t at, size_t bytes,      \
       CL_EVENTS, int32_t *result))                                                                \
    X(unmap, "clEnqueueUnmapMemObject", int32_t,                                                   \
      (void *queue, void *buffer, void *mapped, CL_EVENTS))                                        \
    X(put, "clEnqueueWriteBuffer", int32_t,                                                        \
      (void *queue, void *buffer, uint32_t blocking, size_t at, size_t bytes, const void *host,    \
       CL_EVENTS))                                                                                 \
    X(get, "clEnqueueReadBuffer", int32_t,                                                         \
      (void *queue, void *buffer, uint32_t blocking, size_t at, size_t bytes, void *host,          \
       CL_EVENTS))                                                                                 \
    X(put_box, "clEnqueueWriteBufferRect", int32_t,                                                \
      (void *queue, void *buffer, uint32_t blocking, const size_t *at, const size_t *host_at,      \
       const size_t *size, size_t row_pitch, size_t plane_pitch, size_t host_row_pitch,            \
       size_t host_plane_pitch, const void *host, CL_EVENTS))                                      \
    X(get_box, "clEnqueueReadBufferRect", int32_t,                                                 \
      (void *queue, void *buffer, uint32_t blocking, const size_t *at, const size_t *host_at,      \
       const size_t *size, size_t row_pitch, size_t plane_pitch, size_t host_row_pitch,            \
       size_t host_plane_pitch, void *host, CL_EVENTS))                                            \
    X(fill, "clEnqueueFillBuffer", int32_t,                                                        \
      (void *queue, void *buffer, const void *pattern, size_t pattern_size, size_t at,             \
       size_t bytes, CL_EVENTS))                                                                   \
    X(copy, "clEnqueueCopyBuffer", int32_t,                                                        \
      (void *queue, void *from, void *to, size_t from_at, size_t to_at, size_t bytes, CL_EVENTS))  \
    X(marker, "clEnqueueMarkerWithWaitList", int32_t, (void *queue, CL_EVENTS))                    \
    X(barrier, "clEnqueueBarrierWithWaitList", int32_t, (void *queue, CL_EVENTS))                  \
    X(event_release, "clReleaseEvent", int32_t, (void *event))                                     \
    X(flush, "clFlush", int32_t, (void *queue))                                                    \
    X(finish, "clFinish", int32_t, (void *queue))                                                  \
    X(program_of_text, "clCreateProgramWithSource", void *,                                        \
      (void *context, uint32_t count, const char **texts, const size_t *lengths, int32_t *result)) \
    X(program_of_binary, "clCreateProgramWithBinary", void *,                                      \
      (void *context, uint32_t count, void *const *devices, const size_t *sizes,                   \
       const unsigned char **binaries, int32_t *states, int32_t *result))                          \
    X(build, "clBuildProgram", int32_t,                                                            \
      (void *program, uint32_t count, void *const *devices, const char *options,                   \
       void (*notify)(void *, void *), void *data))                                                \
    X(program_release, "clReleaseProgram", int32_t, (void *program))                               \
    X(program_info, "clGetProgramInfo", int32_t,                                                   \
      (void *program, uint32_t which, size_t room, void *value, size_t *size))                     \
    X(build_info, "clGetProgramBuildInfo", int32_t,                                                \
      (void *program, void *device, uint32_t which, size_t room, void *value, size_t *size))       \
    X(kernel_create, "clCreateKernel", void *, (void *program, const char *name, int32_t *result)) \
    X(kernel_release, "clReleaseKernel", int32_t, (void *kernel))                                  \
    X(kernel_argument, "clSetKernelArg", int32_t,                                                  \
      (void *kernel, uint32_t number, size_t size, const void *value))                             \
    X(run, "clEnqueueNDRangeKernel", int32_t,                                                      \
      (void *queue, void *kernel, uint32_t dimensions, const size_t *offset,                       \
       const size_t *threads, const size_t *group, CL_EVENTS))

#define API_MEMBER(member, function, result, arguments) result(*member) arguments;
typedef struct opencl_api {
    OPENCL_FUNCTIONS(API_MEMBER)
} opencl_api;
#undef API_MEMBER

#endif
