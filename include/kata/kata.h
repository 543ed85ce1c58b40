/* Katagami: stencil computations from kernels written in C syntax.
 *
 * Ownership, in three rules. (1) A context owns everything made in it; kata_close frees it all.
 * (2) A call copies its arguments (names, values, tables) before it returns. The exception is
 * kata_field_wrap: it uses the given memory, which stays valid until the context is closed.
 * (3) A returned handle or text stays valid until its context is closed, the pointer of kata_map
 * until kata_unmap.
 *
 * Errors. Every call returns a status or a handle (NULL on error). The first error goes to the
 * context's handler, which prints to standard error unless replaced. From then on calls do nothing
 * and return the status of that error, until kata_error_clear. Every function accepts NULL for a
 * handle and reports it.
 *
 * Laziness. kata_apply queues a kernel. The queue runs when a call needs its result (kata_get or
 * kata_scalar_get of what queued kernels write, kata_save, kata_flush, ...) or when it is long.
 * kata_scalar_set leaves it waiting. So does kata_put to a field that queued kernels do not use.
 * To one that they use it does so up to 64 KB (1 MB together), if they only read the field or if it
 * is put as a whole. A program sees no difference, except by the clock: an error of a queued kernel
 * is returned by the call that needs its result. kata_close discards queued kernels whose result
 * nobody asked for.
 *
 * Index order. x is the contiguous dimension, then y, then z; components come last (slowest).
 * Sizes and indices are int64_t and start at 0. Only one thread at a time uses a context. */
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

/* Structures of options, in three rules. (1) Options are named (.boundary = KATA_CLAMP); an option
 * that is not named is zero. (2) A structure begins with its size. The macros and kata_open set it;
 * a program that calls a function ending in _with sets .size = sizeof(the structure). The size
 * tells the library which members the program was compiled with. Later versions add members at the
 * end (never in padding). A library takes members that an older program lacks as zero, and refuses
 * a program that sets members it does not know. (3) An option without a name is an error: when the
 * program is compiled or, at the latest, when it makes the call. */
#ifdef __cplusplus
#define KATA_ZERO                                                                                  \
    {                                                                                              \
    }
#define KATA_SIZE(options) = sizeof(options)
/* An option without a name would have to become this. */
struct kata_option_without_a_name {
    const void *nothing;
    constexpr kata_option_without_a_name() : nothing(nullptr) {}
};
#define KATA_NAMED_BEHIND kata_option_without_a_name unnamed KATA_ZERO
#define KATA_NAMED
extern "C" {
#else
#define KATA_ZERO
#define KATA_SIZE(options)
#define KATA_NAMED_BEHIND const struct kata_option_without_a_name *unnamed
#if defined(__GNUC__) && !defined(__clang__)
#define KATA_NAMED __attribute__((designated_init))
#else
#define KATA_NAMED
#endif
#endif

typedef struct kata kata;               /* a context */
typedef struct kata_grid kata_grid;     /* the index space of 1 to 3 dimensions */
typedef struct kata_field kata_field;   /* values at the points of a grid */
typedef struct kata_scalar kata_scalar; /* one number that lives in the chain */
typedef struct kata_points kata_points; /* points between those of a grid */
typedef struct kata_module kata_module; /* a compiled kernel file */
typedef struct kata_kernel kata_kernel; /* one kernel of a module */
typedef struct kata_series kata_series; /* a file to which time steps are added */
typedef struct kata_rows kata_rows;     /* a file to which rows of numbers are added */

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
    KATA_ERROR_ASSERT,      /* at a point, an assert of a kernel failed, or an index was outside its
                               table, or (kata_options.check) a NaN arose; a scalar that steps are
                               made until became NaN */
    KATA_ERROR_DEVICE       /* there is no such device, or it failed */
} kata_status;

/* Name of a status as spelled above, or "unknown status". */
KATA_API const char *kata_status_name(kata_status status);

/* Receives each error once: its status and its whole message (several lines, no newline at the end;
 * valid during the call only). For a kernel text with several errors the message holds up to ten
 * of them and their number. With the status KATA_OK the handler receives warnings: all warnings
 * about a kernel text in one message, and one when compiled kernels cannot be kept in the cache
 * folder. The handler must not call back into the context. */
typedef void (*kata_handler)(void *data, kata_status status, const char *message);

/* Debugging. kata_open reads these variables of the environment; docs/debugging.md has examples.
 *
 *   KATA_EAGER=1             runs each application at once, so that an error appears at its call
 *   KATA_EXECUTOR=reference  interprets kernels, point by point
 *   KATA_POISON=1            fills new fields with NaN, not zero (integers: 0x5a in each byte;
 *                            wrapped memory keeps its values), so that reads before writes show
 *   KATA_CHECK=nan           looks for the point at which a NaN or an infinity arises
 *   KATA_DEBUG_LINES=1       leads debuggers and profilers to the lines of the kernel file
 *   KATA_RANKS='y=2 z=4'     lays out the ranks that MPI has started; also 'halves' (docs/ranks.md)
 *   KATA_MEMORY=8G           limits the memory of fields; KATA_SPILL: the folder for others
 *   KATA_BEHIND=2G           limits the memory of values that wait to be written to files (0:
 *                            nothing waits; docs/output.md)
 *   KATA_DEVICE_MEMORY=8G    limits the memory that is used of a device (docs/devices.md)
 *   KATA_WAIT=1              interprets nothing while it is being compiled (docs/compiling.md)
 *   KATA_LARGER=1            begins with the functions for fields beyond the caches
 *   KATA_RECORD=FILE         writes the inputs and results of each loop, for `kata diff`
 *                            (KATA_RECORD_FULL=1: with all values)
 *   KATA_PLAN='tiled cache=1048576 threads=2'  runs compiled chains by this plan; loops: no tiles
 *   KATA_WISDOM=0            neither uses nor keeps wisdom (see kata_wisdom_list)
 *   KATA_TUNE=FILE           searches for the fastest plans at once; appends them to a file
 *   KATA_L2=BYTES            a second-level cache's size, where the machine reports a wrong one
 *   KATA_EXECUTOR=plan       runs chains, slowly, by KATA_PLAN (docs/planning.md)
 *   KATA_MACHINE=sw26010     emulates a machine of many cores with small memories; KATA_EXPLAIN
 *                            shows what its clock says (docs/scratchpads.md)
 *   KATA_EXPLAIN=text        shows the plan of each chain; when the context is closed, also what
 *                            kernels cost, how fast they ran and why chains ended (json: as JSON;
 *                            x, y or z: as a picture along that dimension;
 *                            roofline: how fast kernels ran, as a picture)
 *   KATA_EXPLAIN_FILE=FILE   appends this to a file, not to standard error; a picture replaces it
 *   KATA_EXPLAIN_QUICK=1     measures nothing for it
 *   KATA_SUMMARY=1           shows what kernels took when the context is closed
 *   KATA_TIMELINE=FILE.json  tells viewers such as Perfetto what the run did when
 *                            (KATA_TIMELINE_MOST=64M: of at most so many bytes)
 *   KATA_TRACE=u@12,7        interprets kernels, and reports every write to that point of field u
 *   KATA_TRACE_FILE=FILE     writes this to a file, not to standard error */

/* ---- context --------------------------------------------------------------------------------- */

/* All members may be zero. */
typedef struct kata_options {
    size_t size KATA_SIZE(kata_options);
    int threads KATA_ZERO;          /* 0: KATA_THREADS, OMP_NUM_THREADS, or one per usable core */
    const char *executor KATA_ZERO; /* "cpu", "reference", "plan" or "scratchpad"; NULL:
                                       KATA_EXECUTOR, or "cpu", with a machine "scratchpad" */
    const char *plan KATA_ZERO;     /* the plan, as KATA_PLAN names it, for the executors "cpu" and
                                       "plan" and KATA_EXPLAIN; NULL: KATA_PLAN, or the fastest that
                                       "cpu" finds, otherwise "loops" */
    const char *compiler KATA_ZERO; /* C compiler, with arguments if it has some
                                       (docs/compiling.md); NULL: KATA_CC, or cc, gcc, clang */
    const char *cache KATA_ZERO;    /* folder for compiled kernels; NULL: KATA_CACHE_DIR,
                                       XDG_CACHE_HOME/katagami, or ~/.cache/katagami */
    kata_handler handler KATA_ZERO; /* NULL: print to standard error */
    void *handler_data KATA_ZERO;
    bool no_warnings KATA_ZERO; /* false: warnings are shown unless KATA_WARNINGS is 0 */
    bool wait KATA_ZERO; /* true: kernels run after they are compiled, never before; false: unless
                            KATA_WAIT is 1, they are interpreted meanwhile where that is quicker */
    int64_t memory KATA_ZERO;    /* bytes for fields; 0: KATA_MEMORY, or no limit */
    const char *spill KATA_ZERO; /* a folder for others; NULL: KATA_SPILL, TMPDIR, /var/tmp */
    const void *communicator KATA_ZERO; /* address of an MPI_Comm: its ranks run the program, which
                                           has started MPI (docs/ranks.md); NULL: all ranks do */
    const char *device KATA_ZERO; /* where kernels run: "cuda", "cuda:1", "opencl", "opencl:0", or
                                     "any", the first there is (docs/devices.md); "none": on the
                                     CPU; NULL: KATA_DEVICE, or on the CPU */
    int64_t device_memory KATA_ZERO; /* bytes of the device that are used at most; 0:
                                        KATA_DEVICE_MEMORY, or what it has, less a reserve */
    const char *check KATA_ZERO; /* "nan": a point at which a kernel makes a NaN or an infinity of
                                    finite values ends the chain (docs/watching.md); "none": it
                                    does not; NULL: KATA_CHECK, or "none" */
    bool summary KATA_ZERO; /* true: kata_close shows on standard error what kernels took; false:
                               unless KATA_SUMMARY is 1, it does not (docs/watching.md) */
    const char *timeline KATA_ZERO; /* a file that tells viewers what the run did when; NULL:
                                       KATA_TIMELINE, or none (docs/watching.md) */
    const char *machine KATA_ZERO;  /* a machine of many cores with small memories, which is
                                       emulated, with a clock (docs/scratchpads.md): "mppa256",
                                       "sw26010", or the path of a file; NULL: KATA_MACHINE, or
                                       none. An executor other than "scratchpad" makes the values
                                       meanwhile */
} kata_options;

