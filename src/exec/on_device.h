/* Running chains on a device: what its files share. */
#ifndef EXEC_ON_DEVICE_H
#define EXEC_ON_DEVICE_H

#include "exec/exec.h"
#include "exec/local.h"
#include "exec/streams.h"

/* A kernel that is loaded, found by a hash of what it is made of. */
typedef struct device_function {
    uint64_t key;
    device_module *module;
    device_kernel *kernel;
} device_function;

/* A kernel that is made. */
typedef struct device_making {
    uint64_t key;
    char name[64], hash[33]; /* of its function; of all that its binary depends on */
    text source, log;
    device_binary binary; /* without bytes: it is not compiled */
    jit *jit;
    bool refused; /* what the cache folder holds does not load */
    bool unkept;  /* the cache folder does not take it */
} device_making;

/* Rows of a table of abi_outside, on the device. */
typedef struct device_table {
    uint64_t key;
    device_memory *memory;
} device_table;

/* Memory for the partials of a reduction. */
typedef struct device_partials {
    device_memory *memory;
    ir_value *here; /* where it is in this machine's memory; NULL: it is not */
    size_t bytes;
    bool used;
    struct device_partials *next;
} device_partials;

/* What points have contributed to a reduction. */
typedef struct device_collected {
    int store;
    device_partials *values;
} device_collected;

/* A reduction whose result is still on the device. */
typedef struct device_waiting {
    const chain_loop *loop;
    int store;
    grid_box bricks;
    device_partials *partials; /* NULL: of no points */
    device_partials *left; /* with what is left to combine: the same, or in this machine's memory */
    size_t count, step;    /* that are left to combine, so far from one another */
    ir_value *values;      /* these, when they were fetched */
} device_waiting;

/* What is known of loops that are alike: found by the loop's hash. */
typedef struct device_ready {
    uint64_t key;
    char kernel_hash[33];
    const char *why; /* it cannot run on the device; NULL: it can */
    bool reduces;
    bool bricks;                 /* a row of threads runs a brick */
    bool collects;               /* what each point contributes to reductions is written first */
    bool twice;                  /* its points are checked, and then written, by themselves */
    bool by_level;               /* its levels run one by one */
    uint64_t outside;            /* bit p: parameter p is written outside of its field */
    uint64_t wraps[3];           /* bit p: beyond the sides of its field along x, y, z, its other
                                    side is read: see abi_place, and codegen_loop */
    uint64_t firsts;             /* bit p: it is the first that is given its field */
    struct device_tune *tune;    /* NULL: not looked for */
    struct device_tune *section; /* the same of loops at once that hand on parameter `from` */
    int from;
    grid_box *touched;   /* per parameter of `firsts`: by all that are given the field */
    grid_box **parts;    /* the same of each component */
    uint64_t *parts_key; /* hashes of these */
    struct device_ready *next;
} device_ready;
enum { DEVICE_BUCKETS = 256 };

enum { DEVICE_FLAGS = 64 };
enum { DEVICE_THREADS = 1024 }; /* of a group, at most */
enum {
    DEVICE_WAITING = 1 << 26
}; /* bytes of reductions whose values nobody has fetched, at most */

/* Why loops of a kernel run on the CPU. */
typedef struct device_reason {
    char kernel[64], why[192];
    int64_t loops;
} device_reason;
enum { DEVICE_REASONS = 16 }; /* that are kept, at most */

/* Shapes that KATA_DEVICE_SHAPE asks for; 0: as is chosen. */
typedef struct device_asked {
    int64_t x, y, z, vector, chunk, along, steps, rows, fetch;
} device_asked;

