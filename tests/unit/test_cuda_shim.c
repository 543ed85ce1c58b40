/* The CUDA device that is this processor runs kernels as CUDA does, and says where they go wrong.
 */
#include "cuda_shim_world.h"

/* ---- kernels --------------------------------------------------------------------------------- */

/* Adds up 2 * x + offset over 256 numbers a block: within warps by shuffles, then over warps. */
static const char sum_text[] =
    "typedef long long int64_t;\n"
    "struct part { double scale; int64_t count; float offset; };\n"
    "static __device__ double value(const double *x, int64_t i, part p)\n"
    "{ return i < p.count ? p.scale * __ldg(x + i) + p.offset : 0.0; }\n"
    "/* extern \"C\" __global__ void not_a_kernel(int x) { */\n"
    "extern \"C\" __global__ void __launch_bounds__(256)\n"
    "sum(const double *__restrict__ x, double *__restrict__ sums, const part p, int warps)\n"
    "{\n"
    "    __shared__ double of_warp[8];\n"
    "    double s = value(x, (int64_t)blockIdx.x * blockDim.x + threadIdx.x, p);\n"
    "    for (int k = 16; k > 0; k /= 2) s += __shfl_down_sync(0xffffffffu, s, k);\n"
    "    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = s;\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x == 0) {\n"
    "        double all = 0;\n"
    "        for (int w = 0; w < warps; w++) all += of_warp[w];\n"
    "        sums[blockIdx.x] = all;\n"
    "    }\n"
    "}\n";

