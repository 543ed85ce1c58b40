/* Loops. One whose condition is a constant each time is unrolled: it runs here. Any other, one that
 * a break or continue ends, and one that is long, stays a loop: see rounds.c. */
#include "ir/lowering.h"

#include <stdlib.h>

enum { LONGEST_UNROLLED = 128 }; /* rounds of a loop that need not be unrolled */

/* The first number parameter of one element that a value is made of, found by its position in the
 * graph; NULL when there is none. */
static const ir_param *number_below(const lowering *l, ir_id value)
{
    const ir_param *found = NULL;
    bool *below = calloc((size_t)value + 1, sizeof *below);
    if (below) below[value] = true;
    for (ir_id id = value; below && id > 0; id--) {
        const ir_node *n = &l->g->nodes[id];
        if (!below[id]) continue;
        for (int a = 0; a < ir_ops[n->op].operands; a++) below[n->arg[a]] = true;
        if (n->op == IR_NUMBER && l->kernel->params[n->param].kind == IR_PARAM_NUMBER)
            found = &l->kernel->params[n->param];
    }
    free(below);
    return found;
}

static kata_status refuse_condition(lowering *l, const ir_stmt *s, ir_id condition)
{
    const ir_param *number = number_below(l, condition);
    const char *name = l->kernel->locals[s->step->index].name;
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, s->value->at,
                     "the condition of this loop is not known at compile time");
    message_line(l->m,
                 "say how often it runs at most: '... && %s < 1000', with a constant up to %d; %s, "
                 "an int or long, starts at a constant, too",
                 name, (int)IR_MAX_ROUNDS, name);
    if (number)
        message_line(l->m,
                     "or make '%s' a constant of the file, 'const %s %s = 9;', which the program "
                     "may set when it loads the file: .constants = \"%s=5\"",
                     number->name, ir_types[number->type].name, number->name, number->name);
    return message_send(l->m);
}

/* The step of a loop also counts where the kernel may have ended: so the count stays known. */
static kata_status lower_step(lowering *l, const ir_stmt *step)
{
    return step && lower_may_have_ended(l) ? lower_assignment(l, step) : lower_statements(l, step);
}

static kata_status unroll(lowering *l, const ir_stmt *s)
{
    kata_status status = KATA_OK;
    int64_t outer = l->repetition;
    for (int64_t n = 0; !status && !lower_has_left(l); n++) {
        l->repetition = ir_repetition(outer, n);
        ir_id condition = lower_expr(l, s->value);
        if (l->g->failed) break;
        const ir_node *n = &l->g->nodes[condition];
        if (n->op != IR_CONST) return refuse_condition(l, s, condition);
        if (!n->value.i32) break;
        status = lower_statements(l, s->body);
        if (!status) status = lower_step(l, s->step);
    }
    l->repetition = outer;
    return status ? status : lower_check(l, s->at);
}

bool lower_has_break(const ir_stmt *s)
{
    for (; s; s = s->next) {
        if (s->kind == IR_STMT_BREAK || s->kind == IR_STMT_CONTINUE) return true;
        bool inside = s->kind == IR_STMT_IF || s->kind == IR_STMT_BLOCK;
        if (inside && (lower_has_break(s->body) || lower_has_break(s->other))) return true;
    }
    return false;
}

void lower_say_nothing(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

/* Lowers a loop without unrolling it, as a trial: where that cannot be done, all is as before. */
static kata_status try_rounds(lowering *l, const ir_stmt *s)
{
    messages quiet = {.handler = lower_say_nothing}, *m = l->m;
    size_t changes = l->change_count, checks = l->check_count, path = l->path_count;
    lowering before = *l;
    int loops = l->kernel->loop_count, rank = l->kernel->rank;
    l->m = &quiet;
    kata_status status = lower_rounds(l, s);
    message_free(&quiet);
    l->m = m;
    if (!status) return KATA_OK;
    lower_undo(l, changes);
    l->check_count = checks;
    l->path_count = path;
    l->record = before.record;
    l->helpers = before.helpers;
    l->rounds = before.rounds;
    l->work = before.work;
    l->rounds_at = before.rounds_at;
    l->counters = before.counters;
    l->repetition = before.repetition;
    l->kernel->loop_count = loops;
    l->kernel->rank = rank;
    return status;
}

/* Whether a loop is known to have no round. To find out is no step of it. */
static bool has_no_round(lowering *l, const ir_stmt *s)
{
    int64_t steps = l->steps;
    bool none = lower_most_rounds(l, s) == 0;
    l->steps = steps;
    return none;
}

kata_status lower_for(lowering *l, const ir_stmt *s)
{
    kata_status status = lower_statements(l, s->init);
    if (status || lower_has_left(l)) return status;
    if (lower_has_break(s->body) && !has_no_round(l, s)) return lower_rounds(l, s);
    size_t checks = l->check_count;
    ir_id condition = lower_expr(l, s->value);
    if ((status = lower_check(l, s->at))) return status;
    l->check_count = checks;
    int64_t most = lower_most_rounds(l, s);
    if (l->g->nodes[condition].op != IR_CONST)
        return most < 0 ? refuse_condition(l, s, condition) : lower_rounds(l, s);
    if (most <= LONGEST_UNROLLED) return unroll(l, s);
    status = try_rounds(l, s);
    if (status == KATA_ERROR_LIMIT) return lower_rounds(l, s); /* which says why */
    return status ? unroll(l, s) : KATA_OK;
}
