/* What the environment asks for in order to find an error: kata.h, "debugging". */
#include "api/api.h"

#include <string.h>

/* A switch is 1 or 0. */
static kata_status read_switch(kata *k, const char *name, bool *on)
{
    const char *value = environment_get(name);
    *on = value && !strcmp(value, "1");
    if (!value || *on || !strcmp(value, "0")) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT, "the environment variable %s is '%s', not 0 or 1", name,
                    value);
}

kata_status api_debugging(kata *k)
{
    kata_status status = read_switch(k, "KATA_EAGER", &k->eager);
    if (!status) status = read_switch(k, "KATA_POISON", &k->exec.poison);
    if (!status) status = read_switch(k, "KATA_DEBUG_LINES", &k->exec.lines);
    if (!status && k->exec.lines) jit_debug(k->exec.jit);
    return status;
}
