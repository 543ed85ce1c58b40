/* Nodes as C expressions. Every compound expression stands in parentheses or is a call. */
#include "codegen/beside.h"
#include "codegen/halves.h"
#include "codegen/shifts.h"
#include "codegen/thread.h"

/* ---- fields ---------------------------------------------------------------------------------- */

/* Adds what is at hand in an array, for the vector or the point; false if it is not. */
static bool add_near(text *out, const codegen_writer *w, const ir_node *node)
{
    const int half = codegen_half_of(w, node), shift = codegen_shift_of(w, node);
    if (half >= 0)
        text_add(out, "half_%d%s[ix]", half, codegen_second(w));
    else if (shift >= 0)
        text_add(out, "near_%d%s[%s]", shift, codegen_second(w), w->jammed ? "lane" : "0");
    return half >= 0 || shift >= 0;
}

static void add_load(text *out, const codegen_writer *w, const ir_node *node)
{
    kata_type storage = w->loop->storage[node->param];
    if (add_near(out, w, node)) return;
    if (w->clear && codegen_is_byte(w, node)) {
        text_add(out, "((%s)0)", codegen_type(w, node->type));
        return;
    }
    if (w->carries &&
        codegen_is_carried(w->loop->kernel, node->param, node->element, node->offset)) {
        text_add(out, "%s%s%s", codegen_load_open(node->type, storage).is,
                 codegen_carried_name(node->param, node->element).is,
                 codegen_load_close(node->type, storage));
        return;
    }
    if (codegen_is_of_section(w, node->param) || codegen_has_vectors(w, node->param)) {
        text_add(out, "%s", codegen_load_open(node->type, storage).is);
        if (codegen_is_of_section(w, node->param))
            codegen_section_element(out, w, node->offset);
        else if (codegen_is_of_tile(w, node->param))
            codegen_tile_element(out, w, node->offset);
        else
            codegen_vector_element(out, w, node);
        text_add(out, "%s", codegen_load_close(node->type, storage));
        return;
    }
    const int32_t offset[3] = {0, node->offset[1] + codegen_second_y(w),
                               node->offset[2] + codegen_second_z(w)};
    codegen_label row = codegen_row_name(w->loop->kernel, node->param, node->element, offset);
    text_add(out, "%s%s", codegen_load_open(node->type, storage).is, row.is);
    if (w->section)
        text_add(out, "[%s]", codegen_wrapped(w, node->param, "ix", node->offset[0]).is);
    else
        codegen_element(out, w, node->param, node->offset[0] + w->moved, true, row.is);
    text_add(out, "%s", codegen_load_close(node->type, storage));
}

static void add_conversion(text *out, const codegen_writer *w, ir_type to, ir_type from,
                           ir_id operand)
{
    text_add(out, "%s", codegen_convert_open(to, from));
    codegen_operand(out, w, operand);
    text_add(out, "%s", codegen_convert_close(to, from));
}

static void add_convert(text *out, const codegen_writer *w, const ir_node *node)
{
    bool hide = codegen_is_truncation(w->loop->kernel, node);
    text_add(out, "%s", hide ? "(" : "");
    add_conversion(out, w, node->type, w->loop->kernel->graph.nodes[node->arg[0]].type,
                   node->arg[0]);
    if (hide) text_add(out, " ^ zero_%s)", codegen_short_type(node->type));
}

