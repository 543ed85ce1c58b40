/* Series of time steps: in one file that grows, or in numbered files. A series knows its fields by
 * their handles, so that it writes the values that these have when a step is added, whatever was
 * swapped. Steps are written behind; what their time is, and which of them are written, is decided
 * here and on all ranks alike. */
#include "api/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kata_series {
    kata *k;
    const api_format *format;
    kata_save_options options; /* the path: with '#' where numbers go */
    api_field_list fields;
    int64_t size[IO_MOST_ARRAYS][3]; /* points of the fields */
    io_series *file;                 /* one of these is not NULL, on the first rank: of VTKHDF, */
    io_frames *frames;               /*   of pictures */
    pid_t writer;                    /* the process that made that file */
    bool numbered;                   /* or each step has a file */
    int64_t calls, number;           /* of kata_series_add; of steps added */
    bool has_time;
    double last;     /* time; counts while no error was cleared since: a step that failed may come
                        again */
    int64_t cleared; /* errors, until then */
    kata_series *next;
};

/* ---- making ---------------------------------------------------------------------------------- */

/* The first '#' in the name of a file; NULL: there is none. */
static const char *number_place(const char *path)
{
    const char *name = strrchr(path, '/');
    return strchr(name ? name : path, '#');
}

static kata_status check_kind(kata *k, const kata_save_options *o, const api_format *format)
{
    static const char call[] = "kata_series_new";
    double s = o->frame_seconds;
    if (o->time != 0)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: time is %g; kata_series_add gives each step its own", call, o->time);
    if (o->every < 0)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: every is %lld, less than 0", call,
                        (long long)o->every);
    if (s != 0 && !(s >= 0.001 && s <= 65))
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: frame_seconds is %g, not 0.001 to 65", call,
                        s);
    if (number_place(o->path) || format->takes & (API_CELLS | API_FRAMES)) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "%s: '%s' is one file; a series goes to .vtkhdf or .apng, or to files with "
                    "numbers where their name has '#', as 'u-####%s'",
                    call, o->path, format->ending);
}

/* The file that grows, which the first rank has. */
static kata_status open_file(kata_series *s)
{
    kata *k = s->k;
    const kata_save_options *o = &s->options;
    io_lattice lattice;
    io_points arrays[IO_MOST_ARRAYS];
    if (s->format->takes & API_FRAMES) {
        s->frames = io_frames_new(o->path, o->frame_seconds == 0 ? 0.1 : o->frame_seconds);
        return s->frames ? KATA_OK : api_no_memory(k);
    }
    if (s->fields.field[0]->grid->mesh)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "kata_series_new: '%s': fields on a mesh go to a file for each step, as "
                        "'mesh-####.vtkhdf'",
                        o->path);
    kata_status status = api_image_of(&s->fields, o, &lattice, arrays);
    if (status) return status;
    s->file = io_series_new(o->path, &lattice, s->fields.count, arrays, &k->messages);
    return k->messages.status;
}

static void note_size(kata_series *s)
{
    for (int i = 0; i < s->fields.count; i++) {
        const kata_field *field = s->fields.field[i];
        grid_box now = chain_slot_points(field->slot, &field->boundary);
        memcpy(s->size[i], now.hi, sizeof s->size[i]);
    }
}

/* Whether steps can be written: makes the output of one, which is not written. */
static kata_status try_output(kata_series *s)
{
    io_output output;
    kata_status status = s->format->make(&s->fields, &s->options, &output);
    if (!status) output.free(output.data);
    return status;
}

static kata_status make(kata_series *s, kata_field *field)
{
    kata *k = s->k;
    kata_save_options *o = &s->options;
    kata_status status = api_field_list_of(field, "kata_series_new", o, s->format, &s->fields);
    o->path = arena_copy_text(&k->memory, o->path, strlen(o->path));
    if (!status && !o->path) status = api_no_memory(k);
    if (!status) status = try_output(s);
    if (status) return status;
    note_size(s);
    s->numbered = number_place(o->path);
    s->fields.call = "kata_series_add";
    if (!s->numbered && exec_rank(&k->exec) == 0) status = open_file(s);
    return exec_agree(&k->exec, "kata_series_new", status, &k->messages);
}

static kata_series *new_series(kata_field *field, const kata_save_options *given)
{
    static const api_options kind =
        API_OPTIONS("kata_series_new", kata_save_options,
                    "kata_series_new(field, \"u.vtkhdf\", .spacing = 0.1)", frame_seconds);
    kata *k = field->k;
    kata_series *s = arena_alloc(&k->memory, sizeof *s);
    if (!s) {
        api_no_memory(k);
        return NULL;
    }
    s->k = k;
    s->writer = getpid();
    kata_status status = api_read_saving(field, &kind, given, &s->options, &s->format);
    if (!status) status = check_kind(k, &s->options, s->format);
    if (!status) status = make(s, field);
    api_note_error(k);
    if (status) return NULL;
    s->next = k->series;
    k->series = s;
    return s;
}

kata_series *kata_series_new_with(kata_field *field, const kata_save_options *given)
{
    if (field) return new_series(field, given);
    api_null("kata_series_new", "the field");
    return NULL;
}

