/* grid: descriptions of index spaces, boxes and boundary rules. Pure data. */
#ifndef GRID_GRID_H
#define GRID_GRID_H

#include "grid/boxes.h"

/* ---- sparse.c: points between those of a grid -------------------------------------------------
 */

enum { GRID_MOST_REACH = 8 };

/* What an index between others is made of along a dimension: weights of the indices from `first`
 * on. Of an index that is whole it is that one, with weight 1. */
typedef struct grid_between {
    int64_t first;
    int count;
    double weight[2 * GRID_MOST_REACH];
} grid_between;
/* Linear weights for a reach of 0. Otherwise a sinc over `reach` indices on both sides, in a Kaiser
 * window (Hicks, Arbitrary source and receiver positioning in finite-difference schemes using
 * Kaiser windowed sinc functions, Geophysics 67, 2002). */
grid_between grid_between_find(double at, int reach);

typedef struct grid_sparse_weight {
    double weight;
    uint32_t point, slot; /* slot: its number among all, by points, then by z, y and x */
} grid_sparse_weight;
typedef struct grid_sparse_target {
    int64_t x, first; /* first: its first weight; those that follow are of ascending points */
} grid_sparse_target;
typedef struct grid_sparse_row {
    int64_t y, z, first; /* first: its first target; those that follow are of ascending x */
} grid_sparse_row;

/* Points at any indices of a grid, and the grid points around each, its targets. The weight of a
 * target is the product of those along x, y and z, from the left. */
typedef struct grid_sparse {
    int reach;
    int64_t count, row_count;
    double (*at)[3]; /* of each point; 0 beyond the rank */
    int64_t *slots;  /* point p has the weights in slots[p] to before slots[p + 1] */
    grid_box box;    /* of all targets */
    /* The same by targets, each list with one more that ends it: */
    grid_sparse_row *rows; /* by z, then by y */
    int64_t *planes;       /* of each z of the box, and the one behind it: its first row */
    grid_sparse_target *targets;
    grid_sparse_weight *weights;
} grid_sparse;

/* Sets all but reach, count and `at`, in memory of the arena. False when memory is out, or there
 * are 2^32 weights or more. */
bool grid_sparse_make(grid_sparse *s, arena *memory);
/* The first row that is not before (y, z); row_count: there is none. */
int64_t grid_sparse_row_from(const grid_sparse *s, int64_t z, int64_t y);

/* ---- partition.c: a grid dealt out to owners ------------------------------------------------- */

enum { GRID_MOST_OWNERS = 1 << 20, GRID_MOST_LEVELS = 4, GRID_BRICK = 512 };

/* Which boxes of a grid belong to which owners: ranks, chips, workers. */
typedef struct grid_partition {
    grid_shape shape;
    int owners;       /* numbered from 0; some may own nothing */
    int count;        /* of boxes: not empty, disjoint; together they are the grid */
    grid_box *boxes;  /* in the order of their owners */
    int *owner;       /* of each box */
    int *first;       /* owner o has the boxes from first[o] to before first[o + 1] */
    int parts[3];     /* of a tensor of cuts: the boxes along each dimension, of owners 0, 1, ...
                         with x counted first; otherwise 0 */
    int64_t *cuts[3]; /* of a tensor: where they begin, and the size of the grid */
    grid_box *hulls;  /* of ranges of boxes, for searches */
    int capacity;
} grid_partition; /* zero-initialised is empty */

/* The functions that make a partition free the one that was there. They return false when memory is
 * out; then it is empty. Sizes are at least 1, with fewer than 2^48 points; owners and counts are
 * from 1 to GRID_MOST_OWNERS. */

/* The tensor of cuts for at most so many owners whose slowest owner costs least: its points, and
 * the points around it, whose values it receives. Cuts lie at multiples of `unit`; GRID_BRICK along
 * x leaves the bricks whole over which sums go. Writes the numbers of parts along dimensions, whose
 * product may be less than `owners`. */
void grid_partition_choose(const grid_shape *shape, int owners, const int64_t unit[3],
                           int parts[3]);
/* Cuts a grid into so many parts along each dimension, at most as many as there are units. Sizes
 * differ by a unit at most, but for a rest at the end; larger ones come first. Owners beyond the
 * parts own nothing. */
bool grid_partition_cut(grid_partition *p, const grid_shape *shape, int owners, const int parts[3],
                        const int64_t unit[3]);
/* Takes boxes and the owner of each. grid_partition_check says whether they are a partition. */
bool grid_partition_given(grid_partition *p, const grid_shape *shape, int owners,
                          const grid_box *boxes, const int *owner, int count);
