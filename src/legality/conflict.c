/* No two points of a loop may touch one value when one of them writes it. So a slot has one writer;
 * and after boundary rules, reads of a written component end outside the points that write it. */
#include "legality/checks.h"

#include <string.h>

static bool is_written(const ir_param *param)
{
    return ir_param_is_written_field(param) || ir_param_is_reduction(param);
}

/* Refuses a slot bound to two written parameters. */
static kata_status check_one_writer(const chain_loop *loop, int first, int second, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const chain_binding *binding = &loop->bindings[first];
    const char *kind = binding->slot->is_scalar ? "scalar" : "field";
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, kernel->params[second].at,
                     "parameters '%s' and '%s' both write %s '%s'", kernel->params[first].name,
                     kernel->params[second].name, kind, binding->name);
    legality_say_where(loop, m);
    message_line(m, "give each of them a %s of its own", kind);
    return message_send(m);
}

static kata_status check_writers(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    for (int second = 0; second < kernel->param_count; second++) {
        if (!is_written(&kernel->params[second])) continue;
        for (int first = 0; first < second; first++)
            if (is_written(&kernel->params[first]) &&
                loop->bindings[first].slot == loop->bindings[second].slot)
                return check_one_writer(loop, first, second, m);
    }
    return KATA_OK;
}

/* Whether a store writes the field and component that an access reads. */
static bool is_writer(const chain_loop *loop, const ir_store *store, const ir_access *access)
{
    return loop->bindings[store->param].slot == loop->bindings[access->param].slot &&
           store->component == access->component;
}

static kata_status refuse_read(const chain_loop *loop, const ir_access *access,
                               const ir_store *store, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *read = &kernel->params[access->param], *write = &kernel->params[store->param];
    const char *field = loop->bindings[access->param].name;
    char offset[LEGALITY_NAME];
    legality_print_offset(offset, loop, access);
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, access->at,
                     "'%s' is read at %s while other points write it", read->name, offset);
    legality_say_where(loop, m);
    if (read == write)
        message_line(m, "field '%s' is given for '%s', which the kernel also writes%s", field,
                     read->name, read->count > 1 ? " in this component" : "");
    else
        message_line(m, "field '%s' is given both for '%s' (%s) and for '%s' (%s)", field,
                     read->name, ir_param_kind_name(read->kind), write->name,
                     ir_param_kind_name(write->kind));
    if (kernel->direction)
        legality_advise_level(loop, access, m);
    else if (loop->colors > 1)
        message_line(
            m,
            "the read lands on colour %d of %d too: take another number of colours, or make "
            "periodic sizes multiples of it",
            loop->color, loop->colors);
    else if (read == write)
        legality_advise_in_place(loop, access->param, m);
    else
        message_line(m, "write to a second field and exchange the two with kata_swap");
    message_note_at(m, kernel->text, store->at, "it is written here");
    return message_send(m);
}

/* A field that takes a reduction changes behind the last point. */
static kata_status refuse_reduced(const chain_loop *loop, const ir_access *access,
                                  const ir_store *store, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *read = &kernel->params[access->param], *into = &kernel->params[store->param];
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, access->at,
                     "'%s' is read while points are reduced into it", read->name);
    legality_say_where(loop, m);
    message_line(m, "field '%s' is given both for '%s' (%s) and for '%s' (%s)",
                 loop->bindings[access->param].name, read->name, ir_param_mode(read), into->name,
                 ir_param_mode(into));
    message_line(m, "reduce into a second field, and read that in a kernel of its own");
    return message_send(m);
}

/* ---- where reads land ------------------------------------------------------------------------ */

static const ir_param plain_param;

/* By how many indices reads are shifted: whether by none, and by how many others modulo the number
 * of colours, as bits. */
typedef struct shifts {
    bool none;
    uint64_t others;
} shifts;

static void add_shift(shifts *s, int64_t shift, int64_t colors)
{
    if (shift == 0)
        s->none = true;
    else
        s->others |= (uint64_t)1 << ((shift % colors + colors) % colors);
}

/* Along a dimension: the offset itself, and the shifts that boundary rules make of it. */
static shifts shifts_along(const chain_loop *loop, const ir_access *access, int d)
{
    const chain_binding *binding = &loop->bindings[access->param];
    grid_axis axis = chain_slot_axis(binding->slot, d);
    grid_box inside = chain_binding_inside(binding);
    int64_t offset = access->offset[d], from = loop->box.lo[d], to = loop->box.hi[d];
    int64_t low = inside.lo[d] - offset, high = inside.hi[d] - offset;
    shifts found = {0};
    if (from < high && low < to) add_shift(&found, offset, loop->colors);
    for (int64_t i = from; i < to; i++) {
        grid_source source;
        if (i >= low && i < high) i = high; /* these read inside */
        if (i >= to) break;
        if (!grid_boundary_map(binding->boundary, d, &axis, i + offset, &source) ||
            source.is_constant)
            continue;
        for (int k = 0; k < (source.weights ? source.count : 1); k++)
            add_shift(&found, source.index + (int64_t)k * source.step - i, loop->colors);
    }
    return found;
}

