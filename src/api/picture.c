/* Fields to and from PNG images. Of a sphere's mesh a map, which has the value of the element that
 * is nearest to a pixel. */
#include "api/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- PNG ------------------------------------------------------------------------------------- */

/* The two dimensions along which a field extends; returns how many it has. */
static int dimensions_of(const chain_slot *slot, int along[3])
{
    int count = 0;
    for (int d = 0; d < slot->shape.rank; d++)
        if (!slot->absent_axis[d]) along[count++] = d;
    return count;
}

static kata_status check_rank(const kata_field *field, const char *call)
{
    int along[3], rank = dimensions_of(field->slot, along);
    if (rank == 2) return KATA_OK;
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: field '%s' has %d dimension%s; a picture has 2", call, field->name, rank,
                    rank == 1 ? "" : "s");
}

static kata_status check_map(const kata_field *field, const char *call)
{
    if (!field->grid->mesh->vertices)
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: the picture of a field on a mesh is a map of a sphere, and the mesh "
                        "of '%s' is none; .vtkhdf takes .positions",
                        call, field->name);
    if (!field->slot->on || field->slot->each)
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' has no value on each cell, edge or vertex", call,
                        field->name);
    if (api_mesh_levels(field) == 1) return KATA_OK;
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: field '%s' has %lld levels; a map shows a field of one", call, field->name,
                    (long long)api_mesh_levels(field));
}

static kata_status check_picture(const kata_field *field, const char *call, int components)
{
    const chain_slot *slot = field->slot;
    kata_status status = field->grid->mesh ? check_map(field, call) : check_rank(field, call);
    if (status) return status;
    bool bytes = slot->type == KATA_U8 || slot->type == KATA_UNORM8;
    if (components > 4 || (!bytes && !ir_type_is_floating(ir_type_of_storage(slot->type))))
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' has %d component%s of %s; a picture is made of 1 to 4 of "
                        "f64, f32, f16, bf16, unorm8 or u8",
                        call, field->name, components, components > 1 ? "s" : "",
                        store_type_name(slot->type));
    return KATA_OK;
}

/* The range of values that are numbers; [0, 1] when there is none. */
static void find_limits(const double *values, int64_t count, double *low, double *high)
{
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        if (values[i] < least) least = values[i];
        if (values[i] > most) most = values[i];
    }
    *low = least <= most ? least : 0;
    *high = least <= most ? most : 1;
}

/* 0 at low, 1 at high, beyond outside, 0 where they are one; of halves, for the difference may
 * overflow. */
static double fraction_between(double low, double high, double x)
{
    double width = high / 2 - low / 2;
    if (width == 0) return isnan(x) ? x : x > high ? 1 : 0;
    return (x / 2 - low / 2) / width;
}

/* Where values lie among the colours. */
typedef struct scale {
    kata_colours colours;
    double low, middle, high;
} scale;

/* From 0 to 1; of diverging colours 1/2 at the middle, where two lines meet. */
static double place_in(const scale *s, double x)
{
    if (s->colours != KATA_DIVERGING) return fraction_between(s->low, s->high, x);
    if (s->low == s->high) return isnan(x) ? x : x > s->high ? 1 : x < s->low ? 0 : 0.5;
    return x < s->middle ? fraction_between(s->low, s->middle, x) / 2
                         : 0.5 + fraction_between(s->middle, s->high, x) / 2;
}

/* From the least value to the largest; of diverging colours as far to both sides of the middle. */
static void find_scale(const double *values, int64_t count, scale *s)
{
    find_limits(values, count, &s->low, &s->high);
    if (s->colours != KATA_DIVERGING) return;
    double most = fmax(fabs(s->low - s->middle), fabs(s->high - s->middle));
    s->low = s->middle - most;
    s->high = s->middle + most;
}

static void paint(const double *values, scale s, io_image *image)
{
    void (*colour)(double t, uint8_t rgb[3]) =
        s.colours == KATA_DIVERGING ? io_diverging : io_viridis;
    if (s.low == 0 && s.high == 0) find_scale(values, image->width * image->height, &s);
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++)
            colour(place_in(&s, values[y * image->width + x]),
                   image->pixels + 3 * ((image->height - 1 - y) * image->width + x));
}

