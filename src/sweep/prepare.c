/* Preparing a loop: its fields, the function's arguments, edges, the interior, reductions.
 *
 * The interior begins and ends at whole vectors where that costs nothing: edges then are one
 * vector wide, computed as fast as one point, and stores of the interior fill whole cache lines. */
#include "analysis/analysis.h"
#include "sweep/reductions.h"
#include "sweep/strand.h"

#include <stdlib.h>

enum { LINE_BYTES = 64 };

/* ---- fields and arguments -------------------------------------------------------------------- */

int sweep_field_first(const chain_loop *loop, int p)
{
    int first = 0;
    while (loop->bindings[first].slot != loop->bindings[p].slot) first++;
    return first;
}

bool sweep_field_describe(const chain_loop *loop, int p, sweep_field *out)
{
    const chain_binding *b = &loop->bindings[p];
    if (!ir_param_is_field(&loop->kernel->params[p])) return false;
    *out = (sweep_field){.param = &loop->kernel->params[p],
                         .slot = *b->slot,
                         .boundary = *b->boundary,
                         .first = sweep_field_first(loop, p),
                         .rows = store_slot_rows(b->slot),
                         .own = b->slot->array->bytes > 0,
                         .memory = b->slot->array->box,
                         .room = b->slot->array->box,
                         .array = b->slot->array};
    return true;
}

static void find_places(sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    for (int p = 0; p < kernel->param_count; p++)
        l->places[p] = (sweep_place){.read = codegen_view_index(kernel, p),
                                     .level = codegen_level_index(kernel, p),
                                     .written = codegen_store_index(kernel, p),
                                     .number = codegen_number_index(kernel, p)};
}

static bool prepare_fields(sweep_loop *l)
{
    for (int p = 0; p < l->loop->kernel->param_count; p++) {
        sweep_field *f = &l->fields[p];
        if (!sweep_field_describe(l->loop, p, f)) continue;
        if (!grid_boundary_copy(&f->boundary, l->loop->bindings[p].boundary, &l->memory))
            return false;
        f->inside = chain_slot_inside(&f->slot, &f->boundary);
        f->reads.touched = f->writes.touched = f->inside;
    }
    return true;
}

/* Whether columns find all levels of each field inside of it: no face is another face. */
static bool has_plain_levels(const sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    int d = kernel->ordered;
    bool plain = true;
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p]))
            plain = plain && l->fields[p].inside.hi[d] >= l->fields[p].slot.shape.size[d];
    return plain;
}

/* A row of checks is passed before it is written: along x and y, and across blocks, levels would be
 * met out of order. */
static bool runs_columns(const sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    bool checks_levels = !kernel->check_count || kernel->ordered == 2;
    return kernel->direction && checks_levels && has_plain_levels(l) &&
           analysis_has_columns(l->loop);
}

static void prepare_levels(sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    int d = kernel->ordered;
    l->columns = runs_columns(l);
    l->levels = kernel->direction && !l->columns;
    sweep_strand_prepare(l);
    l->along_x = kernel->order[0];
    for (int p = 0; p < kernel->param_count; p++) {
        const grid_box *inside = &l->fields[p].inside;
        bool ends = l->columns && ir_param_is_field(&kernel->params[p]);
        l->readable[p] = ends ? (abi_levels){inside->lo[d], inside->hi[d] - 1}
                              : (abi_levels){INT64_MIN, INT64_MAX};
    }
}

static bool take_memory(sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    int params = kernel->param_count;
    size_t views = (size_t)codegen_view_index(kernel, params);
    l->view_count = (int)views;
    l->number_count = codegen_number_index(kernel, params);
    l->fields = arena_array(&l->memory, (size_t)params + 1, sizeof *l->fields);
    l->places = arena_array(&l->memory, (size_t)params + 1, sizeof *l->places);
    l->readable = arena_array(&l->memory, (size_t)params + 1, sizeof *l->readable);
    l->views = arena_array(&l->memory, views + 1, sizeof *l->views);
    l->edge_of_view = arena_array(&l->memory, views + 1, sizeof(const sweep_edge *));
    l->numbers = arena_array(&l->memory, (size_t)l->number_count + 1, sizeof *l->numbers);
    l->reductions = arena_array(&l->memory, views + 1, sizeof *l->reductions);
    l->column_sums = arena_array(&l->memory, views + 1, sizeof *l->column_sums);
    if (!l->column_sums || !l->places) return false;
    return l->fields && l->readable && l->views && l->edge_of_view && l->numbers && l->reductions;
}