static uint64_t rotate(uint64_t bits, int by, int n)
{
    uint64_t all = n == 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
    return by ? ((bits << by) | (bits >> (n - by))) & all : bits;
}

/* Whether an access from a point of one colour may land on another point of the same colour. */
static bool meets_own_color(const chain_loop *loop, const ir_access *access)
{
    if (!ir_param_same_mapping(&loop->kernel->params[access->param], &plain_param)) return true;
    shifts total = {.none = true};
    for (int d = 0; d < 3; d++) {
        shifts along = shifts_along(loop, access, d);
        uint64_t others = along.none ? total.others : 0;
        for (int by = 0; by < loop->colors; by++) {
            if (!(along.others >> by & 1)) continue;
            others |= rotate(total.others, by, loop->colors);
            if (total.none) others |= (uint64_t)1 << by;
        }
        total = (shifts){total.none && along.none, others};
    }
    return total.others & 1;
}

/* ---- whether points meet --------------------------------------------------------------------- */

static bool is_here(const int32_t offset[3]) { return !offset[0] && !offset[1] && !offset[2]; }

static bool leaves_grid(const chain_loop *loop, int param, const int32_t offset[3],
                        const grid_box *from)
{
    grid_box all = chain_binding_inside(&loop->bindings[param]);
    grid_box box = analysis_touched(&loop->kernel->params[param], offset, offset, from);
    return !grid_box_contains(&all, &box);
}

/* Whether the sides that a box leaves at an offset are periodic: then no two of its points reach
 * the same index. */
static bool wraps(const chain_loop *loop, int param, const int32_t offset[3], const grid_box *from)
{
    const chain_binding *binding = &loop->bindings[param];
    grid_box all = chain_binding_inside(binding);
    grid_box box = analysis_touched(&loop->kernel->params[param], offset, offset, from);
    for (int d = 0; d < 3; d++) {
        bool leaves = box.lo[d] < all.lo[d] || box.hi[d] > all.hi[d];
        if (leaves && !grid_boundary_is_periodic(binding->boundary, d)) return false;
    }
    return true;
}

/* Whether no point of a finer field is both read and written: along some dimension the indices of
 * reads and writes leave different remainders by the ratio, and no boundary rule changes that. */
static bool is_other_child(const chain_loop *loop, const ir_access *access, const ir_store *store,
                           const grid_box *need)
{
    const ir_param *read = &loop->kernel->params[access->param];
    const grid_side_rule *side = loop->bindings[access->param].boundary->side;
    if (!ir_param_same_mapping(read, &loop->kernel->params[store->param])) return false;
    grid_box box = analysis_touched(read, access->offset, access->offset, need);
    grid_box all = chain_binding_inside(&loop->bindings[access->param]);
    for (int d = 0; d < 3; d++) {
        int64_t size = chain_slot_axis(loop->bindings[access->param].slot, d).cells;
        bool inside = box.lo[d] >= all.lo[d] && box.hi[d] <= all.hi[d];
        bool periodic = side[2 * d].rule == KATA_PERIODIC && side[2 * d + 1].rule == KATA_PERIODIC;
        if (!read->finer[d] || !(inside || (periodic && size % read->finer[d] == 0))) continue;
        if ((access->offset[d] - store->offset[d]) % read->finer[d] != 0) return true;
    }
    return false;
}

/* Whether a read, from the points of `need`, may find a value that another point writes. It does
 * not if it finds the very value that its own point writes, nor if reads and writes end in disjoint
 * boxes or on different colours. */
static bool meets(const chain_loop *loop, const ir_access *access, const ir_store *store,
                  const grid_box *need)
{
    if (is_other_child(loop, access, store, need)) return false;
    grid_box written = analysis_written(loop, store);
    if (grid_box_is_empty(need) || grid_box_is_empty(&written)) return false;
    const ir_param *params = loop->kernel->params;
    if (!memcmp(access->offset, store->offset, sizeof access->offset) &&
        ir_param_same_mapping(&params[access->param], &params[store->param]))
        return leaves_grid(loop, access->param, access->offset, need) &&
               !wraps(loop, access->param, access->offset, need);
    if (loop->colors > 1 && is_here(store->offset) && !meets_own_color(loop, access)) return false;
    grid_box read = analysis_resolved_box(loop, access->param, access->offset, need);
    grid_box ends = analysis_resolved_box(loop, store->param, store->offset, &written);
    grid_box both = grid_box_intersect(&read, &ends);
    return !grid_box_is_empty(&both);
}

