/* Points between those of a grid: from coordinates to indices, with their weights. */
#include "api/sparse.h"

#include <float.h>
#include <math.h>

typedef struct points_call {
    kata *k;
    kata_points *points;
    kata_points_options options;
} points_call;

static kata_status check_options(const points_call *c)
{
    const kata_points_options *o = &c->options;
    kata *k = c->k;
    if (c->points->grid->icosahedral || c->points->grid->mesh)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "kata_points_new: points lie between those of a box; %s is none",
                        c->points->grid->mesh ? "a mesh" : "an icosahedral grid");
    if (!o->coordinates)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_points_new: the coordinates are NULL");
    if (o->count < 1 || o->count > API_MOST_ELEMENTS)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_points_new: count is %lld, not 1 to %d",
                        (long long)o->count, API_MOST_ELEMENTS);
    if (o->reach < 0 || o->reach > GRID_MOST_REACH)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_points_new: reach is %d, not 0 to %d",
                        o->reach, GRID_MOST_REACH);
    int64_t weights = 1; /* of a point */
    for (int d = 0; d < c->points->grid->shape.rank; d++) weights *= 2 * larger(o->reach, 1);
    if (o->count > UINT32_MAX / weights)
        return api_fail(k, KATA_ERROR_LIMIT,
                        "kata_points_new: %lld points of %lld weights each; a set has %lld weights "
                        "at most: make several sets",
                        (long long)o->count, (long long)weights, (long long)UINT32_MAX);
    return api_check_dimensions(c->points->grid, "kata_points_new", "staggered", o->staggered);
}

/* Sets the spacing along each dimension. */
static kata_status find_spacing(const points_call *c, double spacing[3])
{
    const kata_points_options *o = &c->options;
    static const char *const names[] = {"spacing", "spacing_y", "spacing_z"};
    const double given[] = {o->spacing, o->spacing_y, o->spacing_z};
    for (int d = 0; d < 3; d++) {
        spacing[d] = given[d] != 0 ? given[d] : d ? spacing[0] : 1;
        if (!isfinite(spacing[d]) || spacing[d] <= 0)
            return api_fail(c->k, KATA_ERROR_ARGUMENT,
                            "kata_points_new: %s is %g; it is above 0, and 0 means %s", names[d],
                            spacing[d], d ? "as along x" : "1");
        if (!isfinite(o->origin[d]))
            return api_fail(c->k, KATA_ERROR_ARGUMENT, "kata_points_new: the origin along %c is %g",
                            "xyz"[d], o -> origin[d]);
    }
    return KATA_OK;
}

static kata_status refuse_number(const points_call *c, int64_t point, int d, double coordinate)
{
    return api_fail(c->k, KATA_ERROR_ARGUMENT,
                    "kata_points_new: the coordinate %c of point %lld of '%s' is %g", "xyz"[d],
                    (long long)point, c -> points -> name, coordinate);
}

/* Weights of points far outside have no whole numbers as indices. */
static void begin_place(const points_call *c, int64_t point, int d, const grid_between *b)
{
    const kata_points *p = c->points;
    const double at = p->sparse.at[point][d];
    text weights = {0};
    if (b->count)
        text_add(&weights, ", and its weights at %lld to %lld", (long long)b->first,
                 (long long)(b->first + b->count - 1));
    message_begin(&c->k->messages, KATA_ERROR_ARGUMENT,
                  "kata_points_new: point %lld of '%s' lies at index %.10g along %c%s",
                  (long long)point, p->name, at, "xyz"[d], text_get(&weights));
    text_free(&weights);
}

