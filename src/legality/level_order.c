/* Levels that run in order have a dimension of the grid, and each has one body. */
#include "legality/checks.h"

#include <inttypes.h>

static kata_status refuse_grid(const chain_loop *loop, messages *m)
{
    const ir_kernel *kernel = loop->kernel;
    char z = legality_letter(loop, kernel->ordered);
    text ordered = {0};
    ir_print_ordered(&ordered, kernel);
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, kernel->direction_at,
                     "kernel '%s' runs level by level along %s", kernel->name, text_get(&ordered));
    text_free(&ordered);
    legality_say_where(loop, m);
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
    legality_say_where(loop, m);
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
    legality_say_where(loop, m);
    message_line(m, "each level has one body: take other numbers, or a grid with more levels");
    message_note_at(m, loop->kernel->text, first->at, "the other is here");
    text_free(&words);
    text_free(&other);
    return message_send(m);
}

kata_status legality_check_order(const chain_loop *loop, messages *m)
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
