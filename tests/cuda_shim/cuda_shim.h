/* A CUDA device that is this processor: the functions of CUDA's driver that src/device calls.
 *
 * It is strict where a device is free, so that a program which is right here by chance is rare:
 *
 *   - what is queued in a stream happens as late as it may: when somebody waits for it, or memory
 *     or a stream goes. Streams are ordered by events alone, and see host memory as it is then;
 *     but copies of host memory that is not pinned happen at once, as drivers stage them
 *   - blocks run one after another, in ascending order or, every other launch, in descending; and
 *     the threads of a block each up to where it waits, in an order that changes with the block
 *   - device memory holds junk (NaNs) at first, as does shared memory when a block begins. It ends
 *     at memory that nobody may touch, and the host may not touch it (of few allocations)
 *   - a launch that touches other memory, or whose threads wait for some that never come, is lost,
 *     and the device with it: the reason goes to stderr
 *
 * Environment variables, read where they matter:
 *   KATA_SHIM_DEVICES  how many devices there are (1); all are this processor
 *   KATA_SHIM_DRIVER   what cuDriverGetVersion says (12040)
 *   KATA_SHIM_MEMORY   bytes of device memory (4 GiB)
 *   KATA_SHIM_LOSE     the number, from 1, of the launch that fails, with all calls after it
 *   KATA_SHIM_EAGER    1: what is queued happens at once
 *   KATA_SHIM_AHEAD    1: beside what somebody waits for, all else happens as soon as it may
 *   KATA_SHIM_OPEN     1: the host may touch device memory, so that any MPI can send it
 *   KATA_SHIM_PIECE    bytes of the pieces of memory that can be mapped (4096); 0: none can
 *   KATA_SHIM_PAGEABLE 1: no memory of the host can be registered
 *   KATA_SHIM_THREADS  the most threads of a group (1024); launches of more lack resources
 *   KATA_SHIM_NO_GRAPHS 1: no graph of kernels can be made
 *   KATA_SHIM_REFUSED  NVRTC compiles no text with these words
 *
 * All functions may be called by any thread; one lock is held while they run. Names, constants and
 * layouts are those of CUDA's documentation. */
#ifndef CUDA_SHIM_H
#define CUDA_SHIM_H