struct exec_device {
    device *device;
    char running[64]; /* the last kernel of loops that nobody has waited for; "" */
    device_asked asked;
    struct device_messages *messages; /* of ranks; NULL: there is one */
    codegen_language language;
    device_function *functions;
    size_t function_count, function_room;
    device_table *tables;
    size_t table_count, table_room;
    int64_t table_bytes;
    int64_t limit; /* of memory that is used, in bytes */
    store_copies copies;
    int64_t clock; /* counts loops, for `used` of copies */
    exec_streams streams;
    int64_t taken;    /* of it, by what stays while chains are streamed */
    int64_t moved[2]; /* bytes, into rings and out of them */
    device_ready *ready[DEVICE_BUCKETS];
    struct device_tune *tunes, *sections; /* of loops; of some at once */
    text shapes;                          /* that are kept, as a file: see device_shapes.c */
    bool shapes_read;
    struct device_beside *beside; /* NULL: no thread compiles */
    arena memory;                 /* of these */
    store_turns **spare;          /* memory in which planes have taken turns, for the next rings */
    size_t spare_count, spare_room;
    store_device_span
        *spans; /* by slot of the chain that is planned: of all loops, without planes */
    size_t span_room;
    int64_t needed, slack; /* by the rings of a section that are not there yet; left beside all */
    device_partials *partials, *last_partials;
    struct device_points *points;       /* of loops over points between those of a grid */
    struct device_tile_sums *tile_sums; /* NULL: there have been none */
    device_waiting *waiting;
    size_t waiting_count, waiting_room;
    int64_t waiting_bytes; /* of their partials */
    bool looks;            /* few waited when they were fetched: the program looks at each */
    device_collected *collected;
    size_t collected_count, collected_room;
    device_memory *flags;                    /* of checks */
    const chain_loop *checked[DEVICE_FLAGS]; /* loops whose flags nobody has looked at */
    int checked_count;
    device_memory *far; /* what the kernel is given, as far as it is not arguments */
    size_t far_bytes;
    ir_value *fetched; /* pinned */
    size_t fetched_bytes;
    char *given; /* what the next kernel is given */
    size_t given_room;
    exec_local host; /* loops that run on the CPU next */
    /* What is explained: */
    int64_t loops, host_loops, at_once; /* of the first, those in sections */
    device_reason reasons[DEVICE_REASONS];
    int reason_count;
};

/* A loop that runs on the device. */
typedef struct device_loop {
    exec_context *context;
    struct exec_device *d;
    const chain_loop *loop;
    messages *m;
    device_ready *ready;
} device_loop;

/* ---- device_failed.c ------------------------------------------------------------------------- */

/* Reports that the device has failed. */
kata_status device_failed(const device_loop *l, const char *doing);

/* ---- device_shape.c -------------------------------------------------------------------------- */

/* Reads KATA_DEVICE_SHAPE. */
kata_status device_read_shape(device_asked *asked, messages *m);
/* How the threads of a loop share its points. */
codegen_shape device_shape_of(const device_loop *l, const codegen_loop *as, bool wide);

/* ---- device_kernels.c ------------------------------------------------------------------------ */

/* Whether numbers of elements of a loop's fields need 64 bits. */
bool device_is_wide(const chain_loop *loop);
/* Whether no two parameters of a loop are given one field. */
bool device_is_apart(const chain_loop *loop);
device_kernel *device_tree_kernel(const device_loop *l, const ir_param *param);
device_kernel *device_column_kernel(const device_loop *l, int param, const char *name);
device_kernel *device_copy_kernel(const device_loop *l, int bytes);
device_kernel *device_fill_kernel(const device_loop *l, kata_type storage, const char *name);

/* What is made for these. `way`: -1 for the best known; l->ready->tune is there from then on. False
 * when memory is out. */
bool device_begin_kernel(const device_loop *l, int way, device_making *out);
void device_begin_tree(const device_loop *l, const ir_param *param, device_making *out);
void device_begin_fill(const device_loop *l, kata_type storage, const char *name,
                       device_making *out);

/* ---- device_making.c ------------------------------------------------------------------------- */

/* The kernel: loaded, from the cache folder, or compiled now; and frees what it is made of. NULL,
 * reported if `reports`. */
device_kernel *device_make(const device_loop *l, device_making *made, bool reports);
/* The same step by step, without reports. Find looks among what is loaded and in the cache folder.
 * Compile, on any thread, makes the binary and keeps it there, unless another process has just done
 * so; it does not wait for others when *stop is set. End loads the binary. */
device_kernel *device_making_find(const device_loop *l, device_making *made);
bool device_making_compile(const device *d, device_making *made, const _Atomic bool *stop);
device_kernel *device_making_end(const device_loop *l, device_making *made);
void device_making_free(device_making *made);
device_kernel *device_find_loaded(const struct exec_device *d, uint64_t key);
void device_functions_free(struct exec_device *d);

/* ---- device_ahead.c -------------------------------------------------------------------------- */

/* Compiles the kernels that a chain needs side by side, as far as it can: what fails is left to the
 * loop that needs it. */
void device_compile_ahead(exec_context *context, const chain *c, messages *m);

/* ---- device_touched.c ------------------------------------------------------------------------ */

