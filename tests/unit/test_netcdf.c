/* Fields on grids in netCDF-4 files: axes have names, and coordinates that tell where cells and
 * faces lie; and values that are read again. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>
#include <hdf5_hl.h>
#include <cmocka.h>

enum { MOST = 1 << 14 };
static const char path[] = "grid.nc";
static char folder[] = "/tmp/kata_netcdf_XXXXXX";
static double found[MOST];

static int make_folder(void **unused)
{
    (void)unused;
    return !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **unused)
{
    (void)unused;
    return chdir("/") || rmdir(folder);
}

/* ---- fields ---------------------------------------------------------------------------------- */

static double value_at(int i) { return i % 100; }

/* Values that tell their places. */
static kata_field *number(kata_field *f, int count)
{
    static double values[MOST];
    assert_true(count <= MOST);
    for (int i = 0; i < count; i++) values[i] = value_at(i);
    assert_int_equal(kata_put(f, kata_on(f), values, count), KATA_OK);
    return f;
}

/* The same of integers of so many bytes. */
static kata_field *number_integers(kata_field *f, kata_type type, size_t bytes, int count)
{
    static char values[MOST];
    const kata_range all = kata_on(f);
    assert_true((size_t)count * bytes <= MOST);
    for (int i = 0; i < count; i++) {
        const int64_t value = (int64_t)value_at(i);
        memcpy(values + (size_t)i * bytes, &value, bytes);
    }
    assert_int_equal(kata_put_values(f, &all, type, values, count), KATA_OK);
    return f;
}

static void assert_numbered(kata_field *f, int count)
{
    assert_int_equal(kata_get(f, kata_on(f), found, count), KATA_OK);
    for (int i = 0; i < count; i++) assert_true(found[i] == value_at(i));
}

static void assert_integers(kata_field *f, kata_type type, size_t bytes, int count)
{
    const kata_range all = kata_on(f);
    char *values = (char *)found;
    assert_int_equal(kata_get_values(f, &all, type, values, count), KATA_OK);
    for (int i = 0; i < count; i++) {
        int64_t value = 0;
        memcpy(&value, values + (size_t)i * bytes, bytes);
        assert_int_equal(value, value_at(i));
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static hid_t open_in(hid_t *file, const char *name)
{
    *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(*file >= 0);
    hid_t object = H5Oopen(*file, name, H5P_DEFAULT);
    if (object < 0) fail_msg("there is no %s", name);
    return object;
}

static void close_in(hid_t file, hid_t object)
{
    H5Oclose(object);
    H5Fclose(file);
}

static void expect_values(const char *name, int count)
{
    hid_t file, set = open_in(&file, name), space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), count);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    for (int i = 0; i < count; i++) assert_true(found[i] == value_at(i));
    H5Sclose(space);
    close_in(file, set);
}

/* Coordinates of f64, a scale of HDF5 that has the name of its axis. */
static void expect_coordinates(const char *name, const char *letter, int count, double origin,
                               double spacing)
{
    char said[8] = "";
    hid_t file, set = open_in(&file, name), space = H5Dget_space(set), type = H5Dget_type(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), count);
    assert_true(H5Tequal(type, H5T_IEEE_F64LE) > 0);
    assert_true(H5DSis_scale(set) > 0);
    H5DSget_scale_name(set, said, sizeof said);
    assert_string_equal(said, name);
    memset(said, 0, sizeof said);
    assert_true(H5LTget_attribute_string(file, name, "axis", said) >= 0);
    assert_string_equal(said, letter);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    for (int i = 0; i < count; i++) assert_true(found[i] == origin + i * spacing);
    H5Tclose(type);
    H5Sclose(space);
    close_in(file, set);
}

static herr_t add_name(hid_t set, unsigned axis, hid_t scale, void *data)
{
    char name[64], *all = data;
    (void)set, (void)axis;
    H5Iget_name(scale, name, sizeof name);
    strcat(strcat(all, name + 1), " ");
    return 0;
}

