/* What the shim's driver and a compiled text know of each other. C, and C++ in front of a text that
 * includes nothing. */
#ifndef SHIM_CALLS_H
#define SHIM_CALLS_H

enum { SHIM_WARP = 32, SHIM_LOCAL = 232448 }; /* threads; bytes that a block may share: 227 KiB */

typedef struct shim_size {
    unsigned x, y, z;
} shim_size;

/* A compiled text has one, called `katagami_shim`. */
typedef struct shim_calls {
    /* set by the driver before a thread goes on: threadIdx, blockIdx, blockDim, gridDim */
    shim_size thread, block, threads, blocks;
    /* set when it is loaded; `line` is that of the text */
    void (*wait)(int line); /* for all threads of the block */
    /* Waits for the threads of its warp that are in `lanes`. Returns the value of lane `source`, or
     * a bit for each lane whose value is not 0. */
    unsigned long long (*exchange)(int line, unsigned lanes, unsigned long long value, int source);
    unsigned long long (*vote)(int line, unsigned lanes, unsigned long long value);
    /* set by the text: what is shared by the threads of a block */
    unsigned char *shared_begin, *shared_end;
    unsigned char *dynamic; /* SHIM_LOCAL bytes, whose number is given with each launch */
} shim_calls;

/* A kernel of the text, called NAME__entry. */
typedef struct shim_entry {
    void (*run)(void **arguments); /* one thread */
    const unsigned *sizes;         /* of the arguments */
    unsigned count;
    unsigned most_threads; /* of a block, by the text; 0: it does not say */
} shim_entry;

#endif
