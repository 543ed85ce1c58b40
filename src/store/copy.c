/* Copies between arrays and plain order, a row at a time. A row consists of runs of evenly spaced
 * elements: all of it, or a block. */
#include "store/store.h"

#include <math.h>
#include <string.h>

#include "ir/arithmetic.h"

enum {
    PIECE = HOSTILE(256, 3),            /* elements converted or copied at a time */
    MAPPED_BYTES = HOSTILE(16 << 20, 1) /* of a file that are left after they were copied */
};

/* ---- conversions ----------------------------------------------------------------------------- */

static bool is_byte(kata_type type) { return type == KATA_U8 || type == KATA_UNORM8; }

bool store_converts(kata_type a, kata_type b)
{
    bool floating =
        ir_type_is_floating(ir_type_of_storage(a)) && ir_type_is_floating(ir_type_of_storage(b));
    return a == b || floating || (is_byte(a) && is_byte(b));
}

#define CONVERT(T, S, conversion)                                                                  \
    for (int64_t i = 0; i < count; i++) ((T *)target)[i] = conversion(((const S *)values)[i])

/* From a type to float or double. */
static void widen_row(bool to_double, void *target, kata_type from, const void *values,
                      int64_t count)
{
    switch (from) {
    case KATA_F16:
        if (to_double)
            CONVERT(double, uint16_t, kata_f64_of_f16);
        else
            CONVERT(float, uint16_t, kata_f32_of_f16);
        break;
    case KATA_BF16:
        if (to_double)
            CONVERT(double, uint16_t, kata_f64_of_bf16);
        else
            CONVERT(float, uint16_t, kata_f32_of_bf16);
        break;
    case KATA_UNORM8:
        if (to_double)
            CONVERT(double, uint8_t, kata_f64_of_unorm8);
        else
            CONVERT(float, uint8_t, kata_f32_of_unorm8);
        break;
    case KATA_F32:
        if (to_double)
            CONVERT(double, float, (double));
        else
            memcpy(target, values, (size_t)count * sizeof(float));
        break;
    default: memcpy(target, values, (size_t)count * sizeof(double));
    }
}

/* From float or double to a type. */
static void narrow_row(kata_type to, void *target, bool from_double, const void *values,
                       int64_t count)
{
    switch (to) {
    case KATA_F16:
        if (from_double)
            CONVERT(uint16_t, double, kata_f16_of_f64);
        else
            CONVERT(uint16_t, float, kata_f16_of_f32);
        break;
    case KATA_BF16:
        if (from_double)
            CONVERT(uint16_t, double, kata_bf16_of_f64);
        else
            CONVERT(uint16_t, float, kata_bf16_of_f32);
        break;
    case KATA_UNORM8:
        if (from_double)
            CONVERT(uint8_t, double, kata_unorm8_of_f64);
        else
            CONVERT(uint8_t, float, kata_unorm8_of_f32);
        break;
    case KATA_F32:
        if (from_double)
            CONVERT(float, double, (float));
        else
            memcpy(target, values, (size_t)count * sizeof(float));
        break;
    default: memcpy(target, values, (size_t)count * sizeof(double));
    }
}