/* The names of a variable's axes, and the type of its values. */
static void expect_variable(const char *name, hid_t type, const char *axes)
{
    char names[400] = "";
    hid_t file, set = open_in(&file, name), space = H5Dget_space(set), own = H5Dget_type(set);
    for (int i = 0; i < H5Sget_simple_extent_ndims(space); i++)
        assert_true(H5DSiterate_scales(set, (unsigned)i, NULL, add_name, names) >= 0);
    assert_string_equal(names, axes);
    assert_true(H5Tequal(own, type) > 0);
    H5Tclose(own);
    H5Sclose(space);
    close_in(file, set);
}

static void expect_text(const char *name, const char *attribute, const char *expected)
{
    char said[200] = "";
    hid_t file, object = open_in(&file, name);
    assert_true(H5LTget_attribute_string(file, name, attribute, said) >= 0);
    assert_string_equal(said, expected);
    close_in(file, object);
}

static void expect_time(const char *name, double expected)
{
    double said = -1;
    hid_t file, object = open_in(&file, name);
    assert_true(H5LTget_attribute_double(file, name, "time", &said) >= 0);
    assert_true(said == expected);
    close_in(file, object);
}

static void expect_lacks(const char *name)
{
    hid_t file, root = open_in(&file, "/");
    assert_int_equal(H5Lexists(file, name, H5P_DEFAULT), 0);
    close_in(file, root);
}

/* ---- what files have ------------------------------------------------------------------------- */

static void axes_have_coordinates(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_3d(k, 7, 5, 3);
    kata_field *u = number(kata_field_new(g, "u", KATA_F64, .units = "m s-1"), 105);
    kata_field *v = number(kata_field_new(g, "v", KATA_F32, .components = 2), 210);
    assert_int_equal(kata_save(u, path, .spacing = 0.5, .spacing_z = 10, .origin = {1, 2, 3},
                               .with = {v}, .time = 2.5),
                     KATA_OK);
    expect_text("/", "Conventions", "CF-1.8");
    expect_variable("u", H5T_IEEE_F64LE, "z y x ");
    expect_variable("v", H5T_IEEE_F32LE, "components_2 z y x ");
    expect_coordinates("x", "X", 7, 1, 0.5);
    expect_coordinates("y", "Y", 5, 2, 0.5);
    expect_coordinates("z", "Z", 3, 3, 10);
    expect_values("u", 105);
    expect_values("v", 210);
    expect_text("u", "units", "m s-1");
    expect_time("u", 2.5);
    expect_time("v", 2.5);
    expect_lacks("x_face");
    assert_int_equal(kata_close(k), KATA_OK);
    remove(path);
}

/* Half a spacing before, and one more, but where the last one is the first one again. */
static void faces_lie_between_cells(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_2d(k, 5, 3);
    kata_field *p = number(kata_field_new(g, "p", KATA_F64), 15);
    kata_field *u = number(kata_field_new(g, "u", KATA_F64, .staggered = KATA_X), 18);
    kata_field *v = number(
        kata_field_new(g, "v", KATA_F64, .staggered = KATA_Y, .boundary = KATA_PERIODIC), 15);
    assert_int_equal(
        kata_save(p, path, .spacing = 0.5, .spacing_y = 4, .origin = {1, 2}, .with = {u, v}),
        KATA_OK);
    expect_variable("p", H5T_IEEE_F64LE, "y x ");
    expect_variable("u", H5T_IEEE_F64LE, "y x_face ");
    expect_variable("v", H5T_IEEE_F64LE, "y_face x ");
    expect_coordinates("x", "X", 5, 1, 0.5);
    expect_coordinates("x_face", "X", 6, 0.75, 0.5);
    expect_coordinates("y", "Y", 3, 2, 4);
    expect_coordinates("y_face", "Y", 3, 0, 4);
    expect_values("p", 15);
    expect_values("u", 18);
    expect_values("v", 15);
    expect_time("p", 0);
    assert_int_equal(kata_close(k), KATA_OK);
    remove(path);
}

