/* io: files of values and pictures. Knows arrays in plain order, and plans; not fields. */
#ifndef IO_IO_H
#define IO_IO_H

#include "plan/plan.h"

/* ---- colour.c, diverging.c ------------------------------------------------------------------- */

/* The viridis colour at t in [0, 1] (clamped; NaN is magenta), as 8-bit RGB. */
void io_viridis(double t, uint8_t rgb[3]);
/* The same from blue by grey (at 1/2) to red. */
void io_diverging(double t, uint8_t rgb[3]);

/* ---- png_read.c, png_write.c ----------------------------------------------------------------- */

/* Images of 8 bits per channel, rows from the top, pixels of `channels` bytes: 1 grey, 2 grey and
 * alpha, 3 RGB, 4 RGBA. */
typedef struct io_image {
    int64_t width, height;
    int channels;
    uint8_t *pixels; /* malloc'd */
} io_image;

/* Reading and writing take up to 65535 pixels a side and 2^28 in all. */

kata_status io_png_size(const char *path, int64_t *width, int64_t *height, messages *m);
/* Size and channels as they are in the file (a palette counts as RGB); pixels is NULL. */
kata_status io_png_header(const char *path, io_image *image, messages *m);
/* Reads any PNG (palette, 1 to 16 bits, interlaced) as `channels` channels: 16 bits are rounded to
 * 8, grey is 0.2126 red + 0.7152 green + 0.0722 blue of the samples as stored (gamma and colour
 * profiles are ignored), missing alpha is 255, unwanted alpha is dropped. On failure *image stays
 * as it was. */
kata_status io_png_read(const char *path, int channels, io_image *image, messages *m);
/* The file appears whole or not at all. */
kata_status io_png_write(const char *path, const io_image *image, messages *m);
void io_image_free(io_image *image);

/* ---- frames.c -------------------------------------------------------------------------------- */

/* An animated PNG (APNG 1.0; its first picture is that of a PNG) that grows by pictures of one
 * size, and begins again when the last one was shown. */
typedef struct io_frames io_frames;
/* Copies what it is given; the file appears with its first picture. Each is shown for so many
 * seconds, which are rounded to thousandths. NULL when memory is out. */
io_frames *io_frames_new(const char *path, double seconds);
/* Adds the picture of a time, whole or not at all: the file is complete after each. The picture of
 * the time that was added last is not added again. */
kata_status io_frames_add(io_frames *f, double time, const io_image *image, messages *m);
/* As for io_series. */
bool io_frames_rename(io_frames *f, const char *path);
void io_frames_free(io_frames *f);

/* ---- svg.c ----------------------------------------------------------------------------------- */

/* A picture of plans, one below another: points of a dimension to the right, loops upwards, a
 * colour and a number per tile. Zero-initialised is empty. */
typedef struct io_svg {
    text panels;
    int height; /* of the panels, in pixels */
    int count;
    int left_out; /* plans beyond the sixth: they are counted and not drawn */
} io_svg;

/* Adds a plan. Nothing is added where it computes nothing. False when memory is out. */
bool io_svg_add(io_svg *s, const plan *p, const analysis_chain *a, int dimension);
/* The whole picture with its legend: one SVG document, 1180 pixels wide. */
void io_svg_print(text *out, const io_svg *s);
void io_svg_free(io_svg *s);

/* ---- svg_roofline.c -------------------------------------------------------------------------- */

/* Operations per byte and per second, and the share of its bound. */
typedef struct io_roofline_kernel {
    const char *name;
    double intensity, rate, share;
} io_roofline_kernel;

/* A memory: bytes per second; 0: there is none. */
typedef struct io_roof {
    const char *name;
    double rate;
} io_roof;

enum { IO_ROOFS = 3 };
typedef struct io_roofline {
    io_roof roofs[IO_ROOFS];
    double peak; /* operations per second; above 0 */
    const char *peak_name;
    const io_roofline_kernel *kernels;
    int count;
} io_roofline;

/* Draws the kernels under the roofs: one SVG document, 1180 pixels wide. */
void io_svg_roofline(text *out, const io_roofline *r);

/* ---- svg_scaling.c --------------------------------------------------------------------------- */

enum { IO_SCALINGS = 16 };

/* Seconds and efficiency (1: perfect) on so many ranks, ascending from 1: two plots of two lines.
 */
typedef struct io_scaling {
    const char *title, *below, *titles[2], *lines[2];
    int count, ranks[IO_SCALINGS];
    double seconds[2][2][IO_SCALINGS], efficiency[2][2][IO_SCALINGS];
} io_scaling;

/* One SVG document, 1180 pixels wide. */
void io_svg_scaling(text *out, const io_scaling *s);

/* ---- svg_pipeline.c -------------------------------------------------------------------------- */

enum { IO_PIPELINE_ROWS = 3, IO_PIPELINE_BARS = 128 };

typedef struct io_pipeline_bar {
    int row;
    double begin, end; /* seconds */
    int64_t turn;
    bool waits;
} io_pipeline_bar;

