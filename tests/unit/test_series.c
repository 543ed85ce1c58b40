/* VTKHDF files of several fields and of time steps, as the specification has them: where points lie
 * for each staggering, what belongs together, and files that are whole after each step. */
#include "api_world.h"

#include <dirent.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>

static char folder[] = "/tmp/kata_series_XXXXXX";

typedef struct errors {
    kata *k;
    char message[512];
} errors;

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(((errors *)data)->message, sizeof((errors *)0)->message, "%s", message);
}

static void open_errors(errors *e)
{
    *e = (errors){0};
    e->k = kata_open(&(kata_options){.handler = keep_message, .handler_data = e});
    assert_non_null(e->k);
}

/* Steps are written behind: adds one, and waits for it. */
static kata_status add(const errors *e, kata_series *s, double time)
{
    kata_status status = kata_series_add(s, time);
    return status ? status : kata_output_wait(e->k);
}

/* ---- reading back ---------------------------------------------------------------------------- */

static hid_t open_file(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void assert_doubles(hid_t file, const char *name, const double expected[3])
{
    double found[3];
    hid_t attribute = H5Aopen_by_name(file, "VTKHDF", name, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, found) >= 0);
    for (int d = 0; d < 3; d++) assert_true(found[d] == expected[d]);
    H5Aclose(attribute);
}

/* A dataset's values as doubles; its size goes to `size`. Returns the number of axes. */
static int read_dataset(hid_t file, const char *path, hsize_t size[5], double *values, int most)
{
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    assert_true(set >= 0);
    hid_t space = H5Dget_space(set);
    assert_true(H5Sget_simple_extent_npoints(space) <= most);
    int axes = H5Sget_simple_extent_dims(space, size, NULL);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return axes;
}

static int64_t count_steps(hid_t file)
{
    int64_t steps = 0;
    hid_t attribute = H5Aopen_by_name(file, "VTKHDF/Steps", "NSteps", H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT64, &steps) >= 0);
    H5Aclose(attribute);
    return steps;
}

static int files_here(void)
{
    DIR *here = opendir(".");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(here));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(here);
    return count;
}

/* ---- where points lie ------------------------------------------------------------------------ */

static void test_faces_lie_half_a_cell_before_cells(void **state)
{
    (void)state;
    errors e;
    open_errors(&e);
    kata_grid *g = kata_grid_3d(e.k, 4, 3, 2);
    for (int staggered = 0; staggered < 8; staggered++) {
        kata_field *u = kata_field_new(g, "u", KATA_F64, .staggered = staggered);
        assert_int_equal(kata_save(u, "a.vtkhdf", .spacing = 0.5, .spacing_y = 2, .spacing_z = 8,
                                   .origin = {10, 20, 30}),
                         KATA_OK);
        hid_t file = open_file("a.vtkhdf");
        assert_doubles(file, "Spacing", (double[]){0.5, 2, 8});
        assert_doubles(file, "Origin",
                       (double[]){staggered & KATA_X ? 9.75 : 10, staggered & KATA_Y ? 19 : 20,
                                  staggered & KATA_Z ? 26 : 30});
        H5Fclose(file);
    }
    unlink("a.vtkhdf");
    assert_int_equal(kata_close(e.k), KATA_OK);
}

static void assert_cells_and_corners(const char *path, bool cells)
{
    hid_t file = open_file(path);
    assert_doubles(file, "Origin", (double[]){-0.25, -0.25, 0});
    assert_true(H5Lexists(file, "/VTKHDF/PointData/c", H5P_DEFAULT) > 0);
    if (cells) assert_true(H5Lexists(file, "/VTKHDF/CellData/u", H5P_DEFAULT) > 0);
    H5Fclose(file);
}

static void test_corners_may_come_before_cells(void **state)
{
    (void)state;
    errors e;
    open_errors(&e);
    kata_grid *g = kata_grid_2d(e.k, NX, NY);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_field *c = kata_field_new(g, "c", KATA_F64, .staggered = KATA_X | KATA_Y);
    assert_int_equal(kata_save(u, "a.vtkhdf", .spacing = 0.5, .with = {c}), KATA_OK);
    assert_cells_and_corners("a.vtkhdf", true);
    kata_fill(u, kata_all(g), 3);
    assert_int_equal(kata_save(c, "a.vtkhdf", .spacing = 0.5, .with = {u}), KATA_OK);
    assert_cells_and_corners("a.vtkhdf", true);
    double values[NX * NY];
    assert_int_equal(kata_load(u, "a.vtkhdf"), KATA_OK);
    assert_int_equal(kata_load(c, "a.vtkhdf"), KATA_OK);
    assert_int_equal(kata_get(u, kata_all(g), values, NX * NY), KATA_OK);
    for (int i = 0; i < NX * NY; i++) assert_true(values[i] == 3);
    assert_int_equal(kata_save(c, "a.vtkhdf", .spacing = 0.5, .cells = true), KATA_OK);
    assert_cells_and_corners("a.vtkhdf", false);
    unlink("a.vtkhdf");
    assert_int_equal(kata_close(e.k), KATA_OK);
}

