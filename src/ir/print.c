/* The text form of graphs; docs/ir.md defines it. */
#include "ir/in_place.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_floating(text *out, double x, int digits)
{
    if (isnan(x))
        text_add(out, "nan");
    else if (isinf(x))
        text_add(out, x < 0 ? "-inf" : "inf");
    else
        text_add(out, "%.*g", digits, x);
}

static void print_value(text *out, ir_type type, ir_value x)
{
    switch (type) {
    case IR_F64: print_floating(out, x.f64, 17); break;
    case IR_F32: print_floating(out, (double)x.f32, 9); break;
    case IR_I64: text_add(out, "%lld", (long long)x.i64); break;
    default: text_add(out, "%d", (int)x.i32); break;
    }
}

void ir_print_value(text *out, ir_type type, ir_value x)
{
    double wide = type == IR_F32 ? (double)x.f32 : x.f64;
    if (type == IR_BOOL)
        text_add(out, "%s", x.i32 ? "true" : "false");
    else if (!ir_type_is_floating(type) || !isfinite(wide))
        print_value(out, type, x);
    else
        for (int digits = 6; digits <= 17; digits++) {
            char number[64];
            snprintf(number, sizeof number, "%.*g", digits, wide);
            double back = type == IR_F32 ? (double)strtof(number, NULL) : strtod(number, NULL);
            if (back != wide && digits < 17) continue;
            text_add(out, "%.*g", digits, wide);
            return;
        }
}

void ir_print_label(char label[IR_LABEL], const ir_kernel *k, const ir_expr *e, const int64_t at[4])
{
    int component = e->kind == IR_EXPR_LOAD && k->params[e->index].count > 1, length = 0;
    if (e->kind == IR_EXPR_INDEX) {
        snprintf(label, IR_LABEL, "i%c", "xyz"[e->index]);
        return;
    }
    const char *name =
        e->kind == IR_EXPR_LOCAL ? k->locals[e->index].name : k->params[e->index].name;
    length = snprintf(label, IR_LABEL, "%.32s", name);
    if (component)
        length += snprintf(label + length, (size_t)(IR_LABEL - length), "[%d]", (int)at[0]);
    bool here = !at[1] && !at[2] && !at[3];
    for (int d = 0; d < e->offsets && !here; d++)
        length += snprintf(label + length, (size_t)(IR_LABEL - length), "%c%d%s", d ? ',' : '[',
                           (int)at[d + 1], d == e->offsets - 1 ? "]" : "");
}

void ir_print_ratio(text *out, const ir_kernel *k, const ir_param *param)
{
    bool finer = param->finer[0] || param->finer[1] || param->finer[2];
    const int *ratio = finer ? param->finer : param->coarser;
    int count = k->rank ? k->rank : 3;
    bool equal = true;
    if (!ir_param_has_ratio(param)) return;
    for (int d = 1; d < count; d++) equal = equal && ratio[d] == ratio[0];
    text_add(out, finer ? " finer(" : " coarser(");
    for (int d = 0; d < (equal ? 1 : count); d++)
        text_add(out, d ? ",%d" : "%d", ratio[d] ? ratio[d] : 1);
    text_add(out, ")");
}

/* "u[1,0,at(%7)]", "f[3][1,at(k),0]"; without a node, "at(...)". Of a neighbour, "u[to(%7),0,0]".
 */
static void print_level(text *out, const ir_kernel *k, const ir_level_read *r, ir_id index)
{
    text_add(out, "%s", k->params[r->param].name);
    if (k->params[r->param].count > 1) text_add(out, "[%d]", r->component);
    for (int d = 0; d < k->rank; d++) {
        text_add(out, d ? "," : "[");
        if (d != r->dimension)
            text_add(out, "%d", (int)r->offset[d]);
        else if (index)
            text_add(out, "%s(%%%u)", r->inside ? "to" : "at", index);
        else
            text_add(out, "%s(...)", r->inside ? "to" : "at");
    }
    text_add(out, "]");
}

static void print_level_node(text *out, const ir_kernel *k, const ir_node *n)
{
    ir_level_read r = {
        .param = n->param, .component = n->element, .dimension = n->value.i32, .inside = n->inside};
    memcpy(r.offset, n->offset, sizeof r.offset);
    text_add(out, " ");
    print_level(out, k, &r, n->arg[0]);
}

