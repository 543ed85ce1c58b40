/* Reductions into fields that extend along x: column integrals, profiles along x.
 *
 * Each point is added to an element of a row of its own x: a row for each brick of columns (see
 * reduce.h), and for each index of the other dimension. Generated code adds the points of a row as
 * it would write a field, in vectors. It finds the row by a view that does not move along the
 * columns: so a block runs part by part, each within a brick and, along the columns, either at an
 * edge or in the interior. Parts follow one another as points do in a column, and blocks are whole
 * columns. So each element takes its points in order, from one thread. */
#include "sweep/reductions.h"

enum { LINE_BYTES = 64 };

static int64_t brick_of(int64_t i) { return floor_divide(i, IR_COLUMN_BRICK); }

static const ir_param *param_of(const sweep_loop *l, const sweep_column_sum *sum)
{
    return &l->loop->kernel->params[sum->param];
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Rows begin where cache lines do, as far as x is a multiple of the elements of a line. */
static bool make_rows(sweep_loop *l, sweep_column_sum *sum)
{
    const grid_box *rows = &sum->rows;
    int64_t bytes = ir_types[param_of(l, sum)->type].bytes, line = LINE_BYTES / bytes;
    int64_t before = rows->lo[0] - floor_divide(rows->lo[0], line) * line;
    sum->pitch = -floor_divide(-(before + rows->hi[0] - rows->lo[0]), line) * line;
    int64_t count = (rows->hi[1] - rows->lo[1]) * (rows->hi[2] - rows->lo[2]);
    if (grid_box_is_empty(rows)) return true;
    char *memory = arena_array(&l->memory, (size_t)(count * sum->pitch * bytes + LINE_BYTES), 1);
    if (!memory) return false;
    memory += -(uintptr_t)memory % LINE_BYTES;
    sum->memory = memory + before * bytes;
    return true;
}

/* What a thread reads again until the next row of the columns. It counts by a part: long streams of
 * what is read are worth more than a cache for all of it. */
static void add_reuse(sweep_loop *l, const sweep_column_sum *sum)
{
    enum { PART = 2 };
    int32_t here[3] = {0, 0, 0}, next[3] = {0, 0, 0};
    next[sum->bricked] = 1;
    sweep_reuse_add(&l->reuse, here, next, ir_types[param_of(l, sum)->type].bytes / PART);
}

bool sweep_add_column_sum(sweep_loop *l, int param, int element)
{
    sweep_column_sum *sum = &l->column_sums[l->column_count++];
    const ir_kernel *kernel = l->loop->kernel;
    int d = ir_param_first_absent(&kernel->params[param]);
    *sum =
        (sweep_column_sum){.param = param, .element = element, .bricked = d, .rows = l->like.box};
    sum->view = codegen_view_index(kernel, param) + element;
    sum->rows.lo[d] = brick_of(l->like.box.lo[d]);
    sum->rows.hi[d] = brick_of(l->like.box.hi[d] - 1) + 1;
    l->uncut |= 1 << d;
    add_reuse(l, sum);
    return make_rows(l, sum);
}

/* The element of a row at an x. */
static char *element_at(const sweep_loop *l, const sweep_column_sum *sum, int64_t x, int64_t y,
                        int64_t z)
{
    const grid_box *rows = &sum->rows;
    int64_t row = (z - rows->lo[2]) * (rows->hi[1] - rows->lo[1]) + y - rows->lo[1];
    int64_t element = row * sum->pitch + x - rows->lo[0];
    return sum->memory + element * ir_types[param_of(l, sum)->type].bytes;
}

/* Sets rows, or parts of them, to the neutral start. */
static void start_rows(const sweep_loop *l, const sweep_column_sum *sum, const grid_box *rows)
{
    for (int64_t z = rows->lo[2]; z < rows->hi[2]; z++)
        for (int64_t y = rows->lo[1]; y < rows->hi[1]; y++)
            sweep_reduce_start(param_of(l, sum), element_at(l, sum, rows->lo[0], y, z),
                               rows->hi[0] - rows->lo[0]);
}

void sweep_start_columns(const sweep_loop *l)
{
    for (int i = 0; i < l->column_count; i++)
        start_rows(l, &l->column_sums[i], &l->column_sums[i].rows);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Points the views to the rows of a part, which lies within a brick. They stay along columns. */
static void point_views(const sweep_loop *l, const grid_box *part, sweep_share *share)
{
    for (int i = 0; i < l->column_count; i++) {
        const sweep_column_sum *sum = &l->column_sums[i];
        int d = sum->bricked;
        int64_t bytes = ir_types[param_of(l, sum)->type].bytes;
        int64_t y = sum->pitch, z = (sum->rows.hi[1] - sum->rows.lo[1]) * sum->pitch;
        int64_t from[3] = {part->lo[0], part->lo[1], part->lo[2]};
        from[d] = brick_of(from[d]);
        char *at = element_at(l, sum, from[0], from[1], from[2]);
        abi_view view = {NULL, d == 1 ? 0 : y, d == 2 ? 0 : z, 1};
        int64_t before = part->lo[0] + part->lo[1] * view.y + part->lo[2] * view.z;
        view.origin = (void *)((uintptr_t)at - (uintptr_t)(before * bytes));
        share->views[sum->view] = view;
    }
}

static bool runs_down(const sweep_loop *l, int d)
{
    const ir_kernel *kernel = l->loop->kernel;
    return kernel->direction == IR_BACKWARD && kernel->ordered == d;
}

/* Whether a part is the first of a brick that is run. */
static bool begins_brick(const sweep_loop *l, const grid_box *part, int d)
{
    int64_t at = runs_down(l, d) ? part->hi[d] : part->lo[d];
    int64_t end = runs_down(l, d) ? l->box.hi[d] : l->box.lo[d];
    return at == end || at % IR_COLUMN_BRICK == 0;
}

static void start_bricks(const sweep_loop *l, const grid_box *part)
{
    for (int i = 0; i < l->column_count; i++) {
        const sweep_column_sum *sum = &l->column_sums[i];
        grid_box rows = *part;
        rows.lo[sum->bricked] = brick_of(part->lo[sum->bricked]);
        rows.hi[sum->bricked] = rows.lo[sum->bricked] + 1;
        if (begins_brick(l, part, sum->bricked)) start_rows(l, sum, &rows);
    }
}

static bool run_part(const sweep_loop *l, const grid_box *part, sweep_share *share)
{
    if (!l->levels) start_bricks(l, part);
    point_views(l, part, share);
    if (l->reduction_count) return sweep_run_reducing(l, part, share);
    share->arguments.flags = share->flags;
    return sweep_run_part(l, part, share);
}

/* Takes the next part of what is left of a block along a dimension; false: nothing is left. */
static bool take_part(const sweep_loop *l, int d, grid_box *left, grid_box *part)
{
    bool down = runs_down(l, d);
    int64_t lo = left->lo[d], hi = left->hi[d];
    if (lo >= hi) return false;
    int64_t brick = brick_of(down ? hi - 1 : lo) * IR_COLUMN_BRICK;
    const int64_t cuts[4] = {brick, brick + IR_COLUMN_BRICK, l->interior.lo[d], l->interior.hi[d]};
    for (int i = 0; i < 4 && l->uncut >> d & 1; i++) {
        if (cuts[i] <= lo || cuts[i] >= hi) continue;
        *(down ? &lo : &hi) = cuts[i];
    }
    part->lo[d] = lo;
    part->hi[d] = hi;
    *(down ? &left->hi[d] : &left->lo[d]) = down ? lo : hi;
    return true;
}

bool sweep_run_columns(const sweep_loop *l, const grid_box *block, sweep_share *share)
{
    grid_box part = *block, planes = *block;
    while (take_part(l, 2, &planes, &part)) {
        grid_box rows = *block;
        while (take_part(l, 1, &rows, &part))
            if (!run_part(l, &part, share)) return false;
    }
    return true;
}
