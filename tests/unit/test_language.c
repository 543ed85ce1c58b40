/* Fixtures of the kernel language: tests/language/NAME.kata is a program, NAME.ir the printed
 * graphs of its kernels, or NAME.error the exact message it must give. Of a program called
 * warning_NAME, the expectation is warning_NAME.warning, the exact warnings (empty: none). A first
 * line "// constants: R=8" gives load-time constants. With KATA_FIXTURES_UPDATE=1 the expectations
 * are written anew; read the changes before you commit them. */
/* Labels: hostile */
#include "lang/lang.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_LENGTH = 4096, MAX_FIXTURES = 1000, LARGEST_FIXTURE = 1 << 20 };

static char folder[PATH_LENGTH - 300];
static char *names[MAX_FIXTURES]; /* without .kata */
static int name_count;

/* ---- files ----------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int find_fixtures(void **state)
{
    (void)state;
    const char *root = environment_get("KATA_SOURCE");
    char *absolute = realpath(root ? root : ".", NULL);
    if (!absolute) return -1;
    snprintf(folder, sizeof folder, "%s/tests/language", absolute);
    free(absolute);
    if (chdir(folder)) return -1; /* where programs are, and what they import */
    DIR *d = opendir(folder);
    if (!d) return -1;
    for (struct dirent *entry; (entry = readdir(d)) && name_count < MAX_FIXTURES;) {
        char *dot = strrchr(entry->d_name, '.');
        if (dot && strcmp(dot, ".kata") == 0)
            names[name_count++] = strndup(entry->d_name, (size_t)(dot - entry->d_name));
    }
    closedir(d);
    qsort(names, (size_t)name_count, sizeof *names, compare_names);
    return 0;
}

static int forget_fixtures(void **state)
{
    (void)state;
    while (name_count) free(names[--name_count]);
    return 0;
}

static const char *path_of(const char *name, const char *kind)
{
    static char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/%.200s.%s", folder, name, kind);
    return path;
}

