/* Fields to files: what a call of kata_save or kata_series_new asks for, and kata_save. */
#include "api/files.h"

#include <math.h>
#include <string.h>

/* ---- options that make no sense -------------------------------------------------------------- */

static kata_status check_colours(kata *k, const char *call, const kata_save_options *o)
{
    bool given = o->low != 0 || o->high != 0, diverging = o->colours == KATA_DIVERGING;
    bool finite = isfinite(o->low) && isfinite(o->high) && isfinite(o->middle);
    if ((unsigned)o->colours > KATA_DIVERGING)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: there are no colours %d", call,
                        (int)o->colours);
    if (!finite || (given && !(o->low < o->high)))
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: low is %g, which is not below high, %g", call,
                        o->low, o->high);
    if (o->middle != 0 && !diverging)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: middle is %g, which is for .colours = KATA_DIVERGING", call,
                        o->middle);
    if (!diverging || !given || (o->low < o->middle && o->middle < o->high)) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "%s: middle is %g, which is not between low, %g, and "
                    "high, %g",
                    call, o->middle, o->low, o->high);
}

static kata_status check_geometry(kata *k, const char *call, const kata_save_options *options)
{
    const double spacing[3] = {options->spacing, options->spacing_y, options->spacing_z};
    static const char *const names[3] = {"spacing", "spacing_y", "spacing_z"};
    for (int d = 0; d < 3; d++) {
        if (!isfinite(spacing[d]) || spacing[d] < 0)
            return api_fail(k, KATA_ERROR_ARGUMENT, "%s: %s is %g", call, names[d], spacing[d]);
        if (!isfinite(options->origin[d]))
            return api_fail(k, KATA_ERROR_ARGUMENT, "%s: origin[%d] is %g", call, d,
                            options->origin[d]);
    }
    if (isfinite(options->time)) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT, "%s: time is %g", call, options->time);
}

static kata_status check_component(const kata_field *field, const char *call, int component)
{
    const int n = field->slot->components;
    const int c = component < 0 ? -1 : component - KATA_COMPONENT(0);
    char given[40];
    if (!component || (c >= 0 && c < n)) return KATA_OK;
    snprintf(given, sizeof given, c >= 0 ? "KATA_COMPONENT(%d)" : "%d", c >= 0 ? c : component);
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: component is %s; field '%s' has KATA_COMPONENT(0) to KATA_COMPONENT(%d)",
                    call, given, field->name, n - 1);
}

/* An option that does nothing for a file is an error. */
static kata_status refuse_unused(kata *k, const char *call, const kata_save_options *o,
                                 const api_format *format)
{
    const struct {
        bool given;
        unsigned needed;
        const char *name, *taken_by;
    } options[] = {
        {o->colours != KATA_VIRIDIS, API_COLOURS, "colours", ".png and .apng"},
        {o->time != 0, API_PLACES, "time", ".vtkhdf, .nc and .h5"},
        {o->cells, API_CELLS, "cells", ".vtkhdf"},
        {o->positions != NULL, API_POSITIONS, "positions", ".vtkhdf and .nc"},
        {o->frame_seconds != 0, API_FRAMES, "frame_seconds", ".apng"},
    };
    for (size_t i = 0; i < COUNT_OF(options); i++)
        if (options[i].given && !(format->takes & options[i].needed))
            return api_fail(k, KATA_ERROR_ARGUMENT, "%s: '%s' has no place for .%s; %s %s", call,
                            o->path, options[i].name, options[i].taken_by,
                            strstr(options[i].taken_by, "and") ? "have" : "has");
    for (size_t i = 0; i < COUNT_OF(o->with); i++)
        if (o->with[i] && !(format->takes & API_SEVERAL))
            return api_fail(k, KATA_ERROR_ARGUMENT,
                            "%s: '%s' holds one field; several go to .vtkhdf, .nc and .h5", call,
                            o->path);
    return KATA_OK;
}

kata_status api_read_saving(kata_field *field, const api_options *kind,
                            const kata_save_options *given, kata_save_options *options,
                            const api_format **format)
{
    kata *k = field->k;
    *options = (kata_save_options){.size = 0};
    kata_status status = given ? api_options_read(k, kind, given, options) : KATA_OK;
    if (!status && !options->path) {
        api_fail(k, KATA_ERROR_ARGUMENT, "%s: the path is NULL", kind->call);
        return KATA_ERROR_ARGUMENT;
    }
    if (!status) status = check_colours(k, kind->call, options);
    if (!status) status = check_geometry(k, kind->call, options);
    if (!status) status = check_component(field, kind->call, options->component);
    if (status) return status;
    *format = api_format_of(options->path);
    if (!*format)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: cannot tell the format of '%s'; known endings are .png, .npy, "
                        ".vtkhdf, .nc and .h5",
                        kind->call, options->path);
    return refuse_unused(k, kind->call, options, *format);
}

/* ---- saving ---------------------------------------------------------------------------------- */

static kata_status check_single(kata *k, const kata_save_options *o, const api_format *format)
{
    if (format->takes & API_FRAMES)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "kata_save: '%s' is for the pictures of a series (kata_series_new); one "
                        "picture goes to .png",
                        o->path);
    if (!o->every) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT, "kata_save: every is for kata_series_new");
}

static kata_status save(kata_field *field, const kata_save_options *given)
{
    static const api_options kind =
        API_OPTIONS("kata_save", kata_save_options,
                    "kata_save(field, \"u.png\", .low = 0, .high = 1)", frame_seconds);
    kata_save_options options;
    const api_format *format;
    api_field_list list;
    io_output output;
    if (!field) return api_null("kata_save", "the field");
    kata *k = field->k;
    kata_status status = api_read_saving(field, &kind, given, &options, &format);
    if (!status) status = check_single(k, &options, format);
    if (!status) status = api_field_list_of(field, "kata_save", &options, format, &list);
    if (!status) status = format->make(&list, &options, &output);
    if (!status) status = api_output_write(&list, &output, options.behind);
    api_note_error(k);
    return status;
}

kata_status kata_save_with(kata_field *field, const kata_save_options *options)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = save(field, options);
    rounding_leave(&own);
    return status;
}
