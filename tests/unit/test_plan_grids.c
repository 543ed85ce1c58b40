/* Plans of loops on grids that are related by a ratio: which loops are tiled together, how far each
 * lags behind in points of the finest grid, and that tiles of any size are right. */
#include "lang/lang.h"
#include "legality/legality.h"
#include "plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FINE, RIGHT, RESIDUAL, COARSE, COARSE_RIGHT, THIRD, FIELDS };

static const char *const names[] = {"u", "f", "r", "cu", "cf", "third"};

static const char kernels[] =
    "kernel relax(inout double u, in double f)\n"
    "{ u = 0.25*(f + u[1,0] + u[-1,0] + u[0,1] + u[0,-1]); }\n"
    "kernel residual(in double u, in double f, out double r)\n"
    "{ r = f - 4*u + u[1,0] + u[-1,0] + u[0,1] + u[0,-1]; }\n"
    "kernel down(in double r finer(2), out double f, out double u)\n"
    "{ f = 0.25*(r + r[1,0] + r[0,1] + r[1,1]); u = 0; }\n"
    "kernel up(in double c, inout double u finer(2))\n"
    "{ u[0,0] += c[-1,0] + c[0,-1]; u[1,0] += c[1,0]; u[0,1] += c[0,1]; u[1,1] += c; }\n"
    "kernel add(in double c coarser(2), inout double u) { u += c[-1,0] + c[0,1]; }\n"
    "kernel third(in double t coarser(3), inout double u) { u += t; }\n"
    "kernel thirds(in double u finer(3), out double t) { t = u[2,2]; }\n";

typedef struct cycle {
    chain_slot slots[FIELDS];
    grid_boundary boundary;
    lang_module *module;
    chain chain;
    messages m;
    grid_shape fine;
} cycle;

static grid_shape shape_of(const cycle *c, int field)
{
    int ratio = field <= RESIDUAL ? 1 : field == THIRD ? 3 : 2;
    return (grid_shape){2, {c->fine.size[0] / ratio, c->fine.size[1] / ratio, 1}};
}

static void make(cycle *c, int64_t nx, int64_t ny, kata_rule rule)
{
    *c = (cycle){.fine = {2, {nx, ny, 1}}};
    assert_int_equal(lang_compile("grids.kata", kernels, strlen(kernels), NULL, &c->m, &c->module),
                     KATA_OK);
    for (int side = 0; side < 6; side++) c->boundary.side[side].rule = rule;
    for (int i = 0; i < FIELDS; i++)
        c->slots[i] = (chain_slot){.shape = shape_of(c, i), .type = KATA_F64, .components = 1};
}

/* `grid`: a field on the loop's grid. */
static void apply(cycle *c, const char *kernel, int grid, int color, const int *fields)
{
    chain_binding bindings[4] = {{0}};
    chain_loop loop = {.bindings = bindings, .shape = shape_of(c, grid)};
    for (int i = 0; i < c->module->count; i++)
        if (!strcmp(c->module->kernels[i]->name, kernel)) loop.kernel = c->module->kernels[i];
    assert_non_null(loop.kernel);
    loop.box = grid_shape_box(&loop.shape);
    loop.colors = color < 0 ? 0 : 2;
    loop.color = color < 0 ? 0 : color;
    for (int p = 0; p < loop.kernel->param_count; p++)
        bindings[p] = (chain_binding){
            .slot = &c->slots[fields[p]], .name = names[fields[p]], .boundary = &c->boundary};
    if (legality_check(&loop, &c->m)) fail_msg("%s", text_get(&c->m.body));
    assert_int_equal(chain_append(&c->chain, &loop, &c->m), KATA_OK);
}

#define APPLY(c, kernel, grid, color, ...) apply(c, kernel, grid, color, (const int[]){__VA_ARGS__})

/* Sweeps, residual, restriction; a sweep on the coarser grid; correction and a sweep. */
static void queue_cycle(cycle *c)
{
    for (int color = 0; color < 2; color++) APPLY(c, "relax", FINE, color, FINE, RIGHT);
    APPLY(c, "residual", FINE, -1, FINE, RIGHT, RESIDUAL);
    APPLY(c, "down", COARSE, -1, RESIDUAL, COARSE_RIGHT, COARSE);
    APPLY(c, "relax", COARSE, 0, COARSE, COARSE_RIGHT);
    APPLY(c, "up", COARSE, -1, COARSE, FINE);
    APPLY(c, "relax", FINE, 0, FINE, RIGHT);
}

static void end(cycle *c)
{
    chain_free(&c->chain);
    lang_module_free(c->module);
    message_free(&c->m);
}

static void expect_plan(cycle *c, const char *request, const char *expected)
{
    analysis_chain a;
    plan p = {0};
    plan_request r;
    text why = {0}, shown = {0};
    assert_true(plan_request_read(request, &r, 1, &why));
    assert_true(analysis_chain_make(&c->chain, &a));
    assert_true(plan_make(&p, &a, &r));
    if (!plan_verify(&p, &a, &why)) fail_msg("%s", text_get(&why));
    plan_print(&shown, &p, &a);
    if (expected) assert_string_equal(text_get(&shown), expected);
    plan_free(&p);
    analysis_chain_free(&a);
    text_free(&why);
    text_free(&shown);
}