static uint8_t byte_of(double x) { return (uint8_t)(x >= 1 ? 255 : x > 0 ? x * 255 + 0.5 : 0); }

static void copy_channels(const double *values, io_image *image)
{
    int64_t points = image->width * image->height;
    for (int c = 0; c < image->channels; c++)
        for (int64_t i = 0; i < points; i++)
            image->pixels[i * image->channels + c] = byte_of(values[c * points + i]);
}

typedef struct picture {
    char *path;
    int64_t width, height;
    int64_t points;    /* of the field */
    int32_t *elements; /* which of them a pixel of a map shows; NULL: each is a pixel */
    int components;
    bool bytes; /* of values; of several components they mean 0 to 1 */
    scale scale;
    io_frames *frames; /* that it is added to; NULL: it has a file */
    double time;       /* of frames */
} picture;

/* As numbers, bytes of several components as 0 to 1; false, reported, where they cannot be had. */
static bool take_values(const picture *p, const io_source *source, double *values)
{
    double one = p->components > 1 ? 255 : 1;
    int64_t count = p->points * p->components, here;
    for (int64_t first = 0; first < count; first += here) {
        const void *piece;
        here = source->take(source->data, 0, first, &piece);
        if (!here) return false;
        if (!p->bytes) memcpy(values + first, piece, (size_t)here * sizeof *values);
        for (int64_t i = 0; p->bytes && i < here; i++)
            values[first + i] = ((const uint8_t *)piece)[i] / one;
    }
    return true;
}

/* The values of pixels, of those of elements. Pictures of several components have row 0 on top. */
static void spread(const picture *p, const double *values, double *pixels)
{
    for (int c = 0; c < p->components; c++)
        for (int64_t y = 0; y < p->height; y++) {
            const int64_t row = p->components == 1 ? y : p->height - 1 - y;
            for (int64_t x = 0; x < p->width; x++)
                *pixels++ = values[c * p->points + p->elements[row * p->width + x]];
        }
}

static kata_status draw(const picture *p, const io_source *source, io_image *image, messages *m)
{
    const size_t pixels = (size_t)(p->width * p->height), components = (size_t)p->components;
    *image = (io_image){p->width, p->height, p->components == 1 ? 3 : p->components, NULL};
    double *values = calloc((size_t)p->points, components * sizeof *values), *seen = values;
    if (p->elements) seen = calloc(pixels, components * sizeof *seen);
    image->pixels = calloc(pixels, (size_t)image->channels);
    bool drawn = false;
    if (!values || !seen || !image->pixels) {
        message_no_memory(m);
    } else if (take_values(p, source, values)) {
        if (p->elements) spread(p, values, seen);
        if (p->components == 1)
            paint(seen, p->scale, image);
        else
            copy_channels(seen, image);
        drawn = true;
    }
    if (!drawn) io_image_free(image);
    if (seen != values) free(seen);
    free(values);
    return m->status;
}

static kata_status write_picture(void *data, const io_source *source, messages *m)
{
    const picture *p = data;
    io_image image;
    kata_status status = draw(p, source, &image, m);
    if (!status && image.pixels)
        status = p->frames ? io_frames_add(p->frames, p->time, &image, m)
                           : io_png_write(p->path, &image, m);
    io_image_free(&image);
    return status;
}

static void free_picture(void *data)
{
    picture *p = data;
    free(p->elements);
    api_output_data_free(data);
}

/* Half a degree a pixel. */
static kata_status make_map(const kata_field *field, picture *p)
{
    enum { WIDTH = 720, HEIGHT = 360 };
    const api_mesh *mesh = field->grid->mesh;
    const int kind = field->slot->on - KATA_CELLS;
    p->width = WIDTH;
    p->height = HEIGHT;
    p->points = mesh->given.count[kind];
    p->elements = malloc((size_t)WIDTH * HEIGHT * sizeof *p->elements);
    if (p->elements &&
        grid_mesh_map(&mesh->given, mesh->vertices, kind, WIDTH, HEIGHT, p->elements))
        return KATA_OK;
    return api_no_memory(field->k);
}

