/* The neighbours of cells, edges and vertices in an icosahedral grid.
 *
 * The grid is a parallelogram of parallelograms: number (i, j) has the vertex at its lower left
 * corner, three edges and two cells. What it has of one kind are the colours of that kind. All
 * neighbours lie in parallelograms at constant offsets, and which ones depends on the colour alone.
 * Their order is that of GridTools (S. Afanasyev et al., GridTools: a framework for portable
 * weather and climate applications, SoftwareX 15, 2021). */
#include "ir/ir.h"

static const ir_relation relations[3][3] = {
    {{3, {{{-1, 0, 1}, {0, 0, 1}, {0, -1, 1}}, {{1, 0, 0}, {0, 0, 0}, {0, 1, 0}}}},
     {3, {{{0, 0, 1}, {0, 0, 2}, {0, 0, 0}}, {{1, 0, 1}, {0, 0, 2}, {0, 1, 0}}}},
     {3, {{{1, 0, 0}, {0, 0, 0}, {0, 1, 0}}, {{0, 1, 0}, {1, 1, 0}, {1, 0, 0}}}}},
    {{2, {{{0, -1, 1}, {0, 0, 0}}, {{-1, 0, 1}, {0, 0, 0}}, {{0, 0, 1}, {0, 0, 0}}}},
     {4,
      {{{0, -1, 2}, {0, 0, 1}, {0, 0, 2}, {1, -1, 1}},
       {{-1, 0, 2}, {-1, 1, 0}, {0, 0, 2}, {0, 0, 0}},
       {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 1}}}},
     {2, {{{1, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 1, 0}}, {{0, 1, 0}, {1, 0, 0}}}}},
    {{6, {{{-1, -1, 1}, {-1, 0, 0}, {-1, 0, 1}, {0, 0, 0}, {0, -1, 1}, {0, -1, 0}}}},
     {6, {{{0, -1, 1}, {-1, 0, 0}, {-1, 0, 2}, {0, 0, 1}, {0, 0, 0}, {0, -1, 2}}}},
     {6, {{{0, -1, 0}, {-1, 0, 0}, {-1, 1, 0}, {0, 1, 0}, {1, 0, 0}, {1, -1, 0}}}}},
};

const ir_relation *ir_relation_of(kata_location from, kata_location to)
{
    return &relations[from - KATA_CELLS][to - KATA_CELLS];
}

int ir_colors(kata_location on)
{
    static const int colors[] = {1, 2, 3, 1};
    return colors[on];
}

int ir_values_on(kata_location on, kata_location each)
{
    return ir_colors(on) * (each ? ir_relation_of(on, each)->count : 1);
}

int ir_orientation(kata_location from, kata_location to, int color, int slot)
{
    if (from == KATA_EDGES) return slot == 0 ? 1 : -1;
    ir_neighbour edge = ir_relation_of(from, to)->of[color][slot];
    ir_neighbour back = ir_relation_of(to, from)->of[edge.color][0];
    return edge.x + back.x == 0 && edge.y + back.y == 0 && back.color == color ? 1 : -1;
}

const char *ir_location_name(kata_location on, bool several)
{
    static const char *const one[] = {"point", "cell", "edge", "vertex"};
    static const char *const many[] = {"points", "cells", "edges", "vertices"};
    return (several ? many : one)[on];
}

const char *ir_location_constant(kata_location on)
{
    static const char *const names[] = {"KATA_NOWHERE", "KATA_CELLS", "KATA_EDGES",
                                        "KATA_VERTICES"};
    return names[on];
}

void ir_location_print(text *out, kata_location on, kata_location each)
{
    text_add(out, on ? "on %s" : "at points", ir_location_name(on, false));
    if (on && each) text_add(out, " : %s", ir_location_name(each, true));
}

const char *ir_relation_name(kata_location from, kata_location to)
{
    static const char *const names[3][3] = {{"cell_cells", "cell_edges", "cell_vertices"},
                                            {"edge_cells", "edge_edges", "edge_vertices"},
                                            {"vertex_cells", "vertex_edges", "vertex_vertices"}};
    return names[from - KATA_CELLS][to - KATA_CELLS];
}
