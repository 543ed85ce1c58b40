/* Copies between fields, which no function is compiled for. The box is cut into blocks, which
 * threads take.
 *
 * Where rows of one field lie along another dimension of the other, a block is a small square of
 * both: the lines of memory that its columns touch stay in the first cache while they are used up.
 * Otherwise a block holds whole rows. A box of few points along x, such as a layer of ghosts, is
 * copied along its longest dimension. */
#include "sweep/loop.h"

#include <stdatomic.h>

enum {
    SQUARE = HOSTILE(32, 3),              /* points */
    NARROW = HOSTILE(8, 2),               /* points along x */
    BLOCK_BYTES = HOSTILE(32 << 10, 48),  /* of whole rows */
    SHARED_BYTES = HOSTILE(512 << 10, 32) /* from here on threads share a copy */
};

typedef struct copying {
    const chain_copy *map;
    const store_array *from;
    store_array *to;
    grid_box box;
    int along, across; /* the dimension of `to` that rows run along; the one of `from` there */
    int64_t size[3], count[3], total; /* of blocks, of one component; of all components */
    _Atomic int64_t next;
} copying;

/* ---- rows ------------------------------------------------------------------------------------ */

#define COPY(bytes)                                                                                \
    for (int64_t i = 0; i < count; i++)                                                            \
    memcpy(to + i * to_step * (bytes), from + i * from_step * (bytes), bytes)

/* Steps are in elements. */
static void copy_steps(char *to, int64_t to_step, const char *from, int64_t from_step,
                       int64_t count, int bytes)
{
    if (to_step == 1 && from_step == 1) {
        memcpy(to, from, (size_t)(count * bytes));
        return;
    }
    switch (bytes) {
    case 1: COPY(1); break;
    case 2: COPY(2); break;
    case 4: COPY(4); break;
    default: COPY(8); break;
    }
}

static void find_source(const copying *c, const int64_t point[3], int64_t index[3])
{
    for (int d = 0; d < 3; d++) index[d] = chain_copy_index(c->map, d, point);
}

/* Where the points of a row, or of its source, are not evenly apart. */
static void copy_points(const copying *c, int component, int64_t point[3], int64_t end)
{
    int64_t index[3];
    for (; point[c->along] < end; point[c->along]++) {
        find_source(c, point, index);
        store_set_element(c->to, component, point, store_get_element(c->from, component, index));
    }
}

static void copy_row(const copying *c, int component, int64_t point[3], int64_t end)
{
    const int64_t pitch[3] = {c->from->pitch_x, c->from->pitch_y, c->from->pitch_z};
    const int64_t own_pitch[3] = {c->to->pitch_x, c->to->pitch_y, c->to->pitch_z};
    int64_t index[3], step = c->map->sign[c->across] * pitch[c->across];
    if (c->to->block != 1 || c->from->block != 1) {
        copy_points(c, component, point, end);
        return;
    }
    find_source(c, point, index);
    copy_steps(store_address(c->to, component, point), own_pitch[c->along],
               store_address(c->from, component, index), step, end - point[c->along],
               store_type_bytes(c->to->type));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Sets the directions of rows. */
static void find_rows(copying *c, const int64_t extent[3])
{
    c->along = c->across = 0;
    for (int d = 1; d < 3; d++)
        if (extent[0] < NARROW && extent[d] > extent[c->along]) c->along = d;
    while (c->map->axis[c->across] != c->along) c->across++;
}

static void find_size(copying *c, const int64_t extent[3])
{
    int64_t row = extent[0] * store_type_bytes(c->to->type);
    int turned = (int)c->map->axis[0]; /* the dimension of `to` that x of `from` runs along */
    bool square = c->along == 0 && turned;
    c->size[0] = square ? SQUARE : extent[0];
    c->size[1] = square ? 1 : larger(BLOCK_BYTES / row, 1);
    c->size[2] = c->along == 2 ? larger(BLOCK_BYTES / row, 1) : 1;
    if (square) c->size[turned] = SQUARE;
    if (c->along == 2) c->size[1] = 1;
}

static void cut(copying *c)
{
    int64_t extent[3];
    for (int d = 0; d < 3; d++) extent[d] = c->box.hi[d] - c->box.lo[d];
    find_rows(c, extent);
    find_size(c, extent);
    c->total = c->to->components;
    for (int d = 0; d < 3; d++) {
        c->count[d] = (extent[d] + c->size[d] - 1) / c->size[d];
        c->total *= c->count[d];
    }
}

static void copy_block(const copying *c, int64_t number)
{
    grid_box b;
    int64_t point[3];
    int along = c->along, inner = along == 0 ? 1 : 0, outer = along == 2 ? 1 : 2;
    for (int d = 0; d < 3; d++) {
        b.lo[d] = c->box.lo[d] + number % c->count[d] * c->size[d];
        b.hi[d] = smaller(b.lo[d] + c->size[d], c->box.hi[d]);
        number /= c->count[d];
    }
    for (point[outer] = b.lo[outer]; point[outer] < b.hi[outer]; point[outer]++)
        for (point[inner] = b.lo[inner]; point[inner] < b.hi[inner]; point[inner]++) {
            point[along] = b.lo[along];
            copy_row(c, (int)number, point, b.hi[along]);
        }
}

static void work(void *data, int me)
{
    copying *c = data;
    int64_t number;
    (void)me;
    while ((number = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed)) < c->total)
        copy_block(c, number);
}

static copying copying_of(const chain_loop *loop, const grid_box *box)
{
    copying c = {.map = loop->copy,
                 .from = loop->bindings[CHAIN_COPY_FROM].slot->array,
                 .to = loop->bindings[CHAIN_COPY_TO].slot->array,
                 .box = *box};
    cut(&c);
    return c;
}

void sweep_copy_alone(const chain_loop *loop, const grid_box *box)
{
    copying c = copying_of(loop, box);
    work(&c, 0);
}

void sweep_copy(sweep_workers *workers, const chain_loop *loop, const grid_box *box)
{
    if (grid_box_is_empty(box)) return;
    copying c = copying_of(loop, box);
    int64_t bytes = grid_box_points(box) * c.to->components * (int64_t)store_type_bytes(c.to->type);
    int64_t threads = bytes < SHARED_BYTES ? 1 : smaller(workers->count, c.total);
    if (threads > 1)
        sweep_workers_run(workers, (int)threads, work, &c);
    else
        work(&c, 0);
}
