/* observe: what runs show of themselves: failing points, traces of one point, records of loops, and
 * how fast kernels were. It watches; nothing depends on it. */
#ifndef OBSERVE_OBSERVE_H
#define OBSERVE_OBSERVE_H

#include "chain/chain.h"

#include <stdio.h>

/* ---- fault.c --------------------------------------------------------------------------------- */

enum { OBSERVE_SHOWN = 8 };

/* A point at which a check of a kernel failed. Points are ordered by level, where levels run in
 * order, then by z, y and x: the first of a loop is the same whatever runs it. */
typedef struct observe_fault {
    bool found;
    int64_t point[3];
    ir_check_kind kind;
    uint32_t at;
    const char *name; /* as in ir_check */
    int64_t index, length;
    ir_type type; /* FINITE: of the value that is written */
    ir_value value;
    int shown_count;
    struct observe_shown {
        char label[IR_LABEL];
        ir_type type;
        ir_value value;
    } shown[OBSERVE_SHOWN];
} observe_fault;

/* Whether point a of a loop comes before point b: of kernels whose levels run in order, at a level
 * that runs before. */
bool observe_point_before(const chain_loop *loop, const int64_t a[3], const int64_t b[3]);
/* Adds a value to what a failed check shows, unless there is one of that name or no room. */
void observe_fault_show(observe_fault *fault, const char *label, ir_type type, ir_value value);
/* Sends the message. Returns KATA_ERROR_ASSERT. */
kata_status observe_fault_report(const chain_loop *loop, const observe_fault *fault, messages *m);

/* ---- trace.c: every write to one point, for people ------------------------------------------- */

typedef struct observe_trace {
    char *names; /* of fields, by commas */
    int rank;
    int64_t point[3];
    FILE *to;
    int error;     /* the first in writing, or 0 */
    int64_t loops; /* run so far, the one that runs included */
    int64_t reports;
    text operands; /* what the kernel has read at the point since it last stored there: lines */
} observe_trace;

/* `what`: "u@12,7" or "u,v@12,7"; `path`: NULL for standard error. */
kata_status observe_trace_open(const char *what, const char *path, messages *m,
                               observe_trace **out);
void observe_trace_free(observe_trace *trace);
/* 0 if all of the trace could be written, and for a NULL trace; otherwise the error. */
int observe_trace_error(const observe_trace *trace);
/* Whether the point of a field of this name is traced; false for a NULL trace. */
bool observe_trace_wants(const observe_trace *trace, const char *name, const chain_slot *slot);
/* A read at the point, converted to the parameter's type; offset NULL: of a number. */
void observe_trace_read(observe_trace *trace, const chain_loop *loop, const ir_param *param,
                        int component, const int64_t offset[3], ir_value value);
/* A store at an index, of values in the storage type; prints if field and index are traced. */
void observe_trace_store(observe_trace *trace, const chain_loop *loop, const ir_stmt *stmt,
                         int component, const int64_t index[3], ir_value old, ir_value new);
/* Whether the kernel may store to the point that is traced when it runs at `point`. */
bool observe_trace_reaches(const observe_trace *trace, const chain_loop *loop,
                           const int64_t point[3]);
/* The values of all components at the point, to be freed; NULL when memory is out. */
ir_value *observe_trace_values(const observe_trace *trace, const chain_slot *slot);
/* Prints "call: u at [12, 7]: old -> new" for all components; `old` NULL: nothing. */
void observe_trace_call(observe_trace *trace, const char *call, const char *name,
                        const chain_slot *slot, const ir_value *old);

/* ---- meter.c: how fast kernels have run ------------------------------------------------------ */

/* The runs of a kernel on fields stored in the same types. */
typedef struct observe_meter_entry {
    const ir_kernel *kernel;
    kata_type *storage; /* per parameter, of fields */
    int rank, colors;
    bool once;
    int64_t runs, points;
    double seconds;
    double bytes;  /* of the fields of the largest */
    double *rates; /* points per second, of the newest runs */
} observe_meter_entry;

typedef struct observe_meter {
    observe_meter_entry *entries; /* in the order in which they were met */
    size_t count, capacity;
    bool failed; /* memory was out: runs are missing */
    bool waits;  /* on a device: for each loop, so that it has a time; otherwise it has none */
} observe_meter; /* from calloc */

void observe_meter_free(observe_meter *meter);
/* Makes entries for the kernels of a chain, and notes the size of their fields. Does nothing
 * without a meter. */
void observe_meter_meet(observe_meter *meter, const chain *c);
/* The time, to find out how long a loop has run; 0 without a meter. */
double observe_meter_now(const observe_meter *meter);
/* Notes a loop that has run. Does nothing without a meter. */
void observe_meter_note(observe_meter *meter, const chain_loop *loop, double seconds);
/* Points per second, of the newest runs. */
double observe_meter_median(observe_meter_entry *e);

/* ---- timeline.c: what a run did when, for viewers ---------------------------------------------
 */

typedef struct observe_span {
    double begin, end; /* by clock_seconds; begin 0: there is none */
} observe_span;

typedef struct observe_timeline {
    FILE *to;
    char *path;
    int error; /* the first in writing, or 0 */
    int rank, rows;
    int64_t bytes, most; /* written; about as many, then it is full */
    bool full;
    double offset;    /* of its times to clock_seconds */
    const char *name; /* of what began last */
    observe_span *spans;
    int room;
} observe_timeline;

/* The second file that a process opens, and those after it, get .2, .3, ... after their name, and
 * those of ranks but the first .rank1, .rank2, ... */
kata_status observe_timeline_open(const char *path, int rank, int64_t most, messages *m,
                                  observe_timeline **out);
/* Ends the file: 0 if all of it could be written, and for NULL; otherwise the error. */
int observe_timeline_finish(observe_timeline *t);
void observe_timeline_free(observe_timeline *t);
/* The time at which something of a name begins, which others may begin within; 0 for NULL. The name
 * is valid until it ends. Only the thread of the program calls these. */
double observe_timeline_begin(observe_timeline *t, const char *name);
/* Adds an event that began then and ends now; nothing for NULL. `more`: an object of JSON, or NULL.
 */
void observe_timeline_end(observe_timeline *t, const char *kind, const char *name, double begin,
                          const char *more);
/* Room for what each of so many threads does, all without a beginning; NULL when memory is out. */
observe_span *observe_timeline_spans(observe_timeline *t, int threads);
/* Adds an event for each of the threads behind the first that has done something, under the name of
 * what began last. */
void observe_timeline_threads(observe_timeline *t, int threads);

/* ---- record.c: what each loop computed, for `kata diff` -------------------------------------- */

typedef struct observe_record {
    FILE *to;
    char *path; /* with its number */
    int error;  /* the first in writing, or 0 */
    bool full;  /* values beside their hashes */
    int64_t loops;
    uint64_t hash;
} observe_record;

/* The second record that a process opens, and those after it, get .2, .3, ... after their name. */
kata_status observe_record_open(const char *path, bool full, messages *m, observe_record **out);
void observe_record_free(observe_record *record);
/* 0 if all of the record could be written, and for a NULL record; otherwise the error. */
int observe_record_error(const observe_record *record);
/* Writes what a loop is and is given, before it runs. */
void observe_record_loop(observe_record *record, const chain_loop *loop);
/* Writes what it has computed. */
void observe_record_results(observe_record *record, const chain_loop *loop);
/* Records values that the program has put into a field. */
void observe_record_put(observe_record *record, const char *name, const chain_slot *slot);

#endif