/* The box that holds an index; -1 where none does. */
int grid_partition_find(const grid_partition *p, const int64_t index[3]);
int64_t grid_partition_points(const grid_partition *p, int owner);
/* Whether the boxes are disjoint, not empty, cover the grid, and are found by their owners; if not,
 * adds to `why` the reason. Also false when memory is out (why->failed). */
bool grid_partition_check(const grid_partition *p, text *why);
void grid_partition_free(grid_partition *p);

/* ---- partition_neighbours.c ------------------------------------------------------------------ */

/* A box that meets the points around another. The grid repeats itself along periodic dimensions:
 * `shift` is how far this copy of it is moved, a multiple of the size. */
typedef struct grid_neighbour {
    int box, owner;
    int64_t shift[3];
    grid_box meets; /* the points around that it holds, moved with it: its own are these minus
                       `shift` */
} grid_neighbour;

typedef struct grid_neighbours {
    grid_neighbour *list;
    size_t count, capacity;
} grid_neighbours; /* zero-initialised is empty */

/* Finds what holds the points around a box of the grid: up to low[d] below and high[d] above it,
 * beyond the sides of periodic dimensions only. Ascending by z, y and x of the copies of the grid,
 * then by box; copies that hold only points of the box itself are left out. Each copy costs a
 * search. False when memory is out. */
bool grid_partition_neighbours(const grid_partition *p, const grid_box *box, const int64_t low[3],
                               const int64_t high[3], const bool periodic[3],
                               grid_neighbours *found);
void grid_neighbours_free(grid_neighbours *found);

/* ---- partition_*.c: kinds of them, and how even they are ------------------------------------- */

/* Into how many parts a grid is cut, and each of them again: 16 chips, 1216 tiles, 6 workers. */
typedef struct grid_levels {
    int count;
    int parts[GRID_MOST_LEVELS];
    int64_t smallest; /* least points along a side of a rectangle, as far as the grid has them */
    bool by_ratio;    /* a rectangle of parts has sides in the grid's ratio, whatever the balance */
} grid_levels;

/* Cuts a grid level by level. Of three levels or more, the first cuts strips along the longest
 * dimension. The last of several cuts strips along the dimension that makes the largest one
 * smallest. Other levels cut rectangles: as many parts along each dimension as make the largest
 * part of the last level smallest. Along a dimension parts differ by a point at most; a level may
 * leave some without points. Numbers of parts multiply to at most `owners`; owner number: the part
 * of the last level counts first. */
bool grid_partition_rectangles(grid_partition *p, const grid_shape *shape, int owners,
                               const grid_levels *levels);
/* Halves a grid again and again, across the longest side (of x, half of it): three of seven owners
 * get three sevenths, four the rest. Cuts lie at multiples of `unit`; some may own nothing. */
bool grid_partition_halves(grid_partition *p, const grid_shape *shape, int owners,
                           const int64_t unit[3]);
/* Deals boxes, whose sides are powers of two and begin at multiples of them, to owners 0 to
 * parts - 1 along the Morton curve, so that their points differ by two small boxes at most. There
 * are about 16 for a part, 2^20 at most; those of an owner that make a larger such box are one. */
bool grid_partition_morton(grid_partition *p, const grid_shape *shape, int owners, int parts);

/* How even a partition is. Each `group` of owners, from 0 on, counts as one. */
typedef struct grid_balance {
    int64_t active;            /* groups with points */
    int64_t smallest, largest; /* points of a group that has some */
    double balance;            /* mean of the active ones / largest: 1 is even */
} grid_balance;
grid_balance grid_partition_balance(const grid_partition *p, int group);
/* The points next to each owner's, across sides of boxes, that others have. False: no memory. */
typedef struct grid_surface {
    int64_t total, largest; /* of all owners, of one */
} grid_surface;
bool grid_partition_surface(const grid_partition *p, const bool periodic[3], grid_surface *surface);

/* ---- boundary.c ------------------------------------------------------------------------------ */

/* The indices of a field along one dimension. */
typedef struct grid_axis {
    int64_t size;   /* points: 0 .. size-1 */
    int64_t cells;  /* of the grid: the period of KATA_PERIODIC; size - 1 where staggered */
    int64_t ghosts; /* points stored beyond each side; read where the side has no rule */
} grid_axis;

typedef struct grid_side_rule {
    kata_rule rule;
    double value;
} grid_side_rule;

enum { GRID_MOST_DEPTH = 8, GRID_MOST_COUNT = 8 };

/* Weights of a side with KATA_LINEAR. Row j makes the value at j + 1 points outside, of `count`
 * points from the side inwards, and with the weight behind them of the rule's value. */
typedef struct grid_weights {
    int depth, count; /* rows, of count + 1 weights */
    double row[GRID_MOST_DEPTH][GRID_MOST_COUNT + 1];
} grid_weights;

