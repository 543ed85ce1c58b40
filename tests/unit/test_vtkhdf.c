/* VTKHDF files hold every value where VTK looks for it, with the types and attributes of the
 * specification; a failure leaves nothing behind. */
#include "io/io.h"
#include "sanitized.h"

#include <dirent.h>
#include <hdf5.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/kata_vtkhdf_XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder);
}

static int files_here(void)
{
    DIR *here = opendir(".");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(here));) count += entry->d_name[0] != '.';
    closedir(here);
    return count;
}

static void say_nothing(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)status;
    (void)message;
}

static messages quiet(void) { return (messages){.handler = say_nothing}; }

static size_t size_of(kata_type type)
{
    if (type == KATA_U16 || type == KATA_I16) return 2;
    return type == KATA_F64 || type == KATA_I64 ? 8 : type == KATA_U8 ? 1 : 4;
}

/* One array and its lattice. */
typedef struct numbered {
    io_points array;
    io_lattice lattice;
    char *values;
} numbered;

static numbered numbered_points(kata_type type, const int64_t size[3], int components)
{
    numbered p = {{.name = "u", .type = type, .components = components},
                  {{size[0], size[1], size[2]}, {-1, 0.5, 3}, {0.25, 0.5, 0.125}},
                  NULL};
    size_t count = (size_t)(size[0] * size[1] * size[2] * components);
    char *values = malloc(count * size_of(type));
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) {
        double f64 = 0.1 * (double)i - 3;
        float f32 = (float)f64;
        int64_t i64 = (int64_t)i * 1000000007 - 5;
        int32_t i32 = (int32_t)(7 * i) - 5;
        uint8_t u8 = (uint8_t)(3 * i);
        uint16_t u16 = (uint16_t)(1003 * i);
        int16_t i16 = (int16_t)u16;
        const void *value[] = {
            [KATA_F64] = &f64, [KATA_F32] = &f32, [KATA_I64] = &i64, [KATA_I32] = &i32,
            [KATA_U8] = &u8,   [KATA_U16] = &u16, [KATA_I16] = &i16};
        memcpy(values + i * size_of(type), value[type], size_of(type));
    }
    p.values = values;
    return p;
}

/* A piece of at most MOST points, components one after another. */
static int64_t take_values(void *data, int i, int64_t first, const void **values)
{
    enum { MOST = 7, MOST_COMPONENTS = 1024 };
    static char piece[MOST * MOST_COMPONENTS * 8];
    const numbered *p = data;
    (void)i;
    const int64_t *n = p->lattice.size;
    int64_t points = n[0] * n[1] * n[2];
    int64_t count = points - first < MOST ? points - first : MOST;
    size_t size = size_of(p->array.type), bytes = (size_t)count * size;
    assert_true(p->array.components <= MOST_COMPONENTS);
    for (int c = 0; c < p->array.components; c++)
        memcpy(piece + (size_t)c * bytes,
               (const char *)p->values + (size_t)(c * points + first) * size, bytes);
    *values = piece;
    return count;
}

static kata_status try_to_write(const char *path, const numbered *p, messages *m)
{
    numbered copy = *p;
    const io_source source = {&copy, take_values};
    return io_vtkhdf_write(path, &p->lattice, 0, 1, &p->array, &source, m);
}

static void write_points(const char *path, const numbered *p)
{
    messages m = quiet();
    assert_int_equal(try_to_write(path, p, &m), KATA_OK);
}

/* ---- reading back ---------------------------------------------------------------------------- */

static void assert_attribute(hid_t group, const char *name, hid_t stored, hid_t type, int count,
                             const void *expected)
{
    char values[9 * 8];
    hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    assert_true(attribute >= 0);
    hid_t space = H5Aget_space(attribute), found = H5Aget_type(attribute);
    assert_int_equal(H5Sget_simple_extent_ndims(space), 1);
    assert_int_equal(H5Sget_simple_extent_npoints(space), count);
    assert_true(H5Tequal(found, stored) > 0);
    assert_true(H5Aread(attribute, type, values) >= 0);
    assert_memory_equal(values, expected, (size_t)count * 8);
    H5Tclose(found);
    H5Sclose(space);
    H5Aclose(attribute);
}

static void assert_integers(hid_t group, const char *name, int count, const int64_t *expected)
{
    assert_attribute(group, name, H5T_STD_I64LE, H5T_NATIVE_INT64, count, expected);
}

static void assert_doubles(hid_t group, const char *name, int count, const double *expected)
{
    assert_attribute(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, expected);
}

