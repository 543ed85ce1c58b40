/* Private to codegen: what the kernels of devices share. A thread runs a point, or those of its
 * shape. */
#ifndef CODEGEN_THREAD_H
#define CODEGEN_THREAD_H

#include "codegen/halves.h"

/* ---- row_pointers.c -------------------------------------------------------------------------- */

/* Whether what is read at an offset along y or z may lie at the other end of its field; and the row
 * that is read at offsets along both. */
bool codegen_wraps(const codegen_writer *w, int param, int dimension, int offset);
bool codegen_wraps_row(const codegen_writer *w, int param, const int32_t offset[3]);
/* Where it is along a dimension: so far from an index; at the only one, 0, along one that the field
 * lacks. */
codegen_label codegen_row_place(const codegen_writer *w, int param, int dimension, const char *from,
                                int offset);
/* Of tiles: where results of the thread's first row lie, in the plane that is computed; and what
 * moves that on to the next plane. */
void codegen_walk_rows(const codegen_writer *w, nest *in);
void codegen_walk_on(const codegen_writer *w, nest *in);

/* ---- row_vectors.c: rows that a thread reads and writes as vectors --------------------------- */

/* Whether what is read of a parameter at a row is at hand in an array; and the element of the array
 * for the writer's lane at an offset along x. */
bool codegen_has_vectors(const codegen_writer *w, int param);
void codegen_vector_element(text *out, const codegen_writer *w, const ir_node *node);
/* An index so far from another one in a row: beyond the sides of a row that wraps lies its other
 * end. */
codegen_label codegen_wrapped(const codegen_writer *w, int param, const char *from, int offset);
/* Of a whole chunk, the first rows of fields of which points share what they read; reads all rows
 * of these, or of the other fields; and writes the results new_0, new_1, ... of all lanes. */
void codegen_first_rows(const codegen_writer *w, nest *in);
void codegen_read_vectors(const codegen_writer *w, nest *in, bool shared);
void codegen_write_vectors(const codegen_writer *w, nest *in);

/* "float4": the type of so many elements of a parameter; of one, its own. */
codegen_label codegen_vector_type(const codegen_writer *w, int param, int count);
/* The bytes that a thread reads for all of its points. */
int codegen_bytes_held(const codegen_loop *loop, const codegen_shape *shape);

/* ---- thread_points.c: the points of a thread ------------------------------------------------- */

/* Numbers, views, and what is computed once; the first two by themselves. */
void codegen_thread_numbers(const codegen_writer *w, nest *in);
void codegen_thread_views(const codegen_writer *w, nest *in);
void codegen_thread_head(const codegen_writer *w, nest *in);
/* What all points of a row need. */
void codegen_thread_row(const codegen_writer *w, nest *in);
/* The point at ix, or the vector of points that begins at `at`, of a row: what they give is
 * written, and is in new_0, new_1, .... */
void codegen_thread_points(const codegen_writer *w, nest *in);
/* The first index along a dimension that a thread has: "const ABI_STEP iy = ...". */
void codegen_thread_index(const codegen_writer *w, nest *in, int dimension, const char *name);
/* The condition that a point has failed, so that nothing is written. */
codegen_label codegen_thread_failed(void);
/* Leaves out points of other colours, by a statement. */
void codegen_skip_colors(const codegen_writer *w, nest *in, const char *skip);

/* ---- section_planes.c, section_points.c: the points of a section ----------------------------- */

/* What of a round of a section is known to be inside of the box. */
enum codegen_inside {
    CODEGEN_ANYWHERE,      /* nothing */
    CODEGEN_PLANES_INSIDE, /* its planes along z */
    CODEGEN_ALL_INSIDE     /* all points */
};

/* Bits of codegen_section.mirrors: along x or y, along z. */
enum {
    CODEGEN_MIRRORS_TILES = CODEGEN_MIRRORS_X | CODEGEN_MIRRORS_Y,
    CODEGEN_MIRRORS_Z = ~CODEGEN_MIRRORS_TILES
};

/* How planes are handed on, as the offsets say at which a point reads. Each round of the walk along
 * z brings a plane of every step. */
typedef struct codegen_handing {
    int reach[2]; /* along x and y, in either direction */
    int below;    /* along z */
    int delay;    /* planes that a step is behind the one before it */
    int planes;   /* of a step that a thread keeps of its own points */
    int buffers;  /* and the threads of a group of each other's; 0: they read none */
    int slots;    /* planes that are fetched, or read, in shared memory: a multiple of `planes` */
    int ahead;    /* rounds before its own in which a plane is fetched */
    int halo[2];  /* around a tile, along x and y */
    int tile[2];  /* with it */
} codegen_handing;
codegen_handing codegen_handing_of(const codegen_loop *loop, const codegen_section *s);
/* "step_1_2": what a thread keeps of a plane of a step; 0 is what is read. */
codegen_label codegen_section_plane(int step, int plane);
/* Elements of a plane that threads share; how many there are; and elements around all of them that
 * tiles read beyond their sides. */
int codegen_shared_plane(const codegen_section *s);
int codegen_shared_planes(const codegen_handing *h, const codegen_section *s);
int codegen_shared_beyond(const codegen_handing *h, const codegen_section *s);
/* n modulo `of`, never negative. */
int codegen_rest(int n, int of);
/* Elements of the plane of the writer's step that came in a round, and of one that was fetched; at
 * a lane and a row, seen from the thread's own. And whether the thread has an element itself. */