void api_series_free(kata_series *first)
{
    for (kata_series *s = first; s; s = s->next) {
        io_series_free(s->file);
        io_frames_free(s->frames);
    }
}

/* ---- going on -------------------------------------------------------------------------------- */

/* "flow.vtkhdf" goes on in "flow-from-900.vtkhdf", "u-##.png" in "u-from-900-##.png": what is in
 * the first files stays. Calls count as if there had been one for each step. */
static bool add_step(text *name, const kata_series *s, int64_t step)
{
    const char *path = s->options.path, *at = number_place(path);
    if (!at) at = path + strlen(path) - strlen(s->format->ending);
    text_add(name, "%.*s%sfrom-%lld%s%s", (int)(at - path), path, s->numbered ? "" : "-",
             (long long)step, s->numbered ? "-" : "", at);
    return !name->failed;
}

static bool rename_series(kata_series *s, int64_t step)
{
    text name = {0};
    bool good = add_step(&name, s, step);
    if (good && s->file) good = io_series_rename(s->file, text_get(&name));
    if (good && s->frames) good = io_frames_rename(s->frames, text_get(&name));
    const char *path = good ? arena_copy_text(&s->k->memory, name.data, name.length) : NULL;
    text_free(&name);
    if (path && !s->number) s->options.path = path;
    if (!s->calls) s->calls = step;
    return path;
}

kata_status api_series_resume(kata *k, int64_t step)
{
    kata_status status = KATA_OK;
    for (kata_series *s = k->series; s && !status; s = s->next)
        if (!rename_series(s, step)) status = api_no_memory(k);
    if (!status && !api_rows_rename(k->row_files, step)) status = api_no_memory(k);
    return exec_agree(&k->exec, "kata_resume", status, &k->messages);
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* Whether the fields still have the points that the file is for: a rule set since may hide the last
 * face of a staggered one. */
static kata_status check_points(const kata_series *s)
{
    for (int i = 0; i < s->fields.count; i++) {
        const kata_field *field = s->fields.field[i];
        grid_box now = chain_slot_points(field->slot, &field->boundary);
        if (memcmp(now.hi, s->size[i], sizeof now.hi) != 0)
            return api_fail(s->k, KATA_ERROR_ARGUMENT,
                            "kata_series_add: field '%s' has other points than when the series was "
                            "made",
                            field->name);
    }
    return KATA_OK;
}

static kata_status check_time(const kata_series *s, double time)
{
    const bool has_last = s->has_time && s->cleared == s->k->errors_cleared;
    if (isfinite(time) && (!has_last || time > s->last)) return KATA_OK;
    if (!has_last)
        return api_fail(s->k, KATA_ERROR_ARGUMENT, "cannot write %s: the time of a step is %g",
                        s->options.path, time);
    return api_fail(s->k, KATA_ERROR_ARGUMENT,
                    "cannot write %s: the time of a step is %g, after one of %g", s->options.path,
                    time, s->last);
}

typedef struct step {
    char *path;
    io_series *file;
    double time;
} step;

static kata_status write_step(void *data, const io_source *source, messages *m)
{
    const step *t = data;
    return io_series_add(t->file, t->time, source, m);
}

static kata_status make_step(kata_series *s, double time, io_output *output)
{
    step *t = api_output_data(s->k, sizeof *t, s->options.path);
    if (!t) return s->k->messages.status;
    t->file = s->file;
    t->time = time;
    *output = (io_output){t, write_step, api_output_data_free};
    return KATA_OK;
}

/* The file of this step alone: '#' are its number, with at least as many digits. */
static kata_status make_numbered(kata_series *s, double time, io_output *output)
{
    kata_save_options o = s->options;
    const char *path = o.path, *at = number_place(path);
    int digits = (int)strspn(at, "#");
    text name = {0};
    text_add(&name, "%.*s%0*lld%s", (int)(at - path), path, digits, (long long)s->number,
             at + digits);
    o.path = text_get(&name);
    o.time = s->format->takes & API_PLACES ? time : 0;
    kata_status status =
        name.failed ? api_no_memory(s->k) : s->format->make(&s->fields, &o, output);
    text_free(&name);
    return status;
}

static kata_status make_output(kata_series *s, double time, io_output *output)
{
    if (s->numbered) return make_numbered(s, time, output);
    if (!(s->format->takes & API_FRAMES)) return make_step(s, time, output);
    return api_frame_make(&s->fields, &s->options, s->frames, time, output);
}

static kata_status add(kata_series *s, double time)
{
    kata *k = s->k;
    io_output output;
    if (k->messages.status) return k->messages.status;
    int64_t every = s->options.every > 1 ? s->options.every : 1;
    if (s->calls++ % every) return api_output_look(k);
    kata_status status =
        s->numbered ? KATA_OK : api_check_writer(k, s->writer, "kata_series_add", s->options.path);
    if (!status) status = check_points(s);
    if (!status) status = check_time(s, time);
    if (!status) status = make_output(s, time, &output);
    if (!status) status = api_output_write(&s->fields, &output, true);
    api_note_error(k);
    if (status) return status;
    s->number++;
    s->has_time = true;
    s->cleared = k->errors_cleared;
    s->last = time;
    return KATA_OK;
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
