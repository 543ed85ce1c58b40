/* Places for the elements of a mesh, so that neighbours lie near each other in memory.
 *
 * The elements of one kind are met in breadth, ring after ring around a first one (E. Cuthill and
 * J. McKee, Reducing the bandwidth of sparse symmetric matrices, Proceedings of the 24th national
 * conference of the ACM, 1969); the last that is met lies at a rim and is where the rings begin.
 * The other kinds follow: each element lies in the order in which those of the first kind meet it.
 * Elements that nothing leads to keep their order, behind the others. */
#include "grid/mesh.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that were met, in this order, and where each of them is; -1: it was not. */
typedef struct met {
    int32_t *number, *place;
    int64_t count, all;
} met;

static bool met_make(met *t, int64_t all, arena *memory)
{
    *t = (met){.all = all};
    t->number = arena_array(memory, (size_t)all + 1, sizeof *t->number);
    t->place = arena_array(memory, (size_t)all + 1, sizeof *t->place);
    return t->number && t->place;
}

static void met_clear(met *t)
{
    memset(t->place, -1, (size_t)t->all * sizeof *t->place);
    t->count = 0;
}

static void meet(met *t, int64_t element)
{
    if (element < 0 || t->place[element] >= 0) return;
    t->place[element] = (int32_t)t->count;
    t->number[t->count++] = (int32_t)element;
}

static void meet_row(met *t, const grid_relation *r, int64_t element)
{
    for (int slot = 0; slot < r->width; slot++) meet(t, mesh_at(r, element, slot));
}

/* ---- the first kind -------------------------------------------------------------------------- */

/* How neighbours of the same kind are found: by a table of their own, or by way of another kind. */
typedef struct way {
    const grid_relation *there, *back; /* back: NULL, or from what `there` leads to */
} way;

static bool find_way(const grid_mesh *mesh, int kind, way *w)
{
    *w = (way){&mesh->relation[kind][kind], NULL};
    if (w->there->of) return true;
    for (int by = CELL; by < KINDS; by++) {
        *w = (way){&mesh->relation[kind][by], &mesh->relation[by][kind]};
        if (w->there->of && w->back->of) return true;
    }
    return false;
}

static void meet_neighbours(met *t, const way *w, int64_t element)
{
    if (!w->back) {
        meet_row(t, w->there, element);
        return;
    }
    for (int slot = 0; slot < w->there->width; slot++) {
        int32_t between = mesh_at(w->there, element, slot);
        if (between >= 0) meet_row(t, w->back, between);
    }
}

static void meet_rings(met *t, const way *w, int64_t first)
{
    met_clear(t);
    meet(t, first);
    for (int64_t done = 0, next = 0; t->count < t->all || done < t->count; done++) {
        while (done == t->count) meet(t, next++);
        meet_neighbours(t, w, t->number[done]);
    }
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static void follow(met *t, const met *leader, const grid_relation *r)
{
    met_clear(t);
    for (int64_t i = 0; i < leader->count; i++) meet_row(t, r, leader->number[i]);
    for (int64_t i = 0; i < t->all; i++) meet(t, i);
}

static void stay(met *t)
{
    met_clear(t);
    for (int64_t i = 0; i < t->all; i++) meet(t, i);
}

/* The kinds of which elements are known, in the order in which they follow each other. */
static void meet_all(const grid_mesh *mesh, met of[KINDS])
{
    static const int order[KINDS] = {CELL, VERTEX, EDGE};
    bool known[KINDS] = {false};
    for (int i = 0; i < KINDS; i++) {
        int kind = order[i], leader = 0;
        const grid_relation *r = NULL;
        way w;
        for (int k = 0; k < KINDS && !r; k++)
            if (known[k] && mesh->relation[k][kind].of) r = &mesh->relation[leader = k][kind];
        known[kind] = r || find_way(mesh, kind, &w);
        if (r) {
            follow(&of[kind], &of[leader], r);
        } else if (known[kind] && of[kind].all) {
            meet_rings(&of[kind], &w, 0);
            meet_rings(&of[kind], &w, of[kind].number[of[kind].all - 1]);
        } else {
            stay(&of[kind]);
        }
    }
}

/* ---- whether it is better -------------------------------------------------------------------- */

static double fraction(const met *t, int64_t element)
{
    return (double)(t ? t->place[element] : element);
}

/* How far apart neighbours lie on average, as elements of the row's kind; of: NULL: by number. */
static double distance(const grid_mesh *mesh, const met *of)
{
    double sum = 0, links = 0;
    for (int i = 0; i < KINDS * KINDS; i++) {
        int from = i / KINDS, to = i % KINDS;
        const grid_relation *r = &mesh->relation[from][to];
        double scale = (double)mesh->count[to] / (double)mesh->count[from];
        for (int64_t e = 0; r->of && e < mesh->count[from] * r->width; e++) {
            if (r->of[e] < 0) continue;
            double here = fraction(of ? &of[from] : NULL, e / r->width) * scale;
            double apart = here - fraction(of ? &of[to] : NULL, r->of[e]);
            sum += apart < 0 ? -apart : apart;
            links++;
        }
    }
    return links ? sum / links : 0;
}

static bool is_better(const grid_mesh *mesh, const met of[KINDS])
{
    enum { TIMES = 2 }; /* what lies that much nearer is worth the trouble */
    return distance(mesh, NULL) > TIMES * distance(mesh, of);
}

kata_status grid_mesh_find_places(const grid_mesh *mesh, grid_nearness nearness,
                                  grid_places places[3], arena *memory, messages *m)
{
    met of[KINDS];
    memset(places, 0, KINDS * sizeof *places);
    for (int kind = 0; kind < KINDS; kind++)
        if (!met_make(&of[kind], mesh->count[kind], memory)) return message_no_memory(m);
    meet_all(mesh, of);
    if (nearness == GRID_NEAR_IF_BETTER && !is_better(mesh, of)) return KATA_OK;
    for (int kind = 0; kind < KINDS; kind++)
        places[kind] = (grid_places){of[kind].place, of[kind].number};
    return KATA_OK;
}

/* ---- the mesh by places ---------------------------------------------------------------------- */

static int64_t at(const int32_t *of, int64_t i) { return of ? of[i] : i; }

static int32_t *place_table(const grid_relation *r, int64_t count, const grid_places *from,
                            const grid_places *to, arena *memory)
{
    int32_t *of = arena_array(memory, (size_t)(count * r->width) + 1, sizeof *of);
    for (int64_t place = 0; of && place < count; place++)
        for (int slot = 0; slot < r->width; slot++) {
            int32_t neighbour = mesh_at(r, at(from->number, place), slot);
            of[place * r->width + slot] =
                neighbour < 0 ? neighbour : (int32_t)at(to->place, neighbour);
        }
    return of;
}

kata_status grid_mesh_place(const grid_mesh *mesh, const grid_places places[3], grid_mesh *placed,
                            arena *memory, messages *m)
{
    *placed = *mesh;
    memcpy(placed->places, places, sizeof placed->places);
    for (int i = 0; i < KINDS * KINDS; i++) {
        int from = i / KINDS, to = i % KINDS;
        grid_relation *r = &placed->relation[from][to];
        if (!r->of) continue;
        r->of = place_table(r, mesh->count[from], &places[from], &places[to], memory);
        if (!r->of) return message_no_memory(m);
    }
    return KATA_OK;
}
