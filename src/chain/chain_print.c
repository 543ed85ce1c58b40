/* The text form of a chain: a line per loop,
 *
 *     heat [0, 16) x [0, 16): u@3, v@0->1, dt@2, c = 0.1, w = {0.5, 1}
 *
 * the kernel, the box (with " color 0 of 2"; "once" without a grid; of a copy with the indices that
 * it reads, " from [-y + 7, x]"), and per parameter the field or
 * scalar with the version read, and the next version if the loop makes one; or the number or
 * table. */
#include "chain/chain.h"

#include <inttypes.h>

static void print_value(text *out, ir_type type, ir_value value)
{
    switch (type) {
    case IR_BOOL: text_add(out, "%s", value.i32 ? "true" : "false"); break;
    case IR_U8:
    case IR_U16:
    case IR_I16:
    case IR_I32: text_add(out, "%" PRId32, value.i32); break;
    case IR_I64: text_add(out, "%" PRId64, value.i64); break;
    case IR_F32: text_add(out, "%.9g", (double)value.f32); break;
    case IR_F64: text_add(out, "%.17g", value.f64); break;
    case IR_TYPE_COUNT: break;
    }
}

static void print_table(text *out, const ir_param *param, const ir_value *table)
{
    text_add(out, "%s = {", param->name);
    for (int i = 0; i < param->count; i++) {
        if (i > 0) text_add(out, ", ");
        print_value(out, param->type, table[i]);
    }
    text_add(out, "}");
}

static void print_binding(text *out, const ir_param *param, const chain_binding *binding)
{
    if (binding->slot) {
        text_add(out, "%s@%" PRId64, binding->name, binding->version);
        if (ir_param_is_written_field(param) || ir_param_is_reduction(param))
            text_add(out, "->%" PRId64, binding->version + 1);
    } else if (param->kind == IR_PARAM_TABLE) {
        print_table(out, param, binding->table);
    } else {
        text_add(out, "%s = ", param->name);
        print_value(out, param->type, binding->number);
    }
}

/* " from [-y + 7, x]" */
static void print_copy(text *out, const chain_copy *copy, int rank)
{
    for (int d = 0; d < rank; d++) {
        text_add(out, "%s%s%c", d ? ", " : " from [", copy->sign[d] < 0 ? "-" : "",
                 (int)"xyz"[copy->axis[d]]);
        if (copy->shift[d])
            text_add(out, " %c %" PRId64, copy->shift[d] < 0 ? '-' : '+',
                     copy->shift[d] < 0 ? -copy->shift[d] : copy->shift[d]);
    }
    text_add(out, "]");
}

void chain_print(text *out, const chain *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const chain_loop *loop = &c->loops[i];
        text_add(out, "%s ", loop->kernel->name);
        if (loop->once)
            text_add(out, "once");
        else
            grid_box_print(out, &loop->box, loop->shape.rank);
        if (loop->colors > 1) text_add(out, " color %d of %d", loop->color, loop->colors);
        if (loop->copy)
            print_copy(out, loop->copy, loop->bindings[CHAIN_COPY_FROM].slot->shape.rank);
        for (int p = 0; p < loop->kernel->param_count; p++) {
            text_add(out, p == 0 ? ": " : ", ");
            print_binding(out, &loop->kernel->params[p], &loop->bindings[p]);
        }
        text_add(out, "\n");
    }
}
