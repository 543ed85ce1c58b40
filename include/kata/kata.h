/* Katagami: stencil computations from kernels written in C syntax.
 *
 * Ownership, in three rules. (1) A context owns everything made in it; kata_close frees it all.
 * (2) What a call is given (names, values, tables) is copied before the call returns; only the
 * memory given to kata_field_wrap is used as it is, and stays valid until the context is closed.
 * (3) What a call returns stays valid until its context is closed, the pointer of kata_map until
 * kata_unmap.
 *
 * Errors. Every call returns a status or a handle (NULL on error). The first error goes to the
 * context's handler, which prints to standard error unless replaced; from then on calls do nothing
 * and return the status of that error, until kata_error_clear. Every function accepts NULL for a
 * handle and reports it.
 *
 * Laziness. kata_apply queues a kernel. Work is done when a result is needed (kata_get, kata_save,
 * kata_scalar_get, kata_flush, ...) or when the queue is long; a program cannot tell, except by the
 * clock. Work that nobody asked for is discarded by kata_close.
 *
 * Index order. x is the contiguous dimension, then y, then z; components come last (slowest).
 * Sizes and indices are int64_t and start at 0. A context belongs to one thread at a time. */
#ifndef KATA_KATA_H
#define KATA_KATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define KATA_API __attribute__((visibility("default")))
#else
#define KATA_API
#endif

/* In C++ the members of option structures have default values, so that naming some is enough. */
#ifdef __cplusplus
#define KATA_ZERO                                                                                  \
    {                                                                                              \
    }
