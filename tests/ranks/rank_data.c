/* A program on the ranks that mpirun has started, whose parts are run by test_rank_data.sh:
 *
 *     rank_data get             boxes of fields of many kinds, compared with what they should be
 *     rank_data save            writes fields to files, which are the same on any number of ranks
 *     rank_data local           a rank's own points: owned once, got and put by one rank alone
 *     rank_data undealt         grids of which every rank has all points
 *     rank_data memory          says how many bytes more than for its own part a rank has needed
 */
#include "kata/kata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (condition) break;                                                                      \
        fprintf(stderr, "%s:%d: rank %d: not true: %s\n", __FILE__, __LINE__, kata_rank(NULL),     \
                #condition);                                                                       \
        exit(1);                                                                                   \
    } while (0)

static const char kernels[] =
    "kernel set3(out double u[3]) {\n"
    "    for (int c = 0; c < 3; c++) u[c] = ix + 100*iy + 10000*iz + 1000000*c;\n"
    "}\n"
    "kernel set(out double u) { u = ix + 100*iy + 10000*iz; }\n"
    "kernel set2(out double p) { p = ix + 100*iy; }\n"
    "kernel move(in double u, out double v) {\n"
    "    v = u + u[0,1,0] - u[0,-1,0] + u[0,0,1] - u[0,0,-1];\n"
    "}\n";

static kata_kernel *find(kata *k, const char *name)
{
    kata_kernel *kernel = kata_kernel_find(kata_module_from_text(k, "rank_data", kernels), name);
    REQUIRE(kernel);
    return kernel;
}

/* What `set` gives a point. */
static double value_at(int component, const int64_t at[3])
{
    return (double)(at[0] + 100 * at[1] + 10000 * at[2] + (int64_t)1000000 * component);
}

/* Compares values of a box, components one after another. */
static void expect_box(const kata_range *box, int components, const double *values)
{
    for (int c = 0; c < components; c++)
        for (int64_t z = box->lo[2]; z < box->hi[2]; z++)
            for (int64_t y = box->lo[1]; y < box->hi[1]; y++)
                for (int64_t x = box->lo[0]; x < box->hi[0]; x++)
                    REQUIRE(*values++ == value_at(c, (int64_t[3]){x, y, z}));
}

static int64_t points_of(const kata_range *r)
{
    return (r->hi[0] - r->lo[0]) * (r->hi[1] - r->lo[1]) * (r->hi[2] - r->lo[2]);
}

/* ---- get ------------------------------------------------------------------------------------- */

static void get_box(kata_field *field, kata_range box, int components)
{
    int64_t count = points_of(&box) * components;
    double *values = calloc((size_t)count + 1, sizeof *values);
    REQUIRE(values);
    REQUIRE(!kata_get(field, box, values, count));
    expect_box(&box, components, values);
    free(values);
}

static void get_boxes(const kata_grid *g, kata_field *field, int components)
{
    get_box(field, kata_on(field), components);
    get_box(field, kata_box_3d(g, 3, 4, 14, 15, 13, 14), components);
    get_box(field, kata_box_3d(g, 0, 12, 5, 6, 0, 14), components);
    get_box(field, kata_box_3d(g, 2, 9, 3, 12, 4, 11), components);
    get_box(field, kata_box_3d(g, 2, 2, 3, 12, 4, 11), components);
}

