/* api: the public functions, thin. What the handles of kata.h are. */
#ifndef API_API_H
#define API_API_H

#include "api/rounding.h"
#include "exec/exec.h"
#include "io/io.h"
#include "lang/lang.h"
#include "machine/machine.h"
#include "store/store.h"

/* Loops queued before a chain is run although nobody asked. */
enum { API_CHAIN_LENGTH = HOSTILE(256, 5) };
/* Ghosts beyond a side. */
enum { API_MOST_GHOSTS = IR_MAX_OFFSET };
/* Bytes kept of the name of the file that an application is written in. */
enum { API_LONGEST_LOCATION = 256 };

struct kata_grid {
    kata *k;
    grid_shape shape;
};

/* A call that needed results of queued work. */
typedef struct api_force {
    const char *call;
    int64_t count, first_step; /* steps that had ended before the first time */
} api_force;
enum { API_FORCES = 16 }; /* more than there are such calls */

struct kata {
    messages messages;
    arena memory; /* of handles, slots and names */
    const exec_executor *executor;
    exec_context exec;
    chain chain;
    struct api_slot *slots; /* all, for freeing */
    kata_module *modules;
    kata_series *series;
    kata_work work;
    kata_grid once;                       /* of one point: that of kata_once */
    char here_file[API_LONGEST_LOCATION]; /* place of the next application, "" when not known */
    int here_line;                        /* -1: it was that of one before */
    const char *here_kept; /* a copy of the name in the chain, lost when that is emptied; or NULL */
    int64_t here_kept_in;  /* how often it had been emptied */
    char location[API_LONGEST_LOCATION + 20]; /* see apply.c */
    struct api_apply_cache *repeated;         /* see apply_cache.c; NULL at first */
    bool discarded;                           /* since memory was last released */
    bool eager;                               /* each application runs at once */
    observe_record *record;                   /* NULL: none */
    const char *explain, *explain_file; /* form in which plans are shown, and where; NULL: not, and
                                           standard error */
    bool explain_quick;                 /* nothing is measured for it */
    io_svg picture;                     /* of the plans met so far, where that is asked for */
    api_force forces[API_FORCES]; /* why chains were forced, in the order of the first times */
    int force_count;
    text machine[7]; /* texts handed out by kata_machine_get */
};

struct api_slot {
    chain_slot slot;
    struct api_slot *next;
};

struct kata_field {
    kata *k;
    kata_grid *grid;
    const char *name;
    chain_slot *slot;
    grid_boundary boundary;
    uint32_t rules;            /* grid_boundary_rules of it */
    const grid_boundary *kept; /* a copy in the chain, lost when that is emptied; or NULL */
    int64_t kept_in;           /* how often it had been emptied */
    bool mapped, written;      /* between kata_map and kata_unmap; for writing */
    ir_value *before; /* a traced point held this when it was mapped; NULL: is not traced */
};

struct kata_scalar {
    kata *k;
    const char *name;
    chain_slot *slot;
};

struct kata_kernel {
    kata_module *module;
    ir_kernel *kernel;
    ir_kernel *f32_version; /* with `real` as float; NULL where kernel does not use it */
};

struct kata_module {
    kata *k;
    lang_module *module;
    kata_kernel *kernels;
    kata_module *next;
};

/* ---- null.c: handles that are NULL where no context is at hand ------------------------------- */

/* Reports one on standard error, each kind of call once between openings of contexts, unless the
 * thread has had an error that it may come from. Returns KATA_ERROR_ARGUMENT. */
kata_status api_null(const char *call, const char *what);
/* Notes an error of the context, if there is one, as what NULLs may come from. */
void api_note_error(const kata *k);
/* An error was cleared: what comes next has other reasons. */
void api_null_unexplained(void);
/* A context is opened: no error explains, and nothing was reported. */
void api_null_restart(void);

/* ---- arguments of kata_apply ------------------------------------------------------------------
 */

static inline bool api_arg_is_field(const kata_arg *arg)
{
    return arg->kind == KATA_ARG_FIELD || arg->kind == KATA_ARG_CONST_FIELD;
}
static inline bool api_arg_is_scalar(const kata_arg *arg)
{
    return arg->kind == KATA_ARG_SCALAR || arg->kind == KATA_ARG_CONST_SCALAR;
}
/* The field or scalar of such an argument; one that is const is not written. */
static inline kata_field *api_arg_field(const kata_arg *arg) { return arg->as.field; }
static inline kata_scalar *api_arg_scalar(const kata_arg *arg) { return arg->as.scalar; }
/* The slot of either; NULL of other arguments and of NULL. */
static inline chain_slot *api_arg_slot(const kata_arg *arg)
{
    if (api_arg_is_field(arg)) return arg->as.field ? arg->as.field->slot : NULL;
    return api_arg_is_scalar(arg) && arg->as.scalar ? arg->as.scalar->slot : NULL;
}

/* ---- option_size.c: structures of options, of whatever size the program has them
 * ----------------- */

typedef struct api_options {
    const char *call, *type; /* "kata_field_new", "kata_field_options" */
    const char *example;     /* of the call with an option that is named */
    size_t size, unnamed;    /* here; the offset of `unnamed`, 0 where there is none */
} api_options;
#define API_OPTIONS(call, type, example)                                                           \
    {                                                                                              \
        call, #type, example, sizeof(type), offsetof(type, unnamed)                                \
    }
