/* PNG images, by libpng. Pictures come from strangers: sizes are bounded before anything is
 * allocated by them, and of the chunks around the pixels only the palette and the transparent
 * colour are looked at, so that samples are taken as stored, whatever colour profile or gamma comes
 * with them.
 *
 * libpng leaves a failed call by longjmp. All work with it therefore goes through `guarded`, and
 * whatever has to be cleaned up lives in a `codec`, outside of the frames that are jumped over. */
#include "io/io.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_SIDE = 65535, LARGEST_AREA = 1 << 28 };

typedef struct codec {
    png_structp png;
    png_infop info;
    FILE *file; /* read from */
    void *data; /* written to, malloc'd: `size` bytes of `capacity` */
    size_t size, capacity;
    io_image image; /* read to or written from */
    bool no_memory;
    char reason[128]; /* of the failure */
} codec;

/* ---- what libpng calls ----------------------------------------------------------------------- */

static void on_error(png_structp png, png_const_charp reason)
{
    codec *c = png_get_error_ptr(png);
    if (c) snprintf(c->reason, sizeof c->reason, "%s", reason);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp reason)
{
    (void)png;
    (void)reason;
}

static void read_bytes(png_structp png, png_bytep to, size_t size)
{
    codec *c = png_get_io_ptr(png);
    if (fread(to, 1, size, c->file) == size) return;
    png_error(png, ferror(c->file) ? strerror(errno) : "the file ends too early");
}

static void write_bytes(png_structp png, png_bytep from, size_t size)
{
    codec *c = png_get_io_ptr(png);
    c->no_memory = !vector_reserve(&c->data, &c->capacity, c->size + size, 1);
    if (c->no_memory) png_error(png, "out of memory");
    memcpy((char *)c->data + c->size, from, size);
    c->size += size;
}

static void flush_nothing(png_structp png) { (void)png; }

/* ---- shared by reading and writing ----------------------------------------------------------- */

/* Runs a step that calls libpng; false, with c->reason, when libpng gave up. */
static bool guarded(codec *c, void (*step)(codec *))
{
    if (setjmp(png_jmpbuf(c->png))) return false;
    step(c);
    return true;
}

static void codec_free(codec *c)
{
    if (c->file) fclose(c->file);
    free(c->data);
}

static bool size_is_allowed(int64_t width, int64_t height)
{
    return width >= 1 && height >= 1 && width <= LARGEST_SIDE && height <= LARGEST_SIDE &&
           width * height <= LARGEST_AREA;
}

/* ---- reading --------------------------------------------------------------------------------- */

static kata_status cannot_read(const codec *c, const char *path, messages *m)
{
    if (c->no_memory) return message_no_memory(m);
    return message_fail(m, KATA_ERROR_FILE, "cannot read %s: %s", path, c->reason);
}

/* Opens the file up to behind the signature; false, with c->reason, where it is no PNG image. */
static bool open_png(codec *c, const char *path)
{
    png_byte signature[8];
    int fd, error = file_open(path, &fd);
    if (error) {
        snprintf(c->reason, sizeof c->reason, "%s", file_reason(error));
        return false;
    }
    c->file = fdopen(fd, "rb");
    if (!c->file) close(fd);
    bool whole = c->file && fread(signature, sizeof signature, 1, c->file) == 1;
    if (!c->file || ferror(c->file))
        snprintf(c->reason, sizeof c->reason, "%s", strerror(errno));
    else if (!whole || png_sig_cmp(signature, 0, sizeof signature))
        snprintf(c->reason, sizeof c->reason, "it is not a PNG image");
    return !c->reason[0];
}

static bool start_reading(codec *c, const char *path)
{
    if (!open_png(c, path)) return false;
    c->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, c, on_error, on_warning);
    c->info = c->png ? png_create_info_struct(c->png) : NULL;
    c->no_memory = !c->info;
    return c->info;
}

static void finish_reading(codec *c)
{
    png_destroy_read_struct(&c->png, &c->info, NULL);
    codec_free(c);
}

