/* Records of runs: what each loop was, was given and computed, as text, a line each. `kata diff`
 * reads them.
 *
 *     katagami record 2
 *     loop 7 heat                        number, from 1; kernel
 *     range [0, 8) x [0, 8)
 *     location heat.c:21                 where it is known
 *     number c f64 3fe0000000000000      bits
 *     scalar dt@2 f64 3f50624dd2f1a9fc   a scalar passed as a number, or the result of a reduction
 *     field v@7 f64 1 8 8 1 62a1...      type, components, sizes, and a hash of all values
 *     field w@7 f64 1 10 8 1 62a1... from -1 0 0     the same, with ghosts: where they begin
 *     values 0000000000000000 ...        of the field before, if asked for; components last
 *     put u                              kata_put and kata_load, before the loop that follows
 *
 * Executors agree on all bits except those of NaN, so every NaN is recorded as one pattern. */
#include "observe/observe.h"
#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int opened;

kata_status observe_record_open(const char *path, bool full, messages *m, observe_record **out)
{
    observe_record *record = calloc(1, sizeof *record);
    text name = {0};
    int number = 1 + atomic_fetch_add(&opened, 1);
    text_add(&name, number > 1 ? "%s.%d" : "%s", path, number);
    kata_status status = record && !name.failed ? KATA_OK : message_no_memory(m);
    if (!status && !(record->to = file_stream(name.data, false)))
        status =
            message_fail(m, KATA_ERROR_FILE, "cannot write %s: %s", name.data, strerror(errno));
    if (!status && !(record->path = strdup(name.data))) status = message_no_memory(m);
    text_free(&name);
    if (status) {
        if (record && record->to) fclose(record->to);
        free(record);
        return status;
    }
    record->full = full;
    fprintf(record->to, "katagami record 2\n");
    *out = record;
    return KATA_OK;
}

void observe_record_free(observe_record *record)
{
    if (!record) return;
    fclose(record->to);
    free(record->path);
    free(record);
}

int observe_record_error(const observe_record *record)
{
    return !record ? 0 : record->error ? record->error : file_finish(record->to);
}

/* ---- values ---------------------------------------------------------------------------------- */

static ir_value with_one_nan(ir_type type, ir_value x)
{
    bool floating = ir_type_is_floating(type);
    double value = floating ? ir_convert(IR_F64, type, x).f64 : 0;
    return floating && value != value ? ir_value_of_double(type, (double)__builtin_nan("")) : x;
}

static void write_bits(const observe_record *record, ir_type type, ir_value x)
{
    int digits = 2 * ir_types[type].bytes;
    fprintf(record->to, " %0*" PRIx64, digits, with_one_nan(type, x).bits);
}

/* The type in which the values of a field are shown: of bytes and halves, a wider one. */
static const char *shown_type(const chain_slot *slot)
{
    if (!ir_storages[slot->type].coded) return store_type_name(slot->type);
    return ir_type_of_storage(slot->type) == IR_F32 ? "f32" : "i32";
}

/* Calls `each` for all values of a field, the program's x fastest, components slowest. */
static void for_values(observe_record *record, const chain_slot *slot,
                       void (*each)(observe_record *record, ir_type type, ir_value x))
{
    grid_box b = chain_slot_memory(slot);
    ir_type type = ir_type_of_storage(slot->type);
    int64_t at[3];
    const int x = grid_mesh_axis(slot->mesh, 0), y = grid_mesh_axis(slot->mesh, 1),
              z = grid_mesh_axis(slot->mesh, 2);
    for (int c = 0; c < slot->components; c++)
        for (at[z] = b.lo[z]; at[z] < b.hi[z]; at[z]++)
            for (at[y] = b.lo[y]; at[y] < b.hi[y]; at[y]++)
                for (at[x] = b.lo[x]; at[x] < b.hi[x]; at[x]++) {
                    ir_value element = store_get_element(slot->array, c, at);
                    each(record, type, ir_storage_read(slot->type, type, &element));
                }
}

