/* Names in generated code: pINDEX_NAME for parameters, with what tells their rows apart. */
#include "codegen/emit.h"

#include <stdio.h>
#include <stdlib.h>

enum { LONGEST_WORD = 40 };

codegen_label codegen_format(const char *format, ...)
{
    codegen_label l;
    va_list list;
    va_start(list, format);
    vsnprintf(l.is, sizeof l.is, format, list);
    va_end(list);
    return l;
}

codegen_label codegen_word(const char *word)
{
    codegen_label l = {""};
    for (int i = 0; word && word[i] && i < LONGEST_WORD; i++) {
        char c = word[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        l.is[i] = '_';
        if (plain) l.is[i] = c;
    }
    return l;
}

codegen_label codegen_param_name(const ir_kernel *kernel, int param)
{
    return codegen_format("p%d_%s", param, codegen_word(kernel->params[param].name).is);
}

codegen_label codegen_component_name(const ir_kernel *kernel, int param, int component)
{
    codegen_label name = codegen_param_name(kernel, param);
    if (kernel->params[param].count <= 1) return name;
    return codegen_format("%s_%d", name.is, component);
}

codegen_label codegen_row_name(const ir_kernel *kernel, int param, int component,
                               const int32_t offset[3])
{
    long y = offset[1], z = offset[2];
    return codegen_format("%s_%s%ld_%s%ld", codegen_component_name(kernel, param, component).is,
                          y < 0 ? "m" : "", labs(y), z < 0 ? "m" : "", labs(z));
}

codegen_label codegen_read_row_name(const codegen_writer *w, const ir_access *a)
{
    const int32_t offset[3] = {0, a->offset[1] + codegen_second_y(w),
                               a->offset[2] + codegen_second_z(w)};
    return codegen_row_name(w->loop->kernel, a->param, a->component, offset);
}

codegen_label codegen_written_name(const codegen_writer *w, const ir_store *s)
{
    const ir_param *param = &w->loop->kernel->params[s->param];
    codegen_label name = codegen_component_name(w->loop->kernel, s->param, s->component);
    if (ir_param_children(param) > 1)
        return codegen_format("%s_new_%d_%d%s", name.is, (int)s->offset[1], (int)s->offset[2],
                              codegen_second(w));
    return codegen_format("%s_new%s", name.is, codegen_second(w));
}

codegen_label codegen_lanes_name(const codegen_writer *w, const ir_store *s)
{
    return codegen_format("%s_lanes",
                          codegen_component_name(w->loop->kernel, s->param, s->component).is);
}

codegen_label codegen_contributions_name(const codegen_writer *w, const ir_store *s)
{
    return codegen_format("%s_of",
                          codegen_component_name(w->loop->kernel, s->param, s->component).is);
}

codegen_label codegen_number_name(const ir_kernel *kernel, const ir_node *node)
{
    codegen_label name = codegen_param_name(kernel, node->param);
    if (kernel->params[node->param].kind != IR_PARAM_TABLE) return name;
    return codegen_format("%s_%d", name.is, (int)node->element);
}

codegen_label codegen_table_name(const codegen_writer *w, const codegen_lookup *lookup)
{
    char name[64];
    codegen_name(w->loop, name);
    return codegen_format("%s_table_%d", name, (int)(lookup - w->lookups->lookup));
}

codegen_label codegen_constants_name(const codegen_writer *w, int table)
{
    char name[64];
    codegen_name(w->loop, name);
    return codegen_format("%s_constants_%d", name, table);
}

codegen_label codegen_reused_name(const codegen_writer *w, int value, int offset)
{
    static const char *const where[] = {"west", "here", "east"};
    if (!w->registers) return codegen_format("reused_%d%s", value, codegen_second(w));
    return codegen_format("reused_%d_%s%s", value, where[offset + 1], codegen_second(w));
}

/* ---- types ----------------------------------------------------------------------------------- */

const char *codegen_short_type(ir_type type)
{
    static const char *const names[IR_TYPE_COUNT] = {"i32", "i32", "i64", "f32",
                                                     "f64", "u8",  "u16", "i16"};
    return names[type];
}

const char *codegen_member(ir_type type)
{
    static const char *const members[IR_TYPE_COUNT] = {"i32 != 0", "i32", "i64", "f32",
                                                       "f64",      "i32", "i32", "i32"};
    return members[type];
}

const char *codegen_type(const codegen_writer *w, ir_type type)
{
    return type == IR_BOOL ? w->dialect->boolean : ir_types[type].c_name;
}

const char *codegen_element_type(const codegen_loop *loop, int param)
{
    const ir_param *p = &loop->kernel->params[param];
    return ir_param_is_field(p) ? ir_storages[loop->storage[param]].c_name
                                : ir_types[p->type].c_name;
}

codegen_label codegen_field_type(const codegen_writer *w, int param)
{
    return codegen_format("%s%s", w->dialect->global, codegen_element_type(w->loop, param));
}

/* ---- rows that run together ------------------------------------------------------------------ */

int codegen_together(const codegen_writer *w) { return w->paired ? w->together : 1; }

const char *codegen_second(const codegen_writer *w)
{
    static const char *const names[][4] = {{"", "_north", "_north_2", "_north_3"},
                                           {"", "_above", "_above_2", "_above_3"}};
    return names[w->paired == 2][w->second];
}

int32_t codegen_second_y(const codegen_writer *w) { return w->paired == 1 ? w->second : 0; }

int32_t codegen_second_z(const codegen_writer *w) { return w->paired == 2 ? w->second : 0; }

void codegen_each_row(const codegen_writer *w, nest *in, codegen_add_row *add)
{
    codegen_writer row = *w;
    for (row.second = 0; row.second < codegen_together(w); row.second++) add(&row, in);
}