/* What a core does by turns, and what moves meanwhile. */
typedef struct io_pipeline {
    const char *title, *below, *rows[IO_PIPELINE_ROWS];
    io_pipeline_bar bars[IO_PIPELINE_BARS];
    int count;
    double seconds; /* the end of the last bar */
} io_pipeline;

/* One SVG document, 1180 pixels wide. */
void io_svg_pipeline(text *out, const io_pipeline *p);

/* ---- svg_partition.c ------------------------------------------------------------------------- */

/* Draws owners in groups: each `group` of them is one, of `colours` groups a colour each. What lies
 * in the plane in the middle of z is drawn: the hull of each group or, with `boxes`, its boxes. At
 * most 20,000 rectangles are. One SVG document, 1180 pixels wide. */
void io_svg_partition(text *out, const grid_partition *p, int group, int colours, bool boxes);

/* ---- npy.c ----------------------------------------------------------------------------------- */

enum { IO_MOST_AXES = 8 };

/* An array as files hold them: axes from the slowest to the fastest. */
typedef struct io_array {
    kata_type type;
    int axes;
    int64_t size[IO_MOST_AXES];
} io_array;

/* Number of values; below 2^48 in arrays that these functions give. */
int64_t io_array_count(const io_array *a);
/* Whether integers of a narrow type may be read as a wider one that has all their values. */
bool io_widens(kata_type from, kata_type to);
/* "3 x 4 x 5"; "one number" without axes */
void io_array_print(text *out, const io_array *a);

/* Where values come from, piece by piece: `take` gives values of array i from point `first` on, in
 * plain order, and returns the number of points. They are valid until the next call. 0, reported:
 * failure. Arrays are taken one after another, each from its first point to its last one. */
typedef struct io_source {
    void *data;
    int64_t (*take)(void *data, int i, int64_t first, const void **values);
} io_source;

/* Version 1, C order, of array 0 of a source; each value is a point. The file appears whole or not
 * at all. */
kata_status io_npy_write(const char *path, const io_array *a, const io_source *source, messages *m);

/* ---- vtkhdf.c -------------------------------------------------------------------------------- */

enum { IO_MOST_ARRAYS = 16 }; /* in one file */

/* One array of values in plain order: x fastest, component slowest. */
typedef struct io_points {
    const char *name;
    kata_type type; /* f64, f32, i64, i32, i16, u16 or u8 */
    int components;
    const char *units; /* NULL: none */
    bool of_cells;     /* values of the cells between the points of the grid: one fewer along each
                          dimension that has several points */
} io_points;

/* The points of a uniform grid. */
typedef struct io_lattice {
    int64_t size[3];  /* 1 beyond the rank */
    double origin[3]; /* where point (0,0,0) lies */
    double spacing[3];
} io_lattice;

/* Writes arrays as the point data and cell data of a VTKHDF ImageData file (VTK File Formats,
 * VTKHDF 2.0), several components interleaved as VTK wants them. At most 2^31 - 1 points a side.
 * The file appears whole or not at all. */
kata_status io_vtkhdf_write(const char *path, const io_lattice *lattice, double time, int count,
                            const io_points *arrays, const io_source *source, messages *m);

/* ---- vtkhdf_mesh.c --------------------------------------------------------------------------- */

/* Cells of points, as VTK has them: cell i has the corners connectivity[offsets[i]] to
 * connectivity[offsets[i + 1] - 1], and is of the type types[i] (IO_VTK_...). */
typedef struct io_mesh {
    int64_t points, cells, corners; /* corners: of all cells */
    const double *position;         /* x, y and z of each point */
    const int64_t *connectivity, *offsets;
    const uint8_t *types;
} io_mesh;

enum { IO_VTK_LINE = 3, IO_VTK_TRIANGLE = 5, IO_VTK_POLYGON = 7, IO_VTK_QUAD = 9 };

/* Writes arrays as the cell data and point data of a VTKHDF UnstructuredGrid (VTK File Formats,
 * VTKHDF 1.0). The file appears whole or not at all. */
kata_status io_vtkhdf_write_mesh(const char *path, const io_mesh *mesh, double time, int count,
                                 const io_points *arrays, const io_source *source, messages *m);

/* What an array is said to be, beside its values. */
typedef struct io_about {
    const char *units; /* NULL: none */
    int rank;          /* dimensions of the points, x first */
    double time, origin[3], spacing[3];
} io_about;

typedef struct io_named_array {
    const char *name;
    io_array array;
    const io_about *about; /* NULL: nothing is said */
} io_named_array;

/* What becomes of a file that a new one replaces: endings of names in its folder. */
typedef struct io_keeping {
    const char *draft;  /* of the new one while it is written; what has this name is removed */
    const char *before; /* of the old one from then on; NULL: it is removed */
} io_keeping;

/* Writes arrays as contiguous datasets of the root group of an HDF5 file; each value is a point of
 * its source. The file appears whole or not at all. `keeping`: it is on the disk before the old one
 * loses its name; NULL: neither. */
kata_status io_hdf5_write(const char *path, int count, const io_named_array *arrays,
                          const io_source *source, const io_keeping *keeping, messages *m);

