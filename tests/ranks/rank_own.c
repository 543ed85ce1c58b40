/* A rank's own points: owned once, got and put by one rank alone, in memory of the program. */
#include "rank_data.h"

/* ---- a rank's own points --------------------------------------------------------------------- */

enum { NX = 12, NY = 15, NZ = 14, POINTS = NX * NY * NZ };

static int64_t number(int64_t x, int64_t y, int64_t z) { return x + NX * (y + NY * z); }

static void set_all(double *values)
{
    for (int64_t i = 0; i < POINTS; i++)
        values[i] = value_at(0, (int64_t[3]){i % NX, i / NX % NY, i / NX / NY});
}

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
    set_all(u_here);
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

/* A loop that runs whole on each rank has written a field; then the first rank alone changes it. */
static void expect_change_of_whole(kata *k)
{
    static double own[NX * NY], all[NX * NY];
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *p = kata_field_new(g, "p", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *q = kata_field_new(g, "q", KATA_F64);
    kata_range local;
    kata_apply(find(k, "set2"), kata_all(g), q); /* deals out */
    kata_apply(find(k, "levels"), kata_all(g), p);
    REQUIRE(!kata_flush(k) && !kata_local(g, 0, &local));
    if (kata_ranks(k) > 1 && !local.local) return; /* planes are cut, and this grid has one */
    const int64_t count = points_of(&local), end = kata_rank(k) ? 0 : local.hi[1];
    for (int64_t i = 0; i < count; i++) own[i] = -1;
    if (kata_rank(k) == 0) REQUIRE(!kata_put(p, local, own, count));
    kata_apply(find(k, "below"), kata_all(g), p, q);
    REQUIRE(!kata_get(q, kata_all(g), all, NX * NY));
    for (int64_t i = 0; i < NX * NY && !kata_rank(k); i++) {
        int64_t x = i % NX, y = i / NX, before = y ? y - 1 : 0;
        double here = y < end ? -1 : (double)(x + 100 * y);
        REQUIRE(all[i] == here + 0.5 * (before < end ? -1 : (double)(x + 100 * before)));
    }
}

/* ---- memory of the program ------------------------------------------------------------------- */

/* Memory for a rank's own points, in a frame that is not touched: rows are three longer. */
typedef struct framed {
    kata_range local;
    int64_t rows, planes;
    double *values;
} framed;

enum { PITCH = NX + 3, FRAME = -5 };

static int64_t framed_size(const framed *f) { return PITCH * f->rows * f->planes; }

/* Where value i of such memory is in the grid; -1: in the frame. */
static int64_t framed_number(const framed *f, int64_t i)
{
    int64_t x = i % PITCH, y = i / PITCH % f->rows, z = i / PITCH / f->rows;
    return x < NX ? number(x, y + f->local.lo[1], z + f->local.lo[2]) : -1;
}

/* Memory with the values of all points that are a rank's. */
static framed framed_new(const kata_grid *g, const double *values)
{
    framed f;
    REQUIRE(!kata_local(g, 0, &f.local));
    f.rows = f.local.hi[1] - f.local.lo[1];
    f.planes = f.local.hi[2] - f.local.lo[2];
    f.values = malloc((size_t)framed_size(&f) * sizeof *f.values);
    REQUIRE(f.values);
    for (int64_t i = 0; i < framed_size(&f); i++)
        f.values[i] = framed_number(&f, i) < 0 ? FRAME : values[framed_number(&f, i)];
    return f;
}

static void expect_shown(const framed *f, const double *wanted)
{
    for (int64_t i = 0; i < framed_size(f); i++) {
        int64_t at = framed_number(f, i);
        REQUIRE(f->values[i] == (at < 0 ? FRAME : wanted[at]));
    }
}

static kata_field *wrap_own(kata_grid *g, const char *name, const framed *f)
{
    return kata_field_wrap(g, name, KATA_F64, f->values, .stride = {1, PITCH},
                           .boundary = KATA_CLAMP, .local = true);
}

/* Doubles the values of a mapped field. */
static void double_mapped(kata_field *field, const framed *f, double *values)
{
    double *mapped;
    kata_mapping at;
    REQUIRE(!kata_map(field, &mapped, &at));
    REQUIRE(mapped == f->values && at.size[1] == f->rows && at.size[2] == f->planes);
    for (int64_t z = 0; z < at.size[2]; z++)
        for (int64_t y = 0; y < at.size[1]; y++)
            for (int64_t x = 0; x < NX; x++)
                mapped[x * at.stride[0] + y * at.stride[1] + z * at.stride[2]] *= 2;
    REQUIRE(!kata_unmap(field));
    for (int64_t i = 0; i < POINTS; i++) values[i] *= 2;
}

/* What is put, and what a loop makes that runs whole, is shown as well. */
static void show_others(kata *k, kata_grid *g, kata_field *u, const framed *f, double *values)
{
    static double own[POINTS];
    kata_grid *other = kata_grid_3d(k, NX, NZ, NY);
    kata_field *t = kata_field_new(other, "t", KATA_F64);
    int64_t count = points_of(&f->local);
    REQUIRE(!kata_get(u, f->local, own, count));
    for (int64_t i = 0; i < count; i++) own[i] += 1;
    REQUIRE(!kata_put(u, f->local, own, count));
    for (int64_t i = 0; i < POINTS; i++) values[i] += 1;
    REQUIRE(!kata_flush(k));
    expect_shown(f, values);
    kata_fill(t, kata_all(other), 3);
    kata_copy(u, kata_all(g), t, kata_all(other), .axes = {1, 3, 2});
    for (int64_t i = 0; i < POINTS; i++) values[i] = 3;
    REQUIRE(!kata_flush(k));
    expect_shown(f, values);
}

void run_wrap(kata *k)
{
    static double here[POINTS], next[POINTS];
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    set_all(here);
    const framed memory[2] = {framed_new(g, here), framed_new(g, next)};
    kata_field *u = wrap_own(g, "u", &memory[0]), *v = wrap_own(g, "v", &memory[1]);
    for (int round = 0; round < 4; round++) {
        kata_apply(find(k, "move"), kata_all(g), u, v);
        kata_swap(u, v);
        move(here, next);
        memcpy(here, next, sizeof here);
        REQUIRE(!kata_flush(k));
        expect_shown(&memory[(round + 1) % 2], here);
        if (round == 1) double_mapped(u, &memory[0], here);
    }
    expect_values(u, g, here);
    show_others(k, g, u, &memory[0], here);
    REQUIRE(!kata_field_wrap(g, "w", KATA_F64, memory[0].values, .ghosts = 1, .local = true));
    REQUIRE(strstr(kata_error_message(k), "field 'w' is .local, and has ghosts"));
    kata_error_clear(k);
    REQUIRE(!kata_field_wrap(g, "w", KATA_F64, memory[0].values + 1, .local = true));
    REQUIRE(strstr(kata_error_message(k), "some of the memory of field 'w' is that of another"));
    kata_error_clear(k);
}

/* ---- errors ---------------------------------------------------------------------------------- */

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

void run_local(kata *k)
{
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    expect_owned_once(g, 0);
    expect_owned_once(g, KATA_Y | KATA_Z);
    expect_owned_once(g, KATA_X);
    expect_changes_seen(k, g);
    expect_change_of_whole(k);
    expect_refusals(k, g);
}

/* A check fails at all points, behind a sum: it is reported at the first one. */
void run_checked(kata *k)
{
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_apply(find(k, "set"), kata_all(g), u);
    kata_apply(find(k, "total"), kata_all(g), u, kata_scalar_new(k, "s", KATA_F64));
    kata_apply(find(k, "check"), kata_all(g), u);
    REQUIRE(kata_flush(k) == KATA_ERROR_ASSERT);
    REQUIRE(strstr(said, "this assert fails at point (0, 0, 0)"));
    kata_error_clear(k);
}

/* One rank calls kata_local, and others do not. */
void run_alone(kata *k)
{
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_range local;
    kata_apply(find(k, "set"), kata_all(g), u);
    if (kata_rank(k) == 1) kata_local(g, 0, &local);
    REQUIRE(kata_flush(k) == KATA_ERROR_ARGUMENT);
    REQUIRE(strstr(said, "ranks disagree") && strstr(said, "deal out a grid of 3 dimensions"));
    kata_error_clear(k);
}

/* One rank exchanges two fields, and others do not: of these it has other copies than they have. */
void run_swapped(kata *k)
{
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    kata_kernel *set = find(k, "set"), *move = find(k, "move");
    kata_apply(set, kata_all(g), u);
    kata_apply(move, kata_all(g), u, v);
    REQUIRE(!kata_flush(k));
    if (kata_rank(k) == 1) kata_swap(u, v);
    kata_apply(move, kata_all(g), u, v);
    REQUIRE(kata_flush(k) == KATA_ERROR_ARGUMENT);
    REQUIRE(strstr(said, "ranks disagree") && strstr(said, "both run a chain of 1 loops"));
    kata_error_clear(k);
}

/* Every rank has all points of few, and of a line. */
void run_undealt(kata *k)
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