extern "C" {
#else
#define KATA_ZERO
#endif

typedef struct kata kata;               /* a context */
typedef struct kata_grid kata_grid;     /* the index space of 1 to 3 dimensions */
typedef struct kata_field kata_field;   /* values at the points of a grid */
typedef struct kata_scalar kata_scalar; /* one number that lives in the chain */
typedef struct kata_module kata_module; /* a compiled kernel file */
typedef struct kata_kernel kata_kernel; /* one kernel of a module */
typedef struct kata_series kata_series; /* a file to which time steps are added */

/* ---- status ---------------------------------------------------------------------------------- */

typedef enum kata_status {
    KATA_OK = 0,
    KATA_ERROR_ARGUMENT,    /* a call was given something it cannot take */
    KATA_ERROR_KERNEL,      /* a kernel text is wrong */
    KATA_ERROR_APPLICATION, /* a kernel cannot be applied to what it was given */
    KATA_ERROR_LIMIT,       /* a kernel needs more compile effort than is allowed */
    KATA_ERROR_MEMORY,      /* memory ran out */
    KATA_ERROR_COMPILER,    /* the C compiler is missing or failed */
    KATA_ERROR_FILE,        /* a file could not be read or written, or has the wrong contents */
    KATA_ERROR_INTERNAL,    /* a defect in Katagami */
    KATA_ERROR_ASSERT       /* at a point, an assert of a kernel failed, or an index was outside its
                               table */
} kata_status;

/* Name of a status as spelled above, or "unknown status". */
KATA_API const char *kata_status_name(kata_status status);

/* Receives each error once: its status and its whole message (several lines, no newline at the end;
 * valid during the call only). Of a kernel text with several errors the message holds up to ten,
 * one after another, and their number. With KATA_OK it receives warnings: those about a kernel
 * text, all in one message, and one when compiled kernels cannot be kept in the cache folder. It
 * must not call back into the context. */
typedef void (*kata_handler)(void *data, kata_status status, const char *message);

/* Debugging. kata_open looks at the environment: with KATA_EAGER=1 each application runs at once,
 * so that what goes wrong does so at its place; with KATA_EXECUTOR=reference kernels are
 * interpreted, point by point; with KATA_POISON=1 new fields are not zero but NaN (integers: 0x5a
 * in each byte; wrapped memory keeps its values), so that what is read before it is set shows; with
 * KATA_DEBUG_LINES=1 compiled kernels lead debuggers and profilers to the lines of the kernel file;
 * with KATA_WAIT=1 nothing is interpreted while it is being compiled (docs/compiling.md).
 * KATA_RECORD=FILE writes down what each loop was given and computed, for `kata diff`
 * (KATA_RECORD_FULL=1: with all values). With KATA_EXECUTOR=plan chains are run, slowly, as a plan
 * says that KATA_PLAN asks for (docs/planning.md); KATA_EXPLAIN=text (json; x, y or z for a picture
 * along that dimension) shows the plans of all chains and, when a context is closed, what its
 * kernels cost, how fast they ran and why chains ended, on standard error or appended to
 * KATA_EXPLAIN_FILE (a picture replaces it); with KATA_EXPLAIN_QUICK=1 nothing is measured for it.
 * KATA_TRACE=u@12,7 reports every write to that point of the field of that name, to standard error
 * or the file KATA_TRACE_FILE, and makes kernels be interpreted. docs/debugging.md shows how to use
 * them. */

/* ---- context --------------------------------------------------------------------------------- */

/* All members may be zero. */
typedef struct kata_options {
    int threads KATA_ZERO; /* 0: KATA_THREADS, OMP_NUM_THREADS, or one per usable core */
    const char *executor
        KATA_ZERO;              /* "cpu", "reference" or "plan"; NULL: KATA_EXECUTOR, or "cpu" */
    const char *plan KATA_ZERO; /* what KATA_PLAN takes, for executor "plan" and KATA_EXPLAIN;
                                       NULL: KATA_PLAN, or "loops" */
    const char *compiler KATA_ZERO; /* C compiler to call; NULL: KATA_CC, or cc, gcc, clang */
    const char *cache KATA_ZERO;    /* folder for compiled kernels; NULL: KATA_CACHE_DIR,
                                       XDG_CACHE_HOME/katagami, or ~/.cache/katagami */
    kata_handler handler KATA_ZERO; /* NULL: print to standard error */
    void *handler_data KATA_ZERO;
    bool no_warnings KATA_ZERO; /* false: warnings are shown unless KATA_WARNINGS is 0 */
    bool wait KATA_ZERO; /* true: nothing is run before it is compiled; false: unless KATA_WAIT is
                            1, kernels are interpreted meanwhile where that is quicker */
} kata_options;

/* Opens a context; options may be NULL. Returns NULL, with a message on standard error or to the
 * handler, when an option is wrong or memory is out. */
KATA_API kata *kata_open(const kata_options *options);
/* Frees the context and all that was made in it, and discards queued work. Returns the status of
 * the first error since kata_open or kata_error_clear, KATA_ERROR_ARGUMENT for NULL. */
KATA_API int kata_close(kata *k);
/* True while there was no error: the loop condition to use. False for NULL. */
KATA_API bool kata_ok(const kata *k);
KATA_API kata_status kata_error(const kata *k);
/* Message of the current error, "" when there is none. */
KATA_API const char *kata_error_message(const kata *k);
/* Leaves the error state. Fields and scalars that a failed chain should have computed hold NaN
 * (floating types) or zero (integer types) from here on. */
KATA_API void kata_error_clear(kata *k);
/* Runs all queued work now. Only timings need it. */
KATA_API kata_status kata_flush(kata *k);
/* Ends a time step, and with it the values of temporary fields. It changes no result: queued work
 * may be cut here, where all that a step passes on is known, and is, when another step as long as
 * this one would make the queue long. */
KATA_API kata_status kata_step(kata *k);
/* Number of loops run so far (queued ones not counted), the points they updated, and the chains
 * that they were run in; the steps ended so far. The chains, by why they ended: a result was needed
 * (or kata_flush called), the queue was long, a step was its end. */
typedef struct kata_work {
    int64_t loops, points, chains, steps;
    int64_t chains_forced, chains_long, chains_step;
} kata_work;
KATA_API kata_status kata_work_done(const kata *k, kata_work *work);

/* ---- grids ----------------------------------------------------------------------------------- */

/* Sizes are at least 1; the product of the sizes is below 2^48. */
KATA_API kata_grid *kata_grid_1d(kata *k, int64_t nx);
KATA_API kata_grid *kata_grid_2d(kata *k, int64_t nx, int64_t ny);
KATA_API kata_grid *kata_grid_3d(kata *k, int64_t nx, int64_t ny, int64_t nz);

/* ---- fields ---------------------------------------------------------------------------------- */

/* How values are stored. What a kernel computes in is the type of its parameter: any floating type
 * may be given for double and float, any integer type for int and long. */
typedef enum kata_type {
    KATA_F64 = 0,
    KATA_F32,
    KATA_I64,
    KATA_I32,
    KATA_U8,    /* 0 to 255; wraps */
    KATA_F16,   /* IEEE 754 half precision; by way of f32 where it is made of f64 */
    KATA_BF16,  /* the upper half of an f32; by way of f32 where it is made of f64 */
    KATA_UNORM8 /* a byte that stands for byte/255, as in pictures: a floating type, clamped to
                   [0, 1] and rounded to the nearest when stored; NaN gives 0 */
} kata_type;

/* What a read outside the grid finds. A rule maps the index that is read back into the grid, per
 * dimension from x upwards, repeatedly where the grid is thinner than the reach; a constant ends
 * it. Below, n is the size, i < 0 the index read at a low side, v the rule's value. */
typedef enum kata_rule {
    KATA_NONE = 0,           /* such reads are an error */
    KATA_CONSTANT,           /* v */
    KATA_CLAMP,              /* the nearest point: u[0] */
    KATA_REFLECT_FACE,       /* mirrored about the face at -1/2: u[-1-i] */
    KATA_REFLECT_NODE,       /* mirrored about point 0: u[-i]; needs two points */
    KATA_ANTISYMMETRIC_FACE, /* 2*v - u[-1-i] */
    KATA_ANTISYMMETRIC_NODE, /* 2*v - u[-i]; needs two points */
    KATA_PERIODIC            /* u[i+n]; both sides of a dimension or neither */
} kata_rule;
/* v is rounded as a store would, and 2*v - u is a value of the field's type: of f16, bf16 and
 * unorm8 computed in f32 and rounded once; integers wrap. */

typedef enum kata_side {
    KATA_X_LOW = 0,
    KATA_X_HIGH,
    KATA_Y_LOW,
    KATA_Y_HIGH,
    KATA_Z_LOW,
    KATA_Z_HIGH
} kata_side;

/* Dimensions, to be combined. */
enum { KATA_X = 1, KATA_Y = 2, KATA_Z = 4 };

/* How the components of a field lie in memory. No result depends on it. */
typedef enum kata_layout {
    KATA_ARRAYS = 0, /* one array per component: kernels that use some of them touch no others */
    KATA_STRUCTURES, /* those of a point side by side: for kernels that use all of few points */
    KATA_BLOCKS      /* 16 points along x of one component, then those of the next, and so on: both
                        near each other and in vectors */
} kata_layout;

typedef struct kata_field_options {
    kata_type type KATA_ZERO;
    int components KATA_ZERO;        /* values per point; 0 means 1; at most 1024 */
    kata_rule boundary KATA_ZERO;    /* for every side; kata_boundary_set changes one */
    double boundary_value KATA_ZERO; /* v of the rules above */
    kata_layout layout KATA_ZERO;    /* of several components */
    int staggered KATA_ZERO;         /* dimensions, as KATA_X | KATA_Y: see below */
    int along KATA_ZERO;             /* dimensions that it extends along; 0 means all */
    int ghosts KATA_ZERO;            /* points kept beyond each side; at most 1024 */
    bool temporary KATA_ZERO;        /* lives within a time step */
} kata_field_options;

/* Staggered fields have one point more along the dimensions named: index i is the low face of cell
 * i, and the last, n, the high face of cell n-1. nx, ny, nz in kernels stay the sizes of the grid.
 * The rules of such a side are about the field's own points: with KATA_ANTISYMMETRIC_NODE the
 * velocity through a wall, whose faces 0 and n lie in it, is u[-i] = 2*v - u[i], and the values at
 * the wall are the stored u[0] and u[n]; the velocity along a wall is not staggered there and wants
 * KATA_ANTISYMMETRIC_FACE. Along a periodic dimension the period is the number of cells, and face n
 * is face 0: the field has n points there (kata_on), reads at n find u[0], and what was stored at
 * face n is kept unseen until the rule is another.
 *
 * A field of lower rank extends along some dimensions only, such as a profile along z, which is
 * the same at all x and y. Its one index in the others is 0; rules do not apply there.
 *
 * Ghosts are points beyond a side that has no rule (KATA_NONE), which kernels applied to kata_ghost
 * and kata_put fill; where the side has a rule they are kept unseen. Reads outside map dimension
 * by dimension, so that at an edge a ghost index stays and the other is mapped by its own rule.
 *
 * The values of a temporary field end with the time step (kata_step). Kernels read them where
 * kernels of the same step have written them before, the host never does, and what writes it as
 * 'out' writes every component on every path. It need never have memory.
 *
 * Swapped fields are alike in all four; what was written of a temporary moves with its values. */

/* A new field, all zero (but for KATA_POISON, see above). The name (a C identifier) is for messages
 * and files. Call it as
 *     kata_field_new(grid, "u", KATA_F64, .components = 9, .boundary = KATA_PERIODIC) */
KATA_API kata_field *kata_field_new_with(kata_grid *grid, const char *name,
                                         const kata_field_options *options);
/* A new field, all zero, with the grid, options and present boundary rules of another. */
KATA_API kata_field *kata_field_like(kata_field *field, const char *name);
typedef struct kata_wrap_options {
    kata_type type KATA_ZERO;
    void *memory KATA_ZERO;             /* component 0 of the point (0,0,0) */
    int64_t stride[3] KATA_ZERO;        /* from a point to the next in x, y and z, in elements */
    int components KATA_ZERO;           /* as of kata_field_new */
    int64_t component_stride KATA_ZERO; /* from a component to the next, in elements */
    kata_rule boundary KATA_ZERO;
    double boundary_value KATA_ZERO;
    int staggered KATA_ZERO; /* these as of kata_field_new */
    int along KATA_ZERO;
    int ghosts KATA_ZERO; /* lie before and behind: the memory of (0,0,0) is not the first */
} kata_wrap_options;

/* A field on memory that the program owns, with the values it has there. The memory stays valid
 * until the context is closed. A stride may be negative; one that is 0 is that of plain order: 1 in
 * x, and for y, z and components, in this order, the length of the one before it times the points
 * there, ghosts included. Strides are such that no two values share memory: each is at least as
 * long as all that lies within the shorter ones. What lies between values, such as a frame around
 * the grid where .ghosts does not say that it is theirs, is neither read nor written. No other
 * field lives there.
 *
 * Between calls the memory belongs to Katagami: the program may read it after kata_flush, as long
 * as it applies no kernel, and reads and writes it between kata_map and kata_unmap. kata_swap
 * exchanges the memory that two handles stand on, wrapped or not; kata_map tells where a field is.
 * When a chain fails, values of wrapped memory that it should have computed become NaN (0) as those
 * of any field. `element` is the type of what the memory is an array of, KATA_F16 for uint16_t, -1
 * when that is not known. Call it as
 *     kata_field_wrap(grid, "u", KATA_F64, array, .stride = {1, 130}, .boundary = KATA_CLAMP) */
KATA_API kata_field *kata_field_wrap_with(kata_grid *grid, const char *name, int element,
                                          const kata_wrap_options *options);
/* Sets the rule of one side for kernels applied from now on. */
KATA_API kata_status kata_boundary_set(kata_field *field, kata_side side, kata_rule rule,
                                       double value);
/* Exchanges the values of two fields of the same points, ghosts, type and components. Names and
 * boundary rules stay with the handles; layouts and memory go with the values. Costs nothing. */
KATA_API kata_status kata_swap(kata_field *a, kata_field *b);
/* The same for three levels, three different fields: afterwards a holds what b held, b what c held,
 * and c what a held. */
KATA_API kata_status kata_rotate(kata_field *a, kata_field *b, kata_field *c);
/* Says that a field's value will not be read again, so that its memory may serve for something
 * else. To read it is an error until all of it is written: by one kernel that writes every
 * component on every path, applied to all points, by kata_put to all points, or by kata_load. Its
 * value moves with kata_swap and kata_rotate, and so does this. Of a field that is
 * staggered or has ghosts, each part can be read once it is written, by any of these. */
KATA_API kata_status kata_discard(kata_field *field);

/* ---- ranges ---------------------------------------------------------------------------------- */

/* A half-open box of indices: lo[d] <= index < hi[d]. Made by the functions below, which never
 * fail; a wrong range is reported by the call that is given it. A kernel may be applied beyond the
 * cells of the grid where the fields it writes (if it writes none: all it is given) have points or
 * ghosts; kata_get and kata_put, where the field has. */
typedef struct kata_range {
    const kata_grid *grid;
    int64_t lo[3], hi[3];
    int rank;          /* dimensions that were named; checked against the grid's */
    int colors, color; /* of coloured ranges; colors is 0 for all points */
    bool needed;       /* of kata_needed */
} kata_range;

/* No grid: a kernel applied to it runs once, and takes scalars where it says in, out or inout (and
 * no fields), as one point of a grid of that size: ix, iy, iz are 0 and nx, ny, nz 1. A time step
 * that is computed so from a reduction does not end the chain. */
KATA_API kata_range kata_once(kata *k);
/* All cells of the grid: the points of fields that are not staggered. */
KATA_API kata_range kata_all(const kata_grid *grid);
/* All points of a field: one more than the cells where it is staggered (but not where its sides
 * are periodic now), [0, 1) along dimensions that it lacks. */
KATA_API kata_range kata_on(const kata_field *field);
/* The ghosts of a field beyond one side, as deep as given; along the other dimensions its points.
 */
KATA_API kata_range kata_ghost(const kata_field *field, kata_side side, int depth);
/* For kernels that only write temporary fields, without reductions and asserts: as far as later
 * reads in the chain need. It stands for the largest box on which those fields have points or
 * ghosts and all that the kernel reads has values; what no later kernel reads of it may be left
 * out, which no program can tell. */
KATA_API kata_range kata_needed(const kata_grid *grid);
/* All cells at least n away from every side. May be empty; below 0, reaches beyond the sides. */
KATA_API kata_range kata_inner(const kata_grid *grid, int64_t n);
/* The layer of the given depth at one side. */
KATA_API kata_range kata_face(const kata_grid *grid, kata_side side, int64_t depth);
/* The points of a range at which (ix + iy + iz) modulo colors is color, 0 <= color < colors <= 64.
 * A kernel applied to them may write a field that it reads at points of other colours, as in a
 * red-black sweep. For kernels only: values are copied by whole boxes. */
KATA_API kata_range kata_color(kata_range range, int colors, int color);
/* The box of the given bounds, of a grid of that many dimensions. */
KATA_API kata_range kata_box_1d(const kata_grid *grid, int64_t x_lo, int64_t x_hi);
KATA_API kata_range kata_box_2d(const kata_grid *grid, int64_t x_lo, int64_t x_hi, int64_t y_lo,
                                int64_t y_hi);
KATA_API kata_range kata_box_3d(const kata_grid *grid, int64_t x_lo, int64_t x_hi, int64_t y_lo,
                                int64_t y_hi, int64_t z_lo, int64_t z_hi);

/* ---- host data ------------------------------------------------------------------------------- */

/* Copies the values of a box out of or into a field, converted as in C between floating types
 * (KATA_UNORM8 also to and from KATA_U8, which are its bytes; any other conversion is an error), in
 * plain order: x fastest, then y, z, component. KATA_F16 and KATA_BF16 are arrays of uint16_t.
 * `count` is the number of values there is room for at `values`; it must be that of the box times
 * the components. On error kata_get sets them to NaN (zero for integers), as many as the range has.
 * Call them as
 *     kata_get(field, range, array, count)     kata_put(field, range, array, count) */
KATA_API kata_status kata_get_values(kata_field *field, const kata_range *range, kata_type type,
                                     void *values, int64_t count);
KATA_API kata_status kata_put_values(kata_field *field, const kata_range *range, kata_type type,
                                     const void *values, int64_t count);

/* Where the values of a mapped field are: component c of the point (x,y,z) is element
 * x*stride[0] + y*stride[1] + z*stride[2] + c*component_stride of `values`. */
typedef struct kata_mapping {
    void *values;
    kata_type type;
    int components;
    int64_t size[3];   /* points in x, y and z; 1 beyond the dimensions */
    int64_t stride[3]; /* in elements, from a point to the next in x, y and z */
    int64_t component_stride;
} kata_mapping;

/* Runs queued work and gives the program a field's memory, in *pointer and *mapping, until
 * kata_unmap: to read when it is a pointer to const, otherwise to read and write. Until then no
 * call may use the values of the field. The pointer is of the type that the field is stored in, of
 * uint8_t for KATA_UNORM8 and uint16_t for KATA_F16 and KATA_BF16. Fields of the layout KATA_BLOCKS
 * cannot be mapped. On error *pointer is NULL. `element` is as of kata_field_wrap. Call it as
 *     double *u; kata_mapping at;
 *     kata_map(field, &u, &at)        for reading only: const double *u */
KATA_API kata_status kata_map_element(kata_field *field, int element, bool writable, void *pointer,
                                      kata_mapping *mapping);
/* Gives it back, also after an error. */
KATA_API kata_status kata_unmap(kata_field *field);

/* ---- scalars --------------------------------------------------------------------------------- */

/* A number of type f64, f32, i64 or i32, zero at first, that a kernel's sum, min or max parameter
 * sets and that can be passed wherever a kernel takes a number of its type. */
KATA_API kata_scalar *kata_scalar_new(kata *k, const char *name, kata_type type);
/* The same with 1 to 1024 elements, for parameters with as many: sum double r[3], double w[3]. */
KATA_API kata_scalar *kata_scalar_array_new(kata *k, const char *name, kata_type type, int count);
/* Sets it, all of its elements. Forces the chain. */
KATA_API kata_status kata_scalar_set(kata_scalar *scalar, double value);
/* Forces the chain. The value is converted as by kata_get; NaN (0) on error. Call it as
 *     kata_scalar_get(scalar, &x) */
KATA_API kata_status kata_scalar_get_value(kata_scalar *scalar, kata_type type, void *value);
/* The same for all elements; `count` is the number of values there is room for and must be theirs.
 * Call it as   kata_scalar_get_all(scalar, values, count) */
KATA_API kata_status kata_scalar_get_values(kata_scalar *scalar, kata_type type, void *values,
                                            int64_t count);

/* From the next application on, keeps every value that a kernel gives to the scalar (an array's
 * elements together), one entry for each application that writes it, without forcing the chain: of
 * more than `entries` the newest, 0 for none. What was kept before is forgotten. */
KATA_API kata_status kata_scalar_log(kata_scalar *scalar, int64_t entries);
/* Entries that there are now, those of queued kernels included; does not force the chain. 0 for a
 * scalar that is not logged and for NULL. */
KATA_API int64_t kata_scalar_log_count(const kata_scalar *scalar);
/* The entries, oldest first; forces the chain. `count` is the number of values there is room for
 * and must be that of the entries times the elements. NaN (0) on error, and in entries of a chain
 * that failed. Call it as   kata_scalar_log_get(scalar, values, count) */
KATA_API kata_status kata_scalar_log_values(kata_scalar *scalar, kata_type type, void *values,
                                            int64_t count);

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct kata_module_options {
    const char *source KATA_ZERO;    /* the path of a file, or a text */
    const char *constants KATA_ZERO; /* values of constants that the file declares, which take the
                                        place of its own: "R=8, C=0.5"; NULL: none */
    const char *folder KATA_ZERO;    /* of a text: where the files are that it imports; NULL: it
                                        cannot import. A file imports from its own folder */
} kata_module_options;

/* Compiles the kernels of a file, or of a text that messages call by the given name. Call them as
 *     kata_module_load(k, "wave.kata", .constants = "R=8")
 *     kata_module_from_text(k, "wave", text, .constants = "R=8") */
KATA_API kata_module *kata_module_load_with(kata *k, const kata_module_options *options);
KATA_API kata_module *kata_module_from_text_with(kata *k, const char *name,
                                                 const kata_module_options *options);
/* The text of a module together with all that it imports: a text for kata_module_from_text that
 * needs no files. NULL on error. */
KATA_API const char *kata_module_text(kata_module *module);
typedef struct kata_compile_options {
    const char *kernel KATA_ZERO; /* NULL: all of the module */
    const char *types KATA_ZERO;  /* how fields are stored: "f32" of all that can be, "u=f32,v=f16"
                                     of fields of these names; NULL: each in the type computed in */
    kata_layout layout KATA_ZERO; /* of fields with several components */
    bool colors KATA_ZERO;        /* true: for coloured ranges, false: for others */
    bool portable KATA_ZERO;      /* true: for any CPU of this kind, false: for this one */
} kata_compile_options;

/* Compiles kernels into the cache folder before they are needed: a program that finds its cache
 * there starts without a compiler. KATA_ERROR_FILE where they cannot be kept. On a machine without
 * a compiler, what any compiler has made serves, if it is of the same version of Katagami and was
 * compiled for the same CPU or is portable. Fields in the program's own memory with strides of
 * their own are not provided for. Call it as
 *     kata_module_compile(module, NULL)
 *     kata_module_compile(module, "step", .types = "u=f32", .layout = KATA_BLOCKS) */
KATA_API kata_status kata_module_compile_with(kata_module *module,
                                              const kata_compile_options *options);
/* NULL, with the nearest name in the message, when there is none of this name. */
KATA_API kata_kernel *kata_kernel_find(kata_module *module, const char *name);
KATA_API int kata_module_kernels(const kata_module *module);
/* Kernel i in the order of the text, those of imported files before it; NULL when there is none. */
KATA_API kata_kernel *kata_module_kernel(kata_module *module, int i);
KATA_API const char *kata_kernel_name(const kata_kernel *kernel);

typedef enum kata_aspect {
    KATA_ACCESSES, /* the order of levels, intervals, parameters, what is read at which offsets
                      and what is written */
    KATA_IR,       /* the intermediate form, as docs/ir.md describes it */
    KATA_CODE      /* the C function that is generated for fields stored as they are computed in */
} kata_aspect;
/* A text of several lines about a kernel, NULL on error. */
KATA_API const char *kata_kernel_describe(kata_kernel *kernel, kata_aspect aspect);

typedef enum kata_param_kind {
    KATA_PARAM_IN = 0,
    KATA_PARAM_OUT,
    KATA_PARAM_INOUT,
    KATA_PARAM_NUMBER,
    KATA_PARAM_TABLE,
    KATA_PARAM_SUM,
    KATA_PARAM_MIN,
    KATA_PARAM_MAX
} kata_param_kind;

typedef struct kata_param {
    const char *name;
    kata_param_kind kind;
    kata_type type; /* computed in; KATA_I32 for bool, KATA_U8 for uchar, KATA_F64 for real */
    int count;      /* components of a field, elements of a table; 1 otherwise */
    int finer[3];   /* of a field on a finer or coarser grid: its ratio along x, y and z, else 1 */
    int coarser[3];
    int along; /* of a field: the dimensions that it extends along, KATA_X | ...; 0 for all */
} kata_param;

/* Number of parameters. */
KATA_API int kata_kernel_params(const kata_kernel *kernel);
/* Parameter i in the order of the text. */
KATA_API kata_status kata_kernel_param(kata_kernel *kernel, int i, kata_param *param);
/* Dimensions of the grids that a kernel is for; 0 where it is for any. */
KATA_API int kata_kernel_rank(const kata_kernel *kernel);

/* ---- applying kernels ------------------------------------------------------------------------ */

typedef enum kata_arg_kind {
    KATA_ARG_NONE = 0,
    KATA_ARG_FIELD,
    KATA_ARG_SCALAR,
    KATA_ARG_INTEGER,  /* a signed number, and unsigned ones that fit */
    KATA_ARG_UNSIGNED, /* an unsigned number beyond INT64_MAX */
    KATA_ARG_FLOATING,
    KATA_ARG_TABLE /* an array of numbers */
} kata_arg_kind;

/* One argument of kata_apply_args. Made by the kata_arg_ functions. */
typedef struct kata_arg {
    kata_arg_kind kind;
    kata_type type; /* of a table's elements */
    union {
        kata_field *field;
        kata_scalar *scalar;
        int64_t integer;
        uint64_t unsigned_integer;
        double floating;
        const void *table;
    } as;
    int64_t count; /* elements of a table; -1 where only a pointer is known */
} kata_arg;

/* What KATA_ARG makes of an expression; size is that of the expression, used for arrays only. Those
 * that a time loop needs most are inline: a call takes as long as the rest of an argument. */
KATA_API inline kata_arg kata_arg_field(kata_field *field, size_t size)
{
    kata_arg arg = {KATA_ARG_FIELD, KATA_F64, {field}, 0};
    (void)size;
    return arg;
}
KATA_API inline kata_arg kata_arg_floating(double value, size_t size)
{
    kata_arg arg = {KATA_ARG_FLOATING, KATA_F64, {NULL}, 0};
    (void)size;
    arg.as.floating = value;
    return arg;
}
KATA_API inline kata_arg kata_arg_integer(int64_t value, size_t size)
{
    kata_arg arg = {KATA_ARG_INTEGER, KATA_F64, {NULL}, 0};
    (void)size;
    arg.as.integer = value;
    return arg;
}
KATA_API kata_arg kata_arg_scalar(kata_scalar *scalar, size_t size);
KATA_API kata_arg kata_arg_unsigned(uint64_t value, size_t size);
/* Arrays, with sizeof the expression: a plain pointer's is that of a pointer, and then the length
 * is not known and a table parameter refuses it; use kata_table_of to give it. */
KATA_API kata_arg kata_arg_f64_table(const double *values, size_t size);
KATA_API kata_arg kata_arg_f32_table(const float *values, size_t size);
KATA_API kata_arg kata_arg_i32_table(const int *values, size_t size);
KATA_API kata_arg kata_arg_i64_table(const int64_t *values, size_t size);
KATA_API kata_arg kata_arg_u8_table(const uint8_t *values, size_t size);
KATA_API kata_arg kata_arg_as_is(kata_arg arg, size_t size);
/* A table of count numbers of the given type; also one of two dimensions, row by row:
 * kata_table_of(KATA_F64, m, 9) of double m[3][3]. */
KATA_API kata_arg kata_table_of(kata_type type, const void *values, int64_t count);

/* Queues a kernel for the points of a range. Arguments are checked against the kernel's parameters
 * in order: a field (with kata_once, a scalar) for in, out and inout, a scalar for sum, min, max, a
 * number or scalar for a number, an array of numbers or scalar array for a table. Fields are of the
 * range's grid, or of one of that size, times or by the ratio that the kernel declares. What cannot
 * be right is reported here, and nothing is queued. Where a kernel's levels run in order
 * (forward(z)), those of the range do, and each sees what the ones before it have written; what
 * bounds its intervals is given a number, not a scalar. Call it as
 *     kata_apply(kernel, range, arguments...)
 * with up to 32 arguments. */
KATA_API kata_status kata_apply_args(kata_kernel *kernel, const kata_range *range, int count,
                                     const kata_arg *args);
/* Remembers where in the program the next application is written; returns its argument. */
KATA_API kata_kernel *kata_here(kata_kernel *kernel, const char *file, int line);

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct kata_save_options {
    const char *path KATA_ZERO; /* its ending decides: .png (2-D), .npy, .vtkhdf, .h5 (any) */
    double low KATA_ZERO;       /* values at the two ends of the colours; both zero: the field's */
    double high KATA_ZERO;      /*   smallest and largest value */
    double spacing KATA_ZERO;   /* grid spacing written to .vtkhdf; 0 means 1 */
    double spacing_y KATA_ZERO; /* the same along y and z where it differs; 0 means that along x */
    double spacing_z KATA_ZERO;
    double origin[3] KATA_ZERO;     /* of .vtkhdf: where point (0,0,0) of a field lies that is not
                                       staggered */
    kata_field *with[15] KATA_ZERO; /* other fields for the same file (.vtkhdf, .h5) */
} kata_save_options;

/* Writes a field; the file appears whole or not at all. PNG, 8 bits: one component is drawn in the
 * perceptually uniform colours of viridis with y upwards; 2, 3 or 4 components are grey and alpha,
 * RGB or RGBA from 0 to 1 (clamped, rounded to nearest; bytes as they are) with row 0 on top. f16,
 * bf16 and unorm8 become f32 in the other formats. NPY, for NumPy: an array of the shape (nx,),
 * (ny, nx) or (nz, ny, nx), of several components (components, ny, nx) and so on, as many as the
 * field has points, without the axes that one of lower rank lacks. HDF5 (.h5): the same array as a
 * dataset of the field's name. VTKHDF: an ImageData of points, for ParaView; a field that is
 * staggered along x begins half a spacing before the others. All fields of one such file have the
 * same points. Call it as
 *     kata_save(field, "u.png", .low = 0, .high = 1)
 *     kata_save(u, "flow.vtkhdf", .spacing = 0.1, .with = {v, p}) */
KATA_API kata_status kata_save_with(kata_field *field, const kata_save_options *options);
/* A VTKHDF file of fields at several times. Takes what kata_save takes; the file appears when the
 * first step is added. NULL on error. Call it as
 *     kata_series *s = kata_series_new(u, "flow.vtkhdf", .spacing = 0.1, .with = {v, p}) */
KATA_API kata_series *kata_series_new_with(kata_field *field, const kata_save_options *options);
/* Adds the present values of its fields as a step of a time above the last one's. Forces the chain.
 * The file can be read after each step, and holds all steps so far; where a step fails, it stays as
 * it was. Only a program that is ended within this call may leave it damaged. */
KATA_API kata_status kata_series_add(kata_series *series, double time);
/* Reads a file into a field of the same size. PNG: 2-D fields with 1 to 4 components, to which the
 * image is converted as grey, grey and alpha, RGB or RGBA, each 0 to 1 (of KATA_U8, 0 to 255), row
 * 0 on top. NPY: an array of the shape that kata_save writes, in C or Fortran order, in either
 * order of bytes. VTKHDF: the point data of the field's name, or the only ones; of a series the
 * last step. HDF5: an array of a shape as of NPY; of "FILE.h5" the dataset of the field's name, or
 * the only one, and "FILE.h5:/PATH" is the dataset PATH of a file of any ending. Floating-point
 * numbers are converted as in C. Integers must be of the field's type; those that are none of ours
 * count as the next larger type, which holds them all (of 8 bits with a sign and of 16: KATA_I32;
 * of 32 without a sign: KATA_I64; bool: KATA_U8). Bytes (KATA_U8) fill KATA_UNORM8 as they are, and
 * wider integers. */
KATA_API kata_status kata_load(kata_field *field, const char *path);

/* The field that the data of a file fill. */
typedef struct kata_shape {
    int rank;        /* dimensions */
    int64_t size[3]; /* points in x, y and z; 1 beyond the dimensions */
    int components;
    kata_type type; /* of the numbers in the file, as kata_load takes them; of images KATA_F64 */
} kata_shape;
/* What kata_load reads from a file, told from its header, for a field of `components` values per
 * point. 0: as the file says; of the formats above NPY and HDF5 have four axes then where the first
 * is one of components. */
KATA_API kata_status kata_file_shape(kata *k, const char *path, int components, kata_shape *shape);
/* Size of a PNG image, from its header. */
KATA_API kata_status kata_png_size(kata *k, const char *path, int64_t *width, int64_t *height);

/* ---- machine --------------------------------------------------------------------------------- */

/* Version of the library, "MAJOR.MINOR.PATCH". */
KATA_API const char *kata_version(void);

/* What was found on this machine; texts live as long as the context. */
typedef struct kata_machine {
    const char *cpu, *simd; /* model name; widest vector extension in use */
    int cores, threads;     /* usable by this process; used by the context */
    int64_t l1, l2, l3;     /* bytes of data cache seen by one core; 0 where there is none */
    int64_t memory;         /* bytes of main memory */
    const char *compiler;   /* path and version, "" when none was found */
    const char *cache;      /* folder of compiled kernels, "" when none can be used */
    const char *executor;   /* "cpu", "reference" or "plan" */
    const char *compilers;  /* paths of all that were found, by commas */
    const char *executors;  /* names of all that there are, by commas */
    const char *huge_pages; /* what the system does about them: "always", "madvise", "never"; "" */
    int64_t huge_page;      /* bytes of one; 0 where there are none */
    bool huge_pages_given;  /* memory that asks for them, as that of fields does, gets some */
} kata_machine;
KATA_API kata_status kata_machine_get(kata *k, kata_machine *machine);

/* Of several short repetitions, per second; 0 where there is nothing to measure. */
typedef struct kata_rate {
    double best, median;
} kata_rate;
/* The rates that no program exceeds here, as measured. Copies and triads (a = b + 3c) of doubles
 * count the bytes that are read and written, not those that a cache fetches because of a store. */
typedef struct kata_ceilings {
    kata_rate copy, triad;                     /* from memory, all threads */
    kata_rate copy_streaming, triad_streaming; /* the same with stores past the caches */
    kata_rate l2_copy_one, l2_copy_all; /* in the second-level cache, by one thread, by all */
    kata_rate l3_copy_one, l3_copy_all;
    kata_rate fma_f64, fma_f32;       /* of one core while all work: fused multiply-adds (a*b + c
                                         where there is no such instruction) */
    kata_rate divide_f64, divide_f32; /* the same: divisions */
    kata_rate clock;                  /* cycles of one core */
    double seconds;                   /* that it took */
} kata_ceilings;
/* Measures them with the context's threads, in about a second. */
KATA_API kata_status kata_ceilings_measure(kata *k, kata_ceilings *ceilings);
/* A text about what a point of a kernel costs, NULL on error: accesses, halo, operations, bytes,
 * for fields stored as they are computed in; with ceilings (NULL: without) also the rate that they
 * allow. As lines, or as a JSON object in one line. docs/explain.md tells what the figures mean. */
KATA_API const char *kata_kernel_explain(kata_kernel *kernel, const kata_ceilings *ceilings,
                                         bool json);

#ifdef __cplusplus
}
#include "kata/kata.hpp"
#else
#include "kata/kata_c.h"
#endif

#endif
