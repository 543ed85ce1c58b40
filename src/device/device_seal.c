/* A binary begins with a head: words, and the hash of what follows. Drivers may crash on bytes that
 * they did not make, so that these never see any. */
#include "device/device_private.h"

#include <stdlib.h>
#include <string.h>

static const char words[] = "katagami device 1 ";
enum { WORDS = sizeof words - 1, HEAD = 64 }; /* so that what follows is aligned */

bool device_seal(const void *bytes, size_t count, device_binary *sealed)
{
    char hex[33], *all = count > SIZE_MAX - HEAD ? NULL : malloc(HEAD + count);
    if (!all) return false;
    hash_hex(bytes, count, hex);
    memset(all, ' ', HEAD);
    memcpy(all, words, WORDS);
    memcpy(all + WORDS, hex, 32);
    all[HEAD - 1] = '\n';
    memcpy(all + HEAD, bytes, count);
    *sealed = (device_binary){all, HEAD + count};
    return true;
}

bool device_unseal(const device_binary *sealed, device_binary *bytes)
{
    char hex[33];
    if (sealed->count < HEAD || memcmp(sealed->bytes, words, WORDS) != 0) return false;
    *bytes = (device_binary){sealed->bytes + HEAD, sealed->count - HEAD};
    hash_hex(bytes->bytes, bytes->count, hex);
    return memcmp(sealed->bytes + WORDS, hex, 32) == 0;
}