/* The levels lo <= i < hi of `need` from which an access leaves the field across levels. */
static void leaving_levels(const chain_loop *loop, const ir_access *access, const grid_box *need,
                           int64_t *lo, int64_t *hi)
{
    int d = loop->kernel->ordered;
    const ir_param *param = &loop->kernel->params[access->param];
    grid_box inside = chain_binding_inside(&loop->bindings[access->param]);
    int64_t by = access->offset[d];
    *lo = need->lo[d];
    *hi = need->hi[d];
    int64_t low = ir_param_point(param, d, inside.lo[d] - by);
    int64_t high = ir_param_point(param, d, inside.hi[d] - by);
    if (by < 0 && low < *hi) *hi = low;
    if (by > 0 && high > *lo) *lo = high;
}

static bool ends_at(const grid_source *source, int64_t index)
{
    int64_t last = grid_source_last(source);
    return index >= smaller(source->index, last) && index <= larger(source->index, last);
}

/* The same where levels run in order along several dimensions, and a read lies along these only:
 * it finds its own point, or one of another level. */
static bool is_along_order(const chain_loop *loop, const ir_access *access)
{
    bool along = false, beside = false;
    for (int d = 0; d < 3; d++) {
        bool ordered = loop->kernel->order[d];
        along = along || (ordered && access->offset[d]);
        beside = beside || (!ordered && access->offset[d]);
    }
    return along && !beside;
}

/* The same where levels run in order: only points of one level can meet. A read lands on its own
 * level without an offset across levels, or by a boundary rule there; without other offsets it
 * lands on its own point. In a finer field a level writes the first children only; nobody writes
 * the others. */
static bool meets_level(const chain_loop *loop, const ir_access *access, const ir_store *store,
                        const grid_box *need)
{
    int d = loop->kernel->ordered;
    const chain_binding *binding = &loop->bindings[access->param];
    const ir_param *param = &loop->kernel->params[access->param];
    grid_axis axis = chain_slot_axis(binding->slot, d);
    int64_t lo, hi, by = access->offset[d];
    bool still = true;
    for (int k = 0; k < 3; k++) still = still && (k == d || !access->offset[k]);
    bool alike = ir_param_same_mapping(param, &loop->kernel->params[store->param]);
    bool several = ir_orders_several(loop->kernel);
    if (several && alike && is_along_order(loop, access)) return false;
    if (!loop->kernel->direction || several || !by || !alike)
        return meets(loop, access, store, need);
    leaving_levels(loop, access, need, &lo, &hi);
    for (int64_t i = lo; i < hi && !still; i++) {
        grid_source source;
        grid_box level = *need;
        level.lo[d] = i;
        level.hi[d] = i + 1;
        int64_t own = ir_param_index(param, d, i);
        if (grid_boundary_map(binding->boundary, d, &axis, own + by, &source) &&
            !source.is_constant && ends_at(&source, own) && meets(loop, access, store, &level))
            return true;
    }
    return false;
}

/* First treats each read as needed everywhere, which is mostly enough; then uses guards. */
static kata_status check_access(const chain_loop *loop, int i, const ir_store *store, messages *m)
{
    const ir_access *access = &loop->kernel->accesses[i];
    if (loop->bindings[store->param].slot == loop->bindings[access->param].slot &&
        ir_param_is_column_reduction(&loop->kernel->params[store->param]))
        return refuse_reduced(loop, access, store, m);
    if (!is_writer(loop, store, access) || !meets_level(loop, access, store, &loop->box))
        return KATA_OK;
    arena memory = {0};
    const grid_box *needs = analysis_needs(loop, &memory);
    kata_status status = needs ? KATA_OK : message_no_memory(m);
    if (needs && meets_level(loop, access, store, &needs[i]))
        status = refuse_read(loop, access, store, m);
    arena_free(&memory);
    return status;
}

kata_status legality_check_conflicts(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    kata_status status = check_writers(loop, m);
    for (int i = 0; i < kernel->access_count; i++)
        for (int j = 0; j < kernel->store_count && status == KATA_OK; j++)
            status = check_access(loop, i, &kernel->stores[j], m);
    return status;
}