static void convert_row(kata_type to, void *target, kata_type from, const void *values,
                        int64_t count)
{
    double piece[PIECE];
    bool wide = to == KATA_F64 || from == KATA_F64;
    if (to == from || (is_byte(to) && is_byte(from))) {
        memcpy(target, values, (size_t)count * (size_t)store_type_bytes(to));
        return;
    }
    for (int64_t done = 0; done < count; done += PIECE) {
        int64_t part = count - done < PIECE ? count - done : PIECE;
        widen_row(wide, piece, from, (const char *)values + done * store_type_bytes(from), part);
        narrow_row(to, (char *)target + done * store_type_bytes(to), wide, piece, part);
    }
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/* Goes through the rows of a box in plain order. */
typedef struct row_walk {
    grid_box box;
    int components;
    int64_t y, z;
    int component;
    const int32_t
        *place; /* of rows along `placed`, or of the elements of a row: as in store_array */
    int placed;
} row_walk;

static row_walk walk_rows(const grid_box *box, int components)
{
    return (row_walk){*box, components, box->lo[1], box->lo[2], 0, NULL, 0};
}

/* Those of a box as a program has it. */
static row_walk walk_program(const store_array *a, const grid_box *box, int components)
{
    row_walk walk = walk_rows(box, components);
    if (a) walk.place = a->place;
    if (a) walk.placed = a->placed;
    return walk;
}

static bool has_row(const row_walk *walk)
{
    return !grid_box_is_empty(&walk->box) && walk->component < walk->components;
}

static void next_row(row_walk *walk)
{
    if (++walk->y < walk->box.hi[1]) return;
    walk->y = walk->box.lo[1];
    if (++walk->z < walk->box.hi[2]) return;
    walk->z = walk->box.lo[2];
    walk->component++;
}

static void row_start(const row_walk *walk, int64_t start[3])
{
    start[0] = walk->box.lo[0];
    start[1] = walk->y;
    start[2] = walk->z;
    if (walk->place && walk->placed) start[walk->placed] = walk->place[start[walk->placed]];
}

static bool is_scattered(const row_walk *walk) { return walk->place && !walk->placed; }

/* Elements at a distance from one another to others, `bytes` each. */
static void copy_spread(char *to, int64_t to_step, const char *from, int64_t from_step,
                        int64_t count, int bytes)
{
    for (int64_t i = 0; i < count; i++, to += to_step, from += from_step)
        memcpy(to, from, (size_t)bytes);
}

/* How many elements from x on are evenly spaced. */
static int64_t run_length(const store_array *a, int64_t x, int64_t count)
{
    int64_t left = a->block - (x & (a->block - 1));
    return a->block == 1 || count < left ? count : left;
}

/* Distance in bytes of the elements of a run. */
static int64_t run_step(const store_array *a)
{
    return (a->block > 1 ? 1 : a->pitch_x) * store_type_bytes(a->type);
}

void store_read_row(const store_array *a, int component, const int64_t start[3], int64_t count,
                    void *elements)
{
    int bytes = store_type_bytes(a->type);
    char *out = elements;
    int64_t at[3] = {start[0], start[1], start[2]}, run;
    for (; count > 0; count -= run, at[0] += run, out += run * bytes) {
        run = run_length(a, at[0], count);
        if (run_step(a) == bytes)
            memcpy(out, store_address(a, component, at), (size_t)(run * bytes));
        else
            copy_spread(out, bytes, store_address(a, component, at), run_step(a), run, bytes);
    }
}

void store_write_row(store_array *a, int component, const int64_t start[3], int64_t count,
                     const void *elements)
{
    int bytes = store_type_bytes(a->type);
    const char *in = elements;
    int64_t at[3] = {start[0], start[1], start[2]}, run;
    for (; count > 0; count -= run, at[0] += run, in += run * bytes) {
        run = run_length(a, at[0], count);
        if (run_step(a) == bytes)
            memcpy(store_address(a, component, at), in, (size_t)(run * bytes));
        else
            copy_spread(store_address(a, component, at), run_step(a), in, bytes, run, bytes);
    }
}

/* Elements of a row from `at` on, which may lie anywhere in it. */
static void read_part(const store_array *a, const row_walk *walk, const int64_t at[3],
                      int64_t count, char *elements)
{
    const int bytes = store_type_bytes(a->type);
    if (!is_scattered(walk)) {
        store_read_row(a, walk->component, at, count, elements);
        return;
    }
    for (int64_t i = 0; i < count; i++, elements += bytes) {
        const int64_t there[3] = {walk->place[at[0] + i], at[1], at[2]};
        memcpy(elements, store_address(a, walk->component, there), (size_t)bytes);
    }
}

static void write_part(store_array *a, const row_walk *walk, const int64_t at[3], int64_t count,
                       const char *elements)
{
    const int bytes = store_type_bytes(a->type);
    if (!is_scattered(walk)) {
        store_write_row(a, walk->component, at, count, elements);
        return;
    }
    for (int64_t i = 0; i < count; i++, elements += bytes) {
        const int64_t there[3] = {walk->place[at[0] + i], at[1], at[2]};
        memcpy(store_address(a, walk->component, there), elements, (size_t)bytes);
    }
}

/* A row to plain order, and back; by pieces where its elements do not follow one another. */
static void read_converted(const store_array *a, const row_walk *walk, kata_type type, char *plain)
{
    int64_t at[3], count = walk->box.hi[0] - walk->box.lo[0], part;
    double piece[PIECE];
    row_start(walk, at);
    if (a->pitch_x == 1 && !is_scattered(walk)) {
        convert_row(type, plain, a->type, store_address(a, walk->component, at), count);
        return;
    }
    for (; count > 0; count -= part, at[0] += part, plain += part * store_type_bytes(type)) {
        part = count < PIECE ? count : PIECE;
        read_part(a, walk, at, part, (char *)piece);
        convert_row(type, plain, a->type, piece, part);
    }
}

static void write_converted(store_array *a, const row_walk *walk, kata_type type, const char *plain)
{
    int64_t at[3], count = walk->box.hi[0] - walk->box.lo[0], part;
    double piece[PIECE];
    row_start(walk, at);
    if (a->pitch_x == 1 && !is_scattered(walk)) {
        convert_row(a->type, store_address(a, walk->component, at), type, plain, count);
        return;
    }
    for (; count > 0; count -= part, at[0] += part, plain += part * store_type_bytes(type)) {
        part = count < PIECE ? count : PIECE;
        convert_row(a->type, piece, type, plain, part);
        write_part(a, walk, at, part, (const char *)piece);
    }
}

/* Values of an array in a file that were read or written where it is mapped. This memory is left
 * part by part, so that little of it is the process's at once. */
typedef struct mapped_part {
    const store_array *a;
    const char *low, *high; /* NULL: nothing yet */
} mapped_part;

static void leave(mapped_part *part)
{
    if (part->low) port_file_leave(part->a->file, part->low, part->high);
    part->low = NULL;
}

static void meet_row(mapped_part *part, const row_walk *walk)
{
    if (!part->a || !part->a->file) return;
    int64_t at[3];
    row_start(walk, at);
    if (is_scattered(walk)) at[0] = part->a->box.lo[0];
    const char *low = store_address(part->a, walk->component, at);
    at[0] = (is_scattered(walk) ? part->a->box.hi[0] : walk->box.hi[0]) - 1;
    const char *last = store_address(part->a, walk->component, at);
    if (part->low && (low < part->low || low - part->low > MAPPED_BYTES)) leave(part);
    if (!part->low) part->low = low;
    part->high = last + store_type_bytes(part->a->type);
}

void store_read(const store_array *a, const grid_box *box, int components, kata_type type,
                void *values)
{
    int64_t count = box->hi[0] - box->lo[0];
    char *plain = values;
    mapped_part part = {.a = a};
    for (row_walk walk = walk_program(a, box, components); has_row(&walk); next_row(&walk)) {
        if (a)
            read_converted(a, &walk, type, plain);
        else
            memset(plain, 0, (size_t)count * (size_t)store_type_bytes(type));
        plain += count * store_type_bytes(type);
        meet_row(&part, &walk);
    }
    leave(&part);
}

void store_write(store_array *a, const grid_box *box, kata_type type, const void *values)
{
    int64_t count = box->hi[0] - box->lo[0];
    const char *plain = values;
    mapped_part part = {.a = a};
    for (row_walk walk = walk_program(a, box, a->components); has_row(&walk); next_row(&walk)) {
        write_converted(a, &walk, type, plain);
        plain += count * store_type_bytes(type);
        meet_row(&part, &walk);
    }
    leave(&part);
}

/* Sets the rows of an array piece by piece: to those of another, or to `piece` where from is NULL.
 */
static void set_rows(store_array *a, const store_array *from, void *piece)
{
    mapped_part to = {.a = a}, of = {.a = from};
    for (row_walk walk = walk_rows(&a->box, a->components); has_row(&walk); next_row(&walk)) {
        int64_t at[3], count = a->box.hi[0] - a->box.lo[0], part;
        row_start(&walk, at);
        for (; count > 0; count -= part, at[0] += part) {
            part = count < PIECE ? count : PIECE;
            if (from) store_read_row(from, walk.component, at, part, piece);
            store_write_row(a, walk.component, at, part, piece);
        }
        meet_row(&to, &walk);
        meet_row(&of, &walk);
    }
    leave(&to);
    leave(&of);
}

void store_assign(store_array *a, const store_array *from)
{
    double piece[PIECE];
    set_rows(a, from, piece);
}

void store_fill_unset(kata_type type, void *data, size_t bytes)
{
    bool floating =
        ir_type_is_floating(ir_type_of_storage(type)); /* of any size: all ones is NaN */
    memset(data, floating ? 0xff : 0x5a, bytes);
}

void store_poison(store_array *a)
{
    double piece[PIECE];
    if (a->bytes) {
        a->around = 0;
        store_poison_values(a->type, a->memory, (int64_t)a->bytes / store_type_bytes(a->type));
    } else {
        store_poison_values(a->type, piece, PIECE);
        set_rows(a, NULL, piece);
    }
}

void store_poison_values(kata_type type, void *values, int64_t count)
{
    int bytes = store_type_bytes(type);
    ir_value poison = {0};
    if (ir_type_is_floating(ir_type_of_storage(type)))
        ir_storage_write(type, IR_F64, ir_value_of_double(IR_F64, (double)NAN), &poison);
    for (int64_t i = 0; values && i < count; i++)
        memcpy((char *)values + i * bytes, &poison, (size_t)bytes);
}
