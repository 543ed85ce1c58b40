/* abi: what generated code and the library must agree on. The library includes this file, and it
 * stands, as text, in front of generated code, which includes no header.
 *
 * A generated function runs one kernel on the points of one box, on one thread:
 *
 *     void NAME(const abi_box *box, const abi_arguments *arguments)
 *
 * A thread keeps the arguments of a loop, and gives them with each box that it runs. All reads of a
 * point happen before its writes. Points are independent, except along the levels of a kernel whose
 * levels run in order: each level sees what the levels before it in its box have written. */
#ifndef ABI_ABI_H
#define ABI_ABI_H

#ifndef ABI_GENERATED
#include <stdint.h>
#endif

/* The address space of fields, and the type of numbers of elements: devices have several. */
#ifndef ABI_GLOBAL
#define ABI_GLOBAL
#endif
#ifndef ABI_STEP
#define ABI_STEP int64_t
#endif

enum {
    /* A reduction combines each ABI_BRICK points of a row by themselves, in ABI_LANES lanes: the
     * point at x in lane x modulo ABI_LANES, from low x to high. A brick begins at a multiple of
     * ABI_BRICK. */
    ABI_BRICK_SHIFT = 9,
    ABI_BRICK = 1 << ABI_BRICK_SHIFT,
    ABI_LANES = 32,
    ABI_BIN_COPIES = 4,
    ABI_COPIED_BINS = 1024,
    /* Points of one component that follow one another in a row that is stored in blocks. */
    ABI_BLOCK_SHIFT = 4,
    ABI_BLOCK = 1 << ABI_BLOCK_SHIFT
};

/* What a function may do. Results depend on ABI_WHOLE_BRICKS only. */
enum {
    ABI_PREFETCH = 1,      /* fields do not fit a cache: prefetch what is read soon */
    ABI_STREAM = 2,        /* write past the caches what is not read */
    ABI_OVERLAP = 4,       /* a point may be computed twice: nothing that is written is read */
    ABI_PLANES = 8,        /* compute two planes at once, where there is code for it */
    ABI_WHOLE_BRICKS = 16, /* the box holds all points of its bricks: reduce each to one number */
    ABI_PREFETCH_WRITTEN = 32 /* with ABI_PREFETCH: what is written soon, too */
};

/* The points from lo to hi - 1 of each dimension; x is the first. */
typedef struct abi_box {
    int64_t lo[3], hi[3];
} abi_box;

/* One component of a field, or the lanes of one element of a reduction. */
typedef struct abi_view {
    ABI_GLOBAL void *origin; /* the element of point (0,0,0), which may lie outside any memory */
    ABI_STEP y, z; /* elements from a row to the next along y, and from a plane to the next */
    ABI_STEP x;    /* elements from a point to the next; only for rows with a stride */
} abi_view;

typedef union abi_value {
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
} abi_value;

/* The lowest and the highest level of a parameter that may be read. Reads of levels farther out
 * find the nearest of these. */
typedef struct abi_levels {
    int64_t lowest, highest;
} abi_levels;

/* The first point at which a check fails. */
typedef struct abi_failure {
    int64_t found; /* 0 until a check fails */
    int64_t point[3];
} abi_failure;

typedef struct abi_arguments {
    /* In the order of parameters: a view for each component of a field and each element of a
     * reduction. An inout field, and an out that is read at other levels, has its views twice: for
     * reads, then for writes. So has a field that is read at indices known only at run time: its
     * second views are those of the field itself, also where the first are those of a copy.
     *
     * A reduction's view holds ABI_LANES elements of the parameter's type for each brick of a row,
     * into which points are combined. With ABI_WHOLE_BRICKS it holds one abi_value for each brick,
     * which receives the result; y and z count elements of the type all the same. For a kernel
     * whose levels along x run in order it holds one element for each point. Of a reduction into a
     * field that extends along x, it holds an element for each x of a row, to which the points of
     * the row add.
     *
     * A sum with bins has one view, with the address of the thread's own bins. Up to
     * ABI_COPIED_BINS of them lie there ABI_BIN_COPIES times, one copy behind the other:
     * neighbouring points, often of one bin, need not wait for one another. What counts is the sum
     * over copies. */
    const abi_view *views;
    /* In the order of parameters: one for each number and each element of a table. */
    const abi_value *numbers;
    /* For each parameter; only for kernels whose levels run in order. */
    const abi_levels *levels;
    int64_t size[3];       /* of the grid */
    int64_t colors, color; /* the points of the range: (ix + iy + iz) modulo colors is color */
    /* Only for kernels with an order along x and other dimensions, but without checks and colours.
     * The box is skewed: each row begins, and ends, so many points before the one that runs before
     * it (see codegen_skew), against the order along x. lo[0] and hi[0] are those of the row that
     * runs first. Points outside ends[0] to ends[1] - 1 do not run. */
    int64_t ends[2];
    /* Only for kernels with checks. The function returns when a row has a point that fails, with
     * the first such point here. Nothing is written to that row and to those after it. */
    abi_failure *failure;
    /* Only for kernels with bins: the points that are added to them. */
    abi_box counted;
    int flags;
    /* For functions of the library's own. */
    const void *own;
} abi_arguments;

