/* Libraries of drivers. They are never unloaded: their threads may still run. */
#include "device/device_private.h"

#include <dlfcn.h>
#include <string.h>

/* Fills the table; false, with what is missing, where the library lacks a function. */
static bool find_symbols(const device_library *library, void *handle, void *table, text *why)
{
    for (size_t i = 0; i < library->symbol_count; i++) {
        const device_symbol *symbol = &library->symbols[i];
        void *address = dlsym(handle, symbol->name);
        if (!address) {
            text_add(why, "it has no %s", symbol->name);
            return false;
        }
        memcpy((char *)table + symbol->offset, &address, sizeof address);
    }
    return true;
}

static bool try_name(const device_library *library, const char *name, void *table,
                     bool (*suits)(const void *table, text *why, int64_t data), int64_t data,
                     text *why)
{
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        text_add(why, "%s", dlerror());
        return false;
    }
    if (find_symbols(library, handle, table, why) && (!suits || suits(table, why, data)))
        return true;
    dlclose(handle);
    return false;
}

/* Whether dlopen found a file of this name, so that its reason is worth telling. */
static bool was_found(const text *reason)
{
    return !strstr(text_get(reason), "cannot open shared object file: No such file");
}

static bool try_named(const device_library *library, const char *path, void *table,
                      bool (*suits)(const void *table, text *why, int64_t data), int64_t data,
                      text *why)
{
    text reason = {0};
    bool loaded = try_name(library, path, table, suits, data, &reason);
    if (!loaded)
        text_add(why, "%s names %s, which cannot be used: %s", library->variable, path,
                 text_get(&reason));
    text_free(&reason);
    return loaded;
}

bool device_library_load(const device_library *library, void *table,
                         bool (*suits)(const void *table, text *why, int64_t data), int64_t data,
                         text *why)
{
    const char *named = library->variable ? environment_get(library->variable) : NULL;
    if (named) return try_named(library, named, table, suits, data, why);
    text reason = {0}, found = {0};
    for (const char *const *name = library->names; *name; name++) {
        text_clear(&reason);
        bool loaded = try_name(library, *name, table, suits, data, &reason);
        if (!loaded && was_found(&reason))
            text_add(&found, "%s%s: %s", found.length ? "; " : "", *name, text_get(&reason));
        if (!loaded) continue;
        text_free(&reason);
        text_free(&found);
        return true;
    }
    if (found.length)
        text_add(why, "the %s cannot be used: %s; %s", library->what, text_get(&found),
                 library->advice);
    else
        text_add(why, "there is no %s: %s was not found; %s", library->what, library->names[0],
                 library->advice);
    text_free(&reason);
    text_free(&found);
    return false;
}