/* "w[%7]"; of a constant table with a hash of its values, "table of 4913: 3f...[%7]". */
static void print_element(text *out, const ir_kernel *k, const ir_node *n)
{
    if (n->element) {
        const ir_table *t = &k->tables[n->element - 1];
        size_t bytes = (size_t)t->length * sizeof *t->values;
        text_add(out, " table of %d: %016llx", t->length,
                 (unsigned long long)hash_bytes(t->values, bytes, 0));
    } else {
        text_add(out, " %s", k->params[n->param].name);
    }
    text_add(out, "[%%%u]", n->arg[0]);
}

/* "u", "u[-1,0]", "f[3]", "f[3][-1,0]" */
static void print_access(text *out, const ir_kernel *k, int p, int component, const int32_t *offset)
{
    text_add(out, "%s", k->params[p].name);
    if (k->params[p].count > 1) text_add(out, "[%d]", component);
    if (!k->rank || (!offset[0] && !offset[1] && !offset[2])) return;
    for (int d = 0; d < k->rank; d++) text_add(out, "%c%d", d ? ',' : '[', (int)offset[d]);
    text_add(out, "]");
}

static void print_node(text *out, const ir_kernel *k, ir_id id)
{
    const ir_node *n = &k->graph.nodes[id];
    text_add(out, "  %%%u = %s %s", id, ir_types[n->type].name, ir_ops[n->op].name);
    bool in_brackets = n->op == IR_LEVEL || n->op == IR_ELEMENT;
    for (int i = 0; i < ir_ops[n->op].operands && !in_brackets; i++)
        text_add(out, " %%%u", n->arg[i]);
    switch ((ir_op)n->op) {
    case IR_CONST:
        text_add(out, " ");
        print_value(out, (ir_type)n->type, n->value);
        break;
    case IR_NUMBER:
        text_add(out, " %s", k->params[n->param].name);
        if (k->params[n->param].kind == IR_PARAM_TABLE) text_add(out, "[%d]", n->element);
        break;
    case IR_INDEX:
    case IR_SIZE: text_add(out, " %c", "xyz"[n->param]); break;
    case IR_LOAD:
        text_add(out, " ");
        print_access(out, k, n->param, n->element, n->offset);
        break;
    case IR_LEVEL: print_level_node(out, k, n); break;
    case IR_ELEMENT: print_element(out, k, n); break;
    case IR_STORED: text_add(out, " %s", k->params[n->param].name); break;
    case IR_CARRIED:
    case IR_AFTER: text_add(out, " loop %d variable %d", n->param, n->element); break;
    case IR_CARRY: text_add(out, " loop %d", n->param); break;
    default: break;
    }
    text_add(out, "\n");
}

static void print_store(text *out, const ir_kernel *k, const ir_store *s)
{
    const ir_param *param = &k->params[s->param];
    text_add(out, "  %s ",
             ir_param_is_reduction(param) ? ir_param_kind_name(param->kind) : "store");
    print_access(out, k, s->param, s->component, s->offset);
    text_add(out, " %%%u", s->value);
    if (s->condition) text_add(out, " if %%%u", s->condition);
    text_add(out, "\n");
}

static void print_addition(text *out, const ir_kernel *k, const ir_addition *a)
{
    const ir_param *param = &k->params[a->param];
    if (param->kind == IR_PARAM_WHERE)
        text_add(out, "  where %s %%%u of %s", param->name, a->value, k->params[param->of].name);
    else
        text_add(out, "  add %s[%%%u] %%%u", param->name, a->index, a->value);
    if (a->condition) text_add(out, " if %%%u", a->condition);
    text_add(out, "\n");
}

static void print_check(text *out, const ir_check *check)
{
    if (check->kind == IR_CHECK_INDEX)
        text_add(out, "  within %%%u %s[%%%u]", check->passes, check->name, check->index);
    else if (check->kind == IR_CHECK_FINITE)
        text_add(out, "  finite %%%u %s %%%u", check->passes, check->name, check->value);
    else
        text_add(out, "  assert %%%u", check->passes);
    if (check->kind == IR_CHECK_ASSERT && check->name) text_add(out, " \"%s\"", check->name);
    text_add(out, "\n");
}

