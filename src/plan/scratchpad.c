/* The method for cores with small memories: how groups are cut into sections, and what keeps one
 * from having tiles. */
#include "plan/scratchpad.h"

#include <inttypes.h>

static bool is_free(const plan_group *g, const plan_request *r, int d)
{
    bool any = r->tile[0] || r->tile[1] || r->tile[2];
    return any ? plan_group_tiles(g, r, d) : r->machine && !g->fixed[d];
}

static bool check_pipeline(const plan_request *r, text *why)
{
    int64_t slots = larger(r->slots, 1), most = r->last ? slots : slots - 1;
    bool right = r->ahead <= most;
    if (!right)
        text_add(why, "a get %" PRId64 " turns ahead needs slots=%" PRId64, r->ahead,
                 r->ahead + !r->last);
    return right;
}

static bool applicable(plan_group *g, const plan_request *r, text *why)
{
    for (int d = 0; d < 3; d++) g->cut[d] = is_free(g, r, d);
    if (!check_pipeline(r, why)) return false;
    bool cut = g->cut[0] || g->cut[1] || g->cut[2];
    if (!cut) plan_group_say_fixed(g, r->tile, 0, PLAN_NO_SIZE, why);
    return cut;
}

static bool has_too_many_fields(const scratchpad_section *s, text *why)
{
    int fields = 0;
    for (int slot = 0; slot < s->part->a->slot_count; slot++) fields += s->g->fields[slot].buffered;
    bool many = fields > PLAN_MOST_TURN_BUFFERS;
    if (many)
        text_add(why, "it touches %d fields, and a turn has buffers for %d", fields,
                 PLAN_MOST_TURN_BUFFERS);
    return many;
}

/* Whether the buffers of tiles fit; says why not. */
static void say_bytes(const scratchpad_section *s, text *why)
{
    bool sized = s->r->tile[0] || s->r->tile[1] || s->r->tile[2];
    int64_t bytes = sized ? plan_scratchpad_bytes(s) : 0;
    if (!sized)
        text_add(why, "not even tiles of one point fit a memory of %" PRId64 " bytes",
                 s->r->memory);
    else if (s->r->memory && bytes > s->r->memory)
        text_add(why, "its tiles need %" PRId64 " bytes of the %" PRId64 " of a memory", bytes,
                 s->r->memory);
}

/* Why a section has no such tiles; nothing where it may. */
static void say_refused(const scratchpad_section *s, text *why)
{
    if (plan_overlapped_refuse(s->g, s->part, why) || has_too_many_fields(s, why)) return;
    if (s->r->columns && s->along < 0)
        text_add(why, "there are no columns: it is no single loop, or values are read over "
                      "periodic sides, or in order, along all dimensions but x");
    else if (!plan_scratchpad_groups(s))
        text_add(why,
                 "%" PRId64 " cores cannot share its tiles: the machine has to know such groups, "
                 "and they have to divide the tiles' size along x, and the siblings",
                 s->r->group);
    else
        say_bytes(s, why);
}

static bool has_points(const analysis_section *part)
{
    bool some = false;
    for (int l = part->first; l < part->end; l++)
        some = some || !grid_box_is_empty(&part->a->loops[l].loop->box);
    return some;
}

/* The tiles of a section; or its loops one by one, which is noted in the plan. */
static void add_section(plan_group *g, const plan_request *r, const analysis_section *part, plan *p,
                        int seq)
{
    text why = {0};
    scratchpad_section s;
    plan_scratchpad_begin(&s, g, part);
    s.r = r;
    plan_request sized = r->machine ? plan_scratchpad_sizes(&s, p) : *r;
    s.r = &sized;
    say_refused(&s, &why);
    if (why.length) plan_refuse(p, part, g->level, text_get(&why));
    if (why.length || !has_points(part))
        plan_add_loops(p, seq, part, PLAN_ON_GRID);
    else
        plan_scratchpad_add(&s, p, seq);
    if (why.failed) p->failed = true;
    text_free(&why);
}

/* Loops of a section, one by one unless more are asked for. */
static int64_t count_sections(const plan_group *g, const plan_request *r)
{
    return plan_section_count(g, &(plan_request){.depth = larger(r->depth, 1)});
}

static void make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int64_t count = count_sections(g, r);
    int seq = count > 1 ? plan_add(p, parent, (plan_node){.kind = PLAN_SEQ}) : parent;
    for (int64_t i = 0; i < count; i++) {
        analysis_section part = plan_section(g, count, i);
        add_section(g, r, &part, p, seq);
    }
}

const plan_method plan_scratchpad = {
    "scratchpad", true,
    false,        PLAN_TAKES_TILE | PLAN_TAKES_DEPTH | PLAN_TAKES_TURNS | PLAN_TAKES_MEMORY,
    applicable,   make};
