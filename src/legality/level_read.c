/* Reads of a field at an index that is known only at run time: of a whole dimension, as far as
 * anybody knows before. So no point may write the field, all its values along that dimension must
 * be there, and reads beside the point stay inside the grid, where no boundary rule is asked. */
#include "legality/checks.h"

static void begin(const chain_loop *loop, const ir_level_read *read, const char *wrong, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, read->at, "'%s' is read %s %s",
                     kernel->params[read->param].name,
                     read->inside ? "at neighbours" : "by 'at(...)'", wrong);
    legality_say_where(loop, m);
}

/* ---- written --------------------------------------------------------------------------------- */

/* The parameter through which the kernel changes the field that is read; -1: none. */
static int find_writer(const chain_loop *loop, const ir_level_read *read)
{
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const ir_param *param = &loop->kernel->params[p];
        bool writes = ir_param_is_written_field(param) || ir_param_is_column_reduction(param);
        if (writes && loop->bindings[p].slot == loop->bindings[read->param].slot) return p;
    }
    return -1;
}

static kata_status check_written(const chain_loop *loop, const ir_level_read *read, messages *m)
{
    const ir_param *params = loop->kernel->params;
    int writer = find_writer(loop, read);
    if (writer < 0) return KATA_OK;
    begin(loop, read, "while other points write it", m);
    message_line(m, "field '%s' is given both for '%s' (%s) and for '%s' (%s)",
                 loop->bindings[read->param].name, params[read->param].name,
                 ir_param_mode(&params[read->param]), params[writer].name,
                 ir_param_mode(&params[writer]));
    message_line(m, "write to a second field and exchange the two with kata_swap");
    return message_send(m);
}

/* ---- outside --------------------------------------------------------------------------------- */

/* The dimension along which some point reads outside the grid; -1: none. Without an offset along it
 * all points of the range count. */
static int find_outside(const chain_loop *loop, const ir_level_read *read, const grid_box *need)
{
    for (int d = 0; d < loop->shape.rank; d++) {
        int64_t size = chain_slot_grid(loop->bindings[read->param].slot).size[d];
        if (read->inside) size += loop->bindings[read->param].slot->staggered[d];
        const grid_box *from = read->offset[d] ? need : &loop->box;
        bool absent = loop->kernel->params[read->param].absent_axis[d];
        if (d == read->dimension || absent || grid_box_is_empty(from)) continue;
        if (from->lo[d] + read->offset[d] < 0 || from->hi[d] + read->offset[d] > size) return d;
    }
    return -1;
}

static kata_status check_inside(const chain_loop *loop, const ir_level_read *read,
                                const grid_box *need, messages *m)
{
    int d = find_outside(loop, read, need);
    if (d < 0) return KATA_OK;
    begin(loop, read, "outside the grid", m);
    message_line(m, "along %c its offset is %d, and boundary rules are not asked there",
                 legality_letter(loop, d), (int)read->offset[d]);
    message_line(m, "apply the kernel to a smaller range, or guard the read: %s",
                 read->inside ? "iz + 1 < nz ? u[e][0,0,1] : u[e]"
                              : "ix > 0 ? u[-1,0,at(k)] : u[0,0,at(k)]");
    return message_send(m);
}

/* ---- values ---------------------------------------------------------------------------------- */

static kata_status check_values(const chain_loop *loop, const ir_level_read *read,
                                const grid_box *need, messages *m)
{
    const chain_slot *slot = loop->bindings[read->param].slot;
    const int d = read->dimension;
    if (!slot->discarded && !slot->tracked) return KATA_OK;
    grid_box from = *need, missing;
    from.lo[d] = 0;
    from.hi[d] = 1; /* of all indices along it, which those of points say nothing about */
    grid_box box = analysis_resolved_box(loop, read->param, read->offset, &from);
    box.lo[d] = 0;
    box.hi[d] = chain_slot_grid(slot).size[d];
    if (!slot->discarded && grid_region_holds(&slot->set, &box, &missing)) return KATA_OK;
    begin(loop, read, slot->temporary ? "where it was not written" : "after it was discarded", m);
    if (read->inside)
        message_line(m, "field '%s' must have values at all %s", loop->bindings[read->param].name,
                     ir_location_name(slot->on, true));
    else
        message_line(m, "field '%s' must have values at all indices along %c",
                     loop->bindings[read->param].name, legality_letter(loop, d));
    message_line(m, "apply the kernel that writes it to a range that holds them");
    return message_send(m);
}

static kata_status check_read(const chain_loop *loop, const ir_level_read *read,
                              const grid_box *need, messages *m)
{
    kata_status status = check_written(loop, read, m);
    if (grid_box_is_empty(need)) return status;
    if (!status) status = check_inside(loop, read, need, m);
    return status ? status : check_values(loop, read, need, m);
}

kata_status legality_check_level_reads(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    arena memory = {0};
    if (!kernel->level_read_count) return KATA_OK;
    const grid_box *needs = analysis_needs(loop, &memory);
    kata_status status = needs ? KATA_OK : message_no_memory(m);
    for (int i = 0; i < kernel->level_read_count && !status; i++)
        status = check_read(loop, &kernel->level_reads[i], &needs[kernel->access_count + i], m);
    arena_free(&memory);
    return status;
}
