/* The sphere: an icosahedron whose triangles are cut into smaller ones, all corners pushed to the
 * sphere.
 *
 * Poles lie on the axis of z, the upper five vertices at longitudes 0, 72, ... degrees, the lower
 * five at 36, 108, ... A cut keeps the vertices, then adds those on edges, then those in cells. At
 * the end all are numbered anew, so that neighbours lie near each other. */
#include "grid/mesh.h"

#include <math.h>
#include <string.h>

enum { CORNERS = 12, FACES = 20 };

static void set(double *at, double x, double y, double z)
{
    double length = sqrt(x * x + y * y + z * z);
    at[0] = x / length;
    at[1] = y / length;
    at[2] = z / length;
}

static void make_corners(double *at)
{
    const double turn = acos(-1) / 5;
    set(at, 0, 0, 1);
    for (int m = 0; m < 5; m++) {
        set(at + 3 * (1 + m), cos(2 * m * turn), sin(2 * m * turn), 0.5);
        set(at + 3 * (6 + m), cos((2 * m + 1) * turn), sin((2 * m + 1) * turn), -0.5);
    }
    set(at + 33, 0, 0, -1);
}

static void make_faces(int32_t *of)
{
    for (int32_t m = 0; m < 5; m++) {
        const int32_t up = 1 + m, next = 1 + (m + 1) % 5, low = 6 + m, beside = 6 + (m + 1) % 5;
        const int32_t faces[4][3] = {
            {0, up, next}, {up, low, next}, {low, beside, next}, {11, beside, low}};
        for (int f = 0; f < 4; f++) memcpy(of + 3 * (5 * f + m), faces[f], sizeof faces[f]);
    }
}

/* A mesh of triangles and where its vertices lie. */
typedef struct sphere {
    grid_mesh mesh;
    double *at;
} sphere;

static bool make(sphere *s, int64_t cells, int64_t vertices, int32_t **of, arena *memory)
{
    *s = (sphere){0};
    *of = arena_array(memory, (size_t)cells * 3, sizeof **of);
    s->at = arena_array(memory, (size_t)vertices * 3, sizeof *s->at);
    s->mesh.count[CELL] = cells;
    s->mesh.count[VERTEX] = vertices;
    s->mesh.relation[CELL][VERTEX] = (grid_relation){.width = 3, .of = *of};
    return *of && s->at;
}

/* ---- cuts ------------------------------------------------------------------------------------ */

/* A triangle being cut into n parts along each side: point (i, j) lies i parts from its vertex 0 to
 * vertex 1 and j parts to vertex 2. */
typedef struct cut {
    const sphere *from;
    int n;
    int64_t cell;
} cut;

/* The number of the point that lies t parts along side k. */
static int32_t on_side(const cut *c, int k, int t)
{
    const grid_mesh *m = &c->from->mesh;
    int32_t start = mesh_at(&m->relation[CELL][VERTEX], c->cell, k);
    int32_t end = mesh_at(&m->relation[CELL][VERTEX], c->cell, (k + 1) % 3);
    if (t == 0) return start;
    if (t == c->n) return end;
    int32_t edge = mesh_at(&m->relation[CELL][EDGE], c->cell, k);
    if (mesh_at(&m->relation[EDGE][VERTEX], edge, 0) != start) t = c->n - t;
    return (int32_t)(m->count[VERTEX] + (int64_t)edge * (c->n - 1) + t - 1);
}

static int32_t point(const cut *c, int i, int j)
{
    if (j == 0) return on_side(c, 0, i);
    if (i + j == c->n) return on_side(c, 1, j);
    if (i == 0) return on_side(c, 2, c->n - j);
    const grid_mesh *m = &c->from->mesh;
    int64_t each = (int64_t)(c->n - 1) * (c->n - 2) / 2, row = 0;
    for (int k = 1; k < j; k++) row += c->n - 1 - k;
    return (int32_t)(m->count[VERTEX] + m->count[EDGE] * (c->n - 1) + c->cell * each + row + i - 1);
}

static void place(const cut *c, double *at, int i, int j)
{
    const grid_relation *r = &c->from->mesh.relation[CELL][VERTEX];
    const double part[3] = {c->n - i - j, i, j};
    double sum[3] = {0};
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++) sum[d] += part[k] * c->from->at[3 * mesh_at(r, c->cell, k) + d];
    set(at + 3 * (int64_t)point(c, i, j), sum[0], sum[1], sum[2]);
}

