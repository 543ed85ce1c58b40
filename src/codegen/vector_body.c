/* What loops over the vectors of a row have in common: a loop over the lanes of a vector, and where
 * its results go. */
#include "codegen/halves.h"
#include "codegen/vectors.h"

#include <stdlib.h>

bool codegen_is_held(const codegen_writer *w, int store)
{
    return !codegen_has_lanes(w->loop, w->loop->kernel->stores[store].param);
}

void codegen_held(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++)
        if (codegen_is_held(w, i))
            nest_statement(in, "%s%s new_%d%s[lanes] %s", w->dialect->local,
                           codegen_held_type(w, i), i, codegen_second(w), w->dialect->aligned);
}

codegen_label codegen_target_row(const codegen_writer *w, int store, const char *at)
{
    const ir_store *s = &w->loop->kernel->stores[store];
    int32_t offset = s->offset[0];
    codegen_label name = codegen_written_name(w, s);
    if (offset)
        return codegen_format("&%s[%s %c %d]", name.is, at, offset < 0 ? '-' : '+',
                              abs((int)offset));
    return codegen_format("&%s[%s]", name.is, at);
}

const char *codegen_start_of(const codegen_writer *w)
{
    return w->group || w->clear ? "part" : "from";
}

const char *codegen_end_of(const codegen_writer *w)
{
    return w->group || w->clear ? "part_end" : "to";
}

nest *codegen_clamped_loop(nest *in, const char *name, const char *from, const char *to)
{
    return nest_loop(in, NEST_PLAIN,
                     "int64_t %s = %s, at = kata_between(lo[0], %s, last); %s < %s; "
                     "%s += lanes, at = %s < last ? %s : last",
                     name, from, name, name, to, name, name, name);
}

void codegen_first_lane(const codegen_writer *w, nest *in)
{
    if (codegen_combines_points(w))
        nest_statement(in, "const int64_t first_lane = at & %d", ABI_LANES - 1);
}

/* Where a result of a lane goes. */
static void add_lane(text *out, const codegen_writer *w, int i)
{
    const ir_store *s = &w->loop->kernel->stores[i];
    if (codegen_has_lanes(w->loop, s->param) && w->collects)
        text_add(out, ", &%s[at + lane]", codegen_contributions_name(w, s).is);
    else if (codegen_has_lanes(w->loop, s->param))
        text_add(out, ", &%s[first_lane + lane]", codegen_lanes_name(w, s).is);
    else
        text_add(out, ", &new_%d%s[lane]", i, codegen_second(w));
}

static void add_call(const codegen_writer *w, nest *in)
{
    text *line = &nest_add(in, NEST_STATEMENT)->head;
    codegen_point_name(line, w);
    text_add(line, "(at + lane");
    codegen_point_arguments(line, w);
    for (int i = 0; i < w->loop->kernel->store_count; i++) add_lane(line, w, i);
    if (codegen_counts(w)) text_add(line, ", colored >> lane & 1");
    text_add(line, ")");
}

void codegen_vector(const codegen_writer *w, nest *in)
{
    nest *lanes = nest_loop(in, NEST_VECTOR, "int64_t lane = 0; lane < lanes; lane++");
    if (w->paired)
        codegen_jam(w, lanes);
    else
        codegen_each_row(w, lanes, add_call);
    if (codegen_is_first_group(w) && w->add_fetches) w->add_fetches(w, in);
}
