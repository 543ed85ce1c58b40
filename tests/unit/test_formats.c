/* Files of arrays: NPY files byte by byte, what is refused of them and with which words, and fields
 * that come back from every format as they were saved. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef struct world {
    kata *k;
    char message[512];
} world;

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(((world *)data)->message, sizeof((world *)0)->message, "%s", message);
}

static void open_world(world *w)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = keep_message, .handler_data = w});
    assert_non_null(w->k);
}

static void close_world(world *w) { assert_int_equal(kata_close(w->k), KATA_OK); }

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* An NPY file of version 1 with this header and `size` bytes of values. */
static void write_npy(const char *path, const char *header, const void *values, size_t size)
{
    char bytes[1024] = "\x93NUMPY\x01";
    size_t length = strlen(header);
    bytes[8] = (char)length;
    memcpy(bytes + 10, header, length);
    memcpy(bytes + 10 + length, values, size);
    write_file(path, bytes, 10 + length + size);
}

/* ---- NPY ------------------------------------------------------------------------------------- */

static void test_a_saved_npy_file_is_what_numpy_writes(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_field *u = kata_field_new(kata_grid_2d(w.k, 3, 2), "u", KATA_I32);
    kata_put(u, kata_all(kata_grid_2d(w.k, 3, 2)), ((int[]){1, 2, 3, 4, 5, 6}), 6);
    assert_int_equal(kata_save(u, "saved.npy"), KATA_OK);
    unsigned char bytes[153], expected[152] = "\x93NUMPY\x01\x00\x76\x00"
                                              "{'descr': '<i4', 'fortran_order': False, "
                                              "'shape': (2, 3), }";
    size_t length = 10 + strlen((char *)expected + 10);
    memset(expected + length, ' ', 127 - length);
    expected[127] = '\n';
    for (unsigned char i = 0; i < 6; i++) expected[128 + 4 * i] = (unsigned char)(i + 1);
    FILE *file = fopen("saved.npy", "rb");
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof expected);
    fclose(file);
    assert_memory_equal(bytes, expected, sizeof expected);
    close_world(&w);
}

static void test_fortran_order_is_turned(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    const float values[6] = {0, 10, 1, 11, 2, 12}; /* first axis fastest */
    write_npy("turned.npy", "{'shape': (2, 3), 'fortran_order': True, 'descr': \"<f4\"}\n", values,
              sizeof values);
    kata_shape shape;
    assert_int_equal(kata_file_shape(w.k, "turned.npy", 1, &shape), KATA_OK);
    assert_int_equal(shape.rank, 2);
    assert_int_equal(shape.size[0], 3);
    assert_int_equal(shape.size[1], 2);
    assert_int_equal(shape.components, 1);
    assert_int_equal(shape.type, KATA_F32);
    kata_grid *g = kata_grid_2d(w.k, 3, 2);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    assert_int_equal(kata_load(u, "turned.npy"), KATA_OK);
    double read[6];
    kata_get(u, kata_all(g), read, 6);
    for (int i = 0; i < 6; i++) assert_true(read[i] == 10 * (i / 3) + i % 3);
    close_world(&w);
}

static void test_version_2_is_read(void **state)
{
    (void)state;
    static const char header[] = "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }";
    char bytes[128] = "\x93NUMPY\x02";
    world w;
    open_world(&w);
    bytes[8] = sizeof header - 1;
    memcpy(bytes + 12, header, sizeof header - 1);
    memcpy(bytes + 12 + sizeof header - 1, (int64_t[]){-5, INT64_MAX}, 16);
    write_file("version2.npy", bytes, 12 + sizeof header - 1 + 16);
    kata_grid *g = kata_grid_1d(w.k, 2);
    kata_field *n = kata_field_new(g, "n", KATA_I64);
    assert_int_equal(kata_load(n, "version2.npy"), KATA_OK);
    int64_t read[2];
    kata_get(n, kata_all(g), read, 2);
    assert_true(read[0] == -5 && read[1] == INT64_MAX);
    close_world(&w);
}

