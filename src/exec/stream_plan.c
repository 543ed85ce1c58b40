/* How chains are planned that are streamed: in sections as deep as rings for them fit the memory. A
 * section moves its fields once, so deep ones move the fewest bytes. */
#include "exec/streams.h"

stream_planes stream_touched(const analysis_touch *t, const grid_box *box, int dimension)
{
    const analysis_distance far = t->far[dimension];
    return (stream_planes){box->lo[dimension] + smaller(far.lo, t->lo[dimension]),
                           box->hi[dimension] + larger(far.hi, t->hi[dimension])};
}

int64_t stream_outside(const analysis_chain *a, int slot, int d)
{
    grid_box all = chain_slot_memory(a->slots[slot]);
    int64_t most = 0;
    for (int l = 0; l < a->loop_count; l++)
        for (int i = 0; i < a->loops[l].touch_count; i++) {
            const analysis_touch *t = &a->loops[l].touches[i];
            const grid_box *box = &a->loops[l].loop->box;
            if (t->scalar || t->slot != slot) continue;
            most = larger(most, all.lo[d] - (box->lo[d] + t->lo[d]));
            most = larger(most, box->hi[d] + t->hi[d] - all.hi[d]);
        }
    return most;
}

/* The bytes that a part of a plan needs at once: `around`: buffers are open around it. */
static int64_t bytes_of(const exec_streams *s, const plan *p, const analysis_chain *a, int node,
                        bool around)
{
    const plan_node *n = &p->nodes[node];
    const bool opens = n->kind == PLAN_BUFFER;
    int64_t most = 0, own = 0;
    for (int child = n->child; child; child = p->nodes[child].next)
        most = larger(most, bytes_of(s, p, a, child, around || opens));
    if (opens) {
        const int d = store_ring_dimension(a->slots[n->slot]);
        own = s->memory->bytes(s, a, n->slot, n->capacity[d]);
        if (!around) own += s->memory->beside(a, p, node);
    }
    return own + most;
}

int64_t stream_bytes(const exec_streams *s, const plan *p, const analysis_chain *a, int node)
{
    return bytes_of(s, p, a, node, false);
}

bool stream_fits(const exec_streams *s, const plan *p, const analysis_chain *a)
{
    bool fits = true, some = false;
    for (int i = 1; i < p->count && fits; i++) {
        const plan_node *n = &p->nodes[i];
        if (n->kind == PLAN_EXCHANGE || n->kind == PLAN_BLOCKS) fits = false;
        if (n->kind != PLAN_BUFFER) continue;
        const chain_slot *slot = a->slots[n->slot];
        some = true;
        fits = fits && s->memory->suits(slot);
        for (int d = 0; d < 3; d++)
            fits = fits && !n->capacity[d] == (d != store_ring_dimension(slot));
    }
    return fits && some;
}

static bool study(const exec_streams *s, const analysis_chain *a)
{
    return !s->memory->study || s->memory->study(s, a);
}

/* Makes a plan if it fits; false if not, or when memory is out. */
static bool make_plan(const exec_streams *s, plan *p, const analysis_chain *a,
                      const plan_request *r, int64_t memory)
{
    if (plan_make(p, a, r) && stream_fits(s, p, a) && bytes_of(s, p, a, p->root, false) <= memory)
        return true;
    plan_free(p);
    *p = (plan){.nodes = NULL};
    return false;
}

int64_t stream_steps(const analysis_chain *a)
{
    int64_t most = 1;
    for (int l = 0; l < a->loop_count; l++)
        if (a->loops[l].loop->at_once) most = larger(most, a->loops[l].loop->at_once->count);
    return most;
}

/* Bytes of a plane of all fields that a loop moves; the most of all loops. */
static int64_t most_bytes(const exec_streams *s, const analysis_chain *a)
{
    int64_t most = 0;
    for (int l = 0; l < a->loop_count; l++) {
        const analysis_loop *loop = &a->loops[l];
        int64_t bytes = 0;
        for (int p = 0; p < loop->loop->kernel->param_count; p++) {
            const chain_slot *slot = loop->loop->bindings[p].slot;
            if (slot && slot->far && s->memory->suits(slot)) bytes += store_slot_plane_bytes(slot);
        }
        most = larger(most, bytes);
    }
    return most;
}

