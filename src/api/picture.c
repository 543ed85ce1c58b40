/* Fields to and from PNG images. */
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

static kata_status check_picture(const kata_field *field, const char *call)
{
    const chain_slot *slot = field->slot;
    int along[3], rank = dimensions_of(slot, along);
    if (rank != 2)
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' has %d dimension%s; a picture has 2", call, field->name,
                        rank, rank == 1 ? "" : "s");
    bool bytes = slot->type == KATA_U8 || slot->type == KATA_UNORM8;
    if (slot->components > 4 || (!bytes && !ir_type_is_floating(ir_type_of_storage(slot->type))))
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' has %d component%s of %s; a picture is made of 1 to 4 of "
                        "f64, f32, f16, bf16, unorm8 or u8",
                        call, field->name, slot->components, slot->components > 1 ? "s" : "",
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

static void paint(const double *values, const kata_save_options *options, io_image *image)
{
    double low = options->low, high = options->high;
    if (low == 0 && high == 0) find_limits(values, image->width * image->height, &low, &high);
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++) {
            double t = fraction_between(low, high, values[y * image->width + x]);
            io_viridis(t, image->pixels + 3 * ((image->height - 1 - y) * image->width + x));
        }
}

static uint8_t byte_of(double x) { return (uint8_t)(x >= 1 ? 255 : x > 0 ? x * 255 + 0.5 : 0); }

static void copy_channels(const double *values, io_image *image)
{
    int64_t points = image->width * image->height;
    for (int c = 0; c < image->channels; c++)
        for (int64_t i = 0; i < points; i++)
            image->pixels[i * image->channels + c] = byte_of(values[c * points + i]);
}

/* As numbers, bytes of several components as 0 to 1; NULL, reported, where they cannot be had. */
static double *picture_values(api_field_list *list, int64_t count)
{
    const kata_field *field = list->field[0];
    bool is_bytes = field->slot->type == KATA_U8;
    list->type[0] = is_bytes ? KATA_U8 : KATA_F64;
    if (!is_bytes) return api_values_of(list);
    uint8_t *bytes = api_values_of(list);
    double *values = bytes ? calloc((size_t)count, sizeof *values) : NULL;
    if (bytes && !values) api_no_memory(field->k);
    double one = field->slot->components > 1 ? 255 : 1;
    for (int64_t i = 0; values && i < count; i++) values[i] = bytes[i] / one;
    free(bytes);
    return values;
}

static void fill(const kata_field *field, const double *values, const kata_save_options *options,
                 io_image *image)
{
    if (field->slot->components == 1)
        paint(values, options, image);
    else
        copy_channels(values, image);
}

kata_status api_png_save(api_field_list *list, const kata_save_options *options)
{
    kata_field *field = list->field[0];
    kata *k = field->k;
    kata_status status = check_picture(field, "kata_save");
    if (status) return status;
    const chain_slot *slot = field->slot;
    grid_box all = chain_slot_points(slot, &field->boundary);
    int along[3];
    dimensions_of(slot, along);
    io_image image = {all.hi[along[0]], all.hi[along[1]],
                      slot->components == 1 ? 3 : slot->components, NULL};
    int64_t pixels = image.width * image.height;
    double *values = picture_values(list, pixels * slot->components);
    if (!values) return k->messages.status;
    image.pixels = calloc((size_t)pixels, (size_t)image.channels);
    if (!image.pixels) {
        status = api_no_memory(k);
    } else {
        fill(field, values, options, &image);
        status = io_png_write(options->path, &image, &k->messages);
    }
    free(image.pixels);
    free(values);
    return status;
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

static kata_status take_pixels(const kata_field *field, const io_image *image, api_loaded *out)
{
    const chain_slot *slot = field->slot;
    int64_t points = image->width * image->height, count = points * slot->components;
    uint8_t *values = calloc((size_t)count, sizeof *values);
    if (!values) return api_no_memory(field->k);
    for (int c = 0; c < slot->components; c++)
        for (int64_t i = 0; i < points; i++)
            values[c * points + i] = image->pixels[i * slot->components + c];
    *out = (api_loaded){slot->type == KATA_U8 ? KATA_U8 : KATA_UNORM8, values};
    return KATA_OK;
}

/* The size is compared before the pixels are unpacked: a small file may hold a large image. */
kata_status api_png_load(const kata_field *field, const char *path, api_loaded *out)
{
    kata *k = field->k;
    io_image image = {0};
    kata_status status = check_picture(field, "kata_load");
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
