/* kata_apply: binds each argument to its parameter, checks the loop as a whole and queues it. */
#include "api/apply.h"
#include "legality/legality.h"

#include <stdio.h>

static kata_status check_count(const api_application *a, int count)
{
    const ir_kernel *kernel = a->kernel;
    const int takes = kernel->param_count - kernel->hidden_count;
    if (count == takes && (a->args || !count)) return KATA_OK;
    if (count == takes)
        return api_fail(a->k, KATA_ERROR_ARGUMENT, "%skata_apply: the arguments are NULL",
                        api_location(a));
    text names = {0};
    for (int p = 0; p < takes; p++) text_add(&names, "%s%s", p ? ", " : "", kernel->params[p].name);
    API_BEGIN(a, "kernel '%s' takes %d argument%s (%s), not %d", kernel->name, takes,
              takes == 1 ? "" : "s", text_get(&names), count);
    message_note_at(&a->k->messages, kernel->text, kernel->at, "it is declared here");
    message_send(&a->k->messages);
    text_free(&names);
    api_note_error(a->k);
    return a->k->messages.status;
}

/* Checks whether a loop may be queued, and remembers it if so. */
static kata_status check(const api_application *a, chain_loop *loop, const kata_range *range)
{
    messages *m = &a->k->messages;
    kata_status status = range->needed ? legality_find_needed(loop, m) : KATA_OK;
    if (!status) status = legality_check(loop, m);
    if (!status) api_apply_cache_add(a->k, loop, range);
    return status;
}

kata_status api_note_written(kata *k, const chain_loop *loop)
{
    if (!legality_note_written(loop)) return message_no_memory(&k->messages);
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (analysis_writes_all(loop, p)) loop->bindings[p].slot->discarded = false;
    return KATA_OK;
}

/* What an application computes: built-in kernels, what their field has. */
static kata_location computed_by(const api_application *a)
{
    const kata_location on = a->kernel->on;
    const chain_slot *slot = a->bindings[0].slot;
    return a->kernel->anywhere && slot ? slot->on : on;
}

/* The loop that an application makes, at the end of the queue but not yet counted. */
static chain_loop *make_loop(const api_application *a, const kata_range *range, uint64_t hash)
{
    const kata *k = a->k;
    chain_loop *loop = chain_next(&k->chain);
    loop->kernel = a->kernel;
    const kata_grid *grid = range->grid;
    loop->shape = grid->mesh ? api_mesh_shape(grid, computed_by(a)) : grid->shape;
    loop->icosahedral = grid->icosahedral;
    loop->mesh = grid->mesh ? &grid->mesh->tables : NULL;
    loop->box = grid->mesh ? api_mesh_box(grid, range, computed_by(a)) : api_range_box(range);
    loop->colors = range->colors;
    loop->color = range->color;
    loop->once = range->grid == &k->once;
    loop->parted = 0;
    loop->copy = NULL;
    loop->sparse = NULL;
    loop->at_once = NULL;
    loop->bindings = a->bindings;
    loop->file = a->file ? k->here_copy : NULL;
    loop->line = a->line;
    loop->hash = hash;
    return loop;
}

/* `hash`: of a loop that is known to be right; 0 if it has to be checked. */
static kata_status queue(api_application *a, const kata_range *range, uint64_t hash)
{
    kata *k = a->k;
    chain_loop *loop = make_loop(a, range, hash);
    kata_status status = hash ? KATA_OK : check(a, loop, range);
    if (!status) status = chain_append(&k->chain, loop, &k->messages);
    if (!status && !hash) status = api_note_written(k, loop);
    if (status) api_note_error(k);
    return status;
}

/* Setting the rounding environment takes a tenth of the time of kata_apply: only what computes with
 * floating-point numbers does. */
static kata_status queue_first(api_application *a, const kata_range *range)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = queue(a, range, 0);
    rounding_leave(&own);
    return status;
}

static kata_status end_chain(kata *k)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = api_queued(k);
    rounding_leave(&own);
    return status;
}

/* Whether the field that a kernel's first real parameter gets asks for the version in float. */
static bool is_narrow(const kata_kernel *kernel, int count, const kata_arg *args)
{
    int p = kernel->kernel->real_param;
    if (!kernel->f32_version || !args || p >= count || !api_arg_is_field(&args[p])) return false;
    const chain_slot *slot = api_arg_slot(&args[p]);
    return slot && ir_type_of_storage(slot->type) == IR_F32;
}

/* The version of a kernel for its fields and the grid of its range. NULL on error. */
static const ir_kernel *version_for(const kata_kernel *kernel, const kata_range *range, int count,
                                    const kata_arg *args)
{
    bool narrow = is_narrow(kernel, count, args);
    bool on_mesh = range && range->grid && range->grid->mesh && range->grid->k == kernel->module->k;
    if (on_mesh && !kernel->kernel->anywhere)
        return api_mesh_kernel_for(range->grid, kernel, narrow);
    return narrow ? kernel->f32_version : kernel->kernel;
}

/* Sees to it that what a range has of a mesh is a box in memory. */
static void place_for(const kata_kernel *kernel, const kata_range *range, int count,
                      const kata_arg *args)
{
    kata_location on = kernel->kernel->on;
    const chain_slot *slot = count && args && api_arg_is_field(args) ? api_arg_slot(args) : NULL;
    if (kernel->kernel->anywhere) on = slot ? slot->on : KATA_NOWHERE;
    if (range && range->grid && range->grid->k == kernel->module->k)
        api_mesh_part(range, on, "kata_apply to some of the elements of a mesh");
}

static kata_status check_range(const api_application *a, const kata_range *range)
{
    const ir_kernel *kernel = a->kernel;
    char call[sizeof a->k->location + 60];
    snprintf(call, sizeof call, "%s%.40s", api_location(a),
             api_is_built_in(a->k, kernel) ? kernel->name : "kata_apply");
    kata_status status = api_check_range(a->k, call, range);
    if (status || !range->grid->mesh || (!range->needed && range->colors < 2)) return status;
    return api_fail(
        a->k, KATA_ERROR_ARGUMENT,
        "%s: %s is for grids of points; a mesh has kata_all, or numbers and levels in a "
        "kata_box_3d",
        call, range->needed ? "kata_needed" : "kata_color");
}

kata_status kata_apply_args(const kata_kernel *kernel, const kata_range *range, int count,
                            const kata_arg *args)
{
    if (!kernel) return api_null("kata_apply", "the kernel");
    kata *k = kernel->module->k;
    if (!k->messages.status) place_for(kernel, range, count, args);
    api_application a = {.k = k, .kernel = version_for(kernel, range, count, args), .args = args};
    api_location_take(&a);
    if (k->messages.status) return k->messages.status;
    a.grid = range ? range->grid : NULL;
    kata_status status = check_count(&a, count);
    uint64_t hash = status ? 0 : api_apply_cache_find(k, a.kernel, range, args);
    if (!status && !hash) status = check_range(&a, range);
    if (!status) status = api_bind(&a);
    if (!status) status = hash ? queue(&a, range, hash) : queue_first(&a, range);
    bool may_end = k->eager || k->chain.count >= API_CHAIN_LENGTH;
    return status || !may_end ? status : end_chain(k);
}
