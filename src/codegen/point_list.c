/* What the function of a point is given: indices and sizes, numbers, what was computed further out,
 * the rows that are read and written, what earlier groups of reused values hold, and f16 as float.
 * The same list is written twice: with types where the function is declared, without where a loop
 * calls it. */
#include "codegen/beside.h"
#include "codegen/halves.h"
#include "codegen/shifts.h"

typedef struct list {
    const codegen_writer *w;
    text *out;
    bool declared;
} list;

static void add_item(const list *l, const char *type, const char *name)
{
    text_add(l->out, ", %s%s%s", l->declared ? type : "", l->declared ? " " : "", name);
}

static void add_constant(const list *l, const char *type, const char *name)
{
    add_item(l, codegen_format("const %s", type).is, name);
}

/* What was computed further out: a condition that is known as 1 or 0. */
static codegen_label outer_value(const list *l, ir_id id)
{
    codegen_label name = codegen_format("v%u", (unsigned)id);
    for (int i = 0; i < CODEGEN_CASES && !l->declared; i++)
        if (l->w->known[i] == id) name = codegen_format("%d", l->w->holds[i] ? 1 : 0);
    return name;
}

static void add_values(const list *l)
{
    const codegen_writer *w = l->w;
    const ir_kernel *kernel = w->loop->kernel;
    for (ir_id id = 1; id < kernel->graph.count; id++) {
        const ir_node *node = &kernel->graph.nodes[id];
        if (w->steps[id].named && w->steps[id].level < CODEGEN_POINT)
            add_constant(l, codegen_type(w, node->type), outer_value(l, id).is);
        else if (node->op == IR_NUMBER && codegen_needs_number(l->w, id))
            add_constant(l, codegen_type(w, node->type), codegen_number_name(kernel, node).is);
    }
    for (int type = IR_I32; type <= IR_F64; type++) {
        codegen_label zero = codegen_format("zero_%s", codegen_short_type((ir_type)type));
        if (codegen_needs_zero(kernel, (ir_type)type))
            add_item(l, codegen_type(w, (ir_type)type), zero.is);
    }
}

/* A row, and where its elements are apart by how much. `beside`: as the loop that calls has it. */
static void add_row(const list *l, int param, const char *name, const char *beside,
                    const char *constant)
{
    add_item(l, codegen_format("%s%s *const", constant, codegen_field_type(l->w, param).is).is,
             l->declared ? name : beside);
    if (codegen_rows_of(l->w->loop, param) == CODEGEN_STRIDED)
        add_item(l, "const int64_t", codegen_format("%s_x", name).is);
}

static void add_rows(const list *l)
{
    const ir_kernel *kernel = l->w->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if ((i > 0 && codegen_same_row(a, a - 1)) || !codegen_needs_row(l->w, i)) continue;
        add_row(l, a->param, codegen_read_row_name(l->w, a).is, codegen_read_row_beside(l->w, a).is,
                "const ");
    }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (i > 0 && codegen_same_written_row(s, s - 1)) continue;
        add_row(l, s->param, codegen_written_name(l->w, s).is,
                codegen_written_row_beside(l->w, s).is, "");
    }
}

/* What stays the same for the points of a block. */
static void add_blocks(const list *l)
{
    const ir_kernel *kernel = l->w->loop->kernel;
    for (int p = 0; l->w->blocks && p < kernel->param_count; p++) {
        codegen_label name = codegen_param_name(kernel, p);
        if (codegen_rows_of(l->w->loop, p) == CODEGEN_BLOCKED)
            add_item(l, "const int64_t", codegen_format("%s_block", name.is).is);
    }
}

/* The reused values of groups before the one that is computed; in registers, those that the point
 * finds at each offset. */
static void add_reused(const list *l)
{
    const codegen_writer *w = l->w;
    const char *lane = w->registers && !l->declared ? " + lane" : "";
    for (int i = 0; w->reuse && w->group > 1 && i < w->reuse->count; i++) {
        const codegen_reused *value = &w->reuse->value[i];
        const char *type = codegen_type(w, w->loop->kernel->graph.nodes[value->node].type);
        for (int at = value->low; value->group < w->group && at <= value->high; at++) {
            codegen_label name = codegen_reused_name(w, i, at);
            add_item(l, codegen_format("const %s *const", type).is,
                     codegen_format("%s%s", name.is, lane).is);
            if (!w->registers) break;
        }
    }
}

/* What is read as f16, as float. */
static void add_halves(const list *l)
{
    const ir_kernel *kernel = l->w->loop->kernel;
    for (int i = 0; i < kernel->access_count && l->w->widened; i++)
        if (codegen_is_half(l->w->loop, kernel->accesses[i].param))
            add_item(l, "const float *const",
                     codegen_format("half_%d%s", i, codegen_second(l->w)).is);
}

/* What is read of rows that are loaded once. */
static void add_shifted(const list *l)
{
    const ir_kernel *kernel = l->w->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++) {
        if (!codegen_is_shifted(l->w, i)) continue;
        const char *type = codegen_element_type(l->w->loop, kernel->accesses[i].param);
        add_item(
            l, codegen_format("const %s *const", type).is,
            codegen_format("near_%d%s%s", i, codegen_second(l->w), l->declared ? "" : " + lane")
                .is);
    }
}

/* What the point before has written. */
static void add_carried(const list *l)
{
    const ir_kernel *kernel = l->w->loop->kernel;
    for (int i = 0; i < kernel->access_count && l->w->carries; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (!codegen_is_carried(kernel, a->param, a->component, a->offset)) continue;
        codegen_label name = codegen_carried_name(a->param, a->component);
        if (!l->declared) name = codegen_carried_beside(l->w, a->param, a->component);
        add_constant(l, codegen_field_type(l->w, a->param).is, name.is);
    }
}

static void add_all(const list *l)
{
    codegen_label iy = codegen_y_beside(l->w);
    const int north = (int)codegen_second_y(l->w), above = (int)codegen_second_z(l->w);
    add_item(l, "const int64_t",
             north         ? codegen_format("iy + %d", north).is
             : l->declared ? "iy"
                           : iy.is);
    add_item(l, "const int64_t", above ? codegen_format("iz + %d", above).is : "iz");
    add_item(l, "const int64_t", "nx");
    add_item(l, "const int64_t", "ny");
    add_item(l, "const int64_t", "nz");
    if (l->w->loop->kernel->direction) add_item(l, "const abi_levels *const", "levels");
    if (l->w->loop->kernel->level_read_count || codegen_chooses_rows(l->w))
        add_item(l, "const abi_view *const", "view");
    if (codegen_reads_tables(l->w)) add_item(l, "const abi_value *const", "numbers");
    add_values(l);
    add_rows(l);
    add_blocks(l);
    add_reused(l);
    add_halves(l);
    add_shifted(l);
    add_carried(l);
}

void codegen_point_parameters(text *out, const codegen_writer *w)
{
    add_all(&(list){w, out, true});
}

void codegen_point_arguments(text *out, const codegen_writer *w)
{
    add_all(&(list){w, out, false});
}

void codegen_point_name(text *out, const codegen_writer *w)
{
    char name[64];
    codegen_name(w->loop, name);
    if (!w->group)
        text_add(out, "%s_point%s", name,
                 w->carries                 ? "_carrying"
                 : w->clear                 ? "_clear"
                 : w->widened               ? "_widened"
                 : w->shifted               ? "_shifted"
                 : w->whole && !w->collects ? "_at_once"
                                            : "");
    else if (w->group > w->reuse->group_count)
        text_add(out, "%s_reusing", name);
    else
        text_add(out, "%s_reused_%d", name, w->group);
}