static void add_stored(text *out, const codegen_writer *w, const ir_node *node)
{
    kata_type storage = w->loop->storage[node->param];
    text_add(out, "(%s%s", codegen_load_open(node->type, storage).is,
             codegen_store_open(storage, node->type).is);
    codegen_operand(out, w, node->arg[0]);
    text_add(out, "%s%s)", codegen_store_close(storage, node->type),
             codegen_load_close(node->type, storage));
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* An element of a table that is too large for choices. */
static void add_element(text *out, const codegen_writer *w, const ir_node *node)
{
    const ir_kernel *kernel = w->loop->kernel;
    if (node->element)
        text_add(out, "%s[", codegen_constants_name(w, node->element - 1).is);
    else
        text_add(out, "numbers[%d + ", codegen_number_index(kernel, node->param));
    text_add(out, "kata_between(0, ");
    codegen_operand(out, w, node->arg[0]);
    text_add(out, ", %d)]", (int)node->value.i32 - 1);
    if (!node->element) text_add(out, ".%s", codegen_member((ir_type)node->type));
}

/* ---- levels known at run time ----------------------------------------------------------------
 *
 * They are found from the field's first element, not from a row of the point. An index outside is
 * moved to the nearest inside: the point fails, or it is on a path that the point does not take.
 * Neighbours in a mesh are inside. */

/* The index along a dimension. Without an offset the points of the range are inside the grid. */
static void add_level_index(text *out, const codegen_writer *w, const ir_node *node, int d)
{
    const char i = "xyz"[d];
    int32_t offset = node->offset[d];
    bool everywhere = node->inside && !w->loop->kernel->guarded; /* the range has been checked */
    if (w->loop->kernel->params[node->param].absent_axis[d]) {
        text_add(out, "0");
    } else if (d == node->value.i32 && node->inside) {
        codegen_operand(out, w, node->arg[0]);
    } else if (d == node->value.i32) {
        text_add(out, "kata_between(0, ");
        codegen_operand(out, w, node->arg[0]);
        text_add(out, ", n%c - 1)", i);
    } else if (offset && everywhere) {
        text_add(out, "i%c + (%d)", i, (int)offset);
    } else if (offset) {
        text_add(out, "kata_between(0, i%c + (%d), n%c - 1)", i, (int)offset, i);
    } else {
        text_add(out, "i%c", i);
    }
}

/* Where an element lies in its row. */
static void add_in_row(text *out, const codegen_writer *w, const ir_node *node, int view)
{
    text index = {0};
    add_level_index(&index, w, node, 0);
    const char *i = text_get(&index);
    if (index.failed) out->failed = true;
    if (codegen_rows_of(w->loop, node->param) == CODEGEN_STRIDED)
        text_add(out, "(%s) * view[%d].x", i, view);
    else
        codegen_in_row(out, w, node->param, i);
    text_free(&index);
}

static void add_level(text *out, const codegen_writer *w, const ir_node *node)
{
    kata_type storage = w->loop->storage[node->param];
    int view = codegen_level_index(w->loop->kernel, node->param) + node->element;
    text_add(out, "%s((const %s *)view[%d].origin)[", codegen_load_open(node->type, storage).is,
             codegen_field_type(w, node->param).is, view);
    for (int d = 2; d > 0; d--) {
        text_add(out, "(");
        add_level_index(out, w, node, d);
        text_add(out, ") * view[%d].%c + ", view, "xyz"[d]);
    }
    add_in_row(out, w, node, view);
    text_add(out, "]%s", codegen_load_close(node->type, storage));
}

/* ---- operations ------------------------------------------------------------------------------ */

static void add_hidden(text *out, const codegen_writer *w, const ir_node *node, int k)
{
    if (codegen_hides_zero(w->loop->kernel, node, k))
        text_add(out, "zero_%s", codegen_short_type(node->type));
    else
        codegen_operand(out, w, node->arg[k]);
}

static uint64_t minus_zero(ir_type type) { return ir_value_of_double(type, -0.0).bits; }

/* Whether a node is -x, also written -0.0 - x, of an x that is an fma. */
static bool is_negated_fma(const codegen_writer *w, const ir_node *node)
{
    const ir_node *nodes = w->loop->kernel->graph.nodes, *x = &nodes[node->arg[0]];
    if (!ir_type_is_floating(node->type)) return false;
    bool is_minus_zero = x->op == IR_CONST && x->value.bits == minus_zero(node->type);
    if (node->op == IR_SUB && is_minus_zero)
        x = &nodes[node->arg[1]];
    else if (node->op != IR_NEG)
        return false;
    if (x->op == IR_CONVERT) x = &nodes[x->arg[0]];
    return x->op == IR_FMA;
}

/* -x as fma(x, -1, -0): gcc 12 would make -(a*b) - c of -fma(a, b, c), whose zeros have the other
 * sign. */
static void add_negated_fma(text *out, const codegen_writer *w, const ir_node *node)
{
    const char *suffix = node->type == IR_F32 ? w->dialect->f32 : "";
    text_add(out, "%sfma%s(", w->dialect->builtin, suffix);
    codegen_operand(out, w, node->arg[node->op == IR_SUB]);
    text_add(out, ", -1.0%s, -0.0%s)", suffix, suffix);
}

static void add_operator(text *out, const codegen_writer *w, const ir_node *node,
                         const char *symbol)
{
    text_add(out, "(");
    if (ir_ops[node->op].operands == 1) {
        text_add(out, "%s", symbol);
        codegen_operand(out, w, node->arg[0]);
    } else {
        add_hidden(out, w, node, 0);
        text_add(out, " %s ", symbol);
        add_hidden(out, w, node, 1);
    }
    text_add(out, ")");
}

/* first < second ? a : b; without a second: first ? a : b. */
static void add_choice(text *out, const codegen_writer *w, ir_id first, ir_id second, ir_id a,
                       ir_id b)
{
    text_add(out, "(");
    codegen_operand(out, w, first);
    if (second) {
        text_add(out, " < ");
        codegen_operand(out, w, second);
    }
    text_add(out, " ? ");
    codegen_operand(out, w, a);
    text_add(out, " : ");
    codegen_operand(out, w, b);
    text_add(out, ")");
}

static void add_call(text *out, const codegen_writer *w, const ir_node *node,
                     const ir_spelling *spelling)
{
    if (spelling->form == IR_FORM_BUILTIN)
        text_add(out, "%s%s%s(", w->dialect->builtin, spelling->symbol,
                 node->type == IR_F32 ? w->dialect->f32 : "");
    else
        text_add(out, "kata_%s_%s(", spelling->symbol, codegen_short_type(node->type));
    for (int k = 0; k < ir_ops[node->op].operands; k++) {
        text_add(out, k ? ", " : "");
        codegen_operand(out, w, node->arg[k]);
    }
    text_add(out, ")");
}

/* An operation of the operands' values alone, as the table of operations says. */
static void add_operation(text *out, const codegen_writer *w, const ir_node *node)
{
    ir_type operand = w->loop->kernel->graph.nodes[node->arg[0]].type;
    const ir_spelling *spelling = ir_op_spelling(node->op, operand);
    const ir_id *a = node->arg;
    switch (spelling->form) {
    case IR_FORM_UNARY:
    case IR_FORM_BINARY:
    case IR_FORM_COMPARISON: add_operator(out, w, node, spelling->symbol); break;
    case IR_FORM_CHOICE:
        add_choice(out, w, a[spelling->compared[0]], a[spelling->compared[1]], a[0], a[1]);
        break;
    case IR_FORM_NONE:
    case IR_FORM_BUILTIN:
    case IR_FORM_KATA: add_call(out, w, node, spelling); break;
    }
}

static void add_reused(text *out, const codegen_writer *w, ir_id id)
{
    const int at = (int)(w->reuse->offset[id] + w->moved);
    codegen_label name = codegen_reused_name(w, w->reuse->of[id] - 1, at);
    if (w->registers)
        text_add(out, "%s[%s]", name.is, w->jammed ? "lane" : "0");
    else
        text_add(out, "%s[ix + (%d)]", name.is, at);
}

/* An index of the point; functions of points are given that of their own row. */
static void add_index(text *out, const codegen_writer *w, int dimension)
{
    const int beyond = w->jammed && dimension == w->paired ? (int)w->second : 0;
    text_add(out, beyond ? "(i%c + %d)" : "i%c", "xyz"[dimension], beyond);
}

static void add_looked_up(text *out, const codegen_writer *w, const codegen_lookup *lookup)
{
    text index = {0};
    codegen_operand(&index, w, lookup->index);
    codegen_lookup_value(out, w, lookup, text_get(&index));
    out->failed = out->failed || index.failed;
    text_free(&index);
}

void codegen_expression(text *out, const codegen_writer *w, ir_id id)
{
    const ir_kernel *kernel = w->loop->kernel;
    const ir_node *nodes = kernel->graph.nodes, *node = &nodes[id];
    if (codegen_is_reused(w, id)) {
        add_reused(out, w, id);
        return;
    }
    const codegen_lookup *lookup = codegen_lookup_of(w, id);
    if (lookup) {
        add_looked_up(out, w, lookup);
        return;
    }
    const ir_id *a = node->arg;
    switch (node->op) {
    case IR_CONST: codegen_constant(out, w->dialect, node->type, node->value); return;
    case IR_NUMBER: text_add(out, "%s", codegen_number_name(kernel, node).is); return;
    case IR_INDEX: add_index(out, w, node->param); return;
    case IR_SIZE: text_add(out, "n%c", "xyz"[node->param]); return;
    case IR_LOAD: add_load(out, w, node); return;
    case IR_LEVEL: add_level(out, w, node); return;
    case IR_ELEMENT: add_element(out, w, node); return;
    case IR_CONVERT: add_convert(out, w, node); return;
    case IR_STORED: add_stored(out, w, node); return;
    case IR_CARRIED:
    case IR_AFTER:
        text_add(out, "loop_%d_%d%s", node->param, node->element, codegen_second(w));
        return;
    case IR_SELECT: add_choice(out, w, a[0], 0, a[1], a[2]); return;
    default: break;
    }
    if (is_negated_fma(w, node))
        add_negated_fma(out, w, node);
    else
        add_operation(out, w, node);
}

void codegen_value_name(text *out, const codegen_writer *w, ir_id id)
{
    bool own = w->jammed && w->steps[id].level == CODEGEN_POINT;
    text_add(out, "v%u%s", (unsigned)id, own ? codegen_second(w) : "");
}

void codegen_operand(text *out, const codegen_writer *w, ir_id id)
{
    if (w->steps[id].named)
        codegen_value_name(out, w, id);
    else
        codegen_expression(out, w, id);
}

void codegen_target(text *out, const codegen_writer *w, const ir_store *s)
{
    if (codegen_has_lanes(w->loop, s->param)) {
        if (w->collects)
            text_add(out, "%s[ix]", codegen_contributions_name(w, s).is);
        else
            text_add(out, "%s[ix & %d]", codegen_lanes_name(w, s).is, ABI_LANES - 1);
        return;
    }
    codegen_label name = codegen_written_name(w, s);
    text_add(out, "%s", name.is);
    if (codegen_has_vectors(w, s->param) && s->offset[0])
        text_add(out, "[%s]", codegen_wrapped(w, s->param, "ix", (int)s->offset[0]).is);
    else
        codegen_element(out, w, s->param, s->offset[0], false, name.is);
}