/* Widens a box to the indices that a loop's points touch of a field parameter. */
grid_box device_widen(const chain_loop *loop, int param, grid_box all);
/* A box of indices that a loop touches of a parameter: whole along dimensions of `wraps`, as in
 * device_ready, beyond whose sides it lies. */
grid_box device_wrapped(const chain_loop *loop, int param, const grid_box *box,
                        const uint64_t wraps[3]);
/* The indices that the kernel of a loop reads or writes of a field parameter, needed or not; false:
 * none. */
bool device_accessed(const chain_loop *loop, int param, grid_box *all);
/* The indices of a field that there must be memory for; of planes in a ring, those that the kernel
 * reads or writes, which may be none. */
grid_box device_touched(const chain_loop *loop, int param);
/* What all parameters touch that are given the field of a parameter, if it is the first of these;
 * and whether it is. */
bool device_touched_first(const chain_loop *loop, int param, grid_box *touched);
/* What they touch of each component: widens boxes, of which empty ones are of nothing. */
void device_touched_parts(const chain_loop *loop, int param, grid_box *parts);
uint64_t device_parts_key(const grid_box *parts, int components);

/* ---- device_fields.c ------------------------------------------------------------------------- */

/* Brings the fields of a loop to the device, and fills what is read around them. */
kata_status device_bring_fields(const device_loop *l);
/* Gives the fields of a loop, which the CPU runs next, to it. */
kata_status device_bring_home(const device_loop *l);

/* The same for the points of a level, after the levels before it have changed fields. */
kata_status device_fill_level(const device_loop *l);

/* ---- device_fill.c --------------------------------------------------------------------------- */

/* Why indices around a field cannot be filled on a device; NULL: they can. */
const char *device_cannot_fill(const chain_binding *b, const grid_box *touched);
/* What is touched of a field, of each component, and a hash of that. */
typedef struct device_around {
    const grid_box *touched, *parts;
    uint64_t key;
} device_around;
/* Whether some rule of a field sums over points. */
bool device_sums_around(const chain_binding *b);
/* Fills what is touched outside of the field of a parameter with what its rules say. */
kata_status device_fill(const device_loop *l, int param, const device_around *around);
void device_tables_free(struct exec_device *d);
/* Frees the tables that were used so far. */
void device_tables_forget(struct exec_device *d);
/* Whether a loop writes indices outside of a field; and what follows: puts what it wrote there
 * where it belongs, at the other end of periodic dimensions. */
bool device_writes_outside(const chain_loop *loop, int param, const uint64_t wraps[3]);
kata_status device_scatter(const device_loop *l, int param);

/* ---- device_ready.c -------------------------------------------------------------------------- */

/* What is known of a loop; NULL when memory is out. */
device_ready *device_ready_of(struct exec_device *d, const chain_loop *loop);

/* ---- device_reduce.c ------------------------------------------------------------------------- */

/* Gives a reduction of a loop memory for its partials, before the loop runs; NULL of no points. */
kata_status device_begin_reduction(const device_loop *l, int store, const grid_box *bricks,
                                   device_memory **memory);
/* Behind the loop: combines the partials of its reductions. */
kata_status device_end_reductions(const device_loop *l);
/* Makes all results that wait values of scalars. */
kata_status device_fetch_reductions(const device_loop *l);
/* After a chain that has failed. */
void device_forget_reductions(struct exec_device *d);
/* Whether a loop needs the value of a scalar that waits, or too many wait. */
bool device_awaits(const struct exec_device *d, const chain_loop *loop);
void device_partials_free(struct exec_device *d);
/* Frees those in which nothing waits. */
void device_partials_release(struct exec_device *d);

/* ---- device_meet.c --------------------------------------------------------------------------- */

/* The first dimension along which a loop's points are in several tiles, or on several ranks; 3:
 * none. */
int device_cut(const chain_loop *loop);
/* Gives what a tile, or a rank, has of the reductions of a loop, which were fetched, to those of
 * all tiles so far, or of all ranks. Returns the partials of all, of one reduction after another,
 * in the box *whole; to be freed. NULL when memory is out. */
ir_value *device_meet(const device_loop *l, const device_waiting *w, size_t count, grid_box *whole);

/* ---- device_limit.c: what fits the memory of a device ------------------------------------------
 */

