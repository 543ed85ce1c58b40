/* The steps of a program: kernels applied to ranges, swaps, changes of boundary rules, values put
 * and got. The library must accept all of them: every read ends in the grid or has a rule, and no
 * point reads a value that another one writes. */
#include "generate.h"

#include <string.h>

/* ---- steps ----------------------------------------------------------------------------------- */

static bool writes_fields(const kernel *k)
{
    for (int i = 0; i < k->param_count; i++)
        if (k->params[i].kind == OUT || k->params[i].kind == INOUT || k->params[i].columns)
            return true;
    return false;
}

/* Whether a kernel may be applied to kata_needed. */
static bool is_brief(const world *w, const kernel *k, const step *s)
{
    if (k->once || k->checked || k->order) return false;
    for (int i = 0; i < k->param_count; i++) {
        param_kind kind = k->params[i].kind;
        bool written = kind == OUT || kind == INOUT;
        if (kind >= SUM || (written && !w->p->fields[s->args[i].index].temporary)) return false;
    }
    return writes_fields(k);
}

/* Whether a temporary that is written at a range has values everywhere. */
static void note_set(world *w, int f, const range *r)
{
    range all, written = *r;
    points_box(w->p, &w->p->fields[f], w->walls[f], true, &all);
    for (int d = 0; d < w->p->rank; d++)
        if (!has_dimension(&w->p->fields[f], d) && written.lo[d] < written.hi[d]) {
            written.lo[d] = 0;
            written.hi[d] = 1;
        }
    range part = all;
    clip_range(&part, &written);
    w->set[f] = w->set[f] || is_same_box(&part, &all);
}

static void note_written(world *w, const kernel *k, const step *s)
{
    for (int i = 0; i < k->param_count && !k->once; i++)
        if (k->params[i].kind == OUT && w->p->fields[s->args[i].index].temporary)
            note_set(w, s->args[i].index, &s->range);
}

/* The box of kata_needed: as large as the fields that are written, if all reads are covered. */
static void choose_needed(world *w, const kernel *k, step *s)
{
    range all = s->range;
    for (int d = 0; d < w->p->rank; d++) {
        all.lo[d] = -8;
        all.hi[d] = w->p->size[d] + 8;
    }
    for (int i = 0; i < k->param_count; i++)
        if (k->params[i].kind <= INOUT)
            restrict_range(w->p, &k->params[i], &w->p->fields[s->args[i].index],
                           w->walls[s->args[i].index], &all);
    if (is_same_box(&all, &s->range) && !is_range_empty(&all)) s->range.kind = RANGE_NEEDED;
}

/* Points of a colour: not where a temporary must get values everywhere, nor of shifted programs, of
 * which the points of a colour would be others. */
static void choose_color(world *w, const kernel *k, step *s)
{
    if (w->p->shiftable || k->once || s->range.kind == RANGE_NEEDED || !chance_of(w->chance, 20))
        return;
    for (int i = 0; i < k->param_count; i++)
        if (k->params[i].written && k->params[i].kind <= INOUT &&
            w->p->fields[s->args[i].index].temporary)
            return;
    s->range.colors = chance_of(w->chance, 60) ? 2 : chance_from(w->chance, 2, 20);
    s->range.color = chance_from(w->chance, 0, s->range.colors - 1);
}

static void generate_apply(world *w, step *s)
{
    s->kind = STEP_APPLY;
    s->kernel = chance_from(w->chance, 0, w->p->kernel_count - 1);
    const kernel *k = &w->p->kernels[s->kernel];
    arguments_bind(w, k, s);
    s->range = generate_range(w->chance, w->p, k->level);
    range grid = program_all(w->p, k->level);
    if (!writes_fields(k)) clip_range(&s->range, &grid);
    for (int i = 0; i < k->param_count; i++)
        if (!k->once && takes_field(&k->params[i]) && !is_range_empty(&s->range))
            restrict_range(w->p, &k->params[i], &w->p->fields[s->args[i].index],
                           w->walls[s->args[i].index], &s->range);
    if (!arguments_suit_temporaries(w, k, s)) *s = (step){.kind = STEP_END};
    if (s->kind == STEP_APPLY && is_brief(w, k, s)) choose_needed(w, k, s);
    if (s->kind == STEP_APPLY) choose_color(w, k, s);
    if (s->kind == STEP_APPLY) note_written(w, k, s);
}

