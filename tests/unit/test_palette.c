/* PNG images with a palette of fewer colours than their pixels can name: one that names a colour
 * which is not there is refused. */
#include "io/io.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIDE = 19 };

static char path[] = "palette-XXXXXX";

/* libpng warns of what is written here on purpose. */
static void be_silent(png_structp png, png_const_charp text) { (void)png, (void)text; }

/* All pixels are of colour 1 but the last, which is of colour `last`. */
static void write_image(int depth, int colours, int last, int interlace)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, be_silent);
    png_infop info = png_create_info_struct(png);
    png_color palette[256] = {{0, 0, 0}, {10, 20, 30}, {255, 255, 255}};
    png_byte row[SIDE];
    png_init_io(png, file);
    png_set_IHDR(png, info, SIDE, SIDE, depth, PNG_COLOR_TYPE_PALETTE, interlace,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(png, info, palette, colours);
    png_set_check_for_invalid_index(png, 0);
    png_write_info(png, info);
    png_set_packing(png);
    int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++)
        for (int y = 0; y < SIDE; y++) {
            memset(row, 1, SIDE);
            if (y == SIDE - 1) row[SIDE - 1] = (png_byte)last;
            png_write_row(png, row);
        }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
}

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

static void expect(const char *complaint)
{
    io_image image = {0};
    messages m = {.handler = ignore};
    char expected[200] = "";
    kata_status status = io_png_read(path, 3, &image, &m);
    if (complaint)
        snprintf(expected, sizeof expected, "error: cannot read %s: %s", path, complaint);
    assert_string_equal(text_get(&m.body), expected);
    assert_int_equal(status, complaint ? KATA_ERROR_FILE : KATA_OK);
    if (!status) assert_int_equal(image.pixels[0], 10);
    if (!status) assert_int_equal(image.pixels[3 * SIDE * SIDE - 1], 255);
    io_image_free(&image);
    message_free(&m);
}

static void colours_that_are_not_there_are_refused(void **state)
{
    (void)state;
    static const int interlaces[] = {PNG_INTERLACE_NONE, PNG_INTERLACE_ADAM7};
    for (int i = 0; i < 2; i++) {
        write_image(8, 3, 3, interlaces[i]);
        expect("it uses colour 3 of a palette of 3, from 0 to 2");
        write_image(8, 3, 255, interlaces[i]);
        expect("it uses colour 255 of a palette of 3, from 0 to 2");
        write_image(2, 3, 3, interlaces[i]);
        expect("it uses colour 3 of a palette of 3, from 0 to 2");
        write_image(4, 3, 2, interlaces[i]);
        expect(NULL);
        write_image(2, 3, 2, interlaces[i]);
        expect(NULL);
        write_image(8, 256, 2, interlaces[i]);
        expect(NULL);
    }
}

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    if (file >= 0) close(file);
    return file < 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
