/* Temporary fields: their values live from a write to the end of the time step, and every value
 * read was written before. So a kernel that writes a temporary field writes all its components, on
 * every path. The same holds for reads of other tracked fields, as fields are after a kata_discard.
 */
#include "legality/checks.h"

/* ---- writes ---------------------------------------------------------------------------------- */

static kata_status refuse_part(const chain_loop *loop, int p, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *param = &kernel->params[p];
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, param->at,
                     "'%s' writes parts of a temporary field", param->name);
    legality_say_where(loop, m);
    message_line(m,
                 loop->colors > 1 ? "field '%s' has no values at the points of other colours"
                                  : "field '%s' has no value where a path does not write one",
                 loop->bindings[p].name);
    message_line(m, "write every component at every point, or declare it 'inout' and write all of "
                    "it before");
    return message_send(m);
}

static bool note_param(const chain_loop *loop, int p)
{
    grid_box written = analysis_surely_written(loop, p);
    return chain_slot_note(loop->bindings[p].slot, &written);
}

bool legality_note_written(const chain_loop *loop)
{
    bool noted = true;
    if (grid_box_is_empty(&loop->box)) return true;
    for (int p = 0; p < loop->kernel->param_count && noted; p++)
        if (loop->bindings[p].slot && loop->bindings[p].slot->tracked &&
            analysis_writes_whole(loop, p))
            noted = note_param(loop, p);
    return noted;
}

/* ---- reads ----------------------------------------------------------------------------------- */

static kata_status refuse_read(const chain_loop *loop, const ir_access *access,
                               const grid_box *missing, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    const chain_binding *binding = &loop->bindings[access->param];
    text box = {0};
    const grid_box shown = legality_shown(loop, missing);
    grid_box_print(&box, &shown, loop->shape.rank);
    bool temporary = binding->slot->temporary;
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, access->at,
                     temporary ? "'%s' reads a temporary field where it was not written"
                               : "'%s' reads a value that was discarded",
                     kernel->params[access->param].name);
    legality_say_where(loop, m);
    message_line(m,
                 temporary ? "field '%s' has no values at %s in this time step"
                           : "field '%s' was not written at %s since it was discarded",
                 binding->name, text_get(&box));
    message_line(m, "apply the kernel that writes it to a range that holds them, or this one to a "
                    "smaller range");
    text_free(&box);
    return message_send(m);
}

/* The parameter through which a loop writes all of a slot; -1 when there is none. */
static int whole_writer(const chain_loop *loop, const chain_slot *slot)
{
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (ir_param_is_written_field(&loop->kernel->params[p]) && loop->bindings[p].slot == slot &&
            analysis_writes_whole(loop, p))
            return p;
    return -1;
}

/* Whether an access reads earlier levels only, of a loop that runs level by level. */
static bool reads_earlier(const chain_loop *loop, const ir_access *access, const grid_box *need)
{
    const ir_kernel *kernel = loop->kernel;
    if (ir_level_after(kernel, access->offset) >= 0) return false;
    grid_box box =
        analysis_touched(&kernel->params[access->param], access->offset, access->offset, need);
    grid_box inside = chain_binding_inside(&loop->bindings[access->param]);
    bool stays = true;
    for (int d = 0; d < 3; d++)
        stays = stays &&
                (!kernel->order[d] || (box.lo[d] >= inside.lo[d] && box.hi[d] <= inside.hi[d]));
    return stays;
}

/* Whether a box of indices has values when they are read: from before the loop, or from its earlier
 * levels. */
static bool has_values(const chain_loop *loop, const ir_access *access, const grid_box *need,
                       const grid_box *box, grid_box *missing)
{
    const chain_slot *slot = loop->bindings[access->param].slot;
    if (grid_region_holds(&slot->set, box, missing)) return true;
    int writer = reads_earlier(loop, access, need) ? whole_writer(loop, slot) : -1;
    if (writer < 0) return false;
    grid_box written = analysis_surely_written(loop, writer), pieces[6];
    int count = grid_box_subtract(box, &written, pieces);
    for (int i = 0; i < count; i++)
        if (!grid_region_holds(&slot->set, &pieces[i], missing)) return false;
    return true;
}

int legality_find_unset(const chain_loop *loop, const grid_box *needs, grid_box *missing)
{
    for (int i = 0; i < loop->kernel->access_count; i++) {
        const ir_access *access = &loop->kernel->accesses[i];
        const chain_slot *slot = loop->bindings[access->param].slot;
        if (!slot->tracked || grid_box_is_empty(&needs[i])) continue;
        grid_box box = analysis_resolved_box(loop, access->param, access->offset, &needs[i]);
        if (!has_values(loop, access, &needs[i], &box, missing)) return i;
    }
    return -1;
}

static bool has_tracked(const chain_loop *loop)
{
    bool any = false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        any =
            any || (ir_param_is_field(&loop->kernel->params[p]) && loop->bindings[p].slot->tracked);
    return any;
}

static kata_status check_writes(const chain_loop *loop, messages *m)
{
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (loop->kernel->params[p].kind == IR_PARAM_OUT && loop->bindings[p].slot->temporary &&
            !analysis_writes_whole(loop, p))
            return refuse_part(loop, p, m);
    return KATA_OK;
}

kata_status legality_check_temporaries(const chain_loop *loop, messages *m)
{
    if (!has_tracked(loop) || grid_box_is_empty(&loop->box)) return KATA_OK;
    kata_status status = check_writes(loop, m);
    if (status != KATA_OK) return status;
    arena memory = {0};
    grid_box missing;
    const grid_box *needs = analysis_needs(loop, &memory);
    int unset = needs ? legality_find_unset(loop, needs, &missing) : -1;
    if (!needs) status = message_no_memory(m);
    if (unset >= 0) status = refuse_read(loop, &loop->kernel->accesses[unset], &missing, m);
    arena_free(&memory);
    return status;
}
