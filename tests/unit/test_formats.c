/* Fields come back from files of every format as they were saved, or not at all; and what does not
 * fit is refused. */
#include "files_world.h"

#include <sys/stat.h>

static kata_grid *grid_of(world *w, const int64_t size[3], int rank)
{
    return rank == 1   ? kata_grid_1d(w->k, size[0])
           : rank == 2 ? kata_grid_2d(w->k, size[0], size[1])
                       : kata_grid_3d(w->k, size[0], size[1], size[2]);
}

static void check_round_trip(world *w, const char *path, int rank, const int64_t size[3],
                             int components, kata_type type)
{
    enum { MOST = 128 };
    int64_t values[MOST] = {0}, read[MOST] = {0};
    int64_t count = size[0] * size[1] * size[2] * components;
    kata_grid *g = grid_of(w, size, rank);
    kata_range all = kata_all(g);
    kata_field *u = kata_field_new(g, "u", type, .components = components);
    kata_field *v = kata_field_new(g, "other", type, .components = components);
    for (int64_t i = 0; i < count; i++) {
        if (type == KATA_F64) ((double *)values)[i] = (double)i / 3;
        if (type == KATA_F32) ((float *)values)[i] = (float)i / 3;
        if (type == KATA_I64) values[i] = i << 40;
        if (type == KATA_I32) ((int32_t *)values)[i] = (int32_t)-i;
    }
    kata_put_values(u, &all, type, values, count);
    kata_save(u, path);
    kata_load(v, path);
    kata_get_values(v, &all, type, read, count);
    assert_string_equal(w->message, "");
    assert_memory_equal(values, read, sizeof values);
}

static void test_fields_come_back_as_they_were_saved(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{7, 1, 1}, {1, 1, 1}, {4, 3, 1}, {4, 3, 2}, {4, 1, 3}};
    static const int ranks[] = {1, 2, 2, 3, 3};
    static const char *const paths[] = {"round.npy", "round.vtkhdf", "round.h5"};
    world w;
    open_world(&w);
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (size_t p = 0; p < COUNT_OF(paths); p++)
            for (int components = 1; components <= 3; components += 2)
                for (int type = KATA_F64; type <= KATA_I32; type++)
                    check_round_trip(&w, paths[p], ranks[s], sizes[s], components, (kata_type)type);
    close_world(&w);
}

/* Fields of any shapes; by name, or where there is one, whatever its name. */
static void test_hdf5_files_hold_fields_by_name(void **state)
{
    (void)state;
    world w;
    kata_shape shape;
    float two[2] = {0};
    open_world(&w);
    kata_field *u = kata_field_new(kata_grid_2d(w.k, 3, 2), "u", KATA_F64, .components = 2);
    kata_field *n = kata_field_new(kata_grid_1d(w.k, 2), "n", KATA_F16);
    kata_field *other = kata_field_new(kata_grid_1d(w.k, 2), "other", KATA_F32);
    kata_put(n, kata_on(n), ((float[]){1.5f, -2}), 2);
    assert_int_equal(kata_save(u, "several.h5", .with = {n}), KATA_OK);
    assert_int_equal(kata_load(n, "several.h5"), KATA_OK);
    assert_int_equal(kata_load(u, "several.h5:/u"), KATA_OK);
    assert_int_equal(kata_file_shape(w.k, "several.h5:/u", 2, &shape), KATA_OK);
    assert_true(shape.rank == 2 && shape.size[0] == 3 && shape.components == 2);
    assert_int_equal(kata_load(other, "several.h5"), KATA_ERROR_FILE);
    assert_string_equal(w.message, "error: cannot read several.h5: it has no dataset 'other' in /; "
                                   "it has n, u");
    kata_error_clear(w.k);
    assert_int_equal(kata_save(n, "several.h5"), KATA_OK);
    assert_int_equal(kata_load(other, "several.h5"), KATA_OK);
    kata_get(other, kata_on(other), two, 2);
    assert_true(two[0] == 1.5f && two[1] == -2);
    close_world(&w);
}

static void test_shape_of_vtkhdf_and_datasets(void **state)
{
    (void)state;
    world w;
    kata_shape shape;
    open_world(&w);
    kata_grid *g = kata_grid_3d(w.k, 5, 4, 3);
    kata_save(kata_field_new(g, "u", KATA_F32, .components = 2), "shape.vtkhdf");
    assert_int_equal(kata_file_shape(w.k, "shape.vtkhdf", 0, &shape), KATA_OK);
    assert_true(shape.rank == 3 && shape.size[0] == 5 && shape.size[2] == 3);
    assert_true(shape.components == 2 && shape.type == KATA_F32);
    kata_save(kata_field_new(g, "u", KATA_I64), "shape.vtkhdf");
    assert_int_equal(kata_file_shape(w.k, "shape.vtkhdf:/VTKHDF/PointData/u", 0, &shape), KATA_OK);
    assert_true(shape.rank == 3 && shape.size[1] == 4 && shape.type == KATA_I64);
    kata_field *n = kata_field_new(g, "n", KATA_I64);
    assert_int_equal(kata_load(n, "shape.vtkhdf:/VTKHDF/PointData/u"), KATA_OK);
    close_world(&w);
}