/* ---- reductions ------------------------------------------------------------------------------ */

static grid_box bricks_of(const grid_box *box)
{
    grid_box bricks = *box;
    if (grid_box_is_empty(box)) return bricks;
    bricks.lo[0] = sweep_brick(box->lo[0]);
    bricks.hi[0] = sweep_brick(box->hi[0] - 1) + 1;
    return bricks;
}

static bool add_reduction(sweep_loop *l, int p, int element)
{
    size_t partials = (size_t)grid_box_points(&l->bricks);
    size_t points = (size_t)grid_box_points(&l->like.box);
    sweep_reduction *r = &l->reductions[l->reduction_count++];
    *r = (sweep_reduction){.param = p, .element = element};
    r->view = codegen_view_index(l->loop->kernel, p) + element;
    if (l->manner.lent) return true;
    r->partials = arena_array(&l->memory, partials, sizeof *r->partials);
    if (l->collects) r->contributions = arena_array(&l->memory, points, sizeof(ir_value));
    return r->partials && (!l->collects || r->contributions);
}

static bool prepare_reductions(sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    l->bricks = bricks_of(&l->like.box);
    l->collects = l->manner.cut || l->along_x;
    for (int p = 0; p < kernel->param_count; p++) {
        l->gathers = l->gathers || ir_param_is_column_reduction(&kernel->params[p]);
        bool reduces = ir_param_is_reduction(&kernel->params[p]) && !ir_has_bins(kernel, p) &&
                       !l->loop->sparse;
        bool rows = codegen_adds_rows(kernel, p);
        for (int e = 0; reduces && e < kernel->params[p].count; e++)
            if (!(rows ? sweep_add_column_sum(l, p, e) : add_reduction(l, p, e))) return false;
    }
    if (!sweep_prepare_bins(l)) return false;
    l->reuse.reduces = l->reduction_count > 0;
    return true;
}

/* ---- the interior ---------------------------------------------------------------------------- */

/* Points of a row that fill a cache line, of the narrowest field; 1 when there is none. */
static int64_t points_per_line(const sweep_loop *l)
{
    int64_t points = 1;
    for (int p = 0; p < l->loop->kernel->param_count; p++)
        if (ir_param_is_field(&l->loop->kernel->params[p]))
            points = larger(points, LINE_BYTES / store_type_bytes(l->fields[p].slot.type));
    return points;
}

static void prepare_interior(sweep_loop *l)
{
    const grid_box *box = &l->like.box;
    int64_t line = points_per_line(l);
    int d = l->loop->kernel->ordered;
    l->inside = analysis_interior(l->loop);
    grid_box aligned = l->inside;
    if (aligned.lo[0] > box->lo[0]) aligned.lo[0] = -floor_divide(-aligned.lo[0], line) * line;
    if (aligned.hi[0] < box->hi[0]) aligned.hi[0] = floor_divide(aligned.hi[0], line) * line;
    l->interior = !l->edge_count ? *box : grid_box_is_empty(&aligned) ? l->inside : aligned;
    if (!l->columns) return;
    l->interior.lo[d] = l->inside.lo[d] = box->lo[d];
    l->interior.hi[d] = l->inside.hi[d] = box->hi[d];
}

/* ---- how ------------------------------------------------------------------------------------- */

/* Whether a loop reads what it writes, at the same points or at others; `renamed`: by another
 * parameter. */
static bool reads_written(const sweep_loop *l, bool renamed)
{
    const ir_kernel *kernel = l->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++)
        for (int p = 0; p < kernel->param_count; p++) {
            int read = kernel->accesses[i].param;
            if (ir_param_is_written_field(&kernel->params[p]) && !(renamed && read == p) &&
                l->fields[p].first == l->fields[read].first)
                return true;
        }
    return false;
}

/* What threads of one level read at its edges must not be what others write meanwhile. */
static bool copies_written(const sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    bool copies = false;
    for (int e = 0; e < l->edge_count && l->levels; e++)
        for (int i = 0; i < kernel->store_count; i++) {
            const ir_store *s = &kernel->stores[i];
            bool field = ir_param_is_field(&kernel->params[s->param]);
            copies = copies || (field && s->component == l->edges[e].component &&
                                l->fields[s->param].first == l->edges[e].field->first);
        }
    return copies;
}

/* Of fields on finer grids, those of all children; of fields on coarser grids nothing worth
 * counting. */