/* Bytes that tables may take before they are made anew. */
int64_t device_table_room(const struct exec_device *d);
/* Bytes of memory that loops of a chain need at once to run on whole fields; of loops that run
 * there. INT64_MAX: more than the device gives, or memory of this machine is out. */
int64_t device_bytes_of(struct exec_device *d, const chain *c);
/* Sends the copy home that was used longest ago, unless the loop that runs uses it; or all, and
 * frees what else is not needed. False when there is none, or the device has failed. */
bool device_send_home_oldest(struct exec_device *d);
bool device_send_home_all(struct exec_device *d);
/* Memory of the device for less than a field, for which others leave; NULL when it is out. */
device_memory *device_take(struct exec_device *d, size_t bytes);
/* Gives up what is kept beside fields and may be made again. */
void device_make_room(struct exec_device *d);
/* The bytes that the reductions of a loop need for each plane of a tile. */
int64_t device_plane_partials(const analysis_loop *l);

/* ---- device_parts.c: chains that do not fit ----------------------------------------------------
 */

kata_status device_run_larger(exec_context *context, chain *c, messages *m);
/* Runs loops that the device runs, on whole fields where these fit; otherwise by planes if it
 * `streams`, or on the CPU. */
kata_status device_run_part(exec_context *context, chain *c, bool streams, messages *m);
/* The same, never by planes. */
kata_status device_run_whole(exec_context *context, chain *c, messages *m);
/* Runs loops on the device, and waits for all that later ones may need of them. */
kata_status device_run_here(exec_context *context, const chain *c, messages *m);

/* ---- on_device.c ------------------------------------------------------------------------------
 */

/* Runs loops on whole fields, or rings, in order; loops that the device cannot run on the CPU.
 * Afterwards results may wait. */
kata_status device_run_loops(exec_context *context, const chain *c, messages *m);
/* Runs all of them on the CPU. */
kata_status device_run_on_host(exec_context *context, chain *c, messages *m);
/* Where a check of a loop of a local chain has failed, says which loop of the whole chain that is.
 */
void device_note_failure(exec_context *context, const exec_local *local, const chain *c);
void device_note_reason(struct exec_device *d, const chain_loop *loop, const char *why);

/* ---- device_copy_loop.c ---------------------------------------------------------------------- */

/* Runs a copy between fields, which are there. */
kata_status device_run_copy(const device_loop *l);

/* Memory of at least so many bytes that no reduction waits in; NULL, reported, when it is out. It
 * is taken by setting `used`. */
device_partials *device_take_partials(const device_loop *l, size_t bytes);

/* ---- device_columns.c ------------------------------------------------------------------------ */

/* Gives a reduction memory for what each point contributes. */
kata_status device_begin_contributions(const device_loop *l, int store, device_memory **memory);
/* Behind the loop: combines them, into fields, or to partials of a reduction. */
kata_status device_end_contributions(const device_loop *l);
void device_forget_contributions(struct exec_device *d);

/* ---- device_one.c ---------------------------------------------------------------------------- */

/* Runs a loop on the device: brings its fields, and waits where it has to. */
kata_status device_run_one(const device_loop *l);

/* ---- device_section.c: loops at once ----------------------------------------------------------
 */

/* Runs loops of a chain from number i on, as a section, or one by one to see how long they take.
 * `ran`: how many; left alone where none ran. */
kata_status device_run_section(const device_loop *l, const chain *c, size_t i, size_t *ran);
/* How many loops of a chain from number i on take turns in the fields of two parameters, as far as
 * is looked; 0: the first may be in no section. */
size_t device_section_turns(const device_loop *l, const chain *c, size_t i, int *from, int *to);
/* ---- device_launch.c ------------------------------------------------------------------------- */

/* Runs the points of a loop, whose fields are there. */
kata_status device_run_loop(const device_loop *l);

/* ---- device_checks.c ------------------------------------------------------------------------- */

/* A flag for a loop with checks, which is not set: its number in the memory that all are in. */
kata_status device_begin_checks(const device_loop *l, device_memory **flags, int64_t *flag);
/* Whether the flags have to be looked at before a loop runs: it writes what a checked loop, which
 * may have to run again, has read. */
bool device_has_checked(const struct exec_device *d, const chain_loop *loop);
/* Waits for the loops so far: sets the results of reductions, and then reports the first check that
 * has failed. So ranks have met for reductions before one fails, as on the CPU. */
kata_status device_settle(const device_loop *l);
/* After a chain that has failed. */
void device_forget_checks(struct exec_device *d);

#endif
