/* Preparing a loop: views, numbers, edges, reductions and blocks.
 *
 * The interior begins and ends at whole vectors where that costs nothing: edges then are one
 * vector wide, computed as fast as one point, and stores of the interior fill whole cache lines. */
#include "machine/machine.h"
#include "sweep/loop.h"

#include <string.h>

/* Bytes of fields at the points of a loop, or nodes that they compute. Fewer are done by one thread
 * before others have begun; where invariants are checked threads share small loops, too, for tests
 * have few others. */
#ifdef KATA_DEBUG
enum { SMALL_LOOP = HOSTILE(64 << 10, 32) };
#else
enum { SMALL_LOOP = HOSTILE(512 << 10, 32) };
#endif
enum { LINE_BYTES = 64 };

static bool prepare_field(sweep_loop *l, int p)
{
    const ir_param *param = &l->loop->kernel->params[p];
    const store_array *a = store_slot_array(l->loop->bindings[p].slot);
    int first = codegen_view_index(l->loop->kernel, p);
    for (int c = 0; a && c < param->count; c++) {
        l->views[first + c] = sweep_view(a, c);
        if (ir_param_is_written_field(param))
            l->views[codegen_store_index(l->loop->kernel, p) + c] = l->views[first + c];
    }
    return a != NULL;
}

static void prepare_number(sweep_loop *l, int p)
{
    const ir_param *param = &l->loop->kernel->params[p];
    const chain_binding *b = &l->loop->bindings[p];
    ir_value *out = &l->numbers[codegen_number_index(l->loop->kernel, p)];
    if (b->slot)
        for (int i = 0; i < param->count; i++) out[i] = store_scalar(b->slot, i);
    else if (param->kind == IR_PARAM_TABLE)
        memcpy(out, b->table, (size_t)param->count * sizeof *out);
    else
        *out = b->number;
}

static bool prepare_reduction(sweep_loop *l, int p)
{
    int64_t partials = grid_box_points(&l->bricks);
    int view = codegen_view_index(l->loop->kernel, p);
    for (int e = 0; e < l->loop->kernel->params[p].count; e++) {
        sweep_reduction *r = &l->reductions[l->reduction_count++];
        *r = (sweep_reduction){.param = p, .element = e, .view = view + e};
        r->partials = arena_array(&l->memory, (size_t)partials, sizeof *r->partials);
        if (!r->partials) return false;
    }
    return true;
}

/* No bounds for levels yet. */
static bool prepare_arguments(sweep_loop *l)
{
    const chain_loop *loop = l->loop;
    int params = loop->kernel->param_count;
    l->levels = arena_array(&l->memory, (size_t)params, sizeof *l->levels);
    if (!l->levels) return false;
    for (int p = 0; p < params; p++) l->levels[p] = (abi_levels){INT64_MIN, INT64_MAX};
    l->arguments =
        (abi_arguments){.levels = l->levels, .colors = loop->colors, .color = loop->color};
    memcpy(l->arguments.size, loop->shape.size, sizeof loop->shape.size);
    return true;
}

static bool prepare_params(sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    int count = kernel->param_count, numbers = codegen_number_index(kernel, count);
    l->view_count = codegen_view_index(kernel, count);
    l->views = arena_array(&l->memory, (size_t)l->view_count, sizeof *l->views);
    l->numbers = arena_array(&l->memory, (size_t)numbers, sizeof *l->numbers);
    l->reductions = arena_array(&l->memory, (size_t)l->view_count, sizeof *l->reductions);
    l->arguments.numbers = (const abi_value *)l->numbers;
    bool done = l->views && l->numbers && l->reductions;
    for (int p = 0; p < count && done; p++) {
        if (ir_param_is_field(&kernel->params[p]))
            done = prepare_field(l, p);
        else if (ir_param_is_reduction(&kernel->params[p]))
            done = prepare_reduction(l, p);
        else
            prepare_number(l, p);
    }
    return done;
}

