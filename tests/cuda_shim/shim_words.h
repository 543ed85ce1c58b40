/* In front of a text, behind shim_calls.h: the words of CUDA C++ that it uses, for a C++ compiler.
 * Includes nothing, for the text defines types of its own. */

extern "C" {
__attribute__((visibility("default"))) extern shim_calls katagami_shim;
__attribute__((visibility("hidden"))) extern unsigned char __start_katagami_shared[],
    __stop_katagami_shared[];
}

#define __host__
#define __device__
#define __global__ __attribute__((visibility("default")))
#define __constant__
#define __grid_constant__
#define __managed__
#define __shared__ static __attribute__((section("katagami_shared"), used))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(...)

typedef __SIZE_TYPE__ size_t;
typedef shim_size uint3, dim3;

#define threadIdx ((const shim_size &)katagami_shim.thread)
#define blockIdx ((const shim_size &)katagami_shim.block)
#define blockDim ((const shim_size &)katagami_shim.threads)
#define gridDim ((const shim_size &)katagami_shim.blocks)
static const int warpSize = SHIM_WARP;

/* ---- vectors --------------------------------------------------------------------------------- */

#define SHIM_VECTORS(T, name)                                                                      \
    struct __attribute__((aligned(2 * sizeof(T)))) name##2 { T x, y; };                            \
    struct name##3 { T x, y, z; };                                                                 \
    struct __attribute__((aligned(sizeof(T) < 4 ? 4 * sizeof(T) : 16))) name##4 { T x, y, z, w; }; \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                              \
    static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                      \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SHIM_VECTORS(signed char, char)
SHIM_VECTORS(unsigned char, uchar)
SHIM_VECTORS(short, short)
SHIM_VECTORS(unsigned short, ushort)
SHIM_VECTORS(int, int)
#define uint3 shim_no_uint3 /* is there already */
#define make_uint3 shim_make_no_uint3
SHIM_VECTORS(unsigned, uint)
#undef uint3
#undef make_uint3
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
SHIM_VECTORS(long long, longlong)
SHIM_VECTORS(unsigned long long, ulonglong)
SHIM_VECTORS(float, float)
SHIM_VECTORS(double, double)

/* ---- threads that wait ----------------------------------------------------------------------- */

#define __syncthreads() katagami_shim.wait(__LINE__)
#define __syncwarp(...) shim_warp_wait{__LINE__}(__VA_ARGS__)
#define __shfl_sync(...) shim_shuffle(__LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) shim_shuffle_up(__LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) shim_shuffle_down(__LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) shim_shuffle_xor(__LINE__, __VA_ARGS__)
#define __ballot_sync(lanes, value) ((unsigned)katagami_shim.vote(__LINE__, lanes, (value) != 0))
#define __any_sync(lanes, value) (int)(__ballot_sync(lanes, value) != 0)

static inline void __threadfence() {}
static inline void __threadfence_block() {}

struct shim_warp_wait {
    int line;
    void operator()(unsigned lanes = 0xffffffff) const
    {
        katagami_shim.exchange(line, lanes, 0, 0);
    }
};

static inline int shim_lane()
{
    const shim_size &t = katagami_shim.thread, &n = katagami_shim.threads;
    return (int)((t.x + n.x * (t.y + n.y * t.z)) % SHIM_WARP);
}

template <class T> static inline T shim_exchange(int line, unsigned lanes, T value, int source)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles are of 32 and 64 bits");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = katagami_shim.exchange(line, lanes, bits, source);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* Within groups of `width` lanes; whoever would read beyond its group reads its own value. */
template <class T>
static inline T shim_shuffle(int line, unsigned lanes, T value, int source, int width = SHIM_WARP)
{
    const int group = shim_lane() & ~(width - 1);
    return shim_exchange(line, lanes, value, group + (source & (width - 1)));
}

template <class T>
static inline T shim_shuffle_up(int line, unsigned lanes, T value, unsigned by,
                                int width = SHIM_WARP)
{
    const int lane = shim_lane(), at = lane & (width - 1);
    return shim_exchange(line, lanes, value, at < (int)by ? lane : lane - (int)by);
}

template <class T>
static inline T shim_shuffle_down(int line, unsigned lanes, T value, unsigned by,
                                  int width = SHIM_WARP)
{
    const int lane = shim_lane(), at = lane & (width - 1);
    return shim_exchange(line, lanes, value, at + (int)by >= width ? lane : lane + (int)by);
}