/* Collects warnings. */
static void keep(void *data, kata_status status, const char *message)
{
    if (status == KATA_OK) text_add(data, "%s\n", message);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void print_module(text *out, const lang_module *module)
{
    for (int i = 0; i < module->count; i++) {
        const ir_kernel *versions[2] = {module->kernels[i], module->f32_versions[i]};
        for (int v = 0; v < 2 && versions[v]; v++) {
            const char *wrong = ir_verify(versions[v]);
            if (wrong) text_add(out, "NOT VALID: %s\n", wrong);
            if (i || v) text_add(out, "\n");
            ir_print(out, versions[v]);
        }
    }
}

/* Load-time constants from a program's first line, "" when there are none. */
static void find_constants(const char *program, size_t size, char constants[200])
{
    static const char start[] = "// constants: ";
    size_t length = sizeof start - 1, end = length;
    constants[0] = 0;
    if (size < length || memcmp(program, start, length) != 0) return;
    while (end < size && program[end] != '\n') end++;
    snprintf(constants, 200, "%.*s", (int)(end - length), program + length);
}

/* Compiles a program to graphs, warnings or an error. Returns which: "ir", "warning" or "error". */
static const char *compile(const char *name, const char *program, size_t size, text *out)
{
    char file[300], constants[200];
    find_constants(program, size, constants);
    const lang_options options = {.constants = constants[0] ? constants : NULL, .path = file};
    text warnings = {0};
    bool warns = strncmp(name, "warning_", strlen("warning_")) == 0;
    messages m = {.handler = keep, .handler_data = &warnings};
    lang_module *module = NULL;
    snprintf(file, sizeof file, "%.200s.kata", name);
    kata_status status = lang_compile(file, program, size, &options, &m, &module);
    if (status == KATA_OK && warns)
        text_add(out, "%s", text_get(&warnings));
    else if (status == KATA_OK)
        print_module(out, module);
    else
        text_add(out, "%s\n", text_get(&m.body));
    if (status != m.status || (status == KATA_OK) != (module != NULL))
        text_add(out, "STATUS: %d\n", (int)status);
    lang_module_free(module);
    message_free(&m);
    text_free(&warnings);
    return status != KATA_OK ? "error" : warns ? "warning" : "ir";
}

static bool update(const char *name, const char *kind, const text *actual)
{
    remove(path_of(name, strcmp(kind, "ir") == 0 ? "error" : "ir"));
    return file_write(path_of(name, kind), text_get(actual), actual->length) == 0;
}

static bool agrees(const char *name, const char *kind, const text *actual)
{
    char *expected;
    size_t size;
    if (environment_get("KATA_FIXTURES_UPDATE")) return update(name, kind, actual);
    if (file_read(path_of(name, kind), LARGEST_FIXTURE, &expected, &size) != 0) {
        print_error("%s: there is no %s.%s, but compiling gave\n%s", name, name, kind,
                    text_get(actual));
        return false;
    }
    bool same = size == actual->length && memcmp(expected, text_get(actual), size) == 0;
    if (!same)
        print_error("%s.%s: expected\n%sbut got\n%s", name, kind, expected, text_get(actual));
    free(expected);
    return same;
}

static bool check_fixture(const char *name)
{
    char *program;
    size_t size;
    text actual = {0};
    if (file_read(path_of(name, "kata"), LARGEST_FIXTURE, &program, &size) != 0) return false;
    const char *kind = compile(name, program, size, &actual);
    bool same = agrees(name, kind, &actual);
    text_free(&actual);
    free(program);
    return same;
}

static void test_programs_give_their_graph_or_message(void **state)
{
    (void)state;
    int wrong = 0;
    assert_true(name_count > 0);
    for (int i = 0; i < name_count; i++) wrong += !check_fixture(names[i]);
    assert_int_equal(wrong, 0);
}

/* ---- damaged programs ------------------------------------------------------------------------ */

static uint32_t random_state = 12345;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

/* Overwrites, removes or repeats pieces; returns the new size, at most twice the old. */
static size_t damage(char *text, size_t size, size_t capacity)
{
    static const char bytes[] = "(){}[];,=+-*/%<>!~&|^?:.\"'#\\@$ \n0123456789eExXuvcqfL_";
    for (uint32_t changes = 1 + random_below(3); changes && size > 4; changes--) {
        size_t at = random_below((uint32_t)size), length = 1 + random_below(8);
        if (length > size - at) length = size - at;
        switch (random_below(4)) {
        case 0: text[at] = bytes[random_below(sizeof bytes - 1)]; break;
        case 1: memmove(text + at, text + at + length, size - at - length), size -= length; break;
        case 2: size = at; break;
        default:
            if (size + length > capacity) break;
            memmove(text + at + length, text + at, size - at);
            size += length;
        }
    }
    return size;
}

static void compile_damaged(const char *program, size_t size)
{
    char *copy = malloc(2 * size + 1);
    assert_non_null(copy);
    memcpy(copy, program, size);
    size_t damaged = damage(copy, size, 2 * size);
    char *exact = malloc(damaged ? damaged : 1); /* so that reading behind the end shows */
    assert_non_null(exact);
    memcpy(exact, copy, damaged);
    text out = {0};
    compile("damaged", exact, damaged, &out);
    assert_null(strstr(text_get(&out), "NOT VALID"));
    assert_null(strstr(text_get(&out), "STATUS:"));
    text_free(&out);
    free(exact);
    free(copy);
}

static void test_damaged_programs_give_a_message_or_a_graph(void **state)
{
    (void)state;
    const char *rounds_text = environment_get("KATA_FUZZ_ROUNDS");
    int64_t rounds = 5;
    if (rounds_text) assert_true(parse_integer(rounds_text, 1, 1000000, &rounds));
    for (int64_t round = 0; round < rounds; round++)
        for (int i = 0; i < name_count; i++) {
            char *program;
            size_t size;
            assert_int_equal(file_read(path_of(names[i], "kata"), LARGEST_FIXTURE, &program, &size),
                             0);
            if (size < 4000) compile_damaged(program, size);
            free(program);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs_give_their_graph_or_message),
        cmocka_unit_test(test_damaged_programs_give_a_message_or_a_graph),
    };
    return cmocka_run_group_tests(tests, find_fixtures, forget_fixtures);
}
