/* codegen: from kernel graphs to C text. abi/abi.h says how its functions are called. */
#ifndef CODEGEN_CODEGEN_H
#define CODEGEN_CODEGEN_H

#include "abi/abi.h"
#include "ir/ir.h"

/* Where element i of a row of one component is. */
typedef enum codegen_rows {
    CODEGEN_CONTIGUOUS, /* at i */
    CODEGEN_TOGETHER,   /* at i times the number of components */
    CODEGEN_BLOCKED,    /* in blocks of ABI_BLOCK elements of each component */
    CODEGEN_STRIDED     /* at i times the view's x */
} codegen_rows;

/* A kernel bound to storage types and layouts. */
typedef struct codegen_loop {
    const ir_kernel *kernel;
    const kata_type *storage; /* for each parameter; only that of fields is read */
    const codegen_rows *rows; /* likewise; NULL: all are contiguous */
    bool colored;             /* visits only the points of a colour */
    bool lines;               /* with #line directives that lead to the kernel's text */
    bool apart;               /* on a device: no two parameters are given one field */
    uint32_t without;         /* passes that are left out: see codegen_read_passes */
    /* On a device, of y and z. Bit p: rows, or planes, that lie beyond those of the field of
     * parameter p are the ones that lie a grid's size away. */
    uint64_t wraps[3];
} codegen_loop;

/* ---- interface.c, skew.c --------------------------------------------------------------------- */

/* The name of a loop's function: "kata_" and a hash of its graph, storage types, rows and passes.
 * Loops that compute the same have the same name. */
void codegen_name(const codegen_loop *loop, char name[64]);
/* The most planes in which a point reads a component at one y; from CODEGEN_HIGH on a function may
 * have code for two planes at once (row_pairs.c). */
enum { CODEGEN_HIGH = HOSTILE(7, 3) };
int codegen_height(const ir_kernel *kernel);
/* Whether a loop takes skewed boxes (see abi_arguments), and how many points its rows are apart: so
 * many that all points run after those that they find new, before those that they find old. */
bool codegen_is_skewed(const ir_kernel *kernel, bool colored);
int codegen_skew(const ir_kernel *kernel);
/* The index of the first view, and of the first number, of a parameter in abi_arguments. For the
 * index param_count: how many views, and how many numbers, there are. */
int codegen_view_index(const ir_kernel *kernel, int param);
int codegen_number_index(const ir_kernel *kernel, int param);
/* The index of the first view through which a parameter is written. */
int codegen_store_index(const ir_kernel *kernel, int param);
/* The index of the first view through which a field is read at indices known only at run time. */
int codegen_level_index(const ir_kernel *kernel, int param);
/* Whether a parameter is a reduction whose points are added to rows: its field extends along x. */
bool codegen_adds_rows(const ir_kernel *kernel, int param);

/* ---- kernel_file.c --------------------------------------------------------------------------- */

/* A whole file: what the functions of loops need, then these. Their names must differ. */
void codegen_file_text(text *out, const codegen_loop *loops, size_t count);

/* ---- passes.c -------------------------------------------------------------------------------- */

/* The function of a loop alone, with the functions that it calls. */
void codegen_function_text(text *out, const codegen_loop *loop);
/* The name of a pass that makes code faster; NULL behind the last. */
const char *codegen_pass_name(int i);
/* The passes in a list of names, "prefetch,pair-y", for codegen_loop.without. False, and *without
 * as it was, when one of them is the name of no pass. */
bool codegen_read_passes(const char *names, uint32_t *without);
/* The passes that a function need not have if all that its chain touches fits the caches, for
 * codegen_loop.without. 0: without them it is not much smaller, or not as fast. */
uint32_t codegen_passes_past_caches(const codegen_loop *loop);
/* Whether the function of a loop is so plain that compilers make it as fast without their later
 * passes: few operations in vectors, nothing that is written is read or reduced, and it neither
 * prefetches nor streams. */
bool codegen_is_plain(const codegen_loop *loop);
/* Whether a pass of this name is among those that are left out. */
bool codegen_leaves_out(uint32_t without, const char *name);

/* ---- point_kernel.c: kernels on devices
 * -------------------------------------------------------------- */

typedef enum codegen_language { CODEGEN_CUDA, CODEGEN_OPENCL } codegen_language;

/* How threads of a device share the points of a loop. A thread runs `vector` points that follow one
 * another along x, whose rows it reads as a whole, and `chunk` of these that follow one another
 * along a dimension. With reductions a group has rows of ABI_LANES threads, each of which takes a
 * lane of a brick. */
typedef struct codegen_shape {
    int threads[3]; /* of a group, along x, y and z; 1 along levels in order */
    bool rows;      /* a thread reads rows as vectors, also of one point */
    int vector, chunk, along;
    int tall;  /* rows along y of a thread of a tile, see tile_shape.c; 0: there are no tiles */
    int depth; /* planes along z through which a group with a tile walks */
    bool wide; /* numbers of elements need 64 bits */
    bool far;  /* what is given by value lies in memory: it is more than arguments may be */
} codegen_shape;