/* Opens a context; options may be NULL. Returns NULL when an option is wrong or memory is out, with
 * a message to the handler (standard error where the size of the options is wrong). Where standard
 * input, output or error is closed, no file gets its number from here on. Call it as
 *     kata_open(NULL)     kata_open(&(kata_options){.threads = 4}) */
KATA_API kata *kata_open_with(const kata_options *options);
static inline kata *kata_open(const kata_options *options)
{
    kata_options sized;
    if (!options || options->size) return kata_open_with(options);
    sized = *options;
    sized.size = sizeof sized;
    return kata_open_with(&sized);
}
/* Frees the context and all that was made in it, and discards queued kernels. Returns the status of
 * the first error since kata_open or kata_error_clear, KATA_ERROR_ARGUMENT for NULL. */
KATA_API int kata_close(kata *k);
/* True as long as there was no error: a condition for time loops. False for NULL. */
KATA_API bool kata_ok(const kata *k);
/* Status of the current error, KATA_OK when there is none; KATA_ERROR_ARGUMENT for NULL. */
KATA_API kata_status kata_error(const kata *k);
/* Message of the current error, "" when there is none. */
KATA_API const char *kata_error_message(const kata *k);
/* Leaves the error state. Fields and scalars that a failed chain should have computed hold NaN
 * (floating types) or zero (integer types) from here on. */
KATA_API void kata_error_clear(kata *k);
/* Runs all queued kernels now. Timings need it, and programs that read wrapped memory. */
KATA_API kata_status kata_flush(kata *k);
/* Ends a time step, and with it the values of temporary fields. It changes no result. The queue
 * runs here when one more step like this one would make it long: at the end of a step it is known
 * which values the next step reads. */
KATA_API kata_status kata_step(kata *k);
/* Counts so far, of what has run (not of the queue): loops, points that they updated, chains that
 * they ran in; time steps that ended. Chains are also counted by why they ended: a result was
 * needed (or kata_flush called), the queue was long, a time step ended. */
typedef struct kata_work {
    int64_t loops, points, chains, steps;
    int64_t chains_forced, chains_long, chains_step;
} kata_work;
/* Sets *work. */
KATA_API kata_status kata_work_done(const kata *k, kata_work *work);

/* ---- grids ----------------------------------------------------------------------------------- */

/* A grid of nx (times ny, times nz) points. Sizes are at least 1; their product is below 2^48. */
KATA_API kata_grid *kata_grid_1d(kata *k, int64_t nx);
KATA_API kata_grid *kata_grid_2d(kata *k, int64_t nx, int64_t ny);
KATA_API kata_grid *kata_grid_3d(kata *k, int64_t nx, int64_t ny, int64_t nz);
/* A grid of nx times ny parallelograms on nz levels, of three dimensions, for kernels on cells,
 * edges and vertices. Each parallelogram has two cells (triangles), three edges and one vertex:
 *
 *       x --- 0 --- x       The vertex lies at the lower left corner. Edge 0 leads from it along x,
 *      / .         /        edge 1 along y; edge 2, dotted, is the diagonal between their ends.
 *     1    2   c1 /         Cell 0 lies at the vertex, cell 1 beyond the diagonal. The upper and
 *    /  c0   .   /          right edges are those of the next parallelograms.
 *   v --- 0 --- x
 *
 * Fields say where they lie: .on = KATA_CELLS, KATA_EDGES or KATA_VERTICES. A field with
 * .each = KATA_EDGES, too, has a value for each edge of each cell (of each edge next to an edge, of
 * each edge at a vertex), and so with the others. Only profiles (.along = KATA_Z) lie nowhere.
 * A range of such a grid is a box of parallelograms and levels, with all that these have.
 * docs/meshes.md has the language, and the numbers of neighbours. */
KATA_API kata_grid *kata_grid_icosahedral(kata *k, int64_t nx, int64_t ny, int64_t nz);
/* Where the values of a field on cells, edges and vertices lie: see kata_grid_icosahedral. */
typedef enum kata_location {
    KATA_NOWHERE = 0,
    KATA_CELLS,
    KATA_EDGES,
    KATA_VERTICES
} kata_location;

/* A table of neighbours: `width` numbers for each element, one element after the other. They count
 * from 0; -1 is an empty slot. */
typedef struct kata_neighbours {
    const int32_t *table; /* NULL: not given, or not known */
    int width;            /* 1 to 64 */
} kata_neighbours;

/* Where the elements of a mesh lie in memory. A program does not see it: see docs/meshes.md. */
typedef enum kata_order {
    KATA_ORDER_FOUND = 0, /* neighbours near each other, unless their numbers are as good */
    KATA_ORDER_GIVEN,     /* as they are numbered */
    KATA_ORDER_NEAR       /* neighbours near each other, whatever their numbers */
} kata_order;

typedef struct kata_mesh_options {
    size_t size KATA_SIZE(kata_mesh_options);
    int64_t cells KATA_ZERO; /* how many there are; 0: none */
    KATA_NAMED_BEHIND;
    int64_t edges KATA_ZERO; /* 0, with cell_vertices: they are made */
    int64_t vertices KATA_ZERO;
    int64_t nz KATA_ZERO; /* levels; 0 means 1 */
    kata_neighbours cell_cells KATA_ZERO, cell_edges KATA_ZERO, cell_vertices KATA_ZERO;
    kata_neighbours edge_cells KATA_ZERO, edge_edges KATA_ZERO, edge_vertices KATA_ZERO;
    kata_neighbours vertex_cells KATA_ZERO, vertex_edges KATA_ZERO, vertex_vertices KATA_ZERO;
    kata_order order KATA_ZERO;
} KATA_NAMED kata_mesh_options;

/* An unstructured mesh on nz levels, for kernels on cells, edges and vertices. Tables that are not
 * given are derived where those that are say enough: cell_vertices is enough for all nine, and so
 * are cell_edges and edge_vertices. They are copied, and checked: entries are elements; what is a
 * neighbour of another kind has this one as a neighbour; neighbouring cells go around in the same
 * sense. An edge has two vertices, and at most two cells. Sums over neighbours run in the order of
 * the slots.
 *
 * In ranges of such a grid x is the number of the cell, edge or vertex that a kernel computes, or
 * that a field has; y has one index, and z counts levels. kata_all stands for all elements of each
 * kind. Fields have boundary rules at the sides of z alone. docs/meshes.md has more. Call it as
 *     kata_grid_mesh(k, 20, .vertices = 12, .cell_vertices = {table, 3}, .nz = 80) */
KATA_API kata_grid *kata_grid_mesh_with(kata *k, const kata_mesh_options *options);
/* The mesh of a file on nz levels: netCDF-4 with the UGRID conventions, or with the variables of an
 * ICON grid file. Elements count from 0, whatever the file does. docs/meshes.md says which tables
 * are read. */
KATA_API kata_grid *kata_grid_mesh_load(kata *k, const char *path, int64_t nz);
/* The sphere of radius 1, as a mesh of triangles: an icosahedron, whose edges are cut into `root`
 * parts each, and then `bisections` times into two. It has 20 root^2 4^bisections cells. */
KATA_API kata_grid *kata_grid_sphere(kata *k, int root, int bisections, int64_t nz);
/* How many cells, edges or vertices a mesh has; -1 on error. */
KATA_API int64_t kata_grid_count(const kata_grid *grid, kata_location on);
/* The neighbours of one kind of another, given or derived; valid until the context is closed. */
KATA_API kata_neighbours kata_grid_neighbours(const kata_grid *grid, kata_location of,
                                              kata_location to);

typedef enum kata_geometry {
    KATA_POSITION,    /* x, y, z of each cell (its circumcentre), edge (its middle) or vertex: all x
                         first, then all y, then all z */
    KATA_NORMAL,      /* likewise, of an edge: of length 1, from its first cell to its second */
    KATA_LENGTH,      /* of an edge */
    KATA_DUAL_LENGTH, /* of the line between the two cells of an edge */
    KATA_AREA,        /* of a cell, */
    KATA_DUAL_AREA    /* and of what lies around a vertex: both add up to that of the sphere */
} kata_geometry;
/* Writes the geometry of a sphere for all elements of a kind: 3 or 1 of each. */
KATA_API kata_status kata_grid_geometry(const kata_grid *grid, kata_location on, kata_geometry what,
                                        double *values, int64_t count);
/* The grid of nx/x (times ny/y, times nz/z) points, for kernels whose fields are finer(x,y,z) or
 * coarser(x,y,z). Each ratio divides the number of points; those beyond the grid's dimensions are
 * not looked at. */
KATA_API kata_grid *kata_grid_coarsen(const kata_grid *grid, int x, int y, int z);

/* ---- fields ---------------------------------------------------------------------------------- */

/* How values are stored. A kernel computes in the type of its parameter, which may differ: fields
 * of any floating type suit double and float, fields of any integer type int and long. */
