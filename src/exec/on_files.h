/* Running chains with fields in files: what its files share. */
#ifndef EXEC_ON_FILES_H
#define EXEC_ON_FILES_H

#include "exec/exec.h"
#include "exec/local.h"
#include "store/store.h"

/* What the tiles of a section have given to the reductions of a loop so far, one after another. */
typedef struct files_partials {
    char *bytes;
    size_t room;
    size_t *starts; /* of each, and the end */
    size_t starts_room;
    int count;
} files_partials;

typedef struct files_run files_run;

/* Why loops of a kernel run on mapped files. */
typedef struct files_reason {
    char kernel[64], why[192];
    int64_t loops;
} files_reason;
enum { FILES_REASONS = 8 }; /* that are kept, at most */

enum { FILES_DEPTH = 64, FILES_DEEPEST = 512 }; /* loops of a section: at first, and at most */

struct exec_files {
    port *port;         /* NULL at first */
    int64_t rate;       /* see exec_files_open */
    plan_request asked; /* sizes that a plan asks for; no method: they are chosen */
    bool refused;       /* it was said that they do not fit */
    int64_t deepest;    /* loops of a section that is not asked for; see files_learn */
    files_run *run;     /* the chain that runs */
    /* What is explained: */
    plan_request request; /* of the longest chain that was streamed, of so many loops */
    size_t longest;
    int64_t streamed, home; /* chains; `home`: loop by loop, on mapped files */
    int64_t rolled;         /* of those streamed */
    double seconds, waited; /* of chains that were streamed; for moves */
    files_reason reasons[FILES_REASONS];
    int reason_count;
};

/* What is moved of a chain that was rolled out, see files_seam.c. */
typedef struct files_seam {
    int64_t period, reach; /* planes of a field; of them, those that are touched twice */
    bool *takes, *leaves;  /* by slot: values from before, and for afterwards, are needed */
} files_seam;

/* A chain that runs by a streamed plan. */
struct files_run {
    exec_context *context;
    const chain *c;
    const plan *p;
    const analysis_chain *a;
    const files_seam *seam;   /* NULL: the chain was not rolled out */
    exec_local local;         /* loops of a tile that run next */
    int **slots;              /* by loop and parameter: the number of its slot, or -1 */
    store_ring **rings;       /* by slot; NULL: it has none now */
    int64_t *first;           /* by slot: the first plane that `local` touches */
    bool *met;                /* by loop: it has run on some points */
    int passed;               /* loops before it that reduce over no points have run */
    int open;                 /* rings */
    int begin, end;           /* loops of the section whose rings are open */
    int reduced;              /* loops of `local` whose reductions were gathered */
    files_partials *partials; /* by loop */
    ir_value **scalars;       /* by slot: of scalars, at the beginning of the section */
    int failing;              /* the loop whose check has failed, and where; -1: none */
    observe_fault fault;
    kata_status status;
    messages *m;
    arena memory;
};

/* on_files.c: runs a chain on this rank's own points. Where there is a limit of memory, loops that
 * meet no other ranks are streamed. */
kata_status exec_files_run_own(exec_context *context, chain *c, messages *m);

/* ---- files_stream.c -------------------------------------------------------------------------- */

/* A chain, and the plan that streams it. */
typedef struct files_work {
    const chain *c;
    const plan *p;
    const analysis_chain *a;
    const plan_request *request;
    const files_seam *seam;
} files_work;

kata_status files_run_streamed(exec_context *context, const files_work *work, messages *m);
/* Runs a chain whose arrays are made: streamed if rings for it fit so many bytes, or else on mapped
 * files. */
kata_status files_run_chain(exec_context *context, chain *c, const analysis_chain *a,
                            int64_t memory, messages *m);
/* Runs it on mapped files. */
kata_status files_run_home(exec_context *context, chain *c, messages *m);

/* ---- files_plan.c ---------------------------------------------------------------------------- */

/* Whether rings can be made for all buffers of a plan: their planes follow one another in files. */
bool files_fits(const plan *p, const analysis_chain *a);
/* What rings may take. */
typedef struct files_room {
    int64_t memory;            /* bytes, of all */
    int64_t planes;            /* of each; 0: any number */
    const plan_request *asked; /* sizes of tiles; no method: they are chosen */
    int64_t deepest;           /* loops of a section, then */
} files_room;

/* Makes the plan of a chain that moves the fewest bytes, with rings for which there is room. False
 * when there is none, or memory is out; then the plan has the reasons why loops do not suit, and no
 * nodes. */
bool files_plan(plan *p, const analysis_chain *a, const files_room *room, plan_request *found);

/* Whether the disk takes longer than the loops of what took so many seconds, of which `waited` for
 * the disk. */
bool files_disk_decides(double busy, double seconds, double waited);
/* After a chain: where the disk has decided, sections are to be twice as deep, and move half as
 * much; where it had little to do, less deep. */
void files_learn(struct exec_files *f, double busy, double seconds, double waited);

/* The same for a chain that is to be one section. */
bool files_plan_section(plan *p, const analysis_chain *a, const files_room *room,
                        plan_request *found);

/* ---- files_seam.c: chains on periodic fields --------------------------------------------------
 */

/* Whether loops of a chain have periodic sides where tiles of planes begin and end. */
bool files_has_seam(const analysis_chain *a);
/* Runs it, in sections of which each is rolled out. */
kata_status files_run_seams(exec_context *context, const chain *c, const analysis_chain *a,
                            messages *m);

/* ---- files_explain.c --------------------------------------------------------------------------
 */

/* Notes that loops run on mapped files, as one of them does, unless its fields are in memory. */
void files_note_mapped(struct exec_files *f, const chain_loop *loop, int64_t loops,
                       const char *why);
#define FILES_NO_ROOM "the planes of one loop need more memory than is left of the limit"
/* The same for the loops of a chain that its plan does not stream. */
void files_note_refusals(struct exec_files *f, const chain *c, const plan *p);

/* ---- files_failure.c --------------------------------------------------------------------------
 */

/* Where a move has failed: says which field, and where its file is. Returns false. */
bool files_report_move(files_run *run);

/* ---- files_local.c: loops of tiles ------------------------------------------------------------
 */

/* Sets the status, and returns false. */
bool files_no_memory(files_run *run);
/* Adds points of a loop to those that run next, on rings where there are some. */
bool files_add_loop(files_run *run, int number, const grid_box *box);
/* Runs them. */
bool files_run_loops(files_run *run);
/* After the last tile of a section: runs the loops that reduce over no points. */
bool files_reduce_nothing(files_run *run);
/* When a section of tiles begins, of loops begin .. end - 1: scalars that they reduce into begin
 * with what they are now. */
bool files_begin_section(files_run *run, int begin, int end);
/* When it has ended: reports a check that has failed. */
bool files_end_section(files_run *run);
sweep_gather files_gather;

#endif
