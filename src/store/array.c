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
    SLACK_BYTES = 4 * LINE_BYTES,      /* readable past the last element */
    MAP_BYTES = HOSTILE(1 << 20, 4096) /* arrays from here on are mapped */
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

/* Sets pitches and size; false when they overflow. */
static bool lay_out(store_array *a)
{
    int64_t element = store_type_bytes(a->type), bytes, row, plane, component;
    if (!padded_pitch(element, a->shape.size[0], &row) ||
        !padded_pitch(row, a->shape.size[1], &plane) ||
        !padded_pitch(plane, a->shape.size[2], &component) ||
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

/* Makes what lies between rows, and behind the last one, anything but zero: nobody may use it. */
static void spoil_padding(store_array *a)
{
    size_t row = (size_t)a->shape.size[0] * (size_t)store_type_bytes(a->type);
    memset(a->data, HOSTILE_JUNK, a->bytes);
    for (int64_t c = 0; c < a->components; c++)
        for (int64_t z = 0; z < a->shape.size[2]; z++)
            for (int64_t y = 0; y < a->shape.size[1]; y++) {
                int64_t at = y * a->pitch_y + z * a->pitch_z + c * a->pitch_component;
                memset((char *)a->data + at * store_type_bytes(a->type), 0, row);
            }
}

store_array *store_array_new(const grid_shape *shape, kata_type type, int components)
{
    store_array *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    a->type = type;
    a->components = components;
    a->shape = *shape;
    if (lay_out(a)) a->data = zeroed_memory(a->bytes);
    if (HOSTILE(false, a->data)) spoil_padding(a);
    if (a->data) return a;
    free(a);
    return NULL;
}

void store_array_free(store_array *a)
{
    if (!a) return;
    if (a->bytes >= MAP_BYTES)
        munmap(a->data, a->bytes);
    else
        free(a->data);
    free(a);
}
