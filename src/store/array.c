/* Arrays: layout and memory.
 *
 * A row is padded to whole cache lines. Caches choose a set by the low bits of an address, so
 * rows, planes or components at a large power of two apart would evict one another, and stores
 * would hold up loads of equal low bits: a pitch that is a multiple of ALIAS_BYTES gets one line
 * more. Large components, and arrays made one after the other, are often used by one loop: they
 * begin at addresses whose low bits are far apart. */
#include "store/pin.h"
#include "store/pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 64,
    ALIAS_BYTES = 1024,
    SET_BYTES = 4096, /* of low bits; the steps from one to the next, in lines, meet all of them */
    COMPONENT_STEP = 39,
    ARRAY_STEP = 27,
    LARGE_BYTES = HOSTILE(16 * SET_BYTES, SET_BYTES), /* from here on that is worth the room */
    SLACK_BYTES = 4 * LINE_BYTES                      /* readable past the last element */
};

/* *pitch = bytes of `count` items `inner` bytes apart, and `more`, padded; false when it overflows.
 * `unit`: to what a port moves; 0: it lies in memory. */
static bool padded_pitch(int64_t inner, int64_t count, int64_t more, int64_t unit, int64_t *pitch)
{
    int64_t bytes;
    if (__builtin_mul_overflow(inner, count, &bytes) || __builtin_add_overflow(bytes, more, &bytes))
        return false;
    if (bytes > INT64_MAX - 2 * PORT_ALIGN) return false;
    int64_t of = unit ? unit : LINE_BYTES;
    bytes = (bytes + of - 1) / of * of;
    *pitch = !unit && bytes % ALIAS_BYTES == 0 ? bytes + LINE_BYTES : bytes;
    return true;
}

/* Moves large components apart: at least as far as they were. */
static int64_t spread(int64_t component)
{
    if (component < LARGE_BYTES || component > INT64_MAX - SET_BYTES) return component;
    int64_t step = COMPONENT_STEP * LINE_BYTES % SET_BYTES - component % SET_BYTES;
    return component + (step < 0 ? step + SET_BYTES : step);
}

/* Bytes in front of a large array: others for the next. */
static size_t next_offset(void)
{
    static _Atomic unsigned arrays;
    return (size_t)atomic_fetch_add_explicit(&arrays, 1, memory_order_relaxed) * ARRAY_STEP *
           LINE_BYTES % SET_BYTES;
}

/* A number that no array has had. */
static int64_t next_number(void)
{
    static _Atomic int64_t numbers;
    return atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
}

