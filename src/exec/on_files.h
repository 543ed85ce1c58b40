/* Running chains with fields in files: what its files share. */
#ifndef EXEC_ON_FILES_H
#define EXEC_ON_FILES_H

#include "exec/streams.h"

/* A field whose array stays in memory, see files_beside.c. */
typedef struct files_kept {
    chain_slot *slot;
    char name[64];
} files_kept;

struct exec_files {
    exec_streams streams;
    port *port;   /* NULL at first */
    int64_t rate; /* see exec_files_open */
    double busy;  /* seconds in which the disk had moved something before the last section */
    files_kept *kept;
    size_t kept_count, kept_room;
    int64_t beside; /* chains that left fields without homes */
};

/* on_files.c: runs a chain on this rank's own points. Where there is a limit of memory, loops that
 * meet no other ranks are streamed. */
kata_status exec_files_run_own(exec_context *context, chain *c, messages *m);

/* ---- files_memory.c -------------------------------------------------------------------------- */

extern const stream_memory files_memory;
/* Whether the disk takes longer than the loops of what took so many seconds, of which `waited` for
 * the disk. */
bool files_disk_decides(double busy, double seconds, double waited);
/* After a chain: where the disk has decided, sections are to be twice as deep, and move half as
 * much; where it had little to do, less deep. */
void files_learn(exec_streams *s, double busy, double seconds, double waited);

/* ---- files_beside.c -------------------------------------------------------------------------- */

/* Whether a field may be kept in memory, or have no home: it is in memory of the library's, whole,
 * and on a grid. */
bool files_is_plain(const chain_slot *slot);
/* Runs a chain in which some fields have values only while it runs, if the others fit the limit:
 * *done. Otherwise nothing has run. */
kata_status files_run_beside(struct exec_files *f, const chain *c, messages *m, bool *done);
/* Before a chain that is streamed from files; `far`: one of its slots that is moved. Where it has
 * no room for rings, fields that were kept in memory go to files. */
kata_status files_give_way(struct exec_files *f, const chain *c, const chain_slot *far,
                           messages *m);

/* ---- files_turn.c ---------------------------------------------------------------------------- */

/* The same where one of two fields has values before the chain, and the other one behind it. */
kata_status files_run_turned(struct exec_files *f, const chain *c, messages *m, bool *done);

/* ---- files_rims.c: rims that plans move in (plan_request.rims) ---------------------------------
 */

/* Bytes of those of a plan. */
int64_t files_rims_bytes(const analysis_chain *a, const plan *p);
/* Of a run: none is known. False when memory is out. */
bool files_rims_make(stream_run *run);
void files_rims_free(stream_run *run);
/* That of a slot; NULL: it has none. */
store_rim *files_rim(const stream_run *run, int slot);
/* Before loops run: forgets those of fields that they write at home. */
void files_rims_forget(const stream_run *run, const chain *tile);

/* ---- files_failure.c --------------------------------------------------------------------------
 */

/* Where a move has failed: says which field, and where its file is. Returns false. */
bool files_report_move(stream_run *run);

#endif