static void generate_swap(world *w, step *s)
{
    s->kind = STEP_SWAP;
    s->index = chance_from(w->chance, 0, w->p->field_count - 1);
    s->second = s->index;
    const field *a = &w->p->fields[s->index];
    for (int f = 0; f < w->p->field_count; f++) {
        const field *b = &w->p->fields[f];
        bool alike = f != s->index && is_alike(a, b);
        if (alike && chance_of(w->chance, 60)) s->second = f;
    }
}

/* Rotates three levels if there are three fields alike. */
static void generate_rotate(world *w, step *s)
{
    int alike[MAX_FIELDS], count = 0;
    s->index = chance_from(w->chance, 0, w->p->field_count - 1);
    const field *a = &w->p->fields[s->index];
    for (int f = 0; f < w->p->field_count; f++) {
        const field *b = &w->p->fields[f];
        if (f != s->index && is_alike(a, b)) alike[count++] = f;
    }
    s->kind = count < 2 ? STEP_END : STEP_ROTATE;
    if (count < 2) return;
    int first = chance_from(w->chance, 0, count - 1);
    s->second = alike[first];
    s->third = alike[(first + chance_from(w->chance, 1, count - 1)) % count];
}

static void generate_boundary(world *w, step *s)
{
    chance *c = w->chance;
    s->kind = STEP_BOUNDARY;
    s->index = chance_from(c, 0, w->p->field_count - 1);
    s->side = 2 * chance_from(c, 0, w->p->rank - 1);
    w->set[s->index] = false;
    if (!has_dimension(&w->p->fields[s->index], s->side / 2)) {
        s->kind = STEP_END;
        return;
    }
    bool periodic = chance_of(c, 20);
    for (int i = 0; i < 2; i++) {
        s->walls[i] = generate_wall(c, KATA_NONE, chance_from(c, -6, 6) * 0.5);
        if (periodic) s->walls[i].rule = KATA_PERIODIC;
        w->walls[s->index][s->side + i] = s->walls[i];
    }
}

static void generate_host_step(world *w, step *s, step_kind kind)
{
    bool scalar = kind == STEP_GET_SCALAR || kind == STEP_SET_SCALAR;
    int count = scalar ? w->p->scalar_count : w->p->field_count;
    s->kind = kind;
    s->index = chance_from(w->chance, 0, count - 1);
    s->range = generate_range(w->chance, w->p, scalar ? 0 : w->p->fields[s->index].level);
    if (!scalar && w->p->fields[s->index].temporary) s->kind = STEP_END;
    if (!scalar && !w->p->shiftable) {
        range inside;
        points_box(w->p, &w->p->fields[s->index], w->walls[s->index], true, &inside);
        if (kind == STEP_PUT && chance_of(w->chance, 50)) { /* all values */
            s->range.kind = RANGE_BOX;
            memcpy(s->range.lo, inside.lo, sizeof inside.lo);
            memcpy(s->range.hi, inside.hi, sizeof inside.hi);
        }
        clip_range(&s->range, &inside);
    }
    s->seed = chance_bits(w->chance) | 1;
    s->value = chance_from(w->chance, -4, 9);
    s->other_type = chance_of(w->chance, 15);
}

static bool do_meet(const range *a, const range *b)
{
    range both = *a;
    for (int d = 0; d < 3; d++) {
        both.lo[d] = a->lo[d] > b->lo[d] ? a->lo[d] : b->lo[d];
        both.hi[d] = a->hi[d] < b->hi[d] ? a->hi[d] : b->hi[d];
    }
    return !is_range_empty(&both);
}

static void generate_copy(world *w, step *s)
{
    range ends[2];
    s->kind = STEP_COPY;
    s->index = s->second = chance_from(w->chance, 0, w->p->field_count - 1);
    const field *to = &w->p->fields[s->index];
    for (int f = 0; f < w->p->field_count; f++) {
        const field *from = &w->p->fields[f];
        bool alike = from->type == to->type && from->components == to->components;
        if (alike && chance_of(w->chance, 50)) s->second = f;
    }
    bool set = !w->p->fields[s->second].temporary || w->set[s->second];
    for (int i = 0; i < 2; i++) {
        int f = i ? s->second : s->index;
        points_box(w->p, &w->p->fields[f], w->walls[f], true, &ends[i]);
    }
    generate_boxes(w->chance, &ends[0], &ends[1], s);
    bool onto_itself = s->second == s->index && do_meet(&s->range, &s->source);
    if (!set || onto_itself) s->kind = STEP_END;
}