#define TILE "tile dimension 1 size 5 overlap 0 parallel 0 wave 1 seam 0 period 0 0 0\n"

/* The restriction of a row lies one fine point behind the residual of the two rows that it reads.
 * The coarser grid's own sweep is in no group with them. */
static void transfers_are_tiled_with_the_finer_grid(void **state)
{
    (void)state;
    cycle c;
    make(&c, 16, 16, KATA_CLAMP);
    queue_cycle(&c);
    expect_plan(&c, "skewed y=5",
                "seq\n"
                "  " TILE "    seq\n"
                "      loop number 0 spans 0 0  # relax\n"
                "      loop number 1 spans -1 -1  # relax\n"
                "      loop number 2 spans -2 -2  # residual\n"
                "      loop number 3 scale 2 2 1 spans -3 -3  # down\n"
                "  " TILE "    seq\n"
                "      loop number 4 spans 0 0  # relax\n"
                "  " TILE "    seq\n"
                "      loop number 5 scale 2 2 1 spans 0 0  # up\n"
                "      loop number 6 spans -1 -1  # relax\n");
    end(&c);
}

/* A point reads its parent, and a neighbour of that above: those of two coarse rows, which the
 * restriction has made from four fine rows. The upper of two points that have one parent is the
 * last that reads it: only then may the next restriction write it. */
static void parents_are_up_to_two_rows_ahead(void **state)
{
    (void)state;
    cycle c;
    make(&c, 16, 16, KATA_CLAMP);
    APPLY(&c, "residual", FINE, -1, FINE, RIGHT, RESIDUAL);
    APPLY(&c, "down", COARSE, -1, RESIDUAL, COARSE_RIGHT, COARSE);
    APPLY(&c, "add", FINE, -1, COARSE, FINE);
    APPLY(&c, "down", COARSE, -1, RESIDUAL, COARSE_RIGHT, COARSE);
    expect_plan(&c, "skewed y=5",
                "seq\n"
                "  " TILE "    seq\n"
                "      loop number 0 spans 0 0  # residual\n"
                "      loop number 1 scale 2 2 1 spans -1 -1  # down\n"
                "      loop number 2 spans -3 -3  # add\n"
                "      loop number 3 scale 2 2 1 spans -6 -6  # down\n");
    end(&c);
}

/* Grids by 2 and by 3 coarser than one: all count in points of that one. */
static void several_ratios_share_the_finest_grid(void **state)
{
    (void)state;
    cycle c;
    make(&c, 12, 18, KATA_CLAMP);
    APPLY(&c, "residual", FINE, -1, FINE, RIGHT, RESIDUAL);
    APPLY(&c, "down", COARSE, -1, RESIDUAL, COARSE_RIGHT, COARSE);
    APPLY(&c, "thirds", THIRD, -1, RESIDUAL, THIRD);
    APPLY(&c, "add", FINE, -1, COARSE, RESIDUAL);
    APPLY(&c, "third", FINE, -1, THIRD, RESIDUAL);
    expect_plan(&c, "skewed y=5",
                "seq\n"
                "  " TILE "    seq\n"
                "      loop number 0 spans 0 0  # residual\n"
                "      loop number 1 scale 2 2 1 spans -1 -1  # down\n"
                "      loop number 2 scale 3 3 1 spans -2 -2  # thirds\n"
                "      loop number 3 spans -3 -3  # add\n"
                "      loop number 4 spans -3 -3  # third\n");
    end(&c);
}

/* Tiles of all sizes, on grids down to one coarse point, with periodic sides and without: the
 * verifier accepts them, so each coarse point is computed once, and after all that it needs. */
static void tiles_of_all_sizes_are_right(void **state)
{
    (void)state;
    static const int64_t sizes[] = {2, 4, 6, 8, 10, 14, 20, 28};
    static const char *const methods[] = {"skewed", "skewed depth=2", "diamond"};
    for (int rule = 0; rule < 2; rule++)
        for (size_t n = 0; n < COUNT_OF(sizes); n++) {
            cycle c;
            if (rule && sizes[n] % 4) continue; /* two colours of a coarse row would meet */
            make(&c, 8, sizes[n], rule ? KATA_PERIODIC : KATA_CLAMP);
            queue_cycle(&c);
            for (int64_t tile = 1; tile < 2 * sizes[n]; tile++)
                for (size_t m = 0; m < COUNT_OF(methods); m++) {
                    char request[64];
                    snprintf(request, sizeof request, "%s y=%d", methods[m], (int)tile);
                    expect_plan(&c, request, NULL);
                }
            end(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_are_tiled_with_the_finer_grid),
        cmocka_unit_test(parents_are_up_to_two_rows_ahead),
        cmocka_unit_test(several_ratios_share_the_finest_grid),
        cmocka_unit_test(tiles_of_all_sizes_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