/* ---- netcdf.c -------------------------------------------------------------------------------- */

/* An axis of variables. */
typedef struct io_dimension {
    const char *name;
    int64_t size; /* above 0 */
} io_dimension;

typedef struct io_attribute {
    enum { IO_TEXT, IO_INT, IO_DOUBLE } kind;
    const char *name, *text;
    double number;
} io_attribute;

enum { IO_MOST_ATTRIBUTES = 18 };

typedef struct io_variable {
    const char *name;
    kata_type type;
    int axes, dimension[IO_MOST_AXES]; /* numbers of dimensions, slowest first */
    const void *values;                /* NULL: those of the source's next array */
    int attribute_count;
    io_attribute attributes[IO_MOST_ATTRIBUTES];
} io_variable;

/* Adds an attribute; of a text that is NULL, none. */
void io_variable_say(io_variable *v, const char *name, const char *value);
void io_variable_say_int(io_variable *v, const char *name, int value);
void io_variable_say_double(io_variable *v, const char *name, double value);

/* What a netCDF-4 file has. Variables and dimensions have names of their own; a variable with the
 * name of a dimension has that axis alone, and tells where its points lie. */
typedef struct io_netcdf {
    const char *conventions;
    int dimension_count, variable_count;
    const io_dimension *dimensions;
    const io_variable *variables;
} io_netcdf;

/* The file appears whole or not at all. */
kata_status io_netcdf_write(const char *path, const io_netcdf *content, const io_source *source,
                            messages *m);

/* ---- vtkhdf_series.c ------------------------------------------------------------------------- */

/* A VTKHDF file that grows by time steps. */
typedef struct io_series io_series;

/* Copies what it is given; the file appears with its first step. NULL (reported) on failure. */
io_series *io_series_new(const char *path, const io_lattice *lattice, int count,
                         const io_points *arrays, messages *m);
/* Adds a step, whole or not at all: the file is complete after each. Times ascend. */
kata_status io_series_add(io_series *s, double time, const io_source *source, messages *m);
/* Another path for a file that has no steps yet; of one that has, nothing happens. False when
 * memory is out. */
bool io_series_rename(io_series *s, const char *path);
void io_series_free(io_series *s);

/* ---- number_rows.c --------------------------------------------------------------------------- */

/* A file of named numbers over time, which grows by rows: CSV, or HDF5 with a dataset for each
 * column and one for the times. */
typedef struct io_columns io_columns;
typedef struct io_column {
    const char *name, *units; /* units: or NULL */
    int elements;             /* numbers of a row */
    bool is_array;            /* even if it has one element */
} io_column;

/* Copies what it is given; the file appears with its first rows. NULL when memory is out. */
io_columns *io_columns_new(const char *path, bool hdf5, int count, const io_column *columns);
/* Adds rows to those that wait to be written; `values` has all columns of a row, then the next row.
 * False when memory is out. Another thread may write others. */
bool io_columns_add(io_columns *c, int64_t rows, const double *times, const double *values);
/* Bytes of the rows that wait; and whether somebody has asked that before, since some were written
 * last. */
size_t io_columns_waiting(io_columns *c, bool *asked);
/* Writes the rows that wait, all or none; the file is complete then. */
kata_status io_columns_write(io_columns *c, messages *m);
/* As for io_series. */
bool io_columns_rename(io_columns *c, const char *path);
void io_columns_free(io_columns *c);

/* ---- behind.c: files that a thread writes while the program goes on --------------------------
 */

/* A file, or a part of one, that is to be written, with all that is needed for it but the values.
 */
typedef struct io_output {
    void *data;
    kata_status (*write)(void *data, const io_source *source, messages *m); /* on any thread */
    void (*free)(void *data);
} io_output;

typedef struct io_behind io_behind;
/* Values that wait to be written take at most so many bytes; a single piece may have more. NULL
 * when memory or threads are out. */
io_behind *io_behind_new(int64_t most);
/* Whether there is such a thread in this process; of NULL, in a process made by fork, and when the
 * process has begun to exit: no. */
bool io_behind_is_here(const io_behind *b);
/* Waits until everything is written. NULL, and one of a parent: nothing happens. */
void io_behind_free(io_behind *b);
/* Begins an output, which is written behind those begun before. It is freed when it was written,
 * or has failed. False when memory is out: nothing has happened. */
bool io_behind_begin(io_behind *b, const io_output *output);
/* Whether it still takes pieces: not when it has failed. */
bool io_behind_wants_more(io_behind *b);
/* Memory for its next piece, once there is room; NULL when memory is out. */
void *io_behind_room(io_behind *b, size_t bytes);
/* Adds that piece: values of `count` points, as the output will take them. */
void io_behind_add(io_behind *b, int64_t count);
/* It has all its pieces, or will get no more. */
void io_behind_end(io_behind *b);
/* Waits until everything begun is written; NULL, and one of a parent: not at all. */
void io_behind_wait(io_behind *b);
/* Reports the first error of outputs since the last call, if there was one. */
kata_status io_behind_take_error(io_behind *b, messages *m);

#endif
