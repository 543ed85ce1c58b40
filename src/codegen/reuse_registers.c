/* A pass: what the points of a row share stays in registers.
 *
 * Where points share values one point away at most, these need not go through memory: a register of
 * them, and that before or behind it, hold what a vector of points needs. A loop goes along the
 * row, and each of its rounds computes the register of values that the points at `at` lack, and
 * then these points:
 *
 *     west    here    east        registers of values of the vectors before, at and behind `at`
 *
 * Nothing beyond what the points need may be computed, for it might not be in memory. So at the
 * beginning of a loop `west` has the values one point before the points instead, each in the lane
 * of its point, and at the end `east` has those one point behind. The vectors at both ends of a row
 * that overlap others have a loop of their own.
 *
 * What goes through an array is a register for compilers all the same: the array is filled at once,
 * and read at once. */
#include "codegen/vectors.h"

/* The values that points share, all at the same offsets. */
static const codegen_reused *first_value(const codegen_writer *w) { return w->reuse->value; }

static ir_type type_of(const codegen_writer *w, const codegen_reused *value)
{
    return (ir_type)w->loop->kernel->graph.nodes[value->node].type;
}

/* Whether each value is one point away at most, and a vector of it is a register. */
static bool are_near(const codegen_writer *w)
{
    enum { LINE = 64 /* bytes */ };
    bool near = true;
    for (int i = 0; i < w->reuse->count; i++) {
        const codegen_reused *value = &w->reuse->value[i];
        near = near && value->low >= -1 && value->high <= 1 &&
               ir_types[type_of(w, value)].bytes * w->line == LINE;
    }
    return near;
}

