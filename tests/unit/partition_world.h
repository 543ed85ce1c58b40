/* Random partitions for tests, and what they say, point by point. */
#ifndef PARTITION_WORLD_H
#define PARTITION_WORLD_H

#include "grid/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* From low to high. */
static inline int partition_random(int low, int high) { return low + rand() % (high - low + 1); }

/* 1 to 3 dimensions, of 1 to `most` points. */
grid_shape partition_random_shape(int most);
/* Fails unless grid_partition_check accepts it and each point is in the box that is found. */
void partition_assert_valid(const grid_partition *p);
/* Fails unless grid_partition_neighbours finds each point around a box once, where it is. */
void partition_assert_neighbours(const grid_partition *p, const grid_box *box, const int64_t low[3],
                                 const int64_t high[3], const bool periodic[3]);
/* The same for all boxes, with random margins. */
void partition_assert_random_neighbours(const grid_partition *p);

/* partition_kinds.c: tests of partitions by levels and along the Morton curve. */
int partition_kinds(void);

#endif
