/* What the files of device share: one table of functions per language, and what each has in common.
 *
 * A function of a table that fails has called device_fail; those before there is a device add the
 * reason to `why`. The table's functions get boxes as device_box_parts makes them. */
#ifndef DEVICE_DEVICE_PRIVATE_H
#define DEVICE_DEVICE_PRIVATE_H

#include "device/device.h"

struct device_memory {
    size_t bytes;     /* that have addresses */
    size_t turn;      /* of a ring; 0: it has none */
    size_t taken;     /* of the device */
    uint64_t address; /* CUDA */
    void *buffer;     /* OpenCL: a cl_mem */
    void *host;       /* where it is in this machine's memory; NULL: it is not */
};

/* A copy in a queue: to the device or, `out`, from it. */
typedef struct device_move {
    int queue;
    bool out;
    const device_memory *memory;
    char *host;  /* only read unless `out` */
    bool within; /* `host` is an address of the device */
    bool waits;  /* the caller waits for it; `host` need not be pinned */
    device_box box;
} device_move;

typedef struct device_calls {
    const char *word; /* "cuda" */
    /* Devices that there are, usable or not; 0 with the reason. */
    int (*count)(text *why);
    /* False, with the reason, where device `number` cannot be used. */
    bool (*describe)(int number, device_facts *facts, text *why);
    /* The one to take where the program named none; -1 with the reason: none can be used. Turns go
     * around *turns devices that suit. */
    int (*choose)(int turn, int *turns, text *why);
    /* Fills d->own and d->compiler; the facts are there already. */
    bool (*open)(device *d, int number, text *why);
    void (*close)(device *d);

    bool (*allocate)(device *d, device_memory *memory, size_t bytes);
    void (*release)(device *d, device_memory *memory);
    bool (*allocate_here)(device *d, device_memory *memory);             /* NULL: it cannot */
    bool (*allocate_rings)(device *d, device_memory *memory, int rings); /* the turn is set */
    void *(*event_new)(device *d); /* these: NULL where there are no rings */
    void (*event_free)(device *d, void *event);
    bool (*note)(device *d, void *event, int queue);
    bool (*order_behind)(device *d, int queue, void *event);
    void *(*pinned)(device *d, size_t bytes);
    void (*release_pinned)(device *d, void *memory);
    bool (*pin)(device *d, void *memory, size_t bytes); /* NULL: none can be; failing is no error */
    void (*unpin)(device *d, void *memory);
    bool (*order)(device *d, int queue, int before);
    bool (*wait)(device *d, int queue);
    bool (*move)(device *d, const device_move *move);
    bool (*set)(device *d, device_memory *to, size_t at, int value, size_t bytes);
    bool (*copy)(device *d, device_memory *to, size_t to_at, const device_memory *from,
                 size_t from_at, size_t bytes);

    bool (*compile)(device *d, const char *source, device_binary *binary, text *log);
    bool (*load)(device *d, const device_binary *binary, void **module);
    void (*unload)(device *d, void *module);
    bool (*find)(device *d, void *module, const char *name, void **kernel);
    void (*forget)(device *d, void *kernel);
    bool (*run)(device *d, void *kernel, const device_launch *launch);
} device_calls;

struct device {
    const device_calls *calls;
    device_facts facts;
    int turns; /* devices that its name may have been of */
    char compiler[512];
    int64_t used, peak, limit;
    text error;
    bool full, lost, crowded;
    void *own; /* of the language */
};

/* ---- device_failure.c ------------------------------------------------------------------------ */

typedef enum device_failure {
    DEVICE_FAILED,
    DEVICE_FULL,
    DEVICE_LOST,
    DEVICE_CROWDED
} device_failure;
/* Keeps what went wrong; returns false. */
bool device_fail(device *d, device_failure kind, const char *format, ...) PRINTF_LIKE(3, 4);

/* ---- device_library.c ------------------------------------------------------------------------ */

/* A function of a library, and where in a table its address goes. */
typedef struct device_symbol {
    const char *name;
    size_t offset;
    bool may_lack; /* then its address is NULL */
} device_symbol;
typedef struct device_library {
    const char *variable;     /* of the environment: its path, tried alone where it is set */
    const char *const *names; /* what is tried, up to NULL */
    const char *what;         /* "CUDA driver" */
    const char *advice;       /* what to do where there is none */
    const device_symbol *symbols;
    size_t symbol_count;
} device_library;
/* Whether a library that has all functions may be used; false with the reason. */
typedef bool device_suits(const void *table, text *why, int64_t data);
/* Loads a library for the rest of the process and fills a table with its functions. One that does
 * not suit (NULL: any does) makes room for the next name. */
bool device_library_load(const device_library *library, void *table, device_suits *suits,
                         int64_t data, text *why);

/* ---- device_box.c ---------------------------------------------------------------------------- */

/* Whether neither rows nor planes begin within the row before, and all bytes lie in `bytes` bytes.
 */
bool device_box_fits(const device_box *box, size_t bytes);
/* Brings a box into the fewest copies: one, or one per plane where planes do not begin a whole
 * number of rows apart. Each has as many bytes a row as follow one another, pitches that are no
 * smaller than what they hold, and plane pitches that are multiples of row pitches. Returns the
 * number of copies; the first is *first, and each begins `step` bytes, and `host_step`, behind the
 * one before. */
size_t device_box_parts(const device_box *box, device_box *first, size_t *step, size_t *host_step);
/* Cuts a box of such a kind at a byte of the device: into what lies before it, behind it, and
 * across. One of several planes is cut between planes, one of rows between rows. Returns how many
 * parts there are, the first with the box's beginning; host[i]: how far part i begins behind it. */
int device_box_cut(const device_box *box, size_t edge, device_box parts[3], size_t host[3]);

/* ---- device_seal.c: binaries that show whether they were spoilt ------------------------------ */

/* Puts a head before the bytes; false, with *sealed as it was, when memory is out. */
bool device_seal(const void *bytes, size_t count, device_binary *sealed);
/* The bytes without the head, which stay in the sealed binary; false: it is spoilt. */
bool device_unseal(const device_binary *sealed, device_binary *bytes);

/* ---- cuda.c, opencl.c ------------------------------------------------------------------------ */

extern const device_calls device_cuda, device_opencl;

#endif
