/* Copies between fields, which no function is compiled for. The box is cut into blocks, which
 * threads take.
 *
 * Where rows of one field lie along another dimension of the other, a block is a small square of
 * both: the lines of memory that its columns touch stay in the first cache while they are used up.
 * Otherwise a block holds whole rows. */
#include "sweep/loop.h"

#include <stdatomic.h>

enum {
    SQUARE = HOSTILE(32, 3),              /* points */
    BLOCK_BYTES = HOSTILE(32 << 10, 48),  /* of whole rows */
    SHARED_BYTES = HOSTILE(512 << 10, 32) /* from here on threads share a copy */
};

typedef struct copying {
    const chain_copy *map;
    const store_array *from;
    store_array *to;
    grid_box box;
    int across;                       /* the dimension of `from` that runs along x of `to` */
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
    for (; point[0] < end; point[0]++) {
        find_source(c, point, index);
        store_set_element(c->to, component, point, store_get_element(c->from, component, index));
    }
}

static void copy_row(const copying *c, int component, int64_t point[3], int64_t end)
{
    const int64_t pitch[3] = {c->from->pitch_x, c->from->pitch_y, c->from->pitch_z};
    int64_t index[3], step = c->map->sign[c->across] * pitch[c->across];
    if (c->to->block != 1 || c->from->block != 1) {
        copy_points(c, component, point, end);
        return;
    }
    find_source(c, point, index);
    copy_steps(store_address(c->to, component, point), c->to->pitch_x,
               store_address(c->from, component, index), step, end - point[0],
               store_type_bytes(c->to->type));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void cut(copying *c)
{
    const chain_copy *map = c->map;
    int64_t extent[3], row;
    for (int d = 0; d < 3; d++) extent[d] = c->box.hi[d] - c->box.lo[d];
    row = extent[0] * store_type_bytes(c->to->type);
    c->across = 0;
    while (map->axis[c->across] != 0) c->across++;
    c->size[0] = c->across ? SQUARE : extent[0];
    c->size[1] = larger(BLOCK_BYTES / row, 1);
    c->size[2] = 1;
    if (c->across) c->size[1] = map->axis[0] == 1 ? SQUARE : 1;
    if (c->across && map->axis[0] == 2) c->size[2] = SQUARE;
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
    for (int d = 0; d < 3; d++) {
        b.lo[d] = c->box.lo[d] + number % c->count[d] * c->size[d];
        b.hi[d] = smaller(b.lo[d] + c->size[d], c->box.hi[d]);
        number /= c->count[d];
    }
    for (point[2] = b.lo[2]; point[2] < b.hi[2]; point[2]++)
        for (point[1] = b.lo[1]; point[1] < b.hi[1]; point[1]++) {
            point[0] = b.lo[0];
            copy_row(c, (int)number, point, b.hi[0]);
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

void sweep_copy(sweep_workers *workers, const chain_loop *loop, const grid_box *box)
{
    copying c = {.map = loop->copy,
                 .from = loop->bindings[CHAIN_COPY_FROM].slot->array,
                 .to = loop->bindings[CHAIN_COPY_TO].slot->array,
                 .box = *box};
    if (grid_box_is_empty(box)) return;
    cut(&c);
    int64_t bytes = grid_box_points(box) * c.to->components * (int64_t)store_type_bytes(c.to->type);
    int64_t threads = bytes < SHARED_BYTES ? 1 : smaller(workers->count, c.total);
    if (threads > 1)
        sweep_workers_run(workers, (int)threads, work, &c);
    else
        work(&c, 0);
}
