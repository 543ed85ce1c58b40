/* The sections in which loops that follow one another may run on a device, each of which reads what
 * the one before has written. The first way is: loop by loop, in the shape that is best for a loop.
 * Boxes that have fewer tiles than the device has units are left alone. */
#include "exec/device_tune.h"

#include <string.h>

enum { MOST_PARAMS = 64 };

/* A loop as generated code knows it; false where it has too many parameters. */
static bool describe(const device_loop *l, kata_type storage[MOST_PARAMS], codegen_loop *as)
{
    const ir_kernel *kernel = l->loop->kernel;
    if (kernel->param_count > MOST_PARAMS) return false;
    for (int p = 0; p < kernel->param_count; p++)
        storage[p] =
            ir_param_is_field(&kernel->params[p]) ? l->loop->bindings[p].slot->type : KATA_F64;
    *as = (codegen_loop){.kernel = kernel,
                         .storage = storage,
                         .colored = l->loop->colors > 1,
                         .apart = device_is_apart(l->loop),
                         .without = l->context->without,
                         .wraps = {0, l->ready->wraps[1], l->ready->wraps[2]}};
    return true;
}

/* ---- which ways ------------------------------------------------------------------------------ */

/* Whether all units of a device have a tile, and no dimension more of them than it takes. */
static bool has_tiles(const device_loop *l, const codegen_loop *as, const codegen_section *s)
{
    enum { MOST = 65535 };
    const int64_t least = HOSTILE(device_facts_of(l->d->device)->units, 1);
    int64_t points[3], all = 1;
    bool fits = true;
    device_tune_points(l->loop, points);
    for (int d = 0; d < 3; d++) {
        const int64_t tiles = -floor_divide(-points[d], codegen_section_points(as, s, d));
        fits = fits && tiles < MOST;
        all *= tiles;
    }
    return fits && (all >= least || l->context->tune);
}

static void choose_chunk(const device_loop *l, const codegen_loop *as, codegen_section *s)
{
    const device_facts *facts = device_facts_of(l->d->device);
    const int64_t at_once = (int64_t)facts->units * codegen_section_groups(as, s, facts->local);
    int64_t points[3], tiles = 1;
    device_tune_points(l->loop, points);
    for (int d = 0; d < 2; d++) {
        const int64_t gives = codegen_section_points(as, s, d);
        if (gives > 0) tiles *= -floor_divide(-points[d], gives);
    }
    s->chunk = device_choose_depth(points[2], tiles, at_once, codegen_section_before(as, s));
}

/* Whether what it is given may be arguments. */
static bool has_arguments(const device_loop *l, const codegen_section *s)
{
    const ir_kernel *kernel = l->loop->kernel;
    size_t bytes = sizeof(abi_launch) + sizeof(abi_section) + sizeof(void *), numbers = 0;
    if (s->mirrors) bytes += 2 * sizeof(abi_mirror) + sizeof(abi_mirrored);
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p]))
            bytes += sizeof(abi_place) + sizeof(void *);
        else
            numbers += (size_t)kernel->params[p].count * sizeof(ir_value);
    bytes += numbers * (size_t)s->steps;
    return (int64_t)bytes <= device_facts_of(l->d->device)->arguments;
}

/* The section that KATA_DEVICE_SHAPE asks for. */
static int list_asked(const device_loop *l, codegen_section *s)
{
    const device_asked *a = &l->d->asked;
    s->steps = (int)a->steps;
    s->threads[0] = a->x ? (int)a->x : 32;
    s->threads[1] = a->y ? (int)a->y : 8;
    s->vector = a->vector ? (int)a->vector : 1;
    s->rows = a->rows ? (int)a->rows : 4;
    s->chunk = (int)a->chunk;
    s->fetches = a->fetch;
    return 1;
}

static device_way way_of(const codegen_loop *as, const codegen_section *s)
{
    return (device_way){
        .section = *s,
        .local = codegen_section_local(as, s),
        .gives = {codegen_section_points(as, s, 0), codegen_section_points(as, s, 1)}};
}

static void list_ways(const device_loop *l, const codegen_loop *as, const codegen_section *like,
                      struct device_tune *t)
{
    codegen_section sections[CODEGEN_MOST_SECTIONS];
    const int64_t local = device_facts_of(l->d->device)->local;
    const bool asked = l->d->asked.steps > 0;
    int count = 0;
    sections[0] = *like;
    count = asked ? list_asked(l, sections) : codegen_list_sections(as, like, local, sections);
    t->count = 1;
    for (int i = 0; i < count && t->count < DEVICE_MOST_WAYS; i++) {
        if (!sections[i].chunk) choose_chunk(l, as, &sections[i]);
        const bool fits = (!like->steps || sections[i].steps == like->steps) &&
                          (int64_t)codegen_section_local(as, &sections[i]) <= local &&
                          codegen_section_points(as, &sections[i], 0) > 0 &&
                          codegen_section_points(as, &sections[i], 1) > 0;
        if (fits && has_arguments(l, &sections[i]) && (asked || has_tiles(l, as, &sections[i])))
            t->ways[t->count++] = way_of(as, &sections[i]);
    }
    t->phase = t->count > 1 && !asked ? DEVICE_COUNTS : DEVICE_SETTLED;
    t->best = asked ? t->count - 1 : 0;
}

