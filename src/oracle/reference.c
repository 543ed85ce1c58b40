/* The oracle: walks a chain as it was queued and interprets kernels' trees, point by point. It
 * judges the fast executors, so it shares nothing with them but the meaning of single operations.
 *
 * A loop writes into copies of the arrays that it changes, which replace the arrays when all points
 * are done: every read of another point finds the value from before the loop. Where levels run in
 * order, the values of a level go to the array itself before the next level begins. */
#include "oracle/contributions.h"
#include "oracle/interpret.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

/* One loop as it runs. */
typedef struct reference_run {
    oracle_interpreter in;
    observe_trace *trace;
    size_t reduced_count;     /* elements of all reductions */
    ir_value **contributions; /* to each of them, one per point of the box */
    oracle_where *where;      /* per parameter */
    arena memory;
} reference_run;

/* Values that a point may write: the components, of a finer field at every child. */
static size_t outputs_of(const ir_param *param)
{
    size_t outputs = (size_t)param->count;
    for (int d = 0; d < 3; d++)
        if (param->finer[d]) outputs *= (size_t)param->finer[d];
    return outputs;
}

static kata_status prepare_field(reference_run *run, int p, messages *m)
{
    const chain_loop *loop = run->in.loop;
    const ir_param *param = &loop->kernel->params[p];
    oracle_field *field = &run->in.fields[p];
    field->slot = loop->bindings[p].slot;
    field->boundary = loop->bindings[p].boundary;
    if (!ir_param_is_written_field(param)) return KATA_OK;
    const store_array *old = store_slot_array(field->slot);
    size_t outputs = outputs_of(param);
    field->stored = arena_array(&run->memory, outputs, sizeof *field->stored);
    field->stored_at = arena_array(&run->memory, outputs, sizeof *field->stored_at);
    field->flows = arena_array(&run->memory, outputs, sizeof *field->flows);
    if (old) field->next = store_array_copy(old);
    return field->stored && field->stored_at && field->flows && field->next ? KATA_OK
                                                                            : message_no_memory(m);
}

static kata_status prepare_locals(reference_run *run, messages *m)
{
    const ir_kernel *kernel = run->in.loop->kernel;
    size_t total = 0;
    run->in.local_start =
        arena_array(&run->memory, (size_t)kernel->local_count + 1, sizeof *run->in.local_start);
    if (!run->in.local_start) return message_no_memory(m);
    for (int i = 0; i < kernel->local_count; i++) {
        run->in.local_start[i] = total;
        total += kernel->locals[i].length > 0 ? (size_t)kernel->locals[i].length : 1;
    }
    run->in.locals = arena_array(&run->memory, total + 1, sizeof *run->in.locals);
    run->in.local_flows = arena_array(&run->memory, total + 1, sizeof *run->in.local_flows);
    if (kernel->watched && !kernel->loop_count)
        run->in.reads = arena_array(&run->memory, ORACLE_READS, sizeof *run->in.reads);
    return run->in.locals && run->in.local_flows ? KATA_OK : message_no_memory(m);
}

/* Integers wrap, so their sums need no order: they are added up as points run. Other contributions
 * are collected. */
static bool adds_up(const ir_param *param)
{
    return param->kind == IR_PARAM_SUM && ir_type_is_integer(param->type) &&
           !ir_param_is_column_reduction(param);
}

static bool is_collected(const ir_param *param)
{
    return ir_param_is_reduction(param) && !adds_up(param) && param->kind != IR_PARAM_WHERE;
}

static kata_status collect(reference_run *run, size_t r)
{
    size_t points = (size_t)grid_box_points(&run->in.loop->box);
    run->contributions[r] = arena_array(&run->memory, points + 1, sizeof(ir_value));
    return run->contributions[r] ? KATA_OK : KATA_ERROR_MEMORY;
}