typedef enum kata_type {
    KATA_F64 = 0,
    KATA_F32,
    KATA_I64,
    KATA_I32,
    KATA_U8,     /* 0 to 255; wraps */
    KATA_F16,    /* IEEE 754 half precision; an f64 is rounded to f32 first */
    KATA_BF16,   /* the upper half of an f32; an f64 is rounded to f32 first */
    KATA_UNORM8, /* a byte that means byte/255, as in pictures: a floating type. A store clamps to
                    [0, 1] and rounds to the nearest; NaN gives 0 */
    KATA_U16,    /* 0 to 65535; wraps */
    KATA_I16     /* -32768 to 32767; wraps */
} kata_type;

/* The value that a read outside the grid finds. A rule maps the index back into the grid, dimension
 * by dimension from x upwards, and repeatedly where the grid is thinner than the reach; a constant
 * ends the mapping. Below, n is the size, i < 0 the index read at a low side, v the rule's value;
 * high sides are mirrored. */
typedef enum kata_rule {
    KATA_NONE = 0,           /* such reads are an error */
    KATA_CONSTANT,           /* v */
    KATA_CLAMP,              /* the nearest point: u[0] */
    KATA_REFLECT_FACE,       /* mirrored about the face at -1/2: u[-1-i] */
    KATA_REFLECT_NODE,       /* mirrored about point 0: u[-i]; needs two points */
    KATA_ANTISYMMETRIC_FACE, /* 2*v - u[-1-i] */
    KATA_ANTISYMMETRIC_NODE, /* 2*v - u[-i]; needs two points */
    KATA_PERIODIC,           /* u[i+n]; both sides of a dimension or neither */
    KATA_LINEAR              /* a weighted sum of points; kata_boundary_linear sets it */
} kata_rule;
/* Calls X(rule, word, meaning) for each rule but KATA_LINEAR, in the order of kata_rule: the words
 * that the command takes. */
#define KATA_RULES(X)                                                                              \
    X(KATA_NONE, "none", "such reads are an error")                                                \
    X(KATA_CONSTANT, "constant", "VALUE")                                                          \
    X(KATA_CLAMP, "clamp", "the nearest point")                                                    \
    X(KATA_REFLECT_FACE, "reflect-face", "mirrored about the face")                                \
    X(KATA_REFLECT_NODE, "reflect-node", "mirrored about the first or last point")                 \
    X(KATA_ANTISYMMETRIC_FACE, "antisymmetric-face", "2*VALUE minus what reflect-face gives")      \
    X(KATA_ANTISYMMETRIC_NODE, "antisymmetric-node", "2*VALUE minus what reflect-node gives")      \
    X(KATA_PERIODIC, "periodic", "the value at the other side")

/* v is rounded as a store rounds it, except for KATA_LINEAR; a finite v that becomes infinite by
 * that is refused. 2*v - u is a value of the field's type: for f16, bf16 and unorm8 it is computed
 * in f32 and rounded once; integers wrap. */

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

/* Where the components of a field lie in memory. No result depends on it. */
typedef enum kata_layout {
    KATA_ARRAYS = 0, /* one array per component: kernels that use some of them touch no others */
    KATA_STRUCTURES, /* all components of a point side by side: for kernels that use all of them at
                        few points */
    KATA_BLOCKS      /* 16 points along x of one component, then the same points of the next, and so
                        on: components are near each other, and rows still fill vectors */
} kata_layout;

typedef struct kata_field_options {
    size_t size KATA_SIZE(kata_field_options);
    kata_type type KATA_ZERO;
    KATA_NAMED_BEHIND;
    int components KATA_ZERO;        /* values per point; 0 means 1; at most 1024 */
    kata_rule boundary KATA_ZERO;    /* for every side; kata_boundary_set changes one */
    double boundary_value KATA_ZERO; /* v of the rules above */
    kata_layout layout KATA_ZERO;    /* of several components */
    int staggered KATA_ZERO;         /* dimensions, as KATA_X | KATA_Y: see below */
    int along KATA_ZERO;             /* dimensions that it extends along; 0 means all */
    int ghosts KATA_ZERO;            /* points kept beyond each side; at most 1024 */
    int ghosts_x KATA_ZERO;          /* beyond the two sides of one dimension; 0: as .ghosts */
    int ghosts_y KATA_ZERO;
    int ghosts_z KATA_ZERO;
    bool temporary KATA_ZERO;     /* lives within a time step */
    const char *units KATA_ZERO;  /* "m/s": for files; at most 64 letters; NULL: none */
    kata_location on KATA_ZERO;   /* in an icosahedral grid or a mesh: where its values lie */
    kata_location each KATA_ZERO; /* with one for each of these next to that; 0: one alone */
} KATA_NAMED kata_field_options;

/* Staggered fields have one point more along the dimensions named: index i is the low face of cell
 * i, and the last index, n, the high face of cell n-1. nx, ny, nz in kernels stay the sizes of the
 * grid. Rules at such a side map the field's own points. For the velocity through a wall, whose
 * faces 0 and n lie in the wall, use KATA_ANTISYMMETRIC_NODE: u[-i] = 2*v - u[i], and the values at
 * the wall are the stored u[0] and u[n]. The velocity along a wall is not staggered there; use
 * KATA_ANTISYMMETRIC_FACE. Along a periodic dimension the period is the number of cells, and face n
 * is face 0: the field has n points there (kata_on), and reads at n find u[0]. The value stored at
 * face n stays, hidden, until another rule is set.
 *
 * A field of lower rank extends along some dimensions only, such as a profile along z, which is
 * the same at all x and y. Its only index along the others is 0; rules do not apply there.
 *
 * Ghosts are points beyond a side that has no rule (KATA_NONE). Kernels applied to kata_ghost and
 * kata_put write them. Where the side has a rule they keep their values, hidden. A dimension has
 * .ghosts of them at each of its two sides, or its own number where that is not 0: .ghosts_x = 2,
 * .ghosts_y = 2 leaves none in z. Reads outside are mapped dimension by dimension: at an edge a
 * ghost index stays, and the other index is mapped by its own rule.
 *
 * The values of a temporary field end with the time step (kata_step). Kernels read them where
 * kernels of the same step wrote them before; the host never reads them. A kernel that writes such
 * a field as 'out' writes every component on every path. The field need never have memory.
 *
 * Only fields of equal size can be swapped that are alike in all of this: staggering, dimensions,
 * ghosts, and whether they are temporary. */

/* A new field, all zero (except with KATA_POISON, see above). Messages and files show its name, a C
 * identifier of at most 64 letters. Call it as
 *     kata_field_new(grid, "u", KATA_F64, .components = 9, .boundary = KATA_PERIODIC) */
KATA_API kata_field *kata_field_new_with(kata_grid *grid, const char *name,
                                         const kata_field_options *options);
/* A new field, all zero, with the grid, options and current boundary rules of another. */
KATA_API kata_field *kata_field_like(kata_field *field, const char *name);
typedef struct kata_wrap_options {
    size_t size KATA_SIZE(kata_wrap_options);
    kata_type type KATA_ZERO;
    void *memory KATA_ZERO; /* component 0 of the point (0,0,0) */
    KATA_NAMED_BEHIND;
    int64_t stride[3] KATA_ZERO;        /* from a point to the next in x, y and z, in elements */
    int components KATA_ZERO;           /* as for kata_field_new, and so are the options below */
    int64_t component_stride KATA_ZERO; /* from a component to the next, in elements */
    kata_rule boundary KATA_ZERO;
    double boundary_value KATA_ZERO;
    int staggered KATA_ZERO;
    int along KATA_ZERO;
    int ghosts KATA_ZERO; /* they lie before and behind: point (0,0,0) is not the first in memory */
    int ghosts_x KATA_ZERO;
    int ghosts_y KATA_ZERO;
    int ghosts_z KATA_ZERO;
    bool local KATA_ZERO; /* the memory is of this rank's own points alone (kata_local) */
    const char *units KATA_ZERO;
    kata_location on KATA_ZERO;
    kata_location each KATA_ZERO;
} KATA_NAMED kata_wrap_options;

/* A field on memory that the program owns, with the values that are there. The memory stays valid
 * until the context is closed. Strides may be negative. A stride of 0 stands for plain order: 1 in
 * x; for y, z and components, in this order, the stride before it times the number of points along
 * that dimension, ghosts included. No two values share memory: each stride is at least as long as
 * all that lies within the shorter strides. Memory between values, such as a frame around the grid
 * that is not declared as .ghosts, is neither read nor written. No other field may use the memory.
 *
 * Between calls the memory belongs to Katagami. The program may read it after kata_flush until it
 * applies the next kernel, and may read and write it between kata_map and kata_unmap. kata_swap
 * exchanges the memory of two handles, wrapped or not; kata_map tells where a field lies. When a
 * chain fails, the values that it should have computed become NaN (0), as in any field. `element`
 * is the type of the array's elements: KATA_F16 for uint16_t, -1 when it is not known.
 *
 * With .local the memory begins with the first point of kata_local(grid, staggered, &range), and
 * kata_map counts from there. Values are copied out of it by this call and kata_unmap, and into it
 * by kata_flush and kata_map. Call it as
 *     kata_field_wrap(grid, "u", KATA_F64, array, .stride = {1, 130}, .boundary = KATA_CLAMP) */
KATA_API kata_field *kata_field_wrap_with(kata_grid *grid, const char *name, int element,
                                          const kata_wrap_options *options);
/* Sets the rule of one side for kernels applied from now on. */
KATA_API kata_status kata_boundary_set(kata_field *field, kata_side side, kata_rule rule,
                                       double value);
