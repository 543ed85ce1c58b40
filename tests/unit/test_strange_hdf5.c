/* HDF5 files of strangers: what would read other files, load code or ask for more than the file
 * holds is refused with its reason; a process that reads and crashes, lies or hangs is an error;
 * and that process can do nothing but read. */
#include "api_world.h"

#include "io/read_hdf5.h"

#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static char folder[] = "/tmp/kata_strange_XXXXXX";

/* ---- files ----------------------------------------------------------------------------------- */

static hid_t plane(hsize_t ny, hsize_t nx)
{
    return H5Screate_simple(2, (hsize_t[]){ny, nx}, NULL);
}

/* A dataset of doubles, with values unless `values` is NULL. */
static void add_dataset(hid_t file, const char *name, hid_t space, hid_t properties,
                        const double *values)
{
    hid_t set =
        H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_true(set >= 0);
    if (values)
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static hid_t dataset_properties(void) { return H5Pcreate(H5P_DATASET_CREATE); }

static void add_external(hid_t file)
{
    hid_t properties = dataset_properties();
    H5Pset_external(properties, "/etc/passwd", 0, NX * NY * sizeof(double));
    add_dataset(file, "external", plane(NY, NX), properties, NULL);
    H5Pclose(properties);
}

static void add_virtual(hid_t file)
{
    hid_t properties = dataset_properties(), source = plane(NY, NX);
    H5Pset_virtual(properties, source, "other.h5", "/u", source);
    add_dataset(file, "virtual", plane(NY, NX), properties, NULL);
    H5Sclose(source);
    H5Pclose(properties);
}

static void add_large_chunk(hid_t file)
{
    hid_t properties = dataset_properties();
    hid_t space =
        H5Screate_simple(2, (hsize_t[]){NY, NX}, (hsize_t[]){H5S_UNLIMITED, H5S_UNLIMITED});
    H5Pset_chunk(properties, 2, (hsize_t[]){8192, 8192});
    add_dataset(file, "chunk", space, properties, NULL);
    H5Pclose(properties);
}

static size_t pass_on(unsigned flags, size_t count, const unsigned *values, size_t bytes,
                      size_t *size, void **buffer)
{
    (void)flags;
    (void)count;
    (void)values;
    (void)size;
    (void)buffer;
    return bytes;
}

static void add_filtered(hid_t file, const double *values)
{
    enum { FILTER = 400 };
    const H5Z_class2_t own = {H5Z_CLASS_T_VERS, FILTER, 1, 1, "own", NULL, NULL, pass_on};
    hid_t properties = dataset_properties();
    assert_true(H5Zregister(&own) >= 0);
    H5Pset_chunk(properties, 2, (hsize_t[]){NY, NX});
    H5Pset_filter(properties, FILTER, 0, 0, NULL);
    add_dataset(file, "filtered", plane(NY, NX), properties, values);
    H5Pclose(properties);
    H5Zunregister(FILTER);
}

static void add_compressed(hid_t file, const double *values)
{
    hid_t properties = dataset_properties();
    H5Pset_chunk(properties, 2, (hsize_t[]){2, 2});
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, 6);
    add_dataset(file, "compressed", plane(NY, NX), properties, values);
    H5Pclose(properties);
}

static hid_t follow_nothing(const char *name, hid_t group, const void *data, size_t size,
                            hid_t properties, hid_t transfer)
{
    (void)transfer;
    (void)name;
    (void)group;
    (void)data;
    (void)size;
    (void)properties;
    return -1;
}

static void add_links(hid_t file)
{
    H5Lcreate_soft("/u", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/", file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
    const H5L_class_t own = {
        .version = H5L_LINK_CLASS_T_VERS, .id = (H5L_type_t)200, .trav_func = follow_nothing};
    assert_true(H5Lregister(&own) >= 0);
    H5Lcreate_ud(file, "defined", (H5L_type_t)200, "x", 1, H5P_DEFAULT, H5P_DEFAULT);
}

/* Where the header of a dataset lies. */
static haddr_t header_of(hid_t file, const char *name)
{
    H5O_info_t about;
    assert_true(H5Oget_info_by_name(file, name, &about, H5P_DEFAULT) >= 0);
    return about.addr;
}

static void spoil(const char *path, haddr_t at)
{
    static const char strange[] = {'\xff', '\xff', '\xff', '\xff'};
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(file, strange, sizeof strange, (off_t)at), sizeof strange);
    close(file);
}