template <class T>
static inline T shim_shuffle_xor(int line, unsigned lanes, T value, int mask, int width = SHIM_WARP)
{
    const int lane = shim_lane(), end = (lane & ~(width - 1)) + width, source = lane ^ mask;
    return shim_exchange(line, lanes, value, source >= end ? lane : source);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static inline void *memcpy(void *to, const void *from, size_t bytes)
{
    return __builtin_memcpy(to, from, bytes);
}
static inline void *memset(void *to, int value, size_t bytes)
{
    return __builtin_memset(to, value, bytes);
}

template <class T> static inline T __ldg(const T *from) { return *from; }
template <class T> static inline T __ldcs(const T *from) { return *from; }
template <class T> static inline T __ldcg(const T *from) { return *from; }
template <class T> static inline T __ldca(const T *from) { return *from; }
template <class T> static inline void __stcs(T *to, T value) { *to = value; }
template <class T> static inline void __stcg(T *to, T value) { *to = value; }
template <class T> static inline void __stwb(T *to, T value) { *to = value; }
template <class T> static inline void __stwt(T *to, T value) { *to = value; }

/* Threads take turns, so that plain operations are whole. */
#define SHIM_ATOMIC(name, T, expression)                                                           \
    static inline T name(T *at, T value)                                                           \
    {                                                                                              \
        const T old = *at;                                                                         \
        *at = (expression);                                                                        \
        return old;                                                                                \
    }
#define SHIM_ATOMICS(T)                                                                            \
    SHIM_ATOMIC(atomicMin, T, value < old ? value : old)                                           \
    SHIM_ATOMIC(atomicMax, T, value > old ? value : old)                                           \
    SHIM_ATOMIC(atomicAnd, T, old &value)                                                          \
    SHIM_ATOMIC(atomicOr, T, old | value)                                                          \
    SHIM_ATOMIC(atomicXor, T, old ^ value)
SHIM_ATOMICS(int)
SHIM_ATOMICS(unsigned)
SHIM_ATOMICS(long long)
SHIM_ATOMICS(unsigned long long)
SHIM_ATOMIC(atomicAdd, int, (int)((unsigned)old + (unsigned)value))
SHIM_ATOMIC(atomicAdd, unsigned, old + value)
SHIM_ATOMIC(atomicAdd, unsigned long long, old + value)
SHIM_ATOMIC(atomicAdd, float, old + value)
SHIM_ATOMIC(atomicAdd, double, old + value)
SHIM_ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)value))
SHIM_ATOMIC(atomicSub, unsigned, old - value)
SHIM_ATOMIC(atomicExch, int, value)
SHIM_ATOMIC(atomicExch, unsigned, value)
SHIM_ATOMIC(atomicExch, unsigned long long, value)
SHIM_ATOMIC(atomicExch, float, value)

#define SHIM_SWAP(T)                                                                               \
    static inline T atomicCAS(T *at, T expected, T value)                                          \
    {                                                                                              \
        const T old = *at;                                                                         \
        if (old == expected) *at = value;                                                          \
        return old;                                                                                \
    }
SHIM_SWAP(int)
SHIM_SWAP(unsigned)
SHIM_SWAP(unsigned short)
SHIM_SWAP(unsigned long long)

/* ---- numbers --------------------------------------------------------------------------------- */

#define SHIM_BITS(name, T, From)                                                                   \
    static inline T name(From from)                                                                \
    {                                                                                              \
        T to;                                                                                      \
        __builtin_memcpy(&to, &from, sizeof to);                                                   \
        return to;                                                                                 \
    }
SHIM_BITS(__double_as_longlong, long long, double)
SHIM_BITS(__longlong_as_double, double, long long)
SHIM_BITS(__float_as_int, int, float)
SHIM_BITS(__float_as_uint, unsigned, float)
SHIM_BITS(__int_as_float, float, int)
SHIM_BITS(__uint_as_float, float, unsigned)