/* The shape that suits a loop, where nothing is known of the device. */
codegen_shape codegen_choose_shape(const codegen_loop *loop, bool wide);
/* Changes it, as far as the loop allows: to at most so many points of a vector, or of a chunk along
 * y (1) or z (2); 0: along the dimension that is best. */
void codegen_change_vector(const codegen_loop *loop, codegen_shape *shape, int vector);
void codegen_change_chunk(const codegen_loop *loop, codegen_shape *shape, int chunk, int along);
/* Whether threads read rows as vectors. */
bool codegen_reads_rows(const codegen_loop *loop);
/* Shapes of which one may be faster for a loop on a box of so many points; the first is the one
 * that suits it. All have the same results. Returns how many there are. */
enum { CODEGEN_MOST_SHAPES = 8 };
int codegen_list_shapes(const codegen_loop *loop, bool wide, const int64_t points[3],
                        codegen_shape shapes[CODEGEN_MOST_SHAPES]);
/* The points along a dimension that a group runs. */
int64_t codegen_group_points(const codegen_shape *shape, int dimension);

/* ---- tile_shape.c: tiles of loops that read far ---------------------------------------------- */

/* Shapes with tiles of which one may be faster for a loop, for groups that may share so many bytes;
 * their depth is left open. None where a loop is not one of those that may run so. */
enum { CODEGEN_MOST_TILES = 4 };
int codegen_list_tiles(const codegen_loop *loop, bool wide, int64_t local,
                       codegen_shape shapes[CODEGEN_MOST_TILES]);
bool codegen_may_tile(const codegen_loop *loop);
/* Makes a shape one with tiles, of so many threads, points of a vector and rows of a thread.
 * False, and the shape as it was, where the loop has none. */
bool codegen_change_tile(const codegen_loop *loop, codegen_shape *shape, const int threads[2],
                         int vector, int tall);
/* The bytes that the threads of a group share; how many groups a unit of a device runs at once, as
 * far as it can be known; and how many planes a group reads beside those of its depth. */
size_t codegen_tile_local(const codegen_loop *loop, const codegen_shape *shape);
int codegen_tile_groups(const codegen_loop *loop, const codegen_shape *shape, int64_t local);
int codegen_tile_before(const codegen_loop *loop, const codegen_shape *shape);

/* ---- point_kernel.c, kernel_file.c: what runs ------------------------------------------------ */

/* Why a loop cannot run on a device: "its levels run in order"; NULL: it can. */
const char *codegen_device_refuses(const codegen_loop *loop);
/* A file with the kernel of a loop, of the name codegen_name, as abi.h says. */
void codegen_device_text(text *out, const codegen_loop *loop, const codegen_shape *shape,
                         codegen_language language);
/* Whether it combines points in bricks: a row of threads runs a brick. And whether it writes what
 * each point contributes instead, as levels run in order, or there is a reduction into a field. */
bool codegen_device_reduces(const codegen_loop *loop);
bool codegen_device_collects(const ir_kernel *kernel);

/* ---- section_shape.c, section_kernel.c: some loops of a chain at once ------------------------ */

/* How a kernel runs loops that follow one another, each of which reads what the one before has
 * written. A group of threads has a tile along x and y, with as much around it as the loops read,
 * and a chunk along z, through which it walks plane by plane. */
typedef struct codegen_section {
    int steps;        /* loops: an odd number, so that the last one writes what the first does */
    int from, to;     /* the parameters that are given the field that is read, and written */
    int threads[2];   /* of a group, along x and y */
    int vector, rows; /* points of a thread along x and y */
    int chunk;        /* planes of a group */
    int mirrors;      /* where values of the field itself are read beyond sides: see below */
    bool wide;        /* numbers of elements need 64 bits */
    bool fetches;     /* planes are fetched rounds ahead, into shared memory, not registers */
} codegen_section;

/* Bits of `mirrors`: along x or y; and along z, by how many planes a plane beyond a side is below,
 * or above, the one whose values it has. */
enum {
    CODEGEN_MIRRORS_X = 1,
    CODEGEN_MIRRORS_Y = 2,
    CODEGEN_MIRRORS_BELOW = 4, /* by one plane; the next bit: by two, ... */
    CODEGEN_MIRRORS_ABOVE = CODEGEN_MIRRORS_BELOW << ABI_MOST_MIRRORED
};

/* Whether the points of a loop may run so, where `from` is the parameter that is given what the
 * loop before has written: it is plain, and writes one field. Sets `to`. */
bool codegen_section_suits(const codegen_loop *loop, int from, int *to);
/* Sections of which one may be faster than its loops one by one, for groups that may share so many
 * bytes; their chunks are left alone. Returns how many there are. */
enum { CODEGEN_MOST_SECTIONS = 8 };
int codegen_list_sections(const codegen_loop *loop, const codegen_section *like, int64_t local,
                          codegen_section sections[CODEGEN_MOST_SECTIONS]);
