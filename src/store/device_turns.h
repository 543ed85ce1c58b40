/* Memory in which planes take turns: what its file and the rings in it share. */
#ifndef STORE_DEVICE_TURNS_H
#define STORE_DEVICE_TURNS_H

#include "store/store.h"

enum { STORE_LEFT = HOSTILE(64, 3) }; /* events that are kept */

#define STORE_NOWHERE INT64_MIN

/* When work, or moves out, have left all below some bytes: `count` times, the oldest first. */
typedef struct store_left {
    int64_t below[STORE_LEFT];
    device_event *event[STORE_LEFT];
    int first, count;
} store_left;

struct store_turns {
    device *device;
    device_memory *memory;
    int64_t turn; /* bytes, of each array */
    int arrays;
    int64_t given;       /* bytes that planes have taken so far */
    store_left left[2];  /* by work; by moves out */
    const void *field;   /* of the planes there, of which plane 0 begins at byte `zero`; or NULL */
    int64_t zero, plane; /* bytes of a plane */
};

/* NULL when memory is out. */
store_turns *store_turns_new(device *d, size_t turn, int arrays);
/* Says that what is queued so far leaves all below a byte, of those that were given: as work, or as
 * moves `out`. */
bool store_turns_leave(store_turns *t, bool out, int64_t below);
/* What is queued in `queue` from now on waits until work, or moves `out`, have left all below a
 * byte. False where nobody has said that they do. */
bool store_turns_await(const store_turns *t, int queue, bool out, int64_t below);

#endif
