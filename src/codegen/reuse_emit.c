/* Code for reused values: a part of a row at a time they are computed, group by group, into arrays
 * of the function, where the points of the part find them. */
#include "codegen/emit.h"

#include <stdlib.h>

/* ---- functions that compute them ------------------------------------------------------------- */

/* A node as at the point from which ix is at its offset. */
static void add_value(const codegen_writer *group, nest *function, const codegen_reused *value,
                      int i)
{
    codegen_writer w = *group;
    const ir_graph *g = &w.loop->kernel->graph;
    bool *wanted = calloc(g->count, sizeof *wanted);
    nest_statement(function, "%s value_%d", codegen_type(&w, g->nodes[value->node].type), i);
    nest *block = nest_add(function, NEST_BLOCK);
    if (!wanted) {
        block->head.failed = true;
        return;
    }
    wanted[value->node] = true;
    codegen_mark_operands(&w, wanted);
    w.wanted = wanted;
    w.moved = -value->offset;
    codegen_steps(&w, block, CODEGEN_POINT);
    codegen_operand(&nest_format(block, NEST_STATEMENT, "value_%d = ", i)->head, &w, value->node);
    free(wanted);
}

static void add_group(const codegen_writer *w, nest *file)
{
    const codegen_reuse *reuse = w->reuse;
    const ir_graph *g = &w->loop->kernel->graph;
    nest *function = nest_format(file, NEST_FUNCTION, "%svoid ", w->dialect->inlined);
    codegen_point_name(&function->head, w);
    text_add(&function->head, "(const int64_t ix");
    codegen_point_parameters(&function->head, w);
    for (int i = 0; i < reuse->count; i++)
        if (reuse->value[i].group == w->group)
            text_add(&function->head, ", %s *const to_%d",
                     codegen_type(w, g->nodes[reuse->value[i].node].type), i);
    text_add(&function->head, ")");
    for (int i = 0; i < reuse->count; i++)
        if (reuse->value[i].group == w->group) add_value(w, function, &reuse->value[i], i);
    for (int i = 0; i < reuse->count; i++)
        if (reuse->value[i].group == w->group) nest_statement(function, "*to_%d = value_%d", i, i);
}

void codegen_reuse_functions(const codegen_writer *w, nest *file)
{
    codegen_writer group = *w;
    for (group.group = 1; group.group <= w->reuse->group_count; group.group++)
        add_group(&group, file);
}

/* ---- loops that call them -------------------------------------------------------------------- */

/* Arrays, and pointers by which the value at x is found at [x]. */
static void add_arrays(const codegen_writer *w, nest *in)
{
    const ir_graph *g = &w->loop->kernel->graph;
    const char *second = codegen_second(w);
    for (int i = 0; i < w->reuse->count; i++) {
        const codegen_reused *value = &w->reuse->value[i];
        const char *type = codegen_type(w, g->nodes[value->node].type);
        int low = (int)value->low, high = (int)value->high;
        nest_statement(in, "%s%s array_%d%s[%d + lanes - KATA_DOWN(%d, lanes)] %s",
                       w->dialect->local, type, i, second, CODEGEN_REUSE_POINTS + high, low,
                       w->dialect->aligned);
        nest_statement(in,
                       "%s *const reused_%d%s = array_%d%s - (reuse_begin + KATA_DOWN(%d, lanes))",
                       type, i, second, i, second, low);
    }
}

static void add_call(const codegen_writer *w, nest *in)
{
    text *line = &nest_add(in, NEST_STATEMENT)->head;
    codegen_point_name(line, w);
    text_add(line, "(at + lane");
    codegen_point_arguments(line, w);
    for (int i = 0; i < w->reuse->count; i++)
        if (w->reuse->value[i].group == w->group)
            text_add(line, ", &reused_%d%s[at + lane]", i, codegen_second(w));
    text_add(line, ")");
}

/* The values of a group, in vectors that lie in memory as the vectors of points do. The first and
 * the last vector, which may overlap others, compute nothing but what is needed. The first loop
 * over a part that does more than widen bytes prefetches: it reads most and takes longest. */
static void add_group_loop(const codegen_writer *w, nest *in)
{
    const codegen_reused *of = w->reuse->value;
    while (of->group != w->group) of++;
    int low = (int)of->low, high = (int)of->high;
    nest *loop = nest_loop(in, NEST_PLAIN,
                           "int64_t next = reuse_begin + KATA_DOWN(%d, lanes), "
                           "at = reuse_begin + (%d), last_reused = reuse_end + (%d) - lanes; "
                           "next < reuse_end + (%d); "
                           "next += lanes, at = next < last_reused ? next : last_reused",
                           low, low, high, high);
    nest *lanes = nest_loop(loop, NEST_VECTOR, "int64_t lane = 0; lane < lanes; lane++");
    codegen_each_row(w, lanes, add_call);
    if (codegen_is_first_group(w) && w->add_fetches) w->add_fetches(w, loop);
}

nest *codegen_reuse_part(const codegen_writer *w, nest *in)
{
    const int points = w->add_clear ? CODEGEN_CLEAR_POINTS : CODEGEN_REUSE_POINTS;
    nest *part = nest_loop(in, NEST_PLAIN, "int64_t part = from; part < to; part += %d", points);
    nest_statement(part, "const int64_t part_end = part + %d < to ? part + %d : to", points,
                   points);
    nest_statement(part, "const int64_t part_last = part + (part_end - 1 - part) / lanes * lanes");
    nest_statement(part, "const int64_t reuse_begin = kata_between(lo[0], part, last)");
    nest_statement(part, "const int64_t reuse_end = kata_between(lo[0], part_last, last) + lanes");
    if (w->add_clear) w->add_clear(w, part);
    codegen_each_row(w, part, add_arrays);
    codegen_writer group = *w;
    for (group.group = 1; group.group <= w->reuse->group_count; group.group++)
        add_group_loop(&group, part);
    return part;
}