static grid_box touched_by(const sweep_loop *l, const sweep_edge *edge)
{
    grid_box inside = chain_binding_inside(edge->binding);
    grid_box touched = analysis_touched(edge->param, edge->lo, edge->hi, &l->loop->box);
    int d = l->loop->kernel->ordered;
    if (l->columns) {
        touched.lo[d] = inside.lo[d];
        touched.hi[d] = inside.hi[d];
    }
    return touched;
}

/* The filled edge of the same component of a field, given to another parameter; NULL when there is
 * none. */
static sweep_edge *filled_before(const sweep_loop *l, const sweep_edge *edge)
{
    for (int i = 0; i < l->fill_count; i++)
        if (l->fills[i].binding->slot == edge->binding->slot &&
            l->fills[i].component == edge->component)
            return &l->fills[i];
    return NULL;
}

/* Fills an edge, if that can be done; one that is filled already together with that, for threads
 * must not fill the same place twice. *done: whether it is. False when memory is out. */
static bool fill_edge(sweep_loop *l, sweep_edge edge, bool *done)
{
    sweep_edge *before = filled_before(l, &edge);
    *done = !edge.written && (!before || ir_param_same_mapping(before->param, edge.param));
    if (!*done) return true;
    if (before) {
        analysis_add_offset(before->lo, edge.lo, edge.hi);
        analysis_add_offset(before->hi, edge.lo, edge.hi);
    }
    grid_box touched = touched_by(l, &edge);
    if (!sweep_edge_prepare(&edge, &touched, &l->memory)) return false;
    *done = sweep_edge_can_fill(&edge, &touched, l->loop);
    if (*done && before)
        *before = edge;
    else if (*done)
        l->fills[l->fill_count++] = edge;
    return true;
}

/* Keeps an edge when some point of the box reads or writes outside the grid there. */
static bool add_edge(sweep_loop *l, sweep_edge edge)
{
    grid_box inside = chain_binding_inside(edge.binding), touched = touched_by(l, &edge);
    bool filled;
    if (grid_box_contains(&inside, &touched)) return true;
    edge.clipped[l->loop->kernel->ordered] = l->columns;
    edge.poison = l->poison || HOSTILE(false, true);
    if (!fill_edge(l, edge, &filled)) return false;
    if (filled) return true;
    if (!sweep_edge_prepare(&edge, &touched, &l->memory)) return false;
    l->edges[l->edge_count++] = edge;
    return true;
}

static bool add_read_edge(sweep_loop *l, const analysis_reach *r)
{
    sweep_edge edge = {.param = &l->loop->kernel->params[r->param],
                       .binding = &l->loop->bindings[r->param],
                       .component = r->component};
    edge.view = codegen_view_index(l->loop->kernel, r->param) + r->component;
    memcpy(edge.lo, r->lo, sizeof edge.lo);
    memcpy(edge.hi, r->hi, sizeof edge.hi);
    return add_edge(l, edge);
}

static bool add_write_edge(sweep_loop *l, const ir_store *s)
{
    sweep_edge edge = {.param = &l->loop->kernel->params[s->param],
                       .binding = &l->loop->bindings[s->param],
                       .component = s->component,
                       .written = true};
    edge.view = codegen_store_index(l->loop->kernel, s->param) + s->component;
    memcpy(edge.lo, s->offset, sizeof edge.lo);
    memcpy(edge.hi, s->offset, sizeof edge.hi);
    return add_edge(l, edge);
}

static int bytes_of(const sweep_loop *l, int param)
{
    return (int)store_type_bytes(l->loop->bindings[param].slot->type);
}

