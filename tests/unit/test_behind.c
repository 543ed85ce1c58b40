/* Output in time: files that are written behind are those that would be written at once; their
 * errors come back; and series of every kind, and columns, hold what they were given.
 *
 * Labels: threads */
#include "api_world.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[] = "/tmp/kata_behind_XXXXXX";
static char message[1024];

static void keep_message(void *data, kata_status status, const char *text)
{
    (void)data, (void)status;
    snprintf(message, sizeof message, "%s", text);
}

static kata *open_quiet(void)
{
    message[0] = 0;
    kata *k = kata_open(&(kata_options){.handler = keep_message});
    assert_non_null(k);
    return k;
}

static char *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s: %s", path, strerror(errno));
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = calloc(1, *size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static void assert_same_files(const char *a, const char *b)
{
    size_t sizes[2];
    char *first = contents(a, &sizes[0]), *second = contents(b, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(first, second, sizes[0]);
    free(first);
    free(second);
}

static int files_here(void)
{
    DIR *here = opendir(".");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(here));)
        count += entry->d_name[0] != '.' || entry->d_name[1] == 'k';
    closedir(here);
    return count;
}

/* Removes everything. */
static void clear(void)
{
    DIR *here = opendir(".");
    for (struct dirent *entry; (entry = readdir(here));) unlink(entry->d_name);
    closedir(here);
    assert_int_equal(files_here(), 0);
}

static void set_step(kata_field *u, int step)
{
    const int count = 3 * NX * NY;
    float values[3 * NX * NY];
    for (int i = 0; i < count; i++) values[i] = (float)(100 * step + i);
    assert_int_equal(kata_put(u, kata_on(u), values, count), KATA_OK);
}

/* ---- the same files -------------------------------------------------------------------------- */

static const char *const endings[] = {".npy", ".h5", ".vtkhdf", ".png"};
enum { STEPS = 7 };

