/* One loop on the cpu: points whose reads stay inside the grid run in place, the others on copies
 * of what they read (cpu_edge.c). Threads take blocks, their own first.
 *
 * The interior begins and ends at whole vectors where that costs nothing: edges then are one
 * vector wide, computed as fast as one point, and stores of the interior fill whole cache lines. */
#include "exec/exec.h"

#include <fenv.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_LOOP = 4096, /* points; less runs on one thread */
    LINE_BYTES = 64,
    CHUNK_POINTS = 8192 /* whose contributions are kept until they are reduced */
};

typedef struct reduction {
    int param, view;
    ir_value *partials; /* of rows and bricks of the loop's box */
} reduction;

typedef struct cpu_loop {
    const chain_loop *loop;
    codegen_function *run;
    int view_count, edge_count, reduction_count, thread_count;
    codegen_view *views;
    ir_value *numbers;
    cpu_edge *edges;
    reduction *reductions;
    grid_box interior, bricks;
    cpu_blocks blocks;
    cpu_thread *threads;
    atomic_bool failed; /* memory was out */
    arena memory;
} cpu_loop;

/* ---- running --------------------------------------------------------------------------------- */

static void run_box(const cpu_loop *l, const grid_box *box, const codegen_view *views)
{
    l->run(box->lo, box->hi, l->loop->shape.size, views, l->numbers);
}

/* Runs a box, its edges on copies. thread->views are those of the loop before and after. */
static bool run_part(const cpu_loop *l, const grid_box *box, cpu_thread *thread)
{
    grid_box inner = grid_box_intersect(box, &l->interior), pieces[6];
    if (!grid_box_is_empty(&inner)) run_box(l, &inner, thread->views);
    int count = grid_box_subtract(box, &l->interior, pieces);
    for (int i = 0; i < count; i++) {
        if (!cpu_edge_gather(l->edges, l->edge_count, &pieces[i], thread, thread->views))
            return false;
        run_box(l, &pieces[i], thread->views);
        for (int e = 0; e < l->edge_count; e++)
            thread->views[l->edges[e].view] = l->views[l->edges[e].view];
    }
    return true;
}