static void hash_value(observe_record *record, ir_type type, ir_value x)
{
    x = with_one_nan(type, x);
    record->hash = hash_bytes(&x, sizeof x, record->hash);
}

static void write_value(observe_record *record, ir_type type, ir_value x)
{
    write_bits(record, type, x);
}

static void write_field(observe_record *record, const char *name, const chain_slot *slot,
                        int64_t version)
{
    grid_box b = chain_slot_memory(slot);
    b = grid_mesh_shown(slot->mesh, &b);
    record->hash = 0;
    for_values(record, slot, hash_value);
    fprintf(record->to, "field %s@%lld %s %d", name, (long long)version, shown_type(slot),
            slot->components);
    for (int d = 0; d < 3; d++) fprintf(record->to, " %lld", (long long)(b.hi[d] - b.lo[d]));
    fprintf(record->to, " %016" PRIx64, record->hash);
    if (b.lo[0] || b.lo[1] || b.lo[2])
        fprintf(record->to, " from %lld %lld %lld", (long long)b.lo[0], (long long)b.lo[1],
                (long long)b.lo[2]);
    fprintf(record->to, "\n");
    if (!record->full) return;
    fprintf(record->to, "values");
    for_values(record, slot, write_value);
    fprintf(record->to, "\n");
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void write_scalar(const observe_record *record, const chain_binding *b, int64_t version)
{
    fprintf(record->to, "scalar %s@%lld %s", b->name, (long long)version,
            store_type_name(b->slot->type));
    for (int i = 0; i < b->slot->components; i++)
        write_bits(record, ir_type_of_storage(b->slot->type), store_scalar(b->slot, i));
    fprintf(record->to, "\n");
}

static void write_numbers(const observe_record *record, const ir_param *param,
                          const ir_value *values)
{
    kata_type shown = ir_type_is_narrow(param->type) ? KATA_I32 : ir_storage_of_type(param->type);
    fprintf(record->to, "number %s %s", param->name, store_type_name(shown));
    for (int i = 0; i < param->count; i++) write_bits(record, param->type, values[i]);
    fprintf(record->to, "\n");
}

void observe_record_loop(observe_record *record, const chain_loop *loop)
{
    text range = {0};
    const grid_box box = grid_mesh_shown(loop->mesh, &loop->box);
    grid_box_print(&range, &box, loop->shape.rank);
    if (loop->colors > 1) text_add(&range, " color %d of %d", loop->color, loop->colors);
    fprintf(record->to, "loop %lld %s\nrange %s\n", (long long)++record->loops, loop->kernel->name,
            text_get(&range));
    text_free(&range);
    if (loop->file) fprintf(record->to, "location %s:%d\n", loop->file, loop->line);
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const ir_param *param = &loop->kernel->params[p];
        const chain_binding *b = &loop->bindings[p];
        bool number = param->kind == IR_PARAM_NUMBER || param->kind == IR_PARAM_TABLE;
        if (number && b->slot)
            write_scalar(record, b, b->version);
        else if (param->kind == IR_PARAM_TABLE)
            write_numbers(record, param, b->table);
        else if (param->kind == IR_PARAM_NUMBER)
            write_numbers(record, param, &b->number);
    }
}

void observe_record_results(observe_record *record, const chain_loop *loop)
{
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const ir_param *param = &loop->kernel->params[p];
        const chain_binding *b = &loop->bindings[p];
        if (ir_param_is_reduction(param) && !ir_param_is_column_reduction(param))
            write_scalar(record, b, b->version + 1);
        else if (ir_param_is_written_field(param) || ir_param_is_column_reduction(param))
            write_field(record, b->name, b->slot, b->version + 1);
    }
    if (!record->error) record->error = file_finish(record->to);
}

void observe_record_put(observe_record *record, const char *name, const chain_slot *slot)
{
    fprintf(record->to, "put %s\n", name);
    write_field(record, name, slot, slot->version);
    if (!record->error) record->error = file_finish(record->to);
}