static void test_components_are_the_first_axis(void **state)
{
    (void)state;
    static const double values[8];
    world w;
    kata_shape shape;
    open_world(&w);
    write_npy("axes.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 1, 4), }",
              values, sizeof values);
    assert_int_equal(kata_file_shape(w.k, "axes.npy", 0, &shape), KATA_OK);
    assert_true(shape.rank == 3 && shape.components == 2 && shape.size[0] == 4);
    write_npy("axes.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }", values,
              sizeof values);
    assert_int_equal(kata_file_shape(w.k, "axes.npy", 2, &shape), KATA_OK);
    assert_true(shape.rank == 1 && shape.components == 2 && shape.size[0] == 4);
    assert_int_equal(kata_file_shape(w.k, "axes.npy", 0, &shape), KATA_OK);
    assert_true(shape.rank == 2 && shape.components == 1 && shape.size[1] == 2);
    close_world(&w);
}

/* Each type that NumPy writes, in both orders of bytes, with -2 (or what it is without a sign) and
 * 1 as values. */
static const struct stored {
    const char *descr;
    kata_type type; /* that it is read as */
    unsigned char bytes[16];
    size_t size;
    double first;
} stored[] = {
    {"<f2", KATA_F16, {0x00, 0xc0, 0x00, 0x3c}, 4, -2},
    {">f2", KATA_F16, {0xc0, 0x00, 0x3c, 0x00}, 4, -2},
    {">f4", KATA_F32, {0xc0, 0, 0, 0, 0x3f, 0x80, 0, 0}, 8, -2},
    {">f8", KATA_F64, {0xc0, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0}, 16, -2},
    {"|i1", KATA_I32, {0xfe, 1}, 2, -2},
    {"<i2", KATA_I32, {0xfe, 0xff, 1, 0}, 4, -2},
    {">i2", KATA_I32, {0xff, 0xfe, 0, 1}, 4, -2},
    {">i4", KATA_I32, {0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 1}, 8, -2},
    {">i8",
     KATA_I64,
     {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 0, 0, 0, 0, 1},
     16,
     -2},
    {"|u1", KATA_U8, {0xfe, 1}, 2, 254},
    {"<u2", KATA_I32, {0xfe, 0xff, 1, 0}, 4, 65534},
    {">u2", KATA_I32, {0xff, 0xfe, 0, 1}, 4, 65534},
    {"<u4", KATA_I64, {0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0}, 8, 4294967294},
    {">u4", KATA_I64, {0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 1}, 8, 4294967294},
    {"|b1", KATA_U8, {7, 1}, 2, 1},
};

/* The two values of a field as doubles. */
static void get_two(kata_field *u, kata_type type, double out[2])
{
    int64_t values[2] = {0};
    kata_range all = kata_on(u);
    if (type == KATA_F16) type = KATA_F64;
    assert_int_equal(kata_get_values(u, &all, type, values, 2), KATA_OK);
    for (int i = 0; i < 2; i++)
        out[i] = type == KATA_F64   ? ((double *)values)[i]
                 : type == KATA_F32 ? (double)((float *)values)[i]
                 : type == KATA_I64 ? (double)values[i]
                 : type == KATA_I32 ? ((int32_t *)values)[i]
                                    : ((uint8_t *)values)[i];
}

static void check_stored(world *w, const struct stored *s, kata_type field_type)
{
    char header[100];
    kata_shape shape;
    double read[2];
    kata_field *u = kata_field_new(kata_grid_1d(w->k, 2), "u", field_type);
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }",
             s->descr);
    write_npy("stored.npy", header, s->bytes, s->size);
    assert_int_equal(kata_file_shape(w->k, "stored.npy", 1, &shape), KATA_OK);
    assert_int_equal(shape.type, s->type);
    assert_int_equal(kata_load(u, "stored.npy"), KATA_OK);
    get_two(u, field_type, read);
    assert_true(read[0] == s->first && read[1] == 1);
}

static void test_every_type_of_numpy_is_read(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    for (size_t i = 0; i < COUNT_OF(stored); i++) {
        check_stored(&w, &stored[i], stored[i].type);
        if (stored[i].type == KATA_F16) check_stored(&w, &stored[i], KATA_F64);
        if (stored[i].type == KATA_U8) check_stored(&w, &stored[i], KATA_I32);
        if (stored[i].type == KATA_U8) check_stored(&w, &stored[i], KATA_I64);
    }
    close_world(&w);
}

