/* PNG images: what is written is read back, every kind is converted, and no file, however broken,
 * does harm. */
#include "io/io.h"

#include <dirent.h>
#include <png.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/kata_png_XXXXXX";

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

static uint32_t random_bits(void)
{
    static uint64_t seed = 88172645463325252u;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static io_image random_image(int64_t width, int64_t height, int channels)
{
    io_image image = {.width = width, .height = height, .channels = channels};
    size_t size = (size_t)(width * height * channels);
    image.pixels = malloc(size);
    assert_non_null(image.pixels);
    for (size_t i = 0; i < size; i++) image.pixels[i] = (uint8_t)random_bits();
    return image;
}

static void write_image(const char *path, const io_image *image)
{
    messages m = quiet();
    assert_int_equal(io_png_write(path, image, &m), KATA_OK);
}

/* Reading fails with this status and leaves the image as it was. */
static void assert_unreadable(const char *path)
{
    messages m = quiet();
    io_image image = {.width = 77};
    assert_int_equal(io_png_read(path, 4, &image, &m), KATA_ERROR_FILE);
    assert_int_equal(image.width, 77);
    assert_null(image.pixels);
    assert_true(strlen(text_get(&m.body)) > strlen(path) + 20);
    message_free(&m);
}

/* ---- round trips ----------------------------------------------------------------------------- */

static const int64_t sizes[][2] = {{1, 1}, {1, 7}, {13, 1}, {257, 3}, {64, 64}};

static void what_is_written_is_read(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (int channels = 1; channels <= 4; channels++) {
            io_image out = random_image(sizes[s][0], sizes[s][1], channels), in = {0};
            messages m = quiet();
            int64_t width = 0, height = 0;
            write_image("a.png", &out);
            assert_int_equal(io_png_size("a.png", &width, &height, &m), KATA_OK);
            assert_int_equal(width, out.width);
            assert_int_equal(height, out.height);
            assert_int_equal(io_png_read("a.png", channels, &in, &m), KATA_OK);
            assert_int_equal(in.width, out.width);
            assert_int_equal(in.height, out.height);
            assert_int_equal(in.channels, channels);
            assert_memory_equal(in.pixels, out.pixels, (size_t)(width * height * channels));
            io_image_free(&in);
            io_image_free(&out);
        }
    assert_int_equal(files_here(), 1);
    unlink("a.png");
}

static void freeing_nothing_is_allowed(void **state)
{
    (void)state;
    io_image none = {0};
    io_image_free(&none);
    io_image_free(NULL);
}

/* ---- conversions ----------------------------------------------------------------------------- */

typedef struct kind {
    int type, depth;
    bool transparent; /* a transparent colour or transparent palette entries */
} kind;

static const kind kinds[] = {
    {PNG_COLOR_TYPE_GRAY, 1, false},       {PNG_COLOR_TYPE_GRAY, 1, true},
    {PNG_COLOR_TYPE_GRAY, 2, false},       {PNG_COLOR_TYPE_GRAY, 2, true},
    {PNG_COLOR_TYPE_GRAY, 4, false},       {PNG_COLOR_TYPE_GRAY, 4, true},
    {PNG_COLOR_TYPE_GRAY, 8, false},       {PNG_COLOR_TYPE_GRAY, 8, true},
    {PNG_COLOR_TYPE_GRAY, 16, false},      {PNG_COLOR_TYPE_GRAY, 16, true},
    {PNG_COLOR_TYPE_GRAY_ALPHA, 8, false}, {PNG_COLOR_TYPE_GRAY_ALPHA, 16, false},
    {PNG_COLOR_TYPE_RGB, 8, false},        {PNG_COLOR_TYPE_RGB, 8, true},
    {PNG_COLOR_TYPE_RGB, 16, false},       {PNG_COLOR_TYPE_RGB, 16, true},
    {PNG_COLOR_TYPE_RGB_ALPHA, 8, false},  {PNG_COLOR_TYPE_RGB_ALPHA, 16, false},
    {PNG_COLOR_TYPE_PALETTE, 1, false},    {PNG_COLOR_TYPE_PALETTE, 1, true},
    {PNG_COLOR_TYPE_PALETTE, 2, true},     {PNG_COLOR_TYPE_PALETTE, 4, false},
    {PNG_COLOR_TYPE_PALETTE, 4, true},     {PNG_COLOR_TYPE_PALETTE, 8, false},
    {PNG_COLOR_TYPE_PALETTE, 8, true},
};

/* A picture of some kind as it is stored, and what each of its pixels is. */
typedef struct picture {
    kind kind;
    int width, height, samples;
    uint8_t rows[16][160];
    png_color palette[256];
    uint8_t alphas[256];
    int alpha_count;
    png_color_16 key;
} picture;

static int sample(const picture *p, int x, int y, int s)
{
    int i = x * p->samples + s, depth = p->kind.depth;
    const uint8_t *row = p->rows[y];
    if (depth == 16) return row[2 * i] << 8 | row[2 * i + 1];
    int bit = i * depth;
    return row[bit / 8] >> (8 - depth - bit % 8) & ((1 << depth) - 1);
}

static picture random_picture(kind k, int width, int height)
{
    static const int samples[] = {[PNG_COLOR_TYPE_GRAY] = 1,
                                  [PNG_COLOR_TYPE_RGB] = 3,
                                  [PNG_COLOR_TYPE_PALETTE] = 1,
                                  [PNG_COLOR_TYPE_GRAY_ALPHA] = 2,
                                  [PNG_COLOR_TYPE_RGB_ALPHA] = 4};
    picture p = {.kind = k, .width = width, .height = height, .samples = samples[k.type]};
    for (int y = 0; y < height; y++)
        for (size_t i = 0; i < sizeof p.rows[y]; i++) p.rows[y][i] = (uint8_t)random_bits();
    for (int i = 0; i < 256; i++) {
        p.palette[i] = (png_color){(uint8_t)random_bits(), (uint8_t)random_bits(), 200};
        p.alphas[i] = (uint8_t)random_bits();
    }
    p.alpha_count = ((1 << (k.depth < 8 ? k.depth : 8)) + 1) / 2;
    int red = sample(&p, 0, 0, 0);
    p.key = (png_color_16){.gray = (uint16_t)red, .red = (uint16_t)red};
    if (k.type == PNG_COLOR_TYPE_RGB) {
        p.key.green = (uint16_t)sample(&p, 0, 0, 1);
        p.key.blue = (uint16_t)sample(&p, 0, 0, 2);
    }
    return p;
}

static void write_picture(const char *path, picture *p, int interlace)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)p->width, (png_uint_32)p->height, p->kind.depth,
                 p->kind.type, interlace, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_gAMA(png, info, 1.0); /* has to make no difference */
    bool palette = p->kind.type == PNG_COLOR_TYPE_PALETTE;
    if (palette) png_set_PLTE(png, info, p->palette, 1 << p->kind.depth);
    if (p->kind.transparent && palette)
        png_set_tRNS(png, info, p->alphas, p->alpha_count, NULL);
    else if (p->kind.transparent)
        png_set_tRNS(png, info, NULL, 0, &p->key);
    png_write_info(png, info);
    png_bytep rows[16];
    for (int y = 0; y < p->height; y++) rows[y] = p->rows[y];
    png_write_image(png, rows);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
}