static kata_status refuse_place(const points_call *c, int64_t point, int d)
{
    enum { FAR = 1000000000 };
    const kata_points *p = c->points;
    const double at = p->sparse.at[point][d];
    grid_between b = {.count = 0};
    if (fabs(at) < FAR) b = grid_between_find(at, c->options.reach);
    begin_place(c, point, d, &b);
    message_line(&c->k->messages, "the points along %c are 0 to %lld%s", "xyz"[d],
                 (long long)(p->grid->shape.size[d] + p->staggered[d] - 1),
                 p -> staggered[d] ? ", faces of cells" : "");
    if (at >= 0 && b.count > 2)
        message_line(&c->k->messages, "move it inwards, or give a smaller .reach than %d",
                     c->options.reach);
    else
        message_line(&c->k->messages, "(index = (coordinate - .origin) / .spacing%s)",
                     p->staggered[d] ? " + 1/2" : "");
    message_send(&c->k->messages);
    api_note_error(c->k);
    return c->k->messages.status;
}

/* The index at a coordinate. Where it differs from a whole number by no more than what a program
 * and this function round, it is that number: 0.1 + 2*0.1 is point 2 of those at 0.1, 0.2, 0.3. */
static double index_at(const points_call *c, int d, double coordinate, double spacing)
{
    const double origin = c->options.origin[d];
    const double at = (coordinate - origin) / spacing + (c->points->staggered[d] ? 0.5 : 0);
    const double rounded = 4 * DBL_EPSILON * (fabs(coordinate) + fabs(origin)) / spacing;
    return fabs(at - rint(at)) <= rounded ? rint(at) : at;
}

static kata_status place_point(const points_call *c, int64_t point, const double spacing[3])
{
    const kata_points *p = c->points;
    const int rank = p->grid->shape.rank;
    for (int d = 0; d < rank; d++) {
        const double coordinate = c->options.coordinates[point * rank + d];
        const double at = index_at(c, d, coordinate, spacing[d]);
        if (!isfinite(coordinate)) return refuse_number(c, point, d, coordinate);
        p->sparse.at[point][d] = at;
        const int64_t size = p->grid->shape.size[d] + p->staggered[d];
        const bool near = at > -(double)size && at < 2 * (double)size;
        const grid_between b = grid_between_find(near ? at : 0, c->options.reach);
        if (!near || b.first < 0 || b.first + b.count > size) return refuse_place(c, point, d);
    }
    return KATA_OK;
}

static kata_status place_all(const points_call *c)
{
    kata *k = c->k;
    grid_sparse *s = &c->points->sparse;
    double spacing[3];
    kata_status status = find_spacing(c, spacing);
    s->reach = c->options.reach;
    s->count = c->options.count;
    s->at = status ? NULL : arena_array(&k->memory, (size_t)s->count, sizeof *s->at);
    if (!status && !s->at) status = api_no_memory(k);
    for (int64_t p = 0; p < s->count && !status; p++) status = place_point(c, p, spacing);
    if (!status) exec_note_put(&k->exec, s->at, (size_t)s->count * sizeof *s->at);
    return status || grid_sparse_make(s, &k->memory) ? status : api_no_memory(k);
}

kata_points *kata_points_new_with(kata_grid *grid, const char *name,
                                  const kata_points_options *given)
{
    static const api_options kind =
        API_OPTIONS("kata_points_new", kata_points_options,
                    "kata_points_new(grid, \"sources\", coordinates, count, .spacing = 10)", reach);
    points_call c = {.k = grid ? grid->k : NULL};
    if (!grid) api_null("kata_points_new", "the grid");
    if (!grid || c.k->messages.status) return NULL;
    if (!given) api_fail(c.k, KATA_ERROR_ARGUMENT, "kata_points_new: the options are NULL");
    if (!given || api_options_read(c.k, &kind, given, &c.options)) return NULL;
    name = api_name(c.k, "kata_points_new", name);
    c.points = name ? arena_alloc(&c.k->memory, sizeof *c.points) : NULL;
    if (!c.points) {
        if (name) api_no_memory(c.k);
        return NULL;
    }
    *c.points = (kata_points){.k = c.k, .grid = grid, .name = name};
    for (int d = 0; d < 3; d++) c.points->staggered[d] = c.options.staggered >> d & 1;
    kata_status status = check_options(&c);
    if (!status) status = place_all(&c);
    if (status) api_note_error(c.k);
    return status ? NULL : c.points;
}