/* Runs a load that fails; complains unless it does with this message. */
static void expect_refused(world *w, kata_field *field, const char *path, const char *message)
{
    assert_int_not_equal(kata_load(field, path), KATA_OK);
    assert_string_equal(w->message, message);
    kata_error_clear(w->k);
}

static void test_pipes_are_not_written_in_any_format(void **state)
{
    (void)state;
    static const char *const paths[] = {"pipe.npy", "pipe.png", "pipe.h5", "pipe.vtkhdf"};
    char expected[100];
    world w;
    open_world(&w);
    kata_field *u = kata_field_new(kata_grid_2d(w.k, 2, 2), "u", KATA_F64);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        assert_int_equal(mkfifo(paths[i], 0600), 0);
        assert_int_equal(kata_save(u, paths[i]), KATA_ERROR_FILE);
        snprintf(expected, sizeof expected, "error: cannot write %s: it is not an ordinary file",
                 paths[i]);
        assert_string_equal(w.message, expected);
        kata_error_clear(w.k);
        assert_int_equal(unlink(paths[i]), 0);
    }
    close_world(&w);
}

static void test_loads_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_grid *g = kata_grid_2d(w.k, 5, 4);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *n = kata_field_new(g, "n", KATA_I32);
    kata_field *larger = kata_field_new(kata_grid_2d(w.k, 5, 5), "larger", KATA_F64);
    kata_save(u, "fit.npy");
    kata_save(u, "fit.vtkhdf");
    expect_refused(&w, larger, "fit.npy",
                   "error: fit.npy: the array is 4 x 5, and field 'larger' takes 5 x 5");
    expect_refused(&w, n, "fit.npy",
                   "error: fit.npy: the array holds f64, and field 'n' i32\n"
                   "  convert the array before, or declare the field as f64");
    expect_refused(&w, larger, "fit.vtkhdf",
                   "error: fit.vtkhdf: the array is 4 x 5, and field 'larger' takes 5 x 5");
    expect_refused(&w, u, "fit.vtkhdf:/VTKHDF/PointData/v",
                   "error: cannot read fit.vtkhdf: it has no dataset /VTKHDF/PointData/v");
    expect_refused(&w, u, "fit.npy:/x",
                   "error: cannot read fit.npy: it is not an HDF5 file, or is damaged");
    expect_refused(&w, u, "none.npy", "error: cannot read none.npy: No such file or directory");
    expect_refused(&w, u, "none.h5:/x", "error: cannot read none.h5: No such file or directory");
    expect_refused(&w, u, "none:/fit.npy",
                   "error: cannot read none:/fit.npy: No such file or directory");
    expect_refused(&w, u, "u.txt",
                   "error: kata_load: cannot tell the format of 'u.txt'; known endings are .png, "
                   ".npy, .vtkhdf, .nc and .h5, and FILE.h5:/DATASET");
    close_world(&w);
}

/* A small file may hold a large image: its size is compared before its pixels are unpacked, so that
 * it does not matter that these are missing here. */
static void test_images_of_another_size_are_not_unpacked(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_field *large = kata_field_new(kata_grid_2d(w.k, 70, 60), "large", KATA_F64);
    kata_field *u = kata_field_new(kata_grid_2d(w.k, 5, 4), "u", KATA_F64);
    kata_save(large, "large.png");
    assert_int_equal(truncate("large.png", 60), 0);
    expect_refused(&w, u, "large.png",
                   "error: large.png: the image has 70 x 60 pixels and field 'u' 5 x 4 points");
    unlink("large.png");
    close_world(&w);
}

static void test_a_failed_save_leaves_no_file(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_field *u = kata_field_new(kata_grid_1d(w.k, 3), "u", KATA_F64);
    assert_int_equal(kata_save(u, "no/folder.npy"), KATA_ERROR_FILE);
    assert_string_equal(w.message, "error: cannot write no/folder.npy: No such file or directory");
    kata_error_clear(w.k);
    close_world(&w);
}

int main(void)
{
    char folder[] = "/tmp/kata_formats_XXXXXX";
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_come_back_as_they_were_saved),
        cmocka_unit_test(test_hdf5_files_hold_fields_by_name),
        cmocka_unit_test(test_shape_of_vtkhdf_and_datasets),
        cmocka_unit_test(test_pipes_are_not_written_in_any_format),
        cmocka_unit_test(test_loads_that_do_not_fit_are_refused),
        cmocka_unit_test(test_images_of_another_size_are_not_unpacked),
        cmocka_unit_test(test_a_failed_save_leaves_no_file),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const files[] = {"round.h5",     "several.h5", "round.npy", "round.vtkhdf",
                                        "shape.vtkhdf", "fit.npy",    "fit.vtkhdf"};
    for (size_t i = 0; i < COUNT_OF(files); i++) unlink(files[i]);
    return failures || chdir("/") || rmdir(folder);
}
