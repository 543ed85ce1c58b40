/* device: an accelerator, through CUDA's driver or through OpenCL: its memory, kernels compiled
 * from text, and queues of work.
 *
 * Nothing is linked: the libraries are loaded when a device is first asked for. Functions that
 * return bool return false, and pointers are NULL, where something went wrong; device_error then
 * says what. After an error of the device itself (device_is_lost) nothing works any more. */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include "base/base.h"

typedef enum device_language { DEVICE_CUDA, DEVICE_OPENCL } device_language;

typedef struct device_facts {
    device_language language;
    char name[128];         /* "NVIDIA H100 80GB HBM3" */
    char platform[128];     /* "CUDA 13.0", "Portable Computing Language" */
    char target[64];        /* what code is compiled for: "sm_90"; of OpenCL the driver's version */
    int64_t memory;         /* bytes */
    int64_t largest;        /* bytes of the largest allocation */
    int64_t cache;          /* bytes of the last-level cache; 0: not known */
    int units;              /* multiprocessors, compute units */
    int most_threads;       /* of a group */
    int64_t most_groups[3]; /* of a run, along x, y and z */
    int64_t local;          /* bytes of memory that the threads of a group share */
    int64_t local_in_text;  /* of these, what a text may declare: the rest is for device_launch */
    int64_t arguments;      /* bytes that a kernel's arguments may take together */
    bool halves;            /* it has instructions that convert f16 */
    bool shares_memory;     /* with this machine: PoCL, integrated processors */
    int64_t turn;           /* rings are of multiples of so many bytes; 0: it has none */
} device_facts;

typedef struct device device;

/* ---- device.c -------------------------------------------------------------------------------- */

/* Opens "cuda", "cuda:1", "opencl", "opencl:0", or "any" (the first there is: CUDA, then OpenCL).
 * Processes of one machine that have turns 0, 1, ... get different devices by a name without a
 * number, as far as there are some. NULL, reported, when there is none: what was looked for, and
 * what to do. */
device *device_open(const char *name, int turn, messages *m);
/* Among how many devices those processes take turns. */
int device_turns(const device *d);
void device_close(device *d);
const device_facts *device_facts_of(const device *d);
/* The devices of this machine, at most `room`; returns their number. `name` as for device_open. */
typedef struct device_listed {
    char name[32];
    device_facts facts;
} device_listed;
int device_list(device_listed *list, int room);
/* What went wrong last: "out of memory", "CUDA_ERROR_LAUNCH_FAILED (719): unspecified ...". */
const char *device_error(const device *d);
/* Whether the last error was that memory was out; whether the device can no longer be used. */
bool device_is_full(const device *d);
bool device_is_lost(const device *d);
/* Whether the last error was that a kernel does not run with so many threads in a group: it has not
 * run, and may with fewer. */
bool device_is_crowded(const device *d);

/* ---- device_ceiling.c: rates that copies reach ----------------------------------------------- */

bool device_measure(device *d, kata_device_ceilings *out);

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct device_memory device_memory;

/* Memory of the device, not set to anything. */
device_memory *device_allocate(device *d, size_t bytes);
void device_release(device *d, device_memory *memory); /* after all work on it; NULL is nothing */
/* Memory of this machine, at *host, that kernels may write, too: what they have written is there
 * when their queue has been waited for. NULL, which is no error, where there is none. */
device_memory *device_allocate_here(device *d, size_t bytes, void **host);
/* Rings, one behind the other: each has `turn` bytes, a multiple of that of the facts, which lie
 * once more behind themselves, at the next `turn` bytes. So any `turn` bytes that follow one
 * another around a ring are found in one piece. */
device_memory *device_allocate_rings(device *d, size_t turn, int rings);
/* Bytes that are allocated now, and at most so far. Allocations beyond a limit fail as if memory
 * were out; 0: no limit. */
int64_t device_used(const device *d);
int64_t device_peak(const device *d);
void device_limit(device *d, int64_t bytes);
/* Memory of this machine from and to which copies are fast, and which copies may use after they
 * were queued. */
void *device_pinned(device *d, size_t bytes);
void device_release_pinned(device *d, void *memory);
/* Makes memory that is there already pinned, until device_unpin; meanwhile it stays where it is.
 * False where that cannot be: copies from and to it then stay as slow as they are, and hold up who
 * queues them. OpenCL pins no memory that it has not made. */
bool device_pin(device *d, void *memory, size_t bytes);
void device_unpin(device *d, void *memory); /* after all copies from and to it */

