/* What the files of CUDA share. */
#ifndef DEVICE_CUDA_PRIVATE_H
#define DEVICE_CUDA_PRIVATE_H

#include "device/cuda_api.h"
#include "device/device_private.h"

/* ---- cuda_load.c ----------------------------------------------------------------------------- */

/* The driver, started; NULL with the reason. */
const cuda_api *cuda_driver(text *why);
/* The CUDA version that the driver is for: 13000 is 13.0. */
int cuda_driver_version(void);

/* ---- nvrtc_load.c ---------------------------------------------------------------------------- */

/* NVRTC, of a version no later than the driver's (0: any); NULL with the reason. */
const nvrtc_api *cuda_nvrtc(int driver_version, text *why);

/* ---- cuda_failure.c -------------------------------------------------------------------------- */

enum { CUDA_PIECE = HOSTILE(16 << 20, 64) };

typedef struct cuda_batch cuda_batch;

/* An open device. */
typedef struct cuda_device {
    const cuda_api *api;
    int device, major, minor;
    void *context;
    void *stream[DEVICE_QUEUES];
    void *event[DEVICE_QUEUES]; /* what was last recorded in each stream */
    char *piece;                /* pinned, CUDA_PIECE bytes; NULL: not needed yet */
    void **pointers;            /* to the arguments of a launch */
    size_t pointer_room;
    cuda_batch *batch;      /* launches that wait; NULL: none so far */
    const nvrtc_api *nvrtc; /* NULL: not there */
    text no_nvrtc;          /* then why */
} cuda_device;

/* Whether a call succeeded; if not, keeps what went wrong. */
bool cuda_check(device *d, const char *function, int result);

/* ---- cuda_graph.c: small launches wait for others -------------------------------------------- */

/* Makes the device's context the calling thread's, and sends off launches that wait, before other
 * calls. NULL when that fails. */
const cuda_api *cuda_enter(device *d);
/* Keeps a launch if it may wait: then cuda_batch_send_full sends it off with the others when there
 * are enough of them, and cuda_batch_send sends all. */
bool cuda_batch_takes(device *d, void *function, const device_launch *launch);
bool cuda_batch_send_full(device *d);
bool cuda_batch_send(device *d);
/* The program waits for all that it has launched. */
void cuda_batch_waited(device *d);
/* A launch has been put into the queue: more of its kind may wait. */
void cuda_batch_started(device *d, void *function, const device_launch *launch);
/* Before a module goes: none of its kernels is known any more. */
void cuda_batch_forget(device *d);
void cuda_batch_free(device *d);

/* ---- cuda_memory.c, cuda_code.c, cuda_compile.c: what the table names ------------------------ */

bool cuda_allocate(device *d, device_memory *memory, size_t bytes);
void cuda_release(device *d, device_memory *memory);
bool cuda_allocate_here(device *d, device_memory *memory);
void *cuda_event_new(device *d);
void cuda_event_free(device *d, void *event);
bool cuda_note(device *d, void *event, int queue);
bool cuda_order_behind(device *d, int queue, void *event);
void *cuda_pinned(device *d, size_t bytes);
void cuda_release_pinned(device *d, void *memory);
bool cuda_pin(device *d, void *memory, size_t bytes);
void cuda_unpin(device *d, void *memory);
bool cuda_order(device *d, int queue, int before);
bool cuda_wait(device *d, int queue);
bool cuda_move(device *d, const device_move *move);
bool cuda_set(device *d, device_memory *to, size_t at, int value, size_t bytes);
bool cuda_copy_bytes(device *d, device_memory *to, size_t to_at, const device_memory *from,
                     size_t from_at, size_t bytes);

bool cuda_load_module(device *d, const device_binary *binary, void **module);
void cuda_unload_module(device *d, void *module);
bool cuda_find_function(device *d, void *module, const char *name, void **function);
bool cuda_launch(device *d, void *function, const device_launch *launch);

/* ---- cuda_rings.c ---------------------------------------------------------------------------- */

/* See the facts; 0: it cannot map memory. */
int64_t cuda_turn(const cuda_api *api, int device);
bool cuda_allocate_rings(device *d, device_memory *memory, int rings);
void cuda_release_rings(device *d, device_memory *memory);

/* Compiles for compute capability major.minor: the device's own code, or else text that its driver
 * compiles, where NVRTC does not know the device. False with the reason. */
bool cuda_compile_text(const nvrtc_api *nvrtc, int major, int minor, const char *source,
                       device_binary *binary, text *log);

#endif