static void test_spacing_is_that_along_x_unless_given(void **state)
{
    (void)state;
    errors e;
    open_errors(&e);
    kata_field *u = kata_field_new(kata_grid_2d(e.k, 4, 3), "u", KATA_F64);
    kata_save(u, "a.vtkhdf", .spacing = 0.5, .spacing_z = 3);
    hid_t file = open_file("a.vtkhdf");
    assert_doubles(file, "Spacing", (double[]){0.5, 0.5, 3});
    assert_doubles(file, "Origin", (double[]){0, 0, 0});
    H5Fclose(file);
    unlink("a.vtkhdf");
    assert_int_equal(kata_close(e.k), KATA_OK);
}

/* ---- series ---------------------------------------------------------------------------------- */

enum { NZ = 2, CELLS = NX * NY * NZ, STEPS = 5 };

/* Values of a step that tell step, component and point. */
static void set_step(kata_field *u, int components, int step)
{
    double values[3 * CELLS];
    for (int i = 0; i < components * CELLS; i++) values[i] = 1000 * step + i;
    assert_int_equal(kata_put(u, kata_on(u), values, components * CELLS), KATA_OK);
}

static void check_scalar(hid_t file, int steps)
{
    double values[STEPS * CELLS];
    hsize_t size[5];
    assert_int_equal(read_dataset(file, "VTKHDF/PointData/u", size, values, STEPS * CELLS), 4);
    assert_true(size[0] == (hsize_t)steps && size[1] == NZ && size[2] == NY && size[3] == NX);
    for (int i = 0; i < steps * CELLS; i++)
        assert_true(values[i] == 1000 * (i / CELLS) + i % CELLS);
}

static void check_vector(hid_t file, int steps)
{
    double values[STEPS * CELLS * 3];
    hsize_t size[5];
    assert_int_equal(read_dataset(file, "VTKHDF/PointData/v", size, values, STEPS * CELLS * 3), 5);
    assert_true(size[0] == (hsize_t)steps && size[3] == NX && size[4] == 3);
    for (int i = 0; i < steps * CELLS * 3; i++) {
        int point = i / 3 % CELLS, component = i % 3, step = i / 3 / CELLS;
        assert_true(values[i] == 1000 * step + component * CELLS + point);
    }
}

static void check_steps(int steps)
{
    static const char *const offsets[] = {"VTKHDF/Steps/PointDataOffsets/u",
                                          "VTKHDF/Steps/PointDataOffsets/v"};
    double values[STEPS];
    hsize_t size[5];
    hid_t file = open_file("s.vtkhdf");
    assert_int_equal(count_steps(file), steps);
    assert_int_equal(read_dataset(file, "VTKHDF/Steps/Values", size, values, STEPS), 1);
    assert_int_equal(size[0], steps);
    for (int i = 0; i < steps; i++) assert_true(values[i] == 0.5 * i - 1);
    for (int o = 0; o < 2; o++) {
        assert_int_equal(read_dataset(file, offsets[o], size, values, STEPS), 1);
        for (int i = 0; i < steps; i++) assert_true(values[i] == i);
    }
    check_scalar(file, steps);
    check_vector(file, steps);
    H5Fclose(file);
}

static void test_a_series_is_whole_after_each_step(void **state)
{
    (void)state;
    errors e;
    double last[3 * CELLS];
    kata_shape shape;
    open_errors(&e);
    kata_grid *g = kata_grid_3d(e.k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_field *v = kata_field_new(g, "v", KATA_F32, .components = 3);
    kata_series *s = kata_series_new(u, "s.vtkhdf", .spacing = 0.5, .with = {v});
    assert_int_equal(files_here(), 0);
    for (int step = 0; step < STEPS; step++) {
        set_step(u, 1, step);
        set_step(v, 3, step);
        assert_int_equal(add(&e, s, 0.5 * step - 1), KATA_OK);
        check_steps(step + 1);
    }
    kata_field *w = kata_field_new(g, "v", KATA_F64, .components = 3);
    assert_int_equal(kata_load(w, "s.vtkhdf"), KATA_OK);
    kata_get(w, kata_on(w), last, 3 * CELLS);
    for (int i = 0; i < 3 * CELLS; i++) assert_true(last[i] == 1000 * (STEPS - 1) + i);
    assert_int_equal(kata_close(e.k), KATA_OK);
    e.k = kata_open(NULL);
    assert_int_equal(kata_file_shape(e.k, "s.vtkhdf:/VTKHDF/PointData/u", 0, &shape), KATA_OK);
    assert_true(shape.components == STEPS && shape.rank == 3);
    assert_int_equal(kata_close(e.k), KATA_OK);
    unlink("s.vtkhdf");
}

/* A line in many chunks, where a hostile build makes them small. */
static void test_steps_larger_than_a_chunk_come_back(void **state)
{
    (void)state;
    enum { LONG = 5003 };
    errors e;
    static double values[LONG];
    open_errors(&e);
    kata_field *u = kata_field_new(kata_grid_1d(e.k, LONG), "u", KATA_F64);
    kata_series *s = kata_series_new(u, "s.vtkhdf");
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < LONG; i++) values[i] = i + 0.5 * step;
        kata_put(u, kata_on(u), values, LONG);
        assert_int_equal(add(&e, s, step), KATA_OK);
    }
    kata_discard(u);
    assert_int_equal(kata_load(u, "s.vtkhdf"), KATA_OK);
    kata_get(u, kata_on(u), values, LONG);
    for (int i = 0; i < LONG; i++) assert_true(values[i] == i + 0.5);
    assert_int_equal(kata_close(e.k), KATA_OK);
    unlink("s.vtkhdf");
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void expect(errors *e, kata_status status, const char *message)
{
    assert_int_not_equal(status, KATA_OK);
    assert_string_equal(e->message, message);
    kata_error_clear(e->k);
}

