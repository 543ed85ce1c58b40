/* Running chains with fields in files: what its files share. */
#ifndef EXEC_ON_FILES_H
#define EXEC_ON_FILES_H

#include "exec/streams.h"

struct exec_files {
    exec_streams streams;
    port *port;   /* NULL at first */
    int64_t rate; /* see exec_files_open */
    double busy;  /* seconds in which the disk had moved something before the last section */
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

/* ---- files_failure.c --------------------------------------------------------------------------
 */

/* Where a move has failed: says which field, and where its file is. Returns false. */
bool files_report_move(stream_run *run);

#endif