/* A field has the axes along which it extends, and several grids those that agree. */
static void fields_of_lower_rank_lack_axes(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_3d(k, 7, 1, 3), *line = kata_grid_1d(k, 7);
    kata_field *u = number(kata_field_new(g, "u", KATA_F64), 21);
    kata_field *side = number_integers(
        kata_field_new(g, "side", KATA_I32, .along = KATA_X | KATA_Z), KATA_I32, 4, 21);
    kata_field *level =
        number(kata_field_new(g, "level", KATA_F64, .along = KATA_Z, .staggered = KATA_Z), 4);
    kata_field *other = number_integers(kata_field_new(line, "other", KATA_U8), KATA_U8, 1, 7);
    assert_int_equal(
        kata_save(u, path, .spacing_z = 2, .origin = {0, 0, 5}, .with = {side, level, other}),
        KATA_OK);
    expect_variable("side", H5T_STD_I32LE, "z x ");
    expect_variable("level", H5T_IEEE_F64LE, "z_face ");
    expect_variable("other", H5T_STD_U8LE, "x ");
    expect_coordinates("y", "Y", 1, 0, 1);
    expect_coordinates("z_face", "Z", 4, 4, 2);
    expect_values("side", 21);
    expect_values("level", 4);
    expect_values("other", 7);
    assert_int_equal(kata_save(level, path), KATA_OK);
    expect_lacks("x");
    expect_lacks("z");
    assert_int_equal(kata_close(k), KATA_OK);
    remove(path);
}

static void components_may_go_alone(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_1d(k, 100);
    kata_field *u = number(kata_field_new(g, "u", KATA_F64, .components = 3), 300);
    kata_field *v = number(kata_field_new(g, "v", KATA_F64, .components = 2), 200);
    kata_field *w = number(kata_field_new(g, "w", KATA_F64, .components = 3), 300);
    assert_int_equal(kata_save(u, path, .component = KATA_COMPONENT(1), .with = {v, w}), KATA_OK);
    expect_variable("u", H5T_IEEE_F64LE, "x ");
    expect_variable("v", H5T_IEEE_F64LE, "components_2 x ");
    expect_variable("w", H5T_IEEE_F64LE, "components_3 x ");
    expect_values("u", 100);
    expect_values("w", 300);
    assert_int_equal(kata_close(k), KATA_OK);
    remove(path);
}

/* More points than coordinates are made at once. The variable that is none is the only one. */
static void long_axes_have_all_coordinates(void **unused)
{
    enum { N = 10007 };
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_1d(k, N);
    kata_field *u = number(kata_field_new(g, "u", KATA_F64), N);
    kata_field *x = kata_field_new(g, "x", KATA_F64);
    assert_int_equal(kata_save(u, path, .spacing = 0.1, .origin = {-7}), KATA_OK);
    expect_coordinates("x", "X", N, -7, 0.1);
    assert_int_equal(kata_load(x, path), KATA_OK);
    assert_int_equal(kata_get(x, kata_all(g), found, N), KATA_OK);
    assert_true(found[0] == -7 && found[N - 1] == -7 + (N - 1) * 0.1);
    kata_field *only = kata_field_new(g, "only", KATA_F64);
    assert_int_equal(kata_load(only, path), KATA_OK);
    assert_numbered(only, N);
    expect_values("u", N);
    assert_int_equal(kata_close(k), KATA_OK);
    remove(path);
}

/* ---- files that are read again --------------------------------------------------------------- */

/* How a type is stored; integers have so many bytes. */
typedef struct stored {
    kata_type type;
    hid_t in_file;
    size_t bytes;
} stored;

