#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

bool parse_bytes(const char *text, int64_t low, int64_t high, int64_t *value)
{
    static const char units[] = "kMG";
    char *end;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    const char letter = *end == 'K' ? 'k' : *end;
    const char *unit = letter && end > text ? strchr(units, letter) : NULL;
    int shift = unit ? 10 * (int)(1 + unit - units) : 0;
    if (end == text || errno || end[unit != NULL] || x < 1 || x > high >> shift) return false;
    *value = (int64_t)x << shift;
    return *value >= low;
}
