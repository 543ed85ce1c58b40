/* Loops with an order along several dimensions.
 *
 * A band is a few rows of a plane that run together, in chunks: skewed boxes (see abi_arguments).
 * Step t of a band runs, in its r-th row along the order, the point at t - r * skew. So all that a
 * chunk finds new in its own band has run in this chunk or one before it.
 *
 * Threads take bands in the order of levels, and run the chunks of a band one after another, each
 * when what it needs of bands before has run:
 *   - Of the band before it in its plane, all up to the step that lies a band's height times the
 *     skew further on: read there is what lies at most skew * n further along x, n rows before.
 *   - Where planes have an order, of the plane before it the same, and as much more as reads reach,
 *     of the band that lies as many rows further on as reads reach. Bands before that one are at
 *     least as far, if rows have an order; if not, reads stay in their row, and in their band.
 * What a band reads as old has not been overwritten then: a band that overwrites it waits in the
 * same way for the band that reads it.
 *
 * Points that reach beyond the grid read copies (edge_copy.c), made for each by itself: rows of
 * such points are bands of their own, steps at which others have some run row by row. Copies may
 * hold values that nobody reads, and that other threads write meanwhile. Where boundary rules lead
 * reads to points that may not have run (band_reads.c), and for reductions, one thread runs row
 * after row, which is the order itself. Kernels with checks or bins, and those that find the point
 * of a minimum, run level by level. */
#include "sweep/loop.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    HEIGHT = HOSTILE(16, 3), /* rows of a band */
    CHUNK = HOSTILE(512, 5)  /* steps */
};

/* What has run of a band. */
typedef struct band {
    _Alignas(128) _Atomic int64_t steps;
} band;

typedef struct bands {
    const sweep_loop *loop;
    grid_box box;
    int64_t height, chunk; /* rows of a band; steps of a chunk */
    int64_t tallest;       /* rows of the highest band */
    int64_t skew;
    int64_t points[2], rows[2]; /* that come first and last, and lie outside the interior */
    int64_t first;              /* bands of such rows that come first: one or none */
    int64_t across;             /* bands of a plane */
    int64_t count;              /* of all planes */
    band *ended;                /* NULL: one thread runs them */
    _Atomic int64_t next;
    _Atomic bool failed;
} bands;

/* ---- where a loop has bands ------------------------------------------------------------------ */

bool sweep_has_bands(const sweep_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    return l->levels && ir_orders_several(kernel) && !kernel->check_count &&
           !kernel->addition_count && l->like.colors <= 1;
}

bool sweep_overlaps_bands(sweep_loop *l)
{
    static const ir_param plain;
    const ir_kernel *kernel = l->loop->kernel;
    bool may = !l->reduction_count && !grid_box_is_empty(&l->like.box);
    for (int p = 0; p < kernel->param_count; p++)
        may = may && (!ir_param_is_written_field(&kernel->params[p]) ||
                      ir_param_same_mapping(&kernel->params[p], &plain));
    for (int e = 0; e < l->edge_count; e++) may = may && !l->edges[e].written;
    return may && sweep_bands_overlap(l, l->band_reach);
}

/* ---- bands ----------------------------------------------------------------------------------- */

static int64_t extent(const grid_box *box, int d) { return box->hi[d] - box->lo[d]; }

/* The rows, or points, of a box that come first along a dimension, in its order, and lie outside
 * the interior of the loop; and those that come last. */
static void find_ends(const bands *b, int d, int64_t ends[2])
{
    grid_box inner = grid_box_intersect(&b->box, &b->loop->interior);
    bool down = b->loop->loop->kernel->order[d] == IR_BACKWARD;
    if (grid_box_is_empty(&inner)) inner.lo[d] = inner.hi[d] = b->box.lo[d];
    ends[down] = inner.lo[d] - b->box.lo[d];
    ends[!down] = b->box.hi[d] - inner.hi[d];
}

