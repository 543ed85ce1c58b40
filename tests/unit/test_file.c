/* Files appear whole or not at all, with the permissions of the file that they replace. A file that
 * is not plain is neither waited for nor replaced. */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[4096];

static int set_up(void **state)
{
    (void)state;
    const char *parent = environment_get("KATA_CACHE_DIR");
    snprintf(folder, sizeof folder, "%s/file-XXXXXX", parent ? parent : "/tmp");
    umask(022);
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

/* Removes the files of the folder, which is the working one. */
static int tear_down(void **state)
{
    (void)state;
    DIR *d = opendir(".");
    struct dirent *entry;
    while (d && (entry = readdir(d))) unlink(entry->d_name);
    if (d) closedir(d);
    return chdir("/") || rmdir(folder);
}

static void expect(const char *path, const char *contents)
{
    char *data;
    size_t size;
    assert_int_equal(file_read(path, 100, &data, &size), 0);
    assert_string_equal(data, contents);
    free(data);
}

static int mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return (int)(status.st_mode & 0777);
}

static int entries(void)
{
    int count = -2; /* . and .. */
    DIR *d = opendir(".");
    while (d && readdir(d)) count++;
    if (d) closedir(d);
    return count;
}

static void test_a_new_file_has_the_usual_permissions(void **state)
{
    (void)state;
    assert_int_equal(file_write("a", "x", 1), 0);
    assert_int_equal(mode_of("a"), 0644);
    expect("a", "x");
}

static void test_permissions_are_kept(void **state)
{
    (void)state;
    assert_int_equal(file_write("a", "x", 1), 0);
    assert_int_equal(chmod("a", 0600), 0);
    assert_int_equal(file_write("a", "yy", 2), 0);
    assert_int_equal(mode_of("a"), 0600);
    expect("a", "yy");
    assert_int_equal(entries(), 1);
}

static void test_links_are_followed(void **state)
{
    (void)state;
    assert_int_equal(file_write("a", "x", 1), 0);
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(file_write("link", "yy", 2), 0);
    expect("a", "yy");
    struct stat status;
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

static void test_pipes_are_refused(void **state)
{
    (void)state;
    char *data;
    size_t size;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(file_write("pipe", "x", 1), FILE_NOT_PLAIN);
    alarm(60); /* must not wait for a writer */
    assert_int_equal(file_read("pipe", 100, &data, &size), FILE_NOT_PLAIN);
    assert_int_equal(file_write(".", "x", 1), EISDIR);
    alarm(0);
    assert_int_equal(entries(), 1);
}

static void test_names_may_be_as_long_as_the_system_takes(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(file_write(name, "x", 1), 0);
    expect(name, "x");
}

static void test_a_limit_of_size_is_an_error_of_the_call(void **state)
{
    (void)state;
    static const char data[4096];
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit limit = {100, 100};
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(file_write("a", data, sizeof data) == EFBIG ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(entries(), 0);
}

/* Of drafts that have one name, the one that has it last becomes the file. */
static void test_a_draft_that_another_replaces_is_no_file(void **state)
{
    (void)state;
    file_draft first, second;
    assert_int_equal(file_draft_begin_as(&first, "a", ".new"), 0);
    assert_int_equal(write(first.file, "one", 3), 3);
    assert_int_equal(file_draft_check(&first), 0);
    assert_int_equal(file_draft_begin_as(&second, "a", ".new"), 0);
    assert_int_equal(file_draft_check(&first), FILE_IS_TAKEN);
    assert_int_equal(file_draft_end(&first, FILE_IS_TAKEN), FILE_IS_TAKEN);
    assert_int_equal(write(second.file, "two", 3), 3);
    assert_int_equal(file_draft_check(&second), 0);
    assert_int_equal(file_draft_end(&second, 0), 0);
    expect("a", "two");
    assert_int_equal(entries(), 1);
}

/* As if another process had taken the name between the check and the end. */
static void test_a_draft_whose_name_is_gone_was_taken(void **state)
{
    (void)state;
    file_draft draft;
    assert_int_equal(file_draft_begin_as(&draft, "a", ".new"), 0);
    assert_int_equal(unlink("a.new"), 0);
    assert_int_equal(file_draft_end(&draft, 0), FILE_IS_TAKEN);
    assert_int_equal(mkdir("in", 0700), 0);
    assert_int_equal(file_draft_begin(&draft, "in/a"), 0);
    assert_int_equal(unlink(text_get(&draft.name)), 0);
    assert_int_equal(rmdir("in"), 0);
    assert_int_equal(file_draft_end(&draft, 0), ENOENT);
}

static void test_links_that_lead_to_no_file_are_refused(void **state)
{
    (void)state;
    assert_int_equal(symlink("none", "link"), 0);
    assert_int_equal(file_may_write("link"), FILE_IS_ASTRAY);
    assert_int_equal(file_write("link", "x", 1), FILE_IS_ASTRAY);
    assert_string_equal(file_reason(FILE_IS_ASTRAY), "it is a symbolic link that leads to no file");
}

static void *write_often(void *path)
{
    for (int i = 0; i < 3000; i++) file_write(path, "x", 1);
    return NULL;
}

static void test_the_umask_is_never_touched(void **state)
{
    (void)state;
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, write_often, "a"), 0);
    write_often("b");
    pthread_join(other, NULL);
    assert_int_equal(umask(022), 022);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_new_file_has_the_usual_permissions),
        TEST(test_permissions_are_kept),
        TEST(test_links_are_followed),
        TEST(test_pipes_are_refused),
        TEST(test_names_may_be_as_long_as_the_system_takes),
        TEST(test_a_limit_of_size_is_an_error_of_the_call),
        TEST(test_a_draft_that_another_replaces_is_no_file),
        TEST(test_a_draft_whose_name_is_gone_was_taken),
        TEST(test_links_that_lead_to_no_file_are_refused),
        TEST(test_the_umask_is_never_touched),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
