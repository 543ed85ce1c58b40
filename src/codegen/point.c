/* The function of a point: all that is computed from values of fields, and the stores. Compilers
 * put it into the loops that call it, where the points of a vector are computed side by side. For
 * each store it is given the address of the element that it makes. */
#include "codegen/halves.h"

void codegen_steps(const codegen_writer *w, nest *in, codegen_level level)
{
    const ir_graph *g = &w->loop->kernel->graph;
    for (ir_id id = 1; id < g->count; id++) {
        const codegen_step *step = &w->steps[id];
        if (step->level != level || step->loop >= 0) continue;
        if (w->wanted && !w->wanted[id]) continue;
        if (step->named) codegen_step_of(w, in, id);
        if (codegen_ends_rounds(w, id)) codegen_rounds(w, in, id);
    }
}

static void add_stored_value(text *out, const codegen_writer *w, int i)
{
    const ir_store *s = &w->loop->kernel->stores[i];
    const ir_param *param = &w->loop->kernel->params[s->param];
    kata_type storage = w->loop->storage[s->param];
    bool field = ir_param_is_field(param) && !codegen_holds_float(w, i);
    if (field) text_add(out, "%s", codegen_store_open(storage, param->type).is);
    codegen_operand(out, w, s->value);
    if (field) text_add(out, "%s", codegen_store_close(storage, param->type));
}

/* An element of a row of a reduction with the point's contribution. */
static void add_added(text *out, const codegen_writer *w, const ir_store *s)
{
    const ir_param *param = &w->loop->kernel->params[s->param];
    ir_op op = ir_reduction_op(param);
    bool plain = op == IR_ADD && ir_type_is_floating(param->type);
    if (!plain) text_add(out, "kata_%s_%s(", ir_ops[op].name, codegen_short_type(param->type));
    codegen_target(out, w, s);
    text_add(out, "%s", plain ? " + " : ", ");
    codegen_operand(out, w, s->value);
    text_add(out, "%s", plain ? "" : ")");
}

/* A lane of a reduction with the point's contribution: of floating-point numbers a plain sum. Where
 * contributions are collected, the contribution alone. */
static void add_combined(text *out, const codegen_writer *w, int i)
{
    const ir_store *s = &w->loop->kernel->stores[i];
    const ir_param *param = &w->loop->kernel->params[s->param];
    ir_op op = ir_reduction_op(param);
    if (w->collects) {
        codegen_operand(out, w, s->value);
        return;
    }
    if (op == IR_ADD && ir_type_is_floating(param->type)) {
        text_add(out, "*to_%d + ", i);
        codegen_operand(out, w, s->value);
        return;
    }
    text_add(out, "kata_%s_%s(*to_%d, ", ir_ops[op].name, codegen_short_type(param->type), i);
    codegen_operand(out, w, s->value);
    text_add(out, ")");
}

void codegen_store(const codegen_writer *w, nest *in, int i, const char *to)
{
    const ir_store *s = &w->loop->kernel->stores[i];
    bool lanes = codegen_has_lanes(w->loop, s->param);
    codegen_position(w, in, s->at);
    text *line = &nest_format(in, NEST_STATEMENT, "%s = ", to)->head;
    bool counts = lanes && codegen_counts(w);
    text_add(line, counts ? s->condition ? "counts && " : "counts ? " : "");
    if (s->condition) {
        codegen_operand(line, w, s->condition);
        text_add(line, " ? ");
    }
    if (lanes)
        add_combined(line, w, i);
    else if (codegen_adds_rows(w->loop->kernel, s->param))
        add_added(line, w, s);
    else
        add_stored_value(line, w, i);
    if (!s->condition && !counts) return;
    text_add(line, " : ");
    if (lanes && w->collects)
        codegen_constant(line, w->dialect, w->loop->kernel->params[s->param].type,
                         ir_reduction_start(&w->loop->kernel->params[s->param]));
    else if (lanes)
        text_add(line, "%s", to);
    else
        codegen_target(line, w, s);
}

void codegen_point(const codegen_writer *w, nest *file)
{
    const ir_kernel *kernel = w->loop->kernel;
    nest *function = nest_format(file, NEST_FUNCTION, "%svoid ", w->dialect->inlined);
    codegen_point_name(&function->head, w);
    text_add(&function->head, "(const int64_t ix");
    codegen_point_parameters(&function->head, w);
    for (int i = 0; i < kernel->store_count; i++)
        text_add(&function->head, ", %s *const to_%d", codegen_held_type(w, i), i);
    text_add(&function->head, codegen_counts(w) ? ", const %s counts)" : ")", w->dialect->boolean);
    codegen_steps(w, function, CODEGEN_POINT);
    for (int i = 0; i < kernel->store_count; i++)
        codegen_store(w, function, i, codegen_format("*to_%d", i).is);
}

void codegen_direct_call(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    text *line = &nest_add(in, NEST_STATEMENT)->head;
    codegen_point_name(line, w);
    text_add(line, "(ix");
    codegen_point_arguments(line, w);
    for (int i = 0; i < kernel->store_count; i++) {
        text_add(line, ", &");
        codegen_target(line, w, &kernel->stores[i]);
    }
    text_add(line, codegen_counts(w) ? ", 1)" : ")");
}
