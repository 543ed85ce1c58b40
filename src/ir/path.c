/* The path: the list of conditions under which the present part of a tree runs; and what asserts
 * read on it. */
#include "ir/lowering.h"

#include <string.h>

kata_status lower_check(lowering *l, uint32_t at)
{
    if (l->m->status) return l->m->status;
    if (++l->steps > IR_MAX_STEPS || l->g->too_large) {
        message_begin_at(l->m, KATA_ERROR_LIMIT, l->kernel->text, at,
                         "kernel '%s' takes too much work to compile", l->kernel->name);
        message_line(l->m, "unrolling passed %s here; use fewer iterations",
                     l->g->too_large ? "200000 operations" : "2000000 steps");
        return message_send(l->m);
    }
    return l->g->failed ? message_no_memory(l->m) : KATA_OK;
}

/* The largest number of values that an assert shows. */
enum { MOST_SHOWN = 64 };

static ir_id bool_op(lowering *l, ir_op op, ir_id a, ir_id b)
{
    return ir_graph_op(l->g, op, IR_BOOL, a, b, 0, 0);
}

/* ---- the path -------------------------------------------------------------------------------- */

void lower_path_enter(lowering *l, ir_id condition, bool truth)
{
    void *path = l->path;
    if (!vector_reserve(&path, &l->path_capacity, l->path_count + 1, sizeof *l->path))
        l->g->failed = true;
    else
        (l->path = path)[l->path_count] = (lower_condition){condition, truth};
    l->path_count++;
}

void lower_path_leave(lowering *l) { l->path_count--; }

ir_id lower_path_node(lowering *l)
{
    ir_id path = bool_op(l, IR_NOT, l->cells[l->returned].value, 0);
    for (size_t i = 0; i < l->path_count && !l->g->failed; i++) {
        ir_id condition = l->path[i].condition;
        path = bool_op(l, IR_AND, path,
                       l->path[i].truth ? condition : bool_op(l, IR_NOT, condition, 0));
    }
    return path;
}

/* ---- what asserts show ----------------------------------------------------------------------- */

/* Whether a value is noted that is read on the same path: one that is read on two has two notes. */
static bool is_noted(const lower_record *r, const char *label, ir_id condition)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->shown[i].condition == condition && strcmp(r->shown[i].label, label) == 0)
            return true;
    return false;
}

void lower_note(lowering *l, const ir_expr *e, const int64_t at[4], ir_id value)
{
    lower_record *r = l->record;
    char label[IR_LABEL];
    if (!r || !value || r->count >= MOST_SHOWN || (r->calls && e->kind != IR_EXPR_LOAD)) return;
    ir_print_label(label, l->kernel, e, at);
    const ir_id condition = lower_path_node(l);
    if (is_noted(r, label, condition)) return;
    void *shown = r->shown;
    const char *copy = arena_copy_text(l->memory, label, strlen(label));
    if (!copy || !vector_reserve(&shown, &r->capacity, r->count + 1, sizeof *r->shown)) {
        l->g->failed = true;
        return;
    }
    r->shown = shown;
    r->shown[r->count++] = (ir_shown){copy, value, condition};
}
