/* Partitions by levels. A level is cut into strips or rectangles (grid.h says which); how many
 * parts a rectangle has along each dimension is found by trying all numbers along x and y, with as
 * many along z (or, without z, along y) as there are parts left. Each is judged by its largest
 * block and the largest part that the levels below make of that; then by the surface of the block.
 *
 * Blocks of a level have few different sizes: the numbers found for them are remembered. */
#include "grid/partition.h"

#include <math.h>
#include <stdlib.h>

enum { REMEMBERED = 64 };

typedef struct choice {
    int64_t size[3];
    int64_t parts[3];
} choice;

typedef struct cutter {
    grid_partition *p;
    const grid_levels *levels;
    int rank;
    int owners[GRID_MOST_LEVELS + 1]; /* below a part of the level before */
    choice remembered[GRID_MOST_LEVELS][REMEMBERED];
    int count[GRID_MOST_LEVELS];
} cutter;

static int64_t ceiling(int64_t a, int64_t b) { return (a - 1) / b + 1; }

static int64_t points(const int64_t size[3]) { return size[0] * size[1] * size[2]; }

static bool is_strips(const cutter *c, int level)
{
    int count = c->levels->count;
    return count > 1 && (level == count - 1 || (count > 2 && level == 0));
}

/* Points of the largest of `parts` strips. */
static int64_t largest_strip(const int64_t size[3], int d, int64_t parts)
{
    return points(size) / size[d] * ceiling(size[d], smaller(parts, size[d]));
}

static void choose_strips(const cutter *c, int level, const int64_t size[3], int64_t parts[3])
{
    int along = c->rank - 1, number = c->levels->parts[level];
    for (int d = c->rank - 2; d >= 0; d--) {
        bool first = level == 0 && c->levels->count > 2;
        if (first ? size[d] > size[along]
                  : largest_strip(size, d, number) < largest_strip(size, along, number))
            along = d;
    }
    for (int d = 0; d < 3; d++) parts[d] = d == along ? smaller(number, size[d]) : 1;
}

static void choose(cutter *c, int level, const int64_t size[3], int64_t parts[3]);

/* Points of the largest part that the levels from this one on make of a block. */
static int64_t largest_part(cutter *c, int level, const int64_t size[3])
{
    int64_t parts[3], block[3];
    if (level == c->levels->count) return points(size);
    choose(c, level, size, parts);
    for (int d = 0; d < 3; d++) block[d] = ceiling(size[d], parts[d]);
    return largest_part(c, level + 1, block);
}

