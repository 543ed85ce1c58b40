/* What loops read around fields on a device: boundary rules, made tables of where values come from
 * along each dimension. */
#include "exec/on_device.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables ---------------------------------------------------------------------------------- */

static abi_outside entry_of(const chain_binding *b, int d, int64_t index)
{
    grid_axis axis = chain_slot_axis(b->slot, d);
    grid_source source;
    if (!grid_boundary_map(b->boundary, d, &axis, index, &source))
        return (abi_outside){.kind = ABI_NOWHERE};
    return (abi_outside){.kind = source.is_constant ? ABI_CONSTANT : ABI_AT_INDEX,
                         .index = source.index,
                         .steps = source.steps,
                         .always = source.is_constant ? source.constant : 0,
                         .value = {source.step_value[0], source.step_value[1]}};
}

/* How many indices a box touches beyond the two sides of a dimension. */
static void find_beyond(const grid_box *inside, const grid_box *touched, int d, int64_t *low,
                        int64_t *high)
{
    *low = larger(inside->lo[d] - touched->lo[d], 0);
    *high = larger(touched->hi[d] - inside->hi[d], 0);
}

static bool is_summed(const chain_binding *b, const grid_box *inside, const grid_box *touched, int d)
{
    const grid_side_rule *side = &b->boundary->side[2 * d];
    int64_t low, high;
    find_beyond(inside, touched, d, &low, &high);
    bool linear = side[0].rule == KATA_LINEAR || side[1].rule == KATA_LINEAR;
    return linear && (low || high);
}

static bool is_narrow(const chain_binding *b)
{
    return ir_type_is_narrow(ir_type_of_storage(b->slot->type));
}

static bool is_antisymmetric(const chain_binding *b, int d)
{
    bool some = false;
    for (int s = 0; s < 2; s++) {
        kata_rule rule = b->boundary->side[2 * d + s].rule;
        some = some || rule == KATA_ANTISYMMETRIC_FACE || rule == KATA_ANTISYMMETRIC_NODE;
    }
    return some;
}

const char *device_cannot_fill(const chain_binding *b, const grid_box *touched)
{
    grid_box inside = chain_binding_inside(b);
    if (grid_box_contains(&inside, touched)) return NULL;
    for (int d = 0; d < 3; d++) {
        if (is_summed(b, &inside, touched, d))
            return "it reads values around a field that are sums of others";
        if (is_antisymmetric(b, d) && is_narrow(b))
            return "it reads antisymmetric values of a narrow integer type";
    }
    return NULL;
}

/* The table on the device, made when it is first needed; NULL, reported, when memory is out. */
static device_memory *table_of(const device_loop *l, const abi_outside *entries, size_t count)
{
    struct exec_device *d = l->d;
    size_t bytes = count * sizeof *entries;
    uint64_t key = hash_bytes(entries, bytes, count);
    for (size_t i = 0; i < d->table_count; i++)
        if (d->tables[i].key == key) return d->tables[i].memory;
    void *tables = d->tables;
    if (!vector_reserve(&tables, &d->table_room, d->table_count + 1, sizeof *d->tables)) {
        message_no_memory(l->m);
        return NULL;
    }
    d->tables = tables;
    device_memory *memory = device_allocate(d->device, bytes);
    device_box box = {.row = bytes,
                      .rows = 1,
                      .planes = 1,
                      .row_pitch = bytes,
                      .plane_pitch = bytes,
                      .host_row_pitch = bytes,
                      .host_plane_pitch = bytes};
    if (memory && device_put(d->device, memory, entries, &box)) {
        d->tables[d->table_count++] = (device_table){key, memory};
        return memory;
    }
    device_failed(l, "has no memory for boundary rules of");
    device_release(d->device, memory);
    return NULL;
}

