/* Simulations of examples/, whose steps are tuned. Their fields begin with numbers of which none
 * becomes subnormal or infinite within the steps of a run. */
#include "tuning.h"

#include "fdtd_kata.h"
#include "gray_scott_kata.h"
#include "shallow_water_kata.h"
#include "wave_kata.h"

#include <string.h>

static kata_field *field_of(tuning_program *p, const char *name, kata_type type, kata_rule rule)
{
    return kata_field_new(p->grid, name, type, .boundary = rule);
}

static kata_field *profile(tuning_program *p, const char *name, kata_type type, int along,
                           int components)
{
    kata_field *f = kata_field_new(p->grid, name, type, .along = along, .components = components);
    kata_fill(f, kata_on(f), 0.01);
    return f;
}

static void find(tuning_program *p, const char *first, const char *second)
{
    p->kernel[0] = kata_kernel_find(p->module, first);
    if (second) p->kernel[1] = kata_kernel_find(p->module, second);
}

/* ---- shallow water --------------------------------------------------------------------------- */

static void make_water(tuning_program *p)
{
    static const char *names[] = {"h", "u", "v", "U", "V", "q", "B"};
    static const char *rates[] = {"rate", "before", "earlier"};
    for (int f = 0; f < 7; f++) p->field[f] = field_of(p, names[f], KATA_F64, KATA_PERIODIC);
    for (int f = 0; f < 3; f++)
        p->field[7 + f] = kata_field_new(p->grid, rates[f], KATA_F64, .components = 3);
    find(p, "diagnose", "advance");
    kata_apply(kata_kernel_find(p->module, "start"), kata_all(p->grid), p->field[0], p->field[1],
               p->field[2], 40, 1.2e5, 1, 1e3);
    kata_fill(p->field[8], kata_all(p->grid), 0);
    kata_fill(p->field[9], kata_all(p->grid), 0);
}

static void step_water(tuning_program *p)
{
    const double dt = 1;
    kata_field **f = p->field;
    kata_apply(p->kernel[0], kata_all(p->grid), f[0], f[1], f[2], f[3], f[4], f[5], f[6], 1e-3);
    kata_apply(p->kernel[1], kata_all(p->grid), f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7],
               f[8], f[9], 1.5 * dt, -0.5 * dt, 0, 1e-3);
    kata_rotate(f[9], f[8], f[7]);
    kata_step(p->k);
}

/* ---- Gray-Scott ------------------------------------------------------------------------------ */

static void make_gray_scott(tuning_program *p)
{
    static const char *names[] = {"u", "v", "next_u", "next_v"};
    for (int f = 0; f < 4; f++) p->field[f] = field_of(p, names[f], KATA_F64, KATA_PERIODIC);
    p->field[4] = profile(p, "feed", KATA_F64, KATA_Y, 1);
    p->field[5] = profile(p, "kill", KATA_F64, KATA_X, 1);
    find(p, "step", NULL);
    kata_apply(kata_kernel_find(p->module, "start"), kata_all(p->grid), p->field[0], p->field[1]);
}

static void step_gray_scott(tuning_program *p)
{
    kata_field **f = p->field;
    kata_apply(p->kernel[0], kata_all(p->grid), f[0], f[1], f[2], f[3], f[4], f[5]);
    kata_swap(f[0], f[2]);
    kata_swap(f[1], f[3]);
    kata_step(p->k);
}

/* ---- acoustic wave --------------------------------------------------------------------------- */

static void make_wave(tuning_program *p)
{
    static const char *names[] = {"dx", "dy", "dz"};
    static const int along[] = {KATA_X, KATA_Y, KATA_Z};
    p->field[0] = field_of(p, "p", KATA_F32, KATA_CONSTANT);
    p->field[1] = field_of(p, "next", KATA_F32, KATA_CONSTANT);
    p->field[2] = field_of(p, "speed", KATA_F32, KATA_CONSTANT);
    for (int d = 0; d < 3; d++) p->field[3 + d] = profile(p, names[d], KATA_F32, along[d], 1);
    find(p, "step", NULL);
    for (int f = 0; f < 3; f++) kata_fill(p->field[f], kata_all(p->grid), 0.1);
}

static void step_wave(tuning_program *p)
{
    kata_field **f = p->field;
    kata_apply(p->kernel[0], kata_all(p->grid), f[0], f[1], f[2], f[3], f[4], f[5]);
    kata_swap(f[0], f[1]);
    kata_step(p->k);
}

/* ---- light ----------------------------------------------------------------------------------- */

static void make_light(tuning_program *p)
{
    static const char *names[] = {"ex", "ey", "hx", "hy", "slow"};
    for (int f = 0; f < 5; f++) p->field[f] = field_of(p, names[f], KATA_F64, KATA_PERIODIC);
    p->field[5] = profile(p, "fade_x", KATA_F64, KATA_X, 2);
    p->field[6] = profile(p, "fade_y", KATA_F64, KATA_Y, 2);
    find(p, "magnetic", "electric");
    kata_apply(kata_kernel_find(p->module, "set_wave"), kata_all(p->grid), p->field[0], p->field[1],
               p->field[2], p->field[3], 0.5);
    kata_fill(p->field[4], kata_all(p->grid), 1);
}

static void step_light(tuning_program *p)
{
    kata_field **f = p->field;
    kata_apply(p->kernel[0], kata_all(p->grid), f[0], f[1], f[2], f[3], f[5], f[6], 0.5);
    kata_apply(p->kernel[1], kata_all(p->grid), f[0], f[1], f[2], f[3], f[4], f[5], f[6], 0.5);
    kata_step(p->k);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const tuning_example examples[] = {
    {"shallow water", shallow_water_kata, 2, make_water, step_water},
    {"Gray-Scott", gray_scott_kata, 2, make_gray_scott, step_gray_scott},
    {"acoustic wave", wave_kata, 3, make_wave, step_wave},
    {"FDTD", fdtd_kata, 2, make_light, step_light},
};

const tuning_example *tuning_example_of(const char *name)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (!strcmp(examples[i].name, name)) return &examples[i];
    return NULL;
}

bool tuning_example_make(tuning_program *p, const int64_t n[3], int threads)
{
    const tuning_example *e = p->example;
    p->k = kata_open(&(kata_options){.threads = threads, .wait = true});
    p->module = kata_module_from_text(p->k, e->name, e->text);
    p->grid = e->rank == 2 ? kata_grid_2d(p->k, n[0], n[1]) : kata_grid_3d(p->k, n[0], n[1], n[2]);
    e->make(p);
    return kata_flush(p->k) == KATA_OK;
}
