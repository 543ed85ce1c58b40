/* Additions to bins: a pass over a row, behind its checks, which have found every index inside, and
 * in front of what is written to it. Points that are computed but do not count are left out. Where
 * points follow one another in memory, several are written out, each with its copy of the bins.
 * Indices and amounts that have to be computed are computed in vectors before, for some points, and
 * lie in the first-level cache until they are added. Where a kernel does nothing else, the checks
 * of these points are computed before they are added, in place of a pass over the row: what was
 * added before a point fails does not count. */
#include "codegen/bin_checks.h"

enum { AT_ONCE = 8, GATHERED = 64 };

static codegen_label bins_name(const codegen_writer *w, int param)
{
    return codegen_format("%s_bins", codegen_param_name(w->loop->kernel, param).is);
}

static void declare_bins(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int p = 0; p < kernel->param_count; p++) {
        if (!ir_has_bins(kernel, p)) continue;
        bool where = kernel->params[p].kind == IR_PARAM_WHERE;
        const char *type = where ? "abi_value" : ir_types[kernel->params[p].type].c_name;
        nest_statement(in, "%s *%s %s = (%s *)view[%d].origin", type, w->dialect->restricted,
                       bins_name(w, p).is, type, codegen_view_index(kernel, p));
    }
}

static bool has_copies(const ir_param *param) { return param->count <= ABI_COPIED_BINS; }

/* "p1_h_bins[index + copy]" */
static void add_bin(text *out, const codegen_writer *w, const ir_addition *a, const char *copy)
{
    const ir_param *param = &w->loop->kernel->params[a->param];
    text_add(out, "%s[", bins_name(w, a->param).is);
    codegen_operand(out, w, a->index);
    if (copy && has_copies(param))
        text_add(out, " + (%s %% %d) * %d", copy, ABI_BIN_COPIES, param->count);
    text_add(out, "]");
}

/* "kata_meet_least_f64(p2_where_bins, v7, ix, iy, iz)" */
static void add_where(const codegen_writer *w, nest *in, const ir_addition *a)
{
    const ir_param *params = w->loop->kernel->params, *of = &params[params[a->param].of];
    text *line = &nest_add(in, NEST_STATEMENT)->head;
    text_add(line, "kata_meet_%s_%s(%s, ", of->kind == IR_PARAM_MIN ? "least" : "greatest",
             codegen_short_type(of->type), bins_name(w, a->param).is);
    codegen_operand(line, w, a->value);
    text_add(line, ", ix, iy, iz)");
}

static void add_points(const codegen_writer *w, nest *in, const char *copy)
{
    const ir_kernel *kernel = w->loop->kernel;
    codegen_steps(w, in, CODEGEN_POINT);
    for (int i = 0; i < kernel->addition_count; i++) {
        const ir_addition *a = &kernel->additions[i];
        nest *where = in;
        if (kernel->params[a->param].kind == IR_PARAM_WHERE) {
            add_where(w, in, a);
            continue;
        }
        if (a->condition) {
            where = nest_format(in, NEST_IF, "%s", "");
            codegen_operand(&where->head, w, a->condition);
        }
        text *line = &nest_add(where, NEST_STATEMENT)->head;
        add_bin(line, w, a, copy);
        text_add(line, " = kata_add_%s(", codegen_short_type(kernel->params[a->param].type));
        add_bin(line, w, a, copy);
        text_add(line, ", ");
        codegen_operand(line, w, a->value);
        text_add(line, ")");
    }
}

/* Points of a colour, or of rows stored in blocks, one by one. */
static void add_apart(const codegen_writer *w, nest *in)
{
    nest *points = codegen_begin_points(w, in, NEST_PLAIN);
    add_points(w, nest_format(points, NEST_IF, "ix >= counted->lo[0] && ix < counted->hi[0]"),
               NULL);
}

static void add_at_once(const codegen_writer *w, nest *in)
{
    nest *several = nest_loop(in, NEST_PLAIN, "; at + %d <= end; at += %d", AT_ONCE, AT_ONCE);
    if (w->add_far) w->add_far(w, several, AT_ONCE);
    nest *of = nest_loop(several, NEST_PLAIN, "int point = 0; point < %d; point++", AT_ONCE);
    nest_statement(of, "const int64_t ix = at + point");
    add_points(w, of, "point");
}

