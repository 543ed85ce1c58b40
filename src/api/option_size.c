/* Structures of options as programs give them, which may have been compiled with the kata.h of an
 * earlier version (members are missing at the end) or of a later one (there are more). */
#include "api/api.h"

#include <string.h>

/* No structure of options will be larger. */
enum { LARGEST = 4096 };

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

/* All of them begin with a size_t, so their sizes are multiples of it: none ends within a pointer.
 */
static bool is_possible(const api_options *kind, size_t size)
{
    return size >= kind->least && size <= LARGEST && size % sizeof size == 0;
}

void api_options_copy(const api_options *kind, const void *given, void *options)
{
    size_t size = size_of(given);
    memset(options, 0, kind->size);
    if (!is_possible(kind, size)) return;
    memcpy(options, given, size < kind->size ? size : kind->size);
    memcpy(options, &kind->size, sizeof kind->size);
}

/* Whether what lies behind the members known here is zero. */
static bool is_known(const api_options *kind, const void *given)
{
    const unsigned char *bytes = given;
    for (size_t i = kind->size, size = size_of(given); i < size; i++)
        if (bytes[i]) return false;
    return true;
}

/* Whether an option was given by its position in the structure. */
static bool has_unnamed(const api_options *kind, const void *options)
{
    static const void *const nothing;
    return kind->unnamed &&
           memcmp((const char *)options + kind->unnamed, &nothing, sizeof nothing) != 0;
}

static kata_status refuse(kata *k)
{
    message_send(&k->messages);
    api_note_error(k);
    return k->messages.status;
}

static kata_status wrong_size(kata *k, const api_options *kind, size_t size)
{
    message_begin(&k->messages, KATA_ERROR_ARGUMENT, "%s: the size in %s is %zu", kind->call,
                  kind->type, size);
    message_line(&k->messages, "it is the first member; set it: .size = sizeof(%s)", kind->type);
    if (size) message_line(&k->messages, "name each option: %s", kind->example);
    return refuse(k);
}

static kata_status unknown_members(kata *k, const api_options *kind, size_t size)
{
    message_begin(&k->messages, KATA_ERROR_ARGUMENT,
                  "%s: the program sets options that version %s of Katagami does not have",
                  kind->call, kata_version());
    message_line(&k->messages, "%s has %zu bytes in the program, and %zu in the library",
                 kind->type, size, kind->size);
    message_line(&k->messages, "run the program with the version that it was compiled with");
    return refuse(k);
}

static kata_status unnamed_option(kata *k, const api_options *kind)
{
    message_begin(&k->messages, KATA_ERROR_ARGUMENT, "%s: an option is given without its name",
                  kind->call);
    message_line(&k->messages, "name each option: %s", kind->example);
    return refuse(k);
}

kata_status api_options_check(kata *k, const api_options *kind, const void *given)
{
    size_t size = size_of(given);
    if (k->messages.status) return k->messages.status;
    if (!is_possible(kind, size)) return wrong_size(k, kind, size);
    if (!is_known(kind, given)) return unknown_members(k, kind, size);
    return has_unnamed(kind, given) ? unnamed_option(k, kind) : KATA_OK;
}

kata_status api_options_read(kata *k, const api_options *kind, const void *given, void *options)
{
    api_options_copy(kind, given, options);
    return api_options_check(k, kind, given);
}