static void make_plane(const kata_field *field, picture *p)
{
    int along[3];
    grid_box all = chain_slot_points(field->slot, &field->boundary);
    dimensions_of(field->slot, along);
    p->width = all.hi[along[0]];
    p->height = all.hi[along[1]];
    p->points = p->width * p->height;
}

kata_status api_png_make(api_field_list *list, const kata_save_options *options, io_output *output)
{
    const kata_field *field = list->field[0];
    kata *k = field->k;
    int components = api_components_of(list, 0);
    kata_status status = check_picture(field, list->call, components);
    picture *p = status ? NULL : api_output_data(k, sizeof *p, options->path);
    if (!p) return k->messages.status;
    p->components = components;
    p->bytes = field->slot->type == KATA_U8;
    p->scale = (scale){options->colours, options->low, options->middle, options->high};
    list->type[0] = p->bytes ? KATA_U8 : KATA_F64;
    *output = (io_output){p, write_picture, free_picture};
    if (field->grid->mesh)
        status = make_map(field, p);
    else
        make_plane(field, p);
    if (status) free_picture(p);
    return status;
}

kata_status api_frame_make(api_field_list *list, const kata_save_options *options,
                           io_frames *frames, double time, io_output *output)
{
    kata_status status = api_png_make(list, options, output);
    if (status) return status;
    picture *p = output->data;
    p->frames = frames;
    p->time = time;
    return KATA_OK;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Whether an image has the size of a field; reports. */
static kata_status check_size(const kata_field *field, const char *path, const io_image *image)
{
    kata_range all = kata_on(field);
    int along[3];
    dimensions_of(field->slot, along);
    int64_t width = all.hi[along[0]], height = all.hi[along[1]];
    if (image->width == width && image->height == height) return KATA_OK;
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: the image has %lld x %lld pixels and field '%s' %lld x %lld points", path,
                    (long long)image->width, (long long)image->height, field->name,
                    (long long)width, (long long)height);
}

static kata_status take_pixels(const kata_field *field, const io_image *image, api_loading *out)
{
    const chain_slot *slot = field->slot;
    int64_t points = image->width * image->height, count = points * slot->components;
    uint8_t *values = calloc((size_t)count, sizeof *values);
    if (!values) return api_no_memory(field->k);
    for (int c = 0; c < slot->components; c++)
        for (int64_t i = 0; i < points; i++)
            values[c * points + i] = image->pixels[i * slot->components + c];
    out->type = slot->type == KATA_U8 ? KATA_U8 : KATA_UNORM8;
    return io_reading_of(&out->values, values, 1, &field->k->messages);
}

/* The size is compared before the pixels are unpacked: a small file may hold a large image. */
kata_status api_png_load(const kata_field *field, const char *path, api_loading *out)
{
    kata *k = field->k;
    io_image image = {0};
    kata_status status = check_picture(field, "kata_load", field->slot->components);
    if (!status) status = io_png_header(path, &image, &k->messages);
    if (!status) status = check_size(field, path, &image);
    if (!status) status = io_png_read(path, field->slot->components, &image, &k->messages);
    if (!status) status = check_size(field, path, &image); /* another file may be there by now */
    if (!status) status = take_pixels(field, &image, out);
    api_note_error(k);
    io_image_free(&image);
    return status;
}

kata_status api_png_shape(kata *k, const char *path, int components, kata_shape *shape)
{
    io_image image;
    kata_status status = io_png_header(path, &image, &k->messages);
    if (status) return status;
    if (components > 4)
        return api_fail(k, KATA_ERROR_FILE, "%s: an image has 1 to 4 components, not %d", path,
                        components);
    *shape = (kata_shape){
        2, {image.width, image.height, 1}, components ? components : image.channels, KATA_F64};
    return KATA_OK;
}
