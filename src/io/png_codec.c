#include "io/png_codec.h"

#include <setjmp.h>
#include <stdlib.h>

void io_png_on_error(png_structp png, png_const_charp reason)
{
    io_png_codec *c = png_get_error_ptr(png);
    if (c) snprintf(c->reason, sizeof c->reason, "%s", reason);
    png_longjmp(png, 1);
}

void io_png_on_warning(png_structp png, png_const_charp reason)
{
    (void)png;
    (void)reason;
}

bool io_png_guarded(io_png_codec *c, void (*step)(io_png_codec *))
{
    if (setjmp(png_jmpbuf(c->png))) return false;
    step(c);
    return true;
}

void io_png_codec_free(io_png_codec *c)
{
    if (c->file) fclose(c->file);
    free(c->data);
}

bool io_png_size_is_allowed(int64_t width, int64_t height)
{
    return width >= 1 && height >= 1 && width <= IO_LARGEST_SIDE && height <= IO_LARGEST_SIDE &&
           width * height <= IO_LARGEST_AREA;
}

void io_image_free(io_image *image)
{
    if (!image) return;
    free(image->pixels);
    *image = (io_image){0};
}
