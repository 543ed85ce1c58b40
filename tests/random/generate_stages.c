/* The steps of a program whose temporaries pass values on: the same few loops in each of several
 * time steps. Each loop runs where all that it reads has values. Time steps end at equal steps of
 * all programs, since programs side by side share them. */
#include "generate.h"

#include <string.h>

enum { MOST_LOOPS = 6, CHANGES = 2, PERIOD = MOST_LOOPS + 1 + CHANGES, MOST_REACH = 8 };
enum { MOST_REPEATS = MAX_STEPS / PERIOD, FEW_REPEATS = 3, MANY_POINTS = 3000 };

typedef struct stages {
    world world;
    range written[MAX_FIELDS]; /* of temporaries, in this time step */
    step loops[MOST_LOOPS];    /* with the ranges that are wished for */
} stages;

/* ---- the loops of a time step ---------------------------------------------------------------- */

static range everywhere(const program *p)
{
    range r = {.kind = RANGE_BOX, .hi = {1, 1, 1}};
    for (int d = 0; d < p->rank; d++) {
        r.lo[d] = -MOST_REACH;
        r.hi[d] = p->size[d] + MOST_REACH;
    }
    return r;
}

static bool makes(const world *w, const kernel *k, const step *s, int i)
{
    return k->params[i].kind == OUT && w->p->fields[s->args[i].index].temporary;
}

static bool makes_temporaries(const world *w, const kernel *k, const step *s)
{
    for (int i = 0; i < k->param_count; i++)
        if (k->params[i].kind == OUT && !makes(w, k, s, i)) return false;
    return true;
}

/* The first loop makes temporaries, the last one takes them. */
static void draw_loop(world *w, step *s, int i, int count)
{
    chance *c = w->chance;
    for (int tries = 0; tries < 12; tries++) {
        int first = i == 0 ? 0 : i == count - 1 ? 2 : chance_from(c, 0, 2);
        *s = (step){.kind = STEP_APPLY, .kernel = first < 2 ? first : chance_from(c, 2, 3)};
        const kernel *k = &w->p->kernels[s->kernel];
        arguments_bind(w, k, s);
        bool mixed = first < 2 && !makes_temporaries(w, k, s) && chance_of(c, 90);
        if (mixed || !arguments_suit(w, k, s)) continue;
        s->range =
            chance_of(c, first < 2 ? 90 : 60) ? everywhere(w->p) : generate_range(c, w->p, 0);
        for (int a = 0; a < k->param_count; a++)
            if (makes(w, k, s, a)) w->set[s->args[a].index] = true;
        return;
    }
    s->dropped = true;
}

static void draw_swap(world *w, step *s)
{
    int first = chance_of(w->chance, 60) ? MAX_FIELDS / 2 : 0;
    *s = (step){.kind = STEP_SWAP, .index = first, .second = first + 1};
    s->dropped = !is_alike(&w->p->fields[first], &w->p->fields[first + 1]) ||
                 (first && !(w->set[first] && w->set[first + 1]));
}

static void draw_loops(stages *s)
{
    int count = chance_from(s->world.chance, 2, MOST_LOOPS);
    for (int i = 0; i < MOST_LOOPS; i++) {
        s->loops[i].dropped = i >= count;
        if (i >= count) continue;
        if (i > 0 && i < count - 1 && chance_of(s->world.chance, 10))
            draw_swap(&s->world, &s->loops[i]);
        else
            draw_loop(&s->world, &s->loops[i], i, count);
    }
}

/* ---- where they run -------------------------------------------------------------------------- */

static void shrink_to(range *r, const param *param, const range *to)
{
    range inner = *to;
    for (int d = 0; d < 3; d++) {
        inner.lo[d] -= param->use.lo[d];
        inner.hi[d] -= param->use.hi[d];
    }
    clip_range(r, &inner);
}

/* What is read at any index of the grid has to be written at all of them. */
static bool is_written_everywhere(const program *p, const range *written)
{
    range grid = program_all(p, 0), both = grid;
    clip_range(&both, written);
    return is_same_box(&both, &grid);
}

/* In some programs rules give values of temporaries that were written wholly. */
static void restrict_to_values(const stages *s, const param *param, int f, range *r)
{
    range all;
    const program *p = s->world.p;
    const wall *walls = s->world.walls[f];
    points_box(p, &p->fields[f], walls, true, &all);
    bool reads = p->fields[f].temporary && param->kind != OUT;
    bool by_rules = chance_hash(p->seed, 13) % 5 == 0 && is_same_box(&all, &s->written[f]);
    if (reads && !by_rules) shrink_to(r, param, &s->written[f]);
    if (reads && param->use.anywhere && !is_written_everywhere(p, &s->written[f]))
        r->hi[0] = r->lo[0];
    if (!is_range_empty(r)) restrict_range(p, param, &p->fields[f], walls, r);
}

