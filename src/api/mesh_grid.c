/* kata_grid_mesh: cells, edges and vertices by tables of neighbours.
 *
 * A mesh is a grid of elements along one dimension and levels along another. With many levels these
 * lie beside each other in memory: then a neighbour's number is looked up once for all of them, and
 * rows of levels are computed as rows of a grid are. With few, the elements do. */
#include "api/api.h"

#include <string.h>

#define CALL "kata_grid_mesh"
enum { LEVELS_IN_ROWS = HOSTILE(8, 3), MOST_ELEMENTS = INT32_MAX };

static void set_shape(api_mesh *mesh, int64_t nz)
{
    static const int elements_in_rows[] = {0, 1, 2}, levels_in_rows[] = {1, 2, 0};
    memcpy(mesh->as.axis, nz < LEVELS_IN_ROWS ? elements_in_rows : levels_in_rows,
           sizeof mesh->as.axis);
    for (int from = 0; from < 3; from++)
        for (int to = 0; to < 3; to++) {
            const grid_relation *r = &mesh->tables.relation[from][to];
            mesh->as.width[from][to] = r->of ? r->width : 0;
            mesh->as.misses[from][to] = r->misses;
        }
    mesh->tables.along = mesh->given.along = mesh->as.axis[0];
}

static uint64_t identity_of(const grid_mesh *mesh)
{
    uint64_t hash = hash_bytes(mesh->count, sizeof mesh->count, 0);
    for (int i = 0; i < 9; i++) {
        const grid_relation *r = &mesh->relation[i / 3][i % 3];
        const size_t entries = r->of ? (size_t)(mesh->count[i / 3] * r->width) : 0;
        hash = hash_bytes(&entries, sizeof entries, hash);
        if (entries) hash = hash_bytes(r->of, entries * sizeof *r->of, hash);
    }
    return hash;
}

kata_grid *api_mesh_new(kata *k, const char *call, grid_mesh *tables, int64_t nz, kata_order order)
{
    kata_grid *g = arena_alloc(&k->memory, sizeof *g);
    api_mesh *mesh = arena_alloc(&k->memory, sizeof *mesh);
    if (!g || !mesh) {
        api_no_memory(k);
        return NULL;
    }
    tables->where = call;
    if (grid_mesh_complete(tables, &k->memory, &k->messages)) {
        api_note_error(k);
        return NULL;
    }
    *mesh = (api_mesh){.tables = *tables, .given = *tables, .identity = identity_of(tables)};
    set_shape(mesh, nz);
    if (api_mesh_order(k, mesh, order)) return NULL;
    mesh->tables.reaches = arena_alloc(&k->memory, sizeof *mesh->tables.reaches);
    mesh->given.reaches = arena_alloc(&k->memory, sizeof *mesh->given.reaches);
    int64_t most = 1;
    for (int i = 0; i < 3; i++) most = larger(most, tables->count[i]);
    *g = (kata_grid){.k = k, .shape = {3, {most, 1, nz}}, .mesh = mesh};
    return g;
}

/* ---- what is given --------------------------------------------------------------------------- */

static kata_status check_counts(kata *k, const kata_mesh_options *o)
{
    static const char *const names[] = {"cells", "edges", "vertices"};
    const int64_t counts[] = {o->cells, o->edges, o->vertices};
    for (int i = 0; i < 3; i++)
        if (counts[i] < 0 || counts[i] > MOST_ELEMENTS)
            return api_fail(k, KATA_ERROR_ARGUMENT, CALL ": .%s is %lld, not 0 to %lld", names[i],
                            (long long)counts[i], (long long)MOST_ELEMENTS);
    if ((unsigned)o->order > KATA_ORDER_NEAR)
        return api_fail(k, KATA_ERROR_ARGUMENT, CALL ": there is no order %d", (int)o->order);
    if (o->nz < 0)
        return api_fail(k, KATA_ERROR_ARGUMENT, CALL ": nz is %lld; a size is at least 1",
                        (long long)o->nz);
    int64_t points = larger(larger(o->cells, o->edges), larger(o->vertices, 1));
    if (__builtin_mul_overflow(points, o->nz ? o->nz : 1, &points) || points >= (int64_t)1 << 48)
        return api_fail(k, KATA_ERROR_ARGUMENT, CALL ": the mesh has 2^48 points or more");
    return KATA_OK;
}