typedef struct kata_linear_options {
    size_t size KATA_SIZE(kata_linear_options);
    int depth KATA_ZERO; /* points outside that have a value; 1 to 8 */
    int count KATA_ZERO; /* points that each is made of; 1 to 8 */
    const double *weights KATA_ZERO;
    KATA_NAMED_BEHIND;
    double value KATA_ZERO;
} KATA_NAMED kata_linear_options;
/* The same with the rule KATA_LINEAR. `weights` has `depth` rows of count + 1 numbers: at a low
 * side, the value at i = -1-j is
 *     weights[j][count]*value + weights[j][0]*u[0] + ... + weights[j][count-1]*u[count-1]
 * added from left to right, each product and each sum rounded: in f64 for fields of f64, otherwise
 * in f32, to which weights and value are rounded; the result is rounded as a store rounds it. High
 * sides are mirrored. A kernel that reads farther out than `depth`, or a field of fewer points than
 * `count`, is refused when it is applied.
 *
 * Where a read is outside along several dimensions, x comes first: a value beyond a side of y is
 * made of what reads find at the same x, outside or not, and a value beyond a side of z of what
 * they find at the same x and y. If a rule that a read meets is KATA_LINEAR, also at the far side
 * of a thin grid, the others follow this order, too. Each read that a value is made of goes by the
 * rules that it meets itself: where none of these is KATA_LINEAR, from x upwards. Call it as
 *     double w[1][3] = {{-2, 1./3, 8./3}}; // third order: u = 5 on the face at -1/2
 *     kata_boundary_linear(u, KATA_X_LOW, 1, 2, w[0], .value = 5) */
KATA_API kata_status kata_boundary_linear_with(kata_field *field, kata_side side,
                                               const kata_linear_options *options);
/* Exchanges the values of two fields that have the same grid, points, ghosts, type and components.
 * Names and boundary rules stay with the handles; layouts and memory go with the values. Copies
 * nothing. */
KATA_API kata_status kata_swap(kata_field *a, kata_field *b);
/* The same for three different fields: a gets the values of b, b those of c, c those of a. */
KATA_API kata_status kata_rotate(kata_field *a, kata_field *b, kata_field *c);
/* Says that nobody will read a field's values again, so that its memory can serve for something
 * else. A read is an error until all of the field is written: by one kernel that writes every
 * component on every path, applied to all points, by kata_put to all points, or by kata_load. A
 * field that is staggered or has ghosts can be read wherever it was written since, in any of these
 * ways. kata_swap and kata_rotate move the values, and this state with them. */
KATA_API kata_status kata_discard(kata_field *field);

/* ---- ranges ---------------------------------------------------------------------------------- */

/* A half-open box of indices: lo[d] <= index < hi[d]. The functions below make ranges and never
 * fail; the call that is given a wrong range reports it. A kernel may be applied beyond the cells
 * of the grid where all fields that it writes (if it writes none: all fields that it is given) have
 * points or ghosts. kata_get and kata_put take any range within the points and ghosts of the
 * field. */
typedef struct kata_range {
    const kata_grid *grid;
    int64_t lo[3], hi[3];
    int rank;          /* dimensions that the range was made for; checked against the grid's */
    int colors, color; /* of coloured ranges; colors is 0 for all points */
    bool needed;       /* of kata_needed */
    bool local;        /* of kata_local */
} kata_range;

/* No grid: a kernel applied to it runs once, as at the one point of a grid of size 1: ix, iy, iz
 * are 0 and nx, ny, nz 1. Its in, out and inout parameters take scalars, not fields. A program that
 * so computes its time step from a reduction does not end the chain. */
KATA_API kata_range kata_once(kata *k);
/* All cells of the grid: the points of fields that are not staggered. */
KATA_API kata_range kata_all(const kata_grid *grid);
/* All points of a field: one more than the cells along dimensions in which it is staggered (unless
 * its sides there are periodic now), [0, 1) along dimensions that it lacks. */
KATA_API kata_range kata_on(const kata_field *field);
/* The ghosts of a field beyond one side, to the given depth; its points along other dimensions. */
KATA_API kata_range kata_ghost(const kata_field *field, kata_side side, int depth);
/* For kernels that write temporary fields and nothing else, without reductions and asserts: all
 * points that later kernels of the chain read. The range stands for the largest box on which those
 * fields have points or ghosts and all reads of the kernel find values. Points that no later kernel
 * reads may be left out, which no program can tell. */
KATA_API kata_range kata_needed(const kata_grid *grid);
/* All cells at least n away from every side, or beyond the sides if n < 0; may be empty. */
KATA_API kata_range kata_inner(const kata_grid *grid, int64_t n);
/* The layer of the given depth at one side. */
KATA_API kata_range kata_face(const kata_grid *grid, kata_side side, int64_t depth);
/* The points of a range at which (ix + iy + iz) modulo colors is color, 0 <= color < colors <= 64.
 * A kernel applied to them may write a field and read it at points of other colours, as in a
 * red-black sweep. The range has no colour yet. For kernels only: kata_get and kata_put copy whole
 * boxes. */
KATA_API kata_range kata_color(kata_range range, int colors, int color);
/* The box of the given bounds, of a grid of that many dimensions. */
KATA_API kata_range kata_box_1d(const kata_grid *grid, int64_t x_lo, int64_t x_hi);
KATA_API kata_range kata_box_2d(const kata_grid *grid, int64_t x_lo, int64_t x_hi, int64_t y_lo,
                                int64_t y_hi);
KATA_API kata_range kata_box_3d(const kata_grid *grid, int64_t x_lo, int64_t x_hi, int64_t y_lo,
                                int64_t y_hi, int64_t z_lo, int64_t z_hi);

/* ---- host data ------------------------------------------------------------------------------- */

/* Copies the values of a box out of or into a field, in plain order: x fastest, then y, z,
 * component. Values are converted as in C between floating types, and between KATA_UNORM8 and
 * KATA_U8, which are its bytes; any other conversion is an error. KATA_F16 and KATA_BF16, for
 * kata_get_values, are arrays of uint16_t. `count` is the number of values in the array; it must be
 * the number of points in the box times the components. On error kata_get sets the values to NaN
 * (zero for integers), as many as the range has. Call them as
 *     kata_get(field, range, array, count)
 *     kata_put(field, range, array, count) */
KATA_API kata_status kata_get_values(kata_field *field, const kata_range *range, kata_type type,
                                     void *values, int64_t count);
KATA_API kata_status kata_put_values(kata_field *field, const kata_range *range, kata_type type,
                                     const void *values, int64_t count);

/* Where the values of a mapped field lie: component c of the point (x,y,z) is element
 * x*stride[0] + y*stride[1] + z*stride[2] + c*component_stride of `values`. */
typedef struct kata_mapping {
    void *values;
    kata_type type;
    int components;
    int64_t size[3];   /* points in x, y and z; 1 beyond the dimensions */
    int64_t stride[3]; /* in elements, from a point to the next in x, y and z */
    int64_t component_stride;
} kata_mapping;

/* Runs queued kernels and lends the program a field's memory, in *pointer and *mapping, until
 * kata_unmap: for reading when *pointer is a pointer to const, otherwise for reading and writing.
 * Until then any call that uses the field's values is an error. The pointer is to the type that the
 * field is stored in: uint8_t for KATA_UNORM8, uint16_t for KATA_F16 and KATA_BF16. A field of the
 * layout KATA_BLOCKS cannot be mapped. On error *pointer is NULL. `element` is as for
 * kata_field_wrap. Call it as
 *     double *u; kata_mapping at;
 *     kata_map(field, &u, &at)        for reading only: const double *u */
KATA_API kata_status kata_map_element(kata_field *field, int element, bool writable, void *pointer,
                                      kata_mapping *mapping);
/* Gives the memory back; works after an error, too. */
KATA_API kata_status kata_unmap(kata_field *field);

/* ---- scalars --------------------------------------------------------------------------------- */

/* A number of type f64, f32, i64 or i32, zero at first. A kernel's sum, min or max parameter sets
 * it, and a kernel takes it wherever it takes a number of that type. */
KATA_API kata_scalar *kata_scalar_new(kata *k, const char *name, kata_type type);
/* The same with 1 to 2^20 elements, for parameters with as many (sum double r[3], double w[3]), and
 * for points (kata_record). */
KATA_API kata_scalar *kata_scalar_array_new(kata *k, const char *name, kata_type type, int count);
/* Sets all of its elements, for kernels applied from now on. One of integers takes whole numbers of
 * its range. */
KATA_API kata_status kata_scalar_set(kata_scalar *scalar, double value);
/* Reads its value, converted as by kata_get. A scalar of integers can also be had as f64 or f32
 * (rounded to the nearest), one of i32 as i64. NaN (0) on error. Call it as
 *     kata_scalar_get(scalar, &x) */
KATA_API kata_status kata_scalar_get_value(kata_scalar *scalar, kata_type type, void *value);
/* The same for all elements. `count` is the number of values in the array; it must be the number of
 * elements. Call it as   kata_scalar_get_all(scalar, values, count) */
KATA_API kata_status kata_scalar_get_values(kata_scalar *scalar, kata_type type, void *values,
                                            int64_t count);

/* Starts a log of the scalar: from the next application on, every kernel that writes the scalar
 * adds an entry with the new value (with all elements of an array), and does not end the chain.
 * Only the newest `entries` stay; 0 stops the log. Entries made before are forgotten. */
KATA_API kata_status kata_scalar_log(kata_scalar *scalar, int64_t entries);
/* Number of entries, including those that queued kernels will make; does not end the chain. 0 for a
 * scalar without a log and for NULL. */
