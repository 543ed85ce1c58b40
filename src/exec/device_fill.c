/* What loops read and write around fields on a device: boundary rules, made tables of where values
 * come from, and go to, along each dimension. */
#include "exec/on_device.h"

#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)ABI_MOST_SUMMED == (int)GRID_MOST_COUNT, "entries have room for all weights");

/* ---- tables on the device -------------------------------------------------------------------- */

/* Memory with these bytes, made when it is first needed; NULL, reported, when it is out. */
static device_memory *table_of(const device_loop *l, const void *entries, size_t bytes)
{
    struct exec_device *d = l->d;
    uint64_t key = hash_bytes(entries, bytes, bytes);
    for (size_t i = 0; i < d->table_count; i++)
        if (d->tables[i].key == key) return d->tables[i].memory;
    void *tables = d->tables;
    if (!vector_reserve(&tables, &d->table_room, d->table_count + 1, sizeof *d->tables)) {
        message_no_memory(l->m);
        return NULL;
    }
    d->tables = tables;
    d->table_bytes += (int64_t)bytes;
    device_memory *memory = device_take(d, bytes);
    device_box box = {.row = bytes, .rows = 1, .planes = 1};
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
    device_tables_forget(d);
    free(d->tables);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* A field, and what a loop touches of it. */
typedef struct surrounded {
    const chain_binding *b;
    grid_box inside, touched;
    abi_fill fill;
    abi_outside *entries;
    abi_piece *pieces;
    int64_t entry_count, piece_count, last_of[3]; /* pieces up to those of x, of y, of z */
} surrounded;

static abi_outside entry_of(const chain_binding *b, int d, int64_t index)
{
    grid_axis axis = chain_slot_axis(b->slot, d);
    grid_source s;
    if (!grid_boundary_map(b->boundary, d, &axis, index, &s))
        return (abi_outside){.kind = ABI_NOWHERE};
    abi_outside entry = {.kind = s.weights       ? ABI_SUM
                                 : s.is_constant ? ABI_CONSTANT
                                                 : ABI_AT_INDEX,
                         .index = s.index,
                         .steps = s.steps,
                         .value = {s.step_value[0], s.step_value[1]}};
    if (s.is_constant) entry.always = s.constant;
    if (!s.weights) return entry;
    entry.always = s.value;
    entry.count = s.count;
    entry.step = s.step;
    memcpy(entry.weight, s.weights, (size_t)(s.count + 1) * sizeof *s.weights);
    return entry;
}

/* Where an index belongs that is written: at the other end of a periodic dimension, or nowhere. */
static abi_outside target_of(const chain_binding *b, int d, int64_t index)
{
    bool periodic = b->boundary->side[2 * d].rule == KATA_PERIODIC;
    return periodic ? entry_of(b, d, index) : (abi_outside){.kind = ABI_NOWHERE};
}

/* Makes the entries for all indices beyond the sides; false when memory is out. */
static bool find_entries(surrounded *s, abi_outside entry(const chain_binding *, int, int64_t))
{
    int64_t low[3], high[3], at = 0;
    for (int d = 0; d < 3; d++) {
        low[d] = larger(s->inside.lo[d] - s->touched.lo[d], 0);
        high[d] = larger(s->touched.hi[d] - s->inside.hi[d], 0);
        s->entry_count += low[d] + high[d];
        s->fill.inside_lo[d] = s->inside.lo[d];
        s->fill.inside_hi[d] = s->inside.hi[d];
    }
    s->entries = calloc((size_t)s->entry_count + 1, sizeof *s->entries);
    for (int d = 0; d < 3 && s->entries; d++) {
        s->fill.low[d] = at;
        for (int64_t i = 0; i < low[d]; i++)
            s->entries[at++] = entry(s->b, d, s->inside.lo[d] - 1 - i);
        s->fill.high[d] = at;
        for (int64_t i = 0; i < high[d]; i++)
            s->entries[at++] = entry(s->b, d, s->inside.hi[d] + i);
    }
    return s->entries;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void add_piece(surrounded *s, int component, const grid_box *box)
{
    if (grid_box_is_empty(box)) return;
    int64_t before = s->piece_count ? s->pieces[s->piece_count - 1].end : 0;
    abi_piece *p = &s->pieces[s->piece_count++];
    *p = (abi_piece){.end = before + grid_box_points(box), .component = component};
    for (int d = 0; d < 3; d++) {
        p->lo[d] = box->lo[d] - s->touched.lo[d];
        p->size[d] = box->hi[d] - box->lo[d];
    }
}

/* What of a box is outside along a dimension, and along none above it: below and above. */
static void add_pieces(surrounded *s, int component, const grid_box *box, int dimension)
{
    grid_box left = *box;
    for (int d = 2; d >= dimension; d--) {
        grid_box low = left, high = left;
        low.hi[d] = smaller(left.hi[d], s->inside.lo[d]);
        high.lo[d] = larger(left.lo[d], s->inside.hi[d]);
        if (d == dimension) add_piece(s, component, &low);
        if (d == dimension) add_piece(s, component, &high);
        left.lo[d] = larger(left.lo[d], s->inside.lo[d]);
        left.hi[d] = smaller(left.hi[d], s->inside.hi[d]);
    }
}

static void release(surrounded *s)
{
    free(s->entries);
    free(s->pieces);
}

static kata_status run(const device_loop *l, surrounded *s, const char *name, int64_t first,
                       int64_t end)
{
    size_t entry_bytes = (size_t)larger(s->entry_count, 1) * sizeof *s->entries;
    size_t piece_bytes = (size_t)s->piece_count * sizeof *s->pieces;
    if (first == end) return KATA_OK;
    if (l->d->table_bytes + (int64_t)(entry_bytes + piece_bytes) > device_table_room(l->d))
        device_tables_forget(l->d);
    device_kernel *kernel = device_fill_kernel(l, s->b->slot->type, name);
    device_memory *entries = kernel ? table_of(l, s->entries, entry_bytes) : NULL;
    device_memory *pieces = entries ? table_of(l, s->pieces, piece_bytes) : NULL;
    if (!pieces) return l->m->status;
    s->fill.place = s->b->slot->on_device->place;
    memcpy(s->fill.origin, s->touched.lo, sizeof s->fill.origin);
    s->fill.first = first;
    s->fill.end = end;
    s->fill.before = first ? s->pieces[first - 1].end : 0;
    int64_t threads = s->pieces[end - 1].end - s->fill.before;
    const device_argument arguments[] = {{NULL, &s->fill, sizeof s->fill},
                                         {s->b->slot->on_device->memory, NULL, 0},
                                         {entries, NULL, 0},
                                         {pieces, NULL, 0}};
    device_launch launch = {.groups = {-floor_divide(-threads, CODEGEN_FILL_THREADS), 1, 1},
                            .threads = {CODEGEN_FILL_THREADS, 1, 1},
                            .arguments = arguments,
                            .argument_count = 4};
    return device_run(l->d->device, kernel, &launch) ? KATA_OK : device_failed(l, "failed near");
}

/* ---- filling --------------------------------------------------------------------------------- */

static bool sums(const surrounded *s)
{
    bool some = false;
    for (int64_t i = 0; i < s->entry_count; i++) some = some || s->entries[i].kind == ABI_SUM;
    return some;
}

/* Sums need what lies outside along the dimensions before. */
static kata_status fill_pieces(const device_loop *l, surrounded *s)
{
    if (!sums(s)) return run(l, s, CODEGEN_FILL_NAME, 0, s->piece_count);
    kata_status status = run(l, s, CODEGEN_FILL_NAME, 0, s->last_of[0]);
    if (!status) status = run(l, s, CODEGEN_FILL_NAME, s->last_of[0], s->last_of[1]);
    return status ? status : run(l, s, CODEGEN_FILL_NAME, s->last_of[1], s->last_of[2]);
}

/* What is filled of a component: sums need points beside those that are read. */
static grid_box filled_part(const surrounded *s, const grid_box *part)
{
    grid_box inside = grid_box_intersect(&s->inside, &s->b->slot->on_device->own);
    return sums(s) ? grid_box_hull(part, &inside) : *part;
}

static kata_status fill(const device_loop *l, surrounded *s, const grid_box *parts)
{
    enum { PIECES = 6 };
    int components = s->b->slot->components;
    s->pieces = calloc((size_t)components * PIECES, sizeof *s->pieces);
    if (!s->pieces || !find_entries(s, entry_of)) return message_no_memory(l->m);
    for (int d = 0; d < 3; d++) {
        for (int c = 0; c < components; c++) {
            grid_box part = filled_part(s, &parts[c]);
            part = grid_box_intersect(&part, &s->touched);
            if (!grid_box_is_empty(&parts[c])) add_pieces(s, c, &part, d);
        }
        s->last_of[d] = s->piece_count;
    }
    return fill_pieces(l, s);
}

/* The hash of all that values around a field depend on, beside those of the field. */
static uint64_t rules_of(const grid_boundary *boundary)
{
    uint64_t hash = grid_boundary_rules(boundary);
    for (int side = 0; side < 6; side++) {
        const grid_weights *w = boundary->weights[side];
        hash = hash_bytes(&boundary->side[side].value, sizeof boundary->side[side].value, hash);
        if (boundary->side[side].rule == KATA_LINEAR) hash = hash_bytes(w, sizeof *w, hash);
    }
    return hash;
}

bool device_sums_around(const chain_binding *b)
{
    bool some = false;
    for (int side = 0; side < 6; side++) some = some || b->boundary->side[side].rule == KATA_LINEAR;
    return some;
}

/* Of planes in a ring, those that are there: sums along them need what is around others than the
 * loop touches. */
static grid_box touched_in_ring(const surrounded *s)
{
    const grid_box *own = &s->b->slot->on_device->own;
    grid_box touched = grid_box_intersect(&s->touched, own);
    const grid_box inside = grid_box_intersect(&s->inside, own);
    if (!grid_box_contains(&s->inside, &touched) && device_sums_around(s->b))
        touched = grid_box_hull(&touched, &inside);
    return touched;
}

kata_status device_fill(const device_loop *l, int param, const device_around *around)
{
    surrounded s = {.b = &l->loop->bindings[param], .touched = *around->touched};
    store_device *on = s.b->slot->on_device;
    const uint64_t key = on->ring ? hash_bytes(&on->own, sizeof on->own, around->key) : around->key;
    s.inside = chain_binding_inside(s.b);
    if (on->ring) s.touched = touched_in_ring(&s);
    if (grid_box_contains(&s.inside, &s.touched)) return KATA_OK;
    uint64_t rules = rules_of(s.b->boundary);
    bool same = on->rules == rules && on->around == key;
    if (on->filled == on->changes && same) return KATA_OK;
    if (!store_device_hide(s.b->slot, &s.inside))
        return device_failed(l, "gave no values of a field of");
    kata_status status = fill(l, &s, around->parts);
    release(&s);
    on->filled = on->changes;
    on->rules = rules;
    on->around = key;
    return status;
}

const char *device_cannot_fill(const chain_binding *b, const grid_box *touched)
{
    grid_box inside = chain_binding_inside(b);
    if (grid_box_contains(&inside, touched)) return NULL;
    bool antisymmetric = false;
    for (int side = 0; side < 6; side++)
        antisymmetric = antisymmetric || grid_rule_is_antisymmetric(b->boundary->side[side].rule);
    return antisymmetric && ir_type_is_narrow(ir_type_of_storage(b->slot->type))
               ? "it reads antisymmetric values of a narrow integer type"
               : NULL;
}

/* ---- scattering ------------------------------------------------------------------------------ */

/* The indices that a store writes of its field: of rows that wrap, at the other end. */
static grid_box written_by(const chain_loop *loop, const ir_store *s, const uint64_t wraps[3])
{
    grid_box box =
        analysis_touched(&loop->kernel->params[s->param], s->offset, s->offset, &loop->box);
    return device_wrapped(loop, s->param, &box, wraps);
}

bool device_writes_outside(const chain_loop *loop, int param, const uint64_t wraps[3])
{
    bool some = false;
    if (grid_box_is_empty(&loop->box)) return false;
    grid_box inside = chain_binding_inside(&loop->bindings[param]);
    for (int i = 0; i < loop->kernel->store_count; i++) {
        if (loop->kernel->stores[i].param != param) continue;
        grid_box box = written_by(loop, &loop->kernel->stores[i], wraps);
        some = some || !grid_box_contains(&inside, &box);
    }
    return some;
}

kata_status device_scatter(const device_loop *l, int param)
{
    enum { PIECES = 6 };
    const ir_kernel *kernel = l->loop->kernel;
    surrounded s = {.b = &l->loop->bindings[param]};
    s.touched = s.inside = chain_binding_inside(s.b);
    s.pieces = calloc((size_t)kernel->store_count * PIECES, sizeof *s.pieces);
    for (int i = 0; i < kernel->store_count; i++) {
        grid_box box = written_by(l->loop, &kernel->stores[i], l->ready->wraps);
        if (kernel->stores[i].param == param) s.touched = grid_box_hull(&s.touched, &box);
    }
    kata_status status =
        s.pieces && find_entries(&s, target_of) ? KATA_OK : message_no_memory(l->m);
    for (int i = 0; i < kernel->store_count && !status; i++) {
        grid_box box = written_by(l->loop, &kernel->stores[i], l->ready->wraps);
        if (kernel->stores[i].param != param) continue;
        for (int d = 0; d < 3; d++) add_pieces(&s, kernel->stores[i].component, &box, d);
    }
    if (!status) status = run(l, &s, CODEGEN_SCATTER_NAME, 0, s.piece_count);
    release(&s);
    return status;
}
