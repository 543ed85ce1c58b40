#include "base/base.h"

#include <stdio.h>
#include <xxhash.h>

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}

void hash_hex(const void *data, size_t size, char hex[33])
{
    XXH128_hash_t hash = XXH3_128bits(data, size);
    snprintf(hex, 33, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}
