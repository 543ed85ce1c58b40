/* What the files that read and write fields share: formats.c lists the formats, the others are one
 * of them each. */
#ifndef API_FILES_H
#define API_FILES_H

#include "api/api.h"

#include "io/io.h"

/* ---- file_name.c ----------------------------------------------------------------------------- */

/* Whether a path ends so, in letters of either case, and is longer. */
bool api_ends_with(const char *path, const char *ending);
/* The colon of "FILE:/DATASET", if FILE is a file or ends in .h5 or .hdf5; NULL: `path` names no
 * dataset, as "d:/in.npy" in a folder called "d:". */
const char *api_dataset_in(const char *path);

/* ---- formats.c ------------------------------------------------------------------------------- */

/* Reads the options of a call (given: or NULL); reports what makes no sense. */
kata_status api_read_saving(kata_field *field, const api_options *kind,
                            const kata_save_options *given, kata_save_options *options);

/* ---- field_values.c -------------------------------------------------------------------------- */

/* The fields that go to one file, and how far they went there. */
typedef struct api_field_list {
    const char *call; /* that needs their values */
    int count;
    kata_field *field[IO_MOST_ARRAYS];
    kata_type type[IO_MOST_ARRAYS]; /* of the values in the file */
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
/* All values of the first field in plain order, malloc'd; NULL (reported) on error. */
void *api_values_of(api_field_list *list);
/* After it, whether they were taken or not: all ranks call it. */
void api_end_values(api_field_list *list);

/* What a file has for all points of a field: values in plain order, malloc'd. */
typedef struct api_loaded {
    kata_type type;
    void *values;
} api_loaded;

/* ---- picture.c ------------------------------------------------------------------------------- */

kata_status api_png_save(api_field_list *list, const kata_save_options *options);
kata_status api_png_load(const kata_field *field, const char *path, api_loaded *out);
kata_status api_png_shape(kata *k, const char *path, int components, kata_shape *shape);

/* ---- array_file.c ---------------------------------------------------------------------------- */

/* The array of a field's values: components (where there are several), z, y, x, without the axes
 * that the field lacks. */
io_array api_array_of(const kata_field *field);
/* Makes the type of an array in a file that of the field where bytes are to fill wider integers. */
void api_widen(const kata_field *field, io_array *in_file);
/* Zeros for the values of an array, to be freed; NULL (reported) when memory is out. */
void *api_room_for(kata *k, const io_array *a);
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

kata_status api_npy_save(api_field_list *list, const kata_save_options *options);
kata_status api_npy_load(const kata_field *field, const char *path, api_loaded *out);
kata_status api_npy_shape(kata *k, const char *path, int components, kata_shape *shape);

/* ---- hdf5_file.c ----------------------------------------------------------------------------- */

/* Of "FILE:/DATASET", or of a file whose only dataset it is or that has one of the field's name. */
kata_status api_hdf5_load(const kata_field *field, const char *path, api_loaded *out);
kata_status api_hdf5_shape(kata *k, const char *path, int components, kata_shape *shape);
kata_status api_vtkhdf_load(const kata_field *field, const char *path, api_loaded *out);
kata_status api_vtkhdf_shape(kata *k, const char *path, int components, kata_shape *shape);

/* ---- image_file.c ---------------------------------------------------------------------------- */

/* A field and the fields in `options->with`; reports what cannot be. */
kata_status api_field_list_of(kata_field *field, const char *call, const kata_save_options *options,
                              api_field_list *list);
/* The image that they make; reports where their points differ. */
kata_status api_image_of(const api_field_list *list, const kata_save_options *options,
                         io_lattice *lattice, io_points *arrays);

kata_status api_hdf5_save(api_field_list *list, const kata_save_options *options);
kata_status api_vtkhdf_save(api_field_list *list, const kata_save_options *options);

#endif
