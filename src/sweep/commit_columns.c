/* The end of reductions into fields: the trees over bricks and dimensions, and the elements of the
 * fields. Threads share out the rows of the field, or its planes. */
#include "sweep/reductions.h"

#include <stdatomic.h>

enum { MANY_VALUES = HOSTILE(2048, 2) /* from here on threads are worth waking */ };

static const ir_param *param_at(const sweep_loop *l, int p) { return &l->loop->kernel->params[p]; }

/* ---- elements -------------------------------------------------------------------------------- */

/* Combines a result with an element as the reduction says. */
static void set_element(store_array *array, const ir_param *param, int element,
                        const int64_t index[3], ir_value result)
{
    ir_value stored = store_get_element(array, element, index);
    if (param->accumulates)
        result = ir_reduce(param, ir_storage_read(array->type, param->type, &stored), result);
    stored = (ir_value){0};
    ir_storage_write(array->type, param->type, result, &stored);
    store_set_element(array, element, index, stored);
}

/* Sets the elements of a row of the field. */
static void set_row(store_array *array, const ir_param *param, int element, const grid_box *row,
                    char *values)
{
    int64_t bytes = ir_types[param->type].bytes, count = row->hi[0] - row->lo[0];
    int64_t at[3] = {row->lo[0], row->lo[1], row->lo[2]};
    sweep_reduce_end_row(param, count, values);
    if (array->type == ir_storage_of_type(param->type) && array->block == 1 &&
        array->pitch_x == 1) {
        void *to = store_address(array, element, at);
        if (param->accumulates)
            sweep_reduce_rows(param, to, values, count, to);
        else
            memcpy(to, values, (size_t)(count * bytes));
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        ir_value result = {0};
        at[0] = row->lo[0] + i;
        memcpy(&result, values + i * bytes, (size_t)bytes);
        set_element(array, param, element, at, result);
    }
}

/* ---- sums in rows ---------------------------------------------------------------------------- */

/* One row of the field that lacks z: number y; or, where it lacks y, number z; where it lacks both,
 * only the tree over y. */
static void end_row(const sweep_loop *l, const sweep_column_sum *sum, int64_t i)
{
    const ir_param *param = param_at(l, sum->param);
    const grid_box *rows = &sum->rows;
    int64_t bytes = ir_types[param->type].bytes, points = rows->hi[0] - rows->lo[0];
    int64_t count_y = rows->hi[1] - rows->lo[1], pitch = sum->pitch * bytes;
    int d = sum->bricked;
    char *first = sum->memory + (d == 1 ? i * count_y : i) * pitch;
    sweep_reduce_row_tree(param, first, d == 1 ? pitch : count_y * pitch, rows->lo[d],
                          rows->hi[d] - rows->lo[d], points);
    if (d == 1 && param->absent_axis[2]) return;
    grid_box row = {{rows->lo[0], 0, 0}, {rows->hi[0], 1, 1}};
    row.lo[3 - d] = rows->lo[3 - d] + i;
    set_row(sweep_slot(l, sum->param)->array, param, sum->element, &row, first);
}

/* ---- sums of whole rows ---------------------------------------------------------------------- */

/* Of an element of a field that lacks x: the partials of its rows, gathered where a thread has
 * room. */
static void end_element(const sweep_loop *l, const sweep_reduction *red, const grid_box *bricks,
                        ir_value *room)
{
    const grid_box *all = &l->bricks;
    const ir_param *param = param_at(l, red->param);
    int64_t nx = all->hi[0] - all->lo[0], ny = all->hi[1] - all->lo[1], index[3];
    ir_value *to = room;
    for (int64_t z = bricks->lo[2]; z < bricks->hi[2]; z++)
        for (int64_t y = bricks->lo[1]; y < bricks->hi[1]; y++, to += nx)
            memcpy(to, red->partials + ((z - all->lo[2]) * ny + y - all->lo[1]) * nx,
                   (size_t)nx * sizeof *to);
    for (int d = 0; d < 3; d++) index[d] = param->absent_axis[d] ? 0 : bricks->lo[d];
    set_element(sweep_slot(l, red->param)->array, param, red->element, index,
                sweep_reduce_box(param, bricks, room));
}