static void read_header(codec *c)
{
    png_set_read_fn(c->png, c, read_bytes);
    png_set_sig_bytes(c->png, 8);
    png_set_user_limits(c->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_keep_unknown_chunks(c->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(c->png, c->info);
    png_uint_32 width = png_get_image_width(c->png, c->info);
    png_uint_32 height = png_get_image_height(c->png, c->info);
    if (!size_is_allowed(width, height)) {
        char reason[128];
        snprintf(reason, sizeof reason, "%u by %u pixels are more than %d a side or %d in all",
                 (unsigned)width, (unsigned)height, (int)LARGEST_SIDE, (int)LARGEST_AREA);
        png_error(c->png, reason);
    }
    c->image.width = width;
    c->image.height = height;
}

/* Asks libpng for 8 bits and the wanted channels. */
static void set_conversions(codec *c)
{
    int type = png_get_color_type(c->png, c->info), channels = c->image.channels;
    bool colours = channels >= 3, has_colours = type & PNG_COLOR_MASK_COLOR;
    bool alpha = channels % 2 == 0;
    bool has_alpha = type & PNG_COLOR_MASK_ALPHA || png_get_valid(c->png, c->info, PNG_INFO_tRNS);
    png_set_expand(c->png);
    png_set_scale_16(c->png);
    if (has_alpha && !alpha) png_set_strip_alpha(c->png);
    if (!has_alpha && alpha) png_set_add_alpha(c->png, 255, PNG_FILLER_AFTER);
    if (!has_colours && colours) png_set_gray_to_rgb(c->png);
    if (has_colours && !colours)
        png_set_rgb_to_gray_fixed(c->png, PNG_ERROR_ACTION_NONE, PNG_RGB_TO_GRAY_DEFAULT,
                                  PNG_RGB_TO_GRAY_DEFAULT);
}

static void read_pixels(codec *c)
{
    set_conversions(c);
    int passes = png_set_interlace_handling(c->png);
    png_read_update_info(c->png, c->info);
    size_t row = (size_t)c->image.width * (size_t)c->image.channels;
    if (png_get_rowbytes(c->png, c->info) != row) png_error(c->png, "it cannot be converted");
    c->image.pixels = malloc(row * (size_t)c->image.height);
    c->no_memory = !c->image.pixels;
    if (c->no_memory) png_error(c->png, "out of memory");
    for (int pass = 0; pass < passes; pass++)
        for (int64_t y = 0; y < c->image.height; y++)
            png_read_row(c->png, c->image.pixels + row * (size_t)y, NULL);
    png_read_end(c->png, NULL);
}

/* libpng takes an index behind the palette's end for black. */
static void check_indices(codec *c)
{
    png_colorp palette;
    int colours = 0, passes = png_set_interlace_handling(c->png);
    png_get_PLTE(c->png, c->info, &palette, &colours);
    png_set_packing(c->png);
    png_read_update_info(c->png, c->info);
    c->data = calloc((size_t)c->image.width, 1);
    c->no_memory = !c->data;
    if (c->no_memory) png_error(c->png, "out of memory");
    for (int64_t row = 0; row < passes * c->image.height; row++) {
        png_read_row(c->png, c->data, NULL);
        for (int64_t x = 0; x < c->image.width; x++) {
            int index = ((const png_byte *)c->data)[x];
            char reason[100];
            if (index < colours) continue;
            snprintf(reason, sizeof reason, "it uses colour %d of a palette of %d, from 0 to %d",
                     index, colours, colours - 1);
            png_error(c->png, reason);
        }
    }
}

/* Whether an image has a palette smaller than its indices may be. */
static bool may_miss_colours(const codec *c)
{
    png_colorp palette;
    int colours = 0;
    if (png_get_color_type(c->png, c->info) != PNG_COLOR_TYPE_PALETTE) return false;
    png_get_PLTE(c->png, c->info, &palette, &colours);
    return colours < 1 << png_get_bit_depth(c->png, c->info);
}

static bool start_again(codec *c, const char *path)
{
    int channels = c->image.channels;
    finish_reading(c);
    *c = (codec){.image.channels = channels};
    return start_reading(c, path) && guarded(c, read_header);
}

static bool read_image(codec *c, const char *path)
{
    if (!start_reading(c, path) || !guarded(c, read_header)) return false;
    if (may_miss_colours(c) && !(guarded(c, check_indices) && start_again(c, path))) return false;
    return guarded(c, read_pixels);
}

kata_status io_png_header(const char *path, io_image *image, messages *m)
{
    codec c = {0};
    kata_status status = KATA_OK;
    if (start_reading(&c, path) && guarded(&c, read_header)) {
        int type = png_get_color_type(c.png, c.info);
        bool alpha = type & PNG_COLOR_MASK_ALPHA || png_get_valid(c.png, c.info, PNG_INFO_tRNS);
        c.image.channels = (type & PNG_COLOR_MASK_COLOR ? 3 : 1) + (alpha ? 1 : 0);
        *image = c.image;
    } else {
        status = cannot_read(&c, path, m);
    }
    finish_reading(&c);
    return status;
}

kata_status io_png_size(const char *path, int64_t *width, int64_t *height, messages *m)
{
    io_image image = {0};
    kata_status status = io_png_header(path, &image, m);
    if (status) return status;
    *width = image.width;
    *height = image.height;
    return KATA_OK;
}

kata_status io_png_read(const char *path, int channels, io_image *image, messages *m)
{
    codec c = {.image.channels = channels};
    kata_status status = KATA_OK;
    if (read_image(&c, path)) {
        *image = c.image;
    } else {
        status = cannot_read(&c, path, m);
        free(c.image.pixels);
    }
    finish_reading(&c);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* One filter and runs only: a sixth of the time that libpng's own choice takes (all filters tried
 * for each row, and a search for repetitions), for files about a fifth larger. */
static void choose_compression(codec *c)
{
    enum { FASTEST = 1, RUNS_ONLY = 3 /* zlib's Z_RLE */ };
    png_set_filter(c->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_PAETH);
    png_set_compression_level(c->png, FASTEST);
    png_set_compression_strategy(c->png, RUNS_ONLY);
}

static void write_picture(codec *c)
{
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    const io_image *image = &c->image;
    size_t row = (size_t)image->width * (size_t)image->channels;
    png_set_write_fn(c->png, c, write_bytes, flush_nothing);
    png_set_IHDR(c->png, c->info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 types[image->channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    choose_compression(c);
    png_write_info(c->png, c->info);
    for (int64_t y = 0; y < image->height; y++)
        png_write_row(c->png, image->pixels + row * (size_t)y);
    png_write_end(c->png, c->info);
}

/* The file's bytes in c->data; false, with c->reason, when that failed. */
static bool encode(codec *c)
{
    c->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, c, on_error, on_warning);
    c->info = c->png ? png_create_info_struct(c->png) : NULL;
    c->no_memory = !c->info;
    bool done = c->info && guarded(c, write_picture);
    png_destroy_write_struct(&c->png, &c->info);
    return done;
}

kata_status io_png_write(const char *path, const io_image *image, messages *m)
{
    if (image->channels < 1 || image->channels > 4)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "cannot write %s: an image has 1 to 4 channels, not %d", path,
                            image->channels);
    if (!size_is_allowed(image->width, image->height))
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "cannot write %s: an image has 1 to %d pixels a side and at most %d in "
                            "all, not %lld by %lld",
                            path, (int)LARGEST_SIDE, (int)LARGEST_AREA, (long long)image->width,
                            (long long)image->height);
    codec c = {.image = *image};
    kata_status status = KATA_OK;
    bool encoded = encode(&c);
    int error = encoded ? file_write(path, c.data, c.size) : 0;
    if (c.no_memory || error == ENOMEM)
        status = message_no_memory(m);
    else if (!encoded || error)
        status = message_fail(m, KATA_ERROR_FILE, "cannot write %s: %s", path,
                              encoded ? file_reason(error) : c.reason);
    codec_free(&c);
    return status;
}

void io_image_free(io_image *image)
{
    if (!image) return;
    free(image->pixels);
    *image = (io_image){0};
}
