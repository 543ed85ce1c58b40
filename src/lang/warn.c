/* Warnings about text that is allowed but hardly meant. Each must be right wherever it is given, so
 * that files can be free of them: there are none about constants that configure a file, loop
 * variables, or literals that adapt. */
#include "lang/check.h"

#include <math.h>
#include <string.h>

static void warn(lang_compiler *c, uint32_t at, const char *advice, const char *format, ...)
    PRINTF_LIKE(4, 5);
static void warn(lang_compiler *c, uint32_t at, const char *advice, const char *format, ...)
{
    text message = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&message, format, list);
    va_end(list);
    message_warn_at(c->m, &c->module->text, at, advice, "%s", text_get(&message));
    text_free(&message);
}

void lang_warn_empty(lang_compiler *c)
{
    warn(c, 0, "write a kernel, as in: kernel f(in double u, out double v) { v = u; }",
         "the file has no kernel, function or constant");
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_written_param(const lang_symbol *s)
{
    return s->kind == LANG_REDUCTION || (s->kind == LANG_FIELD && s->param != IR_PARAM_IN);
}

void lang_warn_unused(lang_compiler *c, const lang_symbol *s)
{
    const char *name = s->name->text;
    bool local = s->kind == LANG_LOCAL || s->kind == LANG_CONSTANT || s->kind == LANG_TABLE;
    if (s->used || s->level == 0 || is_written_param(s)) return;
    if (!local || s->given)
        warn(c, s->at, "leave it out", "parameter '%s' is not used", name);
    else if (s->assigned)
        warn(c, s->at, "leave it out, with what computes it", "the value of '%s' is never read",
             name);
    else
        warn(c, s->at, "leave it out", "'%s' is not used", name);
}

/* ---- ranges of integers ---------------------------------------------------------------------- */

typedef struct range {
    int64_t low, high;
} range;

enum { DEEPEST = 20 };

static range range_at(const lang_compiler *c, const ir_expr *e, int depth);

static bool constant(const lang_compiler *c, const ir_expr *e, int64_t *value)
{
    ir_value found;
    const ir_expr *culprit;
    if (ir_type_is_floating(e->type) || !lang_tree_evaluate(c, e, &found, &culprit)) return false;
    *value = ir_convert(IR_I64, e->type, found).i64;
    return true;
}

static range range_of_type(ir_type type)
{
    switch (type) {
    case IR_BOOL: return (range){0, 1};
    case IR_U8: return (range){0, UINT8_MAX};
    case IR_U16: return (range){0, UINT16_MAX};
    case IR_I16: return (range){INT16_MIN, INT16_MAX};
    case IR_I32: return (range){INT32_MIN, INT32_MAX};
    default: return (range){INT64_MIN, INT64_MAX};
    }
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static range range_of_op(const lang_compiler *c, const ir_expr *e, int depth)
{
    range all = range_of_type(e->type);
    int64_t value;
    if (e->op == IR_REM && constant(c, e->arg[1], &value) && value && value > -INT64_MAX) {
        int64_t last = (value < 0 ? -value : value) - 1;
        bool positive = range_at(c, e->arg[0], depth).low >= 0;
        return (range){positive ? 0 : -last, last};
    }
    if (e->op == IR_AND && constant(c, e->arg[1], &value) && value >= 0) return (range){0, value};
    if (e->op == IR_CONVERT && !ir_type_is_floating(e->arg[0]->type)) {
        range r = range_at(c, e->arg[0], depth);
        return r.low >= all.low && r.high <= all.high ? r : all;
    }
    if (e->op != IR_SELECT && e->op != IR_MIN && e->op != IR_MAX) return all;
    range a = range_at(c, e->arg[e->op == IR_SELECT ? 1 : 0], depth);
    range b = range_at(c, e->arg[e->op == IR_SELECT ? 2 : 1], depth);
    if (e->op == IR_MIN) return (range){least(a.low, b.low), least(a.high, b.high)};
    if (e->op == IR_MAX) return (range){most(a.low, b.low), most(a.high, b.high)};
    return (range){least(a.low, b.low), most(a.high, b.high)};
}

/* Bounds of the values of an integer or bool expression. An index may have any value: a kernel may
 * be applied beside the grid. */
static range range_at(const lang_compiler *c, const ir_expr *e, int depth)
{
    int64_t value;
    if (depth == 0) return range_of_type(e->type);
    if (constant(c, e, &value)) return (range){value, value};
    if (e->kind == IR_EXPR_SIZE) return (range){1, (int64_t)1 << 48};
    return e->kind == IR_EXPR_OP ? range_of_op(c, e, depth - 1) : range_of_type(e->type);
}

static range range_of(const lang_compiler *c, const ir_expr *e) { return range_at(c, e, DEEPEST); }

/* ---- conversions ----------------------------------------------------------------------------- */

static void warn_integer(lang_compiler *c, const ir_expr *e, ir_type type)
{
    range r = range_of(c, e), all = range_of_type(type);
    const char *name = ir_types[type].name;
    if (r.low >= all.low && r.high <= all.high) return;
    if (r.low == r.high)
        warn(c, e->at, "declare what takes it long", "%lld is too large for %s", (long long)r.low,
             name);
    else
        warn(c, e->at,
             "indices and sizes are long: declare what takes it long, or write '(int)(...)'",
             "this %s is cut to %s", ir_types[e->type].name, name);
}

static bool is_whole_constant(const lang_compiler *c, const ir_expr *e)
{
    ir_value value;
    const ir_expr *culprit;
    if (!lang_tree_evaluate(c, e, &value, &culprit)) return false;
    double x = ir_convert(IR_F64, e->type, value).f64;
    return x == trunc(x);
}

/* Whether a value has no fraction: it was rounded, was an integer, or is computed of such values.
 */
static bool is_whole(const lang_compiler *c, const ir_expr *e, int depth)
{
    if (ir_type_is_integer(e->type) || is_whole_constant(c, e)) return true;
    if (e->kind != IR_EXPR_OP || !depth) return false;
    switch (e->op) {
    case IR_FLOOR:
    case IR_CEIL:
    case IR_TRUNC:
    case IR_ROUND: return true;
    case IR_CONVERT:
    case IR_NEG:
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_FMA:
    case IR_MIN:
    case IR_MAX: break;
    default: return false;
    }
    bool whole = true;
    for (int i = 0; i < ir_ops[e->op].operands; i++)
        whole = whole && is_whole(c, e->arg[i], depth - 1);
    return whole;
}

/* Types of 8 and 16 bits store what was computed in floating point. */
static void warn_fraction(lang_compiler *c, const ir_expr *e, ir_type type)
{
    ir_value value;
    const ir_expr *culprit;
    if (!lang_tree_evaluate(c, e, &value, &culprit)) {
        if ((type == IR_I32 || type == IR_I64) && !is_whole(c, e, DEEPEST))
            warn(c, e->at,
                 "write '(int)(...)' or '(long)(...)' if that is meant, or round it: 'floor(...)'",
                 "a %s value loses its fraction here", ir_types[e->type].name);
        return;
    }
    double given = ir_convert(IR_F64, e->type, value).f64;
    double rounded = ir_convert(IR_F64, type, ir_convert(type, e->type, value)).f64;
    if (given != rounded)
        warn(c, e->at, "write the number that is meant", "%.9g becomes %.9g as %s", given, rounded,
             ir_types[type].name);
}

/* A constant that float holds exactly loses nothing. */
static bool is_exact(const lang_compiler *c, const ir_expr *e)
{
    ir_value value;
    const ir_expr *culprit;
    return lang_tree_evaluate(c, e, &value, &culprit) &&
           ir_convert(IR_F64, IR_F32, ir_convert(IR_F32, IR_F64, value)).f64 == value.f64;
}

void lang_warn_narrowing(lang_compiler *c, lang_value value, ir_type type)
{
    const ir_expr *e = value.expr;
    if (!e || e->type == type || type == IR_BOOL) return;
    if (ir_type_is_floating(e->type) && ir_type_is_integer(type))
        warn_fraction(c, e, type);
    else if (ir_type_is_integer(e->type) && ir_type_is_integer(type))
        warn_integer(c, e, type);
    else if (e->type == IR_F64 && type == IR_F32 && !value.f32_version && !is_exact(c, e))
        warn(c, e->at, "write '(float)(...)' if that is meant, or compute in float",
             "a double value is rounded to float here");
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static bool overflows(ir_op op, ir_type type, int64_t a, int64_t b)
{
    int64_t wide;
    bool beyond = op == IR_ADD   ? __builtin_add_overflow(a, b, &wide)
                  : op == IR_SUB ? __builtin_sub_overflow(a, b, &wide)
                                 : __builtin_mul_overflow(a, b, &wide);
    return beyond || (type == IR_I32 && (wide < INT32_MIN || wide > INT32_MAX));
}

static void warn_comparison(lang_compiler *c, const ir_expr *e)
{
    int64_t value;
    if (ir_type_is_floating(e->arg[0]->type)) return;
    if (constant(c, e->arg[0], &value) && constant(c, e->arg[1], &value)) return;
    range a = range_of(c, e->arg[0]), b = range_of(c, e->arg[1]);
    bool apart = a.high < b.low || b.high < a.low;
    bool always = e->op == IR_NE   ? apart
                  : e->op == IR_LT ? a.high < b.low
                                   : e->op == IR_LE && a.high <= b.low;
    bool never = e->op == IR_EQ   ? apart
                 : e->op == IR_LT ? a.low >= b.high
                                  : e->op == IR_LE && a.low > b.high;
    if (always || never)
        warn(c, e->at, "leave it out, or compare with what is meant",
             "this comparison is always %s", always ? "true" : "false");
}

const ir_expr *lang_find_cut(const lang_compiler *c, const ir_expr *e)
{
    int64_t a, b;
    bool known = constant(c, e->arg[0], &a) && constant(c, e->arg[1], &b);
    return known && b && b != -1 && a % b ? e : NULL;
}

void lang_warn_cut(lang_compiler *c, const ir_expr *cut)
{
    int64_t a = 0, b = 1;
    text advice = {0};
    constant(c, cut->arg[0], &a);
    constant(c, cut->arg[1], &b);
    text_add(&advice, "write '%lld.0/%lld', or '(double)(%lld/%lld)' if that is meant",
             (long long)a, (long long)b, (long long)a, (long long)b);
    warn(c, cut->at, text_get(&advice), "%lld/%lld is %lld: both are integers", (long long)a,
         (long long)b, (long long)(a / b));
    text_free(&advice);
}

void lang_warn_operation(lang_compiler *c, const ir_expr *e)
{
    int64_t a, b;
    if (!e || e->kind != IR_EXPR_OP) return;
    if (e->op == IR_EQ || e->op == IR_NE || e->op == IR_LT || e->op == IR_LE) {
        warn_comparison(c, e);
        return;
    }
    if (e->op != IR_ADD && e->op != IR_SUB && e->op != IR_MUL) return;
    if (!constant(c, e->arg[0], &a) || !constant(c, e->arg[1], &b)) return;
    if (overflows(e->op, e->type, a, b))
        warn(c, e->at, "integers wrap: make one operand long, as in '1L'",
             "this is too large for %s", ir_types[e->type].name);
}

/* ---- results --------------------------------------------------------------------------------- */

static int first_component_missing(const ir_kernel *k, int p)
{
    int component = 0;
    for (int i = 0; i < k->store_count; i++)
        component += k->stores[i].param == p && k->stores[i].component == component;
    return component;
}

/* Finds a child of which no store writes some component. In a kernel without offsets that is any
 * child but the first. */
static bool find_missing_child(const ir_kernel *k, int p, int32_t offset[3])
{
    const ir_param *param = &k->params[p];
    int end[3] = {1, 1, 1};
    if (!k->rank) return true;
    for (int d = 0; d < k->rank; d++) end[d] = param->finer[d] ? param->finer[d] : 1;
    for (offset[2] = 0; offset[2] < end[2]; offset[2]++)
        for (offset[1] = 0; offset[1] < end[1]; offset[1]++)
            for (offset[0] = 0; offset[0] < end[0]; offset[0]++) {
                int written = 0;
                for (int i = 0; i < k->store_count; i++)
                    written += k->stores[i].param == p &&
                               !memcmp(k->stores[i].offset, offset, 3 * sizeof *offset);
                if (written < param->count) return true;
            }
    return false;
}

static void warn_child(lang_compiler *c, const ir_kernel *k, int p, const int32_t offset[3])
{
    static const char advice[] = "the old value stays: declare it 'inout' if that is meant";
    text child = {0};
    for (int d = 0; d < k->rank; d++) text_add(&child, "%s%d", d ? "," : "", (int)offset[d]);
    if (!k->rank)
        warn(c, k->params[p].at, advice, "only the first child of '%s' is written",
             k->params[p].name);
    else
        warn(c, k->params[p].at, advice, "child [%s] of '%s' is never written", text_get(&child),
             k->params[p].name);
    text_free(&child);
}

static bool is_conditional(const ir_kernel *k, int p)
{
    for (int i = 0; i < k->store_count; i++)
        if (k->stores[i].param == p && k->stores[i].condition) return true;
    return false;
}

void lang_warn_partly_written(lang_compiler *c, const ir_kernel *k)
{
    static const char advice[] = "the old value stays: declare it 'inout' if that is meant";
    for (int p = 0; p < k->param_count; p++) {
        const ir_param *param = &k->params[p];
        if (param->kind != IR_PARAM_OUT) continue;
        int32_t child[3];
        int missing = first_component_missing(k, p);
        if (missing < param->count)
            warn(c, param->at, advice, "component %d of '%s' is never written", missing,
                 param->name);
        else if (ir_param_children(param) > 1 && find_missing_child(k, p, child))
            warn_child(c, k, p, child);
        else if (is_conditional(k, p))
            warn(c, param->at, advice, "'%s' is not written on every path", param->name);
    }
}

/* ---- levels ---------------------------------------------------------------------------------- */

void lang_warn_gaps(lang_compiler *c, const ir_kernel *k)
{
    ir_walk walk = {0};
    text gaps = {0};
    while (k->interval_count &&
           ir_walk_intervals(k->intervals, k->interval_count, &walk) == IR_WALK_GAP) {
        if (gaps.length) text_add(&gaps, " and ");
        ir_interval_print(&gaps, k, &walk.gap);
    }
    if (gaps.length)
        warn(c, k->intervals[0].at, "give them an interval; its body may be empty",
             "the levels %s are in no interval", text_get(&gaps));
    text_free(&gaps);
}
