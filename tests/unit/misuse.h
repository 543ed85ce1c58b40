/* What the tests of misuses share. Each misuse is a function that commits it and returns the
 * status. */
#ifndef TESTS_MISUSE_H
#define TESTS_MISUSE_H

#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v;
    char message[4096];
    int messages;
} world;

/* One of the tests; its message is that of tests/misuse/NAME.txt. The last has no name. */
typedef struct misuse {
    const char *name;
    kata_status (*commit)(world *w);
    kata_status status;
} misuse;

extern const misuse misuse_points[], misuse_arguments[], misuse_data[];

#define CASE(name, status)                                                                         \
    {                                                                                              \
#name, name, KATA_ERROR_##status                                                           \
    }

/* A kernel as if applied at main.c:17. */
static inline const kata_kernel *find(world *w, const char *name)
{
    return kata_here(kata_kernel_find(w->m, name), "main.c", 17);
}

static inline kata_arg field(kata_field *f) { return kata_arg_field(f, 0); }
static inline kata_arg number(double x) { return kata_arg_floating(x, 0); }
static inline kata_arg whole(int64_t x) { return kata_arg_integer(x, 0); }

#define APPLY(w, name, range, ...)                                                                 \
    kata_apply_args(find(w, name), (kata_range[1]){range},                                         \
                    (int)(sizeof((kata_arg[]){__VA_ARGS__}) / sizeof(kata_arg)),                   \
                    (kata_arg[]){__VA_ARGS__})

static inline kata_status heat(world *w, kata_range range)
{
    return APPLY(w, "heat", range, field(w->u), field(w->v), number(0.1));
}

#endif