static bands make_bands(const sweep_loop *l, const grid_box *box)
{
    bands b = {.loop = l, .box = *box, .height = 1, .chunk = INT64_MAX};
    if (l->pipelined) {
        if (codegen_is_skewed(l->loop->kernel, false)) b.skew = codegen_skew(l->loop->kernel);
        b.height = HEIGHT;
        b.chunk = larger(CHUNK, b.height * b.skew);
    }
    find_ends(&b, 0, b.points);
    find_ends(&b, 1, b.rows);
    b.tallest = larger(b.height, larger(b.rows[0], b.rows[1]));
    int64_t middle = extent(box, 1) - b.rows[0] - b.rows[1];
    b.first = b.rows[0] > 0;
    b.across = b.first + (middle + b.height - 1) / b.height + (b.rows[1] > 0);
    b.count = b.across * extent(box, 2);
    return b;
}

/* The row, counted in their order, at which band `i` of a plane begins. */
static int64_t first_row(const bands *b, int64_t i)
{
    int64_t rows = extent(&b->box, 1);
    if (i == 0) return 0;
    if (i == b->across) return rows;
    return smaller(b->rows[0] + (i - b->first) * b->height, rows - b->rows[1]);
}

/* The i-th of `count` parts along a dimension, in its order. */
static int64_t part_of(const bands *b, int d, int64_t i, int64_t count)
{
    return b->loop->loop->kernel->order[d] == IR_BACKWARD ? count - 1 - i : i;
}

/* The points of band i. */
static grid_box band_box(const bands *b, int64_t i)
{
    grid_box box = b->box;
    bool down = b->loop->loop->kernel->order[1] == IR_BACKWARD;
    int64_t first = first_row(b, i % b->across), end = first_row(b, i % b->across + 1);
    box.lo[2] += part_of(b, 2, i / b->across, extent(&box, 2));
    box.hi[2] = box.lo[2] + 1;
    box.lo[1] = down ? b->box.hi[1] - end : b->box.lo[1] + first;
    box.hi[1] = down ? b->box.hi[1] - first : b->box.lo[1] + end;
    return box;
}

