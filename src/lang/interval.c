/* Intervals: bodies for some levels of a kernel whose levels run in order.
 *
 * The kernel has their bounds; its tree has them as branches on the index of the level. If they are
 * known to follow one another without a gap, a branch tests its upper bound only, and the last
 * tests nothing: so it is known that each level has a body. */
#include "lang/check.h"

#include <stdlib.h>

enum { LARGEST_SHIFT = 1 << 30 };

static ir_expr *make_long(lang_compiler *c, int64_t x, uint32_t at)
{
    return lang_tree_const(c, IR_I64, ir_value_of_int(IR_I64, x), at);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static bool is_constant(const lang_compiler *c, const ir_expr *e, int64_t *value)
{
    ir_value found;
    const ir_expr *culprit;
    if (!lang_tree_evaluate(c, e, &found, &culprit)) return false;
    *value = ir_convert(IR_I64, e->type, found).i64;
    return *value >= -LARGEST_SHIFT && *value <= LARGEST_SHIFT;
}

static bool shift_by(ir_bound *bound, int64_t by)
{
    int64_t shift = bound->shift + by;
    bound->shift = (int32_t)shift;
    return shift >= -LARGEST_SHIFT && shift <= LARGEST_SHIFT;
}

/* The bound that an expression stands for. */
static bool find_bound(const lang_compiler *c, const ir_expr *e, ir_bound *out)
{
    int64_t x;
    *out = (ir_bound){0};
    if (is_constant(c, e, &x)) return shift_by(out, x);
    if (e->kind == IR_EXPR_SIZE) {
        out->base = IR_BOUND_SIZE;
        return e->index == c->kernel->ordered;
    }
    if (e->kind == IR_EXPR_NUMBER) {
        out->base = IR_BOUND_PARAM;
        out->param = e->index;
        return e->type == IR_I32 && !e->arg[0];
    }
    if (e->kind != IR_EXPR_OP) return false;
    if (e->op == IR_CONVERT) return find_bound(c, e->arg[0], out);
    if (e->op != IR_ADD && e->op != IR_SUB) return false;
    if (is_constant(c, e->arg[1], &x))
        return find_bound(c, e->arg[0], out) && shift_by(out, e->op == IR_ADD ? x : -x);
    return e->op == IR_ADD && is_constant(c, e->arg[0], &x) && find_bound(c, e->arg[1], out) &&
           shift_by(out, x);
}

static bool check_bound(lang_compiler *c, const lang_expr *e, ir_bound *out)
{
    char z = "xyz"[c->kernel->ordered];
    ir_expr *made = lang_check_integer(c, e, "a bound");
    if (!made || find_bound(c, made, out)) return made;
    lang_error(c, e->at, "this is no bound of an interval along %c", z);
    return lang_hint(c,
                     "a bound is a constant, n%c or an int parameter, plus or minus a constant; a "
                     "constant is at most %d, either way",
                     z, LARGEST_SHIFT);
}

/* ---- intervals ------------------------------------------------------------------------------- */

static bool check_lvalue(lang_compiler *c, const lang_stmt *s)
{
    if (c->helper || !c->kernel->direction) {
        lang_error(c, s->at, "an interval stands in a kernel whose levels run in order");
        return lang_hint(c, "as in 'kernel %s(...) forward(z)'; or compare iz with its bounds",
                         c->kernel ? c->kernel->name : "f");
    }
    if (ir_orders_several(c->kernel)) {
        lang_error(c, s->at, "an interval stands in a kernel with an order along one dimension");
        return lang_hint(c, "compare ix, iy and iz with its bounds, under an 'if'");
    }
    if (c->level != c->body_level) {
        lang_error(c, s->at, "an interval stands directly in the body of its kernel");
        return lang_hint(c, "put what depends on other conditions inside of it, under an 'if'");
    }
    if (c->kernel->interval_count) {
        lang_error(c, s->at, "the intervals of a kernel stand side by side");
        lang_hint(c, "what all levels do stands before the first or after the last of them");
        lang_note(c, c->kernel->intervals[0].at, "the first is here");
        return false;
    }
    return true;
}

static bool check_levels(lang_compiler *c, const ir_interval *all, int i)
{
    const ir_interval *new = &all[i];
    text shown = {0}, other = {0};
    int k = 0;
    while (k < i && !ir_intervals_overlap(&all[k], new)) k++;
    bool empty = ir_bound_is_equal(&new->lo, &new->hi) || ir_bound_is_below(&new->hi, &new->lo);
    ir_interval_print(&shown, c->kernel, new);
    ir_interval_print(&other, c->kernel, &all[k]);
    if (empty) {
        lang_error(c, new->at, "interval %s has no levels", text_get(&shown));
        lang_hint(c, "its first bound lies below its second");
    } else if (k < i) {
        lang_error(c, new->at, "interval %s overlaps interval %s", text_get(&shown),
                   text_get(&other));
        lang_hint(c, "each level has one body");
        lang_note(c, all[k].at, "the other is here");
    }
    text_free(&shown);
    text_free(&other);
    return !empty && k == i;
}

/* Bounds and body of one. */
static bool check_interval(lang_compiler *c, const lang_stmt *s, ir_interval *all, int i,
                           ir_stmt **body)
{
    all[i].at = s->at;
    bool ok = check_bound(c, s->target, &all[i].lo);
    ok = lang_recover(c) && check_bound(c, s->value, &all[i].hi) && ok;
    ok = lang_recover(c) && ok && check_levels(c, all, i);
    if (!lang_recover(c)) return false;
    lang_scope scope = lang_scope_enter(c);
    ok = lang_check_statements(c, s->body, body) && ok;
    lang_scope_leave(c, scope);
    return ok;
}

/* ---- branches -------------------------------------------------------------------------------- */

static ir_expr *make_index(lang_compiler *c, uint32_t at)
{
    ir_expr *e = lang_tree_expr(c, IR_EXPR_INDEX, IR_I64, at);
    if (e) e->index = c->kernel->ordered;
    return e;
}

static ir_expr *make_bound(lang_compiler *c, const ir_bound *bound, uint32_t at)
{
    bool param = bound->base == IR_BOUND_PARAM;
    if (bound->base == IR_BOUND_ZERO) return make_long(c, bound->shift, at);
    ir_expr *e =
        lang_tree_expr(c, param ? IR_EXPR_NUMBER : IR_EXPR_SIZE, param ? IR_I32 : IR_I64, at);
    if (!e) return NULL;
    e->index = param ? bound->param : c->kernel->ordered;
    if (param) e = lang_tree_op(c, IR_CONVERT, IR_I64, e, NULL, NULL, at);
    if (!bound->shift) return e;
    return lang_tree_op(c, IR_ADD, IR_I64, e, make_long(c, bound->shift, at), NULL, at);
}

static ir_expr *below(lang_compiler *c, const ir_interval *i)
{
    return lang_tree_op(c, IR_LT, IR_BOOL, make_index(c, i->at), make_bound(c, &i->hi, i->at), NULL,
                        i->at);
}

static ir_expr *inside(lang_compiler *c, const ir_interval *i)
{
    ir_expr *from = lang_tree_op(c, IR_LE, IR_BOOL, make_bound(c, &i->lo, i->at),
                                 make_index(c, i->at), NULL, i->at);
    return lang_tree_op(c, IR_AND, IR_BOOL, from, below(c, i), NULL, i->at);
}

/* A block: the last choice needs no condition. */
static ir_stmt *make_branch(lang_compiler *c, ir_expr *condition, ir_stmt *body, uint32_t at)
{
    ir_stmt *s = lang_tree_stmt(c, condition ? IR_STMT_IF : IR_STMT_BLOCK, 0, at);
    if (!s) return NULL;
    s->value = condition;
    s->body = body;
    return s;
}

/* One branch after another. */
static bool make_branches(lang_compiler *c, const ir_interval *all, ir_stmt *const *bodies,
                          int count, ir_stmt **out)
{
    for (int i = 0; i < count; i++) {
        ir_expr *condition = inside(c, &all[i]);
        *out = condition ? make_branch(c, condition, bodies[i], all[i].at) : NULL;
        if (!*out) return false;
        out = &(*out)->next;
    }
    return true;
}

/* Each branch is the `other` of the branch before. */
static bool make_choice(lang_compiler *c, const ir_interval *all, ir_stmt *const *bodies, int count,
                        const int *order, ir_stmt **out)
{
    for (int k = 0; k < count; k++) {
        int i = order[k];
        ir_expr *condition = k < count - 1 ? below(c, &all[i]) : NULL;
        if (k < count - 1 && !condition) return false;
        *out = make_branch(c, condition, bodies[i], all[i].at);
        if (!*out) return false;
        out = &(*out)->other;
    }
    return true;
}

bool lang_check_intervals(lang_compiler *c, const lang_stmt **s, ir_stmt **out)
{
    const lang_stmt *first = *s;
    ir_stmt *bodies[IR_MAX_INTERVALS] = {NULL};
    int count = 0, order[IR_MAX_INTERVALS];
    if (!check_lvalue(c, first)) {
        while ((*s)->next && (*s)->next->kind == LANG_STMT_INTERVAL) *s = (*s)->next;
        return false;
    }
    ir_interval *all = arena_array(&c->module->memory, IR_MAX_INTERVALS, sizeof *all);
    if (!all) return lang_no_memory(c);
    bool ok = true;
    for (const lang_stmt *i = first; i && i->kind == LANG_STMT_INTERVAL; i = i->next) {
        if (count == IR_MAX_INTERVALS)
            return lang_limit(c, i->at, "kernel '%s' has more than %d intervals", c->kernel->name,
                              IR_MAX_INTERVALS);
        if (!check_interval(c, i, all, count, &bodies[count])) ok = false;
        if (!ok && !lang_recover(c)) return false;
        count++;
        *s = i;
    }
    c->kernel->intervals = all;
    c->kernel->interval_count = count;
    if (!ok) return false;
    ir_walk walk = {.order = order};
    bool whole = ir_walk_intervals(all, count, &walk) == IR_WALK_END && walk.count == count;
    return whole ? make_choice(c, all, bodies, count, order, out)
                 : make_branches(c, all, bodies, count, out);
}
