/* Kernels of devices in the cache folder: KEY.bin holds the hash of what follows it. */
#include "jit/jit_private.h"

#include <stdlib.h>
#include <string.h>

enum { HASH = 32, MOST = 64 << 20 };

static void name_of(const char *key, char name[64]) { snprintf(name, 64, "%.32s.bin", key); }

static bool read_in(const jit_folder *folder, const char *name, char **bytes, size_t *count)
{
    char *data, sum[HASH + 1] = "";
    size_t size;
    if (!folder->path.length || jit_folder_read(folder, name, MOST, &data, &size)) return false;
    bool good = size > HASH;
    if (good) hash_hex(data + HASH, size - HASH, sum);
    good = good && !memcmp(sum, data, HASH);
    if (good) {
        *count = size - HASH;
        memmove(data, data + HASH, *count);
        *bytes = data;
    } else {
        free(data);
    }
    return good;
}

bool jit_binary_read(const jit *j, const char *key, char **bytes, size_t *count)
{
    char name[64];
    name_of(key, name);
    return read_in(&j->cache, name, bytes, count) ||
           read_in(&j->read_only_cache, name, bytes, count);
}

void jit_binary_unkept(jit *j, messages *m)
{
    pthread_mutex_lock(&j->lock);
    if (j->cache.path.length && !j->complaint.length)
        text_add(&j->complaint, "'%s' cannot be used: it is full, or takes no files",
                 j->cache.path.data);
    const bool due = j->complaint.length && !j->complained;
    j->complained = j->complained || due;
    pthread_mutex_unlock(&j->lock);
    if (due)
        message_warn(m,
                     "kernels of devices are compiled anew at each start; set KATA_CACHE_DIR to a "
                     "folder of your own",
                     "the cache folder %s", j->complaint.data);
}

bool jit_binary_write(const jit *j, const char *key, const char *bytes, size_t count)
{
    char name[64], sum[HASH + 1];
    name_of(key, name);
    hash_hex(bytes, count, sum);
    const file_part parts[] = {{sum, HASH}, {bytes, count}};
    return j->cache.path.length && jit_folder_write(&j->cache, name, parts, 2) == 0;
}

int jit_binary_turn(const jit *j, const char *key, const _Atomic bool *stop)
{
    return j->cache.path.length ? jit_turn_take(&j->cache, key, stop) : -1;
}
