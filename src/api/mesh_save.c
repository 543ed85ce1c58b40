/* Fields on a mesh to VTKHDF: its cells, or its edges as lines, with values on them and on its
 * vertices. Levels lie above one another, each as a mesh of its own. */
#include "api/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct mesh_file {
    char *path;
    io_mesh mesh;
    double time, *position;
    int64_t *connectivity, *offsets;
    uint8_t *types;
    int count;
    io_points arrays[IO_MOST_ARRAYS];
} mesh_file;

/* What the fields of a file lie on. */
typedef struct layers {
    const kata_field *first;
    const grid_mesh *mesh;
    int from;         /* edges, or cells: their number among kinds */
    int64_t levels;   /* of all fields */
    bool in_rows;     /* levels of an element lie beside each other */
    double thickness; /* from a level to the next */
    const double *origin;
} layers;

static void free_file(void *data)
{
    mesh_file *f = data;
    free(f->position);
    free(f->connectivity);
    free(f->offsets);
    free(f->types);
    api_output_data_free(data);
}

/* ---- which fields ---------------------------------------------------------------------------- */

static bool has_levels(const kata_field *field)
{
    return !field->slot->absent_axis[field->grid->mesh->as.axis[2]];
}

int64_t api_mesh_levels(const kata_field *field)
{
    const grid_box box = chain_slot_points(field->slot, &field->boundary);
    return has_levels(field) ? box.hi[field->grid->mesh->as.axis[2]] : 1;
}

const char *api_mesh_why_not(const kata_field *first, const kata_field *field)
{
    const chain_slot *slot = field->slot;
    if (field->grid != first->grid) return "is of another grid";
    return !slot->on || slot->each ? "has no value on each cell, edge or vertex" : NULL;
}

static const char *why_not(const kata_field *first, const kata_field *field)
{
    const chain_slot *slot = field->slot, *other = first->slot;
    const char *why = api_mesh_why_not(first, field);
    if (why) return why;
    if ((slot->on == KATA_EDGES) != (other->on == KATA_EDGES))
        return "lies on other elements: edges go to a file of their own";
    if (api_mesh_levels(field) != api_mesh_levels(first)) return "has other levels";
    return NULL;
}

static kata_status check_fields(const api_field_list *list, const kata_save_options *options)
{
    const kata_field *first = list->field[0];
    for (int i = 0; i < list->count; i++) {
        const char *why = why_not(first, list->field[i]);
        if (why)
            return api_fail(first->k, KATA_ERROR_ARGUMENT, "%s: '%s' begins with '%s', and '%s' %s",
                            list->call, options->path, first->name, list->field[i]->name, why);
    }
    if (!options->cells) return KATA_OK;
    return api_fail(first->k, KATA_ERROR_ARGUMENT,
                    "%s: .cells is for images; in '%s' values lie on the elements of a mesh",
                    list->call, options->path);
}

/* ---- where vertices lie ---------------------------------------------------------------------- */

kata_status api_mesh_check_positions(const api_field_list *list, const kata_field *at,
                                     int64_t levels)
{
    const kata_field *first = list->field[0];
    const char *why = at->grid != first->grid || at->slot->on != KATA_VERTICES || at->slot->each
                          ? "is not on the vertices of the mesh"
                      : at->slot->components < 2 || at->slot->components > 3
                          ? "has not two or three components: x, y and z"
                      : api_mesh_levels(at) != 1 && api_mesh_levels(at) != levels
                          ? "has other levels"
                          : NULL;
    if (!why) return KATA_OK;
    return api_fail(first->k, KATA_ERROR_ARGUMENT, "%s: .positions: '%s' %s", list->call, at->name,
                    why);
}

/* Where point i of a level is in arrays of the file. */
static size_t place_of(const layers *l, int64_t i, int64_t count, int64_t level)
{
    return (size_t)(l->in_rows ? i * l->levels + level : level * count + i);
}

/* On a sphere levels lie outwards; elsewhere along z. */
static void lift(const layers *l, double at[3], int64_t level, bool outwards)
{
    const double by = l->thickness * (double)level;
    const double far = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
    for (int d = 0; d < 3 && outwards && far > 0; d++) at[d] += by * at[d] / far;
    if (!outwards) at[2] += by;
    for (int d = 0; d < 3; d++) at[d] += l->origin[d];
}

/* `values`: components, then levels, then vertices, where there are several. */
static void set_positions(const layers *l, const double *values, int components, int64_t levels,
                          bool outwards, double *out)
{
    const int64_t n = l->mesh->count[KATA_VERTICES - KATA_CELLS];
    for (int64_t level = 0; level < l->levels; level++)
        for (int64_t i = 0; i < n; i++) {
            double at[3] = {0, 0, 0};
            for (int c = 0; c < components; c++)
                at[c] = values[(c * levels + (levels > 1 ? level : 0)) * n + i];
            lift(l, at, levels > 1 ? 0 : level, outwards);
            memcpy(out + 3 * place_of(l, i, n, level), at, sizeof at);
        }
}

kata_status api_mesh_get_positions(kata_field *at, double *values, int64_t count)
{
    const kata_range all = kata_on(at);
    return kata_get_values(at, &all, KATA_F64, values, count);
}

kata_status api_mesh_refuse_positions(const api_field_list *list)
{
    return api_fail(list->field[0]->k, KATA_ERROR_ARGUMENT,
                    "%s: where do the vertices lie? Give .positions, a field on them with the "
                    "components x, y and z",
                    list->call);
}