static kata_status copy_table(kata *k, const kata_neighbours *given, int64_t count,
                              grid_relation *out)
{
    if (!given->table || given->width < 1 || given->width > GRID_WIDEST) {
        *out = (grid_relation){.width = given->width, .of = given->table};
        return KATA_OK;
    }
    size_t entries = (size_t)count * (size_t)given->width;
    int32_t *copy = arena_array(&k->memory, entries + 1, sizeof *copy);
    if (!copy) return api_no_memory(k);
    memcpy(copy, given->table, entries * sizeof *copy);
    *out = (grid_relation){.width = given->width, .of = copy};
    return KATA_OK;
}

static kata_status copy_tables(kata *k, const kata_mesh_options *o, grid_mesh *mesh)
{
    const kata_neighbours *const given[3][3] = {
        {&o->cell_cells, &o->cell_edges, &o->cell_vertices},
        {&o->edge_cells, &o->edge_edges, &o->edge_vertices},
        {&o->vertex_cells, &o->vertex_edges, &o->vertex_vertices}};
    *mesh = (grid_mesh){.count = {o->cells, o->edges, o->vertices}};
    kata_status status = KATA_OK;
    bool any = false;
    for (int from = 0; from < 3; from++)
        for (int to = 0; to < 3 && !status; to++) {
            status = copy_table(k, given[from][to], mesh->count[from], &mesh->relation[from][to]);
            any = any || given[from][to]->table;
        }
    if (!status && !any)
        status = api_fail(k, KATA_ERROR_ARGUMENT,
                          CALL ": no table is given; .cell_vertices = {table, 3} is enough for "
                               "triangles");
    return status;
}

kata_grid *kata_grid_mesh_with(kata *k, const kata_mesh_options *given)
{
    static const api_options kind =
        API_OPTIONS(CALL, kata_mesh_options,
                    CALL "(k, 20, .vertices = 12, .cell_vertices = {table, 3})", order);
    kata_mesh_options options;
    grid_mesh mesh;
    if (!k) {
        api_null(CALL, "the context");
        return NULL;
    }
    if (k->messages.status) return NULL;
    if (!given) {
        api_fail(k, KATA_ERROR_ARGUMENT, CALL ": the options are NULL");
        return NULL;
    }
    if (api_options_read(k, &kind, given, &options) || check_counts(k, &options) ||
        copy_tables(k, &options, &mesh))
        return NULL;
    return api_mesh_new(k, CALL, &mesh, options.nz ? options.nz : 1, options.order);
}

/* ---- what it has ----------------------------------------------------------------------------- */

static bool check_location(const kata_grid *grid, const char *call, kata_location on)
{
    if (!grid) return api_null(call, "the grid"), false;
    if (grid->k->messages.status) return false;
    if (!grid->mesh)
        return api_fail(grid->k, KATA_ERROR_ARGUMENT, "%s: the grid is no mesh", call), false;
    if ((unsigned)on - 1 < KATA_VERTICES) return true;
    return api_fail(grid->k, KATA_ERROR_ARGUMENT,
                    "%s: %d is not KATA_CELLS, KATA_EDGES or KATA_VERTICES", call, (int)on),
           false;
}

int64_t kata_grid_count(const kata_grid *grid, kata_location on)
{
    return check_location(grid, "kata_grid_count", on) ? grid->mesh->tables.count[on - KATA_CELLS]
                                                       : -1;
}

kata_neighbours kata_grid_neighbours(const kata_grid *grid, kata_location of, kata_location to)
{
    static const char call[] = "kata_grid_neighbours";
    if (!check_location(grid, call, of) || !check_location(grid, call, to))
        return (kata_neighbours){0};
    const grid_relation *r = &grid->mesh->given.relation[of - KATA_CELLS][to - KATA_CELLS];
    return (kata_neighbours){r->of, r->of ? r->width : 0};
}

