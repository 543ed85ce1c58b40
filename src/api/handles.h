/* The structures behind the handles of kata.h. */
#ifndef API_HANDLES_H
#define API_HANDLES_H

#include "exec/exec.h"
#include "io/io.h"
#include "lang/lang.h"
#include "store/store.h"

/* Bytes of the name of the file that an application is written in; longer names are cut. */
enum { API_LONGEST_LOCATION = 256 };

struct kata_grid {
    kata *k;
    grid_shape shape;
    bool icosahedral;      /* it has cells, edges and vertices */
    struct api_mesh *mesh; /* or is a mesh of these; NULL: it is none */
};

/* A call that needed the result of queued loops: see forces.c. */
typedef struct api_force {
    const char *call;
    int64_t count, first_step; /* first_step: time steps that ended before the first such call */
    char kernel[64];           /* the last one that was queued before the first such call */
    char file[128];            /* where it was applied; "": that is not known */
    int line;
} api_force;
enum { API_FORCES = 16 }; /* more than there are such calls */

/* A field that has values behind chains which nobody may need: those that the chain makes and uses
 * up; or, of one that is exchanged, those before its last step. See advice.c. */
typedef struct api_spare {
    char field[64];
    bool exchanged;
    int64_t chains;
} api_spare;
enum { API_SPARES = 8 };

/* Plans that were shown in words: see explain_plan.c. */
enum { API_SHOWN_PLANS = 64 };
typedef struct shown_plans {
    uint64_t hash[API_SHOWN_PLANS];
    int count;
    int64_t again; /* chains with a plan that was shown before */
} shown_plans;

struct kata {
    messages messages;
    int64_t errors_cleared;
    arena memory; /* of handles, slots and names */
    const exec_executor *executor;
    exec_context exec;
    chain chain;
    size_t longest;                 /* loops that a long queue may have: see api_queued */
    struct api_slot *slots;         /* all, for freeing */
    struct api_slot *retired_slots; /* whose handles have others, while queued loops use them */
    struct api_slot *spare_slots;   /* that nothing uses */
    int64_t sparse_bytes;           /* kept for points between those of grids */
    size_t put_bytes;               /* put to fields that queued loops use */
    struct store_pool *pool;        /* memory of their arrays */
    kata_module *modules;
    struct api_own_kernel *own_kernels; /* see built_in.c; NULL at first */
    kata_series *series;
    kata_rows *row_files;
    io_behind *behind;                 /* writes files while the program goes on; NULL at first */
    bool writes_behind;                /* files were to be written so, on any rank */
    int64_t behind_most;               /* KATA_BEHIND; -1: not given */
    int64_t field_memory;              /* the limit for fields; 0: none */
    kata_field *fields;                /* all, the latest first */
    kata_scalar *scalars;              /* all, the latest first */
    struct api_checkpoint *checkpoint; /* NULL: none are written */
    struct api_kept *kept;             /* variables of the program, the latest first */
    struct api_required *required;     /* the latest first */
    kata_work work;
    kata_grid once;                       /* of one point, for kata_once */
    char here_file[API_LONGEST_LOCATION]; /* of the next application, "" when not known */
    const char *here_given;               /* the text that kata_here got for it */
    int here_line;                        /* -1: it was the line of the application before */
    const char
        *here_copy; /* of the name, in the chain's memory, lost when that is emptied; or NULL */
    int64_t here_copied_when;                 /* how often the chain had been emptied then */
    char location[API_LONGEST_LOCATION + 20]; /* see location.c */
    char argument[400];                       /* see api_argument_name */
    struct api_apply_cache *apply_cache;      /* see apply_cache.c; NULL at first */
    bool discarded;                           /* a field was, since memory was last released */
    bool eager;                               /* each application runs at once */
    bool watched;                             /* modules check the values that they write */
    observe_record *record;                   /* NULL: none */
    bool summary;                             /* is shown at the end */
    double opened, chain_seconds;             /* when the context was; spent in chains */
    shown_plans shown;
    const char *tune_file;              /* for what the search for the fastest plans finds; NULL */
    const char *explain, *explain_file; /* how plans are shown, and in which file; NULL: not, and
                                           standard error */
    bool explain_quick;                 /* nothing is measured for it */
    exec_network network;               /* of the scaling that is explained */
    exec_scaling scaling;               /* of the chain that costs most: see explain_scaling.c */
    double scaled_points, scaled_seconds;
    double given_seconds; /* of the chain, from KATA_NETWORK; 0: measured */
    char scaled_kernel[64];
    size_t scaled_loops;
    text plans;                   /* that are shown when the context is closed */
    io_svg picture;               /* of the plans so far, where pictures are asked for */
    api_force forces[API_FORCES]; /* why chains were forced, in the order of their first calls */
    int force_count;
    api_spare spares[API_SPARES];
    int spare_count;
    text machine[7]; /* texts handed out by kata_machine_get */
};

struct api_slot {
    chain_slot slot;
    struct api_slot *next, *next_unused; /* of all; of the retired or the spare ones */
    store_array *shown;    /* memory of the program that shows this rank's own values; or NULL */
    int64_t shown_version; /* of the values that it shows; -1: none */
};

struct kata_field {
    kata *k;
    kata_grid *grid;
    const char *name, *units; /* NULL: none are given */
    chain_slot *slot;
    grid_boundary boundary;
    grid_weights *weights[6]; /* memory for those of `boundary`; NULL: none yet */
    uint64_t rules;           /* grid_boundary_rules of it */
    const grid_boundary
        *boundary_copy;   /* in the chain's memory, lost when that is emptied; or NULL */
    int64_t copied_when;  /* how often the chain had been emptied then */
    bool mapped, written; /* lent by kata_map; written: for writing */
    chain_slot *lent;     /* of a mesh: has a copy with elements by their numbers while mapped */
    kata_field *next;
    ir_value *before; /* value of the traced point when the field was mapped; NULL: not traced */
};

struct kata_scalar {
    kata *k;
    const char *name;
    chain_slot *slot;
    int64_t writes; /* how often it was set or given to a kernel that writes it */
    kata_scalar *next;
};

struct kata_kernel {
    kata_module *module;
    ir_kernel *kernel;
    ir_kernel *f32_version; /* with `real` as float; NULL where kernel does not use it */
};

struct kata_module {
    kata *k;
    const char *constants; /* that it was compiled with; NULL: none */
    lang_module *module;
    kata_kernel *kernels;
    kata_module *next;
};

#endif