static int64_t surface(const int64_t size[3])
{
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

typedef struct best {
    int64_t largest, surface;
    double distance; /* of the ratio of sides from the grid's */
} best;

/* How far numbers of parts are from the ratio of the sides: the variance of logarithms. */
static double distance(const cutter *c, const int64_t size[3], const int64_t parts[3])
{
    double sum = 0, squares = 0;
    for (int d = 0; d < c->rank; d++) {
        double x = log((double)parts[d] / (double)size[d]);
        sum += x;
        squares += x * x;
    }
    return squares - sum * sum / c->rank;
}

static bool is_nearer(const cutter *c, const int64_t size[3], const int64_t tried[3], best *b)
{
    double found = distance(c, size, tried);
    bool nearer = found < b->distance;
    if (nearer) b->distance = found;
    return nearer;
}

static bool is_better(cutter *c, int level, const int64_t size[3], const int64_t tried[3], best *b)
{
    int64_t block[3];
    for (int d = 0; d < 3; d++) block[d] = ceiling(size[d], tried[d]);
    int64_t largest = largest_part(c, level + 1, block), around = surface(block);
    if (largest > b->largest || (largest == b->largest && around >= b->surface)) return false;
    b->largest = largest;
    b->surface = around;
    return true;
}

/* All numbers of parts, first along x. With the ratio: products that are the number exactly. */
static void try_all(cutter *c, int level, const int64_t size[3], const int64_t most[3],
                    int64_t parts[3])
{
    const bool by_ratio = c->levels->by_ratio;
    const int64_t number = c->levels->parts[level];
    best b = {INT64_MAX, INT64_MAX, INFINITY};
    for (int64_t x = 1; x <= (c->rank > 1 ? smaller(number, most[0]) : number); x++) {
        int64_t rest = number / x;
        for (int64_t y = c->rank == 2 ? rest : 1; y <= (c->rank > 1 ? rest : 1); y++) {
            int64_t tried[3] = {x, y, c->rank == 3 ? rest / y : 1};
            if (by_ratio && points(tried) != number) continue;
            for (int d = 0; d < 3 && !by_ratio; d++) tried[d] = smaller(tried[d], most[d]);
            bool takes =
                by_ratio ? is_nearer(c, size, tried, &b) : is_better(c, level, size, tried, &b);
            for (int d = 0; d < 3 && takes; d++) parts[d] = smaller(tried[d], most[d]);
        }
    }
}

static void choose_rectangle(cutter *c, int level, const int64_t size[3], int64_t parts[3])
{
    int64_t most[3];
    for (int d = 0; d < 3; d++) {
        most[d] = larger(1, size[d] / c->levels->smallest);
        parts[d] = 1;
    }
    try_all(c, level, size, most, parts);
}

static bool recall(const cutter *c, int level, const int64_t size[3], int64_t parts[3])
{
    for (int i = 0; i < c->count[level] && i < REMEMBERED; i++) {
        const choice *r = &c->remembered[level][i];
        if (r->size[0] != size[0] || r->size[1] != size[1] || r->size[2] != size[2]) continue;
        for (int d = 0; d < 3; d++) parts[d] = r->parts[d];
        return true;
    }
    return false;
}

static void choose(cutter *c, int level, const int64_t size[3], int64_t parts[3])
{
    if (is_strips(c, level)) {
        choose_strips(c, level, size, parts);
        return;
    }
    if (recall(c, level, size, parts)) return;
    choose_rectangle(c, level, size, parts);
    choice *r = &c->remembered[level][c->count[level]++ % REMEMBERED];
    for (int d = 0; d < 3; d++) {
        r->size[d] = size[d];
        r->parts[d] = parts[d];
    }
}

static bool cut_box(cutter *c, int level, const grid_box *box, int owner)
{
    int64_t size[3], parts[3], at[3];
    if (level == c->levels->count || level == GRID_MOST_LEVELS)
        return grid_partition_add(c->p, box, owner);
    for (int d = 0; d < 3; d++) size[d] = box->hi[d] - box->lo[d];
    choose(c, level, size, parts);
    for (at[2] = 0; at[2] < parts[2]; at[2]++)
        for (at[1] = 0; at[1] < parts[1]; at[1]++)
            for (at[0] = 0; at[0] < parts[0]; at[0]++) {
                grid_box part;
                for (int d = 0; d < 3; d++) {
                    part.lo[d] = box->lo[d] + grid_part_start(size[d], parts[d], at[d]);
                    part.hi[d] = box->lo[d] + grid_part_start(size[d], parts[d], at[d] + 1);
                }
                if (!cut_box(c, level + 1, &part, owner)) return false;
                owner += c->owners[level + 1];
            }
    return true;
}

bool grid_partition_rectangles(grid_partition *p, const grid_shape *shape, int owners,
                               const grid_levels *levels)
{
    const grid_box all = grid_shape_box(shape);
    cutter *c = calloc(1, sizeof *c);
    bool good = grid_partition_begin(p, shape, owners) && c;
    if (good) {
        *c = (cutter){.p = p, .levels = levels, .rank = shape->rank};
        c->owners[levels->count] = 1;
        for (int l = levels->count; l > 0; l--)
            c->owners[l - 1] = c->owners[l] * levels->parts[l - 1];
        good = cut_box(c, 0, &all, 0) && grid_partition_end(p);
    }
    if (!good) grid_partition_free(p);
    free(c);
    return good;
}