KATA_API int64_t kata_scalar_log_count(const kata_scalar *scalar);
/* Reads the entries, oldest first; ends the chain. `count` is the number of values in the array; it
 * must be the number of entries times the number of elements. NaN (0) on error, and for entries of
 * a chain that failed. Call it as   kata_scalar_log_get(scalar, values, count) */
KATA_API kata_status kata_scalar_log_values(kata_scalar *scalar, kata_type type, void *values,
                                            int64_t count);

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct kata_module_options {
    size_t size KATA_SIZE(kata_module_options);
    const char *source KATA_ZERO; /* the path of a file, or a text */
    KATA_NAMED_BEHIND;
    const char *constants KATA_ZERO; /* other values for constants that the file declares:
                                        "R=8, C=0.5"; NULL: none */
    const char *folder KATA_ZERO; /* for a text: the folder of the files that it imports; NULL: it
                                     cannot import. A file imports from its own folder */
} KATA_NAMED kata_module_options;

/* Compiles the kernels of a file, or of a text; messages show the given name for the text. NULL on
 * error. Call them as
 *     kata_module_load(k, "wave.kata", .constants = "R=8")
 *     kata_module_from_text(k, "wave", text, .constants = "R=8") */
KATA_API kata_module *kata_module_load_with(kata *k, const kata_module_options *options);
KATA_API kata_module *kata_module_from_text_with(kata *k, const char *name,
                                                 const kata_module_options *options);
/* The text of a module together with all that it imports: kata_module_from_text takes it without
 * any other file. NULL on error. */
KATA_API const char *kata_module_text(kata_module *module);
typedef struct kata_compile_options {
    size_t size KATA_SIZE(kata_compile_options);
    const char *kernel KATA_ZERO; /* NULL: all of the module */
    KATA_NAMED_BEHIND;
    const char *types KATA_ZERO;  /* how fields are stored: "f32" for all fields that can be,
                                     "u=f32,v=f16" for fields of these names; NULL: in the type of
                                     the kernel's parameter */
    kata_layout layout KATA_ZERO; /* for fields with several components */
    bool colors KATA_ZERO;        /* true: for coloured ranges, false: for others */
    bool portable KATA_ZERO;      /* true: for any CPU of this kind, false: for this one */
} KATA_NAMED kata_compile_options;

/* Compiles kernels into the cache folder before they are needed: a program that finds its cache
 * there starts without a compiler. KATA_ERROR_FILE where the folder cannot keep them. A machine
 * without a compiler uses what any compiler has made, if it was made by the same version of
 * Katagami and for the same CPU, or is portable. This does not cover fields on wrapped memory with
 * strides of their own. Call it as
 *     kata_module_compile(module, NULL)
 *     kata_module_compile(module, "step", .types = "u=f32", .layout = KATA_BLOCKS) */
KATA_API kata_status kata_module_compile_with(kata_module *module,
                                              const kata_compile_options *options);
/* The kernel of this name; NULL, with the nearest name in the message, when there is none. */
KATA_API kata_kernel *kata_kernel_find(kata_module *module, const char *name);
/* Number of kernels, including imported ones; 0 for NULL. */
KATA_API int kata_module_kernels(const kata_module *module);
/* Kernel i in the order of the text, those of imported files before it; NULL when there is none. */
KATA_API kata_kernel *kata_module_kernel(kata_module *module, int i);
/* Its name; NULL for NULL. */
KATA_API const char *kata_kernel_name(const kata_kernel *kernel);

typedef enum kata_aspect {
    KATA_ACCESSES, /* the order of levels, intervals, parameters, offsets of reads, writes */
    KATA_IR,       /* the intermediate form, as docs/ir.md describes it */
    KATA_CODE      /* the generated C function, for fields stored in the parameters' types */
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
    KATA_PARAM_MAX,
    KATA_PARAM_WHERE /* a point: at(m) long where[3] */
} kata_param_kind;

typedef struct kata_param {
    const char *name;
    kata_param_kind kind;
    kata_type type; /* computed in; KATA_I32 for bool, KATA_U8 for uchar, KATA_U16 for ushort,
                       KATA_I16 for short, KATA_F64 for real */
    int count;      /* components of a field, elements of a table; 1 otherwise */
    int finer[3];   /* of a field on a finer or coarser grid: its ratio along x, y and z, else 1 */
    int coarser[3];
    int along; /* of a field, or of a reduction into one: the dimensions that it extends along,
                  KATA_X | ...; 0 for all, and for a reduction into a scalar */
} kata_param;

/* Number of parameters. */
KATA_API int kata_kernel_params(const kata_kernel *kernel);
/* Sets *param to parameter i in the order of the text. */
KATA_API kata_status kata_kernel_param(kata_kernel *kernel, int i, kata_param *param);
/* Number of dimensions that a kernel's grids must have; 0 where it takes any. */
KATA_API int kata_kernel_rank(const kata_kernel *kernel);
/* What a kernel computes of an icosahedral grid; KATA_NOWHERE where it computes points. The
 * components of its fields, as kata_kernel_param has them, are counted with colours. */
KATA_API kata_location kata_kernel_on(const kata_kernel *kernel);

/* ---- applying kernels ------------------------------------------------------------------------ */

typedef enum kata_arg_kind {
    KATA_ARG_NONE = 0,
    KATA_ARG_FIELD,
    KATA_ARG_SCALAR,
    KATA_ARG_INTEGER,  /* a signed number, or an unsigned one up to INT64_MAX */
    KATA_ARG_UNSIGNED, /* an unsigned number beyond INT64_MAX */
    KATA_ARG_FLOATING,
    KATA_ARG_TABLE,       /* an array of numbers */
    KATA_ARG_CONST_FIELD, /* a field or scalar that the kernel may read only */
    KATA_ARG_CONST_SCALAR
} kata_arg_kind;

/* One argument of kata_apply_args. The kata_arg_ functions make it. */
typedef struct kata_arg {
    kata_arg_kind kind;
    kata_type type; /* of a table's elements */
    union {
        kata_field *field;
        const kata_field *const_field;
        kata_scalar *scalar;
        const kata_scalar *const_scalar;
        int64_t integer;
        uint64_t unsigned_integer;
        double floating;
        const void *table;
    } as;
    int64_t count; /* elements of a table; -1 where only a pointer is known */
} kata_arg;

/* KATA_ARG calls one of these for each argument, by its type; size is sizeof the expression, used
 * for arrays only. The ones that time loops need most are inline, because a call would double their
 * cost. A const field or scalar suits parameters that the kernel only reads. */
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
KATA_API kata_arg kata_arg_const_field(const kata_field *field, size_t size);
KATA_API kata_arg kata_arg_scalar(kata_scalar *scalar, size_t size);
KATA_API kata_arg kata_arg_const_scalar(const kata_scalar *scalar, size_t size);
KATA_API kata_arg kata_arg_unsigned(uint64_t value, size_t size);
/* Arrays. A plain pointer has the size of a pointer, which does not tell the length; a table
 * parameter refuses it. Give the length with kata_table_of. */
KATA_API kata_arg kata_arg_f64_table(const double *values, size_t size);
KATA_API kata_arg kata_arg_f32_table(const float *values, size_t size);
KATA_API kata_arg kata_arg_i32_table(const int *values, size_t size);
KATA_API kata_arg kata_arg_i64_table(const int64_t *values, size_t size);
KATA_API kata_arg kata_arg_u8_table(const uint8_t *values, size_t size);
KATA_API kata_arg kata_arg_u16_table(const uint16_t *values, size_t size);
KATA_API kata_arg kata_arg_i16_table(const int16_t *values, size_t size);
KATA_API kata_arg kata_arg_as_is(kata_arg arg, size_t size);
/* A table of count numbers of the given type. A table of two dimensions goes row by row:
 * kata_table_of(KATA_F64, m, 9) for double m[3][3]. */
KATA_API kata_arg kata_table_of(kata_type type, const void *values, int64_t count);

/* Queues a kernel for the points of a range. Checks the arguments against the kernel's parameters,
 * in order: a field (with kata_once, a scalar) for in, out and inout; a scalar for sum, min and
 * max; a number or scalar for a number; an array of numbers or scalar array for a table. Fields
 * belong to the range's grid or to another grid of the same size, of which the same indices are
 * used (kata_copy joins grids in any other way); where the kernel declares a ratio, to a grid finer
 * or coarser by that ratio. Reports wrong arguments, and then queues nothing. Where a kernel's
 * levels run in order (forward(z)), each level sees what the levels before it have written. The
 * bounds of a kernel's intervals take numbers, not scalars. Call it as kata_apply(kernel, range,
 * arguments...) with up to 32 arguments. */
KATA_API kata_status kata_apply_args(const kata_kernel *kernel, const kata_range *range, int count,
                                     const kata_arg *args);
/* Notes where in the program the next application is written, for messages; returns its argument.
 * `file` is a text that does not change, such as __FILE__; its first 255 characters are copied. */
KATA_API const kata_kernel *kata_here(const kata_kernel *kernel, const char *file, int line);

/* Queues a kernel that sets all components of a field to a value, at the points of a range. The
 * value is a number or a scalar, of a type that a kernel's parameter of the field's type takes; a
 * number that does not fit in a field of 8 or 16 bits is an error, a scalar wraps there. The range
 * is one that a kernel could be applied to, such as kata_on(field). Call it as
 *     kata_fill(field, range, 0) */
KATA_API kata_status kata_fill_with(kata_field *field, const kata_range *range,
                                    const kata_arg *value, const char *file, int line);

