/* Faults of meshes, each told by its table, element and slot. */
#include "grid/mesh.h"

#include "ir/ir.h"

#include <stdarg.h>
#include <stdio.h>

static const char *one(int kind) { return ir_location_name(KATA_CELLS + kind, false); }
static const char *many(int kind) { return ir_location_name(KATA_CELLS + kind, true); }

kata_status mesh_fault(mesh_work *w, int from, int to, int64_t element, int slot,
                       const char *format, ...)
{
    char what[400];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return message_fail(w->m, KATA_ERROR_ARGUMENT, "%s: %s, %s %lld, slot %d: %s", w->mesh->where,
                        w->mesh->name[from][to], one(from), (long long)element, slot, what);
}

/* ---- one table ------------------------------------------------------------------------------- */

static kata_status check_entry(mesh_work *w, int from, int to, int64_t element, int slot)
{
    const grid_relation *r = mesh_relation(w, from, to);
    int32_t neighbour = mesh_at(r, element, slot);
    int64_t count = w->mesh->count[to];
    if (neighbour == -1 && from == EDGE && to == VERTEX)
        return mesh_fault(w, from, to, element, slot, "an edge has two vertices");
    if (neighbour >= -1 && neighbour < count) {
        int first = neighbour < 0 || from == to ? slot : mesh_slot_of(r, element, neighbour);
        if (first == slot) return KATA_OK;
        return mesh_fault(w, from, to, element, slot, "%s %d is there already, in slot %d", one(to),
                          (int)neighbour, first);
    }
    if (neighbour < 0)
        return mesh_fault(w, from, to, element, slot,
                          "%d is no %s: they count from 0, and -1 is none", (int)neighbour,
                          one(to));
    return mesh_fault(w, from, to, element, slot, "there is no %s %d: the mesh has %lld, from 0 on",
                      one(to), (int)neighbour, (long long)count);
}

kata_status mesh_check_table(mesh_work *w, int from, int to)
{
    const grid_relation *r = mesh_relation(w, from, to);
    bool of_edge = from == EDGE && to != EDGE;
    if (r->width < 1 || r->width > GRID_WIDEST)
        return message_fail(w->m, KATA_ERROR_ARGUMENT,
                            "%s: %s has %d slots for each %s; they are 1 to %d", w->mesh->where,
                            w->mesh->name[from][to], r->width, one(from), GRID_WIDEST);
    if (of_edge && r->width != 2)
        return message_fail(w->m, KATA_ERROR_ARGUMENT,
                            "%s: %s has %d slots; an edge has two %s, of which -1 may be one",
                            w->mesh->where, w->mesh->name[from][to], r->width, many(to));
    if (!w->mesh->count[from] || !w->mesh->count[to])
        return message_fail(w->m, KATA_ERROR_ARGUMENT,
                            "%s: %s is given, and the number of %s is not", w->mesh->where,
                            w->mesh->name[from][to], many(w->mesh->count[from] ? to : from));
    kata_status status = KATA_OK;
    for (int64_t i = 0; i < w->mesh->count[from] && !status; i++)
        for (int slot = 0; slot < r->width && !status; slot++)
            status = check_entry(w, from, to, i, slot);
    return status;
}

/* ---- there and back -------------------------------------------------------------------------- */

static kata_status check_way_back(mesh_work *w, int from, int to)
{
    const grid_relation *r = mesh_relation(w, from, to), *back = mesh_relation(w, to, from);
    for (int64_t i = 0; i < w->mesh->count[from]; i++)
        for (int slot = 0; slot < r->width; slot++) {
            int32_t neighbour = mesh_at(r, i, slot);
            if (neighbour < 0 || mesh_slot_of(back, neighbour, (int32_t)i) >= 0) continue;
            return mesh_fault(w, from, to, i, slot, "%s %d is not in the row of %s %d in %s",
                              one(from), (int)i, one(to), (int)neighbour, w->mesh->name[to][from]);
        }
    return KATA_OK;
}

static kata_status check_duals(mesh_work *w)
{
    kata_status status = KATA_OK;
    for (int from = 0; from < KINDS; from++)
        for (int to = 0; to < KINDS && !status; to++)
            if (from != to && mesh_has(w, from, to) && mesh_has(w, to, from))
                status = check_way_back(w, from, to);
    return status;
}

/* ---- around a cell --------------------------------------------------------------------------- */

/* Of each edge, the first cell found whose vertices run along it, and -1 or 1 for the way. */
typedef struct run_along {
    int32_t cell;
    int way;
} run_along;

static kata_status check_side(mesh_work *w, run_along *before, int64_t cell, int slot, int32_t next)
{
    int32_t vertex = mesh_at(mesh_relation(w, CELL, VERTEX), cell, slot);
    int32_t edge = mesh_joining(w, cell, vertex, next);
    if (edge < 0)
        return mesh_fault(w, CELL, VERTEX, cell, slot,
                          "no edge of the cell leads from vertex %d to the next, %d", (int)vertex,
                          (int)next);
    int way = mesh_at(mesh_relation(w, EDGE, VERTEX), edge, 0) == vertex ? 1 : -1;
    if (!before[edge].way) {
        before[edge] = (run_along){(int32_t)cell, way};
        return KATA_OK;
    }
    if (before[edge].way != way) return KATA_OK;
    return mesh_fault(w, CELL, VERTEX, cell, slot,
                      "its vertices run along edge %d the same way as those of cell %d: one of the "
                      "two goes around clockwise, the other does not",
                      (int)edge, (int)before[edge].cell);
}

static kata_status check_around(mesh_work *w)
{
    bool known = mesh_has(w, CELL, VERTEX) && mesh_has(w, CELL, EDGE) && mesh_has(w, EDGE, VERTEX);
    if (!known || mesh_relation(w, CELL, VERTEX)->loose) return KATA_OK;
    arena memory = {0};
    run_along *before = arena_array(&memory, (size_t)w->mesh->count[EDGE] + 1, sizeof *before);
    kata_status status = before ? KATA_OK : message_no_memory(w->m);
    const grid_relation *r = mesh_relation(w, CELL, VERTEX);
    for (int64_t cell = 0; cell < w->mesh->count[CELL] && !status; cell++) {
        int length = mesh_length(r, cell);
        for (int slot = 0; slot < length && !status; slot++)
            status = check_side(w, before, cell, slot,
                                mesh_at(r, cell, slot + 1 < length ? slot + 1 : 0));
    }
    arena_free(&memory);
    return status;
}

kata_status mesh_check_whole(mesh_work *w)
{
    kata_status status = KATA_OK;
    for (int from = 0; from < KINDS; from++)
        for (int to = 0; to < KINDS && !status; to++)
            if (mesh_has(w, from, to)) status = mesh_check_table(w, from, to);
    if (!status) status = check_duals(w);
    return status ? status : check_around(w);
}
