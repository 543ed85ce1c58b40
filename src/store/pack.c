/* Boxes of an array: copied to others, and to memory without gaps. */
#include "store/store.h"

#include <string.h>

size_t store_box_bytes(const store_array *a, const grid_box *box)
{
    return (size_t)(grid_box_points(box) * a->components * store_type_bytes(a->type));
}

static bool has_plain_rows(const store_array *a) { return a->pitch_x == 1 && a->block == 1; }

/* Copies rows that lie so many bytes apart. */
static void copy_rows(char *to, int64_t to_pitch, const char *from, int64_t from_pitch,
                      int64_t bytes, int64_t rows)
{
    for (; rows > 0; rows--, to += to_pitch, from += from_pitch) memcpy(to, from, (size_t)bytes);
}

void store_pack(const store_array *a, const grid_box *box, void *to)
{
    int64_t count = box->hi[0] - box->lo[0], rows = box->hi[1] - box->lo[1];
    int64_t element = store_type_bytes(a->type), bytes = count * element;
    char *packed = to;
    if (grid_box_is_empty(box)) return;
    for (int c = 0; c < a->components; c++)
        for (int64_t z = box->lo[2]; z < box->hi[2]; z++, packed += rows * bytes) {
            const int64_t first[3] = {box->lo[0], box->lo[1], z};
            if (has_plain_rows(a))
                copy_rows(packed, bytes, store_address(a, c, first), a->pitch_y * element, bytes,
                          rows);
            for (int64_t y = 0; y < rows && !has_plain_rows(a); y++)
                store_read_row(a, c, (const int64_t[3]){first[0], first[1] + y, z}, count,
                               packed + y * bytes);
        }
}

void store_unpack(store_array *a, const grid_box *box, const void *from)
{
    int64_t count = box->hi[0] - box->lo[0], rows = box->hi[1] - box->lo[1];
    int64_t element = store_type_bytes(a->type), bytes = count * element;
    const char *packed = from;
    if (grid_box_is_empty(box)) return;
    for (int c = 0; c < a->components; c++)
        for (int64_t z = box->lo[2]; z < box->hi[2]; z++, packed += rows * bytes) {
            const int64_t first[3] = {box->lo[0], box->lo[1], z};
            if (has_plain_rows(a))
                copy_rows(store_address(a, c, first), a->pitch_y * element, packed, bytes, bytes,
                          rows);
            for (int64_t y = 0; y < rows && !has_plain_rows(a); y++)
                store_write_row(a, c, (const int64_t[3]){first[0], first[1] + y, z}, count,
                                packed + y * bytes);
        }
}

void store_copy_box(store_array *to, const store_array *from, const grid_box *box,
                    const int64_t shift[3])
{
    int64_t bytes = store_type_bytes(to->type);
    int64_t run = has_plain_rows(to) && has_plain_rows(from) ? box->hi[0] - box->lo[0] : 1;
    if (grid_box_is_empty(box)) return;
    for (int c = 0; c < to->components; c++)
        for (int64_t z = box->lo[2]; z < box->hi[2]; z++)
            for (int64_t y = box->lo[1]; y < box->hi[1]; y++)
                for (int64_t x = box->lo[0]; x < box->hi[0]; x += run) {
                    const int64_t at[3] = {x, y, z};
                    const int64_t there[3] = {x + shift[0], y + shift[1], z + shift[2]};
                    memcpy(store_address(to, c, at), store_address(from, c, there),
                           (size_t)(run * bytes));
                }
}
