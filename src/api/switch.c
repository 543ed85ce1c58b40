/* Switches of the environment: variables that are 1 or 0. */
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
