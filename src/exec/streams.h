/* Running chains by streamed plans (plan/streamed.c): what its files share.
 *
 * The fields of such a chain lie in a memory that is large: files, or this machine's memory beside
 * that of a device. Some planes of them lie in rings in a memory that is near, while loops use
 * them. What differs between kinds of memory is in the table stream_memory; exec/files_memory.c and
 * exec/device_memory.c fill it in. */
#ifndef EXEC_STREAMS_H
#define EXEC_STREAMS_H

#include "exec/exec.h"
#include "exec/local.h"

/* What the tiles of a section have given to the reductions of a loop so far, one after another. */
typedef struct stream_partials {
    char *bytes;
    size_t room;
    size_t *starts; /* of each, and the end */
    size_t starts_room;
    int count;
} stream_partials;

typedef struct stream_run stream_run;
typedef struct exec_streams exec_streams;

/* Why loops of a kernel are not streamed. */
typedef struct stream_reason {
    char kernel[64], why[192];
    int64_t loops;
} stream_reason;
enum { STREAM_REASONS = 8 }; /* that are kept, at most */

enum { STREAM_DEPTH = 64, STREAM_DEEPEST = 512 }; /* loops of a section: at first, and at most */

/* Planes of a field in near memory; the first member of what a kind of memory keeps of them. */
typedef struct stream_ring {
    chain_slot *slot; /* like the field's, for loops that run on the planes */
    int dimension;    /* along which planes follow one another */
} stream_ring;

/* Planes first .. end - 1; none where `end` is not more. */
typedef struct stream_planes {
    int64_t first, end;
} stream_planes;
#define STREAM_NO_PLANES ((stream_planes){INT64_MAX, INT64_MIN})

/* A kind of near memory. Functions that return bool have set the status of the run where they
 * return false; those that return NULL have not, and memory is out. */
typedef struct stream_memory {
    /* Bytes that are left for what a chain needs; `far`: one of its slots that is moved. */
    int64_t (*left)(const exec_streams *s, const chain_slot *far);
    /* Whether planes of a field can be moved. */
    bool (*suits)(const chain_slot *slot);
    /* Looks at a chain, before the bytes are asked for that rings of its plans need; may be NULL.
     * False when memory is out. */
    bool (*study)(const exec_streams *s, const analysis_chain *a);
    /* The bytes of a ring for so many planes at once and those beyond the field; and of all else
     * that loops below a node of a plan need in near memory. */
    int64_t (*bytes)(const exec_streams *s, const analysis_chain *a, int slot, int64_t planes);
    int64_t (*beside)(const analysis_chain *a, const plan *p, int node);
    /* Makes a field one whose planes are moved, however small it is. */
    kata_status (*send_away)(const chain_binding *b, messages *m);
    /* Before the first ring of a chain, and after the last one: then nothing is moved any more. */
    bool (*begin)(stream_run *run);
    void (*end)(stream_run *run);
    stream_ring *(*open)(stream_run *run, const plan_node *buffer);
    void (*close)(stream_run *run, stream_ring *ring);
    /* Sees to it that planes are found. Later loops touch none below `low`. */
    bool (*show)(stream_run *run, stream_ring *ring, const stream_planes *planes, int64_t low);
    /* Starts to move planes into the ring or, `out`, from it. No plane below `passed` will be moved
     * that way any more. */
    bool (*move)(stream_run *run, stream_ring *ring, bool out, const stream_planes *planes,
                 int64_t passed);
    /* Sees to it that the ring has the values of a box, a part of its planes, as if they were moved
     * in. NULL: whole planes are. */
    bool (*give)(stream_run *run, stream_ring *ring, const grid_box *box);
    /* What runs or is moved from now on finds all moves in a direction done. */
    bool (*wait)(stream_run *run, bool out);
    /* When a section begins, whose loops `run` says; when it has ended, if `later` was set; and
     * behind all of them: what loops reduce into is set at the latest there. May be NULL: then each
     * tile sets that. */
    bool (*begin_section)(stream_run *run);
    kata_status (*leave_section)(stream_run *run);
    kata_status (*settle)(const stream_run *run);
    /* Runs loops of a tile; or, where no ring is open, on whole fields. */
    kata_status (*run)(const stream_run *run, chain *tile);
    /* Runs a chain that is not streamed; `full`: not even the planes of one loop fit. */
    kata_status (*run_whole)(exec_streams *s, chain *c, bool full, messages *m);
    /* After a chain that was streamed in `seconds`, of which `waited` for moves; may be NULL. */
    void (*learn)(exec_streams *s, double seconds, double waited);
    int64_t fair;           /* planes that a tile should have */
    int64_t rims;           /* of plans, see plan_request; 0 without `give` */
    int64_t depth;          /* loops of a section, at first */
    bool ahead;             /* planes always move ahead of the work */
    const char *not_so;     /* where loops run that are not streamed: "on mapped files" */
    const char *no_periods; /* why, around periodic sides */
    const char *no_room;    /* why, where even the planes of one loop are too many */
} stream_memory;

