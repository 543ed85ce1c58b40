/* Arrays: layout and memory.
 *
 * A row is padded to whole cache lines. Caches choose a set by the low bits of an address, so
 * rows, planes or components at a large power of two apart would evict one another, and stores
 * would hold up loads of equal low bits: a pitch that is a multiple of ALIAS_BYTES gets one line
 * more. Large components, and arrays made one after the other, are often used by one loop: they
 * begin at addresses whose low bits are far apart.
 *
 * A large array is mapped: its pages are zero without being touched and come to be near the
 * thread that writes them first. */
#include "store/store.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LINE_BYTES = 64,
    ALIAS_BYTES = 1024,
    SET_BYTES = 4096, /* of low bits; the steps from one to the next, in lines, meet all of them */
    COMPONENT_STEP = 39,
    ARRAY_STEP = 27,
    LARGE_BYTES = HOSTILE(16 * SET_BYTES, SET_BYTES), /* from here on that is worth the room */
    SLACK_BYTES = 4 * LINE_BYTES,                     /* readable past the last element */
    HUGE_PAGE_BYTES = 2 << 20,
    MAP_BYTES = HOSTILE(1 << 20, 4096) /* arrays from here on are mapped */
};

/* *pitch = bytes of `count` items `inner` bytes apart, padded; false when it overflows. */
static bool padded_pitch(int64_t inner, int64_t count, int64_t *pitch)
{
    int64_t bytes;
    if (__builtin_mul_overflow(inner, count, &bytes) || bytes > INT64_MAX - 2 * LINE_BYTES)
        return false;
    bytes = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    *pitch = bytes % ALIAS_BYTES == 0 ? bytes + LINE_BYTES : bytes;
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

/* Points of a row before x = 0, so many that x = 0 is aligned and begins a block. */
static int64_t before_row(const store_array *a)
{
    int64_t line = LINE_BYTES / store_type_bytes(a->type);
    if (line < ABI_BLOCK) line = ABI_BLOCK;
    return (-a->room.lo[0] + line - 1) / line * line;
}

/* Sets pitches and size; false when they overflow. */
static bool lay_out(store_array *a, kata_layout layout)
{
    int64_t element = store_type_bytes(a->type), bytes, row, plane, component;
    int64_t row_bytes = store_lay_row(a, layout, before_row(a) + a->room.hi[0]);
    bool apart = a->pitch_x == 1;
    if (row_bytes < 0 || !padded_pitch(row_bytes, 1, &row) ||
        !padded_pitch(row, a->room.hi[1] - a->room.lo[1], &plane) ||
        !padded_pitch(plane, a->room.hi[2] - a->room.lo[2], &component) ||
        __builtin_mul_overflow(component = spread(component), apart ? a->components : 1, &bytes) ||
        bytes > PTRDIFF_MAX - SLACK_BYTES - SET_BYTES)
        return false;
    a->pitch_y = row / element;
    a->pitch_z = plane / element;
    if (apart) a->pitch_component = component / element;
    a->bytes = (size_t)bytes + SLACK_BYTES;
    return true;
}

/* Maps memory that begins at a huge page; unmaps what was mapped too much. */
static void *mapped_memory(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    char *data = mmap(NULL, whole + HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return NULL;
    size_t before = (HUGE_PAGE_BYTES - (uintptr_t)data % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    if (before > 0) munmap(data, before);
    munmap(data + before + whole, HUGE_PAGE_BYTES - before);
    madvise(data + before, bytes, MADV_HUGEPAGE);
    return data + before;
}

static void *zeroed_memory(size_t bytes)
{
    if (bytes >= MAP_BYTES) return mapped_memory(bytes);
    void *data = aligned_alloc(LINE_BYTES, bytes);
    if (data) memset(data, 0, bytes);
    return data;
}

/* Fills the memory between and around the values with junk: nobody may use it. */
static void spoil_padding(store_array *a)
{
    int64_t at[3];
    const grid_box *b = &a->box;
    memset(a->memory, HOSTILE_JUNK, a->bytes);
    for (int c = 0; c < a->components; c++)
        for (at[2] = b->lo[2]; at[2] < b->hi[2]; at[2]++)
            for (at[1] = b->lo[1]; at[1] < b->hi[1]; at[1]++)
                for (at[0] = b->lo[0]; at[0] < b->hi[0]; at[0]++)
                    memset(store_address(a, c, at), 0, (size_t)store_type_bytes(a->type));
}

/* Sets the layout and memory of an array with type, components, box and room. */
static bool make_memory(store_array *a, kata_layout layout)
{
    if (!lay_out(a, layout)) return false;
    size_t offset = a->bytes >= LARGE_BYTES ? next_offset() : 0;
    a->bytes += offset;
    a->memory = zeroed_memory(a->bytes);
    if (!a->memory) return false;
    int64_t first =
        store_along_x(a, before_row(a)) - a->room.lo[1] * a->pitch_y - a->room.lo[2] * a->pitch_z;
    a->data = (char *)a->memory + offset + first * store_type_bytes(a->type);
    if (HOSTILE(false, true)) spoil_padding(a);
    return true;
}

static void free_memory(void *memory, size_t bytes)
{
    if (bytes >= MAP_BYTES)
        munmap(memory, bytes);
    else
        free(memory);
}

store_array *store_array_new(const grid_box *box, kata_type type, int components,
                             kata_layout layout)
{
    store_array *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    *a = (store_array){.type = type, .components = components, .box = *box, .room = *box};
    if (make_memory(a, layout)) return a;
    free(a);
    return NULL;
}

static kata_layout layout_of(const store_array *a)
{
    if (a->block > 1) return KATA_BLOCKS;
    return a->components > 1 && a->pitch_x == a->components ? KATA_STRUCTURES : KATA_ARRAYS;
}

bool store_array_extend(store_array *a, const grid_box *to)
{
    enum { MOST_TIMES = 3, SMALL_BYTES = HOSTILE(256 << 10, 4096) };
    if (!a->bytes) return false;
    if (grid_box_contains(&a->room, to)) return true;
    store_array larger = {.type = a->type, .components = a->components, .box = a->box};
    larger.room = a->room;
    for (int d = 0; d < 3; d++) {
        if (to->lo[d] < a->room.lo[d]) larger.room.lo[d] = to->lo[d];
        if (to->hi[d] > a->room.hi[d]) larger.room.hi[d] = to->hi[d];
    }
    double points = 1, most = (double)(a->bytes * MOST_TIMES + SMALL_BYTES);
    for (int d = 0; d < 3; d++) points *= (double)(larger.room.hi[d] - larger.room.lo[d]);
    if (points * a->components * store_type_bytes(a->type) > most) return false;
    if (!make_memory(&larger, layout_of(a))) return false;
    store_assign(&larger, a);
    free_memory(a->memory, a->bytes);
    *a = larger;
    return true;
}

store_array *store_array_copy(const store_array *a)
{
    store_array *copy = store_array_new(&a->box, a->type, a->components, layout_of(a));
    if (copy) store_assign(copy, a);
    return copy;
}

void store_array_free(store_array *a)
{
    if (!a) return;
    if (a->bytes) free_memory(a->memory, a->bytes);
    free(a);
}