static void expect_round_trip(kata_grid *g, const stored *t, int points)
{
    const int n = 2 * points;
    kata_field *u = kata_field_new(g, "u", t->type, .components = 2);
    kata_field *again = kata_field_new(g, "u", t->type, .components = 2);
    kata_field *one = number(kata_field_new(g, "one", KATA_F64), points);
    kata_field *other = kata_field_new(g, "other", KATA_F64);
    t->bytes ? number_integers(u, t->type, t->bytes, n) : number(u, n);
    assert_int_equal(kata_save(u, path, .with = {one}), KATA_OK);
    hid_t file, set = open_in(&file, "u"), own = H5Dget_type(set);
    assert_true(H5Tequal(own, t->in_file) > 0);
    H5Tclose(own);
    close_in(file, set);
    expect_values("u", n);
    assert_int_equal(kata_load(again, path), KATA_OK);
    assert_int_equal(kata_load(other, "grid.nc:/one"), KATA_OK);
    t->bytes ? assert_integers(again, t->type, t->bytes, n) : assert_numbered(again, n);
    assert_numbered(other, points);
}

static void values_are_read_again(void **unused)
{
    (void)unused;
    const stored types[] = {{KATA_F64, H5T_IEEE_F64LE, 0}, {KATA_F32, H5T_IEEE_F32LE, 0},
                            {KATA_F16, H5T_IEEE_F32LE, 0}, {KATA_BF16, H5T_IEEE_F32LE, 0},
                            {KATA_I64, H5T_STD_I64LE, 8},  {KATA_I32, H5T_STD_I32LE, 4},
                            {KATA_I16, H5T_STD_I16LE, 2},  {KATA_U16, H5T_STD_U16LE, 2},
                            {KATA_U8, H5T_STD_U8LE, 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        kata *k = kata_open(NULL);
        expect_round_trip(kata_grid_3d(k, 4, 1, 3), &types[i], 12);
        expect_round_trip(kata_grid_2d(k, 3, 31), &types[i], 93);
        expect_round_trip(kata_grid_2d(k, 1, 1), &types[i], 1);
        assert_int_equal(kata_close(k), KATA_OK);
    }
    remove(path);
}

static int bytes_of(const char *name, char *bytes, size_t most)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    const int count = (int)fread(bytes, 1, most, file);
    fclose(file);
    remove(name);
    return count;
}

static void a_series_has_a_file_for_each_step(void **unused)
{
    static char first[MOST], second[MOST];
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_2d(k, 6, 4);
    kata_field *u = number(kata_field_new(g, "u", KATA_F64, .units = "K"), 24);
    kata_field *v = number(kata_field_new(g, "v", KATA_F64, .staggered = KATA_Y), 30);
    kata_series *s = kata_series_new(u, "grid-##.nc", .spacing = 0.25, .with = {v});
    assert_int_equal(kata_series_add(s, 0.5), KATA_OK);
    assert_int_equal(kata_series_add(s, 1.5), KATA_OK);
    assert_int_equal(kata_output_wait(k), KATA_OK);
    assert_int_equal(rename("grid-01.nc", path), 0);
    expect_time("u", 1.5);
    expect_values("v", 30);
    assert_int_equal(rename("grid-00.nc", path), 0);
    expect_time("u", 0.5);
    expect_coordinates("y_face", "Y", 5, -0.125, 0.25);
    const int count = bytes_of(path, first, sizeof first);
    assert_int_equal(kata_save(u, path, .spacing = 0.25, .with = {v}, .time = 0.5), KATA_OK);
    assert_int_equal(bytes_of(path, second, sizeof second), count);
    assert_true(count < MOST);
    assert_memory_equal(first, second, (size_t)count);
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(axes_have_coordinates),
                                              cmocka_unit_test(faces_lie_between_cells),
                                              cmocka_unit_test(fields_of_lower_rank_lack_axes),
                                              cmocka_unit_test(components_may_go_alone),
                                              cmocka_unit_test(long_axes_have_all_coordinates),
                                              cmocka_unit_test(values_are_read_again),
                                              cmocka_unit_test(a_series_has_a_file_for_each_step)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