bool codegen_keep_reused(codegen_writer *w)
{
    bool alone = w->reuse && w->reuse->count > 0 && w->reuse->group_count == 1;
    bool once = codegen_reduces(w->loop) || codegen_has_rows(w->loop->kernel) || w->loop->colored;
    bool wide = w->whole_lines || w->planes || w->halves;
    w->registers = w->line && alone && !w->reuse->widened_groups && !once && !wide && are_near(w);
    if (w->registers) w->begin_part = codegen_reuse_rounds;
    return true;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Whether points use values one point before them, and one behind. */
static bool uses_west(const codegen_writer *w) { return first_value(w)->low < 0; }
static bool uses_east(const codegen_writer *w) { return first_value(w)->high > 0; }

/* Adds something for a value of the writer's row. */
typedef void add_value(const codegen_writer *w, nest *in, int value);

static void each_value(const codegen_writer *w, nest *in, add_value *add)
{
    codegen_writer row = *w;
    for (row.second = 0; row.second < codegen_together(w); row.second++)
        for (int i = 0; i < w->reuse->count; i++) add(&row, in, i);
}

/* "0_north": what the names of a value's registers end in. */
static codegen_label end_of(const codegen_writer *w, int value)
{
    return codegen_format("%d%s", value, codegen_second(w));
}

static const char *kind_of(const codegen_writer *w, int value)
{
    return codegen_short_type(type_of(w, &w->reuse->value[value]));
}

static void add_registers(const codegen_writer *w, nest *in, int value)
{
    const codegen_label end = end_of(w, value);
    nest_statement(in, "kata_%ss west_%s = {0}, here_%s = {0}, east_%s = {0}", kind_of(w, value),
                   end.is, end.is, end.is);
}

/* An array for the values that a round computes. */
static void add_now(const codegen_writer *w, nest *in, int value)
{
    nest_statement(in, "%s now_%s[lanes] %s", codegen_type(w, type_of(w, &w->reuse->value[value])),
                   end_of(w, value).is, w->dialect->aligned);
}

static void keep_now(const codegen_writer *w, nest *in, int value)
{
    const codegen_label end = end_of(w, value);
    nest_statement(in, "%s_%s = *(const kata_%ss *)now_%s", uses_east(w) ? "east" : "here", end.is,
                   kind_of(w, value), end.is);
}

static void add_call(const codegen_writer *w, nest *in)
{
    text *line = &nest_add(in, NEST_STATEMENT)->head;
    codegen_point_name(line, w);
    text_add(line, "(reuse_at + lane");
    codegen_point_arguments(line, w);
    for (int i = 0; i < w->reuse->count; i++) text_add(line, ", &now_%s[lane]", end_of(w, i).is);
    text_add(line, ")");
}

/* What a vector of points finds at an offset. */
static void add_side(const codegen_writer *w, nest *in, int value, int offset)
{
    const codegen_label name = codegen_reused_name(w, value, offset), end = end_of(w, value);
    const char *kind = kind_of(w, value);
    nest_statement(in, "%s %s[lanes] %s", codegen_type(w, type_of(w, &w->reuse->value[value])),
                   name.is, w->dialect->aligned);
    text *line = &nest_format(in, NEST_STATEMENT, "*(kata_%ss *)%s = ", kind, name.is)->head;
    if (offset > 0)
        text_add(line, "at + lanes < end ? KATA_MOVED(%s, here_%s, east_%s, 1) : east_%s", kind,
                 end.is, end.is, end.is);
    else if (offset < 0 && !uses_east(w))
        text_add(line, "at > begin ? KATA_MOVED(%s, west_%s, here_%s, lanes - 1) : west_%s", kind,
                 end.is, end.is, end.is);
    else
        text_add(line, "%s_%s", offset ? "west" : "here", end.is);
}

static void add_sides(const codegen_writer *w, nest *in, int value)
{
    for (int at = w->reuse->value[value].low; at <= w->reuse->value[value].high; at++)
        add_side(w, in, value, at);
}

/* Where the next values are at hand before the points, so are those that the next points use. */
static void move_on(const codegen_writer *w, nest *in, int value)
{
    const codegen_label end = end_of(w, value);
    if (!uses_east(w)) {
        nest_statement(in, "west_%s = here_%s", end.is, end.is);
        return;
    }
    if (uses_west(w))
        nest_statement(
            in, "west_%s = at < begin ? here_%s : KATA_MOVED(%s, here_%s, east_%s, lanes - 1)",
            end.is, end.is, kind_of(w, value), end.is, end.is);
    nest_statement(in, "here_%s = east_%s", end.is, end.is);
}

/* Loops along a row: over a vector that overlaps the next, over those that lie in memory one after
 * the other, and over one that overlaps the last of these. */
static nest *add_stretches(nest *in)
{
    nest *stretch =
        nest_loop(in, NEST_PLAIN, "int64_t start = from, after; start < to; start = after");
    nest_statement(stretch, "const int64_t begin = kata_between(lo[0], start, last)");
    nest_statement(stretch,
                   "const int64_t end = begin + (begin == start ? (to - start) & -lanes : lanes)");
    nest_statement(stretch, "after = begin == start ? end : start + lanes");
    return stretch;
}

static void add_values(const codegen_writer *w, nest *round)
{
    codegen_writer group = *w;
    group.group = 1;
    each_value(w, round, add_now);
    nest_statement(round, "const int64_t reuse_at = kata_between(begin%s, at%s, end - lanes%s)",
                   uses_west(w) ? " - 1" : "", uses_east(w) ? " + lanes" : "",
                   uses_east(w) ? " + 1" : "");
    nest *lanes = nest_loop(round, NEST_VECTOR, "int64_t lane = 0; lane < lanes; lane++");
    codegen_each_row(&group, lanes, add_call);
    if (w->add_fetches) w->add_fetches(w, round);
    each_value(w, round, keep_now);
}

nest *codegen_reuse_rounds(const codegen_writer *w, nest *in)
{
    nest *stretch = add_stretches(in);
    each_value(w, stretch, add_registers);
    nest *round =
        nest_loop(stretch, NEST_PLAIN, "int64_t at = begin - %d * lanes; at < end; at += lanes",
                  uses_west(w) + uses_east(w));
    add_values(w, round);
    nest *points = nest_format(round, NEST_IF, "at >= begin");
    each_value(w, points, add_sides);
    each_value(w, round, move_on);
    return points;
}
