/* Rows in order of numbers that are narrower than those computed with, bytes and f16, end where
 * their points do, with registers of any length: nothing is written beside them, and nothing beyond
 * their memory is read. The written field ends where memory that cannot be read begins. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { MOST_X = 42, MOST_Y = 4, BYTES = MOST_X * MOST_Y * 2, PAGES = 1 << 16 };

static const char text[] = "kernel bytes(inout uchar v) forward(y)\n"
                           "{ interval [0, 1) { } interval [1, ny) { v = 3*v + v[0,-1] + ix; } }\n"
                           "kernel halves(inout float v) forward(y)\n"
                           "{ interval [0, 1) { } interval [1, ny) { v = 0.5*v + v[0,-1]; } }\n";

/* The compiler for registers of some length. */
static const char *compiler_with(const char *option)
{
    static char line[1024];
    const char *set = getenv("KATA_CC");
    snprintf(line, sizeof line, "%s%s", set && *set ? set : "cc", option);
    return line;
}

static void compute(const char *executor, const char *option, bool halves, int64_t nx, void *values)
{
    kata *k = kata_open(&(kata_options){
        .executor = executor, .threads = 1, .wait = true, .compiler = compiler_with(option)});
    kata_grid *g = kata_grid_2d(k, nx, MOST_Y);
    kata_module *m = kata_module_from_text(k, "narrow", text);
    kata_field *v = halves ? kata_field_wrap(g, "v", KATA_F16, (uint16_t *)values)
                           : kata_field_wrap(g, "v", KATA_U8, (uint8_t *)values);
    kata_apply(kata_kernel_find(m, halves ? "halves" : "bytes"), kata_all(g), v);
    kata_flush(k);
    assert_string_equal(kata_error_message(k), "");
    assert_int_equal(kata_close(k), KATA_OK);
}

/* Numbers that are finite as f16, too. */
static void set_values(uint8_t *values, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) values[i] = (uint8_t)(i * 37 % 61);
}

static void expect_the_same(const char *option, bool halves, char *fence)
{
    uint8_t expected[BYTES];
    for (int64_t nx = 1; nx <= MOST_X; nx += nx < 18 ? 1 : 3) {
        const size_t bytes = (size_t)nx * MOST_Y * (halves ? 2 : 1);
        uint8_t *found = (uint8_t *)fence - bytes;
        set_values(expected, bytes);
        set_values(found, bytes);
        compute("reference", option, halves, nx, expected);
        compute("cpu", option, halves, nx, found);
        assert_memory_equal(expected, found, bytes);
    }
}

static void rows_end_where_their_points_do(void **state)
{
#ifdef __x86_64__
    static const char *const options[] = {"", " -mno-avx512f", " -mno-avx"};
#else
    static const char *const options[] = {""};
#endif
    char *pages = mmap(NULL, 2 * PAGES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages, PAGES, PROT_READ | PROT_WRITE), 0);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        for (int halves = 0; halves < 2; halves++)
            expect_the_same(options[i], halves, pages + PAGES);
    munmap(pages, 2 * PAGES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_end_where_their_points_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
