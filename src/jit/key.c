/* Keys: hashes of all that a compiled text depends on. */
#include "jit/jit_private.h"

#ifndef KATA_VERSION
#define KATA_VERSION "unknown"
#endif

bool jit_key(const jit *j, const char *kind, const char hex[33], bool any_compiler, jit_flags flags,
             char key[33])
{
    text all = {0};
    text_add(&all, "katagami %s\n%s%s\n", KATA_VERSION, kind, hex);
    jit_compiler_key(&all, any_compiler ? NULL : &j->compiler, flags);
    if (!all.failed) hash_hex(all.data, all.length, key);
    bool made = !all.failed;
    text_free(&all);
    return made;
}