/* ---- queues ----------------------------------------------------------------------------------
 *
 * What is put into one queue happens in order. Queues run side by side. */

enum { DEVICE_WORK, DEVICE_IN, DEVICE_OUT, DEVICE_QUEUES };

/* What is queued later in `queue` waits for all that is in `before` now. */
bool device_order(device *d, int queue, int before);
/* The same for all that was in a queue at an earlier time. Of devices that have rings. */
typedef struct device_event device_event;
device_event *device_event_new(device *d); /* NULL when that fails */
void device_event_free(device *d, device_event *event);
bool device_note(device *d, device_event *event, int queue); /* now; forgets an earlier time */
bool device_order_behind(device *d, int queue, const device_event *event);
/* Waits until all that was queued in a queue has happened. */
bool device_wait(device *d, int queue);

/* A box of bytes: planes of rows. On the device it begins at byte `at`; pitches are the bytes from
 * a row, and a plane, to the next. */
typedef struct device_box {
    size_t row, rows, planes; /* bytes of a row; rows of a plane; planes */
    size_t at, row_pitch, plane_pitch;
    size_t host_row_pitch, host_plane_pitch;
} device_box;

/* Copies to the device and from it, in the queue DEVICE_WORK. When they return, the copy has
 * happened. */
bool device_put(device *d, device_memory *to, const void *from, const device_box *box);
bool device_get(device *d, const device_memory *from, void *to, const device_box *box);
/* The same in a queue; `from`, and `to`, stays until it has happened. */
bool device_put_later(device *d, int queue, device_memory *to, const void *from,
                      const device_box *box);
bool device_get_later(device *d, int queue, const device_memory *from, void *to,
                      const device_box *box);
/* The same in the queue DEVICE_WORK with memory of the device in place of this machine's, from byte
 * `at` on. Of CUDA. */
bool device_unpack(device *d, device_memory *to, const device_memory *packed, size_t at,
                   const device_box *box);
bool device_pack(device *d, const device_memory *from, device_memory *packed, size_t at,
                 const device_box *box);
/* Where that memory is for other libraries of this process, by CUDA; NULL: nowhere. */
void *device_address(const device_memory *memory);
/* Sets bytes to a value; copies bytes on the device. In the queue DEVICE_WORK. */
bool device_set(device *d, device_memory *to, size_t at, int value, size_t bytes);
bool device_copy(device *d, device_memory *to, size_t to_at, const device_memory *from,
                 size_t from_at, size_t bytes);

/* ---- kernels --------------------------------------------------------------------------------- */

/* Compiles text for the device. Adds the binary's bytes to `binary` (text_add cannot: they may hold
 * zeros); false with the compiler's words in `log` where the text is wrong. */
typedef struct device_binary {
    char *bytes; /* to be freed */
    size_t count;
} device_binary;
bool device_compile(device *d, const char *source, device_binary *binary, text *log);
/* The same on any thread beside others: all that went wrong is in `log`, and nowhere else. */
bool device_compile_beside(const device *d, const char *source, device_binary *binary, text *log);
/* What a binary depends on beside its text: versions of compiler and driver, the device. For keys
 * of caches. */
const char *device_compiler(const device *d);
/* The same without a device, by NVRTC for a target as "sm_80": for tests. False, with the reason in
 * `log`, where NVRTC is not there, too. */
bool device_compile_for(const char *target, const char *source, device_binary *binary, text *log);

typedef struct device_module device_module;
typedef struct device_kernel device_kernel;
/* Loads a binary. A binary that a cache has spoilt is refused. */
device_module *device_load(device *d, const device_binary *binary);
void device_unload(device *d, device_module *module);
/* A function of a module, valid as long as it; NULL: there is none of this name. */
device_kernel *device_find_kernel(device *d, device_module *module, const char *name);

/* An argument: memory of the device (`value` NULL), or bytes by value. */
typedef struct device_argument {
    device_memory *memory;
    const void *value;
    size_t bytes;
} device_argument;

typedef struct device_launch {
    int64_t groups[3]; /* along x, y, z; none where one is 0 */
    int threads[3];    /* of a group */
    const device_argument *arguments;
    int argument_count;
    size_t local; /* bytes that the threads of a group share, beside those that the text declares */
} device_launch;
/* Puts a run of a kernel into the queue DEVICE_WORK. */
bool device_run(device *d, device_kernel *kernel, const device_launch *launch);

#endif