/* Steps of all kinds of files, in a folder. */
static void run(const char *name)
{
    char path[100];
    assert_int_equal(mkdir(name, 0700), 0);
    kata *k = open_quiet();
    kata_field *u = kata_field_new(kata_grid_2d(k, NX, NY), "u", KATA_F32, .components = 3);
    kata_series *series[6];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/u-##%s", name, endings[i]);
        series[i] = kata_series_new(u, path);
    }
    snprintf(path, sizeof path, "%s/u.vtkhdf", name);
    series[4] = kata_series_new(u, path, .spacing = 0.5);
    snprintf(path, sizeof path, "%s/u.apng", name);
    series[5] = kata_series_new(u, path, .component = KATA_COMPONENT(1), .low = 0, .high = 300);
    snprintf(path, sizeof path, "%s/u.csv", name);
    kata_rows *columns = kata_rows_new(k, path, "a (m), b[2]");
    for (int step = 0; step < STEPS; step++) {
        const double time = 0.1 * step;
        set_step(u, step);
        for (int i = 0; i < 6; i++) assert_int_equal(kata_series_add(series[i], time), KATA_OK);
        kata_rows_add(columns, 1, &time, (double[]){step, step / 3.0, -step}, 3);
        assert_true(kata_ok(k));
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_files_written_behind_are_those_written_at_once(void **state)
{
    (void)state;
    char a[100], b[100];
    int count = 0;
    setenv("KATA_BEHIND", "0", 1);
    run("now");
    unsetenv("KATA_BEHIND");
    run("behind");
    setenv("KATA_BEHIND", "1", 1); /* each piece waits for the one before */
    run("tight");
    unsetenv("KATA_BEHIND");
    DIR *now = opendir("now");
    for (struct dirent *entry; (entry = readdir(now));) {
        if (entry->d_name[0] == '.') continue;
        count++;
        snprintf(a, sizeof a, "now/%.60s", entry->d_name);
        snprintf(b, sizeof b, "behind/%.60s", entry->d_name);
        assert_same_files(a, b);
        unlink(b);
        snprintf(b, sizeof b, "tight/%.60s", entry->d_name);
        assert_same_files(a, b);
        unlink(b);
        unlink(a);
    }
    closedir(now);
    assert_int_equal(count, 4 * STEPS + 3);
    assert_int_equal(rmdir("now") | rmdir("behind") | rmdir("tight"), 0);
}

/* The values are those of the call, whatever becomes of the field before they are written. */
static void test_values_are_copied_at_the_call(void **state)
{
    (void)state;
    float values[3 * NX * NY];
    kata *k = open_quiet();
    kata_field *u = kata_field_new(kata_grid_2d(k, NX, NY), "u", KATA_F32, .components = 3);
    kata_field *v = kata_field_like(u, "v");
    for (int i = 0; i < 50; i++) {
        set_step(u, i);
        assert_int_equal(kata_save(u, "u.npy", .behind = true), KATA_OK);
        set_step(u, -1);
        kata_discard(v);
        assert_int_equal(kata_load(v, "u.npy"), KATA_OK); /* waits for it */
        kata_get(v, kata_on(v), values, 3 * NX * NY);
        assert_true(values[0] == (float)(100 * i));
    }
    assert_int_equal(kata_close(k), KATA_OK);
    clear();
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void test_an_error_is_reported_by_a_later_call(void **state)
{
    (void)state;
    kata *k = open_quiet();
    kata_field *u = kata_field_new(kata_grid_2d(k, NX, NY), "u", KATA_F64);
    assert_int_equal(kata_save(u, "no/u.npy", .behind = true), KATA_OK);
    assert_int_equal(kata_output_wait(k), KATA_ERROR_FILE);
    assert_string_equal(message, "error: cannot write no/u.npy: No such file or directory");
    assert_int_equal(kata_series_add(kata_series_new(u, "u.vtkhdf"), 0), KATA_ERROR_ARGUMENT);
    kata_error_clear(k);
    assert_int_equal(kata_output_wait(k), KATA_OK);
    /* kata_step, without waiting: it comes sooner or later */
    kata_save(u, "no/u.h5", .behind = true);
    for (int i = 0; i < 60000 && kata_ok(k); i++) {
        kata_step(k);
        usleep(1000);
    }
    assert_string_equal(message, "error: cannot write no/u.h5: No such file or directory");
    kata_error_clear(k);
    kata_save(u, "no/u.png", .behind = true);
    message[0] = 0;
    assert_int_equal(kata_close(k), KATA_ERROR_FILE);
    assert_string_equal(message, "error: cannot write no/u.png: No such file or directory");
    assert_int_equal(files_here(), 0);
}

/* Values that nobody takes any more are not copied: these would take days. */
static void test_an_output_that_fails_ends_the_copy_of_its_values(void **state)
{
    (void)state;
    kata *k = open_quiet();
    kata_field *u = kata_field_new(kata_grid_1d(k, INT64_C(1) << 47), "u", KATA_F64);
    assert_int_equal(kata_save(u, "no/u.npy", .behind = true), KATA_OK);
    assert_int_equal(kata_output_wait(k), KATA_ERROR_FILE);
    assert_string_equal(message, "error: cannot write no/u.npy: No such file or directory");
    assert_int_equal(kata_close(k), KATA_ERROR_FILE);
}

static void set_limit(rlim_t most)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Files that have steps keep them when one finds no room; the same step may come again. */
static void test_a_step_that_fails_leaves_the_file_as_it_was(void **state)
{
    (void)state;
    static const char *const paths[] = {"u.vtkhdf", "u.apng", "c.csv", "c.h5"};
    double time = 0, values[200] = {0};
    kata *k = open_quiet();
    kata_field *u = kata_field_new(kata_grid_2d(k, NX, NY), "u", KATA_F64);
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 4; i++) {
        kata_series *s = i < 2 ? kata_series_new(u, paths[i]) : NULL;
        kata_rows *c = i < 2 ? NULL : kata_rows_new(k, paths[i], "a[200]");
        for (int step = 0; step < 3; step++) {
            size_t size = 0, after;
            char *before = step ? contents(paths[i], &size) : NULL;
            time = step;
            set_limit(1);
            s ? kata_series_add(s, time) : kata_rows_add(c, 1, &time, values, 200);
            assert_int_equal(kata_output_wait(k), KATA_ERROR_FILE);
            assert_non_null(strstr(message, "File too large"));
            set_limit(RLIM_INFINITY);
            kata_error_clear(k);
            assert_int_equal(files_here(), i + (step > 0));
            char *found = step ? contents(paths[i], &after) : NULL;
            if (step) assert_int_equal(size, after);
            if (step) assert_memory_equal(before, found, size);
            free(before);
            free(found);
            s ? kata_series_add(s, time) : kata_rows_add(c, 1, &time, values, 200);
            assert_int_equal(kata_output_wait(k), KATA_OK);
        }
    }
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(kata_close(k), KATA_OK);
    clear();
}

/* Rows are written together: an error of one is that of others, which nobody adds again. */
static void test_rows_that_find_no_room_come_with_the_next(void **state)
{
    (void)state;
    kata *k = open_quiet();
    kata_rows *c = kata_rows_new(k, "c.csv", "a"), *h = kata_rows_new(k, "h.h5", "a");
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 6; i++) {
        double time = i;
        set_limit(i % 3 == 2 ? RLIM_INFINITY : 1);
        kata_rows_add(c, 1, &time, &time, 1);
        if (kata_rows_add(h, 1, &time, &time, 1) != KATA_OK) { /* c has failed, and h has nothing */
            kata_error_clear(k);
            kata_rows_add(h, 1, &time, &time, 1);
        }
        assert_int_equal(kata_output_wait(k), i % 3 == 2 ? KATA_OK : KATA_ERROR_FILE);
        kata_error_clear(k);
    }
    signal(SIGXFSZ, SIG_DFL);
    size_t size;
    char *lines = contents("c.csv", &size);
    assert_string_equal(lines, "time,a\n0,0\n1,1\n2,2\n3,3\n4,4\n5,5\n");
    free(lines);
    double times[6];
    kata_field *u = kata_field_new(kata_grid_1d(k, 6), "u", KATA_F64);
    assert_int_equal(kata_load(u, "h.h5:/time"), KATA_OK);
    kata_get(u, kata_on(u), times, 6);
    for (int i = 0; i < 6; i++) assert_true(times[i] == i);
    assert_int_equal(kata_close(k), KATA_OK);
    clear();
}

