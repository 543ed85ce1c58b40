/* What test_mesh_misuse.c expects. */
{in_place, "k.kata:3:29: error: 'f' is read at neighbours while other points write it\n"
           "        for (v : vertices) g += f[v];\n"
           "                                ^\n"
           "  kernel 'pass' applied at main.c:17 to [0, 6) x [0, 1) x [0, 4) of a 6 x 1 x 4 grid\n"
           "  field 'f' is given both for 'f' (in) and for 'g' (inout)\n"
           "  write to a second field and exchange the two with kata_swap"},
    {beyond_the_top,
     "k.kata:7:29: error: 'f' is read at neighbours outside the grid\n"
     "        for (v : vertices) g += f[v][0,0,1];\n"
     "                                ^\n"
     "  kernel 'above' applied at main.c:17 to [0, 6) x [0, 1) x [0, 4) of a 6 x 1 x 4 grid\n"
     "  along z its offset is 1, and boundary rules are not asked there\n"
     "  apply the kernel to a smaller range, or guard the read: iz + 1 < nz ? u[e][0,0,1] : u[e]"},
    {a_colour, "k.kata:11:13: error: 'ic' is a colour of an icosahedral grid, and a mesh has none\n"
               "        g = f + ic;\n"
               "                ^\n"
               "  'ix' is the number of what is computed"},
    {written_at_neighbours, "k.kata:16:50: error: 'g' is written by this kernel, and in a mesh it "
                            "is not read at a neighbour\n"
                            "        interval [1, nz) { for (v : vertices) g += g[v][0,0,-1]; }\n"
                            "                                                     ^\n"
                            "  read an 'in' field there"},
    {unknown_cells, "k.kata:21:5: error: the mesh does not know the cells of vertices\n"
                    "        for (c : cells) for (e : edges[c]) g += f;\n"
                    "        ^\n"
                    "  give kata_grid_mesh the table .vertex_cells"},
    {another_mesh,
     "k.kata:1:23: error: parameter 'f' is given a field of another grid\n"
     "    kernel pass(in double f on vertex, inout double g on vertex) on vertex\n"
     "                          ^\n"
     "  kernel 'pass' applied at main.c:17 to [0, 6) x [0, 1) x [0, 4) of a 6 x 1 x 4 grid\n"
     "  field 'far' is of a mesh, the range is of another mesh\n"
     "  give it a field of the grid that the range was made for"},
    {a_grid,
     "k.kata:1:23: error: parameter 'f' is given a field of another grid\n"
     "    kernel pass(in double f on vertex, inout double g on vertex) on vertex\n"
     "                          ^\n"
     "  kernel 'pass' applied at main.c:17 to [0, 3) x [0, 3) x [0, 4) of a 3 x 3 x 4 grid\n"
     "  field 'f' is of a mesh, the range is of a grid\n"
     "  give it a field of the grid that the range was made for"},
    {at_points,
     "k.kata:23:25: error: parameter 'f' is given a field that lies elsewhere\n"
     "    kernel points(in double f, out double g)\n"
     "                            ^\n"
     "  kernel 'points' applied at main.c:17 to [0, 6) x [0, 1) x [0, 4) of a 6 x 1 x 4 grid\n"
     "  field 'f' lies on vertices, 'f' lies at points\n"
     "  field 'f' suits a parameter 'in double f on vertex' of a kernel on cells, edges or "
     "vertices"},
    {colours, "error: main.c:17: kata_apply: kata_color is for grids of points; a mesh has "
              "kata_all, or numbers and levels in a kata_box_3d"},
    {needed, "error: main.c:17: kata_apply: kata_needed is for grids of points; a mesh has "
             "kata_all, or numbers and levels in a kata_box_3d"},
    {too_many, "error: kata_get: the range [2, 7) x [0, 1) x [0, 4) reaches outside field 'f', "
               "which has [0, 6) x [0, 1) x [0, 4)"},
    {on_nothing, "error: kata_field_new: a field of a mesh lies on cells, edges or vertices: .on = "
                 "KATA_CELLS; without, it is a profile: .along = KATA_Z"},
    {of_faces, "error: kata_field_new: a field of a mesh is staggered along z only; values between "
               "two cells lie on edges: .on = KATA_EDGES"},
    {cells, "error: kata_field_new: the mesh has no cells"},
    {pairs, "error: kata_field_new: the mesh does not know the edges of edges: give kata_grid_mesh "
            "the table .edge_edges"},
    {a_side,
     "error: kata_boundary_set: a mesh has sides of z alone: where it ends its tables have -1"},
    {no_geometry, "error: kata_grid_geometry: the grid has none; one made by kata_grid_sphere has"},
    {no_tables, "error: kata_grid_mesh: no table is given; .cell_vertices = {table, 3} is enough "
                "for triangles"},
    {wide_edges, "error: kata_grid_mesh: edge_vertices has 3 slots; an edge has two vertices, of "
                 "which -1 may be one"},
    {no_count, "error: kata_grid_mesh: cell_vertices is given, and the number of vertices is not"},
