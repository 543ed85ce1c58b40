/* NPY files byte by byte: what is written and read, and what is refused with which words. */
#include "files_world.h"

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
    {"|i1", KATA_I16, {0xfe, 1}, 2, -2},
    {"<i2", KATA_I16, {0xfe, 0xff, 1, 0}, 4, -2},
    {">i2", KATA_I16, {0xff, 0xfe, 0, 1}, 4, -2},
    {">i4", KATA_I32, {0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 1}, 8, -2},
    {">i8",
     KATA_I64,
     {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 0, 0, 0, 0, 1},
     16,
     -2},
    {"|u1", KATA_U8, {0xfe, 1}, 2, 254},
    {"<u2", KATA_U16, {0xfe, 0xff, 1, 0}, 4, 65534},
    {">u2", KATA_U16, {0xff, 0xfe, 0, 1}, 4, 65534},
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
                 : type == KATA_U16 ? ((uint16_t *)values)[i]
                 : type == KATA_I16 ? ((int16_t *)values)[i]
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
    static const kata_type wider[] = {KATA_I32, KATA_I64, KATA_U16, KATA_I16};
    world w;
    open_world(&w);
    for (size_t i = 0; i < COUNT_OF(stored); i++) {
        check_stored(&w, &stored[i], stored[i].type);
        if (stored[i].type == KATA_F16) check_stored(&w, &stored[i], KATA_F64);
        if (stored[i].type == KATA_I32) check_stored(&w, &stored[i], KATA_I64);
        bool narrow = stored[i].type == KATA_U16 || stored[i].type == KATA_I16;
        for (int wide = 0; wide < 4; wide++)
            if (stored[i].type == KATA_U8 || (narrow && wide < 2))
                check_stored(&w, &stored[i], wider[wide]);
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

int main(void)
{
    char folder[] = "/tmp/kata_npy_XXXXXX";
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
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const files[] = {"stored.npy", "saved.npy",   "turned.npy", "version2.npy",
                                        "axes.npy",   "refused.npy", "damaged.npy"};
    for (size_t i = 0; i < COUNT_OF(files); i++) unlink(files[i]);
    return failures || chdir("/") || rmdir(folder);
}