/* ---- how the program ends -------------------------------------------------------------------- */

/* Queues more than can be written at once, and leaves in one of several ways. */
static void leave(int way)
{
    enum { N = 400 };
    kata *k = kata_open(NULL);
    kata_field *u = kata_field_new(kata_grid_2d(k, N, N), "u", KATA_F64);
    for (int i = 0; i < 8; i++) {
        char path[20];
        snprintf(path, sizeof path, "u%d.%s", i, i % 2 ? "h5" : "npy");
        kata_save(u, path, .behind = true);
    }
    if (way == 0) exit(kata_close(k));
    if (way == 1) exit(0);
    pid_t child = fork();
    if (child == 0) { /* what the parent has queued is not the child's */
        kata_save(u, "child.npy", .behind = true);
        _exit(kata_close(k)); /* what the parent's thread had in hand looks like leaks here */
    }
    int ended;
    waitpid(child, &ended, 0);
    exit(WIFEXITED(ended) ? WEXITSTATUS(ended) : 1);
}

static void test_what_is_queued_is_written_when_the_program_ends(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    enum { WAYS = 2 }; /* a process made by fork may start no threads there */
#else
    enum { WAYS = 3 };
#endif
    for (int way = 0; way < WAYS; way++) {
        struct stat status;
        int ended;
        pid_t child = fork();
        if (child == 0) leave(way);
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
        assert_int_equal(files_here(), way == 2 ? 9 : 8);
        for (int i = 0; i < 8; i++) {
            char path[20];
            snprintf(path, sizeof path, "u%d.%s", i, i % 2 ? "h5" : "npy");
            assert_int_equal(stat(path, &status), 0);
            assert_true(status.st_size > 400 * 400 * 8);
        }
        clear();
    }
}

/* ---- series ---------------------------------------------------------------------------------- */