/* Red, green, blue and alpha from 0 to 1. */
static void true_colour(const picture *p, int x, int y, double rgba[4])
{
    int type = p->kind.type, first = sample(p, x, y, 0);
    double most = (1 << p->kind.depth) - 1;
    if (type == PNG_COLOR_TYPE_PALETTE) {
        rgba[0] = p->palette[first].red / 255.0;
        rgba[1] = p->palette[first].green / 255.0;
        rgba[2] = p->palette[first].blue / 255.0;
        bool has_alpha = p->kind.transparent && first < p->alpha_count;
        rgba[3] = has_alpha ? p->alphas[first] / 255.0 : 1;
        return;
    }
    int step = type & PNG_COLOR_MASK_COLOR ? 1 : 0;
    for (int c = 0; c < 3; c++) rgba[c] = sample(p, x, y, c * step) / most;
    rgba[3] = type & PNG_COLOR_MASK_ALPHA ? sample(p, x, y, p->samples - 1) / most : 1;
    bool is_key =
        first == p->key.red &&
        (!step || (sample(p, x, y, 1) == p->key.green && sample(p, x, y, 2) == p->key.blue));
    if (p->kind.transparent && is_key) rgba[3] = 0;
}

static void assert_converted(const picture *p, const io_image *image)
{
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            double rgba[4], grey;
            true_colour(p, x, y, rgba);
            grey = 0.2126 * rgba[0] + 0.7152 * rgba[1] + 0.0722 * rgba[2];
            int n = image->channels;
            const uint8_t *pixel = image->pixels + (y * p->width + x) * n;
            bool to_grey = p->kind.type & PNG_COLOR_MASK_COLOR && n < 3;
            for (int c = 0; c < n; c++) {
                bool is_alpha = n % 2 == 0 && c == n - 1;
                double wanted = 255 * (is_alpha ? rgba[3] : n < 3 ? grey : rgba[c]);
                assert_true(pixel[c] >= wanted - (to_grey ? 1.01 : 0.501));
                assert_true(pixel[c] <= wanted + (to_grey ? 1.01 : 0.501));
            }
        }
}

