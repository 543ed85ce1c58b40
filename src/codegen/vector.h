/* Vectors of a row: where they begin, and how their elements are written. Generated code contains
 * this text. */

#define KATA_ALIGNED __attribute__((aligned(64)))
/* Hides from the compiler where a pointer came from. */
#define KATA_HIDDEN(pointer) __asm__("" : "+r"(pointer))
/* Hides from the compiler which value a variable has. */
#define KATA_UNKNOWN(variable) __asm__("" : "+m"(variable))
/* Keeps the compiler from making vectors of the loop that contains this. */
#define KATA_NOT_IN_VECTORS __asm__ volatile("")

/* In front of a loop whose rounds run side by side. clang 14 would unroll loops of few rounds
 * before it makes vectors of them, and then compute number by number. */
#ifdef __clang__
#define KATA_SIDE_BY_SIDE _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#define KATA_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define KATA_SIDE_BY_SIDE _Pragma("omp simd")
#define KATA_UNROLLED _Pragma("GCC unroll 16")
#endif

/* Bytes of the widest registers. What is held back is written register by register: in wider
 * pieces, or narrower ones, gcc 12 goes through memory. */
#if defined(__AVX512F__)
#define KATA_REGISTER 64
#elif defined(__AVX__)
#define KATA_REGISTER 32
#else
#define KATA_REGISTER 16
#endif

/* Points of a vector: as many as a register holds of numbers of which a cache line holds `line`. Of
 * more at once gcc 12 makes a loop for each vector, which finds its addresses anew. */
#define KATA_VECTOR(line) ((line)*KATA_REGISTER / 64)
/* Two of them, if a line has as many: where what surrounds a vector takes longer than its points.
 */
#define KATA_PAIR(line) (KATA_VECTOR(line) < (line) ? 2 * KATA_VECTOR(line) : (line))
/* As many as make whole cache lines. */
#define KATA_LINE(line) (line)
/* The last multiple of `lanes` up to an offset. */
#define KATA_DOWN(offset, lanes) ((offset) - (((offset) % (lanes)) + (lanes)) % (lanes))

/* A register of numbers; and how many it holds. */
typedef double kata_f64s __attribute__((vector_size(KATA_REGISTER), may_alias));
typedef float kata_f32s __attribute__((vector_size(KATA_REGISTER), may_alias));

typedef double kata_f64s_anywhere
    __attribute__((vector_size(KATA_REGISTER), may_alias, aligned(8)));
typedef float kata_f32s_anywhere __attribute__((vector_size(KATA_REGISTER), may_alias, aligned(4)));
typedef int64_t kata_f64_index __attribute__((vector_size(KATA_REGISTER)));
typedef int32_t kata_f32_index __attribute__((vector_size(KATA_REGISTER)));
typedef long long kata_eight __attribute__((vector_size(64)));
typedef int kata_sixteen __attribute__((vector_size(64)));

/* The numbers at an address. */
#define KATA_LOADED(t, from) ((kata_##t##s) * (const kata_##t##s_anywhere *)(from))

/* As many numbers of two registers side by side as one holds, from number `by` on, which is less
 * than that; or as many, if both are one. */
#ifdef __clang__
#define KATA_PICK(index, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define KATA_PICK(index, a, b, ...) __builtin_shuffle(a, b, (index){__VA_ARGS__})
#endif
#define KATA_FROM_2(n) (n), (n) + 1
#define KATA_FROM_4(n) KATA_FROM_2(n), KATA_FROM_2((n) + 2)
#define KATA_FROM_8(n) KATA_FROM_4(n), KATA_FROM_4((n) + 4)
#define KATA_FROM_16(n) KATA_FROM_8(n), KATA_FROM_8((n) + 8)
#if KATA_REGISTER == 64
#define KATA_f64_FROM(by) KATA_FROM_8(by)
#define KATA_f32_FROM(by) KATA_FROM_16(by)
#elif KATA_REGISTER == 32
#define KATA_f64_FROM(by) KATA_FROM_4(by)
#define KATA_f32_FROM(by) KATA_FROM_8(by)
#else
#define KATA_f64_FROM(by) KATA_FROM_2(by)
#define KATA_f32_FROM(by) KATA_FROM_4(by)
#endif
#ifdef __has_builtin
#if KATA_REGISTER == 64 && __has_builtin(__builtin_ia32_alignq512_mask)
#define KATA_HAS_ALIGN /* gcc 12 makes two instructions of a shuffle that this does in one */
#endif
#endif
#ifdef KATA_HAS_ALIGN
#define KATA_MOVED_f64(a, b, by)                                                                   \
    ((kata_f64s)__builtin_ia32_alignq512_mask((kata_eight)(b), (kata_eight)(a), by,                \
                                              (kata_eight)(a), (unsigned char)-1))