/* A component that is read and written is touched at the offsets of both. */
static void add_reuse(sweep_loop *l, analysis_reach *reaches, int count)
{
    const ir_kernel *kernel = l->loop->kernel;
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        bool read = false;
        for (int r = 0; r < count; r++) {
            if (reaches[r].param != s->param || reaches[r].component != s->component) continue;
            analysis_add_offset(s->offset, reaches[r].lo, reaches[r].hi);
            read = true;
        }
        if (!read && ir_param_is_field(&kernel->params[s->param]))
            sweep_reuse_add(&l->reuse, s->offset, s->offset, bytes_of(l, s->param));
    }
    for (int r = 0; r < count; r++)
        sweep_reuse_add(&l->reuse, reaches[r].lo, reaches[r].hi, bytes_of(l, reaches[r].param));
}

static bool prepare_edges(sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    size_t most = (size_t)kernel->access_count;
    analysis_reach *reaches = arena_array(&l->memory, most, sizeof *reaches);
    l->edges = arena_array(&l->memory, most + (size_t)kernel->store_count, sizeof *l->edges);
    l->fills = arena_array(&l->memory, most, sizeof *l->fills);
    if (!reaches || !l->edges || !l->fills) return false;
    int count = analysis_reaches(kernel, reaches);
    for (int i = 0; i < count; i++)
        if (!add_read_edge(l, &reaches[i])) return false;
    for (int i = 0; i < kernel->store_count; i++)
        if (ir_param_is_field(&kernel->params[kernel->stores[i].param]) &&
            !add_write_edge(l, &kernel->stores[i]))
            return false;
    add_reuse(l, reaches, count);
    return true;
}

/* Points of a row that fill a cache line, of the narrowest field; 1 when there is none. */
static int64_t points_per_line(const chain_loop *loop)
{
    int64_t points = 1;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        if (!ir_param_is_field(&loop->kernel->params[p])) continue;
        int64_t fit = LINE_BYTES / store_type_bytes(loop->bindings[p].slot->type);
        if (fit > points) points = fit;
    }
    return points;
}

/* The largest multiple of a line that is not above x, an index that may be below 0. */
static int64_t whole_lines(int64_t x, int64_t line)
{
    return x >= 0 ? x / line * line : -((line - 1 - x) / line * line);
}

grid_box sweep_loop_interior(const sweep_loop *l, const grid_box *box)
{
    const chain_loop *loop = l->loop;
    chain_loop part = *loop;
    part.box = *box;
    if (l->edge_count == 0) return *box;
    grid_box interior = analysis_interior(&part), aligned = interior;
    int64_t line = points_per_line(loop);
    if (interior.lo[0] > box->lo[0]) aligned.lo[0] = -whole_lines(-interior.lo[0], line);
    if (interior.hi[0] < box->hi[0]) aligned.hi[0] = whole_lines(interior.hi[0], line);
    return grid_box_is_empty(&aligned) ? interior : aligned;
}

/* Of fields on finer grids, those of all children; of fields on coarser grids nothing worth
 * counting. */
int64_t sweep_loop_bytes(const chain_loop *loop)
{
    grid_box grid = grid_shape_box(&loop->shape);
    int64_t bytes = 0;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        if (!ir_param_is_field(&loop->kernel->params[p])) continue;
        const chain_slot *slot = loop->bindings[p].slot;
        grid_box field = grid_shape_box(&slot->shape);
        bytes += (int64_t)loop->kernel->params[p].count * store_type_bytes(slot->type) *
                 (grid_box_points(&field) / grid_box_points(&grid));
    }
    return bytes;
}

/* What threads of one level read at its edges must not be what others write meanwhile. */
static bool copies_written(const sweep_loop *l)
{
    const chain_loop *loop = l->loop;
    bool copies = false;
    for (int e = 0; e < l->edge_count && loop->kernel->direction && !l->columns; e++)
        for (int i = 0; i < loop->kernel->store_count; i++)
            copies = copies || (loop->bindings[loop->kernel->stores[i].param].slot ==
                                    l->edges[e].binding->slot &&
                                loop->kernel->stores[i].component == l->edges[e].component);
    return copies;
}

/* A node counts as a byte: what points compute is work, too, and some loops have no fields of their
 * grid's rank. */
