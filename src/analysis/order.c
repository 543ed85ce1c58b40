/* Levels that run in order, and the intervals that they are divided into. */
#include "analysis/analysis.h"

#include <inttypes.h>

int64_t analysis_bound_value(const chain_loop *loop, const ir_bound *bound)
{
    int64_t base = 0;
    if (bound->base == IR_BOUND_SIZE) base = loop->shape.size[loop->kernel->ordered];
    if (bound->base == IR_BOUND_PARAM) base = loop->bindings[bound->param].number.i32;
    return base + bound->shift;
}

analysis_span analysis_levels(const chain_loop *loop, const ir_interval *interval)
{
    int64_t size = loop->shape.size[loop->kernel->ordered];
    if (!interval) return (analysis_span){0, size};
    return (analysis_span){larger(0, analysis_bound_value(loop, &interval->lo)),
                           smaller(size, analysis_bound_value(loop, &interval->hi))};
}

/* ---- legality -------------------------------------------------------------------------------- */

static kata_status refuse_grid(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    char z = "xyz"[kernel->ordered];
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, kernel->direction_at,
                     "kernel '%s' runs level by level along %c", kernel->name, z);
    analysis_say_where(loop, m);
    if (loop->once)
        message_line(m, "what is applied once has no levels: leave the order out");
    else
        message_line(m, "apply it to a grid that has a dimension %c", z);
    return message_send(m);
}

static kata_status refuse_scalar(const chain_loop *loop, int param, const ir_interval *interval,
                                 messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, kernel->params[param].at,
                     "parameter '%s' bounds an interval and is given a scalar",
                     kernel->params[param].name);
    analysis_say_where(loop, m);
    message_line(m, "the value of scalar '%s' is not known yet: give a number",
                 loop->bindings[param].name);
    message_note_at(m, kernel->text, interval->at, "the interval is here");
    return message_send(m);
}

static kata_status check_known(const chain_loop *loop, const ir_interval *interval, messages *m)
{
    const ir_bound *bounds[2] = {&interval->lo, &interval->hi};
    for (int i = 0; i < 2; i++)
        if (bounds[i]->base == IR_BOUND_PARAM && loop->bindings[bounds[i]->param].slot)
            return refuse_scalar(loop, bounds[i]->param, interval, m);
    return KATA_OK;
}

static bool overlap(const chain_loop *loop, const ir_interval *a, const ir_interval *b)
{
    analysis_span first = analysis_levels(loop, a), second = analysis_levels(loop, b);
    return larger(first.lo, second.lo) < smaller(first.hi, second.hi);
}

/* "interval [k, nz-1), here [3, 9)," */
static void print_interval(text *out, const chain_loop *loop, const ir_interval *interval)
{
    text_add(out, "interval ");
    ir_interval_print(out, loop->kernel, interval);
    text_add(out, ", here [%" PRId64 ", %" PRId64 ")", analysis_bound_value(loop, &interval->lo),
             analysis_bound_value(loop, &interval->hi));
}

static kata_status refuse_overlap(const chain_loop *loop, const ir_interval *first,
                                  const ir_interval *second, messages *m)
{
    text words = {0}, other = {0};
    print_interval(&words, loop, second);
    print_interval(&other, loop, first);
    message_begin_at(m, KATA_ERROR_APPLICATION, loop->kernel->text, second->at, "%s, overlaps %s",
                     text_get(&words), text_get(&other));
    analysis_say_where(loop, m);
    message_line(m, "each level has one body: take other numbers, or a grid with more levels");
    message_note_at(m, loop->kernel->text, first->at, "the other is here");
    text_free(&words);
    text_free(&other);
    return message_send(m);
}

kata_status analysis_check_order(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    if (!kernel->direction) return KATA_OK;
    if (loop->once || loop->shape.rank <= kernel->ordered) return refuse_grid(loop, m);
    for (int i = 0; i < kernel->interval_count; i++) {
        const ir_interval *interval = &kernel->intervals[i];
        kata_status status = check_known(loop, interval, m);
        if (status) return status;
        for (int k = 0; k < i; k++)
            if (overlap(loop, &kernel->intervals[k], interval))
                return refuse_overlap(loop, &kernel->intervals[k], interval, m);
    }
    return KATA_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* The store through which the kernel writes what an access reads, NULL when it does not. */
static const ir_store *writer_of(const chain_loop *loop, const ir_access *access)
{
    const ir_kernel *kernel = loop->kernel;
    for (int i = 0; i < kernel->store_count; i++)
        if (loop->bindings[kernel->stores[i].param].slot == loop->bindings[access->param].slot &&
            kernel->stores[i].component == access->component)
            return &kernel->stores[i];
    return NULL;
}

/* Whether a read finds no value that another column writes. */
static bool is_in_column(const chain_loop *loop, const ir_access *access)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_store *store = writer_of(loop, access);
    bool in = !store ||
              ir_param_same_place(&kernel->params[access->param], &kernel->params[store->param]);
    for (int d = 0; d < 3 && store; d++) in = in && (d == kernel->ordered || !access->offset[d]);
    return in;
}

static bool stays_inside(const chain_loop *loop, const ir_access *access, const grid_box *need)
{
    int d = loop->kernel->ordered;
    const ir_param *param = &loop->kernel->params[access->param];
    grid_box box = analysis_touched(param, access->offset, access->offset, need);
    grid_box inside = chain_binding_inside(&loop->bindings[access->param]);
    return grid_box_is_empty(need) || (box.lo[d] >= inside.lo[d] && box.hi[d] <= inside.hi[d]);
}

static bool all_stay_inside(const chain_loop *loop, const grid_box *needs)
{
    bool all = true;
    for (int i = 0; i < loop->kernel->access_count; i++)
        all = all && stays_inside(loop, &loop->kernel->accesses[i], needs ? &needs[i] : &loop->box);
    return all;
}

bool analysis_stays_on_levels(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    if (all_stay_inside(loop, NULL)) return true;
    arena memory = {0};
    grid_box *needs = arena_array(&memory, (size_t)kernel->access_count, sizeof *needs);
    bool inside = needs && analysis_needs(loop, needs) && all_stay_inside(loop, needs);
    arena_free(&memory);
    return inside;
}

bool analysis_has_columns(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    if (!kernel->direction || loop->colors > 1) return false;
    for (int i = 0; i < kernel->access_count; i++)
        if (!is_in_column(loop, &kernel->accesses[i])) return false;
    return analysis_stays_on_levels(loop);
}