static void every_kind_is_converted(void **state)
{
    (void)state;
    static const int shapes[][2] = {{1, 1}, {3, 2}, {9, 5}, {17, 16}};
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++)
            for (int interlace = 0; interlace < 2; interlace++) {
                picture p = random_picture(kinds[k], shapes[s][0], shapes[s][1]);
                write_picture("kind.png", &p, interlace);
                for (int channels = 1; channels <= 4; channels++) {
                    messages m = quiet();
                    io_image image = {0};
                    assert_int_equal(io_png_read("kind.png", channels, &image, &m), KATA_OK);
                    assert_int_equal(image.width, p.width);
                    assert_int_equal(image.height, p.height);
                    assert_converted(&p, &image);
                    io_image_free(&image);
                }
            }
    unlink("kind.png");
}

/* ---- broken files ---------------------------------------------------------------------------- */

static void put_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static char *bytes_of_image(size_t *size)
{
    io_image image = random_image(13, 7, 4);
    write_image("whole.png", &image);
    char *data;
    assert_int_equal(file_read("whole.png", 1 << 20, &data, size), 0);
    io_image_free(&image);
    unlink("whole.png");
    return data;
}

static void a_file_cut_anywhere_is_an_error(void **state)
{
    (void)state;
    size_t size;
    char *data = bytes_of_image(&size);
    for (size_t n = 0; n < size; n++) {
        messages m = quiet();
        int64_t width = -1, height = -1;
        put_file("cut.png", data, n);
        assert_unreadable("cut.png");
        bool found = io_png_size("cut.png", &width, &height, &m) == KATA_OK;
        assert_int_equal(width, found ? 13 : -1);
        assert_int_equal(height, found ? 7 : -1);
        message_free(&m);
    }
    unlink("cut.png");
    free(data);
}

static void a_changed_byte_is_an_error(void **state)
{
    (void)state;
    size_t size;
    char *data = bytes_of_image(&size);
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit += 5) {
            data[i] ^= (char)(1 << bit);
            put_file("changed.png", data, size);
            assert_unreadable("changed.png");
            data[i] ^= (char)(1 << bit);
        }
    unlink("changed.png");
    free(data);
}

static void garbage_is_an_error(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        uint8_t data[200];
        for (size_t j = 0; j < sizeof data; j++) data[j] = (uint8_t)random_bits();
        memcpy(data, "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", i % 3 == 0 ? 0 : i % 3 == 1 ? 8 : 16);
        put_file("garbage.png", data, sizeof data);
        assert_unreadable("garbage.png");
    }
    unlink("garbage.png");
}

/* Writes the beginning of an image, up to where its pixels would come. */
static void put_header(const char *path, png_uint_32 width, png_uint_32 height)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_write_chunk(png, (png_const_bytep) "IDAT", (png_const_bytep) "", 0);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
}