static int useful_threads(const sweep_loop *l, const sweep_workers *workers)
{
    const chain_loop *loop = l->loop;
    int64_t each = larger(sweep_loop_bytes(loop), (int64_t)loop->kernel->graph.count);
    int64_t points = grid_box_points(&loop->box), levels = 1;
    if (loop->kernel->direction && !l->columns)
        levels = loop->box.hi[loop->kernel->ordered] - loop->box.lo[loop->kernel->ordered];
    return points / levels * each < SMALL_LOOP || copies_written(l) ? 1 : workers->count;
}

static bool prepare_threads(sweep_loop *l, const sweep_workers *workers)
{
    l->reuse.reduces = l->reduction_count > 0;
    l->thread_count = useful_threads(l, workers);
    l->blocks = sweep_blocks_make(&l->loop->box, &l->reuse, l->thread_count,
                                  l->columns ? l->loop->kernel->ordered : -1);
    if (l->blocks.total < l->thread_count) l->thread_count = (int)l->blocks.total;
    l->threads = workers->threads;
    for (int t = 0; t < l->thread_count; t++) {
        sweep_thread *thread = &l->threads[t];
        thread->views = arena_array(&l->memory, (size_t)l->view_count, sizeof *thread->views);
        if (!thread->views) return false;
        memcpy(thread->views, l->views, (size_t)l->view_count * sizeof *thread->views);
        thread->arguments = l->arguments;
        thread->arguments.views = thread->views;
        thread->arguments.failure = &thread->failure;
        thread->fault.found = false;
    }
    return true;
}

static grid_box bricks_of(const grid_box *box)
{
    grid_box bricks = *box;
    if (grid_box_is_empty(box)) return bricks;
    bricks.lo[0] = sweep_brick(box->lo[0]);
    bricks.hi[0] = sweep_brick(box->hi[0] - 1) + 1;
    return bricks;
}

static bool finish_reductions(const sweep_loop *l)
{
    for (int r = 0; r < l->reduction_count; r++) {
        const sweep_reduction *red = &l->reductions[r];
        const ir_param *param = &l->loop->kernel->params[red->param];
        chain_slot *slot = l->loop->bindings[red->param].slot;
        ir_value result = sweep_reduce_box(param, &l->bricks, red->partials);
        if (param->accumulates) result = ir_reduce(param, store_scalar(slot, red->element), result);
        if (!store_scalar_set(slot, red->element, result)) return false;
    }
    return true;
}

/* The first fault of all threads, NULL when there is none. */
static const observe_fault *first_fault(const sweep_loop *l)
{
    const observe_fault *first = NULL;
    for (int t = 0; t < l->thread_count; t++) {
        const observe_fault *fault = &l->threads[t].fault;
        if (fault->found && (!first || observe_point_before(l->loop, fault->point, first->point)))
            first = fault;
    }
    return first;
}

/* Whether what is inside of each field, by which columns are kept, has all its levels: no face that
 * is another. */
static bool has_plain_levels(const chain_loop *loop)
{
    int d = loop->kernel->ordered;
    bool plain = true;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        if (!ir_param_is_field(&loop->kernel->params[p])) continue;
        grid_box inside = chain_binding_inside(&loop->bindings[p]);
        plain = plain && inside.hi[d] >= loop->bindings[p].slot->shape.size[d];
    }
    return plain;
}

/* A row of checks is passed before it is written: along x and y, and across blocks, levels would be
 * met out of order. */
static bool runs_columns(const chain_loop *loop)
{
    bool checks_levels = !loop->kernel->check_count || loop->kernel->ordered == 2;
    return loop->kernel->direction && checks_levels && has_plain_levels(loop) &&
           analysis_has_columns(loop);
}

static void prepare_levels(sweep_loop *l)
{
    const chain_loop *loop = l->loop;
    int d = loop->kernel->ordered;
    l->columns = runs_columns(loop);
    for (int p = 0; p < loop->kernel->param_count && l->columns; p++)
        if (ir_param_is_field(&loop->kernel->params[p])) {
            grid_box inside = chain_binding_inside(&loop->bindings[p]);
            l->levels[p] = (abi_levels){inside.lo[d], inside.hi[d] - 1};
        }
}

