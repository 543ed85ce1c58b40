/* See emulated_chain.h. */
#include "emulated_chain.h"

#include "lang/lang.h"
#include "legality/legality.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char lattice[] =
    "const int x[19] = {0,1,-1,0,0,0,0,1,-1,1,-1,1,-1,1,-1,0,0,0,0};\n"
    "const int y[19] = {0,0,0,1,-1,0,0,1,-1,-1,1,0,0,0,0,1,-1,1,-1};\n"
    "const int z[19] = {0,0,0,0,0,1,-1,0,0,0,0,1,-1,-1,1,1,-1,-1,1};\n"
    "kernel pull(in REAL f[19], out REAL g[19])\n"
    "{ for (int q = 0; q < 19; q++) g[q] = 0.5*f[q][-x[q],-y[q],-z[q]]; }\n";
static const char row[] = "kernel scale(in float u, out float v) { v = 0.5*u; }\n";

static const char blur[] = "kernel blur(in float u, out float v)\n"
                           "{ v = (u[-1,-1] + u[0,-1] + u[1,-1] + u[-1,0] + u + u[1,0] + u[-1,1] + "
                           "u[0,1] + u[1,1])/9; }\n";

static const char smoother[] =
    "static double wide(in double b) { return b[2,0,0] + b[-2,0,0] + b[0,2,0] + b[0,-2,0]"
    " + b[0,0,1] + b[0,0,-1]; }\n"
    "kernel smooth(in double u, in double x, in double y, in double z, in double rhs,\n"
    "              in double inverse, out double v)\n"
    "{ v = u + inverse*(rhs - wide(x) - wide(y) - wide(z) - wide(u) - u[0,0,2] - u[0,0,-2]); }\n";

static void compile(emulated_chain *c, const char *words, const char *real)
{
    char text[1024], *at = text;
    for (const char *word = words; *word; word++) {
        bool is_real = !strncmp(word, "REAL", 4);
        if (is_real) at += sprintf(at, "%s", real);
        if (is_real) word += 3;
        if (!is_real) *at++ = *word;
    }
    *at = '\0';
    assert_int_equal(lang_compile("emulated.kata", text, strlen(text), NULL, &c->m, &c->module),
                     KATA_OK);
}

/* Queues the kernel, which has these fields, for a box. */
static void queue_in(emulated_chain *c, const int *fields, const grid_box *box)
{
    static const char *const names[] = {"f", "g", "c", "d", "e", "h", "k"};
    chain_binding bindings[EMULATED_FIELDS] = {{0}};
    chain_loop loop = {
        .bindings = bindings, .shape = c->slots[0].shape, .kernel = c->module->kernels[0]};
    loop.box = *box;
    for (int side = 0; side < 6; side++) c->boundary.side[side].rule = KATA_CLAMP;
    for (int p = 0; p < loop.kernel->param_count; p++)
        bindings[p] = (chain_binding){
            .slot = &c->slots[fields[p]], .name = names[fields[p]], .boundary = &c->boundary};
    if (legality_check(&loop, &c->m)) fail_msg("%s", text_get(&c->m.body));
    assert_int_equal(chain_append(&c->chain, &loop, &c->m), KATA_OK);
}

static void queue(emulated_chain *c, const int *fields)
{
    grid_box all = grid_shape_box(&c->slots[0].shape);
    queue_in(c, fields, &all);
}

static void make_slots(emulated_chain *c, grid_shape shape, kata_type type, int components)
{
    for (int i = 0; i < EMULATED_FIELDS; i++)
        c->slots[i] = (chain_slot){.shape = shape, .type = type, .components = components};
}

void emulated_make_lattice(emulated_chain *c, int64_t side, kata_type type, int steps)
{
    *c = (emulated_chain){0};
    compile(c, lattice, type == KATA_F32 ? "float" : "double");
    make_slots(c, (grid_shape){3, {side, side, side}}, type, 19);
    for (int step = 0; step < steps; step++) queue(c, (const int[]){step % 2, 1 - step % 2});
    assert_true(analysis_chain_make(&c->chain, &c->a));
}

void emulated_make_row(emulated_chain *c, int64_t points)
{
    *c = (emulated_chain){0};
    compile(c, row, "float");
    make_slots(c, (grid_shape){1, {points, 1, 1}}, KATA_F32, 1);
    queue(c, (const int[]){0, 1});
    assert_true(analysis_chain_make(&c->chain, &c->a));
}

void emulated_make_blur(emulated_chain *c, int64_t nx, int64_t ny, int steps)
{
    *c = (emulated_chain){0};
    compile(c, blur, "float");
    make_slots(c, (grid_shape){2, {nx, ny, 1}}, KATA_F32, 1);
    for (int step = 0; step < steps; step++) queue(c, (const int[]){step % 2, 1 - step % 2});
    assert_true(analysis_chain_make(&c->chain, &c->a));
}

void emulated_make_smoother(emulated_chain *c, int64_t side)
{
    emulated_make_smoother_in(c, side, &(grid_box){{0, 0, 0}, {side, side, side}});
}

void emulated_make_smoother_in(emulated_chain *c, int64_t side, const grid_box *box)
{
    *c = (emulated_chain){0};
    compile(c, smoother, "double");
    make_slots(c, (grid_shape){3, {side, side, side}}, KATA_F64, 1);
    queue_in(c, (const int[]){0, 1, 2, 3, 4, 5, 6}, box);
    assert_true(analysis_chain_make(&c->chain, &c->a));
}

void emulated_end(emulated_chain *c)
{
    analysis_chain_free(&c->a);
    chain_free(&c->chain);
    lang_module_free(c->module);
    message_free(&c->m);
}

plan_times emulated_times(emulated_chain *c, const machine_emulated *m, const char *words,
                          bool verifies)
{
    plan p = {0};
    plan_request r;
    plan_times times;
    text why = {0};
    if (!plan_request_read(words, &r, 1, &why)) fail_msg("%s", text_get(&why));
    r.machine = m;
    r.siblings = m->siblings;
    r.memory = m->free;
    assert_true(plan_make(&p, &c->a, &r));
    if (verifies && !plan_verify(&p, &c->a, &why)) fail_msg("%s", text_get(&why));
    assert_true(plan_find_times(&p, &c->a, m, NULL, &times));
    plan_free(&p);
    text_free(&why);
    return times;
}

machine_emulated emulated_machine(const char *words)
{
    machine_emulated m;
    text why = {0};
    if (!machine_emulated_read(words, strlen(words), "test", &m, &why))
        fail_msg("%s", text_get(&why));
    text_free(&why);
    return m;
}
