/* Meshes in netCDF-4 files. The process that reads HDF5 finds the tables (reader/mesh_tables.c);
 * here their entries become numbers from 0, and -1. */
#include "io/read_hdf5.h"

#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KINDS = 3, VERTEX = 2, MOST_ELEMENTS = INT32_MAX };

/* A table as the file has it. */
typedef struct table_in_file {
    reader_table as;
    int64_t rows, width;
    int64_t *values; /* malloc'd, in the file's order */
} table_in_file;

typedef struct mesh_reading {
    const char *path;
    grid_mesh *mesh;
    arena *memory;
    messages *m;
    table_in_file table[KINDS][KINDS];
} mesh_reading;

static const char *one(int kind) { return ir_location_name(KATA_CELLS + kind, false); }
static const char *many(int kind) { return ir_location_name(KATA_CELLS + kind, true); }

/* ---- what the file has ----------------------------------------------------------------------- */

static kata_status ask_for(mesh_reading *r, const char *name, reader_reply *reply)
{
    const reader_request request = {.kind = READER_MESH, .name = name};
    return io_reader_ask(r->path, &request, reply, NULL, r->m);
}

static kata_status check_shape(mesh_reading *r, const reader_reply *reply)
{
    const char *name = reply->table.variable;
    if (reply->type == KATA_F64 || reply->type == KATA_F32)
        return message_fail(r->m, KATA_ERROR_FILE, "%s: %s does not hold whole numbers", r->path,
                            name);
    if (reply->axes == 2) return KATA_OK;
    return message_fail(r->m, KATA_ERROR_FILE,
                        "%s: %s has %d axes; a table of neighbours has two, elements and slots",
                        r->path, name, (int)reply->axes);
}

static kata_status check_sizes(mesh_reading *r, const table_in_file *t, int from)
{
    int64_t *count = &r->mesh->count[from];
    const char *name = t->as.variable;
    if (t->width < 1 || t->width > GRID_WIDEST)
        return message_fail(r->m, KATA_ERROR_FILE,
                            "%s: %s has %lld slots for each %s; they are 1 to %d", r->path, name,
                            (long long)t->width, one(from), GRID_WIDEST);
    if (t->rows > MOST_ELEMENTS)
        return message_fail(r->m, KATA_ERROR_FILE, "%s: %s has %lld rows; %d are most", r->path,
                            name, (long long)t->rows, (int)MOST_ELEMENTS);
    if (*count && *count != t->rows)
        return message_fail(r->m, KATA_ERROR_FILE, "%s: %s has %lld rows, and there are %lld %s",
                            r->path, name, (long long)t->rows, (long long)*count, many(from));
    *count = t->rows;
    if (t->as.start >= -MOST_ELEMENTS && t->as.start <= MOST_ELEMENTS) return KATA_OK;
    return message_fail(r->m, KATA_ERROR_FILE, "%s: %s counts from %lld; it is 0 or 1 elsewhere",
                        r->path, name, (long long)t->as.start);
}

static kata_status read_values(mesh_reading *r, const char *name, table_in_file *t)
{
    reader_request request = {.kind = READER_MESH, .name = name, .type = KATA_I64};
    reader_reply reply;
    request.bytes = t->rows * t->width * (int64_t)sizeof *t->values;
    t->values = malloc((size_t)request.bytes + 1);
    if (!t->values) return message_no_memory(r->m);
    return request.bytes ? io_reader_ask(r->path, &request, &reply, t->values, r->m) : KATA_OK;
}

static kata_status find_table(mesh_reading *r, int from, int to)
{
    const char *name = ir_relation_name(KATA_CELLS + from, KATA_CELLS + to);
    table_in_file *t = &r->table[from][to];
    reader_reply reply;
    kata_status status = ask_for(r, name, &reply);
    t->as = reply.table;
    if (status || t->as.absent) return status;
    status = check_shape(r, &reply);
    if (status) return status;
    t->rows = reply.size[t->as.slots_first ? 1 : 0];
    t->width = reply.size[t->as.slots_first ? 0 : 1];
    status = check_sizes(r, t, from);
    return status ? status : read_values(r, name, t);
}

/* From where they lie; or from their tables, which come later. */
static kata_status count_vertices(mesh_reading *r)
{
    reader_reply reply;
    kata_status status = ask_for(r, "vertices", &reply);
    if (status || reply.table.absent) return status;
    if (reply.axes == 1 && reply.size[0] <= MOST_ELEMENTS) {
        r->mesh->count[VERTEX] = reply.size[0];
        return KATA_OK;
    }
    return message_fail(r->m, KATA_ERROR_FILE, "%s: %s is no list of coordinates of vertices",
                        r->path, reply.table.variable);
}

/* ---- entries --------------------------------------------------------------------------------- */

