/* What a context has to compile with: a compiler, folders, and the libraries that are loaded. */
#include "jit/jit_private.h"

#include "machine/machine.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening --------------------------------------------------------------------------------- */

static bool copy_text(arena *memory, const char *from, const char **to)
{
    *to = from ? arena_copy_text(memory, from, strlen(from)) : NULL;
    return !from == !*to;
}

/* What the environment says now: the program may change it later. */
static bool remember(jit *j, const char *compiler)
{
    j->environment = jit_environment_copy(&j->memory);
    return j->environment && copy_text(&j->memory, environment_get("TMPDIR"), &j->temporary_root) &&
           copy_text(&j->memory, compiler ? compiler : environment_get("KATA_CC"), &j->asked_for) &&
           jit_command_find(j->asked_for, &j->memory, &j->compiler);
}

kata_status jit_open(const char *compiler, const char *cache, messages *m, jit **out)
{
    jit *j = calloc(1, sizeof *j);
    if (!j) return message_no_memory(m);
    if (!remember(j, compiler)) {
        arena_free(&j->memory);
        free(j);
        return message_no_memory(m);
    }
    j->most = machine_cores();
    jit_adopt(j);
    if (!jit_folder_find(cache, &j->cache, &j->complaint))
        jit_folder_find_readable(cache, &j->read_only_cache);
    if (!cache && !environment_get("KATA_CACHE_DIR")) text_clear(&j->complaint); /* nobody asked */
    *out = j;
    return KATA_OK;
}

void jit_debug(jit *j) { j->debug = true; }

void jit_portable(jit *j, bool portable) { j->portable = portable; }

void jit_close(jit *j)
{
    if (!j) return;
    jit_adopt(j);
    jit_wait_for_threads(j);
    for (size_t i = 0; i < j->count; i++) dlclose(j->libraries[i].handle);
    if (j->temporary_owner == getpid()) jit_scratch_remove_temporary(&j->temporary);
    text_free(&j->temporary.folder.path);
    jit_folder_close(&j->cache);
    jit_folder_close(&j->read_only_cache);
    text_free(&j->description);
    text_free(&j->complaint);
    pthread_cond_destroy(&j->ended);
    pthread_mutex_destroy(&j->temporary_work);
    pthread_mutex_destroy(&j->lock);
    arena_free(&j->memory);
    free(j->exhausted);
    free(j->libraries);
    free(j);
}

/* ---- asking ---------------------------------------------------------------------------------- */

bool jit_has_compiler(const jit *j) { return j->compiler.path != NULL; }

const char *jit_compiler(jit *j)
{
    if (j->compiler.path && !j->description.length) {
        text_add(&j->description, "%s", j->compiler.path);
        for (size_t i = 0; j->compiler.arguments[i]; i++)
            text_add(&j->description, " %s", j->compiler.arguments[i]);
        text_add(&j->description, ": ");
        jit_compiler_version(&j->compiler, &(jit_process){.environment = j->environment},
                             &j->description);
    }
    return text_get(&j->description);
}

const char *jit_cache(jit *j)
{
    return text_get(j->cache.path.length ? &j->cache.path : &j->read_only_cache.path);
}

kata_status jit_require_cache(const jit *j, messages *m)
{
    if (j->cache.path.length) return KATA_OK;
    if (j->complaint.length)
        return message_fail(m, KATA_ERROR_FILE, "the cache folder %s", j->complaint.data);
    return message_fail(m, KATA_ERROR_FILE,
                        "there is no cache folder that can be used: name one in KATA_CACHE_DIR");
}

bool jit_is_temporary(jit *j)
{
    jit_adopt(j);
    pthread_mutex_lock(&j->lock);
    bool temporary = j->temporary.name[0] != '\0';
    pthread_mutex_unlock(&j->lock);
    return temporary;
}
