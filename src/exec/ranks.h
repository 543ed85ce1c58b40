/* Running chains on several ranks: what its files share.
 *
 * A field is *whole* where its slot's array has all values, on every rank; otherwise it is dealt
 * out, and its slot has a part (store/part.c). Loops that are parted run on each rank for the
 * rank's own points, and maybe some around; they read whole fields and parts, and write parts.
 * Other loops run whole on every rank, and touch whole fields only. */
#ifndef EXEC_RANKS_H
#define EXEC_RANKS_H

#include "comm/comm.h"
#include "exec/exec.h"
#include "exec/local.h"
#include "store/store.h"
#include "sweep/sweep.h"

/* Memory that is kept for what comes next: new pages cost more than the copies into them. */
typedef struct ranks_room {
    char *data;
    size_t bytes;
} ranks_room;

enum { RANKS_WORDS = 120 };

/* How the ranks are to be laid out. */
typedef enum ranks_kind {
    RANKS_BOX,
    RANKS_RECTANGLES,
    RANKS_HALVES,
    RANKS_TENSOR,
    RANKS_MORTON
} ranks_kind;

typedef struct ranks_wish {
    ranks_kind kind;
    int count[3];       /* of a box: ranks along each dimension; 0: whatever suits */
    grid_levels levels; /* of rectangles */
} ranks_wish;

/* Reductions over several boxes of a rank each, while loops of this rank run. */
typedef struct ranks_reducing {
    const exec_local *local; /* the loops that run */
    size_t next;             /* of them: those before have met */
    bool looks;              /* loops run once more, to find their first failure: none meets */
    size_t count;            /* boxes of the loop that reduces, so far */
    size_t *ends, ends_room; /* of what each leaves to reduce, in `bytes` */
    char *bytes;
    size_t bytes_room;
    ranks_room message;          /* with all of them, to other ranks */
    size_t *starts, starts_room; /* of what all boxes of all ranks leave */
    size_t alone[2];             /* of one box */
} ranks_reducing;

struct exec_ranks {
    comm *comm;
    char doing[RANKS_WORDS]; /* what ranks do together, in words */
    ranks_wish wish;
    plan_ranks box;      /* as they are laid out */
    ranks_kind kind;     /* they are */
    int64_t every;       /* loops between exchanges, at most */
    bool small;          /* grids of few points are dealt out, too */
    bool laid_out;       /* `box` is known */
    bool has_devices;    /* some rank has one */
    bool has_own;        /* ranks know their own points of some grid: see ranks_own.c */
    ranks_room gathered; /* by the latest gather */
    ranks_room packed;   /* messages of exchanges */
    size_t *starts;      /* per rank, and the end */
    messages *messages;  /* of the context */
    bool explains;       /* steps of plans are printed */
    text explained;
    int gathers_left; /* of reductions, by the loops that run, unless one fails */
    ranks_reducing reducing;
    int64_t failing; /* the loop of the chain whose check has failed here */
    exec_messages sent;
    uint64_t put; /* hash of what the program has put since ranks met */
    arena memory; /* of a chain that runs */
    arena layout; /* of `box` */
};

/* ---- on_ranks.c -------------------------------------------------------------------------------
 */

/* Which of the ranks of this machine this one is, from 0; 0 where there are no others. */
int ranks_node_rank(const exec_context *context);

/* ---- ranks_layout.c -------------------------------------------------------------------------- */

/* Reports a KATA_RANKS of other words than it takes: also where there is one rank, and none counts.
 */
kata_status ranks_check_words(messages *m);
/* Reads what KATA_RANKS says; reports what makes no sense. */
kata_status ranks_read_layout(struct exec_ranks *r, messages *m);
/* Lays the ranks out for grids of such a shape. No field is dealt out yet. `ordered`: dimensions
 * that are better not cut, as loops run in order along them. */
void ranks_lay_out(struct exec_ranks *r, const grid_shape *shape, const bool ordered[3]);
/* The same for meshes whose elements lie along a dimension: each rank has some. */
void ranks_lay_out_mesh(struct exec_ranks *r, int along);
/* Adds how they are laid out: "2 along y and 1 along z". */
void ranks_print_layout(const struct exec_ranks *r, text *out);

/* ---- ranks_partition.c ----------------------------------------------------------------------- */

/* Lays the ranks out by a partition of a grid of such a shape, of the kind that is wished for.
 * False, and nothing is changed, where some rank would have no points. */
bool ranks_lay_out_partition(struct exec_ranks *r, const grid_shape *shape, const bool ordered[3]);

/* The most even box of so many ranks, for grids of a rank of 2 or 3. */
void ranks_choose(int rank, int ranks, int count[3]);

/* ---- ranks_exchange.c: margins and whole fields -----------------------------------------------
 */

/* Copies between ranks that are made together. */
typedef struct ranks_copy {
    chain_slot *slot;
    int from, to;     /* ranks */
    grid_box box;     /* of the receiver's indices */
    int64_t shift[3]; /* added, they are the sender's */
} ranks_copy;

