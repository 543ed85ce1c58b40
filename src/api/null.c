/* A NULL handle mostly comes from a call that failed. The context has reported that error, and a
 * second message for each call of a time loop would only hide it. But a NULL without such an error
 * must be reported. Only one thread at a time uses a context, so each thread knows whether it has
 * seen an error. */
#include "api/api.h"

#include <stdio.h>
#include <string.h>

enum { MOST_KINDS = 64 };

static _Thread_local bool explained;
static _Thread_local uint64_t reported[MOST_KINDS]; /* hashes of call and argument */
static _Thread_local size_t reported_count;

static bool is_new(const char *call, const char *what)
{
    uint64_t kind = hash_bytes(what, strlen(what), hash_bytes(call, strlen(call), 0));
    for (size_t i = 0; i < reported_count; i++)
        if (reported[i] == kind) return false;
    if (reported_count == MOST_KINDS) return false;
    reported[reported_count++] = kind;
    return true;
}

kata_status api_null(const char *call, const char *what)
{
    if (!explained && is_new(call, what)) fprintf(stderr, "error: %s: %s is NULL\n", call, what);
    return KATA_ERROR_ARGUMENT;
}

void api_note_error(const kata *k)
{
    if (k->messages.status) explained = true;
}

void api_null_unexplained(void) { explained = false; }

void api_null_restart(void)
{
    explained = false;
    reported_count = 0;
}