typedef void abi_function(const abi_box *box, const abi_arguments *arguments);

/* ---- devices -----------------------------------------------------------------------------------
 *
 * A kernel on a device is given the memory of each field, in the order of parameters; the memory
 * for partials of each element of a reduction; and the memory of flags if it has checks. Before all
 * of them it is given, by value or in memory, an abi_launch, an abi_place for each field, the
 * abi_levels of each parameter if levels run in order, and its numbers (see abi_arguments), one
 * behind the other. */

/* Whether the points of a kernel with checks are checked, written, or both. Where a flag was set,
 * nothing is written any more. */
enum abi_checks { ABI_CHECK_AND_WRITE, ABI_CHECK, ABI_WRITE };

/* What all kernels are given. */
typedef struct abi_launch {
    int64_t lo[3], hi[3];  /* points that run */
    int64_t first[3];      /* the point of the first thread; not above `lo` */
    int64_t size[3];       /* of the grid */
    int64_t colors, color; /* as in abi_arguments */
    int64_t bricks[3];     /* of the partials: bricks of a row, rows, and the first brick; of what
                              points contribute by themselves: points of a row, rows of a plane, and
                              the number that the first has */
    int64_t partials;      /* the number of the first partial */
    int64_t zero;          /* 0, which the compiler does not know */
    int64_t checks, flag;  /* of kernels with checks: what is done, an abi_checks; and the number of
                              the flag that is set where a point fails */
} abi_launch;

/* What a kernel that runs some loops at once is given, too: along each dimension the indices that
 * it may read of the fields that these loops write by turns, and the period of the grid, or 0 where
 * it does not wrap; along z, `low` and `high` are those of the field that is read, and to_low and
 * to_high of the other one. And the planes along z of a group, and the end of those that are
 * written: the points that run may go on behind it, as they may begin before the first one. */
typedef struct abi_section {
    int64_t low[3], high[3], period[3];
    int64_t to_low, to_high;
    int64_t chunk, end;
} abi_section;

/* Where such a kernel finds what lies beyond the sides of these fields along a dimension, whose
 * indices are first .. end - 1: an index i below has the value at sum[0] + turn[0] * i, one above
 * that at sum[1] + turn[1] * i. Where this is i itself, what is there stays. */
typedef struct abi_mirror {
    int64_t first, end, sum[2], turn[2];
} abi_mirror;

/* The same of planes along z: below[i] is the plane whose values those of the plane i + 1 below
 * are, and above[i] the plane that has those of the plane i + 1 below. */
enum { ABI_MOST_MIRRORED = 8 };
typedef struct abi_mirrored {
    int64_t below[ABI_MOST_MIRRORED], above[ABI_MOST_MIRRORED];
} abi_mirrored;

/* Where the value comes from that is read at an index outside of a field along a dimension. The
 * value x found there becomes 2 * value[k % 2] - x for k from steps - 1 to 0. */
enum { ABI_MOST_SUMMED = 8 };
typedef enum abi_outside_kind {
    ABI_NOWHERE,  /* nothing is found */
    ABI_AT_INDEX, /* at an index of the field */
    ABI_CONSTANT, /* always the same */
    ABI_SUM       /* weight[count] * always + weight[0] * that at `index` + ..., `step` apart */
} abi_outside_kind;
typedef struct abi_outside {
    int64_t kind; /* an abi_outside_kind */
    int64_t index, steps, count, step;
    double always, value[2], weight[ABI_MOST_SUMMED + 1];
} abi_outside;

