/* Tables of a mesh, made of others.
 *
 *   edges (where there are none), cell_edges and edge_vertices of cell_vertices: edge k of a cell
 *       leads from its vertex k to the next, and edges are numbered as they are met
 *   cell_vertices of cell_edges and edge_vertices: edge k leads from vertex k to the next
 *   the way back of a table: ascending; but edge_cells have the cell first whose vertices run along
 *       the edge as the edge's do, which lies to the left if cells go around anticlockwise
 *   vertex_vertices: the other ends of vertex_edges; cell_cells: across cell_edges
 *   edge_edges: those of the first cell, then those of the second, without the edge itself
 *
 * Slots without a neighbour stand at the end of a row, but in tables made slot by slot, where they
 * stand where the neighbour would be. */
#include "grid/mesh.h"

#include <stdlib.h>
#include <string.h>

/* A new table of -1, known from here on. NULL, reported, when memory is out. */
static int32_t *begin(mesh_work *w, int from, int to, int width)
{
    size_t count = (size_t)w->mesh->count[from] * (size_t)(width ? width : 1);
    int32_t *of = arena_array(w->memory, count + 1, sizeof *of);
    if (!of) {
        message_no_memory(w->m);
        return NULL;
    }
    memset(of, -1, count * sizeof *of);
    w->mesh->relation[from][to] = (grid_relation){.width = width ? width : 1, .of = of};
    return of;
}

/* ---- the way back ---------------------------------------------------------------------------- */

/* How often elements are neighbours, at most. */
static int find_width(const grid_relation *r, int64_t rows, int32_t *times, int64_t count)
{
    int width = 0;
    memset(times, 0, (size_t)count * sizeof *times);
    for (int64_t i = 0; i < rows * r->width; i++)
        if (r->of[i] >= 0 && ++times[r->of[i]] > width) width = times[r->of[i]];
    return width;
}

static kata_status too_many(mesh_work *w, int from, int to, const int32_t *times, int width)
{
    int64_t element = 0;
    while (times[element] < width) element++;
    return mesh_fault(w, from, to, element, 0, "it would have %d neighbours; %d are most", width,
                      from == EDGE ? 2 : GRID_WIDEST);
}

static kata_status make_back(mesh_work *w, int from, int to)
{
    const grid_relation given = *mesh_relation(w, to, from);
    int64_t count = w->mesh->count[from], rows = w->mesh->count[to];
    int32_t *times = malloc((size_t)(count + 1) * sizeof *times);
    if (!times) return message_no_memory(w->m);
    int width = find_width(&given, rows, times, count);
    kata_status status = KATA_OK;
    if (width > (from == EDGE ? 2 : GRID_WIDEST)) status = too_many(w, from, to, times, width);
    if (from == EDGE) width = 2;
    int32_t *of = status ? NULL : begin(w, from, to, width);
    memset(times, 0, (size_t)count * sizeof *times);
    for (int64_t i = 0; of && i < rows * given.width; i++) {
        int32_t element = given.of[i];
        if (element >= 0)
            of[(int64_t)element * width + times[element]++] = (int32_t)(i / given.width);
    }
    if (of) w->mesh->relation[from][to].loose = from == CELL;
    free(times);
    return of ? KATA_OK : w->m->status;
}

/* ---- edges of cells by their vertices -------------------------------------------------------- */

/* Edges found so far, by their smaller vertex: a list for each. */
typedef struct edge_list {
    int32_t *first, *next; /* by vertex, and by edge; -1 ends */
    int32_t *ends;         /* two of each edge */
    int64_t count;
} edge_list;

static int32_t find_edge(const edge_list *l, int32_t a, int32_t b)
{
    int32_t e = l->first[a < b ? a : b];
    while (e >= 0 && !(l->ends[2 * e] == a && l->ends[2 * e + 1] == b) &&
           !(l->ends[2 * e] == b && l->ends[2 * e + 1] == a))
        e = l->next[e];
    return e;
}

static int32_t add_edge(edge_list *l, int32_t a, int32_t b)
{
    int32_t e = (int32_t)l->count++, low = a < b ? a : b;
    l->ends[2 * e] = a;
    l->ends[2 * e + 1] = b;
    l->next[e] = l->first[low];
    l->first[low] = e;
    return e;
}

/* Calls for each side of each cell, from a vertex to the next. */
static kata_status find_sides(mesh_work *w, edge_list *l, bool makes, int32_t *cell_edges)
{
    const grid_relation *r = mesh_relation(w, CELL, VERTEX);
    for (int64_t cell = 0; cell < w->mesh->count[CELL]; cell++) {
        int length = mesh_length(r, cell);
        if (length < 3)
            return mesh_fault(w, CELL, VERTEX, cell, length, "a cell has three vertices or more");
        for (int slot = 0; slot < length; slot++) {
            int32_t a = mesh_at(r, cell, slot), b = mesh_at(r, cell, (slot + 1) % length);
            if (a < 0 || b < 0)
                return mesh_fault(w, CELL, VERTEX, cell, a < 0 ? slot : (slot + 1) % length,
                                  "there is none, but in a slot behind it: -1 stands at the end");
            int32_t edge = find_edge(l, a, b);
            if (edge < 0 && makes) edge = add_edge(l, a, b);
            if (edge < 0)
                return mesh_fault(w, CELL, VERTEX, cell, slot,
                                  "no edge leads from vertex %d to the next, %d", (int)a, (int)b);
            cell_edges[cell * r->width + slot] = edge;
        }
    }
    return KATA_OK;
}

