/* Nodes as C expressions. Every compound expression stands in parentheses or is a call. */
#include "codegen/codegen.h"

#include <stdio.h>

const char *codegen_type(ir_type type) { return type == IR_BOOL ? "_Bool" : ir_types[type].c_name; }

const char *codegen_short_type(ir_type type) { return ir_types[type].suffix; }

/* ---- names ----------------------------------------------------------------------------------- */

enum { LONGEST_NAME = 40 };

void codegen_word(text *out, const char *word)
{
    for (int i = 0; word && word[i] && i < LONGEST_NAME; i++) {
        char c = word[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        text_add(out, "%c", plain ? c : '_');
    }
}

void codegen_param_name(text *out, const ir_kernel *kernel, int param)
{
    text_add(out, "p%d_", param);
    codegen_word(out, kernel->params[param].name);
}

void codegen_component_name(text *out, const ir_kernel *kernel, int param, int component)
{
    codegen_param_name(out, kernel, param);
    if (kernel->params[param].count > 1) text_add(out, "_%d", component);
}

static void add_offset(text *out, int32_t offset)
{
    text_add(out, offset < 0 ? "_m%d" : "_%d", (int)(offset < 0 ? -offset : offset));
}

void codegen_row_name(text *out, const ir_kernel *kernel, int param, int component,
                      const int32_t offset[3])
{
    codegen_component_name(out, kernel, param, component);
    add_offset(out, offset[1]);
    add_offset(out, offset[2]);
}

/* ---- conversions ----------------------------------------------------------------------------- */

const char *codegen_convert_open(ir_type to, ir_type from)
{
    static const char *const saturating[2][2] = {{"kata_i32_of_f32(", "kata_i32_of_f64("},
                                                 {"kata_i64_of_f32(", "kata_i64_of_f64("}};
    static const char *const casts[IR_TYPE_COUNT] = {"((",       "((int32_t)", "((int64_t)",
                                                     "((float)", "((double)",  "((uint8_t)"};
    if (to == from) return "(";
    if (to == IR_U8 && ir_type_is_floating(from))
        return from == IR_F32 ? "kata_u8_of_f32(" : "kata_u8_of_f64(";
    if (ir_type_is_integer(to) && ir_type_is_floating(from))
        return saturating[to == IR_I64][from == IR_F64];
    return casts[to];
}

const char *codegen_convert_close(ir_type to, ir_type from)
{
    return to == IR_BOOL && from != IR_BOOL ? ") != 0)" : ")";
}

const char *codegen_load_open(char out[48], ir_type to, kata_type storage)
{
    const ir_storage_info *s = &ir_storages[storage];
    if (!s->coded) return s->type == to ? "" : codegen_convert_open(to, s->type);
    snprintf(out, 48, "kata_%s_of_%s(", codegen_short_type(to), s->name);
    return out;
}

const char *codegen_load_close(ir_type to, kata_type storage)
{
    const ir_storage_info *s = &ir_storages[storage];
    if (s->coded) return ")";
    return s->type == to ? "" : codegen_convert_close(to, s->type);
}

const char *codegen_store_open(char out[48], kata_type storage, ir_type from)
{
    const ir_storage_info *s = &ir_storages[storage];
    if (!s->coded) return s->type == from ? "" : codegen_convert_open(s->type, from);
    snprintf(out, 48, "kata_%s_of_%s(", s->name, codegen_short_type(from));
    return out;
}

const char *codegen_store_close(kata_type storage, ir_type from)
{
    const ir_storage_info *s = &ir_storages[storage];
    if (s->coded) return ")";
    return s->type == from ? "" : codegen_convert_close(s->type, from);
}

static void add_load(const codegen_writer *w, const ir_node *node)
{
    kata_type storage = w->loop->storage[node->param];
    char open[48];
    text row = {0};
    codegen_row_name(&row, w->loop->kernel, node->param, node->element, node->offset);
    if (row.failed) w->out->failed = true;
    text_add(w->out, "%s%s", codegen_load_open(open, node->type, storage), text_get(&row));
    codegen_element(w, node->param, node->offset[0] + w->moved, true, text_get(&row));
    text_add(w->out, "%s", codegen_load_close(node->type, storage));
    text_free(&row);
}

bool codegen_is_truncation(const ir_kernel *kernel, const ir_node *node)
{
    return node->op == IR_CONVERT && ir_type_is_integer(node->type) &&
           ir_type_is_floating(kernel->graph.nodes[node->arg[0]].type);
}

static void add_conversion(const codegen_writer *w, ir_type to, ir_type from, ir_id operand)
{
    text_add(w->out, "%s", codegen_convert_open(to, from));
    codegen_operand(w, operand);
    text_add(w->out, "%s", codegen_convert_close(to, from));
}

static void add_convert(const codegen_writer *w, const ir_node *node)
{
    bool hide = codegen_is_truncation(w->loop->kernel, node);
    text_add(w->out, "%s", hide ? "(" : "");
    add_conversion(w, node->type, w->loop->kernel->graph.nodes[node->arg[0]].type, node->arg[0]);
    if (hide) text_add(w->out, " ^ zero_%s)", codegen_short_type(node->type));
}

static void add_stored(const codegen_writer *w, const ir_node *node)
{
    kata_type storage = w->loop->storage[node->param];
    char load[48], store[48];
    text_add(w->out, "(%s%s", codegen_load_open(load, node->type, storage),
             codegen_store_open(store, storage, node->type));
    codegen_operand(w, node->arg[0]);
    text_add(w->out, "%s%s)", codegen_store_close(storage, node->type),
             codegen_load_close(node->type, storage));
}

/* ---- operations ------------------------------------------------------------------------------ */

bool codegen_is_trigonometric(ir_op op) { return ir_ops[op].function == IR_FUNCTION_TRIGONOMETRIC; }

bool codegen_is_elementary(ir_op op) { return ir_ops[op].function >= IR_FUNCTION_ROUNDING; }

/* Functions that compilers turn into one instruction. */
static const char *builtin(ir_op op)
{
    const ir_spelling *s = &ir_ops[op].on_floating;
    return s->form == IR_FORM_BUILTIN ? s->symbol : NULL;
}

/* Operators of C that do what the operation says on a type; NULL where there is none. */
static const char *operator_of(ir_op op, ir_type type)
{
    const ir_spelling *s = ir_op_spelling(op, type);
    bool is_operator =
        s->form == IR_FORM_UNARY || s->form == IR_FORM_BINARY || s->form == IR_FORM_COMPARISON;
    return is_operator ? s->symbol : NULL;
}

bool codegen_hides_zero(const ir_kernel *kernel, const ir_node *node, int k)
{
    bool matters = node->op == IR_ADD || (node->op == IR_SUB && k == 0);
    if (!matters || !ir_type_is_floating(node->type)) return false;
    const ir_node *operand = &kernel->graph.nodes[node->arg[k]];
    return operand->op == IR_CONST && operand->value.bits == 0;
}

static void add_hidden(const codegen_writer *w, const ir_node *node, int k)
{
    if (codegen_hides_zero(w->loop->kernel, node, k))
        text_add(w->out, "zero_%s", codegen_short_type(node->type));
    else
        codegen_operand(w, node->arg[k]);
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
static void add_negated_fma(const codegen_writer *w, const ir_node *node)
{
    const char *suffix = node->type == IR_F32 ? "f" : "";
    text_add(w->out, "__builtin_fma%s(", suffix);
    codegen_operand(w, node->arg[node->op == IR_SUB]);
    text_add(w->out, ", -1.0%s, -0.0%s)", suffix, suffix);
}

static void add_operator(const codegen_writer *w, const ir_node *node, const char *symbol)
{
    text_add(w->out, "(");
    if (ir_ops[node->op].operands == 1) {
        text_add(w->out, "%s", symbol);
        codegen_operand(w, node->arg[0]);
    } else {
        add_hidden(w, node, 0);
        text_add(w->out, " %s ", symbol);
        add_hidden(w, node, 1);
    }
    text_add(w->out, ")");
}

/* condition ? a : b of four operands; the condition is first < second, or first alone. */
static void add_choice(const codegen_writer *w, ir_id first, ir_id second, ir_id a, ir_id b)
{
    text_add(w->out, "(");
    codegen_operand(w, first);
    if (second) {
        text_add(w->out, " < ");
        codegen_operand(w, second);
    }
    text_add(w->out, " ? ");
    codegen_operand(w, a);
    text_add(w->out, " : ");
    codegen_operand(w, b);
    text_add(w->out, ")");
}

static void add_call(const codegen_writer *w, const ir_node *node)
{
    const char *name = ir_type_is_floating(node->type) ? builtin(node->op) : NULL;
    if (name)
        text_add(w->out, "__builtin_%s%s(", name, node->type == IR_F32 ? "f" : "");
    else
        text_add(w->out, "kata_%s_%s(", ir_ops[node->op].name, codegen_short_type(node->type));
    for (int k = 0; k < ir_ops[node->op].operands; k++) {
        text_add(w->out, k ? ", " : "");
        codegen_operand(w, node->arg[k]);
    }
    text_add(w->out, ")");
}

bool codegen_is_kept(const codegen_writer *w, ir_id id)
{
    return w->sharing && w->sharing->of[id] &&
           w->sharing->kept[w->sharing->of[id] - 1].group < w->group;
}

static void add_kept(const codegen_writer *w, ir_id id)
{
    text_add(w->out, "kept_%d[ix + (%d)]", w->sharing->of[id] - 1,
             (int)(w->sharing->place[id] + w->moved));
}

void codegen_expression(const codegen_writer *w, ir_id id)
{
    const ir_node *nodes = w->loop->kernel->graph.nodes, *node = &nodes[id];
    if (codegen_is_kept(w, id)) {
        add_kept(w, id);
        return;
    }
    const ir_id *a = node->arg;
    switch (node->op) {
    case IR_CONST: codegen_constant(w->out, node->type, node->value); return;
    case IR_NUMBER:
        codegen_param_name(w->out, w->loop->kernel, node->param);
        if (w->loop->kernel->params[node->param].kind == IR_PARAM_TABLE)
            text_add(w->out, "_%d", node->element);
        return;
    case IR_INDEX: text_add(w->out, "i%c", "xyz"[node->param]); return;
    case IR_SIZE: text_add(w->out, "n%c", "xyz"[node->param]); return;
    case IR_LOAD: add_load(w, node); return;
    case IR_CONVERT: add_convert(w, node); return;
    case IR_STORED: add_stored(w, node); return;
    case IR_SELECT: add_choice(w, a[0], 0, a[1], a[2]); return;
    case IR_MIN: add_choice(w, a[0], a[1], a[0], a[1]); return;
    case IR_MAX: add_choice(w, a[1], a[0], a[0], a[1]); return;
    default: break;
    }
    ir_type operand = nodes[a[0]].type;
    const char *symbol = operator_of(node->op, operand);
    if (is_negated_fma(w, node))
        add_negated_fma(w, node);
    else if (symbol)
        add_operator(w, node, symbol);
    else
        add_call(w, node);
}

void codegen_operand(const codegen_writer *w, ir_id id)
{
    if (w->steps[id].named)
        text_add(w->out, "v%u", (unsigned)id);
    else
        codegen_expression(w, id);
}
