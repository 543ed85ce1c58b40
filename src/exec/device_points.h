/* Shared by the files of devices that know of loops over points between those of a grid. */
#ifndef EXEC_DEVICE_POINTS_H
#define EXEC_DEVICE_POINTS_H

#include "exec/on_device.h"

/* What the device has of some points; see device_sparse.c. */
enum { DEVICE_POINT_TABLES = 6 };
struct device_points {
    const grid_sparse *of;
    device_memory *table[DEVICE_POINT_TABLES];
    int64_t used; /* when: as `used` of copies */
    struct device_points *next;
};

/* ---- device_limit.c -------------------------------------------------------------------------- */

/* Frees those that the loop that runs does not use, or all, after work on them. */
void device_points_release(struct exec_device *d, bool all);
void device_points_free(struct exec_device *d, struct device_points *p);

/* ---- device_sparse.c: loops over points between those of a grid ------------------------------ */

/* Points of some loops, each once, and the bytes that they take on a device. */
typedef struct device_points_list {
    const grid_sparse **of; /* to be freed */
    size_t count, room;
    int64_t bytes;
} device_points_list;
/* Adds those of a loop, if it has some; false when memory is out. */
bool device_points_add(device_points_list *list, const chain_loop *loop);
/* Bytes of what waits of a loop that sums; 0: it does not. And at most of the products of a plane,
 * or else of a row. */
int64_t device_sums_bytes(const chain_loop *loop);
int64_t device_plane_products(const grid_sparse *s, bool plane);
/* The kernel of such a loop, or the one that adds products. */
void device_begin_sparse(const device_loop *l, bool sums, device_making *out);
/* Runs such a loop, whose fields are there. */
kata_status device_run_sparse(const device_loop *l);

/* ---- device_sums.c --------------------------------------------------------------------------- */

/* The targets, numbered from `first` on, among which are those of a loop's box. */
int64_t device_targets_near(const chain_loop *loop, int64_t *first);
/* Sets what a loop has summed, which was fetched. */
kata_status device_set_sums(const device_loop *l, const device_waiting *w);

#endif
