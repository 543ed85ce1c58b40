/* What the files of OpenCL share. */
#ifndef DEVICE_OPENCL_PRIVATE_H
#define DEVICE_OPENCL_PRIVATE_H

#include "device/device_private.h"
#include "device/opencl_api.h"

/* ---- opencl_load.c --------------------------------------------------------------------------- */

/* The loader of OpenCL drivers; NULL with the reason. */
const opencl_api *opencl_loader(text *why);

/* ---- opencl_abilities.c ---------------------------------------------------------------------- */

/* What Katagami asks of a device. */
typedef struct opencl_abilities {
    uint64_t single, of_double; /* sets of CL_DENORMALS, ...; 0: it has no such numbers */
    bool little_endian, has_compiler;
    uint32_t address_bits;
} opencl_abilities;
/* Adds what a device lacks, by commas; false: nothing. */
bool opencl_lacks(const opencl_abilities *abilities, text *what);

/* ---- opencl_devices.c ------------------------------------------------------------------------ */

typedef struct opencl_listed {
    void *platform, *device;
} opencl_listed;
int opencl_count(text *why);
/* The device of a number, counted over all platforms. False with the reason. */
bool opencl_find(const opencl_api *api, int number, opencl_listed *found, text *why);
bool opencl_describe(int number, device_facts *facts, text *why);
int opencl_choose(int turn, int *turns, text *why);
/* Text about a device, or a platform; shortened to the room, empty where there is none. */
void opencl_ask_device(const opencl_api *api, void *device, uint32_t which, char *value,
                       size_t room);
void opencl_ask_platform(const opencl_api *api, void *platform, uint32_t which, char *value,
                         size_t room);

/* ---- opencl_failure.c ------------------------------------------------------------------------ */

/* Memory that copies may use later: a buffer of the host, mapped. */
typedef struct opencl_pinned_memory {
    void *buffer, *memory;
    struct opencl_pinned_memory *next;
} opencl_pinned_memory;

/* An open device. */
typedef struct opencl_device {
    const opencl_api *api;
    void *device, *context;
    void *queue[DEVICE_QUEUES];
    opencl_pinned_memory *pinned;
} opencl_device;

/* Whether a call succeeded; if not, keeps what went wrong. */
bool opencl_check(device *d, const char *function, int32_t result);

/* ---- opencl_memory.c, opencl_code.c: what the table names ------------------------------------ */

bool opencl_allocate(device *d, device_memory *memory, size_t bytes);
void opencl_release(device *d, device_memory *memory);
void *opencl_pinned(device *d, size_t bytes);
void opencl_release_pinned(device *d, void *memory);
bool opencl_order(device *d, int queue, int before);
bool opencl_wait(device *d, int queue);
bool opencl_move(device *d, const device_move *move);
bool opencl_set(device *d, device_memory *to, size_t at, int value, size_t bytes);
bool opencl_copy(device *d, device_memory *to, size_t to_at, const device_memory *from,
                 size_t from_at, size_t bytes);

extern const char opencl_options[]; /* of its compiler */
bool opencl_compile(device *d, const char *source, device_binary *binary, text *log);
bool opencl_load(device *d, const device_binary *binary, void **program);
void opencl_unload(device *d, void *program);
bool opencl_find_kernel(device *d, void *program, const char *name, void **kernel);
void opencl_forget(device *d, void *kernel);
bool opencl_run(device *d, void *kernel, const device_launch *launch);

#endif