static void sums_use_shared_memory_barriers_and_shuffles(void **state)
{
    (void)state;
    enum { N = 1000, BLOCKS = 4 };
    struct {
        double scale;
        int64_t count;
        float offset;
    } part = {2, N, 0.5f};
    double x[N], sums[BLOCKS];
    for (int i = 0; i < N; i++) x[i] = i;
    CUmodule module = module_of(sum_text);
    CUdeviceptr from = device_bytes(sizeof x), to = device_bytes(sizeof sums);
    int warps = 8;
    assert_int_equal(cuMemcpyHtoDAsync_v2(from, x, sizeof x, NULL), 0);
    void *arguments[] = {&from, &to, &part, &warps};
    assert_int_equal(launch(kernel_of(module, "sum"), BLOCKS, 256, arguments), 0);
    part.scale = 77; /* what was launched has its arguments */
    assert_int_equal(fetch(sums, to, sizeof sums), 0);
    for (int b = 0; b < BLOCKS; b++) {
        double expected = 0;
        for (int i = 256 * b; i < 256 * (b + 1) && i < N; i++) expected += 2.0 * i + 0.5;
        assert_true(sums[b] == expected);
    }
    assert_int_equal(launch(kernel_of(module, "sum"), 1, 257, arguments),
                     CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    CUfunction none = NULL;
    assert_int_equal(cuModuleGetFunction(&none, module, "not_a_kernel"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetFunction(&none, module, "value"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleUnload(module), 0);
    assert_int_equal(cuMemFree_v2(from), 0);
    assert_int_equal(cuMemFree_v2(to), 0);
}

/* Each result is what CUDA's documentation says of a warp of 32 lanes that hold 100 + lane. */
static const char warp_text[] =
    "__launch_bounds__(64) extern \"C\" __global__ void warp(int *to)\n"
    "{\n"
    "    int t = threadIdx.x + blockDim.x * threadIdx.y, v = 100 + t % 32, *r = to + 8 * t;\n"
    "    r[0] = __shfl_down_sync(0xffffffff, v, 5);\n"
    "    r[1] = __shfl_up_sync(0xffffffff, v, 3, 8);\n"
    "    r[2] = __shfl_xor_sync(0xffffffff, v, 12);\n"
    "    r[3] = __shfl_sync(0xffffffff, v, 9, 16);\n"
    "    r[4] = __ballot_sync(0xffffffff, t % 3 == 0);\n"
    "    r[5] = t % 32 < 16 ? __shfl_xor_sync(0x0000ffff, v, 1) : __shfl_xor_sync(0xffff0000, v, "
    "2);\n"
    "    r[6] = __any_sync(0xffffffff, t == 40);\n"
    "    __syncwarp();\n"
    "    r[7] = t % 32 ? to[8 * (t - 1)] : -1;\n"
    "}\n";

static void lanes_exchange_what_cuda_says(void **state)
{
    (void)state;
    int r[64][8];
    CUmodule module = module_of(warp_text);
    CUdeviceptr to = device_bytes(sizeof r);
    void *arguments[] = {&to};
    assert_int_equal(
        cuLaunchKernel(kernel_of(module, "warp"), 1, 1, 1, 16, 4, 1, 0, NULL, arguments, NULL), 0);
    assert_int_equal(fetch(r, to, sizeof r), 0);
    for (int t = 0; t < 64; t++) {
        const int lane = t % 32;
        unsigned thirds = 0;
        for (int k = 0; k < 32; k++) thirds |= (unsigned)((t / 32 * 32 + k) % 3 == 0) << k;
        assert_int_equal(r[t][0], 100 + (lane + 5 < 32 ? lane + 5 : lane));
        assert_int_equal(r[t][1], 100 + (lane % 8 < 3 ? lane : lane - 3));
        assert_int_equal(r[t][2], 100 + (lane ^ 12));
        assert_int_equal(r[t][3], 100 + lane / 16 * 16 + 9);
        assert_int_equal((unsigned)r[t][4], thirds);
        assert_int_equal(r[t][5], 100 + (lane ^ (lane < 16 ? 1 : 2)));
        assert_int_equal(r[t][6], t >= 32);
        assert_int_equal(r[t][7], lane ? r[t - 1][0] : -1);
    }
    assert_int_equal(cuModuleUnload(module), 0);
    assert_int_equal(cuMemFree_v2(to), 0);
}

static const char dynamic_text[] =
    "#define KERNEL extern \"C\" __global__ void\n"
    "#define TILE(T) extern __shared__ __align__(16) T tile[]\n"
    "KERNEL turn(float *x)\n"
    "{\n"
    "    TILE(float);\n"
    "    const unsigned n = blockDim.x, i = blockIdx.x * n + threadIdx.x;\n"
    "    tile[threadIdx.x] = x[i];\n"
    "    __syncthreads();\n"
    "    x[i] = tile[n - 1 - threadIdx.x];\n"
    "}\n"
    "extern \"C\" __global__ void count(unsigned long long *at, int *least)\n"
    "{\n"
    "    atomicAdd(at, 3ull);\n"
    "    atomicMin(least, (int)threadIdx.x - 7);\n"
    "}\n";

static void shared_memory_may_come_with_the_launch(void **state)
{
    (void)state;
    float x[512], turned[512];
    for (int i = 0; i < 512; i++) x[i] = (float)i;
    CUmodule module = module_of(dynamic_text);
    CUfunction turn = kernel_of(module, "turn");
    CUdeviceptr at = device_bytes(sizeof x);
    void *arguments[] = {&at};
    assert_int_equal(cuMemcpyHtoDAsync_v2(at, x, sizeof x, NULL), 0);
    assert_int_equal(cuLaunchKernel(turn, 2, 1, 1, 256, 1, 1, 1024, NULL, arguments, NULL), 0);
    assert_int_equal(fetch(turned, at, sizeof turned), 0);
    for (int i = 0; i < 512; i++) assert_true(turned[i] == x[i / 256 * 256 + 255 - i % 256]);
    /* more than 48 KiB must be asked for */
    assert_int_equal(cuLaunchKernel(turn, 2, 1, 1, 256, 1, 1, 50000, NULL, arguments, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuFuncSetAttribute(turn, 8, 232449), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuFuncSetAttribute(turn, 8, 232448), 0);
    assert_int_equal(cuLaunchKernel(turn, 2, 1, 1, 256, 1, 1, 232448, NULL, arguments, NULL), 0);
    assert_int_equal(fetch(turned, at, sizeof turned), 0);
    assert_memory_equal(turned, x, sizeof x);
    assert_int_equal(cuModuleUnload(module), 0);
    assert_int_equal(cuMemFree_v2(at), 0);
}

static void atomics_count_every_thread(void **state)
{
    (void)state;
    CUmodule module = module_of(dynamic_text);
    CUdeviceptr at = device_bytes(8), least = device_bytes(4);
    unsigned long long counted = 0;
    int found = 0;
    void *arguments[] = {&at, &least};
    assert_int_equal(cuMemsetD8Async(at, 0, 8, NULL), 0);
    assert_int_equal(cuMemsetD8Async(least, 0, 4, NULL), 0);
    assert_int_equal(launch(kernel_of(module, "count"), 10, 100, arguments), 0);
    assert_int_equal(fetch(&counted, at, 8), 0);
    assert_int_equal(fetch(&found, least, 4), 0);
    assert_int_equal(counted, 3000);
    assert_int_equal(found, -7);
    assert_int_equal(cuModuleUnload(module), 0);
    assert_int_equal(cuMemFree_v2(at), 0);
    assert_int_equal(cuMemFree_v2(least), 0);
}

/* ---- bits ------------------------------------------------------------------------------------ */

static const char fuse_text[] = "extern \"C\" __global__ void fuse(double *x)\n"
                                "{ x[2] = x[0] * x[0] - x[1]; x[3] = fma(x[0], x[0], -x[1]); }\n";

/* (1 + e)^2 - 1 - 2 e is e^2 when fused, and 0 otherwise. */
static void products_and_sums_are_rounded_each(void **state)
{
    (void)state;
    const double e = 1.0 / (1 << 30);
    double x[4] = {1 + e, 1 + 2 * e};
    CUmodule module = module_of(fuse_text);
    CUdeviceptr at = device_bytes(sizeof x);
    void *arguments[] = {&at};
    assert_int_equal(cuMemcpyHtoDAsync_v2(at, x, sizeof x, NULL), 0);
    assert_int_equal(launch(kernel_of(module, "fuse"), 1, 1, arguments), 0);
    assert_int_equal(fetch(x, at, sizeof x), 0);
    assert_true(x[2] == 0);
    assert_true(x[3] == e * e);
    assert_int_equal(cuModuleUnload(module), 0);
    assert_int_equal(cuMemFree_v2(at), 0);
}

/* ---- the compiler ---------------------------------------------------------------------------- */

static void errors_are_told_with_their_lines(void **state)
{
    (void)state;
    char *image = NULL, *log = NULL;
    assert_int_equal(
        compile("// a text\nextern \"C\" __global__ void f(int *x) { *x = y; }\n", &image, &log),
        6);
    assert_non_null(strstr(log, "kernels.cu:2:"));
    assert_non_null(strstr(log, "y"));
    assert_string_equal(nvrtcGetErrorString(6), "NVRTC_ERROR_COMPILATION");
    assert_null(image);
    free(log);
}

static void unknown_options_are_refused(void **state)
{
    (void)state;
    nvrtc_program p = NULL;
    size_t size = 0;
    char log[100];
    const char *const options[] = {"--gpu-architecture=sm_90", "--fast-and-wrong"};
    assert_int_equal(nvrtcCreateProgram(&p, fuse_text, NULL, 0, NULL, NULL), 0);
    assert_int_equal(nvrtcCompileProgram(p, 2, options), 5);
    assert_int_equal(nvrtcGetProgramLogSize(p, &size), 0);
    assert_true(size <= sizeof log);
    assert_int_equal(nvrtcGetProgramLog(p, log), 0);
    assert_string_equal(log, "error: unrecognized option --fast-and-wrong\n");
    assert_int_equal(nvrtcDestroyProgram(&p), 0);
}

static void what_is_no_image_is_not_loaded(void **state)
{
    (void)state;
    CUmodule module = NULL;
    const char nothing[200] = "nothing";
    assert_int_equal(cuModuleLoadDataEx(&module, nothing, 0, NULL, NULL), CUDA_ERROR_INVALID_IMAGE);
    assert_null(module);
}

/* ---- streams --------------------------------------------------------------------------------- */

static void streams_wait_for_what_they_are_told_to(void **state)
{
    (void)state;
    CUstream in, out;
    CUevent arrived;
    char *source, *target;
    CUdeviceptr at = device_bytes(100);
    assert_int_equal(cuStreamCreate(&in, 1), 0);
    assert_int_equal(cuStreamCreate(&out, 1), 0);
    assert_int_equal(cuEventCreate(&arrived, 2), 0);
    assert_int_equal(cuMemHostAlloc((void **)&source, 100, 0), 0);
    assert_int_equal(cuMemHostAlloc((void **)&target, 100, 0), 0);
    memset(source, 'a', 100);
    memset(target, 0, 100);
    assert_int_equal(cuMemcpyHtoDAsync_v2(at, source, 100, in), 0);
    assert_int_equal(cuEventRecord(arrived, in), 0);
    assert_int_equal(cuMemcpyDtoHAsync_v2(target, at, 99, out), 0);
    assert_int_equal(cuStreamSynchronize(out), 0);
    assert_int_equal(target[0], (char)0xff); /* nobody has said that it is to wait */
    assert_int_equal(cuStreamWaitEvent(out, arrived, 0), 0);
    assert_int_equal(cuEventDestroy_v2(arrived), 0);
    assert_int_equal(cuMemcpyDtoHAsync_v2(target, at, 99, out), 0);
    memset(source, 'b', 100); /* it was not to be touched yet */
    assert_int_equal(target[0], (char)0xff);
    assert_int_equal(cuStreamSynchronize(out), 0);
    assert_int_equal(target[0], 'b');
    assert_int_equal(target[98], 'b');
    assert_int_equal(target[99], 0);
    assert_int_equal(cuStreamDestroy_v2(in), 0);
    assert_int_equal(cuStreamDestroy_v2(out), 0);
    assert_int_equal(cuMemFreeHost(source), 0);
    assert_int_equal(cuMemFreeHost(target), 0);
    assert_int_equal(cuMemFree_v2(at), 0);
}

static void boxes_are_copied_by_rows(void **state)
{
    (void)state;
    unsigned char host[4][5][6], back[600];
    for (int i = 0; i < 120; i++) ((unsigned char *)host)[i] = (unsigned char)i;
    CUdeviceptr at = device_bytes(600);
    CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                         .srcHost = host,
                         .srcXInBytes = 1,
                         .srcPitch = 6,
                         .srcHeight = 5,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = at,
                         .dstY = 2,
                         .dstPitch = 10,
                         .dstHeight = 15,
                         .WidthInBytes = 4,
                         .Height = 3,
                         .Depth = 4};
    assert_int_equal(cuMemsetD8Async(at, 200, 600, NULL), 0);
    assert_int_equal(cuMemcpy3DAsync_v2(&box, NULL), 0);
    assert_int_equal(fetch(back, at, 600), 0);
    for (int i = 0; i < 600; i++) {
        const int x = i % 10, y = i / 10 % 15 - 2, z = i / 150;
        assert_int_equal(back[i], x < 4 && y >= 0 && y < 3 ? host[z][y][x + 1] : 200);
    }
    box.dstZ = 1; /* its last plane would lie behind */
    assert_int_equal(cuMemcpy3DAsync_v2(&box, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoHAsync_v2(back, at + 1, 600, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoDAsync_v2(at, at + 300, 300, NULL), 0);
    assert_int_equal(cuMemFree_v2(at), 0);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static const char wrong_text[] =
    "extern \"C\" __global__ void beyond(float *x, int at) { x[at + (int)threadIdx.x] = 1; }\n"
    "extern \"C\" __global__ void apart(int *x) { if (threadIdx.x > 3) __syncthreads(); }\n"
    "extern \"C\" __global__ void lonely(int *x) { if (!threadIdx.x) __syncwarp(); else\n"
    "    __shfl_down_sync(~0u, 1, 1); }\n"
    "extern \"C\" __global__ void divide(int *x) { *x = (9 + *x) / (int)threadIdx.x; }\n"
    "extern \"C\" __global__ void deep(int *x) { volatile char much[1 << 21]; much[0] = *x; }\n"
    "extern \"C\" __global__ void fill(char *x, int n)\n"
    "{ extern __shared__ char tile[]; for (int i = 0; i < n; i++) tile[i] = 0; *x = tile[0]; }\n";

static const struct {
    const char *kernel;
    int number;
    CUresult result;
    const char *words;
} wrongs[] = {
    {"beyond", 99, CUDA_ERROR_ILLEGAL_ADDRESS,
     "kernel beyond, block (0, 0, 0), thread (29, 0, 0): touched 0 bytes behind the end of an "
     "allocation of 512 bytes of device memory"},
    {"beyond", -1000, CUDA_ERROR_ILLEGAL_ADDRESS,
     "touched 4000 bytes before an allocation of 512 bytes of device memory"},
    {"apart", 0, CUDA_ERROR_LAUNCH_FAILED,
     "threads wait for others for ever: 28 at barriers, 0 for lanes, 4 have ended; one in line 2"},
    {"lonely", 0, CUDA_ERROR_LAUNCH_FAILED,
     "0 at barriers, 32 for lanes, 0 have ended; one in line 3, another in line 4"},
    {"divide", 0, CUDA_ERROR_LAUNCH_FAILED, "thread (0, 0, 0): divided an integer by zero"},
    {"deep", 0, CUDA_ERROR_LAUNCH_FAILED, "needs too much stack"},
    {"fill", 101, CUDA_ERROR_LAUNCH_FAILED, "wrote behind the 100 bytes of shared memory"},
};

static int wrong; /* which one a child does */

static void do_wrong(void)
{
    CUmodule module = module_of(wrong_text);
    CUdeviceptr at = device_bytes(512), other = 0;
    int number = wrongs[wrong].number, back;
    void *arguments[] = {&at, &number};
    MUST(cuMemsetD8Async(at, 0, 512, NULL) == 0);
    MUST(cuLaunchKernel(kernel_of(module, wrongs[wrong].kernel), 1, 1, 1, 32, 1, 1, 100, NULL,
                        arguments, NULL) == 0);
    MUST(cuStreamSynchronize(NULL) == wrongs[wrong].result);
    MUST(cuMemAlloc_v2(&other, 4) == wrongs[wrong].result); /* nothing works any more */
    MUST(fetch(&back, at, 4) == wrongs[wrong].result);
}

static void what_goes_wrong_is_told(void **state)
{
    (void)state;
    for (wrong = 0; wrong < (int)COUNT_OF(wrongs); wrong++) {
        text said = {0};
        const int end = in_child(do_wrong, &said);
        if (end != 0 || !strstr(text_get(&said), wrongs[wrong].words))
            fail_msg("%s: %d: %s", wrongs[wrong].kernel, end, text_get(&said));
        text_free(&said);
    }
}

/* A write into the few bytes between an allocation and its page hits nothing, but is seen. */
static void write_little_beyond(void)
{
    CUmodule module = module_of(wrong_text);
    CUdeviceptr at = device_bytes(100);
    int number = 0;
    void *arguments[] = {&at, &number};
    MUST(launch(kernel_of(module, "beyond"), 1, 26, arguments) == 0);
    MUST(cuStreamSynchronize(NULL) == CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void a_write_just_behind_is_seen(void **state)
{
    (void)state;
    text said = {0};
    assert_int_equal(in_child(write_little_beyond, &said), 0);
    assert_string_equal(text_get(&said),
                        "CUDA shim: something was written behind an allocation of 100 bytes\n");
    text_free(&said);
}

static void touch_device_memory(void)
{
    signal(SIGSEGV, SIG_DFL);                           /* sanitizers would speak of it */
    *(volatile char *)(uintptr_t)device_bytes(100) = 1; // NOLINT
}

static void the_host_cannot_touch_device_memory(void **state)
{
    (void)state;
    text said = {0};
    const int end = in_child(touch_device_memory, &said);
    assert_true(WIFSIGNALED(end) && WTERMSIG(end) == SIGSEGV);
    text_free(&said);
}

/* ---- variables ------------------------------------------------------------------------------- */

static void lose_the_third(void)
{
    setenv("KATA_SHIM_LOSE", "3", 1);
    CUmodule module = module_of(wrong_text);
    CUfunction kernel = kernel_of(module, "beyond");
    CUdeviceptr at = device_bytes(512);
    int number = 0;
    float back = 0;
    void *arguments[] = {&at, &number};
    MUST(launch(kernel, 1, 1, arguments) == 0 && launch(kernel, 1, 1, arguments) == 0);
    MUST(fetch(&back, at, 4) == 0 && back == 1);
    MUST(launch(kernel, 1, 1, arguments) == 0);
    MUST(fetch(&back, at, 4) == CUDA_ERROR_LAUNCH_FAILED);
    MUST(launch(kernel, 1, 1, arguments) == CUDA_ERROR_LAUNCH_FAILED);
    MUST(cuMemFree_v2(at) == CUDA_ERROR_LAUNCH_FAILED);
}

static void a_device_can_be_lost_in_the_middle(void **state)
{
    (void)state;
    text said = {0};
    const int end = in_child(lose_the_third, &said);
    if (end) fail_msg("%s", text_get(&said));
    text_free(&said);
}

static void memory_ends_where_a_variable_says(void **state)
{
    (void)state;
    size_t total = 0;
    CUdeviceptr one = 0, other = 0;
    setenv("KATA_SHIM_MEMORY", "100000", 1);
    assert_int_equal(cuDeviceTotalMem_v2(&total, 0), 0);
    assert_int_equal(total, 100000);
    assert_int_equal(cuMemAlloc_v2(&one, 60000), 0);
    assert_int_equal(one % 256, 0);
    assert_int_equal(cuMemAlloc_v2(&other, 40001), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cuMemAlloc_v2(&other, 40000), 0);
    assert_int_equal(cuMemFree_v2(one), 0);
    assert_int_equal(cuMemAlloc_v2(&one, 60000), 0);
    assert_int_equal(cuMemFree_v2(one), 0);
    assert_int_equal(cuMemFree_v2(other), 0);
    assert_int_equal(cuMemFree_v2(other), CUDA_ERROR_INVALID_VALUE);
    unsetenv("KATA_SHIM_MEMORY");
}

/* ---- pinned memory --------------------------------------------------------------------------- */

enum { PINNED = 4 * 4096 };

/* Copies of registered memory are late, others are not, and none is of both. */
static void registered_memory_is_copied_late(void **state)
{
    (void)state;
    char *pages = mmap(NULL, PINNED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CUdeviceptr at = device_bytes(PINNED);
    char back[2] = {0, 0};
    assert_true(pages != MAP_FAILED);
    memset(pages, 'a', PINNED);
    assert_int_equal(cuMemcpyHtoDAsync_v2(at, pages, 1, NULL), 0);
    pages[0] = 'b';
    assert_int_equal(cuMemHostRegister_v2(pages + 100, 4096, 1), 0);
    assert_int_equal(cuMemHostRegister_v2(pages + 4096 + 100, 100, 1),
                     CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_int_equal(cuMemHostRegister_v2(pages + (size_t)2 * 4096, 100, 1), 0);
    assert_int_equal(cuMemcpyHtoDAsync_v2(at + 1, pages + 100, 1, NULL), 0);
    pages[100] = 'c';
    assert_int_equal(fetch(back, at, 2), 0);
    assert_memory_equal(back, "ac", 2);
    assert_int_equal(cuMemcpyHtoDAsync_v2(at, pages, 101, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemHostUnregister(pages + 100), 0);
    assert_int_equal(cuMemHostUnregister(pages + (size_t)2 * 4096), 0);
    setenv("KATA_SHIM_PAGEABLE", "1", 1);
    assert_int_equal(cuMemHostRegister_v2(pages, 4096, 1), CUDA_ERROR_NOT_SUPPORTED);
    unsetenv("KATA_SHIM_PAGEABLE");
    assert_int_equal(cuMemFree_v2(at), 0);
    munmap(pages, PINNED);
}

static char *registered_pages(void)
{
    char *pages = mmap(NULL, PINNED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(pages != MAP_FAILED && cuMemHostRegister_v2(pages, PINNED, 1) == CUDA_SUCCESS);
    return pages;
}

static void unregister_what_is_not(void)
{
    char *pages = registered_pages();
    cuMemHostUnregister(pages + 1);
}

static void unregister_before_a_copy(void)
{
    char *pages = registered_pages();
    const CUdeviceptr at = device_bytes(PINNED);
    MUST(cuMemcpyDtoHAsync_v2(pages, at, PINNED, NULL) == CUDA_SUCCESS);
    cuMemHostUnregister(pages);
}

static void free_what_is_registered(void)
{
    char *pages = registered_pages();
    munmap(pages, PINNED);
    cuMemHostUnregister(pages);
}

static void leave_it_registered(void)
{
    registered_pages();
    cuDevicePrimaryCtxRelease_v2(0);
}

static void misuse_of_registered_memory_ends_the_process(void **state)
{
    static const struct {
        void (*body)(void);
        const char *words;
    } cases[] = {
        {unregister_what_is_not, "unregistered, but not registered"},
        {unregister_before_a_copy, "unregistered before its copies have happened"},
        {free_what_is_registered, "freed while it was registered"},
        {leave_it_registered, "still registered when its context goes"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        text said = {0};
        const int status = in_child(cases[i].body, &said);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        assert_non_null(strstr(text_get(&said), cases[i].words));
        text_free(&said);
    }
}

static void devices_and_versions_are_what_variables_say(void **state)
{
    (void)state;
    int count = -1, version = -1;
    char name[50];
    setenv("KATA_SHIM_DRIVER", "11000", 1);
    assert_int_equal(cuDriverGetVersion(&version), 0);
    assert_int_equal(version, 11000);
    unsetenv("KATA_SHIM_DRIVER");
    setenv("KATA_SHIM_DEVICES", "2", 1);
    assert_int_equal(cuDeviceGetCount(&count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(cuDeviceGetName(name, sizeof name, 1), 0);
    assert_string_equal(name, "CUDA shim");
    assert_int_equal(cuDeviceGetName(name, sizeof name, 2), CUDA_ERROR_INVALID_DEVICE);
    setenv("KATA_SHIM_DEVICES", "0", 1);
    assert_int_equal(cuInit(0), CUDA_ERROR_NO_DEVICE);
    unsetenv("KATA_SHIM_DEVICES");
    const char *word = NULL;
    assert_int_equal(cuGetErrorName(CUDA_ERROR_NO_DEVICE, &word), 0);
    assert_string_equal(word, "CUDA_ERROR_NO_DEVICE");
    assert_int_equal(cuGetErrorString(CUDA_ERROR_NO_DEVICE, &word), 0);
    assert_string_equal(word, "no CUDA-capable device is detected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_device_can_be_lost_in_the_middle), /* before other launches: they count */
        cmocka_unit_test(sums_use_shared_memory_barriers_and_shuffles),
        cmocka_unit_test(lanes_exchange_what_cuda_says),
        cmocka_unit_test(shared_memory_may_come_with_the_launch),
        cmocka_unit_test(atomics_count_every_thread),
        cmocka_unit_test(products_and_sums_are_rounded_each),
        cmocka_unit_test(errors_are_told_with_their_lines),
        cmocka_unit_test(unknown_options_are_refused),
        cmocka_unit_test(what_is_no_image_is_not_loaded),
        cmocka_unit_test(streams_wait_for_what_they_are_told_to),
        cmocka_unit_test(boxes_are_copied_by_rows),
        cmocka_unit_test(what_goes_wrong_is_told),
        cmocka_unit_test(a_write_just_behind_is_seen),
        cmocka_unit_test(the_host_cannot_touch_device_memory),
        cmocka_unit_test(memory_ends_where_a_variable_says),
        cmocka_unit_test(registered_memory_is_copied_late),
        cmocka_unit_test(misuse_of_registered_memory_ends_the_process),
        cmocka_unit_test(devices_and_versions_are_what_variables_say),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