static int64_t elements_along(const sweep_loop *l, const ir_param *param, int d)
{
    return param->absent_axis[d] ? 1 : l->bricks.hi[d] - l->bricks.lo[d];
}

/* The elements at one z of the field, or all where it lacks z. */
static bool end_plane(const sweep_loop *l, const sweep_reduction *red, int64_t z,
                      sweep_thread *thread)
{
    const ir_param *param = param_at(l, red->param);
    grid_box bricks = l->bricks;
    size_t needed = (size_t)grid_box_points(&l->bricks) * sizeof(ir_value);
    if (!param->absent_axis[2]) {
        bricks.lo[2] += z;
        bricks.hi[2] = bricks.lo[2] + 1;
        needed = (size_t)grid_box_points(&bricks) * sizeof(ir_value);
    }
    if (!sweep_grow(&thread->reduced, &thread->reduced_size, needed)) return false;
    for (int64_t y = 0; y < elements_along(l, param, 1); y++) {
        if (!param->absent_axis[1]) {
            bricks.lo[1] = l->bricks.lo[1] + y;
            bricks.hi[1] = bricks.lo[1] + 1;
        }
        end_element(l, red, &bricks, thread->reduced);
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* What threads share out: the rows of a sum, or planes of elements. */
typedef struct column_end {
    sweep_loop *l;
    const sweep_column_sum *sum; /* NULL: an element of `red` */
    const sweep_reduction *red;
    int64_t parts;
} column_end;

static void take_parts(void *data, int me)
{
    const column_end *end = data;
    int64_t i;
    while ((i = sweep_next_part(end->l)) < end->parts) {
        if (end->sum)
            end_row(end->l, end->sum, i);
        else if (!end_plane(end->l, end->red, i, &end->l->workers->threads[me]))
            atomic_store(&end->l->failed, true);
    }
}

static void run_end(column_end end, int64_t values)
{
    sweep_loop *l = end.l;
    bool many = values >= MANY_VALUES && l->workers->count > 1;
    atomic_store_explicit(&l->next, 0, memory_order_relaxed);
    sweep_workers_run(l->workers, many ? l->workers->count : 1, take_parts, &end);
}

static void end_sum(sweep_loop *l, const sweep_column_sum *sum)
{
    const ir_param *param = param_at(l, sum->param);
    const grid_box *rows = &sum->rows;
    int64_t pitch = (rows->hi[1] - rows->lo[1]) * sum->pitch * ir_types[param->type].bytes;
    int d = 3 - sum->bricked;
    run_end((column_end){.l = l, .sum = sum, .parts = rows->hi[d] - rows->lo[d]},
            grid_box_points(rows));
    if (sum->bricked == 2 || !param->absent_axis[2]) return;
    grid_box row = {{rows->lo[0], 0, 0}, {rows->hi[0], 1, 1}};
    sweep_reduce_row_tree(param, sum->memory, pitch, rows->lo[2], rows->hi[2] - rows->lo[2],
                          rows->hi[0] - rows->lo[0]);
    set_row(sweep_slot(l, sum->param)->array, param, sum->element, &row, sum->memory);
}

bool sweep_commit_columns(sweep_loop *l)
{
    if (l->collects) sweep_reduce_collected(l);
    for (int i = 0; i < l->column_count; i++) end_sum(l, &l->column_sums[i]);
    for (int i = 0; i < l->reduction_count; i++) {
        const sweep_reduction *red = &l->reductions[i];
        const ir_param *param = param_at(l, red->param);
        if (!ir_param_is_column_reduction(param)) continue;
        run_end((column_end){.l = l, .red = red, .parts = elements_along(l, param, 2)},
                grid_box_points(&l->bricks));
    }
    return !atomic_load(&l->failed);
}