#include "shim_calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define CUDA_SHIM_RESULTS(X)                                                                       \
    X(CUDA_SUCCESS, 0, "no error")                                                                 \
    X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                                             \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                                                \
    X(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                                       \
    X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                             \
    X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                    \
    X(CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")                             \
    X(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                                   \
    X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                   \
    X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                                         \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                 \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch")          \
    X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, "resource already mapped")                   \
    X(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                                 \
    X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")

typedef enum CUresult {
#define X(name, number, words) name = number,
    CUDA_SHIM_RESULTS(X)
#undef X
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct shim_context *CUcontext;
typedef struct shim_stream *CUstream;
typedef struct shim_event *CUevent;
typedef struct shim_module *CUmodule;
typedef struct shim_function *CUfunction;

typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUmemLocation {
    int type, id;
} CUmemLocation;
typedef struct CUmemAllocationProp {
    int type, requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    unsigned char allocFlags[8];
} CUmemAllocationProp;
typedef struct CUmemAccessDesc {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;

enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };

typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    unsigned srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray, *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    unsigned dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray, *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

#define CUDA_SHIM_API __attribute__((visibility("default"))) CUresult

/* ---- shim_device.c --------------------------------------------------------------------------- */

/* Begins a call that needs a context: takes the lock. Unless it returns CUDA_SUCCESS the call ends
 * with what it returns, and without the lock. */
CUresult shim_enter(void);
/* Ends it: the result of the call, or why the device is lost. */
CUresult shim_leave(CUresult result);
/* The device is lost: every call fails from now on. */
void shim_lose(CUresult why);
bool shim_is_lost(void);
/* The value of an environment variable that is a number; `otherwise` when it is not set. */
int64_t shim_number(const char *variable, int64_t otherwise);

/* ---- shim_memory.c --------------------------------------------------------------------------- */

int64_t shim_memory_total(void);
/* Lets kernels and copies touch device memory; and nobody any more, unless there are too many
 * allocations. */
void shim_memory_open(void);
void shim_memory_close(void);
/* Whether so many bytes are of one allocation. */
bool shim_memory_has(CUdeviceptr at, size_t bytes);
/* Says of an address what is there, or beside it. */
void shim_memory_describe(const void *address, char words[200]);
/* Whether nobody has written beside the newest allocations. Otherwise says where on stderr. */
bool shim_memory_is_whole(void);

/* Whether bytes are of one allocation of pinned memory of the host. */
bool shim_memory_pins(uintptr_t begin, uintptr_t end);

/* Takes from what the device has, or gives it back; false where it has not got so much. */
bool shim_memory_take(size_t bytes);
void shim_memory_give(size_t bytes);
bool shim_memory_is_open(void);

/* ---- shim_maps.c ----------------------------------------------------------------------------- */

int64_t shim_piece_bytes(void);
/* Whether bytes are of one mapping that may be touched. */
bool shim_maps_have(CUdeviceptr at, size_t bytes);
/* Lets who may touch mapped memory touch it, or nobody. */
void shim_maps_protect(int protection);

/* ---- shim_pins.c ----------------------------------------------------------------------------- */

/* What bytes of the host are; mixed: some are pinned, or of another registration. */
typedef enum shim_host { SHIM_PAGEABLE, SHIM_PINNED, SHIM_MIXED } shim_host;
shim_host shim_host_of(uintptr_t begin, uintptr_t end);
/* When the last context goes: nothing is registered any more. */
void shim_pins_end(void);

/* ---- shim_streams.c -------------------------------------------------------------------------- */

/* What is queued: `run` with a copy of `bytes` at `data`. */
typedef struct shim_work {
    CUresult (*run)(void *data);
    const void *data;
    size_t bytes;
} shim_work;
/* Queues it; with the lock. */
CUresult shim_queue(CUstream stream, const shim_work *work);
/* Whether a copy is queued of some bytes of the host. */
bool shim_is_copied(uintptr_t begin, uintptr_t end);
bool shim_has_work(void);
/* Does all that is queued anywhere. */
void shim_finish_all(void);

/* ---- shim_faults.c --------------------------------------------------------------------------- */

/* Calls `body`. False when a signal of an error ended it: *address is what it touched, NULL for
 * signals without one, and *signal which one. */
bool shim_guarded(void (*body)(void *data), void *data, int *signal, void **address);

/* ---- shim_blocks.c --------------------------------------------------------------------------- */

typedef struct shim_launch {
    struct shim_function *function;
    shim_size blocks, threads;
    unsigned dynamic; /* bytes of shared memory beside those of the text */
    void **arguments;
} shim_launch;

struct shim_function {
    struct shim_function *next;
    char *name;
    const shim_entry *entry;
    shim_calls *calls;
    unsigned most_dynamic; /* as cuFuncSetAttribute allows */
};

/* Runs all blocks of a launch. */
CUresult shim_launch_run(const shim_launch *launch);

/* ---- shim_modules.c -------------------------------------------------------------------------- */

CUresult shim_launch_check(const shim_launch *launch);
/* How many launches of functions of a name there were so far; "": of all. For tests. */
__attribute__((visibility("default"))) int64_t shim_launches(const char *name);
/* Queues a launch with a copy of its arguments. */
CUresult shim_launch_queue(const shim_launch *launch, CUstream stream);
/* Makes one with arguments of its own; and frees these. */
void shim_launch_keep(shim_launch *kept, const shim_launch *launch);
void shim_launch_forget(shim_launch *kept);

/* ---- shim_turns.c ---------------------------------------------------------------------------- */

typedef struct shim_turn {
    ucontext_t context; /* where a stack begins */
    void *place[5];     /* where it goes on */
    bool has_begun;
} shim_turn;

/* On this stack, `run` begins at the first turn. It may not return. */
void shim_turn_begin(shim_turn *t, unsigned char *stack, size_t size, void (*run)(void));
/* The stack that runs is left, and another goes on: this one when somebody changes to it. */
void shim_turn_change(shim_turn *own, shim_turn *next);

/* ---- shim_threads.c -------------------------------------------------------------------------- */

/* Runs the threads of one block, whose shared memory and place are set. `descending`: their order.
 * False, with the reason in `words`, when some wait for ever. */
bool shim_threads_run(const shim_launch *launch, bool descending, char words[200]);
/* After a signal: no thread is running any more. */
void shim_threads_drop(void);
/* Whether an address is below a thread's stack, which has become too deep. */
bool shim_threads_own(const void *address);
void shim_calls_set(shim_calls *calls);

#endif