static bool make_list(mesh_work *w, edge_list *l, int64_t most)
{
    size_t vertices = (size_t)w->mesh->count[VERTEX];
    l->first = malloc((vertices + 1) * sizeof *l->first);
    l->next = malloc((size_t)(most + 1) * sizeof *l->next);
    l->ends = malloc((size_t)(most + 1) * 2 * sizeof *l->ends);
    if (l->first) memset(l->first, -1, vertices * sizeof *l->first);
    return l->first && l->next && l->ends;
}

static void free_list(edge_list *l)
{
    free(l->first);
    free(l->next);
    free(l->ends);
}

/* Those of cell_vertices, with numbers of their own. */
static kata_status make_edges(mesh_work *w)
{
    const grid_relation *r = mesh_relation(w, CELL, VERTEX);
    int64_t most = w->mesh->count[CELL] * r->width;
    edge_list l = {0};
    int32_t *cell_edges = begin(w, CELL, EDGE, r->width);
    kata_status status = !cell_edges              ? w->m->status
                         : make_list(w, &l, most) ? KATA_OK
                                                  : message_no_memory(w->m);
    if (!status) status = find_sides(w, &l, true, cell_edges);
    w->mesh->count[EDGE] = l.count;
    int32_t *ends = status ? NULL : begin(w, EDGE, VERTEX, 2);
    if (ends && l.ends) memcpy(ends, l.ends, (size_t)l.count * 2 * sizeof *ends);
    free_list(&l);
    return w->m->status;
}

/* Those of cell_vertices, with the numbers of edge_vertices. */
static kata_status make_cell_edges(mesh_work *w)
{
    const grid_relation *ends = mesh_relation(w, EDGE, VERTEX);
    edge_list l = {0};
    int32_t *of = begin(w, CELL, EDGE, mesh_relation(w, CELL, VERTEX)->width);
    bool room = of && make_list(w, &l, w->mesh->count[EDGE]);
    if (of && !room) message_no_memory(w->m);
    for (int64_t e = 0; room && e < w->mesh->count[EDGE]; e++) {
        int32_t a = mesh_at(ends, e, 0), b = mesh_at(ends, e, 1);
        if (a >= 0 && b >= 0)
            add_edge(&l, a, b);
        else
            mesh_fault(w, EDGE, VERTEX, e, a < 0 ? 0 : 1, "an edge has two vertices");
        if (w->m->status) break;
    }
    if (room && !w->m->status) find_sides(w, &l, false, of);
    free_list(&l);
    return w->m->status;
}

/* ---- vertices of cells by their edges -------------------------------------------------------- */

/* The vertex that two edges have in common, other than `not`; -1: none. */
static int32_t common_vertex(const grid_relation *ends, int32_t a, int32_t b, int32_t not )
{
    for (int i = 0; i < 2; i++) {
        int32_t v = mesh_at(ends, a, i);
        if (v != not &&v >= 0 && mesh_slot_of(ends, b, v) >= 0) return v;
    }
    return -1;
}

static kata_status make_cell_vertices(mesh_work *w)
{
    const grid_relation *edges = mesh_relation(w, CELL, EDGE),
                        *ends = mesh_relation(w, EDGE, VERTEX);
    int32_t *of = begin(w, CELL, VERTEX, edges->width);
    if (of) w->mesh->relation[CELL][VERTEX].loose = edges->loose;
    for (int64_t cell = 0; of && cell < w->mesh->count[CELL]; cell++) {
        int length = mesh_length(edges, cell);
        int32_t before = -1;
        for (int slot = 0; slot < length; slot++) {
            int32_t here = mesh_at(edges, cell, slot);
            int32_t last = mesh_at(edges, cell, slot ? slot - 1 : length - 1);
            int32_t v = here < 0 || last < 0 ? -1 : common_vertex(ends, last, here, before);
            if (v < 0)
                return mesh_fault(w, CELL, EDGE, cell, slot,
                                  "edges %d and %d have no vertex in common: the edges of a cell "
                                  "go around it",
                                  (int)last, (int)here);
            of[cell * edges->width + slot] = before = v;
        }
    }
    return w->m->status;
}

/* ---- slot by slot ---------------------------------------------------------------------------- */

/* The neighbour of the same kind in slot k lies beyond that of the kind between in slot k. */
static kata_status make_across(mesh_work *w, int kind)
{
    const grid_relation *r = mesh_relation(w, kind, EDGE), *back = mesh_relation(w, EDGE, kind);
    int32_t *of = begin(w, kind, kind, r->width);
    for (int64_t i = 0; of && i < w->mesh->count[kind]; i++)
        for (int slot = 0; slot < r->width; slot++) {
            int32_t edge = mesh_at(r, i, slot);
            if (edge < 0) continue;
            of[i * r->width + slot] = mesh_at(back, edge, mesh_at(back, edge, 0) == i);
        }
    return w->m->status;
}

