/* Fields on a mesh to netCDF-4 with the conventions of UGRID 1.0: the mesh with all its tables of
 * neighbours, where its vertices lie, and the values. kata_grid_mesh_load reads the mesh again with
 * the same numbers and slots. UGRID has no names for the tables of edges beside edges and of what
 * is beside vertices; they are written by names made alike. */
#include "api/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KINDS = 3,
    CELL = 0,
    EDGE = KATA_EDGES - KATA_CELLS,
    VERTEX = KATA_VERTICES - KATA_CELLS,
    TABLES = KINDS * KINDS,
    COORDINATES = 3,
    MOST_VARIABLES = 1 + TABLES + COORDINATES + IO_MOST_ARRAYS,
    MOST_DIMENSIONS = KINDS + TABLES + 2 * IO_MOST_ARRAYS,
    LONGEST = 40
};

/* UGRID's words. */
static const char *const one[KINDS] = {"face", "edge", "node"};

typedef struct netcdf_file {
    char *path;
    io_netcdf content;
    io_dimension dimensions[MOST_DIMENSIONS];
    io_variable variables[MOST_VARIABLES];
    char names[MOST_DIMENSIONS][LONGEST], tables[TABLES][2][LONGEST]; /* attribute, variable */
    char many[KINDS][LONGEST];
    double *position; /* the first coordinate of all vertices, the next of all, ... */
} netcdf_file;

static void free_file(void *data)
{
    netcdf_file *f = data;
    free(f->position);
    api_output_data_free(data);
}

/* ---- dimensions, variables, attributes ------------------------------------------------------- */

/* The dimension of a name, which is added if it is new. */
static int dimension_of(netcdf_file *f, const char *name, int64_t size)
{
    int i = 0, count = f->content.dimension_count;
    while (i < count && strcmp(f->names[i], name) != 0) i++;
    if (i < count) return i;
    snprintf(f->names[i], LONGEST, "%s", name);
    f->dimensions[i] = (io_dimension){f->names[i], size};
    return f->content.dimension_count++;
}

/* "mesh_layers_80": one for each size. */
static int sized(netcdf_file *f, const char *what, int64_t size)
{
    char name[LONGEST];
    snprintf(name, sizeof name, "mesh_%s_%lld", what, (long long)size);
    return dimension_of(f, name, size);
}

static int elements(netcdf_file *f, const grid_mesh *mesh, int kind)
{
    return dimension_of(f, f->many[kind], mesh->count[kind]);
}

static io_variable *add(netcdf_file *f, const char *name, kata_type type, const void *values)
{
    io_variable *v = &f->variables[f->content.variable_count++];
    *v = (io_variable){.name = name, .type = type, .values = values};
    return v;
}

static void add_axis(io_variable *v, int dimension) { v->dimension[v->axes++] = dimension; }

/* ---- the mesh -------------------------------------------------------------------------------- */

/* Whether rows of a cell go around it, as those in a file have to. Who reads the mesh makes others
 * again. */
static bool goes_around(const grid_mesh *mesh, int from, int to)
{
    const grid_relation *corners = &mesh->relation[CELL][VERTEX], *r = &mesh->relation[from][to];
    if (from != CELL || !r->loose) return true;
    return to == EDGE && ((corners->of && !corners->loose) || !mesh->relation[EDGE][VERTEX].of);
}

static void add_table(netcdf_file *f, const grid_mesh *mesh, int from, int to,
                      io_variable *topology)
{
    const grid_relation *r = &mesh->relation[from][to];
    char(*names)[LONGEST] = f->tables[from * KINDS + to];
    if (!r->of || !r->width || !mesh->count[from] || !goes_around(mesh, from, to)) return;
    snprintf(names[0], LONGEST, "%s_%s_connectivity", one[from], one[to]);
    snprintf(names[1], LONGEST, "mesh_%s_%ss", one[from], one[to]);
    io_variable_say(topology, names[0], names[1]);
    io_variable *v = add(f, names[1], KATA_I32, r->of);
    add_axis(v, elements(f, mesh, from));
    add_axis(v, sized(f, "slots", r->width));
    io_variable_say(v, "cf_role", names[0]);
    io_variable_say_int(v, "start_index", 0);
    io_variable_say_int(v, "_FillValue", -1);
}

