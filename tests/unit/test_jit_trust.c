/* What is loaded is the user's own: nobody who may write to a folder above the cache, or to a file
 * in it, has code run by the process. */
/* Labels: compiler */
#include "jit/jit_private.h"
#include "jit_world.h"

#include <stdarg.h>
#include <sys/wait.h>

typedef int answer_function(void);

static const char text_42[] = "int answer(void) { return 42; }\n";

/* A folder to which everybody may write, with a cache in it and what an attacker has made. */
typedef struct scene {
    char root[100], cache[120], evil[120];
} scene;

static int set_up(void **state)
{
    scene *s = calloc(1, sizeof *s);
    *state = s;
    if (!s) return -1;
    snprintf(s->root, sizeof s->root, "/tmp/kata_trust_XXXXXX");
    if (!mkdtemp(s->root) || chmod(s->root, 0777)) return -1;
    snprintf(s->cache, sizeof s->cache, "%s/cache", s->root);
    snprintf(s->evil, sizeof s->evil, "%s/evil", s->root);
    return 0;
}

static int tear_down(void **state)
{
    const scene *s = *state;
    remove_folder(s->root);
    free(*state);
    return 0;
}

static jit *open_in(const char *cache, messages *m)
{
    jit *j;
    assert_int_equal(jit_open(NULL, cache, m, &j), KATA_OK);
    return j;
}

static int answer_of(jit *j, messages *m)
{
    text copy = {0};
    jit_job *job;
    void *library;
    answer_function *answer;
    text_add(&copy, "%s", text_42);
    assert_int_equal(jit_start(j, &copy, &(jit_function){.name = ""}, 0, JIT_SOON, m, &job),
                     KATA_OK);
    assert_int_equal(jit_finish(j, job, m, &library), KATA_OK);
    void *symbol = jit_symbol(library, "answer");
    memcpy(&answer, &symbol, sizeof symbol);
    return answer();
}

static int answer_in(const char *cache)
{
    messages m = {0};
    jit *j = open_in(cache, &m);
    int answer = answer_of(j, &m);
    jit_close(j);
    message_free(&m);
    return answer;
}

static void run_command(const char *format, ...) PRINTF_LIKE(1, 2);
static void run_command(const char *format, ...)
{
    text command = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&command, format, list);
    va_end(list);
    assert_int_equal(system(text_get(&command)), 0);
    text_free(&command);
}

/* Makes of a cache one in which the answer is 7, with sums that fit. */
static void poison(const char *from, const char *to)
{
    char path[4096], name[64], hex[33], *data;
    size_t size;
    run_command("cp -r %s %s", from, to);
    assert_true(file_in(to, ".so", path)[0]);
    run_command("echo 'int answer(void) { return 7; }' | cc -shared -fPIC -x c -o %s -", path);
    assert_int_equal(file_read(path, 1 << 24, &data, &size), 0);
    hash_hex(data, size, hex);
    free(data);
    snprintf(name, sizeof name, "%.32s.sum", strrchr(path, '/') + 1);
    snprintf(path, sizeof path, "%s/%s", to, name);
    assert_int_equal(file_write(path, hex, 32), 0);
}

/* The poison works: in a folder of the user's own nothing tells it from the real thing. */
static void a_cache_of_the_users_own_is_trusted(void **state)
{
    const scene *s = *state;
    assert_int_equal(answer_in(s->cache), 42);
    poison(s->cache, s->evil);
    assert_int_equal(answer_in(s->evil), 7);
}

static void swapped_folders_are_not_followed(void **state)
{
    const scene *s = *state;
    messages m = {0};
    assert_int_equal(answer_in(s->cache), 42);
    poison(s->cache, s->evil);
    jit *j = open_in(s->cache, &m);
    run_command("mv %s %s.old && mv %s %s", s->cache, s->cache, s->evil, s->cache);
    assert_int_equal(answer_of(j, &m), 42);
    jit_close(j);
}

/* The folder is taken away before anything was compiled: compiler and files follow it. */
static void moved_folders_are_compiled_in(void **state)
{
    const scene *s = *state;
    messages m = {0};
    jit *j = open_in(s->cache, &m);
    run_command("mv %s %s && mkdir -m 777 %s", s->cache, s->evil, s->cache);
    assert_int_equal(answer_of(j, &m), 42);
    jit_close(j);
    assert_int_equal(count_in(s->cache, ""), 0);
    assert_int_equal(count_in(s->evil, ""), 3);
}

/* Whether a cache in which something was done to the files of an ending is compiled anew. */
static void expect_distrust(const scene *s, const char *ending, const char *command)
{
    char path[4096];
    struct stat status;
    remove_folder(s->cache);
    remove_folder(s->evil);
    assert_int_equal(answer_in(s->cache), 42);
    poison(s->cache, s->evil);
    assert_true(file_in(s->evil, ending, path)[0]);
    text line = {0};
    const char *hole = strstr(command, "%s");
    text_add(&line, "%.*s%s%s", (int)(hole - command), command, path, hole + 2);
    run_command("%s", text_get(&line));
    text_free(&line);
    assert_int_equal(answer_in(s->evil), 42);
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode) && status.st_uid == geteuid());
    assert_int_equal(status.st_mode & 022, 0);
}

static void files_that_others_may_write_to_are_compiled_anew(void **state)
{
    static const char *const endings[] = {".so", ".sum"};
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        expect_distrust(*state, endings[i], "chmod g+w %s");
        expect_distrust(*state, endings[i], "chmod o+w %s");
    }
}

static void links_are_compiled_anew(void **state)
{
    expect_distrust(*state, ".so", "file=%s; mv $file $file.x && ln -s $file.x $file");
    expect_distrust(*state, ".sum", "file=%s; mv $file $file.x && ln -s $file.x $file");
}

static void files_of_others_are_compiled_anew(void **state)
{
    if (getuid() != 0) skip(); /* only root can give files away */
    expect_distrust(*state, ".so", "chown 65534 %s");
    expect_distrust(*state, ".sum", "chown 65534 %s");
}

/* A folder that is opened to others while it is in use is trusted no more. */
static void folders_opened_to_others_are_not_read(void **state)
{
    const scene *s = *state;
    messages m = {.no_warnings = true};
    assert_int_equal(answer_in(s->cache), 42);
    poison(s->cache, s->evil);
    jit *j = open_in(s->evil, &m);
    assert_int_equal(chmod(s->evil, 0777), 0);
    assert_int_equal(answer_of(j, &m), 42);
    jit_close(j);
}

/* Whatever the umask: what is written now is loaded later. */
static void a_wide_umask_is_no_matter(void **state)
{
    const scene *s = *state;
    char path[4096];
    struct stat before, after;
    mode_t mask = umask(0);
    assert_int_equal(answer_in(s->cache), 42);
    assert_true(file_in(s->cache, ".so", path)[0]);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(before.st_mode & 022, 0);
    assert_int_equal(answer_in(s->cache), 42);
    umask(mask);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cache_of_the_users_own_is_trusted),
        TEST(swapped_folders_are_not_followed),
        TEST(moved_folders_are_compiled_in),
        TEST(files_that_others_may_write_to_are_compiled_anew),
        TEST(links_are_compiled_anew),
        TEST(files_of_others_are_compiled_anew),
        TEST(folders_opened_to_others_are_not_read),
        TEST(a_wide_umask_is_no_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
