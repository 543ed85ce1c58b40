/* Fields in files of which a step overwrites all but a rim: the rim stays in memory, and what the
 * next step overwrites does not go home. Rows and planes of files have little room around them. */
/* Labels: slow */
#include "files_world.h"

#include "api/api.h"
#include "exec/on_files.h"

enum { STEPS = 20, WIDTH = 250, HEIGHT = 600, DEEP = 40 };

/* `turn` reads the rim of t, which no loop writes; each step waits for what the one before has
 * reduced. */
static const char program[] =
    "kernel flux(in double u, out double t, double by)\n"
    "{ t = by*(u[1,0] - u[-1,0] + u[0,1] - u[0,-1]); }\n"
    "kernel turn(in double u, in double t, out double v, max double most)\n"
    "{ v = u + t[1,0] + t[-1,0] - t[0,1] - t[0,-1]; most = max(most, fabs(v)); }\n"
    "kernel flux3(in double u, out double t, double by)\n"
    "{ t = by*(u[1,0,0] - u[-1,0,0] + u[0,1,1] - u[0,-1,-1]); }\n"
    "kernel turn3(in double u, in double t, out double v, max double most)\n"
    "{ v = u + t[1,0,1] + t[-1,0,0] - t[0,1,0] - t[0,-1,-1]; most = max(most, fabs(v)); }\n";

/* A grid, and three fields on it. */
typedef struct fields {
    kata_grid *grid;
    kata_field *u, *v, *t;
    kata_scalar *most;
    int64_t count;
    bool deep; /* three dimensions */
} fields;

static fields make_fields(kata *k, bool deep)
{
    fields f = {.deep = deep, .count = deep ? (int64_t)WIDTH * DEEP * DEEP : WIDTH * HEIGHT};
    f.grid = deep ? kata_grid_3d(k, WIDTH, DEEP, DEEP) : kata_grid_2d(k, WIDTH, HEIGHT);
    f.u = kata_field_new(f.grid, "u", KATA_F64);
    f.v = kata_field_like(f.u, "v");
    f.t = kata_field_like(f.u, "t");
    f.most = kata_scalar_new(k, "most", KATA_F64);
    return f;
}

static void put_values(const fields *f, double *values)
{
    kata_field *const all[] = {f->u, f->v, f->t};
    for (int i = 0; i < 3; i++) {
        for (int64_t n = 0; n < f->count; n++) values[n] = (double)((n + i) * 7919 % 1000) / 1e4;
        assert_int_equal(kata_put(all[i], kata_all(f->grid), values, f->count), KATA_OK);
    }
}

static void run_steps(kata *k, kata_module *m, const fields *f)
{
    kata_kernel *flux = kata_kernel_find(m, f->deep ? "flux3" : "flux");
    kata_kernel *turn = kata_kernel_find(m, f->deep ? "turn3" : "turn");
    const kata_range inside = f->deep ? kata_box_3d(f->grid, 1, WIDTH - 1, 1, DEEP - 1, 1, DEEP - 1)
                                      : kata_box_2d(f->grid, 1, WIDTH - 1, 1, HEIGHT - 1);
    for (int i = 0; i < STEPS; i++) {
        kata_apply(flux, inside, f->u, f->t, f->most);
        kata_apply(turn, inside, f->u, f->t, f->v, f->most);
        kata_swap(f->u, f->v);
    }
    assert_int_equal(kata_flush(k), KATA_OK);
}

/* Returns the bytes that were moved; `values` of all fields at the end. */
static size_t run(bool deep, int64_t memory, double *values)
{
    world w;
    open_limited(&w, memory, 0);
    kata_module *m = kata_module_from_text(w.k, "turns.kata", program);
    const fields f = make_fields(w.k, deep);
    assert_int_equal(kata_scalar_set(f.most, 0.1), KATA_OK);
    put_values(&f, values);
    run_steps(w.k, m, &f);
    const port *p = memory ? w.k->exec.files->port : NULL;
    const size_t moved = p ? port_moved(p, false) + port_moved(p, true) : 0;
    kata_field *const all[] = {f.u, f.v, f.t};
    for (int i = 0; i < 3; i++)
        assert_int_equal(kata_get(all[i], kata_all(f.grid), values + i * f.count, f.count),
                         KATA_OK);
    close_world(&w);
    return moved;
}

/* In each step u comes and v goes. Once the rims of v and t come, with their planes; at the end t
 * goes. */
static void compare(bool deep, double room)
{
    enum { ONCE = 3, MARGIN = 2 };
    const int64_t count = deep ? (int64_t)WIDTH * DEEP * DEEP : WIDTH * HEIGHT;
    const double bytes = (double)count * sizeof(double), most = 2 * STEPS + ONCE + MARGIN;
    double *one = malloc((size_t)(3 * count) * sizeof *one),
           *other = malloc((size_t)(3 * count) * sizeof *other);
    assert_true(one && other);
    run(deep, 0, one);
    const double moved = (double)run(deep, deep ? 4 << 20 : 1500 << 10, other) / bytes;
    assert_memory_equal(one, other, (size_t)(3 * count) * sizeof *one);
    assert_true(moved > 0);
    if (moved > most * room) fail_msg("moved %.2f fields, not %.2f", moved, most * room);
    free(one);
    free(other);
}

static void rims_of_rows_stay_in_memory(void **state)
{
    (void)state;
    compare(false, 1.08);
}

static void rims_of_planes_stay_in_memory(void **state)
{
    (void)state;
    compare(true, 1.08);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rims_of_rows_stay_in_memory),
        cmocka_unit_test(rims_of_planes_stay_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
