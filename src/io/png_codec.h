/* What reading and writing of PNG share. libpng leaves a failed call by longjmp. All work with it
 * therefore goes through io_png_guarded, and whatever has to be cleaned up lives in a codec,
 * outside of the frames that are jumped over. */
#ifndef IO_PNG_CODEC_H
#define IO_PNG_CODEC_H

#include "io/io.h"

#include <png.h>
#include <stdio.h>

enum { IO_LARGEST_SIDE = 65535, IO_LARGEST_AREA = 1 << 28 };

typedef struct io_png_codec {
    png_structp png;
    png_infop info;
    FILE *file; /* read from */
    void *data; /* written to, malloc'd: `size` bytes of `capacity` */
    size_t size, capacity;
    io_image image; /* read to or written from */
    bool no_memory;
    char reason[128]; /* of the failure */
} io_png_codec;

/* What libpng calls. */
void io_png_on_error(png_structp png, png_const_charp reason);
void io_png_on_warning(png_structp png, png_const_charp reason);
/* Runs a step that calls libpng; false, with c->reason, when libpng gave up. */
bool io_png_guarded(io_png_codec *c, void (*step)(io_png_codec *));
/* png_write.c: what libpng writes goes to c->data; all of c->image goes there as a file. The second
 * is false, with c->reason, when that failed. */
void io_png_into_memory(io_png_codec *c);
bool io_png_encode(io_png_codec *c);
/* Whether an image can be written; reports. */
kata_status io_png_check(const char *path, const io_image *image, messages *m);
/* "cannot write PATH: ...", for what libpng says, or an errno value where that is not 0. */
kata_status io_png_cannot_write(const io_png_codec *c, const char *path, int error, messages *m);
void io_png_codec_free(io_png_codec *c);
bool io_png_size_is_allowed(int64_t width, int64_t height);

#endif