static kata_status find_positions(const api_field_list *list, const layers *l, kata_field *at,
                                  double *out)
{
    kata *k = l->first->k;
    const int64_t n = l->mesh->count[KATA_VERTICES - KATA_CELLS];
    if (!at && l->first->grid->mesh->vertices) {
        double *all = calloc((size_t)(3 * n), sizeof *all);
        if (!all) return api_no_memory(k);
        grid_mesh_geometry(l->mesh, l->first->grid->mesh->vertices, KATA_VERTICES - KATA_CELLS,
                           KATA_POSITION, all);
        set_positions(l, all, 3, 1, true, out);
        free(all);
        return KATA_OK;
    }
    if (!at) return api_mesh_refuse_positions(list);
    kata_status status = api_mesh_check_positions(list, at, l->levels);
    if (status) return status;
    const int components = at->slot->components;
    const int64_t levels = api_mesh_levels(at), count = components * levels * n;
    double *values = calloc((size_t)count, sizeof *values);
    if (!values) return api_no_memory(k);
    status = api_mesh_get_positions(at, values, count);
    if (!status) set_positions(l, values, components, levels, false, out);
    free(values);
    return status;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static int64_t corners_of(const grid_relation *r, int64_t i)
{
    int64_t corners = 0;
    for (int k = 0; k < r->width; k++) corners += r->of[i * r->width + k] >= 0;
    return corners;
}

static uint8_t type_of(int64_t corners)
{
    return corners == 2   ? IO_VTK_LINE
           : corners == 3 ? IO_VTK_TRIANGLE
           : corners == 4 ? IO_VTK_QUAD
                          : IO_VTK_POLYGON;
}

/* In the order of the values: level by level, or element by element. */
static void set_cells(const layers *l, const grid_relation *r, mesh_file *f)
{
    const int64_t n = l->mesh->count[l->from], all = n * l->levels;
    const int64_t points = l->mesh->count[KATA_VERTICES - KATA_CELLS];
    int64_t corners = 0;
    for (int64_t c = 0; c < all; c++) {
        const int64_t i = l->in_rows ? c / l->levels : c % n;
        const int64_t level = l->in_rows ? c % l->levels : c / n, first = corners;
        f->offsets[c] = corners;
        for (int k = 0; k < r->width; k++) {
            const int32_t vertex = r->of[i * r->width + k];
            if (vertex >= 0)
                f->connectivity[corners++] = (int64_t)place_of(l, vertex, points, level);
        }
        f->types[c] = type_of(corners - first);
    }
    f->offsets[all] = corners;
}

static kata_status make_mesh(const api_field_list *list, const layers *l,
                             const kata_save_options *options, mesh_file *f)
{
    const grid_relation *r = &l->mesh->relation[l->from][KATA_VERTICES - KATA_CELLS];
    const int64_t n = l->mesh->count[l->from];
    const int64_t points = l->mesh->count[KATA_VERTICES - KATA_CELLS] * l->levels;
    int64_t corners = 0;
    if (!r->of)
        return api_fail(l->first->k, KATA_ERROR_ARGUMENT,
                        "%s: the mesh has no table of the vertices of %s", list->call,
                        ir_location_name((kata_location)(l->from + KATA_CELLS), true));
    if (r->loose && r->width > 3)
        return api_fail(l->first->k, KATA_ERROR_ARGUMENT,
                        "%s: it is not known in which order the vertices of cells go around them; "
                        "make the mesh with .cell_vertices",
                        list->call);
    for (int64_t i = 0; i < n; i++) corners += corners_of(r, i) * l->levels;
    f->position = calloc((size_t)points, 3 * sizeof *f->position);
    f->connectivity = calloc((size_t)corners + 1, sizeof *f->connectivity);
    f->offsets = calloc((size_t)(n * l->levels) + 1, sizeof *f->offsets);
    f->types = calloc((size_t)(n * l->levels) + 1, sizeof *f->types);
    if (!f->position || !f->connectivity || !f->offsets || !f->types)
        return api_no_memory(l->first->k);
    set_cells(l, r, f);
    f->mesh = (io_mesh){points,          n * l->levels, corners, f->position,
                        f->connectivity, f->offsets,    f->types};
    return find_positions(list, l, options->positions, f->position);
}

/* ---- the file -------------------------------------------------------------------------------- */

static kata_status write_file(void *data, const io_source *source, messages *m)
{
    const mesh_file *f = data;
    return io_vtkhdf_write_mesh(f->path, &f->mesh, f->time, f->count, f->arrays, source, m);
}

static layers layers_of(const api_field_list *list, const kata_save_options *options)
{
    const kata_field *first = list->field[0];
    const api_mesh *mesh = first->grid->mesh;
    const double spacing = options->spacing == 0 ? 1 : options->spacing;
    return (layers){.first = first,
                    .mesh = &mesh->given,
                    .from = (first->slot->on == KATA_EDGES ? KATA_EDGES : KATA_CELLS) - KATA_CELLS,
                    .levels = api_mesh_levels(first),
                    .in_rows = mesh->as.axis[0] != 0,
                    .thickness = options->spacing_z == 0 ? spacing : options->spacing_z,
                    .origin = options->origin};
}

kata_status api_mesh_make(api_field_list *list, const kata_save_options *options, io_output *output)
{
    kata *k = list->field[0]->k;
    kata_status status = check_fields(list, options);
    mesh_file *f = status ? NULL : api_output_data(k, sizeof *f, options->path);
    if (!f) return k->messages.status;
    const layers l = layers_of(list, options);
    f->time = options->time;
    f->count = list->count;
    for (int i = 0; i < list->count; i++)
        f->arrays[i] =
            (io_points){list->field[i]->name, list->type[i], api_components_of(list, i),
                        list->field[i]->units, list->field[i]->slot->on != KATA_VERTICES};
    *output = (io_output){f, write_file, free_file};
    status = make_mesh(list, &l, options, f);
    if (status) free_file(f);
    return status;
}
