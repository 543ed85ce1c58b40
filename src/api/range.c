/* Makes ranges, which never fails, and checks them for the calls that take them.
 *
 * What time loops call for each kernel returns a literal. A variable would be written member by
 * member and copied in larger pieces, which wait until the members have left the store buffer: a
 * quarter of the time of kata_apply. */
#include "api/api.h"

#include <limits.h>

/* Whether a range has such a side; makes the range wrong if not. */
static bool names_side(kata_range *range, kata_side side)
{
    int d = (int)side / 2;
    bool known = (unsigned)side <= KATA_Z_HIGH;
    if (known && d < range->rank) return true;
    range->rank = known ? d + 1 : -1;
    return false;
}

static inline kata_range whole(const kata_grid *grid)
{
    if (!grid) return (kata_range){0};
    const int64_t *size = grid->shape.size; /* 1 beyond the rank */
    return (kata_range){.grid = grid, .hi = {size[0], size[1], size[2]}, .rank = grid->shape.rank};
}

kata_range kata_all(const kata_grid *grid) { return whole(grid); }

kata_range kata_needed(const kata_grid *grid)
{
    kata_range range = whole(grid);
    range.needed = true;
    return range;
}

kata_range kata_on(const kata_field *field)
{
    if (!field) return (kata_range){0};
    grid_box points = chain_slot_points(field->slot, &field->boundary);
    if (field->grid->mesh) points = api_mesh_shown(field->grid, &points);
    return (kata_range){.grid = field->grid,
                        .lo = {points.lo[0], points.lo[1], points.lo[2]},
                        .hi = {points.hi[0], points.hi[1], points.hi[2]},
                        .rank = field->grid->shape.rank};
}

kata_range kata_ghost(const kata_field *field, kata_side side, int depth)
{
    kata_range range = kata_on(field);
    if (!field || !names_side(&range, side)) return range;
    int d = (int)side / 2;
    depth = depth < 0 ? 0 : depth;
    if (side % 2) {
        range.lo[d] = range.hi[d];
        range.hi[d] += depth;
    } else {
        range.lo[d] = -depth;
        range.hi[d] = 0;
    }
    return range;
}

/* How many points of a dimension kata_inner leaves out at either side. */
static inline int64_t depth_of(const grid_shape *shape, int d, int64_t n)
{
    const int64_t size = shape->size[d];
    if (d >= shape->rank) return 0;
    return n > size ? size : n < -size ? -size : n; /* so that nothing overflows */
}

static inline int64_t end_of(const grid_shape *shape, int d, int64_t depth)
{
    return larger(shape->size[d] - depth, depth);
}

kata_range kata_inner(const kata_grid *grid, int64_t n)
{
    if (!grid) return (kata_range){0};
    const grid_shape *s = &grid->shape;
    const int64_t x = depth_of(s, 0, n), y = depth_of(s, 1, n), z = depth_of(s, 2, n);
    return (kata_range){.grid = grid,
                        .lo = {x, y, z},
                        .hi = {end_of(s, 0, x), end_of(s, 1, y), end_of(s, 2, z)},
                        .rank = s->rank};
}

kata_range kata_face(const kata_grid *grid, kata_side side, int64_t depth)
{
    kata_range range = whole(grid);
    if (!grid || !names_side(&range, side)) return range;
    int d = (int)side / 2;
    int64_t size = range.hi[d];
    int64_t most = (int64_t)1 << 48; /* so that nothing overflows */
    depth = depth < 0 ? 0 : depth > most ? most : depth;
    if (side % 2)
        range.lo[d] = size - depth;
    else
        range.hi[d] = depth;
    return range;
}

enum { COLORED_TWICE = INT_MIN };

kata_range kata_color(kata_range range, int colors, int color)
{
    const bool twice = range.colors > 1;
    range.colors = twice ? COLORED_TWICE : colors;
    range.color = colors ? color : -1; /* 0 of 0 would stand for all points */
    return range;
}

kata_range kata_box_1d(const kata_grid *grid, int64_t x_lo, int64_t x_hi)
{
    return (kata_range){.grid = grid, .lo = {x_lo}, .hi = {x_hi, 1, 1}, .rank = 1};
}