/* The planes that tiles of sections so deep should have, if what is moved decides that. Starting a
 * loop costs little beside large planes: a few of them are enough. Where moves are hidden by the
 * work, which they are from some depth on, it costs more than they do: then by larger tiles. Loops
 * at once compute some planes around a tile twice: they need larger ones anyway. */
static int64_t fair_planes(const exec_streams *s, const analysis_chain *a, const stream_room *room,
                           int64_t depth)
{
    enum { SMALL = 2 }; /* where moves decide, what is moved counts more */
    const int64_t steps = stream_steps(a), fair = s->memory->fair;
    const int64_t enough = HOSTILE(3 << 20, 3 << 10); /* bytes that a loop moves */
    const bool decide = s->deepest > s->memory->depth;
    if (room->fair) return smaller(room->fair, depth);
    if (s->memory->ahead && decide) return smaller(SMALL, depth);
    if (steps > 1) return smaller(steps * fair, steps * depth);
    if (s->memory->ahead) return smaller(depth > STREAM_DEPTH ? 2 * fair : fair, depth);
    const int64_t few = (enough - 1) / larger(most_bytes(s, a), 1) + 1;
    return smaller(smaller(larger(few, SMALL), decide ? SMALL : fair), depth);
}

/* Of planes in a tile. */
enum { SIZES = 15 };
static const int64_t sizes[SIZES] = {64, 48, 40, 32, 28, 24, 20, 16, 12, 8, 6, 4, 3, 2, 1};

/* Planes that the largest ring holds at once. */
static int64_t most_planes(const plan *p, const analysis_chain *a)
{
    int64_t most = 0;
    for (int i = 1; i < p->count; i++)
        if (p->nodes[i].kind == PLAN_BUFFER)
            most = larger(most,
                          p->nodes[i].capacity[store_ring_dimension(a->slots[p->nodes[i].slot])]);
    return most;
}

/* Whether all loops are in the tiles of one section. */
static bool is_one_section(const plan *p, const analysis_chain *a)
{
    int tiles = 0, loops = 0, inside = 0;
    for (int i = 1; i < p->count; i++) tiles += p->nodes[i].kind == PLAN_TILE;
    for (int i = 1; i < p->count; i++) {
        if (p->nodes[i].kind != PLAN_TILE) continue;
        const plan_node *tile = &p->nodes[i];
        for (int n = 1; n < p->count; n++) {
            const plan_node *leaf = &p->nodes[n];
            inside += leaf->kind == PLAN_LOOP && leaf->leaf >= tile->leaf &&
                      leaf->leaf < tile->leaf + tile->leaf_count;
        }
    }
    for (int l = 0; l < a->loop_count; l++) loops += !a->loops[l].loop->once;
    return tiles == 1 && inside == loops;
}

/* Of rims: no part of a plane is so small. Planes that come back have changed. */
enum { WHOLE_PLANES = 1 << 30 };

/* Whether the tiles of a section may have so many planes. */
static bool section_fits(const exec_streams *s, const analysis_chain *a, const stream_room *room,
                         int64_t planes)
{
    plan p = {.nodes = NULL};
    plan_request r = {
        .method = "streamed", .prefetch = 1, .rims = WHOLE_PLANES, .depth = a->loop_count};
    r.tile[1] = r.tile[2] = planes;
    const bool fits = make_plan(s, &p, a, &r, room->memory) && is_one_section(&p, a) &&
                      most_planes(&p, a) <= room->planes;
    plan_free(&p);
    return fits;
}

bool stream_plan_section(const exec_streams *s, plan *p, const analysis_chain *a,
                         const stream_room *room, plan_request *found)
{
    const bool asked = s->asked.method;
    if (!study(s, a)) return false;
    *found = (plan_request){.method = "streamed", .prefetch = 1};
    if (asked) *found = s->asked;
    found->rims = WHOLE_PLANES;
    found->depth = a->loop_count;
    const int64_t steps = stream_steps(a);
    const bool fair = steps > 1 || s->memory->ahead;
    const int64_t least = fair ? fair_planes(s, a, room, a->loop_count) : 1;
    if (!asked && !section_fits(s, a, room, least)) return false;
    for (int size = 0; size < (asked ? 1 : SIZES); size++) {
        if (!asked && sizes[size] < least) break;
        if (!asked) found->tile[1] = found->tile[2] = sizes[size];
        if (!make_plan(s, p, a, found, room->memory)) continue;
        if (is_one_section(p, a) && most_planes(p, a) <= room->planes) return true;
        plan_free(p);
        *p = (plan){.nodes = NULL};
    }
    return false;
}