static void add_topology(netcdf_file *f, const grid_mesh *mesh, const char *coordinates)
{
    static const int32_t nothing = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        snprintf(f->many[kind], LONGEST, "mesh_%ss", one[kind]);
        if (mesh->count[kind]) elements(f, mesh, kind);
    }
    io_variable *v = add(f, "mesh", KATA_I32, &nothing);
    io_variable_say(v, "cf_role", "mesh_topology");
    io_variable_say_int(v, "topology_dimension", 2);
    io_variable_say(v, "node_coordinates", coordinates);
    io_variable_say(v, "face_dimension", f->many[0]);
    if (mesh->count[1]) io_variable_say(v, "edge_dimension", f->many[1]);
    for (int i = 0; i < TABLES; i++) add_table(f, mesh, i / KINDS, i % KINDS, v);
}

/* ---- where vertices lie ---------------------------------------------------------------------- */

/* How the file has it. */
typedef struct coordinates {
    int count;
    const char *all, *name[COORDINATES], *standard[COORDINATES], *units[COORDINATES];
} coordinates;

static const coordinates on_sphere = {2,
                                      "mesh_node_lon mesh_node_lat",
                                      {"mesh_node_lon", "mesh_node_lat"},
                                      {"longitude", "latitude"},
                                      {"degrees_east", "degrees_north"}};

/* The conventions ask for two names; readers take no third one. */
static coordinates straight(const kata_field *at)
{
    const char *units = at->units;
    return (coordinates){at->slot->components,
                         "mesh_node_x mesh_node_y",
                         {"mesh_node_x", "mesh_node_y", "mesh_node_z"},
                         {NULL, NULL, NULL},
                         {units, units, units}};
}

static void add_coordinates(netcdf_file *f, const grid_mesh *mesh, const coordinates *c)
{
    for (int i = 0; i < c->count; i++) {
        io_variable *v = add(f, c->name[i], KATA_F64, f->position + i * mesh->count[VERTEX]);
        add_axis(v, elements(f, mesh, VERTEX));
        io_variable_say(v, "standard_name", c->standard[i]);
        io_variable_say(v, "units", c->units[i]);
    }
}

/* From x, y and z on a sphere, to longitude and latitude in degrees. */
static void turn_to_degrees(double *position, int64_t n)
{
    const double degrees = 180 / acos(-1);
    for (int64_t i = 0; i < n; i++) {
        const double x = position[i], y = position[n + i], z = position[2 * n + i];
        position[i] = atan2(y, x) * degrees;
        position[n + i] = atan2(z, hypot(x, y)) * degrees;
    }
}

