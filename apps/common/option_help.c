/* The help of a command, and its parts, which the manual page has as well. */
#include "common/common.h"

#include <stdio.h>
#include <string.h>

enum { COLUMN = 26, LINE = 512 }; /* where explanations start */

void option_usage_words(const options *o, char *words, size_t size)
{
    bool any = false;
    for (const option *e = o->table; e < o->table + o->count; e++) any |= !e->positional;
    int used = snprintf(words, size, "%s%s", o->program, any ? " [options]" : "");
    for (const option *e = o->table; e < o->table + o->count && (size_t)used < size; e++)
        if (e->positional)
            used += snprintf(words + used, size - (size_t)used,
                             e->kind == OPTION_LIST ? " %s..." : " [%s]", e->name);
}

void option_value_words(const option *e, char *words, size_t size)
{
    size_t used = 0;
    *words = 0;
    if (e->placeholder || e->kind != OPTION_CHOICE) {
        const char *name = e->kind == OPTION_INTEGER ? "N" : e->kind == OPTION_REAL ? "X" : "TEXT";
        snprintf(words, size, "%s", e->placeholder ? e->placeholder : name);
        return;
    }
    for (int i = 0; e->choices[i] && used < size; i++)
        used += (size_t)snprintf(words + used, size - used, "%s%s", i ? "|" : "", e->choices[i]);
}

void option_default_words(const options *o, const option *e, char *words, size_t size)
{
    const void *value = (const char *)o->defaults + e->offset;
    *words = 0;
    if (e->otherwise)
        snprintf(words, size, "%s", e->otherwise);
    else if (e->kind == OPTION_INTEGER)
        snprintf(words, size, "%lld", (long long)*(const int64_t *)value);
    else if (e->kind == OPTION_REAL)
        snprintf(words, size, "%g", *(const double *)value);
    else if (e->kind == OPTION_TEXT && *(const char *const *)value)
        snprintf(words, size, "%s", *(const char *const *)value);
    else if (e->kind == OPTION_CHOICE)
        snprintf(words, size, "%s", e->choices[*(const int *)value]);
}

void option_bounds_words(const option *e, char *words, size_t size)
{
    bool whole = e->kind == OPTION_INTEGER, number = whole || e->kind == OPTION_REAL;
    *words = 0;
    if (number && (e->low != 0 || e->high != 0))
        snprintf(words, size, whole ? ", from %.0f to %.0f" : ", from %.15g to %.15g", e->low,
                 e->high);
}

static void print_option(const options *o, const option *e)
{
    char left[LINE], words[LINE];
    option_value_words(e, words, sizeof words);
    bool valued = e->kind != OPTION_FLAG;
    if (e->positional)
        snprintf(left, sizeof left, "  %s", e->name);
    else
        snprintf(left, sizeof left, "  --%s%s%.400s", e->name, valued ? " " : "",
                 valued ? words : "");
    if (strlen(left) < COLUMN)
        printf("%-*s%s", COLUMN, left, e->help);
    else
        printf("%s\n%*s%s", left, COLUMN, "", e->help);
    option_bounds_words(e, words, sizeof words);
    printf("%s", words);
    option_default_words(o, e, words, sizeof words);
    if (*words) printf(" (default: %s)", words);
    printf("\n");
}

void option_print_help(const options *o)
{
    char usage[LINE];
    option_usage_words(o, usage, sizeof usage);
    printf("%s\nusage: %s\n\n", o->summary, usage);
    for (const option *e = o->table; e < o->table + o->count; e++) print_option(o, e);
    printf("  %-*s%s\n", COLUMN - 2, "--help", "shows this");
}