static void assert_type_is_image(hid_t group)
{
    char value[10] = "";
    hid_t attribute = H5Aopen(group, "Type", H5P_DEFAULT);
    assert_true(attribute >= 0);
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    assert_int_equal(H5Tget_class(type), H5T_STRING);
    assert_int_equal(H5Tis_variable_str(type), 0);
    assert_int_equal(H5Tget_cset(type), H5T_CSET_ASCII);
    assert_int_equal(H5Tget_size(type), 9);
    assert_int_equal(H5Sget_simple_extent_type(space), H5S_SCALAR);
    assert_true(H5Aread(attribute, type, value) >= 0);
    assert_string_equal(value, "ImageData");
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

/* The array's sizes are `sizes`, slowest first, and its values are the values of the points. */
static void assert_values(hid_t group, const numbered *p, int dimensions, const hsize_t *sizes)
{
    const hid_t types[] = {[KATA_F64] = H5T_NATIVE_DOUBLE, [KATA_F32] = H5T_NATIVE_FLOAT,
                           [KATA_I64] = H5T_NATIVE_INT64,  [KATA_I32] = H5T_NATIVE_INT32,
                           [KATA_U8] = H5T_NATIVE_UINT8,   [KATA_U16] = H5T_NATIVE_UINT16,
                           [KATA_I16] = H5T_NATIVE_INT16};
    hid_t set = H5Dopen2(group, p->array.name, H5P_DEFAULT);
    assert_true(set >= 0);
    hid_t space = H5Dget_space(set), stored = H5Dget_type(set);
    hsize_t found[8];
    assert_int_equal(H5Sget_simple_extent_ndims(space), dimensions);
    H5Sget_simple_extent_dims(space, found, NULL);
    assert_memory_equal(found, sizes, (size_t)dimensions * sizeof *sizes);
    assert_true(H5Tequal(stored, types[p->array.type]) > 0);

    size_t points = (size_t)(p->lattice.size[0] * p->lattice.size[1] * p->lattice.size[2]),
           size = size_of(p->array.type);
    size_t components = (size_t)p->array.components;
    char *values = malloc(points * components * size);
    assert_non_null(values);
    hid_t native = H5Tget_native_type(stored, H5T_DIR_ASCEND);
    assert_true(H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (size_t c = 0; c < components; c++)
        for (size_t i = 0; i < points; i++)
            assert_memory_equal(values + (i * components + c) * size,
                                p->values + (c * points + i) * size, size);
    free(values);
    H5Tclose(native);
    H5Tclose(stored);
    H5Sclose(space);
    H5Dclose(set);
}

/* What a grid's sizes become. */
typedef struct shape {
    int64_t size[3];
    int64_t extent[6];
    int rank; /* of the array in the file, without components */
    hsize_t array[3];
    bool turned;
} shape;

static const shape shapes[] = {
    {{5, 4, 3}, {0, 4, 0, 3, 0, 2}, 3, {3, 4, 5}, false},
    {{1, 4, 3}, {0, 0, 0, 3, 0, 2}, 3, {3, 4, 1}, false},
    {{5, 4, 1}, {0, 4, 0, 3, 0, 0}, 2, {4, 5}, false},
    {{1, 4, 1}, {0, 0, 0, 3, 0, 0}, 2, {4, 1}, false},
    {{5, 1, 1}, {0, 4, 0, 0, 0, 0}, 1, {5}, false},
    {{1, 1, 1}, {0, 0, 0, 0, 0, 0}, 1, {1}, false},
    {{5, 1, 3}, {0, 4, 0, 2, 0, 0}, 2, {3, 5}, true},
    {{1, 1, 3}, {0, 0, 0, 2, 0, 0}, 2, {3, 1}, true},
};

static void assert_file_holds(const char *path, const numbered *p, const shape *s)
{
    static const double straight[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double turned[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    hid_t root = H5Gopen2(file, "VTKHDF", H5P_DEFAULT);
    assert_true(root >= 0);
    assert_type_is_image(root);
    assert_integers(root, "Version", 2, (int64_t[]){2, 0});
    assert_integers(root, "WholeExtent", 6, s->extent);
    assert_doubles(root, "Origin", 3, (double[]){-1, 0.5, 3});
    assert_doubles(root, "Spacing", 3,
                   s->turned ? (double[]){0.25, 0.125, 0.5} : (double[]){0.25, 0.5, 0.125});
    assert_doubles(root, "Direction", 9, s->turned ? turned : straight);
    hid_t data = H5Gopen2(root, "PointData", H5P_DEFAULT);
    assert_true(data >= 0);
    hsize_t sizes[4] = {s->array[0], s->array[1], s->array[2]};
    bool flat = s->rank > 1 && sizes[s->rank - 1] == 1 && p->array.components > 1;
    int dimensions = s->rank - flat;
    if (p->array.components > 1) sizes[dimensions++] = (hsize_t)p->array.components;
    assert_values(data, p, dimensions, sizes);
    H5Gclose(data);
    H5Gclose(root);
    assert_true(H5Fclose(file) >= 0);
}

static void every_shape_and_type_is_read_back(void **state)
{
    (void)state;
    static const int components[] = {1, 2, 3, 9};
    static const kata_type types[] = {KATA_F64, KATA_F32, KATA_I64, KATA_I32,
                                      KATA_U8,  KATA_U16, KATA_I16};
    const bool few = is_sanitized(); /* each type and number, by turns */
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (size_t t = 0; t < COUNT_OF(types); t++)
            for (size_t c = 0; c < COUNT_OF(components); c++) {
                if (few && (s + t + c) % COUNT_OF(components)) continue;
                numbered p = numbered_points(types[t], shapes[s].size, components[c]);
                write_points("a.vtkhdf", &p);
                assert_file_holds("a.vtkhdf", &p, &shapes[s]);
                free(p.values);
            }
    assert_int_equal(files_here(), 1);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    unlink("a.vtkhdf");
}

/* More than one slab: components are put together in pieces of some MiB. */
static void large_arrays_are_read_back(void **state)
{
    (void)state;
    static const shape large[] = {
        {{300001, 1, 1}, {0, 300000, 0, 0, 0, 0}, 1, {300001}, false},
        {{40, 50, 301}, {0, 39, 0, 49, 0, 300}, 3, {301, 50, 40}, false},
    };
    for (size_t s = 0; s < COUNT_OF(large); s++) {
        numbered p = numbered_points(KATA_F64, large[s].size, 3);
        write_points("a.vtkhdf", &p);
        assert_file_holds("a.vtkhdf", &p, &large[s]);
        free(p.values);
    }
    unlink("a.vtkhdf");
}

/* ---- failing to write ------------------------------------------------------------------------ */

static const int64_t small[3] = {3, 2, 1};

static void a_missing_folder_is_an_error(void **state)
{
    (void)state;
    numbered p = numbered_points(KATA_F32, small, 1);
    messages m = quiet();
    assert_int_equal(try_to_write("none/a.vtkhdf", &p, &m), KATA_ERROR_FILE);
    assert_string_equal(text_get(&m.body),
                        "error: cannot write none/a.vtkhdf: No such file or directory");
    message_free(&m);
    free(p.values);
}

static void what_cannot_be_replaced_is_an_error(void **state)
{
    (void)state;
    numbered p = numbered_points(KATA_F32, small, 1);
    messages m = quiet();
    assert_int_equal(mkdir("taken", 0777), 0);
    assert_int_equal(try_to_write("taken", &p, &m), KATA_ERROR_FILE);
    assert_string_equal(text_get(&m.body), "error: cannot write taken: Is a directory");
    assert_int_equal(files_here(), 1);
    message_free(&m);
    free(p.values);
    rmdir("taken");
}

static void more_points_than_vtk_counts_are_refused(void **state)
{
    (void)state;
    numbered p = {{.name = "u", .type = KATA_F64, .components = 1},
                  {{(int64_t)1 << 31, 1, 1}, {0}, {1, 1, 1}},
                  NULL};
    messages m = quiet();
    assert_int_equal(try_to_write("a.vtkhdf", &p, &m), KATA_ERROR_ARGUMENT);
    assert_string_equal(text_get(&m.body), "error: cannot write a.vtkhdf: VTK takes 1 to "
                                           "2147483647 points a side, not 2147483648");
    message_free(&m);
    assert_int_equal(files_here(), 0);
}

static kata_status write_with_limit(const char *path, const numbered *p, rlim_t most, messages *m)
{
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){.rlim_cur = most, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    kata_status status = try_to_write(path, p, m);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    return status;
}

static herr_t print_nothing(hid_t stack, void *data)
{
    (void)stack;
    (void)data;
    return 0;
}

/* Whatever part of the file is the first that does not fit. */
static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    static const int64_t sizes[3] = {50, 40, 30};
    int here = 0;
    H5Eset_auto2(H5E_DEFAULT, print_nothing, &here);
    for (int components = 1; components <= 3; components += 2)
        for (rlim_t most = 0; most < 480000; most = 2 * most + 100) {
            numbered p = numbered_points(KATA_F64, sizes, components);
            numbered old = numbered_points(KATA_I32, shapes[0].size, 1);
            messages m = quiet();
            write_points("old.vtkhdf", &old);
            assert_int_equal(write_with_limit("old.vtkhdf", &p, most, &m), KATA_ERROR_FILE);
            assert_string_equal(text_get(&m.body),
                                "error: cannot write old.vtkhdf: File too large");
            assert_file_holds("old.vtkhdf", &old, &shapes[0]);
            assert_int_equal(files_here(), 1);
            message_free(&m);
            free(p.values);
            free(old.values);
        }
    H5E_auto2_t print;
    void *data;
    assert_true(H5Eget_auto2(H5E_DEFAULT, &print, &data) >= 0);
    assert_true(print == print_nothing && data == &here);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    unlink("old.vtkhdf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_folder_is_an_error),
        cmocka_unit_test(more_points_than_vtk_counts_are_refused),
        cmocka_unit_test(every_shape_and_type_is_read_back),
        cmocka_unit_test(large_arrays_are_read_back),
        cmocka_unit_test(what_cannot_be_replaced_is_an_error),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