static kata_status find_coordinates(const api_field_list *list, const kata_save_options *options,
                                    double **position, coordinates *out)
{
    const kata_field *first = list->field[0];
    const api_mesh *mesh = first->grid->mesh;
    const int64_t n = mesh->given.count[VERTEX];
    kata_field *at = options->positions;
    kata_status status = at ? api_mesh_check_positions(list, at, 1) : KATA_OK;
    if (status) return status;
    if (!at && !mesh->vertices) return api_mesh_refuse_positions(list);
    *out = at ? straight(at) : on_sphere;
    *position = calloc((size_t)n + 1, COORDINATES * sizeof **position);
    if (!*position) return api_no_memory(first->k);
    if (!at) {
        grid_mesh_geometry(&mesh->given, mesh->vertices, VERTEX, KATA_POSITION, *position);
        turn_to_degrees(*position, n);
        return KATA_OK;
    }
    status = api_mesh_get_positions(at, *position, out->count * n);
    for (int64_t i = 0; i < out->count * n && !status; i++)
        (*position)[i] += options->origin[i / n];
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

static kata_status check_field(const api_field_list *list, const char *path,
                               const kata_field *field)
{
    static const char own[] = "mesh";
    const kata_field *first = list->field[0];
    const char *why = api_mesh_why_not(first, field);
    const bool taken = !strncmp(field->name, own, strlen(own)) &&
                       (!field->name[strlen(own)] || field->name[strlen(own)] == '_');
    if (why)
        return api_fail(first->k, KATA_ERROR_ARGUMENT, "%s: '%s' begins with '%s', and '%s' %s",
                        list->call, path, first->name, field->name, why);
    if (!taken) return KATA_OK;
    return api_fail(first->k, KATA_ERROR_ARGUMENT,
                    "%s: '%s' needs the name '%s' for the mesh itself, as all names that begin "
                    "with mesh_; give the field another one",
                    list->call, path, field->name);
}

/* As the arrays are: levels of an element lie beside each other, or elements of a level. */
static void add_field(netcdf_file *f, const api_field_list *list, int i, double time)
{
    const kata_field *field = list->field[i];
    const api_mesh *mesh = field->grid->mesh;
    const int kind = field->slot->on - KATA_CELLS, components = api_components_of(list, i);
    const int64_t levels = api_mesh_levels(field);
    const bool in_rows = mesh->as.axis[0] != 0;
    io_variable *v = add(f, field->name, list->type[i], NULL);
    if (components > 1) add_axis(v, sized(f, "components", components));
    if (levels > 1 && !in_rows) add_axis(v, sized(f, "layers", levels));
    add_axis(v, elements(f, &mesh->given, kind));
    if (levels > 1 && in_rows) add_axis(v, sized(f, "layers", levels));
    io_variable_say(v, "mesh", "mesh");
    io_variable_say(v, "location", one[kind]);
    io_variable_say(v, "units", field->units);
    io_variable_say_double(v, "time", time);
}

/* Who reads the file counts elements by their tables, or makes edges of their own. */
static kata_status check_tables(const api_field_list *list, const grid_mesh *mesh)
{
    for (int kind = CELL; kind <= EDGE; kind++) {
        const grid_relation *r = mesh->relation[kind];
        if (!mesh->count[kind] || r[CELL].of || r[EDGE].of || r[VERTEX].of) continue;
        const char *many = ir_location_name((kata_location)(KATA_CELLS + kind), true);
        return api_fail(
            list->field[0]->k, KATA_ERROR_ARGUMENT,
            "%s: the mesh has %lld %s and no table of their neighbours, without which a "
            ".nc file cannot keep them",
            list->call, (long long)mesh->count[kind], many);
    }
    return KATA_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static kata_status write_file(void *data, const io_source *source, messages *m)
{
    const netcdf_file *f = data;
    return io_netcdf_write(f->path, &f->content, source, m);
}

static kata_status check_fields(const api_field_list *list, const char *path)
{
    kata_status status = KATA_OK;
    for (int i = 0; i < list->count && !status; i++)
        status = check_field(list, path, list->field[i]);
    return status;
}

kata_status api_netcdf_make(api_field_list *list, const kata_save_options *options,
                            io_output *output)
{
    kata *k = list->field[0]->k;
    if (!list->field[0]->grid->mesh) return api_grid_netcdf_make(list, options, output);
    coordinates at = {0};
    const grid_mesh *mesh = &list->field[0]->grid->mesh->given;
    kata_status status = check_fields(list, options->path);
    if (!status) status = check_tables(list, mesh);
    netcdf_file *f = status ? NULL : api_output_data(k, sizeof *f, options->path);
    if (!f) return k->messages.status;
    status = find_coordinates(list, options, &f->position, &at);
    if (status) {
        free_file(f);
        return status;
    }
    add_topology(f, mesh, at.all);
    add_coordinates(f, mesh, &at);
    for (int i = 0; i < list->count; i++) add_field(f, list, i, options->time);
    f->content.conventions = "CF-1.8 UGRID-1.0";
    f->content.dimensions = f->dimensions;
    f->content.variables = f->variables;
    *output = (io_output){f, write_file, free_file};
    return KATA_OK;
}
