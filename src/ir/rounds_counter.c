/* The variable that a loop counts towards a constant, and limits of loops. */
#include "ir/rounds.h"

ir_id rounds_carried(rounds *r, ir_id start)
{
    if (!start) return 0;
    return ir_graph_add(r->l->g, &(ir_node){.op = IR_CARRIED,
                                            .type = r->l->g->nodes[start].type,
                                            .arg = {start},
                                            .param = r->number,
                                            .element = r->elements++,
                                            .at = r->loop->at});
}

/* ---- the variable that is counted ------------------------------------------------------------ */

static bool constant_of(const ir_graph *g, ir_id id, int64_t *value)
{
    const ir_node *n = &g->nodes[id];
    if (n->op != IR_CONST || !ir_type_is_integer((ir_type)n->type)) return false;
    *value = ir_convert(IR_I64, (ir_type)n->type, n->value).i64;
    return *value >= INT32_MIN / 2 && *value <= INT32_MAX / 2;
}

/* A constant that a node is never below (+1) or above (-1): its own value, the start of a loop's
 * variable, or that of an operand of max or min. */
static bool bound_of(const lowering *l, ir_id id, int direction, int64_t *value)
{
    const ir_node *n = &l->g->nodes[id];
    int64_t other;
    if (constant_of(l->g, id, value)) return true;
    if (n->op == IR_CONVERT && n->type == IR_I64 && l->g->nodes[n->arg[0]].type == IR_I32)
        return bound_of(l, n->arg[0], direction, value); /* an int as the start of a long */
    for (const lower_counter *c = l->counters; c; c = c->outer)
        if (c->carried == id)
            return c->direction == direction && bound_of(l, n->arg[0], direction, value);
    if (n->op != (direction > 0 ? IR_MAX : IR_MIN)) return false;
    bool first = bound_of(l, n->arg[0], direction, value);
    if (!bound_of(l, n->arg[1], direction, &other)) return first;
    if (!first || (other - *value) * direction > 0) *value = other;
    return true;
}

/* Whether a node is a loop's variable, maybe as a long. */
static bool is_counter(const ir_graph *g, ir_id id, ir_id counter)
{
    const ir_node *n = &g->nodes[id];
    return id == counter || (n->op == IR_CONVERT && n->type == IR_I64 && n->arg[0] == counter);
}

int64_t rounds_by(const lowering *l, ir_id condition, ir_id counter, int *direction)
{
    const ir_node *n = &l->g->nodes[condition];
    int64_t start, limit;
    if (n->op == IR_AND && n->type == IR_BOOL) {
        int64_t first = rounds_by(l, n->arg[0], counter, direction);
        return first >= 0 ? first : rounds_by(l, n->arg[1], counter, direction);
    }
    if (n->op != IR_LT && n->op != IR_LE) return -1;
    bool up = is_counter(l->g, n->arg[0], counter), down = is_counter(l->g, n->arg[1], counter);
    if (up == down || !constant_of(l->g, n->arg[up ? 1 : 0], &limit)) return -1;
    *direction = up ? 1 : -1;
    if (!bound_of(l, l->g->nodes[counter].arg[0], *direction, &start)) return -1;
    int64_t rounds = (limit - start) * *direction + (n->op == IR_LE);
    return rounds > 0 ? rounds : 0;
}

/* The constant that is added to a loop's variable to give a value; false where there is none. */
static bool step_of(const ir_graph *g, ir_id after, ir_id before, int64_t *by)
{
    const ir_node *n = &g->nodes[after];
    const bool first = n->op == IR_ADD && n->arg[1] == before;
    if ((n->op != IR_ADD && n->op != IR_SUB) || (!first && n->arg[0] != before)) return false;
    if (!constant_of(g, n->arg[first ? 0 : 1], by)) return false;
    if (n->op == IR_SUB) *by = -*by;
    return true;
}

/* The rounds of a loop that would run most times if its variable were counted by 1. */
static int64_t by_its_step(lowering *l, const ir_stmt *s, ir_id start, int64_t most, int direction)
{
    int64_t by;
    const int64_t steps = l->steps;
    const uint32_t counter = l->local_cells[s->step->index];
    const kata_status status = lower_assignment(l, s->step);
    l->steps = steps; /* a trial is no work of the loop */
    if (status || !step_of(l->g, l->cells[counter].value, start, &by) || by * direction <= 0)
        return most;
    by *= direction;
    return (most + by - 1) / by;
}

/* Whether a condition is false whatever the loop's variable is. */
static bool is_never(const ir_graph *g, ir_id condition)
{
    const ir_node *n = &g->nodes[condition];
    return n->op == IR_CONST && n->type == IR_BOOL && !n->value.i32;
}