typedef struct kata_copy_options {
    size_t size KATA_SIZE(kata_copy_options);
    const char *file KATA_ZERO; /* where in the program the copy is written, for messages: set by */
    int line KATA_ZERO;         /*   kata_copy; NULL and 0 where that is not known */
    kata_range from_range KATA_ZERO;
    KATA_NAMED_BEHIND;
    int axes[3] KATA_ZERO; /* axes[d]: the dimension of `from` that runs along dimension d of `to`,
                              1 for x, 2 for y, 3 for z; negative: backwards. Dimensions that are
                              not named follow in their order; all zero: x, y, z */
} KATA_NAMED kata_copy_options;

/* Queues a copy: the points of one range of `to` get the values of another range of `from`. The two
 * fields may be of any grids of one context, of different sizes and dimensions; their types and
 * components are equal, and all components are copied. Without .axes, the point of `to` that is i
 * points behind the low corner of its range gets the value that is i points behind the low corner
 * of the other. With .axes = {2, -1}, its point (lo.x + i, lo.y + j) gets the value at
 * (hi.x - 1 - j, lo.y + i): x of `to` runs along y of `from`, y of `to` runs along x of `from`,
 * backwards. The ranges have as many points along such dimensions.
 *
 * Ranges are boxes of points, and of ghosts at sides without a rule, as for kata_put. So a copy
 * fills ghosts with what a neighbouring block holds. A field may be copied to itself where the
 * ranges do not overlap. Like an applied kernel, a copy waits in the queue and takes part in
 * everything that is said of kernels: temporary and discarded fields, KATA_EAGER, records.
 * Errors are fields of different types or components, ranges that reach outside or differ in shape,
 * axes that are named twice, overlaps; then nothing is queued. Call it as
 *     kata_copy(to, to_range, from, from_range)
 *     kata_copy(to, to_range, from, from_range, .axes = {2, -1}) */
KATA_API kata_status kata_copy_with(kata_field *to, const kata_range *to_range,
                                    const kata_field *from, const kata_copy_options *options);

/* ---- points between grid points ---------------------------------------------------------------
 *
 * Sources and receivers lie at any coordinates. Each point has weights at the grid points around
 * it, its targets; docs/points.md has the formulas. */

typedef struct kata_points_options {
    size_t size KATA_SIZE(kata_points_options);
    const double *coordinates KATA_ZERO; /* of each point x, y, z: as many as the grid has
                                            dimensions */
    int64_t count KATA_ZERO;             /* of points; 1 to 2^20 */
    KATA_NAMED_BEHIND;
    double spacing KATA_ZERO;   /* of the grid, in the unit of the coordinates; 0 means 1 */
    double spacing_y KATA_ZERO; /* along y, and along z; 0 means the spacing along x */
    double spacing_z KATA_ZERO;
    double origin[3] KATA_ZERO; /* coordinates of point (0,0,0) of a field that is not staggered */
    int staggered KATA_ZERO;    /* as of the fields that the points are for */
    int reach KATA_ZERO;        /* 0: linear weights of the 2 nearest grid points along each
                                   dimension; 1 to 8: a sinc over so many on each side, in a Kaiser
                                   window (Hicks 2002) */
} KATA_NAMED kata_points_options;

/* Points for fields of a grid. Along each dimension the index of a point is (coordinate - origin) /
 * spacing, and half more where fields are staggered: with neither option coordinates are indices,
 * and whole numbers are grid points. A point with a whole index has one weight there, 1; an index
 * that differs from a whole one by the rounding of its coordinate alone is that one. Points may lie
 * anywhere between the first and the last grid point, also several at one place. A coordinate that
 * is not finite, or a weight outside of the grid's points, is an error. Messages show the name.
 * NULL on error. Call it as
 *     double at[3][2] = {{310, 42.5}, {320, 42.5}, {330, 42.5}};
 *     kata_points_new(grid, "receivers", at[0], 3, .spacing = 10) */
KATA_API kata_points *kata_points_new_with(kata_grid *grid, const char *name,
                                           const kata_points_options *options);

typedef struct kata_target_options {
    size_t size KATA_SIZE(kata_target_options);
    const char *file KATA_ZERO; /* where in the program the call is written, for messages: set by */
    int line KATA_ZERO;         /*   the macros; NULL and 0 where that is not known */
    kata_field *field KATA_ZERO;
    KATA_NAMED_BEHIND;
    const kata_field *scale KATA_ZERO; /* a factor at each target, such as dt*dt/m; NULL: none */
    int component KATA_ZERO;           /* of the field */
} KATA_NAMED kata_target_options;

/* Queues a loop that adds to a field of a floating type. At each target t of each point p it sets
 *     field[t] = field[t] + weight * scale[t] * value[p]
 * Points come one after the other. It computes in double, and rounds each result to the field's
 * type. The values are an array of a number for each point (kata_table_of for a pointer), one
 * number for all, or a scalar of as many elements. Give a series indexed by step as
 * kata_table_of(KATA_F32, &series[step * count], count). The field has the points' grid and
 * staggering; the scale has one component, and may be of lower rank. Both are used at the targets
 * alone. The call waits in the queue like an applied kernel, and copies the values. Call it as
 *     kata_inject(points, values, field)
 *     kata_inject(points, values, field, .scale = m) */
KATA_API kata_status kata_inject_with(kata_points *points, const kata_arg *values,
                                      const kata_target_options *options);
/* Queues the transpose. The scalar, f64 or f32, has an element for each point. Element p becomes
 * the sum, over the targets t of point p, of weight * scale[t] * field[t]. Targets come by
 * ascending z, then y, then x. It adds in double, and rounds once. The scalar lives in the chain:
 * kernels, kata_inject, and its log (kata_scalar_log) take it from there. With several ranks all
 * have all elements. Call it as kata_record(points, scalar, field) */
KATA_API kata_status kata_record_with(kata_points *points, kata_scalar *values,
                                      const kata_target_options *options);

/* ---- steps until ----------------------------------------------------------------------------- */

/* Steps until a scalar is below a limit, or above it. */
typedef struct kata_until {
    int64_t steps; /* made so far; to go on, set it to what kata_resume has returned */
    bool look;     /* the scalar is looked at after the step that is being made */
    bool reached;  /* at the last look it was below (above) the limit */
    double value;  /* of the scalar at the last look; NaN before the first */
    /* What was asked for: */
    kata_scalar *scalar;
    double limit;
    bool above;
    int64_t most, every;
    const char *file;
    int line;
    bool begun;
    int64_t writes_before; /* of the scalar, before the first step */
} kata_until;
typedef struct kata_until_options {
    size_t size KATA_SIZE(kata_until_options);
    bool above KATA_ZERO;       /* set by kata_until_above */
    const char *file KATA_ZERO; /* where in the program the steps are made, for messages: set by */
    int line KATA_ZERO;         /*   the macros; NULL and 0 where that is not known */
    double limit KATA_ZERO;
    KATA_NAMED_BEHIND;
    int64_t most KATA_ZERO;  /* steps at most; at least 1 */
    int64_t every KATA_ZERO; /* the scalar is looked at after so many steps, after twice as many,
                                and so on, and after the last; at least 1 */
} KATA_NAMED kata_until_options;

/* A loop of time steps that ends when a scalar is below a limit (less than it), or above it:
 *     for (kata_until u = kata_until_below(change, 1e-8, .most = 10000, .every = 10);
 *          kata_until_next(&u);) {
 *         kata_apply(step, kata_all(g), a, b, change);
 *         kata_swap(a, b);
 *     }
 * The chain is ended at the looks only. So the result has all steps up to a look, and none more.
 * A kernel that finds the scalar is needed in steps with u.look only. To read u behind the loop,
 * declare it before the loop. An error ends the loop. A limit that is NaN is an error, and so is
 * .most or .every below 1, or an array of scalars; then no step is made. A scalar that nothing
 * has written since the first step is an error at the first look. */
KATA_API kata_until kata_until_with(kata_scalar *scalar, const kata_until_options *options);
/* True if one more step is to be made. Called before each step; a step that the program leaves by
 * `break` does not count. A scalar that is NaN when it is looked at is an error
 * (KATA_ERROR_ASSERT). */
KATA_API bool kata_until_next(kata_until *until);

/* ---- files ----------------------------------------------------------------------------------- */

typedef enum kata_colours {
    KATA_VIRIDIS = 0, /* from dark blue to yellow, perceptually uniform */
    KATA_DIVERGING    /* from blue by grey, at a middle that means something, to red */
} kata_colours;

/* For .component: one component of a field, counted from 0. */
#define KATA_COMPONENT(c) (0x10000 + (c))

typedef struct kata_save_options {
    size_t size KATA_SIZE(kata_save_options);
    const char *path KATA_ZERO; /* its ending decides: .png (2-D), .npy, .vtkhdf, .nc, .h5 (any) */
    KATA_NAMED_BEHIND;
    double low KATA_ZERO;       /* values at the two ends of the colours; both zero: the field's */
    double high KATA_ZERO;      /*   smallest and largest value */
    double spacing KATA_ZERO;   /* grid spacing written to .vtkhdf, .nc, .h5; 0 means 1 */
    double spacing_y KATA_ZERO; /* the spacing along y, and along z; 0 means the spacing along x */
    double spacing_z KATA_ZERO;
    double origin[3] KATA_ZERO; /* written there: coordinates of point (0,0,0) of a field that is
                                   not staggered */
    kata_field *with[15] KATA_ZERO; /* other fields for the same file (.vtkhdf, .nc, .h5) */
    double time KATA_ZERO;          /* of the values, written to .vtkhdf, .nc and .h5 */
    double middle KATA_ZERO;        /* of diverging colours. Without low and high these lie as far
                                       from it as the farthest value */
    kata_colours colours KATA_ZERO; /* of pictures of one component */
    int component KATA_ZERO; /* KATA_COMPONENT(c): that component of the field alone; 0: all */
    bool cells KATA_ZERO;    /* .vtkhdf: fields that are not staggered are values of cells */
    bool behind KATA_ZERO;   /* kata_save: the file is written behind (kata_output_wait) */
    int64_t every KATA_ZERO; /* kata_series_new: of the calls of kata_series_add, the first
                                adds a step, and each so manieth after it; 0 means 1 */
    double frame_seconds KATA_ZERO;  /* .apng: how long each picture is shown; 0 means 0.1 */
    kata_field *positions KATA_ZERO; /* .vtkhdf, .nc of a mesh: where its vertices lie, a field on
                                        them with the components x, y and perhaps z. A sphere has
                                        them */
} KATA_NAMED kata_save_options;