static void write_files(void)
{
    double values[NX * NY];
    for (int i = 0; i < NX * NY; i++) values[i] = i;
    hid_t file = H5Fcreate("strange.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    add_dataset(file, "u", plane(NY, NX), H5P_DEFAULT, values);
    add_external(file);
    add_virtual(file);
    add_large_chunk(file);
    add_filtered(file, values);
    add_compressed(file, values);
    add_dataset(file, "empty", plane((hsize_t)1 << 20, (hsize_t)1 << 20), H5P_DEFAULT, NULL);
    add_dataset(file, "nothing", H5Screate(H5S_NULL), H5P_DEFAULT, NULL);
    add_dataset(file, "newer", plane(NY, NX), H5P_DEFAULT, values);
    const haddr_t newer = header_of(file, "newer");
    add_links(file);
    H5Fclose(file);
    spoil("strange.h5", newer);
    file = H5Fcreate("other.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    add_dataset(file, "u", plane(NY, NX), H5P_DEFAULT, values);
    H5Fclose(file);
}

/* ---- what is refused, and what is not -------------------------------------------------------- */

static const struct refusal {
    const char *dataset, *reason;
} refusals[] = {
    {"external", "the dataset's values are in another file; copy them into this one"},
    {"virtual", "the dataset is a virtual one, made of others; copy it into one"},
    {"chunk", "a chunk of the dataset takes 536870912 bytes, and all its values 120"},
    {"filtered", "the dataset is compressed by filter 400, which is not part of HDF5; repack it "
                 "with gzip"},
    {"empty", "the dataset's values take 8796093022208 bytes, and the file has 0 of them"},
    {"soft", "/soft is a soft link; give the path that it points to"},
    {"elsewhere/u", "/elsewhere is a link to another file; give that file"},
    {"defined", "/defined is a link of a kind that is not followed"},
    {"none", "it has no dataset /none"},
    {"nothing", "the dataset holds no values"},
    {"newer", "HDF5 cannot open /newer: it is damaged, or written by a newer HDF5"},
};

static void test_what_reads_other_files_is_refused(void **state)
{
    (void)state;
    kata *k = kata_open(&(kata_options){.handler = ignore});
    kata_field *u = kata_field_new(kata_grid_2d(k, NX, NY), "u", KATA_F64);
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        char path[64], message[256];
        kata_shape shape;
        snprintf(path, sizeof path, "strange.h5:/%s", refusals[i].dataset);
        snprintf(message, sizeof message, "error: cannot read strange.h5: %s", refusals[i].reason);
        assert_int_equal(kata_load(u, path), KATA_ERROR_FILE);
        assert_string_equal(kata_error_message(k), message);
        kata_error_clear(k);
        assert_int_equal(kata_file_shape(k, path, 1, &shape), KATA_ERROR_FILE);
        assert_string_equal(kata_error_message(k), message);
        kata_error_clear(k);
    }
    kata_close(k);
}

static void test_ordinary_datasets_are_read(void **state)
{
    (void)state;
    static const char *const paths[] = {"strange.h5:/u", "strange.h5:/compressed", "other.h5:/u"};
    kata *k = kata_open(&(kata_options){.handler = ignore});
    kata_field *u = kata_field_new(kata_grid_2d(k, NX, NY), "u", KATA_F64);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        double values[NX * NY] = {0};
        assert_int_equal(kata_load(u, paths[i]), KATA_OK);
        assert_int_equal(kata_get(u, kata_on(u), values, NX * NY), KATA_OK);
        for (int v = 0; v < NX * NY; v++) assert_true(values[v] == v);
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

/* ---- a process that goes wrong --------------------------------------------------------------- */

/* Loads with a shell script instead of the program that reads. */
static void load_by_script(kata *k, kata_field *u, const char *script, const char *reason)
{
    char here[256], program[300], message[512];
    FILE *file = fopen("reader", "w");
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    chmod("reader", 0755);
    snprintf(program, sizeof program, "%s/reader", getcwd(here, sizeof here));
    const char *before = getenv("KATA_READ_HDF5");
    char *old = before ? strdup(before) : NULL;
    setenv("KATA_READ_HDF5", program, 1);
    snprintf(message, sizeof message, "error: cannot read other.h5: %s", reason);
    assert_int_equal(kata_load(u, "other.h5:/u"), KATA_ERROR_FILE);
    assert_string_equal(kata_error_message(k), message);
    if (old) setenv("KATA_READ_HDF5", old, 1);
    free(old);
    unlink("reader");
}

static void expect_of_script(const char *script, const char *reason)
{
    kata *k = kata_open(&(kata_options){.handler = ignore});
    kata_field *u = kata_field_new(kata_grid_2d(k, NX, NY), "u", KATA_F64);
    load_by_script(k, u, script, reason);
    kata_close(k);
}

static void test_a_process_that_goes_wrong_is_an_error(void **state)
{
    (void)state;
    static const char crash[] = "HDF5 crashes on it, so it is damaged or made to do so";
    static const char early[] = "the process that reads HDF5 files ended too early";
    expect_of_script("kill -SEGV $$", crash);
    expect_of_script("kill -ABRT $$", crash);
    expect_of_script("kill -XCPU $$",
                     "to read it takes too long, or too much memory; it may be made to do so");
    expect_of_script("exit 0", early);
    expect_of_script("head -c 1000 /dev/zero", early);
    expect_of_script("yes | head -c 100000", early);
}

/* A small field that queued loops read gets another place for new values: it keeps the old ones
 * until these come. */
static void test_values_that_do_not_come_leave_a_field_as_it_was(void **state)
{
    const char *reader = getenv("KATA_READ_HDF5");
    char script[1024];
    world w;
    (void)state;
    if (!reader) skip();
    snprintf(script, sizeof script, "\"%s\" \"$@\" | if [ $4 = 0 ]; then cat; else head -c %zu; fi",
             reader, sizeof(reader_reply));
    open_world(&w);
    kata_apply(find(&w, "where"), kata_on(w.u), w.u);
    assert_true(at(&w, w.u, 3, 2) == 23);
    kata_apply(find(&w, "shift"), kata_on(w.v), w.u, w.v);
    load_by_script(w.k, w.u, script, "the process that reads HDF5 files ended too early");
    kata_error_clear(w.k);
    assert_true(at(&w, w.u, 3, 2) == 23);
    assert_true(at(&w, w.v, 3, 2) == 22);
    close_world(&w);
}

/* Only the time counts in which values are waited for: a program may run queued loops for hours
 * before it takes them. */
static void test_a_process_may_wait(void **state)
{
    const reader_request request = {READER_DATASET, "/u", KATA_F64, POINTS * sizeof(double)};
    const char *program = getenv("KATA_READ_HDF5"), *reason;
    double values[POINTS] = {0};
    reader_reply reply;
    io_reader p;
    (void)state;
    if (!program) skip();
    const int file = open("other.h5", O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    if (!io_reader_start(&p, program, file, &request, &reply, &reason)) fail_msg("%s", reason);
    p.left = 0.2;
    usleep(300000);
    assert_true(io_reader_take(&p, values, sizeof values, &reason));
    assert_true(values[1] != values[0]);
    io_reader_end(&p);
    close(file);
}

static void test_a_missing_program_is_an_error(void **state)
{
    (void)state;
    kata *k = kata_open(&(kata_options){.handler = ignore});
    kata_field *u = kata_field_new(kata_grid_2d(k, NX, NY), "u", KATA_F64);
    const char *before = getenv("KATA_READ_HDF5");
    char *old = before ? strdup(before) : NULL;
    setenv("KATA_READ_HDF5", "/nowhere/reader", 1);
    kata_status status = kata_load(u, "other.h5:/u");
    if (status) /* else it was found where it is installed */
        assert_non_null(strstr(kata_error_message(k),
                               "the program kata-read-hdf5, which reads HDF5 files, is at none of "
                               "/nowhere/reader"));
    if (old) setenv("KATA_READ_HDF5", old, 1);
    free(old);
    kata_close(k);
}

/* ---- confinement ----------------------------------------------------------------------------- */

/* What a confined process can still do, as bits. */
static int escapes(void)
{
    int found = 0;
    size_t large = (size_t)8 << 30;
    if (open("/etc/passwd", O_RDONLY) >= 0) found |= 1;
    if (open("made", O_CREAT | O_WRONLY, 0600) >= 0) found |= 2;
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0) found |= 4;
    if (dup(0) >= 0) found |= 8;
    if (kill(getppid(), 0) == 0) found |= 16;
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) found |= 32;
    if (mmap(NULL, large, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) found |= 64;
    return found;
}

static void test_the_process_can_only_read(void **state)
{
    (void)state;
    pid_t child = fork();
    /* by the system call: sanitizers do more in _exit than this process can */
    if (child == 0) syscall(SYS_exit_group, reader_confine(1000) ? escapes() : 128);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
#if defined(__x86_64__) || defined(__aarch64__)
    assert_int_equal(WEXITSTATUS(status), 0);
#else
    assert_int_equal(WEXITSTATUS(status) & ~(16 | 32), 0); /* by limits alone */
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_reads_other_files_is_refused),
        cmocka_unit_test(test_ordinary_datasets_are_read),
        cmocka_unit_test(test_a_process_that_goes_wrong_is_an_error),
        cmocka_unit_test(test_values_that_do_not_come_leave_a_field_as_it_was),
        cmocka_unit_test(test_a_process_may_wait),
        cmocka_unit_test(test_a_missing_program_is_an_error),
        cmocka_unit_test(test_the_process_can_only_read),
    };
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    write_files();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink("strange.h5");
    unlink("other.h5");
    return rmdir(folder) ? 1 : failed;
}
