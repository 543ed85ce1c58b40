/* Switches of the environment: variables that are 1 or 0, or without which others do nothing; and
 * all names, so that a misspelt one shows. */
#include "api/api.h"

#include <string.h>

kata_status api_read_switch(kata *k, const char *name, bool *on)
{
    const char *value = environment_get(name);
    *on = value && !strcmp(value, "1");
    if (!value || *on || !strcmp(value, "0")) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT, "the environment variable %s is '%s', not 0 or 1", name,
                    value);
}

/* Behind KATA_: of all variables that the library reads. */
static const char *const names[] = {"BEHIND",        "CACHE_DIR",   "CC",           "CHECK",
                                    "CUDA",          "DEBUG_LINES", "DEVICE",       "EAGER",
                                    "DEVICE_MEMORY", "DEVICE_MPI",  "DEVICE_SHAPE", "EXECUTOR",
                                    "EXPLAIN",       "L2",          "LARGER",       "EXPLAIN_FILE",
                                    "EXPLAIN_QUICK", "MACHINE",     "MEMORY",       "MPI",
                                    "NETWORK",       "NVRTC",       "PLAN",         "POISON",
                                    "PROVE",         "RANKS",       "RECORD",       "RANKS_NOTE",
                                    "READ_HDF5",     "RECORD_FULL", "SPILL",        "SPILL_RATE",
                                    "SUMMARY",       "THREADS",     "TIMELINE",     "TIMELINE_MOST",
                                    "TRACE",         "TRACE_FILE",  "TUNE",         "WAIT",
                                    "WARNINGS",      "WISDOM",      "WITHOUT"};

/* Warns of a variable that is none of these, and nearly one. Others may be of the program. */
static void check_name(kata *k, const char *variable)
{
    char name[64];
    size_t length = strcspn(variable, "=");
    if (length >= sizeof name) return;
    memcpy(name, variable, length);
    name[length] = '\0';
    const char *meant = nearest_name(name, names, COUNT_OF(names));
    if (!meant || !strcmp(meant, name)) return;
    text advice = {0};
    text_add(&advice, "did you mean KATA_%s?", meant);
    message_warn(&k->messages, text_get(&advice), "the environment variable KATA_%s has no effect",
                 name);
    text_free(&advice);
}

void api_warn_of_misspelt(kata *k)
{
    extern char **environ;
    static const char prefix[] = "KATA_";
    for (char **v = environ; v && *v; v++)
        if (!strncmp(*v, prefix, strlen(prefix))) check_name(k, *v + strlen(prefix));
}

void api_warn_of_unused(kata *k, const char *name, const char *needed, const char *example)
{
    text advice = {0};
    text_add(&advice, "set %s, too, as in %s=%s", needed, needed, example);
    message_warn(&k->messages, text_get(&advice),
                 "the environment variable %s has no effect without %s", name, needed);
    text_free(&advice);
}
