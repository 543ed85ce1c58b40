/* Private to grid: meshes being completed. mesh.c has the order of things, mesh_derive.c makes
 * tables of others, mesh_check.c finds faults. */
#ifndef GRID_MESH_H
#define GRID_MESH_H

#include "grid/grid.h"

enum { CELL, EDGE, VERTEX, KINDS };

typedef struct mesh_work {
    grid_mesh *mesh;
    arena *memory;
    messages *m;
} mesh_work;

static inline const grid_relation *mesh_relation(const mesh_work *w, int from, int to)
{
    return &w->mesh->relation[from][to];
}
static inline bool mesh_has(const mesh_work *w, int from, int to)
{
    return w->mesh->relation[from][to].of;
}
/* The neighbour in a slot; -1: none. */
static inline int32_t mesh_at(const grid_relation *r, int64_t element, int slot)
{
    return r->of[element * r->width + slot];
}
/* The slot of a neighbour; -1: it is none. */
static inline int mesh_slot_of(const grid_relation *r, int64_t element, int32_t neighbour)
{
    int slot = 0;
    while (slot < r->width && mesh_at(r, element, slot) != neighbour) slot++;
    return slot < r->width ? slot : -1;
}
/* The slots of a row before those that are empty up to its end. */
static inline int mesh_length(const grid_relation *r, int64_t element)
{
    int length = r->width;
    while (length && mesh_at(r, element, length - 1) < 0) length--;
    return length;
}

/* ---- mesh_rows.c ----------------------------------------------------------------------------- */

/* The edge of a cell that joins two vertices; -1: none does. */
int32_t mesh_joining(const mesh_work *w, int64_t cell, int32_t a, int32_t b);

/* ---- mesh_derive.c: each makes a table of others, in `memory`; the status is of memory and of
 * faults found on the way ---- */

/* All tables that are not known and can be made. */
kata_status mesh_derive(mesh_work *w);

/* ---- mesh_check.c ---------------------------------------------------------------------------- */

/* Whether a table's entries are elements, and none is there twice. */
kata_status mesh_check_table(mesh_work *w, int from, int to);
/* Whether tables say the same of elements and the way back, and the edges of a cell close it. */
kata_status mesh_check_whole(mesh_work *w);
/* Begins "where: table, cell 7, slot 2: "; message_send ends it. */
kata_status mesh_fault(mesh_work *w, int from, int to, int64_t element, int slot,
                       const char *format, ...) PRINTF_LIKE(6, 7);

#endif
