/* kata_copy: checks ranges and axes, and queues a loop whose reads go through an integer transform.
 */
#include "api/apply.h"
#include "legality/legality.h"

#include <stdio.h>
#include <stdlib.h>

enum { LONGEST_CALL = 300 };

typedef struct copy_call {
    kata *k;
    char name[LONGEST_CALL]; /* "main.c:17: kata_copy" */
    kata_field *to;
    const kata_field *from;
    const kata_range *to_range;
    kata_copy_options options;
    const kata_kernel *kernel;
    kata_arg args[2];
    chain_copy map;
    uint64_t hash; /* of its loop, if it was checked before; otherwise 0 */
} copy_call;

/* ---- axes ------------------------------------------------------------------------------------ */

static kata_status refuse_axes(const copy_call *c)
{
    const int *a = c->options.axes;
    return api_fail(c->k, KATA_ERROR_ARGUMENT,
                    "%s: the axes are {%d, %d, %d}; each of 1 (x), 2 (y) and 3 (z) is named once "
                    "at most, with a minus where the copy runs backwards",
                    c->name, a[0], a[1], a[2]);
}

/* Sets axes[d] to the axis of `from` that runs along axis d of `to`, 1 to 3 or negative: the axes
 * that are not named follow in their order. */
static kata_status find_axes(const copy_call *c, int axes[3])
{
    bool named[4] = {false};
    for (int d = 0; d < 3; d++) {
        int axis = c->options.axes[d];
        if (axis < -3 || axis > 3) return refuse_axes(c);
        axis = abs(axis);
        if (axis && named[axis]) return refuse_axes(c);
        named[axis] = true;
    }
    for (int d = 0; d < 3; d++) {
        int next = 1;
        axes[d] = c->options.axes[d];
        while (!axes[d] && named[next]) next++;
        if (axes[d]) continue;
        axes[d] = next;
        named[next] = true;
    }
    return KATA_OK;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The dimension of the program that is dimension d of loops. */
static int shown_dimension(const copy_call *c, int d)
{
    const api_mesh *mesh = c->to->grid->mesh;
    int shown = mesh ? 0 : d;
    while (mesh && mesh->as.axis[shown] != d) shown++;
    return shown;
}

static kata_status refuse_shape(const copy_call *c, const grid_box *to, const grid_box *from, int d,
                                int e)
{
    return api_fail(c->k, KATA_ERROR_ARGUMENT,
                    "%s: %c of '%s' runs along %c of '%s', but the ranges have %lld and %lld "
                    "points there",
                    c->name, "xyz"[shown_dimension(c, d)], c -> to -> name,
                    "xyz"[shown_dimension(c, e)], c -> from -> name,
                    (long long)(to->hi[d] - to->lo[d]), (long long)(from->hi[e] - from->lo[e]));
}

/* Sets the transform that lays one range over the other. */
static kata_status find_map(const copy_call *c, chain_copy *map)
{
    grid_box to = api_field_box(c->to, c->to_range);
    grid_box from = api_field_box(c->from, &c->options.from_range);
    int axes[3];
    kata_status status = find_axes(c, axes);
    for (int d = 0; d < 3 && !status; d++) {
        int e = abs(axes[d]) - 1;
        bool back = axes[d] < 0;
        if (to.hi[d] - to.lo[d] != from.hi[e] - from.lo[e])
            status = refuse_shape(c, &to, &from, d, e);
        map->axis[e] = d;
        map->sign[e] = back ? -1 : 1;
        map->shift[e] = back ? from.hi[e] - 1 + to.lo[d] : from.lo[e] - to.lo[d];
    }
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static kata_status check_fields(const copy_call *c)
{
    if (c->from->k != c->k)
        return api_fail(c->k, KATA_ERROR_ARGUMENT, "%s: the fields are of different contexts",
                        c->name);
    const bool turned = c->options.axes[0] || c->options.axes[1] || c->options.axes[2];
    const bool mesh = c->from->grid->mesh || c->to->grid->mesh;
    if (mesh && (c->from->grid != c->to->grid || turned))
        return api_fail(c->k, KATA_ERROR_ARGUMENT,
                        "%s: between fields of a mesh values are copied as they lie: both are of "
                        "one mesh, and no axes are given",
                        c->name);
    kata_status status = api_check_unmapped(c->to, c->name);
    if (!status) status = api_check_unmapped(c->from, c->name);
    if (!status) status = api_check_points(c->to, c->name, c->to_range);
    return status ? status : api_check_points(c->from, c->name, &c->options.from_range);
}

/* Checks the call, and finds the map. */
static kata_status check(copy_call *c)
{
    static const char part[] = "kata_copy of some of the elements of a mesh";
    const char *file = c->options.file;
    if (file && *file)
        snprintf(c->name, sizeof c->name, "%.255s:%d: kata_copy", file, c->options.line);
    else
        snprintf(c->name, sizeof c->name, "kata_copy");
    kata_status status = check_fields(c);
    if (!status) status = api_mesh_part(c->to_range, c->to->slot->on, part);
    if (!status) status = api_mesh_part(&c->options.from_range, c->from->slot->on, part);
    return status ? status : find_map(c, &c->map);
}

/* Whether a copy like this one was checked before; then its map and hash are known. */
static bool is_known(copy_call *c)
{
    if (c->to->mapped || c->from->mapped) return false;
    c->hash =
        api_copy_cache_find(c->k, c->kernel->kernel, c->to_range, c->args, &c->options, &c->map);
    return c->hash;
}

static kata_status check_loop(const copy_call *c, const chain_loop *loop)
{
    kata *k = c->k;
    if (!loop->copy) return api_no_memory(k);
    kata_status status = c->hash ? KATA_OK : legality_check_copy(loop, &k->messages);
    if (!status && !c->hash) api_copy_cache_add(k, loop, c->to_range, &c->options);
    return status;
}

static kata_status queue_loop(api_application *a, const copy_call *c)
{
    kata *k = a->k;
    const api_mesh *mesh = c->to->grid->mesh;
    chain_loop loop = {.kernel = a->kernel,
                       .shape = mesh ? api_mesh_shape(c->to->grid, c->to->slot->on)
                                     : c->to_range->grid->shape,
                       .mesh = mesh ? &mesh->tables : NULL,
                       .box = api_field_box(c->to, c->to_range),
                       .copy = chain_keep_copy(&k->chain, &c->map),
                       .bindings = a->bindings,
                       .file = a->file ? k->here_copy : NULL,
                       .line = a->line,
                       .hash = c->hash};
    kata_status status = check_loop(c, &loop);
    if (!status) status = chain_append(&k->chain, &loop, &k->messages);
    if (!status && !c->hash) status = api_note_written(k, &loop);
    if (status) api_note_error(k);
    return status;
}

static kata_status queue(const copy_call *c)
{
    kata *k = c->k;
    api_application a = {.k = k, .kernel = c->kernel->kernel, .args = c->args};
    if (c->options.file) kata_here(c->kernel, c->options.file, c->options.line);
    api_location_take(&a);
    kata_status status = api_bind(&a);
    if (!status) status = queue_loop(&a, c);
    bool may_end = k->eager || k->chain.count >= API_CHAIN_LENGTH;
    return status || !may_end ? status : api_queued(k);
}

kata_status kata_copy_with(kata_field *to, const kata_range *to_range, const kata_field *from,
                           const kata_copy_options *given)
{
    static const api_options kind = API_OPTIONS(
        "kata_copy", kata_copy_options, "kata_copy(to, range, from, range, .axes = {2, -1})", axes);
    if (!to) return api_null("kata_copy", "the field that is written");
    if (!from) return api_null("kata_copy", "the field that is read");
    kata *k = to->k;
    if (k->messages.status) return k->messages.status;
    if (!given) return api_fail(k, KATA_ERROR_ARGUMENT, "kata_copy: the options are NULL");
    copy_call c;
    c.k = k;
    c.to = to;
    c.from = from;
    c.to_range = to_range;
    kata_status status = api_options_read(k, &kind, given, &c.options);
    if (status) return status;
    c.kernel = api_built_in(k, "kata_copy", to->slot);
    if (!c.kernel) return k->messages.status;
    c.args[CHAIN_COPY_FROM] = kata_arg_const_field(from, 0);
    c.args[CHAIN_COPY_TO] = kata_arg_field(to, 0);
    if (!is_known(&c)) status = check(&c);
    grid_box box = status ? (grid_box){{0}, {0}} : api_field_box(to, to_range);
    return status || grid_box_is_empty(&box) ? status : queue(&c);
}
