/* Loops touch nothing beyond the memory that the program has given: it lies between pages that
 * cannot be read or written. */
#include "api_world.h"

#include <sys/mman.h>

static const char text[] =
    "kernel up(in double u, out double c) forward(y)\n"
    "{ if (iy > 0 && iy < ny-1) c = c[0,-1] + u[0,1]; else c = u; }\n"
    "kernel down(in double u, out double c) backward(y)\n"
    "{ if (iy > 0 && iy < ny-1) c = u[0,-1] + c[0,1]; else c = u; }\n"
    "kernel left(in double u, out double c) backward(x)\n"
    "{ if (ix < nx-1) c = u + c[1,0]; else c = u; }\n"
    "kernel smooth(in double u, out double c) { c = u[-1,0] + u[1,0] + u[0,-1] + u[0,1]; }\n"
    "kernel inner(in double u, out double c)\n"
    "{ c = ix > 0 && ix < nx-1 ? u[-1,0] + u[1,0] : iy < ny-1 ? u[0,1] : u; }\n"
    "kernel add(in double u, inout double c, sum double s) { c += u; s += c; }\n";

/* The memory, and the pages around it. */
typedef struct fence {
    char *pages;
    size_t size;
    double *values;
} fence;

/* Values that begin where the first page ends, or end where the last one begins. */
static fence fence_of(int64_t count, bool at_end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)count * sizeof(double);
    size_t room = (bytes + page - 1) / page * page;
    fence f = {.size = room + 2 * page};
    f.pages = mmap(NULL, f.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(f.pages != MAP_FAILED);
    assert_int_equal(mprotect(f.pages + page, room, PROT_READ | PROT_WRITE), 0);
    f.values = (double *)(f.pages + page + (at_end ? room - bytes : 0));
    return f;
}

static void fill(const fence *f, int64_t count)
{
    for (int64_t i = 0; i < count; i++) f->values[i] = (double)(i * 37 % 101) / 8;
}

/* All kernels, one after the other, each on what the one before it has written. */
static void run(const char *executor, const fence *u, const fence *c, int64_t nx, int64_t ny)
{
    kata *k = kata_open(&(kata_options){.executor = executor, .threads = 2, .handler = ignore});
    kata_module *m = kata_module_from_text(k, "text", text);
    kata_grid *g = kata_grid_2d(k, nx, ny);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64);
    kata_field *from = kata_field_wrap(g, "u", KATA_F64, u->values, .boundary = KATA_CLAMP);
    kata_field *to = kata_field_wrap(g, "c", KATA_F64, c->values, .boundary = KATA_PERIODIC);
    static const char *const names[] = {"up", "smooth", "down", "inner", "left", "smooth"};
    fill(u, nx * ny);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool back = i % 2;
        kata_apply(kata_kernel_find(m, names[i]), kata_all(g), back ? to : from, back ? from : to);
    }
    kata_apply(kata_kernel_find(m, "add"), kata_all(g), from, to, s);
    kata_flush(k);
    assert_string_equal(kata_error_message(k), "");
    assert_int_equal(kata_close(k), KATA_OK);
}

static void check(int64_t nx, int64_t ny, bool at_end)
{
    int64_t count = nx * ny;
    double *expected = malloc((size_t)count * sizeof *expected);
    fence u = fence_of(count, at_end), c = fence_of(count, at_end);
    assert_non_null(expected);
    run("reference", &u, &c, nx, ny);
    memcpy(expected, c.values, (size_t)count * sizeof *expected);
    run("cpu", &u, &c, nx, ny);
    assert_memory_equal(c.values, expected, (size_t)count * sizeof *expected);
    munmap(u.pages, u.size);
    munmap(c.pages, c.size);
    free(expected);
}

static void test_nothing_beyond_the_memory_is_touched(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 1},  {1, 7},   {7, 1},  {13, 2},
                                       {16, 3}, {61, 37}, {523, 5}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int at_end = 0; at_end < 2; at_end++) check(sizes[i][0], sizes[i][1], at_end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_beyond_the_memory_is_touched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
