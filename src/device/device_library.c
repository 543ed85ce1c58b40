/* Libraries of drivers. They are never unloaded, even those that are not used: their threads may
 * still run, and some do not free their memory. */
#include "device/device_private.h"

#include <dlfcn.h>
#include <string.h>

/* Fills the table; false, with what is missing, where the library lacks a function. */
static bool find_symbols(const device_library *library, const char *name, void *handle, void *table,
                         text *why)
{
    for (size_t i = 0; i < library->symbol_count; i++) {
        const device_symbol *symbol = &library->symbols[i];
        void *address = dlsym(handle, symbol->name);
        if (!address && !symbol->may_lack) {
            text_add(why, "%s: it has no %s", name, symbol->name);
            return false;
        }
        memcpy((char *)table + symbol->offset, &address, sizeof address);
    }
    return true;
}

/* Adds to `why` "name: reason" where it cannot be used. */
static bool try_name(const device_library *library, const char *name, void *table,
                     device_suits *suits, int64_t data, text *why)
{
    text reason = {0};
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        text_add(why, "%s", dlerror());
        return false;
    }
    bool good = find_symbols(library, name, handle, table, why);
    if (good && suits && !suits(table, &reason, data)) {
        text_add(why, "%s: %s", name, text_get(&reason));
        good = false;
    }
    text_free(&reason);
    return good;
}

/* Whether there was a file of the name, so that the reason is worth telling. */
static bool was_found(const text *reason)
{
    return !strstr(text_get(reason), "cannot open shared object file: No such file");
}

/* Tries the names in turn; adds why those that there are cannot be used. */
static bool try_names(const device_library *library, void *table, device_suits *suits, int64_t data,
                      text *found)
{
    text reason = {0};
    bool loaded = false;
    for (const char *const *name = library->names; !loaded && *name; name++) {
        text_clear(&reason);
        loaded = try_name(library, *name, table, suits, data, &reason);
        if (!loaded && was_found(&reason))
            text_add(found, "%s%s", found->length ? "; " : "", text_get(&reason));
    }
    text_free(&reason);
    return loaded;
}

bool device_library_load(const device_library *library, void *table, device_suits *suits,
                         int64_t data, text *why)
{
    const char *named = library->variable ? environment_get(library->variable) : NULL;
    text found = {0};
    bool loaded = named ? try_name(library, named, table, suits, data, &found)
                        : try_names(library, table, suits, data, &found);
    if (!loaded && named)
        text_add(why, "%s names no %s that can be used: %s", library->variable, library->what,
                 text_get(&found));
    else if (!loaded && found.length)
        text_add(why, "the %s cannot be used: %s; %s", library->what, text_get(&found),
                 library->advice);
    else if (!loaded)
        text_add(why, "there is no %s: %s was not found; %s", library->what, library->names[0],
                 library->advice);
    text_free(&found);
    return loaded;
}