/* Of a chain that has no plan: the reasons why its loops do not suit, if that is why. Returns
 * false.
 */
static bool say_why(plan *p, const analysis_chain *a, const plan_request *r)
{
    if (!plan_make(p, a, r) || p->failed) plan_free(p);
    for (int i = 1; i < p->count; i++)
        if (p->nodes[i].kind == PLAN_BUFFER) p->refusal_count = 0; /* memory is short */
    p->count = 0;
    return false;
}

/* Of tiles of one plane, and sections of one loop. */
static plan_request least_request(const exec_streams *s)
{
    return (plan_request){.method = "streamed",
                          .prefetch = 1,
                          .rims = s->memory->rims,
                          .depth = 1,
                          .tile = {0, 1, 1}};
}

/* The next larger size of tiles; 0: there is none. */
static int64_t next_size(int64_t planes)
{
    int64_t next = 0;
    for (int i = 0; i < SIZES && sizes[i] > planes; i++) next = sizes[i];
    return next;
}

/* Makes the plan of sections so deep whose tiles are the largest that fit, of a fair size at least
 * and of more than `above` planes; false: there are none. */
static bool plan_depth(const exec_streams *s, plan *p, const analysis_chain *a,
                       const stream_room *room, plan_request r, int64_t above, plan_request *found)
{
    bool some = false;
    int64_t planes = fair_planes(s, a, room, r.depth);
    while (planes && planes <= above) planes = next_size(planes);
    for (; planes; planes = next_size(planes)) {
        plan larger_tiles = {.nodes = NULL};
        r.tile[1] = r.tile[2] = planes;
        if (!make_plan(s, &larger_tiles, a, &r, room->memory)) break;
        plan_free(p);
        *p = larger_tiles;
        *found = r;
        some = true;
        if (room->fair) break;
    }
    return some;
}

/* Whether sections so deep may be given up for shallower ones whose tiles are larger: these hide
 * their moves as well, and start fewer kernels. */
static bool may_be_shallower(const exec_streams *s, int64_t depth, int64_t steps)
{
    enum { HIDES = 7 * STREAM_DEPTH / 8 };
    return s->memory->ahead && steps == 1 && depth >= HIDES;
}

/* The deepest sections whose tiles have a fair size, or the largest tiles of those that are deep
 * enough: about equally deep ones, as few as can be. */
bool stream_plan(const exec_streams *s, plan *p, const analysis_chain *a, const stream_room *room,
                 plan_request *found)
{
    const int64_t steps = stream_steps(a);
    int64_t last = 0;
    bool some = false;
    if (!study(s, a)) return false;
    *found = s->asked;
    if (found->depth) found->depth = larger(found->depth / steps, 1);
    if (found->method) return make_plan(s, p, a, found, room->memory) || say_why(p, a, found);
    const int64_t deepest = room->fair ? room->fair : s->deepest;
    for (int64_t depth = larger(deepest / steps, 1); depth >= 1; depth -= larger(depth / 10, 1)) {
        const int64_t loops = larger(a->loop_count, 1), count = (loops + depth - 1) / depth;
        plan_request r = least_request(s);
        r.prefetch = !room->fair;
        r.depth = (loops + count - 1) / count;
        if (some && !may_be_shallower(s, r.depth, steps)) break;
        if (r.depth != last)
            some = plan_depth(s, p, a, room, r, some ? found->tile[2] : 0, found) || some;
        last = r.depth;
    }
    const plan_request least = least_request(s);
    return some || say_why(p, a, &least);
}

int64_t stream_least(const exec_streams *s, const analysis_chain *a)
{
    plan p = {.nodes = NULL};
    const plan_request least = least_request(s);
    const bool made = study(s, a) && plan_make(&p, a, &least) && stream_fits(s, &p, a);
    const int64_t bytes = made ? bytes_of(s, &p, a, p.root, true) : 0;
    plan_free(&p);
    return bytes;
}
