#include "base/base.h"

#include <errno.h>
#include <stdlib.h>

const char *environment_get(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

bool parse_integer(const char *text, int64_t low, int64_t high, int64_t *value)
{
    char *end;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    if (end == text || *end || errno || x < low || x > high) return false;
    *value = x;
    return true;
}