/* Copies the members that both have; the others are zero. All are where the size is impossible. */
void api_options_copy(const api_options *kind, const void *given, void *options);
/* Reports an impossible size, members that are set and not known here, an option without name. */
kata_status api_options_check(kata *k, const api_options *kind, const void *given);
/* Both. */
kata_status api_options_read(kata *k, const api_options *kind, const void *given, void *options);

/* ---- the rest -------------------------------------------------------------------------------- */

/* Reports through the context and notes it. */
kata_status api_fail(kata *k, kata_status status, const char *format, ...) PRINTF_LIKE(3, 4);
kata_status api_no_memory(kata *k);
/* series.c. Closes the files of a list of series. */
void api_series_free(kata_series *first);
/* explain.c. Reads how plans and kernels are to be shown. */
kata_status api_read_explain(kata *k);
/* Shows the plan of the queue, unless one like it was shown. */
void api_explain(kata *k);
/* Shows what kernels cost, how fast they have run, and how chains ended. */
void api_explain_end(kata *k);
/* Reads a switch of the environment, 1 or 0. */
kata_status api_read_switch(kata *k, const char *name, bool *on);
/* Reads the switches of the environment that help to find errors; `plan` as in kata_options. */
kata_status api_debugging(kata *k, const char *plan);
/* Values of the traced point before a call changes a field, and the report after it; NULL where the
 * field is not traced. */
ir_value *api_trace_before(const kata_field *field);
void api_trace_after(const kata_field *field, const char *call, ir_value *before);
/* Why a chain ends. */
typedef enum api_end {
    API_END_FORCED, /* a result is needed */
    API_END_LONG,   /* the queue is */
    API_END_STEP    /* a time step ends, and the queue would be long after another one */
} api_end;
/* costs.c: what is shown of a kernel. */
typedef struct api_costs {
    const ir_kernel *kernel;
    const kata_type *storage; /* per parameter, of fields */
    int rank, colors;
    bool once;
    int threads;
    double bytes; /* of all its fields; 0: more than caches hold */
    const machine *machine;
    const kata_ceilings *ceilings; /* NULL: without a bound */
    observe_meter_entry *measured; /* NULL: without */
} api_costs;
void api_print_kernel(text *out, const api_costs *c, bool json);
/* Per parameter, of fields stored as they are computed in; to be freed, NULL when memory is out. */
kata_type *api_natural_storage(const ir_kernel *kernel);
/* Copies values of a slot, as store_read does, whether it has an array or not. */
void api_read(const chain_slot *slot, const grid_box *box, kata_type type, void *values);
/* Runs queued work. `call`: what forced it; NULL where it was not forced. */
kata_status api_end_chain(kata *k, api_end why, const char *call);
/* Whether a scalar's values can be had as those of a type; reports. */
kata_status api_check_scalar(kata_scalar *scalar, const char *call, kata_type type,
                             const void *values);
/* Runs it because a call needs a result. */
kata_status api_flush(kata *k, const char *call);
/* Gives back the memory of discarded values that no queued loop needs; with KATA_POISON their
 * memory is poisoned instead. */
void api_release_discarded(kata *k);
/* Refuses to use a temporary field's values outside of kernels. */
kata_status api_check_host(const kata_field *field, const char *call);
/* The same, and refuses to read a box that was discarded. */
kata_status api_check_value(const kata_field *field, const char *call, const grid_box *box);
/* A new slot owned by the context, a copy of what is given; NULL (reported) when memory is out. */
chain_slot *api_slot_new(kata *k, const chain_slot *like);
/* A new field on a slot of its own; NULL (reported) when memory is out. */
kata_field *api_field_new(kata_grid *grid, const char *name, chain_slot *slot,
                          const grid_boundary *boundary);
/* Whether options that kata_field_new and kata_field_wrap have in common make sense; reports. */
kata_status api_check_field(kata *k, const char *call, kata_type type, int components,
                            kata_rule boundary);
/* Refuses a pointer to other elements than a type is stored as; -1: not known. */
kata_status api_check_element(kata *k, const char *caller, const char *name, kata_type type,
                              int element);
/* Refuses what cannot be done with a field while it is mapped. */
kata_status api_check_unmapped(const kata_field *field, const char *call);
/* A copy of a name if it is a C identifier of at most 64 letters; NULL (reported) otherwise. */
const char *api_name(kata *k, const char *call, const char *name);
/* Whether a range may be used with a grid of this context; reports. An empty box is fine, and one
 * that leaves the grid no farther than fields may have points. */
kata_status api_check_range(kata *k, const char *call, const kata_range *range);
static inline grid_box api_range_box(const kata_range *range)
{
    return (grid_box){{range->lo[0], range->lo[1], range->lo[2]},
                      {range->hi[0], range->hi[1], range->hi[2]}};
}
/* place.c: what options say of where a field has values, in all but name, type and components of a
 * slot; reports what is wrong with those of a call. */
kata_status api_field_points(const kata_grid *grid, const char *call,
                             const kata_field_options *options, chain_slot *slot);
/* "f64" */
bool api_type_is_valid(kata_type type);
/* NaN, or 0 for integers. */
void api_set_poison(kata_type type, void *values, int64_t count);

/* ---- apply_cache.c: applications like ones that were checked before
 * -------------------------------
 */

/* The hash (chain_loop_hash, never 0) of the loop that an application makes, where one like it was
 * found to be right, so that its numbers and tables are all that is left to check; otherwise 0. */
uint64_t api_repeated_hash(const kata *k, const ir_kernel *kernel, const kata_range *range,
                           const kata_arg *args);
/* Remembers a loop that was found to be right, where nothing but itself decides that. */
void api_repeat(kata *k, const chain_loop *loop, const kata_range *range);

#endif