static kata_status prepare_reductions(reference_run *run, messages *m)
{
    const chain_loop *loop = run->in.loop;
    const ir_kernel *kernel = loop->kernel;
    size_t count = 0;
    run->in.reduced_start =
        arena_array(&run->memory, (size_t)kernel->param_count + 1, sizeof *run->in.reduced_start);
    if (!run->in.reduced_start) return message_no_memory(m);
    for (int p = 0; p < kernel->param_count; p++) {
        run->in.reduced_start[p] = count;
        if (!ir_param_is_reduction(&kernel->params[p])) continue;
        count += (size_t)kernel->params[p].count;
        if (!store_slot_array(loop->bindings[p].slot)) return message_no_memory(m);
    }
    run->in.reduced = arena_array(&run->memory, count + 1, sizeof *run->in.reduced);
    run->in.reduced_flows = arena_array(&run->memory, count + 1, sizeof *run->in.reduced_flows);
    run->contributions = arena_array(&run->memory, count + 1, sizeof *run->contributions);
    run->where = arena_array(&run->memory, (size_t)kernel->param_count + 1, sizeof *run->where);
    if (!run->in.reduced || !run->in.reduced_flows || !run->contributions || !run->where)
        return message_no_memory(m);
    for (int p = 0; p < kernel->param_count; p++)
        for (int e = 0; is_collected(&kernel->params[p]) && e < kernel->params[p].count; e++)
            if (collect(run, run->in.reduced_start[p] + (size_t)e)) return message_no_memory(m);
    run->reduced_count = count;
    return KATA_OK;
}

static kata_status prepare(reference_run *run, messages *m)
{
    const chain_loop *loop = run->in.loop;
    size_t count = (size_t)loop->kernel->param_count + 1;
    run->in.fields = arena_array(&run->memory, count, sizeof *run->in.fields);
    if (!run->in.fields) return message_no_memory(m);
    kata_status status = prepare_locals(run, m);
    if (status == KATA_OK) status = prepare_reductions(run, m);
    for (int p = 0; p < loop->kernel->param_count && status == KATA_OK; p++) {
        const ir_param *param = &loop->kernel->params[p];
        if (ir_param_is_field(param)) status = prepare_field(run, p, m);
    }
    if (status != KATA_OK) return status;
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (ir_param_is_field(&loop->kernel->params[p]))
            run->in.fields[p].old = loop->bindings[p].slot->array;
    return KATA_OK;
}

static void trace_point(reference_run *run)
{
    bool here = run->trace && observe_trace_reaches(run->trace, run->in.loop, run->in.point);
    run->in.trace = here ? run->trace : NULL;
    if (here) text_clear(&run->trace->operands);
}

/* Meets the contributions whose point is wanted. */
static void meet_point(reference_run *run)
{
    const ir_kernel *kernel = run->in.loop->kernel;
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        if (param->kind != IR_PARAM_WHERE) continue;
        ir_value x = run->in.reduced[run->in.reduced_start[param->of]];
        oracle_where_meet(&kernel->params[param->of], &run->where[p], x, run->in.point);
    }
}

static bool run_point(reference_run *run, int64_t number)
{
    const ir_kernel *kernel = run->in.loop->kernel;
    for (int p = 0; p < kernel->param_count; p++) {
        if (ir_param_is_written_field(&kernel->params[p]))
            memset(run->in.fields[p].stored, 0, outputs_of(&kernel->params[p]) * sizeof(bool));
        for (int e = 0; is_collected(&kernel->params[p]) && e < kernel->params[p].count; e++)
            run->in.reduced[run->in.reduced_start[p] + (size_t)e] =
                ir_reduction_start(&kernel->params[p]);
    }
    memset(run->in.reduced_flows, 0, run->reduced_count * sizeof *run->in.reduced_flows);
    run->in.read_count = 0;
    trace_point(run);
    if (!oracle_interpret_point(&run->in)) return false;
    meet_point(run);
    for (size_t r = 0; r < run->reduced_count; r++)
        if (run->contributions[r]) run->contributions[r][number] = run->in.reduced[r];
    return true;
}

