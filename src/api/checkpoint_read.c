/* Reads checkpoints: kata_resume. */
#include "api/checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum outcome { DONE, MISSING, DAMAGED } outcome;

/* A file that is read. */
typedef struct reading {
    kata *k;
    const char *path;
    checkpoint_bytes state, checksums;
    messages quiet; /* of what is damaged */
} reading;

/* ---- datasets, on the first rank ------------------------------------------------------------- */

/* Whether a dataset is there and like `a`, of any length where that is 0. */
static bool is_like(reading *r, const io_dataset *d, io_array *a)
{
    io_array there;
    int components;
    if (io_hdf5_shape(d, &there, &components, &r->quiet)) return false;
    if (a->axes == 1 && !a->size[0] && there.axes == 1 && there.size[0] < CHECKPOINT_MOST_STATE)
        a->size[0] = there.size[0];
    bool same = there.axes == a->axes && there.type == a->type;
    for (int i = 0; i < a->axes && same; i++) same = there.size[i] == a->size[i];
    if (!same) message_fail(&r->quiet, KATA_ERROR_FILE, "%s has another shape or type", d->name);
    return same;
}

/* Opens its values; false: it cannot be read, or is not like `a`, which r->quiet says. */
static bool open_dataset(reading *r, const char *name, io_array *a, io_reading *values)
{
    text path = {0};
    text_add(&path, "/%s", name);
    const io_dataset d = {r->path, text_get(&path), IO_DATASET};
    const bool open = is_like(r, &d, a) && !io_hdf5_open(&d, a, values, &r->quiet);
    text_free(&path);
    return open;
}

static bool read_bytes(reading *r, const char *name, kata_type type, checkpoint_bytes *b)
{
    io_array a = {.type = type, .axes = 1};
    io_reading from;
    if (!open_dataset(r, name, &a, &from)) return false;
    b->count = (size_t)(a.size[0] * store_type_bytes(type));
    b->data = calloc(b->count + 1, 1);
    if (!b->data) message_no_memory(&r->quiet);
    const bool read = b->data && !from.next(from.data, a.size[0], b->data, &r->quiet);
    from.end(from.data);
    return read;
}

/* Whether a dataset has the checksum that was written with it. */
static bool is_whole(reading *r, int dataset, const char *name, int64_t checksum)
{
    int64_t right = 0;
    const size_t at = (size_t)dataset * sizeof right;
    if (at + sizeof right <= r->checksums.count) {
        memcpy(&right, r->checksums.data + at, sizeof right);
        if (right == checksum) return true;
    }
    message_fail(&r->quiet, KATA_ERROR_FILE, "'%s' has another checksum", name);
    return false;
}

static outcome read_first(reading *r)
{
    if (access(r->path, F_OK) && errno == ENOENT) return MISSING;
    bool read =
        read_bytes(r, CHECKPOINT_CHECKSUMS, KATA_I64, &r->checksums) &&
        read_bytes(r, CHECKPOINT_STATE, KATA_U8, &r->state) &&
        is_whole(r, 0, CHECKPOINT_STATE, (int64_t)hash_bytes(r->state.data, r->state.count, 0));
    return read ? DONE : DAMAGED;
}

/* Whether the values of a field are there and whole: they are read twice, so that none is taken of
 * a file that is damaged. */
static bool check_field(reading *r, int dataset, const kata_field *field)
{
    io_array a = checkpoint_array_of(field);
    io_reading from;
    int64_t checksum;
    if (!open_dataset(r, field->name, &a, &from)) return false;
    const bool read = !checkpoint_checksum(field, &from, &checksum, &r->quiet);
    from.end(from.data);
    return read && is_whole(r, dataset, field->name, checksum);
}

/* ---- all ranks ------------------------------------------------------------------------------- */

/* What the first rank has found. */
static kata_status share_outcome(reading *r, outcome *found)
{
    char byte = (char)*found, *bytes = &byte;
    size_t count = 1;
    kata *k = r->k;
    kata_status status = exec_share(&k->exec, &bytes, &count, &k->messages);
    if (status) return status;
    *found = (outcome)bytes[0];
    if (bytes != &byte) free(bytes);
    return KATA_OK;
}

static kata_status share_state(reading *r)
{
    kata *k = r->k;
    return exec_share(&k->exec, &r->state.data, &r->state.count, &k->messages);
}

static kata_status take_field(reading *r, kata_field *field, bool first)
{
    io_array a = checkpoint_array_of(field);
    api_loading file = {.type = field->slot->type};
    const bool open = !first || open_dataset(r, field->name, &a, &file.values);
    kata_status status = open ? KATA_OK
                              : api_fail(r->k, KATA_ERROR_FILE,
                                         "%s: the values of '%s' have changed while they "
                                         "were read",
                                         r->path, field->name);
    status = exec_agree(&r->k->exec, "kata_resume", status, &r->k->messages);
    if (!status) status = checkpoint_take_values(field, &file);
    if (file.values.end) file.values.end(file.values.data);
    return status;
}