static bool is_empty(const reader_table *as, int64_t value)
{
    return (as->has_fill && value == as->fill) || (as->below && value < as->start);
}

static kata_status convert(mesh_reading *r, int from, int to)
{
    const table_in_file *t = &r->table[from][to];
    const int64_t count = r->mesh->count[to];
    int32_t *of = arena_array(r->memory, (size_t)(t->rows * t->width) + 1, sizeof *of);
    char *name = arena_copy_text(r->memory, t->as.variable, strlen(t->as.variable));
    if (!of || !name) return message_no_memory(r->m);
    for (int64_t row = 0; row < t->rows; row++)
        for (int64_t slot = 0; slot < t->width; slot++) {
            int64_t value =
                t->values[t->as.slots_first ? slot * t->rows + row : row * t->width + slot];
            bool empty = is_empty(&t->as, value);
            bool is = !empty && value >= t->as.start && value < t->as.start + count;
            of[row * t->width + slot] = is ? (int32_t)(value - t->as.start) : -1;
            if (empty || is) continue;
            return message_fail(r->m, KATA_ERROR_FILE,
                                "%s: %s, %s %lld, slot %lld: there is no %s %lld: they count from "
                                "%lld to %lld",
                                r->path, name, one(from), (long long)row, (long long)slot, one(to),
                                (long long)value, (long long)t->as.start,
                                (long long)(count + t->as.start - 1));
        }
    r->mesh->relation[from][to] = (grid_relation){.width = (int)t->width, .of = of};
    r->mesh->name[from][to] = name;
    return KATA_OK;
}

/* ---- files that are none --------------------------------------------------------------------- */

static bool is_classic(const char *path)
{
    char first[3] = "";
    int file;
    if (file_open(path, &file)) return false;
    bool is = read(file, first, sizeof first) == sizeof first && !memcmp(first, "CDF", 3);
    close(file);
    return is;
}

static kata_status check_kind(mesh_reading *r)
{
    if (!is_classic(r->path)) return KATA_OK;
    message_begin(r->m, KATA_ERROR_FILE,
                  "cannot read %s: it is a netCDF file of the classic format, and meshes are read "
                  "from netCDF-4",
                  r->path);
    message_line(r->m, "'nccopy -k netCDF-4 %s new.nc' copies it", r->path);
    return message_send(r->m);
}

/* The slots of all tables whose entries are of a kind. */
static int64_t slots_for(const mesh_reading *r, int kind)
{
    int64_t slots = 0;
    for (int from = 0; from < KINDS; from++)
        slots += r->table[from][kind].rows * r->table[from][kind].width;
    return slots < MOST_ELEMENTS ? slots : MOST_ELEMENTS;
}

/* Of a kind that no table has rows of, as many as the largest number in others says. They are not
 * more than the slots in which they are found: so a small file makes no large mesh. */
static void count_others(mesh_reading *r)
{
    for (int kind = 0; kind < KINDS; kind++) {
        const int64_t most = slots_for(r, kind);
        int64_t count = 0;
        for (int from = 0; from < KINDS && !r->mesh->count[kind]; from++) {
            const table_in_file *t = &r->table[from][kind];
            for (int64_t e = 0; t->values && e < t->rows * t->width; e++)
                if (!is_empty(&t->as, t->values[e]) && t->values[e] >= t->as.start &&
                    t->values[e] < t->as.start + most)
                    count = larger(count, t->values[e] - t->as.start + 1);
        }
        if (!r->mesh->count[kind]) r->mesh->count[kind] = count;
    }
}

static kata_status read_all(mesh_reading *r)
{
    bool any = false;
    kata_status status = check_kind(r);
    if (!status) status = count_vertices(r);
    for (int i = 0; i < KINDS * KINDS && !status; i++) status = find_table(r, i / KINDS, i % KINDS);
    if (!status) count_others(r);
    for (int i = 0; i < KINDS * KINDS && !status; i++)
        if (r->table[i / KINDS][i % KINDS].values) {
            any = true;
            status = convert(r, i / KINDS, i % KINDS);
        }
    if (!status && !any)
        status = message_fail(r->m, KATA_ERROR_FILE,
                              "%s: no variable has the cf_role 'mesh_topology' with tables, and "
                              "there are none of the names in ICON grid files",
                              r->path);
    return status;
}

kata_status io_mesh_read(const char *path, grid_mesh *mesh, arena *memory, messages *m)
{
    mesh_reading r = {.path = path, .mesh = mesh, .memory = memory, .m = m};
    *mesh = (grid_mesh){.where = path};
    kata_status status = read_all(&r);
    for (int i = 0; i < KINDS * KINDS; i++) free(r.table[i / KINDS][i % KINDS].values);
    return status;
}