/* Rules of a field, indexed by kata_side. */
typedef struct grid_boundary {
    grid_side_rule side[6];
    const grid_weights *weights[6]; /* where the rule is KATA_LINEAR */
} grid_boundary;

extern const grid_boundary grid_boundary_none; /* KATA_NONE at all sides */

/* Where a read at an index of one dimension ends, and the antisymmetric steps on the way there. The
 * value is x = value at `index` (or the constant), then for step k = steps-1 .. 0 (innermost to
 * outermost) x = 2*v - x with v = step_value[k % 2], all in the field's storage type. Over several
 * dimensions: x is mapped first; the first dimension that ends at a constant ends the mapping;
 * steps are undone in the reverse order of dimensions, x last.
 *
 * Or the value is a sum over points (linear.c). If an index ends so along some dimension, the last
 * dimension along which it is outside is mapped first, and undone last: ghosts beyond the sides of
 * x are made first, then of these the ghosts of y, then those of z. */
typedef struct grid_source {
    bool is_constant;
    const double *weights; /* of a sum: `count` of points, and one of `value`; otherwise NULL */
    int count, step;       /* the points: at index, index + step, ... */
    double value;
    int64_t index; /* of a point of the field or a ghost; -1 if constant */
    double constant;
    int64_t steps;
    double step_value[2];
} grid_source;

/* Whether rules, and the bits of their values, are the same. */
bool grid_boundary_equal(const grid_boundary *a, const grid_boundary *b);
/* The rules of all sides, without their values and weights, as one number. */
uint64_t grid_boundary_rules(const grid_boundary *boundary);
/* The same of one side, below 256, without the depth of weights. */
int64_t grid_boundary_side(const grid_boundary *boundary, int side);
/* A copy with weights of its own in `memory`; false when that is out. */
bool grid_boundary_copy(grid_boundary *to, const grid_boundary *from, arena *memory);
bool grid_boundary_is_periodic(const grid_boundary *boundary, int dimension);
/* The indices lo <= i < hi of distinct points: in a periodic dimension the cells, because face n of
 * a staggered field is its face 0. */
void grid_boundary_points(const grid_boundary *boundary, int dimension, const grid_axis *axis,
                          int64_t *lo, int64_t *hi);
/* The same with the ghosts at sides without a rule: the indices that need no rule. */
void grid_boundary_inside(const grid_boundary *boundary, int dimension, const grid_axis *axis,
                          int64_t *lo, int64_t *hi);
/* Maps an index, at most 2^40 outside. Returns false where no rule covers it: KATA_NONE beyond the
 * ghosts, a reflection about the node of a dimension of one point, or KATA_LINEAR deeper than its
 * weights or with fewer points than it sums. The weights stay those of `boundary`. */
bool grid_boundary_map(const grid_boundary *boundary, int dimension, const grid_axis *axis,
                       int64_t index, grid_source *out);
/* antisymmetric.c: undoes the steps of a source on elements found there, which makes them the
 * values that the read finds. */
void grid_undo_steps(const grid_source *source, kata_type stored, void *elements, int64_t count);
/* The last point of a sum, or the only point. */
static inline int64_t grid_source_last(const grid_source *source)
{
    return source->weights ? source->index + (int64_t)source->step * (source->count - 1)
                           : source->index;
}
/* Whether a rule finds nothing where a dimension has so few points. */
bool grid_rule_lacks_points(kata_rule rule, int64_t size);
/* Whether what lies outside is the mirror image of what lies inside, or 2*v minus that. */
bool grid_rule_mirrors(kata_rule rule);
bool grid_rule_is_antisymmetric(kata_rule rule); /* 2*v minus it */
const char *grid_rule_name(kata_rule rule);      /* "KATA_CLAMP" */
const char *grid_side_name(int side);            /* "KATA_X_LOW" */

/* ---- linear.c: sums over points, of several elements at once --------------------------------- */

enum { GRID_SUMS = HOSTILE(64, 3) };

/* In f64 for elements of f64, otherwise in f32. */
typedef union grid_sums {
    double f64[GRID_SUMS];
    float f32[GRID_SUMS];
} grid_sums;

/* Sums of at most GRID_SUMS elements: begin, add the elements of point k = 0, 1, ..., count - 1,
 * store. */
void grid_sums_begin(const grid_source *source, kata_type stored, grid_sums *sums, int64_t count);
void grid_sums_add(const grid_source *source, int k, kata_type stored, const void *elements,
                   grid_sums *sums, int64_t count);
void grid_sums_store(kata_type stored, const grid_sums *sums, void *elements, int64_t count);

/* ---- mesh.c: meshes of cells, edges and vertices by tables ----------------------------------- */