/* Whether a kernel can be applied to kata_needed. */
static bool makes_alone(const world *w, const kernel *k, const step *s)
{
    for (int i = 0; i < k->param_count; i++) {
        bool field = k->params[i].kind <= INOUT;
        bool temporary = field && w->p->fields[s->args[i].index].temporary;
        if (k->params[i].kind >= SUM || (field && (k->params[i].kind == IN) == temporary))
            return false;
    }
    return !k->checked;
}

static void place_loop(stages *s, step *loop)
{
    const world *w = &s->world;
    const kernel *k = &w->p->kernels[loop->kernel];
    range grid = program_all(w->p, 0), wished = loop->range, all = everywhere(w->p);
    for (int i = 0; i < k->param_count; i++) {
        if (k->params[i].kind >= SUM) clip_range(&loop->range, &grid);
        if (k->params[i].kind <= INOUT && !is_range_empty(&loop->range))
            restrict_to_values(s, &k->params[i], loop->args[i].index, &loop->range);
    }
    bool empty = is_range_empty(&loop->range);
    if (empty) memset(loop->range.hi, 0, sizeof loop->range.hi);
    if (empty) memset(loop->range.lo, 0, sizeof loop->range.lo);
    if (empty) loop->range.kind = RANGE_BOX;
    for (int i = 0; i < k->param_count; i++)
        if (makes(w, k, loop, i)) s->written[loop->args[i].index] = loop->range;
    if (!empty && is_same_box(&wished, &all) && makes_alone(w, k, loop) &&
        chance_hash(w->p->seed, 11) % 2)
        loop->range.kind = RANGE_NEEDED;
}

static void follow_swap(stages *s, const step *swap)
{
    range first = s->written[swap->index];
    s->written[swap->index] = s->written[swap->second];
    s->written[swap->second] = first;
}

/* ---- between time steps ---------------------------------------------------------------------- */

static void change_rules(world *w, step *s)
{
    s->kind = STEP_BOUNDARY;
    s->side = 2 * chance_from(w->chance, 0, w->p->rank - 1);
    bool periodic = chance_of(w->chance, 20);
    for (int i = 0; i < 2; i++) {
        s->walls[i] = generate_wall(w->chance, KATA_NONE, chance_from(w->chance, -6, 6) * 0.5);
        if (periodic) s->walls[i].rule = KATA_PERIODIC;
        w->walls[s->index][s->side + i] = s->walls[i];
    }
}

static void put_or_get(world *w, step *s, step_kind kind)
{
    range inside;
    s->kind = kind;
    points_box(w->p, &w->p->fields[s->index], w->walls[s->index], true, &inside);
    s->range = generate_range(w->chance, w->p, 0);
    clip_range(&s->range, &inside);
    s->seed = chance_bits(w->chance) | 1;
}

static void draw_change(world *w, step *s, bool chatty)
{
    int kind = chance_from(w->chance, 0, 99);
    *s = (step){.kind = STEP_SWAP, .index = chance_from(w->chance, 0, MAX_FIELDS / 2 - 1)};
    s->dropped = kind >= 75;
    if (kind < 35) {
        s->index = 0;
        s->second = 1;
    } else if (kind < 50) {
        put_or_get(w, s, STEP_PUT);
    } else if (kind < 65) {
        change_rules(w, s);
    } else if (kind < 75) {
        put_or_get(w, s, STEP_GET);
        s->dropped = !chatty;
    }
}

static void repeat(stages *s, step *steps, bool chatty)
{
    memset(s->written, 0, sizeof s->written);
    for (int i = 0; i < MOST_LOOPS; i++) {
        step *loop = &steps[i];
        *loop = s->loops[i];
        if (loop->dropped) continue;
        if (loop->kind == STEP_SWAP) {
            follow_swap(s, loop);
            continue;
        }
        if (chance_of(s->world.chance, 20))
            arguments_bind_numbers(&s->world, &s->world.p->kernels[loop->kernel], loop);
        place_loop(s, loop);
    }
    steps[MOST_LOOPS].kind = STEP_END;
    for (int i = 0; i < CHANGES; i++) draw_change(&s->world, &steps[MOST_LOOPS + 1 + i], chatty);
}

void generate_stages(chance *c, program *p, bool chatty)
{
    stages s = {.world = {.chance = c, .p = p}};
    for (int f = 0; f < p->field_count; f++)
        memcpy(s.world.walls[f], p->fields[f].walls, sizeof p->fields[f].walls);
    draw_loops(&s);
    bool many = program_size(p, 0, 0) * program_size(p, 0, 1) * program_size(p, 0, 2) > MANY_POINTS;
    int repeats = many ? FEW_REPEATS : MOST_REPEATS;
    for (int i = 0; i < repeats; i++) repeat(&s, &p->steps[PERIOD * i], chatty);
    p->step_count = PERIOD * repeats;
}
