/* What a loop may change, found in its tree. */
#include "ir/rounds.h"

#include <stdlib.h>

static void find_changed(rounds *r, const ir_stmt *s, bool called);

static void find_in_expression(rounds *r, const ir_expr *e)
{
    if (!e) return;
    r->l->steps++;
    bool variable =
        e->kind == IR_EXPR_LOCAL || e->kind == IR_EXPR_NUMBER || e->kind == IR_EXPR_TABLE;
    bool component = e->kind == IR_EXPR_LOAD && e->arg[0] && e->arg[0]->kind != IR_EXPR_CONST;
    if ((variable && e->arg[0]) || component || e->level) r->has_checks = true;
    for (int i = 0; i < 4; i++) find_in_expression(r, e->arg[i]);
    if (e->kind == IR_EXPR_CALL) find_changed(r, e->body, true);
}

static void find_cells(rounds *r, uint32_t first, int count)
{
    for (int i = 0; i < count; i++) r->found[first + (uint32_t)i] = true;
}

static void find_local(rounds *r, int local)
{
    int length = r->l->kernel->locals[local].length;
    find_cells(r, r->l->local_cells[local], length ? length : 1);
}

static void find_target(rounds *r, const ir_stmt *s, bool called)
{
    const lowering *l = r->l;
    const ir_param *param = &l->kernel->params[s->index];
    switch (s->kind) {
    case IR_STMT_ASSIGN:
    case IR_STMT_UNSET: find_local(r, s->index); break;
    case IR_STMT_STORE:
        find_cells(r, l->first_output + l->param_outputs[s->index],
                   param->count * ir_param_children(param));
        break;
    case IR_STMT_REDUCE:
        find_cells(r, l->first_reduction + l->param_outputs[s->index], param->count);
        break;
    case IR_STMT_RETURN:
        if (s->index >= 0) find_local(r, s->index);
        if (!called) r->found[l->returned] = true;
        break;
    case IR_STMT_ASSERT: r->has_checks = true; break;
    default: break;
    }
}

static void find_changed(rounds *r, const ir_stmt *s, bool called)
{
    for (; s; s = s->next) {
        r->l->steps++;
        find_target(r, s, called);
        find_in_expression(r, s->value);
        find_in_expression(r, s->element);
        find_changed(r, s->init, called);
        find_changed(r, s->step, called);
        find_changed(r, s->body, called);
        find_changed(r, s->other, called);
    }
}

kata_status rounds_find(rounds *r)
{
    lowering *l = r->l;
    l->steps += l->cell_count / 64;
    r->found = calloc(l->cell_count, sizeof *r->found);
    if (!r->found) return message_no_memory(l->m);
    find_in_expression(r, r->loop->value);
    find_changed(r, r->loop->step, false);
    find_changed(r, r->loop->body, false);
    if (lower_has_break(r->loop->body)) r->found[l->broken] = true;
    return lower_check(l, r->loop->at);
}
