/* Devices: copies of boxes of bytes, queues and their order, kernels compiled, loaded and run, and
 * what is said when something is not there or does not fit. On each kind of device that this
 * machine has. */
/* Labels: hostile */
#include "device/opencl_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 40000 };

static const char *kind; /* "cuda", "opencl" */

static device *open_device(const char *name)
{
    messages m = {.silent = true};
    device *d = device_open(name, 0, &m);
    message_free(&m);
    return d;
}

static int set_up(void **state)
{
    *state = open_device(kind);
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    device_close(*state);
    return 0;
}

static uint32_t random_state = 1;
static size_t random_below(size_t end)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % end;
}

static void fill_random(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)random_below(256);
}

static device_box whole(size_t bytes) { return (device_box){.row = bytes, .rows = 1, .planes = 1}; }

static void get_all(device *d, const device_memory *memory, void *to, size_t bytes)
{
    device_box box = whole(bytes);
    assert_true(device_get(d, memory, to, &box));
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Rows and planes with gaps, without, planes between rows or over one another, and planes that do
 * not begin a whole number of rows apart. */
static device_box random_box(void)
{
    device_box b = {.row = 1 + random_below(40), .rows = 1 + random_below(9)};
    b.planes = 1 + random_below(9);
    size_t gap = random_below(2) * random_below(30);
    b.at = random_below(3000);
    b.row_pitch = b.row + gap;
    b.host_row_pitch = b.row + random_below(2) * random_below(30);
    b.plane_pitch = b.rows * b.row_pitch + random_below(3) * random_below(2) * b.row_pitch;
    if (random_below(4) == 0) b.plane_pitch += random_below(20);
    b.host_plane_pitch = b.rows * b.host_row_pitch + random_below(2) * random_below(20);
    if (random_below(8) == 0) b.host_plane_pitch = b.host_row_pitch; /* planes overlap */
    if (random_below(4) == 0) {
        b.plane_pitch = b.row_pitch;
        b.row_pitch *= b.planes;
    }
    return b;
}

/* Copies the box between a model of the device's memory and this machine's. */
static void copy_model(const device_box *b, unsigned char *model, unsigned char *host, bool out)
{
    for (size_t z = 0; z < b->planes; z++)
        for (size_t y = 0; y < b->rows; y++) {
            unsigned char *there = model + b->at + z * b->plane_pitch + y * b->row_pitch;
            unsigned char *here = host + z * b->host_plane_pitch + y * b->host_row_pitch;
            memcpy(out ? here : there, out ? there : here, b->row);
        }
}

typedef struct world {
    device_memory *memory;
    unsigned char model[BYTES], host[BYTES], other[BYTES];
} world;

static void put_or_get(device *d, world *w)
{
    device_box box = random_box();
    if (random_below(2)) {
        fill_random(w->host, BYTES);
        copy_model(&box, w->model, w->host, false);
        assert_true(device_put(d, w->memory, w->host, &box));
    } else {
        memcpy(w->other, w->host, BYTES);
        copy_model(&box, w->model, w->other, true);
        assert_true(device_get(d, w->memory, w->host, &box));
        assert_memory_equal(w->host, w->other, BYTES);
    }
}

static void set_or_copy(device *d, world *w)
{
    size_t bytes = random_below(5000), at = random_below(BYTES / 2 - bytes);
    size_t to = BYTES / 2 + random_below(BYTES / 2 - bytes);
    int value = (int)random_below(256);
    if (random_below(2)) {
        memset(w->model + at, value, bytes);
        assert_true(device_set(d, w->memory, at, value, bytes));
    } else {
        memcpy(w->model + to, w->model + at, bytes);
        assert_true(device_copy(d, w->memory, to, w->memory, at, bytes));
    }
}

static void memory_holds_what_was_put(void **state)
{
    device *d = *state;
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->memory = device_allocate(d, BYTES);
    assert_non_null(w->memory);
    assert_true(device_set(d, w->memory, 0, 0, BYTES));
    for (int i = 0; i < 400; i++) {
        if (random_below(3))
            put_or_get(d, w);
        else
            set_or_copy(d, w);
    }
    get_all(d, w->memory, w->host, BYTES);
    assert_memory_equal(w->host, w->model, BYTES);
    device_release(d, w->memory);
    free(w);
}

static void boxes_that_leave_memory_are_refused(void **state)
{
    device *d = *state;
    unsigned char host[64] = {0};
    device_memory *memory = device_allocate(d, 64);
    assert_non_null(memory);
    static const device_box wrong[] = {
        {.row = 65, .rows = 1, .planes = 1},
        {.row = 32, .rows = 1, .planes = 1, .at = 33},
        {.row = 8, .rows = 9, .planes = 1, .row_pitch = 8, .host_row_pitch = 8},
        {.row = 8,
         .rows = 2,
         .planes = 2,
         .row_pitch = 8,
         .plane_pitch = 49,
         .host_row_pitch = 8,
         .host_plane_pitch = 16},
        {.row = 8, .rows = SIZE_MAX / 4, .planes = 1, .row_pitch = 8, .host_row_pitch = 8},
        {.row = 8, .rows = 1, .planes = 1, .at = SIZE_MAX - 4},
        {.row = 8, .rows = 2, .planes = 1, .row_pitch = 4, .host_row_pitch = 8}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_false(device_put(d, memory, host, &wrong[i]));
        assert_string_equal(device_error(d), "a copy leaves the memory of the device");
    }
    assert_false(device_set(d, memory, 60, 0, 5));
    assert_false(device_copy(d, memory, 0, memory, 60, 5));
    assert_false(device_is_lost(d));
    device_release(d, memory);
}

static void memory_beyond_the_limit_is_refused(void **state)
{
    device *d = *state;
    device_limit(d, 1 << 20);
    device_memory *a = device_allocate(d, 600 << 10);
    assert_non_null(a);
    assert_null(device_allocate(d, 500 << 10));
    assert_true(device_is_full(d));
    assert_false(device_is_lost(d));
    assert_string_equal(device_error(d),
                        "out of memory: 512000 bytes beside 614400; the limit is 1048576");
    assert_int_equal(device_used(d), 600 << 10);
    device_release(d, a);
    device_memory *b = device_allocate(d, 1 << 20);
    assert_non_null(b);
    assert_int_equal(device_peak(d), 1 << 20);
    device_release(d, b);
    assert_int_equal(device_used(d), 0);
    device_limit(d, 0);
    assert_null(device_allocate(d, (size_t)1 << 60));
    assert_true(device_is_full(d));
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Kernels are written in words of neither language. */
static const struct word {
    const char *name, *cuda, *opencl;
} words[] = {{"KERNEL", "extern \"C\" __global__ void", "__kernel void"},
             {"GLOBAL", "", "__global"},
             {"SHARED", "__shared__", "__local"},
             {"ADDED_LOCAL", "", ", __local double *added"},
             {"FETCH_LOCAL", "extern __shared__ double added[];", ""},
             {"BARRIER", "__syncthreads()", "barrier(CLK_LOCAL_MEM_FENCE)"},
             {"THREAD", "threadIdx.x", "get_local_id(0)"},
             {"X", "((long)blockIdx.x * blockDim.x + threadIdx.x)", "get_global_id(0)"},
             {"Y", "((long)blockIdx.y * blockDim.y + threadIdx.y)", "get_global_id(1)"},
             {"Z", "((long)blockIdx.z * blockDim.z + threadIdx.z)", "get_global_id(2)"}};

/* Three kernels: one with a struct by value, one of three dimensions, one whose threads share. */
static const char kernels[] =
    "typedef struct arguments { double a, b; long n; int pad[3]; short last; } arguments;\n"
    "KERNEL scale(GLOBAL double *to, GLOBAL const double *from, const arguments p, float c)\n"
    "{\n"
    "    if (X < p.n) to[X] = p.a * from[X] + p.b + c + p.last;\n"
    "}\n"
    "KERNEL number(GLOBAL int *to, int nx, int ny, int nz)\n"
    "{\n"
    "    if (X < nx && Y < ny && Z < nz) to[(Z * ny + Y) * nx + X] += X + 100 * Y + 10000 * Z;\n"
    "}\n"
    "KERNEL reverse(GLOBAL double *all ADDED_LOCAL)\n"
    "{\n"
    "    FETCH_LOCAL\n"
    "    SHARED int seven;\n"
    "    if (THREAD == 0) seven = 7;\n"
    "    added[THREAD] = all[X];\n"
    "    BARRIER;\n"
    "    all[X] = added[31 - THREAD] + seven;\n"
    "}\n";

typedef struct arguments {
    double a, b;
    int64_t n;
    int pad[3];
    short last;
} arguments;

static const struct word *find_word(const char *at)
{
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strncmp(at, words[i].name, strlen(words[i].name)) == 0) return &words[i];
    return NULL;
}

static void add_text(text *source, const char *body)
{
    bool is_cuda = strcmp(kind, "cuda") == 0;
    if (!is_cuda)
        text_add(source, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                         "#pragma OPENCL FP_CONTRACT OFF\n");
    while (*body) {
        const struct word *word = find_word(body);
        if (word)
            text_add(source, "%s", is_cuda ? word->cuda : word->opencl);
        else
            text_add(source, "%c", *body);
        body += word ? strlen(word->name) : 1;
    }
}

static device_binary compile(device *d, const char *body)
{
    text source = {0}, log = {0};
    device_binary binary = {0};
    add_text(&source, body);
    if (!device_compile(d, source.data, &binary, &log)) fail_msg("%s", text_get(&log));
    text_free(&source);
    text_free(&log);
    return binary;
}

static device_module *load(device *d, const char *body)
{
    device_binary binary = compile(d, body);
    device_module *module = device_load(d, &binary);
    assert_non_null(module);
    free(binary.bytes);
    return module;
}

static device_memory *put_new(device *d, const void *from, size_t bytes)
{
    device_memory *memory = device_allocate(d, bytes);
    assert_non_null(memory);
    device_box box = whole(bytes);
    assert_true(device_put(d, memory, from, &box));
    return memory;
}

static void a_kernel_takes_memory_and_structs(void **state)
{
    device *d = *state;
    enum { N = 1000 };
    double from[N], to[N] = {0};
    for (int i = 0; i < N; i++) from[i] = 1.0 / (i + 1);
    device_module *module = load(d, kernels);
    device_kernel *kernel = device_find_kernel(d, module, "scale");
    assert_non_null(kernel);
    assert_ptr_equal(device_find_kernel(d, module, "scale"), kernel);
    device_memory *a = put_new(d, to, sizeof to), *b = put_new(d, from, sizeof from);
    const arguments p = {.a = 1.0 / 3, .b = 1e-17, .n = N - 1, .last = 5};
    float c = 0.5f;
    const device_argument list[] = {
        {.memory = a}, {.memory = b}, {NULL, &p, sizeof p}, {NULL, &c, sizeof c}};
    assert_true(device_run(
        d, kernel,
        &(device_launch){.groups = {16, 1, 1}, .threads = {64, 1, 1}, list, COUNT_OF(list)}));
    get_all(d, a, to, sizeof to);
    for (int i = 0; i < N - 1; i++) {
        volatile double product = p.a * from[i]; /* not contracted */
        assert_true(to[i] == product + p.b + c + p.last);
    }
    assert_true(to[N - 1] == 0);
    device_release(d, a);
    device_release(d, b);
    device_unload(d, module);
}

static void threads_count_in_three_dimensions(void **state)
{
    device *d = *state;
    enum { NX = 13, NY = 7, NZ = 5, ALL = NX * NY * NZ };
    int to[ALL] = {0}, n[3] = {NX, NY, NZ};
    device_module *module = load(d, kernels);
    device_memory *memory = put_new(d, to, sizeof to);
    const device_argument list[] = {
        {.memory = memory}, {NULL, &n[0], 4}, {NULL, &n[1], 4}, {NULL, &n[2], 4}};
    device_launch launch = {
        .groups = {4, 4, 3}, .threads = {4, 2, 2}, .arguments = list, .argument_count = 4};
    device_kernel *kernel = device_find_kernel(d, module, "number");
    assert_non_null(kernel);
    assert_true(device_run(d, kernel, &launch));
    launch.groups[1] = 0; /* nothing */
    assert_true(device_run(d, kernel, &launch));
    get_all(d, memory, to, sizeof to);
    for (int i = 0; i < ALL; i++)
        assert_int_equal(to[i], i % NX + 100 * (i / NX % NY) + 10000 * (i / NX / NY));
    device_release(d, memory);
    device_unload(d, module);
}

static void threads_share_what_a_launch_adds(void **state)
{
    device *d = *state;
    double all[64];
    for (int i = 0; i < 64; i++) all[i] = i;
    device_module *module = load(d, kernels);
    device_memory *memory = put_new(d, all, sizeof all);
    const device_argument list[] = {{.memory = memory}};
    assert_true(device_run(d, device_find_kernel(d, module, "reverse"),
                           &(device_launch){.groups = {2, 1, 1},
                                            .threads = {32, 1, 1},
                                            .arguments = list,
                                            .argument_count = 1,
                                            .local = 32 * sizeof(double)}));
    get_all(d, memory, all, sizeof all);
    for (int i = 0; i < 64; i++) assert_true(all[i] == i / 32 * 32 + 31 - i % 32 + 7);
    device_release(d, memory);
    device_unload(d, module);
}

/* Two pieces of memory that kernels, copies and settings change by turns, and a model of them. */
enum { LINE = 200 };
typedef struct lines {
    device_memory *memory[2];
    double model[2][LINE];
} lines;

/* to = +-from + ..., whose values are whole numbers. */
static void launch_scale(device *d, device_kernel *kernel, lines *l)
{
    const int to = (int)random_below(2), from = 1 - to;
    const arguments p = {.a = random_below(2) ? 1 : -1,
                         .b = (double)random_below(100),
                         .n = (int64_t)random_below(LINE),
                         .last = (short)random_below(9)};
    const float c = (float)random_below(5);
    const device_argument list[] = {{.memory = l->memory[to]},
                                    {.memory = l->memory[from]},
                                    {NULL, &p, sizeof p},
                                    {NULL, &c, sizeof c}};
    const int threads = random_below(9) ? 32 : 64;
    for (int i = 0; i < p.n; i++) l->model[to][i] = p.a * l->model[from][i] + p.b + c + p.last;
    assert_true(device_run(d, kernel,
                           &(device_launch){.groups = {(p.n + threads - 1) / threads, 1, 1},
                                            .threads = {threads, 1, 1},
                                            .arguments = list,
                                            .argument_count = COUNT_OF(list)}));
}

static void set_line(device *d, lines *l)
{
    const size_t bytes = random_below(LINE + 1) * sizeof(double);
    const int to = (int)random_below(2);
    memset(l->model[to], 0, bytes);
    assert_true(device_set(d, l->memory[to], 0, 0, bytes));
}

static void get_line(device *d, const lines *l)
{
    double found[LINE];
    const int from = (int)random_below(2);
    get_all(d, l->memory[from], found, sizeof found);
    assert_memory_equal(found, l->model[from], sizeof found);
}

/* Launches often follow one another, as some in a graph. */
static void what_is_queued_happens_in_order(void **state)
{
    enum { TIMES = 1500 };
    device *d = *state;
    lines l = {.model = {{0}}};
    device_module *module = load(d, kernels);
    device_kernel *kernel = device_find_kernel(d, module, "scale");
    for (int i = 0; i < 2; i++) l.memory[i] = put_new(d, l.model[i], sizeof l.model[i]);
    for (int i = 0; i < TIMES; i++) {
        const size_t rare = random_below(60);
        if (rare == 0)
            set_line(d, &l);
        else if (rare == 1)
            get_line(d, &l);
        else
            launch_scale(d, kernel, &l);
    }
    for (int i = 0; i < 2; i++) get_line(d, &l);
    for (int i = 0; i < 2; i++) device_release(d, l.memory[i]);
    device_unload(d, module);
}

/* Drivers that make no graphs start launches one by one. */
static void launches_need_no_graphs(void **state)
{
    setenv("KATA_SHIM_NO_GRAPHS", "1", 1);
    what_is_queued_happens_in_order(state);
    unsetenv("KATA_SHIM_NO_GRAPHS");
}

static void launches_that_do_not_fit_are_refused(void **state)
{
    device *d = *state;
    device_module *module = load(d, kernels);
    device_kernel *kernel = device_find_kernel(d, module, "reverse");
    device_launch launch = {.groups = {1, 1, 1}, .threads = {1, 1 << 20, 1}};
    assert_false(device_run(d, kernel, &launch));
    assert_string_equal(device_error(d), "a group of 1048576 threads along y");
    launch = (device_launch){.groups = {1, 1, INT64_MAX}, .threads = {1, 1, 1}};
    assert_false(device_run(d, kernel, &launch));
    assert_non_null(strstr(device_error(d), "groups along z; the device takes "));
    assert_false(device_is_lost(d));
    device_unload(d, module);
}

static void wrong_text_gives_the_words_of_the_compiler(void **state)
{
    device *d = *state;
    text source = {0}, log = {0};
    device_binary binary = {0};
    add_text(&source, "KERNEL broken(GLOBAL int *to) { to[0] = no_such_name; }\n");
    assert_false(device_compile(d, source.data, &binary, &log));
    assert_null(binary.bytes);
    assert_non_null(strstr(text_get(&log), "no_such_name"));
    assert_false(device_is_lost(d));
    text_free(&source);
    text_free(&log);
}

static void kernels_that_are_not_there_are_named(void **state)
{
    device *d = *state;
    device_module *module = load(d, kernels);
    assert_null(device_find_kernel(d, module, "nothing"));
    assert_string_equal(device_error(d), "a compiled text has no kernel nothing");
    device_unload(d, module);
}

static void spoilt_binaries_are_refused(void **state)
{
    device *d = *state;
    device_binary good = compile(d, kernels), bad = good;
    bad.bytes = malloc(good.count);
    assert_non_null(bad.bytes);
    for (int i = 0; i < 50; i++) {
        memcpy(bad.bytes, good.bytes, good.count);
        bad.count = i % 2 ? random_below(good.count) : good.count;
        bad.bytes[random_below(good.count)] ^= (char)(i % 2 ? 0 : 1 << random_below(8));
        bool same = bad.count == good.count && memcmp(bad.bytes, good.bytes, good.count) == 0;
        assert_false(same);
        device_module *module = device_load(d, &bad);
        /* between the seal and the code there are blanks, which say nothing */
        if (module) assert_memory_equal(bad.bytes + 64, good.bytes + 64, good.count - 64);
        device_unload(d, module);
    }
    device_module *module = device_load(d, &good);
    assert_non_null(module);
    device_unload(d, module);
    free(good.bytes);
    free(bad.bytes);
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* One piece comes in while another is computed with, and a third goes out. */
static void queues_wait_for_each_other(void **state)
{
    device *d = *state;
    enum { PIECES = 12, N = 1 << 15, SIZE = N * (int)sizeof(double), RING = 3 };
    double *in = device_pinned(d, (size_t)PIECES * SIZE);
    double *out = device_pinned(d, (size_t)PIECES * SIZE);
    device_module *module = load(d, kernels);
    device_kernel *kernel = device_find_kernel(d, module, "scale");
    device_memory *from[RING], *to[RING];
    const arguments p = {.a = 2, .b = 1, .n = N};
    const float c = 0;
    device_box box = whole(SIZE);
    assert_non_null(in);
    assert_non_null(out);
    for (int i = 0; i < PIECES * N; i++) in[i] = i;
    memset(out, 0, (size_t)PIECES * SIZE);
    for (int i = 0; i < RING; i++) {
        assert_non_null(from[i] = device_allocate(d, SIZE));
        assert_non_null(to[i] = device_allocate(d, SIZE));
    }
    for (int i = 0; i < PIECES; i++) {
        int slot = i % RING;
        const device_argument list[] = {{.memory = to[slot]},
                                        {.memory = from[slot]},
                                        {NULL, &p, sizeof p},
                                        {NULL, &c, sizeof c}};
        device_launch launch = {{N / 64, 1, 1}, {64, 1, 1}, list, COUNT_OF(list), 0};
        if (i >= RING) assert_true(device_order(d, DEVICE_IN, DEVICE_WORK));
        assert_true(device_put_later(d, DEVICE_IN, from[slot], in + (size_t)i * N, &box));
        assert_true(device_order(d, DEVICE_WORK, DEVICE_IN));
        if (i >= RING) assert_true(device_order(d, DEVICE_WORK, DEVICE_OUT));
        assert_true(device_run(d, kernel, &launch));
        assert_true(device_order(d, DEVICE_OUT, DEVICE_WORK));
        assert_true(device_get_later(d, DEVICE_OUT, to[slot], out + (size_t)i * N, &box));
    }
    assert_true(device_wait(d, DEVICE_OUT));
    for (int i = 0; i < PIECES * N; i++) assert_true(out[i] == 2.0 * i + 1);
    for (int i = 0; i < RING; i++) {
        device_release(d, from[i]);
        device_release(d, to[i]);
    }
    device_unload(d, module);
    device_release_pinned(d, in);
    device_release_pinned(d, out);
}

/* ---- names and facts ------------------------------------------------------------------------- */

static void facts_are_those_of_the_list(void **state)
{
    device *d = *state;
    static device_listed list[64];
    int count = device_list(list, 64);
    bool found = false;
    assert_in_range(count, 1, 64);
    for (int i = 0; i < count; i++) {
        found |= memcmp(&list[i].facts, device_facts_of(d), sizeof(device_facts)) == 0;
        assert_true(list[i].facts.memory > 0 && list[i].facts.units > 0);
        assert_in_range(list[i].facts.arguments, 1024, INT64_MAX);
        device *same = open_device(list[i].name);
        assert_non_null(same);
        assert_string_equal(device_facts_of(same)->name, list[i].facts.name);
        device_close(same);
    }
    assert_true(found);
    assert_int_equal(device_list(list, 0), 0);
    assert_non_null(strstr(device_compiler(d), device_facts_of(d)->target));
}

static void ceilings_are_measured(void **state)
{
    device *d = *state;
    kata_device_ceilings c = {.seconds = 0};
    int64_t used = device_used(d);
    device_limit(d, 100); /* not even one */
    assert_false(device_measure(d, &c));
    assert_true(device_is_full(d) && c.seconds == 0);
    device_limit(d, 0);
    assert_true(device_measure(d, &c));
    const kata_rate rates[] = {c.copy, c.put, c.get};
    for (size_t i = 0; i < COUNT_OF(rates); i++)
        assert_true(rates[i].median > 0 && rates[i].median <= rates[i].best);
    assert_true(c.seconds > 0);
    assert_int_equal(device_used(d), used);
}

static void expect_message(const char *name, const char *expected)
{
    messages m = {.silent = true};
    assert_null(device_open(name, 0, &m));
    assert_int_equal(m.status, KATA_ERROR_DEVICE);
    if (!strstr(text_get(&m.body), expected)) fail_msg("%s", text_get(&m.body));
    message_free(&m);
}

static void numbers_that_are_not_there_are_refused(void **state)
{
    (void)state;
    char name[32], expected[96];
    snprintf(name, sizeof name, "%s:63", kind);
    snprintf(expected, sizeof expected, "error: device \"%s\" cannot be used: this machine has ",
             name);
    expect_message(name, expected);
}

static void words_that_name_no_device_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",        "gpu",       "cuda:",
                                        "cuda:-1", "opencl:1x", "cuda:0:1",
                                        "CUDA",    "any:0",     "opencl:99999999999",
                                        "cuda: 0", "cuda:+0"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        expect_message(wrong[i], ": a device is \"cuda\", \"cuda:1\", \"opencl\", \"opencl:1\", "
                                 "\"any\" or \"none\"; kata info lists");
}

/* ---- what cannot be used --------------------------------------------------------------------- */

static void a_library_that_is_not_the_driver_is_refused(void **state)
{
    (void)state;
    char *own = environment_get("KATA_CUDA") ? strdup(getenv("KATA_CUDA")) : NULL;
    setenv("KATA_CUDA", "/nowhere/libcuda.so", 1);
    expect_message("cuda", "error: device \"cuda\" cannot be used: KATA_CUDA names no CUDA "
                           "driver that can be used: /nowhere/libcuda.so: cannot open");
    setenv("KATA_CUDA", "libm.so.6", 1);
    expect_message("cuda:1", "error: device \"cuda:1\" cannot be used: KATA_CUDA names no CUDA "
                             "driver that can be used: libm.so.6: it has no cuInit");
    unsetenv("KATA_CUDA");
    if (own) setenv("KATA_CUDA", own, 1);
    free(own);
}

static void devices_that_would_compute_other_bits_are_refused(void **state)
{
    (void)state;
    enum { ALL = CL_DENORMALS | CL_INFINITIES | CL_ROUND_TO_NEAREST | CL_FMA };
    const opencl_abilities good = {ALL | CL_CORRECT_DIVISION, ALL, true, true, 64};
    static const struct {
        size_t member;
        uint64_t value;
        const char *what;
    } lacking[] = {
        {offsetof(opencl_abilities, of_double), 0, "double precision (cl_khr_fp64)"},
        {offsetof(opencl_abilities, single), ALL, "correctly rounded division of float"},
        {offsetof(opencl_abilities, single), (ALL | CL_CORRECT_DIVISION) & ~CL_DENORMALS,
         "denormals of float"},
        {offsetof(opencl_abilities, of_double), ALL & ~CL_FMA, "fused multiply-add of double"},
        {offsetof(opencl_abilities, of_double), ALL & ~(CL_INFINITIES | CL_ROUND_TO_NEAREST),
         "infinities and NaN of double, rounding to nearest of double"}};
    text what = {0};
    assert_false(opencl_lacks(&good, &what));
    for (size_t i = 0; i < COUNT_OF(lacking); i++) {
        opencl_abilities bad = good;
        memcpy((char *)&bad + lacking[i].member, &lacking[i].value, sizeof(uint64_t));
        text_clear(&what);
        assert_true(opencl_lacks(&bad, &what));
        assert_string_equal(text_get(&what), lacking[i].what);
    }
    const opencl_abilities odd = {ALL | CL_CORRECT_DIVISION, ALL, false, false, 32};
    text_clear(&what);
    assert_true(opencl_lacks(&odd, &what));
    assert_string_equal(text_get(&what), "little-endian numbers, addresses of 64 bits, a compiler");
    text_free(&what);
}

static const struct CMUnitTest on_a_device[] = {
    cmocka_unit_test(memory_holds_what_was_put),
    cmocka_unit_test(boxes_that_leave_memory_are_refused),
    cmocka_unit_test(memory_beyond_the_limit_is_refused),
    cmocka_unit_test(a_kernel_takes_memory_and_structs),
    cmocka_unit_test(threads_count_in_three_dimensions),
    cmocka_unit_test(threads_share_what_a_launch_adds),
    cmocka_unit_test(what_is_queued_happens_in_order),
    cmocka_unit_test(launches_need_no_graphs),
    cmocka_unit_test(launches_that_do_not_fit_are_refused),
    cmocka_unit_test(wrong_text_gives_the_words_of_the_compiler),
    cmocka_unit_test(kernels_that_are_not_there_are_named),
    cmocka_unit_test(spoilt_binaries_are_refused),
    cmocka_unit_test(queues_wait_for_each_other),
    cmocka_unit_test(facts_are_those_of_the_list),
    cmocka_unit_test(ceilings_are_measured),
    cmocka_unit_test(numbers_that_are_not_there_are_refused)};

static int test_kind(const char *name)
{
    device *d = open_device(name);
    if (!d) {
        print_message("skipped: this machine has no device \"%s\"\n", name);
        return 0;
    }
    print_message("on %s\n", device_facts_of(d)->name);
    device_close(d);
    kind = name;
    return cmocka_run_group_tests_name(name, on_a_device, set_up, tear_down);
}

/* Where there is no driver, CUDA is what this processor pretends to be. */
static void prepare_cuda(void)
{
    device *d = open_device("cuda");
    if (!d) {
        setenv("KATA_CUDA", getenv("KATA_SHIM_CUDA"), 1);
        setenv("KATA_NVRTC", getenv("KATA_SHIM_NVRTC"), 1);
    }
    device_close(d);
}

int main(void)
{
    static const struct CMUnitTest without_device[] = {
        cmocka_unit_test(words_that_name_no_device_are_refused),
        cmocka_unit_test(a_library_that_is_not_the_driver_is_refused),
        cmocka_unit_test(devices_that_would_compute_other_bits_are_refused)};
    int failed = cmocka_run_group_tests_name("without a device", without_device, NULL, NULL);
    prepare_cuda();
    failed += test_kind("cuda");
    failed += test_kind("opencl");
    return failed;
}
