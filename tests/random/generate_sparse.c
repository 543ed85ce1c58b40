/* Points between grid points: values added to a field there, or its values taken. */
#include "generate.h"

static bool is_full(const program *p, const field *f)
{
    if (f->temporary || !is_floating(type_of_storage(f->type))) return false;
    for (int d = 0; d < p->rank; d++)
        if (!has_dimension(f, d)) return false;
    return true;
}

/* A field with values at all its points; -1: the one that was drawn is not. */
static int draw_field(const world *w)
{
    const int f = chance_from(w->chance, 0, w->p->field_count - 1);
    return is_full(w->p, &w->p->fields[f]) ? f : -1;
}

/* A scalar with an element for each of some points. */
static int draw_scalar(const world *w)
{
    const int s = chance_from(w->chance, 0, w->p->scalar_count - 1);
    return is_floating(type_of_storage(w->p->scalars[s].type)) ? s : -1;
}

/* A field of the same points with one component; -1: none. */
static int draw_scale(const world *w, const step *s)
{
    const field *f = &w->p->fields[s->index];
    const int other = chance_of(w->chance, 60) ? draw_field(w) : -1;
    if (other < 0 || other == s->index) return -1;
    const field *scale = &w->p->fields[other];
    range points, others;
    points_box(w->p, f, w->walls[s->index], false, &points);
    points_box(w->p, scale, w->walls[other], false, &others);
    const bool fits = scale->level == f->level && is_same_box(&points, &others);
    return fits && scale->components == 1 ? other : -1;
}

/* Some of them at grid points, and some at the place of another. */
static void draw_places(const world *w, const range *all, step *s)
{
    for (int i = 0; i < s->points; i++)
        for (int d = 0; d < 3; d++) {
            const double last = (double)(all->hi[d] - all->lo[d] - 1), edge = s->reach;
            double at = edge + (last - 2 * edge) * chance_fraction(w->chance);
            if (chance_of(w->chance, 20)) at = (double)(int64_t)at;
            s->at[i][d] = i && chance_of(w->chance, 25) ? s->at[i - 1][d] : at;
        }
}

void generate_sparse(world *w, step *s)
{
    range all;
    s->kind = chance_of(w->chance, 50) ? STEP_INJECT : STEP_RECORD;
    s->index = draw_field(w);
    s->second = s->kind == STEP_RECORD || chance_of(w->chance, 40) ? draw_scalar(w) : -1;
    if (s->index < 0 || (s->kind == STEP_RECORD && s->second < 0)) {
        s->kind = STEP_END;
        return;
    }
    const field *f = &w->p->fields[s->index];
    s->points = s->second >= 0 ? w->p->scalars[s->second].count : chance_from(w->chance, 1, 3);
    s->component = chance_from(w->chance, 0, f->components - 1);
    s->third = draw_scale(w, s);
    points_box(w->p, f, w->walls[s->index], false, &all);
    s->reach = chance_from(w->chance, 0, 2);
    for (int d = 0; d < w->p->rank; d++)
        if (all.hi[d] < 2 * s->reach + 2) s->reach = 0;
    draw_places(w, &all, s);
    for (int i = 0; i < s->points; i++) s->values[i] = chance_from(w->chance, -8, 8) / 4.0;
}