/* ---- indices that are computed --------------------------------------------------------------- */

static const ir_node *node_of(const codegen_writer *w, ir_id id)
{
    return &w->loop->kernel->graph.nodes[id];
}

/* Whether the amount is the same for all points. */
static bool is_constant(const codegen_writer *w, const ir_addition *a)
{
    return !a->condition && node_of(w, a->value)->op == IR_CONST;
}

/* Whether the index of an addition is an integer of memory and its amount a constant. */
static bool is_direct(const codegen_writer *w, const ir_addition *a)
{
    const ir_node *index = node_of(w, a->index);
    if (index->op == IR_CONVERT && !ir_type_is_floating((ir_type)node_of(w, index->arg[0])->type))
        index = node_of(w, index->arg[0]);
    return index->op == IR_LOAD && is_constant(w, a);
}

/* Whether the points of minima or maxima are wanted: nothing is added. */
static bool finds(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    bool some = false;
    for (int i = 0; i < kernel->addition_count; i++)
        some = some || kernel->params[kernel->additions[i].param].kind == IR_PARAM_WHERE;
    return some;
}

/* Whether indices and amounts are computed before they are added. */
static bool gathers(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    bool direct = true;
    for (int i = 0; i < kernel->addition_count; i++)
        direct = direct && is_direct(w, &kernel->additions[i]);
    return !direct && !finds(w);
}

bool codegen_checks_additions(const codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    return kernel->valid && kernel->addition_count && !kernel->store_count && !kernel->direction &&
           !w->loop->colored && !w->blocks && !finds(w);
}

/* "NAME[point] = condition ? (TYPE)OPERAND : 0" */
static void gather(const codegen_writer *w, nest *in, const char *name, int i, const char *type,
                   ir_id operand)
{
    const ir_addition *a = &w->loop->kernel->additions[i];
    text *line = &nest_format(in, NEST_STATEMENT, "%s_%d[point] = ", name, i)->head;
    if (a->condition) codegen_operand(line, w, a->condition);
    text_add(line, "%s(%s)", a->condition ? " ? " : "", type);
    codegen_operand(line, w, operand);
    if (a->condition) text_add(line, " : 0");
}

/* Computes the indices and amounts of some points, and checks these. */
static void gather_points(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    const bool checks = codegen_checks_additions(w);
    if (checks) nest_statement(in, "int32_t failing = 0");
    nest *points = nest_loop(in, checks ? NEST_VECTOR_ANY : NEST_VECTOR,
                             "int point = 0; point < %d; point++", GATHERED);
    nest_statement(points, "const int64_t ix = at + point");
    codegen_steps(w, points, CODEGEN_POINT);
    for (int i = 0; i < kernel->addition_count && gathers(w); i++) {
        const ir_addition *a = &kernel->additions[i];
        gather(w, points, "bin", i, "int32_t", a->index);
        if (!is_constant(w, a))
            gather(w, points, "amount", i, ir_types[kernel->params[a->param].type].c_name,
                   a->value);
    }
    if (!checks) return;
    codegen_operand(&nest_format(points, NEST_STATEMENT, "failing |= !")->head, w, kernel->valid);
    codegen_failure(w, nest_format(in, NEST_IF, "failing"));
}

/* The points behind the last whole group. */
static void add_rest(const codegen_writer *w, nest *in)
{
    if (codegen_checks_additions(w)) {
        nest_statement(in, "int32_t failing = 0");
        nest *points = nest_loop(in, NEST_PLAIN, "int64_t ix = at; ix < end; ix++");
        codegen_steps(w, points, CODEGEN_POINT);
        codegen_operand(&nest_format(points, NEST_STATEMENT, "failing |= !")->head, w,
                        w->loop->kernel->valid);
        codegen_failure(w, nest_format(in, NEST_IF, "failing"));
        if (!gathers(w)) add_at_once(w, in);
    }
    add_points(w, nest_loop(in, NEST_PLAIN, "int64_t ix = at; ix < end; ix++"), NULL);
}

/* Two indices are read at once: what is written as a vector is read faster in few pieces. Which of
 * them comes first does not matter where amounts are the same. */