static void test_fields_that_do_not_fit_together_are_refused(void **state)
{
    (void)state;
    errors e;
    open_errors(&e);
    kata_grid *g = kata_grid_2d(e.k, NX, NY);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_field *f = kata_field_new(g, "f", KATA_F64, .staggered = KATA_X);
    kata_field *other = kata_field_like(u, "u");
    expect(
        &e, kata_save(u, "a.vtkhdf", .with = {f}),
        "error: kata_save: field 'f' has other points than 'u'; an image has values at the cells "
        "of one grid and at their corners, so that fields of other sizes, or staggered along some "
        "dimensions, go to other files");
    expect(&e, kata_save(u, "a.h5", .with = {other}),
           "error: kata_save: two fields are called 'u'; in a file each has a name of its own");
    expect(&e, kata_save(u, "a.npy", .with = {f}),
           "error: kata_save: 'a.npy' holds one field; several go to .vtkhdf, .nc and .h5");
    expect(&e, kata_save(u, "a.vtkhdf", .spacing_y = -1), "error: kata_save: spacing_y is -1");
    expect(&e, kata_save(u, "a.vtkhdf", .origin = {0, NAN}), "error: kata_save: origin[1] is nan");
    assert_null(kata_series_new(u, "a.npy"));
    expect(&e, kata_error(e.k),
           "error: kata_series_new: 'a.npy' is one file; a series goes to .vtkhdf or .apng, or to "
           "files with numbers where their name has '#', as 'u-####.npy'");
    assert_int_equal(files_here(), 0);
    kata_close(e.k);
}

static void test_times_ascend(void **state)
{
    (void)state;
    errors e;
    open_errors(&e);
    kata_field *u = kata_field_new(kata_grid_2d(e.k, NX, NY), "u", KATA_F64);
    kata_series *s = kata_series_new(u, "s.vtkhdf");
    assert_int_equal(add(&e, s, 1), KATA_OK);
    expect(&e, add(&e, s, 1),
           "error: cannot write s.vtkhdf: the time of a step is 1, after one of 1");
    assert_int_equal(add(&e, s, 1.5), KATA_OK);
    assert_int_equal(unlink("s.vtkhdf"), 0);
    expect(&e, add(&e, s, 2), "error: cannot write s.vtkhdf: No such file or directory");
    assert_int_equal(kata_series_add(NULL, 2), KATA_ERROR_ARGUMENT);
    kata_close(e.k);
}

static void set_limit(rlim_t most)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A step that finds no space leaves the steps before it, and the series goes on when there is some.
 */
static void test_a_full_disk_leaves_the_steps_before(void **state)
{
    (void)state;
    errors e;
    open_errors(&e);
    kata_grid *g = kata_grid_3d(e.k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_field *v = kata_field_new(g, "v", KATA_F32, .components = 3);
    kata_series *s = kata_series_new(u, "s.vtkhdf", .with = {v});
    signal(SIGXFSZ, SIG_IGN);
    for (int step = 0; step < 3; step++) {
        set_step(u, 1, step);
        set_step(v, 3, step);
        set_limit(1000);
        expect(&e, add(&e, s, 0.5 * step - 1), "error: cannot write s.vtkhdf: File too large");
        set_limit(RLIM_INFINITY);
        if (step) check_steps(step);
        assert_int_equal(files_here(), step > 0);
        assert_int_equal(add(&e, s, 0.5 * step - 1), KATA_OK);
    }
    signal(SIGXFSZ, SIG_DFL);
    check_steps(3);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    unlink("s.vtkhdf");
    kata_close(e.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces_lie_half_a_cell_before_cells),
        cmocka_unit_test(test_corners_may_come_before_cells),
        cmocka_unit_test(test_spacing_is_that_along_x_unless_given),
        cmocka_unit_test(test_a_series_is_whole_after_each_step),
        cmocka_unit_test(test_steps_larger_than_a_chunk_come_back),
        cmocka_unit_test(test_fields_that_do_not_fit_together_are_refused),
        cmocka_unit_test(test_times_ascend),
        cmocka_unit_test(test_a_full_disk_leaves_the_steps_before),
    };
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) ? 1 : failed;
}