/* More values than are converted at once, turned and swapped. */
static void test_large_swapped_arrays_are_turned(void **state)
{
    (void)state;
    enum { WIDE = 5000, HIGH = 7 };
    world w;
    open_world(&w);
    unsigned char *bytes = calloc(WIDE * HIGH + 64, 2);
    static const char header[] = "{'descr': '>i2', 'fortran_order': True, 'shape': (7, 5000), }\n";
    size_t start = 10 + sizeof header - 1;
    memcpy(bytes, "\x93NUMPY\x01", 8);
    bytes[8] = sizeof header - 1;
    memcpy(bytes + 10, header, sizeof header - 1);
    for (int i = 0; i < WIDE * HIGH; i++) {
        bytes[start + 2 * (size_t)i] = (unsigned char)(i >> 8);
        bytes[start + 2 * (size_t)i + 1] = (unsigned char)i;
    }
    write_file("stored.npy", bytes, start + 2 * WIDE * HIGH);
    kata_grid *g = kata_grid_2d(w.k, WIDE, HIGH);
    kata_field *n = kata_field_new(g, "n", KATA_I32);
    assert_int_equal(kata_load(n, "stored.npy"), KATA_OK);
    int *read = calloc(WIDE * HIGH, sizeof *read);
    kata_get(n, kata_all(g), read, WIDE * HIGH);
    for (int i = 0; i < WIDE * HIGH; i++)
        assert_int_equal(read[i % HIGH * WIDE + i / HIGH], (int16_t)i);
    free(read);
    free(bytes);
    close_world(&w);
}

static const struct refusal {
    const char *header, *message;
    size_t bytes;
} refusals[] = {
    {"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
     "its values are of type '|O'; f8, f4, f2, i8, i4, i2, i1, u4, u2, u1 and b1 can be read", 16},
    {"{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }",
     "its values are of type '<u8'; f8, f4, f2, i8, i4, i2, i1, u4, u2, u1 and b1 can be read", 16},
    {"{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }",
     "its values are of type '<c16'; f8, f4, f2, i8, i4, i2, i1, u4, u2, u1 and b1 can be read",
     16},
    {"{'descr': '=f8', 'fortran_order': False, 'shape': (2,), }",
     "its values are of type '=f8'; f8, f4, f2, i8, i4, i2, i1, u4, u2, u1 and b1 can be read", 16},
    {"{'descr': '|f8', 'fortran_order': False, 'shape': (2,), }",
     "its values are of type '|f8'; f8, f4, f2, i8, i4, i2, i1, u4, u2, u1 and b1 can be read", 16},
    {"{'descr': 'f8', 'fortran_order': False, 'shape': (2,), }",
     "its values are of type 'f8'; f8, f4, f2, i8, i4, i2, i1, u4, u2, u1 and b1 can be read", 16},
    {"{'descr': '>f16', 'fortran_order': False, 'shape': (2,), }",
     "its values are of type '>f16'; f8, f4, f2, i8, i4, i2, i1, u4, u2, u1 and b1 can be read",
     16},
    {"{'descr': '<b1x', 'fortran_order': False, 'shape': (2,), }",
     "its values are of type '<b1x'; f8, f4, f2, i8, i4, i2, i1, u4, u2, u1 and b1 can be read",
     16},
    {"{'descr': '', 'fortran_order': False, 'shape': (2,), }",
     "its values are of type ''; f8, f4, f2, i8, i4, i2, i1, u4, u2, u1 and b1 can be read", 16},
    {"{'descr': '\x1b[2J', 'fortran_order': False, 'shape': (2,), }", "its header is damaged", 16},
    {"{'descr': '<f\t8', 'fortran_order': False, 'shape': (2,), }",
     "its values are of a compound type", 16},
    {"{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (2,), }",
     "its values are of a compound type", 16},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
     "its values take 24 bytes by its header, and 16 in it", 16},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
     "its values take 8 bytes by its header, and 16 in it", 16},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (16777216, 16777216), }",
     "it has 2^48 values or more", 16},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 4), }",
     "its header is damaged", 16},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,2), }",
     "it has more than 8 axes", 16},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (-2,), }", "its header is damaged", 16},
    {"{'descr': '<f8', 'fortran_order': False, }", "its header is damaged", 16},
    {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
     "its header is damaged", 16},
    {"{'descr': '<f8', 'fortran_order': 0, 'shape': (2,), }", "its header is damaged", 16},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), } + [", "its header is damaged", 16},
    {"{'descr': '<f8", "its values are of a compound type", 0},
    {"", "its header is damaged", 0},
};