/* ---- what is known --------------------------------------------------------------------------- */

/* Equal of boxes of similar size. */
static uint64_t key_of(const char *name, const codegen_section *like, const int64_t points[3])
{
    int64_t size[6] = {0, 0, 0, like->from, like->wide | like->mirrors << 1, like->steps};
    for (int d = 0; d < 3; d++)
        while (((int64_t)1 << size[d]) < points[d]) size[d]++;
    return hash_bytes(size, sizeof size, hash_bytes(name, strlen(name), 'S'));
}

static struct device_tune *make(const device_loop *l, const codegen_loop *as,
                                const codegen_section *like, uint64_t key)
{
    struct device_tune *t = arena_alloc(&l->d->memory, sizeof *t);
    if (!t) return NULL;
    *t = (struct device_tune){
        .key = key, .wide = like->wide, .apart = true, .sections = true, .next = l->d->sections};
    t->of_tiles = like->steps;
    codegen_name(as, t->name);
    device_tune_points(l->loop, t->points);
    snprintf(t->kernel, sizeof t->kernel, "%s", as->kernel->name);
    list_ways(l, as, like, t);
    if (t->phase != DEVICE_SETTLED && l->context->remember) device_shapes_recall(l, t);
    return l->d->sections = t;
}

/* That there is none. */
static struct device_tune *none(struct exec_device *d)
{
    static const char name[] = "none";
    struct device_tune *t = d->sections;
    while (t && t->key) t = t->next;
    if (t || !(t = arena_alloc(&d->memory, sizeof *t))) return t;
    *t = (struct device_tune){
        .sections = true, .count = 1, .phase = DEVICE_SETTLED, .next = d->sections};
    memcpy(t->name, name, sizeof name);
    return d->sections = t;
}

static struct device_tune *find(const device_loop *l, codegen_section like)
{
    kata_type storage[MOST_PARAMS];
    codegen_loop as;
    int64_t points[3];
    char name[64];
    if (like.from < 0 || !describe(l, storage, &as) ||
        !codegen_section_suits(&as, like.from, &like.to))
        return none(l->d);
    codegen_name(&as, name);
    device_tune_points(l->loop, points);
    const uint64_t key = key_of(name, &like, points);
    struct device_tune *t = l->d->sections;
    while (t && t->key != key) t = t->next;
    return t ? t : make(l, &as, &like, key);
}

struct device_tune *device_sections_of(const device_loop *l, int from, bool wide)
{
    const int mirrors = from < 0 ? 0 : device_section_mirrors(l->loop, from);
    return find(l, (codegen_section){.from = from, .wide = wide, .mirrors = mirrors});
}

/* What is known of a loop on tiles of its box, which has been found out; NULL: nothing. */
static const struct device_tune *of_tiles(const device_loop *l)
{
    kata_type storage[MOST_PARAMS];
    codegen_loop as;
    int64_t points[3];
    char name[64];
    const struct device_tune *found = NULL;
    if (!describe(l, storage, &as)) return NULL;
    codegen_name(&as, name);
    device_tune_points(l->loop, points);
    for (const struct device_tune *t = l->d->tunes; t; t = t->next)
        if (!strcmp(t->name, name) && t->phase == DEVICE_SETTLED && t->ways[t->best].each > 0 &&
            t->points[0] == points[0] && t->points[1] == points[1] && t->points[2] < points[2] &&
            (!found || found->points[2] < t->points[2]))
            found = t;
    return found;
}

struct device_tune *device_tile_sections_of(const device_loop *l, int from, int steps, bool wide)
{
    chain_loop tile = *l->loop;
    device_loop own = *l;
    device_ready ready = *l->ready;
    memset(ready.wraps, 0, sizeof ready.wraps); /* tiles do not have both sides */
    own.ready = &ready;
    const struct device_tune *one = of_tiles(&own);
    if (!one && !l->d->asked.steps) return none(l->d);
    own.loop = &tile;
    if (one) tile.box.hi[2] = tile.box.lo[2] + one->points[2];
    struct device_tune *t =
        find(&own, (codegen_section){.from = from, .steps = steps, .wide = wide});
    if (t && t->count > 1 && one) t->ways[0].each = one->ways[one->best].each;
    return t;
}

bool device_begin_section(const device_loop *l, const struct device_tune *t, int way,
                          device_making *out)
{
    kata_type storage[MOST_PARAMS];
    codegen_loop as;
    const codegen_section *s = &t->ways[way].section;
    *out = (device_making){.key = 0};
    if (!describe(l, storage, &as)) return false;
    const int64_t made[] = {s->steps,  s->from, s->to,   s->threads[0], s->threads[1],
                            s->vector, s->rows, s->wide, s->fetches,    -1 - s->mirrors};
    memcpy(out->name, t->name, sizeof out->name);
    out->key = hash_bytes(made, sizeof made, hash_bytes(out->name, strlen(out->name), 1));
    if (!device_find_loaded(l->d, out->key))
        codegen_section_text(&out->source, &as, s, l->d->language);
    return true;
}