static void assert_says(kata_status (*read)(const char *, messages *), const char *path,
                        const char *expected)
{
    messages m = quiet();
    assert_int_equal(read(path, &m), KATA_ERROR_FILE);
    assert_string_equal(text_get(&m.body), expected);
    message_free(&m);
}

static kata_status read_any(const char *path, messages *m)
{
    io_image image = {0};
    return io_png_read(path, 1, &image, m);
}

static kata_status read_size(const char *path, messages *m)
{
    int64_t width, height;
    return io_png_size(path, &width, &height, m);
}

static void messages_name_file_and_reason(void **state)
{
    (void)state;
    put_file("text.png", "no picture", 10);
    put_file("empty.png", "", 0);
    put_header("wide.png", 65536, 1);
    put_header("large.png", 65535, 65535);
    put_header("cut.png", 65535, 4096);
    static const char *const expected[][2] = {
        {"none.png", "error: cannot read none.png: No such file or directory"},
        {".", "error: cannot read .: Is a directory"},
        {"text.png", "error: cannot read text.png: it is not a PNG image"},
        {"empty.png", "error: cannot read empty.png: it is not a PNG image"},
        {"wide.png", "error: cannot read wide.png: 65536 by 1 pixels are more than 65535 a side or "
                     "268435456 in all"},
        {"large.png", "error: cannot read large.png: 65535 by 65535 pixels are more than 65535 a "
                      "side or 268435456 in all"}};
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        assert_says(read_any, expected[i][0], expected[i][1]);
        assert_says(read_size, expected[i][0], expected[i][1]);
    }
    assert_says(read_any, "cut.png", "error: cannot read cut.png: the file ends too early");
    unlink("text.png");
    unlink("empty.png");
    unlink("wide.png");
    unlink("large.png");
    unlink("cut.png");
}

/* ---- failing to write ------------------------------------------------------------------------ */

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    static const io_image wrong[] = {
        {0, 1, 1, NULL},     {1, -1, 1, NULL},    {1, 1, 0, NULL},        {1, 1, 5, NULL},
        {65536, 1, 1, NULL}, {1, 65536, 1, NULL}, {65535, 65535, 1, NULL}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        messages m = quiet();
        assert_int_equal(io_png_write("wrong.png", &wrong[i], &m), KATA_ERROR_ARGUMENT);
        message_free(&m);
    }
    assert_int_equal(files_here(), 0);
}

static void a_missing_folder_is_an_error(void **state)
{
    (void)state;
    io_image image = random_image(3, 3, 3);
    messages m = quiet();
    assert_int_equal(io_png_write("none/a.png", &image, &m), KATA_ERROR_FILE);
    assert_string_equal(text_get(&m.body),
                        "error: cannot write none/a.png: No such file or directory");
    message_free(&m);
    io_image_free(&image);
}

static void a_failure_leaves_the_old_file(void **state)
{
    (void)state;
    io_image large = random_image(200, 200, 3);
    messages m = quiet();
    struct rlimit before, limit;
    put_file("old.png", "old", 3);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){.rlim_cur = 1000, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    kata_status status = io_png_write("old.png", &large, &m);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, KATA_ERROR_FILE);
    assert_string_equal(text_get(&m.body), "error: cannot write old.png: File too large");
    char *data;
    size_t size;
    assert_int_equal(file_read("old.png", 10, &data, &size), 0);
    assert_string_equal(data, "old");
    assert_int_equal(files_here(), 1);
    free(data);
    message_free(&m);
    io_image_free(&large);
    unlink("old.png");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(freeing_nothing_is_allowed),
        cmocka_unit_test(every_kind_is_converted),
        cmocka_unit_test(a_file_cut_anywhere_is_an_error),
        cmocka_unit_test(a_changed_byte_is_an_error),
        cmocka_unit_test(garbage_is_an_error),
        cmocka_unit_test(messages_name_file_and_reason),
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(a_missing_folder_is_an_error),
        cmocka_unit_test(a_failure_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