/* Writes a field; the file appears whole or not at all. f16, bf16 and unorm8 are written as f32,
 * except to PNG. An option that has no place in the kind of file is an error (.low, .high, .spacing
 * and .origin have no effect there).
 *
 *   PNG, 8 bits
 *       One component: in .colours, y upwards; NaN is magenta.
 *       2, 3 or 4 components: grey and alpha, RGB or RGBA from 0 to 1, row 0 on top.
 *       They are clamped and rounded to nearest; bytes stay as they are.
 *       A field of lower rank with two dimensions has the first one to the right.
 *       On a sphere's mesh, with one level, a map of 720 x 360 pixels: from 180 degrees west to 180
 *       degrees east, north on top. A pixel has the value of the element that is nearest to it.
 *
 *   NPY (NumPy)
 *       An array of the shape (nx,), (ny, nx) or (nz, ny, nx); n: the field's points.
 *       Several components come first: (components, ny, nx).
 *       A field of lower rank has no axis for the dimensions that it lacks.
 *
 *   HDF5 (.h5)
 *       The same array, as a dataset of the field's name.
 *       Its attributes are time, origin and spacing (x first), and units, if the field has some.
 *
 *   netCDF (.nc)
 *       Of grids the same arrays, as netCDF-4 variables by the conventions CF-1.8. Their axes are
 *       components_N, z, y and x; x_face and so on along which they are staggered. A variable for
 *       each of x to z_face has the coordinates: .origin + index * .spacing, of faces half a
 *       spacing less. Fields have the same points where they share an axis.
 *       Of a mesh, the mesh by the conventions UGRID 1.0, with all its tables of neighbours: fields
 *       on its cells, edges and vertices, and where vertices lie (.positions; a sphere has
 *       degrees). kata_grid_mesh_load reads it again.
 *
 *   VTKHDF
 *       An ImageData of points, for ParaView; with .cells, of cells.
 *       A field that is staggered along x begins half a spacing before the others.
 *       Fields have the same points; or they are values of the cells of one grid (not staggered)
 *       and of their corners (staggered along all dimensions).
 *       Of a mesh an UnstructuredGrid: fields on its cells and vertices; or on its edges, as lines.
 *       Levels are meshes .spacing_z above one another: outwards on a sphere, elsewhere along z.
 *
 * Call it as
 *     kata_save(field, "u.png", .low = 0, .high = 1)
 *     kata_save(w, "vorticity.png", .colours = KATA_DIVERGING)
 *     kata_save(u, "flow.vtkhdf", .spacing = 0.1, .with = {v, p}) */
KATA_API kata_status kata_save_with(kata_field *field, const kata_save_options *options);
/* A series of steps. Takes the options of kata_save. NULL on error. The path tells what it becomes:
 *
 *   "flow.vtkhdf"     one file with the times of its steps, for ParaView
 *   "u.apng"          one animated picture, which browsers show
 *   "u-####.png"      a file for each step, with its number, from 0 on, in the place of '#': of at
 *                     least as many digits. So for each format of kata_save
 *
 * The file appears with the first step. Call it as
 *     kata_series *s = kata_series_new(u, "flow.vtkhdf", .spacing = 0.1, .with = {v, p})
 *     kata_series *s = kata_series_new(u, "u.apng", .low = -1, .high = 1, .every = 20) */
KATA_API kata_series *kata_series_new_with(kata_field *field, const kata_save_options *options);
/* Adds the current values of its fields as a step; the time is above the time of the step before.
 * Ends the chain, copies the values, and returns; the step is written behind (kata_output_wait). A
 * file of several steps is whole between them, and holds those written so far; when a step fails,
 * it stays as it was. */
KATA_API kata_status kata_series_add(kata_series *series, double time);
/* A file of numbers over time, such as a log of scalars, or values at some points: .csv, or .h5
 * with a dataset for each column and one called time. `names` tells the columns, with their units
 * and, where they have several numbers, how many. The file appears with the first rows. NULL on
 * error. Call it as kata_rows *r = kata_rows_new(k, "run.csv", "energy (J), p[100] (Pa)") */
KATA_API kata_rows *kata_rows_new(kata *k, const char *path, const char *names);
/* Adds rows: `values` has all numbers of the first row, then those of the next; `count` is how many
 * there are. Times ascend. The rows are written behind, those that wait together. Call it as
 *     kata_rows_add(r, 1, &time, (double[]){energy, ...}, 101) */
KATA_API kata_status kata_rows_add(kata_rows *to, int64_t rows, const double *times,
                                   const double *values, int64_t count);
/* Waits until all files that are written behind hold what they were given; reports the first error.
 * All ranks call it.
 *
 * A thread writes them while the program goes on, in the order of the calls. Values that wait take
 * an eighth of the memory at most (docs/output.md); a call that would add more waits. An error,
 * such as a full disk, is reported by a later call: of kata_step, kata_flush, kata_output_wait, or
 * one that reads or writes files (on several ranks, by the latter two). kata_close waits for the
 * files and reports an error, the end of the program only waits. A process that is made by fork
 * writes nothing of what its parent has queued. Paths are relative to the folder that the program
 * is in when a file is written. With KATA_EAGER=1 and KATA_BEHIND=0 nothing is written behind. */
KATA_API kata_status kata_output_wait(kata *k);
/* Reads a file into a field of the same size.
 *
 *   PNG
 *       2-D fields with 1 to 4 components, row 0 on top.
 *       The image is converted to grey, grey and alpha, RGB or RGBA.
 *       Each is from 0 to 1, for KATA_U8 from 0 to 255.
 *
 *   NPY
 *       An array of the shape that kata_save writes, in C or Fortran order, of any byte order.
 *
 *   VTKHDF
 *       The data of the field's name, or the only ones; of a series, the last step.
 *
 *   HDF5
 *       An array of the shape as in NPY.
 *       "FILE.h5": the dataset of the field's name, or the only one.
 *       "FILE.h5:/PATH": the dataset PATH; a file that exists may have another ending.
 *
 * Floating-point numbers are converted as in C. Integers must be of the field's type, or fill a
 * wider one that has all their values. Integers of other types count as the next larger type (8
 * bits with a sign: KATA_I16; unsigned 32 bits: KATA_I64; bool: KATA_U8). Bytes (KATA_U8) fill
 * KATA_UNORM8 as they are.
 *
 * Values are read piece by piece, so that little memory is needed beside the field's; only those of
 * images, and of NPY files in Fortran order, are all in memory at once. A file that is refused
 * leaves the field as it was. One that turns out to be damaged when the field has got some of its
 * values leaves it without values, as kata_discard does; wrapped memory then holds some of the
 * file's. */
KATA_API kata_status kata_load(kata_field *field, const char *path);

/* The shape of a field that a file can be loaded into. */
typedef struct kata_shape {
    int rank;        /* dimensions */
    int64_t size[3]; /* points in x, y and z; 1 beyond the dimensions */
    int components;
    kata_type type; /* of the numbers in the file, as kata_load takes them; KATA_F64 for images */
} kata_shape;
/* Sets *shape from the header of a file that kata_load can read, for a field with `components`
 * values per point. 0 means the number in the file; NPY and HDF5 arrays then have components if
 * they have four axes, the first. */
KATA_API kata_status kata_file_shape(kata *k, const char *path, int components, kata_shape *shape);
/* Sets *width and *height, in pixels, from the header of a PNG image. */
KATA_API kata_status kata_png_size(kata *k, const char *path, int64_t *width, int64_t *height);

/* ---- checkpoints ------------------------------------------------------------------------------
 *
 * A program that ended before its last time step goes on from where it was, with the same bits, on
 * any number of threads, ranks and devices: docs/checkpoints.md. */

typedef struct kata_checkpoint_options {
    size_t size KATA_SIZE(kata_checkpoint_options);
    const char *path KATA_ZERO; /* of the file, HDF5; the one before is kept as PATH.before */
    KATA_NAMED_BEHIND;
    int64_t steps KATA_ZERO;  /* write one after every so many time steps; 0: not by steps */
    double minutes KATA_ZERO; /* and when the last is so old; 0: not by time */
    int signal KATA_ZERO;     /* and after this signal has come, such as SIGUSR1; 0: none */
} KATA_NAMED kata_checkpoint_options;

/* From now on checkpoints are written where time steps end (kata_step), one rank or many: all
 * fields but temporary ones, with their rules, all scalars and their logs, the number of steps, and
 * the variables of kata_keep. Fields have names of their own, and so have scalars. The file is on
 * the disk before the one before loses its name. A signal is caught from here on until the context
 * is closed. With neither steps, minutes nor a signal none are written. Call it as
 *     kata_checkpoint(k, "run.h5", .minutes = 10) */
KATA_API kata_status kata_checkpoint_with(kata *k, const kata_checkpoint_options *options);
/* Adds a variable of the program, such as its time, to checkpoints; a name is a C identifier. The
 * variable holds no pointers, has the same value on all ranks, and lives as long as the context.
 *     kata_keep(k, "time", &time, sizeof time) */