/* Points the views of reductions to room for the contributions of a box, all of 8 bytes a point. */
static bool prepare_contributions(const cpu_loop *l, const grid_box *box, cpu_thread *thread)
{
    int64_t nx = box->hi[0] - box->lo[0], ny = box->hi[1] - box->lo[1];
    int64_t points = grid_box_points(box);
    size_t needed = (size_t)(points * l->reduction_count) * sizeof(ir_value);
    needed = (needed + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    if (needed > thread->contributions_size) {
        free(thread->contributions);
        thread->contributions_size = 0;
        thread->contributions = aligned_alloc(LINE_BYTES, needed);
        if (!thread->contributions) return false;
        thread->contributions_size = needed;
    }
    for (int r = 0; r < l->reduction_count; r++) {
        const reduction *red = &l->reductions[r];
        int64_t size = ir_types[l->loop->kernel->params[red->param].type].bytes;
        int64_t shift = (box->lo[0] + box->lo[1] * nx + box->lo[2] * nx * ny) * size;
        ir_value *start = (ir_value *)thread->contributions + r * points;
        thread->views[red->view] =
            (codegen_view){(void *)((uintptr_t)start - (uintptr_t)shift), nx, nx * ny};
    }
    return true;
}

static void reduce_contributions(const cpu_loop *l, const grid_box *box, const cpu_thread *thread)
{
    const grid_box *all = &l->loop->box;
    int64_t nx = box->hi[0] - box->lo[0], points = grid_box_points(box);
    int64_t bricks = l->bricks.hi[0] - l->bricks.lo[0];
    for (int r = 0; r < l->reduction_count; r++) {
        const ir_param *param = &l->loop->kernel->params[l->reductions[r].param];
        const char *x = (const char *)((ir_value *)thread->contributions + r * points);
        for (int64_t z = box->lo[2]; z < box->hi[2]; z++)
            for (int64_t y = box->lo[1]; y < box->hi[1]; y++) {
                int64_t row = (z - all->lo[2]) * (all->hi[1] - all->lo[1]) + y - all->lo[1];
                int64_t first = box->lo[0] / EXEC_BRICK - l->bricks.lo[0];
                exec_reduce_row(param, x, box->lo[0], box->hi[0],
                                l->reductions[r].partials + row * bricks + first);
                x += nx * ir_types[param->type].bytes;
            }
    }
}

/* A block of a loop with reductions, some rows at a time so that contributions stay in cache. */
static bool run_chunks(const cpu_loop *l, const grid_box *block, cpu_thread *thread)
{
    int64_t rows = CHUNK_POINTS / (block->hi[0] - block->lo[0]);
    if (rows < 1) rows = 1;
    grid_box chunk = *block;
    for (chunk.lo[2] = block->lo[2]; chunk.lo[2] < block->hi[2]; chunk.lo[2]++) {
        chunk.hi[2] = chunk.lo[2] + 1;
        for (chunk.lo[1] = block->lo[1]; chunk.lo[1] < block->hi[1]; chunk.lo[1] += rows) {
            chunk.hi[1] = chunk.lo[1] + rows < block->hi[1] ? chunk.lo[1] + rows : block->hi[1];
            if (!prepare_contributions(l, &chunk, thread) || !run_part(l, &chunk, thread))
                return false;
            reduce_contributions(l, &chunk, thread);
        }
    }
    return true;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Takes blocks until there are none, first from its own share, then from those of others. */
static void work(cpu_loop *l, int me)
{
    cpu_thread *thread = &l->threads[me];
    for (int i = 0; i < l->thread_count; i++) {
        cpu_thread *share = &l->threads[(me + i) % l->thread_count];
        int64_t next;
        while ((next = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed)) <
               share->end) {
            if (atomic_load_explicit(&l->failed, memory_order_relaxed)) return;
            grid_box block = cpu_block_box(&l->blocks, next);
            bool done = l->reduction_count ? run_chunks(l, &block, thread)
                                           : run_part(l, &block, thread);
            if (!done) atomic_store(&l->failed, true);
        }
    }
}

static void run_on_threads(cpu_loop *l)
{
    if (l->thread_count == 1) {
        work(l, 0);
        return;
    }
#pragma omp parallel num_threads(l->thread_count)
    {
        fenv_t environment;
        fegetenv(&environment);
        fesetenv(FE_DFL_ENV);
        work(l, omp_get_thread_num());
        fesetenv(&environment);
    }
}

static void share_blocks(cpu_loop *l)
{
    int64_t total = l->blocks.total, count = l->thread_count;
    for (int t = 0; t < l->thread_count; t++) {
        atomic_init(&l->threads[t].next, total / count * t + (t < total % count ? t : total % count));
        int64_t more = t + 1;
        l->threads[t].end = total / count * more + (more < total % count ? more : total % count);
    }
}

/* ---- preparing ------------------------------------------------------------------------------- */

static bool prepare_field(cpu_loop *l, int p)
{
    const ir_param *param = &l->loop->kernel->params[p];
    const store_array *a = exec_slot_array(l->loop->bindings[p].slot);
    int first = codegen_view_index(l->loop->kernel, p);
    for (int c = 0; a && c < param->count; c++) {
        char *origin = (char *)a->data + c * a->pitch_component * store_type_bytes(a->type);
        l->views[first + c] = (codegen_view){origin, a->pitch_y, a->pitch_z};
    }
    return a != NULL;
}

static void prepare_number(cpu_loop *l, int p)
{
    const ir_param *param = &l->loop->kernel->params[p];
    const chain_binding *b = &l->loop->bindings[p];
    ir_value *out = &l->numbers[codegen_number_index(l->loop->kernel, p)];
    if (param->kind == IR_PARAM_TABLE)
        memcpy(out, b->table, (size_t)param->count * sizeof *out);
    else if (b->slot)
        *out = ir_convert(param->type, ir_type_of_storage(b->slot->type), b->slot->scalar);
    else
        *out = b->number;
}

static bool prepare_reduction(cpu_loop *l, int p)
{
    int64_t partials = grid_box_points(&l->bricks);
    reduction *r = &l->reductions[l->reduction_count++];
    r->param = p;
    r->view = codegen_view_index(l->loop->kernel, p);
    r->partials = arena_array(&l->memory, (size_t)partials, sizeof *r->partials);
    return r->partials != NULL;
}

static bool prepare_params(cpu_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    int count = kernel->param_count, numbers = codegen_number_index(kernel, count);
    l->view_count = codegen_view_index(kernel, count);
    l->views = arena_array(&l->memory, (size_t)l->view_count, sizeof *l->views);
    l->numbers = arena_array(&l->memory, (size_t)numbers, sizeof *l->numbers);
    l->reductions = arena_array(&l->memory, (size_t)count, sizeof *l->reductions);
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

/* Keeps of all components that are read those that some point of the box reads outside. */
static bool prepare_edges(cpu_loop *l)
{
    const chain_loop *loop = l->loop;
    size_t most = (size_t)loop->kernel->access_count;
    grid_box inside = grid_shape_box(&loop->shape);
    analysis_reach *reaches = arena_array(&l->memory, most, sizeof *reaches);
    l->edges = arena_array(&l->memory, most, sizeof *l->edges);
    if (!reaches || !l->edges) return false;
    int count = analysis_reaches(loop->kernel, reaches);
    for (int i = 0; i < count; i++) {
        const analysis_reach *r = &reaches[i];
        cpu_edge edge = {.binding = &loop->bindings[r->param], .component = r->component};
        edge.view = codegen_view_index(loop->kernel, r->param) + r->component;
        grid_box read = loop->box;
        for (int d = 0; d < 3; d++) {
            read.lo[d] += edge.lo[d] = r->lo[d];
            read.hi[d] += edge.hi[d] = r->hi[d];
        }
        if (grid_box_contains(&inside, &read)) continue;
        if (!cpu_edge_prepare(&edge, &l->memory)) return false;
        l->edges[l->edge_count++] = edge;
    }
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

static grid_box aligned_interior(const chain_loop *loop)
{
    grid_box interior = analysis_interior(loop), aligned = interior;
    int64_t line = points_per_line(loop);
    if (interior.lo[0] > loop->box.lo[0]) aligned.lo[0] = (interior.lo[0] + line - 1) / line * line;
    if (interior.hi[0] < loop->box.hi[0]) aligned.hi[0] = interior.hi[0] / line * line;
    return grid_box_is_empty(&aligned) ? interior : aligned;
}

static int64_t bytes_per_point(const chain_loop *loop)
{
    int64_t bytes = 0;
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (ir_param_is_field(&loop->kernel->params[p]))
            bytes += (int64_t)loop->kernel->params[p].count *
                     store_type_bytes(loop->bindings[p].slot->type);
    return bytes;
}

static bool prepare_threads(cpu_loop *l, const struct exec_cpu *cpu)
{
    bool small = grid_box_points(&l->loop->box) < SMALL_LOOP;
    l->thread_count = small ? 1 : cpu->thread_count;
    l->blocks = cpu_blocks_make(&l->loop->box, bytes_per_point(l->loop), l->thread_count);
    if (l->blocks.total < l->thread_count) l->thread_count = (int)l->blocks.total;
    l->threads = cpu->threads;
    for (int t = 0; t < l->thread_count; t++) {
        cpu_thread *thread = &l->threads[t];
        thread->views = arena_array(&l->memory, (size_t)l->view_count, sizeof *thread->views);
        if (!thread->views) return false;
        memcpy(thread->views, l->views, (size_t)l->view_count * sizeof *thread->views);
    }
    share_blocks(l);
    return true;
}

static grid_box bricks_of(const grid_box *box)
{
    grid_box bricks = *box;
    if (grid_box_is_empty(box)) return bricks;
    bricks.lo[0] = box->lo[0] / EXEC_BRICK;
    bricks.hi[0] = (box->hi[0] + EXEC_BRICK - 1) / EXEC_BRICK;
    return bricks;
}

static void finish_reductions(const cpu_loop *l)
{
    for (int r = 0; r < l->reduction_count; r++) {
        const reduction *red = &l->reductions[r];
        const ir_param *param = &l->loop->kernel->params[red->param];
        chain_slot *slot = l->loop->bindings[red->param].slot;
        ir_value result = exec_reduce_box(param, &l->bricks, red->partials);
        slot->scalar = ir_convert(ir_type_of_storage(slot->type), param->type, result);
    }
}

kata_status cpu_loop_run(const chain_loop *loop, codegen_function *run, struct exec_cpu *cpu,
                         messages *m)
{
    cpu_loop l = {.loop = loop, .run = run, .bricks = bricks_of(&loop->box)};
    bool done = prepare_params(&l);
    if (done && !grid_box_is_empty(&loop->box)) {
        l.interior = aligned_interior(loop);
        done = prepare_edges(&l) && prepare_threads(&l, cpu);
        if (done) run_on_threads(&l);
        done = done && !atomic_load(&l.failed);
    }
    if (done) finish_reductions(&l);
    arena_free(&l.memory);
    return done ? KATA_OK : message_no_memory(m);
}
