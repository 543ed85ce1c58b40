/* io: files of values and pictures. Knows arrays in plain order, not fields. */
#ifndef IO_IO_H
#define IO_IO_H

#include "base/base.h"

/* ---- colour.c -------------------------------------------------------------------------------- */

/* The viridis colour at t in [0, 1] (clamped; NaN is magenta), as 8-bit RGB. */
void io_viridis(double t, uint8_t rgb[3]);

/* ---- png.c ----------------------------------------------------------------------------------- */

/* Images of 8 bits per channel, rows from the top, pixels of `channels` bytes: 1 grey, 2 grey and
 * alpha, 3 RGB, 4 RGBA. */
typedef struct io_image {
    int64_t width, height;
    int channels;
    uint8_t *pixels; /* malloc'd */
} io_image;

/* Reading and writing take up to 65535 pixels a side and 2^28 in all. */

kata_status io_png_size(const char *path, int64_t *width, int64_t *height, messages *m);
/* Reads any PNG (palette, 1 to 16 bits, interlaced) as `channels` channels: 16 bits are rounded to
 * 8, grey is 0.2126 red + 0.7152 green + 0.0722 blue of the samples as stored (gamma and colour
 * profiles are ignored), missing alpha is 255, unwanted alpha is dropped. On failure *image stays
 * as it was. */
kata_status io_png_read(const char *path, int channels, io_image *image, messages *m);
/* The file appears whole or not at all. */
kata_status io_png_write(const char *path, const io_image *image, messages *m);
void io_image_free(io_image *image);

/* ---- vtkhdf.c -------------------------------------------------------------------------------- */

/* Values (plain order: x fastest, component slowest) at the points of a uniform grid. */
typedef struct io_points {
    const char *name;
    kata_type type;
    int rank, components;
    int64_t size[3]; /* 1 beyond the rank */
    double spacing;
    const void *values;
} io_points;

/* Writes points as the point data of a VTKHDF ImageData file (VTK File Formats, VTKHDF 2.0),
 * several components interleaved as VTK wants them. At most 2^31 - 1 points a side. The file
 * appears whole or not at all. */
kata_status io_vtkhdf_write(const char *path, const io_points *points, messages *m);

#endif