/* Where the elements of a field are in its memory: that of point (0,0,0), and from a row, a plane
 * and a component to the next. Points of a row follow one another. An index of a row below 0, or
 * from `end` on, stands for the one `period` away. */
typedef struct abi_place {
    int64_t at, y, z, component;
    int64_t period, end; /* where rows do not wrap, 0 and more than any index */
} abi_place;

/* Lists of partials, from number `from` on, `apart` values from one to the next. The values of a
 * list lie along dimensions: `count` along each, `step` apart, of which the first has the index
 * `first`, which is not negative. Results begin at number `to`, `to_apart` from one to the next. */
typedef struct abi_tree {
    int64_t lists, from, apart, to, to_apart, first[3], count[3], step[3];
} abi_tree;

/* A box of indices of a component, outside of a field, counted from the origin of an abi_fill.
 * Boxes lie one behind the other: `end` counts their indices up to this one. */
typedef struct abi_piece {
    int64_t end, component, lo[3], size[3];
} abi_piece;

/* What the kernels are given that fill pieces around a field, or put what was written there where
 * it belongs; and for each dimension, which of the abi_outside that they are given belong to
 * inside_lo - 1, inside_lo - 2, ..., and which to inside_hi, inside_hi + 1, ... */
typedef struct abi_fill {
    abi_place place;
    int64_t first, end; /* pieces */
    int64_t before;     /* indices in the pieces before the first */
    int64_t origin[3];
    int64_t inside_lo[3], inside_hi[3], low[3], high[3];
} abi_fill;

/* What the kernels are given that combine what points contribute, each by itself: `x` points of a
 * row, `others` rows or planes, `other` elements apart. `count` points along the dimension of
 * bricks, `step` elements apart, have the indices from `lo` on, and `bricks` bricks, of which
 * `first` is the first. */
typedef struct abi_collected {
    int64_t x, others, other, count, step, lo, bricks, first, backwards;
} abi_collected;

/* What the kernel is given that puts results into a field: the first of `size` elements along each
 * dimension, and the results that are apart from one to the next. */
typedef struct abi_commit {
    int64_t size[3], to, to_step[3], from_step[3], accumulates;
} abi_commit;

/* What the kernel is given that copies between fields: for the points of a box of size `size`, the
 * first element of both fields, and the elements from a point to the next along each dimension, and
 * from a component to the next. */
typedef struct abi_copy {
    int64_t size[3], to, to_step[3], to_component, from, from_step[3], from_component;
} abi_copy;

/* A target of points between those of a grid: its index, and its first weight; those up to the next
 * target's are its own. And a weight, of a point. */
typedef struct abi_target {
    int64_t at[3], first;
} abi_target;
typedef struct abi_weight {
    double weight;
    int64_t point;
} abi_weight;

/* What the kernels are given that run on such targets: of `count` from `first` on, those in a box.
 * An element is at the steps of each dimension from `field`, and so is that of the scale, from
 * `scale`. Products are written from that of the weight `base` on. */
typedef struct abi_sparse {
    int64_t lo[3], hi[3], first, count, base;
    int64_t field, field_step[3], scale, scale_step[3];
} abi_sparse;

/* Instructions of x86-64 that not every processor has. Before the library calls anything in a file
 * of generated code, it looks into abi_needs, which says what the file was compiled for. */
enum { ABI_AVX = 1, ABI_AVX2 = 2, ABI_FMA = 4, ABI_AVX512 = 8 };

#if defined(ABI_GENERATED) && !defined(ABI_DEVICE)
__attribute__((visibility("default"))) const int32_t abi_needs = 0
#ifdef __AVX__
                                                                 | ABI_AVX
#endif
#ifdef __AVX2__
                                                                 | ABI_AVX2
#endif
#ifdef __FMA__
                                                                 | ABI_FMA
#endif
#ifdef __AVX512F__
                                                                 | ABI_AVX512
#endif
    ;
#endif

#endif