static void generate_fill(world *w, step *s)
{
    s->kind = STEP_FILL;
    s->index = chance_from(w->chance, 0, w->p->field_count - 1);
    const field *f = &w->p->fields[s->index];
    const param written = {.kind = OUT, .count = f->components, .along = f->along};
    s->range = generate_range(w->chance, w->p, f->level);
    restrict_range(w->p, &written, f, w->walls[s->index], &s->range);
    s->value = chance_from(w->chance, 0, 3) * (is_floating(type_of_storage(f->type)) ? 0.5 : 1);
    note_set(w, s->index, &s->range);
}

/* A single integer that the kernel of a step finds; -1: none. A number might become NaN, which is
 * beyond no value. */
static int integer_found(const program *p, const step *s)
{
    if (s->kind != STEP_APPLY) return -1;
    const kernel *k = &p->kernels[s->kernel];
    for (int i = 0; i < k->param_count; i++) {
        int found = s->args[i].index;
        if (k->params[i].kind < SUM || k->params[i].kind > MAX || k->params[i].columns) continue;
        if (p->scalars[found].count == 1 && !is_floating(type_of_storage(p->scalars[found].type)))
            return found;
    }
    return -1;
}

static void generate_until(world *w, step *s, int scalar)
{
    chance *c = w->chance;
    *s = (step){.kind = STEP_UNTIL, .index = scalar, .above = chance_of(c, 50)};
    s->value = chance_of(c, 70) ? chance_from(c, -5, 40) : chance_from(c, -3000, 3000) + 0.5;
    s->most = chance_from(c, 1, 6);
    s->every = chance_from(c, 1, 4);
}

/* Values of temporaries move, and end with the step. */
static void follow_values(world *w, const step *s)
{
    if (s->kind == STEP_SWAP || s->kind == STEP_ROTATE) {
        bool first = w->set[s->index];
        w->set[s->index] = w->set[s->second];
        w->set[s->second] = s->kind == STEP_SWAP ? first : w->set[s->third];
        if (s->kind == STEP_ROTATE) w->set[s->third] = first;
    }
    for (int f = 0; f < MAX_FIELDS && s->kind == STEP_END; f++) w->set[f] = false;
}

static void generate_step(world *w, step *s, bool chatty)
{
    static const step_kind host[] = {STEP_GET, STEP_GET,        STEP_GET_SCALAR, STEP_PUT,
                                     STEP_PUT, STEP_SET_SCALAR, STEP_SET_SCALAR};
    int kind = chance_from(w->chance, 0, 99);
    if (kind < 7)
        generate_swap(w, s);
    else if (kind < 11)
        generate_rotate(w, s);
    else if (kind < 17 && !w->p->shiftable)
        generate_boundary(w, s);
    else if (kind < 21 && !w->p->shiftable)
        generate_copy(w, s);
    else if (kind < 24)
        generate_fill(w, s);
    else if (kind < 28 && !w->p->shiftable)
        generate_sparse(w, s);
    else if (kind < 38 && chatty)
        generate_host_step(w, s, CHANCE_PICK(w->chance, host));
    else
        generate_apply(w, s);
    follow_values(w, s);
}

void generate_steps(chance *c, program *p, bool chatty)
{
    world w = {.chance = c, .p = p};
    int64_t points = program_size(p, 1, 0) * program_size(p, 1, 1) * program_size(p, 1, 2);
    for (int f = 0; f < p->field_count; f++)
        for (int side = 0; side < 6; side++) w.walls[f][side] = p->fields[f].walls[side];
    p->step_count = chance_of(c, 20) ? chance_from(c, 1, 30) : chance_from(c, 2, 12);
    if (points > 3000 && p->step_count > 5) p->step_count = 5;
    for (int i = 0; i < p->step_count; i++) {
        int found = i > 0 && chatty ? integer_found(p, &p->steps[i - 1]) : -1;
        if (found >= 0 && chance_of(c, 50))
            generate_until(&w, &p->steps[i], found);
        else
            generate_step(&w, &p->steps[i], chatty);
    }
}
