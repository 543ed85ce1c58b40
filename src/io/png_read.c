/* PNG images in, by libpng. Pictures come from strangers: sizes are bounded before anything is
 * allocated by them, and of the chunks around the pixels only the palette and the transparent
 * colour are looked at, so that samples are taken as stored, whatever colour profile or gamma comes
 * with them. */
#include "io/png_codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_bytes(png_structp png, png_bytep to, size_t size)
{
    io_png_codec *c = png_get_io_ptr(png);
    if (fread(to, 1, size, c->file) == size) return;
    png_error(png, ferror(c->file) ? strerror(errno) : "the file ends too early");
}

/* ---- reading --------------------------------------------------------------------------------- */

static kata_status cannot_read(const io_png_codec *c, const char *path, messages *m)
{
    if (c->no_memory) return message_no_memory(m);
    return message_fail(m, KATA_ERROR_FILE, "cannot read %s: %s", path, c->reason);
}

/* Opens the file up to behind the signature; false, with c->reason, where it is no PNG image. */
static bool open_png(io_png_codec *c, const char *path)
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

static bool start_reading(io_png_codec *c, const char *path)
{
    if (!open_png(c, path)) return false;
    c->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, c, io_png_on_error, io_png_on_warning);
    c->info = c->png ? png_create_info_struct(c->png) : NULL;
    c->no_memory = !c->info;
    return c->info;
}

static void finish_reading(io_png_codec *c)
{
    png_destroy_read_struct(&c->png, &c->info, NULL);
    io_png_codec_free(c);
}

static void read_header(io_png_codec *c)
{
    png_set_read_fn(c->png, c, read_bytes);
    png_set_sig_bytes(c->png, 8);
    png_set_user_limits(c->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_keep_unknown_chunks(c->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(c->png, c->info);
    png_uint_32 width = png_get_image_width(c->png, c->info);
    png_uint_32 height = png_get_image_height(c->png, c->info);
    if (!io_png_size_is_allowed(width, height)) {
        char reason[128];
        snprintf(reason, sizeof reason, "%u by %u pixels are more than %d a side or %d in all",
                 (unsigned)width, (unsigned)height, (int)IO_LARGEST_SIDE, (int)IO_LARGEST_AREA);
        png_error(c->png, reason);
    }
    c->image.width = width;
    c->image.height = height;
}

/* Asks libpng for 8 bits and the wanted channels. */
static void set_conversions(io_png_codec *c)
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

static void read_pixels(io_png_codec *c)
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
static void check_indices(io_png_codec *c)
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
static bool may_miss_colours(const io_png_codec *c)
{
    png_colorp palette;
    int colours = 0;
    if (png_get_color_type(c->png, c->info) != PNG_COLOR_TYPE_PALETTE) return false;
    png_get_PLTE(c->png, c->info, &palette, &colours);
    return colours < 1 << png_get_bit_depth(c->png, c->info);
}

static bool start_again(io_png_codec *c, const char *path)
{
    int channels = c->image.channels;
    finish_reading(c);
    *c = (io_png_codec){.image.channels = channels};
    return start_reading(c, path) && io_png_guarded(c, read_header);
}

static bool read_image(io_png_codec *c, const char *path)
{
    if (!start_reading(c, path) || !io_png_guarded(c, read_header)) return false;
    if (may_miss_colours(c) && !(io_png_guarded(c, check_indices) && start_again(c, path)))
        return false;
    return io_png_guarded(c, read_pixels);
}

kata_status io_png_header(const char *path, io_image *image, messages *m)
{
    io_png_codec c = {0};
    kata_status status = KATA_OK;
    if (start_reading(&c, path) && io_png_guarded(&c, read_header)) {
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
    io_png_codec c = {.image.channels = channels};
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
