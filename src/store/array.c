/* Arrays: layout and memory.
 *
 * A row is padded to whole cache lines. Caches choose a set by the low bits of an address, so
 * rows, planes or components at a large power of two apart would evict one another, and stores
 * would hold up loads of equal low bits: a pitch that is a multiple of ALIAS_BYTES gets one line
 * more.
 *
 * A large array is mapped: its pages are zero without being touched and come to be near the
 * thread that writes them first. */
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LINE_BYTES = 64,
    ALIAS_BYTES = 1024,
    SLACK_BYTES = 4 * LINE_BYTES, /* readable past the last element */
    MAP_BYTES = 1 << 20           /* arrays from here on are mapped */
};

int store_type_bytes(kata_type type) { return ir_storages[type].bytes; }

const char *store_type_name(kata_type type)
{
    return (unsigned)type < IR_STORAGE_COUNT ? ir_storages[type].name : "unknown type";
}

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

/* Elements of a row before x = 0, so many that x = 0 is aligned. */
static int64_t before_row(const store_array *a)
{
    int64_t line = LINE_BYTES / store_type_bytes(a->type);
    return (-a->box.lo[0] + line - 1) / line * line;
}

/* Sets pitches and size; false when they overflow. */
static bool lay_out(store_array *a)
{
    int64_t element = store_type_bytes(a->type), bytes, row, plane, component;
    const grid_box *box = &a->box;
    if (!padded_pitch(element, before_row(a) + box->hi[0], &row) ||
        !padded_pitch(row, box->hi[1] - box->lo[1], &plane) ||
        !padded_pitch(plane, box->hi[2] - box->lo[2], &component) ||
        __builtin_mul_overflow(component, a->components, &bytes) ||
        bytes > PTRDIFF_MAX - SLACK_BYTES)
        return false;
    a->pitch_y = row / element;
    a->pitch_z = plane / element;
    a->pitch_component = component / element;
    a->bytes = (size_t)bytes + SLACK_BYTES;
    return true;
}

static void *zeroed_memory(size_t bytes)
{
    if (bytes >= MAP_BYTES) {
        void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (data == MAP_FAILED) return NULL;
        madvise(data, bytes, MADV_HUGEPAGE);
        return data;
    }
    void *data = aligned_alloc(LINE_BYTES, bytes);
    if (data) memset(data, 0, bytes);
    return data;
}

store_array *store_array_new(const grid_box *box, kata_type type, int components)
{
    store_array *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    a->type = type;
    a->components = components;
    a->box = *box;
    if (lay_out(a)) a->memory = zeroed_memory(a->bytes);
    if (a->memory) {
        int64_t first = before_row(a) - box->lo[1] * a->pitch_y - box->lo[2] * a->pitch_z;
        a->data = (char *)a->memory + first * store_type_bytes(type);
        return a;
    }
    free(a);
    return NULL;
}

void store_array_free(store_array *a)
{
    if (!a) return;
    if (a->bytes >= MAP_BYTES)
        munmap(a->memory, a->bytes);
    else
        free(a->memory);
    free(a);
}
