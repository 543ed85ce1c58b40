/* Whether a test makes only a part of its runs: sanitizers make each slow, and watch the same code
 * in all. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool is_sanitized(void)
{
    const char *set = getenv("KATA_SANITIZED");
    return set && *set == '1';
}

#endif
