/* Names of fields and scalars. */
#include "api/api.h"

#include <ctype.h>
#include <string.h>

const char *api_name(kata *k, const char *call, const char *name)
{
    enum { LONGEST = 64 };
    size_t length = name ? strnlen(name, LONGEST + 1) : 0;
    bool good = length > 0 && length <= LONGEST && !isdigit((unsigned char)name[0]);
    for (size_t i = 0; i < length && good; i++)
        good = isalnum((unsigned char)name[i]) || name[i] == '_';
    if (!good) {
        api_fail(k, KATA_ERROR_ARGUMENT,
                 "%s: the name is %s%.*s%s; it must be a C identifier of at most %d letters", call,
                 name ? "'" : "", name ? LONGEST : 4, name ? name : "NULL", name ? "'" : "",
                 LONGEST);
        return NULL;
    }
    const char *copy = arena_copy_text(&k->memory, name, length);
    if (!copy) api_no_memory(k);
    return copy;
}

kata_status api_set_units(kata_field *field, const char *call, const char *units)
{
    enum { LONGEST = 64 };
    if (!units) return KATA_OK;
    size_t length = strnlen(units, LONGEST + 1);
    bool good = length > 0 && length <= LONGEST;
    for (size_t i = 0; i < length && good; i++) good = (unsigned char)units[i] >= ' ';
    if (!good)
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: the units of '%s' are '%.64s'; they are 1 to %d letters in one line",
                        call, field->name, units, LONGEST);
    field->units = arena_copy_text(&field->k->memory, units, length);
    return field->units ? KATA_OK : api_no_memory(field->k);
}