static void add_two(const codegen_writer *w, nest *in, int i)
{
    const ir_addition *a = &w->loop->kernel->additions[i];
    const ir_param *param = &w->loop->kernel->params[a->param];
    const char *type = codegen_short_type(param->type);
    nest_statement(in, "uint64_t two_%d", i);
    nest_statement(in, "__builtin_memcpy(&two_%d, bin_%d + group + point, sizeof two_%d)", i, i, i);
    for (int k = 0; k < 2; k++) {
        nest_statement(
            in, "%s *const to_%d_%d = %s + (point + %d) %% %d * %d + (two_%d >> %d & 0xffffffff)",
            ir_types[param->type].c_name, i, k, bins_name(w, a->param).is, k, ABI_BIN_COPIES,
            has_copies(param) ? param->count : 0, i, 32 * k);
        text *line = &nest_format(in, NEST_STATEMENT, "*to_%d_%d = kata_add_%s(*to_%d_%d, ", i, k,
                                  type, i, k)
                          ->head;
        codegen_operand(line, w, a->value);
        text_add(line, ")");
    }
}

static void add_one(const codegen_writer *w, nest *in, int i)
{
    const ir_addition *a = &w->loop->kernel->additions[i];
    const ir_param *param = &w->loop->kernel->params[a->param];
    nest_statement(in, "%s *const to_%d = %s + (point %% %d) * %d + bin_%d[group + point]",
                   ir_types[param->type].c_name, i, bins_name(w, a->param).is, ABI_BIN_COPIES,
                   has_copies(param) ? param->count : 0, i);
    nest_statement(in, "*to_%d = kata_add_%s(*to_%d, amount_%d[group + point])", i,
                   codegen_short_type(param->type), i, i);
}

static void add_gathered_points(const codegen_writer *w, nest *some)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->addition_count; i++) {
        const bool two = is_constant(w, &kernel->additions[i]);
        nest *of = nest_loop(some, NEST_PLAIN, "int point = 0; point < %d; point += %d", AT_ONCE,
                             two ? 2 : 1);
        if (two)
            add_two(w, of, i);
        else
            add_one(w, of, i);
    }
}

/* Points whose indices lie in memory, and have been checked. */
static void add_checked_points(const codegen_writer *w, nest *some)
{
    nest *of = nest_loop(some, NEST_PLAIN, "int point = 0; point < %d; point++", AT_ONCE);
    nest_statement(of, "const int64_t ix = at + group + point");
    add_points(w, of, "point");
}

static void add_gathered(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->addition_count && gathers(w); i++) {
        const ir_addition *a = &kernel->additions[i];
        nest_statement(in, "int32_t bin_%d[%d]", i, GATHERED);
        if (!is_constant(w, a))
            nest_statement(in, "%s amount_%d[%d]", ir_types[kernel->params[a->param].type].c_name,
                           i, GATHERED);
    }
    nest *several = nest_loop(in, NEST_PLAIN, "; at + %d <= end; at += %d", GATHERED, GATHERED);
    if (w->add_far) w->add_far(w, several, GATHERED);
    gather_points(w, several);
    nest *some =
        nest_loop(several, NEST_PLAIN, "int group = 0; group < %d; group += %d", GATHERED, AT_ONCE);
    if (gathers(w))
        add_gathered_points(w, some);
    else
        add_checked_points(w, some);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void add_row(const codegen_writer *w, nest *in)
{
    nest_statement(in, "const int64_t first = lo[0] > counted->lo[0] ? lo[0] : counted->lo[0]");
    nest_statement(in, "const int64_t end = hi[0] < counted->hi[0] ? hi[0] : counted->hi[0]");
    nest_statement(in, "int64_t at = first");
    if (gathers(w) || codegen_checks_additions(w))
        add_gathered(w, in);
    else
        add_at_once(w, in);
    add_rest(w, in);
}

void codegen_additions(const codegen_writer *w, nest *in)
{
    in = nest_add(in, NEST_BLOCK);
    nest_statement(in, "const abi_box *const counted = &arguments->counted");
    declare_bins(w, in);
    in = nest_format(in, NEST_IF,
                     "iy >= counted->lo[1] && iy < counted->hi[1] && iz >= counted->lo[2] && "
                     "iz < counted->hi[2]");
    if (w->loop->colored || w->blocks)
        add_apart(w, in);
    else
        add_row(w, in);
}
