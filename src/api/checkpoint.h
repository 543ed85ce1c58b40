/* Checkpoints: what the files that write and read them share.
 *
 * The file is HDF5. It has a dataset for each field, of all of its memory (ghosts and hidden faces
 * too, as it is stored), and two more: STATE, bytes, with everything else as records; and
 * CHECKSUMS, a number for each dataset before it. */
#ifndef API_CHECKPOINT_H
#define API_CHECKPOINT_H

#include "api/files.h"

#define CHECKPOINT_STATE "katagami.state"
#define CHECKPOINT_CHECKSUMS "katagami.checksums"
#define CHECKPOINT_BEFORE ".before" /* the ending of the name of the one before */

/* A variable of the program. */
struct api_kept {
    const char *name;
    void *variable;
    size_t bytes;
    struct api_kept *next;
};

/* What has to be the same in a run that goes on. */
struct api_required {
    const char *name, *value;
    struct api_required *next;
};

struct api_checkpoint {
    const char *path, *reads; /* reads: the file that is read, for messages */
    int64_t steps, before;    /* before: steps that were made before this context */
    double seconds;
    int signal;
    int signals;    /* that had come when the last was written */
    double last;    /* when that was */
    int64_t chains; /* that had run when it was last looked at time and signals */
    bool by_time;   /* `seconds` counts */
    bool spoilt;    /* the latest file cannot be used: the one before stays */
};

/* ---- checkpoint_records.c -------------------------------------------------------------------- */

enum { CHECKPOINT_MOST_STATE = 1 << 30 }; /* bytes */
enum {
    CHECKPOINT_STEP = 1,
    CHECKPOINT_FIELD,
    CHECKPOINT_SCALAR,
    CHECKPOINT_KEPT,
    CHECKPOINT_REQUIRED
};

/* Bytes that grow, or that are read from `at` on. Zero-initialised is empty. */
typedef struct checkpoint_bytes {
    char *data;
    size_t count, capacity, at;
    bool failed; /* memory is out; or something is missing, or too much */
} checkpoint_bytes;

void checkpoint_put(checkpoint_bytes *b, const void *data, size_t size);
/* Zeros where there are not so many. */
void checkpoint_get(checkpoint_bytes *b, void *data, size_t size);
void checkpoint_free(checkpoint_bytes *b);
/* Of a record: it is followed by its name and its bytes. */
typedef struct checkpoint_header {
    int32_t kind, length; /* of the name */
    int64_t bytes;
} checkpoint_header;
enum { CHECKPOINT_LONGEST = 64, CHECKPOINT_MOST_REQUIRED = 4095 }; /* letters: of a name, a text */

/* Begins a record; returns where its header is, for its end. */
size_t checkpoint_begin(checkpoint_bytes *b, int32_t kind, const char *name);
void checkpoint_end(checkpoint_bytes *b, size_t at);
/* The next record, its bytes as `record`; false at the end, or where none begins. */
bool checkpoint_next(checkpoint_bytes *b, checkpoint_header *h, char name[CHECKPOINT_LONGEST + 1],
                     checkpoint_bytes *record);
/* The record of a kind and name; false where there is none. */
bool checkpoint_find(const checkpoint_bytes *state, int32_t kind, const char *wanted,
                     checkpoint_bytes *record);

/* ---- checkpoint_state.c ---------------------------------------------------------------------- */

/* All that is no field's values, as records. */
void checkpoint_write_state(kata *k, checkpoint_bytes *state);
/* Sets the steps that a state tells. Compares it with what the program has; reports what differs.
 */
kata_status checkpoint_compare(kata *k, const checkpoint_bytes *state, int64_t *step);
/* Sets everything that it tells: a field's values must be there. */
kata_status checkpoint_read_state(kata *k, const checkpoint_bytes *state);
/* The number of the dataset with a field's values, in the order in which they were written; 0:
 * there are none. */
int checkpoint_dataset_of(const kata_field *field, const checkpoint_bytes *state);

/* ---- checkpoint_fields.c --------------------------------------------------------------------- */

/* The datasets of a checkpoint, and how far its fields were read. */
typedef struct checkpoint_set {
    kata *k;
    int count; /* of all, the state first, the checksums last */
    io_named_array *arrays;
    kata_field **fields; /* [count]: whose values a dataset has; NULL */
    int64_t *checksums;  /* [count], 0 of the last */
    checkpoint_bytes *state;
    int array; /* next piece: of which dataset, from which value on */
    int64_t first;
    void *piece;
} checkpoint_set;

/* Which fields have values now. False when memory is out. To be freed also then. */
bool checkpoint_set_open(kata *k, checkpoint_bytes *state, checkpoint_set *set);
void checkpoint_set_free(checkpoint_set *set);
/* The array of a field's memory, in the file. */
io_array checkpoint_array_of(const kata_field *field);
/* On the first rank. */
io_source checkpoint_source(checkpoint_set *set);
/* Other ranks take part until all values were taken; or all do, after the first has failed. */
void checkpoint_end_values(checkpoint_set *set);
/* Reads the values of a field, for their checksum. */
kata_status checkpoint_checksum(const kata_field *field, const io_reading *from, int64_t *checksum,
                                messages *m);
/* All ranks get their values of a field; the file is open on the first. */
kata_status checkpoint_take_values(kata_field *field, api_loading *file);

/* ---- checkpoint_write.c ---------------------------------------------------------------------- */

/* Refuses two fields, or scalars, of one name, and fields that are mapped. */
kata_status checkpoint_check_names(kata *k);
kata_status checkpoint_check_mapped(kata *k, const char *call);
kata_status checkpoint_write(kata *k, int64_t step);

#endif