void device_tables_free(struct exec_device *d)
{
    for (size_t i = 0; i < d->table_count; i++) device_release(d->device, d->tables[i].memory);
    free(d->tables);
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static void add_box(abi_fill *f, const grid_box *box)
{
    if (grid_box_is_empty(box)) return;
    int64_t before = f->boxes ? f->end[f->boxes - 1] : 0;
    for (int d = 0; d < 3; d++) {
        f->lo[f->boxes][d] = box->lo[d];
        f->size[f->boxes][d] = box->hi[d] - box->lo[d];
    }
    f->end[f->boxes++] = before + grid_box_points(box);
}

/* What lies in `touched` and not in `inside`: below and above along z, then y, then x. */
static void find_boxes(abi_fill *f, const grid_box *inside, const grid_box *touched)
{
    grid_box left = *touched;
    for (int d = 2; d >= 0; d--) {
        grid_box part = left;
        part.hi[d] = smaller(left.hi[d], inside->lo[d]);
        add_box(f, &part);
        part = left;
        part.lo[d] = larger(left.lo[d], inside->hi[d]);
        add_box(f, &part);
        left.lo[d] = larger(left.lo[d], inside->lo[d]);
        left.hi[d] = smaller(left.hi[d], inside->hi[d]);
    }
}

/* ---- filling --------------------------------------------------------------------------------- */

/* The entries for all indices beyond the sides; NULL when memory is out. */
static abi_outside *find_entries(abi_fill *f, const chain_binding *b, const grid_box *inside,
                                 const grid_box *touched, size_t *count)
{
    int64_t low[3], high[3], all = 0, at = 0;
    for (int d = 0; d < 3; d++) {
        find_beyond(inside, touched, d, &low[d], &high[d]);
        all += low[d] + high[d];
    }
    abi_outside *entries = calloc((size_t)all + 1, sizeof *entries);
    for (int d = 0; d < 3 && entries; d++) {
        f->low[d] = at;
        for (int64_t i = 0; i < low[d]; i++) entries[at++] = entry_of(b, d, inside->lo[d] - 1 - i);
        f->high[d] = at;
        for (int64_t i = 0; i < high[d]; i++) entries[at++] = entry_of(b, d, inside->hi[d] + i);
        f->inside_lo[d] = inside->lo[d];
        f->inside_hi[d] = inside->hi[d];
    }
    *count = (size_t)all;
    return entries;
}

static kata_status run_fill(const device_loop *l, chain_slot *slot, const abi_fill *f,
                            device_memory *table)
{
    device_kernel *kernel = device_fill_kernel(l, slot->type);
    if (!kernel) return l->m->status;
    const device_argument arguments[] = {
        {NULL, f, sizeof *f}, {slot->on_device->memory, NULL, 0}, {table, NULL, 0}};
    device_launch launch = {.groups = {-floor_divide(-f->end[f->boxes - 1], CODEGEN_FILL_THREADS),
                                       slot->components, 1},
                            .threads = {CODEGEN_FILL_THREADS, 1, 1},
                            .arguments = arguments,
                            .argument_count = 3};
    return device_run(l->d->device, kernel, &launch) ? KATA_OK : device_failed(l, "failed before");
}

/* The hash of all that values around a field depend on, beside those of the field. */
static uint64_t rules_of(const grid_boundary *boundary)
{
    uint64_t hash = 0;
    for (int side = 0; side < 6; side++) {
        int64_t rule = boundary->side[side].rule;
        hash = hash_bytes(&rule, sizeof rule, hash);
        hash = hash_bytes(&boundary->side[side].value, sizeof boundary->side[side].value, hash);
    }
    return hash;
}

kata_status device_fill(const device_loop *l, int param, const grid_box *touched)
{
    const chain_binding *b = &l->loop->bindings[param];
    store_device *on = b->slot->on_device;
    grid_box inside = chain_binding_inside(b);
    if (grid_box_contains(&inside, touched)) return KATA_OK;
    uint64_t rules = rules_of(b->boundary);
    bool filled = on->filled == on->changes && on->rules == rules;
    if (filled && grid_box_contains(&on->around, touched)) return KATA_OK;
    abi_fill f = {.place = on->place};
    size_t count;
    find_boxes(&f, &inside, touched);
    abi_outside *entries = find_entries(&f, b, &inside, touched, &count);
    if (!entries) return message_no_memory(l->m);
    device_memory *table = table_of(l, entries, count);
    free(entries);
    kata_status status = table ? run_fill(l, b->slot, &f, table) : l->m->status;
    on->filled = on->changes;
    on->rules = rules;
    on->around = *touched;
    return status;
}
