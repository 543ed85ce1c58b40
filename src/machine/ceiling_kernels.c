/* The loops that measure ceilings, once per vector extension. The last, of 16 bytes, needs no
 * extension. */
#include "machine/ceiling.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define NAME(x) avx512_##x
#define TARGET __attribute__((target("avx512f")))
#define BYTES 64
#define STREAM(at, value) _mm512_stream_pd(at, (__m512d)(value))
#define FMA64(a, b, c) ((avx512_wide)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define FMA32(a, b, c) ((avx512_narrow)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#include "machine/ceiling_loops.h"

#define NAME(x) avx2_##x
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#define STREAM(at, value) _mm256_stream_pd(at, (__m256d)(value))
#define FMA64(a, b, c) ((avx2_wide)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define FMA32(a, b, c) ((avx2_narrow)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#include "machine/ceiling_loops.h"

#define STREAM(at, value) _mm_stream_pd(at, (__m128d)(value))

#endif

#define NAME(x) plain_##x
#define TARGET
#define BYTES 16
#define FMA64(a, b, c) ((a) * (b) + (c))
#define FMA32(a, b, c) ((a) * (b) + (c))
#include "machine/ceiling_loops.h"

int ceiling_kernels_find(const ceiling_kernels *found[CEILING_SETS])
{
    int count = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) found[count++] = &avx512_kernels;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        found[count++] = &avx2_kernels;
#endif
    found[count++] = &plain_kernels;
    return count;
}

/* Additions, each of which needs the one before. An addition of two registers takes one cycle on
 * every processor with an instruction here. */
int64_t ceiling_count_cycles(int64_t rounds)
{
    int64_t x = 1, y = 1, cycles = 0;
    (void)rounds;
#if defined(__x86_64__)
#define ADD "add %1, %0\n\t"
#elif defined(__aarch64__)
#define ADD "add %0, %0, %1\n\t"
#endif
#if defined(ADD)
    for (int64_t r = 0; r < rounds; r++)
        __asm__ volatile(ADD ADD ADD ADD ADD ADD ADD ADD : "+r"(x) : "r"(y));
    cycles = 8 * rounds;
#endif
    return x && y ? cycles : 0;
}
