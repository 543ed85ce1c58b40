#include "legality/legality.h"
#include "observe/observe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool observe_point_before(const chain_loop *loop, const int64_t a[3], const int64_t b[3])
{
    const ir_direction *order = loop->kernel->order;
    for (int d = 2; d >= 0; d--)
        if (order[d] && a[d] != b[d]) return (a[d] < b[d]) == (order[d] == IR_FORWARD);
    for (int d = 2; d > 0; d--)
        if (a[d] != b[d]) return a[d] < b[d];
    return a[0] < b[0];
}

void observe_fault_show(observe_fault *fault, const char *label, ir_type type, ir_value value)
{
    if (fault->shown_count == OBSERVE_SHOWN) return;
    for (int i = 0; i < fault->shown_count; i++)
        if (strcmp(fault->shown[i].label, label) == 0) return;
    struct observe_shown *shown = &fault->shown[fault->shown_count++];
    snprintf(shown->label, IR_LABEL, "%s", label);
    shown->type = type;
    shown->value = value;
}

/* An index of the point as the program counts. */
static int64_t index_along(const chain_loop *loop, const observe_fault *fault, int d)
{
    const ir_kernel *kernel = loop->kernel;
    if (!kernel->of_mesh) return fault->point[d];
    const int64_t index = fault->point[kernel->axis[d]];
    const int32_t *number = loop->mesh->places[kernel->on - KATA_CELLS].number;
    return d == 0 && number ? number[index] : index;
}

/* "(3, 1)" */
static void print_point(text *out, const chain_loop *loop, const observe_fault *fault)
{
    for (int d = 0; d < loop->shape.rank; d++)
        text_add(out, "%s%" PRId64, d ? ", " : "(", index_along(loop, fault, d));
    text_add(out, ")");
}

static void add_shown(const observe_fault *fault, messages *m)
{
    text values = {0};
    for (int i = 0; i < fault->shown_count; i++) {
        text_add(&values, "%s%s = ", i ? ", " : "", fault->shown[i].label);
        ir_print_value(&values, fault->shown[i].type, fault->shown[i].value);
    }
    if (values.length) message_line(m, "%s", text_get(&values));
    text_free(&values);
}

static void begin_assert(const chain_loop *loop, const observe_fault *fault, const char *point,
                         messages *m)
{
    message_begin_at(m, KATA_ERROR_ASSERT, loop->kernel->text, fault->at,
                     "this assert fails at point %s%s%s", point, fault->name ? ": " : "",
                     fault->name ? fault->name : "");
    add_shown(fault, m);
}

static void begin_index(const chain_loop *loop, const observe_fault *fault, const char *point,
                        messages *m)
{
    message_begin_at(m, KATA_ERROR_ASSERT, loop->kernel->text, fault->at,
                     "index %" PRId64 " is outside '%s' at point %s", fault->index, fault->name,
                     point);
    message_line(m, "it must be 0 to %" PRId64, fault->length - 1);
}

/* A NaN is one, whatever its sign. */
static void begin_finite(const chain_loop *loop, const observe_fault *fault, const char *point,
                         messages *m)
{
    double value = ir_convert(IR_F64, fault->type, fault->value).f64;
    message_begin_at(m, KATA_ERROR_ASSERT, loop->kernel->text, fault->at,
                     "'%s' becomes %s at point %s", fault->name,
                     value != value ? "NaN"
                     : value > 0    ? "infinite"
                                    : "minus infinite",
                     point);
    add_shown(fault, m);
    message_line(m, "in loop %" PRId64 " of the run, after %" PRId64 " time step%s", loop->number,
                 loop->steps, loop->steps == 1 ? "" : "s");
}

kata_status observe_fault_report(const chain_loop *loop, const observe_fault *fault, messages *m)
{
    text point = {0};
    print_point(&point, loop, fault);
    if (fault->kind == IR_CHECK_ASSERT)
        begin_assert(loop, fault, text_get(&point), m);
    else if (fault->kind == IR_CHECK_FINITE)
        begin_finite(loop, fault, text_get(&point), m);
    else
        begin_index(loop, fault, text_get(&point), m);
    text_free(&point);
    legality_say_where(loop, m);
    return message_send(m);
}