/* How many groups a unit of a device runs at once, as far as it can be known; and through how many
 * planes more than those of its chunk a group walks. */
int codegen_section_groups(const codegen_loop *loop, const codegen_section *section, int64_t local);
int codegen_section_before(const codegen_loop *loop, const codegen_section *section);
/* The points along a dimension that a group gives. */
int64_t codegen_section_points(const codegen_loop *loop, const codegen_section *section,
                               int dimension);
/* The bytes that the threads of a group share. */
size_t codegen_section_local(const codegen_loop *loop, const codegen_section *section);
/* A file with its kernel, of the name codegen_name: it is given the abi_launch, the abi_place of
 * each field, an abi_section, abi_mirrors along x and y and an abi_mirrored if any mirrors, and the
 * numbers of each loop, one behind the other; then the memory of each field. */
void codegen_section_text(text *out, const codegen_loop *loop, const codegen_section *section,
                          codegen_language language);

/* ---- tree_kernel.c --------------------------------------------------------------------------- */

enum {
    CODEGEN_TREE_THREADS = 256,
    CODEGEN_TREE_SHORT = 8,
    CODEGEN_TREE_HELD = HOSTILE(2048, 16), /* nodes that a group shares */
    CODEGEN_TREE_LEAVES = 8                /* of a node */
};
#define CODEGEN_TREE_NAME "kata_tree"
/* A file with the kernel that combines lists of values of a reduction to the first value of each,
 * by the trees of sweep/reduce.h: along x, then y, then z. It is given an abi_tree and the values,
 * and the results, as abi_value. A group takes a list; of lists that lie along x and have at most
 * CODEGEN_TREE_SHORT values, a thread. A group is fastest where lists have at most
 * half of CODEGEN_TREE_LEAVES values for each node that it shares. */
void codegen_tree_text(text *out, const ir_param *param, codegen_language language);

/* ---- column_kernel.c ------------------------------------------------------------------------- */

enum { CODEGEN_COLUMN_THREADS = 128 }; /* of a group, along x: each has an element */
#define CODEGEN_START_NAME "kata_start"
#define CODEGEN_LANES_NAME "kata_lanes"
#define CODEGEN_COLUMNS_NAME "kata_columns"
#define CODEGEN_COMMIT_NAME "kata_commit"
/* A file with the kernels for what points contribute to a reduction, one abi_value each: the first
 * is given the memory and the number of values, and sets them to what changes nothing. The next two
 * combine bricks as sweep/reduce.h says, along rows (a group of ABI_LANES threads has a brick) and
 * along columns (a thread has a brick): they are given an abi_collected, contributions, and memory
 * for partials. The last is given an abi_commit, results, and the memory of a field. */
void codegen_column_text(text *out, const ir_param *param, kata_type storage,
                         codegen_language language);

/* ---- fill_kernel.c --------------------------------------------------------------------------- */

enum { CODEGEN_FILL_THREADS = 128 }; /* of a group, along x: each has an index */
#define CODEGEN_FILL_NAME "kata_fill_around"
#define CODEGEN_SCATTER_NAME "kata_scatter"
/* A file with these kernels for fields stored as a type: they are given an abi_fill, the field's
 * memory, and tables of abi_outside and abi_piece. */
void codegen_fill_text(text *out, kata_type storage, codegen_language language);

/* ---- copy_kernel.c --------------------------------------------------------------------------- */

enum {
    CODEGEN_COPY_THREADS = 128
}; /* of a group, along x: each has a point of a component, which
      is that of the group along y */
#define CODEGEN_COPY_NAME "kata_copy"
/* A file with the kernel that copies elements of so many bytes between fields: it is given an
 * abi_copy, the memory that is written and the memory that is read. */
void codegen_copy_text(text *out, int bytes, codegen_language language);

/* ---- sparse_kernel.c: loops over points between those of a grid ------------------------------ */

enum { CODEGEN_SPARSE_THREADS = 128 }; /* of a group, along x: each has a target, or a point */
#define CODEGEN_INJECT_NAME "kata_inject"
#define CODEGEN_RECORD_NAME "kata_record"
#define CODEGEN_SUMS_NAME "kata_sums"
typedef struct codegen_sparse {
    kata_type storage, scale; /* of the field, and of the scale; without one, that of the field */
    bool scaled, records;
} codegen_sparse;
/* A file with the kernel that adds to a field, or that writes the products of a sum: it is given an
 * abi_sparse, the memory of the field and of the scale (without one, the field's), abi_target and
 * abi_weight, and the values that are added, or memory for the products. */
void codegen_sparse_text(text *out, const codegen_sparse *s, codegen_language language);
/* A file with the kernel that adds products: it is given the number of points, the number that the
 * first of each one's products has, and where each product is; the products; and memory for sums.
 */
void codegen_sums_text(text *out, codegen_language language);

#endif