/* A function of f64 called `name`, of f32 called name##f, and of f32 called `name`. */
#define SHIM_MATH(name, PARAMETERS, VALUES)                                                        \
    static inline double name PARAMETERS(double) { return __builtin_##name VALUES; }               \
    static inline float name PARAMETERS(float) { return __builtin_##name##f VALUES; }              \
    static inline float name##f PARAMETERS(float) { return __builtin_##name##f VALUES; }
#define SHIM_ONE(T) (T x)
#define SHIM_TWO(T) (T x, T y)
#define SHIM_THREE(T) (T x, T y, T z)
SHIM_MATH(sqrt, SHIM_ONE, (x))
SHIM_MATH(fabs, SHIM_ONE, (x))
SHIM_MATH(floor, SHIM_ONE, (x))
SHIM_MATH(ceil, SHIM_ONE, (x))
SHIM_MATH(trunc, SHIM_ONE, (x))
SHIM_MATH(rint, SHIM_ONE, (x))
SHIM_MATH(nearbyint, SHIM_ONE, (x))
SHIM_MATH(round, SHIM_ONE, (x))
SHIM_MATH(fmin, SHIM_TWO, (x, y))
SHIM_MATH(fmax, SHIM_TWO, (x, y))
SHIM_MATH(copysign, SHIM_TWO, (x, y))
SHIM_MATH(fma, SHIM_THREE, (x, y, z))

#define SHIM_ROUNDED(T, letter, fused)                                                             \
    static inline T __##letter##add_rn(T x, T y) { return x + y; }                                 \
    static inline T __##letter##sub_rn(T x, T y) { return x - y; }                                 \
    static inline T __##letter##mul_rn(T x, T y) { return x * y; }                                 \
    static inline T __##letter##div_rn(T x, T y) { return x / y; }                                 \
    static inline T __##letter##sqrt_rn(T x) { return sqrt(x); }                                   \
    static inline T fused(T x, T y, T z) { return fma(x, y, z); }                                  \
    static inline bool isnan(T x) { return __builtin_isnan(x); }                                   \
    static inline bool isinf(T x) { return __builtin_isinf(x); }                                   \
    static inline bool isfinite(T x) { return __builtin_isfinite(x); }                             \
    static inline bool signbit(T x) { return __builtin_signbit(x); }
SHIM_ROUNDED(float, f, __fmaf_rn)
SHIM_ROUNDED(double, d, __fma_rn)

#define SHIM_LEAST(T)                                                                              \
    static inline T min(T x, T y) { return x < y ? x : y; }                                        \
    static inline T max(T x, T y) { return x > y ? x : y; }
SHIM_LEAST(int)
SHIM_LEAST(unsigned)
SHIM_LEAST(long)
SHIM_LEAST(unsigned long)
SHIM_LEAST(long long)
SHIM_LEAST(unsigned long long)
static inline int abs(int x) { return __builtin_abs(x); }
static inline long long llabs(long long x) { return __builtin_llabs(x); }

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
static inline unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}
static inline long long __mul64hi(long long x, long long y)
{
    return (long long)((__int128)x * y >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}

/* ---- asynchronous copies -----------------------------------------------------------------------
 */

/* Texts write them in assembler; nvrtc_compile.c puts these functions in its place. A thread's
 * copies happen as late as they may: when it waits for them, or never. */
enum { SHIM_PIECES = 256, SHIM_THREADS = 1024 };
struct shim_fetches {
    struct {
        void *to;
        const void *from;
        size_t bytes;
        int group;
    } pieces[SHIM_PIECES];
    int count, groups;
};
static shim_fetches shim_all_fetches[SHIM_THREADS];

static inline shim_fetches &shim_own_fetches()
{
    const shim_size &t = katagami_shim.thread, &n = katagami_shim.threads;
    return shim_all_fetches[t.x + n.x * (t.y + n.y * t.z)];
}

/* Copies the first pieces: those of groups below some number, and at least so many. */
static inline void shim_copy_fetched(shim_fetches &f, int below, int least)
{
    int done = 0;
    while (done < f.count && (done < least || f.pieces[done].group < below)) {
        __builtin_memcpy(f.pieces[done].to, f.pieces[done].from, f.pieces[done].bytes);
        done++;
    }
    for (int i = done; i < f.count; i++) f.pieces[i - done] = f.pieces[i];
    f.count -= done;
}

static inline void shim_fetch(void *to, const void *from, size_t bytes)
{
    shim_fetches &f = shim_own_fetches();
    if (f.count == SHIM_PIECES) shim_copy_fetched(f, 0, 1);
    f.pieces[f.count] = {to, from, bytes, f.groups};
    f.count++;
}

static inline void shim_fetch_end() { shim_own_fetches().groups++; }

static inline void shim_fetched(int still)
{
    shim_fetches &f = shim_own_fetches();
    shim_copy_fetched(f, f.groups - still, 0);
}

static inline void shim_drop_fetches()
{
    shim_own_fetches().count = 0;
    shim_own_fetches().groups = 0;
}

/* ---- what the driver calls ------------------------------------------------------------------- */

/* For the declarations that extern __shared__ ones become. */
static __attribute__((aligned(256))) unsigned char shim_dynamic[SHIM_LOCAL];
__shared__ unsigned char shim_first_shared[16]; /* there is such a section */

shim_calls katagami_shim = {{},
                            {},
                            {},
                            {},
                            nullptr,
                            nullptr,
                            nullptr,
                            __start_katagami_shared,
                            __stop_katagami_shared,
                            shim_dynamic};

/* What is run, and the sizes of what it takes, of a kernel of such a type. */
template <class> struct shim_kernel;
template <class... Parameters> struct shim_kernel<void (*)(Parameters...)> {
    static constexpr unsigned count = sizeof...(Parameters);
    static constexpr unsigned sizes[count + 1] = {sizeof(Parameters)..., 0};
    template <void (*kernel)(Parameters...)> static void run(void **arguments)
    {
        shim_drop_fetches();
        run_with<kernel>(arguments, shim_numbers<__integer_pack(count)...>());
    }

  private:
    template <int...> struct shim_numbers {
    };
    template <void (*kernel)(Parameters...), int... number>
    static void run_with(void **arguments, shim_numbers<number...>)
    {
        (void)arguments;
        kernel(*(Parameters *)arguments[number]...);
    }
};

#define shim_first(first, ...) (first)
#define SHIM_ENTRY(name, threads)                                                                  \
    extern "C" {                                                                                   \
    __attribute__((visibility("default"))) extern const shim_entry name##__entry;                  \
    const shim_entry name##__entry = {shim_kernel<decltype(&name)>::template run<&name>,           \
                                      shim_kernel<decltype(&name)>::sizes,                         \
                                      shim_kernel<decltype(&name)>::count, (unsigned)(threads)};   \
    }
