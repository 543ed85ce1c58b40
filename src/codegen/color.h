/* Colours of points: which lanes of a vector have the colour of a loop, and how only these are
 * written. Generated code contains this text where it has coloured loops. Sets of lanes are bits,
 * lane 0 the lowest. */

/* Whether the thread sanitizer watches: it takes for races what lanes without the colour read. */
#if defined(__SANITIZE_THREAD__)
#define KATA_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KATA_WATCHED 1
#endif
#endif
#ifndef KATA_WATCHED
#define KATA_WATCHED 0
#endif

/* How many points lie between a point and the next of the colour. `sum`: ix + iy + iz. */
KATA_INLINED int64_t kata_color_ahead(int64_t sum, int64_t colors, int64_t color)
{
    if (colors == 2) return (color - sum) & 1;
    const int64_t ahead = (color - sum) % colors;
    return ahead < 0 ? ahead + colors : ahead;
}

/* Every lane whose number is a multiple of `colors`. */
KATA_INLINED uint64_t kata_color_lanes(int64_t lanes, int64_t colors)
{
    uint64_t every = 0;
    for (int64_t lane = 0; lane < lanes; lane += colors) every |= (uint64_t)1 << lane;
    return every;
}

/* How far the colour is ahead after `step` more points, fewer than the colours. */
KATA_INLINED int64_t kata_color_after(int64_t ahead, int64_t step, int64_t colors)
{
    return ahead - step + (ahead < step ? colors : 0);
}

/* The lanes of points from `start` on, in a vector at `at`, which is less than its lanes away. */
KATA_INLINED uint64_t kata_color_moved(uint64_t colored, int64_t start, int64_t at)
{
    return at < start ? colored << (start - at) : colored >> (at - start);
}

/* Writes some elements of a vector one by one: where it can, the half that has one of two colours,
 * otherwise with a condition for each. */
#define KATA_PUT_SOME(T)                                                                           \
    KATA_INLINED void kata_put_some_##T(T *to, const T *from, int64_t lanes, uint64_t colored)     \
    {                                                                                              \
        const uint64_t even = 0x5555555555555555u & (((uint64_t)1 << lanes) - 1);                  \
        if (colored == even)                                                                       \
            for (int64_t lane = 0; lane < lanes; lane += 2) to[lane] = from[lane];                 \
        else if (colored == even << 1)                                                             \
            for (int64_t lane = 1; lane < lanes; lane += 2) to[lane] = from[lane];                 \
        else                                                                                       \
            for (; colored; colored &= colored - 1) {                                              \
                const int lane = __builtin_ctzll(colored);                                         \
                to[lane] = from[lane];                                                             \
            }                                                                                      \
    }
typedef uint8_t kata_u8 __attribute__((may_alias));
typedef uint16_t kata_u16 __attribute__((may_alias));
typedef int32_t kata_i32 __attribute__((may_alias));
typedef int64_t kata_i64 __attribute__((may_alias));
KATA_PUT_SOME(kata_u8)
KATA_PUT_SOME(kata_u16)
KATA_PUT_SOME(kata_i32)
KATA_PUT_SOME(kata_i64)
#undef KATA_PUT_SOME

/* Writes the elements of a vector whose bits are set, and touches no other: other threads may be
 * writing these. `lanes` elements, at most 16, of `bytes` bytes; higher bits mean nothing. */
KATA_INLINED void kata_put_colored(void *to, const void *from, int64_t lanes, int64_t bytes,
                                   uint64_t set)
{
    const uint64_t colored = set & (((uint64_t)1 << lanes) - 1);
#if defined(__AVX512F__)
    typedef long long eight __attribute__((vector_size(64), may_alias));
    typedef int sixteen __attribute__((vector_size(64), may_alias));
    if (bytes == 8) {
        for (int64_t lane = 0; lane < lanes; lane += 8)
            __builtin_ia32_storedqudi512_mask((void *)((char *)to + 8 * lane),
                                              *(const eight *)((const char *)from + 8 * lane),
                                              (uint8_t)(colored >> lane));
        return;
    }
    if (bytes == 4 && lanes == 16) {
        __builtin_ia32_storedqusi512_mask(to, *(const sixteen *)from, (uint16_t)colored);
        return;
    }
#endif
    if (bytes == 8)
        kata_put_some_kata_i64((kata_i64 *)to, (const kata_i64 *)from, lanes, colored);
    else if (bytes == 4)
        kata_put_some_kata_i32((kata_i32 *)to, (const kata_i32 *)from, lanes, colored);
    else if (bytes == 2)
        kata_put_some_kata_u16((kata_u16 *)to, (const kata_u16 *)from, lanes, colored);
    else
        kata_put_some_kata_u8((kata_u8 *)to, (const kata_u8 *)from, lanes, colored);
}

/* Whether of two colours whole registers are written: where no instruction writes every other lane
 * as fast. */
#if defined(__AVX512F__)
enum { KATA_WHOLE_COLORS = 0 };
#else
enum { KATA_WHOLE_COLORS = 1 };
#endif

/* All bits of every other element of `bytes` bytes, 4 or 8, from the first or the second (`odd`)
 * on.
 */
KATA_INLINED kata_register kata_every_other(int64_t bytes, int odd)
{
    static const int64_t every_other[] = {-1, 0, -1, 0, -1, 0, -1, 0, -1};
    if (bytes == 4) return ((kata_register){0} + 0xffffffff) ^ -odd;
    return *(const kata_register_anywhere *)&every_other[odd];
}

/* Writes a vector of whole registers, but gives the elements `between` their old values. */
KATA_INLINED void kata_put_between(void *to, const void *from, int64_t bytes, kata_register between)
{
    for (int64_t done = 0; done < bytes; done += KATA_REGISTER) {
        kata_register_anywhere *at = (kata_register_anywhere *)((char *)to + done);
        const kata_register now = *(const kata_register *)((const char *)from + done);
#if defined(__AVX__) && !defined(__AVX512F__)
        typedef float floats __attribute__((vector_size(KATA_REGISTER), may_alias));
        *at = (kata_register)__builtin_ia32_blendvps256((floats)now, (floats)*at, (floats)between);
#else
        *at = (*at & between) | (now & ~between);
#endif
    }
}
