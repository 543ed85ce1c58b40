/* What the files that read and write fields share: formats.c lists the formats, the others are one
 * of them each. */
#ifndef API_FILES_H
#define API_FILES_H

#include "api/api.h"

#include "io/reading.h"

/* ---- file_name.c ----------------------------------------------------------------------------- */

/* Whether a path ends so, in letters of either case, and is longer. */
bool api_ends_with(const char *path, const char *ending);
/* The colon of "FILE:/DATASET", if FILE is a file or ends in .h5 or .hdf5; NULL: `path` names no
 * dataset, as "d:/in.npy" in a folder called "d:". */
const char *api_dataset_in(const char *path);

/* ---- formats.c ------------------------------------------------------------------------------- */

struct api_field_list;
struct api_loading;
/* What a kind of file can take. */
enum {
    API_SEVERAL = 1,
    API_TOGETHER = 2,
    API_COLOURS = 4,
    API_PLACES = 8,
    API_CELLS = 16,
    API_FRAMES = 32,
    API_POSITIONS = 64
};

typedef struct api_format {
    const char *ending;
    unsigned takes; /* several fields; components of a point together; colours; times and places;
                       values of cells; one picture behind another: in a series alone;
                       positions of vertices */
    /* Makes the output of fields to a file, which owns what it needs; reports. */
    kata_status (*make)(struct api_field_list *list, const kata_save_options *options,
                        io_output *output);
    /* Opens the values of a file: components of a point together if it takes them so. */
    kata_status (*load)(const kata_field *field, const char *path, struct api_loading *out);
    kata_status (*shape)(kata *k, const char *path, int components, kata_shape *shape);
} api_format;

/* The format of a path's ending; NULL: there is none. */
const api_format *api_format_of(const char *path);
/* That of "FILE:/DATASET", too; NULL, reported: there is none. */
const api_format *api_format_for_reading(kata *k, const char *call, const char *path);

/* ---- save.c ---------------------------------------------------------------------------------- */

/* Reads the options of a call (given: or NULL), and finds the format of the file; reports what
 * makes no sense. */
kata_status api_read_saving(kata_field *field, const api_options *kind,
                            const kata_save_options *given, kata_save_options *options,
                            const api_format **format);

/* ---- output.c -------------------------------------------------------------------------------- */

/* Gets the values of the fields, and writes them, at once or behind. Owns the output. All ranks
 * call it, others with outputs that they do not write. */
kata_status api_output_write(struct api_field_list *list, const io_output *output, bool behind);
/* Writes an output that takes no values from fields, behind if that is possible. */
kata_status api_output_behind(kata *k, const io_output *output);
/* Zeroed memory for what an output needs: a structure that begins with `char *path`, a copy of a
 * path; NULL (reported) when memory is out. The second frees both. */
void *api_output_data(kata *k, size_t size, const char *path);
void api_output_data_free(void *data);
/* Refuses a process that was forked from the one that made a file which grows: both would write to
 * the same places of it. */
kata_status api_check_writer(kata *k, pid_t writer, const char *call, const char *path);

/* ---- output_behind.c ------------------------------------------------------------------------- */

/* Makes the thread that writes if there is none in this process. False: values are written at once.
 */
bool api_output_can_wait(kata *k);

/* ---- field_values.c -------------------------------------------------------------------------- */

/* The fields that go to one file, and how far they went there. */
typedef struct api_field_list {
    const char *call; /* that needs their values */
    int count;
    kata_field *field[IO_MOST_ARRAYS];
    kata_type type[IO_MOST_ARRAYS]; /* of the values in the file */
    int component[IO_MOST_ARRAYS];  /* the only one that goes there, from 1 on; 0: all */
    bool together;                  /* pieces have all components of their points; otherwise
                                       components come one after another, as if each had points of
                                       its own */
    int array;                      /* the next piece: of which field, from which point on */
    int64_t first;
    void *piece; /* the latest one */
} api_field_list;

/* The type in a file of arrays of values so stored: f32 for f16, bf16 and unorm8. */
kata_type api_file_type(kata_type type);
/* Before values are taken: sees to it that fields have them. All ranks call it. */
kata_status api_begin_values(api_field_list *list);
/* Their values. The list stays where it is meanwhile; on the first rank only. */
io_source api_source(api_field_list *list);
/* How many components of field i go to the file. */
int api_components_of(const api_field_list *list, int i);
/* Copies their values for the output that was begun; stops at an error, which is reported. */
void api_copy_values(api_field_list *list, io_behind *behind);
/* After it, whether they were taken or not: all ranks call it. */
void api_end_values(api_field_list *list);

/* What a file has for all points of a field: values in plain order, of a file whose format takes
 * components of a point together in that order. */
typedef struct api_loading {
    kata_type type;
    io_reading values;
} api_loading;

/* ---- load.c ---------------------------------------------------------------------------------- */