static void prepare_interior(sweep_loop *l)
{
    int d = l->loop->kernel->ordered;
    l->interior = sweep_loop_interior(l, &l->loop->box);
    if (!l->columns) return;
    l->interior.lo[d] = l->loop->box.lo[d];
    l->interior.hi[d] = l->loop->box.hi[d];
}

/* Whether a loop reads what it writes, at the same points or at others; `renamed`: by another
 * parameter. */
static bool reads_written(const chain_loop *loop, bool renamed)
{
    const ir_kernel *kernel = loop->kernel;
    for (int i = 0; i < kernel->access_count; i++)
        for (int p = 0; p < kernel->param_count; p++) {
            int read = kernel->accesses[i].param;
            if (ir_param_is_written_field(&kernel->params[p]) && !(renamed && read == p) &&
                loop->bindings[p].slot == loop->bindings[read].slot)
                return true;
        }
    return false;
}

/* How the function may go about it. Fields that fit the last cache are best written to it: the next
 * loop will find them there. */
static void prepare_how(sweep_loop *l)
{
    int64_t bytes = sweep_loop_bytes(l->loop) * grid_box_points(&l->loop->box);
    if (HOSTILE(bytes > machine_last_cache(), bytes >= 0)) {
        l->arguments.flags |= ABI_PREFETCH;
        if (!reads_written(l->loop, true)) l->arguments.flags |= ABI_STREAM;
    }
    if (!reads_written(l->loop, false) && !l->reduction_count) l->arguments.flags |= ABI_OVERLAP;
}

static bool run_prepared(sweep_loop *l, sweep_workers *workers)
{
    const ir_kernel *kernel = l->loop->kernel;
    bool along_x = kernel->direction && kernel->ordered == 0;
    if (l->fill_count) sweep_loop_fill(l, workers);
    if (along_x && l->reduction_count && !sweep_keep_contributions(l)) return false;
    bool done = kernel->direction && !l->columns ? sweep_loop_run_levels(l, workers)
                                                 : sweep_loop_run_blocks(l, workers);
    if (done && l->kept) sweep_reduce_kept(l);
    return done;
}

/* Past the caches or not, where both may be. */
static bool run_one_way(sweep_loop *l, sweep_store_choice *way, sweep_workers *workers)
{
    if (!(l->arguments.flags & ABI_STREAM)) return run_prepared(l, workers);
    if (sweep_store_choice_begin(way, grid_box_points(&l->loop->box)) > 0)
        l->arguments.flags &= ~ABI_STREAM;
    double start = clock_seconds();
    bool done = run_prepared(l, workers);
    sweep_store_choice_end(way, clock_seconds() - start);
    return done;
}

kata_status sweep_loop_run(const chain_loop *loop, abi_function *function, sweep_store_choice *way,
                           sweep_workers *workers, messages *m)
{
    sweep_loop l = {
        .loop = loop, .run = function, .bricks = bricks_of(&loop->box), .poison = workers->poison};
    l.memory = workers->memory;
    bool empty = grid_box_is_empty(&loop->box), done = prepare_arguments(&l);
    if (done && !empty) {
        prepare_levels(&l);
        done = prepare_edges(&l); /* may move arrays, so before views of them are made */
    }
    done = done && prepare_params(&l);
    if (done && !empty) {
        prepare_interior(&l);
        prepare_how(&l);
        done = prepare_threads(&l, workers) && run_one_way(&l, way, workers);
    }
    const observe_fault *fault = done ? first_fault(&l) : NULL;
    if (done && !fault) done = finish_reductions(&l);
    if (done && !fault) store_log(loop);
    arena_clear(&l.memory);
    workers->memory = l.memory;
    if (fault) return observe_fault_report(loop, fault, m);
    return done ? KATA_OK : message_no_memory(m);
}
