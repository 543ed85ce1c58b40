/* Fields of many pieces come back from files: of every format, chunked in any way, as they are and
 * converted. Memory meanwhile is that of the field and a piece. A file that is damaged far inside
 * leaves a field without values, and one that is damaged before any is taken leaves it as it was.
 */
#include "files_world.h"

#include "io/reading.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { NX = 120, NY = 90, NZ = 110, POINTS = NX * NY * NZ }; /* of several pieces */

static double value_at(int64_t i, int component) { return (double)(i % 104729) * 0.5 - component; }

static kata_field *field_of(const world *w, const char *name, int components, kata_type type)
{
    return kata_field_new(kata_grid_3d(w->k, NX, NY, NZ), name, type, .components = components);
}

static void set(kata_field *u, int components)
{
    double *values = malloc((size_t)components * POINTS * sizeof *values);
    const kata_range all = kata_on(u);
    assert_non_null(values);
    for (int c = 0; c < components; c++)
        for (int64_t i = 0; i < POINTS; i++) values[c * INT64_C(1) * POINTS + i] = value_at(i, c);
    assert_int_equal(kata_put_values(u, &all, KATA_F64, values, components * (int64_t)POINTS),
                     KATA_OK);
    free(values);
}

static void check(kata_field *u, int components)
{
    double *values = malloc((size_t)components * POINTS * sizeof *values);
    const kata_range all = kata_on(u);
    assert_non_null(values);
    assert_int_equal(kata_get_values(u, &all, KATA_F64, values, components * (int64_t)POINTS),
                     KATA_OK);
    for (int c = 0; c < components; c++)
        for (int64_t i = 0; i < POINTS; i++)
            if (values[c * INT64_C(1) * POINTS + i] != value_at(i, c))
                fail_msg("component %d, point %lld: %g, not %g", c, (long long)i,
                         values[c * INT64_C(1) * POINTS + i], value_at(i, c));
    free(values);
}

