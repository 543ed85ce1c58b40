/* The values that points of a row share, in the loop over its vectors: for a part of the row at a
 * time they are computed, group by group, and kept on the stack. */
#include "codegen/codegen.h"

/* Where the first whole vector of what is kept begins, before that of the points. */
static int first_vector(const codegen_kept *kept, int lanes)
{
    int whole = (int)kept->low / lanes * lanes;
    return whole > kept->low ? whole - lanes : whole;
}

/* Rooms, and pointers by which a value at x is found at [x]. */
static void add_kept_rooms(const codegen_writer *w, int lanes)
{
    const ir_graph *g = &w->loop->kernel->graph;
    const char *second = codegen_second(w);
    for (int i = 0; i < w->sharing->count; i++) {
        const codegen_kept *kept = &w->sharing->kept[i];
        const char *type = codegen_type(g->nodes[kept->node].type);
        int first = first_vector(kept, lanes);
        text_add(w->out,
                 "            %s room_%d%s[%d] KATA_ALIGNED;\n"
                 "            %s *const kept_%d%s = room_%d%s - (kept_begin + (%d));\n",
                 type, i, second, CODEGEN_SHARE_POINTS + lanes + (int)kept->high - first, type, i,
                 second, i, second, first);
    }
}

static void add_kept_call(const codegen_writer *w, int lanes)
{
    (void)lanes;
    text_add(w->out, "                    ");
    codegen_call_begin(w, "at + lane");
    for (int i = 0; i < w->sharing->count; i++)
        if (w->sharing->kept[i].group == w->group)
            text_add(w->out, ", &kept_%d%s[at + lane]", i, codegen_second(w));
    text_add(w->out, ");\n");
}

/* The values of a group, in vectors that lie in memory as those of the points do; the first and the
 * last, which may overlap others, compute nothing but what is needed. What is fetched is fetched
 * meanwhile, in the first loop over a part: it reads most and takes longest. */
static void add_kept_group(const codegen_writer *w, int lanes)
{
    const codegen_kept *of = w->sharing->kept;
    while (of->group != w->group) of++;
    int first = first_vector(of, lanes), low = (int)of->low, high = (int)of->high;
    text_add(w->out,
             "            for (int64_t next = kept_begin + (%d), at = kept_begin + (%d),\n"
             "                 last_kept = kept_end + (%d); next < kept_end + (%d);\n"
             "                 next += %d, at = next < last_kept ? next : last_kept) {\n"
             "#pragma omp simd\n"
             "                for (int64_t lane = 0; lane < %d; lane++) {\n",
             first, low, high - lanes, high, lanes, lanes);
    codegen_each_row(w, lanes, add_kept_call);
    text_add(w->out, "                }\n");
    if (w->group == 1) codegen_fetches(w, lanes);
    text_add(w->out, "            }\n");
}

void codegen_begin_part(const codegen_writer *w, int lanes)
{
    text_add(w->out,
             "            for (int64_t part = from; part < to; part += %d) {\n"
             "            const int64_t part_end = part + %d < to ? part + %d : to;\n"
             "            const int64_t part_last = part + (part_end - 1 - part) / %d * %d;\n"
             "            const int64_t kept_begin = kata_between(lo[0], part, last);\n"
             "            const int64_t kept_end = kata_between(lo[0], part_last, last) + %d;\n",
             CODEGEN_SHARE_POINTS, CODEGEN_SHARE_POINTS, CODEGEN_SHARE_POINTS, lanes, lanes, lanes);
    codegen_each_row(w, lanes, add_kept_rooms);
    codegen_writer sharing = *w;
    for (sharing.group = 1; sharing.group <= w->sharing->group_count; sharing.group++)
        add_kept_group(&sharing, lanes);
}