codegen_label codegen_shared(const codegen_writer *w, int round, int lane, int row);
/* The element of that plane that is `from` behind the thread's first one, which is known when it
 * runs. */
codegen_label codegen_shared_from(const codegen_writer *w, int round);
codegen_label codegen_came(const codegen_writer *w, int round, int lane, int row);
bool codegen_is_own(const codegen_section *s, int lane, int row);
/* What the point of the writer reads at an offset. */
void codegen_section_element(text *out, const codegen_writer *w, const int32_t offset[3]);
/* A round: all steps, one after another. The plane that is read has come in. */
void codegen_section_round(const codegen_writer *w, nest *in);
/* Puts the writer's plane of its round, which may be a round before the first, where others read
 * it. */
void codegen_section_share(const codegen_writer *w, nest *in);
/* Reads the planes that are needed before the first round; begins to read one of a later round; and
 * takes the thread's points of the plane that has come for this round. */
void codegen_section_read_first(const codegen_writer *w, nest *in);
void codegen_section_read(const codegen_writer *w, nest *in);
void codegen_section_take(const codegen_writer *w, nest *in);
/* "outer": reads what the points outside of the box have behind the first step of a round. */
void codegen_section_outer(const codegen_writer *w, nest *in);
/* Writes the plane of the last step. */
void codegen_section_write(const codegen_writer *w, nest *in);

/* ---- section_mirror.c: what lies beyond sides that mirror, or clamp -------------------------- */

/* The plane at `at_z` that the writer's step has made, or those below that stand for it. */
void codegen_section_mirror_plane(const codegen_writer *w, nest *in);
/* The points beyond sides along x and y of all planes of a round, behind its barrier. Ends with a
 * barrier. */
void codegen_section_mirror_points(const codegen_writer *w, nest *in);
extern const char codegen_mirror_words[];

/* ---- tile_shape.c, tile_planes.c, tile_kernel.c: tiles of loops that read far -------------------
 */

/* What the threads of a group share of a field, of a shape with tiles: some planes of the tile,
 * with what its points read around them. It is fetched in pieces of a row. */
typedef struct codegen_tile {
    int param;
    int before[3], behind[3]; /* how far points read */
    bool corners;             /* and points that are neither in a row nor in a column of the tile */
    int size[2];              /* points along x and y */
    int piece;                /* elements */
    int left, pitch;          /* elements of a row in front of the tile, and of a whole one */
} codegen_tile;

enum {
    CODEGEN_TILE_AHEAD = 3, /* rounds between that which fetches planes and that which needs them */
    CODEGEN_TILE_PLANES = CODEGEN_TILE_AHEAD + 1
};
/* Whether a field is in the tile that the writer's group shares, so that its elements are at hand:
 * in facts.c. */
bool codegen_is_of_tile(const codegen_writer *w, int param);
/* The tile of a shape that has one. */
codegen_tile codegen_tile_of(const codegen_loop *loop, const codegen_shape *shape);
/* Elements of a plane that is shared; planes of its own points that a thread keeps. */
int codegen_tile_elements(const codegen_tile *tile);
int codegen_tile_kept(const codegen_tile *tile);
/* How many groups a unit has registers for. */
int codegen_tile_crowd(const codegen_loop *loop, const codegen_shape *shape);
/* Fetches so many elements that follow one another. */
void codegen_tile_piece(const codegen_writer *w, nest *in, int elements, const char *to,
                        const char *from);
/* Where a thread finds the pieces of a plane that it fetches; and a statement for each that fetches
 * it, of the plane that begins at `from`, to the elements from `to` on. */
void codegen_tile_pieces(const codegen_writer *w, nest *in);
void codegen_tile_fetch(const codegen_writer *w, nest *in, const char *from, const char *to);
/* Reads a vector from memory of a kind into an array, from the element `first` on. */
void codegen_tile_vector(const codegen_writer *w, nest *in, const char *array, int first,
                         const char *memory, const char *from);
/* What a thread reads of the plane that the group shares, but its own points. */
void codegen_tile_near(const codegen_writer *w, nest *in);
/* "kept_3": what a thread keeps of a plane of its own points, so far from that which is computed.
 */
codegen_label codegen_tile_plane(const codegen_writer *w, int offset);
/* What the point of the writer reads at an offset. */
void codegen_tile_element(text *out, const codegen_writer *w, const int32_t offset[3]);
/* The body of a kernel. */
void codegen_tile_kernel(const codegen_writer *w, nest *kernel);

/* ---- brick_kernel.c, point_kernel.c, tree_kernel.c, fill_kernel.c, sparse_kernel.c -------------
 */

/* The body of a kernel with reductions. */
void codegen_brick_kernel(const codegen_writer *w, nest *kernel);
/* Whole kernels. */
void codegen_device_function(text *out, const codegen_loop *loop, const codegen_shape *shape,
                             const codegen_dialect *dialect);
void codegen_section_function(text *out, const codegen_loop *loop, const codegen_section *section,
                              const codegen_dialect *dialect);
void codegen_tree_function(text *out, const ir_param *param, const codegen_dialect *dialect);
void codegen_column_function(text *out, const ir_param *param, kata_type storage,
                             const codegen_dialect *dialect);
void codegen_copy_function(text *out, int bytes, const codegen_dialect *dialect);
void codegen_fill_function(text *out, kata_type storage, const codegen_dialect *dialect);
void codegen_sparse_function(text *out, const codegen_sparse *s, const codegen_dialect *dialect);
void codegen_sums_function(text *out, const codegen_dialect *dialect);

#endif