#define KATA_MOVED_f32(a, b, by)                                                                   \
    ((kata_f32s)__builtin_ia32_alignd512_mask((kata_sixteen)(b), (kata_sixteen)(a), by,            \
                                              (kata_sixteen)(a), (unsigned short)-1))
#else
#define KATA_MOVED_f64(a, b, by) ((kata_f64s)KATA_PICK(kata_f64_index, a, b, KATA_f64_FROM(by)))
#define KATA_MOVED_f32(a, b, by) ((kata_f32s)KATA_PICK(kata_f32_index, a, b, KATA_f32_FROM(by)))
#endif
#define KATA_MOVED(t, a, b, by) KATA_MOVED_##t(a, b, by)
/* The same of what lies at an address, too. Registers as long as cache lines are shuffled: a load
 * of one touches two lines. Of shorter ones, fewer do. */
#if KATA_REGISTER == 64
#define KATA_SHIFTED(t, a, b, by, from) KATA_MOVED(t, a, b, by)
#else
#define KATA_SHIFTED(t, a, b, by, from) KATA_LOADED(t, from)
#endif

typedef int64_t kata_register __attribute__((vector_size(KATA_REGISTER), may_alias));
typedef int64_t kata_register_anywhere
    __attribute__((vector_size(KATA_REGISTER), may_alias, aligned(1)));
typedef int64_t kata_part __attribute__((vector_size(16), may_alias));
typedef int64_t kata_part_anywhere __attribute__((vector_size(16), may_alias, aligned(1)));
typedef int64_t kata_eighth __attribute__((may_alias, aligned(1)));
typedef int32_t kata_sixteenth __attribute__((may_alias, aligned(1)));

/* The last index up to `lo` at which a vector of `lanes` elements, each of `bytes`, is aligned. */
KATA_INLINED int64_t kata_aligned(const void *row, int64_t bytes, int64_t lanes, int64_t lo)
{
    const __UINTPTR_TYPE__ address = (__UINTPTR_TYPE__)row + (__UINTPTR_TYPE__)(lo * bytes);
    return lo - (int64_t)(address / (__UINTPTR_TYPE__)bytes % (__UINTPTR_TYPE__)lanes);
}

/* The end of the brick that holds point ix, or the end of the row if that comes first. */
KATA_INLINED int64_t kata_brick_end(int64_t ix, int64_t row_end)
{
    const int64_t end = (ix | (ABI_BRICK - 1)) + 1;
    return end < row_end ? end : row_end;
}

/* What a thread has met of a minimum or maximum whose point is wanted: whether anything, the value,
 * and the first point that has it in the order of z, y and x, whatever the order in which points
 * run. A NaN is never replaced; -0 and 0 differ. */
KATA_INLINED int kata_is_before(const abi_value *best, int64_t ix, int64_t iy, int64_t iz)
{
    if (iz != best[4].i64) return iz < best[4].i64;
    return iy != best[3].i64 ? iy < best[3].i64 : ix < best[2].i64;
}