static void add_cells(const cut *c, int32_t *of)
{
    for (int j = 0; j < c->n; j++)
        for (int i = 0; i + j < c->n; i++) {
            const int32_t up[] = {point(c, i, j), point(c, i + 1, j), point(c, i, j + 1)};
            memcpy(of, up, sizeof up);
            of += 3;
            if (i + j + 1 == c->n) continue;
            const int32_t down[] = {point(c, i + 1, j), point(c, i + 1, j + 1), point(c, i, j + 1)};
            memcpy(of, down, sizeof down);
            of += 3;
        }
}

/* Cuts each side of each cell into n. Vertices that stay keep their place. */
static bool cut_all(const sphere *from, int n, sphere *to, arena *memory)
{
    const grid_mesh *m = &from->mesh;
    int32_t *of;
    int64_t inside = (int64_t)(n - 1) * (n - 2) / 2;
    int64_t vertices = m->count[VERTEX] + m->count[EDGE] * (n - 1) + m->count[CELL] * inside;
    if (!make(to, m->count[CELL] * n * n, vertices, &of, memory)) return false;
    for (cut c = {from, n, 0}; c.cell < m->count[CELL]; c.cell++) {
        for (int j = 0; j <= n; j++)
            for (int i = 0; i + j <= n; i++) {
                bool corner = (i == 0) + (j == 0) + (i + j == n) == 2;
                if (!corner) place(&c, to->at, i, j);
            }
        add_cells(&c, of + 3 * c.cell * n * n);
    }
    memcpy(to->at, from->at, (size_t)m->count[VERTEX] * 3 * sizeof *to->at);
    return true;
}

/* Numbers cells and vertices so that neighbours lie near each other. */
static kata_status sort(sphere *s, arena *memory, messages *m)
{
    arena room = {0};
    grid_places places[KINDS] = {0};
    grid_mesh whole = s->mesh, placed = s->mesh;
    const int64_t vertices = s->mesh.count[VERTEX];
    kata_status status = grid_mesh_complete(&whole, &room, m);
    if (!status) status = grid_mesh_find_places(&whole, GRID_NEAR_ALWAYS, places, &room, m);
    if (!status) status = grid_mesh_place(&s->mesh, places, &placed, memory, m);
    double *at = status ? NULL : arena_array(memory, (size_t)vertices * 3, sizeof *at);
    if (!status && !at) status = message_no_memory(m);
    for (int64_t v = 0; at && v < vertices; v++)
        memcpy(at + 3 * (int64_t)places[VERTEX].place[v], s->at + 3 * v, 3 * sizeof *at);
    memset(placed.places, 0, sizeof placed.places); /* they are its numbers */
    arena_free(&room);
    *s = (sphere){placed, at};
    return status;
}

static bool is_too_large(int root, int bisections)
{
    double cells = 20.0 * root * root * pow(4, bisections);
    return cells * 1.5 > INT32_MAX;
}

kata_status grid_mesh_sphere(int root, int bisections, grid_mesh *mesh, double **vertices,
                             arena *memory, messages *m)
{
    arena rooms[2] = {{0}, {0}};
    sphere now;
    int32_t *of;
    if (root < 1 || bisections < 0 || bisections > 30 || is_too_large(root, bisections))
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "kata_grid_sphere: R%dB%d has no such mesh: the root is 1 or more, "
                            "bisections are 0 or more, and there are at most 2^31 edges",
                            root, bisections);
    bool ok = make(&now, FACES, CORNERS, &of, &rooms[0]);
    if (ok) make_corners(now.at);
    if (ok) make_faces(of);
    for (int i = 0; i <= bisections && ok && !m->status; i++) {
        sphere next;
        now.mesh.where = "kata_grid_sphere";
        if (grid_mesh_complete(&now.mesh, &rooms[i % 2], m)) break;
        ok = cut_all(&now, i ? 2 : root, &next, &rooms[(i + 1) % 2]);
        now = next;
        now.mesh.where = "kata_grid_sphere";
        arena_free(&rooms[i % 2]);
    }
    if (ok && !m->status) sort(&now, memory, m);
    arena_free(&rooms[0]);
    arena_free(&rooms[1]);
    if (!ok) message_no_memory(m);
    if (m->status) return m->status;
    *mesh = now.mesh;
    *vertices = now.at;
    return KATA_OK;
}