static void run_get(kata *k)
{
    kata_grid *g = kata_grid_3d(k, 12, 15, 14);
    kata_field *a = kata_field_new(g, "a", KATA_F64);
    kata_field *b = kata_field_new(g, "b", KATA_F32, .components = 3, .layout = KATA_STRUCTURES);
    kata_field *c = kata_field_new(g, "c", KATA_F64, .components = 3, .layout = KATA_BLOCKS);
    kata_field *d = kata_field_new(g, "d", KATA_F64, .staggered = KATA_Y | KATA_Z);
    kata_apply(find(k, "set"), kata_all(g), a);
    kata_apply(find(k, "set3"), kata_all(g), b);
    kata_apply(find(k, "set3"), kata_all(g), c);
    kata_apply(find(k, "set"), kata_on(d), d);
    get_boxes(g, a, 1);
    get_boxes(g, b, 3);
    get_boxes(g, c, 3);
    get_boxes(g, d, 1);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void run_save(kata *k)
{
    kata_grid *g = kata_grid_3d(k, 12, 15, 14), *plane = kata_grid_2d(k, 40, 31);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_new(g, "v", KATA_F64), *p = kata_field_new(plane, "p", KATA_F32);
    kata_field *w = kata_field_new(g, "w", KATA_BF16, .components = 3, .layout = KATA_BLOCKS);
    kata_apply(find(k, "set"), kata_all(g), u);
    kata_apply(find(k, "move"), kata_all(g), u, v);
    kata_apply(find(k, "set3"), kata_all(g), w);
    kata_apply(find(k, "set2"), kata_all(plane), p);
    kata_save(u, "u.npy");
    kata_save(w, "w.npy");
    kata_save(p, "p.png");
    kata_save(u, "all.h5", .with = {v, w});
    kata_save(w, "all.vtkhdf", .with = {u, v});
    kata_series *series = kata_series_new(u, "series.vtkhdf", .with = {w});
    for (int i = 0; i < 3; i++) {
        kata_apply(find(k, "move"), kata_all(g), u, v);
        kata_swap(u, v);
        kata_series_add(series, i);
    }
}

/* ---- a rank's own points --------------------------------------------------------------------- */

enum { NX = 12, NY = 15, NZ = 14, POINTS = NX * NY * NZ };

static int64_t number(int64_t x, int64_t y, int64_t z) { return x + NX * (y + NY * z); }

/* Rank r puts r to all that is its own; then each finds r as often as it has put it. */
static void expect_owned_once(kata_grid *g, int staggered)
{
    enum { MOST = (NX + 1) * (NY + 1) * (NZ + 1) };
    static double all[MOST], own[MOST];
    kata_range local;
    REQUIRE(!kata_local(g, staggered, &local));
    REQUIRE(local.local == (kata_ranks(NULL) > 1));
    kata_field *f = kata_field_new(g, "f", KATA_F64, .staggered = staggered);
    const kata_range on = kata_on(f);
    int64_t count = points_of(&local), found = 0, total = points_of(&on);
    for (int64_t i = 0; i < count; i++) own[i] = 1 + kata_rank(NULL);
    REQUIRE(!kata_put(f, local, own, count));
    REQUIRE(!kata_get(f, kata_on(f), all, total));
    for (int64_t i = 0; i < total; i++) found += all[i] == 1 + kata_rank(NULL);
    REQUIRE(found == count);
    for (int64_t i = 0; i < count; i++) own[i] = 0;
    REQUIRE(!kata_get(f, local, own, count));
    for (int64_t i = 0; i < count; i++) REQUIRE(own[i] == 1 + kata_rank(NULL));
}

/* `move` of all points of u. */
static void move(const double *u, double *v)
{
    for (int64_t z = 0; z < NZ; z++)
        for (int64_t y = 0; y < NY; y++)
            for (int64_t x = 0; x < NX; x++) {
                int64_t up = y < NY - 1 ? y + 1 : y, down = y > 0 ? y - 1 : y;
                int64_t behind = z < NZ - 1 ? z + 1 : z, before = z > 0 ? z - 1 : z;
                v[number(x, y, z)] = u[number(x, y, z)] + u[number(x, up, z)] -
                                     u[number(x, down, z)] + u[number(x, y, behind)] -
                                     u[number(x, y, before)];
            }
}

/* Rank 0 alone adds 1 to its own points of a field; so do all here. */
static void change_first(kata_grid *g, kata_field *u, kata_field *mask, double *values)
{
    static double own[POINTS], whole[POINTS];
    kata_range local;
    REQUIRE(!kata_local(g, 0, &local));
    int64_t count = points_of(&local);
    if (kata_rank(NULL) == 0) {
        REQUIRE(!kata_get(u, local, own, count));
        for (int64_t i = 0; i < count; i++) own[i] += 1;
        REQUIRE(!kata_put(u, local, own, count));
        for (int64_t i = 0; i < count; i++) own[i] = 1;
        REQUIRE(!kata_put(mask, local, own, count));
    }
    REQUIRE(!kata_get(mask, kata_all(g), whole, POINTS));
    for (int64_t i = 0; i < POINTS; i++) values[i] += whole[i];
}

static void expect_values(kata_field *field, kata_grid *g, const double *values)
{
    static double own[POINTS];
    kata_range local, all = kata_all(g);
    REQUIRE(!kata_local(g, 0, &local));
    int64_t count = points_of(&local), i = 0;
    REQUIRE(!kata_get(field, local, own, count));
    for (int64_t z = local.lo[2]; z < local.hi[2]; z++)
        for (int64_t y = local.lo[1]; y < local.hi[1]; y++)
            for (int64_t x = local.lo[0]; x < local.hi[0]; x++)
                REQUIRE(own[i++] == values[number(x, y, z)]);
    REQUIRE(!kata_get(field, all, own, POINTS));
    for (i = 0; i < POINTS; i++) REQUIRE(own[i] == values[i]);
}

/* Values that one rank alone has put reach the others' copies, and loops that run whole. */
static void expect_changes_seen(kata *k, kata_grid *g)
{
    static double u_here[POINTS], v_here[POINTS], turned[POINTS];
    kata_grid *other = kata_grid_3d(k, NX, NZ, NY);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_new(g, "v", KATA_F64), *mask = kata_field_new(g, "m", KATA_F64);
    kata_field *t = kata_field_new(other, "t", KATA_F64);
    kata_kernel *kernel = find(k, "move");
    kata_apply(find(k, "set"), kata_all(g), u);
    for (int64_t i = 0; i < POINTS; i++)
        u_here[i] = value_at(0, (int64_t[3]){i % NX, i / NX % NY, i / NX / NY});
    for (int round = 0; round < 3; round++) {
        kata_apply(kernel, kata_all(g), u, v); /* others get copies, and have them still after it */
        if (round == 1) kata_copy(t, kata_all(other), u, kata_all(g), .axes = {1, 3, 2});
        REQUIRE(!kata_flush(k));
        move(u_here, v_here);
        expect_values(v, g, v_here);
        change_first(g, u, mask, u_here);
    }
    REQUIRE(!kata_get(t, kata_all(other), turned, POINTS));
    kata_copy(t, kata_all(other), u, kata_all(g), .axes = {1, 3, 2});
    REQUIRE(!kata_get(t, kata_all(other), turned, POINTS));
    for (int64_t i = 0; i < POINTS; i++)
        REQUIRE(turned[i] == u_here[number(i % NX, i / NX / NZ, i / NX % NZ)]);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static char said[1000];

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)status;
    snprintf(said, sizeof said, "%s", message);
}

