/* Bounds of intervals, compared as far as they are known before a kernel is applied. */
#include "ir/kernel.h"

/* Whether two bounds count from the same base. (A size, which is a base, is at least 1.) */
static bool is_same_base(const ir_bound *a, const ir_bound *b)
{
    return a->base == b->base && a->param == b->param;
}

bool ir_bound_is_below(const ir_bound *a, const ir_bound *b)
{
    if (is_same_base(a, b)) return a->shift < b->shift;
    return a->base == IR_BOUND_ZERO && b->base == IR_BOUND_SIZE && a->shift < (int64_t)b->shift + 1;
}

bool ir_bound_is_equal(const ir_bound *a, const ir_bound *b)
{
    return is_same_base(a, b) && a->shift == b->shift;
}

static void print_bound(text *out, const ir_kernel *kernel, const ir_bound *bound)
{
    if (bound->base == IR_BOUND_ZERO) {
        text_add(out, "%d", (int)bound->shift);
        return;
    }
    if (bound->base == IR_BOUND_SIZE)
        text_add(out, "n%c", "xyz"[kernel->ordered]);
    else
        text_add(out, "%s", kernel->params[bound->param].name);
    if (bound->shift) text_add(out, "%+d", (int)bound->shift);
}

void ir_interval_print(text *out, const ir_kernel *kernel, const ir_interval *interval)
{
    text_add(out, "[");
    print_bound(out, kernel, &interval->lo);
    text_add(out, ", ");
    print_bound(out, kernel, &interval->hi);
    text_add(out, ")");
}

bool ir_intervals_overlap(const ir_interval *a, const ir_interval *b)
{
    return ir_bound_is_below(&a->lo, &a->hi) && ir_bound_is_below(&a->lo, &b->hi) &&
           ir_bound_is_below(&b->lo, &a->hi) && ir_bound_is_below(&b->lo, &b->hi);
}

/* ---- gaps ------------------------------------------------------------------------------------ */

/* Whether a walk can go on from a level with an interval. An interval that begins there may be
 * empty. */
static bool leads_on(const ir_interval *i, const ir_bound *level)
{
    if (ir_bound_is_equal(&i->lo, level)) return !ir_bound_is_equal(&i->hi, level);
    return ir_bound_is_below(&i->lo, level) && ir_bound_is_below(level, &i->hi);
}

static bool is_apart(const ir_interval *i, const ir_bound *level)
{
    return ir_bound_is_below(level, &i->lo) || ir_bound_is_equal(&i->hi, level) ||
           ir_bound_is_below(&i->hi, level);
}

static bool has_passed(const ir_walk *walk, int i) { return walk->passed >> i & 1; }

/* The nearest beginning of an interval above a level, or the end. */
static ir_bound next_beginning(const ir_interval *intervals, int count, const ir_walk *walk,
                               const ir_bound *level)
{
    ir_bound next = {.base = IR_BOUND_SIZE};
    for (int i = 0; i < count; i++) {
        if (has_passed(walk, i)) continue;
        bool nearer = ir_bound_is_below(&intervals[i].lo, &next) || next.base == IR_BOUND_SIZE;
        if (ir_bound_is_below(level, &intervals[i].lo) && nearer) next = intervals[i].lo;
    }
    return next;
}

static ir_walked find_gap(const ir_interval *intervals, int count, ir_walk *walk)
{
    for (int i = 0; i < count; i++)
        if (!has_passed(walk, i) && !is_apart(&intervals[i], &walk->from)) return IR_WALK_LOST;
    walk->gap.lo = walk->from;
    walk->gap.hi = walk->from = next_beginning(intervals, count, walk, &walk->gap.lo);
    return IR_WALK_GAP;
}

ir_walked ir_walk_intervals(const ir_interval *intervals, int count, ir_walk *walk)
{
    static const ir_bound end = {.base = IR_BOUND_SIZE};
    for (int steps = 0; steps <= count; steps++) {
        if (ir_bound_is_equal(&walk->from, &end) || ir_bound_is_below(&end, &walk->from))
            return IR_WALK_END;
        int i = 0;
        while (i < count && (has_passed(walk, i) || !leads_on(&intervals[i], &walk->from))) i++;
        if (i == count) return find_gap(intervals, count, walk);
        if (walk->order) walk->order[walk->count] = i;
        walk->count++;
        walk->passed |= (uint64_t)1 << i;
        walk->from = intervals[i].hi;
    }
    return IR_WALK_LOST;
}