#define KATA_MEET(order, T, t, bits)                                                               \
    KATA_INLINED void kata_meet_##order##_##t(abi_value *best, T x, int64_t ix, int64_t iy,        \
                                              int64_t iz)                                          \
    {                                                                                              \
        const abi_value old = best[1], now = {.t = x}, both = {.t = kata_##order##_##t(old.t, x)}; \
        const int old_nan = old.t != old.t, same = x != x ? old_nan : now.bits == old.bits;        \
        const int stays = x == x && (old_nan || both.bits == old.bits);                            \
        if (best[0].i64 && (same ? !kata_is_before(best, ix, iy, iz) : stays)) return;             \
        best[0].i64 = 1;                                                                           \
        best[1].t = x;                                                                             \
        best[2].i64 = ix;                                                                          \
        best[3].i64 = iy;                                                                          \
        best[4].i64 = iz;                                                                          \
    }
#define KATA_MEET_BOTH(T, t, bits) KATA_MEET(least, T, t, bits) KATA_MEET(greatest, T, t, bits)
KATA_MEET_BOTH(double, f64, i64)
KATA_MEET_BOTH(float, f32, i32)
KATA_MEET_BOTH(int64_t, i64, i64)
KATA_MEET_BOTH(int32_t, i32, i32)

/* Writes a register past the caches, where the machine can. Lines that are written whole are not
 * read before. */
KATA_INLINED void kata_stream(void *to, const void *from)
{
#if defined(__clang__)
    __builtin_nontemporal_store(*(const kata_register *)from, (kata_register *)to);
#elif defined(__SSE2__)
    typedef long long whole __attribute__((vector_size(KATA_REGISTER), may_alias));
#if defined(__AVX512F__)
    __builtin_ia32_movntdq512((whole *)to, *(const whole *)from);
#elif defined(__AVX__)
    __builtin_ia32_movntdq256((whole *)to, *(const whole *)from);
#else
    __builtin_ia32_movntdq((whole *)to, *(const whole *)from);
#endif
#else
    *(kata_register *)to = *(const kata_register *)from;
#endif
}

/* Large functions call it: compilers take a long time for the text of many. */
#ifdef KATA_BRIEF
#define KATA_PUT static __attribute__((unused, noinline))
#else
#define KATA_PUT KATA_INLINED
#endif

/* Writes the elements of a vector: `bytes`, a multiple of 4. */
KATA_PUT void kata_put(void *to, const void *from, int64_t bytes, int flags)
{
    char *out = (char *)to;
    const char *in = (const char *)from;
    const int stream = (flags & ABI_STREAM) && (__UINTPTR_TYPE__)to % KATA_REGISTER == 0;
    int64_t done = 0;
    for (; done + KATA_REGISTER <= bytes; done += KATA_REGISTER) {
        if (stream)
            kata_stream(out + done, in + done);
        else
            *(kata_register_anywhere *)(out + done) = *(const kata_register *)(in + done);
    }
    for (; done + 16 <= bytes; done += 16)
        *(kata_part_anywhere *)(out + done) = *(const kata_part *)(in + done);
    for (; done + 8 <= bytes; done += 8)
        *(kata_eighth *)(out + done) = *(const kata_eighth *)(in + done);
    for (; done < bytes; done += 4)
        *(kata_sixteenth *)(out + done) = *(const kata_sixteenth *)(in + done);
}

/* The elements of a vector as float, or as f16: `count`, a multiple of 8 where there is F16C. */
KATA_INLINED void kata_f32s_of_f16s(float *to, const kata_half *from, int count)
{
#if defined(__F16C__)
    typedef short halves __attribute__((vector_size(16), aligned(2), may_alias));
    typedef float floats __attribute__((vector_size(32), may_alias));
    for (int i = 0; i < count; i += 8)
        *(floats *)(to + i) = __builtin_ia32_vcvtph2ps256(*(const halves *)(from + i));
#else
    KATA_SIDE_BY_SIDE for (int i = 0; i < count; i++) to[i] = kata_f32_of_f16(from[i]);
#endif
}

KATA_INLINED void kata_f16s_of_f32s(kata_half *to, const float *from, int count)
{
#if defined(__F16C__)
    typedef short halves __attribute__((vector_size(16), may_alias));
    typedef float floats __attribute__((vector_size(32), may_alias));
    for (int i = 0; i < count; i += 8) /* 0: to nearest, ties to even */
        *(halves *)(to + i) = __builtin_ia32_vcvtps2ph256(*(const floats *)(from + i), 0);
#else
    KATA_SIDE_BY_SIDE for (int i = 0; i < count; i++) to[i] = kata_f16_of_f32(from[i]);
#endif
}

/* Called after the last of these writes: now other threads may read what they wrote. */
KATA_INLINED void kata_streamed(void)
{
#if defined(__SSE2__)
    __builtin_ia32_sfence();
#endif
}