/* Whether the loop visits the point. */
static bool has_color(const chain_loop *loop, const int64_t point[3])
{
    if (loop->colors <= 1) return true;
    int64_t sum = point[0] + point[1] + point[2];
    while (sum < 0) sum += loop->colors;
    return sum % loop->colors == loop->color;
}

static void contribute_nothing(reference_run *run, int64_t number)
{
    const ir_kernel *kernel = run->in.loop->kernel;
    for (int p = 0; p < kernel->param_count; p++)
        for (int e = 0; is_collected(&kernel->params[p]) && e < kernel->params[p].count; e++)
            run->contributions[run->in.reduced_start[p] + (size_t)e][number] =
                ir_reduction_start(&kernel->params[p]);
}

/* Of a point of the loop's box: x fastest. */
static int64_t number_of(const grid_box *box, const int64_t point[3])
{
    int64_t number = 0;
    for (int d = 2; d >= 0; d--)
        number = number * (box->hi[d] - box->lo[d]) + point[d] - box->lo[d];
    return number;
}

static bool run_points(reference_run *run, const grid_box *box)
{
    int64_t *point = run->in.point;
    for (point[2] = box->lo[2]; point[2] < box->hi[2]; point[2]++)
        for (point[1] = box->lo[1]; point[1] < box->hi[1]; point[1]++)
            for (point[0] = box->lo[0]; point[0] < box->hi[0]; point[0]++) {
                int64_t number = number_of(&run->in.loop->box, point);
                if (!has_color(run->in.loop, point))
                    contribute_nothing(run, number);
                else if (!run_point(run, number))
                    return false;
            }
    return true;
}

/* Copies the values that a point may have written to where later levels read them. */
static void commit_point(const oracle_field *field, const ir_param *param, const int64_t point[3])
{
    int64_t at[3];
    for (int d = 0; d < 3; d++) at[d] = ir_param_index(param, d, point[d]);
    for (int c = 0; c < param->count; c++)
        store_set_element(field->slot->array, c, at, store_get_element(field->next, c, at));
}

static void commit_level(reference_run *run, const grid_box *level, int p)
{
    const ir_param *param = &run->in.loop->kernel->params[p];
    int64_t at[3];
    for (at[2] = level->lo[2]; at[2] < level->hi[2]; at[2]++)
        for (at[1] = level->lo[1]; at[1] < level->hi[1]; at[1]++)
            for (at[0] = level->lo[0]; at[0] < level->hi[0]; at[0]++)
                commit_point(&run->in.fields[p], param, at);
}

static bool run_level(reference_run *run, const grid_box *level)
{
    const ir_kernel *kernel = run->in.loop->kernel;
    if (!run_points(run, level)) return false;
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_written_field(&kernel->params[p])) commit_level(run, level, p);
    return true;
}

/* The levels of a box in order; `d`: the outermost dimension that is still to be walked along. */
static bool run_levels(reference_run *run, const grid_box *box, int d)
{
    while (d >= 0 && !run->in.loop->kernel->order[d]) d--;
    if (d < 0) return run_level(run, box);
    bool forward = run->in.loop->kernel->order[d] == IR_FORWARD;
    for (int64_t i = 0; i < box->hi[d] - box->lo[d]; i++) {
        grid_box part = *box;
        part.lo[d] = forward ? box->lo[d] + i : box->hi[d] - 1 - i;
        part.hi[d] = part.lo[d] + 1;
        if (!run_levels(run, &part, d - 1)) return false;
    }
    return true;
}

static bool run_all(reference_run *run)
{
    const chain_loop *loop = run->in.loop;
    if (grid_box_is_empty(&loop->box)) return true;
    return loop->kernel->direction ? run_levels(run, &loop->box, 2) : run_points(run, &loop->box);
}