static int64_t bytes_per_point(const sweep_loop *l)
{
    grid_box grid = grid_shape_box(&l->like.shape);
    int64_t bytes = 0;
    for (int p = 0; p < l->loop->kernel->param_count; p++) {
        if (!ir_param_is_field(&l->loop->kernel->params[p])) continue;
        const chain_slot *slot = &l->fields[p].slot;
        grid_box field = grid_shape_box(&slot->shape);
        bytes += (int64_t)l->loop->kernel->params[p].count * store_type_bytes(slot->type) *
                 (grid_box_points(&field) / grid_box_points(&grid));
    }
    return bytes;
}

/* Rows of fields that are written side by side. */
static int written_streams(const sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    int count = 0;
    for (int i = 0; i < kernel->store_count; i++)
        count += ir_param_is_written_field(&kernel->params[kernel->stores[i].param]);
    return count;
}

/* How the function may go about it. A node counts as a byte: what points compute is work, too, and
 * some loops have no fields of their grid's rank. */
static void prepare_how(sweep_loop *l)
{
    l->bytes = bytes_per_point(l);
    l->work = larger(l->bytes, (int64_t)l->loop->kernel->graph.count);
    l->bands = sweep_has_bands(l);
    l->pipelined = l->bands && sweep_overlaps_bands(l);
    l->alone = copies_written(l) && !l->pipelined;
    l->far = sweep_edge_may_be_far(l->edges, l->edge_count);
    l->high = codegen_height(l->loop->kernel) >= CODEGEN_HIGH;
    l->streams = reads_written(l, true) ? 0 : written_streams(l);
    if (!reads_written(l, false) && !l->column_count) l->usual_flags |= ABI_OVERLAP;
}

/* ---- threads --------------------------------------------------------------------------------- */

static bool prepare_share(sweep_loop *l, int t)
{
    sweep_share *share = &l->shares[t];
    const chain_loop *like = &l->like;
    share->thread = &l->workers->threads[t];
    share->loop = l;
    share->views = arena_array(&l->memory, (size_t)l->view_count + 1, sizeof *share->views);
    if (like->kernel->check_count) share->fault = arena_array(&l->memory, 1, sizeof *share->fault);
    share->arguments = (abi_arguments){.views = share->views,
                                       .numbers = (const abi_value *)l->numbers,
                                       .levels = l->readable,
                                       .colors = like->colors,
                                       .color = like->color,
                                       .failure = &share->failure,
                                       .own = share};
    memcpy(share->arguments.size, like->shape.size, sizeof share->arguments.size);
    return share->views && (share->fault || !like->kernel->check_count) &&
           sweep_prepare_bins_of(l, share);
}

static bool prepare_shares(sweep_loop *l)
{
    size_t bytes = (size_t)l->workers->count * sizeof *l->shares;
    l->shares = aligned_alloc(_Alignof(sweep_share), bytes);
    bool done = l->shares;
    if (done) memset(l->shares, 0, bytes);
    for (int t = 0; t < l->workers->count && done; t++) done = prepare_share(l, t);
    return done;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool prepare(sweep_loop *l)
{
    bool empty = grid_box_is_empty(&l->like.box);
    if (!take_memory(l) || !prepare_fields(l)) return false;
    find_places(l);
    prepare_levels(l);
    if (!empty && !sweep_prepare_edges(l)) return false; /* may move arrays */
    for (int e = 0; e < l->edge_count; e++) l->edge_of_view[l->edges[e].view] = &l->edges[e];
    if (!prepare_reductions(l) || !prepare_shares(l)) return false;
    if (!empty) prepare_interior(l);
    prepare_how(l);
    return true;
}

sweep_loop *sweep_loop_new(sweep_workers *workers, const chain_loop *loop, abi_function *run,
                           sweep_manner manner)
{
    sweep_loop *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->workers = workers;
    l->loop = loop;
    l->like = *loop;
    memcpy(l->kernel_hash, loop->kernel->hash, sizeof l->kernel_hash);
    l->run = run;
    l->manner = manner;
    l->poison = workers->poison || HOSTILE(false, true);
    if (prepare(l)) {
        sweep_bind(l); /* numbers may decide what the loop fits */
        return l;
    }
    sweep_loop_free(l);
    return NULL;
}

void sweep_loop_free(sweep_loop *l)
{
    if (!l) return;
    free(l->shares);
    arena_free(&l->memory);
    free(l);
}