/* "forward along x, backward along y"; `word` is between direction and dimension. */
static void print_order(text *out, const ir_kernel *kernel, const char *word)
{
    int count = 0;
    for (int d = 0; d < 3; d++)
        if (kernel->order[d])
            text_add(out, "%s%s%s %c", count++ ? ", " : "",
                     kernel->order[d] == IR_FORWARD ? "forward" : "backward", word, "xyz"[d]);
}

static void print_intervals(text *out, const ir_kernel *k, const char *before)
{
    for (int i = 0; i < k->interval_count; i++) {
        text_add(out, "%s", before);
        ir_interval_print(out, k, &k->intervals[i]);
        text_add(out, "\n");
    }
}

static void print_along(text *out, const ir_param *param)
{
    char along[4];
    ir_param_along(param, along);
    if (ir_param_lacks_dimensions(param)) text_add(out, " along %s", along);
}

void ir_print(text *out, const ir_kernel *k)
{
    text_add(out, "kernel %s", k->name);
    if (k->rank) text_add(out, " rank %d", k->rank);
    if (k->direction) text_add(out, " ");
    print_order(out, k, "");
    text_add(out, "\n");
    print_intervals(out, k, "  interval ");
    for (int p = 0; p < k->param_count; p++) {
        const ir_param *param = &k->params[p];
        text_add(out, "  param %s %s %s", ir_param_mode(param), ir_types[param->type].name,
                 param->name);
        if (param->count > 1 || param->kind == IR_PARAM_TABLE) text_add(out, "[%d]", param->count);
        ir_print_ratio(out, k, param);
        print_along(out, param);
        text_add(out, "\n");
    }
    for (ir_id id = 1; id < k->graph.count; id++) print_node(out, k, id);
    for (int i = 0; i < k->store_count; i++) print_store(out, k, &k->stores[i]);
    for (int i = 0; i < k->addition_count; i++) print_addition(out, k, &k->additions[i]);
    for (int i = 0; i < k->check_count; i++) print_check(out, &k->checks[i]);
}

/* The name with the components of the text, and where the field lies. */
static void print_located(text *out, const ir_kernel *k, const ir_param *param)
{
    int components = param->count / ir_values_on(param->on, param->each);
    text_add(out, "%s", param->name);
    if (components > 1) text_add(out, "[%d]", components);
    ir_print_ratio(out, k, param);
    if (!param->on) return;
    text_add(out, " ");
    ir_location_print(out, param->on, param->each);
}

static int print_reads(text *out, const ir_kernel *k, int p)
{
    int reads = 0;
    for (int i = 0; i < k->access_count; i++) {
        const ir_access *a = &k->accesses[i];
        if (a->param != p) continue;
        text_add(out, reads++ ? " " : "  reads ");
        print_access(out, k, p, a->component, a->offset);
    }
    for (int i = 0; i < k->level_read_count; i++) {
        if (k->level_reads[i].param != p) continue;
        text_add(out, reads++ ? " " : "  reads ");
        print_level(out, k, &k->level_reads[i], 0);
    }
    return reads;
}

static int print_writes(text *out, const ir_kernel *k, int p)
{
    int writes = 0;
    for (int i = 0; i < k->store_count; i++) {
        if (k->stores[i].param != p) continue;
        text_add(out, writes++ ? " " : "  writes ");
        print_access(out, k, p, k->stores[i].component, k->stores[i].offset);
    }
    return writes;
}

void ir_print_accesses(text *out, const ir_kernel *k)
{
    text_add(out, "kernel %s", k->name);
    if (k->on)
        text_add(out, " on %s, for icosahedral grids", ir_location_name(k->on, false));
    else if (k->rank)
        text_add(out, ", for grids of %d dimension%s", k->rank, k->rank > 1 ? "s" : "");
    if (k->direction) text_add(out, ", ");
    print_order(out, k, " along");
    text_add(out, "\n");
    print_intervals(out, k, "    interval ");
    for (int p = 0; p < k->param_count; p++) {
        const ir_param *param = &k->params[p];
        text_add(out, "    %-6s %s ", ir_param_mode(param), ir_types[param->type].name);
        print_located(out, k, param);
        print_along(out, param);
        int used = print_reads(out, k, p);
        if (!ir_param_is_reduction(param)) used += print_writes(out, k, p);
        if (ir_param_is_field(param) && !used) text_add(out, "  not used");
        text_add(out, "\n");
    }
    ir_print_in_place(out, k);
}
