/* PNG images out, by libpng: into memory, then to a file that appears whole. */
#include "io/png_codec.h"

#include <errno.h>
#include <string.h>

static void write_bytes(png_structp png, png_bytep from, size_t size)
{
    io_png_codec *c = png_get_io_ptr(png);
    c->no_memory = !vector_reserve(&c->data, &c->capacity, c->size + size, 1);
    if (c->no_memory) png_error(png, "out of memory");
    memcpy((char *)c->data + c->size, from, size);
    c->size += size;
}

static void flush_nothing(png_structp png) { (void)png; }

void io_png_into_memory(io_png_codec *c)
{
    png_set_write_fn(c->png, c, write_bytes, flush_nothing);
}

/* One filter and runs only: a sixth of the time that libpng's own choice takes (all filters tried
 * for each row, and a search for repetitions), for files about a fifth larger. */
static void choose_compression(io_png_codec *c)
{
    enum { FASTEST = 1, RUNS_ONLY = 3 /* zlib's Z_RLE */ };
    png_set_filter(c->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_PAETH);
    png_set_compression_level(c->png, FASTEST);
    png_set_compression_strategy(c->png, RUNS_ONLY);
}

static void write_picture(io_png_codec *c)
{
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    const io_image *image = &c->image;
    size_t row = (size_t)image->width * (size_t)image->channels;
    io_png_into_memory(c);
    png_set_IHDR(c->png, c->info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 types[image->channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    choose_compression(c);
    png_write_info(c->png, c->info);
    for (int64_t y = 0; y < image->height; y++)
        png_write_row(c->png, image->pixels + row * (size_t)y);
    png_write_end(c->png, c->info);
}

bool io_png_encode(io_png_codec *c)
{
    c->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, c, io_png_on_error, io_png_on_warning);
    c->info = c->png ? png_create_info_struct(c->png) : NULL;
    c->no_memory = !c->info;
    bool done = c->info && io_png_guarded(c, write_picture);
    png_destroy_write_struct(&c->png, &c->info);
    return done;
}

kata_status io_png_check(const char *path, const io_image *image, messages *m)
{
    if (image->channels < 1 || image->channels > 4)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "cannot write %s: an image has 1 to 4 channels, not %d", path,
                            image->channels);
    if (io_png_size_is_allowed(image->width, image->height)) return KATA_OK;
    return message_fail(m, KATA_ERROR_ARGUMENT,
                        "cannot write %s: an image has 1 to %d pixels a side and at most %d in "
                        "all, not %lld by %lld",
                        path, (int)IO_LARGEST_SIDE, (int)IO_LARGEST_AREA, (long long)image->width,
                        (long long)image->height);
}

kata_status io_png_cannot_write(const io_png_codec *c, const char *path, int error, messages *m)
{
    if (c->no_memory || error == ENOMEM) return message_no_memory(m);
    return message_fail(m, KATA_ERROR_FILE, "cannot write %s: %s", path,
                        error ? file_reason(error) : c->reason);
}

kata_status io_png_write(const char *path, const io_image *image, messages *m)
{
    kata_status status = io_png_check(path, image, m);
    if (status) return status;
    io_png_codec c = {.image = *image};
    bool encoded = io_png_encode(&c);
    int error = encoded ? file_write(path, c.data, c.size) : 0;
    if (!encoded || error) status = io_png_cannot_write(&c, path, error, m);
    io_png_codec_free(&c);
    return status;
}