kata_range kata_box_2d(const kata_grid *grid, int64_t x_lo, int64_t x_hi, int64_t y_lo,
                       int64_t y_hi)
{
    return (kata_range){.grid = grid, .lo = {x_lo, y_lo}, .hi = {x_hi, y_hi, 1}, .rank = 2};
}

kata_range kata_box_3d(const kata_grid *grid, int64_t x_lo, int64_t x_hi, int64_t y_lo,
                       int64_t y_hi, int64_t z_lo, int64_t z_hi)
{
    return (kata_range){
        .grid = grid, .lo = {x_lo, y_lo, z_lo}, .hi = {x_hi, y_hi, z_hi}, .rank = 3};
}

static kata_status check_colors(kata *k, const char *call, const kata_range *range)
{
    if (range->colors == 0 && range->color == 0) return KATA_OK;
    if (range->colors == COLORED_TWICE)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: kata_color is given a range that is coloured already", call);
    if (range->colors < 1 || range->colors > 64)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: kata_color is given %d colours, not 1 to 64",
                        call, range->colors);
    if (range->color < 0 || range->color >= range->colors)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: kata_color is given colour %d of %d; it is from 0 to %d", call,
                        range->color, range->colors, range->colors - 1);
    return KATA_OK;
}

static kata_status wrong_box(kata *k, const char *call, const kata_range *range)
{
    text shown = {0};
    grid_box b = api_range_box(range);
    grid_box_print(&shown, &b, range->rank);
    text_add(&shown, " reaches outside the grid of ");
    grid_shape_print(&shown, &range->grid->shape);
    api_fail(k, KATA_ERROR_ARGUMENT, "%s: the range %s points", call, text_get(&shown));
    text_free(&shown);
    return k->messages.status;
}

/* Whether a field can have points that far out. */
static bool is_near(const kata_range *range, int d)
{
    int64_t size = range->grid->shape.size[d];
    return range->lo[d] >= -API_MOST_GHOSTS && range->hi[d] <= size + 1 + API_MOST_GHOSTS;
}

kata_status api_check_range(kata *k, const char *call, const kata_range *range)
{
    if (!range || !range->grid)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the range has no grid", call);
    const grid_shape *shape = &range->grid->shape;
    if (range->rank == 0)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: a grid is given where a range is expected; all its points are "
                        "kata_all(grid)",
                        call);
    if (range->rank < 0)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the range is the face of no side", call);
    if (range->rank != shape->rank)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: the range is for %d dimension%s and its grid has %d", call,
                        range->rank, range->rank > 1 ? "s" : "", shape->rank);
    if (range->grid->k != k)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the range is of another context", call);
    if (range->local)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: kata_local is for kata_get and kata_put; all else is given the same "
                        "range on all ranks, such as kata_all(grid)",
                        call);
    for (int d = 0; d < 3; d++)
        if (range->lo[d] > range->hi[d])
            return api_fail(
                k, KATA_ERROR_ARGUMENT,
                "%s: the range begins at %c = %lld and ends before %c = %lld; bounds are "
                "given as lo, hi of x, then of y, then of z",
                call, "xyz"[d], (long long)range -> lo[d], "xyz"[d], (long long)range -> hi[d]);
    for (int d = 0; d < 3; d++)
        if (range->lo[d] < range->hi[d] && !is_near(range, d)) return wrong_box(k, call, range);
    return check_colors(k, call, range);
}

kata_status api_check_dimensions(const kata_grid *grid, const char *call, const char *option,
                                 int set)
{
    int rank = grid->shape.rank;
    if (set < 0 || set >= 8)
        return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                        "%s: %s is %d, not made of KATA_X, KATA_Y and KATA_Z", call, option, set);
    for (int d = rank; d < 3; d++)
        if (set >> d & 1)
            return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                            "%s: %s has KATA_%c, and the grid has %d dimension%s", call, option,
                            "XYZ"[d], rank, rank > 1 ? "s" : "");
    return KATA_OK;
}
