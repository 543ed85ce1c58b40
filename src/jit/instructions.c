/* Whether this processor has the instructions that a library was compiled for. A compiler that was
 * named with arguments may make code for another one, and a machine without a compiler may find
 * that code in the cache. */
#include "abi/abi.h"
#include "jit/jit_private.h"

#include <dlfcn.h>

#if defined(__x86_64__)
static const char *lacking(int32_t needs)
{
    if (needs & ~(ABI_AVX | ABI_AVX2 | ABI_FMA | ABI_AVX512)) return "of a kind unknown here";
    if (needs & ABI_AVX512 && !__builtin_cpu_supports("avx512f")) return "AVX-512";
    if (needs & ABI_AVX2 && !__builtin_cpu_supports("avx2")) return "AVX2";
    if (needs & ABI_FMA && !__builtin_cpu_supports("fma")) return "FMA";
    if (needs & ABI_AVX && !__builtin_cpu_supports("avx")) return "AVX";
    return NULL;
}
#else
static const char *lacking(int32_t needs) { return needs ? "of x86-64" : NULL; }
#endif

const char *jit_lacking(void *library)
{
    const int32_t *needs = dlsym(library, "abi_needs");
    return needs ? lacking(*needs) : NULL;
}