static void test_what_is_no_array_is_refused(void **state)
{
    (void)state;
    static const double values[2];
    world w;
    kata_shape shape;
    open_world(&w);
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "error: cannot read refused.npy: %s",
                 refusals[i].message);
        write_npy("refused.npy", refusals[i].header, values, refusals[i].bytes);
        assert_int_equal(kata_file_shape(w.k, "refused.npy", 1, &shape), KATA_ERROR_FILE);
        assert_string_equal(w.message, expected);
        kata_error_clear(w.k);
    }
    close_world(&w);
}

/* Every prefix of a good file, and every file with one byte changed, is read or refused. */
static void test_damaged_files_are_refused_or_read(void **state)
{
    (void)state;
    static const char header[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n";
    char good[128] = "\x93NUMPY\x01", bad[128];
    size_t size = 10 + sizeof header - 1 + 16;
    world w;
    kata_shape shape;
    open_world(&w);
    good[8] = sizeof header - 1;
    memcpy(good + 10, header, sizeof header - 1);
    for (size_t i = 0; i < size; i++) {
        write_file("damaged.npy", good, i);
        assert_int_equal(kata_file_shape(w.k, "damaged.npy", 1, &shape), KATA_ERROR_FILE);
        kata_error_clear(w.k);
        for (int bit = 0; bit < 8; bit += 3) {
            memcpy(bad, good, size);
            bad[i] = (char)(bad[i] ^ 1 << bit);
            write_file("damaged.npy", bad, size);
            kata_file_shape(w.k, "damaged.npy", 1, &shape);
            kata_error_clear(w.k);
        }
    }
    close_world(&w);
}

/* ---- all formats ----------------------------------------------------------------------------- */

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
    expect_refused(&w, n, "fit.npy", "error: fit.npy: the array holds f64, and field 'n' i32");
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
                   ".npy, .vtkhdf and .h5, and FILE.h5:/DATASET");
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
        cmocka_unit_test(test_a_saved_npy_file_is_what_numpy_writes),
        cmocka_unit_test(test_fortran_order_is_turned),
        cmocka_unit_test(test_version_2_is_read),
        cmocka_unit_test(test_components_are_the_first_axis),
        cmocka_unit_test(test_every_type_of_numpy_is_read),
        cmocka_unit_test(test_large_swapped_arrays_are_turned),
        cmocka_unit_test(test_what_is_no_array_is_refused),
        cmocka_unit_test(test_damaged_files_are_refused_or_read),
        cmocka_unit_test(test_fields_come_back_as_they_were_saved),
        cmocka_unit_test(test_hdf5_files_hold_fields_by_name),
        cmocka_unit_test(test_shape_of_vtkhdf_and_datasets),
        cmocka_unit_test(test_loads_that_do_not_fit_are_refused),
        cmocka_unit_test(test_images_of_another_size_are_not_unpacked),
        cmocka_unit_test(test_a_failed_save_leaves_no_file),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const files[] = {
        "round.h5",     "several.h5",   "stored.npy",  "saved.npy",   "turned.npy",
        "version2.npy", "axes.npy",     "refused.npy", "damaged.npy", "round.npy",
        "round.vtkhdf", "shape.vtkhdf", "fit.npy",     "fit.vtkhdf"};
    for (size_t i = 0; i < COUNT_OF(files); i++) unlink(files[i]);
    return failures || chdir("/") || rmdir(folder);
}