static void commit_reduction(reference_run *run, int p)
{
    const chain_loop *loop = run->in.loop;
    const ir_param *param = &loop->kernel->params[p];
    store_array *scalar = loop->bindings[p].slot->array;
    const int64_t here[3] = {0, 0, 0};
    for (int e = 0; e < param->count; e++) {
        size_t r = run->in.reduced_start[p] + (size_t)e;
        if (ir_param_is_column_reduction(param)) {
            oracle_reduce_columns(loop, p, e, run->contributions[r]);
            continue;
        }
        oracle_contributions all = {param, loop->box, loop->box, run->contributions[r], false};
        ir_value result = adds_up(param) ? run->in.reduced[r] : oracle_reduce(&all),
                 args[2] = {store_get_element(scalar, e, here), result};
        if (param->accumulates)
            result = ir_evaluate(ir_reduction_op(param), param->type, param->type, args);
        store_set_element(scalar, e, here, result);
    }
}

/* Replaces the old array by the new one; in memory of the program, its values. */
static void commit_field(oracle_field *field)
{
    store_array *old = field->slot->array;
    if (!old->bytes) {
        store_assign(old, field->next);
        return;
    }
    field->slot->array = field->next;
    field->next = old;
}

/* Before the reduction that it belongs to changes. */
static void commit_where(reference_run *run, int p)
{
    const chain_loop *loop = run->in.loop;
    const ir_param *param = &loop->kernel->params[p];
    const int64_t here[3] = {0, 0, 0};
    store_array *scalar = loop->bindings[p].slot->array;
    ir_value old = store_get_element(loop->bindings[param->of].slot->array, 0, here);
    for (int d = 0; d < 3; d++)
        store_set_element(scalar, d, here,
                          oracle_where_index(param, &loop->kernel->params[param->of],
                                             &run->where[p], d, old,
                                             store_get_element(scalar, d, here)));
}

/* Turns the results of the loop into the values of fields and scalars. */
static void commit(reference_run *run)
{
    const chain_loop *loop = run->in.loop;
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (loop->kernel->params[p].kind == IR_PARAM_WHERE) commit_where(run, p);
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const ir_param *param = &loop->kernel->params[p];
        if (ir_param_is_reduction(param) && param->kind != IR_PARAM_WHERE) commit_reduction(run, p);
        if (ir_param_is_written_field(param)) commit_field(&run->in.fields[p]);
    }
}

static void release(reference_run *run)
{
    for (int p = 0; run->in.fields && p < run->in.loop->kernel->param_count; p++)
        store_array_free(run->in.fields[p].next);
    arena_free(&run->memory);
}

kata_status oracle_interpret_loop(const chain_loop *loop, observe_trace *trace, messages *m)
{
    reference_run run = {.in.loop = loop, .trace = trace};
    if (trace) trace->loops++;
    if (loop->sparse) return oracle_run_sparse(loop, trace) ? KATA_OK : message_no_memory(m);
    kata_status status = prepare(&run, m);
    bool ran = status != KATA_OK || run_all(&run);
    if (!ran && run.in.fault.found)
        status = observe_fault_report(loop, &run.in.fault, m);
    else if (!ran)
        status = message_fail(m, KATA_ERROR_INTERNAL, "kernel '%s' met %s", loop->kernel->name,
                              run.in.failure);
    if (status == KATA_OK) commit(&run);
    if (status == KATA_OK) store_log(loop);
    release(&run);
    return status;
}

kata_status oracle_run_chain(const chain *c, observe_trace *trace, observe_meter *meter,
                             messages *m)
{
    fenv_t environment;
    kata_status status = KATA_OK;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    for (size_t i = 0; i < c->count && status == KATA_OK; i++) {
        status = store_make_arrays(&c->loops[i], m);
        double start = observe_meter_now(meter);
        if (status == KATA_OK) status = oracle_interpret_loop(&c->loops[i], trace, m);
        if (status == KATA_OK)
            observe_meter_note(meter, &c->loops[i], observe_meter_now(meter) - start);
    }
    fesetenv(&environment);
    return status;
}