KATA_API kata_status kata_keep(kata *k, const char *name, void *variable, size_t bytes);
/* Adds what has to be the same in a run that goes on, such as a parameter of the program, as a
 * text: kata_resume is an error where the checkpoint has another one. Names are of their own, up to
 * 64 letters; texts of up to 4,095 letters are copied.
 *     kata_require(k, "scheme", "upwind") */
KATA_API kata_status kata_require(kata *k, const char *name, const char *value);
/* Reads the checkpoint, if there is one: fields, scalars and variables get the values they had.
 * Returns the number of time steps that were made before, so that a program goes on with
 *     for (int64_t step = kata_resume(k); step < steps && kata_ok(k); step++)
 * 0, with a warning, where there is none, and 0 on error. Steps that ended before it do not count:
 * checkpoints count on from what it returned. It is called after all fields, scalars,
 * logs, series and variables were made, in any order. A checkpoint that is damaged is left, with a
 * warning, for the one before. One of another program is an error: of other fields, or of the same
 * names with other sizes, types or meshes. A series, or a file of rows, that was made goes on in a
 * file of its own: flow.vtkhdf in flow-from-900.vtkhdf, u-##.png in u-from-900-##.png. For .every
 * it counts as if each step had called kata_series_add once. */
KATA_API int64_t kata_resume(kata *k);

/* ---- ranks -----------------------------------------------------------------------------------
 *
 * A program that a launcher of MPI starts several times, as mpirun does, runs on that many ranks:
 * the values of fields are dealt out to them, and each computes its part. It is written as for one.
 * All ranks make the same calls with the same arguments, and get the same values; the first one
 * writes files and messages. docs/ranks.md */

/* The number of this rank, from 0, and how many there are. NULL, before a context is open: as the
 * launcher says. */
KATA_API int kata_rank(const kata *k);
KATA_API int kata_ranks(const kata *k);
/* Sets *range to this rank's own points of a grid; `staggered` as of a field. Each point is one
 * rank's; the last rank along a dimension has the last face. kata_get and kata_put of this range,
 * or of a box in it, take no other rank: one may call them without the others. Queued kernels that
 * use the field are an error then; call kata_flush before. Of a grid that is not dealt out (few
 * points, one dimension, one rank) it is kata_all, and not .local: all ranks make the same calls
 * with it. All ranks call kata_local; it works before there are fields. It is an error where ranks
 * own several boxes (KATA_RANKS=morton): a range is one. */
KATA_API kata_status kata_local(const kata_grid *grid, int staggered, kata_range *range);

/* ---- machine --------------------------------------------------------------------------------- */

/* Version of the library, "MAJOR.MINOR.PATCH". */
KATA_API const char *kata_version(void);

/* A description of this machine; texts live as long as the context. */
typedef struct kata_machine {
    const char *cpu, *simd; /* model name; widest vector extension in use */
    int cores, threads;     /* usable by this process; used by the context */
    int64_t l1, l2, l3;     /* bytes of data cache seen by one core; 0 where there is none */
    int64_t memory;         /* bytes of main memory */
    const char *compiler;   /* path, arguments and version, "" when none was found */
    const char *cache;      /* folder of compiled kernels, "" when none can be used */
    const char *executor;   /* "cpu", "reference", "plan" or "scratchpad" */
    const char *compilers;  /* paths of all compilers found, separated by commas */
    const char *executors;  /* names of all executors, separated by commas */
    const char
        *huge_pages;       /* how the system gives them: "always", "madvise", "never"; "" unknown */
    int64_t huge_page;     /* bytes of one; 0 where there are none */
    bool huge_pages_given; /* memory of fields asks for huge pages, and gets some */
    /* What loops have found out: at so many bytes that a chain touches, and at fewer, stores
     * through the caches were faster; at so many, and at more, streaming stores. 0: not known yet.
     */
    int64_t plain_stores, streaming_stores;
} kata_machine;
/* Sets *machine. */
KATA_API kata_status kata_machine_get(kata *k, kata_machine *machine);

/* Best and median of several short repetitions, per second; 0 where there is nothing to measure. */
typedef struct kata_rate {
    double best, median;
} kata_rate;
/* Measured rates that no program exceeds on this machine. Copies and triads (a = b + 3c) of doubles
 * count the bytes that the loop reads and writes, not bytes that a cache fetches because of a
 * store.
 */
typedef struct kata_ceilings {
    kata_rate copy, triad;                     /* from memory, all threads */
    kata_rate copy_streaming, triad_streaming; /* the same with stores past the caches */
    kata_rate l2_copy_one,
        l2_copy_all; /* in the second-level cache, by one thread, by all threads */
    kata_rate l3_copy_one, l3_copy_all;
    kata_rate fma_f64, fma_f32; /* fused multiply-adds of one core while all work (a*b + c where
                                   there is no such instruction) */
    kata_rate divide_f64, divide_f32; /* the same for divisions */
    kata_rate clock;                  /* cycles of one core */
    double seconds;                   /* time that the measurement took */
} kata_ceilings;
/* Measures the ceilings with the context's threads, in about a second. */
KATA_API kata_status kata_ceilings_measure(kata *k, kata_ceilings *ceilings);

/* ---- devices --------------------------------------------------------------------------------- */

/* An accelerator of this machine that kernels can run on. */
typedef struct kata_device {
    char name[32];                  /* for kata_options.device: "cuda:0", "opencl:0" */
    char model[128], platform[128]; /* "NVIDIA H100 80GB HBM3", "CUDA 12.4" */
    int64_t memory;                 /* bytes */
    int units;                      /* multiprocessors, compute units */
} kata_device;
/* Describes the first devices, at most `room`, by looking for the libraries of all kinds. Returns
 * their number, 0 after an error. */
KATA_API int kata_devices_get(kata *k, kata_device *devices, int room);

/* Measured rates of a device. A copy on the device counts bytes that are read and bytes that are
 * written. */
typedef struct kata_device_ceilings {
    kata_rate copy, put, get; /* on the device; to it, and from it */
    double seconds;           /* time that the measurement took */
} kata_device_ceilings;
/* Measures the ceilings of a device, named as in kata_options.device, in about half a second. */
KATA_API kata_status kata_device_ceilings_measure(kata *k, const char *name,
                                                  kata_device_ceilings *ceilings);

/* ---- wisdom ---------------------------------------------------------------------------------- */

/* While a chain of kernels runs, plans are tried on parts of it. The fastest one is kept in the
 * cache folder, for the processor, the number of threads and the version of the library; when the
 * program is started again, the chain runs by it from the first step on. Results never depend on
 * it. A plan that turns slow is tried again beside others. */

/* What is kept, a line for each kind of chain, for people; as text for kata_wisdom_import. Valid
 * until the context is closed; NULL after an error. */
KATA_API const char *kata_wisdom_list(kata *k);
KATA_API const char *kata_wisdom_export(kata *k);
/* Keeps what a text says that kata_wisdom_export has given, here or on another machine: in the
 * place of all that was kept, or beside it, the faster plan for a chain that both know. A text with
 * a wrong line is an error (KATA_ERROR_FILE), and nothing of it is kept. */
KATA_API kata_status kata_wisdom_import(kata *k, const char *lines, bool replace);
/* Forgets the chains that begin with a kernel of this name; NULL: all. Returns their number. */
KATA_API int kata_wisdom_forget(kata *k, const char *kernel);
/* A text about the cost of one point of a kernel: accesses, halo, operations, bytes, for fields
 * stored in the types of the parameters. With ceilings (NULL: without) also the rate that they
 * allow. Lines, or with `json` one object in one line. docs/explain.md explains the figures. NULL
 * on error. */
KATA_API const char *kata_kernel_explain(kata_kernel *kernel, const kata_ceilings *ceilings,
                                         bool json);

/* ---- partitions ------------------------------------------------------------------------------ */

typedef enum kata_partition_kind {
    KATA_RECTANGLES, /* level by level, so that the largest part is smallest */
    KATA_TENSOR,     /* each dimension cut through the grid; along x at multiples of 512 */
    KATA_MORTON,     /* boxes with powers of two as sides, dealt along the Morton curve */
    KATA_HALVES      /* halved again and again, in proportion to the owners; also for ranks */
} kata_partition_kind;
typedef enum kata_partition_form {
    KATA_PARTITION_TEXT, /* its balance, as a table */
    KATA_PARTITION_JSON, /* one object, also with all boxes and their owners */
    KATA_PARTITION_SVG   /* a picture; of three dimensions, the plane in the middle of z */
} kata_partition_form;
typedef struct kata_partition_options {
    size_t size KATA_SIZE(kata_partition_options);
    int64_t nx KATA_ZERO; /* points of the grid */
    KATA_NAMED_BEHIND;
    int64_t ny KATA_ZERO, nz KATA_ZERO; /* 0: it has no such dimension */
    int levels[4] KATA_ZERO; /* parts, each cut again into as many as follows, as in {16, 1216, 6};
                                0 ends it. At most 2^20 in all */
    int64_t smallest KATA_ZERO; /* points along a side of a rectangle, at least; 0: 1 */
    kata_partition_kind kind KATA_ZERO;
    kata_partition_form form KATA_ZERO;
    bool periodic[3] KATA_ZERO; /* sides that count as surface */
} KATA_NAMED kata_partition_options;
/* Cuts a grid into parts and says how even they are: docs/partition.md. NULL on error.
 *     kata_partition(k, 2048, .ny = 1900, .levels = {16, 1216, 6}) */
KATA_API const char *kata_partition_with(kata *k, const kata_partition_options *options);

#ifdef __cplusplus
}
#include "kata/kata.hpp"
#else
#include "kata/kata_c.h"
#endif

#endif