static void expect_refused(kata *k, kata_status status, const char *message)
{
    if (kata_ranks(NULL) == 1) {
        REQUIRE(!status);
        return;
    }
    REQUIRE(status == KATA_ERROR_ARGUMENT);
    if (!strstr(said, message)) fprintf(stderr, "said: %s\n", said);
    REQUIRE(strstr(said, message));
    kata_error_clear(k);
}

static void expect_refusals(kata *k, kata_grid *g)
{
    static double own[POINTS], memory[POINTS];
    kata_range local, wide;
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_field *w = kata_field_wrap(g, "w", KATA_F64, memory);
    REQUIRE(!kata_local(g, 0, &local));
    int64_t count = points_of(&local);
    wide = kata_all(g);
    wide.local = local.local;
    expect_refused(k, kata_put(u, wide, own, POINTS), "is marked by kata_local, and rank ");
    expect_refused(k, kata_fill(u, local, 1), "kata_local is for kata_get and kata_put");
    expect_refused(k, kata_copy(u, local, w, local), "kata_local is for kata_get and kata_put");
    expect_refused(k, kata_put(w, local, own, count), "has all of its values on every rank");
    kata_fill(u, kata_all(g), 2);
    expect_refused(k, kata_get(u, local, own, count), "queued kernels write field 'u'");
    expect_refused(k, kata_put(u, local, own, count), "queued kernels use field 'u'");
    REQUIRE(!kata_flush(k));
    REQUIRE(!kata_discard(u));
    expect_refused(k, kata_put(u, local, own, count), "the value of field 'u' was discarded");
}

static void run_local(kata *k)
{
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    expect_owned_once(g, 0);
    expect_owned_once(g, KATA_Y | KATA_Z);
    expect_owned_once(g, KATA_X);
    expect_changes_seen(k, g);
    expect_refusals(k, g);
}

/* Every rank has all points of few, and of a line. */
static void run_undealt(kata *k)
{
    kata_grid *line = kata_grid_1d(k, 100000), *few = kata_grid_2d(k, 30, 20);
    kata_range local;
    REQUIRE(!kata_local(line, 0, &local) && !local.local && points_of(&local) == 100000);
    REQUIRE(!kata_local(few, KATA_Y, &local) && !local.local && points_of(&local) == 30 * 21);
    REQUIRE(kata_local(few, KATA_Z, &local) == KATA_ERROR_ARGUMENT);
    REQUIRE(strstr(said, "kata_local: staggered has KATA_Z, and the grid has 2 dimensions"));
    kata_error_clear(k);
    REQUIRE(kata_local(few, 0, NULL) == KATA_ERROR_ARGUMENT);
    REQUIRE(strstr(said, "kata_local: the range is NULL"));
    kata_error_clear(k);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The most bytes that this process has had. */
static double peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static void run_memory(kata *k)
{
    kata_grid *g = kata_grid_3d(k, 256, 320, 320);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    kata_apply(find(k, "set"), kata_all(g), u);
    kata_apply(find(k, "move"), kata_all(g), u, v);
    REQUIRE(!kata_flush(k));
    double before = peak(), all = 8.0 * 256 * 320 * 320;
    get_box(u, kata_box_3d(g, 100, 140, 0, 320, 200, 201), 1);
    kata_save(u, "u.npy");
    kata_save(u, "u.h5");
    kata_save(u, "u.vtkhdf");
    double most = peak() - before;
    fprintf(stderr, "rank %d: %.0f MB for its part, %.0f MB more for files of %.0f MB\n",
            kata_rank(k), before / 1e6, most / 1e6, all / 1e6);
    REQUIRE(most < all / 8);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(kata *k);
    } parts[] = {{"get", run_get},
                 {"save", run_save},
                 {"memory", run_memory},
                 {"local", run_local},
                 {"undealt", run_undealt}};
    REQUIRE(argc == 2);
    kata *k = kata_open(&(kata_options){.handler = keep_message});
    REQUIRE(k);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(argv[1], parts[i].name)) parts[i].run(k);
    if (kata_error(k)) fprintf(stderr, "%s\n", kata_error_message(k));
    return kata_close(k);
}