/* ---- hidden values --------------------------------------------------------------------------- */

static int16_t *make_signs(kata *k, const grid_mesh *mesh, int from, int to)
{
    const grid_relation *r = &mesh->relation[from][to];
    int16_t *signs =
        arena_array(&k->memory, (size_t)(mesh->count[from] * r->width) + 1, sizeof *signs);
    for (int64_t i = 0; signs && i < mesh->count[from]; i++)
        for (int slot = 0; slot < r->width; slot++)
            signs[i * r->width + slot] = (int16_t)grid_mesh_sign(mesh, from, to, i, slot);
    return signs;
}

/* Sets the values of a slot from a table with `width` of each element. */
static void write_table(chain_slot *slot, kata_type type, const void *table, int width)
{
    const char *from = table;
    size_t bytes = (size_t)store_type_bytes(type);
    for (int64_t i = 0; i < slot->shape.size[0] * slot->shape.size[1]; i++) {
        int64_t at[3] = {0};
        at[slot->shape.size[0] > 1 ? 0 : 1] = i;
        for (int c = 0; c < width; c++, from += bytes) {
            ir_value element = {0};
            memcpy(&element, from, bytes);
            store_set_element(slot->array, c, at, element);
        }
    }
}

/* Where a slot is empty: -1, and less where another element than the first is to be read. */
static void write_empty(const grid_mesh *mesh, int from, int to, chain_slot *slot)
{
    const grid_relation *r = &mesh->relation[from][to];
    for (int64_t i = 0; r->misses && i < mesh->count[from]; i++) {
        const int32_t other = (int32_t)grid_mesh_other(mesh, from, to, i);
        int64_t at[3] = {0};
        at[mesh->along] = i;
        for (int k = 0; k < r->width; k++)
            if (r->of[i * r->width + k] < 0)
                store_set_element(slot->array, k, at, ir_value_of_int(IR_I32, -1 - other));
    }
}

/* Of each place, what a parameter has there; NULL when memory is out. */
static const void *values_of(kata *k, const grid_mesh *mesh, const ir_param *param)
{
    int from = param->on - KATA_CELLS, to = param->each - KATA_CELLS;
    if (param->hidden == IR_HIDDEN_NUMBERS) return mesh->places[from].number;
    if (param->hidden == IR_HIDDEN_SIGNS) return make_signs(k, mesh, from, to);
    return mesh->relation[from][to].of;
}

static kata_status fill(kata *k, const grid_mesh *mesh, const ir_param *param, chain_slot *slot)
{
    const void *table = values_of(k, mesh, param);
    if (!table) return api_no_memory(k);
    kata_status status = store_make_array(slot, param->name, &k->messages);
    api_note_error(k);
    if (status) return status;
    write_table(slot, slot->type, table, slot->components);
    if (param->hidden == IR_HIDDEN_NEIGHBOURS)
        write_empty(mesh, param->on - KATA_CELLS, param->each - KATA_CELLS, slot);
    return KATA_OK;
}

chain_slot *api_mesh_hidden(const kata_grid *grid, const ir_param *param)
{
    api_mesh *mesh = grid->mesh;
    int from = param->on - KATA_CELLS, to = param->each ? param->each - KATA_CELLS : 0;
    chain_slot **slot = &mesh->hidden[param->hidden][from][to], *known = *slot;
    if (known) return known;
    chain_slot like = {.shape = {3, {mesh->tables.count[from], 1, 1}},
                       .absent_axis = {0, 0, grid->shape.size[2]},
                       .type = param->hidden == IR_HIDDEN_SIGNS ? KATA_I16 : KATA_I32,
                       .components = param->count,
                       .on = param->on,
                       .each = param->each};
    api_mesh_turn(grid, &like);
    chain_slot *made = api_slot_new(grid->k, &like);
    if (!made || fill(grid->k, &mesh->tables, param, made)) return NULL;
    return *slot = made;
}