/* The condition and the step are lowered with the loop's variable CARRIED, as a trial. */
int64_t lower_most_rounds(lowering *l, const ir_stmt *s)
{
    messages quiet = {.handler = lower_say_nothing}, *m = l->m;
    uint32_t counter = l->local_cells[s->step->index];
    lower_cell before = l->cells[counter];
    rounds r = {.l = l, .loop = s, .number = l->kernel->loop_count};
    size_t checks = l->check_count, path = l->path_count, changes = l->change_count;
    int direction, helpers = l->helpers;
    lower_record *record = l->record;
    if (s->step->element || !before.value) return -1;
    ir_id start = rounds_carried(&r, before.value);
    l->record = NULL;
    l->m = &quiet;
    l->cells[counter].value = start;
    ir_id condition = lower_expr(l, s->value);
    int64_t most = quiet.status || !condition  ? -1
                   : is_never(l->g, condition) ? 0
                                               : rounds_by(l, condition, start, &direction);
    if (most > 0) most = by_its_step(l, s, start, most, direction);
    l->m = m;
    message_free(&quiet);
    lower_undo(l, changes);
    l->cells[counter] = before;
    l->record = record;
    l->helpers = helpers;
    l->check_count = checks;
    l->path_count = path;
    return most;
}

static kata_status refuse_count(rounds *r, const char *what)
{
    lowering *l = r->l;
    const char *name = l->kernel->locals[r->loop->step->index].name;
    message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, r->loop->step->at, what, name);
    message_line(l->m,
                 "a loop that is not unrolled counts '%s' towards the constant in its "
                 "condition, and only its step changes it",
                 name);
    return message_send(l->m);
}

kata_status rounds_count(rounds *r, int direction)
{
    lowering *l = r->l;
    const ir_graph *g = l->g;
    uint32_t counter = l->local_cells[r->loop->step->index];
    ir_id before = r->variables[0].value;
    int64_t by;
    if (l->cells[counter].value != before)
        return refuse_count(r, "'%s' is changed in the body of its loop");
    kata_status status = lower_assignment(l, r->loop->step);
    if (!status) status = lower_check(l, r->loop->at);
    if (status) return status;
    ir_id after = l->cells[counter].value;
    if (!step_of(g, after, before, &by) || by * direction <= 0)
        return refuse_count(r, "'%s' is not counted by a constant towards its limit");
    ir_id left = lower_bool_op(l, IR_OR, l->cells[l->broken].value, l->cells[l->returned].value);
    lower_give(l, counter, lower_select(l, left, before, after));
    return KATA_OK;
}

/* ---- limits ---------------------------------------------------------------------------------- */

kata_status rounds_check_limits(lowering *l, const ir_stmt *s, int64_t most)
{
    const char *name = l->kernel->locals[s->step->index].name;
    if (most < 0) {
        message_begin_at(l->m, KATA_ERROR_KERNEL, l->kernel->text, s->value->at,
                         "this loop is not unrolled, and its condition does not limit it");
        message_line(l->m,
                     "say how often it runs at most: '... && %s < 1000', with a constant up to %d; "
                     "%s, an int or long, starts at a constant, or as in 'int %s = max(n, 0)'",
                     name, (int)IR_MAX_ROUNDS, name, name);
        return message_send(l->m);
    }
    if (most > IR_MAX_ROUNDS / l->rounds) {
        if (l->rounds > 1)
            message_begin_at(l->m, KATA_ERROR_LIMIT, l->kernel->text, s->value->at,
                             "this loop may run %lld times, in loops that may run %lld times",
                             (long long)most, (long long)l->rounds);
        else
            message_begin_at(l->m, KATA_ERROR_LIMIT, l->kernel->text, s->value->at,
                             "this loop may run %lld times", (long long)most);
        message_line(l->m, l->rounds > 1 ? "the product may be %d at most" : "%d are allowed",
                     (int)IR_MAX_ROUNDS);
        return message_send(l->m);
    }
    if (l->kernel->loop_count < IR_MAX_LOOPS) return KATA_OK;
    return message_fail_at(l->m, KATA_ERROR_LIMIT, l->kernel->text, s->at,
                           "the kernel has more than %d loops that are not unrolled",
                           (int)IR_MAX_LOOPS);
}

kata_status rounds_check_work(lowering *l, const ir_stmt *s, int64_t work)
{
    if (work <= IR_MAX_WORK) return KATA_OK;
    message_begin_at(l->m, KATA_ERROR_LIMIT, l->kernel->text, s->at,
                     "this loop may take %lld steps at a point", (long long)work);
    message_line(l->m, "%d are allowed: lower its limit, or do less in it", (int)IR_MAX_WORK);
    return message_send(l->m);
}