typedef struct ranks_batch {
    ranks_copy *copies;
    size_t count, capacity;
} ranks_batch;

/* Makes the copies of a batch of which this rank is one end, and empties it. The fields have parts,
 * and the copies of all ranks are in the same order. */
kata_status ranks_exchange(exec_context *context, ranks_batch *batch, messages *m);
/* Gathers bytes of all ranks in r->gathered.data; r->starts are set. */
kata_status ranks_gather_known(struct exec_ranks *r, const void *mine, messages *m);
/* Makes a field that is dealt out whole. */
kata_status ranks_make_whole(struct exec_ranks *r, chain_slot *slot, messages *m);
/* Sees to it that a room has so many bytes, whose values may be lost; without them the program
 * ends. */
void ranks_make_room(const struct exec_ranks *r, ranks_room *room, size_t bytes);

/* ---- ranks_local.c: the loops that run next on this rank --------------------------------------
 */

/* A scalar in the place of one into which a loop reduces, until it has run on its last box. */
typedef struct ranks_spare {
    chain_slot slot;
    struct ranks_spare *next;
} ranks_spare;

/* A chain that runs. */
typedef struct ranks_run {
    exec_context *context;
    struct exec_ranks *r;
    const chain *c;
    exec_local local;    /* loops that run next on this rank */
    ranks_spare *spares; /* that they have */
    const plan_dealt *plan;
    int parted;        /* as of parted loops */
    ranks_batch batch; /* exchanges that come before the loops of `local` */
    grid_region boxes; /* of indices or points that are looked at */
    kata_status status;
    messages *m;
} ranks_run;

/* Sets the status, and returns false. */
bool ranks_no_memory(ranks_run *run);
/* Makes the exchanges that wait, behind the loops before them. */
void ranks_make_copies(ranks_run *run);
/* Makes them, and runs the loops: then fields may change their memory. */
void ranks_settle(ranks_run *run);
/* Before arrays of a field, or of its part, are looked at: where a device gives no values, the run
 * has failed. */
void ranks_bring_home(ranks_run *run, chain_slot *slot);
/* Adds a loop's points in a box to those that run next; false, reported, when memory is out.
 * `parted`: as of a chain_loop; `goes_on`: its points in other boxes are added next. */
bool ranks_add_loop(ranks_run *run, int number, const grid_box *box, int parted, bool goes_on);

/* ---- ranks_reduce.c -------------------------------------------------------------------------- */

bool ranks_reduces(const chain_loop *loop);
/* Before loops run on this rank. */
void ranks_begin_reducing(struct exec_ranks *r, const exec_local *local);
/* By which their reductions meet those of other ranks; see sweep_gather. */
sweep_gather ranks_gather;
/* Where this rank has failed, and others reduce next: then they fail, too. */
void ranks_give_nothing(exec_context *context);
void ranks_free_reducing(struct exec_ranks *r);
/* Binds others in the place of scalars into which a loop reduces; false when memory is out. They
 * are freed when the loop has run. */
bool ranks_spare_scalars(ranks_run *run, const ir_kernel *kernel, chain_binding *bindings);
void ranks_free_spares(ranks_run *run);

/* ---- ranks_margins.c ------------------------------------------------------------------------- */

/* Adds the copies to the batch of which this rank is one end, and which make valid on each rank the
 * indices of a field up to a span around its own. False, reported, when memory is out. */
bool ranks_add_copies(ranks_run *run, chain_slot *slot, const plan_span span[3]);

/* ---- ranks_own.c ----------------------------------------------------------------------------- */

/* Before ranks do something together with fields: what some have put to them alone. */
kata_status ranks_tell_changes(exec_context *context, chain_slot *const *slots, size_t count,
                               messages *m);

/* ---- ranks_room.c ---------------------------------------------------------------------------- */

/* Ends all ranks where values of some of these slots have no room: in memory, or on the disk. */
_Noreturn void ranks_no_room(const struct exec_ranks *r, chain_slot *const *slots, size_t count);

/* ---- ranks_meet.c ---------------------------------------------------------------------------- */

/* Before all ranks do something together: an error where they are about to do different things.
 * The words say what this rank does: "runs a chain of 12 loops"; the hash is of all else. */
kata_status ranks_meet(struct exec_ranks *r, uint64_t hash, messages *m, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Makes *some true where it is on any rank: before something that `what` says. */
kata_status ranks_any(struct exec_ranks *r, const char *what, bool *some, messages *m);
/* After what ranks have done, which `what` says (NULL: what they met for): the error of the first
 * rank that has one, on all of them. A check that has failed comes behind other errors; of several,
 * the first in the order of the program. `failure`: how a chain has failed, which is not reported
 * yet; its loop is number r->failing. NULL, as the chain then: after something else. */
kata_status ranks_agree(struct exec_ranks *r, const char *what, kata_status status,
                        const exec_failure *failure, const chain *c, messages *m);

#endif
