/* A program whose standard input, output or error is closed: no file gets what is printed. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/kata_closed_XXXXXX";
static const char *const names[] = {"a.csv", "a.npy", "a.apng", "a.vtkhdf"};
enum { FILES = sizeof names / sizeof *names, ROOM = 1 << 16 };

/* Writes files, prints something, and lets the library say something, while files are open. */
static int run(void)
{
    kata *k = kata_open(&(kata_options){.wait = true});
    kata_grid *g = kata_grid_1d(k, 8);
    kata_module *m = kata_module_from_text(k, "m", "kernel set(out double u) { u = 0.5*ix; }\n");
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_field *v = kata_field_new(kata_grid_2d(k, 2, 2), "v", KATA_F64);
    kata_rows *rows = kata_rows_new(k, "a.csv", "a");
    kata_series *film = kata_series_new(v, "a.apng"), *steps = kata_series_new(u, "a.vtkhdf");
    for (int i = 0; i < 3; i++) {
        double time = i;
        kata_apply(kata_kernel_find(m, "set"), kata_all(g), u);
        kata_rows_add(rows, 1, &time, &time, 1);
        kata_series_add(film, time);
        kata_series_add(steps, time);
        kata_output_wait(k);
        kata_grid_1d(k, -1);
        kata_error_clear(k);
        printf("step %d\n", i);
        fflush(stdout);
    }
    kata_save(u, "a.npy");
    return kata_close(k);
}

static long size_of(const char *name, char *bytes, size_t room)
{
    FILE *f = fopen(name, "r");
    if (!f) return -1;
    size_t size = fread(bytes, 1, room, f);
    fclose(f);
    return (long)size;
}

static void run_without(int closed)
{
    int ended;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3; i++)
            if (closed >> i & 1) close(i);
        _exit(run());
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

static void test_files_get_nothing_that_is_printed(void **state)
{
    (void)state;
    static char expected[FILES][ROOM], found[ROOM];
    long sizes[FILES];
    run_without(0);
    for (int i = 0; i < FILES; i++) {
        sizes[i] = size_of(names[i], expected[i], ROOM);
        assert_true(sizes[i] > 0 && sizes[i] < ROOM);
        unlink(names[i]);
    }
    for (int closed = 1; closed < 8; closed++) {
        run_without(closed);
        for (int i = 0; i < FILES; i++) {
            assert_int_equal(size_of(names[i], found, ROOM), sizes[i]);
            assert_memory_equal(found, expected[i], (size_t)sizes[i]);
            unlink(names[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_get_nothing_that_is_printed),
    };
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) ? 1 : failed;
}