/* Sets the values of all fields, until one is damaged. */
static kata_status read_fields(reading *r, outcome *found)
{
    kata *k = r->k;
    const bool first = exec_rank(&k->exec) == 0;
    kata_status status = KATA_OK;
    for (kata_field *f = k->fields; f && !status && *found == DONE; f = f->next) {
        const int dataset = f->slot->temporary ? 0 : checkpoint_dataset_of(f, &r->state);
        if (!dataset) continue;
        *found = !first || check_field(r, dataset, f) ? DONE : DAMAGED;
        status = share_outcome(r, found);
        if (!status && *found == DONE) status = take_field(r, f, first);
    }
    return status;
}

/* Reads one file; *found says whether it was there and whole. An error is one of the program. */
static kata_status read_file(reading *r, outcome *found, int64_t *step)
{
    kata *k = r->k;
    k->checkpoint->reads = r->path;
    *found = exec_rank(&k->exec) == 0 ? read_first(r) : DONE;
    kata_status status = share_outcome(r, found);
    if (status || *found != DONE) return status;
    status = share_state(r);
    if (!status) status = checkpoint_compare(k, &r->state, step);
    if (!status) status = read_fields(r, found);
    return status || *found != DONE ? status : checkpoint_read_state(k, &r->state);
}

static void end_reading(reading *r)
{
    checkpoint_free(&r->state);
    checkpoint_free(&r->checksums);
    message_free(&r->quiet);
}

/* The name of the one before, beside the file that a link leads to. */
static void name_before(const char *path, text *before)
{
    char *target = realpath(path, NULL);
    text_add(before, "%s%s", target ? target : path, CHECKPOINT_BEFORE);
    free(target);
}

static const char *reason_of(const reading *r)
{
    const char *reason = text_get(&r->quiet.body), *error = "error: ";
    return strncmp(reason, error, strlen(error)) ? reason : reason + strlen(error);
}

/* The latest one, or the one before. */
static kata_status read_either(kata *k, outcome *found, int64_t *step)
{
    const char *path = k->checkpoint->path;
    text before = {0};
    name_before(path, &before);
    reading latest = {.k = k, .path = path, .quiet = {.silent = true}};
    reading other = {.k = k, .path = text_get(&before), .quiet = {.silent = true}};
    kata_status status = read_file(&latest, found, step);
    outcome of_latest = *found;
    if (!status && of_latest != DONE) status = read_file(&other, found, step);
    k->checkpoint->spoilt = of_latest == DAMAGED;
    if (!status && of_latest == DAMAGED && *found == DONE)
        message_warn(&k->messages, reason_of(&latest),
                     "%s cannot be used; the program goes on from step %lld, of %s", path,
                     (long long)*step, other.path);
    if (!status && of_latest == DAMAGED && *found == MISSING)
        status =
            api_fail(k, KATA_ERROR_FILE, "kata_resume: %s cannot be used, and %s is not there: %s",
                     path, other.path, reason_of(&latest));
    if (!status && of_latest == DAMAGED && *found == DAMAGED)
        status = api_fail(k, KATA_ERROR_FILE, "kata_resume: neither %s nor %s can be used: %s; %s",
                          path, other.path, reason_of(&latest), reason_of(&other));
    if (!status && of_latest == MISSING && *found == DAMAGED)
        status =
            api_fail(k, KATA_ERROR_FILE, "kata_resume: %s is not there, and %s cannot be used: %s",
                     path, other.path, reason_of(&other));
    end_reading(&latest);
    end_reading(&other);
    text_free(&before);
    return status;
}

static kata_status resume(kata *k, int64_t *step)
{
    outcome found = MISSING;
    if (k->messages.status) return k->messages.status;
    if (!k->checkpoint)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "kata_resume: call kata_checkpoint before, which names the file");
    kata_status status = checkpoint_check_names(k);
    if (!status) status = checkpoint_check_mapped(k, "kata_resume");
    if (!status) status = api_flush(k, "kata_resume");
    if (!status) status = exec_meet(&k->exec, "resume from a checkpoint", 0, &k->messages);
    if (!status) status = read_either(k, &found, step);
    if (status) return status;
    if (found == MISSING) *step = 0;
    k->checkpoint->before = *step - k->work.steps;
    if (found == MISSING) {
        message_warn(&k->messages, "it is written at the end of a time step (kata_step)",
                     "kata_resume: there is no checkpoint %s; the program begins at step 0",
                     k->checkpoint->path);
        return KATA_OK;
    }
    k->chain.steps = *step;
    return api_series_resume(k, *step);
}

int64_t kata_resume(kata *k)
{
    int64_t step = 0;
    if (!k) {
        api_null("kata_resume", "the context");
        return 0;
    }
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = resume(k, &step);
    rounding_leave(&own);
    api_note_error(k);
    return status ? 0 : step;
}