static kata_status make_edge_edges(mesh_work *w)
{
    const grid_relation *cells = mesh_relation(w, EDGE, CELL),
                        *edges = mesh_relation(w, CELL, EDGE);
    int width = 2 * (edges->width - 1);
    if (width > GRID_WIDEST) return KATA_OK;
    int32_t *of = begin(w, EDGE, EDGE, width);
    for (int64_t e = 0; of && e < w->mesh->count[EDGE]; e++)
        for (int side = 0, at = 0; side < 2; side++) {
            int32_t cell = mesh_at(cells, e, side);
            for (int slot = 0; cell >= 0 && slot < edges->width; slot++) {
                int32_t other = mesh_at(edges, cell, slot);
                if (other >= 0 && other != e) of[e * width + at++] = other;
            }
        }
    return w->m->status;
}

/* ---- left and right -------------------------------------------------------------------------- */

/* Puts the cell to the left of each edge first; a slot may be empty. */
static void turn_edge_cells(mesh_work *w, int32_t *edge_cells)
{
    const grid_relation *r = mesh_relation(w, CELL, VERTEX), *ends = mesh_relation(w, EDGE, VERTEX);
    for (int64_t cell = 0; cell < w->mesh->count[CELL]; cell++) {
        int length = mesh_length(r, cell);
        for (int slot = 0; slot < length; slot++) {
            int32_t a = mesh_at(r, cell, slot), b = mesh_at(r, cell, (slot + 1) % length);
            int32_t edge = mesh_joining(w, cell, a, b);
            if (edge < 0) continue;
            int32_t *pair = edge_cells + 2 * (int64_t)edge;
            int wanted = mesh_at(ends, edge, 0) == a ? 0 : 1;
            if (pair[wanted] == cell) continue;
            int32_t other = pair[wanted];
            pair[wanted] = pair[1 - wanted];
            pair[1 - wanted] = other;
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool lacks(const mesh_work *w, int from, int to)
{
    return !mesh_has(w, from, to) && w->mesh->count[from] && w->mesh->count[to];
}

enum { OF_CORNERS = 4, PAIRS = 6 };

/* Of the pairs from a first one on. */
static kata_status make_backs(mesh_work *w, int first, int end)
{
    static const int pairs[PAIRS][2] = {{EDGE, VERTEX}, {VERTEX, EDGE}, {CELL, EDGE},
                                        {EDGE, CELL},   {CELL, VERTEX}, {VERTEX, CELL}};
    kata_status status = KATA_OK;
    for (int i = first; i < end && !status; i++)
        if (lacks(w, pairs[i][0], pairs[i][1]) && mesh_has(w, pairs[i][1], pairs[i][0]))
            status = make_back(w, pairs[i][0], pairs[i][1]);
    return status;
}

/* What goes around a cell, which the way back does not tell. `in_order`: cell_edges do; `vertices`:
 * cell_vertices do. */
static kata_status make_around(mesh_work *w, bool in_order, bool vertices)
{
    bool edges = mesh_has(w, CELL, EDGE);
    bool ends = mesh_has(w, EDGE, VERTEX);
    if (vertices && !w->mesh->count[EDGE]) return make_edges(w);
    if (vertices && ends && lacks(w, CELL, EDGE) && !mesh_has(w, EDGE, CELL))
        return make_cell_edges(w);
    bool go_around = edges && (in_order || mesh_relation(w, CELL, EDGE)->width == 3);
    return go_around && ends && lacks(w, CELL, VERTEX) ? make_cell_vertices(w) : KATA_OK;
}

kata_status mesh_derive(mesh_work *w)
{
    bool in_order = mesh_has(w, CELL, EDGE), given = mesh_has(w, EDGE, CELL);
    const bool vertices = mesh_has(w, CELL, VERTEX);
    kata_status status = make_around(w, in_order, vertices);
    if (!status) status = make_backs(w, 0, OF_CORNERS); /* triangles follow from their edges */
    if (!status) status = make_around(w, in_order, vertices);
    if (!status) status = make_backs(w, OF_CORNERS, PAIRS);
    if (!status) status = make_around(w, in_order, vertices);
    if (!status) status = make_backs(w, 0, PAIRS);
    bool around = mesh_has(w, CELL, VERTEX) && mesh_has(w, CELL, EDGE) && mesh_has(w, EDGE, VERTEX);
    if (!status && around && !given && !mesh_relation(w, CELL, VERTEX)->loose)
        turn_edge_cells(w, (int32_t *)mesh_relation(w, EDGE, CELL)->of);
    for (int kind = CELL; kind <= VERTEX && !status; kind += VERTEX)
        if (lacks(w, kind, kind) && mesh_has(w, kind, EDGE) && mesh_has(w, EDGE, kind))
            status = make_across(w, kind);
    if (!status && lacks(w, EDGE, EDGE) && mesh_has(w, EDGE, CELL) && mesh_has(w, CELL, EDGE))
        status = make_edge_edges(w);
    return status;
}