static void test_numbered_files_have_as_many_digits_as_they_need(void **state)
{
    (void)state;
    kata *k = open_quiet();
    kata_field *u = kata_field_new(kata_grid_2d(k, 2, 2), "u", KATA_F64);
    kata_series *s = kata_series_new(u, "#.png", .every = 3);
    for (int i = 0; i < 31; i++) assert_int_equal(kata_series_add(s, i), KATA_OK);
    assert_int_equal(kata_output_wait(k), KATA_OK);
    assert_int_equal(files_here(), 11);
    assert_int_equal(access("0.png", F_OK) | access("9.png", F_OK) | access("10.png", F_OK), 0);
    clear();
    assert_int_equal(kata_close(k), KATA_OK);
}

static uint32_t number_at(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The chunks of a file: numbers ascend, and there are as many pictures as it says. */
static void test_animated_pictures_are_numbered(void **state)
{
    (void)state;
    enum { FRAMES = 300 };
    size_t size;
    uint32_t sequence = 0, pictures = 0, said = 0;
    kata *k = open_quiet();
    kata_field *u = kata_field_new(kata_grid_2d(k, 4, 4), "u", KATA_F64);
    kata_series *s = kata_series_new(u, "u.apng", .frame_seconds = 0.025);
    for (int i = 0; i < FRAMES; i++) kata_series_add(s, i);
    assert_int_equal(kata_close(k), KATA_OK);
    char *data = contents("u.apng", &size);
    for (size_t at = 8; at < size; at += 12 + number_at(data + at)) {
        const char *name = data + at + 4, *body = data + at + 8;
        if (!memcmp(name, "acTL", 4)) said = number_at(body);
        if (!memcmp(name, "fcTL", 4)) assert_int_equal(body[21], 25);
        if (!memcmp(name, "fcTL", 4)) pictures++;
        if (!memcmp(name, "fcTL", 4) || !memcmp(name, "fdAT", 4))
            assert_int_equal(number_at(body), sequence++);
        if (!memcmp(name, "IEND", 4)) assert_int_equal(at + 12, size);
    }
    free(data);
    assert_int_equal(said, FRAMES);
    assert_int_equal(pictures, FRAMES);
    clear();
}

/* ---- columns --------------------------------------------------------------------------------- */

static void test_columns_come_back(void **state)
{
    (void)state;
    size_t size;
    double times[] = {0.1, 1e300, 2e300}, values[9] = {1.0 / 3, -0.0, NAN, INFINITY, 5, 6, 7, 8, 9},
           found[3];
    kata *k = open_quiet();
    kata_rows *csv = kata_rows_new(k, "c.csv", "energy (J), p[2] (Pa)");
    kata_rows *h5 = kata_rows_new(k, "c.h5", " energy(J) , p[2] ");
    assert_int_equal(kata_rows_add(csv, 2, times, values, 6), KATA_OK);
    assert_int_equal(kata_rows_add(csv, 1, times + 2, values + 6, 3), KATA_OK);
    assert_int_equal(kata_rows_add(h5, 3, times, values, 9), KATA_OK);
    assert_int_equal(kata_rows_add(h5, 0, times, values, 0), KATA_OK);
    assert_int_equal(kata_output_wait(k), KATA_OK);
    char *text = contents("c.csv", &size);
    assert_string_equal(text, "time,energy (J),p[0] (Pa),p[1] (Pa)\n"
                              "0.1,0.3333333333333333,-0,nan\n"
                              "1e+300,inf,5,6\n"
                              "2e+300,7,8,9\n");
    free(text);
    kata_field *f = kata_field_new(kata_grid_1d(k, 3), "energy", KATA_F64);
    assert_int_equal(kata_load(f, "c.h5:/energy"), KATA_OK);
    kata_get(f, kata_on(f), found, 3);
    assert_true(found[0] == values[0] && found[1] == values[3] && found[2] == values[6]);
    assert_int_equal(kata_close(k), KATA_OK);
    clear();
}

/* ---- misuse ---------------------------------------------------------------------------------- */

static void expect(kata *k, const char *text)
{
    assert_string_equal(message, text);
    kata_error_clear(k);
    message[0] = 0;
}

static void test_misuse_of_series_and_columns_is_refused(void **state)
{
    (void)state;
    const double nothing[4] = {0};
    kata *k = open_quiet();
    kata_field *u = kata_field_new(kata_grid_2d(k, NX, NY), "u", KATA_F64, .components = 2);
    assert_null(kata_series_new(u, "a.npy"));
    expect(k,
           "error: kata_series_new: 'a.npy' is one file; a series goes to .vtkhdf or .apng, or to "
           "files with numbers where their name has '#', as 'u-####.npy'");
    assert_null(kata_series_new(u, "a"));
    expect(k,
           "error: kata_series_new: cannot tell the format of 'a'; known endings are .png, .npy, "
           ".vtkhdf, .nc and .h5");
    kata_series *s = kata_series_new(u, "#.npy");
    kata_series_add(s, 1);
    kata_series_add(s, 0.5);
    expect(k, "error: cannot write #.npy: the time of a step is 0.5, after one of 1");
    kata_save(u, "a.png", .component = 1);
    expect(
        k,
        "error: kata_save: component is 1; field 'u' has KATA_COMPONENT(0) to KATA_COMPONENT(1)");
    kata_save(u, "a.png", .component = INT_MIN);
    expect(k, "error: kata_save: component is -2147483648; field 'u' has KATA_COMPONENT(0) to "
              "KATA_COMPONENT(1)");
    kata_save(u, "a.png", .component = KATA_COMPONENT(2));
    expect(k,
           "error: kata_save: component is KATA_COMPONENT(2); field 'u' has KATA_COMPONENT(0) to "
           "KATA_COMPONENT(1)");
    kata_save(u, "a.npy", .time = 1);
    expect(k, "error: kata_save: 'a.npy' has no place for .time; .vtkhdf, .nc and .h5 have");
    kata_save(u, "a.apng");
    expect(k, "error: kata_save: 'a.apng' is for the pictures of a series (kata_series_new); one "
              "picture goes to .png");
    kata_save(u, "a.png", .every = 2);
    expect(k, "error: kata_save: every is for kata_series_new");
    kata_save(u, "a.png", .middle = 1);
    expect(k, "error: kata_save: middle is 1, which is for .colours = KATA_DIVERGING");
    kata_save(u, "a.png", .middle = 1, .colours = KATA_DIVERGING, .low = 1, .high = 2);
    expect(k, "error: kata_save: middle is 1, which is not between low, 1, and high, 2");
    assert_null(kata_rows_new(k, "a.txt", "a"));
    expect(k,
           "error: kata_rows_new: cannot tell the format of 'a.txt'; columns go to .csv and .h5");
    assert_null(kata_rows_new(k, "a.csv", "a, 2b"));
    expect(k, "error: kata_rows_new: the names of columns are not understood at '2b'; give C "
              "identifiers as \"energy (J), p[100]\"");
    assert_null(kata_rows_new(k, "a.csv", "a, time"));
    expect(k, "error: kata_rows_new: two columns are called 'time', as the first one always is");
    kata_rows *c = kata_rows_new(k, "a.csv", "a, b");
    kata_rows_add(c, 1, nothing, nothing, 3);
    expect(k, "error: kata_rows_add: 1 row of a.csv has 2 values; there are 3");
    kata_rows_add(c, 2, nothing, nothing, 4);
    expect(k, "error: kata_rows_add: a.csv: the time is 0, after one of 0");
    assert_null(kata_field_new(kata_grid_1d(k, 2), "v", KATA_F64, .units = ""));
    expect(k,
           "error: kata_field_new: the units of 'v' are ''; they are 1 to 64 letters in one line");
    kata_close(k);
    clear();
}

/* A series fails, for its folder is gone, in the second of three steps; the program adds the step
 * to all files again. */
static void run_with_a_failure(bool fails)
{
    kata *k = open_quiet();
    kata_field *u = kata_field_new(kata_grid_2d(k, NX, NY), "u", KATA_F32, .components = 3);
    assert_int_equal(mkdir("gone", 0700), 0);
    kata_series *good = kata_series_new(u, "a.vtkhdf"), *film = kata_series_new(u, "a.apng");
    kata_series *bad = kata_series_new(u, "gone/b.vtkhdf");
    kata_rows *csv = kata_rows_new(k, "r.csv", "a"), *hdf5 = kata_rows_new(k, "r.h5", "a");
    assert_int_equal(rmdir("gone"), 0);
    for (int step = 0; step < 3; step++)
        for (int tries = 0; tries <= (fails && step == 1); tries++) {
            const double time = step;
            set_step(u, step);
            kata_rows_add(csv, 1, &time, &time, 1);
            kata_rows_add(hdf5, 1, &time, &time, 1);
            kata_series_add(good, time);
            kata_series_add(film, time);
            if (fails && step == 1 && !tries) kata_series_add(bad, time);
            assert_int_equal(kata_output_wait(k),
                             fails && step == 1 && !tries ? KATA_ERROR_FILE : 0);
            kata_error_clear(k);
        }
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_files_that_have_a_step_take_it_once(void **state)
{
    static const char *const names[][2] = {
        {"a.vtkhdf", "b.vtkhdf"}, {"a.apng", "b.apng"}, {"r.csv", "b.csv"}, {"r.h5", "b.h5"}};
    (void)state;
    clear();
    run_with_a_failure(false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(rename(names[i][0], names[i][1]), 0);
    run_with_a_failure(true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_same_files(names[i][0], names[i][1]);
    clear();
}

/* Parent and child would write to the same places of one file. */
static void test_a_forked_process_does_not_add_to_its_parents_files(void **state)
{
    (void)state;
    double time = 0, value = 1;
    kata *k = open_quiet();
    kata_field *u = kata_field_new(kata_grid_2d(k, 2, 2), "u", KATA_F64);
    kata_rows *c = kata_rows_new(k, "a.csv", "a");
    kata_series *s = kata_series_new(u, "a.apng"), *files = kata_series_new(u, "#.npy");
    kata_rows_add(c, 1, &time, &value, 1);
    assert_int_equal(kata_output_wait(k), KATA_OK);
    pid_t child = fork();
    if (child == 0) {
        time = 1;
        bool good = kata_rows_add(c, 1, &time, &value, 1) == KATA_ERROR_FILE &&
                    strstr(message, "'a.csv' is written by the process that this one was forked "
                                    "from; only that one can add to it");
        kata_error_clear(k);
        good = good && kata_series_add(s, 1) == KATA_ERROR_FILE && strstr(message, "'a.apng'");
        kata_error_clear(k);
        setenv("KATA_BEHIND", "0", 1);
        _exit(good && kata_series_add(files, 1) == KATA_OK ? 0 : 1);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    time = 2;
    kata_rows_add(c, 1, &time, &value, 1);
    assert_int_equal(kata_close(k), KATA_OK);
    size_t size;
    char *lines = contents("a.csv", &size);
    assert_int_equal(size, strlen("time,a\n0,1\n2,1\n"));
    assert_memory_equal(lines, "time,a\n0,1\n2,1\n", size);
    free(lines);
    clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_written_behind_are_those_written_at_once),
        cmocka_unit_test(test_values_are_copied_at_the_call),
        cmocka_unit_test(test_an_error_is_reported_by_a_later_call),
        cmocka_unit_test(test_an_output_that_fails_ends_the_copy_of_its_values),
        cmocka_unit_test(test_a_step_that_fails_leaves_the_file_as_it_was),
        cmocka_unit_test(test_rows_that_find_no_room_come_with_the_next),
        cmocka_unit_test(test_what_is_queued_is_written_when_the_program_ends),
        cmocka_unit_test(test_numbered_files_have_as_many_digits_as_they_need),
        cmocka_unit_test(test_animated_pictures_are_numbered),
        cmocka_unit_test(test_columns_come_back),
        cmocka_unit_test(test_misuse_of_series_and_columns_is_refused),
        cmocka_unit_test(test_files_that_have_a_step_take_it_once),
        cmocka_unit_test(test_a_forked_process_does_not_add_to_its_parents_files),
    };
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) ? 1 : failed;
}