/* What is kept between chains. */
struct exec_streams {
    exec_context *context;
    const stream_memory *memory;
    plan_request asked; /* sizes that a plan asks for; no method: they are chosen */
    bool refused;       /* it was said that they do not fit */
    int64_t deepest;    /* loops of a section that is not asked for */
    /* What is explained: */
    plan_request request; /* of the longest chain that was streamed, of so many loops */
    size_t longest;
    int64_t streamed, home; /* chains; `home`: not streamed */
    int64_t rolled;         /* of those streamed */
    double seconds, waited; /* of chains that were streamed; for moves */
    stream_reason reasons[STREAM_REASONS];
    int reason_count;
};

/* What is moved of a chain that was rolled out, see stream_seam.c. */
typedef struct stream_seam {
    int64_t period, reach;   /* planes of a field; of them, those that are touched twice */
    bool *takes, *leaves;    /* by slot: values from before, and for afterwards, are needed */
    stream_planes *changing; /* likewise: no plane before is written, none behind is touched */
    bool **again;            /* by slot and plane that is touched twice: its values of the first
                                time are needed the second */
} stream_seam;

/* A chain that runs by a streamed plan. */
struct stream_run {
    exec_streams *streams;
    exec_context *context;
    const chain *c;
    const plan *p;
    const analysis_chain *a;
    const stream_seam *seam;   /* NULL: the chain was not rolled out */
    exec_local local;          /* loops of a tile that run next */
    int **slots;               /* by loop and parameter: the number of its slot, or -1 */
    stream_ring **rings;       /* by slot; NULL: it has none now */
    stream_planes *touched;    /* by slot: by `local`, and planes that rules make values of */
    bool *met, *begun;         /* by loop: it has run, on some points or none; on some points */
    int passed;                /* loops before it that reduce over no points have run */
    int open;                  /* rings */
    int begin, end;            /* loops of the section whose rings are open */
    bool later;                /* what the section reduces into is set when it has ended */
    int reduced;               /* loops of `local` whose reductions were gathered */
    stream_partials *partials; /* by loop */
    ir_value **scalars;        /* by slot: of scalars, at the beginning of the section */
    void *own;                 /* what the kind of memory keeps */
    int failing;               /* the loop whose check has failed, and where; -1: none */
    observe_fault fault;
    kata_status status;
    messages *m;
    arena memory;
};

/* ---- stream_walk.c --------------------------------------------------------------------------- */

/* A chain, and the plan that streams it. */
typedef struct stream_work {
    const chain *c;
    const plan *p;
    const analysis_chain *a;
    const plan_request *request;
    const stream_seam *seam;
} stream_work;

/* Sets up what is kept between chains. Unless there are ranks, reductions of tiles meet by the
 * context's `across`. */
void stream_setup(exec_streams *s, exec_context *context, const stream_memory *memory);
/* Of a plan that the program asks for, windows are for streams, and the executor "cpu" gets what is
 * to lie in their tiles. */
void stream_take_request(exec_streams *s);
/* A slot of a chain that is `far`; NULL: there is none. */
const chain_slot *stream_far_slot(const chain *c);
/* Runs a chain that has arrays: by its slots that are `far`. */
kata_status stream_chain(exec_streams *s, chain *c, messages *m);
kata_status stream_run_plan(exec_streams *s, const stream_work *work, messages *m);
kata_status stream_run_section(exec_streams *s, const stream_work *work, messages *m);
/* Streams a chain if rings for it fit so many bytes; otherwise it is not streamed. */
kata_status stream_run_chain(exec_streams *s, chain *c, const analysis_chain *a, int64_t memory,
                             messages *m);
