/* A program on the ranks that mpirun has started, whose parts are run by test_rank_data.sh:
 *
 *     rank_data get             boxes of fields of many kinds, compared with what they should be
 *     rank_data save            writes fields to files, which are the same on any number of ranks
 *     rank_data local           a rank's own points: owned once, got and put by one rank alone
 *     rank_data wrap            fields on memory for a rank's own points
 *     rank_data undealt         grids of which every rank has all points
 *     rank_data alone           one rank calls what all are to call
 *     rank_data swapped         one rank exchanges fields
 *     rank_data apart           one rank does something else: what ranks end with, not begin with
 *     rank_data mapped          one rank writes another value to the memory of a field
 *     rank_data record          records at a point, all of whose neighbours one rank has
 *     rank_data lists           ranks with several boxes each
 *     rank_data load            reads these files
 *     rank_data leave           the last rank exits before the others, as do vanish, die and abort
 *     rank_data busy            it comes late, as does stop
 *     rank_data memory          says how many bytes more than for its own part a rank has needed
 */
#include "rank_data.h"

#include <math.h>
#include <sys/resource.h>

static const char kernels[] =
    "kernel set3(out double u[3]) {\n"
    "    for (int c = 0; c < 3; c++) u[c] = ix + 100*iy + 10000*iz + 1000000*c;\n"
    "}\n"
    "kernel set(out double u) { u = ix + 100*iy + 10000*iz; }\n"
    "kernel levels(out double p) forward(y) { p = ix + 100*iy; }\n"
    "kernel below(in double p, out double q) { q = p + 0.5*p[0,-1]; }\n"
    "kernel total(in double u, sum double s) { s += u; }\n"
    "kernel check(in double u) { assert(u < -1); }\n"
    "kernel late(in double u, int y, int z) { assert(iz - (iy < y ? 2 : 0) < z); }\n"
    "kernel again(out double u, double q, sum double s) { u = q; s += q*ix; }\n"
    "kernel more(in double u, inout sum double t) { t += ix; }\n"
    "kernel set2(out double p) { p = ix + 100*iy; }\n"
    "kernel move(in double u, out double v) {\n"
    "    v = u + u[0,1,0] - u[0,-1,0] + u[0,0,1] - u[0,0,-1];\n"
    "}\n";

kata_kernel *find(kata *k, const char *name)
{
    kata_kernel *kernel = kata_kernel_find(kata_module_from_text(k, "rank_data", kernels), name);
    REQUIRE(kernel);
    return kernel;
}

/* What `set` gives a point. */
double value_at(int component, const int64_t at[3])
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

int64_t points_of(const kata_range *r)
{
    return (r->hi[0] - r->lo[0]) * (r->hi[1] - r->lo[1]) * (r->hi[2] - r->lo[2]);
}

/* ---- get ------------------------------------------------------------------------------------- */

void get_box(kata_field *field, kata_range box, int components)
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

/* A profile along x has one index along y, which ranks cut: it is copied whole. */
static void run_copy(kata *k)
{
    enum { N = 130 };
    kata_grid *g = kata_grid_2d(k, N, 300);
    kata_field *to = kata_field_new(g, "to", KATA_F64, .along = KATA_X);
    kata_field *from = kata_field_like(to, "from");
    double values[N], found[N];
    for (int i = 0; i < N; i++) values[i] = 1 + i;
    REQUIRE(!kata_put(from, kata_on(from), values, N));
    REQUIRE(!kata_copy(to, kata_on(to), from, kata_on(from)));
    REQUIRE(!kata_get(to, kata_on(to), found, N));
    REQUIRE(!memcmp(found, values, sizeof values));
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
    kata_series *film = kata_series_new(p, "p.apng"), *arrays = kata_series_new(w, "w-#.npy");
    kata_rows *rows = kata_rows_new(k, "rows.h5", "a, b[2] (m)");
    for (int i = 0; i < 3; i++) {
        const double time = i, numbers[3] = {1 + i, 2, 3};
        kata_apply(find(k, "move"), kata_all(g), u, v);
        kata_swap(u, v);
        kata_series_add(series, time);
        kata_series_add(film, time);
        kata_series_add(arrays, time);
        kata_rows_add(rows, 1, &time, numbers, 3);
    }
    kata_output_wait(k);
}

/* Reads what was saved: on several ranks into whole fields first, then into fields that are dealt
 * out. */