static int64_t steps_of(const bands *b, int64_t i)
{
    grid_box box = band_box(b, i);
    return extent(&box, 0) + (extent(&box, 1) - 1) * b->skew;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Steps `from` to `to` of a band, without edges. */
static bool run_skewed(const bands *b, const grid_box *box, int64_t from, int64_t to,
                       sweep_share *share)
{
    bool down = b->loop->loop->kernel->order[0] == IR_BACKWARD;
    grid_box chunk = *box;
    chunk.lo[0] = down ? box->hi[0] - to : box->lo[0] + from;
    chunk.hi[0] = down ? box->hi[0] - from : box->lo[0] + to;
    share->arguments.flags = share->flags;
    share->cut = box;
    bool done = sweep_run_plain(b->loop, &chunk, share);
    share->cut = NULL;
    return done;
}

/* Points lo to hi of a row one by one: what they read beyond the grid is copied for each. */
static bool run_singly(const bands *b, const grid_box *row, int64_t lo, int64_t hi,
                       sweep_share *share)
{
    grid_box point = *row;
    for (int64_t i = 0; i < hi - lo; i++) {
        point.lo[0] = lo + part_of(b, 0, i, hi - lo);
        point.hi[0] = point.lo[0] + 1;
        if (!sweep_run_block(b->loop, &point, share)) return false;
    }
    return true;
}

/* A row that may reach beyond the grid: both ends singly. */
static bool run_row(const bands *b, const grid_box *row, sweep_share *share)
{
    const ir_direction *order = b->loop->loop->kernel->order;
    grid_box inner = grid_box_intersect(row, &b->loop->interior);
    if (!order[0]) return sweep_run_block(b->loop, row, share);
    if (grid_box_is_empty(&inner)) return run_singly(b, row, row->lo[0], row->hi[0], share);
    const int64_t low[2] = {row->lo[0], inner.lo[0]}, high[2] = {inner.hi[0], row->hi[0]};
    bool down = order[0] == IR_BACKWARD;
    const int64_t *first = down ? high : low, *last = down ? low : high;
    return run_singly(b, row, first[0], first[1], share) &&
           sweep_run_block(b->loop, &inner, share) && run_singly(b, row, last[0], last[1], share);
}

/* Steps `from` to `to` of a band row by row, which is in order, too: some points reach beyond the
 * grid. */
static bool run_rows(const bands *b, const grid_box *box, int64_t from, int64_t to,
                     sweep_share *share)
{
    bool down = b->loop->loop->kernel->order[0] == IR_BACKWARD, done = true;
    for (int64_t r = 0; r < extent(box, 1) && done; r++) {
        int64_t first = larger(from - r * b->skew, 0);
        int64_t end = smaller(to - r * b->skew, extent(box, 0));
        grid_box row = *box;
        row.lo[1] += part_of(b, 1, r, extent(box, 1));
        row.hi[1] = row.lo[1] + 1;
        row.lo[0] = down ? box->hi[0] - end : box->lo[0] + first;
        row.hi[0] = down ? box->hi[0] - first : box->lo[0] + end;
        done = first >= end || run_row(b, &row, share);
    }
    return done;
}

/* Steps of a band: those at which all points lie in the interior together. */
static bool run_chunk(const bands *b, const grid_box *box, int64_t from, int64_t to,
                      sweep_share *share)
{
    int64_t begin = b->points[0] ? b->points[0] + (extent(box, 1) - 1) * b->skew : 0;
    int64_t end = b->points[1] ? extent(box, 0) - b->points[1] : INT64_MAX;
    grid_box middle = *box;
    middle.lo[0] = b->loop->interior.lo[0];
    middle.hi[0] = b->loop->interior.hi[0];
    bool plain = b->loop->pipelined && grid_box_contains(&b->loop->interior, &middle);
    begin = plain ? smaller(larger(begin, from), to) : to;
    end = smaller(larger(end, begin), to);
    return (from == begin || run_rows(b, box, from, begin, share)) &&
           (begin == end || run_skewed(b, box, begin, end, share)) &&
           (end == to || run_rows(b, box, end, to, share));
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Waits until a band has run so many steps, or all it has. */
static void await(bands *b, int64_t i, int64_t steps)
{
    sweep_await(&b->ended[i].steps, smaller(steps, steps_of(b, i)), &b->failed);
}

/* Waits until band i may run up to step `to`. */
static void await_others(bands *b, int64_t i, int64_t to)
{
    const ir_direction *order = b->loop->loop->kernel->order;
    int64_t own = i % b->across, first = i - own;
    const int64_t *reach = b->loop->band_reach;
    int64_t further = (reach[1] + b->height - 1) / b->height + 2; /* low bands at the ends */
    if (order[1] && own) await(b, i - 1, to + b->tallest * b->skew);
    int64_t before = order[1] ? smaller(own + further, b->across - 1) : own;
    if (order[2] && first)
        await(b, first - b->across + before, to + reach[0] + (reach[1] + b->tallest) * b->skew);
}

static bool run_band(bands *b, int64_t i, sweep_share *share)
{
    grid_box box = band_box(b, i);
    int64_t steps = steps_of(b, i), to;
    for (int64_t from = 0; from < steps; from = to) {
        to = steps - from > b->chunk ? from + b->chunk : steps;
        if (b->ended) await_others(b, i, to);
        if (atomic_load_explicit(&b->failed, memory_order_relaxed)) return false;
        if (!run_chunk(b, &box, from, to, share)) {
            atomic_store(&b->failed, true);
            return false;
        }
        if (b->ended) atomic_store_explicit(&b->ended[i].steps, to, memory_order_release);
    }
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void work(void *data, int me)
{
    bands *b = data;
    sweep_share *share = sweep_share_of(b->loop, me, &b->loop->core, b->loop->flags);
    int64_t i;
    while ((i = atomic_fetch_add(&b->next, 1)) < b->count)
        if (!run_band(b, i, share)) return;
}

bool sweep_run_bands_alone(const sweep_loop *l, const grid_box *box, sweep_share *share)
{
    bands b = make_bands(l, box);
    b.chunk = INT64_MAX;
    for (int64_t i = 0; i < b.count; i++)
        if (!run_band(&b, i, share)) return false;
    return true;
}

bool sweep_run_bands(sweep_loop *l, const grid_box *box)
{
    bands b = make_bands(l, box);
    int threads = (int)smaller(l->thread_count, b.count);
    if (!l->pipelined || threads <= 1)
        return sweep_run_bands_alone(l, box, sweep_share_of(l, 0, &l->core, l->flags));
    b.ended = aligned_alloc(_Alignof(band), (size_t)b.count * sizeof *b.ended);
    if (!b.ended) return false;
    for (int64_t i = 0; i < b.count; i++) atomic_init(&b.ended[i].steps, 0);
    sweep_workers_run(l->workers, threads, work, &b);
    free(b.ended);
    return !atomic_load(&b.failed);
}