/* The neighbours of one kind of elements of another kind. `of` has the neighbour in slot k of
 * element i at i*width + k, or -1 where there is none; NULL: this is not known. */
typedef struct grid_relation {
    int width;
    uint64_t misses; /* bit k: there is a -1 in slot k */
    bool loose; /* of a cell: made of ascending rows, and not around it in the sense of others */
    const int32_t *of;
} grid_relation;

/* Where elements of a kind lie: place[i] is the place of number i, number[p] what lies at place p.
 * NULL: each at its number. */
typedef struct grid_places {
    const int32_t *place, *number;
} grid_places;

/* How far neighbours lie from where they would if elements of both kinds were strewn alike: from
 * i*n / N, of N elements and n that may be neighbours. lo <= hi. */
typedef struct grid_reach {
    int64_t lo, hi;
} grid_reach;

/* Those of a mesh, once they have been asked for. */
typedef struct grid_reaches {
    bool known[3][3];
    grid_reach of[3][3];
} grid_reaches;

/* Relations and numbers of elements, by kata_location - KATA_CELLS: relation[from][to]. */
typedef struct grid_mesh {
    int64_t count[3];
    grid_relation relation[3][3];
    grid_places places[3];  /* of a mesh that grid_mesh_place has made: it counts places */
    grid_reaches *reaches;  /* NULL: they are found whenever they are asked for */
    int along;              /* the dimension of arrays along which elements lie */
    const char *name[3][3]; /* of the tables, for messages */
    const char *where;      /* the call or file that messages begin with */
} grid_mesh;

enum { GRID_WIDEST = 64 }; /* slots of a relation */

/* The dimension of loops and arrays along which a program's x, y or z (0, 1 or 2) lies; and a box
 * of these as the program counts. NULL: there is no mesh, and they are the same. */
int grid_mesh_axis(const grid_mesh *mesh, int d);
grid_box grid_mesh_shown(const grid_mesh *mesh, const grid_box *box);
/* Checks the tables that a mesh has, derives the others from them as far as they say enough, in
 * `memory`, and checks that all fit together. Without edges, those of cell_vertices are made. */
kata_status grid_mesh_complete(grid_mesh *mesh, arena *memory, messages *m);

/* ---- mesh_rows.c ----------------------------------------------------------------------------- */

/* 1 if element `from` of edges is the first, or has the first, of the two: as ir_orientation. One
 * of `from` and `to` is edges, the other is not. 0 where there is no neighbour. */
int grid_mesh_sign(const grid_mesh *mesh, int from, int to, int64_t element, int slot);

/* ---- mesh_reach.c ---------------------------------------------------------------------------- */

/* The element at i*n / N, of N elements and n of the other kind: it is read where element i has no
 * neighbour. */
int64_t grid_mesh_other(const grid_mesh *mesh, int from, int to, int64_t i);
/* Of a relation that is known. */
grid_reach grid_mesh_reach(const grid_mesh *mesh, int from, int to);
/* The smallest span that has all that is read at neighbours of a span of elements. */
void grid_mesh_span(const grid_mesh *mesh, int from, int to, int64_t *lo, int64_t *hi);

/* ---- mesh_order.c ---------------------------------------------------------------------------- */

typedef enum grid_nearness {
    GRID_NEAR_IF_BETTER, /* unless numbers are about as good */
    GRID_NEAR_ALWAYS
} grid_nearness;

/* Finds places for the elements of a complete mesh, so that neighbours lie near each other. Numbers
 * that are about as good remain places, unless `nearness` says otherwise. */
kata_status grid_mesh_find_places(const grid_mesh *mesh, grid_nearness nearness,
                                  grid_places places[3], arena *memory, messages *m);
/* The same mesh with elements counted by their places. Slots of a row stay in order. */
kata_status grid_mesh_place(const grid_mesh *mesh, const grid_places places[3], grid_mesh *placed,
                            arena *memory, messages *m);

/* ---- mesh_sphere.c, mesh_geometry.c, mesh_map.c ---------------------------------------------- */

/* The mesh of kata_grid_sphere, with cell_vertices alone, and x, y, z of each vertex. */
kata_status grid_mesh_sphere(int root, int bisections, grid_mesh *mesh, double **vertices,
                             arena *memory, messages *m);
/* How many values an element of a kind has: 0 where it has no such geometry. */
int grid_mesh_geometry_values(int kind, kata_geometry what);
void grid_mesh_geometry(const grid_mesh *mesh, const double *vertices, int kind, kata_geometry what,
                        double *values);
/* The nearest elements to pixels of a sphere's map, from the south on. False: memory is out. */
bool grid_mesh_map(const grid_mesh *mesh, const double *vertices, int kind, int64_t width,
                   int64_t height, int32_t *elements);

#endif
