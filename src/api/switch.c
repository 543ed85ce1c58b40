/* Switches of the environment: variables that are 1 or 0, or without which others do nothing. */
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

void api_warn_of_unused(kata *k, const char *name, const char *needed, const char *example)
{
    text advice = {0};
    text_add(&advice, "set %s, too, as in %s=%s", needed, needed, example);
    message_warn(&k->messages, text_get(&advice),
                 "the environment variable %s has no effect without %s", name, needed);
    text_free(&advice);
}