/* Gives a box of a field, which is ready for them, the values of a file that is open on the first
 * rank, piece by piece; `together`: components that come point by point, 1: each comes by itself.
 * All ranks call it. After an error the field may have no values. */
kata_status api_take_values(kata_field *field, const grid_box *box, int together,
                            api_loading *file);

/* ---- mesh_save.c ----------------------------------------------------------------------------- */

/* How many levels a field on a mesh has. */
int64_t api_mesh_levels(const kata_field *field);
/* Why a field on a mesh has no place in a file with another one: its grid, or values that are not
 * those of single elements. NULL: it has. */
const char *api_mesh_why_not(const kata_field *first, const kata_field *field);
/* Whether a field says where the vertices of so many levels lie; reports. */
kata_status api_mesh_check_positions(const api_field_list *list, const kata_field *at,
                                     int64_t levels);
/* Its values: the first component of all vertices, the next of all, ... */
kata_status api_mesh_get_positions(kata_field *at, double *values, int64_t count);
/* Reports that it is not there. */
kata_status api_mesh_refuse_positions(const api_field_list *list);
/* Fields on a mesh to VTKHDF. */
kata_status api_mesh_make(api_field_list *list, const kata_save_options *options,
                          io_output *output);

/* ---- grid_netcdf.c --------------------------------------------------------------------------- */

/* Fields on grids to netCDF-4. */
kata_status api_grid_netcdf_make(api_field_list *list, const kata_save_options *options,
                                 io_output *output);

/* ---- mesh_netcdf.c --------------------------------------------------------------------------- */

/* Fields to netCDF-4: on a mesh, or on grids where the first one is. */
kata_status api_netcdf_make(api_field_list *list, const kata_save_options *options,
                            io_output *output);

/* ---- picture.c ------------------------------------------------------------------------------- */

kata_status api_png_make(api_field_list *list, const kata_save_options *options, io_output *output);
/* The same, added to an animated picture as that of a time. */
kata_status api_frame_make(api_field_list *list, const kata_save_options *options,
                           io_frames *frames, double time, io_output *output);
kata_status api_png_load(const kata_field *field, const char *path, api_loading *out);
kata_status api_png_shape(kata *k, const char *path, int components, kata_shape *shape);

/* ---- array_file.c ---------------------------------------------------------------------------- */

/* The array of a field's values: components (where there are several), z, y, x, without the axes
 * that the field lacks. */
io_array api_array_of(const kata_field *field);
/* The same of what goes to a file. */
io_array api_listed_array(const api_field_list *list, int i);
/* Makes the type of an array in a file that of the field where bytes are to fill wider integers. */
void api_widen(const kata_field *field, io_array *in_file);
/* Whether the array in a file is the one that a field wants, and its type converts; reports. */
kata_status api_check_fit(const kata_field *field, const char *path, const io_array *in_file,
                          const io_array *wanted);
/* The field of `count` axes from `first` on, slowest first. */
kata_status api_shape_of(kata *k, const char *path, const io_array *a, int first, int count,
                         int components, kata_shape *shape);
/* The field of an array whose first axis may be one of components; `components` as of
 * kata_file_shape. */
kata_status api_array_shape(kata *k, const char *path, const io_array *a, int components,
                            kata_shape *shape);

kata_status api_npy_make(api_field_list *list, const kata_save_options *options, io_output *output);
kata_status api_npy_load(const kata_field *field, const char *path, api_loading *out);
kata_status api_npy_shape(kata *k, const char *path, int components, kata_shape *shape);

/* ---- hdf5_file.c ----------------------------------------------------------------------------- */

/* Of "FILE:/DATASET", or of a file whose only dataset it is or that has one of the field's name. */
kata_status api_hdf5_load(const kata_field *field, const char *path, api_loading *out);
kata_status api_hdf5_shape(kata *k, const char *path, int components, kata_shape *shape);
kata_status api_vtkhdf_load(const kata_field *field, const char *path, api_loading *out);
kata_status api_vtkhdf_shape(kata *k, const char *path, int components, kata_shape *shape);

/* ---- image_file.c ---------------------------------------------------------------------------- */

/* A field and the fields in `options->with`; reports what cannot be. */
kata_status api_field_list_of(kata_field *field, const char *call, const kata_save_options *options,
                              const api_format *format, api_field_list *list);
/* The image that they make; reports where their points differ. */
kata_status api_image_of(const api_field_list *list, const kata_save_options *options,
                         io_lattice *lattice, io_points *arrays);

/* What is said of a field: of the dimensions that it has. */
io_about api_about_of(const kata_field *field, const kata_save_options *options);
kata_status api_hdf5_make(api_field_list *list, const kata_save_options *options,
                          io_output *output);
kata_status api_vtkhdf_make(api_field_list *list, const kata_save_options *options,
                            io_output *output);

#endif
