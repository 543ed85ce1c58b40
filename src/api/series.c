/* Series of time steps in one file. A series knows its fields by their handles, so that it writes
 * the values that these have when a step is added, whatever was swapped. */
#include "api/files.h"

#include <string.h>

struct kata_series {
    kata *k;
    io_series *file; /* on several ranks, of the first one */
    io_lattice lattice;
    api_field_list fields;
    kata_series *next;
};

/* ---- making ---------------------------------------------------------------------------------- */

static kata_status read_options(kata_field *field, const kata_save_options *given,
                                kata_save_options *options)
{
    static const api_options kind =
        API_OPTIONS("kata_series_new", kata_save_options,
                    "kata_series_new(field, \"u.vtkhdf\", .spacing = 0.1)", with);
    kata_status status = api_read_saving(field, &kind, given, options);
    if (status || api_ends_with(options->path, ".vtkhdf")) return status;
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: a series goes to a file whose name ends in .vtkhdf, not to '%s'",
                    kind.call, options->path);
}

static kata_series *new_series(kata_field *field, const kata_save_options *options)
{
    kata *k = field->k;
    io_points arrays[IO_MOST_ARRAYS];
    kata_series *s = arena_alloc(&k->memory, sizeof *s);
    if (!s) {
        api_no_memory(k);
        return NULL;
    }
    s->k = k;
    if (api_field_list_of(field, "kata_series_new", options, &s->fields) ||
        api_image_of(&s->fields, options, &s->lattice, arrays))
        return NULL;
    s->fields.call = "kata_series_add";
    s->fields.together = true;
    if (exec_rank(&k->exec) == 0)
        s->file = io_series_new(options->path, &s->lattice, s->fields.count, arrays, &k->messages);
    kata_status status = exec_agree(&k->exec, k->messages.status, &k->messages);
    api_note_error(k);
    if (status) return NULL;
    s->next = k->series;
    k->series = s;
    return s;
}

kata_series *kata_series_new_with(kata_field *field, const kata_save_options *given)
{
    kata_save_options options;
    if (!field) {
        api_null("kata_series_new", "the field");
        return NULL;
    }
    return read_options(field, given, &options) ? NULL : new_series(field, &options);
}

void api_series_free(kata_series *first)
{
    for (kata_series *s = first; s; s = s->next) io_series_free(s->file);
}

/* "flow.vtkhdf" goes on in "flow-from-900.vtkhdf": what is in the first file stays. */
kata_status api_series_resume(kata *k, int64_t step)
{
    static const char ending[] = ".vtkhdf";
    kata_status status = KATA_OK;
    for (kata_series *s = k->series; s && !status; s = s->next) {
        text name = {0};
        if (!s->file) continue;
        const char *path = io_series_path(s->file);
        text_add(&name, "%.*s-from-%lld%s", (int)(strlen(path) - strlen(ending)), path,
                 (long long)step, path + strlen(path) - strlen(ending));
        if (name.failed || !io_series_rename(s->file, text_get(&name))) status = api_no_memory(k);
        text_free(&name);
    }
    return exec_agree(&k->exec, status, &k->messages);
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* Whether the fields still have the points that the file is for: a rule set since may hide the last
 * face of a staggered one. */
static kata_status check_points(const kata_series *s)
{
    for (int i = 0; i < s->fields.count; i++) {
        const kata_field *field = s->fields.field[i];
        grid_box now = chain_slot_points(field->slot, &field->boundary);
        if (memcmp(now.hi, s->lattice.size, sizeof now.hi) != 0)
            return api_fail(s->k, KATA_ERROR_ARGUMENT,
                            "kata_series_add: field '%s' has other points than when the series was "
                            "made",
                            field->name);
    }
    return KATA_OK;
}

static kata_status add(kata_series *s, double time)
{
    if (s->k->messages.status) return s->k->messages.status;
    kata_status status = check_points(s);
    if (status) return status;
    kata *k = s->k;
    const io_source source = api_source(&s->fields);
    status = api_begin_values(&s->fields);
    if (status) return status;
    if (s->file) status = io_series_add(s->file, time, &source, &k->messages);
    api_end_values(&s->fields);
    status = exec_agree(&k->exec, status, &k->messages);
    api_note_error(k);
    return status;
}

kata_status kata_series_add(kata_series *series, double time)
{
    if (!series) return api_null("kata_series_add", "the series");
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = add(series, time);
    rounding_leave(&own);
    return status;
}
