/* From the text of a value to the value, by kind. */
#include "common/common.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_bounds(const option *e) { return e->low != 0 || e->high != 0; }

/* The values that an option takes: "a whole number from 1 to 9", "clamp or periodic". */
static void expected(const option *e, char *words, size_t size)
{
    if (e->kind == OPTION_CHOICE) {
        size_t used = 0;
        for (int i = 0; e->choices[i] && used < size; i++) {
            const char *joint = i == 0 ? "" : e->choices[i + 1] ? ", " : " or ";
            used += (size_t)snprintf(words + used, size - used, "%s%s", joint, e->choices[i]);
        }
    } else if (e->kind == OPTION_BYTES) {
        snprintf(words, size, "bytes from 4k on, such as 500M or 8G");
    } else if (e->kind == OPTION_TEXT) {
        snprintf(words, size, "a text");
    } else {
        char bounds[128];
        option_bounds_words(e, bounds, sizeof bounds);
        snprintf(words, size, "a %snumber%s", e->kind == OPTION_INTEGER ? "whole " : "",
                 bounds + (*bounds == ','));
    }
}

static bool refuse(const options *o, const option *e, const char *value)
{
    char words[256];
    expected(e, words, sizeof words);
    options_wrong(o, "--%s takes %s, not '%s'", e->name, words, value);
    return false;
}

bool option_missing(const options *o, const option *e)
{
    char words[256];
    expected(e, words, sizeof words);
    options_wrong(o, "--%s needs a value: %s", e->name, words);
    return false;
}

static bool store_text(const options *o, const option *e, const char **to, const char *value)
{
    char words[256];
    *to = value;
    if (*value) return true;
    option_value_words(e, words, sizeof words);
    options_wrong(o, "--%s needs a value, %s; '' is none", e->name, words);
    return false;
}

static bool within(const option *e, double value)
{
    return !has_bounds(e) || (value >= e->low && value <= e->high);
}

/* A number such as 1e6, if it is whole. */
static bool read_power(const char *value, long long *number)
{
    static const double MOST = 1e15; /* a double holds all whole numbers up to it */
    char *end;
    double x = strtod(value, &end);
    bool good = value[strspn(value, "0123456789.eE+-")] == '\0' && end > value && !*end &&
                x >= -MOST && x <= MOST && floor(x) == x;
    if (good) *number = (long long)x;
    return good;
}

static bool store_integer(const option *e, int64_t *to, const char *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    bool good = !errno && end > value && !*end;
    if (!good && !read_power(value, &number)) return false;
    if (!within(e, (double)number)) return false;
    *to = number;
    return true;
}

/* From 4k to the pebibyte that the library takes. */
static bool store_bytes(option_bytes *to, const char *value)
{
    static const char units[] = "kMG";
    static const int64_t LEAST = 1 << 12, MOST = INT64_C(1) << 50;
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    const char letter = *end == 'K' ? 'k' : *end;
    const char *unit = end > value && letter ? strchr(units, letter) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (errno || end == value || end[unit != NULL] || number < 1 || number > MOST >> shift ||
        number << shift < LEAST)
        return false;
    to->bytes = number << shift;
    return true;
}

static bool store_real(const option *e, double *to, const char *value)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !isfinite(number) || !within(e, number)) return false;
    *to = number;
    return true;
}

static bool store_choice(const options *o, const option *e, int *to, const char *value)
{
    spelling s = spelling_of(value);
    for (int i = 0; e->choices[i]; i++) {
        spelling_try(&s, e->choices[i]);
        if (strcmp(value, e->choices[i]) != 0) continue;
        *to = i;
        return true;
    }
    if (!s.nearest || isdigit((unsigned char)*s.nearest)) return refuse(o, e, value);
    options_wrong(o, "--%s has no choice '%s'; did you mean %s?", e->name, value, s.nearest);
    return false;
}

bool option_store(const options *o, const option *e, void *values, const char *value)
{
    void *to = (char *)values + e->offset;
    switch (e->kind) {
    case OPTION_TEXT: return store_text(o, e, to, value);
    case OPTION_CHOICE: return store_choice(o, e, to, value);
    case OPTION_INTEGER: return store_integer(e, to, value) || refuse(o, e, value);
    case OPTION_REAL: return store_real(e, to, value) || refuse(o, e, value);
    case OPTION_BYTES: return store_bytes(to, value) || refuse(o, e, value);
    case OPTION_FLAG:
    case OPTION_LIST: break;
    }
    options_wrong(o, "--%s takes no value, not '%s'", e->name, value);
    return false;
}