static void run_load(kata *k)
{
    kata_grid *g = kata_grid_3d(k, 12, 15, 14), *plane = kata_grid_2d(k, 40, 31);
    kata_field *p = kata_field_new(plane, "p", KATA_F32), *q = kata_field_like(p, "q");
    for (int round = 0; round < 2; round++) {
        kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
        kata_field *w = kata_field_new(g, "w", KATA_BF16, .components = 3);
        kata_field *v = kata_field_new(g, "v", KATA_F64, .boundary = KATA_CLAMP);
        REQUIRE(!kata_load(u, "u.npy"));
        get_box(u, kata_on(u), 1);
        REQUIRE(!kata_load(v, "all.vtkhdf") && !kata_load(w, "all.vtkhdf"));
        kata_save(w, round ? "w2.npy" : "w1.npy");
        kata_save(v, round ? "v2.npy" : "v1.npy");
        REQUIRE(!kata_load(v, "all.h5:/u"));
        get_box(v, kata_on(v), 1);
        REQUIRE(!kata_load(p, "p.png"));
        kata_save(p, round ? "p2.npy" : "p1.npy");
        REQUIRE(kata_load(q, "u.npy") == KATA_ERROR_ARGUMENT);
        REQUIRE(strstr(said, "u.npy: the array is 14 x 15 x 12, and field 'q' takes 31 x 40"));
        kata_error_clear(k);
        kata_apply(find(k, "move"), kata_all(g), u, v); /* lays the ranks out */
        kata_apply(find(k, "set2"), kata_all(plane), q);
        REQUIRE(!kata_flush(k));
    }
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
    REQUIRE(peak() - before < all / 8);
    REQUIRE(!kata_load(v, "u.npy"));
    double most = peak() - before;
    fprintf(stderr, "rank %d: %.0f MB for its part, %.0f MB more for files of %.0f MB\n",
            kata_rank(k), before / 1e6, most / 1e6, all / 1e6);
    REQUIRE(kata_rank(k) == 0 || most < all / 8); /* the first one has all that it loads */
}

/* ---- errors ---------------------------------------------------------------------------------- */

char said[1000];

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)status;
    snprintf(said, sizeof said, "%s", message);
}

void expect_refused(kata *k, kata_status status, const char *message)
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

/* Linear weights are exact for what `set` sets. */
static void run_record(kata *k)
{
    static const double at[2][3] = {{2.5, 0.25, 0.5}, {6.5, 10.75, 8.5}};
    kata_grid *g = kata_grid_3d(k, 8, 12, 10);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_scalar *found = kata_scalar_new(k, "found", KATA_F64);
    kata_apply(find(k, "set"), kata_all(g), u);
    for (int p = 0; p < 2; p++) {
        double x = 0;
        kata_record(kata_points_new(g, "receiver", at[p], 1), found, u);
        REQUIRE(!kata_scalar_get(found, &x));
        REQUIRE(fabs(x - (at[p][0] + 100 * at[p][1] + 10000 * at[p][2])) < 1e-9);
    }
    /* What is added next to a periodic side is found from the other one, in the same chain. */
    kata_field *v = kata_field_new(g, "v", KATA_F64, .boundary = KATA_PERIODIC), *w;
    w = kata_field_like(v, "w");
    const double side[2][3] = {{4, 11, 9}, {4, 0, 0}};
    kata_points *sides = kata_points_new(g, "sides", side[0], 2);
    double far[2];
    for (int step = 0; step < 2; step++) {
        kata_inject(sides, 1.0, v);
        kata_apply(find(k, "move"), kata_all(g), v, w);
        kata_swap(v, w);
    }
    kata_get(v, kata_box_3d(g, 4, 5, 0, 1, 0, 1), &far[0], 1);
    kata_get(v, kata_box_3d(g, 4, 5, 11, 12, 9, 10), &far[1], 1);
    REQUIRE(far[0] == 0 && far[1] == 0); /* on one rank */
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(kata *k);
    } parts[] = {{"get", run_get},         {"save", run_save},       {"load", run_load},
                 {"memory", run_memory},   {"local", run_local},     {"wrap", run_wrap},
                 {"undealt", run_undealt}, {"checked", run_checked}, {"alone", run_alone},
                 {"swapped", run_swapped}, {"leave", run_leave},     {"vanish", run_vanish},
                 {"die", run_die},         {"abort", run_abort},     {"busy", run_busy},
                 {"stop", run_stop},       {"record", run_record},   {"copy", run_copy},
                 {"apart", run_apart},     {"mapped", run_mapped},   {"lists", run_lists}};
    REQUIRE(argc > 1);
    kata *k = kata_open(&(kata_options){.handler = keep_message});
    REQUIRE(k);
    for (int a = 1; a < argc; a++)
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (!strcmp(argv[a], parts[i].name)) parts[i].run(k);
    if (kata_error(k)) fprintf(stderr, "%s\n", kata_error_message(k));
    return kata_close(k);
}