static void fields_of_many_pieces_come_back(void **state)
{
    static const char *const paths[] = {"u.npy", "u.h5", "u.vtkhdf", "u.nc"};
    static const kata_type types[] = {KATA_F64, KATA_F32};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        for (int components = 1; components <= 3; components += 2)
            for (size_t t = 0; t < (components > 1 ? 1 : COUNT_OF(types)); t++) {
                world w;
                open_world(&w);
                kata_field *u = field_of(&w, "u", components, types[t]);
                set(u, components);
                assert_int_equal(kata_save(u, paths[i]), KATA_OK);
                kata_field *v = field_of(&w, "v", components, types[t]);
                if (kata_load(v, paths[i])) fail_msg("%s", w.message);
                check(v, components);
                close_world(&w);
            }
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* The dataset u of a file, of doubles in chunks with checksums and deflated. */
static void write_chunked(const char *path, const hsize_t chunk[3])
{
    const hsize_t size[3] = {NZ, NY, NX};
    double *values = malloc(POINTS * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < POINTS; i++) values[i] = value_at(i, 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, size, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 3, chunk);
    H5Pset_deflate(properties, 1);
    H5Pset_fletcher32(properties);
    hid_t set =
        H5Dcreate2(file, "u", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    H5Fclose(file);
    free(values);
}

static void chunks_of_any_shape_are_read(void **state)
{
    static const hsize_t chunks[][3] = {{1, 90, 120}, {16, 16, 16}, {110, 90, 120}, {110, 1, 7},
                                        {7, 90, 5},   {1, 1, 120},  {64, 90, 120}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(chunks); i++) {
        world w;
        open_world(&w);
        write_chunked("chunked.h5", chunks[i]);
        kata_field *u = field_of(&w, "u", 1, KATA_F64);
        if (kata_load(u, "chunked.h5")) fail_msg("%s", w.message);
        check(u, 1);
        close_world(&w);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int64_t most_bytes_so_far(void)
{
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    return used.ru_maxrss * INT64_C(1024);
}

/* In a process of its own: what it needs beside a field of 64 MB in a file. */
static int64_t bytes_to_load(const char *path)
{
    world w;
    open_limited(&w, 1 << 20, 1);
    kata_field *u = kata_field_new(kata_grid_3d(w.k, 200, 200, 200), "u", KATA_F64);
    const int64_t before = most_bytes_so_far();
    if (kata_load(u, path)) fail_msg("%s", w.message);
    const int64_t needed = most_bytes_so_far() - before;
    close_world(&w);
    return needed;
}

static void loading_needs_memory_for_a_piece(void **state)
{
    enum { MOST = 40 << 20 };
    static const char header[] =
        "{'descr': '<f8', 'fortran_order': False, 'shape': (200, 200, 200), }";
    int status;
    (void)state;
    write_npy("zeros.npy", header, "", 0);
    assert_int_equal(truncate("zeros.npy", (off_t)(10 + sizeof header - 1 + 8000000 * 8)), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int64_t needed = bytes_to_load("zeros.npy");
        fprintf(stderr, "             %lld bytes\n", (long long)needed);
        _exit(needed < MOST ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Changes bytes at a part of a file, from 0 to 1. */
static void damage(const char *path, double at)
{
    struct stat status;
    char bytes[64];
    const int file = open(path, O_RDWR);
    assert_true(file >= 0 && !fstat(file, &status));
    const off_t place = (off_t)(at * (double)status.st_size);
    assert_int_equal(pread(file, bytes, sizeof bytes, place), sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)~bytes[i];
    assert_int_equal(pwrite(file, bytes, sizeof bytes, place), sizeof bytes);
    close(file);
}

static void load_damaged(double at, bool keeps)
{
    world w;
    double value;
    open_world(&w);
    kata_grid *g = kata_grid_3d(w.k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    const kata_range one = kata_box_3d(g, 0, 1, 0, 1, 0, 1);
    set(u, 1);
    write_chunked("damaged.h5", (hsize_t[]){2, NY, NX});
    damage("damaged.h5", at);
    assert_int_equal(kata_load(u, "damaged.h5"), KATA_ERROR_FILE);
    assert_non_null(strstr(w.message, "cannot read damaged.h5: HDF5 cannot read the dataset's "
                                      "values"));
    kata_error_clear(w.k);
    if (keeps) {
        check(u, 1);
    } else {
        assert_int_equal(kata_get_values(u, &one, KATA_F64, &value, 1), KATA_ERROR_ARGUMENT);
        assert_non_null(strstr(w.message, "u"));
        kata_error_clear(w.k);
        set(u, 1);
        check(u, 1);
    }
    close_world(&w);
}

static void damage_far_inside_is_an_error(void **state)
{
    (void)state;
    load_damaged(0.1, true);
    load_damaged(0.9, false);
}

/* ---- change ---------------------------------------------------------------------------------- */

/* A file whose array has another shape than it had before: its values are not opened. */
static void files_that_change_are_not_opened(void **state)
{
    static const char *const paths[] = {"u.npy", "u.h5"};
    const io_dataset d = {"u.h5", "/u", IO_DATASET};
    io_array before = {.type = KATA_F64, .axes = 2, .size = {3, 2}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        world w;
        messages m = {.silent = true};
        io_reading values = {0};
        open_world(&w);
        kata_field *u = kata_field_new(kata_grid_2d(w.k, 3, 2), "u", KATA_F64);
        assert_int_equal(kata_save(u, paths[i]), KATA_OK);
        const kata_status status = i ? io_hdf5_open(&d, &before, &values, &m)
                                     : io_npy_open(paths[i], &before, &values, &m);
        assert_int_equal(status, KATA_ERROR_FILE);
        assert_non_null(strstr(text_get(&m.body), "it has changed while it was read"));
        assert_null(values.end);
        message_free(&m);
        close_world(&w);
    }
}

int main(void)
{
    char folder[] = "/tmp/kata_large_files_XXXXXX";
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_many_pieces_come_back),
        cmocka_unit_test(chunks_of_any_shape_are_read),
        cmocka_unit_test(loading_needs_memory_for_a_piece),
        cmocka_unit_test(damage_far_inside_is_an_error),
        cmocka_unit_test(files_that_change_are_not_opened),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const files[] = {"u.npy",      "u.h5",       "u.vtkhdf", "u.nc",
                                        "chunked.h5", "damaged.h5", "zeros.npy"};
    for (size_t i = 0; i < COUNT_OF(files); i++) unlink(files[i]);
    return failures || chdir("/") || rmdir(folder);
}