/* Runs it otherwise. */
kata_status stream_run_home(exec_streams *s, chain *c, bool full, messages *m);

/* ---- stream_plan.c --------------------------------------------------------------------------- */

/* The planes that a loop touches on a box, or that rules make values of. */
stream_planes stream_touched(const analysis_touch *t, const grid_box *box, int dimension);
/* Planes beyond a field that loops of a chain touch, at one side at most. */
int64_t stream_outside(const analysis_chain *a, int slot, int dimension);
/* How many loops a loop of a chain stands for, at most. */
int64_t stream_steps(const analysis_chain *a);
/* The bytes that a section needs at once, whose outermost buffer is a node of a plan. */
int64_t stream_bytes(const exec_streams *s, const plan *p, const analysis_chain *a, int node);
/* Whether rings can be made for all buffers of a plan. */
bool stream_fits(const exec_streams *s, const plan *p, const analysis_chain *a);
/* What rings may take. */
typedef struct stream_room {
    int64_t memory; /* bytes, of all */
    int64_t planes; /* of each; 0: any number */
    int64_t fair;   /* nothing is moved: tiles have so many planes, and sections as many loops, if
                       not less; 0: it is */
} stream_room;

/* Makes the plan of a chain that moves the fewest bytes, with rings for which there is room. False
 * when there is none, or memory is out; then the plan has the reasons why loops do not suit, and no
 * nodes. */
bool stream_plan(const exec_streams *s, plan *p, const analysis_chain *a, const stream_room *room,
                 plan_request *found);
/* The same for a chain that is to be one section. */
bool stream_plan_section(const exec_streams *s, plan *p, const analysis_chain *a,
                         const stream_room *room, plan_request *found);

/* The bytes of the rings that the widest loop of a chain needs in tiles of one plane; 0: none is
 * streamed. */
int64_t stream_least(const exec_streams *s, const analysis_chain *a);

/* ---- stream_seam.c: chains on periodic fields -------------------------------------------------
 */

/* Whether loops of a chain have periodic sides where tiles of planes begin and end. */
bool stream_has_seam(const analysis_chain *a);
/* Runs it, in sections of which each is rolled out. */
kata_status stream_run_seams(exec_streams *s, const chain *c, const analysis_chain *a, messages *m);

/* ---- stream_again.c ---------------------------------------------------------------------------
 */

/* Sets what `a`, the section's chain, changes, and what comes back; takes and leaves are known.
 * False when memory is out. */
bool stream_seam_find(stream_seam *seam, const analysis_chain *a, int dimension, arena *memory);
/* Of planes of a slot that move, the next ones that are needed; none from `end` on. */
stream_planes stream_seam_next(const stream_seam *seam, int slot, bool out, stream_planes planes);

/* ---- stream_reasons.c ------------------------------------------------------------------------ */

/* Notes that loops are not streamed, as one of them is not, unless no field of it is moved. */
void stream_note_home(exec_streams *s, const chain_loop *loop, int64_t loops, const char *why);
/* The same for the loops of a chain that its plan does not stream. */
void stream_note_refusals(exec_streams *s, const chain *c, const plan *p);

/* ---- stream_local.c: loops of tiles -----------------------------------------------------------
 */

/* Sets the status, and returns false. */
bool stream_no_memory(stream_run *run);
/* Adds points of a loop to those that run next, on rings where there are some. */
bool stream_add_loop(stream_run *run, int number, const grid_box *box);
/* Runs them. */
bool stream_run_loops(stream_run *run);
/* After the last tile of a section: runs the loops that reduce over no points. */
bool stream_reduce_nothing(stream_run *run);
/* When a section of tiles begins, of loops begin .. end - 1: scalars that they reduce into begin
 * with what they are now. */
bool stream_begin_section(stream_run *run, int begin, int end);
/* When it has ended: reports a check that has failed. */
bool stream_end_section(stream_run *run);
sweep_gather stream_gather;

#endif