int64_t store_lay_row(store_array *a, kata_layout layout, int64_t points)
{
    int64_t row, together = a->components == 1 || layout == KATA_ARRAYS ? 1 : a->components;
    a->block = together > 1 && layout == KATA_BLOCKS ? ABI_BLOCK : 1;
    a->pitch_x = a->block * together;
    a->pitch_component = a->block; /* of arrays: unlike that, as the caller says */
    if (points > INT64_MAX - ABI_BLOCK ||
        __builtin_mul_overflow((points + a->block - 1) / a->block, a->pitch_x, &row) ||
        __builtin_mul_overflow(row, store_type_bytes(a->type), &row) ||
        row > INT64_MAX - LINE_BYTES)
        return -1;
    return (row + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

/* Points of a row before x = 0, so many that x = 0 is aligned and begins a block; below 0 where the
 * row begins behind x = 0. Those of a row that has no blocks lie behind the row before it: room at
 * both ends fits one line. */
static int64_t before_row(const store_array *a)
{
    int64_t line = LINE_BYTES / store_type_bytes(a->type), lo = a->room.lo[0];
    if (line < ABI_BLOCK) line = ABI_BLOCK;
    return lo > 0 ? -(lo / line * line) : (-lo + line - 1) / line * line;
}

/* Sets pitches and size; false when they overflow. `unit`: planes begin where ports move, and hold
 * all their points; so do rows that are planes. 0: it lies in memory. */
static bool lay_out(store_array *a, kata_layout layout, int64_t unit)
{
    int64_t element = store_type_bytes(a->type), bytes, row, plane, component;
    bool blocks = layout == KATA_BLOCKS && a->components > 1;
    int64_t before = before_row(a), front = larger(before, before + a->room.lo[0]);
    bool flat = a->room.hi[2] - a->room.lo[2] == 1;
    int64_t points = a->room.hi[0] + (blocks || (unit && flat) ? before : -a->room.lo[0]);
    int64_t row_bytes = store_lay_row(a, layout, points);
    int64_t first = unit && !flat ? store_along_x(a, before + a->room.lo[0]) * element : 0;
    bool apart = a->pitch_x == 1;
    if (row_bytes < 0 || !padded_pitch(row_bytes, 1, 0, flat ? unit : 0, &row) ||
        !padded_pitch(row, a->room.hi[1] - a->room.lo[1], first, unit, &plane) ||
        !padded_pitch(plane, a->room.hi[2] - a->room.lo[2], 0, unit, &component) ||
        __builtin_mul_overflow(component = unit ? component : spread(component),
                               apart ? a->components : 1, &bytes) ||
        __builtin_add_overflow(bytes, store_along_x(a, front) * element, &bytes) ||
        bytes > PTRDIFF_MAX - SLACK_BYTES - SET_BYTES)
        return false;
    a->pitch_y = row / element;
    a->pitch_z = plane / element;
    if (apart) a->pitch_component = component / element;
    a->bytes = (size_t)bytes + SLACK_BYTES;
    return true;
}

/* Sets all values to zero. */
static void set_zero(store_array *a)
{
    int64_t at[3];
    const grid_box *b = &a->box;
    for (int c = 0; c < a->components; c++)
        for (at[2] = b->lo[2]; at[2] < b->hi[2]; at[2]++)
            for (at[1] = b->lo[1]; at[1] < b->hi[1]; at[1]++)
                for (at[0] = b->lo[0]; at[0] < b->hi[0]; at[0]++)
                    memset(store_address(a, c, at), 0, (size_t)store_type_bytes(a->type));
}

/* Fills the memory that nobody may read, between and around values that are set, with junk. */
static void spoil(store_array *a, bool zero)
{
    memset(a->memory, HOSTILE_JUNK, a->bytes);
    if (zero) set_zero(a);
}

/* The memory of a file, which is all zero; or addresses alone. Planes begin where a port can move
 * them. */
static bool make_file(store_array *a, kata_layout layout)
{
    const int64_t unit = a->nowhere ? PORT_LEAST_UNIT : store_pool_unit(a->pool);
    if (!lay_out(a, layout, unit)) return false;
    a->bytes = (a->bytes + PORT_ALIGN - 1) / PORT_ALIGN * PORT_ALIGN;
    if (a->nowhere) {
        a->memory = store_pool_addresses(a->bytes);
        return a->memory;
    }
    bool flat = a->room.hi[2] - a->room.lo[2] == 1;
    size_t plane = (size_t)((flat ? a->pitch_y : a->pitch_z) * store_type_bytes(a->type));
    a->file = store_pool_file(a->pool, a->bytes, plane);
    a->memory = a->file ? port_file_memory(a->file) : NULL;
    return a->memory;
}

/* Sets the layout and memory of an array with type, components, box, room and pool. `zero`: all
 * values are; otherwise they are not set. */
static bool make_memory(store_array *a, kata_layout layout, bool zero, chain_home home)
{
    bool is_zero = true;
    if (!lay_out(a, layout, 0)) return false;
    bool far = home == CHAIN_IN_FILE || home == CHAIN_NOWHERE;
    if (home == CHAIN_ANYWHERE) far = store_pool_goes_far(a->pool, a->bytes);
    a->kept = home == CHAIN_IN_MEMORY;
    a->nowhere = home == CHAIN_NOWHERE;
    size_t offset = a->bytes >= LARGE_BYTES && !far ? next_offset() : 0;
    a->bytes += offset;
    if (far && !make_file(a, layout)) return false;
    if (!far) a->memory = store_pool_take(a->pool, a->bytes, &is_zero);
    if (!a->memory) return false;
    int64_t first =
        store_along_x(a, before_row(a)) - a->room.lo[1] * a->pitch_y - a->room.lo[2] * a->pitch_z;
    a->data = (char *)a->memory + offset + first * store_type_bytes(a->type);
    a->stays = next_number();
    if (a->nowhere) return true;
    if (HOSTILE(false, true))
        spoil(a, zero);
    else if (zero && !is_zero)
        memset(a->memory, 0, a->bytes);
    return true;
}

kata_layout store_array_layout(const store_array *a)
{
    if (a->block > 1) return KATA_BLOCKS;
    return a->components > 1 && a->pitch_x == a->components ? KATA_STRUCTURES : KATA_ARRAYS;
}

store_array *store_array_make_at(const store_array *like, kata_layout layout, bool zero,
                                 chain_home home)
{
    store_array *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    *a = (store_array){.type = like->type,
                       .components = like->components,
                       .box = like->box,
                       .room = like->room,
                       .pool = like->pool,
                       .place = like->place,
                       .placed = like->placed};
    if (make_memory(a, layout, zero, home)) return a;
    free(a);
    return NULL;
}

store_array *store_array_make(const store_array *like, kata_layout layout, bool zero)
{
    return store_array_make_at(like, layout, zero, CHAIN_ANYWHERE);
}

store_array *store_array_new(const grid_box *box, kata_type type, int components,
                             kata_layout layout)
{
    store_array like = {.type = type, .components = components, .box = *box, .room = *box};
    return store_array_make(&like, layout, true);
}

bool store_is_fair_room(const grid_box *box, const grid_box *room, int64_t bytes)
{
    enum { MOST_TIMES = 3, SMALL_BYTES = HOSTILE(256 << 10, 4096) };
    double values = (double)bytes, all = (double)bytes;
    for (int d = 0; d < 3; d++) {
        values *= (double)(box->hi[d] - box->lo[d]);
        all *= (double)(room->hi[d] - room->lo[d]);
    }
    return all <= MOST_TIMES * values + SMALL_BYTES;
}

bool store_array_extend(store_array *a, const grid_box *to)
{
    if (!a->bytes) return false;
    if (grid_box_contains(&a->room, to)) return true;
    if (a->file || a->nowhere) return false;
    store_array larger = {.type = a->type,
                          .components = a->components,
                          .box = a->box,
                          .pool = a->pool,
                          .place = a->place,
                          .placed = a->placed};
    larger.room = grid_box_hull(&a->room, to);
    if (!store_is_fair_room(&a->box, &larger.room, a->components * store_type_bytes(a->type)))
        return false;
    const chain_home home = a->kept ? CHAIN_IN_MEMORY : CHAIN_ANYWHERE;
    if (!make_memory(&larger, store_array_layout(a), false, home)) return false;
    store_assign(&larger, a);
    store_array_unpin(a);
    store_pool_return(a->pool, a->memory, a->bytes);
    *a = larger;
    return true;
}

store_array *store_array_copy(const store_array *a)
{
    store_array like = *a;
    like.around = 0;
    if (!a->bytes) like.room = a->box;
    store_array *copy = store_array_make(&like, store_array_layout(a), false);
    if (copy) store_assign(copy, a);
    return copy;
}

void store_array_free(store_array *a)
{
    if (!a) return;
    store_array_unpin(a);
    if (a->file)
        port_file_free(a->file);
    else if (a->nowhere)
        store_pool_forget_addresses(a->memory, a->bytes);
    else if (a->bytes)
        store_pool_return(a->pool, a->memory, a->bytes);
    free(a);
}
