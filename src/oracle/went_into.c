/* What goes into the values that a point computes: the reads whose values reached them through
 * arithmetic and choices, and whether one of these was not finite. With that a point of a watched
 * kernel knows whether it has made a NaN or an infinity, or only handed one on. */
#include "oracle/interpret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_finite(ir_type type, ir_value x)
{
    return !ir_type_is_floating(type) || isfinite(ir_convert(IR_F64, type, x).f64);
}

/* The number of a read; a new one where there is room; -1. */
static int number_of(oracle_interpreter *in, const ir_expr *expr, const int64_t at[4],
                     ir_value value)
{
    for (int i = 0; i < in->read_count; i++) {
        const oracle_read_value *r = &in->reads[i];
        if (r->expr->kind == expr->kind && r->expr->index == expr->index &&
            !memcmp(r->at, at, sizeof r->at))
            return i;
    }
    if (!in->reads || in->read_count == ORACLE_READS) return -1;
    oracle_read_value *r = &in->reads[in->read_count];
    r->expr = expr;
    r->value = value;
    memcpy(r->at, at, sizeof r->at);
    return in->read_count++;
}

void oracle_flow_read(oracle_interpreter *in, const ir_expr *expr, const int64_t at[4],
                      ir_value value)
{
    if (!in->loop->kernel->watched) return;
    int number = at && expr->type != IR_BOOL ? number_of(in, expr, at, value) : -1;
    bool tainted = expr->kind == IR_EXPR_LOAD && !is_finite(expr->type, value);
    in->flow = (tainted ? ORACLE_TAINT : 0) | (number < 0 ? 0 : UINT64_C(1) << number);
}

void oracle_flow_result(oracle_interpreter *in, ir_type type, uint64_t flow)
{
    if (!in->loop->kernel->watched) return;
    in->flow = type == IR_BOOL ? 0 : ir_type_is_floating(type) ? flow : flow & ~ORACLE_TAINT;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* What a point has computed for a result of its kernel; false where it has none. */
static bool find_result(const oracle_interpreter *in, const ir_store *s, ir_value *value,
                        uint64_t *flow)
{
    const ir_param *param = &in->loop->kernel->params[s->param];
    const oracle_field *field = &in->fields[s->param];
    int64_t offset[3] = {s->offset[0], s->offset[1], s->offset[2]}, target[3];
    if (ir_param_is_reduction(param)) {
        size_t r = in->reduced_start[s->param] + (size_t)s->component;
        *value = in->reduced[r];
        *flow = in->reduced_flows[r];
        return true;
    }
    int output = oracle_output_of(param, s->component, offset);
    if (output < 0 || !field->stored[output] ||
        !oracle_target(field, field->stored_at[output], target))
        return false;
    ir_value element = store_get_element(field->next, s->component, target);
    *value = ir_storage_read(field->slot->type, param->type, &element);
    *flow = field->flows[output];
    return true;
}

static bool holds(const ir_param *param, ir_value value)
{
    bool extremum = param->kind == IR_PARAM_MIN || param->kind == IR_PARAM_MAX;
    return extremum ? !isnan(ir_convert(IR_F64, param->type, value).f64)
                    : is_finite(param->type, value);
}

typedef struct labelled {
    char label[IR_LABEL];
    const oracle_read_value *read;
} labelled;

static int by_label(const void *a, const void *b)
{
    return strcmp(((const labelled *)a)->label, ((const labelled *)b)->label);
}

static void show(oracle_interpreter *in, uint64_t flow)
{
    labelled all[ORACLE_READS];
    size_t count = 0;
    for (int i = 0; i < in->read_count; i++) {
        if (!(flow >> i & 1)) continue;
        ir_print_label(all[count].label, in->loop->kernel, in->reads[i].expr, in->reads[i].at);
        all[count++].read = &in->reads[i];
    }
    if (count) qsort(all, count, sizeof *all, by_label);
    for (size_t i = 0; i < count; i++)
        observe_fault_show(&in->fault, all[i].label, all[i].read->expr->type, all[i].read->value);
}

void oracle_flow_check(oracle_interpreter *in)
{
    const ir_kernel *kernel = in->loop->kernel;
    for (int i = 0; i < kernel->check_count; i++) {
        const ir_check *check = &kernel->checks[i];
        const ir_store *s = &kernel->stores[check->store];
        const ir_param *param = &kernel->params[s->param];
        ir_value value;
        uint64_t flow;
        if (check->kind != IR_CHECK_FINITE || !find_result(in, s, &value, &flow)) continue;
        if (holds(param, value) || flow & ORACLE_TAINT) continue;
        in->failure = "a check that fails";
        in->fault = (observe_fault){.found = true,
                                    .kind = IR_CHECK_FINITE,
                                    .at = check->at,
                                    .name = check->name,
                                    .type = param->type,
                                    .value = value};
        for (int d = 0; d < 3; d++) in->fault.point[d] = in->point[d];
        show(in, flow);
        return;
    }
}
