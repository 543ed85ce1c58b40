/* Fields to and from files. */
#include "api/api.h"

#include "io/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* All values of a field in plain order, as the given type; NULL (reported) on error. */
static void *values_of(kata_field *field, kata_type type)
{
    if (api_flush(field->k)) return NULL;
    const chain_slot *slot = field->slot;
    grid_box all = grid_shape_box(&slot->shape);
    size_t count = (size_t)(grid_box_points(&all) * slot->components);
    void *values = calloc(count, (size_t)store_type_bytes(type));
    if (!values) api_no_memory(field->k);
    if (values) store_read(slot->array, &all, slot->components, type, values);
    return values;
}

/* ---- PNG ------------------------------------------------------------------------------------- */

static kata_status check_picture(kata_field *field, const char *call)
{
    const chain_slot *slot = field->slot;
    if (slot->shape.rank != 2)
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' has %d dimension%s; a picture has 2", call, field->name,
                        slot->shape.rank, slot->shape.rank > 1 ? "s" : "");
    if (slot->components > 4 || (slot->type != KATA_F64 && slot->type != KATA_F32))
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' has %d components of %s; a picture is made of 1 to 4 of "
                        "f64 or f32",
                        call, field->name, slot->components, store_type_name(slot->type));
    return KATA_OK;
}

/* The range of values that are numbers; [0, 1] when there is none, widened when it is a point. */
static void find_limits(const double *values, int64_t count, double *low, double *high)
{
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        if (values[i] < least) least = values[i];
        if (values[i] > most) most = values[i];
    }
    *low = least <= most ? least : 0;
    *high = least < most ? most : *low + 1;
}

static void paint(const double *values, const kata_save_options *options, io_image *image)
{
    double low = options->low, high = options->high;
    if (low == 0 && high == 0) find_limits(values, image->width * image->height, &low, &high);
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++) {
            double t = (values[y * image->width + x] - low) / (high - low);
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

static kata_status save_png(kata_field *field, const kata_save_options *options)
{
    kata *k = field->k;
    kata_status status = check_picture(field, "kata_save");
    if (status) return status;
    const chain_slot *slot = field->slot;
    io_image image = {slot->shape.size[0], slot->shape.size[1],
                      slot->components == 1 ? 3 : slot->components, NULL};
    double *values = values_of(field, KATA_F64);
    if (!values) return k->messages.status;
    image.pixels = calloc((size_t)(image.width * image.height), (size_t)image.channels);
    if (!image.pixels) {
        status = api_no_memory(k);
    } else {
        if (slot->components == 1)
            paint(values, options, &image);
        else
            copy_channels(values, &image);
        status = io_png_write(options->path, &image, &k->messages);
    }
    free(image.pixels);
    free(values);
    return status;
}

kata_status kata_load(kata_field *field, const char *path)
{
    if (!field || !path) return api_null("kata_load", field ? "the path" : "the field");
    kata *k = field->k;
    if (k->messages.status) return k->messages.status;
    kata_status status = check_picture(field, "kata_load");
    if (status) return status;
    const chain_slot *slot = field->slot;
    io_image image = {0};
    status = io_png_read(path, slot->components, &image, &k->messages);
    api_note_error(k);
    if (!status && (image.width != slot->shape.size[0] || image.height != slot->shape.size[1]))
        status = api_fail(k, KATA_ERROR_ARGUMENT,
                          "%s: the image has %lld x %lld pixels and field '%s' %lld x %lld points",
                          path, (long long)image.width, (long long)image.height, field->name,
                          (long long)slot->shape.size[0], (long long)slot->shape.size[1]);
    int64_t points = image.width * image.height, count = points * slot->components;
    double *values = status ? NULL : calloc((size_t)count, sizeof *values);
    if (!status && !values) status = api_no_memory(k);
    for (int64_t i = 0; values && i < count; i++) {
        int64_t point = i % points, channel = i / points;
        values[i] = image.pixels[point * slot->components + channel] / 255.0;
    }
    kata_range all = kata_all(field->grid);
    if (!status) status = kata_put_values(field, &all, KATA_F64, values, count);
    free(values);
    io_image_free(&image);
    return status;
}

kata_status kata_png_size(kata *k, const char *path, int64_t *width, int64_t *height)
{
    if (!k) return api_null("kata_png_size", "the context");
    if (!path || !width || !height)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_png_size: %s is NULL",
                        path ? "a result" : "the path");
    if (k->messages.status) return k->messages.status;
    kata_status status = io_png_size(path, width, height, &k->messages);
    api_note_error(k);
    return status;
}

/* ---- VTKHDF ---------------------------------------------------------------------------------- */

static kata_status save_vtkhdf(kata_field *field, const kata_save_options *options)
{
    const chain_slot *slot = field->slot;
    io_points points = {.name = field->name,
                        .type = slot->type,
                        .rank = slot->shape.rank,
                        .components = slot->components,
                        .spacing = options->spacing == 0 ? 1 : options->spacing};
    memcpy(points.size, slot->shape.size, sizeof points.size);
    void *values = values_of(field, slot->type);
    if (!values) return field->k->messages.status;
    points.values = values;
    kata_status status = io_vtkhdf_write(options->path, &points, &field->k->messages);
    free(values);
    return status;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static const struct format {
    const char *ending;
    kata_status (*save)(kata_field *field, const kata_save_options *options);
} formats[] = {{".png", save_png}, {".vtkhdf", save_vtkhdf}};

static bool ends_with(const char *path, const char *ending)
{
    size_t a = strlen(path), b = strlen(ending);
    return a > b && !strcasecmp(path + a - b, ending);
}

kata_status kata_save_with(kata_field *field, const kata_save_options *options)
{
    if (!field || !options || !options->path)
        return api_null("kata_save", field ? "the path" : "the field");
    kata *k = field->k;
    if (k->messages.status) return k->messages.status;
    bool given = options->low != 0 || options->high != 0;
    if (!isfinite(options->low) || !isfinite(options->high) ||
        (given && options->low >= options->high))
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_save: low is %g, which is not below high, %g",
                        options->low, options->high);
    if (!isfinite(options->spacing) || options->spacing < 0)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_save: spacing is %g", options->spacing);
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        if (!ends_with(options->path, formats[i].ending)) continue;
        kata_status status = formats[i].save(field, options);
        api_note_error(k);
        return status;
    }
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "kata_save: cannot tell the format of '%s'; known endings are .png and .vtkhdf",
                    options->path);
}
