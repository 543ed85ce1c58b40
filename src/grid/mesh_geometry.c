/* Lengths, areas and normals of a mesh of triangles on the sphere of radius 1.
 *
 * The cells of a vertex meet at circumcentres, so that the line between two cells crosses their
 * edge in its middle, at a right angle. What lies around a vertex consists of triangles (vertex,
 * middle of an edge, circumcentre). The area of a spherical triangle: A. van Oosterom and J.
 * Strackee, The solid angle of a plane triangle, IEEE Transactions on Biomedical Engineering 30,
 * 1983. */
#include "grid/mesh.h"

#include <math.h>

typedef struct vec {
    double x, y, z;
} vec;

static vec sum(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vec difference(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static vec unit(vec a)
{
    double length = sqrt(dot(a, a));
    return (vec){a.x / length, a.y / length, a.z / length};
}
static double arc(vec a, vec b)
{
    vec d = difference(a, b);
    return 2 * asin(sqrt(dot(d, d)) / 2);
}
static double area(vec a, vec b, vec c)
{
    return 2 * atan2(fabs(dot(a, cross(b, c))), 1 + dot(a, b) + dot(b, c) + dot(c, a));
}

typedef struct shape {
    const grid_mesh *mesh;
    const double *vertices;
} shape;

static int32_t neighbour(const shape *s, int from, int to, int64_t element, int slot)
{
    return mesh_at(&s->mesh->relation[from][to], element, slot);
}

static vec vertex(const shape *s, int64_t v)
{
    return (vec){s->vertices[3 * v], s->vertices[3 * v + 1], s->vertices[3 * v + 2]};
}
static vec corner(const shape *s, int64_t cell, int slot)
{
    return vertex(s, neighbour(s, CELL, VERTEX, cell, slot));
}
static vec end_of(const shape *s, int64_t edge, int slot)
{
    return vertex(s, neighbour(s, EDGE, VERTEX, edge, slot));
}
static vec middle(const shape *s, int64_t edge)
{
    return unit(sum(end_of(s, edge, 0), end_of(s, edge, 1)));
}
static vec centre(const shape *s, int64_t cell)
{
    vec a = corner(s, cell, 0);
    vec up = cross(difference(corner(s, cell, 1), a), difference(corner(s, cell, 2), a));
    return unit(dot(up, a) < 0 ? difference((vec){0, 0, 0}, up) : up);
}
static vec centre_of(const shape *s, int64_t edge, int slot)
{
    return centre(s, neighbour(s, EDGE, CELL, edge, slot));
}

static vec position(const shape *s, int kind, int64_t i)
{
    return kind == CELL ? centre(s, i) : kind == EDGE ? middle(s, i) : vertex(s, i);
}

static vec normal(const shape *s, int64_t edge)
{
    vec along = difference(end_of(s, edge, 1), end_of(s, edge, 0));
    vec across = unit(cross(along, middle(s, edge)));
    vec towards = difference(centre_of(s, edge, 1), centre_of(s, edge, 0));
    return dot(across, towards) < 0 ? difference((vec){0, 0, 0}, across) : across;
}

/* Of each edge, the two triangles on either side of it at each end. */
static double dual_area(const shape *s, int64_t v)
{
    double all = 0;
    for (int slot = 0; slot < s->mesh->relation[VERTEX][EDGE].width; slot++) {
        int32_t edge = neighbour(s, VERTEX, EDGE, v, slot);
        for (int side = 0; side < 2 && edge >= 0; side++)
            all += area(vertex(s, v), middle(s, edge), centre_of(s, edge, side));
    }
    return all;
}

static double measure(const shape *s, kata_geometry what, int64_t i)
{
    switch (what) {
    case KATA_LENGTH: return arc(end_of(s, i, 0), end_of(s, i, 1));
    case KATA_DUAL_LENGTH: return arc(centre_of(s, i, 0), centre_of(s, i, 1));
    case KATA_AREA: return area(corner(s, i, 0), corner(s, i, 1), corner(s, i, 2));
    default: return dual_area(s, i);
    }
}

int grid_mesh_geometry_values(int kind, kata_geometry what)
{
    switch (what) {
    case KATA_POSITION: return 3;
    case KATA_NORMAL: return kind == EDGE ? 3 : 0;
    case KATA_LENGTH:
    case KATA_DUAL_LENGTH: return kind == EDGE;
    case KATA_AREA: return kind == CELL;
    case KATA_DUAL_AREA: return kind == VERTEX;
    }
    return 0;
}

void grid_mesh_geometry(const grid_mesh *mesh, const double *vertices, int kind, kata_geometry what,
                        double *values)
{
    const shape s = {mesh, vertices};
    const int64_t count = mesh->count[kind];
    bool vectors = grid_mesh_geometry_values(kind, what) == 3;
    for (int64_t i = 0; i < count; i++) {
        if (!vectors) {
            values[i] = measure(&s, what, i);
            continue;
        }
        vec at = what == KATA_NORMAL ? normal(&s, i) : position(&s, kind, i);
        values[i] = at.x;
        values[count + i] = at.y;
        values[2 * count + i] = at.z;
    }
}
