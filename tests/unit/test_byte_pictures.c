/* PNG images and fields of bytes: a pixel's samples are the bytes. */
#include "api_world.h"

enum { MOST = 4 * POINTS };

static char folder[] = "/tmp/kata_bytes_XXXXXX";

static kata_field *pixels(kata_grid *g, kata_type type, int components)
{
    return kata_field_new(g, "u", type, .components = components);
}

static void put_bytes(kata_field *u, kata_grid *g, int components)
{
    uint8_t bytes[MOST];
    for (int i = 0; i < POINTS * components; i++) bytes[i] = (uint8_t)(17 * i + 3);
    assert_int_equal(kata_put(u, kata_all(g), bytes, POINTS * components), KATA_OK);
}

static void get_bytes(kata_field *u, kata_grid *g, int components, uint8_t bytes[MOST])
{
    assert_int_equal(kata_get(u, kata_all(g), bytes, POINTS * components), KATA_OK);
}

/* Also what was never written: zero. */
static void test_bytes_come_back_as_they_were_saved(void **state)
{
    (void)state;
    kata *k = kata_open(&(kata_options){.handler = ignore});
    kata_grid *g = kata_grid_2d(k, NX, NY);
    for (int components = 2; components <= 4; components++)
        for (int written = 0; written < 2; written++) {
            uint8_t saved[MOST], loaded[MOST], same[MOST];
            kata_field *u = pixels(g, KATA_U8, components), *v = kata_field_like(u, "v");
            kata_field *w = pixels(g, KATA_UNORM8, components);
            if (written) put_bytes(u, g, components);
            put_bytes(v, g, components);
            kata_save(u, "u.png");
            kata_load(v, "u.png");
            kata_load(w, "u.png");
            get_bytes(u, g, components, saved);
            get_bytes(v, g, components, loaded);
            get_bytes(w, g, components, same);
            size_t count = (size_t)(POINTS * components);
            assert_memory_equal(saved, loaded, count);
            assert_memory_equal(saved, same, count);
        }
    unlink("u.png");
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_grey_is_loaded_as_bytes(void **state)
{
    (void)state;
    uint8_t grey[MOST], of_colours[MOST];
    kata *k = kata_open(&(kata_options){.handler = ignore});
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *alpha = pixels(g, KATA_U8, 2), *u = pixels(g, KATA_U8, 1);
    put_bytes(alpha, g, 2);
    kata_save(alpha, "u.png");
    kata_load(u, "u.png"); /* alpha is dropped */
    get_bytes(alpha, g, 2, grey);
    get_bytes(u, g, 1, of_colours);
    assert_memory_equal(grey, of_colours, POINTS);
    unlink("u.png");
    assert_int_equal(kata_close(k), KATA_OK);
}

static size_t read_file(const char *path, char bytes[4096])
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, 4096, file);
    fclose(file);
    return size;
}

static void test_one_component_is_drawn_as_numbers_are(void **state)
{
    (void)state;
    char of_bytes[4096], of_numbers[4096];
    uint8_t bytes[MOST];
    double numbers[MOST];
    kata *k = kata_open(&(kata_options){.handler = ignore});
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *u = pixels(g, KATA_U8, 1), *v = pixels(g, KATA_F64, 1);
    put_bytes(u, g, 1);
    get_bytes(u, g, 1, bytes);
    for (int i = 0; i < POINTS; i++) numbers[i] = bytes[i];
    kata_put(v, kata_all(g), numbers, POINTS);
    kata_save(u, "u.png", .low = 10, .high = 200);
    kata_save(v, "v.png", .low = 10, .high = 200);
    size_t size = read_file("u.png", of_bytes);
    assert_int_equal(read_file("v.png", of_numbers), size);
    assert_memory_equal(of_bytes, of_numbers, size);
    unlink("u.png");
    unlink("v.png");
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_come_back_as_they_were_saved),
        cmocka_unit_test(test_grey_is_loaded_as_bytes),
        cmocka_unit_test(test_one_component_is_drawn_as_numbers_are),
    };
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) ? 1 : failed;
}
