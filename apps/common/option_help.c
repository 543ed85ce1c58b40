#include "common/common.h"

#include <stdio.h>
#include <string.h>

enum { COLUMN = 26 }; /* where explanations start */

static void print_usage(const options *o)
{
    bool any = false;
    for (const option *e = o->table; e < o->table + o->count; e++) any |= !e->positional;
    printf("usage: %s%s", o->program, any ? " [options]" : "");
    for (const option *e = o->table; e < o->table + o->count; e++)
        if (e->positional) printf(e->list ? " %s..." : " [%s]", e->name);
    printf("\n\n");
}

/* What stands for the value: "N", "2|3", "FILE". */
static void print_value(const option *e, char *words, size_t size)
{
    size_t used = 0;
    *words = 0;
    if (e->placeholder || !e->choice) {
        const char *name = e->integer ? "N" : e->real ? "X" : "TEXT";
        snprintf(words, size, "%s", e->placeholder ? e->placeholder : name);
        return;
    }
    for (int i = 0; e->choices[i] && used < size; i++)
        used += (size_t)snprintf(words + used, size - used, "%s%s", i ? "|" : "", e->choices[i]);
}

static void print_default(const option *e)
{
    if (e->otherwise)
        printf(" (default: %s)", e->otherwise);
    else if (e->integer)
        printf(" (default: %lld)", (long long)*e->integer);
    else if (e->real)
        printf(" (default: %g)", *e->real);
    else if (e->text && *e->text)
        printf(" (default: %s)", *e->text);
    else if (e->choice)
        printf(" (default: %s)", e->choices[*e->choice]);
}

static void print_bounds(const option *e)
{
    if ((e->integer || e->real) && (e->low != 0 || e->high != 0))
        printf(", from %.15g to %.15g", e->low, e->high);
}

static void print_option(const option *e)
{
    char left[256], value[192];
    print_value(e, value, sizeof value);
    if (e->positional)
        snprintf(left, sizeof left, "  %s", e->name);
    else
        snprintf(left, sizeof left, "  --%s%s%s", e->name, e->flag ? "" : " ",
                 e->flag ? "" : value);
    if (strlen(left) < COLUMN)
        printf("%-*s", COLUMN, left);
    else
        printf("%s\n%*s", left, COLUMN, "");
    printf("%s", e->help);
    print_bounds(e);
    print_default(e);
    printf("\n");
}

void option_print_help(const options *o)
{
    printf("%s\n", o->summary);
    print_usage(o);
    for (const option *e = o->table; e < o->table + o->count; e++) print_option(e);
    printf("  %-*s%s\n", COLUMN - 2, "--help", "shows this");
}
