/* Allocations that can be made to fail, which replace the functions of the C library. */
#ifndef ALLOCATION_FAIL_H
#define ALLOCATION_FAIL_H

#include <stdbool.h>
#include <stdint.h>

/* Lets the n-th allocation from now on fail, once; 0: none. Returns whether that of the call before
 * has failed. */
bool allocation_fail_at(int64_t n);
/* The function that failed last. */
const char *allocation_failed(void);

#endif
